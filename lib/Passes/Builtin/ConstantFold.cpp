//===- ConstantFold.cpp - constant-fold: what can be computed now -----------------------------===//
//
// Not the matcher: any operator with constant operands is folded, in no particular shape.
//
#include "Builtin.h"
#include "Deferred.h"
#include "Evaluate.h"
#include "KnownContents.h"
#include "Weights.h"

#include "ge/IR/FloatFormat.h"
#include "ge/IR/TensorBytes.h"
#include "ge/Ops/Eval/CallSignature.h"
#include "ge/Ops/Eval/Evaluator.h"
#include "ge/Ops/Infer/Branches.h"
#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Ops/Infer/NodeCall.h"
#include "ge/Ops/Infer/OperatorInferrers.h"
#include "ge/Ops/Infer/VerifyOps.h"
#include "ge/Support/Budget.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

namespace ge::builtin {

namespace {

/// Whole numbers as a tensor of that element type; null when it holds others.
TensorPtr tensorOf(Context &context, DType dtype, const Contents &contents) {
  bool fits = dtype == DType::Bool || (isInteger(dtype) && info(dtype).bits >= 8);
  std::optional<Ints> numbers = fits ? contents.ints() : std::nullopt;
  if (!numbers)
    return {};
  const Type *type = tensorType(context, dtype, contents.shape);
  if (type->numElements() != int64_t(numbers->size()))
    return {};
  size_t width = info(dtype).bits / 8;
  std::vector<char> bytes(numbers->size() * width);
  for (size_t i = 0; i != numbers->size(); ++i)
    std::memcpy(&bytes[i * width], &(*numbers)[i], width);
  return TensorPtr::adopt(Tensor::copy(type, bytes.data(), bytes.size()));
}

/// Calls that the evaluator could not evaluate, so that they are not tried again in each round.
class Refusals {
public:
  /// Another evaluator may support them. Held, so that its address is not reused by another one.
  void setEvaluator(const std::shared_ptr<Evaluator> &evaluator) {
    if (evaluator_ == evaluator)
      return;
    evaluator_ = evaluator;
    byHash_.clear();
  }
  bool has(const EvalCall &call) const {
    if (byHash_.empty()) // the usual case, which needs no hash
      return false;
    auto found = byHash_.find(hashOf(call));
    return found != byHash_.end() &&
           std::ranges::any_of(found->second, [&](const Refused &one) { return one.is(call); });
  }
  void add(const EvalCall &call) { byHash_[hashOf(call)].emplace_back(call); }

private:
  /// Holds the operands that it compares, by contents: a Constant with value_ints creates a new
  /// tensor each time.
  struct Refused {
    explicit Refused(const EvalCall &call)
        : context(call.context), op(call.op), opset(call.opset),
          operands(call.operands.begin(), call.operands.end()), attributes(call.attributes) {}
    bool is(const EvalCall &call) const {
      return context.get() == call.context && op == call.op && opset == call.opset &&
             std::ranges::equal(operands, call.operands, isSame, &TensorPtr::get) &&
             attributes == call.attributes;
    }
    static bool isSame(const Tensor *a, const Tensor *b) {
      return a == b || (a && b && a->equals(*b));
    }
    ContextPtr context;
    const OperatorName *op;
    uint32_t opset;
    std::vector<TensorPtr> operands;
    HeldAttributes attributes;
  };
  static uint64_t hashOf(const EvalCall &call) {
    uint64_t hash = hashCombine(call.op->hash(), call.opset);
    for (const Tensor *operand : call.operands)
      hash = hashCombine(hash, operand ? operand->hash() : 0);
    return HeldAttributes::hash(hash, call.attributes);
  }
  std::shared_ptr<Evaluator> evaluator_;
  std::unordered_map<uint64_t, std::vector<Refused>> byHash_;
};

/// Signatures of calls that were checked against definition and inference with a result that does
/// not depend on the constants; the same call often occurs many times in a chain.
class SoundCalls {
public:
  bool has(const EvalCall &call) const {
    auto found = byHash_.find(CallSignature::hash(call));
    return found != byHash_.end() && found->second == call;
  }
  void add(const EvalCall &call) {
    byHash_.insert_or_assign(CallSignature::hash(call), CallSignature(call));
  }

private:
  std::unordered_map<uint64_t, CallSignature> byHash_;
};

/// What executions of the pass in one run share.
struct FoldState {
  bool isExact;   ///< leave operators that runtimes would sum in another order
  uint64_t limit; ///< bytes by which one tensor may enlarge the file
  Budget budget;
  bool scales;        ///< the budget grows with the constants of each graph
  bool asksEvaluator; ///< false: only native functions compute
  bool isRemarked = false;
  std::unordered_set<const Graph *> seen = {};
  std::unordered_set<std::string> failedKernels = {};
  Refusals refusals = {};
  std::unordered_set<std::string> remarks = {}; ///< messages of evaluators, once each
};

class Folder {
public:
  Folder(PassEditor &rewriter, FoldState &state)
      : rewriter_(rewriter), limit_(state.limit), state_(state), refusals_(state.refusals),
        known_(rewriter), evaluator_(state.asksEvaluator ? evaluator() : nullptr),
        kernels_(state.asksEvaluator ? newKernelEvaluator() : nullptr) {
    refusals_.setEvaluator(evaluator_);
    if (state_.scales && state_.seen.insert(&rewriter.root()).second)
      state_.budget.raise(scaledBytes(rewriter.root()));
  }

