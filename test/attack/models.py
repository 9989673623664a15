"""Mutated models, loaded, optimised with the installed evaluators and saved: the process must not die.

One process handles the models one after the other, with one evaluator child, which is restarted whenever a model kills it.
If the process itself dies or hangs, the model is saved in ``--keep``, and a new process continues after it. Exceptions
other than GE's errors are findings, too, and so is growing memory.
"""

import math
import mmap
import os
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _children import Attack, Ended

HERE = Path(__file__).resolve()
# The evaluators have a limit of EVALUATION_SECONDS for each node; a model that takes longer than this counts as hanging.
HANGING_SECONDS = 120.0
EVALUATION_SECONDS = "2"
REPORT_SECONDS = 60.0
# Allowed growth of the process in bytes, measured from model WARM on, for 100,000 models.
MOST_GROWTH = 50 << 20
WARM = 2000
# One of this many models is loaded from and saved to a file.
FILES = 16
STATE = struct.Struct("<7Q")  # the number of the current model, and the counts of COUNTS
COUNTS = ["refused", "evaluated", "deaths of the evaluators' child", "errors", "growth", "saved"]


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def work(seed: int, first: int, last: int, seconds: float, state: str) -> None:
    """Try the models from `first` up to `last`, for at most `seconds`; record the progress in the file `state`."""
    import logging

    from _models import make

    import ge.onnx
    from ge.ir import GEError
    from ge.run import _service

    logging.getLogger("ge").setLevel(logging.CRITICAL)
    counts = dict.fromkeys(COUNTS, 0)
    ask = _service._children.ask

    def counted(*arguments):
        counts["evaluated"] += 1
        try:
            return ask(*arguments)
        except _service.EvaluatorDiedError:
            counts["deaths of the evaluators' child"] += 1
            raise

    _service._children.ask = counted
    with open(state, "r+b") as file:
        shared = mmap.mmap(file.fileno(), STATE.size)
    folder = Path(state).parent
    # Runs by count also use models from onnx's tests, which take some seconds to create.
    is_long = math.isinf(seconds)
    make(seed, 1, is_long)  # the first call is slow and must not count as a model's time
    start, end = 0, time.monotonic() + seconds
    number = first
    while number < last and (number == first or time.monotonic() < end):
        STATE.pack_into(shared, 0, number, *counts.values())
        data = make(seed, number, is_long)
        source = data
        try:
            if number % FILES == 0:
                source = folder / "in.onnx"
                source.write_bytes(data)
            module = ge.onnx.load(source)
            ge.onnx.optimize(module)
            if number % FILES == 0:
                ge.onnx.save(module, folder / "out.onnx")
            ge.onnx.to_bytes(module)
            counts["saved"] += 1
        except (GEError, MemoryError):
            counts["refused"] += 1
        except Exception as error:
            counts["errors"] += 1
            print(f"{number}: {type(error).__name__}: {error}", flush=True)
        if number == first + WARM:
            start = resident()
        elif start and number % 100 == 0:
            counts["growth"] = max(0, resident() - start)
        number += 1
    STATE.pack_into(shared, 0, number, *counts.values())


class Worker:
    """A process that runs `work`, its output, and the file with its progress."""

    def __init__(self, seed: int, first: int, last: int, seconds: float, state: Path) -> None:
        self.state = state
        state.write_bytes(STATE.pack(first, *[0] * len(COUNTS)))
        self.process = subprocess.Popen(
            [sys.executable, HERE, "work", *map(str, (seed, first, last, seconds)), state],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "GE_EVALUATORS_SECONDS": EVALUATION_SECONDS},
            start_new_session=True,
        )
        self.out = b""

    def progress(self) -> tuple[int, dict[str, int]]:
        """Return the number of the current model, and the counts."""
        at, *counts = STATE.unpack(self.state.read_bytes())
        return at, dict(zip(COUNTS, counts, strict=True))

    def follow(self) -> int | None:
        """Wait until the process ends, and return its status; None if it hung and was killed."""
        at, since, told = -1, time.monotonic(), time.monotonic()
        while self._read(0.5):
            now = time.monotonic()
            number, counts = self.progress()
            if number != at:
                at, since = number, now
            elif now - since > HANGING_SECONDS:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
                return None
            if now - told > REPORT_SECONDS:
                told = now
                print(f"at {at}: {text_of(counts)}", flush=True)
        return self.process.wait()

    def _read(self, seconds: float) -> bool:
        """Read its output for some time; return False if it has ended."""
        assert self.process.stdout is not None
        fd = self.process.stdout.fileno()
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([fd], [], [], left)[0]:
                part = os.read(fd, 1 << 16)
                self.out = (self.out + part)[-(1 << 16) :]
                if not part:
                    return False
        return True


def text_of(counts: dict[str, int]) -> str:
    """Return counts as text."""
    return ", ".join(f"{name}: {count}" for name, count in counts.items())


def keep(attack: Attack, number: int, what: str) -> None:
    """Record a finding, and save its model."""
    from _models import make

    path = (attack.keep / f"attack-model-{attack.seed}-{number}.onnx").resolve()
    path.write_bytes(make(attack.seed, number, bool(attack.count)))
    attack.found(f"{what} (model: {path})")


def main() -> None:
    attack = Attack(__doc__.splitlines()[0])
    first, last = 0, attack.count or 1 << 40
    totals = dict.fromkeys(COUNTS, 0)
    with tempfile.TemporaryDirectory() as directory:
        for _ in attack.rounds():
            left = math.inf if attack.count else attack.seconds_left()
            worker = Worker(attack.seed, first, last, left, Path(directory, "state"))
            status = worker.follow()
            number, counts = worker.progress()
            out = worker.out.decode(errors="replace")
            for line in out.splitlines():
                word = line.partition(":")[0]
                if word.isdigit() and first <= int(word) <= number:
                    keep(attack, int(word), line)
            if status != 0:
                keep(attack, number, f"the process {Ended(status, out, '')}")
                number += 1
            for name, count in counts.items():
                totals[name] = (
                    max(totals[name], count) if name == "growth" else totals[name] + count
                )
            attack.tried += number - first
            first = number
    if totals["growth"] > MOST_GROWTH:
        attack.found(f"the process grew by {totals['growth']} bytes")
    print(text_of(totals))
    attack.end()


if __name__ == "__main__":
    if sys.argv[1:2] == ["work"]:
        work(*map(int, sys.argv[2:5]), float(sys.argv[5]), sys.argv[6])
    else:
        main()
