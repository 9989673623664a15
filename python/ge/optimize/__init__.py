"""The pipeline of ``-O`` over whole models, one or many, and reports of what it did; public in `ge.onnx`."""

from typing import TYPE_CHECKING

from .._support.lazy import lazy_name

if TYPE_CHECKING:
    from ._many import ModelResult, optimize_many
    from ._optimize import (
        PIPELINE,
        OptimizeReport,
        PassReport,
        Size,
        drop_outputs,
        exactness_of,
        free_initializers,
        freeze_inputs,
        optimize,
        pass_names,
        pipeline_text,
        set_input_shapes,
    )
    from ._request import CheckError, Request, RequestError, RequestResult, optimize_request
    from ._sound import ContradictionError, InputShapeError, contradictions, listed

__all__ = [
    "PIPELINE",
    "CheckError",
    "ContradictionError",
    "InputShapeError",
    "ModelResult",
    "OptimizeReport",
    "PassReport",
    "Request",
    "RequestError",
    "RequestResult",
    "Size",
    "contradictions",
    "drop_outputs",
    "exactness_of",
    "free_initializers",
    "freeze_inputs",
    "listed",
    "optimize",
    "optimize_many",
    "optimize_request",
    "pass_names",
    "pipeline_text",
    "set_input_shapes",
]

_HOLDS = {
    "_many": ("ModelResult", "optimize_many"),
    "_optimize": (
        "PIPELINE",
        "OptimizeReport",
        "PassReport",
        "Size",
        "drop_outputs",
        "exactness_of",
        "free_initializers",
        "freeze_inputs",
        "optimize",
        "pass_names",
        "pipeline_text",
        "set_input_shapes",
    ),
    "_request": ("CheckError", "Request", "RequestError", "RequestResult", "optimize_request"),
    "_sound": ("ContradictionError", "InputShapeError", "contradictions", "listed"),
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        return lazy_name(globals(), _HOLDS, name)
