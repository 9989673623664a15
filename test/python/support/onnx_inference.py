"""ONNX models as graphs without types, and the comparison of their inferred types with other results.

Not a test by itself. `to_graph` drops all types except those of the inputs; after inference, `relation`
compares the text of each value's type with ONNX's reference inference, and `fits` compares it with the
computed result of the operator.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import AttributeProto, numpy_helper, shape_inference
from onnx.backend.test.case.node import collect_testcases

import ge.ir as ir

_FAMILIES = {AttributeProto.FLOATS: ir.f32, AttributeProto.INTS: ir.i64}


def dtype(elem_type):
    """Return the element type with ONNX's number."""
    return _DTYPES[elem_type]


_DTYPES = {
    value.onnx: value
    for value in vars(ir).values()
    if isinstance(value, ir.DType) and value.onnx is not None
}


def value_type(proto):
    """Return the type of an ONNX ``TypeProto``."""
    kind = proto.WhichOneof("value")
    if kind == "sequence_type":
        return ir.SequenceType(value_type(proto.sequence_type.elem_type))
    if kind == "optional_type":
        return ir.OptionalType(value_type(proto.optional_type.elem_type))
    if kind != "tensor_type" or not proto.tensor_type.elem_type:
        return ir.UnknownType()
    tensor = proto.tensor_type
    if not tensor.HasField("shape"):
        return ir.TensorType(None, dtype(tensor.elem_type))
    shape = []
    for dim in tensor.shape.dim:
        which = dim.WhichOneof("value")
        shape.append(dim.dim_value if which == "dim_value" else dim.dim_param or None)
    return ir.TensorType(shape, dtype(tensor.elem_type))


def _tensor(proto):
    array = numpy_helper.to_array(proto)
    if proto.data_type == onnx.TensorProto.STRING:
        array = array.astype(object)
    return ir.Tensor(array)


def _attribute(proto):
    if proto.type == AttributeProto.TENSOR:
        return _tensor(proto.t)
    if proto.type == AttributeProto.TYPE_PROTO:
        return value_type(proto.tp)
    value = onnx.helper.get_attribute_value(proto)
    if proto.type in _FAMILIES and not value:
        return ir.ArrayAttr([], _FAMILIES[proto.type])
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [item.decode() if isinstance(item, bytes) else item for item in value]
    return value


def _fill(graph, proto, scope, values, *, is_root, constants):
    scope = dict(scope)
    initializers = {tensor.name: tensor for tensor in proto.initializer}
    for info in proto.input:
        value = graph.add_input(info.name, value_type(info.type) if is_root else ir.UnknownType())
        given = initializers.pop(info.name, None)
        if given is None and is_root:
            given = constants.get(info.name)
        if given is not None:
            value.node.attributes["value"] = _tensor(given)
        scope[info.name] = value
    for name, tensor in initializers.items():
        node = graph.add_node("ge.Const", attributes={"value": _tensor(tensor)}, name=name)
        scope[name] = node.result
    for proto_node in proto.node:
        attributes, bodies = {}, {}
        for attribute in proto_node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                bodies[attribute.name] = attribute.g
            else:
                attributes[attribute.name] = _attribute(attribute)
        node = graph.add_node(
            f"{proto_node.domain or 'onnx'}.{proto_node.op_type}",
            [scope[name] if name else None for name in proto_node.input],
            attributes,
            result_types=[ir.UnknownType() if name else None for name in proto_node.output],
            subgraphs=dict.fromkeys(bodies),
        )
        for slot, body in bodies.items():
            _fill(node.subgraphs[slot], body, scope, values, is_root=False, constants={})
        for name, result in zip(proto_node.output, node.results):
            if name:
                result.name = name
                scope[name] = result
    graph.outputs = [scope[info.name] for info in proto.output]
    if is_root:
        values.update(scope)


def to_graph(model, constants=None):
    """Return a module with the model's graph, in which only the inputs have types.

    ``constants``: tensors by name of an input, which become its default value.

    Returns
    -------
    (Module, dict of Value by ONNX name)
    """
    module = ir.Module("model")
    versions = {entry.domain or "onnx": entry.version for entry in model.opset_import}
    module.attributes["opset"] = versions
    values = {}
    _fill(
        module.add_graph("main"), model.graph, {}, values, is_root=True, constants=constants or {}
    )
    return module, values


def reference_types(model, *, data_prop=True):
    """Return the types by name that ONNX's inference computes without declared types."""
    bare = onnx.ModelProto()
    bare.CopyFrom(model)
    del bare.graph.value_info[:]
    for output in bare.graph.output:
        if output.type.WhichOneof("value") == "tensor_type":
            output.type.tensor_type.ClearField("shape")
    inferred = shape_inference.infer_shapes(bare, data_prop=data_prop, strict_mode=False)
    types = {}
    for info in [*inferred.graph.value_info, *inferred.graph.output]:
        types[info.name] = info.type
    return types


