"""Arguments as their schema types declare them: one converter per type, which every way of a call uses.

Direct calls, nodes of graphs, calls from C, constant folding and `opcheck` give a kernel the same Python values: numbers
and text of Python's own classes, a new list for ``T[]``, a tuple for ``(A, B)``, a `DType` for ``ScalarType``.
"""

from collections.abc import Callable
from typing import Any

from .._mlir_like._cext_loader import load
from ._arrays import is_array, is_value_of, numpy_

__all__ = [
    "converter_of",
    "has_parts",
    "list_items",
    "map_tensors",
    "node_operands",
    "node_width",
    "renewed",
]

_ir: Any = load("ir")

Converter = Callable[[Any], Any]


def _text(value: Any) -> str:
    # Of np.str_ and of members of enumerations that derive from str.
    return value if type(value) is str else str.__str__(value)


def _bytes(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


def _scalar(value: Any) -> Any:
    return value.item() if isinstance(value, numpy_().generic) else value


_ATOMS: dict[str, Converter] = {
    "int": int,
    "SymInt": int,
    "float": float,
    "SymFloat": float,
    "bool": bool,
    "SymBool": bool,
    "complex": complex,
    "Scalar": _scalar,
    "str": _text,
    "Bytes": _bytes,
    "ScalarType": _ir.DType,
}


def converter_of(type_: Any) -> "Converter | None":
    """Return the converter of an argument that the binder accepted; None: values are passed on as they are.

    Tensors in a list or tuple are passed on as they are.
    """
    kind = type_.kind
    if kind == "atom":
        return _ATOMS.get(type_.name)
    if kind == "optional":
        inner = converter_of(type_.elements[0])
        return inner and (lambda value: None if value is None else inner(value))
    if kind == "list":
        return _list_converter(type_)
    if kind == "tuple":
        parts = [converter_of(e) or _same for e in type_.elements]
        return lambda value: tuple(p(v) for p, v in zip(parts, value, strict=True))
    if kind == "dict":
        of_key, of_value = (converter_of(e) or _same for e in type_.elements)
        return lambda value: {of_key(k): of_value(v) for k, v in value.items()}
    if kind == "union":
        return _union_converter(type_)
    return None


def _same(value: Any) -> Any:
    return value


def _list_converter(type_: Any) -> "Converter | None":
    item = converter_of(type_.elements[0])
    if item is None and type_.elements[0].contains_tensor:
        return None
    convert, size = item or _same, type_.size or 1

    def items(value: Any) -> list[Any]:
        if isinstance(value, (list, tuple)):
            return [convert(one) for one in value]
        return [convert(value) for _ in range(size)]

    return items


# A number becomes the first member of a union that is as wide.
_WIDTHS = {bool: 0, int: 1, float: 2, complex: 3}
_ATOM_WIDTHS = {"bool": 0, "SymBool": 0, "int": 1, "SymInt": 1, "float": 2, "SymFloat": 2, "complex": 3}  # fmt: skip


def _union_converter(type_: Any) -> "Converter | None":
    members = [(e, converter_of(e)) for e in type_.elements]
    if all(convert is None for _, convert in members):
        return None

    def convert(value: Any) -> Any:
        value = _scalar(value)
        width = _WIDTHS.get(type(value))
        for is_exact in (True, False):
            for member, of_member in members:
                own = _ATOM_WIDTHS.get(member.name) if member.kind == "atom" else None
                if width is not None and own is not None:
                    fits = own == width if is_exact else own > width
                else:
                    fits = own is None and _is_of(member, value)
                if fits:
                    return of_member(value) if of_member else value
        return value

    return convert


def _is_of(member: Any, value: Any) -> bool:
    if member.kind == "atom" and member.name == "ScalarType":
        return isinstance(value, (_ir.DType, type, numpy_().dtype))
    return bool(is_array(value) if member.contains_tensor else is_value_of(member, value))


def renewed(value: Any) -> Any:
    """Return a value whose lists and dicts are new: a kernel may change those that it gets."""
    if isinstance(value, list):
        return [renewed(one) for one in value]
    if type(value) is tuple:
        return tuple(renewed(one) for one in value)
    if isinstance(value, dict):
        return {key: renewed(one) for key, one in value.items()}
    return value


# --- Tensors inside of other types


def has_parts(type_: Any) -> bool:
    """Return whether an operand is more than a tensor or a list of tensors: ``(Tensor, int)``, ``Tensor[][]``."""
    kind = type_.kind
    if kind == "optional":
        return has_parts(type_.elements[0])
    if kind == "list":
        element = type_.elements[0]
        inner = element.elements[0] if element.kind == "optional" else element
        return bool(inner.kind != "atom")
    return bool(kind != "atom")


def map_tensors(type_: Any, value: Any, convert: Converter) -> Any:
    """Return an operand with each tensor converted; numbers and text beside them stay."""
    kind = type_.kind
    if value is None:
        return None
    if kind == "optional":
        return map_tensors(type_.elements[0], value, convert)
    if kind == "list":
        return [map_tensors(type_.elements[0], one, convert) for one in value]
    if kind == "tuple":
        return tuple(
            map_tensors(t, one, convert) for t, one in zip(type_.elements, value, strict=True)
        )
    if kind == "dict":
        return {key: map_tensors(type_.elements[1], one, convert) for key, one in value.items()}
    if kind == "union":
        return convert(value) if is_array(value) or type(value) is numpy_().ndarray else value
    return convert(value) if type_.contains_tensor else value


def node_width(type_: Any) -> int:
    """Return the number of operands that a node has for an operand of a type that is no list: one for each element of a tuple."""
    if type_.kind == "optional":
        return node_width(type_.elements[0])
    return sum(map(node_width, type_.elements)) if type_.kind == "tuple" else 1


def list_items(element: Any, operands: list[Any]) -> list[Any]:
    """Return the elements of a list from the operands of a node: tensors, or tuples of tensors and constants."""
    inner = element.elements[0] if element.kind == "optional" else element
    if inner.kind != "tuple":
        return operands
    width, rest, items = node_width(inner), list(operands), []
    while len(rest) >= width > 0:
        items.append(node_operands(element, rest))
    return items + rest


def node_operands(type_: Any, rest: list[Any]) -> Any:
    """Return the value of a tuple from the operands of a node, which are taken from a list.

    In a graph the numbers, bools and texts of a tuple are constants.
    """
    if type_.kind == "optional":
        inner = type_.elements[0]
        width = node_width(inner)
        if all(one is None for one in rest[:width]):
            del rest[:width]
            return None
        return node_operands(inner, rest)
    if type_.kind == "tuple":
        return tuple(node_operands(t, rest) for t in type_.elements)
    value = rest.pop(0) if rest else None
    if value is None or type_.contains_tensor:
        return value
    if hasattr(value, "numpy"):
        value = value.numpy()
    if getattr(value, "size", 1) != 1:
        return value  # which the binder refuses
    item = value.item() if hasattr(value, "item") else value
    return item.decode() if isinstance(item, bytes) else item
