//===- onnx_fuzzer.cpp - bytes as an ONNX model ------------------------------------------------===//
//
// Checks that any bytes are a model or an error that names the byte, and that serializing a loaded
// model and loading it again gives the same bytes. No files outside of an empty directory are
// opened: external data is refused or not found.
//
//===-------------------------------------------------------------------------------------------===//
#include "ge-c/ONNX.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

std::string errorMessage() {
  GeStringRef message = geErrorMessage();
  return std::string(message.data, message.length);
}

[[noreturn]] void failed(const char *what) {
  std::fprintf(stderr, "%s: %s\n", what, errorMessage().c_str());
  std::abort();
}

/// Returns false if the module cannot be represented in ONNX; the error gives the reason.
bool serialize(GeModule *module, std::string &out) {
  GeOnnxModel *model = nullptr;
  GeStatus status = geOnnxSerialize(module, {nullptr, 0}, nullptr, &model);
  if (status == GE_ERROR_MODEL || status == GE_ERROR_VERIFY)
    return false;
  if (status != GE_OK)
    failed("writing failed otherwise");
  out.resize(geOnnxModelSize(model));
  if (geOnnxModelCopyTo(model, out.data(), out.size()) != GE_OK)
    failed("copying failed");
  geOnnxModelRelease(model);
  return true;
}

int released = 0;
void release(void *) { ++released; }

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  GeContext *context = nullptr;
  if (geContextCreate(&context) != GE_OK)
    std::abort();
  GeModule *module = nullptr;
  released = 0;
  GeStatus status = geOnnxLoadBytes(context, data, size, release, nullptr, nullptr, &module);
  if (status == GE_OK) {
    std::string first, second;
    if (serialize(module, first)) {
      GeModule *again = nullptr;
      if (geOnnxLoadBytes(context, first.data(), first.size(), nullptr, nullptr, nullptr, &again) !=
          GE_OK)
        failed("what was written is refused");
      if (!serialize(again, second))
        failed("what was read back cannot be written");
      if (first != second)
        failed("the second model differs");
      geModuleRelease(again);
    }
    geModuleRelease(module);
    if (released != 1)
      failed("the bytes were not given back once");
  } else {
    if (status != GE_ERROR_MODEL)
      failed("reading failed otherwise");
    if (errorMessage().find("(byte ") == std::string::npos || released)
      failed("an error without its place, or bytes given back");
  }
  if (geContextLiveGraphCount(context) != 0)
    failed("graphs are left");
  geContextRelease(context);
  return 0;
}
