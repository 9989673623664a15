//===- Operator.cpp - operators that compute when they are called ------------------------------===//
//
// `ge.ops.call.acme.scale(x)`: see CallPlan.h for which calls run here. The object is CPython's own
// kind of callable, without a tuple and dict of arguments (vectorcall): those cost as much as the
// rest of a call.
//
#include "../IR/Scope.h"
#include "../IR/Unlock.h"
#include "../Imported/Imported.h"
#include "CallPlan.h"
#include "KernelCall.h"
#include "KernelValues.h"
#include "PopulateOps.h"

#include <cstring>
#include <dlfcn.h>
#include <optional>
#include <structmember.h>

namespace ge::python {

namespace {

// Part of CPython's ABI since 3.9, of the limited API since 3.12.
using Vectorcall = PyObject *(*)(PyObject *, PyObject *const *, size_t, PyObject *);
constexpr unsigned long kHasVectorcall = 1UL << 11;
constexpr size_t kArgumentsOffset = size_t(1) << (8 * sizeof(size_t) - 1);

PyObject *newPrepared; ///< (names) -> ge.ops._call.Prepared

struct OperatorObject {
  PyObject base;
  Vectorcall vectorcall;
  PyObject *prepared;
  Plan *plan;
};

OperatorObject &operatorOf(PyObject *self) { return *reinterpret_cast<OperatorObject *>(self); }

/// New references, released together.
class NewReferences {
public:
  NewReferences() = default;
  NewReferences(const NewReferences &) = delete;
  ~NewReferences() {
    for (PyObject *one : all_)
      Py_XDECREF(one);
  }
  PyObject *keep(PyObject *made) {
    all_.push_back(checked(made));
    return made;
  }

private:
  Small<PyObject *, 16> all_;
};

/// The arguments of a vectorcall, as a tuple and a dict.
std::pair<nb::object, nb::dict> argumentsOf(PyObject *const *args, size_t count, PyObject *names) {
  nb::object positional = nb::steal(checked(PyTuple_New(Py_ssize_t(count))));
  for (size_t i = 0; i < count; ++i)
    PyTuple_SetItem(positional.ptr(), Py_ssize_t(i), Py_NewRef(args[i]));
  nb::dict keywords;
  for (Py_ssize_t k = 0; names && k < Py_SIZE(names); ++k)
    checked(PyDict_SetItem(keywords.ptr(), PyTuple_GetItem(names, k), args[count + size_t(k)]));
  return {std::move(positional), std::move(keywords)};
}

PyObject *callWith(PyObject *function, PyObject *const *args, size_t count, PyObject *names) {
  static const auto vectorcall =
      reinterpret_cast<Vectorcall>(dlsym(RTLD_DEFAULT, "PyObject_Vectorcall"));
  if (vectorcall)
    return vectorcall(function, args, count, names);
  auto [positional, keywords] = argumentsOf(args, count, names);
  return PyObject_Call(function, positional.ptr(), keywords.ptr());
}

/// Returns the current exception as an object with its traceback, and clears it.
nb::object takeException() {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace)
    PyException_SetTraceback(value, trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  return nb::steal(value);
}

/// A call with bound arguments and known result types.
class NativeCall {
public:
  NativeCall(Plan &plan, PlanEntry *entry, CallBinding &binding)
      : plan_(plan), entry_(entry), binding_(binding) {
    retain(&plan_);
    if (entry_)
      retain(entry_);
    kernel_ = nb::borrow(plan.kernel);
  }
  NativeCall(const NativeCall &) = delete;
  ~NativeCall() {
    release(entry_);
    release(&plan_);
  }

  /// Returns whether the call can run here, and the buffers that the kernel writes exist.
  bool prepare() {
    numTypes_ = entry_ ? entry_->types.size() : 0;
    if (binding_.out)
      return plan_.isOut && takeOut();
    return !plan_.isOut || (!plan_.takesTorch && allocate());
  }

