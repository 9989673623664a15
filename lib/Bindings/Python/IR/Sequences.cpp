//===- Sequences.cpp - operands, results, inputs and so on as sequences ------------------------===//
#include "Sequences.h"

#include "PopulateIR.h"
#include "Views.h"

namespace ge::python {

namespace {

PyObject *nextOfView(PyObject *self) {
  auto &it = payload<ViewIteratorObject>(self);
  GeRef *ref = payload<ViewObject>(it.view).ref;
  size_t size;
  if (!ok(it.kind->size(ref, &size)) || it.index >= size)
    return nullptr;
  return it.kind->get(ref, it.index++);
}

PyType_Slot iteratorSlots[] = {{Py_tp_new, reinterpret_cast<void *>(refuseNew)},
                               {Py_tp_init, reinterpret_cast<void *>(initNothing)},
                               {Py_tp_iter, reinterpret_cast<void *>(PyObject_SelfIter)},
                               {Py_tp_iternext, slot<nextOfView>()},
                               {0, nullptr}};

} // namespace

void populateSequences(nb::module_ &m) {
  nb::class_<ViewIteratorObject> iterator(m, "_ViewIterator", nb::is_final(), nb::pooled(32),
                                          nb::type_slots(iteratorSlots));
  viewIteratorClass = reinterpret_cast<PyTypeObject *>(Py_NewRef(iterator.ptr()));
  populateNodeViews(m);
  populateGraphViews(m);
  populateUseViews(m);
}

} // namespace ge::python
