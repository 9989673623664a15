"""A batched product does without Tile: a batch of one is broadcast.

``python batch_matmul_tile_pass.py graph.mlir`` runs it by itself.
"""

import ge.passes
from ge.es import GraphBuilder, TensorHolder
from ge.es.math import Reshape, Tile, Transpose
from ge.es.nn import BatchMatMulV2
from ge.graph import Graph, Node, TensorDesc
from ge.passes import (
    MatchResult,
    PassStage,
    Pattern,
    PatternFusionPass,
    create_pattern,
    register_fusion_pass,
)

TILE, PRODUCT, RESHAPE, TRANSPOSE = range(4)  # indices of what is captured
ATTRIBUTES = ("adj_x1", "adj_x2", "offset_x")


def pattern_of(side: int, *, chain: bool) -> Pattern:
    """Return a product whose operand `side` comes from Tile, over Reshape and Transpose when it is a `chain`."""
    builder = GraphBuilder(f"tile{'_reshape_transpose' if chain else ''}_{side}")
    x, y = builder.create_inputs(2)

    def anything() -> TensorHolder:
        # The matcher is not configured to compare constants.
        return builder.create_vector_int64([0])

    tile = last = Tile(x, anything())
    captured = [tile]
    if chain:
        reshape = Reshape(tile, anything())
        last = Transpose(reshape, anything())
        captured += [reshape, last]
    product = BatchMatMulV2(last, y) if side == 0 else BatchMatMulV2(y, last)
    captured.insert(PRODUCT, product)
    pattern = create_pattern(builder.build_and_reset([product]))
    for tensor in captured:
        pattern.capture_tensor(tensor)
    return pattern


def captured(match_result: MatchResult, index: int) -> Node | None:
    """Return a captured node; None where the pattern captures fewer."""
    try:
        node: Node = match_result.get_captured_tensor(index).node
    except RuntimeError:
        return None
    return node


def numbers(node: Node, index: int) -> list[int]:
    """Return a constant input's elements; none where it is not known."""
    tensor = node.get_input_const_tensor(index)
    return [] if tensor is None else [int(each) for each in tensor.numpy().flat]


class Found:
    """What a match consists of."""

    def __init__(self, match_result: MatchResult) -> None:
        tile, product = captured(match_result, TILE), captured(match_result, PRODUCT)
        assert tile is not None
        assert product is not None
        self.tile, self.product = tile, product
        self.reshape, self.transpose = (captured(match_result, i) for i in (RESHAPE, TRANSPOSE))
        last = tile if self.transpose is None else self.transpose
        self.side = int(product.get_in_data_nodes_and_port_indexes(0)[0] != last)

    def is_broadcast(self) -> bool:
        """Whether the product does by itself what Tile does: repeat a batch of one.

        The matcher checks that Tile, Reshape and Transpose have no other uses.
        """
        before = self.tile.get_input_desc(0).shape
        other = self.product.get_input_desc(1 - self.side).shape
        tiled = self.product.get_input_desc(self.side).shape
        if not before or before[0] != 1 or len(other) < 3 or len(tiled) != len(other):
            return False
        if other[0] in (1, -1):
            return False
        first, *rest = numbers(self.tile, 1) or [0]
        if first <= 0 or any(each != 1 for each in rest):
            return False
        return self.keeps_the_batch(first)

    def keeps_the_batch(self, batch: int) -> bool:
        """Whether the batch is still in front where it comes to the product."""
        if self.reshape is None or self.transpose is None:
            return len(self.tile.get_input_desc(0).shape) >= 3
        shape, perm = numbers(self.reshape, 1), numbers(self.transpose, 1)
        return shape[:1] == [batch] and perm[:1] == [0]


@register_fusion_pass(name="PythonBatchMatMulTilePass", stage=PassStage.AFTER_INFER_SHAPE)
class BatchMatMulTilePass(PatternFusionPass):
    """``BatchMatMulV2(Tile(x), y)`` becomes ``BatchMatMulV2(x, y)``."""

    def patterns(self) -> list[Pattern]:
        """Four: on either side, without and with Reshape and Transpose."""
        return [pattern_of(side, chain=chain) for chain in (False, True) for side in (0, 1)]

    def meet_requirements(self, match_result: MatchResult) -> bool:
        """Only what the product broadcasts."""
        return Found(match_result).is_broadcast()

    def replacement(self, match_result: MatchResult) -> Graph:
        """Of all patterns."""
        found = Found(match_result)
        builder = GraphBuilder("untiled")
        x, y = builder.create_inputs(2)
        last = x
        if found.reshape is not None and found.transpose is not None:
            last = self.chain(builder, x, found.reshape, found.transpose)
        operands = (last, y) if found.side == 0 else (y, last)
        attributes = {name: found.product.get_attr(name) for name in ATTRIBUTES}
        product = BatchMatMulV2(*operands, **attributes)
        product._get_node_snapshot().update_output_desc(0, found.product.get_output_desc(0))
        return builder.build_and_reset([product])

    def chain(
        self, builder: GraphBuilder, x: TensorHolder, reshape: Node, transpose: Node
    ) -> TensorHolder:
        """Return Reshape and Transpose of a batch of one; there is no inference, types are set."""
        perm = numbers(transpose, 1)
        shaped = Reshape(x, builder.create_vector_int64([1, *numbers(reshape, 1)[1:]]))
        turned = Transpose(shaped, builder.create_vector_int64(perm))
        for tensor, before in ((shaped, reshape), (turned, transpose)):
            desc: TensorDesc = before.get_output_desc(0)
            desc.set_shape([1, *desc.shape[1:]])
            tensor._get_node_snapshot().update_output_desc(0, desc)
        return turned


if __name__ == "__main__":
    raise SystemExit(ge.passes.main())
