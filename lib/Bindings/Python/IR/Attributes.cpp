//===- Attributes.cpp - Python values as attributes --------------------------------------------===//
//
// Integers are 64 bits wide and floats 32 unless a class of _attrs.py says otherwise. Reading an
// attribute returns instances of those classes, so copying it from node to node changes nothing.
//
#include "AttributeClasses.h"
#include "Errors.h"

#include <cmath>

namespace ge::python {

static GeDType dtypeNamed(const char *name) {
  GeDType dtype = 0;
  geDTypeFromName(stringRef(name), &dtype);
  return dtype;
}

const Widths &widths() {
  static const Widths all{dtypeNamed("f32"), dtypeNamed("f64"),  dtypeNamed("i64"),
                          dtypeNamed("u64"), dtypeNamed("bool"), dtypeNamed("string")};
  return all;
}

const AttrClasses *attrClasses() {
  static AttrClasses all;
  if (!all.arrayAttr) {
    nb::object module = nb::steal(PyImport_ImportModule(GE_PYTHON_PACKAGE ".ir._attrs"));
    if (!module.is_valid())
      return nullptr;
    all.graphRef = PyObject_GetAttrString(module.ptr(), "GraphRef");
    all.scalars = PyObject_GetAttrString(module.ptr(), "scalar_classes");
    all.arrayAttr = PyObject_GetAttrString(module.ptr(), "ArrayAttr");
    if (!all.arrayAttr)
      return nullptr;
  }
  return &all;
}

namespace {

constexpr const char *kKinds =
    "bool, int, float, str, bytes, DType, Type, Tensor, NumPy array, GraphRef or Graph, a list or "
    "tuple of one of these, or a dict with str keys";

bool raiseStatus(GeStatus s) {
  if (s)
    raise(s);
  return s == GE_OK;
}

/// The width that the class of an int, float or tuple subclass forces (its `dtype`), else `usual`.
GeDType forcedWidth(PyObject *object, GeDType usual, bool &forced) {
  PyObject *dtype = PyObject_GetAttrString(object, "dtype");
  forced = dtype && isDType(dtype);
  GeDType width = forced ? payload<DTypeObject>(dtype).dtype : usual;
  if (!dtype)
    PyErr_Clear();
  Py_XDECREF(dtype);
  return width;
}

bool toInt64(PyObject *object, int64_t &out) {
  int overflow;
  out = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow) {
    PyErr_Format(PyExc_OverflowError, "an integer attribute has 64 bits; %R has more", object);
    return false;
  }
  return out != -1 || !PyErr_Occurred();
}

bool intAttribute(ContextState &state, PyObject *object, GeAttribute &out) {
  const Widths &w = widths();
  GeDType width = w.i64;
  if (!PyLong_CheckExact(object)) {
    bool forced;
    width = forcedWidth(object, w.i64, forced);
  }
  int64_t value;
  if (width == widths().u64) {
    value = int64_t(PyLong_AsUnsignedLongLong(object)); // OverflowError is Python's
    if (value == -1 && PyErr_Occurred())
      return false;
  } else if (!toInt64(object, value)) {
    return false;
  }
  return raiseStatus(geAttributeInt(state.context(), value, width, &out));
}

bool floatAttribute(ContextState &state, PyObject *object, GeAttribute &out) {
  const Widths &w = widths();
  GeDType width = w.f32;
  if (!PyFloat_CheckExact(object)) {
    bool forced;
    width = forcedWidth(object, w.f32, forced);
  }
  double value = PyFloat_AsDouble(object);
  return raiseStatus(geAttributeFloat(state.context(), value, width, &out));
}

enum class ItemKind { None, Bool, Int, Float, Other };
ItemKind kindOf(PyObject *item) {
  if (PyBool_Check(item))
    return ItemKind::Bool;
  if (PyLong_Check(item))
    return ItemKind::Int;
  if (PyFloat_Check(item))
    return ItemKind::Float;
  return ItemKind::Other;
}

/// Converts NumPy scalars, most of which are neither int nor float. Returns null without an
/// exception for other objects.
PyObject *fromNumpyScalar(PyObject *object) {
  PyObject *type = reinterpret_cast<PyObject *>(Py_TYPE(object));
  bool ours = attributeStartsWith(type, "__module__", "numpy") ||
              attributeStartsWith(type, "__module__", "ml_dtypes");
  // Arrays have `item` too, but also a length or a buffer, which is used instead.
  if (!ours || !PyObject_HasAttrString(object, "item") ||
      PyObject_HasAttrString(object, "__setitem__"))
    return nullptr;
  PyObject *item = PyObject_CallMethod(object, "item", nullptr);
  if (item && Py_TYPE(item) != Py_TYPE(object))
    return item;
  PyErr_Clear();
  Py_XDECREF(item);
  // `item` of an ml_dtypes scalar returns the scalar itself.
  PyObject *number = PyNumber_Float(object);
  if (!number)
    PyErr_Clear();
  return number;
}

/// NumPy's numbers in a tuple become Python's, whatever they stand among. Invalid with an
/// exception.
nb::object withPlainNumbers(const nb::object &tuple) {
  nb::object changed;
  for (Py_ssize_t i = 0; i < Py_SIZE(tuple.ptr()); ++i) {
    PyObject *item = PyTuple_GetItem(tuple.ptr(), i);
    if (kindOf(item) != ItemKind::Other || PyUnicode_Check(item) || PyBytes_Check(item))
      continue;
    PyObject *plain = fromNumpyScalar(item);
    if (!plain)
      continue;
    if (!changed.is_valid())
      changed = nb::steal(PySequence_List(tuple.ptr()));
    if (!changed.is_valid() || PyList_SetItem(changed.ptr(), i, plain) < 0)
      return {};
  }
  return changed.is_valid() ? nb::steal(PyList_AsTuple(changed.ptr())) : tuple;
}

bool raiseMixed(PyObject *key) {
  PyErr_Format(
      PyExc_TypeError,
      "attribute %R: the elements of a list are of one kind: all bool, all int, all float (ints "
      "among floats count as floats), all str, ...",
      key ? key : Py_None);
  return false;
}

bool intArray(ContextState &state, PyObject *tuple, GeDType width, GeAttribute &out) {
  size_t count = size_t(Py_SIZE(tuple));
  int64_t few[16];
  std::vector<int64_t> many;
  int64_t *values = few;
  if (count > 16) {
    many.resize(count);
    values = many.data();
  }
  for (size_t i = 0; i < count; ++i) {
    PyObject *item = PyTuple_GetItem(tuple, Py_ssize_t(i));
    if (width == widths().u64) {
      values[i] = int64_t(PyLong_AsUnsignedLongLong(item));
      if (values[i] == -1 && PyErr_Occurred())
        return false;
    } else if (!toInt64(item, values[i])) {
      return false;
    }
  }
  return raiseStatus(geAttributeIntArray(state.context(), values, count, width, &out));
}

bool floatArray(ContextState &state, PyObject *tuple, bool wide, PyObject *key, GeAttribute &out) {
  size_t count = size_t(Py_SIZE(tuple));
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = PyFloat_AsDouble(PyTuple_GetItem(tuple, Py_ssize_t(i)));
    if (values[i] == -1.0 && PyErr_Occurred())
      return false;
  }
  if (wide)
    return raiseStatus(geAttributeDoubleArray(state.context(), values.data(), count, &out));
  std::vector<float> narrow(count);
  for (size_t i = 0; i < count; ++i) {
    narrow[i] = float(values[i]);
    if (std::isinf(narrow[i]) && !std::isinf(values[i])) {
      PyErr_Format(
          PyExc_OverflowError,
          "attribute %R: a float attribute has 32 bits; ArrayAttr(values, f64) holds larger ones",
          key ? key : Py_None);
      return false;
    }
  }
  return raiseStatus(geAttributeFloatArray(state.context(), narrow.data(), count, &out));
}

