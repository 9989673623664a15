"""Builder calls: declared types, location and insertion point, attributes and values of a vendor's classes."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest

import ge.es
import ge.ir as ir
import ge.ops as ops
from ge.es import onnx as op
from ge.ir import _attrs
from ge.ops import _op_view, _value_casters
from ge.passes import p

F32 = ir.TensorType(("N", 3), ir.f32)
HANDLE = ir.OpaqueType("!cast.handle<3>")


@pytest.fixture
def x() -> Any:
    return ir.Graph("g").add_input("x", F32)


def test_signatures_end_with_loc_and_ip() -> None:
    names = list(inspect.signature(op.Split).parameters)
    assert names[-5:] == ["_outputs", "_result_types", "_name", "_loc", "_ip"]


def test_declared_types_meet_inference(x: Any) -> None:
    assert op.Relu(x, _result_types=ir.TensorType((4, None), ir.f32)).type == ir.TensorType(
        (4, 3), ir.f32
    )
    assert op.Relu(x, _result_types=[ir.UnknownType()]).type == F32
    halves = op.Split(x, axis=1, _result_types=[ir.TensorType((None, 2), ir.f32), None])
    assert len(halves) == 2 and str(halves[0].type) == 'tensor<?x2xf32, {dims = ["N", ""]}>'
    top = op.TopK(x, [1], _result_types=[None, ir.TensorType((5, 1), ir.i64)])
    assert top.Indices.type.shape == (5, 1)


def test_a_declared_type_that_contradicts_makes_no_node(x: Any) -> None:
    graph = x.node.graph
    before = str(graph)
    with pytest.raises(
        ir.VerifyError, match=r"result 0 is declared as f32\[4, 5\], but inferred as f32\[N, 3\]"
    ):
        op.Relu(x, _result_types=ir.TensorType((4, 5), ir.f32))
    with pytest.raises(
        ValueError, match="_result_types has 2 elements; the number of results is 1"
    ):
        op.Relu(x, _result_types=[None, None])
    with pytest.raises(TypeError, match="_result_types must be a Type or a sequence"):
        op.Relu(x, _result_types="f32")
    with pytest.raises(TypeError, match="an element of _result_types must be a Type or None"):
        op.Relu(x, _result_types=[ir.f32])
    with pytest.raises(TypeError, match="did you mean '_result_types'"):
        op.Relu(x, result_types=F32)
    other = ir.TensorType((2,), ir.f32, context=ir.Context())
    with pytest.raises(ValueError, match="of one context used in another"):
        op.Relu(x, _result_types=other)
    assert str(graph) == before


def test_types_of_operators_with_subgraphs(x: Any) -> None:
    graph = x.node.graph
    condition = graph.add_input("c", ir.TensorType((), ir.i1))
    declared = ir.TensorType((7, 3), ir.f32)
    bodies: dict[str, Any] = {"then_branch": lambda: op.Neg(x), "else_branch": lambda: op.Abs(x)}
    (y,) = op.If(condition, **bodies, _result_types=declared)
    assert y.type == declared
    count = len(graph.nodes)
    with pytest.raises(ir.VerifyError, match="contradicts"):
        op.If(condition, **bodies, _result_types=ir.TensorType((7, 4), ir.f32))
    with pytest.raises(ValueError, match="_result_types has 2 elements"):
        op.If(condition, **bodies, _result_types=[None, None])
    assert len(graph.nodes) == count


def test_the_place_of_a_node(x: Any) -> None:
    graph = x.node.graph
    last = op.Relu(x)
    first = op.Add(x, 1.0, _ip=ir.InsertionPoint.before(last.node))
    assert [n.op for n in graph.nodes] == ["ge.Const", "onnx.Add", "onnx.Relu"]
    with ir.InsertionPoint.before(first.node):
        op.Neg(x, _ip=graph)
    assert graph.nodes[-1].op == "onnx.Neg"
    with pytest.raises(TypeError, match="ip must be an InsertionPoint, a Graph or None"):
        op.Neg(x, _ip=last)
    with pytest.raises(ValueError, match="of another graph"):
        op.Neg(x, _ip=ir.Graph("other"))


def test_operators_by_name_take_the_same(x: Any) -> None:
    graph = x.node.graph
    last = op.Relu(x)
    made = p.op("unknown.Op")(
        x, _result_types=F32, _name="mine", _ip=ir.InsertionPoint.before(last.node)
    )
    assert (made.type, made.node.name, graph.nodes[0]) == (F32, "mine", made.node)
    a, b = p.op("unknown.Op")(x, _result_types=[F32, None], _ip=graph)
    assert (a.type, b.type) == (F32, ir.UnknownType())


def test_cann_style_takes_types_but_no_place() -> None:
    from ge.es.graph_builder import GraphBuilder

    builder = GraphBuilder("g")
    holder = builder.create_input(0)
    made = ge.es.math.Abs(holder, _result_types=F32)
    assert builder.build_and_reset([made]).nodes[-1].result.type == F32
    builder = GraphBuilder("h")
    with pytest.raises(ValueError, match="Abs.*_ip: .* appends to the builder's graph"):
        ge.es.math.Abs(builder.create_input(0), _ip=ir.Graph("k"))


# --- attribute builders and value casters ---------------------------------------------------------


@dataclass(frozen=True)
class Quant:
    scale: int
    zero: int


class Pair(NamedTuple):
    left: int
    right: int


class Mode(enum.Enum):
    FAST = 1


@pytest.fixture
def tables() -> Iterator[None]:
    saved = dict(_attrs.attribute_builders), dict(_value_casters._casters), dict(_op_view._views)
    yield
    now = _attrs.attribute_builders, _value_casters._casters, _op_view._views
    for table, before in zip(now, saved, strict=True):
        table.clear()
        table.update(before)  # type: ignore[arg-type]


@pytest.fixture
def library(tables: None) -> Iterator[ops.Library]:
    with ops.Library("cast") as library:
        library.define("Quantize(Tensor x, *, ValueType scheme, str mode='slow') -> Tensor y")
        library.define("Use(Tensor h, Tensor[] rest) -> Tensor y")

        @ir.register_attribute_builder(Quant)
        def quant(value: Quant, context: ir.Context) -> Any:
            return ir.OpaqueType(f"#cast.quant<{value.scale}, {value.zero}>", context=context)

        @ir.register_attribute_builder(Mode)
        def mode(value: Mode, context: ir.Context) -> Any:
            return value.name.lower()

        yield library


def test_objects_become_attributes_wherever_one_is_taken(library: ops.Library) -> None:
    context = ir.Context()
    scheme = ir.OpaqueType("#cast.quant<1, 2>", context=context)
    graph = ir.Graph("g", context=context)
    x = graph.add_input("x", ir.TensorType((2,), ir.f32, context=context))
    y = ge.es.cast.Quantize(x, scheme=Quant(1, 2), mode=Mode.FAST)
    assert dict(y.node.attributes) == {"scheme": scheme, "mode": "fast"}
    made = graph.add_node("cast.Quantize", [x], {"scheme": Quant(1, 2)}, result_types=[x.type])
    made.attributes["all"] = [Quant(1, 2), Quant(3, 4)]
    made.attributes["named"] = {"one": Quant(5, 6)}
    assert made.attributes["scheme"] == made.attributes["all"][0] == scheme
    assert made.attributes["named"]["one"].payload == "#cast.quant<5, 6>"
    made.view.scheme = Quant(7, 8)
    assert "scheme = #cast.quant<7, 8>" in str(graph)
    assert ir.Graph.parse(str(graph)).nodes[1].view.scheme.payload == "#cast.quant<7, 8>"


def test_a_builder_goes_before_the_class_below(x: Any, tables: None) -> None:
    node = x.node.graph.add_node("cast.X", [], {"pair": Pair(1, 2)}, result_types=[])
    assert node.attributes["pair"] == (1, 2)
    ir.register_attribute_builder(Pair)(lambda pair, context: {"left": pair.left})
    node.attributes["pair"] = Pair(1, 2)
    assert node.attributes["pair"] == {"left": 1}


def test_builders_that_fail_and_registrations_that_cannot_be(x: Any, tables: None) -> None:
    ir.register_attribute_builder(Mode)(lambda mode, context: mode)
    node = x.node.graph.add_node("cast.X", [], result_types=[])
    with pytest.raises(RecursionError, match="maximum recursion depth"):
        node.attributes["m"] = Mode.FAST
    with pytest.raises(RecursionError, match="maximum recursion depth"):
        op.Relu(Mode.FAST)
    ir.register_attribute_builder(Quant)(lambda quant, context: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        node.attributes["q"] = Quant(1, 2)
    assert not node.attributes

    def another(quant: Quant, context: Any) -> Any:
        return None

    with pytest.raises(ValueError, match="attributes of Quant are made by"):
        ir.register_attribute_builder(Quant)(another)
    for wrong in (int, object, ir.Tensor, ir.ArrayAttr):
        with pytest.raises(TypeError, match="are attributes already"):
            ir.register_attribute_builder(wrong)
    with pytest.raises(TypeError, match="takes a class"):
        ir.register_attribute_builder("Quant")  # type: ignore[arg-type]


def test_values_in_views_are_of_the_vendors_class(library: ops.Library) -> None:
    @ops.register_value_caster("!cast.handle")
    class Handle(ops.ValueView):
        @property
        def slots(self) -> int:
            return int(self.type.payload[len("!cast.handle<") : -1])

    graph = ir.Graph("g")
    h = graph.add_input("h", HANDLE)
    x = graph.add_input("x", F32)
    node = graph.add_node("cast.Use", [h, h, x], result_types=[HANDLE])
    view = node.view
    assert isinstance(view.h, Handle) and view.h.slots == 3 and view.h.value is h
    assert view.h == view.rest[0] == ops.cast_value(h) != view.y and view.rest[1] is x
    assert len({view.h, view.rest[0], view.y}) == 2
    view.rest = [view.y, x]
    view.h = view.rest[0]
    assert list(node.operands) == [node.result, node.result, x]
    node.operands = [h, h]
    assert ops.cast_value(x) is x and ops.cast_value(None) is None
    for wrong in ("cast.handle", "!cast", "!cast.handle<3>", int, 3):
        with pytest.raises(TypeError, match="register_value_caster takes"):
            ops.register_value_caster(wrong)
    with pytest.raises(ValueError, match=r"!cast.handle has the caster .*Handle already"):
        ops.register_value_caster("!cast.handle")(ops.ValueView)
    ops.register_value_caster(ir.TensorType)(lambda value: ("tensor", value))
    assert node.view.rest == (Handle(h),) and ops.cast_value(x) == ("tensor", x)
