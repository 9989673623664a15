"""Guarantees of calls beyond the basic case: variadic operands and results, result types, closed libraries."""

import gc
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from needs import CC

import ge.ir as ir
import ge.ops as ops
from ge._mlir_like._cext_loader import load

X = np.arange(3, dtype="f4")


@pytest.fixture
def lib() -> Iterator[Any]:
    with ops.Library("kp") as library:
        yield library


# --- Any number of operands and results


def graph_of(op: str, count: int, results: int = 1) -> Any:
    graph = ir.Module("m").add_graph("main")
    inputs = [graph.add_input(f"x{i}", ir.Tensor(X).type) for i in range(count)]
    node = graph.add_node(op, inputs, {}, result_types=[ir.UnknownType()] * results)
    graph.outputs = list(node.results)
    return graph


def test_operators_take_any_number_of_operands(lib: Any) -> None:
    lib.define("total(...) -> Tensor")
    given: list[Any] = []

    @lib.impl("total", "cpu", as_="numpy")
    def total(*xs: Any) -> Any:
        given.extend(xs)
        return sum(xs, np.zeros(3, "f4"))

    for _ in range(3):
        assert ops.call.kp.total(X, X, X).tolist() == (3 * X).tolist()
    assert type(ops.call.kp.total(ir.Tensor(X))) is ir.Tensor
    assert not any(x.flags.writeable for x in given)
    assert graph_of("kp.total", 2).run([X, X])[0].tolist() == (2 * X).tolist()
    lib.impl("total", "cpu", lambda *xs: xs[0], as_="numpy", override=True)
    with pytest.raises(ops.KernelError, match="the memory of operand 'argument 1' as result 0"):
        ops.call.kp.total(X)

    class Far:
        dtype, shape = X.dtype, X.shape

        def __dlpack__(self, **_: Any) -> Any:
            raise AssertionError

        def __dlpack_device__(self) -> tuple[int, int]:
            return (2, 0)

    with pytest.raises(ValueError, match=r"cpu \('argument 1'\) and cuda:0 \('argument 2'\)"):
        ops.call.kp.total(X, Far())
    with pytest.raises(NotImplementedError, match="no kernel for cuda"):
        ops.call.kp.total(Far())


def test_operators_give_any_number_of_results(lib: Any) -> None:
    lib.define("parts(Tensor x, *, int n=2) -> ...")
    lib.define("first(Tensor x) -> (Tensor, ...)")
    lib.impl("parts", "cpu", lambda x, *, n: [x.numpy() + i for i in range(n)])
    lib.impl("first", "cpu", lambda x: (x.numpy() + 0, x.numpy() + 1))
    for _ in range(3):
        made = ops.call.kp.parts(X, n=3)
        assert [one.tolist() for one in made] == [(X + i).tolist() for i in range(3)]
        assert ops.call.kp.parts(X, n=0) == ()
        assert len(ops.call.kp.parts(X, n=1)) == 1
        assert [type(one) for one in ops.call.kp.parts(ir.Tensor(X))] == [ir.Tensor] * 2
        assert [one.tolist() for one in ops.call.kp.first(X)] == [X.tolist(), (X + 1).tolist()]
    made = graph_of("kp.first", 1, results=2).run([X])
    assert [one.tolist() for one in made] == [X.tolist(), (X + 1).tolist()]
    lib.impl("first", "cpu", lambda x: (), override=True)
    with pytest.raises(ops.KernelError, match="gave 0 results, the schema has 1 at least"):
        ops.call.kp.first(X)


# --- Results, operands and exceptions of kernels


