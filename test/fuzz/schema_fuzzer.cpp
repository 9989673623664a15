//===- schema_fuzzer.cpp - bytes as the schema of an operator -----------------------------------===//
//
// Checks that there is no crash, that a rejected schema gives one diagnostic with a position in the
// text, that a parsed schema round-trips through its text, and that a library accepts it only once.
//
//===--------------------------------------------------------------------------------------------===//

#include "ge-c/Ops.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

GeStringRef view(const std::string &text) { return {text.data(), text.size()}; }

[[noreturn]] void failed(const char *what, const std::string &text) {
  GeStringRef message = geErrorMessage();
  std::fprintf(stderr, "schema_fuzzer: %s: %s (last error: %.*s)\n", what, text.c_str(),
               static_cast<int>(message.length), message.data);
  std::abort();
}

void checkDiagnostic(const std::string &text) {
  GeDiagnostic diagnostic;
  size_t lines = 1 + size_t(std::count(text.begin(), text.end(), '\n'));
  if (geErrorStatus() != GE_ERROR_OP_SCHEMA || geErrorNumDiagnostics() != 1 ||
      geErrorDiagnostic(0, &diagnostic) != GE_OK || diagnostic.message.length == 0)
    failed("refused without a reason", text);
  if (diagnostic.line == 0 || diagnostic.line > lines || diagnostic.column > text.size() + 1)
    failed("refused at no place", text);
}

std::string print(GeOpDef op, GeSchemaStyle style) {
  std::string out;
  GeStatus status = geOpDefPrint(
      op, style,
      [](GeStringRef piece, void *to) {
        static_cast<std::string *>(to)->append(piece.data, piece.length);
      },
      &out);
  if (status != GE_OK || out.empty())
    failed("printing failed", out);
  return out;
}

/// Reads every parameter and its default.
void read(GeOpDef op, const std::string &text) {
  GeOpInfo info;
  if (geOpDefGetInfo(op, &info) != GE_OK)
    failed("no information", text);
  for (size_t i = 0; i < info.numParams; ++i) {
    GeSlotInfo slot;
    GeParamInfo param;
    if (geOpDefGetParam(op, i, &slot, &param) != GE_OK || geOpDefFindParam(op, slot.name) != int(i))
      failed("no parameter", text);
    GeConstantValue value;
    if (param.defaultValue && geConstantGet(param.defaultValue, &value) != GE_OK)
      failed("no default", text);
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  GeSchemaType type;
  if (geSchemaTypeParse(view(text), &type) != GE_OK)
    checkDiagnostic(text);
  GeOpDef op = nullptr, again = nullptr;
  if (geOpDefParse(view(text), {"fuzz", 4}, 1, &op) != GE_OK) {
    checkDiagnostic(text);
    return 0;
  }
  read(op, text);
  print(op, GE_SCHEMA_TORCH);
  std::string first = print(op, GE_SCHEMA_CANONICAL);
  if (geOpDefParse(view(first), {"printed", 7}, 1, &again) != GE_OK)
    failed("what was printed is refused", first);
  if (print(again, GE_SCHEMA_CANONICAL) != first)
    failed("the second print differs", first);

  GeOpInfo info;
  GeRegistry *registry = nullptr;
  GeLibrary *library = nullptr;
  if (geOpDefGetInfo(op, &info) != GE_OK || geRegistryCreate(&registry) != GE_OK)
    failed("no registry", first);
  if (geLibraryOpen(registry, GE_LIBRARY_DEF, info.ns, {"fuzz", 4}, 1, &library) != GE_OK ||
      geLibraryDefine(library, view(text), {nullptr, 0}, {"fuzz", 4}, 1, nullptr) != GE_OK)
    failed("defining failed", first);
  if (geLibraryDefine(library, view(first), {nullptr, 0}, {"fuzz", 4}, 2, nullptr) == GE_OK)
    failed("defined twice", first);
  geLibraryRelease(library);
  geRegistryRelease(registry);
  geOpDefRelease(again);
  geOpDefRelease(op);
  return 0;
}
