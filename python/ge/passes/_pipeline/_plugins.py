"""Discovery: pass files that the environment names, then installed plugins."""

import gc
import importlib
import importlib.util
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    ModuleSpec,
    PathFinder,
    SourceFileLoader,
)
from types import CodeType, ModuleType

from ..._mlir_like._cext_loader import load
from ..._support.entries import entries_of
from ..._support.failures import describe, raised_at, traceback_of
from ..._support.imports import mapped_builtins
from ..._support.initialize import initialize
from ..._support.log import logger
from .._pattern._public import publish
from ._native_plugins import load_native_plugins, unload_native_plugins
from ._registry import asked_for, get_registered_passes, package_version, unregister_module

__all__ = ["load_pass_plugins", "unload_pass_plugins"]

ENV_PY_PASS_PATH = "ASCEND_GE_PY_PASS_PATH"
ENTRY_POINT_GROUP = "ge.passes.plugins"

# Suffixes of files that an import can execute.
_CODE = (".py", *BYTECODE_SUFFIXES, *EXTENSION_SUFFIXES)

# CPython's own sha256; hashlib would load a cryptography library.
try:
    from _sha2 import sha256 as _sha256  # type: ignore[import-not-found, unused-ignore]
except ImportError:
    try:
        from _sha256 import sha256 as _sha256  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        from hashlib import sha256 as _sha256

_native = load("passes")
_lock = threading.RLock()
_loaded: dict[str, str] = {}  # canonical path, or entry point -> module name
_errors: dict[str, str] = {}
_tried: list[str] = []  # origins, by the load that is going on


def load_pass_plugins(path: str | None = None) -> list[str]:
    """Load pass files and plugins that are not loaded yet.

    The order is:

    1. files and directories of ``ASCEND_GE_PY_PASS_PATH``, which is read at each call: files ``*.py``, and the modules
       and packages of a directory in lexical order, without those that begin with ``_``;
    2. entry points ``ge.passes.plugins``: modules, or callables, which are called;
    3. native plugins of ``$ASCEND_OPP_PATH/vendors/*/custom_fusion_passes/`` and ``GE_PASS_PLUGINS``.

    A file is executed only once, under whatever paths it is named. If it fails, its registrations are removed, and
    the failure is logged and kept in `load_errors`; the other files are still loaded. Any exception of a plugin,
    ``SystemExit`` included, is its own failure; only ``KeyboardInterrupt`` propagates.

    A file is executed only if it, and each directory and link on its path, belongs to root, to the effective user or
    to the owner of ``sys.prefix``, and no other user can write to it. Directories with the sticky bit, such as
    ``/tmp``, may be writable, and group write access is allowed if the group is the owner's private one. In a package,
    this applies to every file. ``GE_ALLOW_UNSAFE_PLUGINS=1`` disables the check. FIFOs and devices are never opened.
    Entry points are exempt: installing a package means trusting it.

    Parameters
    ----------
    path : str, optional
        Instead of the environment's variable.

    Returns
    -------
    list of str
        Names of the modules that were loaded now.
    """
    text = os.environ.get(ENV_PY_PASS_PATH, "") if path is None else path
    with _lock:
        before = set(_loaded)
        _load_python(text, ())
        load_native_plugins(_errors)
        return [name for key, name in _loaded.items() if key not in before]


def load_for_host(path: str, modules: Sequence[str]) -> dict[str, str]:
    """Load the files and entry points that `load_pass_plugins` loads, and modules by name.

    Native plugins are the host's own business.

    Parameters
    ----------
    path : str
    modules : sequence of str
        Imported from where the interpreter finds modules, after the files.

    Returns
    -------
    dict of str to str
        What could not be loaded, and why.
    """
    with _lock:
        _load_python(path, modules)
        return {origin: _errors[origin] for origin in _tried if origin in _errors}


def _load_python(text: str, modules: Sequence[str]) -> None:
    initialize()
    _tried.clear()
    if _errors:
        gc.collect()  # operators that a file defined before it failed: it is tried again
    for item in text.split(os.pathsep):
        if item.strip():
            _load_item(item.strip())
    for name in modules:
        _guarded(f"module {name}", _load_module, name)
    for point in entries_of(ENTRY_POINT_GROUP):
        _guarded(f"entry point {point.name} = {point.value}", _load_entry_point, point)


