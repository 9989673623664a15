"""Compiles native modules from the sources of the package with ``$CXX``: no CMake is needed.

What is compiled, and how, is in ``_fallback.json``, which the package's build wrote.
"""

import os
import shlex
import shutil
import subprocess
import sysconfig
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any

__all__ = ["Compiler", "backend_of", "build", "find_compiler", "headers", "sources_of"]

# Number of characters of a compiler's output that are shown; the end is seldom the interesting
# part.
_SHOWN = 6000


class Compiler:
    """A compiler of C++ and the flags of the environment.

    Attributes
    ----------
    command : list of str
        ``$CXX``, or the first of the usual names that exists.
    identity : str
        File and version: another compiler makes other modules.
    """

    def __init__(self, command: list[str], identity: str) -> None:
        self.command = command
        self.identity = identity
        self._flags = shlex.split(os.environ.get("CXXFLAGS", ""))
        self._link_flags = shlex.split(os.environ.get("LDFLAGS", ""))
        self.is_clang = "clang" in identity

    @property
    def flags(self) -> list[str]:
        """``$CXXFLAGS`` and ``$LDFLAGS``."""
        return [*self._flags, *self._link_flags]

    def compile(self, jobs: "list[tuple[str, list[str], str]]") -> None:
        """Compile source files, as many at once as there are processors.

        Parameters
        ----------
        jobs : list of tuple
            Source file, flags, object file.
        """
        commands = [
            [*self.command, *flags, *self._flags, "-c", source, "-o", out]
            for source, flags, out in jobs
        ]
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            running = [pool.submit(_run, command) for command in commands]
            try:
                wait(running, return_when=FIRST_EXCEPTION)
            finally:
                for each in running:
                    each.cancel()
        for each in running:
            if not each.cancelled():
                each.result()

    def link(self, objects: list[str], flags: list[str], out: str) -> None:
        """Link a shared library."""
        _run([*self.command, "-shared", *objects, *flags, *self._link_flags, "-o", out])


def find_compiler() -> Compiler:
    """Return the compiler to use.

    Raises
    ------
    ImportError
        If there is none.
    """
    chosen = os.environ.get("CXX", "")
    command = shlex.split(chosen)
    if not command:
        found = next(
            (path for name in ("c++", "g++", "clang++") if (path := shutil.which(name))), ""
        )
        if not found:
            raise ImportError("there is no C++ compiler: install g++ or clang++, or set $CXX")
        command = [found]
    program = shutil.which(command[0])
    if program is None:
        raise ImportError(f"$CXX names a compiler that does not exist: {command[0]}")
    version = _run([*command, "--version"]).partition("\n")[0]
    return Compiler(command, f"{os.path.realpath(program)} {shlex.join(command[1:])} {version}")


def headers() -> str:
    """Return the directory of ``Python.h``.

    Raises
    ------
    ImportError
        If this Python has none.
    """
    directory = sysconfig.get_path("include")
    if not os.path.isfile(os.path.join(directory, "Python.h")):
        minor = sysconfig.get_python_version()
        raise ImportError(
            f"{directory} has no Python.h: install python{minor}-dev (Debian, Ubuntu) or "
            f"python{minor}-devel (Fedora)"
        )
    return directory


def sources_of(manifest: "dict[str, Any]", part: str) -> list[str]:
    """Return the source files of a part, relative to the sources.

    Parameters
    ----------
    manifest : dict
    part : str
        ``"library"``, ``"bridge"`` or the name of a module.
    """
    entry = manifest[part] if part in ("library", "bridge") else manifest["modules"][part]
    return list(entry["sources"])


