"""Compare operators with their peers: schema parsing, a call of a builder, imports.

``ops.py [--peers PYTHON] [--quick]``: PYTHON is the interpreter that has the peers (torch, onnx, onnxscript), by default
this one; a missing peer is reported as not installed. Every figure is the median of fresh processes, which take turns.
Times are processor time, which other programs disturb less.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["main"]

# Each program prints one number; it raises if the package that it measures is not installed.
PARSE = """
import json, sys, time
{setup}
def reads(text):
    try:
        return parse(text) is not None
    except Exception:
        return False  # GE refuses one of PyTorch's, with two parameters of one name
texts = [t for t in json.load(open(sys.argv[1])) if reads(t)]
best = None
for _ in range(5):
    start = time.process_time_ns()
    for text in texts:
        parse(text)
    took = (time.process_time_ns() - start) / len(texts)
    best = took if best is None else min(best, took)
print(best)
"""
CALL = """
import gc, time
{setup}
gc.disable()
best = None
for _ in range(8):
    work = fresh()
    calls = {calls}
    start = time.process_time_ns()
    for _ in range(calls):
        work()
    took = (time.process_time_ns() - start) / calls
    best = took if best is None else min(best, took)
print(best)
"""
GE_GRAPH = """
import ge.es, ge.ir as ir
kind = ir.TensorType((2, 3), ir.f32)
def graph():
    g = ir.Graph("g")
    return g, g.add_input("x", kind), g.add_input("y", kind)
"""
ADD_NODE = (
    GE_GRAPH
    + """
def fresh():
    g, x, y = graph()
    return lambda: g.add_node("onnx.Add", [x, y], result_types=[kind])
"""
)
BUILDER = (
    GE_GRAPH
    + """
add = ge.es.onnx.Add
def fresh():
    g, x, y = graph()
    return lambda: add(x, y)
"""
)
SCOPED = (
    GE_GRAPH
    + """
add = ge.es.onnx.Add
held = []
def fresh():
    for b in held:
        b.__exit__(None, None, None)
    held[:] = [ge.es.builder("g")]
    held[0].__enter__()
    x, y = held[0].input("x", kind), held[0].input("y", kind)
    return lambda: add(x, y)
"""
)
MAKE_NODE = """
from onnx import helper
def fresh():
    return lambda: helper.make_node("Add", ["x", "y"], ["z"])
"""
ONNXSCRIPT = """
import onnx_ir as ir
from onnxscript import GraphBuilder
kind, shape = ir.TensorType(ir.DataType.FLOAT), ir.Shape((2, 3))
def fresh():
    x, y = (ir.Value(name=n, type=kind, shape=shape) for n in "xy")
    op = GraphBuilder(ir.Graph([x, y], [], nodes=[], opset_imports={"": 21})).op
    return lambda: op.Add(x, y)
"""
IMPORT = """
import time
start = time.process_time_ns()
import {module}
print(time.process_time_ns() - start)
"""
# Write the corpus of schemas: PyTorch's registry if it is installed, else GE's own records.
TORCH_CORPUS = """
import json, sys, torch
json.dump([str(s) for s in torch._C._jit_get_all_schemas()], open(sys.argv[1], "w"))
print(0)
"""
OWN_CORPUS = """
import json, sys, ge.ops as ops
json.dump([str(r) for n in ops.list_ops() for r in ops.versions(n)], open(sys.argv[1], "w"))
print(0)
"""


def measure(python: str, program: str, *arguments: str) -> float | None:
    """Return the number that a program prints; None if it fails, normally because a package is missing."""
    environment = dict(os.environ)
    if python != sys.executable:
        environment.pop("PYTHONPATH", None)  # it must use its own packages
    done = subprocess.run(
        [python, "-c", program, *arguments], capture_output=True, text=True, env=environment
    )
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        if "ModuleNotFoundError" not in "".join(last):
            print(f"  {last}", file=sys.stderr)
        return None
    return float(done.stdout.split()[-1])


def table(
    title: str, unit: float, rows: list[tuple[str, str, str]], runs: int, *arguments: str
) -> None:
    """Measure rows of name, interpreter and program in turns; print them with their ratio to the first one."""
    samples: dict[str, list[float]] = {name: [] for name, _, _ in rows}
    for _ in range(runs):
        for name, python, program in rows:
            value = measure(python, program, *arguments)
            if value is not None:
                samples[name].append(value)
    first = statistics.median(samples[rows[0][0]])
    print(f"\n{title:32} {'':>10} {'ratio':>7}")
    for name, values in samples.items():
        if values:
            median = statistics.median(values)
            print(f"{name:32} {median / unit:10.2f} {median / first:7.2f}")
        else:
            print(f"{name:32} {'not installed':>18}")


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", default=sys.executable, help="interpreter that has the peers")
    parser.add_argument("--quick", action="store_true", help="one run of each, fewer calls")
    arguments = parser.parse_args()
    peers = arguments.peers
    runs, calls, slow = (1, 2_000, 500) if arguments.quick else (7, 20_000, 5_000)

    def call(setup: str, count: int = calls) -> str:
        return CALL.format(setup=setup, calls=count)

    own = sys.executable
    with tempfile.TemporaryDirectory() as directory:
        corpus = str(Path(directory) / "corpus.json")
        name = "PyTorch's registry"
        if measure(peers, TORCH_CORPUS, corpus) is None:
            name = "our own records"
            measure(own, OWN_CORPUS, corpus)
        count = len(json.loads(Path(corpus).read_text()))
        table(
            f"us a schema ({count}: {name})",
            1e3,
            [
                ("ge.ops.parse_schema", own, PARSE.format(setup=GE_PARSE)),
                ("torch._C.parse_schema", peers, PARSE.format(setup=TORCH_PARSE)),
            ],
            runs,
            corpus,
        )
    table(
        "us a node: Add(x, y)",
        1e3,
        [
            ("Graph.add_node", own, call(ADD_NODE)),
            ("ge.es.onnx.Add", own, call(BUILDER)),
            ("ge.es.onnx.Add in a builder", own, call(SCOPED)),
            ("onnx.helper.make_node", peers, call(MAKE_NODE, slow)),
            ("onnxscript's builder", peers, call(ONNXSCRIPT, slow)),
        ],
        runs,
    )
    table(
        "ms an import",
        1e6,
        [
            ("import ge.es", own, IMPORT.format(module="ge.es")),
            ("import ge.ops", own, IMPORT.format(module="ge.ops")),
            ("import ge.passes", own, IMPORT.format(module="ge.passes")),
            ("import ge.onnx", own, IMPORT.format(module="ge.onnx")),
            ("import onnxscript", peers, IMPORT.format(module="onnxscript")),
            ("import onnx", peers, IMPORT.format(module="onnx")),
        ],
        runs,
    )
    return 0


GE_PARSE = "from ge.ops import parse_schema as parse"
TORCH_PARSE = "import torch\nparse = torch._C.parse_schema"

if __name__ == "__main__":
    sys.exit(main())