  void run(Graph &graph) {
    std::vector<Node *> order;
    graph.topologicalOrder(order);
    // Folding erases no node that comes later in the list.
    for (Node *node : order) {
      rewriter_.poll();
      known_.visit(node);
      if (fold(node) || inlineBranch(node))
        continue;
      for (size_t i = 0; i < node->subgraphs().size(); ++i)
        run(*node->subgraphs()[i]);
    }
  }

private:
  bool fold(Node *node) {
    bool isFolded = isFree(node) && node->numResults() != 0 && node->subgraphs().empty() &&
                    rewriter_.isPure(node) && !isHeld(node) && rewriter_.mayRewrite() &&
                    (fromContents(node) || fromConstants(node));
    if (!isFolded)
      placeOperands(node);
    return isFolded || becomesWeight(node);
  }

  /// An onnx.Constant is a node that runtimes execute, while an initializer is not. Before IR
  /// version 4 an initializer would be an input.
  bool becomesWeight(Node *node) {
    constexpr std::string_view kForms[] = {"value", "value_float", "value_floats", "value_int",
                                           "value_ints"};
    if (!isOnnx(node, "Constant") || rewriter_.trustsDefaults() || !isFree(node) ||
        node->attributes().size() == 0 || !rewriter_.mayRewrite() ||
        std::ranges::none_of(kForms, [&](auto form) { return bool(node->attribute(form)); }))
      return false;
    std::vector<TensorPtr> results{rewriter_.constant(node->result(0))};
    return results[0] && !results[0]->isString() && node->hasUses() && replace(node, results);
  }

  /// Folding would change the rounding of its results, or of the products whose weights they
  /// become.
  bool isRounded(const Node *node) const {
    bool isSum = sumsByWeights(node) && hasFloatFormat(dtypeOf(node->result(0)));
    return state_.isExact && (isSum || makesWeights(node));
  }

  /// Already a constant, in its cheapest form.
  bool isHeld(const Node *node) {
    if (isOnnx(node, "Constant") || node->op()->str() == "ge.Const")
      return true;
    TensorPtr filled =
        isOnnx(node, "ConstantOfShape") ? rewriter_.constant(node->result(0)) : TensorPtr();
    return filled && filled->denseSize() > 1024;
  }

  bool fromContents(Node *node) {
    std::vector<TensorPtr> results(node->numResults());
    uint64_t bytes = 0;
    for (uint32_t i = 0; i != node->numResults(); ++i) {
      Value *result = node->result(i);
      if (!result->hasUses())
        continue;
      const Contents *contents = known_.contents(result);
      results[i] =
          contents ? tensorOf(rewriter_.context(), dtypeOf(result), *contents) : TensorPtr();
      if (!results[i])
        return false;
      bytes += results[i]->bytes().size();
    }
    return node->hasUses() && agrees(node) && charge(node, bytes) &&
           replaceOrRefund(node, results, bytes);
  }

