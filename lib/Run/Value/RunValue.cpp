//===- RunValue.cpp - values of graphs that run ------------------------------------------------===//
#include "ge/Run/Value/RunValue.h"

#include "ge/IR/Context.h"
#include "ge/Support/Error.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace ge {

namespace {

constexpr size_t kAlign = 64;

/// Shape and strides follow in memory, and the elements if the object owns them.
struct OwnTensor {
  GeTensorObject object;
  const Tensor *tensor; ///< the tensor whose bytes these are, or null
  GeObject *held;       ///< the object, or list of objects, whose memory it uses
};

void freeTensor(void *self, int flags) {
  auto *own = static_cast<OwnTensor *>(self);
  if ((flags & 1) && own->tensor)
    std::exchange(own->tensor, nullptr)->release();
  if ((flags & 1) && own->held)
    geObjectRelease(std::exchange(own->held, nullptr));
  geObjectFree(self, flags);
}
template <typename... Parts> [[noreturn]] void throwSize(const Parts &...parts) {
  throwError(ErrorKind::Overflow, parts..., " does not fit the memory");
}

void *allocated(size_t size) {
  void *memory =
      size <= size_t(std::numeric_limits<ptrdiff_t>::max()) ? std::malloc(size) : nullptr;
  if (!memory)
    throw std::bad_alloc();
  return memory;
}

void setHeader(GeObject &header, int32_t tag, void (*deleter)(void *, int)) {
  header = {GE_ONE_REFERENCE, tag, 0, deleter};
}

/// `extra` bytes follow the strides.
OwnTensor *newOwn(DLDataType type, std::span<const int64_t> shape, size_t extra) {
  size_t rank = shape.size(), size = sizeof(OwnTensor) + 2 * rank * sizeof(int64_t);
  if (__builtin_add_overflow(size, extra, &size) ||
      size > size_t(std::numeric_limits<ptrdiff_t>::max()))
    throwSize(shownType(type, shape));
  auto *own = static_cast<OwnTensor *>(allocated(size));
  setHeader(own->object.header, GE_ANY_TENSOR_OBJECT, freeTensor);
  own->tensor = nullptr;
  own->held = nullptr;
  auto *sizes = reinterpret_cast<int64_t *>(own + 1);
  uint64_t step = 1; // may wrap: with a size of 0, the other sizes need not fit
  for (size_t i = rank; i-- > 0;) {
    sizes[i] = shape[i];
    sizes[rank + i] = int64_t(step);
    step *= uint64_t(shape[i]);
  }
  own->object.tensor = {nullptr, {kCpuDevice, 0}, int32_t(rank), type, sizes, sizes + rank, 0};
  return own;
}

std::vector<int64_t> sizesOf(const Type *type) {
  std::vector<int64_t> all;
  for (const Dim &dim : type->shape())
    all.push_back(dim.size);
  return all;
}

bool isPlain(const Tensor &tensor) {
  return !tensor.isString() && !tensor.isSplat() && tensor.packing() == Tensor::Packing::Bytes;
}

} // namespace

size_t bytesOf(DLDataType type, std::span<const int64_t> shape) {
  size_t bytes = size_t(type.bits / 8) * type.lanes;
  for (int64_t size : shape)
    if (size == 0)
      return 0;
  for (int64_t size : shape)
    if (__builtin_mul_overflow(bytes, size_t(size), &bytes))
      throwSize(shownType(type, shape));
  return bytes;
}

GeObject *newTensorObject(DLDataType type, std::span<const int64_t> shape, size_t bytes) {
  if (__builtin_add_overflow(bytes, kAlign, &bytes))
    throwSize(shownType(type, shape));
  OwnTensor *own = newOwn(type, shape, bytes);
  auto at = reinterpret_cast<uintptr_t>(own->object.tensor.strides + shape.size());
  own->object.tensor.data = reinterpret_cast<void *>((at + kAlign - 1) & ~(kAlign - 1));
  return &own->object.header;
}

