"""MLIR's pattern drivers through its Python bindings: patterns in PDL, and Python functions."""

from __future__ import annotations

from typing import Any

from iree.compiler import ir, rewrite
from iree.compiler.dialects import func, pdl  # noqa: F401 (registers the dialect)

from rewriters import Rewriter, Work

RULE = """
module {{
  pdl.pattern @fuse : benefit(1) {{
    %a = operand
    %b = operand
    %c = operand
    %t = type
    %product = operation "onnx.MatMul"(%a, %b : !pdl.value, !pdl.value) -> (%t : !pdl.type)
    %r0 = result 0 of %product
    %sum = operation "onnx.Add"(%r0, %c : !pdl.value, !pdl.value) -> (%t : !pdl.type)
    %r1 = result 0 of %sum
    %relu = operation "onnx.Relu"(%r1 : !pdl.value) -> (%t : !pdl.type)
    {condition}
    rewrite %relu {{
      {made}
      erase %sum
      erase %product
    }}
  }}
}}
"""
OPERATION = """
      %new = operation "com.example.Fused"(%a, %b, %c : !pdl.value, !pdl.value, !pdl.value) -> (%t : !pdl.type)
      replace %relu with %new
"""
CALL = """
      apply_native_rewrite "fuse"(%relu, %a, %b, %c : !pdl.operation, !pdl.value, !pdl.value, !pdl.value)
"""
CONDITION = """
    apply_native_constraint "refuse"(%a : !pdl.value)
"""
T = "tensor<4x4xf32>"


class MLIR(Rewriter):
    """The walk driver, or the greedy driver, which also folds and erases dead operations.

    The module is built through the API, as GE's graph is. ``walk_text`` parses it instead: each operation then has its
    own location, which costs the driver more.
    """

    def __init__(self, driver: str) -> None:
        self.driver, _, source = driver.partition("_")
        self.parses = source == "text"
        self.context = ir.Context()
        self.context.allow_unregistered_dialects = True
        self.context.__enter__()
        ir.Location.unknown().__enter__()

    def layers(self, count: int) -> ir.Module:
        if self.parses:
            return self.parsed(count)
        module = ir.Module.create()
        t = ir.Type.parse(T)
        with ir.InsertionPoint(module.body):
            main = func.FuncOp("main", ([t] * 3, [t]))
            block = main.add_entry_block()
        x, w, c = block.arguments
        with ir.InsertionPoint(block):
            for _ in range(count):
                x = ir.Operation.create("onnx.MatMul", results=[t], operands=[x, w]).result
                x = ir.Operation.create("onnx.Add", results=[t], operands=[x, c]).result
                x = ir.Operation.create("onnx.Relu", results=[t], operands=[x]).result
            func.ReturnOp([x])
        return module

    def parsed(self, count: int) -> ir.Module:
        lines = [f"func.func @main(%x: {T}, %w: {T}, %c: {T}) -> {T} {{"]
        x = "%x"
        for i in range(count):
            lines.append(f'%m{i} = "onnx.MatMul"({x}, %w) : ({T}, {T}) -> {T}')
            lines.append(f'%a{i} = "onnx.Add"(%m{i}, %c) : ({T}, {T}) -> {T}')
            lines.append(f'%r{i} = "onnx.Relu"(%a{i}) : ({T}) -> {T}')
            x = f"%r{i}"
        return ir.Module.parse("\n".join([*lines, f"return {x} : {T}", "}"]))

    def work(self, count: int, patterns: Any, *alive: Any) -> Work:
        module = self.layers(count)

        def run() -> Any:
            if self.driver == "walk":
                rewrite.walk_and_apply_patterns(module.operation, patterns)
            else:
                rewrite.apply_patterns_and_fold_greedily(module, patterns)
            # The patterns refer to the module that defines them; this closure keeps it alive.
            return alive

        def found(_: Any) -> int:
            body = module.body.operations[0].regions[0].blocks[0]
            return sum(each.name == "com.example.Fused" for each in body.operations)

        return Work(run, found)

    def patterns(self, text: str) -> tuple[ir.Module, Any]:
        module = ir.Module.parse(text)
        return module, rewrite.PDLModule(module)

    def rule(self, count: int) -> Work:
        module, patterns = self.patterns(RULE.format(condition="", made=OPERATION))
        return self.work(count, patterns.freeze(), module, patterns)

    # The same work as `rule`: nothing here corresponds to the rollback and verification of GE's pass manager.
    managed = rule

    def small(self, count: int) -> Work:
        module, patterns = self.patterns(RULE.format(condition="", made=OPERATION))
        frozen = patterns.freeze()
        works = [self.work(3, frozen, module, patterns) for _ in range(count)]
        return Work(
            lambda: [work.run() for work in works],
            lambda _: sum(work.found(None) for work in works) // 3,
        )

    def callback(self, count: int) -> Work:
        def fuse(rewriter: Any, _: Any, values: Any) -> None:
            relu, *operands = values
            with rewriter.ip:
                new = ir.Operation.create(
                    "com.example.Fused", results=[relu.results[0].type], operands=operands
                )
            rewriter.replace_op(relu, new)

        module, patterns = self.patterns(RULE.format(condition="", made=CALL))
        patterns.register_rewrite_function("fuse", fuse)
        return self.work(count, patterns.freeze(), module, patterns)

    def refuse(self, count: int) -> Work:
        asked = 0

        def refused(*_: Any) -> bool:
            nonlocal asked
            asked += 1
            return True

        module, patterns = self.patterns(RULE.format(condition=CONDITION, made=OPERATION))
        patterns.register_constraint_function("refuse", refused)
        work = self.work(count, patterns.freeze(), module, patterns)
        return Work(work.run, lambda _: asked)


def create(driver: str) -> MLIR:
    return MLIR(driver)
