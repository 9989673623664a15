//===- Hex.cpp ------------------------------------------------------------------------------------===//
#include "Hex.h"

#include "ge/Support/Interrupt.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace ge::text {

static constexpr uint8_t kBad = 0xFF;
static constexpr std::array<uint8_t, 256> kValues = [] {
  std::array<uint8_t, 256> table{};
  table.fill(kBad);
  for (uint8_t i = 0; i < 10; ++i)
    table[size_t('0' + i)] = i;
  for (uint8_t i = 0; i < 6; ++i)
    table[size_t('a' + i)] = table[size_t('A' + i)] = uint8_t(10 + i);
  return table;
}();

/// Decodes both digits of a byte with one look-up, because blobs are large.
static constexpr std::array<std::array<char, 2>, 256> kDigits = [] {
  std::array<std::array<char, 2>, 256> table{};
  for (size_t i = 0; i < 256; ++i)
    table[i] = {"0123456789ABCDEF"[i >> 4], "0123456789ABCDEF"[i & 15]};
  return table;
}();

bool decodeHex(std::string_view hex, char *out) {
  uint8_t bad = 0;
  for (; !hex.empty(); hex.remove_prefix(std::min(hex.size(), Interrupt::kPiece))) {
    Interrupt::look();
    std::string_view piece = hex.substr(0, Interrupt::kPiece);
    for (size_t i = 0; i + 1 < piece.size(); i += 2) {
      uint8_t high = kValues[static_cast<unsigned char>(piece[i])];
      uint8_t low = kValues[static_cast<unsigned char>(piece[i + 1])];
      bad |= high | low;
      *out++ = char(high << 4 | low);
    }
  }
  return bad < 16;
}

bool isHex(std::string_view hex) {
  uint8_t bad = 0;
  for (size_t at = 0; at < hex.size(); at += Interrupt::kPiece) {
    Interrupt::look();
    for (char c : hex.substr(at, Interrupt::kPiece))
      bad |= kValues[static_cast<unsigned char>(c)];
  }
  return bad < 16 && hex.size() % 2 == 0;
}

void appendHex(std::string &out, std::string_view bytes) {
  size_t start = out.size();
  out.resize(start + 2 * bytes.size());
  char *p = out.data() + start;
  for (char c : bytes) {
    std::memcpy(p, kDigits[static_cast<unsigned char>(c)].data(), 2);
    p += 2;
  }
}

} // namespace ge::text
