//===- OpsBuild.cpp - ge-c/Ops.h: nodes from operators, with inferred types -------------------===//

#include "Live.h"
#include "Ops.h"

#include "ge/Ops/Infer.h"
#include "ge/Support/StringUtil.h"

#include <array>
#include <optional>

using namespace ge;
using namespace ge::capi;

namespace {

/// As many as most calls have on the stack, more in memory of their own.
template <typename T> class Few {
public:
  Few(size_t count, T value) {
    if (count > few_.size()) {
      many_.assign(count, value);
      data_ = {many_.data(), count};
    } else {
      std::fill_n(few_.begin(), count, value);
      data_ = {few_.data(), count};
    }
  }
  Few(const Few &) = delete;
  std::span<T> get() { return data_; }

private:
  std::array<T, 8> few_;
  std::vector<T> many_;
  std::span<T> data_;
};

/// Subgraphs that are still roots of their own, held for reading.
struct Bodies {
  Bodies(GeGraphRef *const *refs, const GeStringRef *slots, size_t count) {
    needArray(refs, count, "subgraphs");
    needArray(slots, count, "slots");
    for (size_t i = 0; i < count; ++i) {
      live.push_back(std::make_unique<Reading<Graph>>(refs[i], "subgraphs"));
      graphs.push_back(live.back()->get());
      names.push_back(text(slots[i], "slots"));
    }
  }
  std::vector<std::unique_ptr<Reading<Graph>>> live;
  std::vector<Graph *> graphs;
  std::vector<std::string_view> names;
};

void inferInto(const OpDef &def, uint32_t opset, Context &context, const OperatorName *op,
               std::span<Value *const> operands, std::span<const NamedAttribute> attributes,
               const GeBuildBodies *bodies, std::span<const Type *> types) {
  Few<const Type *> given(operands.size(), nullptr);
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i])
      given.get()[i] = operands[i]->type();
  InferArgs args;
  args.context = &context;
  args.op = op;
  args.def = &def;
  args.opset = opset;
  args.operands = given.get();
  args.values = operands;
  args.attributes = attributes;
  std::optional<Bodies> held;
  if (bodies && bodies->count) {
    held.emplace(bodies->graphs, bodies->slots, bodies->count);
    args.subgraphs = held->graphs;
    args.slots = held->names;
  }
  InferOutcome outcome = infer(args, types);
  if (outcome.status == InferStatus::Failed)
    throw Error(ErrorKind::Verify,
                cat(def.qualifiedName(), "(): ", outcome.message));
  for (const Type *&type : types)
    if (!type)
      type = context.unknownType();
}

} // namespace

GeStatus geNodeBuild(GeGraphRef *graph, GeNodeRef *before, GeOpDef op, uint32_t opset,
                     const GeNodeSpec *spec, const GeBuildBodies *bodies, GeValueRef **results) {
  return guarded([&] {
    if (!spec)
      throwNull("spec");
    const OpDef *def = need(op, "op");
    needArray(results, spec->numResults, "results");
    needArray(spec->attributes, spec->numAttributes, "attributes");
    for (size_t i = 0; i < spec->numAttributes; ++i)
      if (!spec->attributes[i].name || !spec->attributes[i].value.bits)
        throwNull("attributes");
    Node *node = nullptr;
    {
      Writing<Graph> g(graph, "graph");
      Node *place = g.peerOrNull<Node>(before, "before");
      Peers<Value> operands(g, spec->operands, spec->numOperands, "operands", true);
      std::span<const NamedAttribute> attributes{
          reinterpret_cast<const NamedAttribute *>(spec->attributes), spec->numAttributes};
      Few<const Type *> types(spec->numResults, g.context().unknownType());
      NodeSpec wanted;
      wanted.op = need(spec->op, "op");
      wanted.operands = operands;
      wanted.attributes = attributes;
      wanted.name = text(spec->name, "name");
      wanted.location = unwrap(spec->location);
      inferInto(*def, opset, g.context(), wanted.op, operands, attributes, bodies, types.get());
      wanted.resultTypes = types.get();
      node = Mutation::create(g.get(), place, wanted);
      size_t made = 0;
      try {
        for (; made < spec->numResults; ++made)
          results[made] = newRef(node->result(uint32_t(made)));
      } catch (...) {
        while (made > 0)
          geValueRelease(results[--made]);
        Mutation::erase(node, true);
        throw;
      }
    }
    if (!bodies || !bodies->count)
      return;
    GeNodeRef *ref = nullptr;
    GeStatus s = GE_OK;
    {
      Reading<Graph> g(graph, "graph");
      ref = newRef(node);
    }
    for (size_t i = 0; i < bodies->count && s == GE_OK; ++i)
      s = geNodeAdoptSubgraph(ref, bodies->slots[i], bodies->graphs[i]);
    if (s != GE_OK) {
      Error failure(ErrorKind(numberOf(s)), std::string(text(geErrorMessage(), "message")));
      geNodeErase(ref, true);
      geNodeRelease(ref);
      for (size_t i = 0; i < spec->numResults; ++i)
        geValueRelease(results[i]);
      throw failure;
    }
    geNodeRelease(ref);
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
