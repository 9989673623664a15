"""Fail unless the given wheel holds what host-side builds and users rely on, and nothing private."""

import sys
import zipfile

PRESENT = [
    "ge/ir.py",
    "ge/ir.pyi",
    "ge/py.typed",
    "ge/config.py",
    "ge/_mlir_like/_cext_loader.py",
    "ge/_mlir_like/_ge/ir.abi3.so",
    "ge/_mlir_like/_ge/_init.abi3.so",
    "ge/_sdk/bin/ge-opt",
    "ge/_sdk/include/ge-c/Support.h",
    "ge/_sdk/include/ge-c/IR.h",
    "ge/_sdk/include/ge-c/Text.h",
    "ge/_sdk/lib/cmake/GE/GEConfig.cmake",
    "ge/_sdk/lib/cmake/GE/AddGEPython.cmake",
]


def problems(path: str) -> list[str]:
    """Return what is wrong with the wheel, one sentence each."""
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


if __name__ == "__main__":
    complaints = problems(sys.argv[1])
    print("\n".join(complaints) or "ok")
    sys.exit(bool(complaints))
