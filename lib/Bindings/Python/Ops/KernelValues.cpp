//===- KernelValues.cpp - Python's values as kernels take them ---------------------------------===//
#include "KernelValues.h"

#include "../IR/NumpyArrays.h"
#include "../Imported/Imported.h"
#include "Arguments.h"
#include "DlpackExchange.h"
#include "KernelObject.h"
#include "PopulateOps.h"

#include <cstdlib>
#include <cstring>

namespace ge::python {

namespace {

DLDataType dlTypeOf(GeDType dtype) {
  DLDataType type;
  check(geDTypeToDLPack(dtype, &type));
  return type;
}

/// Null if GE has no such element type.
const char *nameOf(DLDataType type) {
  GeDType dtype;
  GeDTypeInfo info;
  bool isKnown = geDTypeFromDLPack(type, &dtype) == GE_OK && geDTypeGetInfo(dtype, &info) == GE_OK;
  return isKnown ? info.name : nullptr;
}

/// A counted object of the heap, which the callee may keep.
template <typename T> T *newObject(int32_t tag, size_t extra) {
  auto *object = static_cast<T *>(std::calloc(1, sizeof(T) + extra));
  if (!object)
    throw std::bad_alloc();
  object->header.refs = GE_ONE_REFERENCE;
  object->header.tag = tag;
  object->header.deleter = geObjectFree;
  return object;
}

/// A tensor that the callee may keep: it owns a reference to the Python object with the data.
struct HeldTensor {
  GeTensorObject object;
  PyObject *owner;
  // Shape and strides follow.
};
void freeHeld(void *self, int flags) {
  auto *held = static_cast<HeldTensor *>(self);
  if (flags & 1)
    if (GilAcquire guard; guard)
      Py_CLEAR(held->owner);
  geObjectFree(self, flags);
}

/// A strong reference to an object that a kernel returned.
struct KernelMemory {
  GeObject *ref = nullptr;
  KernelMemory() = default;
  KernelMemory(const KernelMemory &) = delete;
  ~KernelMemory() {
    if (ref)
      geObjectRelease(ref);
  }
};

/// Takes a reference over.
nb::object handleOn(GeObject *object) {
  nb::object handle = nb::cast(new KernelMemory(), nb::rv_policy::take_ownership);
  nb::cast<KernelMemory &>(handle).ref = object;
  return handle;
}

constexpr int32_t kNoTag = -1, kFirstObject = 64;
constexpr int32_t kFirstOpaque = 128; ///< first tag that tvm-ffi assigns to classes at load time

/// Returns whether a result is an object. Values of a tvm-ffi function with tag 64 or higher are
/// objects, even if GE has no such class.
bool ownsObject(const GeAny &value, bool isTvmFfi) {
  return geAnyIsObject(&value) || (isTvmFfi && value.tag >= kFirstObject && value.o);
}

/// Returns the native instance of an object whose class a library defines in its own language; else
/// null.
GeObject *instanceOf(PyObject *o) {
  if (!objectClass || !PyType_IsSubtype(Py_TYPE(o), objectClass))
    return nullptr;
  nb::object held = nb::steal(PyObject_GetAttrString(o, "_ge_instance"));
  PyErr_Clear();
  if (!held.is_valid() || !nb::isinstance<KernelMemory>(held))
    return nullptr;
  return nb::cast<KernelMemory &>(held).ref;
}

} // namespace

namespace {

constexpr int kMostDepth = 32; ///< of nested lists

[[noreturn]] void raiseAs(PyObject *type, const char *text) {
  PyErr_SetString(type, text);
  throw nb::python_error();
}

/// DLPack's strides are in elements; the fields of a structured array are not a whole number of
/// elements apart.
int64_t wholeStride(int64_t bytes, int64_t width) {
  if (bytes % width != 0)
    throw nb::value_error(
        "takes arrays whose strides are whole elements; pass a copy of the field");
  return bytes / width;
}

} // namespace

Values::~Values() {
  for (GeObject *object : objects_)
    geObjectRelease(object);
}

GeAny Values::of(nb::handle value) {
  PyObject *o = value.ptr();
  GeAny out{};
  if (o == Py_None)
    return out;
  if (PyBool_Check(o)) {
    out.tag = GE_ANY_BOOL;
    out.i = o == Py_True;
  } else if (PyLong_Check(o)) {
    int overflow = 0;
    out.tag = GE_ANY_INT;
    out.i = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow)
      raiseAs(PyExc_OverflowError,
              "an int that does not fit 64 bits cannot be given to a kernel in C");
  } else if (PyFloat_Check(o)) {
    out.tag = GE_ANY_FLOAT;
    out.f = PyFloat_AsDouble(o);
  } else if (PyUnicode_Check(o)) {
    GeStringRef text;
    if (!toText(o, "argument", text))
      throw nb::python_error();
    // An element of a list is copied, because nothing keeps it in the list while the kernel runs.
    if (counted_ || depth_ || std::memchr(text.data, 0, text.length)) {
      out = bytes(GE_ANY_STR_OBJECT, text.data, text.length);
    } else {
      out.tag = GE_ANY_STR;
      out.s = text.data;
    }
  } else if (PyBytes_Check(o)) {
    char *data;
    Py_ssize_t length;
    checked(PyBytes_AsStringAndSize(o, &data, &length));
    out = bytes(GE_ANY_BYTES_OBJECT, data, size_t(length));
  } else if (PyList_Check(o) || PyTuple_Check(o)) {
    out = list(value);
  } else if (isDType(o)) {
    GeDType dtype;
    if (!toDType(o, dtype))
      throw nb::python_error();
    out.tag = GE_ANY_DTYPE;
    out.dtype = dlTypeOf(dtype);
  } else if (GeObject *instance = instanceOf(o)) {
    geObjectRetain(instance);
    out = object(GE_ANY_INSTANCE_OBJECT, instance);
  } else if (nb::isinstance<KernelMemory>(value)) {
    GeObject *opaque = nb::cast<KernelMemory &>(value).ref;
    geObjectRetain(opaque);
    out = object(opaque->tag, opaque);
  } else if (isOpsObject(o)) {
    std::string name(nb::str(value.type().attr("__name__")).c_str());
    throw nb::type_error(
        (name + " has no instance in C++: it is a class of Python, or its __init__ did not call "
                "super().__init__()")
            .c_str());
  } else {
    DLTensor *borrowed = tensor(value);
    if (counted_)
      return held(*borrowed, o);
    out.tag = GE_ANY_TENSOR;
    out.t = borrowed;
  }
  return out;
}

