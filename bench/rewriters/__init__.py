"""The rewriters that are measured beside each other, one module for each.

`PEERS` names them without importing one: a measurement loads no other peer than its own.

The work: a chain of MatMul, Add, Relu, of which each three become one node ``Fused``. ``rule`` does it with what a
library calls a declarative rule, ``managed`` with the same as its manager of passes runs it (GE: each pass can be undone
and what it edited is verified), ``small`` the same on graphs of nine nodes, one run each, ``small_class`` with a class
of hooks; ``callback`` with a Python function that builds the new node, ``refuse`` asks a
Python function that rejects each match, and ``chain`` looks for twelve commutative Adds in a chain of 500 whose operands stand
now in one, now in the other order.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["CHAIN", "FIXED", "PEERS", "WARM", "WORKS", "Description", "Rewriter", "Work", "load"]

WORKS = {
    "rule": "declarative rule, us a match",
    "managed": "the same under a manager, us a match",
    "small": "a run over nine nodes, us",
    "small_class": "the same with a class, us",
    "callback": "Python replacement, us a match",
    "refuse": "Python condition that rejects, us a match",
    "chain": "12 commutative Adds in a chain of 500, ms",
}
#: Works that are also measured warm: after the same work on another graph of the same size.
WARM = ("rule", "managed")
#: Works of a fixed size, with how many runs.
FIXED = {"small": 1000, "small_class": 1000}
#: Adds in the graph, and in the pattern.
CHAIN = (500, 12)


@dataclass(frozen=True)
class Work:
    """Prepared work: a call that is timed, and how often the pattern was found, asked with what the call returned."""

    run: Callable[[], Any]
    found: Callable[[Any], int]


@dataclass(frozen=True)
class Description:
    """What is known of a peer without importing it: the column's head, and the distribution whose version is printed."""

    title: str
    module: str
    distribution: str


PEERS = {
    "ge": Description("GE", "ge.passes", "ge-ir"),
    "mlir_walk": Description("MLIR, walk", "iree.compiler.rewrite", "iree-base-compiler"),
    "mlir_walk_text": Description(
        "MLIR, walk, parsed", "iree.compiler.rewrite", "iree-base-compiler"
    ),
    "mlir_greedy": Description("MLIR, greedy", "iree.compiler.rewrite", "iree-base-compiler"),
    "xdsl": Description("xDSL", "xdsl.pattern_rewriter", "xdsl"),
    "onnxscript": Description("onnxscript", "onnxscript.rewriter", "onnxscript"),
    "openvino": Description("OpenVINO", "openvino.passes", "openvino"),
    "torch_fx": Description("torch.fx", "torch.fx", "torch"),
}


class Rewriter(ABC):
    """What one library can do; a work that it has no counterpart for returns None."""

    @abstractmethod
    def rule(self, count: int) -> Work | None:
        """Prepare `count` matches for a declarative rule."""

    @abstractmethod
    def callback(self, count: int) -> Work | None:
        """Prepare `count` matches for a rule whose replacement is a Python function."""

    def managed(self, count: int) -> Work | None:
        """Prepare `count` matches for the same rule, run by a manager of passes."""
        return None

    def small(self, count: int) -> Work | None:
        """Prepare `count` graphs of nine nodes for one run of a manager each."""
        return None

    def small_class(self, count: int) -> Work | None:
        """Prepare the same for a pass that is a class."""
        return None

    def refuse(self, count: int) -> Work | None:
        """Prepare `count` matches that a Python function refuses; how often it was asked is returned."""
        return None

    def chain(self, length: int, wanted: int) -> Work | None:
        """Prepare `length` Adds, in which `wanted` in a row become one Sum."""
        return None


def load(name: str) -> Rewriter:
    """Import the peer."""
    module, _, variant = name.partition("_") if name.startswith("mlir") else (name, "", "")
    rewriter: Rewriter = importlib.import_module(f"rewriters.{module}").create(variant)
    return rewriter
