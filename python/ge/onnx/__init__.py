"""ONNX models as modules and back, checked against each other, and optimised, one or many.

``docs/onnx.md`` says where each field of a model is in the IR. Everything a model carries survives a
round trip, unknown fields included. Weights are views into the mapped file (or the bytes) until
somebody replaces them, and unchanged ones are copied by the kernel when the model is saved.
"""

from ._check import CheckReport, OutputReport, check
from ._files import from_onnx, load, save, to_bytes, to_onnx
from ._inputs import make_inputs

__all__ = [
    "CheckReport",
    "OutputReport",
    "check",
    "from_onnx",
    "load",
    "make_inputs",
    "save",
    "to_bytes",
    "to_onnx",
]

for _thing in (
    CheckReport,
    OutputReport,
    check,
    from_onnx,
    load,
    make_inputs,
    save,
    to_bytes,
    to_onnx,
):
    _thing.__module__ = __name__
del _thing
