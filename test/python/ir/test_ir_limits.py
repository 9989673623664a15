"""Nesting, names, numbers and shapes work up to their limits; beyond a limit there is a clear error.

Not covered here: many nodes, values, graphs and attributes (test_ir_scale.py).
"""

import pytest
from large_graphs import (
    F32,
    comes_back,  # noqa: F401 - a fixture
)

import ge.ir as ir

MAX_DEPTH = 256


# --- deep ---------------------------------------------------------------------------------------


def nest(depth: int) -> list[ir.Graph]:
    """Return graphs, each nested in the one before."""
    graphs = [ir.Graph("main")]
    while len(graphs) < depth:
        node = graphs[-1].add_node("t.Nest", subgraphs={"body": None}, result_types=[])
        graphs.append(node.subgraphs[0])
    return graphs


def test_subgraphs_nest_as_deep_as_promised_and_no_deeper() -> None:
    graphs = nest(MAX_DEPTH)
    x = graphs[0].add_input("x", F32)
    graphs[-1].add_node("t.Use", [x], name="leaf", result_types=[])
    leaf = graphs[0].find("leaf")
    assert leaf is not None and leaf.graph is graphs[-1]
    text = str(graphs[0])
    assert str(ir.Graph.parse(text)) == text
    assert str(graphs[0].clone()) == text
    graphs[0].verify()
    graphs[0].sort()
    assert sum(1 for _ in graphs[0].walk()) >= MAX_DEPTH
    with pytest.raises(ValueError, match=f"{MAX_DEPTH} deep"):
        graphs[-1].add_node("t.Nest", subgraphs={"body": None})
    assert str(graphs[0]) == text
    # Two graphs that are valid alone may be too deep when nested.
    half, other = nest(MAX_DEPTH // 2 + 1), nest(MAX_DEPTH // 2)
    with pytest.raises(ValueError, match=f"{MAX_DEPTH} deep"):
        half[-1].add_node("t.Nest", subgraphs={"body": other[0]})
    half[-2].add_node("t.Nest", subgraphs={"body": other[0]})
    assert str(half[0]).count("t.Nest") == MAX_DEPTH
    with pytest.raises(ValueError, match=f"{MAX_DEPTH} deep"):
        other[-1].add_node("t.Nest", subgraphs={"body": None})
    # A deeply nested node cannot move to a deeper level.
    outer = half[0].add_node("t.Nest", subgraphs={"body": None}, result_types=[])
    with pytest.raises(ValueError, match=f"{MAX_DEPTH} deep"):
        half[0].nodes[0].move_before(outer.subgraphs[0].add_node("t.End"))
    half[0].nodes[0].erase(force=True)
    with pytest.raises(ir.StaleHandleError):
        other[-1].add_node("t.A")


def test_a_deep_node_moves_up_and_out() -> None:
    graphs = nest(MAX_DEPTH)
    graphs[-2].nodes[0].move_before(graphs[0].nodes[0])
    assert graphs[-1].add_node("t.Nest", subgraphs={"body": None}).subgraphs[0].is_alive
    graphs[0].nodes[1].detach()
    graphs[0].erase_dead_nodes()


@pytest.mark.parametrize("count", [257, 300, 20_000])
def test_regions_nested_too_deep_in_text_are_a_parse_error(count: int) -> None:
    text = '"t.A"() ({\n' * count + '"ge.yield"() : () -> ()\n' + "}) : () -> ()\n" * count
    for whole in (
        "func.func @main() {\n" + text + "return\n}\n",
        "func.func @main() {\n" + text,
        '"t.A"() ({\n' * count,
    ):
        with pytest.raises(ir.ParseError, match=r"\d+:\d+: error") as info:
            ir.Module.parse(whole)
        assert len(str(info.value)) < 10_000


@pytest.mark.parametrize(
    "opening", ["[", "{a = ", "!ge.seq<", "!ge.optional<", "loc(fused[", "((", "<"]
)
@pytest.mark.parametrize("where", ["attribute", "type", "start"])
def test_attributes_and_types_nested_too_deep_in_text_are_a_parse_error(
    opening: str, where: str
) -> None:
    deep = opening * 50_000
    text = {
        "attribute": f'func.func @main() {{ "t.A"() {{k = {deep}',
        "type": f"func.func @main(%x: {deep}",
        "start": deep,
    }[where]
    with pytest.raises(ir.ParseError):
        ir.Module.parse(text)
    with pytest.raises(ir.ParseError):
        ir.Type.parse(deep)


def test_nested_types_and_attributes_end_at_the_limit() -> None:
    kind: ir.Type = F32
    with pytest.raises(ValueError, match="256|deep|levels"):
        for _ in range(MAX_DEPTH + 2):
            kind = ir.SequenceType(kind)
    assert ir.Type.parse(str(kind)) is kind
    graph = ir.Graph("main")
    node = graph.add_node("t.A")
    value: object = (1,)
    # A list of numbers counts as one level or two, so the depth stays a few levels below the limit.
    for _ in range(MAX_DEPTH - 4):
        value = (value,)
    node.attributes["k"] = value
    assert node.attributes["k"] == value
    text = str(graph)
    assert str(ir.Graph.parse(text)) == text
    for _ in range(8):
        value = (value,)
    with pytest.raises((ValueError, RecursionError), match="256|deep|levels|recursion"):
        node.attributes["k"] = value
    for _ in range(100_000):
        value = [value]
    with pytest.raises((ValueError, RecursionError)):
        node.attributes["k"] = value
    while isinstance(value, (list, tuple)):  # freed in a loop: the interpreter would recurse
        value = value[0]


# --- empty --------------------------------------------------------------------------------------


def test_nothing_is_a_graph_too() -> None:
    graph = ir.Graph("main")
    graph.verify()
    graph.sort()
    assert graph.erase_dead_nodes() == 0
    assert not graph.nodes and not graph.inputs and not graph.outputs and not graph.output_names
    assert list(graph.find_all("t.A")) == [] and graph.find("x") is None and graph.find("") is None
    assert str(ir.Graph.parse(str(graph))) == str(graph) == str(graph.clone())
    with pytest.raises(IndexError):
        graph.nodes[0]
    with graph.transaction():
        pass
    module = ir.Module()
    module.verify()
    assert len(module.graphs) == 0
    assert str(ir.Module.parse(str(module))) == str(module)
    assert str(ir.Module.parse("")) == str(ir.Module.parse("module {}"))
    with pytest.raises(ir.ParseError):
        ir.Graph.parse("")


# --- odd ----------------------------------------------------------------------------------------

ODD = [
    "\0",
    "a\0b",
    '"',
    "\\",
    "\n",
    "%x",
    "@x",
    "0",
    "a.b/c:d",
    " ",
    "\u202e",
    "\U0001f600",
    "é",
    "e\u0301",
]
ODD += ["nan", "true", "func.func", "ge.name", "x" * 100_000, "%", "loc", "// c", "#a", "{", "->"]


def test_names_may_be_of_any_characters() -> None:
    graph = ir.Graph(ODD[0])
    for name in ODD:
        value = graph.add_input(name, F32)
        assert value.name == value.node.name == name
        node = graph.add_node("t.A", [value], {name: name}, result_types=F32)
        node.name = name + "!"
        node.result.name = name + "?"
        assert graph.find(name + "!") is node
    graph.outputs = [node.result for node in graph.nodes]
    graph.output_names = ODD
    for options in ({}, {"names": "attr"}):
        text = graph.to_text(**options)
        again = ir.Graph.parse(text)
        assert again.to_text(**options) == text
        assert [node.name for node in again.nodes] == [node.name for node in graph.nodes]
        assert [v.name for v in again.inputs] == ODD
        assert [node.result.name for node in again.nodes] == [name + "?" for name in ODD]
        assert list(again.output_names) == ODD
        assert again.name == graph.name


@pytest.mark.parametrize("name", ["\ud800", "a\udcffb"])
def test_surrogates_are_refused(name: str) -> None:
    """A Python string may contain surrogates, which have no UTF-8 encoding; names in the IR may not."""
    graph = ir.Graph("main")
    node = graph.add_node("t.A")
    tries = [
        lambda: ir.Graph(name),
        lambda: ir.Module(name),
        lambda: graph.add_input(name, F32),
        lambda: graph.add_node("t.B", name=name),
        lambda: graph.add_node(f"t.{name}"),
        lambda: setattr(node, "name", name),
        lambda: setattr(node.result, "name", name),
        lambda: node.attributes.update({name: 1}),
        lambda: node.attributes.update({"k": name}),
        lambda: graph.find(name),
        lambda: ir.OpaqueType(name),
        lambda: ir.TensorType((name,), ir.f32),
        lambda: ir.Location.name(name),
        lambda: ir.Module.parse(name),
    ]
    for attempt in tries:
        with pytest.raises((ValueError, TypeError)):
            attempt()
    assert len(graph.nodes) == 1 and not graph.inputs and not dict(node.attributes)


def test_numbers_end_where_they_end() -> None:
    graph = ir.Graph("main")
    node = graph.add_node("t.A")
    for value in (2**63, -(2**63) - 1, 10**400, [1, 2**63], [[2**63]], {"k": 2**64}):
        with pytest.raises(OverflowError):
            node.attributes["k"] = value
    for value in (1e39, -1e39, [1.0, 1e300]):
        with pytest.raises(OverflowError):
            node.attributes["k"] = value
    assert "k" not in node.attributes
    for text in (
        "9223372036854775808 : i64",
        "1e400 : f64",
        "1.0e400 : f32",
        "256 : i8",
        "-1 : ui8",
    ):
        with pytest.raises(ir.ParseError):
            ir.Graph.parse(f'func.func @main() {{ "t.A"() {{k = {text}}} : () -> () return }}')


def test_huge_shapes_are_types_but_no_data() -> None:
    huge = ir.TensorType((2**62, 2**62), ir.f32)
    assert huge.shape == (2**62, 2**62)
    assert ir.Type.parse(str(huge)) is huge
    assert huge.num_elements is None
    largest = ir.TensorType((2**63 - 1,), ir.i8)
    assert ir.Type.parse(str(largest)) is largest
    for shape in ((2**63,), (-1,), (-(2**63),), (2**64,), (10**400,)):
        with pytest.raises((ValueError, OverflowError)):
            ir.TensorType(shape, ir.f32)
    for data in (b"", b"\0" * 8):
        with pytest.raises((ValueError, OverflowError, MemoryError)):
            ir.Tensor.from_bytes(data, ir.f32, (2**62, 2**62))
    splat = ir.Tensor.splat(0.5, ir.TensorType((2**20, 2**20), ir.f32))
    graph = ir.Graph("main")
    graph.add_node("ge.Const", [], {"value": splat}, result_types=[splat.type])
    assert str(ir.Graph.parse(str(graph))) == str(graph)
    assert len(str(graph)) < 1000
    for text in (
        "tensor<99999999999999999999xf32>",
        "tensor<-1xf32>",
        "tensor<9223372036854775808xf32>",
    ):
        with pytest.raises(ir.ParseError):
            ir.Type.parse(text)
    for rank in (257, 100_000):
        wide = ir.TensorType((1,) * rank, ir.f32)
        assert ir.Type.parse(str(wide)) is wide


def test_a_splat_said_to_be_huge_takes_no_room() -> None:
    text = 'func.func @main() {{ %0 = "ge.Const"() {{value = dense<{}> : tensor<{}xf32>}} : () -> tensor<1xf32> return }}'
    graph = ir.Graph.parse(text.format("1.0", "1099511627776"))
    assert str(ir.Graph.parse(str(graph))) == str(graph)
    with pytest.raises(ir.ParseError):
        ir.Graph.parse(text.format("[1.0, 2.0]", "1099511627776"))
    with pytest.raises(ir.ParseError):
        ir.Graph.parse(text.format('"0x00"', "1099511627776"))
