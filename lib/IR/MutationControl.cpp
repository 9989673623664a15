//===- MutationControl.cpp - order between nodes without data ---------------------------------===//

#include "MutationImpl.h"

#include <algorithm>

namespace ge {

namespace {

uint32_t positionIn(const std::vector<Node *> &nodes, const Node *node) {
  return uint32_t(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
}

bool hasEdge(const Node *from, const Node *to) {
  std::span<Node *const> outs = from->controlOutputs(), ins = to->controlInputs();
  if (outs.size() < ins.size())
    return std::find(outs.begin(), outs.end(), to) != outs.end();
  return std::find(ins.begin(), ins.end(), from) != ins.end();
}

} // namespace

void Mutation::Impl::linkControl(Node *from, Node *to, uint32_t outPosition, uint32_t inPosition) {
  Root &root = from->root();
  std::vector<Node *> &outs = extra(from).controlOutputs;
  outs.insert(outs.begin() + std::min<size_t>(outPosition, outs.size()), to);
  std::vector<Node *> &ins = extra(to).controlInputs;
  ins.insert(ins.begin() + std::min<size_t>(inPosition, ins.size()), from);
  record(root, undo::ControlAdded{from, to});
  notify(root, [&](MutationListener &l) { l.controlChanged(from, to); });
}

void Mutation::Impl::unlinkControl(Node *from, Node *to) {
  Root &root = from->root();
  std::vector<Node *> &outs = extra(from).controlOutputs;
  std::vector<Node *> &ins = extra(to).controlInputs;
  uint32_t out = positionIn(outs, to), in = positionIn(ins, from);
  outs.erase(outs.begin() + out);
  ins.erase(ins.begin() + in);
  dropExtraIfEmpty(from);
  if (from != to)
    dropExtraIfEmpty(to);
  record(root, undo::ControlRemoved{from, to, out, in});
  notify(root, [&](MutationListener &l) { l.controlChanged(from, to); });
}

void Mutation::Impl::dropControl(Node *node) {
  while (!node->controlInputs().empty())
    unlinkControl(node->controlInputs().back(), node);
  while (!node->controlOutputs().empty())
    unlinkControl(node, node->controlOutputs().back());
}

/// Nodes ordered after (before) `node` are ordered after (before) each of `to` in its graph.
void Mutation::Impl::moveControl(Node *node, const std::vector<Node *> &to) {
  std::vector<Node *> ins(node->controlInputs().begin(), node->controlInputs().end());
  std::vector<Node *> outs(node->controlOutputs().begin(), node->controlOutputs().end());
  for (Node *input : ins)
    unlinkControl(input, node);
  for (Node *output : outs)
    unlinkControl(node, output);
  for (Node *producer : to) {
    if (producer->graph() != node->graph())
      continue;
    for (Node *input : ins)
      if (input != producer && !producer->isData() && !hasEdge(input, producer))
        linkControl(input, producer, UINT32_MAX, UINT32_MAX);
    for (Node *output : outs)
      if (output != producer && !hasEdge(producer, output))
        linkControl(producer, output, UINT32_MAX, UINT32_MAX);
  }
}

void Mutation::addControlEdge(Node *from, Node *to) {
  if (&from->root() != &to->root())
    throwError(ErrorKind::Value, from->describe(), " and ", to->describe(),
               " are of different graphs: control edges order the nodes of one graph");
  if (from->graph() != to->graph() || from->isDetached())
    throwError(ErrorKind::Value, from->describe(), " and ", to->describe(),
               " are not in the same graph: control edges order the nodes of one graph");
  if (from == to)
    throwError(ErrorKind::Value, from->describe(), " cannot be its own control input");
  if (to->isData())
    throwError(ErrorKind::Value, to->describe(),
               " is an input of its graph, which has no control inputs");
  if (from->isNetOutput())
    throwError(ErrorKind::Value, "nothing comes after the output node of ",
               from->graph()->describe());
  if (!hasEdge(from, to))
    Impl::linkControl(from, to, UINT32_MAX, UINT32_MAX);
}

void Mutation::removeControlEdge(Node *from, Node *to) {
  if (&from->root() != &to->root() || !hasEdge(from, to))
    throwError(ErrorKind::Value, "there is no control edge from ", from->describe(), " to ",
               to->describe());
  Impl::unlinkControl(from, to);
}

} // namespace ge
