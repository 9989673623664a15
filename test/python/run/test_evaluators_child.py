"""Runtimes that GE brings evaluate in a child process: what they do on a hostile operator costs a remark.

Not tested: how fast a runtime is, and limits of memory where there is no /proc.
"""

from __future__ import annotations

import logging
import os
import select
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evaluator_child import (
    F,
    child,
    exp,
    fold,
    minimum,
    model_of,
    restored,  # noqa: F401 - a fixture
)

import ge.onnx
from ge import ir, ops
from ge.passes import FusionBasePass, PassManager, bisect, clear_registered_passes, register_pass
from ge.run import _child, _service, _wire

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's own libraries are not built for it


CRASHES = {
    "Min": minimum(),
    "absent": model_of(
        helper.make_node("Min", ["a", "b", "", "a"], ["y"], name="m"), {"a": F, "b": F}, 13
    ),
    "GatherND": model_of(
        helper.make_node("GatherND", ["a", "i"], ["y"], name="m", batch_dims=-2),
        {"a": F, "i": np.zeros((2, 1), np.int64)},
        13,
        (2,),
    ),
    "Attention": model_of(
        helper.make_node(
            "Attention", ["q", "q", "q"], ["y"], name="m", q_num_heads=-(2**63), kv_num_heads=1
        ),
        {"q": np.ones((1, 2, 4), np.float32)},
        23,
        (1, 2, 4),
    ),
}
HANGS = {
    "GatherElements": model_of(
        helper.make_node("GatherElements", ["a", "i"], ["y"], name="m"),
        {"a": F, "i": np.full((2, 3), 2**31, np.int64)},
        13,
    ),
    "TfIdfVectorizer": model_of(
        helper.make_node(
            "TfIdfVectorizer",
            ["t"],
            ["y"],
            name="m",
            mode="TF",
            min_gram_length=1,
            max_gram_length=2,
            max_skip_count=0,
            ngram_counts=[0, 4, 10**18],
            ngram_indexes=[0, 1, 2, 3, 4, 5],
            pool_int64s=[1, 2, 3, 4, 5, 6, 7, 8],
        ),
        {"t": np.array([1, 2, 3], np.int32)},
        13,
        (6,),
    ),
}


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own, with a child process of its own."""
    prelude = "import os, sys, signal, threading, time\nimport numpy as np\nfrom ge import ops\n"
    prelude += "from ge.run import _service\n"
    prelude += (
        "def exp():\n    return ops.evaluate_operator('onnx.Exp', [np.ones(3, np.float32)])\n"
    )
    return subprocess.run(
        [sys.executable, "-c", prelude + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **environment},
    )


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def gone(pid: int) -> bool:
    """Whether a process ends soon."""
    deadline = time.monotonic() + 60
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_running(pid)


# --- What a runtime dies of


@pytest.mark.parametrize("name", [*CRASHES, *HANGS])
def test_a_hostile_operator_never_ends_the_process(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether a version of a runtime refuses it, dies or hangs: the node is there, or folded, and so are we."""
    monkeypatch.setenv("GE_EVALUATORS_SECONDS", "2")
    module, _ = fold({**CRASHES, **HANGS}[name])
    assert module.graphs[0].find("end") is not None
    assert exp() is not None


def test_a_death_is_a_remark_and_the_node_stays() -> None:
    module, remarks = fold(minimum("m"))
    (remark,) = remarks
    assert remark.startswith("onnxruntime died evaluating onnx.Min 'm': SIG")
    assert remark.endswith("; the node stays")
    node = module.graphs[0].find("m")
    assert node is not None
    assert node.op == "onnx.Min"


def test_each_node_has_its_remark_and_a_new_child() -> None:
    node = helper.make_node("Min", ["a", "b", "a", "b", "a"], ["y"], name="m")
    proto = onnx.load_from_string(model_of(node, {"a": F, "b": F}, 13))
    proto.graph.node.insert(1, helper.make_node("Min", ["b", "b", "a", "b", "a"], ["z"], name="n"))
    proto.graph.node.insert(2, helper.make_node("Exp", ["a"], ["e"], name="e"))
    proto.graph.node.append(helper.make_node("Sum", ["y", "z", "e"], ["s"], name="s"))
    proto.graph.node.append(helper.make_node("Abs", ["s"], ["last"], name="l"))
    proto.graph.output.append(helper.make_tensor_value_info("last", TensorProto.FLOAT, None))
    proto.graph.value_info.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, (2, 3)))
    proto.graph.initializer[1].CopyFrom(numpy_helper.from_array(F + 1, "b"))
    module, remarks = fold(proto.SerializeToString())
    assert [r.partition(":")[0] for r in remarks] == [
        "onnxruntime died evaluating onnx.Min 'm'",
        "onnxruntime died evaluating onnx.Min 'n'",
    ]
    ops_left = [n.op for n in module.graphs[0].nodes]
    assert ops_left.count("onnx.Min") == 2
    assert "onnx.Exp" not in ops_left


