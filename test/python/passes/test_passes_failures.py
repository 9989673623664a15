"""Failures of Python passes are undone, skipped or fatal, and keep the exception that was raised.

Handles that a pass keeps expire at the end of its run, however it ends.
"""

import gc
from typing import Any

import pytest
from manager_graphs import (
    fail,
    graph,  # noqa: F401 - a fixture
    rename,
)

import ge.es as es
import ge.ir as ir
import ge.passes as passes
from ge.es import onnx as op
from ge.passes import PassManager

pytestmark = pytest.mark.usefixtures("clean_passes")


def test_failure_is_undone_and_keeps_the_exception(graph: ir.Graph) -> None:
    PassManager().add(rename).run(graph)
    renamed = str(graph)
    with pytest.raises(ir.PassError, match="pass 'fail' failed in fail") as caught:
        PassManager().add(rename).add(fail).run(graph)
    error = caught.value
    assert isinstance(error.__cause__, ZeroDivisionError)
    frame = error.__cause__.__traceback__
    while frame.tb_next:
        frame = frame.tb_next
    assert frame.tb_frame.f_code.co_name == "fail"
    assert (error.pass_name, error.hook, error.file) == ("fail", "fail", fail.__code__.co_filename)
    assert error.line == frame.tb_lineno
    assert str(graph) == renamed
    assert all(node.name != "half_done" for node in graph.nodes)


def test_skip_goes_on_and_lists_failures(graph: ir.Graph) -> None:
    result = PassManager(on_error="skip").add(fail).add(rename).add(fail).run(graph)
    assert [r.outcome for r in result.passes] == ["failed", "changed", "failed"]
    first, second = (r.error for r in result.failures)
    assert isinstance(first.__cause__, ZeroDivisionError) and first is not second
    assert graph.nodes[0].name == "renamed"


def test_fatal_ends_also_a_run_that_skips(graph: ir.Graph) -> None:
    def fatal(graph: ir.Graph) -> None:
        raise passes.PassFatal("no sense to go on")

    with pytest.raises(ir.PassError, match="no sense to go on"):
        PassManager(on_error="skip").add(fatal).add(rename).run(graph)
    assert graph.nodes[0].name != "renamed"


def test_a_pass_that_skips_is_undone(graph: ir.Graph) -> None:
    def skips(graph: ir.Graph) -> None:
        graph.nodes[0].name = "kept"
        graph.outputs = [graph.add_node("onnx.Abs", [graph.outputs[0]]).result]
        raise passes.PassSkip("enough")

    before = str(graph)
    result = PassManager().add(skips).run(graph)
    assert str(graph) == before
    assert not result and result.passes[0].outcome == "unchanged"
    assert "enough" in result.passes[0].remarks[0].message
    # What ran before it stays.
    assert PassManager().add(rename).add(skips).run(graph).changed
    assert graph.nodes[0].name == "renamed"


def test_a_class_that_skips_one_graph_keeps_what_it_did_to_the_others() -> None:
    class Marks(passes.FusionBasePass):
        def run(self, graph: ir.Graph, context: passes.PassContext) -> None:
            graph.attributes["mark"] = 1
            graph.nodes[0].name = "marked"
            if graph.parent_node is not None:
                raise passes.PassSkip("not inside")

    x = ir.TensorType((4,), ir.f32)
    with es.builder("main") as b:
        c, value = b.input("c", ir.TensorType((), "bool")), b.input("x", x)
        b.output(
            *op.If(
                c,
                then_branch=lambda: op.Neg(value, _name="inner"),
                else_branch=lambda: op.Abs(value, _name="other"),
            )
        )
    graph = b.graph
    bodies = list(graph.nodes[0].subgraphs)
    result = PassManager().add(Marks).run(graph)
    assert result.changed and graph.attributes["mark"] == 1 and graph.nodes[0].name == "marked"
    assert {body.nodes[0].name for body in bodies} == {"inner", "other"}
    assert not any("mark" in body.attributes for body in bodies)
    assert len(result.passes[0].remarks) == 2


def test_a_skip_inside_of_the_passs_own_transaction(graph: ir.Graph) -> None:
    def skips(graph: ir.Graph) -> None:
        with graph.transaction():
            graph.nodes[0].name = "inside"
        graph.nodes[1].name = "outside"
        with graph.transaction():
            graph.nodes[2].name = "not yet"
            raise passes.PassSkip("enough")

    before = str(graph)
    assert not PassManager().add(skips).run(graph)
    assert str(graph) == before


def test_errors_have_kinds(graph: ir.Graph) -> None:
    def left_invalid(graph: ir.Graph) -> None:
        graph.outputs = [None]

    def contradicts(graph: ir.Graph) -> None:
        graph.nodes[0].result.type = ir.TensorType((7, 7), ir.i8)

    def says_so(graph: ir.Graph) -> None:
        raise RuntimeError("leaves types that contradict each other in graph 'main'")

    for what, kind in (
        (fail, "raised"),
        (says_so, "raised"),
        (left_invalid, "invalid-graph"),
        (contradicts, "contradiction"),
    ):
        with pytest.raises(ir.PassError) as caught:
            PassManager().add(what).run(graph)
        assert caught.value.kind == kind
        (failed,) = PassManager(on_error="skip").add(what).run(graph).failures
        assert isinstance(failed.error, ir.PassError) and failed.error.kind == kind


