//===- OpsRecords.cpp - ge-c/Ops.h: schema types, constants, aliases, records -----------------===//

#include "Ops.h"

using namespace ge;
using namespace ge::capi;

// --- Types

static_assert(int(SchemaTypeKind::Variable) == GE_SCHEMA_VARIABLE);
static_assert(int(Constant::Kind::Ident) == GE_CONSTANT_IDENT);
static_assert(int(SchemaStyle::Torch) == GE_SCHEMA_TORCH);
static_assert(int(OpTrait::Function) == GE_TRAIT_FUNCTION);

GeStatus geSchemaTypeParse(GeStringRef source, GeSchemaType *out) {
  return guarded(
      [&] { result(out) = wrap(parseSchemaType(text(source, "text"), sourceOf({}, 0))); });
}
GeSchemaTypeKind geSchemaTypeGetKind(GeSchemaType type) {
  return type ? static_cast<GeSchemaTypeKind>(unwrap(type)->kind()) : GE_SCHEMA_ATOM;
}
GeStringRef geSchemaTypeStr(GeSchemaType type) {
  return stringRef(type ? unwrap(type)->str() : std::string_view());
}
GeStringRef geSchemaTypeGetName(GeSchemaType type) {
  if (!type)
    return {nullptr, 0};
  const SchemaType *t = unwrap(type);
  return stringRef(t->kind() == SchemaTypeKind::Atom ? t->str() : t->name());
}
uint32_t geSchemaTypeGetSize(GeSchemaType type) { return type ? unwrap(type)->listSize() : 0; }
size_t geSchemaTypeNumElements(GeSchemaType type) {
  return type ? unwrap(type)->elements().size() : 0;
}
GeSchemaType geSchemaTypeGetElement(GeSchemaType type, size_t index) {
  return index < geSchemaTypeNumElements(type) ? wrap(unwrap(type)->elements()[index]) : nullptr;
}
bool geSchemaTypeContainsTensor(GeSchemaType type) {
  return type && unwrap(type)->containsTensor();
}

// --- Constants

GeStatus geConstantGet(GeConstant constant, GeConstantValue *out) {
  return guarded([&] {
    const Constant *c = need(constant, "constant");
    GeConstantValue value{};
    value.kind = static_cast<GeConstantKind>(c->kind);
    value.integer = c->integer;
    value.real = c->real;
    value.imaginary = c->imaginary;
    value.text = stringRef(c->text);
    value.numItems = c->items.size();
    giveSized(value, out, "GeConstantValue");
  });
}
GeStatus geConstantGetItem(GeConstant constant, size_t index, GeConstant *out) {
  return guarded([&] {
    GeConstant &item = result(out);
    const Constant *c = need(constant, "constant");
    item = wrap(&c->items[needIndex("item", index, c->items.size())]);
  });
}
GeStatus geConstantGetDType(GeConstant constant, GeDType *out) {
  return guarded([&] {
    GeDType &found = result(out);
    const Constant *c = need(constant, "constant");
    std::optional<DType> dtype = constantDType(*c);
    if (!dtype) {
      std::string value;
      printConstant(*c, value);
      throwError(ErrorKind::Value, "the constant ", value, " is not an element type");
    }
    found = uint8_t(*dtype);
  });
}
void geConstantPrint(GeConstant constant, GeStringCallback callback, void *userData) {
  static_cast<void>(guarded([&] {
    std::string out;
    printConstant(*need(constant, "constant"), out);
    give(out, callback, userData);
  }));
}

// --- Aliases

size_t geAliasNumBefore(GeAlias alias) { return alias ? unwrap(alias)->before.size() : 0; }
GeStringRef geAliasGetBefore(GeAlias alias, size_t index) {
  return index < geAliasNumBefore(alias) ? stringRef(unwrap(alias)->before[index])
                                         : GeStringRef{nullptr, 0};
}
size_t geAliasNumAfter(GeAlias alias) { return alias ? unwrap(alias)->after.size() : 0; }
GeStringRef geAliasGetAfter(GeAlias alias, size_t index) {
  return index < geAliasNumAfter(alias) ? stringRef(unwrap(alias)->after[index])
                                        : GeStringRef{nullptr, 0};
}
bool geAliasIsWrite(GeAlias alias) { return alias && unwrap(alias)->isWrite; }
size_t geAliasNumContained(GeAlias alias) { return alias ? unwrap(alias)->contained.size() : 0; }
GeAlias geAliasGetContained(GeAlias alias, size_t index) {
  return index < geAliasNumContained(alias) ? wrap(&unwrap(alias)->contained[index]) : nullptr;
}

