"""Names of this package outside of Python: those that users type and read, which a vendor's build has of its own."""

from .._mlir_like import DISTRIBUTION, PROGRAM

__all__ = ["DISTRIBUTION", "PACKAGE", "PROGRAM"]

#: ``"ge"``, or a vendor's ``"acme.ge"``.
PACKAGE = __name__.rpartition(".")[0].rpartition(".")[0]
