//===- Call.cpp - one call of a graph-building function ----------------------------------------===//
//
// Reads the arguments (CallReader.h), finds the graph, converts constants and callables to nodes
// and subgraphs, infers types and creates the node. On failure the graph is unchanged.
//
#include "../Imported/Imported.h"
#include "CallReader.h"
#include "Eager.h"
#include "Function.h"

#include "../IR/NodeObject.h"
#include "../IR/Scope.h"

#include <vector>

namespace ge::python {

namespace {

class Call : CallReader {
public:
  /// `eager`: the graph of a call in CANN's style, see callIn(); else null.
  Call(FunctionObject &function, GeGraphRef *eager)
      : CallReader(function), eager_(eager), constants_(function) {}
  ~Call() {
    for (const GeNamedAttribute &a : attributes_)
      geAttributeRelease(a.value);
    geGraphRelease(ownGraph_);
    Py_XDECREF(point_);
  }
  Call(const Call &) = delete;

  PyObject *run(PyObject *args, PyObject *kwargs) {
    if (!read(args, kwargs) || !bind() || !findPlace() || !gatherOperands() ||
        !gatherAttributes() || (f_.hasGraphs && !gatherBodies()))
      return nullptr;
    size_t count = 0;
    if (!countResults(count))
      return nullptr;
    return build(count);
  }

private:
  static int depthOf(GeGraphRef *graph) {
    int depth = 0;
    geGraphRetain(graph);
    while (graph) {
      GeNodeRef *parent = nullptr;
      GeGraphRef *outer = nullptr;
      if (geGraphGetParentNode(graph, &parent) == GE_OK && parent)
        geNodeGetGraph(parent, &outer);
      geNodeRelease(parent);
      geGraphRelease(graph);
      graph = outer;
      ++depth;
    }
    return depth;
  }

  /// The scope's graph, unless the operands are of another one; then theirs, the innermost.
  bool findPlace() {
    if (eager_) {
      if (ip_) {
        PyErr_Format(PyExc_ValueError,
                     "%U(): _ip: a call with a TensorHolder or GraphBuilder appends to the "
                     "builder's graph; give Values to choose the place",
                     f_.name);
        return false;
      }
      graph_ = eager_;
      constants_.place(graph_, nullptr);
      return true;
    }
    GeGraphRef *scope = nullptr;
    if (!resolveInsertionPoint(ip_, nullptr, point_, scope, before_))
      return false;
    bool needsGraph = f_.hasGraphs;
    GeValueRef *other = nullptr; // a value of another graph than the scope's
    bool good = eachOperand([&](size_t, PyObject *o, GeSchemaType) {
      bool isOperand = o && (isValue(o) || isNode(o));
      needsGraph |= o && !isOperand && o != Py_None; // a constant
      if (!isOperand)
        return true;
      GeValueRef *value;
      if (!toValueRef(o, value))
        return false;
      if (!any_)
        any_ = value;
      // An explicit insertion point is kept: an operand that is not visible there is an error.
      if (!scope || !(ip_ || tracingBodies || geRefHasSameRoot(scope, value)))
        other = value;
      return true;
    });
    if (!good)
      return false;
    if (scope && !other) {
      graph_ = scope;
      any_ = nullptr;
    } else {
      before_ = nullptr;
      if (!any_) {
        PyErr_Format(PyExc_ValueError,
                     "%U() needs a graph: pass a Value, or enter `with " GE_PYTHON_PACKAGE
                     ".es.builder(name):` or "
                     "`with InsertionPoint(graph):`",
                     f_.name);
        return false;
      }
      if (needsGraph && !findGraph())
        return false;
    }
    if (graph_)
      constants_.place(graph_, before_);
    return true;
  }

