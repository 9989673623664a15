"""The vendor's operators: schemas with inference and kernels, which folding runs, and typed views."""

from typing import Any

import numpy as np

from . import ops
from .types import Scheme, packed

library = ops.Library("acme")
library.define(
    "Scale(Tensor x, *, float factor=1.0) -> Tensor y", traits=["pure"], doc="x times a number."
)
library.define("Twice(Tensor x) -> Tensor y", traits=["pure"], doc="x plus x.")
library.define(
    "Pack(Tensor x, *, ValueType scheme) -> Tensor y", traits=["pure"], doc="x in fewer bits."
)


@library.infer("Scale")
@library.infer("Twice")
def _same(call: Any) -> Any:
    return [call.operand_types[0]]


@library.infer("Pack")
def _packed(call: Any) -> Any:
    scheme = call.attributes["scheme"]
    return [packed(Scheme.of(scheme).bits, scheme.context)]


@library.impl("Scale", "cpu", as_="numpy")
def _scale(x: Any, *, factor: float) -> Any:
    return x * x.dtype.type(factor)


@library.impl("Twice", "cpu", as_="numpy")
def _twice(x: Any) -> Any:
    return np.add(x, x)


@ops.register_view
class Scale(ops.OpView):
    """``acme.Scale``."""

    OPERATION_NAME = "acme.Scale"

    @property
    def is_identity(self) -> bool:
        """Whether it changes nothing."""
        return bool(self.factor == 1.0)


@ops.register_view
class Pack(ops.OpView):
    """``acme.Pack``."""

    OPERATION_NAME = "acme.Pack"

    @property
    def how(self) -> Scheme:
        """The scheme as an object."""
        return Scheme.of(self.scheme)
