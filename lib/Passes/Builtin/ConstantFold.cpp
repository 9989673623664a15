//===- ConstantFold.cpp - constant-fold: what can be computed now -----------------------------===//
#include "Builtin.h"
#include "Evaluate.h"
#include "KnownContents.h"

#include "ge/Ops/Evaluator.h"
#include "ge/Ops/InferGraph.h"
#include "ge/Ops/VerifyOps.h"

#include <algorithm>
#include <cstring>

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

/// Calls that an evaluator could not answer, so that it is not asked again in each round.
class Refusals {
public:
  /// Another one may know more. Held, so that no other one gets the same address.
  void setEvaluator(const std::shared_ptr<Evaluator> &evaluator) {
    if (evaluator_ == evaluator)
      return;
    evaluator_ = evaluator;
    byHash_.clear();
  }
  bool has(const EvalCall &call) const {
    if (byHash_.empty()) // most often: nothing is hashed then
      return false;
    auto found = byHash_.find(hashOf(call));
    return found != byHash_.end() &&
           std::ranges::any_of(found->second, [&](const Refused &one) { return one.is(call); });
  }
  void add(const EvalCall &call) { byHash_[hashOf(call)].emplace_back(call); }

private:
  /// Holds what it compares. Operands by what is in them: Constant with value_ints makes a new
  /// tensor each time.
  struct Refused {
    explicit Refused(const EvalCall &call)
        : context(call.context), op(call.op), opset(call.opset),
          operands(call.operands.begin(), call.operands.end()) {
      for (const NamedAttribute &attribute : call.attributes)
        attributes.emplace_back(attribute.name, attribute.value);
    }
    bool is(const EvalCall &call) const {
      return context.get() == call.context && op == call.op && opset == call.opset &&
             std::ranges::equal(operands, call.operands, isSame, &TensorPtr::get) &&
             std::ranges::equal(attributes, call.attributes, [](const auto &a, const auto &b) {
               return a.first == b.name && a.second.get() == b.value;
             });
    }
    static bool isSame(const Tensor *a, const Tensor *b) {
      return a == b || (a && b && a->equals(*b));
    }
    ContextPtr context;
    const OperatorName *op;
    uint32_t opset;
    std::vector<TensorPtr> operands;
    std::vector<std::pair<const Identifier *, AttrRef>> attributes;
  };
  static uint64_t hashOf(const EvalCall &call) {
    uint64_t hash = hashCombine(call.op->hash(), call.opset);
    for (const Tensor *operand : call.operands)
      hash = hashCombine(hash, operand ? operand->hash() : 0);
    for (const NamedAttribute &attribute : call.attributes)
      hash = hashCombine(hash, attribute.value.bits());
    return hash;
  }
  std::shared_ptr<Evaluator> evaluator_;
  std::unordered_map<uint64_t, std::vector<Refused>> byHash_;
};

class Folder {
public:
  Folder(Rewriter &rewriter, uint64_t limit, Refusals &refusals)
      : rewriter_(rewriter), limit_(limit), refusals_(refusals), known_(rewriter),
        evaluator_(evaluator()) {
    refusals_.setEvaluator(evaluator_);
  }

  void run(Graph &graph) {
    std::vector<Node *> order;
    graph.topologicalOrder(order);
    // Folding erases nothing that comes later.
    for (Node *node : order) {
      known_.visit(node);
      if (fold(node) || inlineBranch(node))
        continue;
      for (size_t i = 0; i < node->subgraphs().size(); ++i)
        run(*node->subgraphs()[i]);
    }
  }

private:
  bool fold(Node *node) {
    if (!isFree(node) || node->numResults() == 0 || !node->subgraphs().empty() ||
        !rewriter_.isPure(node) || isHeld(node))
      return false;
    std::vector<TensorPtr> results(node->numResults());
    return rewriter_.mayRewrite() &&
           (fromContents(node, results) || fromConstants(node, results)) && replace(node, results);
  }

