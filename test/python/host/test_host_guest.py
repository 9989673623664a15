"""A host inside a Python process: it uses the interpreter of the process and never finalizes it.

The tests call the C API through ctypes, as any native program in that process would.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from guest_host import Host
from native_hosts import BUILD, NATIVE, PASS, TORCH_LIKE, environment

import ge.passes as passes
from ge import ir

BUSY, STATE, FAILED = 5, 19, 6
SUPPORT = Path(__file__).parents[1] / "support"


@pytest.fixture(autouse=True)
def clean(clean_passes: None) -> None:
    pass


@pytest.fixture
def guest(pairs: Path) -> Iterator[Host]:
    made = Host(pairs)
    yield made
    made.close()


def names() -> list[str]:
    return [d.pass_name for d in passes.get_registered_passes()]


def test_the_interpreter_of_the_process_is_used(guest: Host) -> None:
    assert guest.call("geHostLoadPlugins") == 0
    assert names() == ["Pairs"]
    assert guest.compile() == 0
    assert guest.call("geHostUnload") == 0
    assert names() == []


def test_own_passes_stay_when_a_round_ends(guest: Host) -> None:
    @passes.register_pass("my-own")
    def my_own(graph: object, context: object) -> None:
        pass

    assert guest.call("geHostLoadPlugins") == 0
    assert names() == ["my-own", "Pairs"]
    assert guest.call("geHostUnload") == 0
    assert names() == ["my-own"]


def test_the_interpreter_is_not_ended(guest: Host) -> None:
    for _ in range(2):
        assert guest.call("geHostLoadPlugins") == 0, guest.message()
        assert guest.compile() == 0
        assert guest.call("geHostShutdown") == 0
        assert guest.call("geHostShutdown") == 0
        assert guest.call("geHostUnload") == 0
    assert sys.is_finalizing() is False and names() == []


def test_a_hook_cannot_unload_what_runs(tmp_path: Path, guest: Host) -> None:
    seen = []

    @passes.register_fusion_pass(name="Nested", stage=passes.PassStage.BEFORE_INFER_SHAPE)
    class Nested(passes.FusionBasePass):
        def run(self, graph: object, context: object) -> None:
            seen.append((guest.call("geHostUnload"), guest.call("geHostShutdown")))

    assert guest.call("geHostLoadPlugins") == 0
    assert guest.compile() == 0
    assert seen == [(BUSY, BUSY)]


def test_eight_compiles_in_eight_threads(pairs: Path) -> None:
    statuses: list[int] = []

    def work() -> None:
        host = Host(pairs)
        statuses.append(host.call("geHostLoadPlugins") or host.compile())
        host.close()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert statuses == [0] * 8 and names() == []


def test_cancelling_ends_the_hook_and_nothing_else(guest: Host) -> None:
    started = threading.Event()
    ends: list[str] = []

    @passes.register_fusion_pass(name="Hangs", stage=passes.PassStage.BEFORE_INFER_SHAPE)
    class Hangs(passes.FusionBasePass):
        def run(self, graph: object, context: object) -> None:
            try:
                started.set()
                while True:
                    pass
            except BaseException as error:
                ends.append(type(error).__name__)
                raise

    def cancel() -> None:
        started.wait(30)
        assert guest.call("geHostCancel") == 0

    # The host loaded no plugins: the Python program itself registered the pass.
    canceller = threading.Thread(target=cancel)
    canceller.start()
    assert guest.compile() == 18  # GE_ERROR_INTERRUPTED
    canceller.join()
    assert ends == ["PassCancelled"]
    assert sum(range(1000)) == 499500  # no pending exception is raised later
    # The interpreter must not keep checking for a pending exception: CPython 3.11 would hang here.
    code = "import sys; sys.setprofile(lambda *_: None); f = lambda: 1; assert f() == 1; sys.setprofile(None)"
    exec(code, {})
    assert guest.call("geHostCancel") == 0  # nothing runs


HOOK = """from ge.passes import FusionBasePass, PassStage, register_fusion_pass
@register_fusion_pass(name='Hook', stage=PassStage.BEFORE_INFER_SHAPE)
class Hook(FusionBasePass):
    def run(self, graph, context):
        {}
"""
HOOKS = {
    "raise ValueError('x')": FAILED,
    "raise SystemExit(0)": FAILED,
    "raise KeyboardInterrupt()": FAILED,
    "import numpy; assert numpy.arange(4).sum() == 6": 0,
    "import os; child = os.fork(); child or os._exit(3); os.waitpid(child, 0)": 0,
    "import threading, time; threading.Thread(target=time.sleep, args=(0.2,)).start()": 0,
    "import sys; sys.kept = [graph, context, graph.nodes[0]]": 0,
}


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # fork beside threads
@pytest.mark.parametrize("body", HOOKS)
def test_what_hooks_do(tmp_path: Path, body: str) -> None:
    """The run fails or succeeds, the interpreter stays usable, and no exception is raised by a later call."""
    file = tmp_path / "hook.py"
    file.write_text(HOOK.format(body))
    host = Host(file)
    try:
        for _ in range(2):
            assert host.call("geHostLoadPlugins") == 0
            assert host.compile() == HOOKS[body]
            if HOOKS[body]:
                assert "pass 'Hook' failed" in host.message()
                assert f"{file}:5" in host.message() or "KeyboardInterrupt" in body
            assert host.call("geHostUnload") == 0
        for kept in vars(sys).pop("kept", ()):
            with pytest.raises(ir.GEError, match="expired"):
                kept.pass_name if isinstance(kept, passes.PassContext) else kept.name
    finally:
        host.close()


def test_a_hook_that_starts_a_compile(guest: Host) -> None:
    inner = []

    @passes.register_fusion_pass(name="Nested", stage=passes.PassStage.BEFORE_INFER_SHAPE)
    class Nested(passes.FusionBasePass):
        def run(self, graph: object, context: object) -> None:
            if not inner:
                inner.append(None)
                inner.append(guest.compile())

    assert guest.compile() == 0 and inner == [None, 0]


CHILD = """
import ctypes, os, sys
if sys.argv[1] == "first":
    import ge.passes
