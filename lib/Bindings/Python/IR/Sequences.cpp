//===- Sequences.cpp - operands, results, inputs and so on as sequences ----------------------------------------===//
#include "Sequences.h"

#include "Convert.h"
#include "Errors.h"
#include "Populate.h"
#include "Scope.h"

#include <vector>

namespace ge::python {

namespace {

struct ViewObject;

/// What one kind of view does. Absent functions are TypeErrors. Getters give new references, or null with an
/// exception.
struct ViewKind {
  const char *element; ///< for messages
  GeStatus (*size)(GeRef *ref, size_t *out);
  PyObject *(*get)(GeRef *ref, size_t index);
  bool (*set)(GeRef *ref, size_t index, PyObject *value);
  bool (*assign)(GeRef *ref, PyObject *values); ///< all of them
  bool (*insert)(GeRef *ref, size_t index, PyObject *value);
  bool (*erase)(GeRef *ref, size_t index);
  PyObject *(*byName)(GeRef *ref, PyObject *name);
  PyObject *(*iterate)(PyObject *view) = nullptr; ///< when asking for each would be slow
};

struct ViewObject {
  PyObject *owner;
  GeRef *ref; ///< the owner's
  ViewObject() = default;
  ViewObject(const ViewObject &) = delete;
  ~ViewObject() { Py_XDECREF(owner); }
};

template <typename F> constexpr bool isSet(F *function) { return function != nullptr; }

bool ok(GeStatus s) {
  if (s)
    raise(s);
  return s == GE_OK;
}

PyTypeObject *iteratorClass;

/// Asks for each element when it is its turn, so it ends or raises as the view would.
struct ViewIteratorObject {
  PyObject *view;
  const ViewKind *kind;
  size_t index;
  ViewIteratorObject() = default;
  ViewIteratorObject(const ViewIteratorObject &) = delete;
  ~ViewIteratorObject() { Py_XDECREF(view); }
};

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
      PyErr_Format(PyExc_IndexError, "%s index %zd is out of range: there are %zd", kind->element, index,
                   size);
      return nullptr;
    }
    return kind->get(refOf(self), size_t(index));
  }

  static PyObject *subscript(PyObject *self, PyObject *key) {
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
    return toIndex(key, size_t(size), kind->element, index) ? kind->get(refOf(self), index) : nullptr;
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
      // As a list does it, then all at once.
      try {
        nb::list all = listOf(self);
        checked(value ? PyObject_SetItem(all.ptr(), key, value) : PyObject_DelItem(all.ptr(), key));
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
    PyObject *object = allocate(iteratorClass);
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
      // Last: only where something can be assigned.
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
        "Return the first index of `value`.\n\nRaises\n------\nValueError\n    If it is not among them.");
    c.def(
        "count",
        [](nb::handle_t<View> self, nb::handle value) {
          size_t n = 0;
          for (nb::handle item : listOf(self.ptr()))
            n += item.is(value) || item.equal(value);
          return n;
        },
        nb::arg("value"), nb::sig("def count(self, value: object) -> int"), "Return how often `value` is among them.");
    return c;
  }
};

GeNodeRef *node(GeRef *ref) { return static_cast<GeNodeRef *>(ref); }
GeGraphRef *graph(GeRef *ref) { return static_cast<GeGraphRef *>(ref); }

// --- Operands

bool oneValue(GeRef *ref, PyObject *object, const char *what,
              GeStatus (*use)(GeNodeRef *, size_t, GeValueRef *), size_t index) {
  std::vector<GeValueRef *> held;
  GeValueRef *value;
  if (!toValue(object, what, true, value, held))
    return false;
  TracedEdit traced(geRefGetContext(ref));
  bool done = ok(use(node(ref), index, value));
  for (GeValueRef *h : held)
    geValueRelease(h);
  return done;
}