  /// The innermost graph of the operands.
  bool findGraph() {
    bool good = eachOperand([&](size_t, PyObject *o, GeSchemaType) {
      if (!o || !(isValue(o) || isNode(o)))
        return true;
      GeValueRef *value;
      if (!toValueRef(o, value))
        return false;
      GeGraphRef *own = nullptr;
      if (GeStatus s = geValueGetGraph(value, &own)) {
        raise(s);
        return false;
      }
      bool isDeeper = own && own != ownGraph_ && (!ownGraph_ || depthOf(own) > depthOf(ownGraph_));
      geGraphRelease(isDeeper ? std::exchange(ownGraph_, own) : own);
      return true;
    });
    if (good && !ownGraph_) {
      PyErr_SetString(PyExc_ValueError, "no operand is in a graph");
      return false;
    }
    graph_ = ownGraph_;
    return good;
  }

  /// The argument that determines the context.
  const GeRef *anchor() const { return graph_ ? static_cast<GeRef *>(graph_) : any_; }

  bool captured(PyObject *&o) {
    if (!tracingBodies || !hooks.capture)
      return true;
    GeValueRef *value;
    if (!toValueRef(o, value))
      return false;
    if (geRefHasSameRoot(graph_, value))
      return true;
    geGraphRetain(graph_);
    nb::object graph = nb::steal(wrapRef(graph_));
    nb::object inner =
        nb::steal(PyObject_CallFunctionObjArgs(hooks.capture, o, graph.ptr(), nullptr));
    if (!inner.is_valid())
      return false;
    o = inner.ptr();
    held_.push_back(std::move(inner));
    return true;
  }

  /// Whether the parameter is a `Tensor[]?` that is absent.
  bool isAbsentList(size_t param) {
    if (param == SIZE_MAX || !f_.params[param].isOptionalList)
      return false;
    PyObject *o = arguments_.of(bound_[param]);
    return !o || o == Py_None;
  }

  /// A list of one absent tensor has the operands of an absent list.
  bool refuseAbsentElement() {
    for (size_t i = 0; i < bound_.size(); ++i) {
      PyObject *o = f_.params[i].isOptionalList ? arguments_.of(bound_[i]) : nullptr;
      bool isOne = o && (PyList_Check(o) || PyTuple_Check(o)) && Py_SIZE(o) == 1;
      if (!isOne || (PyList_Check(o) ? PyList_GetItem(o, 0) : PyTuple_GetItem(o, 0)) != Py_None)
        continue;
      std::string name = nb::str(nb::handle(f_.params[i].name)).c_str();
      raiseReason(name, "argument '" + name +
                            "' is a list of one absent tensor, which a node cannot tell from an "
                            "absent list; pass None or []");
      return true;
    }
    return false;
  }

  bool gatherOperands() {
    if (refuseAbsentElement())
      return false;
    bool anyConstant = false;
    size_t kept = 0;           // absent elements of a list count, also at the end
    std::vector<size_t> lists; // by parameter of the form: which operand parameter it is
    if (f_.hasOperandChoice) {
      lists.resize(f_.params.size());
      size_t count = 0;
      for (size_t i = 0; i < f_.params.size(); ++i)
        lists[i] = f_.params[i].operand ? count++ : 0;
      segments_.assign(count, 0);
    }
    bool good = eachOperand([&](size_t i, PyObject *o, GeSchemaType type) {
      GeValueRef *value = nullptr;
      if (f_.hasOperandChoice) {
        if (!o && !isAbsentList(i))
          return true; // its length says that it is absent
        size_t list = i == SIZE_MAX ? segments_.size() : lists[i];
        if (list == segments_.size())
          segments_.push_back(0);
        ++segments_[list];
      }
      if (o && o != Py_None && (isValue(o) || isNode(o))) {
        if (!captured(o) || !toValueRef(o, value))
          return false;
      } else if (o && o != Py_None) {
        anyConstant = true;
        pending_.push_back({operands_.size(), i, o, type});
      }
      operands_.push_back(value);
      sources_.push_back(i);
      if (isAbsentList(i) || (o && i != SIZE_MAX && f_.params[i].variadic))
        kept = operands_.size();
      return true;
    });
    if (!good)
      return false;
    if (anyConstant) {
      for (size_t k = 0; k < operands_.size(); ++k)
        if (operands_[k])
          constants_.sees(sources_[k] == SIZE_MAX ? -1 : f_.params[sources_[k]].typeVar,
                          operands_[k]);
      for (const Pending &p : pending_) {
        if (p.param == SIZE_MAX) {
          raiseType("a further argument", "a Value", p.object);
          return false;
        }
        GeValueRef *value = constants_.make(p.object, p.param, p.type);
        if (!value)
          return false;
        operands_[p.index] = value;
      }
    }
    while (!f_.hasOperandChoice && operands_.size() > kept && !operands_.back())
      operands_.pop_back();
    return true;
  }

