//===- Tensors.cpp - data, format and element type of tensors by CANN's words -----------------===//
//
// Tensors of the IR are immutable. CANN's setters therefore make the Python object refer to a new
// tensor over the same data; a graph that holds the old tensor keeps it. Not promised: that the
// hash of a tensor survives its setters.
//
#include "Cann.h"

#include "../IR/TensorData.h"

#include "ge-c/TensorFiles.h"

#include <vector>

namespace ge::python::vocabulary {

namespace {

nb::object typeOf(const TensorObject &self) {
  return nb::steal(checked(wrapType(geTensorGetType(self.ref))));
}

nb::object descOf(const TensorObject &self) {
  return member("TensorDesc").attr("_of_type")(typeOf(self));
}

void setType(TensorObject &self, GeType type) {
  if (type == geTensorGetType(self.ref))
    return;
  GeTensor *changed = nullptr;
  checkCall(geTensorRetype(type, self.ref, &changed));
  PyObject *wrapper = objectOf(&self);
  if (geTensorGetSlot(self.ref) == wrapper)
    geTensorSetSlot(self.ref, nullptr);
  GeTensor *before = std::exchange(self.ref, changed);
  geTensorSetSlot(changed, wrapper);
  if (self.layout)
    self.layout->isStale = true;
  geTensorRelease(before);
}

GeTensorTypeSpec specOf(const TensorObject &self) {
  GeTensorTypeSpec spec;
  check(geTypeGetTensorSpec(geTensorGetType(self.ref), &spec));
  return spec;
}

nb::object setFormat(nb::handle_t<TensorObject> selfObject, nb::handle format) {
  auto &self = payload<TensorObject>(selfObject.ptr());
  GeTensorTypeSpec spec = specOf(self);
  GeContext *context = geTypeGetContext(geTensorGetType(self.ref));
  nb::object name =
      importModule(GE_PYTHON_PACKAGE ".graph._tensor_desc").attr("format_name")(format);
  spec.format = nullptr;
  if (!name.is_none())
    check(geIdentifierGet(context, textArgument(name, "format"), &spec.format));
  GeType type;
  checkCall(geTypeTensor(context, &spec, &type));
  setType(self, type);
  return nb::borrow(selfObject);
}

nb::object setDataType(nb::handle_t<TensorObject> selfObject, nb::handle dataType) {
  auto &self = payload<TensorObject>(selfObject.ptr());
  GeTensorTypeSpec spec = specOf(self);
  GeDType dtype = dtypeArgument(dataType, "Data_type");
  GeDTypeInfo before = dtypeInfo(spec.dtype), after = dtypeInfo(dtype);
  if (spec.dtype != dtype && (before.bits != after.bits || !before.bits))
    fail(std::string("set_data_type says how the bytes are read: elements of '") + before.name +
         "' cannot be read as '" + after.name +
         "', which have another size; Tensor(tensor, dtype=...) converts");
  spec.dtype = dtype;
  GeType type;
  checkCall(geTypeTensor(geTypeGetContext(geTensorGetType(self.ref)), &spec, &type));
  setType(self, type);
  return nb::borrow(selfObject);
}

nb::object getData(nb::handle_t<TensorObject> self) { return nb::object(self.attr("tolist")()); }

/// Returns whether an argument is a path, which contains characters that no element type name has.
bool isPath(PyObject *argument) {
  if (!PyUnicode_Check(argument))
    return PyObject_HasAttrString(argument, "__fspath__");
  Py_ssize_t length = PyUnicode_GetLength(argument);
  return PyUnicode_FindChar(argument, '/', 0, length, 1) >= 0 ||
         PyUnicode_FindChar(argument, '.', 0, length, 1) >= 0;
}

/// Recognises Tensor(...) with CANN's arguments: one of its keywords, three or more arguments, a
/// path, no data in the second argument, or no arguments at all.
PyObject *construct(PyObject *args, PyObject *kwargs) {
  Py_ssize_t count = PyTuple_Size(args);
  bool ours =
      count >= 3 || (count == 0 && (!kwargs || PyDict_Size(kwargs) == 0)) ||
      (count == 2 && (PyTuple_GetItem(args, 0) == Py_None || isPath(PyTuple_GetItem(args, 1))));
  for (const char *name : {"file_path", "data_type", "format", "shape", "placement"})
    ours = ours || (kwargs && PyDict_GetItemString(kwargs, name));
  if (!ours)
    return nullptr;
  nb::object make = nb::steal(PyImport_ImportModule(GE_PYTHON_PACKAGE ".graph._tensor"));
  if (make.is_valid())
    make = nb::steal(PyObject_GetAttrString(make.ptr(), "new_tensor"));
  return make.is_valid() ? PyObject_Call(make.ptr(), args, kwargs) : nullptr;
}

} // namespace

static void defineProperties(nb::class_<TensorObject> &tensor) {
  tensor.def_prop_ro(
      "data", getData, nb::for_getter(nb::sig("def data(self, /) -> typing.Any")),
      "Elements as nested lists, a number for a scalar; see `tolist` and `numpy`. Cost: O(size).");
  tensor.def_prop_ro(
      "format", [](const TensorObject &t) { return nb::object(descOf(t).attr("format")); },
      nb::for_getter(nb::sig("def format(self, /) -> " GE_PYTHON_PACKAGE ".graph.Format")),
      "Layout as a `Format`; `type.format` is its name.");
  tensor.def_prop_ro(
      "data_type", [](const TensorObject &t) { return newDataType(specOf(t).dtype); },
      nb::for_getter(nb::sig("def data_type(self, /) -> " GE_PYTHON_PACKAGE ".graph.DataType")),
      "Element type as a `DataType`; see `dtype`.");
  tensor.def_prop_ro(
      "placement", [](const TensorObject &) { return enumMember("Placement", 0); },
      nb::for_getter(nb::sig("def placement(self, /) -> " GE_PYTHON_PACKAGE ".graph.Placement")),
      "Where the data is: always in the memory of the host.");
}

void populateTensors() {
  constructTensorElsewhere = construct;
  auto tensor = existing<TensorObject>(classes.tensor);
  defineProperties(tensor);
  tensor.def(
      "__str__",
      [](nb::handle_t<TensorObject> self) {
        return nb::object(importModule(GE_PYTHON_PACKAGE ".graph._tensor").attr("text_of")(self));
      },
      nb::sig("def __str__(self) -> str"));
  tensor.def("get_data", getData, nb::sig("def get_data(self) -> typing.Any"),
             "Return the elements as nested lists, a number for a scalar. Cost: O(size).");
  tensor.def(
      "get_format", [](nb::handle_t<TensorObject> self) { return nb::object(self.attr("format")); },
      nb::sig("def get_format(self) -> " GE_PYTHON_PACKAGE ".graph.Format"),
      "Return the layout; see `format`.");
  tensor.def(
      "get_data_type",
      [](nb::handle_t<TensorObject> self) { return nb::object(self.attr("data_type")); },
      nb::sig("def get_data_type(self) -> " GE_PYTHON_PACKAGE ".graph.DataType"),
      "Return the element type; see `data_type`.");
  tensor.def(
      "get_shape", [](nb::handle_t<TensorObject> self) { return nb::object(self.attr("shape")); },
      nb::sig("def get_shape(self) -> TensorShape"),
      "Return the sizes of the dimensions; see `shape`.");
  tensor.def(
      "get_placement",
      [](nb::handle_t<TensorObject> self) { return nb::object(self.attr("placement")); },
      nb::sig("def get_placement(self) -> " GE_PYTHON_PACKAGE ".graph.Placement"),
      "Return where the data is; see `placement`.");
  tensor.def("get_tensor_desc", descOf,
             nb::sig("def get_tensor_desc(self) -> " GE_PYTHON_PACKAGE ".graph.TensorDesc"),
             "Return shape, layout and element type.");
  tensor.def("set_format", setFormat, nb::arg("format"),
             nb::sig("def set_format(self, format: " GE_PYTHON_PACKAGE ".graph.Format) -> Tensor"),
             "Change the layout of this object, with the same data, and return it. Graphs "
             "keep their\n"
             "tensor. The hash changes.");
  tensor.def(
      "set_data_type", setDataType, nb::arg("data_type"),
      nb::sig("def set_data_type(self, data_type: " GE_PYTHON_PACKAGE ".graph.DataType) -> Tensor"),
      "Reinterpret the bytes of this object as another element type of the same size, and "
      "return\n"
      "it. Graphs keep their tensor. The hash changes.\n\n"
      "Raises\n------\nGEError\n    If the elements have another size; ``Tensor(tensor, "
      "dtype=...)`` converts.");
  tensor.def(
      "to_host",
      [](const TensorObject &) -> nb::object {
        throw nb::value_error(
            "to_host() only supports device tensors, and this one is in the memory of "
            "the host already");
      },
      nb::sig("def to_host(self) -> Tensor"),
      "Not needed: data is always in the memory of the host.\n\nRaises\n------\nValueError\n    "
      "Always.");
  tensor.def(
      "to_device",
      [](const TensorObject &) -> nb::object {
        geErrorSet(
            GE_ERROR_NOT_IMPLEMENTED,
            stringRef("device memory needs Ascend hardware and its run time (ACL), which is not "
                      "there; data stays in the memory of the host"));
        throwStatus(GE_ERROR_NOT_IMPLEMENTED);
      },
      nb::sig("def to_device(self) -> Tensor"),
      "Not available: device memory needs Ascend "
      "hardware.\n\nRaises\n------\nNotImplementedError\n    Always.");
}

} // namespace ge::python::vocabulary
