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
    """Invalidate the types that callers of `inferrers_version` cache."""
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
    """Add a function that infers types of results for operators that GE does not infer itself.

    Parameters
    ----------
    infer : callable
        Takes an `OpCall`; returns a type (or None) for each result, or None if it does not support the operator.
        It raises `VerifyError` if the operands do not fit. Other exceptions propagate from the call or from
        ``graph.infer_types()``. It is called from any thread, and may read the graph but not change it.
    name : str, optional
        Name in `inferrer_uses`; None: the name of the function.

    Returns
    -------
    InstalledInferrer

    Notes
    -----
    Inferrers are tried in the order of registration. The first is ONNX's reference inference, if ``onnx`` is
    installed; it supports ONNX's operators only.
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
    """Return how often inferrers were called, and returned types, since the process began: by inferrer, then operator."""
    uses: dict[str, dict[str, tuple[int, int]]] = {}
    for name, op, asked, answered in _native._inferrer_uses():
        uses.setdefault(name, {})[op] = (asked, answered)
    return uses
