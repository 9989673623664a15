//===- Types.cpp - Type and its kinds ----------------------------------------------------------===//
#include "Convert.h"
#include "Errors.h"
#include "PopulateIR.h"
#include "Scope.h"

#include "Members.h"
#include "ge-c/Text.h"

#include <vector>

namespace ge::python {

namespace {

Py_hash_t hash(PyObject *self) {
  return Py_hash_t(reinterpret_cast<uintptr_t>(payload<TypeObject>(self).ref) >> 4);
}

/// A shape: None is unranked, else a sequence of int, symbol or None.
bool toShape(ContextState &state, PyObject *shape, const char *what, std::vector<GeDim> &out) {
  Items items;
  if (!items.load(shape, what, "None or a sequence of int, str or None", true))
    return false;
  out.reserve(size_t(items.size()));
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    PyObject *item = items[i];
    GeDim dim{-1, nullptr};
    if (PyUnicode_Check(item)) {
      dim.symbol = state.identifier(item, "dimension");
      if (!dim.symbol)
        return false;
    } else if (item != Py_None) {
      PyObject *index = PyBool_Check(item) ? nullptr : PyNumber_Index(item);
      if (!index) {
        PyErr_Clear();
        raiseType("dimension", "an int, a symbol's name or None", item);
        return false;
      }
      dim.size = PyLong_AsLongLong(index);
      Py_DECREF(index);
      if (dim.size < 0) {
        if (!PyErr_Occurred())
          PyErr_Format(
              PyExc_ValueError,
              "a dimension is a size >= 0, a symbol's name or None (nothing known), not %lld",
              static_cast<long long>(dim.size));
        return false;
      }
    }
    out.push_back(dim);
  }
  return true;
}

bool toFormat(ContextState &state, PyObject *object, const char *what, GeIdentifier &out) {
  out = nullptr;
  if (!object || object == Py_None)
    return true;
  out = state.identifier(object, what);
  return out != nullptr;
}

PyObject *newTensorType(PyTypeObject *, PyObject *args, PyObject *kwargs) {
  static const char *names[] = {"shape",         "dtype",   "format", "origin_shape",
                                "origin_format", "context", nullptr};
  PyObject *shape, *dtype, *format = nullptr, *originShape = nullptr, *originFormat = nullptr,
                           *contextArgument = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|$OOOO:TensorType", const_cast<char **>(names),
                                   &shape, &dtype, &format, &originShape, &originFormat,
                                   &contextArgument))
    return nullptr;
  GeContext *context = resolveContext(contextArgument);
  if (!context)
    return nullptr;
  ContextState &state = ContextState::of(context);
  std::vector<GeDim> dims, originDims;
  GeTensorTypeSpec spec{};
  spec.ranked = shape != Py_None;
  if (spec.ranked && !toShape(state, shape, "shape", dims))
    return nullptr;
  spec.hasOriginShape = originShape && originShape != Py_None;
  if (spec.hasOriginShape && !toShape(state, originShape, "origin_shape", originDims))
    return nullptr;
  if (!toDType(dtype, spec.dtype) || !toFormat(state, format, "format", spec.format) ||
      !toFormat(state, originFormat, "origin_format", spec.originFormat))
    return nullptr;
  spec.rank = dims.size();
  spec.shape = dims.data();
  spec.originRank = originDims.size();
  spec.originShape = originDims.data();
  GeType type;
  if (GeStatus s = geTypeTensor(context, &spec, &type))
    return raise(s);
  return wrapType(type);
}

template <GeStatus (*make)(GeType, GeType *)>
PyObject *newElementType(PyTypeObject *, PyObject *args, PyObject *kwargs) {
  static const char *names[] = {"element", nullptr};
  PyObject *object;
  GeType element, type;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O", const_cast<char **>(names), &object) ||
      !toType(object, "element", element))
    return nullptr;
  if (GeStatus s = make(element, &type))
    return raise(s);
  return wrapType(type);
}

PyObject *newMapType(PyTypeObject *, PyObject *args, PyObject *kwargs) {
  static const char *names[] = {"key", "value", nullptr};
  PyObject *keyObject, *valueObject;
  GeDType key;
  GeType value, type;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO:MapType", const_cast<char **>(names),
                                   &keyObject, &valueObject) ||
      !toDType(keyObject, key) || !toType(valueObject, "value", value))
    return nullptr;
  if (GeStatus s = geTypeMap(key, value, &type))
    return raise(s);
  return wrapType(type);
}

