//===- Value.cpp - Value and Use ---------------------------------------------------------------===//
#include "Errors.h"
#include "Members.h"
#include "NodeObject.h"
#include "PopulateIR.h"
#include "Scope.h"
#include "Sequences.h"
#include "TextOf.h"
#include "ValueOperators.h"

namespace ge::python {

namespace {

GeValueRef *refOf(PyObject *self) { return payload<ValueObject>(self).ref; }

PyObject *getType(PyObject *self, void *) {
  GeType type;
  GeStatus s = geValueGetType(refOf(self), &type);
  return s ? raise(s) : wrapType(type);
}

int setType(PyObject *self, PyObject *value, void *) {
  GeType type;
  if (!toType(value ? value : Py_None, "type", type))
    return -1;
  TracedEdit traced(refOf(self));
  GeStatus s = geValueSetType(refOf(self), type);
  if (s)
    raise(s);
  return s ? -1 : 0;
}

PyObject *getName(PyObject *self, void *) {
  GeStringRef name;
  GeStatus s = geValueGetName(refOf(self), &name, nullptr);
  return s ? raise(s) : newText(name);
}

int setName(PyObject *self, PyObject *value, void *) {
  GeStringRef name;
  if (!toOptionalText(value, "name", name))
    return -1;
  TracedEdit traced(refOf(self));
  GeStatus s = geValueSetName(refOf(self), name);
  if (s)
    raise(s);
  return s ? -1 : 0;
}

PyObject *getOriginalName(PyObject *self, void *) {
  GeStringRef name;
  if (GeStatus s = geValueGetOriginalName(refOf(self), &name))
    return raise(s);
  if (!name.length)
    Py_RETURN_NONE;
  return newText(name);
}

PyObject *getTypeInferred(PyObject *self, void *) {
  bool inferred;
  GeStatus s = geValueIsTypeInferred(refOf(self), &inferred);
  return s ? raise(s) : PyBool_FromLong(inferred);
}

PyObject *getHasName(PyObject *self, void *) {
  GeStringRef name;
  bool generated;
  GeStatus s = geValueGetName(refOf(self), &name, &generated);
  return s ? raise(s) : PyBool_FromLong(!generated);
}

PyObject *getNode(PyObject *self, void *) {
  GeNodeRef *node;
  GeStatus s = geValueGetNode(refOf(self), &node);
  return s ? raise(s) : wrapRef(node);
}

PyObject *getIndex(PyObject *self, void *) {
  size_t index;
  GeStatus s = geValueGetIndex(refOf(self), &index);
  return s ? raise(s) : PyLong_FromSize_t(index);
}

PyObject *getHasUses(PyObject *self, void *) {
  bool has;
  GeStatus s = geValueHasUses(refOf(self), &has);
  return s ? raise(s) : PyBool_FromLong(has);
}

PyObject *getUsers(PyObject *self, void *) {
  try {
    nb::dict seen;
    for (nb::handle use : nb::steal(checked(usesOf(self, nullptr))))
      seen[use.attr("node")] = nb::none();
    return nb::list(seen.keys()).release().ptr();
  } catch (nb::python_error &e) {
    e.restore();
  }
  return nullptr;
}

PyObject *getAlive(PyObject *self, void *) { return PyBool_FromLong(geRefIsAlive(refOf(self))); }
PyObject *getContext(PyObject *self, void *) { return wrapContext(geRefGetContext(refOf(self))); }
Py_hash_t hash(PyObject *self) { return Py_hash_t(reinterpret_cast<uintptr_t>(refOf(self)) >> 4); }

PyObject *repr(PyObject *self) {
  if (!geRefIsAlive(refOf(self)))
    return describe(refOf(self));
  GeStringRef text;
  GeType type;
  GeStatus s = geValueGetType(refOf(self), &type);
  if (s == GE_OK)
    s = geRefDescribe(refOf(self), &text);
  if (s)
    return raise(s);
  std::string line = "<";
  line.append(text.data, text.length).append(" : ");
  geTypePrint(type, appendTo, &line);
  line += '>';
  return newShownText(line);
}

PyObject *replaceAllUsesWith(PyObject *self, PyObject *const *args, Py_ssize_t count,
                             PyObject *names) {
  PyObject *except = nullptr;
  if (names && Py_SIZE(names)) {
    if (Py_SIZE(names) != 1 ||
        PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "except_") != 0) {
      PyErr_SetString(PyExc_TypeError,
                      "replace_all_uses_with() takes a value and the keyword except_");
      return nullptr;
    }
    except = args[count];
  }
  if (count != 1) {
    PyErr_SetString(PyExc_TypeError, "replace_all_uses_with() takes one value");
    return nullptr;
  }
  Items items;
  std::vector<GeNodeRef *> nodes;
  if (except && isNode(except)) {
    nodes.push_back(payload<NodeObject>(except).ref);
  } else if (except) {
    if (!items.load(except, "except_", "a Node or a sequence of Node", true))
      return nullptr;
    for (Py_ssize_t i = 0; i < items.size(); ++i) {
      if (!isNode(items[i]))
        return raiseType("except_", "a Node or a sequence of Node", items[i]);
      nodes.push_back(payload<NodeObject>(items[i]).ref);
    }
  }
  std::vector<GeValueRef *> held;
  GeValueRef *to;
  if (!toValue(args[0], "the replacement", false, to, held))
    return nullptr;
  GeStatus s;
  {
    TracedEdit traced(refOf(self));
    s = geValueReplaceAllUses(refOf(self), to, nodes.data(), nodes.size());
  }
  for (GeValueRef *value : held)
    geValueRelease(value);
  return s ? raise(s) : Py_NewRef(Py_None);
}

constexpr Property properties[] = {
    {"type", "Type", safe<getType>, "Its `Type`; settable.", safe<setType>},
    {"is_type_inferred", "bool", safe<getTypeInferred>,
     "Whether inference determined or confirmed `type` for the current operands and attributes of "
     "the node. False: the type was only declared, by a file, a text or a caller."},
    {"name", "str", safe<getName>,
     "Name, unique among the values of the root graph with its subgraphs. If it is taken, ``_1`` "
     "is "
     "appended; None removes it, and a generated name is shown.",
     safe<setName>, "str | None"},
    {"original_name", "str | None", safe<getOriginalName>,
     "What its file called it: other than `name` where that was not unique in the model. None "
     "without a name. Renaming the value forgets it."},
    {"has_name", "bool", safe<getHasName>,
     "Whether the name was given; False when `name` is generated."},
    {"node", "Node", safe<getNode>, "The node that makes it."},
    {"index", "int", safe<getIndex>, "Which result of the node it is."},
    {"uses", "UseList", safe<usesOf>, "Its uses, the most recent first: a sequence of `Use`."},
    {"has_uses", "bool", safe<getHasUses>, "Whether anything uses it."},
    {"users", "list[Node]", safe<getUsers>, "Nodes that use it, each once. Cost: O(uses)."},
    {"is_alive", "bool", safe<getAlive>, "Whether its node has not been erased. Never raises."},
    {"context", "Context", safe<getContext>, "Its context, dead or alive."},
};

/// Calls the provider of `where`, because patterns belong to a higher floor of the package.
PyObject *where(PyObject *self, PyObject *args, PyObject *kwargs) {
  nb::object function = findProvider("where");
  nb::object all = nb::steal(PyTuple_Pack(1, self));
  if (!function.is_valid() || !all.is_valid())
    return nullptr;
  all = nb::steal(PySequence_Concat(all.ptr(), args));
  return all.is_valid() ? PyObject_Call(function.ptr(), all.ptr(), kwargs) : nullptr;
}

const Method methods[] = {
    {"def where(self, predicate: Callable[[Value], Any] | None = None, /, **conditions: Any) -> "
     "Value",
     asMethod(safe<where>), METH_VARARGS | METH_KEYWORDS,
     R"(In a pattern: this value, under conditions. The parameters are those of `ge.passes.p.where`.

Returns
-------
Value
    To be used in the place of this one.)"},
    {R"(def replace_all_uses_with(
    self, value: Value | Node, /, *, except_: Node | Iterable[Node] = ()
) -> None)",
     asMethod(safe<replaceAllUsesWith>), METH_FASTCALL | METH_KEYWORDS,
     R"(Let everything that uses this value use another one.

Parameters
----------
value : Value
except_ : Node or sequence of Node
    Whose operands stay as they are.

Cost: O(uses).)"},
};

