"""Wheels of the vendor examples, built with pip and installed beside this package.

Wheels that need a compiler are built once for all processes of a test run, and kept in $GE_VENDOR_WHEELS if it is set:
the suite of interpreters installs them from there.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ge.ir

__all__ = ["CMAKE", "EXAMPLES", "TREE", "install", "run", "shared_site", "wheel"]

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "vendors"
# The directory that `ge` is imported from: an installed package or a build tree.
GE_SITE = Path(ge.ir.__file__).parents[2]
TREE = Path(os.environ.get("GE_BUILD_DIR") or "nowhere")
# Vendor builds are not optimised and, in the short run, use the object files of this tree; `make test-long` compiles
# the core for each vendor, as vendors do.
OPTIONS = {
    **({} if os.environ.get("GE_TEST_LONG") else {"GE_PREBUILT_OBJECTS": str(TREE)}),
    "CMAKE_CXX_FLAGS_RELEASE": "-O0",
    "CMAKE_CXX_COMPILER_LAUNCHER": "",
    "GE_PYTHON_STUBS": "OFF",
}
_PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]


# The CMake of the Python environment: the system's may be too old.
CMAKE = (
    shutil.which("cmake", path=f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}") or "cmake"
)


def _checked(command: list[str], site: list[Path]) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, site))}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]
    return done.stdout


def wheel(name: str, into: Path, site: list[Path] | None = None, *options: str) -> Path:
    """Return the wheel of an example, built in this environment without a download."""
    flags = ["wheel", "--quiet", "--no-build-isolation", "--no-deps", "--wheel-dir", str(into)]
    _checked([*_PIP, *flags, *options, str(EXAMPLES / name)], site or [GE_SITE])
    (file,) = into.glob("*.whl")
    return file


def install(file: Path, site: Path) -> None:
    """Install a wheel into a directory."""
    flags = ["install", "--quiet", "--no-deps", "--no-compile", "--target", str(site)]
    _checked([*_PIP, *flags, str(file)], [])


def run(
    source: str,
    *site: Path,
    status: int = 0,
    arguments: list[str] | None = None,
    **environment: str,
) -> str:
    """Return the output of a script in a process that finds `ge` and the sites, with stderr if `status` is not 0."""
    command = [sys.executable, "-W", "error", *(arguments or ["-c", source])]
    has_ge = any((each / "ge" / "ir").is_dir() for each in site)
    path = os.pathsep.join(map(str, [*([] if has_ge else [GE_SITE]), *site]))
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path, **environment},
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + (done.stderr if status else "")


def _installed(site: Path) -> None:
    """Install this package and the thin vendor."""
    command = [CMAKE, "--install", str(TREE), "--component", "GEPython", "--prefix", str(site)]
    subprocess.run(command, check=True, capture_output=True)
    _add("thin", site, [site])


def _add(name: str, site: Path, path: list[Path], *options: str) -> None:
    built = wheel(name, site.with_name(f"{site.name}-{name}"), path, *options)
    install(built, site)
    if keep := os.environ.get("GE_VENDOR_WHEELS"):
        Path(keep).mkdir(parents=True, exist_ok=True)
        # Renamed into place, because another process may read it.
        shutil.copy(built, Path(keep) / f"{built.name}.part")
        (Path(keep) / f"{built.name}.part").rename(Path(keep) / built.name)


def shared_site(factory: pytest.TempPathFactory, name: str = "") -> Path:
    """Return a directory with the installed example of that name; without a name, with `ge` and ``thin-ge``.

    Skips the test if there is no build tree. All workers of pytest-xdist share the directory.
    """
    if not (TREE / "build.ninja").exists():
        pytest.skip("needs the build tree (GE_BUILD_DIR)")
    root = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent
    base = shared_site(factory) if name else None
    site = root / f"site-{name or 'ge'}"
    with open(root / f"{site.name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (root / f"{site.name}.ready").exists():
            if base is None:
                _installed(site)
            else:
                defines = [f"-Ccmake.define.{key}={value}" for key, value in OPTIONS.items()]
                _add(name, site, [base], *defines)
            (root / f"{site.name}.ready").touch()
    return site
