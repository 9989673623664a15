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
  // In the form in which the graph could contain it.
  if (!found.isInteger() && found.dtype() != DType::F64)
    number = decodeFloat(found.dtype(), encodeFloat(found.dtype(), number));
  return isNear(number, found.real(i), tolerance);
}

bool isScalar(const Tensor &tensor) {
  return tensor.numElements() == 1 && tensor.type()->shape().size() <= 1;
}

/// A number or a bool of an attribute, of an element of one, or of a default.
struct Number {
  enum class Kind : uint8_t { None, Bool, Int, Float };
  Kind kind = Kind::None;
  DType width = DType::I64;
  int64_t integer = 0; ///< for U64: the bits
  double real = 0;

  static Number ofInteger(DType width, int64_t value) {
    return {width == DType::Bool ? Kind::Bool : Kind::Int, width, value, 0};
  }
  static Number ofReal(DType width, double value) { return {Kind::Float, width, 0, value}; }

  explicit operator bool() const { return kind != Kind::None; }
  bool isBeyondI64() const { return width == DType::U64 && integer < 0; }
  double value() const {
    if (kind == Kind::Float)
      return real;
    return isBeyondI64() ? double(uint64_t(integer)) : double(integer);
  }
};

Number numberOf(Attribute a) {
  switch (a.kind()) {
  case AttrKind::Bool:
    return Number::ofInteger(DType::Bool, int64_t(a.boolValue()));
  case AttrKind::Int:
    return Number::ofInteger(a.width(), a.intValue());
  case AttrKind::Float:
    return Number::ofReal(a.width(), a.floatValue());
  case AttrKind::Tensor: { // of rank 0
    const Tensor &tensor = *a.tensorValue();
    if (!tensor.type()->shape().empty())
      return {};
    Numbers numbers(tensor);
    if (!numbers.valid())
      return {};
    return numbers.isInteger() ? Number::ofInteger(numbers.dtype(), numbers.integer(0))
                               : Number::ofReal(numbers.dtype(), numbers.real(0));
  }
  default:
    return {};
  }
}

Number numberOf(const Constant &c) {
  switch (c.kind) {
  case Constant::Kind::Bool:
    return Number::ofInteger(DType::Bool, c.integer);
  case Constant::Kind::Int:
    return Number::ofInteger(DType::I64, c.integer);
  case Constant::Kind::Float:
    return Number::ofReal(DType::F64, c.real);
  default:
    return {};
  }
}

/// Returns whether `narrow` is `wide` rounded to its width, where neither zero nor infinity
/// results.
bool isRounded(const Number &wide, const Number &narrow) {
  return hasFloatFormat(narrow.width) && narrow.real != 0 && std::isfinite(narrow.real) &&
         decodeFloat(narrow.width, encodeFloat(narrow.width, wide.real)) == narrow.real;
}

/// An attribute that is a list, whatever the storage of its elements.
class Elements {
public:
  explicit Elements(Attribute a) : list_(a) {
    if (a.kind() == AttrKind::List || a.kind() == AttrKind::Array) {
      size_ = a.size();
      valid_ = true;
    } else if (a.kind() == AttrKind::Tensor && a.tensorValue()->type()->shape().size() == 1) {
      tensor_.emplace(*a.tensorValue());
      size_ = size_t(a.tensorValue()->numElements());
      valid_ = tensor_->valid();
    }
  }
  bool valid() const { return valid_; }
  size_t size() const { return size_; }
  /// Invalid unless the elements are attributes.
  Attribute attribute(size_t i) const {
    return list_.kind() == AttrKind::List ? list_.elements()[i] : Attribute();
  }
  Number number(size_t i) const {
    if (tensor_)
      return tensor_->isInteger()
                 ? Number::ofInteger(tensor_->dtype(), tensor_->integer(int64_t(i)))
                 : Number::ofReal(tensor_->dtype(), tensor_->real(int64_t(i)));
    if (list_.kind() == AttrKind::List)
      return numberOf(list_.elements()[i]);
    DType width = list_.width();
    if (width == DType::F32)
      return Number::ofReal(width, double(list_.floats()[i]));
    if (width == DType::F64)
      return Number::ofReal(width, list_.doubles()[i]);
    return Number::ofInteger(width, list_.ints()[i]);
  }

private:
  Attribute list_;
  std::optional<Numbers> tensor_;
  size_t size_ = 0;
  bool valid_ = false;
};

