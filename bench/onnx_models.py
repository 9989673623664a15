"""ONNX models in and out, beside onnx and onnx-ir: a table of medians, and of peak memory of fresh processes.

``python bench/onnx_models.py [--nodes=20000] [--mebibytes=1024] [--runs=5] [--directory=DIR]``

Two models: many nodes without weights, and few nodes with many bytes. Parsing and serialising of onnx is
protobuf alone, from and to bytes; the others read and write files. Saving ends on disk (fsync) with ge only, so
a copy of the file with fsync stands beside it. Memory is VmHWM, without mapped file pages.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Work = Callable[[], Any]


def make_nodes(path: Path, count: int) -> None:
    from onnx import TensorProto, helper

    def info(name: str) -> Any:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", 64, 56, 56])

    names = ["x", *(f"value_{i}" for i in range(count))]
    nodes = [
        helper.make_node("Conv", names[max(i - 1, 0) : i + 1], [names[i + 1]], f"node_{i}", k=i, axes=[1, 2, 3, 4])
        for i in range(count)
    ]  # fmt: skip
    graph = helper.make_graph(
        nodes, "g", [info("x")], [info(names[-1])], value_info=[info(n) for n in names[1:-1]]
    )
    path.write_bytes(helper.make_model(graph).SerializeToString())


def make_weights(path: Path, mebibytes: int) -> None:
    """Sixteen initializers that fill the file, inline in `path` and external beside it."""
    import ge.ir as ir
    import ge.onnx

    raw = path.with_suffix(".raw")
    with raw.open("wb") as file:
        for _ in range(mebibytes):
            file.write(os.urandom(1 << 20))
    module = ir.Module()
    graph = module.add_graph("g")
    each = mebibytes * (1 << 20) // 16 // 4
    outputs = []
    for i in range(16):
        tensor = ir.Tensor.from_file(raw, ir.f32, (each,), offset=i * each * 4)
        const = graph.add_node(
            "ge.Const", [], {"value": tensor}, name=f"w{i}", result_types=[tensor.type]
        )
        const.result.name = f"w{i}"
        node = graph.add_node("onnx.Relu", [const.result], name=f"r{i}", result_types=[tensor.type])
        outputs.append(node.result)
    graph.outputs = outputs
    ge.onnx.save(module, path)
    ge.onnx.save(module, path.with_name("external.onnx"), external_data=True)
    raw.unlink()


def works(peer: str, path: Path) -> dict[str, Work]:
    """Return load and save of one peer; save writes what load read last, with a node renamed."""
    out = path.with_name(f"{peer}-{path.name}")
    state: dict[str, Any] = {}
    if peer == "ge":
        import ge.onnx

        def load() -> None:
            state["m"] = ge.onnx.load(path)
            next(n for n in state["m"].graphs[0].nodes if n.op != "ge.Const").name = "renamed"

        return {"load": load, "save": lambda: ge.onnx.save(state["m"], out)}
    import onnx

    if peer == "onnx":

        def load() -> None:
            state["m"] = onnx.load(path)
            state["m"].graph.node[0].name = "renamed"

        return {"load": load, "save": lambda: onnx.save(state["m"], out)}
    if peer == "protobuf":

        def load() -> None:
            state["m"] = onnx.ModelProto.FromString(path.read_bytes())

        return {"load": load, "save": lambda: state["m"].SerializeToString()}
    import onnx_ir

    def load() -> None:
        state["m"] = onnx_ir.load(path)
        next(iter(state["m"].graph)).name = "renamed"

    return {"load": load, "save": lambda: onnx_ir.save(state["m"], out)}


def copy(path: Path) -> None:
    with path.open("rb") as source, path.with_suffix(".copy").open("wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)
        target.flush()
        os.fsync(target.fileno())


def anonymous_peak() -> int:
    """Return MiB of peak memory without mapped pages, as far as Linux tells: VmHWM - RssFile."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return (int(fields["VmHWM"].split()[0]) - int(fields["RssFile"].split()[0])) >> 10


def worker(peer: str, path: Path) -> None:
    seconds = {}
    for name, work in works(peer, path).items():
        start = time.perf_counter()
        work()
        seconds[name] = time.perf_counter() - start
    print(json.dumps({**seconds, "memory": anonymous_peak()}))


def measure(peer: str, path: Path, runs: int) -> dict[str, float]:
    """Return medians over fresh processes."""
    samples = []
    for _ in range(runs):
        command = [sys.executable, __file__, "--worker", peer, str(path)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            return {}
        samples.append(json.loads(result.stdout))
    return {key: statistics.median(s[key] for s in samples) for key in samples[0]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--mebibytes", type=int, default=1024)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--directory", help="on the disk to measure; default: a temporary one")
    parser.add_argument("--worker", nargs=2)
    options = parser.parse_args()
    if options.worker:
        worker(options.worker[0], Path(options.worker[1]))
        return 0
    with tempfile.TemporaryDirectory(dir=options.directory) as name:
        directory = Path(name)
        nodes, inline = directory / "nodes.onnx", directory / "weights.onnx"
        make_nodes(nodes, options.nodes)
        make_weights(inline, options.mebibytes)
        titles = {
            nodes: f"{options.nodes} nodes",
            inline: f"{options.mebibytes} MiB inline",
            directory / "external.onnx": f"{options.mebibytes} MiB external",
        }
        print(f"{'model':22} {'with':9} {'load, ms':>10} {'save, ms':>10} {'memory, MiB':>12}")
        for path, title in titles.items():
            for peer in ("ge", "protobuf", "onnx", "onnx_ir"):
                got = measure(peer, path, options.runs)
                cells = (
                    f"{got['load'] * 1e3:10.2f} {got['save'] * 1e3:10.2f} {got['memory']:12}"
                    if got
                    else f"{'failed':>10}"
                )
                print(f"{title:22} {peer:9} {cells}", flush=True)
        start = time.perf_counter()
        copy(inline)
        print(f"{titles[inline]:22} {'copy':9} {'':10} {(time.perf_counter() - start) * 1e3:10.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