  bool addBody(const FormParam &param, PyObject *o, const char *suffix) {
    nb::object graph = nb::borrow(o);
    if (!isGraph(o)) {
      if (!hooks.trace) {
        raiseType("a subgraph", "a Graph", o);
        return false;
      }
      nb::list values;
      for (GeValueRef *value : operands_) {
        if (value)
          geValueRetain(value);
        values.append(nb::steal(checked(wrapRef(value))));
      }
      geGraphRetain(graph_);
      nb::object outer = nb::steal(checked(wrapRef(graph_)));
      nb::object made = nb::steal(PyObject_CallFunctionObjArgs(
          hooks.trace, o, f_.op, param.name, values.ptr(), given_.ptr(), outer.ptr(), nullptr));
      if (!made.is_valid())
        return false;
      graph = made[0];
      captures_.push_back(made[1]);
    }
    std::string slot = std::string(nb::str(nb::handle(param.name)).c_str()) + suffix;
    slots_.push_back(str(slot));
    bodies_.push_back(payload<GraphObject>(graph.ptr()).ref);
    held_.push_back(std::move(graph));
    return true;
  }

  /// Null without one.
  PyObject *defaultOf(const FormParam &param) {
    GeParamInfo info;
    check(geOpDefGetParam(f_.record, param.source, nullptr, &info));
    if (!info.defaultValue)
      return nullptr;
    held_.push_back(constantToPython(info.defaultValue));
    return held_.back().ptr();
  }

  bool gatherAttributes() {
    ContextState &state = stateOf(const_cast<GeRef *>(anchor()));
    if (f_.hasGraphs)
      given_ = nb::dict();
    for (size_t i = 0; i < bound_.size(); ++i) {
      const FormParam &param = f_.params[i];
      if (param.operand)
        continue;
      PyObject *o = arguments_.of(bound_[i]);
      if (!o && eager_ && param.source != SIZE_MAX)
        o = defaultOf(param); // nodes of CANN store all attributes
      if (!o || o == Py_None || bound_[i].conversion == GE_CONVERT_ABSENT)
        continue;
      if (param.source == SIZE_MAX) {
        if (f_.hasResultChoice)
          numbers_.push_back(o);
        else
          outputs_ = o;
        continue;
      }
      if (param.form == AttributeForm::Graph || param.form == AttributeForm::Graphs)
        continue;
      if (f_.hasGraphs)
        checked(PyDict_SetItem(given_.ptr(), param.name, o));
      GeNamedAttribute attribute{state.identifier(param.name, "attribute name"), {}};
      if (!attribute.name || !toParamAttribute(state, param, o, attribute.value))
        return false;
      attributes_.push_back(attribute);
    }
    return true;
  }

  /// Runs after the attributes, which may determine the inputs of the subgraphs.
  bool gatherBodies() {
    for (size_t i = 0; i < bound_.size(); ++i) {
      const FormParam &param = f_.params[i];
      PyObject *o = arguments_.of(bound_[i]);
      if (!o || o == Py_None)
        continue;
      if (param.form == AttributeForm::Graph && !addBody(param, o, ""))
        return false;
      if (param.form != AttributeForm::Graphs)
        continue;
      int k = 0;
      for (nb::handle item : nb::tuple(nb::borrow(o)))
        if (!addBody(param, item.ptr(), std::to_string(k++).c_str()))
          return false;
    }
    return true;
  }

