"""Kernels in Python: a call of an operator runs its kernel; arguments and results are checked against the schema.

The binding examples of seed 001 run here as operators with kernels; their error texts are the seed's. Registration is
tested in test_kernels_registration.py.
"""

from typing import Any

import numpy as np
import pytest
from kernel_libraries import (
    infer_same,
    lib,  # noqa: F401 - a fixture
)

import ge.ir as ir
import ge.ops as ops


def recorder(library: Any, name: str, count: int = 1) -> list[tuple[Any, ...]]:
    """Register a kernel of any signature that records its arguments; return the record."""
    calls: list[tuple[Any, ...]] = []

    def keep(*args: Any, **kwargs: Any) -> Any:
        calls.append((args, kwargs))
        results = tuple(np.zeros(1, "f4") for _ in range(count))
        return results[0] if count == 1 else results

    library.impl(name, "cpu", keep, as_="numpy")
    return calls


X = np.arange(6, dtype="f4").reshape(2, 3)


def test_a_kernel_runs_and_the_kind_of_array_comes_back(lib: Any) -> None:
    lib.define("scale(Tensor x, *, float factor=1.0) -> Tensor", traits=["pure"])

    @lib.impl("scale", "cpu")
    def scale(x: ir.Tensor, *, factor: float) -> Any:
        assert type(x) is ir.Tensor
        assert type(factor) is float
        return x.numpy() * np.float32(factor)

    doubled = ops.call.kt.scale(X, factor=2)
    assert isinstance(doubled, np.ndarray)
    assert (doubled == X * 2).all()
    tensor = ops.call.kt.scale(ir.Tensor(X), factor=2.0)
    assert type(tensor) is ir.Tensor
    assert (tensor.numpy() == X * 2).all()
    assert (ops.call.kt.scale(X) == X).all()


def test_as_numpy_hands_over_a_read_only_view(lib: Any) -> None:
    lib.define("peek(Tensor x) -> int")
    seen: list[Any] = []

    @lib.impl("peek", "any", as_="numpy")
    def peek(x: Any) -> int:
        seen.append(x)
        return 7

    array = X.copy()
    assert ops.call.kt.peek(array) == 7
    assert np.shares_memory(seen[0], array)
    assert not seen[0].flags.writeable
    assert array.flags.writeable


# --- Binding: the correct examples of seed 001, section 2.2, in order


def test_seed_001_correct_0_keyword_and_defaults(lib: Any) -> None:
    lib.define(
        "nms(Tensor boxes, Tensor scores, float iou=0.5, int topk=-1, *, bool normalized=False)"
        " -> Tensor"
    )
    calls = recorder(lib, "nms")
    ops.call.kt.nms(X, X, topk=200)
    args, kwargs = calls[0]
    assert args[2:] == (0.5, 200)
    assert kwargs == {"normalized": False}


def test_seed_001_correct_1_defaults(lib: Any) -> None:
    lib.define("roi_align(Tensor x, Tensor rois, int pooled_h=7, int pooled_w=7) -> Tensor")
    calls = recorder(lib, "roi_align")
    ops.call.kt.roi_align(X, X)
    assert calls[0][0][2:] == (7, 7)


def test_seed_001_correct_2_positional_and_keyword(lib: Any) -> None:
    lib.define(
        "topk(Tensor x, int k=1, int axis=-1, bool largest=True, bool sorted=True)"
        " -> (Tensor, Tensor)"
    )
    calls = recorder(lib, "topk", 2)
    values, indices = ops.call.kt.topk(X, 5, sorted=False)
    assert calls[0][0][1:] == (5, -1, True, False)
    assert values.shape == indices.shape == (1,)


def test_seed_001_correct_3_keyword_only(lib: Any) -> None:
    lib.define("softmax(Tensor x, int axis=-1, *, bool use_cudnn=True) -> Tensor")
    calls = recorder(lib, "softmax")
    ops.call.kt.softmax(X, axis=1, use_cudnn=False)
    assert calls[0][0][1:] == (1,)
    assert calls[0][1] == {"use_cudnn": False}
    text = "keyword-only argument 'use_cudnn' passed as positional"
    with pytest.raises(ops.BindError, match=text):
        ops.call.kt.softmax(X, 1, False)


