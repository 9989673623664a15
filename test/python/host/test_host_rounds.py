"""Loading, unloading and shutting down in any order; here the host starts the interpreter itself.

In addition to its assertions each test checks that the program does not crash and writes nothing to standard error.
"""

import os
import sys
import sysconfig
from pathlib import Path

import pytest
from native_hosts import MARKS, PASS, TORCH_LIKE, environment, steps

pytestmark = MARKS

BUSY, PASS_FAILED, STATE, VALUE, INTERRUPTED = 5, 6, 19, 10, 18
KEEPS = """
import sys
from ge.passes import FusionBasePass, PassStage, register_fusion_pass

kept = sys.__dict__.setdefault("kept", [])

@register_fusion_pass(name="Keeps", stage=PassStage.BEFORE_INFER_SHAPE)
class Keeps(FusionBasePass):
    def run(self, graph, context):
        for each in kept:
            try:
                each.name
                print("alive:", each)
            except Exception as error:
                print(type(error).__name__, error)
        kept.extend([graph, *graph.nodes])
        kept.append(context)
        print("instance", hasattr(self, "seen"), flush=True)
        self.seen = self
"""


def statuses(lines: list[str], step: str) -> list[int]:
    start = f"{step}: "
    return [int(line[len(start) :].split()[0]) for line in lines if line.startswith(start)]


def text_of(lines: list[str], step: str) -> str:
    return next(line for line in lines if line.startswith(f"{step}: "))


def test_two_rounds(host: Path, pairs: Path, graph: Path) -> None:
    one = [f"open={pairs}", "load", "parse", "run", "print", "drop", "release"]
    lines = steps(host, f"input={graph}", *one, *one)
    assert statuses(lines, "run") == [0, 0]
    assert not any("Neg" in line for line in lines)


def test_a_round_ends_with_its_last_host(host: Path, pairs: Path, graph: Path) -> None:
    lines = steps(
        host,
        *(f"open={pairs}", "load", "keep=0", "open=", "load", "unload", f"input={graph}", "parse"),
        *("pipeline=Pairs", "take=0", "unload", "pipeline=Pairs", "load", "pipeline=Pairs"),
    )
    assert statuses(lines, "pipeline") == [0, 2, 0]  # GE_ERROR_PARSE: there is no such pass


def test_a_file_that_changed_is_executed_anew(host: Path, tmp_path: Path, graph: Path) -> None:
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    first.write_text(PASS.format(name="First"))
    second.write_text(PASS.format(name="Second"))
    lines = steps(
        host,
        *(f"setenv=ASCEND_GE_PY_PASS_PATH={first}", "env", "load", f"input={graph}", "parse"),
        *("pipeline=First", "unload", f"setenv=ASCEND_GE_PY_PASS_PATH={second}", "load"),
        *("pipeline=First", "pipeline=Second"),
    )
    assert statuses(lines, "pipeline") == [0, 2, 0]


ORDERS = [
    ["unload", "unload", "shutdown", "shutdown"],
    ["shutdown", "unload", "release"],
    ["release"],
    [],
    ["drop", "shutdown", "release", "close"],
    ["shutdown", "run", "print", "drop", "close", "release"],
    ["close", "drop", "release"],
    ["unload", "run", "shutdown", "drop"],
    ["thread-shutdown"],
    ["thread-shutdown", "shutdown"],
]


# An exit handler must not use a host that was released, so these combinations are left out.
CASES = [
    pytest.param(order, handlers, id=f"{'-'.join(order) or 'nothing'}-{handlers}")
    for order in ORDERS
    for handlers in ("none", "before", "after", "both")
    if handlers == "none" or "release" not in order
]


