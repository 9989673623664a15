"""The text that a wrong rewrite leaves: both functions, and inputs on which they differ."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import ir
from ._cut import MATCHED, REPLACEMENT, Cut

if TYPE_CHECKING:
    from ..onnx import CheckReport

__all__ = ["check_reproducer", "read_reproducer", "write_reproducer"]

# Module attribute: the inputs by name.
_INPUTS = "ge.inputs"


def write_reproducer(
    cut: Cut, inputs: Mapping[str, Any], directory: str | os.PathLike[str], name: str, about: str
) -> str:
    """Write a file and return its path.

    Parameters
    ----------
    cut : Cut
    inputs : mapping
        Arrays by name; what is no tensor is left out.
    directory : path-like
        Made when it is not there.
    name : str
        Of the file, without suffix; characters that no file should have become ``-``.
    about : str
        What is wrong, in lines.
    """
    module = cut.together()
    tensors = {k: ir.Tensor(v, context=module.context) for k, v in inputs.items() if _is_array(v)}
    if tensors:
        module.attributes[_INPUTS] = tensors
    path = Path(directory) / (re.sub(r"[^\w.-]+", "-", name) + ".mlir")
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [*about.splitlines(), f"Again: ge check {path.name}"]
    path.write_text(_comment(lines) + module.to_text(), encoding="utf-8")
    return str(path)


def _is_array(value: Any) -> bool:
    return not isinstance(value, (list, tuple, dict)) and value is not None


def _comment(lines: Iterable[str]) -> str:
    return "".join(f"// {line}".rstrip() + "\n" for line in lines)


def read_reproducer(source: ir.Module) -> tuple[ir.Module, ir.Module, dict[str, Any]]:
    """Split what `write_reproducer` wrote: the model of each function, and the inputs by name.

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
        True when they agree: the pass is right now, once its replacement is pasted in.

    Raises
    ------
    ParseError, ValueError, OSError
        If it is no such file.
    RuntimeError
        If nothing can run it.
    """
    from ..onnx import check

    text = Path(path).read_text(encoding="utf-8")
    matched, replacement, inputs = read_reproducer(ir.Module.parse(text, os.fspath(path)))
    return check(matched, replacement, inputs=inputs or None)
