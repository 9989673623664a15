//===- GraphPrinter.cpp - modules, graphs and their bodies ----------------------------------------===//
#include "Printer.h"

#include "ge/IR/Root.h"
#include "ge/Support/StringUtil.h"

#include <algorithm>

namespace ge::text {

void Printer::symbol(std::string_view name) {
  out_ += '@';
  if (isBareIdentifier(name))
    out_ += name;
  else
    appendQuoted(out_, name);
}

void Printer::module(const Module &module) {
  module_ = &module;
  out_ += "module";
  if (!module.name().empty()) {
    out_ += ' ';
    symbol(module.name());
  }
  Dictionary dictionary(out_, " attributes {");
  attributes(dictionary, module.attributes(), false, true, {});
  dictionary.close();
  out_ += " {\n";
  for (size_t i = 0; i < module.numGraphs(); ++i)
    graph(module.graph(i), 1);
  out_ += "}\n";
  resources();
}

void Printer::graph(const Graph *graph, unsigned indent) {
  PrintPlan plan(graph);
  plan_ = &plan;
  nextEntry_ = 0;
  noneIsVisible_ = false;
  out_.reserve(out_.size() + size_t(graph->numNodes()) * 128);
  if (plan.isFunction())
    function(graph, indent);
  else
    looseGraph(graph, indent);
  plan_ = nullptr;
}

/// MLIR has no empty symbols.
std::string Printer::symbolFor(const Graph *graph) const {
  std::string name(graph->name());
  if (name.empty())
    do
      name += '_';
    while (module_ && module_->find(name));
  return name;
}

void Printer::graphAttributes(Dictionary &dictionary, const Graph *graph) {
  if (graph->name().empty())
    dictionary.entry("ge.name") += "\"\"";
  attributes(dictionary, graph->attributes(), false, true, {});
}

// --- Functions -----------------------------------------------------------------------------------

void Printer::function(const Graph *graph, unsigned indent) {
  line(indent);
  out_ += "func.func ";
  symbol(symbolFor(graph));
  functionInputs(graph);
  functionResults(graph);
  Dictionary dictionary(out_, " attributes {");
  graphAttributes(dictionary, graph);
  dictionary.close();
  out_ += " {\n";
  body(Terminator::Return, indent + 1);
  line(indent);
  out_ += "}\n";
}

void Printer::functionInputs(const Graph *graph) {
  out_ += '(';
  bool isFirst = true;
  auto argument = [&](const Value *value) {
    if (!isFirst)
      out_ += ", ";
    isFirst = false;
    valueName(value);
    out_ += ": ";
    type(value->type());
  };
  for (const Node *input : graph->inputNodes()) {
    argument(input->result(0));
    Dictionary dictionary(out_, " {");
    inputAttributes(dictionary, input);
    dictionary.close();
    location(input->location());
  }
  for (const Value *value : plan_->captures()) {
    argument(value);
    Dictionary dictionary(out_, " {");
    capture(dictionary, value);
    dictionary.close();
  }
  out_ += ')';
}

/// A captured value becomes an input of its name.
void Printer::capture(Dictionary &dictionary, const Value *value) {
  std::string_view name = value->name();
  bool carries = plan_->carriesName(value), always = options_.names == PrintOptions::Names::Attr;
  // Another node inside may have that name; nodes and values are named apart.
  const Node *other = name.empty() ? nullptr : value->root().findNode(name);
  std::string_view nodeName = other && plan_->inside(other->graph()) ? std::string_view() : name;
  if (always || nodeName != (carries ? name : std::string_view()))
    appendQuoted(dictionary.entry("ge.name"), nodeName);
  if (!always && (carries || name.empty()))
    return;
  dictionary.entry("ge.result_names") += '[';
  appendQuoted(out_, name);
  out_ += ']';
}

void Printer::functionResults(const Graph *graph) {
  uint32_t count = graph->numOutputs();
  if (count == 0)
    return;
  bool isSingle = count == 1 && !graph->hasOutputName(0);
  out_ += isSingle ? " -> " : " -> (";
  for (uint32_t i = 0; i < count; ++i) {
    interrupt_.poll();
    if (i)
      out_ += ", ";
    if (const Value *value = graph->outputValue(i))
      type(value->type());
    else
      out_ += kNone;
    if (graph->hasOutputName(i)) {
      out_ += " {ge.name = ";
      appendQuoted(out_, graph->outputName(i));
      out_ += '}';
    }
  }
  if (!isSingle)
    out_ += ')';
}

// --- Graphs without an order ---------------------------------------------------------------------

void Printer::looseGraph(const Graph *graph, unsigned indent) {
  line(indent);
  out_ += "\"ge.graph\"() ({\n";
  blockLabel(graph, indent, true);
  body(Terminator::Output, indent + 1);
  line(indent);
  out_ += "}) ";
  Dictionary dictionary(out_, "{");
  appendQuoted(dictionary.entry("sym_name"), symbolFor(graph));
  inputEntries("ge.args", dictionary, graph, true);
  outputNames("ge.outputs", dictionary, graph);
  graphAttributes(dictionary, graph);
  dictionary.close();
  out_ += " : () -> ()\n";
}

void Printer::blockLabel(const Graph *graph, unsigned indent, bool withCaptures) {
  bool isFirst = true;
  auto argument = [&](const Value *value) {
    if (isFirst)
      line(indent);
    out_ += isFirst ? "^bb0(" : ", ";
    isFirst = false;
    valueName(value);
    out_ += ": ";
    type(value->type());
  };
  for (const Node *input : graph->inputNodes()) {
    argument(input->result(0));
    location(input->location());
  }
  if (withCaptures)
    for (const Value *value : plan_->captures())
      argument(value);
  if (!isFirst)
    out_ += "):\n";
}

/// `key = ["name", ""]`, a name for each output; nothing when none has one.
void Printer::outputNames(std::string_view key, Dictionary &dictionary, const Graph *graph) {
  bool isNamed = false;
  for (uint32_t i = 0; i < graph->numOutputs(); ++i)
    isNamed |= graph->hasOutputName(i);
  if (!isNamed)
    return;
  dictionary.entry(key);
  for (uint32_t i = 0; i < graph->numOutputs(); ++i) {
    interrupt_.poll();
    out_ += i ? ", " : "[";
    appendQuoted(out_, graph->hasOutputName(i) ? graph->outputName(i) : std::string());
  }
  out_ += ']';
}

/// `key = [{...}, {}]`, one dictionary for each input; nothing when all are empty.
bool Printer::inputEntries(std::string_view key, Dictionary &dictionary, const Graph *graph,
                           bool withCaptures) {
  size_t undo = out_.size();
  Dictionary before = dictionary;
  bool isSaid = false;
  std::string_view separator = "[";
  dictionary.entry(key);
  auto one = [&](auto print) {
    interrupt_.poll();
    out_ += separator;
    separator = ", ";
    Dictionary entry(out_, "{");
    print(entry);
    entry.close();
    isSaid |= entry.isOpen();
    if (!entry.isOpen())
      out_ += "{}";
  };
  for (const Node *input : graph->inputNodes())
    one([&](Dictionary &entry) { inputAttributes(entry, input); });
  if (withCaptures)
    for (const Value *value : plan_->captures())
      one([&](Dictionary &entry) { capture(entry, value); });
  if (isSaid) {
    out_ += ']';
    return true;
  }
  out_.resize(undo);
  dictionary.restore(before);
  return false;
}

// --- Bodies --------------------------------------------------------------------------------------

void Printer::body(Terminator kind, unsigned indent) {
  const PrintPlan::Entry &entry = plan_->entries()[nextEntry_++];
  bool noneWasVisible = noneIsVisible_;
  preamble(entry, indent);
  for (size_t i = 0; i < entry.count; ++i) {
    interrupt_.poll();
    node(plan_->node(entry.first + i), indent);
    out_ += '\n';
  }
  terminator(entry.graph, kind, indent);
  noneIsVisible_ = noneWasVisible;
}

/// What the region needs before its nodes.
void Printer::preamble(const PrintPlan::Entry &entry, unsigned indent) {
  if (entry.usesNone && !noneIsVisible_) {
    line(indent);
    out_ += "%none = \"ge.none\"() : () -> none\n";
    noneIsVisible_ = true;
  }
  for (const Node *input : entry.graph->inputNodes()) {
    if (!hasControlResult(input))
      continue;
    line(indent);
    controlName(input);
    out_ += " = \"ge.control\"(";
    valueName(input->result(0));
    out_ += ") : (";
    type(input->result(0)->type());
    out_ += ") -> !ge.control\n";
  }
  if (nextEntry_ != 1)
    return;
  for (const Value *value : plan_->unseen()) {
    line(indent);
    valueName(value);
    out_ += " = \"ge.unseen\"()";
    Dictionary dictionary(out_, " {");
    const Node *producer = value->node();
    if (producer->isDetached() && producer->hasName() && !producer->nameIsDuplicate())
      appendQuoted(dictionary.entry("ge.name"), producer->name());
    identity(dictionary, *producer->op());
    attributes(dictionary, producer->attributes(), producer->isData(), producer->isData(),
               keyHint(producer));
    dictionary.close();
    out_ += " : () -> ";
    type(value->type());
    out_ += '\n';
  }
}

void Printer::terminator(const Graph *graph, Terminator kind, unsigned indent) {
  const Node *output = graph->output();
  line(indent);
  if (kind != Terminator::Return) {
    out_ += kind == Terminator::Yield ? "\"ge.yield\"(" : "\"ge.output\"(";
    std::string_view separator;
    for (uint32_t i = 0; i < output->numOperands(); ++i) {
      out_ += separator;
      valueName(output->operand(i));
      separator = ", ";
    }
    forEachControl(output, [&](const Node *input) {
      out_ += separator;
      controlName(input);
      separator = ", ";
    });
    out_ += ')';
    nodeAttributes(output);
    out_ += " : ";
    operandTypes(output);
    out_ += " -> ()";
    location(output->location());
    out_ += '\n';
    return;
  }
  size_t controls = 0;
  forEachControl(output, [&](const Node *input) {
    out_ += controls++ ? ", " : "\"ge.control_sink\"(";
    controlName(input);
  });
  if (controls) {
    out_ += ") : (";
    for (size_t i = 0; i < controls; ++i)
      out_ += i ? ", !ge.control" : "!ge.control";
    out_ += ") -> ()\n";
    line(indent);
  }
  out_ += "return";
  Dictionary dictionary(out_, " {");
  nodeName(dictionary, output, {});
  // MLIR verifies `return`, so it gets no unknown attributes.
  attributes(dictionary, output->attributes(), false, true, {});
  origins(dictionary, output);
  dictionary.close();
  for (uint32_t i = 0; i < output->numOperands(); ++i) {
    out_ += i ? ", " : " ";
    valueName(output->operand(i));
  }
  for (uint32_t i = 0; i < output->numOperands(); ++i) {
    out_ += i ? ", " : " : ";
    if (const Value *value = output->operand(i))
      type(value->type());
    else
      out_ += kNone;
  }
  location(output->location());
  out_ += '\n';
}

// --- Subgraphs -----------------------------------------------------------------------------------

void Printer::regions(const Node *node, unsigned indent) {
  if (!plan_) {
    out_ += " ({...})";
    return;
  }
  out_ += " ({\n";
  bool isFirst = true;
  for (const Graph *inner : node->subgraphs()) {
    if (!isFirst) {
      line(indent);
      out_ += "}, {\n";
    }
    isFirst = false;
    blockLabel(inner, indent, false);
    body(Terminator::Yield, indent + 1);
  }
  line(indent);
  out_ += "})";
}

/// One dictionary; false when it is empty.
bool Printer::subgraphEntry(const Graph *graph) {
  Dictionary entry(out_, "{");
  if (!graph->slot().empty())
    appendQuoted(entry.entry("slot"), graph->slot());
  if (!graph->name().empty())
    appendQuoted(entry.entry("name"), graph->name());
  inputEntries("args", entry, graph, false);
  outputNames("outputs", entry, graph);
  const AttributeList &list = graph->attributes();
  if (list.size()) {
    entry.entry("attrs");
    Dictionary inside(out_, "{");
    for (uint32_t i = 0; i < list.size(); ++i) {
      Where where;
      inside.entry(key(list.nameIdAt(i), where));
      attribute(list.at(i), context_.identifierAt(list.nameIdAt(i))->str());
    }
    inside.close();
  }
  entry.close();
  if (!entry.isOpen())
    out_ += "{}";
  return entry.isOpen();
}

void Printer::subgraphEntries(Dictionary &dictionary, const Node *node) {
  if (node->subgraphs().empty())
    return;
  size_t undo = out_.size();
  Dictionary before = dictionary;
  bool isSaid = false;
  dictionary.entry("ge.subgraphs");
  std::string_view separator = "[";
  for (const Graph *inner : node->subgraphs()) {
    out_ += separator;
    separator = ", ";
    isSaid |= subgraphEntry(inner);
  }
  out_ += ']';
  if (!isSaid) {
    out_.resize(undo);
    dictionary.restore(before);
  }
}

} // namespace ge::text

namespace ge {

void print(const Module &module, std::string &out, const PrintOptions &options) {
  text::Printer(module.context(), out, options).module(module);
}

void print(const Graph *graph, std::string &out, const PrintOptions &options) {
  text::Printer printer(graph->context(), out, options);
  printer.graph(graph, 0);
  printer.resources();
}

void print(const Node *node, std::string &out) {
  PrintOptions options;
  text::Printer(node->context(), out, options).singleNode(node);
}

} // namespace ge
