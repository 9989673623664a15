"""Patterns and replacements written as expressions: what a hook's parameters mean, and the graphs they become."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from .. import ir
from ._match import PatternFunction
from ._signature import positional
from ._trace import outputs_of, trace

__all__ = [
    "PatternInputs",
    "Style",
    "guard_style",
    "is_pattern_method",
    "pattern_graph",
    "replacement_graph",
    "replacement_style",
]

_INPUTS = "inputs"
_CONTEXT = "context"
_MATCH = ("match", "match_result")


class PatternInputs:
    """The inputs of a pattern or replacement in GE's style: ``inputs[i]``, ``inputs[:N]``.

    Input i is made, with those before it, when it is first asked for.
    """

    def __init__(self, builder: Any, values: Sequence[Any] = ()) -> None:
        self._builder = builder
        self._made: list[Any] = []
        self._need(len(values))
        for holder, value in zip(self._made, values, strict=True):
            if value is not None:
                holder.value.type = value.type

    def _need(self, count: int) -> None:
        while len(self._made) < count:
            self._made.append(self._builder.create_input(len(self._made)))

    def __getitem__(self, key: int | slice) -> Any:
        if isinstance(key, slice):
            if key.step not in (None, 1):
                raise ValueError("PatternInputs slices only support step 1")
            if key.stop is None:
                raise ValueError(
                    "PatternInputs slices need a stop because the input count is unknown; "
                    "use inputs[:N]"
                )
            start = 0 if key.start is None else key.start
            if start < 0 or key.stop < 0:
                raise ValueError("PatternInputs does not support negative indices")
            self._need(key.stop)
            return self._made[start : key.stop]
        if isinstance(key, bool) or not isinstance(key, int):
            raise TypeError(
                f"PatternInputs indices must be integers or slices, not {type(key).__name__}"
            )
        if key < 0:
            raise ValueError("PatternInputs does not support negative indices")
        self._need(key + 1)
        return self._made[key]

    def __iter__(self) -> Iterator[NoReturn]:
        raise TypeError(
            "PatternInputs cannot be iterated because the input count is unknown; use inputs[:N]"
        )

    def created(self) -> list[Any]:
        """Return the inputs made so far."""
        return list(self._made)


@dataclass(frozen=True)
class Style:
    """How a hook is called.

    Attributes
    ----------
    kind : {"inputs", "named", "match"}
        With a `PatternInputs`, with values under the pattern's names, or with the match alone.
    arguments : tuple of str
        What it gets, in order: "inputs", "match", "context", or names of the pattern.
    """

    kind: str
    arguments: tuple[str, ...]


def is_pattern_method(value: object) -> bool:
    """Whether a class attribute is what ``@pattern`` made of a method."""
    return isinstance(value, PatternFunction)


def _named(names: list[str]) -> tuple[str, ...]:
    return tuple("match" if n in _MATCH else "context" if n == _CONTEXT else f"={n}" for n in names)


def _is_named(names: list[str], known: Sequence[str]) -> bool:
    extra = (*_MATCH, _CONTEXT)
    return any(n in known for n in names) and all(n in known or n in extra for n in names)


def _check_names(hook: str, names: list[str], required: int, known: Sequence[str]) -> None:
    """Raise for a hook that means values by name, and misspells one."""
    unknown = [n for n in names if n not in (*known, *_MATCH, _CONTEXT)]
    if known and unknown and (required > 2 or len(unknown) < len(names)):
        raise TypeError(
            f"{hook} has a parameter '{unknown[0]}', which not all patterns of the class name; their names are "
            f"{', '.join(known)}, beside 'match' and 'context'"
        )


def guard_style(function: Callable[..., Any], known: Sequence[str]) -> Style:
    """Return how ``meet_requirements`` is called, for a class whose patterns have these names.

    Raises
    ------
    TypeError
        For a signature that is none of the three.
    """
    wrong = (
        "meet_requirements only supports meet_requirements(self, match_result) or "
        "meet_requirements(self, match_result, context)"
    )
    names, required, more = positional(function, wrong)
    if _is_named(names, known):
        return Style("named", _named(names))
    _check_names("meet_requirements", names, required, known)
    if required > 2 or (not names and not more):
        raise TypeError(wrong)
    return Style("match", ("match", "context") if len(names) > 1 or more else ("match",))


def replacement_style(function: Callable[..., Any], known: Sequence[str]) -> Style:
    """Return the same for ``replacement``."""
    wrong = (
        "replacement only supports replacement(self, inputs), replacement(self, inputs, "
        "match_result), replacement(self, inputs, context), replacement(self, inputs, "
        "match_result, context), or replacement(self, match_result[, context])"
    )
    names, required, more = positional(function, wrong)
    if names and names[0] == _INPUTS:
        rest = names[1:required] if required > 1 else names[1:3]
        if required > 3 or (len(rest) == 2 and rest[1] != _CONTEXT):
            raise TypeError(wrong)
        if not rest:
            return Style("inputs", ("inputs",))
        if rest[0] == _CONTEXT:
            if len(rest) > 1:
                raise TypeError(wrong)
            return Style("inputs", ("inputs", "context"))
        return Style("inputs", ("inputs", "match", *(["context"] if len(rest) > 1 else [])))
    if _is_named(names, known):
        return Style("named", _named(names))
    _check_names("replacement", names, required, known)
    if required > 2 or (not names and not more):
        raise TypeError(wrong)
    return Style("match", ("match", "context") if len(names) > 1 or more else ("match",))


def _tensors(made: Any, what: str) -> list[Any]:
    from ..es import TensorHolder

    items = list(made) if isinstance(made, (list, tuple)) else [made]
    if not items or not all(isinstance(item, TensorHolder) for item in items):
        raise TypeError(
            f"{what} must return a TensorHolder or a non-empty list or tuple of them, "
            f"not {_shown(made)}"
        )
    return items


def _shown(made: Any) -> str:
    if isinstance(made, (list, tuple)):
        inner = ", ".join(sorted({type(item).__name__ for item in made})) or "nothing"
        return f"a {type(made).__name__} of {inner}"
    return type(made).__name__


class _PatternGraph:
    """Makes the pattern of a ``@pattern`` method."""

    WRONG = "@pattern methods only support method(self, inputs) or method(self, <named values>)"

    def check(self, name: str, function: Callable[..., Any]) -> None:
        names, required, more = positional(function, self.WRONG)
        if not names or more or required != len(names) or (_INPUTS in names and len(names) > 1):
            raise TypeError(f"{self.WRONG}; '{name}' does not")

    def names(self, methods: Iterable[tuple[str, Callable[..., Any]]]) -> tuple[str, ...]:
        """Names that all patterns of a class have; empty in GE's style."""
        common: list[str] | None = None
        for _, function in methods:
            names, _, _ = positional(function, self.WRONG)
            if names == [_INPUTS]:
                return ()
            common = [n for n in names if common is None or n in common]
        return tuple(common or ())

    def __call__(self, owner: Any, name: str, function: Callable[..., Any]) -> Any:
        names, _, _ = positional(function, self.WRONG)
        label = f"{type(owner).__name__}_{name}_pattern"
        if names != [_INPUTS]:
            return trace(
                lambda *values: function(owner, *values), names, name=label, what="@pattern method"
            )
        from ..es import GraphBuilder  # of GE's style alone, as what it imports
        from ._ge_pattern import Pattern

        builder = GraphBuilder(label)
        inputs = PatternInputs(builder)
        made = function(owner, inputs)
        if isinstance(made, (Pattern, ir.Graph)):
            return made
        if isinstance(made, (list, tuple)) and any(
            isinstance(item, (Pattern, ir.Graph)) for item in made
        ):
            raise TypeError(
                f"@pattern method '{name}' must return one pattern; write one method for each"
            )
        outputs = _tensors(made, f"@pattern method '{name}'")
        created = inputs.created()
        sources = [*created, *outputs]
        values = [holder.value for holder in sources]
        graph = builder.build_and_reset(outputs)
        result = Pattern(graph)
        for value in values:
            result.capture_tensor(value)
        return result


