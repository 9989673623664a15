"""The installed wheel builds, edits, prints and reads a graph on this CPython; stale handles raise errors."""

import gc
import sys

import ge.ir as ir

assert "numpy" not in sys.modules, "import ge.ir loads no NumPy"


def main() -> None:
    # Build.
    kind = ir.TensorType(("N", 3), ir.f32)
    graph = ir.Graph("main")
    x = graph.add_input("x", kind)
    relu = graph.add_node(
        "acme.Relu", [x], {"alpha": 0.1, "axes": [1, 2]}, name="relu", result_types=kind
    )
    branch = graph.add_node(
        "acme.If", [relu], name="if", subgraphs={"then_branch": None}, result_types=kind
    )
    inner = branch.subgraphs[0]
    inner.outputs = [inner.add_node("onnx.Neg", [relu.result], result_types=kind).result]
    graph.outputs = [branch.result]
    assert graph.find("relu") is relu is graph.nodes[0] and relu.attributes["alpha"] == 0.1
    assert relu.attributes["axes"] == (1, 2) and list(x.users) == [relu]
    graph.verify()

    # Text.
    text = str(graph)
    again = ir.Graph.parse(text)
    assert str(again) == text and again.is_structurally_equal(graph)
    try:
        ir.Graph.parse(text.replace("acme.If", "acme.If("[:-1] + '"', 1))
        raise SystemExit("a damaged text was read")
    except ir.ParseError as error:
        assert "error:" in str(error)

    # Transactions and handles.
    with graph.transaction() as attempt:
        branch.erase(force=True)
        assert not branch.is_alive and not inner.is_alive
        attempt.rollback()
    assert branch.is_alive and inner.is_alive and str(graph) == text
    for node in graph.nodes:
        node.erase(force=True)
    for use in (lambda: relu.name, lambda: list(inner.nodes), lambda: branch.result):
        try:
            use()
            raise SystemExit("a stale handle answered")
        except ir.StaleHandleError as error:
            assert "was erased" in str(error)

    # Tensors.
    import numpy as np

    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    const = graph.add_node(
        "ge.Const", [], {"value": array}, result_types=ir.TensorType((2, 3), ir.f32)
    )
    assert np.array_equal(const.attributes["value"].numpy(), array)

    # Errors are of the classes that Python users expect.
    for wrong, expected in (
        (lambda: graph.add_node(1), TypeError),
        (lambda: graph.nodes[99], IndexError),
        (lambda: const.attributes["none"], KeyError),
        (lambda: const.attributes.update(k=2**63), OverflowError),
        (lambda: ir.Graph("other").add_node("t.A", [const.result]), ValueError),
    ):
        try:
            wrong()
            raise SystemExit(f"no {expected.__name__}")
        except expected as error:
            assert str(error)


main()
gc.collect()
assert ir.Context.current.live_graph_count() == 0, "graphs are left"
print(f"CPython {sys.version_info[0]}.{sys.version_info[1]}: ok")
