"""The lines in which ``ge diff`` and ``ge optimize --graph-diff`` show groups of nodes."""

from __future__ import annotations

import itertools
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..ir import Node
    from ..view import Group

__all__ = ["group_lines", "wrapped"]

# A group that does not fit one line of this width is shown in several, indented ones. Names are not broken.
_WIDTH = 100
_INDENT = "    "
# Nodes, and changes, of a group that are shown.
_MOST = 8


def group_lines(groups: Iterable[Group], full: bool = False) -> Iterator[str]:
    """Yield the lines of groups: ``these 3 became this 1: A a, B b, C c -> D d``.

    Neighbours that were removed, or that were added, share their lines.

    Parameters
    ----------
    groups : iterable of Group
        All but those of kind "same".
    full : bool
        Show all nodes and changes of a group.
    """
    for kind, same in itertools.groupby(groups, lambda group: group.kind):
        if kind in ("removed", "added"):
            nodes = [node for group in same for node in group.before or group.after]
            yield from _listed(f"{kind}: ", _names(nodes))
            continue
        for group in same:
            yield from _became(group, full) if kind == "became" else _changed(group, full)


def _became(group: Group, full: bool) -> Iterator[str]:
    before, after = (_few(_names(nodes), full) for nodes in (group.before, group.after))
    details = f" ({'; '.join(group.details)})" if group.details else ""
    these = "this 1" if len(group.before) == 1 else f"these {len(group.before)}"
    those = "this 1" if len(group.after) == 1 else f"these {len(group.after)}"
    line = f"{these} became {those}: {', '.join(before)} -> {', '.join(after)}{details}"
    if len(line) <= _WIDTH:
        yield line
        return
    yield f"{these} became {those}:"
    yield from _filled(_INDENT, before)
    yield from _filled(f"{_INDENT}-> ", after)
    yield from _filled(_INDENT, group.details)


def _changed(group: Group, full: bool) -> Iterator[str]:
    details = _few(group.details, full)
    head = f"{group.kind}: {', '.join(_names(group.after))}"
    line = f"{head} ({'; '.join(details)})" if details else head
    if len(line) <= _WIDTH:
        yield line
        return
    yield head
    for detail in details:
        yield from wrapped(_INDENT + detail)


def _names(nodes: Sequence[Node]) -> list[str]:
    return [f"{node.type} {node.name}" for node in nodes]


def _few(items: Sequence[str], full: bool) -> list[str]:
    more = len(items) - _MOST
    return list(items) if full or more <= 0 else [*items[:_MOST], f"... {more} more"]


def _listed(head: str, items: Sequence[str]) -> Iterator[str]:
    line = head + ", ".join(items)
    if len(line) <= _WIDTH or len(items) == 1:
        yield line
        return
    yield head.rstrip()
    yield from _filled(_INDENT, items)


def _filled(head: str, items: Sequence[str]) -> Iterator[str]:
    """Yield lines of items that stay whole."""
    line = head
    for index, item in enumerate(items):
        text = item if index == len(items) - 1 else item + ","
        if line == head:
            line += text
        elif len(line) + 1 + len(text) <= _WIDTH:
            line += " " + text
        else:
            yield line
            line = " " * len(head) + text
    if items:
        yield line


def wrapped(text: str) -> list[str]:
    """Return a text as lines, broken before an arrow or else between words.

    Parameters
    ----------
    text : str
        One line; its indentation is that of all lines.
    """
    if len(text) <= _WIDTH:
        return [text]
    indent = text[: len(text) - len(text.lstrip())] + _INDENT
    old, arrow, new = text.partition(" -> ")
    parts = [old, f"{indent}-> {new}"] if arrow else [old]
    return [
        line
        for part in parts
        for line in textwrap.wrap(
            part,
            _WIDTH,
            subsequent_indent=indent,
            expand_tabs=False,
            break_long_words=False,
            break_on_hyphens=False,
            replace_whitespace=False,
        )
    ]
