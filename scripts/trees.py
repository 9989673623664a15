"""Configure and build one of the build trees: ``trees.py release|bench|asan|tsan|wheel|test-wheel``.

All trees are incremental and lie under build/. The wheel has a tree of its own: its C library carries
another build id, and one directory must not hold two libraries for the same modules. ``test-wheel`` is the wheel without
link-time optimisation, linked from the objects of ``release``, which must be built: seconds where ``wheel`` takes minutes.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["BUILD", "ROOT", "build", "commands"]

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
# Tools of the environment that runs the scripts come first, also when it was not activated.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

# These trees are built whole, by two compilers or so at a time: memory is exchanged for time.
HEAP = "-DGE_COMPILER_HEAP=512"
UNITY = "-DGE_UNITY_BUILD=ON"
OPTIONS = {
    # Without link-time optimisation: an edit of one file is tested after a link of a second, not of a minute.
    "release": [
        "-DCMAKE_BUILD_TYPE=Release",
        "-DGE_LTO=OFF",
        HEAP,
        # CI compiles the tree once, so the time of an incremental build does not matter.
        *([UNITY] if os.environ.get("CI") else []),
        "-DCMAKE_C_FLAGS_RELEASE=-O2 -DNDEBUG",
        "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG",
    ],
    # Optimised as the wheel is.
    "bench": ["-DCMAKE_BUILD_TYPE=Release", "-DGE_TESTS=OFF"],
    "asan": ["-DGE_SANITIZER=address", HEAP, UNITY, "-DGE_PYTHON_STUBS=OFF"],
    "tsan": ["-DGE_SANITIZER=thread", HEAP, UNITY, "-DGE_PYTHON_STUBS=OFF"],
}
# CI compiles each file once, and faster with the precompiled headers that ccache does not keep.
if shutil.which("ccache") and not os.environ.get("CI"):
    for name, value in {
        "CMAKE_C_COMPILER_LAUNCHER": "ccache",
        "CMAKE_CXX_COMPILER_LAUNCHER": "ccache",
        "CCACHE_SLOPPINESS": "pch_defines,time_macros",
    }.items():
        os.environ.setdefault(name, value)
WHEELS = {
    "wheel": [],
    "test-wheel": [f"GE_PREBUILT_OBJECTS={BUILD / 'release'}", "GE_LTO=OFF"],
}


def commands(tree: str) -> list[list[str]]:
    """Return the commands that bring `tree` up to date."""
    if tree in WHEELS:
        for old in (BUILD / tree).glob("*.whl"):
            old.unlink()
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
        flags = ["--no-build-isolation", "--no-deps", f"-Cbuild-dir=build/{tree}-tree"]
        flags += [f"-Ccmake.define.{option}" for option in WHEELS[tree]]
        return [[*pip, *flags, "--wheel-dir", str(BUILD / tree), str(ROOT)]]
    directory = str(BUILD / tree)
    python = f"-DPython_EXECUTABLE={sys.executable}"
    configure = ["cmake", "-G", "Ninja", "-S", str(ROOT), "-B", directory, python, *OPTIONS[tree]]
    jobs = str(os.cpu_count() or 1)
    return [configure, ["cmake", "--build", directory, "--parallel", jobs]]


def build(tree: str) -> int:
    """Build `tree` and return the exit status of the first command that failed, or 0."""
    for command in commands(tree):
        status = subprocess.run(command, cwd=ROOT, check=False).returncode
        if status:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(build(sys.argv[1]))
