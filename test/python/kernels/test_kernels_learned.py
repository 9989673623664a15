"""A repeated ("learned") call runs natively and behaves as the first did: same results, error texts and checks.

Not promised: which calls are native; that only affects speed.
"""

import gc
import pickle
import threading
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import ge.ir as ir
import ge.ops as ops


@pytest.fixture
def lib() -> Iterator[Any]:
    with ops.Library("kl") as library:
        yield library


def same(call: Any) -> Any:
    return [call.operand_types[0]]


X = np.arange(6, dtype="f4").reshape(2, 3)
WARM = 3  # the first call learns the operator, the second its types, the third is native


def warm(call: Callable[[], Any]) -> Any:
    results = [call() for _ in range(WARM)]
    assert all(type(result) is type(results[0]) for result in results)
    return results[-1]


def test_a_learned_call_does_not_enter_python_but_for_the_kernel(
    lib: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    lib.define("scale(Tensor x, *, float k=1.0) -> Tensor")
    lib.impl("scale", "cpu", lambda x, *, k: x * np.float32(k), as_="numpy")
    scale = ops.call.kl.scale
    warm(lambda: scale(X, k=2.0))
    monkeypatch.setattr("ge.ops._call.Prepared.call", None)
    assert (scale(X + 1, k=2.0) == X * 2 + 2).all()
    with pytest.raises(TypeError, match="NoneType"):
        scale(X, k=3.0)  # not learned for this attribute value


def test_many_copies_of_a_dtype_leave_room_for_others(
    lib: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    lib.define("twice(Tensor x) -> Tensor")
    lib.impl("twice", "cpu", lambda x: x * 2, as_="numpy")
    twice = ops.call.kl.twice
    for _ in range(50):
        assert (twice(X.astype(np.dtype("f4", copy=True))) == X * 2).all()
    assert (twice(X.astype(np.dtype(">f4"))) == X * 2).all()  # not read as native order
    for dtype in ("i2", "u2", "f8", "c8", "u8"):
        x = X.astype(dtype)
        warm(lambda x=x: twice(x))
        with monkeypatch.context() as patch:
            patch.setattr("ge.ops._call.Prepared.call", None)
            assert (twice(x) == x * 2).all()


@pytest.mark.parametrize("as_", [None, "numpy"])
def test_kinds_and_values_are_those_of_the_first_call(lib: Any, as_: "str | None") -> None:
    lib.define(
        "mix(Tensor x, Tensor? y, int n, float f, bool b, str s, int[] dims, float[] w=[1.5]) -> Tensor"
    )
    seen: list[Any] = []

    def mix(x: Any, y: Any, *rest: Any) -> Any:
        seen.append((type(x), type(y), rest))
        return np.array(x) if as_ else x.numpy().copy()

    lib.impl("mix", "cpu", mix, as_=as_)
    for x in (X, ir.Tensor(X), X.T, X[:, ::-1]):
        for y in (None, X):
            seen.clear()
            result = warm(lambda x=x, y=y: ops.call.kl.mix(x, y, 3, 2, True, "né", (1, 2)))
            assert seen[0] == seen[1] == seen[2]
            assert type(result) is type(x)
            assert np.array_equal(np.asarray(result), np.asarray(x))
            rest = seen[0][2]
            assert rest == (3, 2.0, True, "né", [1, 2], [1.5])
            assert [type(value) for value in rest] == [int, float, bool, str, list, list]
    with pytest.raises(ops.BindError):
        ops.call.kl.mix(X, None, 3, 2, True, "né", (1, 2.5))
    with pytest.raises(ops.BindError):
        ops.call.kl.mix(X, None, True and "3", 2, True, "né", (1, 2))


def test_the_parts_of_a_kernel_cannot_be_replaced(lib: Any) -> None:
    """Learned calls hold a borrowed reference to the function, so it must not change."""
    lib.define("twice(Tensor x) -> Tensor")
    lib.impl("twice", "cpu", lambda x: x * 2, as_="numpy")
    for _ in range(4):
        ops.call.kl.twice(np.ones(3, "f4"))
    kernel = ops.kernel("kl::twice")
    for name in ("function", "op", "backend", "out", "native", "other"):
        with pytest.raises(AttributeError):
            setattr(kernel, name, lambda x: x * 3)
        with pytest.raises((AttributeError, TypeError)):
            object.__setattr__(kernel, name, lambda x: x * 3)
    gc.collect()
    assert ops.call.kl.twice(np.ones(3, "f4")).tolist() == [2, 2, 2]
    assert kernel == ops.kernel("kl::twice")
    assert kernel != ops.kernels("kl::twice")


def test_lists_of_a_call_are_new_each_time(lib: Any) -> None:
    lib.define("count(Tensor x, int[] dims=[1]) -> int")

    def count(x: Any, dims: list[int]) -> int:
        dims.append(0)
        return len(dims)

    lib.impl("count", "cpu", count, as_="numpy")
    assert [ops.call.kl.count(X) for _ in range(5)] == [2] * 5
    given = [1, 2]
    assert [ops.call.kl.count(X, given) for _ in range(5)] == [3] * 5
    assert given == [1, 2]


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (lambda x: 1 / 0, "raised ZeroDivisionError: division by zero"),
        (lambda x: x, "gave the memory of operand 'x' as result 0"),
        (lambda x: x[:1], "gave f32\\[1, 3\\] for result 0, inference says f32\\[2, 3\\]"),
        (lambda x: x.astype("f8"), "gave f64\\[2, 3\\] for result 0"),
        (lambda x: None, "gave None for result 0"),
        (lambda x: (x, x), "gave a tuple of 2 for result 0"),
    ],
)
def test_a_kernel_that_goes_wrong_later_has_the_same_words(lib: Any, wrong: Any, text: str) -> None:
    lib.define("f(Tensor x) -> Tensor")
    lib.infer("f")(same)
    state = {"run": np.copy}
    lib.impl("f", "cpu", lambda x: state["run"](x), as_="numpy")
    state["run"] = wrong
    with pytest.raises(ops.KernelError, match=text) as cold:
        ops.call.kl.f(X)
    state["run"] = np.copy
    warm(lambda: ops.call.kl.f(X))
    state["run"] = wrong
    with pytest.raises(ops.KernelError, match=text) as native:
        ops.call.kl.f(X)
    assert str(native.value) == str(cold.value)
    assert type(native.value.__cause__) is type(cold.value.__cause__)
    state["run"] = np.copy
    assert (ops.call.kl.f(X) == X).all()


