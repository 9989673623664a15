"""ONNX models as modules and back, checked against each other, and optimised, one or many.

``docs/onnx.md`` says where each field of a model is in the IR. Everything a model carries survives a
round trip, unknown fields included. Weights are views into the mapped file (or the bytes) until
somebody replaces them, and unchanged ones are copied by the kernel when the model is saved.
"""

from ._check import CheckReport, check
from ._files import from_onnx, load, save, to_bytes, to_onnx
from ._inputs import make_inputs
from ._many import ModelResult, optimize_many
from ._optimize import OptimizeReport, PassReport, Size, optimize
from ._outputs import OutputReport

__all__ = [
    "CheckReport",
    "ModelResult",
    "OptimizeReport",
    "OutputReport",
    "PassReport",
    "Size",
    "check",
    "from_onnx",
    "load",
    "make_inputs",
    "optimize",
    "optimize_many",
    "save",
    "to_bytes",
    "to_onnx",
]

# Their public home.
for _name in __all__:
    globals()[_name].__module__ = __name__
del _name
