"""Table of what lower floors of the package use from higher ones: by purpose, imported at first use.

A lower floor cannot import a higher one. Where it needs one at run time it asks here, and no other place names a
higher floor.
"""

from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["provider"]

# Purpose to "module:attribute", relative to the package; without an attribute, the module.
_PROVIDERS = {
    "builder": "es:builder",
    "captured tensors": "passes:NodeIo",
    "descriptions of nodes": "ops._views",
    "element types of CANN": "ops._cann_kernels:element_type",
    "engines": "run._operators:evaluate",
    "es plugins": "es._plugins",
    "evaluators": "run._service",
    "find": "passes._pattern._pattern:find",
    "inference": "run._operators:infer",
    "interpreter of modules": "run._interpreter:run_module",
    "arrays of a kind": "ops._arrays:of_kind",
    "check of a backend": "ops._lookup:check_backend",
    "calls of nodes": "ops._call:NodeCall",
    "interpreter": "run._interpreter:run_graph",
    "kernels of libraries": "ops._call:evaluate_call",
    "look-up": "ops._lookup:look_up",
    "match contract": "passes._diagnose._expect:match_contract",
    "onnx proto": "onnx:to_onnx",
    "operators": "_foreign:evaluate",
    "optimize": "optimize",
    "pictures": "view._notebook",
    "record of a node": "ops._lookup:record_of_node",
    "reference kernels": "ops._cann_kernels:kernels",
    "regions": "run._native_regions",
    "rewrite check": "passes._diagnose._rewrite_check:RewriteCheck",
    "run": "run",
    "typed views": "ops:OpView",
    "where": "passes.p:where",
}

_package = __name__.rpartition(".")[0].rpartition(".")[0]


@cache
def provider(purpose: str) -> Any:
    """Return the provider for a purpose."""
    module, _, attribute = _PROVIDERS[purpose].partition(":")
    found = import_module(f"{_package}.{module}")
    return getattr(found, attribute) if attribute else found
