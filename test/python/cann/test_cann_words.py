"""Error messages of CANN's members begin with CANN's text, which programs that were written for CANN search for."""

import importlib
import re
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from ge.es import GraphBuilder, TensorHolder
from ge.es.all import Relu
from ge.graph import DataType, DumpFormat, Format, Graph, Shape, Tensor, TensorDesc
from ge.passes import (
    DecomposePass,
    FusionBasePass,
    PassStage,
    Pattern,
    PatternFusionPass,
    PatternMatcherConfig,
    SubgraphInput,
    clear_registered_passes,
    create_replacement,
    infer_shape,
    pattern,
    register_decompose_pass,
)
from ge.utils import GeUtils


@pytest.fixture
def world() -> Iterator[SimpleNamespace]:
    """A built graph with its builder, and two builders that are still open."""
    built, builder, third = GraphBuilder("g"), GraphBuilder("h"), GraphBuilder("k")
    spent = built.create_input(0, shape=[2])
    graph = built.build_and_reset([Relu(spent)])
    yield SimpleNamespace(
        built=built,
        builder=builder,
        spent=spent,
        graph=graph,
        node=graph.find_node_by_name("Relu_0"),
        tensor=builder.create_input(0),
        other=third.create_input(0),
        values=Tensor([1.0], None, DataType.DT_FLOAT, Format.FORMAT_ND, [1]),
    )
    clear_registered_passes()


def decompose(op_types: Any) -> None:
    register_decompose_pass(name="d", stage=PassStage.AFTER_INFER_SHAPE, op_types=op_types)


def traced(function: Callable[[Any], Any]) -> None:
    body = {"p": pattern(lambda self, inputs: function(inputs))}
    type("O", (PatternFusionPass,), body)().patterns()


def replaced(function: Callable[[Any], Any]) -> None:
    body = {"replacement": lambda self, inputs: function(inputs)}
    type("O", (PatternFusionPass,), body)().replacement(None)


