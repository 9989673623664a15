"""In a real browser the page's search, folded parts, zoom and comparison work, and nothing is loaded."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import ge.ir as ir
from ge.view import html

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="needs package chromium"),
    pytest.mark.nosan,  # the browser would start with the sanitizer's runtime
]
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1000,700",
]
T = ir.TensorType((4,), ir.f32)


def graph(count: int, op: str = "Add") -> ir.Graph:
    made = ir.Graph("model")
    a = b = made.add_input("x", T)
    for i in range(count):
        kind = f"onnx.{op}" if i == count - 1 else "onnx.Add"
        node = made.add_node(kind, [a, b], name=f"/block.{i // 50}/op{i}", result_types=[T])
        a, b = node.result, a
    made.outputs = [a]
    return made


def run(page: str, script: str, tmp_path: Path) -> dict:
    """Open the page, run `script` in it, and return the object `result` that it fills."""
    finish = "document.body.dataset.result = JSON.stringify(result);"
    # If the page fails, there is no result.
    code = (
        f"<script>ready.then(() => {{const result = {{}};\n{script}\n{finish}}});</script></body>"
    )
    path = tmp_path / "page.html"
    path.write_text(page.replace("</body>", code), encoding="utf-8")
    done = subprocess.run(
        [
            str(CHROMIUM),
            *FLAGS,
            f"--user-data-dir={tmp_path / 'profile'}",
            "--virtual-time-budget=60000",  # until the page has unpacked itself
            "--dump-dom",
            path.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    found = re.search(r'data-result="([^"]*)"', done.stdout)
    assert found, done.stderr[-2000:]
    result: dict = json.loads(found.group(1).replace("&quot;", '"').replace("&amp;", "&"))
    return result


@pytest.mark.slow
def test_search_finds_a_node_in_a_folded_part_and_opens_it(tmp_path: Path) -> None:
    script = """
    result.first = document.body.dataset.scene;
    result.parts = document.querySelectorAll("#canvas g.part").length;
    const field = document.getElementById("search");
    field.value = "op137"; field.dispatchEvent(new Event("input"));
    result.found = document.body.dataset.found;
    document.querySelector("#found button").click();
    result.scene = document.body.dataset.scene;
    result.selected = document.body.dataset.selected;
    result.about = document.getElementById("about").textContent;
    result.trail = [...document.querySelectorAll("#path button")].map((b) => b.textContent);
    document.querySelector("#path button").click();
    result.back = document.body.dataset.scene;
    """
    found = run(html(graph(300)), script, tmp_path)
    assert found["first"] == found["back"] == ""
    assert found["parts"] == 6
    assert found["found"] == "1"
    assert found["scene"] == "/block.2"
    assert found["selected"] == "/block.2/op137"
    assert "onnx.Add /block.2/op137" in found["about"]
    assert found["trail"] == ["model", "block.2"]


@pytest.mark.slow
def test_click_zoom_move_and_double_click(tmp_path: Path) -> None:
    script = """
    const svg = () => document.querySelector("#canvas svg").style.transform;
    const scale = () => Number(/scale\\(([^)]*)\\)/.exec(svg())[1]);
    const before = scale();
    document.getElementById("in").click();
    result.larger = scale() > before;
    document.getElementById("fit").click();
    result.fits = scale() === before;
    const canvas = document.getElementById("canvas");
    canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -200, clientX: 300, clientY: 300, cancelable: true }));
    result.wheel = scale() > before;
    const was = svg();
    canvas.dispatchEvent(new PointerEvent("pointerdown", { clientX: 10, clientY: 10 }));
    window.dispatchEvent(new PointerEvent("pointermove", { clientX: 60, clientY: 40 }));
    window.dispatchEvent(new PointerEvent("pointerup", {}));
    result.moved = svg() !== was;
    const part = document.querySelector("#canvas g.part rect");
    part.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    result.selected = document.body.dataset.selected;
    part.dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
    result.scene = document.body.dataset.scene;
    result.boxes = document.querySelectorAll("#canvas g.node").length;
    """
    found = run(html(graph(300)), script, tmp_path)
    assert found == {
        "larger": True,
        "fits": True,
        "wheel": True,
        "moved": True,
        "selected": "/block.0",
        "scene": "/block.0",
        "boxes": 50,
    }


@pytest.mark.slow
def test_before_and_after(tmp_path: Path) -> None:
    script = """
    const [before, after] = document.querySelectorAll("#sides button");
    result.sides = [before.textContent, after.textContent];
    result.shown = document.body.dataset.side;
    result.removed = document.querySelectorAll("#canvas g.changed").length;
    after.click();
    result.then = document.body.dataset.side;
    result.pressed = after.getAttribute("aria-pressed");
    result.boxes = document.querySelectorAll("#canvas g.node").length;
    """
    found = run(html(graph(5), graph(5, "Mul")), script, tmp_path)
    assert found == {
        "sides": ["before", "after"],
        "shown": "before",
        "removed": 1,
        "then": "after",
        "pressed": "true",
        "boxes": 5,
    }


@pytest.mark.slow
def test_names_cannot_run_as_code(tmp_path: Path) -> None:
    made = ir.Graph("<img src=x onerror=hit()>")
    x = made.add_input("x", T)
    for name in (
        "</script><script>hit()</script>",
        "<img src=x onerror=hit()>",
        '"><b onclick="hit()">',
    ):
        x = made.add_node("onnx.Abs", [x], name=name, result_types=[T]).result
    made.outputs = [x]
    script = """
    window.hits = 0; window.hit = () => { window.hits += 1; };
    const field = document.getElementById("search");
    field.value = "hit"; field.dispatchEvent(new Event("input"));
    for (const one of document.querySelectorAll("#found button")) one.click();
    result.hits = window.hits;
    result.found = document.body.dataset.found;
    result.images = document.querySelectorAll("img").length;
    """
    page = html(made)
    assert not re.search(r"""(?:src|href)\s*=\s*["']?(?:https?:)?//""", page)
    assert run(page, script, tmp_path) == {"hits": 0, "found": "3", "images": 0}


@pytest.mark.slow
def test_a_page_of_many_nodes_is_small_and_works(tmp_path: Path) -> None:
    made = graph(18_000)
    page = html(made, made.clone())
    assert len(page) < 2 * 18_000 * 120
    script = """
    const field = document.getElementById("search");
    field.value = "op17999"; field.dispatchEvent(new Event("input"));
    document.querySelector("#found button").click();
    result.selected = document.body.dataset.selected;
    result.tooltip = document.querySelector("#canvas .selected title").textContent.split("\\n")[0];
    document.querySelectorAll("#sides button")[1].click();
    result.side = document.body.dataset.side;
    """
    assert run(page, script, tmp_path) == {
        "selected": "/block.359/op17999",
        "tooltip": "onnx.Add /block.359/op17999",
        "side": "after",
    }
