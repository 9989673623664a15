"""The nodes named "matmul" and "add" become one GEMM: a function that gets the whole graph.

``python fuse_matmul_add_whole_graph_pass.py graph.mlir`` runs it by itself.
"""

import ge.passes
from ge import ir
from ge.graph import DataType, Graph, Node, Tensor
from ge.passes import FAILED, SUCCESS, PassContext, register_custom_pass, report_fuse


def find(graph: Graph, name: str, op_type: str) -> Node | None:
    """Return the node of a name, when it is of that type."""
    for node in graph.get_direct_nodes():
        if node.name == name and node.type == op_type:
            return node
    return None


def add_one(graph: Graph, name: str, before: Node) -> Node:
    """Add a constant 1 of one element."""
    one = Tensor([1.0], data_type=DataType.DT_FLOAT, shape=[1])
    return graph.add_node(
        "ge.Const",
        (),
        {"value": one},
        name=name,
        result_types=[one.type],
        ip=ir.InsertionPoint.before(before),
    )


def fuse(graph: Graph, matmul: Node, add: Node, place: int, context: PassContext) -> None:
    """Put GEMM where `add` is, whose input `place` is what `matmul` gives."""
    sources = [matmul.get_in_data_nodes_and_port_indexes(i) for i in (0, 1)]
    sources.append(add.get_in_data_nodes_and_port_indexes(1 - place))
    descs = [matmul.get_input_desc(0), matmul.get_input_desc(1), add.get_input_desc(1 - place)]
    gemm = graph.add_node(
        "math.GEMM",
        (),
        {
            "transpose_a": matmul.get_attr("transpose_x1"),
            "transpose_b": matmul.get_attr("transpose_x2"),
        },
        name="gemm",
        ip=ir.InsertionPoint.before(add),
    )
    sources += [(add_one(graph, name, gemm), 0) for name in ("alpha", "beta")]
    for i, (node, port) in enumerate(sources):
        graph.add_data_edge(node, port, gemm, i)
    for i, desc in enumerate(descs):
        gemm.update_input_desc(i, desc)
    gemm.update_output_desc(0, add.get_output_desc(0))
    report_fuse([matmul, add], [gemm], context)
    for user, port in add.get_out_data_nodes_and_port_indexes(0):
        graph.remove_edge(add, 0, user, port)
        graph.add_data_edge(gemm, 0, user, port)
    graph.remove_node(add)
    graph.remove_node(matmul)


@register_custom_pass(name="FuseMatMulAndAddPass")
def fuse_matmul_add(graph: Graph, context: PassContext) -> int:
    """``add = Add(matmul = MatMul(a, b), c)`` becomes ``GEMM(a, b, c, 1, 1)``."""
    matmul, add = find(graph, "matmul", "MatMul"), find(graph, "add", "Add")
    if matmul is None or add is None:
        return SUCCESS
    if matmul.get_inputs_size() > 2:
        return SUCCESS  # GEMM has no place for a bias
    if any(n.get_in_control_nodes() or n.get_out_control_nodes() for n in (matmul, add)):
        return SUCCESS  # edges of control would go with the nodes
    users = matmul.get_out_data_nodes_and_port_indexes(0)
    if len(users) != 1 or users[0][0] != add:
        return SUCCESS
    try:
        fuse(graph, matmul, add, users[0][1], context)
    except RuntimeError as error:
        context.set_error_message(f"cannot fuse {matmul.name} and {add.name}: {error}")
        return FAILED
    return SUCCESS


if __name__ == "__main__":
    raise SystemExit(ge.passes.main())
