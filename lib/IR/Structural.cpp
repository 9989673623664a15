//===- Structural.cpp - equality and hashes of what graphs compute ----------------------------===//
//
// Names, locations, origins and the order of nodes are not part of the structure.
//
// Two graphs are walked in parallel from their outputs; afterwards, nodes that feed no output are
// compared in their stable topological order. The first pairing of two nodes is the only possible
// one.
//
#include "ge/IR/Analysis.h"
#include "ge/IR/Segments.h"
#include "ge/Support/Interrupt.h"

#include <algorithm>
#include <unordered_map>

namespace ge {

namespace {

uint32_t usedOperands(const Node *node) {
  uint32_t count = node->numOperands();
  while (count && !node->operand(count - 1))
    --count;
  return count;
}

/// Data nodes are compared without `index`, which is their position, and all nodes without
/// attributes that describe the file, which contain inner names.
bool isCompared(const Node *node, std::string_view name) {
  return !(node && node->isData() && name == "index") && name != "onnx.layout" &&
         name != kOriginalNames && name != "onnx.sparse_initializer";
}

bool typesEqual(const Type *a, const Type *b) {
  return a == b || (&a->context() != &b->context() && a->str() == b->str());
}

uint64_t hashType(const Type *type) { return hashBytes(type->str()); }

/// Finds attributes by name; for long lists with a table that is built once.
class AttributeFinder {
public:
  explicit AttributeFinder(const AttributeList &list) : list_(list) {}
  Attribute find(uint32_t nameId) {
    if (next_ < list_.size() && list_.nameIdAt(next_) == nameId)
      return list_.at(next_++); // lists usually have the same order
    if (list_.size() <= kLong)
      return list_.find(nameId);
    if (places_.empty())
      for (uint32_t i = 0; i < list_.size(); ++i)
        places_.emplace(list_.nameIdAt(i), i);
    auto found = places_.find(nameId);
    return found == places_.end() ? Attribute() : list_.at(found->second);
  }

private:
  static constexpr uint32_t kLong = 32;
  const AttributeList &list_;
  uint32_t next_ = 0;
  std::unordered_map<uint32_t, uint32_t> places_;
};

/// Attributes by name, whatever their order and context.
bool attributesEqual(const AttributeList &a, const Context &ca, const AttributeList &b,
                     const Context &cb) {
  auto count = [](const AttributeList &list, const Context &context) {
    uint32_t compared = 0;
    for (uint32_t i = 0; i < list.size(); ++i)
      compared += isCompared(nullptr, context.identifierAt(list.nameIdAt(i))->str());
    return compared;
  };
  if (count(a, ca) != count(b, cb))
    return false;
  AttributeFinder others(b);
  for (uint32_t i = 0; i < a.size(); ++i) {
    Attribute other;
    if (!isCompared(nullptr, ca.identifierAt(a.nameIdAt(i))->str()))
      continue;
    if (&ca == &cb) {
      other = others.find(a.nameIdAt(i));
    } else {
      const Identifier *name = cb.lookupIdentifier(ca.identifierAt(a.nameIdAt(i))->str());
      other = name ? others.find(name->id()) : Attribute();
    }
    if (!other || !attrEquals(a.at(i), other))
      return false;
  }
  return true;
}

uint64_t hashAttributes(const AttributeList &attributes, const Context &context, const Node *node) {
  uint64_t sum = 0; // independent of the order
  for (uint32_t i = 0; i < attributes.size(); ++i) {
    std::string_view name = context.identifierAt(attributes.nameIdAt(i))->str();
    if (isCompared(node, name))
      sum += hashCombine(hashBytes(name), attrHash(attributes.at(i)));
  }
  return sum;
}

class Comparer {
public:
  bool graphs(const Graph *a, const Graph *b) {
    if (a->numNodes() != b->numNodes() || a->numInputs() != b->numInputs() ||
        a->numOutputs() != b->numOutputs() ||
        !attributesEqual(a->attributes(), a->context(), b->attributes(), b->context()))
      return false;
    // Pairs of nested graphs are queued: comparing them here would recurse as deep as the graphs
    // are long.
    size_t mark = work_.size();
    for (uint32_t i = 0; i < a->numInputs(); ++i)
      if (!pair(a->inputNodes()[i], b->inputNodes()[i]) || !drain(mark))
        return false;
    if (!pair(a->output(), b->output()) || !drain(mark))
      return false;
    // Nodes that no output needs: the i-th remaining one on one side with the i-th on the other.
    std::vector<Node *> left = leftOver(a), right = leftOver(b);
    size_t next = 0;
    for (Node *node : left) {
      interrupt_.poll();
      if (partner_.contains(node))
        continue;
      while (next < right.size() && taken_.contains(right[next]))
        ++next;
      if (next == right.size() || !pair(node, right[next]) || !drain(mark))
        return false;
    }
    return true;
  }

