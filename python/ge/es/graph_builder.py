"""CANN's eager style: a builder with methods, whose tensors the graph-building functions take."""

from bisect import insort
from collections.abc import Sequence
from enum import Enum
from typing import Any, NoReturn

from .._mlir_like._cext_loader import load
from ..graph import DataType, Format, Graph, TensorDesc
from . import _eager, _scopes
from ._scopes import attr_scope, control_dependency_scope, different
from .tensor_holder import TensorHolder
from .tensor_like import make_tensor

__all__ = [
    "GraphBuilder",
    "InputType",
    "TensorHolder",
    "attr_scope",
    "control_dependency_scope",
]

_ir = load("ir")

_RANK_UNKNOWN = -2


class InputType(str, Enum):
    """Operators of graph inputs."""

    DATA = "Data"
    REF_DATA = "RefData"
    AIPP_DATA = "AippData"
    ANY_DATA = "AnyData"


class GraphBuilder:
    """Makes one graph, node by node.

    ::

        builder = GraphBuilder("main")
        x = builder.create_input(0, name="x", shape=[2, 3])
        graph = builder.build_and_reset([Relu(x * 2.0)])

    Nodes are named ``<operator>_<number>``; the number counts those that the builder named.

    Parameters
    ----------
    name : str, optional
        Of the graph; None and ``""``: ``"graph"``.

    Raises
    ------
    TypeError
        If `name` is not a str.
    """

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = "graph"
        if not isinstance(name, str):
            raise TypeError(f"Graph name must be a string, not {type(name).__name__}")
        self._name = name or "graph"
        self._graph: Any = _ir.Graph(self._name)
        self._named = 0
        self._indices: list[int] = []
        self._outputs: dict[int, Any] = {}

    # --- The graph-building functions' side

    def _check_usable(self, operation: str) -> None:
        if self._graph is None:
            raise RuntimeError(
                f"Cannot {operation}: GraphBuilder has already been built. "
                "Create a new GraphBuilder to build another graph."
            )

    def _holder(self, value: Any) -> TensorHolder:
        return TensorHolder._create_from(value, self)

    def _next_name(self, op: str) -> str:
        name = f"{op}_{self._named}"
        self._named += 1
        return name

    def _mark(self) -> tuple[int, int]:
        return self._named, len(self._graph.nodes)

    def _undo(self, mark: tuple[int, int]) -> None:
        """Remove the nodes that were created since `mark`."""
        self._named, count = mark
        for node in reversed(list(self._graph.nodes)[count:]):
            node.erase(force=True)

    def _add_node(
        self, op: str, attributes: dict[str, Any], type: Any, name: str | None = None
    ) -> TensorHolder:
        """Create a node without operands, with the attributes and control inputs of the active scopes."""
        mark = self._mark()
        try:
            node = self._graph.add_node(
                op,
                (),
                attributes,
                name=self._next_name(op.rpartition(".")[2]) if name is None else name,
                result_types=[type],
                ip=_ir.InsertionPoint(self._graph),
            )
            _scopes.apply(node)
        except BaseException:
            self._undo(mark)
            raise
        return self._holder(node.result)

    def _add_constant(self, tensor: Any) -> TensorHolder:
        return self._add_node("ge.Const", {"value": tensor}, tensor.type)

    # --- CANN's methods

    @property
    def name(self) -> str:
        """Name of the graph."""
        return self._name

    def create_input(
        self,
        index: int,
        *,
        name: str | None = None,
        type_str: InputType | None = InputType.DATA,
        data_type: DataType | None = DataType.DT_FLOAT,
        format: Format | None = Format.FORMAT_ND,
        shape: list[int] | None = None,
    ) -> TensorHolder:
        """Make a graph input.

        Parameters
        ----------
        index : int
            Which input of the graph it is. In the end there must be one for each number from 0.
        name : str, optional
            Default: ``input_<index>``.
        type_str : InputType
        data_type : DataType
        format : Format
        shape : list of int, optional
            None: of unknown rank. (CANN calls that a scalar; ``[]`` is one here.)

        Returns
        -------
        TensorHolder

        Raises
        ------
        TypeError
            If an argument is of a wrong type.
        RuntimeError
            If there is an input of that index, or the graph is built.
        """
        self._check_usable("create input")
        if not isinstance(index, int):
            raise TypeError(f"Input index must be an integer, not {_class(index)}")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"Input name must be a string, not {_class(name)}")
        if shape is not None:
            _check_shape(shape)
        data_type = DataType.DT_FLOAT if data_type is None else data_type
        if not isinstance(data_type, DataType):
            raise TypeError(f"Data type must be a DataType enum, not {_class(data_type)}")
        format = Format.FORMAT_ND if format is None else format
        if not isinstance(format, Format):
            raise TypeError(f"Format must be a Format enum, not {_class(format)}")
        kind = InputType.DATA if type_str is None else InputType(type_str)
        if index < 0 or index in self._indices:
            why = "is negative" if index < 0 else "is taken"
            raise _ir.GEError(f"Failed to create input: index {index} {why}")
        type_ = TensorDesc([_RANK_UNKNOWN] if shape is None else shape, format, data_type)._to_type(
            self._graph.context, None
        )
        place = sum(known < index for known in self._indices)
        value = self._graph.add_input(
            f"input_{index}" if name is None else name, type_, op=f"ge.{kind.value}", index=place
        )
        try:
            _scopes.apply(value.node, is_input=True)
        except BaseException:
            self._graph.erase_input(place)
            raise
        insort(self._indices, index)
        return self._holder(value)

    def create_inputs(self, num: int, start_index: int = 0) -> list[TensorHolder]:
        """Make graph inputs, of unknown shape and type DT_FLOAT.

        Parameters
        ----------
        num : int
        start_index : int
            Index of the first.

        Returns
        -------
        list of TensorHolder
        """
        self._check_usable("create inputs")
        if not isinstance(num, int) or num <= 0:
            raise TypeError(f"Number of inputs must be a positive integer, not {num!r}")
        if not isinstance(start_index, int) or start_index < 0:
            raise TypeError(f"Start index must be a non-negative integer, not {start_index!r}")
        return [self.create_input(start_index + i) for i in range(num)]

    def _const(self, kind: str, value: Any, shape: Any) -> TensorHolder:
        self._check_usable("create constant")
        items = value if isinstance(value, list) else [value]
        _check_numbers(kind, items, "Value must be {a} or list of {many}")
        if shape is None:
            shape = [len(value)] if isinstance(value, list) else []
        _check_shape(shape)
        count = 1
        for dim in shape:
            count *= dim
        if count != len(items):
            raise ValueError(
                f"Value count ({len(items)}) doesn't match shape {shape} (expected {count} elements)"
            )
        return self._add_constant(make_tensor(items, shape, _KINDS[kind][0]))

    def _scalar(self, kind: str, value: Any) -> TensorHolder:
        self._check_usable("create scalar")
        _check_numbers(
            kind, [value], "Value must be a number" if kind == "float" else "Value must be {a}"
        )
        return self._add_constant(make_tensor([value], [], _KINDS[kind][0]))

    def create_const_int64(
        self, value: int | list[int], shape: list[int] | None = None
    ) -> TensorHolder:
        """Make an int64 constant.

        Parameters
        ----------
        value : int or list of int
            The elements, as many as `shape` has.
        shape : list of int, optional
            Default: a scalar, or of a list one dimension.

        Raises
        ------
        TypeError
            If an argument is of a wrong type.
        ValueError
            If the numbers do not fit the shape or the element type.
        """
        return self._const("int64", value, shape)

    def create_const_float(
        self, value: float | list[float], shape: list[int] | None = None
    ) -> TensorHolder:
        """Make a float32 constant; as `create_const_int64`."""
        return self._const("float", value, shape)

    def create_const_uint64(
        self, value: int | list[int], shape: list[int] | None = None
    ) -> TensorHolder:
        """Make a uint64 constant; as `create_const_int64`."""
        return self._const("uint64", value, shape)

    def create_const_int32(
        self, value: int | list[int], shape: list[int] | None = None
    ) -> TensorHolder:
        """Make an int32 constant; as `create_const_int64`."""
        return self._const("int32", value, shape)

    def create_const_uint32(
        self, value: int | list[int], shape: list[int] | None = None
    ) -> TensorHolder:
        """Make a uint32 constant; as `create_const_int64`."""
        return self._const("uint32", value, shape)

    def create_vector_int64(self, value: list[int]) -> TensorHolder:
        """Make an int64 constant of one dimension."""
        self._check_usable("create vector")
        if not isinstance(value, list):
            raise TypeError(f"Value must be a list of integers, not {_class(value)}")
        _check_numbers("int64", value, "Value must be a list of {many}")
        return self._add_constant(make_tensor(value, [len(value)], _ir.i64))

    def create_scalar_int64(self, value: int) -> TensorHolder:
        """Make an int64 constant without dimensions."""
        return self._scalar("int64", value)

    def create_scalar_int32(self, value: int) -> TensorHolder:
        """Make an int32 constant without dimensions."""
        return self._scalar("int32", value)

    def create_scalar_float(self, value: float) -> TensorHolder:
        """Make a float32 constant without dimensions."""
        return self._scalar("float", value)

    def create_scalar_uint64(self, value: int) -> TensorHolder:
        """Make a uint64 constant without dimensions."""
        return self._scalar("uint64", value)

    def create_scalar_uint32(self, value: int) -> TensorHolder:
        """Make a uint32 constant without dimensions."""
        return self._scalar("uint32", value)

    def create_variable(self, index: int, name: str) -> TensorHolder:
        """Make a variable, of unknown shape and type DT_FLOAT until the setters say more.

        Parameters
        ----------
        index : int
        name : str
        """
        self._check_usable("create variable")
        if not isinstance(index, int):
            raise TypeError(f"Index must be an integer, not {_class(index)}")
        if not isinstance(name, str):
            raise TypeError(f"Name must be a string, not {_class(name)}")
        type_ = _ir.TensorType(None, _ir.f32, context=self._graph.context)
        return self._add_node("math.Variable", {"index": index}, type_, name)

    def set_graph_output(self, tensor: TensorHolder, output_index: int) -> None:
        """Make a tensor an output of the graph.

        Parameters
        ----------
        tensor : TensorHolder
        output_index : int
            Which one. In the end there must be one for each number from 0.

        Raises
        ------
        TypeError
            If an argument is of a wrong type.
        RuntimeError
            If the index is negative, or was set already.
        """
        self._check_usable("set graph output")
        self._check_tensor(tensor, "set graph output")
        if not isinstance(output_index, int):
            raise TypeError(f"Output index must be an integer, not {_class(output_index)}")
        if output_index < 0 or output_index in self._outputs:
            why = "is negative" if output_index < 0 else "was set already"
            raise _ir.GEError(
                f"Failed to set graph output for graph {self._name} output index {output_index}: it {why}"
            )
        self._outputs[output_index] = tensor.value

    def set_graph_attr_int64(self, attr_name: str, value: int) -> None:
        """Set an attribute of the graph."""
        self._set_attr("int64", "graph", None, attr_name, value)

    def set_graph_attr_string(self, attr_name: str, value: str) -> None:
        """Set an attribute of the graph."""
        self._set_attr("string", "graph", None, attr_name, value)

    def set_graph_attr_bool(self, attr_name: str, value: bool) -> None:
        """Set an attribute of the graph."""
        self._set_attr("bool", "graph", None, attr_name, value)

    def set_tensor_attr_int64(self, tensor: TensorHolder, attr_name: str, value: int) -> None:
        """Set an attribute of a tensor; `Node.get_output_attr` reads it."""
        self._set_attr("int64", "tensor", tensor, attr_name, value)

    def set_tensor_attr_string(self, tensor: TensorHolder, attr_name: str, value: str) -> None:
        """Set an attribute of a tensor; `Node.get_output_attr` reads it."""
        self._set_attr("string", "tensor", tensor, attr_name, value)

    def set_tensor_attr_bool(self, tensor: TensorHolder, attr_name: str, value: bool) -> None:
        """Set an attribute of a tensor; `Node.get_output_attr` reads it."""
        self._set_attr("bool", "tensor", tensor, attr_name, value)

    def set_node_attr_int64(self, tensor: TensorHolder, attr_name: str, value: int) -> None:
        """Set an attribute of the node that makes a tensor."""
        self._set_attr("int64", "node", tensor, attr_name, value)

    def set_node_attr_string(self, tensor: TensorHolder, attr_name: str, value: str) -> None:
        """Set an attribute of the node that makes a tensor."""
        self._set_attr("string", "node", tensor, attr_name, value)

    def set_node_attr_bool(self, tensor: TensorHolder, attr_name: str, value: bool) -> None:
        """Set an attribute of the node that makes a tensor."""
        self._set_attr("bool", "node", tensor, attr_name, value)

    def _set_attr(self, kind: str, owner: str, tensor: Any, name: Any, value: Any) -> None:
        operation = f"set {owner} attribute"
        self._check_usable(operation)
        if owner != "graph":
            self._check_tensor(tensor, operation)
        if not isinstance(name, str):
            raise TypeError(f"Attribute name must be a string, not {_class(name)}")
        class_, word = _ATTRIBUTES[kind]
        if not isinstance(value, class_):
            raise TypeError(f"Value must be {word}, not {_class(value)}")
        value = class_(value)  # True as int64 is 1
        if owner == "graph":
            self._graph.set_attr(name, value)
        elif owner == "node":
            tensor.value.node.set_attr(name, value)
        else:
            tensor.value.node.set_output_attr(name, tensor.value.index, value)

    def add_control_dependency(
        self, dst_tensor: TensorHolder, src_tensors: Sequence[TensorHolder]
    ) -> None:
        """Let a tensor's node run after others.

        Parameters
        ----------
        dst_tensor : TensorHolder
            Of an input: nothing happens, as nothing comes before inputs.
        src_tensors : list of TensorHolder
        """
        self._check_usable("add control dependency")
        self._check_tensor(dst_tensor, "add control dependency", "dst_tensor")
        if not isinstance(src_tensors, (list, tuple)):
            raise TypeError(f"src_tensors must be a list, not {_class(src_tensors)}")
        for tensor in src_tensors:
            if not isinstance(tensor, TensorHolder):
                raise TypeError(
                    f"src_tensors must be a list of TensorHolder, with none of {_class(tensor)}"
                )
            self._check_tensor(tensor, "add control dependency")
        node = dst_tensor.value.node
        if any(dst_tensor.value is value for value in self._graph.inputs):
            return
        for tensor in src_tensors:
            _scopes.depend(node, tensor, "add control dependency")

    def _check_tensor(self, tensor: Any, operation: str, what: str = "Tensor") -> None:
        if not isinstance(tensor, TensorHolder):
            raise TypeError(f"{what} must be a TensorHolder, not {_class(tensor)}")
        if tensor._builder is not self:
            raise ValueError(f"Cannot {operation}: {different(self, tensor._builder)}")

    def build_and_reset(self, outputs: list[TensorHolder] | None = None) -> Graph:
        """Return the graph. The builder cannot be used any more, nor can setters of its tensors.

        Parameters
        ----------
        outputs : list of TensorHolder, optional
            Outputs 0, 1, ...; `set_graph_output` set others.

        Raises
        ------
        TypeError
            If `outputs` is not a list of TensorHolder.
        RuntimeError
            If numbers of inputs or outputs are left out, an output was set already, or the graph is built.
        """
        self._check_usable("build_and_reset")
        if outputs is not None:
            if not isinstance(outputs, list):
                raise TypeError(f"Outputs must be a list, not {_class(outputs)}")
            for tensor in outputs:
                if not isinstance(tensor, TensorHolder):
                    raise TypeError(
                        f"All outputs must be TensorHolder objects, not {_class(tensor)}"
                    )
            before = dict(self._outputs)
            try:
                for i, tensor in enumerate(outputs):
                    self.set_graph_output(tensor, i)
                self._check_numbers_of_ports()
            except BaseException:
                self._outputs = before
                raise
        self._check_numbers_of_ports()
        graph = self._graph
        graph.outputs = [self._outputs[i] for i in range(len(self._outputs))]
        self._graph = None
        self._outputs.clear()
        built: Graph = graph
        return built

    def _check_numbers_of_ports(self) -> None:
        for what, numbers in (("inputs", self._indices), ("outputs", sorted(self._outputs))):
            if numbers != list(range(len(numbers))):
                raise _ir.GEError(
                    f"Failed to build graph '{self._name}': {what} must be numbered from 0 without a gap, "
                    f"not {', '.join(map(str, numbers))}"
                )

    def __copy__(self) -> NoReturn:
        raise RuntimeError("GraphBuilder does not support copy")

    def __deepcopy__(self, memo: object) -> NoReturn:
        raise RuntimeError("GraphBuilder does not support deepcopy")

    def __repr__(self) -> str:
        return f"<GraphBuilder '{self._name}'{', built' if self._graph is None else ''}>"


