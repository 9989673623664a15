//===- TensorData.h - dense data in and out ----------------------------------------------------===//
#ifndef GE_BINDINGS_PYTHON_IR_TENSORDATA_H
#define GE_BINDINGS_PYTHON_IR_TENSORDATA_H

#include "Convert.h"

namespace ge::python {

/// Tensor(...) in the words of another vocabulary, which sets this: null without an exception when
/// the arguments are not its.
inline PyObject *(*constructTensorElsewhere)(PyObject *args, PyObject *kwargs) = nullptr;

/// As toTensor, with exceptions. `dtype` null: what the data says, ints i64 and floats f32 for
/// plain lists.
GeTensor *tensorFrom(GeContext *context, nb::handle data, GeType type, const GeDType *dtype,
                     bool copy);
/// One element for all of `type`.
GeTensor *splatFrom(nb::handle value, GeType type);
/// A static tensor type.
GeType staticType(GeContext *context, GeDType dtype, const std::vector<int64_t> &shape);
std::vector<int64_t> staticShape(GeType type);
GeDTypeInfo dtypeInfo(GeDType dtype);

/// A read-only NumPy array over the data; copies only packed elements and strings.
nb::object numpyOf(nb::handle tensor);
/// An object with `__dlpack__`, over the data.
nb::object dlpackOf(nb::handle tensor);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_IR_TENSORDATA_H
