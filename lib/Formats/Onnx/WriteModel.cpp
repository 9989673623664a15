//===- WriteModel.cpp - models and their functions --------------------------------------------===//
#include "ExternalData.h"
#include "Provenance.h"
#include "Writer.h"

#include "ge/IR/Domain.h"
#include "ge/IR/Identifier.h"
#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Ops/Registry/Registry.h"

#include <algorithm>
#include <ranges>

namespace ge::onnx {

/// IR version and opset of a module that was not read from a file: the newest that common runtimes
/// support.
static constexpr int64_t kDefaultIrVersion = 10;
static constexpr int64_t kDefaultOpset = 21;

ModelWriter::ModelWriter(const Module &module, const SaveOptions &options,
                         std::shared_ptr<Output> output, std::string location)
    : module_(module), context_(module.context()), options_(options), output_(std::move(output)) {
  newData_.location = std::move(location);
}

void ModelWriter::property(uint32_t field, std::string_view key, std::string_view value) {
  uint64_t end = out_.size();
  out_.string(entry::Value, value);
  out_.string(entry::Key, key);
  out_.closeMessage(field, end);
}

/// The version of a domain without an import: the one that the graph was built for, or a default.
static int64_t chosenOpset(const Graph *graph, std::string_view domain) {
  if (uint32_t opset = ge::opsetOf(graph, domain))
    return opset;
  if (domain == "onnx")
    return kDefaultOpset;
  uint32_t newest = 1;
  if (domain.starts_with("onnx."))
    for (const Registry::Listed &listed : Registry::global().list(domain))
      newest = std::max(newest, listed.since);
  return newest;
}

/// `node`: whose origins, control edges and lengths of lists stand in the place of entries with
/// their keys.
void ModelWriter::metadata(const AttributeList &attributes, uint32_t field, const Node *node) {
  Attribute value = find(attributes, kMetadataProps);
  if (value.kind() != AttrKind::Dict)
    return;
  for (size_t i = value.size(); i > 0; --i) {
    Attribute text = value.elements()[i - 1];
    if (text.kind() != AttrKind::String)
      throwError(ErrorKind::Model, kMetadataProps, " has an entry '", value.keys()[i - 1]->str(),
                 "' that is not a string");
    std::string_view key = value.keys()[i - 1]->str();
    if (node && ((key == kOriginsKey && !node->origins().empty()) ||
                 (key == kControlInputsKey && !node->controlInputs().empty()) ||
                 (key == kOperandSegmentsKey && !node->operandSegments().empty()) ||
                 (key == kResultSegmentsKey && !node->resultSegments().empty())))
      continue;
    property(field, key, text.stringValue());
  }
}

void ModelWriter::text(const AttributeList &attributes, std::string_view name, uint32_t field) {
  Attribute value = find(attributes, name);
  if (value.kind() == AttrKind::String)
    out_.string(field, value.stringValue());
}

void ModelWriter::number(const AttributeList &attributes, std::string_view name, uint32_t field) {
  Attribute value = find(attributes, name);
  if (value.kind() == AttrKind::Int)
    out_.integer(field, value.intValue());
}

void ModelWriter::extra(const AttributeList &attributes) { extra(find(attributes, kExtra)); }

void ModelWriter::extra(Attribute value) {
  if (value.kind() == AttrKind::Tensor && holdsBytes(*value.tensorValue()))
    out_.keptBytes(rawBytes(TensorPtr(value.tensorValue()))); // may be large
  else
    out_.raw(bytesOf(value).get());
}

void ModelWriter::opsetImports(const AttributeList &attributes, const Layout &layout,
                               uint32_t field, const RootPlan &root) {
  struct Import {
    std::string_view domain;
    int64_t version;
    const Entry *entry;
  };
  std::vector<Import> imports, ordered;
  Attribute given = find(attributes, kOpsetImports);
  if (given.kind() == AttrKind::Dict)
    for (size_t i = 0; i < given.size(); ++i) {
      if (given.elements()[i].kind() != AttrKind::Int)
        throwError(ErrorKind::Model, kOpsetImports, " has a version of '", given.keys()[i]->str(),
                   "' that is not an integer");
      std::string_view domain = canonicalDomain(given.keys()[i]->str());
      uint32_t version = opsetOf(root.graphs().front(), domain);
      imports.push_back({domain, version ? version : given.elements()[i].intValue(), nullptr});
    }
  tsl::robin_map<std::string_view, size_t> byDomain;
  std::vector<bool> used(imports.size());
  for (size_t i = 0; i < imports.size(); ++i)
    byDomain.try_emplace(imports[i].domain, i);
  for (const Entry &entry : layout[Section::Opsets]) {
    auto it = byDomain.find(entry.name);
    if (entry.form == kWhole) {
      ordered.push_back({entry.name, 0, &entry});
      byDomain.try_emplace(entry.name, 0); // declared, although with an invalid version
    } else if (it != byDomain.end() && it->second < used.size() && !used[it->second]) {
      used[it->second] = true;
      ordered.push_back({it->first, imports[it->second].version, &entry});
    }
  }
  for (size_t i = 0; i < imports.size(); ++i)
    if (!used[i])
      ordered.push_back(imports[i]);
  for (std::string_view domain : root.domains())
    if (byDomain.try_emplace(domain, 0).second)
      ordered.push_back({domain, chosenOpset(root.graphs().front(), domain), nullptr});
  for (const auto &[domain, version, entry] : std::views::reverse(ordered)) {
    uint64_t end = out_.size();
    if (entry && entry->form == kWhole) {
      out_.raw(entry->literal);
    } else {
      out_.integer(opset::Version, version);
      if (!entry || entry->form != kNameless)
        out_.string(opset::Domain, modelDomain(domain));
      if (entry)
        out_.raw(entry->extra);
    }
    out_.closeMessage(field, end);
  }
}

void ModelWriter::functionGraph(const Graph *graph, const RootPlan &root) {
  const GraphPlan &plan = root.of(graph);
  const AttributeList &list = graph->attributes();
  Attribute identity = find(list, kFunction);
  auto part = [&](std::string_view key, uint32_t field) {
    if (Attribute text = identity.entry(key); text.kind() == AttrKind::String)
      out_.string(field, text.stringValue());
  };
  provenance(graph->output(), root, function::MetadataProps);
  metadata(list, function::MetadataProps, graph->output());
  part("overload", function::Overload);
  infos(graph, plan, root, function::ValueInfo);
  std::vector<Item> defaults;
  Attribute given = find(list, kFunctionDefaults);
  if (given.kind() == AttrKind::Dict)
    for (size_t i = 0; i < given.size(); ++i)
      defaults.push_back({given.keys()[i]->str(), given.elements()[i], {}, nullptr});
  items(std::move(defaults), plan.layout[Section::Attributes], function::AttributeProto, root);
  part("domain", function::Domain);
  opsetImports(list, plan.layout, function::OpsetImport, root);
  text(list, kDocString, function::DocString);
  nodes(plan, root, function::Node, true);
  Attribute parameters = find(list, kFunctionAttributes);
  if (parameters.kind() == AttrKind::List)
    for (Attribute name : std::views::reverse(parameters.elements()))
      if (name.kind() == AttrKind::String)
        out_.string(function::Attribute, name.stringValue());
  for (const OutputPlan &output : std::views::reverse(plan.outputs))
    out_.string(function::Output, output.name);
  for (const Node *input : std::views::reverse(graph->inputNodes())) {
    const Value *value = input->result(0);
    out_.string(function::Input,
                value->hasName() || value->hasUses() ? root.name(value) : std::string_view());
  }
  part("name", function::Name);
  extra(list);
}

SerializedModel ModelWriter::write() {
  const Graph *main = nullptr;
  std::vector<const Graph *> functions;
  for (size_t i = 0; i < module_.numGraphs(); ++i) {
    const Graph *graph = module_.graph(i);
    if (isFunction(graph))
      functions.push_back(graph);
    else if (!main)
      main = graph;
    else
      throwError(ErrorKind::Model, "a model has one graph, but this module has ", main->describe(),
                 " and ", graph->describe(), "; mark functions with the attribute ", kFunction);
  }
  if (!main)
    throwError(ErrorKind::Model, "the module has no graph that is not a function");
  std::vector<std::unique_ptr<const RootPlan>> plans; // the functions', behind the graph's
  plans.push_back(std::make_unique<RootPlan>(main, chosenOpset(main, "onnx")));
  for (const Graph *function : functions)
    plans.push_back(std::make_unique<RootPlan>(function, chosenOpset(function, "onnx")));
  for (const auto &each : plans)
    for (const Graph *graph : each->graphs())
      planExternal(graph, each->of(graph));
  const RootPlan &plan = *plans.front();

  const AttributeList &list = module_.attributes();
  Layout layout = layoutOf(context_, list);
  for (size_t i = functions.size(); i > 0; --i) {
    uint64_t end = out_.size();
    functionGraph(functions[i - 1], *plans[i]);
    out_.closeMessage(model::Functions, end);
  }
  metadata(list, model::MetadataProps);
  opsetImports(list, layout, model::OpsetImport, plan);
  uint64_t end = out_.size();
  graph(main, plan);
  out_.closeMessage(model::Graph, end);
  text(list, kDocString, model::DocString);
  number(list, kModelVersion, model::ModelVersion);
  text(list, kDomain, model::Domain);
  text(list, kProducerVersion, model::ProducerVersion);
  text(list, kProducerName, model::ProducerName);
  if (find(list, kIrVersion).kind() == AttrKind::Int)
    number(list, kIrVersion, model::IrVersion);
  else if (!find(list, kOpsetImports))
    out_.integer(model::IrVersion, kDefaultIrVersion);
  extra(list);
  return {out_.finish(),      output_,         std::move(newData_), {},
          options_.allowPipe, options_.verify, options_.isNew};
}

/// Throws Error(Value) for texts that cannot be the name of a data file.
static void checkLocation(const SaveOptions &options, const Output &output) {
  const std::string &name = options.location;
  if (name.empty())
    return;
  if (name.find('/') != std::string::npos || name == "." || name == "..")
    throwError(ErrorKind::Value, "external data is written to the model's directory: '", name,
               "' must be a file name without a directory");
  if (output.isSelf(name))
    throwError(ErrorKind::Value, "external data cannot be written to the model's own file '", name,
               "'");
}

static bool hasLayout(const Type *type) {
  while (type->element())
    type = type->element();
  return type->format() || type->originFormat() || type->hasOriginShape();
}

static void countLayouts(const Graph *graph, Interrupt &interrupt, size_t &count) {
  auto add = [&](const Node *node) {
    interrupt.poll();
    for (uint32_t i = 0; i != node->numResults(); ++i)
      count += !node->result(i)->isAbsent() && hasLayout(node->result(i)->type());
    for (const Graph *inner : node->subgraphs())
      countLayouts(inner, interrupt, count);
  };
  for (const Node *input : graph->inputNodes())
    add(input);
  for (const Node *node = graph->front(); node; node = node->next())
    add(node);
}

/// ONNX has element types and shapes, but no layouts.
static void remarkLayouts(const Module &module) {
  Interrupt interrupt;
  size_t count = 0;
  for (size_t i = 0; i != module.numGraphs(); ++i)
    countLayouts(module.graph(i), interrupt, count);
  if (count == 0)
    return;
  Diagnostic remark;
  remark.severity = Severity::Remark;
  remark.message = cat("ONNX has no layouts: ", count,
                       count == 1 ? " value has one in its type, which is"
                                  : " values have one in their types, which are",
                       " not written");
  module.context().emit(remark);
}

SerializedModel serialize(const Module &module, const SaveOptions &options,
                          const std::string &path) {
  auto output = std::make_shared<Output>(path, options.directory);
  checkLocation(options, *output);
  bool wantsData = options.external == SaveOptions::External::Always || !options.location.empty();
  if (wantsData && output->isFile() && !output->canHaveData())
    throwError(ErrorKind::Value, "external data needs a model in a regular file, and '", path,
               "' is not one");
  SerializedModel model = ModelWriter(module, options, output).write();
  if (model.data.file && model.data.reserved != model.data.location)
    model.staged = ModelWriter(module, options, output, model.data.reserved).write().bytes;
  remarkLayouts(module);
  return model;
}

} // namespace ge::onnx
