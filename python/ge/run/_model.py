"""Models for engines, written by GE's own writer: of one call of an operator, and of a module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._foreign import OpCall
from .._mlir_like._cext_loader import load
from ..ir import Graph, Module, Node, Type, UnknownType, Value

__all__ = ["bytes_and_weights", "one_node_model", "repeated_bytes", "whole_bytes"]

_native: Any = load("ir")
# A model whose constants are larger does not have them in it: protobuf takes 2 GiB.
_MOST_INSIDE = 1 << 30
# Those from this size on.
_LARGE = 1 << 20
_NEVER = 1  # GeOnnxExternalData: no data in other files

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
    return whole_bytes(module)


def whole_bytes(module: Module) -> bytes:
    """Return a module as the bytes of a model that needs no other file: weights from files are in it.

    Raises
    ------
    ModelError
        If ONNX cannot express something, or it takes more than protobuf's 2 GiB.
    """
    data: bytes = _native._onnx_to_bytes(module, _NEVER)
    return data


def bytes_and_weights(module: Module) -> tuple[bytes, dict[str, Any]]:
    """Return a module as the bytes of a model, and large constants that are inputs of it because it has too many of them.

    Raises
    ------
    ModelError
        If ONNX cannot express something.
    """
    sizes = [n.attributes["value"].nbytes for g in module.graphs.values() for n in _constants(g)]
    if sum(sizes) <= _MOST_INSIDE:
        return whole_bytes(module), {}
    copy = module.clone()
    weights: dict[str, Any] = {}
    for graph in copy.graphs.values():
        if "onnx.function" in graph.attributes:
            continue
        names = {v.name for n in graph.walk() for v in n.results if v is not None}
        names |= {value.name for value in graph.inputs}
        constants = set(_constants(graph))
        for node in [n for n in graph.nodes if n in constants]:
            tensor = node.attributes["value"]
            if tensor.nbytes < _LARGE:
                continue
            number = len(weights)
            while (name := f"weight_{number}") in names:
                number += 1
            names.add(name)
            node.result.replace_all_uses_with(graph.add_input(name, node.result.type))
            node.erase()
            weights[name] = tensor.numpy()
    return whole_bytes(copy), weights


def repeated_bytes(module: Module) -> int:
    """Return the bytes of the constants that are one repeated element, as a file has them."""
    values = [n.attributes["value"] for g in module.graphs.values() for n in _constants(g)]
    return sum(value.nbytes for value in values if value.is_splat)


def _constants(graph: Graph) -> list[Node]:
    return [n for n in graph.walk() if n.op == "ge.Const" and "value" in n.attributes]
