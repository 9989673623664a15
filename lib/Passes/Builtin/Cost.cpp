//===- Cost.cpp - budgets of the constants that passes make -----------------------------------===//
//
// Counts bytes and rewrites nothing, so it needs no matcher.
//
#include "PassEditor.h"

#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Support/MappedFile.h"

#include <algorithm>
#include <unordered_set>

namespace ge::builtin {

PassOption bytesOption() {
  return {"bytes", "0",
          "bytes that new constants together may take; 0: 64 MiB and twice what the model's "
          "constants take. A remark names the first node that needs more"};
}

uint64_t constantBytes(Graph &root) {
  std::unordered_set<const void *> counted; // several nodes may share them
  std::unordered_map<const MappedFile *, uint64_t> mapped;
  uint64_t total = 0;
  for (Graph *graph : allGraphs(root))
    for (const Node *node = graph->front(); node; node = node->next()) {
      const Tensor *tensor = node->numResults() == 1 ? constantTensor(node->result(0)) : nullptr;
      if (!tensor || tensor->isString() || !counted.insert(tensor->bytes().data()).second)
        continue;
      uint64_t &sum = tensor->file() ? mapped[tensor->file().get()] : total;
      sum = addSaturated(sum, tensor->bytes().size());
    }
  // NOLINTNEXTLINE(bugprone-nondeterministic-pointer-iteration-order): a sum, in any order
  for (const auto &[file, bytes] : mapped)
    total = addSaturated(total, std::min<uint64_t>(bytes, file->size()));
  return total;
}

uint64_t scaledBytes(Graph &root) { return multiplySaturated(2, constantBytes(root)); }

void remarkRefusal(PassContext &context, const Node *node, const Refusal &refusal,
                   bool &isRemarked) {
  context.count("over-budget");
  if (std::exchange(isRemarked, true))
    return;
  Diagnostic remark;
  remark.severity = Severity::Remark;
  remark.message = cat("the node ", node->describe(), " is not folded: ", refusal.str(),
                       "; nor are others that need as much");
  context.remark(std::move(remark));
}

std::optional<Grant> PassEditor::afford(const Node *node, std::initializer_list<const Value *> from,
                                        DType made, uint64_t bytes) {
  std::optional<Grant> grant = policy_.derive(node, {from.begin(), from.size()}, made, bytes);
  if (!grant)
    return grant;
  if (!budget_)
    budget_.emplace(byteBudget_ ? byteBudget_ : addSaturated(kLeastBytes, scaledBytes(root_)));
  Refusal refusal = budget_->charge(bytes);
  if (!refusal)
    return grant;
  policy_.refund(*grant);
  remarkRefusal(statistics_, node, refusal, isRemarked_);
  return std::nullopt;
}

} // namespace ge::builtin
