//===- CallPlan.cpp - what calls of an operator have in common ---------------------------------===//
#include "CallPlan.h"

#include "../Imported/Imported.h"
#include "KernelCall.h"

#include "ge-c/TensorFiles.h"

#include <bit>
#include <cstdlib>
#include <cstring>

namespace ge::python {

namespace {

constexpr size_t kMostEntries = 64;

/// Marks the start of an argument's words in a key.
enum KeyTag : uint64_t {
  KeyDefault = 1,
  KeyNone,
  KeyArray,
  KeyInt,
  KeyFloat,
  KeyBool,
  KeyStr,
  KeyList,
  KeyObject
};

bool pushInt(PyObject *o, CallKey &key) {
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
  key.push_back(KeyInt);
  key.push_back(uint64_t(value));
  return overflow == 0;
}

bool pushFloat(PyObject *o, CallKey &key) {
  if (PyLong_CheckExact(o))
    return pushInt(o, key);
  if (!PyFloat_CheckExact(o))
    return false;
  key.push_back(KeyFloat);
  key.push_back(std::bit_cast<uint64_t>(PyFloat_AsDouble(o)));
  return true;
}

bool pushText(PyObject *o, CallKey &key) {
  Py_ssize_t length = 0;
  const char *data = PyUnicode_CheckExact(o) ? PyUnicode_AsUTF8AndSize(o, &length) : nullptr;
  if (!data) {
    PyErr_Clear();
    return false;
  }
  key.push_back(KeyStr | uint64_t(length) << 8);
  for (Py_ssize_t i = 0; i < length; i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, data + i, size_t(std::min<Py_ssize_t>(8, length - i)));
    key.push_back(word);
  }
  return true;
}

/// Only lists whose elements have exactly the element type; others are converted first.
bool pushList(PyObject *o, bool isInts, CallKey &key) {
  bool isList = PyList_CheckExact(o);
  constexpr Py_ssize_t kMostItems = 64;
  if ((!isList && !PyTuple_CheckExact(o)) || Py_SIZE(o) > kMostItems)
    return false;
  key.push_back(KeyList | uint64_t(Py_SIZE(o)) << 8);
  for (Py_ssize_t i = 0; i < Py_SIZE(o); ++i) {
    PyObject *item = isList ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i);
    if (isInts ? !PyLong_CheckExact(item) : !PyFloat_CheckExact(item))
      return false;
    if (!(isInts ? pushInt(item, key) : pushFloat(item, key)))
      return false;
  }
  return true;
}

/// Appends the words of an attribute; false for a value that a native call does not take.
bool pushAttribute(ParamCode code, PyObject *o, CallKey &key) {
  switch (code) {
  case ParamCode::Int:
    return PyLong_CheckExact(o) && pushInt(o, key);
  case ParamCode::Float:
    return pushFloat(o, key);
  case ParamCode::Bool:
    key.push_back(KeyBool | uint64_t(o == Py_True) << 8);
    return o == Py_True || o == Py_False;
  case ParamCode::Str:
    return pushText(o, key);
  case ParamCode::Ints:
  case ParamCode::Floats:
    return pushList(o, code == ParamCode::Ints, key);
  case ParamCode::Tensor:
  case ParamCode::Other:
  case ParamCode::Object:
  case ParamCode::Any:
    return false;
  }
  return false;
}

bool isTrue(nb::handle item) { return item.ptr() == Py_True; }

} // namespace

// --- Plans

Plan::~Plan() {
  geKernelRelease(native);
  for (PlanEntry *entry : entries)
    release(entry);
}

bool Plan::isCurrent() const {
  return generation == geRegistryGeneration(geRegistryGlobal()) &&
         inferrers == *lent().inferrersVersion && isStrict == geOpsGetStrict();
}

PlanEntry *Plan::find(const uint64_t *key, size_t size) const {
  for (size_t i = entries.size(); i-- > 0;) {
    PlanEntry &one = *entries[i];
    if (one.key.size() == size && std::memcmp(one.key.data(), key, size * sizeof *key) == 0)
      return &one;
  }
  return nullptr;
}

