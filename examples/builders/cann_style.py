"""CANN's eager style: a grouped convolution decomposed, a fused product, and an If: ``python examples/builders/cann_style.py``.

Files of CANN that build graphs so run as they are; numbers beside a tensor become constants in CANN's way.
"""

from ge.es import GraphBuilder, TensorHolder
from ge.es.graph_builder import attr_scope
from ge.es.math import GEMM, Concat, If, MatMul, Split
from ge.es.nn import Conv2D, Relu
from ge.graph import DataType, Format, Graph, TensorDesc


def grouped_convolution(groups: int) -> Graph:
    """Return one convolution for each group, beside each other."""
    builder = GraphBuilder("grouped_convolution")
    x = builder.create_input(0, name="x", shape=[1, 4, 8, 8], format=Format.FORMAT_NCHW)
    weight = builder.create_input(1, name="filter", shape=[4, 2, 3, 3], format=Format.FORMAT_NCHW)
    convolutions = []
    parts = Split(1, x, groups, num_split=groups)
    kernels = Split(0, weight, groups, num_split=groups)
    for part, kernel in zip(parts, kernels, strict=True):
        convolution = Conv2D(
            part,
            kernel,
            strides=[1, 1, 1, 1],
            pads=[1, 1, 1, 1],
            dilations=[1, 1, 1, 1],
            groups=1,
            data_format="NCHW",
        )
        node = convolution._get_node_snapshot()
        node.update_output_desc(0, TensorDesc([1, 2, 8, 8], Format.FORMAT_NCHW, DataType.DT_FLOAT))
        convolutions.append(convolution)
    return builder.build_and_reset([Concat(1, convolutions, N=groups)])


def fused_product() -> Graph:
    """Return what CANN's first sample makes of ``MatMul(a, b) + c``."""
    builder = GraphBuilder("fused_product")
    a, b, c = (builder.create_input(i, shape=[4, 4]) for i in range(3))
    with attr_scope({"_stream_label": "cube"}):
        product = GEMM(a, b, c, 1.0, 1.0, transpose_a=False, transpose_b=True)
    return builder.build_and_reset([Relu(product) * 2.0])


def branch(name: str, negative: bool) -> Graph:
    """Return a branch of `choice`."""
    builder = GraphBuilder(name)
    x: TensorHolder = builder.create_input(0, shape=[4, 4])
    return builder.build_and_reset([0.0 - x if negative else MatMul(x, x)])


def choice() -> Graph:
    """Return a graph with a branch for each answer."""
    builder = GraphBuilder("choice")
    flag = builder.create_input(0, name="flag", data_type=DataType.DT_BOOL, shape=[])
    x = builder.create_input(1, name="x", shape=[4, 4])
    made = If(flag, [x], 1, branch("then", negative=True), branch("else", negative=False))
    return builder.build_and_reset(made)


if __name__ == "__main__":
    for graph in (grouped_convolution(2), fused_product(), choice()):
        print(graph)
