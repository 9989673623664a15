"""``check="rewrite"``: a rewrite that changes results fails its pass; which rewrites are compared, and the limit."""

import logging
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rewrite_checks import FLOATS, Double, run, three

import ge.ir as ir
import ge.onnx
from ge import es
from ge.es import onnx as op
from ge.passes import (
    DecomposePass,
    FusionBasePass,
    PassManager,
    PatternFusionPass,
    WrongRewriteError,
    check_reproducer,
    pattern,
    rewrite,
    rewrite_rule,
)

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytestmark = [
    pytest.mark.nosan,  # onnxruntime's own libraries are not built for it
    pytest.mark.usefixtures("clean_passes"),
]
LINE = Double.replacement.__code__.co_firstlineno


def test_the_second_of_three_rewrites_is_wrong(tmp_path: Path) -> None:
    graph = three()
    before = str(graph)
    with pytest.raises(WrongRewriteError, match="rewrite 2 computes something else") as raised:
        run(graph, Double, tmp_path)
    error = raised.value
    assert (error.pass_name, error.rule, error.number) == ("Double", "Double", 2)
    assert error.nodes == ["onnx.Mul mul1"] and error.made[0].startswith("onnx.Add")
    assert (error.file, error.line) == (Double.replacement.__code__.co_filename, LINE)
    assert error.node == "mul1" and error.max_abs > 0.1
    assert str(graph) == before
    # The reproducer is a text; checking it again gives the same difference.
    text = Path(error.reproducer).read_text()
    assert Path(error.reproducer) == tmp_path / "ge-rewrite-Double-2.mlir"
    assert "func.func @matched" in text and "func.func @replacement" in text
    report = check_reproducer(error.reproducer)
    assert not report and report.runs == 1 and report.outputs[0].inputs == "given"


def test_a_repaired_reproducer_agrees(tmp_path: Path) -> None:
    with pytest.raises(WrongRewriteError) as raised:
        run(three(), Double, tmp_path)
    path = Path(raised.value.reproducer)
    text = path.read_text()
    path.write_text(text.replace('"onnx.Add"(%0, %0)', '"onnx.Sub"(%0, %0)'))
    assert path.read_text() != text
    assert not check_reproducer(path)
    module = ir.Module.parse(path.read_text())
    del module.graphs["replacement"]
    copy = module.graphs["matched"].clone()
    copy.name = "replacement"
    module.add_graph(copy)
    path.write_text(module.to_text())
    assert check_reproducer(path)


def test_a_file_without_the_functions_is_no_reproducer(tmp_path: Path) -> None:
    path = tmp_path / "other.mlir"
    path.write_text(str(three()))
    with pytest.raises(ValueError, match="has not the functions @matched and @replacement"):
        check_reproducer(path)


def test_large_constants_are_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ge.passes._diagnose import _reproducer

    monkeypatch.setattr(_reproducer, "_MOST_BYTES", 3)
    with pytest.raises(WrongRewriteError) as raised:
        run(three(), Double, tmp_path)
    assert Path(raised.value.reproducer).name == "ge-rewrite-Double-2.matched.onnx"
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [".npz", ".onnx", ".onnx", ".txt"]
    assert not check_reproducer(raised.value.reproducer)
    name = "ge-rewrite-Double-2"
    said = (tmp_path / f"{name}.txt").read_text()
    words = f"ge check {name}.matched.onnx {name}.replacement.onnx --input-data {name}.npz"
    assert words in said and "rewrite 2 computes something else" in said


def test_a_directory_that_cannot_be_written_hides_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WrongRewriteError, match="rewrite 2 .*no reproducer: .*file") as raised:
        run(three(), Double, tmp_path / "file")
    assert raised.value.reproducer == ""