def test_a_hang_is_ended_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    child()  # imports are no part of the limit, but the machine may be busy
    monkeypatch.setenv("GE_EVALUATORS_SECONDS", "1")
    _, remarks = fold(HANGS["TfIdfVectorizer"])
    (remark,) = remarks
    assert "took longer than 1 s evaluating onnx.TfIdfVectorizer 'm'" in remark
    assert exp() is not None


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    child()
    monkeypatch.setenv("GE_EVALUATORS_MEMORY", "400M")
    with pytest.raises(_service.EvaluatorDiedError, match=r"took more than 400 MiB of memory"):
        # 2 GiB, of which the parent sees 12 bytes before.
        shape = np.array([1 << 29], np.int64)
        node = helper.make_node("ConstantOfShape", ["x0"], ["c"])
        total = helper.make_node("ReduceSum", ["c"], ["y"], keepdims=0)
        graph = helper.make_graph(
            [node, total],
            "g",
            [helper.make_tensor_value_info("x0", TensorProto.INT64, [1])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [])],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        _service.evaluate("onnxruntime", model.SerializeToString(), {"x0": shape}, "it")
    assert exp() is not None


@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
def test_the_signal_is_named(by: signal.Signals) -> None:
    os.kill(child().number, by)
    with pytest.raises(_service.EvaluatorDiedError, match=f"died evaluating this: {by.name}"):
        _service.evaluate("onnxruntime", exp_model(), {"x0": np.ones(3, np.float32)}, "this")
    assert exp() is not None


