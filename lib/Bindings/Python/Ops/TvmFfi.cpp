//===- TvmFfi.cpp - operators as functions of tvm-ffi ------------------------------------------===//
//
// tvm-ffi calls a C function with 16-byte values and reads errors from a slot of its own. The
// function of this file calls an operator through Python's side, which binds arguments and finds
// kernels, and returns counted objects or the error that the runtime expects.
//
#include "TvmFfi.h"

#include "../IR/ErrorText.h"
#include "../IR/NumpyArrays.h"
#include "../Imported/Imported.h"
#include "KernelValues.h"

#if !defined(_WIN32)
#include <dlfcn.h>
#endif

#include <string>

namespace ge::python {

namespace {

constexpr int32_t kByteArray = 9, kMoved = 10, kShape = 69; ///< of tvm-ffi alone

/// A tuple of numbers, as tvm-ffi has it.
struct ShapeObject {
  GeObject header;
  const int64_t *sizes;
  size_t count;
};

/// Fails with an error of the runtime; `kind` is the name of an exception.
int fail(const char *kind, const char *text) {
#if !defined(_WIN32)
  using SetRaised = void (*)(const char *, const char *);
  static auto *set =
      reinterpret_cast<SetRaised>(dlsym(RTLD_DEFAULT, "TVMFFIErrorSetRaisedFromCStr"));
  if (set)
    set(kind, text);
#endif
  return -1;
}

int failWithException() {
  std::string kind, text;
  try {
    translateException();
    nb::python_error raised;
    kind = typeNameOf(raised.value().ptr());
    text = exceptionText(raised.value().ptr());
  } catch (...) { // no memory
  }
  return fail(kind.empty() ? "RuntimeError" : kind.c_str(), text.c_str());
}

Argument argumentOf(const GeAny &value) {
  if (value.tag == kByteArray) {
    auto *bytes = static_cast<GeStringRef *>(value.p); // data and size, as there
    return {nb::bytes(bytes->data, bytes->length), nb::none()};
  }
  if (value.tag == kShape) {
    auto *shape = static_cast<ShapeObject *>(value.p);
    nb::list sizes;
    for (size_t i = 0; i < shape->count; ++i)
      sizes.append(shape->sizes[i]);
    return {sizes, nb::none()};
  }
  if (value.tag == kMoved) { // an rvalue reference: the reference may be taken, and is left here
    GeAny object{};
    object.o = *static_cast<GeObject **>(value.p);
    object.tag = object.o->tag;
    return argumentOf(object);
  }
  if (value.tag == GE_ANY_DEVICE) {
    GeStringRef word = geKernelBackendOfDevice(value.device.device_type);
    std::string text(word.data, word.length);
    return {nb::str((text + ":" + std::to_string(value.device.device_id)).c_str()), nb::none()};
  }
  return argumentToPython(value);
}

/// Returns a writable array, or a copy, as the caller may write to it.
nb::object asGiven(nb::handle value) {
  PyObject *o = value.ptr();
  if (o == Py_None || PyLong_Check(o) || PyFloat_Check(o) || PyUnicode_Check(o))
    return nb::borrow(value);
  const NumpyArray *array = lent().numpy().view(o);
  if (array && array->is(NumpyArray::kWriteable))
    return nb::borrow(value);
  return importModule(GE_PYTHON_PACKAGE ".ops._export").attr("writable")(value);
}

/// `self`: the operator, the names of its parameters, the number of positional ones, and the
/// indices of those that it writes.
int runForTvmFfi(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  GilAcquire guard;
  if (!guard)
    return fail("RuntimeError", "the Python interpreter is ending");
  try {
    nb::tuple own = nb::borrow<nb::tuple>(static_cast<PyObject *>(self));
    nb::tuple names(own[1]), written(own[3]);
    auto count = nb::cast<size_t>(own[2]);
    nb::list positional;
    nb::dict keywords;
    std::vector<Argument> given;
    for (size_t i = 0; i < size_t(numArgs); ++i) {
      given.push_back(argumentOf(args[i]));
      if (i < count || i >= names.size())
        positional.append(given.back().value);
      else
        keywords[names[i]] = given.back().value;
    }
    nb::object made = nb::steal(
        checked(PyObject_Call(own[0].ptr(), nb::tuple(positional).ptr(), keywords.ptr())));
    // The operator wrote to a copy of memory that the caller lent.
    for (nb::handle number : written)
      if (auto i = nb::cast<size_t>(number); i < given.size() && !given[i].view.is_none())
        importModule(GE_PYTHON_PACKAGE ".ops._from_c")
            .attr("put_back")(given[i].value, given[i].view);
    *result = ownedValue(asGiven(made));
    return 0;
  } catch (...) {
    return failWithException();
  }
}

} // namespace

void populateTvmFfi(nb::module_ &m) {
  m.def("_tvm_ffi_trampoline", [] { return reinterpret_cast<uintptr_t>(&runForTvmFfi); });
}

} // namespace ge::python
