"""Compare pattern rewriting with its peers: ``python bench/passes.py [--quick] [--json FILE]``.

Prints one table: the cost of a match in each library at several sizes, GE's requirement, and whether it is met. Each figure
is the median of several processes; the peers take turns. Before the timed run, a process does the work once on a small
graph (cold) or on another graph of the same size (warm). The works are in bench/rewriters; docs/benchmarks.md describes
the method.
"""

from __future__ import annotations

import argparse
import gc
import importlib.metadata
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

import rewriters
from ir import sizes
from report import figure, short
from rewriters import CHAIN, FIXED, PEERS, WARM, WORKS

__all__ = ["main"]

# A peer whose measurement took longer is not measured again, nor at a larger size.
PATIENCE_SECONDS = 60.0
# The cost of a match may grow by this factor from the smallest to the largest size and still count as linear: graphs
# that exceed the caches cost more, also in MLIR.
LINEAR = 3.0

#: Titles of the rows: one for each work, two (cold and warm) for those in WARM.
TITLES = {
    key: text
    for what, title in WORKS.items()
    for key, text in (
        [(what, f"{title}, cold"), (f"{what}/warm", f"{title}, warm")]
        if what in WARM
        else [(what, title)]
    )
}
#: Seconds of processor time by peer, work and size, one for each process.
Samples = dict[tuple[str, str, int], list[float]]


def sizes_of(what: str, counts: list[int]) -> list[int]:
    """Return the sizes at which a work is measured."""
    return [CHAIN[0]] if what == "chain" else [FIXED[what]] if what in FIXED else counts


def measure(peer: str, what: str, size: int) -> float:
    """Return the seconds of one run, after a small run or, for a warm work, one of the same size."""
    rewriter = rewriters.load(peer)
    what, _, warm = what.partition("/")

    def prepare(count: int) -> rewriters.Work | None:
        if what == "chain":
            return rewriter.chain(count, CHAIN[1] if count == CHAIN[0] else 2)
        work: rewriters.Work | None = getattr(rewriter, what)(count)
        return work

    small = prepare(size if warm else 20)
    if small is None:
        raise LookupError(f"{peer} has no counterpart of {what}")
    small.run()
    del small
    work = prepare(size)
    assert work is not None
    wanted = size // CHAIN[1] if what == "chain" else size
    gc.collect()
    gc.disable()
    start = time.process_time()
    result = work.run()
    seconds = time.process_time() - start
    found = work.found(result)
    if found != wanted:
        raise AssertionError(f"{found} matches instead of {wanted}")
    return seconds


def available(names: list[str]) -> tuple[list[str], list[str]]:
    """Return the peers that are installed, and a message for each of the others."""
    good, bad = [], []
    for name in names:
        package = PEERS[name].module.partition(".")[0]
        if importlib.util.find_spec(package):
            good.append(name)
        else:
            bad.append(f"{PEERS[name].title} is left out: there is no package {package!r}")
    return good, bad


def run(names: list[str], counts: list[int], runs: int) -> tuple[Samples, list[str]]:
    """Measure every cell in fresh processes."""
    samples: Samples = {}
    errors: dict[str, None] = {}
    done: set[tuple[str, str]] = set()
    for what in TITLES:
        for size in sizes_of(what, counts):
            for _ in range(runs):
                for peer in names:
                    if (peer, what) in done:
                        continue
                    command = [sys.executable, __file__, "--one", peer, what, str(size)]
                    start = time.monotonic()
                    child = subprocess.run(command, capture_output=True, text=True)
                    if time.monotonic() - start > PATIENCE_SECONDS:
                        done.add((peer, what))
                    if child.returncode == 0:
                        seconds = float(child.stdout.split()[-1])
                        samples.setdefault((peer, what, size), []).append(seconds)
                        continue
                    done.add((peer, what))
                    last = (child.stderr.strip().splitlines() or ["no message"])[-1]
                    if "LookupError" not in last:
                        errors[f"{PEERS[peer].title}, {what}, {size}: {last}"] = None
    return samples, list(errors)


