"""Two results of one output, compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .._support.lazy import publish

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["TOLERANCES", "OutputReport", "compare_values", "has_numbers", "missing", "worse"]

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

# Verdicts, the worst last.
_RANK = {
    "equal": 0,
    "close": 1,
    "random": 2,
    "not-evaluated": 3,
    "not-loaded": 4,
    "differs": 5,
    "missing": 6,
}


class OutputReport(NamedTuple):
    """What was found about one output, over all inputs."""

    name: str
    dtype: str
    """Element type, of NumPy."""
    shape: tuple[int, ...]
    """Shape in the run that is told about: the worst, or the last."""
    verdict: str
    """equal, close, differs, missing (the second model lacks it, or refuses the inputs), random (the first model disagrees
    with itself), not-loaded or not-evaluated (the second model could not be)."""
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


def missing(name: str, message: str, inputs: str = "", verdict: str = "missing") -> OutputReport:
    """Return the report for an output that the second model does not give."""
    return OutputReport(name, "", (), verdict, 0.0, 0.0, None, inputs, message)


def worse(old: OutputReport | None, new: OutputReport) -> OutputReport:
    """Return the worse of two reports of one output, of equals the new one."""
    if old is None:
        return new
    is_old = (_RANK[old.verdict], old.max_abs) > (_RANK[new.verdict], new.max_abs)
    return old if is_old else new


def has_numbers(value: Any) -> bool:
    """Whether a result has something to compare: not only NaN and infinities."""
    import numpy as np

    if isinstance(value, (list, tuple, dict)) or value is None:
        return True
    array = np.asarray(value)
    if array.dtype.kind not in "fcV":
        return True
    flat = array.reshape(-1)
    return any(np.isfinite(x.astype(np.complex128)).any() for _, x, _ in _chunks(flat, flat))


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
        text = "" if same else "one of the models has no value"
        return OutputReport(
            name, "none", (), "equal" if same else "differs", 0, 0, None, inputs, text
        )
    a, b = np.asarray(a), np.asarray(b)
    report = OutputReport(name, a.dtype.name, a.shape, "equal", 0.0, 0.0, None, inputs, "")
    if a.dtype != b.dtype or a.shape != b.shape:
        text = f"{a.dtype.name}{list(a.shape)} became {b.dtype.name}{list(b.shape)}"
        return report._replace(verdict="differs", message=text)
    if a.size == 0 or (a.dtype != object and _same_bytes(a, b)):
        return report
    if a.dtype.kind in "OSUbiu":
        wrong = a != b
        if not wrong.any():
            return report
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        text = f"{int(wrong.sum())} of {a.size} elements differ, the first: {a[where]!r}, now {b[where]!r}"
        return report._replace(verdict="differs", where=where, message=text)
    return _compare_floats(report, a, b, rtol, atol, finite_only)


# Elements that are looked at together: what is computed of them takes many times their bytes.
_CHUNK = 1 << 20


def _chunks(a: Any, b: Any) -> Iterator[tuple[int, Any, Any]]:
    """Yield parts of two flat arrays, each with its place."""
    for start in range(0, a.size, _CHUNK):
        yield start, a[start : start + _CHUNK], b[start : start + _CHUNK]


def _same_bytes(a: Any, b: Any) -> bool:
    flat_a, flat_b = a.reshape(-1), b.reshape(-1)
    return all(x.tobytes() == y.tobytes() for _, x, y in _chunks(flat_a, flat_b))


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
    flat_a, flat_b = a.reshape(-1), b.reshape(-1)
    scale = 0.0
    if atol is None:
        for _, part_a, part_b in _chunks(flat_a, flat_b):
            x, y = part_a.astype(wide), part_b.astype(wide)
            finite = np.isfinite(x) & np.isfinite(y)
            scale = max(scale, float(np.max(np.abs(x), where=finite, initial=0.0)))
        atol = usual[1] * max(1.0, scale)
    max_abs = max_rel = 0.0
    all_same, count, place, worst = True, 0, 0, -np.inf
    for start, part_a, part_b in _chunks(flat_a, flat_b):
        x, y = part_a.astype(wide), part_b.astype(wide)
        finite = np.isfinite(x) & np.isfinite(y)
        with np.errstate(all="ignore"):
            difference = np.where(finite, np.abs(x - y), 0.0)
            allowed = atol + rtol * np.abs(x)
            same = (x == y) | (np.isnan(x) & np.isnan(y))
            wrong = ~same & ((~finite & (not finite_only)) | (difference > allowed))
            relative = np.where(finite & (np.abs(x) > 0), difference / np.abs(x), 0.0)
        max_abs = max(max_abs, float(difference.max()))
        max_rel = max(max_rel, float(np.nanmax(relative)))
        all_same &= bool(same.all())
        if wrong.any():
            excess = np.where(wrong, np.where(finite, difference - allowed, np.inf), -np.inf)
            at = int(np.argmax(excess))
            if count == 0 or excess[at] > worst:
                place, worst = start + at, float(excess[at])
            count += int(wrong.sum())
    report = report._replace(max_abs=max_abs, max_rel=max_rel)
    if not count:
        return report._replace(verdict="equal" if all_same else "close")
    where = tuple(int(i) for i in np.unravel_index(place, a.shape))
    text = f"{count} of {a.size} elements differ, the worst: {a[where]}, now {b[where]}"
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


publish("onnx", OutputReport)
