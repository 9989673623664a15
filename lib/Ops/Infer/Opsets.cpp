//===- Opsets.cpp - the operator sets of a graph -----------------------------------------------===//
#include "ge/Ops/Infer/Opsets.h"

#include "ge/IR/Domain.h"
#include "ge/IR/Module.h"
#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Ops/Registry/Registry.h"

#include <vector>

namespace ge {

namespace {

uint32_t versionOf(Attribute version) {
  bool fits =
      version.kind() == AttrKind::Int && version.intValue() > 0 && version.intValue() < INT32_MAX;
  return fits ? uint32_t(version.intValue()) : 0;
}

/// Calls `visit(domain, version)` for each entry of an attribute. True from it ends the walk.
template <typename F> bool visitIn(Attribute opsets, const F &visit) {
  if (opsets.kind() == AttrKind::Int)
    return visit(std::string_view("onnx"), versionOf(opsets));
  for (size_t i = 0; opsets.kind() == AttrKind::Dict && i != opsets.size(); ++i)
    if (visit(canonicalDomain(opsets.keys()[i]->str()), versionOf(opsets.elements()[i])))
      return true;
  return false;
}

/// The same for all that is recorded for a graph; what comes first counts.
template <typename F> void visitOpsets(const Graph *graph, const F &visit) {
  while (graph->parentGraph())
    graph = graph->parentGraph();
  const Identifier *keys[] = {graph->context().lookupIdentifier("opset"),
                              graph->context().lookupIdentifier("onnx.opset_imports")};
  auto visitAll = [&](const AttributeList &attributes) {
    for (const Identifier *key : keys)
      if (key && visitIn(attributes.find(key->id()), visit))
        return true;
    return false;
  };
  if (visitAll(graph->attributes()) || !graph->module())
    return;
  ModuleReadAccess access(*graph->module());
  visitAll(graph->module()->attributes());
}

} // namespace

uint32_t opsetOf(const Graph *graph, std::string_view domain) {
  domain = canonicalDomain(domain);
  uint32_t found = 0;
  visitOpsets(graph, [&](std::string_view each, uint32_t version) {
    if (each == domain)
      found = version;
    return found != 0;
  });
  return found;
}

std::map<std::string, uint32_t, std::less<>> opsetsOf(const Graph *graph) {
  std::map<std::string, uint32_t, std::less<>> found;
  visitOpsets(graph, [&](std::string_view domain, uint32_t version) {
    if (version)
      found.try_emplace(std::string(domain), version);
    return false;
  });
  return found;
}

AttrRef opsetsAttr(const Graph &graph) {
  Context &context = graph.context();
  std::vector<const Identifier *> keys;
  std::vector<Attribute> versions;
  for (const auto &[domain, version] : opsetsOf(&graph)) {
    keys.push_back(context.identifier(domain));
    versions.push_back(Attribute::inlineInt(version));
  }
  return context.dictAttr(keys, versions);
}

bool isStandardOperator(const Module &module, const OperatorName &op) {
  const Identifier *mark = module.context().lookupIdentifier("onnx.function");
  uint32_t opset = 0; // functions import their own
  for (size_t i = 0; i != module.numGraphs() && !opset; ++i)
    if (const Graph *graph = module.graph(i); !mark || !graph->attributes().find(mark->id()))
      opset = opsetOf(graph, op.domain());
  OpDefRef def = Registry::global().find(op.domain(), op.type(), op.overload(),
                                         opset ? opset : Registry::kNewest);
  return def && def->since != 0; // records of libraries have no versions
}

} // namespace ge