  bool missingOutputs(const char *why) {
    raiseReason("_outputs", std::string("missing required argument '_outputs'") + why);
    return false;
  }

  /// Whether all bodies have `count` outputs, at least one.
  bool sameOutputs(size_t count) {
    for (size_t i = 0; i < bodies_.size(); ++i) {
      size_t n = 0;
      if (GeStatus s = geGraphNumOutputs(bodies_[i], &n)) {
        raise(s);
        return false;
      }
      if (n == count && n > 0)
        continue;
      GeOpInfo info;
      check(geOpDefGetInfo(f_.record, &info));
      std::string op = qualifiedName(info);
      if (n == 0)
        PyErr_Format(exceptionOf(GE_ERROR_VERIFY), "%s(): '%U' gives no result; it needs one",
                     op.c_str(), slots_[i].ptr());
      else
        PyErr_Format(exceptionOf(GE_ERROR_VERIFY), "%s(): '%U' gives %zu results, but '%U' %zu",
                     op.c_str(), slots_[i].ptr(), n, slots_[0].ptr(), count);
      return false;
    }
    return true;
  }

  /// The number of results of a variadic operator if it is not given: derived from bodies and
  /// attributes.
  bool derived(size_t &count) {
    size_t n = 0;
    if (!bodies_.empty() && geGraphNumOutputs(bodies_[0], &n) == GE_OK) {
      if (PyUnicode_CompareWithASCIIString(f_.name, "Loop") != 0) {
        count = n;
        return sameOutputs(n);
      }
      // Trip count and condition are not loop-carried values.
      size_t carried = operands_.size() < 2 ? 0 : operands_.size() - 2;
      if (n < carried + 1) {
        PyErr_Format(exceptionOf(GE_ERROR_VERIFY),
                     "onnx::Loop(): 'body' has %zu outputs, but needs %zu at least: the condition, "
                     "then one for each of the %zu values that it carries on",
                     n, carried + 1, carried);
        return false;
      }
      count = n - 1;
      return true;
    }
    for (size_t i = 0; i < bound_.size(); ++i) {
      const char *word = nullptr;
      PyObject *o = arguments_.of(bound_[i]);
      for (const char *known : {"num_outputs", "split"})
        if (PyUnicode_CompareWithASCIIString(f_.params[i].name, known) == 0)
          word = known;
      if (!word || !o)
        continue;
      if (PyLong_Check(o)) {
        count = PyLong_AsSize_t(o);
        return !PyErr_Occurred();
      }
      if (PyList_Check(o) || PyTuple_Check(o)) {
        count = size_t(Py_SIZE(o));
        return true;
      }
    }
    return missingOutputs(": how many results there are");
  }

  /// The number of results of each result: `_outputs`, or the numbers of the lists in the call.
  bool countLists(size_t &count) {
    std::vector<PyObject *> given = numbers_;
    nb::object held;
    if (outputs_) {
      if (!PyList_Check(outputs_) && !PyTuple_Check(outputs_)) {
        raiseType("_outputs", "a sequence of int, one for each result", outputs_);
        return false;
      }
      held = nb::steal(PySequence_Tuple(outputs_));
      given.clear();
      for (Py_ssize_t i = 0; i < Py_SIZE(held.ptr()); ++i)
        given.push_back(PyTuple_GetItem(held.ptr(), i));
      if (given.size() != f_.results.size()) {
        PyErr_Format(PyExc_ValueError, "_outputs has %zu numbers; %U() has %zu results",
                     given.size(), f_.name, f_.results.size());
        return false;
      }
    }
    size_t next = 0;
    count = 0;
    for (const GeSlotInfo &result : f_.results) {
      bool isOptional = geSchemaTypeGetKind(result.type) == GE_SCHEMA_OPTIONAL;
      Py_ssize_t length = isOptional || result.isVariadic ? 0 : 1;
      if (outputs_ || result.isVariadic) {
        if (next == given.size())
          return missingOutputs(": the number of results of each result");
        if (!PyLong_Check(given[next])) {
          raiseType("the number of results", "an int", given[next]);
          return false;
        }
        length = PyLong_AsSsize_t(given[next++]);
        if (length == -1 && PyErr_Occurred())
          return false;
      }
      if (length < 0 || length > (result.isVariadic ? (1 << 24) : 1) ||
          (length == 0 && !isOptional && !result.isVariadic)) {
        PyErr_Format(PyExc_ValueError, "%U(): no result takes %zd values here", f_.name, length);
        return false;
      }
      resultSegments_.push_back(int32_t(length));
      count += size_t(length);
    }
    return true;
  }

