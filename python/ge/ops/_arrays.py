"""Arrays of any framework as kernels take them: devices, element types, memory, kinds."""

import sys
from collections.abc import Callable, Sequence
from typing import Any

from .._mlir_like._cext_loader import load

_native: Any = load("ops")
_ir: Any = load("ir")
Tensor: Any = _ir.Tensor

CPU = (1, 0)
# NumPy's codes of numbers that GE has; longdouble is none of them.
_ELEMENTS = frozenset("?bBhHiIlLqQpPefdFD")

_numpy: Any = None


def numpy_() -> Any:
    """Return NumPy, imported at the first array."""
    global _numpy
    if _numpy is None:
        import numpy

        _numpy = numpy
    return _numpy


def device_of(array: Any) -> tuple[int, int]:
    kind = type(array)
    if kind is Tensor or kind is numpy_().ndarray:
        return CPU
    ask = getattr(kind, "__dlpack_device__", None)
    if ask is None:
        return CPU
    device, number = ask(array)
    is_cpu = _native._backend_of_device(int(device)) == "cpu"  # also pinned memory
    return CPU if is_cpu else (int(device), int(number))


def is_array(value: Any) -> bool:
    """Return whether a value is an array of any framework, or a Tensor."""
    return hasattr(type(value), "__dlpack__")


def is_torch(value: Any) -> bool:
    """Return whether it is a tensor of PyTorch, or of a class that derives from it."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, getattr(torch, "Tensor", ()))


def refuse_negated(array: Any) -> None:
    """Raise BufferError for a tensor with PyTorch's lazy negation, which DLPack cannot express."""
    if is_torch(array) and getattr(array, "is_neg", bool)():
        raise BufferError(
            "can't export tensors with the negative bit set, use tensor.resolve_neg()"
        )


def refuse_lazy(array: Any) -> None:
    """Raise BufferError for a tensor of PyTorch that requires gradients, or whose memory is not its value."""
    _ir._refuse_lazy(array)


def is_foreign(value: Any) -> bool:
    """Return whether it is an array of neither NumPy, PyTorch nor GE."""
    kind = type(value)
    return (
        kind is not Tensor
        and hasattr(kind, "__dlpack__")
        and not isinstance(value, numpy_().ndarray)
        and not is_torch(value)
    )


def device_text(device: tuple[int, int]) -> str:
    word = _native._backend_of_device(device[0]) or f"device type {device[0]}"
    return word if word == "cpu" else f"{word}:{device[1]}"


def as_numpy(array: Any) -> Any:
    """Return a plain NumPy array over the same memory.

    Raises
    ------
    BufferError
        If the memory is not on the CPU, or the exporter refuses: with its own text.
    ValueError
        If elements are masked.
    """
    np = numpy_()
    if type(array) is np.ndarray:
        return array
    _ir._refuse_masked(array)
    if isinstance(array, np.ndarray):
        return np.asarray(array)  # of numpy.matrix, where `*` has another meaning
    if type(array) is Tensor:
        return array.numpy()
    if hasattr(array, "__dlpack__"):
        return _ir._from_dlpack(array)
    return np.asarray(array)


# Element types that NumPy's DLPack rejects, and types of the same size that it accepts.
_NUMPY_LACKS = {
    "bfloat16": "int16",
    "float8_e4m3fn": "uint8",
    "float8_e4m3fnuz": "uint8",
    "float8_e5m2": "uint8",
    "float8_e5m2fnuz": "uint8",
    "float8_e8m0fnu": "uint8",
}


def dtype_word(dtype: Any) -> str:
    """Return the name of an element type of any framework: of ``torch.bfloat16``, ``bfloat16``."""
    return getattr(dtype, "name", None) or str(dtype).rpartition(".")[2]


