"""The argument of inferrers and evaluators: `OpCall`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .._mlir_like._cext_loader import load

if TYPE_CHECKING:
    from ..ir import Context, Graph, Tensor, Type


_ir: Any = load("ir")


class EvaluatorDiedError(Exception):
    """The evaluator died during a call or is not available; the text is for the user."""


class EvaluatorBusyError(EvaluatorDiedError):
    """The evaluators were asked by a thread that waits for them: in a signal handler, a destructor or a greenlet."""

    def __init__(self) -> None:
        super().__init__("the evaluators are in use by this thread")


class EvaluatorError(Exception):
    """An evaluator raised an exception, or its results do not fit the call; the text is for the user."""


class KernelError(_ir.GEError):  # type: ignore[misc, name-defined, unused-ignore]
    """A kernel raised an exception (which is the ``__cause__``) or broke its operator's schema."""


KernelError.__module__ = __name__.partition("._foreign")[0] + ".ops"


class NoKernelError(KernelError):
    """Nothing that is registered or ships computes an operator."""


NoKernelError.__module__ = KernelError.__module__


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
    result_types : tuple of (Type or None)
        For evaluators: what is known of each result, None where nothing is. An answer that does not fit is refused.
        Empty for inferrers.
    operand_segments : tuple of int, or None
        The number of operands of each operand parameter of the record, as `Node.operand_segments`. It may be None where
        the record implies it.
    result_segments : tuple of int, or None
        The same for results.
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
    result_types: tuple[Type | None, ...] = ()
    operand_segments: tuple[int, ...] | None = None
    result_segments: tuple[int, ...] | None = None

    @property
    def shown(self) -> str:
        """Name in messages: ``"onnx.Min 'm'"``."""
        return f"{self.op} '{self.name}'" if self.name else self.op


class TypesAlone(tuple[Any, ...]):
    """Result types that an inferrer computed from types and attributes only: they are the same for other constants."""

    __slots__ = ()
    _ge_by_types = True  # the native code looks for it
