"""Sources that use torch's registration headers build as GE libraries: registration, types, classes, the stable ABI.

The sources follow PyTorch's documentation and are compiled as C++17. Code that must not compile is tested in
test_kernels_torch_refused.py.
"""

import copy
import gc
import pickle
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from native_plugins import INCLUDE
from needs import CC
from places import SUPPORT
from torch_sources import (
    FLAGS,
    A,
    B,
    files,  # noqa: F401 - a fixture
    kinds,  # noqa: F401 - a fixture
)

import ge.ir as ir
import ge.ops as ops

pytestmark = CC


@pytest.mark.slow
@pytest.mark.parametrize(("name", "namespace"), [("tutorial", "fused"), ("stable", "fused_stable")])
def test_both_forms_of_the_tutorial(files: dict[str, Path], name: str, namespace: str) -> None:
    with ops.load_library(files[name]):
        call = getattr(ops.call, namespace)
        for _ in range(3):  # the first calls and a native one
            assert (call.muladd(A, B, 1.5) == A * B + 1.5).all()
        assert (call.muladd(A.T, B.T, 1) == A.T * B.T + 1).all()
        assert isinstance(call.muladd(ir.Tensor(A), ir.Tensor(B), 1.0), ir.Tensor)
        out = np.empty_like(A)
        assert call.add_out(A, B, out) is None
        assert (out == A + B).all()
        empty = np.empty((0, 3), "f4")
        assert call.muladd(empty, empty, 1.0).shape == (0, 3)
        with pytest.raises(ops.KernelError, match=r"sizes\(\).* to be true, but got false\."):
            call.muladd(A, B[:1], 1.0)
        with pytest.raises(ops.KernelError, match="b must be float"):
            call.muladd(A, B.astype("f8"), 1.0)
        place = f"torch_{name}.cpp:"
        assert place in ops.get(f"{namespace}::muladd").proto().kernels[0].file + ":"
    assert ops.find(namespace, "muladd") is None


def test_a_library_needs_no_symbol_of_ge(files: dict[str, Path]) -> None:
    if shutil.which("nm") is None:
        pytest.skip("needs package binutils")
    for path in files.values():
        text = subprocess.run(["nm", "-D", path], capture_output=True, text=True, check=True).stdout
        symbols = [line.split()[-2:] for line in text.splitlines()]
        wanted = [n for k, n in symbols if k == "U"]
        assert not [n for n in wanted if "torch" in n or "c10" in n or n.startswith("geL")]
        mine = [n for k, n in symbols if k not in "Uw" and ("c10" in n or "2at" in n)]
        assert all("ge_torch_headers" in n or "torch_headers" in n for n in mine), mine
        assert not [n for k, n in symbols if k == "u"]


def test_a_handle_in_a_tensor(files: dict[str, Path]) -> None:
    with ops.load_library(files["stable"]):
        handle = ops.call.fused_stable.open("a.mp4")
        assert handle.dtype == np.uint8
        assert ops.call.fused_stable.name_of(handle) == "a.mp4:exact"
        assert (
            ops.call.fused_stable.name_of(ops.call.fused_stable.open("b", mode="fast")) == "b:fast"
        )
        moved = ops.call.fused_stable.moves(A, 1, 1, 2)
        assert (moved == A[:, 1:3].T).all()
        with pytest.raises(ops.KernelError, match="exceeds dimension size"):
            ops.call.fused_stable.moves(A, 1, 2, 2)


