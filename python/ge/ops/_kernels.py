"""Kernels in Python: what `Library.impl`, `infer`, `verify`, `evaluate` and `decompose` register."""

import inspect
import os
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .._foreign import (
    KernelError,
    OpCall,
    TypesAlone,
    add_inferrer,
    inferrers_changed,
    kernels_came,
)
from .._mlir_like._cext_loader import load
from .._support.failures import describe
from .._support.program import PACKAGE

__all__ = ["ALIASES", "REFERENCE", "Decomposer", "Kernel", "kernel", "kernels", "record_of"]

_native: Any = load("ops")
_ir: Any = load("ir")

REFERENCE = "reference"
"""What a kernel is registered for that computes on the CPU where nothing of a higher rank does; no backend."""

DECOMPOSITION = "decomposition"
"""What a `Decomposer` is registered for; no backend."""

# GeKernelFlags
_OUT, _STRIDED, _HOLDS_GIL, _TVM_FFI = (
    _native._kernel_flags[name] for name in ("out", "strided", "holds_gil", "tvm_ffi")
)


class _Parts(NamedTuple):
    """Fields of a `Kernel`. Immutable, because C++ borrows the function."""

    op: str
    backend: str
    function: Any
    file: str
    line: int
    as_: str | None
    out: bool
    strided: bool
    native: bool
    keeps: bool
    reads_only: bool
    #: The record that it was compared with last, and what is wrong.
    compared: list[tuple[Any, str | None]]


class Kernel(_Parts):
    """An implementation of an operator for a backend, as `kernel` finds it. Immutable.

    Attributes
    ----------
    op : str
        The operator's qualified name: ``"acme::scale"``.
    backend : str
    file, line
        Where it was registered or written.
    function : callable
        What runs; of a kernel in C, a callable that takes the parameters in schema order.
    native : bool
        Whether it is one in C.
    """

    __slots__ = ()

    def __new__(
        cls,
        op: str,
        backend: str,
        function: Callable[..., Any],
        where: tuple[str, int],
        as_: str | None = None,
        out: bool = False,
        strided: bool = False,
        native: bool = False,
        keeps: bool = False,
        reads_only: bool = False,
    ) -> "Kernel":
        return super().__new__(
            cls,
            op,
            backend,
            function,
            *where,
            as_,
            out,
            strided,
            native,
            keeps,
            reads_only,
            [(None, None)],
        )

    # Kernels are compared by identity.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @property
    def place(self) -> str:
        """``ext.py:12``."""
        file = os.path.basename(self.file) if self.is_shipped else self.file
        return f"{file}:{self.line}"

    @property
    def is_decomposer(self) -> bool:
        """Whether it builds the operator from others."""
        return False

    @property
    def is_shipped(self) -> bool:
        """Whether it is a reference kernel that ships with GE."""
        if self.backend != REFERENCE:
            return False
        from ._cann_kernels import Reference

        return isinstance(self.function, Reference)

    def fault(self, record: Any) -> str | None:
        """Return why the function cannot be called with the record's parameters, or None."""
        if self.native:  # a C function has no signature to compare
            for p in record.params:
                if not p.is_operand and _has_no_value(p.type):
                    return f"kernels in C take no {p.type} ('{p.name}'), and {self.place} registers one"
            return None
        compared, fault = self.compared[0]
        if compared is not record:
            fault = _signature_fault(self, record)
            self.compared[0] = (record, fault)
        return fault

    def __repr__(self) -> str:
        return f"<kernel of {self.op} for {self.backend} at {self.place}>"


def kernel(op: Any, backend: str = "cpu") -> "Kernel | None":
    """Return the kernel of an operator that serves a backend, or None.

    Parameters
    ----------
    op : OpDef or str
        ``"acme::scale"``; an overload follows after a dot.
    backend : str
        A kernel for ``"any"`` serves those that have none of their own. ``"reference"``: the reference kernel, which
        computes on the CPU where there is neither a kernel for a backend nor a decomposition.
    """
    name = op if isinstance(op, str) else op.qualified_name
    return find(name, backend) or (find(name, "any") if backend != REFERENCE else None)


