//===- TypeConstraints.h - element types that a type variable allows --------------------------===//
#ifndef GE_LIB_OPS_SCHEMA_TYPECONSTRAINTS_H
#define GE_LIB_OPS_SCHEMA_TYPECONSTRAINTS_H

#include "ge/IR/DType.h"
#include "ge/Ops/Schema/OpDef.h"

#include <string_view>

namespace ge {

/// The name between the brackets of "tensor(float)" in TypeVar::allowed; GE's name if ONNX has
/// none.
std::string_view constraintName(DType dtype);

/// Returns whether a name such as "tensor(int64)" is a type and not a variable.
bool isType(const TypeVar &variable);

/// Bit i: a tensor of DType(i) is allowed. All bits when the variable allows anything.
uint64_t allowedDTypes(const TypeVar &variable);

} // namespace ge

#endif // GE_LIB_OPS_SCHEMA_TYPECONSTRAINTS_H