def test_arguments_are_bound_by_the_schema(kinds: Any) -> None:
    call = ops.call.kinds
    assert list(call.nms(A, B, topk=200)) == [6, 0.5, 200, 0]
    assert list(call.nms(A, scores=B, normalized=True)) == [6, 0.5, -1, 1]
    first, second = call.topk(A, 5, sorted=False)
    assert list(first) == [5, -1] and (second == 2).all()
    assert (call.clamp(A, max=2.0) == np.minimum(A, 2)).all()
    assert (call.clamp(A.astype("i8"), 1.0, 4.0) == np.clip(A, 1, 4)).all()
    assert list(call.blend((np.ones(2), np.zeros(2)), alpha=0.3)) == [0.3, 0.3]
    stream = np.zeros(3)
    call.add_stream(stream, mappings=None)
    assert list(stream) == [-1, -1, -1]
    call.add_stream(stream, mappings=(A, A, np.zeros(4)))
    assert list(stream) == [4, 4, 4]
    x = np.array([1.0, 3.0])
    assert call.normalize_(x, eps=1e-6) is x
    assert np.allclose(x, 1 / (4 + 1e-6))
    with pytest.raises(ops.BindError, match="axes"):
        call.topk(A, axes=1)
    with pytest.raises(ops.BindError, match="'k'"):
        call.topk(A, 5, k=3)
    with pytest.raises(ops.BindError, match="'scores'"):
        call.nms(A)
    with pytest.raises(ops.BindError):
        call.nms(A, B, 0.5, 1, False)


def test_types_of_arguments_and_results(kinds: Any) -> None:
    call = ops.call.kinds
    text = call.all(
        7, 0.5, True, "text", ir.f32, [1, 2, 3], 4.0, [A, A], None, 3, [True, False], [A]
    )
    assert text == "7 0.5 1 text Float [1, 2, 3] [4, 4] 2 0 3 0 1"
    text = call.all(7, 2, False, "", ir.bf16, [], [1.0, 2.5], [], A, 2.5, [False, True], [None, A])
    assert text == "7 2 0  BFloat16 [] [1, 2.5] 0 1 2.5 1 2"
    assert str(ops.get("kinds::add1")) == "kinds::add1(int _0) -> int"
    assert ops.function("kinds::add1")(2) == 3 and ops.function("kinds::plus")(2) == 42
    assert (
        str(ops.get("kinds::pair")) == "kinds::pair(Tensor _0, str? _1) -> (Tensor, str, Tensor[])"
    )
    assert ops.function("kinds::count")(2, [3, 4]) == 24
    x, y, many = call.pair(A, None)
    assert (x == A).all() and y == "none" and len(many) == 1
    assert (call.late(A) == A.T).all()
    with pytest.raises(ops.KernelError, match="no such element type"):
        call.all(7, 0.5, True, "t", ir.f8e5m2, [], [1.0, 2.0], [], None, 3, [True, False], [])


def test_optional_results_overloads_and_devices(kinds: Any) -> None:
    call = ops.call.kinds
    assert call.maybe(None) is None and (call.maybe(A) == A).all()
    assert (call.maybe(A, "cuda:1") == A).all()
    with pytest.raises(ops.KernelError, match="failed: d is cpu$"):
        call.maybe(A, d="cpu")
    with pytest.raises(ops.KernelError, match="Invalid device string: 'nowhere'"):
        call.maybe(A, d="nowhere")
    out = np.zeros_like(A)
    assert call.copy(A, out=out) is out and (out == A).all() and (call.copy(B) == B).all()


def test_casts_are_numpys(kinds: Any) -> None:
    rng = np.random.default_rng(0)
    with np.errstate(all="ignore"):
        edges = [0, -0.0, np.inf, -np.inf, np.nan, 65504, 65519.9, 65520, 2.0**-24, 2.0**-25]
        x = np.array(edges + [2.0**-25 * 1.0001, 2.0**-14, 1 + 2.0**-11, 1 + 3 * 2.0**-11], "f4")
        x = np.concatenate(
            [x, (rng.normal(size=5000) * 10.0 ** rng.integers(-9, 6, 5000)).astype("f4")]
        )
        for dtype in (ir.f16, ir.bf16, ir.f64, ir.f32):
            cast = ops.call.kinds.cast(x, dtype)
            assert cast.dtype == dtype.numpy
            assert (cast.view("u1") == x.astype(dtype.numpy).view("u1")).all(), dtype
            assert np.array_equal(
                ops.call.kinds.cast(cast, ir.f32), cast.astype("f4"), equal_nan=True
            )
    numbers = rng.integers(-200, 200, 100)
    for dtype in (ir.i8, ir.i16, ir.i32, ir.u8, ir.u16, ir.u64, ir.f32, ir.i1):
        assert (ops.call.kinds.cast(numbers, dtype) == numbers.astype(dtype.numpy)).all()
    assert list(ops.call.kinds.cast(np.array([1.9, -1.9, 0.5]), ir.i64)) == [1, -1, 0]
    assert (ops.call.kinds.cast(x[::-3], ir.f64)[:3] == x[::-3][:3].astype("f8")).all()


