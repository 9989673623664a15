//===- Functions.cpp - the functions of a model -----------------------------------------------===//
//
// Looks up functions and rewrites nothing, so it needs no matcher.
//
#include "Functions.h"

#include "PassEditor.h"

#include "ge/Ops/Infer/Opsets.h"

namespace ge::builtin {

static Attribute functionAttribute(const Graph &graph) {
  const Identifier *key = graph.context().lookupIdentifier("onnx.function");
  return key ? graph.attributes().find(key->id()) : Attribute();
}

bool isFunction(const Graph &graph) { return functionAttribute(graph).kind() == AttrKind::Dict; }

/// "domain", "name", "overload" of a function graph.
static std::string functionPart(const Graph &graph, std::string_view part) {
  Attribute text = functionAttribute(graph).entry(part);
  return text.kind() == AttrKind::String ? std::string(text.stringValue()) : std::string();
}

Functions::Functions(const Module &module) : module_(module) {
  for (size_t i = 0; i != module.numGraphs(); ++i) {
    Graph *graph = module.graph(i);
    std::string name = isFunction(*graph) ? functionPart(*graph, "name") : std::string();
    if (name.empty()) // its callers are unknown
      continue;
    std::string domain = functionPart(*graph, "domain");
    const OperatorName *op = module.context().operatorName(domain.empty() ? "onnx" : domain, name,
                                                           functionPart(*graph, "overload"));
    if (isStandardOperator(module, *op)) // no runtime calls the function
      continue;
    byOperator_[op].push_back(graph);
    named_.insert(graph);
  }
}

std::span<Graph *const> Functions::of(const OperatorName *op) const {
  auto found = byOperator_.find(op);
  return found == byOperator_.end() ? std::span<Graph *const>() : found->second;
}

std::vector<Graph *> Functions::uncalled() const {
  std::vector<Graph *> work, uncalled;
  for (size_t i = 0; i != module_.numGraphs(); ++i)
    if (!named_.contains(module_.graph(i)))
      work.push_back(module_.graph(i));
  std::unordered_set<const Graph *> called;
  while (!work.empty()) {
    Graph *graph = work.back();
    work.pop_back();
    for (Graph *inner : allGraphs(*graph))
      for (const Node *node = inner->front(); node; node = node->next())
        for (Graph *function : of(node->op()))
          if (called.insert(function).second)
            work.push_back(function);
  }
  for (size_t i = 0; i != module_.numGraphs(); ++i)
    if (Graph *graph = module_.graph(i); named_.contains(graph) && !called.contains(graph))
      uncalled.push_back(graph);
  return uncalled;
}

} // namespace ge::builtin
