"""Origins, control edges and splats, for which ONNX has no fields, survive a file; errors have byte and field."""

import itertools
from pathlib import Path

import numpy as np
import pytest

import ge.ir as ir
import ge.onnx as ge_onnx

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper  # noqa: E402

T = ir.TensorType((4,), ir.f32)


def model(*nodes: ir.Node) -> tuple[ir.Module, ir.Graph]:
    module = ir.Module()
    graph = module.add_graph("g")
    graph.add_input("x", T)
    return module, graph


def again(module: ir.Module) -> ir.Graph:
    data = ge_onnx.to_bytes(module)
    loaded = ge_onnx.load(data)
    assert ge_onnx.to_bytes(loaded) == data
    onnx.checker.check_model(onnx.load_from_string(data))
    return loaded.graphs["g"]


def test_origins_survive() -> None:
    module, graph = model()
    node = graph.add_node("onnx.Abs", [graph.inputs[0]], name="n", result_types=[T])
    node.add_origin('a "quoted" \\ name\n', op="onnx.Conv", pass_name="Fuse", rule="r")
    node.add_origin("é", location=ir.Location.file("pass.py", 12))
    node.add_origin()
    graph.outputs = [node]
    first, second, third = again(module).find("n").origins
    assert (first.node, first.op, first.pass_name, first.rule) == (
        'a "quoted" \\ name\n', "onnx.Conv", "Fuse", "r",
    )  # fmt: skip
    assert (second.node, second.op, second.location.text, second.location.line) == (
        "é",
        None,
        "pass.py",
        12,
    )
    assert (third.node, third.location) == ("", None)


@pytest.mark.parametrize("external", [False, True])
def test_origins_of_inputs_and_constants_survive(tmp_path: Path, external: bool) -> None:
    module, graph = model()
    x = graph.inputs[0]
    plain = graph.add_node("ge.Const", [], {"value": np.arange(4, dtype=np.float32)}, name="plain",
                           result_types=[T])  # fmt: skip
    text = graph.add_node("ge.Const", [], {"value": np.array(["a", "b"])}, name="text",
                          result_types=[ir.TensorType((2,), ir.string)])  # fmt: skip
    for made in (x.node, plain, text):
        made.add_origin(f"before {made.name}", op="onnx.Conv", pass_name="Fuse")
    total = graph.add_node("onnx.Add", [x, plain], name="n", result_types=[T])
    graph.outputs = [
        total,
        graph.add_node("onnx.Identity", [text], result_types=[text.result.type]),
    ]
    path = tmp_path / "m.onnx"
    ge_onnx.save(module, path, external_data=external)
    proto = onnx.load(path)
    onnx.checker.check_model(proto)
    assert [p.key for p in proto.graph.input[0].metadata_props] == ["ge.origins"]
    read = ge_onnx.load(path).graphs["g"]
    for name in ("x", "plain", "text"):
        (origin,) = read.find(name).origins
        assert (origin.node, origin.op, origin.pass_name) == (f"before {name}", "onnx.Conv", "Fuse")
    again = tmp_path / "again.onnx"
    ge_onnx.save(ge_onnx.load(path), again)
    assert again.read_bytes() == path.read_bytes()


def test_origins_of_a_sparse_initializer_survive() -> None:
    values = helper.make_tensor("s", TensorProto.FLOAT, [1], [2.0])
    values.metadata_props.add(key="ge.origins", value='[{node = "old"}]')
    values.metadata_props.add(key="other", value="stays")
    indices = helper.make_tensor("i", TensorProto.INT64, [1], [2])
    sparse = helper.make_sparse_tensor(values, indices, [4])
    node = helper.make_node("Add", ["x", "s"], ["y"])
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [4]) for n in "xy"]
    graph = helper.make_graph([node], "g", infos[:1], infos[1:], sparse_initializer=[sparse])
    module = ge_onnx.from_onnx(helper.make_model(graph))
    (made,) = (n for n in module.graphs["g"].nodes if n.op == "onnx.Constant")
    assert [o.node for o in made.origins] == ["old"]
    written = ge_onnx.to_onnx(module).graph.sparse_initializer[0].values
    assert [(p.key, p.value) for p in written.metadata_props] == [
        ("other", "stays"),
        ("ge.origins", '[{node = "old"}]'),
    ]


def test_control_edges_survive() -> None:
    module, graph = model()
    x = graph.inputs[0]
    first = graph.add_node("onnx.Abs", [x], name="first", result_types=[T])
    unnamed = graph.add_node("onnx.Neg", [x], result_types=[T])
    effect = graph.add_node("my.Print", [x], name="effect", result_types=[])
    last = graph.add_node(
        "onnx.Exp",
        [x],
        name="last",
        result_types=[T],
        control_inputs=[first, unnamed, effect, x.node],
    )
    graph.outputs = [last, unnamed]
    data = ge_onnx.to_bytes(module)
    read = ge_onnx.load(data).graphs["g"].find("last").control_inputs
    assert [n.op for n in read] == ["onnx.Abs", "onnx.Neg", "my.Print", "ge.Data"]
    assert ge_onnx.to_bytes(ge_onnx.load(data)) == data


