//===- Convert.h - Python values to the C API and back -----------------------------------------===//
//
// Functions named to... take a borrowed Python object and return false with a Python exception set;
// new... return a new Python reference, or null with an exception.
//
#ifndef GE_BINDINGS_PYTHON_IR_CONVERT_H
#define GE_BINDINGS_PYTHON_IR_CONVERT_H

#include "Errors.h"
#include "Gil.h"
#include "Objects.h"

// Without it a cast to string_view looks for a bound class of that name.
#include <nanobind/stl/string_view.h>

#include <string>
#include <vector>

namespace ge::python {

/// Per-context cache of identifiers, keyed by the address of the Python string: a literal in a
/// program is the same object each time. Lives as long as the context.
class ContextState {
public:
  static ContextState &of(GeContext *context);
  GeContext *context() const { return context_; }
  PyObject *wrapper = nullptr; ///< borrowed
  struct Handler {
    uint64_t token;
    PyObject *callback; ///< the C library's own reference
  };
  std::vector<Handler> handlers; ///< attached from Python

  /// Null with a Python exception. `text` must be a str, else TypeError naming `what`.
  GeIdentifier identifier(PyObject *text, const char *what);
  GeOperatorName operatorName(PyObject *text);

  explicit ContextState(GeContext *context) : context_(context) {}
  ~ContextState();

private:
  struct Entry {
    PyObject *text; ///< owned, so that no other string gets this address
    GeIdentifier identifier;
    GeOperatorName op;
  };
  static constexpr size_t kEntries = 512;
  Entry &entryOf(PyObject *text);
  GeContext *context_;
  Entry entries_[kEntries] = {};
};

inline ContextState &stateOf(GeRef *ref) { return ContextState::of(geRefGetContext(ref)); }

inline bool toText(PyObject *object, const char *what, GeStringRef &out) {
  if (!PyUnicode_Check(object)) {
    raiseType(what, "str", object);
    return false;
  }
  Py_ssize_t length;
  out.data = PyUnicode_AsUTF8AndSize(object, &length);
  out.length = size_t(length);
  return out.data != nullptr;
}
/// As above; None is the empty text.
inline bool toOptionalText(PyObject *object, const char *what, GeStringRef &out) {
  out = {"", 0};
  return !object || object == Py_None || toText(object, what, out);
}
/// Returns whether `object` has a str attribute that starts with `prefix`. Never leaves an
/// exception set.
bool attributeStartsWith(PyObject *object, const char *attribute, std::string_view prefix);
inline PyObject *newText(GeStringRef text) {
  return PyUnicode_FromStringAndSize(text.data, Py_ssize_t(text.length));
}
/// Returns the interned str object of an identifier, the same one each time; None for a null
/// identifier.
PyObject *newText(GeIdentifier identifier);
inline GeStringRef stringRef(const std::string &s) { return {s.data(), s.size()}; }
inline GeStringRef stringRef(const char *s) { return {s, std::char_traits<char>::length(s)}; }
/// Collects what the C API prints.
void appendTo(GeStringRef piece, void *string);

bool toType(PyObject *object, const char *what, GeType &out);
/// DType objects, names, NumPy's dtypes and scalar types, ge.graph.DataType.
bool toDType(PyObject *object, GeDType &out);
/// Whether it is a member of ge.graph.DataType: an int that must not be taken for one.
bool isGEDataType(PyObject *object);
/// A Value, or a Node with one result (whose reference is kept in `held`), or None for null.
bool toValue(PyObject *object, const char *what, bool optional, GeValueRef *&out,
             std::vector<GeValueRef *> &held);
/// One attribute; the caller releases it. `key` is for messages.
bool toAttribute(ContextState &state, PyObject *object, PyObject *key, GeAttribute &out);
/// Takes the reference over.
PyObject *newAttribute(GeAttribute attribute);
/// The shortest decimal that reads back as this float.
double shortestDouble(float value);

/// Converts anything that holds dense data: a Tensor, a NumPy array, a DLPack or buffer exporter,
/// nested lists of numbers. If `type` is null, the type is derived from the data. Returns a new
/// reference.
bool toTensor(GeContext *context, PyObject *object, GeType type, bool copy, GeTensor *&out);
/// Returns whether toTensor accepts the object without treating it as a list or number.
bool isArrayLike(PyObject *object);

/// A sequence as borrowed items, for as long as it lives. Not a str.
class Items {
public:
  /// False with an exception: `what` must be a sequence of `of`. `copy`: items stay the same and
  /// alive while Python code runs.
  bool load(PyObject *sequence, const char *what, const char *of, bool copy = false);
  ~Items() { Py_XDECREF(fast_); }
  Items() = default;
  Items(const Items &) = delete;
  /// The current size of a list, which a callback may have changed.
  Py_ssize_t size() const { return fast_ ? Py_SIZE(fast_) : 0; }
  /// The list or tuple that owns the items; borrowed.
  PyObject *object() const { return fast_; }
  /// The item at an index below size(); borrowed.
  PyObject *operator[](Py_ssize_t i) const {
    return isList_ ? PyList_GetItem(fast_, i) : PyTuple_GetItem(fast_, i);
  }

private:
  PyObject *fast_ = nullptr;
  bool isList_ = false;
};

/// Whether an item of operands or result types is a list of them, for a parameter of its own.
inline bool isItemList(PyObject *item) { return PyList_Check(item) || PyTuple_Check(item); }

/// Values (null: absent) as references, for one call of the C API.
class ValueRefs {
public:
  /// A sequence of Value or None. False with an exception: `what` must be `of`.
  bool load(PyObject *sequence, const char *what, const char *of = "a sequence of Value or None");
  /// The same, or with one item for each operand parameter if one of them is a list or tuple of
  /// Value or None: fills lengths().
  bool loadLists(PyObject *sequence, const char *what);
  /// All results of a node.
  bool loadResults(GeNodeRef *node);
  ~ValueRefs();
  GeValueRef *const *data() const { return refs_.data(); }
  size_t size() const { return refs_.size(); }
  const std::vector<int32_t> &lengths() const { return lengths_; } ///< empty: no lists

private:
  std::vector<int32_t> lengths_;
  Items items_; // keeps the values alive that an iterator created for this call
  std::vector<GeValueRef *> refs_, held_;
};

/// Index of a sequence protocol call: negative counts from the end. False with IndexError.
bool toIndex(PyObject *key, size_t size, const char *what, size_t &out);

/// A TensorShape of the items of a tuple, whose reference it takes. Null with a Python error.
PyObject *newTensorShape(PyObject *tuple);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_CONVERT_H
