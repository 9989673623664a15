"""Rewrite rules: a pattern and its replacement."""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..._mlir_like._cext_loader import load
from ..._support.elsewhere import from_elsewhere
from .._pattern._pattern import PatternFunction, as_pattern
from .._pattern._public import publish
from .._pattern._trace import (
    Place,
    current_point,
    has_open_numbers,
    leave_to,
    near,
    parameters,
    place_of,
    trace_template,
)
from .._pipeline._base import Adapter
from .._pipeline._context import PassContext, current_run
from .._pipeline._observer import Tried, TriedRules

__all__ = ["RewriteResult", "Rule", "rewrite", "rewrite_rule"]

_ir = load("ir")
_native = load("passes")

Counts = tuple[int, int, int, tuple[int, ...]]
"""Numbers of rewrites, cyclic matches and nodes given up, and rewrites by rule."""


@dataclass(frozen=True)
class RewriteResult:
    """What `rewrite` did.

    Attributes
    ----------
    rewrites : int
        Matches that were replaced.
    per_rule : dict of str to int
        The same by rule.
    cyclic : int
        Matches left alone, because replacing them would have made a cycle.
    exhausted : int
        Nodes given up because the budget was spent.
    """

    rewrites: int
    per_rule: dict[str, int]
    cyclic: int = 0
    exhausted: int = 0

    def __bool__(self) -> bool:
        return self.rewrites > 0


# Parameters for the match itself.
_MATCH = ("match", "match_result")


def _arguments(function: Callable[..., Any], names: Iterable[str], what: str) -> list[Any] | None:
    """Return the arguments for a function of values: None stands for the match; None as a whole, for the match alone.

    Raises
    ------
    TypeError
        For a parameter that is neither a name of the pattern nor the match.
    """
    wanted = parameters(function, what)
    known = sorted(names)
    arguments: list[Any] = []
    for name in wanted:
        if name not in known and name not in _MATCH:
            raise TypeError(
                f"{what} has a parameter '{name}', which the pattern does not name; its names are "
                f"{', '.join(known) or 'none'}, and 'match' is the match itself{near(name, known)}"
            )
        arguments.append(name if name in known else None)
    return None if arguments == [None] else arguments


class Rule:
    """A pattern and its replacement: what `rewrite_rule` makes.

    ``rule(graph)`` applies it, and ``PassManager().add(rule)`` makes it a pass.

    Attributes
    ----------
    place : tuple of str and int, or None
        File and line of the replacement.
    """

    def __init__(
        self, native: Any, pattern: Any, in_python: bool, place: Place | None = None
    ) -> None:
        self._native = native
        self._pattern = pattern
        self._in_python = in_python
        self.__name__ = self.name  # what a pass manager calls it
        self.place = place

    @property
    def name(self) -> str:
        """Name in statistics and origins."""
        name: str = self._native.name
        return name

    @property
    def pattern(self) -> Any:
        """The native pattern."""
        return self._pattern

    def __call__(self, graph: Any) -> bool:
        """Apply it to a graph, each node once; return whether anything changed."""
        return bool(rewrite(graph, self))

    def __repr__(self) -> str:
        return f"<rule {self.name}>"

    @property
    def _ge_native_rule(self) -> Any:
        """The native rule, which a manager applies without an adapter where nothing in Python observes it."""
        return self._native

    def _ge_adapter(
        self, name: str, options: Mapping[str, str], op_types: tuple[str, ...]
    ) -> Adapter:
        return RuleAdapter(name, options, self)


def rewrite_rule(
    pattern: Any,
    replacement: Any,
    condition: Callable[..., Any] | None = None,
    *,
    name: str | None = None,
    benefit: int = 0,
    per_match: bool = False,
    when: Callable[..., Any] | None = None,
) -> Rule:
    """Return a rule that replaces each match of a pattern.

    Parameters
    ----------
    pattern : PatternFunction, callable, Graph or Pattern
    replacement : callable or Graph
        A function whose parameters are names of the pattern: it is traced once, and what it built is stamped natively
        for each match. With a number among the operands, ``x * 2``, which has the element type of ``x``, it is called for
        each match. Or a graph with the pattern's inputs and outputs.
    condition : callable, optional
        Asked for each match whether to replace it. Its parameters are names of the pattern, or ``match`` for the match
        itself.
    name : str, optional
        Default: the pattern's.
    benefit : int
        Of rules that match at one node, the one with the greatest is applied.
    per_match : bool
        Call the replacement for each match, with the values that were found, so that it can look at them.
    when : callable, optional
        The former name of `condition`.

    Returns
    -------
    Rule

    Raises
    ------
    TypeError
        When a function's parameters are not the pattern's names, or both `condition` and `when` are given.
    ValueError
        When pattern and replacement do not have the same outputs.

    Examples
    --------
    >>> rule = rewrite_rule(lambda a, b, c: op.Add(op.MatMul(a, b), c), lambda a, b, c: op.Gemm(a, b, c),
    ...                     condition=lambda a, c: a.type.rank == 2 and c.type.rank == 2, name="gemm")
    >>> rewrite(graph, rule)
    """
    if name is not None and not isinstance(name, str):
        raise TypeError(f"name is a str, not {type(name).__name__}")
    native = as_pattern(pattern)
    label = name if name is not None else native.name
    options: dict[str, Any] = {"benefit": benefit}
    if when is not None:
        if condition is not None:
            raise TypeError("condition and when are the same: give condition alone")
        condition = when
    if condition is not None:
        options["when"] = condition
        options["when_arguments"] = _arguments(condition, native.names, "the condition")
    in_python = False
    if isinstance(replacement, _ir.Graph):
        options["replacement"] = replacement
    elif not callable(replacement):
        raise TypeError(
            f"a replacement is a function or a Graph, not {type(replacement).__name__}"
            + from_elsewhere(replacement)
        )
    elif per_match:
        options["build"] = replacement
        options["build_arguments"] = _arguments(replacement, native.names, "the replacement")
        in_python = True
    else:
        wanted = parameters(replacement, "the replacement")
        unknown = [n for n in wanted if n not in native.names]
        if unknown:
            raise TypeError(
                f"the replacement has a parameter '{unknown[0]}', which the pattern does not name; its names are "
                f"{', '.join(native.names) or 'none'}{near(unknown[0], native.names)} (a function that looks at the match needs per_match=True)"
            )
        template = trace_template(replacement, wanted, f"{label}_replacement")
        if _takes_values(template, native) and has_open_numbers(replacement, wanted, template):
            options["build"] = replacement
            options["build_arguments"] = wanted
            in_python = True
        else:
            options["replacement"] = template
            options["inputs"] = wanted
    options["captures"] = getattr(pattern, "capture_names", None)
    place = place_of(replacement) if callable(replacement) else _caller()
    return Rule(_native.GraphRule(native, label, **options), native, in_python, place)


