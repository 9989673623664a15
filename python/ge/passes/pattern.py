"""``from ge.passes.pattern import pattern``, as in GE; ``ge.passes.pattern`` is the decorator itself."""

from typing import TYPE_CHECKING, Any

from ._match import pattern

if TYPE_CHECKING:
    from ._expression import PatternInputs

__all__ = ["PatternInputs", "pattern"]


def __getattr__(name: str) -> Any:
    if name != "PatternInputs":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from ._expression import PatternInputs

    return PatternInputs