CALLS: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (lambda w: Graph(3), TypeError, "Graph name must be a string"),
    (lambda w: w.graph.get_attr(3), TypeError, "Attribute key must be a string"),
    (lambda w: w.graph.get_attr("zz"), RuntimeError, "Failed to get attribute 'zz' from Graph g"),
    (lambda w: w.graph.dump_to_file(DumpFormat.kTxt, 3), TypeError, "Suffix must be a string"),
    (lambda w: w.graph.dump_to_stream("txt"), TypeError, "Format must be in [DumpFormat.kOnnx"),
    (lambda w: w.graph.remove_node("x"), TypeError, "node must be a Node"),
    (
        lambda w: w.graph.remove_edge(w.node, 0, w.node, 0),
        RuntimeError,
        "Failed to remove Edge from Node",
    ),
    (
        lambda w: w.graph.remove_edge(w.node, "0", w.node, 0),
        TypeError,
        "src_port_index must be an integer",
    ),
    (
        lambda w: w.graph.add_data_edge(w.node, 0, w.node, 0),
        RuntimeError,
        "Failed to add DataEdge from Node",
    ),
    (lambda w: w.graph.add_data_edge("a", 0, w.node, 0), TypeError, "src_node must be a Node"),
    (
        lambda w: w.graph.add_control_edge(w.node, w.node),
        RuntimeError,
        "Failed to add Control from Node",
    ),
    (lambda w: w.graph.find_node_by_name("qq"), RuntimeError, "Failed to find Node name qq"),
    (lambda w: w.graph.find_node_by_name(3), TypeError, "name must be a string"),
    (lambda w: w.graph.get_subgraph(3), TypeError, "name must be a string"),
    (lambda w: w.graph.add_subgraph(3), TypeError, "subgraph must be a Graph"),
    (
        lambda w: w.graph.remove_subgraph("q"),
        RuntimeError,
        "Failed to remove subgraph 'q' from graph 'g'",
    ),
    (
        lambda w: w.node.get_in_data_nodes_and_port_indexes("0"),
        TypeError,
        "Input index must be an integer",
    ),
    (
        lambda w: w.node.get_in_data_nodes_and_port_indexes(9),
        RuntimeError,
        "Failed to get input data node for index 9",
    ),
    (
        lambda w: w.node.get_out_data_nodes_and_port_indexes(9),
        RuntimeError,
        "Failed to get output data node for index 9",
    ),
    (lambda w: w.node.get_attr(3), TypeError, "Attribute key must be a string"),
    (lambda w: w.node.get_attr("q"), RuntimeError, "Failed to get attribute 'q' from Node"),
    (lambda w: w.node.set_attr(3, 1), TypeError, "Attribute key must be a string"),
    (lambda w: w.node.set_attr("a", None), ValueError, "Unsupported attribute type:"),
    (lambda w: w.node.set_attr("a", []), ValueError, "Empty list is not supported"),
    (
        lambda w: w.node.get_input_attr("q", 0),
        RuntimeError,
        "Failed to get Node Relu_0 input attribute 'q' for index 0",
    ),
    (lambda w: w.node.get_input_attr(3, 0), TypeError, "Attribute name must be a string"),
    (lambda w: w.node.get_output_attr("q", "0"), TypeError, "Output index must be an integer"),
    (lambda w: w.node.has_attr(3), TypeError, "attr_name must be a string"),
    (lambda w: w.node.get_input_desc("0"), TypeError, "Input index must be an integer"),
    (lambda w: w.node.get_input_desc(9), RuntimeError, "Failed to get input desc for index 9"),
    (lambda w: w.node.get_output_desc(9), RuntimeError, "Failed to get output desc for index 9"),
    (lambda w: w.node.update_input_desc(0, 3), TypeError, "tensor_desc must be a TensorDesc"),
    (
        lambda w: w.node.update_output_desc(9, TensorDesc()),
        RuntimeError,
        "Failed to update output desc for index 9",
    ),
    (lambda w: Shape("ab"), TypeError, "dims must be a list of integers"),
    (lambda w: TensorDesc("x"), TypeError, "shape must be a list of integers"),
    (lambda w: TensorDesc([1], 1), TypeError, "Format must be a Format"),
    (lambda w: TensorDesc([1], Format.FORMAT_ND, 1), TypeError, "Data type must be a DataType"),
    (
        lambda w: TensorDesc().set_origin_shape("x"),
        TypeError,
        "origin shape must be a list of integers",
    ),
    (
        lambda w: Tensor([1.0], "f", DataType.DT_FLOAT),
        RuntimeError,
        "Tensor should be created either by data or by file",
    ),
    (
        lambda w: Tensor([1.0], None, DataType.DT_FLOAT, Format.FORMAT_ND, "x"),
        TypeError,
        "Shape must be a list of integers",
    ),
    (lambda w: w.values.set_format(1), TypeError, "Format must be a Format"),
    (lambda w: w.values.set_data_type(1), TypeError, "Data_type must be a DataType"),
    (lambda w: w.values.to_host(), ValueError, "to_host() only supports device tensors"),
    (
        lambda w: w.built.create_input(0),
        RuntimeError,
        "Cannot create input: GraphBuilder has already been built. Create a new",
    ),
    (
        lambda w: w.built.create_inputs(2),
        RuntimeError,
        "Cannot create inputs: GraphBuilder has already been built.",
    ),
    (
        lambda w: w.built.create_const_float(1.0),
        RuntimeError,
        "Cannot create constant: GraphBuilder has already been built.",
    ),
    (
        lambda w: w.spent.set_shape([1]),
        RuntimeError,
        "Cannot set shape: GraphBuilder has already been built.",
    ),
    (lambda w: w.spent + w.spent, RuntimeError, "Cannot add: GraphBuilder has already been built."),
    (lambda w: GraphBuilder(3), TypeError, "Graph name must be a string"),
    (lambda w: w.builder.create_input("0"), TypeError, "Input index must be an integer"),
    (lambda w: w.builder.create_input(0), RuntimeError, "Failed to create input"),
    (
        lambda w: w.builder.create_inputs(0),
        TypeError,
        "Number of inputs must be a positive integer",
    ),
    (
        lambda w: w.builder.create_inputs(1, -1),
        TypeError,
        "Start index must be a non-negative integer",
    ),
    (
        lambda w: w.builder.create_const_int64(1.0),
        TypeError,
        "Value must be an integer or list of integers",
    ),
    (
        lambda w: w.builder.create_const_float("a"),
        TypeError,
        "Value must be a float or list of floats",
    ),
    (
        lambda w: w.builder.create_const_float([1.0], [2]),
        ValueError,
        "Value count (1) doesn't match shape [2] (expected 2 elements)",
    ),
    (lambda w: w.builder.create_vector_int64(1), TypeError, "Value must be a list of integers"),
    (
        lambda w: w.builder.create_scalar_uint64(-1),
        ValueError,
        "Value must be non-negative for uint64",
    ),
    (
        lambda w: w.builder.create_scalar_uint32(-1),
        ValueError,
        "Value must be in range [0, 2^32-1] for uint32",
    ),
    (lambda w: w.builder.create_scalar_float("a"), TypeError, "Value must be a number"),
    (lambda w: w.builder.create_variable("a", "b"), TypeError, "Index must be an integer"),
    (lambda w: w.builder.set_graph_output(3, 0), TypeError, "Tensor must be a TensorHolder"),
    (
        lambda w: w.builder.set_graph_output(w.tensor, "0"),
        TypeError,
        "Output index must be an integer",
    ),
    (lambda w: w.builder.set_graph_attr_int64(3, 1), TypeError, "Attribute name must be a string"),
    (lambda w: w.builder.set_graph_attr_int64("a", "b"), TypeError, "Value must be an integer"),
    (
        lambda w: w.builder.set_node_attr_bool(3, "a", True),
        TypeError,
        "Tensor must be a TensorHolder",
    ),
    (
        lambda w: w.builder.add_control_dependency(3, []),
        TypeError,
        "dst_tensor must be a TensorHolder",
    ),
    (
        lambda w: w.builder.add_control_dependency(w.tensor, 3),
        TypeError,
        "src_tensors must be a list",
    ),
    (lambda w: w.builder.build_and_reset(3), TypeError, "Outputs must be a list"),
    (
        lambda w: w.builder.build_and_reset([3]),
        TypeError,
        "All outputs must be TensorHolder objects",
    ),
    (lambda w: TensorHolder(), RuntimeError, "TensorHolder objects should not be created directly"),
    (lambda w: w.tensor.set_data_type(1), TypeError, "Data type must be a DataType enum"),
    (lambda w: w.tensor.set_format(1), TypeError, "Format must be a Format enum"),
    (lambda w: w.tensor.set_shape("a"), TypeError, "Shape must be a list of integers"),
    (lambda w: w.tensor.set_shape(["a"]), TypeError, "All shape dimensions must be integers"),
    (
        lambda w: w.tensor + w.other,
        ValueError,
        "Cannot perform add: tensors from different GraphBuilders ('h' vs 'k')",
    ),
    (
        lambda w: w.tensor + "a",
        TypeError,
        "Value must be TensorHolder or int|float or nested lists",
    ),
    (
        lambda w: w.tensor + [[1], [1, 2]],
        ValueError,
        "Irregular nested list: all sub-lists must have the same shape",
    ),
    (
        lambda w: w.tensor + [["a"]],
        TypeError,
        "Value must be int|float or nested lists of int|float",
    ),
    (
        lambda w: FusionBasePass().run(None, None),
        NotImplementedError,
        "FusionBasePass.run must be implemented",
    ),
    (
        lambda w: PatternFusionPass().patterns(),
        NotImplementedError,
        "PatternFusionPass.patterns must be implemented",
    ),
    (
        lambda w: PatternFusionPass().replacement(None),
        NotImplementedError,
        "PatternFusionPass.replacement must be implemented",
    ),
    (
        lambda w: type("O", (PatternFusionPass,), {"run": lambda self, graph, context: None}),
        TypeError,
        "O overrides run(), which is never invoked by the PatternFusionPass execution path. "
        "Implement patterns()/replacement() instead.",
    ),
    (
        lambda w: type("O", (DecomposePass,), {"run": lambda self, graph, context: None}),
        TypeError,
        "O overrides run(), which is never invoked by the DecomposePass execution path. "
        "Implement meet_requirements()/replacement() instead.",
    ),
    (
        lambda w: traced(lambda inputs: []),
        TypeError,
        "Expression-style patterns must return a TensorHolder or a non-empty list/tuple of TensorHolder",
    ),
    (
        lambda w: replaced(lambda inputs: 3),
        TypeError,
        "Expression-style replacement must return a TensorHolder or a non-empty list/tuple of "
        "TensorHolder",
    ),
    (
        lambda w: traced(lambda inputs: [w.graph]),
        TypeError,
        "A @pattern method supports a single pattern only. For multiple patterns, declare several "
        "@pattern methods or use legacy patterns(self).",
    ),
    (
        lambda w: traced(lambda inputs: inputs[-1]),
        ValueError,
        "PatternInputs index must be non-negative",
    ),
    (
        lambda w: traced(lambda inputs: inputs["a"]),
        TypeError,
        "PatternInputs index must be an integer or slice",
    ),
    (
        lambda w: traced(lambda inputs: list(inputs)),
        TypeError,
        "PatternInputs cannot be iterated because the input count is unknown; use inputs[:N]",
    ),
    (
        lambda w: traced(lambda inputs: inputs[0:4:2]),
        ValueError,
        "PatternInputs slice step must be 1",
    ),
    (
        lambda w: traced(lambda inputs: inputs[1:]),
        ValueError,
        "PatternInputs slice must provide a stop index, for example inputs[:3]",
    ),
    (
        lambda w: traced(lambda inputs: inputs[-1:3]),
        ValueError,
        "PatternInputs slice indices must be non-negative",
    ),
    (
        lambda w: traced(lambda inputs: inputs[3:1]),
        ValueError,
        "PatternInputs slice stop must be greater than or equal to start",
    ),
    (
        lambda w: type(
            "O",
            (PatternFusionPass,),
            {"p": pattern(lambda self, inputs: inputs[0]), "patterns": lambda s: []},
        ),
        TypeError,
        "O cannot combine @pattern methods with patterns().",
    ),
    (lambda w: infer_shape(3, w.node), TypeError, "replacement must be a ge.graph.Graph"),
    (
        lambda w: infer_shape(w.graph, 3),
        TypeError,
        "source must be MatchResult, Node, or SubgraphBoundary",
    ),
    (
        lambda w: decompose("x"),
        TypeError,
        "register_decompose_pass op_types must be an iterable of strings",
    ),
    (lambda w: decompose([]), ValueError, "register_decompose_pass requires at least one op type"),
    (
        lambda w: decompose([""]),
        TypeError,
        "register_decompose_pass op_types must contain non-empty strings",
    ),
    (lambda w: PatternMatcherConfig(), TypeError, "PatternMatcherConfig has no constructor"),
    (
        lambda w: w.builder.set_graph_output(w.tensor, -1),
        RuntimeError,
        "Failed to set graph output for graph h output index -1",
    ),
    (lambda w: w.graph.load_from_air("/a"), RuntimeError, "Failed to load graph from AIR format"),
    (lambda w: create_replacement(3), TypeError, "replacement graph must be a ge.graph.Graph"),
    (lambda w: Pattern(3), RuntimeError, "Graph object must carry _handle"),
    (lambda w: SubgraphInput([3]), RuntimeError, "SubgraphInput expects iterable of (node, index)"),
    (
        lambda w: GeUtils.infer_shape(w.graph, 3),
        TypeError,
        "input_shapes must be a list of shape lists",
    ),
    (
        lambda w: GeUtils.infer_shape(w.graph, [["a"]]),
        TypeError,
        "each shape dim must be an integer",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), CALLS, ids=[words for _, _, words in CALLS])
