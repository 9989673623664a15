//===- StringUtil.cpp -------------------------------------------------------------------------===//
#include "ge/Support/StringUtil.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

namespace ge {

//===-----------------------------------------------------------------------------------------===//
// Hash: 16 bytes a step through a 64x64 -> 128 bit multiplication, after wyhash.
//===-----------------------------------------------------------------------------------------===//

static uint64_t mix(uint64_t a, uint64_t b) {
  unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return uint64_t(product) ^ uint64_t(product >> 64);
}

template <typename Word> static uint64_t load(const char *p) {
  Word word;
  std::memcpy(&word, p, sizeof word);
  if constexpr (std::endian::native == std::endian::big) {
    Word swapped = 0;
    for (size_t i = 0; i < sizeof word; ++i)
      swapped = Word(swapped << 8) | Word((word >> (8 * i)) & 0xFF);
    word = swapped;
  }
  return word;
}

uint64_t hashBytes(std::string_view bytes, uint64_t seed) {
  constexpr uint64_t k0 = 0xa0761d6478bd642full, k1 = 0xe7037ed1a0b428dbull,
                     k2 = 0x8ebc6af09c88c6e3ull, k3 = 0x589965cc75374cc3ull;
  const char *p = bytes.data();
  size_t n = bytes.size();
  seed ^= k0;
  uint64_t a = 0, b = 0;
  if (n > 16) {
    size_t left = n;
    if (left > 48) {
      uint64_t s1 = seed, s2 = seed;
      do {
        seed = mix(load<uint64_t>(p) ^ k1, load<uint64_t>(p + 8) ^ seed);
        s1 = mix(load<uint64_t>(p + 16) ^ k2, load<uint64_t>(p + 24) ^ s1);
        s2 = mix(load<uint64_t>(p + 32) ^ k3, load<uint64_t>(p + 40) ^ s2);
        p += 48;
        left -= 48;
      } while (left > 48);
      seed ^= s1 ^ s2;
    }
    while (left > 16) {
      seed = mix(load<uint64_t>(p) ^ k1, load<uint64_t>(p + 8) ^ seed);
      p += 16;
      left -= 16;
    }
    a = load<uint64_t>(p + left - 16);
    b = load<uint64_t>(p + left - 8);
  } else if (n >= 8) {
    a = load<uint64_t>(p);
    b = load<uint64_t>(p + n - 8);
  } else if (n >= 4) {
    a = load<uint32_t>(p);
    b = load<uint32_t>(p + n - 4);
  } else if (n) {
    auto byte = [p](size_t i) { return uint64_t(static_cast<unsigned char>(p[i])); };
    a = (byte(0) << 16) | (byte(n / 2) << 8) | byte(n - 1);
  }
  return mix(k1 ^ n, mix(a ^ k1, b ^ seed));
}

//===-----------------------------------------------------------------------------------------===//
// Words
//===-----------------------------------------------------------------------------------------===//

static bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool isDigit(char c) { return c >= '0' && c <= '9'; }

bool isBareIdentifier(std::string_view text) {
  if (text.empty() || !(isLetter(text[0]) || text[0] == '_'))
    return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return isLetter(c) || isDigit(c) || c == '_' || c == '$' || c == '.';
  });
}

bool isSSAIdentifier(std::string_view text) {
  auto isPunctuation = [](char c) { return c == '$' || c == '.' || c == '_' || c == '-'; };
  if (text.empty() || !(isLetter(text[0]) || isPunctuation(text[0])))
    return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return isLetter(c) || isDigit(c) || isPunctuation(c); });
}

