//===- Sequences.cpp - simplify-sequences: sequences of known length are tensors --------------===//
//
// Not the matcher: the rules depend on the known length and elements of a sequence, over any number
// of nodes. of nodes.
//
#include "Builtin.h"
#include "PassEditor.h"

#include <algorithm>

namespace ge::builtin {

namespace {

/// SequenceAt with a constant index, else null.
Node *elementUse(PassEditor &r, const Use *use, int64_t length, int64_t &index) {
  Node *at = use->owner();
  if (!at->isListed() || !isOnnx(at, "SequenceAt") || !isFree(at) || use->index() != 0 ||
      !operandOf(at, 1))
    return nullptr;
  std::optional<double> number = r.scalar(at->operand(1));
  if (!number)
    return nullptr;
  index = int64_t(*number) + (*number < 0 ? length : 0);
  return index >= 0 && index < length ? at : nullptr;
}

/// Returns whether all uses take single elements, and collects these in `elements`.
bool takeApart(PassEditor &r, Node *sequence, std::span<Value *const> elements) {
  std::vector<std::pair<Node *, int64_t>> uses;
  for (const Use *use = sequence->result(0)->firstUse(); use; use = use->next()) {
    int64_t index;
    Node *at = elementUse(r, use, int64_t(elements.size()), index);
    if (!at)
      return false;
    uses.emplace_back(at, index);
  }
  bool changed = false;
  for (auto [at, index] : uses)
    changed |= r.replaceOrIdentity(at, elements[size_t(index)]);
  return changed;
}

/// SequenceConstruct(a, b, c)[1] is b.
bool construct(PassEditor &r, Node *node) {
  std::vector<Value *> elements;
  for (uint32_t i = 0; i != node->numOperands(); ++i) {
    if (!node->operand(i))
      return false;
    elements.push_back(node->operand(i));
  }
  return takeApart(r, node, elements);
}

/// SplitToSequence into parts of known sizes, of which only the elements are used, becomes Split.
bool splitSequence(PassEditor &r, Node *node) {
  Value *x = operandOf(node, 0);
  int64_t axis = intAttr(node, "axis", 0), rank = rankOf(x);
  std::optional<Ints> sizes;
  axis += axis < 0 ? rank : 0;
  if (r.opset() < 13 || axis < 0 || axis >= rank || !shapeOf(x)[size_t(axis)].isStatic() ||
      !r.listOf(node, "", 1, sizes))
    return false;
  int64_t size = shapeOf(x)[size_t(axis)].size;
  // Without sizes each part has one element, and keepdims = 0 removes the axis.
  if (!operandOf(node, 1) && intAttr(node, "keepdims", 1) != 1)
    return false;
  if (!operandOf(node, 1))
    sizes = Ints(size_t(std::min<int64_t>(size, 1 << 16)), 1);
  else if (rankOf(node->operand(1)) == 0) {
    int64_t part = sizes->front();
    if (part <= 0 || size / part > (1 << 16))
      return false;
    Ints equal(size_t(size / part), part);
    if (size % part != 0)
      equal.push_back(size % part);
    sizes = equal;
  }
  int64_t total = 0;
  for (int64_t part : *sizes)
    total += part;
  if (total != size || sizes->empty())
    return false;
  for (const Use *use = node->result(0)->firstUse(); use; use = use->next()) {
    int64_t index;
    if (!elementUse(r, use, int64_t(sizes->size()), index))
      return false;
  }
  if (!node->hasUses())
    return false;
  Value *parts[] = {x, r.createInts(node, *sizes)};
  std::vector<const Type *> types;
  for (int64_t part : *sizes) {
    std::vector<Dim> dims(shapeOf(x).begin(), shapeOf(x).end());
    dims[size_t(axis)] = {part, nullptr};
    TensorTypeSpec spec;
    spec.dtype = dtypeOf(x);
    spec.shape = dims;
    types.push_back(r.context().tensorType(spec));
  }
  NamedAttribute attribute{r.context().identifier("axis"), Attribute::inlineInt(axis)};
  NodeSpec spec;
  spec.op = r.context().operatorName("onnx.Split");
  spec.operands = parts;
  spec.resultTypes = types;
  spec.attributes = {&attribute, 1};
  spec.location = node->location();
  Node *made = Mutation::create(node->graph(), node, spec);
  std::vector<Value *> elements;
  for (uint32_t i = 0; i != made->numResults(); ++i)
    elements.push_back(made->result(i));
  return takeApart(r, node, elements);
}

constexpr RuleRow kSequencesRules[] = {{"SequenceConstruct", construct},
                                       {"SplitToSequence", splitSequence}};

} // namespace

void registerSequences(PassRegistry &registry) {
  registry.add(rulePass("simplify-sequences",
                        "Replaces SplitToSequence by Split if its elements are read at constant "
                        "positions, and elements of SequenceConstruct by its operands. Not: "
                        "sequences with other uses, unknown sizes.",
                        kSequencesRules));
}

} // namespace ge::builtin