  PyObject *run() {
    nb::object given = nb::steal(plan_.native ? callNative() : callPython());
    return given.is_valid() ? finish(given.ptr()) : nullptr;
  }
  /// Returns whether a kernel in C can read the operands in their memory layout.
  bool fitsNative() const {
    if (!plan_.native || plan_.isStrided || plan_.isCounted)
      return true;
    for (size_t i = 0; i < binding_.operands.size(); ++i)
      if (!binding_.operands[i].isCompact)
        return false;
    return true;
  }

private:
  bool takeOut() {
    if (!entry_ || plan_.numFresh != 1 || numTypes_ != plan_.results.size())
      return false;
    size_t fresh = 0;
    while (plan_.results[fresh].same >= 0)
      ++fresh;
    const PlanType &type = entry_->types[fresh];
    CallOperand &buffer = buffers_[0];
    if (!type.isStatic || !buffer.read(binding_.out) || !buffer.isWriteable() ||
        !fits(buffer, type) || overlaps(buffer, 0) || (!buffer.isCompact && !plan_.isStrided))
      return false;
    numBuffers_ = 1;
    return true;
  }

  bool allocate() {
    if (plan_.numFresh > kMostBuffers || numTypes_ != plan_.results.size() ||
        !lent().numpy().canMake())
      return false;
    for (size_t i = 0; i < numTypes_; ++i)
      if (plan_.results[i].same < 0 && !entry_->types[i].isStatic)
        return false; // also for values that are not tensors
    for (size_t i = 0; i < numTypes_; ++i) {
      if (plan_.results[i].same >= 0)
        continue;
      const PlanType &type = entry_->types[i];
      PyObject *made =
          references_.keep(lent().numpy().make(type.dtype.ptr(), int(type.shape.size()),
                                               type.shape.data(), nullptr, nullptr, 0, nullptr));
      buffers_[numBuffers_++].read(made);
    }
    return true;
  }

  static bool fits(const CallOperand &array, const PlanType &type) {
    if (type.element && std::memcmp(&type.element->type, &array.type, sizeof array.type) != 0)
      return false;
    if (!type.isRanked)
      return true;
    if (size_t(array.ndim) != type.shape.size())
      return false;
    for (int i = 0; i < array.ndim; ++i)
      if (type.shape[size_t(i)] >= 0 && type.shape[size_t(i)] != array.shape[i])
        return false;
    return true;
  }

  /// Returns whether the array shares memory with an operand that is not among `shared`.
  bool overlaps(const CallOperand &array, uint32_t shared) const {
    const char *low, *high, *otherLow, *otherHigh;
    array.bounds(low, high);
    for (size_t i = 0; i < binding_.operands.size(); ++i) {
      const CallOperand &other = binding_.operands[i];
      if (shared >> other.param & 1)
        continue;
      if (other.object == array.object)
        return true;
      other.bounds(otherLow, otherHigh);
      if (low < otherHigh && otherLow < high)
        return true;
    }
    return false;
  }

  // --- Kernels in C

  PyObject *callNative() {
    GeAny args[kMostParams + kMostBuffers];
    DLTensor tensors[kMostParams + kMostBuffers];
    std::optional<Values> values; // most calls need none, and making it costs as much as they do
    size_t numTensors = 0;
    auto tensorOf = [&](CallOperand &own) {
      DLTensor &t = tensors[numTensors++];
      t = {own.data, {1, 0}, own.ndim, own.type, own.shape, own.strides, 0};
      if (plan_.isCounted)
        return valuesIn(values).held(t, own.object);
      GeAny any{};
      any.tag = GE_ANY_TENSOR;
      any.t = &t;
      return any;
    };
    CallOperand *operand = binding_.operands.data();
    size_t count = plan_.params.size();
    for (size_t i = 0; i < count; ++i) {
      const PlanParam &param = plan_.params[i];
      PyObject *o = binding_.objects[i];
      if (!o)
        o = param.defaultValue.ptr();
      if (param.code != ParamCode::Tensor || o == Py_None)
        args[i] = valueOf(values, param.code, o);
      else
        args[i] = tensorOf(*operand++);
    }
    for (size_t i = 0; i < numBuffers_; ++i)
      args[count++] = tensorOf(buffers_[i]);
    GeAny result{};
    GeStatus status = ge::python::run(
        !plan_.holdsGil, [&] { return geKernelCall(plan_.native, args, count, &result); });
    try {
      check(afterCallbacks(status));
      switch (result.tag) {
      case GE_ANY_NONE:
        return Py_NewRef(Py_None);
      case GE_ANY_INT:
        return PyLong_FromLongLong(result.i);
      case GE_ANY_FLOAT:
        return PyFloat_FromDouble(result.f);
      default:
        break;
      }
      return toPython(result, plan_.isTvmFfi).release().ptr();
    } catch (...) {
      translateException();
    }
    nb::object error = takeException();
    return PyObject_CallMethod(plan_.overload.ptr(), "failed_native", "OO", kernel_.ptr(),
                               error.ptr());
  }