  bool fromConstants(Node *node) {
    std::vector<TensorPtr> operands;             // null also for a deferred operand
    bool isShapeLike = isOnnx(node, "CastLike"); // only the type of the second operand is used
    uint64_t freed = 0, deferred = 0;
    for (uint32_t i = 0; i != node->numOperands(); ++i) {
      Value *operand = node->operand(i);
      operands.emplace_back();
      if (!operand || (isShapeLike && i == 1))
        continue;
      if (const DeferredConstant *constant = deferred_.find(operand)) {
        freed += sizeOf(constant->type);
        deferred += constant->charged;
        continue;
      }
      operands.back() = rewriter_.constant(operand);
      if (!operands.back())
        return false;
      if (PassEditor::onlyUser(operand) == node && !operands.back()->isSplat())
        freed += operands.back()->denseSize();
    }
    if (operands.empty() || !isAffordable(node, operands, freed) || isRounded(node) ||
        (nativeInference(*node->op()) && !agrees(node)))
      return false;
    if (isOnnx(node, "ConstantOfShape")) {
      std::vector<TensorPtr> results{rewriter_.constant(node->result(0))};
      return results[0] && replace(node, results);
    }
    if (deferred != 0 && joinDeferred(node, operands, deferred))
      return true;
    for (uint32_t i = 0; i != node->numOperands(); ++i)
      if (DeferredConstant *constant = deferred_.find(node->operand(i)))
        operands[i] = constant->tensor();
    uint64_t bytes = keepsUniform(node, operands) ? 0 : resultBytes(node);
    if (!charge(node, bytes))
      return false;
    std::vector<TensorPtr> results(node->numResults());
    EvaluateFunction native = evaluateLayout(node);
    if (!native)
      native = evaluateArithmetic(node);
    bool isEvaluated = (native && native(node, operands, results)) ||
                       (mayBeComputed(node) && callEvaluator(node, operands, results));
    if (!isEvaluated)
      state_.budget.refund(bytes);
    return isEvaluated && (defer(node, results, bytes) || replaceOrRefund(node, results, bytes));
  }

  /// Bytes of all elements of a type with a static shape.
  static uint64_t sizeOf(const Type *type) {
    return multiplySaturated(uint64_t(type->numElements()), (info(type->dtype()).bits + 7u) / 8);
  }
  /// Of an affordable node.
  static uint64_t resultBytes(const Node *node) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i != node->numResults(); ++i)
      if (const Value *result = node->result(i); result->hasUses())
        bytes = addSaturated(bytes, sizeOf(result->type()));
    return bytes;
  }

  /// Returns false if the budget is spent, with a remark for the first such node.
  bool charge(const Node *node, uint64_t bytes) {
    Refusal refusal = state_.budget.charge(bytes);
    if (!refusal)
      return true;
    remarkRefusal(rewriter_.statistics(), node, refusal, state_.isRemarked);
    return false;
  }

  /// Computes nothing that is too large to keep or has an unknown size.
  bool isAffordable(const Node *node, std::span<const TensorPtr> operands, uint64_t freed) const {
    for (uint32_t i = 0; i != node->numResults(); ++i) {
      const Value *result = node->result(i);
      if (!result->hasUses())
        continue;
      const Type *type = result->type();
      if (!type->isTensor() || type->numElements() < 0 || type->dtype() == DType::String)
        return false;
      unsigned bytes = (info(type->dtype()).bits + 7u) / 8;
      uint64_t size;
      if (bytes == 0 || __builtin_mul_overflow(uint64_t(type->numElements()), bytes, &size))
        return false;
      if (size > freed && size - freed > limit_ && !keepsUniform(node, operands))
        return false;
    }
    return true;
  }

  //===--- Deferred constants -------------------------------------------------------------------===//

