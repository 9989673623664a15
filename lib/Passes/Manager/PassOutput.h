//===- PassOutput.h - texts that a run writes for its user ------------------------------------===//
#ifndef GE_LIB_PASSES_MANAGER_PASSOUTPUT_H
#define GE_LIB_PASSES_MANAGER_PASSOUTPUT_H

#include "ge/Passes/Manager/PassManager.h"

namespace ge {

/// What a pass works on: a module, or one graph.
struct PassTarget {
  Module *module = nullptr;
  Graph *graph = nullptr; ///< when `module` is null

  std::string text(const PrintOptions &options) const;
};

/// Prints graphs before and after passes, and keeps the reproducer.
class PassOutput {
public:
  explicit PassOutput(const PassInstrumentation &options);

  void start(const PassTarget &target);
  void before(const PassTarget &target, const PassRecord &record, const PipelineElement &element);
  /// Called before the pass is undone.
  void failed(const PassTarget &target, const PassRecord &record);
  void after(const PassTarget &target, const PassRecord &record);
  void finish(bool ok);

private:
  void show(const PassTarget &target, const PassRecord &record, const char *when);
  void writeToTree(const PassTarget &target, const std::string &name);
  const PassInstrumentation &options_;
  bool wantsAll_; ///< print after each pass, because only a directory was given
  uint32_t nextFile_ = 0;
  bool hasReproducer_ = false; ///< written by this run
};

} // namespace ge

#endif // GE_LIB_PASSES_MANAGER_PASSOUTPUT_H
