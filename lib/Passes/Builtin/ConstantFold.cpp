//===- ConstantFold.cpp - constant-fold: what can be computed now -----------------------------===//
//
// Not the matcher: any operator with constant operands is folded, in no particular shape.
//
#include "Builtin.h"
#include "Deferred.h"
#include "FoldCalls.h"
#include "Functions.h"
#include "KnownContents.h"
#include "NarrowFloats.h"
#include "Weights.h"

#include "ge/IR/FloatFormat.h"
#include "ge/IR/Module.h"
#include "ge/IR/TensorBytes.h"
#include "ge/Ops/Eval/Evaluator.h"
#include "ge/Ops/Eval/TensorEvaluation.h"
#include "ge/Ops/Infer/Branches.h"
#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Ops/Infer/NodeCall.h"
#include "ge/Ops/Infer/OperatorInferrers.h"
#include "ge/Ops/Infer/VerifyOps.h"
#include "ge/Ops/Registry/RegisteredKernels.h"
#include "ge/Ops/Registry/Registry.h"
#include "ge/Run/Call/KernelCalls.h"
#include "ge/Support/Budget.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

namespace ge::builtin {

namespace {

/// What executions of the pass in one run share.
struct FoldState {
  bool isExact;   ///< leave operators that runtimes would sum in another order
  uint64_t limit; ///< bytes by which one tensor may enlarge the file
  Budget budget;
  bool scales;        ///< the budget grows with the constants of each graph
  bool asksEvaluator; ///< false: only native functions compute
  bool isRemarked = false;
  std::unordered_set<const Graph *> seen = {};
  std::unordered_set<uint32_t> failedKernels = {}; ///< ids of operators
  Refusals refusals = {};
  std::unordered_set<std::string> remarks = {}; ///< messages of evaluators, once each
  bool foldsQuantized = false;
  uint64_t growth = 5;             ///< percent
  std::vector<Graph *> roots = {}; ///< all graphs of the execution
};

class Folder {
public:
  Folder(PassEditor &rewriter, FoldState &state)
      : rewriter_(rewriter), limit_(state.limit), state_(state), refusals_(state.refusals),
        known_(rewriter), evaluator_(state.asksEvaluator ? evaluator() : nullptr),
        kernels_(state.asksEvaluator ? std::make_optional<KernelCalls>() : std::nullopt) {
    refusals_.setEvaluator(evaluator_);
    ConstantPolicy &policy = rewriter.policy();
    if (state.foldsQuantized)
      policy.foldQuantized();
    policy.setGrowth(state.growth);
    policy.setModel(state.roots);
    policy.setForecast([this] { return forecast(); });
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
                    (fromContents(node) || fromConstants(node) || fromWider(node));
    if (!isFolded)
      placeOperands(node);
    return isFolded || becomesWeight(node);
  }

  /// An onnx.Constant is a node that runtimes execute, while an initializer is not. Before IR
  /// version 4 an initializer would be an input, and a function has none.
  bool becomesWeight(Node *node) {
    constexpr std::string_view kForms[] = {"value", "value_float", "value_floats", "value_int",
                                           "value_ints"};
    if (!isOnnx(node, "Constant") || rewriter_.trustsDefaults() || isFunction(rewriter_.root()) ||
        !isFree(node) || node->attributes().size() == 0 || !rewriter_.mayRewrite() ||
        std::ranges::none_of(kForms, [&](auto form) { return bool(node->attribute(form)); }))
      return false;
    std::vector<TensorPtr> results{rewriter_.constant(node->result(0))};
    return results[0] && !results[0]->isString() && node->hasUses() &&
           replace(node, results, ConstantPolicy::sameContents());
  }

  /// A registered kernel computes the operator, not GE's own functions.
  static bool isOverridden(const Node *node) { return hasHostKernel(*node->op()); }

