"""The interpreter may end while daemon threads work: no abort, no output on stderr, the exit status is the program's.

Each script starts threads that work forever and ends the main thread at a random moment. Not promised: that the
threads complete their work, or that the objects that they hold are released.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

PRELUDE = """
import os, random, sys, threading, time
import ge.ir as ir, ge.passes as gp, ge.onnx as go
def chain(n=3000):
    g = ir.Graph("g"); t = ir.TensorType((2,), ir.f32); x = g.add_input("x", t)
    for i in range(n):
        x = g.add_node("onnx.Abs", [x], name=f"n{i}", result_types=t).result
    g.outputs = [x]
    return g
text = str(chain())
def forever(work, threads=3):
    ready = threading.Barrier(threads + 1)
    def run():
        state = chain()
        ready.wait()
        while True:
            work(state)
    for _ in range(threads):
        threading.Thread(target=run, daemon=True).start()
    ready.wait()
    time.sleep(random.random() * 0.1)
"""

SCRIPTS = {
    "print": "forever(str)",
    "parse": "forever(lambda g: ir.Graph.parse(text))",
    "infer": "forever(lambda g: g.infer_types())",
    "verify": "forever(lambda g: g.verify())",
    "clone": "forever(lambda g: g.clone())",
    "native passes": "forever(lambda g: gp.PassManager.parse('cse,dce,sort,verify').run(g))",
    "python passes": """
def visit(g):
    for n in g.nodes: n.name
forever(lambda g: gp.PassManager().add(visit).run(g))
""",
    "a pass that waits": """
forever(lambda g: gp.PassManager().add(lambda g: time.sleep(0.001)).run(g))
""",
    "hooks of a pipeline": """
manager = gp.PassManager().add('cse,dce')
manager.enable_ir_printing(before=True, changed=False, to=lambda text: len(text))
forever(lambda g: manager.run(g))
""",
    "rules with functions": """
from ge.es import onnx as op
def twice(x): return op.Abs(op.Abs(x))
def once(x): return op.Abs(x)
rule = gp.rewrite_rule(twice, once, when=lambda match: not [n for n in match.nodes])
forever(lambda g: gp.rewrite(g, [rule]))
""",
    "diagnostic handlers": """
ir.Context.default.attach_diagnostic_handler(lambda d: [str(d) for _ in range(20)])
def work(g):
    try: ir.Graph.parse(text[:-20])
    except ir.ParseError: pass
forever(work)
""",
    "arguments from generators": """
def work(g):
    h = ir.Graph("h"); t = ir.TensorType((2,), ir.f32); x = h.add_input("x", t)
    h.add_node("onnx.Sum", (v for v in [x] * 200), result_types=(t for _ in range(1)))
forever(work)
""",
    "models": """
path = os.path.join(sys.argv[1], f"{os.getpid()}.onnx")
go.save(go_module(), path)
def work(g): go.load(path)
forever(work)
""",
    "saving models": """
module = go_module()
def work(g): go.save(module, os.path.join(sys.argv[1], f"{os.getpid()}.{threading.get_ident()}.onnx")); go.to_bytes(module)
forever(work)
""",
    "tensors": """
import numpy as np
def work(g):
    t = ir.Tensor(np.arange(20000.0)); t.numpy(); repr(t)
forever(work)
""",
    "imports": """
for name in list(sys.modules):
    if name.startswith("ge.passes"): del sys.modules[name]
def work():
    import ge.passes.pattern, ge.es, ge.graph, ge.view
# One thread: CPython 3.11 frees its import lock at exit while threads wait for it.
threading.Thread(target=work, daemon=True).start()
time.sleep(random.random() * 0.05)
""",
    "main works on after atexit": """
import atexit
g = chain()
class Late:
    def __del__(self): str(g); gp.PassManager.parse('cse').run(g)
sys.late = Late()
atexit.register(lambda: gp.PassManager.parse('cse,dce').run(g))
forever(str)
""",
    "exit status": "forever(str); sys.exit(7)",
}
MODEL = """
def go_module():
    module = ir.Module("m"); module.add_graph(chain()); return module
"""


def run(script: str, directory: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", PRELUDE + MODEL + script, directory],
        env=dict(os.environ, PYTHONFAULTHANDLER="1"),
        capture_output=True,
        text=True,
        timeout=300,
    )


def check(name: str, directory: str, times: int) -> None:
    with ThreadPoolExecutor(2) as pool:
        for done in pool.map(run, [SCRIPTS[name]] * times, [directory] * times):
            assert done.returncode == (7 if name == "exit status" else 0), done.stderr
            assert done.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_ends_quietly_while_threads_work(name, tmp_path) -> None:
    check(name, str(tmp_path), 4)


@pytest.mark.long
@pytest.mark.parametrize("name", SCRIPTS)
def test_ends_quietly_while_threads_work_many_times(name, tmp_path) -> None:
    check(name, str(tmp_path), 30)


def test_only_one_file_of_the_bindings_takes_the_gil() -> None:
    """The other files use the classes of Gil.h, which handle the end of the interpreter."""
    taking = (
        "gil_scoped",
        "cleanup_guard",
        "PyGILState_",
        "PyEval_SaveThread",
        "PyEval_RestoreThread",
    )
    folder = Path(__file__).resolve().parents[3] / "lib/Bindings"
    files = {
        file.name
        for file in folder.rglob("*")
        if file.suffix in (".h", ".cpp") and any(word in file.read_text() for word in taking)
    }
    assert files == {"Gil.h", "Gil.cpp"}