GeObject *newTensorObject(const Tensor &over) {
  OwnTensor *own = newOwn(needDlpackType(over.type()->dtype()), sizesOf(over.type()), 0);
  over.retain();
  own->tensor = &over;
  own->object.tensor.data = const_cast<char *>(over.bytes().data());
  return &own->object.header;
}

GeObject *newDenseObject(const Tensor &tensor) {
  if (tensor.isString())
    throwError(ErrorKind::Type, "kernels take no tensors of strings");
  DLDataType type = needDlpackType(tensor.type()->dtype());
  std::vector<int64_t> shape = sizesOf(tensor.type());
  GeObject *made = newTensorObject(type, shape, bytesOf(type, shape));
  tensor.copyDense(tensorIn(made).data);
  return made;
}

GeObject *newArrayObject(std::span<const GeAny> items) {
  auto *made =
      static_cast<GeArrayObject *>(allocated(sizeof(GeArrayObject) + items.size() * sizeof(GeAny)));
  setHeader(made->header, GE_ANY_ARRAY_OBJECT, geArrayFree);
  made->items = reinterpret_cast<GeAny *>(made + 1);
  made->size = made->capacity = int64_t(items.size());
  made->itemsDeleter = nullptr;
  for (size_t i = 0; i < items.size(); ++i) {
    made->items[i] = items[i];
    if (items[i].tag >= 64)
      geObjectRetain(items[i].o);
  }
  return &made->header;
}

RunValue valueOf(const Tensor &tensor) {
  if (dlpackType(tensor.type()->dtype()).bits && isPlain(tensor))
    return RunValue::adopt(newTensorObject(tensor));
  OwnTensor *own = newOwn({}, sizesOf(tensor.type()), 0); // no bits: kernels reject it
  tensor.retain();
  own->tensor = &tensor;
  return RunValue::adopt(&own->object.header);
}

const Tensor *tensorBehind(GeObject *object) {
  return object->deleter == freeTensor ? reinterpret_cast<OwnTensor *>(object)->tensor : nullptr;
}

TensorPtr tensorOf(Context &context, GeObject *object) {
  struct Managed {
    DLManagedTensorVersioned base;
    GeObject *object;
  };
  auto *managed = new Managed{};
  managed->base.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed->base.dl_tensor = reinterpret_cast<GeTensorObject *>(object)->tensor;
  managed->base.deleter = [](DLManagedTensorVersioned *self) {
    auto *own = reinterpret_cast<Managed *>(self);
    geObjectRelease(own->object);
    delete own;
  };
  managed->object = object;
  try {
    return importTensor(context, &managed->base);
  } catch (...) {
    managed->base.deleter(&managed->base);
    throw;
  }
}

TensorPtr tensorOf(Context &context, const RunValue &value) {
  if (!value)
    return {};
  if (const Tensor *behind = tensorBehind(value.get()))
    return TensorPtr(behind);
  return tensorOf(context, RunValue(value).take());
}

bool isDense(GeObject *object, bool strided) {
  const DLTensor &t = tensorIn(object);
  return t.dtype.bits != 0 && t.strides && t.byte_offset == 0 && (strided || isCompact(t));
}

GeObject *newDenseCopy(GeObject *object) {
  if (const Tensor *tensor = tensorBehind(object))
    return newDenseObject(*tensor);
  const DLTensor &t = tensorIn(object);
  std::span<const int64_t> shape(t.shape, size_t(t.ndim));
  GeObject *made = newTensorObject(t.dtype, shape, bytesOf(t.dtype, shape));
  copyCompact(t, tensorIn(made).data);
  return made;
}

RunValue asKernelsTake(RunValue value, bool strided) {
  GeObject *object = value.get();
  if (isDense(object, strided))
    return value;
  const DLTensor &t = tensorIn(object);
  if (t.strides || t.dtype.bits == 0)
    return RunValue::adopt(newDenseCopy(object));
  // Compact tensors have null strides.
  OwnTensor *own = newOwn(t.dtype, {t.shape, size_t(t.ndim)}, 0);
  own->object.tensor.data = static_cast<char *>(t.data) + t.byte_offset;
  own->held = value.take();
  return RunValue::adopt(&own->object.header);
}

