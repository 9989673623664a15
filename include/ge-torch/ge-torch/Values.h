//===- ge-torch/Values.h - arguments and results of kernels ------------------------------------===//
//
// From 16-byte values of ge-c/Values.h to the types of torch's sources, and back. A type that is
// not here does not compile, and says that it is not a type of schemas.
//
#ifndef GE_TORCH_VALUES_H
#define GE_TORCH_VALUES_H

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <c10/core/SymIntArrayRef.h>
#include <c10/util/intrusive_ptr.h>
#include <c10/util/string_view.h>

#include "ge/library/Registration.h"

#include <array>
#include <tuple>

namespace torch {
/// The base of classes that torch::class_ registers.
class CustomClassHolder : public c10::intrusive_ptr_target {};

namespace stable {
inline namespace ge_torch_headers {
class Tensor;
}
} // namespace stable
} // namespace torch

namespace ge::torch_headers {

using ::ge::detail::NewArray;
using ::ge::detail::throwTag;

/// What a kernel of a type takes: `schema()`, `get` gives `Stored`, which lives as long as the call
/// and of which `pass` makes the argument; `put` gives a result.
template <typename T, typename = void> struct Value {
  static_assert(sizeof(T) == 0, "this type is none of torch's schemas: int64_t, double, bool, "
                                "std::string, at::Tensor, at::ScalarType, at::Scalar, at::Device, "
                                "torch::class_, and optional, lists and tuples of these");
};

template <typename T> struct Plain {
  using Stored = T;
  static T &pass(Stored &stored) { return stored; }
};

// --- Tensors

/// A tensor of a result: it holds what has the memory.
struct GivenTensor {
  GeTensorObject object;
  at::detail::Impl impl;
};
inline void freeGiven(void *self, int flags) {
  if (flags & 1)
    static_cast<GivenTensor *>(self)->impl.~shared_ptr();
  geObjectFree(self, flags);
}
inline void putTensor(const at::TensorBase &tensor, GeAny &out) {
  if (!tensor.defined())
    return;
  at::TensorImpl &t = *tensor.impl();
  DLDataType type = c10::detail::dlpackOf(t.type);
  auto *made = static_cast<GivenTensor *>(
      ::ge::detail::newBlock(sizeof(GivenTensor), GE_ANY_TENSOR_OBJECT, freeGiven));
  new (&made->impl) at::detail::Impl(tensor.impl());
  made->object.tensor = {t.data,
                         c10::detail::dlpackOf(t.device),
                         int32_t(t.sizes.size()),
                         type,
                         t.sizes.data(),
                         t.strides.data(),
                         0};
  out.tag = GE_ANY_TENSOR_OBJECT;
  out.o = &made->object.header;
}
inline at::detail::Impl tensorOf(const GeAny &value) {
  if (value.tag == GE_ANY_NONE)
    return nullptr; // as an undefined tensor
  auto made = std::make_shared<at::TensorImpl>();
  const DLTensor *t = value.t;
  if (value.tag == GE_ANY_TENSOR_OBJECT) {
    t = &reinterpret_cast<const GeTensorObject *>(value.o)->tensor;
    __atomic_fetch_add(&value.o->refs, 1, __ATOMIC_RELAXED);
    made->owner = std::shared_ptr<void>(
        value.o, [](void *held) { geObjectRelease(static_cast<GeObject *>(held)); });
  } else if (value.tag != GE_ANY_TENSOR) {
    throwTag("a tensor", value);
  }
  made->type = c10::detail::scalarTypeOf(t->dtype);
  if (made->type == c10::ScalarType::Undefined)
    throw Error("torch's headers of GE have no element type for DLPack's code " +
                std::to_string(t->dtype.code) + " with " + std::to_string(t->dtype.bits) + " bits");
  made->device = c10::detail::deviceOf(t->device);
  made->sizes.assign(t->shape, t->shape + t->ndim);
  made->strides = t->strides ? std::vector<int64_t>(t->strides, t->strides + t->ndim)
                             : at::detail::compactStrides(made->sizes);
  made->data = static_cast<char *>(t->data) + t->byte_offset;
  return made;
}
template <typename T>
struct Value<T, std::enable_if_t<std::is_base_of_v<at::TensorBase, T>>> : Plain<T> {
  static std::string schema() { return "Tensor"; }
  static T get(const GeAny &value) { return T(tensorOf(value)); }
  static void put(const T &tensor, GeAny &out) { putTensor(tensor, out); }
};

// --- Numbers, words

template <> struct Value<int64_t> : Plain<int64_t> {
  static std::string schema() { return "int"; }
  static int64_t get(const GeAny &value) {
    if (value.tag != GE_ANY_INT && value.tag != GE_ANY_BOOL)
      throwTag("an int", value);
    return value.i;
  }
  static void put(int64_t value, GeAny &out) {
    out.tag = GE_ANY_INT;
    out.i = value;
  }
};
template <> struct Value<c10::SymInt> : Plain<c10::SymInt> {
  static std::string schema() { return "SymInt"; }
  static c10::SymInt get(const GeAny &value) { return Value<int64_t>::get(value); }
  static void put(const c10::SymInt &value, GeAny &out) {
    Value<int64_t>::put(value.expect_int(), out);
  }
};
template <> struct Value<double> : Plain<double> {
  static std::string schema() { return "float"; }
  static double get(const GeAny &value) {
    return value.tag == GE_ANY_FLOAT ? value.f : double(Value<int64_t>::get(value));
  }
  static void put(double value, GeAny &out) {
    out.tag = GE_ANY_FLOAT;
    out.f = value;
  }
};
template <> struct Value<bool> : Plain<bool> {
  static std::string schema() { return "bool"; }
  static bool get(const GeAny &value) { return Value<int64_t>::get(value) != 0; }
  static void put(bool value, GeAny &out) {
    out.tag = GE_ANY_BOOL;
    out.i = value;
  }
};
template <> struct Value<c10::Scalar> : Plain<c10::Scalar> {
  static std::string schema() { return "Scalar"; }
  static c10::Scalar get(const GeAny &value) {
    if (value.tag == GE_ANY_FLOAT)
      return value.f;
    if (value.tag == GE_ANY_BOOL)
      return value.i != 0;
    return Value<int64_t>::get(value);
  }
  static void put(const c10::Scalar &value, GeAny &out) {
    TORCH_CHECK(!value.isComplex(), "GE takes no complex numbers from kernels");
    if (value.isFloatingPoint())
      Value<double>::put(value.toDouble(), out);
    else if (value.isBoolean())
      Value<bool>::put(value.toBool(), out);
    else
      Value<int64_t>::put(value.toLong(), out);
  }
};
template <> struct Value<c10::ScalarType> : Plain<c10::ScalarType> {
  static std::string schema() { return "ScalarType"; }
  static c10::ScalarType get(const GeAny &value) {
    if (value.tag != GE_ANY_DTYPE)
      throwTag("an element type", value);
    c10::ScalarType type = c10::detail::scalarTypeOf(value.dtype);
    if (type == c10::ScalarType::Undefined)
      throw Error("torch's headers of GE have no such element type");
    return type;
  }
  static void put(c10::ScalarType type, GeAny &out) {
    out.tag = GE_ANY_DTYPE;
    out.dtype = c10::detail::dlpackOf(type);
  }
};
template <> struct Value<std::string_view> : Plain<std::string_view> {
  static std::string schema() { return "str"; }
  static std::string_view get(const GeAny &value) { return ::ge::detail::textOf(value); }
  static void put(std::string_view text, GeAny &out) { ::ge::detail::putText(text, out); }
};
template <> struct Value<std::string> : Plain<std::string> {
  static std::string schema() { return "str"; }
  static std::string get(const GeAny &value) { return std::string(::ge::detail::textOf(value)); }
  static void put(std::string_view text, GeAny &out) { ::ge::detail::putText(text, out); }
};
template <> struct Value<c10::Device> : Plain<c10::Device> {
  static std::string schema() { return "Device"; }
  static c10::Device get(const GeAny &value) {
    if (value.tag == GE_ANY_DEVICE)
      return c10::detail::deviceOf(value.device);
    return c10::Device(Value<std::string>::get(value));
  }
};

// --- Optional, lists, tuples

template <typename T> struct Value<std::optional<T>> {
  using Stored = std::optional<typename Value<T>::Stored>;
  static std::string schema() { return Value<T>::schema() + "?"; }
  static Stored get(const GeAny &value) {
    if (value.tag == GE_ANY_NONE)
      return std::nullopt;
    return Value<T>::get(value);
  }
  static decltype(auto) pass(Stored &stored) {
    if constexpr (std::is_same_v<Stored, std::optional<T>>)
      return static_cast<Stored &>(stored);
    else
      return stored ? std::optional<T>(Value<T>::pass(*stored)) : std::optional<T>();
  }
  static void put(const std::optional<T> &value, GeAny &out) {
    if (value)
      Value<T>::put(*value, out);
  }
};

template <typename T> std::vector<T> itemsOf(const GeAny &value) {
  static_assert(std::is_same_v<typename Value<T>::Stored, T>, "a list of views is none of torch's");
  return ::ge::detail::itemsOf<T>(value, Value<T>::get);
}
template <typename T, typename List> void putItems(const List &values, GeAny &out) {
  NewArray array(values.size());
  size_t i = 0;
  for (const T &value : values)
    Value<T>::put(value, array[i++]);
  array.put(out);
}
template <typename T> struct Value<std::vector<T>> : Plain<std::vector<T>> {
  static std::string schema() { return Value<T>::schema() + "[]"; }
  static std::vector<T> get(const GeAny &value) { return itemsOf<T>(value); }
  static void put(const std::vector<T> &values, GeAny &out) { putItems<T>(values, out); }
};
template <typename T> struct Value<c10::List<T>> : Plain<c10::List<T>> {
  static std::string schema() { return Value<T>::schema() + "[]"; }
  static c10::List<T> get(const GeAny &value) { return c10::List<T>(itemsOf<T>(value)); }
  static void put(const c10::List<T> &values, GeAny &out) { putItems<T>(values, out); }
};
template <typename T> struct Value<c10::ArrayRef<T>> {
  using Stored = std::vector<T>;
  static std::string schema() { return Value<T>::schema() + "[]"; }
  static Stored get(const GeAny &value) { return itemsOf<T>(value); }
  static c10::ArrayRef<T> pass(Stored &stored) { return stored; }
};
template <typename T, size_t N> struct Value<std::array<T, N>> : Plain<std::array<T, N>> {
  static std::string schema() { return Value<T>::schema() + "[" + std::to_string(N) + "]"; }
  static std::array<T, N> get(const GeAny &value) {
    std::vector<T> all = itemsOf<T>(value);
    if (all.size() != N)
      throw Error("expected a list of " + std::to_string(N) + ", got " +
                  std::to_string(all.size()));
    std::array<T, N> made;
    std::copy(all.begin(), all.end(), made.begin());
    return made;
  }
  static void put(const std::array<T, N> &values, GeAny &out) { putItems<T>(values, out); }
};
template <typename... T> struct Value<std::tuple<T...>> : Plain<std::tuple<T...>> {
  static std::string schema() {
    std::string all;
    ((all += (all.empty() ? "" : ", ") + Value<T>::schema()), ...);
    return "(" + all + ")";
  }
  static std::tuple<T...> get(const GeAny &value) {
    auto *array = reinterpret_cast<const GeArrayObject *>(value.o);
    if (value.tag != GE_ANY_ARRAY_OBJECT || array->size != int64_t(sizeof...(T)))
      throwTag("a tuple of " + std::to_string(sizeof...(T)), value);
    return getAll(array->items, std::index_sequence_for<T...>());
  }
  static void put(const std::tuple<T...> &values, GeAny &out) {
    NewArray array(sizeof...(T));
    putAll(values, array, std::index_sequence_for<T...>());
    array.put(out);
  }

private:
  template <size_t... I>
  static std::tuple<T...> getAll(const GeAny *items, std::index_sequence<I...>) {
    return std::tuple<T...>{Value<T>::get(items[I])...};
  }
  template <size_t... I>
  static void putAll(const std::tuple<T...> &values, NewArray &array, std::index_sequence<I...>) {
    (Value<T>::put(std::get<I>(values), array[I]), ...);
  }
};
template <typename A, typename B> struct Value<std::pair<A, B>> : Plain<std::pair<A, B>> {
  static std::string schema() { return Value<std::tuple<A, B>>::schema(); }
  static std::pair<A, B> get(const GeAny &value) {
    auto both = Value<std::tuple<A, B>>::get(value);
    return {std::get<0>(both), std::get<1>(both)};
  }
  static void put(const std::pair<A, B> &both, GeAny &out) {
    Value<std::tuple<A, B>>::put({both.first, both.second}, out);
  }
};

} // namespace ge::torch_headers

#endif // GE_TORCH_VALUES_H