class _Given:
    """Exports a copy of an array by DLPack, because PyTorch treats imported memory as writable."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, *, max_version: Any = None, **_: Any) -> Any:
        return self.array.__dlpack__(copy=True, max_version=max_version)

    def __dlpack_device__(self) -> tuple[int, int]:
        return CPU


class _Writable:
    """An object from which NumPy creates a writable array over immutable memory."""

    def __init__(self, view: Any) -> None:
        self.view = view
        self.__array_interface__ = {
            "version": 3,
            "shape": view.shape,
            "strides": view.strides,
            "typestr": view.dtype.str,
            "data": (view.__array_interface__["data"][0], False),
        }


def as_torch(array: Any, reads_only: bool = False) -> Any:
    """Return a tensor of PyTorch over an array; over a copy of one that is immutable, unless the kernel only reads.

    PyTorch has no tensors that are read-only.
    """
    from importlib import import_module

    torch = import_module("torch")
    if isinstance(array, torch.Tensor):
        return array
    if type(array) is Tensor:
        plain = array.numpy() if reads_only else None
        if plain is None or plain.dtype.kind not in "biufc":  # which DLPack of NumPy lacks
            return torch.from_dlpack(_Given(array))
        array = plain
    array = array if hasattr(array, "__dlpack__") else as_numpy(array)
    if not isinstance(array, numpy_().ndarray):
        return torch.from_dlpack(array)
    if not array.flags.writeable:
        array = numpy_().asarray(_Writable(array)) if reads_only else array.copy()
    bits = _NUMPY_LACKS.get(array.dtype.name)
    if bits is None:
        return torch.from_dlpack(array)
    return torch.from_dlpack(array.view(bits)).view(getattr(torch, array.dtype.name))


def signature_of(array: Any) -> tuple[Any, tuple[int, ...]]:
    """Return element type and shape, as inference and messages take them."""
    if type(array) is Tensor:
        return array.dtype.name, tuple(array.shape)
    np = numpy_()
    if isinstance(array, np.ndarray):
        return ("string" if array.dtype.kind in "OUST" else array.dtype), array.shape
    if not (hasattr(array, "dtype") and hasattr(array, "shape")):
        if not hasattr(array, "__dlpack__"):
            return signature_of(as_numpy(array))  # a buffer
        signature: tuple[Any, tuple[int, ...]] = _ir._dlpack_signature(array)
        return signature
    return dtype_word(array.dtype), tuple(int(size) for size in array.shape)


def element_fault(array: Any) -> "str | None":
    """Return what is wrong with the element type of an array; None: GE has it.

    Arrays of objects that are all text are tensors of strings, as GE gives them.
    """
    if type(array) is Tensor:
        return None
    if type(array) is numpy_().ndarray and array.dtype.char in _ELEMENTS:
        return None
    try:
        _ir._refuse_masked(array)
    except ValueError as error:
        return f"cannot be read: {error}"
    dtype = signature_of(array)[0]
    if dtype == "string":
        array = as_numpy(array)
        if array.dtype.kind != "O" or all(isinstance(v, (str, bytes)) for v in array.flat):
            return None
        return "is an array of objects, which is no tensor; convert it with astype()"
    try:
        _ir.DType(dtype)
    except (TypeError, ValueError):
        return f"has elements of type {dtype}, which GE does not have"
    return None


_names: dict[Any, str] = {}


def dtype_name(dtype: Any) -> str:
    """Return GE's name of an element type."""
    found = _names.get(dtype)
    if found is None:
        try:
            found = _ir.DType(dtype).name
        except (TypeError, ValueError):
            found = str(dtype)
        _names[dtype] = found
    return found


def numpy_type(name: str) -> Any:
    """Return NumPy's element type; None for element types that no tensor has."""
    return None if name == "undefined" else _ir.DType(name).numpy


def received(item: Any) -> Any:
    """Return a kernel's result as an array that can be read repeatedly; None if it is not an array."""
    np = numpy_()
    if isinstance(item, np.generic):
        return np.asarray(item)
    if type(item) is Tensor or isinstance(item, np.ndarray) or is_torch(item):
        return item
    if not hasattr(item, "__dlpack__"):
        return None
    return as_numpy(item) if device_of(item) == CPU else item


