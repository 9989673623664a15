"""The rewriters that bench/passes.py compares, one module for each.

`PEERS` describes them without importing them: a measurement imports only its own peer.

The works rewrite a chain of MatMul, Add, Relu: each such triple becomes one node ``Fused``.

- ``rule`` uses the library's declarative rules.
- ``managed`` runs the same rule in the library's pass manager (GE: with rollback and verification of each pass).
- ``small`` is ``managed`` on graphs of nine nodes, one run each; ``small_class`` does this with a pass class.
- ``callback`` builds the new node in a Python function.
- ``refuse`` calls a Python function that rejects each match.
- ``by_hand`` makes the same edits from Python, ``by_hand_open`` does this in a transaction, ``by_hand_unnamed`` on nodes
  without names (origins then need generated ones), ``by_hand_plain`` without names and origins. They differ by less than
  times vary: count instructions.
- ``chain`` matches twelve commutative Adds in a chain of 500 Adds whose operands are in either order.
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
    "by_hand": "the same edits from Python, us a match",
    "by_hand_open": "the same in a transaction, us a match",
    "by_hand_unnamed": "by hand, nodes without names, us a match",
    "by_hand_plain": "by hand, without names and origins, us a match",
    "chain": "12 commutative Adds in a chain of 500, ms",
}
#: Works that are also measured warm, after the same work on another graph of the same size.
WARM = ("rule", "managed")
#: Works of a fixed size: the number of runs.
FIXED = {"small": 1000, "small_class": 1000}
#: Number of Adds in the graph, and in the pattern.
CHAIN = (500, 12)


@dataclass(frozen=True)
class Work:
    """Prepared work: `run` is timed; `found` returns the number of matches, given the result of `run`."""

    run: Callable[[], Any]
    found: Callable[[Any], int]


@dataclass(frozen=True)
class Description:
    """Properties of a peer without importing it: its column's heading, and the distribution whose version is printed."""

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
    """The works in one library; a method returns None if the library has no counterpart."""

    @abstractmethod
    def rule(self, count: int) -> Work | None:
        """Prepare `count` matches for a declarative rule."""

    @abstractmethod
    def callback(self, count: int) -> Work | None:
        """Prepare `count` matches for a rule whose replacement is a Python function."""

    def managed(self, count: int) -> Work | None:
        """Prepare `count` matches for the same rule, run by a pass manager."""
        return None

    def small(self, count: int) -> Work | None:
        """Prepare `count` graphs of nine nodes for one run of a pass manager each."""
        return None

    def small_class(self, count: int) -> Work | None:
        """Prepare the same as `small` for a pass class."""
        return None

    def refuse(self, count: int) -> Work | None:
        """Prepare `count` matches that a Python function rejects; `found` returns the number of its calls."""
        return None

    def by_hand(self, count: int) -> Work | None:
        """Prepare the edits of `rule` in a loop; ``by_hand_open``, ``_unnamed`` and ``_plain`` are variants."""
        return None

    by_hand_open = by_hand_unnamed = by_hand_plain = by_hand

    def chain(self, length: int, wanted: int) -> Work | None:
        """Prepare a chain of `length` Adds, in which each `wanted` in a row become one Sum."""
        return None


def load(name: str) -> Rewriter:
    """Import the peer."""
    module, _, variant = name.partition("_") if name.startswith("mlir") else (name, "", "")
    rewriter: Rewriter = importlib.import_module(f"rewriters.{module}").create(variant)
    return rewriter
