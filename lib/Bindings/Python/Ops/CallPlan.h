//===- CallPlan.h - what calls of an operator have in common -----------------------------------===//
//
// A call that computes is native when one like it succeeded before: the same element types, shapes
// and attribute bits. Then its arguments are known to bind, its attributes to be in their ranges,
// and the types of its results are those of that call. The first call of each kind, everything that
// is not usual (lists of tensors, other frameworks, other devices) and every fault go the way of
// ge/ops/_overload.py, which has the words of errors.
//
#ifndef GE_BINDINGS_PYTHON_OPS_CALLPLAN_H
#define GE_BINDINGS_PYTHON_OPS_CALLPLAN_H

#include "../IR/NumpyArrays.h"
#include "DlpackExchange.h"
#include "Records.h"
#include "Small.h"

#include <vector>

namespace ge::python {

constexpr size_t kMostParams = 16, kMostDims = 8;

/// What an argument must be for a native call; Any is of results.
enum class ParamCode : char { Tensor, Int, Float, Bool, Str, Ints, Floats, Other, Object, Any };

struct PlanParam {
  nb::object name; ///< interned
  ParamCode code;
  bool isOptional, isKeyword, isRequired, isWritten;
  nb::object defaultValue;
  nb::object cls; ///< of Object: the registered class, whose instances are taken, subclasses not
};
struct PlanResult {
  int same;        ///< the parameter whose object it is, or -1
  uint32_t shared; ///< parameters whose memory it may have, as bits
  bool isTensor;
  ParamCode code;
  nb::object cls; ///< of Object
};
/// The type of a result. Null `dtype`: not known.
struct PlanType {
  nb::object dtype;
  const NumpyElement *element = nullptr;
  bool isRanked = false;
  bool isStatic = false;         ///< all sizes are known
  std::vector<Py_ssize_t> shape; ///< -1: not known
};
/// Counted, because a call may outlast its place in the plan.
struct PlanEntry {
  size_t refs = 1;
  std::vector<uint64_t> key;
  std::vector<PlanType> types; ///< by result; empty: nothing is known
  nb::object inferred;         ///< the same for Python code
};

inline void retain(PlanEntry *entry) { ++entry->refs; }
inline void release(PlanEntry *entry) {
  if (entry && --entry->refs == 0)
    delete entry;
}

/// For one record with one kernel. Under the GIL; counted, because other threads replace it.
struct Plan {
  size_t refs = 1;
  uint64_t generation, inferrers;
  bool isStrict;
  nb::object overload; ///< ge.ops._overload.Overload
  std::vector<PlanParam> params;
  std::vector<PlanResult> results;
  size_t numPositional, numFresh, numOperands;
  bool takesOut;        ///< `out=` is ours
  bool isFunction;      ///< no tensors
  bool bindsByKindOnly; ///< a function whose arguments have no ranges or choices
  size_t keywords = 0;  ///< how many parameters are keyword-only
  nb::tuple keywordNames;
  // The kernel. Its Python object is the registry's while the generation stays the same, and is
  // immutable, so that its function stays with it. Owning them would keep what a kernel of a closed
  // library refers to until the next call.
  PyObject *kernel, *function; ///< borrowed; of a kernel in C owned by `held`
  nb::object held;
  GeKernel native = nullptr; ///< null: in Python
  bool isOut, isStrided, takesTensors, takesTorch, isCounted, isTvmFfi, holdsGil;
  std::vector<PlanEntry *> entries; ///< the newest last

  ~Plan();
  bool isCurrent() const;
  PlanEntry *find(const uint64_t *key, size_t size) const;
  /// Visits what it owns, for the cycle collector; nothing while a call holds it.
  int traverse(visitproc visit, void *arg) const;
};

/// Reads what Overload.lesson() gave; null when there is nothing to learn.
Plan *newPlan(nb::handle lesson, uint64_t generation, uint64_t inferrers, bool isStrict);
/// Keeps the types that a call of this key gave.
void learn(Plan &plan, const uint64_t *key, size_t size, nb::handle lesson);

inline void retain(Plan *plan) { ++plan->refs; }
inline void release(Plan *plan) {
  if (plan && --plan->refs == 0)
    delete plan;
}

/// An array of NumPy, a Tensor or a tensor of a framework among the arguments.
struct CallOperand {
  PyObject *object;
  const NumpyArray *array;    ///< null: another kind
  const Framework *framework; ///< null: another kind
  char *data;
  DLDataType type;
  uint32_t param;
  int ndim;
  bool isCompact;
  Py_ssize_t width; ///< bytes of an element
  int64_t shape[kMostDims], strides[kMostDims];
  /// Where its memory begins and ends; equal when it is empty.
  void bounds(const char *&low, const char *&high) const;
  bool read(PyObject *from);
  bool isOfTorch() const { return framework && framework->isTorch; }
  bool isWriteable() const {
    return framework ? python::isWriteable(*framework, object)
                     : array && array->is(NumpyArray::kWriteable);
  }

private:
  bool readFramework();
};

using CallKey = Small<uint64_t, 48>;

/// Arguments of one call by parameter.
struct CallBinding {
  PyObject *objects[kMostParams]; ///< borrowed; null: the default
  PyObject *out = nullptr;
  Small<CallOperand, 4> operands;
  CallKey key;
  /// False: not for a native call, or wrong. No exception.
  bool bind(const Plan &plan, PyObject *const *args, size_t count, PyObject *keywords);
  /// Classifies the arguments and writes the key.
  bool classify(const Plan &plan);
};

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_OPS_CALLPLAN_H
