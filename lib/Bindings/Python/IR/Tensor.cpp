//===- Tensor.cpp - Tensor ---------------------------------------------------------------------===//
#include "DlpackTensor.h"
#include "TensorData.h"

#include "Errors.h"
#include "Paths.h"
#include "PopulateIR.h"
#include "Scope.h"
#include "Unlock.h"

#include "Members.h"
#include "ge-c/TensorFiles.h"

namespace ge::python {

namespace {

PyObject *newTensor(PyTypeObject *, PyObject *args, PyObject *kwargs) {
  PyObject *data, *dtypeArgument = nullptr, *typeArgument = nullptr, *contextArgument = nullptr;
  int copy = 0;
  if (Py_SIZE(args) == 1 && (!kwargs || PyDict_Size(kwargs) == 0)) {
    data = PyTuple_GetItem(args, 0); // no names to look for
  } else {
    if (constructTensorElsewhere) {
      PyObject *tensor = constructTensorElsewhere(args, kwargs);
      if (tensor || PyErr_Occurred())
        return tensor;
    }
    static const char *names[] = {"data", "dtype", "type", "copy", "context", nullptr};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O$OpO:Tensor", const_cast<char **>(names),
                                     &data, &dtypeArgument, &typeArgument, &copy, &contextArgument))
      return nullptr;
  }
  GeDType dtype;
  bool hasDType = dtypeArgument && dtypeArgument != Py_None;
  if (hasDType && !toDType(dtypeArgument, dtype))
    return nullptr;
  GeType type = nullptr;
  if (typeArgument && typeArgument != Py_None && !toType(typeArgument, "type", type))
    return nullptr;
  GeContext *context = type ? geTypeGetContext(type) : resolveContext(contextArgument);
  if (!context)
    return nullptr;
  try {
    return wrapTensor(tensorFrom(context, data, type, hasDType ? &dtype : nullptr, copy != 0));
  } catch (nb::python_error &e) {
    e.restore();
  } catch (const std::exception &e) {
    PyErr_SetString(PyExc_TypeError, e.what());
  }
  return nullptr;
}

PyObject *compare(PyObject *a, PyObject *b, int op) {
  if ((op != Py_EQ && op != Py_NE) || !isTensor(b)) {
    Py_INCREF(Py_NotImplemented);
    return Py_NotImplemented;
  }
  bool equal = false;
  if (GeStatus s =
          geTensorEquals(payload<TensorObject>(a).ref, payload<TensorObject>(b).ref, &equal))
    return raise(s);
  return PyBool_FromLong(equal == (op == Py_EQ));
}

Py_hash_t hash(PyObject *self) {
  uint64_t hash = 0;
  if (GeStatus s = geTensorHash(payload<TensorObject>(self).ref, &hash)) {
    raise(s);
    return -1;
  }
  auto value = Py_hash_t(hash);
  return value == -1 ? -2 : value;
}

PyType_Slot slots[] = {{Py_tp_new, slot<newTensor>()},
                       {Py_tp_init, reinterpret_cast<void *>(initNothing)},
                       {Py_tp_richcompare, slot<compare>()},
                       {Py_tp_hash, slot<hash>()},
                       {0, nullptr}};

nb::object wrapped(GeTensor *tensor) { return nb::steal(checked(wrapTensor(tensor))); }

GeContext *contextOf(nb::handle argument) {
  GeContext *context = resolveContext(argument.ptr());
  if (!context)
    throw nb::python_error();
  return context;
}

GeDType dtypeOf(nb::handle object) {
  GeDType dtype;
  if (!toDType(object.ptr(), dtype))
    throw nb::python_error();
  return dtype;
}

std::vector<int64_t> shapeOf(nb::handle object) {
  Items items;
  if (!items.load(object.ptr(), "shape", "a sequence of int", true))
    throw nb::python_error();
  std::vector<int64_t> shape;
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    nb::object index = nb::steal(checked(PyNumber_Index(items[i])));
    long long size = PyLong_AsLongLong(index.ptr());
    if (size < 0) {
      if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "a tensor's dimensions are sizes >= 0");
      throw nb::python_error();
    }
    shape.push_back(size);
  }
  return shape;
}

