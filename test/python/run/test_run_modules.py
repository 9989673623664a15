"""Functions that run, compare and optimise models reject objects that are not modules and say how to get one."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ge.onnx
import ge.ops as ops
from ge.es import builder
from ge.ir import Graph

CALLS: list[Callable[[Any], Any]] = [
    ge.onnx.optimize,
    lambda model: ge.onnx.check(model, model),
    lambda model: ops.run(model, []),
]


def relu(inputs: int = 1) -> Graph:
    with builder("m") as b:
        values = [b.input(f"x{i}", (2, 3), "f32") for i in range(inputs)]
        b.output(*(b.onnx.Relu(value) for value in values))
    return b.graph


@pytest.mark.parametrize("call", CALLS)
def test_a_graph(call: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match=r"a Module is needed, not Graph: Module\(name\).add_graph"):
        call(relu())


@pytest.mark.parametrize("call", [CALLS[0], CALLS[2]])
def test_a_path(call: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match=r"not str: ge.onnx.load\(path\) reads one"):
        call("m.onnx")


def test_one_array_is_one_input() -> None:
    array = np.array([[-1, 2, 3], [4, -5, 6]], "f4")
    result = relu().run(array)
    assert (result == np.maximum(array, 0)).all()
    with pytest.raises(
        TypeError, match="'m' has 2 inputs .*give a list of arrays, or a dictionary"
    ):
        relu(2).run(array)  # the array has two rows, one per input


@pytest.mark.parametrize("name", ["m.pbtxt", "m.json", "m.onnxtxt"])
def test_endings_of_models_as_text_are_refused(tmp_path: Any, name: str) -> None:
    from ge.ir import Module

    module = Module("m")
    module.add_graph(relu())
    with pytest.raises(ValueError, match="is for models as text"):
        ge.onnx.save(module, tmp_path / name)
    assert not list(tmp_path.iterdir())
