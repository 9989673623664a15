"""A kernel gets the same arguments, and its results arrive alike, whatever way it is called.

The ways: `ops.call` (the first call and later ones), `graph.run`, `geOpCall`, `geGraphRun`, constant folding and `opcheck`.
What is compared is the value and the class of each argument, and results, aliases and mutation.
"""

import enum
import functools
import inspect
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from call_ways import WAYS, one_node
from foreign_arrays import Bare, Old

import ge.es
import ge.ir as ir
import ge.ops as ops

X = np.array([[1, 2, 3], [4, 5, 6]], np.float32)


@pytest.fixture
def lib() -> Iterator[Any]:
    with ops.Library("ways") as opened:
        yield opened


def described(value: Any) -> Any:
    """Return a value with its class, so that 1, True and 1.0 differ."""
    if isinstance(value, np.ndarray):
        return ("array", value.dtype.name, value.tolist())
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, [described(v) for v in value])
    if isinstance(value, dict):
        return ("dict", {k: described(v) for k, v in value.items()})
    return (type(value).__name__, value)


class Axis(enum.IntEnum):
    ROWS = 1


class Mode(str, enum.Enum):
    SUM = "sum"


F32, F64 = ir.f32, ir.f64
# Type and default of the parameter; what is given (`...`: the default); what arrives.
ARGUMENTS: list[tuple[str, Any, Any]] = [
    ("int a=3", ..., 3),
    ("int a", 2, 2),
    ("int a", True, 1),
    ("int a", np.int64(2), 2),
    ("int a", np.uint8(2), 2),
    ("int a", Axis.ROWS, 1),
    ("int? a=None", ..., None),
    ("int? a=None", np.int32(2), 2),
    ("float a=1", ..., 1.0),
    ("float a", 2, 2.0),
    ("float a", np.float32(0.5), 0.5),
    ("float a", np.float64(0.5), 0.5),
    ("float a", np.int64(2), 2.0),
    ("float a", ml_dtypes.bfloat16(0.5), 0.5),
    ("float? a=2", ..., 2.0),
    ("bool a=True", ..., True),
    ("bool a", np.bool_(True), True),
    ('str a="q"', ..., "q"),
    ("str a", np.str_("ab"), "ab"),
    ("str a", Mode.SUM, "sum"),
    ("int[] a=[1, 2]", ..., [1, 2]),
    ("int[] a", (1, 2), [1, 2]),
    ("int[] a", [np.int64(1), 0, True], [1, 0, 1]),
    ("int[] a", list(np.argsort([3, 1, 2])), [1, 2, 0]),
    ("int[] a", [], []),
    ("int[2] a=3", ..., [3, 3]),
    ("int[2] a", 4, [4, 4]),
    ("int[2] a", np.int64(4), [4, 4]),
    ("int[]? a=None", ..., None),
    ("int[]? a=None", [np.int16(1)], [1]),
    ("float[] a=[1, 2]", ..., [1.0, 2.0]),
    ("float[] a", [np.float32(0.5), 1, np.int64(2)], [0.5, 1.0, 2.0]),
    ("float[] a", [1, 2], [1.0, 2.0]),
    ("bool[] a=[True]", ..., [True]),
    ("bool[] a", [np.bool_(False), True], [False, True]),
    ('str[] a=["a"]', ..., ["a"]),
    ("str[] a", ["b", np.str_("c")], ["b", "c"]),
    ("ScalarType a=f32", ..., F32),
    ("ScalarType a", F64, F64),
    ("ScalarType a", "float64", F64),
    ("ScalarType a", np.float64, F64),
    ("ScalarType a", np.dtype("float64"), F64),
    ("ScalarType a", ml_dtypes.bfloat16, ir.bf16),
    ("ScalarType? a=None", np.int8, ir.i8),
    ("Scalar a=2", ..., 2),
    ("Scalar a", np.float32(0.5), 0.5),
    ("Scalar a", np.int64(2), 2),
    ('(int, str) a=(1, "a")', ..., (1, "a")),
    ("(int, str) a", [2, "b"], (2, "b")),
    ("(int, str) a", (np.int64(2), np.str_("b")), (2, "b")),
    ("(float, int) a=(1, 2)", ..., (1.0, 2)),
    ("(float, int) a", (3, np.int8(4)), (3.0, 4)),
    ("(float, float) a", (3, 4), (3.0, 4.0)),
    ("(int, int) a", (3, 4), (3, 4)),
    ("(int, (float, str)) a", (1, (2, "x")), (1, (2.0, "x"))),
    ("Union(int, str) a=1", ..., 1),
    ("Union(int, str) a", "x", "x"),
]


