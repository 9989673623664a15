//===- BodyParser.cpp - the statements of a graph -------------------------------------------------===//
#include "GraphParser.h"

#include <algorithm>

namespace ge::text {

namespace {
/// Definitions inside a region are dropped at its end, also after an error.
class RegionScope {
public:
  explicit RegionScope(Scopes &scopes) : scopes_(scopes), mark_(scopes.mark()) {}
  ~RegionScope() { scopes_.leave(mark_); }
  RegionScope(const RegionScope &) = delete;
  RegionScope &operator=(const RegionScope &) = delete;

private:
  Scopes &scopes_;
  size_t mark_;
};
} // namespace

void GraphParser::body(Body &body) {
  scan_.expect('{', "at the start of a graph");
  RegionScope scope(scopes_);
  size_t pendingMark = pending_.size(), controlMark = pendingControls_.size();
  blockLabel(body);
  while (!body.ended) {
    interrupt_.poll();
    if (scan_.peek() == '}')
      scan_.failExpected(body.terminator == OpKind::Yield    ? "\"ge.yield\""
                         : body.terminator == OpKind::Output ? "\"ge.output\""
                                                             : "return");
    const char *start = scan_.at();
    try {
      statement(body);
    } catch (const ParseFailure &) {
      stopAfterMany();
      defineBroken(start);
      while (pending_.size() > pendingMark && !pending_.back().node)
        pending_.pop_back();
      recoverStatement(start);
    }
    // Without the terminator the outputs are unknown, which is not reported as a second error.
    if (!body.ended && scan_.peek() == '}' && !scan_.errors().empty())
      break;
  }
  resolveScope(pendingMark, controlMark, body.graph->isRoot());
  scan_.expect('}', "after the last operation of a graph");
}

void GraphParser::statement(Body &body) {
  scan_.skipSpace();
  const char *place = scan_.at();
  char first = scan_.peek();
  if (first == '%' || first == '"')
    return operation(body, place);
  if (body.terminator == OpKind::Return &&
      (scan_.takeWord("return") || scan_.takeWord("func.return")))
    return customReturn(body, place);
  if (first == '^')
    scan_.fail(place, "a graph is one block: there are no jumps");
  if (scan_.atEnd()) {
    scan_.report(scan_.missingPlace(),
                 "expected '}' at the end of a graph, got the end of the text");
    throw Abort();
  }
  scan_.failExpected("an operation");
}

/// Skips to the probable start of the next statement: inside open brackets only `%name =`, and
/// nothing inside a region.
void GraphParser::recoverStatement(const char *start) {
  const char *p = start, *end = scan_.end();
  std::vector<bool> open; // brackets; true: of a region
  size_t regions = 0;
  char previous = 0; // the last character that is no blank
  auto startsStatement = [&](const char *at) {
    while (at != end && isClass(*at, kSpace))
      ++at;
    if (at == end)
      return false;
    if (open.empty())
      return *at == '%' || *at == '"' || *at == '}' || *at == '^' ||
             std::string_view(at, size_t(end - at)).starts_with("return");
    if (*at != '%')
      return false;
    do
      ++at;
    while (at != end && (isWordChar(*at) || *at == '-' || *at == ' '));
    return at != end && *at == '=';
  };
  for (; p != end; ++p) {
    if (*p == '\n' && regions == 0 && startsStatement(p + 1))
      break;
    if (*p == '"') {
      while (p + 1 != end && p[1] != '"' && p[1] != '\n')
        p += 1 + (p[1] == '\\' && end - p > 2);
      p += p + 1 != end && p[1] == '"';
    } else if (*p == '/' && end - p > 1 && p[1] == '/') {
      while (p + 1 != end && p[1] != '\n')
        ++p;
      continue;
    } else if (*p == '(' || *p == '[' || *p == '{') {
      bool isRegion = *p == '{' && (previous == '(' || previous == ',');
      open.push_back(isRegion);
      regions += isRegion;
    } else if (*p == ')' || *p == ']' || *p == '}') {
      if (open.empty() && *p == '}')
        break;
      if (!open.empty()) {
        regions -= open.back();
        open.pop_back();
      }
    }
    if (!isClass(*p, kSpace))
      previous = *p;
  }
  if (p == end)
    throw Abort();
  scan_.setAt(p);
}

// --- Inputs --------------------------------------------------------------------------------------

/// `^bb0(%a: type loc(...), ...):`, which may be left out when there are no inputs.
void GraphParser::blockLabel(Body &body) {
  if (scan_.peek() != '^') {
    if (body.inputs) {
      PlaceSaver saver(scan_, body.inputs);
      const char *place = scan_.at();
      scan_.take('[');
      if (!scan_.take(']'))
        scan_.fail(place, "attributes of more inputs than there are");
    }
    return;
  }
  scan_.take('^');
  scan_.suffixWord();
  bool hasInputs = false;
  if (scan_.take('(') && !scan_.take(')')) {
    hasInputs = true;
    do
      inputArgument(body, false);
    while (scan_.take(','));
    scan_.expect(')', "or ',' after an argument");
  }
  scan_.expect(':', "after the label of a block");
  if (!body.inputs)
    return;
  PlaceSaver saver(scan_, body.inputs);
  const char *place = scan_.at();
  if (!hasInputs)
    scan_.take('[');
  if (!scan_.take(']'))
    scan_.fail(place, "attributes of more inputs than there are");
}

void GraphParser::inputArgument(Body &body, bool attributesFollow) {
  interrupt_.poll();
  constexpr unsigned kAllowed = kName | kResultNames | kVariant | kOrigins;
  attributes_.clear();
  clearStrings();
  scan_.skipSpace();
  const char *place = scan_.at();
  if (!scan_.take('%'))
    scan_.failExpected("an argument %name");
  std::string_view name = scan_.suffixWord();
  if (name.empty())
    scan_.failExpected("the name of an argument");
  scan_.expect(':', "and a type after an argument");
  const Type *inputType = type(lastResultType_);
  lastResultType_ = inputType;
  if (attributesFollow && scan_.peek() == '{')
    attributes(attributes_, kAllowed);
  if (!attributesFollow && body.inputs) {
    PlaceSaver saver(scan_, body.inputs);
    if (body.graph->numInputs() == 0)
      scan_.take('[');
    else
      scan_.expect(',', "and the attributes of one more input");
    scan_.skipSpace();
    attributes(attributes_, kAllowed);
    body.inputs = scan_.at();
  }
  trailing(place);
  addInput(body.graph, name, place, inputType);
}

void GraphParser::addInput(Graph *graph, std::string_view name, const char *place,
                           const Type *inputType) {
  NodeSpec spec;
  spec.op = attributes_.variant;
  spec.resultTypes = {&inputType, 1};
  spec.attributes = attributes_.plain;
  spec.location = location_;
  std::string_view ssa = isSSAIdentifier(name) ? name : std::string_view();
  spec.name = attributes_.hasName ? attributes_.name : ssa;
  spec.keepDuplicateName = attributes_.hasName;
  if (attributes_.resultNames.size() > 1)
    scan_.fail(attributes_.resultNamesPlace, "an input has one result");
  Node *node = refusedAt(place, [&] {
    Node *made = Mutation::addInput(graph, spec, {});
    if (!attributes_.resultNames.empty())
      Mutation::rename(made->result(0), attributes_.resultNames[0], true);
    else if (!ssa.empty())
      Mutation::rename(made->result(0), ssa);
    return made;
  });
  if (!laterLocation_.empty())
    pendingLocations_.push_back({node, laterLocation_});
  if (attributes_.origins)
    origins(node, attributes_.origins);
  defer(attributes_, Deferred::Owner::Node, node);
  SSAName defined = SSAName::make(name);
  define({defined, node->result(0)}, defined);
}

// --- Outputs -------------------------------------------------------------------------------------

/// `return {attributes} %a, %b : types`.
void GraphParser::customReturn(Body &body, const char *place) {
  attributes_.clear();
  operands_.clear();
  results_.clear();
  resultTypes_.clear();
  clearStrings();
  hasControlResult_ = false;
  if (scan_.peek() == '{')
    attributes(attributes_, kPlain | kName | kOrigins);
  if (scan_.peek() == '%') {
    do
      operands_.push_back(operand());
    while (scan_.take(','));
    scan_.expect(':', "and the types of what is returned");
    size_t count = 0;
    do {
      if (count == operands_.size())
        checkCount(place, "operand", count, count + 1);
      operandType(operands_[count++]);
    } while (scan_.take(','));
    checkCount(place, "operand", operands_.size(), count);
  }
  trailing(place);
  terminator(body, place);
}

void GraphParser::terminator(Body &body, const char *place) {
  Node *output = body.graph->output();
  body.ended = true;
  if (!resultTypes_.empty() || hasControlResult_)
    scan_.fail(place, "the end of a graph has no results");
  values_.clear();
  size_t count = 0;
  while (count < operands_.size() && !operands_[count].isControl) {
    interrupt_.poll();
    values_.push_back(valueOf(operands_[count], output, uint32_t(count)));
    ++count;
  }
  if (body.hasOutputTypes) {
    checkCount(place, "operand", count, body.outputTypes.size());
    for (size_t i = 0; i < count; ++i)
      if (operands_[i].type != body.outputTypes[i])
        scan_.fail(operands_[i].place,
                   cat("result ", i, " of this function has type ", body.outputTypes[i]->str(),
                       ", got ", operands_[i].type->str()));
  }
  refusedAt(place, [&] {
    Mutation::setOutputs(body.graph, values_);
    if (!attributes_.name.empty())
      Mutation::rename(output, attributes_.name, true);
    for (const NamedAttribute &attribute : attributes_.plain)
      Mutation::setAttribute(output, attribute.name, attribute.value);
    if (location_)
      Mutation::setLocation(output, location_);
  });
  if (!laterLocation_.empty())
    pendingLocations_.push_back({output, laterLocation_});
  if (attributes_.origins)
    origins(output, attributes_.origins);
  defer(attributes_, Deferred::Owner::Node, output);
  for (; count < operands_.size(); ++count)
    addControl(output, operands_[count]);
  if (body.outputs)
    outputNameList(body.outputs, body);
  if (body.outputNames.size() > values_.size())
    scan_.fail(body.outputs ? body.outputs : place,
               cat(body.outputNames.size(), " names for ", values_.size(), " outputs"));
  bool isNamed = std::any_of(body.outputNames.begin(), body.outputNames.end(),
                             [](const std::string &name) { return !name.empty(); });
  if (isNamed)
    refusedAt(body.outputs ? body.outputs : place,
              [&] { Mutation::setOutputNames(body.graph, std::move(body.outputNames)); });
}

// --- Subgraphs -----------------------------------------------------------------------------------

/// `[{slot = "...", name = "...", args = [...], outputs = [...], attrs = {...}}, ...]`.
std::vector<GraphParser::SubgraphEntry> GraphParser::subgraphEntries(const char *place) {
  PlaceSaver saver(scan_, place);
  std::vector<SubgraphEntry> entries;
  list([&] {
    SubgraphEntry &entry = entries.emplace_back();
    dictionary([&](std::string_view key, const char *keyPlace) {
      scan_.expect('=', cat("after '", key, "'"));
      scan_.skipSpace();
      if (key == "slot") {
        entry.slot = std::string(stringValue("as a slot"));
      } else if (key == "name") {
        entry.name = std::string(stringValue("as a name"));
      } else if (key == "args") {
        entry.inputs = skippedList();
      } else if (key == "outputs") {
        entry.outputs = skippedList();
      } else if (key == "attrs") {
        if (scan_.peek() != '{')
          scan_.failExpected("a dictionary");
        entry.attributes = scan_.at();
        scan_.skipBalanced(false);
      } else {
        scan_.fail(keyPlace, cat("expected slot, name, args, outputs or attrs, got '", key, "'"));
      }
    });
  });
  return entries;
}

void GraphParser::subgraphs(Node *node, const char *regions, const char *entriesPlace) {
  std::vector<SubgraphEntry> entries;
  if (entriesPlace)
    entries = subgraphEntries(entriesPlace);
  PlaceSaver saver(scan_, regions);
  scan_.take('(');
  size_t count = 0;
  do {
    scan_.skipSpace();
    const char *place = scan_.at();
    SubgraphEntry entry = count < entries.size() ? std::move(entries[count]) : SubgraphEntry();
    ++count;
    Body inner;
    inner.graph =
        refusedAt(place, [&] { return Mutation::addSubgraph(node, entry.slot, entry.name); });
    inner.terminator = OpKind::Yield;
    inner.inputs = entry.inputs;
    inner.outputs = entry.outputs;
    if (entry.attributes) {
      PlaceSaver attributesSaver(scan_, entry.attributes);
      attributes_.clear();
      dictionary([&](std::string_view key, const char *keyPlace) {
        plainEntry(attributes_, key, keyPlace);
      });
      setGraphAttributes(inner.graph, attributes_);
    }
    body(inner);
  } while (scan_.take(','));
  scan_.expect(')', "or ',' after a subgraph");
  if (entriesPlace && count != entries.size())
    scan_.fail(entriesPlace, cat(entries.size(), " entries for ", count, " subgraphs"));
}

// --- Uses before definitions ---------------------------------------------------------------------

/// At the end of a region, resolves uses that preceded their definition. Unknown names are left to
/// the enclosing region.
void GraphParser::resolveScope(size_t pendingMark, size_t controlMark, bool isOutermost) {
  size_t kept = pendingMark;
  for (size_t i = pendingMark; i < pending_.size(); ++i) {
    interrupt_.poll();
    PendingUse &use = pending_[i];
    const Definition *definition = scopes_.find(use.name);
    if (!definition) {
      if (!isOutermost) {
        pending_[kept++] = use;
        continue;
      }
      try {
        failUndefined(use.name, use.place);
      } catch (const ParseFailure &) {
        stopAfterMany();
        continue;
      }
    }
    if (definition->kind() == Definition::Kind::Broken ||
        (definition->kind() == Definition::Kind::Absent && use.type->isNone()))
      continue;
    Value *value = definition->value();
    try {
      if (!value || value->type() != use.type)
        scan_.fail(use.place,
                   cat("%", use.name.name, " is used as ", use.type->str(), ", but has type ",
                       value ? value->type()->str() : "!ge.control or none"),
                   definition->place(), cat("%", use.name.name, " is defined here"));
      refusedAt(use.place, [&] { Mutation::setOperand(use.node, use.operand, value); });
    } catch (const ParseFailure &) {
      stopAfterMany();
    }
  }
  pending_.resize(kept);

  for (size_t i = controlMark; i < pendingControls_.size(); ++i) {
    interrupt_.poll();
    const PendingControl &use = pendingControls_[i];
    const Definition *definition = scopes_.find(use.name);
    try {
      if (!definition)
        failUndefined(use.name, use.place);
      if (definition->kind() == Definition::Kind::Broken)
        continue;
      if (definition->kind() != Definition::Kind::Control)
        scan_.fail(use.place, cat("%", use.name.name, " is not a control result"));
      refusedAt(use.place, [&] { Mutation::addControlEdge(definition->node(), use.node); });
    } catch (const ParseFailure &) {
      stopAfterMany();
    }
  }
  pendingControls_.resize(controlMark);
}

} // namespace ge::text
