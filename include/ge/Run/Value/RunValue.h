//===- RunValue.h - values of graphs that run -------------------------------------------------===//
//
// A value is a counted tensor (GeTensorObject), the form that kernels take and return. A value over
// a Tensor of the core owns a reference to it; strings and element types that DLPack lacks exist as
// that Tensor only.
//
#ifndef GE_RUN_VALUE_RUNVALUE_H
#define GE_RUN_VALUE_RUNVALUE_H

#include "ge/Run/Value/DLPack.h"

#include <span>
#include <string>
#include <utility>

namespace ge {

/// Owning pointer to a counted tensor; null: absent.
class RunValue {
public:
  RunValue() = default;
  static RunValue adopt(GeObject *object) {
    RunValue made;
    made.object_ = object;
    return made;
  }
  explicit RunValue(GeObject *object) : object_(object) {
    if (object_)
      geObjectRetain(object_);
  }
  RunValue(const RunValue &o) : RunValue(o.object_) {}
  RunValue(RunValue &&o) noexcept : object_(std::exchange(o.object_, nullptr)) {}
  RunValue &operator=(RunValue o) noexcept {
    std::swap(object_, o.object_);
    return *this;
  }
  ~RunValue() {
    if (object_)
      geObjectRelease(object_);
  }
  GeObject *get() const { return object_; }
  GeObject *take() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

private:
  GeObject *object_ = nullptr;
};

inline DLTensor &tensorIn(GeObject *object) {
  return reinterpret_cast<GeTensorObject *>(object)->tensor;
}

/// Allocates uninitialised memory of `bytes` bytes for elements of a static shape. Returns a new
/// reference. Throws Error(Overflow) if it exceeds the address space.
GeObject *newTensorObject(DLDataType type, std::span<const int64_t> shape, size_t bytes);
/// Bytes of so many elements of a shape; throws Error(Overflow).
size_t bytesOf(DLDataType type, std::span<const int64_t> shape);
/// A value over the tensor's bytes, which must be dense: not a splat, packed or strings. Returns a
/// new reference.
GeObject *newTensorObject(const Tensor &over);
/// Copies the elements of a tensor to new memory. Returns a new reference.
GeObject *newDenseObject(const Tensor &tensor);
/// A list or tuple value; the caller keeps the items. Returns a new reference.
GeObject *newArrayObject(std::span<const GeAny> items);

/// A value that refers to the tensor, whatever its storage; kernels need denseValue().
RunValue valueOf(const Tensor &tensor);
/// The tensor that a value was created from; null for a kernel's result.
const Tensor *tensorBehind(GeObject *object);
/// Makes a tensor over a counted tensor; takes over its reference, also on failure.
TensorPtr tensorOf(Context &context, GeObject *object);
/// The same value as a Tensor of a context.
TensorPtr tensorOf(Context &context, const RunValue &value);
/// Returns whether kernels take it unchanged: dense on the CPU, or with `strided` also with other
/// strides.
bool isDense(GeObject *object, bool strided);
/// Copies it to memory that kernels take. Throws Error(Type) for types that they never take.
GeObject *newDenseCopy(GeObject *object);
/// The value itself where it is dense, else one that is.
RunValue asKernelsTake(RunValue value, bool strided);
/// Makes the value own what a call's arguments own, elements of lists included: its memory may be
/// theirs.
RunValue heldWith(const RunValue &value, std::span<const GeAny> arguments);
/// Whether its memory is its own, and this is the only reference.
bool isWritable(GeObject *object);
/// Returns whether rank and sizes are valid, so that its bytes can be counted.
bool isPossible(const DLTensor &tensor);
/// The start and end address of its memory; equal if it is empty.
std::pair<const char *, const char *> boundsOf(const DLTensor &tensor);
bool overlaps(const DLTensor &a, const DLTensor &b);

/// "f32[2, 3]"; a size of -1 is "?".
std::string shownType(DLDataType type, std::span<const int64_t> shape);

} // namespace ge

#endif // GE_RUN_VALUE_RUNVALUE_H
