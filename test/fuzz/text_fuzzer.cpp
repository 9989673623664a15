//===- text_fuzzer.cpp - bytes as the text of a module -----------------------------------------===//
//
// Checks that a text is parsed or rejected with diagnostics, and that a parsed module, printed in
// every style, parses to an equal module that prints the same bytes. Corpus: test/Text/corpus. The
// input has no header: its first byte is text, too.
//
//===-------------------------------------------------------------------------------------------===//
#include "ge-c/Text.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

[[noreturn]] void failed(const char *what, const std::string &first, const std::string &second) {
  std::fprintf(stderr, "%s\n--- first\n%s\n--- second\n%s\n", what, first.c_str(), second.c_str());
  std::abort();
}

GeStringRef view(const std::string &text) { return {text.data(), text.size()}; }

std::string errorMessage() {
  GeStringRef message = geErrorMessage();
  return std::string(message.data, message.length);
}

std::string print(GeModule *module, const GePrintOptions &options) {
  std::string out;
  GeStatus status = geModulePrint(
      module, &options,
      [](GeStringRef piece, void *to) {
        static_cast<std::string *>(to)->append(piece.data, piece.length);
      },
      &out);
  if (status != GE_OK)
    failed("printing failed", errorMessage(), {});
  return out;
}

void checkRoundTrip(GeContext *context, GeModule *module, const GePrintOptions &options) {
  std::string first = print(module, options);
  GeModule *again = nullptr;
  if (geModuleParse(context, view(first), {"printed", 7}, nullptr, &again) != GE_OK)
    failed("what was printed is refused", first, errorMessage());
  bool isEqual = false;
  if (geModuleIsStructurallyEqual(module, again, &isEqual) != GE_OK)
    failed("comparing failed", errorMessage(), first);
  std::string second = print(again, options);
  if (first != second)
    failed("the second print differs", first, second);
  if (!isEqual)
    failed("what was read back is not equal", first, second);
  geModuleRelease(again);
}

/// Checks that every diagnostic can be read and has a position in the text.
void checkDiagnostics(size_t lines) {
  size_t count = geErrorNumDiagnostics();
  if (count == 0)
    failed("an error without diagnostics", errorMessage(), {});
  for (size_t i = 0; i < count; ++i) {
    GeDiagnostic diagnostic;
    if (geErrorDiagnostic(i, &diagnostic) != GE_OK || diagnostic.message.length == 0 ||
        diagnostic.line == 0 || diagnostic.line > lines || diagnostic.column == 0)
      failed("a diagnostic without place or message", errorMessage(), {});
    for (size_t k = 0; k < diagnostic.numNotes; ++k) {
      GeDiagnostic note;
      if (geDiagnosticNote(&diagnostic, k, &note) != GE_OK || note.line == 0 || note.line > lines)
        failed("a note without place", errorMessage(), {});
    }
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  GeContext *context = nullptr;
  if (geContextCreate(&context) != GE_OK)
    std::abort();
  GeStringRef text = {reinterpret_cast<const char *>(data), size};
  GeModule *module = nullptr;
  GeStatus status = geModuleParse(context, text, {"input", 5}, nullptr, &module);
  if (status == GE_OK) {
    for (bool names : {false, true})
      for (bool locations : {false, true})
        checkRoundTrip(context, module, {sizeof(GePrintOptions), names, locations, -1});
    print(module, {sizeof(GePrintOptions), false, false, 0});
    if (geModuleVerify(module) != GE_OK && geErrorStatus() != GE_ERROR_VERIFY)
      failed("verification failed otherwise", errorMessage(), {});
    geModuleRelease(module);
  } else if (status == GE_ERROR_PARSE) {
    size_t lines = 1;
    for (size_t i = 0; i < size; ++i)
      lines += data[i] == '\n';
    checkDiagnostics(lines);
  } else {
    failed("reading failed otherwise", errorMessage(), {});
  }
  // The same bytes as a type and as an attribute: both success and a parse error are valid.
  GeType type;
  if (geTypeParse(context, text, &type) != GE_OK && geErrorStatus() != GE_ERROR_PARSE)
    failed("reading a type failed otherwise", errorMessage(), {});
  GeAttribute attribute;
  if (geAttributeParse(context, text, &attribute) == GE_OK)
    geAttributeRelease(attribute);
  else if (geErrorStatus() != GE_ERROR_PARSE)
    failed("reading an attribute failed otherwise", errorMessage(), {});
  if (geContextLiveGraphCount(context) != 0)
    failed("graphs are left", {}, {});
  geContextRelease(context);
  return 0;
}
