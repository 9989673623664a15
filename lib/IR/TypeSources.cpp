//===- TypeSources.cpp - where types come from, for what keeps a graph as text -------------------===//
#include "ge/IR/Analysis.h"

namespace ge {

namespace {

/// Results of listed nodes and of inputs, in list order, inner graphs after their node.
template <typename Visit> void forEachResult(const Graph *graph, Visit visit) {
  auto results = [&](const Node *node) {
    for (uint32_t i = 0; i != node->numResults(); ++i)
      visit(node->result(i));
  };
  for (const Node *input : graph->inputNodes())
    results(input);
  for (const Node *node = graph->front(); node; node = node->next()) {
    results(node);
    if (node->extra())
      for (const Graph *inner : node->subgraphs())
        forEachResult(inner, visit);
  }
}

} // namespace

std::string typeSources(const Graph *graph) {
  std::string bits;
  size_t count = 0;
  forEachResult(graph, [&](const Value *value) {
    size_t at = count++;
    if (value->typeSource() == TypeSource::Declared)
      return;
    bits.resize(at / 8 + 1);
    bits[at / 8] = char(uint8_t(bits[at / 8]) | (1u << (at % 8)));
  });
  return bits;
}

void setTypeSources(Graph *graph, std::string_view bits) {
  size_t count = 0;
  forEachResult(graph, [&](Value *value) {
    size_t at = count++;
    if (at / 8 < bits.size() && (uint8_t(bits[at / 8]) >> (at % 8)) & 1)
      Mutation::confirmType(value);
  });
}

} // namespace ge
