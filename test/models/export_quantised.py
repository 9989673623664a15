"""Models of ``small/`` by onnxruntime's quantisers and optimiser of transformers, and by the converter to f16.

``python test/models/export_quantised.py DIRECTORY [NAME ...]``. The committed files were written with onnxruntime 1.32, onnx 1.23 and
onnxconverter-common 1.16. Weights are random numbers of a fixed seed.
"""

import logging
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization as quant

F, I = TensorProto.FLOAT, TensorProto.INT64


def _random(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def _model(
    nodes: list[Any],
    inputs: dict[str, Any],
    outputs: dict[str, Any],
    weights: dict[str, Any],
    opset: int = 17,
) -> Any:
    def infos(given: dict[str, Any]) -> list[Any]:
        return [helper.make_tensor_value_info(n, F, s) for n, s in given.items()]

    held = [numpy_helper.from_array(v, k) for k, v in weights.items()]
    graph = helper.make_graph(nodes, "g", infos(inputs), infos(outputs), held)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def _image() -> Any:
    """Convolutions, a residual, pooling, a classifier."""
    nodes = [
        helper.make_node("Conv", ["x", "w0", "b0"], ["c0"], pads=[1, 1, 1, 1], name="c0"),
        helper.make_node("Relu", ["c0"], ["r0"], name="r0"),
        helper.make_node("Conv", ["r0", "w1"], ["c1"], pads=[1, 1, 1, 1], name="c1"),
        helper.make_node("Add", ["c1", "r0"], ["a"], name="a"),
        helper.make_node("MaxPool", ["a"], ["m"], kernel_shape=[2, 2], strides=[2, 2], name="m"),
        helper.make_node("Concat", ["m", "m"], ["d"], axis=1, name="d"),
        helper.make_node("GlobalAveragePool", ["d"], ["p"], name="p"),
        helper.make_node("Flatten", ["p"], ["f"], name="f"),
        helper.make_node("Gemm", ["f", "w2", "b2"], ["g"], transB=1, name="g"),
        helper.make_node("Softmax", ["g"], ["y"], axis=-1, name="s"),
    ]
    weights = {
        "w0": _random(4, 2, 3, 3), "b0": _random(4, seed=1), "w1": _random(4, 4, 3, 3, seed=2),
        "w2": _random(3, 8, seed=3), "b2": _random(3, seed=4),
    }  # fmt: skip
    return _model(nodes, {"x": ["N", 2, 6, 6]}, {"y": ["N", 3]}, weights)


def _words(width: int = 4) -> Any:
    """Rows from a table, matrices, an LSTM."""
    nodes = [
        helper.make_node("MatMul", ["x", "w0"], ["h"], name="h"),
        helper.make_node("Add", ["h", "b0"], ["i"], name="i"),
        helper.make_node("Sigmoid", ["i"], ["s"], name="s"),
        helper.make_node("Mul", ["i", "s"], ["z"], name="z"),
        helper.make_node("Transpose", ["z"], ["t"], perm=[1, 0, 2], name="t"),
        helper.make_node("LSTM", ["t", "w", "r"], ["l", "", ""], hidden_size=2, name="l"),
        helper.make_node("Squeeze", ["l", "one"], ["q"], name="q"),
        helper.make_node("MatMul", ["q", "w1"], ["y"], name="y"),
    ]
    weights = {
        "w0": _random(width, width), "b0": _random(width, seed=1), "w": _random(1, 8, width, seed=2),
        "r": _random(1, 8, 2, seed=3), "w1": _random(2, 3, seed=4), "one": np.array([1]),
    }  # fmt: skip
    return _model(nodes, {"x": ["N", "T", width]}, {"y": ["T", "N", 3]}, weights)


class _Reader(quant.CalibrationDataReader):
    def __init__(self) -> None:
        self._left = [{"x": _random(2, 2, 6, 6, seed=s)} for s in (5, 6)]

    def get_next(self) -> Any:
        return self._left.pop() if self._left else None


def _files(model: Any, call: Callable[[str, str], Any]) -> Any:
    with tempfile.TemporaryDirectory() as directory:
        source, result = (str(Path(directory) / n) for n in ("in.onnx", "out.onnx"))
        onnx.save(model, source)
        call(source, result)
        return onnx.load(result)


def _static(**options: Any) -> Any:
    options = {
        "activation_type": quant.QuantType.QUInt8,
        "weight_type": quant.QuantType.QInt8,
        **options,
    }
    return _files(_image(), lambda a, b: quant.quantize_static(a, b, _Reader(), **options))


def qdq_channels() -> Any:
    """A scale for each channel, signed activations, quantised biases."""
    signed = quant.QuantType.QInt8
    return _static(quant_format=quant.QuantFormat.QDQ, per_channel=True, activation_type=signed)


def qdq_wide() -> Any:
    """Activations of 16 bits, and weights of 4, whose operators are of onnxruntime's domain before opset 21."""
    kinds = {"activation_type": quant.QuantType.QUInt16, "weight_type": quant.QuantType.QInt4}
    return _static(
        quant_format=quant.QuantFormat.QDQ, **kinds, extra_options={"UseQDQContribOps": True}
    )


def qoperators() -> Any:
    return _static(quant_format=quant.QuantFormat.QOperator)


def dynamic() -> Any:
    """DynamicQuantizeLinear, MatMulInteger and DynamicQuantizeLSTM."""
    kind = quant.QuantType.QInt8
    return _files(
        _words(), lambda a, b: quant.quantize_dynamic(a, b, weight_type=kind, per_channel=True)
    )


def _int4(**options: Any) -> Any:
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

    quantizer = MatMulNBitsQuantizer(_words(32), bits=4, block_size=16, **options)
    quantizer.process()
    return quantizer.model.model


def int4() -> Any:
    return _int4(is_symmetric=True)


def int4_qdq() -> Any:
    """Blocks of 4 bits as DequantizeLinear of opset 21, with zero points."""
    from onnxruntime.quantization import QuantFormat

    return _int4(is_symmetric=False, quant_format=QuantFormat.QDQ)


def f16() -> Any:
    """All in f16 but the inputs and outputs."""
    from onnxconverter_common import float16

    return float16.convert_float_to_float16(_image(), keep_io_types=True)


def f16_blocked() -> Any:
    """Some operators stay f32, with Casts around them; the inputs are f16."""
    from onnxconverter_common import float16

    blocked = ["Softmax", "LSTM", "Mul"]
    return float16.convert_float_to_float16(_words(), keep_io_types=False, op_block_list=blocked)


def _encoder() -> Any:
    """A layer of BERT as exporters write it."""
    w = {f"w{i}": _random(8, 8, seed=i) / 4 for i in range(5)}
    w |= {f"b{i}": _random(8, seed=10 + i) for i in range(5)}
    w |= {
        "shape": np.array([0, 0, 2, 4]), "back": np.array([0, 0, 8]), "two": np.float32(2), "root": np.float32(2**0.5),
        "one": np.float32(1), "half": np.float32(0.5), "eps": np.float32(1e-5), "g": _random(8, seed=20), "b": _random(8, seed=21),
    }  # fmt: skip
    nodes = []

    def add(op: str, inputs: list[str], output: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(op, inputs, [output], name=f"n_{output}", **attributes))
        return output

    def linear(x: str, i: int) -> str:
        return add("Add", [f"b{i}", add("MatMul", [x, f"w{i}"], f"m{i}")], f"l{i}")

    def norm(x: str, name: str) -> str:
        d = add("Sub", [x, add("ReduceMean", [x], f"{name}_m", axes=[-1])], f"{name}_d")
        v = add("ReduceMean", [add("Pow", [d, "two"], f"{name}_p")], f"{name}_v", axes=[-1])
        s = add("Sqrt", [add("Add", [v, "eps"], f"{name}_e")], f"{name}_s")
        return add(
            "Add", [add("Mul", [add("Div", [d, s], f"{name}_q"), "g"], f"{name}_g"), "b"], name
        )

    heads = [
        add("Transpose", [add("Reshape", [linear("x", i), "shape"], f"s{i}")], f"h{i}", perm=p)
        for i, p in enumerate(([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
    ]
    scores = add("Div", [add("MatMul", heads[:2], "qk"), "two"], "scores")
    mixed = add("MatMul", [add("Softmax", [scores], "p", axis=-1), heads[2]], "mixed")
    joined = add(
        "Reshape", [add("Transpose", [mixed], "back_t", perm=[0, 2, 1, 3]), "back"], "joined"
    )
    first = norm(add("Add", [linear(joined, 3), "x"], "skip"), "first")
    u = linear(first, 4)
    erf = add("Add", [add("Erf", [add("Div", [u, "root"], "u_r")], "u_e"), "one"], "u_1")
    gelu = add("Mul", [add("Mul", [u, erf], "u_m"), "half"], "gelu")
    norm(add("Add", [gelu, first], "skip2"), "y")
    return _model(nodes, {"x": ["N", "T", 8]}, {"y": ["N", "T", 8]}, w)


def transformers_optimizer() -> Any:
    """Attention, SkipLayerNormalization and Gelu of onnxruntime's domain."""
    from onnxruntime.transformers import optimizer

    optimised = optimizer.optimize_model(
        _encoder(), "bert", num_heads=2, hidden_size=8, opt_level=0
    )
    return _files(_encoder(), lambda _, result: optimised.save_model_to_file(result))


def optimised_session() -> Any:
    """What onnxruntime writes of a session with its own extended optimisations."""
    import onnxruntime as ort

    def run(source: str, result: str) -> None:
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        options.optimized_model_filepath = result
        options.log_severity_level = 4
        ort.InferenceSession(source, options, providers=["CPUExecutionProvider"])

    return _files(_image(), run)


MODELS = {
    f.__name__: f
    for f in (
        qdq_channels, qdq_wide, qoperators, dynamic, int4, int4_qdq, f16, f16_blocked, transformers_optimizer, optimised_session,
    )
}  # fmt: skip


def main(directory: str, names: list[str]) -> None:
    logging.disable(logging.WARNING)
    for name in names or MODELS:
        model = MODELS[name]()
        path = Path(directory) / f"{name}.onnx"
        onnx.save(model, path)
        print(f"{name}: {len(model.graph.node)} nodes, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
