"""Hooks of passes called directly, as unit tests and subclasses do, with or without the context."""

import inspect
import re
from typing import Any

import pytest

from ge.es import GraphBuilder
from ge.es import onnx as op
from ge.es.all import Relu, Sigmoid
from ge.graph import Graph
from ge.passes import (
    DecomposePass,
    PassStage,
    PatternFusionPass,
    pattern,
    register_decompose_pass,
    register_fusion_pass,
    run_stage,
)

STAGE = PassStage.BEFORE_INFER_SHAPE

pytestmark = pytest.mark.usefixtures("clean_passes")


def relu_graph() -> Graph:
    builder = GraphBuilder("g")
    return builder.build_and_reset([Relu(builder.create_input(0, shape=[2]))])


def types(graph: Graph) -> list[str]:
    return [node.type for node in graph.nodes]


class OneOf(PatternFusionPass):
    def patterns(self) -> Any:
        return []

    def meet_requirements(self, match_result: Any) -> Any:
        """Say what came."""
        return "asked", match_result

    def replacement(self, match_result: Any) -> Any:
        return "made", match_result


class BothOf(OneOf):
    def meet_requirements(self, m: Any, c: Any) -> Any:
        return m, c

    def replacement(self, m: Any, c: Any) -> Any:
        return m, c


class Single(DecomposePass):
    def meet_requirements(self, node: Any) -> Any:
        return "asked", node

    def replacement(self, node: Any) -> Any:
        return "made", node


class Product(PatternFusionPass):
    @pattern
    def total(self, inputs: Any) -> Any:
        return inputs[0] + inputs[1]

    def replacement(self, inputs: Any) -> Any:
        return inputs[0] * inputs[1]


@pytest.mark.parametrize("arguments", [(1,), (1, 2)])
@pytest.mark.parametrize("cls", [OneOf, Single])
def test_the_context_is_dropped_where_a_hook_does_not_take_it(cls: Any, arguments: Any) -> None:
    assert cls().meet_requirements(*arguments) == ("asked", 1)
    assert cls().replacement(*arguments) == ("made", 1)
    assert cls().replacement(1, context=2) == ("made", 1)


def test_the_context_is_none_where_it_is_not_given() -> None:
    hooks = BothOf()
    assert hooks.meet_requirements(1) == hooks.replacement(1) == (1, None)
    assert hooks.meet_requirements(1, 2) == hooks.replacement(1, 2) == (1, 2)
    assert hooks.meet_requirements(1, context=2) == hooks.replacement(1, c=2) == (1, 2)


def test_hooks_of_the_base_classes_take_the_context() -> None:
    for cls in (PatternFusionPass, DecomposePass):
        base: Any = cls()
        assert base.meet_requirements(1, 2) is True
        with pytest.raises(NotImplementedError, match=r"replacement must be implemented"):
            base.replacement(1, 2)


def test_a_wrapped_hook_looks_like_the_one_that_was_written() -> None:
    hook = OneOf.meet_requirements
    assert list(inspect.signature(hook).parameters) == ["self", "match_result"]
    assert (hook.__name__, hook.__doc__) == ("meet_requirements", "Say what came.")
    assert inspect.getsourcefile(inspect.unwrap(hook)) == __file__


def test_what_is_wrong_is_still_an_error() -> None:
    hooks: Any = OneOf()
    for call in (hooks.meet_requirements, hooks.replacement):
        for given, named in (((), {}), ((1, 2, 3), {}), ((1,), {"other": 2})):
            with pytest.raises(TypeError):
                call(*given, **named)


@pytest.mark.parametrize("arguments", [(None,), (None, None)])
def test_an_expression_gives_a_graph_without_a_match(arguments: Any) -> None:
    made: Any = Product().replacement(*arguments)
    assert isinstance(made, Graph) and types(made) == ["Mul"] and len(made.inputs) == 2
    assert made.name == "Product_replacement"
    assert Product().replacement(*arguments) is not made
    assert isinstance(Product().replacement(match_result=None), Graph)


