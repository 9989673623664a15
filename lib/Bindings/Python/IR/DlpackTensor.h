//===- DlpackTensor.h - tensors of other frameworks, taken through `__dlpack__` -----------------===//
//
// The only importer of foreign tensors: _ge.ir and _ge.ops use it. What the exporter raises is what
// the caller gets. Any layout, element type and device is taken; the caller checks what it needs.
//
#ifndef GE_BINDINGS_PYTHON_IR_DLPACKTENSOR_H
#define GE_BINDINGS_PYTHON_IR_DLPACKTENSOR_H

#include "Errors.h"

#include "ge-c/Kernels.h"

#include <string>
#include <string_view>
#include <utility>

namespace ge::python {

/// DLManagedTensor of DLPack before 1.0.
struct DlpackUnversioned {
  DLTensor tensor;
  void *context;
  void (*deleter)(DlpackUnversioned *self);
};

/// Throws BufferError for a tensor of PyTorch whose memory does not hold its values (the conjugate
/// and negative bits), or that is part of a gradient. DLPack cannot express that, and not every
/// version of PyTorch refuses it.
void refuseLazyTensor(nb::handle object);

/// A tensor that an object exports; released with this object, under the GIL.
class DlpackTensor {
public:
  static constexpr int32_t kCpu = 1, kCudaHost = 3, kRocmHost = 11;

  DlpackTensor() = default;
  /// Calls `__dlpack__`; on a device without waiting for the stream.
  explicit DlpackTensor(nb::handle object) : DlpackTensor() { // delegates: a failure releases
    refuseLazyTensor(object);
    take(exported(object), object);
    check(object);
  }
  DlpackTensor(DlpackTensor &&other) noexcept
      : tensor_(other.tensor_), managed_(std::exchange(other.managed_, nullptr)),
        older_(std::exchange(other.older_, nullptr)) {}
  DlpackTensor &operator=(DlpackTensor &&other) noexcept {
    std::swap(tensor_, other.tensor_);
    std::swap(managed_, other.managed_);
    std::swap(older_, other.older_);
    return *this;
  }
  ~DlpackTensor() {
    if (managed_ && managed_->deleter)
      managed_->deleter(managed_);
    if (older_ && older_->deleter)
      older_->deleter(older_);
  }

  const DLTensor &operator*() const { return *tensor_; }
  const DLTensor *operator->() const { return tensor_; }
  /// Before 1.0 an exporter cannot say it: as in NumPy, such memory is not written.
  bool isReadOnly() const { return !managed_ || (managed_->flags & 1) != 0; }
  /// Elements of less than a byte take a byte each.
  bool isPadded() const { return managed_ && (managed_->flags & 4) != 0; }
  bool isOnHost() const {
    int32_t type = tensor_->device.device_type;
    return type == kCpu || type == kCudaHost || type == kRocmHost;
  }
  /// In elements; null strides mean compact and row-major.
  int64_t stride(int32_t axis) const {
    if (tensor_->strides)
      return tensor_->strides[axis];
    int64_t step = 1;
    for (int32_t i = tensor_->ndim; --i > axis;)
      step *= tensor_->shape[i];
    return step;
  }
  char *data() const { return static_cast<char *>(tensor_->data) + tensor_->byte_offset; }

private:
  static nb::object exported(nb::handle object) {
    nb::object ask = nb::getattr(object, "__dlpack_device__", nb::none());
    bool isOnDevice = !ask.is_none() && nb::cast<int>(nb::int_(ask()[0])) != kCpu;
    nb::object give = object.attr("__dlpack__");
    nb::dict options;
    if (isOnDevice)
      options["stream"] = -1;
    options["max_version"] = nb::make_tuple(DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION);
    nb::tuple none;
    PyObject *made = PyObject_Call(give.ptr(), none.ptr(), options.ptr());
    if (!made && PyErr_ExceptionMatches(PyExc_TypeError)) { // before DLPack 1.0
      PyErr_Clear();
      checked(PyDict_DelItemString(options.ptr(), "max_version"));
      made = PyObject_Call(give.ptr(), none.ptr(), options.ptr());
    }
    return nb::steal(checked(made));
  }

