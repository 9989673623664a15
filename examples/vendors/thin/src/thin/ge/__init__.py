"""GE under the vendor's name: ``thin.ge.ir`` is ``ge.ir``."""

from ge._mlir_like import _reexport

_reexport(__name__)
