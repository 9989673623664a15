//===- Dumps.cpp - graphs as text and files ---------------------------------------------------===//
#include "Cann.h"

#include "../IR/TextOf.h"
#include "../IR/Unlock.h"

#include "ge-c/Files.h"

#include <array>
#include <atomic>
#include <cstdio>

namespace ge::python::vocabulary {

namespace {

enum class Form { Onnx = 0, Text = 1, Readable = 2 };

struct FormRow {
  const char *fileName, *extension;
  GePrintOptions options;
};
/// kTxt is the complete graph; kReadable leaves large tensors out.
constexpr std::array<FormRow, 3> kForms = {{
    {"onnx", ".pbtxt", {sizeof(GePrintOptions), false, false, -1}},
    {"txt", ".txt", {sizeof(GePrintOptions), false, false, -1}},
    {"readable", ".txt", kForPeople},
}};

Form formArgument(nb::handle format) {
  if (format.is_none())
    return Form::Readable; // the default, which needs no import
  int instance = PyObject_IsInstance(format.ptr(), member("DumpFormat").ptr());
  checked(instance);
  if (!instance)
    throw nb::type_error("Format must be in [DumpFormat.kOnnx, DumpFormat.kTxt, "
                         "DumpFormat.kReadable]");
  return Form(nb::cast<int>(format.attr("value")));
}

/// Python's protobuf package parses the text format.
std::string onnxText(GeGraphRef *graph) {
  GeGraphRef *copy = nullptr;
  check(reading(graph, [&] { return geGraphClone(graph, nullptr, &copy); }));
  nb::object object = nb::steal(checked(wrapRef(copy)));
  nb::object write = importModule(GE_PYTHON_PACKAGE ".graph._onnx_text").attr("onnx_text");
  return nb::str(write(object)).c_str();
}

std::string dump(GeGraphRef *graph, Form form) {
  if (form == Form::Onnx)
    return onnxText(graph);
  std::string text;
  const GePrintOptions &options = kForms[size_t(form)].options;
  check(reading(graph, [&] { return geGraphPrint(graph, &options, appendTo, &text); }));
  return text;
}

/// Keeps letters, digits and some punctuation: a graph name must not lead to another directory.
std::string fileNamePart(std::string_view text) {
  std::string part(text);
  for (char &c : part) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '.' || c == '-' || c == '_';
    if (!plain)
      c = '_';
  }
  return part;
}

void dumpToFile(const GraphObject &self, nb::handle format, nb::handle suffix) {
  static std::atomic<int> dumps{0};
  GeStringRef end = textArgument(suffix, "Suffix");
  Form form = formArgument(format);
  std::string text = dump(self.ref, form);
  char number[32];
  std::snprintf(number, sizeof(number), "%05d", dumps++);
  std::string path = std::string("ge_") + kForms[size_t(form)].fileName + "_" + number + "_graph_" +
                     fileNamePart(nameOf(self.ref));
  if (end.length)
    path += "_" + fileNamePart({end.data, end.length});
  path += kForms[size_t(form)].extension;
  // The name is generated, so a link with that name is an error.
  GeFileWriteOptions options{sizeof options, false, false, true};
  GeStatus status =
      run(true, [&] { return geFileWrite(stringRef(path), text.data(), text.size(), &options); });
  if (status != GE_OK) {
    GeStringRef reason = geErrorMessage();
    fail("Failed to dump graph: " + nameOf(self.ref) + " to file format " +
         kForms[size_t(form)].fileName + " with suffix " + std::string(end.data, end.length) +
         ": " + std::string(reason.data, reason.length));
  }
}

nb::object dumpToStream(const GraphObject &self, nb::handle format) {
  return nb::steal(checked(newText(stringRef(dump(self.ref, formArgument(format))))));
}

[[noreturn]] void refuseAir(nb::handle path, const char *action) {
  textArgument(path, "file_path");
  std::string text = std::string("Failed to ") + action +
                     " AIR format: GE does not read or write AIR files yet; to_text and "
                     "Graph.parse keep all of a graph";
  geErrorSet(GE_ERROR_NOT_IMPLEMENTED, stringRef(text));
  throwStatus(GE_ERROR_NOT_IMPLEMENTED);
}

} // namespace

#define GE_DUMP_FORMAT GE_PYTHON_PACKAGE ".graph.DumpFormat | None = None"

void populateDumps() {
  auto graph = existing<GraphObject>(classes.graph);
  graph.def("dump_to_file", dumpToFile, nb::arg("format") = nb::none(), nb::arg("suffix") = "",
            nb::sig("def dump_to_file(self, format: " GE_DUMP_FORMAT ", suffix: str = '') -> None"),
            "Write the text form to ``ge_<txt|readable>_<number>_graph_<name>[_<suffix>].txt`` in "
            "the current\n"
            "directory, or a model to ``ge_onnx_..pbtxt``. The number counts the dumps of this "
            "process.\n\n"
            "Parameters\n----------\nformat : DumpFormat, optional\n"
            "    ``kTxt`` writes everything; ``kReadable``, the default, leaves large tensors out; "
            "``kOnnx`` writes\n"
            "    an ONNX model in protobuf's text format.\nsuffix : str\n\n"
            "Raises\n------\nGEError\n    With path and reason.\nModelError\n    If ONNX cannot "
            "express something.\nImportError\n    For ``kOnnx`` without the package onnx.\n\n"
            "Cost: O(size).");
  graph.def("dump_to_stream", dumpToStream, nb::arg("format") = nb::none(),
            nb::sig("def dump_to_stream(self, format: " GE_DUMP_FORMAT ") -> str"),
            "Return the text form; see `dump_to_file` for formats, `to_text` for more choice.\n\n"
            "Raises\n------\nModelError\n    If ONNX cannot express something.\nImportError\n    "
            "For ``kOnnx`` without the package onnx.\n\nCost: O(size).");
  graph.def(
      "save_to_air", [](const GraphObject &, nb::handle path) { refuseAir(path, "save graph to"); },
      nb::arg("file_path"), nb::sig("def save_to_air(self, file_path: str) -> None"),
      "Not available: GE does not write AIR files yet.\n\nRaises\n------\nNotImplementedError\n   "
      " Always.");
  graph.def(
      "load_from_air",
      [](const GraphObject &, nb::handle path) { refuseAir(path, "load graph from"); },
      nb::arg("file_path"), nb::sig("def load_from_air(self, file_path: str) -> None"),
      "Not available: GE does not read AIR files yet.\n\nRaises\n------\nNotImplementedError\n   "
      " Always.");
}

#undef GE_DUMP_FORMAT

} // namespace ge::python::vocabulary
