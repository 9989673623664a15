"""Registration: the decorators, and the registry that native passes share."""

import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..._mlir_like._cext_loader import load
from ..._support.elsewhere import from_elsewhere
from ..._support.initialize import initialize
from ..._support.program import PACKAGE
from .._pattern._public import publish
from ._base import FusionBasePass, factory_of, native_rules_of
from ._stage import PassStage, stage_of

__all__ = [
    "PassDescriptor",
    "clear_registered_passes",
    "get_registered_pass_by_descriptor_key",
    "get_registered_pass_dicts",
    "get_registered_passes",
    "register_custom_pass",
    "register_decompose_pass",
    "register_fusion_pass",
    "register_pass",
]

_native = load("passes")
_Class = TypeVar("_Class", bound=type[FusionBasePass])
_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class PassDescriptor:
    """A registered pass.

    Attributes
    ----------
    descriptor_key : str
        ``module:class:name``, the same in every process.
    pass_name : str
    module_name : str
    class_name : str
    stage : PassStage or None
        None: only pipelines that name it run it.
    kind : str
        ``"fusion_base"``, ``"pattern_fusion"``, ``"decompose"``, ``"legacy_custom"`` or ``"function"``.
    cls : type, callable or None
        None: the pass is not written in Python.
    op_types : tuple of str
        Of a ``"decompose"`` pass.
    before, after : tuple of str
        Passes of the same stage that run later, and earlier.
    priority : int
        The greater runs earlier in its stage; equal ones in the order of names.
    options : Mapping of str to str
        Options that a pipeline may give, with their defaults.
    version : str
        Of the installed package, else the module's ``__version__``; empty when unknown.
    """

    descriptor_key: str
    pass_name: str
    module_name: str
    class_name: str
    stage: PassStage | None
    kind: str
    cls: Any
    op_types: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    priority: int = 0
    options: Mapping[str, str] = field(default_factory=dict)
    version: str = ""

    def to_bridge_dict(self) -> dict[str, Any]:
        """Return it as plain data, without Python objects, for a native host."""
        return {
            "descriptor_key": self.descriptor_key,
            "pass_name": self.pass_name,
            "module_name": self.module_name,
            "class_name": self.class_name,
            "stage": "" if self.stage is None else self.stage.value,
            "kind": self.kind,
            "op_types": list(self.op_types),
            "version": self.version,
        }


_lock = threading.RLock()
_by_key: dict[str, PassDescriptor] = {}
_by_name: dict[str, PassDescriptor] = {}
_places: dict[str, str] = {}  # where each pass was registered, by name
_PACKAGE = f"{PACKAGE}."


def _summary(what: Any) -> str:
    doc = what.__dict__.get("__doc__") if isinstance(what, type) else what.__doc__
    return (doc or "").strip().split("\n", 1)[0]


# The installed package whose plugin is being loaded.
_package_version: ContextVar[str] = ContextVar("ge.passes.package_version", default="")


@contextmanager
def package_version(version: str) -> Iterator[None]:
    """Set the version of passes that are registered meanwhile; the default is their module's ``__version__``."""
    token = _package_version.set(version)
    try:
        yield
    finally:
        _package_version.reset(token)


# The requested import in progress: a module by its name, a package by its `__init__.py`.
_asked: ContextVar[str] = ContextVar("ge.passes.asked", default="")


@contextmanager
def asked_for(origin: str) -> Iterator[None]:
    """Set the origin of passes that are registered meanwhile: their own files may need the rest of a package."""
    token = _asked.set(origin)
    try:
        yield
    finally:
        _asked.reset(token)


