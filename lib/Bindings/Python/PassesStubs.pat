# Members that stub generation cannot see, as in IRStubs.pat. What Python files define is read there.

passes\.(?!GraphPattern$|GraphRule$|MatchResult$|__prefix__$)\w+$:

\.GraphPattern\.__init__$:
    def __init__(
        self,
        graph: object,
        *,
        attributes: str = "given",
        constants: str = "value",
        predicates: tuple[Callable[..., object], ...] = (),
    ) -> None: ...

\.MatchResult\.__getitem__$:
    def __getitem__(self, key: str, /) -> Any: ...

passes\.__prefix__$:
    from collections.abc import Callable
    from typing import Any

    __all__ = ["GraphPattern", "GraphRule", "MatchResult"]
