"""TypeErrors that name both packages when an object or a class is of another build of GE, such as a vendor's."""

from .._mlir_like._cext_loader import load
from .program import PACKAGE

__all__ = ["from_elsewhere"]


def from_elsewhere(got: object) -> str:
    """Return what to add to the text of a TypeError about `got`: which package it is of, if it is not this one.

    Parameters
    ----------
    got : object
        An object or a class, also one that is derived from a class of a package.
    """
    other = load("ir")._other_package(got)
    if other is None:
        return ""
    crossing = "" if isinstance(got, type) else ": objects of two packages cross as text"
    return f"; it is of '{other}', not of '{PACKAGE}'{crossing}"
