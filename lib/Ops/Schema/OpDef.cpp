//===- OpDef.cpp - checking and completing a record -------------------------------------------===//
#include "ge/Ops/Schema/OpDef.h"
#include "ge/Ops/Schema/OpSegments.h"

#include "TypeConstraints.h"

#include "ge/Ops/Schema/Effects.h"
#include "ge/Ops/Schema/RangeText.h"
#include "ge/Ops/Schema/Schema.h"
#include "ge/Support/Error.h"

#include <algorithm>
#include <unordered_set>

namespace ge {

//===-----------------------------------------------------------------------------------------===//
// Small things
//===-----------------------------------------------------------------------------------------===//

Constant Constant::boolean(bool value) {
  Constant c;
  c.kind = Kind::Bool;
  c.integer = value;
  return c;
}
Constant Constant::number(int64_t value) {
  Constant c;
  c.kind = Kind::Int;
  c.integer = value;
  return c;
}
Constant Constant::number(double value) {
  Constant c;
  c.kind = Kind::Float;
  c.real = value;
  return c;
}
Constant Constant::string(std::string_view value) {
  Constant c;
  c.kind = Kind::Str;
  c.text = value;
  return c;
}
Constant Constant::ident(std::string_view word, int64_t number) {
  Constant c;
  c.kind = Kind::Ident;
  c.integer = number;
  c.text = word;
  return c;
}
Constant Constant::list(std::vector<Constant> items) {
  Constant c;
  c.kind = Kind::List;
  c.items = std::move(items);
  return c;
}

static constexpr const char *kTraitNames[] = {"commutative",      "pure",         "elementwise",
                                              "nondeterministic", "control_flow", "experimental",
                                              "function"};

const char *opTraitName(OpTrait trait) {
  for (size_t i = 0; i < std::size(kTraitNames); ++i)
    if (uint32_t(trait) == 1u << i)
      return kTraitNames[i];
  return nullptr;
}

std::optional<OpTrait> opTraitFromName(std::string_view name) {
  for (size_t i = 0; i < std::size(kTraitNames); ++i)
    if (name == kTraitNames[i])
      return OpTrait(1u << i);
  return std::nullopt;
}

std::string SourcePlace::str() const { return line ? cat(file, ':', line) : file; }

std::string OpSpec::qualifiedName() const {
  std::string out = ns.empty() ? name : cat(ns, "::", name);
  if (!overload.empty())
    out.append(1, '.').append(overload);
  return out;
}

//===-----------------------------------------------------------------------------------------===//
// Checks
//===-----------------------------------------------------------------------------------------===//

namespace {

[[noreturn]] void fail(const OpSpec &spec, std::string_view reason) {
  Diagnostic diagnostic;
  diagnostic.file = spec.source.file;
  diagnostic.line = spec.source.line;
  diagnostic.message = cat(spec.qualifiedName(), "(): ", reason);
  throw Error(ErrorKind::OpSchema, std::vector<Diagnostic>{std::move(diagnostic)});
}

template <typename S>
void checkSlots(const OpSpec &spec, const std::vector<S> &slots, std::string_view what) {
  std::unordered_set<std::string_view> names;
  constexpr size_t kFew = 16; // up to here a linear search is cheaper than a set
  for (size_t i = 0; i < slots.size(); ++i) {
    const S &slot = slots[i];
    if (!slot.type)
      fail(spec, cat(what, ' ', i, " ('", slot.name, "') has no type"));
    if (slot.typeVar >= int32_t(spec.typeVars.size()))
      fail(spec, cat(what, " '", slot.name, "' refers to type variable ", slot.typeVar, " of ",
                     spec.typeVars.size()));
    if (slot.name.empty())
      continue;
    bool isNew = true;
    if (slots.size() > kFew)
      isNew = names.insert(slot.name).second;
    else
      for (size_t k = 0; k < i; ++k)
        isNew &= slots[k].name != slot.name;
    if (!isNew)
      fail(spec, cat("there are two ", what, "s called '", slot.name, "'"));
  }
}

void checkDefault(const OpSpec &spec, Param &param) {
  Constant &value = param.defaultValue->value;
  uint32_t size = param.size();
  bool single = value.kind != Constant::Kind::List && value.kind != Constant::Kind::None;
  if (size && single && defaultMismatch(value, param.type->required()->element()).empty())
    value = Constant::list(std::vector<Constant>(size, value));
  if (std::string reason = defaultMismatch(value, param.type); !reason.empty())
    fail(spec, cat("the default of '", param.name, "' ", reason));
}

/// The numbers in a constant, also in lists of them.
bool isInside(const Constant &value, const Range &range) {
  if (value.kind == Constant::Kind::List)
    return std::ranges::all_of(value.items,
                               [&](const Constant &item) { return isInside(item, range); });
  bool isInt = value.kind == Constant::Kind::Int;
  double number = isInt ? double(value.integer) : value.real;
  return (!isInt && value.kind != Constant::Kind::Float) || isInside(number, range);
}

void checkRange(const OpSpec &spec, const Param &param) {
  if (param.isOperand())
    fail(spec, cat("'", param.name, "' is an operand; only attributes have ranges"));
  if (!param.defaultValue || isInside(param.defaultValue->value, *param.range))
    return;
  std::string text;
  printConstant(param.defaultValue->value, text);
  fail(spec, cat("the default of '", param.name, "' is ", text, "; it must be ", rangeText(param)));
}

bool isNumber(const Constant &value) {
  return value.kind == Constant::Kind::Int || value.kind == Constant::Kind::Float;
}
double numberOf(const Constant &value) {
  return value.kind == Constant::Kind::Int ? double(value.integer) : value.real;
}

/// A list may be chosen as a whole. None is not a choice but an absent attribute.
void checkChoices(const OpSpec &spec, const Param &param) {
  for (const Constant &choice : param.choices)
    if (std::string reason = defaultMismatch(choice, param.type->required()); !reason.empty())
      fail(spec, cat("a choice of '", param.name, "' ", reason));
  if (param.choices.empty() || !param.defaultValue ||
      param.defaultValue->value.kind == Constant::Kind::None)
    return;
  const Constant &value = param.defaultValue->value;
  std::string text, choices;
  printConstant(value, text);
  for (const Constant &choice : param.choices) {
    std::string one;
    printConstant(choice, one);
    if (one == text || (isNumber(value) && isNumber(choice) && numberOf(value) == numberOf(choice)))
      return;
    choices += cat(choices.empty() ? "" : ", ", one);
  }
  fail(spec, cat("the default of '", param.name, "' is ", text, "; it must be one of ", choices));
}

void checkParams(OpSpec &spec) {
  const Param *last = nullptr;
  for (Param &param : spec.params) {
    if (param.name.empty())
      fail(spec, cat("parameter ", &param - spec.params.data(), " has no name"));
    if (param.defaultValue)
      checkDefault(spec, param);
    if (param.range)
      checkRange(spec, param);
    checkChoices(spec, param);
    if (last && last->kwOnly && !param.kwOnly)
      fail(spec, cat("'", param.name, "' comes after keyword-only '", last->name,
                     "' and is not keyword-only"));
    if (last && !param.kwOnly && last->defaultValue && !param.defaultValue)
      fail(spec, cat("'", param.name, "' needs a default: '", last->name, "' before it has one"));
    last = &param;
  }
}

/// Passes erase and merge pure operators, so an operator that writes an operand is not pure.
void checkTraits(const OpSpec &spec) {
  if (!spec.has(OpTrait::Pure))
    return;
  for (const Param &param : spec.params)
    if (param.alias && isWrite(*param.alias))
      fail(spec, cat("trait 'pure' contradicts operand '", param.name,
                     "', which the operator writes; leave out the trait, or the '!' of its alias "
                     "set"));
  for (size_t i = 0; i != spec.results.size(); ++i)
    if (spec.results[i].alias && isWrite(*spec.results[i].alias))
      fail(spec, cat("trait 'pure' contradicts result ", i,
                     ", an alias that the operator writes; leave out the trait, or the '!' of its "
                     "alias set"));
}

template <typename S>
std::optional<uint32_t> findSlot(const std::vector<S> &slots, std::string_view name) {
  for (size_t i = 0; i < slots.size(); ++i)
    if (slots[i].name == name)
      return uint32_t(i);
  return std::nullopt;
}

} // namespace

OpDefRef OpDef::create(OpSpec spec) {
  if (spec.name.empty())
    fail(spec, "an operator has a name");
  checkSlots(spec, spec.params, "parameter");
  checkSlots(spec, spec.results, "result");
  checkParams(spec);
  checkTraits(spec);

  OpDefRef ref = OpDefRef::adopt(new OpDef(std::move(spec)));
  auto &def = const_cast<OpDef &>(*ref); // not shared yet
  def.indices_.reserve(def.params.size());
  for (bool operands : {true, false}) {
    for (size_t i = 0; i < def.params.size(); ++i)
      if (def.params[i].isOperand() == operands)
        def.indices_.push_back(uint32_t(i));
    if (operands)
      def.numOperands_ = uint32_t(def.indices_.size());
  }
  for (const Param &param : def.params)
    def.numPositional_ += !param.kwOnly;
  for (const TypeVar &variable : def.typeVars)
    def.allowed_.push_back(ge::allowedDTypes(variable));
  def.hasOperandChoice_ = leavesChoice(operandSlots(def));
  def.hasResultChoice_ = leavesChoice(resultSlots(def));
  return ref;
}

namespace {
std::atomic<void (*)(void *)> slotDestructor{nullptr};
} // namespace

void OpDef::setSlotDestructor(void (*destroy)(void *)) {
  slotDestructor.store(destroy, std::memory_order_release);
}

OpDef::~OpDef() {
  if (void *slot = slot_.load(std::memory_order_acquire))
    if (auto *destroy = slotDestructor.load(std::memory_order_acquire))
      destroy(slot);
}

std::optional<uint32_t> OpDef::findParam(std::string_view name) const {
  return findSlot(params, name);
}
std::optional<uint32_t> OpDef::findResult(std::string_view name) const {
  return findSlot(results, name);
}

} // namespace ge
