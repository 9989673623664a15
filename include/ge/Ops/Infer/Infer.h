//===- Infer.h - types of results from types of operands --------------------------------------===//
//
// One entry, infer(), for a builder's call and for a graph (InferGraph.h). It tries, in this order,
// the operator's own hook, the native table, and the foreign inferrers. If none supports the
// operator, the results are unknown, which is not an error.
//
#ifndef GE_OPS_INFER_INFER_H
#define GE_OPS_INFER_INFER_H

#include "ge/IR/Mutation.h"
#include "ge/Ops/Infer/Contents.h"
#include "ge/Ops/Schema/OpDef.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ge {

class InferContext;

/// Contents of values, for inference that needs more than types. Contents live as long as the
/// source.
class ContentsSource {
public:
  virtual ~ContentsSource() = default;
  /// Null: not known.
  virtual const Contents *contents(const Value *value) = 0;
};

/// Where an inference finds the output types of a subgraph.
class SubgraphInferrer {
public:
  virtual ~SubgraphInferrer() = default;
  /// Types of the graph's outputs when its inputs have these (null: nothing known), or as they are
  /// declared. `trial`: nothing is written, because the inputs may be wrong. False: an error is
  /// reported already.
  virtual bool infer(Graph *graph, std::span<const Type *const> inputs, bool trial,
                     std::vector<const Type *> &outputs) = 0;
};

/// The arguments of a call. Everything is borrowed.
struct InferArgs {
  Context *context = nullptr;
  const OperatorName *op = nullptr;
  const OpDef *def = nullptr;            ///< for defaults, names and hooks; may be null
  uint32_t opset = 0;                    ///< 0: the definition's version, else the newest
  Root *root = nullptr;                  ///< foreign inferrers may not change it; may be null
  std::span<const Type *const> operands; ///< null or none: absent
  std::span<Value *const> values;        ///< the operands, for their contents; may be empty
  /// The operands' contents where there are no `values`; null: not known. May be empty.
  std::span<const Tensor *const> constants;
  std::span<const NamedAttribute> attributes;
  const AttributeList *attributeList = nullptr; ///< of a node, instead of `attributes`
  bool checksElementTypes = false; ///< fails also where only the definition's types do not fit
  bool asksForeign = true;         ///< foreign inferrers, where nothing else knows the operator
  std::span<Graph *const> subgraphs;
  /// The subgraph of an attribute when no graph has its name as slot; by position.
  std::span<const std::string_view> slots;
  ContentsSource *contents = nullptr;                             ///< null: `values` are asked
  SubgraphInferrer *subgraphTypes = nullptr;                      ///< null: as declared
  std::vector<std::optional<Contents>> *resultContents = nullptr; ///< asked for when not null
  /// The lengths of operand and result lists that the node stores (ge/IR/Segments.h).
  std::span<const int32_t> operandSegments, resultSegments;
};

enum class InferStatus : uint8_t {
  Unknown,  ///< unregistered operator, or operands of unknown type
  Inferred, ///< something is known of every result
  Failed,   ///< the call is wrong; the message says why
};

enum class InferBy : uint8_t { None, Hook, Native, Foreign };

struct InferOutcome {
  InferStatus status = InferStatus::Unknown;
  InferBy by = InferBy::None;
  /// Of Failed: which operand, and what would be right; without the operator's name. Empty when it
  /// is reported already.
  std::string message;
};

/// Fills `results`, as many as the node has: each with a type, unknownType() if nothing is known.
/// With types alone an element-wise call takes well under a microsecond. Exceptions of hooks and
/// foreign inferrers propagate.
InferOutcome infer(const InferArgs &args, std::span<const Type *> results);

/// The argument of an inference function: the call, and the results to fill.
class InferContext {
public:
  InferContext(const InferArgs &args, std::span<const Type *> results);

  Context &context() const { return *args_.context; }
  const OperatorName &op() const { return *args_.op; }
  const OpDef *def() const { return args_.def; }
  /// Of the operator set; compare with the `since` that brought a change.
  uint32_t version() const { return version_; }
  const InferArgs &args() const { return args_; }

  // --- Operands --------------------------------------------------------------------------------
  uint32_t numOperands() const { return uint32_t(args_.operands.size()); }
  /// Null when it is absent, also past the end.
  const Type *operand(uint32_t i) const;
  bool has(uint32_t i) const { return operand(i) != nullptr; }
  /// Undefined when it is absent or no tensor.
  DType dtype(uint32_t i) const;
  bool isRanked(uint32_t i) const; ///< a tensor of known rank
  std::span<const Dim> shape(uint32_t i) const { return operand(i)->shape(); } ///< if isRanked
  int64_t rank(uint32_t i) const { return isRanked(i) ? int64_t(shape(i).size()) : -1; }
  /// The elements of an integer (or small real) operand; null when not known.
  const Contents *contents(uint32_t i) const;
  /// Its value when it is a constant of any size; null otherwise.
  const Tensor *constant(uint32_t i) const;
  std::string operandName(uint32_t i) const; ///< "operand 1 'B'"

