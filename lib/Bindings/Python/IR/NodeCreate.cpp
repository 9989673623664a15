//===- NodeCreate.cpp - Graph.add_node and Node.create -----------------------------------------===//
//
// The most frequently called function of the module: arguments are parsed without nanobind's
// dispatcher and collected on the stack.
//
#include "NodeObject.h"

#include "Convert.h"
#include "Errors.h"
#include "Scope.h"

#include <array>

namespace ge::python {

namespace {

/// A vector that starts on the stack.
template <typename T, size_t few> class Gathered {
public:
  explicit Gathered(size_t capacity) {
    if (capacity > few) {
      many_.resize(capacity);
      data_ = many_.data();
    }
  }
  Gathered(const Gathered &) = delete;
  void push(T item) { data_[size_++] = item; }
  T *data() { return data_; }
  size_t size() const { return size_; }

private:
  std::array<T, few> few_;
  std::vector<T> many_;
  T *data_ = few_.data();
  size_t size_ = 0;
};

constexpr const char *kNames[] = {"operands",       "attributes", "name", "result_types",
                                  "control_inputs", "subgraphs",  "loc",  "ip"};
constexpr size_t kNameCount = std::size(kNames);
PyObject *internedNames[kNameCount];

/// None means "not given" everywhere.
PyObject *given(PyObject *argument) { return argument == Py_None ? nullptr : argument; }

/// Subgraphs of the node: slot names and graphs, null for new empty ones.
struct Subgraphs {
  nb::object held; ///< keeps the texts and the graphs
  std::vector<GeStringRef> slots;
  std::vector<GeGraphRef *> graphs;

  bool load(PyObject *argument) {
    bool mapping = PyDict_Check(argument);
    held = nb::steal(mapping ? PyDict_Items(argument) : PySequence_Tuple(argument));
    if (!held.is_valid())
      return false;
    for (Py_ssize_t i = 0; i < Py_SIZE(held.ptr()); ++i) {
      PyObject *item = mapping ? PyList_GetItem(held.ptr(), i) : PyTuple_GetItem(held.ptr(), i);
      GeStringRef slot{"", 0};
      if (mapping) {
        if (!toText(PyTuple_GetItem(item, 0), "the slot of a subgraph", slot))
          return false;
        item = PyTuple_GetItem(item, 1);
      }
      if (item != Py_None && !isGraph(item)) {
        raiseType("a subgraph", "a Graph or None", item);
        return false;
      }
      slots.push_back(slot);
      graphs.push_back(item == Py_None ? nullptr : payload<GraphObject>(item).ref);
    }
    return true;
  }
};

struct AttributeRefs {
  Gathered<GeNamedAttribute, 16> items;
  explicit AttributeRefs(size_t capacity) : items(capacity) {}
  ~AttributeRefs() {
    for (size_t i = 0; i < items.size(); ++i)
      geAttributeRelease(items.data()[i].value);
  }
  bool load(ContextState &state, PyObject *dict) {
    PyObject *key, *value;
    Py_ssize_t position = 0, left = PyDict_Size(dict);
    while (left-- > 0 && PyDict_Next(dict, &position, &key, &value)) {
      // A copy of the dict is held, because converting an array runs Python code, which may edit
      // the dict.
      nb::object heldKey = nb::borrow(key), heldValue = nb::borrow(value);
      GeIdentifier name = state.identifier(key, "attribute name");
      GeAttribute attribute;
      if (!name || !toAttribute(state, value, key, attribute))
        return false;
      items.push({name, attribute});
    }
    return true;
  }
};

/// Whether converting the value runs no Python code. False also if finding out would be expensive.
bool isInert(PyObject *o, bool nested = false) {
  if (PyLong_CheckExact(o) || PyUnicode_CheckExact(o) || PyFloat_CheckExact(o) || PyBool_Check(o))
    return true;
  bool isList = PyList_CheckExact(o);
  constexpr Py_ssize_t kMost = 64;
  if (nested || !(isList || PyTuple_CheckExact(o)) || Py_SIZE(o) > kMost)
    return false;
  for (Py_ssize_t i = 0; i < Py_SIZE(o); ++i)
    if (!isInert(isList ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i), true))
      return false;
  return true;
}

bool isPlainSequence(PyObject *o) {
  return !o || isType(o) || PyList_CheckExact(o) || PyTuple_CheckExact(o) || PyDict_CheckExact(o);
}

/// Whether parsing the arguments may run Python code that edits the lists and the dict. They are
/// then copied first, so that the node gets what the caller passed.
bool runsCode(const NodeArguments &a) {
  if (!isPlainSequence(a.resultTypes) || !isPlainSequence(a.controlInputs) ||
      !isPlainSequence(a.subgraphs) || !isPlainSequence(a.operands))
    return true;
  if (!a.attributes)
    return false;
  if (!PyDict_CheckExact(a.attributes))
    return true;
  PyObject *key, *value;
  Py_ssize_t position = 0;
  while (PyDict_Next(a.attributes, &position, &key, &value))
    if (!isInert(value))
      return true;
  return false;
}

/// Converts any mapping to a dict; null with an exception.
nb::object asDict(PyObject *attributes, bool copy) {
  if (PyDict_Check(attributes))
    return copy ? nb::steal(PyDict_Copy(attributes)) : nb::borrow(attributes);
  nb::object dict = nb::steal(PyDict_New());
  if (dict.is_valid() && PyDict_Update(dict.ptr(), attributes) < 0) {
    if (PyErr_ExceptionMatches(PyExc_AttributeError) || PyErr_ExceptionMatches(PyExc_TypeError)) {
      PyErr_Clear();
      raiseType("attributes", "a mapping from str to values", attributes);
    }
    return {};
  }
  return dict;
}

/// The number of values or types in the items. If one of the items is a list, each is that of a
/// parameter: fills `lengths`, where None is an absent one.
void countItems(const Items &items, size_t &count, std::vector<int32_t> &lengths) {
  bool hasLists = false;
  for (Py_ssize_t i = 0; i < items.size(); ++i)
    hasLists |= !isValue(items[i]) && isItemList(items[i]);
  if (!hasLists)
    return;
  count = 0;
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    PyObject *item = items[i];
    lengths.push_back(item == Py_None ? 0 : isItemList(item) ? int32_t(Py_SIZE(item)) : 1);
    count += size_t(lengths.back());
  }
}

