"""Run all suites, print the seconds of each, and end with one line ``N passed, N failed``.

The suites of the release tree, the wheel and the interpreters; ``--ci`` adds the vendors' packages and the tree with
AddressSanitizer; ``--long`` adds to these ThreadSanitizer, tests marked `long`, clang-tidy on all files, the long random
and fuzz runs, the wheel with link-time optimisation, the commands of the guides, the source distribution in a fresh
environment, PyTorch itself and the wheel for aarch64.
``--strict`` (under .ci/run) counts a test that was skipped for want of a system package as failed.
``--only NAME...`` runs the suites whose names start so, for work on one of them.

Output of a suite goes to build/logs/<suite>.log and is shown when the suite fails.
"""

import argparse
import hashlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from lint import CHECKS
from trees import BUILD, ROOT, commands

TEST = ROOT / "test"
LOGS = BUILD / "logs"
# Debian's packages of programs that only `make test-long` needs: scripts/ci-packages-long.txt.
PACKAGE_OF = {
    "aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu",
    "qemu-aarch64-static": "qemu-user-static",
}
# Wheels of examples/vendors, which test/python/vendors builds.
VENDOR_WHEELS = BUILD / "vendor-wheels"
INTERPRETERS = ["3.10", "3.11", "3.12", "3.13", "3.14"]
# The rooms of test/python that `.ci/run` repeats under sanitizers: all that reads files, holds handles or ends processes.
SANITIZED_ROOMS = ["capi", "ir", "text", "onnx", "kernels", "host"]
# The rooms with a suite of their own, after the release tree's.
OWN_SUITES = ["vendors"]
# What one command of `make test` may take (one test: see pyproject.toml): a hang is a failure, not a CI without end.
COMMAND_SECONDS = 1800
# How many lines of a failed test are repeated at the end of the run.
FAILURE_LINES = 15
# What a skip says when a tool of the system is missing.
MISSING_PACKAGE = re.compile(r"needs package (\S+)")


@dataclass
class Counts:
    """What one suite counted; `notes` are printed beside it, `failures` at the end of the run."""

    passed: int = 0
    failed: int = 0
    skipped: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def add(self, ok: bool, name: str = "", text: str = "") -> None:
        """Count one test; `text` is what a failed one printed."""
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            if name:
                self.notes.append(f"failed: {name}")
                self.failures.append("\n    ".join([name, *text.splitlines()[-FAILURE_LINES:]]))

    def failure(self, name: str) -> "Counts":
        """Count one failure; return self."""
        self.add(False, name)
        return self