@pytest.mark.slow
@pytest.mark.nosan  # the program is built with its own sanitizer
def test_values_under_sanitizers(tmp_path: Path) -> None:
    program = tmp_path / "values"
    command = ["c++", "-g", "-Wall", "-Wextra", "-Werror", *FLAGS, f"-I{INCLUDE}"]
    command += ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    subprocess.run([*command, str(SUPPORT / "torch_values.cpp"), "-o", str(program)], check=True)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_what_a_kernel_throws(kinds: Any) -> None:
    throws = ops.function("kinds::throws")
    texts = {
        0: "failed: kind is 0$",
        1: "failed: ValueError: value$",
        2: "failed: TypeError: type$",
        3: "failed: NotImplementedError: later$",
        4: r"failed: kind != 4 INTERNAL ASSERT FAILED at .*torch_kinds\.cpp:\d+",
        5: "failed: plain$",
        6: "failed: threw an exception that is not a std::exception$",
        7: r"failed: Check failed: kind == 8 \(7 vs\. 8\)\. $",
    }
    for kind, text in texts.items():
        with pytest.raises(ops.KernelError, match=text):
            throws(kind)
    assert throws(8) == 8
    with pytest.raises(ops.KernelError, match=r"\"clamp\" not implemented for 'Bool'"):
        ops.call.kinds.clamp(np.ones(2, bool))
    with pytest.raises(ops.KernelError, match=r"which the schema does not declare"):
        ops.call.kinds.itself(A)


class OnAnotherDevice:
    """An array of a framework on another device than the CPU."""

    shape, dtype = (2, 3), np.dtype("f4")

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)

    def __dlpack__(self, **_: Any) -> Any:
        raise BufferError("not from here")


def test_keys_are_backends(kinds: Any, files: dict[str, Path]) -> None:
    assert [k[0] for k in ops.kernels("kinds::topk")] == ["cpu"]
    assert [k[0] for k in ops.kernels("kinds::clamp")] == ["any"]
    assert [k[0] for k in ops.kernels("kinds::late")] == ["cpu", "cuda"]
    remarks = "\n".join(kinds.remarks)
    assert "kinds::topk: the kernel for Meta" in remarks
    assert "kinds::nms: the kernel for Autograd" in remarks
    assert "kinds.fakes" in remarks and len(kinds.remarks) == 3
    with (
        ops.load_library(files["tutorial"]),
        pytest.raises(Exception, match="no kernel for cuda; it has cpu"),
    ):
        ops.call.fused.mul(OnAnotherDevice(), OnAnotherDevice())


def test_a_kernel_may_keep_its_operand(kinds: Any) -> None:
    for make in (lambda: A.copy(), lambda: ir.Tensor(A)):
        for _ in range(3):
            ops.call.kinds.keep(make())
            gc.collect()
            np.zeros(10_000)  # would reuse the memory if the kernel did not own it
            assert (ops.function("kinds::kept")() == A).all()
    ops.function("kinds::drop")()


def test_results_outlive_their_library(files: dict[str, Path]) -> None:
    library = ops.load_library(files["tutorial"])
    mul = ops.call.fused.mul
    y = mul(A, B)
    library.close()
    del library
    gc.collect()
    assert (y == A * B).all()
    with pytest.raises((KeyError, NotImplementedError)):
        mul(A, B)
    with ops.load_library(files["tutorial"]):
        assert (ops.call.fused.mul(A, B) == A * B).all()


def test_kernels_serve_graphs_and_folding(kinds: Any) -> None:
    graph = ir.Graph.parse(
        """func.func @main(%x: tensor<2x3xf32>) -> tensor<?x?xf32> {
  %y = "kinds.clamp"(%x) {max = 2.0 : f32} : (tensor<2x3xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
"""
    )
    (y,) = graph.run([A])
    assert (y == np.minimum(A, 2)).all()


