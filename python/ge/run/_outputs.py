"""Two results of one output, compared."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._support.lazy import publish

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
_RANK = {"equal": 0, "close": 1, "random": 2, "differs": 3, "missing": 4}


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


def missing(name: str, message: str, inputs: str = "") -> OutputReport:
    """Return the report for an output that the second model lacks."""
    return OutputReport(name, "", (), "missing", 0.0, 0.0, None, inputs, message)


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
    return bool(np.isfinite(array.astype(np.complex128)).any())


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


publish("onnx", OutputReport)
