"""Every built-in operator, in every version, has a builder that accepts the arguments that its definition requires.

Operands have unknown shapes, so type inference does not reject them; the semantics of single operators are tested
elsewhere.
"""

import inspect

import pytest
from ops_synthesis import arguments, result_count

import ge.es
import ge.ir as ir
import ge.ops as ops

RECORDS = [
    record
    for name in ops.list_ops()
    if name.partition("::")[0].split(".")[0] in ("onnx", "math", "nn")
    for record in ops.versions(name)
]


def function_of(record: ops.OpDef) -> ops.Function:
    module = ge.es.namespace(record.ns)
    return getattr(module.at(record.since) if record.since else module, record.name)


def build(record: ops.OpDef, everything: bool) -> ir.Graph:
    """Return a graph with a node that the builder of the record created."""
    function = function_of(record)
    assert function.op == record
    form, *_ = ops._native._form(function)
    graph = ir.Graph("g")
    graph.attributes["opset"] = {record.ns: record.since} if record.since else 21
    positional, keywords = arguments(graph, form, record, everything)
    signature = inspect.signature(function)
    if "_outputs" in signature.parameters:
        keywords["_outputs"] = result_count(record)
    signature.bind(*positional, **keywords)
    with ir.InsertionPoint(graph):
        function(*positional, **keywords)
    return graph


NAMESPACES = ["onnx", "onnx.ml", "onnx.preview", "onnx.preview.training", "math", "nn"]


def test_the_records_are_all_of_onnx() -> None:
    counts = [sum(r.ns == ns for r in RECORDS) for ns in NAMESPACES]
    assert counts[:4] == [629, 25, 1, 4]
    assert sum(counts) == len(RECORDS)


@pytest.mark.parametrize("ns", NAMESPACES)
@pytest.mark.parametrize("everything", [False, True], ids=["required", "all"])
def test_every_version_is_built_and_verified(ns: str, everything: bool) -> None:
    wrong = []
    for record in (r for r in RECORDS if r.ns == ns):
        try:
            graph = build(record, everything)
            node = graph.nodes[-1]
            assert (node.type, node.domain) == (record.name, record.ns)
            graph.verify()
        except ir.GEError as error:
            wrong.append(f"{record.qualified_name} of {record.since}: {error}")
    assert wrong == []


@pytest.mark.parametrize("ns", ["onnx", "math", "nn"])
def test_signature_and_documentation_of_each(ns: str) -> None:
    for record in (r for r in RECORDS if r.ns == ns):
        function = function_of(record)
        signature = inspect.signature(function)
        doc = inspect.getdoc(function)
        assert doc
        for name in signature.parameters:
            assert f"\n{name} : " in doc, (record, name)
        assert function.__name__ == record.name
        assert function.__module__ == f"ge.es.{ns}"
        assert "\nReturns\n-------\n" in doc


def test_op_proto_of_every_operator_survives_a_round_trip() -> None:
    import json

    for record in RECORDS:
        proto = record.proto()
        back = ops.proto_from_dict(json.loads(json.dumps(proto.to_dict())))
        assert back == proto
        assert ops.parse_schema(back.schema).params == record.params


def test_op_desc_of_every_operator_survives_a_round_trip() -> None:
    for record in RECORDS:
        function = function_of(record)
        form, *_ = ops._native._form(function)
        graph = ir.Graph("g")
        positional, keywords = arguments(graph, form, record, False)
        if "_outputs" in inspect.signature(function).parameters:
            keywords["_outputs"] = result_count(record)
        with ir.InsertionPoint(graph):
            try:
                function(*positional, **keywords)
            except ir.VerifyError:
                continue
        node = graph.nodes[-1]
        named = {v.name: v for v in node.operands if v is not None}
        try:
            ops._native._verify_node(node)
        except (
            ir.VerifyError
        ):  # a version older than the graph's opset: from_desc rejects what verify rejects
            with pytest.raises(ir.VerifyError):
                ir.Node.from_desc(node.to_desc(), graph, named)
            continue
        copy = ir.Node.from_desc(node.to_desc(), graph, named)
        assert copy.is_structurally_equal(node)
        assert copy.op == node.op