PyObject *newOpaqueType(PyTypeObject *, PyObject *args, PyObject *kwargs) {
  static const char *names[] = {"payload", "context", nullptr};
  PyObject *object, *contextArgument = nullptr;
  GeStringRef text;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|$O:OpaqueType", const_cast<char **>(names),
                                   &object, &contextArgument) ||
      !toText(object, "payload", text))
    return nullptr;
  GeContext *context = resolveContext(contextArgument);
  if (!context)
    return nullptr;
  GeType type;
  if (GeStatus s = geTypeOpaque(context, text, &type))
    return raise(s);
  return wrapType(type);
}

template <GeType (*get)(GeContext *)>
PyObject *newLeafType(PyTypeObject *, PyObject *args, PyObject *kwargs) {
  static const char *names[] = {"context", nullptr};
  PyObject *contextArgument = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$O", const_cast<char **>(names),
                                   &contextArgument))
    return nullptr;
  GeContext *context = resolveContext(contextArgument);
  return context ? wrapType(get(context)) : nullptr;
}

GeTensorTypeSpec specOf(GeType type) {
  GeTensorTypeSpec spec;
  check(geTypeGetTensorSpec(type, &spec));
  return spec;
}

nb::object shapeOf(size_t rank, const GeDim *dims) {
  nb::object tuple = nb::steal(checked(PyTuple_New(Py_ssize_t(rank))));
  for (size_t i = 0; i < rank; ++i) {
    // A symbol is a str, an unknown size None.
    PyObject *item =
        dims[i].size >= 0 ? PyLong_FromLongLong(dims[i].size) : newText(dims[i].symbol);
    PyTuple_SetItem(tuple.ptr(), Py_ssize_t(i), checked(item));
  }
  return nb::steal(checked(newTensorShape(tuple.release().ptr())));
}

std::string textOf(GeType type) {
  std::string text;
  geTypePrint(type, appendTo, &text);
  return text;
}

nb::object wrapped(GeType type) { return nb::steal(checked(wrapType(type))); }

template <newfunc make> PyType_Slot *slotsWith() {
  static PyType_Slot slots[] = {{Py_tp_new, slot<make>()},
                                {Py_tp_init, reinterpret_cast<void *>(initNothing)},
                                {Py_tp_hash, slot<hash>()},
                                {0, nullptr}};
  return slots;
}

void populateTensorType(nb::module_ &m) {
  nb::class_<TensorTypeObject, TypeObject>(
      m, "TensorType", nb::is_final(), nb::type_slots(slotsWith<newTensorType>()),
      "Dense data: shape, element type, and optionally layout.\n\n"
      "Parameters\n----------\n"
      "shape : sequence of int, str or None, or None\n"
      "    None is unranked; a dimension is a size, the name of a symbol, or None (nothing "
      "known).\n"
      "dtype : DType or what DType() takes\n"
      "format, origin_format : str, optional\n    Layouts such as ``\"NCHW\"``.\n"
      "origin_shape : sequence, optional\n    The shape in the original layout.\n"
      "context : Context, optional\n\n"
      "Raises\n------\nTypeError, ValueError\n    For a dimension that is none of these.")
      .def_prop_ro(
          "shape",
          [](const TensorTypeObject &t) -> nb::object {
            GeTensorTypeSpec spec = specOf(t.ref);
            return spec.ranked ? shapeOf(spec.rank, spec.shape) : nb::object(nb::none());
          },
          nb::for_getter(nb::sig("def shape(self, /) -> tuple[int | str | None, ...] | None")),
          "Dimensions: sizes, names of symbols, None where nothing is known; None when unranked.")
      .def_prop_ro(
          "dtype",
          [](const TensorTypeObject &t) { return nb::steal(wrapDType(specOf(t.ref).dtype)); },
          nb::for_getter(nb::sig("def dtype(self, /) -> DType")), "Element type.")
      .def_prop_ro(
          "rank",
          [](const TensorTypeObject &t) -> nb::object {
            GeTensorTypeSpec spec = specOf(t.ref);
            return spec.ranked ? nb::object(nb::int_(spec.rank)) : nb::object(nb::none());
          },
          nb::for_getter(nb::sig("def rank(self, /) -> int | None")),
          "Number of dimensions; None when unranked.")
      .def_prop_ro(
          "num_elements",
          [](const TensorTypeObject &t) -> nb::object {
            int64_t count = geTypeNumElements(t.ref);
            return count < 0 ? nb::object(nb::none()) : nb::object(nb::int_(count));
          },
          nb::for_getter(nb::sig("def num_elements(self, /) -> int | None")),
          "Elements of a static shape; None when a size is open.")
      .def_prop_ro(
          "format",
          [](const TensorTypeObject &t) {
            return nb::steal(checked(newText(specOf(t.ref).format)));
          },
          nb::for_getter(nb::sig("def format(self, /) -> str | None")), "Layout, or None.")
      .def_prop_ro(
          "origin_shape",
          [](const TensorTypeObject &t) -> nb::object {
            GeTensorTypeSpec spec = specOf(t.ref);
            return spec.hasOriginShape ? shapeOf(spec.originRank, spec.originShape)
                                       : nb::object(nb::none());
          },
          nb::for_getter(
              nb::sig("def origin_shape(self, /) -> tuple[int | str | None, ...] | None")),
          "Shape in the original layout, or None.")
      .def_prop_ro(
          "origin_format",
          [](const TensorTypeObject &t) {
            return nb::steal(checked(newText(specOf(t.ref).originFormat)));
          },
          nb::for_getter(nb::sig("def origin_format(self, /) -> str | None")),
          "Original layout, or None.");
}