/// Attributes that are being collected; released in any case.
struct AttributeArray {
  std::vector<GeAttribute> values;
  ~AttributeArray() {
    for (GeAttribute a : values)
      geAttributeRelease(a);
  }
};

/// Whether bytes are UTF-8.
bool isText(PyObject *bytes) {
  nb::object text = nb::steal(PyUnicode_FromEncodedObject(bytes, "utf-8", nullptr));
  PyErr_Clear();
  return text.is_valid();
}

bool listAttribute(ContextState &state, PyObject *tuple, PyObject *key, GeAttribute &out) {
  AttributeArray elements;
  size_t count = size_t(Py_SIZE(tuple));
  elements.values.reserve(count);
  GeAttrKind kind = GE_ATTR_INVALID;
  bool hasText = false, hasBytes = false; // bytes that could have been text
  for (size_t i = 0; i < count; ++i) {
    GeAttribute element;
    if (!toAttribute(state, PyTuple_GetItem(tuple, Py_ssize_t(i)), key, element))
      return false;
    elements.values.push_back(element);
    GeAttrKind found = geAttributeGetKind(element);
    // Python has one list type for arrays of numbers and for lists of other attributes.
    if (found == GE_ATTR_ARRAY)
      found = GE_ATTR_LIST;
    // Strings of a file that are not UTF-8 are bytes in Python, even in a list with str.
    if (found == GE_ATTR_STRING)
      hasText = true;
    if (found == GE_ATTR_BYTES) {
      hasBytes = hasBytes || isText(PyTuple_GetItem(tuple, Py_ssize_t(i)));
      found = GE_ATTR_STRING;
    }
    if (hasText && hasBytes)
      return raiseMixed(key);
    if (kind == GE_ATTR_INVALID)
      kind = found;
    else if (kind != found)
      return raiseMixed(key);
  }
  return raiseStatus(geAttributeList(state.context(), elements.values.data(), count, &out));
}