@pytest.mark.parametrize(("order", "handlers"), CASES)
def test_any_order_of_the_end(
    host: Path, tmp_path: Path, graph: Path, order: list[str], handlers: str
) -> None:
    file = tmp_path / "keeps.py"
    file.write_text(KEEPS)
    before = ["atexit", "atexit-unload"] if handlers in ("before", "both") else []
    after = ["atexit-unload", "atexit"] if handlers in ("after", "both") else []
    work = [f"open={file}", "load", f"input={graph}", "parse", "run"]
    lines = steps(host, *before, *work, *after, *order)
    for step in ("unload", "shutdown", "exit shutdown", "exit unload", "thread shutdown"):
        assert not any(statuses(lines, step)), lines


def test_handles_expire_with_their_run(host: Path, tmp_path: Path, graph: Path) -> None:
    file = tmp_path / "keeps.py"
    file.write_text(KEEPS)
    lines = steps(host, f"open={file}", "load", f"input={graph}", "parse", "run", "run")
    assert not [line for line in lines if line.startswith("alive")]
    expired = [line for line in lines if line.startswith("StaleHandleError")]
    assert len(expired) == 3 and "graph handle has expired" in expired[0]
    assert [line for line in lines if line.startswith("instance")] == ["instance False"] * 2


def test_after_the_interpreter_ended_native_passes_work(
    host: Path, pairs: Path, graph: Path
) -> None:
    lines = steps(
        host,
        *(f"open={pairs}", "load", f"input={graph}", "parse", "shutdown", "load"),
        *("pipeline=cse,dce", "pipeline=Pairs", "open=", "load", "pipeline=optimize", "print"),
    )
    assert statuses(lines, "load") == [0, STATE, 0]
    assert "cannot be started again" in lines[lines.index(text_of(lines[4:], "load"))]
    assert statuses(lines, "pipeline") == [0, 2, 0]


def test_a_host_without_python(host: Path, pairs: Path, graph: Path) -> None:
    env = environment(GE_PYTHON="/nowhere/python", ASCEND_GE_PY_PASS_PATH=str(pairs))
    lines = steps(host, f"without={pairs}", "load", f"input={graph}", "parse", "run", env=env)
    assert statuses(lines, "load") == [0] and statuses(lines, "run") == [0]


# --- Hooks

HOOK = """
import sys
from ge.passes import FusionBasePass, PassStage, register_fusion_pass

@register_fusion_pass(name="Hook", stage=PassStage.BEFORE_INFER_SHAPE)
class Hook(FusionBasePass):
    def run(self, graph, context):
{body}
"""


def hook(tmp_path: Path, body: str) -> Path:
    path = tmp_path / "hook.py"
    path.write_text(HOOK.format(body="\n".join(f"        {line}" for line in body.splitlines())))
    return path


@pytest.mark.parametrize("error", ["ValueError('x')", "SystemExit(0)", "KeyboardInterrupt()"])
def test_a_hook_that_raises_is_undone(host: Path, tmp_path: Path, graph: Path, error: str) -> None:
    file = hook(
        tmp_path, f"next(n for n in graph.nodes if n.type == 'Neg').name = 'changed'\nraise {error}"
    )
    work = [f"open={file}", "load", f"input={graph}", "parse", "run", "print", "run", "shutdown"]
    lines = steps(host, *work)
    assert statuses(lines, "run") == [6, 6]
    assert error.partition("(")[0] in text_of(lines, "run")
    assert not any("changed" in line for line in lines[lines.index("module {") :])


def test_threads_that_outlive_the_hook(host: Path, tmp_path: Path, graph: Path) -> None:
    body = """import threading, time
def work():
    while True:
        time.sleep(0.0005)
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()"""
    file = hook(tmp_path, body)
    work = [f"open={file}", "load", f"input={graph}", "parse", "run", "unload", "load", "run"]
    assert statuses(steps(host, *work), "run") == [0, 0]
    assert statuses(steps(host, *work, "shutdown"), "run") == [0, 0]


def test_a_hook_that_imports_numpy(host: Path, tmp_path: Path, graph: Path) -> None:
    body = "import numpy, json, decimal\nprint('sum', numpy.arange(4).sum(), flush=True)"
    file = hook(tmp_path, body)
    work = [f"open={file}", "load", f"input={graph}", "parse", "run", "unload", "load", "run"]
    assert "sum 6" in steps(host, *work)
    assert "sum 6" in steps(host, *work, "shutdown")


