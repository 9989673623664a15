"""Graphs as pictures: SVG, or one HTML page that needs no network.

A graph of more than some hundred nodes is folded by the modules of the program that it was exported from,
so that no picture is a hairball; the page opens the parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._support.lazy import lazy_name
from ._explorer import explorer_json
from ._page import page as _page
from ._scene import LARGEST as LARGEST  # of the command line
from ._scene import fold, neighbourhood
from ._svg import draw

if TYPE_CHECKING:
    from ..ir import Graph
    from ._compare import Group as Group
    from ._compare import compare as compare

__all__ = ["explorer_json", "html", "svg"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        return lazy_name(globals(), {"_compare": ("Group", "compare")}, name)


def svg(graph: Graph, *, around: str | None = None, depth: int = 2, largest: int = LARGEST) -> str:
    """Return a picture of a graph as an SVG document.

    Parameters
    ----------
    graph : Graph
    around : str, optional
        Name of a node or value: only what is near it.
    depth : int
        How many edges away that is.
    largest : int
        Boxes in the picture; of a larger graph, modules and runs of nodes are one box each.

    Raises
    ------
    KeyError
        If nothing is called `around`.

    Notes
    -----
    Cost: O(nodes + edges).
    """
    if around is not None:
        return draw(neighbourhood(graph, around, depth, largest=largest))
    return draw(fold(graph, largest=largest)[0])


def html(
    graph: Graph,
    after: Graph | None = None,
    *,
    around: str | None = None,
    depth: int = 2,
    largest: int = LARGEST,
    title: str | None = None,
) -> str:
    """Return a page with a graph, to search, to zoom, and to open folded parts.

    Parameters
    ----------
    graph : Graph
    after : Graph, optional
        What became of it: the page shows both, with what was removed, added and changed in colours.
    around, depth, largest
        See `svg`; `around` is looked for in each graph.
    title : str, optional
        Default: the graph's name.

    Raises
    ------
    KeyError
        If no graph has something called `around`.
    """
    from ._compare import compare

    graphs = {"before": graph, "after": after} if after is not None else {"graph": graph}
    marks: dict[str, dict[str, str]] = {name: {} for name in graphs}
    if after is not None:
        marks["before"], marks["after"] = compare(graph, after).marks()
    sides = {}
    for name, one in graphs.items():
        assert one is not None
        if around is None:
            sides[name] = fold(one, largest=largest, marks=marks[name])
        else:
            try:
                sides[name] = [neighbourhood(one, around, depth, largest=largest)]
            except KeyError:
                continue
    if not sides:
        raise KeyError(around)
    return _page(title or graph.name or "graph", sides)
