"""The table: medians of all peers, GE's requirements, and growth from the smallest to the largest size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from typing import Any

from harness import Key, Measurements, Plan
from peers import PEERS

__all__ = ["ROWS", "Requirement", "Row", "Table"]

# The time per node may grow by this factor from the smallest to the largest size and still count as linear: a
# graph that exceeds the caches costs more per node, also in MLIR. A quadratic algorithm would grow by the ratio
# of the sizes.
LINEAR = 2.0


@dataclass(frozen=True)
class Requirement:
    """GE must be `factor` times better than `peer` in `work` (default: the row's own)."""

    factor: float
    peer: str = "mlir"
    work: str | None = None


@dataclass(frozen=True)
class Row:
    """One row; without requirements it is informative only."""

    work: str
    title: str
    requirements: tuple[Requirement, ...] = ()


ROWS = [
    Row("create", "create a node, us", (Requirement(4), Requirement(1, "plain"))),
    Row("walk", "walk, read op and k, us", (Requirement(4),)),
    Row("walk_held", "the same over held nodes, us", (Requirement(7, work="walk"),)),
    Row("bypass", "replace uses, erase one, us", (Requirement(2.5),)),
    Row("bypass_held", "the same, all handles held, us"),
    Row("replace", "the same in one call, us", (Requirement(2.5, work="bypass"),)),
    Row("print", "print, us a node", (Requirement(8),)),
    Row("parse", "parse, us a node", (Requirement(5),)),
    Row("memory", "peak memory, bytes a node", (Requirement(2),)),
    Row("import", "import, ms above bare Python", (Requirement(5),)),
]


def short(size: int) -> str:
    """Return 10k for 10000, 1M for 1000000."""
    for unit, name in ((1_000_000, "M"), (1_000, "k")):
        if size % unit == 0:
            return f"{size // unit}{name}"
    return str(size)


def figure(value: float | None) -> str:
    """Return the value with three significant digits."""
    if value is None:
        return ""
    if value < 0.995:
        return f"{value:.3f}"
    return f"{value:.2f}" if value < 9.95 else f"{value:.1f}" if value < 99.5 else f"{value:.0f}"


class Table:
    """The table of one run.

    Parameters
    ----------
    plan : Plan
        What was measured.
    measured : Measurements
        The samples.
    clock : str
        `cpu` (user and system time of the process) or `wall`.
    """

    def __init__(self, plan: Plan, measured: Measurements, clock: str) -> None:
        self.plan = plan
        self.measured = measured
        self.clock = clock
        self.failed = 0
        self.passed = 0

    def value(self, work: str, peer: str, size: int, collect: bool = False) -> float | None:
        return self.measured.median(Key(work, peer, size, collect), self.clock)

    def verdicts(self, row: Row, size: int) -> list[dict[str, Any]]:
        """Return the ratio and the verdict of every requirement whose samples were measured."""
        found = []
        for need in row.requirements:
            ours = self.value(row.work, "ge", size)
            theirs = self.value(need.work or row.work, need.peer, size)
            if ours is None or theirs is None:
                continue
            ratio = theirs / ours
            found.append(
                {
                    "peer": need.peer,
                    "work": need.work or row.work,
                    "must": need.factor,
                    "ratio": ratio,
                    "pass": ratio >= need.factor,
                }
            )
        return found

    def verdict_text(self, row: Row, size: int) -> str:
        parts = []
        for found in self.verdicts(row, size):
            word = self.count(found["pass"])
            base = PEERS[found["peer"]].title
            if found["work"] != row.work:
                base += f"'s {found['work']}"
            parts.append(
                f"{word} {found['must']:g}x {base}: {floor(found['ratio'] * 100) / 100:.2f}x"
            )
        return ", ".join(parts)

    def count(self, good: bool) -> str:
        self.passed += good
        self.failed += not good
        return "PASS" if good else "FAIL"

    def growth(self, row: Row, peer: str) -> float | None:
        """Return the ratio of the costs per node at the largest and the smallest size."""
        small = self.value(row.work, peer, min(self.plan.sizes))
        large = self.value(row.work, peer, max(self.plan.sizes))
        return large / small if small and large else None

    def line(self, row: Row, size: int) -> list[str]:
        cells = [row.title, short(size) if size else ""]
        for peer in self.plan.peers:
            cell = figure(self.value(row.work, peer, size))
            collected = self.value(row.work, peer, size, collect=True)
            if collected is not None:
                cell += f" ({figure(collected)})"
            cells.append(cell)
        ours, theirs = self.value(row.work, "ge", size), self.value(row.work, "mlir", size)
        cells.append(f"{theirs / ours:.2f}" if ours and theirs else "")
        return [*cells, self.verdict_text(row, size)]

    def growth_line(self, row: Row) -> list[str]:
        ends = f"{short(max(self.plan.sizes))}/{short(min(self.plan.sizes))}"
        values = {peer: self.growth(row, peer) for peer in self.plan.peers}
        cells = ["", ends, *(f"x {v:.2f}" if v else "" for v in values.values()), ""]
        ours = values.get("ge")
        verdict = f"{self.count(ours <= LINEAR)} linear" if ours else ""
        return [*cells, verdict]

    def lines(self) -> list[list[str]]:
        head = ["", "nodes", *(PEERS[p].title for p in self.plan.peers), "MLIR/GE", "GE must be"]
        lines = [head]
        for row in ROWS:
            if row.work == "import":
                lines.append(self.line(row, 0))
                continue
            block = [self.line(row, size) for size in self.plan.sizes]
            if len(self.plan.sizes) > 1:
                block.append(self.growth_line(row))
            for later in block[1:]:
                later[0] = ""
            lines += block
        return lines

    def text(self) -> str:
        """Return the table with aligned columns."""
        lines = self.lines()
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        last = len(widths) - 1

        def pad(i: int, cell: str) -> str:
            return cell.ljust(widths[i]) if i in (0, last) else cell.rjust(widths[i])

        rule = "-" * (sum(widths) + 2 * last)
        out = []
        for number, line in enumerate(lines):
            if number == 1 or (number > 1 and line[0]):
                out.append(rule)
            out.append("  ".join(pad(i, cell) for i, cell in enumerate(line)).rstrip())
        return "\n".join(out)

    def data(self) -> Sequence[dict[str, Any]]:
        """Return the rows as plain data."""
        rows = []
        for row in ROWS:
            for size in [0] if row.work == "import" else self.plan.sizes:
                values = {}
                for peer in self.plan.peers:
                    for collect in (False, True):
                        key = Key(row.work, peer, size, collect)
                        samples = self.measured.samples.get(key)
                        if samples:
                            name = f"{peer}, GC on" if collect else peer
                            values[name] = dict(samples)
                found = self.verdicts(row, size)
                rows.append({"work": row.work, "nodes": size, "values": values, "must": found})
        return rows
