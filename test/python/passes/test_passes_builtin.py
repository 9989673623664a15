"""Built-in passes keep results and names, and a second run changes nothing.

The nine light networks of the `onnx` package, and the exported models where present, run before and after
`optimize` under onnxruntime without its optimizations; they have as few nodes as other simplifiers leave. Random
small graphs run the same way under each pass and under all passes; not under the reference evaluator, which adds
the bias of a grouped ConvTranspose wrongly. Not covered here: the rewrites of each pass (test/Passes).
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.capi.onnxruntime_pybind11_state import Fail

import ge.onnx
from ge import ops
from ge.passes import PassManager

BUILD = Path(os.environ.get("GE_BUILD_DIR", Path(sys.prefix)))
GE_OPT = BUILD / "bin" / "ge-opt"
EXPORTED = Path(__file__).resolve().parents[2] / "models"
LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"

# The fewest nodes, without Constant and ConstantOfShape, left by any of onnxsim 0.8, onnxslim 0.1,
# onnxscript's optimizer and onnxruntime's basic level.
FEWEST = {
    "light_bvlc_alexnet": 22,
    "light_densenet121": 491,
    "light_inception_v1": 138,
    "light_inception_v2": 154,
    "light_resnet50": 123,
    "light_shufflenet": 154,
    "light_squeezenet": 65,
    "light_vgg19": 44,
    "light_zfnet512": 22,
    "bert_dynamo": 64,
    "bert_script": 66,
    "gpt2_dynamo": 80,
    "resnet_dynamo": 48,
    "vit_script": 58,
    "lstm_script": 11,
    "t5_script": 84,
    "llama_script": 135,
    "mobilenet_script": 97,
}
MOST_GROWTH = 1 << 20


def model_path(name: str) -> Path:
    return (LIGHT if name.startswith("light") else EXPORTED) / f"{name}.onnx"


def run_passes(data: bytes, pipeline: str) -> bytes:
    """Return the model after a pipeline."""
    module = ge.onnx.load(data)
    PassManager.parse(pipeline).run(module)
    return ge.onnx.to_bytes(module)


def session(data: bytes) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def inputs_of(model: onnx.ModelProto) -> list[onnx.ValueInfoProto]:
    """Return the inputs without weights, which old models list as inputs."""
    weights = {tensor.name for tensor in model.graph.initializer}
    return [value for value in model.graph.input if value.name not in weights]


def random_input(value: onnx.ValueInfoProto, seed: int) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(seed)
    tensor = value.type.tensor_type
    shape = [dim.dim_value or 2 for dim in tensor.shape.dim]
    dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    if dtype.kind in "ui":
        return rng.integers(0, 2 if "mask" in value.name else 50, shape).astype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


def count_nodes(model: onnx.ModelProto) -> int:
    return sum(node.op_type not in ("Constant", "ConstantOfShape") for node in model.graph.node)


@cache
def optimized(name: str) -> bytes:
    return run_passes(model_path(name).read_bytes(), "optimize")


@pytest.mark.slow
@pytest.mark.parametrize("name", FEWEST)
def test_optimized_network(name: str) -> None:
    """Outputs stay equal, other simplifiers leave no fewer nodes, operators are standard, the file does not grow."""
    before = model_path(name).read_bytes()
    after = optimized(name)
    was, is_now = onnx.load_from_string(before), onnx.load_from_string(after)
    onnx.checker.check_model(is_now)
    assert {node.domain for node in is_now.graph.node} <= {"", "ai.onnx"}
    assert [output.name for output in is_now.graph.output] == [o.name for o in was.graph.output]
    assert [i.name for i in inputs_of(is_now)] == [i.name for i in inputs_of(was)]
    assert count_nodes(is_now) <= FEWEST[name]
    assert len(after) <= len(before) + MOST_GROWTH
    feed = {v.name: random_input(v, seed) for seed, v in enumerate(inputs_of(was))}
    for expected, got in zip(
        session(before).run(None, feed), session(after).run(None, feed), strict=True
    ):
        assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
        # Folding weights rounds them once more.
        scale = max(1e-6, float(np.abs(expected).max()))
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=2e-5 * scale)


@pytest.mark.parametrize("name", FEWEST)
def test_second_run_changes_nothing(name: str) -> None:
    once = optimized(name)
    assert run_passes(once, "optimize") == once


# --- Random graphs ---------------------------------------------------------------------------------

PASSES = (
    "cse",
    "constant-fold",
    "dce",
    "eliminate-identity",
    "fold-batch-norm",
    "fold-pad",
    "fold-scale",
    "fuse-matmul-add",
    "merge-chains",
    "merge-matmuls",
    "share-weights",
    "simplify-shapes",
    "unflatten-gemm",
    "optimize",
)


class Graph:
    """A random graph over inputs of type f32[2, 3, 4] and the values computed from them."""

    def __init__(self, draw: Callable[[Any], Any]) -> None:
        self.draw = draw
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.values = ["x", "y"]

    def pick(self) -> str:
        return str(self.draw(st.sampled_from(self.values)))

    def const(self, array: Any, dtype: Any = np.float32) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(array, dtype), name))
        return name

    def node(self, op: str, *operands: str, **attributes: Any) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, operands, [name], name=f"n_{name}", **attributes))
        return name

    def number(self) -> Any:
        value = self.draw(st.sampled_from([0.0, 1.0, 0.5, -2.0]))
        shape = self.draw(st.sampled_from([(), (1,), (4,), (3, 1), (1, 1, 1)]))
        return np.full(shape, value, np.float32)

    def add(self) -> None:
        step = self.draw(st.sampled_from(STEPS))
        self.values.append(step(self))


def unary(g: Graph) -> str:
    return g.node(
        g.draw(st.sampled_from(["Relu", "Neg", "Abs", "Identity", "Sigmoid", "Dropout"])), g.pick()
    )


def binary(g: Graph) -> str:
    return g.node(g.draw(st.sampled_from(["Add", "Mul", "Sub", "Max"])), g.pick(), g.pick())


def with_number(g: Graph) -> str:
    op = g.draw(st.sampled_from(["Add", "Mul", "Sub"]))
    operands = [g.pick(), g.const(g.number())]
    if g.draw(st.booleans()):
        operands.reverse()
    return g.node(op, *operands)


def divided(g: Graph) -> str:
    return g.node("Div", g.pick(), g.const(g.draw(st.sampled_from([1.0, 2.0]))))


def transposed(g: Graph) -> str:
    perm = g.draw(st.permutations([0, 1, 2]))
    back = [perm.index(i) for i in range(3)]
    value = g.node("Transpose", g.pick(), perm=perm)
    if g.draw(st.booleans()):
        value = g.node("Relu", value)
    return g.node("Transpose", value, perm=back)


def reshaped(g: Graph) -> str:
    shape = g.draw(st.sampled_from([[6, 4], [-1], [2, 12], [0, 4, 3], [2, 1, 3, 4], [0, -1]]))
    value = g.node("Reshape", g.pick(), g.const(shape, np.int64))
    return g.node("Reshape", value, g.const([2, 3, 4], np.int64))


def by_shape(g: Graph) -> str:
    of = g.node("Shape", g.pick())
    size = g.node("Gather", of, g.const(g.draw(st.sampled_from([0, -3])), np.int64), axis=0)
    lead = g.node("Unsqueeze", size, g.const([0], np.int64))
    shape = g.node("Concat", lead, g.const([-1, 4], np.int64), axis=0)
    return g.node("Reshape", g.pick(), shape)


def cast(g: Graph) -> str:
    through = g.draw(st.sampled_from([TensorProto.DOUBLE, TensorProto.FLOAT, TensorProto.INT32]))
    return g.node("Cast", g.node("Cast", g.pick(), to=through), to=TensorProto.FLOAT)


def sliced(g: Graph) -> str:
    axis = g.draw(st.integers(-3, 2))
    size = (2, 3, 4)[axis]
    cut = g.draw(st.integers(0, size))
    axes = g.const([axis], np.int64)
    ends = g.const([g.draw(st.sampled_from([size, 2**63 - 1]))], np.int64)
    x = g.pick()
    left = g.node("Slice", x, g.const([0], np.int64), g.const([cut], np.int64), axes)
    right = g.node("Slice", x, g.const([cut], np.int64), ends, axes)
    return g.node("Concat", left, right, axis=axis)


def sliced_twice(g: Graph) -> str:
    start, end = g.draw(st.integers(0, 3)), g.draw(st.integers(0, 5))
    axes = g.const([2], np.int64)
    value = g.node("Slice", g.pick(), g.const([start], np.int64), g.const([4], np.int64), axes)
    value = g.node("Slice", value, g.const([0], np.int64), g.const([end], np.int64), axes)
    total = g.node("ReduceSum", value, axes, keepdims=1)
    return g.node("Add", total, g.pick())


def padded(g: Graph) -> str:
    one, two = (g.draw(st.integers(0, 2)) for _ in range(2))
    value = g.node("Pad", g.pick(), g.const([0, 0, one, 0, 0, 0], np.int64))
    value = g.node("Pad", value, g.const([0, 0, two, 0, 0, 1], np.int64))
    return g.node(
        "Slice",
        value,
        g.const([one + two], np.int64),
        g.const([one + two + 4], np.int64),
        g.const([2], np.int64),
    )


def matrix(g: Graph) -> str:
    weight = g.const(np.linspace(-1, 1, 16).reshape(4, 4))
    value = g.node("MatMul", g.pick(), weight)
    if g.draw(st.booleans()):
        value = g.node("Add", value, g.const([1.0, 2.0, 3.0, 4.0]))
    if g.draw(st.booleans()):
        value = g.node("Mul", value, g.const(0.5))
    return value


def gemm(g: Graph) -> str:
    flat = g.node("Reshape", g.pick(), g.const([-1, 4], np.int64))
    weight = np.linspace(-1, 1, 16).reshape(4, 4)
    if g.draw(st.booleans()):
        value = g.node("MatMul", flat, g.const(weight))
        value = g.node("Add", value, g.const(g.draw(st.sampled_from([0.5, [1.0, 2.0, 3.0, 4.0]]))))
    else:
        value = g.node(
            "Gemm",
            flat,
            g.const(weight),
            g.const([1.0, 2.0, 3.0, 4.0]),
            transB=g.draw(st.integers(0, 1)),
        )
    return g.node("Reshape", value, g.const([2, 3, 4], np.int64))


def convolution(g: Graph) -> str:
    if g.draw(st.booleans()):
        value = g.node("Conv", g.pick(), g.const(np.linspace(-1, 1, 9).reshape(3, 3, 1)))
    else:
        value = g.node(
            "ConvTranspose", g.pick(), g.const(np.linspace(-1, 1, 3).reshape(3, 1, 1)), group=3
        )
    if g.draw(st.booleans()):
        parts = [
            g.const(part)
            for part in ([1.0, 2.0, 3.0], [0.5, 0.0, -1.0], [1.0, 0.0, 1.0], [1.0, 2.0, 4.0])
        ]
        value = g.node("BatchNormalization", value, *parts)
    if g.draw(st.booleans()):
        value = g.node(
            g.draw(st.sampled_from(["Mul", "Add"])), value, g.const([[2.0], [3.0], [1.0]])
        )
    return value


def branch(g: Graph) -> str:
    x = g.pick()
    bodies = {}
    for slot, op in (("then_branch", "Neg"), ("else_branch", "Identity")):
        name = f"{slot}_{len(g.nodes)}"
        inner = [
            helper.make_node("Relu", [x], [f"r_{name}"]),
            helper.make_node(op, [f"r_{name}"], [name]),
        ]
        output = helper.make_tensor_value_info(name, TensorProto.FLOAT, (None, 3, 4))
        bodies[slot] = helper.make_graph(inner, slot, [], [output])
    condition = g.const(g.draw(st.booleans()), np.bool_)
    if g.draw(st.booleans()):
        condition = g.node("Not", g.node("Equal", g.const(1, np.int64), g.const(2, np.int64)))
    return g.node("If", condition, **bodies)


STEPS = (
    unary,
    binary,
    with_number,
    divided,
    transposed,
    reshaped,
    by_shape,
    cast,
    sliced,
    sliced_twice,
    padded,
    matrix,
    gemm,
    convolution,
    branch,
)


@st.composite
def random_models(draw: Callable[[Any], Any]) -> onnx.ModelProto:
    g = Graph(draw)
    for _ in range(draw(st.integers(1, 10))):
        g.add()
    lead = draw(st.sampled_from([2, "N"]))
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, (lead, 3, 4)) for name in ("x", "y")
    ]
    names = draw(st.lists(st.sampled_from(g.values[2:]), min_size=1, max_size=3, unique=True))
    outputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, (lead, 3, 4)) for name in names
    ]
    graph = helper.make_graph(g.nodes, "random", inputs, outputs, g.weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


@pytest.mark.slow
@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(model=random_models(), pipeline=st.sampled_from(PASSES))
def test_random_graph(model: onnx.ModelProto, pipeline: str) -> None:
    """Each pass, and all passes together, keep the outputs and their names on any graph."""
    feed = {v.name: random_input(v, seed) for seed, v in enumerate(model.graph.input)}
    try:
        expected = session(model.SerializeToString()).run(None, feed)
    except Fail:
        reject()  # onnxruntime drops a value that only the bodies of an unused If capture
    data = run_passes(model.SerializeToString(), pipeline)
    after = onnx.load_from_string(data)
    onnx.checker.check_model(after)
    assert [o.name for o in after.graph.output] == [o.name for o in model.graph.output]
    got = session(data).run(None, feed)
    for e, g in zip(expected, got, strict=True):
        assert (g.shape, g.dtype) == (e.shape, e.dtype)
        np.testing.assert_allclose(
            g, e, rtol=1e-4, atol=1e-4 * max(1.0, float(np.abs(e).max(initial=0.0)))
        )
    if pipeline == "optimize":
        assert run_passes(data, pipeline) == data


# --- Foreign evaluation ----------------------------------------------------------------------------


def model_of(nodes: list[onnx.NodeProto], weights: dict[str, Any]) -> bytes:
    """Return a model from x to y, both f32[3]."""
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, (3,)) for name in "xy")
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()]
    graph = helper.make_graph(nodes, "main", [x], [y], tensors)
    opsets = [helper.make_opsetid("", 18)]
    return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString())


def operators(data: bytes) -> list[str]:
    return [node.op_type for node in onnx.load_from_string(data).graph.node]


@pytest.fixture
def chosen_evaluator() -> Iterator[None]:
    before = ops.evaluator()
    yield
    ops.use_evaluator(before)


@pytest.mark.usefixtures("chosen_evaluator")
def test_installed_evaluator_folds_what_is_not_native() -> None:
    """The evaluator is called for Exp, never for random numbers; if it fails, the node stays."""
    weights = {"w": np.array([0.0, 1.0, 2.0], np.float32)}
    data = model_of(
        [helper.make_node("Exp", ["w"], ["e"]), helper.make_node("Add", ["x", "e"], ["y"])], weights
    )
    ops.use_evaluator(None)
    assert operators(run_passes(data, "constant-fold")) == ["Exp", "Add"]
    ops.use_evaluator("reference")
    folded = run_passes(data, "infer-types,constant-fold")
    assert operators(folded) == ["Add"]
    weight = numpy_helper.to_array(onnx.load_from_string(folded).graph.initializer[-1])
    np.testing.assert_allclose(weight, np.exp(weights["w"]), rtol=1e-6)

    asked: list[str] = []

    def refuse(call: Any) -> Any:
        asked.append(call.op)
        raise RuntimeError("not today")

    ops.use_evaluator(refuse)
    assert operators(run_passes(data, "infer-types,constant-fold")) == ["Exp", "Add"]
    noise = [
        helper.make_node("RandomNormalLike", ["w"], ["e"]),
        helper.make_node("Add", ["x", "e"], ["y"]),
    ]
    assert operators(run_passes(model_of(noise, weights), "optimize")) == [
        "RandomNormalLike",
        "Add",
    ]
    assert asked == ["onnx.Exp"]


def test_thousands_that_become_one_are_all_its_origins() -> None:
    count = 5000
    nodes = [helper.make_node("Abs", ["x"], [f"a{i}"], f"n{i}") for i in range(count)]
    nodes.append(helper.make_node("Sum", [f"a{i}" for i in range(count)], ["y"]))
    module = ge.onnx.load(model_of(nodes, {}))
    PassManager.parse("cse").run(module)
    (left,) = (n for n in module.graphs[0].nodes if n.op == "onnx.Abs")
    assert {o.node for o in left.origins} == {f"n{i}" for i in range(1, count)}


# --- The documentation -----------------------------------------------------------------------------


def test_documentation_is_current() -> None:
    """docs/builtin-passes.md agrees with the pass registry."""
    script = Path(__file__).resolve().parents[3] / "scripts" / "gen_pass_docs.py"
    done = subprocess.run(
        [sys.executable, script, GE_OPT, "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
