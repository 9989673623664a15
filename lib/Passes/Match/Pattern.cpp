//===- Pattern.cpp - patterns and what is asked about them ------------------------------------===//
#include "ge/Passes/Match/Pattern.h"

#include "PatternReader.h"

#include "ge/IR/Analysis.h"

#include <algorithm>

namespace ge {

bool PatternNode::accepts(const Node *node) const {
  if (!node->isListed())
    return false;
  if (!ops.empty() &&
      std::ranges::any_of(ops, [&](const OperatorName *op) { return op->id() == node->opId(); }))
    return true;
  if (!types.empty()) {
    const Identifier *type = node->op()->typeIdentifier();
    return std::ranges::find(types, type) != types.end();
  }
  return ops.empty();
}

std::string PatternNode::opText() const {
  std::string text;
  auto append = [&](std::string_view name) {
    text += text.empty() ? "" : " or ";
    text += name;
  };
  for (const OperatorName *op : ops)
    append(op->str());
  for (const Identifier *type : types)
    append(type->str());
  return text.empty() ? "any operator" : text;
}

std::shared_ptr<const Pattern> Pattern::create(const Graph *graph, PatternOptions options) {
  std::shared_ptr<Pattern> pattern(new Pattern());
  pattern->root_ = clone(graph);
  pattern->options_ = std::move(options);
  PatternReader(*pattern).read();
  return pattern;
}

std::shared_ptr<const Pattern> Pattern::in(const std::shared_ptr<const Pattern> &pattern,
                                           Context &context) {
  if (&pattern->context() == &context)
    return pattern;
  std::shared_ptr<Pattern> copy(new Pattern());
  copy->root_ = clone(pattern->graph(), &context);
  copy->options_ = pattern->options_;
  PatternReader(*copy).read();
  return copy;
}

Pattern::~Pattern() {
  if (!root_)
    return;
  // Attributes in the tables are released before the context may be.
  nodes_.clear();
  values_.clear();
  root_->drop();
}

uint32_t Pattern::findValue(std::string_view name) const {
  for (uint32_t i = 0; i != values_.size(); ++i)
    if (!name.empty() && values_[i].name == name)
      return i;
  return UINT32_MAX;
}

uint32_t Pattern::findNode(std::string_view name) const {
  for (uint32_t i = 0; i != nodes_.size(); ++i)
    if (!name.empty() && nodes_[i].name == name)
      return i;
  uint32_t value = findValue(name);
  if (value == UINT32_MAX)
    return value;
  value = withoutWhere(*this, value);
  return values_[value].kind == PatternValue::Kind::Result ? values_[value].node : UINT32_MAX;
}

bool Pattern::anchorsAt(const Node *node) const {
  return std::ranges::any_of(anchors_,
                             [&](const Anchor &a) { return nodes_[a.node].accepts(node); });
}

uint32_t withoutWhere(const Pattern &pattern, uint32_t value) {
  while (pattern.values()[value].kind == PatternValue::Kind::Where)
    value = pattern.values()[value].choices[0];
  return value;
}

} // namespace ge
