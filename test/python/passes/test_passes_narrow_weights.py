"""Models with narrow weights keep results, element types and size, under onnxruntime.

Random models (random_quantised.py) and the networks of test/models as onnxruntime's own quantisers, and casts of their
weights to f16, leave them. With ``--exact`` results are bit for bit those of the model before. In both classes the
element types of weights stay, and file and wide weights grow by at most a twentieth.
"""

import io
import logging
import shutil
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
from bitwise import difference, session, values  # noqa: E402
from needs import LONG  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from random_quantised import make_quantised  # noqa: E402

import ge.onnx as ge_onnx  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented

SHORT, LONG_COUNT = 100, 20_000
NETWORKS = {
    path.stem: path for path in sorted((Path(__file__).parents[2] / "models").glob("*.onnx"))
}
NARROW = {
    t for t in TensorProto.DataType.values() if TensorProto.DataType.Name(t)[-1] in "48ZNU"
} - {TensorProto.UINT64}
# What a small model may gain: shapes of Reshapes, and names of new nodes.
SLACK = 400


def optimised(data: bytes, exact: bool) -> bytes:
    module = ge_onnx.load(data)
    ge_onnx.optimize(module, exact=exact)
    return ge_onnx.to_bytes(module)


def tensors(model: "onnx.ModelProto") -> list["onnx.TensorProto"]:
    constants = [a.t for n in model.graph.node for a in n.attribute if a.HasField("t")]
    return [*model.graph.initializer, *constants]


def size(model: "onnx.ModelProto") -> int:
    """Return the bytes of a model without records of what was done and without types of inner values."""
    plain = onnx.ModelProto()
    plain.CopyFrom(model)
    del plain.graph.value_info[:], plain.graph.metadata_props[:]
    for part in (*plain.graph.node, *plain.graph.initializer):
        del part.metadata_props[:]
    return plain.ByteSize()


def fault(before: "onnx.ModelProto", after: "onnx.ModelProto") -> str:
    """Return how a model became wider; an empty string if it did not."""
    types = {t.name: t.data_type for t in before.graph.initializer}
    for tensor in after.graph.initializer:
        if types.get(tensor.name, tensor.data_type) != tensor.data_type:
            return f"{tensor.name} is of another type"

    def wide(model: "onnx.ModelProto") -> int:
        return sum(
            numpy_helper.to_array(t).nbytes for t in tensors(model) if t.data_type not in NARROW
        )

    if wide(after) > wide(before) + size(before) / 20 + SLACK:
        return f"{wide(before)} bytes of wide weights became {wide(after)}"
    if size(after) > size(before) * 1.05 + SLACK:
        return f"{size(before)} bytes became {size(after)}"
    return ""


def outcome(data: bytes, feed: dict[str, Any]) -> str:
    """Return what is wrong with one optimised model; an empty string if nothing is."""
    model = onnx.load_from_string(data)
    names = [output.name for output in model.graph.output]
    before = values(session(data), names, feed)
    for exact in (True, False):
        after = optimised(data, exact)
        if message := fault(model, onnx.load_from_string(after)):
            return f"exact={exact}: {message}"
        found = values(session(after), names, feed)
        for name, a, b in zip(names, before, found, strict=True):
            # One step of a quantised value is more than any tolerance of floats.
            if exact and (message := difference(a, b, False)):
                return f"{name}: {message}"
            if not exact and (a.shape != b.shape or a.dtype != b.dtype):
                return f"{name}: {a.dtype}{a.shape} became {b.dtype}{b.shape}"
    return ""


def campaign(first: int, count: int) -> None:
    wrong = {}
    with redirect_stderr(io.StringIO()):
        for seed in range(first, first + count):
            case = make_quantised(seed)
            if why := outcome(case.model.SerializeToString(), case.feed):
                wrong[seed] = why
    assert not wrong


@pytest.mark.slow
def test_random_models_stay_narrow() -> None:
    campaign(0, SHORT)