def type_text(dtype: Any, shape: "Sequence[int | None] | None") -> str:
    sizes = "*" if shape is None else ", ".join("?" if n is None else str(n) for n in shape)
    return f"{dtype_name(dtype)}[{sizes}]"


def _range(array: Any) -> "tuple[int, int] | None":
    """Return the start and end address of the memory of an array; None if unknown or empty."""
    np = numpy_()
    if type(array) is Tensor:
        array = array.numpy()
    elif is_torch(array) and device_of(array) == CPU:
        return _torch_range(array)
    if not isinstance(array, np.ndarray) or array.size == 0:
        return None
    low, high = (
        np.lib.array_utils.byte_bounds(array)
        if hasattr(np.lib, "array_utils")
        else (np.byte_bounds(array))
    )
    return low, high


def _torch_range(tensor: Any) -> "tuple[int, int] | None":
    # Without an export, which PyTorch refuses for tensors that require gradients.
    if not hasattr(tensor, "data_ptr"):
        return _range(as_numpy(tensor))
    reach = [(n - 1) * step for n, step in zip(tensor.shape, tensor.stride(), strict=True)]
    if any(n == 0 for n in tensor.shape):
        return None
    width = tensor.element_size()
    return tensor.data_ptr(), tensor.data_ptr() + (sum(reach) + 1) * width


def overlap(a: Any, b: Any) -> bool:
    """Return whether the memory of two arrays overlaps; False if their bounds are unknown."""
    ndarray = numpy_().ndarray
    if type(a) is ndarray and type(b) is ndarray:
        return bool(numpy_().may_share_memory(a, b))
    one, other = _range(a), _range(b)
    return bool(one and other and one[0] < other[1] and other[0] < one[1])


def lies_well(array: Any, strided: bool) -> bool:
    """Return whether a kernel in C can take an array without a copy: native byte order, aligned, whole strides."""
    if not isinstance(array, numpy_().ndarray):
        return True
    if not (array.dtype.isnative and array.flags.aligned):
        return False
    if not strided:
        return bool(array.flags.c_contiguous)
    size = array.itemsize
    return size == 0 or all(step % size == 0 for step in array.strides)


def compact_copy(array: Any) -> Any:
    """Return a compact copy of an array, made by its own framework on its own device; None: it has no way to make one."""
    make = getattr(array, "contiguous", None)
    if make is not None:
        copy = make()
    else:
        find = getattr(array, "__array_namespace__", None)
        convert = getattr(find() if find is not None else None, "asarray", None)
        if convert is None:
            return None
        copy = convert(array, copy=True)
    # A framework may keep the layout in a copy.
    is_there = is_array(copy) and device_of(copy) == device_of(array)
    return copy if is_there and is_compact(copy) else None


def is_compact(array: Any) -> bool:
    """Return whether the elements of an array on any device are next to each other in row-major order."""
    if type(array) is Tensor:
        return True
    if isinstance(array, numpy_().ndarray):
        return bool(array.flags.c_contiguous)
    return bool(_ir._is_compact(array))


# --- Kinds of arrays: a result has the kind of the first array argument


def _to_numpy(array: Any, _like: Any) -> Any:
    return as_numpy(array)


def _to_tensor(array: Any, _like: Any) -> Any:
    return array if type(array) is Tensor else Tensor(array)


def _to_torch(array: Any, _like: Any) -> Any:
    return as_torch(array)


def _to_namespace(array: Any, like: Any) -> Any:
    if type(array) is type(like):
        return array
    find = getattr(like, "__array_namespace__", None)
    convert = getattr(find() if find is not None else None, "from_dlpack", None)
    if convert is None or device_of(array) != device_of(like):
        return array
    array = array if hasattr(array, "__dlpack__") else as_numpy(array)
    # NumPy does not export the element types of ml_dtypes.
    is_extended = isinstance(array, numpy_().ndarray) and array.dtype.kind == "V"
    return convert(Tensor(array) if is_extended else array)


