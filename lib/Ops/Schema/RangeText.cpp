//===- RangeText.cpp --------------------------------------------------------------------------===//
#include "ge/Ops/Schema/RangeText.h"

#include "ge/Ops/Schema/Schema.h"
#include "ge/Support/StringUtil.h"

#include <cmath>

namespace ge {

namespace {

std::string numberText(double number, bool isFloat) {
  bool isWhole = !isFloat && number == std::floor(number) && std::abs(number) < 0x1p53;
  std::string text;
  printConstant(isWhole ? Constant::number(int64_t(number)) : Constant::number(number), text);
  return text;
}

/// Returns whether `number`, an f32, equals the bound after rounding to f32.
bool isRounded(double number, double bound) {
  return !std::isinf(bound) && double(float(bound)) != bound && float(bound) == float(number);
}

} // namespace

bool isInside(double number, const Range &range) {
  return (range.isLowOpen ? number > range.low : number >= range.low) &&
         (range.isHighOpen ? number < range.high : number <= range.high);
}

bool isInsideRounded(double number, const Range &range) {
  return isInside(number, range) || (!range.isLowOpen && isRounded(number, range.low)) ||
         (!range.isHighOpen && isRounded(number, range.high));
}

std::string rangeText(const Param &param) {
  const Range &range = *param.range;
  bool isFloat = param.type->str().starts_with("float");
  bool hasLow = !std::isinf(range.low), hasHigh = !std::isinf(range.high);
  if (hasLow && hasHigh && !range.isLowOpen && !range.isHighOpen)
    return cat("between ", numberText(range.low, isFloat), " and ",
               numberText(range.high, isFloat));
  std::string text;
  if (hasLow)
    text = cat(range.isLowOpen ? "above " : "at least ", numberText(range.low, isFloat));
  if (hasHigh)
    text += cat(hasLow ? " and " : "", range.isHighOpen ? "below " : "at most ",
                numberText(range.high, isFloat));
  return text;
}

} // namespace ge
