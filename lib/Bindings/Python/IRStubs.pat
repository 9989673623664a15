# Types of the members that stub generation cannot see: slots and methods of the stable ABI (the hot path),
# and classes made in Python. Each query is searched in a member's full name; its lines replace the member.
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

\.PassError\.(pass_name|hook|node|file)$:
    \1: str | None

\.PassError\.line$:
    line: int | None

\.GraphRef\.__(?:repr|reduce|slots)__$:

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

\.AttributeMap\.get$:
    def get(self, key: str, default: Any = None, /) -> Any:
        \doc

\.(?:NodeList|Control\w+List)\.__iter__$:
    def __iter__(self) -> Iterator[Node]: ...

\.(?:NodeList|Control\w+List)\.__getitem__$:
    \from typing import overload
    @overload
    def __getitem__(self, key: int, /) -> Node: ...
    @overload
    def __getitem__(self, key: slice, /) -> list[Node]: ...

\.NodeList\.__reversed__$:
    def __reversed__(self) -> Iterator[Node]:
        \doc

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

\.(?:OperandList|OutputList)\.__getitem__$:
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

# Properties of graphs, nodes, values
\.(?:Graph|Node|Value|Module)\.context$:
    @property
    def context(self) -> Context:
        \doc

\.(?:Node|Value|Graph)\.(is_alive|has_name|has_uses|is_input|is_output)$:
    @property
    def \1(self) -> bool:
        \doc

\.(?:Node|Value|Graph|Module)\.name$:
    @property
    def name(self) -> str:
        \doc
    @name.setter
    def name(self, name: str | None) -> None: ...

\.(?:Node|Graph|Module)\.attributes$:
    @property
    def attributes(self) -> AttributeMap:
        \doc

\.Node\.(op|type|domain|overload)$:
    @property
    def \1(self) -> str:
        \doc

\.Node\.operands$:
    @property
    def operands(self) -> OperandList:
        \doc
    @operands.setter
    def operands(self, values: Iterable[Value | Node | None]) -> None: ...

\.Node\.results$:
    @property
    def results(self) -> ResultList:
        \doc

\.Node\.result$:
    @property
    def result(self) -> Value:
        \doc

\.Node\.subgraphs$:
    @property
    def subgraphs(self) -> SubgraphList:
        \doc

\.Node\.control_inputs$:
    @property
    def control_inputs(self) -> ControlInputList:
        \doc

\.Node\.control_outputs$:
    @property
    def control_outputs(self) -> ControlOutputList:
        \doc

\.(?:Node|Value)\.users$:
    @property
    def users(self) -> list[Node]:
        \doc

\.Node\.(next|previous)$:
    @property
    def \1(self) -> Node | None:
        \doc

\.Node\.graph$:
    @property
    def graph(self) -> Graph | None:
        \doc

\.(?:Node|Graph)\.root$:
    @property
    def root(self) -> Graph:
        \doc

\.Node\.location$:
    @property
    def location(self) -> Location:
        \doc
    @location.setter
    def location(self, location: Location | None) -> None: ...

\.Node\.origins$:
    @property
    def origins(self) -> tuple[Origin, ...]:
        \doc

\.Value\.type$:
    @property
    def type(self) -> Type:
        \doc
    @type.setter
    def type(self, type: Type) -> None: ...

\.(?:Value|Use)\.node$:
    @property
    def node(self) -> Node:
        \doc

\.(?:Value|Use)\.index$:
    @property
    def index(self) -> int:
        \doc

\.Value\.uses$:
    @property
    def uses(self) -> UseList:
        \doc

\.Use\.value$:
    @property
    def value(self) -> Value | None:
        \doc
    @value.setter
    def value(self, value: Value | Node | None) -> None: ...

# So that `node, index = use` has types.
\.Use\.__iter__$:
    def __iter__(self) -> Iterator[Any]: ...

\.Graph\.slot$:
    @property
    def slot(self) -> str:
        \doc

\.Graph\.inputs$:
    @property
    def inputs(self) -> InputList:
        \doc

\.Graph\.outputs$:
    @property
    def outputs(self) -> OutputList:
        \doc
    @outputs.setter
    def outputs(self, values: Iterable[Value | Node | None]) -> None: ...

\.Graph\.output_names$:
    @property
    def output_names(self) -> OutputNameList:
        \doc
    @output_names.setter
    def output_names(self, names: Iterable[str]) -> None: ...

\.Graph\.nodes$:
    @property
    def nodes(self) -> NodeList:
        \doc

\.Graph\.module$:
    @property
    def module(self) -> Module | None:
        \doc

\.Graph\.parent_node$:
    @property
    def parent_node(self) -> Node | None:
        \doc

\.Graph\.output_node$:
    @property
    def output_node(self) -> Node:
        \doc

\.Graph\.change_count$:
    @property
    def change_count(self) -> int:
        \doc

