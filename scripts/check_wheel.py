"""Check that a wheel contains the files that host-side builds and users rely on, and no private ones.

With ``--repair DIRECTORY``, also check that auditwheel can produce a wheel that a package index accepts: a copy with the
manylinux tag that its symbols allow, without grafted libraries.
"""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

PRESENT = [
    "ge/ir/__init__.py",
    "ge/ir/__init__.pyi",
    "ge/ops/__init__.pyi",
    "ge/py.typed",
    "ge/config.py",
    "ge/_mlir_like/_cext_loader.py",
    "ge/_mlir_like/_fallback.json",
    "ge/_mlir_like/_ge/ir.abi3.so",
    "ge/_mlir_like/_ge/_init.abi3.so",
    "ge/_mlir_like/_ge/libge_python_bridge.so",
    "ge/_sdk/bin/ge-atc",
    "ge/_sdk/bin/ge-opt",
    "ge/_sdk/include/ge-c/Support.h",
    "ge/_sdk/include/ge-c/IR.h",
    "ge/_sdk/include/ge-c/Text.h",
    "ge/_sdk/include/ge-c/Api.h",
    "ge/_sdk/include/ge-c/Plugin.hpp",
    "ge/_sdk/include/ge-c/api.txt",
    "ge/_sdk/include/ge/library.h",
    "ge/_sdk/include/ge/library/Library.h",
    "ge/_sdk/include/ge-torch/torch/library.h",
    "ge/_sdk/include/ge-torch/torch/csrc/stable/library.h",
    "ge/_sdk/include/ge-python/interop.h",
    "ge/_sdk/include/ge-python/nanobind.h",
    "ge/_sdk/lib/cmake/GE/GEConfig.cmake",
    "ge/_sdk/lib/cmake/GE/AddGEPython.cmake",
    "ge/_sdk/lib/libGEStubs.a",
    "ge/_sdk/src/lib/CAPI/exports.map",
    "ge/_sdk/src/nanobind/LICENSE",
    "ge/_sdk/src/nanobind/src/nb_backend.cpp",
]


def problems(path: str) -> list[str]:
    """Return the defects of the wheel, one sentence each."""
    with zipfile.ZipFile(path) as wheel:
        names = set(wheel.namelist())
        modes = {entry.filename: entry.external_attr >> 16 for entry in wheel.infolist()}
    found = [f"{name} is missing" for name in PRESENT if name not in names]
    if "ge/__init__.py" in names:
        found.append("ge/__init__.py: 'ge' is a namespace package")
    libraries = [n for n in names if n.startswith("ge/_mlir_like/_ge/libGE-")]
    if len(libraries) != 1:
        found.append(f"one C library expected, there are {libraries}")
    elif "libGE-dev" in libraries[0]:
        found.append(f"{libraries[0]}: the build id is that of a developer's tree")
    if "ge/_sdk/bin/ge-opt" in names and not modes["ge/_sdk/bin/ge-opt"] & 0o100:
        found.append("ge/_sdk/bin/ge-opt cannot be executed")
    return found


def repair(path: str, into: str) -> list[str]:
    """Write the wheel that auditwheel repairs into the directory `into`; return the defects found.

    The tag depends on the C library of this machine: released wheels are built in manylinux_2_28 by cibuildwheel.
    """
    for old in Path(into).glob("*.whl"):
        old.unlink()
    command = [sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", into, path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    repaired = list(Path(into).glob("*.whl"))
    if done.returncode or len(repaired) != 1:
        return [f"auditwheel repair: {done.stderr.strip()[-2000:]}"]
    name = repaired[0].name
    if not re.search(r"-cp310-abi3-manylinux_2_\d+_\w+\.whl$", name):
        return [f"{name}: no tag of manylinux_2_N"]
    with zipfile.ZipFile(repaired[0]) as wheel:
        grafted = [n for n in wheel.namelist() if ".libs/" in n]
    return [f"{name}: holds libraries of this machine: {grafted}"] if grafted else []


if __name__ == "__main__":
    complaints = problems(sys.argv[1])
    if "--repair" in sys.argv:
        complaints += repair(sys.argv[1], sys.argv[sys.argv.index("--repair") + 1])
    print("\n".join(complaints) or "ok")
    sys.exit(bool(complaints))
