"""CANN's operators in NumPy, as far as the pass samples use them, to compare a graph before and after a pass.

Written from the operators' definitions only. An unsupported operator is an error, never skipped.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import ge.ir as ir

__all__ = ["evaluate", "kernel_of", "random_inputs"]

Array = np.ndarray[Any, Any]
_kernels: dict[str, Callable[..., Any]] = {}


def evaluate(graph: ir.Graph, inputs: Sequence[Array]) -> list[Array]:
    """Return the outputs of a graph for its inputs, in float64 where the graph has floats."""
    copy = graph.clone()
    copy.sort()
    results = dict(zip(copy.inputs, map(_widened, inputs), strict=True))
    for node in copy.nodes:
        if node.type in ("Const", "Constant"):
            made: Any = _widened(np.asarray(node.attributes["value"].numpy()))
        else:
            operands = [None if v is None else results[v] for v in node.operands]
            attributes = {name: node.get_attr(name) for name in node.attributes if "." not in name}
            attributes["formats"] = [getattr(v and v.type, "format", None) for v in node.operands]
            made = _kernels[node.type](attributes, *operands)
        for value, array in zip(
            node.results, made if isinstance(made, list) else [made], strict=True
        ):
            results[value] = array
            _check_type(value, array)
    return [results[v] for v in copy.outputs]


def kernel_of(op: str) -> Callable[..., Any] | None:
    """Return the function for an operator of CANN, called with a dict of attributes and arrays; None if unknown."""
    domain, _, name = op.rpartition(".")
    return None if domain == "onnx" else _kernels.get(name)


def _widened(array: Array) -> Array:
    return array if array.dtype.kind in "iub" else array.astype(np.float64)


def _check_type(value: ir.Value, array: Array) -> None:
    """Check that the computed array has the static sizes of the value's type."""
    if not isinstance(value.type, ir.TensorType) or value.type.shape is None:
        return
    shape = value.type.shape
    fits = len(shape) == array.ndim and all(
        size == have for size, have in zip(shape, array.shape, strict=True) if isinstance(size, int)
    )
    assert fits, f"{value.node} promises {value.type} and gives {array.shape}"


def random_inputs(graph: ir.Graph, seed: int = 0, **sizes: int) -> list[Array]:
    """Return a random array for each input of a graph.

    `sizes` gives unknown sizes as ``<input>_<dimension>``, default 3; for an input of unknown rank, all sizes.
    """
    random = np.random.default_rng(seed)
    arrays: list[Array] = []
    for value in graph.inputs:
        assert isinstance(value.type, ir.TensorType)
        known = value.type.shape
        if known is None:
            known = (None,) * sum(name.rpartition("_")[0] == value.name for name in sizes)
        shape = [
            d if isinstance(d, int) else sizes.get(f"{value.name}_{i}", 3)
            for i, d in enumerate(known)
        ]
        arrays.append(random.uniform(-1, 1, shape))
    return arrays


