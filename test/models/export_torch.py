"""Models of ``small/`` by both exporters of PyTorch: ``python test/models/export_torch.py DIRECTORY [NAME ...]``.

The committed files were written with torch 2.13 and onnxscript 0.7. Weights are random numbers of a fixed seed.
"""

import contextlib
import io
import sys
import warnings
from pathlib import Path
from typing import Any

import onnx
import torch
from torch import nn
from torch.nn import functional as F


class Image(nn.Module):
    """Convolutions, norms, pooling, upsampling by a scale, padding that reflects."""

    def __init__(self) -> None:
        super().__init__()
        self.c = nn.Conv2d(2, 4, 3, padding=1, groups=2)
        self.b = nn.BatchNorm2d(4)
        self.g = nn.GroupNorm(2, 4)
        self.t = nn.ConvTranspose2d(4, 2, 3, stride=2, padding=1, output_padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.hardswish(self.b(self.c(F.pad(x, (1, 1, 0, 1), mode="reflect"))))
        y = F.interpolate(self.g(y), scale_factor=1.5, mode="bilinear", align_corners=False)
        y = F.max_pool2d(self.t(y), 3, 2, 1, ceil_mode=True)
        return F.adaptive_avg_pool2d(y, 1).flatten(1)


class Words(nn.Module):
    """An embedding, an LSTM and a GRU, and the last state of each."""

    def __init__(self) -> None:
        super().__init__()
        self.e = nn.Embedding(7, 3)
        self.l = nn.LSTM(3, 2, bidirectional=True, batch_first=True)
        self.g = nn.GRU(4, 3, batch_first=True)

    def forward(self, words: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y, (h, _) = self.l(self.e(words))
        return self.g(y)[0][:, -1], h


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Linear(4, 12)
        self.n = nn.LayerNorm(4)
        self.o = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, _ = x.shape
        q, k, v = (s.view(b, t, 2, 2).transpose(1, 2) for s in self.a(self.n(x)).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + F.gelu(self.o(y.transpose(1, 2).reshape(b, t, 4)))


class Indexing(nn.Module):
    """Views, slices with steps, masks, gathers, scatters, sorting, sizes that are computed."""

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        b, n = x.shape[0], x.shape[1]
        y = x.view(b, n, 2, -1).permute(0, 2, 1, 3).reshape(b, 2 * n, -1)
        order = torch.arange(n, device=x.device).flip(0)
        z = x[:, order][..., ::2].masked_fill(x[..., ::2] > 1, -1.0)
        top, at = x.topk(2, dim=-1)
        s = torch.zeros_like(x).scatter_add(-1, at, top)
        w = torch.where(x > 0, x, x.new_full((), 0.5)).cumsum(1)
        return y, z, s, w, torch.cat([x.mean((1, 2)), x.amax((1, 2))]), torch.tril(x.new_ones(n, n))


class Quantised(nn.Module):
    """Fake quantisation of a tensor and of channels, as training with it leaves it."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.randn(4, 3))
        self.register_buffer("scale", torch.tensor([0.01, 0.02, 0.03, 0.04]))
        self.register_buffer("zero", torch.zeros(4, dtype=torch.int32))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.fake_quantize_per_tensor_affine(x, 0.05, 3, 0, 255)
        w = torch.fake_quantize_per_channel_affine(self.w, self.scale, self.zero, 0, -128, 127)
        return torch.relu(F.linear(x, w))


class Looped(nn.Module):
    """A loop whose turns are a size, and a branch of the data, by TorchScript."""

    def __init__(self) -> None:
        super().__init__()
        self.l = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows = []
        y = x[0]
        for i in range(x.size(0)):
            y = torch.tanh(self.l(y)) + x[i]
            rows.append(y)
        z = torch.stack(rows)
        if bool(z.sum() > 0):
            z = z * 2
        else:
            z = z.softmax(-1)
        return z


class Branch(nn.Module):
    """torch.cond and a while loop of the newer exporter."""

    def __init__(self) -> None:
        super().__init__()
        self.l = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda v: self.l(v).relu(), lambda v: v.exp() - 1, (x,))


class Half(nn.Module):
    """Weights in f16, with norms and softmax in f32."""

    def __init__(self) -> None:
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.n = nn.LayerNorm(4)
        self.half()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.l(x.half())
        y = F.layer_norm(y.float(), (4,), self.n.weight.float(), self.n.bias.float()).half()
        return y.float().softmax(-1).type_as(y) @ self.l.weight


class Functions(nn.Module):
    """Two blocks that the older exporter keeps as functions of the model."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = Attention(), Attention()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.b(self.a(x))


def _network(kind: type[nn.Module]) -> nn.Module:
    torch.manual_seed(0)
    network = kind().eval()
    for buffer in network.buffers():
        if buffer.is_floating_point() and buffer.numel() and "Quantised" not in kind.__name__:
            buffer.uniform_(0.5, 1.5)
    return network


def _script(
    kind: type[nn.Module], given: tuple[Any, ...], free: dict[str, Any], **options: Any
) -> Any:
    network: Any = _network(kind)
    if options.pop("scripted", False):
        network = torch.jit.script(network)
    stream = io.BytesIO()
    options = {"opset_version": 17, "input_names": list(free), "dynamic_axes": free, **options}
    with torch.no_grad():
        torch.onnx.export(network, given, stream, dynamo=False, **options)
    return onnx.load_from_string(stream.getvalue())


def _dynamo(
    kind: type[nn.Module], given: tuple[Any, ...], free: dict[str, Any], **options: Any
) -> Any:
    shapes = tuple(dict.fromkeys(axes, torch.export.Dim.DYNAMIC) for axes in free.values())
    with contextlib.redirect_stdout(io.StringIO()), torch.no_grad():
        program = torch.onnx.export(
            _network(kind), given, dynamo=True, dynamic_shapes=shapes, input_names=list(free), verbose=False, **options
        )  # fmt: skip
    model = program.model_proto
    for node in [*model.graph.node, *(n for f in model.functions for n in f.node)]:
        del node.metadata_props[:]  # stack traces, with paths of files
    for value in [
        *model.graph.value_info,
        *model.graph.input,
        *model.graph.output,
        *model.graph.initializer,
    ]:
        del value.metadata_props[:]
    del model.graph.metadata_props[:]
    del model.metadata_props[:]
    return model


def _hummingbird() -> Any:
    """Trees as products of matrices, which Hummingbird gives to the older exporter."""
    import hummingbird.ml
    import numpy as np
    from sklearn.ensemble import RandomForestClassifier

    x = np.random.default_rng(0).standard_normal((60, 4)).astype(np.float32)
    forest = RandomForestClassifier(n_estimators=2, max_depth=2, random_state=0).fit(
        x, x[:, 0] > x[:, 1]
    )
    network = hummingbird.ml.convert(forest, "torch", x).model
    stream = io.BytesIO()
    torch.onnx.export(
        network, torch.from_numpy(x[:2]), stream, dynamo=False, opset_version=17, input_names=["x"], dynamic_axes={"x": {0: "sym"}}
    )  # fmt: skip
    return onnx.load_from_string(stream.getvalue())


def _x(*shape: int) -> torch.Tensor:
    return torch.linspace(-1, 1, int(torch.tensor(shape).prod())).view(shape)


_IMAGE = (_x(2, 2, 5, 5),), {"x": {0: "batch"}}
_WORDS = (torch.arange(6).view(2, 3),), {"words": {0: "batch", 1: "time"}}
_TOKENS = (_x(2, 3, 4),), {"x": {0: "batch", 1: "time"}}
_ROWS = (_x(2, 3),), {"x": {0: "batch"}}

MODELS: dict[str, Any] = {
    "script_image11": lambda: _script(Image, *_IMAGE, opset_version=11, do_constant_folding=False),
    "script_words": lambda: _script(Words, *_WORDS, opset_version=14),
    "script_functions": lambda: _script(
        Functions, *_TOKENS, export_modules_as_functions={Attention}
    ),
    "script_quantised": lambda: _script(Quantised, *_ROWS),
    "script_looped": lambda: _script(Looped, *_ROWS, scripted=True),
    "script_half": lambda: _script(Half, (_x(2, 4),), {"x": {0: "batch"}}),
    "dynamo_image": lambda: _dynamo(Image, *_IMAGE),
    "dynamo_words": lambda: _dynamo(Words, _WORDS[0], {"words": {1: "time"}}),
    "dynamo_attention": lambda: _dynamo(Attention, *_TOKENS, opset_version=23),
    "dynamo_indexing": lambda: _dynamo(Indexing, *_TOKENS),
    "dynamo_branch": lambda: _dynamo(Branch, *_ROWS),
    "hummingbird": _hummingbird,
    "dynamo_half": lambda: _dynamo(Half, (_x(2, 4),), {"x": {0: "batch"}}),
}


def main(directory: str, names: list[str]) -> None:
    warnings.simplefilter("ignore")
    for name in names or MODELS:
        model = MODELS[name]()
        path = Path(directory) / f"{name}.onnx"
        onnx.save(model, path)
        print(f"{name}: {len(model.graph.node)} nodes, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