class Runner:
    """Runs commands of one suite into its log."""

    def __init__(self, name: str, seconds: int | None = None):
        self.name = name
        self.seconds = seconds
        LOGS.mkdir(parents=True, exist_ok=True)
        self.path = LOGS / (name.replace(" ", "-") + ".log")
        self.log = self.path.open("w")

    def __call__(self, *command: object, directory: Path = ROOT, **environment: str) -> bool:
        """Run a command with these variables added; return whether it exited with 0 in time."""
        words = [str(word) for word in command]
        self.log.write(f"$ {' '.join(words)}\n")
        self.log.flush()
        with subprocess.Popen(
            words,
            cwd=directory,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process:
            try:
                status: object = process.wait(self.seconds)
            except subprocess.TimeoutExpired:
                status = f"none: killed after {self.seconds} s"
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
        self.log.write(f"[exit {status}]\n")
        return status == 0

    def tail(self) -> str:
        """Return the end of the log."""
        self.log.flush()
        lines = self.path.read_text(errors="replace").splitlines()
        return "\n".join(lines[-150:])


def in_parallel(run: Runner, work: Iterable[str], do: Callable[[Runner, str], Counts]) -> Counts:
    """Do independent work of a suite, as many at a time as there are cores; the log has one after the other."""

    def one(name: str) -> tuple[Runner, Counts]:
        own = Runner(f"{run.name} {name}", run.seconds)
        try:
            return own, do(own, name)
        finally:
            own.log.close()

    total = Counts()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for own, counts in pool.map(one, work):
            run.log.write(own.path.read_text(errors="replace"))
            own.path.unlink()
            total.passed += counts.passed
            total.failed += counts.failed
            for name in ("skipped", "notes", "failures"):
                getattr(total, name).extend(getattr(counts, name))
    return total


def from_junit(path: Path, ok: bool) -> Counts:
    """Read the counts of a JUnit file, which pytest, lit and ctest all write."""
    counts = Counts()
    if not path.exists():
        return Counts().failure(f"no report {path.name}: the runner itself failed")
    for case in ET.parse(path).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        skip = case.find("skipped")
        bad = [part for part in case if part.tag in ("failure", "error")]
        if bad or case.get("status") == "fail":
            texts = [part.text or part.get("message") or "" for part in bad] or [
                case.findtext("system-out") or ""
            ]
            counts.add(False, name, "\n".join(texts))
        elif skip is not None:
            counts.skipped.append(f"{name}: {skip.get('message') or skip.text or ''}".strip())
        else:
            counts.add(True)
    if counts.passed + counts.failed == 0:
        counts.add(False, "the suite ran no test")
    if not ok and counts.failed == 0:
        counts.add(False, "the runner reported a failure that no test has")
    return counts


# --- suites -------------------------------------------------------------------------------------


def build_tree(tree: str) -> Callable[[Runner], Counts]:
    def suite(run: Runner) -> Counts:
        ok = all(run(*command) for command in commands(tree))
        return Counts() if ok else Counts().failure(f"build of {tree}")

    return suite


def check(name: str, *flags: str) -> Callable[[Runner], Counts]:
    """Make a suite of one check of lint.py."""

    def suite(run: Runner) -> Counts:
        counts = Counts()
        counts.add(run(sys.executable, ROOT / "scripts" / "lint.py", "--only", name, *flags), name)
        return counts

    return suite


def sanitizer_environment(tree: str) -> dict[str, str]:
    """Return what an interpreter needs to import sanitized modules: the run time, loaded first."""
    if tree == "release":
        return {}
    names = ["libtsan.so"] if tree == "tsan" else ["libasan.so", "libubsan.so"]
    paths = [
        subprocess.check_output(["g++", f"-print-file-name={name}"], text=True).strip()
        # libstdc++: without it the interceptor of __cxa_throw finds nothing.
        for name in [*names, "libstdc++.so"]
    ]
    return {
        "LD_PRELOAD": ":".join(paths),
        # The interpreter does not free its arenas; leaks of ours are found by the handle counters.
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "TSAN_OPTIONS": f"suppressions={TEST / 'tsan.supp'}",
        "PYTHONMALLOC": "malloc",
    }


def ctest(label: str, tree: str) -> Callable[[Runner], Counts]:
    def suite(run: Runner) -> Counts:
        report = LOGS / f"{label}-{tree}.xml"
        report.unlink(missing_ok=True)
        jobs = str(os.cpu_count())
        ok = run(
            *["ctest", "--test-dir", BUILD / tree, "-L", label, "--output-on-failure"],
            *["--no-tests=error", "-j", jobs, "--output-junit", report],
            UBSAN_OPTIONS="print_stacktrace=1",
        )
        return from_junit(report, ok)

    return suite


def lit(tree: str) -> Callable[[Runner], Counts]:
    def suite(run: Runner) -> Counts:
        report = LOGS / f"lit-{tree}.xml"
        report.unlink(missing_ok=True)
        ok = run("lit", "-v", "--xunit-xml-output", report, BUILD / tree / "test")
        return from_junit(report, ok)

    return suite


def pytest(
    tree: str, *selection: str, rooms: Iterable[str] = (), **settings: str
) -> Callable[[Runner], Counts]:
    """Make a suite of the tests of these rooms, by default all but those with a suite of their own."""

    def suite(run: Runner) -> Counts:
        report = LOGS / f"{run.name.replace(' ', '-')}.xml"
        report.unlink(missing_ok=True)
        folders = [TEST / "python" / room for room in rooms]
        others = [] if rooms else [f"--ignore={TEST / 'python' / room}" for room in OWN_SUITES]
        is_long = "GE_TEST_LONG" in settings
        marks = [] if is_long else ["not long"]
        # Instrumented code is slow, and `make test-long` repeats all.
        marks += ["not slow"] if not is_long and tree != "release" else []
        marks += ["not nosan"] if tree != "release" else []
        ok = run(
            *[sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
            # A process a core; the leak gate counts in its own.
            *["-n", str(os.cpu_count() or 1)],
            *["--junitxml", report, "-m", " and ".join(marks), *others, *selection, *folders],
            *(["--timeout=3600"] if is_long else []),
            PYTHONPATH=str(BUILD / tree / "python"),
            GE_BUILD_DIR=str(BUILD / tree),
            **sanitizer_environment(tree),
            **settings,
        )
        return from_junit(report, ok)

    return suite


def random_driver(tree: str, operations: int, seed: int) -> Callable[[Runner], Counts]:
    """Run each driver of test/random, native or Python, with a printed seed."""
    # An operation of this one is a pattern, with all orders of its outputs: 100,000 in the long run.
    operations_of = {"random-patterns": 100_000 if operations > 100_000 else 2000}

    def suite(run: Runner) -> Counts:
        counts = Counts()
        flags = [f"--ops={operations}", f"--seed={seed}"]
        for program in sorted((BUILD / tree / "random").glob("random-*")):
            own = [f"--ops={operations_of.get(program.name, operations)}", f"--seed={seed}"]
            counts.add(run(program, *own, UBSAN_OPTIONS="print_stacktrace=1"), program.name)
        environment = {"PYTHONPATH": str(BUILD / tree / "python"), **sanitizer_environment(tree)}
        for script in sorted((TEST / "random").glob("*.py")):
            counts.add(run(sys.executable, script, *flags, **environment), script.name)
        counts.notes.append(f"{operations} operations, seed {seed}")
        return counts

    return suite


def attack(tree: str, long: bool, seed: int) -> Callable[[Runner], Counts]:
    """Repeat the attacks of test/attack, some seconds of each driver, or all that is promised."""
    counts_of = {"models.py": 100_000, "traps.py": 240, "saves.py": 1000, "exits.py": 1000}

    environment = {"PYTHONPATH": str(BUILD / tree / "python"), **sanitizer_environment(tree)}

    def one(run: Runner, name: str) -> Counts:
        counts = Counts()
        how_long = f"--count={counts_of[name]}" if long else "--seconds=15"
        flags = [how_long, f"--seed={seed}", f"--keep={LOGS}"]
        ok = run(sys.executable, TEST / "attack" / name, *flags, **environment)
        counts.add(ok, f"{name} --seed={seed}")
        return counts

    return lambda run: in_parallel(run, counts_of, one)


def light_networks() -> list[Path]:
    """Return the real networks of the package `onnx` that are small enough to be mutated as a whole."""
    spec = importlib.util.find_spec("onnx")
    folder = Path(spec.origin).parent if spec and spec.origin else BUILD
    found = folder.glob("backend/test/data/light/*.onnx")
    return sorted(path for path in found if path.stat().st_size < 1 << 16)


def fuzz(tree: str, seconds: int, seed: int) -> Callable[[Runner], Counts]:
    corpus = [p for p in (TEST / "fuzz" / "corpus", TEST / "Text", TEST / "IR") if p.is_dir()]

    def one(run: Runner, target: str) -> Counts:
        counts = Counts()
        flags = [f"--seconds={seconds}", f"--seed={seed}", f"--artifact={LOGS / target}-crash.bin"]
        own = TEST / "fuzz" / "corpus" / target.removeprefix("fuzz-")
        # A target's own corpus if it has one, else every text that the tests have.
        paths = [own] if own.is_dir() else corpus
        if target == "fuzz-onnx_fuzzer":
            paths = [*paths, *light_networks()]
        program = BUILD / tree / "fuzz" / target
        ok = run(program, *flags, *paths, UBSAN_OPTIONS="print_stacktrace=1")
        counts.add(ok, f"{target} --seed={seed}")
        return counts

    def suite(run: Runner) -> Counts:
        programs = sorted((BUILD / tree / "fuzz").glob("fuzz-*"))
        targets = [program.name for program in programs if os.access(program, os.X_OK)]
        counts = in_parallel(run, targets, one)
        counts.notes.append(f"{seconds} s a target, seed {seed}")
        return counts

    return suite


def interpreters() -> dict[str, str]:
    """Return the CPythons of this machine by version: on PATH, or pyenv's."""
    found = {}
    roots = [os.environ.get("PYENV_ROOT", ""), str(Path.home() / ".pyenv")]
    for version in INTERPRETERS:
        candidates = [shutil.which(f"python{version}"), sys.executable]
        for root in filter(None, roots):
            candidates += sorted(map(str, Path(root).glob(f"versions/{version}.*/bin/python")))
        for candidate in filter(None, candidates):
            # Run it: a shim of pyenv is on PATH for versions that are not active.
            code = "import sys, sysconfig; print('%d.%d' % sys.version_info[:2]); "
            code += (
                "print(sysconfig.get_config_var('Py_GIL_DISABLED') or 0, sys.implementation.name)"
            )
            out = subprocess.run(
                [candidate, "-c", code], capture_output=True, text=True, check=False
            )
            if out.returncode == 0 and out.stdout.split() == [version, "0", "cpython"]:
                found[version] = candidate
                break
    return found


def wheel(tree: str) -> Callable[[Runner], Counts]:
    """Build a wheel; look whether it holds what it promises and keeps to the stable ABI."""

    def suite(run: Runner) -> Counts:
        counts = Counts()
        day = "1767225600"  # what the archive says of its files; without it, the time of the build
        if not all(run(*command, SOURCE_DATE_EPOCH=day) for command in commands(tree)):
            counts.add(False, "build of the wheel")
            return counts
        (file,) = (BUILD / tree).glob("*.whl")
        counts.add("-cp310-abi3-" in file.name, f"tag of {file.name}")
        check = [sys.executable, ROOT / "scripts" / "check_wheel.py", file]
        repaired = BUILD / f"{tree}-repaired"
        counts.add(run(*check, "--repair", repaired), "content of the wheel, and auditwheel")
        counts.add(run("abi3audit", "--strict", file), "abi3audit")
        first = hashlib.sha256(file.read_bytes()).hexdigest()
        shutil.rmtree(BUILD / f"{tree}-tree")
        again = all(run(*command, SOURCE_DATE_EPOCH=day) for command in commands(tree))
        same = again and hashlib.sha256(file.read_bytes()).hexdigest() == first
        counts.add(same, "the same bytes, built again without the first tree")
        return counts

    return suite


def vendors(run: Runner) -> Counts:
    """Run the tests of the vendors' packages, which build their wheels, and import these beside `ge` in all orders."""
    shutil.rmtree(VENDOR_WHEELS, ignore_errors=True)
    counts = pytest("release", rooms=OWN_SUITES, GE_VENDOR_WHEELS=str(VENDOR_WHEELS))(run)
    wheels = sorted(VENDOR_WHEELS.glob("*.whl"))
    if len(wheels) < len(list((ROOT / "examples" / "vendors").glob("*/pyproject.toml"))):
        return counts.failure("not all wheels of examples/vendors were built")
    quiet = ["--quiet", "--disable-pip-version-check"]
    names = [wheel.name.split("-")[0].replace("_", "-") for wheel in wheels]
    # The oldest and the newest that the stable ABI is promised for.
    for version in ("3.10", "3.13"):
        python = BUILD / "venvs" / version / "bin" / "python"
        if not python.exists():
            counts.notes.append(f"{version}: the suite interpreters made no environment")
            continue
        pip = [python, "-m", "pip"]
        ok = run(*pip, "install", *quiet, "--no-deps", "--force-reinstall", *wheels)
        ok = ok and run(python, TEST / "smoke" / "vendors.py", PYTHONPATH="")
        ok = run(*pip, "uninstall", "--yes", *quiet, *names) and ok
        counts.add(ok, f"{version}: vendors.py")
    return counts


def smoke_one(run: Runner, version: str, python: str, file: Path) -> Counts:
    """Install a wheel for one interpreter and run test/smoke there."""
    counts = Counts()
    home = BUILD / "venvs" / version
    pip = [home / "bin" / "python", "-m", "pip", "install", "--quiet"]
    pip += ["--disable-pip-version-check"]
    if not (home / "ready").exists():
        script = ROOT / "scripts" / "requirements.py"
        listed = subprocess.check_output([sys.executable, script, "runtime"], text=True)
        if not (run(python, "-m", "venv", "--clear", home) and run(*pip, *listed.splitlines())):
            return counts.failure(f"{version}: environment")
        (home / "ready").touch()
    if not run(*pip, "--no-deps", "--force-reinstall", file):
        return counts.failure(f"{version}: installation of the wheel")
    for script in sorted((TEST / "smoke").glob("*.py")):
        if script.stem != "vendors":
            # -P would need 3.11; the script's own directory on the path holds no package.
            ok = run(home / "bin" / "python", script, PYTHONPATH="")
            counts.add(ok, f"{version}: {script.name}")
    return counts


def smoke(run: Runner, tree: str) -> Counts:
    """Install a wheel for every interpreter of this machine and run test/smoke there."""
    files = list((BUILD / tree).glob("*.whl"))
    if not files:
        return Counts().failure("no wheel to install")
    found = interpreters()
    counts = in_parallel(run, found, lambda own, v: smoke_one(own, v, found[v], files[0]))
    counts.notes.append("CPython " + " ".join(found))
    return counts


def source_distribution(run: Runner) -> Counts:
    """Build the source distribution, install it into a fresh environment as pip does it, and run its own tests there."""
    counts = Counts()
    home = BUILD / "sdist"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    build = f"import scikit_build_core.build as b; b.build_sdist({str(home)!r})"
    if not run(sys.executable, "-c", build):
        return Counts().failure("build of the source distribution")
    (archive,) = home.glob("*.tar.gz")
    shutil.unpack_archive(archive, home, filter="data")
    source = home / archive.name.removesuffix(".tar.gz")
    python = home / "venv" / "bin" / "python"
    tests = (source / "scripts" / "requirements.py", "test")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    ok = run(sys.executable, "-m", "venv", home / "venv")
    # With build isolation: what the build needs is in pyproject.toml, or it fails here. The full optimisation is that of
    # the suite "wheel".
    flags = "-DGE_LTO=OFF -DCMAKE_CXX_FLAGS_RELEASE='-O1 -DNDEBUG'"
    if not (ok and run(*pip, archive, CMAKE_ARGS=flags)):
        return Counts().failure("installation of the source distribution")
    for script in sorted((source / "test" / "smoke").glob("*.py")):
        if script.stem != "vendors":
            counts.add(run(python, script, PYTHONPATH=""), f"smoke/{script.name}")
    listed = subprocess.check_output([sys.executable, *tests], text=True)
    (home / "test.txt").write_text(listed)
    rooms = [source / "test" / "python" / room for room in ("ir", "text", "ops")]
    pytest_of = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not long"]
    ok = run(*pip, "-r", home / "test.txt")
    ok = ok and run(*pytest_of, "-n", str(os.cpu_count() or 1), "--rootdir", source,
                    "-c", source / "pyproject.toml", *rooms, directory=source, PYTHONPATH="")  # fmt: skip
    counts.add(ok, "tests of the rooms ir, text and ops")
    return counts


def guides(run: Runner) -> Counts:
    """Do what the guides say with the wheel that the suite of that name built."""
    files = list((BUILD / "wheel").glob("*.whl"))
    if not files:
        return Counts().failure("no wheel to install")
    counts = Counts()
    # Vendors' own builds compile the core: not optimised, this is about the commands.
    flags = {"CMAKE_ARGS": "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DGE_PYTHON_STUBS=OFF"}
    counts.add(run(sys.executable, ROOT / "scripts" / "guides.py", files[0], **flags), "guides")
    return counts


def torch(run: Runner) -> Counts:
    """Run the tests of PyTorch itself, in an environment that has it: 5 GB with its libraries."""
    home = BUILD / "venvs" / "torch"
    python = home / "bin" / "python"
    if not (home / "ready").exists():
        script = [sys.executable, ROOT / "scripts" / "requirements.py"]
        needed = subprocess.check_output([*script, "runtime", "torch"], text=True).splitlines()
        tests = subprocess.check_output([*script, "test"], text=True).splitlines()
        needed += [line for line in tests if line.startswith("pytest")]
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if not (run(sys.executable, "-m", "venv", "--clear", home) and run(*pip, *needed)):
            return Counts().failure("environment with torch")
        (home / "ready").touch()
    report = LOGS / "pytest-torch.xml"
    report.unlink(missing_ok=True)
    file = TEST / "python" / "kernels" / "test_kernels_real_torch.py"
    ok = run(
        *[python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml", report, file],
        PYTHONPATH=str(BUILD / "release" / "python"),
        GE_BUILD_DIR=str(BUILD / "release"),
    )
    return from_junit(report, ok)


def aarch64(run: Runner) -> Counts:
    """Cross-build the wheel for aarch64 and run the smoke tests under emulation."""
    if missing := [
        p for p in ("aarch64-linux-gnu-g++", "qemu-aarch64-static") if not shutil.which(p)
    ]:
        return Counts(skipped=[f"aarch64: needs package {PACKAGE_OF[p]}" for p in missing])
    counts = Counts()
    stubs = BUILD / "release" / "python" / "ge"
    script = ROOT / "scripts" / "cross_aarch64.py"
    counts.add(run(sys.executable, script, "--stubs", stubs), "wheel and smoke tests")
    return counts


# --- the list -----------------------------------------------------------------------------------


@dataclass
class Suite:
    """A named suite."""

    name: str
    run: Callable[[Runner], Counts]
    # A build that failed makes everything after it meaningless.
    stops: bool = False


def suites(tier: str, seed: int) -> list[Suite]:
    """Return the suites of a tier, "test", "ci" or "long"; each tier has those of the tiers before it."""
    long = tier == "long"
    settings = {"GE_TEST_LONG": "1"} if long else {}
    all_files = ["--all"] if long else []
    # The wheel that is published takes minutes to link; its smaller sister has the same sources, flags and tests.
    wheel_tree = "wheel" if long else "test-wheel"
    operations = 1_000_000 if long else 100_000
    result = [
        Suite("build release", build_tree("release"), stops=True),
        *[Suite(name, check(name, *all_files)) for name in CHECKS],
        Suite("capi", ctest("capi", "release")),
        Suite("lit", lit("release")),
        Suite("pytest", pytest("release", **settings)),
        # Also without sanitizers, under which arenas free each block at once.
        Suite("random", random_driver("release", operations, seed)),
        Suite("attack", attack("release", long, seed)),
        Suite("wheel", wheel(wheel_tree)),
        Suite("interpreters", lambda run: smoke(run, wheel_tree)),
    ]
    if tier != "test":
        result += [
            Suite("vendors", vendors),
            Suite("build asan", build_tree("asan"), stops=True),
            Suite("asan unit", ctest("unit", "asan")),
            Suite("asan capi", ctest("capi", "asan")),
            Suite("asan lit", lit("asan")),
            Suite(
                "asan pytest", pytest("asan", rooms="." if long else SANITIZED_ROOMS, **settings)
            ),
            Suite("asan random", random_driver("asan", operations, seed)),
            Suite("asan fuzz", fuzz("asan", 600 if long else 5, seed)),
        ]
    if long:
        names = "thread or test_host or native_plugins or test_kernels"
        result += [
            Suite("build tsan", build_tree("tsan"), stops=True),
            Suite("tsan unit", ctest("unit", "tsan")),
            Suite("tsan capi", ctest("capi", "tsan")),
            Suite("tsan pytest", pytest("tsan", "-k", names, rooms=".", **settings)),
            Suite("guides", guides),
            Suite("sdist", source_distribution),
            Suite("torch", torch),
            Suite("aarch64", aarch64),
        ]
    return result


def by_reason(skipped: list[str]) -> dict[str, list[str]]:
    """Group lines of "test: reason" by their reason."""
    result: dict[str, list[str]] = {}
    for line in skipped:
        # A parameter in brackets may hold a colon itself.
        parts = re.fullmatch(r"(.*?(?:\[.*?\])?): (.*)", line, re.DOTALL)
        test, reason = parts.groups() if parts else (line, "no reason")
        result.setdefault(reason, []).append(test)
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    tier = parser.add_mutually_exclusive_group()
    tier.add_argument("--ci", action="store_const", const="ci", dest="tier", default="test")
    tier.add_argument("--long", action="store_const", const="long", dest="tier")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument(
        "--seed",
        type=int,
        default=None,
        help="of the random and fuzz runs; drawn anew in a long run, else 1",
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    options = parser.parse_args()
    # The short run judges a change, so it repeats; the long one looks for faults that are not known yet.
    long = options.tier == "long"
    drawn = int.from_bytes(os.urandom(4), "big") if long else 1
    seed = drawn if options.seed is None else options.seed
    total = Counts()
    failures: list[str] = []
    print(f"seed {seed} (repeat with --seed={seed})", flush=True)
    begin = time.monotonic()
    # What is named is run, whichever tier has it; the suites of the long tier differ, so it has to be asked for.
    tier_name = "ci" if options.only and options.tier == "test" else options.tier
    for suite in suites(tier_name, seed):
        if options.only and not suite.name.startswith(tuple(options.only)):
            continue
        run = Runner(suite.name, None if long else COMMAND_SECONDS)
        start = time.monotonic()
        counts = suite.run(run)
        if not suite.stops and counts.passed + counts.failed + len(counts.skipped) == 0:
            counts.add(False, "the suite ran no test")
        if options.strict:
            for reason in counts.skipped:
                if MISSING_PACKAGE.search(reason):
                    counts.add(False, reason)
        line = f"{suite.name:16s} {time.monotonic() - start:7.1f} s  {counts.passed:5d} passed"
        line += f"  {counts.failed:3d} failed  {len(counts.skipped):3d} skipped"
        print(line + "".join(f"\n    {note}" for note in counts.notes), flush=True)
        for reason, tests in by_reason(counts.skipped).items():
            print(
                f"    skipped: {', '.join(tests[:3])}{', ...' * (len(tests) > 3)} ({len(tests)}): {reason}"
            )
        if counts.failed:
            print(f"--- {run.path.relative_to(ROOT)}, its end ---\n{run.tail()}\n---", flush=True)
        failures += [f"{suite.name}: {failure}" for failure in counts.failures]
        total.passed += counts.passed
        total.failed += counts.failed
        if counts.failed and suite.stops:
            break
    print(f"{'all':16s} {time.monotonic() - begin:7.1f} s")
    # The last lines are what services that run this show first.
    for failure in failures:
        print(f"failed: {failure}")
    print(f"{total.passed} passed, {total.failed} failed")
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())
