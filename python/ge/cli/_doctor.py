"""``ge doctor``: what is installed, which native library is loaded and why, what is wrong."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from typing import Any

from ._output import Options, Output, Parser

__all__ = ["add_arguments", "run", "version"]

DISTRIBUTION = "ge-ir"
# Distribution, and what it is for; the first ones are needed.
NEEDED = {
    "nanobind-backend": "the native modules",
    "numpy": "tensors",
    "ml_dtypes": "bf16, fp8, int4",
}
OPTIONAL = {
    "rich": "tables and progress on a terminal",
    "onnx": "ge check, the reference evaluator",
    "onnxruntime": "ge check, constant folding",
    "distributed": "ge.onnx.optimize_many on several machines",
    "ai-edge-model-explorer": "ge view --explorer",
}

HELP = "Show what is installed and which native library is loaded, and say what is wrong."
STATUS = "Exit status: 0 all is well, 1 something needed is missing or broken."


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
    output.line(f"ge        {facts['version']} in {facts['package']}")
    output.line(f"python    {facts['python']} ({facts['executable']})")
    output.line(f"platform  {facts['platform']}")
    native = facts["native"]
    output.line(f"native    {native['directory'] or '-'} ({native['reason']})")
    for file in native["loaded"]:
        output.line(f"  loaded  {file}")
    output.line()
    rows = [(p["name"], p["version"], p["purpose"]) for p in facts["packages"]]
    output.table(("package", "version", "for"), rows)
    if facts["providers"]:
        output.line(f"onnxruntime's providers: {', '.join(facts['providers'])}")
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
            f"the distribution {DISTRIBUTION} is not installed: the package is used from a tree"
        )
    names = sorted(n for n in os.environ if n.startswith(("GE_", "ASCEND_GE_")))
    return {
        "version": version(),
        "package": os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "executable": sys.executable,
        "platform": platform.platform(),
        "native": native,
        "packages": packages,
        "providers": _providers(warnings),
        "environment": {name: os.environ[name] for name in names},
        "warnings": warnings,
        "problems": problems,
    }


def _native(loader: Any, problems: list[str]) -> dict[str, Any]:
    import warnings

    facts: dict[str, Any] = {"directory": None, "reason": "none was found", "loaded": []}
    try:
        facts["directory"] = loader.native_directory()
        chosen = os.environ.get(loader._variable)
        facts["reason"] = f"${loader._variable} says so" if chosen else "beside the package"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # told among the problems
            for name in ("ir", "ops", "passes"):
                loader.load(name)
    except ImportError as error:
        problems.append(str(error))
        return facts
    facts["loaded"] = _mapped(facts["directory"])
    return facts


def _mapped(directory: str) -> list[str]:
    """Return the shared libraries of ours that the process has, as the system tells it."""
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
