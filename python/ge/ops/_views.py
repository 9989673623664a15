"""CANN's two descriptions of an operator as plain data: OpProto of its record, OpDesc of one node.

All of them are dataclasses; ``dataclasses.asdict`` gives dicts that JSON takes where attributes do.
"""

from collections import ChainMap
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any

from .._mlir_like._cext_loader import load
from .._support.domains import load as load_domain
from .._support.op_desc import Fields, OpDesc, ResultDesc, SubgraphDesc
from .._support.segments import stored
from ._range import Range

__all__ = [
    "AttributeProto",
    "KernelProto",
    "OpDesc",
    "OpProto",
    "ResultDesc",
    "SlotProto",
    "SubgraphDesc",
    "from_desc",
    "proto",
    "proto_from_dict",
    "to_desc",
]

_native = load("ops")
_ir = load("ir")


@dataclass(frozen=True)
class SlotProto(Fields):
    """An input or output of an `OpProto`."""

    name: str
    type: str
    comment: str = ""
    optional: bool = False
    dynamic: bool = False
    min_count: int = 0
    type_var: str | None = None
    allowed: tuple[str, ...] = ()
    keyword_only: bool = False


@dataclass(frozen=True)
class AttributeProto(Fields):
    """An attribute of an `OpProto`."""

    name: str
    type: str
    comment: str = ""
    required: bool = True
    default: str | None = None
    choices: tuple[Any, ...] = ()
    range: Range | None = None
    keyword_only: bool = True


@dataclass(frozen=True)
class KernelProto(Fields):
    """A kernel of an `OpProto`: for which backend, and where it was registered."""

    backend: str
    file: str = ""
    line: int = 0


@dataclass(frozen=True)
class OpProto(Fields):
    """An operator: name, comment, inputs, outputs, attributes, kernels."""

    name: str
    comment: str = ""
    since: int = 0
    inputs: tuple[SlotProto, ...] = ()
    outputs: tuple[SlotProto, ...] = ()
    attributes: tuple[AttributeProto, ...] = ()
    traits: tuple[str, ...] = ()
    deprecated: bool = False
    schema: str = ""
    kernels: tuple[KernelProto, ...] = ()


def _slot(s: Any, is_result: bool) -> SlotProto:
    var = s.type_var
    return SlotProto(
        name=s.name,
        type=str(s.type),
        comment=s.doc,
        optional=s.type.is_optional,
        dynamic=s.is_variadic,
        min_count=s.min_count,
        type_var=None if var is None else var.name,
        allowed=() if var is None else var.allowed,
        keyword_only=False if is_result else s.kw_only,
    )


def proto(op: Any) -> OpProto:
    """Return the OpProto view of a record.

    Parameters
    ----------
    op : OpDef or str
        A record, or the name of one.
    """
    if isinstance(op, str):
        op = _native.get(op)
    return OpProto(
        name=op.qualified_name,
        comment=op.doc,
        since=op.since,
        inputs=tuple(_slot(p, False) for p in op.operands),
        outputs=tuple(_slot(r, True) for r in op.results),
        attributes=tuple(
            AttributeProto(
                name=p.name,
                type=str(p.type),
                comment=p.doc,
                required=p.required,
                default=None if p.required else str(p).partition("=")[2],
                choices=p.choices,
                range=p.range,
                keyword_only=p.kw_only,
            )
            for p in op.attributes
        ),
        traits=tuple(sorted(op.traits)),
        deprecated=op.deprecated,
        schema=str(op),
        kernels=tuple(
            KernelProto(backend, file, line)
            for backend, file, line, _ in _native._list_kernels(op.qualified_name)
        ),
    )


def proto_from_dict(data: Mapping[str, Any]) -> OpProto:
    """Return the OpProto from the result of `OpProto.to_dict`.

    Parameters
    ----------
    data : mapping
        Also as JSON brings it back, with lists for tuples.
    """

    def plain(cls: type[Any], item: Mapping[str, Any]) -> Any:
        values: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in item.items()
        }
        if isinstance(bounds := values.get("range"), Mapping):
            values["range"] = Range(**bounds)
        return cls(**values)

    values = dict(data)
    values["inputs"] = tuple(plain(SlotProto, i) for i in data["inputs"])
    values["outputs"] = tuple(plain(SlotProto, i) for i in data["outputs"])
    values["attributes"] = tuple(plain(AttributeProto, i) for i in data["attributes"])
    values["kernels"] = tuple(plain(KernelProto, i) for i in data.get("kernels", ()))
    values["traits"] = tuple(data["traits"])
    return OpProto(**values)


def _result(value: Any) -> ResultDesc:
    return ResultDesc(value.name if value.has_name else None, value.type, value.name)


def _subgraph(graph: Any) -> SubgraphDesc:
    return SubgraphDesc(
        slot=graph.slot,
        inputs=tuple(_result(v) for v in graph.inputs),
        nodes=tuple(to_desc(n) for n in graph.nodes),
        outputs=tuple(None if v is None else v.name for v in graph.outputs),
        output_names=tuple(graph.output_names),
        attributes=dict(graph.attributes.items()),
    )


