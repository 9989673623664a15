"""PatternFusionPass and DecomposePass: classes of hooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from .. import ir
from ._adapters import Adapter, register_kind
from ._expression import Style, guard_style, is_pattern_method, pattern_graph, replacement_style
from ._kinds import FusionBasePass
from ._public import publish
from ._signature import positional

if TYPE_CHECKING:
    from ._ge_pattern import Pattern, PatternMatcherConfig

__all__ = ["DecomposePass", "PatternFusionPass"]


def _refuse_run(cls: type, kind: str, hooks: str) -> None:
    if "run" in cls.__dict__:
        raise TypeError(
            f"{cls.__name__} overrides run(), which is never invoked by the {kind} execution path; "
            f"write {hooks}, or derive from FusionBasePass"
        )


class PatternFusionPass(FusionBasePass):
    """A pass that finds patterns and replaces them; matching and rewriting are native.

    ::

        @register_fusion_pass(name="FuseMatMulAdd", stage=PassStage.BEFORE_INFER_SHAPE)
        class FuseMatMulAdd(PatternFusionPass):
            @pattern
            def matmul_add(self, a, b, c):
                return op.Add(op.MatMul(a, b), c)

            def meet_requirements(self, match):  # optional
                a, b, y = match["a"].type, match["b"].type, match.outputs[0].type
                return a.rank == b.rank == 2 and y.shape == (a.shape[0], b.shape[1])

            def replacement(self, a, b, c):
                return op.Gemm(a, b, c)

    In GE's style the hooks take ``inputs``: ``@pattern def f(self, inputs)`` and ``replacement(self, inputs[,
    match_result][, context])``; or ``patterns()`` gives `Pattern` objects or graphs, and ``replacement(self,
    match_result[, context])`` a graph.

    Parameters
    ----------
    matcher_config : PatternMatcherConfig, optional
        Whether constants and attributes are compared. Default: patterns of named values compare what they give; GE's
        do not.
    """

    _ge_kind: ClassVar[str] = "pattern_fusion"
    _pattern_methods: ClassVar[tuple[tuple[str, Callable[..., Any]], ...]] = ()
    _guard_style: ClassVar[Style]
    _replacement_style: ClassVar[Style]

    def __init__(self, matcher_config: PatternMatcherConfig | None = None) -> None:
        self._matcher_config = matcher_config

    @property
    def matcher_config(self) -> PatternMatcherConfig | None:
        """The configuration given to ``__init__``."""
        return getattr(self, "_matcher_config", None)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _refuse_run(cls, "PatternFusionPass", "patterns, meet_requirements and replacement")
        methods = tuple(
            (name, value.function) for name, value in vars(cls).items() if is_pattern_method(value)
        )
        if methods and "patterns" in vars(cls):
            raise TypeError(
                f"{cls.__name__} has @pattern methods and patterns(); write one or the other"
            )
        if methods:
            for name, function in methods:
                pattern_graph.check(name, function)
            cls._pattern_methods = methods
        elif "patterns" in vars(cls):
            cls._pattern_methods = ()
        names = pattern_graph.names(cls._pattern_methods)
        cls._guard_style = guard_style(cls.meet_requirements, names)
        cls._replacement_style = replacement_style(cls.replacement, names)

    def patterns(self) -> Iterable[Pattern | ir.Graph]:
        """Return the patterns, in the order in which they are looked for.

        Called once for an execution. Classes with ``@pattern`` methods do not write it.
        """
        return [pattern_graph(self, name, function) for name, function in self._pattern_methods]

    def meet_requirements(self, match_result: Any) -> bool:
        """Return whether a match is to be replaced."""
        return True

    def replacement(self, match_result: Any) -> ir.Graph:
        """Return what stands in for a match."""
        raise NotImplementedError(f"{type(self).__name__} must define replacement()")


PatternFusionPass._guard_style = guard_style(PatternFusionPass.meet_requirements, ())
PatternFusionPass._replacement_style = replacement_style(PatternFusionPass.replacement, ())


class DecomposePass(FusionBasePass):
    """A pass that replaces single nodes.

    ``op_types`` names the operators, ``meet_requirements(self, node[, context])`` may refuse a node, and
    ``replacement(self, node[, context])`` gives the graph. Its inputs are the node's operands, equal ones once and absent
    ones not; its outputs are the node's results. Nodes that a replacement brings are not looked at.
    """

    _ge_kind: ClassVar[str] = "decompose"
    op_types: ClassVar[Iterable[str]] = ()
    _takes_context: ClassVar[dict[str, bool]] = {"meet_requirements": False, "replacement": False}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _refuse_run(cls, "DecomposePass", "meet_requirements and replacement")
        takes = {}
        for hook in ("meet_requirements", "replacement"):
            wrong = f"{hook} only supports {hook}(self, node) or {hook}(self, node, context)"
            names, required, more = positional(getattr(cls, hook), wrong)
            if required > 2 or (not names and not more):
                raise TypeError(wrong)
            takes[hook] = len(names) > 1 or more
        cls._takes_context = takes

    def meet_requirements(self, node: ir.Node) -> bool:
        """Return whether a node is to be replaced."""
        return True

    def replacement(self, node: ir.Node) -> ir.Graph:
        """Return what stands in for a node."""
        raise NotImplementedError(f"{type(self).__name__} must define replacement()")


def _pattern_adapter(
    name: str, options: Mapping[str, str], cls: type[PatternFusionPass], _: tuple[str, ...]
) -> Adapter:
    from ._fusion import PatternAdapter

    return PatternAdapter(name, options, cls)


def _decompose_adapter(
    name: str, options: Mapping[str, str], cls: type[DecomposePass], op_types: tuple[str, ...]
) -> Adapter:
    from ._fusion import DecomposeAdapter

    return DecomposeAdapter(name, options, cls, op_types or tuple(cls.op_types))


register_kind(PatternFusionPass, _pattern_adapter)
register_kind(DecomposePass, _decompose_adapter)
publish(globals())
