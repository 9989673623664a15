"""Loader of the native modules of this package; a failure names what was tried.

Public modules get theirs with ``load("ir")``. The first call finds the native directory, gives it to
the package ``_ge``, checks that modules and C library were built for each other, and runs the one-time
initialisation of ``_ge._init``.

What it expects of the modules: each has ``__abi__``, a pair of GE_C_ABI_VERSION as it was compiled and of
what geAbiVersion() answered when it was loaded; ``_init`` has a function ``initialize()`` and
``__built_for__``, the package that it was built for. Native modules that a vendor's build added (``_site.EXTENSIONS``)
are imported with ``ir``; they need none of these.

A process has the native modules once, in its main interpreter. A subinterpreter is refused before anything
is loaded. When the package left ``sys.modules`` and is imported again, its Python part is new and gets the
native modules that there are: executed a second time they would define their classes twice. They are kept
in a module of ``sys.modules`` whose name does not begin with that of the package.

Everything is relative to the package that this file lies in, so the same file serves a vendor's
package. It imports nothing but ``os``, ``sys`` and a lock: it is on the path of every ``import ge.ir``.
"""

import os
import sys
from _thread import RLock

TYPE_CHECKING = False  # typing's constant without its import
if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["fallback_facts", "load", "native_directories", "native_directory"]

_prefix = __name__.rpartition(".")[0]
_package = _prefix.rpartition(".")[0]
_root = _package.partition(".")[0]
# One variable per top-level package: a directory built for one prefix never fits another.
_variable = _root.upper() + "_NATIVE_DIR"
# If 1, missing modules are built from the sources of the package.
_fallback_variable = _root.upper() + "_NATIVE_FALLBACK"

# The location of the package `_ge`.
_kept = f"_native.{_prefix}"

_found: "list[str]" = []  # filled when everything is ready
_lock = RLock()
_refusal: "str | None" = None


def native_directory() -> str:
    """Return the first of `native_directories`, which has the module ``_init``.

    Raises
    ------
    ImportError
        As `native_directories`.
    """
    return native_directories()[0]


def native_directories() -> list[str]:
    """Return the directories of the native modules and the C library: one, but with a fallback build.

    Returns
    -------
    list of str
        ``$GE_NATIVE_DIR`` if set, else the directory ``_ge`` beside this file; with
        ``GE_NATIVE_FALLBACK=1``, before it, the one that modules which it lacks were built into. (Under a
        vendor's package the variables have that package's name.)

    Raises
    ------
    ImportError
        If there are no native modules; the message lists each place that was tried.
    """
    return list(_found) if _found else _directories()


def _directories() -> list[str]:
    """Return the directories that native modules are imported from."""
    chosen = os.environ.get(_variable)
    if not chosen and os.environ.get(_fallback_variable) == "1":
        from . import _fallback

        try:
            return _fallback.complete(_installed())
        except ImportError as error:
            raise _failure(
                f"{_installed()} (installed), completed from sources: {error}"
            ) from error
    if chosen:
        # No other directory is tried: an override that is silently ignored would hide a wrong path.
        origin, path = f"${_variable}", os.path.abspath(chosen)
    else:
        origin, path = "installed", _installed()
    if not os.path.isdir(path):
        raise _failure(f"{path} ({origin}): no such directory")
    if not any(name.startswith("_init.") for name in os.listdir(path)):
        raise _failure(f"{path} ({origin}): holds no module '_init'")
    return [path]


def fallback_facts() -> "dict[str, object]":
    """Return the state of the fallback build: whether it is enabled and possible, and the cache."""
    from . import _fallback

    facts: dict[str, object] = {"sources": _fallback.has_sources()}
    facts["wanted"] = os.environ.get(_fallback_variable) == "1"
    facts["cache"] = _fallback.cache_directory()
    facts["entries"], facts["problem"] = [], ""
    try:
        facts["entries"] = _fallback.entries()
    except ImportError as error:  # of another user, who must not decide what is loaded
        facts["problem"] = str(error)
    return facts


def _installed() -> str:
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "_ge")


def load(name: str) -> "ModuleType":
    """Return the native module `name` of ``_ge``, ready to use.

    Parameters
    ----------
    name : str
        File name without suffix, such as ``"ir"``.

    Raises
    ------
    ImportError
        If this is a subinterpreter, no native module fits, it was built for another C library, or its
        initialisation fails.
        The first failure is final: later calls raise it again.
    """
    global _refusal
    if _refusal is not None:
        raise ImportError(_refusal)
    if not _found:
        with _lock:  # threads may import different modules of the package first
            if _refusal is not None:
                raise ImportError(_refusal)
            try:
                if not _found:
                    _prepare()
            except ImportError as error:
                _refusal = str(error)
                raise
    module = _import(name)
    if name == "ir":
        _import_extensions()
    return module


def _import_extensions() -> None:
    """Import the native modules that a vendor's build added; a failure is an error of the package."""
    global _refusal
    from ._site import EXTENSIONS

    for name in EXTENSIONS:
        if f"{_prefix}._ge.{name}" in sys.modules:
            continue  # loaded, or being loaded: it may import `ir` itself
        try:
            _import(name)
        except ImportError as error:
            _refusal = str(error)
            raise


