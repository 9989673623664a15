"""Plugins and kernel libraries that tests compile."""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

from places import SUPPORT

__all__ = ["INCLUDE", "compile_library", "plain_environment", "stubs"]

ROOT = SUPPORT.parents[2]
INCLUDE = ROOT / "include"
# Headers that many small test sources include first, with their include directories.
PRECOMPILED = {"ge/library.h": INCLUDE, "torch/library.h": INCLUDE / "ge-torch"}


def plain_environment() -> dict[str, str]:
    """Return the environment without a sanitizer's runtime, which makes a compiler twice as slow."""
    return {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}


def stubs() -> Path:
    """Return the static library GE::Stubs of the build."""
    return next(Path(os.environ["GE_BUILD_DIR"]).rglob("libGEStubs.a"))


def compile_library(
    out: Path,
    *sources: Path,
    flags: "tuple[str, ...]" = (),
    include: Path = INCLUDE,
    link: bool = True,
) -> Path:
    """Compile a shared library that does not link against GE, except, with `link`, the stubs."""
    cpp = any(source.suffix == ".cpp" for source in sources)
    command = ["c++", "-std=c++20", "-fno-gnu-unique"] if cpp else ["cc", "-std=c17"]
    command += ["-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{include}", *flags]
    objects = [*map(str, sources), *([str(stubs())] if link else [])]
    folder = os.environ.get("GE_TEST_LIBRARIES")
    if folder and all(source.is_relative_to(ROOT) for source in sources):
        # Several modules and processes of one run use these. -O1 enables more of the compiler's warnings.
        shutil.copyfile(_compiled_once(Path(folder), [*command, "-O1"], objects), out)
    else:
        command.append("-O0")
        if folder and cpp and include == INCLUDE and len(sources) == 1:
            command[1:1] = _precompiled(Path(folder), command, sources[0])
        subprocess.run([*command, "-o", str(out), *objects], check=True, env=plain_environment())
    out.chmod(0o755)
    return out


def _compiled_once(folder: Path, command: list[str], objects: list[str]) -> Path:
    """Return the library that the command compiles; only the first caller of a test run compiles it."""
    return _made_once(folder / f"{_key(command, objects)}.so", [*command, *objects])


def _precompiled(folder: Path, command: list[str], source: Path) -> list[str]:
    """Return flags that use the first header precompiled; parsing it takes two thirds of the time of a small source."""
    first = re.match(r"""\s*#include [<"]([^>"]+)""", source.read_text())
    if first is None or first[1] not in PRECOMPILED:
        return []
    header = PRECOMPILED[first[1]] / first[1]
    home = folder / _key(command, [str(header)])
    made = home / f"{first[1]}.gch"
    made.parent.mkdir(parents=True, exist_ok=True)
    _made_once(made, [*command, "-x", "c++-header", str(header)])
    return [f"-I{home}"]


def _key(*commands: list[str]) -> str:
    return hashlib.sha256("\0".join(sum(commands, [])).encode()).hexdigest()[:16]


def _made_once(file: Path, command: list[str]) -> Path:
    """Return the file that the command writes; only the first caller of a test run runs it."""
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.exists():
            unfinished = file.with_suffix(".unfinished")
            subprocess.run([*command, "-o", str(unfinished)], check=True, env=plain_environment())
            unfinished.rename(file)
    return file
