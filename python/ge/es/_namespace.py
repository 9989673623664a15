"""Modules of graph-building functions, one for each namespace of the registry.

A namespace may be registered at any time, so its module and its functions are made on first access.
They are forgotten when a library of the namespace is closed.
"""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .._mlir_like._cext_loader import load
from .._support.program import PACKAGE
from . import _hooks

__all__ = ["Finder", "Namespace", "namespace", "opset"]

_ir = load("ir")
_native = load("ops")
_package = __name__.rpartition(".")[0]
# Roots by namespace: those that `at` makes belong to one of them.
_roots: dict[str, "Namespace"] = {}
# CANN's packages differ in what is in which, so a name that one lacks is looked for in the other.
_BESIDE = {"math": "nn", "nn": "math"}


class Namespace(ModuleType):
    """The graph-building functions of a namespace at one opset.

    ``ge.es.onnx`` is one, of the newest opset unless `opset` chose another; ``ge.es.onnx.at(17)`` is another,
    beside it.
    """

    def __init__(self, name: str, ns: str, version: int | None) -> None:
        super().__init__(name, f"Graph-building functions of the operators of '{ns}'.")
        self._ns = ns
        self._version = version
        self._made: set[str] = set()
        self._others: dict[int, Namespace] = {}
        self.__path__: list[str] = []
        # In the dictionary, as of any module: on the class it would slow every look-up down.
        self.__dict__["__getattr__"] = self._make

    def at(self, version: int) -> "Namespace":
        """Return the functions of another opset.

        Parameters
        ----------
        version : int
            ``17``; the newest versions of the operators that are not newer.
        """
        found = self._others.get(version)
        if found is None:
            if isinstance(version, bool) or not isinstance(version, int) or version < 1:
                raise ValueError("an opset is a version such as 17")
            found = self._others[version] = Namespace(self.__name__, self._ns, version)
        return found

    @property
    def opset(self) -> int | None:
        """The opset that it follows; None: the newest."""
        return self._version

    def _make(self, name: str) -> Any:
        if name == "__all__":
            return self._names()
        if name.startswith("__"):
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        function = _function(self, name)
        if function is None:
            beside = _BESIDE.get(self._ns)
            if beside is not None and _native.overloads(f"{beside}::{name}", self._version):
                return getattr(namespace(beside), name)
            inner = f"{self._ns}.{name}"
            if any(n == inner or n.startswith(inner + ".") for n in _native.namespaces()):
                return namespace(inner)
            raise AttributeError(self._unknown(name), name=name, obj=None)
        self._made.add(name)
        self.__dict__[name] = function
        return function

    def _names(self) -> list[str]:
        """Return the names of the operators that exist at the opset."""
        skip = len(self._ns) + 2
        names = {n[skip:].partition(".")[0] for n in _native.list_ops(self._ns)}
        if self._version is not None:
            names = {n for n in names if _native.overloads(f"{self._ns}::{n}", self._version)}
        return sorted(names)

    def __dir__(self) -> list[str]:
        return ["at", "opset", *self._names()]

    def __repr__(self) -> str:
        version = "" if self._version is None else f", opset {self._version}"
        return f"<operators '{self._ns}'{version}>"

    def _unknown(self, name: str) -> str:
        text = f"{self.__name__} has no operator '{name}'"
        versions = _native.versions(f"{self._ns}::{name}")
        if versions and self._version is not None:
            return f"{text} at opset {self._version}: it came with {versions[0].since}"
        near = self._near(name)
        if near:
            text += "; did you mean " + " or ".join(f"'{n}'" for n in near) + "?"
        if all("." in n for n in near):  # nothing is near here
            text += (
                f"; an operator of another domain is {PACKAGE}.passes.p.op('domain.{name}')(...)"
            )
        return text

    def _near(self, name: str) -> list[str]:
        """Return names that may be meant: those that begin so, then the nearest; of other namespaces qualified."""
        homes, names = [self._ns], self._names()
        if self._ns in _BESIDE:
            homes.append(_BESIDE[self._ns])
            names += namespace(homes[-1])._names()
        longer = [n for n in names if n.lower().startswith(name.lower())]
        near = [longer[0]] if longer and len(name) > 2 else []
        for home in homes:
            for other in _native.suggest(f"{home}::{name}"):
                ns, _, op = other.partition("::")
                shown = op if ns in homes else f"{_package}.{ns}.{op}"
                if shown not in near:
                    near.append(shown)
        return near[:3]

    def _forget(self) -> None:
        for name in self._made:
            self.__dict__.pop(name, None)
        self._made.clear()
        for other in self._others.values():
            other._forget()


