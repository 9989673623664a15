//===- Attributes.cpp - compile-time constants ------------------------------------------------===//

#include "Guard.h"

using namespace ge;
using namespace ge::capi;

static_assert(int(AttrKind::Dict) == GE_ATTR_DICT);

namespace {

/// The names of GeAttrKind, for errors.
constexpr const char *kKinds[] = {"no attribute", "a bool",  "an int", "a float", "a string",
                                  "bytes",        "a dtype", "a type", "a graph", "a tensor",
                                  "an array",     "a list",  "a dict"};

const char *nameOf(AttrKind kind) { return kKinds[size_t(kind)]; }

Attribute needKind(GeAttribute attribute, AttrKind kind) {
  Attribute a = unwrap(attribute);
  if (a.kind() != kind) [[unlikely]]
    throwError(ErrorKind::Type, "the attribute is ", nameOf(a.kind()), ", not ", nameOf(kind));
  return a;
}

Attribute needArrayOf(GeAttribute attribute, bool floats, bool doubles) {
  Attribute a = needKind(attribute, AttrKind::Array);
  if ((a.width() == DType::F32) != floats || (a.width() == DType::F64) != doubles)
    throwError(ErrorKind::Type, "the attribute is an array of ", info(a.width()).name);
  return a;
}

/// Elements of a list or dict, checked one by one. GeAttribute is the core's word.
static_assert(sizeof(GeAttribute) == sizeof(Attribute));
std::span<const Attribute> elementsIn(const Context &context, const GeAttribute *elements,
                                      size_t count) {
  needArray(elements, count, "elements");
  for (size_t i = 0; i < count; ++i)
    needIn(context, elements[i], "elements");
  return {reinterpret_cast<const Attribute *>(elements), count};
}

} // namespace

GeStatus geAttributeBool(bool value, GeAttribute *out) {
  return guarded([&] { result(out) = wrap(Attribute::boolean(value)); });
}
GeStatus geAttributeInt(GeContext *context, int64_t value, GeDType width, GeAttribute *out) {
  return guarded([&] {
    GeAttribute &made = result(out);
    made = wrap(need(context).intAttr(value, needDType(width)).take());
  });
}
GeStatus geAttributeFloat(GeContext *context, double value, GeDType width, GeAttribute *out) {
  return guarded([&] {
    GeAttribute &made = result(out);
    made = wrap(need(context).floatAttr(value, needDType(width)).take());
  });
}
GeStatus geAttributeString(GeContext *context, GeStringRef value, GeAttribute *out) {
  return guarded([&] {
    GeAttribute &made = result(out);
    made = wrap(need(context).stringAttr(text(value, "value")).take());
  });
}
GeStatus geAttributeBytes(GeContext *context, GeStringRef value, GeAttribute *out) {
  return guarded([&] {
    GeAttribute &made = result(out);
    made = wrap(need(context).bytesAttr(text(value, "value")).take());
  });
}
GeStatus geAttributeDType(GeDType value, GeAttribute *out) {
  return guarded([&] { result(out) = wrap(Attribute::dtype(needDType(value))); });
}
GeStatus geAttributeType(GeType value, GeAttribute *out) {
  return guarded([&] { result(out) = wrap(Attribute::type(need(value, "value"))); });
}
GeStatus geAttributeGraph(GeContext *context, GeStringRef name, GeAttribute *out) {
  return guarded([&] {
    GeAttribute &made = result(out);
    made = wrap(need(context).graphAttr(text(name, "name")).take());
  });
}
GeStatus geAttributeTensor(GeTensor *value, GeAttribute *out) {
  return guarded([&] {
    GeAttribute &made = result(out);
    const Tensor *tensor = need(value, "value");
    made = wrap(tensor->type()->context().tensorAttr(TensorPtr(tensor)).take());
  });
}
GeStatus geAttributeIntArray(GeContext *context, const int64_t *values, size_t count, GeDType width,
                             GeAttribute *out) {
  return guarded([&] {
    GeAttribute &made = result(out);
    needArray(values, count, "values");
    made = wrap(need(context).intArray({values, count}, needDType(width)).take());
  });
}
GeStatus geAttributeFloatArray(GeContext *context, const float *values, size_t count,
                               GeAttribute *out) {
  return guarded([&] {
    GeAttribute &made = result(out);
    needArray(values, count, "values");
    made = wrap(need(context).floatArray({values, count}).take());
  });
}
GeStatus geAttributeDoubleArray(GeContext *context, const double *values, size_t count,
                                GeAttribute *out) {
  return guarded([&] {
    GeAttribute &made = result(out);
    needArray(values, count, "values");
    made = wrap(need(context).doubleArray({values, count}).take());
  });
}
GeStatus geAttributeList(GeContext *context, const GeAttribute *elements, size_t count,
                         GeAttribute *out) {
  return guarded([&] {
    GeAttribute &made = result(out);
    Context &c = need(context);
    made = wrap(c.listAttr(elementsIn(c, elements, count)).take());
  });
}
GeStatus geAttributeDict(GeContext *context, const GeIdentifier *keys, const GeAttribute *values,
                         size_t count, GeAttribute *out) {
  return guarded([&] {
    GeAttribute &made = result(out);
    Context &c = need(context);
    needArray(keys, count, "keys");
    for (size_t i = 0; i < count; ++i)
      needIn(c, keys[i], "keys");
    made = wrap(c.dictAttr({reinterpret_cast<const Identifier *const *>(keys), count},
                           elementsIn(c, values, count))
                    .take());
  });
}

