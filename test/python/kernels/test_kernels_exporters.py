"""Exceptions that an array's DLPack, interface and `__array__` methods raise reach the caller from each importer."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import ge.es
import ge.ir as ir
import ge.ops as ops
from ge.es import onnx as op

X = np.ones(2, np.float32)


@pytest.fixture
def lib() -> Iterator[Any]:
    with ops.Library("exporters") as opened:
        opened.define("f(Tensor x, *, float a=1.0, float[] b=[]) -> Tensor")
        opened.impl("f", "cpu", lambda x, *, a, b: x * a, as_="numpy")
        yield opened


def by_tensor(array: Any) -> Any:
    return ir.Tensor(array).numpy()


def by_call(array: Any) -> Any:
    return ops.call.exporters.f(array)


def by_run(array: Any) -> Any:
    graph = ir.Graph("g")
    graph.outputs = [graph.add_input("x", ir.TensorType([2], ir.f32))]
    return graph.run([array])[0]


def by_builder(array: Any) -> Any:
    with ge.es.builder("g") as b:
        return op.Add(b.input("x", [2], ir.f32), array)


def by_attribute(array: Any) -> Any:
    with ge.es.builder("g") as b:
        node = op.Relu(b.input("x", [2], ir.f32)).node
        node.attributes["acme.value"] = ir.Tensor(array)


IMPORTERS: list[Callable[[Any], Any]] = [by_tensor, by_call, by_run, by_builder, by_attribute]


class ByInterface:
    @property
    def __array_interface__(self) -> Any:
        raise RuntimeError("the device is gone")


class ByDlpack:
    def __dlpack__(self, **_: Any) -> Any:
        raise RuntimeError("the device is gone")

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


class ByArray:
    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("the device is gone")


@pytest.mark.parametrize("importer", IMPORTERS)
@pytest.mark.parametrize("kind", [ByInterface, ByDlpack, ByArray])
def test_an_exporters_exception_is_the_text(lib: Any, importer: Any, kind: Any) -> None:
    with pytest.raises(Exception, match="the device is gone"):
        importer(kind())