  /// A constant already, in a form that costs least.
  bool isHeld(const Node *node) {
    if (isOnnx(node, "Constant") || node->op()->str() == "ge.Const")
      return true;
    TensorPtr filled =
        isOnnx(node, "ConstantOfShape") ? rewriter_.constant(node->result(0)) : TensorPtr();
    return filled && filled->denseSize() > 1024;
  }

  bool fromContents(Node *node, std::vector<TensorPtr> &results) {
    for (uint32_t i = 0; i != node->numResults(); ++i) {
      Value *result = node->result(i);
      if (!result->hasUses())
        continue;
      const Contents *contents = known_.contents(result);
      results[i] =
          contents ? tensorOf(rewriter_.context(), dtypeOf(result), *contents) : TensorPtr();
      if (!results[i])
        return false;
    }
    return node->hasUses();
  }

  bool fromConstants(Node *node, std::vector<TensorPtr> &results) {
    std::vector<TensorPtr> operands;
    bool isShapeLike = isOnnx(node, "CastLike"); // the second only lends its type
    uint64_t freed = 0;
    for (uint32_t i = 0; i != node->numOperands(); ++i) {
      Value *operand = node->operand(i);
      operands.push_back(operand && !(isShapeLike && i == 1) ? rewriter_.constant(operand)
                                                             : TensorPtr());
      if (operand && !operands.back() && !(isShapeLike && i == 1))
        return false;
      if (operands.back() && Rewriter::onlyUser(operand) == node && !operands.back()->isSplat())
        freed += operands.back()->denseSize();
    }
    if (operands.empty() || !isAffordable(node, freed))
      return false;
    if (isOnnx(node, "ConstantOfShape")) {
      results[0] = rewriter_.constant(node->result(0));
      return bool(results[0]);
    }
    EvaluateFunction native = evaluateLayout(node);
    if (!native)
      native = evaluateArithmetic(node);
    if (native && native(node, operands, results))
      return true;
    return evaluator_ && callEvaluator(node, operands, results);
  }

