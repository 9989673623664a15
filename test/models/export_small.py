"""Export the models of ``small/`` again: ``python test/models/export_small.py DIRECTORY [NAME ...]``.

Each is what one exporter writes of a tiny model. The committed files were written with onnx 1.23, spox 0.18, scikit-learn 1.9, skl2onnx 1.20,
onnxmltools 1.16 and lightgbm 4.7; an exporter that is not installed is left out.
"""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, compose, helper, numpy_helper, version_converter

F, I = TensorProto.FLOAT, TensorProto.INT64


def _data(rows: int = 60, columns: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((rows, columns)).astype(np.float32)
    return x, (x[:, 0] + x[:, 1] * x[:, 2] > 0).astype(np.int64)


def _sklearn(model: Any, x: Any, **options: Any) -> Any:
    from skl2onnx import to_onnx

    return to_onnx(model, x[:1], target_opset={"": 17, "ai.onnx.ml": 3}, **options)


def skl_logistic() -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    x, y = _data()
    return _sklearn(make_pipeline(StandardScaler(), LogisticRegression()).fit(x, y), x)


def skl_forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    x, y = _data()
    forest = RandomForestClassifier(n_estimators=3, max_depth=3, random_state=0).fit(x, y)
    return _sklearn(forest, x, options={"zipmap": False})


def skl_mlp() -> Any:
    from sklearn.neural_network import MLPRegressor

    x, y = _data()
    network = MLPRegressor(hidden_layer_sizes=(6, 5), max_iter=20, random_state=0).fit(
        x, y.astype(np.float32)
    )
    return _sklearn(network, x)


def skl_columns() -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

    x, y = _data()
    x = np.concatenate([x, y[:, None]], 1).astype(np.float32)
    parts = [("scaled", MinMaxScaler(), [0, 1]), ("coded", OneHotEncoder(sparse_output=False), [4])]
    return _sklearn(ColumnTransformer(parts).fit(x), x)


def skl_kmeans() -> Any:
    from sklearn.cluster import KMeans

    x, _ = _data()
    return _sklearn(KMeans(3, n_init=1, random_state=0).fit(x), x)


def skl_gaussian_process() -> Any:
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF

    x, y = _data(12)
    return _sklearn(GaussianProcessRegressor(RBF()).fit(x, y.astype(np.float32)), x)


def lightgbm() -> Any:
    from lightgbm import LGBMClassifier
    from onnxmltools import convert_lightgbm
    from onnxmltools.convert.common.data_types import FloatTensorType

    x, y = _data()
    model = LGBMClassifier(n_estimators=3, num_leaves=4, min_child_samples=5, verbose=-1).fit(x, y)
    return convert_lightgbm(
        model, initial_types=[("x", FloatTensorType([None, 4]))], zipmap=False, target_opset=15
    )


def spox() -> Any:
    """A Loop that captures, an If, and functions of the standard library of operators."""
    import spox.opset.ai.onnx.v17 as op
    from spox import Tensor, argument, build

    x = argument(Tensor(np.float32, ("N", 4)))
    n = argument(Tensor(np.int64, ()))
    w = op.const(np.arange(16, dtype=np.float32).reshape(4, 4) / 16)
    last, rows = op.loop(
        n,
        v_initial=[x],
        body=lambda _, go, v: [go, op.add(op.matmul(v, w), x), op.reduce_mean(v, axes=[0])],
    )
    big = op.greater(op.reduce_sum(last, keepdims=0), op.const(np.float32(0)))
    (out,) = op.if_(
        big,
        then_branch=lambda: [op.relu(last)],
        else_branch=lambda: [op.softmax(last, axis=-1)],
    )
    return build({"x": x, "n": n}, {"out": out, "rows": rows})


def merged() -> Any:
    """Two models, one behind the other, with names that would clash."""

    def part(operator: str, given: str, result: str) -> Any:
        w = numpy_helper.from_array(np.eye(4, dtype=np.float32) * 2, "w")
        nodes = [
            helper.make_node("MatMul", [given, "w"], ["t"], name="n"),
            helper.make_node(operator, ["t"], [result], name="m"),
        ]
        ins = [helper.make_tensor_value_info(given, F, ["N", 4])]
        outs = [helper.make_tensor_value_info(result, F, ["N", 4])]
        graph = helper.make_graph(nodes, operator, ins, outs, [w])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    return compose.merge_models(
        part("Relu", "x", "y"), part("Sigmoid", "u", "v"), [("y", "u")], prefix1="a/", prefix2="b/"
    )


def _network() -> Any:
    rng = np.random.default_rng(0)
    weights = {
        "w": rng.standard_normal((4, 3, 3, 3)).astype(np.float32),
        "scale": rng.uniform(0.5, 1.5, 4).astype(np.float32),
        "shift": rng.standard_normal(4).astype(np.float32),
        "mean": rng.standard_normal(4).astype(np.float32),
        "var": rng.uniform(0.5, 1.5, 4).astype(np.float32),
        "b": rng.standard_normal((36, 5)).astype(np.float32),
        "shape": np.array([0, -1]),
    }
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["c", "scale", "shift", "mean", "var"], ["d"]),
        helper.make_node("Relu", ["d"], ["e"]),
        helper.make_node("MaxPool", ["e"], ["f"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Dropout", ["f"], ["g"]),
        helper.make_node("Reshape", ["g", "shape"], ["h"]),
        helper.make_node("MatMul", ["h", "b"], ["i"]),
        helper.make_node("Softmax", ["i"], ["y"], axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("x", F, ["N", 3, 6, 6])],
        [helper.make_tensor_value_info("y", F, ["N", 5])],
        [numpy_helper.from_array(v, k) for k, v in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 9)], ir_version=8)