def find(op: str, backend: str) -> "Kernel | None":
    """Return the kernel for exactly this backend or rank, or None."""
    if backend == REFERENCE:
        _need_reference(op.partition("::")[0])
    found = _native._find_kernel(op, backend)
    if found is None or type(found) is Kernel:
        return found
    name, word, file, line, flags = found.describe()
    return Kernel(
        name,
        word,
        found,
        (file, line),
        "numpy",
        bool(flags & _OUT),
        bool(flags & _STRIDED),
        native=True,
        keeps=bool(flags & _TVM_FFI),
    )


# The libraries with the reference kernels of CANN's operators, opened when the first is looked up.
_reference_libraries: list[Any] = []
_reference_lock = threading.RLock()


def _need_reference(namespace: str) -> None:
    """Register the reference kernels that ship with GE, if the namespace has some and they are not registered."""
    if _reference_libraries or namespace not in (*ALIASES, *ALIASES["ge"]):
        return
    with _reference_lock:
        if not _reference_libraries:
            _reference_libraries.extend(_registered_reference())


def _registered_reference() -> list[Any]:
    from ._cann_kernels import kernels

    shipped = kernels()
    libraries = [_native.Library(namespace, kind="IMPL") for namespace in ALIASES["ge"]]
    for library in libraries:
        for op in _native.list_ops(library.namespace):
            function = shipped.get(op.partition("::")[2])
            if function is not None:
                made = Kernel(op, REFERENCE, function, function.place, "numpy")
                library._impl(op, REFERENCE, made, 0, False, made.file, made.line)
    return libraries


class _Memory:
    """The `__array_interface__` owner from which NumPy makes an array, and which NumPy keeps alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: Any, interface: dict[str, Any]) -> None:
        self.owner = owner
        self.__array_interface__ = interface


_WORDS = {1: "|u1", 2: "<u2", 4: "<u4", 8: "<u8", 16: "|V16"}


def array_over(
    owner: Any,
    address: int,
    dtype: str,
    shape: tuple[int, ...],
    strides: "tuple[int, ...] | None",
    device: tuple[int, int],
) -> Any:
    """Return an array over memory that a kernel in C returned; it keeps `owner` alive."""
    import numpy

    if device[0] != 1:
        raise ValueError(f"returned a tensor on device {device}; only the CPU is supported")
    kind = _ir.DType(dtype).numpy
    interface = {
        "version": 3,
        "shape": shape,
        "strides": strides,
        "typestr": _WORDS[kind.itemsize],
        "data": (address, False),
    }
    if 0 in shape:
        return numpy.empty(shape, kind)
    if address == 0:
        raise ValueError(f"gave a tensor of shape {list(shape)}: 'data' is NULL")
    return numpy.asarray(_Memory(owner, interface)).view(kind)


def kernels(op: Any) -> "tuple[tuple[str, str, int], ...]":
    """Return backend, file and line of the kernels of an operator for backends, in order of registration.

    Parameters
    ----------
    op : OpDef or str
    """
    name = op if isinstance(op, str) else op.qualified_name
    return tuple(found[:3] for found in _native._list_kernels(name))


def require_open(library: Any) -> None:
    """Raise OpSchemaError when a library is closed."""
    if library.closed:
        space = library.namespace
        raise _ir.OpSchemaError(f"the library of '{space}' is closed{closed_at(space)}")


def closed_at(space: str) -> str:
    """Return where the last library of a namespace was closed, ``" (ext.py:12)"``, or an empty text."""
    place = _native._closed.get(space)
    return f" ({place})" if place else ""


def _qualified(library: Any, name: str) -> str:
    return name if "::" in name else f"{library.namespace}::{name}"


def _where(function: Any) -> tuple[str, int]:
    """Return where a function is defined, or else the line that registers it."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is not None:
        return code.co_filename, code.co_firstlineno
    return _caller(3)


def _has_no_value(type_: Any) -> bool:
    """Return whether kernels in C do not receive values of the type."""
    return (
        type_.name in ("complex", "Generator")
        or type_.kind == "dict"
        or any(map(_has_no_value, type_.elements))
    )


def _place(function: Any) -> str:
    if isinstance(function, Kernel):
        return function.place
    code = getattr(inspect.unwrap(function), "__code__", None)
    return "a builtin" if code is None else f"{code.co_filename}:{code.co_firstlineno}"


def _caller(depth: int) -> tuple[str, int]:
    frame = sys._getframe(depth + 1)
    return frame.f_code.co_filename, frame.f_lineno