// --- Records

namespace {

GeSlotInfo viewSlot(const Slot &slot) {
  GeSlotInfo info{};
  info.name = stringRef(slot.name);
  info.type = wrap(slot.type);
  info.alias = wrap(slot.alias.get());
  info.doc = stringRef(slot.doc);
  info.hidden = slot.hidden;
  info.isTensor = slot.isTensor();
  info.isVariadic = slot.isVariadic();
  info.homogeneous = slot.homogeneous;
  info.minCount = slot.minCount;
  info.length = slot.size();
  info.typeVar = slot.typeVar;
  return info;
}

const Param &paramOf(GeOpDef op, size_t index) {
  const OpDef *def = need(op, "op");
  return def->params[needIndex("parameter", index, def->params.size())];
}

const TypeVar &typeVarOf(GeOpDef op, size_t index) {
  const OpDef *def = need(op, "op");
  return def->typeVars[needIndex("type variable", index, def->typeVars.size())];
}

int64_t indexOr(std::optional<uint32_t> index) { return index ? int64_t(*index) : -1; }

SchemaStyle styleOf(GeSchemaStyle style) {
  int number = numberOf(style);
  if (number < GE_SCHEMA_CANONICAL || number > GE_SCHEMA_TORCH)
    throwError(ErrorKind::Value, "there is no style ", number);
  return SchemaStyle(number);
}

} // namespace

GeStringRef geOpTraitName(GeOpTrait trait) {
  const char *name = opTraitName(OpTrait(trait));
  return stringRef(name ? name : "");
}
void geOpDefRetain(GeOpDef op) {
  if (op)
    unwrap(op)->retain();
}
void geOpDefRelease(GeOpDef op) {
  if (op)
    unwrap(op)->release();
}

GeStatus geOpDefGetInfo(GeOpDef op, GeOpInfo *out) {
  return guarded([&] {
    const OpDef *def = need(op, "op");
    GeOpInfo info{};
    info.ns = stringRef(def->ns);
    info.name = stringRef(def->name);
    info.overload = stringRef(def->overload);
    info.since = def->since;
    info.doc = stringRef(def->doc);
    info.sourceFile = stringRef(def->source.file);
    info.sourceLine = def->source.line;
    info.traits = def->traits;
    info.vararg = def->vararg;
    info.varret = def->varret;
    info.deprecated = def->deprecated;
    info.deprecation = stringRef(def->deprecation);
    info.numParams = def->params.size();
    info.numResults = def->results.size();
    info.numTypeVars = def->typeVars.size();
    info.numOperands = def->operands().size();
    info.numPositional = def->numPositional();
    info.hasOperandChoice = def->hasOperandChoice();
    info.hasResultChoice = def->hasResultChoice();
    giveSized(info, out, "GeOpInfo");
  });
}

GeStatus geOpDefGetParam(GeOpDef op, size_t index, GeSlotInfo *slot, GeParamInfo *out) {
  return guarded([&] {
    const Param &param = paramOf(op, index);
    if (out)
      needSized(out, "GeParamInfo");
    if (slot)
      giveSized(viewSlot(param), slot, "GeSlotInfo");
    if (!out)
      return;
    GeParamInfo info{};
    info.kwOnly = param.kwOnly;
    info.defaultValue = param.defaultValue ? wrap(&param.defaultValue->value) : nullptr;
    info.defaultText =
        stringRef(param.defaultValue ? std::string_view(param.defaultValue->text) : "");
    info.numChoices = param.choices.size();
    info.hasRange = param.range.has_value();
    info.low = param.range ? param.range->low : 0;
    info.high = param.range ? param.range->high : 0;
    info.isLowOpen = param.range && param.range->isLowOpen;
    info.isHighOpen = param.range && param.range->isHighOpen;
    writeSized(info, out);
  });
}

GeStatus geOpDefGetChoice(GeOpDef op, size_t param, size_t index, GeConstant *out) {
  return guarded([&] {
    GeConstant &choice = result(out);
    const std::vector<Constant> &choices = paramOf(op, param).choices;
    choice = wrap(&choices[needIndex("choice", index, choices.size())]);
  });
}

GeStatus geOpDefGetResult(GeOpDef op, size_t index, GeSlotInfo *out) {
  return guarded([&] {
    const OpDef *def = need(op, "op");
    giveSized(viewSlot(def->results[needIndex("result", index, def->results.size())]), out,
              "GeSlotInfo");
  });
}

