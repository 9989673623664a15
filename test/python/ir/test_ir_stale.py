"""No order of operations leaves a dangling Python object: a stale one raises StaleHandleError with the reason.

Each known way to crash MLIR's bindings with a dangling handle is a test here. Not promised: that a stale handle still
tells the position of its object.
"""

import gc

import pytest

import ge.ir as ir


def f32() -> ir.Type:
    return ir.TensorType((2,), ir.f32)


def build() -> ir.Graph:
    g = ir.Graph("main")
    x = g.add_input("x", f32())
    a = g.add_node("onnx.Relu", [x], name="a", result_types=f32())
    b = g.add_node("onnx.Neg", [a], name="b", result_types=f32())
    c = g.add_node("onnx.Exp", [b], name="c", result_types=f32())
    g.outputs = [c.result]
    return g


def test_node_outlives_its_graphs_name() -> None:
    """A handle keeps the root graph alive."""
    node = build().nodes[0]
    gc.collect()
    assert node.op == "onnx.Relu"
    assert node.graph.name == "main"


def test_handle_read_after_its_module_was_dropped() -> None:
    module = ir.Module("m")
    node = module.add_graph(build()).nodes[0]
    del module
    gc.collect()
    assert node.graph.module.name == "m"


def test_value_keeps_context_alive() -> None:
    with ir.Context():
        value = build().inputs[0]
    gc.collect()
    assert str(value.type) == "tensor<2xf32>"


@pytest.mark.parametrize(
    "derive",
    [
        lambda n: n,
        lambda n: n.result,
        lambda n: n.operands,
        lambda n: n.results,
        lambda n: n.attributes,
        lambda n: n.control_inputs,
        lambda n: n.result.uses,
        lambda n: n.subgraphs,
    ],
    ids=["node", "value", "operands", "results", "attributes", "control", "uses", "subgraphs"],
)
def test_children_of_an_erased_node_are_stale(derive) -> None:
    g = build()
    node = g.find("b")
    child = derive(node)
    node.erase(force=True)
    with pytest.raises(ir.StaleHandleError, match=r"'b(:0)?'.*onnx.Neg.*erased"):
        len(child) if hasattr(type(child), "__len__") else child.name
    assert "b" in repr(node)


def test_use_iterator_of_an_erased_owner_is_stale() -> None:
    g = build()
    node = g.find("a")
    uses = iter(node.result.uses)
    node.erase(force=True)
    with pytest.raises(ir.StaleHandleError):
        next(uses)


def test_use_of_an_erased_user_is_stale() -> None:
    g = build()
    use = g.find("a").result.uses[0]
    g.find("b").erase(force=True)
    with pytest.raises(ir.StaleHandleError):
        use.node
    with pytest.raises(ir.StaleHandleError):
        use.index


def test_operand_iterator_of_an_erased_owner_is_stale() -> None:
    g = build()
    node = g.find("b")
    operands = iter(node.operands)
    node.erase(force=True)
    with pytest.raises(ir.StaleHandleError):
        next(operands)


def test_block_argument_of_an_erased_owner_is_stale() -> None:
    g = build()
    owner = g.add_node("onnx.If", [g.inputs[0]], result_types=(), subgraphs={"then_branch": None})
    body = owner.subgraphs["then_branch"]
    argument = body.add_input("i", f32())
    inner = body.add_node("onnx.Relu", [argument], result_types=f32())
    result = inner.result
    owner.erase()
    for dead in (body, argument, inner, result):
        assert not dead.is_alive
        with pytest.raises(ir.StaleHandleError):
            dead.name


def test_input_of_a_graph_that_lost_it_is_stale() -> None:
    g = build()
    x = g.inputs[0]
    g.erase_input(0, force=True)
    with pytest.raises(ir.StaleHandleError):
        x.type


def test_erasing_the_current_node_while_iterating() -> None:
    g = build()
    seen = []
    for node in g.nodes:
        seen.append(node.name)
        node.erase(force=True)
    assert seen == ["a", "b", "c"]
    assert len(g.nodes) == 0


def test_erasing_a_coming_node_while_iterating() -> None:
    g = build()
    seen = []
    for node in g.nodes:
        seen.append(node.name)
        if node.name == "a":
            g.find("b").erase(force=True)
    assert seen == ["a", "c"]


def test_nodes_inserted_ahead_are_visited_and_behind_are_not() -> None:
    g = build()
    seen = []
    for node in g.nodes:
        seen.append(node.name)
        if node.name == "b":
            g.add_node("onnx.Abs", name="behind", ip=ir.InsertionPoint.before(node))
            g.add_node("onnx.Abs", name="ahead", ip=ir.InsertionPoint.after(node))
    assert seen == ["a", "b", "ahead", "c"]


def test_a_walk_that_erases_the_parent() -> None:
    g = build()
    owner = g.add_node(
        "onnx.If", [g.inputs[0]], name="if", result_types=(), subgraphs={"then": None}
    )
    body = owner.subgraphs["then"]
    for i in range(3):
        body.add_node("onnx.Abs", name=f"i{i}", result_types=())
    g.add_node("onnx.Abs", name="last", result_types=())
    seen = []
    for node in g.walk():
        seen.append(node.name)
        if node.name == "i1":
            node.graph.parent_node.erase()
    assert seen == ["a", "b", "c", "if", "i0", "i1", "last"]


def test_second_handle_is_the_same_object() -> None:
    g = build()
    a, b = g.nodes[0], g.find("a")
    assert a is b
    a.erase(force=True)
    with pytest.raises(ir.StaleHandleError):
        b.op


