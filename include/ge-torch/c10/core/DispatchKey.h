//===- c10/core/DispatchKey.h - what kernels are registered for --------------------------------===//
#ifndef GE_TORCH_C10_CORE_DISPATCHKEY_H
#define GE_TORCH_C10_CORE_DISPATCHKEY_H

#include <c10/core/Device.h>

GE_TORCH_OPEN(c10)

/// Word, backend of GE; those of nullptr are kept aside: GE infers and compiles by itself.
#define GE_TORCH_FORALL_KEYS(_)                                                                    \
  _(CPU, "cpu")                                                                                    \
  _(CUDA, "cuda")                                                                                  \
  _(HIP, "rocm")                                                                                   \
  _(XPU, "oneapi")                                                                                 \
  _(MPS, "metal")                                                                                  \
  _(PrivateUse1, "npu")                                                                            \
  _(BackendSelect, "any")                                                                          \
  _(CatchAll, "any")                                                                               \
  _(CompositeImplicitAutograd, "any")                                                              \
  _(CompositeExplicitAutograd, "any")                                                              \
  _(CompositeExplicitAutogradNonFunctional, "any")                                                 \
  _(Meta, nullptr)                                                                                 \
  _(Autograd, nullptr)                                                                             \
  _(AutogradCPU, nullptr)                                                                          \
  _(AutogradCUDA, nullptr)                                                                         \
  _(AutogradPrivateUse1, nullptr)                                                                  \
  _(ADInplaceOrView, nullptr)                                                                      \
  _(AutocastCPU, nullptr)                                                                          \
  _(AutocastCUDA, nullptr)

#define GE_TORCH_KEY(Name, backend) Name,
enum class DispatchKey : uint16_t { GE_TORCH_FORALL_KEYS(GE_TORCH_KEY) };
#undef GE_TORCH_KEY

inline const char *toString(DispatchKey key) {
  switch (key) {
#define GE_TORCH_KEY(Name, backend)                                                                \
  case DispatchKey::Name:                                                                          \
    return #Name;
    GE_TORCH_FORALL_KEYS(GE_TORCH_KEY)
#undef GE_TORCH_KEY
  }
  return "?";
}

namespace detail {

/// Null: kept aside.
inline const char *backendOf(DispatchKey key) {
  switch (key) {
#define GE_TORCH_KEY(Name, backend)                                                                \
  case DispatchKey::Name:                                                                          \
    return backend;
    GE_TORCH_FORALL_KEYS(GE_TORCH_KEY)
#undef GE_TORCH_KEY
  }
  return nullptr;
}
inline DispatchKey keyOf(DispatchKey key) { return key; }
inline DispatchKey keyOf(DeviceType type) {
  switch (type) {
#define GE_TORCH_DEVICE(Name, number, word, dlpack)                                                \
  case DeviceType::Name:                                                                           \
    return DispatchKey::Name;
    GE_TORCH_FORALL_DEVICES(GE_TORCH_DEVICE)
#undef GE_TORCH_DEVICE
  }
  raise<Error>("there are no kernels for this device");
}

} // namespace detail

GE_TORCH_CLOSE

#endif // GE_TORCH_C10_CORE_DISPATCHKEY_H
