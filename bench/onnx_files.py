"""Compare loading and saving ONNX models with onnx and onnx-ir: median times and peak memory of fresh processes.

``python bench/onnx_files.py [--nodes=20000] [--mebibytes=1024] [--runs=5] [--directory=DIR] [--check]``

The models: many nodes without weights; ten times as many nodes; few nodes with large weights, inline and external; and
three times as many bytes of weights in a sparse file. ``protobuf`` only parses and serialises bytes; the others read and
write files. Only ge syncs to disk (fsync) when it saves, so the table has a file copy with fsync for comparison. Memory is
VmHWM without pages of mapped files. In brackets: the ratio to ge.
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
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from memory import peak_mebibytes

PEERS = ("ge", "protobuf", "onnx", "onnx_ir")
# A file copy that ends like a save by ge: synced to disk, and renamed over the old file.
COPY = "copy"
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
    """Write a model whose sixteen initializers have `mebibytes` in total, inline in `path` and external beside it."""
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
    """Return load and save of one peer; save writes the model that load read last, with a node renamed."""
    out = path.with_name(f"{peer}-{path.name}")
    state: dict[str, Any] = {}
    if peer == "ge":
        import ge.onnx

        def load() -> None:
            state["m"] = ge.onnx.load(path)
            next(n for n in state["m"].graphs[0].nodes if n.op != "ge.Const").name = "renamed"

        return {"load": load, "save": lambda: ge.onnx.save(state["m"], out)}
    if peer == COPY:
        return {"save": lambda: copy(path, out)}
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


def copy(path: Path, out: Path) -> None:
    temporary = out.with_suffix(".tmp")
    with path.open("rb") as source, temporary.open("wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)
        target.flush()
        os.fsync(target.fileno())
    temporary.replace(out)


def worker(peer: str, path: Path) -> None:
    seconds = {}
    for name, work in works(peer, path).items():
        start = time.perf_counter()
        work()
        seconds[name] = time.perf_counter() - start
    print(json.dumps({**seconds, "memory": peak_mebibytes()}))


def measure(peer: str, path: Path, runs: int) -> dict[str, float]:
    """Return medians over fresh processes; empty for a peer that fails, whose last line of output is printed."""
    samples = []
    for _ in range(runs):
        os.sync()  # earlier writes must not be part of the measurement
        command = [sys.executable, __file__, "--worker", peer, str(path)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            said = result.stderr.strip().splitlines() or [f"exit {result.returncode}"]
            if peer == "ge":  # without ge there is nothing to compare with
                raise SystemExit(f"ge, {path.name}: {said[-1]}")
            print(f"{peer}, {path.name}: {said[-1]}", file=sys.stderr)
            return {}
        samples.append(json.loads(result.stdout))
    return {key: statistics.median(s[key] for s in samples) for key in samples[0]}


def make_sparse(path: Path, mebibytes: int) -> None:
    """Write a model with initializers in a sparse file, which occupies no blocks on disk."""
    from onnx import TensorProto, helper, save

    size = mebibytes * (1 << 20) // 16
    with path.with_suffix(".data").open("wb") as file:
        file.truncate(16 * size)
    weights = []
    for i in range(16):
        tensor = TensorProto(name=f"w{i}", data_type=TensorProto.FLOAT, dims=[size // 4])
        tensor.data_location = TensorProto.EXTERNAL
        place = {"location": f"{path.stem}.data", "offset": i * size, "length": size}
        for key, value in place.items():
            tensor.external_data.add(key=key, value=str(value))
        weights.append(tensor)
    nodes = [helper.make_node("Relu", [f"w{i}"], [f"y{i}"], f"r{i}") for i in range(16)]
    ends = [
        helper.make_tensor_value_info(f"y{i}", TensorProto.FLOAT, [size // 4]) for i in range(16)
    ]
    save(helper.make_model(helper.make_graph(nodes, "g", [], ends, weights)), path)


def cell(got: dict[str, float], ours: dict[str, float], key: str, scale: float) -> str:
    if key not in got:
        return f"{'' if got else 'failed':>18}"
    ratio = f"({got[key] / ours[key]:.1f})" if got is not ours and ours.get(key) else ""
    return f"{got[key] * scale:10.1f} {ratio:>7}"


def table(path: Path, title: str, runs: int, peers: Sequence[str] = PEERS) -> dict[str, Any]:
    """Measure one model with all peers, and print the results."""
    found = {peer: measure(peer, path, runs) for peer in peers}
    for peer, got in found.items():
        cells = [
            cell(got, found["ge"], key, scale)
            for key, scale in (("load", 1e3), ("save", 1e3), ("memory", 1))
        ]
        print(f"{title:22} {peer:9} {' '.join(cells)}", flush=True)
    return found


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--nodes", type=int, default=20_000)
    parser.add_argument("--mebibytes", type=int, default=1024)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one run, 64 MiB")
    parser.add_argument("--directory", help="on the disk to measure; default: a temporary one")
    parser.add_argument("--check", action="store_true", help="exit with 1 when something misses")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.worker:
        worker(options.worker[0], Path(options.worker[1]))
        return 0
    runs = 1 if options.quick else options.runs
    mebibytes = 64 if options.quick else options.mebibytes
    missed: list[str] = []

    def check(holds: bool, what: str) -> None:
        if not holds:
            missed.append(what)

    with tempfile.TemporaryDirectory(dir=options.directory) as name:
        directory = Path(name)
        print(f"{'model':22} {'with':9} {'load, ms':>18} {'save, ms':>18} {'memory, MiB':>18}")
        by_count = []
        for count in (options.nodes, 10 * options.nodes):
            path = directory / f"nodes{count}.onnx"
            make_nodes(path, count)
            by_count.append(table(path, f"{count} nodes", runs))
        small, large = by_count
        for key in ("load", "save"):
            growth = {p: large[p][key] / small[p][key] / 10 for p in PEERS if small[p] and large[p]}
            print(
                f"a node of the larger, {key}: "
                + ", ".join(f"{p} {g:.2f}" for p, g in growth.items())
            )
            check(growth["ge"] <= 2, f"growth of {key}: {growth['ge']:.2f}")
            for peer, factor in (("protobuf", 1), ("onnx_ir", 15)):
                if small[peer]:
                    ratio = small[peer][key] / small["ge"][key]
                    check(
                        ratio >= factor, f"{key} of nodes: {ratio:.2f} times {peer}'s, not {factor}"
                    )
        inline = directory / "weights.onnx"
        make_weights(inline, mebibytes)
        for path, title in ((inline, "inline"), (directory / "external.onnx", "external")):
            found = table(path, f"{mebibytes} MiB {title}", runs, (*PEERS, COPY))
            ours, copied = found["ge"], found[COPY]["save"]
            check(ours["load"] < 0.02, f"{title}: opened in {ours['load'] * 1e3:.0f} ms")
            check(ours["memory"] < 100, f"{title}: {ours['memory']} MiB of memory")
            check(
                ours["save"] <= 1.2 * copied + 0.01,
                f"{title}: saved in {ours['save']:.2f} s, copied in {copied:.2f} s",
            )
        sparse = directory / "sparse.onnx"
        make_sparse(sparse, 3 * mebibytes)
        ours = table(sparse, f"{3 * mebibytes} MiB sparse", runs, ("ge", "onnx_ir"))["ge"]
        check(ours["memory"] < 100, f"sparse: {ours['memory']} MiB of memory")
    print("\n".join(missed) or "all holds")
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