/// Visits the values or types in the items.
template <typename F>
bool eachItem(const Items &items, const std::vector<int32_t> &lengths, const F &visit) {
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    PyObject *item = items[i];
    if (lengths.empty()) {
      if (!visit(item))
        return false;
      continue;
    }
    bool isList = isItemList(item);
    for (int32_t k = 0; k < lengths[size_t(i)]; ++k) {
      PyObject *one = !isList              ? item
                      : PyList_Check(item) ? PyList_GetItem(item, k)
                                           : PyTuple_GetItem(item, k);
      if (!one || !visit(one))
        return false;
    }
  }
  return true;
}

bool toResultTypes(PyObject *argument, Items &items, bool copy, bool &single, GeType &only) {
  single = isType(argument);
  if (single)
    only = payload<TypeObject>(argument).ref;
  return single ||
         items.load(argument, "result_types", "a Type or a sequence of Type or None", copy);
}

} // namespace

bool parseNodeArguments(const char *function, PyObject *const *args, Py_ssize_t count,
                        PyObject *names, NodeArguments &out) {
  if (!internedNames[0])
    for (size_t i = 0; i < kNameCount; ++i)
      internedNames[i] = PyUnicode_InternFromString(kNames[i]); // for the life of the process
  if (count > 3) {
    PyErr_Format(PyExc_TypeError,
                 "%s() takes op, operands and attributes by position, the others by keyword",
                 function);
    return false;
  }
  PyObject *slots[kNameCount] = {};
  out.op = count > 0 ? args[0] : nullptr;
  for (Py_ssize_t i = 1; i < count; ++i)
    slots[i - 1] = args[i];
  Py_ssize_t keywords = names ? Py_SIZE(names) : 0;
  for (Py_ssize_t k = 0; k < keywords; ++k) {
    PyObject *name = PyTuple_GetItem(names, k);
    PyObject *value = args[count + k];
    size_t i = 0;
    // Keywords in source code are interned, so comparing addresses nearly always suffices.
    while (i < kNameCount && internedNames[i] != name)
      ++i;
    if (i == kNameCount)
      for (i = 0; i < kNameCount && PyUnicode_Compare(internedNames[i], name) != 0;)
        ++i;
    if (i == kNameCount) {
      if (PyUnicode_CompareWithASCIIString(name, "op") == 0 && !out.op) {
        out.op = value;
        continue;
      }
      PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", function, name);
      return false;
    }
    if (slots[i]) {
      PyErr_Format(PyExc_TypeError, "%s() got two values for '%U'", function, name);
      return false;
    }
    slots[i] = value;
  }
  if (!out.op) {
    PyErr_Format(PyExc_TypeError, "%s() needs an operator, such as 'onnx.Add'", function);
    return false;
  }
  out.operands = given(slots[0]);
  out.attributes = given(slots[1]);
  out.name = given(slots[2]);
  out.resultTypes = given(slots[3]);
  out.controlInputs = given(slots[4]);
  out.subgraphs = given(slots[5]);
  out.loc = given(slots[6]);
  out.ip = given(slots[7]);
  return true;
}