\.Module\.graphs$:
    @property
    def graphs(self) -> GraphMap:
        \doc

\.InsertionPoint\.graph$:
    @property
    def graph(self) -> Graph:
        \doc

\.InsertionPoint\.ref_node$:
    @property
    def ref_node(self) -> Node | None:
        \doc

# Methods
\.Graph\.add_node$:
    def add_node(
        self,
        op: str,
        operands: Iterable[Value | Node | None] = (),
        attributes: Mapping[str, Any] | None = None,
        *,
        name: str | None = None,
        result_types: Iterable[Type | None] | None = None,
        control_inputs: Iterable[Node] = (),
        subgraphs: Iterable[Graph] | Mapping[str, Graph] = (),
        loc: Location | None = None,
        ip: InsertionPoint | Literal[False] | None = None,
    ) -> Node:
        \doc

\.Node\.create$:
    @classmethod
    def create(
        cls,
        op: str,
        operands: Iterable[Value | Node | None] = (),
        attributes: Mapping[str, Any] | None = None,
        *,
        name: str | None = None,
        result_types: Iterable[Type | None] | None = None,
        control_inputs: Iterable[Node] = (),
        subgraphs: Iterable[Graph] | Mapping[str, Graph] = (),
        loc: Location | None = None,
        ip: InsertionPoint | Literal[False] | None = None,
    ) -> Node:
        \doc

\.Graph\.add_input$:
    def add_input(
        self, name: str | None, type: Type, *, op: str | None = None, index: int | None = None
    ) -> Value:
        \doc

\.Graph\.find$:
    def find(self, name: str, /) -> Node | None:
        \doc

\.Graph\.find_value$:
    def find_value(self, name: str, /) -> Value | None:
        \doc

\.Graph\.find_all$:
    def find_all(self, op: str, /) -> list[Node]:
        \doc

\.Graph\.walk$:
    def walk(self) -> Iterator[Node]:
        \doc

\.Graph\.transaction$:
    def transaction(self) -> Transaction:
        \doc

\.Node\.erase$:
    def erase(self, force: bool = False) -> None:
        \doc

\.Node\.replace_with$:
    def replace_with(self, replacement: Value | Node | Iterable[Value | None], /) -> None:
        \doc

\.Node\.(move_before|move_after)$:
    def \1(self, other: Node, /) -> None:
        \doc

\.Value\.replace_all_uses_with$:
    def replace_all_uses_with(
        self, value: Value | Node, /, *, except_: Node | Iterable[Node] = ()
    ) -> None:
        \doc

\.InsertionPoint\.(before|after)$:
    @staticmethod
    def \1(node: Node, /) -> InsertionPoint:
        \doc

# Constructors
\.Context\.__prefix__$:
    def __init__(self) -> None: ...

\.(Graph|Module)\.__prefix__$:
    def __init__(self, name: str | None = ..., *, context: Context | None = None) -> None: ...

\.DType\.__prefix__$:
    def __init__(self, dtype: _DTypeLike) -> None: ...

\.InsertionPoint\.__prefix__$:
    def __init__(self, graph: Graph) -> None: ...

# In our words, and in GE's.
\.Tensor\.__prefix__$:
    \from typing import overload
    @overload
    def __init__(
        self,
        data: Any,
        dtype: _DTypeLike | None = None,
        *,
        type: TensorType | None = None,
        copy: bool = False,
        context: Context | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self,
        data: Any = None,
        file_path: str | os.PathLike[str] | None = None,
        data_type: ge.graph.DataType | None = None,
        format: ge.graph.Format = ...,
        shape: Sequence[int] | None = None,
        placement: ge.graph.Placement = ...,
    ) -> None: ...

\.TensorType\.__prefix__$:
    def __init__(
        self,
        shape: Iterable[int | str | None] | None,
        dtype: _DTypeLike,
        *,
        format: str | None = None,
        origin_shape: Iterable[int | str | None] | None = None,
        origin_format: str | None = None,
        context: Context | None = None,
    ) -> None: ...

\.(?:SequenceType|OptionalType)\.__prefix__$:
    def __init__(self, element: Type) -> None: ...

\.MapType\.__prefix__$:
    def __init__(self, key: _DTypeLike, value: Type) -> None: ...

\.(?:NoneType|UnknownType)\.__prefix__$:
    def __init__(self, *, context: Context | None = None) -> None: ...

\.OpaqueType\.__prefix__$:
    def __init__(self, payload: str, *, context: Context | None = None) -> None: ...

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
    \from collections.abc import Iterable, Iterator, Mapping, Sequence
    \from typing import Any, Literal, TypeAlias
    \from ._mlir_like._ops._views import OpDesc
    _DTypeLike: TypeAlias = DType | str | type | Any
    _AttributeValue: TypeAlias = Any
