//===- Conditions.cpp - comparing constants and attributes ------------------------------------===//
#include "Conditions.h"

#include "ge/IR/FloatFormat.h"
#include "ge/Ops/Infer/InferGraph.h"
#include "ge/Ops/Registry/Registry.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ge {

namespace {

/// The elements of a tensor as numbers: integers exactly, floats as doubles.
class Numbers {
public:
  explicit Numbers(const Tensor &tensor)
      : dtype_(tensor.type()->dtype()), splat_(tensor.isSplat()), size_(tensor.elementSize()) {
    if (!isInteger() && !hasFloatFormat(dtype_))
      return;
    bytes_.resize(splat_ ? size_ : tensor.denseSize());
    if (splat_)
      tensor.copyElements(0, 1, bytes_.data());
    else
      tensor.copyDense(bytes_.data());
    valid_ = true;
  }
  bool valid() const { return valid_; }
  DType dtype() const { return dtype_; }
  bool isInteger() const { return ge::isInteger(dtype_) || dtype_ == DType::Bool; }
  bool isUnsigned() const {
    return (dtype_ >= DType::U8 && dtype_ <= DType::U64) || dtype_ == DType::U4 ||
           dtype_ == DType::U2 || dtype_ == DType::U1 || dtype_ == DType::Bool;
  }
  uint64_t bits(int64_t i) const {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes_.data() + (splat_ ? 0 : size_t(i) * size_), size_);
    return bits;
  }
  int64_t integer(int64_t i) const {
    if (isUnsigned())
      return int64_t(bits(i));
    unsigned shift = 64 - info(dtype_).bits;
    return int64_t(bits(i) << shift) >> shift;
  }
  double real(int64_t i) const {
    if (!isInteger())
      return decodeFloat(dtype_, bits(i));
    return isUnsigned() ? double(bits(i)) : double(integer(i));
  }

private:
  DType dtype_;
  bool splat_;
  bool valid_ = false;
  size_t size_;
  std::vector<char> bytes_;
};

bool isNear(double wanted, double found, double tolerance) {
  if (std::isnan(wanted) || std::isnan(found))
    return std::isnan(wanted) && std::isnan(found);
  if (wanted == found)
    return true;
  return std::isfinite(wanted) && std::isfinite(found) &&
         std::abs(wanted - found) <= tolerance * std::max(std::abs(wanted), std::abs(found));
}

bool isEqual(const Numbers &wanted, const Numbers &found, int64_t i, double tolerance) {
  if (wanted.isInteger() && found.isInteger())
    return wanted.integer(i) == found.integer(i) &&
           (wanted.integer(i) >= 0 || wanted.isUnsigned() == found.isUnsigned());
  double number = wanted.real(i);
  // As the graph could have written it.
  if (!found.isInteger() && found.dtype() != DType::F64)
    number = decodeFloat(found.dtype(), encodeFloat(found.dtype(), number));
  return isNear(number, found.real(i), tolerance);
}

bool isScalar(const Tensor &tensor) {
  return tensor.numElements() == 1 && tensor.type()->shape().size() <= 1;
}

bool isNumber(Attribute a) { return a.kind() == AttrKind::Int || a.kind() == AttrKind::Float; }
double numberOf(Attribute a) {
  return a.kind() == AttrKind::Int ? double(a.intValue()) : a.floatValue();
}

bool isEqual(Attribute wanted, Attribute found, double tolerance) {
  if (attrEquals(wanted, found))
    return true;
  // A flag may be written as a number, and a number as a float.
  if (wanted.kind() == AttrKind::Bool && found.kind() == AttrKind::Int)
    return int64_t(wanted.boolValue()) == found.intValue();
  if (wanted.kind() == AttrKind::Int && found.kind() == AttrKind::Bool)
    return int64_t(found.boolValue()) == wanted.intValue();
  if (tolerance > 0 && isNumber(wanted) && isNumber(found))
    return isNear(numberOf(wanted), numberOf(found), tolerance);
  if (wanted.kind() == AttrKind::Array && found.kind() == AttrKind::Array && tolerance > 0 &&
      wanted.width() == DType::F32 && found.width() == DType::F32)
    return std::ranges::equal(wanted.floats(), found.floats(), [&](float a, float b) {
      return isNear(double(a), double(b), tolerance);
    });
  // Text that is kept as bytes.
  auto isText = [](Attribute a) {
    return a.kind() == AttrKind::String || a.kind() == AttrKind::Bytes;
  };
  return isText(wanted) && isText(found) && wanted.stringValue() == found.stringValue();
}

