//===- Kernels.h - implementations of operators, by backend -----------------------------------===//
//
// A kernel belongs to a name of an operator and a backend word, not to a record: it may be
// registered before the operator is defined. It is reference-counted, so that a call can go on
// while its library closes.
//
#ifndef GE_OPS_KERNELS_KERNELS_H
#define GE_OPS_KERNELS_KERNELS_H

#include "ge/Ops/Registry/Registry.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ge {

/// GeAny of ge-c/Values.h, where its tags are described.
struct KernelValue {
  int32_t tag;
  uint32_t small;
  union {
    int64_t integer;
    double real;
    void *pointer;
    const char *text;
    char bytes[8];
  };
};
using KernelFunction = int (*)(void *self, const KernelValue *args, int32_t numArgs,
                               KernelValue *result);

/// What Library::impl takes. `release` is called once with `self`, also when impl throws: after the
/// last call of the kernel has returned and its library is closed.
struct KernelSpec {
  std::string op;      ///< "scale", "scale.out" or "acme::scale"
  std::string backend; ///< of backendWords(), or a rank
  SourcePlace source;
  KernelFunction function = nullptr;
  void *self = nullptr;
  void (*release)(void *self) = nullptr;
  uint32_t flags = 0;     ///< GeKernelFlags
  bool overrides = false; ///< takes the place of another one until its library closes
};

/// Immutable.
class Kernel {
public:
  Kernel(KernelSpec spec, std::string op) : spec_(std::move(spec)) { spec_.op = std::move(op); }
  ~Kernel() {
    if (spec_.release)
      spec_.release(spec_.self);
  }
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  std::string_view op() const { return spec_.op; } ///< "acme::scale.out"
  std::string_view backend() const { return spec_.backend; }
  const SourcePlace &source() const { return spec_.source; }
  uint32_t flags() const { return spec_.flags; }
  KernelFunction function() const { return spec_.function; }
  void *self() const { return spec_.self; }

private:
  KernelSpec spec_;
};
using KernelRef = std::shared_ptr<const Kernel>;

/// What an implementation is registered for that is asked where an operator has no kernel for a
/// backend: a function of Python that builds the operator from others, and a kernel that computes
/// on the CPU where there is none of these either. They are no backends.
constexpr std::string_view kDecompositionRank = "decomposition", kReferenceRank = "reference";

/// "cpu", "cuda", ..., "any": the backends that a kernel can be registered for.
std::span<const std::string_view> backendWords();
/// The backend of a DLPack device type (kDLCPU is 1); "" for a number that none stands for.
std::string_view backendOfDevice(int32_t deviceType);

/// "acme::scale has no kernel for cuda; it has cpu (ext.py:12)".
std::string missingKernel(std::string_view op, std::string_view backend,
                          std::span<const KernelRef> kernels);

} // namespace ge

#endif // GE_OPS_KERNELS_KERNELS_H