GeAny Values::object(int32_t tag, GeObject *object) {
  objects_.push_back(object);
  GeAny out{};
  out.tag = tag;
  out.o = object;
  return out;
}

GeAny Values::bytes(int32_t tag, const char *data, size_t size) {
  auto *made = newObject<GeBytesObject>(tag, size + 1);
  auto *copy = reinterpret_cast<char *>(made + 1);
  std::memcpy(copy, data, size);
  made->data = copy;
  made->size = size;
  return object(tag, &made->header);
}

GeAny Values::held(const DLTensor &t, PyObject *owner) {
  size_t rank = size_t(t.ndim);
  auto *made =
      newObject<GeTensorObject>(GE_ANY_TENSOR_OBJECT, sizeof(HeldTensor) - sizeof(GeTensorObject) +
                                                          2 * rank * sizeof(int64_t));
  auto *own = reinterpret_cast<HeldTensor *>(made);
  own->owner = Py_NewRef(owner);
  own->object.header.deleter = freeHeld;
  auto *sizes = reinterpret_cast<int64_t *>(own + 1);
  made->tensor = t;
  made->tensor.shape = sizes;
  made->tensor.strides = sizes + rank;
  if (rank) {
    std::memcpy(sizes, t.shape, rank * sizeof(int64_t));
    std::memcpy(sizes + rank, t.strides, rank * sizeof(int64_t));
  }
  return object(GE_ANY_TENSOR_OBJECT, &made->header);
}

