"""Inferrers: types of results that GE does not infer itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .._mlir_like._cext_loader import load
from ._call import OpCall
from ._installed import Installed

if TYPE_CHECKING:
    from ..ir import Type

_native: Any = load("ir")


def inferrers_changed() -> None:
    """Make callers of `inferrers_version` forget types that they have kept."""
    _native._inferrers_changed()


def inferrers_version() -> int:
    """Return a number that changes when an inferrer is added or removed."""
    return int(_native._inferrers_version())


class InstalledInferrer(Installed):
    """An inferrer that `add_inferrer` added, until `remove` or the end of its ``with``."""

    _kind = "inferrer"

    def _take_out(self, token: int) -> None:
        _native._remove_inferrer(token)
        inferrers_changed()


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

    token = _native._add_inferrer(shown, ask)
    inferrers_changed()
    return InstalledInferrer(shown, token)


def inferrer_uses() -> dict[str, dict[str, tuple[int, int]]]:
    """Return how often inferrers were asked, and knew, since the process began: by inferrer, then operator."""
    uses: dict[str, dict[str, tuple[int, int]]] = {}
    for name, op, asked, answered in _native._inferrer_uses():
        uses.setdefault(name, {})[op] = (asked, answered)
    return uses
