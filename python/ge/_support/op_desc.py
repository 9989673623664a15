"""Nodes as plain data, `ge.ops.OpDesc`: below `ge.ir`, whose nodes return it, and `ge.ops`, where it is public."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from json import dumps, loads
from typing import Any

from ._desc_json import desc_from_plain, desc_to_plain

__all__ = ["Fields", "OpDesc", "ResultDesc", "SubgraphDesc"]


class Fields:
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
class ResultDesc(Fields):
    """One result of an `OpDesc`, or input of a `SubgraphDesc`."""

    name: str | None
    type: Any = None
    """None: `from_desc` infers it."""
    key: str | None = None
    """What the inputs of other descriptions call it, also where it has no name; None: as `name`."""


@dataclass(frozen=True)
class OpDesc(Fields):
    """One node: operator, name, operands, results and attributes."""

    op: str
    name: str | None = None
    inputs: tuple[str | None, ...] = ()
    outputs: tuple[ResultDesc, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    control_inputs: tuple[str, ...] = ()
    subgraphs: "tuple[SubgraphDesc, ...]" = ()
    key: str | None = None
    """What the control inputs of other descriptions call it; None: as `name`."""
    operand_segments: tuple[int, ...] | None = None
    """The number of inputs of each operand parameter, where the record does not imply it: `Node.operand_segments`."""
    result_segments: tuple[int, ...] | None = None
    """The same for outputs."""

    def to_json(self, indent: int | None = None) -> str:
        """Return it as JSON: types as their text, attributes as JSON's values where those say all, else as text.

        Parameters
        ----------
        indent : int, optional
            As of `json.dumps`.
        """
        return dumps(desc_to_plain(self), indent=indent, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "OpDesc":
        """Return what `to_json` wrote; its types belong to the current context.

        Raises
        ------
        ValueError
            If it is not JSON of an OpDesc; the message names the field.
        ParseError
            If the text of a type or attribute is wrong.
        """
        made: OpDesc = desc_from_plain(loads(text), cls, ResultDesc, SubgraphDesc)
        return made


@dataclass(frozen=True)
class SubgraphDesc(Fields):
    """A subgraph of an `OpDesc`: its role, inputs, nodes in order, and outputs.

    Values of the graphs around it are named by its nodes as their own are.
    """

    slot: str
    inputs: tuple[ResultDesc, ...] = ()
    nodes: tuple[OpDesc, ...] = ()
    outputs: tuple[str | None, ...] = ()
    output_names: tuple[str, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