  bool isRounded(const Node *node) const {
    return (state_.isExact && roundsByWeights(node)) || roundsOtherwise(node, state_.isExact);
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
    std::optional<Grant> grant;
    if (node->hasUses() && agrees(node))
      grant = rewriter_.policy().evaluate(node, freedBy(node));
    if (!grant)
      return false;
    if (charge(node, bytes) && replaceOrRefund(node, results, bytes, *grant))
      return true;
    rewriter_.policy().refund(*grant);
    return false;
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
    bool isOwn = !isOverridden(node);
    if (isOwn && isOnnx(node, "ConstantOfShape")) {
      std::vector<TensorPtr> results{rewriter_.constant(node->result(0))};
      return results[0] && replace(node, results, ConstantPolicy::sameContents());
    }
    if (isOwn && deferred != 0 && joinDeferred(node, operands, deferred))
      return true;
    for (uint32_t i = 0; i != node->numOperands(); ++i)
      if (DeferredConstant *constant = deferred_.find(node->operand(i)))
        operands[i] = constant->tensor();
    bool isUniform = keepsUniform(node, operands);
    std::optional<Grant> grant = rewriter_.policy().evaluate(node, isUniform ? UINT64_MAX : freed);
    uint64_t bytes = isUniform ? 0 : resultBytes(node);
    if (!grant)
      return false;
    std::vector<TensorPtr> results(node->numResults());
    if (charge(node, bytes)) {
      if (!evaluate(node, operands, results))
        state_.budget.refund(bytes);
      else if (defer(node, results, bytes) || replaceOrRefund(node, results, bytes, *grant))
        return true;
    }
    rewriter_.policy().refund(*grant);
    return false;
  }

  bool evaluate(Node *node, std::span<const TensorPtr> operands, std::vector<TensorPtr> &results) {
    bool isOwn = !isOverridden(node);
    EvaluateFunction native = isOwn ? nativeEvaluation(node) : nullptr;
    return (native && native(node, operands, results)) ||
           (mayBeComputed(node) && callEvaluator(node, operands, results));
  }

  /// A quantised value that is computed from constants through wider values, which only it needs:
  /// they are computed, and not kept.
  bool fromWider(Node *node) {
    std::vector<Node *> cone;
    if (!isQuantized(dtypeOf(node->result(0))) || isHeld(node) || !collectCone(node, cone) ||
        cone.size() < 2 || resultBytes(node) > std::max<uint64_t>(freedByCone(cone), 16))
      return false;
    std::unordered_map<const Value *, TensorPtr> known;
    uint64_t charged = 0, kept = resultBytes(node);
    bool isEvaluated =
        std::ranges::all_of(cone, [&](Node *each) { return evaluateInCone(each, known, charged); });
    isEvaluated =
        isEvaluated && replace(node, {known[node->result(0)]}, ConstantPolicy::sameContents());
    state_.budget.refund(isEvaluated ? charged - kept : charged);
    return isEvaluated;
  }
  /// Appends the nodes between the constants and the last one, in topological order. Returns false
  /// if one of them cannot be evaluated.
  bool collectCone(Node *node, std::vector<Node *> &cone) {
    constexpr size_t kMost = 64;
    if (cone.size() == kMost || !node->isListed() || !isFree(node) || node->numOperands() == 0 ||
        node->numResults() != 1 || !node->subgraphs().empty() || !rewriter_.isPure(node))
      return false;
    for (uint32_t i = 0; i != node->numOperands(); ++i)
      if (Value *operand = node->operand(i);
          operand && !rewriter_.isConstant(operand) &&
          std::ranges::find(cone, operand->node()) == cone.end() &&
          (deferred_.find(operand) || !collectCone(operand->node(), cone)))
        return false;
    cone.push_back(node);
    return true;
  }
  /// Bytes of the constants that nothing but the cone needs; 0 if something needs a value inside.
  uint64_t freedByCone(std::span<Node *const> cone) {
    auto isInside = [&](const Value *value) {
      for (const Use *use = value->firstUse(); use; use = use->next())
        if (std::ranges::find(cone, use->owner()) == cone.end())
          return false;
      return true;
    };
    uint64_t freed = 0;
    std::unordered_set<const Value *> seen;
    for (const Node *node : cone)
      for (uint32_t i = 0; i != node->numOperands(); ++i) {
        const Value *operand = node->operand(i);
        if (!operand || !seen.insert(operand).second)
          continue;
        TensorPtr tensor = rewriter_.constant(operand);
        bool isOwn = isInside(operand);
        if (!tensor && !isOwn)
          return 0;
        if (tensor && isOwn && !tensor->isSplat())
          freed = addSaturated(freed, tensor->denseSize());
      }
    return freed;
  }
  bool evaluateInCone(Node *node, std::unordered_map<const Value *, TensorPtr> &known,
                      uint64_t &charged) {
    std::vector<TensorPtr> operands;
    for (uint32_t i = 0; i != node->numOperands(); ++i) {
      Value *operand = node->operand(i);
      auto found = known.find(operand);
      operands.push_back(!operand               ? TensorPtr()
                         : found != known.end() ? found->second
                                                : rewriter_.constant(operand));
    }
    if (!isAffordable(node, operands, UINT64_MAX) || isRounded(node) ||
        (nativeInference(*node->op()) && !agrees(node)))
      return false;
    uint64_t bytes = resultBytes(node);
    if (!charge(node, bytes))
      return false;
    charged += bytes;
    std::vector<TensorPtr> results(node->numResults());
    if (!evaluate(node, operands, results) ||
        !meetTypes(node->result(0)->type(), results[0]->type()))
      return false;
    known[node->result(0)] = results[0];
    return true;
  }

