"""Lifetime of the evaluators' child process: all threads share it, it ends with its parent, a fork gets a new one."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from evaluator_child import (
    child,
    exp,
    restored,  # noqa: F401 - a fixture
)
from evaluator_programs import HANGS, exp_model, run

import ge.onnx
from ge import ops
from ge.passes import PassManager

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def gone(pid: int) -> bool:
    """Return whether a process ends within a minute."""
    deadline = time.monotonic() + 60
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_running(pid)


# --- Lifetime


def test_one_child_serves_all_threads() -> None:
    first = child()
    failures: list[BaseException] = []

    def work(value: int) -> None:
        try:
            for size in (3, 1 << 15):
                array = np.full(size, value, np.float32)
                for _ in range(10):
                    found = ops.evaluate_operator("onnx.Neg", [array])
                    assert found is not None
                    np.testing.assert_array_equal(found[0].numpy(), -array)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert child() is first


@pytest.mark.slow
def test_it_is_a_session_of_its_own_without_our_pipes() -> None:
    done = run(
        """
        assert exp() is not None
        pid = _service._children.child.number
        assert os.getsid(pid) == pid
        places = [os.readlink(f"/proc/{pid}/fd/{n}") for n in (0, 1, 2)]
        assert places[1] == os.devnull, places
        ours = [os.readlink(f"/proc/self/fd/{n}") for n in (0, 1, 2)]
        assert not set(places) & set(ours) - {os.devnull}, (places, ours)
        """,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("end", ["sys.exit(0)", "os._exit(0)", "os.kill(os.getpid(), 9)", "None"])
def test_no_child_outlives_us(end: str) -> None:
    done = run(f"exp()\nprint(_service._children.child.number, flush=True)\n{end}")
    assert gone(int(done.stdout)), done.stderr
    assert done.stderr == ""


@pytest.mark.slow
def test_a_hanging_child_ends_when_we_are_killed() -> None:
    done = run(
        """
        exp()
        print(_service._children.child.number, flush=True)
        threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
        import ge.onnx
        from ge.passes import FusionBasePass, PassManager, bisect, clear_registered_passes, register_pass
        module = ge.onnx.load(os.environ["HANGING"])
        PassManager.parse("infer-types,constant-fold").run(module)
        """,
        HANGING=hanging_file(),
        GE_EVALUATORS_SECONDS="1000",
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert gone(int(done.stdout))


_files: list[str] = []


def hanging_file() -> str:
    import tempfile

    if not _files:
        file = tempfile.NamedTemporaryFile(suffix=".onnx", delete=False)  # noqa: SIM115
        with file:
            file.write(HANGS["TfIdfVectorizer"])
        _files.append(file.name)
    return _files[0]


@pytest.fixture(autouse=True, scope="module")
def no_files() -> Iterator[None]:
    yield
    for name in _files:
        os.unlink(name)


def test_no_zombies() -> None:
    pid = child().number
    os.kill(pid, signal.SIGKILL)
    exp()
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


@pytest.mark.slow
def test_a_forked_process_has_a_child_of_its_own() -> None:
    done = run(
        """
        assert exp() is not None
        first = _service._children.child
        pid = os.fork()
        if pid == 0:
            ok = _service._children.child is None and exp() is not None
            ok = ok and _service._children.child.number != first.number
            os._exit(0 if ok else 1)
        assert os.waitpid(pid, 0)[1] == 0
        assert exp() is not None
        assert _service._children.child is first
        """
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_forked_process_leaves_the_model_of_its_parent(tmp_path: Path) -> None:
    (tmp_path / "exp.onnx").write_bytes(exp_model())
    done = run(
        """
        with open(os.environ["MODEL"], "rb") as file:
            model = _service.load("onnxruntime", file.read())
        pid = os.fork()
        if pid == 0:
            del model
            os._exit(0)  # and in one that ends as usual, below
        os.waitpid(pid, 0)
        pid = os.fork()
        if pid == 0:
            sys.exit(0)
        os.waitpid(pid, 0)
        os.kill(_service._children.child.number, signal.SIGKILL)
        for _ in range(2):  # the first finds out that the child died
            try:
                with _service._children.lock:
                    model._load()
            except _service.EvaluatorDiedError:
                pass
        assert model._child is _service._children.child
        """,
        MODEL=str(tmp_path / "exp.onnx"),
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_daemon_thread_that_waits_does_not_disturb_the_end() -> None:
    done = run(
        """
        import ge.onnx
        from ge.passes import FusionBasePass, PassManager, bisect, clear_registered_passes, register_pass
        exp()
        module = ge.onnx.load(os.environ["HANGING"])
        work = PassManager.parse("infer-types,constant-fold").run
        threading.Thread(target=work, args=(module,), daemon=True).start()
        time.sleep(0.5)
        print(_service._children.child.number, flush=True)
        """,
        HANGING=hanging_file(),
        GE_EVALUATORS_SECONDS="1000",
    )
    assert done.returncode == 0, done.stderr
    assert gone(int(done.stdout))


@pytest.mark.slow
def test_daemon_threads_that_evaluate_do_not_disturb_the_end() -> None:
    done = run(
        """
        exp()
        def work():
            while True:
                exp()
        for _ in range(2):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.3)
        print(_service._children.child.number, flush=True)
        """
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert gone(int(done.stdout))


@pytest.mark.slow
def test_an_interrupt_comes_out_as_itself() -> None:
    before = child()
    os.environ["GE_EVALUATORS_SECONDS"] = "1000"
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    module = ge.onnx.load(HANGS["TfIdfVectorizer"])
    printed = str(module)
    # A background job of a shell starts with the signal ignored.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            PassManager.parse("constant-fold,dce", on_error="skip").run(module)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, handler)
        del os.environ["GE_EVALUATORS_SECONDS"]
    assert not before.is_alive
    assert str(module) == printed
    assert child() is not before
