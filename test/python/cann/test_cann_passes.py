"""Pass files that were written for CANN run unmodified: names, patterns and errors (items 1 to 3 of the checklist).

The number in a test's name is that of its item. Patterns and replacements are in CANN's style (``ge.es.math``). The
execution of passes is tested in test_cann_passes_runs.py, the matcher in test/python/match.
"""

from typing import Any

import pytest
from cann_passes import STAGE, MatMulAdd, build, matmul_add, run, types

import ge.ir as ir
import ge.passes as passes
from ge.es import GraphBuilder
from ge.es.math import GEMM, Identity, MatMul
from ge.es.nn import Relu
from ge.graph import DataType
from ge.passes import (
    DecomposePass,
    PassStage,
    Pattern,
    PatternFusionPass,
    pattern,
    register_decompose_pass,
    register_fusion_pass,
)

pytestmark = pytest.mark.usefixtures("clean_passes")


def test_operands_match_in_order_as_in_cann() -> None:
    swapped = build(3, lambda a, b, c: c + MatMul(a, b))
    run(swapped, MatMulAdd)
    assert types(swapped) == ["MatMul", "Add"]

    class OfGraphs(MatMulAdd):
        def patterns(self) -> Any:
            return [matmul_add()]

    run(swapped, OfGraphs)
    assert types(swapped) == ["MatMul", "Add"]
    run(straight := matmul_add(), OfGraphs)
    assert types(straight) == ["Const", "Const", "GEMM"]


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
            "Expression-style replacement with four arguments must use",
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
    with pytest.raises(TypeError, match="cannot combine @pattern methods with patterns"):

        class Both(MatMulAdd):
            @pattern
            def f(self, inputs: Any) -> Any:
                return Relu(inputs[0])

            def patterns(self) -> Any:
                return []


@pytest.mark.parametrize("made", [None, [], [1], "text"])
def test_2_patterns_return_tensors(made: Any) -> None:
    class Wrong(MatMulAdd):
        @pattern
        def f(self, inputs: Any) -> Any:
            return made

    with pytest.raises(ir.PassError, match="must return a TensorHolder or a non-empty list") as e:
        run(matmul_add(), Wrong)
    assert isinstance(e.value.__cause__, TypeError) and e.value.hook == "patterns"


def test_2_matched_nodes_have_the_constants_among_them() -> None:
    seen: list[Any] = []

    class P(PatternFusionPass):
        @pattern
        def add(self, inputs: Any) -> Any:
            return Relu(inputs[0]) + 0

        def meet_requirements(self, match_result: Any) -> bool:
            seen.append([node.name for node in match_result.get_matched_nodes()])
            seen.append([node.name for node in match_result.nodes])
            seen.append(str(match_result))
            return False

    builder = GraphBuilder("target")
    x = builder.create_input(0)
    first, second = Relu(x), builder.create_const_float(1.0)
    run(builder.build_and_reset([first + second]), P)
    assert seen == [
        ["Relu_0", "Const_1", "Add_2"],
        ["Relu_0", "Add_2"],
        "[PatternName:P_add_pattern][MatchNodesPair]{{Relu:Relu_0}, {Const:Const_1}, {Add:Add_2}}",
    ]


def test_2_matched_constants_of_a_graph_around_come_first() -> None:
    text = """
    func.func @main(%x: tensor<2xf32>, %c: tensor<i1>) -> tensor<2xf32> {
      %k = "ge.Const"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
      %if = "onnx.If"(%c) ({
        %r = "nn.Relu"(%x) : (tensor<2xf32>) -> tensor<2xf32>
        %a = "math.Add"(%r, %k) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        "ge.yield"(%a) : (tensor<2xf32>) -> ()
      }, {
        "ge.yield"(%x) : (tensor<2xf32>) -> ()
      }) {ge.subgraphs = [{slot = "then_branch"}, {slot = "else_branch"}]} : (tensor<i1>) -> tensor<2xf32>
      return %if : tensor<2xf32>
    }
    """
    builder = GraphBuilder("pattern")
    found = Pattern(builder.build_and_reset([Relu(builder.create_input(0)) + 0]))
    [match] = ir.Graph.parse(text).find(found.compiled())
    assert [node.type for node in match.get_matched_nodes()] == ["Const", "Relu", "Add"]


