//===- SchemaTypes.cpp - Type, and constants ---------------------------------------------------===//
#include "PopulateOps.h"
#include "Records.h"

#include <limits>

namespace ge::python {

namespace {

constexpr const char *kTypeKinds[] = {"atom",  "optional", "list",  "tuple", "dict",    "future",
                                      "await", "rref",     "union", "class", "variable"};

GeSchemaType typeOf(nb::handle object) { return nb::cast<SchemaTypeObject &>(object).ref; }

} // namespace

nb::object wrapSchemaType(GeSchemaType type) { return nb::cast(SchemaTypeObject{type}); }

nb::object constantToPython(GeConstant constant) {
  GeConstantValue value;
  check(geConstantGet(constant, &value));
  switch (value.kind) {
  case GE_CONSTANT_BOOL:
    return nb::bool_(value.integer != 0);
  case GE_CONSTANT_INT:
    return nb::int_(value.integer);
  case GE_CONSTANT_FLOAT:
    return nb::float_(value.real);
  case GE_CONSTANT_COMPLEX:
    return nb::steal(checked(PyComplex_FromDoubles(value.real, value.imaginary)));
  case GE_CONSTANT_STR:
    return str(value.text);
  case GE_CONSTANT_IDENT: {
    GeDType dtype;
    if (geConstantGetDType(constant, &dtype) == GE_OK)
      return nb::steal(checked(wrapDType(dtype)));
    return str(value.text);
  }
  case GE_CONSTANT_LIST: {
    nb::list items;
    for (size_t i = 0; i < value.numItems; ++i) {
      GeConstant item;
      check(geConstantGetItem(constant, i, &item));
      items.append(constantToPython(item));
    }
    return items;
  }
  case GE_CONSTANT_NONE:
    break;
  }
  return nb::none();
}

void populateSchemaTypes(nb::module_ &m) {
  nb::class_<SchemaTypeObject>(
      m, "Type", nb::is_final(),
      "Type of a parameter or result: ``Type('int[2]?')``. Interned: equal types are one.\n\n"
      "Parameters\n----------\ntext : str\n    In the schema language.\n\n"
      "Raises\n------\nOpSchemaError\n    With the place in the text.")
      .def(
          "__init__",
          [](SchemaTypeObject *self, nb::str text) {
            GeSchemaType type;
            check(geSchemaTypeParse(ref(text), &type));
            new (self) SchemaTypeObject{type};
          },
          nb::arg("text"))
      .def_prop_ro(
          "kind", [](const SchemaTypeObject &t) { return kTypeKinds[geSchemaTypeGetKind(t.ref)]; },
          "``\"atom\"``, ``\"optional\"``, ``\"list\"``, ``\"tuple\"``, ``\"dict\"``, "
          "``\"future\"``, ``\"await\"``,\n``\"rref\"``, ``\"union\"``, ``\"class\"`` or "
          "``\"variable\"``.")
      .def_prop_ro(
          "name", [](const SchemaTypeObject &t) { return str(geSchemaTypeGetName(t.ref)); },
          "Name of an atom (``\"Tensor\"``), class or variable; empty for the others.")
      .def_prop_ro(
          "size",
          [](const SchemaTypeObject &t) -> nb::object {
            uint32_t size = geSchemaTypeGetSize(t.ref);
            return size ? nb::object(nb::int_(size)) : nb::none();
          },
          nb::for_getter(nb::sig("def size(self, /) -> int | None")),
          "The N of ``T[N]``, else None.")
      .def_prop_ro(
          "elements",
          [](const SchemaTypeObject &t) {
            nb::list elements;
            for (size_t i = 0; i < geSchemaTypeNumElements(t.ref); ++i)
              elements.append(wrapSchemaType(geSchemaTypeGetElement(t.ref, i)));
            return nb::tuple(elements);
          },
          nb::for_getter(nb::sig("def elements(self, /) -> tuple[Type, ...]")),
          "Types that it is made of: of a list or optional one, of a dict key and value.")
      .def_prop_ro(
          "is_optional",
          [](const SchemaTypeObject &t) {
            return geSchemaTypeGetKind(t.ref) == GE_SCHEMA_OPTIONAL;
          },
          "Whether it is ``T?``.")
      .def_prop_ro(
          "is_list",
          [](const SchemaTypeObject &t) { return geSchemaTypeGetKind(t.ref) == GE_SCHEMA_LIST; },
          "Whether it is ``T[]`` or ``T[N]``.")
      .def_prop_ro(
          "contains_tensor",
          [](const SchemaTypeObject &t) { return geSchemaTypeContainsTensor(t.ref); },
          "Whether a parameter of this type is an operand.")
      .def("__str__", [](const SchemaTypeObject &t) { return str(geSchemaTypeStr(t.ref)); })
      .def("__repr__",
           [](const SchemaTypeObject &t) {
             GeStringRef text = geSchemaTypeStr(t.ref);
             return str("Type('" + std::string(text.data, text.length) + "')");
           })
      .def("__hash__",
           [](const SchemaTypeObject &t) {
             return Py_hash_t(reinterpret_cast<uintptr_t>(t.ref) >> 4);
           })
      .def(
          "__eq__",
          [](nb::handle self, nb::handle other) {
            return Py_TYPE(self.ptr()) == Py_TYPE(other.ptr()) && typeOf(self) == typeOf(other);
          },
          nb::arg("other").none(), nb::sig("def __eq__(self, other: object) -> bool"))
      .def(
          "__reduce__",
          [](nb::handle self) {
            return nb::make_tuple(self.type(), nb::make_tuple(nb::str(self)));
          },
          nb::sig("def __reduce__(self) -> tuple[type[Type], tuple[str]]"));
}

} // namespace ge::python
