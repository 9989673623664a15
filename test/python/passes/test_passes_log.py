"""What the log tells of executions of passes in Python."""

from typing import Any

import pytest

import ge.ir as ir
import ge.passes as passes


def test_the_log_tells_instances_apart(caplog: pytest.LogCaptureFixture) -> None:
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
