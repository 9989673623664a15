# Members that stub generation cannot see, as in IRStubs.pat.

\.Function$:
    class Function:
        """A graph-building function: `ge.es.onnx.Conv`. Its signature and documentation are the record's."""

        __name__: str
        __qualname__: str
        @property
        def op(self) -> OpDef:
            """The `OpDef` that it builds nodes of."""
        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

\.Operator$:
    class Operator:
        """
        An operator that computes when it is called: ``ge.ops.call.acme.scale``.

        Arguments are bound by the schema's own order. ``out=`` is an array for the result, or a tuple of arrays for
        several, unless the schema has a parameter of that name; that array is what the call returns.
        """

        __name__: str
        __qualname__: str
        def __init__(self, names: tuple[str, ...]) -> None: ...
        @property
        def op(self) -> OpDef:
            """The record of its first overload."""
        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

\.\w+\.__hash__$:
    def __hash__(self) -> int: ...

\.\w+\.__(repr|str)__$:
    def __\1__(self) -> str: ...

\.\w+\.__ne__$:

# stubgen takes the module of the class for one of this package's public names.
ops\.call$:
    \from ._call import _Calls
    call: _Calls

ops\.classes$:
    \from ._objects import _Classes
    classes: _Classes

ops\.__all__$:

__prefix__:
    import collections.abc
    import os
    import typing
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any
