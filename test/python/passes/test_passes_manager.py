"""The pass manager from Python: pipelines, functions and classes as passes, contexts, reports.

The rewrites of native passes are tested in test/Passes; here the manager treats Python passes like native ones.
Failures are tested in test_passes_failures.py.
"""

import contextlib
import gc
import json
import logging
import os
import subprocess
import threading
from pathlib import Path

import pytest
from manager_graphs import (
    TEXT,
    fail,
    graph,  # noqa: F401 - a fixture
    rename,
)

import ge.ir as ir
import ge.passes as passes
from ge.passes import PassContext, PassManager

GE_OPT = Path(os.environ["GE_BUILD_DIR"]) / "bin" / "ge-opt"
pytestmark = pytest.mark.usefixtures("clean_passes")


def test_text_round_trip() -> None:
    text = "sort,verify{definitions=false},fixpoint{max=3}(infer-types,onnx.If(sort))"
    assert str(PassManager.parse(text)) == text
    assert str(PassManager.parse("").add("sort").add("verify")) == "sort,verify"


def test_what_a_pass_undoes_itself_is_no_change(graph: ir.Graph) -> None:
    def tries(graph: ir.Graph, context: PassContext) -> None:
        with contextlib.suppress(ArithmeticError), graph.transaction():
            graph.nodes[0].name = "other"
            graph.nodes[0].attributes["a"] = 1
            raise ArithmeticError

    before = graph.to_text(locations=True)
    result = PassManager().add(tries).run(graph)
    assert result.passes[0].outcome == "unchanged"
    assert graph.to_text(locations=True) == before

    def keeps_some(graph: ir.Graph, context: PassContext) -> None:
        tries(graph, context)
        with graph.transaction():
            graph.nodes[0].name = "kept"

    assert PassManager().add(keeps_some).run(graph).passes[0].changed


def test_wrong_text_shows_a_caret_and_near_names() -> None:
    with pytest.raises(ir.ParseError, match="did you mean 'sort'") as caught:
        PassManager.parse("verify,srot")
    assert (caught.value.diagnostics[0].line, caught.value.diagnostics[0].column) == (1, 8)


def test_functions_and_text_in_one_pipeline(graph: ir.Graph) -> None:
    manager = PassManager.parse("infer-types").add(rename).add("verify{definitions=false}")
    assert str(manager) == "infer-types,rename,verify{definitions=false}"
    result = manager.run(graph)
    assert [r.outcome for r in result.passes] == ["changed", "changed", "unchanged"]
    assert result and result.changed and result.count("rename", "renamed") == 1
    assert graph.nodes[0].name == "renamed"
    assert not manager.add("sort").run(graph).passes[0].changed


def test_a_function_may_take_the_graph_alone(graph: ir.Graph) -> None:
    seen = []
    PassManager().add(lambda g: seen.append(g)).run(graph)
    assert seen == [graph]


def test_modules_are_run_graph_by_graph() -> None:
    module = ir.Module.parse("module { func.func @a() { return } func.func @b() { return } }")
    seen: list[str] = []
    PassManager().add(lambda g: seen.append(g.name)).run(module)
    assert seen == ["a", "b"]


def test_results_of_functions(graph: ir.Graph) -> None:
    good = [None, True, 0, passes.SUCCESS, passes.NOT_CHANGED]
    for result in good:
        PassManager().add(lambda g, result=result: result).run(graph)
    bad = [
        (False, "returned False, which means failure"),
        (1, "returned status 0x1"),
        (-1, "returned -1, which is no status code"),
        (2**40, "which is no status code"),
        ("no", "python pass returned unsupported type: <class 'str'>"),
    ]
    for result, text in bad:
        with pytest.raises(ir.PassError, match=text):
            PassManager().add(lambda g, result=result: result).run(graph)


