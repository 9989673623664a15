"""Kernels in plain C: a calling convention of 16-byte values; a kernel library imports no symbol of GE."""

import gc
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from needs import CC
from places import SUPPORT

import ge.ir as ir
import ge.ops as ops

ROOT = Path(__file__).resolve().parents[3]
pytestmark = CC

X = np.arange(6, dtype="f4").reshape(2, 3)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("kernels") / "kernels.so"
    source = SUPPORT / "kernels.c"
    command = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]
    command += [f"-I{ROOT / 'include'}", "-o", str(made), str(source)]
    subprocess.run(command, check=True)
    return made


@pytest.fixture
def lib() -> Iterator[Any]:
    with ops.Library("kc") as library:
        yield library


def same(call: Any) -> Any:
    return [call.operand_types[0]]


def test_a_kernel_library_needs_no_symbol_of_ge(shared: Path) -> None:
    command = ["nm", "-D", "--undefined-only", str(shared)]
    if shutil.which("nm") is None:
        pytest.skip("needs package binutils")
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    names = [line.split()[-1] for line in text.splitlines()]
    assert names
    assert not [name for name in names if name.startswith(("ge", "Ge"))]


def test_a_kernel_writes_results_that_inference_allocates(lib: Any, shared: Path) -> None:
    lib.define("scale(Tensor x, *, float factor=1.0) -> Tensor", traits=["pure"])
    lib.infer("scale")(same)
    lib.impl("scale", "cpu", symbol=(shared, "scale"), out=True)
    assert (ops.call.kc.scale(X, factor=2.0) == X * 2).all()
    tensor = ops.call.kc.scale(ir.Tensor(X), factor=3)
    assert type(tensor) is ir.Tensor
    assert (tensor.numpy() == X * 3).all()
    out = np.empty((2, 3), "f4")
    assert ops.call.kc.scale(X, factor=2.0, out=out) is out
    assert (out == X * 2).all()
    wide = np.zeros((2, 6), "f4")
    ops.call.kc.scale(X, factor=2.0, out=wide[:, ::2])
    assert (wide[:, ::2] == X * 2).all()
    assert (ops.call.kc.scale(X.T, factor=2.0) == X.T * 2).all()
    assert ops.call.kc.scale(np.zeros((0, 3), "f4")).shape == (0, 3)
    with pytest.raises(
        ops.KernelError, match=r"kc::scale: kernel cpu \(.*\) failed: x must be f32"
    ):
        ops.call.kc.scale(X.astype("f8"))
    (kernel,) = ops.get("kc::scale").proto().kernels
    assert (kernel.backend, kernel.file) == ("cpu", __file__)


def test_strided_kernels_get_strides(lib: Any, shared: Path) -> None:
    lib.define("corner(Tensor x) -> float")
    lib.impl("corner", "cpu", symbol=(shared, "corner"), strided=True)
    assert ops.call.kc.corner(X) == X[-1, -1]
    assert ops.call.kc.corner(X.T) == X[-1, -1]
    assert ops.call.kc.corner(X[::-1, ::-1]) == X[0, 0]


def test_written_operands(lib: Any, shared: Path) -> None:
    lib.define("add_(Tensor(a!) x, int k=1) -> Tensor(a!)")
    lib.impl("add_", "cpu", symbol=(shared, "addInPlace"))
    array = X.copy()
    assert ops.call.kc.add_(array) is array
    assert (array == X + 1).all()
    assert ops.call.kc.add_(array.T, 2) is not array
    assert (array == X + 3).all()


def test_arrays_in_lists_keep_their_rank_and_are_written(lib: Any, shared: Path) -> None:
    lib.define("ranks(Tensor[] x) -> int")
    lib.impl("ranks", "cpu", symbol=(shared, "ranks"))
    assert ops.call.kc.ranks([np.float32(1).reshape(()), X[0], X.T]) == 12  # ranks 0, 1, 2
    lib.define("addEach_(Tensor(a!)[] x) -> ()")
    lib.impl("addEach_", "cpu", symbol=(shared, "addEach"), out=True)
    compact, other = X.copy(), X.copy()
    assert ops.call.kc.addEach_([compact, other.T]) is None
    assert (compact == X + 1).all()
    assert (other == X + 1).all()


def test_each_kind_of_argument(lib: Any, shared: Path) -> None:
    lib.define(
        "kinds(bool b, int i, float f, str s, Bytes c, int[] l, ScalarType d, Tensor? t=None) -> int"
    )
    lib.impl("kinds", "cpu", symbol=(shared, "kinds"))
    assert ops.call.kc.kinds(True, -5, 0.5, "text", b"a\0b", [7, 8], "bf16") == 9 + 8


