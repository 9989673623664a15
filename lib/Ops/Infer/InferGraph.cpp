//===- InferGraph.cpp - types of all values of a graph ----------------------------------------===//
#include "ge/Ops/Infer/InferGraph.h"

#include "ge/IR/Domain.h"
#include "ge/Ops/Infer/Branches.h"
#include "ge/Ops/Infer/NodeCall.h"
#include "ge/Ops/Infer/TypeEdits.h"
#include "ge/Ops/Registry/Registry.h"
#include "ge/Support/DiagnosticLimit.h"
#include "ge/Support/Interrupt.h"
#include "ge/Support/StringUtil.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace ge {

namespace {

/// What is known about values while a graph is walked. A trial has a scope of its own, whose types
/// are discarded; otherwise types are stored in the graph.
struct InferScope {
  InferScope *parent = nullptr;
  std::unordered_map<const Value *, const Type *> types; ///< of a trial, or of a comparison
  std::unordered_map<const Value *, std::optional<Contents>> contents;
};

/// Returns whether the type of a result is declared, so that inference may refine it.
bool isOpen(const Value *result) {
  return result->typeSource() == TypeSource::Declared && !result->isAbsent() &&
         result->type()->kind() != TypeKind::Unknown && !constantTensor(result);
}

bool hasOpenTypes(const Graph *graph) {
  for (const Node *node = graph->front(); node; node = node->next()) {
    for (uint32_t i = 0; i != node->numResults(); ++i)
      if (isOpen(node->result(i)) && nativeInference(*node->op()))
        return true;
    if (node->extra())
      for (const Graph *inner : node->subgraphs())
        if (hasOpenTypes(inner))
          return true;
  }
  return false;
}

class GraphInferrer final : public SubgraphInferrer, public ContentsSource {
public:
  GraphInferrer(Graph *graph, const InferOptions &options)
      : context_(graph->context()), options_(options), start_(graph),
        registry_(options.registry ? *options.registry : Registry::global()) {}

  /// Inferred types are stored separately, and take precedence over declared ones.
  TypeDisputes compare() {
    disputes_.emplace();
    lazy_ = lazyContents(context_, opsetOf(start_, "onnx"));
    walk(start_);
    return std::move(*disputes_);
  }

  InferCounts run() {
    walk(start_);
    counts_.unknownOperators.assign(unknown_.begin(), unknown_.end());
    counts_.fallbackOperators.assign(fallback_.begin(), fallback_.end());
    limit_.conclude(counts_.diagnostics, Severity::Error, "nodes and types that are wrong");
    return std::move(counts_);
  }

  bool infer(Graph *graph, std::span<const Type *const> inputs, bool trial,
             std::vector<const Type *> &outputs) override {
    InferScope scope{scope_, {}, {}};
    outputs.clear();
    if (trial && trials_ == kMaxTrials) {
      outputs.assign(graph->numOutputs(), context_.unknownType());
      return true;
    }
    if (trial) {
      scope_ = &scope;
      ++trials_;
    }
    for (uint32_t i = 0; i < inputs.size() && i < graph->numInputs(); ++i)
      if (inputs[i])
        setType(graph->input(i), inputs[i],
                [&] { return cat("input ", i, " of ", graph->describe()); });
    walk(graph);
    for (uint32_t i = 0; i != graph->numOutputs(); ++i) {
      const Value *value = graph->outputValue(i);
      outputs.push_back(value ? typeOf(value) : context_.unknownType());
    }
    if (trial) {
      scope_ = scope.parent;
      --trials_;
    }
    return true;
  }

  const Contents *contents(const Value *value) override {
    if (disputes_ && isLargeFloat(value))
      return nullptr;
    hasAskedContents_ = true;
    for (const InferScope *scope = scope_; scope; scope = scope->parent) {
      auto found = scope->contents.find(value);
      if (found != scope->contents.end())
        return found->second ? &*found->second : nullptr;
    }
    if (value->node()->isData() && !options_.trustInputDefaults)
      return nullptr;
    const Tensor *tensor = constantTensor(value);
    if (!tensor)
      return lazy_ ? lazy_->contents(value) : nullptr;
    std::optional<Contents> &kept = base_.contents[value];
    kept = Contents::of(*tensor);
    return kept ? &*kept : nullptr;
  }

private:
  static constexpr int kMaxTrials = 3;

