"""Ctrl-C interrupts native loops: KeyboardInterrupt is raised, and graphs are as before the call.

Each operation gets an input that keeps it busy for long. A thread sends SIGINT while the operation runs, at a
fraction of the time that an earlier run took. Loops check for signals every 50 ms; the limit in the tests allows
for a loaded machine. Not promised: an operation that ends within 50 ms may not be interrupted.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest
from interrupts import (
    LARGE,
    LATE,
    X,
    chain,
    check_interrupted,
    default_handler,  # noqa: F401 - a fixture
    interrupted,
    large,  # noqa: F401 - a fixture
    module_of,
)

import ge.onnx
from ge import ir
from ge.es import onnx as op
from ge.passes import PassManager, rewrite, rewrite_rule


@pytest.mark.slow
def test_print_is_interrupted(large):
    check_interrupted(large.to_text)


@pytest.mark.slow
def test_parse_is_interrupted(large):
    text = large.to_text()
    check_interrupted(lambda: ir.Graph.parse(text))


def test_clone_is_interrupted(large):
    check_interrupted(large.clone)


def test_verify_is_interrupted(large):
    check_interrupted(large.verify)


@pytest.mark.slow
def test_comparing_is_interrupted(large):
    other = large.clone()
    check_interrupted(lambda: large.is_structurally_equal(other))
    check_interrupted(lambda: large.structural_hash())


@pytest.mark.slow
def test_infer_types_is_undone():
    g = chain(LARGE)
    unknown = ir.UnknownType()

    def forget() -> None:
        for node in g.nodes:
            node.result.type = unknown

    forget()
    start = time.monotonic()
    assert g.infer_types().changed
    whole = time.monotonic() - start
    for _ in range(20):
        forget()
        took = interrupted(g.infer_types, whole / 2)
        types = {str(node.result.type) for node in g.nodes}
        assert types in ({str(unknown)}, {str(X)})  # all or nothing
        if took is not None and types == {str(unknown)}:
            break
    else:
        assert whole < 0.5
    assert took is None or took < LATE


@pytest.mark.slow
def test_sort_is_interrupted():
    g = chain(LARGE)
    text = g.to_text()
    g.sort()
    assert g.to_text() == text
    check_interrupted(g.sort, lambda: len(g.nodes))


def test_erasing_dead_nodes_is_undone():
    g = chain(LARGE)
    g.outputs = [g.inputs[0]]
    with g.transaction() as t:
        start = time.monotonic()
        g.erase_dead_nodes()
        whole = time.monotonic() - start
        t.rollback()
    nodes = len(g.nodes)
    took = interrupted(g.erase_dead_nodes, whole / 3)
    # The interrupt may also arrive after the call.
    assert took is None or (took < LATE and len(g.nodes) in (0, nodes) and g.verify())


@pytest.mark.slow
@pytest.mark.nosan  # sanitizers distort times
def test_names_cost_a_rollback_nothing():
    """An interrupt waits for the rollback. Measured in processor time, so that other processes do not matter."""

    def undoing(graph: ir.Graph) -> float:
        graph.outputs = [graph.inputs[0]]
        times = []
        for _ in range(5):
            with graph.transaction() as t:
                graph.erase_dead_nodes()
                start = time.thread_time()
                t.rollback()
                times.append(time.thread_time() - start)
        return min(times)

    named = chain(300_000)
    for i, node in enumerate(named.nodes):
        node.result.name = f"v{i}"
    unnamed = chain(300_000)
    for node in unnamed.nodes:
        node.name = ""
    assert undoing(named) < 2 * undoing(unnamed)


def native(pipeline: str) -> Callable[[ir.Graph], object]:
    return lambda g: PassManager.parse(pipeline).run(g)


@pytest.mark.slow
@pytest.mark.parametrize(
    "pipeline",
    [
        "cse",
        "dce",
        "eliminate-identity",
        "constant-fold",
        "infer-types",
        "simplify-shapes",
        "optimize",
        "verify",
    ],
)
def test_passes_are_interrupted_and_rolled_back(pipeline, large):
    # The pass runs on a copy, which is compared with the original.
    g = large.clone()
    with g.transaction() as t:
        start = time.monotonic()
        native(pipeline)(g)
        whole = time.monotonic() - start
        done = g.clone()
        t.rollback()
    heard = 0
    for part in (0.2, 0.6):
        took = interrupted(lambda: native(pipeline)(g), max(whole * part, 0.001))
        if took is not None:
            heard += 1
            assert took < LATE
            assert g.verify()
            # The interrupt may also arrive after the call. In a pipeline the edits of completed passes stay.
            assert pipeline == "optimize" or unchanged_or(done, g, large)
        g = large.clone()
    assert heard or whole < 1


def unchanged_or(done, graph, before):
    return graph.is_structurally_equal(before) or graph.is_structurally_equal(done)


@pytest.mark.slow
def test_rewriting_is_undone(large):
    g = large.clone()
    rule = rewrite_rule(lambda x: op.Identity(op.Add(x, x)), lambda x: op.Add(x, x))
    with g.transaction() as t:
        start = time.monotonic()
        rewrite(g, rule)
        whole = time.monotonic() - start
        done = g.clone()
        t.rollback()
    heard = 0
    for part in (0.1, 0.3, 0.5):
        took = interrupted(lambda: rewrite(g, rule), whole * part)
        if took is not None:
            heard += 1
            assert took < LATE
            assert unchanged_or(done, g, large)
        g = large.clone()
    assert heard or whole < 1


def test_an_interrupt_in_a_python_pass_is_no_pass_error():
    def stop(graph):
        graph.add_node("onnx.Abs", [graph.inputs[0]], result_types=X)
        raise KeyboardInterrupt

    g = chain(10)
    with pytest.raises(KeyboardInterrupt):
        PassManager(on_error="skip").add(stop).add("cse").run(g)
    assert len(g.nodes) == 10


def test_an_interrupt_in_a_hook_or_condition_comes_out_itself():
    def stop(*_):
        raise KeyboardInterrupt

    g = chain(10)
    with pytest.raises(KeyboardInterrupt):
        PassManager.parse("cse").add_hook(before=stop).run(g)
    for condition in (lambda x: stop(), lambda match: stop()):
        with pytest.raises(KeyboardInterrupt):
            rewrite(g, rewrite_rule(lambda x: op.Abs(x), lambda x: op.Neg(x), when=condition))
    assert len(g.nodes) == 10 and g.verify()


def test_what_a_handler_raises_comes_out(large):
    class Stop(Exception):
        pass

    def handler(*_):
        raise Stop

    signal.signal(signal.SIGINT, handler)
    for after in (0.01, 0.05, 0.1, 0.2):
        try:
            interrupted(large.to_text, after)
        except Stop:
            return
    raise AssertionError("printing was over before the signal each time")


@pytest.mark.slow
def test_a_handler_finds_the_graph_busy():
    """The handler runs in the middle of a pass and may try to edit the graph."""
    large, seen = chain(LARGE), []

    def handler(*_):
        try:
            g.nodes[5].erase(force=True)
            seen.append(None)  # the signal came before or after the passes
        except ir.GraphBusyError as error:
            seen.append(error)

    signal.signal(signal.SIGINT, handler)
    # Signals are checked every 50 ms of a pass: the passes take more than a second.
    passes = ",".join(["infer-types,cse,sort"] * 6)
    for after in (0.2, 0.4, 0.8, 0.1):
        g = large.clone()
        interrupted(lambda: PassManager.parse(passes).run(g), after)
        if seen and seen[-1] is not None:
            assert g.verify()
            return
    raise AssertionError(f"no signal came while the passes ran: {seen}")


@pytest.mark.slow
def test_models_are_not_half_read_or_written(large, tmp_path):
    module = module_of(large.clone())
    path = tmp_path / "m.onnx"
    ge.onnx.save(module, path)
    written = path.read_bytes()
    check_interrupted(lambda: ge.onnx.load(path))
    check_interrupted(lambda: ge.onnx.to_bytes(module))
    check_interrupted(lambda: ge.onnx.save(module, path), path.read_bytes)
    assert path.read_bytes() == written
    assert [each.name for each in tmp_path.iterdir()] == ["m.onnx"]


@pytest.mark.skipif(sys.platform != "linux", reason="opens a pipe for reading and writing")
@pytest.mark.parametrize("other_end", [False, True], ids=["no other end", "an idle other end"])
@pytest.mark.parametrize("does", ["load", "save"])
def test_waiting_for_a_pipe_is_interrupted(does, other_end, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDWR) if other_end else -1
    module = module_of(chain(10_000))  # more than a pipe takes
    try:
        if does == "load":
            took = interrupted(lambda: ge.onnx.load(pipe, allow_pipe=True), 0.1)
        else:
            took = interrupted(lambda: ge.onnx.save(module, pipe, allow_pipe=True), 0.1)
    finally:
        if other_end:
            os.close(end)
    assert took is not None and took < LATE


def test_other_threads_hear_nothing(large):
    done = []
    thread = threading.Thread(target=lambda: done.append(len(large.to_text())))
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        thread.join()
    thread.join()
    assert done


def test_a_program_ends_by_ctrl_c() -> None:
    script = """
import ge.ir as ir
from ge.passes import PassManager
g = ir.Graph("g"); t = ir.TensorType((2,), ir.f32); x = g.add_input("x", t)
for i in range(30000): x = g.add_node("onnx.Abs", [x], result_types=t).result
g.outputs = [x]
print("ready", flush=True)
while True: PassManager.parse("infer-types,cse,dce").run(g)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert b"KeyboardInterrupt" in errors and b"PassError" not in errors
