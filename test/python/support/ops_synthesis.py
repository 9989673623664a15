"""Synthesizes arguments for any operator from its record, so that tests can call all builders."""

from typing import Any

import ge.ir as ir

__all__ = ["ONNX_TYPES", "arguments", "result_count"]

ONNX_TYPES = {"float": "f32", "double": "f64", "float16": "f16", "bfloat16": "bf16"}
ONNX_TYPES |= {f"{u}int{b}": f"{u[:1] or 'i'}{b}" for u in ("", "u") for b in (2, 4, 8, 16, 32, 64)}
ONNX_TYPES |= {"bool": "bool", "string": "string", "complex64": "c64", "complex128": "c128"}

# Requirements that records do not state: the numbers of operands and results of an optimizer per optimized
# tensor, and one of several mutually exclusive attributes.
_OPTIMIZERS = {"Adagrad": (3, 2), "Momentum": (3, 2), "Adam": (4, 3)}
_ONE_OF = {
    "DictVectorizer": "int64_vocabulary",
    "LabelEncoder": "values_int64s",
    "OneHotEncoder": "cats_int64s",
    "ZipMap": "classlabels_int64s",
}


def result_count(op: Any) -> int:
    """Return the number of results of a node with `arguments`, for operators where the caller must state it."""
    if op.name in _OPTIMIZERS:
        return _OPTIMIZERS[op.name][1]
    return max(1, sum(not r.is_variadic for r in op.results))


def _type(text: str) -> Any:
    """Parse ``tensor(float)``, ``seq(...)``, ``map(...)``, ``optional(...)`` to a type of unknown shape."""
    head, _, rest = text.partition("(")
    inner = rest[:-1]
    if head == "tensor":
        name = ONNX_TYPES.get(inner, inner.replace("float", "f"))
        try:
            return ir.TensorType(None, ir.DType(name))
        except ValueError:
            return ir.UnknownType()
    if head == "seq":
        return ir.SequenceType(_type(inner))
    if head == "optional":
        return ir.OptionalType(_type(inner))
    return ir.UnknownType()


def _attribute(param: Any, graph: Any) -> Any:
    if param.choices:
        return param.choices[0]
    type_ = param.type
    while type_.is_optional:
        type_ = type_.elements[0]
    return _value(type_, param)


def _value(type_: Any, param: Any) -> Any:
    if type_.is_list:
        return [_value(type_.elements[0], param)] * (type_.size or 1)
    return _plain(type_.name, param)


def _plain(name: str, param: Any) -> Any:
    if param.range is not None and param.range.at_least is not None:
        return int(param.range.at_least) if name == "int" else param.range.at_least
    if name == "Graph":
        body = ir.Graph("body")
        value = body.add_input("i", ir.UnknownType())
        body.outputs = [value]
        return body
    values = {"int": 1, "SymInt": 1, "float": 1.0, "bool": True, "str": "a", "Scalar": 1}
    values |= {"ScalarType": ir.f32, "ValueType": ir.TensorType(None, ir.f32)}
    values |= {"TensorLiteral": ir.Tensor([1.0]), "bytes": b"a", "complex": 1j}
    return values.get(name, 1)


# Attributes that require or exclude each other, and bodies that fit the operator's signature.
_EXCLUSIVE = {
    "onnx::Constant": {"value": ir.Tensor([1.0])},
    "math::Const": {"value": ir.Tensor([1.0])},
    "math::Constant": {"value": ir.Tensor([1.0])},
    "onnx.ml::LabelEncoder": {"keys_int64s": [1], "values_int64s": [1]},
    "onnx.ml::OneHotEncoder": {"cats_int64s": [1]},
    "onnx.ml::ZipMap": {"classlabels_int64s": [1]},
    "onnx.ml::DictVectorizer": {"int64_vocabulary": [1]},
}
_FITTING = {
    "onnx::BitCast": {"to": ir.i16},
    "onnx::RandomNormalLike": {"dtype": ir.f32},
    "onnx::RandomUniformLike": {"dtype": ir.f32},
    "onnx::Multinomial": {"dtype": ir.i32},
    "onnx.ml::CastMap": {"cast_to": "TO_FLOAT"},
    "nn::Quantize": {"dtype": "torch.qint8"},
    "onnx::If": {"then_branch": lambda: 1.0, "else_branch": lambda: 1.0},
    "onnx::Loop": {"body": lambda i, go_on, *rest: [go_on, *(rest or [i])]},
    "onnx::SequenceMap": {"body": lambda *items: items[0]},
    "onnx.ml::CategoryMapper": {"cats_int64s": [1], "cats_strings": ["a"]},
    "onnx.ml::TreeEnsembleClassifier": {"classlabels_int64s": [1]},
}


def _fitting(op: Any, keywords: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords, completed with requirements that the record does not state."""
    name = op.qualified_name
    known = {p.name for p in op.params}
    if name in _EXCLUSIVE and known & set(_EXCLUSIVE[name]):
        chosen = {k: v for k, v in _EXCLUSIVE[name].items() if k in known}
        attributes = {p.name for p in op.attributes}
        return {k: v for k, v in keywords.items() if k not in attributes} | chosen
    given = keywords | {k: v for k, v in _FITTING.get(name, {}).items() if k in known}
    if name == "onnx::Cast" and op.since < 6:
        given["to"] = "FLOAT"
    if "reduction" in given and "reduction" in known and op.ns == "nn":
        given["reduction"] = "mean"
    if name.startswith("onnx.ml::TreeEnsemble"):
        # Either a list or a tensor; tensors have the first type that the operand allows.
        double = ir.Tensor([1.0], dtype=ir.f64)
        given = {k: v for k, v in given.items() if not k.endswith("_as_tensor")}
        given |= {k: double for k in ("nodes_splits", "leaf_weights") if k in known}
    return given


def arguments(
    graph: Any, form: Any, op: Any, everything: bool
) -> "tuple[list[Any], dict[str, Any]]":
    """Return positional and keyword arguments: only the required ones, or all."""
    made: dict[str, Any] = {}
    variables: dict[str, Any] = {}
    for param in op.operands:
        var = param.type_var
        type_: Any = ir.UnknownType()
        if var is not None and var.allowed:
            first = "tensor(float)" if op.name == "Gradient" else var.allowed[0]
            type_ = variables.setdefault(var.name, _type(first))
        count = max(param.min_count, 1) if param.is_variadic else 1
        if param.is_variadic and op.name in _OPTIMIZERS:
            count = _OPTIMIZERS[op.name][0]
        values = [graph.add_input(f"{param.name}{i}", type_) for i in range(count)]
        made[param.name] = values if param.is_variadic else values[0]
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    for param in form.params:
        if not param.required and not everything and param.name != _ONE_OF.get(op.name):
            continue
        value = made.get(param.name)
        if value is None:
            value = 1 if param.name.endswith("_num") else _attribute(param, graph)
        if param.kw_only:
            keywords[param.name] = value
        else:
            positional.append(value)
    return positional, _fitting(op, keywords)
