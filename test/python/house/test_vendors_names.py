"""Texts that a user sees name the vendor's package and command: through `PACKAGE`, `PROGRAM` and GE_PYTHON_PACKAGE.

No message, repr or page contains a fixed name like `ge.ops` or the command `ge diff`; docstrings may.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
MODULES = "air|cli|config|error|es|graph|ir|onnx|ops|optimize|passes|run|view"
COMMANDS = "check|convert|diff|doctor|explain|optimize|passes|view"
NAME = re.compile(rf"(?<![\w.'/-])ge(?:\.(?:{MODULES})\b| (?:{COMMANDS})\b|: )|\bge-ir\b")
# Calls whose argument is no visible text: logger() and quiet() map it to the package; a ContextVar's name is internal.
KEYS = {"logger", "quiet", "is_debug_wanted", "ContextVar"}
# Entry-point groups, which are the same for every vendor, and the default of `quiet`.
GROUPS = re.compile(r"ge\.(ops|es|passes)\.plugins|ge\.passes")
SITE = ROOT / "python/ge/_mlir_like/_site.py"


def texts(tree: ast.AST) -> Iterator[ast.Constant]:
    """Yield the strings of a file that a user may see."""
    unseen: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            unseen.add(id(node.value))
        elif (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KEYS
        ):
            unseen.update(map(id, node.args))
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in unseen
        ):
            yield node


@pytest.mark.slow
def test_no_text_of_a_module_says_ge() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{text.lineno}: {text.value!r}"
        for path in sorted((ROOT / "python/ge").rglob("*.py"))
        if path != SITE
        for text in texts(ast.parse(path.read_text()))
        if NAME.search(text.value) and not GROUPS.fullmatch(text.value)
    ]
    assert not found, "\n".join(found)


def test_no_error_of_a_native_module_says_ge() -> None:
    error = re.compile(r'(?:_error\(|PyErr_\w+\(|throw )[^;]*?"[^";]*' + NAME.pattern, re.S)
    found = [
        f"{path.relative_to(ROOT)}: {match[0][-80:]}"
        for path in sorted((ROOT / "lib/Bindings/Python").rglob("*.cpp"))
        for match in error.finditer(path.read_text())
    ]
    assert not found, "\n".join(found)