def test_a_hook_that_imports_a_package_like_torch(host: Path, tmp_path: Path, graph: Path) -> None:
    """Thread pools, endless threads, exit functions and cycles with __del__ do not disturb the end of the process."""
    (tmp_path / "torch_like").mkdir()
    (tmp_path / "torch_like/__init__.py").write_text(TORCH_LIKE)
    body = "import sys\nsys.path.insert(0, PLACE)\nimport torch_like\nprint(torch_like.answer, flush=True)"
    file = hook(tmp_path, body.replace("PLACE", repr(str(tmp_path))))
    work = [f"open={file}", "load", f"input={graph}", "parse", "run", "unload", "load", "run"]
    for end in ([], ["shutdown"], ["thread-shutdown"]):
        lines = steps(host, *work, *end)
        assert statuses(lines, "run") == [0, 0] and lines.count("42") == 2


def test_a_hook_that_runs_a_pipeline_of_its_own(host: Path, tmp_path: Path, graph: Path) -> None:
    body = f"""from ge import ir
from ge.passes import PassManager
inner = ir.Graph.parse(open({str(graph)!r}).read())
PassManager.parse('cse,dce').run(inner)
print('inner', len(inner.nodes), flush=True)"""
    work = [f"open={hook(tmp_path, body)}", "load", f"input={graph}", "parse", "run", "shutdown"]
    lines = steps(host, *work)
    assert statuses(lines, "run") == [0] and any(line.startswith("inner ") for line in lines)


def test_a_hook_that_forks(host: Path, tmp_path: Path, graph: Path) -> None:
    body = """import os
child = os.fork()
if child == 0:
    os._exit(3)
print('child', os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)"""
    work = [f"open={hook(tmp_path, body)}", "load", f"input={graph}", "parse", "run", "shutdown"]
    assert "child 3" in steps(host, *work)


def test_a_hook_cannot_unload_what_runs(host: Path, tmp_path: Path, graph: Path) -> None:
    """Unloading and shutting down from a hook fail with GE_ERROR_BUSY and do not deadlock."""
    body = """import ctypes
c = ctypes.CDLL(None)
for name in ('stepUnload', 'stepShutdown'):
    print(name, getattr(c, name)(), flush=True)"""
    work = [f"open={hook(tmp_path, body)}", "load", f"input={graph}", "parse", "run", "unload"]
    lines = steps(host, *work)
    assert f"stepUnload {BUSY}" in lines and f"stepShutdown {BUSY}" in lines
    assert statuses(lines, "run") == [0] and statuses(lines, "unload")[-1] == 0


def test_a_hook_that_starts_a_compile(host: Path, tmp_path: Path, graph: Path) -> None:
    body = """import ctypes, sys
if not hasattr(sys, 'inside'):
    sys.inside = True
    print('inner', ctypes.CDLL(None).stepCompile(), flush=True)"""
    work = [f"open={hook(tmp_path, body)}", "load", f"input={graph}", "parse", "run", "shutdown"]
    lines = steps(host, *work)
    assert "inner 0" in lines and statuses(lines, "run") == [0]


@pytest.mark.parametrize("end", ["ctypes.CDLL(None).exit(7)", "os._exit(7)"])
def test_a_hook_that_ends_the_process(host: Path, tmp_path: Path, graph: Path, end: str) -> None:
    from native_hosts import run

    body = f"import ctypes, os\n{end}"
    work = [f"open={hook(tmp_path, body)}", "load", f"input={graph}", "parse", "run"]
    run(host, *work, status=7)


# --- Threads


def test_eight_compiles_in_eight_threads(host: Path, pairs: Path, graph: Path) -> None:
    env = environment(ASCEND_GE_PY_PASS_PATH=str(pairs))
    lines = steps(host, f"input={graph}", "threads=8", "threads=8", env=env)
    assert lines.count("threads: same") == 2
    assert statuses(lines, "thread run") == [0] * 16
    assert not any("Neg" in line for line in lines)