  bool countResults(size_t &count) {
    if (f_.hasResultChoice)
      return countLists(count);
    size_t most = f_.results.size();
    count = f_.defaultResults;
    if (outputs_) {
      if (!PyLong_Check(outputs_)) {
        raiseType("_outputs", "an int", outputs_);
        return false;
      }
      Py_ssize_t given = PyLong_AsSsize_t(outputs_);
      if (given == -1 && PyErr_Occurred())
        return false;
      if (f_.varret && f_.variadicResult < 0) {
        if (given < 0 || size_t(given) < f_.defaultResults) {
          PyErr_Format(PyExc_ValueError, "_outputs is %zd; %U() gives at least %zu results", given,
                       f_.name, f_.defaultResults);
          return false;
        }
        count = size_t(given);
        isOpen_ = true;
        return true;
      }
      if (given < 0 || (f_.variadicResult < 0 && (given < 1 || size_t(given) > most))) {
        PyErr_Format(PyExc_ValueError, "_outputs is %zd; %U() gives 1 to %zu", given, f_.name,
                     most);
        return false;
      }
      variadic_ = f_.variadicResult >= 0 ? size_t(given) : 0;
      count = f_.variadicResult >= 0 ? most - 1 + variadic_ : size_t(given);
      return true;
    }
    if (declared_.isGiven() && bodies_.empty())
      return declared_.count(f_, count, variadic_, isOpen_);
    if (f_.varret && most == 0)
      return missingOutputs(": how many results there are");
    if (f_.variadicResult >= 0) {
      if (!derived(variadic_))
        return false;
      count = most - 1 + variadic_;
    }
    return true;
  }

  bool findOverload(ContextState &state, GeOperatorName &out) {
    GeOpInfo info;
    check(geOpDefGetInfo(f_.record, &info));
    GeStatus s = geOperatorNameGet(state.context(), info.ns, info.name, info.overload, &out);
    if (s)
      raise(s);
    return s == GE_OK;
  }

