"""GE users' pass files run unmodified: the checklist of what their code depends on, line by line.

Each test names its line. Patterns and replacements are GE's own style (``ge.es.math``); what the matcher finds is
tested in test_passes_match.py.
"""

import gc
from collections.abc import Callable, Iterator
from typing import Any

import ge.ir as ir
import ge.passes as passes
import numpy as np
import pytest
from ge.es import GraphBuilder
from ge.es.math import GEMM, Add, Identity, MatMul, Relu
from ge.graph import DataType, Graph
from ge.passes import (
    DecomposePass,
    FusionBasePass,
    PassManager,
    PassStage,
    Pattern,
    PatternFusionPass,
    PatternMatcherConfigBuilder,
    pattern,
    register_custom_pass,
    register_decompose_pass,
    register_fusion_pass,
    run_stage,
)

STAGE = PassStage.BEFORE_INFER_SHAPE


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    passes.clear_registered_passes()
    yield
    passes.clear_registered_passes()
    gc.collect()


def build(count: int, make: Callable[..., Any]) -> Graph:
    builder = GraphBuilder("target")
    made = make(*builder.create_inputs(count))
    return builder.build_and_reset(list(made) if isinstance(made, (list, tuple)) else [made])


def types(graph: Graph) -> list[str]:
    return [node.type for node in graph.nodes]


def run(graph: Graph, *classes: Any, **options: Any) -> passes.PipelineResult:
    manager = PassManager(**options)
    for cls in classes:
        manager.add(cls)
    return manager.run(graph)


class MatMulAdd(PatternFusionPass):
    @pattern
    def matmul_add(self, inputs: Any) -> Any:
        return MatMul(inputs[0], inputs[1]) + inputs[2]

    def replacement(self, inputs: Any) -> Any:
        return GEMM(inputs[0], inputs[1], inputs[2], 1.0, 1.0)


def matmul_add() -> Graph:
    return build(3, lambda a, b, c: MatMul(a, b) + c)


# --- 1: import paths, names, keyword-only arguments, values of PassStage


def test_1_every_name_is_there() -> None:
    names = (
        "DecomposePass FuseCheckResult FusionBasePass MatchResult NodeIo PassStage PassContext Pattern "
        "PatternMatcherConfig PatternMatcherConfigBuilder PatternFusionPass SubgraphInput SubgraphOutput "
        "SubgraphBoundary SubgraphRewriter can_fuse clear_registered_passes create_pattern create_replacement "
        "get_registered_pass_by_descriptor_key get_registered_pass_dicts get_registered_passes infer_shape pattern "
        "register_decompose_pass register_fusion_pass report_fuse"
    ).split()
    assert [name for name in names if not hasattr(passes, name)] == []
    assert set(names) <= set(passes.__all__)


def test_1_submodules() -> None:
    from ge.passes.bootstrap import ENV_PY_PASS_PATH, get_registered_passes, load_pass_plugins
    from ge.passes.pattern import pattern as from_submodule
    from ge.passes.runtime import ensure_native_module, run_fallback_codegen

    assert ENV_PY_PASS_PATH == "ASCEND_GE_PY_PASS_PATH"
    assert from_submodule is pattern is passes.pattern
    assert callable(load_pass_plugins) and get_registered_passes() == []
    assert ensure_native_module().__file__ == run_fallback_codegen()


def test_1_stages() -> None:
    assert {stage.name: stage.value for stage in PassStage} == {
        "BEFORE_INFER_SHAPE": "BeforeInferShape",
        "AFTER_INFER_SHAPE": "AfterInferShape",
        "AFTER_BUILTIN_FUSION_PASS": "AfterBuiltinFusionPass",
        "AFTER_ORIGIN_GRAPH_OPTIMIZE": "AfterOriginGraphOptimize",
    }
    assert isinstance(PassStage.AFTER_INFER_SHAPE, str)


def test_1_decorators_take_keywords_only() -> None:
    with pytest.raises(TypeError):
        register_fusion_pass("name", STAGE)  # type: ignore[misc]
    with pytest.raises(TypeError):
        register_decompose_pass("name", STAGE, ["Add"])  # type: ignore[misc]


# --- 2: conventions of @pattern


def test_2_inputs_are_lazy_and_sliced() -> None:
    seen = []

    class P(MatMulAdd):
        @pattern
        def matmul_add(self, inputs: Any) -> Any:
            with pytest.raises(TypeError, match="cannot be iterated because the input count is"):
                list(inputs)
            with pytest.raises(ValueError):
                inputs[-1]
            with pytest.raises(ValueError):
                inputs[0:2:2]
            with pytest.raises(ValueError):
                inputs[1:]
            with pytest.raises(TypeError):
                inputs["a"]
            assert inputs.created() == []
            c = inputs[2]
            assert len(inputs.created()) == 3 and inputs[2] is c
            a, b = inputs[:2]
            seen.append([holder.name for holder in inputs.created()])
            return MatMul(a, b) + c

    graph = matmul_add()
    assert run(graph, P).count("P", "matched") == 1
    assert seen == [["input_0", "input_1", "input_2"]]
    assert "GEMM" in types(graph)