def test_words(
    world: SimpleNamespace, call: Callable[[Any], Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=re.escape(words)) as raised:
        call(world)
    assert str(raised.value).startswith(words)


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("graph.graph", "Graph DumpFormat"),
        ("graph.node", "Node"),
        ("graph.operator", "Operator"),
        ("graph.tensor", "Tensor UnionTensorDataType unflatten_tensor_data"),
        ("graph.tensor_desc", "TensorDesc Shape UNKNOWN_DIM UNKNOWN_DIM_NUM UNKNOWN_DIM_SIZE"),
        ("graph.types", "DataType Format Placement AttrValueType"),
        ("es.graph_builder", "GraphBuilder InputType attr_scope control_dependency_scope"),
        ("es.tensor_like", "Number TensorLike convert_to_tensor_holder resolve_builder"),
        ("passes.base", "FusionBasePass PatternFusionPass DecomposePass PassStage infer_shape"),
        ("passes.base", "PatternOrGraph StatusLike"),
        ("passes._bridge", "load_and_get_pass_descriptors clear_loaded_pass_modules"),
        ("passes.pattern", "pattern NodeIo PatternInputs create_pattern ensure_pattern Pattern"),
        ("passes.registry", "PASS_KIND_FUSION_BASE PASS_KIND_PATTERN_FUSION PASS_KIND_DECOMPOSE"),
        ("utils.ge_utils", "GeUtils"),
    ],
)
def test_paths(path: str, names: str) -> None:
    module = importlib.import_module(f"ge.{path}")
    for name in names.split():
        assert hasattr(module, name)
    package = importlib.import_module(f"ge.{path.partition('.')[0]}")
    for name in set(names.split()) & set(package.__all__):
        assert getattr(module, name) is getattr(package, name)


def test_positional_files(tmp_path: Any) -> None:
    (tmp_path / "t.bin").write_bytes(b"\0\0\x80?")
    for path in (str(tmp_path / "t.bin"), tmp_path / "t.bin"):
        assert Tensor(None, path).get_data() == [1.0]
        with pytest.raises(RuntimeError, match="created either by data or by file"):
            Tensor([1.0], path)
    assert str(Tensor([1.0], "f16").dtype) == "f16"


def test_a_pattern_of_a_graph(world: SimpleNamespace) -> None:
    from ge.passes.pattern import ensure_pattern

    made = ensure_pattern(world.graph)
    assert isinstance(made, Pattern)
    assert ensure_pattern(made) is made