def _to_framework(array: Any, like: Any) -> Any:
    if type(array) is type(like) or device_of(array) != CPU:
        return array
    array = as_numpy(array)
    return _native._of_framework(array if array.flags.writeable else array.copy(), like)


def wrapper_for(like: Any) -> Callable[[Any, Any], Any]:
    if like is None or isinstance(like, numpy_().ndarray):
        return _to_numpy
    if type(like) is Tensor:
        return _to_tensor
    if is_torch(like):
        return _to_torch
    if _native._has_exchange(like):
        return _to_framework
    return _to_namespace


def empty_like(op: str, like: Any, dtype: str, shape: tuple[int, ...]) -> Any:
    """Return an array as one of the framework and device of another array, for a result of an operator."""
    made = _native._empty_of_framework(like, _ir.DType(dtype), shape, device_of(like))
    if made is not None:
        return made
    find = getattr(like, "__array_namespace__", None)
    if find is None:
        raise TypeError(
            f"{op}(): {type(like).__name__} has no __array_namespace__ that makes results on its "
            "device; pass out="
        )
    namespace = find()
    if dtype_name(signature_of(like)[0]) == dtype:
        own = like.dtype
    elif (own := getattr(namespace, _ir.DType(dtype).numpy.name, None)) is None:
        raise TypeError(
            f"{op}(): the __array_namespace__ of {type(like).__name__} has no element type {dtype} "
            "for the result; pass out="
        )
    return namespace.empty(shape, dtype=own, device=like.device)


def of_kind(array: Any, like: Any) -> Any:
    """Return an array converted to the kind of another one."""
    return wrapper_for(like)(array, like)


# --- Attributes


def freeze(value: Any) -> Any:
    """Return a hashable form of an attribute."""
    if isinstance(value, (list, tuple)):
        return tuple(freeze(item) for item in value)
    if isinstance(value, (float, bool, int, str, bytes, type(None))):
        return (type(value), value)
    return repr(value)


_NATIVE_TYPES: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "SymInt": (int,),
    "float": (float, int),
    "SymFloat": (float, int),
    "bool": (bool,),
    "SymBool": (bool,),
    "complex": (complex, float, int),
    "str": (str,),
    "Bytes": (bytes,),
    "ScalarType": (_ir.DType,),
}
_KINDS = {"int": "iu", "SymInt": "iu", "float": "fiu", "SymFloat": "fiu", "bool": "b"}


def is_value_of(type_: Any, value: Any) -> bool:
    """Return whether a value that is not a tensor has a schema type; True for types without Python values."""
    kind = type_.kind
    if kind == "optional":
        return value is None or is_value_of(type_.elements[0], value)
    if kind in ("list", "tuple"):
        if not isinstance(value, (list, tuple)):
            return False
        if kind == "list":
            item = type_.elements[0]
            return (not type_.size or len(value) == type_.size) and all(
                is_value_of(item, one) for one in value
            )
        return len(value) == len(type_.elements) and all(
            is_value_of(t, v) for t, v in zip(type_.elements, value, strict=True)
        )
    if kind == "class":
        known = _native._classes.get(type_.name)
        return known is None or isinstance(value, known)
    if kind != "atom" or type_.name not in _NATIVE_TYPES:
        return True
    if isinstance(value, bool):
        return type_.name in ("bool", "SymBool")
    if isinstance(value, _NATIVE_TYPES[type_.name]):
        return True
    is_numpy = type(value).__module__ == "numpy" and isinstance(value, numpy_().generic)
    return is_numpy and value.dtype.kind in _KINDS.get(type_.name, "")


def kind_of(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    return "None" if value is None else f"a {type(value).__name__}"


def fits(own: tuple[Any, Sequence[int]], known: tuple[str, "Sequence[int | None] | None"]) -> bool:
    dtype, shape = own
    wanted, sizes = known
    if wanted != "undefined" and dtype_name(dtype) != wanted:
        return False
    if sizes is None:
        return True
    return len(shape) == len(sizes) and all(
        size is None or size == mine for mine, size in zip(shape, sizes, strict=True)
    )