def test_control_edges_inside_bodies_and_to_later_nodes_survive() -> None:
    module, graph = model()
    c = graph.add_input("c", ir.TensorType((), ir.i1))
    outer = graph.add_node("onnx.Abs", [graph.inputs[0]], name="outer", result_types=[T])
    branch = graph.add_node(
        "onnx.If",
        [c],
        name="if",
        result_types=[T],
        subgraphs={"then_branch": None, "else_branch": None},
    )
    for body in branch.subgraphs:
        body.name = body.slot
        a = body.add_node("onnx.Neg", [outer], name="a" + body.slot, result_types=[T])
        b = body.add_node(
            "onnx.Exp", [outer], name="b" + body.slot, result_types=[T], control_inputs=[a]
        )
        body.outputs = [b]
    graph.outputs = [branch]
    read = again(module)
    assert [n.name for n in read.find("bthen_branch").control_inputs] == ["athen_branch"]


def test_control_edges_to_and_from_constants_and_outputs_survive(tmp_path: Path) -> None:
    module, graph = model()
    x = graph.inputs[0]
    effect = graph.add_node("my.Print", [x], name="effect", result_types=[])
    dense = graph.add_node("ge.Const", [], {"value": np.arange(4, dtype=np.float32)}, name="dense",
                           result_types=[T], control_inputs=[effect, x.node])  # fmt: skip
    splat = graph.add_node(
        "ge.Const", [],
        {"value": ir.Tensor.splat(1, ir.TensorType((1000,), ir.f32))}, name="splat",
        result_types=[ir.TensorType((1000,), ir.f32)], control_inputs=[dense],
    )  # fmt: skip
    last = graph.add_node(
        "onnx.Add", [x, dense], name="last", result_types=[T], control_inputs=[splat]
    )
    graph.outputs = [last, graph.add_node("onnx.Abs", [splat], result_types=[splat.result.type])]
    graph.add_control_edge(effect, graph.output_node)
    graph.output_node.add_origin("before", op="onnx.Conv")
    graph.attributes["onnx.metadata_props"] = {"other": "stays"}
    for external in (False, True):
        path = tmp_path / f"{external}.onnx"
        ge_onnx.save(module, path, external_data=external)
        onnx.checker.check_model(onnx.load(path))
        read = ge_onnx.load(path).graphs["g"]
        edges = {
            node.op if node.is_output else node.name: [n.name for n in node.control_inputs]
            for node in (*read.nodes, read.output_node)
            if node.control_inputs
        }
        # A splat becomes a ConstantOfShape, which stays a node.
        assert edges == {
            "dense": ["effect", "x"], "splat": ["dense"], "last": ["splat"], "ge.NetOutput": ["effect"],
        }  # fmt: skip
        assert [o.node for o in read.output_node.origins] == ["before"]
        assert read.attributes["onnx.metadata_props"] == {"other": "stays"}
        # In the first file the splat precedes its control input; after that the order is stable.
        again = ge_onnx.to_bytes(ge_onnx.load(path))
        (tmp_path / "again.onnx").write_bytes(again)
        assert ge_onnx.to_bytes(ge_onnx.load(tmp_path / "again.onnx")) == again


def test_control_edges_of_a_sparse_initializer_survive() -> None:
    values = helper.make_tensor("s", TensorProto.FLOAT, [1], [2.0])
    values.metadata_props.add(key="ge.control_inputs", value='["@first"]')
    indices = helper.make_tensor("i", TensorProto.INT64, [1], [2])
    nodes = [
        helper.make_node("Abs", ["x"], ["a"], "first"),
        helper.make_node("Add", ["a", "s"], ["y"]),
    ]
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [4]) for n in "xy"]
    sparse = helper.make_sparse_tensor(values, indices, [4])
    graph = helper.make_graph(nodes, "g", infos[:1], infos[1:], sparse_initializer=[sparse])
    module = ge_onnx.from_onnx(helper.make_model(graph))
    (made,) = (n for n in module.graphs["g"].nodes if n.op == "onnx.Constant")
    assert [n.name for n in made.control_inputs] == ["first"]
    (entry,) = ge_onnx.to_onnx(module).graph.sparse_initializer[0].values.metadata_props
    assert (entry.key, entry.value) == ("ge.control_inputs", '["%a"]')


