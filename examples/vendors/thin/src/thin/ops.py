"""The vendor's operators: schema, inference and a kernel in NumPy."""

from typing import Any

import numpy as np
from thin.ge import ops

library = ops.Library("thin")
library.define(
    "ScaledRelu(Tensor x, *, float scale=1.0) -> Tensor y", traits=["pure"], doc="max(x, 0) scale."
)


@library.infer("ScaledRelu")
def _types(call: Any) -> Any:
    return [call.operand_types[0]]


@library.impl("ScaledRelu", "cpu", as_="numpy")
def _scaled_relu(x: Any, *, scale: float) -> Any:
    return np.maximum(x, 0) * x.dtype.type(scale)
