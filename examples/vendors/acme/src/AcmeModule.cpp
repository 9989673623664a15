//===- AcmeModule.cpp - native code of the vendor over GE's C API ---------------------------------===//
#include "AcmePasses.h"

#include "ge-python/nanobind.h"

#include <stdexcept>
#include <string>

namespace nb = nanobind;
using ge::python::Graph;
using ge::python::Node;

static void check(GeStatus status) {
  if (status != GE_OK) {
    GeStringRef text = geErrorMessage();
    throw std::runtime_error(std::string(text.data, text.length));
  }
}

/// Erases a node whose results are not used; whether it did.
static bool eraseIfUnused(const Node &node) {
  size_t results = 0;
  check(geNodeNumResults(node.get(), &results));
  for (size_t i = 0; i < results; ++i) {
    GeValueRef *ref = nullptr;
    check(geNodeGetResult(node.get(), i, &ref));
    ge::python::Value value = ge::python::Value::adopt(ref);
    bool isUsed = false;
    check(geValueHasUses(value.get(), &isUsed));
    if (isUsed)
      return false;
  }
  check(geNodeErase(node.get(), false));
  return true;
}

/// The graph of a node: an object of ours as a result.
static Graph graphOf(const Node &node) {
  GeGraphRef *graph = nullptr;
  check(geNodeGetGraph(node.get(), &graph));
  return Graph::adopt(graph);
}

NB_MODULE(acme, m) {
  m.doc() = "Native code of the vendor.";
  check(acme::registerPasses());
  m.def("erase_if_unused", eraseIfUnused, nb::arg("node"),
        "Erase a node whose results are not used; return whether it was erased.");
  m.def(
      "graph_of", [](const Graph &graph) { return graph; }, nb::arg("graph"), "Return the graph.");
  m.def("graph_of", graphOf, nb::arg("node"), "Return the graph that a node is in.");
}
