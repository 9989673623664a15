"""What is wrong with nodes of ONNX by their definitions and by type inference: engines crash on such nodes."""

from __future__ import annotations

from typing import Any

from .. import ir
from .._mlir_like._cext_loader import load
from .._support.failures import text_of
from ._plan import ENGINE_DOMAINS, is_constant

__all__ = ["definition_fault", "first_fault"]

_native: Any = load("ops")


def first_fault(module: ir.Module) -> str | None:
    """Return what is wrong with the first node that no engine may run, by node and operator; None: nothing is.

    As when constants are folded, a node must fit the definition of its operator, and type inference must accept it. Types
    that the module declares for results are not used: they may be stale. Nodes of other domains are not looked at. Cost:
    O(nodes + edges).

    Parameters
    ----------
    module : Module
        Types of its values are replaced by inferred ones.
    """
    for graph in module.graphs.values():
        graph.sort()
        is_function = "onnx.function" in graph.attributes
        for node in graph.walk():
            if node.domain not in ENGINE_DOMAINS or is_constant(node):
                continue
            try:
                # Attributes in a function refer to those of calls, and its types are not known.
                if not is_function and not len(node.subgraphs):
                    for result in node.results:
                        if result is not None:
                            result.type = ir.UnknownType(context=node.context)
                    _native._infer_node(node)
            except ir.VerifyError as error:
                return f"node '{node.name}' ({node.op}): {text_of(error)}"
            if fault := definition_fault(node):
                return fault
    return None


def definition_fault(node: ir.Node) -> str | None:
    """Return what is wrong with a node by the definition of its operator; None: nothing is."""
    try:
        _native._verify_node(node)
    except ir.VerifyError as error:
        return text_of(error)
    return None
