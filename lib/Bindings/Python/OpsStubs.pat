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

\.\w+\.__hash__$:
    def __hash__(self) -> int: ...

\.\w+\.__(repr|str)__$:
    def __\1__(self) -> str: ...

\.\w+\.__ne__$:

ops\.__all__$:

__prefix__:
    import collections.abc
    import typing
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any
