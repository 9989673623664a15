//===- CallBinder.cpp - arguments of a call as a node has them --------------------------------===//
#include "ge/Ops/Infer/CallBinder.h"

#include "ge/IR/Context.h"
#include "ge/IR/FloatFormat.h"
#include "ge/Ops/Binding/Binder.h"
#include "ge/Ops/Infer/Contents.h"
#include "ge/Ops/Registry/BuiltinOps.h"
#include "ge/Ops/Schema/OpSegments.h"
#include "ge/Ops/Schema/Schema.h"
#include "ge/Support/Error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <deque>

namespace ge {

namespace {

/// An argument as the binder sees it.
struct Item {
  ArgKind kind = ArgKind::None;
  int64_t integer = 0;
  bool fits = true; ///< the integer fits int64_t
  double real = 0;
  std::string_view text = {};
  std::vector<Item> items = {};
};

Item itemOfTensor(const Tensor *one) { return {one ? ArgKind::Value : ArgKind::None}; }

/// An f32 is compared by its decimal representation: 0.1f equals the bound 0.1.
double asPrinted(float rounded) {
  double value = rounded;
  char text[64];
  auto end = std::to_chars(text, text + sizeof text, rounded).ptr;
  std::from_chars(text, end, value);
  return value;
}

Item integer(int64_t value, DType width, const SchemaType *type) {
  bool isBool = type && (type->is(SchemaAtom::Bool) || type->is(SchemaAtom::SymBool));
  bool asBool = width == DType::Bool || (isBool && (value == 0 || value == 1));
  return {asBool ? ArgKind::Bool : ArgKind::Int, value, width != DType::U64 || value >= 0};
}
Item real(double value) { return {ArgKind::Float, 0, true, value}; }

/// `type`: of the parameter, or of the elements of its list; null: unknown.
Item itemOf(Attribute a, const SchemaType *type) {
  const SchemaType *target = type ? type->required() : nullptr;
  const SchemaType *element = target && target->isList() ? target->element()->required() : nullptr;
  Item list{ArgKind::List};
  switch (a.kind()) {
  case AttrKind::Invalid:
    return {};
  case AttrKind::Bool:
    return integer(a.boolValue(), DType::Bool, target);
  case AttrKind::Int:
    if (element && target->listSize() == 0) { // files write a single element as a number
      list.items.push_back(integer(a.intValue(), a.width(), element));
      return list;
    }
    return integer(a.intValue(), a.width(), element ? element : target);
  case AttrKind::Float:
    return real(a.width() == DType::F32 ? asPrinted(float(a.floatValue())) : a.floatValue());
  case AttrKind::Bytes:
    if (!target || !target->is(SchemaAtom::Str))
      return {ArgKind::Bytes, 0, true, 0, a.stringValue()};
    [[fallthrough]]; // text that is not UTF-8
  case AttrKind::String:
    return {ArgKind::Str, 0, true, 0, a.stringValue()};
  case AttrKind::DType:
    return {ArgKind::DType};
  case AttrKind::Type:
    return {ArgKind::Object};
  case AttrKind::Graph:
    return {ArgKind::Graph};
  case AttrKind::Tensor:
    return {ArgKind::Array};
  case AttrKind::Array:
    for (double value : a.doubles())
      list.items.push_back(real(value));
    for (float value : a.floats())
      list.items.push_back(real(asPrinted(value)));
    for (int64_t value : a.ints())
      list.items.push_back(integer(value, a.width(), element));
    return list;
  case AttrKind::List:
    for (Attribute item : a.elements())
      list.items.push_back(itemOf(item, element));
    return list;
  case AttrKind::Dict:
    list.kind = ArgKind::Dict;
    for (size_t i = 0; i < a.size(); ++i) {
      list.items.push_back({ArgKind::Str, 0, true, 0, a.keys()[i]->str()});
      list.items.push_back(itemOf(a.elements()[i], nullptr));
    }
    return list;
  }
  return {};
}

/// A number, bool or text of a tuple, which is a constant in a node.
Item itemOfPart(const SchemaType *type, const Tensor *one) {
  if (type->containsTensor() || !one)
    return itemOfTensor(one);
  std::optional<Constant> value = scalarConstant(*one);
  if (!value)
    return itemOfTensor(one);
  switch (value->kind) {
  case Constant::Kind::Bool:
  case Constant::Kind::Int:
    return integer(value->integer, one->type()->dtype(), type->required());
  case Constant::Kind::Float:
    return real(value->real);
  case Constant::Kind::Str:
    return {ArgKind::Str, 0, true, 0, one->strings()[0]};
  default:
    return {ArgKind::Complex};
  }
}

/// Takes the operands of a tuple from `rest`.
Item itemOfTuple(const SchemaType *type, std::span<const Tensor *const> &rest) {
  if (isAbsentTuple(type, rest)) {
    rest = rest.subspan(slotWidth(type));
    return {};
  }
  Item tuple{ArgKind::Tuple};
  for (const SchemaType *element : type->required()->elements()) {
    if (element->required()->kind() == SchemaTypeKind::Tuple) {
      tuple.items.push_back(itemOfTuple(element, rest));
      continue;
    }
    tuple.items.push_back(itemOfPart(element, rest[0]));
    rest = rest.subspan(1);
  }
  return tuple;
}

class ItemView : public ArgView {
public:
  ArgKind kind(Arg arg) const override { return of(arg).kind; }
  size_t size(Arg arg) const override { return of(arg).items.size(); }
  Arg item(Arg arg, size_t index) const override { return &of(arg).items[index]; }
  bool intValue(Arg arg, int64_t &out) const override {
    out = of(arg).integer;
    return of(arg).fits;
  }
  double floatValue(Arg arg) const override { return of(arg).real; }
  std::string_view strValue(Arg arg) const override { return of(arg).text; }
  bool isInstance(Arg, const SchemaType &type) const override {
    return type.is(SchemaAtom::ValueType);
  }
  std::string describe(Arg arg) const override {
    const Item &item = of(arg);
    switch (item.kind) {
    case ArgKind::None:
      return "None";
    case ArgKind::Bool:
      return item.integer ? "bool True" : "bool False";
    case ArgKind::Int:
      return cat("int ", item.integer);
    case ArgKind::Float: {
      std::string text = "float ";
      printConstant(Constant::number(item.real), text);
      return text;
    }
    case ArgKind::Complex:
      return "a complex number";
    case ArgKind::Str:
      return cat("str '", item.text.substr(0, 40), item.text.size() > 40 ? "..." : "", "'");
    case ArgKind::Bytes:
      return "bytes";
    case ArgKind::Value:
      return "a tensor";
    case ArgKind::Array:
      return "a constant tensor";
    case ArgKind::DType:
      return "a dtype";
    case ArgKind::Graph:
      return "a graph";
    case ArgKind::List:
    case ArgKind::Tuple:
      return cat("list of ", item.items.size());
    case ArgKind::Dict:
      return cat("dict of ", item.items.size() / 2);
    default:
      return "a type";
    }
  }

private:
  static const Item &of(Arg arg) { return *static_cast<const Item *>(arg); }
};

} // namespace

std::optional<Constant> scalarConstant(const Tensor &tensor) {
  if (tensor.numElements() != 1)
    return std::nullopt;
  if (tensor.isString())
    return Constant::string(tensor.strings()[0]);
  DType dtype = tensor.type()->dtype();
  Constant value;
  std::array<std::byte, 16> bytes{};
  if (tensor.elementSize() > bytes.size())
    return std::nullopt;
  tensor.copyDense(bytes.data());
  if (hasFloatFormat(dtype)) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data(), sizeof bits);
    return Constant::number(decodeFloat(dtype, bits));
  }
  if (dtype == DType::C64 || dtype == DType::C128) {
    value.kind = Constant::Kind::Complex;
    std::array<float, 2> parts{};
    std::memcpy(parts.data(), bytes.data(), sizeof parts);
    value.real = parts[0];
    value.imaginary = parts[1];
    if (dtype == DType::C128) {
      std::memcpy(&value.real, bytes.data(), sizeof value.real);
      std::memcpy(&value.imaginary, bytes.data() + sizeof value.real, sizeof value.imaginary);
    }
    return value;
  }
  std::optional<Contents> contents = Contents::of(tensor);
  if (!contents || !contents->elements[0].isInt())
    return std::nullopt;
  int64_t number = contents->elements[0].number;
  return dtype == DType::Bool ? Constant::boolean(number != 0) : Constant::number(number);
}

