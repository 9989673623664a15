//===- CallReader.h - the arguments of a call of a graph-building function ----------------------===//
#ifndef GE_LIB_BINDINGS_PYTHON_OPS_CALLREADER_H
#define GE_LIB_BINDINGS_PYTHON_OPS_CALLREADER_H

#include "CallWords.h"
#include "DeclaredTypes.h"
#include "Function.h"

#include "../IR/NodeObject.h"

#include <string>
#include <string_view>
#include <vector>

namespace ge::python {

/// Splits the arguments into those of the operator, which are bound to its parameters, and those of
/// every call (`_name`, `_loc`, `_ip`, `_outputs`, `_result_types`).
class CallReader {
protected:
  explicit CallReader(FunctionObject &function) : f_(function) {}
  ~CallReader() {
    for (GeValueRef *value : heldValues_)
      geValueRelease(value);
  }
  CallReader(const CallReader &) = delete;

  bool read(PyObject *args, PyObject *kwargs) {
    Py_ssize_t positional = Py_SIZE(args), keywords = kwargs ? PyDict_Size(kwargs) : 0;
    for (Py_ssize_t i = 0; i < positional; ++i)
      if (!arguments_.addPositional(PyTuple_GetItem(args, i)))
        return false;
    const Words &w = words();
    PyObject *name, *value;
    Py_ssize_t at = 0;
    while (keywords && PyDict_Next(kwargs, &at, &name, &value)) {
      auto is = [&](PyObject *word) { return name == word || PyUnicode_Compare(name, word) == 0; };
      if (is(w.name))
        name_ = value;
      else if (is(w.loc))
        loc_ = value;
      else if (is(w.outputs) && takesOutputs())
        outputs_ = value == Py_None ? nullptr : value;
      else if (is(w.ip))
        ip_ = value == Py_None ? nullptr : value;
      else if (is(w.resultTypes)) {
        if (!declared_.read(value))
          return false;
      } else if (!addKeyword(name, value))
        return false;
    }
    return true;
  }

  bool takesOutputs() const {
    return f_.varret || f_.variadicResult >= 0 || f_.defaultResults < f_.results.size();
  }

  /// Returns whether an int parameter is the number of an element type, by the names that ONNX and
  /// CANN use.
  static bool namesDType(PyObject *name) {
    GeStringRef text;
    if (!toText(name, "keyword", text))
      throw nb::python_error();
    std::string_view view(text.data, text.length);
    return view == "to" || view == "dtype" || view.ends_with("_dtype") || view.ends_with("_type");
  }

  /// ONNX and CANN write element types as numbers of their own.
  bool addKeyword(PyObject *name, PyObject *value) {
    bool isSkipped = false;
    if (!isBookkeeping(name, isSkipped) || isSkipped)
      return isSkipped;
    if (!PyLong_CheckExact(value) && !PyFloat_Check(value) && !isValue(value))
      for (const FormParam &param : f_.params)
        if (param.form == AttributeForm::Int && !param.operand &&
            PyUnicode_Compare(param.name, name) == 0)
          if (int number = numberOfDType(name, value); number >= 0) {
            held_.push_back(nb::int_(number));
            return arguments_.addKeyword(name, held_.back().ptr());
          }
    return arguments_.addKeyword(name, value);
  }

  /// -1: `value` is not an element type, or one without a number.
  int numberOfDType(PyObject *name, PyObject *value) {
    bool isText = PyUnicode_Check(value);
    if (isText ? !namesDType(name) : kindOfArgument(value) != GE_ARG_DTYPE)
      return -1;
    GeDType dtype;
    if (!toDType(value, dtype))
      throw nb::python_error();
    GeDTypeInfo info;
    check(geDTypeGetInfo(dtype, &info));
    return f_.isOnnx ? info.onnx : info.cann;
  }

  /// A fast check for calls with values only, which are most: it costs a tenth of the binder and
  /// has the same result.
  bool bindsAsItStands() {
    size_t count = arguments_.numPositional();
    if (arguments_.numKeywords() || count < f_.fewestValues || count > f_.mostValues)
      return false;
    for (size_t i = 0; i < count; ++i)
      if (!isValue(arguments_.positional(i)))
        return false;
    for (size_t i = 0; i < bound_.size(); ++i) {
      bool given = i < count;
      bound_[i] = {uint8_t(given ? GE_FROM_POSITIONAL : GE_FROM_DEFAULT), GE_CONVERT_NOT,
                   uint32_t(i)};
    }
    return true;
  }