@pytest.mark.parametrize("way", WAYS)
def test_arguments_arrive_as_declared(lib: Any, way: str) -> None:
    wrong = []
    for number, (declared, given, expected) in enumerate(ARGUMENTS):
        name = f"f{number}"
        lib.define(f"{name}(Tensor x, *, {declared}) -> Tensor", traits=["pure"])
        lib.infer(name)(lambda call: [call.operand_types[0]])
        seen: list[Any] = []

        def kernel(x: Any, *, a: Any, seen: list[Any] = seen) -> Any:
            seen.append(described(a))
            return x * 2

        lib.impl(name, "cpu", kernel, as_="numpy")
        attributes = {} if given is ... else {"a": given}
        try:
            made = WAYS[way](name, [X], attributes)
        except Exception as error:
            wrong.append(f"{declared} = {given!r}: {type(error).__name__}: {error}"[:300])
            continue
        if not seen or any(one != described(expected) for one in seen):
            wrong.append(f"{declared} = {given!r}: {seen[-1:]}, not {described(expected)}")
        if made is not None and not np.array_equal(np.asarray(made[0]), X * 2):
            wrong.append(f"{declared} = {given!r}: the result is {made}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "default",
    ["int[] a=[1]", "float[] a=[1]", "bool[] a=[True]", 'str[] a=["s"]', "int[][] a=[[1]]"],
)
def test_a_kernel_that_changes_its_arguments_changes_those_of_its_call_only(
    lib: Any, way: str, default: str
) -> None:
    lib.define(f"f(Tensor x, *, {default}) -> Tensor", traits=["pure"])
    lib.infer("f")(lambda call: [call.operand_types[0]])
    seen: list[Any] = []

    def kernel(x: Any, *, a: Any) -> Any:
        seen.append(described(a))
        if isinstance(a[0], list):
            a[0].append(7)
        a.append(a[0])
        return x.copy()

    lib.impl("f", "cpu", kernel, as_="numpy")
    for _ in range(2):
        WAYS[way]("f", [X], {})
    assert all(one == seen[0] for one in seen), seen