/// Bytes of dense data of a type, checked against overflow by the core when the tensor is made.
size_t bytesOf(GeType type, bool packed) {
  GeTensorTypeSpec spec;
  check(geTypeGetTensorSpec(type, &spec));
  int64_t count = geTypeNumElements(type);
  size_t bits = dtypeInfo(spec.dtype).bits;
  if (count < 0 || bits == 0)
    throw nb::value_error(
        "the data of a tensor has a static shape and an element type of fixed size");
  size_t width = packed || bits >= 8 ? bits : 8;
  if (count && width > (SIZE_MAX - 7) / size_t(count))
    throw nb::value_error("the tensor is larger than the address space");
  return (size_t(count) * width + 7) / 8;
}

GeTensor *ofBytes(GeType type, nb::handle data, bool packed) {
  // bytes never change, so they are borrowed; everything else with a buffer is copied through
  // bytes.
  nb::object raw = PyBytes_CheckExact(data.ptr())
                       ? nb::borrow(data)
                       : nb::steal(checked(PyBytes_FromObject(data.ptr())));
  char *start;
  Py_ssize_t length;
  checked(PyBytes_AsStringAndSize(raw.ptr(), &start, &length));
  GeTensor *tensor = nullptr;
  raw.inc_ref();
  GeStatus s = geTensorBorrow(
      type, start, size_t(length),
      [](void *owner) {
        GilAcquire guard;
        if (guard)
          Py_DECREF(static_cast<PyObject *>(owner));
      },
      raw.ptr(), packed, &tensor);
  if (s) {
    raw.dec_ref();
    throwStatus(s);
  }
  return tensor;
}

/// What an argument `copy`, of NumPy and DLPack, means for mapped data.
MappedData mappedData(nb::handle copy) {
  if (copy.is_none())
    return MappedData::CopySmall;
  return bool(nb::bool_(copy)) ? MappedData::Copy : MappedData::View;
}

/// Whether capsules of that version of DLPack can be marked read-only.
bool saysReadOnly(nb::handle version) {
  static const nb::tuple &first = *new nb::tuple(nb::make_tuple(1, 0));
  if (version.is_none())
    return false;
  int answer = PyObject_RichCompareBool(version.ptr(), first.ptr(), Py_GE);
  if (answer < 0)
    throw nb::python_error();
  return answer != 0;
}

std::string printed(GeTensor *tensor) {
  GeAttribute attribute;
  check(geAttributeTensor(tensor, &attribute));
  std::string text;
  GeStatus status = geAttributePrint(attribute, appendTo, &text);
  geAttributeRelease(attribute);
  check(status);
  return text;
}

nb::object typeOf(GeTensor *tensor) {
  return nb::steal(checked(wrapType(geTensorGetType(tensor))));
}

void defineMakers(nb::class_<TensorObject> &tensor) {
  tensor
      .def_static(
          "splat",
          [](nb::object value, nb::object typeObject) {
            GeType type;
            if (!toType(typeObject.ptr(), "type", type))
              throw nb::python_error();
            return wrapped(splatFrom(value, type));
          },
          nb::arg("value"), nb::arg("type"),
          nb::sig("def splat(value: object, type: TensorType) -> Tensor"),
          "Make a tensor whose elements are all equal; it stores one element, for any shape.\n\n"
          "Raises\n------\nTypeError, ValueError, OverflowError\n    If the value does not fit the "
          "element type, or the shape is not static.")
      .def_static(
          "from_file",
          [](nb::object path, nb::object dtype, nb::object shape, size_t offset, bool packed,
             nb::object context) {
            PathBytes bytes(path);
            GeStringRef name = bytes.ref();
            GeContext *home = contextOf(context);
            GeType type = staticType(home, dtypeOf(dtype), shapeOf(shape));
            GeTensor *tensor = nullptr;
            check(geTensorMapFile(type, name, offset, bytesOf(type, packed), packed, &tensor));
            return wrapped(tensor);
          },
          nb::arg("path"), nb::arg("dtype"), nb::arg("shape"), nb::arg("offset") = 0, nb::kw_only(),
          nb::arg("packed") = false, nb::arg("context") = nb::none(),
          nb::sig("def from_file(path: str | os.PathLike[str], dtype: _DTypeLike, shape: "
                  "collections.abc.Sequence[int], "
                  "offset: int = 0, *, packed: bool = False, context: Context | None = None) -> "
                  "Tensor"),
          "Map a part of a file, read only; pages are read when they are touched.\n\n"
          "Parameters\n----------\npath : path-like\ndtype : DType\nshape : sequence of int\n"
          "offset : int\n    Where the data starts, in bytes.\n"
          "packed : bool\n    Elements of less than 8 bits lie as ONNX packs them, else one a "
          "byte.\n\n"
          "Raises\n------\nOSError\n    With path and reason.\nValueError\n    If the file is too "
          "short.")
      .def_static(
          "from_bytes",
          [](nb::object data, nb::object dtype, nb::object shape, bool packed, nb::object context) {
            GeType type = staticType(contextOf(context), dtypeOf(dtype), shapeOf(shape));
            return wrapped(ofBytes(type, data, packed));
          },
          nb::arg("data"), nb::arg("dtype"), nb::arg("shape"), nb::kw_only(),
          nb::arg("packed") = false, nb::arg("context") = nb::none(),
          nb::sig("def from_bytes(data: bytes | bytearray | memoryview, dtype: _DTypeLike, shape: "
                  "collections.abc.Sequence[int], *, packed: bool = False, context: Context | None "
                  "= None) -> Tensor"),
          "Make a tensor of raw little-endian elements; ``bytes`` are not copied.\n\n"
          "Raises\n------\nValueError\n    If the length is not that of the shape.");
}

