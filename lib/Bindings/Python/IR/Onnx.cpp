//===- Onnx.cpp - what ge.onnx is made of -------------------------------------------------------===//
//
// ge/onnx/_files.py gives these functions their public form. Reading and writing release the GIL: a
// module that is being read is not shared yet, and a module that is being written is locked for
// reading until its messages are encoded, so that other threads may edit it during the disk write.
//
#include "Convert.h"
#include "Paths.h"
#include "PopulateIR.h"
#include "Scope.h"
#include "Unlock.h"

#include "Errors.h"
#include "ge-c/Files.h"
#include "ge-c/ONNX.h"

#include <memory>
#include <string>
#include <vector>

namespace ge::python {

namespace {

void releaseBytes(void *owner) {
  GilAcquire guard;
  if (guard)
    Py_DECREF(static_cast<PyObject *>(owner));
}

GeContext *contextOf(nb::handle argument) {
  GeContext *context = resolveContext(argument.ptr());
  if (!context)
    throw nb::python_error();
  return context;
}

/// The options, and the storage that their string references point into.
class LoadArguments {
public:
  LoadArguments(nb::handle directory, nb::handle dataRoots, bool allowPipe)
      : held_(nb::steal(checked(PySequence_Tuple(dataRoots.ptr())))), directory_(directory) {
    for (nb::handle root : held_)
      roots_.emplace_back(root);
    for (const PathBytes &root : roots_)
      refs_.push_back(root.ref());
    options_ = {sizeof options_, directory_.ref(), refs_.data(), refs_.size(), allowPipe};
  }
  const GeOnnxLoadOptions *get() const { return &options_; }

private:
  nb::object held_;
  PathBytes directory_;
  std::vector<PathBytes> roots_;
  std::vector<GeStringRef> refs_;
  GeOnnxLoadOptions options_;
};

nb::object load(nb::handle path, nb::handle directory, nb::handle dataRoots, bool allowPipe,
                nb::handle contextArgument) {
  GeContext *context = contextOf(contextArgument);
  LoadArguments options(directory, dataRoots, allowPipe);
  PathBytes bytes(path);
  GeStringRef text = bytes.ref();
  GeModule *module;
  check(
      afterCallbacks(run(true, [&] { return geOnnxLoad(context, text, options.get(), &module); })));
  return nb::steal(checked(wrapModule(module)));
}

nb::object loadBytes(const nb::bytes &bytes, nb::handle directory, nb::handle dataRoots,
                     nb::handle contextArgument) {
  GeContext *context = contextOf(contextArgument);
  LoadArguments options(directory, dataRoots, false);
  const char *data = bytes.c_str();
  size_t size = bytes.size();
  GeModule *module;
  // Bytes that are tensor data.
  nb::object owner = bytes;
  check(afterCallbacks(run(true, [&] {
    return geOnnxLoadBytes(context, data, size, releaseBytes, owner.ptr(), options.get(), &module);
  })));
  std::ignore = owner.release();
  return nb::steal(checked(wrapModule(module)));
}

nb::object readFile(nb::handle path, bool allowPipe) {
  PathBytes name(path);
  GeStringRef text = name.ref();
  std::string bytes;
  auto append = [](GeStringRef piece, void *to) {
    static_cast<std::string *>(to)->append(piece.data, piece.length);
  };
  check(run(true, [&] { return geFileRead(text, allowPipe, append, &bytes); }));
  return nb::steal(checked(PyBytes_FromStringAndSize(bytes.data(), Py_ssize_t(bytes.size()))));
}

struct ReleaseModel {
  void operator()(GeOnnxModel *model) const { geOnnxModelRelease(model); }
};
using Serialized = std::unique_ptr<GeOnnxModel, ReleaseModel>;

Serialized serialize(nb::handle object, GeStringRef path, GeOnnxSaveOptions options,
                     nb::handle location) {
  if (!isModule(object.ptr()))
    checked(raiseType("module", "a Module", object.ptr()));
  GeModule *module = payload<ModuleObject>(object.ptr()).ref;
  PathBytes data(location);
  options.size = sizeof options;
  options.location = data.ref();
  GeOnnxModel *model = nullptr;
  check(afterCallbacks(
      reading(module, [&] { return geOnnxSerialize(module, path, &options, &model); })));
  return Serialized(model);
}

void save(nb::handle module, nb::handle path, int external, nb::handle location, uint64_t threshold,
          bool overwrite, bool allowPipe, bool verify, bool isNew, int directory) {
  PathBytes bytes(path);
  GeStringRef text = bytes.ref();
  GeOnnxSaveOptions options{};
  options.externalData = GeOnnxExternalData(external);
  options.threshold = threshold;
  options.overwrite = overwrite;
  options.allowPipe = allowPipe;
  options.verify = verify;
  options.isNew = isNew;
  options.directory = directory < 0 ? nullptr : &directory;
  Serialized model = serialize(module, text, options, location);
  check(run(true, [&] { return geOnnxModelWrite(model.get(), text); }));
}

void writeFile(nb::handle path, const nb::bytes &bytes, bool isNew, bool allowPipe, bool noLinks) {
  PathBytes name(path);
  GeStringRef text = name.ref();
  GeFileWriteOptions options{sizeof options, isNew, allowPipe, noLinks};
  const char *data = bytes.c_str();
  size_t size = bytes.size();
  check(run(true, [&] { return geFileWrite(text, data, size, &options); }));
}

nb::object toBytes(nb::handle module, int external) {
  GeOnnxSaveOptions options{};
  options.externalData = GeOnnxExternalData(external);
  Serialized model = serialize(module, {nullptr, 0}, options, nb::none());
  auto size = Py_ssize_t(geOnnxModelSize(model.get()));
  nb::object bytes = nb::steal(checked(PyBytes_FromStringAndSize(nullptr, size)));
  char *data = PyBytes_AsString(bytes.ptr());
  check(run(size_t(size) > kUnlockBytes,
            [&] { return geOnnxModelCopyTo(model.get(), data, size_t(size)); }));
  return bytes;
}

} // namespace

void populateOnnx(nb::module_ &m) {
  m.def("_onnx_load", load, nb::arg("path"), nb::arg("directory").none(), nb::arg("data_roots"),
        nb::arg("allow_pipe"), nb::arg("context").none());
  m.def("_onnx_load_bytes", loadBytes, nb::arg("data"), nb::arg("directory").none(),
        nb::arg("data_roots"), nb::arg("context").none());
  m.def("_read_file", readFile, nb::arg("path"), nb::arg("allow_pipe"));
  m.def("_onnx_save", save, nb::arg("module"), nb::arg("path"), nb::arg("external"),
        nb::arg("location").none(), nb::arg("threshold"), nb::arg("overwrite"),
        nb::arg("allow_pipe"), nb::arg("verify"), nb::arg("is_new") = false,
        nb::arg("directory") = -1);
  m.def("_write_file", writeFile, nb::arg("path"), nb::arg("data"), nb::arg("is_new"),
        nb::arg("allow_pipe"), nb::arg("no_links"));
  m.def("_onnx_to_bytes", toBytes, nb::arg("module"), nb::arg("external"));
}

} // namespace ge::python
