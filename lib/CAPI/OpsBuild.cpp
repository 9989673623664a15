//===- OpsBuild.cpp - ge-c/Ops.h: nodes from operators, with inferred types -------------------===//

#include "NewSubgraphs.h"
#include "NodeSegments.h"
#include "Ops.h"

#include "ge/Ops/Infer/Infer.h"
#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Ops/Infer/VerifyOps.h"
#include "ge/Ops/Schema/OpSegments.h"
#include "ge/Support/Few.h"
#include "ge/Support/StringUtil.h"

#include <algorithm>
#include <vector>

using namespace ge;
using namespace ge::capi;

namespace {

void inferInto(const OpDef &def, uint32_t opset, Root &root, const OperatorName *op,
               std::span<Value *const> operands, std::span<const int32_t> segments,
               std::span<const NamedAttribute> attributes, const Node *node,
               std::span<const Type *> types) {
  Few<const Type *> given(operands.size(), nullptr);
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i])
      given.get()[i] = operands[i]->type();
  InferArgs args;
  Context &context = root.context();
  args.context = &context;
  args.op = op;
  args.root = &root;
  args.def = &def;
  args.opset = opset;
  args.operands = given.get();
  args.values = operands;
  args.attributes = attributes;
  args.operandSegments = segments;
  args.checksElementTypes = true;
  if (node) {
    args.attributeList = &node->attributes();
    args.subgraphs = node->subgraphs();
    args.resultSegments = node->resultSegments();
  }
  InferOutcome outcome = infer(args, types);
  if (outcome.status == InferStatus::Failed)
    throw Error(ErrorKind::Verify, cat(def.qualifiedName(), "(): ", outcome.message));
  for (const Type *&type : types)
    if (!type)
      type = context.unknownType();
}

/// The innermost graph of the operands; none of them is detached.
Graph *graphOf(std::span<Value *const> operands) {
  Graph *found = nullptr;
  for (const Value *value : operands) {
    Graph *graph = value ? value->node()->graph() : nullptr;
    if (graph && graph != found && (!found || graph->depth() > found->depth()))
      found = graph;
  }
  if (!found)
    throwError(ErrorKind::Value, "no operand is in a graph");
  return found;
}

/// A graph sees its own values and those of the graphs around it.
void needVisible(const OpDef &def, std::span<Value *const> operands, const Graph *graph) {
  for (size_t i = 0; i < operands.size(); ++i) {
    const Graph *home = operands[i] ? operands[i]->node()->graph() : nullptr;
    if (home && !home->encloses(graph))
      throw Error(ErrorKind::Verify,
                  cat(def.qualifiedName(), "(): operand ", i, " is a result of ",
                      operands[i]->node()->describe(), ", which is in graph '", home->name(),
                      "'; from graph '", graph->name(),
                      "' only its own values can be used and those of the graphs around it"));
  }
}

/// Replaces inferred types by their meet with those that the caller declares; null entries and a
/// null array declare nothing.
void declareTypes(Context &context, const OpDef &def, const GeType *declared,
                  std::span<const Type *> types) {
  for (size_t i = 0; declared && i < types.size(); ++i) {
    const Type *type = nullOrIn(context, declared[i], "resultTypes");
    if (!type)
      continue;
    const Type *met = meetTypes(type, types[i]);
    if (!met)
      throw Error(ErrorKind::Verify,
                  cat(def.qualifiedName(), "(): result ", i, " is declared as ", shortType(type),
                      ", but inferred as ", shortType(types[i])));
    types[i] = met;
  }
}

/// Makes the node; `live` holds access to the root graph.
template <typename L>
Node *buildIn(const L &live, Graph *graph, Node *before, const OpDef &def, uint32_t opset,
              const GeNodeSpec &spec, bool infers, GeValueRef **results) {
  Peers<Value> given(live, spec.operands, spec.numOperands, "operands", true);
  std::span<const NamedAttribute> attributes{
      reinterpret_cast<const NamedAttribute *>(spec.attributes), spec.numAttributes};
  Few<const Type *> types(spec.numResults, live.context().unknownType());
  NodeSpec wanted;
  wanted.op = need(spec.op, "op");
  std::span<const int32_t> lengths =
      segmentsOf(spec.operandSegments, spec.numOperandSegments, "operandSegments");
  ArrangedOperands arranged(given, lengths,
                            lengths.empty() ? std::nullopt : std::optional(operandSlots(def)));
  std::span<Value *const> operands = arranged.operands();
  if (lengths.empty() && def.hasOperandChoice() && !operands.empty())
    throw Error(ErrorKind::Verify,
                cat(def.qualifiedName(), "(): ", missingSegmentsText(def, false, operands.size())));
  wanted.operands = operands;
  wanted.operandSegments = arranged.lengths();
  wanted.resultSegments = segmentsOf(spec.resultSegments, spec.numResultSegments, "resultSegments");
  if (!wanted.resultSegments.empty())
    checkResultSegments(wanted.resultSegments, spec.numResults, resultSlots(def));
  else if (def.hasResultChoice() && spec.numResults)
    throw Error(ErrorKind::Verify,
                cat(def.qualifiedName(), "(): ", missingSegmentsText(def, true, spec.numResults)));
  wanted.attributes = attributes;
  wanted.name = text(spec.name, "name");
  wanted.location = unwrap(spec.location);
  if (!graph)
    graph = graphOf(operands);
  needVisible(def, operands, graph);
  if (infers)
    inferInto(def, opset, live.root(), wanted.op, operands, wanted.operandSegments, attributes,
              nullptr, types.get());
  declareTypes(live.context(), def, spec.resultTypes, types.get());
  wanted.resultTypes = types.get();
  wanted.typeSource = infers ? TypeSource::Inferred : TypeSource::Declared;
  Node *node = Mutation::create(graph, before, wanted);
  size_t made = 0;
  try {
    for (; made < spec.numResults; ++made)
      results[made] = newRef(node->result(uint32_t(made)));
  } catch (...) {
    while (made > 0)
      geValueRelease(results[--made]);
    Mutation::erase(node, true);
    throw;
  }
  return node;
}

} // namespace