  bool nodes(const Node *a, const Node *b) { return pair(a, b) && drain(0); }

private:
  std::vector<Node *> leftOver(const Graph *graph) {
    std::vector<Node *> order, rest;
    if (!graph->topologicalOrder(order))
      for (Node *node = graph->front(); node; node = node->next())
        order.push_back(node);
    // In reverse order: a node before its producers.
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      interrupt_.poll();
      if (!partner_.contains(*it) && !taken_.contains(*it))
        rest.push_back(*it);
    }
    return rest;
  }

  bool pair(const Node *a, const Node *b) {
    auto [it, isNew] = partner_.emplace(a, b);
    if (!isNew)
      return it->second == b;
    if (!taken_.emplace(b, a).second)
      return false;
    // A node outside of both graphs, with everything that it depends on, is equal to itself.
    if (a != b)
      work_.emplace_back(a, b);
    return true;
  }

  bool drain(size_t mark) {
    while (work_.size() > mark) {
      auto [a, b] = work_.back();
      work_.pop_back();
      interrupt_.poll();
      if (!same(a, b))
        return false;
    }
    return true;
  }

  bool same(const Node *a, const Node *b) {
    if (a->op()->str() != b->op()->str() || a->isData() != b->isData() ||
        a->numResults() != b->numResults() || usedOperands(a) != usedOperands(b) ||
        a->controlInputs().size() != b->controlInputs().size() ||
        a->subgraphs().size() != b->subgraphs().size() ||
        !attributesEqual(a->attributes(), a->context(), b->attributes(), b->context()) ||
        !sameSegments(a, b))
      return false;
    for (uint32_t i = 0; i < a->numResults(); ++i) {
      interrupt_.poll();
      if (!typesEqual(a->result(i)->type(), b->result(i)->type()))
        return false;
    }
    for (uint32_t i = 0, n = usedOperands(a); i < n; ++i) {
      interrupt_.poll();
      const Value *va = a->operand(i), *vb = b->operand(i);
      if (!va != !vb)
        return false;
      if (va && (va->index() != vb->index() || !pair(va->node(), vb->node())))
        return false;
    }
    for (size_t i = 0; i < a->controlInputs().size(); ++i)
      if (!pair(a->controlInputs()[i], b->controlInputs()[i]))
        return false;
    for (size_t i = 0; i < a->subgraphs().size(); ++i)
      if (a->subgraphs()[i]->slot() != b->subgraphs()[i]->slot() ||
          !graphs(a->subgraphs()[i], b->subgraphs()[i]))
        return false;
    return true;
  }

