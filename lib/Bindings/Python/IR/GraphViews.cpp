//===- GraphViews.cpp - inputs, outputs and output names of a graph ----------------------------===//
#include "Views.h"

namespace ge::python {

namespace {

constexpr ViewKind kInputs = {
    "input",
    [](GeRef *ref, size_t *out) { return geGraphNumInputs(graphOf(ref), out); },
    [](GeRef *ref, size_t i) -> PyObject * {
      GeValueRef *value;
      GeStatus s = geGraphGetInput(graphOf(ref), i, &value);
      return s ? raise(s) : wrapRef(value);
    },
    nullptr,
    nullptr,
    nullptr,
    [](GeRef *ref, size_t i) {
      TracedEdit traced(ref);
      return ok(geGraphEraseInput(graphOf(ref), i, false));
    },
    nullptr};

bool assignOutputs(GeRef *ref, PyObject *values) {
  ValueRefs refs;
  if (!refs.load(values, "outputs"))
    return false;
  TracedEdit traced(ref);
  return ok(geGraphSetOutputs(graphOf(ref), refs.data(), refs.size()));
}

PyObject *output(GeRef *ref, size_t i) {
  GeValueRef *value;
  GeStatus s = geGraphGetOutput(graphOf(ref), i, &value);
  return s ? raise(s) : wrapRef(value);
}

/// The outputs are the operands of the NetOutput node.
bool withOutputNode(GeRef *ref, PyObject *object, size_t index,
                    GeStatus (*use)(GeNodeRef *, size_t, GeValueRef *)) {
  GeNodeRef *sink;
  if (!ok(geGraphGetOutputNode(graphOf(ref), &sink)))
    return false;
  bool done = editOperand(sink, object, "an output", use, index);
  geNodeRelease(sink);
  return done;
}

constexpr ViewKind kOutputs = {
    "output",
    [](GeRef *ref, size_t *out) { return geGraphNumOutputs(graphOf(ref), out); },
    output,
    [](GeRef *ref, size_t i, PyObject *value) {
      return withOutputNode(ref, value, i, geNodeSetOperand);
    },
    assignOutputs,
    [](GeRef *ref, size_t i, PyObject *value) {
      return withOutputNode(ref, value, i, geNodeInsertOperand);
    },
    [](GeRef *ref, size_t i) {
      GeNodeRef *sink;
      if (!ok(geGraphGetOutputNode(graphOf(ref), &sink)))
        return false;
      TracedEdit traced(ref);
      bool done = ok(geNodeEraseOperand(sink, i));
      geNodeRelease(sink);
      return done;
    },
    nullptr};

bool setOutputName(GeRef *ref, size_t i, PyObject *name) {
  GeStringRef text;
  if (!toOptionalText(name, "an output's name", text))
    return false;
  TracedEdit traced(ref);
  return ok(geGraphSetOutputName(graphOf(ref), i, text));
}

constexpr ViewKind kOutputNames = {
    "output name",
    [](GeRef *ref, size_t *out) { return geGraphNumOutputs(graphOf(ref), out); },
    [](GeRef *ref, size_t i) -> PyObject * {
      GeStringRef name;
      GeStatus s = geGraphGetOutputName(graphOf(ref), i, &name, nullptr);
      return s ? raise(s) : newText(name);
    },
    setOutputName,
    [](GeRef *ref, PyObject *names) {
      Items items;
      size_t count;
      if (!items.load(names, "output_names", "a sequence of str") ||
          !ok(geGraphNumOutputs(graphOf(ref), &count)))
        return false;
      if (size_t(items.size()) != count) {
        PyErr_Format(PyExc_ValueError, "there are %zu outputs and %zd names", count, items.size());
        return false;
      }
      std::vector<GeStringRef> texts(count);
      for (size_t i = 0; i < count; ++i)
        if (!toOptionalText(items[Py_ssize_t(i)], "an output's name", texts[i]))
          return false;
      TracedEdit traced(ref);
      return ok(geGraphSetOutputNames(graphOf(ref), texts.data(), count));
    },
    nullptr,
    nullptr,
    nullptr};

} // namespace

PyObject *inputsOf(PyObject *self, void *) { return viewOf<&kInputs, GraphObject>(self); }
PyObject *outputsOf(PyObject *self, void *) { return viewOf<&kOutputs, GraphObject>(self); }
PyObject *outputNamesOf(PyObject *self, void *) { return viewOf<&kOutputNames, GraphObject>(self); }
int setOutputsOf(PyObject *self, PyObject *values, void *) {
  return assignAll(kOutputs, payload<GraphObject>(self).ref, values);
}
int setOutputNamesOf(PyObject *self, PyObject *names, void *) {
  return assignAll(kOutputNames, payload<GraphObject>(self).ref, names);
}

void populateGraphViews(nb::module_ &m) {
  auto inputs = View<&kInputs>::bind(m, "InputList",
                                     "Inputs of a graph: the results of its ``ge.Data`` nodes.\n"
                                     "``del`` erases one that is not used.");
  auto outputs = View<&kOutputs>::bind(
      m, "OutputList",
      "Outputs of a graph: the operands of its ``ge.NetOutput`` node, a mutable sequence; None\n"
      "where one is absent.");
  bindEditing(outputs);
  auto names = View<&kOutputNames>::bind(
      m, "OutputNameList",
      "Names of a graph's outputs. They never change by rewriting; setting None takes one away.");
  registerAs(inputs, "Sequence");
  registerAs(names, "Sequence");
  registerAs(outputs, "MutableSequence");
}

} // namespace ge::python
