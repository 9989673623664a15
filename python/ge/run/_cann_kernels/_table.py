"""The table of kernels, how they are called, and what all of them use."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

__all__ = [
    "Array",
    "Kernel",
    "UnsupportedError",
    "axes_of",
    "axis_of",
    "element_type",
    "find",
    "integers",
    "is_float",
    "kernel",
    "kernels",
    "narrow",
    "number",
    "wide",
]

Array = np.ndarray[Any, Any]

_FAMILIES = (
    "activation",
    "arithmetic",
    "attention",
    "blocks",
    "convolution",
    "generate",
    "image",
    "indexing",
    "join",
    "loss",
    "matrix",
    "normalization",
    "pooling",
    "quantize",
    "reduction",
    "shape",
    "slicing",
    "sort",
    "variable",
)

# CANN's numbers of element types, as DataType has them.
_NUMBERS = {
    0: "float32",
    1: "float16",
    2: "int8",
    3: "int32",
    4: "uint8",
    6: "int16",
    7: "uint16",
    8: "uint32",
    9: "int64",
    10: "uint64",
    11: "float64",
    12: "bool",
    16: "complex64",
    17: "complex128",
    27: "bfloat16",
    29: "int4",
    35: "float8_e5m2",
    36: "float8_e4m3fn",
    37: "float8_e8m0fnu",
    40: "float4_e2m1fn",
}


class UnsupportedError(NotImplementedError):
    """A kernel exists, but not for this attribute, layout or type."""


class Kernel:
    """The reference kernel of one operator.

    Parameters
    ----------
    op : str
        Without its domain: ``"Conv2D"``.
    function : callable
        Positional parameters are operands (a trailing or leading ``*`` one is a list operand, see `lists`), keyword
        parameters attributes with the defaults of CANN's schema; ``formats`` besides are the layouts of the operands.
    source : str
        The definition that it follows.
    ignores : iterable of str
        Attributes that do not change what is computed.
    lists : str
        Which operand is a list; empty: none.

    Attributes
    ----------
    minimum, maximum : int
        How many operands there may be; a maximum of -1 is any number.
    """

    def __init__(
        self,
        op: str,
        function: Callable[..., Any],
        source: str,
        ignores: Iterable[str] = (),
        lists: str = "",
    ) -> None:
        self.op = op
        self.function = function
        self.source = source
        self.ignores = frozenset(ignores)
        parameters = inspect.signature(function).parameters.values()
        places = [p for p in parameters if p.kind is not p.KEYWORD_ONLY]
        self.operands = [p.name for p in places]
        self.list_at = self.operands.index(lists) if lists else -1
        self.minimum = sum(p.default is p.empty and p.name != lists for p in places)
        self.maximum = -1 if lists else len(places)
        self.attributes = {
            p.name: p.default
            for p in parameters
            if p.kind is p.KEYWORD_ONLY and p.name not in ("formats", "num_results")
        }
        self._wants = [
            n for n in ("formats", "num_results") if n in inspect.signature(function).parameters
        ]

    @property
    def place(self) -> tuple[str, int]:
        """File and line of the kernel."""
        code = inspect.unwrap(self.function).__code__
        return code.co_filename, code.co_firstlineno

    def __repr__(self) -> str:
        return f"<reference kernel of {self.op}: {self.source}>"

    def __call__(
        self,
        operands: Sequence[Array | None],
        attributes: dict[str, Any] | None = None,
        formats: Sequence[str | None] = (),
        num_results: int | None = None,
    ) -> list[Array]:
        """Return the results.

        Parameters
        ----------
        operands : sequence of array or None
            None where an optional operand is absent. They are not written.
        attributes : dict, optional
            Those that are left out have CANN's defaults. Element types are `numpy.dtype`, CANN's numbers, or have an
            attribute ``numpy``. Names with a dot or a leading underscore are annotations and do not count.
        formats : sequence of str or None, optional
            Layouts of the operands.
        num_results : int, optional
            How many results the node has; by default as many as the kernel gives.

        Raises
        ------
        UnsupportedError
            If the kernel does not support a layout, type or attribute.
        ValueError, IndexError
            If the operands do not fit.
        """
        given: list[Any] = list(operands)
        count = len(given)
        if count < self.minimum or (self.maximum >= 0 and count > self.maximum):
            most = "any number" if self.maximum < 0 else str(self.maximum)
            raise ValueError(f"{self.op}: {count} operands, but it takes {self.minimum} to {most}")
        if self.list_at >= 0:
            behind = len(self.operands) - 1 - self.list_at
            end = count - behind
            given[self.list_at : end] = [given[self.list_at : end]]
        for name, operand in zip(self.operands[: self.minimum], given, strict=False):
            if operand is None:
                raise ValueError(f"{self.op}: operand '{name}' is absent")
        arguments = self._arguments(attributes or {})
        if "formats" in self._wants:
            arguments["formats"] = [*formats, *[None] * (count - len(formats))]
        if "num_results" in self._wants:
            arguments["num_results"] = num_results
        with np.errstate(all="ignore"):
            made = self.function(*given, **arguments)
        results = list(made) if isinstance(made, (list, tuple)) else [made]
        return [np.asarray(r) for r in results[:num_results]]

    def _arguments(self, attributes: dict[str, Any]) -> dict[str, Any]:
        arguments = {}
        for name, value in attributes.items():
            if name in self.attributes:
                arguments[name] = value
            elif name not in self.ignores and "." not in name and not name.startswith("_"):
                known = ", ".join(self.attributes) or "none"
                raise UnsupportedError(
                    f"{self.op}: the reference kernel does not support attribute '{name}'; it has {known}"
                )
        missing = [
            n
            for n, d in self.attributes.items()
            if d is inspect.Parameter.empty and n not in arguments
        ]
        if missing:
            raise ValueError(f"{self.op}: attribute '{missing[0]}' is missing")
        return arguments


_kernels: dict[str, Kernel] = {}


def kernel(
    *ops: str, source: str, ignores: Iterable[str] = (), lists: str = ""
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add a function as the kernel of operators."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for op in ops:
            assert op not in _kernels, op
            _kernels[op] = Kernel(op, function, source, ignores, lists)
        return function

    return add


@cache
def kernels() -> dict[str, Kernel]:
    """Return the kernels by operator, without its domain."""
    for family in _FAMILIES:
        import_module(f"{__package__}.{family}")
    return dict(sorted(_kernels.items()))


def find(op: str) -> Kernel | None:
    """Return the kernel of an operator, or None.

    Parameters
    ----------
    op : str
        ``"ge.Conv2D"``, ``"nn::Conv2D"``, ``"math.Add"`` or ``"Conv2D"``. Operators of other domains have none here.
    """
    domain, _, name = op.replace("::", ".").rpartition(".")
    return kernels().get(name) if domain in ("", "ge", "math", "nn") else None


def element_type(value: Any) -> np.dtype[Any]:
    """Return the NumPy type that an attribute means: CANN's number, a `DType`, a name, or a NumPy type.

    Raises
    ------
    UnsupportedError
        If NumPy and ml_dtypes have no such type.
    """
    if isinstance(value, np.dtype):
        return np.dtype(value)
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        name = _NUMBERS.get(int(value))
    elif isinstance(value, str):
        name = value
    else:
        name = getattr(value, "numpy", value)
    try:
        return _dtype(name)
    except TypeError:
        raise UnsupportedError(f"NumPy has no element type for {value!r}") from None


def _dtype(name: Any) -> np.dtype[Any]:
    if name is None:
        raise TypeError
    try:
        found: np.dtype[Any] = np.dtype(name)
    except TypeError:
        import ml_dtypes

        found = np.dtype(getattr(ml_dtypes, str(name), "?!"))
    return found


def is_float(dtype: np.dtype[Any]) -> bool:
    """Return whether elements are real numbers, bf16 and smaller ones included."""
    return dtype.kind == "f" or dtype.name.startswith(("bfloat", "float"))


def wide(x: Array) -> Array:
    """Return floats as double precision, small integers as int64, and the rest as it is."""
    if is_float(x.dtype):
        return x.astype(np.float64)
    if x.dtype.kind == "V":  # int4 and the like
        return x.astype(np.int64)
    return x


def narrow(x: Any, dtype: np.dtype[Any]) -> Array:
    """Return the array with the type of a result."""
    return np.asarray(x).astype(dtype)


def number(x: Any) -> int:
    """Return the only element of an operand, as an integer."""
    array = np.asarray(x)
    if array.size != 1:
        raise ValueError(f"one number is needed, not an array of shape {list(array.shape)}")
    return int(array.reshape(()).item())


def integers(x: Any) -> list[int]:
    """Return the elements of an operand or attribute as integers."""
    return [int(v) for v in np.asarray(x).reshape(-1).tolist()]


def axis_of(axis: Any, rank: int, name: str = "axis") -> int:
    """Return an axis counted from the front."""
    at = number(axis)
    if not -rank <= at < rank:
        raise ValueError(f"{name} {at} is outside [{-rank}, {rank})")
    return at % rank


def axes_of(axes: Any, rank: int) -> tuple[int, ...]:
    """Return axes counted from the front, each once, in ascending order."""
    return tuple(sorted({axis_of(a, rank) for a in integers(axes)}))