def test_right_rewrites_are_counted(tmp_path: Path) -> None:
    class Turned(PatternFusionPass):
        @pattern
        def product(self, x, factor):
            return op.Mul(x, factor)

        def replacement(self, x, factor):
            return op.Div(x, op.Reciprocal(factor))

    result = run(three(), Turned, tmp_path)
    check = result.rewrite_check
    assert (check.rewrites, check.passes, check.unevaluated, check.contextual) == (3, 0, [], [])
    assert not list(tmp_path.iterdir())


def relu_is_identity() -> Any:
    return rewrite_rule(lambda x: op.Relu(x), lambda x: op.Identity(x), name="relu-is-identity")


def test_wrong_for_negative_numbers_only(tmp_path: Path) -> None:
    with es.builder("main", opset=17) as b:
        b.output(op.Relu(b.input("x", FLOATS)), name="y")
    with pytest.raises(WrongRewriteError) as raised:
        run(b.graph, relu_is_identity(), tmp_path)
    assert raised.value.rule == "relu-is-identity"
    assert raised.value.file == __file__


def test_a_rewrite_that_is_right_only_in_its_context_is_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with es.builder("main", opset=17) as b:
        b.output(op.Relu(op.Exp(b.input("x", FLOATS))), name="y")
    with caplog.at_level(logging.WARNING, "ge.passes"):
        result = run(b.graph, relu_is_identity(), tmp_path)
    (doubt,) = result.rewrite_check.contextual
    assert doubt.number == 1 and "elements differ" in doubt.reason
    assert "equal only in context" in caplog.text
    assert result.rewrite_check.rewrites == 0


@pytest.mark.parametrize(
    ("replacement", "says"),
    [
        (lambda x: op.Cast(op.Mul(x, x), to=ir.f64), r"f64\[N, 4\] of .*which is f32"),
        (lambda x: op.Cast(op.Mul(x, x), to=ir.f16), r"f16\[N, 4\] of .*which is f32"),
        (lambda x: op.Transpose(op.Mul(x, x), perm=[1, 0]), r"\[2, 4\] became float32\[4, 2\]"),
        (lambda x: op.ReduceSum(op.Mul(x, x), keepdims=0), r"gives f32\[\] of .*an output of"),
        # Type inference accepts the symbolic sizes; the operator fails at run time.
        (lambda x: op.MatMul(x, x), "the replacement: .*cannot run it"),
    ],
    ids=["f64", "f16", "transposed", "reduced", "refused"],
)
def test_wrong_types_and_shapes(replacement: Any, says: str, tmp_path: Path) -> None:
    with es.builder("main", opset=11) as b:
        b.output(op.Mul(*[b.input("x", FLOATS)] * 2), name="y")

    class Wrong(PatternFusionPass):
        def patterns(self):
            with es.builder("pattern", opset=11) as p:
                x = p.input("x", ir.UnknownType())
                p.output(op.Mul(x, x))
            return [p.graph]

        def replacement(self, match):
            with es.builder("made", opset=11) as r:
                r.output(replacement(r.input("x", match.inputs[0].type)))
            return r.graph

    with pytest.raises((WrongRewriteError, ir.GEError), match=says):
        run(b.graph, Wrong, tmp_path)


def test_a_decomposition_is_compared(tmp_path: Path) -> None:
    class Halved(DecomposePass):
        op_types = ("Mul",)

        def replacement(self, node):
            with es.builder("made", opset=17) as b:
                x, factor = b.input("x", node.operands[0].type), b.input("f", node.operands[1].type)
                right = node.name != "mul1"
                b.output(op.Div(x, op.Reciprocal(factor)) if right else op.Div(x, factor))
            return b.graph

    graph = three()
    before = str(graph)
    with pytest.raises(WrongRewriteError) as raised:
        run(graph, Halved, tmp_path)
    assert (raised.value.number, raised.value.nodes) == (2, ["onnx.Mul mul1"])
    assert raised.value.file == __file__ and str(graph) == before


