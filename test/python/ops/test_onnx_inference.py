"""Types of whole networks are inferred natively, and are at least as precise as ONNX's reference inference.

The models keep only the types of their inputs. Each operator is also checked with its node tests of the `onnx` package,
with the inference of that package as the fallback, as for users.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

onnx = pytest.importorskip("onnx")

from onnx_inference import (
    fits,
    model_files,
    node_cases,
    reference_types,
    relation,
    shape_text,
    small_constants,
    to_graph,
    type_text,
)

import ge.ir as ir
import ge.ops as ops

EXPORTED = Path(__file__).resolve().parents[2] / "models"
MODELS = [*model_files(), *sorted(EXPORTED.glob("*.onnx"))]


def read(path: Path) -> Any:
    return onnx.load(str(path), load_external_data=False)


def test_the_light_networks_are_there() -> None:
    assert len(model_files()) == 9


@pytest.mark.parametrize("path", MODELS, ids=lambda p: p.stem)
def test_every_value_of_a_network_gets_a_type_natively(path: Path) -> None:
    module, values = to_graph(read(path))
    before = ops.inferrer_uses()
    found = module.graphs["main"].infer_types()
    assert (found.unknown, found.unknown_operators, found.by_fallback) == (0, {}, 0)
    assert found.diagnostics == ()
    assert ops.inferrer_uses() == before
    unranked = [
        n for n, v in values.items() if isinstance(v.type, ir.TensorType) and v.type.shape is None
    ]
    assert unranked == []


@pytest.mark.parametrize("path", MODELS, ids=lambda p: p.stem)
def test_types_of_a_network_are_at_least_those_of_the_reference(path: Path) -> None:
    model = read(path)
    module, values = to_graph(model)
    module.graphs["main"].infer_types()
    reference = reference_types(model)
    compared = {n: (type_text(values[n].type), shape_text(t)) for n, t in reference.items()}
    wrong = {n: pair for n, pair in compared.items() if relation(*pair) not in ("same", "finer")}
    assert wrong == {}
    assert len(compared) > 20


@pytest.mark.parametrize("path", MODELS, ids=lambda p: p.stem)
def test_inferring_again_changes_nothing(path: Path) -> None:
    graph = to_graph(read(path))[0].graphs["main"]
    graph.infer_types()
    assert graph.infer_types().changed == 0
    graph.verify()


# Tests with coarser types: the reference copies a type that does not hold for all iterations of a loop, or a name that
# only the test has.
COARSER = {
    "test_dft_irfft_opset19",
    "test_loop11",
    "test_loop13_seq",
    "test_loop16_seq_none",
}


@pytest.mark.slow
def test_each_operator_gets_the_type_of_what_it_computes() -> None:
    """The types fit the arrays of the operator's test, and are at least as precise as the reference."""
    unknown: dict[str, int] = {}
    wrong, compared = [], 0
    for name, model, inputs, outputs in node_cases():
        module, values = to_graph(model, small_constants(model, inputs))
        found = module.graphs["main"].infer_types()
        assert found.diagnostics == (), name
        for op, count in found.unknown_operators.items():
            unknown[op] = unknown.get(op, 0) + count
        reference = reference_types(model)
        for output, computed in zip(model.graph.output, outputs):
            ours = type_text(values[output.name].type)
            theirs = shape_text(reference[output.name]) if output.name in reference else "unknown"
            said = relation(ours, theirs)
            compared += 1
            good = said in ("same", "finer") or (said == "coarser" and is_excused(name, ours))
            if not good or not fits(ours, computed):
                wrong.append((name, ours, theirs))
    assert (wrong, unknown) == ([], {})
    assert compared > 2000


def is_excused(name: str, ours: str) -> bool:
    return name in COARSER or (name.startswith("test_sequence_map") and ours.endswith("[*])"))


def test_the_fallback_is_called_for_few_operators() -> None:
    uses = ops.inferrer_uses().get("onnx", {})
    asked = {op for op, (_, answered) in uses.items() if answered}
    assert all(op.count(".") > 1 for op in asked), asked  # of onnx.ml and other subdomains


# --- The fallback itself


def one(op: str, *types: Any, **attributes: Any) -> ir.Node:
    graph = ir.Graph("g")
    values = [graph.add_input(f"x{i}", t) for i, t in enumerate(types)]
    node = graph.add_node(op, values, attributes, result_types=[ir.UnknownType()])
    graph.outputs = [node.result]
    return node


def fallback(node: ir.Node) -> Any:
    """Return the types that the reference infers, without native inference."""
    from ge.run._operators import infer

    constants = [
        None if v is None or v.node.type != "Const" else v.node.attributes["value"]
        for v in node.operands
    ]
    types = tuple(None if v is None else v.type for v in node.operands)
    record = ops.find(node.domain, node.type)
    return infer(
        node.op,
        node.graph.context,
        0,
        record and record.since,
        types,
        tuple(constants),
        dict(node.attributes),
        {},
        len(node.results),
    )


def test_the_reference_infers_what_ge_does() -> None:
    image = ir.TensorType(("N", 3, 8, 8), ir.f32)
    kernel = ir.TensorType((4, 3, 3, 3), ir.f32)
    node = one("onnx.Conv", image, kernel, pads=[1, 1, 1, 1], strides=[2, 2])
    node.graph.infer_types()
    assert fallback(node) == [node.result.type]
    cast = one("onnx.Cast", image, to=ir.f16)
    assert fallback(cast) == [ir.TensorType(("N", 3, 8, 8), ir.f16)]


def test_what_the_reference_invents_is_unknown() -> None:
    node = one("onnx.NonZero", ir.TensorType((2, 3), ir.f32))
    assert fallback(node) == [ir.TensorType((2, None), ir.i64)]


def test_small_constants_are_given_and_large_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    from onnx import shape_inference

    sizes = []
    real = shape_inference.infer_shapes

    def watched(model: bytes, **options: Any) -> Any:
        sizes.append(len(model))
        return real(model, **options)

    monkeypatch.setattr(shape_inference, "infer_shapes", watched)
    monkeypatch.setenv("GE_EVALUATORS", "inprocess")  # otherwise a child process infers
    graph = ir.Graph("g")
    x = graph.add_input("x", ir.TensorType((4, 6), ir.f32))
    for data in ([2, 12], [1.0] * 100_000):
        tensor = ir.Tensor(data)
        constant = graph.add_node("ge.Const", (), {"value": tensor}, result_types=[tensor.type])
        op = "onnx.Reshape" if data == [2, 12] else "onnx.Add"
        node = graph.add_node(op, [x, constant], result_types=[ir.UnknownType()])
        if op == "onnx.Reshape":
            assert fallback(node) == [ir.TensorType((2, 12), ir.f32)]
        else:
            with pytest.raises(ir.VerifyError, match=r"ncompatible dimensions.*says onnx"):
                fallback(node)
    assert len(sizes) == 2
    assert max(sizes) < 1000


@pytest.mark.parametrize("op", ["onnx.Nonsense", "com.acme.Op", "ai.onnx.ml.Nonsense"])
def test_what_the_reference_does_not_know(op: str) -> None:
    assert fallback(one(op, ir.TensorType((2,), ir.f32))) is None


def test_element_types_that_onnx_lacks() -> None:
    assert fallback(one("onnx.Relu", ir.TensorType((2,), ir.DType("hifloat8")))) is None
