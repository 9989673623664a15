//===- Common.cpp - arguments, failures and enumerations of CANN's vocabulary -----------------===//
#include "Cann.h"
#include "PopulateCann.h"

#include <array>

namespace ge::python {

namespace vocabulary {

void fail(const std::string &text) {
  geErrorSet(GE_ERROR_GENERAL, stringRef(text));
  throwStatus(GE_ERROR_GENERAL);
}

void checkCall(GeStatus status) {
  switch (status) {
  case GE_OK:
    return;
  case GE_ERROR_TYPE:
  case GE_ERROR_VALUE:
  case GE_ERROR_INDEX:
  case GE_ERROR_KEY:
  case GE_ERROR_OVERFLOW: {
    GeStringRef message = geErrorMessage();
    fail(std::string(message.data, message.length));
  }
  default:
    throwStatus(status);
  }
}

namespace {

/// With CANN's message: "Suffix must be a string".
[[noreturn]] void wrongType(const char *what, const char *must, nb::handle argument) {
  nb::object name = nb::steal(checked(
      PyObject_GetAttrString(reinterpret_cast<PyObject *>(Py_TYPE(argument.ptr())), "__name__")));
  PyErr_Format(PyExc_TypeError, "%s must be %s, not %U", what, must, name.ptr());
  throw nb::python_error();
}

} // namespace

GeStringRef textArgument(nb::handle argument, const char *what) {
  if (!PyUnicode_Check(argument.ptr()))
    wrongType(what, "a string", argument);
  GeStringRef text;
  if (!toText(argument.ptr(), what, text))
    throw nb::python_error();
  return text;
}

GeIdentifier keyArgument(ContextState &state, nb::handle argument, const char *what) {
  if (!PyUnicode_Check(argument.ptr()))
    wrongType(what, "a string", argument);
  GeIdentifier name = state.identifier(argument.ptr(), what);
  if (!name)
    throw nb::python_error();
  return name;
}

int64_t intArgument(nb::handle argument, const char *what) {
  nb::object index = nb::steal(PyNumber_Index(argument.ptr()));
  if (!index.is_valid()) {
    PyErr_Clear();
    wrongType(what, "an integer", argument);
  }
  int overflow;
  int64_t value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow)
    fail(std::string(what) + " is out of range");
  return value;
}

size_t indexArgument(nb::handle argument, const char *what, size_t count, const char *words) {
  int64_t value = intArgument(argument, what);
  if (value < 0 || size_t(value) >= count)
    fail(std::string(words) + " for index " + std::to_string(value) + ": there are " +
         std::to_string(count));
  return size_t(value);
}

GeNodeRef *nodeArgument(nb::handle argument, const char *what) {
  if (!isNode(argument.ptr()))
    checked(raiseType(what, "a Node", argument.ptr()));
  return payload<NodeObject>(argument.ptr()).ref;
}

GeGraphRef *graphArgument(nb::handle argument, const char *what) {
  if (!isGraph(argument.ptr()))
    checked(raiseType(what, "a Graph", argument.ptr()));
  return payload<GraphObject>(argument.ptr()).ref;
}

std::string describe(const GeRef *ref) {
  GeStringRef text;
  check(geRefDescribe(ref, &text));
  return std::string(text.data, text.length);
}

std::string nameOf(GeGraphRef *graph) {
  GeStringRef name;
  check(geGraphGetName(graph, &name));
  return std::string(name.data, name.length);
}

std::string nameOf(GeNodeRef *node) {
  GeStringRef name;
  check(geNodeGetName(node, &name, nullptr));
  return std::string(name.data, name.length);
}

nb::object member(const char *name) { return importModule(GE_PYTHON_PACKAGE ".graph").attr(name); }

nb::object enumMember(const char *enumeration, int value) { return member(enumeration)(value); }

namespace {

/// From CANN's number to ours, by the table of the C API.
struct DTypeNumbers {
  static constexpr size_t kSize = 64;
  std::array<GeDType, kSize> dtypes{};
  std::array<bool, kSize> known{};
  DTypeNumbers() {
    size_t count = geDTypeCount();
    for (size_t i = 0; i < count; ++i) {
      GeDTypeInfo info;
      if (geDTypeGetInfo(GeDType(i), &info) == GE_OK && info.cann >= 0 &&
          size_t(info.cann) < kSize) {
        dtypes[size_t(info.cann)] = GeDType(i);
        known[size_t(info.cann)] = true;
      }
    }
  }
};

} // namespace

GeDType dtypeArgument(nb::handle argument, const char *what) {
  if (isDType(argument.ptr()))
    return payload<DTypeObject>(argument.ptr()).dtype;
  int instance = PyObject_IsInstance(argument.ptr(), member("DataType").ptr());
  checked(instance);
  if (!instance)
    checked(raiseType(what, "a DataType", argument.ptr()));
  static const DTypeNumbers numbers;
  int64_t value = intArgument(argument, what);
  if (value < 0 || size_t(value) >= DTypeNumbers::kSize || !numbers.known[size_t(value)])
    fail(std::string(what) + ": number " + std::to_string(value) + " is not an element type");
  return numbers.dtypes[size_t(value)];
}

nb::object newDataType(GeDType dtype) {
  GeDTypeInfo info;
  check(geDTypeGetInfo(dtype, &info));
  if (info.cann < 0)
    fail(std::string("CANN has no DataType for the element type '") + info.name + "'");
  return enumMember("DataType", info.cann);
}

bool isHolder(GeNodeRef *node) {
  GeOperatorName op, holder;
  check(geNodeGetOperatorName(node, &op));
  check(geOperatorNameParse(geRefGetContext(node), stringRef(kHolderOp), &holder));
  return op == holder;
}

bool hasOutput(GeNodeRef *netOutput) {
  size_t operands, controls;
  check(geNodeNumOperands(netOutput, &operands));
  if (operands)
    return true;
  check(geNodeNumControlInputs(netOutput, &controls));
  for (size_t i = 0; i < controls; ++i) {
    HeldNode input;
    check(geNodeGetControlInput(netOutput, i, input.out()));
    if (!isHolder(input.get()))
      return true;
  }
  return false;
}

} // namespace vocabulary

void populateCann(nb::module_ &m) {
  vocabulary::populateNodeQueries();
  vocabulary::populateDescriptions();
  vocabulary::populateGraphQueries();
  vocabulary::populateEdges();
  vocabulary::populateSubgraphs();
  vocabulary::populateDumps();
  vocabulary::populateTensors();
  m.def(
      "_last_error_message",
      [] {
        GeStringRef text = geErrorMessage();
        return nb::steal(checked(newText(text)));
      },
      nb::sig("def _last_error_message() -> str"),
      "Return the text of the last failure on this thread; empty when nothing failed yet.");
  m.def(
      "_set_last_error_message",
      [](nb::handle text) { geErrorSet(GE_ERROR_VALUE, vocabulary::textArgument(text, "text")); },
      nb::arg("text"), nb::sig("def _set_last_error_message(text: str) -> None"),
      "Set the text of the last failure on this thread: of a call that returns a status.");
}

} // namespace ge::python
