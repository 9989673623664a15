"""What an inferrer or evaluator is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ...ir import Context, Graph, Tensor, Type


class EvaluatorDiedError(Exception):
    """What evaluates did not survive a call, or cannot be had; the text is for the user."""


class OpCall(NamedTuple):
    """An operator applied to operands.

    Attributes
    ----------
    op : str
        Its full name: ``"onnx.Add"``.
    context : Context
        Types and tensors of the answer belong to it.
    opset : int
        Of its domain; 0: unknown.
    since : int or None
        The opset that brought the definition; None: the operator is not registered.
    operand_types : tuple of (Type or None)
        None where an operand is absent.
    operands : tuple of (Tensor or None)
        None where it is absent or not constant. Their data is not copied.
    attributes : dict
        As ``node.attributes``, without defaults.
    subgraphs : dict of Graph
        By the attribute that each is.
    num_results : int
    name : str
        Of the node; empty: it is not known, or there is no node.
    """

    op: str
    context: Context
    opset: int
    since: int | None
    operand_types: tuple[Type | None, ...]
    operands: tuple[Tensor | None, ...]
    attributes: dict[str, Any]
    subgraphs: dict[str, Graph]
    num_results: int
    name: str = ""

    @property
    def shown(self) -> str:
        """What messages call it: ``"onnx.Min 'm'"``."""
        return f"{self.op} '{self.name}'" if self.name else self.op
