//===- PlainCall.cpp - calls with values alone --------------------------------------------------===//
//
// The fast path of `op.Add(x, y)`: most calls have only values as operands and one result. Nothing
// is bound, converted or kept alive then; the general path in Call costs a third more for it. Both
// create the same node and raise the same errors.
//
#include "../Imported/Imported.h"
#include "Function.h"

#include "../IR/NodeObject.h"
#include "../IR/Scope.h"

namespace ge::python {

namespace {

constexpr Py_ssize_t kMostOperands = 8;

struct Point {
  PyObject *held = nullptr;
  GeGraphRef *graph = nullptr; ///< null: the graph of the operands
  GeNodeRef *before = nullptr;
  Point() = default;
  Point(const Point &) = delete;
  ~Point() { Py_XDECREF(held); }
};

} // namespace

bool callPlain(FunctionObject &f, PyObject *args, PyObject *kwargs, PyObject *&out) {
  Py_ssize_t count = Py_SIZE(args);
  if (!f.onePlainResult || tracingBodies || (kwargs && PyDict_Size(kwargs)) || count < 1 ||
      count > kMostOperands || size_t(count) < f.fewestValues || size_t(count) > f.mostValues)
    return false;
  GeValueRef *operands[kMostOperands];
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *item = PyTuple_GetItem(args, i);
    if (!isValue(item))
      return false;
    operands[i] = payload<ValueObject>(item).ref;
  }
  out = nullptr;
  Point point;
  if (!resolveInsertionPoint(nullptr, nullptr, point.held, point.graph, point.before))
    return true;
  for (Py_ssize_t i = 0; i < count && point.graph; ++i)
    if (!geRefHasSameRoot(point.graph, operands[i])) {
      point.graph = nullptr; // the scope belongs to another graph
      point.before = nullptr;
    }
  ContextState &state = stateOf(operands[0]);
  GeNodeSpec spec{};
  spec.op = state.operatorName(f.opName);
  if (!spec.op || !resolveLocation(state.context(), nullptr, spec.location))
    return true;
  spec.numOperands = size_t(count);
  spec.operands = operands;
  spec.numResults = 1;
  TracedEdit::tracing = *lent().tracing; // this module's own copy of it
  TracedEdit traced(state.context());
  GeValueRef *result = nullptr;
  GeStatus s = geNodeBuild(point.graph, point.before, f.record, 0, &spec, &result);
  out = s ? raise(s) : wrapRef(result);
  return true;
}

} // namespace ge::python
