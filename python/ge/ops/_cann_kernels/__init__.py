"""CANN's operators as reference kernels in NumPy: what a graph of CANN's operators computes, without CANN.

Each kernel is written from the definition that it cites, for correctness and not for speed. Floats are computed in
double precision and rounded once, to the type of the result. What a kernel does not support is an
`UnsupportedError`. The kernels know nothing of graphs: arrays and attributes go in, arrays come out. Names, order and
defaults of their parameters are those of the schemas.
"""

from ._table import Reference, UnsupportedError, element_type, kernels

__all__ = ["Reference", "UnsupportedError", "element_type", "kernels"]
