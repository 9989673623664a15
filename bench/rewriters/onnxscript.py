"""onnxscript's rewriter."""

from __future__ import annotations

from typing import Any

import onnx
import onnx_ir
from onnxscript.rewriter import pattern

from rewriters import Rewriter, Work

helper = onnx.helper


def info(name: str) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [4, 4])


def model(nodes: list[onnx.NodeProto], inputs: list[str], output: str) -> onnx_ir.Model:
    graph = helper.make_graph(nodes, "main", [info(n) for n in inputs], [info(output)])
    return onnx_ir.from_proto(helper.make_model(graph))


def layers(count: int) -> onnx_ir.Model:
    nodes, x = [], "x"
    for i in range(count):
        nodes += [
            helper.make_node("MatMul", [x, "w"], [f"m{i}"], f"mm{i}"),
            helper.make_node("Add", [f"m{i}", "c"], [f"a{i}"], f"add{i}"),
            helper.make_node("Relu", [f"a{i}"], [f"r{i}"], f"relu{i}"),
        ]
        x = f"r{i}"
    return model(nodes, ["x", "w", "c"], x)


def found(op: Any, a: Any, b: Any, c: Any) -> Any:
    return op.Relu(op.Add(op.MatMul(a, b), c))


def fused(op: Any, a: Any, b: Any, c: Any) -> Any:
    return op.Gemm(a, b, c)


class Onnxscript(Rewriter):
    """All its rules call a Python function for each match."""

    def work(self, graph: onnx_ir.Model, rule: Any, commute: bool = False) -> Work:
        rules = pattern.RewriteRuleSet([rule], commute=commute)
        return Work(lambda: rules.apply_to_model(graph), int)

    def rule(self, count: int) -> None:
        return None

    def callback(self, count: int) -> Work:
        return self.work(layers(count), pattern.RewriteRule(found, fused))

    def refuse(self, count: int) -> Work:
        asked = 0

        def refused(_: Any, **values: Any) -> bool:
            nonlocal asked
            asked += 1
            return False

        run = self.work(layers(count), pattern.RewriteRule(found, fused, refused)).run
        return Work(run, lambda _: asked)

    def chain(self, length: int, wanted: int) -> Work:
        nodes = [
            helper.make_node("Add", [x, f"y{i}"] if i % 2 else [f"y{i}", x], [f"a{i}"])
            for i, x in enumerate(["x", *(f"a{i}" for i in range(length - 1))])
        ]
        names = ", ".join(f"v{i}" for i in range(wanted + 1))

        def left(op: Any, x: Any, *others: Any) -> Any:
            for other in others:
                x = op.Add(x, other)
            return x

        before = eval(f"lambda op, {names}: left(op, {names})", {"left": left})
        after = eval(f"lambda op, {names}: op.Sum({names})")
        graph = model(nodes, ["x", *(f"y{i}" for i in range(length))], f"a{length - 1}")
        return self.work(graph, pattern.RewriteRule(before, after), commute=True)


def create(_: str) -> Onnxscript:
    return Onnxscript()