Members members("Value", properties, methods);

PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(refuseNew)},
                       {Py_tp_init, reinterpret_cast<void *>(initNothing)},
                       {Py_tp_hash, slot<hash>()},
                       {Py_tp_repr, slot<repr>()},
                       {Py_tp_getset, members.properties()},
                       {Py_tp_methods, members.methods()},
                       GE_VALUE_OPERATOR_SLOTS,
                       {0, nullptr}};

// --- Use

/// A new reference to the node of a use, or null with StaleHandleError.
PyObject *useNode(PyObject *self, void *) {
  auto &use = payload<UseObject>(self);
  size_t count; // only checks that the value is alive
  if (GeStatus s = geNodeNumOperands(payload<NodeObject>(use.node).ref, &count))
    return raise(s);
  return Py_NewRef(use.node);
}

PyObject *useIndex(PyObject *self, void *) {
  nb::object node = nb::steal(useNode(self, nullptr));
  return node.is_valid() ? PyLong_FromSize_t(payload<UseObject>(self).index) : nullptr;
}

PyObject *useValue(PyObject *self, void *) {
  auto &use = payload<UseObject>(self);
  GeValueRef *value;
  GeStatus s = geNodeGetOperand(payload<NodeObject>(use.node).ref, use.index, &value);
  return s ? raise(s) : wrapRef(value);
}

