"""Models as the commands name them: ONNX files, text files, ``-``."""

from __future__ import annotations

import errno
import os
import re
import sys
from typing import TYPE_CHECKING

from .._support.formats import TEXT, is_text, need_writable
from .._support.visible import visible
from ._output import CommandError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..ir import Module
    from ._output import Options, Parser

__all__ = [
    "PIPE_LIMIT",
    "TEXT",
    "add_reading",
    "as_read",
    "byte_count",
    "is_text",
    "need_new",
    "pairs",
    "read",
    "shapes",
    "sizes",
    "target_of",
    "text_of",
    "write_text",
]

# Limit for the bytes of standard input, a pipe or a device.
PIPE_LIMIT = 1 << 31

# Bytes by unit, in small letters.
_UNITS = {"": 1, "b": 1, "k": 1000, "kb": 1000, "kib": 1024, "m": 10**6, "mb": 10**6}
_UNITS |= {"mib": 1 << 20, "g": 10**9, "gb": 10**9, "gib": 1 << 30}


def target_of(path: str) -> str:
    """Return the name that the user gave to a result.

    Parameters
    ----------
    path : str

    Raises
    ------
    UsageError
        If its ending promises a kind of file that is not written.
    """
    try:
        need_writable(path)
    except ValueError as error:
        raise UsageError(str(error)) from error
    return path


def add_reading(parser: Parser) -> None:
    """Add the options that say which files may be read.

    Parameters
    ----------
    parser : Parser
    """
    parser.add_argument(
        "--data-root",
        action="append",
        default=[],
        metavar="DIR",
        help="a directory to which links to external data may lead",
    )
    if "--allow-pipe" not in parser._option_string_actions:
        parser.add_argument(
            "--allow-pipe",
            action="store_true",
            help="also read and write pipes and devices, which may block forever",
        )


def read(path: str, options: Options) -> Module:
    """Read a model, in ONNX or as text.

    Parameters
    ----------
    path : str
        ``-`` is standard input, which gives a model once.
    options : Options
        With what `add_reading` adds.

    Raises
    ------
    GEError, OSError
        If it is not a model: a text needs a graph that is not a function.
    """
    from .._support.files import read_file
    from ..ir import Module, ParseError
    from ..onnx import load
    from ..run import main_graph

    if not is_text(path):
        return load(path, data_roots=options.data_root, allow_pipe=options.allow_pipe)
    name = path
    if path == "-":
        data, name = _read_stdin(), "<stdin>"
    else:
        data = read_file(path, allow_pipe=options.allow_pipe)
    try:
        module = Module.parse(data.decode(), file=name)
    except UnicodeDecodeError as error:
        raise ParseError(f"{name}: no text: {error}") from error
    try:
        main_graph(module)
    except ValueError as error:
        raise ParseError(f"{name}: {error if data.strip() else 'nothing is there'}") from error
    return module


def as_read(path: str, module: Module, options: Options) -> Module | str:
    """Return what `ge.onnx.check` runs: the file if a runtime can read it unchanged, else the module.

    Parameters
    ----------
    path : str
    module : Module
        What `read` made of it.
    options : Options
    """
    whole = not is_text(path) and not options.data_root and os.path.isfile(path)
    return path if whole else module


def _read_stdin() -> bytes:
    """Read standard input up to the limit for pipes."""
    pieces, size = [], 0
    while piece := sys.stdin.buffer.read(1 << 20):
        size += len(piece)
        if size > PIPE_LIMIT:
            raise OSError(errno.EFBIG, "more than the 2 GiB that are read", "<stdin>")
        pieces.append(piece)
    return b"".join(pieces)


def text_of(module: Module, elide: int | None = None) -> str:
    """Return a module's text, which is read again before it is returned, as the files of models are.

    Parameters
    ----------
    module : Module
    elide : int, optional
        Largest number of elements of a tensor that is written in full; what is left out cannot be read again.

    Raises
    ------
    ModelError
        If it cannot be read.
    """
    from ..ir import Context, ModelError, ParseError

    text = module.to_text(elide_elements_larger_than=elide)
    if elide is None:
        try:
            module.parse(text, context=Context())
        except ParseError as error:
            raise ModelError(
                f"the text was not written, because it could not be read again: {error}"
            ) from error
    return text


