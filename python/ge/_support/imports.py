"""``import ge`` in pass files that run under a vendor's package.

A pass file says ``from ge.passes import ...`` and is to work under ``acme.ge`` unchanged. It gets ``__builtins__`` of its
own, whose ``__import__`` reads the absolute names ``ge`` and ``ge.*`` as those of the vendor's package; functions take
the builtins of the module that defines them, so imports within functions are mapped, too. ``sys.modules`` and
``sys.meta_path`` stay as they are: ``ge`` itself may be loaded beside it. ``importlib.import_module`` is not mapped.
"""

import builtins
import sys
from typing import Any

__all__ = ["mapped_builtins"]

_OURS = "ge"
_package = __name__.rpartition(".")[0].rpartition(".")[0]


def mapped_builtins(package: str = _package) -> "dict[str, Any] | None":
    """Return builtins whose imports of ``ge`` are those of `package`; None where they are the same.

    Parameters
    ----------
    package : str
        Such as ``"acme.ge"``.
    """
    if package == _OURS:
        return None
    plain = builtins.__import__

    def mapped_import(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        if level or not (name == _OURS or name.startswith(_OURS + ".")):
            return plain(name, globals, locals, fromlist, level)
        mapped = package + name[len(_OURS) :]
        if fromlist:
            return plain(mapped, globals, locals, fromlist, 0)
        plain(mapped, globals, locals, None, 0)
        return sys.modules[package]  # what `import ge.ir` binds to the name `ge`

    return {**vars(builtins), "__import__": mapped_import}
