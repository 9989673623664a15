//===- Region.h - nodes that a region runner computes together ---------------------------------===//
#ifndef GE_RUN_REGION_REGION_H
#define GE_RUN_REGION_REGION_H

#include "ge/IR/Context.h"
#include "ge/IR/Module.h"
#include "ge/IR/Mutation.h"
#include "ge/Run/Region/RegionRunner.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace ge {

struct ReleaseModule {
  void operator()(Module *module) const { module->release(); }
};
using ModulePtr = std::unique_ptr<Module, ReleaseModule>;

/// Copies of nodes of one graph, which stay valid when the graph is edited or erased. Several
/// threads may run it.
class Region {
public:
  /// `nodes` are in an order in which they can run. `given`: attributes of the function call, which
  /// replace references to them; null outside functions. `opsets`: as attribute
  /// "onnx.opset_imports". `where`: the graph's description in errors.
  Region(std::span<const Node *const> nodes, std::span<const Value *const> results,
         const std::vector<NamedAttribute> *given, AttrRef opsets, std::string where);
  ~Region();
  Region(const Region &) = delete;
  Region &operator=(const Region &) = delete;

  const std::string &label() const { return label_; }
  /// Values of the original graph, valid while that exists.
  std::span<const Value *const> inputs() const { return inputs_; }
  std::span<const Value *const> results() const { return results_; }

  /// A null input is absent. Throws errors of the runner; nodes that it rejects are run by the
  /// evaluator.
  std::vector<TensorPtr> run(std::span<const TensorPtr> inputs);

private:
  Graph &graph() const { return *model_->graph(0); }
  std::shared_ptr<CompiledRegion> compiled(std::span<const TensorPtr> inputs);
  ModulePtr modelFor(std::span<const TensorPtr> inputs) const;
  std::vector<TensorPtr> runParts(std::span<const TensorPtr> inputs);
  std::vector<TensorPtr> runNode(std::span<const TensorPtr> inputs) const;
  void split();

  ModulePtr model_;
  std::string label_;
  std::vector<const Value *> inputs_, results_;
  AttrRef opsets_;
  std::string where_;
  std::vector<Node *> nodes_; ///< of the model, without constants
  std::mutex lock_;
  std::vector<std::pair<std::string, std::shared_ptr<CompiledRegion>>> compiled_; ///< by inputs
  std::atomic<bool> isRefused_{false};
  std::string refusal_;
  std::vector<std::unique_ptr<Region>> parts_; ///< parts of a region that the runner rejected
};

} // namespace ge

#endif // GE_RUN_REGION_REGION_H
