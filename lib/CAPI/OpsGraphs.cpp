//===- OpsGraphs.cpp - ge-c/Ops.h: graphs against the definitions of their operators ----------===//

#include "Live.h"
#include "Ops.h"

#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Ops/Infer/VerifyOps.h"
#include "ge/Ops/Registry/DomainLoader.h"
#include "ge/Support/Interrupt.h"

#include <algorithm>
#include <iterator>
#include <map>

using namespace ge;
using namespace ge::capi;

static void giveUnknown(const std::vector<std::pair<std::string, uint64_t>> &operators,
                        const GeOpReport &report) {
  if (report.unknownOperator)
    for (const auto &[op, nodes] : operators)
      report.unknownOperator(stringRef(op), nodes, report.userData);
}

static void giveDiagnostics(const std::vector<Diagnostic> &diagnostics, const GeOpReport &report) {
  if (report.diagnostic)
    for (const Diagnostic &diagnostic : diagnostics) {
      GeDiagnostic shown = view(diagnostic);
      report.diagnostic(&shown, report.userData);
    }
}

/// Called before the function takes its own access. Does not walk the graph without a loader.
static void loadDomainsOf(GeGraphRef *graph) {
  if (!graph)
    throwNull("graph");
  if (!hasDomainLoader())
    return;
  std::vector<std::string> domains;
  {
    Reading<Graph> g(graph, "graph");
    domains = unmetDomains(*g.get());
  }
  loadDomains(domains);
}

GeStatus geGraphLoadDomains(GeGraphRef *graph) {
  return guarded([&] { loadDomainsOf(graph); });
}

GeStatus geOpsSetDomainLoader(GeDomainLoader load, void *userData) {
  return guarded([&] {
    DomainLoader loader;
    if (load)
      loader = [load, userData](std::string_view domain) {
        InterruptPause pause;
        load(stringRef(domain), userData);
      };
    setDomainLoader(std::move(loader));
  });
}

GeStatus geGraphInferTypes(GeGraphRef *graph, uint32_t opset, const GeOpReport *given,
                           GeInferCounts *out) {
  return interruptible([&] {
    GeOpReport report = sizedOr(given, "GeOpReport");
    needSized(out, "GeInferCounts");
    loadDomainsOf(graph);
    InferCounts found;
    {
      Writing<Graph> g(graph, "graph");
      Transaction undo(g.root());
      InferOptions options;
      options.opset = opset;
      found = inferTypes(g.get(), options);
      undo.commit();
    }
    GeInferCounts counts = {sizeof counts, found.nodes,      found.inferred,
                            found.unknown, found.byFallback, found.changed};
    writeSized(counts, out);
    giveUnknown(found.unknownOperators, report);
    if (report.fallbackOperator)
      for (const auto &[op, nodes] : found.fallbackOperators)
        report.fallbackOperator(stringRef(op), nodes, report.userData);
    giveDiagnostics(found.diagnostics, report);
  });
}

static void findDisputes(const Graph *graph, DisputedTypes &types, Interrupt &interrupt,
                         std::vector<std::pair<Value *, const std::string *>> &out) {
  for (Node *node = graph->front(); node; node = node->next()) {
    for (uint32_t i = 0; i != node->numResults(); ++i) {
      interrupt.poll();
      if (const std::string *dispute = types.find(node->result(i)))
        out.emplace_back(node->result(i), dispute);
    }
    for (Graph *inner : node->subgraphs())
      findDisputes(inner, types, interrupt, out);
  }
}

GeStatus geGraphFindTypeDisputes(GeGraphRef *graph, GeTypeDispute callback, void *userData) {
  return interruptible(geRefGetContext(graph), [&] {
    if (!callback)
      throwNull("callback");
    loadDomainsOf(graph);
    Reading<Graph> g(graph, "graph");
    DisputedTypes types(g.get(), false);
    std::vector<std::pair<Value *, const std::string *>> found;
    Interrupt interrupt;
    findDisputes(g.get(), types, interrupt, found);
    for (const auto &[value, dispute] : found) {
      interrupt.poll();
      GeValueRef *shown = newRef(value);
      callback(shown, stringRef(*dispute), userData);
      geValueRelease(shown);
    }
  });
}

/// Reports warnings; throws with the errors, if there are any.
static void conclude(std::vector<Diagnostic> diagnostics, const GeOpReport &report) {
  std::vector<Diagnostic> errors, others;
  for (Diagnostic &diagnostic : diagnostics)
    (diagnostic.severity == Severity::Error ? errors : others).push_back(std::move(diagnostic));
  giveDiagnostics(others, report);
  if (!errors.empty())
    throw Error(ErrorKind::Verify, std::move(errors));
}

GeStatus geGraphVerifyDefinitions(GeGraphRef *graph, uint32_t opset, const GeOpReport *given) {
  return interruptible(geRefGetContext(graph), [&] {
    GeOpReport report = sizedOr(given, "GeOpReport");
    loadDomainsOf(graph);
    VerifyResult found;
    {
      Reading<Graph> g(graph, "graph");
      VerifyOptions options;
      options.opset = opset;
      found = verifyDefinitions(g.get(), options);
    }
    giveUnknown(found.unknownOperators, report);
    conclude(std::move(found.diagnostics), report);
  });
}

GeStatus geModuleVerifyDefinitions(GeModule *module, const GeOpReport *given) {
  return interruptible(geModuleGetContext(module), [&] {
    GeOpReport report = sizedOr(given, "GeOpReport");
    auto read = [&](auto &&visit) {
      LiveModule<Access::Read> m(module, "module");
      ModuleGraphs graphs(*m.get());
      visit(*m.get());
    };
    if (hasDomainLoader()) {
      std::vector<std::string> domains;
      read([&](const Module &m) { domains = unmetDomains(m); });
      loadDomains(domains);
    }
    std::map<std::string, uint64_t> unknown;
    std::vector<Diagnostic> diagnostics;
    read([&](const Module &m) {
      for (size_t i = 0; i != m.numGraphs(); ++i) {
        Interrupt::look();
        VerifyResult found = verifyDefinitions(m.graph(i));
        for (const auto &[op, nodes] : found.unknownOperators)
          unknown[op] += nodes;
        std::ranges::move(found.diagnostics, std::back_inserter(diagnostics));
      }
    });
    giveUnknown({unknown.begin(), unknown.end()}, report);
    conclude(std::move(diagnostics), report);
  });
}