  bool bind() {
    bound_.resize(f_.params.size());
    if (bindsAsItStands())
      return true;
    GeBindFault fault;
    GeBindOptions options{sizeof options, geOpsGetStrict(), true};
    GeStatus s = arguments_.bind(f_.form, options, bound_, fault);
    if (s && fault.kind == GE_FAULT_UNKNOWN_KEYWORD && isOwnKeyword(fault.argument))
      raiseUnknown(std::string(fault.argument.data, fault.argument.length));
    else if (s)
      raiseBind(f_.form, s, fault);
    return s == GE_OK;
  }

  /// Detects `name=` where `_name=` is meant.
  static bool isOwnKeyword(GeStringRef word) {
    std::string_view text(word.data, word.length);
    return text == "name" || text == "loc" || text == "outputs" || text == "ip" ||
           text == "result_types";
  }
  void raiseUnknown(const std::string &word) {
    raiseReason(word, "unexpected keyword '" + word + "' (did you mean '_" + word + "'?)");
  }
  void raiseReason(const std::string &argument, const std::string &reason) {
    GeOpInfo info;
    check(geOpDefGetInfo(f_.record, &info));
    raiseBind(f_.form,
              qualifiedName(info) + "(): " + reason + "\n  " + printed(f_.form, "canonical"),
              argument, reason);
  }

  /// The operands in an argument of that type, each with its own type, in order; absent elements as
  /// null.
  template <typename F> bool eachIn(GeSchemaType type, size_t param, PyObject *o, const F &visit) {
    while (geSchemaTypeGetKind(type) == GE_SCHEMA_OPTIONAL)
      type = geSchemaTypeGetElement(type, 0);
    GeSchemaTypeKind kind = geSchemaTypeGetKind(type);
    bool isTuple = kind == GE_SCHEMA_TUPLE;
    bool isSequence = o && (PyList_Check(o) || PyTuple_Check(o));
    if (!isTuple && (kind != GE_SCHEMA_LIST || !isSequence))
      return visit(param, o, type);
    // Absent operands keep their places, so that later ones keep theirs.
    if (isTuple && !isSequence) {
      for (size_t k = 0; k < geSchemaTypeNumElements(type); ++k)
        if (!eachIn(geSchemaTypeGetElement(type, k), param, nullptr, visit))
          return false;
      return true;
    }
    // Conversions run code that may edit a list.
    nb::object items = PyList_Check(o) ? nb::steal(PyList_AsTuple(o)) : nb::borrow(o);
    held_.push_back(items);
    for (Py_ssize_t k = 0; k < Py_SIZE(items.ptr()); ++k)
      if (!eachIn(geSchemaTypeGetElement(type, isTuple ? size_t(k) : 0), param,
                  PyTuple_GetItem(items.ptr(), k), visit))
        return false;
    return true;
  }

  template <typename F> bool eachOperand(F visit) {
    for (size_t i = 0; i < bound_.size(); ++i) {
      if (!f_.params[i].operand)
        continue;
      PyObject *o = arguments_.of(bound_[i]);
      if (!o && f_.params[i].isEmptyByDefault)
        continue;
      if (!eachIn(f_.params[i].type, i, o && o != Py_None ? o : nullptr, visit))
        return false;
    }
    for (size_t i = f_.numFormPositional; i < arguments_.numPositional(); ++i)
      if (!visit(SIZE_MAX, arguments_.positional(i), nullptr)) // `...`
        return false;
    return true;
  }

  /// A value's reference, borrowed.
  bool toValueRef(PyObject *o, GeValueRef *&out) {
    if (isValue(o)) {
      out = payload<ValueObject>(o).ref;
      return true;
    }
    if (!toOnlyResult(o, "an operand", out))
      return false;
    heldValues_.push_back(out);
    return true;
  }

  FunctionObject &f_;
  CallArguments arguments_;
  BoundArgs bound_;
  PyObject *name_ = nullptr, *loc_ = nullptr, *outputs_ = nullptr, *ip_ = nullptr; ///< borrowed
  DeclaredTypes declared_;
  std::vector<GeValueRef *> heldValues_;
  std::vector<nb::object> held_;
};

} // namespace ge::python

#endif // GE_LIB_BINDINGS_PYTHON_OPS_CALLREADER_H
