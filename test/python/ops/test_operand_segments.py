"""Which operand belongs to which parameter is kept with the node, wherever a record leaves a choice.

The operators here have two lists of operands, or a list before optional operands; their kernels report the arguments that
they get.
"""

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ge.ir as ir
import ge.ops as ops
import ge.passes as passes

F1 = ir.TensorType((1,), ir.f32)
SCHEMAS = {
    "cat2": "cat2(Tensor[] a, Tensor[] b) -> Tensor",
    "tail": "tail(Tensor[] a, Tensor? b=None) -> Tensor",
    "three": "three(Tensor x, Tensor[] rest, Tensor? bias=None, Tensor[] more=[]) -> Tensor",
    "one": "one(Tensor? w, Tensor[] a) -> Tensor",
    "some": "some(Tensor?[] a) -> Tensor",
}


class Lists:
    """A library of operators with lists, and what their kernels got."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.library = ops.Library("segtest")
        for name, schema in SCHEMAS.items():
            self.library.define(schema, traits=["pure"])
            self.library.infer(name)(lambda call: [F1])
            self.library.impl(name, "cpu", self._kernel, as_="numpy")

    def _kernel(self, *arguments: Any) -> Any:
        def number(value: Any) -> Any:
            if value is None:
                return None
            if isinstance(value, (list, tuple)):
                return [number(v) for v in value]
            return int(value[0])

        self.calls.append([number(a) for a in arguments])
        return np.zeros(1, np.float32)

    def run(self, graph: ir.Graph) -> Any:
        self.calls.clear()
        graph.run([np.array([i + 1], np.float32) for i in range(len(graph.inputs))])
        return self.calls[-1]


@pytest.fixture
def lists() -> Iterator[Lists]:
    made = Lists()
    with made.library:
        yield made


def graph_of(count: int = 4) -> tuple[ir.Graph, list[ir.Value]]:
    graph = ir.Graph("g")
    return graph, [graph.add_input(f"v{i}", F1) for i in range(count)]


def call(name: str, *arguments: Any, count: int = 4) -> ir.Graph:
    """Return a graph of one call; numbers in the arguments are inputs, from 1."""
    import ge.es as es

    graph, values = graph_of(count)

    def value(argument: Any) -> Any:
        if isinstance(argument, list):
            return [value(a) for a in argument]
        return None if argument is None else values[argument - 1]

    with ir.InsertionPoint(graph):
        graph.outputs = [getattr(es.segtest, name)(*[value(a) for a in arguments])]
    return graph


CALLS = [
    ("cat2", [[1], [2, 3]], (1, 2)),
    ("cat2", [[1, 2, 3], []], (3, 0)),
    ("cat2", [[], [1, 2]], (0, 2)),
    ("cat2", [[], []], (0, 0)),
    ("tail", [[1, 2], None], (2, 0)),
    ("tail", [[1, 2], 3], (2, 1)),
    ("tail", [[], 3], (0, 1)),
    ("three", [4, [1, 2], None, [3]], (1, 2, 0, 1)),
    ("three", [4, [], 1, []], (1, 0, 1, 0)),
    ("three", [4, [3], 1, [2, 2]], (1, 1, 1, 2)),
    ("one", [None, [2, 3]], (1, 2)),
    ("one", [1, [2, 3]], (1, 2)),
    ("some", [[1, None]], (2,)),
    ("some", [[None, None]], (2,)),
    ("some", [[None, 1]], (2,)),
]


@pytest.mark.parametrize(("name", "arguments", "lengths"), CALLS)
def test_kernel_gets_what_the_builder_was_given(
    lists: Lists, name: str, arguments: list[Any], lengths: tuple[int, ...]
) -> None:
    graph = call(name, *arguments)
    assert next(iter(graph.nodes)).operand_segments == lengths
    forms = {
        "built": graph,
        "text": ir.Graph.parse(str(graph)),
        "clone": graph.clone(),
        "pickle": pickle.loads(pickle.dumps(graph)),
        "copy": copy.deepcopy(graph),
    }
    for what, form in forms.items():
        assert lists.run(form) == arguments, what
        assert next(iter(form.nodes)).operand_segments == lengths, what
        assert form.is_structurally_equal(graph), what
        assert form.structural_hash() == graph.structural_hash(), what


def test_only_open_lengths_are_stored_and_printed(lists: Lists) -> None:
    assert "operandSegmentSizes = array<i32: 1, 2>" in str(call("cat2", [1], [2, 3]))
    assert "SegmentSizes" not in str(call("one", None, [1, 2]))
    graph = ir.Graph("g")
    x = graph.add_input("x", F1)
    assert graph.add_node("onnx.Concat", [[x, x]], {"axis": 0}).operand_segments == (2,)
    assert graph.add_node("onnx.Clip", [x]).operand_segments == (1, 0, 0)
    assert graph.add_node("segtest.unknown", [x]).operand_segments is None
    assert "SegmentSizes" not in str(graph)


def test_nested_operands_of_add_node(lists: Lists) -> None:
    graph, (a, b, c, _) = graph_of()
    node = graph.add_node("segtest.cat2", [[a], [b, c]], result_types=F1)
    assert node.operand_segments == (1, 2) and list(node.operands) == [a, b, c]
    node = graph.add_node("segtest.three", [a, [b], None, [c]], result_types=F1)
    assert node.operand_segments == (1, 1, 0, 1) and list(node.operands) == [a, b, c]
    # Without a choice absent operands take their places.
    node = graph.add_node("segtest.one", [None, [b, c]], result_types=F1)
    assert list(node.operands) == [None, b, c] and node.operand_segments == (1, 2)
    loop = graph.add_node("onnx.Loop", [None, None, [a, b]], result_types=[])
    assert list(loop.operands) == [None, None, a, b]
    detached = ir.Node.create("segtest.cat2", [[a, b], [c]], ip=False)
    assert detached.operand_segments == (2, 1)
    assert detached.clone().operand_segments == (2, 1)


@pytest.mark.parametrize(
    "lengths", [(1, 1), (4, -1), (2, 2), (1, 1, 1), (3, 0, 0), (1,), (1 << 40, 0)]
)
def test_wrong_lengths_are_refused(lists: Lists, lengths: tuple[int, ...]) -> None:
    graph, (a, b, c, _) = graph_of()
    node = graph.add_node("segtest.cat2", [[a], [b, c]])
    with pytest.raises((ValueError, ir.GEError)):
        node.operand_segments = lengths
    assert node.operand_segments == (1, 2)


def test_more_lists_than_parameters(lists: Lists) -> None:
    graph, (a, b, c, _) = graph_of()
    with pytest.raises((ValueError, ir.GEError), match="3 .*2 parameters|for 2 parameters"):
        graph.add_node("segtest.cat2", [[a], [b], [c]])
    with pytest.raises((ValueError, ir.GEError), match="'b'"):
        graph.add_node("segtest.tail", [[a], [b, c]])
    assert not graph.nodes


def test_missing_lengths_do_not_verify(lists: Lists) -> None:
    graph, (a, b, c, _) = graph_of()
    node = graph.add_node("segtest.cat2", [a, b, c], result_types=F1)
    graph.outputs = [node.result]
    assert node.operand_segments is None
    with pytest.raises(ir.GEError, match=r"3 operands for 'a', 'b'.*operand_segments"):
        passes.PassManager.parse("verify").run(graph)
    with pytest.raises(ir.GEError, match="operand_segments|how many"):
        lists.run(graph)
    with pytest.raises(ValueError, match="operand_segments"):
        _ = node.view.a
    node.operand_segments = (2, 1)
    passes.PassManager.parse("verify").run(graph)
    assert lists.run(graph) == [[1, 2], [3]]
    node.operand_segments = None
    assert node.operand_segments is None


def test_lengths_without_a_record_are_kept_and_checked_later() -> None:
    graph, (a, b, c, _) = graph_of()
    node = graph.add_node("seglater.f", [[a], [b, c]], result_types=F1)
    stored = graph.add_node("seglater.g", [[a], [b]], result_types=F1)
    assert node.operand_segments == (1, 2) and stored.operand_segments == (1, 1)
    with ops.Library("seglater") as library:
        library.define("f(Tensor[] a) -> Tensor")
        library.define("g(Tensor a, Tensor[] b) -> Tensor")
        with pytest.raises(ir.GEError, match=r"\(1, 2\) for 1 parameter"):
            passes.PassManager.parse("verify").run(graph)
        # Stored lengths that the record implies are those of a node without.
        other = graph.add_node("seglater.g", [a, b], result_types=F1)
        assert stored.is_structurally_equal(other)
        assert stored.structural_hash() == other.structural_hash()


def test_views_show_and_change_the_lists(lists: Lists) -> None:
    graph = call("three", 4, [1, 2], None, [3])
    node = next(iter(graph.nodes))
    v1, v2, v3, v4 = graph.inputs
    view = node.view
    assert (view.x, view.rest, view.bias, view.more) == (v4, (v1, v2), None, (v3,))
    assert node.operands["more"] == (v3,)
    view.bias = v1
    assert node.operand_segments == (1, 2, 1, 1) and lists.run(graph) == [4, [1, 2], 1, [3]]
    view.rest = [v2]
    view.bias = None
    assert lists.run(graph) == [4, [2], None, [3]]


def test_edits_keep_the_lengths_true(lists: Lists) -> None:
    graph = call("cat2", [1], [2, 3])
    node = next(iter(graph.nodes))
    v1, v2, v3, v4 = graph.inputs
    node.operands[0] = v4
    assert node.operand_segments == (1, 2)
    node.insert_operand(1, v1, parameter="a")
    assert node.operand_segments == (2, 2) and lists.run(graph) == [[4, 1], [2, 3]]
    node.insert_operand(2, v1, parameter=1)
    assert node.operand_segments == (2, 3) and lists.run(graph) == [[4, 1], [1, 2, 3]]
    node.operands.insert(1, v2)  # inside of the first list
    assert node.operand_segments == (3, 3)
    with pytest.raises((ValueError, ir.GEError), match="'a' and the beginning of 'b'"):
        node.operands.insert(3, v2)
    with pytest.raises((ValueError, ir.GEError), match="'b'"):
        node.insert_operand(1, v2, parameter="b")
    with pytest.raises(KeyError):
        node.insert_operand(1, v2, parameter="c")
    del node.operands[0]
    assert node.operand_segments == (2, 3)
    node.operands.pop()
    assert node.operand_segments == (2, 2)
    with pytest.raises((ValueError, ir.GEError), match="list for each parameter"):
        node.operands = [v1, v2, v3]
    node.operands = [[v1, v2, v3], [v4]]
    assert lists.run(graph) == [[1, 2, 3], [4]]
    node.operands = [v4, v3, v2, v1]  # as many as before
    assert node.operand_segments == (3, 1)
    node.operands = []
    assert node.operand_segments == (0, 0)
    node.insert_operand(0, v2, parameter="b")
    assert lists.run(graph) == [[], [2]]


def test_rollback_restores_the_lengths(lists: Lists) -> None:
    graph = call("cat2", [1], [2, 3])
    node = next(iter(graph.nodes))
    before = str(graph)
    with graph.transaction() as t:
        node.insert_operand(0, graph.inputs[3], parameter="a")
        node.operands = [[], [graph.inputs[0]]]
        node.operand_segments = (1, 0)
        graph.add_node("segtest.cat2", [[graph.inputs[0]], [graph.inputs[1]]])
        t.rollback()
    assert str(graph) == before and node.operand_segments == (1, 2)
    with graph.transaction() as t:
        graph.outputs = [graph.inputs[0]]
        node.erase()
        t.rollback()
    assert node.operand_segments == (1, 2) and str(graph) == before


def test_equality_sees_the_lengths(lists: Lists) -> None:
    one, other = call("cat2", [1], [2, 3]), call("cat2", [1, 2], [3])
    assert not one.is_structurally_equal(other)
    assert one.structural_hash() != other.structural_hash()
    graph, (a, b, c, _) = graph_of()
    nodes = [
        graph.add_node("segtest.cat2", lists_, result_types=F1)
        for lists_ in ([[a], [b, c]], [[a, b], [c]], [[a], [b, c]])
    ]
    assert nodes[0].is_structurally_equal(nodes[2])
    assert not nodes[0].is_structurally_equal(nodes[1])


def test_cse_merges_equal_lists_only(lists: Lists) -> None:
    import ge.es as es

    graph, (a, b, c, _) = graph_of()
    with ir.InsertionPoint(graph):
        graph.outputs = [
            es.segtest.cat2([a], [b, c]),
            es.segtest.cat2([a, b], [c]),
            es.segtest.cat2([a], [b, c]),
        ]
        graph.outputs = [es.onnx.Identity(v) for v in graph.outputs]
    passes.PassManager.parse("cse").run(graph)
    found = sorted(n.operand_segments for n in graph.find_all("segtest.cat2"))
    assert found == [(1, 2), (2, 1)]


def test_folding_computes_with_the_lists(lists: Lists) -> None:
    import ge.es as es

    graph = ir.Graph("g")
    values = [
        graph.add_node("ge.Const", attributes={"value": np.array([i], np.float32)}, result_types=F1)
        for i in (1, 2, 3)
    ]
    a, b, c = (v.result for v in values)
    with ir.InsertionPoint(graph):
        first, second = es.segtest.cat2([a], [b, c]), es.segtest.cat2([a, b], [c])
        graph.outputs = [es.onnx.Identity(first), es.onnx.Identity(second)]
    lists.calls.clear()
    passes.PassManager.parse("constant-fold").run(graph)
    assert [[1], [2, 3]] in lists.calls and [[1, 2], [3]] in lists.calls
    assert not graph.find_all("segtest.cat2")


def test_direct_calls_infer_by_the_lists() -> None:
    with ops.Library("seginfer") as library:
        library.define("f(Tensor[] a, Tensor[] b) -> Tensor")

        @library.infer("f")
        def types(call: Any) -> list[ir.Type]:
            assert call.operand_segments is not None
            return [ir.TensorType((call.operand_segments[0],), ir.f32)]

        @library.impl("f", "cpu", as_="numpy")
        def kernel(a: Any, b: Any) -> Any:
            return np.zeros(len(a), np.float32)

        x = np.zeros(1, np.float32)
        assert ops.call.seginfer.f([x], [x, x]).shape == (1,)
        assert ops.call.seginfer.f([x, x], [x]).shape == (2,)  # the same operands
        graph, (p, q, r, _) = graph_of()
        node = graph.add_node("seginfer.f", [[p, q], [r]])
        graph.infer_types()
        assert node.result.type == ir.TensorType((2,), ir.f32)


def test_patterns_match_lists_of_their_lengths(lists: Lists) -> None:
    import ge.es as es
    from ge.es import onnx as op

    rule = passes.rewrite_rule(
        lambda p, q, r: es.segtest.cat2([p, q], [r]),
        lambda p, q, r: op.Sum(p, q, r) if False else op.Add(op.Add(p, q), r),
        name="two-one",
    )
    for lengths in ((2, 1), (1, 2), (3, 0), (0, 3)):
        graph, values = graph_of()
        with ir.InsertionPoint(graph):
            graph.outputs = [es.segtest.cat2(values[: lengths[0]], values[lengths[0] : 3])]
        passes.PassManager().add(rule).run(graph)
        assert (not graph.find_all("segtest.cat2")) == (lengths == (2, 1)), lengths


def test_patterns_align_operands_behind_absent_ones(lists: Lists) -> None:
    import ge.es as es
    from ge.es import onnx as op

    rule = passes.rewrite_rule(
        lambda x, r, m: es.segtest.three(x, [r], None, [m]),
        lambda x, r, m: op.Add(op.Add(x, r), m),
        name="no-bias",
    )
    graph, (a, b, c, d) = graph_of()
    with ir.InsertionPoint(graph):
        graph.outputs = [
            es.segtest.three(a, [b], None, [c]),
            es.segtest.three(a, [b], c, []),
            es.segtest.three(a, [b], d, [c]),
        ]
    passes.PassManager().add(rule).run(graph)
    left = sorted(n.operand_segments for n in graph.find_all("segtest.three"))
    assert left == [(1, 1, 1, 0), (1, 1, 1, 1)]


def test_replacements_have_lists(lists: Lists) -> None:
    import ge.es as es
    from ge.es import onnx as op

    rule = passes.rewrite_rule(
        lambda p, q, r: op.Add(op.Mul(p, q), r),
        lambda p, q, r: es.segtest.cat2([p], [q, r]),
        name="fuse",
    )
    graph, (a, b, c, _) = graph_of()
    with ir.InsertionPoint(graph):
        graph.outputs = [op.Add(op.Mul(a, b), c)]
    passes.PassManager().add(rule).run(graph)
    (node,) = graph.find_all("segtest.cat2")
    assert node.operand_segments == (1, 2) and lists.run(graph) == [[1], [2, 3]]


def test_lists_in_onnx_metadata(lists: Lists, tmp_path: Any) -> None:
    import ge.onnx

    module = ir.Module("m")
    graph = module.add_graph("main")
    a, b, c = (graph.add_input(k, F1) for k in "abc")
    node = graph.add_node("segtest.cat2", [[a], [b, c]], result_types=F1, name="n")
    graph.outputs = [node.result]
    data = ge.onnx.to_bytes(module)
    back = ge.onnx.load(data)
    found = next(iter(back.graphs["main"].nodes))
    assert found.operand_segments == (1, 2)
    onnx = pytest.importorskip("onnx")
    model = onnx.ModelProto.FromString(data)
    (entry,) = model.graph.node[0].metadata_props
    assert (entry.key, entry.value) == ("ge.operand_segments", "1,2")
    for wrong in ("1,1", "-1,4", "a", "1,2,", ""):
        entry.value = wrong
        with pytest.raises(ir.ModelError, match=r"operand_segments|add up"):
            ge.onnx.load(model.SerializeToString())


def test_reg_op_with_two_dynamic_inputs(tmp_path: Any) -> None:
    import ge.es as es

    header = tmp_path / "ops.h"
    header.write_text("""
