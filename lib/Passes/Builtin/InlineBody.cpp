//===- InlineBody.cpp - a body takes the place of its node ------------------------------------===//
//
// Moves nodes for other passes, so it needs no matcher.
//
#include "PassEditor.h"

#include "ge/IR/UnknownAttributes.h"

#include <algorithm>
#include <unordered_set>

namespace ge::builtin {

std::string whyNotInlined(const Node *node, const Graph *body) {
  if (!isFree(node))
    return "it has control edges, or an attribute whose value is not known";
  if (hasOpaque(body->attributes()))
    return "its function has defaults that cannot be represented";
  if (body->numOutputs() < node->numResults())
    return "it has more results than the body";
  if (!body->output()->controlInputs().empty())
    return "control edges end the body";
  for (uint32_t i = 0; i != body->numOutputs(); ++i)
    if (!body->outputValue(i))
      return "an output of the body is absent";
  for (uint32_t i = 0; i != body->numInputs(); ++i) {
    if (!body->inputNodes()[i]->controlOutputs().empty())
      return "control edges begin the body";
    if (!operandOf(node, i) && isOutput(body->input(i)))
      return "an absent operand would be an output";
  }
  return {};
}

/// Operands in the place of the body's inputs.
static void bindInputs(Node *node, Graph *body) {
  for (uint32_t i = 0; i != body->numInputs(); ++i) {
    Value *input = body->input(i);
    if (Value *operand = operandOf(node, i))
      Mutation::replaceAllUses(input, operand);
    else
      while (const Use *use = input->firstUse())
        Mutation::setOperand(use->owner(), use->index(), nullptr);
  }
}

std::vector<Node *> PassEditor::inlineBody(Node *node, Graph *body) {
  std::vector<Node *> moved = body->sortedNodes();
  bindInputs(node, body);
  std::vector<Value *> values;
  for (uint32_t i = 0; i != node->numResults(); ++i)
    values.push_back(body->outputValue(i));
  Mutation::setOutputs(body, {});
  for (Node *each : moved) {
    poll();
    Mutation::insert(each, node->graph(), node);
  }
  const std::unordered_set<const Node *> inside(moved.begin(), moved.end());
  std::unordered_set<const Node *> producers;
  for (uint32_t i = 0; i != values.size(); ++i) {
    Value *from = node->result(i);
    if (from->isAbsent()) { // absent in the call: it has no uses, and its type is meaningless
      values[i] = nullptr;
      continue;
    }
    bool isTaken = std::find(values.begin(), values.begin() + i, values[i]) != values.begin() + i;
    if (isOutput(from) && (isTaken || !mayBeOutput(values[i], node->graph())))
      values[i] = create(node, "Identity", {values[i]}, {}, from->type())->result(0);
    // The name that others know is the node's.
    else if (from->hasName() && !isTaken && inside.contains(values[i]->node()))
      Mutation::rename(values[i], {});
    pinOutputs(from);
    refineType(values[i], from->type(), from->typeSource());
    producers.insert(values[i]->node());
  }
  // replace() records the origins of the nodes that produce results.
  const Origin origin = Mutation::originFrom(node);
  for (Node *each : moved)
    if (!producers.contains(each))
      Mutation::addOrigin(each, origin);
  Mutation::replace(node, values);
  return moved;
}

} // namespace ge::builtin
