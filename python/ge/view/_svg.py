"""A picture as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from .._support.visible import visible, visible_key
from ._layout import layout

if TYPE_CHECKING:
    from ._scene import Box, Scene

__all__ = ["STYLE", "draw"]

_CHARACTER, _LINE, _PADDING = 6.7, 15.0, 9.0
_LONGEST = 44
_NEW_LINE = "\n"

STYLE = """
.ge text { font: 11px ui-monospace, Menlo, Consolas, monospace; fill: #1f2328; }
.ge .title { font-weight: bold; }
.ge rect { fill: #eef3fb; stroke: #6b7f99; rx: 5px; }
.ge .input rect, .ge .output rect { fill: #e8f5e9; stroke: #5b8a5f; }
.ge .part rect { fill: #f4efe4; stroke: #8f7f52; stroke-width: 2; }
.ge .outside rect { fill: #fff; stroke-dasharray: 4 3; }
.ge .added rect { fill: #d9f2dd; stroke: #2f8f3f; stroke-width: 2; }
.ge .removed rect { fill: #fbdedd; stroke: #c23b35; stroke-width: 2; }
.ge .changed rect { fill: #fdf0c8; stroke: #b08800; stroke-width: 2; }
.ge .center rect { stroke: #b00060; stroke-width: 3; }
.ge path { fill: none; stroke: #8b949e; }
.ge path.control { stroke-dasharray: 3 3; }
.ge marker path { fill: #8b949e; stroke: none; }
"""


def _cut(text: str) -> str:
    return (
        text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2 - 1]}…{text[-_LONGEST // 2 :]}"
    )


def _attribute(text: str) -> str:
    return quoteattr(visible_key(text))


def _text(text: str) -> str:
    return escape(visible(text))


def _size(box: Box) -> tuple[float, float]:
    longest = max(len(_cut(visible(line))) for line in [box.title, *box.lines])
    return longest * _CHARACTER + 2 * _PADDING, (1 + len(box.lines)) * _LINE + _PADDING


def draw(scene: Scene, *, alone: bool = True) -> str:
    """Return a picture as an SVG document.

    Parameters
    ----------
    scene : Scene
    alone : bool
        False: for a page that has the style once, and shows by itself what is to be read about a box.
    """
    sizes = [_size(box) for box in scene.boxes]
    drawing = layout(sizes, [(a, b) for a, b, _ in scene.edges])
    width, height = max(drawing.width, 40), max(drawing.height, 40)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ge" width="{width:.0f}" height="{height:.0f}"'
        f' viewBox="0 0 {width:.0f} {height:.0f}">',
        f"<title>{_text(scene.title)}</title><style>{STYLE}</style>" if alone else "",
        '<defs><marker id="ge-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7"'
        ' markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z"/></marker></defs>',
    ]
    for (source, target, label), points in zip(scene.edges, drawing.edges, strict=True):
        kind = ' class="control"' if label == "control" else ""
        ends = f"{scene.boxes[source].title} → {scene.boxes[target].title}"
        parts.append(
            f'<path{kind} d="{_path(points)}" marker-end="url(#ge-arrow)">'
            f"<title>{_text(ends)}: {_text(label)}</title></path>"
        )
    for box, (x, y), (w, h) in zip(scene.boxes, drawing.boxes, sizes, strict=True):
        parts.append(_box(box, x, y, w, h, box.tooltip or box.title if alone else ""))
    parts.append("</svg>")
    return "\n".join(parts)


def _path(points: list[tuple[float, float]]) -> str:
    """Go straight through a layer and in a curve between layers."""
    x, y = points[0]
    words = [f"M{x:.1f} {y:.1f}"]
    for i, (nx, ny) in enumerate(points[1:], 1):
        if i % 2:  # between two layers
            middle = (y + ny) / 2
            words.append(f"C{x:.1f} {middle:.1f} {nx:.1f} {middle:.1f} {nx:.1f} {ny:.1f}")
        else:
            words.append(f"L{nx:.1f} {ny:.1f}")
        x, y = nx, ny
    return " ".join(words)


def _box(box: Box, x: float, y: float, width: float, height: float, tooltip: str) -> str:
    opens = f" data-opens={_attribute(box.opens[0])}" if box.opens else ""
    lines = [
        f'<text class="title" x="{x + _PADDING:.1f}" y="{y + _LINE:.1f}">{_text(_cut(visible(box.title)))}</text>'
    ]
    lines += [
        f'<text x="{x + _PADDING:.1f}" y="{y + (i + 2) * _LINE:.1f}">{_text(_cut(visible(line)))}</text>'
        for i, line in enumerate(box.lines)
    ]
    # The line breaks of a tooltip are ours, so each line is escaped separately.
    title = f"<title>{escape(visible(tooltip, keep=_NEW_LINE))}</title>" if tooltip else ""
    return (
        f'<g class="{box.kind} {box.mark}" data-key={_attribute(box.key)}{opens}>{title}'
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>{"".join(lines)}</g>'
    )