def test_a_rule_in_a_function_is_compared_and_the_function_as_a_whole(tmp_path: Path) -> None:
    same = rewrite_rule(
        lambda x, f: op.Mul(x, f), lambda x, f: op.Div(x, op.Reciprocal(f)), name="turned"
    )

    def right(graph: ir.Graph) -> None:
        rewrite(graph, same)

    result = run(three(), right, tmp_path)
    assert (result.rewrite_check.rewrites, result.rewrite_check.passes) == (3, 1)

    wrong = rewrite_rule(lambda x, f: op.Mul(x, f), lambda x, f: op.Div(x, f), name="wrong")

    def applies(graph: ir.Graph) -> None:
        rewrite(graph, wrong)

    with pytest.raises(WrongRewriteError) as raised:
        run(three(), applies, tmp_path)
    assert (raised.value.rule, raised.value.number) == ("wrong", 1)


def test_a_pass_without_rewrites_is_compared_as_a_whole(tmp_path: Path) -> None:
    class Loses(FusionBasePass):
        def run(self, graph, context):
            node = graph.find("mul1")
            node.replace_with(node.operands[0])

    graph = three()
    before = str(graph)
    with pytest.raises(WrongRewriteError, match="what it did as a whole") as raised:
        run(graph, Loses, tmp_path)
    assert (raised.value.number, raised.value.file) == (0, __file__)
    assert str(graph) == before
    assert not check_reproducer(raised.value.reproducer)

    result = run(three(), "infer-types,constant-fold,eliminate-identity,dce", tmp_path)
    assert result.rewrite_check.unevaluated == []


def test_the_next_pass_runs_when_failures_are_skipped(tmp_path: Path) -> None:
    manager = PassManager(check="rewrite", check_dir=tmp_path, on_error="skip")
    graph = three()
    result = manager.add(Double).add("dce").run(graph)
    assert [p.outcome for p in result.passes] == ["failed", "unchanged"]
    assert isinstance(result.passes[0].error, WrongRewriteError)
    assert [n.name for n in graph.nodes if n.op == "onnx.Mul"] == ["mul0", "mul1", "mul2"]


def test_the_model_functions_of_ge_onnx_pass_it_on(tmp_path: Path) -> None:
    module = ir.Module("m")
    module.add_graph(three())
    report = ge.onnx.optimize(module, check_rewrites=True, check_dir=tmp_path)
    assert report.rewrite_check is not None and report.rewrite_check.unevaluated == []
    assert report.rewrite_check.passes > 0


def test_a_check_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="check must be 'rewrite' or None"):
        PassManager(check="all")  # type: ignore[arg-type]


def test_a_limit_on_rewrites() -> None:
    for limit in range(4):
        graph = three()
        result = PassManager().set_rewrite_limit(limit).add(Double).run(graph)
        assert result.passes[0].rewrites == limit
        assert [n.op for n in graph.nodes if n.op == "onnx.Add"] == ["onnx.Add"] * limit
    with pytest.raises(ValueError, match="a rewrite limit is None or a number of rewrites"):
        PassManager().set_rewrite_limit(-1)


def test_rewrites_of_a_run_inside_a_pass_are_of_the_run_around_it() -> None:
    inner: list[int] = []

    def inside(graph: ir.Graph) -> None:
        inner.append(PassManager().add(Double).run(graph).passes[0].rewrites)

    for limit in range(4):
        graph = three()
        result = PassManager().set_rewrite_limit(limit).add(inside).run(graph)
        assert (result.passes[0].rewrites, inner.pop()) == (limit, limit)
        assert len(graph.find_all("onnx.Add")) == limit


def test_rewrites_of_a_hook_are_of_no_run() -> None:
    graph, other = three(), three()
    manager = PassManager().set_rewrite_limit(1).add(Double)
    manager.add_hook(after=lambda *_: PassManager().add(Double).run(other))
    assert manager.run(graph).passes[0].rewrites == 1
    assert len(other.find_all("onnx.Add")) == 3


