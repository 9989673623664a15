//===- Arguments.cpp - Python arguments as the binder sees them -------------------------------===//
#include "Arguments.h"

#include "../IR/AttributeClasses.h"
#include <limits>

namespace ge::python {

namespace {

PyObject *objectOf(GeArg arg) { return static_cast<PyObject *>(const_cast<void *>(arg)); }

size_t sizeOf(void *, GeArg arg) {
  PyObject *o = objectOf(arg);
  return PyDict_Check(o) ? 2 * size_t(PyDict_Size(o)) : size_t(Py_SIZE(o));
}

/// Borrowed from the container.
PyObject *elementOf(PyObject *o, size_t index) {
  if (PyList_Check(o))
    return index < size_t(Py_SIZE(o)) ? PyList_GetItem(o, Py_ssize_t(index)) : Py_None;
  if (PyTuple_Check(o))
    return PyTuple_GetItem(o, Py_ssize_t(index));
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  for (size_t i = 0; i <= index / 2; ++i)
    if (!PyDict_Next(o, &position, &key, &value))
      return Py_None;
  return index % 2 ? value : key;
}

/// Whether looking at it runs no code of its class.
bool isInert(PyObject *o) {
  return isValue(o) || isNode(o) || o == Py_None || PyBool_Check(o) || PyLong_CheckExact(o) ||
         PyFloat_CheckExact(o) || PyUnicode_CheckExact(o) || isTensor(o);
}

/// Kept alive until the end of the call: looking at an element may run code that empties its list.
GeArg itemOf(void *held, GeArg arg, size_t index) {
  PyObject *item = elementOf(objectOf(arg), index);
  if (!isInert(item))
    static_cast<HeldItems *>(held)->push_back(nb::borrow(item));
  return item;
}

bool intValue(void *, GeArg arg, int64_t *out) {
  int overflow = 0;
  PyObject *o = objectOf(arg);
  nb::object number = PyLong_Check(o) ? nb::object() : plainNumber(o);
  *out = PyLong_AsLongLongAndOverflow(number.is_valid() ? number.ptr() : o, &overflow);
  if (*out == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  return overflow == 0;
}

/// Infinite for an int that no double can hold.
double floatValue(void *, GeArg arg) {
  double value = PyFloat_AsDouble(objectOf(arg));
  if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_OverflowError))
    value = std::numeric_limits<double>::infinity();
  PyErr_Clear();
  return value;
}

GeStringRef strValue(void *, GeArg arg) {
  GeStringRef text{"", 0};
  Py_ssize_t length = 0;
  if (const char *data = PyUnicode_AsUTF8AndSize(objectOf(arg), &length))
    text = {data, size_t(length)};
  PyErr_Clear();
  return text;
}

/// For a class that is not registered, any object of no other kind may be an instance.
bool isInstance(void *, GeArg arg, GeSchemaType type) {
  PyObject *o = objectOf(arg);
  GeStringRef name = geSchemaTypeGetName(type);
  if (std::string_view(name.data, name.length) == "ValueType")
    return isType(o);
  if (geSchemaTypeGetKind(type) != GE_SCHEMA_CLASS)
    return false;
  if (nb::object known = nb::borrow(registeredClass(name)); known.is_valid()) {
    int is = PyObject_IsInstance(o, known.ptr());
    PyErr_Clear();
    return is == 1;
  }
  return kindOfArgument(o) == GE_ARG_OBJECT;
}

void describe(void *, GeArg arg, GeStringCallback callback, void *data) {
  PyObject *o = objectOf(arg);
  std::string text;
  nb::object name =
      nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(o)), "__name__"));
  GeStringRef word{"object", 6};
  if (name.is_valid())
    word = strValue(nullptr, name.ptr());
  if (o == Py_None) {
    text = "None";
  } else if (PyList_Check(o) || PyTuple_Check(o) || PyDict_Check(o)) {
    Py_ssize_t size = PyDict_Check(o) ? PyDict_Size(o) : Py_SIZE(o);
    text = std::string(word.data, word.length) + " of " + std::to_string(size);
  } else if (PyBool_Check(o) || PyLong_Check(o) || PyFloat_Check(o) || PyUnicode_Check(o)) {
    nb::object repr = nb::steal(PyObject_Repr(o));
    text.assign(word.data, word.length);
    if (repr.is_valid()) {
      GeStringRef shown = strValue(nullptr, repr.ptr());
      constexpr size_t kMost = 40;
      text += ' ';
      text.append(shown.data, std::min(shown.length, kMost));
      if (shown.length > kMost)
        text += "...";
    }
  } else {
    text.assign(word.data, word.length);
    if (nb::object other = nb::steal(otherPackage(o)); other.is_valid()) {
      GeStringRef package = strValue(nullptr, other.ptr());
      text.append(" of '").append(package.data, package.length);
      text += "', not of '" GE_PYTHON_PACKAGE "': objects of two packages cross as text";
    }
  }
  PyErr_Clear();
  callback(stringRef(text), data);
}