c = ctypes.CDLL(sys.argv[2])
host = ctypes.c_void_p()
assert c.geHostOpen(None, ctypes.byref(host)) == 0
os.environ["ASCEND_GE_PY_PASS_PATH"] = sys.argv[3]  # heard: it reaches C's getenv
assert c.geHostLoadPlugins(host) == 0
import ge.passes
print([d.pass_name for d in ge.passes.get_registered_passes()])
if sys.argv[4] == "atexit":
    import atexit
    atexit.register(lambda: print("unload", c.geHostUnload(host)))
"""


@pytest.mark.parametrize("order", ["first", "later"])
@pytest.mark.parametrize("end", ["atexit", "nothing"])
def test_a_process_that_ends(tmp_path: Path, pairs: Path, order: str, end: str) -> None:
    library = next(NATIVE.glob("libGE-*.so"))
    command = [sys.executable, "-c", CHILD, order, str(library), str(pairs), end]
    env = environment(PYTHONPATH=str(BUILD / "python") if order == "first" else None)
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    assert done.stdout.splitlines()[0] == "['Pairs']"
    assert ("unload 0" in done.stdout) == (end == "atexit")


ROUNDS = """
import sys
from guest_host import Host
host = Host(sys.argv[1])
for _ in range(2):
    assert host.call("geHostLoadPlugins") == 0
    print("run", host.compile(), flush=True)
    assert host.call("geHostUnload") == 0
if sys.argv[2] == "release":
    host.close()
"""
ENDS = {
    "import torch_like; print(torch_like.answer, flush=True)": (0, ["42", "run 0", "42", "run 0"]),
    "import ctypes; ctypes.CDLL(None).exit(7)": (7, []),
    "import os; os._exit(7)": (7, []),
}


@pytest.mark.parametrize("end", ["release", "nothing"])
@pytest.mark.parametrize("body", ENDS)
def test_hooks_that_reach_beyond_their_run(tmp_path: Path, body: str, end: str) -> None:
    """With thread pools, endless threads or an exit in the hook, the process ends as it would without the host."""
    (tmp_path / "torch_like").mkdir()
    (tmp_path / "torch_like/__init__.py").write_text(TORCH_LIKE)
    file = tmp_path / "hook.py"
    file.write_text(HOOK.format(body))
    places = [BUILD / "python", SUPPORT, tmp_path]
    env = environment(PYTHONPATH=os.pathsep.join(map(str, places)))
    command = [sys.executable, "-c", ROUNDS, str(file), end]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False, timeout=60)
    status, lines = ENDS[body]
    assert (done.returncode, done.stdout.splitlines(), done.stderr) == (status, lines, "")


def test_two_copies_of_the_package_are_refused(tmp_path: Path, pairs: Path) -> None:
    """One package is imported already, and the program uses the library of another copy."""
    import shutil

    other = tmp_path / "other" / "ge" / "_mlir_like" / "_ge"
    other.mkdir(parents=True)
    for file in NATIVE.glob("lib*.so"):
        shutil.copy(file, other / file.name.replace("-dev", "-other"))
    # glibc identifies a library by the soname in the file, so the copy needs another one.
    library = next(other.glob("libGE-other*"))
    library.write_bytes(library.read_bytes().replace(b"libGE-dev.so\0", b"libGE-oth.so\0"))
    bridge = other / "libge_python_bridge.so"
    bridge.write_bytes(bridge.read_bytes().replace(b"libGE-dev.so\0", b"libGE-oth.so\0"))
    library.rename(other / "libGE-oth.so")
    code = CHILD.replace(
        "assert c.geHostLoadPlugins(host) == 0",
        "print(c.geHostLoadPlugins(host)); import os; os._exit(0)",
    ).replace(
        "import ctypes, os, sys",
        "import ctypes, os, sys\nsys.stdout.reconfigure(line_buffering=True)",
    )
    command = [sys.executable, "-c", code, "first", str(other / "libGE-oth.so"), str(pairs), ""]
    env = environment(PYTHONPATH=str(BUILD / "python"))
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False, timeout=60)
    assert done.stdout.split() == [str(STATE)], done.stdout + done.stderr


def test_two_rounds_with_other_files(tmp_path: Path) -> None:
    file = tmp_path / "first.py"
    file.write_text(PASS.format(name="First"))
    host = Host(file)
    assert host.call("geHostLoadPlugins") == 0 and names() == ["First"]
    assert host.call("geHostUnload") == 0 and names() == []
    file.write_text(PASS.format(name="Second"))
    os.utime(file)
    assert host.call("geHostLoadPlugins") == 0 and names() == ["Second"]
    host.close()
    assert names() == []
