//===- Records.h - Python objects of records --------------------------------------------------===//
#ifndef GE_BINDINGS_PYTHON_OPS_RECORDS_H
#define GE_BINDINGS_PYTHON_OPS_RECORDS_H

#include "../IR/Convert.h"
#include "../IR/Errors.h"

#include "ge-c/Ops.h"

namespace ge::python {

/// A counted reference to a record.
struct OpDefObject {
  GeOpDef ref;
  explicit OpDefObject(GeOpDef taken) : ref(taken) {}
  OpDefObject(const OpDefObject &) = delete;
  ~OpDefObject() { geOpDefRelease(ref); }
  GeOpInfo info() const {
    GeOpInfo info;
    check(geOpDefGetInfo(ref, &info));
    return info;
  }
};
/// Types are never freed.
struct SchemaTypeObject {
  GeSchemaType ref;
};

inline nb::str str(GeStringRef text) { return nb::steal<nb::str>(checked(newText(text))); }
inline nb::str str(const std::string &text) { return str(stringRef(text)); }
inline GeStringRef ref(nb::str text) {
  GeStringRef out;
  if (!toText(text.ptr(), "text", out))
    throw nb::python_error();
  return out;
}

/// Takes the reference over. Null is None.
nb::object wrapOp(GeOpDef op);
GeOpDef opOf(nb::handle object);
nb::object wrapSchemaType(GeSchemaType type);
/// A default or choice as a Python value.
nb::object constantToPython(GeConstant constant);
std::string qualifiedName(const GeOpInfo &info);
/// The signature in a style: "canonical" or "torch".
std::string printed(GeOpDef op, std::string_view style);
nb::object newParam(nb::handle op, size_t index);
nb::object newResult(nb::handle op, size_t index);

/// File and line of the Python code that called us; empty and 0 when unknown.
struct Caller {
  Caller();
  nb::object held;
  GeStringRef file{"", 0};
  uint32_t line = 0;
};

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_OPS_RECORDS_H
