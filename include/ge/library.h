//===- ge/library.h - operators and kernels in C++ --------------------------------------------===//
//
// For authors of kernel libraries. The library links nothing of GE: it gets the C API as a table
// when it is loaded (ge.ops.load_library, geLibraryLoad). Needs C++20 and exceptions.
//
//   #include "ge/library.h"
//
//   ge::Tensor scale(ge::TensorView x, double factor) {
//     ge::Tensor out = ge::Tensor::emptyLike(x);
//     for (int64_t i = 0; i < x.numel(); ++i)
//       out.data<float>()[i] = x.data<float>()[i] * float(factor);
//     return out;
//   }
//
//   GE_LIBRARY(acme, m) {
//     m.def("scale(Tensor x, *, float factor=1.0) -> Tensor", {.traits = GE_TRAIT_PURE});
//     m.impl("scale", ge::cpu, scale);
//     m.infer("scale", ge::sameAs(0));
//     m.def("add1", [](int64_t x) { return x + 1; }); // the function's types are the schema
//   }
//
// Blocks run when the library is loaded: every GE_LIBRARY, then GE_LIBRARY_FRAGMENT, REGISTER_OP
// and GE_LIBRARY_IMPL. If one throws, nothing of the library stays. What a kernel throws is a
// KernelError with its text. See library/Values.h for the types of arguments and results,
// library/Classes.h for classes, and library/RegisterOp.h for REGISTER_OP.
//
#ifndef GE_LIBRARY_H
#define GE_LIBRARY_H

#include "ge/library/Classes.h"
#include "ge/library/Library.h"
#include "ge/library/RegisterOp.h"

#define GE_LIBRARY_BLOCK(kind, ns, m, id)                                                          \
  static void GE_LIBRARY_JOIN(geLibraryBlock, id)(::ge::Library & m);                              \
  GE_LIBRARY_RECORD(kind, ns, id, GE_LIBRARY_JOIN(geLibraryBlock, id))                             \
  static void GE_LIBRARY_JOIN(geLibraryBlock, id)(::ge::Library & m)
/// The home of a namespace: `GE_LIBRARY(acme, m) { m.def(...); }`.
#define GE_LIBRARY(ns, m) GE_LIBRARY_BLOCK(::ge::detail::kDef, #ns, m, __COUNTER__)
/// Adds operators to a namespace that another library may own.
#define GE_LIBRARY_FRAGMENT(ns, m) GE_LIBRARY_BLOCK(::ge::detail::kFragment, #ns, m, __COUNTER__)
/// Kernels only, for a backend: `GE_LIBRARY_IMPL(acme, cpu, m) { m.impl("scale", scale); }`.
#define GE_LIBRARY_IMPL(ns, backend, m) GE_LIBRARY_IMPL_(ns, backend, m, __COUNTER__)
#define GE_LIBRARY_IMPL_(ns, backend, m, id)                                                       \
  static void GE_LIBRARY_JOIN(geLibraryBlock, id)(::ge::Library & m);                              \
  GE_LIBRARY_RECORD(::ge::detail::kImpl, #ns, id, [](::ge::Library &library) {                     \
    ::ge::Library forBackend = library.with(::ge::backend);                                        \
    GE_LIBRARY_JOIN(geLibraryBlock, id)(forBackend);                                               \
  })                                                                                               \
  static void GE_LIBRARY_JOIN(geLibraryBlock, id)(::ge::Library & m)

#endif // GE_LIBRARY_H
