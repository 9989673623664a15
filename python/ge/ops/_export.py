"""Operators for other frameworks: `to_tvm_ffi` and `export_torch`."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from .._mlir_like._cext_loader import load
from ._arrays import CPU, as_numpy, device_of, dtype_word
from ._call import Operator
from ._kernels import kernels
from ._overload import Overload

__all__ = ["TorchExport", "export_torch", "to_tvm_ffi"]

_native: Any = load("ops")
_ir: Any = load("ir")


def _required(package: str, distribution: str) -> Any:
    try:
        return import_module(package)
    except ImportError as error:
        raise ImportError(f"{error}; this needs {package}: pip install {distribution}") from error


# --- tvm-ffi


def to_tvm_ffi(op: Any) -> Any:
    """Return an operator as a ``tvm_ffi.Function``, which libraries of tvm-ffi can call.

    Parameters
    ----------
    op : OpDef or str
        ``"acme::scale"``. Its kernel is looked up at each call.

    Returns
    -------
    tvm_ffi.Function
        It takes all parameters in schema order, those behind ``*`` too; what is left out at the end has its default.
        Tensors go in and out without a copy; copied are results that are read-only, and memory that a caller lends for
        the call alone. Exceptions come out as errors of tvm-ffi, of the kind that their class is called.

    Raises
    ------
    ImportError
        If ``apache-tvm-ffi`` is not installed.
    KeyError
        If there is no such operator.
    """
    tvm_ffi = _required("tvm_ffi", "apache-tvm-ffi")
    record = _native.get(op) if isinstance(op, str) else op
    prepared = Overload(record)
    called = (
        Operator((record.qualified_name,)),
        tuple(p.name for p in record.params),
        prepared.num_positional,
        tuple(sorted(prepared.written)),
    )
    address = _native._tvm_ffi_trampoline()
    return tvm_ffi.Function.__from_extern_c__(address, keep_alive_object=called)


def writable(value: Any) -> Any:
    """Return a result whose arrays are of NumPy and writable; those of other devices as they are."""
    if isinstance(value, (tuple, list)):
        return [writable(item) for item in value]
    if not hasattr(value, "__dlpack__") or device_of(value) != CPU:
        return value
    array = as_numpy(value)
    return array if array.flags.writeable else array.copy()


# --- torch

# PyTorch's dispatch keys. A kernel for "any" serves every device, autograd aside.
_KEYS = {"cpu": "CPU", "cuda": "CUDA", "npu": "PrivateUse1", "any": "CompositeExplicitAutograd"}
_TORCH_LACKS = ("Graph", "TensorLiteral", "SparseLiteral", "ValueType", "Bytes")


class TorchExport:
    """The operators of a namespace in ``torch.library``, until `close` or the end of its ``with``.

    Attributes
    ----------
    namespace : str
    operators : tuple of str
        Qualified names of what was registered.
    """

    def __init__(self, namespace: str, operators: tuple[str, ...], library: Any) -> None:
        self.namespace, self.operators = namespace, operators
        self._library = library

    def close(self) -> None:
        """Unregister the operators from torch. Closing again does nothing."""
        library, self._library = self._library, None
        if library is not None:
            library._destroy()

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._library is None

    def __enter__(self) -> "TorchExport":
        return self

    def __exit__(self, *args: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<TorchExport of '{self.namespace}'{', closed' if self.closed else ''}>"


def export_torch(namespace: str) -> TorchExport:
    """Register the operators of a namespace and their kernels with ``torch.library``.

    Parameters
    ----------
    namespace : str
        ``"acme"``: ``torch.ops.acme.scale(tensor)`` calls the kernels that are registered here, now or later. Torch
        may not have a library of that namespace.

    Returns
    -------
    TorchExport
        Hold it; closing takes all out.

    Raises
    ------
    ImportError
        If torch is not installed.
    OpSchemaError
        For a type that torch lacks, with the operator and the parameter; nothing is registered then.

    Notes
    -----
    Kernels for cpu, cuda, npu and any have the dispatch keys CPU, CUDA, PrivateUse1 and CompositeExplicitAutograd;
    those of other backends are left out. What torch calls a fake implementation is GE's inference.
    """
    torch = _required("torch", "torch")
    _required("torch.library", "torch")
    records = [_native.get(name) for name in _native.list_ops(namespace)]
    if not records:
        raise KeyError(f"namespace '{namespace}' has no operators")
    for record in records:
        _refuse_types(record)
    library = torch.library.Library(namespace, "DEF")
    try:
        for record in records:
            _register(record, library, torch)
    except BaseException:
        library._destroy()
        raise
    return TorchExport(namespace, tuple(r.qualified_name for r in records), library)


def _refuse_types(record: Any) -> None:
    for slot in (*record.params, *record.results):
        text = str(slot.type)
        word = next((w for w in _TORCH_LACKS if w in text), None)
        if word is None and slot.type.kind == "class":
            word = text
        if word is not None:
            raise _ir.OpSchemaError(
                f"{record.qualified_name}: torch has no type for {word} of '{slot.name or 'the result'}'"
            )


def _register(record: Any, library: Any, torch: Any) -> None:
    name = record.qualified_name.partition("::")[2]
    library.define(record.to_string("torch").partition("::")[2])
    operator = Operator((record.qualified_name,))

    def run(*args: Any, **kwargs: Any) -> Any:
        # Kernels run below autograd, where DLPack takes only tensors that need no gradient.
        detached: dict[int, Any] = {}
        given = operator(
            *(_from_torch(a, torch, detached) for a in args),
            **{k: _from_torch(v, torch, detached) for k, v in kwargs.items()},
        )
        if isinstance(given, (list, tuple)):
            return type(given)(detached.get(id(one), one) for one in given)
        return detached.get(id(given), given)

    words = {word for word, _, _ in kernels(record)}
    for word, key in _KEYS.items():
        if word in words:
            library.impl(name, run, key)
    if any(r.type.contains_tensor for r in record.results):
        fake = _fake(record, torch)
        torch.library.register_fake(record.qualified_name, fake, lib=library)


def _from_torch(value: Any, torch: Any, detached: dict[int, Any]) -> Any:
    """Return an argument in the operator's form; `detached` gets tensors without their gradients."""
    if isinstance(value, torch.dtype):
        return _ir.DType(dtype_word(value))
    if isinstance(value, (list, tuple)):
        return type(value)(_from_torch(one, torch, detached) for one in value)
    if not getattr(value, "requires_grad", False):
        return value
    plain = value.detach()
    detached[id(plain)] = value
    return plain


