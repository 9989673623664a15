"""Mistakes of a user who has not read the documentation: the message gives the fault and the correction.

The traceback ends at the line with the mistake.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import ge.es
from ge import ir, ops
from ge.es import GraphBuilder
from ge.es import onnx as op
from ge.es.math import Add, Concat, If, MatMul
from ge.graph import DataType


@pytest.fixture
def b() -> Iterator[ge.es.Builder]:
    with ge.es.builder("g", opset=21) as b:
        yield b


def shape(b: ge.es.Builder) -> Any:
    return b.input("x", (2, 3), ir.f32)


def image(b: ge.es.Builder) -> Any:
    return b.input("image", ("N", 3, 8, 8), ir.f32)


def branch_of_holder(x: Any) -> Any:
    return If(x, [], 1, lambda: x, lambda: x)


def value_of_a_body(b: Any) -> Any:
    kept = []

    def body(i: Any, go_on: Any, x: Any) -> list[Any]:
        kept.append(x * 2)
        return [go_on, x]

    op.Loop(3, True, [shape(b)], body=body)
    return kept[0]


# The code, the class of its error, and a pattern that the message must match.
MISTAKES: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "shapes": (
        lambda b: shape(b) @ shape(b),
        ir.VerifyError,
        r"operand 1 'B' \(f32\[2, 3\]\) has 2 rows, but operand 0 'A' .* has 3 columns",
    ),
    "element types": (
        lambda b: shape(b) + b.input("i", (2, 3), ir.i64),
        ir.VerifyError,
        "another element type than operand 0 .* cast one of them",
    ),
    "channels": (
        lambda b: op.Conv(image(b), np.ones((4, 5, 3, 3), np.float32)),
        ir.VerifyError,
        "has 3 channels, but operand 1 'W' .* is for 5",
    ),
    "no list": (
        lambda b: op.Concat(shape(b), shape(b), axis=0),
        ops.BindError,
        r"passed as positional \(the tensors of 'inputs' are one list\)",
    ),
    "no list, too many": (
        lambda b: op.Max(shape(b), shape(b)),
        ops.BindError,
        r"at most 1, got 2 \(the tensors of 'data_0' are one list\)",
    ),
    "attribute by position": (
        lambda b: op.Softmax(shape(b), 1),
        ops.BindError,
        "keyword-only argument 'axis' passed as positional",
    ),
    "other library's keyword": (
        lambda b: op.Softmax(shape(b), dim=1),
        ops.BindError,
        "unexpected keyword 'dim' .did you mean 'axis'",
    ),
    "other library's name": (
        lambda b: op.BatchNorm(shape(b)),
        AttributeError,
        "did you mean 'BatchNormalization' or 'ge.es.nn.BatchNorm'",
    ),
    "lower case": (lambda b: op.conv(shape(b)), AttributeError, "did you mean 'Conv'"),
    "newer operator": (
        lambda b: b.onnx.at(9).GridSample(1, 1),
        AttributeError,
        "at opset 9: it came with 16",
    ),
    "index": (lambda b: shape(b)[5], IndexError, "index 5 is out of range: axis 0 of .* has 2"),
    "input without dtype": (
        lambda b: b.input("y", (2, 3)),
        TypeError,
        r"input 'y' needs a dtype beside its shape: b.input\('y', \(2, 3\), ir.f32\)",
    ),
    "dtype": (lambda b: b.input("y", (2,), "flaot32"), ValueError, "did you mean 'float32'"),
    "dtype of torch": (lambda b: b.input("y", (2,), "float"), ValueError, "did you mean 'float32'"),
    "branch with arguments": (
        lambda b: op.If(True, then_branch=lambda x: [x], else_branch=lambda: [1]),
        TypeError,
        r"'then_branch' takes 1 arguments \(x\), but the operator gives it 0",
    ),
    "branches differ": (
        lambda b: op.If(True, then_branch=lambda: [1], else_branch=lambda: [1, 2]),
        ir.VerifyError,
        r"onnx::If\(\): 'then_branch' gives 1 results, but 'else_branch' 2",
    ),
    "branch without a result": (
        lambda b: op.If(True, then_branch=lambda: [1], else_branch=lambda: None),
        ir.VerifyError,
        r"onnx::If\(\): 'else_branch' gives no result; it needs one",
    ),
    "element type of an operand": (
        lambda b: op.Sqrt(b.input("i", (4,), ir.i64)),
        ir.VerifyError,
        r"operand 0 'X' \(i64\[4\]\) must be f32, f16, bf16 or f64",
    ),
    "condition as index": (
        lambda b: shape(b)[shape(b) > 0],
        ir.VerifyError,
        r"operand 1 'indices' \(bool\[2, 3\]\) must be i32 or i64",
    ),
    "element types of one variable": (
        lambda b: op.Conv(image(b), b.input("w", (4, 3, 3, 3), ir.f64)),
        ir.VerifyError,
        r"operand 1 'W' \(f64.*\) has another element type than operand 0 'X' .* cast one of them",
    ),
    "element type of a result": (
        lambda b: op.RandomNormal(shape=[2], dtype=ir.i32),
        ir.VerifyError,
        "result 0 'output' would be i32; it must be f32, f16 or f64",
    ),
    "word of an attribute": (
        lambda b: op.Resize(image(b), scales=[1, 1, 2, 2], mode="bilinear"),
        ops.BindError,
        "'mode' expects one of 'nearest', 'linear', 'cubic', got str 'bilinear'",
    ),
    "two values of a constant": (
        lambda b: op.Constant(value=1, value_int=2),
        ir.VerifyError,
        "has the attributes value and value_int; it needs one of them",
    ),
    "carried value": (
        lambda b: op.Loop(3, True, [shape(b)], body=lambda i, c, x: [c, x > 0]),
        ir.VerifyError,
        r"carried value 0 is f32\[2, 3\] at first, and bool\[2, 3\] after a round",
    ),
    "value of a body": (
        lambda b: value_of_a_body(b) + 1,
        ir.VerifyError,
        r"operand 0 is a result of node '.*' \(onnx.Mul\), which is in graph 'body'; from graph 'g' only its own",
    ),
    "truth of a condition": (
        lambda b: 1 if shape(b) > 0 else 2,
        TypeError,
        "is true is known when the graph runs, not while it is built: use If, Loop or Where",
    ),
    "name of a node": (
        lambda b: op.Identity(shape(b), name="here"),
        ops.BindError,
        "unexpected keyword 'name' .did you mean '_name'",
    ),
    "other library's name in GE": (
        lambda b: ge.es.math.ReLU(shape(b)),
        AttributeError,
        "ge.es.math has no operator 'ReLU'; did you mean 'Relu'",
    ),
    "loop without condition": (
        lambda b: op.Loop(3, True, [shape(b)], body=lambda i, c, x: [x]),
        ir.VerifyError,
        "'body' has 1 outputs, but needs 2 at least: the condition, then one for each of the 1",
    ),
    "loop without argument": (
        lambda b: op.Loop(3, True, [shape(b)], body=lambda i, c: [c]),
        TypeError,
        r"'body' takes 2 arguments \(i, c\), but the operator gives it 3: tensor<i64>",
    ),
    "number of results": (
        lambda b: op.Split(shape(b)),
        ops.BindError,
        "missing required argument '_outputs': how many results",
    ),
    "two builders": (
        lambda b: Add(GraphBuilder("a").create_input(0), GraphBuilder("b").create_input(0)),
        ValueError,
        "tensors from different GraphBuilders",
    ),
    "GE keyword": (
        lambda b: MatMul(shape(b), shape(b), transpose=True),
        ops.BindError,
        "did you mean 'transpose_x1'",
    ),
    "GE, no list": (
        lambda b: Concat(0, GraphBuilder("a").create_input(0), N=1),
        ops.BindError,
        "argument 'x' .* expects Tensor",
    ),
    "GE, branch of another builder": (
        lambda b: branch_of_holder(GraphBuilder("a").create_input(0)),
        TypeError,
        r"math::If\(\): 'then_branch' gives a TensorHolder; .* takes and gives Values",
    ),
    "name of a dtype": (lambda b: ir.float32, AttributeError, "did you mean 'f32'"),
    "name of bool": (lambda b: ir.bool, AttributeError, "did you mean 'i1'"),
    "name of a class": (lambda b: ir.Tensortype, AttributeError, "did you mean 'TensorType'"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_says_what_is_right(b: ge.es.Builder, name: str) -> None:
    mistake, error, words = MISTAKES[name]
    with pytest.raises(error, match=words):
        mistake(b)


def test_operators_outside_of_a_builder() -> None:
    with ge.es.builder("g") as b:
        x = shape(b)
    for use in (lambda: x + 1, lambda: 2.0 * x, lambda: x @ x, lambda: x < 1):
        with pytest.raises(TypeError, match=r"'Value'.*`with ge.es.builder\(graph=...\):`"):
            use()
    with pytest.raises(TypeError, match="unsupported operand"):
        x + object()


def test_others_may_answer_for_a_value() -> None:
    class Mine:
        def __radd__(self, other: Any) -> str:
            return "mine"

    with ge.es.builder("g") as b:
        x = shape(b)
    assert x + Mine() == "mine"


def test_a_value_that_is_no_condition_is_there(b: ge.es.Builder) -> None:
    x = shape(b)
    assert x
    condition = x > 0
    with pytest.raises(TypeError, match="'is not None'"):
        assert condition and x
    assert condition is not None


def test_integers_are_divided_as_in_python(b: ge.es.Builder) -> None:
    reference = pytest.importorskip("onnx.reference")
    import ge.onnx

    x = b.input("n", (6,), ir.i64)
    b.output(x // 4, name="down")
    b.output(x // -4, name="up")
    data = np.array([-9, -8, -1, 0, 7, 8])
    module = ir.Module()
    module.add_graph(b.graph)
    model = ge.onnx.to_onnx(module)
    down, up = reference.ReferenceEvaluator(model).run(None, {"n": data})
    assert down.tolist() == (data // 4).tolist()
    assert up.tolist() == (data // -4).tolist()


def test_errors_of_operators_end_at_their_line(b: ge.es.Builder) -> None:
    x = shape(b)
    with pytest.raises(ir.VerifyError) as caught:
        x @ x
    assert traceback.extract_tb(caught.value.__traceback__)[-1].line == "x @ x"


def test_errors_in_a_branch_show_its_line(b: ge.es.Builder) -> None:
    x = shape(b)

    def branch() -> list[Any]:
        return [x @ x]

    with pytest.raises(ir.VerifyError) as caught:
        op.If(True, then_branch=branch, else_branch=branch)
    assert traceback.extract_tb(caught.value.__traceback__)[-1].line == "return [x @ x]"


# --- Element types in all forms


@pytest.mark.parametrize(
    "dtype", [ir.f16, "f16", "float16", np.float16, np.dtype("float16"), DataType.DT_FLOAT16]
)
def test_an_element_type_is_accepted_in_all_forms(b: ge.es.Builder, dtype: Any) -> None:
    x = shape(b)
    expected = ir.TensorType((2, 3), ir.f16)
    assert op.Cast(x, to=dtype).type == expected
    assert op.Cast(x, to=dtype).node.attributes["to"] == 10
    assert b.input("y", (2, 3), dtype).type == expected
    assert ir.TensorType((2, 3), dtype) == expected
    assert b.constant([[1, 2, 3]] * 2, dtype).type == expected
    assert ge.es.math.Cast(x, dst_type=dtype).type == expected
    assert op.EyeLike(x, dtype=dtype).type == expected
    assert op.RandomNormal(shape=[2, 3], dtype=dtype).type == expected
    assert ir.Tensor([[1, 2, 3]] * 2, dtype=dtype).type == expected


def test_element_types_of_registered_operators(b: ge.es.Builder) -> None:
    with ops.Library("acme") as library:
        library.define("to(Tensor x, *, ScalarType dtype, ScalarType? other=None) -> Tensor")
        node = ge.es.acme.to(shape(b), dtype=DataType.DT_BF16, other=np.int8).node
        assert dict(node.attributes) == {"dtype": ir.bf16, "other": ir.i8}


def test_a_ge_element_type_is_no_number(b: ge.es.Builder) -> None:
    """A DataType is an int, and its number means another type in ONNX: DT_FLOAT16 is 1, which is ONNX's FLOAT."""
    with pytest.raises(ops.BindError, match="axis"):
        op.Softmax(shape(b), axis=1.5)
    with ops.Library("acme") as library:
        library.define("f(Tensor x, *, float k, int[] ks) -> Tensor")
        with pytest.raises(ops.BindError, match="expects float, got DataType"):
            ge.es.acme.f(shape(b), k=DataType.DT_INT8, ks=[1])


def test_math_and_nn_are_looked_up_in_each_other() -> None:
    from ge.es.math import BatchMatMul, Relu
    from ge.es.nn import Add as SameAdd

    assert Relu is ge.es.nn.Relu
    assert BatchMatMul is ge.es.nn.BatchMatMul
    assert SameAdd is ge.es.math.Add
    with pytest.raises(ImportError):
        from ge.es.math import Nonsense  # noqa: F401
    assert "Relu" not in dir(ge.es.math)