  /// Nothing is computed that is too large to keep, or of a size that is not known.
  bool isAffordable(const Node *node, uint64_t freed) const {
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
      if (size > freed && size - freed > limit_ && !givesSplat(node))
        return false;
    }
    return true;
  }
  /// One number goes in, so that one comes out, however large the result is.
  bool givesSplat(const Node *node) const {
    bool movesOne = evaluateLayout(node) && !isOnnx(node, "Concat");
    TensorPtr first;
    for (Value *operand : allOperands(node)) {
      TensorPtr tensor = rewriter_.constant(operand);
      if (!tensor || (!tensor->isSplat() && tensor->numElements() != 1) ||
          (first && isOnnx(node, "Concat") && tensor->bytes() != first->bytes()))
        return false;
      if (movesOne) // the others say where to
        return true;
      first = tensor;
    }
    return true;
  }
  static std::vector<Value *> allOperands(const Node *node) {
    std::vector<Value *> operands;
    for (uint32_t i = 0; i != node->numOperands(); ++i)
      if (Value *operand = node->operand(i))
        operands.push_back(operand);
    return operands;
  }

  bool callEvaluator(Node *node, std::span<const TensorPtr> operands,
                     std::vector<TensorPtr> &results) {
    // Elements of a splat would be written out for it.
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
    call.opset = node->op()->domain() == "onnx" ? opsetOf(&rewriter_.root(), "onnx")
                                                : opsetOf(&rewriter_.root(), node->op()->domain());
    call.operands = plain;
    call.attributes = attributes;
    if (refusals_.has(call))
      return false;
    if (definitionFault(node).empty() && askEvaluator(node, call, results))
      return true;
    refusals_.add(call);
    return false;
  }
  bool askEvaluator(const Node *node, EvalCall &call, std::vector<TensorPtr> &results) {
    std::string name;
    node->appendName(name);
    call.nodeName = name;
    try {
      return evaluator_->evaluate(call, results);
    } catch (const Error &error) {
      if (error.kind() != ErrorKind::Verify) {
        // No failure of this pass that the run could go on after: an interrupt, for one.
        rewriter_.statistics().setFatal();
        throw;
      }
      Diagnostic remark;
      remark.severity = Severity::Warning;
      remark.message = cat(error.what(), "; the node stays");
      rewriter_.statistics().remark(std::move(remark));
      return false;
    }
  }

  bool replace(Node *node, const std::vector<TensorPtr> &results) {
    for (uint32_t i = 0; i != node->numResults(); ++i) {
      Value *result = node->result(i);
      // A constant cannot be an output: ONNX has no name for it twice.
      if (result->hasUses() &&
          (!results[i] || isOutput(result) || !meetTypes(result->type(), results[i]->type())))
        return false;
    }
    std::vector<Value *> values(node->numResults());
    for (uint32_t i = 0; i != node->numResults(); ++i)
      if (node->result(i)->hasUses())
        values[i] = rewriter_.createConstant(node, results[i]);
    std::vector<Node *> sources;
    for (Value *operand : allOperands(node))
      if (std::ranges::find(sources, operand->node()) == sources.end())
        sources.push_back(operand->node());
    std::string name = rewriter_.nameFor(node);
    Mutation::replace(node, values);
    for (Node *source : sources)
      rewriter_.eraseIfDead(source);
    rewriter_.rewrote("folded", name);
    return true;
  }

  /// The branch of If that a constant condition takes stands in its place.
  bool inlineBranch(Node *node) {
    if (!isOnnx(node, "If") || !isFree(node) || !operandOf(node, 0) || !rewriter_.mayRewrite())
      return false;
    const Contents *condition = known_.contents(node->operand(0));
    if (!condition || condition->size() != 1 || !condition->elements[0].isInt())
      return false;
    std::string_view wanted = condition->elements[0].number != 0 ? "then_branch" : "else_branch";
    auto branch = std::ranges::find(node->subgraphs(), wanted, &Graph::slot);
    if (branch == node->subgraphs().end() || (*branch)->numInputs() != 0 ||
        !whyNotInlined(node, *branch).empty())
      return false;
    std::string name = rewriter_.nameFor(node);
    std::vector<Node *> moved = rewriter_.inlineBody(node, *branch);
    rewriter_.rewrote("inlined", name);
    for (Node *each : moved) {
      known_.visit(each);
      if (!fold(each) && !inlineBranch(each))
        for (size_t i = 0; i < each->subgraphs().size(); ++i)
          run(*each->subgraphs()[i]);
    }
    return true;
  }

  Rewriter &rewriter_;
  uint64_t limit_;
  Refusals &refusals_;
  KnownContents known_;
  std::shared_ptr<Evaluator> evaluator_;
};

class ConstantFold final : public Pass {
public:
  explicit ConstantFold(uint64_t limit) : limit_(limit) {}
  std::string_view name() const override { return "constant-fold"; }
  using Pass::run;
  void run(Graph &root, PassContext &context) override {
    refuseCycles(root);
    Rewriter rewriter(root, context);
    Folder(rewriter, limit_, refusals_).run(root);
  }

private:
  uint64_t limit_;
  Refusals refusals_;
};

} // namespace

void registerConstantFold(PassRegistry &registry) {
  PassInfo info{
      "constant-fold",
      "Computes what depends on constants and known shapes alone, natively or by the installed "
      "evaluator; If with a constant condition becomes its branch. Not: random operators, "
      "outputs, what would make the file larger by more than the limit.",
      {{"limit", "1048576", "bytes by which one folded tensor may make the file larger"}},
      [](const PassOptions &options) {
        int64_t limit = options.integer("limit", 1048576);
        if (limit < 0)
          throwError(ErrorKind::Value, "option 'limit' is at least 0, not ", limit);
        return std::make_unique<ConstantFold>(uint64_t(limit));
      }};
  info.isReused = true; // what the evaluator cannot compute
  registry.add(std::move(info));
}

} // namespace ge::builtin
