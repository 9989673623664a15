//===- ge/library/Values.h - arguments and results of kernels in C++ --------------------------===//
//
// | C++                                    | schema                 |
// | ge::TensorView                         | Tensor                 |
// | ge::MutableTensorView                  | Tensor(a!)             |
// | ge::Out, the last parameters           | a result, written      |
// | ge::Tensor                             | Tensor, a result       |
// | integers, floating types, bool         | int, float, bool       |
// | std::string, std::string_view          | str                    |
// | DLDataType                             | ScalarType             |
// | std::optional<T>, std::vector<T>       | T?, T[]                |
// | std::tuple<...>, void                  | several results, none  |
// | T, T &, const T &, ge::Ref<T>          | a registered class T   |
//
// Views are borrowed for the call. Tensors are compact and row-major.
//
#ifndef GE_LIBRARY_VALUES_H
#define GE_LIBRARY_VALUES_H

#include "ge/library/Registration.h"

#include <concepts>
#include <optional>
#include <span>
#include <tuple>

namespace ge {

/// The DLPack type of a C++ type.
template <typename T> constexpr DLDataType dtypeOf() {
  constexpr auto bits = uint8_t(sizeof(T) * 8);
  if constexpr (std::is_same_v<T, bool>)
    return {6, 8, 1};
  else if constexpr (std::is_floating_point_v<T>)
    return {2, bits, 1};
  else {
    static_assert(std::is_integral_v<T>, "no element type of tensors; use bytes()");
    return {uint8_t(std::is_signed_v<T> ? 0 : 1), bits, 1};
  }
}
inline bool isSame(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}
inline std::string nameOf(DLDataType type) {
  static constexpr const char *kWords[] = {"int",    "uint",    "float", "handle",
                                           "bfloat", "complex", "bool"};
  std::string word = type.code < std::size(kWords) ? kWords[type.code] : "type";
  return word + std::to_string(type.bits);
}

/// A tensor of the caller, read-only; borrowed for the call.
class TensorView {
public:
  explicit TensorView(const DLTensor *tensor) : tensor_(tensor) {}
  int64_t dim() const { return tensor_->ndim; }
  std::span<const int64_t> sizes() const { return {tensor_->shape, size_t(tensor_->ndim)}; }
  std::span<const int64_t> strides() const { return {tensor_->strides, size_t(tensor_->ndim)}; }
  int64_t size(int64_t axis) const {
    if (axis < 0)
      axis += dim();
    if (axis < 0 || axis >= dim())
      throw Error("axis " + std::to_string(axis) + " of a tensor of rank " + std::to_string(dim()));
    return tensor_->shape[axis];
  }
  int64_t numel() const {
    int64_t n = 1;
    for (int64_t size : sizes())
      n *= size;
    return n;
  }
  DLDataType dtype() const { return tensor_->dtype; }
  DLDevice device() const { return tensor_->device; }
  const DLTensor &dlpack() const { return *tensor_; }
  /// Throws when the elements are of another type.
  template <typename T> const T *data() const { return static_cast<const T *>(checked<T>()); }
  const void *bytes() const { return static_cast<const char *>(tensor_->data) + offset(); }

protected:
  template <typename T> void *checked() const {
    if (!isSame(tensor_->dtype, dtypeOf<T>()))
      throw Error("expected a tensor of " + nameOf(dtypeOf<T>()) + ", got " +
                  nameOf(tensor_->dtype));
    return static_cast<char *>(tensor_->data) + offset();
  }
  size_t offset() const { return size_t(tensor_->byte_offset); }
  const DLTensor *tensor_;
};

/// An operand that the operator writes: `Tensor(a!)`.
class MutableTensorView : public TensorView {
public:
  using TensorView::TensorView;
  template <typename T> T *data() const { return static_cast<T *>(checked<T>()); }
  void *bytes() const { return static_cast<char *>(tensor_->data) + offset(); }
};

/// A result that the caller has allocated by inference.
class Out : public MutableTensorView {
public:
  using MutableTensorView::MutableTensorView;
};

/// A tensor that a kernel makes: memory of the CPU, compact, owned.
class Tensor {
public:
  static Tensor empty(std::span<const int64_t> shape, DLDataType dtype) {
    size_t rank = shape.size(), bytes = (size_t(dtype.bits) * dtype.lanes + 7) / 8;
    for (int64_t size : shape)
      if (size < 0 || __builtin_mul_overflow(bytes, size_t(size), &bytes))
        throw Error("a tensor of this shape does not fit the memory");
    size_t head = (sizeof(GeTensorObject) + 2 * rank * sizeof(int64_t) + 63) / 64 * 64;
    if (__builtin_add_overflow(bytes, head, &bytes))
      throw Error("a tensor of this shape does not fit the memory");
    auto *object =
        static_cast<GeTensorObject *>(detail::newBlock(bytes, GE_ANY_TENSOR_OBJECT, geObjectFree));
    auto *sizes = reinterpret_cast<int64_t *>(object + 1), *strides = sizes + rank;
    int64_t stride = 1;
    for (size_t i = rank; i-- > 0;) {
      sizes[i] = shape[i];
      strides[i] = stride;
      stride *= shape[i];
    }
    object->tensor = {
        reinterpret_cast<char *>(object) + head, {1, 0}, int32_t(rank), dtype, sizes, strides, 0};
    return Tensor(object);
  }
  template <typename T> static Tensor empty(std::span<const int64_t> shape) {
    return empty(shape, dtypeOf<T>());
  }
  template <typename T> static Tensor empty(std::initializer_list<int64_t> shape) {
    return empty({shape.begin(), shape.size()}, dtypeOf<T>());
  }
  static Tensor emptyLike(const TensorView &other) { return empty(other.sizes(), other.dtype()); }