int setUseValue(PyObject *self, PyObject *object, void *) {
  auto &use = payload<UseObject>(self);
  std::vector<GeValueRef *> held;
  GeValueRef *value;
  if (!object || !toValue(object, "the operand", true, value, held)) {
    if (!object)
      PyErr_SetString(PyExc_AttributeError, "an operand cannot be deleted here; set it to None");
    return -1;
  }
  GeNodeRef *node = payload<NodeObject>(use.node).ref;
  TracedEdit traced(node);
  GeStatus s = geNodeSetOperand(node, use.index, value);
  for (GeValueRef *h : held)
    geValueRelease(h);
  if (s)
    raise(s);
  return s ? -1 : 0;
}

PyObject *useRepr(PyObject *self) {
  auto &use = payload<UseObject>(self);
  nb::object node = nb::steal(describe(payload<NodeObject>(use.node).ref));
  return node.is_valid() ? PyUnicode_FromFormat("<operand %zu of %U>", use.index, node.ptr())
                         : nullptr;
}

PyObject *useCompare(PyObject *a, PyObject *b, int op) {
  if ((op != Py_EQ && op != Py_NE) || Py_TYPE(b) != classes.use) {
    Py_INCREF(Py_NotImplemented);
    return Py_NotImplemented;
  }
  auto &left = payload<UseObject>(a), &right = payload<UseObject>(b);
  bool equal = left.node == right.node && left.index == right.index;
  return PyBool_FromLong(equal == (op == Py_EQ));
}

Py_hash_t useHash(PyObject *self) {
  auto &use = payload<UseObject>(self);
  return PyObject_Hash(use.node) ^ Py_hash_t(use.index * 0x9E3779B1u);
}

/// `node, index = use`.
PyObject *useIterate(PyObject *self) {
  nb::object node = nb::steal(useNode(self, nullptr));
  if (!node.is_valid())
    return nullptr;
  nb::object index = nb::steal(PyLong_FromSize_t(payload<UseObject>(self).index));
  nb::object pair =
      nb::steal(index.is_valid() ? PyTuple_Pack(2, node.ptr(), index.ptr()) : nullptr);
  return pair.is_valid() ? PyObject_GetIter(pair.ptr()) : nullptr;
}

constexpr Property useProperties[] = {
    {"node", "Node", safe<useNode>, "The node that uses the value."},
    {"index", "int", safe<useIndex>, "Which operand of the node it is."},
    {"value", "Value | None", safe<useValue>, "What that operand is now; settable.",
     safe<setUseValue>, "Value | Node | None"},
};

Members useMembers("Use", useProperties, {});

PyType_Slot useSlots[] = {{Py_tp_new, reinterpret_cast<void *>(refuseNew)},
                          {Py_tp_init, reinterpret_cast<void *>(initNothing)},
                          {Py_tp_hash, slot<useHash>()},
                          {Py_tp_repr, slot<useRepr>()},
                          {Py_tp_richcompare, slot<useCompare>()},
                          {Py_tp_iter, slot<useIterate>()},
                          {Py_tp_getset, useMembers.properties()},
                          {0, nullptr}};

} // namespace

void populateValue(nb::module_ &m) {
  nb::class_<ValueObject> value(
      m, "Value", nb::is_final(), nb::pooled(256), nb::type_slots(slots),
      "One result of a node: type, name, uses. A graph's inputs are values too.\n\n"
      "Dies with its node; see `Node`. ``==`` and ``hash`` are identity.\n\n"
      "While a builder of `ge.es` lives, values of its graph have operators: ``x + 1``, ``x[0]``.");
  // Makes NumPy leave `array + value` to Value.
  value.attr("__array_ufunc__") = nb::none();
  value.def(
      "__reduce__",
      [](nb::handle) -> nb::object {
        throw nb::type_error("a Value cannot be pickled: pickle its graph or module");
      },
      nb::sig("def __reduce__(self) -> typing.NoReturn"));
  nb::class_<UseObject>(
      m, "Use", nb::is_final(), nb::pooled(64), nb::type_slots(useSlots),
      "One operand of one node, as a use of the value it is: ``node, index = use``.\n\n"
      "Stale when the node is erased. Operands that are inserted or erased before it do not move "
      "it.");
}

} // namespace ge::python
