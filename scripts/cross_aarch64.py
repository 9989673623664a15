"""Build the wheel for aarch64 on another machine, and run the smoke tests under user-mode emulation.

Needs Debian's packages g++-aarch64-linux-gnu and qemu-user-static (scripts/ci-packages-long.txt). CPython for arm64 and its
headers are unpacked into a directory: no arm64 package is installed, and no binfmt handler is needed. Run-time
dependencies are wheels for the platform from the package index. Stubs come from a native build, ``--stubs DIRECTORY``.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "aarch64"
PYTHON = "3.11"
# The interpreter, and the libraries that it and the wheel's dependencies link to.
PACKAGES = f"""
    libpython{PYTHON}-minimal libpython{PYTHON}-stdlib libpython{PYTHON}-dev python{PYTHON}-minimal
    libc6 libgcc-s1 libstdc++6 zlib1g libexpat1 libffi8 libbz2-1.0 liblzma5 libssl3 libuuid1 libcrypt1
    libnsl2 libtirpc3 libsqlite3-0 libreadline8 libtinfo6 libdb5.3 libgomp1
""".split()
# The minor version of Debian's libc6, which decides which manylinux wheels can be loaded.
GLIBC_MINOR = 36
QEMU = "qemu-aarch64-static"


def run(*command: object, **environment: str) -> None:
    words = [str(word) for word in command]
    print("$", " ".join(words), flush=True)
    subprocess.run(words, check=True, cwd=ROOT, env={**os.environ, **environment})


def sysroot() -> Path:
    """Return a directory with CPython for arm64, its headers and libraries, from Debian's packages."""
    root = BUILD / "sysroot"
    if (root / "ready").exists():
        return root
    debs, state = BUILD / "debs", BUILD / "apt"
    for directory in (debs, state / "lists/partial", state / "cache/archives/partial"):
        directory.mkdir(parents=True, exist_ok=True)
    # A separate apt state: the machine's own is not changed.
    (state / "status").touch()
    options = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "Dir::State": state,
        "Dir::State::status": state / "status",
        "Dir::Cache": state / "cache",
        "APT::Sandbox::User": "root",
    }
    apt = ["apt-get", "-qq", *[w for k, v in options.items() for w in ("-o", f"{k}={v}")]]
    run(*apt, "update")
    subprocess.run([*map(str, apt), "download", *PACKAGES], check=True, cwd=debs)
    shutil.rmtree(root, ignore_errors=True)
    for deb in sorted(debs.glob("*.deb")):
        run("dpkg", "-x", deb, root)
    (root / "ready").touch()
    return root


def wheel(root: Path, stubs: Path, optimization: str = "-O1 -DNDEBUG") -> Path:
    """Cross-build the wheel; return its file."""
    defines = {
        "CMAKE_TOOLCHAIN_FILE": ROOT / "cmake" / "aarch64-linux-gnu.cmake",
        "GE_PYTHON_STUBS": "ON",
        "GE_PYTHON_STUBS_FROM": stubs.resolve(),
        # This wheel is only tested: cibuildwheel builds the published, optimised ones.
        "GE_LTO": "OFF",
        "CMAKE_CXX_FLAGS_RELEASE": optimization,
        "CMAKE_C_FLAGS_RELEASE": optimization,
        "Python_EXECUTABLE": sys.executable,
        "Python_INCLUDE_DIR": root / f"usr/include/python{PYTHON}",
        # pyconfig.h includes a header in an architecture-specific directory.
        "CMAKE_CXX_FLAGS": f"-isystem {root}/usr/include",
        "CMAKE_C_FLAGS": f"-isystem {root}/usr/include",
    }
    out = BUILD / "wheel"
    for old in out.glob("*.whl"):
        old.unlink()
    pip = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps"]
    flags = [f"-Ccmake.define.{key}={value}" for key, value in defines.items()]
    # Overrides sysconfig's platform, from which the wheel's tag is derived.
    run(*pip, f"-Cbuild-dir={BUILD / 'tree'}", *flags, "--wheel-dir", out, ROOT,
        _PYTHON_HOST_PLATFORM="linux-aarch64")  # fmt: skip
    (file,) = out.glob("*.whl")
    return file


def repaired(file: Path) -> Path:
    """Run the native wheel's checks on the wheel; return the copy with the tag that its symbols allow."""
    into = BUILD / "repaired"
    run(sys.executable, ROOT / "scripts" / "check_wheel.py", file, "--repair", into)
    run("abi3audit", "--strict", file)
    (copy,) = into.glob("*_aarch64.whl")
    return copy


def smoke(root: Path, file: Path) -> None:
    """Install the wheel into a directory, and run the smoke tests with the emulated interpreter."""
    site = BUILD / "site"
    shutil.rmtree(site, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", site]
    listed = subprocess.check_output(
        [sys.executable, ROOT / "scripts" / "requirements.py", "runtime"], text=True
    )
    # Every platform tag that the C library of the sysroot supports; pip takes each platform literally.
    platforms = ["manylinux2014_aarch64"]
    platforms += [f"manylinux_2_{minor}_aarch64" for minor in range(17, GLIBC_MINOR + 1)]
    platforms = [word for platform in platforms for word in ("--platform", platform)]
    pip += ["--only-binary=:all:", "--python-version", PYTHON, *platforms]
    run(*pip, *listed.splitlines())
    run(*pip, "--no-deps", "--upgrade", file)
    python = [QEMU, "-L", root, root / f"usr/bin/python{PYTHON}"]
    for name in ("ir", "builders"):
        run(
            *python,
            ROOT / "test" / "smoke" / f"{name}.py",
            PYTHONPATH=str(site),
            PYTHONHOME=str(root / "usr"),
        )
    run(QEMU, "-L", root, site / "ge" / "_sdk" / "bin" / "ge-opt", "--help")


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument(
        "--stubs", type=Path, required=True, help="directory `ge` of a native build"
    )
    options = parser.parse_args()
    missing = [p for p in ("aarch64-linux-gnu-g++", QEMU) if shutil.which(p) is None]
    if missing:
        print(f"needs package g++-aarch64-linux-gnu and qemu-user-static: no {missing}")
        return 77
    root = sysroot()
    smoke(root, repaired(wheel(root, options.stubs)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
