//===- DTypes.cpp - element types --------------------------------------------------------------===//
#include "Convert.h"
#include "Errors.h"
#include "Members.h"
#include "PopulateIR.h"

namespace ge::python {

namespace {

constexpr size_t kMax = 256; // GeDType is a byte
PyObject *objects[kMax]; // held by the module's dictionary, null when the interpreter dropped that

GeDTypeInfo infoOf(GeDType dtype) {
  GeDTypeInfo info;
  check(geDTypeGetInfo(dtype, &info));
  return info;
}

PyObject *newDType(PyTypeObject *, PyObject *args, PyObject *kwargs) {
  static const char *names[] = {"dtype", nullptr};
  PyObject *object;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:DType", const_cast<char **>(names), &object))
    return nullptr;
  GeDType dtype;
  return toDType(object, dtype) ? wrapDType(dtype) : nullptr;
}

PyType_Slot slots[] = {{Py_tp_new, slot<newDType>()},
                       {Py_tp_init, reinterpret_cast<void *>(initNothing)},
                       {0, nullptr}};

/// Returns the type `name` of NumPy, else of ml_dtypes, which registers its types with NumPy.
nb::object numpyDType(const GeDTypeInfo &info) {
  if (!info.numpy) {
    PyErr_Format(PyExc_TypeError, "NumPy and ml_dtypes have no element type for '%s'", info.name);
    throw nb::python_error();
  }
  nb::module_ numpy = importModule("numpy");
  // These two first: NumPy warns of its own old aliases.
  if (std::string_view(info.numpy) == "object" || std::string_view(info.numpy) == "bool" ||
      nb::hasattr(numpy, info.numpy))
    return numpy.attr("dtype")(info.numpy);
  nb::module_ extension = importModule("ml_dtypes");
  if (!nb::hasattr(extension, info.numpy)) {
    PyErr_Format(PyExc_TypeError, "this version of ml_dtypes has no type '%s'", info.numpy);
    throw nb::python_error();
  }
  return numpy.attr("dtype")(extension.attr(info.numpy));
}

nb::object numberOrNone(int value) {
  if (value < 0)
    return nb::none();
  return nb::int_(value);
}

} // namespace

PyObject *wrapDType(GeDType dtype) {
  if (objects[dtype])
    return Py_NewRef(objects[dtype]);
  PyObject *object = allocate(classes.dtype);
  if (object) {
    payload<DTypeObject>(object).dtype = dtype;
    objects[dtype] = object;
  }
  return object;
}

DTypeObject::~DTypeObject() {
  if (objects[dtype] == objectOf(this))
    objects[dtype] = nullptr;
}

bool isGEDataType(PyObject *object) {
  return PyLong_Check(object) && !PyLong_CheckExact(object) &&
         attributeStartsWith(object, "name", "DT_");
}

bool toDType(PyObject *object, GeDType &out) {
  if (isDType(object)) {
    out = payload<DTypeObject>(object).dtype;
    return true;
  }
  // A numpy.dtype has `name`; numpy.float32 and ml_dtypes.bfloat16 are classes with that name.
  nb::object name = nb::borrow(object);
  if (!PyUnicode_Check(object)) {
    const char *attribute = PyType_Check(object) ? "__name__" : "name";
    PyObject *type = PyType_Check(object) ? object : reinterpret_cast<PyObject *>(Py_TYPE(object));
    bool foreign = attributeStartsWith(type, "__module__", "numpy") ||
                   attributeStartsWith(type, "__module__", "ml_dtypes") || isGEDataType(object);
    name = foreign ? nb::steal(PyObject_GetAttrString(object, attribute)) : nb::object();
    if (!name.is_valid() || !PyUnicode_Check(name.ptr())) {
      PyErr_Clear();
      raiseType("dtype", "a DType, its name, a NumPy dtype or a DataType", object);
      return false;
    }
  }
  GeStringRef text;
  if (!toText(name.ptr(), "dtype", text))
    return false;
  std::string_view view(text.data, text.length);
  // NumPy scalar classes whose names end in an underscore to differ from Python's own.
  if (view == "bool_")
    text = stringRef("bool");
  else if (view == "object_" || view == "str" || view == "str_" || view == "bytes" ||
           view == "bytes_" ||
           ((view.starts_with("str") || view.starts_with("bytes")) && view.back() >= '0' &&
            view.back() <= '9'))
    text = stringRef("string"); // the name of the dtype contains its width in bits
  if (GeStatus s = geDTypeFromName(text, &out)) {
    raise(s);
    return false;
  }
  return true;
}

void populateDTypes(nb::module_ &m) {
  declareConstructor("DType", {"def __init__(self, dtype: _DTypeLike) -> None"});
  nb::class_<DTypeObject> dtype(
      m, "DType", nb::is_final(), nb::type_slots(slots),
      "An element type: one object for each, so ``is`` compares. Also module constants "
      "(``ir.f32``).\n\n"
      "``DType(x)`` takes a name of ours (``\"f32\"``), NumPy's or CANN's (``\"DT_FLOAT\"``), a "
      "NumPy or\n"
      "ml_dtypes type, or a DType.\n\n"
      "Raises\n------\nValueError\n    For an unknown name; near names are listed.");
  classes.dtype = reinterpret_cast<PyTypeObject *>(Py_NewRef(dtype.ptr()));
  measurePayload(classes.dtype);
  dtype
      .def_prop_ro(
          "name", [](const DTypeObject &d) { return infoOf(d.dtype).name; },
          "Our name, such as ``\"f32\"``.")
      .def_prop_ro(
          "mlir", [](const DTypeObject &d) { return infoOf(d.dtype).mlir; },
          "The element type in the text form.")
      .def_prop_ro(
          "bits", [](const DTypeObject &d) { return infoOf(d.dtype).bits; },
          "Bits of one element; 0 for strings and handles.")
      .def_prop_ro(
          "onnx",
          [](const DTypeObject &d) -> nb::object { return numberOrNone(infoOf(d.dtype).onnx); },
          nb::for_getter(nb::sig("def onnx(self, /) -> int | None")),
          "ONNX's ``TensorProto.DataType``; None when ONNX lacks it.")
      .def_prop_ro(
          "ge",
          [](const DTypeObject &d) -> nb::object { return numberOrNone(infoOf(d.dtype).cann); },
          nb::for_getter(nb::sig("def ge(self, /) -> int | None")),
          "CANN's ``DT_*`` value; None when CANN lacks it.")
      .def_prop_ro(
          "numpy", [](const DTypeObject &d) { return numpyDType(infoOf(d.dtype)); },
          nb::for_getter(nb::sig("def numpy(self, /) -> object")),
          "The ``numpy.dtype``; loads NumPy (and ml_dtypes where NumPy lacks it).\n\n"
          "Raises\n------\nTypeError\n    If neither has it.")
      .def("__repr__",
           [](const DTypeObject &d) {
             return nb::steal(PyUnicode_FromFormat("DType('%s')", infoOf(d.dtype).name));
           })
      .def("__str__", [](const DTypeObject &d) { return infoOf(d.dtype).name; })
      .def(
          "__reduce__",
          [](nb::handle_t<DTypeObject> self) {
            return nb::make_tuple(self.type(), nb::make_tuple(self.attr("name")));
          },
          nb::sig("def __reduce__(self) -> tuple[object, ...]"))
      .def(
          "__copy__", [](nb::handle_t<DTypeObject> self) { return nb::borrow(self); },
          nb::sig("def __copy__(self) -> DType"))
      .def(
          "__deepcopy__",
          [](nb::handle_t<DTypeObject> self, nb::handle) { return nb::borrow(self); },
          nb::sig("def __deepcopy__(self, memo: object) -> DType"));
  size_t count = geDTypeCount();
  for (size_t i = 0; i < count; ++i) {
    nb::object object = nb::steal(checked(wrapDType(GeDType(i))));
    std::string name = infoOf(GeDType(i)).name;
    // As in MLIR: a constant `bool` would hide Python's own in `from ge.ir import *`.
    m.attr(name == "bool" ? "i1" : name.c_str()) = object;
  }
}

} // namespace ge::python
