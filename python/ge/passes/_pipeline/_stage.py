"""PassStage: where in a compilation a pass runs."""

from enum import Enum

from .._pattern._public import publish

__all__ = ["PassStage"]


class PassStage(str, Enum):
    """Stages of CANN's compilation, in their order."""

    BEFORE_INFER_SHAPE = "BeforeInferShape"
    AFTER_INFER_SHAPE = "AfterInferShape"
    AFTER_BUILTIN_FUSION_PASS = "AfterBuiltinFusionPass"
    AFTER_ORIGIN_GRAPH_OPTIMIZE = "AfterOriginGraphOptimize"


def stage_of(stage: object, what: str) -> PassStage:
    """Return a stage given as itself or as its text; TypeError and ValueError name `what`."""
    if isinstance(stage, PassStage):
        return stage
    known = ", ".join(f"PassStage.{s.name}" for s in PassStage)
    if not isinstance(stage, str):
        raise TypeError(f"{what} expects a PassStage as stage, not {type(stage).__name__}")
    try:
        return PassStage(stage)
    except ValueError:
        raise ValueError(f"{what}: there is no stage '{stage}'; there are {known}") from None


publish(globals())
