"""An error about an array that cannot be read names the operand that it was passed as, or ``out``."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ge.ir as ir
import ge.ops as ops
from ge import es
from ge.es import onnx as op

X = np.ones(4, "f4")


class Lying:
    """An array of a framework whose DLPack is broken."""

    def __init__(self, gives: Any = None, device: Any = (1, 0)) -> None:
        self.gives, self.device = gives, device

    def __dlpack__(self, **_: Any) -> Any:
        if isinstance(self.gives, BaseException):
            raise self.gives
        return self.gives

    def __dlpack_device__(self) -> Any:
        if isinstance(self.device, BaseException):
            raise self.device
        return self.device


@pytest.fixture
def add() -> Iterator[Any]:
    with ops.Library("kop") as library:
        library.define("add(Tensor a, Tensor b) -> Tensor")
        library.infer("add")(lambda call: [call.operand_types[0]])
        library.impl("add", "cpu", lambda a, b: a.numpy() + b.numpy())
        yield ops.call.kop.add


@pytest.mark.parametrize(
    ("array", "kind", "said"),
    [
        (Lying(RuntimeError("boo")), ValueError, "RuntimeError: boo"),
        (Lying(BufferError("locked")), BufferError, "BufferError: locked"),
        (Lying(5), BufferError, "gave no new capsule"),
        (Lying(device=KeyError("dev")), ValueError, "KeyError: 'dev'"),
        (Lying(device="x"), ValueError, "unpack"),
    ],
)
def test_a_lying_dlpack_is_named(add: Any, array: Any, kind: type, said: str) -> None:
    for words, args, out in (
        ("operand 'a'", (array, X), None),
        ("operand 'b'", (X, array), None),
        ("out", (X, X), array),
    ):
        with pytest.raises(kind) as raised:
            add(*args, out=out)
        text = str(raised.value)
        assert text.startswith(f"kop::add(): {words} cannot be read: Lying gives "), text
        assert said in text
        assert raised.value.__cause__ is not None


def test_an_interrupt_passes(add: Any) -> None:
    with pytest.raises(KeyboardInterrupt):
        add(X, Lying(KeyboardInterrupt()))


@pytest.mark.parametrize(
    "array",
    [
        np.array(["2020-01-01"], "datetime64[D]"),
        np.zeros(4, [("a", "f4"), ("b", "f4")]),
        np.zeros(4, np.longdouble),
        np.zeros(4, np.clongdouble),
    ],
)
def test_an_element_type_that_ge_lacks_is_named(add: Any, array: Any) -> None:
    for name, args in (("a", (array, X)), ("b", (X, array))):
        with pytest.raises(TypeError) as raised:
            add(*args)
        text = f"kop::add(): operand '{name}' has elements of type {array.dtype}"
        assert str(raised.value).startswith(text)


def test_an_array_of_objects_is_named(add: Any) -> None:
    with pytest.raises(TypeError, match=r"kop::add\(\): operand 'b' is an array of objects"):
        add(X, np.array([object()]))


MASKED = np.ma.array([1, 2, 3, 4], mask=[0, 1, 0, 0], dtype=np.float32)
PLAIN = np.ma.array([1, 2, 3, 4], dtype=np.float32)


def network() -> ir.Graph:
    with es.builder("main") as b:
        b.output(op.Neg(b.input("x", ir.TensorType((4,), ir.f32))), name="y")
    return b.graph


def constant(array: Any) -> None:
    with es.builder("main") as b:
        b.output(op.Add(b.input("x", ir.TensorType((4,), ir.f32)), array), name="y")


@pytest.mark.parametrize(
    "take",
    [
        ir.Tensor,
        lambda array: ops.call.kop.add(array, X),
        lambda array: ops.call.kop.add(X, X, out=array),
        lambda array: ops.call.onnx.Neg(array),
        lambda array: network().run([array]),
        constant,
    ],
    ids=["tensor", "operand", "out", "engine", "run", "constant"],
)
def test_masked_elements_are_refused(add: Any, take: Any) -> None:
    """NumPy's conversions drop the mask without a word."""
    for _ in range(3):
        take(PLAIN.copy())
    with pytest.raises((TypeError, ValueError), match=r"masked elements.*array\.filled"):
        take(MASKED.copy())


def test_a_result_with_masked_elements_is_refused(add: Any) -> None:
    with ops.Library("kom") as lib:
        lib.define("mask(Tensor x) -> Tensor")
        lib.impl("mask", "cpu", lambda x: np.ma.masked_equal(x, 2), as_="numpy")
        assert ops.call.kom.mask(np.zeros(2, np.float32)).tolist() == [0, 0]
        with pytest.raises(ops.KernelError, match="result 0 that .*masked elements"):
            ops.call.kom.mask(np.arange(4, dtype=np.float32))
