"""The graph IR: contexts, modules, graphs, nodes, values, types and attributes."""

from .._mlir_like._cext_loader import load
from . import _attrs

_native = load("ir")

globals().update(
    (_name, _value) for _name, _value in vars(_native).items() if not _name.startswith("_")
)
globals().update(
    (_name, getattr(_attrs, _name))
    for _name in _attrs.__all__
    if _name not in ("scalar_classes", "attribute_builders")
)
__all__ = sorted(_name for _name in globals() if not _name.startswith("_") and _name != "load")
del load


def __getattr__(name: str) -> object:
    if not name.startswith("_"):
        # Element types by other libraries' names: ir.float32, ir.bool.
        try:
            known = _native.DType(name)
            near = "i1" if known.name == "bool" else known.name
        except ValueError:
            from difflib import get_close_matches

            near = next(iter(get_close_matches(name, __all__, 1)), "")
        hint = f"; did you mean '{near}'?" if near else ""
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'{hint}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