  PyObject *build(size_t count) {
    ContextState &state = stateOf(const_cast<GeRef *>(anchor()));
    GeNodeSpec spec{};
    if (!f_.overload)
      spec.op = state.operatorName(f_.opName);
    else if (!findOverload(state, spec.op))
      return nullptr;
    if (!spec.op || !toOptionalText(name_, "_name", spec.name) ||
        !resolveLocation(state.context(), loc_, spec.location))
      return nullptr;
    spec.numOperands = operands_.size();
    spec.operands = operands_.data();
    spec.numAttributes = attributes_.size();
    spec.attributes = attributes_.data();
    spec.numResults = count;
    spec.operandSegments = segments_.empty() ? nullptr : segments_.data();
    spec.numOperandSegments = segments_.size();
    spec.resultSegments = resultSegments_.empty() ? nullptr : resultSegments_.data();
    spec.numResultSegments = resultSegments_.size();
    if (declared_.isGiven() && declared_.size() != count)
      return declared_.raiseCount(f_, count);
    spec.resultTypes = declared_.data();
    constexpr size_t kFew = 8;
    GeValueRef *few[kFew];
    std::vector<GeValueRef *> many;
    GeValueRef **results = few;
    if (count > kFew) {
      many.resize(count);
      results = many.data();
    }
    std::vector<GeStringRef> slots;
    for (const nb::str &slot : slots_)
      slots.push_back(ref(slot));
    spec.numSubgraphs = bodies_.size();
    spec.subgraphs = bodies_.data();
    spec.slots = slots.data();
    TracedEdit::tracing = *lent().tracing; // this module's own copy of it
    TracedEdit traced(state.context());
    GeStatus s = geNodeBuild(graph_, before_, f_.record, 0, &spec, results);
    if (s == GE_ERROR_VERIFY && eager_ && bodies_.empty())
      s = createUntyped(spec, results);
    if (s)
      return raise(s);
    constants_.commit();
    if (!f_.hasGraphs && count == 1 && f_.variadicResult < 0 && !isOpen_) [[likely]]
      return wrapRef(results[0]);
    nb::list values;
    for (size_t i = 0; i < count; ++i)
      values.append(nb::steal(checked(wrapRef(results[i]))));
    if (!bodies_.empty() && !settle(values))
      return nullptr;
    return isOpen_ ? values.release().ptr() : shaped(values);
  }

  GeStatus createUntyped(GeNodeSpec &spec, GeValueRef **results) {
    std::vector<GeType> types(spec.numResults, geTypeUnknown(geRefGetContext(graph_)));
    for (size_t i = 0; i < declared_.size(); ++i)
      types[i] = declared_[i] ? declared_[i] : types[i];
    spec.resultTypes = types.data();
    GeNodeRef *node = nullptr;
    GeStatus s = geNodeCreate(graph_, before_, &spec, &node);
    for (size_t i = 0; i < types.size() && s == GE_OK; ++i) {
      s = geNodeGetResult(node, i, &results[i]);
      while (s && i > 0)
        geValueRelease(results[--i]);
    }
    geNodeRelease(node);
    return s;
  }

  /// Runs when the bodies are attached: captures values, then infers types.
  bool settle(const nb::list &values) {
    if (hooks.adopted && !captures_.empty()) {
      nb::list all;
      for (const nb::object &captures : captures_)
        all.append(captures);
      nb::object done = nb::steal(PyObject_CallFunctionObjArgs(hooks.adopted, all.ptr(), nullptr));
      if (!done.is_valid())
        return false;
    }
    if (values.empty())
      return true;
    GeNodeRef *node = nullptr;
    GeStatus s = geValueGetNode(payload<ValueObject>(nb::handle(values[0]).ptr()).ref, &node);
    if (s == GE_OK)
      s = geNodeInferTypes(node, f_.record, 0);
    if (s == GE_ERROR_VERIFY && eager_)
      s = GE_OK; // the types stay unknown
    for (size_t i = 0; i < declared_.size() && s == GE_OK; ++i)
      s = declared_.meet(i, payload<ValueObject>(nb::handle(values[i]).ptr()).ref);
    if (s) {
      raise(s);
      geNodeErase(node, true);
    }
    geNodeRelease(node);
    return s == GE_OK;
  }

