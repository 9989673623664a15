"""Models of ``small/`` by jax2onnx: ``python test/models/export_jax.py DIRECTORY [NAME ...]``.

The committed files were written with jax2onnx 0.17 and jax 0.10. Weights are random numbers of a fixed seed.
"""

import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import onnx
from jax2onnx import onnx_function, to_onnx


def _random(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def _exported(call: Any, *inputs: Any) -> Any:
    model = to_onnx(call, inputs=list(inputs), model_name="jax", opset=21)
    for node in [*model.graph.node, *(n for f in model.functions for n in f.node)]:
        del node.metadata_props[:]  # stack traces, with paths of files
    return model


def jax_loops() -> Any:
    """A scan, a while loop, a cond and a fori loop."""
    w = _random(3, 3)

    def call(x: Any) -> Any:
        last, rows = jax.lax.scan(lambda c, r: (jnp.tanh(c @ w) + r, c.sum()), jnp.zeros(3), x)
        big = jax.lax.while_loop(lambda v: v.sum() < 10, lambda v: v * v + 1, last)
        turned = jax.lax.fori_loop(0, 3, lambda i, v: v + i * 0.5, last)
        return jax.lax.cond(big[0] > 2, lambda v: v + 1, lambda v: v * 2, big), rows, turned

    return _exported(call, (4, 3))


@onnx_function
def _block(x: Any) -> Any:
    return jnp.tanh(x) * 2 + 1


def jax_functions() -> Any:
    """A function of the model that is called twice."""
    return _exported(lambda x: _block(_block(x) - x), ("B", 4))


def jax_image() -> Any:
    """An NHWC convolution between transposes."""
    w = _random(3, 3, 2, 4)

    def call(x: Any) -> Any:
        y = jax.lax.conv_general_dilated(
            x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        return jax.nn.relu(y).mean((1, 2))

    return _exported(call, ("B", 7, 7, 2))


MODELS = {f.__name__: f for f in (jax_loops, jax_functions, jax_image)}


def main(directory: str, names: list[str]) -> None:
    for name in names or MODELS:
        model = MODELS[name]()
        path = Path(directory) / f"{name}.onnx"
        onnx.save(model, path)
        print(f"{name}: {len(model.graph.node)} nodes, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