@pytest.mark.parametrize(
    ("type_", "good", "wrong"),
    [
        ("int", [1, np.int32(2)], ["str", 1.5, None, True]),
        ("float", [1.0, 2, np.float32(0.5)], ["str", None, True]),
        ("bool", [True, np.bool_(False)], [1, "x", None]),
        ("str", ["a"], [b"a", 1, None]),
        ("int?", [None, 1], ["x", 1.5]),
        ("int[]", [[1, 2], (3,), []], [1, (1.5, "a"), None]),
        ("(int, str)", [(1, "a")], [(1,), (1, 2), 1]),
        ("Any", [None, 1, "a", object()], []),
    ],
)
def test_results_that_are_no_tensors_are_of_their_type(
    lib: Any, type_: str, good: list[Any], wrong: list[Any]
) -> None:
    box: list[Any] = [good[0]]
    lib.function(f"kp::one(int n) -> {type_ if type_[0] != '(' else type_}", lambda n: box[0])
    if type_[0] == "(":
        call = ops.function("kp::one")
        for value, text in (((1, 2), "for result 1, which is str"), ((1,), "gave 1 results")):
            box[0] = value
            with pytest.raises(ops.KernelError, match=text):
                call(1)
        return
    call = ops.function("kp::one")
    for _ in range(3):  # learned calls, too
        for value in good:
            box[0] = value
            assert call(1) is value
        for value in wrong:
            box[0] = value
            with pytest.raises(ops.KernelError, match=r"for result 0, which is "):
                call(1)


def test_an_exception_without_a_text_is_reported(lib: Any) -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("in str")

    def kernel(x: Any) -> Any:
        raise Mute

    lib.define("mute(Tensor x) -> Tensor")
    lib.impl("mute", "cpu", kernel)
    for _ in range(3):
        with pytest.raises(ops.KernelError, match="raised Mute: its text cannot be shown"):
            ops.call.kp.mute(X)


def test_a_producer_of_dlpack_is_called_once(lib: Any) -> None:
    class Once:
        dtype, shape = X.dtype, X.shape
        asked = 0

        def __dlpack__(self, **given: Any) -> Any:
            self.asked += 1
            assert self.asked == 1
            return X.copy().__dlpack__(**given)

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    lib.define("pair(Tensor x, Tensor? y) -> Tensor")
    lib.infer("pair")(lambda call: [call.operand_types[0]])
    for as_ in (None, "numpy"):
        lib.impl("pair", "cpu", lambda x, y: np.asarray(x) + np.asarray(y), as_=as_, override=True)
        for _ in range(3):
            assert np.asarray(ops.call.kp.pair(X, Once())).tolist() == (2 * X).tolist()


def test_faults_of_inference_name_operator_and_place(lib: Any) -> None:
    for name in ("broken", "wrong", "many"):
        lib.define(f"{name}(Tensor x) -> Tensor")
        lib.impl(name, "cpu", lambda x: x.numpy() + 0)
    lib.infer("broken")(lambda call: 1 / 0)
    lib.infer("wrong")(lambda call: ["f32"])
    lib.infer("many")(lambda call: [None, None])
    place = r"kp\.broken: infer \(.*test_kernels_promises\.py:\d+\) raised ZeroDivisionError"
    with pytest.raises(ops.KernelError, match=place):
        ops.call.kp.broken(X)
    with pytest.raises(TypeError, match=r"what the inferrer of kp\.wrong returns"):
        ops.call.kp.wrong(X)
    with pytest.raises(ValueError, match=r"what the inferrer of kp\.many returns"):
        ops.call.kp.many(X)
    with pytest.raises(ops.OpSchemaError, match=r"infer already \(.*test_kernels_promises.py:\d+"):
        lib.infer("many")(lambda call: None)


# --- Records


def test_numbers_of_the_native_way_are_named(lib: Any) -> None:
    native: Any = load("ops")
    assert native._param_codes == {
        name: number
        for number, name in enumerate(
            ["tensor", "int", "float", "bool", "str", "ints", "floats", "other", "object", "any"]
        )
    }
    assert native._kernel_flags == {"out": 1, "strided": 4, "holds_gil": 8, "tvm_ffi": 16}