def test_results_of_the_kernel_are_given_back_once(lib: Any, shared: Path) -> None:
    lib.define("one(int k) -> Tensor")
    lib.define("two(int k) -> (Tensor, Tensor)")
    lib.define("freed() -> int")
    lib.define("text() -> str")
    lib.impl("one", "any", symbol=(shared, "makeOne"))
    lib.impl("two", "any", symbol=(shared, "makeTwo"))
    lib.impl("freed", "any", symbol=(shared, "countFreed"))
    lib.impl("text", "any", symbol=(shared, "smallText"))
    before = ops.call.kc.freed()
    one = ops.call.kc.one(5)
    assert one.tolist() == [5, 6, 7, 8]
    part = one[1:]
    a, b = ops.call.kc.two(1)
    assert (a[0], b[0]) == (1, 11)
    del one
    gc.collect()
    assert ops.call.kc.freed() == before
    assert part.tolist() == [6, 7, 8]
    del part, a
    gc.collect()
    assert ops.call.kc.freed() == before + 2
    del b
    gc.collect()
    assert ops.call.kc.freed() == before + 3
    assert ops.call.kc.text() == "abc"


def test_what_a_kernel_may_not_do(lib: Any, shared: Path) -> None:
    lib.define("bad(int how) -> Tensor")
    lib.impl("bad", "any", symbol=(shared, "bad"))
    texts = [
        r"kc::bad: kernel any \(.*test_kernels_c.py:\d+\) failed: boo",
        "failed without a message",
        "gave a value of tag 8, which is not a valid result",
        "gave a value of tag 7",
        "gave a value of tag 9",
        "gave a value of tag 1000",
        "gave None for result 0",
    ]
    for how, text in [
        *enumerate(texts),
        (8, "gave a value of tag 69, which is not a valid result"),
        (9, "gave a value of tag 100, which is not a valid result"),
        (10, r"gave a tensor of shape \[4\]: 'data' is NULL"),
        (12, "failed without a message"),
        (13, "gave a value of tag 70, which is not a valid result"),
    ]:
        with pytest.raises(ops.KernelError, match=text):
            ops.call.kc.bad(how)


def test_objects_of_other_classes_are_handles_and_are_freed(lib: Any, shared: Path) -> None:
    lib.define("bad(int how) -> Any")
    lib.impl("bad", "any", symbol=(shared, "bad"))
    lib.define("freed() -> int")
    lib.impl("freed", "cpu", symbol=(shared, "countFreed"))
    lib.define("same(Any value) -> Any")
    lib.impl("same", "cpu", symbol=(shared, "same"))
    before = ops.call.kc.freed()
    made = [ops.call.kc.bad(11) for _ in range(5)]
    assert repr(made[0]) == "<object of tag 200>"
    assert repr(ops.call.kc.same(made[0])) == "<object of tag 200>"
    assert ops.call.kc.freed() == before
    del made
    gc.collect()
    assert ops.call.kc.freed() == before + 5
    for how in (10, 12):  # invalid results and invalid error objects are freed, too
        with pytest.raises(ops.KernelError):
            ops.call.kc.bad(how)
    gc.collect()
    assert ops.call.kc.freed() == before + 7


def test_a_kernel_in_hand_sees_arguments_of_its_schema_alone(lib: Any, shared: Path) -> None:
    lib.define("inc_(Tensor(a!) x, *, int by=1) -> Tensor(a!)")
    lib.impl("inc_", "cpu", symbol=(shared, "increase"))
    lib.define("scale(Tensor x, *, float factor=1.0) -> Tensor")
    lib.impl("scale", "cpu", symbol=(shared, "scale"), out=True)
    increase, scale = ops.kernel("kc::inc_").function, ops.kernel("kc::scale").function
    array = np.zeros(3, "f4")
    increase(array, 2)
    assert array.tolist() == [2, 2, 2]
    out = np.zeros(3, "f4")
    scale(array, 2, out)
    assert out.tolist() == [4, 4, 4]
    fixed = np.zeros(3, "f4")
    fixed.flags.writeable = False
    for function, given, kind, text in (
        (increase, (), ops.BindError, "takes 2 arguments, got 0"),
        (increase, (array, 1, array), ops.BindError, "takes 2 arguments, got 3"),
        (increase, (3, 1), ops.BindError, "'x'"),
        (increase, (array, "a"), ops.BindError, "'by'"),
        (increase, (ir.Tensor(array), 1), TypeError, "operand 'x' is written, and a Tensor is"),
        (increase, (fixed, 1), ValueError, "operand 'x' is written, and is read-only"),
        (scale, (array, 2.0), ops.BindError, "2 arguments and 1 arrays for results, got 2"),
        (scale, (array, 2.0, 3), TypeError, "the array for result 0 is a int"),
        (scale, (array, 2.0, fixed), ValueError, "the array for result 0 is written, and is read"),
    ):
        with pytest.raises(kind, match=text):
            function(*given)
    assert not fixed.any()


