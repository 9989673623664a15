"""GE's samples of passes, in examples/fusion_pass: each condition holds, and a graph computes the same afterwards.

What the graphs look like is in test/Passes/Samples.
"""

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fusion_samples import SAMPLES, builder_of, left_alone, names, run, same_values
from ge_numpy import evaluate, random_inputs

import ge.ir as ir
import ge.passes as passes
from ge.es.nn import BatchMatMul, BatchMatMulV2, MatMulV3
from ge.graph import DataType, Tensor
from ge.utils import GeUtils


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    passes.clear_registered_passes()
    yield
    passes.unload_pass_plugins()
    passes.clear_registered_passes()
    gc.collect()


def graph_of(sample: str, **variant: Any) -> ir.Graph:
    graph: ir.Graph = builder_of(sample).make_graph(**variant)
    return graph


# --- All of them


def test_all_are_found_together() -> None:
    assert passes.load_pass_plugins(str(SAMPLES))
    assert not passes.bootstrap.load_errors()
    found = passes.get_registered_passes()
    files = {str(getattr(sys.modules[d.module_name], "__file__", "")) for d in found}
    assert {os.path.basename(os.path.dirname(file)) for file in files} == set(names())
    assert all(d.stage is not None for d in found)


# Its pass changes what inputs mean; it is switched off for the others.
LAYOUT_PASS = "PythonConvTransFormatPass"
# Graphs with an offset, of 2**80 elements, with an operand of integers that must fit.
NOT_EVALUATED = {"offset", "too_large", "not_constant"}


@pytest.mark.parametrize("sample", [n for n in names() if n != "modify_conv_data_format"])
def test_all_together_agree(sample: str) -> None:
    """All passes of all stages, as a compiler runs them, on the graphs of each sample."""
    graphs = builder_of(sample).make_graphs()
    passes.load_pass_plugins(str(SAMPLES))
    for graph in graphs:
        if graph.name in NOT_EVALUATED:
            continue
        inputs = random_inputs(graph, a_2=4)
        before = evaluate(graph, inputs)
        for stage in passes.PassStage:
            passes.run_stage(graph, stage, {LAYOUT_PASS: "off"})
        graph.verify()
        for want, have in zip(before, evaluate(graph, inputs), strict=True):
            # What counts as zero for half precision is the most that may be lost.
            np.testing.assert_allclose(have, want, rtol=1e-9, atol=1e-3)


