"""Functions that pickles of ``ge.ir`` objects refer to by name."""

from .._mlir_like._cext_loader import load

__all__ = ["ArrayInterface", "graph", "location", "module", "tensor", "type_"]


class ArrayInterface:
    """An array interface together with the object that owns the memory."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, interface, owner):
        self.__array_interface__ = interface
        self.owner = owner


def type_(text):
    """Return the type with this text, in the current context."""
    return load("ir").Type.parse(text)


def location(kind, *arguments):
    """Return the location that the static method `kind` makes, in the current context."""
    return getattr(load("ir").Location, kind)(*arguments)


def tensor(text, data, splat, packed):
    """Return the tensor of this type and data, in the current context."""
    return load("ir").Tensor._restore(type_(text), data, splat, packed)


def module(text, type_sources=()):
    """Return the module with this text, in the current context."""
    made = load("ir").Module.parse(text)
    for one, sources in zip(made.graphs.values(), type_sources, strict=False):
        one._restore_type_sources(sources)
    return made


def graph(text, type_sources=b""):
    """Return the graph with this text, in the current context."""
    made = load("ir").Graph.parse(text)
    made._restore_type_sources(type_sources)
    return made
