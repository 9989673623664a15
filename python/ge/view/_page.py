"""One HTML page with all pictures of one graph, or of two that are compared; it loads nothing.

Pictures and texts are one JSON object, deflated: of many nodes they say much the same.
"""

from __future__ import annotations

import base64
import json
import os
import re
import zlib
from html import escape
from typing import TYPE_CHECKING

from .._support.visible import visible, visible_key
from ._svg import STYLE, draw

if TYPE_CHECKING:
    from ._scene import Scene

__all__ = ["page"]

_HERE = os.path.dirname(os.path.abspath(__file__))


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
                "key": visible_key(scene.key),
                "title": visible(scene.title),
                "parent": visible_key(scene.parent),
                "svg": draw(scene, alone=False),
                "boxes": [
                    [
                        visible_key(b.key),
                        b.kind,
                        visible(b.title),
                        visible(b.tooltip or " ".join(b.lines), keep="\n" if b.tooltip else ""),
                        [visible_key(key) for key in b.opens],
                    ]
                    for b in scene.boxes
                ],
            }
            for scene in scenes
        ]
        for name, scenes in sides.items()
    }
    packed = base64.b64encode(zlib.compress(json.dumps(content).encode())).decode()
    with open(os.path.join(_HERE, "page.html"), encoding="utf-8") as file:
        template = file.read()
    with open(os.path.join(_HERE, "page.js"), encoding="utf-8") as file:
        script = file.read()
    parts = {"style": STYLE, "title": escape(visible(title)), "script": script, "content": packed}
    # At once: a title may look like a place.
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match.group(1)], template)
