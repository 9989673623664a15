"""A model through a pipeline of passes: prepared, run, counted."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from .._support.lazy import publish
from ..run import FittingSizes, Sizes, free_sizes, guessed_sizes, main_graph, need_module
from ._sound import (
    InputShapeError,
    OutputGuard,
    contradictions,
    listed,
    need_outputs,
    refused_contradictions,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..ir import Module, TensorType
    from ..passes import Expected, LostMatches, RewriteReport, Surplus

__all__ = ["FOLD_LIMIT", "PIPELINE", "OptimizeReport", "PassReport", "Size", "census", "optimize"]

# The alias that ge.passes has for all of -O.
PIPELINE = "optimize"
# Bytes that constant folding may add for one tensor.
FOLD_LIMIT = 1 << 20
# From this IR version on, an initializer need not be an input.
_FREE_INITIALIZERS = 4


class Size(NamedTuple):
    """How large a model is."""

    operators: dict[str, int]
    """Nodes by operator, most frequent first; constants are not counted."""
    weights: int
    """Bytes of constants, each tensor once; a splat counts as one element."""

    @property
    def nodes(self) -> int:
        """All nodes but constants."""
        return sum(self.operators.values())


class PassReport(NamedTuple):
    """One execution of a pass."""

    name: str
    changed: bool
    seconds: float
    where: str = ""
    """What it is nested in; mostly empty."""


class OptimizeReport(NamedTuple):
    """What `optimize` did."""

    pipeline: str
    """The passes that ran, as text."""
    changed: bool
    before: Size
    after: Size
    passes: tuple[PassReport, ...]
    seconds: float
    matches: dict[str, int] = {}
    """How often each pass matched, over all of its executions."""
    matched_nodes: dict[str, list[str]] = {}
    """With `expect`: the nodes at which matches began, by pass."""
    surplus: tuple[Surplus, ...] = ()
    """With `expect`: passes that matched more often."""
    unmatched: tuple[LostMatches, ...] = ()
    """With `explain`: passes that match nowhere, and why."""
    rewrite_check: RewriteReport | None = None
    """With `check_rewrites`: what was compared, and what could not be."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user that are not failures, one sentence each."""
        checked = self.rewrite_check
        doubts = () if checked is None else (
            *(f"not evaluated: {doubt}" for doubt in checked.unevaluated),
            *(f"equal only in context: {doubt}" for doubt in checked.contextual),
        )  # fmt: skip
        return (*map(str, self.surplus), *doubts)

    def lockable(self) -> dict[str, dict[str, Any]]:
        """Return what a lock file keeps: matches, and nodes at which they began, of passes that the pipeline names.

        Those of aliases such as ``optimize`` may do the same work in another way in the next release, and built-in passes
        that did nothing need not be remembered.
        """
        native = {
            p["name"] for p in _passes().list_passes() if p["kind"] == "native" and not p["origin"]
        }
        named = {p.name for p in self.passes if not p.where.startswith(PIPELINE)}
        return {
            name: {"matches": count, "nodes": self.matched_nodes.get(name, [])}
            for name, count in self.matches.items()
            if name in named and (count or name not in native)
        }


