"""CANN's path of `Tensor`, and what reads the text of one."""

from typing import Any

from ..ir import Tensor

__all__ = ["Tensor", "UnionTensorDataType", "unflatten_tensor_data"]

#: Elements in a row.
UnionTensorDataType = list[int] | list[float] | list[bool]


def unflatten_tensor_data(text: str, shape: list[int]) -> Any:
    """Return the numbers of a text as nested lists.

    Parameters
    ----------
    text : str
        Such as ``"[1, 2, 3.5, 4]"``.
    shape : list of int
        ``[]`` gives the number alone.

    Raises
    ------
    ValueError
        If the text is no list of numbers, or they are not as many as the shape has.
    """
    from math import prod

    items = _parse_str_list(text)
    if not shape:
        if len(items) != 1:
            raise ValueError(f"Scalar tensor should contain exactly one element, got {len(items)}")
        return items[0]
    if prod(shape) != len(items):
        raise ValueError(f"Length of list {len(items)} does not match shape {list(shape)}")
    for size in reversed(shape[1:]):
        count = len(items) // size if size else prod(shape[: shape.index(0)])
        items = [items[i * size : (i + 1) * size] for i in range(count)]
    return items


def _parse_str_list(text: str) -> list[Any]:
    """Return the numbers of ``"[1, 2.5]"``."""
    text = text.strip()
    if not (text.startswith("[") and text.endswith("]")):
        raise ValueError(f"Input must start with '[' and end with ']': {text!r:.60}")
    items = [item.strip() for item in text[1:-1].split(",")]
    return [] if items == [""] else [_number(item) for item in items]


def _number(item: str) -> int | float:
    try:
        return int(item) if item.lstrip("+-").isdigit() else float(item)
    except ValueError:
        raise ValueError(f"Invalid item: '{item}'") from None