  Values &valuesIn(std::optional<Values> &values) const {
    return values ? *values : values.emplace(plan_.isCounted);
  }

  GeAny valueOf(std::optional<Values> &values, ParamCode code, PyObject *o) {
    GeAny any{};
    if (code == ParamCode::Int && o != Py_None) {
      any.tag = GE_ANY_INT;
      any.i = PyLong_AsLongLong(o);
      return any;
    }
    if (code == ParamCode::Float && o != Py_None) {
      any.tag = GE_ANY_FLOAT;
      any.f = PyFloat_AsDouble(o);
      return any;
    }
    if (code == ParamCode::Bool && o != Py_None) {
      any.tag = GE_ANY_BOOL;
      any.i = o == Py_True;
      return any;
    }
    return valuesIn(values).of(o);
  }

  // --- Kernels in Python

  PyObject *callPython() {
    PyObject *args[kMostParams + kMostBuffers];
    size_t count = 0;
    for (size_t i = 0; i < plan_.numPositional; ++i)
      args[count++] = handed(i);
    for (size_t i = 0; i < numBuffers_; ++i)
      args[count++] = buffers_[i].object;
    size_t numPositional = count;
    for (size_t i = 0; plan_.keywords && i < plan_.params.size(); ++i)
      if (plan_.params[i].isKeyword)
        args[count++] = handed(i);
    nb::object function = nb::borrow(plan_.function);
    if (Py_EnterRecursiveCall(" in a kernel"))
      return nullptr;
    PyObject *given = callWith(function.ptr(), args, numPositional,
                               plan_.keywords ? plan_.keywordNames.ptr() : nullptr);
    Py_LeaveRecursiveCall();
    if (given)
      return given;
    nb::object error = takeException();
    return PyObject_CallMethod(plan_.overload.ptr(), "failed_python", "OO", kernel_.ptr(),
                               error.ptr());
  }

  /// Converts an argument to the kernel's form; borrowed, or kept alive by this call.
  PyObject *handed(size_t i) {
    const PlanParam &param = plan_.params[i];
    PyObject *o = binding_.objects[i];
    if (!o) {
      o = param.defaultValue.ptr();
      if (PyList_Check(o) || PyTuple_Check(o) || PyDict_Check(o))
        return references_.keep(renewed(o).release().ptr());
    }
    if (o == Py_None)
      return o;
    switch (param.code) {
    case ParamCode::Tensor:
      return handedArray(o, param.isWritten);
    case ParamCode::Float:
      return PyFloat_CheckExact(o) ? o : references_.keep(PyFloat_FromDouble(PyFloat_AsDouble(o)));
    case ParamCode::Ints:
    case ParamCode::Floats:
      return references_.keep(PySequence_List(o));
    default:
      return o;
    }
  }

  /// A default with new lists and dicts: a kernel may change those that it gets.
  static nb::object renewed(nb::handle value) {
    if (PyDict_Check(value.ptr()))
      return nb::steal(checked(PyDict_Copy(value.ptr())));
    bool isList = PyList_Check(value.ptr());
    if (!isList && !PyTuple_CheckExact(value.ptr()))
      return nb::borrow(value);
    nb::list items;
    for (nb::handle item : value)
      items.append(renewed(item));
    return isList ? nb::object(items) : nb::object(nb::tuple(items));
  }

  PyObject *handedArray(PyObject *o, bool isWritten) {
    if (isWritten || plan_.takesTorch)
      return o;
    if (plan_.takesTensors)
      return isTensor(o) ? o : tensorOver(o);
    const NumpyArray *array = lent().numpy().view(o);
    if (!array)
      return references_.keep(PyObject_CallMethod(o, "numpy", nullptr));
    if (!array->is(NumpyArray::kWriteable))
      return o;
    if (lent().numpy().canMake())
      return references_.keep(lent().numpy().readOnly(o));
    nb::object view = nb::handle(o).attr("view")();
    view.attr("setflags")(nb::arg("write") = false);
    return references_.keep(view.release().ptr());
  }