def census(module: Module) -> Size:
    """Count the nodes and the bytes of weights of a model.

    Parameters
    ----------
    module : Module

    Notes
    -----
    Functions and bodies of control flow count. ``ge.Const``, ``onnx.Constant`` and ``onnx.ConstantOfShape`` do
    not: they cost nothing when the model runs. Cost: O(nodes).
    """
    constants = ("ge.Const", "onnx.Constant", "onnx.ConstantOfShape")
    counts: dict[str, int] = {}
    weights: dict[int, tuple[Any, int]] = {}  # by identity: to compare them would be to read them
    for graph in need_module(module).graphs.values():
        for node in graph.walk():
            if node.op in constants or node.is_input:
                value = node.attributes.get("value")
                if hasattr(value, "nbytes"):
                    bits = value.dtype.bits
                    size = (1 if value.is_splat else value.size) * bits
                    weights[id(value)] = (value, -(-size // 8))
            elif not node.is_output:
                counts[node.op] = counts.get(node.op, 0) + 1
    ordered = dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    return Size(ordered, sum(size for _, size in weights.values()))


def freeze_inputs(module: Module) -> int:
    """Make a constant of each input that has a default; return how many there were.

    Parameters
    ----------
    module : Module

    Notes
    -----
    Old exporters list all weights among the inputs, where nothing may be folded into them.
    """
    graph = main_graph(module)
    count = 0
    for index in range(len(graph.inputs) - 1, -1, -1):
        value = graph.inputs[index]
        default = value.node.attributes.get("value")
        if default is None:
            continue
        name, type_ = value.name, default.type
        constant = graph.add_node(
            "ge.Const", attributes={"value": default}, result_types=[type_], ip=_front(graph)
        )
        value.replace_all_uses_with(constant.result)
        graph.erase_input(index)
        constant.name = name
        constant.result.name = name
        count += 1
    return count


def free_initializers(module: Module) -> None:
    """Let a model have initializers that are not inputs: passes make some.

    Parameters
    ----------
    module : Module

    Notes
    -----
    From then on an input with a default is one that a caller may give, and no constant.
    """
    version = module.attributes.get("onnx.ir_version")
    if isinstance(version, int) and version < _FREE_INITIALIZERS:
        module.attributes["onnx.ir_version"] = _FREE_INITIALIZERS


def _front(graph: Any) -> Any:
    from ..ir import InsertionPoint

    first = next(iter(graph.nodes), None)
    return InsertionPoint(graph) if first is None else InsertionPoint.before(first)


def set_input_shapes(
    module: Module, shapes: Mapping[str, Sequence[int | str | None]], *, force: bool = False
) -> None:
    """Give inputs other shapes, and forget what was inferred from the old ones.

    Parameters
    ----------
    module : Module
    shapes : mapping
        Sizes, symbols or None (free) by input.
    force : bool
        Leave what contradicts the new shapes as it is.

    Raises
    ------
    ValueError
        If there is no such input, it is not a tensor, or its default has another shape.
    InputShapeError
        If the graph cannot have inputs of these shapes, as one with a size in the operand of a Reshape, or not with all
        sizes of a dimension that is declared free.
    """
    from ..ir import TensorType

    graph = main_graph(module)
    inputs = {value.name: value for value in graph.inputs}
    wanted: dict[str, TensorType] = {}
    for name, shape in shapes.items():
        if name not in inputs:
            have = ", ".join(inputs) or "none"
            raise ValueError(f"the model has no input '{name}'; its inputs are {have}")
        type_ = inputs[name].type
        if not isinstance(type_, TensorType):
            raise ValueError(f"input '{name}' is {type_}, which has no shape")
        default = inputs[name].node.attributes.get("value")
        if default is not None and tuple(shape) != default.type.shape:
            raise ValueError(f"input '{name}' has a default, {default.type}: it has that shape")
        try:
            wanted[name] = TensorType(tuple(shape), type_.dtype)
        except (OverflowError, ValueError) as error:
            raise ValueError(f"input '{name}': {error}") from error
    if not wanted:
        return
    before = set(contradictions(module))
    for name, type_ in wanted.items():
        inputs[name].type = type_
    for node in graph.walk():
        if node.op == "ge.Const" or (node.is_input and node.graph is graph):
            continue
        for result in node.results:
            # Element types do not depend on shapes, and unregistered operators have no inference.
            if isinstance(result.type, TensorType):
                result.type = TensorType(None, result.type.dtype)
    found = [d.message for d in graph.infer_types().diagnostics]
    new = [message for message in found if message not in before]
    if force:
        return
    shown = ", ".join(f"{name}: {type_}" for name, type_ in wanted.items())
    if not new:
        new = _fixed_sizes(module, wanted)
    if new:
        raise InputShapeError(
            f"the model cannot have inputs of these shapes ({shown}): {listed(new)}; give shapes that fit, "
            "or change the sizes that the graph has fixed"
        )


# Sizes with which a free dimension is tried, and how many have to fit: a size that a weight fixes fits, and 1, which
# broadcasts.
_FREE = (3, 2, 5, 7, 8, 16, 4, 31, 32, 64, 128, 224, 256, 512, 1)
_FREE_FIT = 3


def _fixed_sizes(module: Module, declared: Mapping[str, TensorType]) -> list[str]:
    """Return why inputs cannot have the free dimensions that they are declared with, a sentence each; empty: they can."""
    names = {
        dim or f"{name}[{axis}]": None
        for name, type_ in declared.items()
        for axis, dim in enumerate(type_.shape or ())
        if not isinstance(dim, int)
    }
    if not names:
        return []
    fitting = FittingSizes(module)
    every = dict.fromkeys(free_sizes(module))
    guess = guessed_sizes(module, Sizes())
    bases = ({**guess, **fitting.solve(guess)}, *(dict.fromkeys(every, size) for size in _FREE))
    base = next((one for one in bases if not fitting.contradictions(one)), bases[0])
    found: list[str] = []
    for name in names:
        fit = 0
        wrong = ""
        for size in _FREE:
            messages = fitting.contradictions({**base, name: size})
            if messages and fitting.contradictions(dict.fromkeys(every, size)):
                wrong = wrong or f"with {name}={size}, {messages[0]}"
            else:
                fit += 1
            if fit == _FREE_FIT:
                break
        if fit < _FREE_FIT:
            found.append(wrong)
    return found


def drop_outputs(module: Module, names: Sequence[str]) -> None:
    """Remove outputs; nodes that only they needed become dead.

    Parameters
    ----------
    module : Module
    names : sequence of str

    Raises
    ------
    ValueError
        If there is no such output, or none would be left.
    """
    graph = main_graph(module)
    have = list(graph.output_names)
    for name in names:
        if name not in have:
            raise ValueError(f"the model has no output '{name}'; its outputs are {', '.join(have)}")
    if names and set(names) == set(have):
        raise ValueError(f"no output would be left: {', '.join(have)} are all that there are")
    for name in dict.fromkeys(names):
        del graph.outputs[list(graph.output_names).index(name)]


def pipeline_text(
    passes: str | None = None,
    *,
    fold_limit: int | None = None,
    skip: Sequence[str] = (),
    expand: bool = False,
    exactness: str | None = None,
    fold_quantized: bool = False,
) -> str:
    """Return the text of a pipeline with a limit for folding and without some passes.

    Parameters
    ----------
    passes : str, optional
        Default: all of ``-O``.
    fold_limit : int, optional
        Bytes; None leaves the passes' own.
    skip : sequence of str
        Names of passes that are left out.
    expand : bool
        Show what aliases stand for.
    exactness : str, optional
        Class of the rewrites that passes may do where the text does not say: ``"exact"``, ``"reassociating"``,
        ``"approximate"`` (docs/builtin-passes.md).
    fold_quantized : bool
        Evaluate what dequantises constants, where the text does not say.

    Raises
    ------
    ValueError
        If there is no such pass in the pipeline, none for a limit, or one with another limit.
    ParseError
        If the text is not a pipeline; with `exactness` or `fold_quantized` also if it has an unknown pass.
    TypeError
        If `skip` is one name.
    """
    _need_names(skip, "skip")
    pipeline = _passes().Pipeline(PIPELINE if passes is None else passes)
    if fold_limit is not None or skip or expand:
        pipeline = pipeline.expanded().without(*skip)
    if fold_limit is not None:
        if fold_limit < 0:
            raise ValueError(f"fold_limit is {fold_limit}: bytes, 0 or more")
        pipeline = pipeline.with_option("constant-fold", "limit", str(fold_limit))
    if exactness is None and not fold_quantized:
        return str(pipeline)
    manager = _passes().PassManager.parse(pipeline)
    if exactness is not None:
        manager.set_option("exactness", exactness)
    if fold_quantized:
        manager.set_option("fold-quantized", "true")
    return str(manager)


def exactness_of(exact: bool, fast_math: bool) -> str | None:
    """Return the exactness class that two switches select; None: the default of each pass.

    Parameters
    ----------
    exact, fast_math : bool

    Raises
    ------
    ValueError
        If both are on.
    """
    if exact and fast_math:
        raise ValueError("exact and fast_math contradict each other: give one of them")
    return "exact" if exact else "approximate" if fast_math else None


def _need_names(names: Sequence[str], what: str) -> None:
    if isinstance(names, str):
        raise TypeError(f"{what} is a sequence of names of passes, not one name")


def pass_names(passes: str | None = None) -> set[str]:
    """Return the names of the passes of a pipeline, with those of the aliases in it.

    Parameters
    ----------
    passes : str, optional
        Default: all of ``-O``.
    """
    text = PIPELINE if passes is None else passes
    return {element.name for element in _passes().Pipeline(text).expanded().passes()}


def _passes() -> Any:
    from .. import passes

    return passes


def optimize(
    module: Module,
    passes: str | None = None,
    *,
    fold_limit: int | None = None,
    skip: Sequence[str] = (),
    exact: bool = False,
    fast_math: bool = False,
    fold_quantized: bool = False,
    freeze: bool = True,
    trace: str | None = None,
    expect: Mapping[str, int | Expected] | None = None,
    explain: Sequence[str] = (),
    check_rewrites: bool = False,
    check_dir: str | os.PathLike[str] = ".",
    force: bool = False,
) -> OptimizeReport:
    """Optimise a model in place.

    Parameters
    ----------
    module : Module
    passes : str, optional
        A pipeline (docs/passes.md); default: ``optimize``, which is all of ``-O``.
    fold_limit : int, optional
        Bytes that constant folding may add for one tensor; default: 1 MiB.
    skip : sequence of str
        Passes of the pipeline that are left out.
    exact : bool
        Only rewrites after which results are bit for bit those of the model before, in a runtime that optimises nothing
        (NaN counts as NaN). Default: also those that round the same formula in another way. docs/builtin-passes.md has
        the class of each pass. Other passes of the pipeline than built-in ones run in any case.
    fast_math : bool
        Also rewrites after which results may differ by more.
    fold_quantized : bool
        Also evaluate DequantizeLinear, and Casts from types of 8 bits and less, of constants: quantised weights become
        wide ones, and the model larger. Default: quantised content is kept.
    freeze : bool
        Take the defaults of inputs as constants: the weights of old models are inputs.
    trace : path-like, optional
        File for a Chrome trace of the passes.
    expect : Mapping of str to int or Expected, optional
        How often passes are to match: ``{"FuseAttention": 24}``.
    explain : sequence of str
        Passes of which the report tells why they match nowhere.
    check_rewrites : bool
        Compare each rewrite with what it replaces, and other passes as a whole.
    check_dir : path-like
        Where a wrong rewrite leaves its reproducer.
    force : bool
        Accept types that contradict each other, other outputs, and a model without outputs.

    Returns
    -------
    OptimizeReport

    Raises
    ------
    ValueError
        If `exact` and `fast_math` are both on, or `skip`, `explain` or an expected count of 0 names a pass that the
        pipeline does not have.
    ParseError
        If the pipeline is no such text, or has an unknown pass.
    PassError
        If a pass fails; what it did is undone. `WrongRewriteError` is one.
    LostMatchesError
        If a pass matches less often than expected; the model is as the passes left it.
    ContradictionError
        If a pass leaves types that contradict each other, or changes number, names, element types or static sizes of
        outputs (what it did is undone), or the model has no outputs; the model is as the others left it.
    TypeError
        If `skip` or `explain` is one name.
    """
    start = time.perf_counter()
    before = census(module)
    text = pipeline_text(
        passes,
        fold_limit=fold_limit,
        skip=skip,
        exactness=exactness_of(exact, fast_math),
        fold_quantized=fold_quantized,
    )
    manager = _passes().PassManager.parse(
        text, check="rewrite" if check_rewrites else None, check_dir=check_dir
    )
    _need_names(explain, "explain")
    none_of = [n for n, e in (expect or {}).items() if getattr(e, "count", e) == 0]
    named = {*explain, *none_of}
    if named and (absent := sorted(named - pass_names(text))):
        raise ValueError(f"no pass '{absent[0]}' in the pipeline {text}")
    if freeze:
        freeze_inputs(module)
    free_initializers(module)
    manager.enable_verifier(types=not force)
    if not force:
        manager.add_hook(accept=OutputGuard(module).accept)
    with refused_contradictions():
        result = manager.run(module, trace=trace, expect=expect, explain=explain)
    if not force:
        need_outputs(module)
    runs = tuple(PassReport(r.name, r.changed, r.seconds, r.where) for r in result.passes)
    after = census(module)
    seconds = time.perf_counter() - start
    changed = before != after or any(r.changed for r in runs)
    return OptimizeReport(
        text,
        changed,
        before,
        after,
        runs,
        seconds,
        result.matches,
        result.matched_nodes,
        tuple(result.surplus),
        tuple(result.unmatched),
        result.rewrite_check,
    )


publish("onnx", OptimizeReport, PassReport, Size, optimize)
