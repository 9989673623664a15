"""``ge doctor``: what is installed, which native library is loaded and why, what is wrong."""

from __future__ import annotations

import base64
import csv
import hashlib
import importlib.metadata
import importlib.util
import os
import platform
import sys
from pathlib import Path
from typing import Any

from .._support.program import DISTRIBUTION, PACKAGE, PROGRAM
from ._output import Options, Output, Parser

__all__ = ["add_arguments", "run", "version"]

# Distribution, and what it is for; the first ones are needed.
NEEDED = {
    "nanobind-backend": "the native modules",
    "numpy": "tensors",
    "ml_dtypes": "bf16, fp8, int4",
}
OPTIONAL = {
    "rich": "tables and progress on a terminal",
    "onnx": f"{PROGRAM} check, the reference evaluator",
    "onnxruntime": f"{PROGRAM} check, constant folding",
    "distributed": f"{PACKAGE}.onnx.optimize_many on several machines",
    "ai-edge-model-explorer": f"{PROGRAM} view --explorer",
}

HELP = "Show what is installed and which native library is loaded, load the plugins, and report problems."
STATUS = "Exit status: 0 no problems, 1 a required part is missing or broken, or a plugin fails."


def add_arguments(parser: Parser) -> None:
    """Add what the command takes."""


def version(name: str = DISTRIBUTION) -> str:
    """Return the version of an installed distribution; ``not installed`` without one.

    Parameters
    ----------
    name : str
    """
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def run(options: Options, output: Output) -> int:
    """Examine the installation; return the exit status."""
    facts = examine()
    output.line(f"{PROGRAM:9} {facts['version']} in {facts['package']}")
    output.line(f"python    {facts['python']} ({facts['executable']})")
    output.line(f"platform  {facts['platform']}")
    native = facts["native"]
    output.line(f"native    {native['directory'] or '-'} ({native['reason']})")
    for file in native["loaded"]:
        output.line(f"  loaded  {file}")
    fallback = facts["fallback"]
    output.line(f"fallback  {fallback['state']}")
    for entry in fallback["entries"]:
        state = "" if entry["good"] else ", damaged: rebuilt when it is next used"
        names = ", ".join(entry["files"])
        output.line(f"  built   {names} in {entry['path']} ({entry['bytes'] >> 10} KiB{state})")
    output.line()
    rows = [(p["name"], p["version"], p["purpose"]) for p in facts["packages"]]
    output.table(("package", "version", "for"), rows)
    if facts["providers"]:
        output.line(f"onnxruntime's providers: {', '.join(facts['providers'])}")
    if facts["evaluators"]:
        output.line(f"evaluators: {_shown(facts['evaluators'])}")
    for one in facts["plugins"]:
        output.line(
            f"plugin    {one['group']}: {one['name']} = {one['value']} ({one['distribution']})"
        )
    for variable, value in facts["environment"].items():
        output.line(f"${variable} = {value}")
    for warning in facts["warnings"]:
        output.line(f"warning: {warning}")
    for problem in facts["problems"]:
        output.line(f"problem: {problem}")
    output.line("all is well" if not facts["problems"] else f"{len(facts['problems'])} problems")
    output.result(facts)
    return 1 if facts["problems"] else 0


def examine() -> dict[str, Any]:
    """Return what the command shows, as JSON has it."""
    from .._mlir_like import _cext_loader

    problems: list[str] = []
    warnings: list[str] = []
    native = _native(_cext_loader, problems)
    foreign = _cext_loader._foreign_package()
    if foreign is not None:
        problems.append(_cext_loader._foreign_text(foreign))
    problems += _file_problems()
    packages = [
        {"name": name, "version": version(name), "purpose": purpose, "needed": name in NEEDED}
        for name, purpose in {**NEEDED, **OPTIONAL}.items()
    ]
    problems += [
        f"{p['name']} is missing, for {p['purpose']}: pip install {p['name']}"
        for p in packages
        if p["needed"] and p["version"] == "not installed"
    ]
    if version() == "not installed":
        warnings.append(
            f"the distribution {DISTRIBUTION} is not installed: the package is used from a build tree"
        )
    evaluators = {} if problems else _evaluators(warnings, problems)
    plugins = [] if problems else _plugins(problems)
    names = sorted(n for n in os.environ if n.startswith(("GE_", "ASCEND_GE_")))
    return {
        "version": version(),
        "package": os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "executable": sys.executable,
        "platform": platform.platform(),
        "native": native,
        "fallback": _fallback(_cext_loader, warnings),
        "packages": packages,
        "providers": _providers(warnings),
        "evaluators": evaluators,
        "plugins": plugins,
        "environment": {name: os.environ[name] for name in names},
        "warnings": warnings,
        "problems": problems,
    }


def _record(distribution: importlib.metadata.Distribution) -> dict[str, str]:
    """Return the files below our top-level package that pip recorded, with their hashes."""
    top = PACKAGE.partition(".")[0] + "/"
    rows = csv.reader((distribution.read_text("RECORD") or "").splitlines())
    return {row[0]: row[1] for row in rows if len(row) == 3 and row[0].startswith(top)}


