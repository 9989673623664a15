"""``from ge.passes.pattern import pattern``, as in CANN: a face of `ge.passes`.

The attribute ``ge.passes.pattern`` is the decorator itself.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._pattern._pattern import pattern

if TYPE_CHECKING:
    from ._rewrite._cann._inputs import PatternInputs
    from ._rewrite._cann._pattern import (
        NodeIo,
        Pattern,
        capture_tensor,
        create_pattern,
        ensure_pattern,
    )

__all__ = [
    "NodeIo",
    "Pattern",
    "PatternInputs",
    "capture_tensor",
    "create_pattern",
    "ensure_pattern",
    "pattern",
]


def __getattr__(name: str) -> Any:
    # This module is imported with the package; CANN's classes are not.
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    module = "_inputs" if name == "PatternInputs" else "_pattern"
    return getattr(import_module(f"._rewrite._cann.{module}", __package__), name)