  Tensor(Tensor &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Tensor &operator=(Tensor &&other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Tensor() {
    if (object_)
      geObjectRelease(&object_->header);
  }
  MutableTensorView view() const { return MutableTensorView(&object_->tensor); }
  template <typename T> T *data() const { return view().data<T>(); }
  void *bytes() const { return view().bytes(); }
  int64_t numel() const { return view().numel(); }
  std::span<const int64_t> sizes() const { return {object_->tensor.shape, rank()}; }
  /// Gives the reference away.
  GeObject *release() { return &std::exchange(object_, nullptr)->header; }

private:
  explicit Tensor(GeTensorObject *object) : object_(object) {}
  size_t rank() const { return size_t(object_->tensor.ndim); }
  GeTensorObject *object_;
};

namespace detail {

/// schema(), get(GeAny), put(T, GeAny &). What has no specialization is a registered class:
/// Objects.h.
template <typename T> struct Value;

/// Of an operand that the kernel writes; Signature gives each a letter of its own.
inline constexpr std::string_view kWritten = "(a!)";

template <std::derived_from<TensorView> T> struct Value<T> {
  static std::string schema() {
    std::string word = "Tensor";
    return std::is_same_v<T, MutableTensorView> ? word.append(kWritten) : word;
  }
  static T get(const GeAny &value) {
    if (value.tag == GE_ANY_TENSOR)
      return T(value.t);
    if (value.tag == GE_ANY_TENSOR_OBJECT)
      return T(&reinterpret_cast<const GeTensorObject *>(value.o)->tensor);
    throwTag("a tensor", value);
  }
};
template <> struct Value<Tensor> {
  static std::string schema() { return "Tensor"; }
  static void put(Tensor tensor, GeAny &out) {
    out.tag = GE_ANY_TENSOR_OBJECT;
    out.o = tensor.release();
  }
};
template <> struct Value<bool> {
  static std::string schema() { return "bool"; }
  static bool get(const GeAny &value) {
    if (value.tag != GE_ANY_BOOL && value.tag != GE_ANY_INT)
      throwTag("a bool", value);
    return value.i != 0;
  }
  static void put(bool value, GeAny &out) {
    out.tag = GE_ANY_BOOL;
    out.i = value;
  }
};
template <std::integral T> struct Value<T> {
  static std::string schema() { return "int"; }
  static T get(const GeAny &value) {
    if (value.tag != GE_ANY_INT && value.tag != GE_ANY_BOOL)
      throwTag("an int", value);
    if (!std::in_range<T>(value.i))
      throw Error(std::to_string(value.i) + " does not fit the kernel's integer type");
    return T(value.i);
  }
  static void put(T value, GeAny &out) {
    if (!std::in_range<int64_t>(value))
      throw Error(std::to_string(value) + " does not fit 64 bits");
    out.tag = GE_ANY_INT;
    out.i = int64_t(value);
  }
};
template <std::floating_point T> struct Value<T> {
  static std::string schema() { return "float"; }
  static T get(const GeAny &value) {
    if (value.tag == GE_ANY_FLOAT)
      return T(value.f);
    return T(Value<int64_t>::get(value));
  }
  static void put(T value, GeAny &out) {
    out.tag = GE_ANY_FLOAT;
    out.f = double(value);
  }
};
template <> struct Value<DLDataType> {
  static std::string schema() { return "ScalarType"; }
  static DLDataType get(const GeAny &value) {
    if (value.tag != GE_ANY_DTYPE)
      throwTag("an element type", value);
    return value.dtype;
  }
  static void put(DLDataType value, GeAny &out) {
    out.tag = GE_ANY_DTYPE;
    out.dtype = value;
  }
};
template <> struct Value<std::string_view> {
  static std::string schema() { return "str"; }
  static std::string_view get(const GeAny &value) { return textOf(value); }
  static void put(std::string_view text, GeAny &out) { putText(text, out); }
};
template <> struct Value<std::string> : Value<std::string_view> {
  static std::string get(const GeAny &value) {
    return std::string(Value<std::string_view>::get(value));
  }
};
template <typename T> struct Value<std::optional<T>> {
  static std::string schema() { return Value<T>::schema() + "?"; }
  static std::optional<T> get(const GeAny &value) {
    if (value.tag == GE_ANY_NONE)
      return std::nullopt;
    return Value<T>::get(value);
  }
  static void put(std::optional<T> value, GeAny &out) {
    if (value)
      Value<T>::put(std::move(*value), out);
  }
};

template <typename T> struct Value<std::vector<T>> {
  static std::string schema() { return Value<T>::schema() + "[]"; }
  static std::vector<T> get(const GeAny &value) { return itemsOf<T>(value, Value<T>::get); }
  static void put(std::vector<T> values, GeAny &out) {
    NewArray array(values.size());
    for (size_t i = 0; i < values.size(); ++i)
      Value<T>::put(std::move(values[i]), array[i]);
    array.put(out);
  }
};
template <typename... T> struct Value<std::tuple<T...>> {
  static std::string schema() {
    std::string all;
    ((all += (all.empty() ? "" : ", ") + Value<T>::schema()), ...);
    return "(" + all + ")";
  }
  static void put(std::tuple<T...> values, GeAny &out) {
    NewArray array(sizeof...(T));
    putAll(values, array, std::index_sequence_for<T...>());
    array.put(out);
  }

private:
  template <size_t... I>
  static void putAll(std::tuple<T...> &values, NewArray &array, std::index_sequence<I...>) {
    (Value<T>::put(std::move(std::get<I>(values)), array[I]), ...);
  }
};

} // namespace detail
} // namespace ge

#endif // GE_LIBRARY_VALUES_H
