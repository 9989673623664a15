"""constant-fold evaluates natively to the results that ONNX expects, and calls an evaluator once per node.

Which nodes it folds is tested in test/Passes and test_passes_builtin.py.
"""

import collections
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ge.onnx
from ge import ops
from ge.passes import PassManager

onnx = pytest.importorskip("onnx")
from onnx import numpy_helper  # noqa: E402
from onnx.backend.test.loader import load_model_tests  # noqa: E402
from onnx.parser import parse_model  # noqa: E402

# The nodes after the two Exps make the pass run several rounds.
MODEL = """<ir_version: 8, opset_import: ["" : 17]>
g (float[2] x) => (float[2] y) <float[2] w = {0, 1}, float[2] v = {2, 3}>
{ e = Exp(w)  f = Exp(v)  a = Add(x, e)  b = Add(a, f)  c = Identity(b)  y = Abs(c) }"""


@pytest.fixture(autouse=True)
def chosen_evaluator() -> Iterator[None]:
    before = ops.evaluator()
    yield
    ops.use_evaluator(before)


def test_an_evaluator_that_fails_is_called_once_in_all_rounds() -> None:
    asked: list[str] = []

    def refuse(call: Any) -> Any:
        asked.append(call.op)
        raise RuntimeError("not today")

    ops.use_evaluator(refuse)
    module = ge.onnx.from_onnx(parse_model(MODEL))
    result = PassManager.parse("optimize").run(module)
    rounds = sum(r.name == "constant-fold" for r in result.passes)
    assert (rounds > 1, asked) == (True, ["onnx.Exp"] * 2)
    PassManager.parse("optimize").run(module)
    assert len(asked) == 4  # another run calls it again: the evaluator may have been replaced


HEAD = """<ir_version: 8, opset_import: ["" : 17]>
g (float[2] x) => (float[2] y)"""
# A list attribute of a Constant is converted to a new tensor in each round.
LISTED = {
    "onnx.Exp": f"{HEAD} {{ k = Constant <value_floats = [1.0, 2.0]> ()  e = Exp(k)",
    "onnx.ArgMax": f"{HEAD} {{ k = Constant <value_ints = [1, 2]> ()  i = ArgMax(k)  e = CastLike(i, x)",
}


@pytest.mark.parametrize("op", LISTED)
def test_operands_are_the_same_by_what_is_in_them(op: str) -> None:
    asked: list[str] = []

    def refuse(call: Any) -> Any:
        asked.append(call.op)
        raise RuntimeError("not today")

    ops.use_evaluator(refuse)
    module = ge.onnx.from_onnx(
        parse_model(f"{LISTED[op]}  a = Add(x, e)  b = Identity(a)  y = Abs(b) }}")
    )
    result = PassManager.parse("infer-types,fixpoint(constant-fold,eliminate-identity)").run(module)
    assert (len(result.passes), asked) == (5, [op])


def test_the_next_evaluator_gets_what_the_one_before_could_not_evaluate() -> None:
    def refuse(call: Any) -> Any:
        raise RuntimeError("not today")

    def compute(call: Any) -> Any:
        return [np.exp(call.operands[0].numpy())]

    def exchange(name: str, *_: object) -> None:
        if name == "constant-fold":
            ops.use_evaluator(compute)

    ops.use_evaluator(refuse)
    module = ge.onnx.from_onnx(parse_model(MODEL))
    manager = PassManager.parse("infer-types,fixpoint(constant-fold,eliminate-identity)")
    manager.add_hook(after=exchange).run(module)
    assert "onnx.Exp" not in {n.op for n in module.graphs[0].nodes}


def arrayed(data: Any) -> Any:
    return numpy_helper.to_array(data) if isinstance(data, onnx.TensorProto) else data


def folded(case: Any) -> tuple[Any, Any] | None:
    """Return the natively evaluated and the expected output of a case; None if the case is not evaluated natively."""
    model = onnx.ModelProto.FromString(case.model.SerializeToString())
    inputs, outputs = ([arrayed(a) for a in some] for some in case.data_sets[0])
    if len(model.graph.node) != 1 or len(outputs) != 1 or len(inputs) != len(model.graph.input):
        return None
    if not all(isinstance(a, np.ndarray | np.generic) for a in [*inputs, *outputs]):
        return None
    for value, array in zip(model.graph.input, inputs, strict=True):
        model.graph.initializer.append(numpy_helper.from_array(np.asarray(array), value.name))
    del model.graph.input[:]
    # An Identity at the end: a graph output cannot be a constant.
    name = model.graph.output[0].name
    model.graph.node.append(onnx.helper.make_node("Identity", [name], ["end"], "end"))
    model.graph.output[0].name = "end"
    module = ge.onnx.from_onnx(model)
    PassManager.parse("infer-types,constant-fold").run(module)
    (source,) = module.graphs[0].find("end").operands
    if source.node.op != "ge.Const":
        return None
    return source.node.attributes["value"].numpy(), outputs[0]


def test_native_evaluation_gives_what_onnx_expects() -> None:
    """Covers ONNX's test cases of single nodes, without a runtime."""
    ops.use_evaluator(None)
    seen: collections.Counter[str] = collections.Counter()
    for case in load_model_tests(kind="node"):
        found = folded(case)
        if found is None:
            continue
        got, expected = found
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape), case.name
        if got.dtype.kind == "V":  # NumPy does not recognize NaN in these types
            got, expected = got.astype(np.float64), expected.astype(np.float64)
        np.testing.assert_array_equal(got, expected, err_msg=case.name)
        seen[case.model.graph.node[0].op_type] += 1
    assert {"Gather", "GatherElements", "GatherND", "CumSum", "Slice", "Cast", "Add"} <= set(seen)
    assert sum(seen.values()) >= 200, seen


@pytest.mark.nosan  # onnxruntime's libraries are not instrumented
@pytest.mark.parametrize("to", [16, 17, 18, 19, 20])
def test_casts_to_narrow_floats_are_those_of_the_runtime(
    to: int, capfd: pytest.CaptureFixture[str]
) -> None:
    """onnxruntime gives NumPy the bits of 8-bit floats; the reference evaluator answers instead."""
    ort = pytest.importorskip("onnxruntime")
    from onnx import helper

    weights = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)

    def data(saturate: int) -> Any:
        ends = {"saturate": saturate} if to > 16 else {}
        nodes = [helper.make_node("Cast", ["w"], ["c"], to=to, **ends), helper.make_node("Cast", ["c"], ["y"], to=1)]  # fmt: skip
        result = helper.make_tensor_value_info("y", 1, weights.shape)
        graph = helper.make_graph(nodes, "g", [], [result], [numpy_helper.from_array(weights, "w")])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)

    def run(model: bytes) -> Any:
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        return ort.InferenceSession(model, options).run(None, {})[0]

    for saturate in (1, 0):  # without it, runtimes disagree beside the largest number
        module = ge.onnx.load(data(saturate).SerializeToString())
        ge.onnx.optimize(module)
        after = ge.onnx.to_onnx(module)
        assert len(after.graph.node) == (1 if saturate or to == 16 else 2)
        np.testing.assert_array_equal(run(after.SerializeToString()), run(data(saturate).SerializeToString()))  # fmt: skip
    assert not capfd.readouterr().err
