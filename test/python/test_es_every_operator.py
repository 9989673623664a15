"""Every operator that ships, in every version, has a builder that can be called with what its record asks for.

Operands have unknown shapes, so inference says nothing against them; that a call is right for one operator's meaning
is tested elsewhere.
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
# Their attributes are constants that no Python value stands for.
SPARSE = {"sparse_value"}


def function_of(record: ops.OpDef) -> ops.Function:
    module = ge.es.namespace(record.ns)
    return getattr(module.at(record.since) if record.since else module, record.name)


@pytest.mark.parametrize("ns", ["onnx", "onnx.ml", "onnx.preview.training", "math", "nn"])
@pytest.mark.parametrize("everything", [False, True], ids=["required", "all"])
def test_every_version_can_be_built(ns: str, everything: bool) -> None:
    built = 0
    for record in (r for r in RECORDS if r.ns == ns):
        function = function_of(record)
        assert function.op == record
        form, *_ = ops._native._form(function)
        if any("SparseLiteral" in str(p.type) for p in form.params) and everything:
            continue
        graph = ir.Graph("g")
        positional, keywords = arguments(graph, form, record, everything)
        signature = inspect.signature(function)
        if any(p.name == "_outputs" for p in signature.parameters.values()):
            keywords["_outputs"] = result_count(record)
        signature.bind(*positional, **keywords)
        point = ir.InsertionPoint(graph)
        with point:
            try:
                function(*positional, **keywords)
            except ir.VerifyError as error:  # operands of unknown shape are never wrong
                # The synthesised attributes may be: axis=1 of a scalar, two attributes that exclude each other.
                assert everything or record.attributes, (record, error)
                continue
        node = graph.nodes[-1]
        assert node.type == record.name
        assert node.domain == record.ns
        graph.verify(definitions=False)
        built += 1
    assert built > 0.8 * sum(r.ns == ns for r in RECORDS)


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
        copy = ir.Node.from_desc(node.to_desc(), graph, named)
        assert copy.is_structurally_equal(node)
        assert copy.op == node.op