def _register(descriptor: PassDescriptor) -> None:
    module = sys.modules.get(descriptor.module_name)
    with _lock:
        place = _place_of_user()
        known = _places.get(descriptor.pass_name, "")
        both = f" (registered at {known}, and now at {place})"
        if descriptor.descriptor_key in _by_key:
            raise ValueError(
                f"python pass descriptor_key already exists: {descriptor.descriptor_key}{both}"
            )
        if descriptor.pass_name in _by_name:
            raise ValueError(f"python pass name already exists: {descriptor.pass_name}{both}")
        _native._register(
            {
                "name": descriptor.pass_name,
                "doc": _summary(descriptor.cls),
                "kind": descriptor.kind,
                "stage": "" if descriptor.stage is None else descriptor.stage.value,
                "origin": _shown(
                    _asked.get() or getattr(module, "__file__", None) or descriptor.module_name
                ),
                "version": descriptor.version,
                "priority": descriptor.priority,
                "before": descriptor.before,
                "after": descriptor.after,
                "options": dict(descriptor.options),
            },
            factory_of(
                descriptor.cls, descriptor.pass_name, descriptor.op_types, descriptor.options
            ),
            native_rules_of(descriptor.cls, descriptor.pass_name),
        )
        _by_key[descriptor.descriptor_key] = descriptor
        _by_name[descriptor.pass_name] = descriptor
        _places[descriptor.pass_name] = place