  /// Returns a single result as itself, a variadic one as a list, several as a named tuple.
  PyObject *shaped(const nb::list &values) {
    nb::list parts, names;
    size_t at = 0;
    bool isVariadic = f_.variadicResult >= 0;
    size_t numSlots = isVariadic ? f_.results.size() : values.size();
    for (size_t i = 0; i < numSlots; ++i) {
      bool isList = f_.hasResultChoice ? f_.results[i].isVariadic : int(i) == f_.variadicResult;
      size_t length = f_.hasResultChoice ? size_t(resultSegments_[i]) : isList ? variadic_ : 1;
      if (!isList && length == 0) {
        parts.append(nb::none());
      } else if (isList) {
        nb::list several;
        for (size_t k = 0; k < length; ++k)
          several.append(values[at++]);
        parts.append(several);
      } else {
        parts.append(values[at++]);
      }
      names.append(str(f_.results[i].name));
    }
    if (parts.empty())
      return Py_NewRef(Py_None);
    if (parts.size() == 1)
      return nb::object(parts[0]).release().ptr();
    if (!f_.tuples)
      f_.tuples = nb::dict().release().ptr();
    nb::object key = nb::int_(parts.size());
    nb::object type = nb::borrow(PyDict_GetItem(f_.tuples, key.ptr()));
    if (!type.is_valid()) {
      nb::object title = nb::steal(PyUnicode_FromFormat("%UOutput", f_.name));
      type = importModule("collections")
                 .attr("namedtuple")(title, names, nb::arg("rename") = true,
                                     nb::arg("module") = nb::borrow(f_.module));
      checked(PyDict_SetItem(f_.tuples, key.ptr(), type.ptr()));
    }
    nb::tuple all(parts);
    return checked(PyObject_CallObject(type.ptr(), all.ptr()));
  }

  struct Pending {
    size_t index, param;
    PyObject *object;
    GeSchemaType type;
  };
  GeGraphRef *eager_; ///< borrowed
  Constants constants_;
  PyObject *point_ = nullptr; ///< owned: keeps the graph of the scope alive
  /// Null: the graph of the operands; `any_` is one of them.
  GeGraphRef *graph_ = nullptr, *ownGraph_ = nullptr;
  GeValueRef *any_ = nullptr;
  GeNodeRef *before_ = nullptr;
  Small<GeValueRef *, 16> operands_;
  Small<size_t, 16> sources_;
  Small<GeNamedAttribute, 16> attributes_;
  std::vector<Pending> pending_;
  std::vector<GeGraphRef *> bodies_;
  std::vector<nb::str> slots_;
  std::vector<nb::object> captures_;
  std::vector<int32_t> segments_, resultSegments_; ///< of records that do not imply them
  std::vector<PyObject *> numbers_;                ///< of results, borrowed
  nb::object given_; ///< attributes by name, for the tracing of subgraphs; null when there are none
  size_t variadic_ = 0;
  bool isOpen_ = false; ///< the operator has `...` results, which are returned as one list
};

} // namespace

/// The same call of the operator as the builder's opset has it.
static PyObject *callAtOpset(PyObject *self, PyObject *args, PyObject *kwargs, uint32_t opset) {
  FunctionObject &f = payload<FunctionObject>(self);
  uint64_t generation = geRegistryGeneration(geRegistryGlobal());
  if (!f.older || f.olderOpset != opset || f.olderGeneration != generation) {
    nb::object version = nb::steal(checked(PyLong_FromUnsignedLong(opset)));
    PyObject *found = PyObject_CallFunctionObjArgs(hooks.atOpset, self, version.ptr(), nullptr);
    if (!found)
      return nullptr;
    Py_XDECREF(std::exchange(f.older, found));
    f.olderOpset = opset;
    f.olderGeneration = generation;
  }
  nb::object held = nb::borrow(f.older);
  return PyObject_Call(held.ptr(), args, kwargs);
}

PyObject *callFunction(PyObject *self, PyObject *args, PyObject *kwargs) {
  FunctionObject &f = payload<FunctionObject>(self);
  if (f.since > lowestOpset && f.isOnnxOpset) [[unlikely]]
    if (uint32_t opset = opsetOfCall(args, kwargs); f.since > opset)
      return callAtOpset(self, args, kwargs, opset);
  PyObject *plain;
  if (callPlain(f, args, kwargs, plain))
    return plain;
  if (isEager(args, kwargs))
    return callEager(self, args, kwargs);
  Call call(payload<FunctionObject>(self), nullptr);
  return call.run(args, kwargs);
}

PyObject *callIn(PyObject *self, PyObject *args, PyObject *kwargs, GeGraphRef *graph) {
  Call call(payload<FunctionObject>(self), graph);
  return call.run(args, kwargs);
}

} // namespace ge::python
