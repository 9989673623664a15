//===- capi_demands.h - input, strings and checks of the fuzzer of the C API --------------------===//

#ifndef GE_TEST_FUZZ_CAPI_DEMANDS_H
#define GE_TEST_FUZZ_CAPI_DEMANDS_H

#include "ge-c/Support.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

[[noreturn]] inline void fail(const char *what) {
  GeStringRef message = geErrorMessage();
  std::fprintf(stderr, "capi_fuzzer: %s (last error: %.*s)\n", what,
               static_cast<int>(message.length), message.data);
  std::abort();
}
inline void demand(bool holds, const char *what) {
  if (!holds)
    fail(what);
}

inline GeStringRef str(std::string_view text) { return {text.data(), text.size()}; }

inline void appendTo(GeStringRef piece, void *text) {
  static_cast<std::string *>(text)->append(piece.data, piece.length);
}

/// The input, read from the front; reads after its end return zeros.
class Bytes {
public:
  Bytes(const uint8_t *data, size_t size) : at_(data), end_(data + size) {}
  bool empty() const { return at_ == end_; }
  uint8_t next() { return empty() ? 0 : *at_++; }
  size_t below(size_t n) { return n ? next() % n : 0; }
  /// Returns up to 7 bytes unchanged: names need not be valid UTF-8.
  std::string name() {
    std::string text;
    for (size_t n = below(8); n && !empty(); --n)
      text.push_back(static_cast<char>(next()));
    return text;
  }

private:
  const uint8_t *at_, *end_;
};

#endif // GE_TEST_FUZZ_CAPI_DEMANDS_H
