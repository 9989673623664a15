"""GE_NATIVE_FALLBACK=1: missing native modules are built from the sources, once, and no damaged file is loaded.

Except in two tests the compiler is a script that records its calls, because the subject of the tests is the cache.
"""

import errno
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from native_hosts import BUILD
from needs import CXX

from ge._mlir_like import _fallback, _fallback_build

pytestmark = pytest.mark.nosan  # the modules built here are not sanitized

STUB = """#!/bin/sh
echo "$@" >> {log}
[ "$1" = --version ] && echo "stub {version}" && exit 0
for out; do :; done
case "$(cat {mode})" in
  fail) echo "Init.cpp:7:1: error: boom"; exit 1;;
  crash) kill -9 $$;;
  slow) sleep 0.3;;
esac
head -c 64 {elf} > "$out"
"""


class Site:
    """A package without `_init`, its sources, a stub compiler that generates no code, and a cache."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path, self.cache, self.package = path, path / "cache", path / "ge/_mlir_like/_ge"
        self.log, self.mode, self.source = path / "log", path / "mode", path / "src/lib/Init.cpp"
        for directory in ("ge/_mlir_like/_ge", "src/lib", "src/include", "nb/include/nanobind"):
            (path / directory).mkdir(parents=True)
        self.elf = Path(sys.executable).read_bytes()[:64]
        for name in ("libGE-x.so", "ir.abi3.so"):
            (self.package / name).write_bytes(self.elf)
        for name in ("lib/Init.cpp", "lib/IR.cpp", "lib/Core.cpp", "lib/exports.map"):
            (path / "src" / name).write_text("//\n")
        backend = path / "nb/include/nanobind/nb_backend.h"
        backend.write_text("#define NB_BACKEND_ABI_MAJOR 1\n")
        self.manifest = path / "ge/_mlir_like/_fallback.json"
        modules = {
            "_init": {"home": "_init", "sources": ["lib/Init.cpp"]},
            "ir": {"home": "ir", "sources": ["lib/IR.cpp"]},
        }
        core = {"file": "libGE-x.so", "script": "lib/exports.map", "literals": {}}
        facts: dict[str, Any] = {"package": "ge", "domain": "ge", "version": "1", "abi": 1}
        facts |= {"root": "../../src", "nanobind": "../../nb", "flags": ["-O1"]}
        facts |= {"library": {**core, "sources": ["lib/Core.cpp"]}, "modules": modules}
        facts |= {"bridge": {"file": "bridge.so", "sources": ["lib/Core.cpp"]}}
        self.manifest.write_text(json.dumps(facts))
        self.mode.write_text("works")
        self.compiler("1.0")
        monkeypatch.setenv("GE_NATIVE_CACHE", str(self.cache))
        monkeypatch.setenv("CXX", str(path / "c++"))
        for name in ("CXXFLAGS", "LDFLAGS"):
            monkeypatch.delenv(name, raising=False)

    def compiler(self, version: str) -> None:
        stub = self.path / "c++"
        values = {"log": self.log, "mode": self.mode, "elf": sys.executable}
        stub.write_text(STUB.format(version=version, **values))
        stub.chmod(0o755)

    def complete(self) -> list[str]:
        return _fallback.complete(str(self.package), str(self.manifest))

    def links(self) -> int:
        """Return how many libraries were linked."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return sum(line.startswith("-shared") for line in lines)

    def built(self) -> list[str]:
        return sorted(p.name for p in self.cache.glob("cp*")) if self.cache.exists() else []

    def left(self) -> list[Path]:
        return list(self.cache.glob(".build-*"))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    return Site(tmp_path, monkeypatch)


def test_what_is_missing_is_built_once(site: Site) -> None:
    entry, package = site.complete()
    assert package == str(site.package) and sorted(os.listdir(entry)) == [
        "_init.abi3.so",
        "files.json",
    ]
    calls = site.log.read_text()
    assert "lib/Init.cpp" in calls and "IR.cpp" not in calls and "Core.cpp" not in calls
    assert site.complete() == [entry, package] and site.links() == 1
    assert not site.left()


def test_a_complete_package_builds_nothing(site: Site) -> None:
    (site.package / "_init.abi3.so").write_bytes(site.elf)
    assert site.complete() == [str(site.package)]
    assert not site.cache.exists() and not site.log.exists()


