//===- Types.cpp - element types and types ----------------------------------------------------===//

#include "Guard.h"

#include <cstddef>

using namespace ge;
using namespace ge::capi;

// --- Element types

size_t geDTypeCount(void) { return size_t(DType::Count_); }

GeStatus geDTypeGetInfo(GeDType dtype, GeDTypeInfo *out) {
  return guarded([&] {
    const DTypeInfo &row = info(needDType(dtype));
    GeDTypeInfo info{};
    info.name = row.name;
    info.mlir = row.mlir;
    info.numpy = row.numpy;
    info.bits = row.bits;
    info.onnx = row.onnx;
    info.cann = row.cann;
    info.cannName = row.cannName;
    giveSized(info, out, "GeDTypeInfo");
  });
}

GeStatus geDTypeFromName(GeStringRef name, GeDType *out) {
  return guarded([&] {
    GeDType &found = result(out);
    std::string_view wanted = text(name, "name");
    if (std::optional<DType> dtype = dtypeFromName(wanted)) {
      found = uint8_t(*dtype);
      return;
    }
    std::vector<std::string_view> names;
    for (uint8_t i = 1; i < uint8_t(DType::Count_); ++i) {
      const DTypeInfo &row = info(DType(i));
      for (const char *known : {row.name, row.numpy, row.cannName})
        if (known)
          names.emplace_back(known);
    }
    std::optional<std::string_view> near = nearestWord(wanted, names.data(), names.size());
    if (!near && !wanted.empty()) // "float" and "int" leave the width out
      for (std::string_view known : names)
        if (!near && known.starts_with(wanted))
          near = known;
    throwError(ErrorKind::Value, "unknown element type '", wanted, "'",
               near ? cat("; did you mean '", *near, "'?") : std::string());
  });
}

// --- Types

// Arrays of dimensions are the core's own.
static_assert(sizeof(GeDim) == sizeof(Dim) && offsetof(GeDim, symbol) == offsetof(Dim, symbol));
static_assert(int(TypeKind::Opaque) == GE_TYPE_OPAQUE);

namespace {

std::span<const Dim> dims(const Context &context, const GeDim *shape, size_t rank) {
  needArray(shape, rank, "shape");
  for (size_t i = 0; i < rank; ++i) {
    nullOrIn(context, shape[i].symbol, "symbol");
    if (shape[i].size < -1 || (shape[i].size >= 0 && shape[i].symbol))
      throwError(ErrorKind::Value, "dimension ", i,
                 " is neither a size (>= 0) without symbol nor -1; got size ", shape[i].size);
  }
  return {reinterpret_cast<const Dim *>(shape), rank};
}

const GeDim *dims(std::span<const Dim> shape) {
  return reinterpret_cast<const GeDim *>(shape.data());
}

const Type *needKind(GeType type, TypeKind kind, const char *wanted) {
  const Type *t = need(type, "type");
  if (t->kind() != kind)
    throwError(ErrorKind::Type, t->str(), " is not ", wanted);
  return t;
}

} // namespace

GeType geTypeUnknown(GeContext *context) {
  return context ? wrap(unwrap(context)->unknownType()) : nullptr;
}
GeType geTypeNone(GeContext *context) {
  return context ? wrap(unwrap(context)->noneType()) : nullptr;
}

GeStatus geTypeTensor(GeContext *context, const GeTensorTypeSpec *wanted, GeType *out) {
  return guarded([&] {
    GeType &made = result(out);
    Context &c = need(context);
    GeTensorTypeSpec given = sized(wanted, "GeTensorTypeSpec");
    TensorTypeSpec spec;
    spec.dtype = needDType(given.dtype);
    spec.ranked = given.ranked;
    if (given.ranked)
      spec.shape = dims(c, given.shape, given.rank);
    spec.format = nullOrIn(c, given.format, "format");
    spec.hasOriginShape = given.hasOriginShape;
    if (given.hasOriginShape)
      spec.originShape = dims(c, given.originShape, given.originRank);
    spec.originFormat = nullOrIn(c, given.originFormat, "originFormat");
    made = wrap(c.tensorType(spec));
  });
}

GeStatus geTypeSequence(GeType element, GeType *out) {
  return guarded([&] {
    const Type *t = need(element, "element");
    result(out) = wrap(t->context().sequenceType(t));
  });
}
GeStatus geTypeOptional(GeType element, GeType *out) {
  return guarded([&] {
    const Type *t = need(element, "element");
    result(out) = wrap(t->context().optionalType(t));
  });
}
GeStatus geTypeMap(GeDType key, GeType value, GeType *out) {
  return guarded([&] {
    const Type *t = need(value, "value");
    result(out) = wrap(t->context().mapType(needDType(key), t));
  });
}
GeStatus geTypeOpaque(GeContext *context, GeStringRef payload, GeType *out) {
  return guarded([&] { result(out) = wrap(need(context).opaqueType(text(payload, "payload"))); });
}

GeTypeKind geTypeGetKind(GeType type) {
  return type ? static_cast<GeTypeKind>(unwrap(type)->kind()) : GE_TYPE_UNKNOWN;
}
GeContext *geTypeGetContext(GeType type) { return type ? wrap(&unwrap(type)->context()) : nullptr; }

GeStatus geTypeGetTensorSpec(GeType type, GeTensorTypeSpec *out) {
  return guarded([&] {
    const Type *t = needKind(type, TypeKind::Tensor, "a tensor type");
    GeTensorTypeSpec spec{};
    spec.dtype = uint8_t(t->dtype());
    spec.ranked = t->isRanked();
    spec.rank = t->shape().size();
    spec.shape = dims(t->shape());
    spec.format = wrap(t->format());
    spec.hasOriginShape = t->hasOriginShape();
    spec.originRank = t->originShape().size();
    spec.originShape = dims(t->originShape());
    spec.originFormat = wrap(t->originFormat());
    giveSized(spec, out, "GeTensorTypeSpec");
  });
}

GeStatus geTypeGetElement(GeType type, GeType *out) {
  return guarded([&] {
    const Type *t = need(type, "type");
    if (!t->element())
      throwError(ErrorKind::Type, t->str(), " is not a sequence, optional or map");
    result(out) = wrap(t->element());
  });
}
GeStatus geTypeGetMapKey(GeType type, GeDType *out) {
  return guarded([&] { result(out) = uint8_t(needKind(type, TypeKind::Map, "a map")->dtype()); });
}
GeStatus geTypeGetPayload(GeType type, GeStringRef *out) {
  return guarded([&] {
    result(out) = stringRef(needKind(type, TypeKind::Opaque, "a foreign type")->payload()->str());
  });
}
int64_t geTypeNumElements(GeType type) {
  return type && unwrap(type)->isTensor() ? unwrap(type)->numElements() : -1;
}
void geTypePrint(GeType type, GeStringCallback callback, void *userData) {
  guarded([&] { give(need(type, "type")->str(), callback, userData); });
}
void *geTypeGetSlot(GeType type) {
  return type ? unwrap(type)->slot().load(std::memory_order_acquire) : nullptr;
}
void geTypeSetSlot(GeType type, void *slot) {
  if (type)
    unwrap(type)->slot().store(slot, std::memory_order_release);
}
