"""Each run of a graph is repeated node by node, with a trace, and must give the same results.

Not compared: runs with a trace, error messages, and shapes of empty arrays, which runtimes choose if types do not
determine them.
"""

from typing import Any

import numpy as np
import pytest

from ge.run import _interpreter


def same(made: Any, other: Any) -> bool:
    if isinstance(made, list):
        return isinstance(other, list) and len(made) == len(other) and all(map(same, made, other))
    if isinstance(made, dict):
        return (
            isinstance(other, dict)
            and made.keys() == other.keys()
            and all(same(made[key], other[key]) for key in made)
        )
    if made is None or other is None:
        return made is other
    a, b = np.asarray(made), np.asarray(other)
    if a.dtype != b.dtype or a.size != b.size:
        return False
    if a.size and a.shape != b.shape:
        return False
    return a.tolist() == b.tolist() or np.array_equal(a, b, equal_nan=True)


def ran(interpreter: Any, run: Any, graph: Any, inputs: list[Any]) -> tuple[Any, Exception | None]:
    try:
        return run(interpreter, graph, inputs), None
    except Exception as error:
        return None, error


def run_two_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every run of a graph compare the two ways to run it."""
    kind = _interpreter._Interpreter
    run, begin = kind.run, kind.__init__

    def begun(self: Any, root: Any, trace: Any, *others: Any) -> None:
        begin(self, root, trace, *others)
        self.again = None if trace else (root, lambda name, value: None, *others)

    def twice(self: Any, graph: Any, inputs: list[Any]) -> list[Any]:
        given = list(inputs)
        made, error = ran(self, run, graph, inputs)
        if self.again is not None:
            other, otherwise = ran(kind(*self.again), run, graph, given)
            assert type(error) is type(otherwise), f"{error!r}; traced: {otherwise!r}"
            assert same(made, other), f"{made}; traced: {other}"
        if error is not None:
            raise error
        return made  # type: ignore[no-any-return]

    monkeypatch.setattr(kind, "__init__", begun)
    monkeypatch.setattr(kind, "run", twice)
