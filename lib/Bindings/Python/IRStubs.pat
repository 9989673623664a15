# Types of the members that stub generation cannot see: operators and containers (slots without a signature), and
# classes made in Python. Methods, properties and constructors say theirs where they are bound: Members.h. Each query is searched in a member's full name; its lines replace the member.
# A member that no query names and that has no type is found by mypy over the stubs.

\.[A-Z0-9]+[0-9]Attr\.__(?:repr|str|reduce|slots)__$:

\.[A-Z0-9]+[0-9]Attr\.dtype$:
    @property
    def dtype(self) -> DType:
        \doc

\.ArrayAttr$:
    class ArrayAttr(tuple[Any, ...]):
        \doc
        dtype: DType | None
        def __new__(cls, values: Iterable[Any] = (), dtype: Any = None) -> ArrayAttr: ...

\.TensorShape$:
    class TensorShape(tuple[Any, ...]):
        \doc

        def get_shape_size(self) -> int: ...
        def is_unknown_shape(self) -> bool: ...
        def __getitem__(self, key: Any, /) -> Any: ...

\.PassError\.(pass_name|hook|node|file)$:
    \1: str | None

\.PassError\.line$:
    line: int | None

\.PassError\.kind$:
    kind: str

\.GraphRef\.__(?:repr|reduce|slots)__$:

\.register_attribute_builder$:
    def register_attribute_builder(cls: type) -> Callable[[_BuilderT], _BuilderT]:
        \doc

# Comparison is identity or equality; an order that only raises TypeError is no member.
\.\w+\.__(eq|ne)__$:
    def __\1__(self, other: object, /) -> bool: ...

# While a builder of ge.es lives; other operands make a constant.
\.Value\.__(r?(?:add|sub|mul|truediv|floordiv|mod|matmul|and|or|xor|lshift|rshift)|lt|le|gt|ge)__$:
    def __\1__(self, other: Any, /) -> Value: ...

\.Value\.__(r?pow)__$:
    def __\1__(self, other: Any, modulus: None = None, /) -> Value: ...

\.Value\.__(neg|abs|invert)__$:
    def __\1__(self) -> Value: ...

\.Value\.__getitem__$:
    def __getitem__(self, key: Any, /) -> Value: ...

\.(?:\w+List|\w+Map|\w+Type|Node|Use|Graph|Origin|Location|Type|Tensor|DType|Diagnostic)\.__(?:lt|le|gt|ge)__$:

\.\w+\.__hash__$:
    def __hash__(self) -> int: ...

\.Value\.__bool__$:
    def __bool__(self) -> bool: ...

\.\w+\.__(repr|str)__$:
    def __\1__(self) -> str: ...

\.(?:AttributeMap|\w+List|GraphMap)\.__len__$:
    def __len__(self) -> int: ...

\.(Context|Location|InsertionPoint)\.__enter__$:
    def __enter__(self) -> \1: ...

\.(?:Context|Location|InsertionPoint)\.__exit__$:
    def __exit__(self, *args: object) -> None: ...

# Containers
\.AttributeMap\.__iter__$:
    def __iter__(self) -> Iterator[str]: ...

\.AttributeMap\.__getitem__$:
    def __getitem__(self, key: str, /) -> Any: ...

\.AttributeMap\.__setitem__$:
    def __setitem__(self, key: str, value: Any, /) -> None: ...

\.GraphMap\.__iter__$:
    def __iter__(self) -> Iterator[str]: ...

\.GraphMap\.__getitem__$:
    def __getitem__(self, key: str, /) -> Graph: ...

\.GraphMap\.__setitem__$:
    def __setitem__(self, key: str, value: Graph, /) -> None: ...

\.(?:AttributeMap|GraphMap)\.__delitem__$:
    def __delitem__(self, key: str, /) -> None: ...

\.(?:AttributeMap|GraphMap|NodeList)\.__contains__$:
    def __contains__(self, key: object, /) -> bool: ...

\.(?:NodeList|Control\w+List)\.__iter__$:
    def __iter__(self) -> Iterator[Node]: ...

