"""Fallback build: missing native modules are built from the package's sources into the user's cache.

Off unless ``$GE_NATIVE_FALLBACK`` is 1 (of a vendor's package: the variable of its name). An entry of the cache is a
directory whose name has the key: version of Python, platform, C ABI, compiler and a hash of the sources. It is built
in a temporary directory, under a lock, and renamed into place with a list of checksums, which are compared before
anything of it is loaded.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import stat
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from . import _fallback_build

__all__ = ["cache_directory", "complete", "entries", "has_sources"]

_prefix = __name__.rpartition(".")[0]
_package = _prefix.rpartition(".")[0]
_CACHE_VARIABLE = _package.partition(".")[0].upper() + "_NATIVE_CACHE"
_MANIFEST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_fallback.json")
_LIST = "files.json"
_LOCK = "lock"
_TEMPORARY = ".build-"
_MONTH, _DAY = 30 * 86400, 86400


def has_sources() -> bool:
    """Whether the package can build its modules."""
    return os.path.isfile(_MANIFEST)


def cache_directory() -> str:
    """Return the cache directory: ``$GE_NATIVE_CACHE``, else one in the user's cache."""
    chosen = os.environ.get(_CACHE_VARIABLE)
    if chosen:
        return os.path.abspath(chosen)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(home, f"{_package}-native")


def complete(directory: str, manifest_file: str = _MANIFEST) -> list[str]:
    """Build the missing native modules; return the directories that contain all of them.

    Parameters
    ----------
    directory : str
        Of the package.
    manifest_file : str
        What can be built, as the build of the package wrote it.

    Returns
    -------
    list of str
        The entry of the cache, if one is needed, before the package's directory.

    Raises
    ------
    ImportError
        If something is missing and cannot be built; the message has the compiler's output.
    """
    if not os.path.isfile(manifest_file):
        raise ImportError(f"the package '{_package}' has no sources to build native modules from")
    manifest = _read(manifest_file)
    parts = _missing(manifest, directory)
    if not parts:
        return [directory]
    compiler = _fallback_build.find_compiler()
    library = os.path.join(os.path.realpath(directory), manifest["library"]["file"])
    facts = _facts(manifest, parts, compiler, library)
    key = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:20]
    cache = cache_directory()
    entry = os.path.join(cache, f"{facts['python']}-{key}")
    # Look without the lock first: a cache that is not writable may be readable.
    if not _is_good(entry, facts):
        try:
            _build(cache, entry, manifest, parts, compiler, library, facts)
        except OSError as error:
            raise ImportError(
                f"native modules cannot be built in {cache}: {error}; set ${_CACHE_VARIABLE} to a directory "
                "that can be written and has room"
            ) from error
    with contextlib.suppress(OSError):
        os.utime(os.path.join(entry, _LIST))  # used: not stale
    if "backend" in parts:
        _provide_backend(entry)
    return [entry, directory]


def entries() -> "list[dict[str, Any]]":
    """Return the entries of the cache: path, files, bytes, and whether the checksums still match."""
    cache = cache_directory()
    found = []
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(cache)):
            path = os.path.join(cache, name)
            if name.startswith("cp") and os.path.isdir(path):
                good = _is_good(path)
                files = sorted(set(os.listdir(path)) - {_LIST})
                size = sum(os.path.getsize(os.path.join(path, file)) for file in files)
                found.append({"path": path, "files": files, "bytes": size, "good": good})
    return found


def _read(manifest_file: str) -> "dict[str, Any]":
    with open(manifest_file, encoding="utf-8") as file:
        manifest: dict[str, Any] = json.load(file)
    base = os.path.dirname(os.path.abspath(manifest_file))
    for name in ("root", "nanobind"):
        manifest[name] = os.path.normpath(os.path.join(base, manifest[name]))
        if not os.path.isdir(manifest[name]):
            raise ImportError(
                f"there are no sources to build native modules from in {manifest[name]}"
            )
    return manifest


def _missing(manifest: "dict[str, Any]", directory: str) -> list[str]:
    """Return the parts that the package has no file of for this machine."""
    parts = []
    if not _fits(os.path.join(directory, manifest["library"]["file"])):
        parts += ["library", "bridge"]
    parts += [m for m in manifest["modules"] if not _fits(os.path.join(directory, f"{m}.abi3.so"))]
    if parts and not _has_backend(manifest):
        parts.append("backend")
    return parts


def _has_backend(manifest: "dict[str, Any]") -> bool:
    try:
        __import__(f"nanobind_backend.{_fallback_build.backend_of(manifest)}")
    except ImportError:
        return False
    return True


def _fits(path: str) -> bool:
    """Whether a file is a library of the machine that this interpreter is a program of."""
    try:
        with open(path, "rb") as file, open(sys.executable or "/proc/self/exe", "rb") as own:
            head, ours = file.read(20), own.read(20)
    except OSError:
        return False
    # Class, byte order and machine.
    return head[:4] == b"\x7fELF" and (head[4:6], head[18:]) == (ours[4:6], ours[18:])


def _facts(
    manifest: "dict[str, Any]", parts: list[str], compiler: _fallback_build.Compiler, library: str
) -> "dict[str, Any]":
    """Return everything that determines the result of a build."""
    linked = None
    if "library" not in parts:
        with open(library, "rb") as file:
            linked = [library, hashlib.sha256(file.read()).hexdigest()]
    return {
        "package": manifest["package"],
        "python": f"cp{sys.version_info[0]}{sys.version_info[1]}",
        "platform": sysconfig.get_platform(),
        "abi": manifest["abi"],
        "compiler": compiler.identity,
        "flags": compiler.flags,
        "parts": parts,
        "library": linked,
        "sources": _hash_of_sources(manifest, parts),
    }


