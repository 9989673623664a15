//===- TensorData.cpp - dense data from NumPy, DLPack and buffers, and out ---------------------===//
//
// Data is borrowed, not copied: the tensor owns a reference to the Python object that holds the
// data and releases it with its last reference, on whatever thread that happens. Not promised: that
// a mutable array is not modified meanwhile; copy=True protects from that.
//
#include "TensorData.h"

#include "DlpackTensor.h"
#include "Errors.h"
#include "NumpyArrays.h"

#include <cstring>

namespace ge::python {

namespace {

void releaseObject(void *owner) {
  GilAcquire guard;
  if (guard)
    Py_DECREF(static_cast<PyObject *>(owner));
}

/// Also if asking for it fails in another way than for want of it: using it raises that exception,
/// which is the exporter's.
bool has(nb::handle object, const char *attribute) {
  nb::object found = nb::steal(PyObject_GetAttrString(object.ptr(), attribute));
  bool is = found.is_valid() || !PyErr_ExceptionMatches(PyExc_AttributeError);
  PyErr_Clear();
  return is;
}

/// A memoryview; invalid for objects without the buffer protocol. PyObject_CheckBuffer is not in
/// the limited API of 3.10.
nb::object bufferOf(nb::handle object) {
  nb::object view = nb::steal(PyMemoryView_FromObject(object.ptr()));
  PyErr_Clear();
  return view;
}

/// The declared type if there is one, else a static type with the shape of the data.
GeType typeFor(GeContext *context, GeType wanted, GeDType dtype,
               const std::vector<int64_t> &shape) {
  if (!wanted)
    return staticType(context, dtype, shape);
  GeTensorTypeSpec spec;
  check(geTypeGetTensorSpec(wanted, &spec));
  bool same = spec.ranked && spec.rank == shape.size() && spec.dtype == dtype;
  for (size_t i = 0; same && i < shape.size(); ++i)
    same = spec.shape[i].size == shape[i];
  if (same)
    return wanted;
  std::string expected, found;
  geTypePrint(wanted, appendTo, &expected);
  geTypePrint(staticType(context, dtype, shape), appendTo, &found);
  PyErr_Format(PyExc_ValueError, "the data is a %s, not a %s", found.c_str(), expected.c_str());
  throw nb::python_error();
}

/// Takes the status by reference, because the call that sets it may be evaluated after the other
/// argument.
GeTensor *made(GeStatus s, GeTensor *const &tensor) {
  check(s);
  return tensor;
}

GeTensor *borrow(GeType type, const void *data, size_t bytes, bool copy, nb::handle owner) {
  GeTensor *tensor = nullptr;
  if (copy)
    return made(geTensorCopy(type, data, bytes, false, &tensor), tensor);
  owner.inc_ref();
  GeStatus s = geTensorBorrow(type, data, bytes, releaseObject, owner.ptr(), false, &tensor);
  if (s)
    owner.dec_ref();
  return made(s, tensor);
}

GeTensor *fromStrings(GeContext *context, nb::handle array, GeType type) {
  nb::list flat(array.attr("ravel")().attr("tolist")());
  std::vector<nb::object> held;
  std::vector<GeStringRef> elements;
  for (nb::handle item : flat) {
    GeStringRef text;
    if (PyBytes_Check(item.ptr())) {
      char *data;
      Py_ssize_t length;
      checked(PyBytes_AsStringAndSize(item.ptr(), &data, &length));
      text = {data, size_t(length)};
    } else if (!toText(item.ptr(), "an element of a string tensor", text)) {
      throw nb::python_error();
    }
    held.push_back(nb::borrow(item));
    elements.push_back(text);
  }
  GeDType string;
  check(geDTypeFromName(stringRef("string"), &string));
  auto shape = nb::cast<nb::tuple>(array.attr("shape"));
  std::vector<int64_t> dims;
  for (nb::handle d : shape)
    dims.push_back(nb::cast<int64_t>(d));
  GeTensor *tensor = nullptr;
  return made(geTensorStrings(typeFor(context, type, string, dims), elements.data(),
                              elements.size(), &tensor),
              tensor);
}

/// Reads ndarray objects: `__array_interface__` gives the address also for the element types of
/// ml_dtypes.
GeTensor *fromNumpy(GeContext *context, nb::object array, GeType type, const GeDType *dtype,
                    bool copy) {
  refuseMasked(array);
  nb::object owner = array;
  array = numpy().attr("asarray")(array); // a subclass may have attributes of its own
  nb::object kind = array.attr("dtype").attr("kind");
  if (nb::cast<std::string_view>(kind).find_first_of("OUST") == 0) {
    if (dtype && std::string_view(dtypeInfo(*dtype).name) != "string") {
      PyErr_Format(PyExc_TypeError,
                   "tensor data: an array of text or objects holds no elements of type %s; convert "
                   "it with astype()",
                   dtypeInfo(*dtype).name);
      throw nb::python_error();
    }
    return fromStrings(context, array, type);
  }
  GeDType own;
  if (!toDType(nb::object(array.attr("dtype")).ptr(), own))
    throw nb::python_error();
  if (dtype && *dtype != own) {
    nb::object wanted = nb::steal(wrapDType(*dtype));
    array = array.attr("astype")(wanted.attr("numpy"));
    own = *dtype;
    owner = {}; // the conversion above has made a copy
  }
  if (!nb::cast<bool>(array.attr("dtype").attr("isnative"))) {
    array = array.attr("astype")(array.attr("dtype").attr("newbyteorder")("="));
    owner = {};
  }
  if (!nb::cast<bool>(array.attr("flags")["C_CONTIGUOUS"])) {
    array = numpy().attr("ascontiguousarray")(array);
    owner = {};
  }
  std::vector<int64_t> dims;
  for (nb::handle d : nb::cast<nb::tuple>(array.attr("shape")))
    dims.push_back(nb::cast<int64_t>(d));
  nb::object address = array.attr("__array_interface__")["data"][0];
  auto *data = PyLong_AsVoidPtr(address.ptr());
  auto bytes = nb::cast<size_t>(array.attr("nbytes"));
  bool isOurs = !owner.is_valid();
  return borrow(typeFor(context, type, own, dims), data, bytes, copy && !isOurs,
                isOurs ? array : owner);
}

/// Of NumPy's class or one that derives from it.
bool isNumpyArray(nb::handle object) {
  PyObject *numpy = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
  nb::object arrayClass =
      numpy ? nb::getattr(nb::handle(numpy), "ndarray", nb::none()) : nb::object(nb::none());
  bool is =
      PyType_Check(arrayClass.ptr()) && PyObject_IsInstance(object.ptr(), arrayClass.ptr()) == 1;
  PyErr_Clear();
  return is;
}

void refuseNoNumbers(nb::handle object) {
  nb::object kind = numpy().attr("array")(object).attr("dtype").attr("kind");
  if (nb::cast<std::string_view>(kind).find_first_of("biuf") != 0)
    throw nb::type_error("tensor data: elements of bool are bools or numbers, not text or other "
                         "objects");
}

/// Converts plain lists and numbers through NumPy. Without a dtype, ints become i64 and floats f32,
/// GE's defaults.
GeTensor *fromPlain(GeContext *context, nb::handle object, GeType type, const GeDType *dtype) {
  GeTensorTypeSpec spec{};
  if (type) {
    check(geTypeGetTensorSpec(type, &spec));
    if (!dtype)
      dtype = &spec.dtype;
  }
  nb::object array;
  if (dtype && dtypeInfo(*dtype).numpy) {
    nb::object wanted = nb::steal(wrapDType(*dtype));
    // NumPy accepts any object as a bool.
    if (std::string_view(dtypeInfo(*dtype).name) == "bool")
      refuseNoNumbers(object);
    array = numpy().attr("array")(object, nb::arg("dtype") = wanted.attr("numpy"));
  } else {
    array = numpy().attr("array")(object);
    nb::object kind = array.attr("dtype").attr("kind");
    if (nb::cast<std::string_view>(kind) == "f")
      array = array.attr("astype")("float32");
    else if (nb::cast<std::string_view>(kind) == "U") // NumPy would convert numbers to text, too
      array = numpy().attr("array")(object, nb::arg("dtype") = "object");
  }
  return fromNumpy(context, array, type, nullptr, false);
}

template <typename T> void put(std::vector<char> &out, T value) {
  out.resize(sizeof(T));
  std::memcpy(out.data(), &value, sizeof(T));
}

/// The bytes of one element. The usual element types need no NumPy.
std::vector<char> elementBytes(nb::handle value, GeDType dtype) {
  std::vector<char> out;
  std::string_view name = dtypeInfo(dtype).name;
  bool number = PyLong_Check(value.ptr()) || PyFloat_Check(value.ptr());
  if (number && (name == "f32" || name == "f64")) {
    double v = PyFloat_AsDouble(value.ptr());
    if (v == -1.0 && PyErr_Occurred())
      throw nb::python_error();
    if (name == "f32")
      put(out, float(v));
    else
      put(out, v);
    return out;
  }
  if (PyLong_Check(value.ptr()) && name == "i64") {
    long long v = PyLong_AsLongLong(value.ptr());
    if (v == -1 && PyErr_Occurred())
      throw nb::python_error();
    put(out, int64_t(v));
    return out;
  }
  if (PyLong_Check(value.ptr()) && name == "i32") {
    long long v = PyLong_AsLongLong(value.ptr());
    if ((v == -1 && PyErr_Occurred()) || v < INT32_MIN || v > INT32_MAX) {
      if (!PyErr_Occurred())
        PyErr_Format(PyExc_OverflowError, "%R does not fit i32", value.ptr());
      throw nb::python_error();
    }
    put(out, int32_t(v));
    return out;
  }
  if (PyBool_Check(value.ptr()) && name == "bool") {
    put(out, char(value.ptr() == Py_True));
    return out;
  }
  nb::object wanted = nb::steal(wrapDType(dtype));
  nb::object array = numpy().attr("array")(value, nb::arg("dtype") = wanted.attr("numpy"));
  if (nb::cast<int>(array.attr("ndim")) != 0)
    throw nb::type_error("a splat holds one number");
  nb::bytes raw(array.attr("tobytes")());
  out.assign(raw.c_str(), raw.c_str() + raw.size());
  return out;
}

/// Reads a compact array of class numpy.ndarray itself without attribute look-ups. Returns null,
/// without an exception, for every other object.
GeTensor *fromPlainArray(GeContext *context, nb::handle object) {
  const Numpy *numpy = Numpy::ifImported();
  const NumpyArray *array = numpy ? numpy->view(object.ptr()) : nullptr;
  const NumpyElement *element =
      array && array->is(NumpyArray::kCompact) ? numpy->element(array->dtype) : nullptr;
  constexpr int kMostDims = 8;
  if (!element || array->ndim > kMostDims)
    return nullptr;
  GeDim dims[kMostDims];
  size_t bytes = size_t(element->size);
  for (int i = 0; i < array->ndim; ++i) {
    dims[i] = {int64_t(array->shape[i]), nullptr};
    bytes *= size_t(array->shape[i]);
  }
  GeTensorTypeSpec spec{};
  spec.dtype = element->ge;
  spec.ranked = true;
  spec.rank = size_t(array->ndim);
  spec.shape = dims;
  GeType type;
  check(geTypeTensor(context, &spec, &type));
  return borrow(type, array->data, bytes, false, object);
}

} // namespace

GeDTypeInfo dtypeInfo(GeDType dtype) {
  GeDTypeInfo info;
  check(geDTypeGetInfo(dtype, &info));
  return info;
}

GeType staticType(GeContext *context, GeDType dtype, const std::vector<int64_t> &shape) {
  std::vector<GeDim> dims;
  for (int64_t size : shape)
    dims.push_back({size, nullptr});
  GeTensorTypeSpec spec{};
  spec.dtype = dtype;
  spec.ranked = true;
  spec.rank = dims.size();
  spec.shape = dims.data();
  GeType type;
  check(geTypeTensor(context, &spec, &type));
  return type;
}

std::vector<int64_t> staticShape(GeType type) {
  GeTensorTypeSpec spec;
  check(geTypeGetTensorSpec(type, &spec));
  std::vector<int64_t> shape;
  for (size_t i = 0; i < spec.rank; ++i)
    shape.push_back(spec.shape[i].size);
  return shape;
}

GeTensor *tensorFrom(GeContext *context, nb::handle data, GeType type, const GeDType *dtype,
                     bool copy) {
  if (isTensor(data.ptr())) {
    GeTensor *tensor = payload<TensorObject>(data.ptr()).ref;
    if (type && geTensorGetType(tensor) != type)
      typeFor(context, type, 0, {});
    geTensorRetain(tensor);
    return tensor;
  }
  if (GeTensor *tensor = type || dtype || copy ? nullptr : fromPlainArray(context, data))
    return tensor;
  if (isNumpyArray(data))
    return fromNumpy(context, nb::borrow(data), type, dtype, copy);
  if (PyList_Check(data.ptr()) || PyTuple_Check(data.ptr()) || PyLong_Check(data.ptr()) ||
      PyFloat_Check(data.ptr()) || PyUnicode_Check(data.ptr()) || PyComplex_CheckExact(data.ptr()))
    return fromPlain(context, data, type, dtype);
  if (has(data, "__dlpack__"))
    return fromNumpy(context, arrayOver(data), type, dtype, copy);
  nb::object view = has(data, "__array_interface__") ? nb::object() : bufferOf(data);
  if (view.is_valid())
    return fromNumpy(context, numpy().attr("asarray")(view), type, dtype, copy);
  if (has(data, "__array__") || has(data, "__array_interface__") || has(data, "item"))
    return fromNumpy(context, numpy().attr("asarray")(data), type, dtype, copy);
  checked(raiseType("tensor data",
                    "a Tensor, a NumPy array, something with DLPack or a buffer, or a list "
                    "of numbers",
                    data.ptr()));
  return nullptr;
}

bool isArrayLike(PyObject *object) {
  if (PyType_Check(object))
    return false;
  return isTensor(object) || has(object, "__array_interface__") || has(object, "__dlpack__") ||
         has(object, "__array__") || bufferOf(object).is_valid();
}

bool toTensor(GeContext *context, PyObject *object, GeType type, bool copy, GeTensor *&out) {
  try {
    out = tensorFrom(context, object, type, nullptr, copy);
    return true;
  } catch (nb::python_error &e) {
    e.restore();
  } catch (const nb::builtin_exception &e) {
    PyErr_SetString(PyExc_TypeError, e.what());
  } catch (const std::exception &e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
  return false;
}

GeTensor *splatFrom(nb::handle value, GeType type) {
  GeTensorTypeSpec spec;
  check(geTypeGetTensorSpec(type, &spec));
  GeTensor *tensor = nullptr;
  if (PyUnicode_Check(value.ptr()) && std::string_view(dtypeInfo(spec.dtype).name) == "string") {
    GeStringRef text;
    if (!toText(value.ptr(), "value", text))
      throw nb::python_error();
    return made(geTensorStrings(type, &text, 1, &tensor), tensor);
  }
  std::vector<char> element = elementBytes(value, spec.dtype);
  return made(geTensorSplat(type, element.data(), element.size(), &tensor), tensor);
}

} // namespace ge::python
