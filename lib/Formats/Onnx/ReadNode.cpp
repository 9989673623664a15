//===- ReadNode.cpp - nodes and the names they use --------------------------------------------===//
#include "Provenance.h"
#include "Reader.h"

#include "ge/IR/Root.h"

namespace ge::onnx {

/// The value that a name means here; null when nothing so far defines it.
Value *ModelReader::lookUp(Scope &scope, std::string_view name) {
  for (Scope *at = &scope; at; at = at->outer)
    if (const ValueSlot *slot = at->slots.find(name); slot && slot->value)
      return slot->value;
  return nullptr;
}

void ModelReader::failTwice(std::string_view name, const FieldPath *path, const char *field) {
  failAt(source_, name, path, field, cat("value '", name, "' is defined twice in one graph"));
}

void ModelReader::node(std::string_view bytes, Scope &scope, const FieldPath *path) {
  std::string_view name, type, domain, overload, doc;
  bool hasDoc = false;
  std::string extra, unknown;
  Properties metadataProps;
  Attributes &attributes = attributes_;
  attributes.clear();
  operands_.clear();
  inputNames_.clear();
  outputNames_.clear();
  resultTypes_.clear();
  WireReader reader(source_, bytes, path);
  while (reader.next()) {
    switch (reader.field()) {
    case node::Input:
      inputNames_.push_back(reader.text("input"));
      continue;
    case node::Output:
      outputNames_.push_back(reader.text("output"));
      continue;
    case node::Name:
      name = reader.text("name");
      if (!name.empty())
        continue;
      break;
    case node::OpType:
      type = reader.text("op_type");
      continue;
    case node::Domain:
      domain = reader.text("domain");
      // The writer says it as models do; another spelling is kept.
      if (!domain.empty() && modelDomain(canonicalDomain(domain)) == domain)
        continue;
      break;
    case node::Overload:
      overload = reader.text("overload");
      if (!overload.empty())
        continue;
      break;
    case node::Attribute: {
      FieldPath inner{path, "attribute", int64_t(attributes.count)};
      attribute(reader.message("attribute"), &inner, attributes);
      continue;
    }
    case node::DocString:
      doc = reader.bytes("doc_string");
      hasDoc = isValidUtf8(doc);
      if (hasDoc)
        continue;
      break;
    case node::MetadataProps:
      metadata(reader, metadataProps);
      continue;
    default:
      unknown += reader.raw();
    }
    extra += reader.raw();
  }

  bool pending = false;
  for (std::string_view input : inputNames_) {
    interrupt_.poll();
    Value *value = input.empty() ? nullptr : lookUp(scope, input);
    pending |= !value && !input.empty();
    operands_.push_back(value);
  }
  for (std::string_view output : outputNames_) {
    interrupt_.poll();
    const Type *known = context_.noneType();
    if (!output.empty()) {
      ValueSlot &slot = scope.slots[output];
      if (slot.value)
        failTwice(output, path, "output");
      known = slot.type ? slot.type : context_.unknownType();
      if (slot.info >= 0) {
        // As the writer would list them.
        if (slot.info == scope.infosInOrder)
          ++scope.infosInOrder;
        else
          scope.infosOutOfOrder = true;
      }
    }
    resultTypes_.push_back(known);
  }

  if (hasDoc)
    attributes.add(docString_, context_.stringAttr(doc));
  Provenance provenance;
  if (metadataProps.isPlain && !metadataProps.entries.empty())
    takeProvenance(metadataProps, provenance, true);
  if (AttrRef props = metadataAttr(metadataProps, extra))
    attributes.add(metadataProps_, std::move(props));
  if (!extra.empty())
    attributes.add(extra_, bytesAttr(extra));
  if (std::string layout = attributesLayout(attributes); !layout.empty())
    attributes.add(layout_, bytesAttr(layout));
  if (unknown += attributes.opaque; !unknown.empty())
    attributes.add(opaque_, opaqueAttr(unknown));

  Node *made = at(bytes, path, "op_type", [&] {
    NodeSpec spec;
    spec.op = context_.operatorName(domain, type, overload);
    if (domain == "ge" && (type == "Data" || type == "NetOutput" || type == "Const"))
      throwError(ErrorKind::Value, "ge.", type,
                 " is an operator of GE's own and cannot be in a model");
    spec.operands = operands_;
    spec.resultTypes = resultTypes_;
    spec.attributes = attributes.values;
    spec.name = name;
    std::vector<int32_t> operandLengths, resultLengths;
    if (provenance.operandSegments.data())
      operandLengths = parseLengths(kOperandSegmentsKey, provenance.operandSegments);
    if (provenance.resultSegments.data())
      resultLengths = parseLengths(kResultSegmentsKey, provenance.resultSegments);
    spec.operandSegments = operandLengths;
    spec.resultSegments = resultLengths;
    return Mutation::create(scope.graph, nullptr, spec);
  });
  nameResults(made, scope, path);
  keepNames(made, name, outputNames_);
  setProvenance(made, std::move(provenance), scope);
  if (pending)
    for (uint32_t i = 0; i < inputNames_.size(); ++i)
      if (!operands_[i] && !inputNames_[i].empty()) {
        FieldPath inner{path, "input", i};
        scope.pending.push_back({made, i, inputNames_[i], inner.str()});
      }
  if (!attributes.graphs.empty())
    subgraphs(made, scope, path, attributes);
}

void ModelReader::nameResults(Node *node, Scope &scope, const FieldPath *path) {
  for (uint32_t i = 0; i < outputNames_.size(); ++i) {
    interrupt_.poll();
    std::string_view name = outputNames_[i];
    if (name.empty())
      continue;
    ValueSlot &slot = scope.slots[name];
    if (slot.value) // twice among the results of this node
      failTwice(name, path, "output");
    slot.value = node->result(i);
    Mutation::rename(slot.value, name);
  }
}

/// Keeps the file's names where the IR has others, because names in the IR are unique.
void ModelReader::keepNames(Node *node, std::string_view name,
                            std::span<const std::string_view> results) {
  bool isOther = !name.empty() && node->name() != name;
  for (uint32_t i = 0; i < results.size() && !isOther; ++i)
    isOther = !results[i].empty() && node->result(i)->name() != results[i];
  if (!isOther)
    return;
  std::vector<std::string> names(results.size() + 1);
  if (node->name() != name)
    names[0] = name;
  for (uint32_t i = 0; i < results.size(); ++i)
    if (node->result(i)->name() != results[i])
      names[i + 1] = results[i];
  Mutation::setOriginalNames(node, names);
}
void ModelReader::keepNames(Node *node, std::string_view name, std::string_view result) {
  keepNames(node, name, std::span(&result, 1));
}

void ModelReader::takeProvenance(Properties &properties, Provenance &into, bool isNode) {
  std::erase_if(properties.entries, [&](const auto &item) {
    if (item.first == kOriginsKey && into.origins.empty()) {
      std::optional<std::vector<Origin>> origins = parseOrigins(context_, item.second);
      if (origins)
        into.origins = std::move(*origins);
      return !into.origins.empty();
    }
    if (item.first == kControlInputsKey && into.controlInputs.empty()) {
      std::optional<std::vector<std::string>> names = parseNames(context_, item.second);
      if (names)
        into.controlInputs = std::move(*names);
      return !into.controlInputs.empty();
    }
    if (isNode && item.first == kOperandSegmentsKey) {
      into.operandSegments = item.second;
      return true;
    }
    if (isNode && item.first == kResultSegmentsKey) {
      into.resultSegments = item.second;
      return true;
    }
    return false;
  });
}

bool ModelReader::takeProvenance(const WireReader &reader, std::string_view key, Provenance &into) {
  Properties properties;
  metadata(reader, properties);
  if (!properties.isPlain || properties.entries[0].first != key)
    return false;
  takeProvenance(properties, into);
  return properties.entries.empty();
}

/// The edges wait until all nodes of the graph are there.
void ModelReader::setProvenance(Node *node, Provenance &&provenance, Scope &scope) {
  if (!provenance.origins.empty())
    Mutation::setOrigins(node, provenance.origins);
  if (!provenance.controlInputs.empty())
    scope.controls.push_back({node, std::move(provenance.controlInputs)});
}

/// Runs when all nodes of the graph exist. Edges from nodes that another program removed, and edges
/// that the IR refuses, are dropped.
void ModelReader::addControlEdges(Scope &scope) {
  for (const ControlUse &use : scope.controls)
    for (std::string_view name : use.names) {
      interrupt_.poll();
      std::string_view bare = name.substr(1);
      Node *from = nullptr;
      if (name[0] == '@')
        from = scope.graph->root().findNode(bare);
      else if (Value *value = lookUp(scope, bare))
        from = value->node();
      if (!from || from == use.node)
        continue;
      try {
        Mutation::addControlEdge(from, use.node);
      } catch (const Error &error) {
        if (error.kind() != ErrorKind::Value)
          throw;
      }
    }
  scope.controls.clear();
}

/// Resolves uses that precede the definition; names without one here are looked up outside.
void ModelReader::resolvePending(Scope &scope) {
  for (PendingUse &use : scope.pending) {
    interrupt_.poll();
    if (Value *value = lookUp(scope, use.name))
      Mutation::setOperand(use.node, use.index, value);
    else if (scope.outer)
      scope.outer->pending.push_back(std::move(use));
    else {
      FieldPath path{nullptr, use.path.c_str()};
      failAt(source_, use.name, &path, nullptr, cat("value '", use.name, "' is not defined"));
    }
  }
  scope.pending.clear();
}

} // namespace ge::onnx
