"""Measure the speed-up of two threads, each with its own graph, over one thread that processes both graphs.

``python bench/threads.py [--quick] [--check]``. The calibration, two hashlib hashes that run without the GIL, shows the
speed-up that this machine can give two threads at this time. Each row is measured with both graphs in one context, and with
a context for each. Times are wall time. A round measures each row and the calibration once with one thread and once with
two; a speed-up is the median over the rounds.
"""

from __future__ import annotations

import functools
import hashlib
import os
import statistics
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import ge.onnx
from ge import ir
from ge.passes import PassManager

# The required speed-up of a row, as a fraction of the calibration's.
SHARE = 0.85
PASSES = "infer-types,cse,dce,sort"


def model(nodes: int, context: ir.Context) -> ir.Module:
    """Return a model with a chain of Abs, Add and Relu nodes, some of them dead."""
    with context:
        type_ = ir.TensorType((4, 4), ir.f32)
        graph = ir.Graph("main")
        value = graph.add_input("x", type_)
        for i in range(nodes):
            op = ("onnx.Abs", "onnx.Add", "onnx.Relu")[i % 3]
            operands = [value, value] if i % 3 == 1 else [value]
            node = graph.add_node(op, operands, name=f"n{i}", result_types=type_)
            value = value if i % 7 == 6 else node.result
        graph.outputs = [value]
        module = ir.Module("m")
        module.add_graph(graph)
        module.attributes["onnx.opset.ai.onnx"] = 17
    return module


class Works:
    """The works of one thread on its model, one for each row; `prepare` is not measured."""

    def __init__(self, nodes: int, context: ir.Context) -> None:
        self.context = context
        self.module = model(nodes, context)
        with context:
            self.text = self.module.to_text()
            self.bytes = ge.onnx.to_bytes(self.module)
        self.copies: list[ir.Module] = []

    def prepare(self, row: str) -> None:
        """Create the copies that `do` consumes."""
        if row == "passes":
            self.copies.append(self.module.clone())

    def do(self, row: str) -> Any:
        """Do the work of a row; return the result, so that its destruction is not measured."""
        with self.context:
            if row == "load":
                return ge.onnx.load(self.bytes, context=self.context)
            if row == "save":
                return ge.onnx.to_bytes(self.module)
            if row == "parse":
                return ir.Module.parse(self.text)
            if row == "print":
                return self.module.to_text()
            copy = self.copies.pop()
            PassManager.parse(PASSES).run(copy)
            return copy


ROWS = ("load", "parse", "print", "passes", "save")


def seconds(works: list[Callable[[], Any]], *, threads: bool) -> float:
    """Return the wall time of all works, each on its own thread or one after the other."""
    kept: list[Any] = []
    if not threads:
        start = time.perf_counter()
        kept += [work() for work in works]
        return time.perf_counter() - start
    barrier = threading.Barrier(len(works) + 1)

    def run(work: Callable[[], Any]) -> None:
        barrier.wait()
        kept.append(work())

    running = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in running:
        thread.start()
    barrier.wait()
    start = time.perf_counter()
    for thread in running:
        thread.join()
    return time.perf_counter() - start


def measure(nodes: int, rounds: int) -> dict[str, list[float]]:
    """Return the speed-ups of each row, one for each round."""
    shared = ir.Context()
    kinds = {
        "one context": [Works(nodes, shared), Works(nodes, shared)],
        "two contexts": [Works(nodes, ir.Context()), Works(nodes, ir.Context())],
    }
    data = bytes(64 << 20)
    found: dict[str, list[float]] = {}
    for round_ in range(rounds + 1):
        both = [lambda: hashlib.sha256(data).digest()] * 2
        gained = {"calibration": seconds(both, threads=False) / seconds(both, threads=True)}
        for row in ROWS:
            for kind, works in kinds.items():
                taken = {}
                for threads in (False, True):
                    for work in works:
                        work.prepare(row)
                    calls = [functools.partial(work.do, row) for work in works]
                    taken[threads] = seconds(calls, threads=threads)
                gained[f"{row}, {kind}"] = taken[False] / taken[True]
        for name, value in gained.items():
            if round_:  # the first round is a warm-up
                found.setdefault(name, []).append(value)
    return found


def main() -> int:
    """Print the rows; with `--check` return 1 if a speed-up is below the required one."""
    quick = "--quick" in sys.argv[1:]
    nodes, rounds = (20_000, 3) if quick else (100_000, 9)
    print(f"{nodes} nodes in each graph, median of {rounds}; load {os.getloadavg()[0]:.1f}\n")
    medians = {name: statistics.median(each) for name, each in measure(nodes, rounds).items()}
    calibration = medians["calibration"]
    failed = 0
    for name, value in medians.items():
        share = value / calibration
        good = share >= SHARE
        failed += not good
        verdict = "" if name == "calibration" else f"{'PASS' if good else 'FAIL'} {share:.2f} of it"
        print(f"{name:24} {value:5.2f}x  {verdict}")
    return int("--check" in sys.argv[1:] and failed > 0)


if __name__ == "__main__":
    sys.exit(main())
