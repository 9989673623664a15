//===- Inline.cpp - inline: what functions compute, where they are called ---------------------===//
//
// Not the matcher: a call is one node, and what replaces it is the body of its function.
//
#include "Builtin.h"
#include "Functions.h"
#include "PassEditor.h"

#include "ge/IR/Analysis.h"
#include "ge/IR/UnknownAttributes.h"
#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Ops/Registry/Registry.h"
#include "ge/Support/Budget.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <unordered_set>

namespace ge::builtin {

namespace {

Attribute attributeOf(const Graph *graph, std::string_view name) {
  const Identifier *key = graph->context().lookupIdentifier(name);
  return key ? graph->attributes().find(key->id()) : Attribute();
}

OpDefRef definitionAt(const OperatorName *op, uint32_t version) {
  return Registry::global().find(op->domain(), op->type(), op->overload(),
                                 version ? version : Registry::kNewest);
}

/// The size of an attribute in the model's file, where nodes share nothing. The bytes of tensors
/// are not counted: `share-weights` merges equal ones.
uint64_t writtenBytes(Attribute attribute) {
  constexpr uint64_t kOne = 8;
  switch (attribute.kind()) {
  case AttrKind::String:
  case AttrKind::Bytes:
  case AttrKind::Graph:
    return attribute.stringValue().size();
  case AttrKind::Array:
    return multiplySaturated(attribute.size(), kOne);
  case AttrKind::List:
  case AttrKind::Dict: {
    uint64_t all = 0;
    for (Attribute element : attribute.elements())
      all = addSaturated(all, addSaturated(kOne, writtenBytes(element)));
    return all;
  }
  default:
    return kOne;
  }
}

/// The largest size that a reference to an attribute of a call, or of its function's defaults, can
/// expand to.
uint64_t largestAttribute(const AttributeList &attributes) {
  uint64_t largest = 0;
  for (uint32_t i = 0; i != attributes.size(); ++i)
    if (!isReference(attributes.at(i)))
      largest = std::max(largest, writtenBytes(attributes.at(i)));
  return largest;
}

/// The size of the expansion of a call, nested calls included.
struct Expansion {
  uint64_t nodes = 0;
  uint64_t bytes = 0;      ///< without name prefixes and attributes of the call
  uint64_t names = 0;      ///< number of names that get the prefix of the call
  uint64_t references = 0; ///< to attributes of the call
  uint64_t largest = 0;    ///< size of the largest default of the function

  uint64_t bytesAt(size_t prefix, const AttributeList &attributes) const {
    uint64_t each = references ? std::max(largest, largestAttribute(attributes)) : 0;
    return addSaturated(
        bytes, addSaturated(multiplySaturated(names, prefix), multiplySaturated(references, each)));
  }
};

/// The prefix of all names in the expansion.
std::string prefixOf(const Node *call) {
  return cat(call->hasName() ? call->name() : call->op()->type(), "/");
}

/// Facts about functions that hold for one execution, over all its graphs.
struct InlineState {
  const Functions &functions;
  Budget &budget;
  std::unordered_map<const Graph *, Expansion> expansions = {}; ///< of functions without recursion
};

class Inliner {
public:
  Inliner(PassEditor &rewriter, InlineState &state)
      : rewriter_(rewriter), functions_(state.functions), state_(state) {}

  void run() {
    refuseRecursion(rewriter_.root());
    struct Item {
      Node *node;
      bool isPaid; ///< part of a call whose whole expansion was charged
    };
    std::vector<Item> work;
    auto add = [&](Graph *graph, bool isPaid) {
      for (Node *node = graph->back(); node; node = node->prev())
        work.push_back({node, isPaid});
    };
    add(&rewriter_.root(), false);
    while (!work.empty()) {
      rewriter_.poll();
      auto [node, isPaid] = work.back();
      work.pop_back();
      std::span<Graph *const> functions = functions_.of(node->op());
      if (!functions.empty() && rewriter_.mayRewrite() && mayInline(node, functions, isPaid)) {
        std::string name = rewriter_.nameFor(node);
        std::vector<Node *> moved = inlineCall(node, functions.front());
        rewriter_.rewrote("inlined", name);
        for (Node *each : std::views::reverse(moved))
          work.push_back({each, true});
        continue;
      }
      for (Graph *inner : std::views::reverse(node->subgraphs()))
        add(inner, isPaid);
    }
  }

private:
  /// Error(Verify) with the cycle of functions that call each other, starting from what `root`
  /// calls.
  void refuseRecursion(Graph &root) {
    struct Open {
      Graph *function;
      std::vector<Graph *> callees;
    };
    auto calleesOf = [&](Graph &graph) {
      std::vector<Graph *> callees;
      for (Graph *inner : allGraphs(graph))
        for (const Node *node = inner->front(); node; node = node->next(), rewriter_.poll())
          for (Graph *function : functions_.of(node->op()))
            callees.push_back(function);
      std::ranges::reverse(callees);
      return callees;
    };
    std::unordered_set<const Graph *> open{&root};
    std::vector<Open> path{{&root, calleesOf(root)}};
    while (!path.empty()) {
      if (path.back().callees.empty()) {
        state_.expansions[path.back().function] = expansionOf(*path.back().function);
        open.erase(path.back().function);
        path.pop_back();
        continue;
      }
      Graph *next = path.back().callees.back();
      path.back().callees.pop_back();
      if (state_.expansions.contains(next))
        continue;
      if (open.insert(next).second) {
        path.push_back({next, calleesOf(*next)});
      } else {
        std::string text;
        for (auto at = std::ranges::find(path, next, &Open::function); at != path.end(); ++at)
          text += cat("'", at->function->name(), "' -> ");
        throwError(ErrorKind::Verify, "functions call each other without end: ", text, "'",
                   next->name(), "'");
      }
    }
  }

