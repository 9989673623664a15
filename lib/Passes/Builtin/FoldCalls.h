//===- FoldCalls.h - calls of which constant-fold remembers the outcome -----------------------===//
#ifndef GE_LIB_PASSES_BUILTIN_FOLDCALLS_H
#define GE_LIB_PASSES_BUILTIN_FOLDCALLS_H

#include "ge/Ops/Eval/CallSignature.h"
#include "ge/Ops/Eval/Evaluator.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

namespace ge::builtin {

/// Calls that the evaluator could not evaluate, so that they are not tried again in each round.
class Refusals {
public:
  /// Another evaluator may support them. Held, so that its address is not reused by another one.
  void setEvaluator(const std::shared_ptr<Evaluator> &evaluator) {
    if (evaluator_ == evaluator)
      return;
    evaluator_ = evaluator;
    byHash_.clear();
  }
  bool has(const EvalCall &call) const {
    if (byHash_.empty()) // the usual case, which needs no hash
      return false;
    auto found = byHash_.find(hashOf(call));
    return found != byHash_.end() &&
           std::ranges::any_of(found->second, [&](const Refused &one) { return one.is(call); });
  }
  void add(const EvalCall &call) { byHash_[hashOf(call)].emplace_back(call); }

private:
  /// Holds the operands that it compares, by contents: a Constant with value_ints creates a new
  /// tensor each time.
  struct Refused {
    explicit Refused(const EvalCall &call)
        : context(call.context), op(call.op), opset(call.opset),
          operands(call.operands.begin(), call.operands.end()), attributes(call.attributes),
          segments(call.operandSegments.begin(), call.operandSegments.end()) {}
    bool is(const EvalCall &call) const {
      return context.get() == call.context && op == call.op && opset == call.opset &&
             std::ranges::equal(operands, call.operands, isSame, &TensorPtr::get) &&
             std::ranges::equal(segments, call.operandSegments) && attributes == call.attributes;
    }
    static bool isSame(const Tensor *a, const Tensor *b) {
      return a == b || (a && b && a->equals(*b));
    }
    ContextPtr context;
    const OperatorName *op;
    uint32_t opset;
    std::vector<TensorPtr> operands;
    HeldAttributes attributes;
    std::vector<int32_t> segments;
  };
  static uint64_t hashOf(const EvalCall &call) {
    uint64_t hash = hashCombine(call.op->hash(), call.opset);
    for (const Tensor *operand : call.operands)
      hash = hashCombine(hash, operand ? operand->hash() : 0);
    return HeldAttributes::hash(hash, call.attributes);
  }
  std::shared_ptr<Evaluator> evaluator_;
  std::unordered_map<uint64_t, std::vector<Refused>> byHash_;
};

/// Signatures of calls that were checked against definition and inference with a result that does
/// not depend on the constants; the same call often occurs many times in a chain.
class SoundCalls {
public:
  bool has(const EvalCall &call) const {
    auto found = byHash_.find(CallSignature::hash(call));
    return found != byHash_.end() && found->second == call;
  }
  void add(const EvalCall &call) {
    byHash_.insert_or_assign(CallSignature::hash(call), CallSignature(call));
  }

private:
  std::unordered_map<uint64_t, CallSignature> byHash_;
};

} // namespace ge::builtin

#endif // GE_LIB_PASSES_BUILTIN_FOLDCALLS_H
