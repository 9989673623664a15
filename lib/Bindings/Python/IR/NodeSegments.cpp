//===- NodeSegments.cpp - lengths of operand and result lists of a node -----------------------===//
#include "NodeObject.h"

#include "Convert.h"
#include "Errors.h"
#include "Scope.h"

#include <algorithm>
#include <array>
#include <vector>

namespace ge::python {

namespace {

using GetLengths = GeStatus (*)(GeNodeRef *, int32_t *, size_t, size_t *, bool *);
using SetLengths = GeStatus (*)(GeNodeRef *, const int32_t *, size_t);

PyObject *lengthsOf(PyObject *self, GetLengths get) {
  GeNodeRef *node = payload<NodeObject>(self).ref;
  std::array<int32_t, 16> few{};
  std::vector<int32_t> many;
  int32_t *lengths = few.data();
  size_t count = 0;
  bool known = false;
  GeStatus s = get(node, lengths, few.size(), &count, &known);
  if (s == GE_OK && count > few.size()) {
    many.resize(count);
    lengths = many.data();
    s = get(node, lengths, many.size(), &count, &known);
    count = std::min(count, many.size());
  }
  if (s)
    return raise(s);
  if (!known)
    Py_RETURN_NONE;
  nb::object tuple = nb::steal(checked(PyTuple_New(Py_ssize_t(count))));
  for (size_t i = 0; i < count; ++i)
    checked(PyTuple_SetItem(tuple.ptr(), Py_ssize_t(i), PyLong_FromLong(lengths[i])));
  return tuple.release().ptr();
}

int setLengths(PyObject *self, PyObject *value, const char *what, SetLengths set) {
  std::vector<int32_t> lengths;
  if (value && value != Py_None) {
    Items items;
    if (!items.load(value, what, "a sequence of int or None", true))
      return -1;
    for (Py_ssize_t i = 0; i < items.size(); ++i) {
      Py_ssize_t length = PyNumber_AsSsize_t(items[i], PyExc_OverflowError);
      if (length == -1 && PyErr_Occurred())
        return -1;
      if (length < INT32_MIN || length > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "%s: no list is %zd long", what, length);
        return -1;
      }
      lengths.push_back(int32_t(length));
    }
  }
  GeNodeRef *node = payload<NodeObject>(self).ref;
  TracedEdit traced(node);
  GeStatus s = set(node, lengths.data(), lengths.size());
  if (s)
    raise(s);
  return s ? -1 : 0;
}

/// The number of an operand parameter, by number or name.
bool toParameter(PyObject *self, PyObject *object, size_t &out) {
  if (PyUnicode_Check(object)) {
    nb::object number = nb::steal(
        PyObject_CallMethod(typedViews().ptr(), "_operand_parameter", "OO", self, object));
    if (!number.is_valid())
      return false;
    out = PyLong_AsSize_t(number.ptr());
    return !PyErr_Occurred();
  }
  Py_ssize_t number = PyNumber_AsSsize_t(object, PyExc_IndexError);
  if (number == -1 && PyErr_Occurred())
    return false;
  out = number < 0 ? SIZE_MAX : size_t(number);
  return true;
}

} // namespace

PyObject *operandSegmentsOf(PyObject *node, void *) {
  return lengthsOf(node, geNodeGetOperandSegments);
}
int setOperandSegmentsOf(PyObject *node, PyObject *lengths, void *) {
  return setLengths(node, lengths, "operand_segments", geNodeSetOperandSegments);
}
PyObject *resultSegmentsOf(PyObject *node, void *) {
  return lengthsOf(node, geNodeGetResultSegments);
}
int setResultSegmentsOf(PyObject *node, PyObject *lengths, void *) {
  return setLengths(node, lengths, "result_segments", geNodeSetResultSegments);
}

PyObject *insertOperandOf(PyObject *node, PyObject *const *args, Py_ssize_t count,
                          PyObject *names) {
  constexpr const char *kNames[] = {"index", "value", "parameter"};
  constexpr size_t kCount = std::size(kNames);
  PyObject *given[kCount] = {};
  Py_ssize_t keywords = names ? Py_SIZE(names) : 0;
  if (count > Py_ssize_t(kCount)) {
    PyErr_SetString(PyExc_TypeError, "insert_operand() takes index, value and parameter");
    return nullptr;
  }
  for (Py_ssize_t i = 0; i < count; ++i)
    given[i] = args[i];
  for (Py_ssize_t k = 0; k < keywords; ++k) {
    PyObject *name = PyTuple_GetItem(names, k);
    size_t i = 0;
    while (i < kCount && PyUnicode_CompareWithASCIIString(name, kNames[i]) != 0)
      ++i;
    if (i == kCount || given[i]) {
      PyErr_Format(PyExc_TypeError, "insert_operand() got %s '%U'",
                   i == kCount ? "an unexpected keyword argument" : "two values for", name);
      return nullptr;
    }
    given[i] = args[count + k];
  }
  if (!given[0] || !given[1]) {
    PyErr_SetString(PyExc_TypeError, "insert_operand() needs an index and a value");
    return nullptr;
  }
  GeNodeRef *ref = payload<NodeObject>(node).ref;
  size_t size = 0, index = 0, parameter = SIZE_MAX;
  if (GeStatus s = geNodeNumOperands(ref, &size))
    return raise(s);
  if (!toIndex(given[0], size + 1, "operand", index) ||
      (given[2] && given[2] != Py_None && !toParameter(node, given[2], parameter)))
    return nullptr;
  std::vector<GeValueRef *> held;
  GeValueRef *value = nullptr;
  GeStatus s = GE_OK;
  bool good = toValue(given[1], "an operand", true, value, held);
  if (good) {
    TracedEdit traced(ref);
    bool isNamed = given[2] && given[2] != Py_None;
    s = isNamed ? geNodeInsertOperandOf(ref, parameter, index, value)
                : geNodeInsertOperand(ref, index, value);
  }
  for (GeValueRef *each : held)
    geValueRelease(each);
  if (!good)
    return nullptr;
  if (s)
    return raise(s);
  Py_RETURN_NONE;
}

} // namespace ge::python