int Plan::traverse(visitproc visit, void *arg) const {
  if (refs != 1)
    return 0;
  Py_VISIT(overload.ptr());
  Py_VISIT(keywordNames.ptr());
  Py_VISIT(held.ptr());
  for (const PlanParam &param : params) {
    Py_VISIT(param.defaultValue.ptr());
    Py_VISIT(param.cls.ptr());
  }
  for (const PlanResult &result : results)
    Py_VISIT(result.cls.ptr());
  for (const PlanEntry *entry : entries) {
    if (entry->refs == 1)
      Py_VISIT(entry->inferred.ptr());
  }
  return 0;
}

/// (overload, form, kernel, flags, types, takes Tensors, takes tensors of PyTorch); see
/// Overload.lesson().
Plan *newPlan(nb::handle lesson, uint64_t generation, uint64_t inferrers, bool isStrict) {
  nb::tuple form(lesson[1]), params(form[1]), results(form[2]);
  if (params.size() > kMostParams)
    return nullptr;
  auto plan = std::make_unique<Plan>();
  plan->generation = generation;
  plan->inferrers = inferrers;
  plan->isStrict = isStrict;
  plan->overload = nb::borrow(lesson[0]);
  plan->numPositional = nb::cast<size_t>(form[0]);
  plan->takesOut = isTrue(form[3]);
  plan->isFunction = isTrue(form[4]);
  plan->bindsByKindOnly = isTrue(form[5]) && !isStrict;
  nb::list names;
  plan->numOperands = 0;
  for (nb::handle one : params) {
    PyObject *name = nb::object(one[0]).release().ptr();
    PyUnicode_InternInPlace(&name);
    PlanParam own{nb::steal(name),    ParamCode(nb::cast<int>(one[1])),
                  isTrue(one[2]),     isTrue(one[3]),
                  isTrue(one[4]),     isTrue(one[5]),
                  nb::borrow(one[6]), nb::borrow(one[7])};
    if (own.isKeyword) {
      names.append(own.name);
      ++plan->keywords;
    }
    plan->numOperands += own.code == ParamCode::Tensor;
    plan->params.push_back(std::move(own));
  }
  plan->keywordNames = nb::tuple(names);
  plan->numFresh = 0;
  for (nb::handle one : results) {
    plan->results.push_back({nb::cast<int>(one[0]), nb::cast<uint32_t>(one[1]), isTrue(one[2]),
                             ParamCode(nb::cast<int>(one[3])), nb::borrow(one[4])});
    plan->numFresh += plan->results.back().same < 0;
  }
  nb::object kernel = nb::borrow(lesson[2]), function = kernel.attr("function");
  plan->kernel = kernel.ptr();
  plan->function = function.ptr();
  auto flags = nb::cast<uint32_t>(lesson[3]);
  plan->isOut = (flags & GE_KERNEL_OUT) != 0;
  plan->isStrided = (flags & GE_KERNEL_STRIDED) != 0;
  plan->takesTensors = isTrue(lesson[5]);
  plan->takesTorch = isTrue(lesson[6]);
  plan->isCounted = plan->isTvmFfi = plan->holdsGil = false;
  if (GeKernel native = nativeOf(function)) {
    GeKernelInfo info;
    check(geKernelGetInfo(native, &info));
    plan->isTvmFfi = (info.flags & GE_KERNEL_TVM_FFI) != 0;
    plan->isCounted = (info.flags & (GE_KERNEL_TVM_FFI | GE_KERNEL_KEEPS)) != 0;
    plan->holdsGil = (info.flags & GE_KERNEL_HOLDS_GIL) != 0;
    geKernelRetain(native);
    plan->native = native;
    plan->held = std::move(kernel); // created by this look-up; the registry owns the kernel itself
  }
  return plan.release();
}

