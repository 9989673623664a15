"""Optimise real networks with GE, onnxsim, onnxslim, onnxoptimizer, onnxscript and onnxruntime's basic level.

``python bench/onnx_optimize.py [--quick] [--check] [--models DIR] [--networks bert,vgg] [--peers ge,onnxsim]``

For each network and program, measured in a fresh process: the remaining nodes (without Constant; ConstantOfShape is counted
separately, as ``+12``: GE keeps those that fill a constant shape, where others write weights), the median time from file
to file after imports, the growth of the file, and the peak memory. Then onnxruntime's time for the original and for GE's
optimised network, in turns. Last, growth: 1,000 and 10,000 layers of convolution, norm and activation.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memory import peak_mebibytes

Work = Callable[[str, str], Any]
MODELS = Path(__file__).resolve().parents[1] / "test" / "models"
SMALL, LARGE = 1_000, 10_000
# Limits of the growth of a file in bytes, and of the ratio of onnxruntime's times, which vary by this much.
MOST_GROWTH = 1 << 20
NOISE = 1.05


def ge() -> Work:
    import ge.onnx
    import ge.passes  # optimize() imports it on the first call

    ge.passes.PassManager()

    def work(source: str, target: str) -> None:
        module = ge.onnx.load(source)
        ge.onnx.optimize(module)
        ge.onnx.save(module, target)

    return work


def onnxsim() -> Work:
    import onnx
    import onnxsim as peer

    return lambda source, target: onnx.save(peer.simplify(onnx.load(source))[0], target)


def onnxslim() -> Work:
    import onnx
    import onnxslim as peer

    return lambda source, target: onnx.save(peer.slim(onnx.load(source)), target)


def onnxoptimizer() -> Work:
    import onnx
    import onnxoptimizer as peer

    return lambda source, target: onnx.save(
        peer.optimize(onnx.load(source), peer.get_fuse_and_elimination_passes()), target
    )


def onnxscript() -> Work:
    import onnx
    import onnxscript.optimizer as peer

    return lambda source, target: onnx.save(peer.optimize(onnx.load(source)), target)


def onnxruntime() -> Work:
    import onnxruntime as peer

    def work(source: str, target: str) -> None:
        options = peer.SessionOptions()
        options.graph_optimization_level = peer.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = target
        options.log_severity_level = 4
        peer.InferenceSession(source, options, providers=["CPUExecutionProvider"])

    return work


PEERS: dict[str, Callable[[], Work]] = {
    f.__name__: f for f in (ge, onnxsim, onnxslim, onnxoptimizer, onnxscript, onnxruntime)
}


def worker(peer: str, source: str, runs: int) -> None:
    """Optimise one network with one program, and print the measurements."""
    work = PEERS[peer]()
    target = f"{source}.{peer}.onnx"
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        # Some programs print tables.
        with contextlib.redirect_stdout(io.StringIO()):
            work(source, target)
        seconds.append(time.perf_counter() - start)
    memory = peak_mebibytes()
    import onnx

    data = [Path(target), *Path(target).parent.glob(Path(target).name + ".data")]
    nodes = onnx.load(target, load_external_data=False).graph.node
    print(
        json.dumps(
            {
                "seconds": statistics.median(seconds),
                "memory": memory,
                "bytes": sum(p.stat().st_size for p in data) - os.path.getsize(source),
                "nodes": sum(n.op_type not in ("Constant", "ConstantOfShape") for n in nodes),
                "fills": sum(n.op_type == "ConstantOfShape" for n in nodes),
            }
        )
    )


def run_times(before: str, after: str, runs: int) -> None:
    """Print the seconds that onnxruntime takes for two models with the same inputs."""
    import numpy as np
    import onnx
    import onnxruntime as runtime

    runtime.set_default_logger_severity(4)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    sessions = [
        runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        for path in (before, after)
    ]
    rng = np.random.default_rng(0)
    graph = onnx.load(before).graph
    weights = {w.name for w in graph.initializer}
    feed = {}
    for value in graph.input:
        if value.name in weights:
            continue
        shape = [d.dim_value or 2 for d in value.type.tensor_type.shape.dim]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
        feed[value.name] = rng.integers(0, 2, shape).astype(dtype)
    samples: list[list[float]] = [[], []]
    for turn in range(2 * runs + 2):
        start = time.perf_counter()
        sessions[turn % 2].run(None, feed)
        if turn > 1:  # the first run of each session is a warm-up
            samples[turn % 2].append(time.perf_counter() - start)
    print(json.dumps([min(s) for s in samples]))


def asked(*arguments: object) -> Any:
    """Return the JSON that a fresh process prints; an error text if it fails."""
    command = [sys.executable, __file__, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return lines[-1] if lines else f"exit {done.returncode}"
    return json.loads(done.stdout.splitlines()[-1])


def layers(count: int, path: Path) -> None:
    """Write a model with `count` layers of Conv, BatchNormalization and Relu with 4 channels."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper, save

    rng = np.random.default_rng(0)
    nodes, weights, x = [], [], "x"
    for i in range(count):
        shapes = {"w": (4, 4, 1, 1), "scale": (4,), "bias": (4,), "mean": (4,), "var": (4,)}
        for name, shape in shapes.items():
            array = rng.random(shape, np.float32) + 0.5
            weights.append(numpy_helper.from_array(array, f"{name}{i}"))
        norm = [f"{name}{i}" for name in ("c", "scale", "bias", "mean", "var")]
        nodes += [
            helper.make_node("Conv", [x, f"w{i}"], [f"c{i}"], f"conv{i}"),
            helper.make_node("BatchNormalization", norm, [f"b{i}"], f"norm{i}"),
            helper.make_node("Relu", [f"b{i}"], [f"r{i}"], f"relu{i}"),
        ]
        x = f"r{i}"
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, 4, 8, 8]) for n in ("x", x)]
    graph = helper.make_graph(nodes, "layers", ends[:1], ends[1:], weights)
    save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8),
        str(path),
    )