def to_desc(node: Any) -> OpDesc:
    """Return the OpDesc view of a node: also ``node.to_desc()``.

    Operands and control inputs are named by their values and nodes; subgraphs are described as far down as they go.

    Parameters
    ----------
    node : Node

    Returns
    -------
    OpDesc
    """
    record = _record_of(node.op)
    return OpDesc(
        op=f"{node.domain}::{node.type}" + (f".{node.overload}" if node.overload else ""),
        name=node.name if node.has_name else None,
        inputs=tuple(None if v is None else v.name for v in node.operands),
        outputs=tuple(_result(v) for v in node.results),
        attributes=dict(node.attributes.items()),
        control_inputs=tuple(n.name for n in node.control_inputs),
        subgraphs=tuple(_subgraph(g) for g in node.subgraphs),
        key=node.name,
        operand_segments=stored(record, node.operand_segments),
        result_segments=None
        if record is not None and not record.has_result_choice
        else node.result_segments,
    )


def _record_of(op: str) -> Any:
    """Return the record of an operator, also of one that an installed package brings; None without one."""
    domain, _, name = op.partition("::") if "::" in op else op.rpartition(".")
    name, _, overload = name.partition(".")
    record = _native.find(domain, name, overload)
    if record is None and domain not in ("", "ge", "math", "nn", "onnx"):
        load_domain(domain)
        record = _native.find(domain, name, overload)
    return record


def _required_results(op: str, record: Any) -> tuple[ResultDesc, ...]:
    """Return the results that every call has, with unknown types; empty for unregistered operators."""
    if record is None:
        return ()
    if any(r.is_variadic for r in record.results):
        raise ValueError(
            f"{op}: the description has no outputs, and the operator any number of them"
        )
    return tuple(ResultDesc(None) for r in record.results if not r.type.is_optional)


class _Maker:
    """Makes nodes from descriptions; `values` and `nodes` are those of the scope by key."""

    def __init__(self, graph: Any, values: MutableMapping[str, Any]) -> None:
        self.graph = graph
        self.values = values
        self.nodes: MutableMapping[str, Any] = {}

    def inside(self, graph: Any) -> "_Maker":
        inner = _Maker(graph, ChainMap({}, self.values))
        inner.nodes = ChainMap({}, self.nodes)
        return inner

    def value(self, name: str | None, op: str) -> Any:
        if name is None:
            return None
        found = self.values.get(name)
        found = self.graph.find_value(name) if found is None else found
        if found is None:
            raise KeyError(f"{op}: there is no value '{name}' in {self.graph!r}")
        return found

    def control(self, name: str, op: str) -> Any:
        found = self.nodes.get(name)
        found = self.graph.find(name) if found is None else found
        if found is None:
            raise KeyError(f"{op}: there is no node '{name}' in {self.graph!r}")
        return found

    def name(self, value: Any, result: ResultDesc) -> None:
        if result.name is not None and not (value.has_name and value.name == result.name):
            value.name = result.name
        key = result.name if result.key is None else result.key
        if key is not None:
            self.values[key] = value

    def node(self, desc: OpDesc) -> Any:
        record = _record_of(desc.op)
        outputs = desc.outputs or _required_results(desc.op, record)
        node = self.graph.add_node(
            desc.op,
            [self.value(name, desc.op) for name in desc.inputs],
            dict(desc.attributes),
            name=desc.name,
            result_types=[r.type for r in outputs],
            control_inputs=[self.control(name, desc.op) for name in desc.control_inputs],
        )
        try:
            if desc.operand_segments is not None:
                node.operand_segments = desc.operand_segments
            if desc.result_segments is not None:
                node.result_segments = desc.result_segments
            for subgraph in desc.subgraphs:
                self.inside(node.add_subgraph(subgraph.slot)).fill(subgraph)
            if any(r.type is None for r in outputs):
                _native._infer_node(node)
                for value, result in zip(node.results, outputs, strict=True):
                    if result.type is not None:
                        value.type = result.type
            _native._verify_node(node)
        except BaseException:
            node.erase()
            raise
        for value, result in zip(node.results, outputs, strict=True):
            self.name(value, result)
        key = desc.name if desc.key is None else desc.key
        if key is not None:
            self.nodes[key] = node
        return node

    def fill(self, desc: SubgraphDesc) -> None:
        for i, item in enumerate(desc.inputs):
            value = self.graph.add_input(item.name or f"input_{i}", item.type)
            if item.name is None:
                value.name = None
            self.name(value, item)
        for inner in desc.nodes:
            self.node(inner)
        where = f"output of the subgraph '{desc.slot}'"
        self.graph.outputs = [self.value(name, where) for name in desc.outputs]
        if desc.output_names:
            self.graph.output_names = desc.output_names
        for name, attribute in desc.attributes.items():
            self.graph.attributes[name] = attribute


def from_desc(desc: OpDesc, graph: Any, values: "Mapping[str, Any] | None" = None) -> Any:
    """Make the node that an OpDesc describes, at the end of a graph: also ``Node.from_desc``.

    Parameters
    ----------
    desc : OpDesc
        With its subgraphs. Names that are taken get ``_1``. Outputs without a type are inferred; without outputs the
        node gets those that its operator has always.
    graph : Graph
    values : mapping, optional
        Values by the names that `desc` has for operands; names that it lacks are looked up in the graph.

    Returns
    -------
    Node

    Raises
    ------
    KeyError
        If an operand, control input or output of a subgraph is not there; then no node was made.
    VerifyError
        If the operands or attributes do not fit the operator's record, where it has one; then no node was made.
    """
    return _Maker(graph, ChainMap({}, dict(values or {}))).node(desc)
