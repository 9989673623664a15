r"""Tests of names in error texts.

Guarantee under test: errors show names without characters that control a terminal, direct text or are invisible: the same
escapes as the command line's, for every character, except that newlines and tabs stay.
"""

from __future__ import annotations

import sys

import pytest

from ge import ir
from ge._support.visible import visible

X = ir.TensorType((2,), ir.f32)


def refusal(name: str) -> str:
    """Return the text of an error about a node of that name."""
    graph = ir.Graph("g")
    node = graph.add_node("onnx.Abs", [graph.add_input("x", X)], result_types=[X], name=name)
    graph.outputs = [node.result]
    with pytest.raises(ValueError, match="is still used by") as caught:
        node.erase()
    return str(caught.value)


def test_every_character() -> None:
    for first in range(1, sys.maxunicode + 1, 4096):
        characters = map(chr, range(first, min(first + 4096, sys.maxunicode + 1)))
        # A name is UTF-8, which has no surrogates.
        name = "".join(c for c in characters if not "\ud800" <= c <= "\udfff")
        if name:
            shown = visible(name, keep="\t\n")
            assert f"node '{shown}'" in refusal(name)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\x1b[2Jb", r"a\x1b[2Jb"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("tag\U000e0041", r"tag\U000e0041"),
        ("two\nlines\tand a tab\r", "two\nlines\tand a tab" + r"\r"),
        ("é 日本 \U0001f600 ?", "é 日本 \U0001f600 ?"),
        ("?" * 100_000, "?" * 100_000),
    ],
    ids=["terminal", "direction", "tag", "lines", "text", "long"],
)
def test_what_is_shown(name: str, shown: str) -> None:
    assert f"node '{shown}'" in refusal(name)


def test_the_name_itself_is_kept() -> None:
    graph = ir.Graph("g")
    graph.add_node("onnx.Abs", [graph.add_input("x", X)], result_types=[X], name="a\x1bb")
    assert [node.name for node in graph.nodes] == ["a\x1bb"]
