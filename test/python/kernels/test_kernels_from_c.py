"""C callers run kernels in Python on any thread: geKernelCall, on which geOpCall and geGraphRun are built."""

import gc
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from kernel_calls import FLOAT, INT, Any16, call, release, tensor_argument, tensor_result

import ge.ir as ir
import ge.ops as ops


@pytest.fixture
def lib() -> Iterator[Any]:
    with ops.Library("kfc") as opened:
        yield opened


X = np.arange(6, dtype="f4").reshape(2, 3)


def test_what_a_kernel_in_python_writes_is_in_the_callers_memory(lib: Any) -> None:
    lib.define("twice(Tensor x, Tensor(a!) count) -> Tensor")
    lib.infer("twice")(lambda call: [call.operand_types[0]])
    kept: list[Any] = []

    @lib.impl("twice", "cpu", out=True)
    def twice(x: Any, count: Any, out: Any) -> None:
        kept.extend((count, out))
        count += 1
        out[...] = x.numpy() * 2

    keep: list[Any] = []
    x, count, out = X.copy(), np.zeros(2, "f4"), np.full((2, 3), -1, "f4")
    _, text = call("kfc::twice", *(tensor_argument(array, keep) for array in (x, count, out)))
    assert not text
    assert count.tolist() == [1, 1]
    assert (out == X * 2).all()
    for array in kept:  # the arrays that the kernel kept do not alias the caller's memory
        array[...] = 9
    assert count.tolist() == [1, 1]
    assert (out == X * 2).all()
    for several in ((x, count), (x, count, out, out)):
        _, text = call("kfc::twice", *(tensor_argument(array, keep) for array in several))
        assert f"takes 3 arguments, got {len(several)}" in text


def test_a_failed_kernel_writes_nothing(lib: Any) -> None:
    lib.define("fill_(Tensor(a!) x) -> ()")

    @lib.impl("fill_", "cpu")
    def fill(x: Any) -> None:
        x[...] = 9
        raise ValueError("boo")

    keep: list[Any] = []
    x = np.zeros(2, "f4")
    _, text = call("kfc::fill_", tensor_argument(x, keep))
    assert text.endswith("failed: ValueError: boo")
    assert x.tolist() == [0, 0]


def test_a_global_function_in_python_is_called_from_c(lib: Any) -> None:
    lib.function("kfc::add(int a, float b) -> float", lambda a, b: a + b)
    result, text = call("kfc::add", Any16(tag=INT, i=2), Any16(tag=FLOAT, f=0.5))
    assert not text
    assert (result.tag, result.f) == (FLOAT, 2.5)


@pytest.mark.parametrize("as_", [None, "numpy"])
def test_tensors_are_the_kernels_own_and_results_the_callers(lib: Any, as_: "str | None") -> None:
    lib.define("scale(Tensor x, *, float k=1.0) -> Tensor")
    kept: list[Any] = []

    def scale(x: Any, *, k: float) -> Any:
        kept.append(x)
        assert type(x) is (np.ndarray if as_ else ir.Tensor)
        made = np.asarray(x) * np.float32(k)
        owners.append(weakref.ref(made))
        return made

    owners: list[Any] = []
    lib.impl("scale", "cpu", scale, as_=as_)
    keep: list[Any] = []
    array = X.copy()
    result, text = call("kfc::scale", tensor_argument(array, keep), Any16(tag=FLOAT, f=2.0))
    assert not text
    array[:] = 7  # the kernel keeps a copy
    assert (np.asarray(kept[0]) == X).all()
    assert (tensor_result(result) == X * 2).all()
    gc.collect()
    assert owners[0]() is not None
    release(result)
    gc.collect()
    assert owners[0]() is None


def test_what_a_kernel_raises_is_the_text_of_the_failure(lib: Any) -> None:
    def boo(n: int) -> int:
        raise ValueError("boo") if n else SystemExit(3)

    lib.function("kfc::boo(int n) -> int", boo)
    for n, said in ((1, "ValueError: boo"), (0, "SystemExit: 3")):
        _, text = call("kfc::boo", Any16(tag=INT, i=n))
        assert text.startswith("kfc::boo: kernel any (")
        assert text.endswith(f") failed: {said}")


def test_threads_without_an_interpreter_may_call(lib: Any) -> None:
    lib.function("kfc::next(int n) -> int", lambda n: n + 1)
    found: list[int] = []

    def several() -> None:
        for n in range(50):
            found.append(call("kfc::next", Any16(tag=INT, i=n))[0].i)

    threads = [threading.Thread(target=several) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted(list(range(1, 51)) * 4)
