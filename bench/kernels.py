"""Compare calls of operators with plain calls, NumPy and other peers: ``python bench/kernels.py``.

Each row is the median of several runs of one loop, in nanoseconds per call, with the peer measured in the same process.
"must be" is the budget of that row: a multiple of the peer, nanoseconds more than the peer (``+``), or nanoseconds. The
rows of peers that are not installed (apache-tvm-ffi, torch) are omitted.
"""

from __future__ import annotations

import contextlib
import ctypes
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import ge._mlir_like
import ge.ir as ir
import ge.ops as ops
import ge.passes as passes

ROOT = Path(__file__).resolve().parents[1]
SOURCE = """
#include "ge-c/Kernels.h"
int ge_add(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self; (void)numArgs; (void)result;
  const float *a = args[0].t->data, *b = args[1].t->data;
  float *out = args[2].t->data;
  for (int64_t i = 0; i < args[0].t->shape[0]; ++i)
    out[i] = a[i] + b[i];
  return 0;
}
/* The kernel alone, so many times. */
void ge_add_calls(int count) {
  float a[4] = {1, 2, 3, 4}, b[4] = {1, 2, 3, 4}, out[4];
  int64_t shape[1] = {4}, strides[1] = {1};
  DLTensor t[3];
  GeAny args[3] = {{0}}, result;
  float *data[3] = {a, b, out};
  for (int i = 0; i < 3; ++i) {
    t[i] = (DLTensor){data[i], {1, 0}, 1, {2, 32, 1}, shape, strides, 0};
    args[i].tag = GE_ANY_TENSOR;
    args[i].t = &t[i];
  }
  int (*volatile kernel)(void *, const GeAny *, int32_t, GeAny *) = ge_add;
  for (int i = 0; i < count; ++i)
    kernel(0, args, 3, &result);
}
typedef GeStatus (*GraphRun)(GeGraphRef *, uint32_t, GeTensor *const *, size_t, GeTensor **,
                             size_t);
/* Runs a graph so many times, as a C program does. */
int ge_graph_runs(GraphRun run, void (*release)(GeTensor *), GeGraphRef *graph, GeTensor *input,
                  int count) {
  for (int i = 0; i < count; ++i) {
    GeTensor *made = 0;
    if (run(graph, 0, &input, 1, &made, 1) != GE_OK)
      return -1;
    release(made);
  }
  return 0;
}
int ge_plus(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self; (void)numArgs;
  result->tag = GE_ANY_INT;
  result->i = args[0].i + args[1].i;
  return 0;
}
/* The same as a function of tvm-ffi, whose convention is this one but for counted tensors. */
int __tvm_ffi_add(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self; (void)numArgs; (void)result;
  const DLTensor *t[3];
  for (int i = 0; i < 3; ++i)
    t[i] = args[i].tag == GE_ANY_TENSOR ? args[i].t : &((GeTensorObject *)args[i].o)->tensor;
  for (int64_t i = 0; i < t[0]->shape[0]; ++i)
    ((float *)t[2]->data)[i] = ((float *)t[0]->data)[i] + ((float *)t[1]->data)[i];
  return 0;
}
int __tvm_ffi_plus(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  return ge_plus(self, args, numArgs, result);
}
"""


# By work and peer.
BUDGETS = {
    ("kernel in Python", "plain call"): "+500",
    ("interpreter, a node", "its C kernel"): "+300",
    ("geGraphRun, a node", "its C kernel"): "+300",
    ("geGraphRun, a node more of 1,000", "of 100"): "x1.5",
    ("C kernel, Tensors, out=", "tvm-ffi, tensors"): "x1.3",
    ("C kernel, NumPy, out=", "tvm-ffi, NumPy"): "x1.3",
    ("C kernel, torch, out=", "torch custom_op"): "x0.25",
    ("function in C", "tvm-ffi, ints"): "x1",
    ("function in Python", "tvm-ffi, Python"): "x1",
    ("object: create", "tvm-ffi class"): "300",
    ("object: read a field", "tvm-ffi class"): "60",
    ("ir.Tensor(ndarray)", "np.from_dlpack"): "x1.5",
    ("fold a node", "its C kernel"): "2000",
    ("import ge.ir", "python alone"): "+6000000",
}


def measure(function: Callable[[], Any], number: int = 5000, runs: int = 7) -> float:
    """Return nanoseconds per call: the median of several runs."""
    timer = timeit.Timer(function, timer=time.process_time)  # the machine may be busy
    timer.timeit(number)
    return statistics.median(timer.repeat(runs, number)) / number * 1e9