def load_pass_modules(path: str | None = None) -> list[ModuleType]:
    """Load what `load_pass_plugins` loads, and return modules, as CANN's function does.

    Parameters
    ----------
    path : str, optional
        Instead of the environment's variable.

    Returns
    -------
    list of module
        All plugins that are loaded, each once, in the order of loading.
    """
    with _lock:
        load_pass_plugins(path)
        names = dict.fromkeys(_loaded.values())
        return [sys.modules[name] for name in names if name in sys.modules]


def load_errors() -> dict[str, str]:
    """Return what could not be loaded, and why."""
    with _lock:
        return dict(_errors)


def unload_pass_plugins() -> None:
    """Forget the loaded plugins and what they registered; the next load executes them again.

    Native plugins go first. The file of one stays mapped while a pass manager holds one of its passes.
    """
    with _lock:
        unload_native_plugins()
        unload_for_host()


def unload_for_host() -> None:
    """Forget everything that `load_for_host` and `load_pass_plugins` loaded, except native plugins."""
    with _lock:
        for name in _loaded.values():
            for module in [m for m in sys.modules if m == name or m.startswith(name + ".")]:
                unregister_module(module)
                del sys.modules[module]
        _loaded.clear()
        _errors.clear()
        # Neighbours stay imported, and so watched.
        _packages.difference_update([name for name in _packages if name not in sys.modules])
        if not _packages and _watching in sys.meta_path:
            sys.meta_path.remove(_watching)
        gc.collect()  # functions keep their modules, and those the operators that they defined


def _guarded(origin: str, load: object, *arguments: object) -> None:
    """Load one plugin; if it fails, all its registrations are removed, and other plugins are not affected."""
    _tried.append(origin)
    modules = set(sys.modules)
    known = {d.descriptor_key for d in get_registered_passes()}
    try:
        load(*arguments)  # type: ignore[operator]
        _errors.pop(origin, None)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        for descriptor in get_registered_passes():
            if descriptor.descriptor_key not in known:
                unregister_module(descriptor.module_name)
        for name in set(sys.modules) - modules:
            if _is_plugin(sys.modules[name]):
                del sys.modules[name]
        file, line = raised_at(error)
        _errors[origin] = describe(error) + (f" ({file}:{line})" if file else "")
        # Logged as text: a log record must not keep objects of the traceback alive.
        logger("ge.passes").error(
            "cannot load the pass plugin %s:\n%s", origin, traceback_of(error)
        )


def _is_plugin(module: ModuleType) -> bool:
    return getattr(module, "__name__", "").startswith("_ge_py_pass_")


def _check_trusted(path: str) -> None:
    """Raise PermissionError unless code in a file or directory may run here."""
    why = _native._distrust(os.fsencode(path), os.fsencode(sys.prefix))
    if why is not None:
        raise PermissionError(why)


def _check_package(directory: str) -> None:
    """Check every file that an import of a package can reach."""
    for place, directories, files in os.walk(directory):
        for name in (*directories, *files):
            if name.endswith(_CODE) or name in directories:
                _check_trusted(os.path.join(place, name))


def _load_item(path: str) -> None:
    path = path.rstrip("/") or "/"
    if not os.path.isdir(path):
        _guarded(path, _load_path, path)
        return
    children: list[str] = []

    def list_children() -> None:
        _check_trusted(path)
        children.extend(_children(path))

    _guarded(path, list_children)
    for child in children:
        _guarded(child, _load_path, child)


def _children(directory: str) -> Iterator[str]:
    for name in sorted(os.listdir(directory)):
        if name.startswith("_"):
            continue
        child = os.path.join(directory, name)
        if _suffix(name) == ".py" or os.path.isfile(os.path.join(child, "__init__.py")):
            yield child


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1]


