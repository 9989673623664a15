"""Code that reacts to an error tests its class or a code, never what its text says: a user's error may have our words."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PYTHON = sorted((ROOT / "python" / "ge").rglob("*.py"))
NATIVE = sorted(
    path
    for folder in ("lib", "tools")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".cpp", ".h", ".c")
)
_TEXT_METHODS = {
    "startswith",
    "endswith",
    "find",
    "index",
    "count",
    "partition",
    "split",
    "removeprefix",
}
_SEARCHES = {"search", "match", "fullmatch", "findall"}


class Phrases(ast.NodeVisitor):
    """Collects the places in handlers of exceptions where words are looked for in the text of the exception."""

    def __init__(self) -> None:
        self.found: list[tuple[int, str]] = []
        self._errors: list[str] = []
        self._texts: set[str] = set()

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name is None:
            return self.generic_visit(node)
        before = set(self._texts)
        self._errors.append(node.name)
        self.generic_visit(node)
        self._errors.pop()
        self._texts = before
        return None

    def visit_Assign(self, node: ast.Assign) -> None:
        if self._is_text(node.value):
            self._texts |= {t.id for t in node.targets if isinstance(t, ast.Name)}
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        if any(map(self._is_text, sides)):
            for side in sides:
                if (phrase := _phrase(side)) is not None:
                    self.found.append((node.lineno, phrase))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Attribute):
            of_text = function.attr in _TEXT_METHODS and self._is_text(function.value)
            searches = function.attr in _SEARCHES and any(map(self._is_text, node.args))
            for argument in node.args if of_text or searches else ():
                if (phrase := _phrase(argument)) is not None and phrase.strip():
                    self.found.append((node.lineno, phrase))
        self.generic_visit(node)

    def _is_text(self, node: ast.expr) -> bool:
        """Whether an expression is the text of an exception that is being handled."""
        if isinstance(node, ast.Name):
            return node.id in self._texts
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in ("str", "repr", "text_of", "describe", "_first_line"):
                return any(isinstance(a, ast.Name) and a.id in self._errors for a in node.args)
            if isinstance(node.func, ast.Attribute) and name in ("lower", "strip"):
                return self._is_text(node.func.value)
        if isinstance(node, ast.Subscript):
            return self._is_text(node.value)
        if isinstance(node, ast.Attribute) and node.attr in (
            "args",
            "message",
            "reason",
            "strerror",
        ):
            return isinstance(node.value, ast.Name) and node.value.id in self._errors
        return False


def _phrase(node: ast.expr) -> str | None:
    """Return the words that an expression stands for: a text, or a constant of a module or class."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name) and node.id.upper() == node.id:
        return node.id
    if isinstance(node, ast.Attribute) and node.attr == "__name__":
        return ast.unparse(node)
    return ast.unparse(node) if isinstance(node, ast.JoinedStr) else None


def phrases(source: str) -> list[tuple[int, str]]:
    """Return line and words of each place."""
    visitor = Phrases()
    visitor.visit(ast.parse(source))
    return visitor.found


# The text of a caught error, or of the thread's last one, followed by a search.
_NATIVE = re.compile(
    r"""(?:\b\w+(?:\.|->)(?:what|message)\(\)|geErrorMessage\(\)|\bmessage)(?:\.data)?\s*
        \.(?:find|rfind|starts_with|ends_with|contains)\(\s*(?:cat\()?"[^"']*\w{3}
      | strstr\([^)]*(?:what\(\)|geErrorMessage)""",
    re.VERBOSE,
)


@pytest.mark.slow
def test_python_reacts_to_classes_of_errors() -> None:
    wrong = []
    for path in PYTHON:
        name = path.relative_to(ROOT / "python" / "ge").as_posix()
        for line, words in phrases(path.read_text()):
            wrong.append(f"{name}:{line}: looks for '{words}' in the text of an error")
    assert not wrong, "\n".join(wrong)


def test_native_code_reacts_to_kinds_of_errors() -> None:
    wrong = []
    for path in NATIVE:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if _NATIVE.search(line):
                wrong.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "source",
    [
        "try: f()\nexcept E as error:\n    if 'not a registered' in str(error): g()",
        "try: f()\nexcept E as error:\n    text = text_of(error)\n    if text.startswith('no such'): g()",
        "try: f()\nexcept E as e:\n    if _WORDS not in str(e).lower(): raise",
        "try: f()\nexcept E as e:\n    if e.args[0] == 'busy': g()",
        "try: f()\nexcept E as e:\n    if re.search('line [0-9]+', str(e)): g()",
        "try: f()\nexcept E as e:\n    if Mine.__name__ in str(e): g()",
    ],
)
def test_the_search_finds_phrases(source: str) -> None:
    assert len(phrases(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "try: f()\nexcept E as error:\n    if error.errno == 2: raise G(str(error))",
        "try: f()\nexcept E as error:\n    lines = str(error).splitlines()",
        "try: f()\nexcept E as error:\n    text = str(error)\n    g(text if name in text else name + text)",
        "if 'word' in text: g()",
    ],
)
def test_the_search_leaves_the_rest(source: str) -> None:
    assert phrases(source) == []


@pytest.mark.parametrize(
    "line",
    [
        'if (error.message().find("has no kernel") != std::string::npos)',
        'if (message.find(": kernel ") != npos)',
        'if (std::string_view(e.what()).starts_with("busy")) x = strstr(e.what(), "busy");',
    ],
)
def test_the_search_finds_native_phrases(line: str) -> None:
    assert _NATIVE.search(line)