REG_OP(Weave)
    .DYNAMIC_INPUT(warp, TensorType({DT_FLOAT}))
    .DYNAMIC_INPUT(weft, TensorType({DT_FLOAT}))
    .OPTIONAL_INPUT(dye, TensorType({DT_FLOAT}))
    .OUTPUT(cloth, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(Weave)
""")
    with ops.import_reg_op(header, namespace="segreg"):
        graph, (a, b, c, d) = graph_of()
        with ir.InsertionPoint(graph):
            graph.outputs = [es.segreg.Weave([a], [b, c]), es.segreg.Weave([a, b], [c], d)]
        assert [n.operand_segments for n in graph.nodes] == [(1, 2, 0), (2, 1, 1)]
        passes.PassManager.parse("verify").run(graph)
        again = ir.Graph.parse(str(graph))
        assert again.is_structurally_equal(graph)
        (first, second) = again.nodes
        assert len(first.view.weft) == 2 and second.view.dye == again.inputs[3]


def test_descriptions_keep_the_lists(lists: Lists) -> None:
    graph, (a, b, c, _) = graph_of()
    node = graph.add_node("segtest.cat2", [[a, b], [c]], result_types=F1)
    desc = node.to_desc()
    assert desc.operand_segments == (2, 1)
    made = ir.Node.from_desc(type(desc).from_json(desc.to_json()), graph)
    assert made.operand_segments == (2, 1)
    assert graph.add_node("onnx.Relu", [a]).to_desc().operand_segments is None


def test_an_attribute_of_mlirs_name_stays_an_attribute(lists: Lists) -> None:
    graph, (a, b, c, _) = graph_of()
    node = graph.add_node(
        "segtest.unknown", [[a], [b, c]], {"operandSegmentSizes": [7]}, result_types=F1
    )
    graph.outputs = [node.result]
    again = ir.Graph.parse(str(graph))
    found = next(iter(again.nodes))
    assert found.operand_segments == (1, 2) and found.attributes["operandSegmentSizes"] == (7,)
    assert str(again) == str(graph)
