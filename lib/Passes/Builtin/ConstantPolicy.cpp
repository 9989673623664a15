//===- ConstantPolicy.cpp - which constants passes may make of others -------------------------===//
//
// Answers queries about nodes and rewrites nothing, so it needs no matcher.
//
#include "ConstantPolicy.h"

#include "PassEditor.h"

#include "ge/Ops/Infer/NodeCall.h"
#include "ge/Passes/Manager/RunMemory.h"

#include <algorithm>

namespace ge::builtin {

namespace {

/// Results of so many elements take no more than the node that computes them.
constexpr int64_t kFew = 16;

bool isDequantizer(const Node *node) {
  // Also com.microsoft's, and those of blocks: DequantizeBFP.
  return node->op()->type().starts_with("Dequantize");
}

/// Operators that are defined on quantised operands; other ones compute with integers.
bool isQuantizedOperator(const Node *node) {
  constexpr std::string_view kOps[] = {"DynamicQuantizeLinear", "MatMulInteger", "ConvInteger"};
  return node->op()->domain() == "com.microsoft" || isDequantizer(node) ||
         std::ranges::find(kOps, node->op()->type()) != std::end(kOps) ||
         node->op()->type().starts_with("QLinear");
}

bool isCast(const Node *node) { return isOnnx(node, "Cast") || isOnnx(node, "CastLike"); }

/// Whether inference needs the elements of an operand for the types of results.
class SizeQueries final : public ContentsSource {
public:
  SizeQueries(PassEditor &editor, const Value *value) : editor_(editor), value_(value) {}
  bool isAsked() const { return isAsked_; }
  const Contents *contents(const Value *value) override {
    isAsked_ |= value == value_;
    if (TensorPtr tensor = editor_.constant(value))
      contents_.push_back(std::make_unique<std::optional<Contents>>(Contents::of(*tensor)));
    else
      return nullptr;
    return *contents_.back() ? &**contents_.back() : nullptr;
  }

private:
  PassEditor &editor_;
  const Value *value_;
  bool isAsked_ = false;
  std::vector<std::unique_ptr<std::optional<Contents>>> contents_;
};

bool asksForSizes(PassEditor &editor, const Node *user, const Value *value) {
  SizeQueries queries(editor, value);
  NodeCall call(user, editor.definition(user), editor.opsetFor(user));
  call.args.contents = &queries;
  call.args.asksForeign = false;
  std::vector<const Type *> results(user->numResults());
  infer(call.args, results);
  return queries.isAsked();
}

unsigned bitsOf(const Value *value) { return info(dtypeOf(value)).bits; }

/// Bytes of all elements; 0 where the type is no tensor or has no static shape.
uint64_t bytesOf(const Value *value) {
  int64_t count = value->type()->isTensor() ? value->type()->numElements() : 0;
  return count <= 0 ? 0 : multiplySaturated(uint64_t(count), (bitsOf(value) + 7) / 8);
}

} // namespace

ConstantPolicy::ConstantPolicy(PassEditor &editor) : editor_(editor), roots_{&editor.root()} {}

bool isQuantized(DType dtype) {
  return dtype != DType::Bool && info(dtype).bits >= 1 && info(dtype).bits <= 8;
}

//===-----------------------------------------------------------------------------------------===//
// Quantised content
//===-----------------------------------------------------------------------------------------===//

bool ConstantPolicy::isForSizes(const Value *value, int &left) {
  if (!value->hasUses() || isOutput(value))
    return false;
  for (const Use *use = value->firstUse(); use; use = use->next()) {
    const Node *user = use->owner();
    if (--left < 0 || user->numResults() == 0 || !user->subgraphs().empty())
      return false;
    if (asksForSizes(editor_, user, value))
      continue;
    bool isComputed = editor_.isPure(user);
    for (uint32_t i = 0; isComputed && i != user->numOperands(); ++i)
      isComputed =
          !user->operand(i) || user->operand(i) == value || editor_.isConstant(user->operand(i));
    for (uint32_t i = 0; isComputed && i != user->numResults(); ++i)
      isComputed = !user->result(i)->hasUses() || isForSizes(user->result(i), left);
    if (!isComputed)
      return false;
  }
  return true;
}

bool ConstantPolicy::keepsQuantized(const Node *node) {
  if (foldsQuantized_)
    return false;
  uint64_t quantized = 0;
  bool dequantizes = isDequantizer(node);
  for (uint32_t i = 0; i != node->numOperands(); ++i)
    if (const Value *operand = node->operand(i);
        operand && isQuantized(dtypeOf(operand)) && (!isOnnx(node, "CastLike") || i == 0))
      quantized = addSaturated(quantized, std::max<uint64_t>(bytesOf(operand), 1));
  if (quantized == 0 && !dequantizes)
    return false;
  uint64_t wider = 0;
  int64_t most = 0;
  for (uint32_t i = 0; i != node->numResults(); ++i)
    if (const Value *result = node->result(i); result->hasUses() && bitsOf(result) > 8) {
      wider = addSaturated(wider, std::max<uint64_t>(bytesOf(result), 1));
      most = std::max(most, result->type()->isTensor() ? result->type()->numElements() : 0);
    }
  bool isFew = most <= kFew && !isQuantizedOperator(node);
  // What takes fewer bytes is a size or a position, not the content.
  bool isLess = wider <= quantized && !isCast(node) && !isQuantizedOperator(node);
  if (wider == 0 || isFew || isLess)
    return false;
  for (uint32_t i = 0; i != node->numResults(); ++i) {
    int left = 64; // uses that are looked at
    if (node->result(i)->hasUses() && !isForSizes(node->result(i), left))
      return true;
  }
  return false;
}

//===-----------------------------------------------------------------------------------------===//
// Growth
//===-----------------------------------------------------------------------------------------===//

/// Of the model, in one run.
struct ConstantPolicy::Growth {
  std::optional<uint64_t> bytes; ///< of all constants, before the first one was widened
  uint64_t spent = 0;
  bool isRemarked = false;
};

ConstantPolicy::Growth &ConstantPolicy::growth() {
  if (!own_ && !RunMemory::ofThread())
    own_ = std::make_shared<Growth>();
  Growth &growth = own_ ? *own_ : RunMemory::ofThread()->get<Growth>();
  if (!growth.bytes) {
    growth.bytes = 0;
    for (Graph *root : roots_)
      growth.bytes = addSaturated(*growth.bytes, constantBytes(*root));
  }
  return growth;
}

uint64_t ConstantPolicy::wideningOf(const Node *node, uint64_t freed) {
  // A narrow constant beside one that is still needed takes bytes, too, and so do elements that
  // were packed into larger ones.
  bool isRecoded = isCast(node) || node->op()->type().ends_with("QuantizeLinear") ||
                   isOnnx(node, "BitShift") || isOnnx(node, "BitwiseAnd");
  unsigned bits = 0;
  for (uint32_t i = 0; i != node->numOperands(); ++i)
    if (const Value *operand = node->operand(i);
        operand && (i == 0 || !isCast(node)) && bytesOf(operand) != 0) {
      if (foldsQuantized_ && isQuantized(dtypeOf(operand)))
        return 0; // asked for
      bits = std::max(bits, bitsOf(operand));
    }
  uint64_t made = 0;
  bool isWider = isRecoded;
  for (uint32_t i = 0; i != node->numResults(); ++i)
    if (const Value *result = node->result(i);
        result->hasUses() && result->type()->isTensor() && result->type()->numElements() > kFew) {
      made = addSaturated(made, bytesOf(result));
      isWider |= bitsOf(result) > bits;
    }
  return bits != 0 && isWider && made > freed ? made - freed : 0;
}

std::optional<Grant> ConstantPolicy::widen(const Node *node, uint64_t bytes) {
  if (bytes == 0)
    return Grant(0);
  Growth &growth = this->growth();
  uint64_t limit = multiplySaturated(*growth.bytes, percent_) / 100;
  uint64_t left = limit - std::min(limit, growth.spent);
  if (!fitsForecast_)
    fitsForecast_ = !forecast_ || forecast_() <= left;
  if (*fitsForecast_ && bytes <= left) {
    growth.spent += bytes;
    return Grant(bytes);
  }
  editor_.statistics().count("kept-narrow");
  if (!std::exchange(growth.isRemarked, true)) {
    Diagnostic remark;
    remark.severity = Severity::Remark;
    remark.message = cat("the node ", node->describe(), " is not folded: its result takes ", bytes,
                         " bytes more than the constants that it replaces, and together with other "
                         "such results more than ",
                         percent_, " % of the model; option 'growth' raises the limit");
    editor_.statistics().remark(std::move(remark));
  }
  return std::nullopt;
}

std::optional<Grant> ConstantPolicy::evaluate(const Node *node, uint64_t freed) {
  if (keepsQuantized(node))
    return std::nullopt;
  return widen(node, wideningOf(node, freed));
}

std::optional<Grant> ConstantPolicy::derive(const Node *node, std::span<const Value *const> from,
                                            DType made, uint64_t bytes) {
  unsigned bits = 0;
  uint64_t freed = 0;
  bool isContent = false;
  for (const Value *value : from)
    if (value) {
      bits = std::max(bits, bitsOf(value));
      freed += PassEditor::onlyUser(value) ? bytesOf(value) : 0;
      isContent |= isQuantized(dtypeOf(value)) && !isQuantized(made);
    }
  if (isContent && !foldsQuantized_)
    return std::nullopt;
  bool isWider = bits != 0 && info(made).bits > bits && !isContent;
  return widen(node, isWider && bytes > freed ? bytes - freed : 0);
}

void ConstantPolicy::refund(const Grant &grant) {
  if (grant.widening() != 0)
    growth().spent -= grant.widening();
}

} // namespace ge::builtin
