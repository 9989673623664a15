//===- BuiltinOps.h - the operators that ship with GE -----------------------------------------===//
#ifndef GE_OPS_REGISTRY_BUILTINOPS_H
#define GE_OPS_REGISTRY_BUILTINOPS_H

#include "ge/Ops/Registry/Registry.h"

#include <memory>
#include <string_view>
#include <vector>

namespace ge {

struct BuiltinOps {
  std::string_view ns;
  std::shared_ptr<const OpProvider> provider;
};

/// Every version of every operator of ONNX, from lib/Ops/onnx_ops.table: namespaces "onnx",
/// "onnx.ml", ... Optional operands have the default None only where nothing required follows.
/// Nothing is read before the first look-up; that one takes O(table), well under a millisecond.
std::vector<BuiltinOps> onnxOps();
/// CANN's operators, from lib/Ops/cann_ops.schema: namespaces "math", "nn". As lazy.
std::vector<BuiltinOps> geOps();
/// Whether a namespace is one of geOps().
inline bool isCannDomain(std::string_view ns) { return ns == "math" || ns == "nn"; }

} // namespace ge

#endif // GE_OPS_REGISTRY_BUILTINOPS_H
