"""PatternFusionPass: a class of patterns and their replacements, and its adapter. Matching and rewriting are native."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

from ... import ir
from ..._mlir_like._cext_loader import load
from ..._support.elsewhere import from_elsewhere
from ..._support.program import PACKAGE
from .._pattern._pattern import PatternFunction, as_pattern, compile_trace
from .._pattern._public import publish
from .._pattern._trace import Place, Trace, outputs_of, place_of, trace, trace_template
from .._pipeline._base import Adapter, ClassAdapter, FusionBasePass, hook_of, place_in_class
from .._pipeline._context import DetachedRun, PassContext
from .._pipeline._errors import failure
from .._pipeline._observer import Tried, TriedRules
from ._cann._inputs import pattern_of_inputs, replacement_of_inputs
from ._cann._pattern import Pattern, PatternMatcherConfig
from ._retype import keep_types, retype_guesses
from ._rules import Rule, with_operators
from ._stamp import sizes_differ
from ._style import (
    UNCHECKED,
    RecordedSelf,
    Style,
    builders_of,
    check_pattern,
    condition_style,
    is_pattern_method,
    keeps_self,
    names_of_patterns,
    reads_of,
    refuse_misspelt,
    refuse_run,
    replacement_style,
    still_holds,
    style_in_base,
    takes_inputs,
    takes_type_of_self,
    unwrapped,
    wrap_hooks,
)

__all__ = ["PatternFusionPass"]

_native = load("passes")
_CONSTANTS = ("ge.Const", "onnx.Constant")
#: Name of the pass whose rules are applied, for predicates, which outlive an execution.
_running: ContextVar[str] = ContextVar("ge.passes.fusion")


@dataclass(frozen=True)
class _Compiled:
    """A pattern of a class, valid for all executions in which `self` is unchanged."""

    native: Any
    captures: Any  # names of captured tensors, or None
    reads: dict[str, Any]  # attributes of `self` that the method read
    #: Rules without hooks that are called, by name of the pass: the template, and the native rule.
    rules: dict[str, tuple[ir.Graph, Any]] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class _Template:
    """A traced replacement: the graph (None: call it for each match), valid while its builders are unchanged."""

    builders: tuple[Any, ...]
    graph: ir.Graph | None


@dataclass(frozen=True)
class _Settled:
    """The native rules of a class whose methods need not be called again while the class is unchanged."""

    facts: tuple[Any, ...]
    #: Replacements with the names of their values, and the builders that each calls.
    replacements: tuple[tuple[Callable[..., Any], list[str], tuple[Any, ...]], ...]
    rules: tuple[Any, ...]

    def holds(self, cls: type[PatternFusionPass]) -> bool:
        """Return whether the class and the builders that its replacements call are the same."""
        return self.facts == _facts_of(cls) and all(
            builders_of(function, names) == builders
            for function, names, builders in self.replacements
        )


class PatternFusionPass(FusionBasePass):
    """A pass that finds patterns and replaces them; matching and rewriting are native.

    ::

        @register_fusion_pass(name="FuseMatMulAdd", stage=PassStage.BEFORE_INFER_SHAPE)
        class FuseMatMulAdd(PatternFusionPass):
            @pattern
            def matmul_add(self, a, b, c):
                return op.Add(op.MatMul(a, b), c)

            def meet_requirements(self, match):  # optional
                a, b, y = match["a"].type, match["b"].type, match.outputs[0].type
                return a.rank == b.rank == 2 and y.shape == (a.shape[0], b.shape[1])

            def replacement(self, a, b, c):
                return op.Gemm(a, b, c)

    A replacement that takes values alone, and whose code is only calls of builders with them and with constants as
    attributes, is called once per process: what it built is stamped natively for each match. Other replacements are called
    for each match, as are all of a class with ``per_match = True``.

    A class may have several patterns. Its ``replacement`` takes values that each of them names; ``@matmul_add.replacement``
    decorates a method that replaces the matches of one pattern. A parameter that is not a value of each pattern, nor ``match``
    (or ``match_result``) or ``context``, and has no default, is a TypeError when the class is made.

    In CANN's style the hooks take ``inputs``: ``@pattern def f(self, inputs)`` and ``replacement(self, inputs[,
    match_result][, context])``; or ``patterns()`` gives `Pattern` objects or graphs, and ``replacement(self,
    match_result[, context])`` a graph.

    Parameters
    ----------
    matcher_config : PatternMatcherConfig, optional
        Whether constants and attributes are compared. Default: patterns of named values compare what they give; CANN's
        do not.
    """

    #: Call the replacements for each match, also those that could be traced once.
    per_match: ClassVar[bool] = False

    _ge_kind: ClassVar[str] = "pattern_fusion"
    _pattern_methods: ClassVar[tuple[tuple[str, Callable[..., Any]], ...]] = ()
    _condition_style: ClassVar[Style]
    _replacement_style: ClassVar[Style]
    #: By method and how it compares.
    _compiled_patterns: ClassVar[dict[tuple[str, str, str], _Compiled]] = {}
    #: By replacement.
    _templates: ClassVar[dict[Callable[..., Any], _Template]] = {}
    #: By pattern, what ``@pattern_name.replacement`` decorated and how it is called.
    _own_replacements: ClassVar[Mapping[str, tuple[Callable[..., Any], Style]]] = {}
    #: By name of the pass.
    _settled: ClassVar[dict[str, _Settled]] = {}

    @classmethod
    def _ge_native_rules(cls, name: str) -> tuple[Any, ...] | None:
        """Return the rules of the pass, if an execution would call none of its methods; else None."""
        known = cls._settled.get(name)
        return known.rules if known is not None and known.holds(cls) else None

    @classmethod
    def _ge_adapter(
        cls, name: str, options: Mapping[str, str], op_types: tuple[str, ...]
    ) -> Adapter:
        return PatternAdapter(name, options, cls)

    @classmethod
    def _ge_replacement(cls) -> str:
        every = [
            cls._own_replacements.get(name, (unwrapped(cls.replacement), cls._replacement_style))
            for name, _ in cls._pattern_methods
        ]
        kinds = {
            "per match" if _builders_called(cls, function, style) is None else "template"
            for function, style in every
        }
        return ", ".join(sorted(kinds)) or "per match"

    def __init__(self, matcher_config: PatternMatcherConfig | None = None) -> None:
        self._matcher_config = matcher_config

    @property
    def matcher_config(self) -> PatternMatcherConfig | None:
        """The configuration given to ``__init__``."""
        return getattr(self, "_matcher_config", None)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        refuse_run(cls, "PatternFusionPass", "patterns()/replacement()")
        cls._compiled_patterns, cls._templates, cls._settled = {}, {}, {}
        found = {name: value for name, value in vars(cls).items() if is_pattern_method(value)}
        methods = tuple((name, value.function) for name, value in found.items())
        if methods and "patterns" in vars(cls):
            raise TypeError(
                f"{cls.__name__} cannot combine @pattern methods with patterns(). "
                "Use one style for declaring patterns."
            )
        if methods:
            for name, function in methods:
                check_pattern(name, function)
            cls._pattern_methods = methods
            cls._own_replacements = {
                name: (
                    value.own_replacement,
                    replacement_style(
                        value.own_replacement, names_of_patterns([(name, value.function)])
                    ),
                )
                for name, value in found.items()
                if value.own_replacement is not None
            }
            for value in found.values():
                value.owner = cls
        elif "patterns" in vars(cls):
            cls._pattern_methods, cls._own_replacements = (), {}
        shared = [each for each in cls._pattern_methods if each[0] not in cls._own_replacements]
        hooks = ["meet_requirements"]
        if not cls._pattern_methods:
            hooks.append("patterns")
        if shared or not cls._pattern_methods:
            hooks.append("replacement")
        refuse_misspelt(cls, PatternFusionPass, hooks)
        if not cls._pattern_methods and cls.patterns is PatternFusionPass.patterns:
            # A base class: its hooks are checked with the patterns of its subclasses.
            cls._condition_style = cls._replacement_style = UNCHECKED
            wrap_hooks(cls, UNCHECKED, style_in_base(cls))
            return
        cls._condition_style = condition_style(
            cls.meet_requirements, names_of_patterns(cls._pattern_methods)
        )
        cls._replacement_style = (
            UNCHECKED
            if cls._pattern_methods and not shared
            else replacement_style(cls.replacement, names_of_patterns(shared))
        )
        wrap_hooks(cls, cls._condition_style, cls._replacement_style)

    @classmethod
    def _ge_check(cls) -> None:
        if not cls._pattern_methods and cls.patterns is PatternFusionPass.patterns:
            raise TypeError(
                f"{cls.__name__} has no patterns, so that it would match nothing; decorate a method with @pattern, or "
                "define patterns()"
            )

    @classmethod
    def _ge_check_registered(cls) -> None:
        cls._ge_check()
        if cls.replacement is not PatternFusionPass.replacement:
            return
        # CANN registers classes whose hooks are missing; patterns of named values are not CANN's.
        for name, function in cls._pattern_methods:
            if name not in cls._own_replacements and not takes_inputs(function)[0]:
                raise TypeError(
                    f"{cls.__name__} has no replacement for pattern '{name}'; write replacement(), or "
                    f"@{name}.replacement"
                )

    def patterns(self) -> Iterable[Pattern | ir.Graph]:
        """Return the patterns, in the order in which they are looked for.

        Called once for an execution. Classes with ``@pattern`` methods do not write it; such a method is called once per
        process, and again when an attribute of ``self`` that it reads is not what it was.
        """
        if not self._pattern_methods:
            raise NotImplementedError(
                f"PatternFusionPass.patterns must be implemented: {type(self).__name__} has neither patterns() nor "
                "methods with @pattern"
            )
        return [
            _pattern_graph(self, self, name, function) for name, function in self._pattern_methods
        ]

    def meet_requirements(self, match_result: Any) -> bool:
        """Return whether a match is to be replaced."""
        return True

    def replacement(self, match_result: Any) -> ir.Graph:
        """Return the replacement of a match."""
        own = type(self)._own_replacements
        lacking = [name for name, _ in self._pattern_methods if name not in own]
        of = f" for pattern '{lacking[0]}'" if lacking else ""
        hint = f"; write replacement(), or @{lacking[0]}.replacement" if lacking else ""
        raise NotImplementedError(
            f"PatternFusionPass.replacement must be implemented: {type(self).__name__} has none{of}{hint}"
        )


PatternFusionPass._condition_style = PatternFusionPass._replacement_style = UNCHECKED
wrap_hooks(PatternFusionPass, UNCHECKED, UNCHECKED)


def _facts_of(cls: type[PatternFusionPass]) -> tuple[Any, ...]:
    """Return the objects that a `_Settled` depends on, besides the code of the methods."""
    return (
        cls.__new__,
        cls.__init__,
        cls.matcher_config,
        cls.patterns,
        cls.meet_requirements,
        cls.replacement,
        cls.per_match,
        cls._pattern_methods,
        cls._own_replacements,
    )


def _is_plain(cls: type[PatternFusionPass]) -> bool:
    """Return whether instantiating a class and evaluating its condition runs no user code."""
    base = PatternFusionPass
    return (
        type(cls) is type(base)
        and cls.__new__ is base.__new__
        and cls.__init__ is base.__init__
        and cls.matcher_config is base.matcher_config
        and cls.patterns is base.patterns
        and cls.meet_requirements is base.meet_requirements
        and not cls.per_match
        and not hasattr(cls, "__del__")
        and not hasattr(cls, "_matcher_config")
    )


def _pattern_graph(owner: Any, given: Any, name: str, function: Callable[..., Any]) -> Any:
    """Return the result of a ``@pattern`` method: a trace, a Pattern or a graph; `given` is its ``self``."""
    is_positional, names = takes_inputs(function)
    label = f"{type(owner).__name__}_{name}_pattern"
    if is_positional:
        return pattern_of_inputs(given, name, label, function)
    return trace(
        lambda *values: function(given, *values),
        names,
        name=label,
        what="@pattern method",
        named=function,
    )


def _taken(made: ir.Graph, match: Any) -> Any:
    """Take ownership of a graph that a hook returned for a match: handles that the hook kept become stale."""
    given, wanted = len(made.inputs), len(match.inputs)
    # A replacement may have fewer inputs, if it does not use all of them.
    sizes_differ(made, wanted if given > wanted else None, len(match.outputs))
    return _native._take(made)


def _graph_of(made: Any) -> ir.Graph:
    """Return the graph that a replacement of the match returns; raise TypeError if it is not one."""
    if isinstance(made, ir.Graph):
        return made
    hint = "; to leave a match alone, return False from meet_requirements" if made is None else ""
    raise TypeError(
        f"PatternFusionPass.replacement must return {PACKAGE}.graph.Graph, not {type(made).__name__}{hint}"
        + from_elsewhere(made)
    )


class PatternAdapter(ClassAdapter):
    """Rules of one class: a native pattern each, with the hooks as condition and builder."""

    rewrites_only = True

    def __init__(self, name: str, options: Mapping[str, str], cls: type[PatternFusionPass]) -> None:
        super().__init__(name, options, cls)
        self.place = place_in_class(cls, "replacement")
        self.builds_values = False

    def rules(self, context: PassContext) -> list[tuple[Any, Any, Place | None]]:
        """Return what `rule` gives for each pattern."""
        instance = self.object
        cls = type(instance)
        with self.hook("patterns"):
            config = instance.matcher_config
            if config is not None and not isinstance(config, PatternMatcherConfig):
                raise TypeError(
                    "PatternFusionPass.matcher_config must be PatternMatcherConfig or None, "
                    f"not {type(config).__name__}"
                )
            cls._ge_check()
            names: list[str | None]
            if methods := cls._pattern_methods:
                # A pattern by its method, whose replacement may be its own.
                names = [name for name, _ in methods]
                patterns = [self.pattern(name, function, config) for name, function in methods]
            else:
                given = instance.patterns()
                given = [] if given is None else _listed(given)
                names = [None] * len(given)
                patterns = [_Compiled(*self.compiled(each, config), {}) for each in given]
        return [self.rule(each, context, name) for each, name in zip(patterns, names, strict=True)]

    def run(self, graph: ir.Graph, context: PassContext) -> Tried:
        # Patterns outlive this run, and serve graphs of any context.
        with ir.Context.default:
            rules = [rule for rule, _, _ in self.rules(context)]
        token = _running.set(self.name)
        try:
            for rule in rules:
                try:
                    run = partial(_native._rewrite, graph, [rule], False, True, False, 0)
                    done = with_operators(graph, run) if self.builds_values else run()
                except (TypeError, ValueError) as error:
                    # Errors of the rewriter about a replacement; those of hooks are PassErrors
                    # already.
                    raise failure(error, self.name, "replacement", place=self.place) from error
                context._count_rewrites(*done[:3])
        finally:
            _running.reset(token)
        self.settle(rules)
        # Not stored in this object, which they refer to.
        return TriedRules(rules)

    def settle(self, rules: list[Any]) -> None:
        """Note the rules of a class whose methods need not be called again."""
        cls = type(self.object)
        if self.name in cls._settled or not _is_plain(cls):
            return
        key = _comparison(None)
        patterns = [cls._compiled_patterns.get((name, *key)) for name, _ in cls._pattern_methods]
        if any(each is None or each.reads or self.name not in each.rules for each in patterns):
            return
        replacements = []
        for name, _ in cls._pattern_methods:
            shared = unwrapped(cls.replacement), cls._replacement_style
            function, style = cls._own_replacements.get(name, shared)
            names = [each[1:] for each in style.arguments]
            builders = builders_of(function, names)
            if builders is None:
                return
            replacements.append((function, names, builders))
        cls._settled[self.name] = _Settled(_facts_of(cls), tuple(replacements), tuple(rules))

    def pattern(
        self, name: str, function: Callable[..., Any], config: PatternMatcherConfig | None
    ) -> _Compiled:
        """Return the native pattern of a ``@pattern`` method, traced now if no earlier trace is valid."""
        instance = self.object
        cls = type(instance)
        key = (name, *_comparison(config))
        known: _Compiled | None = cls._compiled_patterns.get(key)
        if known is not None and still_holds(known.reads, instance):
            return known
        reads: dict[str, Any] | None = None
        given: Any = None
        if not takes_type_of_self(function):
            recorded = RecordedSelf(instance)
            try:
                given = _pattern_graph(instance, recorded, name, function)
                reads = reads_of(recorded)
            except (AttributeError, TypeError):
                # Python looks up special methods, as in `self(x)`, on the type, which the stand-in does not have. The
                # method is called again with the instance: what is wrong with it is raised then.
                given = None
            if getattr(given, "predicates", ()) and (reads or keeps_self(function)):
                reads = None  # a predicate may ask `self` at matching
        if reads is None:
            given = _pattern_graph(instance, instance, name, function)
        native, captures = self.compiled(given, config)
        made = _Compiled(native, captures, reads or {})
        if reads is not None:
            cls._compiled_patterns[key] = made
        return made

    def compiled(self, what: Any, config: PatternMatcherConfig | None) -> tuple[Any, Any]:
        """Return a native pattern, and the names of captured tensors or None."""
        if isinstance(what, ir.Graph):
            what = Pattern(what)
        elif isinstance(what, PatternFunction):
            what = what.trace()
        if isinstance(what, Pattern):
            return what.compiled(config), what.capture_names
        if isinstance(what, Trace):
            predicates = [_predicate(self.name, each) for each in what.predicates]
            return compile_trace(what, *_comparison(config), predicates=predicates), None
        return as_pattern(what), getattr(what, "capture_names", None)

    def rule(
        self,
        what: _Compiled,
        context: PassContext,
        method: str | None = None,
    ) -> tuple[Any, Any, Place | None]:
        """Return the native rule of a pattern, the native pattern, and the place of the replacement."""
        native = what.native
        cls = type(self.object)
        own = None if method is None else cls._own_replacements.get(method)
        function, style = unwrapped(self.object.replacement), cls._replacement_style
        place = self.place
        if own is not None:
            function, style = own[0].__get__(self.object), own[1]
            place = place_of(own[0])
        how: dict[str, Any] = {}
        template, condition = template_of(cls, function, style), self.condition(context)
        kept = template if condition is None else None
        if kept is not None and (known := what.rules.get(self.name)) and known[0] is kept:
            return known[1], native, place
        if template is not None:
            how["replacement"] = template
            how["inputs"] = [name[1:] for name in style.arguments]
        else:
            is_named = style.kind == "named"
            self.builds_values |= is_named
            how["build"] = (self.named_builder if is_named else self.graph_builder)(
                context, function, style
            )
        try:
            made = _native.GraphRule(
                native,
                self.name,
                when=condition,
                in_place=True,
                captures=what.captures,
                **how,
            )
        except Exception as error:
            raise failure(error, self.name, "replacement", place=place) from error
        if kept is not None:
            what.rules[self.name] = kept, made
        return made, native, place

    def condition(self, context: PassContext) -> Callable[[Any], bool] | None:
        cls = type(self.object)
        if cls.meet_requirements is PatternFusionPass.meet_requirements:
            return None
        function = unwrapped(self.object.meet_requirements)
        names = cls._condition_style.arguments

        def holds(match: Any) -> bool:
            with self.hook("meet_requirements", match.anchor):
                return bool(function(*_arguments(names, match, context)))

        return holds

    def graph_builder(
        self, context: PassContext, function: Callable[..., Any], style: Style
    ) -> Callable[[Any], Any]:
        def build(match: Any) -> Any:
            with self.hook("replacement", match.anchor):
                arguments = {"match": match, "context": context}
                if style.kind == "inputs":
                    made = replacement_of_inputs(
                        self.object, style.arguments, function, match.inputs, arguments
                    )
                else:
                    made = _graph_of(function(*(arguments[n] for n in style.arguments)))
                retype_guesses(made, match.inputs)
                return _taken(made, match)

        return build

    def named_builder(
        self, context: PassContext, function: Callable[..., Any], style: Style
    ) -> Callable[[Any], Any]:
        names = style.arguments

        def build(match: Any) -> Any:
            with self.hook("replacement", match.anchor):
                made = function(*_arguments(names, match, context))
                if isinstance(made, ir.Graph):
                    return _taken(made, match)
                values = outputs_of(made, "replacement")
                keep_types(match.outputs, values)
                return values

        return build


def _predicate(name: str, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a predicate whose failures name the current pass; `name` is the pass for calls outside of a run."""

    def asked(found: Any) -> Any:
        try:
            return function(found)
        except BaseException:
            # The context is entered on failure only, because predicates are called often and seldom
            # fail.
            node = found.node if isinstance(found, ir.Value) else None
            with hook_of(_running.get(name), "predicate", node):
                raise

    return asked


