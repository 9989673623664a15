"""DecomposeOperators: the pass that applies decompositions of libraries."""

from __future__ import annotations

from collections.abc import Mapping

from ... import ir, ops
from .._pattern._public import publish
from .._pipeline._base import Adapter
from .._pipeline._context import PassContext
from .._pipeline._observer import Tried
from ._decompose import DecomposeAdapter, DecomposePass

__all__ = ["DecomposeOperators"]

# Decompositions inside each other.
_DEEPEST = 100


class DecomposeOperators(DecomposePass):
    """Replaces nodes by their operators' decompositions (`ge.ops.Library.decompose`), where there is no kernel.

    New nodes of a decomposition are decomposed, too. A derived class may set `backend`, the backend whose kernels keep
    a node; None: kernels are ignored.
    """

    backend: str | None = "cpu"

    @classmethod
    def _ge_adapter(
        cls, name: str, options: Mapping[str, str], op_types: tuple[str, ...]
    ) -> Adapter:
        return OperatorsAdapter(name, options, cls, tuple(ops.decomposed_operators()))

    def meet_requirements(self, node: ir.Node) -> bool:
        """Return whether a node has a decomposition and no kernel."""
        return ops.is_decomposed(node, self.backend)

    def replacement(self, node: ir.Node) -> ir.Graph:
        """Return the decomposition."""
        made = ops.decomposition(node)
        assert made is not None
        return made


class OperatorsAdapter(DecomposeAdapter):
    """One execution of `DecomposeOperators`."""

    def run(self, graph: ir.Graph, context: PassContext) -> Tried:
        for _ in range(_DEEPEST):
            before = self.replaced
            tried = super().run(graph, context)
            if self.replaced == before:
                return tried
        named = {n.op for n in graph.walk() if n.op in self.op_types or n.type in self.op_types}
        with self.hook("replacement"):
            raise ir.GEError(
                f"decompositions are {_DEEPEST} deep, which is the limit; still there: "
                f"{', '.join(sorted(named))}"
            )
        raise AssertionError  # for type checkers: the block raises


publish(globals())
