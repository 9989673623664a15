//===- OpsSpecs.cpp - ge-c/Ops.h: records in the making ---------------------------------------===//

#include "Ops.h"

#include "ge/Ops/Infer/VerifyOps.h"

using namespace ge;
using namespace ge::capi;

namespace {

OpSpec &specOf(GeOpSpec *spec) {
  if (!spec)
    throwNull("spec");
  return spec->spec;
}

Param &paramOf(GeOpSpec *spec, size_t index) {
  OpSpec &s = specOf(spec);
  return s.params[needIndex("parameter", index, s.params.size())];
}

std::string copied(GeStringRef s, const char *what) {
  std::string_view given = text(s, what);
  if (!isValidUtf8(given))
    throwError(ErrorKind::Value, "'", what, "' is not UTF-8");
  return std::string(given);
}

} // namespace

GeStatus geOpSpecCreate(GeStringRef schema, GeStringRef file, uint32_t line, GeOpSpec **out) {
  return guarded([&] {
    GeOpSpec *&made = result(out);
    made = new GeOpSpec{parseSchema(text(schema, "schema"), sourceOf(file, line))};
  });
}
void geOpSpecDestroy(GeOpSpec *spec) { delete spec; }

GeStatus geOpSpecSetDoc(GeOpSpec *spec, GeStringRef doc) {
  return guarded([&] { specOf(spec).doc = copied(doc, "doc"); });
}
GeStatus geOpSpecSetSince(GeOpSpec *spec, uint32_t since) {
  return guarded([&] { specOf(spec).since = since; });
}
GeStatus geOpSpecSetTraits(GeOpSpec *spec, uint32_t traits) {
  return guarded([&] {
    OpSpec &s = specOf(spec);
    if (traits >= GE_TRAIT_FUNCTION * 2)
      throwError(ErrorKind::Value, "there is no trait with a bit of ", traits);
    s.traits = traits;
  });
}
GeStatus geOpSpecSetDeprecated(GeOpSpec *spec, bool deprecated, GeStringRef instead) {
  return guarded([&] {
    OpSpec &s = specOf(spec);
    s.deprecation = copied(instead, "instead");
    s.deprecated = deprecated;
  });
}

GeStatus geOpSpecAddTypeVar(GeOpSpec *spec, GeStringRef name, const GeStringRef *allowed,
                            size_t numAllowed, GeStringRef doc, int32_t *out) {
  return guarded([&] {
    int32_t &index = result(out);
    OpSpec &s = specOf(spec);
    needArray(allowed, numAllowed, "allowed");
    TypeVar variable{copied(name, "name"), {}, copied(doc, "doc")};
    for (size_t i = 0; i < numAllowed; ++i) {
      std::string_view type = text(allowed[i], "allowed");
      if (type.find('(') != type.npos) {
        variable.allowed.emplace_back(type);
        continue;
      }
      GeDType dtype = 0;
      if (geDTypeFromName(allowed[i], &dtype) != GE_OK)
        throwError(ErrorKind::Value, text(geErrorMessage(), "message"));
      variable.allowed.push_back(tensorConstraint(DType(dtype)));
    }
    s.typeVars.push_back(std::move(variable));
    index = int32_t(s.typeVars.size() - 1);
  });
}

GeStatus geOpSpecSetSlot(GeOpSpec *spec, bool isResult, size_t index, const GeSlotExtra *extra) {
  return guarded([&] {
    OpSpec &s = specOf(spec);
    GeSlotExtra given = sized(extra, "GeSlotExtra");
    Slot &slot = isResult
                     ? static_cast<Slot &>(s.results[needIndex("result", index, s.results.size())])
                     : paramOf(spec, index);
    slot.doc = copied(given.doc, "doc");
    slot.hidden = given.hidden;
    slot.homogeneous = given.homogeneous;
    slot.minCount = given.minCount;
    slot.typeVar = given.typeVar;
  });
}

GeStatus geOpSpecSetChoices(GeOpSpec *spec, size_t param, GeStringRef choices) {
  return guarded([&] {
    Param &p = paramOf(spec, param);
    const SchemaType *list = SchemaType::list(p.type->required());
    p.choices = parseSchemaConstant(text(choices, "choices"), list, sourceOf({}, 0)).items;
  });
}
GeStatus geOpSpecSetRange(GeOpSpec *spec, size_t param, double low, double high, bool isLowOpen,
                          bool isHighOpen) {
  return guarded([&] {
    Param &p = paramOf(spec, param);
    bool isPoint = low == high && !isLowOpen && !isHighOpen;
    if (!(low < high) && !isPoint)
      throwError(ErrorKind::Value, "the range of '", p.name, "' is empty");
    p.range = Range{low, high, isLowOpen, isHighOpen};
  });
}

GeStatus geOpSpecFinish(GeOpSpec *spec, GeOpDef *out) {
  std::unique_ptr<GeOpSpec> owned(spec);
  return guarded([&] {
    GeOpDef &made = result(out);
    made = give(OpDef::create(std::move(specOf(spec))));
  });
}
