"""ONNX's operators outside its default domain: loaded models find their definitions and their types are inferred.

Models use the name ``ai.onnx.ml``; the IR and the registry use ``onnx.ml``, and ``onnx`` for the default domain.
Inferred types are compared with ONNX's own inference, which may never be finer, and with the results of its node tests.
"""

from __future__ import annotations

from typing import Any

import onnx
import pytest
from onnx import TensorProto, helper
from onnx_inference import fits, node_cases, reference_types, relation, shape_text

import ge.es
import ge.ir as ir
import ge.onnx as ge_onnx
import ge.ops as ops

VERSIONS = {"": 24, "ai.onnx.ml": 5, "ai.onnx.preview": 1, "ai.onnx.preview.training": 1}


def show(type: ir.Type) -> str:
    """Return a type in the notation of `onnx_inference`."""
    if isinstance(type, ir.SequenceType):
        return f"seq({show(type.element)})"
    if not isinstance(type, ir.TensorType):
        return "unknown" if isinstance(type, ir.UnknownType) else str(type)
    if type.shape is None:
        return f"{type.dtype.name}[*]"
    return f"{type.dtype.name}[{', '.join('?' if d is None else str(d) for d in type.shape)}]"


def loaded(model: onnx.ModelProto) -> ir.Graph:
    """Return the main graph; its outputs have no declared types, so that all types are inferred."""
    bare = onnx.ModelProto()
    bare.CopyFrom(model)
    for output in bare.graph.output:
        output.ClearField("type")
    graph: ir.Graph = ge_onnx.from_onnx(bare).graphs[0]
    return graph


CASES = [
    case
    for case in node_cases()
    if any(n.domain.startswith("ai.onnx.") for n in case[1].graph.node)
]


def test_there_are_cases_of_each_domain() -> None:
    domains = {node.domain for case in CASES for node in case[1].graph.node}
    assert {"ai.onnx.ml", "ai.onnx.preview.training"} <= domains


@pytest.mark.parametrize(
    ("model", "outputs"), [case[1::2] for case in CASES], ids=[case[0] for case in CASES]
)
def test_node_cases(model: onnx.ModelProto, outputs: list[Any]) -> None:
    graph = loaded(model)
    assert graph.verify()
    inferred = graph.infer_types()
    assert not inferred.diagnostics
    assert not inferred.unknown_operators
    reference = reference_types(model)
    for info, value, computed in zip(model.graph.output, graph.outputs, outputs):
        mine = show(value.type)
        assert "unknown" not in mine
        assert fits(mine, computed)
        if info.name in reference:
            assert relation(mine, shape_text(reference[info.name])) in ("same", "finer")


F, D, I, S = TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT64, TensorProto.STRING
TREE = {
    "nodes_nodeids": [0],
    "nodes_treeids": [0],
    "nodes_featureids": [0],
    "nodes_modes": ["LEAF"],
    "nodes_values": [0.0],
    "nodes_truenodeids": [0],
    "nodes_falsenodeids": [0],
}
ROWS: list[tuple[str, list[tuple[int, list[Any]]], dict[str, Any], list[str]]] = [
    ("ArrayFeatureExtractor", [(F, ["N", 5]), (I, [1, 3])], {}, ["f32[N, 3]"]),
    ("ArrayFeatureExtractor", [(F, ["N", 5]), (I, [1, "K"])], {}, ["f32[N, K]"]),
    ("Binarizer", [(F, ["N", 5])], {"threshold": 1.0}, ["f32[N, 5]"]),
    ("CategoryMapper", [(S, ["N"])], {"cats_int64s": [1], "cats_strings": ["a"]}, ["i64[N]"]),
    (
        "FeatureVectorizer",
        [(F, ["N", 2]), (F, ["N", 3])],
        {"inputdimensions": [2, 3]},
        ["f32[N, 5]"],
    ),
    ("Imputer", [(I, ["N", 5])], {"imputed_value_int64s": [1]}, ["i64[N, 5]"]),
    ("LabelEncoder", [(S, ["N"])], {"keys_strings": ["a"], "values_int64s": [1]}, ["i64[N]"]),
    (
        "LinearClassifier",
        [(D, ["N", 5])],
        {"coefficients": [1.0] * 15, "classlabels_ints": [0, 1, 2]},
        ["i64[N]", "f32[N, 3]"],
    ),
    (
        "LinearRegressor",
        [(F, ["N", 5])],
        {"coefficients": [1.0] * 10, "targets": 2},
        ["f32[N, 2]"],
    ),
    ("Normalizer", [(I, ["N", 5])], {"norm": "L2"}, ["f32[N, 5]"]),
    ("OneHotEncoder", [(I, ["N", 1])], {"cats_int64s": [1, 2, 3]}, ["f32[N, 1, 3]"]),
    ("Scaler", [(D, ["N", 5])], {"scale": [1.0], "offset": [0.0]}, ["f32[N, 5]"]),
    (
        "SVMClassifier",
        [(F, ["N", 5])],
        {"classlabels_strings": ["a", "b", "c"], "coefficients": [1.0], "prob_a": [1.0] * 3},
        ["string[N]", "f32[N, 3]"],
    ),
    ("SVMRegressor", [(F, ["N", 5])], {"coefficients": [1.0]}, ["f32[N, 1]"]),
    (
        "TreeEnsembleClassifier",
        [(F, ["N", 5])],
        {**TREE, "classlabels_strings": ["a", "b", "c"]},
        ["string[N]", "f32[N, 3]"],
    ),
    ("TreeEnsembleRegressor", [(F, ["N", 5])], {**TREE, "n_targets": 2}, ["f32[N, 2]"]),
    (
        "ZipMap",
        [(F, ["N", 2])],
        {"classlabels_strings": ["a", "b"]},
        ["seq(!ge.map<!ge.string, tensor<f32>>)"],
    ),
]


