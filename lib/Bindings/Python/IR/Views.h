//===- Views.h - sequences over the C API ------------------------------------------------------===//
//
// One table of functions for each kind of view, and the slots of its class made from it.
//
#ifndef GE_BINDINGS_PYTHON_IR_VIEWS_H
#define GE_BINDINGS_PYTHON_IR_VIEWS_H

#include "Convert.h"
#include "Errors.h"
#include "Scope.h"
#include "Sequences.h"

namespace ge::python {

struct ViewObject;

/// The functions of one kind of view. A missing function makes the operation a TypeError. Getters
/// return new references, or null with an exception.
struct ViewKind {
  const char *element; ///< for messages
  GeStatus (*size)(GeRef *ref, size_t *out);
  PyObject *(*get)(GeRef *ref, size_t index);
  bool (*set)(GeRef *ref, size_t index, PyObject *value);
  bool (*assign)(GeRef *ref, PyObject *values); ///< replaces all elements
  bool (*insert)(GeRef *ref, size_t index, PyObject *value);
  bool (*erase)(GeRef *ref, size_t index);
  PyObject *(*byName)(GeRef *ref, PyObject *name);
  PyObject *(*iterate)(PyObject *view) = nullptr; ///< set if indexing each element would be slow
};

struct ViewObject {
  PyObject *owner;
  GeRef *ref; ///< the owner's
  ViewObject() = default;
  ViewObject(const ViewObject &) = delete;
  ~ViewObject() { Py_XDECREF(owner); }
};

template <typename F> constexpr bool isSet(F *function) { return function != nullptr; }

inline bool ok(GeStatus s) {
  if (s)
    raise(s);
  return s == GE_OK;
}

inline PyTypeObject *viewIteratorClass;

/// Gets each element when it is reached, so iteration ends or raises exactly as indexing would.
struct ViewIteratorObject {
  PyObject *view;
  const ViewKind *kind;
  size_t index;
  ViewIteratorObject() = default;
  ViewIteratorObject(const ViewIteratorObject &) = delete;
  ~ViewIteratorObject() { Py_XDECREF(view); }
};
/// The slots of one kind of view, as functions of its constant table.
template <const ViewKind *kind> struct View : ViewObject {
  static inline PyTypeObject *type;
  static GeRef *refOf(PyObject *self) { return payload<ViewObject>(self).ref; }

  static PyObject *make(PyObject *owner, GeRef *ref) {
    PyObject *object = allocate(type);
    if (object) {
      payload<ViewObject>(object).owner = Py_NewRef(owner);
      payload<ViewObject>(object).ref = ref;
    }
    return object;
  }

  static Py_ssize_t length(PyObject *self) {
    size_t size;
    return ok(kind->size(refOf(self), &size)) ? Py_ssize_t(size) : -1;
  }

  static nb::list listOf(PyObject *self) {
    nb::list list;
    Py_ssize_t size = length(self);
    if (size < 0)
      throw nb::python_error();
    for (Py_ssize_t i = 0; i < size; ++i)
      list.append(nb::steal(checked(kind->get(refOf(self), size_t(i)))));
    return list;
  }

  static PyObject *item(PyObject *self, Py_ssize_t index) {
    Py_ssize_t size = length(self);
    if (size < 0)
      return nullptr;
    // PySequence_GetItem has already added the length to a negative one.
    if (index < 0 || index >= size) {
      PyErr_Format(PyExc_IndexError, "%s index %zd is out of range: there are %zd", kind->element,
                   index, size);
      return nullptr;
    }
    return kind->get(refOf(self), size_t(index));
  }

  static PyObject *subscript(PyObject *self, PyObject *key) {
    // Usually an int in range, which the C call itself checks.
    if (Py_TYPE(key) == &PyLong_Type) {
      Py_ssize_t index = PyLong_AsSsize_t(key);
      PyObject *element = index >= 0 ? kind->get(refOf(self), size_t(index)) : nullptr;
      if (element || (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_IndexError) &&
                      !PyErr_ExceptionMatches(PyExc_OverflowError)))
        return element;
      PyErr_Clear();
    }
    Py_ssize_t size = length(self);
    if (size < 0)
      return nullptr;
    if (PySlice_Check(key)) {
      Py_ssize_t start, stop, step;
      if (PySlice_Unpack(key, &start, &stop, &step) < 0)
        return nullptr;
      Py_ssize_t count = PySlice_AdjustIndices(size, &start, &stop, step);
      PyObject *list = PyList_New(count);
      for (Py_ssize_t i = 0; list && i < count; ++i) {
        PyObject *element = kind->get(refOf(self), size_t(start + i * step));
        if (!element)
          Py_CLEAR(list);
        else
          PyList_SetItem(list, i, element);
      }
      return list;
    }
    if (isSet(kind->byName) && PyUnicode_Check(key))
      return kind->byName(refOf(self), key);
    size_t index;
    return toIndex(key, size_t(size), kind->element, index) ? kind->get(refOf(self), index)
                                                            : nullptr;
  }

