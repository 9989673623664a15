"""Build what is stale and run the quick tests of some rooms: ``check.py [ROOM...]``.

Without rooms, those of the files that differ from the last commit, or, when none does, those that the last commit
changed; of changed tests only these files. Tests that are marked `slow` or `long` are left out: `make test` runs them.
A script, not a target of CMake: what runs depends on git and on the rooms that are named.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterable

from lint import git
from trees import BUILD, ROOT, commands

__all__ = ["QUICK", "ROOMS", "room_of"]

# What `make check` leaves out: above 0.5 s, and above 20 s.
QUICK = "not slow and not long"

# The rooms of test/python, lowest first, and the sources that each tests; a file belongs to the longest prefix.
ROOMS = {
    "ir": "lib/Support lib/IR include/ge/Support include/ge/IR lib/Precompiled.h lib/Bindings/Python python/ge "
    "include/ge-python test/IR test/Bindings/Python",
    "text": "lib/Text include/ge/Text include/ge-c/Text.h test/Text",
    "capi": "lib/CAPI include/ge-c test/CAPI",
    "ops": "lib/Ops include/ge/Ops lib/Bindings/Python/Ops python/ge/ops test/Ops",
    "kernels": "lib/Ops/Kernels lib/Run/Value lib/Run/Call include/ge/Run/Value include/ge/Run/Call lib/CAPI/Kernel "
    "lib/CAPI/OpCalls include/ge/library include/ge-torch include/ge-c/Kernels.h include/ge-c/Values.h "
    "python/ge/_foreign",
    "es": "python/ge/es",
    "onnx": "lib/Formats include/ge/Formats python/ge/onnx test/models",
    "run": "lib/Run include/ge/Run lib/CAPI/Programs lib/CAPI/Regions python/ge/run include/ge-c/Regions.h",
    "match": "lib/Passes/Match lib/Passes/Rewrite include/ge/Passes/Match include/ge/Passes/Rewrite "
    "lib/Bindings/Python/Match include/ge-c/Patterns.h",
    "passes": "lib/Passes include/ge/Passes lib/Bindings/Python/Passes python/ge/passes python/ge/optimize test/Passes",
    "cann": "lib/Bindings/Python/Cann python/ge/graph python/ge/utils",
    "view": "python/ge/view",
    "cli": "python/ge/cli test/Tools",
    "host": "lib/Host lib/Bridge tools include/ge-c/Host.h include/ge-c/Plugin",
    "vendors": "cmake examples/vendors",
    "house": "docs scripts examples pyproject.toml README.md CHANGELOG.md",
}
# Directories of test/ with lit tests of a room.
LIT = {
    "ir": ["IR", "Bindings"],
    "text": ["Text"],
    "ops": ["Ops"],
    "passes": ["Passes"],
    "cli": ["Tools"],
}


def room_of(file: str) -> str | None:
    """Return the room that tests a file of the repository."""
    matches = [
        (len(prefix), room)
        for room, sources in ROOMS.items()
        for prefix in sources.split()
        if file.startswith(prefix)
    ]
    return max(matches)[1] if matches else None


def changed() -> list[str]:
    """Return the files that differ from the last commit, else those that it changed."""
    names = git("diff", "--name-only", "HEAD")
    names += git("ls-files", "--others", "--exclude-standard")
    return names or git("diff", "--name-only", "HEAD~1", "HEAD")


def run(*command: str, **environment: str) -> bool:
    print("$", " ".join(command), flush=True)
    variables = {**os.environ, **environment}
    return subprocess.run(command, cwd=ROOT, env=variables, check=False).returncode == 0


def build() -> bool:
    """Bring the release tree up to date; Ninja configures it again where that is needed."""
    configure, compile_tree = commands("release")
    if not (BUILD / "release" / "build.ninja").exists() and not run(*configure):
        return False
    return run(*compile_tree)


def test(rooms: Iterable[str], files: Iterable[str], native: bool) -> bool:
    """Run the quick tests of these rooms and these files, and with `native` those in C; return whether all passed."""
    tree = BUILD / "release"
    rooms = list(rooms)
    targets = [f"test/python/{room}" for room in rooms]
    # A file of a room that is tested whole is there already.
    targets += [name for name in files if not name.startswith(tuple(f"{t}/" for t in targets))]
    ok = True
    if targets:
        # Two processes or more take seconds to start, so one file has none.
        jobs = ["-n", str(os.cpu_count() or 1)] if rooms or len(targets) > 1 else []
        ok &= run(
            *[sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", QUICK],
            *[*jobs, *targets],
            PYTHONPATH=str(tree / "python"),
            GE_BUILD_DIR=str(tree),
        )
    if folders := [str(tree / "test" / name) for room in rooms for name in LIT.get(room, [])]:
        ok &= run("lit", "-q", *folders)
    if native or "capi" in rooms:
        jobs = ["-j", str(os.cpu_count() or 1)]
        ok &= run(
            "ctest", "--test-dir", str(tree), "-L", "capi", "--output-on-failure", "-Q", *jobs
        )
    return ok


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=" ".join(ROOMS))
    wanted: list[str] = parser.parse_args().rooms
    if unknown := set(wanted) - set(ROOMS):
        parser.error(f"no room {', '.join(sorted(unknown))}; rooms: {' '.join(ROOMS)}")
    files: list[str] = []
    native = False
    if not wanted:
        names = changed()
        native = any(name.startswith(("lib/", "include/", "test/CAPI")) for name in names)
        files = [
            name
            for name in names
            if name.startswith("test/python/") and name.rpartition("/")[2].startswith("test_")
            if (ROOT / name).exists()
        ]
        wanted = list({room for name in names if (room := room_of(name))})
    wanted.sort(key=list(ROOMS).index)
    if not wanted and not files:
        print("check: no room tests what changed; name rooms: ", *ROOMS)
        return 0
    begin = time.monotonic()
    ok = build() and test(wanted, files, native)
    print(
        f"check: {' '.join(wanted) or 'changed tests'}: {'ok' if ok else 'FAILED'}, {time.monotonic() - begin:.0f} s"
    )
    above = list(ROOMS)[list(ROOMS).index(wanted[0]) + 1 :] if wanted else []
    if higher := [room for room in above if room not in wanted]:
        print(f"check: rooms above, which may use what changed: {' '.join(higher)}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
