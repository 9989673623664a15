"""Modules of CANN that GE does not have: an import raises ModuleNotFoundError that says why and what to use.

`ge` is a namespace package without code of its own, so each name is a module of one line beside the others. If CANN's
distribution is installed into the same directory, its packages of these names come first.
"""

from typing import NoReturn

from .program import PACKAGE

__all__ = ["REASONS", "refuse"]

#: What each module does in CANN, and what to use instead.
REASONS = {
    "allocator": "it manages the memory of Ascend devices, and GE computes in the memory of the host",
    "custom_op": "it registers custom operators with CANN's runtime; {package}.ops.Library defines operators, their "
    "inference and kernels",
    "ge_global": "it initializes CANN's runtime, and GE needs no initialization",
    "offline_compile": "it compiles models for Ascend hardware; ge-atc runs the stages of passes and writes a model",
    "onnx_plugin": "it translates nodes of ONNX to CANN's operators; {package}.onnx.load keeps the nodes of every domain, "
    "and a pass rewrites them",
    "pyatc": "it compiles models for Ascend hardware; ge-atc runs the stages of passes and writes a model",
    "runtime": "it has the values that CANN's custom operators receive; kernels of {package}.ops receive NumPy arrays or "
    "{package}.ir.Tensor",
    "session": "it runs graphs on Ascend hardware; graph.run(inputs) computes a graph on the host",
}


def refuse(name: str) -> NoReturn:
    """Raise the ModuleNotFoundError of a module of CANN.

    Parameters
    ----------
    name : str
        The module's ``__spec__.name``: its ``__name__`` is another one under ``python -m``.

    Raises
    ------
    ModuleNotFoundError
        Always.
    """
    reason = REASONS[name.rpartition(".")[2]].format(package=PACKAGE)
    raise ModuleNotFoundError(
        f"{name} is part of CANN and not available in GE: {reason}", name=name
    )
