"""A convolution in NCHW works in NHWC, and the transposes after it go.

``python modify_conv_data_format_pass.py graph.mlir`` runs it by itself.
"""

from collections import deque
from collections.abc import Iterator

import ge.passes
from ge.graph import DataType, Graph, Node
from ge.passes import (
    FusionBasePass,
    PassContext,
    PassStage,
    can_fuse,
    register_fusion_pass,
    report_fuse,
)

CONVOLUTIONS = ("Conv2D", "Conv2DV2")
TO_NHWC = [0, 2, 3, 1]
TO_NCHW = [0, 3, 1, 2]


def permutation(transpose: Node) -> list[int]:
    """Return the constant permutation of a Transpose; empty where it is not known."""
    source, _ = transpose.get_in_data_nodes_and_port_indexes(1)
    if source.type not in ("Const", "Constant"):
        return []
    tensor = source.get_attr("value")
    if tensor.data_type not in (DataType.DT_INT32, DataType.DT_INT64):
        return []
    return list(tensor.get_data())


def users(node: Node) -> list[Node]:
    """Return the nodes that take what a node gives, in order."""
    return [
        user
        for output in range(node.get_outputs_size())
        for user, _ in node.get_out_data_nodes_and_port_indexes(output)
    ]


def behind(start: Node) -> Iterator[Node]:
    """Yield the nodes that depend on a node, the nearest first."""
    waiting, seen = deque(users(start)), set()
    while waiting:
        node = waiting.popleft()
        if node not in seen:
            seen.add(node)
            yield node
            waiting.extend(users(node))


def first_transpose(start: Node, perm: list[int]) -> Node | None:
    """Return the nearest Transpose after a node that has this permutation."""
    for node in behind(start):
        if node.type == "Transpose" and permutation(node) == perm:
            return node
    return None


def bypass(graph: Graph, transpose: Node) -> None:
    """Link what a Transpose takes with what takes what it gives, and remove it."""
    source, output = transpose.get_in_data_nodes_and_port_indexes(0)
    perm, _ = transpose.get_in_data_nodes_and_port_indexes(1)
    for user, port in transpose.get_out_data_nodes_and_port_indexes(0):
        graph.remove_edge(transpose, 0, user, port)
        graph.add_data_edge(source, output, user, port)
    graph.remove_node(transpose)
    if not perm.get_out_data_nodes_and_port_indexes(0):
        graph.remove_node(perm)


@register_fusion_pass(name="PythonConvTransFormatPass", stage=PassStage.BEFORE_INFER_SHAPE)
class ConvTransFormatPass(FusionBasePass):
    """``Transpose(f(Transpose(Conv2D, to NHWC)), to NCHW)`` becomes ``f(Conv2D in NHWC)``."""

    def run(self, graph: Graph, context: PassContext) -> None:
        """Look at every convolution."""
        convolutions = [n for n in graph.get_direct_nodes() if n.type in CONVOLUTIONS]
        for conv in convolutions:
            if conv.has_attr("data_format") and conv.get_attr("data_format") == "NCHW":
                self.change(graph, conv, context)

    def change(self, graph: Graph, conv: Node, context: PassContext) -> None:
        """Change one convolution, and take out the transposes after it: to NHWC, then back."""
        self.change_attributes(conv)
        for perm in (TO_NHWC, TO_NCHW):
            transpose = first_transpose(conv, perm)
            if transpose is None or not can_fuse([transpose]):
                break
            report_fuse([transpose], [], context)
            bypass(graph, transpose)
        for node in (conv, *behind(conv)):
            self.forget_shapes(node)

    def change_attributes(self, conv: Node) -> None:
        """Say NHWC, and the numbers for each dimension in that order."""
        conv.set_attr("data_format", "NHWC")
        for name in ("strides", "dilations"):
            if conv.has_attr(name) and len(conv.get_attr(name)) == 4:
                numbers = conv.get_attr(name)
                conv.set_attr(name, [numbers[i] for i in TO_NHWC])

    def forget_shapes(self, node: Node) -> None:
        """Leave shapes, which were those of NCHW, to the inference that comes later."""
        for i in range(node.get_outputs_size()):
            node.update_output_desc(i, node.get_output_desc(i).set_shape([-2]))


if __name__ == "__main__":
    raise SystemExit(ge.passes.main())
