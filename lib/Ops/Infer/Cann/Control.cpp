//===- Control.cpp - CANN's control flow ------------------------------------------------------===//
#include "../InferRows.h"

#include <algorithm>

namespace ge {
namespace {

std::vector<const Type *> operandTypes(InferContext &c, uint32_t first) {
  std::vector<const Type *> types;
  for (uint32_t i = first; i < c.numOperands(); ++i)
    types.push_back(c.has(i) ? c.operand(i) : c.context().unknownType());
  return types;
}

/// With as many inputs and outputs as the node is made for; null after an error.
Graph *checked(InferContext &c, Graph *graph, size_t inputs, size_t outputs) {
  if (graph->numInputs() == inputs && graph->numOutputs() == outputs)
    return graph;
  c.fail(graph->describe(), " has ", graph->numInputs(), " inputs and ", graph->numOutputs(),
         " outputs, but gets ", inputs, " and must give ", outputs);
  return nullptr;
}

/// Runs all subgraphs with the operands after the first; results have the types that hold for every
/// subgraph.
void branches(InferContext &c) {
  std::vector<const Type *> inputs = operandTypes(c, 1), outputs;
  std::vector<const Type *> joined;
  for (Graph *graph : c.args().subgraphs) {
    if (!checked(c, graph, inputs.size(), c.numResults()) ||
        !c.inferSubgraph(graph, inputs, false, outputs))
      return;
    if (joined.empty())
      joined = outputs;
    else
      for (size_t i = 0; i != joined.size(); ++i)
        joined[i] = joinTypes(joined[i], outputs[i]);
  }
  for (uint32_t i = 0; i < joined.size(); ++i)
    c.setResult(i, joined[i]);
}

/// Finds types of loop-carried values that hold for every iteration: `round` runs the body on trial
/// with the carried types. Returns false if that failed.
template <typename Round>
bool widen(InferContext &c, std::vector<const Type *> &carried, Round round) {
  bool holds = false;
  for (int count = 0; count != 3 && !holds; ++count) {
    std::vector<const Type *> after;
    if (!round(after))
      return false;
    holds = true;
    for (size_t i = 0; i != carried.size(); ++i) {
      const Type *joined = joinTypes(carried[i], after[i]);
      holds = holds && joined == carried[i];
      carried[i] = count == 2 && joined != carried[i] ? c.context().unknownType() : joined;
    }
  }
  return true;
}

void loop(InferContext &c) {
  Graph *condition = c.subgraph("cond"), *body = c.subgraph("body");
  std::vector<const Type *> carried = operandTypes(c, 0), outputs;
  if (!condition || !body)
    return c.fail("needs the subgraphs 'cond' and 'body'");
  if (carried.size() != c.numResults())
    return c.fail("has ", carried.size(), " operands and ", c.numResults(),
                  " results; as many of both are needed");
  if (!checked(c, condition, carried.size(), 1) ||
      !checked(c, body, carried.size(), carried.size()))
    return;
  if (!widen(c, carried, [&](std::vector<const Type *> &after) {
        return c.inferSubgraph(body, carried, true, after);
      }))
    return;
  if (!c.inferSubgraph(condition, carried, false, outputs) ||
      !c.inferSubgraph(body, carried, false, outputs))
    return;
  for (uint32_t i = 0; i < carried.size(); ++i)
    c.setResult(i, joinTypes(carried[i], outputs[i]));
}

/// start, limit, delta, then loop-carried values; a body with one more input gets the index first.
void forLoop(InferContext &c) {
  Graph *body = c.subgraph("body");
  std::vector<const Type *> carried = operandTypes(c, 3), outputs;
  if (!body)
    return c.fail("needs the subgraph 'body'");
  if (carried.size() != c.numResults())
    return c.fail("has ", carried.size(), " operands after 'delta' and ", c.numResults(),
                  " results; as many of both are needed");
  bool takesNumber = body->numInputs() == carried.size() + 1;
  if (!checked(c, body, carried.size() + takesNumber, carried.size()))
    return;
  auto inputs = [&] {
    std::vector<const Type *> types = carried;
    if (takesNumber)
      types.insert(types.begin(), c.has(0) ? c.operand(0) : c.context().unknownType());
    return types;
  };
  if (!widen(c, carried, [&](std::vector<const Type *> &after) {
        return c.inferSubgraph(body, inputs(), true, after);
      }))
    return;
  if (!c.inferSubgraph(body, inputs(), false, outputs))
    return;
  for (uint32_t i = 0; i < carried.size(); ++i)
    c.setResult(i, joinTypes(carried[i], outputs[i]));
}

/// Both results are the operand; at run time only one of them is set.
void switchData(InferContext &c) {
  for (uint32_t i = 0; i != c.numResults(); ++i)
    if (c.has(0))
      c.setResult(i, c.operand(0));
}

void merge(InferContext &c) {
  const Type *joined = nullptr;
  for (uint32_t i = 0; i != c.numOperands(); ++i)
    if (c.has(i))
      joined = joined ? joinTypes(joined, c.operand(i)) : c.operand(i);
  if (joined)
    c.setResult(0, joined);
  c.setTensor(1, DType::I32, Dims());
}

void call(InferContext &c) {
  if (c.args().subgraphs.size() != 1)
    return;
  std::vector<const Type *> inputs = operandTypes(c, 0), outputs;
  Graph *graph = checked(c, c.args().subgraphs[0], inputs.size(), c.numResults());
  if (!graph || !c.inferSubgraph(graph, inputs, false, outputs))
    return;
  for (uint32_t i = 0; i < outputs.size(); ++i)
    c.setResult(i, outputs[i]);
}

constexpr InferRow kControlRows[] = {
    {"If", branches},          {"StatelessIf", branches},
    {"Case", branches},        {"While", loop},
    {"StatelessWhile", loop},  {"For", forLoop},
    {"Switch", switchData},    {"Merge", merge},
    {"PartitionedCall", call}, {"StatefulPartitionedCall", call},
};

} // namespace

std::span<const InferRow> geControlRows() { return kControlRows; }

} // namespace ge