  /// Floats do not determine shapes, except for a single number, so the contents of other float
  /// results are not computed.
  bool isLargeFloat(const Value *value) const {
    const Type *type = typeOf(value);
    return type->isTensor() && isFloat(type->dtype()) && type->numElements() > 1 &&
           !constantTensor(value);
  }

  bool inTrial() const { return trials_ != 0; }

  const Type *typeOf(const Value *value) const {
    for (const InferScope *scope = scope_; scope; scope = scope->parent) {
      auto found = scope->types.find(value);
      if (found != scope->types.end())
        return found->second;
    }
    return value->type();
  }

  void report(const Node *node, std::string message) {
    if (inTrial() || !limit_.admits()) // the last round of a trial reports it again
      return;
    Diagnostic diagnostic;
    diagnostic.message = std::move(message);
    if (const Location *file = node->location()->firstFile()) {
      diagnostic.file = std::string(file->file());
      diagnostic.line = file->line();
      diagnostic.column = file->column();
    }
    counts_.diagnostics.push_back(std::move(diagnostic));
  }

  /// An inferred type overrides the file's value_info of an inner value, because runtimes compute
  /// it, too.
  static bool mayCorrect(const Value *value, const Type *declared, const Type *inferred) {
    if (value->node()->isData() || !declared->isTensor() || !inferred->isTensor() ||
        declared->dtype() != inferred->dtype())
      return false;
    for (const Use *use = value->firstUse(); use; use = use->next())
      if (use->owner()->isNetOutput())
        return false;
    return true;
  }

  /// Makes the type of `value` more precise.
  template <typename Describe> void setType(Value *value, const Type *inferred, Describe describe) {
    const Type *declared = typeOf(value);
    const Type *met = meetTypes(declared, inferred);
    if (disputes_ && !inTrial())
      return compareType(value, declared, inferred, met, describe);
    if (!met) {
      bool isCorrected = options_.correctShapes && mayCorrect(value, declared, inferred);
      report(value->node(), cat(describe(), " is declared as ", shortType(declared),
                                ", but inferred as ", shortType(inferred),
                                isCorrected ? "; the inferred type is taken"
                                            : "; correct the declaration or the operands"));
      if (!isCorrected)
        return;
      met = inferred;
    }
    if (met == declared || met->isNone()) {
      if (!inTrial() && mayConfirm(value, inferred))
        Mutation::confirmType(value);
      return;
    }
    if (inTrial()) {
      scope_->types[value] = met;
      return;
    }
    Mutation::setType(value, met, TypeSource::Inferred);
    ++counts_.changed;
  }

  /// Inference gives the same type, or supports the operator and does not contradict the declared
  /// type.
  bool mayConfirm(const Value *value, const Type *inferred) const {
    return (isKnown_ || inferred->kind() != TypeKind::Unknown) && !value->node()->isData();
  }

  /// Nothing has changed since inference confirmed the results of the node.
  bool isConfirmed(const Node *node) const {
    if (!disputes_ || inTrial() || !node->subgraphs().empty())
      return false;
    for (uint32_t i = 0; i != node->numResults(); ++i)
      if (node->result(i)->typeSource() == TypeSource::Declared && !node->result(i)->isAbsent())
        return false;
    for (uint32_t i = 0; !base_.types.empty() && i != node->numOperands(); ++i)
      if (node->operand(i) && base_.types.contains(node->operand(i)))
        return false;
    return true;
  }

  template <typename Describe>
  void compareType(Value *value, const Type *declared, const Type *inferred, const Type *met,
                   Describe describe) {
    if (!met && !limit_.admits())
      disputes_->values.try_emplace(value);
    else if (!met)
      disputes_->values.try_emplace(value, cat(describe(), " is declared as ", shortType(declared),
                                               ", but inferred as ", shortType(inferred)));
    else if (options_.confirmTypes && mayConfirm(value, inferred))
      Mutation::confirmType(value);
    const Type *type = met ? met : inferred;
    if (type != declared && !type->isNone())
      base_.types[value] = type;
  }

  const OpDef *definition(const OperatorName *op) {
    auto [found, isNew] = definitions_.try_emplace(op->id());
    if (isNew)
      found->second = registry_.find(op->domain(), op->type(), op->overload(),
                                     opset(op) ? opset(op) : Registry::kNewest);
    return found->second.get();
  }

