//===- c10/util/Half.h - the 16-bit floating types ---------------------------------------------===//
#ifndef GE_TORCH_C10_UTIL_HALF_H
#define GE_TORCH_C10_UTIL_HALF_H

#include <c10/macros/Macros.h>

#include <cmath>
#include <cstring>
#include <ostream>

GE_TORCH_OPEN(c10)

namespace detail {

inline uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline float halfToFloat(uint16_t h) {
  uint32_t sign = uint32_t(h & 0x8000U) << 16, exponent = h >> 10 & 31U, fraction = h & 1023U;
  if (exponent == 31)
    return floatOf(sign | 0x7f800000U | fraction << 13);
  if (exponent)
    return floatOf(sign | (exponent + 112) << 23 | fraction << 13);
  float small = std::ldexp(float(fraction), -24);
  return sign ? -small : small;
}
/// To the nearest, ties to even.
inline uint16_t floatToHalf(float value) {
  uint32_t bits = bitsOf(value), sign = bits >> 16 & 0x8000U, rest = bits & 0x7fffffffU;
  if (rest > 0x7f800000U)
    return uint16_t(sign | 0x7e00U);
  if (rest >= 0x47800000U) // 65536 and more
    return uint16_t(sign | 0x7c00U);
  if (rest < 0x38800000U) // below 2^-14: a multiple of 2^-24
    return uint16_t(sign | uint32_t(std::nearbyint(std::ldexp(floatOf(rest), 24))));
  uint32_t half = (rest - 0x38000000U) >> 13, lost = rest & 0x1fffU;
  half += lost > 0x1000U || (lost == 0x1000U && (half & 1));
  return uint16_t(sign | half);
}
inline float bfloatToFloat(uint16_t b) { return floatOf(uint32_t(b) << 16); }
inline uint16_t floatToBfloat(float value) {
  uint32_t bits = bitsOf(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U)
    return uint16_t(bits >> 16 | 0x40U);
  return uint16_t((bits + 0x7fffU + (bits >> 16 & 1)) >> 16);
}

} // namespace detail

#define GE_TORCH_SMALL_FLOAT(Name, toFloat, fromFloat)                                             \
  struct Name {                                                                                    \
    struct from_bits_t {};                                                                         \
    static constexpr from_bits_t from_bits() { return {}; }                                        \
    uint16_t x = 0;                                                                                \
    Name() = default;                                                                              \
    constexpr Name(uint16_t bits, from_bits_t) : x(bits) {}                                        \
    Name(float value) : x(detail::fromFloat(value)) {}                                             \
    operator float() const { return detail::toFloat(x); }                                          \
    Name &operator+=(float other) { return *this = Name(float(*this) + other); }                   \
    Name &operator-=(float other) { return *this = Name(float(*this) - other); }                   \
    Name &operator*=(float other) { return *this = Name(float(*this) * other); }                   \
    Name &operator/=(float other) { return *this = Name(float(*this) / other); }                   \
  };                                                                                               \
  inline std::ostream &operator<<(std::ostream &out, Name value) { return out << float(value); }
GE_TORCH_SMALL_FLOAT(Half, halfToFloat, floatToHalf)
GE_TORCH_SMALL_FLOAT(BFloat16, bfloatToFloat, floatToBfloat)
#undef GE_TORCH_SMALL_FLOAT

GE_TORCH_CLOSE

#endif // GE_TORCH_C10_UTIL_HALF_H
