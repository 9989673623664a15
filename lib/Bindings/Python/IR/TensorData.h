//===- TensorData.h - dense data in and out ----------------------------------------------------===//
#ifndef GE_BINDINGS_PYTHON_IR_TENSORDATA_H
#define GE_BINDINGS_PYTHON_IR_TENSORDATA_H

#include "Convert.h"

namespace ge::python {

/// Tensor(...) with the arguments of another vocabulary, which installs this function. Returns null
/// without an exception if the arguments are not of that vocabulary.
inline PyObject *(*constructTensorElsewhere)(PyObject *args, PyObject *kwargs) = nullptr;

/// As toTensor, with exceptions. `dtype` null: what the data says, ints i64 and floats f32 for
/// plain lists.
GeTensor *tensorFrom(GeContext *context, nb::handle data, GeType type, const GeDType *dtype,
                     bool copy);
/// A tensor of `type` with one value for all elements (a splat).
GeTensor *splatFrom(nb::handle value, GeType type);
/// A static tensor type.
GeType staticType(GeContext *context, GeDType dtype, const std::vector<int64_t> &shape);
std::vector<int64_t> staticShape(GeType type);
GeDTypeInfo dtypeInfo(GeDType dtype);

/// How mapped data is exported. A view of it is no longer guarded: reading a file that was
/// truncated ends the process.
enum class MappedData {
  CopySmall, ///< copied below 64 MiB, else a view
  Copy,
  View,
};

/// A read-only NumPy array over the data; packed elements and strings are copied, mapped data as
/// asked.
nb::object numpyOf(nb::handle tensor, MappedData mapped = MappedData::CopySmall);
/// An object with `__dlpack__`, over the data; with MappedData::Copy over a writable copy.
nb::object dlpackOf(nb::handle tensor, MappedData mapped);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_TENSORDATA_H