@pytest.mark.parametrize("style", ["inputs", "graph"])
@pytest.mark.parametrize("data_type", [DataType.DT_FLOAT16, DataType.DT_INT32])
def test_2_replacements_have_the_types_of_what_they_replace(
    style: str, data_type: DataType
) -> None:
    """CANN's builder gives inputs of unknown type DT_FLOAT, which must not appear in the rewritten graph."""

    def by_inputs(self: Any, inputs: Any) -> Any:
        return Relu(Identity(inputs[0]))

    def by_graph(self: Any, match_result: Any) -> Any:
        return build(1, lambda x: Relu(Identity(x)))

    class P(PatternFusionPass):
        replacement = by_inputs if style == "inputs" else by_graph

        @pattern
        def f(self, inputs: Any) -> Any:
            return Identity(Relu(inputs[0]))

    builder = GraphBuilder("target")
    x = builder.create_input(0, shape=[-1, 3], data_type=data_type)
    x.value.type = ir.TensorType(("N", 3), x.value.type.dtype)
    graph = builder.build_and_reset([Identity(Relu(x))])
    assert run(graph, P).count("P", "matched") == 1
    assert types(graph) == ["Identity", "Relu"]
    assert {node.result.type for node in graph.nodes} == {x.value.type}


# --- 3: exceptions and their texts


def test_3_a_match_expires() -> None:
    kept = []

    class P(MatMulAdd):
        def meet_requirements(self, match_result: Any) -> bool:
            kept.append(match_result)
            return True

    run(matmul_add(), P)
    with pytest.raises(RuntimeError, match="MatchResult handle has expired"):
        kept[0].get_matched_nodes()


def test_3_a_pattern_is_released_once() -> None:
    made = Pattern(matmul_add())
    assert made.is_valid()
    made.release()
    assert not made.is_valid()
    with pytest.raises(RuntimeError, match="Pattern handle has been released"):
        made.release()


@pytest.mark.parametrize("made", [None, 1, "graph"])
def test_3_replacements_are_graphs(made: Any) -> None:
    class P(MatMulAdd):
        def replacement(self, match_result: Any) -> Any:
            return made

    graph = matmul_add()
    before = str(graph)
    with pytest.raises(
        ir.PassError, match="PatternFusionPass.replacement must return ge.graph.Graph"
    ) as caught:
        run(graph, P)
    assert isinstance(caught.value.__cause__, TypeError) and caught.value.hook == "replacement"
    assert str(graph) == before

    class D(DecomposePass):
        op_types = ("MatMul",)

        def replacement(self, node: Any) -> Any:
            return made

    with pytest.raises(
        ir.PassError, match="DecomposePass.replacement must return ge.graph.Graph"
    ) as caught:
        run(graph, D)
    assert caught.value.node == graph.nodes[0].name and str(graph) == before


def test_3_registration() -> None:
    register_fusion_pass(name="a", stage=STAGE)(MatMulAdd)
    with pytest.raises(ValueError, match="python pass descriptor_key already exists: "):
        register_fusion_pass(name="a", stage=STAGE)(MatMulAdd)
    other = type("Other", (MatMulAdd,), {})
    with pytest.raises(ValueError, match="python pass name already exists: a"):
        register_fusion_pass(name="a", stage=STAGE)(other)
    with pytest.raises(TypeError, match="register_fusion_pass expects a FusionBasePass subclass"):
        register_fusion_pass(name="b", stage=STAGE)(int)  # type: ignore[type-var]
    with pytest.raises(TypeError):
        register_decompose_pass(name="b", stage=STAGE, op_types="Add")
    with pytest.raises(TypeError):
        register_decompose_pass(name="b", stage=STAGE, op_types=[1])  # type: ignore[list-item]
    with pytest.raises(ValueError):
        register_decompose_pass(name="b", stage=STAGE, op_types=[])
    [found] = passes.get_registered_passes()
    assert (
        found.descriptor_key == f"{MatMulAdd.__module__}:MatMulAdd:a"
        and found.kind == "pattern_fusion"
    )
    assert MatMulAdd.__ge_pass_descriptor__ is found  # type: ignore[attr-defined]
    assert passes.get_registered_pass_by_descriptor_key(found.descriptor_key) is found
    assert passes.get_registered_pass_by_descriptor_key("other") is None
    [shown] = passes.get_registered_pass_dicts()
    assert shown["pass_name"] == "a" and shown["stage"] == "BeforeInferShape"
    assert shown["version"] == found.version == ""
    passes.clear_registered_passes()
    assert passes.get_registered_passes() == []
