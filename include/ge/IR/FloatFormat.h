//===- FloatFormat.h - bits of every float element type ---------------------------------------===//
#ifndef GE_IR_FLOATFORMAT_H
#define GE_IR_FLOATFORMAT_H

#include "ge/IR/DType.h"

#include <cstdint>
#include <string>

namespace ge {

/// True for the float types whose format is known here: all of isFloat() but F4E1M2.
bool hasFloatFormat(DType dtype);

/// The value of an element's bits; exact, NaN payloads included.
double decodeFloat(DType dtype, uint64_t bits);

/// The bits of the nearest element, ties to even, as MLIR rounds a literal: what is too large
/// becomes infinity, else NaN, else (in a type with neither) the largest value. NaN in a type
/// without one is the largest value, too.
uint64_t encodeFloat(DType dtype, double value);

/// The shortest decimal text that encodeFloat() turns back into `bits`, always with a '.';
/// infinities and NaNs as hexadecimal bits.
void appendFloat(std::string &out, DType dtype, uint64_t bits);

} // namespace ge

#endif // GE_IR_FLOATFORMAT_H