  //===--- Growth ---------------------------------------------------------------------------------===//

  /// Bytes of constant operands that nothing else needs, but splats.
  uint64_t freedBy(const Node *node) {
    uint64_t freed = 0;
    for (uint32_t i = 0; i != node->numOperands(); ++i)
      if (const Value *operand = node->operand(i); operand && PassEditor::onlyUser(operand) == node)
        if (TensorPtr tensor = rewriter_.constant(operand); tensor && !tensor->isSplat())
          freed = addSaturated(freed, tensor->denseSize());
    return freed;
  }

  /// Bytes of all wider constants that could be made in the model.
  uint64_t forecast() {
    uint64_t bytes = 0;
    for (Graph *root : state_.roots) {
      std::optional<PassEditor> other;
      if (root != &rewriter_.root()) {
        other.emplace(*root, rewriter_.statistics());
        if (state_.foldsQuantized)
          other->policy().foldQuantized();
      }
      PassEditor &editor = other ? *other : rewriter_;
      bytes = addSaturated(bytes, wideningForecast(editor, state_.isExact, limit_));
    }
    return bytes;
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
          put(operand->node(), {taken->tensor()}, ConstantPolicy::sameContents());
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
    bool isOwn = !isOverridden(node);
    if (isOwn && isOnnx(node, "CastLike"))
      return false;
    // Values that do not fit the type are undefined: a runtime computes different numbers in
    // different models.
    if (isOwn && isOnnx(node, "Cast") && operands[0] && isFloat(operands[0]->type()->dtype()) &&
        isInteger(node->result(0)->type()->dtype()))
      return false;
    // Runtimes disagree about numbers beside the largest one of an 8-bit float, unless they
    // saturate.
    if (isOwn && (isOnnx(node, "Cast") || isOnnx(node, "QuantizeLinear")) &&
        intAttr(node, "saturate", 1) == 0)
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
    call.operandSegments = node->operandSegments();
    call.resultSegments = node->resultSegments();
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
      // A kernel's failure has its location, and is reported once in a run, for all nodes.
      if (!isComputedByKernel(node))
        remarkAnswer(error.what(), name);
      else if (state_.failedKernels.insert(node->opId()).second)
        remarkAnswer(error.what(), {});
      return false;
    }
  }
  /// Whether the operator has a kernel, in whatever language: the evaluator may be what calls it.
  bool isComputedByKernel(const Node *node) {
    const OpDef *def = rewriter_.definition(node);
    if (!def)
      return false;
    const std::string name = def->qualifiedName();
    return Registry::global().findKernel(name, "cpu") || Registry::global().findKernel(name, "any");
  }
  /// Each message once: it may apply to thousands of nodes. `node`, unless empty, is the name of
  /// the first, which is added where the message lacks it.
  void remarkAnswer(std::string_view text, const std::string &node) {
    if (!state_.remarks.emplace(text).second)
      return;
    const bool isNamed = node.empty() || text.find(cat("'", node, "'")) != text.npos;
    Diagnostic remark;
    remark.severity = Severity::Warning;
    remark.message =
        isNamed ? cat(text, "; the node stays") : cat(text, "; the node '", node, "' stays");
    rewriter_.statistics().remark(std::move(remark));
  }

