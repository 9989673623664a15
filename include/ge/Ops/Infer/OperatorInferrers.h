//===- OperatorInferrers.h - foreign inferrers of one operator ----------------------------------===//
#ifndef GE_OPS_INFER_OPERATORINFERRERS_H
#define GE_OPS_INFER_OPERATORINFERRERS_H

#include "ge/Ops/Infer/Infer.h"

#include <memory>
#include <string>

namespace ge {

/// registerInferrer for the operator of that qualified name alone: others do not pay for it.
uint64_t registerInferrerOf(std::string op, std::shared_ptr<ForeignInferrer> inferrer);

/// While it lives, notes what the foreign inferrers that this thread asks base their answers on.
class AnswerWatch {
public:
  AnswerWatch();
  ~AnswerWatch();
  AnswerWatch(const AnswerWatch &) = delete;
  AnswerWatch &operator=(const AnswerWatch &) = delete;
  /// Whether all of them answered by types and attributes alone: the answers are the same for other
  /// constants.
  bool isByTypes() const { return isByTypes_; }
  /// Called by an inferrer that was asked.
  static void note(bool isByTypes);

private:
  bool isByTypes_ = true;
  AnswerWatch *outer_;
};

} // namespace ge

#endif // GE_OPS_INFER_OPERATORINFERRERS_H