def test_control_edges_of_a_functions_outputs_survive() -> None:
    body = [helper.make_node("Abs", ["x"], ["y"]), helper.make_node("Neg", ["x"], ["z"], "extra")]
    function = helper.make_function("f", "F", ["x"], ["y"], body, [helper.make_opsetid("", 17)])
    function.metadata_props.add(key="ge.control_inputs", value='["%z"]')
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [4]) for n in "xy"]
    graph = helper.make_graph(
        [helper.make_node("F", ["x"], ["y"], domain="f")], "g", *map(list, zip(infos))
    )
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("f", 1)]
    proto = helper.make_model(graph, functions=[function], opset_imports=imports)
    module = ge_onnx.from_onnx(proto)
    assert [n.name for n in module.graphs["f.F"].output_node.control_inputs] == ["extra"]
    assert ge_onnx.to_onnx(module) == proto


@pytest.mark.parametrize("key", ["ge.origins", "ge.control_inputs"])
@pytest.mark.parametrize("text", ["", "[1]", '["x"]', "[{node = 1}]"])
def test_metadata_of_others_in_constants_inputs_and_graphs_stays(key: str, text: str) -> None:
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1]) for n in "xy"]
    weight = helper.make_tensor("w", TensorProto.FLOAT, [1], [2.0])
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    graph = helper.make_graph(nodes, "g", infos[:1], infos[1:], [weight])
    for place in (graph, graph.input[0], graph.initializer[0]):
        place.metadata_props.add(key=key, value=text)
    proto = helper.make_model(graph)
    module = ge_onnx.from_onnx(proto)
    assert ge_onnx.to_onnx(module) == proto


def test_a_control_input_that_cannot_be_named_is_an_error() -> None:
    module, graph = model()
    effect = graph.add_node("my.Print", [graph.inputs[0]], result_types=[])
    graph.outputs = [
        graph.add_node(
            "onnx.Abs", [graph.inputs[0]], name="n", result_types=[T], control_inputs=[effect]
        )
    ]
    with pytest.raises(ir.ModelError, match="neither results nor a name; give it a name"):
        ge_onnx.to_bytes(module)


@pytest.mark.parametrize(
    ("key", "text"),
    list(itertools.product(
        ["ge.origins", "ge.control_inputs"],
        ["", "[", "nonsense", "[1, 2]", '["x"]', "[{}]", '[{node = 1}]', '[{op = "no operator"}]',
         '[{line = -1}]', '{a = "b"}', "[[[[[[", '["%"]', "é" * 100, '[{other = "x"}]', "[" * 5000],
    )),
)  # fmt: skip
def test_metadata_of_others_under_our_keys_stays_metadata(key: str, text: str) -> None:
    node = helper.make_node("Abs", ["x"], ["y"], "n")
    node.metadata_props.add(key=key, value=text)
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [4]) for n in "xy"]
    proto = helper.make_model(helper.make_graph([node], "g", infos[:1], infos[1:]))
    module = ge_onnx.from_onnx(proto)
    # "[{}]" is a valid origin without contents.
    if (key, text) != ("ge.origins", "[{}]"):
        assert module.graphs["g"].find("n").attributes["onnx.metadata_props"] == {key: text}
        assert ge_onnx.to_onnx(module) == proto


def test_edges_from_what_others_removed_go_with_it() -> None:
    node = helper.make_node("Abs", ["x"], ["y"], "n")
    node.metadata_props.add(key="ge.control_inputs", value='["%gone", "@nobody", "%y", "%x"]')
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [4]) for n in "xy"]
    module = ge_onnx.from_onnx(
        helper.make_model(helper.make_graph([node], "g", infos[:1], infos[1:]))
    )
    assert [n.name for n in module.graphs["g"].find("n").control_inputs] == ["x"]


@pytest.mark.nosan  # onnxruntime's own libraries are not built for it
@pytest.mark.parametrize("name", ["f32", "f64", "f16", "i8", "i32", "i64", "u8", "bool", "bf16"])
def test_large_splats_are_written_as_constant_of_shape(name: str) -> None:
    dtype = ir.DType(name)
    module, graph = model()
    module.attributes["onnx.opset_imports"] = {"onnx": 21}
    module.attributes["onnx.ir_version"] = 10
    type_ = ir.TensorType((1000, 1000), dtype)
    const = graph.add_node(
        "ge.Const",
        attributes={"value": ir.Tensor.splat(1, type_)},
        name="ones",
        result_types=[type_],
    )
    const.add_origin("old", pass_name="fold")
    graph.outputs = [graph.add_node("onnx.Identity", [const], name="i", result_types=[type_])]
    data = ge_onnx.to_bytes(module)
    assert len(data) < 1000
    proto = onnx.load_from_string(data)
    onnx.checker.check_model(proto, full_check=True)
    assert [n.op_type for n in proto.graph.node] == ["Constant", "ConstantOfShape", "Identity"]
    assert not proto.graph.initializer
    if name not in ("bf16",):
        ort = pytest.importorskip("onnxruntime")
        (value,) = ort.InferenceSession(data, providers=["CPUExecutionProvider"]).run(
            None, {"x": np.zeros(4, np.float32)}
        )
        assert value.shape == (1000, 1000)
        assert (value == 1).all()
    assert ge_onnx.load(data).graphs["g"].find("ones").origins[0].node == "old"


