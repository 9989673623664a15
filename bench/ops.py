"""Operators: a builder call beside Graph.add_node, schema parsing, imports; ratios of medians of one run."""

import gc
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import ge.es
import ge.ir as ir
import ge.ops as ops

RUNS, CALLS = 9, 20_000


def per_call(work: Callable[[Any, Any, Any], None]) -> float:
    """Return nanoseconds a call, in a fresh graph."""
    graph = ir.Graph("g")
    x = graph.add_input("x", ir.TensorType((2, 3), ir.f32))
    start = time.perf_counter_ns()
    for _ in range(CALLS):
        work(graph, x, x)
    return (time.perf_counter_ns() - start) / CALLS


def import_time(module: str) -> float | None:
    """Return milliseconds of an import above bare Python; None when it is not installed."""
    times = []
    for code in (f"import {module}", "pass"):
        runs = []
        for _ in range(5):
            start = time.perf_counter()
            done = subprocess.run([sys.executable, "-c", code], capture_output=True)
            if done.returncode:
                return None
            runs.append(time.perf_counter() - start)
        times.append(min(runs))
    return (times[0] - times[1]) * 1000


def main() -> None:
    add = ge.es.onnx.Add
    type_ = ir.TensorType((2, 3), ir.f32)

    def add_node(g: Any, x: Any, y: Any) -> None:
        g.add_node("onnx.Add", [x, y], result_types=[type_])

    def call(g: Any, x: Any, y: Any) -> None:
        add(x, y)

    gc.disable()
    times: dict[str, list[float]] = {"Graph.add_node": [], "ge.es.onnx.Add": []}
    for _ in range(RUNS):
        times["Graph.add_node"].append(per_call(add_node))
        times["ge.es.onnx.Add"].append(per_call(call))
    gc.enable()
    base = statistics.median(times["Graph.add_node"])
    print(f"{'one node':24} {'ns':>8} {'ratio':>6}")
    for name, values in times.items():
        print(f"{name:24} {statistics.median(values):8.0f} {statistics.median(values) / base:6.2f}")

    texts = [str(r) for n in ops.list_ops() for r in ops.versions(n)]
    start = time.perf_counter_ns()
    for text in texts:
        ops.parse_schema(text)
    each = (time.perf_counter_ns() - start) / len(texts)
    print(f"\nparse_schema: {each / 1000:.2f} us a schema, of {len(texts)} of our own")

    print(f"\n{'import':24} {'ms':>8}")
    for module in ("ge.es", "ge.ops", "onnxscript"):
        took = import_time(module)
        print(f"{module:24} " + ("not installed" if took is None else f"{took:8.0f}"))


if __name__ == "__main__":
    main()
