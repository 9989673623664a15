"""Layered drawing of a directed graph, after Sugiyama, Tagawa and Toda (1981), kept near linear.

Layers by longest path; few sweeps of barycentres order the boxes of a layer; an edge over several
layers bends around boxes at a point in each. Edges against the given order are drawn, but move nothing.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

__all__ = ["Drawing", "layout"]

_GAP_X, _GAP_Y = 24.0, 44.0
_BEND = 12.0  # the room that an edge takes in a layer it passes
_SWEEPS = 4
# Beyond so many bends an edge goes straight: a drawing that needs them is not read edge by edge.
_MOST_BENDS = 4000


class Drawing(NamedTuple):
    """Where everything is, in pixels."""

    width: float
    height: float
    boxes: list[tuple[float, float]]
    """Upper left corner of each box."""
    edges: list[list[tuple[float, float]]]
    """Points of each edge, from its source's lower side to its target's upper side."""


def layout(sizes: list[tuple[float, float]], edges: list[tuple[int, int]]) -> Drawing:
    """Place boxes and edges.

    Parameters
    ----------
    sizes : list of (width, height)
        Of boxes, in an order in which most edges go forwards.
    edges : list of (source, target)
        Indices of boxes.

    Returns
    -------
    Drawing

    Notes
    -----
    Cost: O((boxes + edges + bends) log), with at most 4000 bends.
    """
    layer = _layers(len(sizes), edges)
    slots, chains = _chains(sizes, edges, layer)
    order = _ordered(slots, chains)
    x = _columns(order, slots, chains)
    rows = max(layer, default=-1) + 1
    heights = [0.0] * rows
    for box, (_, height) in enumerate(sizes):
        heights[layer[box]] = max(heights[layer[box]], height)
    tops = [_GAP_Y / 2]
    for height in heights:
        tops.append(tops[-1] + height + _GAP_Y)
    left = min((x[i] - slots[i].width / 2 for i in range(len(slots))), default=0.0) - _GAP_X
    right = max((x[i] + slots[i].width / 2 for i in range(len(slots))), default=0.0) + _GAP_X
    boxes = [(x[i] - left - sizes[i][0] / 2, tops[layer[i]]) for i in range(len(sizes))]

    def center(i: int) -> float:
        return x[i] - left

    lines = []
    for (source, target), chain in zip(edges, chains, strict=True):
        line = [(center(source), boxes[source][1] + sizes[source][1])]
        for i in chain[1:-1]:
            line.append((center(i), tops[slots[i].layer]))
            line.append((center(i), tops[slots[i].layer] + heights[slots[i].layer]))
        line.append((center(target), boxes[target][1]))
        lines.append(line)
    return Drawing(right - left, tops[-1] if rows else _GAP_Y, boxes, lines)


class _Slot(NamedTuple):
    """A box, or the place where an edge passes a layer."""

    layer: int
    width: float


def _layers(count: int, edges: list[tuple[int, int]]) -> list[int]:
    """Return the length of the longest path to each box, along edges that go forwards."""
    layer = [0] * count
    for source, target in sorted(edges):
        if source < target:
            layer[target] = max(layer[target], layer[source] + 1)
    # Nodes that only start paths are placed near their users.
    first: dict[int, int] = {}
    has_source = {target for source, target in edges if source < target}
    for source, target in edges:
        if source < target:
            first[source] = min(first.get(source, layer[target]), layer[target])
    for box, below in first.items():
        if box not in has_source:
            layer[box] = below - 1
    return layer


def _chains(
    sizes: list[tuple[float, float]], edges: list[tuple[int, int]], layer: list[int]
) -> tuple[list[_Slot], list[list[int]]]:
    """Make a slot for each box and each bend; return them, and the slots along each edge."""
    slots = [_Slot(layer[i], width) for i, (width, _) in enumerate(sizes)]
    chains = []
    for source, target in edges:
        chain = [source]
        span = layer[target] - layer[source] - 1
        if 0 < span <= _MOST_BENDS - (len(slots) - len(sizes)):
            for row in range(layer[source] + 1, layer[target]):
                chain.append(len(slots))
                slots.append(_Slot(row, _BEND))
        chain.append(target)
        chains.append(chain)
    return slots, chains


def _neighbours(
    slots: list[_Slot], chains: list[list[int]]
) -> tuple[list[list[int]], list[list[int]]]:
    """Return the slots above and below each slot."""
    above: list[list[int]] = [[] for _ in slots]
    below: list[list[int]] = [[] for _ in slots]
    for chain in chains:
        for a, b in itertools.pairwise(chain):
            if slots[a].layer < slots[b].layer:
                above[b].append(a)
                below[a].append(b)
    return above, below


def _ordered(slots: list[_Slot], chains: list[list[int]]) -> list[list[int]]:
    """Return the slots of each layer from left to right, with few crossings."""
    rows: list[list[int]] = [[] for _ in range(max((s.layer for s in slots), default=-1) + 1)]
    for i, slot in enumerate(slots):
        rows[slot.layer].append(i)
    above, below = _neighbours(slots, chains)
    position = [0.0] * len(slots)

    def number(row: list[int]) -> None:
        for place, i in enumerate(row):
            position[i] = place / max(len(row) - 1, 1)

    for row in rows:
        number(row)
    for sweep in range(_SWEEPS):
        downwards = sweep % 2 == 0
        near = above if downwards else below
        for row in rows if downwards else reversed(rows):
            keys = {
                i: sum(position[j] for j in near[i]) / len(near[i]) if near[i] else position[i]
                for i in row
            }
            row.sort(key=keys.__getitem__)
            number(row)
    return rows


def _columns(rows: list[list[int]], slots: list[_Slot], chains: list[list[int]]) -> list[float]:
    """Return the centre of each slot: near its neighbours, without overlap, the order kept."""
    above, below = _neighbours(slots, chains)
    x = [0.0] * len(slots)
    for row in rows:
        _spread(row, dict.fromkeys(row, 0.0), slots, x)
    for sweep in range(2 * _SWEEPS):
        downwards = sweep % 2 == 0
        near = above if downwards else below
        for row in rows if downwards else reversed(rows):
            wanted = {
                i: sum(x[j] for j in near[i]) / len(near[i]) if near[i] else x[i] for i in row
            }
            _spread(row, wanted, slots, x)
    return x


def _spread(row: list[int], wanted: dict[int, float], slots: list[_Slot], x: list[float]) -> None:
    """Set the centres of a row: the mean of pushing to the right and pushing to the left."""

    def need(a: int, b: int) -> float:
        return (slots[a].width + slots[b].width) / 2 + _GAP_X

    right = [wanted[i] for i in row]
    for k in range(1, len(row)):
        right[k] = max(right[k], right[k - 1] + need(row[k - 1], row[k]))
    left = [wanted[i] for i in row]
    for k in range(len(row) - 2, -1, -1):
        left[k] = min(left[k], left[k + 1] - need(row[k], row[k + 1]))
    for k, i in enumerate(row):
        x[i] = (left[k] + right[k]) / 2