def _fake(record: Any, torch: Any) -> Callable[..., Any]:
    """Return a function that creates results of the inferred types without data."""
    prepared = Overload(record)

    def infer(*args: Any, **kwargs: Any) -> Any:
        given = tuple(_from_torch(a, torch, {}) for a in args)
        named = {k: _from_torch(v, torch, {}) for k, v in kwargs.items()}
        _, values, codes = _native._bind_call((record,), given, named)
        prepared.complete(values, codes)
        tensors = prepared.arrays(values)
        sizes: dict[str, Any] = {}
        found = _inferred(record, prepared, values, _symbols_into(sizes))
        if sizes and not all(_is_whole(known, sizes) for known in found):
            found = _inferred(record, prepared, values, int)  # torch then guards the sizes
        made = []
        for i, known in enumerate(found):
            if i in prepared.same:
                made.append(values[prepared.same[i]])
                continue
            if not _is_whole(known, sizes):
                raise NotImplementedError(
                    f"{prepared.name}: inference does not say the type of result {i}; register one "
                    "with Library.infer"
                )
            dtype = getattr(torch, _ir.DType(known[0]).numpy.name)
            device = tensors[0][1].device if tensors else "cpu"
            shape = [sizes[n] if isinstance(n, str) else n for n in known[1]]
            made.append(torch.empty(shape, dtype=dtype, device=device))
        return made[0] if len(made) == 1 else tuple(made)

    return infer


def _is_whole(known: Any, sizes: dict[str, Any]) -> bool:
    """Return whether a type is fully inferred: each size is a number or a size of an operand."""
    if known is None or known[1] is None:
        return False
    return all(isinstance(size, int) or size in sizes for size in known[1])


def _symbols_into(sizes: dict[str, Any]) -> Callable[[Any], Any]:
    """Return a function that gives a symbol for each size that torch does not know, and records it."""
    symbols: dict[str, str] = {}

    def size(given: Any) -> Any:
        if type(given) is int:
            return given
        symbol = symbols.setdefault(str(given), f"s{len(symbols)}")
        sizes[symbol] = given
        return symbol

    return size


def _inferred(record: Any, prepared: Overload, values: Any, size: Callable[[Any], Any]) -> Any:
    """Return (element type, shape) of each result, None where inference does not say it."""
    operands: list[Any] = []
    lengths: list[int] | None = [] if record.has_operand_choice else None
    for i in prepared.operands:
        value = values[i]
        each = value if isinstance(value, (list, tuple)) else [value]
        if lengths is not None:
            each = [] if value is None else each
            lengths.append(len(each))
        operands.extend(
            None if v is None else (dtype_word(v.dtype), tuple(map(size, v.shape))) for v in each
        )
    while lengths is None and operands and operands[-1] is None:
        operands.pop()
    attributes = {name: values[i] for i, name in prepared.attributes}
    count = len(prepared.results)
    found = _native._infer_call(record, tuple(operands), attributes, count, True, lengths)
    return found or [None] * count
