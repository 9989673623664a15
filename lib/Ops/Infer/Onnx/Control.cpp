//===- Control.cpp - If, Loop, Scan, SequenceMap ----------------------------------------------===//
#include "../InferRows.h"

#include "ge/Ops/Infer/Branches.h"

#include <algorithm>

namespace ge {
namespace {

const Type *tensorOf(InferContext &c, DType dtype, std::span<const Dim> shape) {
  TensorTypeSpec spec;
  spec.dtype = dtype;
  spec.shape = shape;
  return c.context().tensorType(spec);
}

/// `type` with a further dimension at `axis`; unranked types stay.
const Type *withDim(InferContext &c, const Type *type, int64_t axis, Dim dim) {
  if (!type->isTensor() || !type->isRanked())
    return type;
  int64_t rank = int64_t(type->shape().size()) + 1;
  if (axis < -rank || axis >= rank)
    return c.context().unknownType();
  Dims dims(type->shape().begin(), type->shape().end());
  dims.insert(dims.begin() + (axis < 0 ? axis + rank : axis), dim);
  return tensorOf(c, type->dtype(), dims);
}

/// `type` without the dimension at `axis`, which is returned in `dim`.
const Type *withoutDim(InferContext &c, const Type *type, int64_t axis, Dim &dim) {
  if (!type->isTensor() || !type->isRanked())
    return type;
  int64_t rank = int64_t(type->shape().size());
  if (axis < -rank || axis >= rank)
    return c.context().unknownType();
  Dims dims(type->shape().begin(), type->shape().end());
  auto at = dims.begin() + (axis < 0 ? axis + rank : axis);
  dim = *at;
  dims.erase(at);
  return tensorOf(c, type->dtype(), dims);
}

/// The subgraph, with as many inputs and outputs as the node is made for; null after an error.
Graph *body(InferContext &c, std::string_view slot, size_t inputs, size_t outputs) {
  Graph *graph = c.subgraph(slot);
  if (!graph)
    c.fail("needs the subgraph '", slot, "'");
  else if (graph->numInputs() != inputs)
    c.fail("subgraph '", slot, "' has ", graph->numInputs(), " inputs, but gets ", inputs);
  else if (graph->numOutputs() != outputs)
    c.fail("subgraph '", slot, "' has ", graph->numOutputs(), " outputs, but ", outputs,
           " are needed");
  else
    return graph;
  return nullptr;
}

/// "The tensor must contain a single element": Where's condition is not If's.
bool isOneElement(const Type *type) {
  if (!type->isTensor() || !type->isRanked())
    return true;
  return std::ranges::all_of(type->shape(),
                             [](const Dim &dim) { return !dim.isStatic() || dim.size == 1; });
}

void ifElse(InferContext &c) {
  if (c.has(0) && !isOneElement(c.operand(0)))
    return c.failAt(0, "is ", shortType(c.operand(0)), ", but a condition has one element");
  std::vector<const Type *> yes, no;
  // The other branch may not fit the sizes that decide the condition.
  if (std::string_view taken = takenBranch(c.contents(0)); !taken.empty()) {
    Graph *branch = body(c, taken, 0, c.numResults());
    if (!branch || !c.inferSubgraph(branch, {}, false, yes))
      return;
    for (uint32_t i = 0; i != c.numResults(); ++i)
      c.setResult(i, yes[i]);
    return;
  }
  Graph *thenBranch = body(c, "then_branch", 0, c.numResults());
  if (!thenBranch || !c.inferSubgraph(thenBranch, {}, false, yes))
    return;
  Graph *elseBranch = body(c, "else_branch", 0, c.numResults());
  if (!elseBranch || !c.inferSubgraph(elseBranch, {}, false, no))
    return;
  for (uint32_t i = 0; i != c.numResults(); ++i) {
    c.setResult(i, joinTypes(yes[i], no[i]));
    const Type *a = yes[i], *b = no[i];
    bool differs = a->isTensor() && b->isTensor() && a->dtype() != b->dtype();
    if (differs)
      return c.fail("result ", i, " is ", shortType(a), " from 'then_branch' and ", shortType(b),
                    " from 'else_branch'; the element types must be equal");
  }
}

/// The declared type of a body's input is preferred to a scalar, because files declare {1}, too.
const Type *scalarFor(InferContext &c, Graph *graph, uint32_t input, DType dtype) {
  const Type *declared = graph->input(input)->type();
  return isKnownType(declared) ? nullptr : tensorOf(c, dtype, {});
}

/// M, cond, carried values. The body's inputs: iteration, cond, carried values; its outputs: cond,
/// carried values, scan outputs.
void loop(InferContext &c) {
  size_t carried = c.numOperands() > 2 ? c.numOperands() - 2 : 0;
  if (c.numResults() < carried)
    return c.fail("has ", c.numResults(), " results, but carries ", carried, " values");
  Graph *graph = body(c, "body", carried + 2, c.numResults() + 1);
  if (!graph)
    return;
  const Type *unknown = c.context().unknownType();
  std::vector<const Type *> inputs{scalarFor(c, graph, 0, DType::I64),
                                   scalarFor(c, graph, 1, DType::Bool)};
  for (uint32_t i = 0; i != carried; ++i)
    inputs.push_back(c.has(i + 2) ? c.operand(i + 2) : unknown);
  // A carried value has the type of all iterations: it is widened until it holds.
  std::vector<const Type *> outputs;
  bool holds = carried == 0;
  for (int round = 0; round != 3 && !holds; ++round) {
    if (!c.inferSubgraph(graph, inputs, true, outputs))
      return;
    holds = true;
    for (size_t i = 0; i != carried; ++i) {
      const Type *before = inputs[i + 2], *after = outputs[i + 1];
      if (before->isTensor() && after->isTensor() && before->dtype() != after->dtype() &&
          before->dtype() != DType::Undefined && after->dtype() != DType::Undefined)
        return c.fail("carried value ", i, " is ", shortType(before), " at first, and ",
                      shortType(after), " after a round; it must keep its element type");
      const Type *joined = joinTypes(before, after);
      holds = holds && joined == inputs[i + 2];
      inputs[i + 2] = round == 2 && joined != inputs[i + 2] ? unknown : joined;
    }
  }
  if (!c.inferSubgraph(graph, inputs, false, outputs))
    return;
  for (uint32_t i = 0; i != c.numResults(); ++i) {
    const Type *out = outputs[i + 1];
    // Without any iteration the result is the initial value.
    c.setResult(i, i < carried ? joinTypes(inputs[i + 2], out) : withDim(c, out, 0, Dim{}));
  }
}

/// State variables, then `num_scan_inputs` operands that are scanned. Version 8 has sequence
/// lengths in front, and a batch dimension before the scanned one.
void scan(InferContext &c) {
  uint32_t front = c.version() < 9 ? 1 : 0;
  int64_t scanned = c.intAttr("num_scan_inputs", -1);
  int64_t total = int64_t(c.numOperands()) - front;
  if (scanned < 1 || scanned > total)
    return c.fail("attribute 'num_scan_inputs' is ", scanned, ", but there are ", total,
                  " operands");
  size_t states = size_t(total - scanned);
  if (c.numResults() < states)
    return c.fail("has ", c.numResults(), " results, but ", states, " state variables");
  Graph *graph = body(c, "body", size_t(total), c.numResults());
  if (!graph)
    return;
  std::vector<int64_t> inAxes = c.intsAttr("scan_input_axes").value_or(std::vector<int64_t>());
  std::vector<int64_t> outAxes = c.intsAttr("scan_output_axes").value_or(std::vector<int64_t>());
  inAxes.resize(size_t(scanned), 0);
  outAxes.resize(c.numResults() - states, 0);
  Dim batch, length;
  bool agrees = true;
  std::vector<const Type *> inputs;
  for (uint32_t i = 0; i != uint32_t(total); ++i) {
    const Type *type = c.has(i + front) ? c.operand(i + front) : c.context().unknownType();
    Dim own;
    if (front)
      type = withoutDim(c, type, 0, batch);
    if (i >= states) {
      type = withoutDim(c, type, front ? 0 : inAxes[i - states], own);
      length = unify(length, own, agrees);
      if (!agrees)
        return c.failAt(i + front, "has another length (", own.size,
                        ") than the other scanned operands");
    }
    inputs.push_back(type);
  }
  std::vector<const Type *> outputs;
  if (!c.inferSubgraph(graph, inputs, false, outputs))
    return;
  for (uint32_t i = 0; i != c.numResults(); ++i) {
    const Type *type = outputs[i];
    if (i < states) // shapes of states must not change
      type = meetTypes(inputs[i], type);
    else
      type = withDim(c, type, front ? 0 : outAxes[i - states], length);
    if (!type)
      return c.fail("state variable ", i, " is ", shortType(inputs[i]), " at first, and ",
                    shortType(outputs[i]), " after a round; it must keep its type");
    c.setResult(i, front ? withDim(c, type, 0, batch) : type);
  }
}

/// A sequence; further sequences are iterated in parallel, and tensors are passed unchanged.
void sequenceMap(InferContext &c) {
  Graph *graph = body(c, "body", c.numOperands(), c.numResults());
  if (!graph)
    return;
  std::vector<const Type *> inputs, outputs;
  for (uint32_t i = 0; i != c.numOperands(); ++i) {
    const Type *type = c.has(i) ? c.operand(i) : c.context().unknownType();
    inputs.push_back(type->kind() == TypeKind::Sequence ? type->element() : type);
  }
  if (!c.inferSubgraph(graph, inputs, false, outputs))
    return;
  for (uint32_t i = 0; i != c.numResults(); ++i)
    if (outputs[i]->kind() != TypeKind::Unknown)
      c.setResult(i, c.context().sequenceType(outputs[i]));
}

constexpr InferRow kControlRows[] = {
    {"If", ifElse},
    {"Loop", loop},
    {"Scan", scan},
    {"SequenceMap", sequenceMap},
};

} // namespace

std::span<const InferRow> controlRows() { return kControlRows; }

} // namespace ge
