"""Pass files that were written for CANN run unmodified: execution, ownership, order, constants and boundaries.

These are items 4 to 8 of the checklist; the number in a test's name is that of its item. Items 1 to 3, on the form of
passes, are in test_cann_passes.py.
"""

from typing import Any

import numpy as np
import pytest
from cann_passes import STAGE, MatMulAdd, build, matmul_add, run, types

import ge.ir as ir
import ge.passes as passes
from ge.es.math import GEMM, Add, Identity, MatMul
from ge.es.nn import Relu
from ge.graph import DataType, Graph
from ge.passes import (
    DecomposePass,
    FusionBasePass,
    PassStage,
    Pattern,
    PatternFusionPass,
    PatternMatcherConfigBuilder,
    pattern,
    register_custom_pass,
    register_fusion_pass,
    run_stage,
)

pytestmark = pytest.mark.usefixtures("clean_passes")


# --- 4: results of run, defaults, instances


def test_4_results_of_run() -> None:
    good_ones = [None, True, 0, passes.StatusCode.NOT_CHANGED, 0x033200C9]
    bad_ones = [False, 7, -1, 2**40, 0xFFFFFFFF, np.True_, 0.0, "done"]
    for result, good in [*((r, True) for r in good_ones), *((r, False) for r in bad_ones)]:

        class P(FusionBasePass):
            def run(self, graph: Graph, context: Any, result: Any = result) -> Any:
                return result

        if good:
            run(matmul_add(), P)
            continue
        with pytest.raises(ir.PassError, match="returned"):
            run(matmul_add(), P)


def test_4_run_must_be_written() -> None:
    class P(FusionBasePass):
        pass

    with pytest.raises(ir.PassError) as caught:
        run(matmul_add(), P)
    assert isinstance(caught.value.__cause__, NotImplementedError)


def test_4_one_instance_for_an_execution_with_its_subgraphs() -> None:
    text = """
    func.func @main(%x: tensor<2xf32>, %c: tensor<i1>) -> tensor<2xf32> {
      %if = "onnx.If"(%c) ({
        "ge.yield"(%x) : (tensor<2xf32>) -> ()
      }, {
        "ge.yield"(%x) : (tensor<2xf32>) -> ()
      }) {ge.subgraphs = [{slot = "then_branch"}, {slot = "else_branch"}]} : (tensor<i1>) -> tensor<2xf32>
      return %if : tensor<2xf32>
    }
    """
    seen: list[tuple[int, str]] = []
    made = []

    class P(FusionBasePass):
        def __init__(self) -> None:
            made.append(self)

        def run(self, graph: Graph, context: Any) -> None:
            seen.append((made.index(self), graph.slot))

    graph = ir.Graph.parse(text)
    run(graph, P)
    run(graph, P)
    slots = ["", "then_branch", "else_branch"]
    assert seen == [(0, s) for s in slots] + [(1, s) for s in slots]


def test_4_init_takes_no_argument_and_may_raise() -> None:
    class P(MatMulAdd):
        def __init__(self, needed: int) -> None: ...

    with pytest.raises(ir.PassError, match=r"__init__\(\)") as caught:
        run(matmul_add(), P)
    assert isinstance(caught.value.__cause__, TypeError)


@pytest.mark.parametrize("hook", ["__init__", "patterns", "meet_requirements", "replacement"])
def test_4_exceptions_in_every_hook_roll_back(hook: str) -> None:
    def raises(self: Any, *args: Any) -> Any:
        raise LookupError(f"in {hook}")

    def hook_of(name: str) -> dict[str, Any]:
        def f(self: Any, match_result: Any) -> Any:
            return raises(self)

        def none(self: Any) -> Any:
            return raises(self)

        return {name: f if name in ("meet_requirements", "replacement") else none}

    base = PatternFusionPass if hook == "patterns" else MatMulAdd
    cls = type("P", (base,), hook_of(hook))
    graph = matmul_add()
    before = str(graph)
    with pytest.raises(ir.PassError, match=f"in {hook}") as caught:
        run(graph, cls)
    assert isinstance(caught.value.__cause__, LookupError)
    assert (caught.value.hook, caught.value.file) == (hook, __file__)
    assert str(graph) == before
    result = run(graph, cls, MatMulAdd, on_error="skip")
    assert [r.outcome for r in result.passes] == ["failed", "changed"]
    assert "GEMM" in types(graph)


