//===- AttributeMap.cpp - attributes of nodes, graphs and modules as a mapping -----------------===//
//
// A view: it holds the wrapper of its owner, and every call goes to the C API, which checks the
// owner.
//
#include "AttributeMap.h"

#include "Convert.h"
#include "Errors.h"
#include "Members.h"
#include "PopulateIR.h"
#include "Scope.h"

namespace ge::python {

namespace {

enum class OwnerKind : uint8_t { Node, Graph, Module };

struct AttributeMapObject {
  PyObject *owner;
  void *ref; ///< the owner's
  OwnerKind kind;
  AttributeMapObject() = default;
  AttributeMapObject(const AttributeMapObject &) = delete;
  ~AttributeMapObject() { Py_XDECREF(owner); }

  GeNodeRef *node() const { return static_cast<GeNodeRef *>(ref); }
  GeGraphRef *graph() const { return static_cast<GeGraphRef *>(ref); }
  GeModule *module() const { return static_cast<GeModule *>(ref); }

  GeContext *context() const {
    return kind == OwnerKind::Module ? geModuleGetContext(module()) : geRefGetContext(ref);
  }
  GeStatus size(size_t *out) const {
    switch (kind) {
    case OwnerKind::Node:
      return geNodeNumAttributes(node(), out);
    case OwnerKind::Graph:
      return geGraphNumAttributes(graph(), out);
    case OwnerKind::Module:
      break;
    }
    *out = geModuleNumAttributes(module());
    return GE_OK;
  }
  GeStatus at(size_t index, GeNamedAttribute *out) const {
    switch (kind) {
    case OwnerKind::Node:
      return geNodeGetAttributeAt(node(), index, out);
    case OwnerKind::Graph:
      return geGraphGetAttributeAt(graph(), index, out);
    case OwnerKind::Module:
      break;
    }
    return geModuleGetAttributeAt(module(), index, out);
  }
  GeStatus get(GeIdentifier name, GeAttribute *out) const {
    switch (kind) {
    case OwnerKind::Node:
      return geNodeGetAttribute(node(), name, out);
    case OwnerKind::Graph:
      return geGraphGetAttribute(graph(), name, out);
    case OwnerKind::Module:
      break;
    }
    return geModuleGetAttribute(module(), name, out);
  }
  GeStatus set(GeIdentifier name, GeAttribute value) const {
    switch (kind) {
    case OwnerKind::Node:
      return geNodeSetAttribute(node(), name, value);
    case OwnerKind::Graph:
      return geGraphSetAttribute(graph(), name, value);
    case OwnerKind::Module:
      break;
    }
    return geModuleSetAttribute(module(), name, value);
  }
};

PyTypeObject *mapClass;
AttributeMapObject &mapOf(PyObject *self) { return payload<AttributeMapObject>(self); }

PyObject *makeMap(PyObject *owner, void *ref, OwnerKind kind) {
  PyObject *object = allocate(mapClass);
  if (!object)
    return nullptr;
  AttributeMapObject &map = mapOf(object);
  map.owner = Py_NewRef(owner);
  map.ref = ref;
  map.kind = kind;
  return object;
}

/// The value, or null: with an exception, or without one when the key is absent.
PyObject *lookUp(AttributeMapObject &map, PyObject *key) {
  GeIdentifier name = ContextState::of(map.context()).identifier(key, "attribute name");
  if (!name)
    return nullptr;
  GeAttribute value;
  if (GeStatus s = map.get(name, &value))
    return raise(s);
  return value.bits ? newAttribute(value) : nullptr;
}

PyObject *subscript(PyObject *self, PyObject *key) {
  PyObject *value = lookUp(mapOf(self), key);
  if (!value && !PyErr_Occurred())
    PyErr_SetObject(PyExc_KeyError, key);
  return value;
}

int assign(PyObject *self, PyObject *key, PyObject *value) {
  AttributeMapObject &map = mapOf(self);
  GeContext *context = map.context();
  ContextState &state = ContextState::of(context);
  GeIdentifier name = state.identifier(key, "attribute name");
  if (!name)
    return -1;
  TracedEdit traced(context);
  GeAttribute attribute{0};
  GeStatus s;
  if (value) {
    if (!toAttribute(state, value, key, attribute))
      return -1;
    s = map.set(name, attribute);
    geAttributeRelease(attribute);
  } else {
    s = map.get(name, &attribute);
    if (s == GE_OK && !attribute.bits) {
      PyErr_SetObject(PyExc_KeyError, key);
      return -1;
    }
    if (s == GE_OK) {
      geAttributeRelease(attribute);
      s = map.set(name, GeAttribute{0});
    }
  }
  if (s)
    raise(s);
  return s ? -1 : 0;
}

Py_ssize_t length(PyObject *self) {
  size_t size;
  if (GeStatus s = mapOf(self).size(&size)) {
    raise(s);
    return -1;
  }
  return Py_ssize_t(size);
}

int contains(PyObject *self, PyObject *key) {
  if (!PyUnicode_Check(key)) {
    size_t size; // only checks that the owner is alive
    GeStatus s = mapOf(self).size(&size);
    if (s)
      raise(s);
    return s ? -1 : 0;
  }
  AttributeMapObject &map = mapOf(self);
  GeIdentifier name = ContextState::of(map.context()).identifier(key, "attribute name");
  if (!name)
    return -1;
  GeAttribute value;
  if (GeStatus s = map.get(name, &value)) {
    raise(s);
    return -1;
  }
  geAttributeRelease(value);
  return value.bits != 0;
}

/// Returns a list of `item(attribute)` for all attributes, or null.
template <typename Item> PyObject *listOf(PyObject *self, Item item) {
  AttributeMapObject &map = mapOf(self);
  size_t size;
  if (GeStatus s = map.size(&size))
    return raise(s);
  nb::object list = nb::steal(PyList_New(0));
  for (size_t i = 0; list.is_valid() && i < size; ++i) {
    GeNamedAttribute named;
    if (GeStatus s = map.at(i, &named))
      return raise(s);
    nb::object object = nb::steal(item(named)); // takes the value's reference
    if (!object.is_valid() || PyList_Append(list.ptr(), object.ptr()) < 0)
      return nullptr;
  }
  return list.release().ptr();
}

PyObject *keyOf(GeNamedAttribute &named) {
  geAttributeRelease(named.value);
  return newText(named.name);
}

PyObject *pairOf(GeNamedAttribute &named) {
  nb::object value = nb::steal(newAttribute(named.value));
  nb::object key = nb::steal(newText(named.name));
  return key.is_valid() && value.is_valid() ? PyTuple_Pack(2, key.ptr(), value.ptr()) : nullptr;
}

/// Iterates over the keys at the time of the call, so the map may be edited meanwhile.
PyObject *iterate(PyObject *self) {
  nb::object keys = nb::steal(listOf(self, keyOf));
  return keys.is_valid() ? PyObject_GetIter(keys.ptr()) : nullptr;
}

PyObject *get(PyObject *self, PyObject *const *args, Py_ssize_t count) {
  if (count < 1 || count > 2) {
    PyErr_SetString(PyExc_TypeError, "get() takes a key and optionally a default");
    return nullptr;
  }
  PyObject *value = lookUp(mapOf(self), args[0]);
  if (!value && !PyErr_Occurred())
    value = Py_NewRef(count == 2 ? args[1] : Py_None);
  return value;
}

PyObject *asDict(PyObject *self) {
  nb::object items = nb::steal(listOf(self, pairOf));
  PyObject *dict = items.is_valid() ? PyDict_New() : nullptr;
  if (dict && PyDict_MergeFromSeq2(dict, items.ptr(), 1) < 0)
    Py_CLEAR(dict);
  return dict;
}

PyObject *compare(PyObject *self, PyObject *other, int op) {
  if ((op != Py_EQ && op != Py_NE) || !(PyDict_Check(other) || Py_TYPE(other) == mapClass)) {
    Py_INCREF(Py_NotImplemented);
    return Py_NotImplemented;
  }
  nb::object a = nb::steal(asDict(self));
  nb::object b = Py_TYPE(other) == mapClass ? nb::steal(a.is_valid() ? asDict(other) : nullptr)
                                            : nb::borrow(other);
  return a.is_valid() && b.is_valid() ? PyObject_RichCompare(a.ptr(), b.ptr(), op) : nullptr;
}

const Method methods[] = {
    {"def get(self, key: str, default: Any = None, /) -> Any", asMethod(safe<get>), METH_FASTCALL,
     "Return the value of `key`, or `default` when it is absent."},
};

Members members("AttributeMap", {}, methods);

PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(refuseNew)},
                       {Py_tp_init, reinterpret_cast<void *>(initNothing)},
                       {Py_mp_subscript, slot<subscript>()},
                       {Py_mp_ass_subscript, slot<assign>()},
                       {Py_mp_length, slot<length>()},
                       {Py_sq_contains, slot<contains>()},
                       {Py_tp_iter, slot<iterate>()},
                       {Py_tp_richcompare, slot<compare>()},
                       {Py_tp_hash, reinterpret_cast<void *>(PyObject_HashNotImplemented)},
                       {Py_tp_methods, members.methods()},
                       {0, nullptr}};

