"""Constant folding calls the CPU kernels of pure operators, whatever evaluator is installed."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from needs import CC

import ge.ir as ir
import ge.ops as ops
from ge.ops import _call
from ge.passes import PassManager

X = np.arange(6, dtype="f4").reshape(2, 3)


@pytest.fixture
def lib() -> Iterator[Any]:
    with ops.Library("kf") as library:
        yield library


@pytest.fixture
def without_evaluator() -> Iterator[None]:
    before = ops.use_evaluator(None)
    yield
    ops.use_evaluator(before)


def same(call: Any) -> Any:
    return [call.operand_types[0]]


def graph_of(count: int = 1) -> ir.Graph:
    """Return a graph with `count` kf.f nodes of the same constant; all of their results are used."""
    kind = ir.TensorType([2, 3], "f32")
    graph = ir.Graph("g")
    given = graph.add_input("in", kind)
    constant = graph.add_node("ge.Const", [], {"value": ir.Tensor(X)}, result_types=kind)
    for i in range(count):
        node = graph.add_node("kf.f", [constant], {"k": i + 1}, result_types=kind)
        graph.outputs.append(
            graph.add_node("onnx.Add", [given, node], result_types=kind).results[0]
        )
    return graph


def fold(graph: ir.Graph) -> list[str]:
    """Run constant-fold and return its remarks."""
    result = PassManager.parse("constant-fold").run(graph)
    return [r.message for each in result.passes for r in each.remarks]


def left(graph: ir.Graph) -> int:
    return sum(node.op == "kf.f" for node in graph.nodes)


def define(lib: Any, traits: "list[str] | None" = None) -> None:
    lib.define("f(Tensor x, *, int k=1) -> Tensor", traits=["pure"] if traits is None else traits)
    lib.infer("f")(same)


@pytest.mark.usefixtures("without_evaluator")
def test_a_pure_operator_is_folded_by_its_kernel(lib: Any) -> None:
    define(lib)
    lib.impl("f", "cpu", lambda x, *, k: x.numpy() * k)
    graph = graph_of(2)
    fold(graph)
    assert left(graph) == 0
    values = [n.attributes["value"].numpy() for n in graph.nodes if n.op == "ge.Const"]
    assert {float(v[1, 2]) for v in values} >= {5.0, 10.0}


@pytest.mark.usefixtures("without_evaluator")
def test_an_operator_that_is_not_pure_stays(lib: Any) -> None:
    define(lib, traits=[])
    lib.impl("f", "cpu", lambda x, *, k: x)
    graph = graph_of()
    fold(graph)
    assert left(graph) == 1


@pytest.mark.usefixtures("without_evaluator")
def test_a_kernel_for_another_backend_is_not_called(lib: Any) -> None:
    define(lib)
    lib.impl("f", "cuda", lambda x, *, k: pytest.fail("called"))
    graph = graph_of()
    fold(graph)
    assert left(graph) == 1


@pytest.mark.usefixtures("without_evaluator")
def test_a_kernel_that_raises_is_one_remark(lib: Any) -> None:
    define(lib)

    @lib.impl("f", "cpu")
    def boo(x: Any, *, k: int) -> Any:
        raise ValueError(f"boo {k}")

    graph = graph_of(3)
    remarks = fold(graph)
    assert left(graph) == 3
    place = f"{__file__}:{boo.__code__.co_firstlineno}"
    (text,) = [r for r in remarks if "kf::f" in r]
    assert f"kf::f: kernel cpu ({place}) raised ValueError: boo" in text
    assert text.endswith("; the node stays")


@pytest.mark.usefixtures("without_evaluator")
def test_a_kernel_that_lies_is_refused(lib: Any) -> None:
    define(lib)
    lib.impl("f", "cpu", lambda x, *, k: np.zeros(3, "f4"))
    graph = graph_of()
    (text,) = [r for r in fold(graph) if "kf::f" in r]
    assert "gave f32[3] for result 0, inference says f32[2, 3]" in text
    assert left(graph) == 1


@pytest.mark.usefixtures("without_evaluator")
def test_the_evaluator_of_a_library(lib: Any) -> None:
    define(lib)
    seen = []

    @lib.evaluate("f")
    def compute(call: Any) -> Any:
        seen.append(call.attributes["k"])
        return [call.operands[0].numpy() + 1]

    graph = graph_of()
    fold(graph)
    assert left(graph) == 0
    assert seen == [1]


KERNEL_IN_C = r"""
#include "ge-c/Kernels.h"
int times(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)numArgs;
  if (args[1].i == 3)
    return geAnyFail(result, "three");
  for (int i = 0; i < 6; ++i)
    ((float *)args[2].t->data)[i] = ((float *)args[0].t->data)[i] * (float)args[1].i;
  return 0;
}
"""


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Return the path of a library with the kernel `times`."""
    source, made = tmp_path / "times.c", tmp_path / "times.so"
    source.write_text(KERNEL_IN_C)
    include = Path(__file__).resolve().parents[3] / "include"
    subprocess.run(
        ["cc", "-shared", "-fPIC", f"-I{include}", "-o", str(made), str(source)], check=True
    )
    return made


