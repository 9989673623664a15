//===- OpsForeign.cpp - ge-c/Ops.h: inference and evaluation from outside ---------------------===//

#include "Live.h"
#include "Ops.h"

#include "ge/IR/TensorBytes.h"
#include "ge/Ops/Eval/Evaluator.h"
#include "ge/Ops/Infer/Infer.h"
#include "ge/Ops/Infer/InferNatively.h"
#include "ge/Ops/Infer/OperatorInferrers.h"
#include "ge/Ops/Registry/Registry.h"
#include "ge/Run/Call/KernelCalls.h"

#include <algorithm>

using namespace ge;
using namespace ge::capi;

// Arrays of named attributes are the core's own.
static_assert(sizeof(GeNamedAttribute) == sizeof(NamedAttribute));
static_assert(offsetof(GeNamedAttribute, value) == offsetof(NamedAttribute, value));

namespace {

/// A call in the form of the C API. Its subgraphs are references that are valid during the call.
class CallView {
public:
  CallView(Context &context, const OperatorName &name, const OpDef *op, uint32_t opset) {
    view_.size = sizeof view_;
    view_.context = wrap(&context);
    view_.name = wrap(&name);
    view_.op = wrap(op);
    view_.opset = opset;
  }
  ~CallView() {
    for (GeGraphRef *subgraph : subgraphs_)
      geGraphRelease(subgraph);
  }
  CallView(const CallView &) = delete;
  CallView &operator=(const CallView &) = delete;

  void operand(const Type *type, const Tensor *constant) {
    types_.push_back(wrap(type));
    constants_.push_back(wrap(constant));
  }
  void attribute(const Identifier *name, Attribute value) {
    attributes_.push_back({wrap(name), wrap(value)});
  }
  void subgraphs(std::span<Graph *const> graphs, std::span<const std::string_view> slots) {
    for (size_t i = 0; i < graphs.size(); ++i) {
      subgraphs_.push_back(newRef(graphs[i]));
      std::string_view slot = graphs[i]->slot();
      slots_.push_back(stringRef(slot.empty() && i < slots.size() ? slots[i] : slot));
    }
  }
  void byTypes(bool &answer) { view_.byTypes = &answer; }
  void nodeName(std::string_view name) { view_.nodeName = stringRef(name); }
  /// Null where `types` has none.
  void resultTypes(std::span<const Type *const> types, size_t numResults) {
    resultTypes_.assign(numResults, nullptr);
    for (size_t i = 0; i < std::min(types.size(), numResults); ++i)
      if (types[i] && types[i]->kind() != TypeKind::Unknown)
        resultTypes_[i] = wrap(types[i]);
    view_.resultTypes = resultTypes_.data();
  }
  /// Those that the node stores; empty: none.
  void segments(std::span<const int32_t> operands, std::span<const int32_t> results) {
    view_.operandSegments = operands.empty() ? nullptr : operands.data();
    view_.numOperandSegments = operands.size();
    view_.resultSegments = results.empty() ? nullptr : results.data();
    view_.numResultSegments = results.size();
  }
  const GeOpCall *get(size_t numResults) {
    view_.numOperands = types_.size();
    view_.operandTypes = types_.data();
    view_.operandConstants = constants_.data();
    view_.numAttributes = attributes_.size();
    view_.attributes = attributes_.data();
    view_.numSubgraphs = subgraphs_.size();
    view_.subgraphs = subgraphs_.data();
    view_.subgraphSlots = slots_.data();
    view_.numResults = numResults;
    return &view_;
  }

private:
  GeOpCall view_ = {};
  std::vector<GeType> types_, resultTypes_;
  std::vector<GeTensor *> constants_;
  std::vector<GeNamedAttribute> attributes_;
  std::vector<GeGraphRef *> subgraphs_;
  std::vector<GeStringRef> slots_;
};

std::string callbackMessage() { return std::string(text(geErrorMessage(), "message")); }

[[noreturn]] void throwCallback(GeStatus status) {
  throwIfInterrupted(status);
  int number = numberOf(status);
  bool known = number > GE_OK && number <= GE_ERROR_INTERNAL;
  throw Error(known ? ErrorKind(number) : ErrorKind::General, callbackMessage());
}

/// Prevents callbacks from changing the graph that is being walked.
class Freeze {
public:
  explicit Freeze(Root *root) : root_(root) {
    if (root_)
      root_->freeze();
  }
  ~Freeze() {
    if (root_)
      root_->thaw();
  }
  Freeze(const Freeze &) = delete;
  Freeze &operator=(const Freeze &) = delete;

private:
  Root *root_;
};

/// A table and the duty to release it.
template <typename T> class Table {
public:
  explicit Table(const T &table) : table_(table) {}
  ~Table() {
    if (table_.release)
      table_.release(table_.userData);
  }
  Table(const Table &) = delete;
  Table &operator=(const Table &) = delete;
  const T *operator->() const { return &table_; }

private:
  T table_;
};

class TableInferrer final : public ForeignInferrer {
public:
  explicit TableInferrer(const GeInferrer &table)
      : name_(text(table.name, "name")), table_(table) {}
  std::string_view name() const override { return name_; }