def test_handle_made_again_after_being_dropped_is_equal() -> None:
    g = build()
    first = hash(g.nodes[0])
    keep = g.nodes[0].result
    gc.collect()
    node = g.nodes[0]
    assert hash(keep.node) == hash(node) == first and keep.node == node


def test_printing_after_a_forced_erase() -> None:
    g = build()
    g.find("b").erase(force=True)
    assert "onnx.Exp" in str(g) and "onnx.Neg" not in str(g)


def test_dead_objects_print() -> None:
    g = build()
    node, value = g.find("b"), g.find("b").result
    node.erase(force=True)
    assert repr(node).startswith("<dead: node 'b' (onnx.Neg) was erased")
    assert "dead" in str(value) and "dead" in repr(value)


def test_equality_and_hash_hold_dead_or_alive() -> None:
    g = build()
    node = g.find("b")
    held, before = {node}, hash(node)
    node.erase(force=True)
    assert node in held and hash(node) == before and node == node
    assert node != g.find("a")


def test_erasing_twice_raises() -> None:
    node = build().nodes[0]
    node.erase(force=True)
    with pytest.raises(ir.StaleHandleError):
        node.erase()


def test_operands_of_another_context_are_refused() -> None:
    g = build()
    with ir.Context():
        foreign = ir.Graph("other").add_input("y", ir.TensorType((2,), ir.f32))
    with pytest.raises(ValueError, match="context"):
        g.add_node("onnx.Relu", [foreign])
    with pytest.raises(ValueError, match="context"):
        g.nodes[0].operands[0] = foreign
    with pytest.raises(ValueError, match="context"):
        g.nodes[0].result.replace_all_uses_with(foreign)
    with pytest.raises(ValueError, match="context"):
        g.outputs = [foreign]


def test_attributes_and_types_of_another_context_are_refused() -> None:
    g = build()
    with ir.Context():
        foreign = ir.TensorType((2,), ir.f32)
        tensor = ir.Tensor([1.0])
    with pytest.raises(ValueError, match="context"):
        g.nodes[0].attributes["t"] = foreign
    with pytest.raises(ValueError, match="context"):
        g.nodes[0].attributes["t"] = tensor
    with pytest.raises(ValueError, match="context"):
        g.nodes[0].result.type = foreign
    with pytest.raises(ValueError, match="context"):
        g.add_input("z", foreign)


def test_operands_of_another_root_graph_are_refused() -> None:
    g, other = build(), build()
    with pytest.raises(ValueError):
        g.add_node("onnx.Relu", [other.inputs[0]])


def test_deep_nesting_is_an_error_and_no_crash() -> None:
    """20,000 nested regions are refused at the limit, both when they are built and when they are parsed."""
    g = ir.Graph("main")
    inner = g
    with pytest.raises(ValueError):
        for _ in range(20_000):
            inner = inner.add_node("onnx.If", result_types=(), subgraphs={"then": None}).subgraphs[
                0
            ]
    text = '"a.b"() ({\n' * 20_000
    with pytest.raises(ir.ParseError):
        ir.Graph.parse(f"func.func @main() {{ {text}")


def test_deeply_nested_attributes_are_an_error_and_no_crash() -> None:
    value: object = 1
    for _ in range(20_000):
        value = [value]
    with pytest.raises((ValueError, RecursionError)):
        ir.Graph("g").attributes["a"] = value


def test_handles_of_a_consumed_subgraph_stay_alive() -> None:
    g = build()
    body = ir.Graph("body")
    inner = body.add_node("onnx.Abs", name="inner", result_types=())
    owner = g.add_node("onnx.If", [g.inputs[0]], result_types=(), subgraphs={"then": body})
    assert inner.is_alive and inner.root is g and body.parent_node is owner
    assert owner.subgraphs[0] is body


@pytest.mark.parametrize(
    "make",
    [
        lambda: ir.Node(),
        lambda: ir.Node.__new__(ir.Node),
        lambda: ir.Value.__new__(ir.Value),
        lambda: object.__new__(ir.Node),
        lambda: object.__new__(ir.Graph),
        lambda: ir.Graph.__new__(ir.Graph).nodes,
        lambda: type("Sub", (ir.Node,), {}),
        lambda: ir.Use.__new__(ir.Use),
        lambda: ir.AttributeMap(),
        lambda: type(iter(build().nodes))(),
        lambda: ir.Location(),
        lambda: ir.Type(),
        lambda: ir.TensorType.__new__(ir.TensorType),
    ],
)
def test_half_made_objects_cannot_be_had(make) -> None:
    """Every instance refers to an IR object, so that no getter has to check for a missing one."""
    try:
        made = make()
    except TypeError:
        return
    assert isinstance(made, ir.NodeList)  # Graph.__new__ creates a complete graph


def test_rolled_back_nodes_are_stale_and_erased_ones_live_again() -> None:
    g = build()
    old = g.find("b")
    with g.transaction() as t:
        new = g.add_node("onnx.Abs", [g.inputs[0]], name="new")
        old.erase(force=True)
        assert not old.is_alive
        t.rollback()
    assert old.is_alive and old.name == "b"
    with pytest.raises(ir.StaleHandleError, match="rolled back"):
        new.name


def test_reason_names_file_and_line_under_trace_origins() -> None:
    g = build()
    node = g.find("c")
    with ir.trace_origins():
        g.outputs = []
        node.erase()
    with pytest.raises(ir.StaleHandleError, match=r"test_ir_stale\.py:\d+"):
        node.name
