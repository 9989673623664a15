"""Run the measurements, each in a fresh process, and collect the samples."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from peers import PEERS

__all__ = ["Key", "Measurements", "Plan", "available", "machine", "run"]

WORKER = Path(__file__).resolve().parent / "worker.py"
# A peer that took more processor time than this at a size is not measured again at that size.
PATIENCE_SECONDS = 50.0


@dataclass(frozen=True)
class Key:
    """One cell of the table: the work, the peer, the size, and whether the garbage collector is on."""

    work: str
    peer: str
    size: int
    collect: bool = False


@dataclass
class Plan:
    """What to measure.

    Attributes
    ----------
    peers : list of str
        Keys of `peers.PEERS`.
    sizes : list of int
        Numbers of nodes.
    runs : int
        Processes for each peer and size. The peers take turns, so that other load on the machine affects
        all of them.
    collector_runs : int
        The same with Python's collector on.
    imports : int
        Processes for each import.
    cap : int or None
        Largest size for the peers that have a limit of their own; replaces that limit.
    """

    peers: list[str]
    sizes: list[int]
    runs: int = 5
    collector_runs: int = 1
    imports: int = 15
    cap: int | None = None

    def measured(self, peer: str, size: int) -> bool:
        largest = PEERS[peer].largest
        if largest is not None and self.cap is not None:
            largest = self.cap
        return largest is None or size <= largest


@dataclass
class Measurements:
    """Samples by cell and clock (`cpu` or `wall`), and the errors."""

    samples: dict[Key, dict[str, list[float]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    errors: dict[str, None] = field(default_factory=dict)  # a set in order of insertion

    def add(self, key: Key, values: dict[str, float]) -> None:
        for clock, value in values.items():
            self.samples[key][clock].append(value)

    def median(self, key: Key, clock: str) -> float | None:
        """Return the median of a cell, or None when it was not measured."""
        values = self.samples[key][clock] if key in self.samples else []
        return statistics.median(values) if values else None


def available(names: list[str]) -> tuple[list[str], list[str]]:
    """Return the names of the peers that can be imported, and a message for each of the others."""
    good, bad = [], []
    for name in names:
        code = PEERS[name].imports or "pass"
        probe = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        if probe.returncode == 0:
            good.append(name)
        else:
            last = probe.stderr.strip().splitlines()[-1]
            bad.append(f"{PEERS[name].title} is left out: {last}")
    return good, bad


def machine(names: list[str]) -> dict[str, Any]:
    """Return the environment that the figures depend on: processor, Python, versions, load."""
    model = platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    versions = {}
    for name in names:
        distribution = PEERS[name].distribution
        if distribution:
            try:
                versions[distribution] = importlib.metadata.version(distribution)
            except importlib.metadata.PackageNotFoundError:
                versions[distribution] = "from the build tree"
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "versions": versions,
        "load": os.getloadavg()[0],
    }


def say(text: str) -> None:
    """Show progress on a terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def measure(what: str, peer: str, size: int, collect: bool, into: Measurements) -> float:
    """Run one worker, add its samples to `into` and return its processor time in seconds."""
    command = [
        sys.executable,
        str(WORKER),
        what,
        peer,
        str(size),
        "on" if collect else "off",
    ]
    # A fixed seed: otherwise the layouts of dicts, and with them the times, vary between runs.
    environment = dict(os.environ, PYTHONHASHSEED="0")
    before = os.times()
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    after = os.times()
    seconds = after.children_user - before.children_user
    seconds += after.children_system - before.children_system
    label = f"{PEERS[peer].title}, {what}, {size} nodes"
    if result.returncode:
        lines = result.stderr.strip().splitlines() or ["no message"]
        into.errors[f"{label}: exit {result.returncode}: {lines[-1]}"] = None
        return seconds
    answer = json.loads(result.stdout.splitlines()[-1])
    for work, values in answer["works"].items():
        into.add(Key(work, peer, size, collect), values)
    for work, error in answer["errors"].items():
        into.errors[f"{label}: {work}: {error}"] = None
    return seconds


def start_times(code: str) -> dict[str, float]:
    """Return how long a process that runs `code` takes, in milliseconds."""
    wall = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", code])
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - wall
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{code!r} failed")
    return {"cpu": (usage.ru_utime + usage.ru_stime) * 1e3, "wall": wall * 1e3}


def measure_imports(plan: Plan, into: Measurements) -> None:
    """Measure every peer's import: the time of its process less that of a bare Python process just before."""
    for round_ in range(plan.imports + 1):
        for peer in plan.peers:
            code = PEERS[peer].imports
            if code is None:
                continue
            bare, loaded = start_times("pass"), start_times(code)
            if round_:  # the first one writes bytecode files and fills the page cache
                above = {clock: loaded[clock] - bare[clock] for clock in bare}
                into.add(Key("import", peer, 0), above)


def run(plan: Plan) -> Measurements:
    """Measure everything in `plan`."""
    into = Measurements()
    say("imports")
    measure_imports(plan, into)
    kinds = [("time", False)] * plan.runs + [("time", True)] * plan.collector_runs
    kinds += [("memory", False)] * min(plan.runs, 3)
    slow: set[tuple[str, str, int, bool]] = set()
    for size in plan.sizes:
        for i, (what, collect) in enumerate(kinds):
            for peer in plan.peers:
                cell = (what, peer, size, collect)
                if cell in slow or not plan.measured(peer, size):
                    continue
                say(f"{size} nodes, measurement {i + 1} of {len(kinds)}: {peer}")
                if measure(what, peer, size, collect, into) > PATIENCE_SECONDS:
                    slow.add(cell)
    say("")
    return into