def shared_library(directory: str) -> str | None:
    """Build the library of kernels in C and return its path; None without a compiler."""
    if shutil.which("cc") is None:
        return None
    source, made = Path(directory, "kernels.c"), Path(directory, "kernels.so")
    source.write_text(SOURCE)
    command = ["cc", "-O2", "-shared", "-fPIC", f"-I{ROOT / 'include'}", "-o", made, source]
    subprocess.run([str(part) for part in command], check=True)
    return str(made)


def peer_functions(shared: str) -> tuple[Any, Any] | None:
    """Return the functions of the library, loaded by tvm-ffi; None if it is not installed."""
    try:
        import tvm_ffi
    except ImportError:
        return None
    module = tvm_ffi.load_module(shared)
    return module.add, module.plus


def beside_torch(lib: Any) -> list[tuple[str, float, str, float]]:
    """Return the rows of calls with PyTorch tensors, compared with PyTorch's dispatcher; none if it is not installed."""
    try:
        import torch
    except ImportError:
        return []
    a, b, out = torch.ones(4), torch.ones(4), torch.empty(4)
    add = ops.call.bench.add
    given = torch.ones(4)

    def its(x: torch.Tensor, *, k: float = 1.0) -> torch.Tensor:
        return given

    # An explicit schema: the annotations in this file are strings, from which torch cannot infer one.
    operator = torch.library.custom_op(
        "bench_peer::nothing", its, mutates_args=(), schema="(Tensor x, *, float k=1.0) -> Tensor"
    )
    lib.define("nothing_torch(Tensor x, *, float k=1.0) -> Tensor")
    lib.impl("nothing_torch", "cpu", its, as_="torch")
    nothing = ops.call.bench.nothing_torch
    aten = torch.ops.aten.add.out
    return [
        (
            "C kernel, torch, out=",
            measure(lambda: add(a, b, out=out)),
            "torch.ops.aten",
            measure(lambda: aten(a, b, out=out)),
        ),
        (
            "C kernel, torch, out=",
            measure(lambda: add(a, b, out=out)),
            "torch custom_op",
            measure(lambda: operator(a, k=2.0)),
        ),
        (
            "Python kernel, torch",
            measure(lambda: nothing(a, k=2.0)),
            "torch custom_op",
            measure(lambda: operator(a, k=2.0)),
        ),
    ]


def objects(lib: Any) -> list[tuple[str, float, str, float]]:
    """Return the rows of a registered class, compared with a plain class with slots."""

    class Plan(ops.Object):
        n: int
        factor: float

        def twice(self) -> int:
            return self.n * 2

    class Plain:
        __slots__ = ("factor", "n")

        def __init__(self, n: int, factor: float) -> None:
            self.n, self.factor = n, factor

        def twice(self) -> int:
            return self.n * 2

    made = lib.cls()(Plan)
    own, plain = made(1, 2.0), Plain(1, 2.0)
    found = [
        ("object: create", measure(lambda: made(1, 2.0)), "slots", measure(lambda: Plain(1, 2.0))),
        ("object: read a field", measure(lambda: own.n), "slots", measure(lambda: plain.n)),
        ("object: method", measure(lambda: own.twice()), "slots", measure(lambda: plain.twice())),
    ]
    try:
        from tvm_ffi import Object
        from tvm_ffi.dataclasses import py_class
    except ImportError:
        return found

    class Peer(Object):
        __annotations__ = {"n": int, "factor": float}

    its: Any = py_class("bench.Peer")(Peer)
    other = its(1, 2.0)
    found += [
        ("object: create", measure(lambda: made(1, 2.0)), "tvm-ffi class", measure(lambda: its(1, 2.0))),
        ("object: read a field", measure(lambda: own.n), "tvm-ffi class", measure(lambda: other.n)),
    ]  # fmt: skip
    return found


def chain(op: str, count: int, array: Any) -> ir.Graph:
    """Return a graph with a chain of `count` nodes."""
    type_ = ir.Tensor(array).type
    graph = ir.Graph("chain")
    value = graph.add_input("x", type_)
    for _ in range(count):
        value = graph.add_node(op, [value, value][: 1 + op.endswith("add")], result_types=[type_])
        value = value.result
    graph.outputs = [value]
    return graph


def per_node(op: str, array: Any) -> float:
    """Return the nanoseconds that each node adds to a run of a graph, including its kernel."""
    short, long = chain(op, 100, array), chain(op, 1100, array)
    times = [measure(lambda graph=graph: graph.run([array]), 20) for graph in (short, long)]
    return (times[1] - times[0]) / 1000