@CC
def test_inference_that_looks_at_constants_is_asked_for_each_node(lib: Any, made: Path) -> None:
    asked = []

    def looks(call: Any) -> Any:
        if call.operands[0] is not None:
            asked.append(call.name)
        return [call.operand_types[0]]

    def refuses(call: Any) -> Any:
        if any(t is not None for t in tuple(call)[5]):
            raise ir.VerifyError("it is constant")
        return [call.operand_types[0]]

    def plain(call: Any) -> Any:
        asked.append(call.op)
        return [call.operand_types[0]]

    kind = ir.TensorType([2, 3], "f32")
    for function, folded, least, most in ((looks, 4, 4, 9), (refuses, 0, 0, 0), (plain, 4, 1, 3)):
        with ops.Library("kg") as own:
            own.define("f(Tensor x, *, int k=1) -> Tensor", traits=["pure"])
            own.infer("f")(function)
            own.impl("f", "cpu", symbol=(made, "times"), out=True)
            graph = ir.Graph("g")
            given = graph.add_input("in", kind)
            value = graph.add_node("ge.Const", [], {"value": ir.Tensor(X)}, result_types=kind)
            for _ in range(4):
                value = graph.add_node("kg.f", [value], {"k": 2}, result_types=kind)
            graph.outputs = [graph.add_node("onnx.Add", [given, value], result_types=kind).result]
            asked.clear()
            fold(graph)
        assert sum(n.op == "kg.f" for n in graph.nodes) == 4 - folded
        assert least <= len(asked) <= most, (function, asked)


@CC
def test_kernels_in_c_fold_without_python(
    lib: Any, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    define(lib)
    lib.impl("f", "cpu", symbol=(made, "times"), out=True)

    def refuse(*call: Any, **options: Any) -> Any:
        raise AssertionError("in Python")

    monkeypatch.setattr(_call, "invoke", refuse)
    fold(graph_of())  # drops the evaluator of a library that is closed
    graph = graph_of(2)
    fold(graph)
    assert left(graph) == 0
    values = [n.attributes["value"].numpy() for n in graph.nodes if n.op == "ge.Const"]
    assert {float(v[1, 2]) for v in values} >= {5.0, 10.0}
    graph = graph_of(3)  # the kernel fails for k = 3
    (text,) = [r for r in fold(graph) if "kf::f" in r]
    assert "failed: three" in text
    assert left(graph) == 1

    @lib.evaluate("f")
    def compute(call: Any) -> Any:
        return [call.operands[0].numpy() + 1]

    graph = graph_of()
    fold(graph)
    values = [n.attributes["value"].numpy() for n in graph.nodes if n.op == "ge.Const"]
    assert {float(v[1, 2]) for v in values} == {6.0}  # of the evaluator, not the kernel
