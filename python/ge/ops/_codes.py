"""Codes by which the native fast path (lib/Bindings/Python/Ops/CallPlan.h) reads arguments and results of a schema type."""

from typing import Any

from .._mlir_like._cext_loader import load

_native: Any = load("ops")


def is_written(alias: Any) -> bool:
    """Whether an operand of that alias is written, or the elements of a list: ``Tensor(a!)[]``."""
    return alias is not None and (
        alias["is_write"] or any(is_written(inner) for inner in alias["contained"])
    )


def is_plain_tensor(type_: Any) -> bool:
    return type_.kind == "atom" and bool(type_.contains_tensor)


# ParamCode of CallPlan.h by name, and GeKernelFlags.
CODE: dict[str, int] = _native._param_codes
FLAG: dict[str, int] = _native._kernel_flags
_ATOMS = {
    "int": CODE["int"],
    "SymInt": CODE["int"],
    "float": CODE["float"],
    "SymFloat": CODE["float"],
    "bool": CODE["bool"],
    "str": CODE["str"],
}
_LISTS = {CODE["int"]: CODE["ints"], CODE["float"]: CODE["floats"]}
SCALARS = {CODE[name] for name in ("int", "float", "bool", "str", "object")}


def class_of(type_: Any) -> Any:
    """Return the registered class that a type refers to, or None."""
    return _native._classes.get(type_.name) if type_.kind == "class" else None


def code_of(type_: Any, is_operand: bool) -> int:
    """Return how the native way reads an argument of the type, which is not optional."""
    if is_operand:
        return CODE["tensor"] if is_plain_tensor(type_) else CODE["other"]
    if type_.kind == "atom":
        return _ATOMS.get(type_.name, CODE["other"])
    if class_of(type_) is not None:
        return CODE["object"]
    if type_.kind == "list" and type_.elements[0].kind == "atom":
        return _LISTS.get(_ATOMS.get(type_.elements[0].name, -1), CODE["other"])
    return CODE["other"]