def test_eight_threads(kinds: Any) -> None:
    wrong = []

    def work(k: int) -> None:
        x = np.full((8, 2), k, "f4")
        for _ in range(50):
            if not (ops.call.kinds.clamp(x, max=3.0) == min(k, 3)).all():
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# --- Classes


def test_classes_of_cpp(kinds: Any) -> None:
    Stack = ops.classes.kinds.Stack
    stack = Stack([1, 2])
    assert issubclass(Stack, ops.Object) and type(stack) is Stack
    assert str(ops.get("kinds.Stack::init")) == "kinds.Stack::init(int[] items=[]) -> kinds.Stack"
    assert (
        str(ops.get("kinds.Stack::push")) == "kinds.Stack::push(kinds.Stack self, int item=7) -> ()"
    )
    stack.push(5)
    stack.push()
    assert len(stack) == 4 and stack.pop() == 7
    assert list(stack.tensor()) == [1, 2, 5]
    assert stack.factor == 2.0 and stack.top == 1
    stack.factor = 3
    assert stack.factor == 3.0
    with pytest.raises(AttributeError):
        stack.top = 2
    with pytest.raises(AttributeError):
        stack.unknown = 2
    with pytest.raises(ops.BindError):
        stack.push("a")
    assert len(Stack()) == 0 and len(Stack.of(3)) == 1
    with pytest.raises(ops.KernelError, match="IndexError: pop from an empty stack"):
        Stack().pop()
    assert repr(stack) == "kinds.Stack(top=1, factor=3.0)"


def test_an_object_stays_itself(kinds: Any) -> None:
    Stack = ops.classes.kinds.Stack
    stack = Stack([1, 2])
    same = ops.function("kinds::same")
    assert same(stack) is stack and same(stack) == stack and hash(same(stack)) == hash(stack)
    other = stack.copy()
    assert other is not stack and other != stack and len(other) == 2
    result = ops.call.kinds.sum(stack, np.zeros((2, 2)))
    assert (result == 6).all()
    assert "kinds::sum(kinds.Stack s, Tensor x) -> Tensor" in str(ops.get("kinds::sum"))
    again = pickle.loads(pickle.dumps(stack))
    assert type(again) is Stack and list(again.tensor()) == [1, 2]
    assert len(copy.deepcopy(stack)) == 2
    bare = ops.classes.kinds.Bare.make()
    with pytest.raises(TypeError, match=r"kinds\.Bare has no constructor"):
        ops.classes.kinds.Bare()
    with pytest.raises(TypeError, match=r"kinds\.Bare cannot be pickled"):
        pickle.dumps(bare)
    with pytest.raises(ops.BindError, match=r"kinds\.Stack"):
        same(bare)
    with pytest.raises(ops.BindError, match=r"kinds\.Stack"):
        same(3)


def test_objects_are_given_back(kinds: Any) -> None:
    Stack = ops.classes.kinds.Stack
    gc.collect()
    before = Stack.alive()
    stacks = [Stack([k]) for k in range(10)]
    for stack in stacks:
        ops.function("kinds::same")(stack)
        stack.copy()
    assert Stack.alive() == before + 10
    del stacks, stack
    gc.collect()
    assert Stack.alive() == before


def test_objects_outlive_their_library(files: dict[str, Path]) -> None:
    library = ops.load_library(files["kinds"])
    Stack = ops.classes.kinds.Stack
    stack = Stack([4])
    library.close()
    assert repr(stack) == "kinds.Stack(top=4, factor=2.0)"
    with pytest.raises((KeyError, ir.GEError)):
        Stack([1])
    with pytest.raises(AttributeError, match=r"there is no class"):
        ops.classes.kinds  # noqa: B018
    with ops.load_library(files["kinds"]):
        assert ops.classes.kinds.Stack is not Stack
        assert len(ops.classes.kinds.Stack([1])) == 1
    del stack
    gc.collect()
