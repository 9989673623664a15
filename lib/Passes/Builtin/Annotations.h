//===- Annotations.h - tensors that quantization_annotation names -----------------------------===//
#ifndef GE_LIB_PASSES_BUILTIN_ANNOTATIONS_H
#define GE_LIB_PASSES_BUILTIN_ANNOTATIONS_H

#include "ge/IR/Graph.h"

#include <string>
#include <string_view>
#include <unordered_set>

namespace ge::builtin {

/// ONNX's GraphProto.quantization_annotation gives a tensor its scale and zero point by name, which
/// is the only use of these tensors. The IR keeps the field as it stands, in the attribute
/// `onnx.extra` of the graph.
class Annotations {
public:
  /// Of a root graph and all graphs in it. O(nodes), where a graph has such an attribute.
  explicit Annotations(Graph &root);

  /// An annotation is about the tensor.
  bool isSubject(std::string_view tensor) const { return subjects_.contains(tensor); }
  /// The tensor is a scale or zero point of an annotation.
  bool isParameter(std::string_view tensor) const { return parameters_.contains(tensor); }
  bool isEmpty() const { return subjects_.empty(); }

private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_set<std::string, Hash, std::equal_to<>> subjects_, parameters_;
};

/// Removes annotations of tensors that the root graph and the graphs in it do not have. Returns how
/// many.
size_t eraseStaleAnnotations(Graph &root);

} // namespace ge::builtin

#endif // GE_LIB_PASSES_BUILTIN_ANNOTATIONS_H
