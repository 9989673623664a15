"""Compare the graph IR with its peers: ``python bench/ir.py [--quick] [--json FILE]``.

Prints one table: create, walk, edit, print, parse, memory and import at several sizes, GE's requirement, and
whether it is met. Each operation is a separate call from Python. The workload of each peer is in bench/peers;
docs/benchmarks.md describes the method.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

from harness import Plan, available, machine, run
from peers import PEERS
from report import Table

__all__ = ["main"]


def sizes(text: str) -> list[int]:
    """Read `10k,100k,1M`."""
    units = {"k": 1_000, "M": 1_000_000}
    found = []
    for part in text.split(","):
        unit = units.get(part[-1:], 1)
        try:
            found.append(int(part[:-1] if unit > 1 else part) * unit)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{part!r} is not a number of nodes") from None
    if min(found) < 10:
        raise argparse.ArgumentTypeError("at least 10 nodes")
    return sorted(set(found))


def names(text: str) -> list[str]:
    """Read `ge,mlir`."""
    found = text.split(",")
    for name in found:
        if name not in PEERS:
            raise argparse.ArgumentTypeError(f"{name!r} is not one of {', '.join(PEERS)}")
    return [name for name in PEERS if name in found]


def options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--sizes", type=sizes, metavar="N,...", help="default: 10k,100k,1M")
    parser.add_argument(
        "--peers", type=names, default=list(PEERS), metavar="P,...", help=f"of {', '.join(PEERS)}"
    )
    parser.add_argument("--runs", type=int, default=5, help="processes for each figure; 5")
    parser.add_argument(
        "--wall", action="store_true", help="judge by wall time, not by processor time"
    )
    parser.add_argument(
        "--quick", action="store_true", help="10k and 100k nodes, one run, pure Python at 10k only"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all samples here")
    parser.add_argument(
        "--check", action="store_true", help="exit with 1 when a requirement does not hold"
    )
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, and return the exit status."""
    chosen = options(arguments)
    found, missing = available(chosen.peers)
    if chosen.quick:
        plan = Plan(found, chosen.sizes or [10_000, 100_000], 1, 0, 5, cap=10_000)
    else:
        plan = Plan(found, chosen.sizes or [10_000, 100_000, 1_000_000], max(1, chosen.runs))
    facts = machine(found)
    start = time.monotonic()
    measured = run(plan)
    facts["load_after"] = os.getloadavg()[0]
    facts["seconds"] = round(time.monotonic() - start)

    clock = "wall" if chosen.wall else "cpu"
    table = Table(plan, measured, clock)
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    print(f"{facts['processor']}, {facts['cores']} cores; Python {facts['python']}; {versions}")
    print(
        f"{'wall' if chosen.wall else 'processor'} time, GC off (GC on in brackets), "
        f"median of {plan.runs}; load {facts['load']:.1f} to {facts['load_after']:.1f}; "
        f"{facts['seconds']} s"
    )
    print(table.text())
    print(f"{table.passed} hold, {table.failed} do not")
    for name in plan.peers:
        largest = PEERS[name].largest if plan.cap is None else plan.cap
        if PEERS[name].largest and largest and largest < max(plan.sizes):
            print(f"{PEERS[name].title} is measured up to {largest} nodes only: it takes minutes.")
    for line in [*missing, *measured.errors]:
        print(line)
    if chosen.json:
        answer = {"machine": facts, "clock": clock, "rows": table.data()}
        answer["errors"] = [*missing, *measured.errors]
        chosen.json.write_text(json.dumps(answer, indent=1) + "\n")
    return 1 if chosen.check and (table.failed or measured.errors) else 0


if __name__ == "__main__":
    sys.exit(main())
