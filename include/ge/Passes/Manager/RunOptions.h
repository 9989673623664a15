//===- RunOptions.h - options of a run, which every pass gets ---------------------------------===//
#ifndef GE_PASSES_MANAGER_RUNOPTIONS_H
#define GE_PASSES_MANAGER_RUNOPTIONS_H

#include <functional>
#include <map>
#include <string>

namespace ge {

/// What a host says to all passes of a run, and to the switches of a stage: key and value.
using RunOptions = std::map<std::string, std::string, std::less<>>;

/// The options of the run on this thread while it lives; those of a run inside a pass are its own.
class RunOptionsScope {
public:
  explicit RunOptionsScope(const RunOptions &options);
  ~RunOptionsScope();
  RunOptionsScope(const RunOptionsScope &) = delete;
  RunOptionsScope &operator=(const RunOptionsScope &) = delete;
  /// Of the innermost run; none outside of one. They live as long as the run.
  static const RunOptions &ofThread();

private:
  const RunOptions *outer_;
};

} // namespace ge

#endif // GE_PASSES_MANAGER_RUNOPTIONS_H
