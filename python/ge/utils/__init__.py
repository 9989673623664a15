"""CANN's helpers that belong to no class of its own: `GeUtils`."""

from .. import ir
from .._support.program import PACKAGE
from ..passes import infer_anew

__all__ = ["GeUtils"]


class GeUtils:
    """Functions over graphs and nodes, as CANN has them."""

    @staticmethod
    def infer_shape(graph: ir.Graph, input_shapes: list[list[int]]) -> None:
        """Give the inputs of a graph shapes, and infer the types of all other values anew.

        Parameters
        ----------
        graph : Graph
        input_shapes : list of list of int
            One for each input; -1 is an unknown size.

        Raises
        ------
        TypeError
            If something else is given.
        RuntimeError
            If there are not as many shapes as inputs, or operands do not fit; types are what they were then.
        """
        if not isinstance(graph, ir.Graph):
            raise TypeError(f"graph must be a {PACKAGE}.graph.Graph, not {type(graph).__name__}")
        if not isinstance(input_shapes, list) or not all(
            isinstance(shape, list | ir.TensorShape) for shape in input_shapes
        ):
            raise TypeError("input_shapes must be a list of shape lists")
        if not all(type(dim) is int for shape in input_shapes for dim in shape):
            raise TypeError("each shape dim must be an integer")
        if len(input_shapes) != len(graph.inputs):
            raise RuntimeError(
                f"Failed to infer shape: {len(input_shapes)} shapes for {len(graph.inputs)} inputs"
            )
        with graph.root.transaction():
            for value, shape in zip(graph.inputs, input_shapes, strict=True):
                node = value.node
                node.update_output_desc(0, node.get_output_desc(0).set_shape(shape))
            contradictions = infer_anew(graph)
            if contradictions:
                said = "; ".join(each.message for each in contradictions)
                raise RuntimeError(f"Failed to infer shape: {said}")

    @staticmethod
    def check_node_support_on_aicore(node: ir.Node) -> tuple[bool, str]:
        """Not available: the engine of Ascend hardware answers it.

        A vendor's package may put its own function here. ``(True, "")``, or False and why not, is the answer.

        Raises
        ------
        NotImplementedError
            Always.
        """
        raise NotImplementedError(
            "whether a node runs on AICore is decided by the engine of Ascend hardware, which is not available"
        )
