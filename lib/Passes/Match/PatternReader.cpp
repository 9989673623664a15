//===- PatternReader.cpp - from a graph to the tables of a pattern ----------------------------===//
#include "PatternReader.h"

#include "ge/Ops/Infer/CallBinder.h"
#include "ge/Ops/Infer/Infer.h"
#include "ge/Ops/Registry/Registry.h"
#include "ge/Support/StringUtil.h"

#include <algorithm>
#include <set>

namespace ge {

using Kind = PatternValue::Kind;

void PatternReader::read() {
  std::vector<Node *> order, cycle;
  if (!graph_.topologicalOrder(order, &cycle)) {
    throwError(ErrorKind::Value, "pattern '", graph_.name(),
               "' has a cycle: ", Graph::cycleText(cycle));
  }
  for (const Node *input : graph_.inputNodes()) {
    PatternValue wildcard;
    wildcard.index = uint32_t(p_.inputs_.size());
    p_.inputs_.push_back(add(input->result(0), wildcard));
  }
  for (const Node *node : order)
    readNode(node);
  readOutputs();
  for (PatternNode &node : p_.nodes_)
    node.commuting = commuting(node);
  findAnchors();
  measureDepth();
  findTree();
}

void PatternReader::refuse(const Node *node, std::string_view what) const {
  throwError(ErrorKind::Value, "pattern '", graph_.name(), "': ", node->describe(), " ", what);
}

uint32_t PatternReader::add(const Value *value, PatternValue made) {
  made.name = value->name();
  auto id = uint32_t(p_.values_.size());
  p_.values_.push_back(std::move(made));
  ids_.emplace(value, id);
  return id;
}

uint32_t PatternReader::valueOf(const Node *node, uint32_t operand) const {
  const Value *value = node->operand(operand);
  return value ? ids_.at(value) : PatternNode::kAbsent;
}

uint32_t PatternReader::inside(uint32_t value) const { return withoutWhere(p_, value); }

void PatternReader::readNode(const Node *node) {
  if (!node->subgraphs().empty())
    refuse(node, "has a subgraph: a pattern is matched in one graph; give its body a pattern of "
                 "its own");
  if (!node->controlInputs().empty() || !node->controlOutputs().empty())
    refuse(node, "has a control edge: patterns follow data");
  const OperatorName *op = node->op();
  if (op->domain() == "pattern")
    return readDirective(node);
  if (op->domain() == "ge" && (op->type() == "Const" || op->type() == "Constant"))
    return readConstant(node);
  if (isOnnxConstant(node))
    return readConstant(node);
  checkOperator(node, op);
  PatternNode made;
  made.ops.push_back(op);
  readOperands(node, made);
  readAttributes(node, made);
  checkParams(node, made);
  addNode(node, std::move(made));
}

/// Exporters write constants in several forms, all of which match. A constant that is an output of
/// the pattern is an operator instead, because a match starts at one.
bool PatternReader::isOnnxConstant(const Node *node) {
  const OperatorName &op = *node->op();
  if (op.domain() != "onnx" || op.type() != "Constant" || node->attributes().size() != 1 ||
      node->numResults() != 1 || !constantContents(node->result(0)))
    return false;
  for (const Use *use = node->result(0)->firstUse(); use; use = use->next())
    if (use->owner()->isNetOutput())
      return false;
  return true;
}

void PatternReader::addNode(const Node *node, PatternNode made) {
  if (node->hasName())
    made.name = node->name();
  for (uint32_t i = 0; i != node->numResults(); ++i) {
    PatternValue value;
    value.kind = Kind::Result;
    value.node = uint32_t(p_.nodes_.size());
    value.index = i;
    add(node->result(i), value);
  }
  p_.nodes_.push_back(std::move(made));
}

void PatternReader::readDirective(const Node *node) {
  std::string_view type = node->op()->type();
  if (type == "Op")
    return readOp(node);
  if (type == "Const")
    return readConstant(node);
  if (node->numResults() != 1)
    refuse(node, "must have one result");
  if (type == "Where")
    return readWhere(node);
  PatternValue value;
  if (type == "Rest") {
    value.kind = Kind::Rest;
    value.index = p_.numRests_++;
  } else if (type == "AnyOf" || type == "Optional") {
    value.kind = type == "AnyOf" ? Kind::AnyOf : Kind::Optional;
    for (uint32_t i = 0; i != node->numOperands(); ++i) {
      uint32_t choice = valueOf(node, i);
      if (choice == PatternNode::kAbsent)
        refuse(node, "has an absent operand");
      if (p_.values_[inside(choice)].kind == Kind::Rest)
        refuse(node, "cannot contain a Rest, which must be an operand of an operator");
      value.choices.push_back(choice);
    }
    if (value.choices.empty() || (value.kind == Kind::Optional && value.choices.size() != 1))
      refuse(node, value.kind == Kind::AnyOf ? "needs an alternative" : "takes one operand");
  } else {
    refuse(node, "is none of Op, AnyOf, Optional, Rest, Const, Where");
  }
  add(node->result(0), std::move(value));
}

void PatternReader::readOp(const Node *node) {
  PatternNode made;
  Attribute ops = node->attribute("ops");
  auto addName = [&](Attribute name) {
    if (name.kind() != AttrKind::String)
      refuse(node, "has attribute 'ops', which must be a list of operator names");
    std::string_view text = name.stringValue();
    if (text.find('.') == std::string_view::npos && text.find("::") == std::string_view::npos) {
      checkType(node, text);
      made.types.push_back(graph_.context().identifier(text));
    } else {
      made.ops.push_back(graph_.context().operatorName(text));
      checkOperator(node, made.ops.back());
    }
  };
  if (ops.kind() == AttrKind::List)
    for (Attribute name : ops.elements())
      addName(name);
  else if (ops)
    addName(ops);
  if (Attribute opsets = node->attribute("opsets")) {
    auto [first, last] = readPair(
        node, opsets, "has attribute 'opsets', which must be two numbers: the first and the last");
    made.minOpset = uint32_t(std::clamp<int64_t>(first, 0, INT32_MAX));
    made.maxOpset = last < 0 ? UINT32_MAX : uint32_t(std::min<int64_t>(last, INT32_MAX));
  }
  readOperands(node, made);
  for (uint32_t i = 0; i != node->attributes().size(); ++i) {
    const Identifier *name = graph_.context().identifierAt(node->attributes().nameIdAt(i));
    if (name->str() != "ops" && name->str() != "opsets")
      readAttribute(node, name, node->attributes().at(i), made);
  }
  checkParams(node, made);
  addNode(node, std::move(made));
}

void PatternReader::readConstant(const Node *node) {
  p_.hasConstants_ = true;
  PatternValue value;
  value.kind = Kind::Constant;
  value.constants = p_.options_.constants;
  if (Attribute tensor = node->attribute("value")) {
    if (tensor.kind() != AttrKind::Tensor)
      refuse(node, "has attribute 'value', which must be a tensor");
    value.tensor = TensorPtr(tensor.tensorValue());
  } else if (node->op()->domain() == "onnx") {
    value.tensor = constantContents(node->result(0));
  }
  if (Attribute tolerance = node->attribute("tolerance")) {
    if (tolerance.kind() != AttrKind::Float || !(tolerance.floatValue() >= 0))
      refuse(node, "has attribute 'tolerance', which must be a number >= 0");
    value.tolerance = tolerance.floatValue();
    value.constants = ConstantMatch::Value;
  }
  if (Attribute exact = node->attribute("exact"); exact && exact.kind() == AttrKind::Bool)
    value.constants = exact.boolValue() ? ConstantMatch::Exact : value.constants;
  if (Attribute predicate = node->attribute("predicate"))
    value.predicate = int32_t(readPredicate(node, predicate));
  if (node->numResults() != 1)
    refuse(node, "must have one result");
  add(node->result(0), std::move(value));
}

void PatternReader::readWhere(const Node *node) {
  if (node->numOperands() != 1 || !node->operand(0))
    refuse(node, "takes one operand");
  PatternValue value;
  value.kind = Kind::Where;
  value.choices.push_back(valueOf(node, 0));
  value.constraint = int32_t(p_.constraints_.size());
  PatternConstraint constraint;
  if (Attribute dims = node->attribute("dims"))
    readDims(node, dims, constraint);
  if (Attribute dtypes = node->attribute("dtype"))
    readDTypes(node, dtypes, constraint);
  if (Attribute rank = node->attribute("rank"))
    readRank(node, rank, constraint);
  if (Attribute predicate = node->attribute("predicate"))
    constraint.predicates.push_back(readPredicate(node, predicate));
  if (Attribute attributes = node->attribute("attributes")) {
    const PatternValue &of = p_.values_[inside(value.choices[0])];
    if (attributes.kind() != AttrKind::Dict || of.kind != Kind::Result)
      refuse(node, "has attribute 'attributes', which must be a dictionary, for the result of an "
                   "operator");
    for (size_t i = 0; i != attributes.size(); ++i)
      readAttribute(node, attributes.keys()[i], attributes.elements()[i], p_.nodes_[of.node]);
  }
  p_.constraints_.push_back(std::move(constraint));
  add(node->result(0), std::move(value));
}

void PatternReader::readOperands(const Node *node, PatternNode &out) {
  for (uint32_t i = 0; i != node->numOperands(); ++i) {
    uint32_t value = valueOf(node, i);
    if (value != PatternNode::kAbsent && p_.values_[inside(value)].kind == Kind::Rest) {
      if (out.rest >= 0)
        refuse(node, "has two Rests among its operands: where one ends is ambiguous");
      out.rest = int32_t(i);
    }
    out.operands.push_back(value);
  }
  out.segments.assign(node->operandSegments().begin(), node->operandSegments().end());
}

uint32_t PatternReader::readPredicate(const Node *node, Attribute value) const {
  if (value.kind() != AttrKind::Int || value.intValue() < 0 ||
      uint64_t(value.intValue()) >= p_.options_.predicates.size())
    refuse(node, cat("has a predicate that is none of the pattern's ",
                     p_.options_.predicates.size(), " functions"));
  return uint32_t(value.intValue());
}

void PatternReader::checkOperator(const Node *node, const OperatorName *op) const {
  const Registry &registry = Registry::global();
  if (!registry.overloads(op->domain(), op->type()).empty())
    return;
  if (!registry.hasNamespace(op->domain()))
    return; // an unregistered domain, which a model may define
  std::string text;
  for (const std::string &near : registry.suggestions(op->domain(), op->type()))
    text += cat(text.empty() ? "; did you mean " : ", ", near);
  throwError(ErrorKind::Key, "pattern '", graph_.name(), "': ", node->describe(),
             " wants an operator '", op->str(), "', which '", op->domain(), "' does not have", text,
             text.empty() ? "" : "?");
}

void PatternReader::checkType(const Node *node, std::string_view type) const {
  const Registry &registry = Registry::global();
  std::string text;
  for (const std::string &space : registry.namespaces()) {
    if (!registry.overloads(space, type).empty())
      return;
    for (const std::string &near : registry.suggestions(space, type))
      if (near.starts_with(space) && text.size() < 100)
        text += cat(text.empty() ? "; did you mean " : ", ", near);
  }
  throwError(ErrorKind::Key, "pattern '", graph_.name(), "': ", node->describe(),
             " wants an operator '", type, "', which no namespace has", text,
             text.empty() ? "" : "?",
             " (an unregistered operator is named with its "
             "domain: com.example.",
             type, ")");
}

/// " (1, 13)": the opsets in which the definition was added or changed.
static std::string opsetsText(const std::vector<OpDefRef> &defs) {
  std::set<uint32_t> opsets;
  for (const OpDefRef &def : defs)
    if (def->since)
      opsets.insert(def->since);
  std::string text;
  for (uint32_t opset : opsets)
    text += cat(text.empty() ? " (its forms are of opset " : ", ", opset);
  return text.empty() ? text : text + ")";
}

/// Operands and attributes that no version of an operator has can never match. If the pattern names
/// several operators, it is enough that one of them has these. Passes mark nodes with attributes
/// without a definition, so only names that are close to a defined one are rejected.
void PatternReader::checkParams(const Node *node, const PatternNode &made) const {
  if (made.ops.empty() || !made.types.empty())
    return;
  std::vector<OpDefRef> defs;
  for (const OperatorName *op : made.ops) {
    std::vector<OpDefRef> versions =
        Registry::global().versions(op->domain(), op->type(), op->overload());
    if (versions.empty())
      return; // the definition is unknown
    std::ranges::move(versions, std::back_inserter(defs));
  }
  const bool hasRest = made.rest >= 0;
  size_t most = 0, least = SIZE_MAX, given = made.operands.size() - size_t(hasRest);
  for (const OpDefRef &def : defs) {
    bool isOpen = def->vararg;
    size_t required = 0, position = 0;
    for (uint32_t index : def->operands()) {
      const Param &param = def->params[index];
      isOpen |= param.isVariadic();
      position += !param.isVariadic(); // a list may be empty
      if (param.isRequired() && !param.isVariadic())
        required = position;
    }
    most = std::max(most, isOpen ? SIZE_MAX : def->operands().size());
    least = std::min(least, required);
  }
  auto countText = [](size_t count) {
    return cat(count ? cat(count) : "no", count == 1 ? " operand" : " operands");
  };
  if (given > most || (given < least && !hasRest))
    refuse(node, cat("has ", countText(given), ", but '", made.ops.front()->str(), "' has at ",
                     given > most ? "most " : "least ", given > most ? most : least,
                     " in each opset", opsetsText(defs)));
  for (const PatternAttribute &attribute : made.attributes) {
    std::string_view name = attribute.name->str();
    std::vector<std::string_view> known;
    bool isKnown = false;
    for (const OpDefRef &def : defs) {
      std::optional<uint32_t> param = def->findParam(name);
      isKnown |= isFreeAttribute(*def, name) || (param && !def->params[*param].isOperand());
      for (uint32_t index : def->attributes())
        known.push_back(def->params[index].name);
    }
    if (isKnown)
      continue;
    if (std::optional<std::string_view> near = nearestWord(name, known.data(), known.size()))
      refuse(node, cat("has an attribute '", name, "', which '", made.ops.front()->str(),
                       "' has in no opset", opsetsText(defs), "; did you mean '", *near, "'?"));
  }
}

uint32_t PatternReader::commuting(const PatternNode &node) const {
  if (p_.options().keepsOrder || node.ops.empty() || !node.types.empty())
    return 0;
  uint32_t all = UINT32_MAX;
  for (const OperatorName *op : node.ops) {
    OpDefRef def = Registry::global().find(op->domain(), op->type(), op->overload());
    if (!def || !def->has(OpTrait::Commutative) || def->hasOperandChoice())
      return 0;
    bool variadic = std::ranges::any_of(
        def->operands(), [&](uint32_t param) { return def->params[param].isVariadic(); });
    all = std::min(all, variadic ? uint32_t(node.operands.size()) : 2u);
  }
  // Assignments of more than 64 operands are not searched.
  return all > 64 ? 0 : std::min(all, uint32_t(node.operands.size()));
}

void PatternReader::findTree() {
  const std::vector<PatternNode> &nodes = p_.nodes_;
  const std::vector<PatternValue> &values = p_.values_;
  if (nodes.size() > Pattern::kFewNodes || p_.outputs_.size() != 1 || p_.anchors_.size() != 1)
    return;
  std::vector<uint32_t> uses(values.size()), results(nodes.size());
  for (const PatternValue &value : values) {
    if (value.kind == Kind::Result)
      ++results[value.node];
    else if (value.kind != Kind::Wildcard)
      return;
  }
  for (const PatternNode &node : nodes) {
    bool isPlain = node.ops.size() == 1 && node.types.empty() && node.minOpset == 0 &&
                   node.maxOpset == UINT32_MAX && node.rest < 0 && node.attributes.empty() &&
                   !node.allAttributes && node.segments.empty();
    if (!isPlain || (node.commuting > 1 && (node.commuting != 2 || node.operands.size() != 2)))
      return;
    for (uint32_t operand : node.operands)
      if (operand == PatternNode::kAbsent || uses[operand]++ != 0)
        return;
  }
  if (!std::ranges::all_of(results, [](uint32_t count) { return count == 1; }))
    return;

  PatternTree tree;
  tree.root = p_.outputs_[0];
  std::vector<uint32_t> open = {tree.root}; // results of the nodes in the tree
  for (size_t i = 0; i != open.size(); ++i) {
    const PatternValue &value = values[open[i]];
    const PatternNode &node = nodes[value.node];
    const bool commutes = node.commuting > 1;
    tree.hasChoices |= commutes;
    tree.nodes.push_back({node.ops[0]->id(), value.node, value.index,
                          uint32_t(tree.operands.size()), uint32_t(node.operands.size()),
                          commutes});
    for (uint32_t operand : node.operands) {
      bool isWildcard = values[operand].kind == Kind::Wildcard;
      tree.operands.push_back(
          {operand, isWildcard ? PatternTree::kWildcard : uint32_t(open.size())});
      if (!isWildcard)
        open.push_back(operand);
    }
  }
  p_.tree_ = std::move(tree);
}

} // namespace ge
