"""Passes: patterns matched and rewritten natively, hooks in Python, one pass manager."""

from .._mlir_like._cext_loader import load

load("ir")  # its classes and exceptions
_native = load("passes")

from . import (  # noqa: E402
    _boundary,
    _context,
    _errors,
    _explain,
    _fusion,  # noqa: F401 - lets the manager run the kinds
    _fusion_kinds,
    _ge_pattern,
    _kinds,
    _main,
    _manager,
    _match,
    _registry,
    _result,
    _rules,
    _stage,
    _stages,
    _status,
    bootstrap,  # noqa: F401
    p,  # noqa: F401
)
from . import pattern as _pattern_module  # noqa: E402, F401 - before the function of its name
from .bootstrap import load_pass_plugins, unload_pass_plugins  # noqa: E402, F401

_PUBLIC = {
    _boundary: _boundary.__all__,
    _context: ("PassContext",),
    _errors: ("PassFatal", "PassSkip"),
    _explain: _explain.__all__,
    _fusion_kinds: _fusion_kinds.__all__,
    _ge_pattern: _ge_pattern.__all__,
    _kinds: _kinds.__all__,
    _main: _main.__all__,
    _manager: _manager.__all__,
    _match: [name for name in _match.__all__ if name not in ("as_pattern", "find")],
    _registry: _registry.__all__,
    _result: _result.__all__,
    _rules: _rules.__all__,
    _stage: ("PassStage",),
    _stages: ("run_stage", "passes_of_stage"),
    _status: ("FAILED", "NOT_CHANGED", "SUCCESS", "StatusCode"),
}
globals().update(
    (_name, _value) for _name, _value in vars(_native).items() if not _name.startswith("_")
)
for _module, _names in _PUBLIC.items():
    globals().update((_name, getattr(_module, _name)) for _name in _names)
__all__ = sorted(
    _name for _name in globals() if not _name.startswith("_") and _name not in ("load",)
)
for _name in __all__:  # errors, pickles and docs show the public home
    _value = globals()[_name]
    if str(getattr(_value, "__module__", "")).startswith(f"{__name__}."):
        _value.__module__ = __name__
del load