def _prepare() -> None:
    if not _is_main_interpreter():
        raise ImportError(
            f"'{_package}' works in the main interpreter of a process, and this is a subinterpreter: its "
            "objects would be shared by interpreters that have nothing in common. Import it in the main "
            "interpreter, or start a process",
            name=_prefix + "._ge",
        )
    if (kept := sys.modules.get(_kept)) is not None:
        _take_back(kept)
        return
    foreign = _foreign_package()
    if foreign is not None:
        import warnings

        warnings.warn(_foreign_text(foreign), RuntimeWarning, stacklevel=4)
    directories = _directories()
    package = type(sys)(_prefix + "._ge", "The native modules.")
    package.__path__ = directories
    package.__package__ = package.__name__
    sys.modules[package.__name__] = package
    vars(sys.modules[_prefix])["_ge"] = package
    try:
        init = _import("_init")
        built_for = getattr(init, "__built_for__", _package)
        if built_for != _package:
            raise _failure(
                f"{init.__file__}: built for '{built_for}', installed as '{_package}'; rebuild with "
                f"PREFIX {_prefix} (add_ge_python_modules)"
            )
        try:
            init.initialize()
        except Exception as error:
            raise _failure(
                f"{init.__file__}: initialisation failed: {type(error).__name__}: {error}"
            ) from error
    except ImportError:
        del sys.modules[package.__name__], vars(sys.modules[_prefix])["_ge"]
        raise
    keeper = type(sys)(_kept, "Keeps native modules when their package leaves sys.modules.")
    vars(keeper)["package"] = package
    sys.modules[_kept] = keeper
    _found[:] = directories


def _is_main_interpreter() -> bool:
    import _thread

    is_main = getattr(_thread, "_is_main_interpreter", None)  # from Python 3.12 on
    if is_main is not None:
        return bool(is_main())
    try:
        import _xxsubinterpreters as interpreters  # type: ignore[import-not-found, unused-ignore]
    except ImportError:  # left out of this Python: nothing but a C program makes interpreters
        return True
    return bool(interpreters.get_current() == interpreters.get_main())


def _take_back(kept: "ModuleType") -> None:
    """Use the native modules of an earlier import of this package."""
    package = vars(kept)["package"]
    sys.modules[package.__name__] = package
    for name, module in vars(package).items():
        if isinstance(module, type(sys)):
            sys.modules[f"{package.__name__}.{name}"] = module
    vars(sys.modules[_prefix])["_ge"] = package
    _found[:] = package.__path__


def _import(name: str) -> "ModuleType":
    full = f"{_prefix}._ge.{name}"
    module = sys.modules.get(full)
    if module is not None and not getattr(module.__spec__, "_initializing", False):
        return module
    # Modules are initialised below C++ frames, through which a daemon thread must not be unwound (IR/Gil.h).
    guard = getattr(sys.modules.get(f"{_prefix}._ge.ir"), "_guard_thread", None)
    if guard is not None:
        guard()
    try:
        # Waits if another thread is importing it.
        __import__(full)  # not importlib.import_module, whose package would be loaded for it
    except ImportError as error:
        places = ", ".join(sys.modules[f"{_prefix}._ge"].__path__)
        raise _failure(f"{places}: module '{name}': {error}") from error
    module = sys.modules[full]
    built, loaded = getattr(module, "__abi__", (None, None))
    if built is None and _is_extension(name):
        return module
    if built is None:
        raise _failure(f"{module.__file__} is not a module of this package: it has no __abi__")
    if built != loaded:
        raise _failure(
            f"{module.__file__} was built for version {built} of the C API, but the C library that "
            f"was loaded has version {loaded}: reinstall the package that ships them"
        )
    return module


def _is_extension(name: str) -> bool:
    from ._site import EXTENSIONS

    return name in EXTENSIONS


def _foreign_package() -> "str | None":
    """Return the file of a regular package of our name on the path, or None."""
    if "." in _package:
        return None  # under a vendor's regular package, whose __init__.py is its own
    # A namespace package has no file; a regular package would be imported instead of ours by every
    # later process.
    loaded: str | None = getattr(sys.modules.get(_package), "__file__", None)
    if loaded:
        return loaded
    for entry in sys.path:
        candidate = os.path.join(entry or os.curdir, _package, "__init__.py")
        if os.path.isfile(candidate):
            return candidate
    return None


def _foreign_text(file: str) -> str:
    return (
        f"{file} is a regular package named '{_package}', of another product: Python prefers it to "
        f"the namespace package '{_package}' of {os.path.dirname(os.path.dirname(__file__))}, so "
        f"'import {_package}.ir' depends on the order of sys.path. Use only one in an environment"
    )


def _failure(tried: str) -> ImportError:
    """Return the ImportError for what was tried."""
    tag = f"CPython {sys.version_info[0]}.{sys.version_info[1]} on {sys.platform}"
    message = f"no usable native module of '{_package}' for {tag}; tried:\n  {tried}"
    if os.environ.get(_fallback_variable) != "1" and not os.environ.get(_variable):
        from ._fallback import has_sources

        if has_sources():
            message += (
                f"\n${_fallback_variable}=1 builds what is missing from the sources in the package"
            )
    foreign = _foreign_package()
    if foreign is not None:
        message += "\n" + _foreign_text(foreign)
    return ImportError(message, name=_prefix + "._ge")
