"""Loads the native modules of this package, and says clearly why when it cannot.

Public modules get theirs with ``load("ir")``. The first call finds the native directory, gives it to
the package ``_ge``, checks that modules and C library were built for each other, and runs the one-time
initialisation of ``_ge._init``.

What it expects of the modules: each has ``__abi__``, a pair of GE_C_ABI_VERSION as it was compiled and of
what geAbiVersion() answered when it was loaded; ``_init`` has a function ``initialize()``.

A process has the native modules once, in its main interpreter. A subinterpreter is refused before anything
is loaded. When the package left ``sys.modules`` and is imported again, its Python part is new and gets the
native modules that there are: executed a second time they would define their classes twice. They are kept
in a module of ``sys.modules`` whose name does not begin with that of the package.

Everything is relative to the package that this file lies in, so the same file serves a vendor's
package. It imports nothing but ``os`` and ``sys``: it is on the path of every ``import ge.ir``.
"""

import os
import sys

TYPE_CHECKING = False  # typing's constant without its import
if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["load", "native_directory"]

_prefix = __name__.rpartition(".")[0]
_package = _prefix.rpartition(".")[0]
_root = _package.partition(".")[0]
# One variable per top-level package: a directory built for one prefix never fits another.
_variable = _root.upper() + "_NATIVE_DIR"

# Where the package `_ge` is kept.
_kept = f"_native.{_prefix}"

_directory: "str | None" = None
_refusal: "str | None" = None


def native_directory() -> str:
    """Return the directory of the native modules and the C library.

    Returns
    -------
    str
        ``$GE_NATIVE_DIR`` if set, else the directory ``_ge`` beside this file. (Under a vendor's
        package the variable has that package's name.)

    Raises
    ------
    ImportError
        If there are no native modules; the message lists each place that was tried.
    """
    chosen = os.environ.get(_variable)
    if chosen:
        # Nothing else is tried: an override that is silently not taken hides a wrong path.
        origin, path = f"${_variable}", os.path.abspath(chosen)
    else:
        origin, path = "installed", os.path.join(os.path.dirname(os.path.abspath(__file__)), "_ge")
    if not os.path.isdir(path):
        raise _failure(f"{path} ({origin}): no such directory")
    if not any(name.startswith("_init.") for name in os.listdir(path)):
        raise _failure(f"{path} ({origin}): holds no module '_init'")
    return path


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
    global _directory, _refusal
    if _refusal is not None:
        raise ImportError(_refusal)
    if _directory is None:
        try:
            _prepare()
        except ImportError as error:
            _refusal = str(error)
            raise
    return _import(name)


def _prepare() -> None:
    global _directory
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
    directory = native_directory()
    package = type(sys)(_prefix + "._ge", "The native modules.")
    package.__path__ = [directory]
    package.__package__ = package.__name__
    sys.modules[package.__name__] = package
    vars(sys.modules[_prefix])["_ge"] = package
    _directory = directory
    try:
        init = _import("_init")
        try:
            init.initialize()
        except Exception as error:
            raise _failure(
                f"{init.__file__}: initialisation failed: {type(error).__name__}: {error}"
            ) from error
    except ImportError:
        _directory = None
        del sys.modules[package.__name__], vars(sys.modules[_prefix])["_ge"]
        raise
    keeper = type(sys)(_kept, "Keeps native modules when their package leaves sys.modules.")
    vars(keeper)["package"] = package
    sys.modules[_kept] = keeper


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
    global _directory
    package = vars(kept)["package"]
    sys.modules[package.__name__] = package
    for name, module in vars(package).items():
        if isinstance(module, type(sys)):
            sys.modules[f"{package.__name__}.{name}"] = module
    vars(sys.modules[_prefix])["_ge"] = package
    _directory = package.__path__[0]


def _import(name: str) -> "ModuleType":
    full = f"{_prefix}._ge.{name}"
    if full in sys.modules:
        return sys.modules[full]
    try:
        __import__(full)  # not importlib.import_module, whose package would be loaded for it
    except ImportError as error:
        raise _failure(f"{_directory}: module '{name}': {error}") from error
    module = sys.modules[full]
    built, loaded = getattr(module, "__abi__", (None, None))
    if built is None:
        raise _failure(f"{module.__file__} is no module of this package: it has no __abi__")
    if built != loaded:
        raise _failure(
            f"{module.__file__} was built for version {built} of the C API, but the C library that "
            f"was loaded has version {loaded}: reinstall the package that ships them"
        )
    return module


def _foreign_package() -> "str | None":
    """Return the file of a regular package of our name on the path, or None."""
    if "." in _package:
        return None  # under a vendor's regular package, whose __init__.py is its own
    # A namespace package has no file; a regular one would take over every later process.
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
    foreign = _foreign_package()
    if foreign is not None:
        message += "\n" + _foreign_text(foreign)
    return ImportError(message, name=_prefix + "._ge")
