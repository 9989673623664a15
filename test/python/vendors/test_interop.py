"""Other extension modules exchange GE's objects through capsules, and stale objects are detected.

The module is compiled here from C, with ge-python/interop.h and the stable ABI of CPython. Not covered: two copies of
the C library in one process (see the vendor's own build); instead, the module forges the capsule of another copy.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import needs
import pytest

from ge import config, ir

pytestmark = [needs.CC, pytest.mark.nosan]  # cc builds the module without the sanitizer's runtime
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Compile and import the extension module of another project."""
    file = tmp_path_factory.mktemp("interop") / "interop_module.abi3.so"
    library = config.library()
    include = config.include_dir()
    if not os.path.isdir(include):  # a build tree
        include = str(ROOT / "include")
    done = subprocess.run(
        [
            "cc",
            "-std=c99",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-shared",
            "-fPIC",
            "-DPy_LIMITED_API=0x030a0000",
        ]
        + [f"-I{include}", f"-I{sysconfig.get_paths()['include']}", "-o", str(file)]
        + [str(ROOT / "test/python/support/interop_module.c"), library]
        + [f"-Wl,-rpath,{os.path.dirname(library)}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    spec = importlib.util.spec_from_file_location("interop_module", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def graph_of(*ops: str) -> ir.Graph:
    graph = ir.Graph("g")
    x = graph.add_input("x", ir.TensorType([2], ir.f32))
    for op in ops:
        x = graph.add_node(op, [x], result_types=[x.type]).result
    return graph


def test_a_node_is_read_and_is_the_same_object_again(other: Any) -> None:
    graph = graph_of("onnx.Relu")
    node = list(graph.nodes)[-1]
    assert other.op_of(node) == other.op_of(node._capi) == "onnx.Relu"
    assert other.through_node(node) is node


def test_every_kind_goes_through_and_is_the_same_object(other: Any) -> None:
    module = ir.Module()
    graph = graph_of("onnx.Relu")
    node = list(graph.nodes)[-1]
    objects = {
        "context": ir.Context.default,
        "module": module,
        "graph": graph,
        "node": node,
        "value": node.result,
        "type": node.result.type,
        "tensor": ir.Tensor([1.0, 2.0]),
    }
    for kind, value in objects.items():
        assert getattr(other, f"through_{kind}")(value) is value
        assert type(value)._from_capi(value._capi) is value
        for wrong, refused in objects.items():
            if wrong != kind:
                with pytest.raises(TypeError, match=f"capsule 'ge.{kind.title()}/1' is expected"):
                    getattr(other, f"through_{kind}")(refused)


class Unhelpful:
    """Looking up its attribute fails in a way of its own."""

    @property
    def _capi(self) -> object:
        raise RuntimeError("mine")


class NoName(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise AttributeError("no name")


class Nameless(metaclass=NoName):
    pass


class NotACapsule:
    _capi = 3


@pytest.mark.parametrize("kind", ["context", "module", "graph", "node", "value", "type", "tensor"])
def test_every_other_object_is_a_type_error(other: Any, kind: str) -> None:
    """Of the package, of Python, and of classes with a metaclass of their own."""
    through = getattr(other, f"through_{kind}")
    objects = [
        *(3, None, "text", [], object(), object, ir.f32, ir.DType, ir.Graph, ir),
        *(ir.Location.unknown(), NotACapsule(), Nameless(), Nameless),
    ]
    for thing in objects:
        with pytest.raises(TypeError, match=rf"a ge\.ir\.{kind.title()} is expected"):
            through(thing)
    with pytest.raises(RuntimeError, match="mine"):
        through(Unhelpful())


def test_what_the_other_module_erases_is_stale_here(other: Any) -> None:
    graph = graph_of("onnx.Relu")
    node = list(graph.nodes)[-1]
    capsule = node._capi
    other.erase(node)
    assert not node.is_alive
    with pytest.raises(ir.StaleHandleError, match="Relu"):
        node.op  # noqa: B018
    with pytest.raises(ir.StaleHandleError, match="erased"):
        node._capi  # noqa: B018
    with pytest.raises(ir.StaleHandleError, match="erased"):
        ir.Node._from_capi(capsule)
    with pytest.raises(ir.StaleHandleError, match="erased"):
        other.op_of(node)
    with pytest.raises(ir.StaleHandleError, match="erased"):
        other.erase(capsule)


def test_what_is_erased_here_is_stale_there(other: Any) -> None:
    graph = graph_of("onnx.Relu")
    node = list(graph.nodes)[-1]
    other.keep(node)
    assert other.kept_is_alive() and other.kept() is node
    node.erase()
    assert not other.kept_is_alive()
    with pytest.raises(ir.StaleHandleError, match="erased"):
        other.kept()
    other.keep(None)


def test_a_kept_node_keeps_no_graph_alive_and_does_not_crash(other: Any) -> None:
    graph = graph_of("onnx.Relu")
    other.keep(list(graph.nodes)[-1])
    del graph
    gc.collect()
    if other.kept_is_alive():  # a handle keeps its graph alive, as in Python
        assert other.kept().op == "onnx.Relu"
    other.keep(None)


def test_capsules_own_what_they_hold(other: Any) -> None:
    context = ir.Context.default
    before = context.live_handle_count()
    graph = graph_of("onnx.Relu")
    capsules = [node._capi for node in graph.nodes for _ in range(100)]
    last = ir.Node._from_capi(capsules[-1])
    assert last.graph is graph
    del graph, last, capsules
    gc.collect()
    assert context.live_handle_count() <= before


def test_other_objects_are_refused(other: Any) -> None:
    class Fake:
        _capi = 3

    for value in (3, None, "x", Fake()):
        with pytest.raises(TypeError, match=r"a ge.ir.Node is expected, not a"):
            other.op_of(value)
        with pytest.raises(TypeError, match="capsule must be a PyCapsule"):
            ir.Node._from_capi(value)


def test_objects_of_another_library_or_version_are_refused_by_name(other: Any) -> None:
    for take in (other.op_of, ir.Node._from_capi):
        with pytest.raises(TypeError, match=r"belongs to 'acme.ge' \(/opt/acme/libAcmeGE.so\)"):
            take(other.forge(1))
        with pytest.raises(
            TypeError, match="version 7 of the C API of GE, and version 1 is needed"
        ):
            take(other.forge(7))