def test_an_interrupt_in_a_kernel_comes_out_as_it_is(lib: Any) -> None:
    lib.define("f(Tensor x) -> Tensor")
    raises: list[type[BaseException]] = []

    def f(x: Any) -> Any:
        if raises:
            raise raises[0]
        return x.copy()

    lib.impl("f", "cpu", f, as_="numpy")
    warm(lambda: ops.call.kl.f(X))
    raises.append(KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        ops.call.kl.f(X)


def test_operands_are_read_only_and_written_ones_are_the_callers(lib: Any) -> None:
    lib.define("inc(Tensor(a!) x, Tensor y) -> Tensor(a!)")

    def inc(x: Any, y: Any) -> None:
        assert not y.flags.writeable
        x += y

    lib.impl("inc", "cpu", inc, as_="numpy")
    x, y = np.zeros(3, "f4"), np.ones(3, "f4")
    for n in range(1, 6):
        assert ops.call.kl.inc(x, y) is x
        assert (x == n).all()
    assert y.flags.writeable
    x.flags.writeable = False
    with pytest.raises(ValueError, match="operand 'x' is written, and is read-only"):
        ops.call.kl.inc(x, y)
    with pytest.raises(TypeError, match="a Tensor is immutable"):
        ops.call.kl.inc(ir.Tensor(y), y)


def test_out_is_checked_each_time_and_comes_back(lib: Any) -> None:
    lib.define("twice(Tensor x) -> Tensor")
    lib.infer("twice")(same)
    lib.impl("twice", "cpu", lambda x, out: np.multiply(x, 2, out=out), as_="numpy", out=True)
    lib.impl("twice", "cuda", lambda x, out: None, as_="numpy", out=True)
    with pytest.raises(ops.KernelError, match="with out=True it writes its results and returns"):
        ops.call.kl.twice(X)
    with ops.Library("kl", kind="IMPL") as other:
        other.impl("twice", "cpu", double, as_="numpy", out=True, override=True)
        for x in (X, ir.Tensor(X)):
            out = np.empty_like(X)
            assert warm(lambda x=x, out=out: ops.call.kl.twice(x, out=out)) is out
            assert (out == X * 2).all()
        assert type(warm(lambda: ops.call.kl.twice(ir.Tensor(X)))) is ir.Tensor
        both = np.zeros((4, 3), "f4")
        with pytest.raises(ValueError, match="out overlaps operand 'x'"):
            ops.call.kl.twice(both[:2], out=both[1:3])
        with pytest.raises(ValueError, match="out is f64"):
            ops.call.kl.twice(X, out=np.empty((2, 3)))
        with pytest.raises(ValueError, match="out is f32\\[3, 2\\]"):
            ops.call.kl.twice(X, out=np.empty((3, 2), "f4"))
        both.flags.writeable = False
        with pytest.raises(ValueError, match="out is read-only"):
            ops.call.kl.twice(X, out=both[:2])
        assert ops.call.kl.twice(X, out=None).shape == (2, 3)
    with pytest.raises(ops.KernelError, match="with out=True"):
        ops.call.kl.twice(X)  # the overridden kernel is active again


def double(x: Any, out: Any) -> None:
    np.multiply(x, 2, out=out)


def test_several_results_and_results_that_are_no_arrays(lib: Any) -> None:
    lib.define("split(Tensor x) -> (Tensor, Tensor)")
    lib.define("stat(Tensor x) -> (Tensor, int)")
    lib.define("view(Tensor(a) x) -> Tensor(a)")
    lib.impl("split", "cpu", lambda x: (x[:1].copy(), x[1:].copy()), as_="numpy")
    lib.impl("stat", "cpu", lambda x: (x.copy(), x.size), as_="numpy")
    lib.impl("view", "cpu", lambda x: x[:1], as_="numpy")
    low, high = warm(lambda: ops.call.kl.split(X))
    assert low.tolist() == [[0, 1, 2]]
    assert high.tolist() == [[3, 4, 5]]
    assert type(warm(lambda: ops.call.kl.split(ir.Tensor(X)))[1]) is ir.Tensor
    copy, size = warm(lambda: ops.call.kl.stat(X))
    assert size == 6
    assert (copy == X).all()
    assert np.shares_memory(warm(lambda: ops.call.kl.view(X)), X)


def test_ranges_and_choices_hold_after_good_calls(lib: Any) -> None:
    lib.define("f(Tensor x, float k=1.0) -> Tensor", ranges={"k": ops.Range(above=0.0)})
    lib.impl("f", "cpu", lambda x, k: x * np.float32(k), as_="numpy")
    warm(lambda: ops.call.kl.f(X, 2.0))
    for bad in (0.0, -0.0, float("nan")):
        with pytest.raises(ops.BindError, match="float above 0.0"):
            ops.call.kl.f(X, bad)
    lib.define("g(int n) -> int", ranges={"n": ops.Range(at_least=0)})
    lib.impl("g", "any", lambda n: n + 1)
    for n in range(5):
        assert ops.call.kl.g(n) == n + 1
    with pytest.raises(ops.BindError):
        ops.call.kl.g(-1)


def test_bad_arguments_keep_their_words(lib: Any) -> None:
    lib.define("f(Tensor x, *, int n=0) -> Tensor")
    lib.impl("f", "cpu", lambda x, *, n: x.copy(), as_="numpy")
    f = ops.call.kl.f
    calls: list[Callable[[], Any]] = [
        lambda: f(),
        lambda: f(X, 1),
        lambda: f(X, k=1),
        lambda: f(X, x=X),
        lambda: f(X, n="1"),
        lambda: f(X, n=2**70),
        lambda: f(None),
        lambda: f("x"),
    ]
    cold = [str(pytest.raises(ops.BindError, call).value) for call in calls]
    warm(lambda: f(X, n=1))
    warm(lambda: f(X))
    assert [str(pytest.raises(ops.BindError, call).value) for call in calls] == cold


def test_strict_mode_is_seen_by_learned_calls(lib: Any) -> None:
    lib.define("f(Tensor x, int[2] k) -> Tensor")
    lib.impl("f", "cpu", lambda x, k: x * len(k), as_="numpy")
    lib.function("kl::half(float k) -> float", lambda k: k / 2)
    warm(lambda: ops.call.kl.f(X, 3))
    warm(lambda: ops.call.kl.half(True))
    with ops.strict():
        for _ in range(WARM):
            with pytest.raises(ops.BindError):
                ops.call.kl.f(X, 3)
            with pytest.raises(ops.BindError):
                ops.call.kl.half(True)
            assert ops.call.kl.half(2) == 1.0
    assert (ops.call.kl.f(X, 3) == X * 2).all()


def test_functions_are_native_for_all_values(lib: Any) -> None:
    lib.function("kl::add(int a, int b=1) -> int", lambda a, b: a + b)
    add = ops.function("kl::add")
    assert [add(n) for n in range(5)] == [1, 2, 3, 4, 5]
    assert [add(n, b=2) for n in range(5)] == [2, 3, 4, 5, 6]
    with pytest.raises(ops.BindError):
        add("1")
    with pytest.raises(ops.BindError):
        add(1.5)
    assert pickle.loads(pickle.dumps(add))(1) == 2
    assert repr(add) == "<operator kl::add>"
    assert add.op.qualified_name == "kl::add"


def test_a_closed_library_is_out_of_learned_calls_at_once(lib: Any) -> None:
    lib.define("f(Tensor x) -> Tensor")

    def kernel(x: Any) -> Any:
        return x.copy()

    gone = weakref.ref(kernel)
    other = ops.Library("kl", kind="IMPL")
    other.impl("f", "cpu", kernel, as_="numpy")
    f = ops.call.kl.f
    warm(lambda: f(X))
    other.close()
    with pytest.raises(NotImplementedError, match="kl::f has no kernel for cpu"):
        f(X)
    del kernel, other
    gc.collect()
    assert gone() is None
    lib.impl("f", "cpu", lambda x: x + 1, as_="numpy")
    assert (warm(lambda: f(X)) == X + 1).all()
    lib.close()
    with pytest.raises(KeyError, match="its library was closed"):
        f(X)


def test_a_library_closes_under_its_own_kernel(lib: Any) -> None:
    lib.define("f(Tensor x) -> Tensor")
    other = ops.Library("kl", kind="IMPL")
    closes: list[bool] = []

    def f(x: Any) -> Any:
        if closes:
            other.close()
            gc.collect()
        return x.copy()

    other.impl("f", "cpu", f, as_="numpy")
    del f
    call = ops.call.kl.f
    warm(lambda: call(X))
    closes.append(True)
    assert (call(X) == X).all()
    with pytest.raises(NotImplementedError):
        call(X)


def test_kernels_may_call_their_own_operator(lib: Any) -> None:
    lib.define("down(Tensor x, int n) -> Tensor")
    lib.impl("down", "cpu", lambda x, n: ops.call.kl.down(x, n - 1) if n else x.copy(), as_="numpy")
    for _ in range(WARM):
        assert (ops.call.kl.down(X, 20) == X).all()
    with pytest.raises((ops.KernelError, RecursionError)):
        ops.call.kl.down(X, 10**6)


def test_an_inferrer_that_is_added_later_is_used(lib: Any) -> None:
    lib.define("f(Tensor x) -> Tensor")
    lib.impl("f", "cpu", lambda x: x[:1].copy(), as_="numpy")
    warm(lambda: ops.call.kl.f(X))
    lib.infer("f")(same)
    with pytest.raises(ops.KernelError, match="inference says f32\\[2, 3\\]"):
        ops.call.kl.f(X)


def test_memory_stays_flat_over_many_shapes(lib: Any) -> None:
    lib.define("f(Tensor x, int n) -> Tensor")
    lib.infer("f")(same)
    lib.impl("f", "cpu", lambda x, n: x.copy(), as_="numpy")
    f = ops.call.kl.f

    def several(first: int) -> None:
        for n in range(first, first + 600):
            f(np.empty(n % 100, "f4"), n)
            f(np.empty(n % 100, "f4"), n)

    several(0)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    several(1000)
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 200_000


def test_learned_calls_from_eight_threads_while_libraries_come_and_go(lib: Any) -> None:
    lib.define("f(Tensor x, int n) -> Tensor")
    lib.impl("f", "cpu", lambda x, n: x + n, as_="numpy")
    faults: list[BaseException] = []
    done = threading.Event()

    def call(k: int) -> None:
        try:
            for n in range(300):
                x = np.full(k + 1, n, "i8")
                assert (ops.call.kl.f(x, n % 5) == x + n % 5).all()
        except BaseException as error:  # noqa: BLE001 - told by the main thread
            faults.append(error)

    def churn() -> None:
        while not done.is_set():
            with ops.Library("kl", kind="IMPL") as other:
                other.impl("f", "cpu", lambda x, n: x + n, as_="numpy", override=True)

    threads = [threading.Thread(target=call, args=(k,)) for k in range(8)]
    churner = threading.Thread(target=churn)
    for thread in [churner, *threads]:
        thread.start()
    for thread in threads:
        thread.join()
    done.set()
    churner.join()
    assert not faults


def test_arrays_that_numpy_lays_out_otherwise(lib: Any) -> None:
    lib.define("f(Tensor x) -> Tensor")
    lib.impl("f", "cpu", lambda x: np.array(x), as_="numpy")
    table = np.zeros(3, [("a", "i4"), ("b", "f8")])
    table["b"] = [1, 2, 3]
    swapped = np.arange(3, dtype=">i4")
    arrays = [
        table["b"],
        swapped,
        np.array(5.0),
        np.zeros((0, 2)),
        np.ones((1,) * 10),
        X[::-1, ::2],
    ]
    for array in arrays:
        result = warm(lambda array=array: ops.call.kl.f(array))
        assert np.array_equal(result, array)

    class Own(np.ndarray):
        pass

    assert np.array_equal(warm(lambda: ops.call.kl.f(X.view(Own))), X)
