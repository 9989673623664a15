"""Passes: patterns matched and rewritten natively, hooks in Python, one pass manager.

The rooms, lowest first: `_pattern`, `_pipeline`, `_rewrite`, `_diagnose`. `import ge.passes` loads the native
classes and the decorator ``pattern``; the other names load on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# A module with the name of a function: imported first, because importing it sets the attribute.
from . import pattern as _pattern_module  # noqa: F401
from ._native import *  # at once: the stub is made of what the package has
from ._pattern._pattern import pattern as pattern

if TYPE_CHECKING:
    # All that these modules export, for type checkers. A test compares it with the names below.
    from . import bootstrap as bootstrap
    from . import p as p
    from ._diagnose._bisect import *
    from ._diagnose._expect import *
    from ._diagnose._expect import never_loaded as never_loaded
    from ._diagnose._explain import *
    from ._diagnose._reproducer import *
    from ._diagnose._reproducer import read_reproducer as read_reproducer
    from ._diagnose._rewrite_check import *
    from ._pattern._pattern import *
    from ._pipeline._base import *
    from ._pipeline._context import *
    from ._pipeline._errors import *
    from ._pipeline._findings import *
    from ._pipeline._main import *
    from ._pipeline._manager import *
    from ._pipeline._native_plugins import *
    from ._pipeline._plugins import *
    from ._pipeline._registry import *
    from ._pipeline._result import *
    from ._pipeline._stage import *
    from ._pipeline._stages import *
    from ._pipeline._status import *
    from ._pipeline._value import *
    from ._rewrite._cann._boundary import *
    from ._rewrite._cann._pattern import *
    from ._rewrite._decompose import *
    from ._rewrite._fusion import *
    from ._rewrite._operators import *
    from ._rewrite._retype import infer_anew as infer_anew
    from ._rewrite._rules import *

# The public names, by the module that defines them.
_EXPORTS = {
    "_diagnose._bisect": ("BisectResult", "bisect"),
    "_diagnose._expect": ("LostMatchesError",),
    "_diagnose._explain": ("Attempt", "Explanation", "explain", "explain_pass"),
    "_diagnose._reproducer": ("check_reproducer",),
    "_diagnose._rewrite_check": ("WrongRewriteError",),
    "_native": ("GraphPattern", "GraphRule", "MatchResult"),
    "_pattern._pattern": ("PatternFunction", "parse_pattern", "pattern"),
    "_pipeline._base": ("FusionBasePass",),
    "_pipeline._context": ("PassContext",),
    "_pipeline._errors": ("PassCancelled", "PassFatal", "PassSkip"),
    "_pipeline._findings": ("Doubt", "Expected", "LostMatches", "RewriteReport", "Surplus"),
    "_pipeline._main": ("main",),
    "_pipeline._manager": ("PassManager", "list_passes"),
    "_pipeline._native_plugins": ("load_plugin",),
    "_pipeline._plugins": ("load_pass_plugins", "unload_pass_plugins"),
    "_pipeline._registry": (
        "PassDescriptor",
        "clear_registered_passes",
        "get_registered_pass_by_descriptor_key",
        "get_registered_pass_dicts",
        "get_registered_passes",
        "register_custom_pass",
        "register_decompose_pass",
        "register_fusion_pass",
        "register_pass",
    ),
    "_pipeline._result": ("PassResult", "PipelineResult"),
    "_pipeline._stage": ("PassStage",),
    "_pipeline._stages": ("passes_of_stage", "run_stage"),
    "_pipeline._status": ("FAILED", "NOT_CHANGED", "SUCCESS", "StatusCode"),
    "_pipeline._value": ("Pipeline", "PipelineElement"),
    "_rewrite._cann._boundary": (
        "FuseCheckResult",
        "SubgraphBoundary",
        "SubgraphInput",
        "SubgraphOutput",
        "SubgraphRewriter",
        "can_fuse",
        "infer_shape",
        "report_fuse",
    ),
    "_rewrite._cann._pattern": (
        "NodeIo",
        "Pattern",
        "PatternMatcherConfig",
        "PatternMatcherConfigBuilder",
        "capture_tensor",
        "create_pattern",
        "create_replacement",
    ),
    "_rewrite._decompose": ("DecomposePass",),
    "_rewrite._operators": ("DecomposeOperators",),
    "_rewrite._fusion": ("PatternFusionPass",),
    "_rewrite._rules": ("RewriteResult", "Rule", "rewrite", "rewrite_rule"),
}
_MODULES = {"bootstrap", "p"}
_HOMES = {name: module for module, names in _EXPORTS.items() for name in names}
__all__ = sorted({*_HOMES, *_MODULES})
# For the higher packages of ge; not public.
_INTERNAL = {
    "infer_anew": "_rewrite._retype",
    "never_loaded": "_diagnose._expect",
    "read_reproducer": "_diagnose._reproducer",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    home = _HOMES.get(name) or _INTERNAL.get(name)
    if home is None:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
