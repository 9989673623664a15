// A model compiler that embeds GE: it has a pass in C++ of its own and never heard of Python, and
// runs passes in Python in the same stages when the environment names some:
//
//   ASCEND_GE_PY_PASS_PATH=fuse_gelu.py compiler model.onnx model.opt.onnx
#include <ge-c/Host.h>
#include <ge-c/ONNX.h>

#include <cstdio>
#include <cstring>

namespace {

GeStringRef str(const char *text) { return {text, std::strlen(text)}; }

/// A pass in C++: erases nodes that nothing uses, and counts them.
GeStatus eraseDeadNodes(void *, GeGraphRef *graph, GePassRun *run) {
  size_t erased = 0;
  GeStatus status = geGraphEraseDeadNodes(graph, &erased);
  return status || !erased ? status : gePassRunCount(run, str("erased"), erased);
}

GeStatus registerOwnPasses() {
  GePassInfo info = {};
  info.size = sizeof info;
  info.name = str("compiler-dce");
  info.doc = str("Erases nodes that nothing uses.");
  info.kind = str("native");
  info.stage = str("AfterInferShape");
  GePassTable table = {};
  table.size = sizeof table;
  table.run = eraseDeadNodes;
  return gePassRegister(&info, &table);
}

/// Prints which passes changed something, and lets go of the report.
void show(GePassReport *report) {
  for (size_t i = 0; i < gePassReportSize(report); ++i) {
    GePassRecord record;
    if (gePassReportGet(report, i, &record) == GE_OK && record.outcome == GE_PASS_CHANGED)
      std::printf("  %.*s: %llu rewrites\n", int(record.pass.length), record.pass.data,
                  static_cast<unsigned long long>(record.rewrites));
  }
  gePassReportDestroy(report);
}

GeStatus runStage(GeHost *host, GeModule *module, const char *stage) {
  std::printf("%s\n", stage);
  GePassReport *report = nullptr;
  GeStatus status = geHostRunStage(host, module, str(stage), nullptr, 0, &report);
  show(report);
  return status;
}

GeStatus compile(GeHost *host, GeModule *module) {
  if (GeStatus status = runStage(host, module, "BeforeInferShape"))
    return status;
  if (GeStatus status = geHostRunPipeline(host, module, str("infer-types"), nullptr, 0, nullptr))
    return status;
  return runStage(host, module, "AfterInferShape");
}

/// Files that could not be loaded are told; the others are used all the same.
GeStatus loadPasses(GeHost *host) {
  GeStatus status = geHostLoadPlugins(host);
  for (size_t i = 0; i < geHostNumLoadFailures(host); ++i) {
    GeStringRef origin, message;
    if (geHostGetLoadFailure(host, i, &origin, &message) == GE_OK)
      std::fprintf(stderr, "compiler: %.*s: %.*s\n", int(origin.length), origin.data,
                   int(message.length), message.data);
  }
  return status;
}

} // namespace

int main(int count, char **arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: compiler <model.onnx> <output.onnx>\n");
    return 2;
  }
  GeHost *host = nullptr;
  GeContext *context = nullptr;
  GeModule *module = nullptr;
  bool ok = registerOwnPasses() == GE_OK && geHostOpen(nullptr, &host) == GE_OK &&
            loadPasses(host) == GE_OK && geContextCreate(&context) == GE_OK &&
            geOnnxLoad(context, str(arguments[1]), nullptr, &module) == GE_OK &&
            compile(host, module) == GE_OK &&
            geOnnxSave(module, str(arguments[2]), nullptr) == GE_OK;
  if (!ok) {
    GeStringRef message = geErrorMessage();
    std::fprintf(stderr, "compiler: %.*s\n", int(message.length), message.data);
  }
  if (module)
    geModuleRelease(module);
  if (context)
    geContextRelease(context);
  if (host)
    geHostShutdown(host);
  geHostRelease(host);
  return ok ? 0 : 1;
}
