"""Write the table of the C API: `python scripts/gen_api_table.py`.

From the headers of ``include/ge-c`` it writes

- ``include/ge-c/api.txt``: every function with its index in the table, every struct with the offsets and types of its
  fields, every other typedef with its definition, every enumerator with its value. This file is the C ABI.
- ``include/ge-c/Api.h``: ``struct GeApi``.
- ``lib/Host/ApiTable.cpp``: the table of this library.
- ``lib/Host/Stubs.inc``: the same functions as calls through a table, from which Stubs.c builds the library GE::Stubs.

A function keeps its index: new ones are appended. A change that breaks compiled plugins is an error: a function was
removed or has another signature; a struct, another typedef or an enumerator changed. A struct that begins with
``size_t size`` may grow at its end. After an incompatible change, raise GE_C_ABI_VERSION in ``ge-c/Support.h`` and run
with ``--new-abi``, which starts a new table.

api.txt and Api.h record the version of GE that introduced each function. Each header of ge-c states the first version once
for all its functions; a function that was added later states its version in its comment: ``Since 0.2.``

``--release`` copies api.txt to ``include/ge-c/released/<version>.txt``. A change that breaks programs compiled for the last
release of the same ABI is an error: the changes above, a wrong "since" version of a function, and a new field in what was
padding at the end of a struct. For a first release, or the first one of an ABI, the script reports that there is nothing
to compare with.

``--check`` writes nothing and fails if a file is out of date. Needs a C compiler ($CC, else cc) to determine the layouts of
the structs. When a merge has conflicts in the files above, take api.txt of the branch that was merged first and run
this script again.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Abi", "AbiError", "main"]

ROOT = Path(__file__).resolve().parents[1]
# First in the table of every ABI, so that a plugin of another ABI can report the mismatch.
FIRST = ["geAbiVersion", "geVersion", "geErrorSet"]
# The version that each header states once for all its functions.
BASE = "0.1"
RELEASED = "include/ge-c/released"
GENERATED = "Written by scripts/gen_api_table.py; do not edit."
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
_FUNCTION = re.compile(r"\bGE_C_API\s+([^;{}]*?)\b(ge[A-Z]\w*)\s*\(")
_ENUM = re.compile(r"typedef\s+enum\s+\w+\s*\{(.*?)\}\s*(\w+)\s*;", re.S)
_STRUCT = re.compile(r"typedef\s+struct(?:\s+\w+)?\s*\{")
_TYPE = re.compile(r"\btypedef\s+([^;{}]+);")


class AbiError(Exception):
    """An incompatible change of the C ABI, or headers that cannot be read; one line for each fault."""


@dataclass(frozen=True)
class Function:
    """A function of the API as C text."""

    name: str
    result: str
    parameters: tuple[str, ...]  # empty: void

    def declare(self, name: str) -> str:
        return _c(f"{self.result} {name}({', '.join(self.parameters) or 'void'})")

    @property
    def signature(self) -> str:
        return _c(f"{self.result} ({', '.join(self.parameters) or 'void'})")


@dataclass
class Abi:
    """The content of api.txt."""

    version: int = 0
    functions: dict[str, str] = field(default_factory=dict)  # name to signature, in order
    since: dict[str, str] = field(default_factory=dict)  # name to the version that introduced it
    structs: dict[str, tuple[int, dict[str, tuple[int, str]]]] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)  # name to definition
    enumerators: dict[str, int] = field(default_factory=dict)

    def text(self) -> str:
        """Return the content of api.txt."""
        lines = [f"# The C ABI of GE. {GENERATED}", f"abi {self.version}", ""]
        version = ""
        for i, name in enumerate(self.functions):
            if self.since[name] != version:
                version = self.since[name]
                lines.append(f"since {version}")
            lines.append(f"{i} {name}: {self.functions[name]}")
        lines.append("")
        for name, (size, fields) in sorted(self.structs.items()):
            lines.append(f"struct {name} {size}")
            lines += [f"field {offset} {key}: {of}" for key, (offset, of) in fields.items()]
        lines.append("")
        lines += [f"type {name}: {of}" for name, of in sorted(self.types.items())]
        lines.append("")
        lines += [f"enum {name} {number}" for name, number in sorted(self.enumerators.items())]
        return "\n".join(lines) + "\n"

    @classmethod
    def read(cls, text: str) -> "Abi":
        """Parse the output of `text`."""
        abi = cls()
        version = ""
        for line in text.splitlines():
            head, _, rest = line.partition(" ")
            if head == "abi":
                abi.version = int(rest)
            elif head == "since":
                version = rest
            elif head.isdigit():
                name, _, signature = rest.partition(": ")
                if int(head) != len(abi.functions):
                    raise AbiError(
                        f"api.txt: function {name} has the place {head}, not {len(abi.functions)}"
                    )
                abi.functions[name] = signature
                abi.since[name] = version
            elif head == "struct":
                name, size = rest.split()
                fields: dict[str, tuple[int, str]] = {}
                abi.structs[name] = int(size), fields
            elif head == "field":
                offset, _, declared = rest.partition(" ")
                name, _, of = declared.partition(": ")
                fields[name] = int(offset), of
            elif head == "type":
                name, _, of = rest.partition(": ")
                abi.types[name] = of
            elif head == "enum":
                name, number = rest.split()
                abi.enumerators[name] = int(number)
            elif line and not line.startswith("#"):
                raise AbiError(f"api.txt: cannot read the line {line!r}")
        return abi

    def faults(self, new: "Abi") -> list[str]:
        """Return the changes in `new` that break plugins compiled for this ABI."""
        found = []
        places = {name: i for i, name in enumerate(new.functions)}
        for i, (name, signature) in enumerate(self.functions.items()):
            if name not in new.functions:
                found.append(f"function {name} is gone")
            elif places[name] != i:
                found.append(f"function {name} was at the place {i}, is at {places[name]}")
            elif new.functions[name] != signature:
                found.append(f"function {name} was {signature}, is {new.functions[name]}")
        for name, (size, fields) in self.structs.items():
            if name not in new.structs:
                found.append(f"struct {name} is gone")
                continue
            new_size, new_fields = new.structs[name]
            grows = next(iter(fields), "") == "size" and new_size >= size
            kept = dict(list(new_fields.items())[: len(fields)]) if grows else new_fields
            if kept != fields or (new_size != size and not grows):
                found.append(
                    f"struct {name} was {_layout(size, fields)}, is {_layout(new_size, new_fields)}"
                )
        for name, of in self.types.items():
            if new.types.get(name) != of:
                found.append(f"type {name} was {of}, is {new.types.get(name, 'gone')}")
        for name, number in self.enumerators.items():
            if new.enumerators.get(name) != number:
                found.append(f"{name} was {number}, is {new.enumerators.get(name, 'gone')}")
        return found

    def release_faults(self, version: str, new: "Abi") -> list[str]:
        """Return the changes in `new` that break programs compiled for this ABI, that of release `version`."""
        found = self.faults(new)
        for name, since in new.since.items():
            if self.since.get(name, since) != since:
                found.append(f"function {name} came with {self.since[name]}, not with {since}")
            elif name not in self.since and _order(since) <= _order(version):
                found.append(
                    f"function {name} is not in release {version}, and said to be since {since}: "
                    "raise the version in pyproject.toml"
                )
        for name, (size, fields) in self.structs.items():
            for key, (offset, _) in new.structs.get(name, (0, {}))[1].items():
                if key not in fields and offset < size and not key.startswith("reserved"):
                    found.append(
                        f"field {key} of {name} is in what was padding, which callers leave as it "
                        f"is: fill the first {size} bytes with a field `reserved`"
                    )
        return [f"{fault}, since the last release" for fault in found]


def _order(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _layout(size: int, fields: dict[str, tuple[int, str]]) -> str:
    places = ", ".join(f"{of} {name} {offset}" for name, (offset, of) in fields.items())
    return f"{size} bytes ({places})"


def _c(text: str) -> str:
    """Return C text with normalized white space: `const char *name`."""
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"\* (?=[\w*()])", "*", text)


def _split(text: str, separator: str) -> list[str]:
    """Split outside of brackets."""
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if character == separator and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def _closing(text: str, start: int) -> int:
    """Return the index of the bracket that closes the one before `start`."""
    depth = 1
    for at in range(start, len(text)):
        depth += (text[at] in "({") - (text[at] in ")}")
        if depth == 0:
            return at
    raise AbiError(f"a bracket is never closed: {text[start : start + 60]}")


def _parameter_name(parameter: str) -> str:
    pointer = re.search(r"\(\*(\w+)\)", parameter)
    return pointer[1] if pointer else re.findall(r"\w+", re.sub(r"\[.*", "", parameter))[-1]


def _type(declaration: str, name: str) -> str:
    """Return the type in a declaration of `name`: the declaration without the name."""
    return _c(re.sub(rf"\b{name}\b(?=[^\w]*($|\)\(|\[))", "", _c(declaration), count=1))


def _fields(body: str) -> dict[str, str]:
    """Return the types of a struct's fields, including those of anonymous unions."""
    fields = {}
    for part in _split(body, ";"):
        declaration = part.strip()
        inner = re.match(r"union\s*\{(.*)\}$", declaration, re.S)
        if inner:
            fields.update(_fields(inner[1]))
        elif declaration:
            first, *others = _split(declaration, ",")
            name = _parameter_name(first)
            fields[name] = base = _type(first, name)
            for other in others:  # `const char *a, *b`
                name = _parameter_name(other)
                fields[name] = _type(f"{base.rstrip('* ')} {other}", name)
    return fields


