//===- ONNX.cpp - ge-c/ONNX.h: models in and out --------------------------------------------------===//

#include "Live.h"
#include "LoadDomains.h"

#include "ge-c/ONNX.h"
#include "ge/Formats/Onnx/Onnx.h"
#include "ge/Ops/Infer/Opsets.h"

#include <memory>
#include <string>

using namespace ge;
using namespace ge::capi;

namespace {

onnx::SerializedModel *unwrapModel(GeOnnxModel *model) {
  return reinterpret_cast<onnx::SerializedModel *>(model);
}

onnx::SerializedModel &needModel(GeOnnxModel *model) {
  if (!model)
    throwNull("model");
  return *unwrapModel(model);
}

std::string pathOf(GeStringRef given) {
  std::string_view path = text(given, "path");
  if (path.find('\0') != std::string_view::npos)
    throwError(ErrorKind::Value, "a path has no NUL");
  return std::string(path);
}

onnx::LoadOptions loadOptions(const GeOnnxLoadOptions *given) {
  GeOnnxLoadOptions chosen = sizedOr(given, "GeOnnxLoadOptions");
  onnx::LoadOptions options;
  options.directory = pathOf(chosen.directory);
  needArray(chosen.dataRoots, chosen.numDataRoots, "dataRoots");
  for (size_t i = 0; i < chosen.numDataRoots; ++i)
    options.dataRoots.push_back(pathOf(chosen.dataRoots[i]));
  options.allowPipe = chosen.allowPipe;
  return options;
}

/// Owner of bytes that the caller lent; `release` is called after their last use.
struct LentBytes {
  ForeignRelease *release;
  explicit LentBytes(ForeignRelease *f) : release(f) {}
  ~LentBytes() {
    if (release)
      runOrDelay(release);
  }
  LentBytes(const LentBytes &) = delete;
  LentBytes &operator=(const LentBytes &) = delete;
};

onnx::SerializedModel serialized(GeModule *module, const std::string &path,
                                 const GeOnnxSaveOptions *given) {
  GeOnnxSaveOptions defaults{};
  defaults.threshold = 1024;
  GeOnnxSaveOptions chosen = sizedOr(given, "GeOnnxSaveOptions", defaults);
  onnx::SaveOptions options;
  int external = numberOf(chosen.externalData);
  if (external < GE_ONNX_EXTERNAL_KEEP || external > GE_ONNX_EXTERNAL_ALWAYS)
    throwError(ErrorKind::Value, external, " is not a GeOnnxExternalData");
  options.external = onnx::SaveOptions::External(external);
  options.location = pathOf(chosen.location);
  options.threshold = chosen.threshold;
  options.overwrite = chosen.overwrite;
  options.allowPipe = chosen.allowPipe;
  options.verify = chosen.verify;
  options.isNew = chosen.isNew;
  options.directory = chosen.directory;
  LiveModule<Access::Read> m(module, "module");
  ModuleGraphs graphs(*m.get());
  return onnx::serialize(*m.get(), options, path);
}

} // namespace

GeStatus geGraphGetOpsets(GeGraphRef *graph, GeAttribute *out) {
  return guarded([&] {
    GeAttribute &found = result(out);
    Reading<Graph> g(graph, "graph");
    found = wrap(opsetsAttr(*g.get()).take());
  });
}

GeStatus geOnnxLoad(GeContext *context, GeStringRef path, const GeOnnxLoadOptions *options,
                    GeModule **out) {
  return interruptible(context, [&] {
    GeModule *&loaded = result(out);
    loaded = withDomains(onnx::loadModel(need(context), pathOf(path), loadOptions(options)));
  });
}

GeStatus geOnnxLoadBytes(GeContext *context, const void *data, size_t size,
                         void (*release)(void *owner), void *owner,
                         const GeOnnxLoadOptions *options, GeModule **out) {
  return interruptible(context, [&] {
    GeModule *&loaded = result(out);
    needArray(static_cast<const char *>(data), size, "data");
    std::string_view bytes(static_cast<const char *>(data), size);
    onnx::LoadOptions load = loadOptions(options);
    ReleaseDelay delay;
    WireSource source{bytes, "<bytes>"};
    if (!release) {
      auto copy = std::make_shared<std::string>(bytes);
      source.bytes = *copy;
      source.keeper = copy;
      loaded = withDomains(onnx::readModel(need(context), source, load));
      return;
    }
    auto foreign = std::make_unique<ForeignRelease>(ForeignRelease{release, owner, nullptr});
    auto lent = std::make_shared<LentBytes>(nullptr);
    source.keeper = lent;
    loaded = withDomains(onnx::readModel(need(context), source, load));
    lent->release = foreign.release(); // nothing below can fail
  });
}

GeStatus geOnnxSerialize(GeModule *module, GeStringRef path, const GeOnnxSaveOptions *options,
                         GeOnnxModel **out) {
  return interruptible(geModuleGetContext(module), [&] {
    GeOnnxModel *&made = result(out);
    auto model = std::make_unique<onnx::SerializedModel>(serialized(module, pathOf(path), options));
    made = reinterpret_cast<GeOnnxModel *>(model.release());
  });
}

void geOnnxModelRelease(GeOnnxModel *model) { delete unwrapModel(model); }

uint64_t geOnnxModelSize(GeOnnxModel *model) {
  return model ? unwrapModel(model)->bytes.size() : 0;
}

GeStatus geOnnxModelCopyTo(GeOnnxModel *model, void *out, size_t size) {
  return interruptible([&] {
    const onnx::SerializedModel &m = needModel(model);
    onnx::checkSize(m);
    needArray(static_cast<char *>(out), size, "out");
    if (size != m.bytes.size())
      throwError(ErrorKind::Value, "the model takes ", m.bytes.size(), " bytes, not ", size);
    m.bytes.copyTo(static_cast<char *>(out));
  });
}

GeStatus geOnnxModelWrite(GeOnnxModel *model, GeStringRef path) {
  return interruptible([&] { onnx::writeModel(needModel(model), pathOf(path)); });
}

GeStatus geOnnxSave(GeModule *module, GeStringRef path, const GeOnnxSaveOptions *options) {
  return interruptible(geModuleGetContext(module), [&] {
    std::string place = pathOf(path);
    onnx::SerializedModel model = serialized(module, place, options);
    onnx::writeModel(model, place);
  });
}
