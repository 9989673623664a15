"""Which result of a node belongs to which result of the record, where that leaves a choice."""

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ge.ir as ir
import ge.ops as ops
import ge.passes as passes

F1 = ir.TensorType((1,), ir.f32)


@pytest.fixture
def library() -> Iterator[ops.Library]:
    with ops.Library("segres") as made:
        made.define("split2(Tensor x) -> (Tensor[] low, Tensor[] high)", traits=["pure"])
        made.define("rest(Tensor x) -> (Tensor[] parts, Tensor? left)", traits=["pure"])
        for name in ("split2", "rest"):
            made.infer(name)(lambda call: [F1] * call.num_results)
        yield made


def built(name: str, *arguments: Any, **keywords: Any) -> tuple[ir.Graph, Any]:
    import ge.es as es

    graph = ir.Graph("g")
    x = graph.add_input("x", F1)
    with ir.InsertionPoint(graph):
        return graph, getattr(es.segres, name)(x, *arguments, **keywords)


def test_builder_gives_each_list(library: ops.Library) -> None:
    graph, (low, high) = built("split2", 1, 2)
    assert len(low) == 1 and len(high) == 2
    node = low[0].node
    assert node.result_segments == (1, 2)
    assert node.view.low == (low[0],) and node.view.high == tuple(high)
    graph, (parts, left) = built("rest", 2)
    assert len(parts) == 2 and left is None
    graph, (parts, left) = built("rest", 2, _outputs=(2, 1))
    assert len(parts) == 2 and left is not None
    assert left.node.result_segments == (2, 1)


@pytest.mark.parametrize("outputs", [(1,), (1, 2, 3), (-1, 2), (1, "a")])
def test_builder_refuses_other_numbers(library: ops.Library, outputs: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        built("split2", 1, 1, _outputs=outputs)


def test_text_copies_and_equality(library: ops.Library) -> None:
    graph, (low, high) = built("split2", 1, 2)
    graph.outputs = [*low, *high]
    assert "resultSegmentSizes = array<i32: 1, 2>" in str(graph)
    for again in (ir.Graph.parse(str(graph)), graph.clone(), pickle.loads(pickle.dumps(graph))):
        assert next(iter(again.nodes)).result_segments == (1, 2)
        assert again.is_structurally_equal(graph)
    other, (low, high) = built("split2", 2, 1)
    other.outputs = [*low, *high]
    assert not other.is_structurally_equal(graph)
    assert other.structural_hash() != graph.structural_hash()


def test_nodes_without_lengths_do_not_verify(library: ops.Library) -> None:
    graph = ir.Graph("g")
    x = graph.add_input("x", F1)
    node = graph.add_node("segres.split2", [x], result_types=[F1, F1])
    with pytest.raises(ir.GEError, match="2 results for 'low', 'high'.*result_segments"):
        passes.PassManager.parse("verify").run(graph)
    node.result_segments = (1, 1)
    passes.PassManager.parse("verify").run(graph)
    nested = graph.add_node("segres.split2", [x], result_types=[[F1], [F1, F1]])
    assert nested.result_segments == (1, 2)
    with pytest.raises((ValueError, ir.GEError)):
        nested.result_segments = (2, 2)


def test_kernel_gives_the_lists_of_the_node(library: ops.Library) -> None:
    @library.impl("split2", "cpu", as_="numpy")
    def kernel(x: Any) -> Any:
        return [x + 1], [x + 2, x + 3]

    graph, (low, high) = built("split2", 1, 2)
    graph.outputs = [*low, *high]
    found = graph.run([np.zeros(1, np.float32)])
    assert [float(v[0]) for v in found] == [1, 2, 3]
    graph, (low, high) = built("split2", 2, 1)
    graph.outputs = [*low, *high]
    with pytest.raises(ops.KernelError, match=r"\(1, 2\)"):
        graph.run([np.zeros(1, np.float32)])
