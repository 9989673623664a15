//===- AttrPrinter.cpp - attributes of nodes, graphs and modules ----------------------------------===//
#include "Printer.h"

#include "ge/IR/TensorText.h"
#include "ge/Support/StringUtil.h"

namespace ge::text {

std::string_view Printer::key(uint32_t nameId, Where &where) {
  std::string_view name = context_.identifierAt(nameId)->str();
  // In MLIR, a key with a point is a discardable attribute of a dialect, which verifies it if it is
  // loaded.
  bool isWord = isBareIdentifier(name) && name.find('.') == std::string_view::npos;
  bool isReserved = name.starts_with("ge.") || name == kOperandSegments || name == kResultSegments;
  where = isWord && !isReserved ? Direct : Inside;
  return keys_.get(nameId, [&](std::string &text) {
    if (isWord)
      text += name;
    else
      appendQuoted(text, name);
  });
}

/// The name of the node's first result, from which a resource key is made.
std::string_view Printer::keyHint(const Node *node) const {
  if (node->numResults() && node->result(0)->hasName())
    return node->result(0)->name();
  return node->name();
}

void Printer::attributes(Dictionary &dictionary, const AttributeList &list, bool isData,
                         bool allInside, std::string_view hint) {
  bool someInside = allInside;
  uint32_t count = list.size();
  auto isShown = [&](uint32_t i) {
    // An input's index is its position.
    return !isData || context_.identifierAt(list.nameIdAt(i))->str() != "index";
  };
  auto hintFor = [&](uint32_t i) {
    return hint.empty() ? context_.identifierAt(list.nameIdAt(i))->str() : hint;
  };
  if (!allInside)
    for (uint32_t i = 0; i < count; ++i) {
      Where where;
      std::string_view name = key(list.nameIdAt(i), where);
      if (where == Inside) {
        someInside = true;
        continue;
      }
      dictionary.entry(name);
      attribute(list.at(i), hintFor(i));
    }
  if (!someInside)
    return;
  Dictionary inside(out_, "{");
  for (uint32_t i = 0; i < count; ++i) {
    Where where;
    std::string_view name = key(list.nameIdAt(i), where);
    if ((where == Direct && !allInside) || !isShown(i))
      continue;
    if (!inside.isOpen())
      dictionary.entry("ge.attrs");
    inside.entry(name);
    attribute(list.at(i), hintFor(i));
  }
  inside.close();
}

void Printer::attribute(Attribute attribute, std::string_view hint) {
  // An opaque type may be an attribute of another dialect.
  if (attribute.kind() == AttrKind::Type && attribute.typeValue()->kind() != TypeKind::Opaque)
    return type(attribute.typeValue());
  if (!attribute.isCounted())
    return attribute.print(out_);
  switch (attribute.kind()) {
  case AttrKind::Tensor:
    return tensor(*attribute.tensorValue(), hint);
  case AttrKind::List: {
    std::string_view separator = "[";
    for (Attribute element : attribute.elements()) {
      out_ += separator;
      this->attribute(element, hint);
      separator = ", ";
    }
    out_ += ']';
    return;
  }
  default: { // a dictionary: nothing else holds tensors
    Dictionary entries(out_, "{");
    for (size_t i = 0; i < attribute.size(); ++i) {
      Where where;
      entries.entry(key(attribute.keys()[i]->id(), where));
      this->attribute(attribute.elements()[i], hint);
    }
    entries.close();
    return;
  }
  }
}

void Printer::tensor(const Tensor &tensor, std::string_view hint) {
  bool isInline = printsInline(tensor);
  bool isLarge = options_.elideElementsLargerThan >= 0 && !tensor.isSplat() &&
                 tensor.numElements() > options_.elideElementsLargerThan;
  if (isInline && !isLarge)
    return appendDense(out_, tensor);
  out_ += "dense_resource<";
  out_ += isLarge || elideAll_ ? std::string_view("__elided__") : blobs_.key(&tensor, hint);
  out_ += "> : ";
  type(tensor.type());
}

} // namespace ge::text