  /// The framework of the first operand, if that is a tensor of a framework.
  const Framework *firstFramework() const {
    return binding_.operands.empty() ? nullptr : binding_.operands[0].framework;
  }

  /// Converts a result, a NumPy array or a tensor of a framework, to the kind of the first operand.
  PyObject *ofFirstKind(PyObject *array) {
    const Framework *framework = firstFramework();
    if (!framework)
      return tensorOver(array);
    CallOperand own;
    bool isKnown = own.read(array);
    if (isKnown && own.framework == framework)
      return array;
    if (!isKnown || !own.array || !own.isWriteable())
      return references_.keep(PyObject_CallMethod(plan_.overload.ptr(), "of_kind", "OO", array,
                                                  binding_.operands[0].object));
    DLTensor memory{own.data, {1, 0}, own.ndim, own.type, own.shape, own.strides, 0};
    return references_.keep(tensorOfFramework(*framework, memory, array));
  }

  PyObject *tensorOver(PyObject *array) {
    GeContext *context = currentContext();
    GeTensor *tensor = nullptr;
    if (!context || !toTensor(context, array, nullptr, false, tensor))
      throw nb::python_error();
    return references_.keep(wrapTensor(tensor));
  }

  // --- Results

  /// Null with an exception.
  PyObject *finish(PyObject *given) {
    bool good = plan_.isOut ? given == Py_None : takeResults(given);
    if (!good)
      return conclude(given);
    if (plan_.isOut)
      for (size_t i = 0; i < numBuffers_; ++i)
        fresh_[i] = buffers_[i].object;
    size_t count = plan_.results.size(), next = 0;
    bool converts = !binding_.out && !plan_.isFunction && !binding_.operands.empty() &&
                    !binding_.operands[0].array;
    auto one = [&](size_t i) {
      int same = plan_.results[i].same;
      if (same >= 0)
        return binding_.objects[same] ? binding_.objects[same] : Py_None;
      PyObject *item = fresh_[next++];
      return converts && plan_.results[i].isTensor ? ofFirstKind(item) : item;
    };
    if (count == 1)
      return Py_NewRef(one(0));
    if (count == 0)
      return Py_NewRef(Py_None);
    nb::object all = nb::steal(checked(PyTuple_New(Py_ssize_t(count))));
    for (size_t i = 0; i < count; ++i)
      PyTuple_SetItem(all.ptr(), Py_ssize_t(i), Py_NewRef(one(i)));
    return all.release().ptr();
  }

  /// Returns whether the results of the kernel have the known types and are in new memory.
  bool takeResults(PyObject *given) {
    if (plan_.isFunction) {
      fresh_[0] = given;
      return plan_.results.size() == 1 && isOfType(plan_.results[0], given);
    }
    size_t fresh = plan_.numFresh, count = plan_.results.size();
    if (fresh == 0)
      return given == Py_None;
    if (fresh > kMostBuffers || (count > 1 && (!PyTuple_CheckExact(given) || fresh != count ||
                                               size_t(Py_SIZE(given)) != count)))
      return false;
    for (size_t i = 0; i < count; ++i) {
      PyObject *item = count == 1 ? given : PyTuple_GetItem(given, Py_ssize_t(i));
      fresh_[i] = item;
      if (!plan_.results[i].isTensor) {
        if (!isOfType(plan_.results[i], item))
          return false;
        continue;
      }
      CallOperand array;
      if (!array.read(item) || !(array.array || (array.framework && firstFramework())) ||
          (numTypes_ && !fits(array, entry_->types[i])) || overlaps(array, plan_.results[i].shared))
        return false;
    }
    return true;
  }

  /// Returns whether the object has the schema's type; Python code knows more types.
  static bool isOfType(const PlanResult &result, PyObject *item) {
    switch (result.code) {
    case ParamCode::Int:
      return PyLong_CheckExact(item);
    case ParamCode::Float:
      return PyFloat_CheckExact(item);
    case ParamCode::Bool:
      return PyBool_Check(item);
    case ParamCode::Str:
      return PyUnicode_CheckExact(item);
    case ParamCode::Object:
      return reinterpret_cast<PyObject *>(Py_TYPE(item)) == result.cls.ptr();
    default:
      return result.code == ParamCode::Any;
    }
  }

