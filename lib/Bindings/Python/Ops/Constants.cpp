//===- Constants.cpp - numbers and arrays as operands ------------------------------------------===//
//
// A number gets the element type of the operands that share its type variable, else (element-wise
// operators) of the first operand; else ints are i64 and floats f32, or the type that the operator
// allows. An array is converted only if nothing but precision changes; a Tensor is used as it is.
//
#include "../IR/NumpyArrays.h"
#include "Function.h"

#include <algorithm>
#include <array>

namespace ge::python {

namespace {

enum class Kind { Empty, Bool, Int, Float, Complex, Text };

GeDType named(std::string_view name) {
  GeDType dtype = 0;
  geDTypeFromName({name.data(), name.size()}, &dtype);
  return dtype;
}

Kind kindOf(PyObject *o) {
  if (PyBool_Check(o))
    return Kind::Bool;
  if (PyLong_Check(o))
    return Kind::Int;
  if (PyFloat_Check(o))
    return Kind::Float;
  if (PyComplex_Check(o))
    return Kind::Complex;
  if (PyUnicode_Check(o) || PyBytes_Check(o))
    return Kind::Text;
  Kind most = Kind::Empty;
  if (PyList_Check(o) || PyTuple_Check(o))
    for (nb::handle item : nb::borrow(o))
      most = std::max(most, kindOf(item.ptr()));
  return most;
}

/// Whether a literal may get the element type: an f32 literal is not an i64, and an i64 literal is
/// not a bool.
Kind kindOf(GeDType dtype) {
  GeDTypeInfo info;
  check(geDTypeGetInfo(dtype, &info));
  std::string_view name = info.name;
  if (name == "bool")
    return Kind::Bool;
  if (name == "string")
    return Kind::Text;
  if (name.starts_with('c'))
    return Kind::Complex;
  return name.starts_with('f') || name.starts_with("bf") ? Kind::Float : Kind::Int;
}

bool fits(Kind literal, GeDType dtype) {
  Kind target = kindOf(dtype);
  if (literal == Kind::Text || target == Kind::Text)
    return literal == target;
  return literal <= target;
}

GeDType usual(Kind kind) {
  constexpr std::array names{"f32", "bool", "i64", "f32", "c64", "string"};
  return named(names[size_t(kind)]);
}

/// "tensor(float)" as an element type; undefined for what is not a tensor.
GeDType onnxType(std::string_view text) {
  if (!text.starts_with("tensor("))
    return 0;
  text = text.substr(7, text.size() - 8);
  return named(text == "float" ? "f32" : text == "double" ? "f64" : text);
}

/// The allowed types of the variable; empty: any.
std::vector<GeDType> allowedTypes(GeOpDef record, int32_t typeVar) {
  std::vector<GeDType> all;
  if (typeVar < 0)
    return all;
  GeStringRef name, doc;
  size_t count = 0;
  check(geOpDefGetTypeVar(record, size_t(typeVar), &name, &doc, &count));
  for (size_t i = 0; i < count; ++i) {
    GeStringRef type;
    check(geOpDefGetAllowedType(record, size_t(typeVar), i, &type));
    if (GeDType dtype = onnxType({type.data, type.length}))
      all.push_back(dtype);
  }
  return all;
}

nb::object numpyDType(GeDType dtype) { return nb::steal(checked(wrapDType(dtype))).attr("numpy"); }

std::string describe(PyObject *data) {
  std::string text;
  argumentView().describe(nullptr, data, appendTo, &text);
  return text;
}

} // namespace

Constants::~Constants() {
  for (GeValueRef *value : made_) {
    if (!committed_) {
      GeNodeRef *node = nullptr;
      if (geValueGetNode(value, &node) == GE_OK)
        geNodeErase(node, true);
      geNodeRelease(node);
    }
    geValueRelease(value);
  }
}

void Constants::sees(int32_t typeVar, GeValueRef *value) {
  GeType type;
  GeTensorTypeSpec spec;
  if (geValueGetType(value, &type) == GE_OK && geTypeGetKind(type) == GE_TYPE_TENSOR &&
      geTypeGetTensorSpec(type, &spec) == GE_OK && spec.dtype)
    seen_.push_back({typeVar, spec.dtype});
}

bool Constants::wanted(PyObject *data, size_t param, GeDType &out, bool &found) {
  int32_t typeVar = function_.params[param].typeVar;
  found = true;
  Kind kind = kindOf(data);
  for (const Seen &seen : seen_)
    if (typeVar >= 0 && seen.typeVar == typeVar) {
      out = seen.dtype;
      if (fits(kind, out))
        return true;
      GeDTypeInfo info;
      check(geDTypeGetInfo(out, &info));
      GeStringRef word{"", 0};
      toText(function_.params[param].name, "name", word);
      std::string name(word.data, word.length);
      GeOpInfo op;
      check(geOpDefGetInfo(function_.record, &op));
      std::string reason = "argument '" + name + "' (position " + std::to_string(param + 1) +
                           ") expects Tensor of " + info.name + " as the other operands are, got " +
                           describe(data);
      raiseBind(function_.form,
                qualifiedName(op) + "(): " + reason + "\n  " + printed(function_.form, "canonical"),
                name, reason);
      return false;
    }
  std::vector<GeDType> allowed = allowedTypes(function_.record, typeVar);
  auto isAllowed = [&](GeDType d) {
    return allowed.empty() || std::find(allowed.begin(), allowed.end(), d) != allowed.end();
  };
  if (function_.elementwise)
    for (const Seen &seen : seen_)
      if (fits(kind, seen.dtype) && isAllowed(seen.dtype)) {
        out = seen.dtype;
        return true;
      }
  if (isAllowed(out = usual(kind)))
    return true;
  for (const char *name : {"i64", "i32", "f32", "f64", "f16", "bool"})
    if (isAllowed(out = named(name)) && fits(kind, out))
      return true;
  found = false; // inference reports the error
  return true;
}

GeTensor *Constants::tensor(PyObject *data, size_t param) {
  GeContext *context = geRefGetContext(graph_);
  GeTensor *tensor = nullptr;
  if (isTensor(data)) {
    tensor = payload<TensorObject>(data).ref;
    geTensorRetain(tensor);
    return tensor;
  }
  GeDType dtype = 0;
  bool found = false;
  nb::object object = nb::borrow(data);
  if (isArrayLike(data)) {
    refuseMasked(object);
    int32_t typeVar = function_.params[param].typeVar;
    for (const Seen &seen : seen_)
      if (typeVar >= 0 && seen.typeVar == typeVar) {
        nb::module_ numpy = importModule("numpy");
        nb::object array = numpy.attr("asarray")(object);
        nb::object wanted = numpyDType(seen.dtype);
        if (!wanted.is_none() &&
            nb::cast<bool>(numpy.attr("can_cast")(array.attr("dtype"), wanted, "same_kind")))
          object = array.attr("astype")(wanted, nb::arg("copy") = false);
        break;
      }
  } else {
    if (!wanted(data, param, dtype, found))
      return nullptr;
    if (found && (PyList_Check(data) || PyTuple_Check(data))) {
      nb::object numpy = numpyDType(dtype);
      if (!numpy.is_none() && kindOf(dtype) != Kind::Text)
        object = importModule("numpy").attr("array")(object, nb::arg("dtype") = numpy);
    } else if (found) {
      GeTensorTypeSpec spec{};
      spec.dtype = dtype;
      spec.ranked = true;
      GeType type;
      check(geTypeTensor(context, &spec, &type));
      return toTensor(context, data, type, false, tensor) ? tensor : nullptr;
    }
  }
  return toTensor(context, object.ptr(), nullptr, false, tensor) ? tensor : nullptr;
}

GeTensor *Constants::part(PyObject *data, GeSchemaType type) {
  GeStringRef text = geSchemaTypeGetName(type);
  std::string_view name(text.data, text.length);
  nb::object value = plainNumber(data);
  if (!value.is_valid())
    value = nb::borrow(data);
  bool isInt = name == "int" || name == "SymInt", isBool = name == "bool" || name == "SymBool";
  bool isFloat = name == "float" || name == "SymFloat";
  if (name == "Scalar") {
    Kind kind = kindOf(value.ptr());
    isBool = kind == Kind::Bool;
    isInt = kind == Kind::Int;
    isFloat = kind == Kind::Float;
  }
  if (isInt || isFloat) // from bool or int
    value = nb::steal(checked(isInt ? PyNumber_Index(value.ptr()) : PyNumber_Float(value.ptr())));
  bool isComplex = name == "complex" || (name == "Scalar" && !isBool && !isInt && !isFloat);
  GeTensorTypeSpec spec{};
  spec.dtype = named(isInt       ? "i64"
                     : isBool    ? "bool"
                     : isFloat   ? "f64"
                     : isComplex ? "c128"
                                 : "string");
  spec.ranked = true;
  GeContext *context = geRefGetContext(graph_);
  GeType tensorType;
  check(geTypeTensor(context, &spec, &tensorType));
  GeTensor *tensor = nullptr;
  return toTensor(context, value.ptr(), tensorType, false, tensor) ? tensor : nullptr;
}

GeValueRef *Constants::make(PyObject *data, size_t param, GeSchemaType schema) {
  bool isPart =
      geSchemaTypeGetKind(schema) == GE_SCHEMA_ATOM && !geSchemaTypeContainsTensor(schema);
  GeTensor *held = isPart ? part(data, schema) : tensor(data, param);
  if (!held)
    return nullptr;
  ContextState &state = stateOf(graph_);
  static PyObject *op = PyUnicode_InternFromString("ge.Const");
  static PyObject *word = PyUnicode_InternFromString("value");
  GeNamedAttribute attribute{};
  GeType type = geTensorGetType(held);
  GeStatus s = geAttributeTensor(held, &attribute.value);
  geTensorRelease(held);
  GeNodeRef *node = nullptr;
  GeValueRef *value = nullptr;
  GeNodeSpec spec{};
  spec.op = state.operatorName(op);
  attribute.name = state.identifier(word, "attribute name");
  if (s == GE_OK && (!spec.op || !attribute.name)) {
    geAttributeRelease(attribute.value);
    return nullptr;
  }
  if (s == GE_OK) {
    spec.numResults = 1;
    spec.resultTypes = &type;
    spec.numAttributes = 1;
    spec.attributes = &attribute;
    s = geNodeCreate(graph_, before_, &spec, &node);
    geAttributeRelease(attribute.value);
  }
  if (s == GE_OK) {
    s = geNodeGetResult(node, 0, &value);
    geNodeRelease(node);
  }
  if (s) {
    raise(s);
    return nullptr;
  }
  made_.push_back(value);
  return value;
}

} // namespace ge::python