bool isText(Attribute a) { return a.kind() == AttrKind::String || a.kind() == AttrKind::Bytes; }

const Param *attributeParam(const Node *node, std::string_view name) {
  const OperatorName &op = *node->op();
  // Defaults have changed between operator sets: Softmax's axis.
  uint32_t opset = opsetOf(node->graph(), op.domain());
  OpDefRef def = Registry::global().find(op.domain(), op.type(), op.overload(),
                                         opset ? opset : Registry::kNewest);
  std::optional<uint32_t> param = def ? def->findParam(name) : std::nullopt;
  // The registry keeps the record while its library is open.
  return param ? &def->params[*param] : nullptr;
}

/// Compares by value: kinds tell whether a builder, a text or a file wrote an attribute, which does
/// not matter.
class Equality {
public:
  /// A null node is treated as if it declared a float.
  Equality(const PatternAttribute &pattern, const Node *node)
      : node_(node), name_(pattern.name), tolerance_(pattern.tolerance) {}

  bool operator()(Attribute wanted, Attribute found) {
    if (attrEquals(wanted, found))
      return true;
    AttrKind kind = wanted.kind();
    if (kind == found.kind()) {
      if (isLeaf(kind))
        return false;
      if (wanted.isInline() && found.isInline()) {
        if (kind == AttrKind::Float)
          return isNear(double(wanted.f32Value()), double(found.f32Value()), tolerance_);
        if (tolerance_ == 0)
          return false;
      }
      if (kind == AttrKind::Dict)
        return dictionaries(wanted, found);
    }
    if (Number mine = numberOf(wanted)) {
      Number its = numberOf(found);
      return its && numbers(mine, its);
    }
    if (isText(wanted) || isText(found)) // text that is stored as bytes
      return isText(wanted) && isText(found) && wanted.stringValue() == found.stringValue();
    Elements mine(wanted), its(found);
    if (!mine.valid() || !its.valid() || mine.size() != its.size())
      return false;
    for (size_t i = 0; i != mine.size(); ++i) {
      Attribute a = mine.attribute(i), b = its.attribute(i);
      if (a && b ? !(*this)(a, b) : !numbers(mine.number(i), its.number(i)))
        return false;
    }
    return true;
  }

  /// A default.
  bool operator()(Attribute wanted, const Constant &found) {
    if (Number its = numberOf(found)) {
      Number mine = numberOf(wanted);
      return mine && numbers(mine, its);
    }
    if (found.kind == Constant::Kind::Str || found.kind == Constant::Kind::Ident)
      return isText(wanted) && wanted.stringValue() == found.text;
    if (found.kind != Constant::Kind::List)
      return false;
    Elements mine(wanted);
    if (!mine.valid() || mine.size() != found.items.size())
      return false;
    for (size_t i = 0; i != mine.size(); ++i) {
      Attribute a = mine.attribute(i);
      const Constant &b = found.items[i];
      if (a ? !(*this)(a, b) : !numbers(mine.number(i), numberOf(b)))
        return false;
    }
    return true;
  }

private:
  /// Two attributes of this kind are compared by attrEquals. Tensors are constants: their type
  /// counts.
  static bool isLeaf(AttrKind kind) {
    return kind == AttrKind::String || kind == AttrKind::Bool || kind == AttrKind::DType ||
           kind == AttrKind::Type || kind == AttrKind::Graph || kind == AttrKind::Tensor;
  }

  bool numbers(const Number &wanted, const Number &found) {
    if (!wanted || !found)
      return false;
    bool isReal = wanted.kind == Number::Kind::Float;
    if (isReal != (found.kind == Number::Kind::Float)) {
      bool isFlag = wanted.kind == Number::Kind::Bool || found.kind == Number::Kind::Bool;
      if (isFlag || !(tolerance_ > 0 ? isNear(wanted.value(), found.value(), tolerance_)
                                     : wanted.value() == found.value()))
        return false;
      return tolerance_ > 0 || !node_ || isDeclaredReal();
    }
    if (isReal)
      return isNear(wanted.real, found.real, tolerance_) ||
             (wanted.width != found.width &&
              (isRounded(wanted, found) || isRounded(found, wanted)));
    if (wanted.integer == found.integer && wanted.isBeyondI64() == found.isBeyondI64())
      return true;
    return tolerance_ > 0 && isNear(wanted.value(), found.value(), tolerance_);
  }

