"""Printing large graphs on a thread reuses its memory, as it does on the main thread.

malloc returns large blocks of a thread's heap to the system, so each text would cause its page faults again, and two
threads would block each other in the kernel. Not promised: how many faults the first calls cause.
"""

import resource
import statistics
import sys
import threading

import pytest

from ge import ir

pytestmark = [
    pytest.mark.nosan,  # AddressSanitizer has an allocator of its own
    pytest.mark.skipif(sys.platform != "linux", reason="page faults of a thread are Linux's"),
]

NODES, WARM, CALLS = 50_000, 3, 4
PAGE = resource.getpagesize()


@pytest.fixture(scope="module")
def module() -> ir.Module:
    type_ = ir.TensorType((4, 4), ir.f32)
    graph = ir.Graph("main")
    value = graph.add_input("x", type_)
    for i in range(NODES):
        value = graph.add_node("onnx.Relu", [value], name=f"n{i}", result_types=type_).result
    graph.outputs = [value]
    made = ir.Module("m")
    made.add_graph(graph)
    return made


def test_repeated_prints_on_two_threads_cost_few_page_faults(module: ir.Module) -> None:
    faults: list[int] = []
    sizes: list[int] = []

    def work() -> None:
        for i in range(WARM + CALLS):
            before = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
            sizes.append(len(module.to_text()))
            if i >= WARM:
                faults.append(resource.getrusage(resource.RUSAGE_THREAD).ru_minflt - before)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert min(sizes) > 2 << 20
    # Only the result, which Python allocates, may cause page faults.
    assert statistics.median(faults) < 1.1 * max(sizes) / PAGE
