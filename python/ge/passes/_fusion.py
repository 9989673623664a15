"""Adapters of the kinds that match and replace; matching and rewriting are native."""

from collections.abc import Callable, Mapping
from typing import Any

from .. import ir
from .._mlir_like._cext_loader import load
from .._mlir_like._failures import text_of
from ._adapters import Adapter, ClassAdapter
from ._context import PassContext, Unheard, current_run
from ._errors import PassSkip
from ._expect import Explain
from ._explain import Explanation, explain
from ._explain_nodes import explain_nodes
from ._expression import replacement_graph, values_of
from ._fusion_kinds import DecomposePass, PatternFusionPass
from ._ge_pattern import Pattern, PatternMatcherConfig
from ._graphs import graphs_inside
from ._match import PatternFunction, as_pattern, compile_trace
from ._place import place_of
from ._retype import keep_types, retype_guesses
from ._rules import Rule, rewrite
from ._stamp import has_bodies, replace_node, sizes_differ, stamp
from ._trace import Trace

__all__ = ["DecomposeAdapter", "PatternAdapter", "RuleAdapter", "nodes_of", "rules_of"]

_native = load("passes")


class PatternAdapter(ClassAdapter):
    """Rules of one class: a native pattern each, with the hooks as guard and builder."""

    rewrites_only = True

    def __init__(self, name: str, options: Mapping[str, str], cls: type[PatternFusionPass]) -> None:
        super().__init__(name, options, cls)
        self.place = place_of(cls.replacement)

    def rules(self, context: PassContext) -> list[Rule]:
        instance = self.object
        with self.hook("patterns"):
            given = instance.patterns()
            patterns = [] if given is None else _listed(given)
            config = instance.matcher_config
            if config is not None and not isinstance(config, PatternMatcherConfig):
                raise TypeError(
                    f"matcher_config must be a PatternMatcherConfig, not {type(config).__name__}"
                )
            return [self.rule(each, config, context) for each in patterns]

    def run(self, graph: ir.Graph, context: PassContext) -> Explain:
        rules = self.rules(context)
        for rule in rules:
            done = _native._rewrite(graph, [rule._native], False, True, False, 0)
            _count_rewrites(context, *done[:3])
        # Not kept in this object: they hold it.
        return lambda found, node, most: [explain(found, rule, node, most=most) for rule in rules]

    def rule(self, what: Any, config: PatternMatcherConfig | None, context: PassContext) -> Rule:
        captures: Any = None
        if isinstance(what, ir.Graph):
            what = Pattern(what)
        elif isinstance(what, PatternFunction):
            what = what.trace()
        if isinstance(what, Pattern):
            native = what.compiled(config)
            captures = what.capture_names
        elif isinstance(what, Trace):
            asked = [self.predicate(each) for each in what.predicates]
            native = compile_trace(what, *_comparison(config), predicates=asked)
        else:
            native = as_pattern(what)
            captures = getattr(what, "capture_names", None)
        style = self.object._replacement_style
        guard = self.guard(context)
        named = style.kind == "named"
        made = _native.GraphRule(
            native,
            self.name,
            when=guard,
            build=self.named_builder(context) if named else self.graph_builder(context),
            in_place=True,
            captures=captures,
        )
        return Rule(made, native, True, self.place)

    def predicate(self, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def asked(found: Any) -> Any:
            try:
                return function(found)
            except BaseException:
                # Entered here only: most answers are given without a failure, and there are many.
                with self.hook("predicate", found.node if isinstance(found, ir.Value) else None):
                    raise

        return asked

    def guard(self, context: PassContext) -> Callable[[Any], bool] | None:
        cls = type(self.object)
        if cls.meet_requirements is PatternFusionPass.meet_requirements:
            return None
        function = self.object.meet_requirements
        names = cls._guard_style.arguments

        def guard(match: Any) -> bool:
            with self.hook("meet_requirements", match.anchor):
                return bool(function(*_arguments(names, match, context)))

        return guard

    def graph_builder(self, context: PassContext) -> Callable[[Any], Any]:
        style = type(self.object)._replacement_style
        function = self.object.replacement

        def build(match: Any) -> Any:
            with self.hook("replacement", match.anchor):
                made = replacement_graph(
                    self.object,
                    style,
                    function,
                    match.inputs,
                    {"match": match, "context": context},
                )
                retype_guesses(made, match.inputs)
                return _taken(made, match)

        return build

    def named_builder(self, context: PassContext) -> Callable[[Any], Any]:
        names = type(self.object)._replacement_style.arguments
        function = self.object.replacement

        def build(match: Any) -> Any:
            with self.hook("replacement", match.anchor):
                made = function(*_arguments(names, match, context))
                if isinstance(made, ir.Graph):
                    return _taken(made, match)
                values = values_of(made)
                keep_types(match.outputs, values)
                return values

        return build


def _taken(made: ir.Graph, match: Any) -> Any:
    """Take a graph that a hook made for a match: handles that the hook kept are stale."""
    graph = _native._take(made)
    if not has_bodies(graph):
        return graph
    sizes_differ(graph, len(match.inputs), len(match.outputs))
    values = stamp(graph, match.inputs)
    keep_types(match.outputs, values)
    return values


def _arguments(names: tuple[str, ...], match: Any, context: PassContext) -> list[Any]:
    return [match if n == "match" else context if n == "context" else match[n[1:]] for n in names]


def _comparison(config: PatternMatcherConfig | None) -> tuple[str, str]:
    """Patterns of named values compare what they give, unless a configuration says otherwise."""
    if config is None:
        return "given", "value"
    return (
        "all" if config.ir_attr_match else "none",
        "exact" if config.const_value_match else "any",
    )


def _count_rewrites(context: PassContext, rewrites: int, cyclic: int, exhausted: int) -> None:
    counts = {"matched": rewrites, "cyclic": cyclic, "exhausted": exhausted}
    for statistic, count in counts.items():
        if count:
            context.count(statistic, count)


def _listed(given: Any) -> list[Any]:
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        raise TypeError(f"patterns() must return a list of patterns, not {type(given).__name__}")
    return list(given)


def rules_of(cls: type[PatternFusionPass], name: str) -> list[Rule]:
    """Return the rules of a pass that is not run: one for each pattern, with the hooks behind them."""
    return PatternAdapter(name, {}, cls).rules(PassContext(Unheard(name)))


def nodes_of(
    graph: ir.Graph, cls: type[DecomposePass], name: str, node: Any = None, *, most: int = 5
) -> Explanation:
    """Return which nodes of a graph a pass that is not run takes, and why it leaves the others."""
    adapter = DecomposeAdapter(name, {}, cls, tuple(cls.op_types))
    return adapter.asked(graph, PassContext(Unheard(name)), node, most)


_REFUSED = "it says no"


class DecomposeAdapter(ClassAdapter):
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
        self.place = place_of(cls.replacement)

    def run(self, graph: ir.Graph, context: PassContext) -> Explain:
        instance = self.object
        # Collected first: what a replacement brings is not looked at.
        nodes = [
            node
            for each in graphs_inside(graph)
            for node in each.nodes
            if node.type in self.op_types or node.op in self.op_types
        ]
        running = current_run()
        refused: dict[str, str] = {}
        for node in nodes:
            if not node.is_alive:
                continue
            try:
                if not self.wants(instance, node, context):
                    refused[node.name] = _REFUSED
                    continue
                with self.hook("replacement", node):
                    extra = (context,) if instance._takes_context["replacement"] else ()
                    made = instance.replacement(node, *extra)
                    if not isinstance(made, ir.Graph):
                        raise TypeError(
                            "DecomposePass.replacement must return ge.graph.Graph, "
                            f"not {type(made).__name__}"
                        )
                    if not context.take_rewrite(node.name):
                        continue
                    told = (
                        None if running is None else running.teller("", [node], list(node.results))
                    )
                    replace_node(node, _native._take(made), told)
            except PassSkip as skipped:
                refused[node.name] = text_of(skipped) or _REFUSED
                continue
            context.count("decomposed")

        def refusal(node: ir.Node) -> str | None:
            return refused.get(node.name)

        return lambda found, node, most: [
            explain_nodes(found, self.name, self.op_types, refusal, node, most=most)
        ]

    def asked(self, graph: ir.Graph, context: PassContext, node: Any, most: int) -> Explanation:
        """Say which nodes the pass takes, by asking the hook, and why it leaves the others."""
        instance = self.object

        def refusal(node: ir.Node) -> str | None:
            try:
                return None if self.wants(instance, node, context) else _REFUSED
            except PassSkip as skipped:
                return text_of(skipped) or _REFUSED

        return explain_nodes(graph, self.name, self.op_types, refusal, node, most=most)

    def wants(self, instance: DecomposePass, node: ir.Node, context: PassContext) -> bool:
        """Ask the hook."""
        with self.hook("meet_requirements", node):
            extra = (context,) if instance._takes_context["meet_requirements"] else ()
            return bool(instance.meet_requirements(node, *extra))


class RuleAdapter(Adapter):
    rewrites_only = True

    def __init__(self, name: str, options: Mapping[str, str], rule: Rule) -> None:
        super().__init__(name, options)
        self.rule = rule
        self.place = rule.place

    def run(self, graph: ir.Graph, context: PassContext) -> Explain:
        with self.hook(self.name):
            done = rewrite(graph, self.rule)
        _count_rewrites(context, done.rewrites, done.cyclic, done.exhausted)
        return lambda found, node, most: [explain(found, self.rule, node, most=most)]
