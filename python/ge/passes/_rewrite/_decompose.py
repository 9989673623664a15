"""DecomposePass: a class that replaces single nodes, and its adapter."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, ClassVar

from ... import ir
from ..._mlir_like._cext_loader import load
from ..._support.elsewhere import from_elsewhere
from ..._support.failures import text_of
from ..._support.program import PACKAGE
from .._pattern._public import publish
from .._pattern._trace import positional
from .._pipeline._base import Adapter, ClassAdapter, FusionBasePass, place_in_class
from .._pipeline._context import DetachedRun, PassContext, current_run
from .._pipeline._errors import PassSkip
from .._pipeline._graphs import graphs_inside
from .._pipeline._observer import Tried, TriedNodes
from ._stamp import replace_node
from ._style import no_value, refuse_misspelt, refuse_run, unwrapped, wrap_hook

__all__ = ["DecomposePass"]

_native = load("passes")
_REFUSED = "it says no"
_UNDECIDED = "predicates on that type do not match (run infer-types before this pass to correct it)"


class DecomposePass(FusionBasePass):
    """A pass that replaces single nodes.

    ``op_types`` names the operators, ``meet_requirements(self, node[, context])`` may refuse a node, and
    ``replacement(self, node[, context])`` gives the graph. Its inputs are the node's operands, equal ones once and absent
    ones not; its outputs are the node's results. Nodes that a replacement brings are not looked at.
    """

    _ge_kind: ClassVar[str] = "decompose"
    op_types: ClassVar[Iterable[str]] = ()
    _takes_context: ClassVar[dict[str, bool]] = {"meet_requirements": False, "replacement": False}

    @classmethod
    def _ge_adapter(
        cls, name: str, options: Mapping[str, str], op_types: tuple[str, ...]
    ) -> Adapter:
        types = op_types or tuple(cls.op_types)
        if not types:
            raise TypeError(
                f"{cls.__name__} has no op_types, so that it would match nothing; name the operators whose nodes it "
                'replaces: op_types = ("Relu",)'
            )
        return DecomposeAdapter(name, options, cls, types)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        refuse_run(cls, "DecomposePass", "meet_requirements()/replacement()")
        refuse_misspelt(cls, DecomposePass, ("meet_requirements", "replacement"))
        types = vars(cls).get("op_types", ())
        if (
            isinstance(types, (str, bytes))
            or not isinstance(types, Collection)
            or not all(isinstance(each, str) and each for each in types)
        ):
            one = f'; write op_types = ("{types}",)' if isinstance(types, str) else ""
            raise TypeError(
                f"{cls.__name__}.op_types must be a tuple of operator names, not {types!r}{one}"
            )
        takes = {}
        for hook in ("meet_requirements", "replacement"):
            wrong = no_value(hook, "node")
            names, required, more = positional(getattr(cls, hook), wrong)
            if required > 2 or (not names and not more):
                raise TypeError(wrong)
            takes[hook] = len(names) > 1 or more
            wrap_hook(cls, hook)
        cls._takes_context = takes

    def meet_requirements(self, node: ir.Node) -> bool:
        """Return whether a node is to be replaced."""
        return True

    def replacement(self, node: ir.Node) -> ir.Graph:
        """Return the replacement of a node."""
        raise NotImplementedError(
            f"DecomposePass.replacement must be implemented: {type(self).__name__} has none"
        )


for _hook in ("meet_requirements", "replacement"):
    wrap_hook(DecomposePass, _hook)


class DecomposeAdapter(ClassAdapter):
    """One execution of a `DecomposePass`."""

    rewrites_only = True

    def __init__(
        self,
        name: str,
        options: Mapping[str, str],
        cls: type[DecomposePass],
        op_types: tuple[str, ...],
    ) -> None:
        super().__init__(name, options, cls)
        self.op_types = frozenset(op_types)
        self.place = place_in_class(cls, "replacement")
        self.replaced = 0

    def run(self, graph: ir.Graph, context: PassContext) -> Tried:
        instance = self.object
        # Collected first, because nodes of a replacement are not decomposed again.
        nodes = [
            node
            for each in graphs_inside(graph)
            for node in each.nodes
            if node.type in self.op_types or node.op in self.op_types
        ]
        running = current_run()
        refused: dict[str, str] = {}
        # Hooks read types, so they are inferred first.
        disputes = graph.type_disputes() if nodes else {}
        told: set[str] = set()
        for node in nodes:
            if not node.is_alive:
                continue
            if disputes and (dispute := _dispute_at(node, disputes)):
                if dispute not in told:
                    told.add(dispute)
                    context.remark(f"{dispute}; {_UNDECIDED}", warning=True)
                refused[node.name] = dispute
                continue
            try:
                if not self.wants(instance, node, context):
                    refused[node.name] = _REFUSED
                    continue
                with self.hook("replacement", node):
                    extra = (context,) if instance._takes_context["replacement"] else ()
                    made = unwrapped(instance.replacement)(node, *extra)
                    if not isinstance(made, ir.Graph):
                        raise TypeError(
                            f"DecomposePass.replacement must return {PACKAGE}.graph.Graph, "
                            f"not {type(made).__name__}{from_elsewhere(made)}"
                        )
                    if not context.take_rewrite(node.name):
                        continue
                    results = list(node.results)
                    listener = None if running is None else running.listener("", [node], results)
                    replace_node(node, _native._take(made), listener)
            except PassSkip as skipped:
                refused[node.name] = text_of(skipped) or _REFUSED
                continue
            context.count("decomposed")
            self.replaced += 1

        return TriedNodes(self.op_types, lambda node: refused.get(node.name))

    def asked(self, context: PassContext) -> TriedNodes:
        """Return the operators that the pass tries to match, for an explanation; refusals call the hook."""
        instance = self.object
        disputes: dict[ir.Graph, dict[ir.Value, str]] = {}

        def refusal(node: ir.Node) -> str | None:
            graph = node.graph
            if graph is not None and graph not in disputes:
                disputes[graph] = graph.type_disputes()
            if graph is not None and (dispute := _dispute_at(node, disputes[graph])):
                return dispute
            try:
                return None if self.wants(instance, node, context) else _REFUSED
            except PassSkip as skipped:
                return text_of(skipped) or _REFUSED

        return TriedNodes(self.op_types, refusal)

    def wants(self, instance: DecomposePass, node: ir.Node, context: PassContext) -> bool:
        """Call the hook."""
        with self.hook("meet_requirements", node):
            extra = (context,) if instance._takes_context["meet_requirements"] else ()
            return bool(unwrapped(instance.meet_requirements)(node, *extra))


def _dispute_at(node: ir.Node, disputes: Mapping[ir.Value, str]) -> str | None:
    """Return what is wrong with the declared type of an operand or result."""
    values = [*node.operands, *node.results]
    return next((disputes[v] for v in values if v is not None and v in disputes), None)


def nodes_of(cls: type[DecomposePass], name: str) -> TriedNodes:
    """Return the operators that a pass tries to match, for a pass that does not run."""
    adapter = DecomposeAdapter(name, {}, cls, tuple(cls.op_types))
    return adapter.asked(PassContext(DetachedRun(name)))


publish(globals())
