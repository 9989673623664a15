//===- c10/core/SymIntArrayRef.h - views of sizes that may be symbolic in PyTorch --------------===//
#ifndef GE_TORCH_C10_CORE_SYMINTARRAYREF_H
#define GE_TORCH_C10_CORE_SYMINTARRAYREF_H

#include <c10/core/SymInt.h>
#include <c10/util/ArrayRef.h>

GE_TORCH_OPEN(c10)

using SymIntArrayRef = ArrayRef<SymInt>;

/// The same numbers: a SymInt holds one and nothing else.
inline IntArrayRef asIntArrayRefUnchecked(SymIntArrayRef sizes) {
  static_assert(sizeof(SymInt) == sizeof(int64_t));
  return {reinterpret_cast<const int64_t *>(sizes.data()), sizes.size()};
}
inline std::optional<IntArrayRef> asIntArrayRefSlowOpt(SymIntArrayRef sizes) {
  return asIntArrayRefUnchecked(sizes);
}
inline SymIntArrayRef fromIntArrayRefSlow(IntArrayRef sizes) {
  return {reinterpret_cast<const SymInt *>(sizes.data()), sizes.size()};
}
#define C10_AS_INTARRAYREF_SLOW(sizes) ::c10::asIntArrayRefUnchecked(sizes)

GE_TORCH_CLOSE

#endif // GE_TORCH_C10_CORE_SYMINTARRAYREF_H