void geAttributeRetain(GeAttribute attribute) { unwrap(attribute).retain(); }
void geAttributeRelease(GeAttribute attribute) { unwrap(attribute).release(); }

GeAttrKind geAttributeGetKind(GeAttribute attribute) {
  return static_cast<GeAttrKind>(unwrap(attribute).kind());
}
GeContext *geAttributeGetContext(GeAttribute attribute) {
  return attribute.bits ? wrap(unwrap(attribute).context()) : nullptr;
}
GeDType geAttributeGetWidth(GeAttribute attribute) {
  switch (unwrap(attribute).kind()) {
  case AttrKind::Bool:
    return uint8_t(DType::Bool);
  case AttrKind::Int:
  case AttrKind::Float:
  case AttrKind::Array:
    return uint8_t(unwrap(attribute).width());
  default:
    return uint8_t(DType::Undefined);
  }
}

GeStatus geAttributeGetBool(GeAttribute attribute, bool *out) {
  return guarded([&] { result(out) = needKind(attribute, AttrKind::Bool).boolValue(); });
}
bool geAttributeGetPlainInt(GeAttribute attribute, int64_t *out) {
  Attribute a = unwrap(attribute);
  if (!out || !a.isInline() || a.kind() != AttrKind::Int)
    return false;
  *out = a.intValue();
  return true;
}
GeStatus geAttributeGetInt(GeAttribute attribute, int64_t *out) {
  return guarded([&] { result(out) = needKind(attribute, AttrKind::Int).intValue(); });
}
GeStatus geAttributeGetFloat(GeAttribute attribute, double *out) {
  return guarded([&] { result(out) = needKind(attribute, AttrKind::Float).floatValue(); });
}
GeStatus geAttributeGetString(GeAttribute attribute, GeStringRef *out) {
  return guarded([&] {
    Attribute a = unwrap(attribute);
    if (a.kind() != AttrKind::Bytes && a.kind() != AttrKind::Graph)
      needKind(attribute, AttrKind::String);
    result(out) = stringRef(a.stringValue());
  });
}
GeStatus geAttributeGetDType(GeAttribute attribute, GeDType *out) {
  return guarded([&] { result(out) = uint8_t(needKind(attribute, AttrKind::DType).dtypeValue()); });
}
GeStatus geAttributeGetType(GeAttribute attribute, GeType *out) {
  return guarded([&] { result(out) = wrap(needKind(attribute, AttrKind::Type).typeValue()); });
}
GeStatus geAttributeGetTensor(GeAttribute attribute, GeTensor **out) {
  return guarded([&] {
    const Tensor *tensor = needKind(attribute, AttrKind::Tensor).tensorValue();
    result(out) = wrap(tensor);
    tensor->retain();
  });
}
GeStatus geAttributeGetInts(GeAttribute attribute, const int64_t **values, size_t *count) {
  return guarded([&] {
    Attribute a = needArrayOf(attribute, false, false);
    auto &start = result(values, "values");
    result(count, "count") = a.ints().size();
    start = a.ints().data();
  });
}
GeStatus geAttributeGetFloats(GeAttribute attribute, const float **values, size_t *count) {
  return guarded([&] {
    Attribute a = needArrayOf(attribute, true, false);
    auto &start = result(values, "values");
    result(count, "count") = a.floats().size();
    start = a.floats().data();
  });
}
GeStatus geAttributeGetDoubles(GeAttribute attribute, const double **values, size_t *count) {
  return guarded([&] {
    Attribute a = needArrayOf(attribute, false, true);
    auto &start = result(values, "values");
    result(count, "count") = a.doubles().size();
    start = a.doubles().data();
  });
}
GeStatus geAttributeGetSize(GeAttribute attribute, size_t *out) {
  return guarded([&] {
    Attribute a = unwrap(attribute);
    if (a.kind() < AttrKind::Array)
      throwError(ErrorKind::Type, "the attribute is ", nameOf(a.kind()),
                 ", not an array, list or dict");
    result(out) = a.size();
  });
}
GeStatus geAttributeGetElement(GeAttribute attribute, size_t index, GeAttribute *out) {
  return guarded([&] {
    Attribute a = unwrap(attribute);
    if (a.kind() != AttrKind::Dict)
      needKind(attribute, AttrKind::List);
    result(out) = wrap(a.elements()[needIndex("element", index, a.size())]);
  });
}
GeStatus geAttributeGetKey(GeAttribute attribute, size_t index, GeIdentifier *out) {
  return guarded([&] {
    Attribute a = needKind(attribute, AttrKind::Dict);
    result(out) = wrap(a.keys()[needIndex("key", index, a.size())]);
  });
}
bool geAttributeEquals(GeAttribute a, GeAttribute b) {
  return guardedOr(false, [&] { return attrEquals(unwrap(a), unwrap(b)); });
}
uint64_t geAttributeHash(GeAttribute attribute) {
  return guardedOr(uint64_t(0), [&] { return attrHash(unwrap(attribute)); });
}
GeStatus geAttributePrint(GeAttribute attribute, GeStringCallback callback, void *userData) {
  return guarded([&] {
    if (!attribute.bits)
      throwNull("attribute");
    std::string out;
    unwrap(attribute).print(out);
    give(out, callback, userData);
  });
}
