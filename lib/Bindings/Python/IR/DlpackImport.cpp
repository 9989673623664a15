//===- DlpackImport.cpp - foreign tensors as NumPy arrays ---------------------------------------===//
#include "DlpackTensor.h"

#include "Convert.h"
#include "NumpyArrays.h"
#include "TensorData.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ge::python {

namespace {

constexpr const char *kOwner = "ge.dlpack_tensor";

/// Keeps the tensor until the last array over it is gone.
nb::object ownerOf(DlpackTensor tensor) {
  auto held = std::make_unique<DlpackTensor>(std::move(tensor));
  nb::object capsule = nb::steal(checked(PyCapsule_New(held.get(), kOwner, [](PyObject *self) {
    delete static_cast<DlpackTensor *>(PyCapsule_GetPointer(self, kOwner));
  })));
  held.release(); // NOLINT(bugprone-unused-return-value): the capsule's now
  return capsule;
}

/// Throws TypeError for an element type that GE does not have. Elements of less than a byte are
/// taken one a byte, as in ml_dtypes.
GeDTypeInfo elementOf(const DlpackTensor &tensor, GeDType &dtype) {
  DLDataType type = tensor->dtype;
  bool isKnown = geDTypeFromDLPack(type, &dtype) == GE_OK;
  if (!isKnown || dtypeInfo(dtype).numpy == nullptr || (type.bits < 8 && !tensor.isPadded())) {
    PyErr_Format(PyExc_TypeError, "%s has no elements of DLPack's code %d, %d bits, %d lanes%s",
                 GE_PYTHON_PACKAGE, int(type.code), int(type.bits), int(type.lanes),
                 isKnown ? " packed into bytes; convert them to int8" : "; convert the tensor");
    throw nb::python_error();
  }
  return dtypeInfo(dtype);
}

nb::object tupleOfSizes(const std::vector<Py_ssize_t> &values) {
  nb::list items;
  for (Py_ssize_t value : values)
    items.append(value);
  return nb::tuple(items);
}

/// Where NumPy's table could not be used, and for more dimensions than it takes here.
nb::object arrayByInterface(nb::handle owner, const nb::object &dtype, void *data,
                            const std::vector<Py_ssize_t> &shape,
                            const std::vector<Py_ssize_t> &strides, bool isReadOnly) {
  auto width = nb::cast<size_t>(dtype.attr("itemsize"));
  nb::dict interface;
  interface["version"] = 3;
  interface["shape"] = tupleOfSizes(shape);
  interface["strides"] = tupleOfSizes(strides);
  interface["typestr"] = width == 1   ? "|u1"
                         : width == 2 ? "<u2"
                         : width == 4 ? "<u4"
                         : width == 8 ? "<u8"
                                      : "|V16";
  interface["data"] = nb::make_tuple(nb::steal(checked(PyLong_FromVoidPtr(data))), isReadOnly);
  nb::object holder = importModule(GE_PYTHON_PACKAGE ".ir._pickle").attr("ArrayInterface");
  return numpy().attr("asarray")(holder(interface, owner)).attr("view")(dtype);
}

nb::object arrayOver(DlpackTensor tensor, bool isWritable) {
  GeDType ge;
  elementOf(tensor, ge);
  nb::object dtype = nb::steal(checked(wrapDType(ge))).attr("numpy");
  dtype = numpy().attr("dtype")(dtype);
  auto width = nb::cast<Py_ssize_t>(dtype.attr("itemsize"));
  std::vector<Py_ssize_t> shape, strides;
  bool isEmpty = false;
  for (int32_t i = 0; i < tensor->ndim; ++i) {
    shape.push_back(Py_ssize_t(tensor->shape[i]));
    strides.push_back(Py_ssize_t(tensor.stride(i)) * width);
    isEmpty |= shape.back() == 0;
  }
  if (isEmpty)
    return numpy().attr("empty")(tupleOfSizes(shape), dtype);
  void *data = tensor.data();
  nb::object owner = ownerOf(std::move(tensor));
  const Numpy &table = Numpy::get();
  constexpr size_t kMostDims = 32;
  if (!table.canMake() || shape.size() > kMostDims)
    return arrayByInterface(owner, dtype, data, shape, strides, !isWritable);
  bool isAligned = reinterpret_cast<uintptr_t>(data) % size_t(width) == 0;
  int flags = (isWritable ? NumpyArray::kWriteable : 0) | (isAligned ? NumpyArray::kAligned : 0);
  return nb::steal(checked(table.make(dtype.ptr(), int(shape.size()), shape.data(), strides.data(),
                                      data, flags, owner.release().ptr())));
}

/// Element type's name and shape, read from the capsule: of any device.
nb::object signatureOf(nb::handle foreign) {
  DlpackTensor tensor(foreign);
  GeDType ge;
  nb::list shape;
  for (int32_t i = 0; i < tensor->ndim; ++i)
    shape.append(tensor->shape[i]);
  return nb::make_tuple(elementOf(tensor, ge).name, nb::tuple(shape));
}

/// Whether the elements are next to each other in row-major order.
bool isCompact(nb::handle foreign) {
  DlpackTensor tensor(foreign);
  int64_t step = 1;
  for (int32_t i = tensor->ndim; i-- > 0; step *= tensor->shape[i]) {
    if (tensor->shape[i] == 0)
      return true;
    if (tensor->shape[i] != 1 && tensor.stride(i) != step)
      return false;
  }
  return true;
}

} // namespace

nb::object arrayOver(nb::handle foreign) {
  DlpackTensor tensor(foreign);
  if (!tensor.isOnHost()) {
    std::string name(nb::str(foreign.type().attr("__name__")).c_str());
    PyErr_Format(PyExc_BufferError,
                 "%s is on DLPack device type %d, not on the CPU; copy it to the CPU", name.c_str(),
                 int(tensor->device.device_type));
    throw nb::python_error();
  }
  bool isWritable = !tensor.isReadOnly() || isTorch(foreign);
  return arrayOver(std::move(tensor), isWritable);
}

void populateDlpack(nb::module_ &m) {
  m.def("_from_dlpack", [](nb::handle foreign) { return arrayOver(foreign); });
  m.def("_dlpack_signature", signatureOf);
  m.def("_is_compact", isCompact);
  m.def("_refuse_lazy", refuseLazyTensor);
  m.def("_refuse_masked", refuseMasked, nb::arg("array").none());
}

} // namespace ge::python
