"""Plugins and kernel libraries that tests compile."""

import fcntl
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from places import SUPPORT

__all__ = ["INCLUDE", "compile_library", "plain_environment", "stubs"]

ROOT = SUPPORT.parents[2]
INCLUDE = ROOT / "include"


def plain_environment() -> dict[str, str]:
    """Return the environment without a sanitizer's run time, with which a compiler takes twice as long."""
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
    """Compile a shared library that links nothing of GE but, with `link`, the stubs."""
    cpp = any(source.suffix == ".cpp" for source in sources)
    command = ["c++", "-std=c++20", "-fno-gnu-unique"] if cpp else ["cc", "-std=c17"]
    command += ["-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{include}", *flags]
    objects = [*map(str, sources), *([str(stubs())] if link else [])]
    folder = os.environ.get("GE_TEST_LIBRARIES")
    if folder and all(source.is_relative_to(ROOT) for source in sources):
        # Several modules and processes of one run want these. -O1: the compiler sees more of what it warns about.
        shutil.copyfile(_compiled_once(Path(folder), [*command, "-O1"], objects), out)
    else:
        subprocess.run(
            [*command, "-O0", "-o", str(out), *objects], check=True, env=plain_environment()
        )
    out.chmod(0o755)
    return out


def _compiled_once(folder: Path, command: list[str], objects: list[str]) -> Path:
    """Return the library of this command, which the first caller of a test run compiles."""
    key = hashlib.sha256("\0".join([*command, *objects]).encode()).hexdigest()[:16]
    library = folder / f"{key}.so"
    with (folder / f"{key}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not library.exists():
            unfinished = folder / f"{key}.unfinished"
            subprocess.run(
                [*command, "-o", str(unfinished), *objects], check=True, env=plain_environment()
            )
            unfinished.rename(library)
    return library