constexpr ViewKind kOperands = {
    "operand",
    [](GeRef *ref, size_t *out) { return geNodeNumOperands(node(ref), out); },
    [](GeRef *ref, size_t i) -> PyObject * {
      GeValueRef *value;
      GeStatus s = geNodeGetOperand(node(ref), i, &value);
      return s ? raise(s) : wrapRef(value);
    },
    [](GeRef *ref, size_t i, PyObject *value) {
      return oneValue(ref, value, "an operand", geNodeSetOperand, i);
    },
    [](GeRef *ref, PyObject *values) {
      ValueRefs refs;
      if (!refs.load(values, "operands"))
        return false;
      TracedEdit traced(geRefGetContext(ref));
      return ok(geNodeSetOperands(node(ref), refs.data(), refs.size()));
    },
    [](GeRef *ref, size_t i, PyObject *value) {
      return oneValue(ref, value, "an operand", geNodeInsertOperand, i);
    },
    [](GeRef *ref, size_t i) {
      TracedEdit traced(geRefGetContext(ref));
      return ok(geNodeEraseOperand(node(ref), i));
    },
    nullptr};

// --- Results, control edges, subgraphs

constexpr ViewKind kResults = {
    "result",
    [](GeRef *ref, size_t *out) { return geNodeNumResults(node(ref), out); },
    [](GeRef *ref, size_t i) -> PyObject * {
      GeValueRef *value;
      GeStatus s = geNodeGetResult(node(ref), i, &value);
      return s ? raise(s) : wrapRef(value);
    },
    nullptr, nullptr, nullptr, nullptr, nullptr};

bool controlInput(GeRef *ref, PyObject *other, GeStatus (*use)(GeNodeRef *, GeNodeRef *)) {
  if (!isNode(other)) {
    raiseType("a control input", "a Node", other);
    return false;
  }
  TracedEdit traced(geRefGetContext(ref));
  return ok(use(node(ref), payload<NodeObject>(other).ref));
}

constexpr ViewKind kControlInputs = {
    "control input",
    [](GeRef *ref, size_t *out) { return geNodeNumControlInputs(node(ref), out); },
    [](GeRef *ref, size_t i) -> PyObject * {
      GeNodeRef *other;
      GeStatus s = geNodeGetControlInput(node(ref), i, &other);
      return s ? raise(s) : wrapRef(other);
    },
    nullptr, nullptr, nullptr, nullptr, nullptr};

constexpr ViewKind kControlOutputs = {
    "control output",
    [](GeRef *ref, size_t *out) { return geNodeNumControlOutputs(node(ref), out); },
    [](GeRef *ref, size_t i) -> PyObject * {
      GeNodeRef *other;
      GeStatus s = geNodeGetControlOutput(node(ref), i, &other);
      return s ? raise(s) : wrapRef(other);
    },
    nullptr, nullptr, nullptr, nullptr, nullptr};

constexpr ViewKind kSubgraphs = {
    "subgraph",
    [](GeRef *ref, size_t *out) { return geNodeNumSubgraphs(node(ref), out); },
    [](GeRef *ref, size_t i) -> PyObject * {
      GeGraphRef *sub;
      GeStatus s = geNodeGetSubgraph(node(ref), i, &sub);
      return s ? raise(s) : wrapRef(sub);
    },
    nullptr, nullptr, nullptr,
    [](GeRef *ref, size_t i) {
      TracedEdit traced(geRefGetContext(ref));
      return ok(geNodeEraseSubgraph(node(ref), i));
    },
    [](GeRef *ref, PyObject *name) -> PyObject * {
      GeStringRef wanted, slot;
      size_t count;
      if (!toText(name, "slot", wanted) || !ok(geNodeNumSubgraphs(node(ref), &count)))
        return nullptr;
      for (size_t i = 0; i < count; ++i) {
        GeGraphRef *sub;
        if (!ok(geNodeGetSubgraph(node(ref), i, &sub)))
          return nullptr;
        GeStatus s = geGraphGetSlotName(sub, &slot);
        if (s == GE_OK && std::string_view(slot.data, slot.length) ==
                              std::string_view(wanted.data, wanted.length))
          return wrapRef(sub);
        geGraphRelease(sub);
        if (s)
          return raise(s);
      }
      PyErr_SetObject(PyExc_KeyError, name);
      return nullptr;
    }};

// --- Inputs and outputs of graphs