PyObject *Values::ownerOf(GeObject *object) {
  return object->deleter == freeHeld ? reinterpret_cast<HeldTensor *>(object)->owner : nullptr;
}

GeAny Values::list(nb::handle sequence) {
  if (depth_ == kMostDepth)
    throw nb::value_error(
        "takes lists nested 32 deep at most; this one is deeper, or contains itself");
  std::vector<GeAny> items;
  ++depth_;
  for (nb::handle item : sequence)
    items.push_back(of(item));
  --depth_; // an exception ends the call
  auto *made = newObject<GeArrayObject>(GE_ANY_ARRAY_OBJECT, items.size() * sizeof(GeAny));
  made->items = reinterpret_cast<GeAny *>(made + 1);
  made->size = made->capacity = int64_t(items.size());
  if (!items.empty())
    std::memcpy(made->items, items.data(), items.size() * sizeof(GeAny));
  // The array owns a reference to each element.
  for (GeAny &item : items)
    if (item.tag >= 64)
      geObjectRetain(item.o);
  made->header.deleter = geArrayFree;
  return object(GE_ANY_ARRAY_OBJECT, &made->header);
}

DLTensor *Values::tensor(nb::handle array) {
  Tensor &own = tensors_.emplace_back();
  own.value = {};
  const NumpyArray *fast = lent().numpy().view(array.ptr());
  const NumpyElement *element = fast ? lent().numpy().element(fast->dtype) : nullptr;
  const Framework *framework = fast ? nullptr : frameworkOf(array.ptr());
  if (DLTensor t; framework && borrowTensor(*framework, array.ptr(), t)) {
    own.value = t;
    int64_t step = 1;
    own.shape.assign(t.shape, t.shape + t.ndim);
    own.strides.resize(size_t(t.ndim));
    for (size_t i = own.shape.size(); i-- > 0; step *= own.shape[i])
      own.strides[i] = t.strides ? t.strides[i] : step;
    own.value.data = static_cast<char *>(t.data) + t.byte_offset; // also for device memory
    own.value.byte_offset = 0;
  } else if (element) {
    own.value.dtype = element->type;
    own.value.device = {1, 0};
    own.value.data = fast->data;
    for (int i = 0; i < fast->ndim; ++i) {
      own.shape.push_back(fast->shape[i]);
      own.strides.push_back(wholeStride(fast->strides[i], element->size));
    }
  } else if (nb::hasattr(array, "__array_interface__")) {
    GeDType dtype;
    nb::object numpyType = array.attr("dtype");
    if (!toDType(numpyType.ptr(), dtype))
      throw nb::python_error();
    if (!nb::cast<bool>(nb::getattr(numpyType, "isnative", nb::bool_(true))))
      throw nb::value_error("takes arrays of this machine's byte order; convert it with "
                            "array.astype(array.dtype.newbyteorder('='))");
    own.value.dtype = dlTypeOf(dtype);
    own.value.device = {1, 0};
    own.value.data =
        PyLong_AsVoidPtr(nb::object(array.attr("__array_interface__")["data"][0]).ptr());
    int64_t width = std::max(own.value.dtype.bits / 8, 1);
    for (nb::handle size : nb::cast<nb::tuple>(array.attr("shape")))
      own.shape.push_back(nb::cast<int64_t>(size));
    for (nb::handle step : nb::cast<nb::tuple>(array.attr("strides")))
      own.strides.push_back(wholeStride(nb::cast<int64_t>(step), width));
  } else if (!nb::hasattr(array, "__dlpack__")) {
    std::string name(nb::str(array.type().attr("__name__")).c_str());
    throw nb::type_error(("a " + name + " cannot be given to a kernel in C").c_str());
  } else {
    own.held = DlpackTensor(array);
    own.value = *own.held;
    own.value.data = own.held.data();
    own.value.byte_offset = 0;
    for (int32_t i = 0; i < own.held->ndim; ++i) {
      own.shape.push_back(own.held->shape[i]);
      own.strides.push_back(own.held.stride(i));
    }
  }
  own.value.ndim = int32_t(own.shape.size());
  own.value.shape = own.shape.data();
  own.value.strides = own.strides.data();
  return &own.value;
}

