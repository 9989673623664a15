"""`pip install ge-ir` beside CANN's `ge-py`, which has a regular package `ge`, works as docs/install.md states.

The other wheel is a stand-in with the same file names as CANN's. Promised: GE's modules work in either order of
installation, except those that the other package overwrites; the first native load and `ge doctor` name the other
package and the remedy.
"""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from vendor_wheels import shared_site

pytestmark = pytest.mark.nosan  # runs interpreters without the sanitizer's runtime

STAND_IN = {
    "ge/__init__.py": "THEIRS = True\n",
    "ge/session/__init__.py": "from .session import Session\n",
    "ge/session/session.py": "class Session: ...\n",
    "ge/passes/__init__.py": "THEIRS = True\n",
}


def pack(file: Path, name: str, version: str, files: dict[str, bytes]) -> Path:
    """Write a wheel that contains the files."""
    stem = f"{name.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    wheel = file / f"{stem}-py3-none-any.whl"
    tags = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": tags.encode(),
    }
    record = f"{info}/RECORD,,\n"
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        record += f"{path},sha256={digest},{len(data)}\n"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, data in files.items():
            archive.writestr(path, data)
        archive.writestr(f"{info}/RECORD", record)
    return wheel


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the wheels of `ge-ir` from this build and of the stand-in `ge-py`."""
    site = shared_site(tmp_path_factory)
    # Headers and libraries for compilers are not needed here.
    ours = {
        str(path.relative_to(site)): path.read_bytes()
        for path in sorted((site / "ge").rglob("*"))
        if path.is_file() and "_sdk" not in path.parts
    }
    directory = tmp_path_factory.mktemp("wheels")
    theirs = {path: text.encode() for path, text in STAND_IN.items()}
    return pack(directory, "ge-ir", "0.1.0", ours), pack(directory, "ge-py", "0.0.1", theirs)


def pip(prefix: Path, *words: str | Path) -> None:
    site = prefix / sysconfig.get_path("purelib", vars={"base": ""}).lstrip("/")
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *words]
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


def install(prefix: Path, *wheels: Path) -> Path:
    for wheel in wheels:
        pip(
            prefix,
            "install",
            "--no-deps",
            "--no-compile",
            "--ignore-installed",
            "--prefix",
            prefix,
            wheel,
        )
    (site,) = prefix.glob("lib*/python*/site-packages")
    return site


def python(site: Path, *words: str, status: int = 0) -> str:
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("order", ["ge-py first", "ge-ir first"])
def test_both_in_one_environment(wheels: tuple[Path, Path], tmp_path: Path, order: str) -> None:
    ours_last = order == "ge-py first"
    site = install(tmp_path, *(wheels[::-1] if ours_last else wheels))
    # ge-py makes `ge` a regular package; GE's modules stay importable in it.
    out = python(
        site,
        "-c",
        "import ge, ge.ir, ge.session; print(ge.THEIRS, ge.ir.Graph('g').name, ge.session.Session)",
    )
    # `ge.session` works, too: ge-ir has a module of that name that raises, but a package takes precedence.
    assert "True g <class 'ge.session.session.Session'>" in out
    foreign = site / "ge" / "__init__.py"
    assert f"RuntimeWarning: {foreign} is a regular package named 'ge', of another product" in out
    passes = python(
        site, "-W", "ignore", "-c", "import ge.passes; print(hasattr(ge.passes, 'THEIRS'))"
    )
    assert passes == f"{not ours_last}\n"
    doctor = python(site, "-W", "ignore", "-m", "ge.cli", "doctor", status=1)
    said = "ge-py installs files into the same package 'ge'"
    assert said in doctor and "use an environment for each" in doctor
    assert ("ge/passes/__init__.py is ge-py's" in doctor) != ours_last


def test_what_an_uninstallation_takes_away(wheels: tuple[Path, Path], tmp_path: Path) -> None:
    site = install(tmp_path, *wheels)
    record = site / "ge_py-0.0.1.dist-info" / "RECORD"
    for line in record.read_text().splitlines():  # as pip does it
        (site / line.partition(",")[0]).unlink()
    (site / "ge_py-0.0.1.dist-info").rmdir()
    # The file that both wheels contain is deleted, so `ge.passes` lacks it until GE is installed again.
    out = python(site, "-c", "import ge.passes; print(ge.passes.__file__, ge.passes.__path__)")
    assert out.startswith("None ")
    doctor = python(site, "-m", "ge.cli", "doctor", status=1)
    assert (
        "ge/passes/__init__.py is missing" in doctor
        and "pip install --force-reinstall ge-ir" in doctor
    )
    install(tmp_path, wheels[0])
    python(site, "-m", "ge.cli", "doctor")