constexpr ViewKind kInputs = {
    "input",
    [](GeRef *ref, size_t *out) { return geGraphNumInputs(graph(ref), out); },
    [](GeRef *ref, size_t i) -> PyObject * {
      GeValueRef *value;
      GeStatus s = geGraphGetInput(graph(ref), i, &value);
      return s ? raise(s) : wrapRef(value);
    },
    nullptr, nullptr, nullptr,
    [](GeRef *ref, size_t i) {
      TracedEdit traced(geRefGetContext(ref));
      return ok(geGraphEraseInput(graph(ref), i, false));
    },
    nullptr};

bool assignOutputs(GeRef *ref, PyObject *values) {
  ValueRefs refs;
  if (!refs.load(values, "outputs"))
    return false;
  TracedEdit traced(geRefGetContext(ref));
  return ok(geGraphSetOutputs(graph(ref), refs.data(), refs.size()));
}

PyObject *output(GeRef *ref, size_t i) {
  GeValueRef *value;
  GeStatus s = geGraphGetOutput(graph(ref), i, &value);
  return s ? raise(s) : wrapRef(value);
}

/// The outputs are the operands of the NetOutput node.
bool withOutputNode(GeRef *ref, PyObject *object, size_t index,
                    GeStatus (*use)(GeNodeRef *, size_t, GeValueRef *)) {
  GeNodeRef *sink;
  if (!ok(geGraphGetOutputNode(graph(ref), &sink)))
    return false;
  bool done = oneValue(sink, object, "an output", use, index);
  geNodeRelease(sink);
  return done;
}

constexpr ViewKind kOutputs = {
    "output",
    [](GeRef *ref, size_t *out) { return geGraphNumOutputs(graph(ref), out); },
    output,
    [](GeRef *ref, size_t i, PyObject *value) { return withOutputNode(ref, value, i, geNodeSetOperand); },
    assignOutputs,
    [](GeRef *ref, size_t i, PyObject *value) { return withOutputNode(ref, value, i, geNodeInsertOperand); },
    [](GeRef *ref, size_t i) {
      GeNodeRef *sink;
      if (!ok(geGraphGetOutputNode(graph(ref), &sink)))
        return false;
      TracedEdit traced(geRefGetContext(ref));
      bool done = ok(geNodeEraseOperand(sink, i));
      geNodeRelease(sink);
      return done;
    },
    nullptr};

bool setOutputName(GeRef *ref, size_t i, PyObject *name) {
  GeStringRef text;
  if (!toOptionalText(name, "an output's name", text))
    return false;
  TracedEdit traced(geRefGetContext(ref));
  return ok(geGraphSetOutputName(graph(ref), i, text));
}

constexpr ViewKind kOutputNames = {
    "output name",
    [](GeRef *ref, size_t *out) { return geGraphNumOutputs(graph(ref), out); },
    [](GeRef *ref, size_t i) -> PyObject * {
      GeStringRef name;
      GeStatus s = geGraphGetOutputName(graph(ref), i, &name, nullptr);
      return s ? raise(s) : newText(name);
    },
    setOutputName,
    [](GeRef *ref, PyObject *names) {
      Items items;
      size_t count;
      if (!items.load(names, "output_names", "a sequence of str") ||
          !ok(geGraphNumOutputs(graph(ref), &count)))
        return false;
      if (size_t(items.size()) != count) {
        PyErr_Format(PyExc_ValueError, "there are %zu outputs and %zd names", count, items.size());
        return false;
      }
      for (Py_ssize_t i = 0; i < items.size(); ++i)
        if (GeStringRef text; !toOptionalText(items[i], "an output's name", text))
          return false;
      // First none, so that names may be exchanged.
      for (size_t i = 0; i < count; ++i)
        if (!ok(geGraphSetOutputName(graph(ref), i, {"", 0})))
          return false;
      for (size_t i = 0; i < count; ++i)
        if (!setOutputName(ref, i, items[Py_ssize_t(i)]))
          return false;
      return true;
    },
    nullptr, nullptr, nullptr};

// --- Uses

PyObject *iterateUses(PyObject *self);

