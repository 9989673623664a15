"""Formatters, linters and types; each check counts as one test.

``lint.py`` checks the formatting of everything and runs clang-tidy, without the static analyzer, on the files that differ
from the main branch, or in a clone of it on those that the last 50 commits changed; ``--all`` runs it on all, with the
analyzer; ``--fix PATH...`` rewrites the files under these paths as the formatters want them, and no others.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from trees import BUILD, ROOT

__all__ = ["CHECKS"]

NATIVE = (".c", ".cpp", ".h")
# clang-tidy takes seconds a file: on the main branch it looks at what this many commits changed.
TIDY_COMMITS = 50


def git(*arguments: str) -> list[str]:
    result = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return result.stdout.splitlines() if result.returncode == 0 else []


def files(*suffixes: str) -> list[str]:
    """Return the files of the repository, also those not yet added, with these suffixes."""
    names = set(git("ls-files")) | set(git("ls-files", "--others", "--exclude-standard"))
    return sorted(n for n in names if n.endswith(suffixes) and (ROOT / n).exists())


def changed() -> set[str]:
    """Return the files that differ from the merge base with the main branch, or on it from 50 commits before."""
    head = git("rev-parse", "HEAD")
    base = git("merge-base", "HEAD", "origin/main")
    if not base or base == head:
        # The oldest of them in a history that is shorter.
        base = git("rev-list", f"--max-count={TIDY_COMMITS + 1}", "HEAD")[-1:]
    names = set(git("ls-files", "--others", "--exclude-standard"))
    return names | set(git("diff", "--name-only", base[0]) if base else git("ls-files"))


def run(*command: str) -> int:
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def clang_format() -> int:
    names = files(*NATIVE)
    return run("clang-format", "--dry-run", "--Werror", *names) if names else 0


def ruff_format() -> int:
    return run("ruff", "format", "--quiet", "--diff", ".")


def ruff() -> int:
    return run("ruff", "check", "--quiet", ".")


def fix(paths: list[str]) -> int:
    """Rewrite the files under `paths`."""
    prefixes = tuple(os.path.relpath(path, ROOT) for path in paths)
    inside = [n for n in files(*NATIVE, ".py", ".md") if "." in prefixes or n.startswith(prefixes)]
    native = [name for name in inside if name.endswith(NATIVE)]
    python = [name for name in inside if name.endswith(".py")]
    # ruff also formats the Python of Markdown files.
    formatted = [name for name in inside if name.endswith((".py", ".md"))]
    status = run("clang-format", "-i", *native) if native else 0
    if python:
        status |= run("ruff", "check", "--quiet", "--fix", *python)
    if formatted:
        status |= run("ruff", "format", "--quiet", *formatted)
    return status


def mypy() -> int:
    """Check the package as users see it: the public files with the generated stubs beside them."""
    os.environ["MYPYPATH"] = str(BUILD / "release" / "python")
    # The package is named, not its files: the build tree is a tree of links.
    return run("mypy", "--config-file", "pyproject.toml", "-p", "ge")


def database(tree: Path, per_source: bool) -> tuple[Path, dict[str, set[str]]]:
    """Return the directory of a compilation database of `tree`, and the sources of each file that is compiled.

    A tree with GE_UNITY_BUILD compiles generated files, each of which includes several sources. `per_source`: the
    database has a command for each source instead.
    """
    entries = json.loads((tree / "compile_commands.json").read_text())
    compiled: dict[str, list[str]] = {}
    for file in (entry["file"] for entry in entries):
        is_unity = "/Unity/" in file
        included = re.findall(r'#include "(.+)"', Path(file).read_text()) if is_unity else [file]
        compiled[file] = [os.path.relpath(name, ROOT) for name in included]
    if not per_source:
        return tree, {os.path.relpath(file, ROOT): set(names) for file, names in compiled.items()}
    commands = [
        {
            **entry,
            "file": str(ROOT / name),
            "command": entry["command"].replace(file, str(ROOT / name)),
        }
        for entry in entries
        for file in [entry["file"]]
        for name in compiled[file]
    ]
    directory = tree / "tidy"
    directory.mkdir(exist_ok=True)
    (directory / "compile_commands.json").write_text(json.dumps(commands))
    return directory, {name: {name} for names in compiled.values() for name in names}


def clang_tidy(everything: bool = False) -> int:
    """Run clang-tidy over what was compiled from changed files; a changed header stands for the file of its name.

    `everything`: over each source by itself, with the static analyzer, which takes most of the time and sees only the
    main file of a compilation.
    """
    directory, sources = database(BUILD / "release", per_source=everything)
    compiled = set().union(*sources.values())
    if missing := [n for n in files(".cpp") if n.startswith("lib/") and n not in compiled]:
        print(f"clang-tidy: not compiled in build/release: {', '.join(missing)}")
        return 1
    ours = {n for n in compiled if not n.startswith(("build", ".."))}
    if not everything:
        touched = changed()
        stems = {Path(n).stem for n in touched if n.endswith(".h")}
        ours = {n for n in ours if n in touched or Path(n).stem in stems}
    wanted = sorted(unit for unit, inside in sources.items() if inside & ours)
    if not wanted:
        print("clang-tidy: no compiled file changed")
        return 0
    # One process a file, as many as cores: clang-tidy itself uses one.
    command = ["clang-tidy", "-p", str(directory), "--quiet", "--use-color=false"]
    if not everything:
        command.append("--checks=-clang-analyzer-*")
    # The commands are g++'s; clang does not know every one of its flags.
    command += [
        "--extra-arg=-Wno-unknown-warning-option",
        "--extra-arg=-Wno-ignored-optimization-argument",
        "--extra-arg=-Wno-unused-command-line-argument",
        "--removed-arg=-fno-gnu-unique",
    ]

    def check(name: str) -> tuple[str, int, str]:
        result = subprocess.run(
            [*command, name], cwd=ROOT, capture_output=True, text=True, check=False
        )
        return name, result.returncode, result.stdout + result.stderr

    bad = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, status, text in pool.map(check, wanted):
            if status:
                bad += 1
                print(f"clang-tidy: {name}\n{text}")
    print(f"clang-tidy: {len(wanted)} compilations, {bad} with findings")
    return 1 if bad else 0


CHECKS = {
    "clang-format": clang_format,
    "ruff format": ruff_format,
    "ruff": ruff,
    "mypy": mypy,
    "clang-tidy": clang_tidy,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="clang-tidy on all files")
    parser.add_argument("--only", choices=CHECKS, action="append", help="this check")
    parser.add_argument("--fix", nargs="+", metavar="PATH", help="rewrite the files under PATH")
    options = parser.parse_args()
    if options.fix:
        return fix(options.fix)
    failed = []
    for name, check in CHECKS.items():
        if options.only and name not in options.only:
            continue
        status = check(options.all) if name == "clang-tidy" else check()
        print(f"{name}: {'FAILED' if status else 'ok'}", flush=True)
        if status:
            failed.append(name)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