/// Converts lists of plain ints, the most common ones. No Python code can run, so no copy is
/// needed. Returns false without an exception for other lists.
bool plainInts(ContextState &state, PyObject *object, GeAttribute &out) {
  bool isList = PyList_CheckExact(object);
  Py_ssize_t count = Py_SIZE(object);
  constexpr Py_ssize_t kFew = 16;
  if (count == 0 || count > kFew)
    return false;
  int64_t values[kFew];
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *item = isList ? PyList_GetItem(object, i) : PyTuple_GetItem(object, i);
    if (!PyLong_CheckExact(item) || !toInt64(item, values[i]))
      return false;
  }
  return raiseStatus(
      geAttributeIntArray(state.context(), values, size_t(count), widths().i64, &out));
}

bool sequenceAttribute(ContextState &state, PyObject *object, PyObject *key, GeAttribute &out) {
  if (PyList_CheckExact(object) || PyTuple_CheckExact(object)) {
    bool done = plainInts(state, object, out);
    if (done || PyErr_Occurred())
      return done;
  }
  // Copied to a tuple, because converting an element may run code that edits the list.
  nb::object tuple =
      nb::steal(PyList_Check(object) ? PyList_AsTuple(object) : PySequence_Tuple(object));
  if (!tuple.is_valid())
    return false;
  tuple = withPlainNumbers(tuple);
  if (!tuple.is_valid())
    return false;
  const Widths &w = widths();
  Py_ssize_t count = Py_SIZE(tuple.ptr());
  ItemKind kind = ItemKind::None;
  for (Py_ssize_t i = 0; i < count; ++i) {
    ItemKind found = kindOf(PyTuple_GetItem(tuple.ptr(), i));
    if (kind == ItemKind::None || kind == found)
      kind = found;
    else if ((kind == ItemKind::Int && found == ItemKind::Float) ||
             (kind == ItemKind::Float && found == ItemKind::Int))
      kind = ItemKind::Float;
    else
      return raiseMixed(key);
  }
  bool forced = false;
  GeDType width = 0;
  if (!PyList_CheckExact(object) && !PyTuple_CheckExact(object))
    width = forcedWidth(object, 0, forced);
  if (forced) {
    if (width == w.f64 || width == w.f32) {
      if (kind != ItemKind::None && kind != ItemKind::Int && kind != ItemKind::Float)
        return raiseMixed(key);
      return floatArray(state, tuple.ptr(), width == w.f64, key, out);
    }
    if (width == w.string)
      return listAttribute(state, tuple.ptr(), key, out);
    if (kind != ItemKind::None && kind != ItemKind::Int && kind != ItemKind::Bool)
      return raiseMixed(key);
    return intArray(state, tuple.ptr(), width, out);
  }
  switch (kind) {
  case ItemKind::Bool:
    return intArray(state, tuple.ptr(), w.boolean, out);
  case ItemKind::Int: {
    // An element of a class with a fixed width decides the width of the list.
    PyObject *first = PyTuple_GetItem(tuple.ptr(), 0);
    width = PyLong_CheckExact(first) ? w.i64 : forcedWidth(first, w.i64, forced);
    return intArray(state, tuple.ptr(), width, out);
  }
  case ItemKind::Float: {
    PyObject *first = PyTuple_GetItem(tuple.ptr(), 0);
    width = PyFloat_CheckExact(first) ? w.f32 : forcedWidth(first, w.f32, forced);
    return floatArray(state, tuple.ptr(), width == w.f64, key, out);
  }
  case ItemKind::Other:
    return listAttribute(state, tuple.ptr(), key, out);
  case ItemKind::None:
    break;
  }
  // An ArrayAttr without a dtype says "a list of anything".
  const AttrClasses *attrs = attrClasses();
  if (!attrs)
    return false;
  int isArrayAttr = PyObject_IsInstance(object, attrs->arrayAttr);
  if (isArrayAttr < 0)
    return false;
  if (isArrayAttr)
    return listAttribute(state, tuple.ptr(), key, out);
  PyErr_Format(
      PyExc_TypeError,
      "attribute %R: an empty list does not say what of; write ir.ArrayAttr([], ir.i64) (or "
      "ir.f32, ir.i1, ir.string), or ir.ArrayAttr([]) for a list of something else",
      key ? key : Py_None);
  return false;
}

