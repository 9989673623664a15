//===- Programs.cpp - nodes of graphs that run without Python -----------------------------------===//
//
// Programs that ge/run builds from nodes whose kernels are in C, and runs in one call without the
// GIL.
//
#include "../IR/NumpyArrays.h"
#include "../IR/Unlock.h"
#include "../Imported/Imported.h"
#include "KernelObject.h"
#include "KernelValues.h"
#include "PopulateOps.h"

#include <vector>

namespace ge::python {

namespace {

struct ProgramHandle {
  GeProgram *ref;
  explicit ProgramHandle(GeProgram *program) : ref(program) {}
  ProgramHandle(const ProgramHandle &) = delete;
  ~ProgramHandle() { geProgramRelease(ref); }
};

template <typename Object> auto refsOf(nb::list list) {
  std::vector<decltype(Object::ref)> all;
  for (nb::handle one : list)
    all.push_back(payload<Object>(one.ptr()).ref);
  return all;
}

/// Reads a graph and the functions of its module, without the GIL when there are many nodes.
template <typename Work> GeStatus preparing(GeGraphRef *graph, size_t numNodes, Work work) {
  GeModule *module = nullptr;
  if (numNodes > kUnlockNodes)
    if (GeStatus failed = geGraphGetModule(graph, &module))
      return failed;
  if (module) {
    GeStatus status = reading(module, work);
    geModuleRelease(module);
    return status;
  }
  if (GeStatus failed = geGraphAcquireRead(graph))
    return failed;
  GeStatus status = run(numNodes > kUnlockNodes, work);
  geGraphReleaseRead(graph);
  return status;
}

/// Returns None for nodes that must run in another way.
nb::object makeProgram(nb::handle graph, nb::str backend, nb::list nodes, nb::list inputs,
                       nb::list outputs) {
  std::vector<GeNodeRef *> listed = refsOf<NodeObject>(nodes);
  std::vector<GeValueRef *> in = refsOf<ValueObject>(inputs), out = refsOf<ValueObject>(outputs);
  GeProgram *made = nullptr;
  GeGraphRef *of = payload<GraphObject>(graph.ptr()).ref;
  GeStringRef kernels = ref(backend);
  GeStatus status = preparing(of, listed.size(), [&] {
    return geProgramCreate(of, kernels, listed.data(), listed.size(), in.data(), in.size(),
                           out.data(), out.size(), &made);
  });
  if (status == GE_ERROR_NOT_IMPLEMENTED)
    return nb::none();
  check(afterCallbacks(status));
  return nb::cast(new ProgramHandle(made), nb::rv_policy::take_ownership);
}

/// Returns a counted tensor over a NumPy array; an empty value for anything else.
GeAny valueOf(Values &values, PyObject *object) {
  constexpr int kMostDims = 32;
  const NumpyArray *array = lent().numpy().view(object);
  const NumpyElement *element = array ? lent().numpy().element(array->dtype) : nullptr;
  if (!element || array->ndim > kMostDims || !array->is(NumpyArray::kAligned))
    return {};
  int64_t shape[kMostDims], strides[kMostDims];
  for (int i = 0; i < array->ndim; ++i) {
    shape[i] = array->shape[i];
    if (array->strides[i] % element->size != 0)
      return {};
    strides[i] = array->strides[i] / element->size;
  }
  return values.held({array->data, {1, 0}, array->ndim, element->type, shape, strides, 0}, object);
}

/// Owned references to values.
struct OwnedValues {
  std::vector<GeAny> all;
  OwnedValues() = default;
  OwnedValues(const OwnedValues &) = delete;
  ~OwnedValues() {
    for (GeAny &one : all)
      if (one.tag >= 64)
        geObjectRelease(one.o);
  }
};

/// Runs the program and returns its results, or None, without running, if an input is not an array
/// that kernels in C take. The list of inputs is emptied, so that inputs are released after their
/// last use; `last` has the indices of the inputs that the caller does not need any more. If it
/// raises, `where` gets the failed node.
nb::object runProgram(const ProgramHandle &self, nb::list inputs, size_t numOutputs, nb::list where,
                      nb::list last) {
  OwnedValues in, kept, out;
  {
    Values values(true);
    for (nb::handle input : inputs) {
      in.all.push_back(valueOf(values, input.ptr()));
      if (in.all.back().tag == GE_ANY_NONE)
        return nb::none();
      geObjectRetain(in.all.back().o); // in addition to the reference of `values`
    }
  }
  // Releasing the last reference to an array takes the GIL, so inputs that the caller still needs
  // are kept until the end.
  kept.all = in.all;
  for (GeAny &one : kept.all)
    geObjectRetain(one.o);
  for (nb::handle number : last) {
    GeAny &one = kept.all[nb::cast<size_t>(number)];
    geObjectRelease(one.o);
    one = {};
  }
  checked(PyList_SetSlice(inputs.ptr(), 0, Py_ssize_t(in.all.size()), nullptr));
  out.all.resize(numOutputs);
  GeStringRef node{};
  GeProgram *program = self.ref;
  geProgramRetain(program);
  std::vector<GeAny> given = std::move(in.all);
  in.all.clear();
  GeStatus status = ge::python::run(true, [&] {
    return geProgramRun(program, given.data(), given.size(), out.all.data(), numOutputs, &node);
  });
  geProgramRelease(program);
  if (status != GE_OK) {
    where.append(str(node));
    check(afterCallbacks(status));
  }
  nb::list results;
  for (size_t i = 0; i < numOutputs; ++i) {
    GeAny &one = out.all[i];
    PyObject *owner = one.tag == GE_ANY_NONE ? Py_None : Values::ownerOf(one.o);
    bool isKnown =
        owner && (owner == Py_None || lent().numpy().view(owner)); // the array of an input
    nb::object made = isKnown ? nb::borrow(owner) : nb::object();
    for (size_t k = 0; k < i && !made.is_valid(); ++k)
      if (out.all[k].o == one.o)
        made = nb::borrow(results[k]);
    if (!made.is_valid()) {
      geObjectRetain(one.o); // toPython takes a reference
      GeAny taken = one;
      made = toPython(taken);
    }
    results.append(made);
  }
  return results;
}

} // namespace

void populatePrograms(nb::module_ &m) {
  nb::class_<ProgramHandle>(m, "_Program", nb::is_final()).def("run", runProgram);
  m.def("_make_program", makeProgram);
}

} // namespace ge::python