@pytest.mark.long
@pytest.mark.skipif(not LONG, reason="only in make test-long")
@pytest.mark.parametrize("part", range(8))
def test_many_random_models_stay_narrow(part: int) -> None:
    campaign(part * LONG_COUNT // 8, LONG_COUNT // 8)


# --- The networks ----------------------------------------------------------------------------------


def feed_of(path: Path, seed: int = 3) -> dict[str, Any]:
    """Return random images, or small token numbers."""
    numbers = np.random.default_rng(seed)
    feed = {}
    for value in onnx.load(path).graph.input:
        tensor = value.type.tensor_type
        shape = [d.dim_value or 4 for d in tensor.shape.dim]
        dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        is_real = np.issubdtype(dtype, np.floating)
        drawn = numbers.standard_normal(shape) if is_real else numbers.integers(0, 2, shape)
        feed[value.name] = drawn.astype(dtype)
    return feed


class Calibration:
    """Two inputs for onnxruntime's static quantiser."""

    def __init__(self, path: Path) -> None:
        self.feeds = iter([feed_of(path, 1), feed_of(path, 2)])

    def get_next(self) -> dict[str, Any] | None:
        return next(self.feeds, None)


def quantised_dynamically(path: Path, out: Path) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(path, out, weight_type=QuantType.QInt8, per_channel=True)


def quantised_statically(path: Path, out: Path) -> None:
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static

    quantize_static(
        path, out, Calibration(path), quant_format=QuantFormat.QDQ, weight_type=QuantType.QInt8
    )


def quantised_to_operators(path: Path, out: Path) -> None:
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static

    quantize_static(
        path,
        out,
        Calibration(path),
        quant_format=QuantFormat.QOperator,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
        per_channel=True,
    )


def stored_as_half(path: Path, out: Path) -> None:
    """Write the large weights as f16 with Casts."""
    model = onnx.load(path)
    casts = []
    for weight in model.graph.initializer:
        if weight.data_type == TensorProto.FLOAT and np.prod(weight.dims) > 64:
            name = weight.name
            half = numpy_helper.from_array(
                numpy_helper.to_array(weight).astype(np.float16), f"{name}_half"
            )
            weight.CopyFrom(half)
            casts.append(helper.make_node("Cast", [f"{name}_half"], [name], to=TensorProto.FLOAT))
    nodes = [*casts, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.save(model, out)


CASES = [(kind, name) for kind in (quantised_dynamically, stored_as_half) for name in NETWORKS]
CASES += [
    (quantised_statically, name) for name in ("mobilenet_script", "resnet_dynamo", "vit_script")
]
CASES += [(quantised_to_operators, name) for name in ("mobilenet_script", "vit_script")]
# Whose calibration takes 10 seconds and more; the others of that kind are the fast variants.
SLOW = {(quantised_statically, "mobilenet_script"), (quantised_to_operators, "mobilenet_script")}


@pytest.mark.parametrize(
    ("kind", "name"),
    [pytest.param(*case, marks=[pytest.mark.long] if case in SLOW else []) for case in CASES],
    ids=[f"{name}-{kind.__name__}" for kind, name in CASES],
)
def test_networks_stay_narrow(kind: Any, name: str, tmp_path: Path) -> None:
    # The quantisers write files beside their input.
    path, out = tmp_path / "network.onnx", tmp_path / "narrow.onnx"
    shutil.copy(NETWORKS[name], path)
    logging.getLogger().setLevel(logging.ERROR)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        kind(path, out)
    assert not outcome(out.read_bytes(), feed_of(NETWORKS[name]))


def runtime_operators(data: bytes, path: Path) -> dict[str, int]:
    """Return how many operators on quantised operands a session makes of a model."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    # The next level depends on the processor.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(path)
    onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    counts: dict[str, int] = {}
    for node in onnx.load(path).graph.node:
        if node.op_type.startswith(
            ("QLinear", "QGemm", "MatMulInteger", "MatMulNBits", "DynamicQ")
        ):
            counts[node.op_type] = counts.get(node.op_type, 0) + 1
    return counts


@pytest.mark.parametrize(
    ("kind", "name"),
    [(quantised_statically, "vit_script"), (quantised_statically, "resnet_dynamo"),
     (quantised_dynamically, "bert_script"), (quantised_dynamically, "llama_script")],
)  # fmt: skip
def test_the_runtime_finds_the_quantised_operators(kind: Any, name: str, tmp_path: Path) -> None:
    path, out = tmp_path / "network.onnx", tmp_path / "narrow.onnx"
    shutil.copy(NETWORKS[name], path)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        kind(path, out)
    before = runtime_operators(out.read_bytes(), tmp_path / "before.onnx")
    after = runtime_operators(optimised(out.read_bytes(), False), tmp_path / "after.onnx")
    assert {op: after.get(op, 0) for op in before if after.get(op, 0) < before[op]} == {}