def _file_problems() -> list[str]:
    """Say which files of the package are missing, and which belong to another distribution that has the same package."""
    try:
        own = importlib.metadata.distribution(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return []
    record = _record(own)
    again = f"pip install --force-reinstall {DISTRIBUTION}"
    missing = [name for name in record if not Path(str(own.locate_file(name))).exists()]
    problems = [f"{name} is missing: {again}" for name in missing[:3]]
    if len(missing) > 3:
        problems.append(f"{len(missing) - 3} more files are missing")
    for other in importlib.metadata.distributions():
        theirs = _record(other)
        name = other.metadata["Name"]
        if not theirs or name == own.metadata["Name"] or "." in PACKAGE:
            continue  # vendors' packages may share a namespace
        problems.append(
            f"{name} installs files into the same package '{PACKAGE}': use an environment for each"
        )
        problems += [
            f"{file} is {name}'s: uninstall {name}, then {again}"
            for file, digest in record.items()
            if theirs.get(file, digest) != digest
            and file not in missing
            and _digest(str(own.locate_file(file))) == theirs[file]
        ]
    return problems


def _digest(path: str) -> str:
    """Return the hash of a file as RECORD has it."""
    digest = hashlib.sha256(Path(path).read_bytes()).digest()
    return "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _native(loader: Any, problems: list[str]) -> dict[str, Any]:
    import warnings

    facts: dict[str, Any] = {"directory": None, "reason": "none was found", "loaded": []}
    try:
        facts["directory"] = loader.native_directory()
        chosen = os.environ.get(loader._variable)
        facts["reason"] = f"${loader._variable} says so" if chosen else "beside the package"
        if len(loader.native_directories()) > 1:
            facts["reason"] = "built from the package's sources"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # told among the problems
            for name in ("ir", "ops", "passes"):
                loader.load(name)
    except ImportError as error:
        problems.append(str(error))
        return facts
    for directory in loader.native_directories():
        facts["loaded"] += _mapped(directory)
    facts["loaded"] = sorted(set(facts["loaded"]))
    return facts


def _fallback(loader: Any, warnings: list[str]) -> dict[str, Any]:
    """Return what is known of modules that were built from the package's sources."""
    variable = loader._fallback_variable
    facts: dict[str, Any] = loader.fallback_facts()
    if facts["problem"]:
        warnings.append(facts["problem"])
    if not facts["sources"]:
        facts["state"] = "none: the package has no sources"
    elif facts["wanted"]:
        facts["state"] = f"on: missing modules are built into {facts['cache']}"
    else:
        facts["state"] = f"off (${variable}=1 builds missing modules into {facts['cache']})"
    return facts


def _mapped(directory: str) -> list[str]:
    """Return the shared libraries of GE that the process has mapped, from the system's list."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            files = {line.split(maxsplit=5)[5].rstrip("\n") for line in maps if line.count(" /")}
    except OSError:
        return []
    real = os.path.realpath(directory)
    # A library of the same name from elsewhere is what one looks for here.
    own = set(os.listdir(directory))
    return sorted(f for f in files if os.path.dirname(f) == real or os.path.basename(f) in own)


def _providers(warnings: list[str]) -> list[str]:
    try:
        import onnxruntime
    except ImportError as error:
        if version("onnxruntime") != "not installed":
            warnings.append(f"onnxruntime cannot be imported: {error}")
        return []
    found: list[str] = onnxruntime.get_available_providers()
    return found


def _evaluators(warnings: list[str], problems: list[str]) -> dict[str, Any]:
    """Return where operators of ONNX are evaluated, which starts the child process that does it."""
    from .._mlir_like._providers import provider

    try:
        found: dict[str, Any] = provider("evaluators").describe()
    except ValueError as error:  # of a variable
        problems.append(str(error))
        return {}
    if found["mode"] == "none" and os.environ.get("GE_EVALUATORS") != "none":
        warnings.append(f"operators of ONNX are evaluated natively only: {found['why']}")
    return found


# Groups of entry points that define operators, and those that are loaded in their own way.
_OPERATORS = ("ge.ops.plugins", "ge.es.plugins")
_OTHERS = ("ge.site_initialize", "ge.passes.plugins")


def _plugins(problems: list[str]) -> list[dict[str, str]]:
    """Return what installed packages add, and load it all: a package that fails is a problem."""
    import warnings

    from .._mlir_like._providers import provider
    from .._support.entries import entries_of
    from .._support.initialize import faults, plugins_allowed
    from .._support.quiet import quiet

    if not plugins_allowed():
        return []
    load_operators = provider("es plugins").load_operators
    found = []
    with warnings.catch_warnings(), quiet():
        warnings.simplefilter("ignore")  # told among the problems
        problems += map(str, faults())
        for group in (*_OPERATORS, *_OTHERS):
            for entry in entries_of(group):
                package = getattr(entry, "dist", None)
                found.append(
                    {
                        "group": entry.group,
                        "name": entry.name,
                        "value": entry.value,
                        "distribution": f"{package.name} {package.version}" if package else "",
                    }
                )
                fault = load_operators(entry, entry.group) if group in _OPERATORS else None
                if fault is not None:
                    problems.append(str(fault))
        if importlib.util.find_spec(f"{PACKAGE}.passes") is not None:
            from ..passes import load_pass_plugins
            from ..passes.bootstrap import load_errors

            load_pass_plugins()
            problems += [f"{origin}: {error}" for origin, error in load_errors().items()]
    return found


def _shown(evaluators: dict[str, Any]) -> str:
    names = " and ".join(evaluators["engines"])
    if evaluators["mode"] == "child":
        return f"child ({names} in a process of {evaluators['interpreter']})"
    if evaluators["mode"] == "inprocess":
        return f"in process ({names}; a model can end this process)"
    return f"none ({evaluators['why']})"