\.(?:NodeList|Control\w+List)\.__getitem__$:
    \from typing import overload
    @overload
    def __getitem__(self, key: int, /) -> Node: ...
    @overload
    def __getitem__(self, key: slice, /) -> list[Node]: ...

\.(?:ResultList|InputList)\.__iter__$:
    def __iter__(self) -> Iterator[Value]: ...

\.(?:ResultList|InputList)\.__getitem__$:
    \from typing import overload
    @overload
    def __getitem__(self, key: int, /) -> Value: ...
    @overload
    def __getitem__(self, key: slice, /) -> list[Value]: ...

# An operand may be absent. Readers of one that is not would have to say so at each use: hence Any.
\.(?:OperandList|OutputList)\.__iter__$:
    def __iter__(self) -> Iterator[Any]: ...

\.OperandList\.__getitem__$:
    \from typing import overload
    @overload
    def __getitem__(self, key: int | str, /) -> Any: ...
    @overload
    def __getitem__(self, key: slice, /) -> list[Any]: ...

\.OutputList\.__getitem__$:
    \from typing import overload
    @overload
    def __getitem__(self, key: int, /) -> Any: ...
    @overload
    def __getitem__(self, key: slice, /) -> list[Any]: ...

\.(?:OperandList|OutputList)\.__setitem__$:
    \from typing import overload
    @overload
    def __setitem__(self, key: int, value: Value | Node | None, /) -> None: ...
    @overload
    def __setitem__(self, key: slice, value: Iterable[Value | Node | None], /) -> None: ...

\.InputList\.__setitem__$:
    def __setitem__(self, key: int | slice, value: Any, /) -> None: ...

\.(?:OperandList|OutputList|OutputNameList|InputList)\.__delitem__$:
    def __delitem__(self, key: int | slice, /) -> None: ...

\.OutputNameList\.__iter__$:
    def __iter__(self) -> Iterator[str]: ...

\.OutputNameList\.__getitem__$:
    \from typing import overload
    @overload
    def __getitem__(self, key: int, /) -> str: ...
    @overload
    def __getitem__(self, key: slice, /) -> list[str]: ...

\.OutputNameList\.__setitem__$:
    \from typing import overload
    @overload
    def __setitem__(self, key: int, value: str, /) -> None: ...
    @overload
    def __setitem__(self, key: slice, value: Iterable[str], /) -> None: ...

\.SubgraphList\.__iter__$:
    def __iter__(self) -> Iterator[Graph]: ...

\.SubgraphList\.__getitem__$:
    \from typing import overload
    @overload
    def __getitem__(self, key: int | str, /) -> Graph: ...
    @overload
    def __getitem__(self, key: slice, /) -> list[Graph]: ...

\.SubgraphList\.__setitem__$:
    def __setitem__(self, key: int | str, value: Graph, /) -> None: ...

\.SubgraphList\.__delitem__$:
    def __delitem__(self, key: int | str | slice, /) -> None: ...

\.UseList\.__iter__$:
    def __iter__(self) -> Iterator[Use]: ...

\.UseList\.__getitem__$:
    \from typing import overload
    @overload
    def __getitem__(self, key: int, /) -> Use: ...
    @overload
    def __getitem__(self, key: slice, /) -> list[Use]: ...

# So that `node, index = use` has types.
\.Use\.__iter__$:
    def __iter__(self) -> Iterator[Any]: ...

# The class has a method `numpy`, which hides the module of that name inside it.
\.Tensor\.numpy$:
    \from numpy.typing import NDArray
    def numpy(self) -> NDArray[Any]:
        \doc

\.Tensor\.__array__$:
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]: ...

\.GEError\.diagnostics$:
    diagnostics: Sequence[Diagnostic]

# All names of a stub without an underscore are public.
ir\.__all__$:

# Names that signatures use. Any in _AttributeValue: a type checker cannot tell a node's attributes apart.
ir\.__prefix__$:
    \from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    \from typing import Any, Literal, TypeAlias, TypeVar
    \from .._support.op_desc import OpDesc
    _DTypeLike: TypeAlias = DType | str | type | Any
    _AttributeValue: TypeAlias = Any
    _BuilderT = TypeVar("_BuilderT", bound=Callable[[Any, Context], Any])
