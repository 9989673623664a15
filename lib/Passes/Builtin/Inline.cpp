//===- Inline.cpp - inline: what functions compute, where they are called ---------------------===//
#include "Builtin.h"
#include "Functions.h"
#include "Rewriter.h"

#include "ge/IR/Analysis.h"
#include "ge/Ops/InferGraph.h"
#include "ge/Ops/Registry.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <unordered_set>

namespace ge::builtin {

namespace {

/// Of a dictionary; invalid when it has none of that name.
Attribute entryOf(Attribute dict, std::string_view name) {
  if (dict.kind() == AttrKind::Dict)
    for (size_t i = 0; i != dict.size(); ++i)
      if (dict.keys()[i]->str() == name)
        return dict.elements()[i];
  return {};
}

Attribute attributeOf(const Graph *graph, std::string_view name) {
  const Identifier *key = graph->context().lookupIdentifier(name);
  return key ? graph->attributes().find(key->id()) : Attribute();
}

OpDefRef definitionAt(const OperatorName *op, uint32_t version) {
  return Registry::global().find(op->domain(), op->type(), op->overload(),
                                 version ? version : Registry::kNewest);
}

/// What calls may become, of one execution over all its graphs.
struct Budget {
  uint64_t limit;
  uint64_t made = 0;
};

class Inliner {
public:
  Inliner(Rewriter &rewriter, const Functions &functions, Budget &budget)
      : rewriter_(rewriter), functions_(functions), budget_(budget) {}

  void run() {
    refuseRecursion(rewriter_.root());
    std::vector<Node *> work;
    auto add = [&](Graph *graph) {
      for (Node *node = graph->back(); node; node = node->prev())
        work.push_back(node);
    };
    add(&rewriter_.root());
    while (!work.empty()) {
      Node *node = work.back();
      work.pop_back();
      std::span<Graph *const> functions = functions_.of(node->op());
      if (!functions.empty() && rewriter_.mayRewrite() && mayInline(node, functions)) {
        std::string name = rewriter_.nameFor(node);
        std::vector<Node *> moved = inlineCall(node, functions.front());
        rewriter_.rewrote("inlined", name);
        work.insert(work.end(), moved.rbegin(), moved.rend());
        continue;
      }
      for (Graph *inner : std::views::reverse(node->subgraphs()))
        add(inner);
    }
  }

private:
  /// Error(Verify) that shows the functions which call each other, from what `root` calls on.
  void refuseRecursion(Graph &root) {
    struct Open {
      const Graph *function;
      std::vector<Graph *> callees;
    };
    auto calleesOf = [&](Graph &graph) {
      std::vector<Graph *> callees;
      for (Graph *inner : allGraphs(graph))
        for (const Node *node = inner->front(); node; node = node->next())
          for (Graph *function : functions_.of(node->op()))
            callees.push_back(function);
      std::ranges::reverse(callees);
      return callees;
    };
    std::unordered_map<const Graph *, bool> isDone;
    isDone[&root] = false;
    std::vector<Open> path{{&root, calleesOf(root)}};
    while (!path.empty()) {
      if (path.back().callees.empty()) {
        isDone[path.back().function] = true;
        path.pop_back();
        continue;
      }
      Graph *next = path.back().callees.back();
      path.back().callees.pop_back();
      auto [found, isNew] = isDone.try_emplace(next, false);
      if (isNew) {
        path.push_back({next, calleesOf(*next)});
      } else if (!found->second) {
        std::string text;
        for (auto at = std::ranges::find(path, next, &Open::function); at != path.end(); ++at)
          text += cat("'", at->function->name(), "' -> ");
        throwError(ErrorKind::Verify, "functions call each other without end: ", text, "'",
                   next->name(), "'");
      }
    }
  }

  bool mayInline(const Node *call, std::span<Graph *const> functions) {
    std::string why;
    if (functions.size() != 1)
      why = "the model has several functions of that name";
    else if (!call->subgraphs().empty())
      why = "a graph is among its attributes";
    else if (call->numOperands() > functions.front()->numInputs())
      why = "it has more operands than the function";
    else if (why = whyNotInlined(call, functions.front()); why.empty())
      why = otherOpset(functions.front());
    if (why.empty())
      return true;
    Diagnostic remark;
    remark.severity = Severity::Remark;
    remark.message = cat("the call ", call->describe(), " stays: ", why);
    rewriter_.statistics().remark(std::move(remark));
    return false;
  }

