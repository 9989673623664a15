//===- OpParser.cpp - one operation ---------------------------------------------------------------===//
//
//   (results `=`)? "name" `(` operands `)` (`<` properties `>`)? (`(` regions `)`)? attributes?
//       `:` `(` types `)` `->` types location?
//
#include "GraphParser.h"

#include <algorithm>

namespace ge::text {

void GraphParser::operation(Body &body, const char *place) {
  attributes_.clear();
  operands_.clear();
  results_.clear();
  resultTypes_.clear();
  clearStrings();
  if (*place == '%')
    results();
  scan_.skipSpace();
  const char *namePlace = scan_.at();
  OpName name = opName();
  operands();
  bool heads =
      name.kind == OpKind::Function || name.kind == OpKind::Graph || name.kind == OpKind::Module;
  if (heads || (name.kind == OpKind::Return && body.terminator != OpKind::Return))
    scan_.fail(namePlace, "this operation cannot stand inside a graph");

  unsigned allowed = kPlain | kName | kResultNames | kSubgraphs | kOrigins | kSegments;
  if (name.kind == OpKind::SpelledNode || name.kind == OpKind::Unseen)
    allowed |= kIdentity;
  if (scan_.peek() == '<') {
    scan_.take('<');
    attributes(attributes_, allowed);
    scan_.expect('>', "after the properties");
  }
  const char *regionsPlace = scan_.peek() == '(' ? regions() : nullptr;
  if (scan_.peek() == '{')
    attributes(attributes_, allowed);
  functionType();
  trailing(place);

  if (name.kind == OpKind::SpelledNode)
    name.op = spelledOperator(namePlace);
  if (name.op)
    return node(body, name.op, place, regionsPlace);
  if (regionsPlace)
    scan_.fail(regionsPlace, "this operation has no subgraphs");
  if (!attributes_.operandSegments.empty() || !attributes_.resultSegments.empty())
    scan_.fail(place, "this operation has no lists of operands or results");
  formatOperation(body, name.kind, place);
}

// --- Names ---------------------------------------------------------------------------------------

/// `%a, %b:2 =`
void GraphParser::results() {
  do {
    interrupt_.poll();
    scan_.skipSpace();
    const char *place = scan_.at();
    if (!scan_.take('%'))
      scan_.failExpected("'%' and the name of a result");
    std::string_view name = scan_.suffixWord();
    if (name.empty())
      scan_.failExpected("the name of a result");
    uint64_t count = 1;
    if (scan_.take(':')) {
      std::string_view digits = scan_.peek() ? scan_.suffixWord() : std::string_view();
      count = 0;
      for (char c : digits)
        count = isClass(c, kDigit) && count < 10000000 ? count * 10 + uint64_t(c - '0')
                                                       : uint64_t(-1) >> 1;
      // Limited by the number of types that the text can contain.
      if (count == 0 || count > uint64_t(scan_.end() - scan_.at()))
        scan_.fail(place, "expected the number of results of this name");
    }
    for (uint64_t i = 0; i < count; ++i)
      results_.push_back({name, place, uint32_t(i), i == 0});
  } while (scan_.take(','));
  scan_.expect('=', "after the names of results");
}

GraphParser::OpName GraphParser::opName() {
  if (scan_.peek() != '"')
    scan_.failExpected("the quoted name of an operation",
                       "; only MLIR's generic form is read, which 'mlir-opt "
                       "--mlir-print-op-generic' writes");
  const char *place = scan_.at();
  bool hasEscapes = false;
  std::string_view raw = scan_.rawString(hasEscapes);
  if (const OpName *known = opNames_.find(raw)) [[likely]]
    return *known;
  scan_.setAt(place);
  std::string buffer;
  std::string_view text = scan_.string(buffer);
  OpName name;
  name.kind = opKindOf(text);
  if (name.kind == OpKind::Node) {
    if (!isValidUtf8(text))
      scan_.fail(place, "the name of an operation must be UTF-8");
    if (text.find('.') == std::string_view::npos && text.find("::") == std::string_view::npos)
      scan_.fail(place, cat("expected \"domain.Type\", got \"", text, "\""));
    name.op = refusedAt(place, [&] { return context_.operatorName(text); });
  }
  opNames_.insert(raw, name);
  return name;
}

const OperatorName *GraphParser::spelledOperator(const char *place) {
  return refusedAt(place, [&] {
    return context_.operatorName(attributes_.domain, attributes_.type, attributes_.overload);
  });
}

// --- Operands and types --------------------------------------------------------------------------

GraphParser::Operand GraphParser::operand() {
  interrupt_.poll();
  scan_.skipSpace();
  const char *place = scan_.at();
  if (!scan_.take('%'))
    scan_.failExpected("an operand %name");
  std::string_view word = scan_.suffixWord();
  if (word.empty())
    scan_.failExpected("the name of an operand");
  uint32_t index = 0;
  if (scan_.at() != scan_.end() && *scan_.at() == '#') {
    scan_.setAt(scan_.at() + 1);
    std::string_view digits = scan_.suffixWord();
    for (char c : digits)
      index = isClass(c, kDigit) && index < 100000000 ? index * 10 + uint32_t(c - '0') : UINT32_MAX;
    if (digits.empty() || index == UINT32_MAX)
      scan_.fail(place, "expected the number of a result after '#'");
  }
  SSAName name = SSAName::make(word, index);
  const Definition *definition = scopes_.find(name);
  if (!definition && !forward_)
    failUndefined(name, place);
  return {name, place, definition, nullptr, false};
}

void GraphParser::failUndefined(const SSAName &name, const char *place) {
  static constexpr size_t kMostCandidates = 4096;
  const std::vector<Definition> &all = scopes_.all();
  std::vector<std::string_view> candidates;
  for (size_t i = all.size(); i-- > 0 && candidates.size() < kMostCandidates;)
    if (isSSAIdentifier(all[i].name()))
      candidates.push_back(all[i].name());
  auto near = nearestWord(name.name, candidates.data(), candidates.size());
  std::string spelled(name.name);
  if (name.index)
    spelled += cat("#", name.index);
  scan_.fail(place, cat("%", spelled, " is not defined",
                        near ? cat("; did you mean %", *near, "?") : std::string()));
}

void GraphParser::operands() {
  scan_.expect('(', "and operands after the name of an operation");
  if (scan_.take(')'))
    return;
  do
    operands_.push_back(operand());
  while (scan_.take(','));
  scan_.expect(')', "or ',' after an operand");
}

bool GraphParser::takeControlType() {
  static constexpr std::string_view kControl = "!ge.control";
  scan_.skipSpace();
  const char *p = scan_.at();
  if (size_t(scan_.end() - p) < kControl.size() || *p != '!' ||
      std::memcmp(p, kControl.data(), kControl.size()) != 0 ||
      (p + kControl.size() != scan_.end() && isWordChar(p[kControl.size()])))
    return false;
  scan_.setAt(p + kControl.size());
  return true;
}

void GraphParser::operandType(Operand &operand) {
  interrupt_.poll();
  using Kind = Definition::Kind;
  scan_.skipSpace();
  const char *place = scan_.at();
  const Definition *definition = operand.definition;
  auto mismatch = [&](std::string_view is, std::string_view got) {
    scan_.fail(place, cat("%", operand.name.name, " has type ", is, ", got ", got),
               definition->place(), cat("%", operand.name.name, " is defined here"));
  };
  if (takeControlType()) {
    operand.isControl = true;
    if (definition && definition->kind() != Kind::Control && definition->kind() != Kind::Broken)
      mismatch(definition->value() ? definition->value()->type()->str() : "none", "!ge.control");
    return;
  }
  if (definition && definition->kind() == Kind::Value) [[likely]] {
    operand.type = type(definition->value()->type());
    if (operand.type != definition->value()->type())
      mismatch(definition->value()->type()->str(), operand.type->str());
    return;
  }
  operand.type = type();
  if (!definition || definition->kind() == Kind::Broken)
    return;
  if (definition->kind() == Kind::Control)
    mismatch("!ge.control", operand.type->str());
  if (!operand.type->isNone())
    mismatch("none", operand.type->str());
}

void GraphParser::checkCount(const char *place, std::string_view what, size_t names, size_t types) {
  if (names != types)
    scan_.fail(place, cat(names, " ", what, names == 1 ? "" : "s", " with ", types, " type",
                          types == 1 ? "" : "s"));
}

/// `: (types) -> types`. Operands were read already; their types are checked on the way.
void GraphParser::functionType() {
  scan_.expect(':', "and the type of the operation");
  scan_.skipSpace();
  const char *place = scan_.at();
  scan_.expect('(', "before the types of operands");
  size_t count = 0;
  bool sawControl = false;
  if (!scan_.take(')')) {
    do {
      if (count == operands_.size()) {
        Operand none{{}, scan_.at(), nullptr, nullptr, false};
        operandType(none); // for the count in the message
        ++count;
        while (scan_.take(',')) {
          operandType(none);
          ++count;
        }
        break;
      }
      Operand &operand = operands_[count++];
      operandType(operand);
      if (sawControl && !operand.isControl)
        scan_.fail(operand.place, "control operands must be last");
      sawControl = operand.isControl;
    } while (scan_.take(','));
    scan_.expect(')', "or ',' after the type of an operand");
  }
  checkCount(place, "operand", operands_.size(), count);

  scan_.expect("->", "between the types of operands and results");
  scan_.skipSpace();
  resultTypesPlace_ = scan_.at();
  hasControlResult_ = false;
  auto one = [&] {
    interrupt_.poll();
    if (hasControlResult_)
      scan_.failExpected("no type after '!ge.control', which must be last");
    if (takeControlType()) {
      hasControlResult_ = true;
      return;
    }
    const Type *guess =
        !operands_.empty() && operands_[0].type ? operands_[0].type : lastResultType_;
    lastResultType_ = type(guess);
    resultTypes_.push_back(lastResultType_);
  };
  if (!scan_.take('(')) {
    one();
  } else if (!scan_.take(')')) {
    do
      one();
    while (scan_.take(','));
    scan_.expect(')', "or ',' after the type of a result");
  }
  // MLIR allows to name none.
  if (!results_.empty())
    checkCount(results_[0].place, "result", results_.size(),
               resultTypes_.size() + hasControlResult_);
}

void GraphParser::trailing(const char *place) {
  laterLocation_ = {};
  location_ = scan_.peek() == 'l' ? trailingLocation(laterLocation_) : nullptr;
  if (!location_ && laterLocation_.empty() && options_.sourceLocations)
    location_ = sourceLocation(place);
}

/// Skips `({...}, {...})`; returns its place.
const char *GraphParser::regions() {
  const char *place = scan_.at();
  auto known =
      std::lower_bound(regionLists_.begin(), regionLists_.end(), place,
                       [](const RegionList &list, const char *at) { return list.open < at; });
  if (known != regionLists_.end() && known->open == place && known->close) {
    scan_.setAt(known->close);
    return place;
  }
  scan_.skipBalanced(false, &regionLists_);
  return place;
}

// --- Nodes ---------------------------------------------------------------------------------------

Value *GraphParser::valueOf(const Operand &operand, Node *user, uint32_t index) {
  const Definition *definition = operand.definition;
  if (!definition) {
    pending_.push_back({user, index, operand.name, operand.type, operand.place});
    return nullptr;
  }
  if (definition->kind() == Definition::Kind::Broken)
    throw ParseFailure(); // was reported where it should have been defined
  if (definition->kind() == Definition::Kind::Absent)
    return nullptr;
  if (definition->value()->isAbsent())
    scan_.fail(operand.place, cat("%", operand.name.name, " is an absent result and has no uses"));
  return definition->value();
}

Node *GraphParser::createNode(Graph *graph, const OperatorName *op) {
  NodeSpec spec;
  spec.op = op;
  values_.clear();
  size_t pendingMark = pending_.size();
  for (size_t i = 0; i < operands_.size() && !operands_[i].isControl; ++i)
    values_.push_back(valueOf(operands_[i], nullptr, uint32_t(i)));
  spec.operands = values_;
  spec.resultTypes = resultTypes_;
  spec.attributes = attributes_.plain;
  spec.location = location_;
  spec.operandSegments = attributes_.operandSegments;
  spec.resultSegments = attributes_.resultSegments;
  if (attributes_.hasName) {
    spec.name = attributes_.name;
    spec.keepDuplicateName = true;
  } else if (!results_.empty() && !resultTypes_.empty() && !resultTypes_[0]->isNone() &&
             isSSAIdentifier(results_[0].name)) {
    spec.name = results_[0].name;
  }
  Node *node = graph ? Mutation::create(graph, nullptr, spec) : Mutation::create(*root_, spec);
  for (size_t i = pendingMark; i < pending_.size(); ++i)
    pending_[i].node = node;
  if (!laterLocation_.empty())
    pendingLocations_.push_back({node, laterLocation_});
  defer(attributes_, Deferred::Owner::Node, node);
  return node;
}

void GraphParser::nameResults(Node *node) {
  if (attributes_.resultNames.size() > resultTypes_.size())
    scan_.fail(attributes_.resultNamesPlace,
               cat(attributes_.resultNames.size(), " names for ", resultTypes_.size(), " results"));
  for (uint32_t i = 0; i < node->numResults(); ++i) {
    interrupt_.poll();
    if (i < attributes_.resultNames.size()) {
      if (!attributes_.resultNames[i].empty())
        Mutation::rename(node->result(i), attributes_.resultNames[i], true);
    } else if (i < results_.size() && results_[i].isFirst && !resultTypes_[i]->isNone() &&
               isSSAIdentifier(results_[i].name)) {
      Mutation::rename(node->result(i), results_[i].name);
    }
  }
}

void GraphParser::define(const Definition &definition, const SSAName &name) {
  if (const Definition *earlier = scopes_.find(name)) {
    if (earlier->kind() == Definition::Kind::Broken)
      return;
    scan_.fail(definition.place(), cat("%", definition.name(), " is defined twice"),
               earlier->place(), "the first definition is here");
  }
  scopes_.define(definition, name);
}

void GraphParser::defineResults(Node *node) {
  for (uint32_t i = 0; i < results_.size(); ++i) {
    interrupt_.poll();
    SSAName name = SSAName::make(results_[i].name, results_[i].index);
    define(i == resultTypes_.size() ? Definition(Definition::Kind::Control, name, node)
                                    : Definition(name, node->result(i)),
           name);
  }
}

void GraphParser::addControl(Node *node, const Operand &operand) {
  // Edges of one node keep their order, so with forward uses all are added at the end of the graph.
  if (forward_) {
    pendingControls_.push_back({node, operand.name, operand.place});
    return;
  }
  if (operand.definition->kind() == Definition::Kind::Broken)
    throw ParseFailure();
  refusedAt(operand.place, [&] { Mutation::addControlEdge(operand.definition->node(), node); });
}

void GraphParser::node(Body &body, const OperatorName *op, const char *place, const char *regions) {
  Node *node = refusedAt(place, [&] {
    Node *made = createNode(body.graph, op);
    nameResults(made);
    return made;
  });
  for (const Operand &operand : operands_)
    if (operand.isControl)
      addControl(node, operand);
  if (attributes_.origins)
    origins(node, attributes_.origins);
  defineResults(node);
  const char *entries = attributes_.subgraphs;
  if (regions)
    subgraphs(node, regions, entries);
  else if (entries)
    scan_.fail(entries, "'ge.subgraphs' without subgraphs");
}

void GraphParser::formatOperation(Body &body, OpKind kind, const char *place) {
  auto expectShape = [&](size_t operands, size_t results, bool control) {
    if (operands_.size() != operands || resultTypes_.size() != results ||
        hasControlResult_ != control)
      scan_.fail(place, cat("expected ", operands, " operands, ", results, " results and ",
                            control ? "a" : "no", " control result"));
  };
  switch (kind) {
  case OpKind::None:
    expectShape(0, 1, false);
    if (!resultTypes_[0]->isNone())
      scan_.fail(resultTypesPlace_, "the type of \"ge.none\" is none");
    if (!results_.empty()) {
      SSAName name = SSAName::make(results_[0].name);
      define({Definition::Kind::Absent, name}, name);
    }
    return;
  case OpKind::Control: {
    expectShape(1, 0, true);
    const Definition *input = operands_[0].definition;
    if (!input || input->kind() != Definition::Kind::Value)
      scan_.fail(operands_[0].place, "\"ge.control\" takes an input of the graph");
    Value *value = input->value();
    if (!results_.empty()) {
      SSAName name = SSAName::make(results_[0].name);
      define({Definition::Kind::Control, name, value->node()}, name);
    }
    return;
  }
  case OpKind::ControlSink:
    if (!resultTypes_.empty() || hasControlResult_)
      scan_.fail(place, "\"ge.control_sink\" has no results");
    for (const Operand &operand : operands_) {
      if (!operand.isControl)
        scan_.fail(operand.place, "\"ge.control_sink\" takes control operands only");
      addControl(body.graph->output(), operand);
    }
    return;
  case OpKind::Unseen: {
    expectShape(0, 1, false);
    Node *made = refusedAt(place, [&] { return createNode(nullptr, spelledOperator(place)); });
    defineResults(made);
    return;
  }
  default:
    if (kind != body.terminator)
      scan_.fail(place, cat("this operation does not end this graph; expected ",
                            body.terminator == OpKind::Yield    ? "\"ge.yield\""
                            : body.terminator == OpKind::Output ? "\"ge.output\""
                                                                : "return"));
    return terminator(body, place);
  }
}

/// After an error: uses of results of the statement are not reported as further errors.
void GraphParser::defineBroken(const char *start) {
  if (start == scan_.end() || *start != '%')
    return;
  // If the names themselves are invalid, those before the error count.
  for (const Result &result : results_) {
    SSAName name = SSAName::make(result.name, result.index);
    if (!scopes_.find(name))
      scopes_.define({Definition::Kind::Broken, name});
  }
}

} // namespace ge::text
