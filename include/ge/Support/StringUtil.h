//===- StringUtil.h - concatenation, numbers as text, quoting ---------------------------------===//
#ifndef GE_SUPPORT_STRINGUTIL_H
#define GE_SUPPORT_STRINGUTIL_H

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ge {

inline void appendPart(std::string &out, std::string_view text) { out.append(text); }
inline void appendPart(std::string &out, char c) { out.push_back(c); }
template <std::integral T>
  requires(!std::same_as<T, char> && !std::same_as<T, bool>)
void appendPart(std::string &out, T value) {
  char buffer[24];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
}

/// The parts, one after another: cat("node '", name, "' has ", n, " uses").
template <typename... Parts> std::string cat(const Parts &...parts) {
  std::string out;
  (appendPart(out, parts), ...);
  return out;
}

/// 64-bit hash of bytes, the same in every process and on every platform.
uint64_t hashBytes(std::string_view bytes, uint64_t seed = 0);
/// For hash tables of std::string that look up a std::string_view; with std::equal_to<>.
struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return size_t(hashBytes(text)); }
};
/// Mixes high bits into the low ones, which tables take.
inline uint64_t hashCombine(uint64_t a, uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15ull + (a << 6) + (a >> 2);
  a *= 0xff51afd7ed558ccdull;
  return a ^ (a >> 32);
}

/// True for [A-Za-z_$.-] words of MLIR's suffix-id or bare-id grammar that need no quotes.
bool isBareIdentifier(std::string_view text); ///< (letter|_)(letter|digit|[_$.])*, attribute keys
bool isSSAIdentifier(std::string_view text);  ///< (letter|[$._-])(letter|digit|[$._-])*, after '%'
bool isValidUtf8(std::string_view text);

/// Appends `text` quoted as MLIR quotes: printable ASCII as it is, `\\` for a backslash, else `\XX`
/// in hexadecimal (a quote is `\22`).
void appendQuoted(std::string &out, std::string_view text);

/// The shortest decimal text that reads back bit-equal, always with a '.' or an exponent after one
/// ("1.0", "1.0e-05"-like forms, which MLIR accepts); inf and nan as hexadecimal bits
/// ("0x7F800000").
void appendFloat(std::string &out, float value);
void appendFloat(std::string &out, double value);

/// The candidate nearest to `word` by edit distance, for "did you mean"; nullopt when
/// none is near (distance over a third of the length).
std::optional<std::string_view> nearestWord(std::string_view word,
                                            const std::string_view *candidates, size_t count);

} // namespace ge

#endif // GE_SUPPORT_STRINGUTIL_H