  /// Its only user is a candidate and is visited next, and the constant is large: type inference
  /// reads the elements of small ones.
  bool mayDefer(const Node *node) {
    if (node->numResults() != 1)
      return false;
    const Value *result = node->result(0);
    const Node *user = PassEditor::onlyUser(result);
    return user && result->type()->numElements() > Contents::kMaxElements &&
           user->subgraphs().empty() && isFree(user) && rewriter_.isPure(user);
  }
  bool defer(Node *node, const std::vector<TensorPtr> &results, uint64_t bytes) {
    if (results[0]->isSplat() || !mayDefer(node) ||
        !meetTypes(node->result(0)->type(), results[0]->type()))
      return false;
    consumeOperands(node);
    addDeferred(node, {results[0]->type(), 0, {results[0]}, bytes});
    return true;
  }
  void addDeferred(Node *node, DeferredConstant constant) {
    deferred_.add(node->result(0), std::move(constant));
    rewriter_.rewrote("folded", rewriter_.nameFor(node));
  }
  /// A Concat of deferred constants is extended; nothing is copied until it is used.
  bool joinDeferred(Node *node, std::span<const TensorPtr> constants, uint64_t charged) {
    std::vector<const Type *> types;
    std::vector<Value *> operands;
    for (uint32_t i = 0; isOnnx(node, "Concat") && i != node->numOperands(); ++i) {
      const DeferredConstant *deferred = deferred_.find(node->operand(i));
      types.push_back(deferred ? deferred->type : constants[i] ? constants[i]->type() : nullptr);
      operands.push_back(node->operand(i));
    }
    std::optional<size_t> axis = concatAxis(node, types);
    if (!axis || !mayDefer(node))
      return false;
    const Type *type = node->result(0)->type();
    uint64_t bytes = sizeOf(type), more = bytes > charged ? bytes - charged : 0;
    if (!charge(node, more))
      return false;
    DeferredConstant joined = deferred_.join(type, *axis, operands, constants);
    joined.charged += more;
    addDeferred(node, std::move(joined));
    return true;
  }
  /// The node has its result: frees the operands that only it used.
  void consumeOperands(const Node *node) {
    for (uint32_t i = 0; !deferred_.isEmpty() && i != node->numOperands(); ++i)
      if (Value *operand = node->operand(i))
        if (std::optional<DeferredConstant> taken = deferred_.take(operand))
          state_.budget.refund(taken->charged);
  }
  /// The node is kept: creates constants for its deferred operands.
  void placeOperands(Node *node) {
    for (uint32_t i = 0; !deferred_.isEmpty() && i != node->numOperands(); ++i)
      if (Value *operand = node->operand(i))
        if (std::optional<DeferredConstant> taken = deferred_.take(operand))
          put(operand->node(), {taken->tensor()});
  }

  /// Returns whether a kernel in C evaluates the node: there is one, and the evaluator does not
  /// prefer its own implementation.
  bool hasKernel(const Node *node) {
    const OpDef *def = kernels_ ? rewriter_.definition(node) : nullptr;
    return def && kernels_->has(*def) && !(evaluator_ && evaluator_->prefers(*node->op()));
  }
  bool mayBeComputed(const Node *node) { return evaluator_ || hasKernel(node); }

  bool callEvaluator(Node *node, std::span<const TensorPtr> operands,
                     std::vector<TensorPtr> &results) {
    // A result that is not a splat would need all elements of a splat operand written out.
    for (uint32_t i = 0; i != node->numResults(); ++i)
      if (node->result(i)->type()->isTensor() &&
          uint64_t(node->result(i)->type()->numElements()) > limit_)
        return false;
    std::vector<const Tensor *> plain;
    for (const TensorPtr &operand : operands) {
      if (operand && operand->isSplat() && operand->denseSize() > limit_)
        return false;
      plain.push_back(operand.get());
    }
    if (isOnnx(node, "CastLike"))
      return false;
    // Values that do not fit the type are undefined: a runtime computes different numbers in
    // different models.
    if (isOnnx(node, "Cast") && operands[0] && isFloat(operands[0]->type()->dtype()) &&
        isInteger(node->result(0)->type()->dtype()))
      return false;
    std::vector<NamedAttribute> attributes;
    for (uint32_t i = 0; i != node->attributes().size(); ++i) {
      const Identifier *name = rewriter_.context().identifierAt(node->attributes().nameIdAt(i));
      if (!name->str().starts_with("onnx."))
        attributes.push_back({name, node->attributes().at(i)});
    }
    EvalCall call;
    call.context = &rewriter_.context();
    call.op = node->op();
    call.def = rewriter_.definition(node);
    call.opset = opsetOf(&rewriter_.root(), node->op()->domain());
    call.operands = plain;
    call.attributes = attributes;
    std::vector<const Type *> types;
    for (uint32_t i = 0; i != node->numResults(); ++i)
      types.push_back(node->result(i)->hasUses() ? node->result(i)->type() : nullptr);
    call.resultTypes = types;
    if (refusals_.has(call))
      return false;
    bool isAllowed = sound_.has(call);
    if (!isAllowed) {
      if (!isSound(node))
        return false;
      // Runs after the cheap refusals, because it calls foreign inferrers, which may take long.
      AnswerWatch watch;
      isAllowed = nativeInference(*node->op()) || agrees(node);
      bool hasHook = call.def && call.def->hooks().infer.load(std::memory_order_acquire);
      if (isAllowed && watch.isByTypes() && !hasHook)
        sound_.add(call);
    }
    if (isAllowed && askEvaluator(node, call, results))
      return true;
    for (const Tensor *operand : plain)
      if (operand)
        checkFile(*operand); // missing data is an error, not a refusal
    refusals_.add(call);
    return false;
  }
  /// Returns whether the node fits its operator's definition; else a remark gives the reason.
  /// Runtimes crash on nodes that do not, and on nodes that inference rejects.
  bool isSound(const Node *node) {
    std::string fault = definitionFault(node);
    if (fault.empty())
      return true;
    std::string name;
    node->appendName(name);
    remarkAnswer(fault, name);
    return false;
  }

