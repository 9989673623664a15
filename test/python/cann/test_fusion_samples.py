"""CANN's samples of passes in examples/fusion_pass: they check their conditions and keep the results of a graph.

test/Passes/Samples checks the text of the graphs.
"""

import gc
import os
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest
from cann_numpy import evaluate, random_inputs
from fusion_samples import SAMPLES, builder_of, graph_of, left_alone, names, run, same_values
from type_checker import check_types

import ge.ir as ir
import ge.passes as passes
from ge.es.nn import BatchMatMulV2
from ge.graph import DataType

pytestmark = pytest.mark.usefixtures("clean_passes")


# --- All samples


def test_all_are_found_together() -> None:
    assert passes.load_pass_plugins(str(SAMPLES))
    assert not passes.bootstrap.load_errors()
    found = passes.get_registered_passes()
    files = {str(getattr(sys.modules[d.module_name], "__file__", "")) for d in found}
    assert {os.path.basename(os.path.dirname(file)) for file in files} == set(names())
    assert all(d.stage is not None for d in found)


# This pass changes the layout of inputs, so it is switched off for the other samples.
LAYOUT_PASS = "PythonConvTransFormatPass"
# Not evaluated: a product with an offset, a tensor of 2**80 elements, an integer input that random values do not fit.
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
            # The passes treat a half-precision constant up to 1e-3 as zero, so results may differ by that.
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


@pytest.mark.slow
@pytest.mark.nosan  # the sanitizer build has no stubs
def test_a_type_checker_agrees() -> None:
    """The stubs cover CANN's interface as far as pass files use it."""
    files = sorted(str(path.relative_to(SAMPLES)) for path in SAMPLES.glob("*/*.py"))
    assert check_types(SAMPLES, *files) == ""


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


# --- MatMul and Add


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
    with pytest.raises(ir.PassError, match="cannot fuse matmul and add: .*index 1"):
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
