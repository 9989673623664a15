/*===- guide_pass.c - the example of docs/guide-native-pass.md -----------------------------------===*\
|*
|* The part between the two marker lines is quoted by the guide; a test compares them.
|*
\*===---------------------------------------------------------------------------------------===*/
/* [guide] */
#include <ge-c/Passes.h>
#include <ge-c/Text.h>

#include <string.h>

static GeStringRef str(const char *text) {
  GeStringRef s = {text, strlen(text)};
  return s;
}

/* Erases nodes that nothing uses, and counts them. A status other than GE_OK fails the pass with
 * this thread's last error, and what the pass did is undone. */
static GeStatus run(void *instance, GeGraphRef *graph, GePassRun *execution) {
  size_t erased = 0;
  (void)instance;
  GeStatus status = geGraphEraseDeadNodes(graph, &erased);
  if (status != GE_OK || erased == 0)
    return status;
  return gePassRunCount(execution, str("erased"), erased);
}

static GeStatus registerPass(void) {
  GePassInfo info = {.size = sizeof info};
  GePassTable table = {.size = sizeof table};
  info.name = str("my-dce");
  info.doc = str("Erases nodes that nothing uses.");
  info.kind = str("native");
  table.run = run;
  return gePassRegister(&info, &table);
}

int main(void) {
  GeContext *context;
  GeGraphRef *graph;
  GePassManager *manager;
  GePassReport *report;
  const char *text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                     "  %a = \"onnx.Abs\"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
                     "  return %x : tensor<2xf32>\n"
                     "}\n";
  if (registerPass() != GE_OK || geContextCreate(&context) != GE_OK ||
      geGraphParse(context, str(text), str("example"), &graph) != GE_OK ||
      gePassManagerParse(str("my-dce,verify"), &manager) != GE_OK ||
      gePassReportCreate(&report) != GE_OK ||
      gePassManagerRunGraph(manager, graph, NULL, report) != GE_OK)
    return 1;
  bool changed = gePassReportHasChanged(report);
  gePassReportDestroy(report);
  gePassManagerDestroy(manager);
  geGraphRelease(graph);
  geContextRelease(context);
  return changed ? 0 : 1;
}
/* [guide] */
