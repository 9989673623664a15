//===- RangeText.h - the numbers that an attribute may be, checked and shown -------------------===//
#ifndef GE_OPS_SCHEMA_RANGETEXT_H
#define GE_OPS_SCHEMA_RANGETEXT_H

#include "ge/Ops/Schema/OpDef.h"

#include <string>

namespace ge {

/// NaN is outside.
bool isInside(double number, const Range &range);
/// Of a number that was rounded to f32: a bound such as 0.1 may be rounded, too.
bool isInsideRounded(double number, const Range &range);
/// Of a parameter that has a range: "between 0 and 1", "at least 1", "above 0.0 and at most 1.0".
std::string rangeText(const Param &param);

} // namespace ge

#endif // GE_OPS_SCHEMA_RANGETEXT_H
