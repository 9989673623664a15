"""Stages: which passes of a stage run, and in which order."""

from collections.abc import Iterable, Mapping
from typing import Any

from ... import ir
from ..._mlir_like._cext_loader import load
from .._pattern._public import publish
from ._findings import Expected
from ._manager import PassManager
from ._registry import PassDescriptor, get_registered_passes
from ._result import PipelineResult
from ._stage import PassStage, stage_of

__all__ = ["passes_of_stage", "run_stage"]

_native = load("passes")


def ordered(passes: Iterable[PassDescriptor]) -> list[PassDescriptor]:
    """Return passes in the order in which they run.

    Stage by stage, each as `passes_of_stage` orders it; passes without a stage come last.

    Raises
    ------
    ValueError
        If ``before=`` and ``after=`` ask for a circle.
    """
    by_name = {d.pass_name: d for d in passes}
    return [
        by_name[each["name"]]
        for stage in (*(stage.value for stage in PassStage), "")
        for each in _native._list_stage(stage, {})
        if each["name"] in by_name
    ]


def passes_of_stage(
    stage: PassStage, options: Mapping[str, str] | None = None
) -> list[PassDescriptor]:
    """Return the passes of a stage that are on, in the order in which they run.

    Functions of `register_custom_pass` first, in the order of registration, then by priority and name, as far as
    ``before=`` and ``after=`` say nothing else. Passes of C are among them; their descriptor has no class.

    Parameters
    ----------
    stage : PassStage
    options : Mapping of str to str, optional
        ``name: "on"`` or ``"off"`` switches a pass; ``"ge.fusionSwitchFile"`` names the fusion switch file.
    """
    stage = stage_of(stage, "passes_of_stage")
    own = {d.pass_name: d for d in get_registered_passes()}
    return [
        own.get(each["name"]) or _descriptor_of(each, stage)
        for each in _native._list_stage(stage.value, dict(options or {}))
    ]


def _descriptor_of(info: dict[str, Any], stage: PassStage) -> PassDescriptor:
    return PassDescriptor(
        descriptor_key=f"{info['origin']}::{info['name']}",
        pass_name=info["name"],
        module_name=info["origin"],
        class_name="",
        stage=stage,
        kind=info["kind"],
        cls=None,
        before=tuple(info["before"]),
        after=tuple(info["after"]),
        priority=info["priority"],
        version=info["version"],
        options={name: default for name, (default, _) in info["options"].items()},
    )


def run_stage(
    target: ir.Module | ir.Graph,
    stage: PassStage,
    options: Mapping[str, str] | None = None,
    *,
    manager: PassManager | None = None,
    expect: Mapping[str, int | Expected] | None = None,
) -> PipelineResult:
    """Run the passes of a stage, as a compiler does: those of Python, of C and functions, in one order.

    Parameters
    ----------
    target : Module or Graph
    stage : PassStage
    options : Mapping of str to str, optional
        What hooks read, and switches as in `passes_of_stage`.
    manager : PassManager, optional
        An empty one, with what else is to happen (printing, ``on_error``).
    expect : Mapping of str to int or Expected, optional
        How often passes are to match, as for `PassManager.run`.

    Returns
    -------
    PipelineResult
    """
    manager = PassManager() if manager is None else manager
    manager.options.update(options or {})
    manager._native.add_stage(stage_of(stage, "run_stage").value, dict(manager.options))
    return manager.run(target, expect=expect)


publish(globals())