pattern_graph = _PatternGraph()


def replacement_graph(
    owner: Any,
    style: Style,
    function: Callable[..., Any],
    values: Sequence[Any],
    arguments: dict[str, Any],
) -> ir.Graph:
    """Return the graph that a replacement hook gives, or builds.

    An input of the same type is declared for each of `values`, which the pattern's inputs are, used or not.
    """
    kind = "PatternFusionPass.replacement must return ge.graph.Graph"
    if style.kind == "inputs":
        from ..es import GraphBuilder

        builder = GraphBuilder(f"{type(owner).__name__}_replacement")
        arguments = {**arguments, "inputs": PatternInputs(builder, values)}
        made = function(*(arguments[name] for name in style.arguments))
        if isinstance(made, ir.Graph):
            return made
        if made is None:
            raise TypeError(
                f"{kind}, a TensorHolder or a list of them, not None; "
                "to leave a match alone, return False from meet_requirements"
            )
        graph: ir.Graph = builder.build_and_reset(_tensors(made, "replacement"))
        return graph
    made = function(*(arguments[name] for name in style.arguments))
    if not isinstance(made, ir.Graph):
        raise TypeError(
            f"{kind}, not {type(made).__name__}"
            + (
                "; to leave a match alone, return False from meet_requirements"
                if made is None
                else ""
            )
        )
    return made


def values_of(made: Any) -> list[Any]:
    """Return what a replacement of named values gave, as Values."""
    return outputs_of(made, "replacement")