def _converted(version: int, ir_version: int) -> Any:
    """Return the network at an old opset; before IR version 4 weights are inputs, too."""
    model = _network()
    if ir_version < 4:
        listed = {i.name for i in model.graph.input}
        for w in model.graph.initializer:
            if w.name not in listed:
                model.graph.input.append(
                    helper.make_tensor_value_info(w.name, w.data_type, list(w.dims))
                )
    model.ir_version = ir_version
    if version < 9:
        model = version_converter.convert_version(model, version)
    return model


def opset7() -> Any:
    return _converted(7, 3)


def opset8() -> Any:
    return _converted(8, 3)


def opset9() -> Any:
    return _converted(9, 4)


def upgraded() -> Any:
    """The network of opset 9, which the converter of versions brings to opset 21."""
    return version_converter.convert_version(_network(), 21)


def branches() -> Any:
    """Speech recognition as voice detectors have it: a branch for each rate, branches in it, a state that comes and goes, sequences."""
    rng = np.random.default_rng(0)
    held = {n: rng.standard_normal(s).astype(np.float32) for n, s in _SHAPES.items()}
    held |= {
        "rate": np.array(16000),
        "axis": np.array([1]),
        "first": np.array([0]),
        "end": np.array([-1]),
    }

    def out(name: str, shape: list[Any], kind: int = F) -> Any:
        return helper.make_tensor_value_info(name, kind, shape)

    def small() -> Any:
        nodes = [
            helper.make_node("Conv", ["u", "w8"], ["c"], strides=[2]),
            helper.make_node("Identity", ["c"], ["small"]),
        ]
        return helper.make_graph(nodes, "small", [], [out("small", ["N", 4, None])])

    def large() -> Any:
        padded = [
            helper.make_node(
                "Constant", [], ["p"], value=numpy_helper.from_array(np.array([0, 0, 0, 0, 0, 1]))
            ),
            helper.make_node("Pad", ["u", "p"], ["padded"], mode="reflect"),
        ]
        plain = [helper.make_node("Identity", ["u"], ["plain"])]
        nodes = [
            helper.make_node("Shape", ["u"], ["s"]),
            helper.make_node("Gather", ["s", "end"], ["n"]),
            helper.make_node("Constant", [], ["two"], value_ints=[2]),
            helper.make_node("Mod", ["n", "two"], ["odd"]),
            helper.make_node("Cast", ["odd"], ["is"], to=TensorProto.BOOL),
            helper.make_node("Squeeze", ["is"], ["is0"]),
            helper.make_node(
                "If", ["is0"], ["even"],
                then_branch=helper.make_graph(padded, "odd", [], [out("padded", ["N", 1, None])]),
                else_branch=helper.make_graph(plain, "even", [], [out("plain", ["N", 1, None])]),
            ),
            helper.make_node("Conv", ["even", "w16"], ["large"], strides=[2]),
        ]  # fmt: skip
        return helper.make_graph(nodes, "large", [], [out("large", ["N", 4, None])])

    nodes = [
        helper.make_node("Unsqueeze", ["x", "axis"], ["u"]),
        helper.make_node("Equal", ["sr", "rate"], ["fast"]),
        helper.make_node("If", ["fast"], ["f"], then_branch=large(), else_branch=small()),
        helper.make_node("Transpose", ["f"], ["t"], perm=[2, 0, 1]),
        helper.make_node("SplitToSequence", ["state"], ["hc"], axis=0, keepdims=1),
        helper.make_node("Constant", [], ["i0"], value_int=0),
        helper.make_node("Constant", [], ["i1"], value_int=1),
        helper.make_node("SequenceAt", ["hc", "i0"], ["h0"]),
        helper.make_node("SequenceAt", ["hc", "i1"], ["c0"]),
        helper.make_node(
            "LSTM", ["t", "w", "r", "", "", "h0", "c0"], ["", "h", "c"], hidden_size=2
        ),
        helper.make_node("SequenceConstruct", ["h", "c"], ["new"]),
        helper.make_node("ConcatFromSequence", ["new"], ["state_out"], axis=0),
        helper.make_node("Squeeze", ["h", "first"], ["q"]),
        helper.make_node("MatMul", ["q", "o"], ["m"]),
        helper.make_node("Sigmoid", ["m"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "voice",
        [out("x", ["N", "samples"]), out("state", [2, "N", 2]), out("sr", [], I)],
        [out("y", ["N", 1]), out("state_out", [2, "N", 2])],
        [numpy_helper.from_array(v, k) for k, v in held.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=8)


_SHAPES = {"w8": (4, 1, 3), "w16": (4, 1, 4), "w": (1, 8, 4), "r": (1, 8, 2), "o": (2, 1)}


def proto3() -> Any:
    """A writer with the semantics of proto3 leaves zeros out: of ``keepdims``, ``axis``, ``alpha`` and ``allowzero``."""
    nodes = [
        helper.make_node("LeakyRelu", ["x"], ["a"], alpha=0.0),
        helper.make_node("ReduceMax", ["a"], ["b"], axes=[1], keepdims=0),
        helper.make_node("Softmax", ["b"], ["c"], axis=0),
        helper.make_node("Reshape", ["c", "shape"], ["d"], allowzero=0),
        helper.make_node("Gather", ["d", "one"], ["y"], axis=0),
    ]
    for node in nodes:
        for attribute in node.attribute:
            for field in ("i", "f"):
                if attribute.HasField(field) and getattr(attribute, field) == 0:
                    attribute.ClearField(field)
    weights = {"shape": np.array([-1, 2]), "one": np.array([1])}
    graph = helper.make_graph(
        nodes,
        "proto3",
        [helper.make_tensor_value_info("x", F, [4, 3, 2])],
        [helper.make_tensor_value_info("y", F, [1, 2])],
        [numpy_helper.from_array(v, k) for k, v in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


# Exporters, each with the packages that it needs.
MODELS: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "skl_logistic": (skl_logistic, ("skl2onnx",)),
    "skl_forest": (skl_forest, ("skl2onnx",)),
    "skl_mlp": (skl_mlp, ("skl2onnx",)),
    "skl_columns": (skl_columns, ("skl2onnx",)),
    "skl_kmeans": (skl_kmeans, ("skl2onnx",)),
    "skl_gaussian_process": (skl_gaussian_process, ("skl2onnx",)),
    "lightgbm": (lightgbm, ("lightgbm", "onnxmltools")),
    "spox": (spox, ("spox",)),
    "merged": (merged, ()),
    "opset7": (opset7, ()),
    "opset8": (opset8, ()),
    "opset9": (opset9, ()),
    "upgraded": (upgraded, ()),
    "branches": (branches, ()),
    "proto3": (proto3, ()),
}


def main(directory: str, names: list[str]) -> None:
    for name, (export, packages) in MODELS.items():
        if names and name not in names:
            continue
        missing = [p for p in packages if importlib.util.find_spec(p) is None]
        if missing:
            print(f"{name}: left out, without {', '.join(missing)}")
            continue
        model = export()
        path = Path(directory) / f"{name}.onnx"
        onnx.save(model, path)
        print(f"{name}: {len(model.graph.node)} nodes, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
