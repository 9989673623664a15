//===- reg_op_fuzzer.cpp - bytes as a header with REG_OP prototypes -----------------------------===//
//
// Checks that there is no crash, that unreadable text gives diagnostics with positions in the text
// and no failure, and that the schema of every defined operator round-trips.
//
//===--------------------------------------------------------------------------------------------===//

#include "ge-c/Ops.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

GeStringRef str(std::string_view text) { return {text.data(), text.size()}; }

[[noreturn]] void failed(const char *what, const std::string &text) {
  GeStringRef message = geErrorMessage();
  std::fprintf(stderr, "reg_op_fuzzer: %s: %s (last error: %.*s)\n", what, text.c_str(),
               static_cast<int>(message.length), message.data);
  std::abort();
}

void appendTo(GeStringRef piece, void *text) {
  static_cast<std::string *>(text)->append(piece.data, piece.length);
}
std::string textOf(GeOpDef op) {
  std::string text;
  if (geOpDefPrint(op, GE_SCHEMA_CANONICAL, appendTo, &text) != GE_OK)
    failed("printing failed", text);
  return text;
}

struct Input {
  GeRegistry *registry;
  size_t lines;
  size_t reported;
};

void checkDiagnostic(const GeDiagnostic *diagnostic, void *userData) {
  auto *input = static_cast<Input *>(userData);
  ++input->reported;
  if (diagnostic->line == 0 || diagnostic->line > input->lines)
    failed("a diagnostic without place", {diagnostic->message.data, diagnostic->message.length});
}

void checkOp(const GeOpKey *key, void *userData) {
  auto *input = static_cast<Input *>(userData);
  GeOpDef op = nullptr;
  if (geRegistryFind(input->registry, key->ns, key->name, key->overload, GE_OPSET_NEWEST, &op) !=
          GE_OK ||
      !op)
    failed("a listed operator is not found", {key->name.data, key->name.length});
  std::string text = textOf(op);
  GeOpDef again = nullptr;
  if (geOpDefParse(str(text), str("again"), 1, &again) != GE_OK)
    failed("the schema does not read back", text);
  if (textOf(again) != text)
    failed("the schema reads back as another one", text + "\n" + textOf(again));
  geOpDefRelease(again);
  geOpDefRelease(op);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  Input input{};
  input.lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  GeLibrary *library = nullptr;
  if (geRegistryCreate(&input.registry) != GE_OK ||
      geLibraryOpen(input.registry, GE_LIBRARY_DEF, str("fuzz"), str("input"), 1, &library) !=
          GE_OK)
    failed("no library", {});
  size_t defined = 0;
  if (geLibraryDefineRegOps(library, str(text), str("input"), checkDiagnostic, &input, &defined) !=
      GE_OK)
    failed("reading failed", {});
  if (geRegistryList(input.registry, str("fuzz"), checkOp, &input) != GE_OK)
    failed("no list", {});
  geLibraryRelease(library);
  geRegistryRelease(input.registry);
  return 0;
}