def _place_of_user() -> str:
    """Return file and line of the code outside of this package that runs."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_PACKAGE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _add(
    decorator: str,
    what: Any,
    name: object,
    stage: PassStage | None,
    kind: str,
    op_types: tuple[str, ...] = (),
    before: Iterable[str] = (),
    after: Iterable[str] = (),
    priority: int = 0,
    options: Mapping[str, object] | None = None,
) -> None:
    if not isinstance(name, str):
        raise TypeError(f"{decorator} expects a str as name, not {type(name).__name__}")
    if not name:
        raise ValueError(f"{decorator} expects a name that is not empty")
    class_name = getattr(what, "__name__", type(what).__name__)
    descriptor = PassDescriptor(
        descriptor_key=f"{what.__module__}:{class_name}:{name}",
        pass_name=name,
        module_name=what.__module__,
        class_name=class_name,
        stage=stage,
        kind=kind,
        cls=what,
        op_types=op_types,
        before=_names(before, "before"),
        after=_names(after, "after"),
        priority=priority,
        options={key: _option_text(value) for key, value in (options or {}).items()},
        version=_package_version.get()
        or str(getattr(sys.modules.get(what.__module__), "__version__", "")),
    )
    _register(descriptor)
    what.__ge_pass_descriptor__ = descriptor


def _names(given: Iterable[str], what: str) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"{what} must be names of passes")
    return names


def _option_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def register_fusion_pass(
    *,
    name: str,
    stage: PassStage,
    kind: str | None = None,
    before: Iterable[str] = (),
    after: Iterable[str] = (),
    priority: int = 0,
    options: Mapping[str, object] | None = None,
) -> Callable[[_Class], _Class]:
    """Register a `FusionBasePass` or `PatternFusionPass`: a class decorator.

    Parameters
    ----------
    name : str
        In pipelines, switches and reports. Passes of a stage run in the order of their names.
    stage : PassStage
    kind : str, optional
        Default: what the class says.
    before, after : str or iterable of str
        Passes of the stage that run later, earlier.
    priority : int
        The greater runs earlier.
    options : Mapping of str to object, optional
        What a pipeline may give, ``name{key=value}``, with defaults: ``context.pass_options``.

    Raises
    ------
    TypeError
        If the class is none of these, or has no patterns, or has patterns of named values without a replacement.
    ValueError
        If name or descriptor key is taken.
    """
    stage = stage_of(stage, "register_fusion_pass")

    def decorate(cls: _Class) -> _Class:
        if not isinstance(cls, type) or not issubclass(cls, FusionBasePass):
            raise TypeError(
                "register_fusion_pass expects a FusionBasePass subclass" + from_elsewhere(cls)
            )
        own = _kind_of(cls)
        if own == "decompose":
            raise TypeError(
                f"{cls.__name__} is a DecomposePass; register it with register_decompose_pass"
            )
        cls._ge_check_registered()
        _add(
            "register_fusion_pass",
            cls,
            name,
            stage,
            kind or own,
            before=before,
            after=after,
            priority=priority,
            options=options,
        )
        return cls

    return decorate


def _kind_of(cls: type[FusionBasePass]) -> str:
    return cls._ge_kind


def _op_types(given: object) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        one = f'; write op_types=["{given}"]' if isinstance(given, str) else ""
        raise TypeError(
            f"register_decompose_pass op_types must be an iterable of strings, not {type(given).__name__}{one}"
        )
    types = tuple(given)
    if not all(isinstance(op, str) and op for op in types):
        raise TypeError("register_decompose_pass op_types must contain non-empty strings")
    if not types:
        raise ValueError("register_decompose_pass requires at least one op type")
    return types


def register_decompose_pass(
    *, name: str, stage: PassStage, op_types: Iterable[str], **order: Any
) -> Callable[[_Class], _Class]:
    """Register a `DecomposePass`: a class decorator.

    Parameters
    ----------
    name, stage, before, after, priority, options
        As in `register_fusion_pass`.
    op_types : iterable of str
        Operators whose nodes it is called for: ``"Conv2D"`` of any domain, or ``"onnx.Conv"``.

    Raises
    ------
    TypeError, ValueError
    """
    stage = stage_of(stage, "register_decompose_pass")
    types = _op_types(op_types)

    def decorate(cls: _Class) -> _Class:
        if (
            not isinstance(cls, type)
            or not issubclass(cls, FusionBasePass)
            or _kind_of(cls) != "decompose"
        ):
            raise TypeError(
                "register_decompose_pass expects a DecomposePass subclass" + from_elsewhere(cls)
            )
        _add("register_decompose_pass", cls, name, stage, "decompose", types, **order)
        cls.op_types = types  # type: ignore[attr-defined]
        return cls

    return decorate


def register_custom_pass(
    *, name: str, stage: PassStage = PassStage.BEFORE_INFER_SHAPE
) -> Callable[[_Function], _Function]:
    """Register a function ``(graph, context)``, CANN's ``REGISTER_CUSTOM_PASS``: a decorator.

    Such passes run first in their stage, in the order of registration, on the root graph alone, and the fusion switch
    does not turn them off.
    """
    stage = stage_of(stage, "register_custom_pass")

    def decorate(function: _Function) -> _Function:
        if isinstance(function, type) or not callable(function):
            raise TypeError("register_custom_pass expects a function (graph, context)")
        _add("register_custom_pass", function, name, stage, "legacy_custom")
        return function

    return decorate


def register_pass(
    name: str, *, options: Mapping[str, object] | None = None
) -> Callable[[_Function], _Function]:
    """Register a function ``(graph, context)`` or a class for pipelines alone, in no stage: a decorator.

    >>> @register_pass("drop-debug-nodes")
    ... def drop_debug_nodes(graph, context): ...
    >>> PassManager.parse("drop-debug-nodes,dce")
    """

    def decorate(what: _Function) -> _Function:
        if not callable(what):
            raise TypeError("register_pass expects a function (graph, context) or a class")
        if isinstance(what, type) and not issubclass(what, FusionBasePass):
            raise TypeError(
                "register_pass expects a FusionBasePass subclass, or a function"
                + from_elsewhere(what)
            )
        kind = _kind_of(what) if isinstance(what, type) else "function"
        _add("register_pass", what, name, None, kind, options=options)
        return what

    return decorate


def get_registered_passes() -> list[PassDescriptor]:
    """Return the passes of Python, in the order of registration."""
    initialize()
    with _lock:
        return list(_by_key.values())


def get_registered_pass_dicts() -> list[dict[str, Any]]:
    """Return the registered passes as plain dicts for a native host."""
    return [descriptor.to_bridge_dict() for descriptor in get_registered_passes()]


def get_registered_pass_by_descriptor_key(descriptor_key: str) -> PassDescriptor | None:
    """Return the registered pass of a name, or None."""
    with _lock:
        return _by_key.get(descriptor_key)


def clear_registered_passes() -> None:
    """Unregister all Python passes. Pass managers that contain them keep them."""
    with _lock:
        for name in _by_name:
            _native._unregister(name)
        _by_key.clear()
        _by_name.clear()


def unregister_module(module_name: str) -> None:
    """Unregister the passes of a module."""
    with _lock:
        for descriptor in [d for d in _by_key.values() if d.module_name == module_name]:
            _native._unregister(descriptor.pass_name)
            del _by_key[descriptor.descriptor_key], _by_name[descriptor.pass_name]


def _shown(path: str) -> str:
    """Return a path as text; bytes that are not UTF-8 are escaped."""
    return path.encode("utf-8", "backslashreplace").decode()


publish(globals())
