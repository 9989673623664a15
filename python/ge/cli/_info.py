"""``ge info``: what is in a model."""

from __future__ import annotations

import collections
import os
from typing import TYPE_CHECKING, Any

from .._support.program import PROGRAM
from ._models import add_reading, is_text, read
from ._output import Options, Output, Parser, human_bytes

if TYPE_CHECKING:
    from ..ir import Module, Node

__all__ = ["add_arguments", "census", "describe", "run"]

CONTROL_FLOW = {"onnx.If", "onnx.Loop", "onnx.Scan"}
RANDOM = {
    "onnx.RandomNormal",
    "onnx.RandomNormalLike",
    "onnx.RandomUniform",
    "onnx.RandomUniformLike",
    "onnx.Bernoulli",
    "onnx.Multinomial",
}
PROTOBUF_LIMIT = 2**31 - 1

HELP = "Show what is in models: operators, sizes, opsets, free dimensions, warnings."


def add_arguments(parser: Parser) -> None:
    """Add what the command takes."""
    parser.add_argument("models", nargs="+", metavar="MODEL")
    add_reading(parser)


def run(options: Options, output: Output) -> int:
    """Describe each model; return the exit status."""
    found = [describe(read(path, options), path) for path in options.models]
    for number, facts in enumerate(found):
        if number:
            output.line()
        _print(facts, output)
    output.result(found[0] if len(found) == 1 else {"models": found})
    return 0


def census(module: Module) -> dict[str, int]:
    """Return how many nodes each operator has, all graphs and subgraphs counted, most frequent first.

    Parameters
    ----------
    module : Module
        Its constants are not counted.
    """
    counts: collections.Counter[str] = collections.Counter(
        node.op
        for graph in module.graphs.values()
        for node in graph.walk()
        if not (node.is_input or node.is_output or node.op == "ge.Const")
    )
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def describe(module: Module, path: str) -> dict[str, Any]:
    """Return what the command shows, as JSON has it.

    Parameters
    ----------
    module : Module
    path : str
        The file that it is from.
    """
    from ..run import is_function, main_graphs

    graphs = module.graphs.values()
    main = next(iter(main_graphs(module)), None)
    weights = [n for g in graphs for n in g.walk() if n.op in ("ge.Const", "onnx.Constant")]
    tensors = [t for n in weights if hasattr(t := n.attributes.get("value"), "nbytes")]
    files = {t.file[0] for t in tensors if t.file is not None} - {path}
    attributes = module.attributes
    return {
        "file": path,
        "bytes": os.path.getsize(path) if os.path.isfile(path) else None,
        "external_data": {
            os.path.relpath(f, os.path.dirname(path)): os.path.getsize(f) for f in sorted(files)
        },
        "name": main.name if main else "",
        "producer": " ".join(
            str(attributes[k])
            for k in ("onnx.producer_name", "onnx.producer_version")
            if attributes.get(k)
        ),
        "ir_version": attributes.get("onnx.ir_version"),
        "opsets": main.opsets if main else {},
        "inputs": _values(main.inputs) if main else [],
        "outputs": _values(main.outputs, main.output_names) if main else [],
        "free_dimensions": _free(module) if main else {},
        "nodes": sum(census(module).values()),
        "operators": census(module),
        "subgraphs": sum(len(n.subgraphs) for g in graphs for n in g.walk()),
        "functions": [g.name for g in graphs if is_function(g)],
        "weights": {
            "tensors": len(tensors),
            "parameters": sum(t.size for t in tensors),
            "bytes": sum(t.nbytes for t in tensors),
            "types": dict(collections.Counter(t.dtype.name for t in tensors)),
        },
        "warnings": list(_warnings(module, path)),
    }


def _values(values: Any, names: Any = None) -> list[dict[str, str]]:
    names = names or [v.name for v in values]
    return [
        {"name": name, "type": str(v.type) if v is not None else "none"}
        for name, v in zip(names, values, strict=True)
    ]


def _free(module: Module) -> dict[str, list[str]]:
    from ..run import free_sizes

    return free_sizes(module)