DTYPES = ["i1", "u2", "i4", "i8", "f2", "f4", "f8", "?", "bfloat16", "float8_e5m2", "complex64"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("as_", [None, "numpy"])
def test_operands_of_every_element_type_and_layout(lib: Any, way: str, as_: "str | None") -> None:
    lib.define("same(Tensor x) -> Tensor", traits=["pure"])
    lib.infer("same")(lambda call: [call.operand_types[0]])
    seen: list[Any] = []

    def kernel(x: Any) -> Any:
        array = x.numpy() if as_ is None else x
        seen.append((type(x).__name__, array.dtype.name, array.tolist()))
        return array.copy()

    lib.impl("same", "cpu", kernel, as_=as_)
    whole = np.arange(24).reshape(4, 6) % 2
    for dtype in DTYPES:
        array = whole.astype(np.dtype(getattr(ml_dtypes, dtype, dtype)))
        layouts = [array, array.T, array[1::2, ::3], array[::-1], array[0, 0], array[:0]]
        for x in layouts:
            if way == "opcheck" and x is not array:
                continue
            x = np.asarray(x)
            seen.clear()
            made = WAYS[way]("same", [x], {})
            kind = "Tensor" if as_ is None else "ndarray"
            if x.size or way not in ("opcheck",):
                assert (kind, x.dtype.name, x.tolist()) in seen
            if made is not None:
                assert np.asarray(made[0]).dtype == x.dtype
                assert np.array_equal(np.asarray(made[0]), x)


class Table(np.ndarray):
    """An array whose operators mean something else."""

    def __mul__(self, other: Any) -> Any:
        return "a product of tables"


@pytest.mark.parametrize("way", ["call", "later calls", "graph.run", "opcheck"])
@pytest.mark.parametrize("kind", [Bare, Old, lambda x: x.view(Table)])
def test_arrays_of_others_are_plain_arrays_of_every_layout_and_element_type(
    lib: Any, way: str, kind: Any
) -> None:
    lib.define("square(Tensor x) -> Tensor", traits=["pure"])
    lib.infer("square")(lambda call: [call.operand_types[0]])
    seen: list[Any] = []

    def kernel(x: Any) -> Any:
        seen.append(type(x))
        return (x * x).astype(x.dtype)

    lib.impl("square", "cpu", kernel, as_="numpy")
    whole = np.arange(24).reshape(4, 6) % 3
    for dtype in ("f4", "i8", "bfloat16", "float8_e5m2", "c8"):
        array = whole.astype(np.dtype(getattr(ml_dtypes, dtype, dtype)))
        for plain in (array, array.T, array[1::2, ::3], array[::-1], array[0, :1], array[:0]):
            x, expected = kind(plain), (plain * plain).astype(plain.dtype)
            if way == "graph.run":
                graph = one_node("square", [plain], {})
                made = [graph.run([x])[0], graph.run({graph.inputs[0].name: x})[0]]
            elif way == "opcheck":
                made = ops.opcheck("ways::square", [x]) and []
            else:
                made = WAYS[way]("square", [x], {})
            for result in made:
                assert np.asarray(result).dtype == plain.dtype
                assert np.array_equal(np.asarray(result), expected)
    assert set(seen) == {np.ndarray}


def test_arrays_of_others_are_literals_of_builders() -> None:
    with ge.es.builder("g") as b:
        x = b.input("x", (2, 3), ir.f32)
        b.output(ge.es.onnx.Add(x, Bare(X[:, ::-1])))
    assert np.array_equal(b.graph.run([X])[0], X + X[:, ::-1])


def test_operators_are_functions_to_the_tools_of_python(lib: Any) -> None:
    lib.define(
        "blend(Tensor x, int k=2, *, float[] w=[1], (int, str)? t=None) -> Tensor",
        doc="Blends x.",
        docs={"k": "How often."},
    )
    lib.define("pair(Tensor x) -> (Tensor a, int b)")
    lib.function("ways::add(int a, int b=1) -> int", lambda a, b: a + b)
    blend = ops.call.ways.blend
    assert (blend.__name__, blend.__qualname__) == ("blend", "blend")
    assert blend.__doc__.startswith("Blends x.")
    assert "k : int, default 2\n    How often." in blend.__doc__
    parameters = inspect.signature(blend).parameters
    assert list(parameters) == ["x", "k", "w", "t", "out"]
    assert parameters["k"].default == 2
    assert parameters["w"].kind is inspect.Parameter.KEYWORD_ONLY
    assert parameters["k"].annotation is int
    assert list(inspect.signature(ops.function("ways::add")).parameters) == ["a", "b"]
    assert ops.function("ways::add").__name__ == "add"

    @functools.wraps(blend)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return blend(*args, **kwargs)

    assert wrapped.__name__ == "blend"
    assert list(inspect.signature(wrapped).parameters)[:2] == ["x", "k"]
    assert "Tensor" in ops.call.ways.pair.__doc__
    assert inspect.signature(ops.call.onnx.Relu).parameters
    assert ops.call.onnx.Relu.__doc__
    assert (ops.Operator.__name__, type(ops.Operator.__doc__)) == ("Operator", str)


@pytest.mark.parametrize("way", [w for w in WAYS if w != "folding"])
def test_a_written_operand_is_the_result_with_its_alias(lib: Any, way: str) -> None:
    lib.define("add_(Tensor(a!) x, Tensor y) -> Tensor(a!)")
    lib.infer("add_")(lambda call: [call.operand_types[0]])

    @lib.impl("add_", "cpu", as_="numpy")
    def add(x: Any, y: Any) -> None:
        x += y

    x, y = X.copy(), np.ones_like(X)
    made = WAYS[way]("add_", [x, y], {})
    times = {"call": 1, "later calls": 4}.get(way, 0)
    assert np.array_equal(x, X + times)  # in graphs and in C the caller's own stays
    if made is not None:
        assert np.array_equal(np.asarray(made[0]), X + max(times, 1))
        assert way not in ("call", "later calls") or made[0] is x


@pytest.mark.parametrize("way", WAYS)
def test_several_results_and_absent_operands(lib: Any, way: str) -> None:
    lib.define(
        "both(Tensor x, Tensor? y=None, *, int k=2) -> (Tensor a, Tensor b)", traits=["pure"]
    )
    lib.infer("both")(lambda call: [call.operand_types[0], call.operand_types[0]])
    seen: list[Any] = []

    def kernel(x: Any, y: Any, *, k: int) -> Any:
        seen.append(y is None)
        return x * k, x + (0 if y is None else y)

    lib.impl("both", "cpu", kernel, as_="numpy")
    for operands in ([X], [X, X]):
        seen.clear()
        made = WAYS[way]("both", operands, {})
        assert set(seen) == {len(operands) == 1}
        if made is not None:
            first, second = made[0] if way in ("call", "later calls") else made
            assert np.array_equal(first, X * 2)
            assert np.array_equal(second, X * len(operands))


@pytest.mark.parametrize("way", WAYS)
def test_a_kernel_of_out_buffers(lib: Any, way: str) -> None:
    lib.define("twice(Tensor x) -> Tensor", traits=["pure"])
    lib.infer("twice")(lambda call: [call.operand_types[0]])

    @lib.impl("twice", "cpu", as_="numpy", out=True)
    def twice(x: Any, out: Any) -> None:
        out[...] = x * 2

    made = WAYS[way]("twice", [X], {})
    assert made is None or np.array_equal(np.asarray(made[0]), X * 2)


@pytest.mark.parametrize("way", ["call", "later calls"])
def test_out_of_a_direct_call(lib: Any, way: str) -> None:
    lib.define("twice(Tensor x) -> Tensor", traits=["pure"])
    lib.infer("twice")(lambda call: [call.operand_types[0]])
    lib.impl("twice", "cpu", lambda x: x * 2, as_="numpy")
    for out in (np.zeros_like(X), np.zeros((3, 2), "f4").T, np.zeros((2, 6), "f4")[:, ::2]):
        made = WAYS[way]("twice", [X], {"out": out})
        assert made[0] is out
        assert np.array_equal(out, X * 2)


@pytest.mark.parametrize("way", WAYS)
def test_a_function_whose_hint_is_a_tuple_of_one(lib: Any, way: str) -> None:
    lib.close()

    @ops.op("ways::single", kernel="cpu", as_="numpy", traits=["pure"],
            infer=lambda call: [call.operand_types[0]])  # fmt: skip
    def single(x: ir.Tensor) -> tuple[ir.Tensor]:
        return (x * 2,)  # type: ignore[return-value, operator]

    with single.library:  # type: ignore[attr-defined]
        made = WAYS[way]("single", [X], {})
    assert made is None or np.array_equal(np.asarray(made[0]), X * 2)


@pytest.mark.parametrize(
    "way", ["call", "later calls", "graph.run", "geOpCall", "geGraphRun", "folding"]
)
@pytest.mark.parametrize(
    "result",
    [
        np.array([object()]),
        np.array([None]),
        np.array([1, "a"], object),
        np.array([(1, 2)], [("a", "i4"), ("b", "i4")]),
        np.array([1], "timedelta64[s]"),
    ],
)
def test_results_that_are_no_tensors_are_errors_of_the_kernel(
    lib: Any, way: str, result: Any
) -> None:
    lib.define("odd(Tensor x) -> Tensor", traits=["pure"])
    lib.infer("odd")(lambda call: [ir.TensorType([1], ir.f32)])
    lib.impl("odd", "cpu", lambda x: result, as_="numpy")
    if way == "folding":  # a remark, and the node stays
        assert WAYS[way]("odd", [X], {}) == [None]
        return
    with pytest.raises((ops.KernelError, RuntimeError), match="odd"):
        WAYS[way]("odd", [X], {})


def test_a_result_of_long_doubles_is_no_tensor(lib: Any) -> None:
    lib.define("wide(Tensor x) -> Tensor")
    lib.impl("wide", "cpu", lambda x: x.astype(np.longdouble), as_="numpy")
    with pytest.raises(ops.KernelError, match="elements of type .*, which GE does not have"):
        ops.call.ways.wide(X)


def test_operands_that_are_no_tensors_are_refused(lib: Any) -> None:
    lib.define("odd(Tensor x) -> str")
    lib.impl("odd", "cpu", lambda x: "called", as_="numpy")
    for array in (np.array([object()]), np.array([None]), np.array([1], "datetime64[s]")):
        with pytest.raises(TypeError, match=r"ways::odd\(\): operand 'x'"):
            ops.call.ways.odd(array)
    assert ops.call.ways.odd(np.array(["a", b"b"], object)) == "called"


def test_a_graph_refuses_inputs_that_are_objects() -> None:
    graph = ir.Graph("g")
    graph.outputs = [graph.add_input("x", ir.TensorType([1], ir.string))]
    assert graph.run([np.array(["a"], object)])[0].tolist() == ["a"]
    with pytest.raises(ValueError, match="input 'x'.*objects"):
        graph.run([np.array([object()])])
