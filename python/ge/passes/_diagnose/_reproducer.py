"""Reproducers of wrong rewrites: both functions, and inputs on which they differ."""

from __future__ import annotations

import io
import itertools
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import ir
from ..._support.files import write_file
from ..._support.program import PROGRAM
from .._pattern._public import publish
from ._cut import MATCHED, REPLACEMENT, Cut

if TYPE_CHECKING:
    from ...onnx import CheckReport

__all__ = ["check_reproducer"]

# Module attribute: the inputs by name.
_INPUTS = "ge.inputs"
# Size of constants up to which they are written as text; larger ones become two models.
_MOST_BYTES = 16 << 20


def write_reproducer(
    cut: Cut, inputs: Mapping[str, Any], directory: str | os.PathLike[str], name: str, about: str
) -> str:
    """Write a reproducer and return its path: a text or, if that would be huge, the first of two models.

    Parameters
    ----------
    cut : Cut
    inputs : mapping
        Arrays by name; values that are not tensors are left out.
    directory : path-like
        Made when it is not there.
    name : str
        Of the file, without suffix; characters that no file should have become ``-``.
    about : str
        What is wrong, in lines.

    Raises
    ------
    OSError
    """
    plain = {k: v for k, v in inputs.items() if not isinstance(v, (list, tuple, dict, type(None)))}
    path = Path(directory) / re.sub(r"[^\w.-]+", "-", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path = _free(path)
    if _constant_bytes(cut) > _MOST_BYTES:
        return _write_models(cut, plain, path, about)
    module = cut.together()
    if plain:
        module.attributes[_INPUTS] = {
            k: ir.Tensor(v, context=module.context) for k, v in plain.items()
        }
    text = path.with_name(f"{path.name}.mlir")
    lines = [*about.splitlines(), f"{_AGAIN} {text.name}"]
    write_file(
        text,
        (_comment(lines) + module.to_text()).encode("utf-8", "backslashreplace"),
        no_links=True,
    )
    return str(text)


_SUFFIXES = ("mlir", "txt", "npz", f"{MATCHED}.onnx", f"{REPLACEMENT}.onnx")
# Marks the texts of this module, so that a later one may replace them.
_AGAIN = f"Again: {PROGRAM} check"


def _free(path: Path) -> Path:
    """Return a path whose files are not there, or are those of an earlier reproducer: `path`, ``<path>.1``, ..."""
    for number in itertools.count():
        candidate = path.with_name(f"{path.name}.{number}") if number else path
        files = [candidate.with_name(f"{candidate.name}.{suffix}") for suffix in _SUFFIXES]
        there = [file for file in files if os.path.lexists(file)]
        if not there or (
            all(file.is_file() and not file.is_symlink() for file in there)
            and any(_is_reproducer(file) for file in files[:2])
        ):
            return candidate
    raise AssertionError("unreachable: the numbers are endless")


def _is_reproducer(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            head = file.read(1 << 16)
    except FileNotFoundError:
        return False
    return head.startswith(b"//") and _AGAIN.encode() in head


def _constant_bytes(cut: Cut) -> int:
    tensors = {
        value
        for module in (cut.matched, cut.replacement)
        for graph in module.graphs.values()
        for node in graph.walk()
        if isinstance(value := node.attributes.get("value"), ir.Tensor) and not value.is_splat
    }
    return sum(tensor.nbytes for tensor in tensors)


def _write_models(cut: Cut, inputs: Mapping[str, Any], path: Path, about: str) -> str:
    import numpy as np

    from ...onnx import save

    first, second, data = (
        path.with_name(f"{path.name}.{suffix}")
        for suffix in (f"{MATCHED}.onnx", f"{REPLACEMENT}.onnx", "npz")
    )
    save(cut.matched, first, verify=True)
    save(cut.replacement, second, verify=True)
    arrays = io.BytesIO()
    np.savez(arrays, **inputs)
    write_file(data, arrays.getvalue(), no_links=True)
    again = f"{_AGAIN} {first.name} {second.name} --input-data {data.name}"
    write_file(
        path.with_name(f"{path.name}.txt"),
        _comment([*about.splitlines(), again]).encode("utf-8", "backslashreplace"),
        no_links=True,
    )
    return str(first)


def _comment(lines: Iterable[str]) -> str:
    return "".join(f"// {line}".rstrip() + "\n" for line in lines)


def read_reproducer(source: ir.Module) -> tuple[ir.Module, ir.Module, dict[str, Any]]:
    """Split a text that `write_reproducer` wrote: the model of each function, and the inputs by name.

    Raises
    ------
    ValueError
        If the module has not these two functions.
    """
    names = [g.name for g in source.graphs.values()]
    if not {MATCHED, REPLACEMENT} <= set(names):
        have = ", ".join(f"@{n}" for n in names) or "none"
        raise ValueError(f"it has not the functions @{MATCHED} and @{REPLACEMENT}; it has {have}")
    given = source.attributes.get(_INPUTS, {})
    inputs = {name: tensor.numpy() for name, tensor in given.items()}
    models = []
    for dropped in (REPLACEMENT, MATCHED):
        model = source.clone()
        del model.graphs[dropped]
        if _INPUTS in model.attributes:
            del model.attributes[_INPUTS]
        models.append(model)
    return models[0], models[1], inputs


def check_reproducer(path: str | os.PathLike[str]) -> CheckReport:
    """Compare the two functions of a reproducer again, on its inputs.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    CheckReport
        True when they agree: the replacement in the file has been repaired.

    Raises
    ------
    GEError, ValueError, OSError
        If it is no such file.
    RuntimeError
        If nothing can run it.
    """
    from ...onnx import check

    first = Path(path)
    if first.name.endswith(f".{MATCHED}.onnx"):
        import numpy as np

        stem = first.name.removesuffix(f".{MATCHED}.onnx")
        with np.load(first.with_name(f"{stem}.npz")) as data:
            inputs = dict(data)
        return check(first, first.with_name(f"{stem}.{REPLACEMENT}.onnx"), inputs=inputs or None)
    text = first.read_text(encoding="utf-8")
    matched, replacement, inputs = read_reproducer(ir.Module.parse(text, os.fspath(path)))
    return check(matched, replacement, inputs=inputs or None)


publish(globals())
