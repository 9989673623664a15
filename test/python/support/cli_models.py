"""Small models for tests of the command."""

from pathlib import Path
from typing import Any

import numpy as np
from cli_run import write_model
from onnx import helper

__all__ = ["chain", "wasteful"]


def wasteful(path: Path, **fields: object) -> Path:
    """Write a model with identities, a dead node and a constant expression."""
    nodes = [
        helper.make_node("Identity", ["x"], ["x1"], "id1"),
        helper.make_node("Add", ["two", "two"], ["four"], "fold"),
        helper.make_node("Mul", ["x1", "four"], ["m"], "mul"),
        helper.make_node("Exp", ["x1"], ["dead"], "dead"),
        helper.make_node("Identity", ["m"], ["y"], "id2"),
    ]
    types = {"x": ("FLOAT", ["N", 3])}
    return write_model(path, nodes, types, {"y": ("FLOAT", ["N", 3])}, {"two": np.float32(2)})


def chain(path: Path, length: int = 3, shape: Any = ("N", 3), neg: int | None = None) -> Path:
    """Write a chain of `length` products and sums; with `neg`, pair number `neg` contains a negation."""
    nodes, last = [], "x"
    for i in range(length):
        nodes.append(helper.make_node("Mul", [last, "factor"], [f"m{i}"], f"mul{i}"))
        made = f"m{i}"
        if i == neg:
            nodes.append(helper.make_node("Neg", [made], [f"n{i}"], f"neg{i}"))
            made = f"n{i}"
        nodes.append(helper.make_node("Add", [made, "one"], [f"y{i}"], f"add{i}"))
        last = f"y{i}"
    ends = {"x": ("FLOAT", shape)}, {last: ("FLOAT", shape)}
    return write_model(path, nodes, *ends, {"factor": np.float32(2), "one": np.float32(1)})
