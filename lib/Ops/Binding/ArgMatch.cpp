//===- ArgMatch.cpp - conversions: what is taken for what -------------------------------------===//
#include "ArgMatch.h"
#include "../Schema/SchemaWords.h"

#include "ge/Ops/Schema/RangeText.h"
#include "ge/Ops/Schema/Schema.h"
#include "ge/Support/StringUtil.h"
#include <cmath>

namespace ge {

using Match = std::optional<Conversion>;

namespace {

bool isSequence(ArgKind kind) { return kind == ArgKind::List || kind == ArgKind::Tuple; }
bool isNumber(ArgKind kind) {
  return kind == ArgKind::Bool || kind == ArgKind::Int || kind == ArgKind::Float ||
         kind == ArgKind::Complex;
}
/// The type that a number has before any conversion.
ArgKind kindOf(SchemaAtom atom) {
  bool isInt = atom == SchemaAtom::Int || atom == SchemaAtom::SymInt;
  bool isFloat = atom == SchemaAtom::Float || atom == SchemaAtom::SymFloat;
  return isInt ? ArgKind::Int : isFloat ? ArgKind::Float : ArgKind::Complex;
}
Match exactIf(bool fits) { return fits ? Match(Conversion::Exact) : std::nullopt; }

} // namespace

//===-----------------------------------------------------------------------------------------===//
// Types
//===-----------------------------------------------------------------------------------------===//

Match ArgMatcher::matchType(const SchemaType *type, Arg arg) const {
  switch (type->kind()) {
  case SchemaTypeKind::Atom:
    return matchAtom(type->atom(), type, arg);
  case SchemaTypeKind::Optional:
    if (view_.kind(arg) == ArgKind::None)
      return Conversion::Absent;
    return matchType(type->element(), arg);
  case SchemaTypeKind::List:
    return matchList(type, arg, view_.kind(arg));
  case SchemaTypeKind::Tuple:
    return matchTuple(type, arg, view_.kind(arg));
  case SchemaTypeKind::Dict:
    return matchDict(type, arg, view_.kind(arg));
  case SchemaTypeKind::Union:
    return matchUnion(type, arg);
  case SchemaTypeKind::Variable:
    return Conversion::Exact;
  case SchemaTypeKind::Future:
  case SchemaTypeKind::Await:
  case SchemaTypeKind::RRef:
  case SchemaTypeKind::Class:
    break;
  }
  return exactIf(view_.kind(arg) == ArgKind::Object && view_.isInstance(arg, *type));
}

Match ArgMatcher::matchNumber(SchemaAtom atom, Arg arg, ArgKind kind) const {
  if (kind == ArgKind::Bool && options_.strict && atom != SchemaAtom::Scalar)
    return std::nullopt;
  if (options_.exact && atom != SchemaAtom::Scalar && kind != kindOf(atom))
    return std::nullopt;
  int64_t value = 0;
  bool isLong = kind == ArgKind::Int && !view_.intValue(arg, value);
  switch (atom) {
  case SchemaAtom::Scalar:
    return exactIf(!isLong);
  case SchemaAtom::Int:
  case SchemaAtom::SymInt:
    if (kind == ArgKind::Bool)
      return Conversion::BoolToInt;
    return exactIf(kind == ArgKind::Int && !isLong);
  case SchemaAtom::Float:
  case SchemaAtom::SymFloat:
    if (kind == ArgKind::Float)
      return Conversion::Exact;
    if (kind == ArgKind::Complex || (isLong && !std::isfinite(view_.floatValue(arg))))
      return std::nullopt;
    return Conversion::ToFloat;
  default: // Complex
    if (isLong && !std::isfinite(view_.floatValue(arg)))
      return std::nullopt;
    return kind == ArgKind::Complex ? Conversion::Exact : Conversion::ToComplex;
  }
}

Match ArgMatcher::matchAtom(SchemaAtom atom, const SchemaType *type, Arg arg) const {
  ArgKind kind = view_.kind(arg);
  switch (atom) {
  case SchemaAtom::Tensor:
    // A number of NumPy in a list may be either.
    if (kind == ArgKind::Value || (isNumber(kind) && view_.isInstance(arg, *type)))
      return Conversion::Exact;
    return options_.constants && !options_.exact && isConstant(arg, 1)
               ? Match(Conversion::ToConstant)
               : std::nullopt;
  case SchemaAtom::Int:
  case SchemaAtom::SymInt:
  case SchemaAtom::Float:
  case SchemaAtom::SymFloat:
  case SchemaAtom::Complex:
  case SchemaAtom::Scalar:
    return isNumber(kind) ? matchNumber(atom, arg, kind) : std::nullopt;
  case SchemaAtom::Bool:
  case SchemaAtom::SymBool:
    return exactIf(kind == ArgKind::Bool);
  case SchemaAtom::Str:
  case SchemaAtom::Dimname:
    return exactIf(kind == ArgKind::Str);
  case SchemaAtom::Bytes:
    return exactIf(kind == ArgKind::Bytes || kind == ArgKind::Str);
  case SchemaAtom::ScalarType:
    if (kind == ArgKind::DType)
      return Conversion::Exact;
    if (!options_.exact && kind == ArgKind::Str && schema::dtypeOfWord(view_.strValue(arg)))
      return Conversion::NameToDType;
    return std::nullopt;
  case SchemaAtom::Layout:
  case SchemaAtom::MemoryFormat:
  case SchemaAtom::QScheme:
    return exactIf(isWord(atom, arg, kind) ||
                   (kind == ArgKind::Object && view_.isInstance(arg, *type)));
  case SchemaAtom::Device:
    return exactIf(kind == ArgKind::Str ||
                   (kind == ArgKind::Object && view_.isInstance(arg, *type)));
  case SchemaAtom::Any:
  case SchemaAtom::PyObject:
    return Conversion::Exact;
  case SchemaAtom::None:
    return exactIf(kind == ArgKind::None);
  case SchemaAtom::AnyList:
    return exactIf(isSequence(kind));
  case SchemaAtom::AnyTuple:
    return exactIf(kind == ArgKind::Tuple);
  case SchemaAtom::Graph:
    return exactIf(kind == ArgKind::Graph);
  case SchemaAtom::TensorLiteral:
    // In a call an array is a Value, which may be an operand or a literal.
    if (kind == ArgKind::Array || (kind == ArgKind::Value && view_.isInstance(arg, *type)))
      return Conversion::Exact;
    return !options_.exact && isConstant(arg, 1) ? Match(Conversion::ToConstant) : std::nullopt;
  case SchemaAtom::SparseLiteral:
    return exactIf(kind == ArgKind::Dict);
  case SchemaAtom::ValueType:
  default:
    break;
  }
  return exactIf(kind == ArgKind::Object && view_.isInstance(arg, *type));
}

/// Numbers, arrays, strings, and lists of them.
bool ArgMatcher::isConstant(Arg arg, uint32_t depth) const {
  ArgKind kind = view_.kind(arg);
  if (isNumber(kind) || kind == ArgKind::Array)
    return true;
  if (depth > 1 && kind == ArgKind::Str)
    return true;
  // A list may contain itself.
  if (!isSequence(kind) || depth > SchemaType::kMaxDepth)
    return false;
  size_t size = view_.size(arg);
  for (size_t i = 0; i < size; ++i)
    if (!isConstant(view_.item(arg, i), depth + 1))
      return false;
  return true;
}

bool ArgMatcher::isWord(SchemaAtom atom, Arg arg, ArgKind kind) const {
  return kind == ArgKind::Str && schema::numberOfWord(view_.strValue(arg), atom).has_value();
}

/// Builders accept other lengths, as PyTorch does; a kernel reads N elements of a `T[N]`. `T[1]`
/// accepts lists of any length: it only means that a single T is accepted, too.
bool ArgMatcher::isWrongLength(const SchemaType *type, size_t size) const {
  return (options_.strict || !options_.constants) && type->listSize() > 1 &&
         size != type->listSize();
}

Match ArgMatcher::matchList(const SchemaType *type, Arg arg, ArgKind kind) const {
  if (!isSequence(kind)) {
    if (!type->listSize() || options_.strict || options_.exact || !matchType(type->element(), arg))
      return std::nullopt;
    return Conversion::Repeat;
  }
  size_t size = view_.size(arg);
  if (isWrongLength(type, size))
    return std::nullopt;
  for (size_t i = 0; i < size; ++i)
    if (!matchType(type->element(), view_.item(arg, i)))
      return std::nullopt;
  return Conversion::Exact;
}

Match ArgMatcher::matchTuple(const SchemaType *type, Arg arg, ArgKind kind) const {
  if (!isSequence(kind) || view_.size(arg) != type->elements().size())
    return std::nullopt;
  for (size_t i = 0; i < type->elements().size(); ++i)
    if (!matchType(type->elements()[i], view_.item(arg, i)))
      return std::nullopt;
  return Conversion::Exact;
}

Match ArgMatcher::matchDict(const SchemaType *type, Arg arg, ArgKind kind) const {
  if (kind != ArgKind::Dict)
    return std::nullopt;
  size_t size = view_.size(arg);
  for (size_t i = 0; i < size; ++i)
    if (!matchType(type->elements()[i % 2], view_.item(arg, i)))
      return std::nullopt;
  return Conversion::Exact;
}

/// A member of the union that the value has already is preferred to one that it can be converted
/// to.
Match ArgMatcher::matchUnion(const SchemaType *type, Arg arg) const {
  Match best;
  for (const SchemaType *member : type->elements())
    if (Match match = matchType(member, arg)) {
      if (*match == Conversion::Exact)
        return match;
      if (!best)
        best = match;
    }
  return best;
}

//===-----------------------------------------------------------------------------------------===//
// Parameters
//===-----------------------------------------------------------------------------------------===//

bool ArgMatcher::equals(const Constant &constant, Arg arg) const {
  int64_t integer = 0;
  switch (view_.kind(arg)) {
  case ArgKind::Bool: // also an int and a float, unless the binder is strict
    if (!view_.intValue(arg, integer))
      return false;
    if (constant.kind == Constant::Kind::Float)
      return constant.real == double(integer);
    return (constant.kind == Constant::Kind::Bool || constant.kind == Constant::Kind::Int) &&
           constant.integer == integer;
  case ArgKind::List:
  case ArgKind::Tuple:
    if (constant.kind != Constant::Kind::List || constant.items.size() != view_.size(arg))
      return false;
    for (size_t i = 0; i < constant.items.size(); ++i)
      if (!equals(constant.items[i], view_.item(arg, i)))
        return false;
    return true;
  case ArgKind::Str:
    return (constant.kind == Constant::Kind::Str || constant.kind == Constant::Kind::Ident) &&
           constant.text == view_.strValue(arg);
  case ArgKind::Int:
    if (!view_.intValue(arg, integer))
      return false;
    return constant.kind == Constant::Kind::Float
               ? constant.real == double(integer)
               : constant.kind == Constant::Kind::Int && constant.integer == integer;
  case ArgKind::Float:
    return constant.kind == Constant::Kind::Float && constant.real == view_.floatValue(arg);
  default:
    return true; // values that cannot be compared here are accepted
  }
}

bool ArgMatcher::isTooShort(const Param &param, Arg arg) const {
  return param.minCount && param.isVariadic() && isSequence(view_.kind(arg)) &&
         view_.size(arg) < param.minCount;
}

bool ArgMatcher::isChosen(const Param &param, Arg arg) const {
  if (param.choices.empty())
    return true;
  for (const Constant &choice : param.choices)
    if (equals(choice, arg))
      return true;
  return false;
}

bool ArgMatcher::isInRange(const Param &param, Arg arg) const {
  return !param.range || isInside(*param.range, arg, 0);
}

/// Also checks elements of lists. Values that are not numbers are accepted.
bool ArgMatcher::isInside(const Range &range, Arg arg, uint32_t depth) const {
  int64_t integer = 0;
  ArgKind kind = view_.kind(arg);
  if (kind == ArgKind::Int && view_.intValue(arg, integer))
    return ge::isInside(double(integer), range);
  if (kind == ArgKind::Float)
    return ge::isInside(view_.floatValue(arg), range);
  if (!isSequence(kind) || depth > SchemaType::kMaxDepth)
    return true;
  for (size_t i = 0, size = view_.size(arg); i < size; ++i)
    if (!isInside(range, view_.item(arg, i), depth + 1))
      return false;
  return true;
}

Match ArgMatcher::match(const Param &param, Arg arg) const {
  Match match = matchType(param.type, arg);
  if (!match || *match == Conversion::Absent)
    return match;
  if (isTooShort(param, arg))
    return std::nullopt;
  if (!isChosen(param, arg) || !isInRange(param, arg))
    return std::nullopt;
  return match;
}

//===-----------------------------------------------------------------------------------------===//
// Words
//===-----------------------------------------------------------------------------------------===//

std::string ArgMatcher::whyType(const SchemaType *type, Arg arg) const {
  std::string reason = cat("expects ", type->str(), ", got ", view_.describe(arg));
  const SchemaType *target = type->required();
  ArgKind kind = view_.kind(arg);
  bool isTuple = target->kind() == SchemaTypeKind::Tuple;
  if ((target->isList() || isTuple) && isSequence(kind)) {
    size_t size = view_.size(arg);
    if (isTuple ? size != target->elements().size() : isWrongLength(target, size))
      return reason;
    for (size_t i = 0; i < size; ++i)
      if (Arg item = view_.item(arg, i); !matchType(target->elements()[isTuple ? i : 0], item))
        return cat(reason, " whose element ", i, " is ", view_.describe(item));
  }
  int64_t value = 0;
  if (kind == ArgKind::Int && !view_.intValue(arg, value) && target->kind() == SchemaTypeKind::Atom)
    reason += target->is(SchemaAtom::Int) || target->is(SchemaAtom::SymInt) ||
                      target->is(SchemaAtom::Scalar)
                  ? ", which does not fit 64 bits"
                  : ", which no float can hold";
  if (kind == ArgKind::Str && target->kind() == SchemaTypeKind::Atom)
    if (std::string words = schema::wordsOf(target->atom());
        !words.empty() && !target->is(SchemaAtom::Int))
      reason += cat(" (its words are ", words, ")");
  return reason;
}

std::string ArgMatcher::why(const Param &param, Arg arg) const {
  if (!matchType(param.type, arg))
    return whyType(param.type, arg);
  if (isTooShort(param, arg))
    return cat("expects ", param.minCount, " of ", param.type->required()->element()->str(),
               " at least, got ", view_.describe(arg));
  if (!isChosen(param, arg)) {
    std::string choices;
    for (const Constant &choice : param.choices) {
      choices.append(choices.empty() ? "" : ", ");
      if (choice.kind == Constant::Kind::Str)
        choices.append(1, '\'').append(choice.text).append(1, '\'');
      else
        printConstant(choice, choices);
    }
    return cat("expects one of ", choices, ", got ", view_.describe(arg));
  }
  return cat("expects ", param.type->str(), ' ', rangeText(param), ", got ", view_.describe(arg));
}

} // namespace ge
