//===- CallPlan.h - what calls of an operator have in common -----------------------------------===//
//
// A call that computes runs natively if a call with the same key succeeded before: the same element
// types, shapes and attribute bits. It is then known that the arguments bind and the attributes are
// in range, and the result types are those of the earlier call. The first call of each key, unusual
// calls (lists of tensors, other frameworks, other devices) and every failing call run in
// ge/ops/_overload.py, which also has the error messages.
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

/// The condition on an argument of a native call; Any is for results.
enum class ParamCode : char { Tensor, Int, Float, Bool, Str, Ints, Floats, Other, Object, Any };

struct PlanParam {
  nb::object name; ///< interned
  ParamCode code;
  bool isOptional, isKeyword, isRequired, isWritten;
  nb::object defaultValue;
  nb::object cls; ///< of Object: the registered class; instances of subclasses are not accepted
};
struct PlanResult {
  int same;        ///< index of the parameter whose object is returned, or -1
  uint32_t shared; ///< bit set of the parameters whose memory the result may share
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
/// Reference-counted, because a call may outlast its entry in the plan.
struct PlanEntry {
  size_t refs = 1;
  std::vector<uint64_t> key;
  std::vector<PlanType> types; ///< by result; empty: nothing is known
  nb::object inferred;         ///< the same as a Python object
};

inline void retain(PlanEntry *entry) { ++entry->refs; }
inline void release(PlanEntry *entry) {
  if (entry && --entry->refs == 0)
    delete entry;
}

/// The plan of one record with one kernel. Used under the GIL; reference-counted, because other
/// threads replace it.
struct Plan {
  size_t refs = 1;
  uint64_t generation, inferrers;
  bool isStrict;
  nb::object overload; ///< ge.ops._overload.Overload
  std::vector<PlanParam> params;
  std::vector<PlanResult> results;
  size_t numPositional, numFresh, numOperands;
  bool takesOut;        ///< the argument `out=` is GE's, not the operator's
  bool isFunction;      ///< no tensors
  bool bindsByKindOnly; ///< a function whose arguments have no ranges or choices
  size_t keywords = 0;  ///< how many parameters are keyword-only
  nb::tuple keywordNames;
  // The kernel. The registry owns its Python object while the generation is unchanged, and the
  // object, with its function, is immutable. An own reference would keep the objects of a closed
  // library alive until the next call.
  PyObject *kernel, *function; ///< borrowed; of a kernel in C owned by `held`
  nb::object held;
  GeKernel native = nullptr; ///< null: in Python
  bool isOut, isStrided, takesTensors, takesTorch, isCounted, isTvmFfi, holdsGil;
  std::vector<PlanEntry *> entries; ///< the newest is last

  ~Plan();
  bool isCurrent() const;
  PlanEntry *find(const uint64_t *key, size_t size) const;
  /// Visits the owned objects for the cycle collector; visits nothing while a call uses the plan.
  int traverse(visitproc visit, void *arg) const;
};

/// Reads the result of Overload.lesson(); null if the call cannot be made natively.
Plan *newPlan(nb::handle lesson, uint64_t generation, uint64_t inferrers, bool isStrict);
/// Stores the result types of a call with this key.
void learn(Plan &plan, const uint64_t *key, size_t size, nb::handle lesson);

inline void retain(Plan *plan) { ++plan->refs; }
inline void release(Plan *plan) {
  if (plan && --plan->refs == 0)
    delete plan;
}

/// An argument that is a NumPy array, a Tensor or a tensor of a framework.
struct CallOperand {
  PyObject *object;
  const NumpyArray *array;    ///< null: another kind
  const Framework *framework; ///< null: another kind
  char *data;
  DLDataType type;
  uint32_t param;
  int ndim;
  bool isCompact;
  Py_ssize_t width;         ///< bytes of an element
  int64_t *shape, *strides; ///< in `sizes`, or in the layout of a Tensor
  int64_t sizes[2 * kMostDims];
  /// The start and end address of its memory; equal if it is empty.
  void bounds(const char *&low, const char *&high) const;
  bool read(PyObject *from);
  bool isOfTorch() const { return framework && framework->isTorch; }
  bool isWriteable() const {
    return framework ? python::isWriteable(*framework, object)
                     : array && array->is(NumpyArray::kWriteable);
  }

private:
  bool readFramework();
  bool readTensor();
  void ownSizes() {
    shape = sizes;
    strides = sizes + kMostDims;
  }
};

using CallKey = Small<uint64_t, 48>;

/// Arguments of one call by parameter.
struct CallBinding {
  PyObject *objects[kMostParams]; ///< borrowed; null: the default
  PyObject *out = nullptr;
  Small<CallOperand, 4> operands;
  CallKey key;
  /// Returns false for arguments that a native call does not take, or that are wrong. Sets no
  /// exception.
  bool bind(const Plan &plan, PyObject *const *args, size_t count, PyObject *keywords);
  /// Classifies the arguments and writes the key.
  bool classify(const Plan &plan);
};

} // namespace ge::python

#endif // GE_BINDINGS_PYTHON_OPS_CALLPLAN_H
