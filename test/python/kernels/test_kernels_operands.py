"""An error about an array that cannot be read names the operand that it was passed as, or ``out``."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ge.ops as ops

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