def test_seed_001_correct_4_optional(lib: Any) -> None:
    lib.define("clamp(Tensor x, float? min=None, float? max=None) -> Tensor")
    calls = recorder(lib, "clamp")
    ops.call.kt.clamp(X, max=0.0)
    assert calls[0][0][1:] == (None, 0.0)


def test_seed_001_correct_5_tuple(lib: Any) -> None:
    lib.define("blend((Tensor, Tensor) inputs, float alpha=0.5) -> Tensor")
    calls = recorder(lib, "blend")
    ops.call.kt.blend((X, X + 1), alpha=0.3)
    (x, y), alpha = calls[0][0]
    assert (x == X).all()
    assert (y == X + 1).all()
    assert alpha == 0.3


def test_seed_001_correct_6_optional_tuple(lib: Any) -> None:
    lib.define(
        "add_video_stream(Tensor(a!) decoder, *, (Tensor, Tensor, Tensor)? "
        "custom_frame_mappings=None) -> ()"
    )
    seen: list[Any] = []

    @lib.impl("add_video_stream", "cpu")
    def add(decoder: Any, *, custom_frame_mappings: Any) -> None:
        decoder[0] = 9
        seen.append(custom_frame_mappings)

    decoder = np.zeros(4, "u1")
    assert ops.call.kt.add_video_stream(decoder, custom_frame_mappings=None) is None
    assert decoder[0] == 9
    ops.call.kt.add_video_stream(decoder, custom_frame_mappings=(X, X, X))
    assert seen[0] is None
    assert len(seen[1]) == 3


def test_seed_001_correct_7_mutation(lib: Any) -> None:
    lib.define("normalize_(Tensor(a!) x, float eps=1e-5) -> Tensor(a!)")

    @lib.impl("normalize_", "cpu")
    def normalize(x: Any, eps: float) -> None:
        assert eps == 1e-6
        x /= np.linalg.norm(x) + eps

    array = X.copy()
    given = ops.call.kt.normalize_(array, eps=1e-6)
    assert given is array
    assert np.isclose(np.linalg.norm(array), 1)


WRONG = [
    ("add(Tensor a, Tensor b) -> Tensor", (X, X), {"axis": 1}, "unexpected keyword 'axis'"),
    (
        "topk(Tensor x, int k=1, int axis=-1) -> (Tensor, Tensor)",
        (X, 5),
        {"k": 3},
        "argument 'k' specified twice",
    ),
    ("matmul(Tensor a, Tensor b) -> Tensor", (X,), {}, "missing required argument 'b'"),
    (
        "dropout(Tensor x, float p=0.5, *, bool training=True) -> Tensor",
        (X, 0.2, False),
        {},
        "keyword-only argument 'training' passed as positional",
    ),
]


@pytest.mark.parametrize(("schema", "args", "kwargs", "text"), WRONG)
def test_seed_001_wrong_calls(lib: Any, schema: str, args: Any, kwargs: Any, text: str) -> None:
    record = lib.define(schema)
    calls = recorder(lib, record.name, len(record.results))
    with pytest.raises(ops.BindError, match=text) as caught:
        getattr(ops.call.kt, record.name)(*args, **kwargs)
    assert caught.value.reason.startswith(text)
    assert not calls


def test_numbers_are_no_tensors_and_conversions_reach_the_kernel(lib: Any) -> None:
    lib.define("f(Tensor x, int[2] k=1, float s=1.0, ScalarType? d=None) -> Tensor")
    calls = recorder(lib, "f")
    with pytest.raises(ops.BindError, match="expects Tensor, got int 3"):
        ops.call.kt.f(3)
    ops.call.kt.f(X, True, 2, "f16")
    assert calls[0][0][1:] == ([1, 1], 2.0, ir.DType("f16"))
    assert type(calls[0][0][2]) is float
    graph = ir.Graph("g")
    value = graph.add_input("v", ir.TensorType([2], "f32"))
    with pytest.raises(ops.BindError, match="expects Tensor, got Value"):
        ops.call.kt.f(value)


def test_overloads_go_by_the_arguments(lib: Any) -> None:
    lib.define("plus.Tensor(Tensor a, Tensor b) -> Tensor")
    lib.define("plus.Scalar(Tensor a, Scalar b) -> Tensor")
    lib.impl("plus.Tensor", "cpu", lambda a, b: a + b, as_="numpy")
    lib.impl("plus.Scalar", "cpu", lambda a, b: a - b, as_="numpy")
    assert (ops.call.kt.plus(X, X) == X + X).all()
    assert (ops.call.kt.plus(X, 1) == X - 1).all()


