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
  // Never destroyed: an installed evaluator may belong to an interpreter that has ended by then.
  static InstalledEvaluator &only = *new InstalledEvaluator;
  return only;
}

} // namespace

std::shared_ptr<Evaluator> evaluator() {
  std::lock_guard guard(installed().lock);
  return installed().evaluator;
}

void setEvaluator(std::shared_ptr<Evaluator> evaluator) {
  // The previous one is destroyed with the argument, after the lock is released: its release
  // function may call anything.
  std::lock_guard guard(installed().lock);
  installed().evaluator.swap(evaluator);
}

} // namespace ge