def _hash_of_sources(manifest: "dict[str, Any]", parts: list[str]) -> str:
    root = manifest["root"]
    digest = hashlib.sha256(json.dumps(manifest, sort_keys=True).encode())
    files = {
        os.path.join(root, source)
        for part in parts
        if part != "backend"
        for source in _fallback_build.sources_of(manifest, part)
    }
    files |= {os.path.join(root, s) for s in manifest["library"]["literals"].values()}
    files.add(os.path.join(root, manifest["library"]["script"]))
    # All headers, because any of them may be included; they are few.
    for top in (os.path.join(root, "include"), os.path.join(root, "lib"), manifest["nanobind"]):
        for place, directories, names in os.walk(top):
            directories.sort()
            files.update(os.path.join(place, n) for n in names if n.endswith((".h", ".inc")))
    for path in sorted(files):
        with open(path, "rb") as file:
            digest.update(f"{os.path.relpath(path, root)}\0".encode())
            digest.update(hashlib.sha256(file.read()).digest())
    return digest.hexdigest()


def _is_good(entry: str, facts: "dict[str, Any] | None" = None) -> bool:
    """Whether an entry is unchanged since it was built, of `facts`, and no other user can have written to it.

    Raises
    ------
    ImportError
        If another user can write to it.
    """
    try:
        with open(os.path.join(entry, _LIST), encoding="utf-8") as file:
            listing = json.load(file)
        listed = listing["files"]
        # The name of an entry is a part of a hash.
        if facts is not None and listing["of"] != json.loads(json.dumps(facts)):
            return False
        for path in (
            os.path.dirname(entry),
            entry,
            *(os.path.join(entry, name) for name in listed),
        ):
            _check_owner(path)
        for name, checksum in listed.items():
            with open(os.path.join(entry, name), "rb") as data:
                if hashlib.sha256(data.read()).hexdigest() != checksum:
                    return False
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
    return True


def _check_owner(path: str) -> None:
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise ImportError(
            f"{path} is not the user's alone, and nothing is loaded from it: remove it (or: chmod go-w), or set "
            f"${_CACHE_VARIABLE} to another directory"
        )


@contextlib.contextmanager
def _locked(cache: str) -> Iterator[None]:
    """Serialise builds over all processes; the waiting ones find the result."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(os.path.join(cache, _LOCK), flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _build(
    cache: str,
    entry: str,
    manifest: "dict[str, Any]",
    parts: list[str],
    compiler: _fallback_build.Compiler,
    library: str,
    facts: "dict[str, Any]",
) -> None:
    os.makedirs(cache, mode=0o700, exist_ok=True)
    _check_owner(cache)
    with _locked(cache):
        if _is_good(entry, facts):
            return  # another process was faster
        if os.path.lexists(entry):
            _remove(entry)
        place = tempfile.mkdtemp(prefix=_TEMPORARY, dir=cache)
        try:
            made = _fallback_build.build(manifest, parts, compiler, place, library)
            files = {}
            for name in made:
                path = os.path.join(place, name)
                os.chmod(path, 0o700)
                with open(path, "rb") as file:
                    files[name] = hashlib.sha256(file.read()).hexdigest()
                    os.fsync(file.fileno())
            text = json.dumps(
                {"files": files, "of": facts, "for": os.path.dirname(library)}, indent=1
            )
            with open(os.path.join(place, _LIST), "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            if _hash_of_sources(manifest, parts) != facts["sources"]:
                raise ImportError("the sources changed while native modules were built from them")
            os.rename(place, entry)
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise
        _prune(cache, entry, facts, os.path.dirname(library))


def _prune(cache: str, current: str, facts: "dict[str, Any]", directory: str) -> None:
    """Remove stale entries: of other sources of the same package and Python, unused for a month, or incomplete.

    A library that a process has mapped stays mapped.
    """
    now = time.time()
    for name in os.listdir(cache):
        path = os.path.join(cache, name)
        with contextlib.suppress(OSError, ValueError, KeyError):
            if name.startswith(_TEMPORARY):
                if now - os.lstat(path).st_mtime > _DAY:  # its process died: we have the lock
                    _remove(path)
            elif name.startswith("cp") and path != current:
                listing = os.path.join(path, _LIST)
                is_old = now - os.stat(listing).st_mtime > _MONTH
                with open(listing, encoding="utf-8") as file:
                    other = json.load(file)
                same = other["for"] == directory and all(
                    other["of"][fact] == facts[fact]
                    for fact in ("python", "platform", "parts", "compiler")
                )
                if is_old or same:
                    _remove(path)


def _remove(path: str) -> None:
    """Remove an entry by renaming it first, so that no partial entry is visible."""
    if os.path.islink(path) or not os.path.isdir(path):
        os.unlink(path)
        return
    away = tempfile.mkdtemp(prefix=_TEMPORARY, dir=os.path.dirname(path))
    os.rename(path, os.path.join(away, "old"))
    shutil.rmtree(away, ignore_errors=True)


def _provide_backend(entry: str) -> None:
    """Make the backend that was built importable under the name that the modules import."""
    import importlib.util

    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    name = next(n for n in os.listdir(entry) if n.startswith("_nb_backend_") and n.endswith(suffix))
    spec = importlib.util.spec_from_file_location(
        name.removesuffix(suffix), os.path.join(entry, name)
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{entry}: {name} is not a module")
    backend = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(backend)
    package = type(sys)(
        "nanobind_backend", "Built with GE: this interpreter has no nanobind-backend."
    )
    vars(package)["fill"] = backend.fill
    vars(package)["__path__"] = []
    sys.modules["nanobind_backend"] = package