nb::object viewOf(nb::handle self, const char *name) {
  // Access the owner once, so that a stale owner raises here and not at the first use of the view.
  if (length(self.ptr()) < 0)
    throw nb::python_error();
  return importModule("_collections_abc").attr(name)(self);
}

void update(nb::handle_t<AttributeMapObject> self, nb::args args, nb::kwargs kwargs) {
  if (args.size() > 1)
    throw nb::type_error("update() takes at most one mapping or sequence of pairs");
  nb::dict all;
  if (!args.empty())
    all.attr("update")(args[0]);
  all.attr("update")(kwargs);
  for (auto [key, value] : all)
    checked(assign(self.ptr(), key.ptr(), value.ptr()));
}

void defineReading(nb::class_<AttributeMapObject> &map) {
  map.def(
         "keys", [](nb::handle_t<AttributeMapObject> self) { return viewOf(self, "KeysView"); },
         nb::sig("def keys(self) -> collections.abc.KeysView[str]"), "Return a view of the names.")
      .def(
          "items", [](nb::handle_t<AttributeMapObject> self) { return viewOf(self, "ItemsView"); },
          nb::sig("def items(self) -> collections.abc.ItemsView[str, _AttributeValue]"),
          "Return a view of (name, value) pairs.")
      .def(
          "values",
          [](nb::handle_t<AttributeMapObject> self) { return viewOf(self, "ValuesView"); },
          nb::sig("def values(self) -> collections.abc.ValuesView[_AttributeValue]"),
          "Return a view of the values.");
}

