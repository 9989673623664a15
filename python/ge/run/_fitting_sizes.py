"""Sizes of free dimensions with which a model's types fit: what its weights decide."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ._inputs import main_graph, required_inputs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..ir import Module

__all__ = ["FittingSizes"]

# Sizes that are tried besides those of weights: small ones of every kind, and what a large window needs.
_USUAL = (2, 8, 16, 3, 4, 5, 7, 32, 64, 128, 224, 256, 512, 1024, 2048, 4096, 16384, 65536, 1)
# More different sizes of weights are not tried.
_MOST = 64
# Shapes have no more elements, and no size of an input is larger.
_FEW, _LARGE = 8, 1 << 20


class FittingSizes:
    """Which sizes the types of a model's values allow for its free dimensions.

    Parameters
    ----------
    module : Module
        It is copied; its weights are not.

    Notes
    -----
    A size fits if inference finds no contradiction that it does not find without the size. That is necessary for a run,
    not sufficient. Cost of a question: that of inferring all types.
    """

    def __init__(self, module: Module) -> None:
        self._module = module.clone()
        self._known = frozenset(self.contradictions({}))

    def contradictions(self, sizes: Mapping[str, int]) -> list[str]:
        """Return what inference finds wrong with these sizes, a sentence each, and not without them.

        Parameters
        ----------
        sizes : mapping
            By symbol, or by place: ``x[0]``.
        """
        from ..ir import TensorType

        graph = main_graph(self._module)
        with graph.transaction() as edits:
            for value in required_inputs(self._module):
                type_ = value.type
                if not isinstance(type_, TensorType) or type_.shape is None:
                    continue
                shape = [
                    sizes.get(dim or f"{value.name}[{axis}]", dim)
                    if not isinstance(dim, int)
                    else dim
                    for axis, dim in enumerate(type_.shape)
                ]
                if shape != list(type_.shape):
                    value.type = TensorType(tuple(shape), type_.dtype)
            found = [d.message for d in graph.infer_types().diagnostics]
            edits.rollback()
        return found if not hasattr(self, "_known") else [m for m in found if m not in self._known]

    def solve(self, guess: Mapping[str, int]) -> dict[str, int]:
        """Return other sizes for the dimensions for which the guessed one does not fit.

        Parameters
        ----------
        guess : mapping
            A size for each free dimension.

        Notes
        -----
        A dimension after the other, each with those before it; sizes of weights are tried first, those nearest to the
        inputs before others. Where no size fits, one of the dimensions before it is 1. If none fits then, either, the
        dimension is left out.
        """
        found: dict[str, int] = {}
        candidates = list(self._candidates())
        for name, size in guess.items():
            for before in ({}, *({one: 1} for one in found)):
                fitting = self._fitting({**found, **before}, name, (size, *candidates))
                if fitting is not None:
                    found |= {**before, name: fitting}
                    break
        return {name: size for name, size in found.items() if size != guess[name]}

    def _fitting(self, found: dict[str, int], name: str, sizes: Sequence[int]) -> int | None:
        return next((n for n in sizes if not self.contradictions({**found, name: n})), None)

    def _candidates(self) -> Iterator[int]:
        seen: set[int] = set()
        for size in self._sizes_of_weights():
            if size > 1 and size not in seen and len(seen) < _MOST:
                seen.add(size)
                yield size
        yield from (size for size in _USUAL if size not in seen)

    def _sizes_of_weights(self) -> Iterator[int]:
        """Yield sizes of constants, and those that operands of Reshape and the like name, alone and multiplied."""
        from ..ir import Tensor

        for node in main_graph(self._module).walk():
            for operand in node.operands:
                value = None if operand is None else operand.node.attributes.get("value")
                if not isinstance(value, Tensor):
                    continue
                yield from (size for size in value.type.shape or () if isinstance(size, int))
                if value.dtype.name == "i64" and value.size <= _FEW:
                    named = [int(size) for size in value.numpy().ravel() if 1 < size < _LARGE]
                    yield from named
                    yield math.prod(named)