class Capsule(ctypes.Structure):
    """The struct GePythonCapsule of ge-python/interop.h."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("abi", ctypes.c_int),
        ("core", ctypes.c_void_p),
        ("package", ctypes.c_char_p),
        ("library", ctypes.c_char_p),
        ("object", ctypes.c_void_p),
    ]

    @classmethod
    def object_of(cls, capsule: Any) -> int:
        """Return the address of the C object in what ``_capi`` gives."""
        name, get = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
        name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        found: int = cls.from_address(get(capsule, name(capsule))).object
        return found


def from_c(peer: ctypes.CDLL, array: Any, plain: float) -> list[tuple[str, float, str, float]]:
    """Return the rows of warm graph runs by a C program: a node, beside its kernel, in graphs of two sizes."""
    [file] = Path(ge._mlir_like.__path__[0], "_ge").glob("libGE*.so*")
    lib = ctypes.CDLL(str(file))

    def run(count: int) -> float:
        graph = chain("bench.add", count, array)
        held = graph._capi, ir.Tensor(array, context=graph.context)._capi
        own, tensor = (ctypes.c_void_p(Capsule.object_of(c)) for c in held)

        def runs() -> None:
            assert peer.ge_graph_runs(lib.geGraphRun, lib.geTensorRelease, own, tensor, 20) == 0

        return measure(runs, 20) / 20

    empty, short, long = run(1), run(100), run(1000)
    node, more = (short - empty) / 99, (long - short) / 900
    return [
        ("geGraphRun, a node", node, "its C kernel", plain),
        ("geGraphRun, a node more of 1,000", more, "of 100", node),
    ]


def interpreter(shared: str, array: Any) -> list[tuple[str, float, str, float]]:
    """Return the rows of graph runs: a node compared with a call of its C kernel from C, and one with a Python kernel."""
    peer = ctypes.CDLL(shared)
    peer.ge_add_calls.restype = None
    count = 100_000
    plain = measure(lambda: peer.ge_add_calls(count), 5) / count
    python = measure(lambda: array * np.float32(1), 5000)
    return [
        ("interpreter, a node", per_node("bench.add", array), "its C kernel", plain),
        ("interpreter, in Python", per_node("bench.double", array), "its work", python),
        *from_c(peer, array, plain),
    ]


def fold(array: Any) -> float:
    """Return the nanoseconds for folding a node with its kernel in C."""
    pipeline = passes.PassManager.parse("constant-fold")

    def folded(count: int) -> float:
        graph = ir.Graph("chain")
        value = graph.add_node("ge.Const", [], {"value": array}).result
        for _ in range(count):
            value = graph.add_node(
                "bench.add", [value, value], result_types=[ir.Tensor(array).type]
            ).result
        last = graph.add_node("onnx.Identity", [value], result_types=[ir.Tensor(array).type])
        graph.outputs = [last.result]  # outputs are not folded
        times = []
        for _ in range(7):
            copy = graph.clone()
            start = time.process_time()
            pipeline.run(copy)
            times.append(time.process_time() - start)
        assert len(copy.nodes) == 2
        return statistics.median(times) * 1e9

    return (folded(2000) - folded(200)) / 1800


def imported() -> list[tuple[str, float, str, float]]:
    """Return the processor time of a process that imports ``ge.ir``, and of one that imports nothing."""

    def of(code: str) -> float:
        times = []
        for _ in range(15):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", code], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
        return statistics.median(times) * 1e9

    return [("import ge.ir", of("import ge.ir"), "python alone", of("pass"))]


def rows() -> list[tuple[str, float, str, float]]:
    """Measure all rows; return for each GE's work and time, the peer and its time."""
    a, b, out = np.ones(4, "f4"), np.ones(4, "f4"), np.empty(4, "f4")
    found: list[tuple[str, float, str, float]] = []
    with ops.Library("bench") as lib, tempfile.TemporaryDirectory() as directory:
        lib.define("nothing(Tensor x, *, float k=1.0) -> Tensor")
        result = np.ones(4, "f4")
        lib.impl("nothing", "cpu", lambda x, *, k: result, as_="numpy")

        def plain(x: Any, *, k: float) -> Any:
            return result

        call = ops.call.bench.nothing
        base = measure(lambda: plain(a, k=2.0))
        found.append(("kernel in Python", measure(lambda: call(a, k=2.0)), "plain call", base))
        shared = shared_library(directory)
        if shared is not None:
            lib.define("add(Tensor a, Tensor b) -> Tensor", traits=["pure"])
            lib.infer("add")(lambda asked: [asked.operand_types[0]])
            lib.impl("add", "cpu", symbol=(shared, "ge_add"), out=True)
            lib.define("plus(int a, int b) -> int")
            lib.impl("plus", "any", symbol=(shared, "ge_plus"))
            lib.define("double(Tensor x) -> Tensor")
            lib.infer("double")(lambda asked: [asked.operand_types[0]])
            lib.impl("double", "cpu", lambda x: x * np.float32(1), as_="numpy")
            found += interpreter(shared, a)
            found.append(("fold a node", fold(a), "its C kernel", found[-2][3]))
            add, plus = ops.call.bench.add, ops.call.bench.plus
            s, t = ir.Tensor(a), ir.Tensor(b)
            own = {
                "C kernel, Tensors, out=": lambda: add(s, t, out=out),
                "C kernel, NumPy, out=": lambda: add(a, b, out=out),
                "C kernel, NumPy": lambda: add(a, b),
                "function in C": lambda: plus(1, 2),
            }
            numpy = {"np.add, out=": lambda: np.add(a, b, out=out), "np.add": lambda: np.add(a, b)}
            found += against(own, ["C kernel, NumPy, out="], numpy, "np.add, out=")
            found += against(own, ["C kernel, NumPy"], numpy, "np.add")
            found += beside_torch(lib)
            functions = peer_functions(shared)
            if functions is not None:
                import tvm_ffi

                its_add, its_plus = functions
                x, y, z = (tvm_ffi.from_dlpack(array) for array in (a, b, out))
                peers = {
                    "tvm-ffi, tensors": lambda: its_add(x, y, z),
                    "tvm-ffi, NumPy": lambda: its_add(*map(tvm_ffi.from_dlpack, (a, b, out))),
                    "tvm-ffi, ints": lambda: its_plus(1, 2),
                }
                found += against(own, ["C kernel, Tensors, out="], peers, "tvm-ffi, tensors")
                found += against(own, ["C kernel, NumPy, out="], peers, "tvm-ffi, NumPy")
                found += against(own, ["function in C"], peers, "tvm-ffi, ints")
            else:
                found.append(
                    (
                        "C kernel, Tensors, out=",
                        measure(own["C kernel, Tensors, out="]),
                        "plain call",
                        base,
                    )
                )
                peer = measure(lambda: max(1, 2))
                found.append(("function in C", measure(own["function in C"]), "max(1, 2)", peer))
        lib.function("bench::inc(int x, int y) -> int", lambda x, y: x + y)
        inc = ops.function("bench::inc")

        def plain_inc(x: int, y: int) -> int:
            return x + y

        peer = measure(lambda: plain_inc(1, 2))
        found.append(("function in Python", measure(lambda: inc(1, 2)), "plain call", peer))
        with contextlib.suppress(ImportError):
            import tvm_ffi

            its = tvm_ffi.convert(plain_inc)
            peer = measure(lambda: its(1, 2))
            found.append(
                ("function in Python", measure(lambda: inc(1, 2)), "tvm-ffi, Python", peer)
            )
        found += objects(lib)
        peer = measure(lambda: np.from_dlpack(a))
        found.append(("ir.Tensor(ndarray)", measure(lambda: ir.Tensor(a)), "np.from_dlpack", peer))
    return found + imported()


