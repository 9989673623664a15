//===- c10/core/ScalarType.h - element types ---------------------------------------------------===//
#ifndef GE_TORCH_C10_CORE_SCALARTYPE_H
#define GE_TORCH_C10_CORE_SCALARTYPE_H

#include <c10/util/Exception.h>
#include <c10/util/Half.h>
#include <c10/util/complex.h>

#include "ge-c/Values.h"

#include <ostream>

GE_TORCH_OPEN(c10)

/// Word, number, C++ type, code of DLPack.
#define GE_TORCH_FORALL_TYPES(_)                                                                   \
  _(Byte, 0, uint8_t, 1)                                                                           \
  _(Char, 1, int8_t, 0)                                                                            \
  _(Short, 2, int16_t, 0)                                                                          \
  _(Int, 3, int32_t, 0)                                                                            \
  _(Long, 4, int64_t, 0)                                                                           \
  _(Half, 5, ::c10::Half, 2)                                                                       \
  _(Float, 6, float, 2)                                                                            \
  _(Double, 7, double, 2)                                                                          \
  _(ComplexFloat, 9, ::c10::complex<float>, 5)                                                     \
  _(ComplexDouble, 10, ::c10::complex<double>, 5)                                                  \
  _(Bool, 11, bool, 6)                                                                             \
  _(BFloat16, 15, ::c10::BFloat16, 4)                                                              \
  _(UInt16, 27, uint16_t, 1)                                                                       \
  _(UInt32, 28, uint32_t, 1)                                                                       \
  _(UInt64, 29, uint64_t, 1)

#define GE_TORCH_TYPE(Name, number, Type, code) Name = number,
enum class ScalarType : int8_t { GE_TORCH_FORALL_TYPES(GE_TORCH_TYPE) Undefined = 44 };
#undef GE_TORCH_TYPE

#define GE_TORCH_TYPE(Name, number, Type, code) constexpr ScalarType k##Name = ScalarType::Name;
GE_TORCH_FORALL_TYPES(GE_TORCH_TYPE)
#undef GE_TORCH_TYPE
constexpr ScalarType kUInt8 = kByte, kInt8 = kChar, kInt16 = kShort, kInt32 = kInt, kInt64 = kLong,
                     kFloat16 = kHalf, kFloat32 = kFloat, kFloat64 = kDouble, kU8 = kByte,
                     kI8 = kChar, kI16 = kShort, kI32 = kInt, kI64 = kLong, kF16 = kHalf,
                     kF32 = kFloat, kF64 = kDouble, kComplex64 = kComplexFloat,
                     kComplex128 = kComplexDouble;

/// ScalarTypeOf<float>::value, and CppTypeOf<kFloat>::type.
template <typename T> struct CppTypeToScalarType {
  static_assert(sizeof(T) == 0, "no element type of tensors");
};
template <ScalarType> struct ScalarTypeToCPPType;
#define GE_TORCH_TYPE(Name, number, Type, code)                                                    \
  template <> struct CppTypeToScalarType<Type> {                                                   \
    static constexpr ScalarType value = ScalarType::Name;                                          \
  };                                                                                               \
  template <> struct ScalarTypeToCPPType<ScalarType::Name> {                                       \
    using type = Type;                                                                             \
  };
GE_TORCH_FORALL_TYPES(GE_TORCH_TYPE)
#undef GE_TORCH_TYPE
template <ScalarType type> using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<type>::type;

inline const char *toString(ScalarType type) {
  switch (type) {
#define GE_TORCH_TYPE(Name, number, Type, code)                                                    \
  case ScalarType::Name:                                                                           \
    return #Name;
    GE_TORCH_FORALL_TYPES(GE_TORCH_TYPE)
#undef GE_TORCH_TYPE
  default:
    return "UNKNOWN_SCALAR";
  }
}
inline std::ostream &operator<<(std::ostream &out, ScalarType type) {
  return out << toString(type);
}
inline size_t elementSize(ScalarType type) {
  switch (type) {
#define GE_TORCH_TYPE(Name, number, Type, code)                                                    \
  case ScalarType::Name:                                                                           \
    return sizeof(Type);
    GE_TORCH_FORALL_TYPES(GE_TORCH_TYPE)
#undef GE_TORCH_TYPE
  default:
    detail::raise<Error>("elements of no type have no size");
  }
}
inline bool isComplexType(ScalarType type) {
  return type == kComplexFloat || type == kComplexDouble;
}
inline bool isFloatingType(ScalarType type) {
  return type == kHalf || type == kFloat || type == kDouble || type == kBFloat16;
}
inline bool isIntegralType(ScalarType type, bool includeBool) {
  return type == kBool
             ? includeBool
             : type != ScalarType::Undefined && !isFloatingType(type) && !isComplexType(type);
}
inline bool isSignedType(ScalarType type) {
  return type != kBool && type != kByte && type != kUInt16 && type != kUInt32 && type != kUInt64;
}

namespace detail {

inline DLDataType dlpackOf(ScalarType type) {
  switch (type) {
#define GE_TORCH_TYPE(Name, number, Type, code)                                                    \
  case ScalarType::Name:                                                                           \
    return {code, uint8_t(sizeof(Type) * 8), 1};
    GE_TORCH_FORALL_TYPES(GE_TORCH_TYPE)
#undef GE_TORCH_TYPE
  default:
    raise<Error>("a tensor without an element type cannot be given on");
  }
}
/// Undefined when it is none of them.
inline ScalarType scalarTypeOf(DLDataType type) {
#define GE_TORCH_TYPE(Name, number, Type, own)                                                     \
  if (type.code == (own) && type.bits == sizeof(Type) * 8 && type.lanes == 1)                      \
    return ScalarType::Name;
  GE_TORCH_FORALL_TYPES(GE_TORCH_TYPE)
#undef GE_TORCH_TYPE
  return ScalarType::Undefined;
}

} // namespace detail

GE_TORCH_CLOSE

namespace caffe2 {
inline namespace ge_torch_headers {

/// What Tensor::dtype() gives: a ScalarType.
class TypeMeta {
public:
  constexpr TypeMeta() = default;
  constexpr TypeMeta(c10::ScalarType type) : type_(type) {}
  template <typename T> static constexpr TypeMeta Make() {
    return c10::CppTypeToScalarType<T>::value;
  }
  static constexpr TypeMeta fromScalarType(c10::ScalarType type) { return type; }
  constexpr c10::ScalarType toScalarType() const { return type_; }
  constexpr bool isScalarType() const { return type_ != c10::ScalarType::Undefined; }
  size_t itemsize() const { return c10::elementSize(type_); }
  const char *name() const { return c10::toString(type_); }
  friend constexpr bool operator==(TypeMeta a, TypeMeta b) { return a.type_ == b.type_; }
  friend constexpr bool operator!=(TypeMeta a, TypeMeta b) { return a.type_ != b.type_; }
  friend std::ostream &operator<<(std::ostream &out, TypeMeta type) { return out << type.name(); }

private:
  c10::ScalarType type_ = c10::ScalarType::Undefined;
};

} // namespace ge_torch_headers
} // namespace caffe2

GE_TORCH_OPEN(c10)
inline ScalarType typeMetaToScalarType(caffe2::TypeMeta type) { return type.toScalarType(); }
inline caffe2::TypeMeta scalarTypeToTypeMeta(ScalarType type) { return type; }
GE_TORCH_CLOSE

#endif // GE_TORCH_C10_CORE_SCALARTYPE_H