void defineProperties(nb::class_<TensorObject> &tensor) {
  tensor
      .def_prop_ro(
          "type", [](const TensorObject &t) { return typeOf(t.ref); },
          nb::for_getter(nb::sig("def type(self, /) -> TensorType")), "Its type.")
      .def_prop_ro(
          "shape", [](const TensorObject &t) { return nb::object(typeOf(t.ref).attr("shape")); },
          nb::for_getter(nb::sig("def shape(self, /) -> tuple[int, ...]")),
          "Sizes of the dimensions.")
      .def_prop_ro(
          "dtype", [](const TensorObject &t) { return nb::object(typeOf(t.ref).attr("dtype")); },
          nb::for_getter(nb::sig("def dtype(self, /) -> DType")), "Element type.")
      .def_prop_ro(
          "size", [](const TensorObject &t) { return geTypeNumElements(geTensorGetType(t.ref)); },
          "Number of elements.")
      .def_prop_ro(
          "nbytes", [](const TensorObject &t) { return geTensorDenseSize(t.ref); },
          "Bytes of all elements, one byte at least for each.")
      .def_prop_ro(
          "is_splat", [](const TensorObject &t) { return geTensorIsSplat(t.ref); },
          "Whether all elements share one stored element.")
      .def_prop_ro(
          "is_packed", [](const TensorObject &t) { return geTensorIsPacked(t.ref); },
          "Whether elements of less than 8 bits share bytes.")
      .def_prop_ro(
          "file",
          [](const TensorObject &t) -> nb::object {
            size_t offset;
            GeStringRef path = geTensorGetFile(t.ref, &offset);
            if (!path.length)
              return nb::none();
            return nb::make_tuple(pathOf(path), offset);
          },
          nb::for_getter(nb::sig("def file(self, /) -> tuple[str, int] | None")),
          "Path and offset of the file it is mapped from, or None.");
}

