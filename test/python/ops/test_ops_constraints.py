"""Builders and ``verify`` enforce the constraints on attributes and element types that Python code declares.

Ranges, choices and type variables of `Library.define` and `ge.ops.op`. Not covered here: those of ONNX's and GE's own
tables (test_ops_registry.py).
"""

import math
from collections.abc import Iterator
from typing import Any

import pytest

import ge.es
from ge import ir, ops


@pytest.fixture
def library() -> Iterator[ops.Library]:
    with ops.Library("held") as made:
        yield made


@pytest.fixture
def x() -> ir.Value:
    return ir.Graph("g").add_input("x", ir.TensorType((2,), ir.f32))


def reason(call: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(ops.BindError) as caught:
        call(*args, **kwargs)
    return str(caught.value.reason)


def fault(value: ir.Value, **attributes: Any) -> str:
    """Set these attributes and return the error of ``verify``."""
    for name, attribute in attributes.items():
        value.node.attributes[name] = attribute
    with pytest.raises(ir.VerifyError) as caught:
        value.node.graph.verify()
    return str(caught.value)


def test_ranges_are_held(library: ops.Library, x: ir.Value) -> None:
    record = library.define(
        "f(Tensor x, *, float k=0.5, int n=1, float[] many=[0.0]) -> Tensor",
        ranges={
            "k": ops.Range(at_least=0.0, at_most=1.0),
            "n": ops.Range(at_least=1),
            "many": ops.Range(at_most=0.1),
        },
    )
    assert [p.range for p in record.params] == [
        None,
        ops.Range(at_least=0.0, at_most=1.0),
        ops.Range(at_least=1.0),
        ops.Range(at_most=0.1),
    ]
    f = ge.es.held.f
    assert reason(f, x, k=1.5) == "argument 'k' expects float between 0.0 and 1.0, got float 1.5"
    assert (
        reason(f, x, k=math.nan) == "argument 'k' expects float between 0.0 and 1.0, got float nan"
    )
    assert reason(f, x, n=0) == "argument 'n' expects int at least 1, got int 0"
    assert reason(f, x, many=[0.0, 2.0]).startswith("argument 'many' expects float[] at most 0.1")
    y = f(x, k=1.0, n=9, many=[0.1, -5.0])  # 0.1 as f32 is above 0.1 as f64
    y.node.graph.verify()
    assert "attribute 'k' is 2.0 : f32; it must be between 0.0 and 1.0" in fault(y, k=2.0)
    assert "attribute 'many'" in fault(y, k=1.0, many=[0.0, 0.2])
    assert "Between 0 and 1." in f.__doc__


def test_open_bounds_are_outside(library: ops.Library, x: ir.Value) -> None:
    record = library.define(
        "f(Tensor x, *, float p=0.5, int n=1) -> Tensor",
        ranges={"p": ops.Range(at_least=0.0, below=0.1 + 0.9), "n": ops.Range(above=0)},
    )
    assert [p.range for p in record.params[1:]] == [
        ops.Range(at_least=0.0, below=1.0),
        ops.Range(above=0.0),
    ]
    f = ge.es.held.f
    assert (
        reason(f, x, p=1.0)
        == "argument 'p' expects float at least 0.0 and below 1.0, got float 1.0"
    )
    assert reason(f, x, n=0) == "argument 'n' expects int above 0, got int 0"
    y = f(x, p=0.0, n=1)
    y.node.graph.verify()
    assert "attribute 'p' is 1.0 : f32; it must be at least 0.0 and below 1.0" in fault(y, p=1.0)
    assert "attribute 'n' is 0" in fault(y, p=0.0, n=0)
    with pytest.raises(ops.OpSchemaError, match="the default of 'k' is 0.0; it must be above 0.0"):
        library.define("g(Tensor x, *, float k=0.0) -> Tensor", ranges={"k": ops.Range(above=0)})


def test_a_bound_is_kept_as_it_was_given(library: ops.Library) -> None:
    ranges = [
        ops.Range(at_least=5e-324),
        ops.Range(at_least=0.1 + 0.2, at_most=1.0),
        ops.Range(above=0.1 + 0.2, below=1e300),
        ops.Range(at_most=math.nextafter(1.0, 0.0)),
    ]
    for number, given in enumerate(ranges):
        record = library.define(
            f"k{number}(Tensor x, *, float p=0.5) -> Tensor", ranges={"p": given}
        )
        (kept,) = [p.range for p in record.params if p.range is not None]
        assert (kept, str(kept)) == (given, str(given))


def test_a_default_is_inside_its_range(library: ops.Library) -> None:
    with pytest.raises(
        ops.OpSchemaError, match="the default of 'k' is 0.0; it must be between 1.0 and 2.0"
    ):
        library.define("f(Tensor x, *, float k=0.0) -> Tensor", ranges={"k": ops.Range(1, 2)})
    with pytest.raises(ops.OpSchemaError, match="'x' is an operand; only attributes have ranges"):
        library.define("f(Tensor x) -> Tensor", ranges={"x": ops.Range(1, 2)})
    with pytest.raises(ValueError, match="ranges: there is no parameter 'y'"):
        library.define("f(Tensor x) -> Tensor", ranges={"y": ops.Range(1, 2)})


def test_ranges_that_mean_nothing() -> None:
    for bounds in (
        {},
        {"at_least": math.nan},
        {"at_least": 2, "at_most": 1},
        {"above": 1, "at_most": 1},
        {"above": 1, "at_least": 0},
    ):
        with pytest.raises(ValueError, match=r"range needs|is NaN|no number|not both"):
            ops.Range(**bounds)
    assert 1 in ops.Range(at_least=1) and math.nan not in ops.Range(at_least=1)
    assert 1 not in ops.Range(above=1) and 1 not in ops.Range(below=1)
    assert str(ops.Range(at_most=3)) == "at most 3"
    assert str(ops.Range(above=0, at_most=1)) == "above 0 and at most 1"


def test_choices_are_held(library: ops.Library, x: ir.Value) -> None:
    record = library.define(
        'f(Tensor x, *, str mode="linear", int n=1, int[] axes=[0, 1], float k=0.5) -> Tensor',
        choices={
            "mode": ["linear", 'cu"bic'],
            "n": (1, 2),
            "axes": [[0, 1], [1, 0]],
            "k": [0.5, 0.1],
        },
    )
    assert record.params[1].choices == ("linear", 'cu"bic')
    f = ge.es.held.f
    y = f(x, mode='cu"bic', n=2, axes=[1, 0], k=0.1)
    y.node.graph.verify()
    assert reason(f, x, mode="area").startswith(
        "argument 'mode' expects one of 'linear', 'cu\"bic', got"
    )
    assert reason(f, x, n=3) == "argument 'n' expects one of 1, 2, got int 3"
    assert reason(f, x, axes=[1, 1]).startswith("argument 'axes' expects one of [0, 1], [1, 0]")
    assert reason(f, x, k=0.7) == "argument 'k' expects one of 0.5, 0.1, got float 0.7"
    assert "attribute 'k' is 0.7" in fault(y, k=0.7)
    assert "attribute 'mode'" in fault(y, k=0.5, mode="area")
    assert "attribute 'axes'" in fault(y, mode="linear", axes=[1, 1])
    with pytest.raises(TypeError, match="those of 'mode' are a sequence"):
        library.define("g(Tensor x, *, str mode) -> Tensor", choices={"mode": "linear"})


def test_type_variables_are_held(library: ops.Library, x: ir.Value) -> None:
    record = library.define(
        "f(Tensor x, Tensor y, Tensor i) -> (Tensor, Tensor out)",
        docs={"x": "What is read."},
        type_vars={"T": ["f32", ir.f16], "I": ["tensor(int64)"], "Any": []},
        types={"x": "T", "y": "T", "i": "I", 0: "T", "out": "Any"},
    )
    assert [v.allowed for v in record.type_vars] == [
        ("tensor(float)", "tensor(float16)"),
        ("tensor(int64)",),
        (),
    ]
    assert [p.type_var.name for p in record.params] == ["T", "T", "I"]
    assert [r.type_var.name for r in record.results] == ["T", "Any"]
    assert record.params[0].doc == "What is read."
    graph = x.node.graph
    i = graph.add_input("i", ir.TensorType((2,), ir.i64))
    h = graph.add_input("h", ir.TensorType((2,), ir.f16))
    ge.es.held.f(x, x, i)
    with pytest.raises(ir.VerifyError, match="operand 0 'x'.* must be f32 or f16"):
        ge.es.held.f(i, x, i)
    with pytest.raises(
        ir.VerifyError, match="operand 1 'y'.* has another element type than operand 0 'x'"
    ):
        ge.es.held.f(x, h, i)
    with pytest.raises(ValueError, match="f33"):
        library.define("g(Tensor x) -> Tensor", type_vars={"T": ["f33"]})
    with pytest.raises(ValueError, match="types: there is no type variable 'U'"):
        library.define("g(Tensor x) -> Tensor", types={"x": "U"})
    with pytest.raises(ValueError, match="types: there is no result 1"):
        library.define("g(Tensor x) -> Tensor", type_vars={"T": []}, types={1: "T"})


def test_the_error_of_a_library_that_dies_with_it_arrives() -> None:
    """Closing the library runs Python code, which drops cached builder functions and must not lose the error."""
    with ops.Library("kept") as kept:
        kept.define("same(Tensor x) -> Tensor")
        assert ge.es.namespace("kept").same
    with pytest.raises(ir.OpSchemaError, match="trait 'pure' contradicts operand 'x'"):
        ops.Library("dies_early").define("w(Tensor(a!) x) -> Tensor(a!)", traits=["pure"])


def test_choices_that_mean_nothing(library: ops.Library) -> None:
    with pytest.raises(
        ops.OpSchemaError, match='the default of \'mode\' is "z"; it must be one of "a", "b"'
    ):
        library.define('f(Tensor x, *, str mode="z") -> Tensor', choices={"mode": ["a", "b"]})
    with pytest.raises(ops.OpSchemaError, match="the default of 'axes' is"):
        library.define("f(Tensor x, *, int[] axes=[2]) -> Tensor", choices={"axes": [[0], [1]]})
    with pytest.raises(ValueError, match="those of 'mode' are empty"):
        library.define("f(Tensor x, *, str mode) -> Tensor", choices={"mode": []})
    for name, schema, values in (
        ("a", "str? mode=None", ["a"]),
        ("b", "float mode=1.0", [1.0, 2.0]),
        ("c", "int mode=1", (1, 2)),
    ):
        library.define(f"{name}(Tensor x, *, {schema}) -> Tensor", choices={"mode": values})
