//===- Foreign.cpp - inference and evaluation by Python functions ------------------------------===//
//
// The C library asks a function table for what GE does not infer or evaluate itself. Here are
// tables whose functions are Python's; python/ge/_mlir_like/_foreign has them, and the public side.
//
// A table without a function of its own imports _foreign when it is asked for the first time: that
// costs `import ge.ir` nothing, and whoever never needs onnx never loads it.
//
#include "Convert.h"
#include "ErrorText.h"
#include "Populate.h"
#include "Scope.h"

#include "ge-c/Ops.h"

#include <memory>

namespace ge::python {

namespace {

nb::object textOf(GeStringRef text) { return nb::steal(checked(newText(text))); }

/// A tuple of the wrappers of `count` things, None where one is null.
template <typename T, typename Wrap> nb::object tupleOf(const T *items, size_t count, Wrap wrap) {
  nb::object tuple = nb::steal(checked(PyTuple_New(Py_ssize_t(count))));
  for (size_t i = 0; i < count; ++i) {
    nb::object item = items[i] ? nb::steal(checked(wrap(items[i]))) : nb::object(nb::none());
    checked(PyTuple_SetItem(tuple.ptr(), Py_ssize_t(i), item.release().ptr()));
  }
  return tuple;
}

PyObject *retained(GeTensor *tensor) {
  geTensorRetain(tensor);
  return wrapTensor(tensor);
}

PyObject *retained(GeGraphRef *graph) {
  geGraphRetain(graph);
  return wrapRef(graph);
}

/// What _foreign.OpCall is made of, in its order.
nb::object describe(const GeOpCall &call) {
  GeOpInfo info{};
  if (call.op)
    check(geOpDefGetInfo(call.op, &info));
  nb::dict attributes;
  for (size_t i = 0; i < call.numAttributes; ++i) {
    geAttributeRetain(call.attributes[i].value);
    nb::object value = nb::steal(checked(newAttribute(call.attributes[i].value)));
    attributes[nb::steal(checked(newText(call.attributes[i].name)))] = value;
  }
  nb::dict subgraphs;
  for (size_t i = 0; i < call.numSubgraphs; ++i)
    subgraphs[textOf(call.subgraphSlots[i])] = nb::steal(checked(retained(call.subgraphs[i])));
  return nb::make_tuple(
      nb::steal(checked(newText(geOperatorNameFull(call.name)))),
      nb::steal(checked(wrapContext(call.context))), call.opset,
      call.op ? nb::object(nb::int_(info.since)) : nb::object(nb::none()),
      tupleOf(call.operandTypes, call.numOperands, wrapType),
      tupleOf(call.operandConstants, call.numOperands, [](GeTensor *t) { return retained(t); }),
      attributes, subgraphs, call.numResults, textOf(call.nodeName));
}

/// The function of `userData`, or the one of that name in _foreign.
nb::object functionOf(void *userData, const char *name) {
  if (userData)
    return nb::borrow(static_cast<PyObject *>(userData));
  return importModule(GE_PYTHON_PREFIX "._foreign").attr(name);
}

/// Runs `work` as the callback of a table: under the GIL, and an exception is kept for the call
/// that it comes out of. A VerifyError is the callback's answer.
template <typename Work> GeStatus answering(bool *known, Work work) {
  GilAcquire guard; // also from native threads, and at the interpreter's end
  *known = false;
  if (!guard)
    return GE_OK;
  try {
    work();
    return GE_OK;
  } catch (nb::python_error &e) {
    if (e.matches(exceptionOf(GE_ERROR_VERIFY))) {
      nb::object text = nb::steal(PyObject_Str(e.value().ptr()));
      GeStringRef message{"", 0};
      if (text.is_valid() && toText(text.ptr(), "message", message)) {
        geErrorSet(GE_ERROR_VERIFY, message);
        return GE_ERROR_VERIFY;
      }
      PyErr_Clear();
    }
    e.restore();
  } catch (...) {
    translateException();
  }
  return failInCallback("an inferrer or evaluator raised an exception");
}

/// Of "onnx", "onnx.ml", or as models write that, "ai.onnx.ml".
bool isOnnx(GeOperatorName op) {
  GeStringRef domain = geIdentifierStr(geOperatorNameDomain(op));
  std::string_view view(domain.data, domain.length);
  return view == "onnx" || view.starts_with("onnx.") || view.starts_with("ai.onnx");
}

GeStatus inferCallback(void *userData, const GeOpCall *call, GeType *results, bool *known) {
  // What ships with GE knows ONNX's operators only.
  if (!userData && !isOnnx(call->name)) {
    *known = false;
    return GE_OK;
  }
  return answering(known, [&] {
    nb::object types = functionOf(userData, "infer")(*nb::borrow<nb::args>(describe(*call)));
    if (types.is_none())
      return;
    Items items;
    if (!items.load(types.ptr(), "what an inferrer returns", "Type or None", true))
      throw nb::python_error();
    if (size_t(items.size()) != call->numResults)
      throw nb::value_error("an inferrer returns as many types as there are results, or None");
    for (size_t i = 0; i < call->numResults; ++i)
      if (items[Py_ssize_t(i)] != Py_None &&
          !toType(items[Py_ssize_t(i)], "what an inferrer returns", results[i]))
        throw nb::python_error();
    *known = true;
  });
}

GeStatus evaluateCallback(void *userData, const GeOpCall *call, GeTensor **results, bool *known) {
  return answering(known, [&] {
    nb::object tensors = functionOf(userData, "evaluate")(*nb::borrow<nb::args>(describe(*call)));
    if (tensors.is_none())
      return;
    Items items;
    if (!items.load(tensors.ptr(), "what an evaluator returns", "tensors", true))
      throw nb::python_error();
    if (size_t(items.size()) != call->numResults)
      throw nb::value_error("an evaluator returns as many tensors as there are results, or None");
    for (size_t i = 0; i < call->numResults; ++i)
      if (!toTensor(call->context, items[Py_ssize_t(i)], nullptr, false, results[i]))
        throw nb::python_error();
    *known = true;
  });
}

void release(void *userData) {
  GilAcquire guard;
  if (guard)
    Py_XDECREF(static_cast<PyObject *>(userData));
}

uint64_t addInferrer(GeStringRef name, PyObject *function) {
  GeInferrer table{name, Py_XNewRef(function), inferCallback, release};
  uint64_t token = 0;
  GeStatus s = geOpsAddInferrer(&table, &token);
  if (s)
    Py_XDECREF(function);
  check(s);
  return token;
}

void setEvaluator(PyObject *function) {
  GeEvaluator table{Py_XNewRef(function), evaluateCallback, release};
  GeStatus s = geOpsSetEvaluator(&table);
  if (s)
    Py_XDECREF(function);
  check(s);
}

/// References of one call that go in any case.
struct Tensors {
  std::vector<GeTensor *> refs;
  ~Tensors() {
    for (GeTensor *tensor : refs)
      geTensorRelease(tensor);
  }
};
struct NamedAttributes {
  std::vector<GeNamedAttribute> list;
  ~NamedAttributes() {
    for (const GeNamedAttribute &attribute : list)
      geAttributeRelease(attribute.value);
  }
};

nb::object evaluate(nb::str op, nb::handle operands, nb::dict attributes, uint32_t opset,
                    size_t numResults, nb::handle contextArgument) {
  GeContext *context = resolveContext(contextArgument.ptr());
  if (!context)
    throw nb::python_error();
  ContextState &state = ContextState::of(context);
  GeOperatorName name = state.operatorName(op.ptr());
  if (!name)
    throw nb::python_error();
  Tensors given;
  Items items;
  if (!items.load(operands.ptr(), "operands", "tensors or None", true))
    throw nb::python_error();
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    GeTensor *tensor = nullptr;
    if (items[i] != Py_None && !toTensor(context, items[i], nullptr, false, tensor))
      throw nb::python_error();
    given.refs.push_back(tensor);
  }
  NamedAttributes named;
  for (auto [key, value] : attributes) {
    GeNamedAttribute attribute{};
    attribute.name = state.identifier(key.ptr(), "attribute's name");
    if (!attribute.name || !toAttribute(state, value.ptr(), key.ptr(), attribute.value))
      throw nb::python_error();
    named.list.push_back(attribute);
  }
  std::vector<GeTensor *> results(numResults, nullptr);
  bool known = false;
  check(afterCallbacks(geOpsEvaluate(name, opset, given.refs.data(), given.refs.size(),
                                     named.list.data(), named.list.size(), results.data(),
                                     numResults, &known)));
  if (!known)
    return nb::none();
  nb::list made;
  for (GeTensor *tensor : results)
    made.append(nb::steal(checked(wrapTensor(tensor))));
  return made;
}

nb::object inferrerUses() {
  nb::list uses;
  check(afterCallbacks(geOpsInferrerUses(
      [](GeStringRef inferrer, GeStringRef op, uint64_t asked, uint64_t answered, void *list) {
        try {
          static_cast<nb::list *>(list)->append(
              nb::make_tuple(textOf(inferrer), textOf(op), asked, answered));
        } catch (nb::python_error &e) {
          e.restore();
          keepException();
        }
      },
      &uses)));
  return uses;
}

} // namespace

void populateForeign(nb::module_ &m) {
  m.def("_add_inferrer", [](std::string_view name, nb::handle function) {
    return addInferrer({name.data(), name.size()}, function.ptr());
  });
  m.def("_remove_inferrer", [](uint64_t token) { geOpsRemoveInferrer(token); });
  m.def("_inferrer_uses", inferrerUses);
  // None: no evaluator at all; _foreign's own is installed by its function.
  m.def(
      "_set_evaluator",
      [](nb::handle function) {
        if (function.is_none())
          check(geOpsSetEvaluator(nullptr));
        else
          setEvaluator(function.ptr());
      },
      nb::arg("function").none());
  m.def("_evaluate", evaluate, nb::arg("op"), nb::arg("operands"), nb::arg("attributes"),
        nb::arg("opset"), nb::arg("num_results"), nb::arg("context").none());
  addInferrer(stringRef("onnx"), nullptr);
  setEvaluator(nullptr);
}

} // namespace ge::python
