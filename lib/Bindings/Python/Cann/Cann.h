//===- Cann.h - CANN's words for graphs, nodes and tensors ------------------------------------===//
//
// The members of CANN's public Python interface are members of the classes of ge.ir: one graph
// type, two vocabularies. This directory adds them after the classes are created. The Python
// classes that it needs (the enumerations, TensorDesc) are in the package's `graph`, imported when
// the first member needs it.
//
// Every failure that is not a wrong argument type is a GEError, which is a RuntimeError, because
// that is what users of CANN catch.
//

#ifndef GE_BINDINGS_PYTHON_CANN_CANN_H
#define GE_BINDINGS_PYTHON_CANN_CANN_H

#include "../IR/Convert.h"
#include "../IR/Errors.h"
#include "../IR/Objects.h"
#include "../IR/Scope.h"

#include <string>
#include <utility>

namespace ge::python {

namespace vocabulary {

void populateNodeQueries();
void populateDescriptions();
void populateGraphQueries();
void populateEdges();
void populateSubgraphs();
void populateDumps();
void populateTensors();

/// A reference that is given back at the end of the scope.
template <typename Ref, void (*release)(Ref *)> class Held {
public:
  Held() = default;
  explicit Held(Ref *ref) : ref_(ref) {}
  Held(Held &&other) noexcept : ref_(std::exchange(other.ref_, nullptr)) {}
  Held &operator=(Held &&other) noexcept {
    std::swap(ref_, other.ref_);
    return *this;
  }
  ~Held() { release(ref_); }
  /// The address for the C API to write to; the reference held before is released.
  Ref **out() {
    release(std::exchange(ref_, nullptr));
    return &ref_;
  }
  Ref *get() const { return ref_; }
  Ref *take() { return std::exchange(ref_, nullptr); }
  explicit operator bool() const { return ref_ != nullptr; }

private:
  Ref *ref_ = nullptr;
};
using HeldGraph = Held<GeGraphRef, geGraphRelease>;
using HeldNode = Held<GeNodeRef, geNodeRelease>;
using HeldValue = Held<GeValueRef, geValueRelease>;

template <typename Ref, void (*release)(Ref *)> nb::object wrapped(Held<Ref, release> held) {
  return nb::steal(checked(wrapRef(held.take())));
}

/// An attribute that is released at the end of the scope.
class HeldAttribute {
public:
  HeldAttribute() = default;
  HeldAttribute(const HeldAttribute &) = delete;
  ~HeldAttribute() { geAttributeRelease(value); }
  GeAttribute take() { return std::exchange(value, GeAttribute{0}); }
  GeAttribute value{0};
};

/// Throws a GEError with this text, which is also the last error of the thread.
[[noreturn]] void fail(const std::string &text);
/// As check(), but errors that CANN does not distinguish (a wrong value, index or key) are GEErrors
/// too.
void checkCall(GeStatus status);

/// As checkCall(), with CANN's message for the call, `words()`, before the reason.
template <typename Words> void checkCall(GeStatus status, Words words);

/// The text of a str argument, TypeError else. Lives as long as the argument.
GeStringRef textArgument(nb::handle argument, const char *what);
/// The name of an attribute.
GeIdentifier keyArgument(ContextState &state, nb::handle argument, const char *what);
/// An int argument (also NumPy's), TypeError else.
int64_t intArgument(nb::handle argument, const char *what);
/// Reads an index below `count`; else GEError with CANN's message for the call ("Failed to get
/// input desc").
size_t indexArgument(nb::handle argument, const char *what, size_t count, const char *words);
GeNodeRef *nodeArgument(nb::handle argument, const char *what);
GeGraphRef *graphArgument(nb::handle argument, const char *what);

std::string describe(const GeRef *ref);
std::string nameOf(GeGraphRef *graph);
std::string nameOf(GeNodeRef *node);
inline std::string quoted(GeStringRef text) {
  return "'" + std::string(text.data, text.length) + "'";
}

template <typename Words> void checkCall(GeStatus status, Words words) {
  if (status == GE_OK)
    return;
  GeStringRef reason = geErrorMessage();
  std::string text(reason.data, reason.length);
  switch (status) {
  case GE_ERROR_TYPE:
  case GE_ERROR_VALUE:
  case GE_ERROR_INDEX:
  case GE_ERROR_KEY:
  case GE_ERROR_OVERFLOW:
    fail(words() + ": " + text);
  default:
    throwStatus(status);
  }
}

/// A member of the package's `graph`, such as "TensorDesc".
nb::object member(const char *name);
/// The member of an enumeration by its number.
nb::object enumMember(const char *enumeration, int value);
/// The element type of a DataType, TypeError for anything else; GEError for those without elements.
GeDType dtypeArgument(nb::handle argument, const char *what);
nb::object newDataType(GeDType dtype);

/// Reads a value of CANN's kinds: str, float, bool, DataType, Tensor, int, or a list of float,
/// bool, int, DataType or str; also NumPy scalars and arrays. ValueError for others.
void toGeAttribute(ContextState &state, nb::handle value, nb::handle key, HeldAttribute &out);
/// Converts an attribute back to such a value, lists to lists. Takes over the attribute. GEError
/// for other kinds.
nb::object newGeAttribute(GeAttribute value);

/// `get_attr` of nodes and graphs. `absent(ref)` is the error for a missing attribute.
template <auto get, auto absent, typename Object>
nb::object getAttr(const Object &self, nb::handle key) {
  GeIdentifier name = keyArgument(stateOf(self.ref), key, "Attribute key");
  GeAttribute value;
  check(get(self.ref, name, &value));
  if (!value.bits)
    fail("Failed to get attribute " + quoted(geIdentifierStr(name)) + " from " + absent(self.ref));
  return newGeAttribute(value);
}

/// `set_attr` of nodes and graphs; `kind` is "Node" or "Graph".
template <auto set, const char *kind, typename Object>
void setAttr(const Object &self, nb::handle key, nb::handle value) {
  ContextState &state = stateOf(self.ref);
  GeIdentifier name = keyArgument(state, key, "Attribute key");
  HeldAttribute attribute;
  toGeAttribute(state, value, key, attribute);
  TracedEdit traced(state.context());
  checkCall(set(self.ref, name, attribute.value), [&] {
    return "Failed to set attribute " + quoted(geIdentifierStr(name)) + " on " + kind + " " +
           nameOf(self.ref);
  });
}

/// A class of ge.ir, to add members to.
template <typename T> nb::class_<T> existing(PyTypeObject *type) {
  return nb::borrow<nb::class_<T>>(reinterpret_cast<PyObject *>(type));
}

/// The operator of the node that holds the subgraphs given to Graph.add_subgraph that no other node
/// owns. CANN's members hide it.
constexpr const char *kHolderOp = "ge.Subgraphs";
bool isHolder(GeNodeRef *node);

/// Calls `function(HeldNode)` for the nodes of a graph as CANN lists them: inputs, nodes, and the
/// NetOutput unless nothing leads to it.
template <typename Function> void forEachNode(GeGraphRef *graph, Function function);

/// Whether CANN would have this NetOutput: something leads to it.
bool hasOutput(GeNodeRef *netOutput);

struct CursorHolder {
  GeCursor *cursor = nullptr;
  ~CursorHolder() {
    if (cursor)
      geCursorDestroy(cursor);
  }
};

template <typename Function> void forEachNode(GeGraphRef *graph, Function function) {
  size_t inputs;
  check(geGraphNumInputs(graph, &inputs));
  for (size_t i = 0; i < inputs; ++i) {
    HeldValue value;
    HeldNode node;
    check(geGraphGetInput(graph, i, value.out()));
    check(geValueGetNode(value.get(), node.out()));
    function(std::move(node));
  }
  CursorHolder holder;
  check(geCursorCreate(graph, false, &holder.cursor));
  while (true) {
    HeldNode node;
    check(geCursorNext(holder.cursor, node.out()));
    if (!node)
      break;
    function(std::move(node));
  }
  HeldNode output;
  check(geGraphGetOutputNode(graph, output.out()));
  if (hasOutput(output.get()))
    function(std::move(output));
}

} // namespace vocabulary
} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_CANN_CANN_H
