"""What patterns are made of, beside graph-building functions: ``from ge.passes import p``.

All of it stands in a pattern function, or wherever a graph is being built that is to be a pattern: each function adds
a node of the domain ``pattern`` to the graph, which the matcher reads.
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
