"""Registration of kernels in Python: accepted definitions, signatures and functions, and the lifetime of kernels."""

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from kernel_libraries import (
    infer_same,
    lib,  # noqa: F401 - a fixture
)

import ge.ir as ir
import ge.ops as ops

X = np.arange(6, dtype="f4").reshape(2, 3)


# --- Registering


def test_impl_before_the_definition() -> None:
    with ops.Library("kt", kind="IMPL") as early:
        early.impl("late", "cpu", lambda x: x + 1, as_="numpy")
        with pytest.raises(AttributeError, match="there is no operator 'kt::late'"):
            ops.call.kt.late(X)
        with ops.Library("kt") as library:
            library.define("late(Tensor x) -> Tensor")
            assert (ops.call.kt.late(X) == X + 1).all()


def test_an_early_kernel_that_does_not_fit_is_set_aside() -> None:
    with ops.Library("kt", kind="IMPL") as early, ops.Library("kt") as library:
        early.impl("late", "cpu", lambda x, y: x)
        library.define("late(Tensor x) -> Tensor")
        with pytest.raises(
            NotImplementedError, match=r"takes \(x, y\), the schema has \(Tensor x\)"
        ):
            ops.call.kt.late(X)


def test_one_kernel_for_an_operator_and_backend(lib: Any) -> None:
    lib.define("f(Tensor x) -> Tensor")
    lib.impl("f", "cpu", lambda x: x + 1, as_="numpy")
    with ops.Library("kt", kind="IMPL") as other:
        text = r"kt::f for cpu is implemented at .*\.py:\d+, and was already at .*\.py:\d+; "
        with pytest.raises(ops.OpSchemaError, match=text + "close that library or pass override"):
            other.impl("f", "cpu", lambda x: x)
        other.impl("f", "cpu", lambda x: x + 2, as_="numpy", override=True)
        assert (ops.call.kt.f(X) == X + 2).all()
        assert len(ops.kernels("kt::f")) == 1
    assert (ops.call.kt.f(X) == X + 1).all()


def test_a_signature_that_does_not_fit_is_refused(lib: Any) -> None:
    lib.define("scale(Tensor x, *, float factor=1.0) -> Tensor")
    text = r"kt::scale: kernel .*\.py:\d+ takes \(x, k\), the schema has \(Tensor x, \*, float factor=1"
    with pytest.raises(ops.OpSchemaError, match=text):

        @lib.impl("scale", "cpu")
        def scale(x: Any, k: Any) -> Any: ...

    assert not ops.kernels("kt::scale")


def test_wrong_registrations(lib: Any) -> None:
    with pytest.raises(ValueError, match="there is no backend 'gpu'; known are cpu, cuda"):
        lib.impl("f", "gpu", lambda: None)
    with pytest.raises(TypeError, match="a kernel must be a callable, not int"):
        lib.impl("f", "cpu", 3)
    with pytest.raises(ops.OpSchemaError, match="cannot be implemented in a library of 'kt'"):
        lib.impl("other::f", "cpu", lambda: None)
    with pytest.raises(ValueError, match="as_ must be"):
        lib.impl("f", "cpu", lambda: None, as_="jax")
    lib.close()
    with pytest.raises(ops.OpSchemaError, match="closed"):
        lib.impl("f", "cpu", lambda: None)
    assert "cpu" in ops.backends()


def test_records_show_their_kernels(lib: Any) -> None:
    record = lib.define("f(Tensor x) -> Tensor")
    assert record.proto().kernels == ()
    lib.impl("f", "cpu", lambda x: x)
    lib.impl("f", "cuda", lambda x: x)
    proto = record.proto()
    assert [k.backend for k in proto.kernels] == ["cpu", "cuda"]
    assert proto.kernels[0].file == __file__
    assert proto.kernels[0].line > 1
    assert ops.proto_from_dict(proto.to_dict()) == proto
    assert f"kernels cpu ({__file__}:" in repr(record)
    found = ops.kernel("kt::f", "cuda")
    assert found is not None
    assert found.backend == "cuda"
    assert ops.kernel("kt::f", "npu") is None


def test_a_kernel_is_gone_with_its_library() -> None:
    class Function:
        def __call__(self, x: Any) -> Any:
            return x.numpy() + 1

    function = Function()
    alive = weakref.ref(function)
    with ops.Library("kt") as library:
        library.define("f(Tensor x) -> Tensor")
        library.impl("f", "cpu", function)
        call = ops.call.kt.f
        call(X)
        del function
        gc.collect()
        assert alive() is not None
    gc.collect()
    assert alive() is None
    with pytest.raises(KeyError, match="kt::f is not registered any more"):
        call(X)


def test_a_kernel_closes_its_library() -> None:
    library = ops.Library("kt")
    library.define("f(Tensor x) -> Tensor")

    @library.impl("f", "cpu", as_="numpy")
    def f(x: Any) -> Any:
        library.close()
        gc.collect()
        return x + 1

    assert (ops.call.kt.f(X) == X + 1).all()
    with pytest.raises(AttributeError):
        ops.call.kt.f


