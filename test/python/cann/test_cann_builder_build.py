"""CANN's GraphBuilder: outputs, attributes, control dependencies, and the state of the builder after the build.

Error messages begin with CANN's text (section 1.2 of its interface); more text may follow.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cann_builders import builder  # noqa: F401 - a fixture
from cann_lines import lines

from ge.es import GraphBuilder, TensorHolder
from ge.graph import DataType, Format, Graph

# --- Outputs


def test_outputs_are_set_by_index(builder: GraphBuilder) -> None:
    x, y = builder.create_inputs(2)
    builder.set_graph_output(y, 1)
    builder.set_graph_output(x, 0)
    assert lines(builder.build_and_reset())[-1] == "return input_0, input_1"


def test_an_empty_name_is_the_default() -> None:
    empty = GraphBuilder("")
    assert empty.name == "graph" and empty.build_and_reset([empty.create_input(0)]).name == "graph"


def test_build_and_reset_sets_outputs(builder: GraphBuilder) -> None:
    x, y = builder.create_inputs(2)
    graph = builder.build_and_reset([y, x])
    assert isinstance(graph, Graph)
    assert lines(graph)[-1] == "return input_1, input_0"


def test_wrong_arguments_of_outputs(builder: GraphBuilder) -> None:
    x = builder.create_input(0)
    with pytest.raises(TypeError, match="Tensor must be a TensorHolder"):
        builder.set_graph_output("x", 0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Output index must be an integer"):
        builder.set_graph_output(x, "0")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Outputs must be a list"):
        builder.build_and_reset(x)  # type: ignore[arg-type]
    for wrong in ("x", None, x.value):
        with pytest.raises(TypeError, match="All outputs must be TensorHolder objects"):
            builder.build_and_reset([x, wrong])  # type: ignore[list-item]
    builder.build_and_reset([x])


@pytest.mark.parametrize("what", ["inputs", "outputs"])
def test_numbers_left_out_are_errors(builder: GraphBuilder, what: str) -> None:
    x = builder.create_input(1 if what == "inputs" else 0)
    builder.set_graph_output(x, 2 if what == "outputs" else 0)
    with pytest.raises(
        RuntimeError, match=f"Failed to build graph 'main': {what} must be numbered"
    ):
        builder.build_and_reset()


def test_tensors_of_another_builder_are_refused(builder: GraphBuilder) -> None:
    foreign = GraphBuilder("other").create_input(0)
    for call in (
        lambda: builder.set_graph_output(foreign, 0),
        lambda: builder.build_and_reset([foreign]),
        lambda: builder.set_node_attr_int64(foreign, "a", 1),
        lambda: builder.add_control_dependency(foreign, []),
    ):
        with pytest.raises(ValueError, match="tensors from different GraphBuilders"):
            call()


# --- Attributes


@pytest.mark.parametrize(("kind", "value"), [("int64", 42), ("string", "hello"), ("bool", True)])
def test_attributes_of_graph_node_and_tensor(
    builder: GraphBuilder, kind: str, value: object
) -> None:
    tensor = builder.create_const_float(1.0)
    node = tensor._get_node_snapshot()
    getattr(builder, f"set_graph_attr_{kind}")("a", value)
    getattr(builder, f"set_node_attr_{kind}")(tensor, "b", value)
    getattr(builder, f"set_tensor_attr_{kind}")(tensor, "c", value)
    assert node.get_attr("b") == value
    assert node.get_output_attr("c", 0) == value
    graph = builder.build_and_reset()
    assert graph.get_attr("a") == value
    assert type(graph.get_attr("a")) is type(value)


def test_true_as_int64_is_one(builder: GraphBuilder) -> None:
    builder.set_graph_attr_int64("a", True)
    assert type(builder.build_and_reset().get_attr("a")) is int


@pytest.mark.parametrize("owner", ["graph", "node", "tensor"])
@pytest.mark.parametrize(
    ("kind", "wrong", "words"),
    [
        ("int64", "1", "Value must be an integer"),
        ("string", 1, "Value must be a string"),
        ("bool", 1, "Value must be a boolean"),
    ],
)
def test_wrong_arguments_of_attributes(
    builder: GraphBuilder, owner: str, kind: str, wrong: object, words: str
) -> None:
    set_attr = getattr(builder, f"set_{owner}_attr_{kind}")
    tensor = () if owner == "graph" else (builder.create_input(0),)
    with pytest.raises(TypeError, match=words):
        set_attr(*tensor, "a", wrong)
    with pytest.raises(TypeError, match="Attribute name must be a string"):
        set_attr(*tensor, 1, wrong)
    if tensor:
        with pytest.raises(TypeError, match="Tensor must be a TensorHolder"):
            set_attr("x", "a", wrong)


# --- Control dependencies


def test_control_dependencies_keep_their_order(builder: GraphBuilder) -> None:
    a, b = builder.create_inputs(2)
    c = a + b
    builder.add_control_dependency(c, [b, a])
    builder.add_control_dependency(c, [b])
    assert [n.name for n in c.value.node.get_in_control_nodes()] == ["input_1", "input_0"]


def test_nothing_comes_before_an_input(builder: GraphBuilder) -> None:
    x = builder.create_input(0)
    builder.add_control_dependency(x, [builder.create_const_float(1.0)])
    assert x.value.node.get_in_control_nodes() == []


def test_wrong_arguments_of_control_dependencies(builder: GraphBuilder) -> None:
    x = builder.create_input(0)
    with pytest.raises(TypeError, match="dst_tensor must be a TensorHolder"):
        builder.add_control_dependency("x", [x])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="src_tensors must be a list"):
        builder.add_control_dependency(x, x)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="src_tensors must be a list of TensorHolder"):
        builder.add_control_dependency(x, ["x"])  # type: ignore[list-item]


# --- After build_and_reset

AFTER: list[tuple[str, Callable[[GraphBuilder, TensorHolder], object]]] = [
    ("create input", lambda b, t: b.create_input(1)),
    ("create inputs", lambda b, t: b.create_inputs(1)),
    ("create constant", lambda b, t: b.create_const_int64(1)),
    ("create vector", lambda b, t: b.create_vector_int64([1])),
    ("create scalar", lambda b, t: b.create_scalar_float(1.0)),
    ("create variable", lambda b, t: b.create_variable(0, "v")),
    ("set graph output", lambda b, t: b.set_graph_output(t, 0)),
    ("set graph attribute", lambda b, t: b.set_graph_attr_int64("a", 1)),
    ("set tensor attribute", lambda b, t: b.set_tensor_attr_string(t, "a", "b")),
    ("set node attribute", lambda b, t: b.set_node_attr_bool(t, "a", True)),
    ("add control dependency", lambda b, t: b.add_control_dependency(t, [])),
    ("build_and_reset", lambda b, t: b.build_and_reset()),
    ("set data type", lambda b, t: t.set_data_type(DataType.DT_FLOAT)),
    ("set format", lambda b, t: t.set_format(Format.FORMAT_ND)),
    ("set shape", lambda b, t: t.set_shape([1])),
    ("add", lambda b, t: t + 1),
]


@pytest.mark.parametrize(("operation", "call"), AFTER, ids=[name for name, _ in AFTER])
def test_a_built_graph_is_no_longer_the_builders(
    builder: GraphBuilder, operation: str, call: Callable[[GraphBuilder, TensorHolder], object]
) -> None:
    tensor = builder.create_input(0)
    graph = builder.build_and_reset([tensor])
    before = str(graph)
    words = (
        f"Cannot {operation}: GraphBuilder has already been built. "
        "Create a new GraphBuilder to build another graph"
    )
    with pytest.raises(RuntimeError, match=words):
        call(builder, tensor)
    assert str(graph) == before


def test_names_can_be_read_after_building(builder: GraphBuilder) -> None:
    tensor = builder.create_const_float(1.0)
    graph = builder.build_and_reset()
    assert (builder.name, tensor.name) == ("main", "Const_0")
    assert graph.find_node_by_name("Const_0") is tensor._get_node_snapshot()


def test_a_graph_outlives_its_builder() -> None:
    graph = GraphBuilder("g").build_and_reset()
    graph.verify()
    assert graph.name == "g"


def test_tensors_keep_their_builder_alive() -> None:
    tensor = GraphBuilder("g").create_input(0)
    assert tensor.get_owner_builder().build_and_reset([tensor]).name == "g"
