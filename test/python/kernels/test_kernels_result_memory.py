"""In whose memory a kernel's results are: what the schema declares holds whatever way the operator is called."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from call_ways import WAYS

import ge.ops as ops

X = np.array([1, 2, 3], np.float32)
# C callers in Python raise RuntimeError with the text of the status.
FAULT = (ops.KernelError, RuntimeError)
RUNS = [way for way in WAYS if way not in ("folding", "opcheck")]


@pytest.fixture
def lib() -> Iterator[Any]:
    with ops.Library("ways") as opened:
        yield opened


def defined(lib: Any, schema: str, kernel: Any) -> str:
    name = schema.split("(")[0]
    lib.define(schema)
    lib.infer(name)(lambda call: [call.operand_types[0]])
    lib.impl(name, "cpu", kernel, as_="numpy")
    return name


@pytest.mark.parametrize("way", RUNS)
@pytest.mark.parametrize("kernel", [lambda x: x, lambda x: x[::-1][::-1]], ids=["itself", "a view"])
def test_memory_of_an_operand_that_is_not_declared(lib: Any, way: str, kernel: Any) -> None:
    name = defined(lib, "same(Tensor x) -> Tensor", kernel)
    with pytest.raises(FAULT, match=r"gave the memory of operand 'x' as result 0.*copy"):
        WAYS[way](name, [X], {})


@pytest.mark.parametrize("way", RUNS)
def test_memory_of_an_element_of_a_list(lib: Any, way: str) -> None:
    name = defined(lib, "second(Tensor x, Tensor y) -> Tensor", lambda x, y: y)
    with pytest.raises(FAULT, match=r"gave the memory of operand 'y' as result 0"):
        WAYS[way](name, [X, X + 1], {})


@pytest.mark.parametrize("way", RUNS)
def test_a_declared_view_is_right(lib: Any, way: str) -> None:
    name = defined(lib, "view(Tensor(a) x) -> Tensor(a)", lambda x: x[:])
    [made] = WAYS[way](name, [X], {})
    assert made.tolist() == X.tolist()


def in_place(x: Any) -> Any:
    x += 1
    return x


def without_result(x: Any) -> None:
    x += 1


@pytest.mark.parametrize("way", RUNS)
@pytest.mark.parametrize("kernel", [in_place, without_result, lambda x: in_place(x)[:]])
def test_a_written_operand_is_the_result(lib: Any, way: str, kernel: Any) -> None:
    name = defined(lib, "bump_(Tensor(a!) x) -> Tensor(a!)", kernel)
    given = X.copy()
    [made] = WAYS[way](name, [given], {})
    assert np.asarray(made).tolist() in ([2, 3, 4], [5, 6, 7])  # later calls write again


@pytest.mark.parametrize("way", RUNS)
def test_numbers_in_other_memory_would_be_lost(lib: Any, way: str) -> None:
    name = defined(lib, "bump_(Tensor(a!) x) -> Tensor(a!)", lambda x: x + 1)
    with pytest.raises(FAULT, match=r"gave other memory .*Tensor\(a!\)"):
        WAYS[way](name, [X.copy()], {})


@pytest.mark.parametrize("way", RUNS)
def test_other_memory_among_several_results(lib: Any, way: str) -> None:
    schema = "split_(Tensor(a!) x) -> (Tensor(a!), Tensor)"
    lib.define(schema)
    lib.infer("split_")(lambda call: [call.operand_types[0]] * 2)
    lib.impl("split_", "cpu", lambda x: (x + 1, x + 2), as_="numpy")
    with pytest.raises(FAULT, match=r"gave other memory .*result 0"):
        WAYS[way]("split_", [X.copy()], {})


def test_folding_leaves_a_node_whose_kernel_breaks_its_promise(lib: Any) -> None:
    lib.define("same(Tensor x) -> Tensor", traits=["pure"])
    lib.infer("same")(lambda call: [call.operand_types[0]])
    lib.impl("same", "cpu", lambda x: x, as_="numpy")
    assert WAYS["folding"]("same", [X], {}) == [None]


def test_opcheck_finds_both(lib: Any) -> None:
    name = defined(lib, "same(Tensor x) -> Tensor", lambda x: x)
    with pytest.raises(ops.OpCheckError, match="memory of operand 'x'"):
        ops.opcheck(f"ways::{name}", [X], {})
    name = defined(lib, "bump_(Tensor(a!) x) -> Tensor(a!)", lambda x: x + 1)
    with pytest.raises(ops.OpCheckError, match="gave other memory"):
        ops.opcheck(f"ways::{name}", [X.copy()], {})