GeArgKind kind(void *, GeArg arg) { return kindOfArgument(objectOf(arg)); }

GeArgKind callKind(void *, GeArg arg) {
  PyObject *o = objectOf(arg);
  if (isTensor(o))
    return GE_ARG_VALUE;
  GeArgKind found = kindOfArgument(o);
  if (found == GE_ARG_ARRAY)
    return GE_ARG_VALUE;
  return found == GE_ARG_VALUE ? GE_ARG_OBJECT : found;
}

/// An array may also be a TensorLiteral, and a number of NumPy in a list a Tensor.
bool isCallInstance(void *data, GeArg arg, GeSchemaType type) {
  GeStringRef text = geSchemaTypeGetName(type);
  std::string_view name(text.data, text.length);
  if (name == "TensorLiteral")
    return isArrayLike(objectOf(arg));
  if (name == "Tensor")
    return isNumpyScalar(objectOf(arg));
  PyObject *o = objectOf(arg);
  return !isValue(o) && !isNode(o) && isInstance(data, arg, type);
}

} // namespace

bool isOpsObject(PyObject *object) {
  return objectClass && PyType_IsSubtype(Py_TYPE(object), objectClass);
}

PyObject *registeredClasses() {
  static PyObject *byKey = PyDict_New();
  return byKey;
}

PyObject *registeredClass(GeStringRef key) {
  std::string text(key.data, key.length);
  return PyDict_GetItemString(registeredClasses(), text.c_str());
}

bool isNumpyScalar(PyObject *object) {
  static PyObject *generic = nullptr;
  if (!generic) {
    nb::object modules = nb::borrow(PyImport_GetModuleDict());
    PyObject *numpy = PyDict_GetItemString(modules.ptr(), "numpy");
    generic = numpy ? PyObject_GetAttrString(numpy, "generic") : nullptr;
    PyErr_Clear();
  }
  return generic && PyObject_IsInstance(object, generic) == 1;
}

nb::object plainNumber(PyObject *object) {
  if (!isNumpyScalar(object))
    return {};
  auto isNumber = [](nb::handle o) {
    return o.is_valid() && (PyBool_Check(o.ptr()) || PyLong_Check(o.ptr()) ||
                            PyFloat_Check(o.ptr()) || PyComplex_Check(o.ptr()));
  };
  nb::object number = nb::steal(PyObject_CallMethod(object, "item", nullptr));
  // `item` of a scalar of ml_dtypes returns the scalar itself.
  if (number.is_valid() && Py_TYPE(number.ptr()) == Py_TYPE(object))
    number = nb::steal(PyNumber_Float(object));
  PyErr_Clear();
  return isNumber(number) ? number : nb::object();
}

GeArgKind kindOfArgument(PyObject *o) {
  if (isOpsObject(o))
    return GE_ARG_OBJECT; // whatever other protocols it has
  if (isValue(o) || isNode(o))
    return GE_ARG_VALUE;
  if (o == Py_None)
    return GE_ARG_NONE;
  if (PyBool_Check(o))
    return GE_ARG_BOOL;
  if (PyLong_Check(o))
    return isGEDataType(o) ? GE_ARG_DTYPE : GE_ARG_INT;
  if (PyFloat_Check(o))
    return GE_ARG_FLOAT;
  if (PyUnicode_Check(o))
    return GE_ARG_STR;
  if (PyList_Check(o))
    return GE_ARG_LIST;
  if (PyTuple_Check(o))
    return GE_ARG_TUPLE;
  if (isTensor(o))
    return GE_ARG_ARRAY;
  if (isDType(o))
    return GE_ARG_DTYPE;
  if (isGraph(o))
    return GE_ARG_GRAPH;
  if (PyBytes_Check(o))
    return GE_ARG_BYTES;
  if (PyDict_Check(o))
    return GE_ARG_DICT;
  if (PyComplex_Check(o))
    return GE_ARG_COMPLEX;
  if (isType(o))
    return GE_ARG_OBJECT;
  if (PyType_Check(o)) { // np.float32
    GeDType ignored;
    if (toDType(o, ignored))
      return GE_ARG_DTYPE;
    PyErr_Clear();
    return GE_ARG_OBJECT;
  }
  if (nb::object number = plainNumber(o); number.is_valid())
    return kindOfArgument(number.ptr());
  if (isArrayLike(o))
    return GE_ARG_ARRAY;
  GeDType ignored; // np.dtype("float32")
  if (attributeStartsWith(reinterpret_cast<PyObject *>(Py_TYPE(o)), "__module__", "numpy")) {
    if (toDType(o, ignored))
      return GE_ARG_DTYPE;
    PyErr_Clear();
  }
  return PyCallable_Check(o) ? GE_ARG_GRAPH : GE_ARG_OBJECT;
}