  /// What a function means by its operators, the model must mean, too.
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
    std::string prefix(call->hasName() ? call->name() : call->op()->type());
    cloneInto(function, body, prefix + "/");
    for (Graph *inner : allGraphs(*body)) {
      budget_.made += inner->numNodes();
      for (Node *node = inner->front(); node; node = node->next()) {
        bindAttributes(node, call, function);
        forgetSymbols(node);
      }
    }
    if (budget_.made > budget_.limit)
      throwError(ErrorKind::Value, "the calls stand for more than ", budget_.limit, " nodes, in ",
                 rewriter_.root().describe(), "; option 'limit' sets another number");
    importOpsets(function);
    return rewriter_.inlineBody(call, body);
  }

  /// What the call says, else the function's default, else nothing.
  void bindAttributes(Node *node, const Node *call, const Graph *function) {
    std::vector<std::pair<const Identifier *, std::string>> references;
    for (uint32_t i = 0; i != node->attributes().size(); ++i)
      if (Attribute attribute = node->attributes().at(i); isReference(attribute))
        if (Attribute name = entryOf(attribute, "ref_attr_name"); name.kind() == AttrKind::String)
          references.emplace_back(rewriter_.context().identifierAt(node->attributes().nameIdAt(i)),
                                  std::string(name.stringValue()));
    Attribute defaults = attributeOf(function, "onnx.attribute_defaults");
    for (const auto &[key, name] : references) {
      Attribute given = call->attribute(name);
      Mutation::setAttribute(node, key, given ? given : entryOf(defaults, name));
    }
  }

  /// A function's symbols are its own, and may be other sizes at another call.
  void forgetSymbols(Node *node) {
    for (uint32_t i = 0; i != node->numResults(); ++i) {
      const Type *type = node->result(i)->type();
      bool isKnown = type->isTensor() ? type->hasStaticShape() : node->result(i)->isAbsent();
      if (!isKnown)
        Mutation::setType(node->result(i), rewriter_.context().unknownType());
    }
  }

  /// Domains that only functions used so far.
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

  Rewriter &rewriter_;
  const Functions &functions_;
  Budget &budget_;
  std::unordered_map<const Graph *, std::string> otherOpsets_;
  std::unordered_set<const Graph *> imported_;
};

class Inline final : public Pass {
public:
  explicit Inline(uint64_t limit) : limit_(limit) {}
  std::string_view name() const override { return "inline"; }
  void run(Graph &root, PassContext &context) override {
    Budget budget{limit_};
    if (root.module())
      inlineInto(root, Functions(*root.module()), budget, context);
  }
  void run(Module &module, PassContext &context) override {
    const Functions functions(module);
    Budget budget{limit_};
    for (size_t i = 0; i != module.numGraphs(); ++i)
      if (!isFunction(*module.graph(i)))
        inlineInto(*module.graph(i), functions, budget, context);
    for (Graph *function : functions.uncalled()) {
      context.eraseLater(function);
      context.count("erased-functions");
    }
  }

private:
  static void inlineInto(Graph &root, const Functions &functions, Budget &budget,
                         PassContext &context) {
    refuseCycles(root);
    Rewriter rewriter(root, context);
    Inliner(rewriter, functions, budget).run();
  }

  uint64_t limit_;
};

} // namespace

void registerInline(PassRegistry &registry) {
  PassInfo info{
      "inline",
      "Puts what functions of the model compute in the place of their calls, in bodies too; "
      "functions that nobody calls go. Not: calls with control edges or graphs as attributes, "
      "functions of another operator set that means something else; recursion is an error.",
      {{"limit", "1000000", "nodes that all calls together may become; more is an error"}},
      [](const PassOptions &options) {
        int64_t limit = options.integer("limit", 1000000);
        if (limit < 0)
          throwError(ErrorKind::Value, "option 'limit' is at least 0, not ", limit);
        return std::make_unique<Inline>(uint64_t(limit));
      }};
  info.readsModule = true;
  registry.add(std::move(info));
}

} // namespace ge::builtin
