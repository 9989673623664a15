"""OpenVINO's matcher passes, written in Python."""

from __future__ import annotations

from typing import Any

from openvino import Model, Type
from openvino import opset13 as ops
from openvino.passes import AnyInput, Manager, Matcher, MatcherPass, WrapType
from openvino.utils import replace_node

from rewriters import Rewriter, Work


def layers(count: int) -> Model:
    x, w, c = (ops.parameter([4, 4], Type.f32, n) for n in ("x", "w", "c"))
    at: Any = x
    for _ in range(count):
        at = ops.relu(ops.add(ops.matmul(at, w, False, False), c))
    return Model([at], [x, w, c], "main")


class Fuse(MatcherPass):
    """Replace MatMul, Add, Relu with a Sigmoid of MatMul's first operand: OpenVINO has no unregistered operators."""

    def __init__(self, accept: bool) -> None:
        super().__init__()
        self.found = 0
        a, b, c = AnyInput(), AnyInput(), AnyInput()
        product = WrapType("opset13.MatMul", [a, b])
        relu = WrapType("opset13.Relu", [WrapType("opset13.Add", [product, c])])

        def callback(matcher: Matcher) -> bool:
            self.found += 1
            if not accept:
                return False
            root = matcher.get_match_root()
            source = matcher.get_pattern_value_map()[a]
            replace_node(root, ops.sigmoid(source))
            return True

        self.register_matcher(Matcher(relu, "Fuse"), callback)


class OpenVINO(Rewriter):
    """Matcher passes with a Python callback; declarative rules exist in C++ only."""

    def rule(self, count: int) -> None:
        return None

    def work(self, count: int, accept: bool) -> Work:
        model, manager = layers(count), Manager()
        fuse = manager.register_pass(Fuse(accept))

        return Work(lambda: manager.run_passes(model), lambda _: int(fuse.found))

    def callback(self, count: int) -> Work:
        return self.work(count, True)

    def refuse(self, count: int) -> Work:
        return self.work(count, False)


def create(_: str) -> OpenVINO:
    return OpenVINO()