void defineConversions(nb::class_<TensorObject> &tensor) {
  tensor
      .def(
          "numpy",
          [](nb::handle_t<TensorObject> self, nb::handle copy) {
            return numpyOf(self, mappedData(copy));
          },
          nb::kw_only(), nb::arg("copy") = nb::none(),
          nb::sig(
              "def numpy(self, *, copy: bool | None = None) -> numpy.typing.NDArray[typing.Any]"),
          "Return a read-only array over the data.\n\n"
          "Packed elements and strings are copied, O(size). Splats are broadcast.\n\n"
          "Parameters\n----------\ncopy : bool, optional\n"
          "    Whether data that is mapped from a file is copied: by default below 64 MiB. A view "
          "of a\n"
          "    file does not survive it: loading from the array ends the process once the file is\n"
          "    shorter. Other data is never copied.\n\n"
          "Raises\n------\nTypeError\n    If NumPy and ml_dtypes lack the element type.\n"
          "ModelError\n    If the file that the data is mapped from has changed on disk.")
      .def(
          "tolist",
          [](nb::handle_t<TensorObject> self) {
            return numpyOf(self, MappedData::Copy).attr("tolist")();
          },
          nb::sig("def tolist(self) -> typing.Any"),
          "Return the elements as nested lists. Cost: O(size).")
      .def(
          "item", [](nb::handle_t<TensorObject> self) { return numpyOf(self).attr("item")(); },
          nb::sig("def item(self) -> typing.Any"),
          "Return the one element as a Python number or str.\n\nRaises\n------\nValueError\n    If "
          "there are more.")
      .def(
          "tobytes",
          [](const TensorObject &t) {
            size_t bytes = geTensorDenseSize(t.ref);
            nb::object raw =
                nb::steal(checked(PyBytes_FromStringAndSize(nullptr, Py_ssize_t(bytes))));
            char *data;
            Py_ssize_t length;
            checked(PyBytes_AsStringAndSize(raw.ptr(), &data, &length));
            check(run(bytes > kUnlockBytes, [&] { return geTensorCopyTo(t.ref, data, bytes); }));
            return raw;
          },
          nb::sig("def tobytes(self) -> bytes"),
          "Return all elements as bytes, unpacked. Cost: O(size).\n\nRaises\n------\nTypeError\n   "
          " For strings.");
}

void defineProtocols(nb::class_<TensorObject> &tensor) {
  tensor
      .def(
          "__array__",
          [](nb::handle_t<TensorObject> self, nb::object dtype, nb::object copy) {
            // An exception from the truth value of `copy` is passed on.
            MappedData mapped = mappedData(copy);
            bool wantsCopy = mapped == MappedData::Copy;
            nb::object array = numpyOf(self, mapped);
            if (!dtype.is_none() && !array.attr("dtype").equal(dtype)) {
              if (!copy.is_none() && !wantsCopy)
                throw nb::value_error("another dtype needs a copy");
              return array.attr("astype")(dtype);
            }
            return wantsCopy ? array.attr("copy")() : array;
          },
          nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
          nb::sig("def __array__(self, dtype: typing.Any = None, copy: bool | None = None) -> "
                  "numpy.typing.NDArray[typing.Any]"))
      .def(
          "__dlpack__",
          [](nb::handle_t<TensorObject> self, nb::handle, nb::object version, nb::object device,
             nb::object copy) {
            MappedData mapped = mappedData(copy);
            if (mapped != MappedData::Copy && !saysReadOnly(version))
              throw nb::buffer_error("a Tensor is immutable, and this consumer's version of DLPack "
                                     "cannot say so: pass max_version=(1, 0), or copy=True");
            return dlpackOf(self, mapped)
                .attr("__dlpack__")(nb::arg("max_version") = version,
                                    nb::arg("dl_device") = device);
          },
          nb::kw_only(), nb::arg("stream") = nb::none(), nb::arg("max_version") = nb::none(),
          nb::arg("dl_device") = nb::none(), nb::arg("copy") = nb::none(),
          nb::sig("def __dlpack__(self, *, stream: object = None, max_version: tuple[int, int] | "
                  "None = None, dl_device: tuple[int, int] | None = None, copy: bool | None = "
                  "None) -> object"),
          "Export the data: read-only, or with `copy` a writable copy.\n\nRaises\n------\n"
          "BufferError\n    If the consumer's version cannot say that data is read-only, and "
          "`copy` is not true.")
      .def(
          "__dlpack_device__", [](nb::handle_t<TensorObject>) { return nb::make_tuple(1, 0); },
          nb::sig("def __dlpack_device__(self) -> tuple[int, int]"))
      .def("__repr__", [](const TensorObject &t) {
        // A large tensor is shown by its type only.
        bool small = geTensorIsSplat(t.ref) || geTypeNumElements(geTensorGetType(t.ref)) <= 16;
        std::string type;
        geTypePrint(geTensorGetType(t.ref), appendTo, &type);
        std::string text("Tensor(");
        text.append(small ? printed(t.ref) : type).append(")");
        return nb::steal<nb::str>(checked(newText(stringRef(text))));
      });
}

