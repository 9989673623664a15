//===- FunctionParser.cpp - func.func and "ge.graph" ----------------------------------------------===//
#include "GraphParser.h"

namespace ge::text {

Graph *GraphParser::makeGraph(std::string_view name, const char *place) {
  Graph *graph = refusedAt(place, [&] {
    if (!isValidUtf8(name))
      throwError(ErrorKind::Value, "a name must be valid UTF-8");
    return module_->addGraph(name);
  });
  root_ = &graph->root();
  return graph;
}

void GraphParser::setGraphAttributes(Graph *graph, const Attributes &attributes) {
  for (const NamedAttribute &attribute : attributes.plain)
    Mutation::setAttribute(graph, attribute.name, attribute.value);
  defer(attributes, Deferred::Owner::Graph, graph);
}

/// `func.func private? @name(args) -> results attributes {...} { ... }`, after the word.
void GraphParser::customFunction() {
  for (std::string_view visibility : {"private", "public", "nested"})
    if (scan_.takeWord(visibility))
      break;
  scan_.skipSpace();
  const char *place = scan_.at();
  if (!scan_.take('@'))
    scan_.failExpected("@name of the graph");
  std::string buffer;
  Body function;
  function.graph = makeGraph(symbolName(buffer), place);
  function.terminator = OpKind::Return;
  forward_ = false;
  lastResultType_ = nullptr;
  // The arguments belong to the scope of the body; there is no scope around it.
  functionInputs(function);
  functionResults(function);
  if (scan_.takeWord("attributes")) {
    Attributes given;
    attributes(given, kName);
    setGraphAttributes(function.graph, given);
    if (given.hasName)
      refusedAt(place, [&] { Mutation::setName(function.graph, given.name); });
  }
  if (scan_.peek() != '{')
    scan_.failMissing("'{': a graph has a body");
  body(function);
  scopes_.leave(0);
  std::string_view later;
  trailingLocation(later); // graphs have none; MLIR's do
}

void GraphParser::functionInputs(Body &body) {
  scan_.expect('(', "and arguments after the name of a graph");
  if (scan_.take(')'))
    return;
  do
    inputArgument(body, true);
  while (scan_.take(','));
  scan_.expect(')', "or ',' after an argument");
}

/// `-> type`, `-> (type {ge.name = "..."}, ...)`, or nothing.
void GraphParser::functionResults(Body &body) {
  body.hasOutputTypes = true;
  if (!scan_.take("->"))
    return;
  auto one = [&](bool attributesMayFollow) {
    interrupt_.poll();
    lastResultType_ = type(lastResultType_);
    body.outputTypes.push_back(lastResultType_);
    body.outputNames.emplace_back();
    if (!attributesMayFollow || scan_.peek() != '{')
      return;
    attributes_.clear();
    clearStrings();
    const char *place = scan_.at();
    attributes(attributes_, kName);
    if (!attributes_.plain.empty())
      scan_.fail(place, "an output has a name only");
    body.outputNames.back() = std::string(attributes_.name);
  };
  if (!scan_.take('('))
    return one(false);
  if (scan_.take(')'))
    return;
  do
    one(true);
  while (scan_.take(','));
  scan_.expect(')', "or ',' after a result");
}

/// `[{ge.name = "..."}, {}]`.
void GraphParser::resultAttributes(const char *place, Body &body) {
  PlaceSaver saver(scan_, place);
  list([&] {
    attributes_.clear();
    clearStrings();
    attributes(attributes_, kName);
    body.outputNames.emplace_back(attributes_.name);
  });
}

void GraphParser::outputNameList(const char *place, Body &body) {
  PlaceSaver saver(scan_, place);
  list([&] { body.outputNames.emplace_back(stringValue("as the name of an output")); });
}

/// `(types) -> types`, where an attribute would stand.
void GraphParser::functionTypeProperty(Attributes &into) {
  into.hasFunctionType = true;
  auto types = [&](std::vector<const Type *> &list) {
    if (!scan_.take('(')) {
      list.push_back(type());
      return;
    }
    if (scan_.take(')'))
      return;
    do
      list.push_back(type());
    while (scan_.take(','));
    scan_.expect(')', "or ',' after a type");
  };
  types(into.inputTypes);
  scan_.expect("->", "in a function type");
  types(into.outputTypes);
}

/// `"func.func"() <{...}> ({ ... }) {...} : () -> ()` and the same of "ge.graph", after the name.
void GraphParser::genericGraph(OpKind kind, const char *place) {
  bool isFunction = kind == OpKind::Function;
  Attributes given;
  unsigned allowed = kName | kSymbol | (isFunction ? kSignature : kGraphLists);
  scan_.expect("(", "after the name of an operation");
  scan_.expect(')', "because a graph has no operands");
  if (scan_.take('<')) {
    attributes(given, allowed);
    scan_.expect('>', "after the properties");
  }
  if (scan_.peek() != '(')
    scan_.failMissing("'({': a graph has a body");
  const char *region = regions();
  if (scan_.peek() == '{')
    attributes(given, allowed);
  operands_.clear();
  results_.clear();
  resultTypes_.clear();
  functionType();
  std::string_view later;
  trailingLocation(later);
  if (!given.hasSymbol)
    scan_.fail(place, "a graph needs a name: sym_name = \"...\"");

  Body graph;
  graph.graph = makeGraph(given.symbol, place);
  graph.terminator = isFunction ? OpKind::Return : OpKind::Output;
  graph.inputs = given.inputs;
  if (isFunction) {
    if (given.outputs)
      resultAttributes(given.outputs, graph);
    graph.hasOutputTypes = given.hasFunctionType;
    graph.outputTypes = given.outputTypes;
  } else {
    graph.outputs = given.outputs;
  }
  setGraphAttributes(graph.graph, given);
  if (given.hasName)
    refusedAt(place, [&] { Mutation::setName(graph.graph, given.name); });
  forward_ = !isFunction;
  lastResultType_ = nullptr;
  {
    PlaceSaver saver(scan_, region);
    scan_.take('(');
    body(graph);
    scan_.expect(')', "after the body of a graph");
  }
  scopes_.leave(0);
  if (given.hasFunctionType) {
    bool same = given.inputTypes.size() == graph.graph->numInputs();
    for (uint32_t i = 0; same && i < graph.graph->numInputs(); ++i)
      same = given.inputTypes[i] == graph.graph->input(i)->type();
    if (!same)
      scan_.fail(place, "the arguments are not those of function_type");
  }
}

} // namespace ge::text
