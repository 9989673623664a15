//===- WriteGraph.cpp - graphs: nodes, inputs, initializers, outputs --------------------------===//
#include "Provenance.h"
#include "TypeProto.h"
#include "Writer.h"

#include "ge/IR/Identifier.h"

#include <ranges>

namespace ge::onnx {

/// True when the fields kept of a node say its domain, in a spelling of their own.
static bool keepsDomain(std::string_view extra) {
  WireSource source{extra, std::string(kExtra)};
  WireReader reader(source, extra, nullptr);
  while (reader.next())
    if (reader.field() == node::Domain)
      return true;
  return false;
}

/// True when some attribute is no operator's: most nodes have none, and are not searched again.
bool ModelWriter::keepsAny(const AttributeList &list) const {
  for (uint32_t i = 0; i < list.size(); ++i)
    if (context_.identifierAt(list.nameIdAt(i))->str().starts_with(kPrefix))
      return true;
  return false;
}

void ModelWriter::node(const Node *node, const RootPlan &root, bool isFunction) {
  const AttributeList &list = node->attributes();
  const OperatorName *op = node->op();
  bool hasKept = keepsAny(list);
  provenance(node, root);
  if (hasKept)
    metadata(list, node::MetadataProps, node);
  if (!op->overload().empty())
    out_.string(node::Overload, op->overload());
  bool isConst = isFunction && isConstant(node); // a function has no initializers
  bool isOnnx = op->domain() == "onnx" || op->domain().starts_with("onnx.");
  std::string domain = modelDomain(op->domain());
  if (!domain.empty() && !isConst && !(isOnnx && keepsDomain(bytesOf(find(list, kExtra)).get())))
    out_.string(node::Domain, domain);
  if (hasKept)
    text(list, kDocString, node::DocString);
  attributes(node, root, hasKept ? layoutOf(context_, list) : Layout());
  out_.string(node::OpType, isConst ? std::string_view("Constant") : op->type());
  if (node->hasName())
    out_.string(node::Name, root.name(node));
  for (uint32_t i = node->numResults(); i > 0; --i) {
    interrupt_.poll();
    const Value *result = node->result(i - 1);
    out_.string(node::Output, result->isAbsent() ? std::string_view() : root.name(result));
  }
  for (uint32_t i = node->numOperands(); i > 0; --i) {
    interrupt_.poll();
    const Value *operand = node->operand(i - 1);
    if (operand && !operand->graph())
      throwError(ErrorKind::Model, node->describe(), " uses a result of ",
                 operand->node()->describe(), ", which is detached");
    out_.string(node::Input, operand ? root.name(operand) : std::string_view());
  }
  if (hasKept)
    extra(list);
}

void ModelWriter::origins(const Node *node, uint32_t field) {
  if (!node->origins().empty())
    property(field, kOriginsKey, originsText(node->origins()));
}

/// Follows the other metadata.
void ModelWriter::provenance(const Node *node, const RootPlan &root, uint32_t field) {
  origins(node, field);
  if (!node->extra())
    return;
  if (!node->operandSegments().empty())
    property(field, kOperandSegmentsKey, lengthsText(node->operandSegments()));
  if (!node->resultSegments().empty())
    property(field, kResultSegmentsKey, lengthsText(node->resultSegments()));
  std::vector<std::string> names;
  for (const Node *from : node->controlInputs()) {
    interrupt_.poll();
    const Value *shown = nullptr;
    for (uint32_t i = 0; i < from->numResults() && !shown; ++i)
      shown = from->result(i)->isAbsent() ? nullptr : from->result(i);
    if (!shown && !from->hasName())
      throwError(ErrorKind::Model, "its control input ", from->describe(),
                 " has neither results nor a name; give it a name");
    names.push_back(shown ? cat("%", root.name(shown)) : cat("@", root.name(from)));
  }
  if (!names.empty())
    property(field, kControlInputsKey, namesText(names));
}

/// The attribute `value` of Constant and ConstantOfShape.
void ModelWriter::valueAttribute(const TensorPtr &value) {
  uint64_t end = out_.size();
  out_.integer(attribute::Type, int64_t(AttributeType::Tensor));
  uint64_t tensorEnd = out_.size();
  tensor(value, {}, nullptr);
  out_.closeMessage(attribute::T, tensorEnd);
  out_.string(attribute::Name, "value");
  out_.closeMessage(node::Attribute, end);
}

/// A constant of equal elements takes no more room than one.
void ModelWriter::splat(const Node *node, const RootPlan &root, uint32_t field) {
  Context &context = module_.context();
  TensorPtr whole(node->attribute("value").tensorValue());
  auto vectorOf = [&](DType dtype, int64_t size) {
    Dim dim{size, nullptr};
    TensorTypeSpec spec;
    spec.dtype = dtype;
    spec.shape = {&dim, 1};
    return context.tensorType(spec);
  };
  auto element = TensorPtr::adopt(Tensor::copy(vectorOf(whole->type()->dtype(), 1),
                                               whole->bytes().data(), whole->bytes().size()));
  std::vector<int64_t> sizes;
  for (const Dim &dim : whole->type()->shape())
    sizes.push_back(dim.size);
  auto shape = TensorPtr::adopt(Tensor::copy(vectorOf(DType::I64, int64_t(sizes.size())),
                                             sizes.data(), sizes.size() * sizeof(int64_t)));
  uint64_t end = out_.size();
  provenance(node, root);
  metadata(node->attributes(), node::MetadataProps, node);
  valueAttribute(element);
  out_.string(node::OpType, "ConstantOfShape");
  if (node->hasName())
    out_.string(node::Name, root.name(node));
  out_.string(node::Output, root.name(node->result(0)));
  out_.string(node::Input, root.shapeName(node));
  out_.closeMessage(field, end);
  end = out_.size();
  valueAttribute(shape);
  out_.string(node::OpType, "Constant");
  out_.string(node::Output, root.shapeName(node));
  out_.closeMessage(field, end);
}

void ModelWriter::identity(const OutputPlan &output, const RootPlan &root, uint32_t field) {
  uint64_t end = out_.size();
  out_.string(node::OpType, "Identity");
  out_.string(node::Output, output.name);
  out_.string(node::Input, root.name(output.value));
  out_.closeMessage(field, end);
}

void ModelWriter::nodes(const GraphPlan &plan, const RootPlan &root, uint32_t field,
                        bool isFunction) {
  for (const OutputPlan &output : std::views::reverse(plan.outputs)) {
    interrupt_.poll();
    if (output.needsIdentity)
      identity(output, root, field);
  }
  for (const Node *each : std::views::reverse(plan.nodes)) {
    interrupt_.poll();
    uint64_t end = out_.size();
    try {
      node(each, root, isFunction);
    } catch (const Error &error) {
      if (error.kind() != ErrorKind::Model || !error.diagnostics().empty())
        throw;
      Diagnostic diagnostic;
      diagnostic.message = cat(each->describe(), ": ", error.message());
      throw Error(ErrorKind::Model, std::vector<Diagnostic>{std::move(diagnostic)});
    }
    out_.closeMessage(field, end);
  }
  for (const Node *each : std::views::reverse(plan.splats)) {
    interrupt_.poll();
    splat(each, root, field);
  }
}

//===-----------------------------------------------------------------------------------------===//
// Types of values
//===-----------------------------------------------------------------------------------------===//

void ModelWriter::valueInfo(std::string_view name, const Type *type, const Entry *entry) {
  typeMessage(value_info::Type, type, entry && !entry->parts.empty() ? &entry->parts[0] : nullptr);
  if (!entry || entry->form != kNameless)
    out_.string(value_info::Name, name);
  if (entry)
    out_.raw(entry->extra);
}

/// Known types of results that are not outputs, in the order of the file, new ones last.
void ModelWriter::infos(const Graph *graph, const GraphPlan &plan, const RootPlan &root,
                        uint32_t field) {
  struct Info {
    const Value *value;
    const Entry *entry;
  };
  std::vector<Info> ordered;
  const std::vector<Entry> &entries = plan.layout[Section::ValueInfo];
  tsl::robin_map<std::string_view, const Value *> byName;
  tsl::robin_map<const Value *, bool> listed;
  if (!entries.empty()) {
    auto add = [&](const Value *value) {
      if (!value->isAbsent())
        byName.try_emplace(root.name(value), value);
    };
    for (const Node *input : graph->inputNodes())
      add(input->result(0));
    for (const Node *node = graph->front(); node; node = node->next())
      for (uint32_t i = 0; i < node->numResults(); ++i) {
        interrupt_.poll();
        add(node->result(i));
      }
  }
  for (const Entry &entry : entries) {
    interrupt_.poll();
    auto it = byName.find(entry.name);
    if (it == byName.end() || !listed.try_emplace(it->second, true).second) {
      if (entry.form == kWhole)
        ordered.push_back({nullptr, &entry});
    } else {
      ordered.push_back({it->second, &entry});
    }
  }
  for (const OutputPlan &output : plan.outputs) {
    interrupt_.poll();
    if (output.value && !output.needsIdentity)
      listed.try_emplace(output.value, true);
  }
  for (const Node *node : plan.nodes) {
    for (uint32_t i = 0; i < node->numResults(); ++i) {
      interrupt_.poll();
      const Value *value = node->result(i);
      if (isListed(value->type()) && !listed.contains(value))
        ordered.push_back({value, nullptr});
    }
  }

  for (const auto &[value, entry] : std::views::reverse(ordered)) {
    interrupt_.poll();
    uint64_t end = out_.size();
    if (!value) {
      out_.raw(entry->literal);
    } else {
      const Entry *used = entry && entry->form != kWhole ? entry : nullptr;
      valueInfo(root.name(value), value->type(), used);
    }
    out_.closeMessage(field, end);
  }
}

void ModelWriter::inputs(const Graph *graph, const RootPlan &root) {
  for (const Node *input : std::views::reverse(graph->inputNodes())) {
    interrupt_.poll();
    const Value *value = input->result(0);
    Layout layout = layoutOf(context_, input->attributes());
    const Entry *entry = layout.one(Section::Input);
    Entry renamed;
    if (entry && entry->form == kNameless && (value->hasName() || value->hasUses())) {
      renamed = *entry;
      renamed.form = kNoForm;
      entry = &renamed;
    }
    uint64_t end = out_.size();
    origins(input, value_info::MetadataProps);
    valueInfo(root.name(value), value->type(), entry);
    out_.closeMessage(graph::Input, end);
  }
}

void ModelWriter::outputs(const GraphPlan &plan) {
  const std::vector<Entry> &entries = plan.layout[Section::Outputs];
  for (size_t i = plan.outputs.size(); i > 0; --i) {
    interrupt_.poll();
    const OutputPlan &output = plan.outputs[i - 1];
    const Entry *entry = nullptr;
    if (i - 1 < entries.size() && entries[i - 1].name == output.name)
      entry = &entries[i - 1];
    uint64_t end = out_.size();
    valueInfo(output.name, output.value ? output.value->type() : context_.unknownType(), entry);
    out_.closeMessage(graph::Output, end);
  }
}

//===-----------------------------------------------------------------------------------------===//
// Initializers
//===-----------------------------------------------------------------------------------------===//

/// A Const, or an input with a default.
void ModelWriter::initializer(const Node *node, const RootPlan &root) {
  Attribute value = node->attribute("value");
  if (value.kind() != AttrKind::Tensor)
    throwError(ErrorKind::Model, node->describe(), " has no tensor in its attribute 'value'");
  Layout layout = layoutOf(context_, node->attributes());
  uint64_t end = out_.size();
  if (!node->isData()) // an input has them already
    provenance(node, root, tensor::MetadataProps);
  tensor(TensorPtr(value.tensorValue()), root.name(node->result(0)), layout.one(Section::Tensor));
  out_.closeMessage(graph::Initializer, end);
}

void ModelWriter::initializers(const Graph *graph, const GraphPlan &plan, const RootPlan &root) {
  std::vector<const Node *> ordered;
  for (const Node *input : graph->inputNodes())
    if (input->attribute("value"))
      ordered.push_back(input);
  ordered.insert(ordered.end(), plan.constants.begin(), plan.constants.end());
  if (const std::vector<Entry> &entries = plan.layout[Section::Initializers]; !entries.empty()) {
    tsl::robin_map<std::string_view, size_t> positions;
    for (size_t i = 0; i < entries.size(); ++i)
      positions.try_emplace(entries[i].name, i);
    std::ranges::stable_sort(ordered, {}, [&](const Node *node) {
      auto it = positions.find(root.name(node->result(0)));
      return it == positions.end() ? entries.size() : it->second;
    });
  }
  for (const Node *node : std::views::reverse(ordered)) {
    interrupt_.poll();
    initializer(node, root);
  }
}

void ModelWriter::sparseInitializers(const GraphPlan &plan, const RootPlan &root) {
  for (const Node *node : std::views::reverse(plan.sparse)) {
    interrupt_.poll();
    Attribute value = node->attribute("sparse_value");
    if (!isSparse(value))
      throwError(ErrorKind::Model, node->describe(),
                 " has no sparse tensor in its attribute 'sparse_value'");
    TensorBytes bytes = bytesOf(node->attribute(kSparseInitializer));
    Layout layout = Layout::decode(bytes.get());
    uint64_t end = out_.size();
    sparseTensor(value, root.name(node->result(0)), layout.one(Section::Sparse), node, &root);
    out_.closeMessage(graph::SparseInitializer, end);
  }
}

void ModelWriter::graph(const Graph *graph, const RootPlan &root) {
  const GraphPlan &plan = root.of(graph);
  const AttributeList &list = graph->attributes();
  provenance(graph->output(), root, graph::MetadataProps);
  metadata(list, graph::MetadataProps, graph->output());
  sparseInitializers(plan, root);
  infos(graph, plan, root, graph::ValueInfo);
  outputs(plan);
  inputs(graph, root);
  text(list, kDocString, graph::DocString);
  initializers(graph, plan, root);
  if (!graph->name().empty())
    out_.string(graph::Name, graph->name());
  nodes(plan, root, graph::Node, false);
  extra(list);
}

} // namespace ge::onnx
