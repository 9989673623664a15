"""Threads: different graphs of one context can be edited concurrently; one graph has one writer or several readers."""

import subprocess
import sys
import threading
import time

import pytest

import ge.ir as ir


def big(nodes: int = 20_000) -> ir.Graph:
    g = ir.Graph("main")
    t = ir.TensorType((2,), ir.f32)
    x = g.add_input("x", t)
    for i in range(nodes):
        x = g.add_node("t.Relu", [x], {"k": i}, name=f"n{i}", result_types=t).result
    g.outputs = [x]
    return g


def run(*functions) -> None:
    errors: list[BaseException] = []

    def guarded(function) -> None:
        try:
            function()
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(f,)) for f in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_two_threads_edit_two_graphs_of_one_context() -> None:
    graphs = [ir.Graph(f"g{i}") for i in range(2)]

    def edit(g: ir.Graph) -> None:
        t = ir.TensorType((2,), ir.f32)
        x = g.add_input("x", t)
        for i in range(3000):
            n = g.add_node("t.Relu", [x], {f"k{i % 50}": i}, name="n", result_types=t)
            if i % 3 == 0:
                n.erase()

    run(*(lambda g=g: edit(g) for g in graphs))
    assert [len(g.nodes) for g in graphs] == [2000, 2000]
    assert graphs[0].is_structurally_equal(graphs[1])


@pytest.mark.parametrize("work", ["to_text", "verify", "clone", "structural_hash"])
def test_reading_releases_the_gil_and_refuses_writers(work) -> None:
    """While one thread reads a large graph, another runs Python, and gets GraphBusyError if it edits that graph."""
    g = big()
    node = g.nodes[0]
    done = threading.Event()
    seen = []

    def read() -> None:
        try:
            # One read may end before the other thread is scheduled.
            for round_ in range(500):
                getattr(g, work)()
                if round_ >= 4 and any("main" in s for s in seen if s != "edited"):
                    break
        finally:
            done.set()

    def edit() -> None:
        while not done.is_set():
            try:
                node.attributes["tool.z"] = 1
                seen.append("edited")
            except ir.GraphBusyError as error:
                seen.append(str(error))
            time.sleep(0)

    run(read, edit)
    assert any("main" in s for s in seen if s != "edited"), "the GIL was never released"
    node.attributes["tool.z"] = 2


def test_readers_do_not_disturb_each_other() -> None:
    g = big(5000)
    text = g.to_text()
    run(
        *(
            lambda: [g.to_text() == text or pytest.fail("differs") for _ in range(3)]
            for _ in range(4)
        )
    )


def test_sorting_refuses_readers_and_writers() -> None:
    g = big()
    done = threading.Event()
    seen = []

    def sort() -> None:
        try:
            for _ in range(2000):  # until the other thread has run during one of them
                g.sort()
                if any("sort" in s for s in seen):
                    break
        finally:
            done.set()

    def read() -> None:
        while not done.is_set():
            try:
                len(g.nodes)
            except ir.GraphBusyError as error:
                seen.append(str(error))
            time.sleep(0)

    run(sort, read)
    assert any("sort" in s for s in seen)


def test_handles_dropped_while_a_graph_is_read() -> None:
    g = big(5000)
    nodes = list(g.nodes)
    run(lambda: [g.to_text() for _ in range(5)], nodes.clear)
    assert len(g.nodes) == 5000


def test_objects_die_in_other_threads() -> None:
    for _ in range(20):
        box = [big(10)]
        box.append(box[0].nodes[3])
        run(box.clear)


def test_parsing_in_threads() -> None:
    text = big(3000).to_text()
    graphs: list[ir.Graph] = []
    run(*(lambda: graphs.append(ir.Graph.parse(text)) for _ in range(4)))
    assert all(g.is_structurally_equal(graphs[0]) for g in graphs)


def test_contexts_of_their_own() -> None:
    def work() -> None:
        with ir.Context():
            assert len(big(500).nodes) == 500

    run(*(work for _ in range(6)))


FIRST_ARRAYS = """
import sys, threading
import numpy as np
from ge import ir
sys.setswitchinterval(1e-6)
ready = threading.Barrier(8)
def work():
    ready.wait()
    ir.Tensor(np.arange(4.0))
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


@pytest.mark.slow
def test_the_first_arrays_of_a_process_come_from_several_threads():
    """Looking up NumPy's types on first use runs Python code, so no thread may wait for it with the GIL held."""
    for _ in range(10):
        subprocess.run([sys.executable, "-c", FIRST_ARRAYS], check=True, timeout=120)


GRAPHS_OF_A_THREAD = """
import resource, threading
from ge import ir

def build():
    graph = ir.Graph("g")
    of = ir.TensorType((4, 4), ir.f32)
    value = graph.add_input("x", of)
    for i in range(30_000):
        value = graph.add_node("onnx.Abs", [value], {"k": i}, result_types=[of]).result
    graph.outputs = [value]

def faults():
    return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt

def work():
    for _ in range(4):
        before = faults()
        build()
        found.append(faults() - before)

found = []
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(*found)
"""


@pytest.mark.nosan  # in sanitized builds arenas call malloc for each block
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts page faults of threads")
def test_a_thread_uses_the_memory_of_its_earlier_graphs_again() -> None:
    """malloc would return the memory to the system, and each graph would cause its page faults again."""
    done = subprocess.run(
        [sys.executable, "-c", GRAPHS_OF_A_THREAD], capture_output=True, text=True, check=True
    )
    first, _, *others = map(int, done.stdout.split())
    assert max(others) < first / 4, done.stdout
