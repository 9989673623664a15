//===- RunValues.h - values of graphs that run -------------------------------------------------===//
//
// A value is a counted tensor (GeTensorObject), as kernels take and give them. One over a Tensor of
// the core holds it; strings and elements that DLPack has not are there as that Tensor only.
//
#ifndef GE_LIB_CAPI_RUNVALUES_H
#define GE_LIB_CAPI_RUNVALUES_H

#include "ge-c/Kernels.h"
#include "ge/IR/Tensor.h"

#include <span>
#include <string>
#include <utility>

namespace ge::capi {

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

/// Memory of its own for elements of a static shape, `bytes` of them; not initialised. New
/// reference. Throws Error(Overflow) when it does not fit the memory.
GeObject *newTensorObject(DLDataType type, std::span<const int64_t> shape, size_t bytes);
/// Bytes of so many elements of a shape; throws Error(Overflow).
size_t bytesOf(DLDataType type, std::span<const int64_t> shape);
/// Over the tensor's bytes, which must be one element after another: no splat, nothing packed, no
/// strings. New reference.
GeObject *newTensorObject(const Tensor &over);
/// The elements of a tensor in memory of its own. New reference.
GeObject *newDenseObject(const Tensor &tensor);
/// A list or tuple; the items stay the caller's. New reference.
GeObject *newArrayObject(std::span<const GeAny> items);

/// A value that is the tensor, whatever it holds; kernels need denseValue().
RunValue valueOf(const Tensor &tensor);
/// The tensor that a value was made of; null: of a kernel.
const Tensor *tensorBehind(GeObject *object);
/// The same value as a Tensor of a context.
TensorPtr tensorOf(Context &context, const RunValue &value);
/// Whether kernels take it as it is: elements one after another on the CPU; with `strided` also in
/// other steps.
bool isDense(GeObject *object, bool strided);
/// A copy that they take, in memory of its own. Throws Error(Type) for what they take never.
GeObject *newDenseCopy(GeObject *object);
/// The value itself where it is dense, else one that is.
RunValue asKernelsTake(RunValue value, bool strided);
/// The value, which holds what a call's arguments hold, tensors and lists of them, too: its
/// elements may be theirs.
RunValue heldWith(const RunValue &value, std::span<const GeAny> arguments);
/// Whether its memory is its own, and this is the only reference.
bool isWritable(GeObject *object);
/// Whether rank and sizes are those of a tensor whose bytes can be counted.
bool isPossible(const DLTensor &tensor);
/// Where its memory begins and ends; equal when it is empty.
std::pair<const char *, const char *> boundsOf(const DLTensor &tensor);

/// "f32[2, 3]"; a size of -1 is "?".
std::string shownType(DLDataType type, std::span<const int64_t> shape);
DType dtypeOf(DLDataType type); ///< Undefined if GE has no such type

} // namespace ge::capi

#endif // GE_LIB_CAPI_RUNVALUES_H
