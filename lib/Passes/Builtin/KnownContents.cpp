//===- KnownContents.cpp - elements of shapes and small constants, all over a graph -----------===//
//
// Answers queries about values and rewrites nothing, so it needs no matcher.
//
#include "KnownContents.h"

#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Ops/Infer/NodeCall.h"

namespace ge::builtin {

KnownContents::KnownContents(PassEditor &rewriter) : rewriter_(rewriter) {
  rewriter_.root().root().addListener(this);
}
KnownContents::~KnownContents() { rewriter_.root().root().removeListener(this); }

void KnownContents::erased(Node *node) {
  for (uint32_t i = 0; i != node->numResults(); ++i)
    forget(node->result(i));
}

void KnownContents::forget(const Value *value) {
  auto found = known_.find(value);
  if (found == known_.end())
    return;
  if (found->second && found->second->size() > kSmall)
    kept_ -= found->second->size();
  known_.erase(found);
}

bool KnownContents::mayKeep(const Contents &contents) {
  if (contents.size() <= kSmall)
    return true;
  if (contents.size() > kMostElements - kept_)
    return false;
  kept_ += contents.size();
  return true;
}

const Contents *KnownContents::contents(const Value *value) {
  auto [found, isNew] = known_.try_emplace(value);
  if (isNew)
    if (TensorPtr tensor = rewriter_.constant(value))
      if (std::optional<Contents> contents = Contents::of(*tensor); contents && mayKeep(*contents))
        found->second = std::move(contents);
  return found->second ? &*found->second : nullptr;
}

/// Operators that compute shapes and masks.
static bool mayBeSmall(const Value *value) {
  DType dtype = dtypeOf(value);
  return dtype == DType::Undefined || isInteger(dtype) || dtype == DType::Bool ||
         (isFloat(dtype) && value->type()->numElements() <= 1);
}

void KnownContents::visit(Node *node) {
  if (node->numResults() == 0 || !mayBeSmall(node->result(0)) || !node->subgraphs().empty() ||
      constantTensor(node->result(0)) || !isFree(node))
    return;
  if (!nativeInference(*node->op()) || rewriter_.isDisputed(node))
    return;
  std::vector<const Type *> results(node->numResults());
  std::vector<std::optional<Contents>> made;
  NodeCall call(node, rewriter_.definition(node), rewriter_.opsetFor(node));
  call.args.contents = this;
  call.args.resultContents = &made;
  if (infer(call.args, results).status == InferStatus::Failed)
    return;
  for (uint32_t i = 0; i < made.size() && i < node->numResults(); ++i)
    if (made[i]) {
      forget(node->result(i));
      if (mayKeep(*made[i]))
        known_[node->result(i)] = std::move(made[i]);
    }
}

} // namespace ge::builtin
