"""Shared libraries of kernels as libraries of the registry: of ge/library.h, and of tvm-ffi."""

import os
import re
import struct
import subprocess
import sys
import threading
import types
from typing import Any

from .._foreign import inferrers_changed, kernels_came
from .._mlir_like._cext_loader import load
from .._support.files import read_file
from ._faces import register_classes
from ._kernels import implement_symbol

__all__ = ["load_library"]

_native: Any = load("ops")

_INIT = "ge_library_init"
_PREFIX = "__tvm_ffi_"
# By real path; those that were closed are loaded again. One thread at a time loads a file; a library whose
# initialisation loads its own file again goes through.
_loaded: dict[str, Any] = {}
_locks: "dict[str, threading.RLock]" = {}


def load_library(
    file: "str | os.PathLike[str] | types.ModuleType",
    namespace: "str | None" = None,
    *,
    probe: bool = False,
) -> Any:
    """Load a shared library of operators and kernels.

    A library in C or C++ (``ge/library.h``, ``torch/library.h``) exports ``ge_library_init``, which registers its
    operators and kernels. In other libraries, functions exported for tvm-ffi are registered as global functions.

    Parameters
    ----------
    file : path or module
        The library, or an imported extension module, whose file is used. It exports ``ge_library_init``, or
        functions ``__tvm_ffi_<name>`` with arguments and results of any type.
    namespace : str, optional
        Namespace of functions and operators without one; None: the file's stem without ``lib``, with ``_`` for what
        no namespace can have: ``my_ops`` for ``my-ops.so``.
    probe : bool
        Load the file in a child process first, because a static constructor that throws terminates the process.

    Returns
    -------
    Library
        Closing it unregisters everything that the file registered. Loading the file again before that returns the
        same object. The file stays mapped.

    Raises
    ------
    OSError
        If the file cannot be read or loaded, terminates the process that loads it (`probe`), or needs the runtime of
        tvm-ffi, which is not installed.
    ValueError
        If it is not an ELF file of this platform or C ABI, exports no such function, or is open in another namespace.
    OpSchemaError
        If a registration fails; then all registrations of the library are removed.
    """
    if isinstance(file, types.ModuleType):
        if getattr(file, "__file__", None) is None:
            raise ValueError(f"module {file.__name__} has no file")
        file = str(file.__file__)
    path = os.path.realpath(os.fspath(file))
    with _locks.setdefault(path, threading.RLock()):
        known = _loaded.get(path)
        if known is None or known.closed:
            known = _loaded[path] = _opened(path, os.fspath(file), namespace, probe)
        elif namespace not in (None, known.namespace):
            raise ValueError(
                f"{path} is open as '{known.namespace}'; close that library to load it as '{namespace}'"
            )
        return known


def _opened(path: str, file: str, namespace: "str | None", probe: bool) -> Any:
    exported = _exports(path)
    if probe:
        _probe(path)
    if _INIT in exported:
        kernels_came()
        library = _native._load_library(os.fsencode(path), namespace or "")
        try:
            register_classes(library)
        except BaseException:
            library.close()
            raise
        inferrers_changed()
        return library
    names = [
        name[len(_PREFIX) :]
        for name in exported
        if name.startswith(_PREFIX) and not name.startswith(_PREFIX + "_")
    ]
    if not names:
        raise ValueError(
            f"{file} exports no function of tvm-ffi ({_PREFIX}<name>) and no {_INIT} (ge/library.h); "
            "register the functions of other libraries with Library.impl(name, backend, symbol=(file, name))"
        )
    library = _native.Library(namespace or _namespace_of(path), kind="FRAGMENT")
    try:
        for name in names:
            library.define(f"{name}(...) -> Any", where=(path, 0))
            implement_symbol(library, f"{library.namespace}::{name}", "any", path, name)
    except BaseException:
        library.close()
        raise
    return library


def _namespace_of(path: str) -> str:
    """Return the namespace of a file of any name; of libraries of ``ge/library.h``, ``geLibraryLoad`` says the same."""
    stem = os.fsencode(os.path.basename(path)).partition(b".")[0].removeprefix(b"lib")
    name = re.sub(rb"[^A-Za-z0-9_]", b"_", stem).decode()
    return name if name and not name[0].isdigit() else f"_{name}"


def _probe(path: str) -> None:
    """Raise OSError when opening a library ends a process."""
    code = "import ctypes, sys; ctypes.CDLL(sys.argv[1], mode=2)"  # RTLD_NOW
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True)
    if done.returncode != 0:
        said = done.stderr.strip().rpartition("\n")[2]
        raise OSError(f"{path} ends the process that opens it (status {done.returncode}): {said}")


def _exports(path: str) -> list[str]:
    """Return the names that an ELF file defines for others, sorted."""
    data = read_file(path)
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError(f"{path} is no 64-bit little-endian ELF file")
    try:
        return _dynamic_symbols(data)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is a damaged ELF file: {error}") from None


def _dynamic_symbols(data: bytes) -> list[str]:
    (offset,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
    names = set()
    for _, kind, _, _, start, length, link, _, _, entry in sections:
        if kind != 11 or entry == 0:  # SHT_DYNSYM
            continue
        strings = sections[link][4]
        for at in range(start, start + length, entry):
            name, info, _, defined = struct.unpack_from("<IBBH", data, at)
            if defined and info >> 4 in (1, 2):  # global or weak
                text = strings + name
                names.add(data[text : data.index(b"\0", text)].decode())
    return sorted(names)
