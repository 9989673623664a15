"""Operators of ONNX and CANN, evaluated and inferred by packages and CANN's reference kernels: what `_foreign` asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._foreign import EvaluatorDiedError, OpCall
from .._support.failures import is_interrupt
from ..ir import ModelError, OptionalType, SequenceType, TensorType, Type, UnknownType, VerifyError
from . import _service

__all__ = ["evaluate", "infer"]

# A constant up to this many elements may decide a shape; of a larger one the reference gets the type only.
_DATA_ELEMENTS = 1024

# Of errors that are about the operands.
_KINDS = ("[ShapeInferenceError]", "[TypeInferenceError]")


def evaluate(call: OpCall, engines: Sequence[str], in_child: bool = False) -> Sequence[Any] | None:
    """Return what the first engine gives that can evaluate the call.

    Parameters
    ----------
    call : OpCall
    engines : sequence of str
    in_child : bool
        Whether reference kernels of CANN's operators run in the child process; those of engines do.

    Raises
    ------
    EvaluatorDiedError
    Exception
        What the first one raised, if none can.
    """
    if _service.mode() == "none":
        return None
    if call.op.startswith(("ge.", "math.", "nn.")):
        from ._reference import evaluate_call

        return evaluate_call(call, in_child and _service.mode() == "child")
    made = _model_of(call)
    if made is None:
        return None
    failure: Exception | None = None
    for engine in engines:
        try:
            found: Sequence[Any] | None = _service.evaluate(engine, *made, call.shown)
        except EvaluatorDiedError:
            raise
        except Exception as error:
            if is_interrupt(error):
                raise
            failure = failure or error
            continue
        if found is not None:
            return found
    if failure is not None:
        raise failure
    return None


def _model_of(call: OpCall) -> tuple[bytes, dict[str, Any]] | None:
    """Return a model of the call and what to feed it; None when ONNX has no such operator."""
    from ._model import one_node_model

    if call.subgraphs:
        return None
    types = [None if t is None else t.type for t in call.operands]
    feeds = {f"x{i}": t.numpy() for i, t in enumerate(call.operands) if t is not None}
    return one_node_model(call, list(types), lambda i: False), feeds


def infer(*asked: Any) -> list[Type | None] | None:
    """Answer the native core by ONNX's reference inference, if it is installed."""
    call = OpCall(*asked)
    # Without an element type ONNX's functions go wrong, down to a crash of the process.
    if any(type_ is not None and not _is_typed(type_) for type_ in call.operand_types):
        return None
    if _service.mode() == "none" or not _service.is_installed("reference"):
        return None

    from ..onnx import load as load_model
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
        answered = _service.infer(model, call.shown)
    except EvaluatorDiedError as error:
        from .._support.log import logger

        logger("ge.ops").warning("%s", error)
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
    types = [_known_type(value.type) for value in graph.outputs]
    return types if any(t is not None for t in types) else None


def _is_typed(type_: Any) -> bool:
    if isinstance(type_, (SequenceType, OptionalType)):
        return _is_typed(type_.element)
    return isinstance(type_, TensorType)


def _is_ranked(type_: Any) -> bool:
    return not isinstance(type_, TensorType) or type_.shape is not None


def _reason(text: str) -> str:
    """Return what is wrong without the name of the model's node."""
    return text.rpartition("InferenceError] ")[2].strip() + " (says onnx)"


def _known_type(type_: Any) -> Any:
    """Return the type; None: unknown, as is one of unknown elements."""
    if isinstance(type_, UnknownType):
        return None
    if isinstance(type_, (SequenceType, OptionalType)):
        element = _known_type(type_.element)
        return None if element is None else type(type_)(element)
    return type_
