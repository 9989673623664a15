"""Output of all commands: plain text, tables, JSON for programs, errors to stderr."""

from __future__ import annotations

import argparse
import contextlib
import json as json_
import sys
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from .._support.program import PROGRAM
from .._support.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = [
    "UNDECIDED",
    "CommandError",
    "Options",
    "Output",
    "Parser",
    "UndecidedError",
    "UsageError",
    "human_bytes",
]

UNDECIDED = 3
"""Exit status where it could not be decided whether models compute the same."""

Options = argparse.Namespace


class UsageError(Exception):
    """The command was called wrongly: exit status 2."""


class CommandError(Exception):
    """The command could not do its work: exit status 1."""


class UndecidedError(CommandError):
    """Whether models compute the same could not be decided: exit status 3.

    Parameters
    ----------
    text : str
    outcome : str
        ``"not-loaded"`` or ``"not-evaluated"``, in the JSON output.
    """

    def __init__(self, text: str, outcome: str) -> None:
        super().__init__(text)
        self.outcome = outcome


class _Once(argparse.Action):
    """Keep the one value of an option: argparse would take the last of several in silence."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        if option_string is not None and isinstance(parser, Parser):
            parser.give(self.dest, option_string, values)
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors name the help option.

    Parameters
    ----------
    command : str
        Name of the command.
    text : str
        What it does.
    """

    def __init__(self, command: str, text: str, epilog: str = ""):
        super().__init__(
            prog=f"{PROGRAM} {command}",
            description=text,
            epilog=epilog,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        self.register("action", None, _Once)
        self.register("action", "store", _Once)
        self._given: dict[str, tuple[str, Any]] = {}

    def give(self, dest: str, option: str, value: Any) -> None:
        """Record the value of an option that has one.

        Parameters
        ----------
        dest, option : str
        value : object

        Raises
        ------
        UsageError
            If it has another value already, also under another name of the option.
        """
        first, old = self._given.setdefault(dest, (option, value))
        if old != value:
            self.error(f"{option} {value} contradicts {first} {old}: give one of them")

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError`.

        Parameters
        ----------
        message : str
        """
        raise UsageError(f"{message} ('{self.prog} --help' tells more)")

    def add_json(self) -> None:
        """Add ``--json``."""
        self.add_argument("--json", action="store_true", help="print one JSON object")


def human_bytes(count: int) -> str:
    """Return a size for human readers.

    Parameters
    ----------
    count : int
        Bytes.
    """
    if count < 1024:
        return f"{count} B"
    size = float(count)
    for unit in ("KiB", "MiB", "GiB"):
        size /= 1024
        if size < 1024 or unit == "GiB":
            return f"{size:.1f} {unit}"
    raise AssertionError


def _fits(text: str, stream: TextIO | None = None) -> bool:
    """Whether a stream can encode a text; None: as UTF-8."""
    encoding = (getattr(stream, "encoding", None) or "utf-8") if stream is not None else "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _shown(text: str, stream: TextIO) -> str:
    """Return a text as a stream can show it: a byte of a path that is not text becomes its number."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _print(text: str, stream: TextIO) -> None:
    # A name of a model must not move the cursor of a terminal, or turn what is read.
    text = visible(text, keep="\n")
    print(text if _fits(text, stream) else _shown(text, stream), file=stream)


class Output:
    """Standard output of one command.

    Parameters
    ----------
    json : bool
        Print nothing but what `result` gets.
    """

    def __init__(self, json: bool = False):
        self.json = json
        self.rich = not json and sys.stdout.isatty()
        self._gave_stdout = False

    def give_stdout(self) -> None:
        """Reserve standard output for a model: all other output goes to stderr.

        Raises
        ------
        UsageError
            If JSON should stand there, too.
        """
        if self.json:
            raise UsageError("standard output cannot have the text and --json: give -o OUT")
        self._gave_stdout, self.rich = True, False

    @property
    def _stream(self) -> TextIO:
        return sys.stderr if self._gave_stdout else sys.stdout

    def line(self, text: str = "") -> None:
        """Print a line.

        Parameters
        ----------
        text : str
        """
        if not self.json:
            _print(text, self._stream)

    def error(self, text: str) -> None:
        """Print what went wrong to stderr.

        Parameters
        ----------
        text : str
        """
        _print(f"{PROGRAM}: error: {text}", sys.stderr)

    def note(self, text: str) -> None:
        """Print something that is not the result to stderr.

        Parameters
        ----------
        text : str
        """
        _print(f"{PROGRAM}: {text}", sys.stderr)

    def result(self, value: dict[str, Any]) -> None:
        """Print the JSON object if one was requested.

        Parameters
        ----------
        value : dict
        """
        if self.json:
            text = json_.dumps(value, indent=2, ensure_ascii=False)
            if not _fits(text, sys.stdout) or text != visible(text, keep="\n"):
                # Bytes of paths that are not text are lone surrogates, as Python has them: "\\udcff". Terminals
                # obey controls.
                text = json_.dumps(value, indent=2)
            print(text)

    def table(self, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Print a table; numbers stand to the right.

        Parameters
        ----------
        head : sequence of str
        rows : sequence of sequences
        """
        if self.json:
            return
        right = [
            bool(rows)
            and all(isinstance(row[i], (int, float)) or row[i] in ("", "-") for row in rows)
            for i in range(len(head))
        ]
        texts = [[visible(str(cell)) for cell in row] for row in rows]
        if self.rich:
            self._rich_table(head, texts, right)
            return
        widths = [max(map(len, column)) for column in zip(head, *texts, strict=True)]
        for row in [list(head), ["-" * w for w in widths], *texts]:
            cells = [
                cell.rjust(w) if r else cell.ljust(w)
                for cell, w, r in zip(row, widths, right, strict=True)
            ]
            _print("  ".join(cells).rstrip(), self._stream)

    def _rich_table(self, head: Sequence[str], rows: list[list[str]], right: list[bool]) -> None:
        from rich.box import SIMPLE_HEAD
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        rows = [[_shown(cell, sys.stdout) for cell in row] for row in rows]
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        for title, is_right in zip(head, right, strict=True):
            table.add_column(Text(title), justify="right" if is_right else "left", overflow="fold")
        for row in rows:
            table.add_row(*map(Text, row))
        Console().print(table)

    @contextlib.contextmanager
    def progress(self, what: str, total: int) -> Iterator[Callable[[str], None]]:
        """Show progress on stderr where that is a terminal; yield what to call after each step.

        Parameters
        ----------
        what : str
        total : int
            Steps.
        """
        if self.json or not sys.stderr.isatty():
            yield lambda text: None
            return
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(what, total=total)
            yield lambda text: bar.update(
                task, advance=1, description=_shown(f"{what} {text}", sys.stderr)
            )