constexpr ViewKind kUses = {
    "use",
    [](GeRef *ref, size_t *out) {
      return geValueGetUses(static_cast<GeValueRef *>(ref), nullptr, 0, out);
    },
    [](GeRef *ref, size_t i) -> PyObject * {
      std::vector<GeUse> uses(i + 1);
      size_t count;
      if (GeStatus s = geValueGetUses(static_cast<GeValueRef *>(ref), uses.data(), i + 1, &count))
        return raise(s);
      size_t filled = count < i + 1 ? count : i + 1;
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
    nullptr, nullptr, nullptr, nullptr, nullptr, iterateUses};

/// Over the uses of the moment it was made: each step is O(1), and re-pointing uses meanwhile is fine.
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

/// Does to all of them what a method of list does to a list.
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
         // As list.insert: out of range is the end it is beyond.
         index = index < 0 ? (index + size < 0 ? 0 : index + size) : (index > size ? size : index);
         if (!kind->insert(View<kind>::refOf(self.ptr()), size_t(index), value.ptr()))
           throw nb::python_error();
       },
       nb::arg("index"), nb::arg("value").none(), nb::sig("def insert(self, index: int, value: Value | Node | None) -> None"),
       "Insert one before `index`; None is an absent one. Cost: O(those behind it).")
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
            nb::list all = View<kind>::listOf(self.ptr());
            all.attr("extend")(values);
            if (!kind->assign(View<kind>::refOf(self.ptr()), all.ptr()))
              throw nb::python_error();
          },
          nb::arg("values"), nb::sig("def extend(self, values: collections.abc.Iterable[Value | Node | None]) -> None"),
          "Add several at the end.")
      .def(
          "__iadd__",
          [](nb::handle_t<View<kind>> self, nb::handle values) {
            self.attr("extend")(values);
            return nb::borrow(self);
          },
          nb::sig("def __iadd__(self, values: collections.abc.Iterable[Value | Node | None]) -> typing.Self"))
      .def(
          "pop", [](nb::handle_t<View<kind>> self, Py_ssize_t index) { return asList<kind>(self, "pop", index); },
          nb::arg("index") = -1, nb::sig("def pop(self, index: int = -1) -> Value | None"),
          "Take one out and return it. Cost: O(all).\n\nRaises\n------\nIndexError")
      .def(
          "remove", [](nb::handle_t<View<kind>> self, nb::handle value) { asList<kind>(self, "remove", value); },
          nb::arg("value").none(), nb::sig("def remove(self, value: Value | None) -> None"),
          "Take the first `value` out. Cost: O(all).\n\nRaises\n------\nValueError\n    If it is not among them.")
      .def(
          "reverse", [](nb::handle_t<View<kind>> self) { asList<kind>(self, "reverse"); },
          nb::sig("def reverse(self) -> None"), "Turn the order round. Cost: O(all).")
      .def(
          "clear", [](nb::handle_t<View<kind>> self) { asList<kind>(self, "clear"); },
          nb::sig("def clear(self) -> None"), "Take all out. Cost: O(all).");
}

void registerAs(nb::handle type, const char *abstract) {
  nb::module_::import_("_collections_abc").attr(abstract).attr("register")(type);
}

} // namespace

// The owner's reference, null only for objects that cannot be.
template <const ViewKind *kind, typename Owner> static PyObject *viewOf(PyObject *owner) {
  return View<kind>::make(owner, payload<Owner>(owner).ref);
}

PyObject *operandsOf(PyObject *self, void *) { return viewOf<&kOperands, NodeObject>(self); }
PyObject *resultsOf(PyObject *self, void *) { return viewOf<&kResults, NodeObject>(self); }
PyObject *controlInputsOf(PyObject *self, void *) { return viewOf<&kControlInputs, NodeObject>(self); }
PyObject *controlOutputsOf(PyObject *self, void *) { return viewOf<&kControlOutputs, NodeObject>(self); }
PyObject *subgraphsOf(PyObject *self, void *) { return viewOf<&kSubgraphs, NodeObject>(self); }
PyObject *inputsOf(PyObject *self, void *) { return viewOf<&kInputs, GraphObject>(self); }
PyObject *outputsOf(PyObject *self, void *) { return viewOf<&kOutputs, GraphObject>(self); }
PyObject *outputNamesOf(PyObject *self, void *) { return viewOf<&kOutputNames, GraphObject>(self); }
PyObject *usesOf(PyObject *self, void *) { return viewOf<&kUses, ValueObject>(self); }

