"""One HTML page with all pictures of one graph, or of two that are compared; it loads nothing."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from ._svg import STYLE, draw

if TYPE_CHECKING:
    from ._scene import Scene

__all__ = ["page"]

_HERE = os.path.dirname(os.path.abspath(__file__))
# In a script element these would end it, or begin a comment.
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def page(title: str, sides: dict[str, list[Scene]]) -> str:
    """Return a page.

    Parameters
    ----------
    title : str
    sides : dict
        Pictures by what they are called, such as ``before`` and ``after``; the first of each list is shown first.
    """
    content = {
        name: [
            {
                "key": scene.key,
                "title": scene.title,
                "parent": scene.parent,
                "svg": draw(scene),
                "boxes": [
                    {
                        "key": b.key,
                        "kind": b.kind,
                        "title": b.title,
                        "text": b.tooltip or " ".join(b.lines),
                        "opens": b.opens,
                        "mark": b.mark,
                    }
                    for b in scene.boxes
                ],
            }
            for scene in scenes
        ]
        for name, scenes in sides.items()
    }
    with open(os.path.join(_HERE, "page.html"), encoding="utf-8") as file:
        template = file.read()
    with open(os.path.join(_HERE, "page.js"), encoding="utf-8") as file:
        script = file.read()
    shown = title.replace("&", "&amp;").replace("<", "&lt;")
    return (
        template.replace("{{style}}", STYLE)
        .replace("{{title}}", shown)
        .replace("{{script}}", script)
        .replace("{{content}}", json.dumps(content).translate(_ESCAPES))
    )