def _takes_values(template: Any, native: Any) -> bool:
    """Return whether a replacement may be called with values: only templates have bodies, lists and attributes of a match."""
    return all(value.name in native.input_names for value in template.inputs) and not any(
        node.subgraphs
        or any(isinstance(value, Mapping) for value in node.attributes.values())
        or node.op.startswith("pattern.")
        for node in template.nodes
    )


def _caller() -> Place | None:
    """Return the location from which the calling function was called."""
    frame = sys._getframe(1).f_back
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno)


def rewrite(
    graph: Any,
    rules: Any,
    *,
    fixpoint: bool = False,
    subgraphs: bool = True,
    outside_uses: bool = False,
    budget: int = 0,
) -> RewriteResult:
    """Apply rules to a graph, and to the graphs inside it.

    Nodes are looked at in list order, and those that a rewrite makes as soon as they are there. Output names, types,
    control edges and origins are kept, new nodes are put where their operands are known, and what would make a cycle
    is left alone. When a function raises, everything is undone.

    Parameters
    ----------
    graph : Graph
    rules : Rule or sequence of Rule
    fixpoint : bool
        Until nothing matches any more; else each node once.
    subgraphs : bool
        Bodies of If, Loop, ... too.
    outside_uses : bool
        Matches whose inner values are used elsewhere count, and leave what is still used.
    budget : int
        Steps of matching for one node; 0: 65536.

    Returns
    -------
    RewriteResult

    Raises
    ------
    PassError
        For rules that undo each other; nothing has changed then.

    Notes
    -----
    Expected cost: O(nodes) for each sweep.
    """
    is_many = isinstance(rules, Iterable) and not isinstance(rules, (str, bytes, type))
    given = list(rules) if is_many and not isinstance(rules, Rule) else [rules]
    for rule in given:
        if not isinstance(rule, Rule):
            raise TypeError(f"rewrite() takes rules, not {_shown(rule)}{from_elsewhere(rule)}")
    rewrites, cyclic, exhausted, counts = apply_rules(
        graph, given, fixpoint, subgraphs, outside_uses, budget
    )
    per_rule: dict[str, int] = {}
    for rule, count in zip(given, counts, strict=True):
        per_rule[rule.name] = per_rule.get(rule.name, 0) + count
    return RewriteResult(rewrites, per_rule, cyclic, exhausted)


def _shown(value: Any) -> str:
    """Describe a value that is not a rule, and how to make a rule or a pass of it."""
    if isinstance(value, type):
        return f"the class {value.__name__}; PassManager().add({value.__name__}) runs a pass"
    if isinstance(value, PatternFunction):
        return "a pattern; rewrite_rule(pattern, replacement) makes a rule of it"
    if callable(value):
        name = getattr(value, "__name__", type(value).__name__)
        return f"the function {name}; rewrite_rule(pattern, replacement) makes a rule"
    return f"{type(value).__name__}; rewrite_rule(pattern, replacement) makes one"


def apply_rules(
    graph: Any,
    given: list[Rule],
    fixpoint: bool = False,
    subgraphs: bool = True,
    outside_uses: bool = False,
    budget: int = 0,
) -> Counts:
    """Do what `rewrite` does; return the numbers of rewrites, cyclic matches, nodes given up, and rewrites by rule."""
    natives = [rule._native for rule in given]
    running = current_run()
    if running is not None:
        running.places.update((rule.name, rule.place) for rule in given)

    def run() -> Counts:
        done: Counts = _native._rewrite(graph, natives, fixpoint, subgraphs, outside_uses, budget)
        return done

    return with_operators(graph, run) if any(rule._in_python for rule in given) else run()


def with_operators(graph: Any, run: Callable[[], Counts]) -> Counts:
    """Call a function while values of a graph have operators, as in ``x * 2`` in a replacement, and return its result."""
    from ...es import builder

    point = current_point()
    try:
        with builder(graph=graph):
            return run()
    finally:
        leave_to(point)


class RuleAdapter(Adapter):
    """One execution of a rule that was added to a pipeline."""

    rewrites_only = True

    def __init__(self, name: str, options: Mapping[str, str], rule: Rule) -> None:
        super().__init__(name, options)
        self.rule = rule
        self.place = rule.place

    def run(self, graph: Any, context: PassContext) -> Tried:
        """Apply the rule."""
        with self.hook(self.name):
            done = apply_rules(graph, [self.rule])
        context._count_rewrites(*done[:3])
        return TriedRules([self.rule._native])


publish(globals())
