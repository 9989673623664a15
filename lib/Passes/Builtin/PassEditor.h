//===- PassEditor.h - what the built-in passes share --------------------------------------------===//
#ifndef GE_LIB_PASSES_BUILTIN_PASSEDITOR_H
#define GE_LIB_PASSES_BUILTIN_PASSEDITOR_H

#include "Annotations.h"
#include "ConstantPolicy.h"

#include "ge/IR/Mutation.h"
#include "ge/Ops/Eval/TensorEvaluation.h"
#include "ge/Ops/Infer/Infer.h"
#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Ops/Schema/OpDef.h"
#include "ge/Passes/Manager/PassRegistry.h"
#include "ge/Passes/Manager/RewriteObserver.h"
#include "ge/Support/Budget.h"
#include "ge/Support/Interrupt.h"

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ge::builtin {

/// An attribute of a new node. Its value fits into a word, or is held by the caller.
struct Attr {
  Attr(std::string_view name, int64_t value);
  Attr(std::string_view name, float value);
  Attr(std::string_view name, const Ints &value) : name(name), ints(&value) {}
  Attr(std::string_view name, Attribute value) : name(name), value(value) {}
  std::string_view name;
  Attribute value;
  const Ints *ints = nullptr;
};

/// One execution of a pass over one root graph: queries about the graph, and edits that keep types
/// and names. Operators named by type only are ONNX's.
class PassEditor {
public:
  PassEditor(Graph &root, PassContext &statistics);

  Context &context() const { return context_; }
  PassContext &statistics() const { return statistics_; }
  Graph &root() const { return root_; }
  /// ONNX's operator set; the newest when the graph does not say.
  uint32_t opset() const { return opset_; }
  /// Returns whether the model is older than IR version 4: every weight is an input with a default,
  /// which is its value.
  bool trustsDefaults() const { return trustsDefaults_; }

  // --- Knowledge ---------------------------------------------------------------------------------
  /// Null: not registered.
  const OpDef *definition(const Node *node);
  uint32_t opsetFor(const Node *node); ///< of its domain; 0: the graph does not say
  /// Returns whether equal operands and attributes give equal results without side effects. Control
  /// flow is as pure as its bodies. False also if a node writes an operand or a result, because the
  /// result then depends on the time of execution.
  bool isPure(const Node *node);
  /// Whether a node without uses may be erased: it is pure, or random. False for unregistered
  /// operators, for those that write an operand, and for constants that are parameters of an
  /// annotation.
  bool isRemovable(const Node *node);
  /// A scale or zero point that only ONNX's quantization_annotation may name.
  bool isAnnotationParameter(const Value *value);
  /// Returns whether the declared type of an operand or result, or of those of an operand's
  /// producer, contradicts the inferred one. Nothing may be concluded from either type then, and
  /// the node is kept, with one remark for the run.
  bool isDisputed(const Node *node);
  /// Returns whether a node writes the value or its storage (ge/Ops/Schema/Effects.h): its contents
  /// change over time, so it must not be replaced. Computed for the graph at the first call; edits
  /// of built-in passes keep it valid.
  bool isWritten(const Value *value);
  /// The tensor of ge.Const, onnx.Constant in any form, of ConstantOfShape with a known shape, and
  /// of an input whose default is trusted. Null for other values, and for written ones.
  TensorPtr constant(const Value *value);
  bool isConstant(const Value *value);
  /// Of a constant of integers, up to Contents::kMaxElements of them.
  std::optional<Ints> ints(const Value *value);
  /// The one number of a constant scalar, or of a splat of any shape.
  std::optional<double> scalar(const Value *value);
  /// A list that older operator sets have as attribute and newer ones as operand: false when it is
  /// given and not known; nullopt when it is not given.
  bool listOf(const Node *node, std::string_view attribute, uint32_t operand,
              std::optional<Ints> &out);
  /// The number that all elements of a constant are, zeros with one sign; at most 4096 of them are
  /// looked at.
  std::optional<double> uniform(const Value *value);
  /// Returns the only use's node, if it is in the same graph and uses the value once, and the value
  /// is not an output.
  static Node *onlyUser(const Value *value);
  /// Returns the producer, if it is this ONNX operator and may be inspected.
  static Node *producer(const Value *value, std::string_view type);

  // --- Cost ------------------------------------------------------------------------------------
  /// Which constants may be made of others; asked by afford(), and by passes that evaluate nodes.
  ConstantPolicy &policy() { return policy_; }
  /// Asks the policy for constants of an element type that are computed from others, and charges
  /// their bytes, before they are created for `node`. Returns nullopt if the policy refuses them or
  /// the pass's budget is spent; the first refusal is a remark.
  std::optional<Grant> afford(const Node *node, std::initializer_list<const Value *> from,
                              DType made, uint64_t bytes);
  /// Gives back what afford() took for constants that are not made.
  void refund(const Grant &grant, uint64_t bytes) {
    policy_.refund(grant);
    budget_->refund(bytes);
  }
  /// Of all constants that afford() lets through; 0: kLeastBytes and scaledBytes().
  void setByteBudget(uint64_t bytes) { byteBudget_ = bytes; }
  /// Called once for each node that a pass visits: ends the pass at an interrupt.
  void poll() { interrupt_.poll(); }

  // --- Being observed ---------------------------------------------------------------------------
  /// False when the requested number of rewrites has been done.
  bool mayRewrite() const { return !observer_ || observer_->mayRewrite(); }
  /// For rewrote(), before the node may be erased; empty without an observer.
  std::string nameFor(const Node *node) const;
  /// Counts a rewrite, under the pass's own name for it.
  void rewrote(std::string_view statistic, std::string_view at);

  // --- Edits -------------------------------------------------------------------------------------
  /// A node of ONNX before `before`, with types inferred; of the first result `type`, when given.
  Node *create(Node *before, std::string_view type, std::span<Value *const> operands,
               std::initializer_list<Attr> attributes = {}, const Type *resultType = nullptr);
  Node *create(Node *before, std::string_view type, std::initializer_list<Value *> operands,
               std::initializer_list<Attr> attributes = {}, const Type *resultType = nullptr) {
    return create(before, type, std::span(operands.begin(), operands.size()), attributes,
                  resultType);
  }
  /// A copy of `like` with other operands: attributes but `without`, result types and location.
  Node *createLike(Node *like, std::span<Value *const> operands,
                   std::initializer_list<Attr> attributes = {},
                   std::initializer_list<std::string_view> without = {});
  /// ge.Const; a splat that would make the file larger becomes ConstantOfShape, and before IR
  /// version 4 it is an onnx.Constant, because an initializer would be an input.
  Value *createConstant(Node *before, const TensorPtr &tensor, const Grant &grant);
  Value *createInts(Node *before, std::span<const int64_t> values); ///< i64 vector
  /// Uses, names and origins of the one result go to `value`, whose type becomes as precise; then
  /// nodes without uses are erased. False, and nothing done: `value` cannot be the output
  /// that the result is, or any of the two is written.
  bool replace(Node *node, Value *value);
  /// The same where several results go to results of `by`.
  bool replace(Node *node, Node *by);
  /// As replace, but what cannot be an output directly goes there through an Identity, into which
  /// `node` is made. False: it is one already, or any of the two is written.
  bool replaceOrIdentity(Node *node, Value *value);
  /// Moves the body's nodes to where `node` is, its operands in the place of the body's inputs, its
  /// results being the body's outputs, and erases it. Types are refined, names of results stay.
  /// Returns what was moved, in order. Only where whyNotInlined() says nothing.
  std::vector<Node *> inlineBody(Node *node, Graph *body);
  /// False: replace() would refuse, because the result is an output that `value` cannot be, its
  /// name is that of an annotation and `value` has another one, or any of the two is written.
  bool mayReplace(const Node *node, const Value *value);
  /// A value that holds something else than before gets a name of its own: the old one and that of
  /// the pass, as in `scores_fold_scale`. Nothing when it has no name, or got one from this pass.
  void renameChanged(Value *value);
  /// The same for a constant that replaces `old`, with its origins.
  void nameDerived(Value *made, const Value *old);
  /// Adds what replace() records of a node that goes, and the origins that it has.
  static void addOrigins(Node *made, const Node *from);
  /// Outputs that show the name of their value keep it when they get another one.
  static void pinOutputs(const Value *value);
  /// Erases the node if it has no uses and is removable, and then likewise its producers.
  void eraseIfDead(Node *node);

private:
  std::string changedName(std::string_view old) const;
  bool computeRemovable(const Node *node, bool pure);
  bool touchesWritten(const Node *node);
  bool anyWritten();
  bool hasWrittenResult(const Node *node);
  Graph &root_;
  Context &context_;
  PassContext &statistics_;
  RewriteObserver *observer_ = RewriteObserver::ofThread();
  Interrupt interrupt_;
  uint32_t opset_;
  bool trustsDefaults_ = false;
  uint64_t byteBudget_ = 0;
  std::optional<Budget> budget_; ///< made when it is first charged
  bool isRemarked_ = false;
  ConstantPolicy policy_{*this};
  std::optional<TypeDisputes> disputes_; ///< before the first edit; computed at first use
  struct Definition {
    OpDefRef def;
    uint32_t opset = 0;
    bool writes = false;
  };
  const Definition &lookUp(const Node *node);
  std::unordered_map<uint32_t, Definition> definitions_; ///< by operator
  std::optional<std::unordered_set<const Value *>> written_;
  const Annotations &annotations();
  std::optional<Annotations> annotations_; ///< computed at first use
};

// --- Nodes -----------------------------------------------------------------------------------

/// An operator of ONNX with that type.
bool isOnnx(const Node *node, std::string_view type);
/// It may be replaced: nothing orders it, and no attribute is unknown until a function is called.
bool isFree(const Node *node);
int64_t intAttr(const Node *node, std::string_view name, int64_t otherwise);
double floatAttr(const Node *node, std::string_view name, double otherwise);
std::string_view stringAttr(const Node *node, std::string_view name, std::string_view otherwise);
std::optional<Ints> intsAttr(const Node *node, std::string_view name);
Value *operandOf(const Node *node, uint32_t index); ///< null when absent, also past the end
bool isOutput(const Value *value);                  ///< of its graph or one inside. O(uses)
/// Empty, or why `body`, a graph of `node` or of what it calls, cannot take its place.
std::string whyNotInlined(const Node *node, const Graph *body);
/// Whether `value` can be an output of `graph` under another name without an Identity: it is made
/// there by an operator, and is not an output yet.
bool mayBeOutput(const Value *value, const Graph *graph);

// --- Types -----------------------------------------------------------------------------------

bool isRanked(const Value *value);
int64_t rankOf(const Value *value);               ///< -1: not known
std::span<const Dim> shapeOf(const Value *value); ///< of a ranked one
DType dtypeOf(const Value *value);                ///< Undefined when it is not a tensor
/// The element type that an attribute names. Undefined when it is missing.
DType dtypeAttr(const Node *node, std::string_view name);
/// Surely of one size: static, or by the same symbol.
bool sameDim(const Dim &a, const Dim &b);
bool sameShape(const Value *a, const Value *b);
bool sameShape(std::span<const Dim> a, std::span<const Dim> b);
/// Makes the type as precise as the other one, where they agree.
void refineType(Value *value, const Type *other, TypeSource source);
const Type *tensorType(Context &context, DType dtype, std::span<const int64_t> shape);

// --- Cost ------------------------------------------------------------------------------------

/// Bytes that the constants of a graph take in memory or in their files; each once. O(nodes).
uint64_t constantBytes(Graph &root);
/// What passes may make of constants, beside the model's own: 64 MiB, and twice what those take.
constexpr uint64_t kLeastBytes = 64 << 20;
uint64_t scaledBytes(Graph &root); ///< the second
/// How passes describe their option `bytes`.
PassOption bytesOption();
/// Counts the refusal; `isRemarked`: the first one is remarked, too.
void remarkRefusal(PassContext &context, const Node *node, const Refusal &refusal,
                   bool &isRemarked);

// --- Passes ----------------------------------------------------------------------------------

/// All graphs inside, outer ones first.
std::vector<Graph *> allGraphs(Graph &root);
/// Error(Verify): passes look along edges, and would go round for ever.
void refuseCycles(Graph &root);

/// A pass that looks at one node after another, until no look changes anything. Each rule returns
/// true when it edited.
using Rule = bool (*)(PassEditor &, Node *);
struct RuleRow {
  std::string_view op; ///< of ONNX; empty: any
  Rule rule;
  Exactness exactness = Exactness::Exact;
  /// What it is called in a pass whose other rows are of a stricter class.
  std::string_view what = {};
};
/// Its class is that of the strictest row. Where not all rows are exact it has an option
/// `exactness`: the class of the rows that it may use, which is reassociating when it is not given.
PassInfo rulePass(std::string_view name, std::string_view doc, std::span<const RuleRow> rows);
/// With option `bytes`, of rules that ask PassEditor::afford().
PassInfo chargedRulePass(std::string_view name, std::string_view doc,
                         std::span<const RuleRow> rows);

/// How passes describe their option `exactness`.
PassOption exactnessOption();

/// A pass without options from a function, which is exact.
PassInfo functionPass(std::string_view name, std::string_view doc, void (*run)(PassEditor &));

} // namespace ge::builtin

#endif // GE_LIB_PASSES_BUILTIN_PASSEDITOR_H
