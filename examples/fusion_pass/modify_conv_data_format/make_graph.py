"""Convolutions and transposes: ``python make_graph.py > graph.mlir``."""

from ge.es import GraphBuilder, TensorHolder
from ge.es.math import Transpose
from ge.es.nn import Conv2D, Conv2DV2, Relu
from ge.graph import Format, Graph

__all__ = ["make_graph", "make_graphs"]

TO_NHWC = [0, 2, 3, 1]
TO_NCHW = [0, 3, 1, 2]


def make_graph(
    name: str = "main",
    *,
    convolutions: int = 1,
    version: int = 1,
    data_format: str = "NCHW",
    perms: tuple[list[int] | None, list[int] | None] = (TO_NHWC, TO_NCHW),
    int64: bool = False,
    constant: bool = True,
    strides: tuple[int, int] = (1, 1),
) -> Graph:
    """Return ``Transpose(Relu(Transpose(Conv2D(x, w), perms[0])), perms[1])``, as often as `convolutions` says.

    The shape of x is not known: its layout will be another one.

    Parameters
    ----------
    name : str
        Of the graph.
    convolutions, version : int
        How many; Conv2D or Conv2DV2.
    data_format : str
    perms : tuple
        None: no Transpose there.
    int64, constant : bool
        Of the permutations, which are inputs when they are not constants.
    strides : tuple of int
    """
    builder = GraphBuilder(name)
    x = builder.create_input(0, name="x")
    inputs = 1

    def turned(tensor: TensorHolder, perm: list[int] | None) -> TensorHolder:
        nonlocal inputs
        if perm is None:
            return tensor
        if not constant:
            inputs += 1
            return Transpose(tensor, builder.create_input(inputs - 1, name=f"perm{inputs}"))
        create = builder.create_vector_int64 if int64 else builder.create_const_int32
        return Transpose(tensor, create(perm))

    for i in range(convolutions):
        w = builder.create_input(
            inputs, name=f"w{i}", shape=[2, 2, 3, 3], format=Format.FORMAT_NCHW
        )
        inputs += 1
        conv = (Conv2D if version == 1 else Conv2DV2)(
            x,
            w,
            strides=[1, 1, *strides] if data_format == "NCHW" else [1, *strides, 1],
            pads=[0, 0, 0, 0],
            data_format=data_format,
        )
        conv._get_node_snapshot().name = f"conv{i}"
        x = turned(Relu(turned(conv, perms[0])), perms[1])
    return builder.build_and_reset([x])


def make_graphs() -> list[Graph]:
    """Return four that the pass changes, two of them without transposes to take out, and one that it leaves alone."""
    return [
        make_graph(),
        make_graph("two", convolutions=2, version=2, int64=True),
        make_graph("other_perms", perms=([0, 1, 2, 3], TO_NCHW)),
        make_graph("not_constant", constant=False),
        make_graph("channels_last", data_format="NHWC"),
    ]


if __name__ == "__main__":
    print("\n".join(graph.to_text() for graph in make_graphs()))
