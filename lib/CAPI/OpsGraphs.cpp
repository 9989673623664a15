//===- OpsGraphs.cpp - ge-c/Ops.h: graphs against the definitions of their operators ----------===//

#include "Live.h"
#include "Ops.h"

#include "ge/Ops/InferGraph.h"
#include "ge/Ops/VerifyOps.h"

using namespace ge;
using namespace ge::capi;

static void giveUnknown(const std::vector<std::pair<std::string, uint64_t>> &operators,
                        const GeOpReport *report) {
  if (report && report->unknownOperator)
    for (const auto &[op, nodes] : operators)
      report->unknownOperator(stringRef(op), nodes, report->userData);
}

static void giveDiagnostics(const std::vector<Diagnostic> &diagnostics, const GeOpReport *report) {
  if (report && report->diagnostic)
    for (const Diagnostic &diagnostic : diagnostics) {
      GeDiagnostic shown = view(diagnostic);
      report->diagnostic(&shown, report->userData);
    }
}

GeStatus geGraphInferTypes(GeGraphRef *graph, uint32_t opset, const GeOpReport *report,
                           GeInferCounts *out) {
  return interruptible([&] {
    GeInferCounts &counts = result(out);
    InferCounts found;
    {
      Writing<Graph> g(graph, "graph");
      Transaction undo(g.root());
      InferOptions options;
      options.opset = opset;
      found = inferTypes(g.get(), options);
      undo.commit();
    }
    counts = {found.nodes, found.inferred, found.unknown, found.byFallback, found.changed};
    giveUnknown(found.unknownOperators, report);
    if (report && report->fallbackOperator)
      for (const auto &[op, nodes] : found.fallbackOperators)
        report->fallbackOperator(stringRef(op), nodes, report->userData);
    giveDiagnostics(found.diagnostics, report);
  });
}

GeStatus geGraphVerifyDefinitions(GeGraphRef *graph, uint32_t opset, const GeOpReport *report) {
  return interruptible(geRefGetContext(graph), [&] {
    VerifyResult found;
    {
      Reading<Graph> g(graph, "graph");
      VerifyOptions options;
      options.opset = opset;
      found = verifyDefinitions(g.get(), options);
    }
    giveUnknown(found.unknownOperators, report);
    std::vector<Diagnostic> errors, others;
    for (Diagnostic &diagnostic : found.diagnostics)
      (diagnostic.severity == Severity::Error ? errors : others).push_back(std::move(diagnostic));
    giveDiagnostics(others, report);
    if (!errors.empty())
      throw Error(ErrorKind::Verify, std::move(errors));
  });
}