PyObject *createNode(GeGraphRef *graph, GeNodeRef *before, bool detached, const NodeArguments &a) {
  ContextState &state = stateOf(graph);
  GeContext *context = state.context();
  GeNodeSpec spec{};
  spec.op = state.operatorName(a.op);
  if (!spec.op || !toOptionalText(a.name, "name", spec.name))
    return nullptr;

  // First do all that may run Python code: it could change the lists that references are borrowed
  // from.
  bool copy = runsCode(a);
  Items operandItems, typeItems, controlItems;
  Subgraphs subgraphs;
  bool single = !a.resultTypes;
  // Without a definition of the operator, a node has one result of unknown type.
  GeType only = single ? geTypeUnknown(context) : nullptr;
  if ((a.operands &&
       !operandItems.load(a.operands, "operands", "a sequence of Value or None", copy)) ||
      (a.resultTypes && !toResultTypes(a.resultTypes, typeItems, copy, single, only)) ||
      (a.controlInputs &&
       !controlItems.load(a.controlInputs, "control_inputs", "a sequence of Node", copy)) ||
      (a.subgraphs && !subgraphs.load(a.subgraphs)))
    return nullptr;
  nb::object dict = a.attributes ? asDict(a.attributes, copy) : nb::object();
  if (a.attributes && !dict.is_valid())
    return nullptr;
  AttributeRefs attributes{dict.is_valid() ? size_t(PyDict_Size(dict.ptr())) : 0};
  if (dict.is_valid() && !attributes.load(state, dict.ptr()))
    return nullptr;
  spec.numAttributes = attributes.items.size();
  spec.attributes = attributes.items.data();

  size_t count = size_t(operandItems.size());
  std::vector<int32_t> operandLengths, resultLengths;
  countItems(operandItems, count, operandLengths);
  Gathered<GeValueRef *, 16> operands{count};
  struct Held {
    std::vector<GeValueRef *> refs;
    ~Held() {
      for (GeValueRef *ref : refs)
        geValueRelease(ref);
    }
  } held;
  bool good = eachItem(operandItems, operandLengths, [&](PyObject *item) {
    GeValueRef *value;
    if (!toValue(item, "an operand", true, value, held.refs))
      return false;
    operands.push(value);
    return true;
  });
  if (!good)
    return nullptr;
  spec.numOperands = operands.size();
  spec.operands = operands.data();
  spec.operandSegments = operandLengths.empty() ? nullptr : operandLengths.data();
  spec.numOperandSegments = operandLengths.size();

  count = size_t(typeItems.size());
  countItems(typeItems, count, resultLengths);
  Gathered<GeType, 8> types{count + 1};
  if (single)
    types.push(only);
  good = eachItem(typeItems, resultLengths, [&](PyObject *item) {
    GeType type = item == Py_None ? geTypeNone(context) : nullptr;
    if (!type && !toType(item, "a result type", type))
      return false;
    types.push(type);
    return true;
  });
  if (!good)
    return nullptr;
  spec.numResults = types.size();
  spec.resultTypes = types.data();
  spec.resultSegments = resultLengths.empty() ? nullptr : resultLengths.data();
  spec.numResultSegments = resultLengths.size();

  count = size_t(controlItems.size());
  Gathered<GeNodeRef *, 4> controls{count};
  for (size_t i = 0; i < count; ++i) {
    PyObject *item = controlItems[Py_ssize_t(i)];
    if (!isNode(item))
      return raiseType("a control input", "a Node", item);
    controls.push(payload<NodeObject>(item).ref);
  }
  spec.numControlInputs = controls.size();
  spec.controlInputs = controls.data();
  spec.numSubgraphs = subgraphs.graphs.size();
  spec.subgraphs = subgraphs.graphs.data();
  spec.slots = subgraphs.slots.data();
  if (!resolveLocation(context, a.loc, spec.location))
    return nullptr;

  TracedEdit traced(context);
  GeNodeRef *node;
  GeStatus s = detached ? geNodeCreateDetached(graph, &spec, &node)
                        : geNodeCreate(graph, before, &spec, &node);
  if (s)
    return raise(s);
  return wrapRef(node);
}

