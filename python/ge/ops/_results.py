"""Results of kernels, checked against the schema of the operator and against inference."""

from typing import Any

from .._support.failures import describe
from ._arrays import (
    CPU,
    as_numpy,
    device_of,
    device_text,
    element_fault,
    fits,
    is_array,
    is_torch,
    is_value_of,
    kind_of,
    numpy_,
    overlap,
    received,
    refuse_lazy,
    signature_of,
    type_text,
    wrapper_for,
)
from ._errors import KernelError
from ._kernels import Kernel

__all__ = ["CheckedResults"]


class CheckedResults:
    """The results of an operator that is prepared for calls."""

    record: Any
    name: str
    params: Any
    results: Any
    fresh: list[int]
    """The results that are new, not an operand's own object."""
    is_tensor: list[bool]
    same: dict[int, int]
    """For each result, the parameter whose object it is."""
    shared: list[set[int]]
    """For each result, the operands that it may share memory with."""

    def operand(self, number: int) -> str:
        """Return the name of an operand for messages."""
        if number < len(self.params):
            return str(self.params[number].name)
        return f"argument {number + 1}"

    def _shown(self, found: Kernel) -> str:
        return f"{self.name}: kernel {found.backend} ({found.place})"

    def _checked(
        self,
        given: Any,
        found: Kernel,
        inferred: Any,
        arrays: list[tuple[int, Any]],
        device: tuple[int, int],
    ) -> "list[Any]":
        """Return the kernel's values for the results that are not an operand's own object.

        Raises
        ------
        KernelError
        """
        count = len(self.fresh)
        if self.record.varret:
            return self._checked_several(given, found, inferred, arrays, device)
        if count == 0:
            if given is None or self.same:
                return []
            raise self._wrong_results(found, kind_of(given), "no results")
        if len(self.results) == 1:
            items: list[Any] = [self._only(given)]
        elif isinstance(given, (tuple, list)) and len(given) == len(self.results) != count:
            items = [given[i] for i in self.fresh]
        elif count == 1 and not isinstance(given, (tuple, list)):
            items = [given]
        elif isinstance(given, (tuple, list)):
            items = list(given)
        else:
            raise self._wrong_results(found, kind_of(given), f"{len(self.results)} results")
        if len(items) != count:
            raise self._wrong_results(found, f"{len(items)} results", str(len(self.results)))
        for place, i in enumerate(self.fresh):
            if self.is_tensor[i]:
                known = None if inferred is None else inferred[i]
                items[place] = self._checked_tensor(i, items[place], known, found, arrays, device)
            else:
                self._check_value(i, items[place], found)
        return items

    def _check_owned(self, given: Any, found: Kernel, handed: list[Any]) -> None:
        """Raise if a result that is an operand itself came back in other memory, because its numbers would be lost."""
        if given is None or not self.same:
            return
        if len(self.results) == 1:
            items = [self._only(given)]
        elif isinstance(given, (tuple, list)) and len(given) == len(self.results):
            items = list(given)
        else:
            return  # only the results that are no operands
        for i, number in self.same.items():
            operand, item = handed[number], items[i]
            if item is None or item is operand or not is_array(item) or not is_array(operand):
                continue
            if not overlap(received(item), operand):
                raise KernelError(
                    f"{self._shown(found)} gave other memory than that of the operand as result {i}, which the schema "
                    f"says is operand '{self.operand(number)}' itself (Tensor(a!)): write into the operand"
                )

    def _checked_several(
        self,
        given: Any,
        found: Kernel,
        inferred: Any,
        arrays: list[tuple[int, Any]],
        device: tuple[int, int],
    ) -> "list[Any]":
        """Return the results of a kernel of a variadic operator: as `_checked`, then the additional ones."""
        items = list(given) if isinstance(given, (tuple, list)) else [given]
        if given is None:
            items = []
        count = len(self.fresh)
        if len(items) < count:
            raise self._wrong_results(found, f"{len(items)} results", f"{count} at least")
        for place, item in enumerate(items):
            i = self.fresh[place] if place < count else len(self.results) + place - count
            if place >= count:
                if is_array(item):
                    items[place] = self._checked_tensor_item(i, item, None, found, arrays, device)
            elif self.is_tensor[i]:
                known = None if inferred is None else inferred[i]
                items[place] = self._checked_tensor(i, item, known, found, arrays, device)
            else:
                self._check_value(i, item, found)
        return items

    def _only(self, given: Any) -> Any:
        """Return the only result; a function whose hint is ``tuple[T]`` gives it in a tuple."""
        is_sequence = self.results[0].type.kind in ("list", "tuple", "optional", "union")
        if type(given) is tuple and len(given) == 1 and not is_sequence:
            return given[0]
        return given

    def _wrong_results(self, found: Kernel, returned: str, declared: str) -> KernelError:
        """Return the error for a kernel whose results differ in number from those of the schema."""
        return KernelError(f"{self._shown(found)} gave {returned}, the schema has {declared}")

    def _check_value(self, i: int, item: Any, found: Kernel) -> None:
        """Raise if a value does not have the type of a result that is not a tensor."""
        if not is_value_of(self.results[i].type, item):
            raise KernelError(
                f"{self._shown(found)} gave {kind_of(item)} for result {i}, which is "
                f"{self.results[i].type}"
            )

    def _checked_tensor(
        self,
        i: int,
        item: Any,
        known: Any,
        found: Kernel,
        arrays: list[tuple[int, Any]],
        device: tuple[int, int],
    ) -> Any:
        type_ = self.results[i].type
        if type_.is_list or (type_.is_optional and type_.elements[0].is_list):
            if not isinstance(item, (list, tuple)):
                raise KernelError(
                    f"{self._shown(found)} gave {kind_of(item)} for result {i}, a list of arrays"
                )
            return [self._checked_tensor_item(i, one, None, found, arrays, device) for one in item]
        if item is None and type_.is_optional:
            return None
        return self._checked_tensor_item(i, item, known, found, arrays, device)

    def _checked_tensor_item(
        self,
        i: int,
        item: Any,
        known: Any,
        found: Kernel,
        arrays: list[tuple[int, Any]],
        device: tuple[int, int],
    ) -> Any:
        given = item
        try:
            item = received(item)
            if is_torch(item) and not (arrays and is_torch(arrays[0][1])):
                refuse_lazy(item)  # it becomes an array of another framework
        except Exception as error:
            raise KernelError(
                f"{self._shown(found)} gave a result {i} that cannot be read: {describe(error)}"
            ) from error
        if item is None:
            raise KernelError(
                f"{self._shown(found)} gave {kind_of(given)} for result {i}, which is not an array"
            )
        if (fault := element_fault(item)) is not None:
            raise KernelError(f"{self._shown(found)} gave a result {i} that {fault}")
        there = device_of(item)
        if there != device and arrays:
            raise KernelError(
                f"{self._shown(found)} gave result {i} on {device_text(there)}, the operands are "
                f"on {device_text(device)}"
            )
        if known is not None and not fits(signature_of(item), known):
            raise KernelError(
                f"{self._shown(found)} gave {type_text(*signature_of(item))} for result {i}, inference "
                f"says {type_text(*known)}"
            )
        shared = self.shared[i] if i < len(self.shared) else set()
        for number, array in arrays:
            if number not in shared and (item is array or overlap(item, array)):
                raise KernelError(
                    f"{self._shown(found)} gave the memory of operand "
                    f"'{self.operand(number)}' as result {i}, which the schema does not "
                    "declare (Tensor(a)); return a copy"
                )
        return item

    def _finish(
        self, fresh: list[Any], values: list[Any], out: list[Any], like: Any
    ) -> "list[Any]":
        """Return all results; `fresh` ones are copied into the arrays of `out`, if given."""
        wrap = wrapper_for(like)
        more = fresh[len(self.fresh) :]  # of an operator with any number of results
        results: list[Any] = [None] * len(self.results)
        results += [wrap(item, like) if is_array(item) else item for item in more]
        for i, number in self.same.items():
            results[i] = values[number]
        for place, i in enumerate(self.fresh):
            item = fresh[place]
            if out:
                self._copy_out(i, out[place], item)
                item = out[place]
            if not self.is_tensor[i] or item is None:
                results[i] = item
            elif isinstance(item, list):
                results[i] = [wrap(one, like) for one in item]
            else:
                results[i] = wrap(item, like)
        return results

    def _copy_out(self, i: int, buffer: Any, item: Any) -> None:
        """Copy a kernel's result into the array of ``out=``; on a device the framework of that array copies.

        Raises
        ------
        TypeError
            If it does not.
        """
        if device_of(buffer) == CPU:
            numpy_().copyto(as_numpy(buffer), as_numpy(item), casting="no")
            return
        try:
            buffer[...] = item
        except Exception as error:
            raise TypeError(
                f"{self.name}(): result {i} cannot be copied into out: {type(buffer).__name__} gives {describe(error)}; "
                "register the kernel with out=True, or call without out="
            ) from error
