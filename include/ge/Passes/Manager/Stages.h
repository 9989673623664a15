//===- Stages.h - the passes of a stage of a compilation, in their order ----------------------===//
//
// A stage runs what is registered for it, whatever it is written in: passes of the kind
// "legacy_custom" first, in the order of registration, then by priority and name, as far as
// `before` and `after` say nothing else. An option `name: on|off` switches a pass, then the fusion
// switch file, by name and by ALL; what is not "on" is off. Passes of the kind "legacy_custom" have
// no switch.
//
#ifndef GE_PASSES_MANAGER_STAGES_H
#define GE_PASSES_MANAGER_STAGES_H

#include "ge/Passes/Manager/PassRegistry.h"
#include "ge/Passes/Manager/RunOptions.h"

namespace ge {

/// Where a pass runs in its stage.
struct StageOrder {
  int64_t priority = 0;                   ///< the greater runs earlier, equal ones by name
  std::vector<std::string> before, after; ///< passes of the stage that run later, earlier
  uint64_t number = 0;                    ///< grows with each call of set()
};

/// Orders by names of registered passes. Thread-safe.
class StageOrders {
public:
  static StageOrders &global();
  void set(const std::string &name, StageOrder order);
  void remove(std::string_view name);
  /// The default for a pass without one.
  StageOrder find(std::string_view name) const;

private:
  mutable std::mutex mutex_;
  uint64_t numbers_ = 0;
  std::map<std::string, StageOrder, std::less<>> orders_;
};

/// CANN's stages in their order.
constexpr std::string_view kStages[] = {"BeforeInferShape", "AfterInferShape",
                                        "AfterBuiltinFusionPass", "AfterOriginGraphOptimize"};
/// The option that names the fusion switch file: {"Switch": {"GraphFusion": {"ALL": "off"}}}.
constexpr std::string_view kFusionSwitchFile = "ge.fusionSwitchFile";

/// The enabled passes of a stage. An empty stage: the passes without a stage. Error(Value) for a
/// stage that is neither in kStages nor that of a registered pass, and for a cycle of `before` and
/// `after`. A switch file that cannot be read has no effect, with a warning. O(passes log passes).
std::vector<std::shared_ptr<const PassInfo>> passesOfStage(std::string_view stage,
                                                           const RunOptions &options,
                                                           const PassRegistry &registry,
                                                           std::vector<Diagnostic> &warnings);

} // namespace ge

#endif // GE_PASSES_MANAGER_STAGES_H
