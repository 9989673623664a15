"""Names of this package that users type and read outside of Python; a vendor's build has its own."""

from .._mlir_like import DISTRIBUTION, PROGRAM

__all__ = ["DISTRIBUTION", "PACKAGE", "PROGRAM"]

#: ``"ge"``, or a vendor's ``"acme.ge"``.
PACKAGE = __name__.rpartition(".")[0].rpartition(".")[0]
