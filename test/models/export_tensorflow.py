"""Models of ``small/`` by tf2onnx and Keras: ``python test/models/export_tensorflow.py DIRECTORY [NAME ...]``.

The committed files were written with tensorflow 2.21, tf2onnx 1.17 and keras 3.15. Weights are random numbers of a fixed seed.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np
import onnx
import tensorflow as tf
import tf2onnx
from keras import layers


def _function(call: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """Return the ONNX model of a function of TensorFlow."""
    model, _ = tf2onnx.convert.from_function(
        tf.function(call, input_signature=given), given, **{"opset": 15, **options}
    )
    return model


def _spec(shape: list[int | None], name: str = "x", kind: Any = tf.float32) -> Any:
    return tf.TensorSpec(shape, kind, name=name)


def _uniform(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).uniform(-1, 1, shape).astype(np.float32)


def _with_weights(network: Any) -> Any:
    """Give each weight random numbers; variances are positive."""
    rng = np.random.default_rng(0)
    network.set_weights([rng.uniform(0.1, 0.9, w.shape) for w in network.get_weights()])
    return network


def tf_convolution() -> Any:
    """NHWC between transposes, SAME padding that is not symmetric, a depthwise convolution, a batch without a name."""
    network = keras.Sequential([
        keras.Input((9, 9, 3)),
        layers.Conv2D(4, 3, strides=2, padding="same"),
        layers.BatchNormalization(),
        layers.ReLU(6.0),
        layers.DepthwiseConv2D(3, padding="same"),
        layers.MaxPooling2D(2, padding="same"),
        layers.Conv2DTranspose(2, 3, strides=2, padding="same"),
        layers.GlobalAveragePooling2D(),
        layers.Dense(3, activation="softmax"),
    ])  # fmt: skip
    return _function(_with_weights(network), _spec([None, 9, 9, 3]))


def tf_resize() -> Any:
    """Sizes that are computed as int32 from the image: doubled, and resized back."""

    def call(x: Any) -> Any:
        size = tf.shape(x)[1:3]
        large = tf.image.resize(x, size * 2, method="nearest")
        return tf.image.resize(large, size, method="bilinear"), size

    return _function(call, _spec([None, None, None, 2]))


def tf_recurrent() -> Any:
    """Two directions of an LSTM, which TensorFlow has as loops."""
    network = keras.Sequential([
        keras.Input((None, 3)),
        layers.Bidirectional(layers.LSTM(2, return_sequences=True)),
    ])  # fmt: skip
    return _function(_with_weights(network), _spec([None, None, 3]))


def tf_control() -> Any:
    """A while loop with a condition of the data, a cond, and a list of tensors."""
    w = _uniform(3, 3)

    def call(x: Any, n: Any) -> Any:
        def turn(i: Any, v: Any) -> Any:
            return i + 1, tf.tanh(v @ w) + x

        _, y = tf.while_loop(
            lambda i, v: (i < n) & (tf.reduce_sum(v) < 1e3), turn, (tf.constant(0), x)
        )
        z = tf.cond(tf.reduce_mean(y) > 0, lambda: tf.nn.relu(y), lambda: tf.exp(y) * 2)
        return y, z

    return _function(call, _spec([None, 3]), _spec([], "n", tf.int32))


def tf_shapes() -> Any:
    """Shapes in int32: Shape, Cast, strided slices with masks, Pack, Fill, Range, GatherND, one-hot, top-k."""

    def call(x: Any) -> Any:
        s = tf.shape(x)
        y = tf.reshape(x, tf.stack([s[0], s[1] * s[2]]))
        y = tf.concat([y, tf.fill([s[0], 1], 2.0)], 1)
        z = x[:, ::-1, tf.newaxis, 1:-1]
        r = tf.cast(tf.range(s[1]), tf.float32)
        top, at = tf.math.top_k(y, 2)
        hot = tf.one_hot(at % 3, 3, axis=1)
        tiled = tf.tile(tf.expand_dims(r, 0), [s[0], 2])
        return y, z, top, hot, tiled, tf.gather_nd(x, [[0, 0]], batch_dims=0)

    return _function(call, _spec([None, None, 4]))


def tf_quantised() -> Any:
    """Weights and activations with fake quantisation, which becomes Quantize- and DequantizeLinear."""
    w, b = _uniform(3, 3, 2, 4), _uniform(4)

    def call(x: Any) -> Any:
        x = tf.quantization.fake_quant_with_min_max_args(x, -4, 4)
        v = tf.quantization.fake_quant_with_min_max_args(w, -1, 1, narrow_range=True)
        y = tf.nn.bias_add(tf.nn.conv2d(x, v, 1, "SAME"), b)
        return tf.quantization.fake_quant_with_min_max_args(tf.nn.relu(y), 0, 6)

    return _function(call, _spec([None, 5, 5, 2]), opset=13)


def tf_old() -> Any:
    """Opset 9: what tf2onnx wrote for years, with attributes instead of inputs."""

    def call(x: Any) -> Any:
        y = tf.pad(x, [[0, 0], [1, 0], [0, 1]])[:, 1:, :-1]
        y = tf.reduce_sum(tf.maximum(y, 0.1), axis=1, keepdims=True) + tf.expand_dims(
            tf.squeeze(x[:, :1], 1), 1
        )
        return tf.nn.softmax(tf.clip_by_value(y, -1, 1)), tf.split(x, 3, axis=1)[1]

    return _function(call, _spec([None, 3, 4]), opset=9)


def _exported(network: Any, shape: list[int | None]) -> Any:
    """Return what the method ``export`` of Keras writes."""
    with tempfile.TemporaryDirectory() as directory:
        path = str(Path(directory) / "model.onnx")
        signature = [keras.InputSpec("float32", shape, name="x")]
        network.export(path, format="onnx", input_signature=signature, verbose=False)
        return onnx.load(path)


def keras_image() -> Any:
    x = keras.Input((6, 6, 2), name="x")
    y = layers.SeparableConv2D(3, 3, padding="same", activation="elu")(x)
    y = layers.Concatenate()([y, layers.Conv2D(2, 1)(x)])
    y = layers.Cropping2D(2)(layers.ZeroPadding2D(((1, 0), (0, 1)))(y))
    y = layers.Dense(3, activation="hard_sigmoid")(layers.Flatten()(y))
    return _exported(_with_weights(keras.Model(x, y)), [None, 6, 6, 2])


def keras_words() -> Any:
    x = keras.Input((5, 4), name="x")
    y = layers.Conv1D(3, 2, padding="causal", activation="mish")(x)
    y = layers.Reshape((-1,))(layers.Permute((2, 1))(layers.UnitNormalization()(y)))
    return _exported(_with_weights(keras.Model(x, y)), [None, 5, 4])


MODELS = {
    f.__name__: f
    for f in (
        tf_convolution, tf_resize, tf_recurrent, tf_control, tf_shapes, tf_quantised, tf_old,
        keras_image, keras_words,
    )
}  # fmt: skip


def main(directory: str, names: list[str]) -> None:
    for name in names or MODELS:
        keras.utils.clear_session()
        tf2onnx.utils.INTERNAL_NAME = 1  # the counter of its names
        keras.utils.set_random_seed(0)
        model = MODELS[name]()
        path = Path(directory) / f"{name}.onnx"
        onnx.save(model, path)
        print(f"{name}: {len(model.graph.node)} nodes, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