  bool replaceOrRefund(Node *node, const std::vector<TensorPtr> &results, uint64_t bytes,
                       const Grant &grant) {
    if (replace(node, results, grant))
      return true;
    state_.budget.refund(bytes);
    return false;
  }

  bool replace(Node *node, const std::vector<TensorPtr> &results, const Grant &grant) {
    for (uint32_t i = 0; i != node->numResults(); ++i) {
      Value *result = node->result(i);
      // An output cannot be a constant: ONNX would have its name twice.
      if (result->hasUses() &&
          (!results[i] || isOutput(result) || !meetTypes(result->type(), results[i]->type())))
        return false;
    }
    consumeOperands(node);
    std::string name = rewriter_.nameFor(node);
    put(node, results, grant);
    rewriter_.rewrote("folded", name);
    return true;
  }
  void put(Node *node, const std::vector<TensorPtr> &results, const Grant &grant) {
    std::vector<Value *> values(node->numResults());
    for (uint32_t i = 0; i != node->numResults(); ++i)
      if (node->result(i)->hasUses())
        values[i] = rewriter_.createConstant(node, results[i], grant);
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
  std::optional<KernelCalls> kernels_;
};

class ConstantFold final : public Pass {
public:
  explicit ConstantFold(FoldState state) : state_(std::move(state)) {}
  std::string_view name() const override { return "constant-fold"; }
  void run(Module &module, PassContext &context) override {
    state_.roots.clear();
    for (size_t i = 0; i != module.numGraphs(); ++i)
      state_.roots.push_back(module.graph(i));
    for (Graph *root : std::vector(state_.roots))
      fold(*root, context);
  }
  void run(Graph &root, PassContext &context) override {
    state_.roots = {&root};
    fold(root, context);
  }

private:
  void fold(Graph &root, PassContext &context) {
    refuseCycles(root);
    PassEditor rewriter(root, context);
    Folder(rewriter, state_).run(root);
  }
  FoldState state_;
};

} // namespace

void registerConstantFold(PassRegistry &registry) {
  PassInfo info{
      "constant-fold",
      "Evaluates nodes that depend on constants and known shapes only, natively, by kernels in C "
      "or with the installed evaluator; replaces If with a constant condition by its branch, and "
      "onnx.Constant by a weight. Not: random operators, outputs, results that make the file "
      "larger by more than the limit, what dequantises constants, and wider constants (of f16, for "
      "example) if all together they would make the model larger by more than a twentieth.",
      {{"limit", "1048576", "bytes by which one folded tensor may make the file larger"},
       bytesOption(),
       {"evaluator", "true", "false: computes with native functions only"},
       {"fold-quantized", "false", "evaluates DequantizeLinear and Casts of quantised constants"},
       {"growth", "5", "percent by which wider constants may enlarge the model"},
       exactnessOption()},
      [](const PassOptions &options) {
        Exactness allowed = options.exactness("exactness", Exactness::Reassociating);
        uint64_t bytes = options.size("bytes", 0);
        FoldState state{allowed == Exactness::Exact, options.size("limit", 1048576),
                        Budget(bytes ? bytes : kLeastBytes), bytes == 0,
                        options.flag("evaluator", true)};
        state.foldsQuantized = options.flag("fold-quantized", false);
        state.growth = options.size("growth", 5);
        return std::make_unique<ConstantFold>(std::move(state));
      }};
  info.exactness = Exactness::Exact;
  info.rewrites = {{"MatMul, Gemm, Conv, ConvTranspose and recurrent operators, and what makes "
                    "their weights",
                    Exactness::Reassociating}};
  info.isReused = true; // keeps the failures of the evaluator between executions
  registry.add(std::move(info));
}

} // namespace ge::builtin
