/* Constant folding evaluates nodes with kernels in C: without an evaluator, as in ge-opt; with one,
 * kernels take precedence unless the evaluator prefers its own implementation. */
#include "kernels_vectors.h"

#include "ge-c/Passes.h"
#include "ge-c/Text.h"

#include <stdio.h>

static int calls;
static int countedScale(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  ++calls;
  return scale(self, args, numArgs, result);
}

static int inferred;
static bool byTypes;
static GeStatus inferCounted(void *self, const GeOpCall *call, GeType *results, bool *known) {
  ++inferred;
  *call->byTypes = byTypes;
  return inferSame(self, call, results, known);
}

static int asked;
static bool isPreferred;
static GeStatus refuse(void *userData, const GeOpCall *call, GeTensor **results, bool *known) {
  (void)userData, (void)call, (void)results;
  ++asked;
  *known = false;
  return GE_OK;
}
static bool prefers(void *userData, GeOperatorName op) {
  (void)userData, (void)op;
  return isPreferred;
}

static const char kBegin[] = "func.func @g(%i: tensor<2xf32>) -> tensor<2xf32> {\n"
                             "  %c = \"ge.Const\"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : "
                             "() -> tensor<2xf32>\n";
static const char kEnd[] = "  %z = \"onnx.Add\"(%i, %v) : (tensor<2xf32>, tensor<2xf32>) -> "
                           "tensor<2xf32>\n  return %z : tensor<2xf32>\n}\n";

/* Runs the pipeline `options` on a chain of `length` nodes of the operator with attribute k. */
static GeGraphRef *folded(GeContext *context, const char *op, const char *k, int length,
                          const char *options) {
  char text[2048];
  int at = snprintf(text, sizeof text, "%s", kBegin);
  for (int i = 0; i < length; ++i)
    at +=
        snprintf(text + at, sizeof text - (size_t)at,
                 "  %%%s%.0d = \"%s\"(%%%s%.0d) {k = %s : f32} : (tensor<2xf32>) -> "
                 "tensor<2xf32>\n",
                 i + 1 == length ? "v" : "t", i + 1 == length ? 0 : i + 1, op, i ? "t" : "c", i, k);
  snprintf(text + at, sizeof text - (size_t)at, "%s", kEnd);
  GeGraphRef *graph = NULL;
  CHECK_OK(geGraphParse(context, S(text), S("fold.mlir"), &graph));
  GePassManager *manager = NULL;
  CHECK_OK(gePassManagerParse(S(options), &manager));
  CHECK_OK(gePassManagerRunGraph(manager, graph, NULL, NULL));
  gePassManagerDestroy(manager);
  return graph;
}
static bool isFolded(GeGraphRef *graph, const char *op) {
  Text text = printedGraph(graph);
  bool found = strstr(text.data, op) != NULL;
  freeText(&text);
  return !found;
}
static void checkFolded(GeContext *context, const char *op, const char *k, int length,
                        const char *options, bool expected) {
  GeGraphRef *graph = folded(context, op, k, length, options);
  CHECK(isFolded(graph, op) == expected);
  geGraphRelease(graph);
}

static void testWithoutEvaluator(GeContext *context) {
  GeGraphRef *graph = folded(context, "kfold.scale", "3.0", 2, "constant-fold");
  CHECK(isFolded(graph, "kfold.scale") && calls == 2);
  Text text = printedGraph(graph);
  CHECK(strstr(text.data, "dense<[9.0, 18.0]>") || strstr(text.data, "9.000000e+00"));
  freeText(&text);
  geGraphRelease(graph);
  /* A node whose kernel fails stays, and the pass succeeds. */
  checkFolded(context, "kfold.scale", "-1.0", 1, "constant-fold", false);
  checkFolded(context, "kfold.scale", "3.0", 1, "constant-fold{evaluator=false}", false);
  checkFolded(context, "kfold.impure", "3.0", 1, "constant-fold", false);
  checkFolded(context, "kfold.held", "3.0", 1, "constant-fold", false);
  checkFolded(context, "kfold.none", "3.0", 1, "constant-fold", false);
}

