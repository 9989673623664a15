# Members that stub generation cannot see, as in IRStubs.pat.

passes\.__all__$:

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

passes\.(FAILED|NOT_CHANGED|SUCCESS)$:
    \1: StatusCode