bool isValidUtf8(std::string_view text) {
  const auto *p = reinterpret_cast<const unsigned char *>(text.data());
  const auto *end = p + text.size();
  while (p != end) {
    if (end - p >= 8) {
      uint64_t word;
      std::memcpy(&word, p, 8);
      if (!(word & 0x8080808080808080ull)) {
        p += 8;
        continue;
      }
    } else if (end - p >= 4) {
      // The rest of a short text, read as two words that may overlap.
      uint32_t first, last;
      std::memcpy(&first, p, 4);
      std::memcpy(&last, end - 4, 4);
      if (!((first | last) & 0x80808080u))
        return true;
    }
    unsigned char c = *p++;
    if (c < 0x80)
      continue;
    unsigned more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
    if (c < 0xC2 || c > 0xF4 || size_t(end - p) < more)
      return false;
    // The allowed range of the second byte excludes overlong forms, surrogates and values above
    // U+10FFFF.
    unsigned char low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
    unsigned char high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
    if (*p < low || *p > high)
      return false;
    for (unsigned i = 1; i < more; ++i)
      if ((p[i] & 0xC0) != 0x80)
        return false;
    p += more;
  }
  return true;
}

void appendQuoted(std::string &out, std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  out.push_back('"');
  size_t plain = 0; // start of the run not yet copied
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c < 0x7F && c != '"' && c != '\\') [[likely]]
      continue;
    out.append(text, plain, i - plain);
    plain = i + 1;
    out.push_back('\\');
    if (c == '\\') {
      out.push_back('\\');
    } else {
      out.push_back(kHex[c >> 4]);
      out.push_back(kHex[c & 15]);
    }
  }
  out.append(text, plain, text.size() - plain);
  out.push_back('"');
}

//===-----------------------------------------------------------------------------------------===//
// Floats
//===-----------------------------------------------------------------------------------------===//

template <typename Float, typename Bits>
static void appendFloatImpl(std::string &out, Float value) {
  char buffer[40];
  if (!std::isfinite(value)) {
    static constexpr char kHex[] = "0123456789ABCDEF";
    Bits bits = std::bit_cast<Bits>(value);
    out.append("0x");
    for (int shift = int(sizeof(Bits)) * 8 - 4; shift >= 0; shift -= 4)
      out.push_back(kHex[(bits >> shift) & 15]);
    return;
  }
  char *end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  // "1e-05" and "1" are integers to MLIR's lexer without a point.
  char *stop = buffer;
  while (stop != end && *stop != 'e' && *stop != '.')
    ++stop;
  out.append(buffer, stop);
  if (stop == end || *stop == 'e')
    out.append(".0");
  out.append(stop, end);
}

void appendFloat(std::string &out, float value) { appendFloatImpl<float, uint32_t>(out, value); }
void appendFloat(std::string &out, double value) { appendFloatImpl<double, uint64_t>(out, value); }

//===-----------------------------------------------------------------------------------------===//
// Did you mean
//===-----------------------------------------------------------------------------------------===//

/// Edit distance, or more than `limit` as soon as it certainly exceeds it. A transposition of
/// neighbours is one edit. `rows`: memory to reuse.
static size_t editDistance(std::string_view a, std::string_view b, size_t limit,
                           std::vector<size_t> &rows) {
  if ((a.size() > b.size() ? a.size() - b.size() : b.size() - a.size()) > limit)
    return limit + 1;
  size_t width = b.size() + 1;
  rows.resize(3 * width);
  size_t *earlier = rows.data(), *last = earlier + width, *row = last + width;
  for (size_t j = 0; j < width; ++j)
    row[j] = j;
  size_t lastBest = 0;
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(earlier, last);
    std::swap(last, row);
    size_t best = row[0] = i;
    for (size_t j = 1; j < width; ++j) {
      row[j] = std::min({last[j - 1] + (a[i - 1] != b[j - 1]), row[j - 1] + 1, last[j] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], earlier[j - 2] + 1);
      best = std::min(best, row[j]);
    }
    if (best > limit && lastBest > limit)
      return limit + 1;
    lastBest = best;
  }
  return row[b.size()];
}

std::optional<std::string_view> nearestWord(std::string_view word,
                                            const std::string_view *candidates, size_t count) {
  std::optional<std::string_view> nearest;
  size_t limit = word.size() / 3;
  std::vector<size_t> rows;
  for (size_t i = 0; i < count; ++i) {
    size_t distance = editDistance(word, candidates[i], limit, rows);
    if (distance > limit)
      continue;
    nearest = candidates[i];
    if (distance == 0)
      break;
    limit = distance - 1; // of equally near words the first one is kept
  }
  return nearest;
}

} // namespace ge