namespace {

/// An array over CPU memory whose element type NumPy has been probed for; else invalid.
nb::object numpyOver(const nb::object &owner, const DLTensor &t) {
  const Numpy &numpy = lent().numpy();
  const NumpyElement *element = numpy.element(t.dtype);
  constexpr int kMostDims = 8;
  if (!element || !numpy.canMake() || t.device.device_type != 1 || t.ndim > kMostDims || !t.data)
    return {};
  Py_ssize_t shape[kMostDims], strides[kMostDims];
  for (int i = 0; i < t.ndim; ++i) {
    if (t.shape[i] <= 0)
      return {};
    shape[i] = t.shape[i];
    strides[i] = t.strides ? t.strides[i] * element->size : 0;
  }
  char *data = static_cast<char *>(t.data) + t.byte_offset;
  bool isAligned = reinterpret_cast<uintptr_t>(data) % size_t(element->size) == 0;
  int flags = NumpyArray::kWriteable | (isAligned ? NumpyArray::kAligned : 0);
  return nb::steal(checked(numpy.make(element->dtype, t.ndim, shape, t.strides ? strides : nullptr,
                                      data, flags, nb::object(owner).release().ptr())));
}

nb::object tensorToPython(GeObject *object) {
  nb::object owner = handleOn(object);
  const DLTensor &t = reinterpret_cast<GeTensorObject *>(object)->tensor;
  if (nb::object array = numpyOver(owner, t); array.is_valid())
    return array;
  const char *name = nameOf(t.dtype);
  if (!name)
    throw nb::value_error("gave a tensor of an element type that GE does not have");
  nb::list shape, strides;
  for (int32_t i = 0; i < t.ndim; ++i) {
    shape.append(t.shape[i]);
    if (t.strides)
      strides.append(t.strides[i] * (t.dtype.bits / 8));
  }
  auto address = reinterpret_cast<uintptr_t>(t.data) + t.byte_offset;
  return kernelsModule().attr("array_over")(
      owner, address, name, nb::tuple(shape),
      t.strides ? nb::object(nb::tuple(strides)) : nb::object(nb::none()),
      nb::make_tuple(t.device.device_type, t.device.device_id));
}

} // namespace

