"""Which module holds what `ge.passes` makes public, so that each is imported when it is first asked for."""

from collections.abc import Mapping
from typing import Any

__all__ = ["HOMES", "MODULES", "publish"]

MODULES = ("bootstrap", "p")

_HOLDS = {
    "_bisect": ("BisectResult", "bisect"),
    "_boundary": (
        "FuseCheckResult",
        "SubgraphBoundary",
        "SubgraphInput",
        "SubgraphOutput",
        "SubgraphRewriter",
        "can_fuse",
        "infer_shape",
        "report_fuse",
    ),
    "_context": ("PassContext",),
    "_errors": ("PassFatal", "PassSkip"),
    "_expect": ("Expected", "LostMatches", "LostMatchesError", "Surplus"),
    "_explain": ("Attempt", "Explanation", "explain", "explain_pass"),
    "_fusion_kinds": ("DecomposePass", "PatternFusionPass"),
    "_ge_pattern": (
        "NodeIo",
        "Pattern",
        "PatternMatcherConfig",
        "PatternMatcherConfigBuilder",
        "create_pattern",
        "create_replacement",
    ),
    "_kinds": ("FusionBasePass",),
    "_main": ("main",),
    "_manager": ("PassManager", "list_passes"),
    "_match": ("PatternFunction", "parse_pattern", "pattern"),
    "_registry": (
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
    "_reproducer": ("check_reproducer",),
    "_result": ("PassResult", "PipelineResult"),
    "_rewrite_check": ("Doubt", "RewriteReport", "WrongRewriteError"),
    "_rules": ("RewriteResult", "Rule", "rewrite", "rewrite_rule"),
    "_stage": ("PassStage",),
    "_stages": ("passes_of_stage", "run_stage"),
    "_status": ("FAILED", "NOT_CHANGED", "SUCCESS", "StatusCode"),
    "bootstrap": ("load_pass_plugins", "unload_pass_plugins"),
}
HOMES = {name: module for module, names in _HOLDS.items() for name in names}
_package = __name__.rpartition(".")[0]


def publish(namespace: Mapping[str, Any]) -> None:
    """Give the public classes and functions of a module the public home: errors, pickles and docs show it.

    Parameters
    ----------
    namespace : mapping
        ``globals()`` of the module, at its end.
    """
    module = namespace["__name__"]
    for name in namespace["__all__"]:
        value = namespace[name]
        if name in HOMES and hasattr(value, "__qualname__") and value.__module__ == module:
            value.__module__ = _package
