//===- EditChecks.cpp -------------------------------------------------------------------------===//
#include "EditChecks.h"

#include "ge/IR/Analysis.h"
#include "ge/Ops/Infer/TypeEdits.h"
#include "ge/Ops/Infer/VerifyOps.h"

#include <algorithm>

namespace ge {

std::vector<Graph *> graphsOf(const PassTarget &target) {
  std::vector<Graph *> graphs;
  forEachGraph(target, [&](Graph *graph) { graphs.push_back(graph); });
  return graphs;
}

static void throwAny(std::vector<Diagnostic> faults) {
  if (!faults.empty())
    throw Error(ErrorKind::Verify, std::move(faults));
}

EditChecks::EditChecks(const PassTarget &target) : target_(target), graphs_(graphsOf(target)) {
  for (const Graph *graph : graphs_)
    marks_.push_back(markEdits(graph->root()));
}

/// Returns whether the edits alone show that nothing is wrong; see areEditsSound.
bool EditChecks::looksRight() const {
  if (target_.module && graphsOf(target_) != graphs_)
    return false; // new graphs, which others may refer to by name
  const Module *module = target_.module ? target_.module : target_.graph->module();
  return std::ranges::all_of(marks_,
                             [&](const EditMark &mark) { return areEditsSound(mark, module); });
}

uint64_t KnownGraphs::changesOf(const PassTarget &target) {
  uint64_t changes = 0;
  forEachGraph(target, [&](const Graph *graph) { changes += graph->root().changeCount() + 1; });
  return changes;
}

KnownGraphs::State EditChecks::checkStructure(bool whole, KnownGraphs::State before) const {
  using State = KnownGraphs::State;
  if (!whole && before != State::Unknown) {
    if (looksRight())
      return before;
  } else if (!whole) {
    // Verifies everything the first time; later, only the edits are inspected.
    auto all = [this](const auto &is) {
      bool allAre = true;
      forEachGraph(target_, [&](const Graph *g) { allAre = allAre && is(g->root().graph()); });
      return allAre;
    };
    if (all([&](const Graph *graph) { return isSoundInListOrder(graph, graph->module()); }))
      return State::Sound;
    if (looksRight() && all(isInListOrder))
      return State::InOrder;
  }
  std::vector<Diagnostic> wrong = target_.module ? verify(*target_.module) : verify(target_.graph);
  if (!wrong.empty() && !whole) {
    std::vector<Graph *> graphs = graphsOf(target_);
    wrong = verifyEdits(std::vector<const Graph *>(graphs.begin(), graphs.end()), target_.module,
                        marks_);
  }
  throwAny(std::move(wrong));
  return State::Unknown;
}

void EditChecks::checkDefinitions() const { throwAny(definitionFaultsOfEdits(marks_)); }

void EditChecks::checkTypes() const { throwAny(typeFaultsOfEdits(marks_)); }

} // namespace ge
