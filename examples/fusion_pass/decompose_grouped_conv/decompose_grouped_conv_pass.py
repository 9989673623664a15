"""A convolution in groups becomes one convolution for each group.

``python decompose_grouped_conv_pass.py graph.mlir`` runs it by itself.
"""

from collections.abc import Sequence

import ge.passes
from ge.es import GraphBuilder, TensorHolder
from ge.es.math import Concat, Split
from ge.es.nn import Conv2D
from ge.graph import DataType, Format, Graph, Node, TensorDesc
from ge.passes import DecomposePass, PassStage, infer_shape, register_decompose_pass

BIAS, OFFSET = 2, 3  # optional inputs of Conv2D


def has_input(node: Node, index: int) -> bool:
    """Whether an optional input is connected."""
    return index < node.get_inputs_size() and node.operands[index] is not None


def describe(conv: TensorHolder) -> None:
    """Say what inference is to keep: the layout."""
    desc = TensorDesc(format=Format.FORMAT_NCHW, data_type=DataType.DT_FLOAT)
    desc.set_origin_format(Format.FORMAT_NCHW)
    node = conv._get_node_snapshot()
    node.update_input_desc(0, desc)
    node.update_input_desc(1, desc)
    node.update_output_desc(0, desc)


@register_decompose_pass(
    name="PythonDecomposeGroupedConvPass",
    stage=PassStage.AFTER_INFER_SHAPE,
    op_types=["Conv2D"],
)
class DecomposeGroupedConvPass(DecomposePass):
    """Split, Conv2D for each part, Concat."""

    def meet_requirements(self, node: Node) -> bool:
        """Only groups of channels, in NCHW."""
        if node.get_attr("groups") == 1 or node.get_attr("data_format") != "NCHW":
            return False
        return not has_input(node, OFFSET)

    def replacement(self, node: Node) -> Graph:
        """Return the graph; its inputs are those of the node that are connected."""
        groups = node.get_attr("groups")
        builder = GraphBuilder("decompose_grouped_conv")
        x, w = builder.create_inputs(2)
        xs = Split(1, x, groups, num_split=groups)
        ws = Split(0, w, groups, num_split=groups)
        biases: Sequence[TensorHolder | None] = [None] * groups
        if has_input(node, BIAS):
            biases = Split(0, builder.create_input(2), groups, num_split=groups)
        convs = []
        for part, weight, bias in zip(xs, ws, biases, strict=True):
            conv = Conv2D(
                part,
                weight,
                bias,
                strides=node.get_attr("strides"),
                pads=node.get_attr("pads"),
                dilations=node.get_attr("dilations"),
                groups=1,
                data_format="NCHW",
            )
            describe(conv)
            convs.append(conv)
        graph = builder.build_and_reset([Concat(1, convs, N=groups)])
        infer_shape(graph, node)
        return graph


if __name__ == "__main__":
    raise SystemExit(ge.passes.main())
