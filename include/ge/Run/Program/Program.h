//===- Program.h - nodes of graphs, prepared to run --------------------------------------------===//
//
// A program is the compiled form of nodes of a graph, with their bodies and the functions that they
// call. It does not refer to the graph: it stays valid, and can run, after the graph is edited or
// erased. Several threads may run one program.
//
#ifndef GE_RUN_PROGRAM_PROGRAM_H
#define GE_RUN_PROGRAM_PROGRAM_H

#include "ge/Run/Call/KernelArguments.h"
#include "ge/Run/Region/Region.h"
#include "ge/Run/Value/RunValue.h"

#include "ge/IR/Context.h"
#include "ge/IR/Graph.h"
#include "ge/Ops/Kernels/Kernels.h"

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ge {

struct Body;

/// Where a step finds a value: a slot of its frame, a constant of the program (its number inverted)
/// or nowhere.
using Place = int32_t;
constexpr Place kNowhere = INT32_MIN;

/// The known part of a type, without a context.
struct KnownType {
  bool isKnown = false; ///< false: any value fits
  bool isRanked = false;
  bool isStatic = false;
  DLDataType element{};
  std::vector<int64_t> shape; ///< -1: not known
  std::string text;           ///< as errors write it

  explicit KnownType(const Type *type = nullptr);
  bool takes(const DLTensor &tensor) const;
};

/// A call of a kernel; its attributes are bound.
struct KernelStep {
  struct Operand {
    Place place;
    uint32_t argument;
    bool isWritten, isLast; ///< isLast: no later step uses the operand
  };
  /// An argument that is a list of tensors.
  struct List {
    uint32_t argument;
    size_t first, count; ///< of the operands
  };
  explicit KernelStep(bool counted) : arguments(counted), isCounted(counted) {}
  size_t number = 0; ///< of the program's kernel steps
  size_t kernel = 0; ///< of the program's kernels
  OpDefRef def;
  const OperatorName *op = nullptr;
  uint32_t opset = 0; ///< of its domain; 0: not recorded
  std::vector<NamedAttribute> attributes;
  std::vector<int32_t> operandSegments; ///< as the node stores them
  KernelArguments arguments;            ///< all but tensors are set
  std::vector<Operand> operands;
  std::vector<List> lists;
  std::vector<KnownType> declared;            ///< by result
  std::vector<std::optional<size_t>> owners;  ///< by result: the operand that it aliases
  std::vector<size_t> fresh;                  ///< results that alias no operand
  std::vector<std::vector<uint32_t>> lenders; ///< by result: arguments whose memory it may share
  std::string kernelText;                     ///< "kernel cpu (k.c:3)"
  bool isOut = false, isStrided = false, isCounted;
};

/// An operator that runs on tensors of the core: by an evaluator, which may fail with a reason.
struct TensorStep {
  const OperatorName *op;
  uint32_t opset; ///< as of KernelStep
  std::string nodeName;
  std::vector<NamedAttribute> attributes;
  std::vector<int32_t> operandSegments; ///< as the node stores them
};

enum class StepKind : uint8_t {
  Kernel,
  Tensors,
  Region,
  If,
  Case,
  While,
  For,
  Loop,
  Scan,
  Call,
  Fail
};

struct Step {
  StepKind kind = StepKind::Fail;
  bool isOnnx = false;
  std::string label;           ///< "node 'n' (acme.scale)"
  std::vector<Place> operands; ///< in the node's order
  std::vector<Place> results;  ///< slots; kNowhere for unused results
  std::vector<Place> releases; ///< slots that no later step uses
  std::vector<const Body *> bodies;
  std::unique_ptr<KernelStep> kernel;
  std::unique_ptr<TensorStep> tensors;
  std::unique_ptr<Region> region;
  ErrorKind failure = ErrorKind::Verify; ///< for Fail: the kind of error
  std::string reason;
  // Scan; `outputTypes` is also used by Loop: types of the concatenated outputs.
  std::vector<int64_t> axes, backwards, outAxes, outBackwards;
  std::vector<const Type *> outputTypes;
};

/// A compiled graph.
struct Body {
  std::string name, described;
  size_t numInputs = 0; ///< the first slots
  size_t numSlots = 0;
  std::vector<std::pair<Place, Place>> captures; ///< slot of the enclosing frame, and own slot
  std::vector<Step> steps;
  std::vector<Place> outputs;
};

/// Inferred result types of a step for certain operand types.
struct StepTypes {
  bool isSet = false;
  std::vector<int64_t> key;
  std::vector<KnownType> results;
};

/// Memory that runs of a program reuse; used by one run at a time.
struct Execution {
  std::vector<StepTypes> types; ///< by number of the kernel step
  std::vector<KernelRef> kernels;
};

class Program {
public:
  /// `hosted`: all nodes must run here; otherwise Error(NotImplemented) names the node, and the
  /// host runs it another way. If not hosted, such a node fails when it runs.
  Program(Context &context, uint32_t opset, std::string_view backend, bool hosted)
      : context(&context), opset(opset), backend(backend), isHosted(hosted) {}

  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;
  ~Program();

  /// Runs the program; results are null if absent. `failed`: the label of the node that threw, else
  /// empty.
  std::vector<RunValue> run(std::vector<RunValue> inputs, std::string_view &failed);
  /// Keeps an attribute or type while the program lives.
  void keep(Attribute attribute);
  void keep(const Type *type);

  ContextPtr context;
  const uint32_t opset; ///< of ONNX's operators; 0: as the graph records
  const std::string backend;
  const bool isHosted;
  std::deque<Body> bodies; ///< the first one is the entry
  std::vector<RunValue> constants;
  std::vector<std::weak_ptr<const Kernel>> kernels; ///< weak, so that a library can be closed
  size_t numKernelSteps = 0, mostArguments = 0, mostOperands = 0;

private:
  std::vector<AttrRef> attributes_;
  std::vector<const Type *> types_;
  std::vector<const AttrStorage *> storages_;
  std::unique_ptr<Execution> takeExecution();
  void giveExecution(std::unique_ptr<Execution> execution);
  std::mutex lock_;
  std::vector<std::unique_ptr<Execution>> free_;
};

/// A program, and its kernels, held until it runs.
struct PinnedProgram {
  std::shared_ptr<Program> program;
  std::vector<KernelRef> kernels;
};

/// Compiles a whole graph with the functions of its module.
PinnedProgram programOf(const Graph &graph, uint32_t opset);
/// Compiles some nodes of a graph, in an order in which they can run. Throws as the constructor
/// says.
std::shared_ptr<Program> programOf(const Graph &graph, std::string_view backend,
                                   std::span<Node *const> nodes, std::span<Value *const> inputs,
                                   std::span<Value *const> outputs);

} // namespace ge

#endif // GE_RUN_PROGRAM_PROGRAM_H
