//===- Interfaces.cpp - the installed inferrer and evaluator ----------------------------------===//
#include "ge/Ops/Interfaces.h"

#include <mutex>

namespace ge {

namespace {

struct Installed {
  std::mutex lock;
  std::shared_ptr<Inferrer> inferrer;
  std::shared_ptr<Evaluator> evaluator;
};

Installed &installed() {
  // Never destroyed: what is installed may belong to an interpreter that is gone by then.
  static Installed &all = *new Installed;
  return all;
}

template <typename T> std::shared_ptr<T> copyOf(std::shared_ptr<T> Installed::*which) {
  std::lock_guard guard(installed().lock);
  return installed().*which;
}

template <typename T>
std::shared_ptr<T> exchange(std::shared_ptr<T> Installed::*which, std::shared_ptr<T> with) {
  std::lock_guard guard(installed().lock);
  (installed().*which).swap(with);
  return with;
}

} // namespace

std::shared_ptr<Inferrer> foreignInferrer() { return copyOf(&Installed::inferrer); }
std::shared_ptr<Inferrer> setForeignInferrer(std::shared_ptr<Inferrer> inferrer) {
  return exchange(&Installed::inferrer, std::move(inferrer));
}
std::shared_ptr<Evaluator> foreignEvaluator() { return copyOf(&Installed::evaluator); }
std::shared_ptr<Evaluator> setForeignEvaluator(std::shared_ptr<Evaluator> evaluator) {
  return exchange(&Installed::evaluator, std::move(evaluator));
}

} // namespace ge
