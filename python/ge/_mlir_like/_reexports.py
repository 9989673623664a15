"""A package under a vendor's name whose modules are those of this package: ``acme.ge.ir is ge.ir``.

Import statements find modules through ``sys.meta_path``. The finder here answers for the names below one package of
a vendor: a module that the vendor has there is the vendor's, every other name is the module object of this package. There
is no second copy of a class, a registry or a native module, so objects of both names mix freely.
"""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from types import CodeType, ModuleType
from typing import Any

__all__ = ["reexport"]

_package = __name__.rpartition(".")[0].rpartition(".")[0]


def reexport(name: str) -> None:
    """Make ``<name>.X`` the module ``X`` of this package, for all that the package `name` does not have itself.

    Parameters
    ----------
    name : str
        The vendor's package, such as ``"acme.ge"``: its ``__name__``, from its ``__init__.py``. A second call for the
        same package does nothing.

    Raises
    ------
    ImportError
        If `name` is this package or lies within it, or is not a package.
    """
    if name == _package or name.startswith(_package + "."):
        raise ImportError(f"'{name}' lies in '{_package}' and cannot re-export it", name=name)
    if not hasattr(sys.modules.get(name), "__path__"):
        raise ImportError(
            f"'{name}' is no package that is being imported: call _reexport(__name__) in its __init__.py",
            name=name,
        )
    if not any(isinstance(f, _Finder) and f.alias == name for f in sys.meta_path):
        # Insert it first: the finders of sys.path would load our submodule a second time under the
        # other name.
        sys.meta_path.insert(0, _Finder(name))


class _Finder:
    """Finds the modules of this package under `alias`, and is their loader."""

    def __init__(self, alias: str) -> None:
        self.alias = alias

    def _target(self, name: str) -> str:
        return _package + name[len(self.alias) :]

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> "ModuleSpec | None":
        """Return a spec for a module of this package; None where the vendor has its own, or there is none."""
        parent = name.rpartition(".")[0]
        if not name.startswith(self.alias + "."):
            return None
        if sys.modules.get(parent) is not sys.modules.get(self._target(parent)):
            # The vendor's own package, or a package within it.
            own = PathFinder.find_spec(name, path)
            if own is not None and own.loader is not None:
                return None
        found = find_spec(self._target(name))
        if found is None:
            return None
        return ModuleSpec(
            name,
            self,  # type: ignore[arg-type]
            origin=found.origin,
            is_package=found.submodule_search_locations is not None,
        )

    def create_module(self, spec: ModuleSpec) -> None:
        """Return None, so that the import system creates a module, which exec_module replaces."""

    def exec_module(self, module: ModuleType) -> None:
        """Replace the new module by the module of this package."""
        name = module.__name__
        target = self._target(name)
        sys.modules[name] = import_module(target)
        # The import system sets a submodule as an attribute of its package, which may by now be a
        # function of that name (ge.passes.pattern). It does not overwrite existing names.
        # by now (ge.passes.pattern). It does not for names that are there.
        for loaded in [m for m in sys.modules if m.startswith(target + ".")]:
            sys.modules.setdefault(name + loaded[len(target) :], sys.modules[loaded])

    def get_code(self, name: str) -> "CodeType | None":
        """Return the code of a module, for ``python -m``."""
        found = find_spec(self._target(name))
        loader: Any = None if found is None else found.loader
        return None if loader is None else loader.get_code(self._target(name))

    def is_package(self, name: str) -> bool:
        """Whether the module is a package."""
        found = find_spec(self._target(name))
        return found is not None and found.submodule_search_locations is not None