  /// Size of a function or root whose callees are known.
  Expansion expansionOf(Graph &function) {
    constexpr uint64_t kNode = 256, kSlot = 32; // with what lists and indices take
    Expansion all;
    if (Attribute defaults = attributeOf(&function, "onnx.attribute_defaults"))
      all.largest = writtenBytes(defaults);
    for (Graph *inner : allGraphs(function))
      for (const Node *node = inner->front(); node; node = node->next()) {
        rewriter_.poll();
        const AttributeList &attributes = node->attributes();
        uint64_t slots = uint64_t(node->numOperands()) + node->numResults() + attributes.size() +
                         node->subgraphs().size();
        uint64_t own = kNode + kSlot * slots + node->name().size();
        uint64_t references = 0;
        for (uint32_t i = 0; i != attributes.size(); ++i)
          if (isReference(attributes.at(i)))
            ++references;
          else
            own = addSaturated(own, writtenBytes(attributes.at(i)));
        all.names = addSaturated(all.names, node->hasName());
        for (uint32_t i = 0; i != node->numResults(); ++i)
          if (const Value *result = node->result(i); result->hasName()) {
            all.names = addSaturated(all.names, 1);
            own += result->name().size();
          }
        std::span<Graph *const> callees = functions_.of(node->op());
        all.nodes = addSaturated(all.nodes, callees.empty());
        all.bytes = addSaturated(all.bytes, own);
        if (callees.empty())
          all.references = addSaturated(all.references, references);
        for (const Graph *callee : callees) {
          const Expansion &call = state_.expansions[callee];
          all.nodes = addSaturated(all.nodes, call.nodes);
          all.bytes = addSaturated(all.bytes, call.bytesAt(prefixOf(node).size(), attributes));
          if (references)
            all.references = addSaturated(all.references, call.references);
          if (node->hasName())
            all.names = addSaturated(all.names, call.names);
        }
      }
    return all;
  }

  bool mayInline(const Node *call, std::span<Graph *const> functions, bool isPaid) {
    std::string why;
    if (functions.size() != 1)
      why = "the model has several functions of that name";
    else if (!call->subgraphs().empty())
      why = "a graph is among its attributes";
    else if (call->numOperands() > functions.front()->numInputs())
      why = "it has more operands than the function";
    else if (why = whyNotInlined(call, functions.front()); why.empty())
      why = otherOpset(functions.front());
    if (why.empty() && !isPaid) {
      const Expansion &whole = state_.expansions[functions.front()];
      if (Refusal refusal = state_.budget.charge(
              whole.bytesAt(prefixOf(call).size(), call->attributes()), whole.nodes))
        why = refusal.str();
    }
    if (why.empty())
      return true;
    Diagnostic remark;
    remark.severity = Severity::Remark;
    remark.message = cat("the call ", call->describe(), " stays: ", why);
    rewriter_.statistics().remark(std::move(remark));
    return false;
  }

  /// The model must import the operator sets for which the function was written.
  const std::string &otherOpset(Graph *function) {
    auto [found, isNew] = otherOpsets_.try_emplace(function);
    if (!isNew)
      return found->second;
    for (Graph *inner : allGraphs(*function))
      for (const Node *node = inner->front(); node; node = node->next()) {
        const OperatorName *op = node->op();
        if (!functions_.of(op).empty() || op->domain() == "ge")
          continue;
        uint32_t own = opsetOf(function, op->domain());
        uint32_t around = opsetOf(&rewriter_.root(), op->domain());
        if (own == 0 || around == 0 || own == around)
          continue;
        OpDefRef definition = definitionAt(op, own);
        if (definition && definition.get() == definitionAt(op, around).get())
          continue;
        found->second = cat("the function has ", op->str(), " of version ", own, " of '",
                            op->domain(), "', the model has version ", around);
        return found->second;
      }
    return found->second;
  }