def test_splats_stay_initializers_where_constant_of_shape_cannot_be() -> None:
    for opset, size, dtype, count in (
        (8, 1000, ir.f32, 1),
        (21, 10, ir.f32, 1),
        (13, 1000, ir.bf16, 1),
        (13, 1000, ir.f32, 0),
    ):
        module, graph = model()
        module.attributes["onnx.opset_imports"] = {"onnx": opset}
        type_ = ir.TensorType((size,), dtype)
        const = graph.add_node(
            "ge.Const",
            attributes={"value": ir.Tensor.splat(1, type_)},
            name="c",
            result_types=[type_],
        )
        graph.outputs = [graph.add_node("onnx.Identity", [const], name="i", result_types=[type_])]
        assert len(ge_onnx.to_onnx(module).graph.initializer) == count


@pytest.mark.nosan  # onnxruntime's own libraries are not built for it
def test_splats_in_bodies_and_functions_and_as_outputs(tmp_path: Path) -> None:
    big = ir.TensorType((600,), ir.f32)

    def splat(graph: ir.Graph, name: str) -> ir.Node:
        return graph.add_node(
            "ge.Const",
            attributes={"value": ir.Tensor.splat(2.0, big)},
            name=name,
            result_types=[big],
        )

    module, graph = model()
    c = graph.add_input("c", ir.TensorType((), ir.i1))
    branch = graph.add_node(
        "onnx.If",
        [c],
        name="if",
        result_types=[big],
        subgraphs={"then_branch": None, "else_branch": None},
    )
    for body in branch.subgraphs:
        body.name = body.slot
        body.outputs = [splat(body, "s" + body.slot)]
    taken = splat(graph, "c_shape")  # may clash with the name of a shape constant
    function = module.add_graph("my.F")
    function.attributes["onnx.function"] = {"domain": "my", "name": "F"}
    function.attributes["onnx.opset_imports"] = {"onnx": 21}
    function.outputs = [splat(function, "inner")]
    call = graph.add_node("my.F", [], name="call", result_types=[big])
    graph.outputs = [branch, splat(graph, "c0"), taken, call]
    ge_onnx.save(module, tmp_path / "m.onnx", external_data=True)
    onnx.checker.check_model(str(tmp_path / "m.onnx"), full_check=True)
    assert not (tmp_path / "m.onnx.data").exists()
    ort = pytest.importorskip("onnxruntime")
    session = ort.InferenceSession(str(tmp_path / "m.onnx"), providers=["CPUExecutionProvider"])
    feeds = {"x": np.zeros(4, np.float32), "c": np.array(True)}
    for value in session.run(
        None, {k: v for k, v in feeds.items() if k in [i.name for i in session.get_inputs()]}
    ):
        assert (value == np.full(600, 2, np.float32)).all()


def test_model_errors_know_byte_and_field() -> None:
    proto = helper.make_model(
        helper.make_graph(
            [helper.make_node("Abs", ["x"], ["y"]), helper.make_node("Abs", ["nobody"], ["z"])],
            "g",
            [],
            [],
        )
    )
    data = proto.SerializeToString()
    with pytest.raises(ir.ModelError) as caught:
        ge_onnx.load(data)
    error = caught.value
    assert error.field == "graph.node[0].input[0]"
    assert data[error.offset : error.offset + 1] == b"x"
    assert f"(byte {error.offset}, field {error.field})" in str(error)
    assert (ir.ModelError().offset, ir.ModelError().field) == (None, None)
    with pytest.raises(ir.ModelError) as caught:
        ge_onnx.to_bytes(ir.Module())
    assert (caught.value.offset, caught.value.field) == (None, None)


@pytest.mark.slow
def test_a_model_of_many_functions_survives() -> None:
    functions = [
        helper.make_function(
            "my",
            f"F{i}",
            ["a"],
            ["b"],
            [helper.make_node("Abs", ["a"], ["b"])],
            [helper.make_opsetid("", 17)],
        )
        for i in range(20_000)
    ]
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [4]) for n in "xy"]
    proto = helper.make_model(
        helper.make_graph(
            [helper.make_node("F7", ["x"], ["y"], domain="my")], "g", infos[:1], infos[1:]
        ),
        functions=functions,
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("my", 1)],
    )
    module = ge_onnx.from_onnx(proto)
    assert len(module.graphs) == 20_001
    assert ge_onnx.to_onnx(module) == proto
