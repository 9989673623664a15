//===- ReadAttribute.cpp - attributes of nodes ------------------------------------------------===//
#include "Reader.h"
#include "TypeProto.h"

#include <algorithm>

namespace ge::onnx {

void ModelReader::Attributes::clear() {
  values.clear();
  held.clear();
  names.clear();
  manyNames.clear();
  entries.clear();
  graphs.clear();
  count = 0;
  opaque.clear();
}

/// True when an attribute of that name came before. Comparing with all is quickest for the few that
/// nodes have.
bool ModelReader::Attributes::has(std::string_view name) {
  constexpr size_t kFew = 16;
  if (names.size() <= kFew)
    return std::ranges::find(names, name) != names.end();
  if (manyNames.empty())
    manyNames.insert(names.begin(), names.end());
  return manyNames.contains(name);
}

/// The next attribute of the message, and how it was written.
void ModelReader::Attributes::note(std::string_view name, Entry entry) {
  bool isWhole = entry.form == kWhole;
  if (!entry.isPlain() || !entries.empty()) {
    for (size_t i = entries.size(); i < count; ++i)
      entries.emplace_back().name = names[i]; // all have been plain
    if (!isWhole)
      entry.name = name;
    entries.push_back(std::move(entry));
  }
  if (!isWhole) {
    names.push_back(name);
    if (!manyNames.empty())
      manyNames.insert(name);
  }
  ++count;
}

void ModelReader::Attributes::add(const Identifier *name, AttrRef value) {
  values.push_back({name, value.get()});
  if (value->isCounted())
    held.push_back(std::move(value));
}

AttrRef ModelReader::stringAttr(std::string_view bytes) {
  return isValidUtf8(bytes) ? context_.stringAttr(bytes) : context_.bytesAttr(bytes);
}

AttrRef ModelReader::typeAttr(std::string_view bytes, const FieldPath *path, Entry &entry) {
  bool isPlain = true;
  const Type *type = readType(context_, source_, bytes, path, isPlain);
  if (!isPlain)
    entry.literal = bytes;
  return AttrRef(Attribute::type(type));
}

/// Returns the dictionary that represents `ref_attr_name`.
AttrRef ModelReader::reference(std::string_view name, uint32_t type) {
  AttrRef text = context_.stringAttr(name);
  const AttributeTypeRow *row = rowOfType(type);
  if (!row) {
    Attribute word = text.get();
    return context_.dictAttr({&refAttrName_, 1}, {&word, 1});
  }
  AttrRef typeText = context_.stringAttr(row->name);
  const Identifier *keys[] = {refAttrName_, refType_};
  Attribute words[] = {text.get(), typeText.get()};
  return context_.dictAttr(keys, words);
}

/// `opaque` gets fields of its messages that the IR cannot represent, which the entry keeps.
/// Null when the field holds what the IR has no form for, or when it is missing and has no default.
AttrRef ModelReader::attributeValue(const AttributeTypeRow &row, std::string_view bytes,
                                    const FieldPath *path, Entry &entry, std::string &opaque) {
  WireReader reader(source_, bytes, path);
  AttrRef single;
  std::vector<AttrRef> items;
  ints_.clear();
  floats_.clear();
  while (reader.next()) {
    if (reader.field() != row.field)
      continue;
    const char *name = row.fieldName;
    FieldPath inner{path, name, -1};
    FieldPath item{path, name, int64_t(items.size())};
    switch (row.type) {
    case AttributeType::Float:
      single = AttrRef(Attribute::f32(reader.float32(name)));
      break;
    case AttributeType::Int:
      single = context_.intAttr(reader.int64(name));
      break;
    case AttributeType::String:
      single = stringAttr(reader.bytes(name));
      break;
    case AttributeType::Tensor: {
      ReadTensor read = tensor(reader.message(name), &inner, false);
      opaque += read.opaque;
      single = context_.tensorAttr(std::move(read.tensor));
      entry.parts.clear();
      entry.parts.push_back(std::move(read.entry));
      break;
    }
    case AttributeType::TypeProto:
      entry.parts.resize(1);
      single = typeAttr(reader.bytes(name), &inner, entry.parts[0]);
      break;
    case AttributeType::SparseTensor: {
      std::optional<ReadSparse> read = sparseTensor(reader.message(name), &inner, false);
      if (!read)
        return {};
      opaque += read->opaque;
      single = read->value;
      entry.parts.clear();
      entry.parts.push_back(std::move(read->entry));
      break;
    }
    case AttributeType::Floats:
      reader.floats(name, floats_);
      break;
    case AttributeType::Ints:
      reader.int64s(name, ints_);
      break;
    case AttributeType::Strings:
      items.push_back(stringAttr(reader.bytes(name)));
      break;
    case AttributeType::Tensors: {
      ReadTensor read = tensor(reader.message(name), &item, false);
      opaque += read.opaque;
      items.push_back(context_.tensorAttr(std::move(read.tensor)));
      entry.parts.push_back(std::move(read.entry));
      break;
    }
    case AttributeType::TypeProtos:
      entry.parts.emplace_back();
      items.push_back(typeAttr(reader.bytes(name), &item, entry.parts.back()));
      break;
    case AttributeType::SparseTensors: {
      std::optional<ReadSparse> read = sparseTensor(reader.message(name), &item, false);
      if (!read)
        return {};
      opaque += read->opaque;
      items.push_back(read->value);
      entry.parts.push_back(std::move(read->entry));
      break;
    }
    case AttributeType::Undefined:
    case AttributeType::Graph:
    case AttributeType::Graphs:
      return {};
    }
  }
  if (std::ranges::all_of(entry.parts, &Entry::isPlain))
    entry.parts.clear();
  // Writers with proto3's semantics leave zeros out.
  bool isLeftOut = !single;
  switch (row.type) {
  case AttributeType::Float:
  case AttributeType::Int:
  case AttributeType::String:
    if (!isLeftOut)
      return single;
    entry.form = kAbsent;
    return row.type == AttributeType::Float ? AttrRef(Attribute::f32(0))
           : row.type == AttributeType::Int ? context_.intAttr(0)
                                            : stringAttr({});
  case AttributeType::Floats:
    return context_.floatArray(floats_);
  case AttributeType::Ints:
    return context_.intArray(ints_);
  case AttributeType::Strings:
  case AttributeType::Tensors:
  case AttributeType::TypeProtos:
  case AttributeType::SparseTensors: {
    // An empty list says no kind; strings are the usual one.
    if (items.empty() && row.type != AttributeType::Strings)
      entry.form = uint32_t(row.type);
    std::vector<Attribute> words;
    words.reserve(items.size());
    for (const AttrRef &value : items)
      words.push_back(value.get());
    return context_.listAttr(words);
  }
  default:
    return single;
  }
}

/// Whether an attribute has at most one value of the type, and it is a message.
static bool isSingleMessage(AttributeType type) {
  return type == AttributeType::Tensor || type == AttributeType::Graph ||
         type == AttributeType::SparseTensor || type == AttributeType::TypeProto;
}

void ModelReader::attribute(std::string_view bytes, const FieldPath *path, Attributes &into) {
  std::string_view name, refName;
  int32_t type = 0;
  bool hasType = false;
  bool hasGraph = false;
  std::string unknown;      // fields
  unsigned valueFields = 0; // how many rows' fields are there
  const AttributeTypeRow *found = nullptr;
  std::string_view value; ///< from its first field to its last
  Entry entry;
  WireReader reader(source_, bytes, path);
  while (reader.next()) {
    uint32_t field = reader.field();
    if (field == attribute::Name) {
      name = reader.text("name");
    } else if (field == attribute::Type) {
      type = reader.int32("type");
      hasType = true;
    } else if (field == attribute::RefAttrName && !reader.bytes("ref_attr_name").empty()) {
      refName = reader.text("ref_attr_name");
    } else if (const AttributeTypeRow *row = rowOfField(field)) {
      if (row == found && isSingleMessage(row->type)) // protobuf merges them
        reader.fail(row->fieldName, "the attribute has the field twice");
      hasGraph |= row->type == AttributeType::Graph || row->type == AttributeType::Graphs;
      valueFields += row != found;
      found = row;
      std::string_view raw = reader.span();
      value = {value.data() ? value.data() : raw.data(), raw.data() + raw.size()};
    } else {
      if (field != attribute::DocString && field != attribute::RefAttrName)
        unknown += reader.raw();
      entry.extra += reader.raw();
    }
  }
  if (!hasType)
    entry.form = kUntyped;
  const AttributeTypeRow *row = hasType            ? rowOfType(uint64_t(int64_t(type)))
                                : valueFields == 1 ? found
                                                   : nullptr;

  bool isNamed = !name.empty() && !name.starts_with(kPrefix) && !into.has(name);
  bool isUsual = isNamed;
  if (isUsual && !refName.empty() && valueFields == 0 && (!hasType || row)) {
    into.add(context_.identifier(name), reference(refName, uint32_t(type)));
  } else if (isUsual && refName.empty() && row &&
             (valueFields == 0 || (valueFields == 1 && found == row))) {
    bool isGraph = row->type == AttributeType::Graph || row->type == AttributeType::Graphs;
    if (isGraph && valueFields == 1) {
      into.graphs.emplace_back(into.count, bytes);
      if (row->type == AttributeType::Graphs)
        entry.form = hasType ? uint32_t(row->type) : kUntyped;
    } else {
      uint32_t form = entry.form;
      AttrRef read = at(bytes, path, row->fieldName,
                        [&] { return attributeValue(*row, value, path, entry, unknown); });
      if (form)
        entry.form = form;
      if (read)
        into.add(context_.identifier(name), std::move(read));
      else
        isUsual = false;
    }
  } else {
    isUsual = false;
  }
  if (isUsual) {
    into.opaque += unknown;
  } else {
    // A graph uses values of the graphs around it, which bytes do not follow.
    if (hasGraph)
      failAt(source_, bytes, path, nullptr,
             cat("attribute '", name, "' has a graph beside what no attribute with a graph has"));
    std::string_view whole = source_.need(bytes);
    entry = Entry();
    if (isNamed) {
      into.add(context_.identifier(name), opaqueAttr(whole));
    } else {
      entry.form = kWhole;
      entry.literal = whole;
      into.opaque += whole;
    }
  }
  into.note(name, std::move(entry));
}

void ModelReader::subgraphs(Node *node, Scope &scope, const FieldPath *path,
                            Attributes &attributes) {
  // Reading a graph reads nodes, whose attributes are gathered in the same place.
  auto graphs = std::move(attributes.graphs);
  for (const auto &[position, bytes] : graphs) {
    FieldPath attributePath{path, "attribute", int64_t(position)};
    WireReader reader(source_, bytes, &attributePath);
    std::string_view name;
    while (reader.next())
      if (reader.field() == attribute::Name)
        name = reader.bytes("name");
    WireReader again(source_, bytes, &attributePath);
    for (int64_t i = 0; again.next();) {
      bool isList = again.field() == attribute::Graphs;
      if (!isList && again.field() != attribute::G)
        continue;
      FieldPath graphPath{&attributePath, isList ? "graphs" : "g", isList ? i++ : -1};
      std::string_view body = again.message(graphPath.name);
      Graph *inner =
          at(body, &graphPath, nullptr, [&] { return Mutation::addSubgraph(node, name, {}); });
      graph(body, inner, &scope, &graphPath);
    }
  }
}

/// Returns an empty text when order and encodings are the default ones.
std::string ModelReader::attributesLayout(Attributes &attributes) {
  // Subgraphs are written after the other attributes.
  size_t first = attributes.graphs.empty() ? attributes.count : attributes.graphs.front().first;
  if (attributes.graphs.size() == attributes.count - first && attributes.entries.empty())
    return {};
  if (attributes.entries.empty())
    for (std::string_view name : attributes.names)
      attributes.entries.emplace_back().name = name;
  Layout layout;
  layout[Section::Attributes] = std::move(attributes.entries);
  return layout.encode();
}

} // namespace ge::onnx