void defineEditing(nb::class_<AttributeMapObject> &map) {
  map.def(
         "pop",
         [](nb::handle_t<AttributeMapObject> self, nb::object key, nb::args defaults) {
           if (defaults.size() > 1)
             throw nb::type_error("pop() takes a key and optionally a default");
           PyObject *value = lookUp(mapOf(self.ptr()), key.ptr());
           if (value) {
             nb::object result = nb::steal(value);
             checked(assign(self.ptr(), key.ptr(), nullptr));
             return result;
           }
           if (PyErr_Occurred())
             throw nb::python_error();
           if (!defaults.empty())
             return nb::object(defaults[0]);
           PyErr_SetObject(PyExc_KeyError, key.ptr());
           throw nb::python_error();
         },
         nb::sig("def pop(self, key: str, *default: object) -> typing.Any"),
         "Remove `key` and return its value, or the default when it is "
         "absent.\n\nRaises\n------\nKeyError")
      .def(
          "popitem",
          [](nb::handle_t<AttributeMapObject> self) {
            nb::object items = nb::steal(checked(listOf(self.ptr(), pairOf)));
            Py_ssize_t count = Py_SIZE(items.ptr());
            if (!count)
              throw nb::key_error("popitem(): no attributes");
            nb::object last = nb::borrow(PyList_GetItem(items.ptr(), count - 1));
            checked(assign(self.ptr(), PyTuple_GetItem(last.ptr(), 0), nullptr));
            return last;
          },
          nb::sig("def popitem(self) -> tuple[str, _AttributeValue]"),
          "Remove the last attribute and return (name, value).\n\nRaises\n------\nKeyError\n    "
          "When there is none.")
      .def(
          "setdefault",
          [](nb::handle_t<AttributeMapObject> self, nb::object key, nb::object value) {
            PyObject *found = lookUp(mapOf(self.ptr()), key.ptr());
            if (!found && PyErr_Occurred())
              throw nb::python_error();
            if (found)
              return nb::steal(found);
            checked(assign(self.ptr(), key.ptr(), value.ptr()));
            return nb::steal(checked(subscript(self.ptr(), key.ptr())));
          },
          nb::arg("key"), nb::arg("default"),
          nb::sig("def setdefault(self, key: str, default: typing.Any) -> typing.Any"),
          "Return the value of `key`; set it to `default` first when it is absent.")
      .def("update", update,
           nb::sig("def update(self, other: object = ..., /, **kwargs: typing.Any) -> None"),
           "Set what a mapping, a sequence of pairs and the keywords say.")
      .def(
          "clear",
          [](nb::handle_t<AttributeMapObject> self) {
            nb::object keys = nb::steal(checked(listOf(self.ptr(), keyOf)));
            for (Py_ssize_t i = 0; i < Py_SIZE(keys.ptr()); ++i)
              checked(assign(self.ptr(), PyList_GetItem(keys.ptr(), i), nullptr));
          },
          nb::sig("def clear(self) -> None"), "Remove all.")
      .def(
          "copy",
          [](nb::handle_t<AttributeMapObject> self) {
            return nb::steal(checked(asDict(self.ptr())));
          },
          nb::sig("def copy(self) -> dict[str, _AttributeValue]"), "Return a dict of them.")
      .def("__repr__", [](nb::handle_t<AttributeMapObject> self) {
        return nb::repr(nb::steal(checked(asDict(self.ptr()))));
      });
}

} // namespace

