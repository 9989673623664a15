"""Hooks that take ``inputs``: patterns and replacements built with CANN's GraphBuilder."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

from .... import ir
from ..._pattern._public import publish
from ._pattern import Pattern

__all__ = ["PatternInputs"]


class PatternInputs:
    """The inputs of a pattern or replacement in CANN's style: ``inputs[i]``, ``inputs[:N]``.

    Input i is created, with those before it, at first use.
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
                raise ValueError(f"PatternInputs slice step must be 1, not {key.step!r}")
            if key.stop is None:
                raise ValueError(
                    "PatternInputs slice must provide a stop index, for example inputs[:3]; "
                    "the input count is unknown"
                )
            start = 0 if key.start is None else key.start
            if start < 0 or key.stop < 0:
                raise ValueError(
                    f"PatternInputs slice indices must be non-negative, not {start}:{key.stop}"
                )
            if key.stop < start:
                raise ValueError(
                    "PatternInputs slice stop must be greater than or equal to start, "
                    f"not {start}:{key.stop}"
                )
            if start < key.stop:
                self._need(key.stop)
            return self._made[start : key.stop]
        if not isinstance(key, int):
            raise TypeError(
                f"PatternInputs index must be an integer or slice, not {type(key).__name__}"
            )
        if key < 0:
            raise ValueError(f"PatternInputs index must be non-negative, not {key}")
        self._need(key + 1)
        return self._made[key]

    def __iter__(self) -> Iterator[NoReturn]:
        raise TypeError(
            "PatternInputs cannot be iterated because the input count is unknown; use inputs[:N]"
        )

    def created(self) -> list[Any]:
        """Return the inputs made so far."""
        return list(self._made)


def pattern_of_inputs(owner: Any, name: str, label: str, function: Callable[..., Any]) -> Any:
    """Return the pattern of a ``@pattern`` method that takes ``inputs``."""
    from ....es import GraphBuilder  # loads what only CANN's style needs

    builder = GraphBuilder(label)
    inputs = PatternInputs(builder)
    made = function(owner, inputs)
    if isinstance(made, (Pattern, ir.Graph)):
        return made
    if isinstance(made, (list, tuple)) and any(
        isinstance(item, (Pattern, ir.Graph)) for item in made
    ):
        raise TypeError(
            "A @pattern method supports a single pattern only. For multiple patterns, declare several "
            f"@pattern methods or use legacy patterns(self). '{name}' gave {_shown(made)}"
        )
    outputs = _tensors(made, "patterns", f"@pattern method '{name}'")
    created = inputs.created()
    sources = [*created, *outputs]
    values = [holder.value for holder in sources]
    graph = builder.build_and_reset(outputs)
    result = Pattern(graph)
    for value in values:
        result.capture_tensor(value)
    return result


def replacement_of_inputs(
    owner: Any,
    names: Sequence[str],
    function: Callable[..., Any],
    values: Sequence[Any],
    arguments: dict[str, Any],
) -> ir.Graph:
    """Return the graph that a replacement hook builds from ``inputs``.

    Parameters
    ----------
    owner : object
        The instance of the pass.
    names : sequence of str
        What the hook is called with, in order: ``"inputs"`` and keys of `arguments`.
    function : callable
        The hook.
    values : sequence of Value
        The pattern's inputs. An input of the same type is declared for each, used or not.
    arguments : dict of str to object
    """
    from ....es import GraphBuilder

    builder = GraphBuilder(f"{type(owner).__name__}_replacement")
    arguments = {**arguments, "inputs": PatternInputs(builder, values)}
    made = function(*(arguments[name] for name in names))
    if isinstance(made, ir.Graph):
        return made
    graph: ir.Graph = builder.build_and_reset(
        _tensors(made, "replacement", f"{type(owner).__name__}.replacement")
    )
    return graph


def _tensors(made: Any, what: str, hook: str) -> list[Any]:
    from ....es import TensorHolder

    items = list(made) if isinstance(made, (list, tuple)) else [made]
    if not items or not all(isinstance(item, TensorHolder) for item in items):
        hint = ""
        if made is None and what == "replacement":
            hint = "; to leave a match alone, return False from meet_requirements"
        raise TypeError(
            f"Expression-style {what} must return a TensorHolder or a non-empty list/tuple of TensorHolder; "
            f"{hook} gave {_shown(made)}{hint}"
        )
    return items


def _shown(made: Any) -> str:
    if isinstance(made, (list, tuple)):
        inner = ", ".join(sorted({type(item).__name__ for item in made})) or "nothing"
        return f"a {type(made).__name__} of {inner}"
    return type(made).__name__


publish(globals(), home="pattern")