def shape_text(proto):
    """Return an ONNX type as text in the form of CANN's messages; generated symbols count as unknown."""
    kind = proto.WhichOneof("value")
    if kind == "sequence_type":
        return f"seq({shape_text(proto.sequence_type.elem_type)})"
    if kind == "optional_type":
        return f"optional({shape_text(proto.optional_type.elem_type)})"
    if kind != "tensor_type":
        return "unknown"
    tensor = proto.tensor_type
    name = str(dtype(tensor.elem_type).name)
    if not tensor.HasField("shape"):
        return f"{name}[*]"
    dims = []
    for dim in tensor.shape.dim:
        symbol = dim.dim_param if not dim.dim_param.startswith("unk__") else ""
        dims.append(str(dim.dim_value) if dim.HasField("dim_value") else symbol or "?")
    return f"{name}[{', '.join(dims)}]"


def type_text(type_):
    """Return a type of GE in the form of `shape_text`."""
    if isinstance(type_, ir.SequenceType):
        return f"seq({type_text(type_.element)})"
    if isinstance(type_, ir.OptionalType):
        return f"optional({type_text(type_.element)})"
    if not isinstance(type_, ir.TensorType):
        return "unknown"
    name = type_.dtype.name
    if type_.shape is None:
        return f"{name}[*]"
    return f"{name}[{', '.join('?' if d is None else str(d) for d in type_.shape)}]"


def relation(ours, theirs):
    """Compare two texts: ``same``, ``finer`` (ours is more specific), ``coarser`` or ``differs``."""
    if ours == theirs:
        return "same"
    if "unknown" in (ours, theirs):
        return "coarser" if ours == "unknown" else "finer"
    our_head, _, our_dims = ours.partition("[")
    head, _, dims = theirs.partition("[")
    if our_head != head:
        return "differs"
    our_dims, dims = our_dims.rstrip(")]"), dims.rstrip(")]")
    if "*" in (our_dims, dims):
        return "coarser" if our_dims == "*" else "finer"
    mine, other = our_dims.split(", "), dims.split(", ")
    if len(mine) != len(other):
        return "differs"
    finer = coarser = False
    for a, b in zip(mine, other):
        if a == b:
            continue
        if a.isdigit() and b.isdigit():
            return "differs"
        finer |= a.isdigit() or (b == "?")
        coarser |= b.isdigit() or (a == "?")
    return "coarser" if coarser else "finer" if finer else "same"


def model_files():
    """Return the light networks of the ``onnx`` package."""
    data = Path(onnx.__file__).parent / "backend/test/data/light"
    return sorted(data.glob("*.onnx"))


def node_cases():
    """Yield ONNX's backend tests of operators.

    Yields
    ------
    (name, model, inputs, outputs)
        Arrays, lists of arrays for sequences, None for an empty optional.
    """
    for case in collect_testcases(None):
        inputs, outputs = case.data_sets[0]
        yield case.name, case.model, [_plain(v) for v in inputs], [_plain(v) for v in outputs]


def _plain(value):
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    if isinstance(value, onnx.SequenceProto):
        return [_plain(item) for item in numpy_helper.to_list(value)]
    return value


def small_constants(model, inputs, limit=64):
    """Return tensors by name of the inputs that may determine a shape, for `to_graph`."""
    tensors = {}
    for info, value in zip(model.graph.input, inputs):
        if value is None or isinstance(value, list):
            continue
        array = np.asarray(value)
        if array.dtype.name in _SHAPE_DTYPES and array.size <= limit:
            tensors[info.name] = numpy_helper.from_array(array, info.name)
    return tensors


_SHAPE_DTYPES = {"bool", "int32", "int64", "float32", "float64"}


def fits(text, value):
    """Return whether a computed value fits a type in the form of `shape_text`."""
    if text == "unknown":
        return True
    if text.startswith("optional("):
        return value is None or fits(text[9:-1], value)
    if isinstance(value, list):
        return text.startswith("seq(") and all(fits(text[4:-1], item) for item in value)
    if value is None:
        return False
    array = np.asarray(value)
    dims = text.partition("[")[2].rstrip("]")
    if dims == "*":
        return True
    sizes = dims.split(", ") if dims else []
    return len(sizes) == array.ndim and all(
        not size.isdigit() or int(size) == actual for size, actual in zip(sizes, array.shape)
    )
