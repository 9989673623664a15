//===- Template.cpp - replacements that are stamped -------------------------------------------===//
#include "ge/Passes/Rewrite/Rewriter.h"

#include "../Match/PatternReader.h"
#include "ResultTypes.h"

#include "ge/IR/Analysis.h"
#include "ge/IR/Subgraphs.h"

#include <algorithm>

namespace ge {

Template::Template(const Graph *graph, const Pattern &pattern, std::span<const uint32_t> inputs)
    : graph_(graph) {
  read(pattern, inputs);
}

std::shared_ptr<const Template> Template::create(const Graph *graph, const Pattern &pattern,
                                                 std::span<const uint32_t> inputs) {
  Root *copy = clone(graph, &pattern.context());
  try {
    auto made = std::make_shared<Template>(copy->graph(), pattern, inputs);
    made->owned_ = copy;
    return made;
  } catch (...) {
    copy->drop();
    throw;
  }
}

Template::~Template() {
  if (owned_)
    owned_->drop();
}

/// Returns whether an attribute is {match.bind = "name"}, which takes its value from the match.
static bool isBound(const Identifier *bind, const Attribute &value, std::string_view &name) {
  if (value.kind() != AttrKind::Dict || value.size() != 1 || value.keys()[0] != bind ||
      value.elements()[0].kind() != AttrKind::String)
    return false;
  name = value.elements()[0].stringValue();
  return true;
}

/// Finds the values that the subgraphs of a node capture; parts that depend on the match must be
/// outside of them.
void Template::readSubgraphs(const Pattern &pattern, const Node *node, const Refs &refs,
                             Made &out) const {
  auto refuse = [&](const Node *inner, const auto &...what) {
    throwError(ErrorKind::Value, "replacement '", graph_->name(), "' of pattern '", pattern.name(),
               "': ", inner->describe(), ", which is in a subgraph of ", node->describe(), ", ",
               what...);
  };
  const Identifier *bind = graph_->context().identifier("match.bind");
  std::vector<const Graph *> open(node->subgraphs().begin(), node->subgraphs().end());
  auto readNode = [&](const Node *inner) {
    if (inner->op()->domain() == "pattern")
      refuse(inner, "belongs to a pattern: what stands in for a match has operators of its own");
    std::string_view name;
    for (uint32_t i = 0; i != inner->attributes().size(); ++i)
      if (isBound(bind, inner->attributes().at(i), name))
        refuse(inner, "takes an attribute from '", name, "'; only nodes outside of subgraphs can");
    for (uint32_t i = 0; i != inner->numOperands(); ++i) {
      const Value *value = inner->operand(i);
      auto ref = value ? refs.find(value) : refs.end();
      if (ref == refs.end() ||
          std::ranges::find(out.captures, value, &decltype(out.captures)::value_type::first) !=
              out.captures.end())
        continue;
      if (ref->second.kind == Ref::Kind::Input) {
        const PatternValue &v = pattern.values()[withoutWhere(pattern, inputs_[ref->second.index])];
        if (v.kind == PatternValue::Kind::Rest)
          refuse(inner, "takes several operands at once; only nodes outside of subgraphs can");
      }
      out.captures.emplace_back(value, ref->second);
    }
    open.insert(open.end(), inner->subgraphs().begin(), inner->subgraphs().end());
  };
  while (!open.empty()) {
    const Graph *graph = open.back();
    open.pop_back();
    for (const Node *inner = graph->front(); inner; inner = inner->next())
      readNode(inner);
    readNode(graph->output());
  }
}

void Template::read(const Pattern &pattern, std::span<const uint32_t> inputs) {
  auto refuse = [&](const auto &...what) {
    throwError(ErrorKind::Value, "replacement '", graph_->name(), "' of pattern '", pattern.name(),
               "': ", what...);
  };
  if (&graph_->context() != &pattern.context())
    refuse("it is of another context than the pattern");
  inputs_.assign(inputs.begin(), inputs.end());
  if (inputs_.empty())
    inputs_ = pattern.inputs();
  if (graph_->numInputs() > inputs_.size())
    refuse("it has ", graph_->numInputs(), " inputs, the pattern ", inputs_.size());
  if (graph_->numOutputs() != pattern.outputs().size())
    refuse("it has ", graph_->numOutputs(), " outputs, the pattern ", pattern.outputs().size(),
           ": each output of the pattern needs its replacement");
  std::vector<Node *> order;
  if (!graph_->topologicalOrder(order))
    refuse("it has a cycle");
  Refs refs;
  for (uint32_t i = 0; i != graph_->numInputs(); ++i)
    refs[graph_->input(i)] = {Ref::Kind::Input, i, 0};
  const Identifier *bind = graph_->context().identifier("match.bind");
  for (const Node *node : order) {
    if (node->op()->domain() == "pattern")
      refuse(node->describe(), " belongs to a pattern: what stands in for a match has operators "
                               "of its own");
    Made made;
    made.source = node;
    made.op = node->op();
    for (uint32_t i = 0; i != node->numOperands(); ++i) {
      Ref ref;
      if (const Value *value = node->operand(i))
        ref = refs.at(value);
      if (ref.kind == Ref::Kind::Input) {
        const PatternValue &v = pattern.values()[withoutWhere(pattern, inputs_[ref.index])];
        made.hasRest |= v.kind == PatternValue::Kind::Rest;
      }
      made.operands.push_back(ref);
    }
    for (uint32_t i = 0; i != node->attributes().size(); ++i) {
      const Identifier *name = graph_->context().identifierAt(node->attributes().nameIdAt(i));
      Attribute value = node->attributes().at(i);
      if (std::string_view bound; isBound(bind, value, bound)) {
        auto at = std::ranges::find(pattern.variables(), bound);
        if (at == pattern.variables().end())
          refuse(node->describe(), " takes attribute '", name->str(), "' from '", bound,
                 "', which the pattern does not bind");
        made.variables.emplace_back(uint32_t(made.attributes.size()),
                                    uint32_t(at - pattern.variables().begin()));
      }
      made.attributes.push_back({name, value});
    }
    readSubgraphs(pattern, node, refs, made);
    for (uint32_t i = 0; i != node->numResults(); ++i) {
      refs[node->result(i)] = {Ref::Kind::Result, uint32_t(nodes_.size()), i};
      made.types.push_back(node->result(i)->type());
    }
    made.outputs.resize(node->numResults(), -1);
    nodes_.push_back(std::move(made));
  }
  for (uint32_t i = 0; i != graph_->numOutputs(); ++i) {
    const Value *value = graph_->outputValue(i);
    if (!value)
      refuse("output ", i, " is absent");
    Ref ref = refs.at(value);
    if (ref.kind == Ref::Kind::Result && nodes_[ref.index].outputs[ref.result] < 0)
      nodes_[ref.index].outputs[ref.result] = int32_t(i);
    outputs_.push_back(ref);
  }
}

/// Types that tracing left open: those of results that are not outputs.
static void inferOpen(Node *node) {
  std::vector<const Type *> results;
  if (inferResults(node, results) != InferStatus::Inferred)
    return;
  const Type *unknown = node->context().unknownType();
  for (uint32_t i = 0; i != results.size(); ++i)
    if (results[i] && results[i] != unknown && node->result(i)->type() == unknown)
      Mutation::setType(node->result(i), results[i], TypeSource::Inferred);
}

/// The same inside the subgraphs of a node, whose captures are known.
static void inferInside(Node *node) {
  const Type *unknown = node->context().unknownType();
  for (Graph *graph : node->subgraphs())
    for (Node *inner = graph->front(); inner; inner = inner->next()) {
      inferInside(inner);
      for (uint32_t i = 0; i != inner->numResults(); ++i)
        if (inner->result(i)->type() == unknown) {
          inferOpen(inner);
          break;
        }
    }
}

void Template::stamp(const Match &match, Graph *into, Node *before, Stamped &out) const {
  out.nodes.clear();
  out.outputs.clear();
  const Type *unknown = into->context().unknownType();
  auto valueOf = [&](const Ref &ref) -> Value * {
    if (ref.kind == Ref::Kind::Absent)
      return nullptr;
    return ref.kind == Ref::Kind::Input ? match.value(inputs_[ref.index])
                                        : out.nodes[ref.index]->result(ref.result);
  };
  std::vector<Value *> &operands = out.operands;
  std::vector<const Type *> &types = out.types;
  std::vector<NamedAttribute> &attributes = out.attributes;
  std::vector<int32_t> segments;
  for (const Made &made : nodes_) {
    operands.clear();
    segments.assign(made.source->operandSegments().begin(), made.source->operandSegments().end());
    // The list that operand `at` of the replacement is in takes `count` in its place.
    auto lengthen = [&](size_t at, size_t count) {
      size_t end = 0, list = 0;
      for (int32_t length : made.source->operandSegments()) {
        if (at < (end += size_t(length))) {
          segments[list] += int32_t(count) - 1;
          return;
        }
        ++list;
      }
    };
    for (const Ref &ref : made.operands) {
      if (made.hasRest && ref.kind == Ref::Kind::Input) {
        const Pattern &pattern = match.pattern();
        const PatternValue &v = pattern.values()[withoutWhere(pattern, inputs_[ref.index])];
        if (v.kind == PatternValue::Kind::Rest) {
          std::span<Value *const> rest = match.rest(v.index);
          operands.insert(operands.end(), rest.begin(), rest.end());
          lengthen(size_t(&ref - made.operands.data()), rest.size());
          continue;
        }
      }
      operands.push_back(valueOf(ref));
    }
    types = made.types;
    bool isOpen = false;
    for (size_t i = 0; i != types.size(); ++i) {
      if (types[i] != unknown)
        continue;
      const Value *old = made.outputs[i] >= 0 ? match.output(uint32_t(made.outputs[i])) : nullptr;
      if (old)
        types[i] = old->type();
      else
        isOpen = true;
    }
    NodeSpec spec;
    spec.op = made.op;
    spec.operands = operands;
    spec.resultTypes = types;
    spec.attributes = made.attributes;
    if (!made.variables.empty()) {
      attributes = made.attributes;
      for (auto [at, variable] : made.variables)
        attributes[at].value = match.variable(variable);
      // If the matched node lacks it, the new node gets its default, too.
      std::erase_if(attributes, [](const NamedAttribute &a) { return !a.value; });
      spec.attributes = attributes;
    }
    spec.operandSegments = segments;
    spec.resultSegments = made.source->resultSegments();
    spec.name = made.source->name();
    spec.location = match.anchor()->location();
    Node *node = Mutation::create(into, before, spec);
    out.nodes.push_back(node);
    if (!made.source->subgraphs().empty()) {
      ValueMap outside;
      for (const auto &[value, ref] : made.captures)
        outside.emplace(value, valueOf(ref));
      cloneSubgraphs(made.source, node, outside);
      inferInside(node);
    }
    if (isOpen)
      inferOpen(node);
  }
  for (const Ref &ref : outputs_)
    out.outputs.push_back(valueOf(ref));
}

} // namespace ge
