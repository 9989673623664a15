//===- ObjectType.cpp - the class of the classes of ge.ops ---------------------------------------===//
//
// A registered class without its own __init__ is called with the values of its fields. If each
// value has exactly its field's type, nothing must be bound or converted, and the instance is
// created here. All other calls go through `type` to the class's __init__, which reports errors.
//
#include "PopulateOps.h"
#include "Records.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace ge::python {

namespace {

struct ObjectField {
  PyTypeObject *type;   ///< held
  PyObject *descriptor; ///< of the slot; held
  descrsetfunc set;
  bool isInt; ///< of 64 bits
};

/// The fields of a class whose instances are created here.
struct ObjectForm {
  PyObject *cls = nullptr; ///< held: no other class gets its address
  std::vector<ObjectField> fields;
  ObjectForm() = default;
  ObjectForm(const ObjectForm &) = delete;
  ~ObjectForm() {
    for (const ObjectField &field : fields) {
      Py_DECREF(reinterpret_cast<PyObject *>(field.type));
      Py_DECREF(field.descriptor);
    }
    Py_XDECREF(cls);
  }
};

/// Under the GIL. Sorted by address.
using Forms = std::vector<std::shared_ptr<const ObjectForm>>;
Forms &forms() {
  static Forms &all = *new Forms; // classes outlive the module
  return all;
}
Forms::iterator placeOf(const PyObject *cls) {
  return std::ranges::lower_bound(forms(), cls, {}, [](const auto &form) { return form->cls; });
}

/// The forms of the classes that were called last.
constexpr size_t kRecent = 16;
std::array<const ObjectForm *, kRecent> recent{};

const ObjectForm *formOf(const PyObject *cls) {
  constexpr size_t kShift = 6;
  const ObjectForm *&last = recent[(reinterpret_cast<uintptr_t>(cls) >> kShift) % kRecent];
  if (last && last->cls == cls)
    return last;
  auto found = placeOf(cls);
  if (found == forms().end() || (*found)->cls != cls)
    return nullptr;
  return last = found->get();
}

void takeOut(const PyObject *cls) {
  auto found = placeOf(cls);
  if (found == forms().end() || (*found)->cls != cls)
    return;
  recent.fill(nullptr);
  std::shared_ptr<const ObjectForm> out = std::move(*found); // dies after it is out
  forms().erase(found);
}

bool fits(const ObjectField &field, PyObject *value) {
  if (Py_TYPE(value) != field.type)
    return false;
  if (!field.isInt)
    return true;
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(value, &overflow);
  return overflow == 0;
}

/// Returns a new reference; null without an exception if the fast path does not apply.
PyObject *makeAtOnce(PyObject *cls, PyObject *args) {
  const ObjectForm *form = formOf(cls);
  if (!form || size_t(Py_SIZE(args)) != form->fields.size())
    return nullptr;
  for (size_t i = 0; i < form->fields.size(); ++i)
    if (!fits(form->fields[i], PyTuple_GetItem(args, Py_ssize_t(i))))
      return nullptr;
  PyObject *made = PyType_GenericAlloc(reinterpret_cast<PyTypeObject *>(cls), 0); // may collect
  form = made ? formOf(cls) : nullptr;
  bool good = form && size_t(Py_SIZE(args)) == form->fields.size();
  for (size_t i = 0; good && i < form->fields.size(); ++i) {
    const ObjectField &field = form->fields[i];
    good = field.set(field.descriptor, made, PyTuple_GetItem(args, Py_ssize_t(i))) == 0;
  }
  if (good)
    return made;
  PyErr_Clear();
  Py_XDECREF(made);
  return nullptr;
}

/// Returns a slot function of `type`, the base of the metaclass.
template <typename Function> Function ofType(int slot) {
  return reinterpret_cast<Function>(PyType_GetSlot(&PyType_Type, slot));
}

PyObject *callClass(PyObject *cls, PyObject *args, PyObject *kwargs) {
  if (!kwargs || PyDict_Size(kwargs) == 0)
    if (PyObject *made = makeAtOnce(cls, args))
      return made;
  static const auto call = ofType<ternaryfunc>(Py_tp_call);
  return call(cls, args, kwargs);
}

/// Setting __init__ or __new__ of a class turns the fast path off for it and its subclasses.
int setClassAttribute(PyObject *cls, PyObject *name, PyObject *value) {
  static const auto set = ofType<setattrofunc>(Py_tp_setattro);
  bool makes = PyUnicode_Check(name) && (PyUnicode_CompareWithASCIIString(name, "__init__") == 0 ||
                                         PyUnicode_CompareWithASCIIString(name, "__new__") == 0);
  std::vector<nb::object> under;
  for (const auto &form : makes ? forms() : Forms())
    if (PyType_IsSubtype(reinterpret_cast<PyTypeObject *>(form->cls),
                         reinterpret_cast<PyTypeObject *>(cls)))
      under.push_back(nb::borrow(form->cls));
  for (const nb::object &one : under)
    takeOut(one.ptr());
  return set(cls, name, value);
}

void setFields(nb::handle cls, nb::handle types, nb::handle descriptors) {
  takeOut(cls.ptr());
  if (types.is_none())
    return;
  auto made = std::make_shared<ObjectForm>();
  made->cls = Py_NewRef(cls.ptr());
  nb::tuple all = nb::cast<nb::tuple>(types), slots = nb::cast<nb::tuple>(descriptors);
  for (size_t i = 0; i < all.size(); ++i) {
    nb::object type = all[i], slot = slots[i];
    auto set = reinterpret_cast<descrsetfunc>(PyType_GetSlot(Py_TYPE(slot.ptr()), Py_tp_descr_set));
    if (!PyType_Check(type.ptr()) || !set)
      throw nb::type_error("_set_fields takes types and descriptors of slots");
    bool isInt = type.ptr() == reinterpret_cast<PyObject *>(&PyLong_Type);
    made->fields.push_back(
        {reinterpret_cast<PyTypeObject *>(type.release().ptr()), slot.release().ptr(), set, isInt});
  }
  auto place = placeOf(made->cls);
  forms().insert(place, std::move(made));
}

PyType_Slot slots[] = {{Py_tp_base, nullptr}, // set below: its address is not a constant
                       {Py_tp_call, slot<callClass>()},
                       {Py_tp_setattro, reinterpret_cast<void *>(setClassAttribute)},
                       {0, nullptr}};

} // namespace

void populateObjectType(nb::module_ &m) {
  static std::string &kept =
      *new std::string(std::string(nb::str(m.attr("__name__")).c_str()) + "._ObjectType");
  slots[0].pfunc = &PyType_Type;
  PyType_Spec spec{kept.c_str(), 0, 0, unsigned(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE), slots};
  m.attr("_ObjectType") = nb::steal(checked(PyType_FromSpec(&spec)));
  m.def("_set_fields", setFields, nb::arg("cls"), nb::arg("types").none(),
        nb::arg("descriptors").none());
}

} // namespace ge::python
