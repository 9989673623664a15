//===- TensorExport.cpp - tensors as NumPy arrays and DLPack -----------------------------------===//
#include "Errors.h"
#include "NumpyArrays.h"
#include "TensorData.h"
#include "Unlock.h"

#include "ge-c/TensorFiles.h"

#include <nanobind/ndarray.h>

namespace ge::python {

namespace {

nb::object shapeTuple(const std::vector<int64_t> &values) {
  nb::object tuple = nb::steal(checked(PyTuple_New(Py_ssize_t(values.size()))));
  for (size_t i = 0; i < values.size(); ++i)
    PyTuple_SetItem(tuple.ptr(), Py_ssize_t(i), checked(PyLong_FromLongLong(values[i])));
  return tuple;
}

/// The dictionary from which NumPy makes an array over our memory.
nb::object interfaceOver(nb::handle owner, const void *data, const std::vector<int64_t> &shape,
                         size_t itemBits) {
  const char *typestr = itemBits <= 8    ? "|u1"
                        : itemBits == 16 ? "<u2"
                        : itemBits == 32 ? "<u4"
                        : itemBits == 64 ? "<u8"
                                         : "|V16";
  nb::dict interface;
  interface["version"] = 3;
  interface["shape"] = shapeTuple(shape);
  interface["typestr"] = typestr;
  interface["data"] =
      nb::make_tuple(nb::steal(checked(PyLong_FromVoidPtr(const_cast<void *>(data)))), true);
  // NumPy keeps this object alive, and this object keeps the tensor alive.
  nb::object holder = importModule(GE_PYTHON_PACKAGE ".ir._pickle").attr("ArrayInterface");
  return holder(interface, owner);
}

nb::object stringsOf(GeTensor *tensor, const std::vector<int64_t> &shape) {
  size_t count = 1;
  for (int64_t d : shape)
    count *= size_t(d);
  nb::object np = numpy();
  nb::object flat = np.attr("empty")(count, nb::arg("dtype") = "object");
  bool splat = geTensorIsSplat(tensor);
  for (size_t i = 0; i < count; ++i) {
    GeStringRef text;
    check(geTensorGetString(tensor, splat ? 0 : i, &text));
    flat[i] = nb::steal(checked(newText(text)));
  }
  nb::object array = flat.attr("reshape")(shapeTuple(shape));
  array.attr("setflags")(nb::arg("write") = false);
  return array;
}

/// The address of the bytes of a new array, which is not shared yet.
void *dataOf(const nb::object &array) {
  return PyLong_AsVoidPtr(nb::object(array.attr("__array_interface__")["data"][0]).ptr());
}

/// Returns an array of bytes, filled by `fill(data, size)`.
template <typename Fill> nb::object newBytes(size_t size, const Fill &fill) {
  nb::object array = numpy().attr("empty")(size, nb::arg("dtype") = "uint8");
  void *data = dataOf(array);
  check(run(size > kUnlockBytes, [&] { return fill(data, size); }));
  array.attr("setflags")(nb::arg("write") = false);
  return array;
}

/// Returns the stored bytes as an array if the data is mapped and must be copied; else an invalid
/// object.
nb::object copiedBytes(GeTensor *tensor, MappedData mapped) {
  constexpr size_t kSmall = size_t(64) << 20;
  size_t bytes = geTensorDenseSize(tensor);
  if (!geTensorIsMapped(tensor) || geTensorIsPacked(tensor) || mapped == MappedData::View ||
      (mapped == MappedData::CopySmall && bytes >= kSmall))
    return {};
  return newBytes(
      bytes, [&](void *data, size_t size) { return geTensorReadBytes(tensor, 0, data, size); });
}

/// Returns an array over bytes that are stored in NumPy's layout, if their element type has been
/// seen in an array before; else an invalid object.
nb::object plainArray(nb::handle object, GeTensor *tensor, const GeTensorTypeSpec &spec) {
  constexpr size_t kMostDims = 8;
  DLDataType type;
  if (geTensorIsSplat(tensor) || geTensorIsPacked(tensor) || geTensorIsMapped(tensor) ||
      spec.rank > kMostDims || geDTypeToDLPack(spec.dtype, &type) != GE_OK)
    return {};
  const Numpy &numpy = Numpy::get();
  const NumpyElement *element = numpy.canMake() ? numpy.element(type) : nullptr;
  const void *data;
  size_t bytes;
  if (!element || geTensorGetBytes(tensor, &data, &bytes) != GE_OK)
    return {};
  Py_ssize_t shape[kMostDims];
  for (size_t i = 0; i < spec.rank; ++i)
    shape[i] = Py_ssize_t(spec.shape[i].size);
  bool isAligned = reinterpret_cast<uintptr_t>(data) % size_t(element->size) == 0;
  return nb::steal(
      checked(numpy.make(element->dtype, int(spec.rank), shape, nullptr, const_cast<void *>(data),
                         isAligned ? NumpyArray::kAligned : 0, Py_NewRef(object.ptr()))));
}

} // namespace

nb::object numpyOf(nb::handle object, MappedData mapped) {
  GeTensor *tensor = payload<TensorObject>(object.ptr()).ref;
  GeType type = geTensorGetType(tensor);
  GeTensorTypeSpec spec;
  check(geTypeGetTensorSpec(type, &spec));
  if (nb::object array = plainArray(object, tensor, spec); array.is_valid())
    return array;
  GeDTypeInfo info = dtypeInfo(spec.dtype);
  std::vector<int64_t> shape = staticShape(type);
  if (std::string_view(info.name) == "string")
    return stringsOf(tensor, shape);
  nb::object dtype = nb::steal(wrapDType(spec.dtype)).attr("numpy");
  nb::object np = numpy();
  if (geTensorIsPacked(tensor) && !geTensorIsSplat(tensor)) {
    nb::object array = newBytes(geTensorDenseSize(tensor), [&](void *data, size_t size) {
      return geTensorCopyTo(tensor, data, size);
    });
    return array.attr("view")(dtype).attr("reshape")(shapeTuple(shape));
  }
  if (nb::object array = copiedBytes(tensor, mapped); array.is_valid())
    return array.attr("view")(dtype).attr("reshape")(shapeTuple(shape));
  const void *data;
  size_t bytes;
  check(geTensorGetBytes(tensor, &data, &bytes));
  if (geTensorIsSplat(tensor)) {
    nb::object one =
        np.attr("asarray")(interfaceOver(object, data, {}, info.bits)).attr("view")(dtype);
    return np.attr("broadcast_to")(one, shapeTuple(shape));
  }
  return np.attr("asarray")(interfaceOver(object, data, shape, info.bits)).attr("view")(dtype);
}

nb::object dlpackOf(nb::handle object, MappedData mapped) {
  GeTensor *tensor = payload<TensorObject>(object.ptr()).ref;
  GeType type = geTensorGetType(tensor);
  GeTensorTypeSpec spec;
  check(geTypeGetTensorSpec(type, &spec));
  std::string_view name = dtypeInfo(spec.dtype).name;
  using Code = nb::dlpack::dtype_code;
  struct Row {
    const char *name;
    Code code;
    uint8_t bits;
  };
  static constexpr Row rows[] = {{"f32", Code::Float, 32},
                                 {"f64", Code::Float, 64},
                                 {"f16", Code::Float, 16},
                                 {"bf16", Code::Bfloat, 16},
                                 {"i8", Code::Int, 8},
                                 {"i16", Code::Int, 16},
                                 {"i32", Code::Int, 32},
                                 {"i64", Code::Int, 64},
                                 {"u8", Code::UInt, 8},
                                 {"u16", Code::UInt, 16},
                                 {"u32", Code::UInt, 32},
                                 {"u64", Code::UInt, 64},
                                 {"bool", Code::Bool, 8},
                                 {"c64", Code::Complex, 64},
                                 {"c128", Code::Complex, 128},
                                 {"f8e4m3fn", Code::Float8_E4M3FN, 8},
                                 {"f8e5m2", Code::Float8_E5M2, 8}};
  for (const Row &row : rows) {
    if (name != row.name)
      continue;
    const void *data;
    size_t bytes;
    bool isFresh = mapped == MappedData::Copy;
    nb::object owner =
        isFresh ? newBytes(geTensorDenseSize(tensor),
                           [&](void *to, size_t size) { return geTensorCopyTo(tensor, to, size); })
                : copiedBytes(tensor, mapped);
    if (owner.is_valid()) {
      data = dataOf(owner);
    } else {
      check(geTensorGetBytes(tensor, &data, &bytes));
      owner = nb::borrow(object);
    }
    std::vector<size_t> shape;
    std::vector<int64_t> strides;
    for (int64_t d : staticShape(type))
      shape.push_back(size_t(d));
    // A splat is one element that every index reads.
    strides.assign(shape.size(), 0);
    nb::dlpack::dtype dtype{uint8_t(row.code), row.bits, 1};
    if (isFresh)
      return nb::cast(nb::ndarray<nb::array_api>(const_cast<void *>(data), shape.size(),
                                                 shape.data(), owner, nullptr, dtype,
                                                 nb::device::cpu::value));
    nb::ndarray<nb::array_api, nb::ro> array(
        const_cast<void *>(data), shape.size(), shape.data(), owner,
        geTensorIsSplat(tensor) ? strides.data() : nullptr, dtype, nb::device::cpu::value);
    return nb::cast(array);
  }
  PyErr_Format(PyExc_TypeError, "DLPack has no element type for '%s'", dtypeInfo(spec.dtype).name);
  throw nb::python_error();
}

} // namespace ge::python