def test_a_limit_on_rewrites_of_built_in_passes() -> None:
    with es.builder("main", opset=17) as b:
        value = b.input("x", FLOATS)
        for i in range(3):
            value = op.Identity(op.Relu(value), _name=f"id{i}")
        b.output(op.Relu(value), name="y")
    for limit in range(4):
        graph = b.graph.clone()
        manager = PassManager.parse("eliminate-identity").set_rewrite_limit(limit)
        assert manager.run(graph).passes[0].rewrites == limit
        assert len(graph.find_all("onnx.Identity")) == 3 - limit


def test_a_replacement_may_be_what_is_there(tmp_path: Path) -> None:
    with es.builder("main", opset=17) as b:
        b.output(op.Relu(op.Neg(op.Neg(b.input("x", FLOATS)))), name="y")
    twice = rewrite_rule(lambda x: op.Neg(op.Neg(x)), lambda x: x, name="twice")
    graph = b.graph.clone()
    assert run(graph, twice, tmp_path).rewrite_check.rewrites == 1
    assert [n.op for n in graph.nodes] == ["onnx.Relu"]
    once = rewrite_rule(lambda x: op.Relu(x), lambda x: x, name="once")
    with pytest.raises(WrongRewriteError, match="onnx.Relu .* became nothing new"):
        run(b.graph, once, tmp_path)


def random_graph(seed: int) -> ir.Graph:
    random = np.random.default_rng(seed)
    with es.builder("main", opset=17) as b:
        values = [b.input("x", FLOATS), b.input("y", FLOATS)]
        for _ in range(10):
            a, c = (values[i] for i in random.integers(0, len(values), 2))
            makers = (op.Add, op.Mul, lambda a, c: op.Relu(a), lambda a, c: op.Neg(a))
            values.append(makers[random.integers(len(makers))](a, c))
        b.output(*values[-3:])
    return b.graph


@pytest.mark.parametrize("seed", range(6))
def test_right_rules_are_right_in_random_graphs(seed: int, tmp_path: Path) -> None:
    rules = [
        rewrite_rule(lambda a, c: op.Add(a, c), lambda a, c: op.Sub(a, op.Neg(c)), name="sub"),
        rewrite_rule(lambda a: op.Relu(a), lambda a: op.Max([a, np.float32(0)]), name="max"),
    ]

    for rule in rules:
        result = run(random_graph(seed), rule, tmp_path)
        check = result.rewrite_check
        assert (check.rewrites, check.unevaluated) == (result.passes[0].rewrites, [])
        assert check.contextual == []


@pytest.mark.slow
def test_eight_threads_check_at_once(tmp_path: Path) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            with pytest.raises(WrongRewriteError) as raised:
                run(three(), Double, tmp_path / str(number))
            assert raised.value.number == 2
            assert not check_reproducer(raised.value.reproducer)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def twice(made: Any) -> Any:
    """Build a rule whose pattern returns one value twice; `made` gives the two replacements."""
    return rewrite_rule(lambda x, y: (lambda r: (r, r))(op.Relu(op.Sub(x, y))), made, name="twice")


@pytest.mark.parametrize("is_right", [True, False])
def test_an_output_that_a_pattern_returns_twice_is_compared(tmp_path: Path, is_right: bool) -> None:
    with es.builder("main", opset=17) as b:
        value = op.Relu(op.Sub(b.input("x", FLOATS), b.input("y", FLOATS)))
        b.output(value)
        b.output(value)

    def made(x: Any, y: Any) -> Any:
        first = op.Neg(op.Sub(y, x)) if is_right else op.Sub(y, x)
        return (lambda r: (r, r))(op.Relu(first))

    if is_right:
        assert run(b.graph, twice(made), tmp_path).changed
        assert "onnx.Neg" in {node.op for node in b.graph.nodes}
    else:
        with pytest.raises(WrongRewriteError, match="computes something else"):
            run(b.graph, twice(made), tmp_path)
