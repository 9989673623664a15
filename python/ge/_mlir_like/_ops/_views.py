"""GE's two descriptions of an operator as plain data: OpProto of its record, OpDesc of one node.

All of them are dataclasses; ``dataclasses.asdict`` gives dicts that JSON takes where attributes do.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from .._cext_loader import load

__all__ = [
    "AttributeProto",
    "OpDesc",
    "OpProto",
    "ResultDesc",
    "SlotProto",
    "from_desc",
    "proto",
    "proto_from_dict",
    "to_desc",
]

_native = load("ops")
_ir = load("ir")


class _Mapping:
    """Fields by name, as of a dict."""

    def __getitem__(self, name: str) -> Any:
        if name not in self.keys():
            raise KeyError(name)
        return getattr(self, name)

    def keys(self) -> list[str]:
        """Return the names of the fields."""
        return [f.name for f in fields(self)]  # type: ignore[arg-type]

    def __iter__(self) -> Any:
        return iter(self.keys())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain dicts, lists and values."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]


@dataclass(frozen=True)
class SlotProto(_Mapping):
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
class AttributeProto(_Mapping):
    """An attribute of an `OpProto`."""

    name: str
    type: str
    comment: str = ""
    required: bool = True
    default: str | None = None
    choices: tuple[Any, ...] = ()
    range: tuple[float | None, float | None] | None = None
    keyword_only: bool = True


@dataclass(frozen=True)
class OpProto(_Mapping):
    """An operator: name, comment, inputs, outputs, attributes."""

    name: str
    comment: str = ""
    since: int = 0
    inputs: tuple[SlotProto, ...] = ()
    outputs: tuple[SlotProto, ...] = ()
    attributes: tuple[AttributeProto, ...] = ()
    traits: tuple[str, ...] = ()
    deprecated: bool = False
    schema: str = ""


@dataclass(frozen=True)
class ResultDesc(_Mapping):
    """One result of an `OpDesc`."""

    name: str | None
    type: Any


@dataclass(frozen=True)
class OpDesc(_Mapping):
    """One node: operator, name, which values it takes, its results and attributes."""

    op: str
    name: str | None = None
    inputs: tuple[str | None, ...] = ()
    outputs: tuple[ResultDesc, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    control_inputs: tuple[str, ...] = ()
    subgraphs: tuple[tuple[str, str], ...] = ()


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
    )


def proto_from_dict(data: Mapping[str, Any]) -> OpProto:
    """Return the OpProto of what `OpProto.to_dict` gave.

    Parameters
    ----------
    data : mapping
        Also as JSON brings it back, with lists for tuples.
    """

    def plain(cls: type[Any], item: Mapping[str, Any]) -> Any:
        values = {k: tuple(v) if isinstance(v, list) else v for k, v in item.items()}
        return cls(**values)

    values = dict(data)
    values["inputs"] = tuple(plain(SlotProto, i) for i in data["inputs"])
    values["outputs"] = tuple(plain(SlotProto, i) for i in data["outputs"])
    values["attributes"] = tuple(plain(AttributeProto, i) for i in data["attributes"])
    values["traits"] = tuple(data["traits"])
    return OpProto(**values)


def to_desc(node: Any) -> OpDesc:
    """Return the OpDesc view of a node: also ``node.to_desc()``.

    Operands and control inputs are named by their values and nodes, subgraphs by slot and text form.
    """
    return OpDesc(
        op=f"{node.domain}::{node.type}" + (f".{node.overload}" if node.overload else ""),
        name=node.name if node.has_name else None,
        inputs=tuple(None if v is None else v.name for v in node.operands),
        outputs=tuple(ResultDesc(v.name if v.has_name else None, v.type) for v in node.results),
        attributes=dict(node.attributes.items()),
        control_inputs=tuple(n.name for n in node.control_inputs),
        subgraphs=tuple((g.slot, g.to_text()) for g in node.subgraphs),
    )


def from_desc(desc: OpDesc, graph: Any, values: "Mapping[str, Any] | None" = None) -> Any:
    """Make the node that an OpDesc describes, at the end of a graph: also ``Node.from_desc``.

    Parameters
    ----------
    desc : OpDesc
    graph : Graph
    values : mapping, optional
        Values by the names that `desc` has for operands; names that it lacks are looked up in the graph.

    Returns
    -------
    Node

    Raises
    ------
    KeyError
        If an operand or control input is not there.
    NotImplementedError
        If the node has subgraphs (clone it instead) or an overload.
    """
    if desc.subgraphs:
        raise NotImplementedError(
            f"{desc.op}: an OpDesc shows subgraphs as text and cannot bring them back; clone the node"
        )

    if "." in desc.op.partition("::")[2]:
        raise NotImplementedError(
            f"{desc.op}: a node of an overload comes from its function in ge.es"
        )

    def operand(name: str | None) -> Any:
        if name is None:
            return None
        found = (values or {}).get(name)
        found = graph.find_value(name) if found is None else found
        if found is None:
            raise KeyError(f"{desc.op}: there is no value '{name}' in {graph!r}")
        return found

    def control(name: str) -> Any:
        found = graph.find(name)
        if found is None:
            raise KeyError(f"{desc.op}: there is no node '{name}' in {graph!r}")
        return found

    node = graph.add_node(
        desc.op,
        [operand(name) for name in desc.inputs],
        dict(desc.attributes),
        name=desc.name,
        result_types=[r.type for r in desc.outputs],
        control_inputs=[control(name) for name in desc.control_inputs],
    )
    for value, result in zip(node.results, desc.outputs, strict=True):
        if result.name is not None and not (value.has_name and value.name == result.name):
            value.name = result.name
    return node