def impl(
    library: Any,
    name: str,
    backend: str,
    function: Any = None,
    *,
    as_: str | None = None,
    symbol: "tuple[str | os.PathLike[str], str] | None" = None,
    out: bool = False,
    strided: bool = False,
    holds_gil: bool = False,
    override: bool = False,
    reads_only: bool = False,
) -> Any:
    """Serve `Library.impl`."""
    require_open(library)
    if reads_only and as_ != "torch":
        raise ValueError("reads_only is for kernels with as_='torch'; others get read-only arrays")
    if not isinstance(backend, str):
        raise TypeError(
            f"backend must be a name such as 'cpu', not {type(backend).__name__}; the function comes after it"
        )
    if backend == REFERENCE:
        _need_reference(library.namespace)  # the order of registrations does not matter
    elif backend == DECOMPOSITION:
        raise ValueError("a decomposition builds a graph: register it with Library.decompose")
    if symbol is not None:
        if function is not None:
            raise TypeError("a kernel is a function or a symbol, not both")
        file, line = _caller(1)
        flags = _OUT * out | _STRIDED * strided | _HOLDS_GIL * holds_gil
        path = os.path.abspath(os.fspath(symbol[0]))
        kernels_came()
        _impl_c(
            library,
            _qualified(library, name),
            backend,
            path,
            symbol[1],
            flags,
            override,
            file,
            line,
        )
        return None
    if as_ not in (None, "numpy", "torch"):
        raise ValueError(f"as_ must be None, 'numpy' or 'torch', not {as_!r}")
    if function is None:

        def register(function: Any) -> Any:
            _register(library, name, backend, function, as_, out, override, reads_only)
            return function

        return register
    _register(library, name, backend, function, as_, out, override, reads_only)
    return function


def _impl_c(library: Any, op: str, backend: str, path: str, *rest: Any) -> None:
    try:
        library._impl_c(op, backend, path, *rest)
    except OSError as error:
        if not _names_tvm_ffi(path):
            raise
        _load_tvm_ffi(error)
        library._impl_c(op, backend, path, *rest)


def implement_symbol(library: Any, op: str, backend: str, path: str, symbol: str) -> None:
    """Register a function of a shared library; the place of the kernel is the file."""
    kernels_came()
    _impl_c(library, op, backend, path, symbol, 0, False, path, 0)


def _names_tvm_ffi(path: str) -> bool:
    """Whether a library mentions the runtime of tvm-ffi or a function of it. O(bytes)."""
    from .._support.files import read_file

    try:
        data: bytes = read_file(path)
    except OSError:
        return False
    return b"libtvm_ffi" in data or b"TVMFFI" in data


def _load_tvm_ffi(error: OSError) -> None:
    """Map the runtime of tvm-ffi for the libraries that need it; the package is not imported.

    Raises
    ------
    OSError
        If it is not installed.
    """
    import ctypes
    from importlib import metadata

    try:
        files = metadata.files("apache-tvm-ffi") or ()
    except metadata.PackageNotFoundError:
        files = ()
    for file in files:
        if file.name in ("libtvm_ffi.so", "libtvm_ffi.dylib"):
            ctypes.CDLL(str(file.locate()), mode=ctypes.RTLD_GLOBAL)
            return
    raise OSError(f"{error}; it needs the runtime of tvm-ffi: pip install apache-tvm-ffi") from None


def _register(
    library: Any,
    name: str,
    backend: str,
    function: Any,
    as_: str | None,
    out: bool,
    override: bool,
    reads_only: bool,
) -> None:
    if not callable(function):
        raise TypeError(f"a kernel must be a callable, not {type(function).__name__}")
    made = Kernel(
        _qualified(library, name),
        backend,
        function,
        _where(function),
        as_,
        out,
        reads_only=reads_only,
    )
    record = record_of(made.op)
    if record is not None and (fault := made.fault(record)) is not None:
        raise _ir.OpSchemaError(fault)
    kernels_came()
    library._impl(made.op, backend, made, _OUT if out else 0, override, made.file, made.line)


# Nodes and samples name CANN's operators in one namespace; the registry has two.
ALIASES = {"ge": ("math", "nn")}


def record_of(op: str) -> Any:
    """Return the record of exactly this overload, of ``ge::Exp`` that of ``math::Exp``, or None."""
    namespace, _, rest = op.partition("::")
    name, _, overload = rest.partition(".")
    for space in ALIASES.get(namespace, (namespace,)):
        record = _native.find(space, name, overload)
        if record is not None:
            return record
    return None