def _load_path(path: str) -> None:
    if os.path.basename(path) == "__init__.py":  # the origin of what a package registers
        path = os.path.dirname(path) or "."
    is_package = os.path.isdir(path)
    if is_package:
        source = os.path.join(path, "__init__.py")
    elif not os.path.exists(path):
        raise FileNotFoundError(f"pass plugin {path} does not exist")
    elif _suffix(path) != ".py":
        raise ValueError(f"pass plugin {path} must be a .py file or a directory")
    else:
        source = path
    canonical = os.path.realpath(source)
    if canonical in _loaded:
        return
    _check_trusted(path)  # as it was named: a link on the way may lead elsewhere tomorrow
    directory = os.path.dirname(canonical)
    if is_package:
        _check_package(directory)
    name = _module_name(path, canonical)
    spec = importlib.util.spec_from_file_location(
        name,
        canonical,
        loader=_FileLoader(name, canonical),
        submodule_search_locations=[directory] if is_package else None,
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{canonical} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    if is_package:
        _watch(name)
    neighbours = _Neighbours(os.path.dirname(directory) if is_package else directory)
    sys.meta_path.insert(_place_of_path_finder(), neighbours)
    try:
        # A single file of a package could not import its neighbours.
        with asked_for(source) if is_package else nullcontext():
            spec.loader.exec_module(module)
    finally:
        if neighbours in sys.meta_path:
            sys.meta_path.remove(neighbours)
    _loaded[canonical] = name


class _Checked:
    """Finds modules beside and below pass files, each of which is checked when it is found, and compiled from its source.

    ``__pycache__`` in a directory of temporary files may be another user's; so may a file that came there after the
    package was checked.
    """

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return the spec of a module of a package that a pass file is or imported; None for others."""
        if path is None or name.partition(".")[0] not in _packages:
            return None
        return self._checked(PathFinder.find_spec(name, path))  # type: ignore[arg-type]

    @staticmethod
    def _checked(spec: ModuleSpec | None) -> ModuleSpec | None:
        """Check what an import of a spec would run."""
        if spec is None:
            return None
        if spec.submodule_search_locations is not None:
            for directory in spec.submodule_search_locations:
                _check_trusted(directory)
                _check_package(directory)
        if spec.origin is not None and spec.has_location:
            _check_trusted(spec.origin)
        if type(spec.loader) is SourceFileLoader:
            spec.loader = _FileLoader(spec.name, spec.loader.path)
        return spec


class _Neighbours(_Checked):
    """Also finds modules beside a pass file while it is executed, as if it were started from its directory.

    Not an entry of ``sys.path``: in a directory of temporary files everybody may put a file of any name.
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return the spec of a neighbour, or None if there is no such module."""
        if path is not None:
            return None
        spec = PathFinder.find_spec(name, [self._directory])
        # A directory of any content is a package only if there is no other one of its name.
        if spec is None or (spec.origin is None and PathFinder.find_spec(name) is not None):
            return None
        if spec.submodule_search_locations is not None:
            _watch(name)
        return self._checked(spec)


# Names of the packages that pass files are, or imported from beside them.
_packages: set[str] = set()
_watching = _Checked()


def _watch(name: str) -> None:
    """From now on, modules of a package are checked when they are found."""
    _packages.add(name)
    if _watching not in sys.meta_path:
        sys.meta_path.insert(_place_of_path_finder(), _watching)


def _place_of_path_finder() -> int:
    """Return where in ``sys.meta_path`` a finder comes right before those of ``sys.path``."""
    return next((i for i, f in enumerate(sys.meta_path) if f is PathFinder), len(sys.meta_path))


class _FileLoader(SourceFileLoader):
    """Loader that compiles the source: bytecode counts as current by size and a time in seconds only."""

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code

    def exec_module(self, module: ModuleType) -> None:
        """Execute it; under a vendor's package ``import ge`` in it means that package."""
        mapped = mapped_builtins()
        if mapped is not None:
            vars(module)["__builtins__"] = mapped
        super().exec_module(module)


def _module_name(path: str, canonical: str) -> str:
    """Return a name that is the same in every process, whatever the seed of hashes."""
    digest = _sha256(os.fsencode(canonical)).hexdigest()[:12]
    stem = os.path.basename(path)
    if not os.path.isdir(path):
        stem = os.path.splitext(stem)[0]
    return f"_ge_py_pass_{''.join(c if c.isalnum() else '_' for c in stem)}_{digest}"


def _load_module(name: str) -> None:
    """Import a module by its name, and note it for unloading if that executed it."""
    key = f"module {name}"
    if key in _loaded or name in sys.modules:
        return
    with asked_for(name):
        importlib.import_module(name)
    _loaded[key] = name


def _load_entry_point(point: object) -> None:
    key = f"entry point {point.name} = {point.value}"  # type: ignore[attr-defined]
    if key in _loaded:
        return
    package = point.dist  # type: ignore[attr-defined]
    with package_version("" if package is None else package.version):
        loaded = point.load()  # type: ignore[attr-defined]
        if callable(loaded) and not isinstance(loaded, ModuleType):
            loaded()
    _loaded[key] = point.module  # type: ignore[attr-defined]


publish(globals())
publish(globals(), ["load_errors"], "bootstrap")
