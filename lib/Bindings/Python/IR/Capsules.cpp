//===- Capsules.cpp - objects for other extension modules: X._capi, X._from_capi ---------------===//
#include "Errors.h"
#include "Gil.h"
#include "Objects.h"
#include "PopulateIR.h"

#include "ge-python/interop.h"

#include <string>

namespace ge::python {

namespace {

GeContext *handleOf(ContextObject &object) { return object.context; }
template <typename Object> auto handleOf(Object &object) { return object.ref; }

// Each function takes a new C reference and returns a new Python reference.
PyObject *wrapRetained(GeContext *context) {
  PyObject *object = wrapContext(context);
  geContextRelease(context);
  return object;
}
PyObject *wrapRetained(GeType type) {
  PyObject *object = wrapType(type);
  geContextRelease(geTypeGetContext(type));
  return object;
}
PyObject *wrapRetained(GeModule *module) { return wrapModule(module); }
PyObject *wrapRetained(GeTensor *tensor) { return wrapTensor(tensor); }
template <typename Ref> PyObject *wrapRetained(Ref *ref) { return wrapRef(ref); }

template <typename Object, auto toCapsule, auto from> void bind(const char *kind) {
  nb::handle type = nb::type<Object>();
  nb::object getter = nb::cpp_function([](nb::handle_t<Object> self) {
    return nb::steal(checked(toCapsule(handleOf(payload<Object>(self.ptr())))));
  });
  nb::object maker = nb::cpp_function(
      [](nb::handle capsule) {
        if (!PyCapsule_CheckExact(capsule.ptr()))
          checked(raiseType("capsule", "a PyCapsule", capsule.ptr()));
        decltype(handleOf(std::declval<Object &>())) handle;
        checked(from(capsule.ptr(), &handle));
        return nb::steal(checked(wrapRetained(handle)));
      },
      nb::name("_from_capi"), nb::arg("capsule").none());
  const std::string doc = std::string("A PyCapsule ``\"ge.") + kind +
                          "/1\"`` for other extension modules: ``ge-python/interop.h``.";
  nb::object builtins = importModule("builtins");
  type.attr("_capi") = builtins.attr("property")(getter, nb::none(), nb::none(), doc.c_str());
  type.attr("_from_capi") = builtins.attr("staticmethod")(maker);
}

} // namespace

void populateCapsules(nb::module_ &) {
  bind<ContextObject, gePythonContextToCapsule, gePythonContextFrom>("Context");
  bind<ModuleObject, gePythonModuleToCapsule, gePythonModuleFrom>("Module");
  bind<GraphObject, gePythonGraphToCapsule, gePythonGraphFrom>("Graph");
  bind<NodeObject, gePythonNodeToCapsule, gePythonNodeFrom>("Node");
  bind<ValueObject, gePythonValueToCapsule, gePythonValueFrom>("Value");
  bind<TypeObject, gePythonTypeToCapsule, gePythonTypeFrom>("Type");
  bind<TensorObject, gePythonTensorToCapsule, gePythonTensorFrom>("Tensor");
}

} // namespace ge::python