def _warnings(module: Module, path: str) -> list[str]:
    from ..ir import VerifyError
    from ..run import is_function

    found = []
    graphs = module.graphs.values()
    if not graphs:
        return ["there is no graph"]
    try:
        module.verify()
    except VerifyError as error:
        found += [f"invalid: {d.message}" for d in error.diagnostics] or [f"invalid: {error}"]
    main = next((g for g in graphs if not is_function(g)), None)
    opsets = main.opsets if main is not None else {}
    functions = {
        f"{g.attributes['onnx.function'].get('domain', '')}.{g.attributes['onnx.function'].get('name', '')}"
        for g in graphs
        if is_function(g)
    }
    counts: dict[str, list[Node]] = collections.defaultdict(list)
    unnamed = unknown = 0
    for graph in graphs:
        for node in graph.walk():
            if node.is_input or node.is_output:
                continue
            counts[node.op].append(node)
            unnamed += node.op != "ge.Const" and not node.has_name
            unknown += sum(_is_unknown(r.type) for r in node.results)
    if not is_text(path):
        if "onnx" not in opsets:
            found.append("no opset of the default domain is imported")
        elif opsets["onnx"] < 7:
            found.append(
                f"opset {opsets['onnx']} is older than 7, the oldest that runtimes support"
            )
    for op, nodes in sorted(counts.items()):
        if not _is_defined(op) and op not in functions:
            found.append(f"{len(nodes)} nodes of {op}, an unregistered operator")
    random = sum(len(counts[op]) for op in RANDOM if op in counts)
    if random:
        found.append(f"{random} nodes give random numbers: outputs cannot be compared")
    if unknown:
        found.append(f"{unknown} values have no known type; '{PROGRAM} optimize' infers types")
    if unnamed:
        found.append(f"{unnamed} nodes have no name")
    if os.path.isfile(path) and os.path.getsize(path) > PROTOBUF_LIMIT:
        found.append("the file is larger than the 2 GiB that protobuf reads: use external data")
    return found


def _is_unknown(type_: Any) -> bool:
    from ..ir import TensorType, UnknownType

    return isinstance(type_, UnknownType) or (isinstance(type_, TensorType) and type_.shape is None)


def _is_defined(op: str) -> bool:
    from ..ops import get

    domain, _, name = op.rpartition(".")
    if domain == "ge":
        return True
    try:
        return get(f"{domain}::{name}") is not None
    except Exception as error:
        from ..ir import GEError

        if isinstance(error, (GEError, LookupError, ValueError)):
            return False
        raise


def _print(facts: dict[str, Any], output: Output) -> None:
    weights = facts["weights"]
    size = "" if facts["bytes"] is None else human_bytes(facts["bytes"])
    opsets = ", ".join(f"{d} {v}" for d, v in facts["opsets"].items())
    output.line(f"{facts['file']}: {size}, graph '{facts['name']}'")
    for name, count in facts["external_data"].items():
        output.line(f"  external data {name}: {human_bytes(count)}")
    output.line(f"  opsets   {opsets or '-'}; IR version {facts['ir_version'] or '-'}")
    if facts["producer"]:
        output.line(f"  producer {facts['producer']}")
    types = ", ".join(f"{n} {t}" for t, n in weights["types"].items())
    output.line(
        f"  weights  {weights['tensors']} tensors, {weights['parameters']} parameters, "
        f"{human_bytes(weights['bytes'])}{f' ({types})' if types else ''}"
    )
    for kind in ("inputs", "outputs"):
        for value in facts[kind]:
            output.line(f"  {kind[:-1]:8} {value['name']}: {value['type']}")
    for dim, names in facts["free_dimensions"].items():
        output.line(f"  free     {dim} of {', '.join(names)}")
    if facts["functions"]:
        output.line(f"  functions {', '.join(facts['functions'])}")
    output.line(f"  nodes    {facts['nodes']}, subgraphs {facts['subgraphs']}")
    output.line()
    output.table(("operator", "nodes"), list(facts["operators"].items()))
    for text in facts["warnings"]:
        output.line(f"warning: {text}")
