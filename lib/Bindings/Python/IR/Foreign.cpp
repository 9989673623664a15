//===- Foreign.cpp - inference and evaluation by Python functions ------------------------------===//
//
// The C library calls tables of functions for inference and evaluation that GE does not do itself.
// The functions of the tables here call Python; python/ge/_foreign has their Python half and the
// public functions.
//
// A table without a function of its own imports _foreign when it is asked for the first time: that
// costs `import ge.ir` nothing, and onnx is loaded only where it is needed.
//
#include "Convert.h"
#include "ErrorText.h"
#include "PopulateIR.h"
#include "PythonRegions.h"
#include "Scope.h"

#include "ge-c/Ops.h"
#include "ge-c/Text.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace ge::python {

namespace {

nb::object textOf(GeStringRef text) { return nb::steal(checked(newText(text))); }

/// Returns a tuple of wrappers of `count` objects, None for null ones.
template <typename T, typename Wrap>
nb::object wrappedTuple(const T *items, size_t count, Wrap wrap) {
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

/// A tuple of lengths; None: there are none.
nb::object lengthsTuple(const int32_t *lengths, size_t count) {
  if (!lengths)
    return nb::none();
  nb::list all;
  for (size_t i = 0; i < count; ++i)
    all.append(lengths[i]);
  return nb::tuple(all);
}

/// The constructor arguments of _foreign.OpCall, in order.
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
      wrappedTuple(call.operandTypes, call.numOperands, wrapType),
      wrappedTuple(call.operandConstants, call.numOperands,
                   [](GeTensor *t) { return retained(t); }),
      attributes, subgraphs, call.numResults, textOf(call.nodeName),
      wrappedTuple(call.resultTypes, call.resultTypes ? call.numResults : 0, wrapType),
      lengthsTuple(call.operandSegments, call.numOperandSegments),
      lengthsTuple(call.resultSegments, call.numResultSegments));
}

/// Returns the function of `userData`, or else the package's provider for the purpose.
nb::object functionOf(void *userData, const char *purpose) {
  if (userData)
    return nb::borrow(static_cast<PyObject *>(userData));
  return provider(purpose);
}

/// Converts the current Python error, SystemExit and the like, to a GEError with that cause: an
/// exception of a plugin must not end the program. An interruption is left as it is.
void failUnlessException(const char *who, const GeOpCall &call) {
  if (PyErr_ExceptionMatches(PyExc_Exception))
    return;
  nb::python_error raised;
  PyObject *cause = raised.value().ptr();
  if (isInterruption(cause))
    return raised.restore();
  GeStringRef op = geIdentifierStr(geOperatorNameFull(call.name));
  std::string text = std::string("the ") + who + " of " + std::string(op.data, op.length) +
                     " raised " + typeNameOf(cause) + ": " + exceptionText(cause);
  PyErr_SetString(exceptionOf(GE_ERROR_GENERAL), text.c_str());
  nb::python_error error;
  PyException_SetCause(error.value().ptr(), Py_NewRef(cause));
  error.restore();
}

/// Runs `work` as a callback of a table: takes the GIL, and keeps an exception for the Python call
/// below which the callback runs. A VerifyError is a valid result of the callback.
template <typename Work>
GeStatus answering(const char *who, const GeOpCall &call, bool *known, Work work) {
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
  failUnlessException(who, call);
  return failInCallback("an inferrer or evaluator raised an exception");
}

/// Of "onnx", "onnx.ml", or as models write that, "ai.onnx.ml".
bool isOnnx(GeOperatorName op) {
  GeStringRef domain = geIdentifierStr(geOperatorNameDomain(op));
  std::string_view view(domain.data, domain.length);
  return view == "onnx" || view.starts_with("onnx.") || view.starts_with("ai.onnx");
}

/// Returns the type, recreated in `context` if it is a type of the current context: Python
/// functions create types there, and may be called about graphs of any context. Types of a third
/// context are returned as they are, and inference rejects them.
GeType typeIn(GeContext *context, GeType type) {
  GeContext *home = geTypeGetContext(type);
  if (home == context || home != currentContext())
    return type;
  std::string written;
  geTypePrint(
      type,
      [](GeStringRef part, void *to) {
        static_cast<std::string *>(to)->append(part.data, part.length);
      },
      &written);
  GeType made;
  check(geTypeParse(context, {written.data(), written.size()}, &made));
  return made;
}

/// Returns whether it is a `_foreign.TypesAlone`: result types that depend on types and attributes
/// only.
bool isByTypes(nb::handle types) {
  return PyTuple_Check(types.ptr()) && !PyTuple_CheckExact(types.ptr()) &&
         PyObject_HasAttrString(types.ptr(), "_ge_by_types");
}

GeStatus inferCallback(void *userData, const GeOpCall *call, GeType *results, bool *known) {
  // The inferrers and evaluators that ship with GE support ONNX operators only.
  if (!userData && !isOnnx(call->name)) {
    *known = false;
    *call->byTypes = true;
    return GE_OK;
  }
  return answering("inferrer", *call, known, [&] {
    nb::object types = functionOf(userData, "inference")(*nb::borrow<nb::args>(describe(*call)));
    if (types.is_none())
      return;
    Items items;
    GeStringRef op = geIdentifierStr(geOperatorNameFull(call->name));
    std::string what = "what the inferrer of " + std::string(op.data, op.length) + " returns";
    if (!items.load(types.ptr(), what.c_str(), "Type or None", true))
      throw nb::python_error();
    if (size_t(items.size()) != call->numResults)
      throw nb::value_error(
          (what + " must be as many types as there are results, or None").c_str());
    for (size_t i = 0; i < call->numResults; ++i) {
      if (items[Py_ssize_t(i)] == Py_None)
        continue;
      if (!toType(items[Py_ssize_t(i)], what.c_str(), results[i]))
        throw nb::python_error();
      results[i] = typeIn(call->context, results[i]);
    }
    *call->byTypes = isByTypes(types);
    *known = true;
  });
}

