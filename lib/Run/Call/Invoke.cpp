//===- Invoke.cpp - how a kernel is called, also one of tvm-ffi ---------------------------------===//
#include "ge/Run/Call/Call.h"

#include "ge/Support/Error.h"

#include <atomic>
#include <optional>
#if !defined(_WIN32)
#include <dlfcn.h>
#endif

namespace ge {

// A kernel gets the core's own values.
static_assert(sizeof(GeAny) == sizeof(KernelValue) && sizeof(GeAny) == 16);
static_assert(offsetof(GeAny, small) == offsetof(KernelValue, small));
static_assert(offsetof(GeAny, i) == offsetof(KernelValue, integer));

namespace {

/// tvm-ffi's runtime has one slot per thread for the error of a failed function,
using MoveRaised = void (*)(GeObject **);
std::atomic<MoveRaised> moveRaised{nullptr};
/// and one for the allocator of tensors that a function creates.
using SetError = void (*)(void *, const char *kind, const char *message);
using Allocator = int (*)(DLTensor *like, DLManagedTensorVersioned **out, void *, SetError);
std::atomic<Allocator (*)()> getAllocator{nullptr};
std::atomic<int (*)(Allocator, int isGlobal, Allocator *before)> setAllocator{nullptr};

template <typename F> void findSymbol(std::atomic<F> &out, const char *name) {
#if !defined(_WIN32)
  if (!out.load(std::memory_order_relaxed))
    out = reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
#endif
}

} // namespace

void findTvmFfi() {
  findSymbol(moveRaised, "TVMFFIErrorMoveFromRaised");
  findSymbol(getAllocator, "TVMFFIEnvGetDLPackManagedTensorAllocator");
  findSymbol(setAllocator, "TVMFFIEnvSetDLPackManagedTensorAllocator");
}

namespace {

/// Allocates memory of the CPU, for callers without an allocator of a framework.
int allocate(DLTensor *like, DLManagedTensorVersioned **out, void *context, SetError setError) {
  try {
    if (like->device.device_type != kCpuDevice)
      throwError(ErrorKind::Value, "no framework allocates on this device; pass its tensors");
    auto *object = reinterpret_cast<GeTensorObject *>(
        newTensorObject(like->dtype, {like->shape, size_t(like->ndim)},
                        bytesOf(like->dtype, {like->shape, size_t(like->ndim)})));
    auto *managed = new DLManagedTensorVersioned{};
    managed->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
    managed->manager_ctx = object;
    managed->deleter = [](DLManagedTensorVersioned *self) {
      geObjectRelease(static_cast<GeObject *>(self->manager_ctx));
      delete self;
    };
    managed->dl_tensor = object->tensor;
    *out = managed;
    return 0;
  } catch (const std::exception &error) {
    setError(context, "RuntimeError", error.what());
    return -1;
  }
}

/// While a function of tvm-ffi runs there is an allocator: the caller's, else the one above.
class AllocatorScope {
public:
  AllocatorScope() {
    auto *get = getAllocator.load(std::memory_order_relaxed);
    auto *set = setAllocator.load(std::memory_order_relaxed);
    isSet_ = get && set && !get() && set(allocate, 0, nullptr) == 0;
  }
  ~AllocatorScope() {
    if (isSet_)
      setAllocator.load(std::memory_order_relaxed)(nullptr, 0, nullptr);
  }
  AllocatorScope(const AllocatorScope &) = delete;
  AllocatorScope &operator=(const AllocatorScope &) = delete;

private:
  bool isSet_;
};

/// Takes that error out of the slot; empty if there is none.
std::string takeRaised() {
  struct ErrorObject {
    GeObject header;
    struct {
      const char *data;
      size_t length;
    } kind, message;
  };
  GeObject *error = nullptr;
  if (MoveRaised move = moveRaised.load(std::memory_order_relaxed))
    move(&error);
  if (!error)
    return {};
  auto *e = reinterpret_cast<ErrorObject *>(error);
  std::string text = cat(std::string_view(e->kind.data, e->kind.length), ": ",
                         std::string_view(e->message.data, e->message.length));
  geObjectRelease(error);
  return text;
}

} // namespace

std::string callKernel(const Kernel &kernel, std::span<const GeAny> args, GeAny &result) {
  bool isTvmFfi = (kernel.flags() & GE_KERNEL_TVM_FFI) != 0;
  if (isTvmFfi)
    takeRaised(); // clears an error that an earlier caller did not take
  result = {};
  auto function = reinterpret_cast<GeKernelFn>(kernel.function());
  std::optional<AllocatorScope> allocator;
  if (isTvmFfi)
    allocator.emplace();
  if (function(kernel.self(), args.data(), int32_t(args.size()), &result) == 0)
    return {};
  std::string why;
  if (isTvmFfi) {
    findTvmFfi();
    why = takeRaised();
  } else if (result.tag == GE_ANY_STR && result.s) {
    why = result.s;
  }
  if (geAnyIsObject(&result))
    geObjectRelease(result.o);
  result = {};
  return why.empty() ? "failed without a message" : "failed: " + why;
}

} // namespace ge
