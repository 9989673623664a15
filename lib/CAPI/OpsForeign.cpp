//===- OpsForeign.cpp - ge-c/Ops.h: inference and evaluation from outside ---------------------===//

#include "Live.h"
#include "Ops.h"

#include "ge/Ops/Interfaces.h"

#include <algorithm>

using namespace ge;
using namespace ge::capi;

namespace {

/// A request as C sees it; its node is a reference for the call.
class RequestView {
public:
  explicit RequestView(const InferRequest &request) {
    view_.context = wrap(request.context);
    view_.name = wrap(request.name);
    view_.op = wrap(request.op);
    view_.opset = request.opset;
    view_.node = newRef(const_cast<Node *>(request.node));
    view_.numOperands = request.operandTypes.size();
    // The C types are names for the core's pointers and words.
    view_.operandTypes = reinterpret_cast<const GeType *>(request.operandTypes.data());
    if (!request.operandConstants.empty())
      view_.operandConstants = reinterpret_cast<GeTensor *const *>(
          const_cast<Tensor *const *>(request.operandConstants.data()));
    view_.numAttributes = request.attributeNames.size();
    view_.attributeNames = reinterpret_cast<const GeIdentifier *>(request.attributeNames.data());
    view_.attributeValues = reinterpret_cast<const GeAttribute *>(request.attributeValues.data());
    view_.numResults = request.numResults;
  }
  ~RequestView() {
    if (view_.node)
      geNodeRelease(view_.node);
  }
  RequestView(const RequestView &) = delete;
  RequestView &operator=(const RequestView &) = delete;
  const GeInferRequest *get() const { return &view_; }

private:
  GeInferRequest view_ = {};
};

[[noreturn]] void throwCallback(GeStatus status) {
  std::string message(text(geErrorMessage(), "message"));
  int number = numberOf(status);
  bool known = number > GE_OK && number <= GE_ERROR_INTERNAL;
  throw Error(known ? ErrorKind(number) : ErrorKind::General, std::move(message));
}

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

class ForeignInferrer final : public Inferrer {
public:
  explicit ForeignInferrer(const GeInferrer &table) : table_(table) {}
  bool infer(const InferRequest &request, std::span<const Type *> results) override {
    RequestView view(request);
    bool known = true;
    std::vector<GeType> types(results.size(), wrap(request.context->unknownType()));
    GeStatus status = table_->infer(table_->userData, view.get(), types.data(), &known);
    if (status != GE_OK)
      throwCallback(status);
    for (size_t i = 0; i < results.size(); ++i)
      results[i] = needIn(*request.context, types[i], "result of the inferrer");
    return known;
  }

private:
  Table<GeInferrer> table_;
};

class ForeignEvaluator final : public Evaluator {
public:
  explicit ForeignEvaluator(const GeEvaluator &table) : table_(table) {}
  bool evaluate(const InferRequest &request, std::span<TensorPtr> results) override {
    RequestView view(request);
    bool known = true;
    std::vector<GeTensor *> tensors(results.size(), nullptr);
    GeStatus status = table_->evaluate(table_->userData, view.get(), tensors.data(), &known);
    for (size_t i = 0; i < results.size(); ++i)
      results[i] = TensorPtr::adopt(unwrap(tensors[i])); // also on failure: they are new references
    if (status != GE_OK)
      throwCallback(status);
    for (const TensorPtr &tensor : results)
      if (known && !tensor)
        throwError(ErrorKind::Value, "the evaluator left a result out");
    return known;
  }

private:
  Table<GeEvaluator> table_;
};

} // namespace

GeStatus geOpsSetInferrer(const GeInferrer *inferrer) {
  return guarded([&] {
    if (inferrer && !inferrer->infer)
      throwNull("infer");
    setForeignInferrer(inferrer ? std::make_shared<ForeignInferrer>(*inferrer) : nullptr);
  });
}
GeStatus geOpsSetEvaluator(const GeEvaluator *evaluator) {
  return guarded([&] {
    if (evaluator && !evaluator->evaluate)
      throwNull("evaluate");
    setForeignEvaluator(evaluator ? std::make_shared<ForeignEvaluator>(*evaluator) : nullptr);
  });
}
bool geOpsHasInferrer(void) { return foreignInferrer() != nullptr; }
bool geOpsHasEvaluator(void) { return foreignEvaluator() != nullptr; }
