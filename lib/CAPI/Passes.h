//===- Passes.h - passes between the core and C -----------------------------------------------===//
#ifndef GE_LIB_CAPI_PASSES_H
#define GE_LIB_CAPI_PASSES_H

#include "Live.h"

#include "ge-c/Passes.h"
#include "ge/Passes/Manager/PassManager.h"
#include "ge/Passes/Manager/Stages.h"

#include <optional>

/// The argument of a table's functions: the core's context, and the error that they set.
struct GePassRun {
  ge::PassContext *context;
  std::optional<ge::Diagnostic> failure = std::nullopt;
  const ge::RunOptions *options = &ge::RunOptionsScope::ofThread();
};

namespace ge::capi {

/// A pass of C: a table and, once own() was called, the duty to release its user data.
class PassTable {
public:
  explicit PassTable(const GePassTable &table) : table_(table) {}
  ~PassTable() {
    if (owns_ && table_.release)
      table_.release(table_.userData);
  }
  PassTable(const PassTable &) = delete;
  PassTable &operator=(const PassTable &) = delete;
  const GePassTable *operator->() const { return &table_; }
  void own() { owns_ = true; }

private:
  GePassTable table_;
  bool owns_ = false;
};

/// Checked: names and values are UTF-8. Of equal names the last counts.
RunOptions runOptionsOf(const GePassOption *options, size_t numOptions);
/// Checked: names are UTF-8.
StageOrder stageOrderOf(const GePassInfo &info);
/// Checked: names are texts.
PassInfo infoOf(const GePassInfo &info);
/// Checks that the required functions are set.
std::shared_ptr<PassTable> tableOf(const GePassTable *table);
/// Makes an instance of the table for each execution.
std::unique_ptr<Pass> makePass(std::shared_ptr<PassTable> table, std::string name,
                               PassOptions options);

} // namespace ge::capi

#endif // GE_LIB_CAPI_PASSES_H