  static int assignSubscript(PyObject *self, PyObject *key, PyObject *value) {
    Py_ssize_t size = length(self);
    if (size < 0)
      return -1;
    if (PySlice_Check(key)) {
      if (!isSet(kind->assign)) {
        PyErr_Format(PyExc_TypeError, "%ss cannot be set or deleted by slice", kind->element);
        return -1;
      }
      // Applies the edit to a Python list and then assigns the list at once. Conversions that may
      // run user code, which could edit the graph, come first.
      try {
        nb::object given = nb::steal(value ? checked(PySequence_List(value)) : nullptr);
        Py_ssize_t start, stop, step;
        checked(PySlice_Unpack(key, &start, &stop, &step));
        nb::object slice = nb::slice(nb::int_(start), nb::int_(stop), nb::int_(step));
        nb::list all = listOf(self);
        checked(value ? PyObject_SetItem(all.ptr(), slice.ptr(), given.ptr())
                      : PyObject_DelItem(all.ptr(), slice.ptr()));
        return kind->assign(refOf(self), all.ptr()) ? 0 : -1;
      } catch (nb::python_error &e) {
        e.restore();
        return -1;
      }
    }
    size_t index;
    if (!toIndex(key, size_t(size), kind->element, index))
      return -1;
    bool change = value ? isSet(kind->set) : isSet(kind->erase);
    if (!change) {
      PyErr_Format(PyExc_TypeError, "an %s cannot be %s", kind->element, value ? "set" : "deleted");
      return -1;
    }
    bool done = value ? kind->set(refOf(self), index, value) : kind->erase(refOf(self), index);
    return done ? 0 : -1;
  }

  static PyObject *iterate(PyObject *self) {
    if (isSet(kind->iterate))
      return kind->iterate(self);
    if (length(self) < 0)
      return nullptr;
    PyObject *object = allocate(viewIteratorClass);
    if (object) {
      auto &it = payload<ViewIteratorObject>(object);
      it.view = Py_NewRef(self);
      it.kind = kind;
      it.index = 0;
    }
    return object;
  }

  static PyObject *compare(PyObject *self, PyObject *other, int op) {
    if ((op != Py_EQ && op != Py_NE) ||
        !(PyList_Check(other) || PyTuple_Check(other) || Py_TYPE(other) == type)) {
      Py_INCREF(Py_NotImplemented);
      return Py_NotImplemented;
    }
    nb::object a = nb::steal(PySequence_List(self)), b = nb::steal(PySequence_List(other));
    return a.is_valid() && b.is_valid() ? PyObject_RichCompare(a.ptr(), b.ptr(), op) : nullptr;
  }

  static inline PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void *>(refuseNew)},
      {Py_tp_init, reinterpret_cast<void *>(initNothing)},
      {Py_sq_length, slot<length>()},
      {Py_mp_length, slot<length>()},
      {Py_sq_item, slot<item>()},
      {Py_mp_subscript, slot<subscript>()},
      {Py_tp_iter, slot<iterate>()},
      {Py_tp_richcompare, slot<compare>()},
      {Py_tp_hash, reinterpret_cast<void *>(PyObject_HashNotImplemented)},
      // Set last, and only if elements can be assigned.
      {isSet(kind->set) || isSet(kind->erase) ? Py_mp_ass_subscript : 0,
       reinterpret_cast<void *>(assignSubscript)},
      {0, nullptr}};

  static nb::class_<View> bind(nb::module_ &m, const char *name, const char *doc) {
    nb::class_<View> c(m, name, nb::is_final(), nb::pooled(32), nb::type_slots(slots), doc);
    type = reinterpret_cast<PyTypeObject *>(Py_NewRef(c.ptr()));
    c.def("__repr__", [](nb::handle_t<View> self) { return nb::repr(listOf(self.ptr())); });
    c.def(
        "index",
        [](nb::handle_t<View> self, nb::handle value) {
          nb::list all = listOf(self.ptr());
          for (size_t i = 0; i < all.size(); ++i)
            if (all[i].is(value) || all[i].equal(value))
              return i;
          throw nb::value_error("not among them");
        },
        nb::arg("value"), nb::sig("def index(self, value: object) -> int"),
        "Return the first index of `value`.\n\nRaises\n------\nValueError\n    If it is not among "
        "them.");
    c.def(
        "count",
        [](nb::handle_t<View> self, nb::handle value) {
          size_t n = 0;
          for (nb::handle item : listOf(self.ptr()))
            n += item.is(value) || item.equal(value);
          return n;
        },
        nb::arg("value"), nb::sig("def count(self, value: object) -> int"),
        "Return how often `value` is among them.");
    return c;
  }
};

// The owner's reference; null only for objects that were not created properly.
template <const ViewKind *kind, typename Owner> PyObject *viewOf(PyObject *owner) {
  return View<kind>::make(owner, payload<Owner>(owner).ref);
}

/// Assignment to the whole property.
inline int assignAll(const ViewKind &kind, GeRef *ref, PyObject *values) {
  if (!values) {
    PyErr_Format(PyExc_AttributeError, "the %ss cannot be deleted; assign an empty list",
                 kind.element);
    return -1;
  }
  return kind.assign(ref, values) ? 0 : -1;
}