class Table:
    """Prints rows, and collects the requirements that are not met."""

    def __init__(self, peers: list[str]) -> None:
        self.peers = peers
        self.missed: list[str] = []
        print(f"{'':20}" + "".join(f"{p:>28}" for p in peers))
        print(f"{'':20}" + f"{'nodes    ms  KiB  MiB':>28}" * len(peers))

    def row(self, name: str, got: dict[str, Any]) -> None:
        cells = []
        for peer in self.peers:
            one = got[peer]
            if isinstance(one, str):
                cells.append(f"{'failed':>28}")
            else:
                kib = one["bytes"] / 1024
                nodes = f"{one['nodes']}+{one['fills']}" if one["fills"] else str(one["nodes"])
                cells.append(
                    f"{nodes:>9} {one['seconds'] * 1e3:6.0f} {kib:+7.0f}{one['memory']:>5}"[
                        -28:
                    ].rjust(28)
                )
        print(f"{name:20}" + "".join(cells), flush=True)

    def check(self, name: str, holds: bool, what: str) -> None:
        if not holds:
            self.missed.append(f"{name}: {what}")


def networks(chosen: str | None, models: Path) -> dict[str, Path]:
    import onnx

    light = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    found = {
        p.stem: p for p in [*sorted(light.glob("light_*.onnx")), *sorted(models.glob("*.onnx"))]
    }
    words = chosen.split(",") if chosen else [""]
    return {name: p for name, p in found.items() if any(w in name for w in words)}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--networks", metavar="WORD,...", help="those whose names have a word")
    parser.add_argument("--models", type=Path, default=MODELS, help="where more .onnx files are")
    parser.add_argument("--peers", default=",".join(PEERS), metavar="P,...")
    parser.add_argument("--quick", action="store_true", help="one run of each, no growth")
    parser.add_argument("--check", action="store_true", help="exit with 1 when something misses")
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--run", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args(arguments)
    if options.worker:
        worker(*options.worker, options.runs)
        return 0
    if options.run:
        run_times(*options.run, options.runs)
        return 0
    runs = 1 if options.quick else options.runs
    peers = [p for p in PEERS if p in options.peers.split(",")]
    table = Table(peers)
    ratios: dict[str, list[float]] = {peer: [] for peer in peers}
    for name, path in networks(options.networks, options.models).items():
        with tempfile.TemporaryDirectory() as directory:
            source = Path(directory) / path.name
            source.write_bytes(path.read_bytes())
            got = {peer: asked("--worker", peer, source, "--runs", runs) for peer in peers}
            table.row(name, got)
            judge(table, name, got, ratios)
            after = f"{source}.ge.onnx"
            if "ge" in peers and os.path.exists(after):
                times = asked("--run", source, after, "--runs", 3 * runs)
                if isinstance(times, list):
                    ratio = times[1] / times[0]
                    print(f"{'':20}onnxruntime runs it in {ratio:.2f} of the time")
                    table.check(name, ratio <= NOISE, f"onnxruntime takes {ratio:.2f} of the time")
    for peer in peers:
        if peer != "ge" and ratios[peer]:
            print(f"{peer} takes {statistics.median(ratios[peer]):.1f} times as long (median)")
    if not options.quick:
        with tempfile.TemporaryDirectory() as directory:
            growth(table, Path(directory), peers, runs)
    print("\n".join(table.missed) or "all holds")
    return 1 if options.check and table.missed else 0


def judge(table: Table, name: str, got: dict[str, Any], ratios: dict[str, list[float]]) -> None:
    """Check GE against the best of the other programs, and against onnxsim's time."""
    ours = got.get("ge")
    if ours is None:
        return
    if isinstance(ours, str):
        table.check(name, False, ours)
        return
    others = {p: r for p, r in got.items() if p != "ge" and not isinstance(r, str)}
    for peer, result in others.items():
        ratios[peer].append(result["seconds"] / ours["seconds"])
    fewest = min((r["nodes"] for r in others.values()), default=ours["nodes"])
    table.check(name, ours["nodes"] <= fewest, f"{ours['nodes']} nodes, others {fewest}")
    table.check(name, ours["bytes"] <= MOST_GROWTH, f"the file grew by {ours['bytes']} bytes")
    if "onnxsim" in others:
        ratio = ours["seconds"] / others["onnxsim"]["seconds"]
        table.check(name, ratio <= 1, f"{ratio:.2f} of onnxsim's time")


def growth(table: Table, directory: Path, peers: list[str], runs: int) -> None:
    """Print how the costs grow with ten times as many nodes."""
    results = []
    for count in (SMALL, LARGE):
        path = directory / f"layers{count}.onnx"
        layers(count, path)
        # One run: some of the other programs take minutes.
        got = {
            p: asked("--worker", p, path, "--runs", runs if p == "ge" or count == SMALL else 1)
            for p in peers
        }
        table.row(f"{3 * count} nodes", got)
        results.append(got)
    for peer in peers:
        small, large = (r[peer] for r in results)
        if isinstance(small, str) or isinstance(large, str):
            continue
        ratio = large["seconds"] / small["seconds"] / (LARGE / SMALL)
        print(f"{peer}: a node of {3 * LARGE} costs {ratio:.2f} of one of {3 * SMALL}")
        if peer == "ge":
            table.check("growth", ratio <= 2, f"a node costs {ratio:.2f} of what it did")


if __name__ == "__main__":
    sys.exit(main())
