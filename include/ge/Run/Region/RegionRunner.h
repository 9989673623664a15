//===- RegionRunner.h - what computes several operators together -------------------------------===//
#ifndef GE_RUN_REGION_REGIONRUNNER_H
#define GE_RUN_REGION_REGIONRUNNER_H

#include "ge/IR/Module.h"
#include "ge/IR/Tensor.h"

#include <memory>
#include <span>

namespace ge {

/// A region that a runner compiled for inputs of certain element types and ranks. Destroyed after
/// its last run.
class CompiledRegion {
public:
  virtual ~CompiledRegion() = default;
  /// Fills `results`, preset to null, with tensors of `context`, which may be another one than at
  /// compilation. Throws Error(NotImplemented) if it does not run this region, which is then split;
  /// other errors end the run. Called on any thread, concurrently.
  virtual void run(Context &context, std::span<const TensorPtr> inputs,
                   std::span<TensorPtr> results) = 0;
};

/// Compiles regions of graphs; the C API installs one (ge-c/Regions.h).
class RegionRunner {
public:
  virtual ~RegionRunner() = default;
  /// Whether nodes of this operator may be in regions.
  virtual bool supports(const OperatorName &op) const = 0;
  /// Compiles the only graph of `model`, which it may change. Throws as CompiledRegion::run.
  virtual std::shared_ptr<CompiledRegion> compile(Module &model) const = 0;
};

/// The installed one; null: none. Thread-safe.
std::shared_ptr<const RegionRunner> regionRunner();
/// Also drops the regions that the previous one compiled; those that run are kept until they end.
void setRegionRunner(std::shared_ptr<const RegionRunner> runner);

} // namespace ge

#endif // GE_RUN_REGION_REGIONRUNNER_H
