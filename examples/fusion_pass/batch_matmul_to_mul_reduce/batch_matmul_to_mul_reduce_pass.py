"""A batched product with one column and few terms becomes a multiplication and a sum.

``python batch_matmul_to_mul_reduce_pass.py graph.mlir`` runs it by itself.
"""

import ge.passes
from ge.es import GraphBuilder
from ge.es.math import Mul, ReduceSumD, Transpose
from ge.es.nn import BatchMatMulV2
from ge.graph import DataType, Graph, Node
from ge.passes import (
    MatchResult,
    PassStage,
    Pattern,
    PatternFusionPass,
    create_pattern,
    infer_shape,
    register_fusion_pass,
)

A, B, PRODUCT, TRANSPOSE = range(4)  # indices of what is captured
DATA_TYPES = (DataType.DT_FLOAT, DataType.DT_FLOAT16)
MOST_TERMS = 16


def pattern_of(*, transpose: bool) -> Pattern:
    """Return a product, whose second operand is transposed by a node when `transpose` says so."""
    builder = GraphBuilder("bmm_transpose" if transpose else "bmm")
    a, b = builder.create_inputs(2)
    captured = [a, b]
    if transpose:
        turned = Transpose(b, builder.create_vector_int64([0]))  # any constant
        captured += [BatchMatMulV2(a, turned), turned]
    else:
        captured.append(BatchMatMulV2(a, b))
    pattern = create_pattern(builder.build_and_reset([captured[PRODUCT]]))
    for tensor in captured:
        pattern.capture_tensor(tensor)
    return pattern


def transpose_of(match_result: MatchResult) -> Node | None:
    """Return the Transpose; None where the pattern has none."""
    try:
        node: Node = match_result.get_captured_tensor(TRANSPOSE).node
    except RuntimeError:
        return None
    return node


def swaps_the_last(transpose: Node) -> bool:
    """Whether a Transpose exchanges the last two dimensions and leaves the others."""
    tensor = transpose.get_input_const_tensor(1)
    if tensor is None or tensor.data_type not in (DataType.DT_INT32, DataType.DT_INT64):
        return False
    perm = [int(each) for each in tensor.numpy().flat]
    rank = len(perm)
    return rank >= 2 and perm == [*range(rank - 2), rank - 1, rank - 2]


@register_fusion_pass(name="PythonBatchMatMulToMulReducePass", stage=PassStage.AFTER_INFER_SHAPE)
class BatchMatMulToMulReducePass(PatternFusionPass):
    """``a @ b^T`` with one column becomes ``ReduceSumD(a * b, -1)``."""

    def patterns(self) -> list[Pattern]:
        """Transposed by the attribute, and by a node."""
        return [pattern_of(transpose=False), pattern_of(transpose=True)]

    def meet_requirements(self, match_result: MatchResult) -> bool:
        """Floats, one column, at most 16 terms."""
        product = match_result.get_captured_tensor(PRODUCT).node
        if product.get_attr("adj_x1") or product.get_attr("offset_x") != 0:
            return False
        transpose = transpose_of(match_result)
        if product.get_attr("adj_x2") == (transpose is not None):
            return False  # transposed twice, or not at all
        if transpose is not None and not swaps_the_last(transpose):
            return False
        if len(product.get_out_data_nodes_and_port_indexes(0)) > 1:
            return False
        sources = [match_result.get_captured_tensor(i) for i in (A, B)]
        a, b = (source.node.get_output_desc(source.index) for source in sources)
        if a.data_type != b.data_type or a.data_type not in DATA_TYPES:
            return False
        if len(a.shape) < 2 or len(b.shape) < 2:
            return False
        columns, terms = b.shape[-2:]
        return bool(columns == 1 and 0 < terms <= MOST_TERMS and a.shape[-1] == terms)

    def replacement(self, match_result: MatchResult) -> Graph:
        """Of both patterns."""
        builder = GraphBuilder("mul_reduce")
        a, b = builder.create_inputs(2)
        graph = builder.build_and_reset([ReduceSumD(Mul(a, b), axes=[-1], keep_dims=True)])
        # Not from the product's node, whose second input is what Transpose gives.
        infer_shape(graph, match_result)
        return graph


if __name__ == "__main__":
    raise SystemExit(ge.passes.main())