GeStatus geOpDefGetTypeVar(GeOpDef op, size_t index, GeStringRef *name, GeStringRef *doc,
                           size_t *numAllowed) {
  return guarded([&] {
    GeStringRef &outName = result(name, "name");
    GeStringRef &outDoc = result(doc, "doc");
    size_t &count = result(numAllowed, "numAllowed");
    const TypeVar &variable = typeVarOf(op, index);
    outName = stringRef(variable.name);
    outDoc = stringRef(variable.doc);
    count = variable.allowed.size();
  });
}

GeStatus geOpDefGetAllowedType(GeOpDef op, size_t typeVar, size_t index, GeStringRef *out) {
  return guarded([&] {
    GeStringRef &allowed = result(out);
    const TypeVar &variable = typeVarOf(op, typeVar);
    allowed = stringRef(variable.allowed[needIndex("type", index, variable.allowed.size())]);
  });
}

GeStatus geOpDefGetOperand(GeOpDef op, size_t index, size_t *param) {
  return guarded([&] {
    size_t &out = result(param, "param");
    std::span<const uint32_t> operands = need(op, "op")->operands();
    out = operands[needIndex("operand", index, operands.size())];
  });
}
GeStatus geOpDefGetAttribute(GeOpDef op, size_t index, size_t *param) {
  return guarded([&] {
    size_t &out = result(param, "param");
    std::span<const uint32_t> attributes = need(op, "op")->attributes();
    out = attributes[needIndex("attribute", index, attributes.size())];
  });
}

int64_t geOpDefFindParam(GeOpDef op, GeStringRef name) {
  return guardedOr(int64_t(-1),
                   [&] { return indexOr(need(op, "op")->findParam(text(name, "name"))); });
}
int64_t geOpDefFindResult(GeOpDef op, GeStringRef name) {
  return guardedOr(int64_t(-1),
                   [&] { return indexOr(need(op, "op")->findResult(text(name, "name"))); });
}

void *geOpDefGetSlot(GeOpDef op) {
  return op ? unwrap(op)->slot().load(std::memory_order_acquire) : nullptr;
}
void geOpDefSetSlot(GeOpDef op, void *slot) {
  if (op)
    unwrap(op)->slot().store(slot, std::memory_order_release);
}
void geOpDefSetSlotDestructor(void (*destroy)(void *slot)) { OpDef::setSlotDestructor(destroy); }

// --- The schema language

GeStatus geOpDefParse(GeStringRef source, GeStringRef file, uint32_t line, GeOpDef *out) {
  return guarded([&] {
    GeOpDef &parsed = result(out);
    parsed = give(OpDef::create(parseSchema(text(source, "text"), sourceOf(file, line))));
  });
}

GeStatus geOpDefParseOrName(GeStringRef source, GeStringRef file, uint32_t line, GeOpDef *out,
                            GeStringRef *ns, GeStringRef *name, GeStringRef *overload) {
  return guarded([&] {
    GeOpDef &parsed = result(out);
    GeStringRef &outNs = result(ns, "ns");
    GeStringRef &outName = result(name, "name");
    GeStringRef &outOverload = result(overload, "overload");
    auto either = parseSchemaOrName(text(source, "text"), sourceOf(file, line));
    OpNameParts parts;
    OpDefRef def;
    if (OpSpec *spec = std::get_if<OpSpec>(&either)) {
      parts = {spec->ns, spec->name, spec->overload};
      def = OpDef::create(std::move(*spec));
    } else {
      parts = std::get<OpNameParts>(std::move(either));
    }
    outNs = keptString(std::move(parts.ns));
    outName = keptString(std::move(parts.name));
    outOverload = keptString(std::move(parts.overload));
    parsed = give(std::move(def));
  });
}

GeStatus geOpDefPrint(GeOpDef op, GeSchemaStyle style, GeStringCallback callback, void *userData) {
  return guarded([&] {
    std::string out;
    printSchema(*need(op, "op"), out, styleOf(style));
    give(out, callback, userData);
  });
}
GeStatus geOpDefPrintParam(GeOpDef op, size_t index, GeSchemaStyle style, GeStringCallback callback,
                           void *userData) {
  return guarded([&] {
    std::string out;
    printParam(paramOf(op, index), out, styleOf(style));
    give(out, callback, userData);
  });
}
