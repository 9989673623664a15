"""Products of one tensor with constant weights become one product with the joined weights.

``python mmoe_matmul_pass.py graph.mlir`` runs it by itself.
"""

from collections import defaultdict
from dataclasses import dataclass

import ge.passes
from ge import ir
from ge.es.math import ConcatV2D, SplitV
from ge.es.nn import BatchMatMulV2
from ge.graph import DataType, Graph, Node, Tensor
from ge.passes import (
    FAILED,
    SUCCESS,
    PassContext,
    PassStage,
    register_custom_pass,
    report_fuse,
)

PRODUCTS = ("MatMul", "MatMulV2", "MatMulV3", "BatchMatMul", "BatchMatMulV2")
CONSTANTS = ("Const", "Constant")
SAME_ELEMENTS = ("Reshape", "Squeeze")  # in the same order, in another shape


@dataclass(frozen=True)
class Kind:
    """What products have in common that become one."""

    root: ir.Value
    data_shape: tuple[int, ...]
    weight_operand: int
    weight_shape: tuple[int, ...]
    data_type: DataType
    transposes: tuple[bool, bool]

    @property
    def weight_dim(self) -> int:
        """The dimension of the weights along which they are joined."""
        # Rows of a left operand, columns of a right one; transposed, it is the other.
        return self.weight_operand ^ int(self.transposes[self.weight_operand])

    @property
    def result_dim(self) -> int:
        """The dimension of the result that comes from it."""
        return len(self.data_shape) - (1 if self.weight_operand else 2)


def flag(product: Node, operand: int) -> bool:
    """Whether an operand is transposed."""
    names = (f"transpose_x{operand + 1}", f"adj_x{operand + 1}")
    return any(product.has_attr(name) and product.get_attr(name) for name in names)


def chain_of(value: ir.Value) -> list[Node]:
    """Return the nodes above a value that only change its shape, for it alone, the nearest first."""
    chain = []
    while value.node.type in SAME_ELEMENTS and len(value.uses) == 1:
        chain.append(value.node)
        source = value.node.operands[0]
        assert source is not None
        value = source
    return chain


def kind_of(product: Node) -> Kind | None:
    """Return the kind of a product; None where it has no weight, or something in the way."""
    operands = product.operands
    if len(operands) != 2 or operands[0] is None or operands[1] is None:
        return None
    if product.get_in_control_nodes() or product.get_out_control_nodes():
        return None
    if product.has_attr("offset_x") and product.get_attr("offset_x") != 0:
        return None
    is_weight = [value.node.type in CONSTANTS for value in operands]
    if sum(is_weight) != 1:
        return None
    at = is_weight.index(True)
    data, weight = product.get_input_desc(1 - at), product.get_input_desc(at)
    if len(weight.shape) != 2 or min(weight.shape) <= 0:
        return None
    if len(data.shape) < 2 or min(data.shape) <= 0 or data.data_type != weight.data_type:
        return None
    chain = chain_of(operands[1 - at])
    root = chain[-1].operands[0] if chain else operands[1 - at]
    return Kind(
        root,
        tuple(data.shape),
        at,
        tuple(weight.shape),
        data.data_type,
        (flag(product, 0), flag(product, 1)),
    )


def groups_of(graph: Graph) -> list[tuple[Kind, list[Node]]]:
    """Return the products that can become one, in the order of the graph."""
    kinds: dict[Kind, list[Node]] = defaultdict(list)
    for node in graph.get_direct_nodes():
        kind = kind_of(node) if node.type in PRODUCTS else None
        if kind is not None:
            kinds[kind].append(node)
    return [(kind, members) for kind, members in kinds.items() if len(members) > 1]


def int32(graph: Graph, numbers: list[int]) -> ir.Value:
    """Add a constant."""
    tensor = Tensor(numbers, data_type=DataType.DT_INT32, shape=[len(numbers)])
    return graph.add_node("ge.Const", (), {"value": tensor}, result_types=[tensor.type]).result


def joined(graph: Graph, kind: Kind, members: list[Node]) -> list[ir.Value]:
    """Add what gives the results of all members."""
    count, at = len(members), kind.weight_operand
    # The functions take the graph's values, and infer the types.
    weight = ConcatV2D([m.operands[at] for m in members], concat_dim=kind.weight_dim, N=count)
    operands = [members[0].operands[1 - at]] * 2
    operands[at] = weight
    left, right = kind.transposes
    product = BatchMatMulV2(*operands, adj_x1=left, adj_x2=right, offset_x=0)
    sizes = int32(graph, [kind.weight_shape[kind.weight_dim]] * count)
    dim = int32(graph, [kind.result_dim])
    parts: list[ir.Value] = SplitV(product, sizes, dim, count, num_split=count)
    return parts


def remove_unused(graph: Graph, node: Node) -> None:
    """Remove an unused node, and the producers that only it used."""
    if not node.is_alive or any(result.has_uses for result in node.results):
        return
    above = [value.node for value in node.operands if value is not None]
    graph.remove_node(node)
    for each in above:
        if each.type in (*SAME_ELEMENTS, *CONSTANTS):
            remove_unused(graph, each)


def fuse(graph: Graph, kind: Kind, members: list[Node], context: PassContext) -> None:
    """Replace a group."""
    before = set(graph.nodes)
    with ir.InsertionPoint(graph):
        parts = joined(graph, kind, members)
    report_fuse(members, [node for node in graph.nodes if node not in before], context)
    for member, part in zip(members, parts, strict=True):
        member.result.replace_all_uses_with(part)
        remove_unused(graph, member)
    graph.sort()


@register_custom_pass(name="MmoeMatmulPass", stage=PassStage.AFTER_INFER_SHAPE)
def mmoe_matmul(graph: Graph, context: PassContext) -> int:
    """``matmul(x, w_i)`` become SplitV of one ``BatchMatMulV2(x, ConcatV2D(w_i))``."""
    try:
        for kind, members in groups_of(graph):
            fuse(graph, kind, members, context)
    except RuntimeError as error:
        context.set_error_message(f"cannot join products: {error}")
        return FAILED
    return SUCCESS


if __name__ == "__main__":
    raise SystemExit(ge.passes.main())
