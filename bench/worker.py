"""Run one measurement in one process: ``worker.py time|memory PEER NODES on|off`` prints one JSON object.

A process measures one peer at one size once, so that an earlier measurement cannot affect it: by freed memory,
by interned attributes, or by objects that the garbage collector has to traverse.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import peers

__all__ = ["WORKS", "Stopwatch", "peak_memory", "times"]

# The timed works, in the order of the table.
WORKS = ["create", "walk", "walk_held", "bypass", "bypass_held", "replace", "print", "parse"]
# Nodes of a warm-up graph, so that the interpreter specialises its bytecode and libraries fill their tables.
WARM_UP = 1_000
# A walk is repeated until it has read about this many nodes: 10k nodes take less than a millisecond.
READS = 200_000


class Stopwatch:
    """Times calls, with the collector on or off, per node.

    Parameters
    ----------
    collect : bool
        Whether Python's cyclic collector runs during the timed calls.
    """

    def __init__(self, collect: bool) -> None:
        self.collect = collect
        # Microseconds per node; `text_bytes` is the size of the printed text per node.
        self.results: dict[str, dict[str, float]] = {}
        self.errors: dict[str, str] = {}

    def __call__(self, work: str, count: int, call: Callable[[], Any], repeat: int = 1) -> Any:
        """Time `call`, which works on `count` nodes; return the result of its last run, None on failure."""
        result = None
        gc.collect()
        if self.collect:
            gc.enable()
        try:
            wall, cpu = time.perf_counter(), time.process_time()
            for _ in range(repeat):
                result = call()
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        except Exception as error:
            # The other works are measured all the same.
            self.errors[work] = f"{type(error).__name__}: {error}"
            return None
        finally:
            gc.disable()
        scale = 1e6 / (count * repeat)
        self.results[work] = {"cpu": cpu * scale, "wall": wall * scale}
        return result


def expect(found: list[int], wanted: list[int], what: str) -> None:
    if found != wanted:
        raise AssertionError(f"{what}: {len(found)} nodes, first {found[:3]}; wanted {len(wanted)}")


def read(watch: Stopwatch, peer: peers.Peer, graph: Any, count: int) -> None:
    """Time both kinds of walk."""
    repeat = max(1, READS // count)
    watch("walk", count, lambda: peer.walk(graph), repeat)
    nodes = peer.nodes(graph)
    watch("walk_held", count, lambda: peer.walk_held(nodes), repeat)


def text(watch: Stopwatch, peer: peers.Peer, graph: Any, count: int) -> None:
    """Time printing and parsing."""
    printed = watch("print", count, lambda: peer.print(graph))
    if printed is None:
        watch.results.pop("print", None)
        return
    watch.results["print"]["text_bytes"] = len(printed) / count
    parsed = watch("parse", count, lambda: peer.parse(printed))
    if parsed is not None:
        expect(peer.ints(parsed), list(range(count)), "parse")


def edit(watch: Stopwatch, peer: peers.Peer, graph: Any, count: int) -> None:
    """Time each way to replace nodes on a third of the graph; the newest node, the output, is kept."""
    nodes = peer.nodes(graph)[:count]
    third = (count - 1) // 3
    first, second, last = nodes[:third], nodes[third : 2 * third], nodes[2 * third : count - 1]
    del nodes
    watch("bypass", third, lambda: peer.bypass(first))
    first.clear()
    pairs, source = peer.handles(second), peer.source(graph)
    watch("bypass_held", third, lambda: peer.bypass_held(pairs, source))
    if not watch("replace", len(last), lambda: peer.replace(last)):
        watch.results.pop("replace", None)
        peer.bypass(last)
    if not watch.errors:
        expect(peer.ints(graph), [count - 1], "replace")


def times(name: str, count: int, collect: bool) -> dict[str, Any]:
    """Return the time of every work of one peer on `count` nodes, in microseconds per node."""
    gc.disable()
    peer = peers.load(name)
    warm = peer.build(WARM_UP)
    peer.walk(warm)
    peer.bypass(peer.nodes(warm)[:-1])
    del warm
    watch = Stopwatch(collect)
    graph = watch("create", count, lambda: peer.build(count))
    expect(peer.ints(graph), list(range(count)), "create")
    read(watch, peer, graph, count)
    peer.finish(graph)
    text(watch, peer, graph, count)
    edit(watch, peer, graph, count)
    return {"works": watch.results, "errors": watch.errors}


def status(field: str) -> int:
    """Return a field of /proc/self/status in bytes: VmRSS, or its peak VmHWM."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise OSError(f"/proc/self/status has no {field}")


def peak_memory(name: str, count: int) -> dict[str, Any]:
    """Return the peak of the resident memory while `count` nodes are created, in bytes per node.

    Does not use `ru_maxrss`, which a process inherits from its parent.
    """
    gc.disable()
    peer = peers.load(name)
    peer.build(100)
    gc.collect()
    before = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # resets VmHWM
    graph = peer.build(count)
    peak = status("VmHWM")
    del graph
    size = (peak - before) / count
    return {"works": {"memory": {"cpu": size, "wall": size}}, "errors": {}}


def main() -> None:
    what, name, count, collect = sys.argv[1:]
    if what == "memory":
        print(json.dumps(peak_memory(name, int(count))))
    else:
        print(json.dumps(times(name, int(count), collect == "on")))


if __name__ == "__main__":
    main()