@pytest.mark.parametrize("kind", ["python", "native", "swallows", "__init__"])
def test_cancelling_ends_a_run(host: Path, tmp_path: Path, graph: Path, kind: str) -> None:
    bodies = {
        "python": "next(n for n in graph.nodes if n.type == 'Neg').name = 'changed'\nwhile True:\n    pass",
        "swallows": "try:\n    while True:\n        pass\nexcept Exception:\n    pass",
        "native": "while True:\n    graph.verify()",
        "__init__": "pass",
    }
    file = hook(tmp_path, bodies[kind])
    if kind == "__init__":
        file.write_text(
            file.read_text() + "    def __init__(self):\n        while True:\n            pass\n"
        )
    work = [f"open={file}", "load", f"input={graph}", "parse", "cancelled=200", "print"]
    lines = steps(host, *work, "pipeline=cse,dce", timeout=30)
    assert statuses(lines, "run") == [INTERRUPTED]
    assert statuses(lines, "cancel") == [0] and statuses(lines, "pipeline") == [0]
    assert not any("changed" in line for line in lines)


@pytest.mark.slow
def test_what_was_cancelled_does_not_come_out_later(
    host: Path, tmp_path: Path, graph: Path
) -> None:
    file = hook(
        tmp_path, "import time\nend = time.time() + 0.5\nwhile time.time() < end:\n    pass"
    )
    work = [f"open={file}", "load", f"input={graph}", "parse", "cancelled=100", "run", "unload"]
    lines = steps(host, *work, "load", "run", timeout=30)
    assert statuses(lines, "run") == [INTERRUPTED, 0, 0]


def library() -> str:
    names = [sysconfig.get_config_var(name) or "" for name in ("INSTSONAME", "LDLIBRARY")]
    places = [sysconfig.get_config_var("LIBDIR"), os.path.join(sys.base_prefix, "lib")]
    places.append(os.path.join(places[0], sysconfig.get_config_var("MULTIARCH") or ""))
    return next(f for p in places for n in names if ".so" in n and os.path.isfile(f := f"{p}/{n}"))


@pytest.mark.parametrize("unload", [["unload"], ["shutdown"], []])
def test_a_host_that_ends_its_own_interpreter_and_starts_another(
    host: Path, pairs: Path, graph: Path, unload: list[str]
) -> None:
    """Objects of the first interpreter are not used in the second: Python passes are refused, native ones run."""
    python = [f"python={library()}"]
    site = sysconfig.get_path("purelib")
    compile_ = [f"open={pairs}", "load", "parse", "run", "print"]
    lines = steps(
        host,
        *(f"input={graph}", *python, *compile_, *unload, "end-python"),
        *("drop", "parse", "run", "print", "pipeline=dce"),  # without an interpreter
        *(*python, "load", "drop", "parse", "run", "print", "pipeline=dce", "end-python"),
        env=environment(PYTHONPATH=site, GE_PYTHON=None),
    )
    run = statuses(lines, "run")
    assert run[0] == 0 and statuses(lines, "pipeline") == [0, 0]
    # Passes that are still registered fail; after unloading, none are left to run.
    assert run[1:] == ([0, 0] if unload else [PASS_FAILED, PASS_FAILED]), lines
    assert statuses(lines, "load") == [0, STATE], lines
    assert "ended" in [line for line in lines if line.startswith("load: ")][1]
    assert statuses(lines, "end-python") == [0, 0]


def test_an_exit_handler_that_compiles(host: Path, pairs: Path, graph: Path) -> None:
    """The thread-local data that the main thread keeps between calls is destroyed before exit handlers run."""
    compile_ = ["parse", "run", "drop"]
    lines = steps(host, f"input={graph}", f"open={pairs}", "load", "atexit-run", *compile_)
    assert statuses(lines, "run") == [0] and statuses(lines, "exit run") == 20 * [0]
