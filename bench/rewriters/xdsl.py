"""xDSL's pattern rewriter: patterns are Python classes."""

from __future__ import annotations

from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp, UnregisteredOp
from xdsl.dialects.func import Func
from xdsl.parser import Parser
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern

from rewriters import Rewriter, Work

T = "tensor<4x4xf32>"
FUSED = UnregisteredOp.with_name("com.example.Fused")


def name(op: Any) -> str:
    return str(op.op_name.data) if isinstance(op, UnregisteredOp) else ""


def layers(count: int) -> ModuleOp:
    lines = [f"func.func @main(%x: {T}, %w: {T}, %c: {T}) -> {T} {{"]
    x = "%x"
    for i in range(count):
        lines.append(f'%m{i} = "onnx.MatMul"({x}, %w) : ({T}, {T}) -> {T}')
        lines.append(f'%a{i} = "onnx.Add"(%m{i}, %c) : ({T}, {T}) -> {T}')
        lines.append(f'%r{i} = "onnx.Relu"(%a{i}) : ({T}) -> {T}')
        x = f"%r{i}"
    context = Context(allow_unregistered=True)
    context.load_dialect(Builtin)
    context.load_dialect(Func)
    return Parser(context, "\n".join([*lines, f"func.return {x} : {T}", "}"])).parse_module()


class Fuse(RewritePattern):
    """Fuse MatMul, Add, Relu if `accept` is set; else only count the matches."""

    def __init__(self, accept: bool) -> None:
        self.accept = accept
        self.found = 0

    def match_and_rewrite(self, op: Any, rewriter: PatternRewriter) -> None:
        if name(op) != "onnx.Relu":
            return
        add = op.operands[0].owner
        if name(add) != "onnx.Add":
            return
        product = add.operands[0].owner
        if name(product) != "onnx.MatMul":
            return
        self.found += 1
        if not self.accept:
            return
        new = FUSED.create(
            operands=[*product.operands, add.operands[1]], result_types=[op.results[0].type]
        )
        rewriter.replace_op(op, new)
        rewriter.erase_op(add)
        rewriter.erase_op(product)


class XDSL(Rewriter):
    """A single walk of the pattern rewriter."""

    def rule(self, count: int) -> None:
        return None

    def work(self, count: int, accept: bool) -> Work:
        module, fuse = layers(count), Fuse(accept)

        walker = PatternRewriteWalker(fuse, apply_recursively=False)
        return Work(lambda: walker.rewrite_module(module), lambda _: fuse.found)

    def callback(self, count: int) -> Work:
        return self.work(count, True)

    def refuse(self, count: int) -> Work:
        return self.work(count, False)


def create(_: str) -> XDSL:
    return XDSL()