def test_the_command_lists_them() -> None:
    environment = {**os.environ, "ASCEND_GE_PY_PASS_PATH": str(SAMPLES)}
    done = subprocess.run(
        [sys.executable, "-m", "ge.cli", "plugins"],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    passes.load_pass_plugins(str(SAMPLES))
    assert all(d.pass_name in done.stdout for d in passes.get_registered_passes())


@pytest.mark.parametrize("sample", names())
def test_each_has_a_readme_and_a_test(sample: str) -> None:
    assert sample in (SAMPLES / "README.md").read_text()
    assert "python make_graph.py" in (SAMPLES / sample / "README.md").read_text()
    tests = SAMPLES.parents[1] / "test" / "Passes" / "Samples"
    assert (tests / f"{sample}.test").is_file()


def test_a_type_checker_agrees() -> None:
    """The stubs know GE's interface as pass files use it."""
    files = sorted(str(path.relative_to(SAMPLES)) for path in SAMPLES.glob("*/*.py"))
    root = Path(ir.__file__).parents[1]
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--namespace-packages"]
    options = ["--config-file", "", "--explicit-package-bases", "--no-error-summary"]
    done = subprocess.run(
        [*command, *options, *files],
        env={"MYPYPATH": str(root), "PATH": ""},
        capture_output=True,
        text=True,
        cwd=SAMPLES,
    )
    assert done.stdout + done.stderr == ""


def test_eight_threads_with_passes_of_python() -> None:
    make_graph = builder_of("fuse_matmul_add").make_graph
    passes.load_pass_plugins(str(SAMPLES / "fuse_matmul_add" / "fuse_matmul_add_pass.py"))
    manager = passes.PassManager.parse("PythonFuseMatMulAddPass,infer-types")
    texts: list[str] = []
    failures: list[BaseException] = []
    start = threading.Barrier(8)

    def work() -> None:
        try:
            start.wait()
            for _ in range(5):
                graph = make_graph()
                assert manager.run(graph).count("PythonFuseMatMulAddPass", "matched") == 2
                texts.append(str(graph))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(texts) == 40 and len(set(texts)) == 1


# --- A product and a sum


def test_fuse_matmul_add() -> None:
    same_values("fuse_matmul_add", graph_of("fuse_matmul_add"))


@pytest.mark.parametrize("variant", [{}, {"swapped": True}, {"transposed": True}])
def test_whole_graph(variant: dict[str, Any]) -> None:
    same_values("fuse_matmul_add_whole_graph", graph_of("fuse_matmul_add_whole_graph", **variant))


@pytest.mark.parametrize("variant", [{"names": ("matmul", "sum")}, {"bias": True}, {"used": True}])
def test_whole_graph_leaves_alone(variant: dict[str, Any]) -> None:
    left_alone("fuse_matmul_add_whole_graph", graph_of("fuse_matmul_add_whole_graph", **variant))


@pytest.mark.parametrize("name", ["matmul", "add"])
@pytest.mark.parametrize("outwards", [False, True])
def test_whole_graph_leaves_control_edges_alone(name: str, outwards: bool) -> None:
    graph = graph_of("fuse_matmul_add_whole_graph")
    node, other = graph.find_node_by_name(name), graph.add_node("math.NoOp", result_types=[])
    graph.add_control_edge(*((node, other) if outwards else (other, node)))
    graph.sort()
    left_alone("fuse_matmul_add_whole_graph", graph)


def test_whole_graph_fails_and_says_why() -> None:
    graph = graph_of("fuse_matmul_add_whole_graph")
    graph.remove_edge(graph.inputs[1].node, 0, graph.find_node_by_name("matmul"), 1)
    before = str(graph)
    with pytest.raises(ir.PassError, match="cannot fuse matmul and add: .*input 1"):
        run("fuse_matmul_add_whole_graph", graph)
    assert str(graph) == before


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("right", [False, True])
def test_captured(batch: bool, left: bool, right: bool) -> None:
    product = {"product": BatchMatMulV2} if batch else {}
    graph = graph_of("fuse_matmul_add_captured", left=left, right=right, **product)
    same_values("fuse_matmul_add_captured", graph)


def test_captured_without_the_attribute() -> None:
    graph = graph_of("fuse_matmul_add_captured")
    del graph.nodes[0].attributes["transpose_x1"]
    same_values("fuse_matmul_add_captured", graph)


@pytest.mark.parametrize("data_type", [DataType.DT_FLOAT16, DataType.DT_DOUBLE])
def test_captured_leaves_other_types_alone(data_type: DataType) -> None:
    left_alone(
        "fuse_matmul_add_captured", graph_of("fuse_matmul_add_captured", data_type=data_type)
    )


@pytest.mark.parametrize("variant", [{}, {"product": BatchMatMulV2}])
def test_configured(variant: dict[str, Any]) -> None:
    same_values("fuse_matmul_add_configured", graph_of("fuse_matmul_add_configured", **variant))


@pytest.mark.parametrize(
    "variant",
    [
        {"constant": 0.2},
        {"constant": 0.10000001},
        {"constant": [0.1, 0.1]},
        {"constant": [[1, 1], [1, 1]]},
        {"transpose_x1": True},
        {"transpose_x2": True},
        {"product": BatchMatMulV2, "adj_x1": True},
        {"product": BatchMatMulV2, "offset_x": 1},
    ],
)
def test_configured_leaves_alone(variant: dict[str, Any]) -> None:
    left_alone("fuse_matmul_add_configured", graph_of("fuse_matmul_add_configured", **variant))


# --- Zeros


@pytest.mark.parametrize(
    "variant",
    [
        {},
        {"constant": -0.0},
        {"constant": 0.0, "data_type": DataType.DT_DOUBLE},
        {"constant": 0, "data_type": DataType.DT_INT32},
    ],
)
def test_add_zero(variant: dict[str, Any]) -> None:
    same_values("add_zero", graph_of("add_zero", **variant))


@pytest.mark.parametrize(
    ("constant", "data_type", "gone"),
    [
        (9e-7, DataType.DT_FLOAT, True),
        (-9e-7, DataType.DT_FLOAT, True),
        (2e-6, DataType.DT_FLOAT, False),
        (9e-16, DataType.DT_DOUBLE, True),
        (2e-15, DataType.DT_DOUBLE, False),
        (-1, DataType.DT_INT32, False),
        (0, DataType.DT_INT64, False),
        (0.0, DataType.DT_FLOAT16, False),
        (float("nan"), DataType.DT_FLOAT, False),
    ],
)
def test_add_zero_tolerances(constant: float, data_type: DataType, gone: bool) -> None:
    graph = graph_of("add_zero", constant=constant, data_type=data_type)
    assert run("add_zero", graph).changed == gone
    assert ("Add" in [node.type for node in graph.nodes]) != gone


def test_add_zero_leaves_vectors_alone() -> None:
    left_alone("add_zero", graph_of("add_zero", shape=[1]))


def test_add_zero_strict() -> None:
    same_values("add_zero", graph_of("add_zero"), file="add_zero_strict_pass")


@pytest.mark.parametrize(
    "variant",
    [
        {"constant": -0.0},
        {"constant": 1e-30},
        {"shape": [1]},
        {"data_type": DataType.DT_DOUBLE},
        {"constant": 0, "data_type": DataType.DT_INT32},
    ],
)
def test_add_zero_strict_leaves_alone(variant: dict[str, Any]) -> None:
    left_alone("add_zero", graph_of("add_zero", **variant), "add_zero_strict_pass")


@pytest.mark.parametrize("moved", [False, True])
def test_add_zero_in_custom_op(moved: bool) -> None:
    same_values("add_zero_in_custom_op", graph_of("add_zero_in_custom_op", moved=moved))


@pytest.mark.parametrize(
    ("constant", "data_type", "gone"),
    [
        (9e-4, DataType.DT_FLOAT16, True),
        (2e-3, DataType.DT_FLOAT16, False),
        (9e-7, DataType.DT_FLOAT, True),
        (9e-4, DataType.DT_FLOAT, False),
        (0.0, DataType.DT_DOUBLE, False),
    ],
)
@pytest.mark.parametrize("moved", [False, True])
def test_add_zero_in_custom_op_tolerances(
    constant: float, data_type: DataType, gone: bool, moved: bool
) -> None:
    graph = graph_of("add_zero_in_custom_op", constant=constant, data_type=data_type, moved=moved)
    assert run("add_zero_in_custom_op", graph).changed == gone
    assert [node.type for node in graph.nodes].count("AddCustom") == 2 - gone


def test_the_custom_operator_goes_with_its_file() -> None:
    for _ in range(2):
        graph = graph_of("add_zero_in_custom_op")
        gc.collect()
        assert run("add_zero_in_custom_op", graph).changed


# --- One node becomes several


@pytest.mark.parametrize(
    "variant",
    [
        {},
        {"groups": 4, "filters": 4},
        {"groups": 4, "channels": 8, "filters": 12, "bias": True},
        {"pads": (1, 0, 2, 1), "stride": 2},
        {"dilation": 2, "bias": True},
    ],
)
def test_grouped_conv(variant: dict[str, Any]) -> None:
    same_values("decompose_grouped_conv", graph_of("decompose_grouped_conv", **variant), seeds=(0,))


@pytest.mark.parametrize("variant", [{"groups": 1}, {"data_format": "NHWC"}])
def test_grouped_conv_leaves_alone(variant: dict[str, Any]) -> None:
    left_alone("decompose_grouped_conv", graph_of("decompose_grouped_conv", **variant))


def test_grouped_conv_with_an_offset_is_left_alone() -> None:
    graph = graph_of("decompose_grouped_conv")
    offset = graph.add_input("offset_w", ir.TensorType((6,), ir.i8))
    conv = graph.nodes[0]
    conv.operands = [*conv.operands, None, offset]
    left_alone("decompose_grouped_conv", graph)


# --- Relu and Concat


@pytest.mark.parametrize(
    "variant", [{}, {"count": 1}, {"count": 2, "dim": 0}, {"count": 5, "dim": -1}]
)
def test_move_relu(variant: dict[str, Any]) -> None:
    same_values("move_relu_before_concat", graph_of("move_relu_before_concat", **variant))


@pytest.mark.parametrize("variant", [{"twice": True}, {"relu": False}])
def test_move_relu_leaves_alone(variant: dict[str, Any]) -> None:
    left_alone("move_relu_before_concat", graph_of("move_relu_before_concat", **variant))


def test_move_relu_wants_one_output() -> None:
    graph = graph_of("move_relu_before_concat")
    concat, relu = graph.nodes[-2:]
    other = graph.add_node(
        concat.op,
        list(concat.operands),
        dict(concat.attributes),
        result_types=[concat.result.type] * 2,
        ip=ir.InsertionPoint.before(relu),
    )
    concat.replace_with(other.results[0])
    left_alone("move_relu_before_concat", graph)


# --- Layouts


NCHW_TO_NHWC = (0, 2, 3, 1)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("int64", [False, True])
@pytest.mark.parametrize("convolutions", [1, 2])
@pytest.mark.parametrize("strides", [(1, 1), (1, 2)])
def test_modify_conv(
    version: int, int64: bool, convolutions: int, strides: tuple[int, int]
) -> None:
    """What is NHWC afterwards was NCHW before: the input, and the output."""
    graph = graph_of(
        "modify_conv_data_format",
        version=version,
        int64=int64,
        convolutions=convolutions,
        strides=strides,
    )
    same_values(
        "modify_conv_data_format",
        graph,
        seeds=(0,),
        sizes=({"x_0": 2, "x_1": 2, "x_2": 7, "x_3": 9},),
        same_types=False,
        inputs_after=lambda inputs: [inputs[0].transpose(NCHW_TO_NHWC), *inputs[1:]],
        outputs_after=lambda outputs: [outputs[0].transpose(NCHW_TO_NHWC)],
    )
    assert "Transpose" not in [node.type for node in graph.nodes]
    assert "Const" not in [node.type for node in graph.nodes]


def test_modify_conv_without_the_way_back() -> None:
    to_nhwc = builder_of("modify_conv_data_format").TO_NHWC
    graph = graph_of("modify_conv_data_format", perms=(to_nhwc, None))
    same_values(
        "modify_conv_data_format",
        graph,
        seeds=(0,),
        sizes=({"x_0": 1, "x_1": 2, "x_2": 5, "x_3": 4},),
        same_types=False,
        inputs_after=lambda inputs: [inputs[0].transpose(NCHW_TO_NHWC), *inputs[1:]],
    )


@pytest.mark.parametrize("variant", [{"perms": ([0, 1, 2, 3], [0, 3, 1, 2])}, {"constant": False}])
def test_modify_conv_leaves_other_transposes(variant: dict[str, Any]) -> None:
    graph = graph_of("modify_conv_data_format", **variant)
    assert run("modify_conv_data_format", graph).count("PythonConvTransFormatPass", "matched") == 0
    assert [node.type for node in graph.nodes].count("Transpose") == 2
    assert graph.find_node_by_name("conv0").get_attr("data_format") == "NHWC"


def test_modify_conv_keeps_a_permutation_that_others_use() -> None:
    graph = graph_of("modify_conv_data_format")
    transposes = [node for node in graph.nodes if node.type == "Transpose"]
    graph.outputs = [*graph.outputs, transposes[0].operands[1]]
    run("modify_conv_data_format", graph)
    assert [node.type for node in graph.nodes] == ["Conv2D", "Const", "Relu"]


def test_modify_conv_leaves_nhwc_alone() -> None:
    left_alone("modify_conv_data_format", graph_of("modify_conv_data_format", data_format="NHWC"))


# --- Experts


@pytest.mark.parametrize(
    "variant",
    [
        {},
        {"experts": 2, "levels": 4},
        {"product": MatMulV3},
        {"product": BatchMatMulV2, "transpose": (True, True)},
        {"transpose": (True, False)},
        {"transpose": (False, True), "experts": 5},
        {"distance": 8},
    ],
)
def test_mmoe_bmm_split(variant: dict[str, Any]) -> None:
    graph = graph_of("mmoe_bmm_split", **variant)
    levels, experts = variant.get("levels", 2), variant.get("experts", 3)
    same_values("mmoe_bmm_split", graph)
    types = [node.type for node in graph.nodes]
    assert types.count("Split") == levels - 1 and types.count("Pack") == 2 * (levels - 1)
    products = sum("MatMul" in each for each in types)
    assert products == experts + levels - 1


@pytest.mark.parametrize(
    "variant",
    [
        {"levels": 1},
        {"experts": 1},
        {"odd": "shape"},
        {"odd": "transpose"},
        {"odd": "bias"},
        {"rows": -1},
        {"distance": 10},
    ],
)
def test_mmoe_bmm_split_leaves_alone(variant: dict[str, Any]) -> None:
    left_alone("mmoe_bmm_split", graph_of("mmoe_bmm_split", **variant))


def obstruct(graph: ir.Graph, product: ir.Node, how: str) -> None:
    """Put something in the way of one product."""
    if how.startswith("control"):
        other = graph.add_node("math.NoOp", result_types=[])
        ends = (product, other) if how == "control out" else (other, product)
        graph.add_control_edge(*ends)
        graph.sort()
    elif how == "offset":
        product.set_attr("offset_x", 1)
    elif how == "bias":
        bias = graph.add_input("bias", ir.TensorType((2,), ir.f32))
        product.operands = [*product.operands, bias]
    else:
        product.operands = [*list(product.operands)[: int(how[-1])], None]


OBSTACLES = ["control in", "control out", "offset", "bias", "absent 0", "absent 1"]


@pytest.mark.parametrize("how", OBSTACLES)
def test_mmoe_bmm_split_is_careful(how: str) -> None:
    graph = graph_of("mmoe_bmm_split", experts=2)
    obstruct(graph, [n for n in graph.nodes if n.type == "MatMulV2"][-1], how)
    left_alone("mmoe_bmm_split", graph)


def test_mmoe_bmm_split_leaves_constants_alone() -> None:
    graph = graph_of("mmoe_bmm_split", experts=2)
    relus = [node for node in graph.nodes if node.type == "Relu"]
    for relu in relus[::2]:  # of the first level
        relu.operands = [graph.nodes[0].result]
    graph.infer_types()
    left_alone("mmoe_bmm_split", graph)


@pytest.mark.parametrize("how", OBSTACLES)
def test_mmoe_matmul_is_careful(how: str) -> None:
    graph = graph_of("mmoe_matmul", count=2)
    obstruct(graph, [n for n in graph.nodes if n.type == "MatMulV2"][-1], how)
    left_alone("mmoe_matmul", graph)


@pytest.mark.parametrize("shape", [(1, 3, 2), (3,)])
def test_mmoe_matmul_wants_weights_of_two_dimensions(shape: tuple[int, ...]) -> None:
    graph = graph_of("mmoe_matmul", count=2, product=BatchMatMulV2)
    for node in graph.nodes:
        if node.type == "Const":
            weight = Tensor([1.0] * int(np.prod(shape)), data_type=DataType.DT_FLOAT, shape=shape)
            node.set_attr("value", weight)
            node.result.type = weight.type
    left_alone("mmoe_matmul", graph)


def test_mmoe_bmm_split_makes_no_cycle() -> None:
    """Two products of one level by their first operands, of which one needs the other by its second."""
    graph = graph_of("mmoe_bmm_split", experts=2, distance=0)
    first, second = [n for n in graph.nodes if n.type == "MatMulV2"][1::2]
    assert first.results[0].type == ir.TensorType((3, 2), ir.f32)
    weight = graph.add_node(
        "nn.MatMulV2",
        [graph.add_input("t", ir.TensorType((2, 3), ir.f32)), first.result],
        {"transpose_x1": False, "transpose_x2": False, "offset_x": 0},
        result_types=[ir.TensorType((2, 2), ir.f32)],
        ip=ir.InsertionPoint.before(second),
    ).result
    second.operands = [second.operands[0], weight]
    graph.verify()
    before = str(graph)
    run("mmoe_bmm_split", graph)
    assert str(graph) == before


@pytest.mark.parametrize(
    "variant",
    [
        {},
        {"count": 2, "product": BatchMatMulV2},
        {"left": True},
        {"left": True, "product": BatchMatMulV2, "batch": (2,)},
        {"product": BatchMatMulV2, "batch": (2, 3)},
        {"transpose": (True, False)},
        {"transpose": (False, True)},
        {"transpose": (True, True), "left": True},
        {"transpose": (False, True), "left": True, "product": BatchMatMulV2, "batch": (2,)},
        {"transpose": (True, False), "left": True, "product": BatchMatMulV2},
        {"chain": True},
        {"chain": True, "count": 5, "product": BatchMatMulV2, "batch": (2,)},
        {"odd": "shape"},
        {"odd": "data"},
        {"odd": "input"},
        {"odd": "bias"},
        {"odd": "transpose", "rows": 3},
    ],
)
def test_mmoe_matmul(variant: dict[str, Any]) -> None:
    graph = graph_of("mmoe_matmul", **variant)
    types = [node.type for node in graph.nodes]
    count, odd = variant.get("count", 3), bool(variant.get("odd"))
    same_values("mmoe_matmul", graph)
    after = [node.type for node in graph.nodes]
    assert sum("MatMul" in each for each in after) == 1 + odd
    assert after.count("SplitV") == 1
    # The weights stay, sizes and dimension come; what only reshaped the other operands goes, with its constants.
    gone = sum(number % 2 == 0 for number in range(1, count)) if variant.get("chain") else 0
    assert after.count("Const") == types.count("Const") + 2 - gone


@pytest.mark.parametrize(
    "variant",
    [
        {"count": 1},
        {"rows": -1},
        *({"count": 2, "odd": odd} for odd in ("shape", "data", "bias", "input")),
        {"count": 2, "odd": "transpose", "rows": 3},
    ],
)
def test_mmoe_matmul_leaves_alone(variant: dict[str, Any]) -> None:
    left_alone("mmoe_matmul", graph_of("mmoe_matmul", **variant))


# --- Batched products


@pytest.mark.parametrize("product", [BatchMatMul, BatchMatMulV2])
@pytest.mark.parametrize(
    ("a_shape", "b_shape"),
    [
        ((2, 3, 4), (4, 5)),
        ((1, 1, 1), (1, 1)),
        ((-1, 3, 4), (4, 5)),
        ((2, -1, 4), (4, 5)),
        ((2, 3, -1), (4, 5)),
        ((2, 3, 4), (4, -1)),
        ((-1, -1, -1), (-1, -1)),
    ],
)
def test_flatten(product: Any, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> None:
    graph = graph_of("batch_matmul_flatten", product=product, a_shape=a_shape, b_shape=b_shape)
    sizes = [
        {"a_0": batch, "a_1": m, "a_2": 4, "b_0": 4, "b_1": n}
        for batch, m, n in ((2, 3, 5), (1, 7, 2))
    ]
    same_values("batch_matmul_flatten", graph, sizes=sizes)
    types = [node.type for node in graph.nodes]
    assert types.count("Reshape") == 2 and types.count("MatMulV2") == 1
    assert ("Shape" in types) == (-1 in (*a_shape, b_shape[1]))


@pytest.mark.parametrize("data_type", [DataType.DT_FLOAT16, DataType.DT_BF16])
def test_flatten_keeps_the_type(data_type: DataType) -> None:
    graph = graph_of("batch_matmul_flatten", data_type=data_type)
    same_values("batch_matmul_flatten", graph)
    assert {node.get_output_desc(0).data_type for node in graph.nodes if node.type != "Const"} == {
        data_type
    }


@pytest.mark.parametrize(
    "variant",
    [
        {"b_shape": (2, 4, 5)},
        {"a_shape": (3, 4)},
        {"a_shape": (1, 2, 3, 4)},
        {"b_shape": (5, 4), "adj_x2": True},
        {"a_shape": (2, 4, 3), "adj_x1": True},
        {"bias": True},
        {"offset_x": 1},
        {"data_type": DataType.DT_INT32},
        {"data_type": DataType.DT_DOUBLE},
        {"a_shape": (2**40, 2**40, 4)},
        {"a_shape": (2, 0, 4)},
    ],
)
def test_flatten_leaves_alone(variant: dict[str, Any]) -> None:
    left_alone("batch_matmul_flatten", graph_of("batch_matmul_flatten", **variant))


def test_flatten_wants_one_element_type() -> None:
    graph = graph_of("batch_matmul_flatten")
    graph.inputs[1].type = ir.TensorType((4, 5), ir.f16)
    left_alone("batch_matmul_flatten", graph)


def test_flatten_at_the_edge_of_64_bits() -> None:
    graph = graph_of("batch_matmul_flatten", a_shape=(2**32, 2**31 - 1, 4))
    assert run("batch_matmul_flatten", graph).changed
    assert graph.nodes[0].get_attr("value").get_data() == [2**32 * (2**31 - 1), 4]


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("chain", [False, True])
@pytest.mark.parametrize("adj_x1", [False, True])
def test_tile(side: int, chain: bool, adj_x1: bool) -> None:
    graph = graph_of("batch_matmul_tile", side=side, chain=chain, adj_x1=adj_x1)
    same_values("batch_matmul_tile", graph)
    assert "Tile" not in [node.type for node in graph.nodes]


@pytest.mark.parametrize(
    "variant",
    [
        {"x_shape": (1, 2, 4, 4), "y_shape": (3, 2, 4, 4)},
        {"x_shape": (1, 2, 4, 4), "y_shape": (3, 1, 4, 4)},
        {"chain": True, "x_shape": (1, 8), "shape": (3, 2, 4), "y_shape": (3, 2, 5)},
        {"chain": True, "x_shape": (1, 16), "shape": (3, -1, 4), "side": 1},
        {"chain": True, "perm": (0, 1, 2)},
    ],
)
def test_tile_shapes(variant: dict[str, Any]) -> None:
    same_values("batch_matmul_tile", graph_of("batch_matmul_tile", **variant))


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize(
    "variant",
    [
        {"y_shape": (1, 4, 4)},
        {"y_shape": (-1, 4, 4)},
        {"y_shape": (4, 4)},
        {"x_shape": (1, 4), "multiples": (4, 1), "y_shape": (4, 4)},
        {
            "chain": True,
            "x_shape": (1, 4),
            "multiples": (4, 1),
            "shape": (4, 4),
            "perm": (0, 1),
            "y_shape": (4, 4),
        },
        {"x_shape": (2, 4, 4), "multiples": (2, 1, 1), "y_shape": (4, 4, 4)},
        {"x_shape": (1, 2, 4), "multiples": (3, 2, 1)},
        {"x_shape": (1, 4), "multiples": (4, 1)},
        {"constant": False},
        {"used": "tile"},
        {"chain": True, "used": "tile"},
        {"chain": True, "used": "reshape"},
        {"chain": True, "used": "transpose"},
        {"chain": True, "x_shape": (1, 12), "shape": (3, 3, 4), "perm": (1, 0, 2)},
        {"chain": True, "shape": (6, 2, 4), "y_shape": (6, 4, 4)},
    ],
)
def test_tile_leaves_alone(variant: dict[str, Any], side: int) -> None:
    left_alone("batch_matmul_tile", graph_of("batch_matmul_tile", side=side, **variant))


@pytest.mark.parametrize("sample", ["batch_matmul_tile", "batch_matmul_to_mul_reduce"])
@pytest.mark.parametrize("operand", [0, 1])
def test_unknown_ranks_are_left_alone(sample: str, operand: int) -> None:
    graph = graph_of(sample)
    graph.inputs[operand].type = ir.TensorType(None, ir.f32)
    left_alone(sample, graph)


@pytest.mark.parametrize(
    "variant",
    [
        {},
        {"adj_x2": True, "batch": (2, 3), "terms": 16},
        {"batch": (), "terms": 1},
        {"batch": (3,), "b_batch": (1,)},
        {"batch": (3,), "b_batch": ()},
        {"perm": (0, 2, 1)},
        {"perm": (0, 2, 1), "perm_type": DataType.DT_INT32},
        {"perm": (0, 1, 3, 2), "batch": (2, 3), "data_type": DataType.DT_FLOAT16},
        {"perm": (1, 0), "batch": ()},
        {"perm": (1, 0), "batch": (3,), "b_batch": ()},
        {"perm": (0, 2, 1), "adj_x2": True, "terms": 1},
    ],
)
@pytest.mark.parametrize("is_output", [False, True])
def test_mul_reduce(variant: dict[str, Any], is_output: bool) -> None:
    graph = graph_of("batch_matmul_to_mul_reduce", **variant)
    if is_output:
        graph.outputs = [graph.nodes[-1].operands[0]]
        graph.erase_dead_nodes()
    same_values("batch_matmul_to_mul_reduce", graph)
    assert "BatchMatMulV2" not in [node.type for node in graph.nodes]


def test_mul_reduce_knows_permutations_of_int32_and_int64() -> None:
    graph = graph_of("batch_matmul_to_mul_reduce", perm=(0, 2, 1))
    perm = Tensor([0, 2, 1], data_type=DataType.DT_INT16)
    graph.nodes[0].set_attr("value", perm)
    graph.nodes[0].result.type = perm.type
    left_alone("batch_matmul_to_mul_reduce", graph)


@pytest.mark.parametrize(
    "variant",
    [
        {"columns": 2},
        {"terms": 17},
        {"adj_x1": True},
        {"adj_x2": False, "terms": 1},
        {"perm": (2, 0, 1), "batch": (4,)},
        {"perm": (0, 1, 2), "terms": 1},
        {"offset_x": 1},
        {"data_type": DataType.DT_DOUBLE},
        {"data_type": DataType.DT_INT32},
        {"users": 2},
        {"perm": (0, 2, 1), "users": 2},
    ],
)
def test_mul_reduce_leaves_alone(variant: dict[str, Any]) -> None:
    left_alone("batch_matmul_to_mul_reduce", graph_of("batch_matmul_to_mul_reduce", **variant))


# --- Layouts from a file


@pytest.fixture
def formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Write a file that says which layouts are wanted."""

    def write(text: str) -> None:
        (tmp_path / "formats.cfg").write_text(text)
        monkeypatch.setenv("ASCEND_CUSTOM_FORMATS_CFG", str(tmp_path / "formats.cfg"))

    return write


CONV = "[conv]\ninput.0=FORMAT_NHWC\noutput.0=FORMAT_NHWC\n"
RELU = CONV.replace("conv", "relu")
PASS = "GraphNodeSettedFormatPass"


def refused(graph: ir.Graph, reason: str) -> None:
    """Check that nothing is changed, and the pass says why."""
    before = graph.to_text(locations=True)
    result = run("transpose_fusion", graph)
    assert not result.changed and graph.to_text(locations=True) == before
    [remark] = result.passes[0].remarks
    assert reason in remark.message and remark.severity == "warning"


@pytest.mark.parametrize(
    ("variant", "text"),
    [
        ({}, CONV),
        ({"shape": (2, 5, 5, 5)}, CONV),
        ({"node": "relu"}, RELU),
        ({"node": "relu", "shape": (2, 3, 4, 5, 6)}, RELU),
        ({"node": "relu", "shape": (2, 3, 4, 5, 6)}, RELU.replace("NHWC", "NDHWC")),
    ],
)
def test_transpose_fusion(
    formats: Callable[[str], None], variant: dict[str, Any], text: str
) -> None:
    formats(text)
    graph = graph_of("transpose_fusion", **variant)
    same_values("transpose_fusion", graph)
    [node] = graph.nodes
    assert node.get_input_desc(0) == graph.inputs[0].node.get_output_desc(0)
    assert not [name for name in node.attributes if name.startswith("ge.input_desc")]


def test_transpose_fusion_of_an_input(formats: Callable[[str], None]) -> None:
    formats("[x]\noutput.0=FORMAT_NHWC\n" + CONV)
    graph = graph_of("transpose_fusion", first=False)
    same_values(
        "transpose_fusion",
        graph,
        inputs_after=lambda inputs: [inputs[0].transpose(NCHW_TO_NHWC), *inputs[1:]],
    )
    assert [node.type for node in graph.nodes] == ["Conv2D"]
    assert graph.inputs[0].type == ir.TensorType((1, 6, 5, 2), ir.f32, format="NHWC")


def test_transpose_fusion_keeps_a_permutation_that_others_use(
    formats: Callable[[str], None],
) -> None:
    formats(CONV)
    graph = graph_of("transpose_fusion", shared=True)
    assert run("transpose_fusion", graph).changed
    assert sorted(node.type for node in graph.nodes) == ["Const", "Conv2D"]


def test_transpose_fusion_keeps_what_others_use_behind_it(formats: Callable[[str], None]) -> None:
    formats(CONV)
    graph = graph_of("transpose_fusion", used="after")
    same_values("transpose_fusion", graph)
    assert [node.type for node in graph.nodes] == ["Conv2D", "Relu"]


@pytest.mark.parametrize(
    ("variant", "reason"),
    [
        ({"used": "before"}, "before gives FORMAT_NCHW"),
        ({"used": "node"}, "conv gives FORMAT_NHWC"),
        ({"first": False}, "x gives FORMAT_NCHW"),
        ({"shape": (1, 5, 5, 5), "perm": [0, 3, 2, 1]}, "before gives FORMAT_NCHW"),
    ],
)
def test_transpose_fusion_is_undone_where_edges_do_not_fit(
    formats: Callable[[str], None], variant: dict[str, Any], reason: str
) -> None:
    formats(CONV)
    refused(graph_of("transpose_fusion", **variant), reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (CONV + "[nobody]\noutput.0=FORMAT_NHWC\n", "nobody"),
        (CONV + "input.9=FORMAT_NHWC\n", "has not that many inputs"),
        (CONV + "output.1=FORMAT_NHWC\n", "has not that many inputs and outputs"),
        ("[conv]\ninput.0=FORMAT_ND\noutput.0=FORMAT_NHWC\n", "takes FORMAT_ND [1, 2, 6, 5]"),
        (CONV + "input.1=FORMAT_NDHWC\n", "input 1 of conv takes FORMAT_NDHWC"),
    ],
)
def test_transpose_fusion_is_undone_where_layouts_do_not_fit(
    formats: Callable[[str], None], text: str, reason: str
) -> None:
    formats(text)
    refused(graph_of("transpose_fusion"), reason)


@pytest.mark.parametrize("how", ["an input", "of another type"])
def test_transpose_fusion_knows_constant_permutations(
    formats: Callable[[str], None], how: str
) -> None:
    formats(CONV)
    graph = graph_of("transpose_fusion")
    transpose = graph.find_node_by_name("before")
    if how == "an input":
        perm = graph.add_input("perm", ir.TensorType((4,), ir.i64))
        transpose.operands = [transpose.operands[0], perm]
    else:
        node = transpose.get_in_data_nodes_and_port_indexes(1)[0]
        tensor = Tensor([0, 3, 1, 2], data_type=DataType.DT_INT16)
        node.set_attr("value", tensor)
        node.result.type = tensor.type
    refused(graph, "before gives FORMAT_NCHW")


def test_transpose_fusion_on_one_side(formats: Callable[[str], None]) -> None:
    """What a node gives may stay; what the file says is done, whether it is wise or not."""
    formats("[relu]\ninput.0=FORMAT_NHWC\n")
    graph = graph_of("transpose_fusion", node="relu")
    assert run("transpose_fusion", graph).changed
    assert [node.type for node in graph.nodes] == ["Relu", "Const", "Transpose"]


def test_transpose_fusion_asks_the_engine(
    formats: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def check(node: ir.Node) -> tuple[bool, str]:
        asked.append((node.name, node.get_input_desc(0).format.name))
        return (node.name != "relu", "no such kernel")

    monkeypatch.setattr(GeUtils, "check_node_support_on_aicore", staticmethod(check))
    formats("[x]\noutput.0=FORMAT_NHWC\n" + CONV)
    assert run("transpose_fusion", graph_of("transpose_fusion")).changed
    assert asked == [("conv", "FORMAT_NHWC")]
    formats("[x]\noutput.0=FORMAT_NHWC\n" + RELU)
    refused(
        graph_of("transpose_fusion", node="relu"), "relu does not run in these layouts: no such"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[conv]\ninput.0=FORMAT_CHWN\n", "is no layout"),
        ("[conv]\ninput=FORMAT_NHWC\n", "is no layout"),
        ("input.0=FORMAT_NHWC\n", "no section headers"),
        ("[conv]\nnonsense\n", "parsing errors"),
    ],
)
def test_transpose_fusion_refuses_a_bad_file(
    formats: Callable[[str], None], text: str, reason: str
) -> None:
    formats(text)
    with pytest.raises(ir.PassError, match=f"(?s)ASCEND_CUSTOM_FORMATS_CFG: .*{reason}"):
        run("transpose_fusion", graph_of("transpose_fusion"))


def test_transpose_fusion_without_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASCEND_CUSTOM_FORMATS_CFG", raising=False)
    left_alone("transpose_fusion", graph_of("transpose_fusion"))
