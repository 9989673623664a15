"""``from ge.passes.pattern import pattern``, as in GE; ``ge.passes.pattern`` is the decorator itself."""

from ._expression import PatternInputs
from ._match import pattern

__all__ = ["PatternInputs", "pattern"]