@pytest.mark.parametrize("hook", ["meet_requirements", "replacement"])
def test_4_an_exception_in_the_middle_leaves_the_graph_as_it_was(hook: str) -> None:
    calls = []

    class P(PatternFusionPass):
        @pattern
        def f(self, inputs: Any) -> Any:
            return Relu(inputs[0])

        def meet_requirements(self, match_result: Any) -> bool:
            self.step("meet_requirements")
            return True

        def replacement(self, inputs: Any) -> Any:
            self.step("replacement")
            return Identity(inputs[0])

        def step(self, name: str) -> None:
            if name == hook:
                calls.append(name)
                if len(calls) == 50:
                    raise ArithmeticError("at the fiftieth")

    def chain(x: Any) -> Any:
        for _ in range(100):
            x = Relu(x)
        return x

    graph = build(1, chain)
    before = graph.to_text(locations=True)
    with pytest.raises(ir.PassError, match="at the fiftieth") as caught:
        run(graph, P)
    assert graph.to_text(locations=True) == before and caught.value.node is not None


def test_4_skip_leaves_one_match() -> None:
    class P(PatternFusionPass):
        @pattern
        def f(self, inputs: Any) -> Any:
            return Relu(inputs[0])

        def replacement(self, inputs: Any, match_result: Any) -> Any:
            if match_result.get_matched_nodes()[0].name.endswith("0"):
                raise passes.PassSkip
            return Identity(inputs[0])

    graph = build(1, lambda x: Relu(Relu(x)))
    run(graph, P)
    assert types(graph) == ["Relu", "Identity"]


# --- 5: ownership of graphs


def test_5_graphs_are_consumed() -> None:
    kept = []

    class P(MatMulAdd):
        def replacement(self, match_result: Any) -> Any:
            graph = build(3, lambda a, b, c: GEMM(a, b, c, 1.0, 1.0))
            kept.append(graph)
            return graph

    graph = matmul_add()
    run(graph, P)
    assert not kept[0].is_alive
    consumed = matmul_add()
    Pattern(consumed)
    with pytest.raises(ir.StaleHandleError, match="moved"):
        len(consumed.nodes)
    with pytest.raises(RuntimeError, match="Pattern graph handle is empty"):
        Pattern(consumed)


# --- 6: order and switches


def test_6_order_and_switches(tmp_path: Any) -> None:
    order: list[str] = []

    def make(name: str, **extra: Any) -> None:
        def f(self: Any, graph: Graph, context: Any) -> None:
            order.append(name)

        register_fusion_pass(name=name, stage=STAGE, **extra)(
            type(name, (FusionBasePass,), {"run": f})
        )

    @register_custom_pass(name="z_legacy")
    def legacy(graph: Graph, context: Any) -> None:
        order.append("z_legacy")

    for name in ("b", "a", "c"):
        make(name)
    make("first", priority=1)
    make("late", after="z")
    make("z")
    graph = matmul_add()
    run_stage(graph, STAGE)
    assert order == ["z_legacy", "first", "a", "b", "c", "z", "late"]
    order.clear()
    run_stage(graph, STAGE, {"a": "off", "b": "on"})
    assert order == ["z_legacy", "first", "b", "c", "z", "late"]
    switch = tmp_path / "switch.json"
    switch.write_text('{"Switch": {"GraphFusion": {"ALL": "off", "a": "on", "z_legacy": "off"}}}')
    order.clear()
    run_stage(graph, STAGE, {"ge.fusionSwitchFile": str(switch), "c": "on"})
    assert order == ["z_legacy", "a", "c"]
    switch.write_text("{broken")
    order.clear()
    with pytest.raises(ValueError, match="switch.json': line 1, column 2"):
        run_stage(graph, STAGE, {"ge.fusionSwitchFile": str(switch)})
    assert order == []
    run_stage(graph, PassStage.AFTER_INFER_SHAPE)
    assert order == []
    make("circle1", before="circle2")
    make("circle2", before="circle1")
    with pytest.raises(ValueError, match="circle1, circle2 ask for a circle"):
        run_stage(graph, STAGE)


