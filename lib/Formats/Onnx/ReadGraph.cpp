//===- ReadGraph.cpp - graphs: inputs, initializers, nodes, outputs ---------------------------===//
#include "Provenance.h"
#include "Reader.h"
#include "TypeProto.h"

#include <algorithm>
#include <unordered_set>

namespace ge::onnx {

ModelReader::ReadValue ModelReader::valueInfo(std::string_view bytes, const FieldPath *path,
                                              bool isInput) {
  ReadValue result;
  result.type = context_.unknownType();
  WireReader reader(source_, bytes, path);
  while (reader.next())
    if (reader.field() == value_info::Name) {
      result.name = reader.text("name");
    } else if (reader.field() == value_info::Type) {
      if (result.hasType)
        reader.fail("type", "the value has more than one type");
      result.typeBytes = reader.bytes("type");
      result.hasType = true;
      auto [it, isNew] = types_.try_emplace(result.typeBytes, nullptr, true);
      if (isNew) {
        FieldPath inner{path, "type"};
        it.value().first = at(result.typeBytes, &inner, nullptr, [&] {
          return readType(context_, source_, result.typeBytes, &inner, it.value().second);
        });
      }
      result.type = it->second.first;
      if (!it->second.second) {
        result.entry.parts.emplace_back();
        result.entry.parts.back().literal = result.typeBytes;
      }
    } else if (!isInput || reader.field() != value_info::MetadataProps ||
               !takeProvenance(reader, kOriginsKey, result.provenance)) {
      result.entry.extra += reader.raw();
    }
  if (result.name.empty())
    result.entry.form = kNameless;
  return result;
}

/// Types of results before the nodes that define them are read.
void ModelReader::declareInfos(const Body &fields, Scope &scope, const FieldPath *path) {
  for (size_t i = 0; i < fields.infos.size(); ++i) {
    interrupt_.poll();
    FieldPath inner{path, "value_info", int64_t(i)};
    ReadValue info = valueInfo(fields.infos[i], &inner);
    ValueSlot &slot = scope.slots[info.name];
    bool isKnown = info.type->kind() != TypeKind::Unknown;
    if (slot.info >= 0 || slot.type || slot.value || slot.initializer >= 0 ||
        !info.entry.isPlain() || !isListed(info.type))
      scope.infosOutOfOrder = true;
    if (slot.info < 0)
      slot.info = int32_t(i);
    if (isKnown)
      slot.type = info.type;
  }
}

void ModelReader::finishInfos(const Body &fields, Scope &scope, const FieldPath *path) {
  if (!scope.infosOutOfOrder && size_t(scope.infosInOrder) == fields.infos.size())
    return;
  std::vector<Entry> &entries = scope.layout[Section::ValueInfo];
  std::unordered_set<std::string_view> seen;
  for (size_t i = 0; i < fields.infos.size(); ++i) {
    interrupt_.poll();
    FieldPath inner{path, "value_info", int64_t(i)};
    ReadValue info = valueInfo(fields.infos[i], &inner);
    const ValueSlot *slot = scope.slots.find(info.name);
    const Value *value = slot ? slot->value : nullptr;
    if (!value || !seen.insert(info.name).second) {
      info.entry = Entry();
      info.entry.literal = fields.infos[i]; // of nothing in this graph
      info.entry.form = kWhole;
    } else if (info.type != value->type()) {
      info.entry.parts.assign(1, Entry());
      info.entry.parts[0].literal = info.typeBytes;
      info.entry.parts[0].form = info.hasType ? kOther : kNoType;
    }
    info.entry.name = info.name;
    entries.push_back(std::move(info.entry));
  }
}

void ModelReader::inputs(const Body &fields, Scope &scope, std::vector<ReadTensor> &initializers,
                         const FieldPath *path) {
  const Identifier *value = value_;
  for (size_t i = 0; i < fields.inputs.size(); ++i) {
    interrupt_.poll();
    FieldPath inner{path, "input", int64_t(i)};
    Layout layout;
    ReadValue input;
    if (fields.isFunction) {
      input.name = fields.inputs[i];
      if (input.name.empty())
        input.entry.form = kNameless;
    } else {
      input = valueInfo(fields.inputs[i], &inner, true);
    }
    ValueSlot none;
    ValueSlot &slot = input.name.empty() ? none : scope.slots[input.name];
    if (slot.value)
      failTwice(input.name, &inner, "name");
    if (fields.isFunction)
      input.type = slot.type ? slot.type : context_.unknownType();
    std::vector<NamedAttribute> attributes;
    AttrRef held[3];
    if (slot.initializer >= 0) {
      ReadTensor &initializer = initializers[size_t(slot.initializer)];
      held[0] = context_.tensorAttr(std::move(initializer.tensor));
      attributes.push_back({value, held[0].get()});
      if (!initializer.entry.isPlain())
        layout[Section::Tensor].push_back(std::move(initializer.entry));
      if (!initializer.opaque.empty()) {
        held[2] = opaqueAttr(initializer.opaque);
        attributes.push_back({opaque_, held[2].get()});
      }
      std::ranges::move(initializer.provenance.origins,
                        std::back_inserter(input.provenance.origins));
    }
    if (!input.entry.isPlain())
      layout[Section::Input].push_back(std::move(input.entry));
    if (!layout.empty()) {
      held[1] = bytesAttr(layout.encode());
      attributes.push_back({layout_, held[1].get()});
    }
    at(fields.inputs[i], &inner, nullptr, [&] {
      NodeSpec spec;
      spec.resultTypes = {&input.type, 1};
      spec.attributes = attributes;
      spec.name = input.name;
      slot.value = Mutation::addInput(scope.graph, spec, input.name)->result(0);
      keepNames(slot.value->node(), {}, input.name);
    });
    setProvenance(slot.value->node(), std::move(input.provenance), scope);
  }
}

/// Those that are not inputs.
void ModelReader::initializers(const Body &fields, Scope &scope,
                               std::vector<ReadTensor> &initializers, const FieldPath *path) {
  // The writer begins with the defaults of inputs, in their order.
  bool inOrder = true, constantsBegan = false;
  int64_t lastInput = -1;
  for (size_t i = 0; i < initializers.size(); ++i) {
    interrupt_.poll();
    FieldPath inner{path, "initializer", int64_t(i)};
    ReadTensor &initializer = initializers[i];
    ValueSlot &slot = scope.slots[initializer.name];
    if (slot.value) {
      int64_t index = slot.value->node()->attribute("index").intValue();
      inOrder &= !constantsBegan && index > lastInput;
      lastInput = index;
      continue;
    }
    constantsBegan = true;
    AttrRef tensor = context_.tensorAttr(initializer.tensor), layoutAttr, opaque;
    std::vector<NamedAttribute> attributes{{value_, tensor.get()}};
    if (!initializer.entry.isPlain()) {
      Layout layout;
      layout[Section::Tensor].push_back(std::move(initializer.entry));
      layoutAttr = bytesAttr(layout.encode());
      attributes.push_back({layout_, layoutAttr.get()});
    }
    if (!initializer.opaque.empty()) {
      opaque = opaqueAttr(initializer.opaque);
      attributes.push_back({opaque_, opaque.get()});
    }
    const Type *type = initializer.tensor->type();
    at(fields.initializers[i], &inner, nullptr, [&] {
      NodeSpec spec;
      spec.op = constOp_;
      spec.resultTypes = {&type, 1};
      spec.attributes = attributes;
      spec.name = initializer.name;
      slot.value = Mutation::create(scope.graph, nullptr, spec)->result(0);
      Mutation::rename(slot.value, initializer.name);
      keepNames(slot.value->node(), {}, initializer.name);
    });
    setProvenance(slot.value->node(), std::move(initializer.provenance), scope);
  }
  if (!inOrder)
    for (const ReadTensor &initializer : initializers) {
      scope.layout[Section::Initializers].emplace_back();
      scope.layout[Section::Initializers].back().name = initializer.name;
    }
}

void ModelReader::sparseInitializers(const Body &fields, Scope &scope, const FieldPath *path) {
  for (size_t i = 0; i < fields.sparse.size(); ++i) {
    interrupt_.poll();
    FieldPath inner{path, "sparse_initializer", int64_t(i)};
    std::optional<ReadSparse> read = sparseTensor(fields.sparse[i], &inner, true);
    if (!read || read->name.empty())
      failAt(source_, fields.sparse[i], &inner, "values",
             "a sparse initializer needs indices and named values");
    ValueSlot &slot = scope.slots[read->name];
    if (slot.value)
      failTwice(read->name, &inner, "values.name");
    Layout layout;
    if (!read->entry.isPlain())
      layout[Section::Sparse].push_back(std::move(read->entry));
    AttrRef mark = bytesAttr(layout.encode());
    std::vector<NamedAttribute> attributes{{sparseValue_, read->value.get()},
                                           {sparseInitializer_, mark.get()}};
    AttrRef opaque;
    if (!read->opaque.empty()) {
      opaque = opaqueAttr(read->opaque);
      attributes.push_back({opaque_, opaque.get()});
    }
    NodeSpec spec;
    spec.op = constantOp_;
    spec.resultTypes = {&read->type, 1};
    spec.attributes = attributes;
    slot.value = Mutation::create(scope.graph, nullptr, spec)->result(0);
    Mutation::rename(slot.value, read->name);
    keepNames(slot.value->node(), {}, read->name);
    setProvenance(slot.value->node(), std::move(read->provenance), scope);
  }
}

void ModelReader::outputs(const Body &fields, const std::vector<ReadValue> &declared, Scope &scope,
                          const FieldPath *path) {
  std::vector<std::string> names;
  std::vector<Value *> values;
  std::vector<Entry> entries;
  std::unordered_set<std::string_view> seen;
  bool isPlain = true;
  uint32_t position = 0;
  for (const ReadValue &output : declared) {
    interrupt_.poll();
    Value *value = output.name.empty() ? nullptr : lookUp(scope, output.name);
    if (!value && !output.name.empty()) {
      FieldPath inner{path, "output", position};
      scope.pending.push_back({scope.graph->output(), position, output.name, inner.str()});
    }
    values.push_back(value);
    Entry entry = output.entry;
    entry.name = output.name;
    // Names of outputs are unique in the IR; a second one shows its value's.
    bool isFirst = seen.insert(output.name).second;
    names.emplace_back(isFirst ? output.name : std::string_view());
    if (!isFirst && !output.name.empty())
      entry.form = kWhole;
    if (!fields.isFunction && value && value->type() != output.type) {
      entry.parts.assign(1, Entry());
      entry.parts[0].literal = output.typeBytes;
      entry.parts[0].form = output.hasType ? kOther : kNoType;
    }
    if (output.name.empty())
      entry.form = kNameless;
    isPlain &= entry.isPlain();
    entries.push_back(std::move(entry));
    ++position;
  }
  std::string_view place = fields.outputs.empty() ? source_.bytes : fields.outputs[0];
  at(place, path, "output", [&] {
    Mutation::setOutputs(scope.graph, values);
    Mutation::setOutputNames(scope.graph, std::move(names));
  });
  if (!isPlain)
    scope.layout[Section::Outputs] = std::move(entries);
}

void ModelReader::body(Body &fields, Scope &scope, const FieldPath *path) {
  std::vector<ReadTensor> read;
  read.reserve(fields.initializers.size());
  // Results are about as many as nodes.
  size_t sources = fields.initializers.size() + fields.inputs.size();
  Mutation::reserveNames(scope.graph->root(), fields.nodes.size() + sources,
                         fields.nodes.size() + sources);
  scope.slots.reserve(std::max(fields.infos.size(), fields.nodes.size()) + sources);
  for (size_t i = 0; i < fields.initializers.size(); ++i) {
    interrupt_.poll();
    FieldPath inner{path, "initializer", int64_t(i)};
    read.push_back(tensor(fields.initializers[i], &inner, true));
    std::string_view name = read.back().name;
    if (name.empty())
      failAt(source_, fields.initializers[i], &inner, "name", "an initializer has no name");
    ValueSlot &slot = scope.slots[name];
    if (slot.initializer >= 0)
      failTwice(name, &inner, "name");
    slot.initializer = int32_t(i);
  }
  if (fields.isFunction)
    declareInfos(fields, scope, path);
  inputs(fields, scope, read, path);
  initializers(fields, scope, read, path);
  sparseInitializers(fields, scope, path);

  // An output's declaration is that of the result it shows.
  std::vector<ReadValue> declared;
  for (size_t i = 0; i < fields.outputs.size(); ++i) {
    interrupt_.poll();
    FieldPath inner{path, "output", int64_t(i)};
    ReadValue output;
    if (fields.isFunction) {
      output.name = fields.outputs[i];
      output.type = context_.unknownType();
      const ValueSlot *slot = scope.slots.find(output.name);
      scope.infosOutOfOrder |= slot && slot->info >= 0;
    } else {
      output = valueInfo(fields.outputs[i], &inner);
      // The writer gives an output no value_info; the model may.
      scope.infosOutOfOrder |= output.type->kind() == TypeKind::Unknown && !fields.infos.empty();
      if (ValueSlot &slot = scope.slots[output.name];
          !slot.type && output.type->kind() != TypeKind::Unknown)
        slot.type = output.type;
    }
    declared.push_back(std::move(output));
  }
  if (!fields.isFunction)
    declareInfos(fields, scope, path);

  for (size_t i = 0; i < fields.nodes.size(); ++i) {
    interrupt_.poll();
    FieldPath inner{path, "node", int64_t(i)};
    node(fields.nodes[i], scope, &inner);
  }
  outputs(fields, declared, scope, path);
  finishInfos(fields, scope, path);
  resolvePending(scope);
  Provenance ofOutputs;
  if (fields.metadata.isPlain && !fields.metadata.entries.empty())
    takeProvenance(fields.metadata, ofOutputs);
  setProvenance(scope.graph->output(), std::move(ofOutputs), scope);
  addControlEdges(scope);
}

void ModelReader::graph(std::string_view bytes, Graph *graph, Scope *outer, const FieldPath *path) {
  Body fields;
  std::string extra;
  Scope scope;
  scope.outer = outer;
  scope.graph = graph;
  WireReader reader(source_, bytes, path);
  while (reader.next()) {
    switch (reader.field()) {
    case graph::Node:
      fields.nodes.push_back(reader.message("node"));
      continue;
    case graph::Name:
      if (std::string_view name = reader.text("name"); !name.empty()) {
        if (outer) // a root has its name already
          Mutation::setName(graph, name);
        continue;
      }
      break;
    case graph::Initializer:
      fields.initializers.push_back(reader.message("initializer"));
      continue;
    case graph::DocString:
      if (std::string_view doc = reader.bytes("doc_string"); isValidUtf8(doc)) {
        set(graph, kDocString, context_.stringAttr(doc));
        continue;
      }
      break;
    case graph::Input:
      fields.inputs.push_back(reader.bytes("input"));
      continue;
    case graph::Output:
      fields.outputs.push_back(reader.bytes("output"));
      continue;
    case graph::ValueInfo:
      fields.infos.push_back(reader.bytes("value_info"));
      continue;
    case graph::SparseInitializer:
      fields.sparse.push_back(reader.message("sparse_initializer"));
      continue;
    case graph::MetadataProps:
      metadata(reader, fields.metadata);
      continue;
    default:
      break;
    }
    extra += reader.raw();
  }
  body(fields, scope, path);
  if (AttrRef props = metadataAttr(fields.metadata, extra))
    set(graph, kMetadataProps, props);
  setExtras(graph, extra, scope.layout);
}

} // namespace ge::onnx
