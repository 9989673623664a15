"""A node between transposes: ``python make_graph.py > graph.mlir``."""

from ge.es import GraphBuilder, TensorHolder
from ge.es.math import Transpose
from ge.es.nn import Conv2D, Relu
from ge.graph import Format, Graph

__all__ = ["make_graph", "make_graphs"]

LAYOUTS = {
    4: (Format.FORMAT_NHWC, Format.FORMAT_NCHW, [0, 3, 1, 2], [0, 2, 3, 1]),
    5: (Format.FORMAT_NDHWC, Format.FORMAT_NCDHW, [0, 4, 1, 2, 3], [0, 2, 3, 4, 1]),
}


def make_graph(
    name: str = "main",
    *,
    node: str = "conv",
    shape: tuple[int, ...] = (1, 6, 5, 2),
    used: str = "",
    perm: list[int] | None = None,
    shared: bool = False,
    first: bool = True,
) -> Graph:
    """Return ``Transpose(node(Transpose(x)))``: x is NHWC (NDHWC with five sizes), the node works in NCHW.

    Parameters
    ----------
    name : str
        Of the graph.
    node : str
        ``"conv"`` or ``"relu"``, which is its name, too.
    shape : tuple of int
        Of x.
    used : str
        ``"before"``, ``"after"`` or ``"node"``: Relu of the first Transpose, of the second or of the node is an output, too.
    perm : list of int, optional
        Of the first Transpose, instead of the right one.
    shared : bool
        The permutation of the second Transpose is an output, too.
    first : bool
        Else there is no first Transpose, and x is NCHW.
    """
    builder = GraphBuilder(name)
    last, inner, there, back = LAYOUTS[len(shape)]
    if not first:
        shape = tuple(shape[i] for i in there)
    value = builder.create_input(0, name="x", shape=list(shape), format=last if first else inner)
    places: dict[str, TensorHolder] = {}
    if first:
        value = Transpose(value, builder.create_vector_int64(perm or there)).set_format(inner)
        value._get_node_snapshot().name = "before"
        places["before"] = value
    if node == "conv":
        channels = value.value.type.shape[1]
        w = builder.create_input(1, name="w", shape=[2, channels, 3, 3], format=Format.FORMAT_NCHW)
        value = Conv2D(
            value,
            w,
            strides=[1, 1, 2, 1],
            pads=[0, 0, 0, 0],
            dilations=[1, 1, 1, 1],
            data_format="NCHW",
        )
    else:
        value = Relu(value)
    value.set_format(inner)._get_node_snapshot().name = node
    places["node"] = value
    order = builder.create_const_int32(back)
    value = Transpose(value, order).set_format(last)
    value._get_node_snapshot().name = "after"
    places["after"] = value
    outputs = [value]
    if used:
        outputs.append(Relu(places[used]).set_format(last if used == "after" else inner))
    if shared:
        outputs.append(order)
    return builder.build_and_reset(outputs)


def make_graphs() -> list[Graph]:
    """Return one in which the layouts of ``formats.cfg`` can be had, and two in which they cannot."""
    return [
        make_graph(),
        make_graph("without_the_first", first=False),
        make_graph("used_twice", used="before"),
    ]


if __name__ == "__main__":
    print("\n".join(graph.to_text() for graph in make_graphs()))
