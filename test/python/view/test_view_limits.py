"""The number of boxes in pictures of a large graph is bounded, and the cost is linear in the number of nodes.

Not bounded: the text of a node's tooltip, which lists its operands.
"""

import json
import re
import time
import zlib
from base64 import b64decode
from collections.abc import Callable

import pytest

import ge.ir as ir
from ge import view

T = "tensor<4xf32>"


def ends(count: int) -> ir.Graph:
    """Return a graph with `count` inputs and as many outputs."""
    names = ", ".join(f"%y{i}" for i in range(count))
    types = ", ".join([T] * count)
    body = "".join(f'%y{i} = "onnx.Neg"(%x{i}) : ({T}) -> {T}\n' for i in range(count))
    inputs = ", ".join(f"%x{i}: {T}" for i in range(count))
    return ir.Graph.parse(
        f"func.func @g({inputs}) -> ({types}) {{\n{body}return {names} : {types}\n}}"
    )


def chain(count: int, name: Callable[[int], str]) -> ir.Graph:
    values = ["x", *(f"y{i}" for i in range(count))]
    body = "".join(
        f'%{values[i + 1]} = "onnx.Neg"(%{values[i]}) {{ge.name = "{name(i)}"}} : ({T}) -> {T}\n'
        for i in range(count)
    )
    return ir.Graph.parse(f"func.func @g(%x: {T}) -> {T} {{\n{body}return %{values[-1]} : {T}\n}}")


def deep(count: int) -> ir.Graph:
    """Return a chain in which each node is nested in one more module."""
    return chain(count, lambda i: "/".join([*(f"m{k}" for k in range(i)), "n"]))


def flat(count: int) -> ir.Graph:
    return chain(count, lambda i: f"n{i}")


def boxes(svg: str) -> int:
    return svg.count("<rect ")


def test_many_inputs_and_outputs_share_a_box() -> None:
    text = view.svg(ends(2000))
    assert boxes(text) < 200
    assert "1970 more inputs" in text and "1970 more outputs" in text


def test_few_inputs_and_outputs_have_their_own() -> None:
    text = view.svg(ends(100))
    assert "more inputs" not in text and "x99" in text


def test_modules_far_inside_are_one_picture() -> None:
    text = view.html(deep(200))
    assert content(text) and len(content(text)) <= 2 * 32 + 2


def content(html: str) -> list[dict[str, object]]:
    """Return the pictures of a page."""
    packed = max(re.findall("[A-Za-z0-9+/=]{40,}", html), key=len)
    [scenes] = json.loads(zlib.decompress(b64decode(packed))).values()
    return scenes


def test_a_page_has_no_more_boxes_than_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    from ge.view import _scene

    graph = flat(4000)
    whole = content(view.html(graph))
    monkeypatch.setattr(_scene, "_MOST_BOXES", 500)
    some = content(view.html(graph))
    count = sum(len(scene["boxes"]) for scene in some)  # type: ignore[arg-type, misc]
    assert count < 500 + 120 and len(some) < len(whole)
    keys = {scene["key"] for scene in some}
    opened = {key for scene in some for box in scene["boxes"] for key in box[4]}  # type: ignore[attr-defined]
    assert opened <= keys
    assert any("not drawn" in str(scene["svg"]) for scene in some)


@pytest.mark.slow
@pytest.mark.parametrize("graph", [ends, deep, flat])
def test_twice_the_graph_costs_at_most_3_5_times(graph: Callable[[int], ir.Graph]) -> None:
    def seconds(target: ir.Graph) -> float:
        start = time.thread_time()
        view.html(target)
        return time.thread_time() - start

    small, large = graph(500), graph(1000)
    view.html(small)
    for _ in range(3):
        ratio = min(seconds(large) for _ in range(3)) / min(seconds(small) for _ in range(3))
        if ratio < 3.5:
            break
    assert ratio < 3.5