def test_an_expression_gets_the_match_and_the_context() -> None:
    class All(Product):
        def replacement(self, inputs: Any, match_result: Any, context: Any) -> Any:
            seen.append((match_result, context))
            return inputs[0] * inputs[1]

    class Context(Product):
        def replacement(self, inputs: Any, context: Any) -> Any:
            seen.append(context)
            return inputs[0] * inputs[1]

    seen: list[Any] = []
    hooks: Any = All()
    hooks.replacement(1)
    hooks.replacement(1, 2)
    hooks = Context()
    hooks.replacement(1, 2)
    assert seen == [(1, None), (1, 2), 2]


def test_super_calls_find_the_hooks_of_the_base() -> None:
    class Base(PatternFusionPass):
        def meet_requirements(self, match_result: Any) -> bool:
            asked.append(match_result)
            return True

        def replacement(self, inputs: Any) -> Any:
            return Sigmoid(inputs[0])

    @register_fusion_pass(name="Sub", stage=STAGE)
    class Sub(Base):
        @pattern
        def relu(self, inputs: Any) -> Any:
            return Relu(inputs[0])

        def meet_requirements(self, match_result: Any, context: Any) -> Any:
            base: Any = super()
            return base.meet_requirements(match_result, context)

        def replacement(self, match_result: Any, context: Any) -> Any:
            base: Any = super()
            return base.replacement(match_result, context)

    asked: list[Any] = []
    graph = relu_graph()
    assert run_stage(graph, STAGE).matches["Sub"] == 1
    assert types(graph) == ["Sigmoid"] and len(asked) == 1


def test_super_calls_of_expressions_pass_the_inputs_on() -> None:
    class More(Product):
        def replacement(self, inputs: Any) -> Any:
            return Relu(super().replacement(inputs))

    assert types(More().replacement(None)) == ["Mul", "Relu"]


def test_super_calls_of_decompositions() -> None:
    class Base(DecomposePass):
        def meet_requirements(self, node: Any) -> bool:
            return True

        def replacement(self, node: Any) -> Any:
            builder = GraphBuilder("r")
            return builder.build_and_reset([Sigmoid(builder.create_input(0))])

    @register_decompose_pass(name="Sub", stage=STAGE, op_types=["Relu"])
    class Sub(Base):
        def meet_requirements(self, node: Any, context: Any) -> Any:
            base: Any = super()
            return base.meet_requirements(node, context)

        def replacement(self, node: Any, context: Any) -> Any:
            base: Any = super()
            return base.replacement(node, context)

    graph = relu_graph()
    run_stage(graph, STAGE)
    assert types(graph) == ["Sigmoid"]


def test_hooks_with_named_values_are_called_as_they_are_written() -> None:
    class Named(PatternFusionPass):
        @pattern
        def total(self, a: Any, b: Any) -> Any:
            return op.Add(a, b)

        def meet_requirements(self, a: Any, b: Any) -> Any:
            return a, b

        def replacement(self, a: Any, b: Any) -> Any:
            return op.Mul(a, b)

    hooks: Any = Named()
    assert hooks.meet_requirements(b=1, a=2) == (2, 1)
    assert Named._ge_replacement() == "template"
    with pytest.raises(TypeError):
        hooks.meet_requirements(1)


def test_an_unwrapped_hook_runs_in_a_pipeline() -> None:
    """The pipeline calls the hook without a wrapper's frame in between."""

    @register_fusion_pass(name="P", stage=STAGE)
    class P(PatternFusionPass):
        @pattern
        def relu(self, inputs: Any) -> Any:
            return Relu(inputs[0])

        def meet_requirements(self, match_result: Any) -> bool:
            frames.append(inspect.stack()[1].function)
            return True

        def replacement(self, inputs: Any) -> Any:
            frames.append(inspect.stack()[1].function)
            return Sigmoid(inputs[0])

    frames: list[str] = []
    run_stage(relu_graph(), STAGE)
    assert len(frames) == 2 and not "hook" in frames


def test_a_hook_of_the_instance_is_called() -> None:
    @register_fusion_pass(name="P", stage=STAGE)
    class P(Product):
        @pattern
        def relu(self, inputs: Any) -> Any:
            return Relu(inputs[0])

        def __init__(self) -> None:
            super().__init__()
            own: Any = self
            own.meet_requirements = lambda match: asked.append(match) or False

        def meet_requirements(self, match_result: Any) -> bool:
            raise AssertionError

    asked: list[Any] = []
    run_stage(relu_graph(), STAGE)
    assert len(asked) == 1


