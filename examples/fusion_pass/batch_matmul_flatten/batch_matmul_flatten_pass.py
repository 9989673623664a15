"""The batch of a batched product with a matrix goes into its rows.

``python batch_matmul_flatten_pass.py graph.mlir`` runs it by itself.
"""

from typing import Any

import ge.passes
from ge.es import GraphBuilder, TensorHolder
from ge.es.math import Concat, Mul, Reshape, Shape, Slice
from ge.es.nn import BatchMatMul, BatchMatMulV2, MatMulV2
from ge.graph import DataType, Graph, Node, TensorDesc
from ge.passes import (
    MatchResult,
    PassStage,
    PatternFusionPass,
    infer_shape,
    pattern,
    register_fusion_pass,
)

DATA_TYPES = (DataType.DT_FLOAT, DataType.DT_FLOAT16, DataType.DT_BF16)
TRANSPOSES = ("transpose_x1", "transpose_x2", "adj_x1", "adj_x2")
LARGEST = 2**63 - 1


def product_of(match_result: MatchResult) -> Node:
    """Return the node; inputs are captured first, then the output."""
    node: Node = match_result.get_captured_tensor(2).node
    return node


def is_plain(node: Node) -> bool:
    """Whether nothing is transposed, and there is no offset."""
    if any(node.has_attr(name) and node.get_attr(name) for name in TRANSPOSES):
        return False
    return not (node.has_attr("offset_x") and node.get_attr("offset_x") != 0)


class Sizes:
    """Sizes of a tensor as tensors of one element: constants, or parts of its shape where they are not known."""

    def __init__(self, builder: GraphBuilder, tensor: TensorHolder, desc: TensorDesc) -> None:
        self.builder = builder
        self.tensor = tensor
        self.dims = desc.shape
        self.shape: TensorHolder | None = None
        self.made: dict[int, TensorHolder] = {}

    def __getitem__(self, index: int) -> TensorHolder:
        """Return one size."""
        if index not in self.made:
            self.made[index] = self.make(index)
        return self.made[index]

    def make(self, index: int) -> TensorHolder:
        """Make one size, and the shape when it is the first that is not known."""
        vector = self.builder.create_vector_int64
        if self.dims[index] >= 0:
            return vector([self.dims[index]])
        if self.shape is None:
            self.shape = Shape(self.tensor, dtype=DataType.DT_INT64)
        return Slice(self.shape, vector([index]), vector([1]))


def shapes(
    builder: GraphBuilder, a: TensorHolder, b: TensorHolder, descs: list[TensorDesc]
) -> tuple[TensorHolder, TensorHolder]:
    """Return the shapes ``[batch * m, k]`` and ``[batch, m, n]``."""
    batch, m, k = descs[0].shape
    n = descs[1].shape[1]
    if min(batch, m, k, n) >= 0:
        vector = builder.create_vector_int64
        return vector([batch * m, k]), vector([batch, m, n])
    left, right = Sizes(builder, a, descs[0]), Sizes(builder, b, descs[1])
    known = min(batch, m) >= 0
    rows = builder.create_vector_int64([batch * m]) if known else Mul(left[0], left[1])
    return Concat(0, [rows, left[2]], N=2), Concat(0, [left[0], left[1], right[1]], N=3)


@register_fusion_pass(name="PythonBatchMatMulFlattenPass", stage=PassStage.AFTER_INFER_SHAPE)
class BatchMatMulFlattenPass(PatternFusionPass):
    """``a[batch, m, k] @ b[k, n]`` becomes a product of two matrices between two Reshapes."""

    @pattern
    def batch_matmul_v2(self, inputs: Any) -> Any:
        """First pattern."""
        return BatchMatMulV2(inputs[0], inputs[1])

    @pattern
    def batch_matmul(self, inputs: Any) -> Any:
        """Second pattern."""
        return BatchMatMul(inputs[0], inputs[1])

    def meet_requirements(self, match_result: MatchResult) -> bool:
        """Three dimensions and two, of one element type, nothing transposed."""
        node = product_of(match_result)
        if node.get_inputs_size() != 2 or not is_plain(node):
            return False
        a, b = node.get_input_desc(0), node.get_input_desc(1)
        if a.data_type != b.data_type or a.data_type not in DATA_TYPES:
            return False
        if (len(a.shape), len(b.shape)) != (3, 2):
            return False
        batch, m, _ = a.shape
        if 0 in a.shape:
            return False  # to Reshape 0 is the size that was there
        return min(batch, m) < 0 or batch * m <= LARGEST

    def replacement(self, match_result: MatchResult) -> Graph:
        """Of both patterns."""
        node = product_of(match_result)
        builder = GraphBuilder("flattened")
        a, b = builder.create_inputs(2)
        flat, full = shapes(builder, a, b, [node.get_input_desc(0), node.get_input_desc(1)])
        graph = builder.build_and_reset([Reshape(MatMulV2(Reshape(a, flat), b), full)])
        infer_shape(graph, node)
        return graph


if __name__ == "__main__":
    raise SystemExit(ge.passes.main())
