"""One call of an operator as an ONNX model, written by GE's own writer."""

from __future__ import annotations

from collections.abc import Callable

from .._foreign import OpCall
from ..ir import Module, Type, UnknownType, Value

# Knows all element types up to 4 bits; what reads the model need not know newer ones.
_IR_VERSION = 10


def one_node_model(call: OpCall, types: list[Type | None], is_data: Callable[[int], bool]) -> bytes:
    """Return a model with one node.

    Parameters
    ----------
    call : OpCall
        Without subgraphs.
    types : list of (Type or None)
        Of the operands, which are the inputs ``x0``, ``x1``, ...; None: absent.
    is_data : callable
        Whether an operand's constant is in the model; the others are inputs.

    Raises
    ------
    ModelError
        If ONNX cannot express something.
    """
    context = call.context
    module = Module("call", context=context)
    graph = module.add_graph("call")
    operands: list[Value | None] = []
    for i, type_ in enumerate(types):
        if type_ is None:
            operands.append(None)
        elif is_data(i):
            constant = graph.add_node(
                "ge.Const", attributes={"value": call.operands[i]}, result_types=[type_]
            )
            operands.append(constant.result)
        else:
            operands.append(graph.add_input(f"x{i}", type_))
    # Names with a dot or underscore are remarks, of GE or of a compiler.
    attributes = {k: v for k, v in call.attributes.items() if "." not in k and k[:1] != "_"}
    unknown = UnknownType(context=context)
    op = call.op
    node = graph.add_node(op, operands, attributes, result_types=[unknown] * call.num_results)
    if call.operand_segments is not None:
        node.operand_segments = call.operand_segments
    if call.result_segments is not None:
        node.result_segments = call.result_segments
    for i, result in enumerate(node.results):
        result.name = f"y{i}"
    graph.outputs = list(node.results)
    domain = op.partition(":")[0].rpartition(".")[0]
    # An operator means the same in all sets from the one that brought it on, and old ones are known to
    # whatever evaluates the model.
    module.attributes["onnx.opset_imports"] = {domain: call.since or call.opset or 1}
    module.attributes["onnx.ir_version"] = _IR_VERSION
    from ..onnx import to_bytes  # a vendor's package may be without it, and then asks for no model

    return to_bytes(module)
