"""Shared by the attack drivers: their options, child processes with a time limit, and the report.

A driver exits with 0 if it found no fault, else with 1 and one line for each finding.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

__all__ = ["Attack", "Ended", "python", "run"]

# A child that runs longer counts as hanging. The limit is generous, because the machine may be busy.
LIMIT = 120.0


class Ended:
    """The end of a child: its exit status (negative: killed by a signal, None: time limit) and its output."""

    def __init__(self, status: int | None, out: str, err: str):
        self.status, self.out, self.err = status, out, err

    def __str__(self) -> str:
        if self.status is None:
            how = f"did not end within {LIMIT:g} s"
        elif self.status < 0:
            how = f"was ended by {signal.Signals(-self.status).name}"
        else:
            how = f"exited with {self.status}"
        return f"{how}: {self.err.strip()[-400:] or self.out.strip()[-400:]}"


def run(
    command: list[Any],
    stdin: bytes | None = None,
    limit: float = LIMIT,
    variables: Mapping[str, str] | None = None,
    **more: Any,
) -> Ended:
    """Run a command until it ends or reaches the time limit."""
    process = subprocess.Popen(
        [os.fsencode(word) if isinstance(word, Path) else str(word) for word in command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **(variables or {})},
        start_new_session=True,
        **more,
    )
    status: int | None
    try:
        out, err = process.communicate(stdin, timeout=limit)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        status = None
    return Ended(status, out.decode(errors="replace"), err.decode(errors="replace"))


def python(code: str, *arguments: Any, **more: Any) -> Ended:
    """Run Python code in a child of this interpreter."""
    return run([sys.executable, "-c", code, *arguments], **more)


class Attack:
    """The options, random numbers and findings of a driver."""

    def __init__(self, description: str):
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--seconds", type=float, default=15.0, help="how long to go on")
        parser.add_argument("--count", type=int, default=0, help="go on until so many were tried")
        parser.add_argument("--seed", type=int, default=None)
        parser.add_argument("--keep", type=Path, default=Path(), help="where a finding's file goes")
        options = parser.parse_args()
        self.seed = random.SystemRandom().getrandbits(32) if options.seed is None else options.seed
        self.count: int = options.count
        self.keep: Path = options.keep
        self.random = random.Random(self.seed)
        self.findings: list[str] = []
        self.tried = 0
        self._end = time.monotonic() + options.seconds
        print(f"seed {self.seed} (repeat with --seed={self.seed})", flush=True)

    def rounds(self) -> Iterator[int]:
        """Yield the numbers of the rounds until the time is over; with ``--count``, until the count is reached."""
        number = 0
        while self.tried < self.count if self.count else time.monotonic() < self._end or not number:
            yield number
            number += 1

    def seconds_left(self) -> float:
        """Return the remaining time; only meaningful without ``--count``."""
        return max(0.0, self._end - time.monotonic())

    def found(self, what: str) -> None:
        """Record a finding."""
        print(f"FOUND: {what}", flush=True)
        self.findings.append(what)

    def end(self) -> None:
        """Print the totals and exit."""
        print(f"{self.tried} tried, {len(self.findings)} findings, seed {self.seed}")
        sys.exit(1 if self.findings else 0)