def test_2_captures_are_inputs_then_outputs() -> None:
    captured = []

    class P(PatternFusionPass):
        @pattern
        def two(self, inputs: Any) -> Any:
            first = MatMul(inputs[0], inputs[1])
            return [first, Relu(first)]

        def meet_requirements(self, match_result: Any) -> bool:
            captured.extend(
                (
                    match_result.get_captured_tensor(i).node.type,
                    match_result.get_captured_tensor(i).index,
                )
                for i in range(4)
            )
            with pytest.raises(RuntimeError):
                match_result.get_captured_tensor(4)
            assert match_result.get_pattern_graph_name() == "P_two_pattern"
            return False

    def make(a: Any, b: Any) -> Any:
        first = MatMul(a, b)
        return [first, Relu(first)]

    run(build(2, make), P)
    assert captured == [("Data", 0), ("Data", 0), ("MatMul", 0), ("Relu", 0)]


def test_2_patterns_in_the_order_of_definition() -> None:
    order = []

    class P(PatternFusionPass):
        @pattern
        def second_by_name(self, inputs: Any) -> Any:
            return Relu(inputs[0])

        @pattern
        def a_first_by_name(self, inputs: Any) -> Any:
            return Identity(inputs[0])

        def meet_requirements(self, match_result: Any) -> bool:
            order.append(match_result.get_pattern_graph_name())
            return False

    run(build(1, lambda x: Relu(Identity(x))), P)
    assert order == ["P_second_by_name_pattern", "P_a_first_by_name_pattern"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("inputs",),
        ("inputs", "match_result"),
        ("inputs", "context"),
        ("inputs", "match_result", "context"),
    ],
)
def test_2_signatures_of_replacement(arguments: tuple[str, ...]) -> None:
    seen: list[Any] = []
    namespace: dict[str, Any] = {"GEMM": GEMM, "seen": seen}
    exec(
        f"def replacement(self, {', '.join(arguments)}):\n"
        f"    seen.extend([{', '.join(arguments[1:])}])\n"
        "    return GEMM(inputs[0], inputs[1], inputs[2], 1.0, 1.0)\n",
        namespace,
    )
    cls = type("P", (MatMulAdd,), {"replacement": namespace["replacement"]})
    graph = matmul_add()
    run(graph, cls)
    assert "GEMM" in types(graph)
    wanted = [
        {"match_result": "MatchResult", "context": "PassContext"}[name] for name in arguments[1:]
    ]
    assert [type(each).__name__ for each in seen] == wanted


@pytest.mark.parametrize(
    ("hook", "source", "text"),
    [
        (
            "meet_requirements",
            "def f(self): ...",
            "meet_requirements only supports meet_requirements",
        ),
        ("meet_requirements", "def f(self, a, b, c): ...", "meet_requirements only supports"),
        ("meet_requirements", "def f(self, a, *, key): ...", "meet_requirements only supports"),
        (
            "replacement",
            "def f(self, inputs, match_result, other): ...",
            "replacement only supports",
        ),
        ("replacement", "def f(self, a, b, c): ...", "replacement only supports"),
        ("replacement", "def f(self): ...", "replacement only supports"),
        (
            "run",
            "def f(self, graph, context): ...",
            "overrides run(), which is never invoked by the",
        ),
    ],
)
def test_2_wrong_signatures_are_found_when_the_class_is_made(
    hook: str, source: str, text: str
) -> None:
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    with pytest.raises(TypeError, match=text.replace("(", r"\(").replace(")", r"\)")):
        type("P", (MatMulAdd,), {hook: namespace["f"]})


def test_2_wrong_patterns() -> None:
    with pytest.raises(TypeError, match="@pattern methods only support method"):
        type("P", (PatternFusionPass,), {"f": pattern(lambda self: None)})
    with pytest.raises(TypeError, match="has @pattern methods and patterns"):

        class Both(MatMulAdd):
            @pattern
            def f(self, inputs: Any) -> Any:
                return Relu(inputs[0])

            def patterns(self) -> Any:
                return []

    for made in (None, [], [1], "text"):

        class Wrong(MatMulAdd):
            @pattern
            def f(self, inputs: Any, made: Any = made) -> Any:
                return made