  uint32_t opset(const OperatorName *op) {
    if (op->domain() == "onnx" && options_.opset)
      return options_.opset;
    auto [found, isNew] = opsets_.try_emplace(op->domainIdentifier()->id());
    if (isNew)
      found->second = opsetOf(start_, op->domain());
    return found->second;
  }

  void walk(Graph *graph) {
    if (!inTrial())
      walked_.insert(graph);
    // An optional or sequence input may have a tensor as default, too.
    for (Node *input : graph->inputNodes())
      if (const Tensor *value = constantTensor(input->result(0));
          value && meetTypes(typeOf(input->result(0)), value->type()))
        setType(input->result(0), value->type(), [&] { return input->describe(); });
    std::vector<Node *> order, cycle;
    if (!graph->topologicalOrder(order, &cycle))
      return report(cycle.front(),
                    cat(graph->describe(),
                        " has a cycle, so types cannot be inferred: ", Graph::cycleText(cycle)));
    for (Node *node : order) {
      interrupt_.poll();
      visit(node);
    }
  }

  void visit(Node *node) {
    if (node->numResults() != 0 && !isConfirmed(node)) {
      std::vector<uint32_t> key = comparisonKey(node);
      if (!key.empty() && agreed_.contains(key)) {
        confirm(node);
      } else if (mayInfer(node)) {
        hasAskedContents_ = false;
        inferNode(node);
        if (!key.empty() && base_.types.empty() && isKnown_ && !hasAskedContents_)
          agreed_.insert(std::move(key));
      }
    }
    // Subgraphs that no inference function used: those of unknown operators, or after an error. A
    // branch that is not taken stays as it is: contradictions in it are none.
    if (inTrial() || node->subgraphs().empty())
      return;
    std::string_view taken = takenBranchOf(node);
    for (Graph *inner : node->subgraphs())
      if (!walked_.contains(inner) && (taken.empty() || inner->slot() == taken))
        walk(inner);
  }

  std::string_view takenBranchOf(const Node *node) {
    bool isIf = node->op()->domain() == "onnx" && node->op()->type() == "If";
    return isIf && node->numOperands() != 0 && node->operand(0)
               ? takenBranch(contents(node->operand(0)))
               : std::string_view();
  }

  /// Comparing with declared types uses native inference and hooks only, so operators that only
  /// foreign inferrers support are skipped.
  bool mayInfer(const Node *node) {
    if (!disputes_ || inTrial() || nativeInference(*node->op()))
      return true;
    const OpDef *def = definition(node->op());
    return def && def->hooks().infer.load(std::memory_order_acquire);
  }

  /// Everything that the comparison of a node depends on if it uses no contents; a graph has few
  /// different ones. Empty: it may depend on more, or types are known that are not in the graph.
  std::vector<uint32_t> comparisonKey(const Node *node) const {
    if (!disputes_ || inTrial() || !base_.types.empty() || node->isData() ||
        node->attributes().size() != 0 || !node->subgraphs().empty())
      return {};
    std::vector<uint32_t> key = {node->opId(), node->numOperands()};
    for (uint32_t i = 0; i != node->numOperands(); ++i)
      key.push_back(node->operand(i) ? node->operand(i)->typeId() : UINT32_MAX);
    for (uint32_t i = 0; i != node->numResults(); ++i)
      key.push_back(node->result(i)->typeId());
    return key;
  }

  /// As compareType() does for types that agree.
  void confirm(Node *node) {
    if (options_.confirmTypes)
      for (uint32_t i = 0; i != node->numResults(); ++i)
        if (!node->result(i)->isAbsent())
          Mutation::confirmType(node->result(i));
  }

  void inferNode(Node *node) {
    // Not members: an inference function may walk into a subgraph.
    NodeCall call(node, definition(node->op()), opset(node->op()));
    for (uint32_t i = 0; i != node->numOperands(); ++i)
      if (const Value *value = node->operand(i))
        call.types[i] = typeOf(value);
    std::vector<const Type *> results(node->numResults());
    std::vector<std::optional<Contents>> contents;
    call.args.contents = this;
    call.args.subgraphTypes = this;
    call.args.resultContents = &contents;
    call.args.asksForeign = !disputes_; // comparing is native: an inferrer may start a process
    InferOutcome outcome = ge::infer(call.args, results);
    if (outcome.status == InferStatus::Failed && !outcome.message.empty())
      report(node, cat(node->describe(), ": ", outcome.message));
    isKnown_ = nativeInference(*node->op()) != nullptr;
    bool known = true;
    for (uint32_t i = 0; i != node->numResults(); ++i) {
      interrupt_.poll();
      Value *result = node->result(i);
      if (result->isAbsent())
        continue;
      setType(result, results[i], [&] { return cat("result ", i, " of ", node->describe()); });
      known = known && isKnownType(typeOf(result));
      bool has = i < contents.size() && contents[i];
      std::optional<Contents> none;
      if (has || scope_ != &base_)
        scope_->contents[result] = has ? std::move(contents[i]) : none;
    }
    if (!inTrial())
      count(node, outcome, known);
  }

