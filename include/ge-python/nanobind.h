//===- ge-python/nanobind.h - arguments and results of other people's nanobind modules ----------===//
//
//   #include "ge-python/nanobind.h"
//
//   m.def("fuse", [](ge::python::Node node) -> ge::python::Node { ...geNodeErase(node.get())... });
//
// The module may use any domain, backend and version of nanobind: objects cross in the capsules of
// interop.h. An argument that is not of ge.ir is nanobind's TypeError with the signature; an erased
// object, another version of the C API and another copy of the C library raise the exceptions of
// interop.h.
//
#ifndef GE_PYTHON_NANOBIND_H
#define GE_PYTHON_NANOBIND_H

#include "ge-python/interop.h"

#include <nanobind/nanobind.h>

#include <string_view>
#include <utility>

namespace ge::python {

/// One counted reference of the C API. Not thread-safe by itself, as a pointer is not.
template <typename Handle, void (*Retain)(Handle), void (*Release)(Handle)> class Reference {
public:
  Reference() = default;
  /// Takes over a reference that a function of the C API gave ("new reference").
  static Reference adopt(Handle handle) {
    Reference result;
    result.handle_ = handle;
    return result;
  }
  /// A borrowed object.
  explicit Reference(Handle handle) : handle_(handle) { retain(); }
  Reference(const Reference &other) : handle_(other.handle_) { retain(); }
  Reference(Reference &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Reference &operator=(Reference other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Reference() {
    if (handle_)
      Release(handle_);
  }
  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

private:
  void retain() const {
    if (handle_)
      Retain(handle_);
  }
  Handle handle_ = nullptr;
};

namespace detail {
inline void retainType(GeType type) { geContextRetain(geTypeGetContext(type)); }
inline void releaseType(GeType type) { geContextRelease(geTypeGetContext(type)); }
} // namespace detail

using Context = Reference<GeContext *, geContextRetain, geContextRelease>;
using Module = Reference<GeModule *, geModuleRetain, geModuleRelease>;
using Graph = Reference<GeGraphRef *, geGraphRetain, geGraphRelease>;
using Node = Reference<GeNodeRef *, geNodeRetain, geNodeRelease>;
using Value = Reference<GeValueRef *, geValueRetain, geValueRelease>;
using Type = Reference<GeType, detail::retainType, detail::releaseType>;
using Tensor = Reference<GeTensor *, geTensorRetain, geTensorRelease>;

} // namespace ge::python

namespace ge::python::detail {
/// Whether an object or its capsule is of a kind, of any version and package: only then its errors
/// are raised, and another overload is not tried. Throws what reading the capsule raises, such as
/// StaleHandleError.
inline bool isKind(nanobind::handle object, std::string_view kind) {
  if (object.is_none() || !PyObject_HasAttrString(object.type().ptr(), "_capi"))
    return false;
  nanobind::object capsule = nanobind::steal(PyObject_GetAttrString(object.ptr(), "_capi"));
  if (!capsule.is_valid())
    throw nanobind::python_error();
  if (!PyCapsule_CheckExact(capsule.ptr()))
    return false;
  const char *name = PyCapsule_GetName(capsule.ptr());
  PyErr_Clear();
  return name && std::string_view(name).starts_with(kind);
}
} // namespace ge::python::detail

// NOLINTBEGIN(bugprone-macro-parentheses): KIND is a name.
#define GE_PYTHON_CASTER_(KIND)                                                                    \
  template <> struct nanobind::detail::type_caster<ge::python::KIND> {                             \
    NB_TYPE_CASTER(ge::python::KIND, const_name(GE_PYTHON_PACKAGE ".ir." #KIND))                   \
    bool from_python(handle object, uint8_t, cleanup_list *) {                                     \
      decltype(value.get()) handle;                                                                \
      if (!ge::python::detail::isKind(object, "ge." #KIND "/"))                                    \
        return false; /* nanobind's TypeError names the signature, or another overload fits */     \
      if (gePython##KIND##From(object.ptr(), &handle) < 0)                                         \
        throw python_error();                                                                      \
      value = ge::python::KIND::adopt(handle);                                                     \
      return true;                                                                                 \
    }                                                                                              \
    static nanobind::handle from_cpp(const ge::python::KIND &reference, rv_policy,                 \
                                     cleanup_list *) {                                             \
      return reference ? nanobind::handle(gePython##KIND##To(reference.get())) : none().release(); \
    }                                                                                              \
  };
GE_PYTHON_CASTER_(Context)
GE_PYTHON_CASTER_(Module)
GE_PYTHON_CASTER_(Graph)
GE_PYTHON_CASTER_(Node)
GE_PYTHON_CASTER_(Value)
GE_PYTHON_CASTER_(Type)
GE_PYTHON_CASTER_(Tensor)
#undef GE_PYTHON_CASTER_
// NOLINTEND(bugprone-macro-parentheses)

#endif // GE_PYTHON_NANOBIND_H
