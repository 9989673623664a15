"""CANN's samples of passes in examples/fusion_pass: experts, and batched matrix products.

test/Passes/Samples checks the text of the graphs.
"""

from typing import Any

import numpy as np
import pytest
from fusion_samples import graph_of, left_alone, run, same_values

import ge.ir as ir
from ge.es.nn import BatchMatMul, BatchMatMulV2, MatMulV3
from ge.graph import DataType, Tensor

pytestmark = pytest.mark.usefixtures("clean_passes")


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
    """Edit one matrix product so that a pass must not fuse it."""
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
    for relu in relus[::2]:  # those of the first level
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
    """Two products whose first operands put them on one level are not fused if one depends on the other."""
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
    # The weights stay, and SplitV adds constants for sizes and dimension; reshapes of other operands are removed with
    # their constants.
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
