//===- UseViews.cpp - uses of a value ----------------------------------------------------------===//
#include "Views.h"

#include <algorithm>

namespace ge::python {

namespace {

PyObject *iterateUses(PyObject *self);

constexpr ViewKind kUses = {
    "use",
    [](GeRef *ref, size_t *out) {
      return geValueGetUses(static_cast<GeValueRef *>(ref), nullptr, 0, out);
    },
    [](GeRef *ref, size_t i) -> PyObject * {
      size_t count;
      if (GeStatus s = geValueGetUses(static_cast<GeValueRef *>(ref), nullptr, 0, &count))
        return raise(s);
      std::vector<GeUse> uses(i < count ? i + 1 : 0);
      if (GeStatus s =
              geValueGetUses(static_cast<GeValueRef *>(ref), uses.data(), uses.size(), &count))
        return raise(s);
      size_t filled = std::min(count, uses.size());
      for (size_t k = 0; k + 1 < filled; ++k)
        geNodeRelease(uses[k].node);
      if (filled <= i) {
        if (filled)
          geNodeRelease(uses[filled - 1].node);
        PyErr_SetString(PyExc_IndexError, "the value has fewer uses by now");
        return nullptr;
      }
      return newUse(uses[i].node, uses[i].operandIndex);
    },
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    iterateUses};

/// Iterates over the uses at the time of creation: each step is O(1), and uses may be changed
/// meanwhile.
struct UseIteratorObject {
  PyObject *value, *uses;
  Py_ssize_t index;
  UseIteratorObject() = default;
  UseIteratorObject(const UseIteratorObject &) = delete;
  ~UseIteratorObject() {
    Py_XDECREF(value);
    Py_XDECREF(uses);
  }
};
PyTypeObject *useIteratorClass;

PyObject *nextUse(PyObject *self) {
  auto &it = payload<UseIteratorObject>(self);
  bool has;
  if (!ok(geValueHasUses(payload<ValueObject>(it.value).ref, &has)) || it.index >= Py_SIZE(it.uses))
    return nullptr;
  return Py_XNewRef(PyTuple_GetItem(it.uses, it.index++));
}

PyType_Slot useIteratorSlots[] = {{Py_tp_new, reinterpret_cast<void *>(refuseNew)},
                                  {Py_tp_init, reinterpret_cast<void *>(initNothing)},
                                  {Py_tp_iter, reinterpret_cast<void *>(PyObject_SelfIter)},
                                  {Py_tp_iternext, slot<nextUse>()},
                                  {0, nullptr}};

PyObject *usesTuple(GeValueRef *value) {
  size_t count;
  if (GeStatus s = geValueGetUses(value, nullptr, 0, &count))
    return raise(s);
  std::vector<GeUse> uses(count);
  if (GeStatus s = geValueGetUses(value, uses.data(), count, &count))
    return raise(s);
  PyObject *tuple = PyTuple_New(Py_ssize_t(uses.size()));
  for (size_t i = 0; i < uses.size(); ++i) {
    // After a failure the references are still given back.
    PyObject *use = tuple ? newUse(uses[i].node, uses[i].operandIndex) : nullptr;
    if (!tuple)
      geNodeRelease(uses[i].node);
    else if (!use)
      Py_CLEAR(tuple);
    else
      PyTuple_SetItem(tuple, Py_ssize_t(i), use);
  }
  return tuple;
}

PyObject *iterateUses(PyObject *self) {
  PyObject *owner = payload<ViewObject>(self).owner;
  PyObject *uses = usesTuple(payload<ValueObject>(owner).ref);
  PyObject *object = uses ? allocate(useIteratorClass) : nullptr;
  if (!object) {
    Py_XDECREF(uses);
    return nullptr;
  }
  auto &it = payload<UseIteratorObject>(object);
  it.value = Py_NewRef(owner);
  it.uses = uses;
  it.index = 0;
  return object;
}

} // namespace

PyObject *usesOf(PyObject *self, void *) { return viewOf<&kUses, ValueObject>(self); }

void populateUseViews(nb::module_ &m) {
  nb::class_<UseIteratorObject> iterator(m, "_UseIterator", nb::is_final(),
                                         nb::type_slots(useIteratorSlots));
  useIteratorClass = reinterpret_cast<PyTypeObject *>(Py_NewRef(iterator.ptr()));
  registerAs(View<&kUses>::bind(
                 m, "UseList",
                 "Uses of a value, the most recent first. Iteration visits the uses at the time\n"
                 "when it starts; indexing costs O(uses)."),
             "Sequence");
}

} // namespace ge::python
