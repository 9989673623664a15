//===- c10/util/Half.h - the 16-bit floating types ---------------------------------------------===//
#ifndef GE_TORCH_C10_UTIL_HALF_H
#define GE_TORCH_C10_UTIL_HALF_H

#include <c10/macros/Macros.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <ostream>
#include <type_traits>

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
  };                                                                                               \
  inline Name operator-(Name value) { return -float(value); }                                      \
  inline std::ostream &operator<<(std::ostream &out, Name value) { return out << float(value); }
GE_TORCH_SMALL_FLOAT(Half, halfToFloat, floatToHalf)
GE_TORCH_SMALL_FLOAT(BFloat16, bfloatToFloat, floatToBfloat)
#undef GE_TORCH_SMALL_FLOAT

// With another of its type or an integer the result is of the small type and rounded; with a float
// or double it is that.
#define GE_TORCH_SMALL_FLOAT_OPERATOR(Name, op)                                                    \
  inline Name operator op(Name a, Name b) { return float(a) op float(b); }                         \
  inline float operator op(Name a, float b) { return float(a) op b; }                              \
  inline float operator op(float a, Name b) { return a op float(b); }                              \
  inline double operator op(Name a, double b) { return double(float(a)) op b; }                    \
  inline double operator op(double a, Name b) { return a op double(float(b)); }                    \
  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>                          \
  Name operator op(Name a, T b) {                                                                  \
    return a op Name(static_cast<float>(b));                                                       \
  }                                                                                                \
  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>                          \
  Name operator op(T a, Name b) {                                                                  \
    return Name(static_cast<float>(a)) op b;                                                       \
  }                                                                                                \
  inline Name &operator op## = (Name & a, Name b) { return a = a op b; }
#define GE_TORCH_SMALL_FLOAT_OPERATORS(Name)                                                       \
  GE_TORCH_SMALL_FLOAT_OPERATOR(Name, +)                                                           \
  GE_TORCH_SMALL_FLOAT_OPERATOR(Name, -)                                                           \
  GE_TORCH_SMALL_FLOAT_OPERATOR(Name, *)                                                           \
  GE_TORCH_SMALL_FLOAT_OPERATOR(Name, /)
GE_TORCH_SMALL_FLOAT_OPERATORS(Half)
GE_TORCH_SMALL_FLOAT_OPERATORS(BFloat16)
#undef GE_TORCH_SMALL_FLOAT_OPERATORS
#undef GE_TORCH_SMALL_FLOAT_OPERATOR

GE_TORCH_CLOSE

// Bits of the largest, the smallest normal and subnormal number, and of the distance from 1 to the
// next one.
#define GE_TORCH_SMALL_FLOAT_LIMITS(Name, Digits, Digits10, MaxDigits10, MinExponent, MaxExponent, \
                                    Max, Min, Denormal, Epsilon, Infinity, NaN)                    \
  template <> class std::numeric_limits<c10::Name> {                                               \
    static constexpr c10::Name of(uint16_t bits) { return {bits, c10::Name::from_bits()}; }        \
                                                                                                   \
  public:                                                                                          \
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false,             \
                          is_exact = false, has_infinity = true, has_quiet_NaN = true,             \
                          has_signaling_NaN = true, is_iec559 = true, is_bounded = true,           \
                          is_modulo = false, traps = false, tinyness_before = false;               \
    static constexpr auto has_denorm = std::denorm_present;                                        \
    static constexpr auto has_denorm_loss = false;                                                 \
    static constexpr auto round_style = std::round_to_nearest;                                     \
    static constexpr int radix = 2, digits = Digits, digits10 = Digits10,                          \
                         max_digits10 = MaxDigits10, min_exponent = MinExponent,                   \
                         min_exponent10 = MinExponent * 301 / 1000, max_exponent = MaxExponent,    \
                         max_exponent10 = MaxExponent * 301 / 1000;                                \
    static constexpr c10::Name max() { return of(Max); }                                           \
    static constexpr c10::Name lowest() { return of(Max | 0x8000U); }                              \
    static constexpr c10::Name min() { return of(Min); }                                           \
    static constexpr c10::Name denorm_min() { return of(Denormal); }                               \
    static constexpr c10::Name epsilon() { return of(Epsilon); }                                   \
    static constexpr c10::Name infinity() { return of(Infinity); }                                 \
    static constexpr c10::Name quiet_NaN() { return of(NaN); }                                     \
    static constexpr c10::Name signaling_NaN() { return of(Infinity | 1U); }                       \
    static c10::Name round_error() { return c10::Name(0.5F); }                                     \
  };
GE_TORCH_SMALL_FLOAT_LIMITS(Half, 11, 3, 5, -13, 16, 0x7bffU, 0x0400U, 0x0001U, 0x1400U, 0x7c00U,
                            0x7e00U)
GE_TORCH_SMALL_FLOAT_LIMITS(BFloat16, 8, 2, 4, -125, 128, 0x7f7fU, 0x0080U, 0x0001U, 0x3c00U,
                            0x7f80U, 0x7fc0U)
#undef GE_TORCH_SMALL_FLOAT_LIMITS

#endif // GE_TORCH_C10_UTIL_HALF_H
