//===- Deferred.h - folded constants that are not yet in the graph ----------------------------===//
//
// A transaction keeps erased nodes until it is committed. A constant whose only user is folded next
// is therefore not added to the graph: it is freed when that user has its result.
//
#ifndef GE_LIB_PASSES_BUILTIN_DEFERRED_H
#define GE_LIB_PASSES_BUILTIN_DEFERRED_H

#include "ge/Ops/Eval/TensorEvaluation.h"

#include <deque>
#include <unordered_map>

namespace ge::builtin {

/// One constant: parts joined along an axis, copied into one tensor when that is needed. Nested
/// Concats append, so that a chain of n of them copies each element once.
struct DeferredConstant {
  const Type *type = nullptr;
  size_t axis = 0;
  std::deque<TensorPtr> parts;
  uint64_t charged = 0; ///< bytes of the budget

  /// All parts as one tensor, which is the only part from then on.
  const TensorPtr &tensor();
};

/// By the value that the constant will replace.
class DeferredConstants {
public:
  bool isEmpty() const { return byValue_.empty(); }
  DeferredConstant *find(const Value *value);
  void add(const Value *value, DeferredConstant constant) {
    byValue_.insert_or_assign(value, std::move(constant));
  }
  /// Removes and returns it; nullopt when there is none.
  std::optional<DeferredConstant> take(const Value *value);
  /// The Concat of `operands`, which concatAxis() has checked: `constants` where they are not
  /// deferred. Takes those that are; their charges are its own. O(parts) of all but the largest.
  DeferredConstant join(const Type *type, size_t axis, std::span<Value *const> operands,
                        std::span<const TensorPtr> constants);
  /// The values that are still deferred, in no particular order.
  std::vector<const Value *> values() const;

private:
  std::unordered_map<const Value *, DeferredConstant> byValue_;
};

} // namespace ge::builtin

#endif // GE_LIB_PASSES_BUILTIN_DEFERRED_H