def template_of(
    cls: type[PatternFusionPass], function: Callable[..., Any], style: Style
) -> ir.Graph | None:
    """Return the graph that a replacement of a class builds for every match; None when it is called for each.

    It is traced once, and again when a name that it reads means something else.
    """
    plain = getattr(function, "__func__", function)
    builders = _builders_called(cls, plain, style)
    if builders is None:
        return None
    names = [name[1:] for name in style.arguments]
    known = cls._templates.get(plain)
    if known is None or known.builders != builders:
        known = cls._templates[plain] = _Template(builders, _traced(cls, plain, names))
    return known.graph


def _builders_called(
    cls: type[PatternFusionPass], function: Callable[..., Any], style: Style
) -> tuple[Any, ...] | None:
    """Return the builders that a replacement calls if it depends on nothing else, and may be traced once."""
    if cls.per_match or style.kind != "named" or not all(n[0] == "=" for n in style.arguments):
        return None
    return builders_of(function, [name[1:] for name in style.arguments])


def _traced(
    cls: type[PatternFusionPass], function: Callable[..., Any], names: list[str]
) -> ir.Graph | None:
    try:
        # Its code never reads `self`.
        made: ir.Graph = trace_template(
            lambda *values: function(None, *values), names, f"{cls.__name__}_replacement"
        )
    except Exception:
        # It may need types of a match; if it fails for another reason, the first match reports it.
        return None
    # A number among the operands has the element type of the matched values.
    is_open = any(node.op in _CONSTANTS for node in made.nodes)
    return None if is_open else made


def _arguments(names: tuple[str, ...], match: Any, context: PassContext) -> list[Any]:
    return [match if n == "match" else context if n == "context" else match[n[1:]] for n in names]


def _comparison(config: PatternMatcherConfig | None) -> tuple[str, str]:
    """Patterns with named values compare the given attributes and constants, unless a configuration overrides it."""
    if config is None:
        return "given", "value"
    return (
        "all" if config.ir_attr_match else "none",
        "exact" if config.const_value_match else "any",
    )


def _listed(given: Any) -> list[Any]:
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        raise TypeError(
            "PatternFusionPass.patterns must return an iterable of Pattern or Graph, "
            f"not {type(given).__name__}"
        )
    return list(given)


def rules_of(cls: type[PatternFusionPass], name: str) -> list[Rule]:
    """Return the rules of a pass for an explanation: one for each pattern, which call its hooks."""
    context = PassContext(DetachedRun(name))
    return [
        Rule(rule, native, True, place)
        for rule, native, place in PatternAdapter(name, {}, cls).rules(context)
    ]


publish(globals())