/* An inferrer that uses only types and attributes (byTypes) is called at most twice for a whole
 * chain: by types and with the constants. Any other is called for each node. */
static void testInference(GeContext *context) {
  byTypes = true;
  inferred = 0;
  checkFolded(context, "kfold.scale", "3.0", 8, "constant-fold", true);
  CHECK(inferred > 0 && inferred <= 2);
  byTypes = false;
  inferred = 0;
  checkFolded(context, "kfold.scale", "3.0", 8, "constant-fold", true);
  CHECK(inferred >= 8);
}

static void testBesideEvaluator(GeContext *context) {
  GeEvaluator evaluator = {sizeof evaluator, NULL, refuse, NULL, prefers};
  CHECK_OK(geOpsSetEvaluator(&evaluator));
  asked = calls = 0;
  checkFolded(context, "kfold.scale", "3.0", 2, "constant-fold", true);
  CHECK(calls == 2 && asked == 0);
  isPreferred = true;
  checkFolded(context, "kfold.scale", "3.0", 1, "constant-fold", false);
  CHECK(calls == 2 && asked == 1);
  isPreferred = false;
  /* A host that was compiled before the field `prefers` was added. */
  evaluator.size = offsetof(GeEvaluator, prefers);
  CHECK_OK(geOpsSetEvaluator(&evaluator));
  checkFolded(context, "kfold.scale", "3.0", 1, "constant-fold", true);
  CHECK(calls == 3 && asked == 1);
  /* geOpsEvaluate has the same order of precedence. */
  GeOperatorName name = operatorName(context, "kfold.scale");
  GeTensor *x = vectorOf(context, 1, 2), *made = NULL;
  bool known = false;
  CHECK_OK(geOpsEvaluate(name, 0, &x, 1, NULL, 0, &made, 1, &known));
  CHECK(known && calls == 4 && asked == 1);
  checkVector(made, 2, 4);
  geTensorRelease(x);
  CHECK_OK(geOpsSetEvaluator(NULL));
}

static void defineRow(GeLibrary *library, const char *schema, bool isPure) {
  GeOpSpec *spec = NULL;
  GeOpDef op = NULL;
  CHECK_OK(geOpSpecCreate(S(schema), S("r.c"), 1, &spec));
  CHECK_OK(geOpSpecSetTraits(spec, isPure ? GE_TRAIT_PURE : 0));
  CHECK_OK(geLibraryDefineSpec(library, spec, &op));
  geOpDefRelease(op);
}

int main(void) {
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  GeLibrary *library = NULL;
  CHECK_OK(geLibraryOpen(geRegistryGlobal(), GE_LIBRARY_DEF, S("kfold"), S("r.c"), 1, &library));
  const struct {
    const char *schema, *op;
    GeKernelFn function;
    uint32_t flags;
  } rows[] = {{"scale(Tensor x, *, float k=2.0) -> Tensor", "scale", countedScale, GE_KERNEL_OUT},
              {"impure(Tensor x, *, float k=2.0) -> Tensor", "impure", countedScale, GE_KERNEL_OUT},
              {"held(Tensor x, *, float k=2.0) -> Tensor", "held", countedScale,
               GE_KERNEL_OUT | GE_KERNEL_HOLDS_GIL},
              {"none(Tensor x, *, float k=2.0) -> Tensor", "none", NULL, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    defineRow(library, rows[i].schema, strcmp(rows[i].op, "impure") != 0);
    if (rows[i].function)
      implement(library, rows[i].op, rows[i].function, rows[i].flags);
    GeInferrer inferrer = {sizeof inferrer, S("same"), NULL, inferCounted, NULL};
    CHECK_OK(geLibraryInfer(library, S(rows[i].op), &inferrer));
  }
  testWithoutEvaluator(context);
  testInference(context);
  testBesideEvaluator(context);
  CHECK_OK(geLibraryClose(library));
  geLibraryRelease(library);
  /* The library is closed: the operator has no kernel any more. */
  checkFolded(context, "kfold.scale", "3.0", 1, "constant-fold", false);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
