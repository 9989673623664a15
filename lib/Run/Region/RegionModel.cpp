//===- RegionModels.cpp - nodes of a graph as a model of their own -----------------------------===//
#include "NodeOrder.h"
#include "ge/Run/Region/Region.h"

#include "ge/IR/Subgraphs.h"
#include "ge/Support/Interrupt.h"

namespace ge {

namespace {

std::string quotedName(const Node *node) {
  std::string name;
  node->appendName(name);
  return cat("'", name, "' (", node->op()->str(), ")");
}

std::string labelOf(std::span<const Node *const> nodes, std::string_view where) {
  if (nodes.size() == 1)
    return cat("node ", quotedName(nodes[0]));
  return cat("the region of ", nodes.size(), " nodes from ", quotedName(nodes.front()), " to ",
             quotedName(nodes.back()), " in ", where);
}

/// The attribute that an ONNX operator fixes for a body without a name: the next one that no other
/// body has.
std::string_view slotOf(const Node *node, size_t index) {
  const std::string_view op = node->op()->str();
  std::vector<std::string_view> names;
  if (op == "onnx.If")
    names = {"then_branch", "else_branch"};
  else if (op == "onnx.Loop" || op == "onnx.Scan" || op == "onnx.SequenceMap")
    names = {"body"};
  for (const Graph *body : node->subgraphs())
    std::erase(names, body->slot());
  for (size_t i = 0; i < index && !names.empty(); ++i)
    if (node->subgraphs()[i]->slot().empty())
      names.erase(names.begin());
  return names.empty() ? std::string_view() : names.front();
}

class ModelBuilder {
public:
  ModelBuilder(Module &model, const std::vector<NamedAttribute> *given)
      : context_(model.context()), graph_(*model.addGraph("region")), given_(given) {}

  /// Values captured from the enclosing graph become inputs and are added to `inputs`.
  Node *add(const Node *node, std::vector<const Value *> &inputs) {
    Interrupt::look();
    needed_.clear();
    addNeeded(node, captured_, needed_);
    for (const Value *value : needed_)
      if (!values_.contains(value))
        addOutside(value, inputs);
    std::vector<Value *> operands;
    for (uint32_t i = 0; i < node->numOperands(); ++i)
      operands.push_back(node->operand(i) ? values_.at(node->operand(i)) : nullptr);
    std::vector<const Type *> types;
    for (uint32_t i = 0; i < node->numResults(); ++i)
      types.push_back(typeOf(node->result(i)));
    std::vector<NamedAttribute> attributes;
    const AttributeList &list = node->attributes();
    for (uint32_t i = 0; i < list.size(); ++i)
      attributes.push_back({context_.identifierAt(list.nameIdAt(i)), list.at(i)});
    NodeSpec spec;
    spec.op = node->op();
    spec.operands = operands;
    spec.resultTypes = types;
    spec.attributes = attributes;
    spec.name = node->name();
    spec.location = node->location();
    Node *copy = Mutation::create(&graph_, nullptr, spec);
    Mutation::setOriginalNames(copy, {});
    cloneSubgraphs(node, copy, values_, slotOf);
    resolve(copy);
    for (Graph *body : copy->subgraphs())
      prepare(copy, body);
    for (uint32_t i = 0; i < node->numResults(); ++i)
      values_.emplace(node->result(i), copy->result(i));
    return copy;
  }

  void setOutputs(std::span<const Value *const> results) {
    std::vector<Value *> outputs;
    std::vector<std::string> names;
    for (const Value *result : results) {
      outputs.push_back(values_.at(result));
      names.push_back(cat("y", names.size()));
    }
    Mutation::setOutputs(&graph_, outputs);
    Mutation::setOutputNames(&graph_, std::move(names));
  }

private:
  /// Types are inferred again for the inputs of a run.
  const Type *typeOf(const Value *result) const {
    return result->isAbsent() ? result->type() : context_.unknownType();
  }

  void addOutside(const Value *value, std::vector<const Value *> &inputs) {
    TensorPtr tensor = contentsOf(value);
    if (!tensor) {
      Node *input = Mutation::addInput(&graph_, cat("x", inputs.size()), value->type());
      inputs.push_back(value);
      values_.emplace(value, input->result(0));
      return;
    }
    const Type *type = tensor->type();
    AttrRef held = context_.tensorAttr(tensor);
    NamedAttribute attribute{context_.identifier("value"), held.get()};
    NodeSpec spec;
    spec.op = context_.operatorName("ge.Const");
    spec.resultTypes = {&type, 1};
    spec.attributes = {&attribute, 1};
    values_.emplace(value, Mutation::create(&graph_, nullptr, spec)->result(0));
  }