def _signature_fault(made: Kernel, record: Any, what: str = "kernel") -> str | None:
    try:
        signature = inspect.signature(made.function)
    except (TypeError, ValueError):
        return None  # a builtin, which does not say
    params = record.params
    positional = [None for p in params if not p.kw_only]
    if record.vararg:
        positional.append(None)
    if made.out:
        positional.extend(None for r in record.results if r.alias is None)
    try:
        signature.bind(*positional, **{p.name: None for p in params if p.kw_only})
    except TypeError:
        plain = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
        takes = signature.replace(parameters=plain, return_annotation=signature.empty)
        schema = str(record).rpartition(" -> ")[0][len(record.qualified_name) :]
        buffers = ", followed by a buffer for each result," if made.out else ""
        return (
            f"{record.qualified_name}: {what} {made.place} takes {takes}, the schema has "
            f"{schema}{buffers}"
        )
    return None


def function(library: Any, schema: str, function: Any = None, *, doc: str = "") -> Any:
    """Serve `Library.function`."""
    if function is None:

        def register(function: Any) -> Any:
            _define_function(library, schema, function, doc)
            return function

        return register
    _define_function(library, schema, function, doc)
    return function


def _define_function(library: Any, schema: str, function: Any, doc: str) -> None:
    if not callable(function):
        raise TypeError(f"a function must be a callable, not {type(function).__name__}")
    parsed = _native.parse_schema(schema)
    tensors = [p.name for p in parsed.params if p.is_operand]
    if tensors or any(r.type.contains_tensor for r in parsed.results):
        raise _ir.OpSchemaError(
            f"{parsed.qualified_name} takes or gives tensors: that is an operator; use define and impl"
        )
    where = _where(function)
    text = doc or inspect.getdoc(function) or ""
    checked = Kernel(parsed.qualified_name, "any", function, where)
    if (fault := checked.fault(parsed)) is not None:
        raise _ir.OpSchemaError(fault)
    record = library.define(schema, doc=text, where=where)
    made = Kernel(record.qualified_name, "any", function, where)
    library._impl(record.qualified_name, "any", made, 0, False, *where)


# --- Inference, verification, evaluation

# Keyed by operator name as in nodes; libraries are weak references, so that releasing the last
# reference closes one.
_Entry = tuple["weakref.ref[Any]", Callable[[OpCall], Any]]
_inferrers: dict[str, _Entry] = {}
_verifiers: dict[str, _Entry] = {}
_evaluators: dict[str, _Entry] = {}
_installed: list[Any] = []


def _extended(library: Any, name: str) -> str:
    op = _qualified(library, name)
    if not op.startswith(library.namespace + "::"):
        raise _ir.OpSchemaError(
            f"'{name}' cannot be extended in a library of '{library.namespace}'"
        )
    return op


def _need_callable(what: str, function: Any) -> None:
    if not callable(function):
        raise TypeError(f"{what} must be a callable, not {type(function).__name__}")


def _taken(name: str, what: str, other: Any) -> Exception:
    error: Exception = _ir.OpSchemaError(
        f"{name} has a function for {what} already ({_place(other)}); close its library"
    )
    return error


def _attach(table: dict[str, _Entry], library: Any, name: str, function: Any, what: str) -> Any:
    require_open(library)
    op = _extended(library, name).replace("::", ".")

    def register(function: Any) -> Any:
        _need_callable(what, function)
        if (other := _of(table, op)) is not None:
            raise _taken(name, what, other)
        table[op] = (weakref.ref(library), function)
        if table is _evaluators:
            kernels_came()
            _ir._add_evaluated(op)
        elif _installed:
            inferrers_changed()
        else:
            _installed.append(add_inferrer(_infer, f"{PACKAGE}.ops.Library"))
        return function

    return register if function is None else register(function)


def _of(table: dict[str, _Entry], op: str) -> "Callable[[OpCall], Any] | None":
    found = table.get(op)
    if found is None:
        return None
    library = found[0]()
    if library is None or library.closed:
        table.pop(op, None)
        return None
    return found[1]


def infer(library: Any, name: str, function: Any = None) -> Any:
    """Serve `Library.infer`."""
    return _attach(_inferrers, library, name, function, "infer")


def verify(library: Any, name: str, function: Any = None) -> Any:
    """Serve `Library.verify`."""
    return _attach(_verifiers, library, name, function, "verify")