void definePickling(nb::class_<TensorObject> &tensor) {
  tensor
      .def(
          "__reduce__",
          [](nb::handle_t<TensorObject> self) {
            GeTensor *t = payload<TensorObject>(self.ptr()).ref;
            nb::object restore = importModule(GE_PYTHON_PACKAGE ".ir._pickle").attr("tensor");
            nb::str type(typeOf(t));
            nb::object data;
            const void *bytes;
            size_t length;
            GeStatus status = geTensorGetBytes(t, &bytes, &length);
            if (status == GE_OK) {
              data = nb::steal(checked(PyBytes_FromStringAndSize(nullptr, Py_ssize_t(length))));
              char *to = PyBytes_AsString(data.ptr());
              check(
                  run(length > kUnlockBytes, [&] { return geTensorReadBytes(t, 0, to, length); }));
            } else if (status != GE_ERROR_TYPE) {
              throwStatus(status);
            } else { // strings
              data = numpyOf(self).attr("ravel")().attr("tolist")();
            }
            return nb::make_tuple(
                restore, nb::make_tuple(type, data, geTensorIsSplat(t), geTensorIsPacked(t)));
          },
          nb::sig("def __reduce__(self) -> tuple[object, ...]"))
      .def(
          "__copy__", [](nb::handle_t<TensorObject> self) { return nb::borrow(self); },
          nb::sig("def __copy__(self) -> Tensor"))
      .def(
          "__deepcopy__",
          [](nb::handle_t<TensorObject> self, nb::handle) { return nb::borrow(self); },
          nb::sig("def __deepcopy__(self, memo: object) -> Tensor"))
      .def_static("_restore", [](nb::object typeObject, nb::object data, bool splat, bool packed) {
        GeType type;
        if (!toType(typeObject.ptr(), "type", type))
          throw nb::python_error();
        if (!PyBytes_Check(data.ptr())) {
          std::vector<GeStringRef> elements;
          Items items;
          if (!items.load(data.ptr(), "data", "a sequence of str"))
            throw nb::python_error();
          for (Py_ssize_t i = 0; i < (splat && items.size() ? 1 : items.size()); ++i) {
            elements.emplace_back();
            if (!toText(items[i], "element", elements.back()))
              throw nb::python_error();
          }
          GeTensor *result = nullptr;
          check(geTensorStrings(type, elements.data(), elements.size(), &result));
          return wrapped(result);
        }
        if (!splat)
          return wrapped(ofBytes(type, data, packed));
        nb::bytes raw = nb::borrow<nb::bytes>(data);
        GeTensor *result = nullptr;
        check(geTensorSplat(type, raw.c_str(), raw.size(), &result));
        return wrapped(result);
      });
}

} // namespace

void populateTensor(nb::module_ &m) {
  populateDlpack(m);
  // In GE's own vocabulary and in CANN's.
  declareConstructor("Tensor", {R"(def __init__(
    self,
    data: Any,
    dtype: _DTypeLike | None = None,
    *,
    type: TensorType | None = None,
    copy: bool = False,
    context: Context | None = None) -> None)",
                                R"(def __init__(
    self,
    data: Any = None,
    file_path: str | os.PathLike[str] | None = None,
    data_type: ge.graph.DataType | None = None,
    format: ge.graph.Format = ...,
    shape: Sequence[int] | None = None,
    placement: ge.graph.Placement = ...) -> None)"});
  nb::class_<TensorObject> tensor(
      m, "Tensor", nb::is_final(), nb::type_slots(slots),
      "Dense data with a `TensorType`, shared and immutable.\n\n"
      "Parameters\n----------\n"
      "data : NumPy array, object with DLPack or a buffer, number, nested list, or Tensor\n"
      "    Arrays are not copied but held, so they must not be changed afterwards. Of plain lists, "
      "ints\n"
      "    are i64 and floats f32 unless `dtype` says otherwise; lists of str are string tensors.\n"
      "dtype : DType, optional\n    Converts.\n"
      "type : TensorType, optional\n    Must be what the data is; for symbols and layout.\n"
      "copy : bool\n    Copy the data.\n"
      "context : Context, optional\n\n"
      "Tensors are equal if their types and bits are. Comparing and hashing costs O(bytes).");
  defineMakers(tensor);
  defineProperties(tensor);
  defineConversions(tensor);
  defineProtocols(tensor);
  definePickling(tensor);
}

} // namespace ge::python
