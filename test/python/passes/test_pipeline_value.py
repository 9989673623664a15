"""Pipelines as values: the parsed tree of a text, and operations that return another pipeline."""

import pickle

import pytest

from ge.ir import ParseError
from ge.passes import PassManager, Pipeline

TEXT = "infer-types,fixpoint{max=5}(cse,dce),onnx.If(cse,unknown{a=1 b})"


def test_the_tree_is_what_is_written():
    pipeline = Pipeline(TEXT)
    first, fixpoint, body = pipeline
    assert (first.name, first.options, first.group) == ("infer-types", {}, None)
    assert (fixpoint.name, fixpoint.options) == ("fixpoint", {"max": "5"})
    assert [e.name for e in fixpoint.group] == ["cse", "dce"]
    assert body.name == "onnx.If" and body.group[1].options == {"a": "1", "b": ""}
    assert [e.name for e in pipeline.passes()] == ["infer-types", "cse", "dce", "cse", "unknown"]
    assert str(pipeline) == TEXT and pipeline == Pipeline(pipeline) and len(pipeline) == 3
    assert pickle.loads(pickle.dumps(pipeline)) == pipeline
    assert hash(pipeline) == hash(Pipeline(f" {TEXT} ".replace(",", " , ")))


def test_other_pipelines_are_made_of_it():
    pipeline = Pipeline(TEXT)
    assert (
        str(pipeline.without("cse")) == "infer-types,fixpoint{max=5}(dce),onnx.If(unknown{a=1 b})"
    )
    assert str(pipeline.without("cse", "unknown")) == "infer-types,fixpoint{max=5}(dce)"
    assert str(pipeline[:1] + pipeline[2:]) == "infer-types,onnx.If(cse,unknown{a=1 b})"
    assert str(pipeline.with_option("unknown", "c", "x y")).endswith('unknown{a=1 b c="x y"})')
    assert str(pipeline) == TEXT  # none of this changed it
    assert str(Pipeline("dce") + Pipeline()) == "dce"
    kept = pipeline[1].group
    del pipeline
    assert str(kept) == "cse,dce"


def test_aliases_are_expanded():
    expanded = Pipeline("dce,fixpoint(optimize{exactness=exact})").expanded()
    assert str(expanded).startswith("dce,fixpoint(infer-types,fixpoint{max=32}(share-weights,")
    names = [e.name for e in expanded.passes()]
    assert "optimize" not in names and names[0] == "dce"
    folds = [e for e in expanded.passes() if e.name == "constant-fold"]
    assert folds and all(e.options == {"exactness": "exact"} for e in folds)
    assert str(Pipeline("never-heard-of").expanded()) == "never-heard-of"
    with pytest.raises(ParseError, match="no option 'colour'"):
        Pipeline("dce,optimize{colour=red}").expanded()


def test_a_manager_takes_one():
    manager = PassManager.parse(Pipeline("cse,constant-fold")).add(Pipeline("dce"))
    assert str(manager.set_option("limit", "5")) == "cse,constant-fold{limit=5},dce"
    with pytest.raises(ParseError, match="there is no pass 'srot'; did you mean 'sort'?"):
        PassManager.parse(Pipeline("srot"))
    with pytest.raises(ValueError, match="limit"):
        manager.set_option("exactness", "no limit")


@pytest.mark.parametrize("name", ["a", "fuse(x)", 'with "quotes" and \\', "ü b,c", "", "{=}"])
def test_names_of_any_characters(name):
    pipeline = Pipeline.of(name, "cse")
    assert [e.name for e in pipeline] == [name, "cse"]
    assert [e.name for e in Pipeline(str(pipeline))] == [name, "cse"]


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("a(b)", 1, "expected 'fixpoint' or an operator with its domain"),
        ("onnx.If(a", 10, r"expected ',' or '\)', got the end"),
        ("fixpoint", 9, r"expected '\(' and a pipeline after 'fixpoint'"),
        ("fixpoint{rounds=3}(a)", 10, "'fixpoint' has no option 'rounds'"),
        ("a{x=1 x=2}", 7, "option 'x' is given twice"),
        ("a,,b", 3, "expected a pass, got ','"),
        ("a)", 2, r"expected ',' or the end, got '\)'"),
        ('"a', 1, "this quote has no end"),
        ("onnx.If(" * 65 + "a" + ")" * 65, 520, "nest at most 64 times"),
    ],
)
def test_what_is_no_pipeline(text, column, message):
    with pytest.raises(ParseError, match=message) as error:
        Pipeline(text)
    assert f"<pipeline>:1:{column}: " in str(error.value)


def test_what_it_refuses():
    pipeline = Pipeline("cse,fold{limit=7}")
    for index in (2, -3):
        with pytest.raises(IndexError, match="in a pipeline of 2"):
            pipeline[index]
    with pytest.raises(ValueError, match="has no step"):
        pipeline[::2]
    with pytest.raises(ValueError, match="no pass 'dce' in the pipeline cse,fold"):
        pipeline.without("cse", "dce")
    with pytest.raises(ValueError, match=r"fold\{limit=7\} contradicts limit=9"):
        pipeline.with_option("fold", "limit", "9")
    with pytest.raises(ValueError, match="no pass 'dce'"):
        pipeline.with_option("dce", "limit", "9")
    with pytest.raises(TypeError, match="text must be str or Pipeline, not int"):
        Pipeline(3)
    with pytest.raises(TypeError):
        pipeline + "cse"
    with pytest.raises(ValueError):
        Pipeline("a\ud800")