def _kernel(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        _kernels.update(dict.fromkeys(names, function))
        return function

    return add


def _turned(array: Array, turn: bool) -> Array:
    return np.swapaxes(array, -1, -2) if turn else array


@_kernel("MatMul", "MatMulV2", "MatMulV3")
def _matmul(attributes: Any, a: Array, b: Array, bias: Any = None, offset: Any = None) -> Array:
    made = _turned(a, attributes.get("transpose_x1", False)) @ _turned(
        b, attributes.get("transpose_x2", False)
    )
    assert offset is None and not attributes.get("offset_x", 0)
    return made if bias is None else made + bias


@_kernel("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def _batch_matmul(attributes: Any, a: Array, b: Array, bias: Any = None, offset: Any = None) -> Any:
    made = _turned(a, attributes.get("adj_x1", False)) @ _turned(b, attributes.get("adj_x2", False))
    assert offset is None and not attributes.get("offset_x", 0)
    return made if bias is None else made + bias


@_kernel("GEMM")
def _gemm(attributes: Any, a: Array, b: Array, c: Array, alpha: Array, beta: Array) -> Array:
    a = _turned(a, attributes.get("transpose_a", False))
    b = _turned(b, attributes.get("transpose_b", False))
    return np.asarray(alpha * (a @ b) + beta * c)


@_kernel("Add", "AddCustom")
def _add(attributes: Any, a: Array, b: Array) -> Array:
    return np.asarray(a + b)


@_kernel("Mul")
def _mul(attributes: Any, a: Array, b: Array) -> Array:
    return np.asarray(a * b)


@_kernel("Relu")
def _relu(attributes: Any, x: Array) -> Array:
    return np.maximum(x, 0)


@_kernel("Identity", "TensorMove")
def _identity(attributes: Any, x: Array) -> Array:
    return x


@_kernel("ReduceSumD")
def _reduce_sum(attributes: Any, x: Array) -> Array:
    axes = tuple(attributes["axes"])
    return np.asarray(x.sum(axes, keepdims=attributes.get("keep_dims", False)))


@_kernel("Reshape")
def _reshape(attributes: Any, x: Array, shape: Array) -> Array:
    assert attributes.get("axis", 0) == 0 and attributes.get("num_axes", -1) == -1
    sizes = [x.shape[i] if size == 0 else int(size) for i, size in enumerate(shape)]
    return np.reshape(x, sizes)


@_kernel("Transpose")
def _transpose(attributes: Any, x: Array, perm: Array) -> Array:
    return x.transpose(perm.tolist())


@_kernel("Tile")
def _tile(attributes: Any, x: Array, multiples: Array) -> Array:
    return np.tile(x, multiples.tolist())


@_kernel("Shape")
def _shape(attributes: Any, x: Array) -> Array:
    return np.array(x.shape, np.int64)


@_kernel("Slice")
def _slice(attributes: Any, x: Array, offsets: Array, sizes: Array) -> Array:
    places = zip(offsets.tolist(), sizes.tolist(), strict=True)
    return x[tuple(slice(at, None if size < 0 else at + size) for at, size in places)]


@_kernel("Concat")
def _concat(attributes: Any, dim: Array, *xs: Array) -> Array:
    assert attributes.get("N", 1) == len(xs)
    return np.concatenate(xs, int(dim.item()))


@_kernel("ConcatV2")
def _concat_v2(attributes: Any, *operands: Array) -> Array:
    return _concat(attributes, operands[-1], *operands[:-1])


@_kernel("ConcatV2D", "ConcatD")
def _concat_d(attributes: Any, *xs: Array) -> Array:
    assert attributes.get("N", 1) == len(xs)
    return np.concatenate(xs, attributes["concat_dim"])


@_kernel("Pack")
def _pack(attributes: Any, *xs: Array) -> Array:
    assert attributes["N"] == len(xs)
    return np.stack(xs, attributes.get("axis", 0))


@_kernel("Split")
def _split(attributes: Any, dim: Array, x: Array) -> list[Array]:
    return np.split(x, attributes["num_split"], int(dim.item()))


@_kernel("SplitV")
def _split_v(attributes: Any, x: Array, sizes: Array, dim: Array) -> list[Array]:
    axis = int(dim.item())
    assert len(sizes) == attributes["num_split"] and sizes.sum() == x.shape[axis]
    return np.split(x, np.cumsum(sizes)[:-1], axis)


@_kernel("Squeeze")
def _squeeze(attributes: Any, x: Array) -> Array:
    return np.squeeze(x, tuple(attributes.get("axis", [])) or None)


@_kernel("Conv2D", "Conv2DV2")
def _conv2d(attributes: Any, x: Array, w: Array, bias: Any = None, offset: Any = None) -> Array:
    """The attribute gives the layout of x; the filter's format gives its layout, by default the matching one."""
    nchw = attributes.get("data_format", "NHWC") == "NCHW"
    if not nchw:
        x = x.transpose(0, 3, 1, 2)
    if (attributes["formats"][1] or ("NCHW" if nchw else "HWCN")) != "NCHW":
        w = w.transpose(3, 2, 0, 1)
    hw = slice(2, 4) if nchw else slice(1, 3)
    strides = attributes["strides"][hw]
    dilations = attributes.get("dilations", [1, 1, 1, 1])[hw]
    top, bottom, left, right = attributes["pads"]
    groups = attributes.get("groups", 1)
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
    count, channels, _, _ = w.shape
    kernel = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], dilations, strict=True)]
    size = [(n - k) // s + 1 for n, k, s in zip(x.shape[2:], kernel, strides, strict=True)]
    made = np.zeros((x.shape[0], count, *size))
    each = count // groups
    for o in range(count):
        part = x[:, o // each * channels : (o // each + 1) * channels]
        for i in range(size[0]):
            for j in range(size[1]):
                at = [i * strides[0], j * strides[1]]
                window = part[
                    :,
                    :,
                    at[0] : at[0] + kernel[0] : dilations[0],
                    at[1] : at[1] + kernel[1] : dilations[1],
                ]
                made[:, o, i, j] = (window * w[o]).sum((1, 2, 3))
    if bias is not None:
        made += bias.reshape(1, -1, 1, 1)
    assert offset is None and not attributes.get("offset_x", 0)
    return made if nchw else made.transpose(0, 2, 3, 1)