class Table:
    """The table: microseconds per match, or milliseconds, and the verdicts."""

    def __init__(self, samples: Samples, names: list[str], counts: list[int]) -> None:
        self.samples, self.names, self.counts = samples, names, counts
        self.passed = self.failed = 0

    def value(self, peer: str, what: str, size: int) -> float | None:
        """Return the median in the unit of the row."""
        seconds = self.samples.get((peer, what, size))
        if not seconds:
            return None
        return statistics.median(seconds) * (1e3 if what == "chain" else 1e6 / size)

    def walk(self, size: int, warm: str) -> float | None:
        return self.value("mlir_walk", f"rule{warm}", size)

    def verdicts(self, what: str, size: int) -> str:
        ours = self.value("ge", what, size)
        if ours is None:
            return ""
        found = []
        work, slash, mode = what.partition("/")
        if work in ("rule", "managed") and (pdl := self.walk(size, slash + mode)):
            found.append((ours <= pdl, f"MLIR's walk: {pdl / ours:.2f}x"))
        if what == "small":
            found.append((ours <= 10, f"at most 10 us: {ours:.1f}"))
        if what == "callback":
            found.append((ours <= 8, f"at most 8 us: {ours:.2f}"))
            if script := self.value("onnxscript", what, size):
                found.append((ours * 10 <= script, f"10x onnxscript: {script / ours:.1f}x"))
        if what == "refuse":
            found.append((ours <= 1.5, f"at most 1.5 us: {ours:.2f}"))
        if what == "chain":
            found.append((ours < 20, f"under 20 ms: {ours:.2f}"))
        return ", ".join(f"{self.count(good)} {text}" for good, text in found)

    def count(self, good: bool) -> str:
        self.passed += good
        self.failed += not good
        return "PASS" if good else "FAIL"

    def text(self) -> str:
        """Return the table in Markdown."""
        head = ["", "matches", *(PEERS[name].title for name in self.names), "GE must be"]
        lines = [head, ["---"] * len(head)]
        for what, title in TITLES.items():
            for size in sizes_of(what, self.counts):
                cells = [figure(self.value(name, what, size)) for name in self.names]
                lines.append([title, short(size), *cells, self.verdicts(what, size)])
            if what == "chain" or what in FIXED or len(self.counts) == 1:
                continue
            growth = []
            for name in self.names:
                ends = [self.value(name, what, size) for size in (self.counts[0], self.counts[-1])]
                growth.append(ends[1] / ends[0] if ends[0] and ends[1] else None)
            ours = growth[self.names.index("ge")] if "ge" in self.names else None
            verdict = f"{self.count(ours <= LINEAR)} linear" if ours else ""
            cells = [f"x {value:.2f}" if value else "" for value in growth]
            lines.append(["", f"{short(self.counts[-1])}/{short(self.counts[0])}", *cells, verdict])
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--sizes", type=sizes, metavar="N,...", help="default: 3k,30k,300k")
    parser.add_argument(
        "--peers", default=",".join(PEERS), metavar="P,...", help=f"of {', '.join(PEERS)}"
    )
    parser.add_argument("--runs", type=int, default=5, help="processes for each figure; 5")
    parser.add_argument("--quick", action="store_true", help="3k matches, one run")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all samples here")
    parser.add_argument(
        "--check", action="store_true", help="exit with 1 when a requirement does not hold"
    )
    parser.add_argument("--one", nargs=3, metavar=("PEER", "WORK", "SIZE"), help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, and return the exit status."""
    chosen = options(arguments)
    if chosen.one:
        peer, what, size = chosen.one
        print(measure(peer, what, int(size)))
        return 0
    names, missing = available([name for name in PEERS if name in chosen.peers.split(",")])
    counts = chosen.sizes or ([3_000] if chosen.quick else [3_000, 30_000, 300_000])
    runs = 1 if chosen.quick else max(1, chosen.runs)
    load = os.getloadavg()[0]
    samples, errors = run(names, counts, runs)
    table = Table(samples, names, counts)
    text = table.text()
    distributions = dict.fromkeys(PEERS[n].distribution for n in names if n != "ge")
    versions = ", ".join(f"{each} {importlib.metadata.version(each)}" for each in distributions)
    print(f"Python {platform.python_version()}; {versions}")
    print(f"processor time, median of {runs}; load {load:.1f} to {os.getloadavg()[0]:.1f}\n")
    print(text)
    print(f"\n{table.passed} hold, {table.failed} do not")
    for line in [*missing, *errors]:
        print(line)
    if chosen.json:
        rows = [
            {"peer": peer, "work": what, "size": size, "seconds": seconds}
            for (peer, what, size), seconds in samples.items()
        ]
        chosen.json.write_text(json.dumps({"rows": rows, "errors": errors}, indent=1) + "\n")
    return 1 if chosen.check and (table.failed or errors) else 0


if __name__ == "__main__":
    sys.exit(main())
