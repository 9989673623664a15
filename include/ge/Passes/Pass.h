//===- Pass.h - one step of a pipeline --------------------------------------------------------===//
#ifndef GE_PASSES_PASS_H
#define GE_PASSES_PASS_H

#include "ge/IR/Graph.h"
#include "ge/Support/Error.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ge {

class Module;

/// What a pass gets beside the graph: for one execution of one pass.
class PassContext {
public:
  PassContext() = default;
  PassContext(const PassContext &) = delete;
  PassContext &operator=(const PassContext &) = delete;

  /// Adds to a number that the manager shows: count("folded"). Names are the pass's own.
  void count(std::string_view statistic, uint64_t n = 1);
  const std::map<std::string, uint64_t, std::less<>> &statistics() const { return statistics_; }

  /// Something a person should know and no failure: what was left alone, and why.
  void remark(Diagnostic diagnostic) { remarks_.push_back(std::move(diagnostic)); }
  const std::vector<Diagnostic> &remarks() const { return remarks_; }

private:
  std::map<std::string, uint64_t, std::less<>> statistics_;
  std::vector<Diagnostic> remarks_;
};

/// Written in C++; those of C and Python are adapters. One object may run on several graphs, one
/// after the other.
class Pass {
public:
  virtual ~Pass() = default;
  /// As in pipelines: "constant-fold".
  virtual std::string_view name() const = 0;
  /// Works on a root graph and all graphs inside it, through Mutation alone, with write access.
  /// Whether something changed is told by the root's change count: a pass that has nothing to do
  /// edits nothing. May throw; the manager rolls back what it did.
  virtual void run(Graph &root, PassContext &context) = 0;
  /// Over a module; what looks at one graph at a time need not say more.
  virtual void run(Module &module, PassContext &context);
};

} // namespace ge

#endif // GE_PASSES_PASS_H
