"""Exceptions in every hook of every kind of pass, at every call, are undone, and the error names the place.

Each hook raises at its first, second, ... call on a graph with several matches. Afterwards the graph is unchanged, byte
for byte, the error names pass, hook and file, and the same pass runs successfully. Interrupts are tested in
test_passes_hooks_interrupts.py.
"""

from typing import Any

import hook_traps
import pytest
from hook_traps import (
    PASSES,
    Functions,
    Graphs,
    Named,
    Single,
    calls,
    forget,
    function,
    raising,
    reset,  # noqa: F401 - a fixture
    run,
    target,
    trap,
)

import ge.passes as passes
from ge import ir
from ge.es import onnx as op
from ge.passes import (
    PassFatal,
    PassManager,
    PassSkip,
    rewrite,
    rewrite_rule,
)


class Mine(Exception):
    def __str__(self) -> str:
        return "a text\nof two lines"


class Base(BaseException):
    pass


HOME = hook_traps.__file__  # the file of the passes
ERRORS = [Mine, StopIteration, MemoryError, RecursionError, PassFatal, KeyError]
ERRORS += [SystemExit, GeneratorExit, Base]  # type: ignore[list-item]


def test_the_traps_are_in_every_hook() -> None:
    found = {what.__name__: {hook for hook, _ in calls(what)} for what in PASSES}
    hooks = {"__init__", "patterns", "predicate", "meet_requirements", "replacement"}
    assert found == {
        "Named": hooks,
        "Graphs": hooks - {"predicate"},
        "Functions": {"patterns", "predicate", "replacement"},
        "Single": hooks - {"patterns", "predicate"},
        "Whole": {"__init__", "run"},
        "function": {"function"},
    }
    assert sum(len(calls(what)) for what in PASSES) > 60


@pytest.mark.parametrize("what", PASSES)
def test_an_exception_at_any_call(what: Any) -> None:
    expected = target()
    run(what, expected)
    for at in calls(what):
        for kind in ERRORS:
            error = kind("on purpose")
            caught = raising(what, at, error)
            assert isinstance(caught, ir.PassError), (at, kind, caught)
            assert caught.__cause__ is error
            assert (caught.pass_name, caught.hook, caught.file) == (what.__name__, at[0], HOME)
            del caught, error
        again = target()
        run(what, again)
        assert str(again) == str(expected)


@pytest.mark.parametrize("what", PASSES)
def test_an_interrupt_stays_what_it_is(what: Any) -> None:
    for at in calls(what):
        error = KeyboardInterrupt("on purpose")
        assert raising(what, at, error, on_error="skip") is error


@pytest.mark.parametrize("kind", [Mine, SystemExit, Base])
@pytest.mark.parametrize("what", PASSES)
def test_the_next_pass_runs(what: Any, kind: Any) -> None:
    for at in calls(what):
        trap.at, trap.raised = at, kind()
        graph = target()
        forget(what)
        result = PassManager(on_error="skip").add(what).add("verify").run(graph)
        assert [each.outcome for each in result.passes] == ["failed", "unchanged"], at
        assert str(graph) == str(target())


@pytest.mark.parametrize("what", PASSES)
def test_skipping_is_no_failure(what: Any) -> None:
    """PassSkip in a per-match hook skips the match; in a hook that runs before matching, the pass."""
    everything = run(what, target()).passes[0].statistics
    for at in calls(what):
        if (what, at[0], at[1] % 2) == (Named, "replacement", 0):
            continue  # skipping after a node was created is refused, see below
        result = raising(what, at, PassSkip("not this one"))
        assert isinstance(result, passes.PipelineResult), (at, result)
        (done,) = result.passes
        whole = at[0] in ("__init__", "patterns", "run", "function")
        assert ("not this one" in str([r.message for r in done.remarks])) == whole, at
        if not whole:
            less = sum(everything.values()) - sum(done.statistics.values())
            # Skipping in a predicate may change nothing: a condition on an attribute rejects that match anyway.
            assert less == 1 or (what, at[0], less) == (Named, "predicate", 0), at


def test_skipping_after_a_node_was_made_is_refused() -> None:
    caught = raising(Named, ("replacement", 2), PassSkip("late"))
    assert isinstance(caught, ir.PassError)
    assert "skips the match after it made" in str(caught)


@pytest.mark.parametrize("what", [Named, Graphs, Functions])
def test_exceptions_in_hooks_that_explain_calls(what: Any) -> None:
    for hook in ("__init__", "patterns"):
        if hook == "__init__" and what is Functions:
            continue  # it does not define __init__
        for kind in ERRORS:
            trap.calls.clear()
            trap.at, trap.raised = (hook, 1), kind("on purpose")
            with pytest.raises(ir.PassError) as caught:
                passes.explain_pass(target(), what)
            assert caught.value.__cause__ is trap.raised
            assert (caught.value.pass_name, caught.value.hook) == (what.__name__, hook)


