"""Native modules of the package and their loader; private."""

from ._site import DISTRIBUTION, PROGRAM

__all__ = ["DISTRIBUTION", "PROGRAM", "_reexport"]


def _reexport(name: str) -> None:
    """Make ``<name>.X`` the same module object as ``X`` of this package; for the ``__init__.py`` of a vendor's package.

    Parameters
    ----------
    name : str
        The vendor's package: its ``__name__``.
    """
    from ._reexports import reexport

    reexport(name)
