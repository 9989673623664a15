//===- KernelCall.cpp - calls of kernels in C ---------------------------------------------------===//
#include "KernelCall.h"

#include "../IR/Unlock.h"
#include "../Imported/Imported.h"
#include "Arguments.h"
#include "DlpackExchange.h"
#include "KernelObject.h"
#include "KernelValues.h"
#include "TvmFfi.h"

#include <nanobind/stl/string.h>
#include <optional>

#if !defined(_WIN32)
#include <dlfcn.h>
#endif

namespace ge::python {

namespace {

struct NativeKernel {
  GeKernel ref;
  explicit NativeKernel(GeKernel taken) : ref(taken) {}
  NativeKernel(const NativeKernel &) = delete;
  ~NativeKernel() { geKernelRelease(ref); }
  GeKernelInfo info() const {
    GeKernelInfo info;
    check(geKernelGetInfo(ref, &info));
    return info;
  }
};

/// While a function of tvm-ffi runs on a device, sets its stream and allocator to those of the
/// framework of the first tensor on that device.
class DeviceScope {
public:
  explicit DeviceScope(nb::args args) {
    for (nb::handle arg : args)
      if (const Framework *framework = frameworkOf(arg.ptr()); framework && enter(*framework, arg))
        return;
  }
  ~DeviceScope() {
    if (setStream_)
      setStream_(device_.device_type, device_.device_id, stream_, nullptr);
    if (setAllocator_)
      setAllocator_(allocator_, 0, nullptr);
  }
  DeviceScope(const DeviceScope &) = delete;
  DeviceScope &operator=(const DeviceScope &) = delete;

private:
  using SetStream = int (*)(int32_t, int32_t, void *stream, void **before);
  using SetAllocator = int (*)(DlpackExchange::Allocate, int isGlobal, DlpackExchange::Allocate *);

  bool enter(const Framework &framework, nb::handle array) {
    constexpr int32_t kCpu = 1;
    nb::object device = array.attr("__dlpack_device__")();
    device_ = {nb::cast<int32_t>(nb::int_(device[0])), nb::cast<int32_t>(nb::int_(device[1]))};
    if (device_.device_type == kCpu)
      return false;
#if !defined(_WIN32)
    const DlpackExchange &exchange = *framework.exchange;
    auto setStream = reinterpret_cast<SetStream>(dlsym(RTLD_DEFAULT, "TVMFFIEnvSetStream"));
    auto setAllocator = reinterpret_cast<SetAllocator>(
        dlsym(RTLD_DEFAULT, "TVMFFIEnvSetDLPackManagedTensorAllocator"));
    void *current = nullptr;
    if (setStream && exchange.currentStream) {
      if (exchange.currentStream(device_.device_type, device_.device_id, &current) != 0)
        throw nb::python_error();
      if (setStream(device_.device_type, device_.device_id, current, &stream_) == 0)
        setStream_ = setStream;
    }
    if (setAllocator && exchange.allocate && setAllocator(exchange.allocate, 0, &allocator_) == 0)
      setAllocator_ = setAllocator;
#endif
    return true;
  }

  DLDevice device_{};
  void *stream_ = nullptr;
  DlpackExchange::Allocate allocator_ = nullptr;
  SetStream setStream_ = nullptr;
  SetAllocator setAllocator_ = nullptr;
};

/// The caller has checked that the kernel takes these arguments.
nb::object callNative(const NativeKernel &kernel, nb::args args) {
  GeKernelInfo info = kernel.info();
  bool isTvmFfi = (info.flags & GE_KERNEL_TVM_FFI) != 0;
  Values values(isTvmFfi || (info.flags & GE_KERNEL_KEEPS));
  std::vector<GeAny> given;
  given.reserve(args.size());
  for (nb::handle arg : args) {
    if (isTvmFfi && isOpsObject(arg.ptr()))
      throw nb::type_error("functions of tvm-ffi take no objects of " GE_PYTHON_PACKAGE
                           ".ops.Object");
    given.push_back(values.of(arg));
  }
  std::optional<DeviceScope> device;
  if (isTvmFfi)
    device.emplace(args);
  GeAny result{};
  bool unlocks = !(info.flags & GE_KERNEL_HOLDS_GIL);
  GeStatus status =
      run(unlocks, [&] { return geKernelCall(kernel.ref, given.data(), given.size(), &result); });
  check(afterCallbacks(status));
  return toPython(result, isTvmFfi);
}

/// Looks up a function in a shared library, which stays mapped, because objects of it may live on.
/// `__tvm_ffi_<name>` is a function of tvm-ffi and is preferred to `<name>`.
GeKernelFn symbolOf(nb::str file, nb::str name, bool &isTvmFfi) {
#if defined(_WIN32)
  throw std::runtime_error("symbol= is not supported on this platform");
#else
  GeStringRef path = ref(file), text = ref(name);
  std::string where(path.data, path.length), symbol(text.data, text.length);
  void *library = nullptr;
  {
    GilRelease release; // constructors of the library may run any code
    library = dlopen(where.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (!library) {
    const char *why = dlerror();
    PyErr_Format(PyExc_OSError, "%s cannot be loaded: %s", where.c_str(), why ? why : "");
    throw nb::python_error();
  }
  void *found = dlsym(library, ("__tvm_ffi_" + symbol).c_str());
  isTvmFfi = found != nullptr;
  if (!found)
    found = dlsym(library, symbol.c_str());
  if (!found) {
    PyErr_Format(PyExc_KeyError, "%s has no symbol '%s'", where.c_str(), symbol.c_str());
    throw nb::python_error();
  }
  return reinterpret_cast<GeKernelFn>(found);
#endif
}

} // namespace

GeKernel nativeOf(nb::handle function) {
  return nb::isinstance<NativeKernel>(function) ? nb::cast<NativeKernel &>(function).ref : nullptr;
}

nb::object wrapNativeKernel(GeKernel kernel) {
  geKernelRetain(kernel);
  return nb::cast(new NativeKernel(kernel), nb::rv_policy::take_ownership);
}

void implementInC(GeLibrary *library, nb::str op, nb::str backend, nb::str sharedLibrary,
                  nb::str symbol, uint32_t flags, bool overrides, nb::str file, uint32_t line) {
  GeKernelSpec spec{};
  spec.size = sizeof spec;
  spec.op = ref(op);
  spec.backend = ref(backend);
  bool isTvmFfi = false;
  spec.function = symbolOf(sharedLibrary, symbol, isTvmFfi);
  spec.flags = flags | (isTvmFfi ? GE_KERNEL_TVM_FFI : 0);
  spec.overrides = overrides;
  spec.file = ref(file);
  spec.line = line;
  check(geLibraryImpl(library, &spec, nullptr));
}

void populateKernelCall(nb::module_ &m) {
  nb::class_<NativeKernel>(m, "_NativeKernel", nb::is_final())
      .def("describe",
           [](const NativeKernel &k) {
             GeKernelInfo info = k.info();
             return nb::make_tuple(str(info.op), str(info.backend), str(info.file), info.line,
                                   info.flags);
           })
      .def("__call__",
           [](nb::handle self, nb::args args) {
             return importModule(GE_PYTHON_PACKAGE ".ops._from_c").attr("call_checked")(self, args);
           })
      .def("run", callNative);
  populateTvmFfi(m);
}

} // namespace ge::python
