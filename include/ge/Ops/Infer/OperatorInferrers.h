//===- OperatorInferrers.h - foreign inferrers of one operator ----------------------------------===//
#ifndef GE_OPS_INFER_OPERATORINFERRERS_H
#define GE_OPS_INFER_OPERATORINFERRERS_H

#include "ge/Ops/Infer/Infer.h"

#include <memory>
#include <string>

namespace ge {

/// Registers an inferrer for the operator of that qualified name only; it is not called for others.
uint64_t registerInferrerOf(std::string op, std::shared_ptr<ForeignInferrer> inferrer);

/// A scope that records whether the foreign inferrers that this thread calls in it use anything but
/// types and attributes.
class AnswerWatch {
public:
  AnswerWatch();
  ~AnswerWatch();
  AnswerWatch(const AnswerWatch &) = delete;
  AnswerWatch &operator=(const AnswerWatch &) = delete;
  /// Returns whether none did: the results are the same for other constants.
  bool isByTypes() const { return isByTypes_; }
  /// Called after each foreign inferrer.
  static void note(bool isByTypes);

private:
  bool isByTypes_ = true;
  AnswerWatch *outer_;
};

} // namespace ge

#endif // GE_OPS_INFER_OPERATORINFERRERS_H
