//===- Function.h - graph-building functions ---------------------------------------------------===//
//
// One object for each operator that was looked up. Its call form is derived from the record:
// operands are positional in schema order and attributes keyword-only, whatever the schema's own
// `*` says. Names that Python reserves get CANN's prefix (in_, attr_, subgraph_).
//
#ifndef GE_BINDINGS_PYTHON_OPS_FUNCTION_H
#define GE_BINDINGS_PYTHON_OPS_FUNCTION_H

#include "Arguments.h"

#include <vector>

namespace ge::python {

enum class AttributeForm {
  Other,
  Int,
  Float,
  Bool,
  DType,
  Ints,
  Floats,
  Strings,
  Tensor,
  Graph,
  Graphs
};

/// A parameter of the form, and the parameter of the record that it stands for.
struct FormParam {
  size_t source;  ///< index in the record; SIZE_MAX: the number of a variadic result
  PyObject *name; ///< of the attribute as nodes have it; interned, owned
  bool operand;
  bool variadic;
  GeSchemaType type; ///< of an operand
  AttributeForm form;
  uint32_t size;                 ///< N of T[N]
  int32_t typeVar;               ///< of the record
  bool isOptionalList = false;   ///< `Tensor[]?`: absent, it is one absent operand
  bool isEmptyByDefault = false; ///< a list of tensors that is empty when it is not given
};

struct FunctionObject {
  GeOpDef record = nullptr, form = nullptr;
  std::vector<FormParam> params;
  std::vector<GeSlotInfo> results; ///< strings live as long as the record
  size_t numFormPositional = 0;
  size_t defaultResults = 0; ///< used when the number is not given
  int variadicResult = -1;
  /// A call with a number of values in this range and no keywords binds directly.
  size_t fewestValues = 0, mostValues = 0;
  bool onePlainResult = false; ///< no overload, subgraph or number of results to choose
  bool elementwise = false, isOnnx = false, hasGraphs = false;
  bool isOnnxOpset = false; ///< of the domain whose opset builders are given
  uint32_t since = 0;
  bool hasOperandChoice = false, hasResultChoice = false; ///< nodes store the lengths of lists
  bool varret = false; ///< `...`: `_outputs` says how many results there are in all
  // Owned.
  PyObject *name = nullptr, *qualname = nullptr, *module = nullptr, *op = nullptr;
  PyObject *opName = nullptr;                                       ///< "onnx.Conv"
  PyObject *overload = nullptr;                                     ///< null: none
  PyObject *doc = nullptr, *signature = nullptr, *tuples = nullptr; ///< made when asked for
  /// The newest result of Hooks::atOpset, and its arguments.
  PyObject *older = nullptr;
  uint32_t olderOpset = 0;
  uint64_t olderGeneration = 0; ///< of the registry
  FunctionObject() = default;
  FunctionObject(const FunctionObject &) = delete;
  ~FunctionObject();
};

/// The record to bind with: `record` itself if nothing differs, else a new one. Returns a new
/// reference and fills `params`.
GeOpDef formOf(GeOpDef record, std::vector<FormParam> &params);

/// Python functions that ge.es sets (module attributes would be looked up at each call).
struct Hooks {
  PyObject *signature = nullptr; ///< (function) -> inspect.Signature
  PyObject *doc = nullptr;       ///< (function) -> str
  /// (callable, op, parameter, operands, attributes, graph) -> (Graph, captures)
  PyObject *trace = nullptr;
  PyObject *capture = nullptr; ///< (Value, graph) -> Value
  PyObject *adopted = nullptr; ///< (captures) -> None
  PyObject *closed = nullptr;  ///< (namespace) -> None: a library removed operators
  /// (function, opset) -> the function of the operator as that opset has it
  PyObject *atOpset = nullptr;
  PyObject *classesClosed = nullptr; ///< the same, for classes; set by ge.ops
};
inline Hooks hooks;

/// The number of subgraph callables that are being traced; during tracing, values of outer graphs
/// are captured.
inline int tracingBodies = 0;

constexpr uint32_t kAnyOpset = UINT32_MAX;
/// The lowest opset of all live builders that have one. Calls of operators that are not newer need
/// not find out which builder they belong to.
inline uint32_t lowestOpset = kAnyOpset;
/// The opset of the live builder of the graph that a call adds to.
uint32_t opsetOfCall(PyObject *args, PyObject *kwargs);

/// Calls a function, from arguments to results.
PyObject *callFunction(PyObject *self, PyObject *args, PyObject *kwargs);
/// The same for a call with values only; returns false without effect for other arguments.
bool callPlain(FunctionObject &f, PyObject *args, PyObject *kwargs, PyObject *&out);
/// Calls in CANN's style: adds to the end of this graph; if types do not fit, the result types are
/// unknown.
PyObject *callIn(PyObject *self, PyObject *args, PyObject *kwargs, GeGraphRef *graph);
/// Calls the first of a tuple of functions that accepts the arguments.
PyObject *callOverload(PyObject *functions, PyObject *args, PyObject *kwargs);

/// Determines the element type of a constant: from the other operands, else from its own value.
class Constants {
public:
  Constants(const FunctionObject &function) : function_(function) {}
  ~Constants();
  /// Called before the first constant is created.
  void place(GeGraphRef *graph, GeNodeRef *before) {
    graph_ = graph;
    before_ = before;
  }
  /// Adds another operand, whose element type counts.
  void sees(int32_t typeVar, GeValueRef *value);
  /// Returns the value of a new `ge.Const` node, which stays if commit() is called; null with an
  /// exception. `type`: of the parameter, or of the element of its tuple or list.
  GeValueRef *make(PyObject *data, size_t param, GeSchemaType type);
  void commit() { committed_ = true; }

private:
  bool wanted(PyObject *data, size_t param, GeDType &out, bool &found);
  GeTensor *tensor(PyObject *data, size_t param);
  /// Of a number, bool or text in a tuple, which has the element type that its schema says.
  GeTensor *part(PyObject *data, GeSchemaType type);
  struct Seen {
    int32_t typeVar;
    GeDType dtype;
  };
  const FunctionObject &function_;
  std::vector<Seen> seen_;
  std::vector<GeValueRef *> made_;
  GeGraphRef *graph_ = nullptr;
  GeNodeRef *before_ = nullptr;
  bool committed_ = false;
};

/// Converts an argument to an attribute of the parameter's type. False with an exception.
bool toParamAttribute(ContextState &state, const FormParam &param, PyObject *object,
                      GeAttribute &out);

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_OPS_FUNCTION_H