def test_operators_of_onnx_and_cann_are_called_without_kernels() -> None:
    x = np.array([-1, 2], "f4")
    for call in (ops.call.onnx.Relu, ops.call.ge.Relu, ops.call.nn.Relu):
        assert call(x).tolist() == [0, 2]
    assert type(ops.call.onnx.Relu(ir.Tensor(x))) is ir.Tensor
    out = np.zeros(2, "f4")
    assert ops.call.ge.Relu(x, out=out) is out
    assert out.tolist() == [0, 2]
    pooled, places = ops.call.onnx.MaxPool(
        np.arange(4, dtype="f4").reshape(1, 1, 4), kernel_shape=[2]
    )
    assert pooled.tolist() == [[[1, 2, 3]]]
    assert places is None
    assert ops.get("ge::Relu") == ops.get("nn::Relu")
    with pytest.raises(KeyError, match="ge::Rela"):
        ops.get("ge::Rela")


def test_lists_of_results_have_the_length_that_the_call_says() -> None:
    x = np.arange(6, dtype="f4").reshape(2, 3)

    def shapes(made: Any) -> list[tuple[int, ...]]:
        assert type(made) is list
        return [one.shape for one in made]

    onnx, cann = ops.call.onnx, ops.call.ge
    for _ in range(3):
        parts = onnx.Split(x, num_outputs=3, axis=1)
        assert [one.tolist() for one in parts] == [[[0], [3]], [[1], [4]], [[2], [5]]]
        assert shapes(onnx.Split(x, np.array([1, 2]), axis=1)) == [(2, 1), (2, 2)]
    assert [type(one) for one in onnx.Split(ir.Tensor(x), num_outputs=2)] == [ir.Tensor] * 2
    assert shapes(cann.SplitD(x, split_dim=1, num_split=3)) == [(2, 1)] * 3
    assert shapes(cann.SplitVD(x, size_splits=[1, 2], split_dim=1, num_split=2)) == [(2, 1), (2, 2)]
    assert shapes(cann.Unpack(x, num=2)) == [(3,)] * 2
    assert [one.tolist() for one in cann.IdentityN([x, x + 1])] == [x.tolist(), (x + 1).tolist()]
    for length in (-1, 0, 1 << 40):
        with pytest.raises(
            ValueError, match=rf"Split\(\): 'num_outputs' requires {length} results"
        ):
            onnx.Split(x, num_outputs=length)
    with pytest.raises(NotImplementedError, match="onnx::Split has no kernel for cpu"):
        onnx.Split(x)  # only a node's number of results gives the number of parts
    with pytest.raises(ir.VerifyError, match=r"math::SplitD: .* 2 equal parts do not divide"):
        cann.SplitD(x, split_dim=1, num_split=2)
    with pytest.raises(
        TypeError, match=r"out is for results that are tensors; result 0 is Tensor\[\]"
    ):
        onnx.Split(x, num_outputs=1, out=[x])


def test_what_is_closed_says_where() -> None:
    library = ops.Library("kpc")
    library.define("one(Tensor x) -> Tensor")
    library.impl("one", "cpu", lambda x: x.numpy() + 0)

    @library.cls("Plan")
    class Plan(ops.Object):
        n: int

    call = ops.call.kpc.one
    space = ops.call.kpc
    call(X)
    library.close()
    place = r"test_kernels_promises\.py:\d+"
    for kind, act in (
        (KeyError, lambda: call(X)),
        (AttributeError, lambda: space.one),
        (ops.OpSchemaError, lambda: library.impl("one", "cpu", lambda x: x)),
        (ops.OpSchemaError, lambda: library.infer("one", lambda c: None)),
        (ops.OpSchemaError, lambda: Plan(1)),
    ):
        with pytest.raises(kind, match=place):
            act()


def test_kernels_of_torch_get_copies_of_what_is_immutable() -> None:
    with ops.Library("kpt") as library:
        library.define("f(Tensor x) -> Tensor")
        with pytest.raises(ValueError, match="reads_only is for kernels with as_='torch'"):
            library.impl("f", "cpu", lambda x: x, reads_only=True)