def build(
    manifest: "dict[str, Any]",
    parts: list[str],
    compiler: Compiler,
    directory: str,
    library: str,
) -> list[str]:
    """Build parts into a directory.

    Parameters
    ----------
    manifest : dict
        Of ``_fallback.json``, with absolute paths.
    parts : list of str
        ``"library"``, ``"bridge"``, ``"backend"`` and names of modules.
    compiler : Compiler
    directory : str
        Gets the files; what is in between is removed.
    library : str
        The C library to link when it is not among the parts.

    Returns
    -------
    list of str
        Names of the files.
    """
    root, nanobind = manifest["root"], manifest["nanobind"]
    work = os.path.join(directory, "objects")
    os.mkdir(work)
    library_file = manifest["library"]["file"]
    include = ["-I" + os.path.join(root, "include")]
    robin_map = ["-isystem", os.path.join(nanobind, "ext/robin_map/include")]
    jobs: list[tuple[str, list[str], str]] = []
    objects: dict[str, list[str]] = {}

    def add(part: str, sources: list[str], flags: list[str]) -> None:
        for i, source in enumerate(sources):
            out = os.path.join(work, f"{part}.{i}.o")
            objects.setdefault(part, []).append(out)
            jobs.append((source, flags, out))

    for part in parts:
        flags = [*manifest["flags"], f"-ffile-prefix-map={root}=."]
        if part == "backend":
            flags += ["-fno-strict-aliasing", "-fno-stack-protector", "-DNB_BUILD"]
            flags += [f"-DNB_BACKEND_NAME={backend_of(manifest)}", "-isystem", headers()]
            flags += ["-I" + os.path.join(nanobind, "include"), *robin_map]
            names = ("nb_backend.cpp", "nb_combined.cpp")
            add(part, [os.path.join(nanobind, "src", name) for name in names], flags)
            continue
        if part == "library":
            for name, source in manifest["library"]["literals"].items():
                with open(os.path.join(root, source), encoding="utf-8") as file:
                    text = file.read()
                with open(os.path.join(work, name), "w", encoding="utf-8") as file:
                    file.write(f'R"ge~({text})ge~"\n')
            flags += [*include, *robin_map, "-I" + work, "-fvisibility-inlines-hidden"]
            flags += ["-DGE_C_API_BUILD", f'-DGE_VERSION_STRING="{manifest["version"]}"']
        elif part == "bridge":
            flags += [*include, f'-DGE_PYTHON_PACKAGE="{manifest["package"]}"']
            flags += [] if compiler.is_clang else ["-fno-gnu-unique"]
        else:
            package = manifest["package"]
            flags += [*include, "-isystem", headers(), "-isystem"]
            flags += [os.path.join(nanobind, "include"), "-fno-stack-protector"]
            flags += [
                f'-DGE_PYTHON_PACKAGE="{package}"',
                f'-DGE_PYTHON_PREFIX="{package}._mlir_like"',
                f'-DGE_PYTHON_PUBLIC_MODULE="{package}.{manifest["modules"][part]["home"]}"',
                "-DNB_BACKEND_MODULE=nanobind_backend",
                "-DNB_BACKEND_PYPI=nanobind-backend",
                f"-DNB_DOMAIN={manifest['domain']}",
                "-DPy_LIMITED_API=0x30a0000",
            ]
        add(part, [os.path.join(root, s) for s in sources_of(manifest, part)], flags)
    compiler.compile(jobs)

    made = []
    if "library" in parts:
        script = os.path.join(root, manifest["library"]["script"])
        flags = [f"-Wl,--version-script={script}", "-Wl,-Bsymbolic-functions", "-Wl,--no-undefined"]
        flags += [f"-Wl,-soname,{library_file}", "-pthread", "-ldl"]
        library = os.path.join(directory, library_file)
        compiler.link(objects["library"], flags, library)
        made.append(library_file)
    # Looked up beside the module, then where the package has it.
    places = ["-Wl,-rpath,$ORIGIN", f"-Wl,-rpath,{os.path.dirname(library)}"]
    for part in parts:
        if part == "library":
            continue
        if part == "backend":
            name, flags = backend_of(manifest) + sysconfig.get_config_var("EXT_SUFFIX"), []
        elif part == "bridge":
            name, flags = manifest["bridge"]["file"], [library, "-ldl", *places]
        else:
            name, flags = f"{part}.abi3.so", ["-Wl,--no-as-needed", library, "-lc", *places]
        compiler.link(objects[part], flags, os.path.join(directory, name))
        made.append(name)
    shutil.rmtree(work)
    return made


def backend_of(manifest: "dict[str, Any]") -> str:
    """Return the name of the module that serves the ABI which modules are compiled for."""
    path = os.path.join(manifest["nanobind"], "include/nanobind/nb_backend.h")
    with open(path, encoding="utf-8") as file:
        line = next(line for line in file if line.startswith("#define NB_BACKEND_ABI_MAJOR"))
    return f"_nb_backend_v{line.split()[2]}"


def _run(command: list[str]) -> str:
    """Run a command; return what it printed.

    Raises
    ------
    ImportError
        With the command and what it printed, if it fails.
    """
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except OSError as error:
        raise ImportError(f"{shlex.join(command[:1])} cannot be run: {error}") from error
    if done.returncode:
        output = done.stdout.strip()
        if len(output) > _SHOWN:
            output = output[:_SHOWN] + "\n..."
        how = f"status {done.returncode}" if done.returncode > 0 else f"signal {-done.returncode}"
        raise ImportError(f"the compiler failed ({how}):\n{shlex.join(command)}\n{output}")
    return done.stdout