RunValue heldWith(const RunValue &value, std::span<const GeAny> arguments) {
  std::vector<GeAny> held(1);
  held[0].tag = GE_ANY_TENSOR_OBJECT;
  held[0].o = value.get();
  auto add = [&held](GeAny one, const auto &again) -> void {
    if (one.tag == GE_ANY_TENSOR) { // in a GeTensorObject, like all arguments of kernels
      one.tag = GE_ANY_TENSOR_OBJECT;
      one.o = reinterpret_cast<GeObject *>(reinterpret_cast<char *>(one.t) -
                                           offsetof(GeTensorObject, tensor));
    }
    if (one.tag == GE_ANY_TENSOR_OBJECT)
      held.push_back(one);
    if (one.tag == GE_ANY_ARRAY_OBJECT) {
      auto *array = reinterpret_cast<GeArrayObject *>(one.o);
      for (const GeAny &item : std::span(array->items, size_t(array->size)))
        again(item, again);
    }
  };
  for (const GeAny &one : arguments)
    add(one, add);
  const DLTensor &t = tensorIn(value.get());
  OwnTensor *own = newOwn(t.dtype, {t.shape, size_t(t.ndim)}, 0);
  RunValue made = RunValue::adopt(&own->object.header);
  own->object.tensor.data = t.data;
  own->object.tensor.byte_offset = t.byte_offset;
  if (t.strides)
    std::copy_n(t.strides, t.ndim, own->object.tensor.strides);
  own->held = newArrayObject(held);
  return made;
}

bool isWritable(GeObject *object) {
  if (object->deleter != freeTensor)
    return false;
  auto *own = reinterpret_cast<OwnTensor *>(object);
  return !own->tensor && !own->held && (object->refs & 0xffffffffU) == 1;
}

bool isPossible(const DLTensor &t) {
  constexpr int32_t kMostDims = 64;
  if (t.ndim < 0 || t.ndim > kMostDims || (t.ndim && !t.shape))
    return false;
  int64_t bytes = int64_t(t.dtype.bits / 8) * t.dtype.lanes;
  bool isEmpty = false, fits = true;
  for (int32_t i = 0; i < t.ndim; ++i) {
    if (t.shape[i] < 0)
      return false;
    isEmpty |= t.shape[i] == 0;
    fits = fits && !__builtin_mul_overflow(bytes, t.shape[i], &bytes);
  }
  return isEmpty || (fits && t.data);
}

std::pair<const char *, const char *> boundsOf(const DLTensor &t) {
  const char *low = static_cast<const char *>(t.data) + t.byte_offset;
  int64_t width = int64_t(t.dtype.bits / 8) * t.dtype.lanes, first = 0, last = 0, dense = 1;
  for (int32_t i = t.ndim; i-- > 0;) {
    if (t.shape[i] == 0)
      return {low, low};
    int64_t step = t.strides ? t.strides[i] : dense;
    dense *= t.shape[i];
    (step < 0 ? first : last) += step * (t.shape[i] - 1);
  }
  return {low + first * width, low + (last + 1) * width};
}

bool overlaps(const DLTensor &a, const DLTensor &b) {
  auto [low, high] = boundsOf(a);
  auto [otherLow, otherHigh] = boundsOf(b);
  return low < otherHigh && otherLow < high;
}

std::string shownType(DLDataType type, std::span<const int64_t> shape) {
  DType dtype = dtypeOf(type);
  std::string text(dtype == DType::Undefined ? "?" : info(dtype).name);
  text += '[';
  for (size_t i = 0; i < shape.size(); ++i)
    text += cat(i ? ", " : "", shape[i] < 0 ? std::string("?") : std::to_string(shape[i]));
  return text + ']';
}

} // namespace ge
