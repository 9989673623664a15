"""One model optimised as a whole: its interface set, its passes run, the result compared and saved."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ..run import NotRunError, compare, main_graph
from ._optimize import drop_outputs, optimize, set_input_shapes

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..ir import Module
    from ..passes import Expected
    from ..run import CheckReport
    from ._optimize import OptimizeReport

__all__ = ["CheckError", "Request", "RequestError", "RequestResult", "optimize_request"]


class RequestError(ValueError):
    """A request does not fit its model."""


class CheckError(RuntimeError):
    """The result cannot be compared with the model; nothing was saved.

    Attributes
    ----------
    outcome : str
        ``"not-loaded"`` or ``"not-evaluated"`` if nothing ran the model, as `CheckReport.outcome`; else empty.
    """

    def __init__(self, text: str, outcome: str = "") -> None:
        super().__init__(text)
        self.outcome = outcome


@dataclass(frozen=True, kw_only=True)
class Request:
    """The parameters of one call of `optimize_request`.

    Attributes
    ----------
    module : Module
        Changed in place.
    pipeline : str
    save : callable
        Gets the report when the passes have run and no check failed.
    input_shapes : mapping
        As `set_input_shapes` takes them.
    unused_outputs : sequence of str
        Outputs that are removed first.
    freeze, trace, expect, explain, check_rewrites, check_dir, force
        As `optimize` takes them.
    runs : int
        Random inputs on which the result is compared with the model; 0: it is not.
    check_arguments : callable
        Gives the other arguments of `ge.onnx.check` for the optimised module.
    reference : str, optional
        File that holds the model as it is compared; None: the module is copied before the passes run.
    keep_original : bool
        Return a copy of the module from before the passes.
    """

    module: Module
    pipeline: str
    save: Callable[[OptimizeReport], None]
    input_shapes: Mapping[str, Sequence[int | str | None]] = field(default_factory=dict)
    unused_outputs: Sequence[str] = ()
    freeze: bool = True
    trace: str | None = None
    expect: Mapping[str, int | Expected] | None = None
    explain: Sequence[str] = ()
    check_rewrites: bool = False
    check_dir: str | os.PathLike[str] = "."
    force: bool = False
    runs: int = 0
    check_arguments: Callable[[Module], dict[str, Any]] = lambda module: {}
    reference: str | None = None
    keep_original: bool = False


class RequestResult(NamedTuple):
    """What `optimize_request` did."""

    report: OptimizeReport
    verdict: CheckReport | None
    """How the result compares with the model; None: it was not compared."""
    original: Module | None
    """The module before the passes, if it was to be kept."""

    @property
    def is_saved(self) -> bool:
        """Whether no check failed."""
        return self.verdict is None or bool(self.verdict)


def optimize_request(request: Request) -> RequestResult:
    """Optimise one model as a request says: prepare, run, compare, save.

    Parameters
    ----------
    request : Request

    Raises
    ------
    RequestError
        If outputs, shapes or inputs of the check are not those of the model.
    InputShapeError
        If the model cannot have inputs of these shapes.
    CheckError
        If the result cannot be compared.
    ContradictionError, LostMatchesError, PassError
        As `optimize`; nothing is saved.
    """
    module = request.module
    try:
        drop_outputs(module, request.unused_outputs)
        set_input_shapes(module, request.input_shapes, force=request.force)
    except ValueError as error:
        raise RequestError(str(error)) from error
    is_copied = request.keep_original or (request.runs > 0 and request.reference is None)
    original = module.clone() if is_copied else None
    report = optimize(
        module,
        request.pipeline,
        freeze=request.freeze,
        trace=request.trace,
        expect=request.expect,
        explain=request.explain,
        check_rewrites=request.check_rewrites,
        check_dir=request.check_dir,
        force=request.force,
    )
    verdict = _check(request, original) if request.runs else None
    result = RequestResult(report, verdict, original)
    if result.is_saved:
        request.save(report)
    return result


def _check(request: Request, original: Module | None) -> CheckReport:
    given = request.check_arguments(request.module)
    reference = original if original is not None else request.reference
    assert reference is not None
    if original is not None and request.input_shapes:
        reference = _with_free_inputs(original, request.input_shapes)
    try:
        return compare(
            reference, request.module, runs=request.runs, inputs_of=request.module, **given
        )[0]
    except ValueError as error:
        raise RequestError(str(error)) from error
    except RuntimeError as error:
        outcome = error.outcome if isinstance(error, NotRunError) else ""
        raise CheckError(f"cannot check: {error}; nothing was written", outcome) from error


def _with_free_inputs(module: Module, names: Iterable[str]) -> Module:
    """Return a copy in which these inputs may have any sizes, and inner values too.

    A runtime that reads the sizes rejects a branch that does not fit them before it runs the model, though the branch is
    not taken.
    """
    from ..ir import TensorType

    copy = module.clone()
    graph = main_graph(copy)
    for value in graph.inputs:
        if value.name in names and isinstance(value.type, TensorType):
            value.type = TensorType((None,) * len(value.type.shape or ()), value.type.dtype)
    for node in graph.walk():
        if node.op == "ge.Const" or (node.is_input and node.graph is graph):
            continue
        for result in node.results:
            if isinstance(result.type, TensorType):
                result.type = TensorType(None, result.type.dtype)
    return copy
