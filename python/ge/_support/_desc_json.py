"""Descriptions of nodes as JSON."""

from collections.abc import Mapping
from typing import Any

from .._mlir_like._cext_loader import load

__all__ = ["desc_from_plain", "desc_to_plain"]

_ir = load("ir")
_HEAD, _TAIL = "{value = ", "} : () -> ()"


def _attribute_text(value: Any) -> str:
    """Return an attribute in the text form, with its element type."""
    graph = _ir.Graph("json")
    graph.add_node("ge.Json", [], {"value": value}, result_types=[])
    text = str(graph)
    return text[text.index(_HEAD) + len(_HEAD) : text.rindex(_TAIL)]


def _attribute_of_text(text: str) -> Any:
    graph = _ir.Graph.parse(f'func.func @json() {{\n"ge.Json"() {_HEAD}{text}{_TAIL}\nreturn\n}}\n')
    nodes = list(graph.nodes)
    if len(nodes) != 1 or list(nodes[0].attributes) != ["value"]:
        raise ValueError(f"{text[:40]!r} is not the text of one attribute")
    return nodes[0].attributes["value"]


def _plain_attribute(value: Any) -> Any:
    """Return what JSON says as it is, else ``{"text": ...}``: other element types, tensors, types, bytes."""
    if type(value) in (bool, int, str) or (type(value) is float and abs(value) < float("inf")):
        return value
    if type(value) is tuple and value and {type(v) for v in value} in ({int}, {str}):
        return list(value)
    return {"text": _attribute_text(value)}


def _attribute(plain: Any, where: str) -> Any:
    if isinstance(plain, Mapping):
        if set(plain) != {"text"} or not isinstance(plain["text"], str):
            raise ValueError(
                f'{where}: an attribute is a number, a string, a list, or {{"text": ...}}'
            )
        return _attribute_of_text(plain["text"])
    return tuple(plain) if isinstance(plain, list) else plain


def _result(result: Any) -> dict[str, Any]:
    return {
        "name": result.name,
        "type": None if result.type is None else str(result.type),
        "key": result.key,
    }


def desc_to_plain(desc: Any) -> dict[str, Any]:
    """Return an OpDesc as dicts, lists and values of JSON."""
    return {
        "op": desc.op,
        "name": desc.name,
        "inputs": list(desc.inputs),
        "outputs": [_result(r) for r in desc.outputs],
        "attributes": {k: _plain_attribute(v) for k, v in desc.attributes.items()},
        "control_inputs": list(desc.control_inputs),
        "subgraphs": [
            {
                "slot": s.slot,
                "inputs": [_result(r) for r in s.inputs],
                "nodes": [desc_to_plain(n) for n in s.nodes],
                "outputs": list(s.outputs),
                "output_names": list(s.output_names),
                "attributes": {k: _plain_attribute(v) for k, v in s.attributes.items()},
            }
            for s in desc.subgraphs
        ],
        "key": desc.key,
        "operand_segments": desc.operand_segments and list(desc.operand_segments),
        "result_segments": desc.result_segments and list(desc.result_segments),
    }


def desc_from_plain(plain: Any, op_desc: Any, result_desc: Any, subgraph_desc: Any) -> Any:
    """Return the OpDesc from the result of `desc_to_plain`; the classes are those of `_views`."""

    def fields(item: Any, needed: str, where: str) -> Mapping[str, Any]:
        if not isinstance(item, Mapping) or not isinstance(item.get(needed), str):
            raise ValueError(f"{where}: no object with a string '{needed}'")
        return item

    def items(item: Mapping[str, Any], name: str, where: str) -> list[Any]:
        found = item.get(name, [])
        if not isinstance(found, list):
            raise ValueError(f"{where}: '{name}' is not a list")
        return found

    def lengths(item: Mapping[str, Any], name: str, where: str) -> tuple[int, ...] | None:
        found = item.get(name)
        if found is None:
            return None
        if not isinstance(found, list) or not all(type(n) is int for n in found):
            raise ValueError(f"{where}: '{name}' is not a list of integers")
        return tuple(found)

    def results(item: Mapping[str, Any], name: str, where: str) -> tuple[Any, ...]:
        made = []
        for entry in items(item, name, where):
            if not isinstance(entry, Mapping):
                raise ValueError(f"{where}: '{name}' has an element that is not an object")
            text = entry.get("type")
            type_ = None if text is None else _ir.Type.parse(text)
            made.append(result_desc(entry.get("name"), type_, entry.get("key")))
        return tuple(made)

    def attributes(item: Mapping[str, Any], where: str) -> dict[str, Any]:
        found = item.get("attributes", {})
        if not isinstance(found, Mapping):
            raise ValueError(f"{where}: 'attributes' is not an object")
        return {k: _attribute(v, f"{where}: '{k}'") for k, v in found.items()}

    def subgraph(item: Any, where: str) -> Any:
        given = fields(item, "slot", where)
        return subgraph_desc(
            slot=given["slot"],
            inputs=results(given, "inputs", where),
            nodes=tuple(node(n, where) for n in items(given, "nodes", where)),
            outputs=tuple(items(given, "outputs", where)),
            output_names=tuple(items(given, "output_names", where)),
            attributes=attributes(given, where),
        )

    def node(item: Any, where: str) -> Any:
        given = fields(item, "op", where)
        inside = given["op"]
        return op_desc(
            op=given["op"],
            name=given.get("name"),
            inputs=tuple(items(given, "inputs", inside)),
            outputs=results(given, "outputs", inside),
            attributes=attributes(given, inside),
            control_inputs=tuple(items(given, "control_inputs", inside)),
            subgraphs=tuple(subgraph(s, inside) for s in items(given, "subgraphs", inside)),
            key=given.get("key"),
            operand_segments=lengths(given, "operand_segments", inside),
            result_segments=lengths(given, "result_segments", inside),
        )

    return node(plain, "OpDesc")