def test_keyboard_interrupt_stays_what_it_is(graph: ir.Graph) -> None:
    def interrupt(graph: ir.Graph) -> None:
        graph.nodes[0].name = "half_done"
        raise KeyboardInterrupt

    before = str(graph)
    with pytest.raises(KeyboardInterrupt):
        PassManager(on_error="skip").add(interrupt).add(rename).run(graph)
    assert str(graph) == before


def test_native_failures_have_the_same_attributes(graph: ir.Graph) -> None:
    graph.nodes[0].operands = [None]
    with pytest.raises(ir.PassError, match="pass 'verify' failed on") as caught:
        PassManager.parse("sort,verify").run(graph)
    assert caught.value.pass_name == "verify"
    assert caught.value.diagnostics and caught.value.__cause__ is None


def test_what_is_wrong_afterwards_is_undone(graph: ir.Graph) -> None:
    def breaks(graph: ir.Graph) -> None:
        graph.outputs = [None]

    before = str(graph)
    with pytest.raises(ir.PassError, match="left an invalid graph"):
        PassManager().add(breaks).run(graph)
    assert str(graph) == before
    PassManager().add(breaks).enable_verifier(False).run(graph)
    assert str(graph) != before


def test_what_a_pass_holds_expires_with_its_run(graph: ir.Graph) -> None:
    mine = graph.nodes[0]
    kept: list[Any] = []

    def hold(lent: ir.Graph) -> None:
        assert lent is graph and lent.nodes[0] is mine
        kept.append(lent.nodes[1])
        inner = PassManager().add(lambda g: kept.append(g.nodes[2])).run(lent)
        assert not inner.changed
        with pytest.raises(ir.StaleHandleError, match="graph handle has expired"):
            _ = kept[1].name
        assert kept[0].name and lent.nodes[2].name  # handles of the outer run, which has not ended
        kept.extend([lent.inputs[0], lent.nodes[1].attributes, iter(lent.nodes)])

    PassManager().add(hold).run(graph)
    assert mine.name == graph.nodes[0].name and mine is graph.nodes[0]
    for handle in kept[:3]:
        with pytest.raises(ir.StaleHandleError, match="graph handle has expired: .* was lent"):
            _ = handle.name
    with pytest.raises(ir.StaleHandleError, match="graph handle has expired"):
        len(kept[3])
    assert str(kept[0])  # an expired handle can still be printed
    again = graph.nodes[1]
    assert again is not kept[0] and again.name


@pytest.mark.parametrize("how", ["raises", "changes", "in a transaction", "of a module"])
def test_handles_expire_however_a_run_ends(graph: ir.Graph, how: str) -> None:
    kept: list[Any] = []

    def hold(lent: Any) -> None:
        lent = lent if isinstance(lent, ir.Graph) else lent.graphs[0]
        made = lent.add_node("onnx.Relu", [lent.inputs[0]])
        kept.extend([lent.nodes[0], made, lent])
        if how == "raises":
            raise ValueError("no")

    manager = PassManager(on_error="skip").add(hold)
    if how == "in a transaction":

        def erase(lent: ir.Graph) -> None:
            spare = lent.find("spare")
            assert spare is not None
            kept.extend([spare, spare.results[0]])
            spare.erase()

        graph.add_node("onnx.Abs", [graph.inputs[0]], name="spare")
        before = str(graph)
        with graph.transaction() as t:
            manager.run(graph)
            with pytest.raises(ir.StaleHandleError, match="has expired"):
                _ = kept[0].name
            PassManager().add(erase).run(graph)
            t.rollback()
        assert str(graph) == before  # the erased node is restored, but old handles to it stay stale
        for handle in kept[3:]:
            with pytest.raises(ir.StaleHandleError, match="was erased by pass 'erase'"):
                _ = handle.name
    elif how == "of a module":
        module = ir.Module.parse(str(graph))
        manager.run(module)
        with pytest.raises(ir.StaleHandleError, match="has expired"):
            _ = kept[2].name
    else:
        manager.run(graph)
        assert kept[2] is graph  # the handle of the caller does not expire
    for handle in kept[:2]:
        with pytest.raises(ir.StaleHandleError):
            _ = handle.name
    gc.collect()
    assert graph.verify()


def test_transactions_left_open_are_a_failure(graph: ir.Graph) -> None:
    kept = []

    def opens(graph: ir.Graph) -> None:
        transaction = graph.transaction()
        transaction.__enter__()
        kept.append(transaction)
        graph.nodes[0].name = "inside"

    before = str(graph)
    with pytest.raises(ir.PassError, match="still open"):
        PassManager().add(opens).run(graph)
    assert str(graph) == before and not kept[0].is_open
