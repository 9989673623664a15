//===- DlpackExchange.cpp - the C functions of a framework's tensors ---------------------------===//
#include "DlpackExchange.h"

#include "../IR/Gil.h"
#include "Arguments.h"

#include <array>
#include <cstdlib>
#include <cstring>

namespace ge::python {

namespace {

constexpr char kCapsule[] = "dlpack_exchange_api";
constexpr uint32_t kMajor = 1;

/// A class that was looked at; it stays for the life of the process.
struct KnownClass {
  PyObject *type;
  const DlpackExchange *exchange;
};

/// Null for classes without a table, and for those of other frameworks.
const DlpackExchange *tableOf(PyObject *type) {
  nb::object capsule = nb::steal(PyObject_GetAttrString(type, "__dlpack_c_exchange_api__"));
  PyErr_Clear();
  if (!capsule.is_valid() || !PyCapsule_IsValid(capsule.ptr(), kCapsule) ||
      PyObject_HasAttrString(type, "requires_grad") != 1)
    return nullptr;
  auto *table = static_cast<DlpackExchange *>(PyCapsule_GetPointer(capsule.ptr(), kCapsule));
  while (table && table->version.major > kMajor)
    table = table->older;
  return table && table->version.major == kMajor && table->borrow && table->toObject ? table
                                                                                     : nullptr;
}

/// Whether the class has the attribute itself: objects of derived classes may have no memory.
bool isOwn(PyObject *type) {
  nb::object own = nb::steal(PyObject_GetAttrString(type, "__dict__"));
  nb::str name("__dlpack_c_exchange_api__");
  bool found = own.is_valid() && PySequence_Contains(own.ptr(), name.ptr()) == 1;
  PyErr_Clear();
  return found;
}

constexpr size_t kMostClasses = 4;
std::array<KnownClass, kMostClasses> knownClasses; // the GIL is held
size_t numKnown = 0;

const KnownClass *knownClass(PyObject *type) {
  for (size_t i = 0; i < numKnown; ++i)
    if (knownClasses[i].type == type)
      return &knownClasses[i];
  if (numKnown == kMostClasses)
    return nullptr;
  const DlpackExchange *table = isOwn(type) ? tableOf(type) : nullptr;
  if (!table)
    return nullptr;
  // Looking at the class ran Python code, which may have come here.
  if (numKnown == kMostClasses)
    return nullptr;
  knownClasses[numKnown] = {Py_NewRef(type), table};
  return &knownClasses[numKnown++];
}

/// Whether an attribute, or what a method of no arguments gives, is False.
bool isFalse(PyObject *found) {
  nb::object value = nb::steal(found);
  if (!value.is_valid())
    PyErr_Clear();
  return value.ptr() == Py_False;
}

/// What a tensor of a framework holds.
struct Lent {
  DLManagedTensorVersioned managed;
  PyObject *owner;
  // Shape and strides follow.
};

void freeLent(DLManagedTensorVersioned *managed) {
  auto *lent = static_cast<Lent *>(managed->manager_ctx);
  if (GilAcquire guard; guard)
    Py_CLEAR(lent->owner);
  std::free(lent);
}

} // namespace

const DlpackExchange *exchangeOf(PyObject *object) {
  const KnownClass *known = knownClass(reinterpret_cast<PyObject *>(Py_TYPE(object)));
  return known ? known->exchange : nullptr;
}

bool borrowTensor(const DlpackExchange &exchange, PyObject *object, DLTensor &out) {
  static PyObject *requiresGrad = PyUnicode_InternFromString("requires_grad"),
                  *isNegated = PyUnicode_InternFromString("is_neg");
  if (!isFalse(PyObject_GetAttr(object, requiresGrad)) ||
      !isFalse(PyObject_CallMethodObjArgs(object, isNegated, nullptr)))
    return false;
  if (exchange.borrow(object, &out) != 0) {
    PyErr_Clear();
    return false;
  }
  constexpr uint8_t kComplex = 5;
  return out.dtype.code != kComplex; // it may be a conjugate
}

PyObject *tensorOfFramework(const DlpackExchange &exchange, const DLTensor &memory,
                            PyObject *owner) {
  auto rank = size_t(memory.ndim);
  auto *lent = static_cast<Lent *>(std::calloc(1, sizeof(Lent) + 2 * rank * sizeof(int64_t)));
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
  void *made = nullptr;
  return exchange.toObject(&lent->managed, &made) == 0 ? static_cast<PyObject *>(made) : nullptr;
}

} // namespace ge::python