def evaluate(library: Any, name: str, function: Any = None) -> Any:
    """Serve `Library.evaluate`."""
    return _attach(_evaluators, library, name, function, "evaluate")


class Decomposer(Kernel):
    """A function that builds an operator from others; it is called like a kernel of the operator."""

    __slots__ = ()

    @classmethod
    def of(cls, op: str, function: Callable[..., Any]) -> "Decomposer":
        made: Any = cls(op, DECOMPOSITION, function, _where(function))
        record = record_of(made.op)
        if record is not None and (fault := made.fault(record)) is not None:
            raise _ir.OpSchemaError(fault)
        return made  # type: ignore[no-any-return]

    @property
    def is_decomposer(self) -> bool:
        """Whether it builds the operator from others."""
        return True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def fault(self, record: Any) -> str | None:
        """Return why the operator cannot be built by the function, or None."""
        name = record.qualified_name
        for p in record.params:
            if p.alias is not None and p.alias["is_write"]:
                return f"{name} writes operand '{p.name}'; it cannot be decomposed"
            if not p.is_operand and "Graph" in str(p.type):
                return f"{name} has the subgraph '{p.name}'; it cannot be decomposed"
        if not record.results or not all(r.type.contains_tensor for r in record.results):
            return f"{name} has results that are no tensors; it cannot be decomposed"
        return _signature_fault(self, record, "decompose")


def decompose(library: Any, name: str, function: Any = None) -> Any:
    """Serve `Library.decompose`."""
    require_open(library)
    op = _extended(library, name)

    def register(function: Any) -> Any:
        _need_callable("decompose", function)
        if (other := decomposer_of(op)) is not None:
            raise _taken(name, "decompose", other)
        made = Decomposer.of(op, function)
        kernels_came()
        library._impl(op, DECOMPOSITION, made, 0, False, made.file, made.line)
        _decomposed[op] = None
        return function

    return register if function is None else register(function)


# Operators that a library has decomposed, in this order; it may be closed.
_decomposed: dict[str, None] = {}


def decomposer_of(op: str) -> "Decomposer | None":
    """Return the function that builds an operator (``"acme::gelu"``) of others."""
    found = _native._find_kernel(op, DECOMPOSITION)
    return found if type(found) is Decomposer else None


def decomposed_operators() -> list[str]:
    """Return the operators that have a decomposition, as nodes name them."""
    return [op.replace("::", ".") for op in list(_decomposed) if decomposer_of(op) is not None]


class _WatchedCall(OpCall):
    """A call that records whether its constants or the name of its node were read."""

    is_by_types = True

    @property
    def operands(self) -> Any:
        self.is_by_types = False
        return super().__getitem__(_OPERANDS)

    @property
    def name(self) -> Any:
        self.is_by_types = False
        return super().__getitem__(_NAME)

    def __getitem__(self, index: Any) -> Any:
        self.is_by_types = False
        return super().__getitem__(index)

    def __iter__(self) -> Any:
        self.is_by_types = False
        return super().__iter__()

    def __repr__(self) -> str:
        self.is_by_types = False
        return super().__repr__()

    def __eq__(self, other: object) -> bool:
        self.is_by_types = False
        return super().__eq__(other)

    __hash__ = OpCall.__hash__


_OPERANDS, _NAME = OpCall._fields.index("operands"), OpCall._fields.index("name")


def _infer(call: OpCall) -> "Sequence[Any] | None":
    watched = _WatchedCall(*call)
    types = _infer_watched(watched)
    if watched.is_by_types and isinstance(types, (list, tuple)):
        return TypesAlone(types)
    return types


def _infer_watched(call: OpCall) -> "Sequence[Any] | None":
    check = _of(_verifiers, call.op)
    if check is not None and (fault := check(call)) is not None:
        raise _ir.VerifyError(str(fault))
    function = _of(_inferrers, call.op)
    if function is None:
        return None
    try:
        return function(call)  # type: ignore[no-any-return]
    except _ir.GEError:
        raise
    except Exception as error:
        raise KernelError(
            f"{call.op}: infer ({_place(function)}) raised {describe(error)}"
        ) from error


def evaluator_of(call: OpCall) -> "Callable[[OpCall], Any] | None":
    """Return the function that evaluates an operator on constants, if it has its own."""
    return _of(_evaluators, call.op)