void learn(Plan &plan, const uint64_t *key, size_t size, nb::handle lesson) {
  if (plan.find(key, size))
    return;
  auto entry = std::make_unique<PlanEntry>();
  entry->key.assign(key, key + size);
  entry->inferred = nb::borrow(lesson[4][0]);
  if (!nb::handle(lesson[4][1]).is_none())
    for (nb::handle one : nb::cast<nb::tuple>(nb::object(lesson[4][1]))) {
      PlanType type;
      if (!one.is_none()) {
        type.dtype = nb::borrow(one[0]);
        type.element = lent().numpy().element(type.dtype.ptr());
        if (!type.element && !type.dtype.is_none())
          return; // no NumPy dtype with the same layout: strings and packed elements
        if (!nb::handle(one[1]).is_none()) {
          type.isRanked = type.isStatic = true;
          for (nb::handle dim : nb::cast<nb::tuple>(nb::object(one[1]))) {
            type.shape.push_back(dim.is_none() ? -1 : nb::cast<Py_ssize_t>(dim));
            type.isStatic &= !dim.is_none();
          }
          type.isStatic &= type.element != nullptr && type.shape.size() <= kMostDims;
        }
      }
      entry->types.push_back(std::move(type));
    }
  if (plan.entries.size() >= kMostEntries) {
    release(plan.entries.front());
    plan.entries.erase(plan.entries.begin());
  }
  plan.entries.push_back(entry.release());
}

// --- Operands

/// Looked up once: it lives as long as the interpreter.
static const Numpy &knownNumpy() {
  static const Numpy *known = nullptr;
  if (!known)
    known = &lent().numpy();
  return *known;
}

void CallOperand::bounds(const char *&low, const char *&high) const {
  low = high = data;
  int64_t down = 0, up = width;
  for (int i = 0; i < ndim; ++i) {
    if (shape[i] == 0)
      return;
    int64_t extent = (shape[i] - 1) * strides[i] * width;
    (extent < 0 ? down : up) += extent;
  }
  low = data + down;
  high = data + up;
}

bool CallOperand::read(PyObject *from) {
  object = from;
  framework = nullptr;
  const Numpy &numpy = knownNumpy();
  array = numpy.view(from);
  if (array) {
    const NumpyElement *element = numpy.element(array->dtype);
    if (!element || array->ndim > int(kMostDims) || !array->is(NumpyArray::kAligned))
      return false;
    data = array->data;
    type = element->type;
    width = element->size;
    ndim = array->ndim;
    isCompact = array->is(NumpyArray::kCompact);
    ownSizes();
    int shift = std::countr_zero(size_t(width));
    for (int i = 0; i < ndim; ++i) {
      shape[i] = array->shape[i];
      strides[i] = array->strides[i] >> shift;
      if (array->strides[i] & (width - 1))
        return false; // a field of a structured array
    }
    return true;
  }
  return isTensor(from) ? readTensor() : readFramework();
}

namespace {

/// The layout of a Tensor, whose elements are immutable; followed by shape and strides.
struct TensorLayout : KeptLayout {
  char *data;
  DLDataType type;
  int ndim;
};

/// Returns null, without an exception, for a tensor that native calls do not support.
TensorLayout *newLayout(GeTensor *tensor, KeptLayout *older) {
  GeTensorTypeSpec spec;
  DLDataType type;
  const void *bytes;
  size_t size;
  if (geTensorIsSplat(tensor) || geTensorIsPacked(tensor) || geTensorIsMapped(tensor) ||
      geTypeGetTensorSpec(geTensorGetType(tensor), &spec) || spec.rank > kMostDims ||
      geDTypeToDLPack(spec.dtype, &type) || type.bits < 8 ||
      geTensorGetBytes(tensor, &bytes, &size))
    return nullptr;
  auto *made = static_cast<TensorLayout *>(
      std::malloc(sizeof(TensorLayout) + 2 * spec.rank * sizeof(int64_t)));
  if (!made)
    return nullptr;
  *made = {{older, false}, static_cast<char *>(const_cast<void *>(bytes)), type, int(spec.rank)};
  auto *sizes = reinterpret_cast<int64_t *>(made + 1);
  int64_t step = 1;
  for (size_t i = spec.rank; i-- > 0;) {
    sizes[i] = spec.shape[i].size;
    sizes[spec.rank + i] = step;
    step *= sizes[i];
  }
  return made;
}

} // namespace