# Element type, least and greatest value, and the error for values out of range.
_KINDS: dict[str, tuple[Any, int | None, int, str]] = {
    "int64": (_ir.i64, -(2**63), 2**63 - 1, "Value must be in range [{low}, {high}]"),
    "int32": (_ir.i32, -(2**31), 2**31 - 1, "Value must be in range [{low}, {high}]"),
    "uint64": (_ir.u64, 0, 2**64 - 1, "Value must be non-negative for uint64, and below 2**64"),
    "uint32": (_ir.u32, 0, 2**32 - 1, "Value must be in range [0, 2^32-1] for uint32"),
    "float": (_ir.f32, None, 0, ""),
}
_ATTRIBUTES: dict[str, tuple[type, str]] = {
    "int64": (int, "an integer"),
    "string": (str, "a string"),
    "bool": (bool, "a boolean"),
}


def _class(value: object) -> str:
    return type(value).__name__


def _check_shape(shape: Any) -> None:
    if not isinstance(shape, list | _ir.TensorShape) or not all(
        isinstance(dim, int) for dim in shape
    ):
        raise TypeError(f"Shape must be a list of integers, not {shape!r}")


def _check_numbers(kind: str, items: "Sequence[Any]", text: str) -> None:
    _, low, high, range_ = _KINDS[kind]
    classes = (int, float) if kind == "float" else int
    a, many = ("a float", "floats") if kind == "float" else ("an integer", "integers")
    for item in items:
        if not isinstance(item, classes):
            raise TypeError(f"{text.format(a=a, many=many)}, not {_class(item)}")
        if low is not None and not low <= item <= high:
            raise ValueError(f"{range_.format(low=low, high=high)}, not {item}")


_eager.install(TensorHolder, GraphBuilder)
