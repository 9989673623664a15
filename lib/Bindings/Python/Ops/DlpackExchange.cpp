//===- DlpackExchange.cpp - the C functions of a framework's tensors ---------------------------===//
#include "DlpackExchange.h"

#include "../IR/Gil.h"
#include "Arguments.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

namespace ge::python {

namespace {

constexpr char kCapsule[] = "dlpack_exchange_api";
constexpr uint32_t kMajor = 1;

/// Null for classes without a table.
const DlpackExchange *tableOf(PyObject *type) {
  nb::object capsule = nb::steal(PyObject_GetAttrString(type, "__dlpack_c_exchange_api__"));
  PyErr_Clear();
  if (!capsule.is_valid() || !PyCapsule_IsValid(capsule.ptr(), kCapsule))
    return nullptr;
  auto *table = static_cast<DlpackExchange *>(PyCapsule_GetPointer(capsule.ptr(), kCapsule));
  while (table && table->version.major > kMajor)
    table = table->older;
  return table && table->version.major == kMajor && table->fromObject && table->toObject ? table
                                                                                         : nullptr;
}

/// Returns whether the class itself has the attribute: objects of derived classes may have no
/// memory.
bool isOwn(PyObject *type) {
  nb::object own = nb::steal(PyObject_GetAttrString(type, "__dict__"));
  nb::str name("__dlpack_c_exchange_api__");
  bool found = own.is_valid() && PySequence_Contains(own.ptr(), name.ptr()) == 1;
  PyErr_Clear();
  return found;
}

constexpr size_t kMostClasses = 8;
std::array<Framework, kMostClasses> known; // the GIL is held
size_t numKnown = 0;

/// Returns whether an attribute, or the result of a method without arguments, is False.
bool isFalse(PyObject *found) {
  nb::object value = nb::steal(found);
  if (!value.is_valid())
    PyErr_Clear();
  return value.ptr() == Py_False;
}

/// The object that a tensor of a framework keeps alive.
struct LentTensor {
  DLManagedTensorVersioned managed;
  PyObject *owner;
  // Shape and strides follow.
};

void freeLent(DLManagedTensorVersioned *managed) {
  auto *lent = static_cast<LentTensor *>(managed->manager_ctx);
  if (GilAcquire guard; guard)
    Py_CLEAR(lent->owner);
  std::free(lent);
}

/// Takes over the tensor; null with an exception.
PyObject *objectOf(const Framework &framework, DLManagedTensorVersioned *managed) {
  void *made = nullptr;
  return framework.exchange->toObject(managed, &made) == 0 ? static_cast<PyObject *>(made)
                                                           : nullptr;
}

} // namespace

const Framework *frameworkOf(PyObject *object) {
  auto *type = reinterpret_cast<PyObject *>(Py_TYPE(object));
  for (size_t i = 0; i < numKnown; ++i)
    if (known[i].type == type)
      return &known[i];
  if (numKnown == kMostClasses)
    return nullptr;
  const DlpackExchange *table = isOwn(type) ? tableOf(type) : nullptr;
  if (!table)
    return nullptr;
  bool isTorch = PyObject_HasAttrString(type, "requires_grad") == 1;
  // Inspecting the class ran Python code, which may have called this function.
  for (size_t i = 0; i < numKnown; ++i)
    if (known[i].type == type)
      return &known[i];
  if (numKnown == kMostClasses)
    return nullptr;
  known[numKnown] = {Py_NewRef(type), table, isTorch};
  return &known[numKnown++];
}

bool borrowTensor(const Framework &framework, PyObject *object, DLTensor &out) {
  static PyObject *requiresGrad = PyUnicode_InternFromString("requires_grad"),
                  *isNegated = PyUnicode_InternFromString("is_neg");
  if (framework.isTorch && (!isFalse(PyObject_GetAttr(object, requiresGrad)) ||
                            !isFalse(PyObject_CallMethodObjArgs(object, isNegated, nullptr))))
    return false;
  if (!framework.exchange->borrow)
    return false;
  if (framework.exchange->borrow(object, &out) != 0) {
    PyErr_Clear();
    return false;
  }
  constexpr uint8_t kComplex = 5;
  return !framework.isTorch || out.dtype.code != kComplex; // it may have a conjugate bit
}

bool isWriteable(const Framework &framework, PyObject *object) {
  if (framework.isTorch) // PyTorch has no read-only tensors
    return true;
  constexpr uint64_t kReadOnly = 1, kCopied = 2;
  DLManagedTensorVersioned *managed = nullptr;
  if (framework.exchange->fromObject(object, &managed) != 0 || !managed) {
    PyErr_Clear();
    return false;
  }
  bool isFree = !(managed->flags & (kReadOnly | kCopied));
  if (managed->deleter)
    managed->deleter(managed);
  return isFree;
}

PyObject *tensorOfFramework(const Framework &framework, const DLTensor &memory, PyObject *owner) {
  auto rank = size_t(memory.ndim);
  auto *lent =
      static_cast<LentTensor *>(std::calloc(1, sizeof(LentTensor) + 2 * rank * sizeof(int64_t)));
  if (!lent)
    return PyErr_NoMemory();
  auto *sizes = reinterpret_cast<int64_t *>(lent + 1);
  lent->managed = {{kMajor, 0}, lent, freeLent, 0, memory};
  lent->managed.dl_tensor.shape = sizes;
  lent->managed.dl_tensor.strides = sizes + rank;
  if (rank) {
    std::memcpy(sizes, memory.shape, rank * sizeof(int64_t));
    std::memcpy(sizes + rank, memory.strides, rank * sizeof(int64_t));
  }
  lent->owner = Py_NewRef(owner);
  return objectOf(framework, &lent->managed);
}

PyObject *newOfFramework(const Framework &framework, DLTensor &like) {
  std::string why; // a local copy: the allocator may run without the GIL
  auto keep = [](void *to, const char *kind, const char *message) {
    *static_cast<std::string *>(to) =
        std::string(kind ? kind : "") + ": " + (message ? message : "");
  };
  DLManagedTensorVersioned *managed = nullptr;
  if (framework.exchange->allocate(&like, &managed, &why, keep) == 0 && managed)
    return objectOf(framework, managed);
  if (!PyErr_Occurred())
    PyErr_SetString(PyExc_RuntimeError,
                    why.empty() ? "the framework's allocator gave nothing" : why.c_str());
  return nullptr;
}

} // namespace ge::python