class Headers:
    """The declarations in the headers."""

    def __init__(self, directory: Path) -> None:
        paths = [path for path in directory.glob("*.h") if path.name != "Api.h"]
        self.names = sorted(path.name for path in paths)
        self.functions: dict[str, Function] = {}
        self.structs: dict[str, dict[str, str]] = {}
        self.types: dict[str, str] = {}
        self.enumerators: list[str] = []
        self.notes: dict[str, str] = {}  # function to the last comment before it
        self.version = 0
        self.directory = directory
        for name in self.names:
            self._read((directory / name).read_text())
            self._read_notes(name, (directory / name).read_text())
        missing = [name for name in FIRST if name not in self.functions]
        if missing or not self.version:
            raise AbiError(f"{directory}: {missing or 'GE_C_ABI_VERSION'} is not declared")

    def _read(self, text: str) -> None:
        version = re.search(r"#define GE_C_ABI_VERSION (\d+)", text)
        if version:
            self.version = int(version[1])
        text = _COMMENT.sub(" ", text)
        text = re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.M)
        text = re.sub(r"\bGE_SIZE_OF\(\w+\)", "", text)
        for match in _FUNCTION.finditer(text):
            end = _closing(text, match.end())
            parameters = [_c(p) for p in _split(text[match.end() : end], ",")]
            if parameters == ["void"]:
                parameters = []
            if match[2] in self.functions:
                raise AbiError(f"{match[2]} is declared twice")
            self.functions[match[2]] = Function(match[2], _c(match[1]), tuple(parameters))
        for match in _ENUM.finditer(text):
            entries = (entry.strip() for entry in match[1].split(","))
            self.enumerators += [re.match(r"\w+", entry)[0] for entry in entries if entry]  # type: ignore[index]
        for match in _STRUCT.finditer(text):
            end = _closing(text, match.end())
            name = re.match(r"\s*(\w+)\s*;", text[end + 1 :])
            if name:
                self.structs[name[1]] = _fields(text[match.end() : end])
        for match in _TYPE.finditer(text):
            opaque = re.fullmatch(r"struct\s+(\w+)\s+\1", match[1].strip())
            if not opaque:
                name = re.search(r"\(\*(\w+)\)", match[1]) or re.search(r"(\w+)$", match[1].strip())
                self.types[name[1]] = _type(match[1], name[1])

    def _read_notes(self, file: str, text: str) -> None:
        if _FUNCTION.search(_COMMENT.sub(" ", text)) and f"Since {BASE} unless" not in text:
            raise AbiError(f"{file}: says not that its functions are 'Since {BASE} ...'")
        note = ""
        for token in re.finditer(rf"(?P<note>/\*.*?\*/)|{_FUNCTION.pattern}", text, re.S):
            if token["note"] is None:
                self.notes[token[3]] = note
            elif token["note"].startswith("/**") and not token["note"].startswith("/**<"):
                note = token["note"]

    def measure(self) -> tuple[dict[str, tuple[int, dict[str, tuple[int, str]]]], dict[str, int]]:
        """Return the layouts of the structs and the values of the enumerators, as computed by the C compiler."""
        lines = [f'#include "ge-c/{name}"' for name in self.names]
        lines += ["#include <stdio.h>", "int main(void) {"]
        for name, fields in sorted(self.structs.items()):
            lines.append(f'  printf("struct {name} %zu", sizeof({name}));')
            lines += [f'  printf(" {f} %zu", offsetof({name}, {f}));' for f in fields]
            lines.append('  printf("\\n");')
        lines += [f'  printf("enum {name} %d\\n", (int){name});' for name in self.enumerators]
        lines += ["  return 0;", "}"]
        with tempfile.TemporaryDirectory() as directory:
            source, program = Path(directory, "layout.c"), Path(directory, "layout")
            source.write_text("\n".join(lines) + "\n")
            compiler = os.environ.get("CC", "cc").split()
            command = [*compiler, f"-I{self.directory.parent}", str(source), "-o", str(program)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise AbiError(f"{' '.join(command)}\n{done.stderr}")
            text = subprocess.run([program], capture_output=True, text=True, check=True).stdout
        structs, numbers = {}, {}
        for line in text.splitlines():
            kind, name, size, *rest = line.split()
            if kind == "enum":
                numbers[name] = int(size)
            else:
                offsets = dict(zip(rest[::2], map(int, rest[1::2]), strict=True))
                types = self.structs[name]
                structs[name] = int(size), {key: (at, types[key]) for key, at in offsets.items()}
        return structs, numbers


def _banner(name: str, what: str) -> str:
    dashes = "-" * max(3, 84 - len(name) - len(what))
    return f"/*===- {name} - {what} {dashes}===*\\\n|*\n|* {GENERATED}\n|*\n"


def header(functions: list[Function], names: list[str], since: dict[str, str]) -> str:
    """Return the text of ge-c/Api.h."""
    includes = "\n".join(f'#include "ge-c/{name}"' for name in names)
    lines, version = [], ""
    for f in functions:
        begins = f"/* Since {since[f.name]}. */ " if since[f.name] != version else ""
        version = since[f.name]
        lines.append(f"  {begins}{f.declare(f'(*{f.name})')};")
    entries = "\n".join(lines)
    return (
        _banner("ge-c/Api.h", "the C API as a table")
        + "|* What plugins and kernel libraries get instead of symbols: they link nothing of GE, and one\n"
        "|* binary serves every GE of its ABI. Entries are only ever appended; the first three are at their\n"
        "|* places in every ABI.\n"
        "|*\n"
        f"\\*===-{'-' * 86}===*/\n"
        "#ifndef GE_C_API_H\n#define GE_C_API_H\n\n"
        f"{includes}\n\n"
        "/* clang-format off */\n"
        "GE_C_BEGIN\n\n"
        "/** Functions as in the headers of ge-c. One table, which lives as long as the library. */\n"
        "typedef struct GeApi {\n"
        "  size_t size;        /**< in bytes; later fields are not in this library */\n"
        "  int32_t abiVersion; /**< GE_C_ABI_VERSION of the library */\n"
        f"{entries}\n"
        "} GeApi;\n\n"
        "/** Whether the library of a table has a function: `GE_API_HAS(api, geNodeErase)`. */\n"
        "#define GE_API_HAS(api, function) \\\n"
        "  ((api)->size >= offsetof(GeApi, function) + sizeof((api)->function))\n\n"
        "/** Of GE::Stubs, a static library with every function of ge-c as a call through this table: sets\n"
        " * it up. GE_ERROR_VALUE when the table is of another ABI, with the reason as the last error.\n"
        " * A function that the table lacks returns GE_ERROR_NOT_IMPLEMENTED, or 0 without a status. */\n"
        '__attribute__((visibility("hidden"))) GeStatus geStubsInit(const GeApi *api);\n\n'
        "GE_C_END\n/* clang-format on */\n\n#endif /* GE_C_API_H */\n"
    )


def table(functions: list[Function]) -> str:
    """Return the text of lib/Host/ApiTable.cpp."""
    entries = textwrap.fill(
        ", ".join(f.name for f in functions), 100, initial_indent="    ", subsequent_indent="    "
    )
    title = "//===- ApiTable.cpp - the C API as a table "
    return (
        f"{title}{'-' * (95 - len(title))}===//\n// {GENERATED}\n"
        '#include "ge-c/Api.h"\n\n'
        "// clang-format off\nstatic const GeApi kApi = {\n    sizeof(GeApi), GE_C_ABI_VERSION,\n"
        f"{entries}}};\n// clang-format on\n\n"
        "const GeApi *geApiGet(void) { return &kApi; }\n"
    )


def stubs(functions: list[Function]) -> str:
    """Return the text of lib/Host/Stubs.inc."""
    lines = [f"/* {GENERATED} */"]
    for f in functions:
        if f.name == "geErrorSet":
            continue  # defined in Stubs.c: the other stubs report errors with it
        if f.result == "void":
            kind = "GE_STUB_VOID"
        elif f.result == "GeStatus":
            kind = "GE_STUB_STATUS"
        else:
            kind = "GE_STUB_STRUCT" if f.result in ("GeStringRef", "GeAttribute") else "GE_STUB"
        result = f"{f.result}, " if kind in ("GE_STUB", "GE_STUB_STRUCT") else ""
        arguments = ", ".join(_parameter_name(p) for p in f.parameters)
        parameters = ", ".join(f.parameters) or "void"
        lines.append(f"{kind}({result}{f.name}, ({parameters}), ({arguments}))")
    return "\n".join(lines) + "\n"


def version_of(root: Path) -> str:
    """Return the version of this tree without its patch number: ``0.1``."""
    found = re.search(r'^version = "(\d+\.\d+)', (root / "pyproject.toml").read_text(), re.M)
    if not found:
        raise AbiError("pyproject.toml has no version")
    return found[1]


def last_release(root: Path) -> tuple[str, Abi] | None:
    """Return the version and the table of the newest release, None before the first one."""
    files = (root / RELEASED).glob("*.txt")
    newest = max(files, key=lambda f: _order(f.stem), default=None)
    return None if newest is None else (newest.stem, Abi.read(newest.read_text()))


def comparison(root: Path, version: int) -> str:
    """Return a sentence about the release that the table is compared with."""
    last = last_release(root)
    if last is None:
        return f"no table of a release in {RELEASED}: nothing is compared with one"
    if last[1].version != version:
        return f"release {last[0]} has ABI {last[1].version}, this is ABI {version}: not compared"
    return f"compared with release {last[0]}"


def generate(root: Path, new_abi: bool = False) -> dict[Path, str]:
    """Return the content of each generated file.

    Raises
    ------
    AbiError
        If a change breaks compiled plugins.
    """
    headers = Headers(root / "include/ge-c")
    committed = root / "include/ge-c/api.txt"
    old = Abi.read(committed.read_text()) if committed.exists() else Abi()
    if new_abi and old.version == headers.version:
        raise AbiError(
            f"--new-abi: raise GE_C_ABI_VERSION, which is {old.version}, in ge-c/Support.h"
        )
    if new_abi or not old.version:
        old = Abi(headers.version)
    if old.version != headers.version:
        raise AbiError("GE_C_ABI_VERSION was changed; a new table begins with --new-abi")
    order = [n for n in old.functions if n in headers.functions]
    for name in [*FIRST, *headers.functions]:
        if name not in old.functions and name not in order:
            order.append(name)
    functions = [headers.functions[name] for name in order]
    signatures = {f.name: f.signature for f in functions}
    current = version_of(root)
    since = {name: old.since.get(name) or current for name in order}
    structs, enumerators = headers.measure()
    new = Abi(headers.version, signatures, since, structs, headers.types, enumerators)
    faults = old.faults(new)
    last = last_release(root)
    if last is not None and last[1].version == new.version:
        faults += last[1].release_faults(last[0], new)
    for name, version in since.items():
        noted = re.findall(r"Since (\d+\.\d+)\.", headers.notes[name])
        if version != BASE and version not in noted:
            faults.append(f"function {name} is new: end its comment with 'Since {version}.'")
    if faults:
        raise AbiError(
            "the C ABI changed:\n  "
            + "\n  ".join(faults)
            + "\nAppend instead (a new function; a field at the end "
            "of a struct with `size`), or raise GE_C_ABI_VERSION and run with --new-abi."
        )
    return {
        committed: new.text(),
        root / "include/ge-c/Api.h": header(functions, headers.names, since),
        root / "lib/Host/ApiTable.cpp": table(functions),
        root / "lib/Host/Stubs.inc": stubs(functions),
    }


def main(arguments: "list[str] | None" = None) -> int:
    """Write the files, or check them; return the exit status."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing, fail when a file is old"
    )
    parser.add_argument("--new-abi", action="store_true", help="start a new table")
    parser.add_argument("--release", action="store_true", help="keep the table as the release's")
    parser.add_argument("--root", type=Path, default=ROOT, help="of the repository")
    given = parser.parse_args(arguments)
    try:
        files = generate(given.root, given.new_abi)
        table = files[given.root / "include/ge-c/api.txt"]
        kept = given.root / RELEASED / f"{version_of(given.root)}.txt"
        if given.release and kept.exists() and kept.read_text() != table:
            raise AbiError(f"{kept.name} is the table of a release: raise the version")
    except AbiError as error:
        print(f"gen_api_table.py: {error}", file=sys.stderr)
        return 1
    print(comparison(given.root, Abi.read(table).version))
    old = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    if given.check:
        for path in old:
            print(
                f"{path.relative_to(given.root)} is old: run python scripts/gen_api_table.py",
                file=sys.stderr,
            )
        return 1 if old else 0
    for path in old:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[path])
    if given.release:
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
