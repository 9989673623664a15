"""What matching and rewriting cost per match: MatMul, Add, Relu become one node.

``python bench/passes.py [--sizes 3000,30000,300000] [--runs 5]`` prints a table of microseconds of processor time per
match, medians of several runs, each on a graph of its own, with onnxscript's rewriter beside ours where it is installed
(at the smallest size: it takes long).
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from ge import ir
from ge.es import onnx as op
from ge.passes import p, rewrite, rewrite_rule

X = ir.TensorType((4, 4), ir.f32)


def layers(count: int) -> ir.Graph:
    """Return a chain of MatMul, Add, Relu."""
    g = ir.Graph("layers")
    x, w, c = (g.add_input(name, X) for name in ("x", "w", "c"))
    for i in range(count):
        x = g.add_node("onnx.MatMul", [x, w], result_types=[X], name=f"mm{i}").result
        x = g.add_node("onnx.Add", [x, c], result_types=[X], name=f"add{i}").result
        x = g.add_node("onnx.Relu", [x], result_types=[X], name=f"relu{i}").result
    g.outputs = [x]
    return g


def adds(count: int) -> ir.Graph:
    """Return a chain of Adds of fresh inputs, the chained operand now left, now right."""
    g = ir.Graph("adds")
    x = g.add_input("x", X)
    for i in range(count):
        y = g.add_input(f"y{i}", X)
        x = g.add_node("onnx.Add", [x, y] if i % 2 else [y, x], result_types=[X]).result
    g.outputs = [x]
    return g


def found(a: Any, b: Any, c: Any) -> Any:
    return op.Relu(op.Add(op.MatMul(a, b), c))


def fused(a: Any, b: Any, c: Any) -> Any:
    return op.Gemm(a, b, c)


def twelve(*values: Any) -> Any:
    """Twelve Adds, each with the chain on its left."""
    x, *others = values
    for other in others:
        x = op.Add(x, other)
    return x


def chain_rule() -> Any:
    names = ", ".join(f"v{i}" for i in range(13))
    pattern: Callable[..., Any] = eval(f"lambda {names}: twelve({names})", {"twelve": twelve})
    made: Callable[..., Any] = eval(f"lambda {names}: s([{names}])", {"s": op.Sum})
    return rewrite_rule(pattern, made, name="twelve")


WORK: dict[str, Callable[[], Any]] = {
    "declarative rule": lambda: rewrite_rule(
        found, lambda a, b, c: p.op("com.example.Fused")(a, b, c)
    ),
    "Python replacement": lambda: rewrite_rule(found, fused, per_match=True),
    "Python guard that says no": lambda: rewrite_rule(
        found, fused, when=lambda match: match["a"].type.rank == 3
    ),
}


def measure(rule: Any, graph: ir.Graph) -> float:
    start = time.process_time()
    rewrite(graph, rule)
    return time.process_time() - start


def onnxscript_seconds(count: int) -> float | None:
    """Return what onnxscript's rewriter takes for the same, or None when it is not installed."""
    try:
        import onnx
        from onnxscript.rewriter import pattern
        from onnxscript.rewriter import rewrite as apply
    except ImportError:
        return None
    helper = onnx.helper
    nodes, x = [], "x"
    for i in range(count):
        nodes += [
            helper.make_node("MatMul", [x, "w"], [f"m{i}"]),
            helper.make_node("Add", [f"m{i}", "c"], [f"a{i}"]),
            helper.make_node("Relu", [f"a{i}"], [f"r{i}"]),
        ]
        x = f"r{i}"
    info = [
        helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, [4, 4]) for n in ("x", "w", "c")
    ]
    out = helper.make_tensor_value_info(x, onnx.TensorProto.FLOAT, [4, 4])
    model = helper.make_model(helper.make_graph(nodes, "layers", info, [out]))
    rule = pattern.RewriteRule(
        lambda op, a, b, c: op.Relu(op.Add(op.MatMul(a, b), c)),
        lambda op, a, b, c: op.Gemm(a, b, c),
    )
    start = time.process_time()
    apply(model, pattern_rewrite_rules=[rule])
    return time.process_time() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="3000,30000")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    sizes = [int(s) for s in options.sizes.split(",")]
    print("| work, us per match | " + " | ".join(str(s) for s in sizes) + " | growth |")
    print("|---|" + "---|" * (len(sizes) + 1))
    for name, make in WORK.items():
        cells = [
            statistics.median(measure(make(), layers(size)) for _ in range(options.runs))
            / size
            * 1e6
            for size in sizes
        ]
        growth = cells[-1] / cells[0]
        print(f"| {name} | " + " | ".join(f"{c:.2f}" for c in cells) + f" | {growth:.2f} |")
    peer = onnxscript_seconds(sizes[0])
    shown = "not installed" if peer is None else f"{peer / sizes[0] * 1e6:.1f}"
    print(f"| onnxscript's rewriter | {shown} |" + " |" * len(sizes))
    chain = statistics.median(measure(chain_rule(), adds(500)) for _ in range(options.runs))
    print(f"\n12 commutative Adds over a chain of 500: {chain * 1e3:.2f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