bool dictAttribute(ContextState &state, PyObject *dict, GeAttribute &out) {
  AttributeArray values;
  std::vector<GeIdentifier> keys;
  // Copied for the same reason.
  nb::object items = nb::steal(PyDict_Items(dict));
  if (!items.is_valid())
    return false;
  for (Py_ssize_t i = 0; i < Py_SIZE(items.ptr()); ++i) {
    PyObject *pair = PyList_GetItem(items.ptr(), i);
    PyObject *name = PyTuple_GetItem(pair, 0);
    GeIdentifier key = state.identifier(name, "the key of a dict attribute");
    GeAttribute value;
    if (!key || !toAttribute(state, PyTuple_GetItem(pair, 1), name, value))
      return false;
    values.values.push_back(value);
    keys.push_back(key);
  }
  return raiseStatus(
      geAttributeDict(state.context(), keys.data(), values.values.data(), keys.size(), &out));
}

bool otherAttribute(ContextState &state, PyObject *object, PyObject *key, GeAttribute &out) {
  GeContext *context = state.context();
  if (isGraph(object)) {
    GeStringRef name;
    return raiseStatus(geGraphGetName(payload<GraphObject>(object).ref, &name)) &&
           raiseStatus(geAttributeGraph(context, name, &out));
  }
  if (PyObject *number = fromNumpyScalar(object)) {
    bool done = toAttribute(state, number, key, out);
    Py_DECREF(number);
    return done;
  }
  if (PyErr_Occurred())
    return false;
  if (isArrayLike(object)) {
    GeTensor *tensor;
    if (!toTensor(context, object, nullptr, false, tensor))
      return false;
    GeStatus s = geAttributeTensor(tensor, &out);
    geTensorRelease(tensor);
    return raiseStatus(s);
  }
  bool isClass = PyType_Check(object);
  nb::object type = nb::steal(PyObject_GetAttrString(
      isClass ? object : reinterpret_cast<PyObject *>(Py_TYPE(object)), "__name__"));
  if (!type.is_valid())
    return false;
  const char *article = isClass ? "the class" : "a";
  if (nb::object other = nb::steal(otherPackage(object)); other.is_valid())
    PyErr_Format(PyExc_TypeError,
                 "attribute %R must be of '%s', not %s %U of '%U': objects of two packages cross "
                 "as text",
                 key ? key : Py_None, GE_PYTHON_PACKAGE, article, type.ptr(), other.ptr());
  else
    PyErr_Format(PyExc_TypeError, "attribute %R cannot hold %s %U; it takes %s",
                 key ? key : Py_None, article, type.ptr(), kKinds);
  return false;
}

} // namespace

