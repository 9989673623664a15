//===- CallBinder.cpp - arguments of a call as a node has them --------------------------------===//
#include "ge/Ops/Infer/CallBinder.h"

#include "ge/IR/Context.h"
#include "ge/Ops/Binding/Binder.h"
#include "ge/Ops/Registry/BuiltinOps.h"
#include "ge/Ops/Schema/OpSegments.h"
#include "ge/Ops/Schema/Schema.h"
#include "ge/Support/Error.h"

#include <algorithm>
#include <charconv>
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

  size_t next = 0, place = 0, slots = def.operands().size();
  for (size_t i = 0; i < def.params.size(); ++i) {
    const Param &param = def.params[i];
    if (!param.isOperand())
      continue;
    size_t after = slots - ++place, left = operands.size() - next;
    size_t count = param.isVariadic() ? left - std::min(left, after) : std::min<size_t>(left, 1);
    if (!segments.empty())
      count = std::min(left, place <= segments.size() ? size_t(segments[place - 1]) : 0);
    out[i].tensors = operands.subspan(next, count);
    next += count;
    auto itemOfTensor = [](const Tensor *one) {
      return Item{one ? ArgKind::Value : ArgKind::None};
    };
    if (param.isVariadic()) {
      Item list{count == 0 && param.type->isOptional() ? ArgKind::None : ArgKind::List};
      for (const Tensor *one : out[i].tensors)
        list.items.push_back(itemOfTensor(one));
      give(param.name, std::move(list));
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
