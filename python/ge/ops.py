"""The operator registry: records, the schema language, libraries, look-ups.

``ge.ops.get("onnx::Conv")`` is the record of an operator, `OpDef`, from which everything else is derived:
the graph-building functions of ``ge.es``, binding, inference, docs and stubs. `Library` and `op` add operators.
"""

from ._mlir_like import _ops
from ._mlir_like._cext_loader import load

load("ir")  # its classes and exceptions
_native = load("ops")

globals().update(
    (_name, _value) for _name, _value in vars(_native).items() if not _name.startswith("_")
)
globals().update((_name, getattr(_ops, _name)) for _name in _ops.__all__)
__all__ = sorted(_name for _name in globals() if not _name.startswith("_") and _name != "load")
del load
