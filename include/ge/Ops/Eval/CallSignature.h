//===- CallSignature.h - what calls of an operator have in common, whatever their constants are -===//
#ifndef GE_OPS_EVAL_CALLSIGNATURE_H
#define GE_OPS_EVAL_CALLSIGNATURE_H

#include "ge/Ops/Eval/Evaluator.h"

#include <utility>
#include <vector>

namespace ge {

/// The attributes of a call, held to be compared with those of later calls.
class HeldAttributes {
public:
  explicit HeldAttributes(std::span<const NamedAttribute> attributes);
  bool operator==(std::span<const NamedAttribute> attributes) const;
  static uint64_t hash(uint64_t seed, std::span<const NamedAttribute> attributes);

private:
  std::vector<std::pair<const Identifier *, AttrRef>> attributes_;
};

/// Operator, opset, attributes, types of operands, declared types of results, lengths of lists. The
/// types are not held: a signature lives no longer than the graph of its call.
class CallSignature {
public:
  explicit CallSignature(const EvalCall &call);
  bool operator==(const EvalCall &call) const;
  static uint64_t hash(const EvalCall &call);

private:
  const OperatorName *op_;
  uint32_t opset_;
  std::vector<const Type *> operands_; ///< null: absent
  std::vector<const Type *> results_;  ///< null: unknown
  HeldAttributes attributes_;
  std::vector<int32_t> operandSegments_, resultSegments_;
};

} // namespace ge

#endif // GE_OPS_EVAL_CALLSIGNATURE_H