GeStatus geNodeBuild(GeGraphRef *graph, GeNodeRef *before, GeOpDef op, uint32_t opset,
                     const GeNodeSpec *given, GeValueRef **results) {
  return guarded([&] {
    GeNodeSpec spec = sized(given, "GeNodeSpec");
    const OpDef *def = need(op, "op");
    needArray(results, spec.numResults, "results");
    needArray(spec.operands, spec.numOperands, "operands");
    needArray(spec.attributes, spec.numAttributes, "attributes");
    for (size_t i = 0; i < spec.numAttributes; ++i)
      if (!spec.attributes[i].name || !spec.attributes[i].value.bits)
        throwNull("attributes");
    if (!graph && !spec.numSubgraphs && !before) {
      for (size_t i = 0; i < spec.numOperands; ++i)
        if (spec.operands[i]) {
          Writing<Value> first(spec.operands[i], "operands");
          buildIn(first, nullptr, nullptr, *def, opset, spec, true, results);
          return;
        }
    }
    Writing<Graph> g(graph, "graph");
    Node *place = g.peerOrNull<Node>(before, "before");
    NewSubgraphs subgraphs(g.root(), g.get(), spec);
    // Results of control flow are inferred when the subgraphs are attached: geNodeInferTypes.
    Node *node = buildIn(g, g.get(), place, *def, opset, spec, spec.numSubgraphs == 0, results);
    try {
      subgraphs.moveInto(node);
    } catch (...) {
      std::for_each_n(results, spec.numResults, geValueRelease);
      throw;
    }
  });
}

GeStatus geTypeMeet(GeType first, GeType second, GeType *out) {
  return guarded([&] {
    GeType &met = result(out);
    const Type *a = need(first, "first"), *b = need(second, "second");
    if (&a->context() != &b->context())
      throwError(ErrorKind::Value, "the types are of different contexts");
    const Type *found = meetTypes(a, b);
    if (!found)
      throw Error(ErrorKind::Verify, cat(shortType(a), " contradicts ", shortType(b)));
    met = wrap(found);
  });
}

static void inferNode(const Writing<Node> &n, const OpDef &def, uint32_t opset) {
  std::vector<Value *> operands;
  for (uint32_t i = 0; i < n->numOperands(); ++i)
    operands.push_back(n->operand(i));
  Few<const Type *> types(n->numResults(), n.context().unknownType());
  inferInto(def, opset, n.root(), n->op(), operands, n->operandSegments(), {}, n.get(),
            types.get());
  for (uint32_t i = 0; i < n->numResults(); ++i)
    if (types.get()[i] != n->result(i)->type())
      Mutation::setType(n->result(i), types.get()[i], TypeSource::Inferred);
}

GeStatus geNodeInferTypes(GeNodeRef *node, GeOpDef op, uint32_t opset) {
  return guarded([&] {
    const OpDef *def = need(op, "op");
    inferNode(Writing<Node>(node, "node"), *def, opset);
  });
}

GeStatus geNodeInferRegistered(GeNodeRef *node) {
  return guarded([&] {
    Writing<Node> n(node, "node");
    const OperatorName *op = n->op();
    uint32_t opset = n->graph() ? opsetOf(n->graph(), op->domain()) : 0;
    if (OpDefRef def = Registry::global().find(op->domain(), op->type(), op->overload(),
                                               opset ? opset : Registry::kNewest))
      inferNode(n, *def, opset);
  });
}

GeStatus geNodeVerifyDefinition(GeNodeRef *node) {
  return guarded([&] {
    Reading<Node> n(node, "node");
    if (std::string fault = definitionFault(n.get()); !fault.empty())
      throw Error(ErrorKind::Verify, std::move(fault));
  });
}

bool geRefHasSameRoot(const GeRef *a, const GeRef *b) {
  return a && b &&
         static_cast<const HandleRecord *>(a)->root.load(std::memory_order_acquire) ==
             static_cast<const HandleRecord *>(b)->root.load(std::memory_order_acquire);
}

GeStatus geValueGetGraph(GeValueRef *value, GeGraphRef **out) {
  return guarded([&] {
    GeGraphRef *&found = result(out);
    Reading<Value> v(value, "value");
    found = newRef(v->node()->graph());
  });
}
