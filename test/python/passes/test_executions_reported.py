"""Log and trace report each execution of a Python pass: instance, nodes added and removed, shapes before and after."""

import json
import logging
from pathlib import Path

import pytest

import ge.passes as passes
from ge import ir
from ge.es import onnx as op

pytestmark = pytest.mark.usefixtures("clean_passes")
GRAPH = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "onnx.Neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "onnx.Neg"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""
SHAPES = "'main' (tensor<4xf32>) -> (tensor<4xf32>)"


def register() -> str:
    @passes.register_fusion_pass(name="Pairs", stage=passes.PassStage.BEFORE_INFER_SHAPE)
    class Pairs(passes.PatternFusionPass):
        @passes.pattern
        def twice(self, x: ir.Value) -> ir.Value:
            return op.Neg(op.Neg(x))

        def replacement(self, x: ir.Value) -> ir.Value:
            return op.Identity(x)

    (descriptor,) = passes.get_registered_passes()
    return descriptor.descriptor_key


def test_trace(tmp_path: Path) -> None:
    key = register()
    manager = passes.PassManager.parse("Pairs,Pairs")
    manager.run(ir.Graph.parse(GRAPH))  # collects nothing without a trace
    manager.run(ir.Graph.parse(GRAPH), trace=tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    first, second = [event["args"] for event in events if event["name"] == "Pairs"]
    assert first["nodes"] == "1 added, 2 removed" and second["nodes"] == "0 added, 0 removed"
    assert {first["before"], first["after"], second["before"]} == {SHAPES}
    # The key of the class, followed by the number of the execution.
    instances = [args["instance"].rpartition("#") for args in (first, second)]
    assert [i[0] for i in instances] == [key, key] and instances[0][2] != instances[1][2]


def test_log(caplog: pytest.LogCaptureFixture) -> None:
    key = register()
    with caplog.at_level(logging.DEBUG, "ge.passes"):
        passes.PassManager.parse("Pairs").run(ir.Graph.parse(GRAPH))
    start, end, *_ = [r.message for r in caplog.records if r.message.startswith(key)]
    assert start.endswith(f": starts on {SHAPES}")
    assert end.endswith(f": 1 nodes added, 2 removed; now {SHAPES}")


def test_a_node_in_place_of_another_counts_though_it_has_its_name(
    caplog: pytest.LogCaptureFixture,
) -> None:
    @passes.register_fusion_pass(name="Other", stage=passes.PassStage.BEFORE_INFER_SHAPE)
    class Other(passes.PatternFusionPass):
        @passes.pattern
        def neg(self, x: ir.Value) -> ir.Value:
            return op.Neg(x)

        def replacement(self, x: ir.Value) -> ir.Value:
            return op.Abs(x)

    with caplog.at_level(logging.DEBUG, "ge.passes"):
        passes.PassManager.parse("Other").run(ir.Graph.parse(GRAPH))
    assert any("2 nodes added, 2 removed" in record.message for record in caplog.records)


def test_capture_tensor() -> None:
    from ge.es import GraphBuilder

    builder = GraphBuilder("p")
    x = builder.create_input(0)
    pattern = passes.create_pattern(builder.build_and_reset([x]))
    assert passes.capture_tensor(pattern, x) is pattern
    assert len(pattern.get_captured_tensors()) == 1
