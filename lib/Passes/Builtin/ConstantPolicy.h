//===- ConstantPolicy.h - which constants passes may make of others ---------------------------===//
//
// Two rules for all built-in passes. Quantised content is kept: what dequantises is not evaluated.
// And a model does not grow because constants become wider, as by the evaluation of a Cast. Every
// pass asks here, because only a Grant makes a constant (PassEditor::createConstant).
//
#ifndef GE_LIB_PASSES_BUILTIN_CONSTANTPOLICY_H
#define GE_LIB_PASSES_BUILTIN_CONSTANTPOLICY_H

#include "ge/IR/DType.h"
#include "ge/IR/Node.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace ge::builtin {

class PassEditor;

/// Permission to make the constants for which ConstantPolicy was asked.
class Grant {
public:
  /// Bytes by which the constants are wider than what they replace: ConstantPolicy::refund().
  uint64_t widening() const { return widening_; }

private:
  friend class ConstantPolicy;
  explicit Grant(uint64_t widening) : widening_(widening) {}
  uint64_t widening_;
};

/// Elements of 8 bits and less, but bools.
bool isQuantized(DType dtype);

class ConstantPolicy {
public:
  explicit ConstantPolicy(PassEditor &editor);

  /// Evaluate quantised content, too.
  void foldQuantized() { foldsQuantized_ = true; }
  /// How much wider constants may enlarge the model in the run.
  void setGrowth(uint64_t percent) { percent_ = percent; }
  /// All graphs whose constants are the model's; without, those of the root graph.
  void setModel(std::vector<Graph *> roots) { roots_ = std::move(roots); }
  /// Bytes of all wider constants that can be made, asked for before the first one is: all of them
  /// are made or none, so that a second run does not go on where the first one ended.
  void setForecast(std::function<uint64_t()> forecast) { forecast_ = std::move(forecast); }

  /// Returns whether the results of a node are to be computed at run time, because they are wider
  /// than the quantised constants that they are computed from. Not: results that only sizes are
  /// computed from, and Casts of a few elements. O(operands and results), and O(uses) of what is
  /// kept.
  bool keepsQuantized(const Node *node);
  /// Bytes that the model gains because results of a node are wider than its constant operands,
  /// `freed` of which are not needed any more.
  uint64_t wideningOf(const Node *node, uint64_t freed);

  /// For the results of a node that is evaluated. nullopt: they must not be made.
  std::optional<Grant> evaluate(const Node *node, uint64_t freed);
  /// For constants of `made` and of that many bytes, which are computed from the constants `from`,
  /// and take the place of as many bytes of them as have no other use.
  std::optional<Grant> derive(const Node *node, std::span<const Value *const> from, DType made,
                              uint64_t bytes);
  /// For a constant in another form, and for lists of sizes and axes.
  static Grant sameContents() { return Grant(0); }
  /// The constants of a grant were not made.
  void refund(const Grant &grant);

private:
  struct Growth;
  Growth &growth();
  bool isForSizes(const Value *value, int &left);
  std::optional<Grant> widen(const Node *node, uint64_t bytes);

  PassEditor &editor_;
  bool foldsQuantized_ = false;
  uint64_t percent_ = 5;
  std::vector<Graph *> roots_;
  std::function<uint64_t()> forecast_;
  std::optional<bool> fitsForecast_;
  std::shared_ptr<Growth> own_; ///< outside of a run
};

/// Bytes by which the wider constants that constant-fold can make of an editor's root graph would
/// enlarge it. `isExact`: without nodes with roundsByWeights(); `limit`: without results that take
/// so many bytes more than their operands. O(nodes and operands)
uint64_t wideningForecast(PassEditor &editor, bool isExact, uint64_t limit);

} // namespace ge::builtin

#endif // GE_LIB_PASSES_BUILTIN_CONSTANTPOLICY_H