def test_an_unknown_object_inside_an_array_is_freed_with_it(lib: Any, shared: Path) -> None:
    lib.define("bad(int how) -> Tensor")
    lib.impl("bad", "any", symbol=(shared, "bad"))
    lib.define("freed() -> int")
    lib.impl("freed", "cpu", symbol=(shared, "countFreed"))
    before = ops.call.kc.freed()
    with pytest.raises(
        ops.KernelError, match="gave a tuple of 2 for result 0, which is not an array"
    ):
        ops.call.kc.bad(7)
    gc.collect()
    assert ops.call.kc.freed() == before + 2


def test_what_cannot_be_loaded(lib: Any, shared: Path, tmp_path: Path) -> None:
    lib.define("f() -> int")
    with pytest.raises(OSError, match="cannot be loaded"):
        lib.impl("f", "cpu", symbol=(tmp_path / "none.so", "f"))
    text = tmp_path / "text.so"
    text.write_text("not a library")
    with pytest.raises(OSError, match="cannot be loaded"):
        lib.impl("f", "cpu", symbol=(text, "f"))
    with pytest.raises(KeyError, match="has no symbol 'nothing'"):
        lib.impl("f", "cpu", symbol=(shared, "nothing"))
    with pytest.raises(TypeError, match="not both"):
        lib.impl("f", "cpu", lambda: 1, symbol=(shared, "countFreed"))
    assert not ops.kernels("kc::f")


@pytest.mark.slow
def test_eight_threads_while_the_library_closes(shared: Path) -> None:
    with ops.Library("kc") as home:
        home.define("scale(Tensor x, *, float factor=1.0) -> Tensor")
        home.infer("scale")(same)
        stop = threading.Event()
        wrong: list[Any] = []

        def work() -> None:
            while not stop.is_set():
                try:
                    value = ops.call.kc.scale(X, factor=2.0)
                except NotImplementedError:
                    continue
                except Exception as error:
                    wrong.append(error)
                    return
                if not (value == X * 2).all():
                    wrong.append(value)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for _ in range(50):
            with ops.Library("kc", kind="IMPL") as library:
                library.impl("scale", "cpu", symbol=(shared, "scale"), out=True)
                ops.call.kc.scale(X)
        stop.set()
        for thread in threads:
            thread.join()
        assert not wrong


def test_learned_calls_of_c_kernels_give_what_the_first_gave(lib: Any, shared: Path) -> None:
    lib.define("scale(Tensor x, *, float factor=1.0) -> Tensor")
    lib.infer("scale")(same)
    lib.impl("scale", "cpu", symbol=(shared, "scale"), out=True)
    scale = ops.call.kc.scale
    for x in (X, X.T, X[:, ::-1], ir.Tensor(X), X[:0], np.broadcast_to(X, (2, 2, 3))):
        expected = np.asarray(x) * 2
        for _ in range(4):
            result = scale(x, factor=2)
            assert type(result) is type(x)
            assert np.array_equal(np.asarray(result), expected)
            out = np.empty(expected.shape, "f4")
            assert scale(x, factor=2.0, out=out) is out
            assert np.array_equal(out, expected)
    spread = np.empty((2, 6), "f4")[:, ::2]
    for _ in range(4):
        assert scale(X, factor=3.0, out=spread) is spread
        assert np.array_equal(spread, X * 3)


@pytest.mark.parametrize(
    ("symbol", "text"),
    [
        ("writesBehind", "touches memory behind its arrays"),
        ("readsBefore", "touches memory before its arrays"),
        ("writesOperand", "writes an operand that the schema does not declare"),
        ("freesTwice", "ended a child process with"),
    ],
)
def test_opcheck_finds_what_a_c_kernel_does_outside_of_its_arrays(
    lib: Any, shared: Path, symbol: str, text: str
) -> None:
    lib.define("f(Tensor x) -> Tensor", infer=same)
    lib.impl("f", "cpu", symbol=(shared, symbol), out=True)
    found = ops.opcheck("kc::f", [X], raises=False)
    assert text in found["memory"]
    assert list(found) == ["memory"]  # no other check ran: they call the kernel in this process


def test_opcheck_passes_a_c_kernel_that_keeps_to_its_arrays(lib: Any, shared: Path) -> None:
    lib.define("scale(Tensor x, *, float factor=1.0) -> Tensor", infer=same)
    lib.impl("scale", "cpu", symbol=(shared, "scale"), out=True)
    found = ops.opcheck("kc::scale", [X])
    assert found["memory"] == "SUCCESS"
    assert set(found.values()) == {"SUCCESS"}
