"""Graphs and operators that run through the C API, as C code runs them: without the GIL."""

import ctypes
from typing import Any

from kernel_calls import Text, library

import ge.ir as ir


class Capsule(ctypes.Structure):
    """The struct GePythonCapsule of ge-python/interop.h."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("abi", ctypes.c_int),
        ("core", ctypes.c_void_p),
        ("package", ctypes.c_char_p),
        ("library", ctypes.c_char_p),
        ("object", ctypes.c_void_p),
    ]


class NamedAttribute(ctypes.Structure):
    _fields_ = [("name", ctypes.c_void_p), ("value", ctypes.c_uint64)]


def content(capsule: Any) -> Capsule:
    name, get = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return Capsule.from_address(get(capsule, name(capsule)))


def check(lib: Any, status: int) -> None:
    if status:
        text = lib.geErrorMessage()
        raise RuntimeError((text.data or b"")[: text.length].decode())


def results_of(lib: Any, made: Any, context: Any) -> list[Any]:
    """Take over tensors of C; return them as arrays."""
    sample = ir.Tensor(0, context=context)._capi
    capsule = Capsule.from_buffer_copy(content(sample))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    results = []
    for address in made:
        capsule.object = address
        results.append(ir.Tensor._from_capi(new(ctypes.addressof(capsule), b"ge.Tensor/1", None)))
        lib.geTensorRelease(ctypes.c_void_p(address))
    return [r.numpy() for r in results]


def graph_run(graph: ir.Graph, *inputs: Any, opset: int = 0) -> list[Any]:
    """Run a graph by `geGraphRun`."""
    lib = library()
    held = [graph._capi, *(ir.Tensor(i, context=graph.context)._capi for i in inputs)]
    own, *tensors = (content(capsule).object for capsule in held)
    given = (ctypes.c_void_p * max(len(tensors), 1))(*tensors)
    count = len(graph.outputs)
    made = (ctypes.c_void_p * count)()
    check(
        lib,
        lib.geGraphRun(
            ctypes.c_void_p(own), opset, given, ctypes.c_size_t(len(tensors)), made, ctypes.c_size_t(count)
        ),
    )  # fmt: skip
    return results_of(lib, made, graph.context)


def op_call(node: ir.Node, *operands: Any, opset: int = 0) -> list[Any]:
    """Run the operator of a node with its attributes by `geOpCall`."""
    lib = library()
    lib.geRefGetContext.restype = ctypes.c_void_p
    record = ctypes.c_void_p()
    name = f"{node.domain}::{node.type}".encode()
    registry = ctypes.c_void_p(lib.geRegistryGlobal())
    check(lib, lib.geRegistryGet(registry, Text(name, len(name)), opset, ctypes.byref(record)))
    capsules = [
        node._capi,
        *(None if o is None else ir.Tensor(o, context=node.context)._capi for o in operands),
    ]
    own, *tensors = (None if c is None else content(c).object for c in capsules)
    held = ctypes.c_void_p(own)
    attributes = (NamedAttribute * max(len(node.attributes), 1))()
    for i in range(len(node.attributes)):
        at = ctypes.byref(attributes, i * ctypes.sizeof(NamedAttribute))
        check(lib, lib.geNodeGetAttributeAt(held, ctypes.c_size_t(i), at))
    given = (ctypes.c_void_p * max(len(tensors), 1))(*tensors)
    made = (ctypes.c_void_p * max(len(node.results), 1))()
    status = lib.geOpCall(
        record,
        ctypes.c_void_p(lib.geRefGetContext(held)),
        opset,
        given,
        ctypes.c_size_t(len(tensors)),
        attributes,
        ctypes.c_size_t(len(node.attributes)),
        made,
        ctypes.c_size_t(len(node.results)),
    )
    for i in range(len(node.attributes)):
        lib.geAttributeRelease(ctypes.c_uint64(attributes[i].value))
    lib.geOpDefRelease(record)
    check(lib, status)
    return results_of(lib, made[: len(node.results)], node.context)