  /// Lets Python code check, convert and report errors.
  PyObject *conclude(PyObject *given) {
    nb::list values, buffers;
    for (size_t i = 0; i < plan_.params.size(); ++i)
      values.append(binding_.objects[i] ? nb::borrow(binding_.objects[i])
                                        : plan_.params[i].defaultValue);
    for (size_t i = 0; i < numBuffers_; ++i)
      buffers.append(nb::borrow(buffers_[i].object));
    nb::object inferred = entry_ ? entry_->inferred : nb::none();
    return PyObject_CallMethod(plan_.overload.ptr(), "conclude", "OOOOO", kernel_.ptr(), given,
                               inferred.ptr(), values.ptr(), buffers.ptr());
  }

  static constexpr size_t kMostBuffers = 4;
  Plan &plan_;
  PlanEntry *entry_; ///< null: of a function
  CallBinding &binding_;
  nb::object kernel_;
  size_t numTypes_ = 0, numBuffers_ = 0;
  CallOperand buffers_[kMostBuffers];
  PyObject *fresh_[kMostBuffers]; ///< borrowed
  NewReferences references_;
};

/// Keeps a plan alive for a scope.
struct HeldPlan {
  Plan *plan;
  explicit HeldPlan(Plan *of) : plan(of) {
    if (plan)
      retain(plan);
  }
  HeldPlan(const HeldPlan &) = delete;
  ~HeldPlan() { release(plan); } // NOLINT(clang-analyzer-cplusplus.NewDelete): it is counted
};

/// Calls the Python implementation, which handles all cases, and stores what can be learned from
/// the call.
PyObject *callSlowly(OperatorObject &self, PyObject *const *args, size_t count, PyObject *names,
                     const CallKey *key) {
  auto [positional, keywords] = argumentsOf(args, count, names);
  uint64_t generation = geRegistryGeneration(geRegistryGlobal());
  uint64_t inferrers = *lent().inferrersVersion;
  bool isStrict = geOpsGetStrict();
  HeldPlan before(self.plan); // keeps its address in use
  nb::object answer =
      nb::steal(PyObject_CallMethod(self.prepared, "call", "OO", positional.ptr(), keywords.ptr()));
  if (!answer.is_valid())
    return nullptr;
  nb::object result = answer[0], lesson = answer[1];
  if (lesson.is_none())
    return result.release().ptr();
  bool isSame = generation == geRegistryGeneration(geRegistryGlobal()) &&
                inferrers == *lent().inferrersVersion;
  if (!isSame)
    return result.release().ptr();
  if (!self.plan || !self.plan->isCurrent()) {
    Plan *made = newPlan(lesson, generation, inferrers, isStrict);
    release(std::exchange(self.plan, made));
  } else if (key && self.plan == before.plan) {
    learn(*before.plan, key->data(), key->size(), lesson);
  }
  return result.release().ptr();
}

PyObject *callOperator(PyObject *object, PyObject *const *args, size_t counted, PyObject *names) {
  OperatorObject &self = operatorOf(object);
  size_t count = counted & ~kArgumentsOffset;
  CallBinding binding;
  HeldPlan held(self.plan);
  Plan *plan = held.plan;
  bool hasKey = plan && binding.bind(*plan, args, count, names) && binding.classify(*plan);
  // Read here, because classifying may run Python code, and a kernel is borrowed from the registry.
  if (hasKey && plan->isCurrent()) {
    PlanEntry *entry =
        plan->bindsByKindOnly ? nullptr : plan->find(binding.key.data(), binding.key.size());
    if (entry || plan->bindsByKindOnly) {
      NativeCall call(*plan, entry, binding);
      if (call.fitsNative() && call.prepare())
        return call.run();
      hasKey = false;
    }
  }
  return callSlowly(self, args, count, names, hasKey ? &binding.key : nullptr);
}

PyObject *callTuple(PyObject *self, PyObject *args, PyObject *kwargs) {
  Small<PyObject *, 16> all;
  for (Py_ssize_t i = 0; i < Py_SIZE(args); ++i)
    all.push_back(PyTuple_GetItem(args, i));
  size_t count = all.size();
  nb::list names;
  PyObject *name, *value;
  Py_ssize_t at = 0;
  while (kwargs && PyDict_Next(kwargs, &at, &name, &value)) {
    names.append(nb::borrow(name));
    all.push_back(value);
  }
  nb::tuple words(names);
  return callOperator(self, all.data(), count, words.ptr());
}

PyObject *newOperator(PyTypeObject *type, PyObject *args, PyObject *) {
  PyObject *names;
  if (!PyArg_ParseTuple(args, "O:Operator", &names))
    return nullptr;
  if (!newPrepared) {
    PyErr_SetString(PyExc_RuntimeError, GE_PYTHON_PACKAGE ".ops is not imported");
    return nullptr;
  }
  nb::object prepared =
      nb::steal(checked(PyObject_CallFunctionObjArgs(newPrepared, names, nullptr)));
  PyObject *object = checked(PyType_GenericAlloc(type, 0));
  OperatorObject &own = operatorOf(object);
  own.vectorcall = safe<callOperator>;
  own.prepared = prepared.release().ptr();
  own.plan = nullptr;
  return object;
}

/// A plan refers to classes of the schema, whose methods refer to operators.
int traverse(PyObject *object, visitproc visit, void *arg) {
  OperatorObject &own = operatorOf(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(own.prepared);
  return own.plan ? own.plan->traverse(visit, arg) : 0;
}

int clear(PyObject *object) {
  release(std::exchange(operatorOf(object).plan, nullptr));
  return 0;
}

void deallocate(PyObject *object) {
  PyObject_GC_UnTrack(object);
  PyTypeObject *type = Py_TYPE(object);
  OperatorObject &own = operatorOf(object);
  release(std::exchange(own.plan, nullptr));
  Py_XDECREF(own.prepared);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

PyObject *repr(PyObject *self) { return PyObject_Repr(operatorOf(self).prepared); }
PyObject *getOp(PyObject *self, void *) {
  return PyObject_GetAttrString(operatorOf(self).prepared, "op");
}
/// What functions have. Not descriptors, which the class itself would give for its own.
PyObject *getAttribute(PyObject *self, PyObject *name) {
  static constexpr std::pair<const char *, const char *> kRows[] = {{"__name__", "name"},
                                                                    {"__qualname__", "name"},
                                                                    {"__doc__", "doc"},
                                                                    {"__signature__", "signature"}};
  for (auto [word, own] : kRows)
    if (PyUnicode_CompareWithASCIIString(name, word) == 0)
      return PyObject_GetAttrString(operatorOf(self).prepared, own);
  return PyObject_GenericGetAttr(self, name);
}
PyObject *getPrepared(PyObject *self, void *) { return Py_NewRef(operatorOf(self).prepared); }
PyObject *reduce(PyObject *self, PyObject *) {
  return Py_BuildValue("O(N)", Py_TYPE(self),
                       PyObject_GetAttrString(operatorOf(self).prepared, "names"));
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OperatorObject, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
constexpr const char *kDoc =
    "An operator that computes when it is called: ``ge.ops.call.acme.scale``.\n\n"
    "Arguments are bound by the schema's own order. ``out=`` is an array for the result, or a "
    "tuple of\narrays for several, unless the schema has a parameter of that name; that array is "
    "what the call returns.";
PyGetSetDef getset[] = {{"op", safe<getOp>, nullptr, "The record of its first overload.", nullptr},
                        {"_prepared", safe<getPrepared>, nullptr, nullptr, nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {{"__reduce__", safe<reduce>, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_new, slot<newOperator>()},
                       {Py_tp_dealloc, reinterpret_cast<void *>(deallocate)},
                       {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void *>(clear)},
                       {Py_tp_call, slot<callTuple>()},
                       {Py_tp_repr, slot<repr>()},
                       {Py_tp_getattro, slot<getAttribute>()},
                       {Py_tp_members, members},
                       {Py_tp_getset, getset},
                       {Py_tp_methods, methods},
                       {Py_tp_doc, const_cast<char *>(kDoc)},
                       {0, nullptr}};

} // namespace

void populateOperator(nb::module_ &m) {
  static std::string &kept =
      *new std::string(std::string(nb::str(m.attr("__name__")).c_str()) + ".Operator");
  PyType_Spec spec{kept.c_str(), int(sizeof(OperatorObject)), 0,
                   unsigned(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | kHasVectorcall), slots};
  m.attr("Operator") = nb::steal(checked(PyType_FromSpec(&spec)));
  m.def("_set_prepare", [](nb::handle function) {
    Py_XDECREF(std::exchange(newPrepared, Py_NewRef(function.ptr())));
  });
}

} // namespace ge::python