def write_text(
    text: str,
    path: str,
    *,
    is_new: bool = False,
    allow_pipe: bool = False,
    no_links: bool = False,
) -> None:
    """Write a file whole or not at all; ``-`` is standard output.

    Parameters
    ----------
    text : str
    path : str
        A link keeps pointing where it points, and a file that was there keeps owner, mode and extended attributes.
    is_new : bool
        The command chose the path, not its user: nothing that is there is replaced.
    allow_pipe : bool
        Write pipes and devices, too.
    no_links : bool
        Refuse a symbolic link.

    Raises
    ------
    OSError
    """
    if path == "-":
        _write_stdout(text)
        return
    from .._support.files import write_file

    # Bytes of paths that are not text are escaped.
    data = text.encode("utf-8", "backslashreplace")
    write_file(path, data, is_new=is_new, allow_pipe=allow_pipe, no_links=no_links)


def _write_stdout(text: str) -> None:
    """Write UTF-8, which files of the text form are, whatever the locale is; to a terminal without controls."""
    stream = getattr(sys.stdout, "buffer", None)
    if sys.stdout.isatty():
        text = visible(text, keep="\n\t")
    if stream is None:
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    stream.write(text.encode("utf-8", "backslashreplace"))
    stream.flush()


def need_new(path: str, command: str) -> None:
    """Raise if a file exists under a name that the command has chosen itself.

    Parameters
    ----------
    path : str
    command : str
        What replaces it.

    Raises
    ------
    CommandError
    """
    if os.path.lexists(path):
        raise CommandError(f"'{path}' exists: to replace it, {command} -o {path}")


def pairs(words: Iterable[str], option: str, form: str) -> dict[str, str]:
    """Split each ``NAME=VALUE``.

    Parameters
    ----------
    words : iterable of str
    option : str
        Whose words they are.
    form : str
        What the message shows as the right form.

    Raises
    ------
    UsageError
    """
    found: dict[str, str] = {}
    for word in words:
        # Names of tensors may have both signs in them; values never do.
        name, sign, value = word.rpartition("=")
        if not sign or not name or not value:
            raise UsageError(f"{option} takes {form}, not '{word}'")
        if found.setdefault(name, value) != value:
            raise UsageError(f"{option} gives '{name}' twice, as {found[name]} and as {value}")
    return found


def sizes(words: Iterable[str]) -> dict[str, int]:
    """Return the sizes of ``--dim N=3``.

    Parameters
    ----------
    words : iterable of str

    Raises
    ------
    UsageError
    """
    found = {}
    for name, text in pairs(words, "--dim", "NAME=SIZE, as in --dim N=3").items():
        if not text.isdecimal():
            raise UsageError(f"--dim {name}={text}: a size is a number, 0 or more")
        found[name] = int(text)
    return found


def shapes(words: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of ``--shape x=1,3,224,224``.

    Parameters
    ----------
    words : iterable of str

    Raises
    ------
    UsageError
    """
    found = {}
    for name, text in pairs(words, "--shape", "NAME=SIZES, as in --shape x=1,3,224,224").items():
        parts = text.split(",")
        if not all(part.isdecimal() for part in parts):
            raise UsageError(f"--shape {name}={text}: a shape is numbers and commas")
        found[name] = tuple(map(int, parts))
    return found


def byte_count(text: str | None, option: str) -> int | None:
    """Return the bytes of ``--fold-limit 64KiB``; None for None.

    Parameters
    ----------
    text : str, optional
    option : str
        Whose word it is.

    Raises
    ------
    UsageError
    """
    if text is None:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", text.strip().lower())
    if not match or match.group(2) not in _UNITS:
        raise UsageError(
            f"{option} {text}: a size is a number with or without KB, KiB, MB, MiB, GB, GiB"
        )
    return int(float(match.group(1)) * _UNITS[match.group(2)])
