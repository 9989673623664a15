//===- WritePlan.cpp - orders and names of a root graph ---------------------------------------===//
#include "WritePlan.h"

#include "ge/IR/Root.h"

#include <algorithm>

namespace ge::onnx {

Attribute find(const Context &context, const AttributeList &attributes, std::string_view name) {
  const Identifier *identifier = attributes.size() ? context.lookupIdentifier(name) : nullptr;
  return identifier ? attributes.find(identifier->id()) : Attribute();
}

bool holdsBytes(const Tensor &tensor) {
  return tensor.type()->dtype() == DType::U8 && !tensor.isSplat();
}

TensorBytes bytesOf(Attribute attribute) {
  if (attribute.kind() == AttrKind::Bytes)
    return TensorBytes(attribute.stringValue());
  if (attribute.kind() == AttrKind::Tensor) {
    const Tensor *tensor = attribute.tensorValue();
    if (holdsBytes(*tensor))
      return TensorBytes(*tensor);
  }
  return {};
}

Layout layoutOf(const Context &context, const AttributeList &attributes) {
  TensorBytes bytes = bytesOf(find(context, attributes, kLayout));
  return bytes.get().empty() ? Layout() : Layout::decode(bytes.get());
}

bool isConstant(const Node *node) {
  const OperatorName *op = node->op();
  return op->type() == "Const" && op->domain() == "ge";
}

bool isFunction(const Graph *graph) {
  return bool(find(graph->context(), graph->attributes(), kFunction));
}

bool isLargeSplat(const Node *node, int64_t opset) {
  constexpr uint64_t kLarge = 1024; // bytes; of fewer, the two nodes would be no gain
  if (!isConstant(node) || node->attribute("value").kind() != AttrKind::Tensor)
    return false;
  const Tensor *tensor = node->attribute("value").tensorValue();
  if (!tensor->isSplat() || tensor->isString() || tensor->denseSize() < kLarge)
    return false;
  switch (tensor->type()->dtype()) {
  case DType::F16:
  case DType::F32:
  case DType::F64:
  case DType::I8:
  case DType::I16:
  case DType::I32:
  case DType::I64:
  case DType::U8:
  case DType::U16:
  case DType::U32:
  case DType::U64:
  case DType::Bool:
    return opset >= 9;
  case DType::BF16:
    return opset >= 20;
  default:
    return false;
  }
}

RootPlan::RootPlan(const Graph *root, int64_t opset)
    : root_(root->root()), isFunction_(isFunction(root)), opset_(opset) {
  add(root);
  for (const Graph *graph : order_)
    nameOutputs(graph);
  restoreNames();
  nameUnnamed();
  nameShapes();
}

void RootPlan::addDomain(std::string_view domain) {
  if (seenDomains_.insert(domain).second)
    domains_.push_back(domain);
}

void RootPlan::add(const Graph *graph) {
  std::vector<Node *> order = graph->sortedNodes();
  order_.push_back(graph);
  auto plan = std::make_unique<GraphPlan>();
  plan->layout = layoutOf(graph->context(), graph->attributes());
  auto addValue = [&](const Value *value) {
    if (value->isAbsent())
      return;
    if (!value->hasName())
      unnamed_.push_back(value);
    else if (value->node()->originalName(value->index()) != value->name())
      originals_.push_back(value);
  };
  for (const Node *input : graph->inputNodes())
    addValue(input->result(0));
  const Identifier *mark = graph->context().lookupIdentifier(kSparseInitializer);
  // A function has no initializers; the bodies in it have.
  bool hasInitializers = !isFunction_ || graph->parentGraph();
  std::vector<const Graph *> inner;
  plan->nodes.reserve(order.size());
  for (const Node *node : order) {
    interrupt_.poll();
    if (isLargeSplat(node, opset_)) {
      plan->splats.push_back(node);
      addDomain("onnx");
    } else if (isConstant(node) && hasInitializers) {
      plan->constants.push_back(node);
    } else if (mark && hasInitializers && node->attribute(mark) &&
               node->op()->str() == "onnx.Constant") {
      plan->sparse.push_back(node);
    } else {
      plan->nodes.push_back(node);
      if (operators_.insert(node->op()).second)
        addDomain(isConstant(node) ? "onnx" : node->op()->domain());
    }
    for (uint32_t i = 0; i < node->numResults(); ++i) {
      interrupt_.poll();
      addValue(node->result(i));
    }
    hasOriginalNodes_ |= node->hasName() && node->originalName() != node->name();
    if (node->extra())
      inner.insert(inner.end(), node->subgraphs().begin(), node->subgraphs().end());
  }
  graphs_[graph] = std::move(plan);
  for (const Graph *subgraph : inner)
    add(subgraph);
}

bool RootPlan::isTaken(std::string_view name) const {
  return root_.findValue(name) || given_.contains(std::string(name));
}

/// Returns `base`, or `base_1`, `base_2`, ... if it is taken.
std::string RootPlan::freshName(std::string_view base) {
  std::string name(base);
  interrupt_.poll();
  if (isTaken(name)) {
    uint32_t &counter = counters_[name];
    for (; isTaken(name); interrupt_.poll())
      name = cat(base, "_", ++counter);
  }
  given_.insert(name);
  return name;
}

void RootPlan::rename(const Value *value) {
  const Node *node = value->node();
  std::string_view base = value->hasName()  ? value->name()
                          : node->hasName() ? node->name()
                                            : node->op()->type();
  renamed_[value] = freshName(base);
}

namespace {

/// True when a node in `graph`, or inside it, takes the value.
bool isUsedIn(const Value *value, const Graph *graph) {
  for (const Use *use = value->firstUse(); use; use = use->next())
    if (const Graph *user = use->owner()->graph(); user && graph->encloses(user))
      return true;
  return false;
}

} // namespace

/// Another value of the name an output has gets a new one.
void RootPlan::clearTheWay(const Graph *graph, uint32_t output, const std::string &wanted,
                           const Value *value) {
  const Value *holder = root_.findValue(wanted);
  if (!holder || holder == value || renamed_.contains(holder))
    return;
  bool isSeen = holder->graph() == graph ||
                (holder->graph() && holder->graph()->encloses(graph) && isUsedIn(holder, graph));
  if (!isSeen)
    return;
  if (holder->node()->isData())
    throwError(ErrorKind::Model, "output ", output, " of ", graph->describe(),
               " and an input that is another value have the name '", wanted,
               "'; rename one of them");
  given_.insert(wanted);
  rename(holder);
}

void RootPlan::nameOutputs(const Graph *graph) {
  GraphPlan &plan = *graphs_[graph];
  const std::vector<Entry> &entries = plan.layout[Section::Outputs];
  std::vector<std::string> names = graph->outputNames();
  std::unordered_set<const Value *> shown; // under a name, so that they can take no other
  for (uint32_t i = 0; i < names.size(); ++i) {
    interrupt_.poll();
    const Value *value = graph->outputValue(i);
    std::string_view own = value ? value->node()->originalName(value->index()) : std::string_view();
    // A file may have had a name twice among its outputs.
    if (value && entries.size() == names.size() && entries[i].form == kWhole &&
        !graph->hasOutputName(i) && entries[i].name == own)
      names[i] = own;
    if (value && names[i] == own && !renamed_.contains(value)) {
      shown.insert(value);
      if (own != value->name() && value->graph() == graph) {
        clearTheWay(graph, i, names[i], value);
        given_.insert(renamed_[value] = own);
      }
    }
  }
  for (uint32_t i = 0; i < names.size(); ++i) {
    interrupt_.poll();
    const Value *value = graph->outputValue(i);
    bool needsIdentity = false;
    if (!value) {
      names[i].clear();
    } else if (value->graph() != graph && names[i] != name(value) && !renamed_.contains(value) &&
               names[i] == value->node()->originalName(value->index())) {
      captured_.push_back({graph, i}); // restoreNames() may restore the name
    } else if (names[i] != name(value) || !shown.contains(value)) {
      clearTheWay(graph, i, names[i], value);
      const Node *producer = value->node();
      needsIdentity = value->graph() != graph || !producer->isListed() || isConstant(producer) ||
                      renamed_.contains(value) || !shown.insert(value).second;
      given_.insert(names[i]);
      if (needsIdentity)
        addDomain("onnx");
      else
        renamed_[value] = names[i];
    }
    plan.outputs.push_back({value, std::move(names[i]), needsIdentity});
  }
}

/// Gives values that the reader renamed their names of the file, where no other value has that
/// name: neither one of the same graph nor one of an enclosing graph that is used there. Since this
/// depends on the names of the others, values that clash are removed until a fixpoint is reached.
void RootPlan::restoreNames() {
  std::vector<const Value *> open;
  for (const Value *value : originals_) {
    interrupt_.poll();
    if (!renamed_.contains(value)) {
      open.push_back(value);
      renamed_[value] = value->node()->originalName(value->index());
    }
  }
  for (bool isChanged = true; isChanged && !open.empty();) {
    std::map<std::pair<const Graph *, std::string_view>, const Value *> defined;
    auto define = [&](const Value *value) {
      return defined.try_emplace({value->graph(), name(value)}, value).first->second == value;
    };
    std::unordered_set<std::string_view> contested;
    for (const Value *value : open)
      contested.insert(name(value));
    // Who has a contested name without question: outputs, and values that have it in the IR.
    for (const Graph *graph : order_)
      for (const OutputPlan &output : graphs_[graph]->outputs)
        if (output.value && contested.contains(output.name) &&
            (output.needsIdentity || output.value->graph() == graph))
          defined.try_emplace({graph, output.name}, output.needsIdentity ? nullptr : output.value);
    for (std::string_view each : contested) {
      interrupt_.poll();
      if (const Value *holder = root_.findValue(each); holder && name(holder) == each)
        define(holder);
    }
    std::unordered_set<const Value *> unclear, mayGo(open.begin(), open.end());
    for (const Value *value : open) {
      interrupt_.poll();
      if (!define(value))
        unclear.insert(value);
    }
    // An inner name hides an outer one: drop the inner one or, if that is impossible, the outer
    // one.
    for (const auto &[place, inner] : defined) {
      interrupt_.poll();
      for (const Graph *outer = place.first->parentGraph(); outer; outer = outer->parentGraph())
        if (auto it = defined.find({outer, place.second});
            it != defined.end() && it->second && isUsedIn(it->second, place.first)) {
          if (inner && mayGo.contains(inner))
            unclear.insert(inner);
          else if (mayGo.contains(it->second))
            unclear.insert(it->second);
        }
    }
    for (const Value *value : open)
      if (unclear.contains(value))
        renamed_.erase(value);
    isChanged = std::erase_if(open, [&](const Value *v) { return unclear.contains(v); }) != 0;
  }
  for (const Value *value : open)
    given_.insert(std::string(name(value)));
  for (auto [graph, i] : captured_) {
    interrupt_.poll();
    OutputPlan &output = graphs_[graph]->outputs[i];
    if (name(output.value) == output.name)
      continue;
    clearTheWay(graph, i, output.name, output.value);
    given_.insert(output.name);
    output.needsIdentity = true;
    addDomain("onnx");
  }
}

void RootPlan::nameUnnamed() {
  renamed_.reserve(renamed_.size() + unnamed_.size());
  given_.reserve(given_.size() + unnamed_.size());
  for (const Value *value : unnamed_) {
    interrupt_.poll();
    if (!renamed_.contains(value))
      rename(value);
  }
}

void RootPlan::nameShapes() {
  for (const Graph *graph : order_)
    for (const Node *splat : graphs_[graph]->splats)
      shapeNames_[splat] = freshName(cat(name(splat->result(0)), "_shape"));
}

} // namespace ge::onnx