# --- 7: constants


def add_constant(value: Any) -> Graph:
    return build(1, lambda x: x + value)


@pytest.mark.parametrize(
    ("literal", "value", "matches"),
    [
        (0, 0, True),
        (0, 0.0, False),
        (0.0, 0.0, True),
        (0.0, 1.0, False),
        (0.0, -0.0, False),
        (float("nan"), float("nan"), True),
        ([0.0], 0.0, False),
    ],  # fmt: skip
)
def test_7_constants_by_value(literal: Any, value: Any, matches: bool) -> None:
    class P(PatternFusionPass):
        def __init__(self) -> None:
            super().__init__(PatternMatcherConfigBuilder().enable_const_value_match().build())

        @pattern
        def f(self, inputs: Any) -> Any:
            return inputs[0] + literal

        def replacement(self, inputs: Any) -> Any:
            return inputs[0]

    assert run(add_constant(value), P).changed is matches


def test_7_without_configuration_any_constant() -> None:
    class P(PatternFusionPass):
        @pattern
        def f(self, inputs: Any) -> Any:
            return inputs[0] + 0

        def meet_requirements(self, match_result: Any) -> bool:
            const = match_result.get_captured_tensor(1).node.operands[1]
            value = const.node.get_attr("value")
            return value.data_type == DataType.DT_FLOAT and abs(value.get_data()) < 1e-6

        def replacement(self, inputs: Any) -> Any:
            return inputs[0]

    assert run(add_constant(0.0), P).changed
    assert not run(add_constant(1.0), P).changed
    assert not run(add_constant(0), P).changed


def test_7_the_configuration_must_be_one() -> None:
    class P(MatMulAdd):
        def __init__(self) -> None:
            super().__init__("config")  # type: ignore[arg-type]

    with pytest.raises(
        ir.PassError, match="matcher_config must be PatternMatcherConfig or None, not str"
    ):
        run(matmul_add(), P)


# --- 8: boundaries


def test_8_inputs_by_position_pass_through_and_unused() -> None:
    class P(PatternFusionPass):
        @pattern
        def f(self, inputs: Any) -> Any:
            return [Add(inputs[0], inputs[1]), Relu(inputs[1])]

        def replacement(self, inputs: Any) -> Any:
            return [inputs[1], Identity(inputs[1])]

    graph = build(2, lambda a, b: [Add(a, b), Relu(b)])
    run(graph, P)
    assert types(graph) == ["Identity"]
    assert graph.outputs[0] is graph.inputs[1]


def test_8_decompose_merges_equal_operands() -> None:
    class P(DecomposePass):
        op_types = ("Add",)

        def meet_requirements(self, node: Any, context: Any) -> bool:
            return context.get_pass_name() == "P"

        def replacement(self, node: Any) -> Any:
            count = len(set(node.operands))
            return build(count, lambda *xs: Relu(xs[0]) if count == 1 else MatMul(*xs))

    graph = build(2, lambda a, b: [Add(a, a), Add(a, b)])
    assert run(graph, P).count("P", "decomposed") == 2
    assert types(graph) == ["Relu", "MatMul"]


def test_8_sizes_must_agree() -> None:
    class P(DecomposePass):
        op_types = ("Add",)

        def replacement(self, node: Any) -> Any:
            return build(1, Relu)

    with pytest.raises(
        ir.PassError, match="Replacement input size: 1 not equal with Boundary input size: 2"
    ):
        run(build(2, Add), P)


def test_8_decompose_does_not_look_at_what_it_made() -> None:
    class P(DecomposePass):
        op_types = ("Relu",)

        def replacement(self, node: Any) -> Any:
            return build(1, lambda x: Relu(Relu(x)))

    graph = build(1, Relu)
    run(graph, P)
    assert types(graph) == ["Relu", "Relu"]


# --- Borrowed contexts


def test_contexts_expire() -> None:
    kept = []

    class P(FusionBasePass):
        def run(self, graph: Graph, context: Any) -> None:
            kept.append(context)

    run(matmul_add(), P)
    with pytest.raises(RuntimeError, match="PassContext has expired"):
        kept[0].get_pass_name()
