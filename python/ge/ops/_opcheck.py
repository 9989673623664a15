"""`opcheck`: test an operator's kernel against its record."""

import copy
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._mlir_like._cext_loader import load
from .._support.failures import describe
from ._arrays import as_numpy, fits, numpy_, overlap, signature_of, type_text
from ._errors import KernelError
from ._guarded import run_guarded
from ._kernels import kernel
from ._overload import Overload

__all__ = ["OpCheckError", "opcheck"]

_native: Any = load("ops")
_ir: Any = load("ir")

_THREADS = 8


class OpCheckError(KernelError):
    """A kernel contradicts its operator's record.

    Attributes
    ----------
    faults : dict of str
        By check, what is wrong.
    """

    faults: "Mapping[str, str]"


OpCheckError.__module__ = KernelError.__module__


class _CheckError(Exception):
    """The result of a check."""


def opcheck(
    op: Any,
    args: Sequence[Any],
    kwargs: "Mapping[str, Any] | None" = None,
    *,
    raises: bool = True,
) -> dict[str, str]:
    """Check an operator's kernel against its record on an example, as ``torch.library.opcheck`` does.

    Parameters
    ----------
    op : OpDef or str
    args, kwargs
        Arguments of a call. They are copied, none is written.
    raises : bool
        Whether a fault is an exception.

    Returns
    -------
    dict of str
        By check ``"SUCCESS"``, or what is wrong: ``schema`` (the call runs, with results of the schema's number and
        types), ``writes`` (no operand changes that the schema does not declare), ``aliases`` (results share no
        memory with each other, nor with those of the next call), ``inference`` (types and shapes, also of operands without elements and of symbolic sizes), ``pure`` (the same
        again gives the same), ``layout`` (operands that are not contiguous give the same), ``threads`` (so do eight
        threads at once); of a kernel in C ``memory`` comes first (in a child process, it stays inside of its arrays,
        which lie beside pages that end the child, and writes no operand that is not declared).

    Raises
    ------
    OpCheckError
        If `raises`, and a check fails.

    Notes
    -----
    What a kernel in C reads and writes less than a page away from its arrays is found at their ends; on systems without
    ``os.fork`` there is no ``memory``.
    """
    record = _native.get(op) if isinstance(op, str) else op
    run = _Example(record, list(args), dict(kwargs or {}))
    checks: dict[str, Callable[[], None]] = {
        "schema": run.schema,
        "writes": run.writes,
        "aliases": run.aliases,
        "inference": run.inference,
        "pure": run.pure,
        "layout": run.layout,
        "threads": run.threads,
    }
    if run.is_native():
        checks = {"memory": run.memory, **checks}  # first: what it finds could end this process
    found = {}
    for name, check in checks.items():
        try:
            check()
            found[name] = "SUCCESS"
        except (_CheckError, KernelError) as error:
            found[name] = str(error)
        if name in ("memory", "schema") and found[name] != "SUCCESS":
            break
    faults = {name: text for name, text in found.items() if text != "SUCCESS"}
    if faults and raises:
        lines = "".join(f"\n  {check}: {text}" for check, text in faults.items())
        failed = OpCheckError(f"{record.qualified_name} fails {len(faults)} checks:{lines}")
        failed.faults = faults
        raise failed
    return found


