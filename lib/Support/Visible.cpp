//===- Visible.cpp ----------------------------------------------------------------------------===//
#include "ge/Support/Visible.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace ge {

namespace {

struct CharacterRange {
  uint32_t first, last;
};
// Sorted. Controls, Unicode's Default_Ignorable_Code_Point, separators of lines and paragraphs, the
// blank braille pattern, lone surrogates, and what is not a character.
constexpr CharacterRange kHidden[] = {
    {0x00, 0x08},       {0x0b, 0x1f},       {0x7f, 0x9f},       {0xad, 0xad},
    {0x34f, 0x34f},     {0x61c, 0x61c},     {0x115f, 0x1160},   {0x17b4, 0x17b5},
    {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},
    {0x2800, 0x2800},   {0x3164, 0x3164},   {0xd800, 0xdfff},   {0xfdd0, 0xfdef},
    {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},
    {0xfffe, 0xffff},   {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d159, 0x1d159},
    {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};

bool isHidden(uint32_t character) {
  const auto *range = std::ranges::lower_bound(kHidden, character, {}, &CharacterRange::last);
  return range != std::end(kHidden) && range->first <= character;
}

/// Bytes of the UTF-8 sequence that begins with `first`; 1 for what begins none.
size_t lengthOf(unsigned char first) {
  if (first < 0xc2 || first > 0xf4)
    return 1;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/// Its character, if all of its bytes are there; else the first byte, which is no control.
uint32_t decode(std::string_view bytes) {
  auto first = static_cast<unsigned char>(bytes[0]);
  if (bytes.size() == 1)
    return first < 0x80 ? first : uint32_t('?');
  uint32_t character = first & (0x7fU >> bytes.size());
  for (char c : bytes.substr(1)) {
    if ((c & 0xc0) != 0x80)
      return '?';
    character = character << 6 | uint32_t(c & 0x3f);
  }
  return character;
}

void appendEscape(std::string &out, uint32_t character) {
  if (character == '\r') {
    out += "\\r";
    return;
  }
  int digits = character < 0x100 ? 2 : character < 0x10000 ? 4 : 8;
  out += digits == 2 ? "\\x" : digits == 4 ? "\\u" : "\\U";
  while (digits-- > 0)
    out += "0123456789abcdef"[character >> (4 * digits) & 0xf];
}

} // namespace

std::string visible(std::string_view text, bool escapeBytes) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i != text.size();) {
    size_t length = std::min(lengthOf(static_cast<unsigned char>(text[i])), text.size() - i);
    std::string_view bytes = text.substr(i, length);
    uint32_t character = decode(bytes);
    if (isHidden(character)) {
      appendEscape(out, character);
    } else if (character == '?') { // no UTF-8, mostly; what follows the byte is looked at
      auto byte = static_cast<unsigned char>(text[i]);
      if (escapeBytes && byte >= 0x80)
        appendEscape(out, byte);
      else
        out += text[i];
      length = 1;
    } else {
      out += bytes;
    }
    i += length;
  }
  return out;
}

} // namespace ge