static nb::object toPython(GeAny &value, bool isTvmFfi, int depth) {
  GeAny v = std::exchange(value, GeAny{});
  const int32_t tag = v.tag;
  KernelMemory owned;
  bool isObject = ownsObject(v, isTvmFfi);
  if (isObject)
    owned.ref = v.o;
  switch (isObject || tag < kFirstObject ? tag : kNoTag) {
  case GE_ANY_NONE:
    return nb::none();
  case GE_ANY_INT:
    return nb::int_(v.i);
  case GE_ANY_BOOL:
    return nb::bool_(v.i != 0);
  case GE_ANY_FLOAT:
    return nb::float_(v.f);
  case GE_ANY_DTYPE: {
    const char *name = nameOf(v.dtype);
    GeDType dtype;
    if (!name)
      throw nb::value_error("gave an element type that GE does not have");
    check(geDTypeFromName(stringRef(name), &dtype));
    return nb::steal(checked(wrapDType(dtype)));
  }
  case GE_ANY_SMALL_STR:
    return str(GeStringRef{v.bytes, std::min<size_t>(v.small, sizeof v.bytes)});
  case GE_ANY_SMALL_BYTES:
    return nb::bytes(v.bytes, std::min<size_t>(v.small, sizeof v.bytes));
  case GE_ANY_STR_OBJECT: {
    auto *text = reinterpret_cast<GeBytesObject *>(v.o);
    return str(GeStringRef{text->data, text->size});
  }
  case GE_ANY_BYTES_OBJECT: {
    auto *data = reinterpret_cast<GeBytesObject *>(v.o);
    return nb::bytes(data->data, data->size);
  }
  case GE_ANY_INSTANCE_OBJECT: {
    auto *made = reinterpret_cast<GeInstanceObject *>(v.o);
    return importModule(GE_PYTHON_PACKAGE ".ops._faces")
        .attr("face")(handleOn(std::exchange(owned.ref, nullptr)), made->key,
                      reinterpret_cast<uintptr_t>(made->instance));
  }
  case GE_ANY_TENSOR_OBJECT:
    return tensorToPython(std::exchange(owned.ref, nullptr));
  case GE_ANY_ARRAY_OBJECT: {
    if (depth == kMostDepth)
      throw nb::value_error("gave lists nested more than 32 deep");
    auto *array = reinterpret_cast<GeArrayObject *>(v.o);
    nb::list items;
    for (int64_t i = 0; i < array->size; ++i) {
      GeAny item = array->items[i];
      if (ownsObject(item, isTvmFfi))
        geObjectRetain(item.o); // the array keeps a reference of its own
      items.append(toPython(item, isTvmFfi, depth + 1));
    }
    return nb::tuple(items);
  }
  default:
    if (isObject && tag >= kFirstOpaque)
      return handleOn(std::exchange(owned.ref, nullptr));
    throw nb::value_error(
        ("gave a value of tag " + std::to_string(tag) + ", which is not a valid result").c_str());
  }
}

nb::object toPython(GeAny &value, bool isTvmFfi) { return toPython(value, isTvmFfi, 0); }

/// Converts a tensor over memory that is the caller's and valid during the call only.
static nb::object viewOf(const DLTensor &tensor) {
  auto *object = newObject<GeTensorObject>(GE_ANY_TENSOR_OBJECT, 0);
  object->tensor = tensor;
  return tensorToPython(&object->header);
}

Argument argumentToPython(const GeAny &value) {
  if (value.tag == GE_ANY_STR)
    return {str(stringRef(value.s ? value.s : "")), nb::none()};
  if (value.tag == GE_ANY_TENSOR) {
    nb::object view = viewOf(*value.t);
    return {view.attr("copy")(), view};
  }
  if (value.tag == GE_ANY_ARRAY_OBJECT && geAnyIsObject(&value)) {
    auto *array = reinterpret_cast<GeArrayObject *>(value.o);
    nb::list values, views;
    for (int64_t i = 0; i < array->size; ++i) {
      Argument one = argumentToPython(array->items[i]);
      values.append(one.value);
      views.append(one.view);
    }
    return {nb::tuple(values), nb::tuple(views)};
  }
  GeAny own = value;
  if (geAnyIsObject(&own))
    geObjectRetain(own.o);
  return {toPython(own), nb::none()};
}

GeAny ownedValue(nb::handle value) {
  Values values(true);
  GeAny made = values.of(value);
  if (geAnyIsObject(&made))
    geObjectRetain(made.o);
  return made;
}

void populateKernelValues(nb::module_ &m) {
  nb::class_<KernelMemory>(m, "_KernelMemory", nb::is_final())
      .def("__repr__",
           [](const KernelMemory &memory) {
             return nb::str(("<object of tag " + std::to_string(memory.ref->tag) + ">").c_str());
           })
      .def_prop_ro("address", [](const KernelMemory &memory) {
        auto *made = reinterpret_cast<GeInstanceObject *>(memory.ref);
        return reinterpret_cast<uintptr_t>(made->instance);
      });
}

} // namespace ge::python
