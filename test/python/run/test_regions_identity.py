"""A compiled region is used again for an equal region only: a hash preselects, the structure decides."""

from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

import ge.ir as ir
import ge.onnx
from ge.run import _regions
from ge.view import compare

pytest.importorskip("onnxruntime")

X = np.array([0.25, 1.5, 4.0], np.float32)
T = ir.TensorType([3], ir.f32)


def node(graph: ir.Graph, op: str, *operands: Any, **attributes: Any) -> Any:
    return graph.add_node(op, list(operands), attributes, result_types=[T]).result


def ladder(left: int, right: int, name: str = "") -> ir.Graph:
    """x, sqrt x, sqrt sqrt x, ...: one of them over another one."""
    graph = ir.Module("m").add_graph("main")
    graph.attributes["opset"] = 18
    values = [graph.add_input("x", T)]
    for i in range(4):
        values.append(node(graph, "onnx.Sqrt", values[-1]))
        if name:
            values[-1].node.name = f"{name}{i}"
    graph.outputs = [node(graph, "onnx.Div", values[left], values[right])]
    return graph


@pytest.mark.parametrize("isolate", [True, False])
def test_graphs_that_differ_in_wiring_only_have_their_own_numbers(isolate: bool) -> None:
    steps = [X]
    for _ in range(4):
        steps.append(np.sqrt(steps[-1]))
    for left, right in ((2, 3), (3, 2), (3, 4), (2, 4), (2, 2)):
        (found,) = ladder(left, right).run([X], isolate=isolate)
        np.testing.assert_allclose(found, steps[left] / steps[right], 1e-5)


def test_equal_regions_share_a_session_whatever_their_names_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Of its own: what earlier tests left may be dropped meanwhile.
    sessions: OrderedDict[Any, Any] = OrderedDict()
    monkeypatch.setattr(_regions, "_sessions", sessions)
    ladder(2, 4).run([X])
    assert len(sessions) == 1
    ladder(2, 4, "other").run([X])
    assert len(sessions) == 1
    ladder(4, 2).run([X])
    assert len(sessions) == 2


def test_a_kept_session_holds_no_graph_of_the_user() -> None:
    context = ir.Context()
    graph = ir.Module("m", context=context).add_graph("main")
    graph.attributes["opset"] = 18
    type_ = ir.TensorType([3], ir.f32, context=context)
    x = graph.add_input("x", type_)
    graph.outputs = [graph.add_node("onnx.Softsign", [x], result_types=[type_]).result]
    graph.run([X])
    del graph, x
    assert context.live_graph_count() == 0


def test_regions_with_bodies_of_other_wiring(tmp_path: Any) -> None:
    from onnx import TensorProto, helper

    def model(left: str, right: str) -> ir.Module:
        nodes = [
            helper.make_node("Abs", ["x"], ["a"]),
            helper.make_node("Abs", ["a"], ["b"]),
            helper.make_node("Neg", ["b"], ["c"]),
            helper.make_node("Neg", ["c"], ["d"]),
            helper.make_node("Neg", ["d"], ["e"]),
            helper.make_node("Sub", [left, right], ["t"]),
        ]
        value = helper.make_tensor_value_info
        then = helper.make_graph(nodes, "then", [], [value("t", TensorProto.FLOAT, [3])])
        other = helper.make_graph(
            [helper.make_node("Abs", ["x"], ["o"])],
            "else",
            [],
            [value("o", TensorProto.FLOAT, [3])],
        )
        graph = helper.make_graph(
            [helper.make_node("If", ["c0"], ["y"], then_branch=then, else_branch=other)],
            "g",
            [value("x", TensorProto.FLOAT, [3]), value("c0", TensorProto.BOOL, [])],
            [value("y", TensorProto.FLOAT, [3])],
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        return ge.onnx.load(made.SerializeToString())

    def run(module: ir.Module) -> Any:
        (graph,) = module.graphs.values()
        return graph.run([X, np.array(True)])[0].tolist()

    first, second = model("d", "e"), model("e", "d")
    assert run(first) == (2 * X).tolist()
    assert run(second) == (-2 * X).tolist()
    # And the comparison of nodes does not take the bodies for equal.
    kinds = [
        g.kind for g in compare(*(next(iter(m.graphs.values())) for m in (first, second))).groups
    ]
    assert "changed" in kinds
    same = compare(*(next(iter(m.graphs.values())) for m in (first, first.clone()))).groups
    assert {g.kind for g in same} == {"same"}


def test_attributes_that_hold_large_tensors_are_compared_by_their_contents() -> None:
    def graph(last: float) -> ir.Graph:
        made = ir.Module("m").add_graph("main")
        held = np.zeros(4096, np.float32)
        held[-1] = last
        made.outputs = [node(made, "acme.Table", made.add_input("x", T), tables=[ir.Tensor(held)])]
        return made

    (group,) = compare(graph(1.0), graph(2.0)).groups
    assert group.kind == "changed"
    (group,) = compare(graph(1.0), graph(1.0)).groups
    assert group.kind == "same"
