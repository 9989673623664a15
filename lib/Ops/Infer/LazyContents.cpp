//===- LazyContents.cpp - known elements of a value, found by walking back --------------------===//
#include "InferRows.h"

#include "ge/IR/UnknownAttributes.h"
#include "ge/Ops/Infer/NodeCall.h"

#include <unordered_map>

namespace ge {

const Tensor *constantTensor(const Value *value) {
  const Node *node = value->node();
  if (node->numResults() != 1)
    return nullptr;
  const OperatorName *op = node->op();
  // An operator of another domain is computed like any other.
  bool isConstant = op->domain() == "onnx"
                        ? op->type() == "Constant"
                        : node->isData() || (op->domain() == "ge" &&
                                             (op->type() == "Const" || op->type() == "Constant"));
  if (!isConstant || isOpaque(node))
    return nullptr;
  Attribute attribute = node->attribute("value");
  return attribute.kind() == AttrKind::Tensor ? attribute.tensorValue() : nullptr;
}

namespace {

class LazyContents final : public ContentsSource {
public:
  LazyContents(Context &context, uint32_t opset) : context_(context), opset_(opset) {}

  const Contents *contents(const Value *value) override {
    if (depth_ == 0)
      budget_ = kMaxNodes;
    return find(value);
  }

private:
  static constexpr int kMaxNodes = 256, kMaxDepth = 64;
  /// Large ones together take at most 64 MiB; beyond that they are not known.
  static constexpr size_t kMaxElements = 1 << 22, kSmall = 16;

  void keep(const Value *value, std::optional<Contents> contents) {
    auto [found, isNew] = known_.try_emplace(value);
    size_t size = contents && contents->size() > kSmall ? contents->size() : 0;
    if (!isNew || size > kMaxElements - kept_)
      return;
    kept_ += size;
    found->second = std::move(contents);
  }

  const Contents *find(const Value *value) {
    auto known = known_.find(value);
    if (known == known_.end()) {
      evaluate(value);
      known = known_.try_emplace(value).first;
    }
    return known->second ? &*known->second : nullptr;
  }

  void evaluate(const Value *value) {
    if (const Tensor *tensor = constantTensor(value)) {
      keep(value, Contents::of(*tensor));
      return;
    }
    Node *node = value->node();
    const InferRow *row = inferRow(*node->op());
    if (!row || !row->evaluate || depth_ == kMaxDepth || budget_ == 0)
      return;
    --budget_;
    ++depth_;
    std::vector<std::optional<Contents>> out;
    std::vector<const Type *> results(node->numResults());
    NodeCall call(node, nullptr, opset_);
    call.args.contents = this;
    call.args.resultContents = &out;
    InferOutcome outcome = infer(call.args, results);
    --depth_;
    if (outcome.status == InferStatus::Failed)
      return;
    for (uint32_t i = 0; i < out.size() && i < node->numResults(); ++i)
      keep(node->result(i), std::move(out[i]));
  }

  Context &context_;
  uint32_t opset_;
  int depth_ = 0;
  int budget_ = kMaxNodes;
  size_t kept_ = 0; ///< elements of large ones
  std::unordered_map<const Value *, std::optional<Contents>> known_;
};

} // namespace

std::unique_ptr<ContentsSource> lazyContents(Context &context, uint32_t opset) {
  return std::make_unique<LazyContents>(context, opset);
}

} // namespace ge