def model_of(
    op: str, operands: list[tuple[int, list[Any]]], attributes: dict[str, Any], outputs: int
) -> onnx.ModelProto:
    domain = "ai.onnx.ml"
    version = 3 if op in ("TreeEnsembleClassifier", "TreeEnsembleRegressor") else VERSIONS[domain]
    names = [f"x{i}" for i in range(len(operands))]
    results = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op, names, results, domain=domain, **attributes)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info(n, *o) for n, o in zip(names, operands)],
        [onnx.ValueInfoProto(name=name) for name in results],
    )
    imports = [helper.make_opsetid("", VERSIONS[""]), helper.make_opsetid(domain, version)]
    return helper.make_model(graph, opset_imports=imports)


@pytest.mark.parametrize(
    ("op", "operands", "attributes", "expected"),
    ROWS,
    ids=[f"{r[0]}{i}" for i, r in enumerate(ROWS)],
)
def test_onnx_ml(
    op: str,
    operands: list[tuple[int, list[Any]]],
    attributes: dict[str, Any],
    expected: list[str],
) -> None:
    model = model_of(op, operands, attributes, len(expected))
    graph = loaded(model)
    assert graph.verify()
    assert not graph.infer_types().diagnostics
    assert [show(value.type) for value in graph.outputs] == expected
    reference = reference_types(model)
    for i, mine in enumerate(expected):
        # ONNX counts only the string labels of a LinearClassifier; there are none here.
        compares = op != "LinearClassifier" and "map" not in mine
        if f"y{i}" in reference and compares:
            assert relation(mine, shape_text(reference[f"y{i}"])) in ("same", "finer")


def test_every_spelling_is_one_operator() -> None:
    record = ops.get("onnx.ml::Scaler")
    assert ops.get("ai.onnx.ml::Scaler") == record
    assert ops.find("ai.onnx.ml", "Scaler") == record
    graph = ir.Graph("g")
    x = graph.add_input("x", ir.TensorType([2, 3], ir.f32))
    nodes = [
        graph.add_node(
            f"{domain}.Scaler", [x], {"scale": [1.0], "offset": [0.0]}, result_types=[x.type]
        )
        for domain in ("ai.onnx.ml", "onnx.ml")
    ]
    assert [node.op for node in nodes] == ["onnx.ml.Scaler"] * 2
    assert graph.verify()


def test_the_version_of_a_loaded_model_counts() -> None:
    """Only version 1 of LabelEncoder has ``classes_strings``; version 2 replaced it to support more pairs of types."""
    model = model_of("LabelEncoder", [(S, ["N"])], {"classes_strings": ["a"]}, 1)
    model.opset_import[1].version = 1
    graph = loaded(model)
    assert graph.verify()
    assert not graph.infer_types().diagnostics
    assert show(graph.outputs[0].type) == "i64[N]"
    model.opset_import[1].version = 2
    with pytest.raises(ir.VerifyError, match="no attribute 'classes_strings'"):
        loaded(model).verify()


def test_built_graphs_are_written_as_models_say_it() -> None:
    module = ir.Module("m")
    with ge.es.builder(graph=module.add_graph("g")) as b:
        x = b.input("x", [None, 3], ir.f32)
        b.output(ge.es.namespace("onnx.ml").Normalizer(x, norm="L2"))
    model = ge_onnx.to_onnx(module)
    onnx.checker.check_model(model)
    assert [node.domain for node in model.graph.node] == ["ai.onnx.ml"]
    assert ("ai.onnx.ml", 5) in [(o.domain, o.version) for o in model.opset_import]


@pytest.mark.parametrize(
    ("op", "operands", "attributes", "message"),
    [
        ("OneHotEncoder", [(I, ["N"])], {}, "cats_int64s, cats_strings"),
        ("LabelEncoder", [(S, ["N"])], {"keys_strings": ["a"]}, "values_strings"),
        ("LinearClassifier", [(F, [1, 2, 3])], {"coefficients": [1.0]}, "one or two dimensions"),
        ("CategoryMapper", [(F, ["N"])], {}, "strings or i64"),
    ],
)
def test_errors(
    op: str, operands: list[tuple[int, list[Any]]], attributes: dict[str, Any], message: str
) -> None:
    graph = loaded(model_of(op, operands, attributes, 1))
    (diagnostic,) = graph.infer_types().diagnostics
    assert message in diagnostic.message