def test_patterns_are_methods() -> None:
    class Sums(Product):
        @pattern
        def total(self, inputs: Any) -> Any:
            return Relu(super().total(inputs))

    @register_fusion_pass(name="P", stage=STAGE)
    class P(Sums):
        @pattern
        def more(self, inputs: Any) -> Any:
            return Sigmoid(self.total(inputs))

    builder = GraphBuilder("g")
    total = Sigmoid(Relu(builder.create_input(0) + builder.create_input(1)))
    graph = builder.build_and_reset([total])
    assert run_stage(graph, STAGE).matches["P"] == 1
    assert types(graph) == ["Mul"]
    assert isinstance(vars(P)["more"], type(P.more))


def test_a_captured_tensor_has_a_number() -> None:
    @register_fusion_pass(name="P", stage=STAGE)
    class P(PatternFusionPass):
        @pattern
        def relu(self, inputs: Any) -> Any:
            return Relu(inputs[0])

        def meet_requirements(self, match_result: Any) -> bool:
            for wrong in (-1, -(2**70), "0", 1.0, None):
                with pytest.raises(TypeError):
                    match_result.get_captured_tensor(wrong)
            for wrong in (2, 2**70):
                with pytest.raises(RuntimeError, match="^Failed to get captured tensor"):
                    match_result.get_captured_tensor(wrong)
            asked.append(match_result.get_captured_tensor(0).node.name)
            return False

        def replacement(self, inputs: Any) -> Any:
            raise AssertionError

    asked: list[str] = []
    run_stage(relu_graph(), STAGE)
    assert asked == ["input_0"]


@pytest.mark.parametrize(
    ("base", "hook", "function", "words"),
    [
        (
            PatternFusionPass,
            "replacement",
            lambda self: 0,
            "replacement only supports replacement(self, match_result) or "
            "replacement(self, match_result, context)",
        ),
        (
            PatternFusionPass,
            "replacement",
            lambda self, inputs, a, b, c: 0,
            "Expression-style replacement only supports replacement(self, inputs), "
            "replacement(self, inputs, match_result), replacement(self, inputs, context), or "
            "replacement(self, inputs, match_result, context)",
        ),
        (
            PatternFusionPass,
            "replacement",
            lambda self, inputs, a, b: 0,
            "Expression-style replacement with four arguments must use "
            "replacement(self, inputs, match_result, context)",
        ),
        (
            PatternFusionPass,
            "meet_requirements",
            lambda self: 0,
            "meet_requirements only supports meet_requirements(self, match_result) or "
            "meet_requirements(self, match_result, context)",
        ),
        (
            DecomposePass,
            "replacement",
            lambda self: 0,
            "replacement only supports replacement(self, node) or replacement(self, node, context)",
        ),
    ],
)
def test_signatures_of_base_classes_are_checked(
    base: Any, hook: str, function: Any, words: str
) -> None:
    with pytest.raises(TypeError, match="^" + re.escape(words)):
        type("Own", (base,), {hook: function})


def test_a_static_hook_is_left_alone() -> None:
    class Static(Product):
        @staticmethod
        def meet_requirements(match_result: Any, context: Any) -> Any:
            return match_result, context

    assert isinstance(vars(Static)["meet_requirements"], staticmethod)


def test_bootstrap_gives_modules_and_dicts(tmp_path: Any) -> None:
    from ge.passes import bootstrap, load_pass_plugins, unload_pass_plugins
    from ge.passes._bridge import clear_loaded_pass_modules, load_and_get_pass_descriptors

    file = tmp_path / "one.py"
    file.write_text(
        "from ge.passes import FusionBasePass, PassStage, register_fusion_pass\n"
        "@register_fusion_pass(name='One', stage=PassStage.BEFORE_INFER_SHAPE)\n"
        "class One(FusionBasePass):\n"
        "    def run(self, graph, context): ...\n"
    )
    try:
        [module] = [m for m in bootstrap.load_pass_plugins(str(file)) if hasattr(m, "One")]
        assert module in bootstrap.load_pass_plugins(str(file))
        assert load_pass_plugins(str(file)) == []
        [found] = bootstrap.get_registered_passes()
        assert found["pass_name"] == "One" and found["module_name"] == module.__name__
        assert load_and_get_pass_descriptors() == [found]
        clear_loaded_pass_modules()
        assert bootstrap.get_registered_passes() == []
    finally:
        unload_pass_plugins()