  /// Returns whether inference accepts the call and the declared result types: declared types may
  /// be stale, and results of their sizes would be wrong.
  bool agrees(const Node *node) {
    std::vector<const Type *> results(node->numResults());
    NodeCall call(node, rewriter_.definition(node), rewriter_.opsetFor(node));
    try {
      if (infer(call.args, results).status == InferStatus::Failed)
        return false;
    } catch (const Error &) {
      // Other exceptions of an inferrer are interrupts, or defects of the program.
      rewriter_.statistics().setFatal();
      throw;
    }
    for (uint32_t i = 0; i != node->numResults(); ++i) {
      const Value *result = node->result(i);
      if (results[i] && result->hasUses() && !meetTypes(result->type(), results[i])) {
        std::string name;
        node->appendName(name);
        remarkAnswer(cat("result ", i, " of ", node->describe(), " is declared as ",
                         shortType(result->type()), ", but inferred as ", shortType(results[i])),
                     name);
        return false;
      }
    }
    return true;
  }
  bool askEvaluator(const Node *node, EvalCall &call, std::vector<TensorPtr> &results) {
    std::string name;
    node->appendName(name);
    call.nodeName = name;
    try {
      return (hasKernel(node) && kernels_->evaluate(call, results)) ||
             (evaluator_ && evaluator_->evaluate(call, results));
    } catch (const Error &error) {
      if (error.kind() != ErrorKind::Verify) {
        // Not a failure after which the run could continue, for example an interrupt.
        rewriter_.statistics().setFatal();
        throw;
      }
      if (isNews(error.message()))
        remarkAnswer(error.what(), name);
      return false;
    }
  }
  /// A message without the node's name may apply to thousands of nodes; that of a kernel has the
  /// kernel's location.
  void remarkAnswer(std::string_view text, const std::string &node) {
    if (!state_.remarks.emplace(text).second)
      return;
    bool isNamed = node.empty() || text.find(": kernel ") != text.npos ||
                   text.find(cat("'", node, "'")) != text.npos;
    Diagnostic remark;
    remark.severity = Severity::Warning;
    remark.message =
        isNamed ? cat(text, "; the node stays") : cat(text, "; the node '", node, "' stays");
    rewriter_.statistics().remark(std::move(remark));
  }

  /// A kernel's failure is reported once in a run, for all nodes. The message is "acme::scale:
  /// kernel cpu (ext.py:12) raised ..."; other messages are always reported.
  bool isNews(const std::string &message) {
    size_t kernel = message.find(": kernel ");
    size_t place = kernel == std::string::npos ? kernel : message.find(") ", kernel);
    return place == std::string::npos ||
           state_.failedKernels.insert(message.substr(0, place)).second;
  }

  bool replaceOrRefund(Node *node, const std::vector<TensorPtr> &results, uint64_t bytes) {
    if (replace(node, results))
      return true;
    state_.budget.refund(bytes);
    return false;
  }

