//===- ProgramCompiler.h - nodes of graphs become programs -------------------------------------===//
#ifndef GE_LIB_RUN_PROGRAM_PROGRAMCOMPILER_H
#define GE_LIB_RUN_PROGRAM_PROGRAMCOMPILER_H

#include "../Region/NodeOrder.h"
#include "ge/Run/Program/Program.h"

#include "ge/IR/Module.h"

#include <map>
#include <unordered_map>

namespace ge {

using NamedAttributes = std::vector<NamedAttribute>;

/// The attribute of a graph or module; invalid if it has none of that name.
template <typename Holder> Attribute attributeOf(const Holder &holder, std::string_view name) {
  const Identifier *key = holder.context().lookupIdentifier(name);
  return key ? holder.attributes().find(key->id()) : Attribute();
}

/// The graph that is being compiled, and the places of its values.
struct ProgramScope {
  Body &body;
  ProgramScope *parent;         ///< of a body; null for a graph or function
  const NamedAttributes *given; ///< attributes of the call of a function; null outside functions
  std::unordered_map<const Value *, Place> places{};

  Place newSlot() { return Place(body.numSlots++); }
};

/// Adds to a body which slots each step releases, and drops results that nothing uses.
void addReleases(Body &body);

/// Compiles a graph, its bodies and the functions that it calls. Its members are defined in
/// ProgramCompile.cpp (graphs, values, nodes), ProgramKernels.cpp (steps of kernels and
/// evaluators), ProgramRegions.cpp (regions of a runner) and ProgramBodies.cpp (functions and
/// bodies).
class ProgramCompiler {
public:
  explicit ProgramCompiler(Program &program) : program_(program) {}

  void addFunctions(const Module *module);
  /// Moves out the references to the kernels of the program. The caller holds them while it runs
  /// the program, so that closing a library does not destroy a kernel in use.
  std::vector<KernelRef> takePinned() { return std::move(pinned_); }
  void compile(const Graph &graph);
  void compile(const Graph &graph, std::span<Node *const> nodes, std::span<Value *const> inputs,
               std::span<Value *const> outputs);

private:
  /// The body of a function for the attributes of a call, compiled after the current graph.
  struct Waiting {
    Body *body;
    const Graph *graph;
    NamedAttributes given;
  };

  /// Throws if the program is hosted: the host runs the node another way.
  template <typename... Parts> void refuse(const Parts &...parts) const {
    if (program_.isHosted)
      throwError(ErrorKind::NotImplemented, parts...);
  }
  /// Makes a step one that fails when it runs.
  template <typename... Parts> static void fail(Step &step, const Parts &...parts) {
    step.kind = StepKind::Fail;
    step.reason = cat(parts...);
  }

  Body &newBody(const Graph &graph);
  void compileWaiting();
  void compileGraph(ProgramScope &scope, const Graph &graph);
  void compileNode(ProgramScope &scope, const Node *node);
  /// `user` names what needs the value, for errors.
  Place placeOf(ProgramScope &scope, const Value *value, std::string_view user);
  RunValue constantOf(const Tensor &tensor, std::string_view user) const;
  /// Attributes of a node. A reference to an attribute of the call is replaced by its value.
  NamedAttributes attributesOf(const ProgramScope &scope, const Node *node);
  const Graph *functionOf(const OperatorName *op) const;
  /// The operator set that a node's operator is of; 0: not recorded.
  uint32_t opsetOf(const Node *node) const;

  void compileOperator(ProgramScope &scope, Step &step, const Node *node);
  std::unique_ptr<KernelStep> kernelOf(const Step &step, const Node *node,
                                       const NamedAttributes &attributes);
  size_t numberOf(const KernelRef &kernel);
  void bindArguments(KernelStep &own, const OpDef &def, const Step &step,
                     const NamedAttributes &attributes);
  bool planResults(KernelStep &own, const OpDef &def, const Node *node);

  void compileGroups(ProgramScope &scope, const std::vector<NodeGroup> &groups);
  void compileRegion(ProgramScope &scope, const NodeGroup &group);
  bool mayBeInRegion(const Node *node);
  bool isForRunner(const Graph &body);
  bool supports(const OperatorName *op);
  bool hasKernel(const Node *node) const;
  /// The operator sets with which a region is compiled.
  AttrRef opsetsOf(const Graph &graph);

  void compileCall(ProgramScope &scope, Step &step, const Node *node, const Graph &function);
  /// Compiles the body in a slot, which must have `numInputs` inputs.
  const Body *compileBody(ProgramScope &scope, Step &step, const Node *node, std::string_view slot,
                          size_t number, size_t numInputs);
  const Body *compileBody(ProgramScope &scope, Step &step, const Graph &graph, size_t numInputs);
  void compileBodies(ProgramScope &scope, Step &step, const Node *node);
  void compileLoop(ProgramScope &scope, Step &step, const Node *node, size_t numStates);
  void compileScan(ProgramScope &scope, Step &step, const Node *node);
  void addOutputTypes(Step &step, const Graph &graph, size_t first);

  Program &program_;
  std::unordered_map<const OperatorName *, const Graph *> functions_;
  std::map<std::vector<uint64_t>, Body *> compiled_;
  std::deque<Waiting> waiting_;
  std::deque<NamedAttributes> given_;
  Captured captured_;
  std::shared_ptr<const RegionRunner> runner_;        ///< null: each node is a step of its own
  std::unordered_map<const Graph *, AttrRef> opsets_; ///< by root
  std::unordered_map<const OperatorName *, bool> supported_;
  std::unordered_map<const Graph *, bool> forRunner_;
  std::unordered_map<const Kernel *, size_t> kernels_;
  std::vector<KernelRef> pinned_;
  /// Of the current node: for each parameter, the first operand of the kernel step.
  std::unordered_map<size_t, std::optional<size_t>> parameters_;
};

} // namespace ge

#endif // GE_LIB_RUN_PROGRAM_PROGRAMCOMPILER_H