  /// Takes the tensor out of the capsule.
  void take(const nb::object &capsule, nb::handle object) {
    if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
      managed_ = static_cast<DLManagedTensorVersioned *>(
          PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
      checked(PyCapsule_SetName(capsule.ptr(), "used_dltensor_versioned"));
      if (managed_->version.major != DLPACK_MAJOR_VERSION)
        refuse(object, "exports DLPack " + std::to_string(managed_->version.major) +
                           ".x; only 1.x is supported");
      tensor_ = &managed_->dl_tensor;
    } else if (PyCapsule_IsValid(capsule.ptr(), "dltensor")) {
      older_ = static_cast<DlpackUnversioned *>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
      checked(PyCapsule_SetName(capsule.ptr(), "used_dltensor"));
      tensor_ = &older_->tensor;
    } else {
      refuse(object, "gave no new capsule of a tensor: __dlpack__ returns one for each call");
    }
  }

  void check(nb::handle object) const {
    const DLTensor &t = *tensor_;
    constexpr int32_t kMostDims = 64;
    bool good = t.ndim >= 0 && t.ndim <= kMostDims && (t.ndim == 0 || t.shape);
    bool isEmpty = false;
    for (int32_t i = 0; good && i < t.ndim; ++i) {
      good = t.shape[i] >= 0;
      isEmpty |= t.shape[i] == 0;
    }
    if (!good || (!isEmpty && !t.data))
      refuse(object, "exports a tensor that has no data, or a shape that no tensor has");
  }

  [[noreturn]] void refuse(nb::handle object, const std::string &why) const {
    std::string name(nb::str(object.type().attr("__name__")).c_str());
    PyErr_SetString(PyExc_BufferError, (name + " " + why).c_str());
    throw nb::python_error();
  }

  const DLTensor *tensor_ = nullptr;
  DLManagedTensorVersioned *managed_ = nullptr;
  DlpackUnversioned *older_ = nullptr;
};

namespace detail {

/// Whether the attribute, or the result of the method, is True; False also where there is none.
inline bool isTrue(nb::handle object, const char *name, bool isMethod) {
  nb::object found = nb::getattr(object, name, nb::none());
  if (isMethod && !found.is_none())
    found = found();
  return found.ptr() == Py_True;
}

} // namespace detail

/// Whether it is a tensor of PyTorch, or of a class that derives from it.
inline bool isTorch(nb::handle object) {
  PyObject *torch = PyDict_GetItemString(PyImport_GetModuleDict(), "torch");
  if (!torch)
    return false;
  nb::object tensorClass = nb::getattr(nb::handle(torch), "Tensor", nb::none());
  bool is =
      PyType_Check(tensorClass.ptr()) && PyObject_IsInstance(object.ptr(), tensorClass.ptr()) == 1;
  PyErr_Clear();
  return is;
}

inline void refuseLazyTensor(nb::handle object) {
  if (!isTorch(object))
    return;
  struct Bit {
    const char *name;
    bool isMethod;
    const char *text;
  };
  static constexpr Bit kBits[] = {
      {"requires_grad", false, "can't export tensors that require gradient, use tensor.detach()"},
      {"is_neg", true, "can't export tensors with the negative bit set, use tensor.resolve_neg()"},
      {"is_conj", true,
       "can't export tensors with the conjugate bit set, use tensor.resolve_conj()"}};
  for (const Bit &bit : kBits)
    if (detail::isTrue(object, bit.name, bit.isMethod)) {
      PyErr_SetString(PyExc_BufferError, bit.text);
      throw nb::python_error();
    }
}

/// A NumPy array over the memory of a foreign tensor on the host, which it keeps; read-only where
/// the exporter says so, and before DLPack 1.0, but for PyTorch, which has no read-only tensors.
nb::object arrayOver(nb::handle foreign);

void populateDlpack(nb::module_ &m);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_DLPACKTENSOR_H
