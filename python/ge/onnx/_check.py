"""Whether two models compute the same: run on the same inputs, compared output by output."""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import TYPE_CHECKING, Any, NamedTuple

from ._files import load
from ._inputs import EDGES, Sizes, free_sizes, main_graph, make_inputs, required_inputs
from ._runners import Model, RunError, available

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..ir import Module
    from ._runners import Runner

__all__ = ["TOLERANCES", "CheckReport", "OutputReport", "check"]

# Relative and absolute tolerance by element type; everything else must be equal. The absolute one
# counts in units of the output's largest magnitude if that is above 1.
TOLERANCES = {
    "float64": (1e-7, 1e-9),
    "float32": (1e-3, 1e-4),
    "float16": (1e-2, 1e-2),
    "bfloat16": (5e-2, 5e-2),
    "complex128": (1e-7, 1e-9),
    "complex64": (1e-3, 1e-4),
}
_COARSE = (1.3e-1, 1.3e-1)  # eight bits and less
# What free dimensions are tried with when the first model does not run with the guess.
_LADDER = (1, 2, 4, 8, 16, 32, 64, 224)


class OutputReport(NamedTuple):
    """What was found about one output, over all inputs."""

    name: str
    dtype: str
    """Element type, of NumPy."""
    shape: tuple[int, ...]
    """Shape in the run that is told about: the worst, or the last."""
    verdict: str
    """equal, close, differs, missing, or random (the first model disagrees with itself)."""
    max_abs: float
    """Largest absolute difference."""
    max_rel: float
    """Largest difference relative to the first model's value, where that is not 0."""
    where: tuple[int, ...] | None
    """Index of the element that is farthest outside of the tolerance."""
    inputs: str
    """Which inputs: ``random 0``, ``zeros``, ..."""
    message: str
    """What is wrong, in a sentence; empty if nothing is."""


