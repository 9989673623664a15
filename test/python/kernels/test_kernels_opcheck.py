"""`opcheck` finds kernels that contradict their operator's record: each check has a test with a wrong kernel."""

import itertools
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ge.ops as ops

X = np.arange(6, dtype="f4").reshape(2, 3)
CHECKS = ["schema", "writes", "aliases", "inference", "pure", "layout", "threads"]


@pytest.fixture
def lib() -> Iterator[Any]:
    with ops.Library("ko") as library:
        yield library


def define(lib: Any, kernel: Any, **options: Any) -> None:
    lib.define("f(Tensor x) -> Tensor", traits=["pure"], infer=lambda call: [call.operand_types[0]])
    lib.impl("f", "cpu", kernel, **{"as_": "numpy", **options})


def fault(check: str) -> str:
    """Return the text of one failed check; assert that all checks before it pass."""
    found = ops.opcheck("ko::f", [X], raises=False)
    assert all(found[c] == "SUCCESS" for c in CHECKS[: CHECKS.index(check)])
    return found[check]


def test_a_good_kernel_passes_every_check(lib: Any) -> None:
    define(lib, lambda x: x + 1)
    before = X.copy()
    assert ops.opcheck("ko::f", [X]) == dict.fromkeys(CHECKS, "SUCCESS")
    assert (before == X).all()


def test_written_operands_are_declared(lib: Any) -> None:
    lib.define("f(Tensor(a!) x, int k=1) -> Tensor(a!)", infer=lambda call: [call.operand_types[0]])

    def add(x: Any, k: int) -> None:
        x += k

    lib.impl("f", "cpu", add)
    before = X.copy()
    assert set(ops.opcheck("ko::f", [X], {"k": 2}).values()) == {"SUCCESS"}
    assert (before == X).all()


def test_operators_without_tensors_to_infer_need_no_inference(lib: Any) -> None:
    lib.define("write(Tensor(a!) x) -> ()")
    lib.impl("write", "cpu", lambda x: x.fill(1), as_="numpy")
    lib.define("rank(Tensor x) -> int")
    lib.impl("rank", "cpu", lambda x: x.ndim, as_="numpy")
    for name in ("write", "rank"):
        assert set(ops.opcheck(f"ko::{name}", [X]).values()) == {"SUCCESS"}


def test_schema(lib: Any) -> None:
    define(lib, lambda x: None)
    assert "gave None for result 0" in fault("schema")
    with pytest.raises(ops.OpCheckError, match=r"ko::f fails 1 checks:\n  schema: ") as caught:
        ops.opcheck("ko::f", [X])
    assert list(caught.value.faults) == ["schema"]


def test_writes(lib: Any) -> None:
    def write(x: Any) -> Any:
        # The kernel bypasses the read-only view.
        base = x.base if x.base is not None else x
        base.reshape(-1)[0] = 99
        return x + 1

    define(lib, write)
    assert fault("writes") == "operand 'x' was changed; declare Tensor(a!), or work on a copy"


def test_aliases(lib: Any) -> None:
    define(lib, lambda x: x)
    assert "memory of operand 'x' as result 0" in fault("schema")


def test_results_that_share_memory(lib: Any) -> None:
    lib.define("f(Tensor x) -> (Tensor, Tensor)", infer=lambda call: [call.operand_types[0]] * 2)

    def both(x: Any) -> Any:
        y = x + 1
        return y, y[::-1]

    lib.impl("f", "cpu", both, as_="numpy")
    assert fault("aliases") == "results 0 and 1 share memory; return a copy of one"


def test_memory_that_the_kernel_keeps(lib: Any) -> None:
    kept = np.zeros((2, 3), "f4")

    def again(x: Any) -> Any:
        np.add(x, 1, out=kept)
        return kept

    define(lib, again)
    assert "result 0 of one call shares memory with result 0 of the next" in fault("aliases")


def test_views_that_the_schema_declares_may_share_memory(lib: Any) -> None:
    lib.define(
        "f(Tensor(a) x) -> (Tensor(a), Tensor(a))", infer=lambda call: [call.operand_types[0]] * 2
    )
    lib.impl("f", "cpu", lambda x: (x, x[:]), as_="numpy")
    assert ops.opcheck("ko::f", [X], raises=False)["aliases"] == "SUCCESS"


def test_inference(lib: Any) -> None:
    lib.define("f(Tensor x) -> Tensor", traits=["pure"])
    lib.impl("f", "cpu", lambda x: x + 1, as_="numpy")
    assert "there is no inference" in fault("inference")


def test_inference_of_empty_operands(lib: Any) -> None:
    define(lib, lambda x: x + 1 if x.size else np.zeros(1, "f4"))
    text = fault("inference")
    assert text.startswith("with operands without elements: ")
    assert "gave f32[1] for result 0, inference says f32[0, 3]" in text


def test_pure(lib: Any) -> None:
    count = itertools.count()
    define(lib, lambda x: x + next(count))
    assert "gave different results" in fault("pure")


def test_layout(lib: Any) -> None:
    define(lib, lambda x: x + x.flags.c_contiguous)
    assert fault("layout") == "operands that are not contiguous gave other results"


def test_threads(lib: Any) -> None:
    main = threading.main_thread()
    define(
        lib,
        lambda x: (
            x + 1
            if threading.current_thread() is main
            else x + np.nan_to_num(np.float32(threading.get_ident() % 1000 + next(numbers)))
        ),
    )
    numbers = itertools.count(2)
    assert "8 threads at once" in fault("threads")


def test_out_is_refused_where_the_result_is_no_tensor(lib: Any) -> None:
    lib.define("count(Tensor x) -> int")
    lib.impl("count", "cpu", lambda x: x.numpy().size)
    with pytest.raises(
        TypeError, match=r"ko::count\(\): out is for results that are tensors; result 0 is int"
    ):
        ops.call.ko.count(X, out=np.zeros(1))
