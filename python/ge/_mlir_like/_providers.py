"""What higher floors of the package do for lower ones: by purpose, imported at first use.

A lower floor cannot import a higher one. Where it needs one at run time it asks here, and no other place names a
higher floor.
"""

from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["provider"]

# Purpose to "module:attribute", relative to the package; without an attribute, the module.
_PROVIDERS = {
    "evaluators": "run._service",
}

_package = __name__.rpartition(".")[0].rpartition(".")[0]


@cache
def provider(purpose: str) -> Any:
    """Return what serves a purpose."""
    module, _, attribute = _PROVIDERS[purpose].partition(":")
    found = import_module(f"{_package}.{module}")
    return getattr(found, attribute) if attribute else found
