"""The list of kernels, how they are called, and what all of them use."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

__all__ = [
    "Array",
    "Reference",
    "UnsupportedError",
    "add_rounded",
    "axes_of",
    "axis_of",
    "element_type",
    "integers",
    "is_float",
    "kernel",
    "kernels",
    "narrow",
    "number",
    "rounded",
    "same_type",
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


class Reference:
    """The reference kernel of one operator, to be called as its schema says.

    Parameters
    ----------
    op : str
        Without its domain: ``"Conv2D"``.
    function : callable
        Takes the operands by position, those of a list as a list, and attributes by name; if it has parameters of these
        names, also ``op`` and the layouts of the operands, ``formats``. Parameters that are operands in one operator and
        attributes in another are both.
    source : str
        The definition that it follows.
    ignores : iterable of str
        Attributes that do not change what is computed.
    writes : bool
        Whether the operator writes its first operand, and the function returns what it holds afterwards.
    rounds : bool
        Whether the function gets its operands as `wide` returns them, and its results are rounded to the type of the
        first one.
    gives : dtype, optional
        The type of results that are rounded, where it is another.
    same : bool
        Whether the operands must have one type.
    """

    def __init__(
        self,
        op: str,
        function: Callable[..., Any],
        source: str,
        ignores: Iterable[str] = (),
        writes: bool = False,
        rounds: bool = False,
        gives: Any = None,
        same: bool = False,
    ) -> None:
        self.op = op
        self.function = function
        self.source = source
        self.ignores = frozenset(ignores)
        self.writes = writes
        self._rounds, self._gives, self._same = rounds, gives, same
        named: tuple[str, ...] = ()
        if isinstance(function, np.ufunc):  # from `add_rounded`
            caller = sys._getframe(3)
            self.place: tuple[str, int] = caller.f_code.co_filename, caller.f_lineno
        else:
            code = function.__code__
            self.place = code.co_filename, code.co_firstlineno
            named = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        self._takes_op, self._takes_formats = "op" in named, "formats" in named

    @property
    def __signature__(self) -> inspect.Signature:
        function = self.function
        if isinstance(function, np.ufunc):
            parameters = [
                inspect.Parameter(f"x{i}", inspect.Parameter.POSITIONAL_ONLY)
                for i in range(function.nin)
            ]
        else:
            parameters = [
                p
                for p in inspect.signature(function).parameters.values()
                if p.name not in ("op", "formats")
            ]
        more = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in sorted(self.ignores)]
        return inspect.Signature([*parameters, *more])

    def __repr__(self) -> str:
        return f"<reference kernel of {self.op}: {self.source}>"

    def __call__(self, *operands: Any, **attributes: Any) -> Any:
        """Return the results in new memory, a list if there may be several, or write the operand and return None."""
        made = self._made(operands, attributes, ())
        if self.writes:
            self._write(operands[0], made)
            return None
        if not isinstance(made, (list, tuple)):
            return _own(made, operands)
        given = [o for one in operands for o in (one if isinstance(one, list) else [one])]
        return [_own(one, given) for one in made]

    def compute(
        self,
        operands: Sequence[Any],
        attributes: Mapping[str, Any],
        formats: Sequence[str | None] = (),
    ) -> list[Array]:
        """Return the results, which may be views of operands; none is written.

        Parameters
        ----------
        operands : sequence
            By parameter; None where an optional one is absent.
        attributes : mapping
            All of them. Element types are `numpy.dtype`, CANN's numbers, or have an attribute ``numpy``.
        formats : sequence of str or None, optional
            Layouts of the operands.

        Raises
        ------
        UnsupportedError
            If the kernel does not support a layout, type or attribute.
        ValueError, IndexError
            If the operands do not fit.
        """
        made = self._made(operands, attributes, formats)
        return [np.asarray(r) for r in (made if isinstance(made, (list, tuple)) else [made])]

    def _made(
        self, operands: Sequence[Any], attributes: Mapping[str, Any], formats: Sequence[str | None]
    ) -> Any:
        given = attributes
        if self.ignores or self._takes_op or self._takes_formats:
            given = {n: v for n, v in attributes.items() if n not in self.ignores}
            if self._takes_op:
                given["op"] = self.op
            if self._takes_formats:
                given["formats"] = [*formats, *[None] * (len(operands) - len(formats))]
        if self._same:
            same_type(self.op, *operands)
        with np.errstate(all="ignore"):
            if not self._rounds:
                return self.function(*operands, **given)
            made = self.function(*[None if o is None else wide(o) for o in operands], **given)
            dtype = self._gives or operands[0].dtype
            if isinstance(made, (list, tuple)):
                return [narrow(one, dtype) for one in made]
            return narrow(made, dtype)

    def _write(self, operand: Array, made: Array) -> None:
        if operand.shape != made.shape:
            raise UnsupportedError(
                f"{self.op}: an array of shape {list(operand.shape)} cannot hold {list(made.shape)}; in a graph the"
                " variable takes the new shape"
            )
        operand[...] = made


def _own(made: Any, operands: Iterable[Any]) -> Array:
    """Return a result in memory of its own."""
    array = np.asarray(made)
    if array.base is None:
        for operand in operands:
            if array is operand:
                break
        else:
            return array
    return array.copy()


_kernels: dict[str, Reference] = {}

Function = Callable[..., Any]
_Kernel = TypeVar("_Kernel", bound=Function)


def kernel(*ops: str, source: str, **options: Any) -> Callable[[_Kernel], _Kernel]:
    """Add a function as the kernel of operators; `source` and the options are those of `Reference`."""

    def add(function: _Kernel) -> _Kernel:
        for op in ops:
            made = Reference(op, function, source, **options)
            # An import that was interrupted is repeated.
            assert op not in _kernels or _kernels[op].place == made.place, op
            _kernels[op] = made
        return function

    return add


def rounded(*ops: str, source: str, **options: Any) -> Callable[[_Kernel], _Kernel]:
    """Add a function as a kernel with rounding (``rounds=True``)."""
    return kernel(*ops, source=source, rounds=True, **options)


def add_rounded(functions: Mapping[str, Function], source: str, **options: Any) -> None:
    """Add functions as kernels with rounding, by operator; ``{op}`` in `source` is its name."""
    for op, function in functions.items():
        rounded(op, source=source.format(op=op), **options)(function)


@cache
def kernels() -> dict[str, Reference]:
    """Return the kernels by operator, without its domain."""
    for family in _FAMILIES:
        import_module(f"{__package__}.{family}")
    return dict(sorted(_kernels.items()))


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
    kind = x.dtype.kind
    if kind == "f" or is_float(x.dtype):
        return x.astype(np.float64)
    if kind == "V":  # int4 and the like
        return x.astype(np.int64)
    return x


def same_type(op: str, *operands: Array) -> None:
    """Raise ValueError if operands have different types."""
    dtype = operands[0].dtype
    for operand in operands[1:]:
        if operand.dtype != dtype:
            raise ValueError(f"{op}: operands have different types: {dtype} and {operand.dtype}")


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