def test_a_module_of_another_machine_is_missing(site: Site) -> None:
    other = bytearray(site.elf)
    other[18:20] = (40).to_bytes(2, "little")
    (site.package / "_init.abi3.so").write_bytes(site.elf)
    (site.package / "ir.abi3.so").write_bytes(other)
    entry, _ = site.complete()
    assert "ir.abi3.so" in os.listdir(entry)


def test_a_missing_library_comes_with_the_bridge(site: Site) -> None:
    (site.package / "libGE-x.so").unlink()
    entry, _ = site.complete()
    assert {"libGE-x.so", "bridge.so", "_init.abi3.so"} <= set(os.listdir(entry))


def test_what_decides_is_in_the_key(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {site.complete()[0]}
    site.compiler("2.0")
    keys.add(site.complete()[0])
    monkeypatch.setenv("CXXFLAGS", "-g")
    keys.add(site.complete()[0])
    text = site.manifest.read_text()
    site.manifest.write_text(text.replace('"abi": 1', '"abi": 2'))
    keys.add(site.complete()[0])
    assert len(keys) == 4 and all(Path(key).name.startswith("cp3") for key in keys)


def test_stale_entries_are_pruned(site: Site) -> None:
    first = Path(site.complete()[0])
    dead, recent, unused = (site.cache / n for n in (".build-dead", ".build-now", "cp39-old"))
    for directory in (dead, recent):
        directory.mkdir()
    shutil.copytree(first, unused)
    os.utime(dead, (0, 0))
    os.utime(unused / "files.json", (0, 0))
    site.source.write_text("// changed\n")
    second = Path(site.complete()[0])
    assert not first.exists() and not dead.exists() and not unused.exists()
    assert second.exists() and recent.exists()


CHILD = (
    "import sys; from ge._mlir_like import _fallback; print(_fallback.complete(*sys.argv[1:])[0])"
)


@pytest.mark.slow
def test_two_processes_build_once(site: Site) -> None:
    site.mode.write_text("slow")
    command = [sys.executable, "-c", CHILD, str(site.package), str(site.manifest)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    out = {each.communicate(timeout=60)[0] for each in both}
    assert len(out) == 1 and [each.returncode for each in both] == [0, 0]
    assert site.links() == 1


def test_a_lock_of_a_process_that_died_is_none(site: Site) -> None:
    site.cache.mkdir(mode=0o700)
    code = "import sys, os, fcntl; f = open(sys.argv[1], 'w'); fcntl.flock(f, 2); os._exit(1)"
    subprocess.run([sys.executable, "-c", code, str(site.cache / "lock")], check=False)
    site.complete()
    assert site.links() == 1


@pytest.mark.parametrize(
    ("mode", "text"), [("fail", "Init.cpp:7:1: error: boom"), ("crash", "signal 9")]
)
def test_a_failing_compiler(site: Site, mode: str, text: str) -> None:
    site.mode.write_text(mode)
    with pytest.raises(ImportError, match=text) as raised:
        site.complete()
    assert f"{site.source} -o" in str(raised.value)  # the message has the command
    assert not site.left() and not site.built()
    site.mode.write_text("works")
    site.complete()


def test_no_compiler(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "/nowhere/c++")
    with pytest.raises(ImportError, match=r"\$CXX names a compiler that does not exist"):
        site.complete()
    monkeypatch.delenv("CXX")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ImportError, match=r"install g\+\+"):
        site.complete()


@pytest.mark.parametrize("damage", ["changed", "cut", "gone", "no list", "bad list", "a file"])
def test_a_damaged_entry_is_built_anew(site: Site, damage: str) -> None:
    entry = Path(site.complete()[0])
    module, listing = entry / "_init.abi3.so", entry / "files.json"
    if damage == "changed":
        module.write_bytes(site.elf[:-1] + b"!")
    elif damage == "cut":
        module.write_bytes(b"")
    elif damage == "gone":
        module.unlink()
    elif damage == "no list":
        listing.unlink()
    elif damage == "bad list":
        listing.write_text('{"files": 1}')
    else:
        shutil.rmtree(entry)
        entry.write_text("")
    if damage not in ("no list", "a file"):
        assert [each["good"] for each in _fallback.entries()] == [False]
    assert site.complete()[0] == str(entry) and site.links() == 2
    assert module.read_bytes() == site.elf and not site.left()


def test_what_another_user_can_write_is_not_loaded(site: Site) -> None:
    entry = Path(site.complete()[0])
    for path in (site.cache, entry, entry / "_init.abi3.so"):
        mode = path.stat().st_mode
        path.chmod(mode | 0o002)
        with pytest.raises(ImportError, match="not the user's alone"):
            site.complete()
        path.chmod(mode)
    target = site.path / "elsewhere"
    site.cache.rename(target)
    site.cache.symlink_to(target)
    with pytest.raises(ImportError, match="not the user's alone"):
        site.complete()


def test_a_read_only_cache(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **more: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    entry = site.complete()[0]
    with monkeypatch.context() as patch:
        patch.setattr(_fallback, "_locked", refuse)
        patch.setattr(os, "utime", refuse)
        assert site.complete()[0] == entry  # reading the cache needs no write access
        site.source.write_text("// changed\n")
        with pytest.raises(ImportError, match=r"Read-only file system; set \$GE_NATIVE_CACHE"):
            site.complete()
    (site.path / "a file").write_text("")
    monkeypatch.setenv("GE_NATIVE_CACHE", str(site.path / "a file/cache"))
    with pytest.raises(ImportError, match="Not a directory"):
        site.complete()


def test_a_full_cache(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the disk is full when the checksums are written, no files remain, and the next build succeeds."""
    build = _fallback_build.build

    def fill(*args: Any) -> list[str]:
        build(*args)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(_fallback_build, "build", fill)
        with pytest.raises(ImportError, match=r"No space left on device; set \$GE_NATIVE_CACHE"):
            site.complete()
    assert not site.left() and not site.built()
    site.complete()


# --- With a compiler


def tree(tmp_path: Path, without: str) -> dict[str, str]:
    """Return the environment variables for a copy of the package without the files that match a pattern."""
    shutil.copytree(BUILD / "python/ge", tmp_path / "ge", copy_function=os.symlink, symlinks=False)
    for file in (tmp_path / "ge/_mlir_like/_ge").glob(without):
        file.unlink()
    cache = {"GE_NATIVE_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}
    return {**os.environ, **cache, "CXXFLAGS": "-O0"}


def python(code: str, env: dict[str, str], status: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


WORKS = """
import ge.passes
from ge import ir
from ge._mlir_like._cext_loader import load
graph = ir.Graph.parse('func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }')
print(len(graph.nodes), *[load(name).__file__ for name in ('_init', 'ir', 'passes')], load('_init').library_path())
"""


@pytest.mark.slow
@CXX
def test_only_the_missing_module_is_rebuilt(tmp_path: Path) -> None:
    env = tree(tmp_path, "_init.*")
    refused = python(WORKS, {**env, "GE_NATIVE_FALLBACK": "0"}, status=1)
    assert "GE_NATIVE_FALLBACK=1 builds what is missing" in refused
    assert not (tmp_path / "cache").exists()

    env["GE_NATIVE_FALLBACK"] = "1"
    _, init, ir, passes, library = python(WORKS, env).split()
    entry = Path(init).parent
    assert entry.parent == tmp_path / "cache"
    assert {Path(p).parent for p in (ir, passes, library)} == {tmp_path / "ge/_mlir_like/_ge"}
    assert sorted(os.listdir(entry)) == ["_init.abi3.so", "files.json"]
    built = (entry / "_init.abi3.so").stat().st_mtime_ns
    time.sleep(0.01)
    python(WORKS, env)
    assert (entry / "_init.abi3.so").stat().st_mtime_ns == built

    command = [sys.executable, "-m", "ge.cli", "doctor", "--json"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    facts = json.loads(done.stdout)
    assert facts["native"]["directory"] == str(entry) and facts["fallback"]["wanted"]
    assert [e["files"] for e in facts["fallback"]["entries"]] == [["_init.abi3.so"]]
    flags = subprocess.run(
        [sys.executable, "-m", "ge.config", "--libs"], env=env, capture_output=True, text=True
    )
    assert flags.stdout.split()[0] == f"-L{tmp_path / 'ge/_mlir_like/_ge'}"


@CXX
@pytest.mark.long
def test_everything_is_built(tmp_path: Path) -> None:
    """The library, all modules and nanobind's backend are built if none of them is there."""
    env = {**tree(tmp_path, "*.so"), "GE_NATIVE_FALLBACK": "1"}
    hidden = "import sys; sys.modules['nanobind_backend'] = None\n"
    files = {Path(word).parent for word in python(hidden + WORKS, env).split()[1:]}
    (entry,) = files
    names = os.listdir(entry)
    assert entry.parent == tmp_path / "cache" and any("_nb_backend_v" in name for name in names)
    assert "libge_python_bridge.so" in names
