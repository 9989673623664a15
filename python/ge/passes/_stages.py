"""Stages: which passes of a stage run, and in which order."""

import heapq
import json
import logging
import os
from collections.abc import Iterable, Mapping

from .. import ir
from ._expect import Expected
from ._manager import PassManager
from ._public import publish
from ._registry import PassDescriptor, get_registered_passes
from ._result import PipelineResult
from ._stage import PassStage, stage_of

__all__ = ["FUSION_SWITCH_FILE", "is_enabled", "ordered", "passes_of_stage", "run_stage"]

FUSION_SWITCH_FILE = "ge.fusionSwitchFile"
_log = logging.getLogger("ge.passes")


def ordered(passes: Iterable[PassDescriptor]) -> list[PassDescriptor]:
    """Return passes in the order in which they run.

    Stage by stage; in a stage the functions of `register_custom_pass` first, in the order of registration, then by
    priority and name, as far as ``before=`` and ``after=`` say nothing else. Passes without a stage come last.

    Raises
    ------
    ValueError
        If ``before=`` and ``after=`` ask for a circle.
    """
    by_stage: dict[PassStage | None, list[PassDescriptor]] = {}
    for descriptor in passes:
        by_stage.setdefault(descriptor.stage, []).append(descriptor)
    result: list[PassDescriptor] = []
    for stage in (*PassStage, None):
        members = by_stage.get(stage, [])
        result += [d for d in members if d.kind == "legacy_custom"]
        result += _by_name([d for d in members if d.kind != "legacy_custom"])
    return result


def _by_name(members: list[PassDescriptor]) -> list[PassDescriptor]:
    by_name = {d.pass_name: d for d in members}
    later: dict[str, set[str]] = {name: set() for name in by_name}
    for d in members:
        for other in d.before:
            if other in by_name:
                later[d.pass_name].add(other)
        for other in d.after:
            if other in by_name:
                later[other].add(d.pass_name)
    waits = dict.fromkeys(by_name, 0)
    for followers in later.values():
        for name in followers:
            waits[name] += 1
    ready = [(-by_name[n].priority, n) for n, count in waits.items() if count == 0]
    heapq.heapify(ready)
    result = []
    while ready:
        _, name = heapq.heappop(ready)
        result.append(by_name[name])
        for follower in later[name]:
            waits[follower] -= 1
            if waits[follower] == 0:
                heapq.heappush(ready, (-by_name[follower].priority, follower))
    if len(result) != len(members):
        stuck = sorted(name for name, count in waits.items() if count)
        raise ValueError(
            f"before= and after= of the passes {', '.join(stuck)} ask for a circle; drop one of them"
        )
    return result


def _switches(options: Mapping[str, str]) -> dict[str, str]:
    """Return ``Switch.GraphFusion`` of the fusion switch file; nothing when it cannot be read."""
    path = options.get(FUSION_SWITCH_FILE)
    if not path:
        return {}
    try:
        with open(os.fspath(path), encoding="utf-8") as file:
            content = json.load(file)
        switches = content["Switch"]["GraphFusion"]
        return {str(name): str(value) for name, value in switches.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        _log.warning("fusion switch file %s is not used, all passes are on: %s", path, str(error))
        return {}


def is_enabled(name: str, options: Mapping[str, str], switches: Mapping[str, str]) -> bool:
    """Return whether a pass is on.

    The option of its name says it, else the switch file's entry for it, else its entry ``ALL``, else it is. What is not
    ``"on"`` is off.
    """
    for said in (options.get(name), switches.get(name), switches.get("ALL")):
        if said is not None:
            return said == "on"
    return True


def passes_of_stage(
    stage: PassStage, options: Mapping[str, str] | None = None
) -> list[PassDescriptor]:
    """Return the passes of a stage that are on, in the order in which they run.

    Parameters
    ----------
    stage : PassStage
    options : Mapping of str to str, optional
        ``name: "on"`` or ``"off"`` switches a pass; ``"ge.fusionSwitchFile"`` names the fusion switch file.
    """
    stage = stage_of(stage, "passes_of_stage")
    options = options or {}
    switches = _switches(options)
    return [
        d
        for d in ordered(d for d in get_registered_passes() if d.stage is stage)
        if d.kind == "legacy_custom" or is_enabled(d.pass_name, options, switches)
    ]


def run_stage(
    target: ir.Module | ir.Graph,
    stage: PassStage,
    options: Mapping[str, str] | None = None,
    *,
    manager: PassManager | None = None,
    expect: Mapping[str, int | Expected] | None = None,
) -> PipelineResult:
    """Run the passes of a stage, as a compiler does.

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
    for descriptor in passes_of_stage(stage, manager.options):
        manager.add(descriptor.cls)
    return manager.run(target, expect=expect)


publish(globals())
