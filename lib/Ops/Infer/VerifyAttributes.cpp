//===- VerifyAttributes.cpp - an attribute against its parameter ------------------------------===//
#include "VerifyAttributes.h"

#include "SparseLiteral.h"

#include "ge/IR/Context.h"
#include "ge/Ops/Schema/RangeText.h"
#include "ge/Ops/Schema/Schema.h"

#include <algorithm>

namespace ge {
namespace {

std::string_view kindName(AttrKind kind) {
  constexpr std::string_view names[] = {"nothing", "bool",  "int",  "float", "str",
                                        "bytes",   "dtype", "type", "graph", "tensor",
                                        "list",    "list",  "dict"};
  return names[size_t(kind)];
}

bool fitsAtom(Attribute value, SchemaAtom atom) {
  AttrKind kind = value.kind();
  bool isNumber = kind == AttrKind::Int || kind == AttrKind::Float || kind == AttrKind::Bool;
  switch (atom) {
  case SchemaAtom::Int:
  case SchemaAtom::SymInt: // ONNX gives element types by number
    return kind == AttrKind::Int || kind == AttrKind::Bool || kind == AttrKind::DType;
  case SchemaAtom::Float:
  case SchemaAtom::SymFloat:
  case SchemaAtom::Complex:
  case SchemaAtom::Scalar:
    return isNumber;
  case SchemaAtom::Bool:
  case SchemaAtom::SymBool:
    return kind == AttrKind::Bool ||
           (kind == AttrKind::Int && (value.intValue() == 0 || value.intValue() == 1));
  case SchemaAtom::Str: // files may have bytes that are not UTF-8
    return kind == AttrKind::String || kind == AttrKind::Bytes;
  case SchemaAtom::Bytes:
    return kind == AttrKind::Bytes || kind == AttrKind::String;
  case SchemaAtom::ScalarType: // or its number
    return kind == AttrKind::DType || kind == AttrKind::Int;
  case SchemaAtom::TensorLiteral:
    return kind == AttrKind::Tensor;
  case SchemaAtom::SparseLiteral:
    return sparseLiteral(value).has_value();
  case SchemaAtom::ValueType:
    return kind == AttrKind::Type;
  case SchemaAtom::Graph:
    return kind == AttrKind::Graph;
  case SchemaAtom::None:
    return false;
  default: // types without a counterpart in graphs are accepted
    return true;
  }
}

bool fits(Attribute value, const SchemaType *type);

/// An Array holds numbers of one width, a List anything.
bool fitsList(Attribute value, const SchemaType *type) {
  const SchemaType *element = type->element()->required();
  if (value.kind() != AttrKind::Array && value.kind() != AttrKind::List)
    return false;
  if (type->listSize() != 0 && value.size() != type->listSize())
    return false;
  if (value.size() == 0)
    return true;
  if (value.kind() == AttrKind::List)
    return std::ranges::all_of(value.elements(),
                               [&](Attribute item) { return fits(item, element); });
  if (element->kind() != SchemaTypeKind::Atom)
    return element->kind() != SchemaTypeKind::List;
  bool isReal = isFloat(value.width());
  switch (element->atom()) {
  case SchemaAtom::Int:
  case SchemaAtom::SymInt:
    return !isReal;
  case SchemaAtom::Bool:
    return value.width() == DType::Bool ||
           (!isReal &&
            std::ranges::all_of(value.ints(), [](int64_t v) { return v == 0 || v == 1; }));
  case SchemaAtom::Str:
  case SchemaAtom::Bytes:
  case SchemaAtom::TensorLiteral:
  case SchemaAtom::Graph:
  case SchemaAtom::ValueType:
    return false;
  default:
    return true;
  }
}

bool fits(Attribute value, const SchemaType *type) {
  type = type->required();
  switch (type->kind()) {
  case SchemaTypeKind::Atom:
    return fitsAtom(value, type->atom());
  case SchemaTypeKind::List:
    // One number is accepted as a list of one.
    return fitsList(value, type) ||
           (value.kind() == AttrKind::Int && type->listSize() <= 1 && fits(value, type->element()));
  case SchemaTypeKind::Union:
    return std::ranges::any_of(type->elements(),
                               [&](const SchemaType *one) { return fits(value, one); });
  case SchemaTypeKind::Dict:
    return value.kind() == AttrKind::Dict;
  case SchemaTypeKind::Tuple:
    return value.kind() == AttrKind::List || value.kind() == AttrKind::Array;
  default:
    return true;
  }
}

/// Attributes are f32 mostly, constants of records f64.
bool isSameReal(double a, double b) { return float(a) == float(b); }

bool isChoice(Attribute value, const Constant &choice);

bool isNumber(double number, const Constant &choice) {
  return choice.kind == Constant::Kind::Float ? isSameReal(number, choice.real)
                                              : number == double(choice.integer);
}

/// Checks each element against the list's type. Values that are neither array nor list are
/// accepted.
bool isListed(Attribute value, const std::vector<Constant> &items) {
  auto isEqual = [&](auto numbers) {
    return std::ranges::equal(numbers, items, [](auto number, const Constant &item) {
      return isNumber(double(number), item);
    });
  };
  if (value.kind() == AttrKind::List)
    return std::ranges::equal(value.elements(), items, isChoice);
  if (value.kind() != AttrKind::Array)
    return true;
  if (value.width() == DType::F32)
    return isEqual(value.floats());
  if (value.width() == DType::F64)
    return isEqual(value.doubles());
  return isFloat(value.width()) || isEqual(value.ints());
}

bool isChoice(Attribute value, const Constant &choice) {
  switch (choice.kind) {
  case Constant::Kind::List:
    return isListed(value, choice.items);
  case Constant::Kind::Float:
    return value.kind() == AttrKind::Float
               ? isSameReal(value.floatValue(), choice.real)
               : value.kind() != AttrKind::Int || double(value.intValue()) == choice.real;
  case Constant::Kind::Int:
  case Constant::Kind::Bool:
    return value.kind() == AttrKind::Int
               ? value.intValue() == choice.integer
               : value.kind() != AttrKind::Bool || value.boolValue() == (choice.integer != 0);
  case Constant::Kind::Str:
  case Constant::Kind::Ident:
    return value.kind() != AttrKind::String || value.stringValue() == choice.text;
  default:
    return true;
  }
}

/// The numbers in an attribute, also in arrays of them.
bool isInside(Attribute value, const Range &range) {
  auto holds = [&](auto number) { return isInside(double(number), range); };
  auto holdsRounded = [&](double number) { return isInsideRounded(number, range); };
  switch (value.kind()) {
  case AttrKind::Int:
    return holds(value.intValue());
  case AttrKind::Float:
    return value.width() == DType::F64 ? holds(value.floatValue())
                                       : holdsRounded(value.floatValue());
  case AttrKind::Array:
    if (value.width() == DType::F32)
      return std::ranges::all_of(value.floats(), holdsRounded);
    if (value.width() == DType::F64)
      return std::ranges::all_of(value.doubles(), holds);
    return isFloat(value.width()) || std::ranges::all_of(value.ints(), holds);
  case AttrKind::List:
    return std::ranges::all_of(value.elements(),
                               [&](Attribute item) { return isInside(item, range); });
  default:
    return true;
  }
}

} // namespace

std::string attributeFault(Attribute value, const Param &param) {
  if (!fits(value, param.type))
    return cat("must be ", param.type->required()->str(), ", not ", kindName(value.kind()),
               value.kind() == AttrKind::Array || value.kind() == AttrKind::List
                   ? cat(" of ", value.size())
                   : std::string());
  if (!param.choices.empty() &&
      std::ranges::none_of(param.choices, [&](const Constant &c) { return isChoice(value, c); })) {
    std::string list;
    for (const Constant &choice : param.choices) {
      list += list.empty() ? "" : ", ";
      printConstant(choice, list);
    }
    std::string text;
    value.print(text);
    return cat("is ", text, "; it may be ", list);
  }
  if (!param.range || isInside(value, *param.range))
    return {};
  std::string text;
  value.print(text);
  return cat("is ", text, "; it must be ", rangeText(param));
}

} // namespace ge