def test_varargs_reach_the_kernel(lib: Any) -> None:
    lib.define("v(Tensor x, ...) -> int")
    lib.impl("v", "cpu", lambda x, *rest: len(rest))
    assert ops.call.kt.v(X, 1, "two", None) == 3


# --- Dispatch and errors of kernels


def test_no_kernel(lib: Any) -> None:
    lib.define("f(Tensor x) -> Tensor")
    with pytest.raises(NotImplementedError, match=r"kt::f has no kernel for cpu; register one"):
        ops.call.kt.f(X)
    lib.impl("f", "cuda", lambda x: x)
    text = r"^kt::f has no kernel for cpu; it has cuda \(.*test_kernels_python.py:\d+\)$"
    with pytest.raises(NotImplementedError, match=text):
        ops.call.kt.f(X)
    lib.impl("f", "any", lambda x: x.numpy() * 3)
    assert (ops.call.kt.f(X) == 3 * X).all()


class Elsewhere:
    """An array on another device: its shape and type are known, its memory is not accessible."""

    def __init__(self, shape: tuple[int, ...] = (2, 3), device: tuple[int, int] = (12, 0)) -> None:
        self.shape, self.dtype, self._device = shape, np.dtype("f4"), device

    def __dlpack__(self, **_: Any) -> Any:
        raise AssertionError("the memory is on another device")

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device


def test_arrays_on_two_devices(lib: Any) -> None:
    lib.define("f(Tensor x, Tensor w) -> Tensor")
    lib.impl("f", "any", lambda x, w: x)
    text = r"^kt::f\(\): operands are on cpu \('x'\) and cuda:1 \('w'\); all must be on one device$"
    with pytest.raises(ValueError, match=text):
        ops.call.kt.f(X, Elsewhere(device=(2, 1)))


def test_a_device_passes_through(lib: Any) -> None:
    lib.define("f(Tensor x) -> Tensor")
    lib.impl("f", "cpu", lambda x: x)
    given = Elsewhere()
    with pytest.raises(NotImplementedError, match="no kernel for npu; it has cpu"):
        ops.call.kt.f(given)
    made = Elsewhere()
    lib.impl("f", "npu", lambda x: made if x is given else None)
    assert ops.call.kt.f(given) is made
    lib.impl("f", "cuda", lambda x: X)
    text = "gave result 0 on cpu, the operands are on cuda:0"
    with pytest.raises(ops.KernelError, match=text):
        ops.call.kt.f(Elsewhere(device=(2, 0)))


def test_a_kernel_that_raises(lib: Any) -> None:
    lib.define("f(Tensor x) -> Tensor")

    @lib.impl("f", "cpu")
    def boo(x: Any) -> Any:
        raise ValueError("boo")

    with pytest.raises(ops.KernelError) as caught:
        ops.call.kt.f(X)
    text = f"kt::f: kernel cpu ({__file__}:{boo.__code__.co_firstlineno}) raised ValueError: boo"
    assert str(caught.value) == text
    assert isinstance(caught.value.__cause__, ValueError)
    assert isinstance(caught.value, ir.GEError)


def test_exits_are_the_kernels_failure_and_interrupts_are_not(lib: Any) -> None:
    lib.define("f(int k) -> int")

    def leave(k: int) -> int:
        raise SystemExit(0) if k else KeyboardInterrupt

    lib.impl("f", "cpu", leave)
    with pytest.raises(ops.KernelError, match="raised SystemExit"):
        ops.call.kt.f(1)
    with pytest.raises(KeyboardInterrupt):
        ops.call.kt.f(0)


BAD_RESULTS = [
    ("f(Tensor x) -> Tensor", None, "gave None for result 0, which is not an array"),
    ("f(Tensor x) -> Tensor", "text", "gave a str for result 0, which is not an array"),
    ("f(Tensor x) -> (Tensor, Tensor)", (X, X, X), "gave 3 results, the schema has 2"),
    ("f(Tensor x) -> (Tensor, Tensor)", 3, "gave a int, the schema has 2 results"),
    ("f(Tensor x) -> ()", X, "gave a ndarray, the schema has no results"),
    ("f(Tensor x) -> Tensor[]", X, "for result 0, a list of arrays"),
]


