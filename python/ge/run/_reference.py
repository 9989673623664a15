"""CANN's reference kernels as an evaluator: for constant folding and for checks."""

from __future__ import annotations

from typing import Any

from .. import ops
from .._foreign import OpCall
from . import _cann_kernels
from ._kernel_nodes import reference_in_child

__all__ = ["evaluate_call"]


def evaluate_call(call: OpCall, in_child: bool = False) -> list[Any] | None:
    """Return the results of an operator of CANN on constants; None: it has no kernel, or is random.

    Parameters
    ----------
    call : OpCall
    in_child : bool
        Whether the kernel runs in the child process, under its limits.

    Raises
    ------
    UnsupportedError
        If the kernel does not support an attribute, type or layout.
    ValueError, IndexError
        If the operands do not fit.
    """
    kernel = _cann_kernels.find(call.op)
    if kernel is None or call.subgraphs:
        return None
    domain, _, name = call.op.rpartition(".")
    known = set(kernel.attributes) | kernel.ignores
    for namespace in ("math", "nn") if domain == "ge" else (domain,):
        record = ops.find(namespace, name)
        if record is not None:
            if "nondeterministic" in record.traits:
                return None
            known |= {p.name for p in record.attributes}
    operands = [None if t is None else t.numpy() for t in call.operands]
    absent = [
        t is not None and o is None for t, o in zip(call.operand_types, operands, strict=True)
    ]
    if any(absent):
        return None
    formats = [None if t is None else getattr(t, "format", None) for t in call.operand_types]
    attributes = {k: v for k, v in call.attributes.items() if k in known}
    run = reference_in_child(call.op) if in_child else kernel
    return list(run(operands, attributes, formats, call.num_results))
