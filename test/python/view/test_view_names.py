"""Names in a model cannot inject control characters, bidirectional formatting or markup into displayed text."""

import base64
import json
import re
import unicodedata
import zlib
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cli_run import ge

import ge.onnx as ge_onnx
from ge import ir, view
from ge._support.visible import visible, visible_key

HOSTILE = [
    "a\x00b\x01\x1b[31mred\x7f",
    "line\nline\r\ttab\x85\x9b",
    "</script><script>alert(1)</script>",
    "<!-- ]]> <img src=x onerror=alert(1)> &amp; \" '",
    "\u202egnp.exe\u202c \u2066x\u2069 \u200e\u200f\u061c",
    "zero\u200bwidth\ufeff\u2028\u2029\U000e0041",
    "{{content}} {{script}}",
]
TYPE = ir.TensorType(("N\u202e\n", 4), ir.f32)


def hostile(count: int = 0) -> ir.Graph:
    """Return a graph with hostile names of the graph, inputs, nodes, results, attributes, outputs and metadata."""
    graph = ir.Graph("g" + HOSTILE[4] + HOSTILE[0].replace("\x00", ""))
    value = graph.add_input("x" + HOSTILE[1], TYPE)
    names = HOSTILE + [f"{HOSTILE[1]}/{HOSTILE[4]}/{i}" for i in range(count)]
    for i, name in enumerate(names):
        attributes = {"text": name, "onnx.metadata_props": {"namespace": f"{name}/{name}: x/leaf"}}
        node = graph.add_node(
            "acme.Op", [value], attributes, name=f"{i}{name}", result_types=[TYPE]
        )
        node.add_origin(f"o{name}", op="onnx.Add", pass_name="p\u202e", rule="r\n")
        node.result.name = f"v{i}{name}"
        value = node.result
    graph.outputs = [value]
    graph.output_names = ["y" + HOSTILE[2] + HOSTILE[4]]
    return graph


def is_clean(text: str, keep: str = "\n") -> bool:
    """Return whether a text has no control, formatting or separator characters."""
    return all(c in keep or unicodedata.category(c) not in ("Cc", "Cf", "Zl", "Zp") for c in text)


def strings(value: object) -> list[str]:
    if isinstance(value, dict):
        return [s for pair in value.items() for part in pair for s in strings(part)]
    if isinstance(value, list):
        return [s for part in value for s in strings(part)]
    return [value] if isinstance(value, str) else []


def test_what_is_not_seen_is_an_escape() -> None:
    assert visible("a\nb\x1b\u202e\udcff") == "a\\nb\\x1b\\u202e\\udcff"
    assert visible("naïve 漢字 🙂 a/b\\c") == "naïve 漢字 🙂 a/b\\c"
    assert visible_key("a\\n") != visible_key("a\n")
    assert all(is_clean(visible(name), "") for name in HOSTILE)


# Default_Ignorable_Code_Point of Unicode 15.1 (DerivedCoreProperties.txt), and the blanks that are letters or symbols.
IGNORABLE = [
    *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0x200B, 0x2010)),
    *(*range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x3164, *range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0),
    *(*range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000)),
    *(0x2800, 0x1D159),
]  # fmt: skip


def test_what_unicode_ignores_is_an_escape() -> None:
    for code in IGNORABLE:
        shown = visible(chr(code))
        assert shown.startswith("\\") and shown.isascii(), hex(code)
    for text in ("é", "ㅏ", "ﾡ", "⠁", "🙂", "a\u00a0b", "\u3000", "ｱ"):
        assert visible(text) == text


@pytest.mark.parametrize("count", [0, 200])
def test_pictures(count: int) -> None:
    text = view.svg(hostile(count))
    assert is_clean(text)
    root = ElementTree.fromstring(text)
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags <= {"svg", "title", "style", "defs", "marker", "path", "g", "rect", "text"}
    assert "\\u202e" in text and "\\x1b" in text


@pytest.mark.slow
@pytest.mark.parametrize("count", [0, 200])
def test_pages(count: int) -> None:
    graph = hostile(count)
    for page in (view.html(graph), view.html(graph, hostile(1), title=HOSTILE[2] + HOSTILE[6])):
        assert is_clean(page)
        assert len(re.findall("(?i)<script", page)) == 2 and "<img" not in page
        (packed,) = re.findall(r'id="content">([^<]*)<', page)
        content = json.loads(zlib.decompress(base64.b64decode(packed)))
        assert all(map(is_clean, strings(content)))
        for scenes in content.values():
            keys = [scene["key"] for scene in scenes]
            assert len(set(keys)) == len(keys)
            for scene in scenes:
                # Every picture that a box opens exists; boxes have the same keys in the list and in the picture.
                opened = [key for box in scene["boxes"] for key in box[4]]
                assert set(opened) <= set(keys)
                root = ElementTree.fromstring(scene["svg"])
                shown = [e.get("data-key") for e in root.iter() if e.get("data-key") is not None]
                assert shown == [box[0] for box in scene["boxes"]]
                assert len(set(shown)) == len(shown)


def test_model_explorer() -> None:
    content = json.loads(view.explorer_json(hostile(), "label\u202e\n"))
    assert all(is_clean(text, "") for text in strings(content))


@pytest.mark.parametrize("count", [0, 200])
def test_notebooks(count: int) -> None:
    graph = hostile(count)
    text = graph._repr_html_()
    assert is_clean(text)
    assert "<script" not in text.lower() and "<img" not in text
    picture = graph._repr_svg_()
    assert picture is None or is_clean(picture)


def test_commands(tmp_path: Path) -> None:
    module = ir.Module("m")
    module.attributes["onnx.opset_imports"] = {"onnx": 17, "acme": 1}
    module.add_graph(hostile())
    path = tmp_path / "m.onnx"
    ge_onnx.save(module, path)
    for words in (
        ["info", path],
        ["diff", path, path],
        ["optimize", path, "-o", tmp_path / "o.onnx"],
        ["view", path, "-o", tmp_path / "p.html"],
        ["view", path, "-o", tmp_path / "p.svg", "--around", "3" + HOSTILE[3]],
        ["view", path, "-o", tmp_path / "p.json"],
    ):
        done = ge(*words)
        assert done.status == 0, done
        assert is_clean(done.out + done.err), words
    for name in ("p.html", "p.svg"):
        assert is_clean((tmp_path / name).read_text(encoding="utf-8")), name


def test_a_line_of_a_diff_stays_short_however_many_operands_a_node_has(tmp_path: Path) -> None:
    paths = []
    for step in (1, -1):
        graph = ir.Module("m").add_graph("g")
        inputs = [graph.add_input(f"x{i}", ir.TensorType((2,), ir.f32)) for i in range(2000)]
        graph.outputs = [graph.add_node("onnx.Sum", inputs[::step], name="sum").result]
        paths.append(tmp_path / f"{step}.mlir")
        paths[-1].write_text(graph.module.to_text())
    done = ge("diff", *paths)
    assert done.status == 1 and "    ... 1992 more\n" in done.out
    assert max(map(len, done.out.splitlines())) <= 100
    assert "    operand 1999: x1999 -> x0\n" in ge("diff", *paths, "--full").out