  std::vector<Node *> inlineCall(Node *call, Graph *function) {
    Graph *body = Mutation::addSubgraph(call, "body", function->name());
    cloneInto(function, body, prefixOf(call));
    for (Graph *inner : allGraphs(*body))
      for (Node *node = inner->front(); node; node = node->next()) {
        rewriter_.poll();
        bindAttributes(node, call, function);
        forgetSymbols(node);
      }
    importOpsets(function);
    return rewriter_.inlineBody(call, body);
  }

  /// The value of the call, else the function's default, else none.
  void bindAttributes(Node *node, const Node *call, const Graph *function) {
    std::vector<std::pair<const Identifier *, std::string>> references;
    for (uint32_t i = 0; i != node->attributes().size(); ++i)
      if (Attribute attribute = node->attributes().at(i); isReference(attribute))
        if (Attribute name = attribute.entry("ref_attr_name"); name.kind() == AttrKind::String)
          references.emplace_back(rewriter_.context().identifierAt(node->attributes().nameIdAt(i)),
                                  std::string(name.stringValue()));
    Attribute defaults = attributeOf(function, "onnx.attribute_defaults");
    for (const auto &[key, name] : references) {
      Attribute given = call->attribute(name);
      Mutation::setAttribute(node, key, given ? given : defaults.entry(name));
    }
  }

  /// Symbols of a function are local, and may have other sizes at another call.
  void forgetSymbols(Node *node) {
    for (uint32_t i = 0; i != node->numResults(); ++i) {
      const Type *type = node->result(i)->type();
      bool isKnown = type->isTensor() ? type->hasStaticShape() : node->result(i)->isAbsent();
      if (!isKnown)
        Mutation::setType(node->result(i), rewriter_.context().unknownType());
    }
  }

  /// Adds the operator sets of domains that only functions used so far.
  void importOpsets(Graph *function) {
    if (!imported_.insert(function).second)
      return;
    Context &context = rewriter_.context();
    Graph *root = &rewriter_.root();
    while (root->parentGraph())
      root = root->parentGraph();
    std::map<std::string, int64_t, std::less<>> added;
    for (Graph *inner : allGraphs(*function))
      for (const Node *node = inner->front(); node; node = node->next())
        if (std::string_view domain = node->op()->domain(); opsetOf(root, domain) == 0)
          if (uint32_t version = opsetOf(function, domain))
            added.emplace(domain, version);
    if (added.empty())
      return;
    std::vector<const Identifier *> keys;
    std::vector<Attribute> versions;
    Attribute said = attributeOf(root, "opset");
    for (size_t i = 0; said.kind() == AttrKind::Dict && i != said.size(); ++i) {
      keys.push_back(said.keys()[i]);
      versions.push_back(said.elements()[i]);
    }
    for (const auto &[domain, version] : added) {
      keys.push_back(context.identifier(domain));
      versions.push_back(Attribute::inlineInt(version));
    }
    AttrRef opsets = context.dictAttr(keys, versions);
    Mutation::setAttribute(root, context.identifier("opset"), *opsets);
  }

  PassEditor &rewriter_;
  const Functions &functions_;
  InlineState &state_;
  std::unordered_map<const Graph *, std::string> otherOpsets_;
  std::unordered_set<const Graph *> imported_;
};

class Inline final : public Pass {
public:
  Inline(uint64_t nodes, uint64_t bytes) : budget_(bytes, nodes) {}
  std::string_view name() const override { return "inline"; }
  void run(Graph &root, PassContext &context) override {
    if (!root.module())
      return;
    const Functions functions(*root.module());
    InlineState state{functions, budget_};
    inlineInto(root, state, context);
  }
  void run(Module &module, PassContext &context) override {
    const Functions functions(module);
    InlineState state{functions, budget_};
    for (size_t i = 0; i != module.numGraphs(); ++i)
      if (!isFunction(*module.graph(i)))
        inlineInto(*module.graph(i), state, context);
    for (Graph *function : functions.uncalled()) {
      context.eraseLater(function);
      context.count("erased-functions");
    }
  }

private:
  static void inlineInto(Graph &root, InlineState &state, PassContext &context) {
    refuseCycles(root);
    PassEditor rewriter(root, context);
    Inliner(rewriter, state).run();
  }

  Budget budget_; ///< of one execution
};

} // namespace

void registerInline(PassRegistry &registry) {
  PassInfo info{
      "inline",
      "Replaces calls of the model's functions by their bodies, in subgraphs too; erases functions "
      "without calls. Not: calls with control edges or graphs as attributes, functions that import "
      "another opset in which their operators differ, functions with the name of a standard "
      "operator (runtimes compute that operator), results beyond the budget (a remark gives the "
      "reason); recursion is an error.",
      {{"nodes", "1000000", "nodes that all calls together may become"},
       {"bytes", "1073741824", "bytes that these may take"}},
      [](const PassOptions &options) {
        return std::make_unique<Inline>(options.size("nodes", 1000000),
                                        options.size("bytes", 1 << 30));
      }};
  info.readsModule = true;
  info.exactness = Exactness::Exact;
  registry.add(std::move(info));
}

} // namespace ge::builtin