def exp_model() -> bytes:
    graph = helper.make_graph(
        [helper.make_node("Exp", ["x0"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x0", TensorProto.FLOAT, None)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return model.SerializeToString()


def test_evaluate_operator_logs_a_death(caplog: pytest.LogCaptureFixture) -> None:
    a = ir.Tensor(F)
    with caplog.at_level(logging.WARNING, "ge.ops"):
        assert ops.evaluate_operator("onnx.Min", [a, a, a, a, a], opset=13) is None
    assert "onnxruntime died evaluating onnx.Min: SIG" in caplog.text


# --- What is not handed over


def test_what_type_inference_refuses_is_not_evaluated() -> None:
    asked: list[str] = []
    ops.use_evaluator(lambda call: asked.append(call.op))
    for name in ("GatherND", "Attention"):
        module, _ = fold(CRASHES[name])
        assert module.graphs[0].find("m") is not None
    assert asked == []


@pytest.mark.parametrize(
    "node",
    [
        helper.make_node("Exp", ["a", "a"], ["y"], name="m"),
        helper.make_node("Softmax", ["a"], ["y"], name="m", axis=1.5),
        helper.make_node("Softmax", ["a"], ["y"], name="m", axle=1),
        helper.make_node("BitwiseNot", ["a"], ["y"], name="m"),
        helper.make_node("Min", ["a", "a", "", "a"], ["y"], name="m"),
    ],
    ids=["operands", "attribute type", "attribute name", "element type", "absent operand"],
)
def test_a_node_against_its_definition_is_not_evaluated(node: Any) -> None:
    asked: list[str] = []

    def evaluate(call: ops.OpCall) -> Any:
        asked.append(call.op)
        return [F]

    ops.use_evaluator(evaluate)
    module = ge.onnx.load(model_of(node, {"a": F}, 18))
    result = PassManager.parse("constant-fold").run(module)
    assert (asked, module.graphs[0].find("m") is not None) == ([], True)
    (remark,) = result.passes[0].remarks
    assert remark.message.startswith(f"node 'm' (onnx.{node.op_type}): ")
    assert remark.message.endswith("; the node stays")


# --- Its life


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


@pytest.mark.parametrize("end", ["sys.exit(0)", "os._exit(0)", "os.kill(os.getpid(), 9)", "None"])
def test_no_child_outlives_us(end: str) -> None:
    done = run(f"exp()\nprint(_service._children.child.number, flush=True)\n{end}")
    assert gone(int(done.stdout)), done.stderr
    assert done.stderr == ""


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
        path = model._message["path"]
        assert os.path.exists(path)
        os.kill(_service._children.child.number, signal.SIGKILL)
        for _ in range(2):  # the first finds out that the child died
            try:
                with _service._children.lock:
                    model._load()
            except _service.EvaluatorDiedError:
                pass
        assert model._child is _service._children.child
        del model
        assert not os.path.exists(os.path.dirname(path))
        """,
        MODEL=str(tmp_path / "exp.onnx"),
    )
    assert done.returncode == 0, done.stderr


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


def test_an_interrupt_comes_out_as_itself() -> None:
    before = child()
    os.environ["GE_EVALUATORS_SECONDS"] = "1000"
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    module = ge.onnx.load(HANGS["TfIdfVectorizer"])
    printed = str(module)
    # A shell's background job ignores the signal.
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


# --- Answers


@pytest.mark.parametrize(
    "answer",
    [
        b"\xff" * 16,
        b"\0" * 16,
        b"\x02\0\0\0\0\0\0\0" + b"\0" * 8 + b"{}",
        b"\x02\0\0\0\0\0\0\0" + b"\0" * 8 + b"[}",
        b'{"values":[["a",0,"float32",[1000000]]],"shared":0}',
        b'{"values":[["a",-4,"float32",[1]]],"shared":0}',
        b'{"values":[["a",0,"float32",[-1]]],"shared":0}',
        b'{"values":[["a",0,"dtype",[0]]],"shared":0}',
        b'{"values":[["b",0,4]],"shared":1099511627776}',
        b'{"values":[["z"]],"shared":0}',
        b'{"values":' + b"[" * 100_000,
    ],
)
def test_an_answer_that_makes_no_sense(answer: bytes) -> None:
    found = child()
    if answer.startswith(b"{"):
        answer = _wire.PREFIX.pack(len(answer), 0) + answer
    program = f"import os, sys; os.write(int(sys.argv[2]), {answer!r}); os.read(0, 1)"
    fake = _child.Child.__new__(_child.Child)
    vars(fake).update(fake_child(program))
    _service._children.child = fake
    try:
        with pytest.raises(_service.EvaluatorDiedError, match="makes no sense"):
            _service._children._prepared.clear()
            _service.evaluate("onnxruntime", exp_model(), {"x0": np.ones(3, np.float32)}, "it")
        assert not fake.is_alive
    finally:
        found.end()
    assert exp() is not None


def fake_child(program: str) -> dict[str, Any]:
    """The state of a child that runs another program."""
    import ge.run._wire as wire

    requests, ours = os.pipe()
    theirs, answers = os.pipe()
    areas = wire.Area(), wire.Area()
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(requests), str(answers)],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        pass_fds=(requests, answers),
    )
    os.close(requests)
    os.close(answers)
    assert process.stderr is not None
    state: dict[str, Any] = {
        "pid": os.getpid(),
        "_area": areas[0],
        "_theirs": areas[1],
        "_incoming": wire.Incoming(),
        "_tail": b"",
    }
    state.update(_requests=ours, _answers=theirs, _process=process, _errors=process.stderr.fileno())
    poll = state["_poll"] = select.poll()
    poll.register(theirs, select.POLLIN)
    for fd in (ours, theirs, process.stderr.fileno()):
        os.set_blocking(fd, False)
    return state


# --- Where they run


def test_nothing_is_imported_here() -> None:
    done = run(
        """
        assert exp() is not None
        loaded = {m.partition(".")[0] for m in sys.modules}
        assert not loaded & {"onnx", "onnxruntime", "google", "multiprocessing"}, loaded
        """
    )
    assert done.returncode == 0, done.stderr


def test_in_process() -> None:
    code = """
        assert exp() is not None
        assert _service._children.child is None
        assert "onnxruntime" in sys.modules
        """
    done = run(code, GE_EVALUATORS="inprocess")
    assert done.returncode == 0, done.stderr


def test_none_evaluates_natively_only() -> None:
    code = """
        assert exp() is None
        assert _service._children.child is None
        assert "onnxruntime" not in sys.modules
        """
    done = run(code, GE_EVALUATORS="none")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("variable", "value", "text"),
    [
        ("GE_EVALUATORS", "thread", "is none of child, inprocess, none"),
        ("GE_EVALUATORS_SECONDS", "-1", "not a positive number"),
        ("GE_EVALUATORS_SECONDS", "soon", "not a positive number"),
        ("GE_EVALUATORS_MEMORY", "4X", "such as 500M or 4G"),
        ("GE_EVALUATORS_MEMORY", "nan", "such as 500M or 4G"),
    ],
)
def test_a_wrong_setting_is_an_error(
    variable: str, value: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ValueError, match=text):
        _service.evaluate("onnxruntime", exp_model(), {"x0": np.ones(3, np.float32)}, "it")


@pytest.mark.parametrize(
    "program",
    ["no-such-program", "false", "cat"],
)
def test_without_a_python_there_are_the_native_ones(
    program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    child().end()
    monkeypatch.setenv("GE_PYTHON", program)
    monkeypatch.setattr(_service._children, "_unusable", {})
    _, remarks = fold(exp_chain())
    (remark,) = remarks  # once, not for each node
    assert "operators of ONNX are evaluated natively only" in remark
    assert program in remark
    assert exp() is None
    monkeypatch.delenv("GE_PYTHON")
    assert exp() is not None


def exp_chain() -> bytes:
    node = helper.make_node("Exp", ["a"], ["y"], name="m")
    proto = onnx.load_from_string(model_of(node, {"a": F}, 17))
    proto.graph.node.append(helper.make_node("Exp", ["end"], ["z"], name="n"))
    proto.graph.node.append(helper.make_node("Log", ["a"], ["l"], name="l"))
    proto.graph.node.append(helper.make_node("Sum", ["z", "l"], ["last"], name="s"))
    proto.graph.output.append(helper.make_tensor_value_info("last", TensorProto.FLOAT, None))
    return bytes(proto.SerializeToString())


def test_an_embedded_python_needs_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/usr/bin/compiler")
    with pytest.raises(_child.NoInterpreterError, match="compiler is no Python; set GE_PYTHON"):
        _child.interpreter()


def test_the_working_directory_is_not_imported_from(tmp_path: Path) -> None:
    for name in ("onnxruntime", "numpy", "onnx", "json"):
        (tmp_path / f"{name}.py").write_text("import os; os.write(2, b'taken'); os._exit(3)\n")
    code = "import sys; sys.path.remove(''); from ge import ops; import numpy as np\n"
    code += "import ge.run._service\n"  # what the parent imports later is its own affair
    code += "import os; os.chdir(os.environ['TRAP']); sys.path.insert(0, '')\n"
    code += "a = ops.evaluate_operator('onnx.Exp', [np.ones(3, np.float32)])\n"
    code += "assert a is not None"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "TRAP": str(tmp_path)},
    )
    assert (done.returncode, done.stderr) == (0, "")


# --- Whole models


@pytest.fixture
def fatal_file(tmp_path: Path) -> str:
    """A model on which onnxruntime dies, and whose outputs nothing else than it computes quickly."""
    path = tmp_path / "fatal.onnx"
    path.write_bytes(minimum())
    return str(path)


@pytest.fixture
def right_file(tmp_path: Path) -> str:
    node = helper.make_node("Min", ["a", "b"], ["y"], name="m")
    path = tmp_path / "right.onnx"
    path.write_bytes(model_of(node, {"a": F, "b": F}, 13))
    return str(path)


def test_check_tells_that_the_second_model_kills(fatal_file: str, right_file: str) -> None:
    ops.use_evaluator("onnxruntime")
    report = ge.onnx.check(right_file, fatal_file)
    assert not report
    assert "onnxruntime died running it: SIG" in report.outputs[0].message
    assert not report.refused  # that it dies says nothing of the model


def test_check_tells_that_the_first_model_kills(fatal_file: str, right_file: str) -> None:
    ops.use_evaluator("onnxruntime")
    with pytest.raises(RuntimeError, match=r"the first model: onnxruntime died running it: SIG"):
        ge.onnx.check(fatal_file, right_file)


def test_check_says_that_nothing_is_to_run(
    right_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GE_EVALUATORS", "none")
    with pytest.raises(RuntimeError, match="nothing runs models: GE_EVALUATORS=none"):
        ge.onnx.check(right_file, right_file)


def test_the_command_check_survives(fatal_file: str, right_file: str) -> None:
    command = [sys.executable, "-m", "ge.cli", "check", right_file, fatal_file]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "by the reference evaluator" in done.stdout  # which is asked after the death
    assert "Traceback" not in done.stderr


def test_a_model_is_loaded_again_in_a_new_child(right_file: str) -> None:
    loaded = _service.load("onnxruntime", right_file)
    (before,) = loaded.run({})
    os.kill(child().number, signal.SIGKILL)
    with pytest.raises(_service.EvaluatorDiedError, match="died running it: SIGKILL"):
        loaded.run({})
    (after,) = loaded.run({})
    np.testing.assert_array_equal(before, after)


def test_bytes_are_handed_over_as_a_file(right_file: str) -> None:
    loaded: Any = _service.load("reference", Path(right_file).read_bytes())
    path = loaded._message["path"]
    assert os.path.exists(path)
    assert len(loaded.run({})) == 1
    del loaded
    assert not os.path.exists(path)


class Hole(FusionBasePass):
    """Replaces Min(x, y) by Min(x, y, x, y, x), which computes the same and ends onnxruntime."""

    def run(self, graph: ir.Graph, context: Any) -> None:
        node = graph.find("m")
        assert node is not None
        x, y = node.operands
        assert x is not None
        with ir.InsertionPoint(node):
            made = graph.add_node("onnx.Min", [x, y, x, y, x], result_types=[x.type])
        node.replace_with(made.result)


@pytest.fixture
def hole() -> Iterator[None]:
    register_pass("Hole")(Hole)
    yield
    clear_registered_passes()


def minimum_graph() -> ir.Module:
    graph_inputs = [helper.make_tensor_value_info(n, TensorProto.FLOAT, (2, 3)) for n in "ab"]
    graph = helper.make_graph(
        [
            helper.make_node("Min", ["a", "b"], ["m"], name="m"),
            helper.make_node("Abs", ["m"], ["y"]),
        ],
        "g",
        graph_inputs,
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (2, 3))],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return ge.onnx.load(model.SerializeToString())


@pytest.mark.usefixtures("hole")
def test_a_rewrite_that_kills_the_runtime_is_not_evaluated(tmp_path: Path) -> None:
    ops.use_evaluator("onnxruntime")
    manager = PassManager(check="rewrite", check_dir=tmp_path).add(Hole)
    result = manager.run(minimum_graph())
    (doubt,) = result.rewrite_check.unevaluated
    assert "onnxruntime died running it: SIG" in doubt.reason


@pytest.mark.usefixtures("hole")
def test_bisection_cannot_say_whether_a_model_that_kills_is_right(tmp_path: Path) -> None:
    ops.use_evaluator("onnxruntime")
    module = minimum_graph()
    said = []

    def oracle(candidate: ir.Module) -> bool | None:
        report = ge.onnx.check(module, candidate)
        said.append((report.equal, report.runs > 0, report.refused))
        return True if report.equal else False if report.runs or report.refused else None

    bisect(module, "Hole", oracle, directory=tmp_path)
    assert said == [(True, True, False), (False, False, False)]


# --- Under another name


def test_a_copy_under_another_name_starts_its_own_worker(tmp_path: Path) -> None:
    package = tmp_path / "acme" / "deep" / "run"
    shutil.copytree(Path(_child.__file__).parent, package)
    code = """
        from acme.deep.run._child import Child, Limits
        child = Child(sys.executable)
        words = open(f"/proc/{child.number}/cmdline").read().split("\\0")
        assert words[1:3] == ["-m", "acme.deep.run._worker"], words
        feeds = {"x0": np.zeros(2, np.float32)}
        message = {"do": "evaluate", "engine": "reference"}
        model = bytes.fromhex(os.environ["MODEL"])
        told, found = child.request(message, [model, feeds], Limits(100, 1 << 40))
        assert found[0][0].tolist() == [1, 1], told
        child.end()
        """
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = run(code, PYTHONPATH=path, MODEL=exp_model().hex())
    assert done.returncode == 0, done.stderr