bool isEqual(Attribute wanted, const Constant &found, double tolerance) {
  using Kind = Constant::Kind;
  switch (found.kind) {
  case Kind::Bool:
  case Kind::Int:
    if (wanted.kind() == AttrKind::Bool)
      return wanted.boolValue() == (found.integer != 0);
    return isNumber(wanted) && numberOf(wanted) == double(found.integer);
  case Kind::Float:
    return isNumber(wanted) &&
           (isNear(numberOf(wanted), found.real, tolerance) ||
            (wanted.kind() == AttrKind::Float && float(found.real) == float(wanted.floatValue())));
  case Kind::Str:
  case Kind::Ident:
    return wanted.kind() == AttrKind::String && wanted.stringValue() == found.text;
  case Kind::List: {
    if (wanted.kind() == AttrKind::List)
      return wanted.size() == found.items.size() &&
             std::ranges::equal(
                 wanted.elements(), found.items,
                 [&](Attribute a, const Constant &b) { return isEqual(a, b, tolerance); });
    if (wanted.kind() != AttrKind::Array || wanted.size() != found.items.size())
      return false;
    for (size_t i = 0; i != found.items.size(); ++i) {
      const Constant &item = found.items[i];
      double number = item.kind == Kind::Float ? item.real : double(item.integer);
      double mine = wanted.width() == DType::F32   ? double(wanted.floats()[i])
                    : wanted.width() == DType::F64 ? wanted.doubles()[i]
                                                   : double(wanted.ints()[i]);
      if (mine != number && float(mine) != float(number))
        return false;
    }
    return true;
  }
  case Kind::None:
  case Kind::Complex:
    break;
  }
  return false;
}

std::string cut(std::string text) {
  constexpr size_t kMost = 60;
  if (text.size() > kMost) {
    text.resize(kMost - 3);
    while (!text.empty() && !isValidUtf8(text))
      text.pop_back();
    text += "...";
  }
  return text;
}

} // namespace

bool constantMatches(const PatternValue &pattern, const Tensor &tensor) {
  if (!pattern.tensor || pattern.constants == ConstantMatch::Any)
    return true;
  const Tensor &wanted = *pattern.tensor;
  if (pattern.constants == ConstantMatch::Exact || wanted.isString() || tensor.isString())
    return wanted.equals(tensor);
  bool scalars = isScalar(wanted) && isScalar(tensor);
  if (!scalars && !std::ranges::equal(wanted.type()->shape(), tensor.type()->shape()))
    return false;
  Numbers mine(wanted), its(tensor);
  if (!mine.valid() || !its.valid())
    return wanted.equals(tensor);
  // Two splats are compared once.
  int64_t count = wanted.isSplat() && tensor.isSplat() ? std::min<int64_t>(tensor.numElements(), 1)
                                                       : tensor.numElements();
  for (int64_t i = 0; i < count; ++i)
    if (!isEqual(mine, its, i, pattern.tolerance))
      return false;
  return true;
}

const Constant *defaultAttribute(const Node *node, std::string_view name) {
  const OperatorName &op = *node->op();
  // Defaults have changed from one operator set to the next: Softmax's axis.
  uint32_t opset = opsetOf(node->graph(), op.domain());
  OpDefRef def = Registry::global().find(op.domain(), op.type(), op.overload(),
                                         opset ? opset : Registry::kNewest);
  std::optional<uint32_t> param = def ? def->findParam(name) : std::nullopt;
  if (!param || !def->params[*param].defaultValue)
    return nullptr;
  const Constant &value = def->params[*param].defaultValue->value;
  // The registry keeps the record, as long as its library is open.
  return value.kind == Constant::Kind::None ? nullptr : &value;
}