  bool infer(InferContext &c) override {
    Freeze frozen(c.args().root);
    uint32_t opset = c.args().opset ? c.args().opset : c.def() ? c.def()->since : 0;
    CallView view(c.context(), c.op(), c.def(), opset);
    for (uint32_t i = 0; i < c.numOperands(); ++i)
      view.operand(c.operand(i), c.constant(i));
    addAttributes(c, view);
    view.subgraphs(c.args().subgraphs, c.args().slots);
    view.segments(c.args().operandSegments, c.args().resultSegments);
    std::vector<GeType> results(c.numResults(), wrap(c.context().unknownType()));
    bool known = true, isByTypes = false;
    view.byTypes(isByTypes);
    InterruptPause pause;
    GeStatus status =
        table_->infer(table_->userData, view.get(results.size()), results.data(), &known);
    AnswerWatch::note(status == GE_OK && isByTypes);
    if (status == GE_ERROR_VERIFY) {
      c.fail(callbackMessage());
      return true;
    }
    if (status != GE_OK)
      throwCallback(status);
    if (!known)
      return false;
    for (uint32_t i = 0; i < c.numResults(); ++i)
      c.setResult(i, needIn(c.context(), results[i], "result of the inferrer"));
    return true;
  }

private:
  static void addAttributes(const InferContext &c, CallView &view) {
    if (const AttributeList *list = c.args().attributeList) {
      for (uint32_t i = 0; i < list->size(); ++i)
        view.attribute(c.context().identifierAt(list->nameIdAt(i)), list->at(i));
      return;
    }
    for (const NamedAttribute &attribute : c.args().attributes)
      view.attribute(attribute.name, attribute.value);
  }

  std::string name_;
  Table<GeInferrer> table_;
};

class TableEvaluator final : public Evaluator {
public:
  explicit TableEvaluator(const GeEvaluator &table) : table_(table) {}

  bool evaluate(const EvalCall &call, std::span<TensorPtr> results) override {
    CallView view(*call.context, *call.op, call.def, call.opset);
    for (const Tensor *operand : call.operands)
      view.operand(operand ? operand->type() : nullptr, operand);
    for (const NamedAttribute &attribute : call.attributes)
      view.attribute(attribute.name, attribute.value);
    view.subgraphs(call.subgraphs, call.slots);
    view.segments(call.operandSegments, call.resultSegments);
    view.nodeName(call.nodeName);
    view.resultTypes(call.resultTypes, results.size());
    std::vector<GeTensor *> tensors(results.size(), nullptr);
    bool known = true;
    InterruptPause pause;
    GeStatus status =
        table_->evaluate(table_->userData, view.get(results.size()), tensors.data(), &known);
    for (size_t i = 0; i < results.size(); ++i) // also after a failure: they are new references
      results[i] = TensorPtr::adopt(unwrap(tensors[i]));
    if (status != GE_OK)
      throwCallback(status);
    for (const TensorPtr &tensor : results) {
      if (known && !tensor)
        throwError(ErrorKind::Value, "the evaluator of ", call.op->str(), " left a result out");
      if (tensor && &tensor->type()->context() != call.context)
        throwForeign("result of the evaluator");
    }
    if (known)
      checkTypes(call, results);
    return known;
  }

  bool prefers(const OperatorName &op) override {
    return table_->prefers && table_->prefers(table_->userData, wrap(&op));
  }

private:
  static void checkTypes(const EvalCall &call, std::span<const TensorPtr> results) {
    for (size_t i = 0; i < std::min(results.size(), call.resultTypes.size()); ++i)
      if (const Type *type = call.resultTypes[i]; type && !meetTypes(type, results[i]->type()))
        throwError(ErrorKind::Verify, "the evaluator gave ", results[i]->type()->str(),
                   " for result ", i, " of ", call.op->str(), ", which is ", type->str());
  }