bool isAbsentTuple(const SchemaType *type, std::span<const Tensor *const> rest) {
  return type->isOptional() &&
         std::ranges::all_of(rest.first(slotWidth(type)), [](auto *one) { return !one; });
}

bool isFreeAttribute(const OpDef &def, std::string_view name) {
  return def.vararg || isCannDomain(def.ns) || name.find('.') != std::string_view::npos ||
         name.starts_with('_');
}

std::vector<CallArg> bindCall(const OpDef &def, std::string_view where,
                              std::span<const Tensor *const> operands,
                              std::span<const NamedAttribute> attributes,
                              std::span<const int32_t> segments) {
  std::vector<CallArg> out(def.params.size());
  std::deque<Item> items; // addresses stay
  std::vector<Keyword> keywords;
  auto give = [&](std::string_view name, Item item) {
    keywords.push_back({name, &items.emplace_back(std::move(item))});
  };

  auto refuse = [&](const std::string &reason) {
    std::string begin = where.empty() ? cat(def.qualifiedName(), "()") : std::string(where);
    throwError(ErrorKind::Verify, begin, ": ", reason, "\n  ", schemaText(def));
  };
  if (segments.empty() && def.hasOperandChoice() && !operands.empty())
    refuse(missingSegmentsText(def, false, operands.size()));
  if (std::string fault = segments.empty() ? "" : segmentsFault(operandSlots(def), segments);
      !fault.empty())
    refuse(fault);

  size_t next = 0, place = 0, after = 0; // the operands of later parameters
  for (uint32_t index : def.operands())
    after += def.params[index].isVariadic() ? 1 : slotWidth(def.params[index].type);
  for (size_t i = 0; i < def.params.size(); ++i) {
    const Param &param = def.params[i];
    if (!param.isOperand())
      continue;
    size_t left = operands.size() - next;
    bool isTuple = param.type->required()->kind() == SchemaTypeKind::Tuple;
    size_t width = slotWidth(param.type);
    after -= std::min(after, width);
    size_t count = param.isVariadic() ? left - std::min(left, after) : std::min(left, width);
    if (!segments.empty())
      count = std::min(left, place < segments.size() ? size_t(segments[place]) : 0);
    ++place;
    out[i].tensors = operands.subspan(next, count);
    next += count;
    bool isThere = std::ranges::any_of(out[i].tensors, [](auto *one) { return one; });
    if (std::string fault = isThere ? nodeFormFault(param) : ""; !fault.empty())
      refuse(fault);
    if (param.isVariadic()) {
      if (isAbsentList(param, out[i].tensors)) {
        give(param.name, Item{});
        continue;
      }
      Item list{ArgKind::List};
      const SchemaType *element = param.type->required()->element();
      std::span<const Tensor *const> rest = out[i].tensors;
      bool isOfTuples = element->required()->kind() == SchemaTypeKind::Tuple;
      while (isOfTuples && rest.size() >= slotWidth(element))
        list.items.push_back(itemOfTuple(element, rest));
      for (const Tensor *one : rest)
        list.items.push_back(itemOfTensor(one));
      give(param.name, std::move(list));
    } else if (isTuple) {
      if (count == 0 && !param.isRequired())
        continue;
      // Absent operands at the end may be missing.
      std::vector<const Tensor *> parts(out[i].tensors.begin(), out[i].tensors.end());
      parts.resize(width);
      std::span<const Tensor *const> rest = parts;
      give(param.name, itemOfTuple(param.type, rest));
    } else if ((count && out[i].tensors[0]) || (param.type->isOptional() && param.isRequired())) {
      give(param.name, itemOfTensor(count ? out[i].tensors[0] : nullptr));
    }
  }
  if (def.vararg)
    out.push_back({operands.subspan(next), {}});
  else if (next < operands.size())
    refuse(cat("takes ", next, " operands, not ", operands.size()));

  for (const NamedAttribute &given : attributes) {
    std::string_view name = given.name->str();
    std::optional<uint32_t> index = def.findParam(name);
    bool isOwn = index && !def.params[*index].isOperand();
    if (!isOwn && isFreeAttribute(def, name))
      continue;
    if (index && !isOwn)
      refuse(cat("'", name, "' is an operand, not an attribute"));
    if (isOwn)
      out[*index].attribute = given.value;
    give(name, itemOf(given.value, isOwn ? def.params[*index].type : nullptr));
  }

  BindFault fault;
  BindOptions options;
  std::vector<BoundArg> bound(def.params.size());
  if (!bind(def, ItemView(), {}, keywords, options, bound, &fault))
    refuse(fault.reason);
  return out;
}

} // namespace ge
