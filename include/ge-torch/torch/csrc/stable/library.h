//===- torch/csrc/stable/library.h - registration as torch's stable ABI writes it --------------===//
//
// The macros of torch/library.h under the names of the stable ABI; a kernel is given as
// TORCH_BOX(&function), and may take torch::stable::Tensor.
//
#ifndef GE_TORCH_TORCH_CSRC_STABLE_LIBRARY_H
#define GE_TORCH_TORCH_CSRC_STABLE_LIBRARY_H

#include <torch/csrc/stable/ops.h>
#include <torch/library.h>

namespace torch::stable {
inline namespace ge_torch_headers {

/// What TORCH_BOX gives.
template <typename F> struct BoxedKernel {
  F function;
};
template <typename F> BoxedKernel<std::decay_t<F>> box(F &&function) {
  return {std::forward<F>(function)};
}

/// What a block gets. Everything throws when the registration is refused.
class Library {
public:
  explicit Library(torch::Library &library) : library_(library) {}
  Library &def(const char *schema, int line = __builtin_LINE()) {
    library_.def(std::string(schema), {}, line);
    return *this;
  }
  template <typename F>
  Library &impl(const char *op, BoxedKernel<F> kernel, int line = __builtin_LINE()) {
    library_.impl(op, std::move(kernel.function), line);
    return *this;
  }

private:
  torch::Library &library_;
};

namespace detail {

template <c10::DispatchKey key>
void runBlock(const ge::detail::Block &block, GeLibrary *library, GeLibrary *whole) {
  torch::detail::registering([&] {
    torch::Library own(library, whole, block.file, block.line, key);
    Library stable(own);
    reinterpret_cast<void (*)(Library &)>(block.user)(stable);
  });
}

} // namespace detail
} // namespace ge_torch_headers
} // namespace torch::stable

#define TORCH_BOX(...) ::torch::stable::box(__VA_ARGS__)
#define GE_TORCH_STABLE_BLOCK(kind, ns, key, m, id)                                                \
  static void GE_LIBRARY_JOIN(geTorchBlock, id)(::torch::stable::Library &);                       \
  static ::ge::detail::Block GE_LIBRARY_JOIN(geTorchRecord, id)(                                   \
      kind, ns, __FILE__, __LINE__, ::torch::stable::detail::runBlock<::c10::DispatchKey::key>,    \
      reinterpret_cast<void (*)()>(&GE_LIBRARY_JOIN(geTorchBlock, id)));                           \
  static void GE_LIBRARY_JOIN(geTorchBlock, id)(::torch::stable::Library & m)

#define STABLE_TORCH_LIBRARY(ns, m)                                                                \
  GE_TORCH_STABLE_BLOCK(::ge::detail::kDef, #ns, CatchAll, m, __COUNTER__)
#define STABLE_TORCH_LIBRARY_FRAGMENT(ns, m)                                                       \
  GE_TORCH_STABLE_BLOCK(::ge::detail::kFragment, #ns, CatchAll, m, __COUNTER__)
#define STABLE_TORCH_LIBRARY_IMPL(ns, key, m)                                                      \
  GE_TORCH_STABLE_BLOCK(::ge::detail::kImpl, #ns, key, m, __COUNTER__)

#endif // GE_TORCH_TORCH_CSRC_STABLE_LIBRARY_H
