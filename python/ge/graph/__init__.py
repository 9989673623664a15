"""CANN's vocabulary: its members on the classes of ``ge.ir``, its values and enumerations.

``Graph``, ``Node`` and ``Tensor`` are those of ``ge.ir``: code in either vocabulary works on the same
objects. ``docs/cann.md`` lists every member of CANN's interface as same, different or absent.
"""

from ..ir import Graph, Node, Tensor
from ._anchor import Anchor
from ._tensor_desc import Shape, TensorDesc
from .operator import Operator
from .types import DataType, DumpFormat, Format, Placement

__all__ = [
    "Anchor",
    "DataType",
    "DumpFormat",
    "Format",
    "Graph",
    "Node",
    "Operator",
    "Placement",
    "Shape",
    "Tensor",
    "TensorDesc",
]