@pytest.mark.parametrize(("schema", "result", "text"), BAD_RESULTS)
def test_results_that_are_none(lib: Any, schema: str, result: Any, text: str) -> None:
    lib.define(schema)
    lib.impl("f", "cpu", lambda x: result)
    with pytest.raises(ops.KernelError, match=text):
        ops.call.kt.f(np.zeros(2, "f4"))


def test_undeclared_aliases_and_writes(lib: Any) -> None:
    lib.define("f(Tensor x) -> Tensor")
    lib.impl("f", "cpu", lambda x: x[0], as_="numpy")
    with pytest.raises(
        ops.KernelError, match=r"the memory of operand 'x' as result 0.*return a copy"
    ):
        ops.call.kt.f(X)
    lib.define("view(Tensor(a) x) -> Tensor(a)")
    lib.impl("view", "cpu", lambda x: x[0], as_="numpy")
    assert np.shares_memory(ops.call.kt.view(X), X)
    lib.define("w(Tensor x) -> ()")

    def write(x: Any) -> None:
        x[0] = 1

    lib.impl("w", "cpu", write, as_="numpy")
    before = X.copy()
    with pytest.raises(ops.KernelError, match="raised ValueError: .*read-only"):
        ops.call.kt.w(X)
    assert (before == X).all()


def test_a_written_operand_must_be_writable(lib: Any) -> None:
    lib.define("w(Tensor(a!) x) -> ()")
    lib.impl("w", "cpu", lambda x: None)
    with pytest.raises(TypeError, match="operand 'x' is written, and a Tensor is immutable"):
        ops.call.kt.w(ir.Tensor(X))
    frozen = X.copy()
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="operand 'x' is written, and is read-only"):
        ops.call.kt.w(frozen)


@pytest.mark.parametrize("type_", ["Tensor(a!)[]", "Tensor[](a!)"])
def test_arrays_in_a_written_list_are_written(lib: Any, type_: str) -> None:
    lib.define(f"w({type_} x) -> ()")

    @lib.impl("w", "cpu")
    def w(x: Any) -> None:
        for array in x:
            array += 1

    one, two = X.copy(), np.zeros(2, "f4")
    ops.call.kt.w([one, two])
    assert (one == X + 1).all()
    assert two.tolist() == [1, 1]


def test_an_absent_written_operand_is_none(lib: Any) -> None:
    lib.define("f(Tensor x, Tensor(a!)? y=None) -> bool")
    lib.impl("f", "cpu", lambda x, y: y is None)
    assert ops.call.kt.f(X) is True


def test_a_kernel_that_writes_its_results_may_have_none(lib: Any) -> None:
    lib.define("f(Tensor x) -> ()")
    lib.impl("f", "cpu", lambda x: None, out=True)
    assert ops.call.kt.f(X) is None


def test_out_is_written_and_returned(lib: Any) -> None:
    lib.define("twice(Tensor x) -> Tensor", traits=["pure"])
    lib.infer("twice")(infer_same)
    lib.impl("twice", "cpu", lambda x: x * 2, as_="numpy")
    out = np.empty((2, 3), "f4")
    assert ops.call.kt.twice(X, out=out) is out
    assert (out == X * 2).all()
    for wrong, text in [
        (np.empty((3, 2), "f4"), r"out is f32\[3, 2\], the result is f32\[2, 3\]"),
        (np.empty((2, 3), "f8"), "out is f64"),
        (X.view(), "out overlaps operand 'x'"),
    ]:
        with pytest.raises(ValueError, match=text):
            ops.call.kt.twice(X, out=wrong)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="out is read-only"):
        ops.call.kt.twice(X, out=out)
    with pytest.raises(TypeError, match="immutable"):
        ops.call.kt.twice(X, out=ir.Tensor(X))
    with pytest.raises(TypeError, match="out has 2 arrays"):
        ops.call.kt.twice(X, out=(X, X))


def test_a_kernel_that_writes_its_results(lib: Any) -> None:
    lib.define("twice(Tensor x, *, int k=2) -> Tensor")

    @lib.impl("twice", "cpu", as_="numpy", out=True)
    def twice(x: Any, out: Any, *, k: int) -> None:
        np.multiply(x, k, out=out)

    with pytest.raises(ops.KernelError, match="inference does not say the type of result 0"):
        ops.call.kt.twice(X)
    out = np.empty((2, 3), "f4")
    assert ops.call.kt.twice(X, out=out) is out
    assert (out == 2 * X).all()
    lib.infer("twice")(infer_same)
    assert (ops.call.kt.twice(X) == 2 * X).all()