  void count(const Node *node, const InferOutcome &outcome, bool known) {
    ++counts_.nodes;
    ++(known ? counts_.inferred : counts_.unknown);
    if (outcome.by == InferBy::Foreign) {
      ++counts_.byFallback;
      ++fallback_[std::string(node->op()->str())];
    }
    if (outcome.by == InferBy::None && !nativeInference(*node->op()))
      ++unknown_[std::string(node->op()->str())];
  }

  Interrupt interrupt_;
  Context &context_;
  const InferOptions &options_;
  Graph *start_;
  const Registry &registry_;
  InferCounts counts_;
  DiagnosticLimit limit_;
  std::map<std::string, uint64_t> unknown_, fallback_;
  std::unordered_map<uint32_t, OpDefRef> definitions_; ///< by operator
  std::unordered_map<uint32_t, uint32_t> opsets_;      ///< by domain
  std::unordered_set<const Graph *> walked_;
  std::optional<TypeDisputes> disputes_; ///< when types are compared, not set
  std::unique_ptr<ContentsSource> lazy_; ///< then: of what is not inferred again
  bool isKnown_ = false;                 ///< native inference knows the node's operator
  bool hasAskedContents_ = false;        ///< the comparison of a node depends on more than types
  struct HashIds {
    size_t operator()(const std::vector<uint32_t> &ids) const {
      uint64_t hash = 0;
      for (uint32_t id : ids)
        hash = hashCombine(hash, id);
      return size_t(hash);
    }
  };
  /// comparisonKey() of nodes whose types agree.
  std::unordered_set<std::vector<uint32_t>, HashIds> agreed_;
  InferScope base_;
  InferScope *scope_ = &base_;
  int trials_ = 0;
};

} // namespace

TypeDisputes findTypeDisputes(Graph *graph, const InferOptions &options) {
  return hasOpenTypes(graph) ? GraphInferrer(graph, options).compare() : TypeDisputes();
}

static bool hasFormat(const Type *type) { return type->isTensor() && type->format(); }

const std::string *DisputedTypes::find(const Value *value) {
  if (!disputes_) {
    Graph *whole = graph_;
    while (Graph *around = whole->parentGraph())
      whole = around;
    InferOptions options;
    options.confirmTypes = mayConfirm_;
    disputes_ = findTypeDisputes(whole, options);
  }
  if (disputes_->isEmpty() || !value)
    return nullptr;
  auto at = disputes_->values.find(value);
  if (at == disputes_->values.end() || isGuessedType(value->node(), value->type()))
    return nullptr;
  if (hasFormat(value->type())) { // else each of n results would inspect n operands
    std::vector<const Type *> operands;
    for (uint32_t i = 0; i != value->node()->numOperands(); ++i)
      if (const Value *operand = value->node()->operand(i))
        operands.push_back(operand->type());
    if (changesLayout(operands, value->type()))
      return nullptr;
  }
  if (at->second.empty())
    at->second = cat(value->node()->describe(), ": the declared type ", shortType(value->type()),
                     " of result ", value->index(), " is not the inferred one");
  if (isFound_.insert(&at->second).second)
    found_.push_back(&at->second);
  return &at->second;
}

const std::string *DisputedTypes::find(const Node *node) {
  const std::string *text = nullptr; // an operand's comes first: the result depends on it
  for (uint32_t i = 0; !text && i != node->numOperands(); ++i)
    text = find(node->operand(i));
  for (uint32_t i = 0; !text && i != node->numResults(); ++i)
    text = find(node->result(i));
  return text;
}

InferCounts inferTypes(Graph *graph, const InferOptions &options) {
  return GraphInferrer(graph, options).run();
}

} // namespace ge
