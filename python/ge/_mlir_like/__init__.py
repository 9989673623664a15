"""Native modules of the package and their loader; private."""

import os

from ._site import DISTRIBUTION, PROGRAM

__all__ = ["DISTRIBUTION", "PROGRAM", "STARTED_IN", "_reexport"]

#: The working directory when the package was imported; empty: it was gone. ``python -m`` has it in the path of modules.
try:
    STARTED_IN = os.getcwd()
except OSError:
    STARTED_IN = ""


def _reexport(name: str) -> None:
    """Make ``<name>.X`` the same module object as ``X`` of this package; for the ``__init__.py`` of a vendor's package.

    Parameters
    ----------
    name : str
        The vendor's package: its ``__name__``.
    """
    from ._reexports import reexport

    reexport(name)
