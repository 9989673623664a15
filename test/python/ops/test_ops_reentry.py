"""Arguments that modify their own list or dict while it is read cause no crash: the call succeeds or raises."""

import pytest

import ge.ir as ir
import ge.ops
from ge.es import onnx


class Emptying:
    """Empties a container whenever one of its attributes is looked up."""

    def __init__(self, given):
        self._given = given

    def __getattr__(self, name):
        if not name.startswith("_given"):
            self.__dict__["_given"].clear()
            for _ in range(64):
                bytearray(100)
        raise AttributeError(name)


@pytest.fixture
def x():
    return ir.Graph("g").add_input("x", ir.TensorType([2, 3], ir.f32))


def test_elements_that_empty_their_list_are_an_error(x):
    given = []

    def call(function, items):
        given[:] = items()
        with pytest.raises((TypeError, ValueError)):
            function()

    call(lambda: onnx.Concat(given, axis=0), lambda: [x, Emptying(given), x])
    call(lambda: onnx.Concat(given, axis=0), lambda: [x, [Emptying(given)], x])
    call(lambda: onnx.Transpose(x, perm=given), lambda: [1, Emptying(given), 2])
    call(lambda: onnx.Add(x, given), lambda: [Emptying(given), Emptying(given), 2])


class Allowed:
    """Allowed types that call a function when they are iterated."""

    def __init__(self, run):
        self._run = run

    def __iter__(self):
        self._run()
        return iter(["f32"])


def test_a_definition_reads_its_dicts_before_their_elements_run_code():
    library = ge.ops.Library("reentry")
    docs, type_vars, types = {}, {}, {}

    def empty():
        for given in (docs, type_vars, types):
            given.clear()
        for _ in range(64):
            bytearray(100)

    docs["x"] = "".join(("the ", "operand ", "of it " * 10))
    type_vars["".join(("T", "x"))] = Allowed(empty)
    type_vars["".join(("U", "x"))] = ["f32", "f16"]
    types.update(x="Tx")
    try:
        record = library.define(
            "op(Tensor x) -> Tensor y", docs=docs, type_vars=type_vars, types=types
        )
        assert record.params[0].doc == "the operand " + "of it " * 10
    finally:
        library.close()


def test_a_library_that_is_closed_while_it_defines_says_so():
    library = ge.ops.Library("reentry")
    with pytest.raises(ir.OpSchemaError, match="closed"):
        library.define(
            "op(Tensor x) -> Tensor y", type_vars={"T": Allowed(library.close)}, types={"x": "T"}
        )
