"""Convolutions with groups and without: ``python make_graph.py > graph.mlir``."""

from ge.es import GraphBuilder
from ge.es.nn import Conv2D
from ge.graph import Format, Graph

__all__ = ["make_graph", "make_graphs"]


def make_graph(
    name: str = "main",
    *,
    groups: int = 2,
    bias: bool = False,
    channels: int = 4,
    filters: int = 6,
    pads: tuple[int, ...] = (0, 0, 0, 0),
    stride: int = 1,
    dilation: int = 1,
    data_format: str = "NCHW",
) -> Graph:
    """Return a convolution of 8 by 8 pixels with filters of 3 by 3."""
    builder = GraphBuilder(name)
    nchw = data_format == "NCHW"
    x = builder.create_input(
        0,
        name="x",
        shape=[2, channels, 8, 8] if nchw else [2, 8, 8, channels],
        format=Format.FORMAT_NCHW if nchw else Format.FORMAT_NHWC,
    )
    each = channels // groups
    w = builder.create_input(
        1,
        name="w",
        shape=[filters, each, 3, 3] if nchw else [3, 3, each, filters],
        format=Format.FORMAT_NCHW if nchw else Format.FORMAT_HWCN,
    )
    b = builder.create_input(2, name="b", shape=[filters]) if bias else None
    conv = Conv2D(
        x,
        w,
        b,
        strides=[1, 1, stride, stride] if nchw else [1, stride, stride, 1],
        pads=list(pads),
        dilations=[1, 1, dilation, dilation] if nchw else [1, dilation, dilation, 1],
        groups=groups,
        data_format=data_format,
    )
    return builder.build_and_reset([conv])


def make_graphs() -> list[Graph]:
    """Return two that the pass changes, and two that it leaves alone."""
    return [
        make_graph(),
        make_graph("with_bias", groups=4, filters=4, bias=True, pads=(1, 1, 1, 1), stride=2),
        make_graph("one_group", groups=1),
        make_graph("channels_last", data_format="NHWC"),
    ]


if __name__ == "__main__":
    print("\n".join(graph.to_text() for graph in make_graphs()))