  /// Replaces references to attributes of the function call by their values.
  void resolve(Node *node) const {
    const Identifier *reference = given_ ? context_.lookupIdentifier("ref_attr_name") : nullptr;
    if (!reference)
      return;
    std::vector<std::pair<const Identifier *, AttrRef>> others;
    const AttributeList &list = node->attributes();
    for (uint32_t i = 0; i < list.size(); ++i) {
      Attribute value = list.at(i);
      for (size_t k = 0; value.kind() == AttrKind::Dict && k != value.size(); ++k) {
        if (value.keys()[k] != reference || value.elements()[k].kind() != AttrKind::String)
          continue;
        AttrRef other;
        for (const NamedAttribute &one : *given_)
          if (!other.get() && one.name->str() == value.elements()[k].stringValue())
            other = AttrRef(one.value);
        others.emplace_back(context_.identifierAt(list.nameIdAt(i)), other);
      }
    }
    for (const auto &[name, value] : others)
      Mutation::setAttribute(node, name, value.get());
  }

  /// The element type of a tensor; unknown of other values.
  const Type *elementTypeOf(const Value *value) const {
    if (!value->type()->isTensor())
      return context_.unknownType();
    TensorTypeSpec spec;
    spec.dtype = value->type()->dtype();
    spec.ranked = false;
    return context_.tensorType(spec);
  }

  /// Names a body of a node, and removes types that need not be those of this run.
  void prepare(const Node *of, Graph *body) {
    std::vector<std::pair<Value *, const Type *>> kept;
    // Runtimes do not infer the element types of what this body gives.
    for (uint32_t i = 0; of->op()->str() == "onnx.SequenceMap" && i < body->numOutputs(); ++i)
      if (Value *output = body->outputValue(i);
          output && !output->node()->isData() && !contentsOf(output))
        kept.emplace_back(output, elementTypeOf(output));
    if (body->name().empty()) // without one it is not an ONNX graph
      Mutation::setName(body, "body");
    Mutation::sort(body);
    for (Node *node = body->front(); node; node = node->next()) {
      resolve(node);
      bool isConstant = node->numResults() == 1 && contentsOf(node->result(0));
      for (uint32_t i = 0; !isConstant && i < node->numResults(); ++i)
        Mutation::setType(node->result(i), typeOf(node->result(i)));
      for (Graph *inner : node->subgraphs())
        prepare(node, inner);
    }
    for (const auto &[output, type] : kept)
      Mutation::setType(output, type);
  }

  Context &context_;
  Graph &graph_;
  const std::vector<NamedAttribute> *given_;
  Captured captured_;
  std::vector<const Value *> needed_;
  ValueMap values_;
};

} // namespace

Region::Region(std::span<const Node *const> nodes, std::span<const Value *const> results,
               const std::vector<NamedAttribute> *given, AttrRef opsets, std::string where)
    : label_(labelOf(nodes, where)), results_(results.begin(), results.end()),
      opsets_(std::move(opsets)), where_(std::move(where)) {
  Context &context = nodes[0]->context();
  model_.reset(Module::create(context, "region"));
  if (opsets_.get())
    model_->setAttribute(context.identifier("onnx.opset_imports"), opsets_.get());
  ModelBuilder builder(*model_, given);
  for (const Node *node : nodes)
    nodes_.push_back(builder.add(node, inputs_));
  builder.setOutputs(results);
}

void Region::split() {
  std::span<Node *const> all = nodes_;
  Captured captured;
  for (size_t half = 0, middle = all.size() / 2; half < 2; ++half) {
    auto own = half ? all.subspan(middle) : all.first(middle);
    std::vector<const Node *> nodes(own.begin(), own.end());
    std::unordered_map<const Value *, bool> wanted;
    for (uint32_t i = 0; i < graph().numOutputs(); ++i)
      wanted.emplace(graph().outputValue(i), true);
    std::vector<const Value *> needed, results;
    for (const Node *later : half ? std::span<Node *const>() : all.subspan(middle))
      addNeeded(later, captured, needed);
    for (const Value *value : needed)
      wanted.emplace(value, true);
    for (const Node *node : nodes)
      for (uint32_t i = 0; i < node->numResults(); ++i)
        if (wanted.contains(node->result(i)))
          results.push_back(node->result(i));
    if (!results.empty())
      parts_.push_back(std::make_unique<Region>(nodes, results, nullptr, opsets_, where_));
  }
}

} // namespace ge
