"""Relu of joined tensors becomes joined Relus: a pass that gets the whole graph, for ConcatV2 has any number of inputs.

``python move_relu_before_concat_pass.py graph.mlir`` runs it by itself.
"""

import ge.passes
from ge.es import GraphBuilder
from ge.es.math import ConcatV2
from ge.es.nn import Relu
from ge.graph import Graph, Node
from ge.passes import (
    FusionBasePass,
    PassContext,
    PassStage,
    SubgraphBoundary,
    SubgraphInput,
    SubgraphOutput,
    SubgraphRewriter,
    register_fusion_pass,
)


def relu_after(concat: Node) -> Node | None:
    """Return the Relu that alone uses what a node gives."""
    if concat.get_outputs_size() != 1:
        return None
    users = concat.get_out_data_nodes_and_port_indexes(0)
    if len(users) != 1 or users[0][0].type != "Relu":
        return None
    return users[0][0]


def boundary_of(concat: Node, relu: Node) -> SubgraphBoundary:
    """Return the part that goes: all inputs of the one, the output of the other."""
    boundary = SubgraphBoundary()
    for port in range(concat.get_inputs_size()):
        source = SubgraphInput()
        source.add_input(concat, port)
        boundary.add_input(port, source)
    result = SubgraphOutput()
    result.set_output(relu, 0)
    boundary.add_output(0, result)
    return boundary


def replacement_of(concat: Node) -> Graph:
    """Return ``ConcatV2(Relu(x0), ..., Relu(xn-1), dim)``."""
    count = concat.get_inputs_size() - 1  # the last is the dimension
    builder = GraphBuilder("concat_of_relus")
    *xs, dim = builder.create_inputs(count + 1)
    return builder.build_and_reset([ConcatV2([Relu(x) for x in xs], dim, N=count)])


@register_fusion_pass(name="PythonMoveReluBeforeConcatPass", stage=PassStage.BEFORE_INFER_SHAPE)
class MoveReluBeforeConcatPass(FusionBasePass):
    """``Relu(ConcatV2(x0, ..., xn-1, dim))`` becomes ``ConcatV2(Relu(x0), ..., Relu(xn-1), dim)``."""

    def run(self, graph: Graph, context: PassContext) -> None:
        """Look once at every ConcatV2 that there is."""
        concats = [node for node in graph.get_direct_nodes() if node.type == "ConcatV2"]
        for concat in concats:
            relu = relu_after(concat)
            if relu is not None:
                SubgraphRewriter.replace(
                    boundary_of(concat, relu), replacement_of(concat), context=context
                )


if __name__ == "__main__":
    raise SystemExit(ge.passes.main())
