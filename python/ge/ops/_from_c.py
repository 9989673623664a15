"""Calls of kernels without an operator: kernels in Python for callers in C, and kernels in C for callers in Python."""

from typing import Any

from .._mlir_like._cext_loader import load
from ._arrays import Tensor, as_numpy, as_torch, kind_of, lies_well, numpy_
from ._errors import BindError, KernelError
from ._kernels import Kernel, record_of
from ._overload import Overload

_native: Any = load("ops")

_OUT: int = _native._kernel_flags["out"]


def _record(op: str) -> Any:
    record = record_of(op)
    if record is None:
        raise KernelError(f"{op} is not defined")
    return record


# --- Kernels in Python


def run_from_c(found: Kernel, values: list[Any], views: list[Any]) -> Any:
    """Call a kernel in Python for a caller in C: all parameters in schema order, then buffers of ``out=True``.

    Parameters
    ----------
    values : list
        Tensors that the caller lent are copies here.
    views : list
        Of those, arrays over the caller's memory: what the kernel wrote is put there when it has returned.

    Returns
    -------
    None, a value, or a list
        Arrays as NumPy's.
    """
    if found.is_decomposer:
        raise KernelError(f"is a decomposition ({found.place}), which builds a graph")
    record = _record(found.op)
    own = Overload(record)
    if (fault := found.fault(record)) is not None:
        raise KernelError(fault)
    count = len(own.params)
    wanted = count + (len(own.fresh) if found.out else 0)
    if len(values) < wanted or (len(values) > wanted and not own.vararg):
        raise KernelError(f"takes {wanted} arguments, got {len(values)}")
    handed, rest = list(values[:count]), values[count:]
    for i in own.operands:
        is_written = i in own.written
        handed[i] = own.mapped(
            i,
            handed[i],
            lambda one, w=is_written: _as_kernel_takes(found, one, w),  # type: ignore[misc]
        )
    for i, _ in own.attributes:
        convert = own.converters[i]
        if convert is not None and handed[i] is not None:
            handed[i] = convert(handed[i])
    num_buffers = len(own.fresh) if found.out else 0
    more = rest[: len(rest) - num_buffers]
    buffers = rest[len(rest) - num_buffers :]
    more = [_as_kernel_takes(found, v, False) if _is_array(v) else v for v in more]
    if found.as_ == "torch":
        buffers = [as_torch(buffer) for buffer in buffers]
    positional = handed[: own.num_positional] + more + buffers
    given = found.function(*positional, **{name: handed[i] for i, name in own.keywords})
    for i in sorted(own.written):
        put_back(values[i], views[i])
    for i in range(len(values) - num_buffers, len(values)):
        put_back(values[i], views[i])
    if found.out:
        if given is not None:
            raise KernelError(f"gave {kind_of(given)}; with out=True it returns None")
        return None
    if isinstance(given, (tuple, list)):
        return [_as_c_takes(one) for one in given]
    return _as_c_takes(given)


def _is_array(value: Any) -> bool:
    return isinstance(value, numpy_().ndarray)


def put_back(value: Any, view: Any) -> None:
    """Copy the kernel's result to the caller's memory, if the kernel wrote to a copy."""
    if isinstance(view, tuple):
        for one, other in zip(value, view, strict=True):
            put_back(one, other)
    elif view is not None:
        view[...] = value


def _as_c_takes(given: Any) -> Any:
    if not hasattr(given, "__dlpack__"):
        return given
    array = as_numpy(given)
    if lies_well(array, strided=True):
        return array
    return array.astype(array.dtype.newbyteorder("="), order="C")


def _as_kernel_takes(found: Kernel, array: Any, is_written: bool) -> Any:
    if found.as_ == "torch":
        return as_torch(array)
    if is_written:
        return array
    array.flags.writeable = False
    return array if found.as_ == "numpy" else Tensor(array)


# --- Kernels in C


def call_checked(function: Any, args: tuple[Any, ...]) -> Any:
    """Call a kernel in C with all parameters in schema order, more operands, then buffers of ``out=True``.

    The binder sees them first: a function in C trusts what it gets.

    Raises
    ------
    BindError
        If the arguments do not fit the schema.
    TypeError, ValueError
        If what the kernel writes cannot be written.
    """
    op, _, _, _, flags = function.describe()
    own = Overload(_record(op))
    num_buffers = len(own.fresh) if flags & _OUT else 0
    count = len(own.params)
    if len(args) < count + num_buffers or (len(args) > count + num_buffers and not own.vararg):
        more = f" and {num_buffers} arrays for results" if num_buffers else ""
        raise BindError(f"{op}: the kernel takes {count} arguments{more}, got {len(args)}")
    operands, buffers = args[: len(args) - num_buffers], args[len(args) - num_buffers :]
    positional = [a for a, p in zip(operands, own.params, strict=False) if not p.kw_only]
    keywords = {p.name: a for a, p in zip(operands, own.params, strict=False) if p.kw_only}
    _, values, codes = _native._bind_call((own.record,), (*positional, *operands[count:]), keywords)
    own.complete(values, codes)
    for i in own.written:
        several = values[i] if isinstance(values[i], (list, tuple)) else [values[i]]
        for array in several:
            _need_writable(op, f"operand '{own.params[i].name}'", array)
    for number, buffer in zip(own.fresh, buffers, strict=False):
        if not hasattr(buffer, "__dlpack__"):
            raise TypeError(f"{op}(): the array for result {number} is {kind_of(buffer)}")
        _need_writable(op, f"the array for result {number}", buffer)
    return function.run(*values, *buffers)


def _need_writable(op: str, what: str, array: Any) -> None:
    if array is None:
        return
    if type(array) is Tensor:
        raise TypeError(f"{op}(): {what} is written, and a Tensor is immutable")
    if isinstance(array, numpy_().ndarray) and not array.flags.writeable:
        raise ValueError(f"{op}(): {what} is written, and is read-only")