def test_opcheck_asks_for_symbolic_sizes(lib: Any) -> None:
    lib.define("sy(Tensor x) -> Tensor")
    lib.impl("sy", "cpu", lambda x: x.numpy() + 0)
    lib.infer("sy")(lambda call: [call.operand_types[0]])
    assert ops.opcheck("kp::sy", [X])["inference"] == "SUCCESS"
    lib.define("sz(Tensor x) -> Tensor")
    lib.impl("sz", "cpu", lambda x: x.numpy() + 0)
    lib.infer("sz")(
        lambda call: [call.operand_types[0], *map(int, call.operand_types[0].shape)][:1]
    )
    found = ops.opcheck("kp::sz", [X], raises=False)["inference"]
    assert found.startswith("with symbolic sizes: inference raised")


# --- Threads


@pytest.mark.slow
@CC
def test_threads_load_one_file_once(tmp_path: Path) -> None:
    import subprocess

    root = Path(__file__).resolve().parents[3]
    source = tmp_path / "once.cpp"
    source.write_text(
        '#include "ge/library.h"\n'
        'GE_LIBRARY(kponce, m) { m.def("inc_(Tensor(a!) x) -> Tensor(a!)");\n'
        '  m.impl("inc_", ge::cpu, [](ge::MutableTensorView x) { x.data<float>()[0] += 1; });\n'
        '  m.def("both(Tensor(a!) x) -> (Tensor(a!), Tensor y)");\n'
        '  m.infer("both", ge::sameAs(0));\n'
        '  m.impl("both", ge::cpu, [](ge::MutableTensorView x, ge::Out y) {\n'
        "    y.data<float>()[0] = x.data<float>()[0] += 1; }); }\n"
    )
    made = tmp_path / "once.so"
    command = ["c++", "-std=c++20", "-shared", "-fPIC", f"-I{root / 'include'}"]
    subprocess.run([*command, "-o", str(made), str(source)], check=True)
    ready = threading.Barrier(8)
    found: list[Any] = []

    def work() -> None:
        ready.wait()
        try:
            found.append(ops.load_library(made))
        except Exception as error:
            found.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    library = found[0]
    assert all(one is library for one in found), found
    assert ops.load_library(made, library.namespace) is library
    with pytest.raises(ValueError, match=f"is open as '{library.namespace}'; close that library"):
        ops.load_library(made, "other")
    x = np.zeros(1, "f4")
    for number in range(1, 4):  # a kernel need not return the operand that it writes
        assert ops.call.kponce.inc_(x) is x
        assert x[0] == number
    same, fresh = ops.call.kponce.both(x)
    assert same is x
    assert fresh.tolist() == [4]
    library.close()
    gc.collect()
    source.write_text(
        source.read_text().replace("ge::Out y)", "ge::Out y, ge::Out)").replace("kponce", "kptwo")
    )
    subprocess.run([*command, "-o", str(tmp_path / "two.so"), str(source)], check=True)
    with pytest.raises(ops.OpSchemaError, match="is a function"):
        ops.load_library(tmp_path / "two.so")


@pytest.mark.slow
def test_sessions_of_regions_are_shared_by_threads() -> None:
    from ge.run import _regions

    class Slow(type(_regions._sessions)):  # type: ignore[misc]
        """Yields to other threads while the critical section iterates over the sessions."""

        def values(self) -> Any:
            for value in super().values():
                turn.wait(0)
                yield value

    turn = threading.Event()
    graphs = []
    for size in range(1, 80):
        graph = ir.Module("m").add_graph("main")
        value = graph.add_input("x", ir.Tensor(X).type)
        graph.attributes["opset"] = 21
        for _ in range(size):
            value = graph.add_node("onnx.Relu", [value], {}, result_types=[ir.UnknownType()]).result
        graph.outputs = [value]
        graphs.append(graph)
    kept = _regions._sessions
    _regions._sessions = Slow()
    wrong: list[BaseException] = []

    def work(first: int) -> None:
        try:
            for graph in graphs[first::4]:
                assert graph.run([X], isolate=False)[0].tolist() == X.tolist()
        except BaseException as error:
            wrong.append(error)

    try:
        threads = [threading.Thread(target=work, args=(k % 4,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        _regions._sessions = kept
    assert not wrong
