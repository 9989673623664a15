"""The log reports executions of Python passes."""

from typing import Any

import pytest

import ge.ir as ir
import ge.passes as passes


def test_the_log_distinguishes_instances(caplog: pytest.LogCaptureFixture) -> None:
    manager = passes.PassManager()

    class Nothing(passes.FusionBasePass):
        def run(self, graph: ir.Graph, context: Any) -> None:
            for node in list(graph.nodes):
                if node.type == "Neg" and not node.results[0].uses:
                    node.erase()

    text = (
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        '  %0 = "onnx.Neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>\n'
        "  return %x : tensor<4xf32>\n}"
    )
    with caplog.at_level("DEBUG", "ge.passes"):
        manager.add(Nothing).add(Nothing).run(ir.Graph.parse(text))
    told = [r.message for r in caplog.records if "#" in r.message]
    assert len(told) == 4
    key = f"{__name__}:Nothing:Nothing#"
    assert all(line.startswith(key) for line in told)
    ids = [line.split(": ")[0] for line in told]
    assert ids[0] == ids[1] != ids[2] == ids[3]
    assert "starts on 'main' (tensor<4xf32>) -> (tensor<4xf32>)" in told[0]
    assert "0 nodes added, 1 removed" in told[1] and "0 nodes added, 0 removed" in told[3]


def test_warnings_of_a_broken_model_do_not_fill_the_screen(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Each round finds them again; the log shows at most 20 different ones per pass, the result contains all."""
    type_, wrong = ir.TensorType((2, 2), ir.f32), ir.TensorType((3,), ir.i32)
    g = ir.Graph("g")
    x = g.add_input("x", type_)
    for _ in range(50):
        y = g.add_node("onnx.Abs", [x], result_types=wrong).result
    g.outputs = [y]
    with caplog.at_level("INFO", "ge.passes"):
        result = passes.PassManager().add("infer-types").add("infer-types").run(g)
    told = [r.message for r in caplog.records]
    shown = [message for message in told if "declared as i32[3]" in message]
    assert len(shown) == len(set(shown)) == 20
    remarks = [f"pass 'infer-types': {r.message}" for each in result.passes for r in each.remarks]
    assert len(remarks) == 100 and set(shown) < set(remarks)
    assert "pass 'infer-types': 30 more warnings are not shown" in told
