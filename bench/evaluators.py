"""Compare evaluation in the child process with evaluation in-process: ``python bench/evaluators.py [--quick] [--check]``.

Prints the time of one call of ``ge.ops.evaluate_operator`` with a warm child and with a warm runtime in this process, and
the allowed overhead of the child: 200 us, plus 1 ns for each byte of operands and results above 64 KiB. A figure is the
lower quartile of many calls, because other programs only make calls slower; the two ways take turns. Times are wall time,
because two processes do the work. On a busy machine, run ``chrt -f 10 python bench/evaluators.py`` (as root).
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["main"]

# Bytes of the operand; the result has the same size.
SIZES = [16, 1 << 12, 1 << 15, 1 << 18, 1 << 20, 1 << 24, 1 << 27]
QUICK = SIZES[:5]
SMALL_BYTES = 64 << 10
SMALL_SECONDS = 200e-6
SECONDS_PER_BYTE = 1e-9
# The number of calls is TOTAL_BYTES divided by the size of the operand, at least LEAST and at most MOST.
TOTAL_BYTES = 1 << 30
LEAST, MOST = 10, 400
# Calls in a row of one way before the other: constant folding, too, evaluates many nodes in a row.
TURN = 10


def timed(call: Callable[[], Any]) -> float:
    """Return the seconds of one call, including the release of its results."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure(size: int) -> tuple[float, float]:
    """Return the seconds of a call in the child and in this process (lower quartiles)."""
    from ge import ir, ops

    tensor = ir.Tensor(np.ones(size // 4, np.float32))

    def call() -> None:
        if ops.evaluate_operator("onnx.Neg", [tensor]) is None:
            raise RuntimeError("onnx.Neg is not evaluated: is onnxruntime installed?")

    samples: dict[str, list[float]] = {"child": [], "inprocess": []}
    for way in samples:  # starts the child and imports the runtimes
        os.environ["GE_EVALUATORS"] = way
        call()
        call()
    for _ in range(max(LEAST, min(MOST, TOTAL_BYTES // max(size, 1))) // TURN):
        for way, seconds in samples.items():
            os.environ["GE_EVALUATORS"] = way
            seconds += [timed(call) for _ in range(TURN)]
    child, own = (statistics.quantiles(seconds)[0] for seconds in samples.values())
    return child, own


def main() -> int:
    """Print the table; with ``--check`` return 1 if the overhead of the child exceeds the limit."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="operands up to 1 MiB")
    parser.add_argument("--check", action="store_true", help="a missed requirement is an error")
    options = parser.parse_args()
    print(f"{'operand':>12} {'child':>12} {'in process':>12} {'more':>12} {'allowed':>12}")
    missed = False
    for size in QUICK if options.quick else SIZES:
        child, own = measure(size)
        allowed = SMALL_SECONDS + max(0, 2 * size - SMALL_BYTES) * SECONDS_PER_BYTE
        is_missed = child - own > allowed
        verdict = "  missed" if is_missed else ""
        missed |= is_missed
        figures = [f"{1e6 * s:,.0f} us" for s in (child, own, child - own, allowed)]
        print(f"{size:>10} B " + " ".join(f"{f:>12}" for f in figures) + verdict, flush=True)
    return int(missed and options.check)


if __name__ == "__main__":
    sys.exit(main())
