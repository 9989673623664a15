//===- SparseLiteral.h - sparse constants among attributes ------------------------------------===//
#ifndef GE_LIB_OPS_INFER_SPARSELITERAL_H
#define GE_LIB_OPS_INFER_SPARSELITERAL_H

#include "ge/IR/Context.h"

#include <optional>
#include <span>

namespace ge {

/// What a SparseLiteral is in a graph: {"values": tensor, "indices": tensor, "dims": [sizes]}.
struct SparseLiteral {
  const Tensor *values = nullptr;
  const Tensor *indices = nullptr;
  std::span<const int64_t> dims;
};

/// nullopt for other attributes.
inline std::optional<SparseLiteral> sparseLiteral(Attribute value) {
  if (value.kind() != AttrKind::Dict)
    return std::nullopt;
  SparseLiteral sparse;
  bool hasDims = false;
  for (size_t i = 0; i != value.size(); ++i) {
    std::string_view key = value.keys()[i]->str();
    Attribute entry = value.elements()[i];
    bool isTensor = entry.kind() == AttrKind::Tensor;
    if (key == "values" && isTensor)
      sparse.values = entry.tensorValue();
    else if (key == "indices" && isTensor)
      sparse.indices = entry.tensorValue();
    else if (key == "dims" && entry.kind() == AttrKind::Array && isInteger(entry.width())) {
      sparse.dims = entry.ints();
      hasDims = true;
    } else if (key == "dims" && entry.kind() == AttrKind::List && entry.size() == 0)
      hasDims = true;
    else
      return std::nullopt;
  }
  if (!sparse.values || !sparse.indices || !hasDims)
    return std::nullopt;
  return sparse;
}

} // namespace ge

#endif // GE_LIB_OPS_INFER_SPARSELITERAL_H
