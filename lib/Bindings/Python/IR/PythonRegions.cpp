//===- PythonRegions.cpp - regions of native graphs, run by Python packages ---------------------===//
//
// geGraphRun gives regions of ONNX operators to a table of functions. The table of this file
// imports the package's own runner when the first graph needs it.
//
#include "PythonRegions.h"

#include "Convert.h"
#include "ErrorText.h"

#include "ge-c/Regions.h"

#include <string>
#include <string_view>

namespace ge::python {

namespace {

/// Runs `work` with the GIL. An exception becomes the error of the function; an interruption is
/// kept for the call that the function was called from.
template <typename Work> GeStatus answering(Work work) {
  GilAcquire guard;
  if (!guard) {
    geErrorSet(GE_ERROR_NOT_IMPLEMENTED, stringRef("the Python interpreter has ended"));
    return GE_ERROR_NOT_IMPLEMENTED;
  }
  try {
    return work();
  } catch (nb::python_error &e) {
    e.restore();
  } catch (...) {
    translateException();
  }
  nb::python_error raised;
  PyObject *value = raised.value().ptr();
  if (isInterruption(value)) {
    raised.restore();
    return failInCallback("running a region");
  }
  std::string text = exceptionText(value);
  if (!raised.matches(exceptionOf(GE_ERROR_GENERAL)))
    text = typeNameOf(value) + ": " + text;
  geErrorSet(GE_ERROR_GENERAL, {text.data(), text.size()});
  return GE_ERROR_GENERAL;
}

/// A str result is the reason why a region does not run.
bool isRefusal(nb::handle answer) {
  GeStringRef reason{"", 0};
  if (!PyUnicode_Check(answer.ptr()))
    return false;
  if (!toText(answer.ptr(), "reason", reason))
    throw nb::python_error();
  geErrorSet(GE_ERROR_NOT_IMPLEMENTED, reason);
  return true;
}

bool supports(void *, GeOperatorName op) {
  GeStringRef name = geIdentifierStr(geOperatorNameDomain(op));
  std::string_view domain(name.data, name.length);
  // Operators of other domains are rejected without calling Python.
  if (domain != "onnx" && !domain.starts_with("onnx.") && !domain.starts_with("ai.onnx.") &&
      domain != "com.microsoft")
    return false;
  bool found = false;
  GeStatus status = answering([&] {
    found = nb::cast<bool>(provider("regions").attr("is_ready")());
    return GE_OK;
  });
  return status == GE_OK && found;
}

GeStatus compileRegion(void *, GeModule *module, void **region) {
  return answering([&] {
    geModuleRetain(module);
    nb::object wrapped = nb::steal(checked(wrapModule(module)));
    nb::object made = provider("regions").attr("compile_region")(wrapped);
    if (isRefusal(made))
      return GE_ERROR_NOT_IMPLEMENTED;
    *region = made.release().ptr();
    return GE_OK;
  });
}

GeStatus runRegion(void *, void *region, GeContext *context, GeTensor *const *inputs,
                   size_t numInputs, GeTensor **outputs, size_t numOutputs) {
  return answering([&] {
    nb::list given;
    for (size_t i = 0; i < numInputs; ++i) {
      geTensorRetain(inputs[i]);
      given.append(nb::steal(checked(wrapTensor(inputs[i]))));
    }
    nb::object found = nb::borrow(static_cast<PyObject *>(region))(given);
    if (isRefusal(found))
      return GE_ERROR_NOT_IMPLEMENTED;
    Items items;
    if (!items.load(found.ptr(), "what a region gives", "arrays", true))
      throw nb::python_error();
    if (size_t(items.size()) != numOutputs)
      throw nb::value_error("a region gives as many arrays as it has outputs");
    for (size_t i = 0; i < numOutputs; ++i)
      if (!toTensor(context, items[Py_ssize_t(i)], nullptr, false, outputs[i]))
        throw nb::python_error();
    return GE_OK;
  });
}

void releaseRegion(void *, void *region) {
  GilAcquire guard;
  if (guard)
    Py_DECREF(static_cast<PyObject *>(region));
}

} // namespace

void populateRegionRunner(nb::module_ &m) {
  static const GeRegionRunner table{sizeof table, nullptr,       supports, compileRegion,
                                    runRegion,    releaseRegion, nullptr};
  m.def(
      "_set_region_runner", [](bool isOn) { check(geOpsSetRegionRunner(isOn ? &table : nullptr)); },
      nb::arg("is_on"));
  check(geOpsSetRegionRunner(&table));
}

} // namespace ge::python