def test_calls_while_libraries_come_and_go(lib: Any) -> None:
    """Eight threads call the operator while the main thread overrides and restores its kernel."""
    lib.define("f(Tensor x) -> Tensor")
    lib.impl("f", "cpu", lambda x: x + 1, as_="numpy")
    stop = threading.Event()
    wrong: list[Any] = []

    def work() -> None:
        while not stop.is_set():
            try:
                value = ops.call.kt.f(X)
            except Exception as error:
                wrong.append(error)
                return
            if not ((value == X + 1).all() or (value == X + 2).all()):
                wrong.append(value)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for _ in range(100):
        with ops.Library("kt", kind="IMPL") as other:
            other.impl("f", "cpu", lambda x: x + 2, as_="numpy", override=True)
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong


# --- Operators from functions, ranges


def test_a_function_is_the_kernel() -> None:
    @ops.op("kt::gelu", traits=["pure"], kernel="cpu", as_="numpy")
    def gelu(x: ir.Tensor, *, scale: float = 2.0) -> ir.Tensor:
        return x * scale  # type: ignore[operator, no-any-return]

    try:
        assert str(gelu.op).startswith("kt::gelu(Tensor x, *, float scale=2.0) -> Tensor")  # type: ignore[attr-defined]
        assert (gelu(X) == X * 2).all()  # type: ignore[arg-type, attr-defined]
        assert (ops.call.kt.gelu(X, scale=3) == X * 3).all()
        with pytest.raises(ops.BindError, match="expects Tensor, got str"):
            gelu("x")  # type: ignore[arg-type]
    finally:
        gelu.library.close()  # type: ignore[attr-defined]


def test_choices_of_a_parameter(lib: Any) -> None:
    lib.define("f(str mode='a') -> str", choices={"mode": ["a", "b"]})
    lib.impl("f", "any", lambda mode: mode)
    assert ops.call.kt.f("b") == "b"
    with pytest.raises(ops.BindError, match="expects one of 'a', 'b', got str 'c'"):
        ops.call.kt.f("c")
    lib.define("flags(bool b=True, int k=1) -> (bool, int)", choices={"b": [True], "k": [1, 2]})
    lib.impl("flags", "any", lambda b, k: (b, k))
    assert ops.call.kt.flags(True, True) == (True, 1)
    for wrong, text in (
        ({"b": False}, "one of True, got bool False"),
        ({"k": False}, "of 1, 2, got"),
    ):
        with pytest.raises(ops.BindError, match=text):
            ops.call.kt.flags(**wrong)
    with pytest.raises(ValueError, match="there is no parameter 'y'"):
        lib.define("g(float x=1.0) -> float", choices={"y": [1.0]})


def test_definitions_take_their_functions(lib: Any) -> None:
    lib.define(
        "f(Tensor x) -> Tensor",
        infer=infer_same,
        verify=lambda call: "no vectors" if call.operand_types[0].rank == 1 else None,
    )
    lib.impl("f", "cpu", lambda x: x[:1] + 0, as_="numpy")
    with pytest.raises(ops.KernelError, match="inference says"):
        ops.call.kt.f(X)
    with pytest.raises(ir.VerifyError, match="no vectors"):
        ops.call.kt.f(X[0])


def test_namespaces_that_are_taken() -> None:
    with pytest.raises(ops.OpSchemaError, match="namespace 'ge' cannot be defined"):
        ops.Library("ge")
    for name in ("math", "nn"):
        with pytest.raises(ops.OpSchemaError, match=f"namespace '{name}' is defined"):
            ops.Library(name)


# --- Global functions: seed 003's registered and packed functions


def test_global_functions(lib: Any) -> None:
    lib.function("kt::add1(int x) -> int", lambda x: x + 1)

    @lib.function("kt::join(str a, *, str b='!') -> str")
    def join(a: str, *, b: str) -> str:
        """Join two texts."""
        return a + b

    assert ops.function("kt::add1")(2) == 3
    assert ops.function("kt::join")("x", b="y") == "xy"
    assert ops.functions("kt") == ["kt::add1", "kt::join"]
    assert ops.get("kt::join").doc == "Join two texts."
    with pytest.raises(KeyError, match="kt::add1"):
        ops.function("kt::add11")
    with pytest.raises(ops.OpSchemaError, match="takes or gives tensors"):
        lib.function("kt::t(Tensor x) -> int", lambda x: 1)
    with pytest.raises(ops.OpSchemaError, match=r"takes \(x\), the schema has \(int x, int y\)"):
        lib.function("kt::two(int x, int y) -> int", lambda x: x)
    assert ops.find("kt", "two") is None


def test_init_api(lib: Any) -> None:
    import types

    lib.function("kt::add1(int x) -> int", lambda x: x + 1)
    module = types.ModuleType("kt_api")
    import sys

    sys.modules["kt_api"] = module
    try:
        assert ops.init_api("kt", "kt_api") == ["add1"]
        assert module.add1(4) == 5
    finally:
        del sys.modules["kt_api"]