  Table<GeEvaluator> table_;
};

/// By a kernel in C, else by the evaluator.
bool evaluateBy(Evaluator &evaluator, const EvalCall &call, std::span<TensorPtr> results) {
  return (call.def && !evaluator.prefers(*call.op) && KernelCalls().evaluate(call, results)) ||
         evaluator.evaluate(call, results);
}

/// Returning false, or an error of kind Verify, never hides that an operand's file has changed on
/// disk.
bool evaluateOrSay(Evaluator &evaluator, const EvalCall &call, std::span<TensorPtr> results) {
  auto checkFiles = [&] {
    for (const Tensor *tensor : call.operands)
      if (tensor)
        checkFile(*tensor);
  };
  try {
    if (evaluateBy(evaluator, call, results))
      return true;
  } catch (const Error &error) {
    if (error.kind() == ErrorKind::Verify)
      checkFiles();
    throw;
  }
  checkFiles();
  return false;
}

/// The result types that GE infers; empty if the operator is not registered or the call is invalid,
/// which the evaluator reports.
std::vector<const Type *> typesOf(const EvalCall &call, size_t numResults) {
  if (!call.def)
    return {};
  std::vector<const Type *> operands, results(numResults);
  for (const Tensor *operand : call.operands)
    operands.push_back(operand ? operand->type() : nullptr);
  InferArgs args;
  args.context = call.context;
  args.op = call.op;
  args.def = call.def;
  args.opset = call.opset;
  args.operands = operands;
  args.attributes = call.attributes;
  if (!inferNatively(args, results))
    results.clear();
  return results;
}

} // namespace

uint64_t ge::capi::addInferrer(const GeInferrer &inferrer, std::string op) {
  return registerInferrerOf(std::move(op), std::make_shared<TableInferrer>(inferrer));
}

GeStatus geOpsAddInferrer(const GeInferrer *inferrer, uint64_t *token) {
  return guarded([&] {
    uint64_t &out = result(token, "token");
    GeInferrer given = sized(inferrer, "GeInferrer");
    if (!given.infer)
      throwNull("inferrer->infer");
    out = addInferrer(given, {});
  });
}
void geOpsRemoveInferrer(uint64_t token) {
  static_cast<void>(guarded([&] { unregisterInferrer(token); }));
}

GeStatus geOpsInferrerUses(void (*callback)(GeStringRef inferrer, GeStringRef op, uint64_t asked,
                                            uint64_t answered, void *userData),
                           void *userData) {
  return guarded([&] {
    if (!callback)
      throwNull("callback");
    for (const InferrerUse &use : inferrerUses())
      callback(stringRef(use.inferrer), stringRef(use.op), use.asked, use.answered, userData);
  });
}

GeStatus geOpsSetEvaluator(const GeEvaluator *table) {
  return guarded([&] {
    if (!table)
      return setEvaluator(nullptr);
    GeEvaluator given = sized(table, "GeEvaluator");
    if (!given.evaluate)
      throwNull("evaluate");
    setEvaluator(std::make_shared<TableEvaluator>(given));
  });
}
bool geOpsHasEvaluator(void) { return evaluator() != nullptr; }

GeStatus geOpsEvaluate(GeOperatorName op, uint32_t opset, GeTensor *const *operands,
                       size_t numOperands, const GeNamedAttribute *attributes, size_t numAttributes,
                       GeTensor **results, size_t numResults, bool *known) {
  return interruptible([&] {
    bool &answered = result(known, "known");
    const OperatorName *name = need(op, "op");
    needArray(operands, numOperands, "operands");
    needArray(attributes, numAttributes, "attributes");
    needArray(results, numResults, "results");
    Context &context = *unwrap(geOperatorNameGetContext(op));
    answered = false;
    std::fill_n(results, numResults, nullptr);
    std::vector<const Tensor *> tensors;
    for (size_t i = 0; i < numOperands; ++i) {
      tensors.push_back(unwrap(operands[i]));
      if (tensors.back() && &tensors.back()->type()->context() != &context)
        throwForeign("operands");
    }
    for (size_t i = 0; i < numAttributes; ++i) {
      needIn(context, attributes[i].name, "attributes");
      needIn(context, attributes[i].value, "attributes");
    }
    std::shared_ptr<Evaluator> installed = evaluator();
    if (!installed)
      return;
    OpDefRef def = Registry::global().find(name->domain(), name->type(), name->overload(),
                                           opset ? opset : Registry::kNewest);
    EvalCall call;
    call.context = &context;
    call.op = name;
    call.def = def.get();
    call.opset = opset;
    call.operands = tensors;
    call.attributes = {reinterpret_cast<const NamedAttribute *>(attributes), numAttributes};
    std::vector<const Type *> types = typesOf(call, numResults);
    call.resultTypes = types;
    std::vector<TensorPtr> made(numResults);
    answered = evaluateOrSay(*installed, call, made);
    for (size_t i = 0; answered && i < numResults; ++i)
      results[i] = wrap(made[i].take());
  });
}