def test_context(graph: ir.Graph) -> None:
    kept = []

    def look(graph: ir.Graph, context: passes.PassContext) -> bool:
        kept.append(context)
        assert context.get_pass_name() == "look" and context.get_error_message() == ""
        assert context.get_option_value("key") == "value"
        with pytest.raises(RuntimeError, match="Failed to get option value for key: other"):
            context.get_option_value("other")
        context.remark("seen", warning=True)
        context.set_pass_name("renamed")
        assert context.get_pass_name() == "renamed"
        context.set_error_message("what the pass says")
        return False

    with pytest.raises(ir.PassError, match="what the pass says"):
        PassManager(options={"key": "value"}).add(look).run(graph)
    with pytest.raises(RuntimeError, match="PassContext has expired"):
        kept[0].get_pass_name()
    with pytest.raises(ir.StaleHandleError, match="PassContext has expired"):
        kept[0].count("late")


def test_hooks_see_and_skip(graph: ir.Graph) -> None:
    seen = []
    manager = PassManager.parse("sort,verify{definitions=false},onnx.If(sort)")
    manager.add_hook(
        before=lambda name, where: name != "verify",
        after=lambda name, where, outcome, seconds: seen.append((name, where, outcome)),
    )
    result = manager.run(graph)
    assert [r.outcome for r in result.passes] == ["unchanged", "skipped"] + ["unchanged"] * 2
    assert seen == [("sort", "", "unchanged")] + [("sort", "onnx.If", "unchanged")] * 2


@pytest.mark.parametrize("when", ["before", "after"])
def test_hooks_that_raise_end_the_run(graph: ir.Graph, when: str) -> None:
    def raises(*_: object) -> None:
        raise LookupError("a hook")

    manager = PassManager.parse("sort,sort").add_hook(**{when: raises})
    with pytest.raises(LookupError, match="a hook"):
        manager.run(graph)
    PassManager.parse("sort").run(graph)  # the failed run does not block the next one


def test_bisect_limit(graph: ir.Graph) -> None:
    manager = PassManager().add(rename).add(fail).set_bisect_limit(1)
    assert [r.outcome for r in manager.run(graph).passes] == ["changed", "skipped"]
    with pytest.raises(ValueError, match="bisect limit"):
        manager.set_bisect_limit(-1)


def test_ir_printing_and_tree(graph: ir.Graph, tmp_path: Path) -> None:
    texts: list[str] = []
    manager = PassManager.parse("sort,infer-types").add(fail)
    manager.enable_ir_printing(failure=True, to=texts.append)
    with pytest.raises(ir.PassError):
        manager.run(graph)
    assert "IR Dump After infer-types" in texts[0] and "IR Dump After Failed fail" in texts[1]
    assert "half_done" in texts[1] and len(texts) == 2
    PassManager.parse("sort,infer-types").enable_ir_printing(
        changed=False, tree_dir=tmp_path / "a" / "b"
    ).run(graph)
    names = sorted(p.name for p in (tmp_path / "a" / "b").iterdir())
    assert names == ["000_input.mlir", "001_sort.mlir", "002_infer-types.mlir"]


