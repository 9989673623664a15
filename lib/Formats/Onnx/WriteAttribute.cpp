//===- WriteAttribute.cpp - attributes of nodes -----------------------------------------------===//
#include "TypeProto.h"
#include "Writer.h"

#include "ge/IR/Identifier.h"

#include <algorithm>
#include <bit>
#include <ranges>

namespace ge::onnx {

/// The type that a message says.
static const Type *typeIn(const Context &context, std::string_view bytes) {
  bool isPlain = true;
  WireSource source{bytes, "onnx.layout"};
  return readType(const_cast<Context &>(context), source, bytes, nullptr, isPlain);
}

/// A type as it was written, if it still is that type.
void ModelWriter::typeMessage(uint32_t field, const Type *type, const Entry *entry) {
  if (entry && entry->form == kNoType)
    return;
  uint64_t end = out_.size();
  if (entry && (entry->form == kOther || typeIn(context_, entry->literal) == type))
    out_.raw(entry->literal);
  else if (type->kind() == TypeKind::Unknown)
    return;
  else
    writeType(out_, type);
  out_.closeMessage(field, end);
}

AttributeType ModelWriter::typeOf(const Item &item) const {
  if (!item.graphs.empty())
    return item.graphs.size() > 1 ||
                   (item.entry && AttributeType(item.entry->form) == AttributeType::Graphs)
               ? AttributeType::Graphs
               : AttributeType::Graph;
  Attribute value = item.value;
  switch (value.kind()) {
  case AttrKind::Bool:
  case AttrKind::Int:
  case AttrKind::DType:
    return AttributeType::Int;
  case AttrKind::Float:
    return AttributeType::Float;
  case AttrKind::String:
  case AttrKind::Bytes:
    return AttributeType::String;
  case AttrKind::Type:
    return AttributeType::TypeProto;
  case AttrKind::Tensor:
    return AttributeType::Tensor;
  case AttrKind::Array:
    return value.width() == DType::F32 || value.width() == DType::F64 ? AttributeType::Floats
                                                                      : AttributeType::Ints;
  case AttrKind::Dict:
    if (isSparse(value))
      return AttributeType::SparseTensor;
    break;
  case AttrKind::List: {
    std::span<const Attribute> elements = value.elements();
    if (elements.empty()) {
      auto form = AttributeType(item.entry ? item.entry->form : 0);
      bool isList = form == AttributeType::Tensors || form == AttributeType::TypeProtos ||
                    form == AttributeType::SparseTensors;
      return isList ? form : AttributeType::Strings;
    }
    auto all = [&](auto... kinds) {
      return std::ranges::all_of(
          elements, [=](Attribute element) { return ((element.kind() == kinds) || ...); });
    };
    if (all(AttrKind::String, AttrKind::Bytes))
      return AttributeType::Strings;
    if (all(AttrKind::Tensor))
      return AttributeType::Tensors;
    if (all(AttrKind::Type))
      return AttributeType::TypeProtos;
    if (all(AttrKind::Bool, AttrKind::Int, AttrKind::DType))
      return AttributeType::Ints;
    if (all(AttrKind::Float))
      return AttributeType::Floats;
    if (std::ranges::all_of(elements, [&](Attribute element) { return isSparse(element); }))
      return AttributeType::SparseTensors;
    break;
  }
  case AttrKind::Graph:
  case AttrKind::Invalid:
    break;
  }
  throwError(ErrorKind::Model, "attribute '", item.name,
             "' has a value that no attribute type of ONNX ", "can hold");
}

static int64_t integerOf(Attribute value) {
  switch (value.kind()) {
  case AttrKind::Bool:
    return value.boolValue();
  case AttrKind::DType:
    return onnxNumber(value.dtypeValue());
  default:
    return value.intValue();
  }
}

/// One field, of a list too.
void ModelWriter::listElement(AttributeType type, Attribute value, const Entry *entry) {
  uint64_t end = out_.size();
  switch (type) {
  case AttributeType::Float:
  case AttributeType::Floats: {
    bool isSingle = value.isInline();
    return out_.float32(type == AttributeType::Float ? attribute::F : attribute::Floats,
                        isSingle ? value.f32Value() : float(value.floatValue()));
  }
  case AttributeType::Int:
  case AttributeType::Ints:
    return out_.integer(type == AttributeType::Int ? attribute::I : attribute::Ints,
                        integerOf(value));
  case AttributeType::String:
  case AttributeType::Strings:
    return out_.string(type == AttributeType::String ? attribute::S : attribute::Strings,
                       value.stringValue());
  case AttributeType::Tensor:
  case AttributeType::Tensors:
    tensor(TensorPtr(value.tensorValue()), {}, entry);
    return out_.closeMessage(type == AttributeType::Tensor ? attribute::T : attribute::Tensors,
                             end);
  case AttributeType::SparseTensor:
  case AttributeType::SparseTensors:
    sparseTensor(value, {}, entry);
    return out_.closeMessage(type == AttributeType::SparseTensor ? attribute::SparseTensor
                                                                 : attribute::SparseTensors,
                             end);
  case AttributeType::TypeProto:
  case AttributeType::TypeProtos: {
    uint32_t field = type == AttributeType::TypeProto ? attribute::Tp : attribute::TypeProtos;
    const Type *written = value.typeValue();
    bool isUnknown = written->kind() == TypeKind::Unknown;
    if (isUnknown && (!entry || entry->isPlain()))
      return out_.closeMessage(field, end); // a message without fields
    return typeMessage(field, written, entry && !entry->isPlain() ? entry : nullptr);
  }
  case AttributeType::Undefined:
  case AttributeType::Graph:
  case AttributeType::Graphs:
    break;
  }
}

void ModelWriter::value(AttributeType type, Attribute value, const Entry *entry) {
  auto part = [&](size_t i) {
    return entry && i < entry->parts.size() ? &entry->parts[i] : nullptr;
  };
  if (value.kind() == AttrKind::List) {
    std::span<const Attribute> elements = value.elements();
    for (size_t i = elements.size(); i > 0; --i)
      listElement(type, elements[i - 1], part(i - 1));
  } else if (value.kind() == AttrKind::Array) {
    if (value.width() == DType::F64)
      for (double element : std::views::reverse(value.doubles()))
        out_.float32(attribute::Floats, float(element));
    else if (value.width() == DType::F32)
      for (float element : std::views::reverse(value.floats()))
        out_.float32(attribute::Floats, element);
    else
      for (int64_t element : std::views::reverse(value.ints()))
        out_.integer(attribute::Ints, element);
  } else {
    listElement(type, value, part(0));
  }
}

/// A dictionary {ref_attr_name, type}.
bool ModelWriter::reference(const Item &item) {
  Attribute value = item.value;
  if (value.kind() != AttrKind::Dict || value.size() == 0 || value.size() > 2 ||
      value.keys()[0]->str() != kRefAttrName || value.elements()[0].kind() != AttrKind::String)
    return false;
  AttributeType type = AttributeType::Undefined;
  if (value.size() == 2) {
    if (value.keys()[1]->str() != kRefType || value.elements()[1].kind() != AttrKind::String)
      return false;
    const auto *row = std::ranges::find(kAttributeTypes, value.elements()[1].stringValue(),
                                        [](const auto &r) { return std::string_view(r.name); });
    if (row == std::end(kAttributeTypes))
      return false;
    type = row->type;
  }
  out_.string(attribute::RefAttrName, value.elements()[0].stringValue());
  if (type != AttributeType::Undefined || !item.entry || item.entry->form != kUntyped)
    out_.integer(attribute::Type, int64_t(type));
  return true;
}

/// The name in the bytes of an attribute.
static std::string nameIn(std::string_view bytes) {
  WireSource source{bytes, std::string(kOpaque)};
  WireReader reader(source, bytes, nullptr);
  std::string_view name;
  while (reader.next())
    if (reader.field() == attribute::Name)
      name = reader.bytes("name");
  return std::string(name);
}

/// The value that an attribute of the type has where the field is not set.
static bool isZero(AttributeType type, Attribute value) {
  switch (type) {
  case AttributeType::Float:
    return std::bit_cast<uint64_t>(value.floatValue()) == 0;
  case AttributeType::Int:
    return integerOf(value) == 0;
  case AttributeType::String:
    return value.stringValue().empty();
  default:
    return false;
  }
}

void ModelWriter::attribute(const Item &item, const RootPlan &root) {
  const Entry *entry = item.entry;
  if (isOpaque(item.value)) {
    Attribute whole = item.value.entry(kOpaque);
    if (nameIn(bytesOf(whole).get()) != item.name)
      out_.string(attribute::Name, item.name); // of two names the last one counts
    return extra(whole);
  }
  if (!reference(item)) {
    AttributeType type = typeOf(item);
    if (!entry || entry->form != kUntyped)
      out_.integer(attribute::Type, int64_t(type));
    for (const Graph *inner : std::views::reverse(item.graphs)) {
      uint64_t end = out_.size();
      graph(inner, root);
      out_.closeMessage(type == AttributeType::Graphs ? attribute::Graphs : attribute::G, end);
    }
    if (item.value && !(entry && entry->form == kAbsent && isZero(type, item.value)))
      value(type, item.value, entry);
  }
  out_.string(attribute::Name, item.name);
  if (entry)
    out_.raw(entry->extra);
}

void ModelWriter::attributeMessage(const Item &item, uint32_t field, const RootPlan &root) {
  uint64_t end = out_.size();
  if (item.name.empty())
    out_.raw(item.entry->literal);
  else
    attribute(item, root);
  out_.closeMessage(field, end);
}

/// In the order of the entries; attributes without an entry follow.
void ModelWriter::items(std::vector<Item> values, const std::vector<Entry> &entries, uint32_t field,
                        const RootPlan &root) {
  std::vector<Item> ordered;
  if (entries.empty()) {
    ordered = std::move(values);
  } else {
    tsl::robin_map<std::string_view, Item *> byName;
    for (Item &item : values)
      byName.try_emplace(item.name, &item);
    for (const Entry &entry : entries) {
      auto it = byName.find(entry.name);
      if (entry.form == kWhole) {
        ordered.push_back({{}, {}, {}, &entry});
      } else if (it != byName.end() && !it->second->name.empty()) {
        it->second->entry = &entry;
        ordered.push_back(std::move(*it->second));
        it->second->name = {};
      }
    }
    for (Item &item : values)
      if (!item.name.empty())
        ordered.push_back(std::move(item));
  }
  for (const Item &item : std::views::reverse(ordered))
    attributeMessage(item, field, root);
}

void ModelWriter::attributes(const Node *node, const RootPlan &root, const Layout &layout) {
  const AttributeList &list = node->attributes();
  auto nameAt = [&](uint32_t i) { return context_.identifierAt(list.nameIdAt(i))->str(); };
  const std::vector<Entry> &entries = layout[Section::Attributes];
  if (node->subgraphs().empty() && entries.empty()) {
    for (uint32_t i = list.size(); i > 0; --i)
      if (std::string_view name = nameAt(i - 1); !name.starts_with(kPrefix))
        attributeMessage({name, list.at(i - 1), {}, nullptr}, node::Attribute, root);
    return;
  }
  std::vector<Item> values;
  for (uint32_t i = 0; i < list.size(); ++i)
    if (std::string_view name = nameAt(i); !name.starts_with(kPrefix))
      values.push_back({name, list.at(i), {}, nullptr});
  size_t firstGraph = values.size();
  for (const Graph *inner : node->subgraphs()) {
    auto it = std::ranges::find(values.begin() + ptrdiff_t(firstGraph), values.end(), inner->slot(),
                                &Item::name);
    if (it == values.end()) {
      if (inner->slot().empty())
        throwError(ErrorKind::Model, inner->describe(),
                   " has no slot name, and ONNX needs one for ",
                   "the attribute that holds the graph");
      it = values.insert(it, {inner->slot(), {}, {}, nullptr});
    }
    it->graphs.push_back(inner);
  }
  items(std::move(values), entries, node::Attribute, root);
}

} // namespace ge::onnx
