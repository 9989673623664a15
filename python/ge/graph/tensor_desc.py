"""CANN's path of `TensorDesc` and `Shape`."""

from ._tensor_desc import UNKNOWN_DIM, Shape, TensorDesc
from ._tensor_desc import UNKNOWN_RANK as UNKNOWN_DIM_NUM

__all__ = ["UNKNOWN_DIM", "UNKNOWN_DIM_NUM", "UNKNOWN_DIM_SIZE", "Shape", "TensorDesc"]

#: Of a shape, in place of the number of elements.
UNKNOWN_DIM_SIZE = -1
