"""Functions of ``Library.infer`` and ``Library.verify`` apply to calls and to graphs."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ge.ir as ir
import ge.ops as ops

X = np.arange(6, dtype="f4").reshape(2, 3)


@pytest.fixture
def lib() -> Iterator[Any]:
    with ops.Library("kt") as library:
        yield library


def infer_same(call: Any) -> Any:
    return [call.operand_types[0]]


def test_results_are_checked_against_inference(lib: Any) -> None:
    lib.define("f(Tensor x, int k) -> Tensor")
    lib.infer("f")(infer_same)
    results = [X[0].copy(), X.astype("f8"), X + 1, ir.Tensor(X)]
    lib.impl("f", "cpu", lambda x, k: results[k])
    text = r"^kt::f: kernel cpu \(.*:\d+\) gave f32\[3\] for result 0, inference says f32\[2, 3\]$"
    with pytest.raises(ops.KernelError, match=text):
        ops.call.kt.f(X, 0)
    with pytest.raises(ops.KernelError, match=r"gave f64\[2, 3\] for result 0, inference says f32"):
        ops.call.kt.f(X, 1)
    assert (ops.call.kt.f(X, 2) == X + 1).all()
    with pytest.raises(ops.KernelError, match=r"inference says f32\[4\]"):
        ops.call.kt.f(np.zeros(4, "f4"), 2)


def test_inference_counts_from_its_registration_to_its_end(lib: Any) -> None:
    lib.define("row(Tensor x) -> Tensor")
    lib.impl("row", "cpu", lambda x: x.numpy()[0].copy())
    assert ops.call.kt.row(X).shape == (3,)
    with ops.Library("kt", kind="FRAGMENT") as other:
        other.infer("row")(infer_same)
        with pytest.raises(ops.KernelError, match=r"inference says f32\[2, 3\]"):
            ops.call.kt.row(X)
    assert ops.call.kt.row(X).shape == (3,)
    with (
        ops.add_inferrer(lambda call: [call.operand_types[0]] if call.op == "kt.row" else None),
        pytest.raises(ops.KernelError, match="inference says"),
    ):
        ops.call.kt.row(X)
    assert ops.call.kt.row(X).shape == (3,)


def test_an_inferrer_makes_types_in_the_current_context(lib: Any) -> None:
    """Types of the current context are accepted although a call uses a context of its own."""
    lib.define("flag(Tensor x) -> Tensor")
    lib.infer("flag")(lambda call: [ir.TensorType([3], "bool")])
    lib.impl("flag", "cpu", lambda x: x > 0, as_="numpy")
    contexts = [ir.Context() for _ in range(2)]
    for current in contexts:
        with current:
            assert ops.call.kt.flag(np.array([1, -1, 2], "f4")).tolist() == [True, False, True]
        for context in contexts:
            graph = ir.Graph("g", context=context)
            x = graph.add_input("x", ir.TensorType([3], "f32", context=context))
            graph.outputs = graph.add_node("kt.flag", [x]).results
            with current:
                graph.infer_types()
            assert graph.outputs[0].type == ir.TensorType([3], "bool", context=context)


def test_inference_sees_attributes_and_refuses_operands(lib: Any) -> None:
    lib.define("rep(Tensor x, int times=2) -> Tensor")

    @lib.infer("rep")
    def types(call: Any) -> Any:
        (x,) = call.operand_types
        if x.rank != 1:
            raise ir.VerifyError("x must be a vector")
        with call.context:
            return [ir.TensorType([x.shape[0] * call.attributes["times"]], x.dtype)]

    lib.impl("rep", "cpu", lambda x, times: np.tile(x, times), as_="numpy")
    assert ops.call.kt.rep(np.zeros(3, "f4")).shape == (6,)
    assert ops.call.kt.rep(np.zeros(3, "f4"), 5).shape == (15,)
    with pytest.raises(ir.VerifyError, match="x must be a vector"):
        ops.call.kt.rep(X)


def test_verify_says_what_the_schema_cannot(lib: Any) -> None:
    lib.define("f(Tensor x) -> Tensor")
    lib.infer("f")(infer_same)

    @lib.verify("f")
    def check(call: Any) -> "str | None":
        return "x must not be a matrix" if call.operand_types[0].rank == 2 else None

    lib.impl("f", "cpu", lambda x: x.numpy() + 0)
    assert ops.call.kt.f(X[0]).shape == (3,)
    with pytest.raises(ir.VerifyError, match="x must not be a matrix"):
        ops.call.kt.f(X)