bool CallOperand::readTensor() {
  auto &own = payload<TensorObject>(object);
  if (!own.layout || own.layout->isStale) {
    TensorLayout *made = newLayout(own.ref, own.layout);
    if (!made)
      return false;
    own.layout = made;
  }
  auto *layout = static_cast<TensorLayout *>(own.layout);
  data = layout->data;
  type = layout->type;
  width = type.bits / 8;
  ndim = layout->ndim;
  isCompact = true;
  shape = reinterpret_cast<int64_t *>(layout + 1);
  strides = shape + ndim;
  return true;
}

bool CallOperand::readFramework() {
  framework = frameworkOf(object);
  DLTensor t;
  if (!framework || !borrowTensor(*framework, object, t) || t.device.device_type != 1 ||
      t.ndim < 0 || t.ndim > int(kMostDims) || t.dtype.lanes != 1 || t.dtype.bits < 8 ||
      !std::has_single_bit(t.dtype.bits))
    return false;
  data = static_cast<char *>(t.data) + t.byte_offset;
  type = t.dtype;
  width = type.bits / 8;
  if (reinterpret_cast<uintptr_t>(data) % size_t(width) != 0)
    return false;
  ndim = t.ndim;
  isCompact = true;
  ownSizes();
  int64_t step = 1;
  for (int i = ndim; i-- > 0;) {
    shape[i] = t.shape[i];
    strides[i] = t.strides ? t.strides[i] : step;
    isCompact &= strides[i] == step || shape[i] == 1;
    step *= shape[i];
  }
  return true;
}

// --- Arguments

bool CallBinding::bind(const Plan &plan, PyObject *const *args, size_t count, PyObject *keywords) {
  size_t total = plan.params.size();
  if (count > plan.numPositional)
    return false;
  std::fill_n(objects, total, nullptr);
  std::copy_n(args, count, objects);
  Py_ssize_t named = keywords ? Py_SIZE(keywords) : 0;
  static PyObject *outWord = PyUnicode_InternFromString("out");
  for (Py_ssize_t k = 0; k < named; ++k) {
    PyObject *name = PyTuple_GetItem(keywords, k), *value = args[count + size_t(k)];
    size_t i = count;
    while (i < total && plan.params[i].name.ptr() != name)
      ++i;
    if (i < total && !objects[i])
      objects[i] = value;
    else if (i == total && name == outWord && plan.takesOut)
      out = value == Py_None ? nullptr : value;
    else
      return false; // an unknown or repeated name, or a str that is not interned
  }
  for (size_t i = count; i < total; ++i)
    if (!objects[i] && plan.params[i].isRequired)
      return false;
  return true;
}

bool CallBinding::classify(const Plan &plan) {
  for (size_t i = 0; i < plan.params.size(); ++i) {
    const PlanParam &param = plan.params[i];
    PyObject *o = objects[i];
    if (!o || o == Py_None) {
      if (o && !param.isOptional)
        return false;
      key.push_back(o ? KeyNone : KeyDefault);
      continue;
    }
    if (param.code == ParamCode::Object) {
      if (reinterpret_cast<PyObject *>(Py_TYPE(o)) != param.cls.ptr())
        return false;
      key.push_back(KeyObject);
      continue;
    }
    if (param.code != ParamCode::Tensor) {
      if (!pushAttribute(param.code, o, key))
        return false;
      continue;
    }
    operands.resize(operands.size() + 1);
    CallOperand &own = operands.back();
    own.param = uint32_t(i);
    if (!own.read(o))
      return false;
    // A kernel in Python takes NumPy arrays or PyTorch tensors.
    if (!plan.native && (own.isOfTorch() != plan.takesTorch || (own.framework && !own.isOfTorch())))
      return false;
    if (param.isWritten && !own.isWriteable())
      return false;
    key.push_back(KeyArray | uint64_t(own.ndim) << 8 | uint64_t(own.type.code) << 16 |
                  uint64_t(own.type.bits) << 24 | uint64_t(own.type.lanes) << 32);
    for (int d = 0; d < own.ndim; ++d)
      key.push_back(uint64_t(own.shape[d]));
  }
  return true;
}

} // namespace ge::python
