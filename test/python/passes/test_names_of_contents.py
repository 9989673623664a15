"""Names are not part of the structure, and a value that keeps its name through a pass keeps its contents."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_run import ge, write_model

onnx = pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")
from onnx import helper  # noqa: E402

from ge import es, ir  # noqa: E402
from ge import onnx as ge_onnx  # noqa: E402
from ge.es import onnx as op  # noqa: E402
from ge.view._compare import compare  # noqa: E402

pytestmark = pytest.mark.nosan  # onnxruntime's libraries are not instrumented

F = np.float32


def weights(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(F)


def node(kind: str, operands: str, result: str, **attributes: Any) -> Any:
    return helper.make_node(kind, operands.split(), [result], f"{kind}_{result}", **attributes)


def attention(path: Path) -> Path:
    """Write a model with scales after and before matrix products, with Reshape, Transpose and others between."""
    nodes = [
        node("MatMul", "x w", "q"),
        node("Add", "q b", "qb"),
        node("Reshape", "qb heads", "split"),
        node("Transpose", "split", "turned", perm=[0, 2, 1, 3]),
        node("Mul", "turned quarter", "scaled"),
        node("Softmax", "scaled", "soft"),
        node("Mul", "soft half", "halved"),
        node("Transpose", "halved", "back", perm=[0, 2, 1, 3]),
        node("Reshape", "back flat", "joined"),
        node("MatMul", "joined v", "y"),
    ]
    given = {
        "w": weights(8, 8),
        "b": weights(8),
        "v": weights(8, 3),
        "heads": np.array([2, 5, 2, 4]),
        "flat": np.array([2, 5, 8]),
        "quarter": F(0.25),
        "half": F(0.5),
    }
    return write_model(path, nodes, {"x": ("FLOAT", [2, 5, 8])}, {"y": ("FLOAT", [2, 5, 3])}, given)


def normalised(path: Path) -> Path:
    """Write a convolution with a norm and a scale after it, and a Gemm with a shift."""
    nodes = [
        node("Conv", "x k c", "conv"),
        node("BatchNormalization", "conv s t m u", "norm"),
        node("Mul", "norm per_channel", "scaled"),
        node("Relu", "scaled", "act"),
        node("Flatten", "act", "flat"),
        node("Gemm", "flat g h", "gemm"),
        node("Add", "gemm shift", "y"),
    ]
    given = {
        "k": weights(4, 3, 3, 3),
        "c": weights(4),
        **{name: abs(weights(4)) + 1 for name in "stmu"},
        "per_channel": weights(4, 1, 1),
        "g": weights(16, 2),
        "h": weights(2),
        "shift": weights(2),
    }
    return write_model(path, nodes, {"x": ("FLOAT", [1, 3, 4, 4])}, {"y": ("FLOAT", [1, 2])}, given)


def values(path: Path, feeds: dict[str, Any]) -> dict[str, Any]:
    """Run a model and return all of its values by name."""
    model = onnx.load(path)
    have = {o.name for o in model.graph.output}
    for made in [o for n in model.graph.node for o in n.output]:
        if made not in have:
            model.graph.output.append(onnx.ValueInfoProto(name=made))
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(model.SerializeToString(), options)
    names = [o.name for o in session.get_outputs()]
    found = dict(zip(names, session.run(None, feeds), strict=True))
    return found | {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}


@pytest.mark.parametrize("make", [attention, normalised])
@pytest.mark.parametrize("passes", ["fold-scale", "fold-batch-norm", "optimize"])
def test_a_value_of_one_name_holds_the_same_before_and_after(
    tmp_path: Path, make: Any, passes: str
) -> None:
    path, target = make(tmp_path / "m.onnx"), tmp_path / "o.onnx"
    done = ge("optimize", path, "-o", target, "--passes", f"infer-types,{passes}")
    assert done.status == 0, done.err
    shape = [d.dim_value for d in onnx.load(path).graph.input[0].type.tensor_type.shape.dim]
    feeds = {"x": weights(*shape)}
    before, after = values(path, feeds), values(target, feeds)
    shared = sorted(before.keys() & after.keys())
    assert "y" in shared
    for name in shared:
        np.testing.assert_allclose(after[name], before[name], rtol=1e-3, atol=1e-4, err_msg=name)


def test_fold_scale_names_what_it_changed_and_says_where_it_came_from(tmp_path: Path) -> None:
    module = ge_onnx.load(attention(tmp_path / "m.onnx"))
    ge_onnx.optimize(module, "infer-types,fold-scale")
    (graph,) = module.graphs.values()
    assert not [n for n in graph.nodes if n.type == "Mul"]
    # Scale after a product: values up to the scale are scaled now and renamed; the last one is the scale's result.
    named = {v.name: v for n in graph.walk() for v in n.results}
    assert {"q_fold_scale", "qb_fold_scale", "split_fold_scale", "scaled"} <= named.keys()
    assert not {"q", "qb", "split", "turned"} & named.keys()
    # Scale before a product: values after the scale are no longer scaled and are renamed.
    assert {"soft", "back_fold_scale", "joined_fold_scale"} <= named.keys()
    assert not {"halved", "back", "joined"} & named.keys()
    assert {"w_fold_scale", "b_fold_scale", "v_fold_scale"} <= named.keys()
    assert graph.output_names == ["y"] and graph.outputs[0].name == "y"
    product = named["q_fold_scale"].node
    assert [(o.node, o.pass_name) for o in product.origins] == [("Mul_scaled", "fold-scale")]
    assert "Mul_halved" in [o.node for o in named["y"].node.origins]
    assert "Mul_halved" not in [o.node for o in named["soft"].node.origins]
    assert [o.node for o in named["w_fold_scale"].node.origins] == ["w"]


def test_fold_batch_norm_says_where_a_product_came_from(tmp_path: Path) -> None:
    module = ge_onnx.load(normalised(tmp_path / "m.onnx"))
    ge_onnx.optimize(module, "infer-types,fold-batch-norm")
    (graph,) = module.graphs.values()
    (conv,) = graph.find_all("onnx.Conv")
    assert conv.result.name == "scaled"
    assert {"Conv_conv", "BatchNormalization_norm", "Mul_scaled"} <= {o.node for o in conv.origins}
    # _1: folding the norm and folding the scale are two rewrites.
    assert conv.operands[1].name == "k_fold_batch_norm_1"


# --- Structure


def renamed(path: Path, target: Path, *, ends: bool = False) -> Path:
    """Write a copy with other names for nodes and inner values; with `ends`, for inputs and outputs too."""
    model = onnx.load(path)
    graph = model.graph
    kept = set() if ends else {v.name for v in [*graph.input, *graph.output]}

    def name(old: str) -> str:
        return old if not old or old in kept else f"new/{old[::-1]}"

    for one in graph.node:
        one.name = name(one.name)
        for names in (one.input, one.output):
            names[:] = [name(old) for old in names]
    for named in (graph.initializer, graph.value_info, graph.input, graph.output):
        for value in named:
            value.name = name(value.name)
    onnx.save(model, target)
    return target


def with_infos(path: Path) -> Path:
    """Add value_info for inner values to a file, in reverse order."""
    model = onnx.shape_inference.infer_shapes(onnx.load(path))
    infos = list(model.graph.value_info)[::-1]
    del model.graph.value_info[:]
    model.graph.value_info.extend(infos)
    onnx.save(model, path)
    return path


@pytest.mark.parametrize("make", [attention, normalised])
@pytest.mark.parametrize("ends", [False, True])
def test_a_renamed_copy_is_equal_and_the_same_renamed(
    tmp_path: Path, make: Any, ends: bool
) -> None:
    path = with_infos(make(tmp_path / "m.onnx"))
    copy = renamed(path, tmp_path / "r.onnx", ends=ends)
    a, b = ge_onnx.load(path), ge_onnx.load(copy)
    assert a.is_structurally_equal(b) and a.structural_hash() == b.structural_hash()
    done = ge("diff", path, copy)
    assert done.status == 0 and "the same, renamed" in done.out
    assert "removed:" not in done.out and "added:" not in done.out
    assert "name MatMul_q -> new/q_luMtaM" in done.out or make is normalised
    assert ("input x -> new/x" in done.out) == ends
    facts = ge("diff", path, copy, "--json").json
    assert facts["equal"] and facts["renamed"]
    assert set(facts["counts"]) == {"renamed"}
    assert ge("diff", path, path).out.startswith("no difference")
    # Real differences are still found.
    model = onnx.load(copy)
    model.graph.node[-1].attribute.append(helper.make_attribute("alpha", 2.0))
    changed = tmp_path / "c.onnx"
    onnx.save(model, changed)
    done = ge("diff", path, changed)
    assert done.status == 1 and "alpha: absent -> 2.0" in done.out
    assert not ge_onnx.load(path).is_structurally_equal(ge_onnx.load(changed))


def test_names_in_the_ir_are_no_structure() -> None:
    def made() -> ir.Graph:
        with es.builder("main") as b:
            b.output(op.Exp(op.Abs(b.input("x", ir.TensorType((4,), ir.f32)))), name="y")
        return b.graph

    a, b = made(), made()
    for i, one in enumerate(b.nodes):
        one.name, one.result.name = f"n{i}", f"v{i}"
    assert a.is_structurally_equal(b) and a.structural_hash() == b.structural_hash()
    assert [g.kind for g in compare(a, a.clone()).groups] == ["same", "same"]


def chain(names: list[str], operators: list[str]) -> ir.Graph:
    graph = ir.Graph("g")
    type_ = ir.TensorType((4,), ir.f32)
    value = graph.add_input("x", type_)
    for name, kind in zip(names, operators, strict=True):
        value = graph.add_node(f"onnx.{kind}", [value], name=name, result_types=[type_]).result
        value.name = f"{name}_out"
    graph.outputs = [value]
    graph.output_names = ["y"]
    return graph


def test_names_that_moved_on_do_not_mislead() -> None:
    """Exporters number their nodes, so one more node at the front renames all others."""
    kinds = ["Exp", "Relu", "Neg", "Abs", "Sigmoid", "Tanh"]
    before = chain([f"node_{i}" for i in range(5)], kinds[1:])
    after = chain([f"node_{i}" for i in range(6)], kinds)
    groups = compare(before, after).groups
    assert [g.kind for g in groups if g.kind not in ("renamed", "changed")] == ["added"]
    (added,) = [g for g in groups if g.kind == "added"]
    assert added.after[0].op == "onnx.Exp"
    assert all(g.before[0].op == g.after[0].op for g in groups if g.before)


def test_a_node_that_was_taken_out_is_the_one_of_its_name() -> None:
    before = chain(["a", "b", "c", "d"], ["Relu"] * 4)
    after = chain(["a", "c", "d"], ["Relu"] * 3)
    groups = compare(before, after).groups
    assert {g.before[0].name for g in groups if g.kind == "same"} == {"a", "d"}
    assert not [g for g in groups if g.kind == "added"]
    gone = [n.name for g in groups for n in g.before if len(g.before) > len(g.after)]
    assert "b" in gone


def test_functions_are_compared(tmp_path: Path) -> None:
    def model(kind: str, name: str) -> Path:
        body = helper.make_node(kind, ["a"], ["b"], name)
        imports = [helper.make_opsetid(*of) for of in (("", 17), ("my", 1))]
        function = helper.make_function("my", "F", ["a"], ["b"], [body], imports[:1])
        ends = [helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [2]) for n in ("x", "y")]
        call = helper.make_node("F", ["x"], ["y"], "call", domain="my")
        graph = helper.make_graph([call], "g", ends[:1], ends[1:])
        path = tmp_path / f"{kind}{name}.onnx"
        onnx.save(helper.make_model(graph, opset_imports=imports, functions=[function]), path)
        return path

    first = model("Relu", "inner")
    assert ge("diff", first, model("Relu", "other")).status == 0
    done = ge("diff", first, model("Exp", "inner"))
    assert done.status == 1 and "operator onnx.Relu -> onnx.Exp" in done.out
