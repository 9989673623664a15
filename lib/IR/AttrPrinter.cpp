//===- AttrPrinter.cpp - the text of attributes -----------------------------------------------===//
#include "ge/IR/Attributes.h"

#include "ge/IR/FloatFormat.h"
#include "ge/IR/Foreign.h"
#include "ge/IR/Identifier.h"
#include "ge/IR/TensorText.h"
#include "ge/Support/StringUtil.h"

namespace ge {

static void appendInt(std::string &out, int64_t value, DType width) {
  if (width == DType::U64)
    appendPart(out, uint64_t(value));
  else if (width == DType::Bool)
    out += value ? "true" : "false";
  else
    appendPart(out, value);
}

static void appendElements(std::string &out, std::span<const int64_t> values, DType width) {
  std::string_view separator = ": ";
  for (int64_t value : values) {
    out += separator;
    appendInt(out, value, width);
    separator = ", ";
  }
}

template <typename Float>
static void appendElements(std::string &out, std::span<const Float> values) {
  std::string_view separator = ": ";
  for (Float value : values) {
    out += separator;
    appendFloat(out, value);
    separator = ", ";
  }
}

static void appendKey(std::string &out, std::string_view key) {
  if (isBareIdentifier(key) && key.find('.') == std::string_view::npos)
    out += key;
  else
    appendQuoted(out, key);
}

void Attribute::print(std::string &out) const {
  switch (kind()) {
  case AttrKind::Invalid:
    out += "<<no attribute>>"; // invalid in a text; shown in a debugger
    return;
  case AttrKind::Bool:
    out += boolValue() ? "true" : "false";
    return;
  case AttrKind::Int:
    appendInt(out, intValue(), width());
    out.append(" : ").append(info(width()).mlir);
    return;
  case AttrKind::Float:
    if (isInline())
      appendFloat(out, f32Value());
    else
      appendFloat(out, width(), encodeFloat(width(), floatValue()));
    out.append(" : ").append(info(width()).mlir);
    return;
  case AttrKind::String:
    return appendQuoted(out, stringValue());
  case AttrKind::Bytes:
    out += "#ge.bytes<";
    appendQuoted(out, stringValue());
    out.push_back('>');
    return;
  case AttrKind::DType:
    out.append("#ge.dtype<").append(info(dtypeValue()).mlir).push_back('>');
    return;
  case AttrKind::Type:
    // An attribute of another dialect.
    if (typeValue()->kind() == TypeKind::Opaque && isForeign(typeValue()->payload()->str(), '#')) {
      out += typeValue()->payload()->str();
      return;
    }
    return typeValue()->print(out);
  case AttrKind::Graph:
    out.push_back('@');
    if (isBareIdentifier(stringValue()))
      out += stringValue();
    else
      appendQuoted(out, stringValue());
    return;
  case AttrKind::Tensor: {
    const Tensor &tensor = *tensorValue();
    if (printsInline(tensor))
      return appendDense(out, tensor);
    out += "dense_resource<__elided__> : ";
    return tensor.type()->print(out);
  }
  case AttrKind::Array:
    out.append("array<").append(info(width()).mlir);
    if (width() == ge::DType::F32)
      appendElements(out, floats());
    else if (width() == ge::DType::F64)
      appendElements(out, doubles());
    else
      appendElements(out, ints(), width());
    out.push_back('>');
    return;
  case AttrKind::List: {
    out.push_back('[');
    std::string_view separator;
    for (Attribute element : elements()) {
      out += separator;
      element.print(out);
      separator = ", ";
    }
    out.push_back(']');
    return;
  }
  case AttrKind::Dict: {
    out.push_back('{');
    for (size_t i = 0; i != size(); ++i) {
      if (i)
        out += ", ";
      appendKey(out, keys()[i]->str());
      out += " = ";
      elements()[i].print(out);
    }
    out.push_back('}');
    return;
  }
  }
}

} // namespace ge
