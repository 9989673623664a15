//===- ge-torch/Kernel.h - functions of torch's sources as kernels -----------------------------===//
#ifndef GE_TORCH_KERNEL_H
#define GE_TORCH_KERNEL_H

#include "ge-torch/Values.h"

namespace ge::torch_headers {

/// The types of a function, a pointer to one, a lambda, or a method with its object first.
template <typename F> struct FunctionOf : FunctionOf<decltype(&F::operator())> {};
template <typename R, typename... A> struct FunctionOf<R(A...)> {
  using Result = R;
  using Types = std::tuple<A...>;
};
template <typename R, typename... A> struct FunctionOf<R (*)(A...)> : FunctionOf<R(A...)> {};
template <typename R, typename... A>
struct FunctionOf<R (*)(A...) noexcept> : FunctionOf<R(A...)> {};
template <typename C, typename R, typename... A>
struct FunctionOf<R (C::*)(A...)> : FunctionOf<R(A...)> {};
template <typename C, typename R, typename... A>
struct FunctionOf<R (C::*)(A...) const> : FunctionOf<R(A...)> {};

template <typename T> std::vector<std::string> resultTypes(T *) { return {Value<T>::schema()}; }
template <typename... T> std::vector<std::string> resultTypes(std::tuple<T...> *) {
  return {Value<T>::schema()...};
}

/// Calls a function with values; `R` and `A` are its own types, with references.
template <typename R, typename... A> struct Caller {
  static ::ge::detail::FunctionTypes types() {
    ::ge::detail::FunctionTypes all;
    all.params = {Value<std::decay_t<A>>::schema()...};
    if constexpr (!std::is_void_v<R>)
      all.results = resultTypes(static_cast<std::decay_t<R> *>(nullptr));
    return all;
  }
  template <typename F>
  static void call(const F &function, const GeAny *args, int32_t numArgs, GeAny &result) {
    if (size_t(numArgs) != sizeof...(A))
      throw Error("the kernel takes " + std::to_string(sizeof...(A)) + " values, not " +
                  std::to_string(numArgs));
    callWith(function, args, result, std::index_sequence_for<A...>());
  }

private:
  template <typename T> static auto argument(const GeAny *args, size_t index) {
    try {
      return Value<T>::get(args[index]);
    } catch (const Error &error) {
      throw Error("argument " + std::to_string(index + 1) + ": " + error.what());
    }
  }
  /// As the parameter takes it: a value is moved into it.
  template <typename Param, typename T> static decltype(auto) handed(T &&value) {
    if constexpr (std::is_lvalue_reference_v<T> && !std::is_lvalue_reference_v<Param>)
      return std::move(value);
    else
      return static_cast<T &&>(value);
  }
  template <typename F, size_t... I>
  static void callWith(const F &function, [[maybe_unused]] const GeAny *args,
                       [[maybe_unused]] GeAny &result, std::index_sequence<I...>) {
    // Braces: the arguments are converted from left to right.
    std::tuple<typename Value<std::decay_t<A>>::Stored...> values{
        argument<std::decay_t<A>>(args, I)...};
    if constexpr (std::is_void_v<R>)
      function(handed<A>(Value<std::decay_t<A>>::pass(std::get<I>(values)))...);
    else
      Value<std::decay_t<R>>::put(
          function(handed<A>(Value<std::decay_t<A>>::pass(std::get<I>(values)))...), result);
  }
};
template <typename R, typename Types> struct CallerOf;
template <typename R, typename... A> struct CallerOf<R, std::tuple<A...>> {
  using Type = Caller<R, A...>;
};
template <typename F>
using CallerFor =
    typename CallerOf<typename FunctionOf<F>::Result, typename FunctionOf<F>::Types>::Type;

/// The text of what a kernel throws, with the word of Python's exception.
template <typename Body> int guarded(GeAny *result, const Body &body) noexcept {
  try {
    body();
    return 0;
  } catch (const c10::Error &error) {
    try {
      std::string text =
          *error.kind() ? std::string(error.kind()) + ": " + error.what() : error.what();
      return ::ge::detail::fail(result, text.c_str());
    } catch (...) {
      return ::ge::detail::fail(result, error.what());
    }
  } catch (const std::exception &error) {
    return ::ge::detail::fail(result, error.what());
  } catch (...) {
    return ::ge::detail::fail(result, "threw an exception that is not a std::exception");
  }
}

/// A kernel as geLibraryImpl takes it: what is called lies behind `self`.
struct Boxed {
  GeKernelFn function = nullptr;
  void *self = nullptr;
  void (*release)(void *) = nullptr;
  ::ge::detail::FunctionTypes types;
};
/// Of anything that can be called.
template <typename F> Boxed boxed(F function) {
  using Caller = CallerFor<F>;
  Boxed made;
  made.types = Caller::types();
  made.self = new F(std::move(function));
  made.release = [](void *self) { delete static_cast<F *>(self); };
  made.function = [](void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
    return guarded(result, [&] { Caller::call(*static_cast<F *>(self), args, numArgs, *result); });
  };
  return made;
}

/// Registers a kernel, which takes `kernel.self` over.
inline void implement(GeLibrary *library, std::string_view op, const char *backend,
                      const Boxed &kernel, const char *file, uint32_t line) {
  try {
    ::ge::detail::checkSignature(library, op, kernel.types, file, line);
  } catch (...) {
    kernel.release(kernel.self);
    throw;
  }
  GeKernelSpec spec{};
  spec.size = sizeof spec;
  spec.op = ::ge::detail::str(op);
  spec.backend = ::ge::detail::str(backend);
  spec.function = kernel.function;
  spec.self = kernel.self;
  spec.release = kernel.release;
  spec.flags = GE_KERNEL_STRIDED | GE_KERNEL_KEEPS;
  spec.file = ::ge::detail::str(file);
  spec.line = line;
  ::ge::detail::check(api().geLibraryImpl(library, &spec, nullptr));
}

} // namespace ge::torch_headers

#endif // GE_TORCH_KERNEL_H
