"""One operator prepared for calls: arguments, dispatch, operands and results of kernels."""

import sys
from collections.abc import Callable
from typing import Any

from .._foreign import functions, inferrers_version
from .._mlir_like._cext_loader import load
from .._mlir_like._providers import provider
from .._support.failures import describe, is_interrupt, text_of
from ._arrays import (
    CPU,
    Tensor,
    as_numpy,
    as_torch,
    compact_copy,
    device_of,
    device_text,
    element_fault,
    empty_like,
    fits,
    freeze,
    is_array,
    is_compact,
    is_foreign,
    kind_of,
    lies_well,
    numpy_,
    numpy_type,
    of_kind,
    overlap,
    refuse_negated,
    signature_of,
    type_text,
)
from ._codes import CODE, FLAG, SCALARS, class_of, code_of, is_plain_tensor, is_written
from ._convert import converter_of, has_parts, map_tensors, node_width, renewed
from ._decompose import as_node, decomposed, list_length
from ._errors import KernelError
from ._kernels import ALIASES, Kernel
from ._lookup import look_up
from ._results import CheckedResults

__all__ = ["Overload"]

_native: Any = load("ops")
_ir: Any = load("ir")

_DEFAULT = 0  # the code of _bind_call for a parameter without an argument


class Overload(CheckedResults):
    """A record, prepared for calls."""

    def __init__(self, record: Any) -> None:
        self.record = record
        self.name = record.qualified_name
        self.params = params = record.params
        self.vararg = record.vararg
        self.num_positional = sum(not p.kw_only for p in params)
        # Interned: the native way of calls knows names by their objects.
        self.keywords = [(i, sys.intern(p.name)) for i, p in enumerate(params) if p.kw_only]
        self.operands = [i for i, p in enumerate(params) if p.is_operand]
        # The operands that a node has for each, but for lists.
        self.widths = [node_width(params[i].type) for i in self.operands]
        self.has_lists = any(params[i].is_variadic for i in self.operands)
        self.takes_none = [p.type.kind == "optional" and bool(p.required) for p in params]
        self.attributes = [(i, p.name) for i, p in enumerate(params) if not p.is_operand]
        self.converters = [converter_of(p.type) for p in params]
        self.defaults = [
            p.default if c is None or p.default is None else c(p.default)
            for p, c in zip(params, self.converters, strict=True)
        ]
        # Operands that are more than a tensor or a list of tensors.
        self.parts = {i: params[i].type for i in self.operands if has_parts(params[i].type)}
        self.written = {i for i in self.operands if is_written(params[i].alias)}
        aliased = {
            i: set(params[i].alias["before"])
            for i in self.operands
            if params[i].alias is not None and not params[i].type.is_list
        }
        self.same = {}
        self.shared = []
        for number, result in enumerate(record.results):
            names = set() if result.alias is None else set(result.alias["before"])
            owners = {i for i, own in aliased.items() if names & own or "*" in names}
            self.shared.append(owners)
            for i in owners:
                if i in self.written and number not in self.same:
                    self.same[number] = i
        self.results = record.results
        self.fresh = [i for i in range(len(self.results)) if i not in self.same]
        self.is_tensor = [r.type.contains_tensor for r in self.results]
        # An operator of CANN with a list of results, whose length the arguments determine.
        self.is_listed = record.ns in ALIASES["ge"] and any(r.type.is_list for r in self.results)
        self.has_subgraphs = any(not p.is_operand and "Graph" in str(p.type) for p in params)
        # Neither operands nor results are tensors: nothing to convert, infer or check.
        self.is_function = not self.operands and not any(self.is_tensor) and not self.has_subgraphs
        # The plan of the native fast path; None: no call can use it.
        self._form: Any = self
        # Result types by signature, with the state of registry and inferrers for which they were
        # inferred.
        self.inferred: tuple[Any, dict[Any, Any]] = (None, {})
        # By backend. Of kernels in C only: what one in Python refers to is released when its library closes.
        self.in_c: dict[str, tuple[int, Kernel]] = {}

    # Arguments

    def complete(self, values: list[Any], codes: bytes) -> None:
        """Fill in defaults and convert the other arguments to the types of the schema."""
        for i, code in enumerate(codes):
            if code == _DEFAULT:
                values[i] = renewed(self.defaults[i])
            elif values[i] is not None:
                convert = self.converters[i]
                if convert is not None:
                    values[i] = convert(values[i])

    def mapped(self, i: int, value: Any, convert: Callable[[Any], Any]) -> Any:
        """Return an operand with each of its tensors converted."""
        if value is None:
            return None
        if i in self.parts:
            return map_tensors(self.parts[i], value, convert)
        if type(value) is list or type(value) is tuple:
            return [None if one is None else convert(one) for one in value]
        return convert(value)

    def arrays(self, values: list[Any]) -> list[tuple[int, Any]]:
        """Return parameter and array of each tensor among the arguments."""
        found: list[tuple[int, Any]] = []
        for i in self.operands:
            self.mapped(i, values[i], lambda one, i=i: found.append((i, one)))  # type: ignore[misc]
        return found + self.more_arrays(values)

    def more_arrays(self, values: list[Any]) -> list[tuple[int, Any]]:
        """Return the arrays among the varargs (`...`), with indices that follow those of the parameters."""
        count = len(self.params)
        return [(i, v) for i, v in enumerate(values[count:], count) if is_array(v)]

    def backend(self, arrays: list[tuple[int, Any]]) -> tuple[int, int]:
        """Return the device that all arrays are on.

        Raises
        ------
        ValueError
            If they are on several.
        """
        if not arrays:
            return CPU
        first: tuple[int, int] = self._asked(arrays[0][0], device_of, arrays[0][1])
        for i, array in arrays[1:]:
            device = self._asked(i, device_of, array)
            if device != first:
                one = self.operand(arrays[0][0])
                raise ValueError(
                    f"{self.name}(): operands are on {device_text(first)} ('{one}') and "
                    f"{device_text(device)} ('{self.operand(i)}'); all must be on one device"
                )
        return first

    def _asked(self, i: "int | None", ask: Callable[[Any], Any], array: Any) -> Any:
        """Return ``ask(array)``. Arrays of other packages may fail in any way, so an error names the operand, or ``out`` for None."""
        return self._asked_for("out" if i is None else f"operand '{self.operand(i)}'", ask, array)

    def _asked_for(self, what: str, ask: Callable[[Any], Any], array: Any) -> Any:
        try:
            return ask(array)
        except _ir.GEError:
            raise
        except Exception as error:
            kind = next((k for k in (BufferError, TypeError) if isinstance(error, k)), ValueError)
            raise kind(
                f"{self.name}(): {what} cannot be read: {type(array).__name__} gives "
                f"{describe(error)}"
            ) from error

    def implementation(self, backend: str) -> "Kernel | None":
        """Return what `look_up` finds for a backend; None: evaluators may compute it."""
        generation = _native.generation()
        known = self.in_c.get(backend)
        if known is not None and known[0] == generation:
            return known[1]
        found = look_up(self.record, backend)
        if found is None or (found.is_shipped and functions()):
            return None  # evaluators of users come before those kernels
        if found.native:
            self.in_c[backend] = (generation, found)
        return found

    def kernel(self, backend: str) -> Kernel:
        """Return the kernel for a backend.

        Raises
        ------
        NotImplementedError
        """
        found = self.implementation(backend)
        if found is not None and not found.is_decomposer:
            return found
        _native._require_kernel(self.name, backend)
        return self.kernel(backend)  # registered meanwhile

    # Inference

    def infer(self, values: list[Any]) -> Any:
        """Return (element type, shape) of each result, None where it is not known; or None."""
        operands: list[Any] = []
        num_listed = 0
        lengths: list[int] | None = [] if self.record.has_operand_choice else None
        for i in self.operands:
            value, before = values[i], len(operands)
            if i in self.parts:
                operands.extend(_signatures(self.parts[i], value))
            elif type(value) is list or type(value) is tuple:
                operands.extend(None if v is None else signature_of(v) for v in value)
            elif value is not None or lengths is None or self.params[i].is_variadic:
                operands.append(None if value is None else signature_of(value))
            if self.params[i].is_variadic:
                num_listed = len(operands)  # absent elements of a list count, also at the end
            if lengths is not None:
                lengths.append(len(operands) - before)
        more = self.more_arrays(values)
        if len(more) != len(values) - len(self.params):
            return None  # numbers among them, which are no operands of a node
        operands.extend(signature_of(array) for _, array in more)
        if lengths is not None and more:
            lengths.append(len(more))
        while lengths is None and len(operands) > num_listed and operands[-1] is None:
            operands.pop()
        segments = None if lengths is None else tuple(lengths)
        key = (tuple(operands), segments, tuple(freeze(values[i]) for i, _ in self.attributes))
        state = (_native.generation(), inferrers_version())
        kept = self.inferred
        if kept[0] != state:
            kept = self.inferred = (state, {})
        known = kept[1]
        found = known.get(key, self)
        if found is self:
            attributes = {name: values[i] for i, name in self.attributes}
            count = len(self.results)
            if self.is_listed:
                count = list_length(self.record, values) or count
            found = _native._infer_call(
                self.record, tuple(operands), attributes, count, segments=segments
            )
            if len(known) >= 64:
                known.pop(next(iter(known)), None)
            known[key] = found
        return found

    def _check_elements(self, i: int, array: Any) -> None:
        """Raise TypeError for an operand of an element type that GE does not have."""
        if (fault := element_fault(array)) is not None:
            raise TypeError(f"{self.name}(): operand '{self.operand(i)}' {fault}")

    # The call

    def run(self, values: list[Any], out: Any = None, backend: "str | None" = None) -> "list[Any]":
        """Run the operator on complete arguments; return its results."""
        return self.run_once(values, out, backend)[0]

    def run_once(
        self, values: list[Any], out: Any = None, backend: "str | None" = None
    ) -> "tuple[list[Any], tuple[Kernel, Any] | None]":
        """Run the operator on complete arguments; return its results, and what `lesson` takes or None."""
        if self.is_function and out is None:
            found = self.kernel(backend or "cpu")
            if not found.native and not found.out:
                return self._run_function(found, values), (found, None)
        if self.has_subgraphs:
            raise TypeError(f"{self.name}() runs its subgraphs; it can run in a graph only")
        arrays = self.arrays(values)
        ndarray = numpy_().ndarray
        if all(type(array) is ndarray for _, array in arrays):
            device, word = CPU, backend or "cpu"
        else:
            device = self.backend(arrays)
            word = backend or _native._backend_of_device(device[0])
        if not word:
            raise ValueError(f"{self.name}(): there is no backend for {device_text(device)}")
        like = arrays[0][1] if arrays else None
        owners = values
        if device == CPU:
            values = self._imported(values)
            arrays = self.arrays(values)
        implementation = self.implementation(word)
        if implementation is None or implementation.is_decomposer:
            made = None
            if device == CPU:
                made = decomposed(self.record, values) or as_node(self.record, values)
            if made is not None:
                return self._run_graph(made, word, owners, values, out, arrays, like), None
            implementation = self.kernel(word)  # which is an error, or registered meanwhile
        found = implementation
        for i, array in arrays:
            self._check_elements(i, array)
        inferred = self.infer(values)
        buffers = self._buffers(out, inferred, found, arrays, device, like)
        handed = list(values)
        for i in self.operands:
            handed[i] = self.mapped(
                i,
                values[i],
                lambda one, i=i: self._handed(i, one, found, device),  # type: ignore[misc]
            )
        for i, array in () if found.native else self.more_arrays(values):
            handed[i] = self._handed(i, array, found, device)
        if found.native:
            given = self._call_native(found, handed, buffers, device)
        else:
            positional = handed[: self.num_positional] + handed[len(self.params) :]
            if found.out:
                positional += [as_torch(b) if found.as_ == "torch" else b for b in buffers]
            given = self._call_python(found, positional, handed)
        if not found.out:
            self._check_owned(given, found, handed)
            fresh = self._checked(given, found, inferred, arrays, device)
            results = self._finish(fresh, owners, buffers, like)
        else:
            self._check_written(given, found)
            results = self._finish(buffers, owners, [], like)
        if out is not None:
            own = out if isinstance(out, (tuple, list)) else [out]
            for i, owner in zip(self.fresh, own, strict=True):
                results[i] = owner
        return results, ((found, inferred) if device == CPU and word == "cpu" else None)

    def _run_graph(
        self,
        graph: Any,
        backend: str,
        owners: list[Any],
        values: list[Any],
        out: Any,
        arrays: list[tuple[int, Any]],
        like: Any,
    ) -> "list[Any]":
        """Run the operator as a graph of others, or of itself; optional results may be missing from its outputs."""
        inputs = [as_numpy(array) for _, array in arrays]
        buffers = [] if out is None else self._given_out(out, self.infer(values), arrays, CPU)
        made = iter(provider("interpreter")(graph, inputs, backend=backend))
        fresh = [
            list(made)
            if type_.is_list
            else None
            if type_.kind == "optional" and len(graph.outputs) != len(self.fresh)
            else next(made)
            for type_ in (self.results[i].type for i in self.fresh)
        ]
        results = self._finish(fresh, owners, buffers, like)
        if out is not None:
            own = out if isinstance(out, (tuple, list)) else [out]
            for i, owner in zip(self.fresh, own, strict=True):
                results[i] = owner
        return results

    def _imported(self, values: list[Any]) -> list[Any]:
        """Return the values, importing arrays of other frameworks once: a producer may give its memory away."""
        foreign = {i for i, array in self.arrays(values) if is_foreign(array)}
        if not foreign:
            return values
        taken = list(values)

        def imported(i: int, array: Any) -> Any:
            return self._asked(i, as_numpy, array) if is_foreign(array) else array

        for i in foreign:
            if i < len(self.params):
                taken[i] = self.mapped(i, values[i], lambda one, i=i: imported(i, one))  # type: ignore[misc]
            else:
                taken[i] = imported(i, values[i])
        return taken

    def _check_written(self, given: Any, found: Kernel) -> None:
        if given is not None:
            raise KernelError(
                f"{self._shown(found)} gave {kind_of(given)}; with out=True it writes its "
                "results and returns None"
            )

    # Interface to the native fast path (lib/Bindings/Python/Ops/CallPlan.h)

    def form(self, takes_out: bool) -> "tuple[Any, ...] | None":
        """Return parameters and results for the native fast path; None: it does not support the operator."""
        if self._form is self:
            self._form = self._make_form(takes_out)
        return self._form  # type: ignore[no-any-return]

    def _make_form(self, takes_out: bool) -> "tuple[Any, ...] | None":
        if self.vararg or self.record.varret or self.has_subgraphs:
            return None
        for number, result in enumerate(self.results):
            if self.is_tensor[number] and not is_plain_tensor(result.type):
                return None
        params = []
        for i, p in enumerate(self.params):
            optional = p.type.kind == "optional"
            inner = p.type.elements[0] if optional else p.type
            params.append(
                (
                    p.name,
                    code_of(inner, p.is_operand),
                    optional,
                    p.kw_only,
                    bool(p.required),
                    i in self.written,
                    self.defaults[i],
                    class_of(inner),
                )
            )
        results = [
            (
                self.same.get(i, -1),
                sum(1 << owner for owner in self.shared[i] if owner < 32),
                self.is_tensor[i],
                CODE["any"]
                if self.results[i].type.name == "Any"
                else code_of(self.results[i].type, self.is_tensor[i]),
                class_of(self.results[i].type),
            )
            for i in range(len(self.results))
        ]
        free = self.is_function and not any(
            p.range is not None or p.choices or p.type_var is not None or own[1] not in SCALARS
            for p, own in zip(self.params, params, strict=True)
        )
        if self.is_function and len(self.results) != 1:
            return None
        if any(r.type.kind == "optional" and class_of(r.type.elements[0]) for r in self.results):
            return None
        return (
            self.num_positional,
            tuple(params),
            tuple(results),
            takes_out,
            self.is_function,
            free,
        )

    def lesson(self, found: Kernel, inferred: Any, *, takes_out: bool) -> "tuple[Any, ...] | None":
        """Return what the native fast path needs for calls like the last one, or None.

        It is this object, its form, the kernel, its flags, types of results (for `conclude`, and with NumPy's element
        types), whether it takes Tensors, and whether it takes tensors of PyTorch.
        """
        form = self.form(takes_out)
        if form is None:
            return None
        types = None
        if inferred is not None:
            types = tuple(
                None if known is None else (numpy_type(known[0]), known[1]) for known in inferred
            )
        flags = FLAG["out"] * found.out | FLAG["strided"] * found.strided
        in_python = not found.native
        kinds = (in_python and found.as_ is None, in_python and found.as_ == "torch")
        return self, form, found, flags, (inferred, types), *kinds

    def conclude(
        self, found: Kernel, given: Any, inferred: Any, values: list[Any], buffers: list[Any]
    ) -> Any:
        """Check and convert the results of a kernel that the native fast path could not accept."""
        arrays = self.arrays(values)
        like = arrays[0][1] if arrays else None
        if found.out:
            self._check_written(given, found)
            results = self._finish(buffers, values, [], like)
        else:
            self._check_owned(given, found, values)
            fresh = self._checked(given, found, inferred, arrays, CPU)
            results = self._finish(fresh, values, [], like)
        if len(results) == 1:
            return results[0]
        return tuple(results) if results else None

    of_kind = staticmethod(of_kind)

    def failed_python(self, found: Kernel, error: BaseException) -> None:
        """Raise a KernelError for the exception of a kernel in Python."""
        if is_interrupt(error) or isinstance(error, GeneratorExit):
            raise error
        raise KernelError(
            f"{self._shown(found)} raised {type(error).__name__}: {text_of(error)[:500]}"
        ) from error

    def failed_native(self, found: Kernel, error: BaseException) -> None:
        """Raise a KernelError for the failure of a kernel in C."""
        if isinstance(error, BufferError):  # of an operand's exporter
            raise BufferError(f"{self.name}(): {error}") from error
        if isinstance(error, ValueError):
            raise KernelError(f"{self._shown(found)} {error}") from None
        if isinstance(error, _ir.GEError):
            raise KernelError(str(error)) from None
        raise error

    def _run_function(self, found: Kernel, values: list[Any]) -> "list[Any]":
        count = self.num_positional
        given = values[:count] + values[len(self.params) :] if self.vararg else values[:count]
        result = self._call_python(found, given, values)
        if len(self.results) == 1:
            result = self._only(result)
            self._check_value(0, result, found)
            return [result]
        return self._checked(result, found, None, [], CPU)

    def _call_python(self, found: Kernel, positional: list[Any], values: list[Any]) -> Any:
        """Call a kernel in Python: positional arguments by position, keyword-only parameters of the schema by name."""
        try:
            return found.function(*positional, **{name: values[i] for i, name in self.keywords})
        except BaseException as error:
            return self.failed_python(found, error)

    def _call_native(
        self, found: Kernel, handed: list[Any], buffers: list[Any], device: tuple[int, int]
    ) -> Any:
        """Call a kernel in C with all parameters in schema order, then the buffers."""
        back = []  # written arrays that lie otherwise, and the copies that the kernel gets

        def laid_out(array: Any, is_written: bool, name: str) -> Any:
            if array is None:
                return array
            if isinstance(array, numpy_().ndarray) and array.dtype.kind in "OUST":
                raise TypeError(
                    f"{self.name}(): {name} is of strings, which kernels in C do not take"
                )
            if lies_well(array, found.strided):
                return array
            if is_written and not array.dtype.isnative:
                raise ValueError(
                    f"{self.name}(): {name} is written, and has the byte order of another machine; "
                    "pass array.astype(array.dtype.newbyteorder('='))"
                )
            copy = array.astype(array.dtype.newbyteorder("="), order="C")
            if is_written:
                back.append((array, copy))
            return copy

        targets = buffers if found.out else []
        if device == CPU:
            for i in self.operands:
                is_written, name = i in self.written, f"operand '{self.params[i].name}'"
                handed[i] = self.mapped(
                    i,
                    handed[i],
                    lambda one, w=is_written, n=name: laid_out(one, w, n),  # type: ignore[misc]
                )
            if not found.keeps:  # those take more arrays as they are, and may write them
                for i, array in self.more_arrays(handed):
                    handed[i] = laid_out(array, False, f"operand '{self.operand(i)}'")
            targets = [laid_out(buffer, True, "out") for buffer in targets]
        elif not (found.strided or found.keeps):
            targets = self._compact_on_device(handed, targets, back)
        try:
            given = found.function.run(*handed, *targets)
        except (ValueError, BufferError, _ir.GEError) as error:
            return self.failed_native(found, error)
        for array, copy in back:
            array[...] = copy
        return given

    def _compact_on_device(
        self, handed: list[Any], targets: list[Any], back: list[tuple[Any, Any]]
    ) -> list[Any]:
        """Replace arrays on a device that are not compact by copies; return the buffers. `back` gets those that are written.

        Raises
        ------
        ValueError
            If a framework does not make such a copy.
        """

        def laid_out(array: Any, what: str, is_written: bool) -> Any:
            if array is None or self._asked_for(what, is_compact, array):
                return array
            copy = self._asked_for(what, compact_copy, array)
            if copy is None or (is_written and not hasattr(type(array), "__setitem__")):
                raise ValueError(
                    f"{self.name}(): {what} is not compact (row-major without gaps), as the kernel needs it, and "
                    f"{type(array).__name__} makes no compact copy; pass one, or register the kernel with strided=True"
                )
            if is_written:
                back.append((array, copy))
            return copy

        for i in self.operands:
            what, is_written = f"operand '{self.params[i].name}'", i in self.written
            handed[i] = self.mapped(
                i,
                handed[i],
                lambda one, n=what, w=is_written: laid_out(one, n, w),  # type: ignore[misc]
            )
        for i, array in self.more_arrays(handed):
            handed[i] = laid_out(array, f"operand '{self.operand(i)}'", False)
        return [laid_out(buffer, "out", True) for buffer in targets]

    def _handed(self, i: int, array: Any, found: Kernel, device: tuple[int, int]) -> Any:
        """Return an operand's array as the kernel takes it."""
        if i in self.written:
            return self._writable(i, array, found, device)
        if found.as_ != "torch":
            refuse_negated(array)
            if device != CPU:
                return array
        if found.as_ is None:
            return array if type(array) is Tensor else self._asked(i, Tensor, array)
        if found.as_ == "torch":
            return as_torch(array, found.reads_only)
        view = as_numpy(array)
        if view.flags.writeable:
            view = view.view()
            view.flags.writeable = False
        return view

    def _writable(self, i: int, array: Any, found: Kernel, device: tuple[int, int]) -> Any:
        name = self.params[i].name
        if type(array) is Tensor:
            raise TypeError(
                f"{self.name}(): operand '{name}' is written, and a Tensor is immutable; pass a "
                "NumPy array, such as numpy.array(tensor.numpy())"
            )
        if found.as_ == "torch":
            return as_torch(array)
        refuse_negated(array)
        if device != CPU:
            return array
        view = as_numpy(array)
        if not view.flags.writeable:
            raise ValueError(f"{self.name}(): operand '{name}' is written, and is read-only")
        return view

    def _buffers(
        self,
        out: Any,
        inferred: Any,
        found: Kernel,
        arrays: list[tuple[int, Any]],
        device: tuple[int, int],
        like: Any,
    ) -> "list[Any]":
        """Return arrays for the results that the caller or inference gives, else none."""
        if out is not None:
            return self._given_out(out, inferred, arrays, device)
        if not found.out:
            return []
        made = []
        for i in self.fresh:
            known = None if inferred is None else inferred[i]
            if known is None or known[1] is None or None in known[1]:
                raise KernelError(
                    f"{self._shown(found)} writes into arrays of the caller, and inference does "
                    f"not say the type of result {i}; pass out="
                )
            if device == CPU:
                made.append(numpy_().empty(known[1], _ir.DType(known[0]).numpy))
            else:
                made.append(empty_like(self.name, like, *known))
        return made

    def _given_out(
        self, out: Any, inferred: Any, arrays: list[tuple[int, Any]], device: tuple[int, int]
    ) -> "list[Any]":
        buffers = list(out) if isinstance(out, (tuple, list)) else [out]
        if len(buffers) != len(self.fresh):
            raise TypeError(
                f"{self.name}(): out has {len(buffers)} arrays, and there are {len(self.fresh)} "
                "results to write"
            )
        views: list[Any] = []
        for i, buffer in zip(self.fresh, buffers, strict=True):
            if not self.is_tensor[i] or self.results[i].type.is_list:
                raise TypeError(
                    f"{self.name}(): out is for results that are tensors; result {i} is "
                    f"{self.results[i].type}"
                )
            if type(buffer) is Tensor:
                raise TypeError(f"{self.name}(): out is a Tensor, which is immutable")
            own_device = self._asked(None, device_of, buffer)
            if own_device != device:
                raise ValueError(
                    f"{self.name}(): out is on {device_text(own_device)}, the operands are "
                    f"on {device_text(device)}"
                )
            view = self._asked(None, as_numpy, buffer) if device == CPU else buffer
            known = None if inferred is None else inferred[i]
            if known is not None and not fits(signature_of(view), known):
                raise ValueError(
                    f"{self.name}(): out is {type_text(*signature_of(view))}, the result is "
                    f"{type_text(*known)}"
                )
            if device == CPU:
                if not view.flags.writeable:
                    raise ValueError(f"{self.name}(): out is read-only")
                for number, array in arrays:
                    if overlap(view, array):
                        raise ValueError(
                            f"{self.name}(): out overlaps operand '{self.operand(number)}'"
                        )
                for number, other in zip(self.fresh, views, strict=False):
                    if numpy_().shares_memory(view, other):
                        raise ValueError(
                            f"{self.name}(): the arrays of out for results {number} and {i} share "
                            "memory; pass one for each"
                        )
            elif any(view is other for other in views):
                raise ValueError(f"{self.name}(): out has one array for two results")
            views.append(view)
        return views


def _signatures(type_: Any, value: Any) -> "list[Any]":
    """Return the signatures of an operand with parts, None for those that are absent or no tensors, in a node's order."""
    if type_.kind == "optional":
        type_ = type_.elements[0]
    if type_.kind not in ("tuple", "list"):
        return [signature_of(value) if is_array(value) else None]
    if type_.kind == "list":
        return [s for one in value or () for s in _signatures(type_.elements[0], one)]
    parts = value or [None] * len(type_.elements)
    return [
        s
        for element, one in zip(type_.elements, parts, strict=True)
        for s in _signatures(element, one)
    ]
