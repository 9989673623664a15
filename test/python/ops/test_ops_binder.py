"""Calls bind as in seed 001 of the operator registry: tuples, `...`, overloads, and the text of each error.

The schemas and calls are the RFC's. Graph-building functions take attributes by keyword only, wherever the schema has
its `*`, so positional attributes of the RFC are keywords here. Not covered here: the binder's C++ interface, which
test/Unit/binder_test.cpp tests with the seed's calls verbatim.
"""

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ge.es
from ge import ir, ops

SCHEMAS = [
    "topk(Tensor x, int k=1, int axis=-1) -> (Tensor, Tensor)",
    "add(Tensor a, Tensor b) -> Tensor",
    "matmul(Tensor a, Tensor b) -> Tensor",
    "dropout(Tensor x, float p=0.5, *, bool training=True) -> Tensor",
    "blend((Tensor, Tensor) inputs, float alpha=0.5) -> Tensor",
    "video(Tensor(a!) decoder, *, (Tensor, Tensor, Tensor)? mappings=None) -> ()",
    "gap((Tensor, Tensor)? first=None, Tensor? last=None) -> Tensor",
    "split(Tensor x) -> ...",
    "stats(Tensor x) -> (Tensor, Tensor, ...)",
    "pairs((Tensor, Tensor)[] x) -> Tensor",
    # Overloads: the less specific one is registered first.
    "scale.float(Tensor x, float k) -> Tensor",
    "scale.int(Tensor x, int k) -> Tensor",
    "plus.Tensor(Tensor x, Tensor y) -> Tensor",
    "plus.Scalar(Tensor x, *, Scalar y) -> Tensor",
    "pad.list(Tensor x, *, int[2] n) -> Tensor",
    "pad.int(Tensor x, *, int n) -> Tensor",
    "same.first(Tensor x, *, int k) -> Tensor",
    "same.second(Tensor x, *, int k) -> Tensor",
]


@pytest.fixture(autouse=True)
def operators() -> Iterator[Any]:
    with ops.Library("binder") as library:
        for schema in SCHEMAS:
            library.define(schema)
        yield ge.es.binder


@pytest.fixture
def x() -> ir.Value:
    return ir.Graph("g").add_input("x", ir.TensorType((2,), ir.f32))


