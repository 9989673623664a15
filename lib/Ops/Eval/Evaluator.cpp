//===- Evaluator.cpp - the installed evaluator ------------------------------------------------===//
#include "ge/Ops/Eval/Evaluator.h"

#include <mutex>

namespace ge {

namespace {

struct InstalledEvaluator {
  std::mutex lock;
  std::shared_ptr<Evaluator> evaluator;
};

InstalledEvaluator &installed() {
  // Never destroyed: what is installed may belong to an interpreter that is gone by then.
  static InstalledEvaluator &only = *new InstalledEvaluator;
  return only;
}

} // namespace

std::shared_ptr<Evaluator> evaluator() {
  std::lock_guard guard(installed().lock);
  return installed().evaluator;
}

void setEvaluator(std::shared_ptr<Evaluator> evaluator) {
  // The one before dies with the argument, after the lock: its release may call anything.
  std::lock_guard guard(installed().lock);
  installed().evaluator.swap(evaluator);
}

} // namespace ge
