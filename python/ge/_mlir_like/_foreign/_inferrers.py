"""Inferrers: types of results that GE does not infer itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .._cext_loader import load
from .._providers import provider
from ._call import EvaluatorDiedError, OpCall

if TYPE_CHECKING:
    from ...ir import Type

_native: Any = load("ir")

# A constant up to this many elements may decide a shape; of a larger one the reference gets the type only.
_DATA_ELEMENTS = 1024

# Of errors that are about the operands.
_KINDS = ("[ShapeInferenceError]", "[TypeInferenceError]")


class InstalledInferrer:
    """An inferrer that `add_inferrer` added, until `remove` or the end of its ``with``."""

    def __init__(self, name: str, token: int) -> None:
        self._name = name
        self._token: int | None = token

    @property
    def name(self) -> str:
        """Its name in `inferrer_uses`."""
        return self._name

    def remove(self) -> None:
        """Take it out. Again does nothing."""
        if self._token is not None:
            _native._remove_inferrer(self._token)
            self._token = None

    def __enter__(self) -> InstalledInferrer:
        return self

    def __exit__(self, *args: object) -> None:
        self.remove()

    def __repr__(self) -> str:
        return f"<inferrer {self._name!r}{'' if self._token is not None else ', removed'}>"


def add_inferrer(
    infer: Callable[[OpCall], Sequence[Type | None] | None], name: str | None = None
) -> InstalledInferrer:
    """Let a function say the types of results that GE does not infer itself.

    Parameters
    ----------
    infer : callable
        Gets an `OpCall`, returns a type (or None) for each result, or None when it does not know the operator;
        raises `VerifyError` when the operands do not fit. What else it raises comes out of the call or of
        ``graph.infer_types()``. Called from any thread. It may read the graph it is asked about, not change it.
    name : str, optional
        For `inferrer_uses`; None: the function's.

    Returns
    -------
    InstalledInferrer

    Notes
    -----
    Asked in order of registration; ONNX's reference inference, where ``onnx`` is installed, is the first, and
    knows ONNX's operators only.
    """
    if not callable(infer):
        raise TypeError(f"infer must be a callable, not {type(infer).__name__}")
    shown = name or str(getattr(infer, "__qualname__", type(infer).__name__))

    def ask(*asked: Any) -> Sequence[Type | None] | None:
        return infer(OpCall(*asked))

    return InstalledInferrer(shown, _native._add_inferrer(shown, ask))


def inferrer_uses() -> dict[str, dict[str, tuple[int, int]]]:
    """Return how often inferrers were asked, and knew, since the process began: by inferrer, then operator."""
    uses: dict[str, dict[str, tuple[int, int]]] = {}
    for name, op, asked, answered in _native._inferrer_uses():
        uses.setdefault(name, {})[op] = (asked, answered)
    return uses


def infer(*asked: Any) -> list[Type | None] | None:
    """Answer the native core by ONNX's reference inference, if it is installed."""
    call = OpCall(*asked)
    # Without an element type ONNX's functions go wrong, down to a crash of the process.
    if any(type_ is not None and not _is_typed(type_) for type_ in call.operand_types):
        return None
    service = provider("evaluators")
    if service.mode() == "none" or not service.is_installed("reference"):
        return None
    from ...ir import ModelError, VerifyError
    from ...onnx import load as load_model
    from ._model import one_node_model

    def is_data(i: int) -> bool:
        # By the type: looking at the data would make an array of it.
        tensor = call.operands[i]
        return tensor is not None and tensor.size <= _DATA_ELEMENTS

    try:
        model = one_node_model(call, list(call.operand_types), is_data)
    except ModelError:
        return None  # an element type that ONNX lacks
    try:
        answered = service.infer(model, call.shown)
    except EvaluatorDiedError as error:
        from logging import getLogger

        getLogger("ge.ops").warning("%s", error)
        return None
    if answered is None:
        return None
    inferred, fault = answered
    if inferred is None:
        # Subgraphs are not in the model, and what has no shape may be taken for a scalar.
        said_all = not call.subgraphs and all(map(_is_ranked, call.operand_types))
        if said_all and any(kind in fault for kind in _KINDS):
            raise VerifyError(_reason(fault))
        return None
    try:
        graph = load_model(inferred, context=call.context).graphs["call"]
    except ModelError:
        return None
    types = [_without_invented(value.type) for value in graph.outputs]
    return types if any(t is not None for t in types) else None


def _is_typed(type_: Any) -> bool:
    from ...ir import OptionalType, SequenceType, TensorType

    if isinstance(type_, (SequenceType, OptionalType)):
        return _is_typed(type_.element)
    return isinstance(type_, TensorType)


def _is_ranked(type_: Any) -> bool:
    from ...ir import TensorType

    return not isinstance(type_, TensorType) or type_.shape is not None


def _reason(text: str) -> str:
    """Return what is wrong without the name of the model's node."""
    return text.rpartition("InferenceError] ")[2].strip() + " (says onnx)"


def _without_invented(type_: Any) -> Any:
    """Return the type without ONNX's names for dimensions that it does not know; None: unknown."""
    from ...ir import OptionalType, SequenceType, TensorType, UnknownType

    if isinstance(type_, UnknownType):
        return None
    if isinstance(type_, (SequenceType, OptionalType)):
        element = _without_invented(type_.element)
        return None if element is None else type(type_)(element)
    if isinstance(type_, TensorType) and type_.shape is not None:
        shape = [None if str(d).startswith("unk__") else d for d in type_.shape]
        return TensorType(shape, type_.dtype, context=type_.context)
    return type_