def reason(call: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(ops.BindError) as caught:
        call(*args, **kwargs)
    error = caught.value
    assert str(error).startswith(f"{error.op}(): {error.reason}\n")
    return error.reason


def test_a_tuple_is_one_argument_and_two_operands(operators: Any, x: ir.Value) -> None:
    y = operators.blend((x, x), alpha=0.25)
    assert (list(y.node.operands), y.node.attributes["alpha"]) == ([x, x], 0.25)
    assert list(operators.blend([x, y]).node.operands) == [x, y]
    assert list(operators.blend(inputs=(x, y)).node.operands) == [x, y]
    assert list(operators.blend(operators.topk(x, k=2)).node.operands)[0].node.op == "binder.topk"
    x.node.graph.verify()


def test_constants_in_a_tuple_become_operands(operators: Any, x: ir.Value) -> None:
    node = operators.blend((x, [1.0, 2.0])).node
    assert node.operands[1].node.op == "ge.Const"
    node = operators.blend((np.ones(2, np.float32), x)).node
    assert node.operands[0].node.op == "ge.Const"
    x.node.graph.verify()


def test_an_absent_tuple_keeps_the_places_of_its_elements(operators: Any, x: ir.Value) -> None:
    assert operators.video(x) is None and operators.video(x, mappings=None) is None
    operators.video(x, mappings=(x, x, x))
    assert [len(n.operands) for n in x.node.graph.nodes] == [1, 1, 4]
    assert list(operators.gap(None, x).node.operands) == [None, None, x]
    assert list(operators.gap((x, x)).node.operands) == [x, x]
    x.node.graph.verify()


def test_part_of_an_optional_tuple_is_refused(operators: Any, x: ir.Value) -> None:
    node = operators.gap((x, x), x).node
    node.operands[1] = None
    with pytest.raises(ir.VerifyError, match="operand 1 'first' is missing"):
        x.node.graph.verify()
    assert reason(operators.video, x, mappings=(x, None, x)) == (
        "argument 'mappings' expects (Tensor, Tensor, Tensor)?, got tuple of 3 whose element 1 is None"
    )


def test_tuples_in_a_list(operators: Any, x: ir.Value) -> None:
    assert len(operators.pairs([(x, x), (x, x)]).node.operands) == 4
    assert "whose element 1 is Value" in reason(operators.pairs, [(x, x), x])


def test_the_signature_shows_tuples_and_outputs(operators: Any) -> None:
    parameters = inspect.signature(operators.blend).parameters
    assert parameters["inputs"].annotation == tuple[ir.Value, ir.Value]
    assert "_outputs" in inspect.signature(operators.split).parameters
    assert inspect.signature(operators.split).return_annotation == list[ir.Value]
    assert "Number of all results" in operators.stats.__doc__


def test_further_results_are_requested_by_their_number(operators: Any, x: ir.Value) -> None:
    assert [v.index for v in operators.split(x, _outputs=3)] == [0, 1, 2]
    assert operators.split(x, _outputs=0) == []
    assert len(operators.split(x, _outputs=1)) == 1
    assert (
        reason(operators.split, x)
        == "missing required argument '_outputs': how many results there are"
    )
    assert len(operators.stats(x)) == 2
    made = operators.stats(x, _outputs=4)
    assert isinstance(made, list) and len(made) == 4
    with pytest.raises(ValueError, match="_outputs is 1; stats.. gives at least 2 results"):
        operators.stats(x, _outputs=1)
    x.node.graph.verify()


@pytest.mark.parametrize(
    ("name", "given", "chosen"),
    [
        ("scale", {"k": 2}, "int"),
        ("scale", {"k": 2.0}, "float"),
        ("scale", {"k": True}, "float"),  # both need a conversion: the first one
        ("plus", {"y": 2}, "Scalar"),
        ("plus", {"y": "x"}, "Tensor"),
        ("plus", {"y": [1.0, 2.0]}, "Tensor"),
        ("pad", {"n": 1}, "int"),
        ("pad", {"n": [1, 2]}, "list"),
        ("same", {"k": 1}, "first"),
    ],
)
def test_the_overload_that_fits_as_it_is_wins(
    operators: Any, x: ir.Value, name: str, given: dict[str, Any], chosen: str
) -> None:
    given = {key: x if item == "x" else item for key, item in given.items()}
    assert getattr(operators, name)(x, **given).node.overload == chosen


def test_no_overload_shows_every_reason(operators: Any, x: ir.Value) -> None:
    with pytest.raises(ops.BindError) as caught:
        operators.scale(x, k="a")
    text = str(caught.value)
    assert "none of 2 overloads takes these arguments" in text
    assert "argument 'k' expects float, got str 'a'" in text
    assert "argument 'k' expects int, got str 'a'" in text


# Schema, operands and keyword attributes of the RFC's call, and the attributes that it binds.
EXAMPLES: dict[str, tuple[str, tuple[Any, ...], dict[str, Any], dict[str, Any]]] = {
    "defaults and keywords": (
        "nms(Tensor boxes, Tensor scores, float iou=0.5, int topk=-1, *, bool normalized=False) -> Tensor",
        ("x", "y"),
        {"topk": 200},
        {"iou": 0.5, "topk": 200, "normalized": False},
    ),
    "defaults alone": (
        "roi_align(Tensor x, Tensor rois, int pooled_h=7, int pooled_w=7) -> Tensor",
        ("x", "y"),
        {},
        {"pooled_h": 7, "pooled_w": 7},
    ),
    "some of many": (
        "topk(Tensor x, int k=1, int axis=-1, bool largest=True, bool sorted=True) -> (Tensor, Tensor)",
        ("x",),
        {"k": 5, "sorted": False},
        {"k": 5, "axis": -1, "largest": True, "sorted": False},
    ),
    "keyword-only": (
        "softmax(Tensor x, int axis=-1, *, bool use_cudnn=True) -> Tensor",
        ("x",),
        {"axis": 1, "use_cudnn": False},
        {"axis": 1, "use_cudnn": False},
    ),
    "an optional attribute": (
        "clamp(Tensor x, float? min=None, float? max=None) -> Tensor",
        ("x",),
        {"max": 0.0},
        {"min": None, "max": 0.0},
    ),
    "a tuple": (
        "blend((Tensor, Tensor) inputs, float alpha=0.5) -> Tensor",
        (("x", "y"),),
        {"alpha": 0.25},
        {"alpha": 0.25},
    ),
    "an absent tuple": (
        "add_video_stream(Tensor(a!) decoder, *, (Tensor, Tensor, Tensor)? custom_frame_mappings=None) -> ()",
        ("x",),
        {"custom_frame_mappings": None},
        {},
    ),
    "a write": (
        "normalize_(Tensor(a!) x, float eps=1e-5) -> Tensor(a!)",
        ("x",),
        {"eps": 0.125},
        {"eps": 0.125},
    ),
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_calls_of_the_seed_bind(x: ir.Value, example: str) -> None:
    schema, given, keywords, attributes = EXAMPLES[example]
    graph = x.node.graph
    values = {"x": x, "y": graph.add_input("y", x.type)}

    def tensors(item: Any) -> Any:
        return tuple(map(tensors, item)) if isinstance(item, tuple) else values[item]

    with ops.Library("seed001") as library:
        record = library.define(schema)
        getattr(ge.es.seed001, record.name)(*map(tensors, given), **keywords)
        (node,) = [n for n in graph.nodes if n.op == f"seed001.{record.name}"]
        flat = given[0] if isinstance(given[0], tuple) else given
        assert list(node.operands) == [values[name] for name in flat]
        bound = {p.name: node.attributes.get(p.name, p.default) for p in record.attributes}
        assert bound == attributes
        graph.verify()


def test_errors_are_those_of_the_seed(operators: Any, x: ir.Value) -> None:
    assert reason(operators.add, x, x, axis=1) == "unexpected keyword 'axis'"
    assert reason(operators.topk, x, 5, k=3) == "argument 'k' specified twice"
    assert reason(operators.matmul, x) == "missing required argument 'b'"
    assert (
        reason(operators.dropout, x, 0.2, False) == "keyword-only argument 'p' passed as positional"
    )


def test_the_first_wrong_argument_is_named(operators: Any, x: ir.Value) -> None:
    assert (
        reason(operators.blend, x)
        == "argument 'inputs' (position 1) expects (Tensor, Tensor), got Value"
    )
    assert reason(operators.blend, (x, "a")) == (
        "argument 'inputs' (position 1) expects (Tensor, Tensor), got tuple of 2 whose element 1 is str 'a'"
    )
    assert reason(operators.blend, (x,)).endswith("got tuple of 1")
    assert reason(operators.topk, x, k="a", axis="b") == "argument 'k' expects int, got str 'a'"
    assert reason(operators.topk, x, axis="b", k="a") == "argument 'k' expects int, got str 'a'"
    with pytest.raises(ops.BindError) as caught:
        operators.topk(x, axis="b", k="a")
    assert (caught.value.op, caught.value.argument) == ("binder::topk", "k")


@pytest.mark.parametrize("huge", [10**400, -(10**400)], ids=["large", "small"])
def test_an_int_that_no_float_can_hold_is_named(huge: int) -> None:
    with ops.Library("binder_huge") as lib:
        lib.define("scale(Tensor x, float a=1.0, float[] b=[1.0], float? c=None, complex d=1.0) -> Tensor")  # fmt: skip
        lib.impl("scale", "cpu", lambda x, a, b, c, d: x * a, as_="numpy")
        x = np.ones(2)
        for name, value in {"a": huge, "b": [1, huge], "c": huge, "d": huge}.items():
            with pytest.raises(ops.BindError, match=rf"argument '{name}' expects (float|complex)"):
                ops.call.binder_huge.scale(x, **{name: value})
        assert ops.call.binder_huge.scale(x, 2**70).tolist() == [2.0**70] * 2