def test_a_parameter_named_out_wins(lib: Any) -> None:
    lib.define("f(Tensor x, *, Tensor(a!) out) -> Tensor(a!)")

    @lib.impl("f", "cpu")
    def f(x: Any, *, out: Any) -> None:
        out[...] = x.numpy() + 1

    out = np.empty((2, 3), "f4")
    assert ops.call.kt.f(X, out=out) is out
    assert (out == X + 1).all()


def test_kernels_call_operators_and_themselves(lib: Any) -> None:
    lib.define("down(int k) -> int")
    lib.impl("down", "cpu", lambda k: 0 if k == 0 else 1 + ops.call.kt.down(k - 1))
    assert ops.call.kt.down(20) == 20
    lib.define("forever(int k) -> int")
    lib.impl("forever", "cpu", lambda k: ops.call.kt.forever(k))
    with pytest.raises(ops.KernelError, match="kt::forever: kernel"):
        ops.call.kt.forever(0)


def test_strings_lists_and_zero_sizes(lib: Any) -> None:
    lib.define("first(Tensor[] xs, Tensor? y=None) -> Tensor")
    lib.impl("first", "cpu", lambda xs, y: np.array(len(xs) * 10 + (y is not None)))
    assert ops.call.kt.first([X, X]) == 20
    assert ops.call.kt.first([], X) == 1
    lib.define("same(Tensor x) -> Tensor")
    lib.impl("same", "cpu", lambda x: x.numpy().copy())
    assert ops.call.kt.same(np.zeros((0, 3), "f4")).shape == (0, 3)
    assert ops.call.kt.same(np.array(["a", "b"], dtype=object)).tolist() == ["a", "b"]
    assert ops.call.kt.same(np.full((), 3)).shape == ()
    assert (ops.call.kt.same(X.T) == X.T).all()
    assert (ops.call.kt.same(X[:, ::-1]) == X[:, ::-1]).all()


def test_unknown_names(lib: Any) -> None:
    lib.define("scale(Tensor x) -> Tensor")
    with pytest.raises(AttributeError, match=r"no operator 'kt::scal'; did you mean kt::scale"):
        ops.call.kt.scal
    with pytest.raises(AttributeError, match="there is no namespace 'nowhere'"):
        ops.call.nowhere
    assert "scale" in dir(ops.call.kt)


def test_kernels_of_canns_operators() -> None:
    with ops.Library("ge", kind="IMPL") as library:
        library.impl("Add", "cpu", lambda x1, x2: x1 + x2, as_="numpy")
        assert (ops.call.ge.Add(X, X) == 2 * X).all()
        assert (ops.call.math.Add(X, X) == 2 * X).all()
        assert ops.kernel("math::Add") is not None
        assert [k.backend for k in ops.get("math::Add").proto().kernels] == ["cpu"]
    assert ops.kernel("math::Add") is None


def test_invoke_takes_a_node_apart(lib: Any) -> None:
    lib.define("f(Tensor[] xs, Tensor y, *, int k=3, float s) -> Tensor")
    lib.impl("f", "cpu", lambda xs, y, *, k, s: np.array([len(xs), k, s]))
    assert ops.invoke("kt::f", [X, X, X], {"s": 2})[0].tolist() == [2, 3, 2.0]
    with pytest.raises(ops.BindError, match="missing required argument 's'"):
        ops.invoke("kt::f", [X, X])
    with pytest.raises(ops.BindError, match="unexpected keyword 'z'"):
        ops.invoke("kt::f", [X, X], {"s": 1, "z": 2})


def test_an_exception_of_any_class_is_the_kernels() -> None:
    class Odd(BaseException):
        pass

    def raises(x: Any) -> Any:
        raise Odd("boo")

    with ops.Library("odd") as library:
        library.define("f(Tensor x) -> Tensor")
        library.impl("f", "cpu", raises)
        for _ in range(3):
            with pytest.raises(
                ops.KernelError, match="odd::f: kernel cpu .* raised Odd: boo"
            ) as error:
                ops.call.odd.f(np.ones(2, "f4"))
            assert isinstance(error.value.__cause__, Odd)
