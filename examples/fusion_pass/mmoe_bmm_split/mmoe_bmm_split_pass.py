"""Products of one level of a model with many experts become one batched product.

``python mmoe_bmm_split_pass.py graph.mlir`` runs it by itself.
"""

from collections import defaultdict

import ge.passes
from ge import ir
from ge.graph import DataType, Format, Graph, Node, Tensor, TensorDesc
from ge.passes import (
    FAILED,
    SUCCESS,
    PassContext,
    PassStage,
    register_custom_pass,
    report_fuse,
)

PRODUCTS = ("MatMulV2", "MatMulV3", "BatchMatMulV2")
CONSTANTS = ("Const", "Constant")
MOST_STEPS = 10


def sources(node: Node) -> list[Node]:
    """Return the nodes that its inputs come from."""
    return [v.node for v in node.operands if v is not None]


def root_of(product: Node) -> tuple[Node, int] | None:
    """Return where a product's data come from, and how many products there are on the way, itself included.

    The way goes up through first inputs that are not constants, to a Data node or one with two such inputs; None when that
    is more than ten steps away.
    """
    node, level = product, 0
    for _ in range(MOST_STEPS):
        level += node.type in PRODUCTS
        above = [each for each in sources(node) if each.type not in CONSTANTS]
        if not above:
            return None
        node = above[0]
        if node.type == "Data" or sum(n.type not in CONSTANTS for n in sources(node)) >= 2:
            return node, level
    return None


def transposes(product: Node) -> tuple[bool, bool]:
    """Return which operands are transposed."""
    prefix = "adj_x" if product.type == "BatchMatMulV2" else "transpose_x"
    first, second = (
        bool(product.has_attr(f"{prefix}{i}") and product.get_attr(f"{prefix}{i}")) for i in (1, 2)
    )
    return first, second


def signature(product: Node) -> tuple[object, ...] | None:
    """Return what products must agree on; None for one that cannot be packed."""
    if product.get_inputs_size() != 2 or product.operands[0] is None or product.operands[1] is None:
        return None
    if product.get_in_control_nodes() or product.get_out_control_nodes():
        return None
    descs = [product.get_input_desc(i) for i in (0, 1)]
    shapes = [tuple(desc.shape) for desc in descs]
    if any(len(shape) != 2 or min(shape) < 0 for shape in shapes):
        return None
    offset = product.get_attr("offset_x") if product.has_attr("offset_x") else 0
    if offset != 0:
        return None
    return (transposes(product), *shapes, *(desc.data_type for desc in descs))


def groups_of(graph: Graph) -> list[list[Node]]:
    """Return the products that can become one, in the order of the graph."""
    levels: dict[tuple[Node, int], list[Node]] = defaultdict(list)
    for node in graph.get_direct_nodes():
        found = root_of(node) if node.type in PRODUCTS else None
        if found is not None:
            levels[found].append(node)
    return [
        members
        for (_, level), members in levels.items()
        # The first level has one operand in common: another pass joins the weights.
        if level > 1 and len(members) > 1 and len({signature(m) for m in members}) == 1
        if signature(members[0]) is not None
    ]


def describe(desc: TensorDesc, shape: list[int]) -> TensorDesc:
    """Return a description with another shape, which is the origin's, too."""
    return (
        TensorDesc(shape, Format.FORMAT_ND, desc.data_type)
        .set_origin_shape(shape)
        .set_origin_format(Format.FORMAT_ND)
    )


class Packing:
    """Builds the replacement of a group."""

    def __init__(self, graph: Graph, members: list[Node]) -> None:
        self.graph = graph
        self.members = members
        self.made: list[Node] = []

    def add(
        self,
        op: str,
        inputs: list[tuple[Node, int]],
        attributes: dict[str, object],
        outputs: list[TensorDesc],
    ) -> Node:
        """Add a node with these edges and descriptions."""
        node = self.graph.add_node(
            op,
            (),
            attributes,
            name=f"{self.members[0].name}_{op.rpartition('.')[2]}",
            result_types=[ir.UnknownType()] * len(outputs),
        )
        self.made.append(node)
        for i, (source, port) in enumerate(inputs):
            self.graph.add_data_edge(source, port, node, i)
        for i, desc in enumerate(outputs):
            node.update_output_desc(i, desc)
        return node

    def pack(self, operand: int) -> Node:
        """Return one operand of all members, stacked."""
        desc = self.members[0].get_input_desc(operand)
        return self.add(
            "math.Pack",
            [m.get_in_data_nodes_and_port_indexes(operand) for m in self.members],
            {"axis": 0, "N": len(self.members)},
            [describe(desc, [len(self.members), *desc.shape])],
        )

    def product(self) -> Node:
        """Return the product of both stacks."""
        left, right = transposes(self.members[0])
        a, b = self.pack(0), self.pack(1)
        d0, d1 = a.get_output_desc(0).shape, b.get_output_desc(0).shape
        shape = [d0[0], d0[2] if left else d0[1], d1[1] if right else d1[2]]
        desc = self.members[0].get_output_desc(0).set_data_type(a.get_output_desc(0).data_type)
        return self.add(
            "nn.BatchMatMulV2",
            [(a, 0), (b, 0)],
            {"adj_x1": left, "adj_x2": right, "offset_x": 0},
            [describe(desc, shape)],
        )

    def parts(self) -> list[Node]:
        """Return the members' results."""
        count = len(self.members)
        product = self.product()
        desc = product.get_output_desc(0)
        zero = Tensor([0], data_type=DataType.DT_INT32, shape=[1])
        dim = self.add("ge.Const", [], {"value": zero}, [zero.get_tensor_desc()])
        split = self.add(
            "math.Split",
            [(dim, 0), (product, 0)],
            {"num_split": count},
            [describe(desc, [1, *desc.shape[1:]])] * count,
        )
        return [
            self.add(
                "math.Squeeze", [(split, i)], {"axis": [0]}, [describe(desc, list(desc.shape[1:]))]
            )
            for i in range(count)
        ]


def are_independent(members: list[Node]) -> bool:
    """Whether no product needs what another gives."""
    waiting = [source for member in members for source in sources(member)]
    above: set[Node] = set()
    while waiting:
        node = waiting.pop()
        if node not in above:
            above.add(node)
            waiting += sources(node) + node.get_in_control_nodes()
    return above.isdisjoint(members)


def fuse(graph: Graph, members: list[Node], context: PassContext) -> None:
    """Replace a group."""
    packing = Packing(graph, members)
    parts = packing.parts()
    report_fuse(members, packing.made, context)
    for member, part in zip(members, parts, strict=True):
        for user, port in member.get_out_data_nodes_and_port_indexes(0):
            graph.remove_edge(member, 0, user, port)
            graph.add_data_edge(part, 0, user, port)
        graph.remove_node(member)
    graph.sort()


@register_custom_pass(name="MmoeBmmSplitPass", stage=PassStage.AFTER_INFER_SHAPE)
def mmoe_bmm_split(graph: Graph, context: PassContext) -> int:
    """``matmul(x_i, w_i)`` of a level become Squeeze of Split of one BatchMatMulV2."""
    try:
        for members in groups_of(graph):
            if are_independent(members):
                fuse(graph, members, context)
    except RuntimeError as error:
        context.set_error_message(f"cannot pack products: {error}")
        return FAILED
    return SUCCESS


if __name__ == "__main__":
    raise SystemExit(ge.passes.main())