/// Operators that a library evaluates itself (Library.evaluate), which comes before their kernels.
class EvaluatedOperators {
public:
  void add(std::string op) {
    std::lock_guard guard(lock_);
    ops_.insert(std::move(op));
    any_.store(true, std::memory_order_release);
  }
  void remove(const std::string &op) {
    std::lock_guard guard(lock_);
    ops_.erase(op);
  }
  bool has(GeOperatorName name) {
    if (!any_.load(std::memory_order_acquire))
      return false;
    GeStringRef op = geIdentifierStr(geOperatorNameFull(name));
    std::lock_guard guard(lock_);
    return ops_.contains(std::string(op.data, op.length));
  }
  static EvaluatedOperators &get() {
    static auto *all = new EvaluatedOperators(); // never destroyed: a thread may fold during exit
    return *all;
  }

private:
  std::atomic<bool> any_{false}; ///< most programs have none
  std::mutex lock_;
  std::set<std::string> ops_;
};

bool prefersCallback(void *, GeOperatorName op) { return EvaluatedOperators::get().has(op); }

GeStatus evaluateCallback(void *userData, const GeOpCall *call, GeTensor **results, bool *known) {
  return answering("evaluator", *call, known, [&] {
    nb::object tensors = functionOf(userData, "operators")(*nb::borrow<nb::args>(describe(*call)));
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
  GeInferrer table{sizeof table, name, Py_XNewRef(function), inferCallback, release};
  uint64_t token = 0;
  GeStatus s = geOpsAddInferrer(&table, &token);
  if (s)
    Py_XDECREF(function);
  check(s);
  return token;
}

void setEvaluator(PyObject *function) {
  GeEvaluator table{sizeof table, Py_XNewRef(function), evaluateCallback, release, prefersCallback};
  GeStatus s = geOpsSetEvaluator(&table);
  if (s)
    Py_XDECREF(function);
  check(s);
}

/// Domains that a thread is loading. Kept here and not in Python, where an interrupt between two
/// lines could leave a domain marked that other threads wait for.
class LoadingDomains {
public:
  /// Returns false if another thread is loading it.
  bool enter(const std::string &domain) {
    std::lock_guard guard(lock_);
    return domains_.insert(domain).second;
  }
  void leave(const std::string &domain) {
    std::lock_guard guard(lock_);
    domains_.erase(domain);
    left_.notify_all();
  }
  /// Waits until the other thread has finished, an interrupt arrives, or the time limit is reached:
  /// two threads may wait for packages of each other. Requires the GIL, and releases it while
  /// waiting.
  void wait(const std::string &domain) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kSlice(100), kPatience(60000);
    for (auto start = Clock::now(); Clock::now() - start < kPatience;) {
      {
        GilRelease released;
        std::unique_lock guard(lock_);
        if (left_.wait_for(guard, kSlice, [&] { return !domains_.contains(domain); }))
          return;
      }
      if (PyErr_CheckSignals() != 0) {
        PyErr_Clear();
        PyErr_SetInterrupt(); // raised again where an exception can be raised
        return;
      }
    }
  }
  static LoadingDomains &get() {
    static auto *loading = new LoadingDomains(); // never destroyed: a thread may load during exit
    return *loading;
  }

private:
  std::mutex lock_;
  std::condition_variable left_;
  std::set<std::string> domains_;
};

/// Called for an operator without a record, which an installed package may define. A failure must
/// not fail the caller, so exceptions that `load` does not catch are reported as unraisable.
void loadDomain(GeStringRef domain, void *) {
  GilAcquire held;
  if (!held)
    return;
  std::string name(domain.data, domain.length);
  LoadingDomains &loading = LoadingDomains::get();
  if (!loading.enter(name))
    return loading.wait(name);
  struct Leave {
    LoadingDomains &loading;
    const std::string &name;
    ~Leave() { loading.leave(name); }
  } leave{loading, name};
  try {
    importModule(GE_PYTHON_PACKAGE "._support.domains").attr("load")(textOf(domain));
  } catch (nb::python_error &e) {
    if (e.matches(PyExc_KeyboardInterrupt)) {
      geOpsSetDomainLoader(loadDomain, nullptr); // so that domains are asked for again
      PyErr_SetInterrupt();                      // raised again where an exception can be raised
    } else {
      e.discard_as_unraisable(GE_PYTHON_PACKAGE ": the domain loader");
    }
  }
}

/// The references of one call, which are released in any case.
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
  m.def("_add_evaluated",
        [](std::string_view op) { EvaluatedOperators::get().add(std::string(op)); });
  m.def("_remove_evaluated",
        [](std::string_view op) { EvaluatedOperators::get().remove(std::string(op)); });
  m.def("_remove_inferrer", [](uint64_t token) { geOpsRemoveInferrer(token); });
  m.def("_inferrer_uses", inferrerUses);
  m.def("_inferrers_changed", [] { ++inferrersVersion; });
  m.def("_inferrers_version", [] { return inferrersVersion; });
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
  m.def("_call_of_thread", geCallOfThread,
        "A number for the outermost long call of this thread; 0 outside of one.");
  addInferrer(stringRef("onnx"), nullptr);
  setEvaluator(nullptr);
  populateRegionRunner(m);
  check(geOpsSetDomainLoader(loadDomain, nullptr));
}

} // namespace ge::python
