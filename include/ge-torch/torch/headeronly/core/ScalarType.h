//===- torch/headeronly/core/ScalarType.h - element types --------------------------------------===//
#ifndef GE_TORCH_TORCH_HEADERONLY_CORE_SCALARTYPE_H
#define GE_TORCH_TORCH_HEADERONLY_CORE_SCALARTYPE_H

#include <c10/core/ScalarType.h>

namespace torch::headeronly {
using c10::CppTypeToScalarType;
using c10::elementSize;
using c10::isFloatingType;
using c10::isIntegralType;
using c10::ScalarType;
using c10::toString;
#define GE_TORCH_TYPE(Name, number, Type, code) using c10::k##Name;
GE_TORCH_FORALL_TYPES(GE_TORCH_TYPE)
#undef GE_TORCH_TYPE
} // namespace torch::headeronly

#endif // GE_TORCH_TORCH_HEADERONLY_CORE_SCALARTYPE_H