bool attributeMatches(const PatternAttribute &pattern, Attribute value, const Constant *absent) {
  if (pattern.absent)
    return !value;
  if (!value) {
    bool wantsMore = pattern.hasMin || pattern.hasMax || pattern.predicate >= 0 ||
                     pattern.variable >= 0 || pattern.present;
    if (!absent)
      return false;
    if (pattern.value && !isEqual(*pattern.value, *absent, pattern.tolerance))
      return false;
    if (!pattern.oneOf.empty())
      return std::ranges::any_of(
          pattern.oneOf, [&](const AttrRef &a) { return isEqual(*a, *absent, pattern.tolerance); });
    if (pattern.hasMin || pattern.hasMax) {
      if (absent->kind != Constant::Kind::Int && absent->kind != Constant::Kind::Float)
        return false;
      double number =
          absent->kind == Constant::Kind::Float ? absent->real : double(absent->integer);
      return (!pattern.hasMin || number >= pattern.min) &&
             (!pattern.hasMax || number <= pattern.max);
    }
    // A predicate is asked about attributes, and a variable bound to one.
    return pattern.value || (wantsMore && pattern.present);
  }
  if (pattern.value && !isEqual(*pattern.value, value, pattern.tolerance))
    return false;
  if (!pattern.oneOf.empty() && std::ranges::none_of(pattern.oneOf, [&](const AttrRef &a) {
        return isEqual(*a, value, pattern.tolerance);
      }))
    return false;
  if (pattern.hasMin || pattern.hasMax)
    return isNumber(value) && (!pattern.hasMin || numberOf(value) >= pattern.min) &&
           (!pattern.hasMax || numberOf(value) <= pattern.max);
  return true;
}

std::string shortText(Attribute attribute) {
  if (!attribute)
    return "absent";
  std::string text;
  attribute.print(text);
  return cut(std::move(text));
}

std::string shortText(const PatternAttribute &pattern) {
  std::string text;
  auto say = [&](std::string_view what) { text += cat(text.empty() ? "" : ", ", what); };
  if (pattern.absent)
    say("absent");
  if (pattern.value)
    say(shortText(*pattern.value));
  if (!pattern.oneOf.empty()) {
    std::string list;
    for (const AttrRef &item : pattern.oneOf)
      list += cat(list.empty() ? "" : " or ", shortText(*item));
    say(list);
  }
  auto number = [](double value) {
    std::string shown;
    appendFloat(shown, value);
    return shown;
  };
  if (pattern.hasMin)
    say(cat("at least ", number(pattern.min)));
  if (pattern.hasMax)
    say(cat("at most ", number(pattern.max)));
  if (text.empty())
    say("a value");
  return cut(std::move(text));
}

std::string shortText(const Tensor &tensor) {
  std::string text = tensor.type()->str();
  Numbers numbers(tensor);
  if (!numbers.valid() || tensor.numElements() > 8)
    return cut(std::move(text));
  std::string list;
  for (int64_t i = 0; i != tensor.numElements(); ++i) {
    list += list.empty() ? "" : ", ";
    if (numbers.isInteger())
      appendPart(list, numbers.integer(i));
    else
      appendFloat(list, numbers.dtype(), numbers.bits(i));
  }
  return cat("[", list, "] (", cut(std::move(text)), ")");
}

std::string shortText(const Node *node) {
  if (node->isData())
    return cat("the input '", node->name(), "'");
  std::string name;
  node->appendName(name);
  return cat(node->op()->str(), " '", name, "'");
}

std::string shortText(const PatternConstraint &constraint) {
  std::string text;
  auto say = [&](std::string_view what) { text += cat(text.empty() ? "" : ", ", what); };
  if (constraint.hasShape) {
    std::string dims;
    for (const PatternDim &dim : constraint.dims) {
      dims += dims.empty() ? "" : ", ";
      if (dim.kind == PatternDim::Kind::Size)
        appendPart(dims, dim.size);
      else if (dim.kind == PatternDim::Kind::Symbol)
        dims += cat("N", dim.symbol);
      else
        dims += dim.kind == PatternDim::Kind::Rest ? "..." : "?";
    }
    say(cat("shape (", dims, ")"));
  }
  std::string names;
  for (DType dtype : constraint.dtypes)
    names += cat(names.empty() ? "" : " or ", info(dtype).name);
  if (!names.empty())
    say(names);
  if (constraint.minRank >= 0)
    say(constraint.minRank == constraint.maxRank
            ? cat("rank ", constraint.minRank)
            : cat("rank ", constraint.minRank, " to ", constraint.maxRank));
  return text;
}

} // namespace ge