void declareConstructors() {
  declareConstructor(
      "OpaqueType",
      {"def __init__(self, payload: str, *, context: Context | None = None) -> None"});
  declareConstructor("UnknownType",
                     {"def __init__(self, *, context: Context | None = None) -> None"});
  declareConstructor("NoneType", {"def __init__(self, *, context: Context | None = None) -> None"});
  declareConstructor("MapType", {"def __init__(self, key: _DTypeLike, value: Type) -> None"});
  declareConstructor("OptionalType", {"def __init__(self, element: Type) -> None"});
  declareConstructor("SequenceType", {"def __init__(self, element: Type) -> None"});
  declareConstructor("TensorType", {R"(def __init__(
    self,
    shape: Iterable[int | str | None] | None,
    dtype: _DTypeLike,
    *,
    format: str | None = None,
    origin_shape: Iterable[int | str | None] | None = None,
    origin_format: str | None = None,
    context: Context | None = None) -> None)"});
}

void bindType(nb::module_ &m) {
  nb::class_<TypeObject>(
      m, "Type", nb::type_slots(slotsWith<refuseNew>()),
      "Base of the types of values. Immutable and interned: equal types of one context\n"
      "are one object, so ``is`` and ``==`` compare.")
      .def_static(
          "parse",
          [](nb::object text, nb::object contextArgument) {
            GeStringRef string;
            GeContext *context = resolveContext(contextArgument.ptr());
            if (!context || !toText(text.ptr(), "text", string))
              throw nb::python_error();
            GeType type;
            check(geTypeParse(context, string, &type));
            return wrapped(type);
          },
          nb::arg("text"), nb::arg("context") = nb::none(),
          nb::sig("def parse(text: str, context: Context | None = None) -> Type"),
          "Read the text form, such as ``tensor<?x3xf32>``.\n\nRaises\n------\nParseError")
      .def_prop_ro(
          "context",
          [](const TypeObject &t) {
            return nb::steal(checked(wrapContext(geTypeGetContext(t.ref))));
          },
          nb::for_getter(nb::sig("def context(self, /) -> Context")),
          "The context it is interned in.")
      // Defined for all types, so that a condition on a value need not check the kind of type
      // first.
      .def_prop_ro(
          "shape", [](const TypeObject &) { return nb::none(); },
          nb::for_getter(nb::sig("def shape(self, /) -> tuple[int | str | None, ...] | None")),
          "None: only tensors have one.")
      .def_prop_ro(
          "rank", [](const TypeObject &) { return nb::none(); },
          nb::for_getter(nb::sig("def rank(self, /) -> int | None")),
          "None: only tensors have one.")
      .def_prop_ro(
          "dtype", [](const TypeObject &) { return nb::none(); },
          nb::for_getter(nb::sig("def dtype(self, /) -> DType | None")),
          "None: only tensors have one.")
      .def("__str__",
           [](const TypeObject &t) {
             return nb::steal<nb::str>(checked(newText(stringRef(textOf(t.ref)))));
           })
      .def("__repr__",
           [](nb::handle_t<TypeObject> self) {
             nb::object name = self.type().attr("__name__");
             std::string text = textOf(payload<TypeObject>(self.ptr()).ref);
             return nb::steal<nb::str>(
                 checked(PyUnicode_FromFormat("%U(%s)", name.ptr(), text.c_str())));
           })
      .def(
          "__reduce__",
          [](nb::handle_t<TypeObject> self) {
            nb::object parse = importModule(GE_PYTHON_PACKAGE ".ir._pickle").attr("type_");
            return nb::make_tuple(parse, nb::make_tuple(nb::str(self)));
          },
          nb::sig("def __reduce__(self) -> tuple[object, ...]"))
      .def(
          "__copy__", [](nb::handle_t<TypeObject> self) { return nb::borrow(self); },
          nb::sig("def __copy__(self) -> Type"))
      .def(
          "__deepcopy__",
          [](nb::handle_t<TypeObject> self, nb::handle) { return nb::borrow(self); },
          nb::sig("def __deepcopy__(self, memo: object) -> Type"));
}

