"""Graphs for matching, and the anchors of matches."""

from ge import es, ir


def f32(*shape):
    return ir.TensorType(shape, ir.f32)


def build(function, *inputs):
    """Build a graph from a function of its inputs, given as types."""
    with es.builder("main") as b:
        made = function(*(b.input(f"x{i}", t) for i, t in enumerate(inputs)))
        b.output(*(made if isinstance(made, (tuple, list)) else [made]))
    return b.graph


X = f32(4, 4)


def anchors(graph, what):
    return [m.anchor.type for m in graph.find(what)]
