"""The verifier checks the edits of each pass, and the whole graph at the end of a run; no invalid edit is missed.

A pass is not blamed for errors that existed before it.
"""

import random
import time
from collections.abc import Callable
from typing import Any

import pytest

import ge.ir as ir
from ge.passes import PassManager

X = ir.TensorType((2,), ir.f32)


def chain(length: int = 4) -> ir.Graph:
    """Return a chain of Negs."""
    graph = ir.Graph("g")
    x = graph.add_input("x", X)
    for i in range(length):
        x = graph.add_node("onnx.Neg", [x], result_types=[X], name=f"n{i}").result
    graph.outputs = [x]
    return graph


def make_cycle(graph: ir.Graph) -> None:
    graph.nodes[0].operands[0] = graph.nodes[2].result


def make_cycle_by_new_node(graph: ir.Graph) -> None:
    first, last = graph.nodes[0], graph.nodes[3]
    made = graph.add_node("onnx.Abs", [last.result], result_types=[X])
    first.operands[0] = made.result


def make_control_cycle(graph: ir.Graph) -> None:
    graph.nodes[0].control_inputs.append(graph.nodes[3])


def detach_producer(graph: ir.Graph) -> None:
    graph.nodes[1].detach()


def drop_output(graph: ir.Graph) -> None:
    graph.outputs = [None]


def erase_with_force(graph: ir.Graph) -> None:
    graph.nodes[3].erase(force=True)


def name_unknown_graph(graph: ir.Graph) -> None:
    graph.nodes[0].attributes["f"] = ir.GraphRef("nowhere")


BREAKS: list[Callable[[ir.Graph], None]] = [
    make_cycle,
    make_cycle_by_new_node,
    make_control_cycle,
    detach_producer,
    drop_output,
    erase_with_force,
]


def nothing(graph: ir.Graph) -> None:
    pass


def rename(graph: ir.Graph) -> None:
    graph.nodes[0].name = graph.nodes[0].name + "_"


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("breaks", BREAKS)
def test_what_a_pass_breaks_fails_it(breaks: Callable[[ir.Graph], None], full: bool) -> None:
    graph = chain()
    PassManager().add(rename).run(graph)
    before = str(graph)
    for manager in (PassManager(), PassManager().add(rename)):  # the second knows the order
        manager.enable_verifier(full=full).add(breaks)
        with pytest.raises(ir.PassError, match=f"'{breaks.__name__}' left an invalid graph"):
            manager.run(graph)
        graph.nodes[0].name = "n0_"
        assert str(graph) == before


def test_a_cycle_through_edges_that_were_against_the_order_before() -> None:
    """The new edge agrees with list order, but closes a cycle together with an older edge."""
    graph = chain(3)
    first, _, last = graph.nodes
    last.operands[0] = graph.inputs[0]
    first.operands[0] = last.result  # against list order, but no cycle yet

    def close(g: ir.Graph) -> None:
        g.nodes[2].operands[0] = g.nodes[0].result

    before = str(graph)
    with pytest.raises(ir.PassError, match="has a cycle"):
        PassManager().add(nothing).add(close).run(graph)
    assert str(graph) == before


def test_what_was_wrong_before_is_a_remark_of_the_run() -> None:
    graph = chain()
    graph.outputs = [None]
    result = PassManager().add(rename).run(graph)
    assert result.passes[0].outcome == "changed"
    (remark,) = result.remarks
    assert remark.severity == "warning"
    assert "is wrong, by no pass of it: output 0 of graph 'g' is absent" in remark.message
    assert PassManager().add(nothing).run(graph).remarks == []
    assert PassManager().enable_verifier(False).add(rename).run(graph).remarks == []
    with pytest.raises(ir.PassError, match="left an invalid graph"):
        PassManager().enable_verifier(full=True).add(rename).run(graph)


def test_without_the_verifier_nothing_is_refused() -> None:
    graph = chain()
    assert PassManager().enable_verifier(False).add(make_cycle).run(graph).changed
    with pytest.raises(ir.VerifyError):
        graph.verify()


@pytest.mark.parametrize("seed", range(40))
def test_random_edits_are_judged_as_the_whole_graph_is(seed: int) -> None:
    def edit(graph: ir.Graph, rng: random.Random) -> None:
        for _ in range(rng.randrange(1, 6)):
            nodes = list(graph.nodes)
            node, other = rng.choice(nodes), rng.choice(nodes)
            what = rng.randrange(7)
            if what == 0:
                node.operands[0] = other.result
            elif what == 1:
                made = graph.add_node("onnx.Abs", [other.result], result_types=[X])
                node.operands[0] = made.result
            elif what == 2 and node is not other:
                node.control_inputs.append(other)
            elif what == 3:
                graph.outputs = [rng.choice([node.result, None, node.result])]
            elif what == 4:
                with ir.InsertionPoint.before(other):
                    made = graph.add_node("onnx.Abs", [graph.inputs[0]], result_types=[X])
                node.replace_with([made.result])
            elif what == 5 and len(nodes) > 2:
                node.erase(force=True)
            elif what == 6 and rng.random() < 0.3:
                try:
                    graph.sort()
                except ir.VerifyError:  # a cycle
                    pass
            else:
                rename(graph)

    failed = 0
    for number in range(30):
        outcomes, texts = [], []
        for full in (False, True):
            graph, rng = chain(6), random.Random(1000 * seed + number)
            manager = PassManager(on_error="skip").enable_verifier(full=full).add(rename)
            for _ in range(3):
                manager.add(lambda g, rng=rng: edit(g, rng))
            result = manager.run(graph)
            outcomes.append([each.outcome for each in result.passes])
            texts.append(str(graph))
            assert result.remarks == []
        assert outcomes[0] == outcomes[1] and texts[0] == texts[1]
        failed += outcomes[0].count("failed")
    assert 0 < failed < 90


def test_a_small_edit_of_a_large_graph_is_verified_at_the_cost_of_the_edit() -> None:
    graph = chain(20_000)

    def seconds(full: bool) -> float:
        manager = PassManager().enable_verifier(full=full)
        for _ in range(100):
            manager.add(rename)
        start = time.process_time()
        manager.run(graph)
        return time.process_time() - start

    seconds(False)
    few, all_of_it = (min(seconds(full) for _ in range(3)) for full in (False, True))
    assert few < 0.5 * all_of_it


def test_modules_are_verified_by_edits_too() -> None:
    module = ir.Module.parse(
        "module { func.func @a(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        '  %y = "onnx.Neg"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n  return %y : tensor<2xf32>\n} }'
    )
    before = str(module)
    with pytest.raises(ir.PassError, match="names the graph @nowhere"):
        PassManager().add(name_unknown_graph).run(module)
    assert str(module) == before

    def drop(graph: Any) -> None:
        graph.outputs = [None]

    with pytest.raises(ir.PassError, match="is absent"):
        PassManager().add(drop).run(module)