def against(
    own: dict[str, Callable[[], Any]],
    names: list[str],
    peers: dict[str, Callable[[], Any]],
    peer: str,
) -> list[tuple[str, float, str, float]]:
    """Return rows that compare the works `names` with one peer."""
    other = measure(peers[peer])
    return [(name, measure(own[name]), peer, other) for name in names]


def main() -> int:
    """Print the table."""
    print(
        f"{'work':24} {'GE ns':>10} {'peer':>16} {'peer ns':>10} {'ratio':>8} {'must be':>9} holds"
    )
    for name, own, peer, other in rows():
        budget = BUDGETS.get((name, peer), "")
        words = "" if not budget else "yes" if own <= limit(budget, other) else "no"
        print(
            f"{name:24} {own:10.0f} {peer:>16} {other:10.0f} {own / other:8.2f} {budget:>9} {words}"
        )
    files = [f for f in Path(ge._mlir_like.__path__[0]).rglob("*.so*") if not f.is_symlink()]
    print(f"native files: {sum(f.stat().st_size for f in files) / 1e6:.1f} MB")
    return 0


def limit(budget: str, other: float) -> float:
    """Return a budget in nanoseconds, given the peer's time."""
    if budget.startswith("x"):
        return float(budget[1:]) * other
    return float(budget) + (other if budget.startswith("+") else 0)


if __name__ == "__main__":
    sys.exit(main())