  bool dictionaries(Attribute wanted, Attribute found) {
    if (wanted.size() != found.size())
      return false;
    for (size_t i = 0; i != wanted.size(); ++i) {
      auto keys = found.keys();
      auto at = std::ranges::find_if(
          keys, [&](const Identifier *key) { return key->str() == wanted.keys()[i]->str(); });
      if (at == keys.end() ||
          !(*this)(wanted.elements()[i], found.elements()[size_t(at - keys.begin())]))
        return false;
    }
    return true;
  }

  /// Returns whether the operator declares a float, or a list of floats.
  bool isDeclaredReal() const {
    const Param *param = attributeParam(node_, name_->str());
    if (!param)
      return false;
    const SchemaType *type = param->type->required();
    if (type->isList())
      type = type->element()->required();
    return type->is(SchemaAtom::Float) || type->is(SchemaAtom::SymFloat);
  }

  const Node *node_;
  const Identifier *name_;
  double tolerance_;
};

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
  // Two splats are compared by one element.
  int64_t count = wanted.isSplat() && tensor.isSplat() ? std::min<int64_t>(tensor.numElements(), 1)
                                                       : tensor.numElements();
  for (int64_t i = 0; i < count; ++i)
    if (!isEqual(mine, its, i, pattern.tolerance))
      return false;
  return true;
}

const Constant *defaultAttribute(const Node *node, std::string_view name) {
  const Param *param = attributeParam(node, name);
  if (!param || !param->defaultValue)
    return nullptr;
  const Constant &value = param->defaultValue->value;
  return value.kind == Constant::Kind::None ? nullptr : &value;
}

AttrRef defaultValue(Context &context, const Constant &constant) {
  using Kind = Constant::Kind;
  switch (constant.kind) {
  case Kind::Bool:
    return AttrRef(Attribute::boolean(constant.integer != 0));
  case Kind::Int:
    return context.intAttr(constant.integer);
  case Kind::Float:
    return context.floatAttr(constant.real);
  case Kind::Str:
  case Kind::Ident:
    return context.stringAttr(constant.text);
  case Kind::List: {
    auto isAll = [&](Kind kind) {
      return !constant.items.empty() &&
             std::ranges::all_of(constant.items, [&](const Constant &i) { return i.kind == kind; });
    };
    if (isAll(Kind::Int)) {
      std::vector<int64_t> numbers;
      for (const Constant &item : constant.items)
        numbers.push_back(item.integer);
      return context.intArray(numbers);
    }
    if (isAll(Kind::Float)) {
      std::vector<float> numbers;
      for (const Constant &item : constant.items)
        numbers.push_back(float(item.real));
      return context.floatArray(numbers);
    }
    std::vector<AttrRef> owned;
    std::vector<Attribute> items;
    for (const Constant &item : constant.items)
      if (items.push_back(*owned.emplace_back(defaultValue(context, item))); !items.back())
        return {};
    return context.listAttr(items);
  }
  case Kind::None:
  case Kind::Complex:
    break;
  }
  return {};
}

bool sameAttribute(const PatternAttribute &pattern, const Node *node, Attribute a, Attribute b) {
  return Equality(pattern, node)(a, b);
}

bool attributeMatches(const PatternAttribute &pattern, const Node *node, Attribute value,
                      const Constant *absent) {
  if (pattern.absent)
    return !value;
  if (!value && !absent)
    return false;
  Equality isEqual(pattern, node);
  auto fits = [&](const AttrRef &wanted) {
    return value ? isEqual(*wanted, value) : isEqual(*wanted, *absent);
  };
  if (pattern.value && !fits(pattern.value))
    return false;
  if (!pattern.oneOf.empty() && std::ranges::none_of(pattern.oneOf, fits))
    return false;
  if (!pattern.hasMin && !pattern.hasMax)
    return true;
  Number number = value ? numberOf(value) : numberOf(*absent);
  return number && number.kind != Number::Kind::Bool &&
         (!pattern.hasMin || number.value() >= pattern.min) &&
         (!pattern.hasMax || number.value() <= pattern.max);
}

std::string mismatchNote(const PatternAttribute &pattern, Attribute value) {
  auto isMixed = [&](const AttrRef &wanted) { return Equality(pattern, nullptr)(*wanted, value); };
  if (!value || pattern.tolerance > 0 ||
      !((pattern.value && isMixed(pattern.value)) || std::ranges::any_of(pattern.oneOf, isMixed)))
    return {};
  return " (an integer equals a float only where the operator declares a float)";
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
