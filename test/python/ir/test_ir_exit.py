"""The interpreter may end at any moment, with any objects alive, without a crash or a leak warning."""

import os
import subprocess
import sys

import pytest

SCRIPTS = {
    "plain import": "import ge.ir",
    "objects in globals": """
import ge.ir as ir
g = ir.Graph("g"); t = ir.TensorType((2,), ir.f32); x = g.add_input("x", t)
n = g.add_node("onnx.Abs", [x], {"k": [1, 2], "t": t}, result_types=t)
v, ops, attrs, uses, it, use = n.result, n.operands, n.attributes, x.uses, iter(g.nodes), x.uses[0]
walk = g.walk(); next(walk); next(it)
m = ir.Module("m"); m.add_graph(g); gs = m.graphs
""",
    "context entered and never left": """
import ge.ir as ir
c = ir.Context(); c.__enter__()
g = ir.Graph("g"); ip = ir.InsertionPoint(g); ip.__enter__(); ir.Location.file("f", 1).__enter__()
n = ir.Node.create("onnx.Abs")
""",
    "transaction never left": """
import ge.ir as ir
g = ir.Graph("g"); t = g.transaction(); t.__enter__(); n = g.add_node("onnx.Abs")
""",
    "suspended generator with a scope": """
import ge.ir as ir
def f():
    with ir.Context() as c:
        yield c
gen = f(); c = next(gen)
""",
    "objects in sys and builtins": """
import sys, builtins, ge.ir as ir
sys.keep = ir.Graph("g"); builtins.keep = sys.keep.add_node("onnx.Abs", attributes={"w": ir.F64Attr(1.0)})
sys.more = [builtins.keep.attributes["w"], ir.Location.file("f", 1), ir.f32, ir.Context()]
""",
    "use in __del__ after module teardown": """
import ge.ir as ir, sys
class Late:
    def __init__(self):
        self.g = ir.Graph("g"); self.n = self.g.add_node("onnx.Abs", attributes={"w": ir.F64Attr(1.0), "d": ir.f32})
    def __del__(self):
        try:
            self.n.op, self.g.nodes[0], list(self.g.walk()), dict(self.n.attributes), str(self.g)
            self.g.add_node("onnx.Abs", attributes={"k": [1]}, result_types=[])
            self.n.erase()
            self.n.name
        except Exception:
            pass
late = Late(); sys.late = Late(); cycle = Late(); cycle.me = cycle
""",
    "diagnostic handler attached": """
import ge.ir as ir
h = ir.Context.default.attach_diagnostic_handler(lambda d: True)
ir.Context.default.emit("x")
""",
    "handler in a cycle": """
import ge.ir as ir
c = ir.Context(); h = []
h.append(c.attach_diagnostic_handler(lambda d: h))
""",
    "tensor over numpy": """
import ge.ir as ir, numpy as np
t = ir.Tensor(np.arange(10.0)); a = t.numpy(); g = ir.Graph("g"); n = g.add_node("ge.Const", attributes={"value": t})
import sys; sys.t = t; sys.a = a
""",
    "gc in between": """
import gc, ge.ir as ir
keep = []
for i in range(50):
    g = ir.Graph("g"); n = g.add_node("onnx.Abs"); keep.append((n, n.result)); keep[i // 2:i // 2 + 1] = []; gc.collect()
""",
    "exception with diagnostics alive": """
import sys, ge.ir as ir
g = ir.Graph("g"); g.outputs = [None]
try: g.verify()
except ir.VerifyError as e: sys.error = e
""",
    "exit in a handler": """
import sys, ge.ir as ir
def f(d): raise SystemExit(0)
ir.Context.default.attach_diagnostic_handler(f)
ir.Context.default.emit("x")
""",
    "threads running": """
import threading, time, ge.ir as ir
def work():
    while True:
        g = ir.Graph("g"); g.add_node("onnx.Abs"); str(g)
for _ in range(3): threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
""",
    "thread that outlives main": """
import threading, time, ge.ir as ir
g = ir.Graph("g")
threading.Thread(target=lambda: (time.sleep(0.2), g.add_node("onnx.Abs"))).start()
""",
    "atexit": """
import atexit, ge.ir as ir
g = ir.Graph("g")
atexit.register(lambda: print(len(g.nodes), g.add_node("onnx.Abs").op))
""",
    "os._exit": "import os, ge.ir as ir; g = ir.Graph('g'); os._exit(0)",
    "module deleted": """
import sys, ge.ir as ir
g = ir.Graph("g"); n = g.add_node("onnx.Abs", attributes={"w": 1})
for name in [m for m in sys.modules if m == "ge" or m.startswith("ge.")]: del sys.modules[name]
del ir
import gc; gc.collect()
n.op; g.nodes[0].attributes["w"]
""",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_ends_quietly(name) -> None:
    environment = dict(os.environ, PYTHONFAULTHANDLER="1")
    # Frozen daemon threads keep their objects, and without its modules the package is not torn down in order.
    if name not in ("threads running", "module deleted", "os._exit"):
        environment["GE_LEAK_WARNINGS"] = "1"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPTS[name]],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "nanobind" not in done.stderr and "Error" not in done.stderr, done.stderr


def test_import_loads_no_numpy_enum_or_typing() -> None:
    """Compared with what a bare interpreter loads."""
    script = "import sys; before = set(sys.modules); import ge.ir; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _path() + script],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert not loaded & {
        "numpy",
        "ml_dtypes",
        "enum",
        "typing",
        "re",
        "inspect",
        "dataclasses",
        "collections.abc",
    }


def test_numpy_is_loaded_when_a_tensor_is_touched() -> None:
    script = """
import sys, ge.ir as ir
g = ir.Graph("g"); g.add_node("onnx.Abs", attributes={"k": 1})
t = ir.Tensor.splat(1.0, ir.TensorType((2,), ir.f32)); repr(t); t.tobytes()
assert "numpy" not in sys.modules
t.numpy()
assert "numpy" in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def _path() -> str:
    return f"import sys; sys.path[:] = {sys.path!r}; "
