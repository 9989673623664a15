"""Input data as the commands name it: files by input, or one place for all."""

from __future__ import annotations

import math
import os
import stat
from typing import IO, TYPE_CHECKING, Any, cast

from ..run import main_graph
from ._output import CommandError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ir import Module, Value

__all__ = ["input_data"]


def input_data(words: Sequence[str], module: Module) -> dict[str, Any]:
    """Return the arrays of ``--input-data``.

    Parameters
    ----------
    words : sequence of str
        ``NAME=FILE``, or an .npz file, or a directory of files named after the inputs (or
        ``input_0.pb``, ``input_1.pb``, ... as in ONNX's test data).
    module : Module
        Whose inputs they are.

    Raises
    ------
    UsageError
        If a word names no input.
    CommandError
        If a file does not hold what the input needs.
    """
    inputs = {v.name: v for v in main_graph(module).inputs} if words else {}
    found: dict[str, Any] = {}
    named: dict[str, str] = {}
    for word in words:
        if os.path.isdir(word):
            found.update(_directory(word, inputs))
            continue
        if word.endswith(".npz") and os.path.isfile(word):
            found.update(_archive(word, inputs))
            continue
        name, sign, path = word.partition("=")
        while sign and name not in inputs and "=" in path:
            more, sign, path = path.partition("=")
            name = f"{name}={more}"
        if not sign:
            raise UsageError(
                f"--input-data takes NAME=FILE, an .npz file or a directory, not '{word}'"
            )
        if name not in inputs:
            raise UsageError(
                f"--input-data {word}: the model's inputs are {', '.join(inputs) or 'none'}"
            )
        if named.setdefault(name, path) != path:
            raise UsageError(f"--input-data gives '{name}' twice: {named[name]} and {path}")
        found[name] = _read(path, inputs[name])
    return found


def _directory(path: str, inputs: dict[str, Value]) -> dict[str, Any]:
    found = {}
    for number, (name, value) in enumerate(inputs.items()):
        candidates = [f"input_{number}.pb"]
        # The directory is the user's choice; names from the model must not lead out of it.
        if os.path.basename(name) == name and "\0" not in name:
            candidates = [f"{name}.npy", f"{name}.pb", f"{name}.bin", *candidates]
        for candidate in candidates:
            file = os.path.join(path, candidate)
            if os.path.isfile(file):
                found[name] = _read(file, value)
                break
    if not found:
        raise CommandError(
            f"{path}: no file is named after an input ({', '.join(inputs) or 'there are none'})"
        )
    return found


def _archive(path: str, inputs: dict[str, Value]) -> dict[str, Any]:
    import numpy as np

    try:
        with _open(path) as file, np.load(file, allow_pickle=False) as archive:
            arrays = dict(archive)
    except Exception as error:  # of zipfile, zlib, numpy
        raise CommandError(f"{path}: {error}") from error
    unknown = sorted(set(arrays) - set(inputs))
    if unknown:
        raise UsageError(f"{path}: '{unknown[0]}' is no input; the model has {', '.join(inputs)}")
    return arrays


def _open(path: str) -> IO[bytes]:
    """Open a regular file; opening a pipe would block, and opening a device may have effects."""
    refusal = CommandError(f"{path}: not a regular file")
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise refusal
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise refusal
    return os.fdopen(fd, "rb")


def _read(path: str, value: Value) -> Any:
    import numpy as np

    if path.endswith(".npy"):
        try:
            with _open(path) as file:
                return np.load(file, allow_pickle=False)
        except ValueError as error:
            raise CommandError(f"{path}: {error}") from error
    if path.endswith(".pb"):
        return _proto(path)
    return _raw(path, value)


def _proto(path: str) -> Any:
    try:
        import onnx
        from onnx import numpy_helper
    except ImportError as error:
        raise CommandError(f"{path}: reading it needs the package onnx") from error
    with _open(path) as file:
        data = file.read()
    try:
        return numpy_helper.to_array(onnx.TensorProto.FromString(data))
    except Exception as error:  # of protobuf, whose exceptions have no public base
        raise CommandError(f"{path}: no TensorProto: {error}") from error


def _raw(path: str, value: Value) -> Any:
    import numpy as np

    from ..ir import TensorType

    type_ = value.type
    if not isinstance(type_, TensorType) or type_.dtype.numpy is None:
        raise CommandError(f"{path}: input '{value.name}' is {type_}: give an .npy file")
    dtype: Any = np.dtype(cast("Any", type_.dtype.numpy))
    with _open(path) as file:
        data = np.frombuffer(bytearray(file.read()), np.uint8)
    shape = [d if isinstance(d, int) else -1 for d in type_.shape or (-1,)]
    known = math.prod(d for d in shape if d >= 0) * dtype.itemsize
    fits = data.size == known if -1 not in shape else known > 0 and data.size % known == 0
    if not fits or shape.count(-1) > 1:
        raise CommandError(f"{path}: {data.size} bytes are no {type_} (input '{value.name}')")
    return data.view(dtype).reshape(shape)
