"""Predicates and placeholders for patterns, beside graph-building functions: ``from ge.passes import p``.

Use these functions in a pattern function, or wherever you build a graph for use as a pattern: each function adds a
node of the domain ``pattern``, which the matcher interprets.
"""

from ._pattern._predicates import (
    any_of,
    any_op,
    attr,
    constant,
    named,
    op,
    optional,
    rest,
    where,
)

__all__ = [
    "any_of",
    "any_op",
    "attr",
    "constant",
    "named",
    "op",
    "optional",
    "rest",
    "where",
]
