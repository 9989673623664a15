//===- Convert.cpp - strings, identifiers, sequences -------------------------------------------===//
#include "Convert.h"

#include "Errors.h"
#include "NodeObject.h"

namespace ge::python {

// The slot of an identifier holds a str, the slot of a context its state; a bit tells them apart.
static constexpr uintptr_t kStateBit = 1;

/// Called when the context is destroyed, on any thread, perhaps after the interpreter.
static void destroySlot(void *slot) {
  bool isState = reinterpret_cast<uintptr_t>(slot) & kStateBit;
  GilAcquire guard;
  if (!guard)
    return; // the interpreter and its memory are gone
  if (isState)
    delete reinterpret_cast<ContextState *>(reinterpret_cast<uintptr_t>(slot) & ~kStateBit);
  else
    Py_DECREF(static_cast<PyObject *>(slot));
}

ContextState &ContextState::of(GeContext *context) {
  auto bits = reinterpret_cast<uintptr_t>(geContextGetSlot(context));
  if (bits)
    return *reinterpret_cast<ContextState *>(bits & ~kStateBit);
  auto *state = new ContextState(context);
  geContextSetSlot(context,
                   reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(state) | kStateBit));
  geContextSetSlotDestructor(context, destroySlot);
  return *state;
}

ContextState::~ContextState() {
  for (Entry &entry : entries_)
    Py_XDECREF(entry.text);
}

ContextState::Entry &ContextState::entryOf(PyObject *text) {
  auto address = reinterpret_cast<uintptr_t>(text);
  Entry &entry = entries_[((address >> 4) ^ (address >> 13)) % kEntries];
  if (entry.text != text) {
    PyObject *old = std::exchange(entry.text, Py_NewRef(text));
    entry.identifier = nullptr;
    entry.op = nullptr;
    Py_XDECREF(old); // an exact str: runs no code
  }
  return entry;
}

GeIdentifier ContextState::identifier(PyObject *text, const char *what) {
  // A subclass may run arbitrary code, also in its destructor, so it is not cached.
  if (PyUnicode_CheckExact(text)) {
    Entry &entry = entryOf(text);
    if (entry.identifier)
      return entry.identifier;
  }
  GeStringRef string;
  if (!toText(text, what, string))
    return nullptr;
  GeIdentifier identifier;
  if (GeStatus s = geIdentifierGet(context_, string, &identifier)) {
    raise(s);
    return nullptr;
  }
  if (PyUnicode_CheckExact(text))
    entryOf(text).identifier = identifier;
  return identifier;
}

GeOperatorName ContextState::operatorName(PyObject *text) {
  if (PyUnicode_CheckExact(text)) {
    Entry &entry = entryOf(text);
    if (entry.op)
      return entry.op;
  }
  GeStringRef string;
  if (!toText(text, "operator", string))
    return nullptr;
  GeOperatorName op;
  if (GeStatus s = geOperatorNameParse(context_, string, &op)) {
    raise(s);
    return nullptr;
  }
  if (PyUnicode_CheckExact(text))
    entryOf(text).op = op;
  return op;
}

bool attributeStartsWith(PyObject *object, const char *attribute, std::string_view prefix) {
  nb::object value = nb::steal(PyObject_GetAttrString(object, attribute));
  Py_ssize_t length = 0;
  const char *text = value.is_valid() && PyUnicode_Check(value.ptr())
                         ? PyUnicode_AsUTF8AndSize(value.ptr(), &length)
                         : nullptr;
  PyErr_Clear();
  return text && std::string_view(text, size_t(length)).starts_with(prefix);
}

PyObject *newText(GeIdentifier identifier) {
  if (!identifier)
    return Py_NewRef(Py_None);
  if (auto *text = static_cast<PyObject *>(geIdentifierGetSlot(identifier)))
    return Py_NewRef(text);
  PyObject *text = newText(geIdentifierStr(identifier));
  if (!text)
    return nullptr;
  // Interned, so that comparing with a literal compares pointers.
  PyUnicode_InternInPlace(&text);
  geIdentifierSetSlot(identifier, Py_NewRef(text));
  return text;
}

void appendTo(GeStringRef piece, void *string) {
  static_cast<std::string *>(string)->append(piece.data, piece.length);
}