inline GeNodeRef *nodeOf(GeRef *ref) { return static_cast<GeNodeRef *>(ref); }
inline GeGraphRef *graphOf(GeRef *ref) { return static_cast<GeGraphRef *>(ref); }

/// Changes one operand of a node; `object` is a Value, a Node or None.
bool editOperand(GeRef *node, PyObject *object, const char *what,
                 GeStatus (*use)(GeNodeRef *, size_t, GeValueRef *), size_t index);

/// Applies a method of list to all elements and assigns the result.
template <const ViewKind *kind, typename... Args>
nb::object asList(nb::handle self, const char *method, Args... args) {
  nb::list all = View<kind>::listOf(self.ptr());
  nb::object result = all.attr(method)(args...);
  if (!kind->assign(View<kind>::refOf(self.ptr()), all.ptr()))
    throw nb::python_error();
  return result;
}

template <const ViewKind *kind> void bindEditing(nb::class_<View<kind>> &c) {
  c.def(
       "insert",
       [](nb::handle_t<View<kind>> self, Py_ssize_t index, nb::handle value) {
         Py_ssize_t size = View<kind>::length(self.ptr());
         if (size < 0)
           throw nb::python_error();
         // Like list.insert: an index out of range means the nearer end.
         index = index < 0 ? (index + size < 0 ? 0 : index + size) : (index > size ? size : index);
         if (!kind->insert(View<kind>::refOf(self.ptr()), size_t(index), value.ptr()))
           throw nb::python_error();
       },
       nb::arg("index"), nb::arg("value").none(),
       nb::sig("def insert(self, index: int, value: Value | Node | None) -> None"),
       "Insert one before `index`; None is an absent one. Cost: O(those after it).")
      .def(
          "append",
          [](nb::handle_t<View<kind>> self, nb::handle value) {
            Py_ssize_t size = View<kind>::length(self.ptr());
            if (size < 0 || !kind->insert(View<kind>::refOf(self.ptr()), size_t(size), value.ptr()))
              throw nb::python_error();
          },
          nb::arg("value").none(), nb::sig("def append(self, value: Value | Node | None) -> None"),
          "Add one at the end; None is an absent one.")
      .def(
          "extend",
          [](nb::handle_t<View<kind>> self, nb::handle values) {
            // Convert the values first: an iterator may edit the graph.
            nb::object more = nb::steal(checked(PySequence_List(values.ptr())));
            nb::list all = View<kind>::listOf(self.ptr());
            all.attr("extend")(more);
            if (!kind->assign(View<kind>::refOf(self.ptr()), all.ptr()))
              throw nb::python_error();
          },
          nb::arg("values"),
          nb::sig(
              "def extend(self, values: collections.abc.Iterable[Value | Node | None]) -> None"),
          "Add several at the end.")
      .def(
          "__iadd__",
          [](nb::handle_t<View<kind>> self, nb::handle values) {
            self.attr("extend")(values);
            return nb::borrow(self);
          },
          nb::sig("def __iadd__(self, values: collections.abc.Iterable[Value | Node | None]) -> "
                  "typing.Self"))
      .def(
          "pop",
          [](nb::handle_t<View<kind>> self, Py_ssize_t index) {
            nb::list all = View<kind>::listOf(self.ptr());
            auto size = Py_ssize_t(nb::len(all));
            Py_ssize_t place = index < 0 ? index + size : index;
            nb::object result = all.attr("pop")(index);
            if (!kind->erase(View<kind>::refOf(self.ptr()), size_t(place)))
              throw nb::python_error();
            return result;
          },
          nb::arg("index") = -1, nb::sig("def pop(self, index: int = -1) -> Value | None"),
          "Take one out and return it. Cost: O(all).\n\nRaises\n------\nIndexError")
      .def(
          "remove",
          [](nb::handle_t<View<kind>> self, nb::handle value) {
            size_t place = nb::cast<size_t>(View<kind>::listOf(self.ptr()).attr("index")(value));
            if (!kind->erase(View<kind>::refOf(self.ptr()), place))
              throw nb::python_error();
          },
          nb::arg("value").none(), nb::sig("def remove(self, value: Value | None) -> None"),
          "Take the first `value` out. Cost: O(all).\n\nRaises\n------\nValueError\n    If it is "
          "not among them.")
      .def(
          "reverse", [](nb::handle_t<View<kind>> self) { asList<kind>(self, "reverse"); },
          nb::sig("def reverse(self) -> None"), "Turn the order round. Cost: O(all).")
      .def(
          "clear", [](nb::handle_t<View<kind>> self) { asList<kind>(self, "clear"); },
          nb::sig("def clear(self) -> None"), "Take all out. Cost: O(all).");
}

inline void registerAs(nb::handle type, const char *abstract) {
  importModule("_collections_abc").attr(abstract).attr("register")(type);
}

void populateNodeViews(nb::module_ &m);
void populateGraphViews(nb::module_ &m);
void populateUseViews(nb::module_ &m);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_VIEWS_H
