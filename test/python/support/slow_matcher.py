"""A simple, slow reference matcher: it tries every assignment of graph nodes to the nodes of a pattern.

It supports plain operators, wildcards, commutative operands, shared values and several outputs, and returns the anchor
nodes of matches. Written from the documentation, not from the native matcher.
"""

from itertools import permutations

COMMUTATIVE = {"onnx.Add", "onnx.Mul"}


def _operands(node):
    values = list(node.operands)
    while values and values[-1] is None:
        values.pop()
    return values


def _orders(node):
    """Return every allowed order of the operands of a pattern's node."""
    operands = _operands(node)
    if node.op in COMMUTATIVE and len(operands) == 2:
        return [list(order) for order in permutations(operands)]
    return [operands]


def _bindings(pattern_nodes, chosen):
    """Return every binding of values under which the chosen nodes match the pattern's nodes."""
    found = [{}]
    for wanted, node in zip(pattern_nodes, chosen, strict=True):
        if wanted.op != node.op or len(_operands(wanted)) != len(_operands(node)):
            return []
        grown = []
        for binding in found:
            for order in _orders(wanted):
                extended = dict(binding)
                pairs = list(zip(order, _operands(node), strict=True))
                pairs += [(a, b) for a, b in zip(wanted.results, node.results, strict=False)]
                if all(extended.setdefault(a, b) == b for a, b in pairs):
                    grown.append(extended)
        found = grown
    return found


def _is_closed(pattern, chosen, binding):
    taken = set(chosen)
    outputs = {binding[v] for v in pattern.outputs}
    for node in chosen:
        for value in node.results:
            if value not in outputs and any(use.node not in taken for use in value.uses):
                return False
    return all(binding[v].node not in taken for v in pattern.inputs if v in binding)


def anchors(pattern, graph):
    """Return the anchor nodes of the matches of a pattern (a graph) in a graph, in list order."""
    wanted = list(pattern.nodes)
    nodes = list(graph.nodes)
    found = set()

    def extend(chosen):
        if len(chosen) == len(wanted):
            for binding in _bindings(wanted, chosen):
                if _is_closed(pattern, chosen, binding):
                    found.add(binding[pattern.outputs[0]].node)
            return
        if not _bindings(wanted[: len(chosen)], chosen):
            return
        for node in nodes:
            if node not in chosen and node.op == wanted[len(chosen)].op:
                extend([*chosen, node])

    extend([])
    return [node for node in nodes if node in found]
