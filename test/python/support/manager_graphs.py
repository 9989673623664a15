"""A graph and Python passes for tests of the pass manager."""

import pytest

import ge.ir as ir
import ge.passes as passes

TEXT = """
func.func @main(%x: tensor<2xf32>, %c: tensor<i1>) -> (tensor<*xf32>, tensor<2xf32>) {
  %a = "onnx.Relu"(%x) : (tensor<2xf32>) -> tensor<*xf32>
  %b = "onnx.Neg"(%a) : (tensor<*xf32>) -> tensor<*xf32>
  %if = "onnx.If"(%c) ({
    %t = "onnx.Abs"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    "ge.yield"(%t) : (tensor<2xf32>) -> ()
  }, {
    "ge.yield"(%x) : (tensor<2xf32>) -> ()
  }) {ge.subgraphs = [{slot = "then_branch"}, {slot = "else_branch"}]} : (tensor<i1>) -> tensor<2xf32>
  return %b, %if : tensor<*xf32>, tensor<2xf32>
}
"""


@pytest.fixture
def graph() -> ir.Graph:
    return ir.Graph.parse(TEXT)


def rename(graph: ir.Graph, context: passes.PassContext) -> None:
    graph.nodes[0].name = "renamed"
    context.count("renamed")


def fail(graph: ir.Graph, context: passes.PassContext) -> None:
    for node in list(graph.nodes):
        node.name = "half_done"
    raise ZeroDivisionError("on purpose")
