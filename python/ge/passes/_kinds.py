"""FusionBasePass: the base of the kinds of passes that are written as classes."""

from typing import ClassVar

from .. import ir
from ._context import PassContext
from ._public import publish

__all__ = ["FusionBasePass"]


class FusionBasePass:
    """A pass that does its own work: ``run(graph, context)``.

    It is called for the root graph and then for each graph inside it, on one instance. An instance is made, without
    arguments, for each execution of the pass: ``self`` is scratch space.

    None and True mean success; False, another status than `StatusCode.SUCCESS` and `StatusCode.NOT_CHANGED`, and an
    exception undo the pass.
    """

    _ge_kind: ClassVar[str] = "fusion_base"

    def run(self, graph: ir.Graph, context: PassContext) -> bool | int | None:
        """Work on one graph."""
        raise NotImplementedError(f"{type(self).__name__} must define run(self, graph, context)")


publish(globals())