def rule_calls(graph: ir.Graph, **options: Any) -> None:
    """Apply a rule whose functions are all traps."""
    rule = rewrite_rule(
        lambda a, b, c: op.Add(op.MatMul(a.where(lambda value: trap("predicate")), b), c),
        lambda a, b, c: trap("replacement") and op.Gemm(a, b, c),
        when=lambda match: trap("when"),
        per_match=True,
    )
    rewrite(graph, rule, **options)


@pytest.mark.parametrize("fixpoint", [False, True])
def test_an_exception_in_any_function_of_a_rule(fixpoint: bool) -> None:
    """`rewrite` is not a pass, so it raises the exception itself."""
    after = target()
    rule_calls(after, fixpoint=fixpoint)
    counts = dict(trap.calls)
    assert counts.keys() == {"predicate", "when", "replacement"}
    for hook, count in counts.items():
        for k in range(1, count + 1):
            for kind in (*ERRORS, KeyboardInterrupt):
                trap.calls.clear()
                trap.at, trap.raised = (hook, k), kind("on purpose")
                graph = target()
                with pytest.raises(kind) as caught:
                    rule_calls(graph, fixpoint=fixpoint)
                assert caught.value is trap.raised
                assert str(graph) == str(target())
                trap.at = trap.raised = None
                rule_calls(graph, fixpoint=fixpoint)
                assert str(graph) == str(after)


def test_skipping_in_any_function_of_a_rule() -> None:
    """The match is skipped, without a failure."""
    rule_calls(target())
    for hook, count in dict(trap.calls).items():
        for k in range(1, count + 1):
            trap.calls.clear()
            trap.at, trap.raised = (hook, k), PassSkip("not this one")
            graph = target()
            rule_calls(graph)
            trap.at = trap.raised = None
            assert len(graph.find_all("onnx.Gemm")) == 2, (hook, k)


def test_skipping_in_a_predicate_finds_nothing() -> None:
    def skips(value: ir.Value) -> bool:
        raise PassSkip("not this one")

    assert target().find(lambda a: op.Relu(a.where(skips))) == []


def test_an_exception_in_any_call_of_a_pipelines_hooks() -> None:
    """Edits of the passes that completed before the exception are kept."""
    states = []
    for limit in range(4):
        graph = target()
        PassManager().add(Named).add(Single).add("dce").set_bisect_limit(limit).run(graph)
        states.append(str(graph))
    for hook in ("before", "after"):
        for k in (1, 2, 3):
            for kind in (*ERRORS, KeyboardInterrupt):
                trap.calls.clear()
                trap.at, trap.raised = (hook, k), kind("on purpose")
                manager = PassManager(on_error="skip").add(Named).add(Single).add("dce")
                manager.add_hook(
                    before=lambda *_: trap("before"), after=lambda *_: trap("after") and None
                )
                graph = target()
                ends = issubclass(kind, Exception) or kind is KeyboardInterrupt
                with pytest.raises(kind if ends else ir.PassError) as caught:
                    manager.run(graph)
                assert (caught.value if ends else caught.value.__cause__) is trap.raised
                assert str(graph) == states[k - 1 if hook == "before" else k], (hook, k)
                graph.nodes[0].name = "free again"
                trap.at = trap.raised = None


def test_a_custom_pass_of_a_stage() -> None:
    passes.register_custom_pass(name="custom")(function)
    try:
        for k in range(1, len(target().nodes) + 1):
            trap.calls.clear()
            trap.at, trap.raised = ("function", k), Mine()
            graph = target()
            with pytest.raises(ir.PassError) as caught:
                passes.run_stage(graph, passes.PassStage.BEFORE_INFER_SHAPE, {})
            assert (caught.value.pass_name, caught.value.hook) == ("custom", "function")
            assert caught.value.__cause__ is trap.raised
            assert str(graph) == str(target())
    finally:
        passes.clear_registered_passes()


def test_a_failure_names_the_frame_of_the_user_whatever_library_raised(tmp_path: Any) -> None:
    import json

    installed = tmp_path / "site-packages" / "acme"
    installed.mkdir(parents=True)
    (installed / "__init__.py").write_text("def check(value):\n    raise ValueError(value)\n")
    (installed / "own.py").write_text("import json\n\ndef run(graph):\n    json.loads('{')\n")
    library: dict[str, Any] = {}
    plugin: dict[str, Any] = {}
    for name, scope in (("__init__", library), ("own", plugin)):
        file = installed / f"{name}.py"
        exec(compile(file.read_text(), str(file), "exec"), scope)

    def standard(graph: Any) -> None:
        json.loads("{")

    def package(graph: Any) -> None:
        library["check"]("no")

    for hook in (standard, package):
        with pytest.raises(ir.PassError) as caught:
            PassManager().add(hook).run(ir.Graph("g"))
        first = hook.__code__.co_firstlineno
        assert (caught.value.file, caught.value.line) == (__file__, first + 1)
        assert f"{__file__}:{first + 1}" in str(caught.value)
    # A pass of an installed package counts as the user's code.
    with pytest.raises(ir.PassError) as caught:
        PassManager().add(plugin["run"]).run(ir.Graph("g"))
    assert (caught.value.file, caught.value.line) == (str(installed / "own.py"), 4)
