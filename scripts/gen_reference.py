"""Generate reference pages in Markdown: Python from the docstrings of the package, C from the comments of the headers.

``build_docs.py`` calls `python_pages` and `c_pages`; the package must be importable. The pages are not committed.
"""

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["MODULES", "c_pages", "python_pages"]

ROOT = Path(__file__).resolve().parent.parent
HEADERS = ROOT / "include" / "ge-c"
# Public modules; each page lists the names in the module's `__all__`.
MODULES = [
    "ge.ir",
    "ge.passes",
    "ge.passes.p",
    "ge.onnx",
    "ge.ops",
    "ge.es",
    "ge.graph",
    "ge.view",
    "ge.error",
    "ge.config",
    "ge.utils",
]
SECTIONS = {
    "Parameters",
    "Other Parameters",
    "Returns",
    "Yields",
    "Raises",
    "Attributes",
    "Notes",
    "Examples",
    "References",
    "See Also",
    "Warns",
}


def markdown(doc: object) -> list[str]:
    """Return a NumPy-style docstring as lines of Markdown."""
    lines = inspect.cleandoc(doc if isinstance(doc, str) else "").splitlines()
    out: list[str] = []
    section = ""
    fenced = False
    for i, line in enumerate(lines):
        underline = lines[i + 1] if i + 1 < len(lines) else ""
        if line in SECTIONS and re.fullmatch("-{3,}", underline):
            section = line
            out += ["", f"**{line}**", ""]
            continue
        if section and re.fullmatch("-{3,}", line):
            continue
        code = line.lstrip().startswith((">>>", "..."))
        if code != fenced and (code or not line.strip()):
            out.append("```python" if code else "```")
            fenced = code
        if fenced:
            out.append(line)
            continue
        is_item = section in ("Parameters", "Other Parameters", "Attributes", "Raises") and line
        if is_item and not line.startswith(" "):
            name, colon, kind = line.partition(" : ")
            out.append(f"- `{name}`" + (f": {plain(kind)}" if colon else ""))
        elif is_item:
            out.append("  " + plain(line.strip()))
        else:
            # Without indentation, which would make it a block of code in Markdown.
            out.append(plain(line.strip()))
    if fenced:
        out.append("```")
    return out


def plain(text: str) -> str:
    """Escape characters that Markdown would interpret, except in backquotes."""
    parts = re.split(r"(``[^`]*``|`[^`]*`)", text)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"([\\*_<>\[\]#|~$])", r"\\\1", parts[i])
    return "".join(parts)


def signature(thing: Any) -> str:
    try:
        text = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return "(...)"
    # The addresses of default values differ between runs.
    return (
        re.sub(r" at 0x[0-9a-f]+", "", text).replace("(self, /, ", "(").replace("(self, /)", "()")
    )


def members(cls: type) -> Iterator[tuple[str, Any]]:
    """Yield the public members that a class defines itself or inherits from a private base, sorted by name."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if base is cls or (base.__name__.startswith("_") and base.__module__ != "builtins"):
            found.update(vars(base))
    for name in sorted(found):
        if not name.startswith("_") and found[name] is not None:
            yield name, found[name]


def entry(level: int, title: str, call: str, doc: object) -> list[str]:
    lines = ["", "#" * level + f" `{title}`", ""]
    if call:
        lines += ["```python", call, "```", ""]
    return lines + markdown(doc)


def class_lines(name: str, cls: type) -> list[str]:
    call = "" if issubclass(cls, BaseException) else f"{name}{signature(cls)}"
    lines = entry(2, name, call, cls.__doc__)
    for member, thing in members(cls):
        title = f"{name}.{member}"
        function = thing.__func__ if isinstance(thing, (classmethod, staticmethod)) else thing
        if isinstance(function, property) or inspect.isdatadescriptor(function):
            lines += entry(3, title, "", function.__doc__)
        elif callable(function) and not isinstance(function, type):
            doc = inspect.getdoc(function)
            lines += entry(3, title, f"{member}{signature(getattr(cls, member))}", doc)
        else:
            lines += ["", f"### `{title}`", ""]
    return lines


def python_page(name: str) -> str:
    module = importlib.import_module(name)
    lines = [f"# `{name}`", "", *markdown(module.__doc__)]
    for public in sorted(module.__all__, key=lambda n: (n.islower(), n)):
        thing = getattr(module, public)
        if inspect.ismodule(thing):
            lines += entry(2, f"{name}.{public}", "", (thing.__doc__ or "").partition("\n")[0])
        elif isinstance(thing, type):
            lines += class_lines(public, thing)
        elif callable(thing):
            lines += entry(2, public, f"{public}{signature(thing)}", inspect.getdoc(thing))
        else:
            lines += ["", f"## `{public}`", ""]
    return "\n".join(lines) + "\n"


def index(title: str, text: str, names: list[str]) -> str:
    entries = "\n".join(names)
    return f"# {title}\n\n{text}\n\n```{{toctree}}\n:maxdepth: 1\n\n{entries}\n```\n"


def python_pages() -> dict[str, str]:
    """Return the pages of the public modules, by file name."""
    pages = {f"{name}.md": python_page(name) for name in MODULES}
    text = "Public modules. The stubs (`.pyi`) that ship with the package have the types of all parameters."
    pages["python.md"] = index("Python", text, MODULES)
    return pages


def comment(lines: list[str]) -> str:
    """Return the text of a C comment."""
    text = " ".join(re.sub(r"^\s*(/\*\*?|\|?\*/?)|\*/\s*$", "", line).strip() for line in lines)
    return plain(re.sub(r"\s+", " ", text).strip())


def c_page(header: Path) -> str:
    """Return the page of a header: its comments as prose, its declarations as code."""
    lines = header.read_text(encoding="utf-8").splitlines()
    out = [f"# `ge-c/{header.name}`", ""]
    code: list[str] = []
    i = 0

    def flush() -> None:
        while code and not code[-1].strip():
            code.pop()
        while code and not code[0].strip():
            code.pop(0)
        if code:
            out.extend(["```c", *code, "```", ""])
        code.clear()

    while i < len(lines):
        line = lines[i]
        if i == 0 and line.startswith("/*===-"):
            i = next(n for n in range(1, len(lines)) if "===" in lines[n])
            prose = [re.sub(r"^\|\*\s?", "", text) for text in lines[1:i]]
            paragraphs = "\n".join(prose).strip().split("\n\n")
            for paragraph in paragraphs:
                items = re.split(r"\n(?=- )", paragraph)
                joined = [re.sub(r"\s+", " ", plain(item)) for item in items]
                out += [*joined, ""]
        elif heading := re.match(r"/\* -{3,} (.*?) -+ \*/", line):
            flush()
            out += ["", f"## {plain(heading[1])}", ""]
        elif line.startswith("/**"):
            flush()
            block = [line]
            while "*/" not in lines[i]:
                i += 1
                block.append(lines[i])
            out += [comment(block), ""]
        elif not line.startswith("#") and line not in ("GE_C_BEGIN", "GE_C_END"):
            code.append(line)
        i += 1
    flush()
    return "\n".join(out) + "\n"


def c_pages() -> dict[str, str]:
    """Return the pages of the public headers, by file name."""
    headers = sorted(HEADERS.glob("*.h"))
    pages = {f"c-{header.stem}.md": c_page(header) for header in headers}
    text = (
        "One page for each header of `ge-c`. [The C API guide](../c-api.md) says what holds for all functions: "
        "references, errors, threads."
    )
    pages["c.md"] = index("C", text, [f"c-{header.stem}" for header in headers])
    return pages
