//===- PassRegistry.h - passes by name --------------------------------------------------------===//
#ifndef GE_PASSES_MANAGER_PASSREGISTRY_H
#define GE_PASSES_MANAGER_PASSREGISTRY_H

#include "ge/Passes/Manager/Pass.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace ge {

/// How the results of a rewritten graph compare with those of the graph before, in a runtime that
/// optimises nothing. Each class allows what those before it allow.
enum class Exactness : uint8_t {
  Exact,         ///< bit for bit equal, but for the payload of NaN
  Reassociating, ///< other roundings of the same formula: within the tolerance of `ge check`
  Approximate,   ///< may differ by more
};
/// "exact", "reassociating", "approximate".
std::string_view exactnessName(Exactness exactness);

/// What stands in the braces of a pipeline: constant-fold{limit=1024}.
class PassOptions {
public:
  void set(std::string name, std::string value) {
    values_.insert_or_assign(std::move(name), std::move(value));
  }
  /// As written; `otherwise` when it was not given.
  std::string_view text(std::string_view name, std::string_view otherwise) const;
  /// Error(Value) with the option's name unless it reads so.
  int64_t integer(std::string_view name, int64_t otherwise) const;
  /// As integer(), and Error(Value) when it is negative.
  uint64_t size(std::string_view name, int64_t otherwise) const;
  bool flag(std::string_view name, bool otherwise) const;
  /// By exactnessName().
  Exactness exactness(std::string_view name, Exactness otherwise) const;
  const std::map<std::string, std::string, std::less<>> &all() const { return values_; }

private:
  std::map<std::string, std::string, std::less<>> values_;
};

struct PassOption {
  std::string name;
  std::string otherwise; ///< the default, as it would be written
  std::string doc;
};

/// Rewrites of a pass that belong to another class than the pass as such.
struct PassRewrite {
  std::string what;
  Exactness exactness;
};

struct PassInfo {
  std::string name; ///< lower case words with dashes
  std::string doc;  ///< one sentence
  std::vector<PassOption> options;
  std::function<std::unique_ptr<Pass>(const PassOptions &)> create;
  /// An alias: its name stands for this pipeline, and `create` is empty. An option that it is given
  /// goes to the passes in it that have one of that name and are not given it there.
  std::string pipeline = {};
  std::string kind = "native";
  std::string stage = {};   ///< "BeforeInferShape" and so on; empty: none of its own
  std::string origin = {};  ///< the file or package that it came from; empty: this library
  std::string version = {}; ///< of the package; empty when unknown
  /// One object for all executions at one place of a pipeline, in one run: it remembers over the
  /// rounds of a fixpoint. Else each execution has a new one.
  bool isReused = false;
  /// On one graph it looks into the others of its module, which a run with it therefore reads.
  bool readsModule = false;
  /// Of what it does apart from `rewrites`; nullopt: unknown, of passes that do not say.
  std::optional<Exactness> exactness = std::nullopt;
  std::vector<PassRewrite> rewrites = {};
  bool hasOption(std::string_view option) const;
};

/// Thread-safe. An entry stays where it is until it is removed.
class PassRegistry {
public:
  /// With the built-in passes (registerBuiltinPasses) in it.
  static PassRegistry &global();

  /// Error(Value) for a name that is taken.
  void add(PassInfo info);
  /// Managers that have it keep it. False: there is none.
  bool remove(std::string_view name);
  /// Null: none.
  std::shared_ptr<const PassInfo> find(std::string_view name) const;
  /// Sorted by name.
  std::vector<std::shared_ptr<const PassInfo>> all() const;

private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const PassInfo>, std::less<>> passes_;
};

/// lib/Passes/Builtin: a call for each of its files.
void registerBuiltinPasses(PassRegistry &registry);

} // namespace ge

#endif // GE_PASSES_MANAGER_PASSREGISTRY_H