const GeArgView &argumentView() {
  static const GeArgView view{sizeof view, nullptr,    kind,     sizeOf,     itemOf,
                              intValue,    floatValue, strValue, isInstance, describe};
  return view;
}

const GeArgView &callArgumentView() {
  static const GeArgView view{sizeof view, nullptr,    callKind, sizeOf,         itemOf,
                              intValue,    floatValue, strValue, isCallInstance, describe};
  return view;
}

bool CallArguments::simple(PyObject *&object) {
  // The most common arguments.
  if (isValue(object) || object == Py_None || PyLong_CheckExact(object) ||
      PyFloat_CheckExact(object) || PyBool_Check(object) || PyUnicode_Check(object) ||
      PyList_CheckExact(object) || PyTuple_CheckExact(object) || isTensor(object) ||
      isOpsObject(object))
    return true;
  nb::object other = nb::steal(buildAttribute(context_, object));
  if (other.is_valid()) {
    object = other.ptr();
    held_.push_back(std::move(other));
    if (Py_EnterRecursiveCall(" in an attribute builder"))
      return false;
    bool good = simple(object);
    Py_LeaveRecursiveCall();
    return good;
  }
  if (PyErr_Occurred())
    return false;
  if (isNumpyScalar(object)) {
    other = plainNumber(object);
    if (!other.is_valid()) // text, or a time
      other = nb::steal(PyObject_CallMethod(object, "item", nullptr));
  } else if (kindOfArgument(object) == GE_ARG_OBJECT && PySequence_Check(object)) {
    other = nb::steal(PySequence_Tuple(object));
  } else {
    return true;
  }
  if (!other.is_valid())
    return false;
  object = other.ptr();
  held_.push_back(std::move(other));
  return true;
}

bool CallArguments::addPositional(PyObject *object) {
  if (!context_ && isValue(object))
    context_ = geRefGetContext(payload<ValueObject>(object).ref);
  bool good = simple(object);
  positional_.push_back(object);
  return good;
}

bool CallArguments::addKeyword(PyObject *name, PyObject *value) {
  GeKeyword word{};
  bool good = toText(name, "keyword", word.name) && simple(value);
  word.value = value;
  keywords_.push_back(word);
  return good;
}

GeStatus CallArguments::bind(GeOpDef op, const GeBindOptions &options, BoundArgs &out,
                             GeBindFault &fault) const {
  HeldItems held;
  const GeArgView view = holding(held);
  return geOpDefBind(op, &view, positional_.data(), positional_.size(), keywords_.data(),
                     keywords_.size(), &options, out.data(), out.size(), &fault);
}

GeStatus CallArguments::resolve(const std::vector<GeOpDef> &ops, const GeBindOptions &options,
                                BoundArgs &out, size_t &chosen, GeBindFault &fault) const {
  HeldItems held;
  const GeArgView view = holding(held);
  return geOpDefResolve(ops.data(), ops.size(), &view, positional_.data(), positional_.size(),
                        keywords_.data(), keywords_.size(), &options, out.data(), out.size(),
                        &chosen, &fault);
}

PyObject *raiseBind(GeOpDef op, const std::string &message, const std::string &argument,
                    const std::string &reason) {
  try {
    GeOpInfo info;
    check(geOpDefGetInfo(op, &info));
    static PyObject *type = nullptr;
    if (!type)
      type = nb::object(importModule(GE_PYTHON_PREFIX "._ge.ir").attr("BindError")).release().ptr();
    nb::object error = nb::borrow(type)(str(message));
    error.attr("op") = str(qualifiedName(info));
    error.attr("argument") = argument.empty() ? nb::object(nb::none()) : nb::object(str(argument));
    error.attr("reason") = str(reason);
    error.attr("schema") = str(printed(op, "canonical"));
    PyErr_SetObject(type, error.ptr());
  } catch (nb::python_error &e) {
    e.restore();
  }
  return nullptr;
}

PyObject *raiseBind(GeOpDef op, GeStatus status, const GeBindFault &fault) {
  if (status != GE_ERROR_TYPE || fault.kind == GE_FAULT_NONE)
    return raise(status);
  GeStringRef message = geErrorMessage();
  return raiseBind(op, std::string(message.data, message.length),
                   std::string(fault.argument.data, fault.argument.length),
                   std::string(fault.reason.data, fault.reason.length));
}

} // namespace ge::python
