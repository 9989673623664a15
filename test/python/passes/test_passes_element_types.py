"""No rewrite makes an operator of an element type that onnxruntime, or the opset, does not have it for.

What each built-in pass looks for, in every element type of which onnxruntime runs it: the optimised model runs, too, with
the same results, and is a valid model if it was one.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
from bitwise import session, values  # noqa: E402
from needs import LONG  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

import ge.onnx as ge_onnx  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented

OPSETS = (11, 13, 15, 17, 18, 20, 21, 22, 23, 24) if LONG else (13, 21)
TYPES = (
    "FLOAT16", "BFLOAT16", "FLOAT", "DOUBLE", "INT8", "UINT8", "INT16", "UINT16", "INT32", "INT64", "UINT32",
    "UINT64", "BOOL",
)  # fmt: skip
RANDOM = np.random.default_rng(5)
MATRIX = RANDOM.integers(0, 3, (4, 4))
VECTOR = RANDOM.integers(1, 3, 4)
CHANNELS = VECTOR.reshape(4, 1, 1)
KERNEL = RANDOM.integers(0, 2, (4, 2, 3, 3))
IMAGE = [1, 2, 5, 5]
PADS = np.array([0, 0, 1, 1, 0, 0, 1, 1])
DEEP = {name: RANDOM.integers(0, 3, (40, 4)) for name in "wut"}
GELU = {"p": 3.0, "c": 0.044715, "e": 0.7978845608, "o": 1.0, "h": 0.5}


def n(op: str, operands: str, result: str, **attributes: Any) -> "onnx.NodeProto":
    return helper.make_node(op, operands.split(), [result], **attributes)


# Nodes, shape of x, and constants: those with `i_` are integers, the others have the element type of x.
PATTERNS: dict[str, tuple[list[Any], list[int], dict[str, Any]]] = {
    "product and sum": ([n("MatMul", "x w", "a"), n("Add", "a v", "y")], [3, 4], {"w": MATRIX, "v": VECTOR}),
    "Gemm and factors": ([n("Gemm", "x w v", "a"), n("Mul", "a v", "y")], [3, 4], {"w": MATRIX, "v": VECTOR}),
    "factor before": ([n("Mul", "x s", "a"), n("MatMul", "a w", "y")], [3, 4], {"w": MATRIX, "s": 2}),
    "divisor after": ([n("MatMul", "x w", "a"), n("Div", "a s", "y")], [3, 4], {"w": MATRIX, "s": 2}),
    "two factors": ([n("Mul", "x s", "a"), n("Mul", "a v", "y")], [3, 4], {"v": VECTOR, "s": 2}),
    "three products": ([n("MatMul", "x w", "a"), n("MatMul", "x u", "b"), n("MatMul", "x t", "c"),
                        n("Concat", "a b c", "y", axis=1)], [3, 40], DEEP),
    "Conv and factors": ([n("Conv", "x k", "a"), n("Mul", "a v", "y")], IMAGE, {"k": KERNEL, "v": CHANNELS}),
    "Pad and Conv": ([n("Pad", "x i_p", "a"), n("Conv", "a k", "y")], IMAGE, {"k": KERNEL, "i_p": PADS}),
    "Pad and MaxPool": ([n("Pad", "x i_p", "a"), n("MaxPool", "a", "y", kernel_shape=[3, 3])], IMAGE, {"i_p": PADS}),
    "Pad and AveragePool": ([n("Pad", "x i_p", "a"), n("AveragePool", "a", "y", kernel_shape=[3, 3])], IMAGE,
                            {"i_p": PADS}),
    "flat Gemm": ([n("Reshape", "x i_r", "a"), n("Gemm", "a w v", "b"), n("Reshape", "b i_q", "y")], [2, 3, 4],
                  {"w": MATRIX, "v": VECTOR, "i_r": [6, 4], "i_q": [2, 3, 4]}),
    "Transpose and Gemm": ([n("Transpose", "x", "a", perm=[1, 0]), n("Gemm", "a w v", "y")], [4, 3],
                           {"w": MATRIX, "v": VECTOR}),
    "Flatten and Reshape": ([n("Flatten", "x", "a"), n("Reshape", "a i_r", "y")], [2, 3, 4], {"i_r": [4, 6]}),
    "Softmax and ArgMax": ([n("Softmax", "x", "a", axis=-1), n("ArgMax", "a", "y", axis=-1)], [3, 4], {}),
    "opposite": ([n("Greater", "x v", "c"), n("Not", "c", "d"), n("Where", "d x v", "y")], [3, 4], {"v": VECTOR}),
    "idempotent": ([n("Relu", "x", "a"), n("Relu", "a", "b"), n("Neg", "b", "c"), n("Neg", "c", "y")], [3, 4], {}),
    "expanded": ([n("Expand", "v i_s", "a"), n("Add", "x a", "y")], [3, 4], {"v": VECTOR, "i_s": [3, 4]}),
    "splat": ([n("Expand", "s i_s", "a"), n("Add", "x a", "y")], [40, 40], {"s": 1, "i_s": [40, 40]}),
    "sequence": ([n("SplitToSequence", "x i_n", "q", axis=1), n("SequenceAt", "q i_i", "y")], [3, 4],
                 {"i_n": [2, 2], "i_i": 1}),
    "small window": ([n("MaxPool", "x", "y", kernel_shape=[1, 1])], IMAGE, {}),
    "two Pads": ([n("Pad", "x i_p", "a"), n("Pad", "a i_p", "y")], [3, 4], {"i_p": [0, 1, 0, 1]}),
    "two sums": ([n("ReduceSum", "x i_a", "a"), n("ReduceSum", "a i_b", "y")], [3, 4], {"i_a": [0], "i_b": [1]}),
    "group norm": ([n("Reshape", "x i_r", "a"), n("InstanceNormalization", "a g z", "b"), n("Shape", "x", "h"),
                    n("Reshape", "b h", "c"), n("Mul", "c v", "d"), n("Add", "d v", "y")], [2, 4, 3, 3],
                   {"i_r": [0, 2, -1], "g": [1, 1], "z": [0, 0], "v": CHANNELS}),
    "norm and factors": ([n("BatchNormalization", "x v v v v", "a"), n("Mul", "a u", "y")], [1, 4, 3, 3],
                         {"v": VECTOR, "u": CHANNELS}),
    "of one operand": ([n("Sum", "x", "a"), n("Max", "a", "b"), n("Mean", "b", "y")], [3, 4], {}),
    "Gelu": ([n("Pow", "x p", "a"), n("Mul", "a c", "b"), n("Add", "x b", "d"), n("Mul", "d e", "f"), n("Tanh", "f", "g"),
              n("Add", "g o", "i"), n("Mul", "x i", "j"), n("Mul", "j h", "y")], [3, 4], GELU),
    "HardSigmoid": ([n("Add", "x t", "a"), n("Clip", "a z s", "b"), n("Div", "b s", "y")], [3, 4],
                    {"t": 3, "z": 0, "s": 6}),
    "Mish": ([n("Softplus", "x", "a"), n("Tanh", "a", "b"), n("Mul", "x b", "y")], [3, 4], {}),
    "two Casts": ([n("Cast", "x", "a", to=TensorProto.DOUBLE), n("Cast", "a", "y", to=TensorProto.FLOAT)], [3, 4], {}),
}  # fmt: skip


def models(name: str, opset: int) -> Iterator[tuple[str, "onnx.ModelProto", Any, list[Any]]]:
    """Yield those that onnxruntime runs: element type, model, input and results."""
    nodes, shape, constants = PATTERNS[name]
    for element in TYPES:
        code = getattr(TensorProto, element)
        dtype = helper.tensor_dtype_to_np_dtype(code)
        weights = [
            numpy_helper.from_array(np.asarray(c, np.int64 if key[:2] == "i_" else dtype), key)
            for key, c in constants.items()
        ]
        made = helper.make_graph(
            nodes,
            "g",
            [helper.make_tensor_value_info("x", code, shape)],
            [onnx.ValueInfoProto(name="y")],
            weights,
        )
        opsets = [helper.make_opsetid("", opset)]
        model = helper.make_model(made, opset_imports=opsets, ir_version=8)
        x = RANDOM.integers(0, 4, shape).astype(dtype)
        try:
            running = session(model.SerializeToString())
            before = values(running, ["y"], {"x": x})
        except Exception:
            continue
        text = running.get_outputs()[0].type
        of = next(t for t in TYPES if text == f"tensor({t.lower()})")
        model.graph.output[0].CopyFrom(
            helper.make_tensor_value_info("y", getattr(TensorProto, of), None)
        )
        yield element, model, x, before


def is_valid(model: "onnx.ModelProto") -> bool:
    try:
        onnx.checker.check_model(model)
    except onnx.checker.ValidationError:
        return False
    return True


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("name", list(PATTERNS))
def test_what_runs_still_runs(name: str, opset: int) -> None:
    for element, model, x, (before,) in models(name, opset):
        for exact in (False, True):
            module = ge_onnx.load(model.SerializeToString())
            ge_onnx.optimize(module, exact=exact)
            data = ge_onnx.to_onnx(module)
            what = f"{element}, exact={exact}: {[node.op_type for node in data.graph.node]}"
            (after,) = values(session(data.SerializeToString()), ["y"], {"x": x})
            assert after.dtype == before.dtype, what
            near = 2e-2 if element.endswith("16") and "FLOAT" in element else 1e-5
            np.testing.assert_allclose(
                after.astype(np.float64), before.astype(np.float64), near, near, err_msg=what
            )
            assert is_valid(data) or not is_valid(model), what