  // --- Attributes ------------------------------------------------------------------------------
  Attribute attribute(std::string_view name) const; ///< as given; invalid when it is not
  /// As given, else the definition's default, else `otherwise`.
  int64_t intAttr(std::string_view name, int64_t otherwise) const;
  double floatAttr(std::string_view name, double otherwise) const;
  std::string_view stringAttr(std::string_view name, std::string_view otherwise) const;
  /// A list, or one number as a list of one; nullopt when there is none.
  std::optional<std::vector<int64_t>> intsAttr(std::string_view name) const;
  /// An element type: as such, or ONNX's number. Undefined when there is none.
  DType dtypeAttr(std::string_view name, DType otherwise = DType::Undefined) const;

  // --- Subgraphs -------------------------------------------------------------------------------
  Graph *subgraph(std::string_view slot) const; ///< null when there is none
  /// False when it failed, which is reported.
  bool inferSubgraph(Graph *graph, std::span<const Type *const> inputs, bool trial,
                     std::vector<const Type *> &outputs);

  // --- Results; those that do not exist are ignored ---------------------------------------------
  uint32_t numResults() const { return uint32_t(results_.size()); }
  /// Null while it is not set.
  const Type *result(uint32_t i) const { return i < results_.size() ? results_[i] : nullptr; }
  void setResult(uint32_t i, const Type *type);
  /// Nothing when the element type is Undefined.
  void setTensor(uint32_t i, DType dtype, std::span<const Dim> shape);
  void setTensor(uint32_t i, DType dtype, std::initializer_list<Dim> shape);
  void setUnranked(uint32_t i, DType dtype);
  bool wantsContents() const { return args_.resultContents != nullptr; }
  void setContents(uint32_t i, Contents contents);

  // --- Errors; the first one counts --------------------------------------------------------------
  template <typename... Parts> void fail(const Parts &...parts) { failText(cat(parts...)); }
  /// "operand 1 'B' (tensor<2xf32>) " and what is said.
  template <typename... Parts> void failAt(uint32_t operand, const Parts &...parts) {
    failText(cat(operandName(operand), typeText(operand), " ", parts...));
  }
  bool failed() const { return failed_; }
  /// It failed, and the failure has been reported elsewhere.
  void failReported() { failed_ = true; }
  const std::string &message() const { return message_; }

private:
  void failText(std::string text);
  std::string typeText(uint32_t operand) const;
  const Constant *defaultOf(std::string_view name) const;
  ContentsSource &source() const;

  const InferArgs &args_;
  std::span<const Type *> results_;
  uint32_t version_;
  bool failed_ = false;
  std::string message_;
  mutable std::unique_ptr<ContentsSource> ownSource_;
  /// Of `args.constants`, which are read when they are asked for.
  mutable std::vector<std::optional<std::optional<Contents>>> ofConstants_;
};

using InferFunction = void (*)(InferContext &);

/// Attached to a record by OpHooks::infer.
struct InferHook {
  void (*infer)(InferContext &, void *user);
  void *user = nullptr;
};

/// Attached by OpHooks::verify: what is checked beyond the record.
struct VerifyHook {
  void (*verify)(const Node *node, std::vector<Diagnostic> &out, void *user);
  void *user = nullptr;
};

/// The native function of an operator; null when there is none.
InferFunction nativeInference(const OperatorName &op);
/// Names with a native function, sorted: "onnx.Abs", "onnx.ml.Scaler"; operators of CANN, whose
/// domain may be ge, math or nn, as "ge.Abs".
std::vector<std::string> nativeInferences();

/// A foreign one, such as ONNX's reference inference. May be called from any thread.
class ForeignInferrer {
public:
  virtual ~ForeignInferrer() = default;
  virtual std::string_view name() const = 0;
  /// True when it knew anything: results are set, or fail() was called.
  virtual bool infer(InferContext &context) = 0;
};

/// Asked in order of registration for operators that neither hook nor table knows. The number is
/// for unregisterInferrer; a call that runs may still use what was taken out.
uint64_t registerInferrer(std::shared_ptr<ForeignInferrer> inferrer);
void unregisterInferrer(uint64_t number);
/// Grows with each inferrer that is registered or removed.
uint64_t inferrerGeneration();

/// How often a foreign inferrer was asked for an operator, since the process began.
struct InferrerUse {
  std::string inferrer;
  std::string op;
  uint64_t asked = 0;
  uint64_t answered = 0;
};
std::vector<InferrerUse> inferrerUses(); ///< sorted by inferrer and operator

// --- Precision of types --------------------------------------------------------------------------

/// Element type and shape, or element, are known as far as their rank.
bool isKnownType(const Type *type);
/// The meet of two types of one value: the more precise parts of each. Static sizes take precedence
/// over symbols, and these over unknown sizes; symbols and layout are the first one's. Null if the
/// types contradict each other.
const Type *meetTypes(const Type *first, const Type *second);
/// The join of the types of two alternative values. unknownType() if they have nothing in common.
const Type *joinTypes(const Type *first, const Type *second);
/// "f32[2, N, ?]": as messages write types.
std::string shortType(const Type *type);

/// Constants, and what native evaluation makes of chains of them, found by walking back from a
/// value; at most so many nodes for each value asked for. Types of the values must be there.
std::unique_ptr<ContentsSource> lazyContents(Context &context, uint32_t opset);

/// The tensor of ge.Const, ge.Constant, onnx.Constant, or of an input with a default; null for
/// other values.
const Tensor *constantTensor(const Value *value);
/// The same, also of onnx.Constant with value_float and the like, whose tensor is made.
TensorPtr constantContents(const Value *value);

} // namespace ge

#endif // GE_OPS_INFER_INFER_H