class _Example:
    """A call that can be repeated on copies of its arrays."""

    def __init__(self, record: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        self.record, self.args, self.kwargs = record, args, kwargs
        self.prepared = Overload(record)

    def bound(self, change: Callable[[Any], Any]) -> list[Any]:
        """Return complete arguments, with copies of the arrays that `change` makes."""
        _, values, codes = _native._bind_call((self.record,), tuple(self.args), self.kwargs)
        self.prepared.complete(values, codes)
        for i in self.prepared.operands:
            values[i] = self.prepared.mapped(i, values[i], lambda one: change(as_numpy(one)))
        return list(values)

    def results(self, values: list[Any]) -> list[Any]:
        """Run the kernel; return its results as arrays where they are."""
        return [_plain(result) for result in self.prepared.run(values)]

    def schema(self) -> None:
        self.results(self.bound(_copy))

    def is_native(self) -> bool:
        found = kernel(self.record)
        return found is not None and found.native and hasattr(os, "fork")

    def memory(self) -> None:
        values = self.bound(_copy)
        known = self.prepared.infer(values)
        fault = run_guarded(self.prepared, values, known)
        if fault is not None:
            raise _CheckError(fault)

    def writes(self) -> None:
        values = self.bound(_copy)
        before = copy.deepcopy([values[i] for i in self.prepared.operands])
        self.results(values)
        for i, old in zip(self.prepared.operands, before, strict=True):
            if i not in self.prepared.written and not _same(old, values[i]):
                name = self.prepared.params[i].name
                raise _CheckError(
                    f"operand '{name}' was changed; declare Tensor(a!), or work on a copy"
                )

    def aliases(self) -> None:
        # Each call rejects results in memory of an operand; memory of other results and of the
        # kernel's own remains to be checked.
        first, second = self._fresh_arrays(), self._fresh_arrays()
        for k, (number, array) in enumerate(first):
            for other, another in first[:k]:
                declared = self.prepared.shared[number] & self.prepared.shared[other]
                if not declared and overlap(array, another):
                    raise _CheckError(
                        f"results {other} and {number} share memory; return a copy of one"
                    )
        for number, array in first:
            for other, another in second:
                if overlap(array, another):
                    raise _CheckError(
                        f"result {number} of one call shares memory with result {other} of the next; return memory that "
                        "the kernel does not keep"
                    )

    def _fresh_arrays(self) -> "list[tuple[int, Any]]":
        """Return the arrays that a call returns, with the index of their result."""
        results = self.prepared.run(self.bound(_copy))
        return [
            (number, array)
            for number in self.prepared.fresh
            for array in (
                results[number] if isinstance(results[number], list) else [results[number]]
            )
            if hasattr(array, "shape")
        ]

    def inference(self) -> None:
        self._infer(_copy, "")
        if any(array.ndim for _, array in self.prepared.arrays(self.bound(_copy))):
            self._infer(_empty, "with operands without elements: ")
            self._infer_symbols()

    def _infer_symbols(self) -> None:
        """Compare the types inferred for operands of unknown sizes with the results of the kernel."""
        values = self.bound(_copy)
        operands: list[Any] = []
        lengths: list[int] | None = [] if self.record.has_operand_choice else None
        for i in self.prepared.operands:
            value = values[i]
            several = list(value) if isinstance(value, (list, tuple)) else [value]
            # A tuple may hold numbers, which are no operands.
            several = [v for v in several if v is None or hasattr(v, "shape")]
            if lengths is not None:
                several = [] if value is None else several
                lengths.append(len(several))
            for array in several:
                if array is None:
                    operands.append(None)
                    continue
                dtype, shape = signature_of(array)
                symbols = tuple(f"d{len(operands)}_{k}" for k in range(len(shape)))
                operands.append((dtype, symbols))
        attributes = {name: values[i] for i, name in self.prepared.attributes}
        what = "with symbolic sizes: "
        try:
            known = _native._infer_call(
                self.record,
                tuple(operands),
                attributes,
                len(self.prepared.results),
                segments=lengths,
            )
        except Exception as error:
            raise _CheckError(f"{what}inference raised {describe(error)}") from None
        if known is not None:
            for number, (result, one) in enumerate(zip(self.results(values), known, strict=True)):
                self._compare_type(what, number, result, one)

    @staticmethod
    def _compare_type(what: str, number: int, result: Any, one: Any) -> None:
        if one is not None and hasattr(result, "shape") and not fits(signature_of(result), one):
            raise _CheckError(
                f"{what}result {number} is {type_text(*signature_of(result))}, inference says {type_text(*one)}"
            )

    def _infer(self, change: Callable[[Any], Any], what: str) -> None:
        values = self.bound(change)
        try:
            known = self.prepared.infer(values)
        except _ir.VerifyError:
            if what:
                return  # such operands are refused
            raise
        if known is None or all(one is None for one in known):
            # Only tensors have types to infer.
            if not what and any(self.prepared.is_tensor):
                raise _CheckError("there is no inference: register one with Library.infer")
            return
        try:
            results = self.results(values)
        except KernelError as error:
            raise _CheckError(f"{what}{error}") from None
        for number, (result, one) in enumerate(zip(results, known, strict=True)):
            self._compare_type(what, number, result, one)

    def pure(self) -> None:
        if "pure" not in self.record.traits:
            return
        first, second = self.results(self.bound(_copy)), self.results(self.bound(_copy))
        if not all(_same(a, b) for a, b in zip(first, second, strict=True)):
            raise _CheckError("the operator is pure, and the same operands gave different results")

    def layout(self) -> None:
        self._compare(_spread, "operands that are not contiguous gave other results")

    def threads(self) -> None:
        faults: list[str] = []

        def work() -> None:
            try:
                self._compare(_copy, f"{_THREADS} threads at once gave different results")
            except (_CheckError, KernelError) as error:
                faults.append(str(error))

        running = [threading.Thread(target=work) for _ in range(_THREADS)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        if faults:
            raise _CheckError(faults[0])

    def _compare(self, change: Callable[[Any], Any], text: str) -> None:
        if "nondeterministic" in self.record.traits:
            return
        expected = self.results(self.bound(_copy))
        found = self.results(self.bound(change))
        if not all(_same(a, b) for a, b in zip(expected, found, strict=True)):
            raise _CheckError(text)


def _plain(result: Any) -> Any:
    if isinstance(result, list):
        return [_plain(one) for one in result]
    return as_numpy(result) if hasattr(result, "shape") else result


def _copy(array: Any) -> Any:
    return numpy_().array(array, order="C")


def _spread(array: Any) -> Any:
    """Return an array with the same elements, at twice the distance."""
    np = numpy_()
    if array.ndim == 0:
        return _copy(array)
    wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    wide[..., ::2] = array
    return wide[..., ::2]


def _empty(array: Any) -> Any:
    return _copy(array[:0]) if array.ndim else _copy(array)


def _same(a: Any, b: Any) -> bool:
    np = numpy_()
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    if not hasattr(a, "shape"):
        return bool(a == b or (a != a and b != b))
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.kind in "OUST":
        return bool((a == b).all())
    return bool(np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes())
