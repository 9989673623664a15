"""torch.fx's `replace_pattern`."""

from __future__ import annotations

import torch
from torch.fx import GraphModule, replace_pattern, symbolic_trace

from rewriters import Rewriter, Work


class Pattern(torch.nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return torch.relu(torch.add(torch.matmul(a, b), c))


class Replacement(torch.nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return torch.addmm(c, a, b)


def layers(count: int) -> GraphModule:
    graph = torch.fx.Graph()
    x, w, c = (graph.placeholder(name) for name in ("x", "w", "c"))
    for _ in range(count):
        product = graph.call_function(torch.matmul, (x, w))
        x = graph.call_function(torch.relu, (graph.call_function(torch.add, (product, c)),))
    graph.output(x)
    return GraphModule(torch.nn.Module(), graph)


class TorchFX(Rewriter):
    """Declarative rules only: the replacement is traced once."""

    def rule(self, count: int) -> Work:
        module = layers(count)
        before, after = symbolic_trace(Pattern()), symbolic_trace(Replacement())
        return Work(lambda: replace_pattern(module, before, after), len)

    def callback(self, count: int) -> None:
        return None


def create(_: str) -> TorchFX:
    return TorchFX()