bool toAttribute(ContextState &state, PyObject *object, PyObject *key, GeAttribute &out) {
  if (hasAttributeBuilders()) [[unlikely]] {
    nb::object built = nb::steal(buildAttribute(state.context(), object));
    if (!built.is_valid() && PyErr_Occurred())
      return false;
    if (built.is_valid()) {
      if (Py_EnterRecursiveCall(" in an attribute builder"))
        return false;
      bool done = toAttribute(state, built.ptr(), key, out);
      Py_LeaveRecursiveCall();
      return done;
    }
  }
  if (PyBool_Check(object))
    return raiseStatus(geAttributeBool(object == Py_True, &out));
  if (PyLong_Check(object))
    return intAttribute(state, object, out);
  if (PyFloat_Check(object))
    return floatAttribute(state, object, out);
  if (PyUnicode_Check(object)) {
    GeStringRef text;
    if (!toText(object, "attribute", text))
      return false;
    if (!PyUnicode_CheckExact(object)) {
      const AttrClasses *attrs = attrClasses();
      int isRef = attrs ? PyObject_IsInstance(object, attrs->graphRef) : -1;
      if (isRef < 0)
        return false;
      if (isRef)
        return raiseStatus(geAttributeGraph(state.context(), text, &out));
    }
    return raiseStatus(geAttributeString(state.context(), text, &out));
  }
  if (PyList_Check(object) || PyTuple_Check(object)) {
    if (Py_EnterRecursiveCall(" in a nested attribute"))
      return false;
    bool done = sequenceAttribute(state, object, key, out);
    Py_LeaveRecursiveCall();
    return done;
  }
  if (isDType(object))
    return raiseStatus(geAttributeDType(payload<DTypeObject>(object).dtype, &out));
  if (isTensor(object))
    return raiseStatus(geAttributeTensor(payload<TensorObject>(object).ref, &out));
  if (isType(object))
    return raiseStatus(geAttributeType(payload<TypeObject>(object).ref, &out));
  if (PyBytes_Check(object)) {
    char *data;
    Py_ssize_t length;
    if (PyBytes_AsStringAndSize(object, &data, &length) < 0)
      return false;
    return raiseStatus(geAttributeBytes(state.context(), {data, size_t(length)}, &out));
  }
  if (PyDict_Check(object)) {
    if (Py_EnterRecursiveCall(" in a nested attribute"))
      return false;
    bool done = dictAttribute(state, object, out);
    Py_LeaveRecursiveCall();
    return done;
  }
  return otherAttribute(state, object, key, out);
}

} // namespace ge::python
