//===- FloatFormat.cpp ------------------------------------------------------------------------===//
#include "ge/IR/FloatFormat.h"

#include "ge/Support/StringUtil.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

namespace ge {

namespace {
/// The meaning of the largest exponent and of a lone sign bit.
enum class Special : uint8_t {
  None,    ///< this type has no row
  IEEE,    ///< infinities and NaNs
  OneNaN,  ///< all ones is NaN, no infinity (FN)
  ZeroNaN, ///< minus zero's bits are NaN, no infinity (FNUZ)
  Finite,  ///< neither
};
struct Format {
  Special special = Special::None;
  int exponentBits = 0;
  int mantissaBits = 0;
  int bias = 0;
};
} // namespace

static constexpr Format formatOf(DType dtype) {
  switch (dtype) {
  case DType::F32:
    return {Special::IEEE, 8, 23, 127};
  case DType::F16:
    return {Special::IEEE, 5, 10, 15};
  case DType::BF16:
    return {Special::IEEE, 8, 7, 127};
  case DType::F64:
    return {Special::IEEE, 11, 52, 1023};
  case DType::F8E4M3FN:
    return {Special::OneNaN, 4, 3, 7};
  case DType::F8E4M3FNUZ:
    return {Special::ZeroNaN, 4, 3, 8};
  case DType::F8E5M2:
    return {Special::IEEE, 5, 2, 15};
  case DType::F8E5M2FNUZ:
    return {Special::ZeroNaN, 5, 2, 16};
  case DType::F4E2M1FN:
    return {Special::Finite, 2, 1, 1};
  case DType::F6E3M2:
    return {Special::Finite, 3, 2, 3};
  case DType::F6E2M3:
    return {Special::Finite, 2, 3, 1};
  default:
    return {};
  }
}

static constexpr uint64_t kDoubleInf = 0x7FF0000000000000ull;
static constexpr uint64_t kDoubleNaN = 0x7FF8000000000000ull;

bool hasFloatFormat(DType dtype) {
  return dtype == DType::F8E8M0FNU || formatOf(dtype).special != Special::None;
}

double decodeFloat(DType dtype, uint64_t bits) {
  if (dtype == DType::F64)
    return std::bit_cast<double>(bits);
  if (dtype == DType::F8E8M0FNU) // an exponent and nothing else
    return (bits & 0xFF) == 0xFF ? std::bit_cast<double>(kDoubleNaN)
                                 : std::ldexp(1.0, int(bits & 0xFF) - 127);
  Format f = formatOf(dtype);
  uint64_t mantissaMask = (uint64_t(1) << f.mantissaBits) - 1;
  uint64_t exponentMask = (uint64_t(1) << f.exponentBits) - 1;
  uint64_t mantissa = bits & mantissaMask;
  uint64_t exponent = (bits >> f.mantissaBits) & exponentMask;
  bool negative = (bits >> (f.mantissaBits + f.exponentBits)) & 1;
  uint64_t sign = uint64_t(negative) << 63;

  if (f.special == Special::IEEE && exponent == exponentMask)
    return std::bit_cast<double>(sign | kDoubleInf | (mantissa << (52 - f.mantissaBits)));
  if (f.special == Special::OneNaN && exponent == exponentMask && mantissa == mantissaMask)
    return std::bit_cast<double>(sign | kDoubleNaN);
  if (f.special == Special::ZeroNaN && negative && exponent == 0 && mantissa == 0)
    return std::bit_cast<double>(kDoubleNaN);

  double magnitude = exponent == 0 ? std::ldexp(double(mantissa), 1 - f.bias - f.mantissaBits)
                                   : std::ldexp(double(mantissa | (mantissaMask + 1)),
                                                int(exponent) - f.bias - f.mantissaBits);
  return negative ? -magnitude : magnitude;
}

/// 2^k nearest to a positive value; ties go to the even exponent field, as MLIR rounds.
static uint64_t encodePowerOfTwo(double value) {
  if (std::isnan(value) || value < 0 || std::isinf(value))
    return 0xFF;
  if (value == 0)
    return 0;
  int exponent;
  double fraction = std::frexp(value, &exponent); // in [0.5, 1)
  int field = exponent - 1 + 127;
  if (fraction > 0.75 || (fraction == 0.75 && (field & 1)))
    ++field;
  return field < 0 ? 0 : field > 254 ? 0xFF : uint64_t(field);
}

uint64_t encodeFloat(DType dtype, double value) {
  uint64_t source = std::bit_cast<uint64_t>(value);
  if (dtype == DType::F64)
    return source;
  if (dtype == DType::F8E8M0FNU)
    return encodePowerOfTwo(value);
  Format f = formatOf(dtype);
  if (f.special == Special::None)
    return 0;
  int width = f.exponentBits + f.mantissaBits;
  uint64_t sign = (source >> 63) << width;
  uint64_t mantissaMask = (uint64_t(1) << f.mantissaBits) - 1;
  uint64_t allOnes = (uint64_t(1) << width) - 1;
  uint64_t infinity = allOnes & ~mantissaMask;
  uint64_t largest = f.special == Special::IEEE     ? infinity - 1
                     : f.special == Special::OneNaN ? allOnes - 1
                                                    : allOnes;
  auto tooLarge = [&](bool isNaN) {
    switch (f.special) {
    case Special::OneNaN:
      return sign | allOnes;
    case Special::ZeroNaN:
      return uint64_t(1) << width;
    case Special::Finite:
      return (isNaN ? 0 : sign) | largest;
    default:
      return sign | infinity;
    }
  };

  if (std::isnan(value)) {
    if (f.special != Special::IEEE)
      return tooLarge(true);
    uint64_t payload = (source >> (52 - f.mantissaBits)) & mantissaMask;
    if (!payload) // a payload in the lost bits only: still a NaN
      payload = (mantissaMask + 1) >> 1;
    return sign | infinity | payload;
  }
  if (std::isinf(value))
    return tooLarge(false);
  double magnitude = std::fabs(value);
  if (magnitude == 0)
    return f.special == Special::ZeroNaN ? 0 : sign;

  // Neighbouring values at this magnitude differ by a power of two. In these units, mantissa and
  // exponent form one integer, so that a carry needs no special case.
  int exponent = std::ilogb(magnitude);
  int field = std::max(exponent + f.bias, 1); // 1 is the subnormals' step, too
  double steps = std::ldexp(magnitude, f.mantissaBits + f.bias - field);
  double whole = std::floor(steps);
  double rest = steps - whole;
  uint64_t count = uint64_t(whole);
  if (rest > 0.5 || (rest == 0.5 && (count & 1)))
    ++count;
  uint64_t result = (uint64_t(field - 1) << f.mantissaBits) + count;
  if (result > largest)
    return tooLarge(false);
  if (result == 0 && f.special == Special::ZeroNaN)
    return 0;
  return sign | result;
}

static void appendHex(std::string &out, uint64_t bits, unsigned width) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  out.append("0x");
  for (unsigned shift = (width + 3) / 4 * 4; shift; shift -= 4)
    out.push_back(kHex[(bits >> (shift - 4)) & 15]);
}

void appendFloat(std::string &out, DType dtype, uint64_t bits) {
  if (dtype == DType::F32)
    return appendFloat(out, std::bit_cast<float>(uint32_t(bits)));
  if (dtype == DType::F64)
    return appendFloat(out, std::bit_cast<double>(bits));
  double value = decodeFloat(dtype, bits);
  if (!std::isfinite(value))
    return appendHex(out, bits, info(dtype).bits);
  // At most nine digits tell the values of a type with 8 bits of mantissa apart.
  for (int digits = 1; digits <= 17; ++digits) {
    char buffer[40];
    char *end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific,
                              digits - 1)
                    .ptr;
    double back = 0;
    std::from_chars(buffer, end, back);
    if (encodeFloat(dtype, back) == bits)
      return appendFloat(out, back);
  }
  appendFloat(out, value);
}

} // namespace ge
