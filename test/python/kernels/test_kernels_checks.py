"""Operands and attributes that do not fit an operator's schema are rejected before the kernel runs, and its results are
checked: in graphs, in folding and in calls with `out=`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from native_plugins import compile_library
from needs import CC

import ge.ir as ir
import ge.ops as ops
from ge.passes import PassManager

X = np.ones(3, "f4")


@pytest.fixture
def lib() -> Iterator[Any]:
    with ops.Library("kch") as opened:
        yield opened


def graph(op: str, attributes: str = "", operands: str = "%x", result: str = "3xf32") -> ir.Graph:
    types = ", ".join(["tensor<3xf32>"] * operands.count("%"))
    return ir.Graph.parse(
        f"""func.func @main(%x: tensor<3xf32>) -> tensor<{result}> {{
  %a = "kch.{op}"({operands}) {attributes} : ({types}) -> tensor<{result}>
  return %a : tensor<{result}>
}}
"""
    )


@CC
def test_a_node_without_a_required_operand_runs_no_kernel_in_c(lib: Any, tmp_path: Path) -> None:
    source = tmp_path / "k.c"
    source.write_text(
        '#include "ge-c/Kernels.h"\n'
        "int k(void *self, const GeAny *args, int32_t n, GeAny *result) {\n"
        "  (void)self, (void)n;\n"
        '  return geAnyFail(result, args[1].t->ndim ? "ran" : "ran with a number"); }\n'
    )
    library = compile_library(tmp_path / "k.so", source, link=False)
    lib.define("two(Tensor x, Tensor y) -> Tensor", traits=["pure"])
    lib.impl("two", "cpu", symbol=(str(library), "k"))
    with pytest.raises(ops.KernelError, match=r"missing required argument 'y'"):
        graph("two").run([X])
    constant = ir.Graph.parse(
        """func.func @main() -> tensor<3xf32> {
  %x = "ge.Const"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %a = "kch.two"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %a : tensor<3xf32>
}
"""
    )
    PassManager.parse("constant-fold").run(constant)
    assert "kch.two" in str(constant)
    with pytest.raises(ops.KernelError, match="ran"):
        graph("two", operands="%x, %x").run([X])


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ("{k = -1.0 : f32}", r"argument 'k' expects float above 0.0, got float -1.0"),
        ("{s = 5}", r"argument 's' expects str, got int 5"),
        ("{n = [1, 2, 3]}", r"argument 'n' expects int\[2\], got list of 3"),
        ("{bogus = 3}", r"unexpected keyword 'bogus'"),
        ("{b = 2}", r"argument 'b' expects bool, got int 2"),
    ],
)
def test_attributes_of_a_node_that_do_not_fit_reach_no_kernel(
    lib: Any, attributes: str, message: str
) -> None:
    lib.define(
        "f(Tensor x, *, float k=1.0, str s='', int[2] n=[1, 2], bool b=False) -> Tensor",
        ranges={"k": ops.Range(above=0.0)},
    )
    lib.impl("f", "cpu", lambda x, **_: x.numpy())
    with pytest.raises(ops.KernelError, match=r"node '.*' \(kch.f\): .*" + message):
        graph("f", attributes).run([X])


def test_attributes_of_a_node_come_as_the_schema_says(lib: Any) -> None:
    seen: dict[str, Any] = {}
    lib.define(
        "f(Tensor x, Tensor? y, *, float k=0.5, int i=0, int[] l=[], int[2] n=[1, 2], bool b=False) -> Tensor",
        ranges={"k": ops.Range(at_least=0.1, at_most=0.7)},
    )

    def f(x: Any, y: Any, **attributes: Any) -> Any:
        seen.update(attributes, y=y)
        return x.numpy().copy()

    lib.impl("f", "cpu", f)
    for bound in ("0.1", "0.7"):  # rounded to f32, 0.1 is above its f64 value and 0.7 below
        given = f"{{k = {bound} : f32, i = true, l = 7, n = 4, b = 1, tool.note = 3, _own = 3}}"
        graph("f", given).run([X])
    assert repr(seen) == repr({"k": seen["k"], "i": 1, "l": [7], "n": [4, 4], "b": True, "y": None})
    graph("f", "{b = false}").run([X])
    assert seen["b"] is False and seen["n"] == [1, 2]


def test_lists_of_a_fixed_length_have_it_in_calls(lib: Any) -> None:
    lib.define("f(Tensor x, int[2] n) -> Tensor")
    lib.impl("f", "cpu", lambda x, n: x.numpy() * np.float32(sum(n)))
    assert (ops.call.kch.f(X, 3) == 6).all()
    assert (ops.call.kch.f(X, (3, 4)) == 7).all()
    for wrong in ([], [1], [1, 2, 3]):
        with pytest.raises(ops.BindError, match=r"expects int\[2\], got list of"):
            ops.call.kch.f(X, wrong)


def test_results_of_a_kernel_have_the_types_of_the_node(lib: Any) -> None:
    lib.define("f(Tensor x) -> Tensor")
    lib.impl("f", "cpu", lambda x: np.zeros((2, 2), "i4"), as_="numpy")
    with pytest.raises(
        ops.KernelError, match=r"\(kch.f\): its kernel gave i32\[2, 2\] for result 0, its type says"
    ):
        graph("f").run([X])
    (found,) = graph("f", result="?x2xi32").run([X])
    assert found.shape == (2, 2)


def test_each_result_has_its_own_array_of_out(lib: Any) -> None:
    lib.define("f(Tensor x) -> (Tensor, Tensor)")
    lib.infer("f", lambda call: [call.operand_types[0]] * 2)
    lib.impl("f", "cpu", lambda x: (x.numpy() + 1, x.numpy() + 2))
    one = np.empty(3, "f4")
    with pytest.raises(ValueError, match=r"arrays of out for results 0 and 1 share memory"):
        ops.call.kch.f(X, out=(one, one))
    wide = np.empty(5, "f4")
    with pytest.raises(ValueError, match="share memory"):
        ops.call.kch.f(X, out=(wide[:3], wide[2:]))
    columns = np.empty((3, 2), "f4")  # the bounds overlap, the elements do not
    ops.call.kch.f(X, out=(columns[:, 0], columns[:, 1]))
    assert (columns == [[2, 3]] * 3).all()
