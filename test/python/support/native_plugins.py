"""Plugins and kernel libraries that tests compile."""

import os
import subprocess
from pathlib import Path

from places import SUPPORT

__all__ = ["INCLUDE", "compile_library", "plain_environment", "stubs"]

INCLUDE = SUPPORT.parents[2] / "include"


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
    command += ["-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", f"-I{include}", *flags]
    command += ["-o", str(out), *map(str, sources)]
    if link:
        command.append(str(stubs()))
    subprocess.run(command, check=True, env=plain_environment())
    out.chmod(0o755)
    return out
