"""Typed views of nodes: operands, results and attributes by the names of an operator's record."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from .._mlir_like._cext_loader import load
from .._support.elsewhere import from_elsewhere
from ._value_casters import cast_value, plain_value
from ._views import _record_of

__all__ = ["OpView", "register_view"]

_ir = load("ir")


class OpView:
    """A node seen as an instance of its operator.

    Operands, results and attributes are Python attributes with the names of the operator's record; a subclass may
    define others. An absent operand is None, and a variadic operand is a tuple. An attribute that the node does not
    have reads as its default. Values of types with a caster (`register_value_caster`) are returned as the caster
    makes them. Operands and attributes can be assigned, and attributes deleted. Each access creates a view; two views
    of one node are equal.

    Parameters
    ----------
    node : Node
        A node of the operator `OPERATION_NAME`, if the class has one.

    Raises
    ------
    TypeError
        If the node is of another operator.

    Examples
    --------
    >>> @ops.register_view
    ... class Conv(ops.OpView):
    ...     OPERATION_NAME = "onnx.Conv"
    ...
    ...     @property
    ...     def is_depthwise(self):
    ...         return self.group == self.X.type.shape[1]
    >>> node.view.is_depthwise
    True
    """

    OPERATION_NAME: ClassVar[str] = ""
    __slots__ = ("_node",)
    _node: Any

    def __init__(self, node: Any) -> None:
        if not isinstance(node, _ir.Node):
            raise TypeError(f"a Node is expected, not {type(node).__name__}{from_elsewhere(node)}")
        wanted = self.OPERATION_NAME
        if wanted and node.op != wanted:
            raise TypeError(f"{type(self).__name__} is a view of {wanted}, not of {node.op}")
        object.__setattr__(self, "_node", node)

    @property
    def node(self) -> Any:
        """The node."""
        return self._node

    @property
    def record(self) -> Any:
        """The record of its operator, `OpDef`; None for an unregistered one."""
        return _record_of(self._node.op)

    @staticmethod
    def of(node: Any) -> OpView:
        """Return the view of a node: of the class that is registered for its operator, else a generic `OpView`.

        Parameters
        ----------
        node : Node
        """
        cls = _views.get(node.op)
        if cls is None:
            _record_of(node.op)  # a package that brings the operator may bring its view
            cls = _views.get(node.op, OpView)
        return cls(node)

    @staticmethod
    def _operand_parameter(node: Any, name: str) -> int:
        """Return the number of an operand parameter by its name."""
        record = _record_of(node.op)
        place = _place(record, name)
        if place is None or place[0] != "operand":
            raise KeyError(_unknown(node, record, name))
        return place[1]

    @staticmethod
    def _operand(node: Any, name: str) -> Any:
        record = _record_of(node.op)
        place = _place(record, name)
        if place is None or place[0] != "operand":
            raise KeyError(_unknown(node, record, name))
        found = _slots(node, False, record, place[1])
        if record.operands[place[1]].is_variadic:
            return tuple(found)
        return found[0] if found else None

    def __getattr__(self, name: str) -> Any:
        node, record = self._node, self.record
        place = _place(record, name)
        if place is None:
            if name in node.attributes:
                return node.attributes[name]
            raise AttributeError(_unknown(node, record, name), name=name, obj=self)
        kind, index = place
        if kind == "attribute":
            if name in node.attributes:
                return node.attributes[name]
            return record.attributes[index].default
        if kind == "operand":
            found = _slots(node, False, record, index)
            is_list = record.operands[index].is_variadic
        else:
            found = _slots(node, True, record, index)
            is_list = record.results[index].is_variadic
        found = [cast_value(value) for value in found]
        return tuple(found) if is_list else found[0] if found else None

    def __setattr__(self, name: str, value: Any) -> None:
        if hasattr(type(self), name):
            object.__setattr__(self, name, value)
            return
        node, record = self._node, self.record
        place = _place(record, name)
        if place is None:
            raise AttributeError(_unknown(node, record, name), name=name, obj=self)
        if place[0] == "attribute":
            node.attributes[name] = value
            return
        if place[0] == "result":
            raise AttributeError(
                f"result '{name}' of {node.op} cannot be assigned", name=name, obj=self
            )
        if record.has_operand_choice:
            _assign(node, record, place[1], value)
            return
        where = _positions(len(node.operands), record.operands, place[1])
        if record.operands[place[1]].is_variadic:
            operands = list(node.operands)
            operands[where.start : where.stop] = [plain_value(item) for item in value]
            node.operands = operands
        elif where:
            node.operands[where.start] = plain_value(value)
        else:  # absent at the end
            missing = where.start - len(node.operands)
            node.operands = [*node.operands, *[None] * missing, plain_value(value)]

    def __delattr__(self, name: str) -> None:
        place = _place(self.record, name)
        if place is None or place[0] != "attribute":
            raise AttributeError(f"{self._node.op} has no attribute '{name}'", name=name, obj=self)
        del self._node.attributes[name]

    def __dir__(self) -> list[str]:
        record = self.record
        names = set(object.__dir__(self))
        if record is not None:
            slots = (record.operands, record.results, record.attributes)
            names.update(slot.name for part in slots for slot in part if slot.name)
        return sorted(names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OpView):
            return NotImplemented
        return type(self) is type(other) and self._node is other._node

    def __hash__(self) -> int:
        return hash((OpView, self._node))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._node!r})"


_View = TypeVar("_View", bound=type[OpView])
_views: dict[str, type[OpView]] = {}


def register_view(cls: _View) -> _View:
    """Make a class the view of its operator; a class decorator.

    Parameters
    ----------
    cls : type
        A subclass of `OpView` with an `OPERATION_NAME` such as ``"acme.Conv"``.

    Raises
    ------
    TypeError
        If it is no such class.
    ValueError
        If another class is registered for the operator. (A class of the same name and module replaces the earlier one: its
        file was executed again.)
    """
    if not (isinstance(cls, type) and issubclass(cls, OpView)):
        raise TypeError(f"register_view takes a subclass of OpView{from_elsewhere(cls)}")
    name = cls.OPERATION_NAME
    if not isinstance(name, str) or "." not in name:
        raise TypeError(
            f"{cls.__name__}.OPERATION_NAME must be a domain and a type, such as 'acme.Conv'"
        )
    known = _views.get(name, cls)
    if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
        raise ValueError(f"{name} has the view {known.__module__}.{known.__qualname__} already")
    _views[name] = cls
    return cls


def _place(record: Any, name: str) -> tuple[str, int] | None:
    if record is None or not name:
        return None
    parts = (
        ("operand", record.operands),
        ("attribute", record.attributes),
        ("result", record.results),
    )
    for kind, slots in parts:
        for i, slot in enumerate(slots):
            if slot.name == name:
                return kind, i
    return None


def _range(node: Any, of_results: bool, record: Any, index: int) -> range:
    """Return the places of an operand parameter, or of a result, among the operands or results of a node.

    Raises
    ------
    ValueError
        If the node does not have the lengths that its record needs.
    """
    slots = record.results if of_results else record.operands
    if not (record.has_result_choice if of_results else record.has_operand_choice):
        return _positions(len(node.results if of_results else node.operands), slots, index)
    lengths = node.result_segments if of_results else node.operand_segments
    if lengths is None:
        what = "result_segments" if of_results else "operand_segments"
        names = ", ".join(repr(slot.name) for slot in slots)
        raise ValueError(
            f"{node!r} does not say how many values belong to each of {names}: set its {what}"
        )
    start = sum(lengths[:index])
    return range(start, start + (lengths[index] if index < len(lengths) else 0))


def _positions(count: int, slots: Any, index: int) -> range:
    """Return the places of one of `slots` among `count` values: one each, and for the variadic one the others."""
    before = next((i for i, slot in enumerate(slots) if slot.is_variadic), len(slots))
    many = max(0, count - (len(slots) - 1)) if before < len(slots) else 0
    if index < before:
        start, size = index, 1
    elif index == before:
        start, size = index, many
    else:
        start, size = index - 1 + many, 1
    return range(start, max(start, min(start + size, count)))


def _slots(node: Any, of_results: bool, record: Any, index: int) -> list[Any]:
    values = node.results if of_results else node.operands
    return [values[i] for i in _range(node, of_results, record, index)]


def _assign(node: Any, record: Any, index: int, value: Any) -> None:
    """Give an operand parameter other operands, in a node that stores the lengths of its lists."""
    lists = [_slots(node, False, record, i) for i in range(len(record.operands))]
    if record.operands[index].is_variadic:
        lists[index] = [plain_value(item) for item in value]
    else:
        lists[index] = [] if value is None else [plain_value(value)]
    node.operands = lists


def _unknown(node: Any, record: Any, name: str) -> str:
    if record is None:
        return f"{node.op} is not registered, so its operands have no names"
    known = [
        slot.name for part in (record.operands, record.attributes, record.results) for slot in part
    ]
    return f"{node.op} has no '{name}'; it has {', '.join(filter(None, known)) or 'no names'}"