PyObject *attributesOfNode(PyObject *node, void *) {
  return makeMap(node, payload<NodeObject>(node).ref, OwnerKind::Node);
}
PyObject *attributesOfGraph(PyObject *graph, void *) {
  return makeMap(graph, payload<GraphObject>(graph).ref, OwnerKind::Graph);
}
PyObject *attributesOfModule(PyObject *module, void *) {
  return makeMap(module, payload<ModuleObject>(module).ref, OwnerKind::Module);
}

void populateAttributeMap(nb::module_ &m) {
  nb::class_<AttributeMapObject> map(m, "AttributeMap", nb::is_final(), nb::pooled(64),
                                     nb::type_slots(slots),
                                     "Attributes of a node, graph or module as a mutable mapping "
                                     "from names to Python values, in order of\n"
                                     "insertion.\n\n"
                                     "Values are bool, int (64 bits), float (32 bits; reads back "
                                     "as the shortest decimal), str, bytes,\n"
                                     "DType, Type, Tensor or NumPy array, GraphRef, lists of one "
                                     "of these, nested lists, and dicts. Lists\n"
                                     "come back as tuples. `F64Attr` and its kin force another "
                                     "width; an empty list is `ArrayAttr`.\n\n"
                                     "A view: it follows its owner, and raises `StaleHandleError` "
                                     "once that is gone. Reading one value\n"
                                     "costs O(attributes of the owner).\n\n"
                                     "Raises\n------\nTypeError\n    For a value of another kind; "
                                     "the message lists those that work.\n"
                                     "OverflowError\n    For an int of more than 64 bits.");
  mapClass = reinterpret_cast<PyTypeObject *>(Py_NewRef(map.ptr()));
  defineReading(map);
  defineEditing(map);
  importModule("_collections_abc").attr("MutableMapping").attr("register")(map);
}

} // namespace ge::python