def _function(module: Namespace, name: str) -> Any:
    records = _native.overloads(f"{module._ns}::{name}", module._version)
    if not records:
        return None
    functions = [
        _native._function(record, _label(record), module.__name__, module._ns) for record in records
    ]
    if len(records) == 1 and not records[0].overload:
        return functions[0]
    return _overloaded(name, module.__name__, functions)


def _label(record: Any) -> str:
    label: str = record.name
    return f"{label}.{record.overload}" if record.overload else label


def _overloaded(name: str, module: str, functions: list[Any]) -> Callable[..., Any]:
    every = tuple(functions)

    def call(*args: Any, **kwargs: Any) -> Any:
        return _native._call_overload(every, args, kwargs)

    call.__name__ = call.__qualname__ = name
    call.__module__ = module
    call.__doc__ = "The first of these that takes the arguments:\n\n" + "\n".join(
        f"    {f.op}" for f in every
    )
    for function in every:
        setattr(call, function.op.overload or "default", function)
    return call


def namespace(name: str) -> Namespace:
    """Return the module of a registered namespace, such as ``"onnx"`` or ``"onnx.ml"``.

    Raises
    ------
    AttributeError
        If no operator is registered in it; the message names those that there are.
    """
    root = _roots.get(name)
    if root is not None:
        return root
    known = _native.namespaces()
    if not any(n == name or n.startswith(name + ".") for n in known):
        raise AttributeError(
            f"module '{_package}' has no namespace '{name}'; registered are {', '.join(known)}"
        )
    _hooks.install(_forget)
    full = f"{_package}.{name}"
    root = _roots[name] = Namespace(full, name, None)
    sys.modules[full] = root
    parent = sys.modules.get(full.rpartition(".")[0])
    if parent is not None:
        parent.__dict__[name.rpartition(".")[2]] = root
    return root


def at_opset(function: Any, opset: int) -> Any:
    """Return the function of the same operator in another opset.

    Raises
    ------
    OpSchemaError
        If the operator is newer.
    """
    op = function.op
    found = getattr(namespace(op.ns).at(opset), op.name, None)
    if found is None:
        since = _native.versions(f"{op.ns}::{op.name}")[0].since
        raise _ir.OpSchemaError(
            f"{op.ns}::{op.name}(): the operator came with opset {since} of '{op.ns}', the builder's graph is of "
            f"opset {opset}; use operators that {opset} has, or builder(opset={since})"
        )
    return found


def _forget(ns: str) -> None:
    root = _roots.get(ns)
    if root is not None:
        root._forget()


class opset:  # noqa: N801  # used like a function
    """Choose the opset that ``ge.es.onnx`` follows, for the process or for a ``with``.

    Parameters
    ----------
    version : int or None
        ``17``; None: the newest.

    See Also
    --------
    Namespace.at : another opset beside it, without changing what others see.
    """

    def __init__(self, version: int | None) -> None:
        root = namespace("onnx")
        if version is not None:
            root.at(version)  # checks it
        self._root, self._before = root, root._version
        root._version = version
        root._forget()

    def __enter__(self) -> "opset":
        return self

    def __exit__(self, *args: object) -> None:
        self._root._version = self._before
        self._root._forget()


class Finder:
    """Lets ``import ge.es.<namespace>`` find registered namespaces."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return a spec for a namespace of the registry, else None."""
        if not name.startswith(self.package + "."):
            return None
        ns = name[len(self.package) + 1 :]
        if not any(n == ns or n.startswith(ns + ".") for n in _native.namespaces()):
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self, origin="registry", is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: Any) -> ModuleType:
        """Return the module of the namespace."""
        return namespace(spec.name[len(self.package) + 1 :])

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: functions are created at first use."""