  bool replace(Node *node, const std::vector<TensorPtr> &results) {
    for (uint32_t i = 0; i != node->numResults(); ++i) {
      Value *result = node->result(i);
      // An output cannot be a constant: ONNX would have its name twice.
      if (result->hasUses() &&
          (!results[i] || isOutput(result) || !meetTypes(result->type(), results[i]->type())))
        return false;
    }
    consumeOperands(node);
    std::string name = rewriter_.nameFor(node);
    put(node, results);
    rewriter_.rewrote("folded", name);
    return true;
  }
  void put(Node *node, const std::vector<TensorPtr> &results) {
    std::vector<Value *> values(node->numResults());
    for (uint32_t i = 0; i != node->numResults(); ++i)
      if (node->result(i)->hasUses())
        values[i] = rewriter_.createConstant(node, results[i]);
    std::vector<Node *> sources;
    std::unordered_set<const Node *> seen;
    for (uint32_t i = 0; i != node->numOperands(); ++i)
      if (Value *operand = node->operand(i); operand && seen.insert(operand->node()).second)
        sources.push_back(operand->node());
    Mutation::replace(node, values);
    for (Node *source : sources)
      rewriter_.eraseIfDead(source);
  }

  /// Replaces an If with a constant condition by the branch that it takes.
  bool inlineBranch(Node *node) {
    if (!isOnnx(node, "If") || !isFree(node) || !operandOf(node, 0) || !rewriter_.mayRewrite())
      return false;
    std::string_view wanted = takenBranch(known_.contents(node->operand(0)));
    if (wanted.empty())
      return false;
    auto branch = std::ranges::find(node->subgraphs(), wanted, &Graph::slot);
    if (branch == node->subgraphs().end() || (*branch)->numInputs() != 0 ||
        !whyNotInlined(node, *branch).empty())
      return false;
    std::string name = rewriter_.nameFor(node);
    std::vector<Node *> moved = rewriter_.inlineBody(node, *branch);
    rewriter_.rewrote("inlined", name);
    for (Node *each : moved) {
      rewriter_.poll();
      known_.visit(each);
      if (!fold(each) && !inlineBranch(each))
        for (size_t i = 0; i < each->subgraphs().size(); ++i)
          run(*each->subgraphs()[i]);
    }
    return true;
  }

  PassEditor &rewriter_;
  uint64_t limit_;
  FoldState &state_;
  Refusals &refusals_;
  KnownContents known_;
  DeferredConstants deferred_;
  SoundCalls sound_;
  std::shared_ptr<Evaluator> evaluator_;
  std::unique_ptr<KernelEvaluator> kernels_;
};

class ConstantFold final : public Pass {
public:
  ConstantFold(bool isExact, uint64_t limit, uint64_t bytes, bool asksEvaluator)
      : state_{isExact, limit, Budget(bytes ? bytes : kLeastBytes), bytes == 0, asksEvaluator} {}
  std::string_view name() const override { return "constant-fold"; }
  using Pass::run;
  void run(Graph &root, PassContext &context) override {
    refuseCycles(root);
    PassEditor rewriter(root, context);
    Folder(rewriter, state_).run(root);
  }

private:
  FoldState state_;
};

} // namespace

void registerConstantFold(PassRegistry &registry) {
  PassInfo info{
      "constant-fold",
      "Evaluates nodes that depend on constants and known shapes only, natively, by kernels in C "
      "or with the installed evaluator; replaces If with a constant condition by its branch, and "
      "onnx.Constant by a weight. Not: random operators, outputs, results that make the file "
      "larger "
      "by more than the limit.",
      {{"limit", "1048576", "bytes by which one folded tensor may make the file larger"},
       bytesOption(),
       {"evaluator", "true", "false: computes with native functions only"},
       exactnessOption()},
      [](const PassOptions &options) {
        Exactness allowed = options.exactness("exactness", Exactness::Reassociating);
        return std::make_unique<ConstantFold>(
            allowed == Exactness::Exact, options.size("limit", 1048576), options.size("bytes", 0),
            options.flag("evaluator", true));
      }};
  info.exactness = Exactness::Exact;
  info.rewrites = {{"MatMul, Gemm, Conv, ConvTranspose and recurrent operators, and what makes "
                    "their weights",
                    Exactness::Reassociating}};
  info.isReused = true; // keeps the failures of the evaluator between executions
  registry.add(std::move(info));
}

} // namespace ge::builtin