def test_reports(graph: ir.Graph, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    manager = PassManager.parse("infer-types").add(rename).enable_timing().enable_statistics()
    with caplog.at_level(logging.DEBUG, "ge.passes"):
        result = manager.run(graph, trace=tmp_path / "trace.json")
    assert "rename" in result.timing() and "1 renamed" in result.statistics()
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert [e["name"] for e in events] == ["pipeline", "infer-types", "rename"]
    assert "Time of passes" in caplog.text and "Statistics of passes" in caplog.text


def test_nothing_is_printed(graph: ir.Graph, capfd: pytest.CaptureFixture[str]) -> None:
    PassManager.parse("infer-types").add(rename).enable_timing().enable_ir_printing().run(graph)
    assert capfd.readouterr() == ("", "")


def test_crash_reproducer(graph: ir.Graph, tmp_path: Path) -> None:
    path = tmp_path / "repro.mlir"
    graph.nodes[1].operands = [None]
    manager = PassManager.parse("sort,verify").enable_crash_reproducer(path)
    with pytest.raises(ir.PassError):
        manager.run(graph)
    again = subprocess.run(
        [GE_OPT, "--run-reproducer", path], capture_output=True, text=True, check=False
    )
    assert again.returncode == 1 and "pass 'verify' failed on" in again.stderr
    PassManager.parse("sort").enable_crash_reproducer(path).run(graph)
    assert not path.exists()


def test_wrong_arguments(graph: ir.Graph) -> None:
    manager = PassManager()
    for wrong in (3, None, ["sort"], int):
        with pytest.raises(TypeError):
            manager.add(wrong)
    for target in ("graph", None):
        with pytest.raises(TypeError, match="target must be a Module or a Graph"):
            manager.run(target)
    with pytest.raises(ValueError, match="on_error must be 'raise' or 'skip'"):
        manager.run(graph, on_error="ignore")
    with pytest.raises(ValueError, match="on_error"):
        PassManager(on_error="never")


def test_others_get_busy_and_the_gil_is_free(graph: ir.Graph) -> None:
    errors: list[BaseException] = []

    def other() -> None:
        try:
            graph.nodes[0].name = "from another thread"
        except BaseException as error:
            errors.append(error)

    def meanwhile(graph: ir.Graph) -> None:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        graph.nodes[0].name = "mine"

    PassManager().add(meanwhile).run(graph)
    assert isinstance(errors[0], ir.GraphBusyError) and "a pipeline of passes" in str(errors[0])
    other()
    assert len(errors) == 1 and graph.nodes[0].name == "from another thread"


def test_eight_threads_share_one_manager() -> None:
    manager = PassManager.parse("fixpoint(infer-types,sort)").add(rename)
    graphs = [ir.Graph.parse(TEXT) for _ in range(8)]
    failures: list[BaseException] = []
    start = threading.Barrier(8)

    def work(graph: ir.Graph) -> None:
        try:
            start.wait()
            for _ in range(20):
                manager.run(graph)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(graph,)) for graph in graphs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len({str(graph) for graph in graphs}) == 1


def test_a_hook_may_run_a_pipeline_of_its_own(graph: ir.Graph) -> None:
    inner: list[passes.PipelineResult] = []

    def outer(graph: ir.Graph) -> None:
        inner.append(PassManager.parse("infer-types").run(graph))
        with pytest.raises(ir.PassError):
            PassManager().add(fail).run(graph)
        other = ir.Graph.parse(TEXT)
        PassManager().add(rename).run(other)

    result = PassManager().add(outer).run(graph)
    assert inner[0].changed and result.passes[0].changed


def test_origins_and_dead_handles_name_the_pass(graph: ir.Graph) -> None:
    node = graph.nodes[1]

    def erase(graph: ir.Graph) -> None:
        graph.nodes[1].replace_with(graph.nodes[0].result)

    PassManager().add(erase).run(graph)
    with pytest.raises(ir.StaleHandleError, match="by pass 'erase'"):
        node.name  # noqa: B018


def test_registered_functions_have_options(graph: ir.Graph) -> None:
    seen = []

    @passes.register_pass("look", options={"depth": 3, "fast": True})
    def look(graph: ir.Graph, context: passes.PassContext) -> None:
        """Looks."""
        seen.append(dict(context.pass_options))

    manager = PassManager.parse("look{depth=4},look")
    assert str(manager) == "look{depth=4},look"
    manager.run(graph)
    assert seen == [{"depth": "4", "fast": "true"}, {"depth": "3", "fast": "true"}]
    with pytest.raises(ir.ParseError, match="'look' has no option 'dept'; did you mean 'depth'"):
        PassManager.parse("look{dept=4}")
    found = next(each for each in passes.list_passes() if each["name"] == "look")
    assert found["doc"] == "Looks." and found["origin"] == __file__ and found["kind"] == "function"
    passes.clear_registered_passes()
    manager.run(graph)  # the manager keeps the pass
    with pytest.raises(ir.ParseError):
        PassManager.parse("look")


def test_native_passes_are_listed() -> None:
    found = {each["name"]: each for each in passes.list_passes()}
    assert found["verify"]["kind"] == "native" and "definitions" in found["verify"]["options"]


def test_no_leaks() -> None:
    context = ir.Context()
    with context:
        graph = ir.Graph.parse(TEXT)
        manager = PassManager(on_error="skip").add(rename).add(fail)
        manager.run(graph)
        with pytest.raises(ir.PassError):
            manager.run(graph, on_error="raise")
    del graph, manager
    gc.collect()
    assert context.live_handle_count() == 0 and context.live_graph_count() == 0