void bindOtherTypes(nb::module_ &m) {
  auto element = [](const TypeObject &t) {
    GeType type;
    check(geTypeGetElement(t.ref, &type));
    return wrapped(type);
  };
  nb::class_<SequenceTypeObject, TypeObject>(
      m, "SequenceType", nb::is_final(),
      nb::type_slots(slotsWith<newElementType<geTypeSequence>>()),
      "A sequence of values of one type: ``SequenceType(element)``.")
      .def_prop_ro("element", element, nb::for_getter(nb::sig("def element(self, /) -> Type")),
                   "Type of the elements.");
  nb::class_<OptionalTypeObject, TypeObject>(
      m, "OptionalType", nb::is_final(),
      nb::type_slots(slotsWith<newElementType<geTypeOptional>>()),
      "A value or nothing: ``OptionalType(element)``.")
      .def_prop_ro("element", element, nb::for_getter(nb::sig("def element(self, /) -> Type")),
                   "Type of the value.");
  nb::class_<MapTypeObject, TypeObject>(
      m, "MapType", nb::is_final(), nb::type_slots(slotsWith<newMapType>()),
      "A map from keys of an element type: ``MapType(key, value)``.")
      .def_prop_ro(
          "key",
          [](const MapTypeObject &t) {
            GeDType key;
            check(geTypeGetMapKey(t.ref, &key));
            return nb::steal(wrapDType(key));
          },
          nb::for_getter(nb::sig("def key(self, /) -> DType")), "Element type of the keys.")
      .def_prop_ro("value", element, nb::for_getter(nb::sig("def value(self, /) -> Type")),
                   "Type of the values.");
  nb::class_<NoneTypeObject, TypeObject>(m, "NoneType", nb::is_final(),
                                         nb::type_slots(slotsWith<newLeafType<geTypeNone>>()),
                                         "The type of an absent result.");
  nb::class_<UnknownTypeObject, TypeObject>(m, "UnknownType", nb::is_final(),
                                            nb::type_slots(slotsWith<newLeafType<geTypeUnknown>>()),
                                            "A value of which nothing is known yet.");
  nb::class_<OpaqueTypeObject, TypeObject>(
      m, "OpaqueType", nb::is_final(), nb::type_slots(slotsWith<newOpaqueType>()),
      "A type of another dialect, kept as text: ``OpaqueType(\"!acme.handle<3>\")``. As the value "
      "of an "
      "attribute also an\nattribute of another dialect: ``OpaqueType(\"#acme.quant<1, 2>\")``.")
      .def_prop_ro(
          "payload",
          [](const OpaqueTypeObject &t) {
            GeStringRef text;
            check(geTypeGetPayload(t.ref, &text));
            return nb::steal<nb::str>(checked(newText(text)));
          },
          nb::for_getter(nb::sig("def payload(self, /) -> str")), "The text.");
}

} // namespace

void populateTypes(nb::module_ &m) {
  declareConstructors();
  bindType(m);
  populateTensorType(m);
  bindOtherTypes(m);
}

} // namespace ge::python