bool resolveInsertionPoint(PyObject *argument, GeGraphRef *within, PyObject *&held,
                           GeGraphRef *&graph, GeNodeRef *&before) {
  graph = within;
  before = nullptr;
  held = nullptr;
  PyObject *point = argument;
  if (!point && anyScopeEntered) {
    PyObject *scope = currentScope();
    if (!scope && PyErr_Occurred())
      return false;
    if (scope) {
      point = payload<ScopeObject>(scope).point;
      held = Py_XNewRef(point);
      Py_DECREF(scope);
    }
  }
  if (!point)
    return true;
  if (argument && isGraph(argument)) {
    graph = payload<GraphObject>(argument).ref;
  } else if (argument && !isInsertionPoint(argument)) {
    raiseType("ip", "an InsertionPoint, a Graph or None", argument);
    return false;
  } else {
    auto &ip = payload<InsertionPointObject>(point);
    GeGraphRef *own = payload<GraphObject>(ip.graph).ref;
    // The enclosing `with` block belongs to another graph, so it does not apply.
    if (!argument && within && own != within)
      return true;
    graph = own;
    before = ip.before ? payload<NodeObject>(ip.before).ref : nullptr;
  }
  if (within && graph != within) {
    Py_CLEAR(held);
    PyErr_SetString(PyExc_ValueError, "ip: the insertion point is in another graph");
    return false;
  }
  return true;
}

PyObject *addNode(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  NodeArguments arguments;
  if (!parseNodeArguments("add_node", args, count, names, arguments))
    return nullptr;
  GeGraphRef *graph = payload<GraphObject>(self).ref;
  if (!arguments.ip && !anyScopeEntered)
    return createNode(graph, nullptr, false, arguments);
  PyObject *held;
  GeNodeRef *before;
  if (!resolveInsertionPoint(arguments.ip, graph, held, graph, before))
    return nullptr;
  PyObject *node = createNode(graph, before, false, arguments);
  Py_XDECREF(held);
  return node;
}

/// The root graph of a Value or Node, a new reference; null for other objects.
static bool rootOf(PyObject *operand, GeGraphRef *&root) {
  GeNodeRef *producer = nullptr;
  GeStatus s = GE_OK;
  if (isValue(operand))
    s = geValueGetNode(payload<ValueObject>(operand).ref, &producer);
  else if (isNode(operand))
    geNodeRetain(producer = payload<NodeObject>(operand).ref);
  if (s == GE_OK && producer)
    s = geNodeGetRoot(producer, &root);
  geNodeRelease(producer);
  if (s)
    raise(s);
  return s == GE_OK;
}

PyObject *createNodeMethod(PyObject *, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  NodeArguments arguments;
  if (!parseNodeArguments("create", args, count, names, arguments))
    return nullptr;
  bool detached = arguments.ip == Py_False;
  if (detached)
    arguments.ip = nullptr;
  PyObject *held;
  GeGraphRef *graph, *root = nullptr;
  GeNodeRef *before;
  if (!resolveInsertionPoint(arguments.ip, nullptr, held, graph, before))
    return nullptr;
  nb::object holder = nb::steal(held);
  Items items;
  if (!graph && detached && arguments.operands) {
    // The root graph of the first operand that is not absent.
    if (!items.load(arguments.operands, "operands", "a sequence of Value or None", true))
      return nullptr;
    arguments.operands = items.object(); // an iterator has been consumed
    for (Py_ssize_t i = 0; i < items.size() && !root; ++i) {
      Items inner;
      bool isList = isItemList(items[i]);
      if (isList && !inner.load(items[i], "an operand", "a Value, a list of them, or None"))
        return nullptr;
      for (Py_ssize_t k = 0; k < (isList ? inner.size() : 1) && !root; ++k)
        if (!rootOf(isList ? inner[k] : items[i], root))
          return nullptr;
    }
    graph = root;
  }
  if (!graph) {
    PyErr_SetString(
        PyExc_ValueError,
        detached ? "Node.create(ip=False) without operands: enter `with InsertionPoint(graph):` to "
                   "say which root graph the node is bound to"
                 : "Node.create() needs a place: pass ip=InsertionPoint(graph), or enter "
                   "`with InsertionPoint(graph):`, or use graph.add_node()");
    return nullptr;
  }
  PyObject *node = createNode(graph, before, detached, arguments);
  geGraphRelease(root);
  return node;
}

} // namespace ge::python