bool toType(PyObject *object, const char *what, GeType &out) {
  if (!isType(object)) {
    raiseType(what, "a Type", object);
    return false;
  }
  out = payload<TypeObject>(object).ref;
  return true;
}

bool toValue(PyObject *object, const char *what, bool optional, GeValueRef *&out,
             std::vector<GeValueRef *> &held) {
  if (isValue(object)) {
    out = payload<ValueObject>(object).ref;
    return true;
  }
  if (object == Py_None && optional) {
    out = nullptr;
    return true;
  }
  if (isNode(object)) {
    if (!toOnlyResult(object, what, out))
      return false;
    held.push_back(out);
    return true;
  }
  raiseType(what, optional ? "a Value or None" : "a Value", object);
  return false;
}

bool Items::load(PyObject *sequence, const char *what, const char *of, bool copy) {
  isList_ = PyList_CheckExact(sequence) && !copy;
  if (isList_ || PyTuple_CheckExact(sequence)) {
    fast_ = Py_NewRef(sequence);
  } else {
    // A str is a sequence of str, which is never intended.
    if (!PyUnicode_Check(sequence) && !PyBytes_Check(sequence))
      fast_ = (guardThread(), PySequence_Tuple(sequence));
    if (!fast_) {
      if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        raiseType(what, of, sequence);
      }
      return false;
    }
  }
  return true;
}

bool ValueRefs::load(PyObject *sequence, const char *what, const char *of) {
  if (!items_.load(sequence, what, of, true))
    return false;
  refs_.reserve(size_t(items_.size()));
  for (Py_ssize_t i = 0; i < items_.size(); ++i) {
    GeValueRef *ref;
    if (!toValue(items_[i], what, true, ref, held_))
      return false;
    refs_.push_back(ref);
  }
  return true;
}

bool ValueRefs::loadLists(PyObject *sequence, const char *what) {
  if (!items_.load(sequence, what, "a sequence of Value or None", true))
    return false;
  bool hasLists = false;
  for (Py_ssize_t i = 0; i < items_.size(); ++i)
    hasLists |= isItemList(items_[i]);
  auto add = [&](PyObject *item) {
    GeValueRef *ref;
    if (!toValue(item, "an operand", true, ref, held_))
      return false;
    refs_.push_back(ref);
    return true;
  };
  for (Py_ssize_t i = 0; i < items_.size(); ++i) {
    size_t before = refs_.size();
    if (isItemList(items_[i])) {
      Items inner; // of a list of the caller's: converting runs no Python code
      if (!inner.load(items_[i], "an operand", "a Value, a list of them, or None"))
        return false;
      for (Py_ssize_t k = 0; k < inner.size(); ++k)
        if (!add(inner[k]))
          return false;
    } else if (!(hasLists && items_[i] == Py_None) && !add(items_[i])) {
      return false;
    }
    if (hasLists)
      lengths_.push_back(int32_t(refs_.size() - before));
  }
  return true;
}

bool ValueRefs::loadResults(GeNodeRef *node) {
  size_t count = 0;
  GeStatus s = geNodeNumResults(node, &count);
  for (size_t i = 0; i < count && s == GE_OK; ++i) {
    GeValueRef *value;
    if ((s = geNodeGetResult(node, i, &value)) == GE_OK) {
      refs_.push_back(value);
      held_.push_back(value);
    }
  }
  if (s)
    raise(s);
  return s == GE_OK;
}

ValueRefs::~ValueRefs() {
  for (GeValueRef *ref : held_)
    geValueRelease(ref);
}

bool toIndex(PyObject *key, size_t size, const char *what, size_t &out) {
  Py_ssize_t index = PyNumber_AsSsize_t(key, PyExc_IndexError);
  if (index == -1 && PyErr_Occurred())
    return false;
  Py_ssize_t absolute = index < 0 ? index + Py_ssize_t(size) : index;
  if (absolute < 0 || absolute >= Py_ssize_t(size)) {
    PyErr_Format(PyExc_IndexError, "%s index %zd is out of range: there are %zu", what, index,
                 size);
    return false;
  }
  out = size_t(absolute);
  return true;
}

} // namespace ge::python
