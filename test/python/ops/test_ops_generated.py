"""Files generated from the records are current: stubs of ge.es.*, the page of operators; and the stubs are right."""

import subprocess
import sys
from pathlib import Path

import pytest
from type_checker import check_types

import ge.ops as ops

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.nosan  # the child would need the sanitizer's run time
@pytest.mark.parametrize("script", ["gen_es_stubs.py", "gen_ops_docs.py"])
def test_generated_files_are_current(script: str) -> None:
    command = [sys.executable, str(ROOT / "scripts" / script), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def complaints(program: Path) -> "dict[int, str]":
    """Return the errors of a type checker by line."""
    printed = check_types(program.parent, program.name)
    said = [line.split(":", 2) for line in printed.splitlines()]
    return {int(line): text.strip() for _, line, text in said}


with_stubs = pytest.mark.skipif(
    not Path(ops.__file__).with_suffix(".pyi").exists(), reason="built without stubs"
)

ONNX_STYLE = """\
import numpy as np
from typing_extensions import assert_type
import ge.es
import ge.ir as ir
import ge.ops as ops
from ge.es import onnx as op

def block(x: ir.Value, channels: int) -> ir.Value:
    w = np.ones((channels, channels, 3, 3), np.float32)
    y = op.Conv(x, w, pads=[1, 1, 1, 1], _name="conv")
    y = op.BatchNormalization(y, *[np.ones(channels, np.float32)] * 4)
    y = op.Clip(op.Add(y, x), None, 6.0)
    parts = assert_type(op.Split(y, num_outputs=2), list[ir.Value])
    top = op.TopK(parts[0], 1)
    assert_type(top.Indices, ir.Value)
    return op.If(op.ReduceMax(y) > 0, then_branch=lambda: [y], else_branch=lambda: [x])[0]

with ge.es.builder("main", opset=21) as b:
    x = b.input("x", (1, 8, "H", "W"), ir.f32)
    b.output(block(x, 8) * 2 + 1, name="y")
    b.onnx.Relu(x)
record: ops.OpDef = ops.get("onnx::Conv")
assert_type(record.params[0].type.is_list, bool)
old = ge.es.onnx.at(11)
print(old.Squeeze(x, axes=[0]), op.Cast(x, to=ir.f16), op.Concat([x, x], axis=0))
"""
ONNX_WRONG = """\
from ge.es import onnx as op
op.Conv()
op.Softmax(1, axis="a")
op.Nonsense(1)
op.Relu(1, 2)
op.Concat(1)
"""
GE_STYLE = """\
from typing_extensions import assert_type
from ge.es import GraphBuilder, TensorHolder, attr_scope
from ge.es.all import Relu as AllRelu
from ge.es.math import Add, BatchMatMul, Cast, Concat, Const, GEMM, If, MatMul, Split
from ge.es.nn import BatchNorm, Relu
from ge.graph import DataType, Format, Graph
from ge.ir import Value

def branch(name: str) -> Graph:
    inner = GraphBuilder(name)
    return inner.build_and_reset([Relu(inner.create_input(0))])

builder = GraphBuilder("fused")
a, b, c = builder.create_inputs(3)
alpha = builder.create_const_float(1.0)
made = assert_type(GEMM(a, b, c, alpha, 1.0, transpose_a=True), TensorHolder)
made.set_shape([2, 3]).set_data_type(DataType.DT_FLOAT).set_format(Format.FORMAT_ND)
parts = assert_type(Split(1, made, 2, num_split=2), list[TensorHolder])
joined = assert_type(Concat(1, parts, N=2), TensorHolder)
assert_type(Concat(1, [a, 2.0], N=2), TensorHolder)
with attr_scope({"_stream_label": "first"}):
    total = assert_type(Relu(joined) + 1.0 - 2 * a, TensorHolder)
assert_type(MatMul(a, b, None, transpose_x1=False), TensorHolder)
assert_type(Add(1, a), TensorHolder)
assert_type(AllRelu(a), TensorHolder)
assert_type(Const(builder, value=[1.0]), TensorHolder)
assert_type(Cast(a, dst_type=DataType.DT_FLOAT16), TensorHolder)
normal = BatchNorm(a, b, c)
assert_type(normal.y, TensorHolder)
both = assert_type(If(a, [b], 1, branch("then"), branch("else")), list[TensorHolder])
graph = assert_type(builder.build_and_reset([total, *both]), Graph)

def same_in_values(x: Value) -> Value:
    return assert_type(Relu(Add(x, 1.0)), Value)
"""
GE_WRONG = """\
from ge.es import GraphBuilder
from ge.es.math import Add, Split, MatMul
from ge.es.nn import Relu
x = GraphBuilder("g").create_input(0)
Relu()
Split(0, x, num_split=2)
MatMul(x, x, transpose_x9=True)
Relu(x).sett_shape([1])
GraphBuilder("g").create_input("0")
"""


@pytest.mark.slow
@with_stubs
@pytest.mark.parametrize(
    ("text", "lines"),
    [(ONNX_STYLE, []), (ONNX_WRONG, [2, 3, 4, 5, 6]), (GE_STYLE, []), (GE_WRONG, [5, 6, 7, 8, 9])],
    ids=["onnx", "onnx-wrong", "ge", "ge-wrong"],
)
def test_a_type_checker_knows_the_builders(tmp_path: Path, text: str, lines: list[int]) -> None:
    program = tmp_path / "program.py"
    program.write_text(text)
    said = complaints(program)
    assert sorted(said) == lines, said


@pytest.mark.parametrize("text", [ONNX_STYLE, GE_STYLE], ids=["onnx", "ge"])
def test_what_the_type_checker_accepts_runs(text: str) -> None:
    exec(compile(text, "program", "exec"), {"__name__": "program"})
