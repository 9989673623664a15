"""What goes into a graph that runs, and in which kind it comes out."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import ir
from .._mlir_like._cext_loader import load
from .._mlir_like._providers import provider

__all__ = ["bind", "kind_of", "listed", "to_array"]

_native: Any = load("ir")


def to_array(value: Any) -> Any:
    """Return a value as arrays of NumPy: tensors, lists and dictionaries of them, None.

    Raises
    ------
    TypeError
        If it is not a value of a graph.
    ValueError
        If elements of an array are masked.
    """
    if type(value) is not np.ndarray:
        _native._refuse_masked(value)
    if value is None or isinstance(value, (np.ndarray, np.generic)):
        return value if value is None else np.asarray(value)
    if isinstance(value, ir.Tensor):
        return value.numpy()
    if isinstance(value, (list, tuple)):
        return [to_array(v) for v in value]
    if isinstance(value, dict):
        return value
    if isinstance(value, (bool, int, float, complex, str, bytes)):
        return np.asarray(value) if not isinstance(value, str) else np.array(value, object)
    if hasattr(value, "__dlpack__"):
        return _imported(value)
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return np.asarray(value)
    raise TypeError(f"{type(value).__name__} is not a tensor, a list of tensors or None")


def _imported(value: Any) -> Any:
    try:
        return _native._from_dlpack(value)
    except Exception:
        # An array on a device, or of elements that its framework does not export, may copy itself to the host. Tensors of
        # PyTorch refuse both for the same reasons, of which the first text says more.
        if not hasattr(value, "__array__"):
            raise
        with contextlib.suppress(Exception):
            return np.asarray(value)
        raise


def kind_of(values: Sequence[Any]) -> Callable[[Any], Any]:
    """Return what turns arrays of NumPy into the kind of the first array among some values."""
    for value in values:
        if isinstance(value, (list, tuple)):
            if any(hasattr(v, "__dlpack__") or isinstance(v, ir.Tensor) for v in value):
                return kind_of(value)
            continue
        if isinstance(value, (np.ndarray, np.generic)):
            return _same
        if isinstance(value, ir.Tensor):
            return lambda array: ir.Tensor(array, context=value.type.context)
        if hasattr(value, "__dlpack__"):
            if _is_torch(value):
                return _to_torch(value)
            package = sys.modules.get(type(value).__module__.partition(".")[0])
            make = getattr(package, "from_dlpack", None)
            return _same if make is None else _converter(make)
    return _same


def _same(array: Any) -> Any:
    return array


def _is_torch(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, getattr(torch, "Tensor", ()))


def _to_torch(like: Any) -> Callable[[Any], Any]:
    of_kind = provider("arrays of a kind")

    def convert(array: Any) -> Any:
        # A copy, as below; PyTorch has no strings.
        return array if array.dtype.kind in "OUST" else of_kind(np.array(array), like)

    return convert


def _converter(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def convert(array: Any) -> Any:
        if array.dtype.kind not in "biufc" or array.dtype.isbuiltin != 1:
            return array  # strings and what ml_dtypes adds are NumPy's
        # A copy: what is handed over may be written, and arrays of the child are views.
        return make(np.array(array))

    return convert


def listed(graph: ir.Graph, inputs: Any) -> Any:
    """Return inputs as a mapping or sequence of them: an array alone is the only input.

    Raises
    ------
    TypeError
        If the graph has another number of inputs.
    """
    if not (
        isinstance(inputs, ir.Tensor)
        or hasattr(inputs, "__array__")
        or hasattr(inputs, "__dlpack__")
    ):
        return inputs if isinstance(inputs, Mapping) else list(() if inputs is None else inputs)
    if len(graph.inputs) != 1:
        names = _listed({value.name: value for value in graph.inputs})
        raise TypeError(
            f"graph '{graph.name}' has {len(graph.inputs)} inputs ({names}), and one array was given: "
            "give a list of arrays, or a dictionary by name"
        )
    return [inputs]


def bind(graph: ir.Graph, inputs: Mapping[Any, Any] | Sequence[Any]) -> dict[ir.Value, Any]:
    """Return the inputs by value, checked against their types.

    Raises
    ------
    ValueError
        If one is missing, unknown, or of another type or shape; its name is in the text.
    ModelError
        If a named size would have two values; both inputs are in the text.
    """
    known = {value.name: value for value in graph.inputs}
    given: dict[str, Any] = {}
    if isinstance(inputs, Mapping):
        for key, value in inputs.items():
            name = key.name if isinstance(key, ir.Value) else str(key)
            if name not in known:
                raise ValueError(
                    f"graph '{graph.name}' has no input '{name}'; it has {_listed(known)}"
                )
            given[name] = value
    else:
        if len(inputs) > len(known):
            raise ValueError(
                f"{len(inputs)} inputs, but graph '{graph.name}' has {len(known)}: {_listed(known)}"
            )
        given = dict(zip(known, inputs, strict=False))
    found: dict[ir.Value, Any] = {}
    symbols: dict[str, tuple[int, str]] = {}
    for name, value in known.items():
        default = value.node.attributes.get("value")
        if name in given:
            try:
                array = _fitting(given[name], value.type)
            except (TypeError, ValueError) as error:
                raise ValueError(f"input '{name}': {error}") from None
            except BufferError as error:
                raise BufferError(f"input '{name}': {error}") from error
            _check(name, array, value.type, symbols)
            found[value] = array
        elif isinstance(default, ir.Tensor):
            found[value] = default.numpy()
        else:
            raise ValueError(f"input '{name}' ({value.type}) is missing")
    return found


def _listed(known: Mapping[str, ir.Value]) -> str:
    return ", ".join(f"'{name}'" for name in known) or "none"


def _fitting(given: Any, type_: ir.Type) -> Any:
    """Numbers and nested lists of them take the declared type; arrays keep theirs."""
    is_plain = isinstance(given, (bool, int, float, str)) or (
        isinstance(given, (list, tuple))
        and not any(hasattr(v, "__array__") or isinstance(v, ir.Tensor) for v in given)
    )
    if is_plain and isinstance(type_, ir.TensorType) and type_.dtype.numpy is not None:
        if type_.dtype.name == "string":
            return np.array(given, object)
        return np.asarray(given, np.dtype(str(type_.dtype.numpy)))
    return to_array(given)


def _check(name: str, array: Any, type_: ir.Type, symbols: dict[str, tuple[int, str]]) -> None:
    if isinstance(type_, ir.OptionalType):
        if array is not None:
            _check(name, array, type_.element, symbols)
        return
    if isinstance(type_, ir.SequenceType):
        if not isinstance(array, list):
            raise ValueError(f"input '{name}' is {type_}: a list is needed")
        for element in array:
            _check(name, element, type_.element, {})
        return
    if not isinstance(type_, ir.TensorType):
        return
    if not isinstance(array, np.ndarray):
        raise ValueError(
            f"input '{name}' is {type_}: an array is needed, not {type(array).__name__}"
        )
    if array.dtype.kind == "O" and not all(isinstance(v, (str, bytes)) for v in array.flat):
        raise ValueError(f"input '{name}' is {type_}, but the array is one of objects")
    own = (
        "string"
        if array.dtype.kind in "OUST"
        else ir.Tensor(np.empty(0, array.dtype)).type.dtype.name
    )
    if own != type_.dtype.name:
        raise ValueError(f"input '{name}' is {type_}, but the array is of {own}")
    if type_.shape is None:
        return
    fits = len(type_.shape) == array.ndim
    for size, dim in zip(array.shape, type_.shape if fits else (), strict=False):
        if isinstance(dim, int):
            fits = fits and size == dim
        elif dim:
            before = symbols.setdefault(dim, (size, name))
            if before[0] != size:
                raise ir.ModelError(
                    f"input '{name}' is {type_}, but the array has {dim}={size}, and '{before[1]}' has {dim}={before[0]}"
                )
    if not fits:
        raise ValueError(f"input '{name}' is {type_}, but the array has shape {list(array.shape)}")
