"""Whether two models compute the same: run on the same inputs, compared output by output."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from .._support.lazy import publish
from ..ir import ModelError
from ._fitting_sizes import FittingSizes
from ._inputs import (
    EDGES,
    Sizes,
    element_count,
    free_sizes,
    guessed_sizes,
    main_graph,
    make_inputs,
    required_inputs,
)
from ._outputs import OutputReport, compare_values, has_numbers, missing, worse
from ._runners import Model, NotRunError, RunError, available, why_none

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..ir import Module
    from ._runners import Runner

__all__ = ["CheckReport", "check", "compare"]

# What free dimensions are tried with when the first model does not run with the guess.
_LADDER = (1, 2, 4, 8, 16, 32, 64, 224)
# But not with more elements in all inputs (four free dimensions of 224 are 10 GB), by a runtime and in Python, where a
# pooling takes minutes.
_MOST_ELEMENTS = 1 << 26
_MOST_ELEMENTS_SLOW = 1 << 18
# How often, and for how long, the first model is run again where an output differs, to see whether it is random.
_REPEATS = 16
_REPEAT_SECONDS = 1.0
# Of a file that is read at once: no larger one is a model.
_MOST_BYTES = 1 << 31


class CheckReport(NamedTuple):
    """What `check` found; true if the models agree."""

    equal: bool
    """Whether all outputs that can be compared agree, and there is one."""
    outputs: tuple[OutputReport, ...]
    runs: int
    """On how many sets of inputs of these sizes both ran."""
    by: str
    """What ran the models: ``onnxruntime``, ``the reference evaluator``, ``the interpreter`` or ``the evaluator, operator by
    operator``."""
    sizes: dict[str, int]
    """What free dimensions were given, by symbol or place."""
    notes: tuple[str, ...]
    """Second opinions, and what could not be done."""
    refused: bool = False
    """Whether the second model could not be run by something that has all its operators."""
    outcome: str = ""
    """equal; different; not-loaded (the second model could not be loaded); or not-evaluated (it was not, or nothing could
    be compared)."""
    other_sizes: tuple[dict[str, int], ...] = ()
    """With what other sizes of free dimensions both ran, too: ones, odd numbers, and 0 where the first model allows it."""

    def __bool__(self) -> bool:
        return self.equal


def check(
    a: str | os.PathLike[str] | bytes | Module,
    b: str | os.PathLike[str] | bytes | Module,
    *,
    runs: int = 3,
    seed: int = 0,
    dims: Mapping[str, int] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    inputs: Mapping[str, Any] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    providers: Sequence[str] | None = None,
) -> CheckReport:
    """Compare what two models compute.

    onnxruntime runs them with its own optimisations off. Where it finds a difference, or cannot run a
    model, ONNX's reference evaluator is asked too. A function that `ge.ops.use_evaluator` was given is asked
    before both, operator by operator. If neither has all operators of both models, the interpreter runs both, by kernels
    of the user in this process and all else in the evaluators' child, within their limits of time and memory.

    Free dimensions get several sizes, if the first model runs with them: one that is guessed or was given, 1, an odd
    number, and 0 for each. With each of them the second model has to run, too.

    Parameters
    ----------
    a, b : path-like, bytes or Module
        The model that is right, and the one in question.
    runs : int
        Sets of random inputs; as many as three sets of edge values follow (zeros, ones, extremes).
    seed : int
    dims : mapping, optional
        Sizes of free dimensions by symbol, or by place: ``x[0]``. Others are guessed; if `a` cannot run with the guess,
        sizes that its weights decide are taken from them, and a few others are tried.
    shapes : mapping, optional
        Whole shapes by input.
    inputs : mapping, optional
        Arrays by input. With all inputs given, only they are run; others are made.
    rtol, atol : float, optional
        Instead of the tolerances of floating-point element types (for f32: 1e-3, and 1e-4 of the output's
        largest magnitude or of 1). Integers, bools and strings must be equal.
    providers : sequence of str, optional
        Execution providers of onnxruntime; default: the CPU.

    Returns
    -------
    CheckReport

    Raises
    ------
    ModelError, OSError
        If a file is not a model, or cannot be read.
    RuntimeError
        If nothing can run `a`, or there is nothing to run it with; where that leaves undecided whether they agree, its
        attribute ``outcome`` is ``"not-loaded"`` or ``"not-evaluated"``.
    ValueError
        For shapes that contradict the model, inputs that it lacks, and providers that onnxruntime lacks.
    """
    report, _ = compare(
        a,
        b,
        runs=runs,
        seed=seed,
        dims=dims,
        shapes=shapes,
        inputs=inputs,
        rtol=rtol,
        atol=atol,
        providers=providers,
    )
    return report


def compare(
    a: str | os.PathLike[str] | bytes | Module,
    b: str | os.PathLike[str] | bytes | Module,
    *,
    runs: int = 3,
    seed: int = 0,
    dims: Mapping[str, int] | None = None,
    shapes: Mapping[str, Sequence[int]] | None = None,
    inputs: Mapping[str, Any] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    providers: Sequence[str] | None = None,
    edges: Sequence[str] = EDGES,
    finite: Sequence[str] | None = None,
    inputs_of: Module | None = None,
) -> tuple[CheckReport, dict[str, Any]]:
    """Return what `check` returns, and the inputs on which the models differ, or the first ones.

    Parameters
    ----------
    a, b, runs, seed, dims, shapes, inputs, rtol, atol, providers
        As for `check`.
    edges : sequence of str
        Kinds of inputs after the random ones.
    finite : sequence of str, optional
        Kinds of inputs on which only numbers that are finite in both models count. When this is given, an output that is
        never finite is not compared, and free dimensions have one size: the models are parts of others, which fix it.
    inputs_of : Module, optional
        Declares the shapes of the inputs; default: `a`.
    """
    from ._values import to_array

    model_a, model_b = _model(a), _model(b)
    module = model_a.module if inputs_of is None else inputs_of
    given = {
        name: to_array(v) if not isinstance(v, list) else v for name, v in (inputs or {}).items()
    }
    names = {v.name for v in main_graph(module).inputs}
    unknown = sorted(set(given) - names)
    if unknown:
        raise ValueError(f"the model has no input {unknown[0]!r}; it has {sorted(names)}")
    free = free_sizes(module)
    lacking = sorted(set(dims or {}) - set(free))
    if lacking:
        have = ", ".join(sorted(free)) or "none"
        raise ValueError(f"no input has a free dimension {lacking[0]!r}; free ones: {have}")
    fixed = {n: tuple(s) for n, s in (shapes or {}).items()}
    refused = False
    found: tuple[_Pair, Plan, dict[str, Any], list[OutputReport]] | None = None
    for pair, sizes, first in _starts(
        module, model_a, model_b, dims, fixed, seed, given, providers
    ):
        plan = _plan(module, runs, seed, sizes, first, given, edges)
        if finite is None:
            plan += _with_other_sizes(module, seed, sizes, first, given, set(dims or {}))
        outcome = pair.compare(plan, rtol, atol, finite)
        refused |= pair.refused
        if found is None or pair.ran:
            found = pair, plan, first, outcome
        if pair.ran or pair.refused:
            break  # else another one may have the operators of the second model
    assert found is not None
    pair, plan, first, outcome = found
    notes = list(pair.notes)
    if any(r.verdict == "differs" for r in outcome) and pair.second is not None:
        notes += pair.second_opinion(plan, outcome, rtol, atol)
    comparable = [r for r in outcome if r.verdict in ("equal", "close")]
    wrong = [r for r in outcome if r.verdict not in ("equal", "close", "random")]
    feeds = {run.kind: run.feeds for run in plan}
    worst = next((feeds[r.inputs] for r in wrong if r.inputs in feeds), plan[0].feeds)
    report = CheckReport(
        equal=bool(comparable) and not wrong,
        outputs=tuple(outcome),
        runs=pair.ran,
        by=pair.runner.title,
        sizes=_sizes_used(module, first),
        notes=tuple(notes),
        refused=refused and not pair.ran,
        outcome=_outcome(outcome),
        other_sizes=tuple(_sizes_used(module, run.feeds) for run in pair.others_ran),
    )
    return report, worst


def _outcome(outputs: Sequence[OutputReport]) -> str:
    """Return what was found, in one word: what is proved counts before what could not be decided."""
    verdicts = {each.verdict for each in outputs}
    if verdicts & {"differs", "missing"}:
        return "different"
    for word in ("not-loaded", "not-evaluated"):
        if word in verdicts:
            return word
    return "equal" if verdicts & {"equal", "close"} else "not-evaluated"


class _Run(NamedTuple):
    """One set of inputs."""

    kind: str
    """What it is called."""
    feeds: dict[str, Any]
    is_optional: bool = False
    """The first model may reject it."""
    otherwise: tuple[_Run, ...] = ()
    """What is run instead if it does."""


Plan = list[_Run]

# Dimensions that are varied one by one.
_MOST_VARIED = 4


def _plan(
    module: Module,
    runs: int,
    seed: int,
    sizes: Sizes,
    first: dict[str, Any],
    given: dict[str, Any],
    edges: Sequence[str],
) -> Plan:
    """Return the sets of inputs to run on, each with what it is called."""
    if given and set(first) <= set(given):
        return [_Run("given", dict(given))]
    plan = [
        _Run(f"random {i}", {**make_inputs(module, seed=seed + i, sizes=sizes), **given})
        for i in range(max(runs, 1))
    ]
    if not first:
        return plan[:1]  # without inputs, once is always
    return plan + [
        _Run(kind, {**make_inputs(module, kind=kind, seed=seed, sizes=sizes), **given})
        for kind in edges
    ]


def _with_other_sizes(
    module: Module,
    seed: int,
    sizes: Sizes,
    first: dict[str, Any],
    given: dict[str, Any],
    fixed: set[str],
) -> Plan:
    """Return inputs with other sizes of the free dimensions: all of them 1, all of them odd, and each of them 0.

    Parameters
    ----------
    module, seed, sizes, given
        As for `make_inputs`, and arrays by input.
    first : dict
        Inputs with these sizes.
    fixed : set of str
        Dimensions that keep their size; those of given inputs and shapes do, too.
    """
    used = _sizes_used(module, first)
    for name, inputs in free_sizes(module).items():
        if any(one in given or one in sizes.shapes for one in inputs):
            fixed = fixed | {name}
    free = {name: size for name, size in used.items() if name not in fixed}
    if not free:
        return []

    def run(changed: Mapping[str, int], *otherwise: _Run) -> _Run:
        others = Sizes({**used, **changed}, sizes.shapes)
        feeds = {**make_inputs(module, seed=seed, sizes=others), **given}
        return _Run(f"random, {_shown(changed)}", feeds, True, otherwise)

    single = list(free)[:_MOST_VARIED]
    plan: Plan = []
    for values in (dict.fromkeys(free, 1), {n: max(3, size | 1) for n, size in free.items()}):
        changed = {name: size for name, size in values.items() if free[name] != size}
        alone = [run({name: changed[name]}) for name in single if name in changed]
        if changed:
            plan.append(run(changed, *(alone if len(changed) > 1 else ())))
    return plan + [run({name: 0}) for name in single if free[name] != 0]


def _shown(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name}={size}" for name, size in sizes.items())


def _model(source: Any) -> Model:
    from ..onnx import load

    if isinstance(source, (bytes, bytearray, memoryview)):
        return Model(load(source), bytes(source))
    if not isinstance(source, (str, os.PathLike)):
        return Model(source)
    # The runtimes get the bytes that were looked at here, and open no file. Where that is no whole model, because it has
    # external data or is none at all, the file is read as one.
    data = _file_bytes(os.fsdecode(source))
    if data is not None:
        with contextlib.suppress(ModelError):
            return Model(load(data), data)
    return Model(load(source))


def _file_bytes(path: str) -> bytes | None:
    """Return what is in a file that may be a model without external data; None: it is none, or cannot be read."""
    with contextlib.suppress(OSError), open(path, "rb", opener=_without_waiting) as file:
        status = os.fstat(file.fileno())
        if stat.S_ISREG(status.st_mode) and status.st_size < _MOST_BYTES:
            return file.read()
    return None


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # for another end of a pipe


def _sizes_used(module: Module, inputs: Mapping[str, Any]) -> dict[str, int]:
    used = {}
    for value in main_graph(module).inputs:
        shape = getattr(value.type, "shape", None)
        actual = getattr(inputs.get(value.name), "shape", None)
        if shape is None or actual is None:
            continue
        for axis, (dim, size) in enumerate(zip(shape, actual, strict=False)):
            if not isinstance(dim, int):
                used[dim or f"{value.name}[{axis}]"] = size
    return used


def _starts(
    module: Module,
    a: Model,
    b: Model,
    dims: Mapping[str, int] | None,
    shapes: dict[str, tuple[int, ...]],
    seed: int,
    given: dict[str, Any],
    providers: Sequence[str] | None,
) -> Iterator[tuple[_Pair, Sizes, dict[str, Any]]]:
    """Yield the runners that run the first model, each with sizes and inputs with which they do."""
    runners = available()
    if not runners:
        raise NotRunError(why_none(), "not-evaluated")
    if a.fault:
        raise RuntimeError(f"the first model: {a.fault}")
    notes: list[str] = []
    reasons: list[str] = []
    outcome = "not-evaluated"
    has_run = False
    for number, runner in enumerate(runners):
        try:
            loaded = runner(a, list(providers) if providers else None)
        except RunError as error:
            notes.append(f"the first model: {error}")
            reasons.append(str(error))
            if not error.lacks:
                outcome = "not-loaded"
            continue
        others = runners[number + 1 :]
        # Who can compute both is asked, so that a fusion into an operator of one's own is compared where it runs.
        if others and (text := _lacks(runner, b)):
            notes.append(f"the second model: {text}")
            reasons.append(f"of the second, {text}")
            continue
        failure = None
        tried: list[dict[str, int]] = []
        most = _MOST_ELEMENTS_SLOW if runner.is_slow else _MOST_ELEMENTS
        for sizes in _candidates(module, dims, shapes, most):
            feeds = {**_made(module, given, seed, sizes), **given}
            tried.append(_sizes_used(module, feeds))
            try:
                loaded.run(feeds)
            except RunError as error:
                failure = failure or error
                if error.died:
                    break  # it may take as long, or as much, with each other size
                continue
            has_run, failure = True, None
            yield (
                _Pair(loaded, b, a, others[0] if others else None, list(notes), providers),
                sizes,
                feeds,
            )
            break
        if failure is not None:
            text = f"{failure}{_tried(tried)}"
            notes.append(f"the first model: {text}")
            reasons.append(text)
            outcome = "not-evaluated"
    if not has_run:
        what = {"not-loaded": "could not be loaded", "not-evaluated": "not evaluated"}[outcome]
        raise NotRunError(f"{what}: the first model: {'; '.join(reasons)}", outcome)


def _lacks(runner: type[Runner], model: Model) -> str:
    """Return a sentence on operators of a model that a runner does not have; empty: it has all."""
    try:
        missing = runner.missing(model)
    except RunError as error:
        return str(error)
    return f"{runner.title} has no {', '.join(missing)}" if missing else ""


def _tried(sizes: Sequence[dict[str, int]]) -> str:
    """Return which sizes of free dimensions were tried, and how others are given; empty without free dimensions."""
    shown = list(dict.fromkeys(_shown(one) for one in sizes if one))
    if not shown:
        return ""
    name = next(iter(next(one for one in sizes if one)))
    return f" (tried: {'; '.join(shown)}; --dim {name}=SIZE, or dims={{{name!r}: SIZE}}, gives another one)"


def _made(module: Module, given: dict[str, Any], seed: int, sizes: Sizes) -> dict[str, Any]:
    """Make the inputs unless all of them were given."""
    needed = {value.name for value in required_inputs(module)}
    return {} if given and needed <= set(given) else make_inputs(module, seed=seed, sizes=sizes)


def _candidates(
    module: Module, dims: Mapping[str, int] | None, shapes: dict[str, tuple[int, ...]], most: int
) -> Iterator[Sizes]:
    first = Sizes(dims, shapes)
    yield first
    free = set(free_sizes(module)) - set(dims or {})
    if not free:
        return
    guess = {name: size for name, size in guessed_sizes(module, first).items() if name in free}
    solved = FittingSizes(module).solve(guess)
    if solved:
        yield from _in_turn(module, {**(dims or {}), **solved}, shapes, [None, *_LADDER], most)
    yield from _in_turn(module, dims or {}, shapes, _LADDER, most)


def _in_turn(
    module: Module,
    dims: Mapping[str, int],
    shapes: dict[str, tuple[int, ...]],
    others: Sequence[int | None],
    most: int,
) -> Iterator[Sizes]:
    for size in others:
        sizes = Sizes(dims, shapes, every=size)
        if element_count(module, sizes) <= most:
            yield sizes


_DID_NOT = {"not-loaded": "could not be loaded", "not-evaluated": "was not evaluated"}


class _Pair:
    """Two models in one runner."""

    def __init__(
        self,
        first: Runner,
        b: Model,
        a: Model,
        second: type[Runner] | None,
        notes: list[str],
        providers: Sequence[str] | None,
    ):
        self.first = first
        self.runner = type(first)
        self.models = a, b
        self.second = second
        self.notes = notes
        self.ran = 0
        self.others_ran: list[_Run] = []
        self.refused = False
        self._providers = list(providers) if providers else None

    def compare(
        self,
        plan: Plan,
        rtol: float | None,
        atol: float | None,
        finite: Sequence[str] | None = None,
    ) -> list[OutputReport]:
        """Run both on each set of inputs and return the worst of each output."""
        if text := self._other_inputs():
            return [missing(n, text) for n in self.first.outputs]
        try:
            if fault := self.models[1].fault:  # it is no model, whatever runs it
                self.notes.append(f"the second model: {fault}")
                self.refused = True
                return [missing(n, fault) for n in self.first.outputs]
            other = self.runner(self.models[1], self._providers)
        except RunError as error:
            verdict = "not-evaluated" if error.lacks else "not-loaded"
            text = f"the second model {_DID_NOT[verdict]}: {error}"
            self.notes.append(text)
            self.refused = not error.lacks
            return [missing(n, text, verdict=verdict) for n in self.first.outputs]
        worst: dict[str, OutputReport] = {}
        for name in self.first.outputs:
            if name not in other.outputs:
                have = ", ".join(other.outputs)
                worst[name] = missing(name, f"the second model has no such output; it has {have}")
        blank = set() if finite is None else set(self.first.outputs)
        waiting = list(reversed(plan))
        while waiting:
            kind, feeds, is_optional, otherwise = run = waiting.pop()
            try:
                expected = dict(zip(self.first.outputs, self.first.run(feeds), strict=True))
            except RunError as error:
                if not is_optional:
                    self.notes.append(f"{kind}: the first model: {error}; left out")
                elif error.died:
                    waiting = [one for one in waiting if not one.is_optional]
                else:
                    waiting += reversed(otherwise)
                continue
            try:
                found = dict(zip(other.outputs, other.run(feeds), strict=True))
            except RunError as error:
                if is_optional and (fault := self._rejection(feeds)):
                    self.notes.append(f"{kind}: {fault}; left out")
                    waiting += reversed(otherwise)
                    continue
                self.refused = not error.lacks
                verdict = "not-evaluated" if error.lacks else "missing"
                for name in self.first.outputs:
                    text = f"the second model: {error}"
                    worst[name] = worse(worst.get(name), missing(name, text, kind, verdict))
                break
            reports = {
                name: compare_values(
                    name, value, found[name], kind, rtol, atol, kind in (finite or ())
                )
                for name, value in expected.items()
                if name in found
            }
            differing = [name for name, report in reports.items() if report.verdict == "differs"]
            if is_optional and differing and (fault := self._rejection(feeds)):
                self.notes.append(f"{kind}: {fault}; left out")
                waiting += reversed(otherwise)
                continue
            if is_optional:
                self.others_ran.append(run)
            else:
                self.ran += 1
                blank = {n for n in blank if n not in found or not has_numbers(expected[n])}
            for name in self._unsteady(differing, expected, feeds, kind, rtol, atol):
                text = "the first model gives another result each time: not compared"
                reports[name] = reports[name]._replace(verdict="random", message=text)
            for name, report in reports.items():
                # Of equals the table shows the sizes that were asked for.
                is_shown = is_optional and name in worst
                pair = (report, worst[name]) if is_shown else (worst.get(name), report)
                worst[name] = worse(*pair)
        for name in blank & set(worst):
            if worst[name].verdict in ("equal", "close"):
                text = "only NaN and infinities came out of the first model: not compared"
                worst[name] = worst[name]._replace(verdict="random", message=text)
        return [worst[n] for n in self.first.outputs if n in worst]

    def _other_inputs(self) -> str:
        """Return a sentence on inputs that only the second model has; empty: there are none."""
        known = [value.name for value in main_graph(self.models[0].module).inputs]
        if all(value.name in known for value in required_inputs(self.models[1].module)):
            return ""
        own = ", ".join(value.name for value in main_graph(self.models[1].module).inputs)
        return (
            f"the second model has the inputs {own}, the first {', '.join(known) or 'none'}; inputs and outputs are "
            "compared by name"
        )

    def _rejection(self, feeds: dict[str, Any]) -> str:
        """Return why the other runner rejects these sizes of the first model; empty if it does not.

        onnxruntime returns unwritten memory for some: it joins an empty operand of another shape.
        """
        if self.second is None:
            return ""
        try:
            self.second(self.models[0], self._providers).run(feeds)
        except RunError as error:
            return "" if error.lacks or error.loading or error.died else f"the first model: {error}"
        return ""

    def _unsteady(
        self,
        names: Sequence[str],
        expected: Mapping[str, Any],
        feeds: dict[str, Any],
        kind: str,
        rtol: float | None,
        atol: float | None,
    ) -> set[str]:
        """Return the outputs of which the first model now gives something else.

        One repetition proves little where a random number chooses among a few results: there are more while they are fast.
        """
        unsteady: set[str] = set()
        end = time.monotonic() + _REPEAT_SECONDS
        for _ in range(_REPEATS):
            left = [name for name in names if name not in unsteady]
            if not left or not (again := self._again(feeds)):
                break
            for name in left:
                repeated = compare_values(name, expected[name], again[name], kind, rtol, atol)
                if repeated.verdict == "differs":
                    unsteady.add(name)
            if time.monotonic() > end:
                break
        return unsteady

    def _again(self, feeds: dict[str, Any]) -> dict[str, Any]:
        """Return what the first model gives now; nothing when it does not run a second time."""
        try:
            return dict(zip(self.first.outputs, self.first.run(feeds), strict=True))
        except RunError as error:
            self.notes.append(f"the first model, a second time: {error}")
            return {}

    def second_opinion(
        self,
        plan: Plan,
        found: list[OutputReport],
        rtol: float | None,
        atol: float | None,
    ) -> list[str]:
        """Ask the other runner about the inputs on which an output differs."""
        assert self.second is not None
        suspects = {r.name: r.inputs for r in found if r.verdict == "differs"}
        kinds = set(suspects.values())
        try:
            first = self.second(self.models[0], self._providers)
            other = _Pair(first, self.models[1], self.models[0], None, [], self._providers)
            reports = other.compare([run for run in plan if run.kind in kinds], rtol, atol)
        except RunError as error:
            return [f"no second opinion: {error}"]
        if not other.ran:
            return [f"no second opinion: {'; '.join(other.notes)}"]
        sentences = []
        for report in reports:
            if report.name in suspects:
                says = "differ too" if report.verdict == "differs" else "agree"
                sentences.append(
                    f"output '{report.name}': in {self.second.title} the models {says}"
                )
        return sentences


publish("onnx", CheckReport, check)