  Interrupt interrupt_;
  std::unordered_map<const Node *, const Node *> partner_, taken_;
  std::vector<std::pair<const Node *, const Node *>> work_;
};

uint64_t hashShallow(const Node *node) {
  uint64_t hash = hashBytes(node->op()->str());
  hash = hashCombine(hash, hashAttributes(node->attributes(), node->context(), node));
  hash = hashCombine(hash, usedOperands(node));
  hash = hashCombine(hash, node->controlInputs().size());
  if (uint64_t segments = hashSegments(node))
    hash = hashCombine(hash, segments);
  for (uint32_t i = 0; i < node->numResults(); ++i)
    hash = hashCombine(hash, hashType(node->result(i)->type()));
  for (const Graph *inner : node->subgraphs())
    hash = hashCombine(hash, hashCombine(hashBytes(inner->slot()), structuralHash(inner)));
  return hash;
}

} // namespace

bool isStructurallyEqual(const Graph *a, const Graph *b) {
  return a == b || Comparer().graphs(a, b);
}

bool isStructurallyEqual(const Node *a, const Node *b) {
  if (a == b)
    return true;
  if (&a->root() != &b->root())
    return Comparer().nodes(a, b);
  if (a->op() != b->op() || a->numResults() != b->numResults() ||
      usedOperands(a) != usedOperands(b) || a->subgraphs().size() != b->subgraphs().size() ||
      !attributesEqual(a->attributes(), a->context(), b->attributes(), b->context()) ||
      !sameSegments(a, b))
    return false;
  for (uint32_t i = 0; i < a->numResults(); ++i)
    if (a->result(i)->typeId() != b->result(i)->typeId())
      return false;
  for (uint32_t i = 0, n = usedOperands(a); i < n; ++i)
    if (a->operand(i) != b->operand(i))
      return false;
  for (size_t i = 0; i < a->subgraphs().size(); ++i)
    if (a->subgraphs()[i]->slot() != b->subgraphs()[i]->slot() ||
        !isStructurallyEqual(a->subgraphs()[i], b->subgraphs()[i]))
      return false;
  return true;
}

bool isStructurallyEqual(const Module &a, const Module &b) {
  if (a.numGraphs() != b.numGraphs() ||
      !attributesEqual(a.attributes(), a.context(), b.attributes(), b.context()))
    return false;
  for (size_t i = 0; i < a.numGraphs(); ++i) {
    Interrupt::look();
    const Graph *other = b.find(a.graph(i)->name());
    if (!other || !isStructurallyEqual(a.graph(i), other))
      return false;
  }
  return true;
}

// The hash is a sum over nodes of a hash of the node and of its sources, so that the order of nodes
// does not matter and cycles are harmless.
uint64_t structuralHash(const Graph *graph) {
  uint64_t hash = hashAttributes(graph->attributes(), graph->context(), nullptr);
  hash = hashCombine(hash, graph->numNodes());
  std::unordered_map<const Node *, uint64_t> shallow;
  uint64_t sum = 0;
  Interrupt interrupt;
  auto of = [&](const Node *node) {
    // A value from outside: its node may enclose this one.
    if (node->graph() != graph)
      return hashBytes(node->op()->str());
    auto [it, isNew] = shallow.try_emplace(node, 0);
    if (isNew) {
      uint64_t own = hashShallow(node);
      shallow[node] = own;
      return own;
    }
    return it->second;
  };
  auto add = [&](const Node *node, uint64_t seed) {
    interrupt.poll();
    uint64_t own = hashCombine(seed, of(node));
    for (uint32_t i = 0, n = usedOperands(node); i < n; ++i) {
      interrupt.poll();
      const Value *value = node->operand(i);
      own = hashCombine(own, value ? hashCombine(of(value->node()), value->index()) : 0);
    }
    sum += own;
  };
  for (uint32_t i = 0; i < graph->numInputs(); ++i)
    add(graph->inputNodes()[i], i + 1);
  for (const Node *node = graph->front(); node; node = node->next())
    add(node, 0);
  add(graph->output(), 7);
  return hashCombine(hash, sum);
}

uint64_t structuralHash(const Node *node) { return hashShallow(node); }

} // namespace ge