static int assignAll(const ViewKind &kind, GeRef *ref, PyObject *values) {
  if (!values) {
    PyErr_Format(PyExc_AttributeError, "the %ss cannot be deleted; assign an empty list", kind.element);
    return -1;
  }
  return kind.assign(ref, values) ? 0 : -1;
}
int setOperandsOf(PyObject *self, PyObject *values, void *) {
  return assignAll(kOperands, payload<NodeObject>(self).ref, values);
}
int setOutputsOf(PyObject *self, PyObject *values, void *) {
  return assignAll(kOutputs, payload<GraphObject>(self).ref, values);
}
int setOutputNamesOf(PyObject *self, PyObject *names, void *) {
  return assignAll(kOutputNames, payload<GraphObject>(self).ref, names);
}

void populateSequences(nb::module_ &m) {
  nb::class_<ViewIteratorObject> iterator(m, "_ViewIterator", nb::is_final(), nb::pooled(32),
                                          nb::type_slots(iteratorSlots));
  iteratorClass = reinterpret_cast<PyTypeObject *>(Py_NewRef(iterator.ptr()));
  nb::class_<UseIteratorObject> useIterator(m, "_UseIterator", nb::is_final(),
                                            nb::type_slots(useIteratorSlots));
  useIteratorClass = reinterpret_cast<PyTypeObject *>(Py_NewRef(useIterator.ptr()));

  auto operands = View<&kOperands>::bind(
      m, "OperandList", "Operands of a node: a mutable sequence of `Value`, None where one is absent.");
  bindEditing(operands);
  auto results = View<&kResults>::bind(m, "ResultList", "Results of a node: a sequence of `Value`.");
  auto controls = View<&kControlInputs>::bind(
      m, "ControlInputList",
      "Nodes that run before this one without giving it data, in order of insertion.");
  controls
      .def(
          "append",
          [](nb::handle_t<View<&kControlInputs>> self, nb::handle other) {
            if (!controlInput(View<&kControlInputs>::refOf(self.ptr()), other.ptr(), geNodeAddControlInput))
              throw nb::python_error();
          },
          nb::arg("node"), nb::sig("def append(self, node: Node) -> None"),
          "Make this node run after `node`; an edge that exists is kept once. Cost: O(degree).")
      .def(
          "remove",
          [](nb::handle_t<View<&kControlInputs>> self, nb::handle other) {
            if (!controlInput(View<&kControlInputs>::refOf(self.ptr()), other.ptr(),
                              geNodeRemoveControlInput))
              throw nb::python_error();
          },
          nb::arg("node"), nb::sig("def remove(self, node: Node) -> None"),
          "Take the edge from `node` away. Cost: O(degree).");
  auto controlled = View<&kControlOutputs>::bind(
      m, "ControlOutputList", "Nodes that run after this one without taking its data.");
  auto subgraphs = View<&kSubgraphs>::bind(
      m, "SubgraphList", "Subgraphs of a node, by index or by slot name. ``del`` erases one.");
  auto inputs = View<&kInputs>::bind(
      m, "InputList",
      "Inputs of a graph: the results of its ``ge.Data`` nodes. ``del`` erases one that is not used.");
  auto outputs = View<&kOutputs>::bind(
      m, "OutputList",
      "Outputs of a graph: the operands of its ``ge.NetOutput`` node, a mutable sequence; None where one is\n"
      "absent.");
  bindEditing(outputs);
  auto names = View<&kOutputNames>::bind(
      m, "OutputNameList",
      "Names of a graph's outputs. They never change by rewriting; setting None takes one away.");
  auto uses = View<&kUses>::bind(
      m, "UseList",
      "Uses of a value, the most recent first. Iterating goes over the uses of that moment; one by index costs\n"
      "O(uses).");
  for (nb::handle c : {nb::handle(results), nb::handle(controls), nb::handle(controlled),
                       nb::handle(subgraphs), nb::handle(inputs), nb::handle(names), nb::handle(uses)})
    registerAs(c, "Sequence");
  registerAs(operands, "MutableSequence");
  registerAs(outputs, "MutableSequence");
}

} // namespace ge::python
