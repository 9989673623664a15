//===- Resources.cpp - the section after the graphs, with the blobs ------------------------------===//
#include "Hex.h"
#include "ValueParser.h"

namespace ge::text {

/// `{-# dialect_resources: { builtin: { key: "0x..." , ... } }, external_resources: {...} #-}`.
void ValueParser::resources() {
  const char *open = scan_.at();
  scan_.take(std::string_view("{-#"));
  if (!scan_.take(std::string_view("#-}"))) {
    do {
      const char *place = scan_.at();
      std::string_view section = scan_.bareWord();
      scan_.expect(':', "after the name of a section");
      if (section == "dialect_resources")
        blobs();
      else if (section != "external_resources")
        scan_.fail(place, cat("expected dialect_resources, got '", section, "'"));
      else if (scan_.peek() == '{') // reproducers of MLIR's tools
        scan_.skipBalanced(false);
    } while (scan_.take(','));
    if (!scan_.take(std::string_view("#-}")))
      scan_.fail(open, "expected '#-}' at the end of the resources");
  }
}

void ValueParser::blobs() {
  auto dialect = [&](std::string_view name, const char *place) {
    scan_.expect(':', "after the name of a dialect");
    if (name != "builtin")
      scan_.fail(place, cat("expected resources of 'builtin', got '", name, "'"));
    dictionary([&](std::string_view key, const char *keyPlace) {
      scan_.expect(':', "after the key of a resource");
      if (scan_.peek() != '"')
        scan_.failExpected("a string \"0x...\"");
      const char *blobPlace = scan_.at();
      scan_.skipString();
      std::string_view hex(blobPlace + 1, size_t(scan_.at() - blobPlace - 2));
      if (!hex.starts_with("0x") || hex.size() < 10 || !isHex(hex.substr(2)))
        scan_.fail(blobPlace, cat("expected the blob of '", key,
                                  "' as \"0x...\" with 4 bytes of alignment first"));
      hex.remove_prefix(2);
      unsigned char header[4];
      decodeHex({hex.begin(), hex.begin() + 8}, reinterpret_cast<char *>(header));
      uint32_t alignment = header[0] | uint32_t(header[1]) << 8 | uint32_t(header[2]) << 16 |
                           uint32_t(header[3]) << 24;
      if (alignment == 0 || (alignment & (alignment - 1)))
        scan_.fail(blobPlace,
                   cat("alignment of '", key, "' is ", alignment, ", not a power of two"));
      auto [it, isNew] = resources_.try_emplace(std::string(key), Resource{hex, keyPlace, {}});
      if (!isNew)
        scan_.fail(keyPlace, cat("resource '", key, "' is given twice"), it->second.place,
                   "the first is here");
    });
  };
  dictionary(dialect);
}

} // namespace ge::text
