"""Models of ``small/`` by paddle2onnx: ``python test/models/export_paddle.py DIRECTORY [NAME ...]``.

The committed files were written with paddlepaddle 3.3 and paddle2onnx 2.1. Weights are random numbers of a fixed seed.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import onnx
import paddle
from paddle import nn
from paddle.nn import functional as F


class Image(nn.Layer):
    """Convolution, normalisation, pooling, a classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.c = nn.Conv2D(2, 4, 3, padding=1)
        self.b = nn.BatchNorm2D(4)
        self.f = nn.Linear(4, 3)

    def forward(self, x: Any) -> Any:
        y = F.max_pool2d(F.hardswish(self.b(self.c(x))), 2)
        return F.softmax(self.f(F.adaptive_avg_pool2d(y, 1).flatten(1)))


class Recurrent(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.l = nn.LSTM(3, 2, direction="bidirect")

    def forward(self, x: Any) -> Any:
        return self.l(x)[0]


class Control(nn.Layer):
    """A while loop and a branch of the data."""

    def forward(self, x: Any, n: Any) -> Any:
        i = paddle.zeros([1], "int32")
        while i < n:
            x = x * 0.5 + 1
            i = i + 1
        if x.sum() > 0:
            y = x * 2
        else:
            y = x - 1
        return y


class Indexing(nn.Layer):
    def forward(self, x: Any) -> Any:
        top, at = paddle.topk(x, 2)
        filled = paddle.full([paddle.shape(x)[0], 2], 3.0)
        taken = paddle.gather(x, paddle.to_tensor([0, 2]), axis=1)
        return x[:, 1:, ::2], paddle.concat([x, paddle.ones_like(x)], 1), top, at, filled, taken


def _input(shape: list[int | None], kind: str = "float32", name: str = "x") -> Any:
    return paddle.static.InputSpec(shape, kind, name)


MODELS: dict[str, Any] = {
    "paddle_image": (Image, [_input([None, 2, 6, 6])]),
    "paddle_recurrent": (Recurrent, [_input([None, None, 3])]),
    "paddle_control": (Control, [_input([None, 3]), _input([1], "int32", "n")]),
    "paddle_indexing": (Indexing, [_input([None, 3, 4])]),
}


def main(directory: str, names: list[str]) -> None:
    for name in names or MODELS:
        kind, given = MODELS[name]
        paddle.seed(0)
        network = kind()
        network.eval()
        with tempfile.TemporaryDirectory() as scratch:
            paddle.onnx.export(network, f"{scratch}/m", input_spec=given, opset_version=13)
            model = onnx.load(f"{scratch}/m.onnx")
        path = Path(directory) / f"{name}.onnx"
        onnx.save(model, path)
        print(f"{name}: {len(model.graph.node)} nodes, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