class CheckReport(NamedTuple):
    """What `check` found; true if the models agree."""

    equal: bool
    """Whether all outputs that can be compared agree, and there is one."""
    outputs: tuple[OutputReport, ...]
    runs: int
    """On how many sets of inputs both ran."""
    by: str
    """What ran the models: ``onnxruntime``, ``the reference evaluator`` or ``the evaluator, operator by operator``."""
    sizes: dict[str, int]
    """What free dimensions were given, by symbol or place."""
    notes: tuple[str, ...]
    """Second opinions, and what could not be done."""
    refused: bool = False
    """Whether the second model could not be run by something that has all its operators."""

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
    before both, operator by operator.

    Parameters
    ----------
    a, b : path-like, bytes or Module
        The model that is right, and the one in question.
    runs : int
        Sets of random inputs; as many as three sets of edge values follow (zeros, ones, extremes).
    seed : int
    dims : mapping, optional
        Sizes of free dimensions by symbol. Others are guessed; if `a` cannot run with the guess, a
        few sizes are tried.
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
        If a file is no model, or cannot be read.
    RuntimeError
        If nothing can run `a`, or there is nothing to run it with.
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
        never finite is not compared.
    """
    import numpy as np

    with contextlib.ExitStack() as stack:
        model_a, model_b = _model(a, stack), _model(b, stack)
        module = model_a.module
        given = {
            name: np.asarray(v) if not isinstance(v, list) else v
            for name, v in (inputs or {}).items()
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
        wrong = [r for r in outcome if r.verdict in ("differs", "missing")]
        feeds = dict(plan)
        worst = next((feeds[r.inputs] for r in wrong if r.inputs in feeds), plan[0][1])
        report = CheckReport(
            equal=bool(comparable) and not wrong,
            outputs=tuple(outcome),
            runs=pair.ran,
            by=pair.runner.title,
            sizes=_sizes_used(module, first),
            notes=tuple(notes),
            refused=refused and not pair.ran,
        )
        return report, worst


Plan = list[tuple[str, dict[str, Any]]]


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
        return [("given", dict(given))]
    plan = [
        (f"random {i}", {**make_inputs(module, seed=seed + i, sizes=sizes), **given})
        for i in range(max(runs, 1))
    ]
    if not first:
        return plan[:1]  # without inputs, once is always
    return plan + [
        (kind, {**make_inputs(module, kind=kind, seed=seed, sizes=sizes), **given})
        for kind in edges
    ]


def _model(source: Any, stack: contextlib.ExitStack) -> Model:
    if isinstance(source, (bytes, bytearray, memoryview)):
        return Model(load(source), bytes(source))
    if isinstance(source, (str, os.PathLike)):
        return Model(load(source), os.fsdecode(source))
    directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="ge-check-"))
    return Model(source, directory=directory)


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
        raise RuntimeError(
            "neither onnxruntime nor onnx is installed: pip install onnxruntime onnx"
        )
    notes: list[str] = []
    has_run = False
    for number, runner in enumerate(runners):
        try:
            loaded = runner(a, list(providers) if providers else None)
        except RunError as error:
            notes.append(f"the first model: {error}")
            continue
        failure = None
        for sizes in _candidates(module, dims, shapes):
            feeds = {**_made(module, given, seed, sizes), **given}
            try:
                loaded.run(feeds)
            except RunError as error:
                failure = failure or error
                continue
            others = runners[number + 1 :]
            has_run, failure = True, None
            yield (
                _Pair(loaded, b, a, others[0] if others else None, list(notes), providers),
                sizes,
                feeds,
            )
            break
        if failure is not None:
            notes.append(f"the first model: {failure}")
    if not has_run:
        raise RuntimeError("; ".join(notes))


def _made(module: Module, given: dict[str, Any], seed: int, sizes: Sizes) -> dict[str, Any]:
    """Make the inputs unless all of them were given."""
    needed = {value.name for value in required_inputs(module)}
    return {} if given and needed <= set(given) else make_inputs(module, seed=seed, sizes=sizes)


def _candidates(
    module: Module, dims: Mapping[str, int] | None, shapes: dict[str, tuple[int, ...]]
) -> Iterator[Sizes]:
    yield Sizes(dims, shapes)
    if set(free_sizes(module)) - set(dims or {}):
        for size in _LADDER:
            yield Sizes(dims, shapes, every=size)


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
        try:
            other = self.runner(self.models[1], self._providers)
        except RunError as error:
            self.notes.append(f"the second model: {error}")
            self.refused = not error.lacks
            return [_missing(n, str(error)) for n in self.first.outputs]
        worst: dict[str, OutputReport] = {}
        for name in self.first.outputs:
            if name not in other.outputs:
                have = ", ".join(other.outputs)
                worst[name] = _missing(name, f"the second model has no such output; it has {have}")
        blank = set() if finite is None else set(self.first.outputs)
        for kind, feeds in plan:
            try:
                expected = dict(zip(self.first.outputs, self.first.run(feeds), strict=True))
            except RunError as error:
                self.notes.append(f"{kind}: the first model: {error}; left out")
                continue
            try:
                found = dict(zip(other.outputs, other.run(feeds), strict=True))
            except RunError as error:
                self.refused = not error.lacks
                for name in self.first.outputs:
                    worst[name] = _missing(name, f"the second model: {error}", kind)
                break
            self.ran += 1
            again: dict[str, Any] | None = None
            for name, value in expected.items():
                if name not in found:
                    continue
                report = compare_values(
                    name, value, found[name], kind, rtol, atol, kind in (finite or ())
                )
                if _has_numbers(value):
                    blank.discard(name)
                if report.verdict == "differs":
                    if again is None:
                        again = dict(zip(self.first.outputs, self.first.run(feeds), strict=True))
                    if (
                        compare_values(name, value, again[name], kind, rtol, atol).verdict
                        == "differs"
                    ):
                        text = "the first model gives another result each time: not compared"
                        report = report._replace(verdict="random", message=text)
                old = worst.get(name)
                if old is None or _RANK[report.verdict] >= _RANK[old.verdict]:
                    if (
                        old is not None
                        and report.verdict == old.verdict
                        and report.max_abs < old.max_abs
                    ):
                        continue
                    worst[name] = report
        for name in blank & set(worst):
            if worst[name].verdict in ("equal", "close"):
                text = "only NaN and infinities came out of the first model: not compared"
                worst[name] = worst[name]._replace(verdict="random", message=text)
        return [worst[n] for n in self.first.outputs if n in worst]

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
            reports = other.compare([p for p in plan if p[0] in kinds], rtol, atol)
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


_RANK = {"equal": 0, "close": 1, "random": 2, "differs": 3, "missing": 4}


def _has_numbers(value: Any) -> bool:
    """Whether a result has something to compare: not only NaN and infinities."""
    import numpy as np

    if isinstance(value, (list, tuple, dict)) or value is None:
        return True
    array = np.asarray(value)
    if array.dtype.kind not in "fcV":
        return True
    return bool(np.isfinite(array.astype(np.complex128)).any())


def _missing(name: str, message: str, inputs: str = "") -> OutputReport:
    return OutputReport(name, "", (), "missing", 0.0, 0.0, None, inputs, message)


def compare_values(
    name: str,
    a: Any,
    b: Any,
    inputs: str,
    rtol: float | None,
    atol: float | None,
    finite_only: bool = False,
) -> OutputReport:
    """Compare two results of one output: arrays, sequences, maps or nothing."""
    import numpy as np

    if isinstance(a, (list, tuple, dict)):
        return _compare_parts(name, a, b, inputs, rtol, atol)
    if a is None or b is None:
        same = a is None and b is None
        text = "" if same else "one of the models gives nothing"
        return OutputReport(
            name, "none", (), "equal" if same else "differs", 0, 0, None, inputs, text
        )
    a, b = np.asarray(a), np.asarray(b)
    report = OutputReport(name, a.dtype.name, a.shape, "equal", 0.0, 0.0, None, inputs, "")
    if a.dtype != b.dtype or a.shape != b.shape:
        text = f"{a.dtype.name}{list(a.shape)} became {b.dtype.name}{list(b.shape)}"
        return report._replace(verdict="differs", message=text)
    if a.size == 0 or (a.tobytes() == b.tobytes() and a.dtype != object):
        return report
    if a.dtype.kind in "OSUbiu":
        wrong = a != b
        if not wrong.any():
            return report
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        text = f"{int(wrong.sum())} of {a.size} elements differ, the first: {a[where]!r}, now {b[where]!r}"
        return report._replace(verdict="differs", where=where, message=text)
    return _compare_floats(report, a, b, rtol, atol, finite_only)


def _compare_floats(
    report: OutputReport,
    a: Any,
    b: Any,
    rtol: float | None,
    atol: float | None,
    finite_only: bool,
) -> OutputReport:
    import numpy as np

    usual = TOLERANCES.get(a.dtype.name, _COARSE)
    rtol = usual[0] if rtol is None else rtol
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    x, y = a.astype(wide), b.astype(wide)
    finite = np.isfinite(x) & np.isfinite(y)
    with np.errstate(all="ignore"):
        difference = np.where(finite, np.abs(x - y), 0.0)
        scale = float(np.max(np.abs(x), where=finite, initial=0.0))
        allowed = (usual[1] * max(1.0, scale) if atol is None else atol) + rtol * np.abs(x)
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        wrong = ~same & ((~finite & (not finite_only)) | (difference > allowed))
        relative = np.where(np.abs(x) > 0, difference / np.abs(x), 0.0)
    report = report._replace(
        max_abs=float(difference.max()), max_rel=float(np.nanmax(np.where(finite, relative, 0.0)))
    )
    if not wrong.any():
        return report._replace(verdict="equal" if same.all() else "close")
    excess = np.where(wrong, np.where(finite, difference - allowed, np.inf), -np.inf)
    where = tuple(int(i) for i in np.unravel_index(int(np.argmax(excess)), excess.shape))
    text = f"{int(wrong.sum())} of {a.size} elements differ, the worst: {a[where]}, now {b[where]}"
    return report._replace(verdict="differs", where=where, message=text)


def _compare_parts(
    name: str, a: Any, b: Any, inputs: str, rtol: float | None, atol: float | None
) -> OutputReport:
    """Compare sequences and maps part by part; the report is that of the worst part."""
    kind = "map" if isinstance(a, dict) else "sequence"
    report = OutputReport(name, kind, (len(a),), "equal", 0.0, 0.0, None, inputs, "")
    same_kind = isinstance(b, dict) == isinstance(a, dict) and isinstance(b, (dict, list, tuple))
    keys = list(a) if isinstance(a, dict) else range(len(a))
    if not same_kind or len(a) != len(b) or (isinstance(a, dict) and set(a) != set(b)):
        return report._replace(verdict="differs", message=f"another {kind}: {len(a)} parts before")
    for key in keys:
        part = compare_values(f"{name}[{key}]", a[key], b[key], inputs, rtol, atol)
        if _RANK[part.verdict] > _RANK[report.verdict]:
            text = f"part {key}: {part.message}" if part.message else ""
            report = part._replace(name=name, dtype=kind, shape=(len(a),), message=text)
    return report
