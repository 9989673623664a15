/*===- regions.c - regions of graphs that a region runner executes -----------------------------===*\
|*
|* Guarantees: geGraphRun passes to a region runner the largest convex regions of the operators that
|* it supports, also in bodies; a region is compiled once for inputs of the same element types and
|* ranks, also across runs; a region that the runner rejects is split, and a rejected single node is
|* evaluated by the evaluator; errors name the region's node; every region and the runner are
|* released once.
|*
\*===----------------------------------------------------------------------------------------===*/
#include "check.h"
#include "kernels_common.h"

#include "ge-c/Kernels.h"
#include "ge-c/Regions.h"

/* A compiled region of the runner below: nodes over a list of vectors of two numbers. */
typedef struct {
  struct {
    char op; /* R, N, A or L */
    int operands[2];
  } nodes[16];
  int numNodes, numInputs, numConstants, outputs[8], numOutputs;
  GeTensor *constants[4];
} Region;

static struct {
  int compiled, runs, released, gone, mostNodes;
  bool refusesAll, failsToRun, refusesToRun, leavesOut;
  char labels[512]; /* operators of each compiled region, in order */
} seen;

typedef struct {
  GeValueRef *values[32];
  int count;
} Known;
static int placeOf(const Known *known, GeNodeRef *node, size_t i) {
  GeValueRef *value = NULL;
  CHECK_OK(geNodeGetOperand(node, i, &value));
  int place = -1;
  for (int k = 0; value && k < known->count; ++k)
    if (value == known->values[k])
      place = k;
  geValueRelease(value);
  return place;
}

static bool supports(void *userData, GeOperatorName op) {
  CHECK(userData == &seen);
  const char *names[] = {"onnx.Relu", "onnx.Neg",      "onnx.Add",
                         "onnx.Loop", "onnx.Identity", "onnx.Erf"};
  GeStringRef full = geIdentifierStr(geOperatorNameFull(op));
  for (int i = 0; i < 6; ++i)
    if (full.length == strlen(names[i]) && contains(full, names[i]))
      return true;
  return false;
}

static GeStatus refuse(const char *text) {
  geErrorSet(GE_ERROR_NOT_IMPLEMENTED, S(text));
  return GE_ERROR_NOT_IMPLEMENTED;
}

static GeStatus compile(void *userData, GeModule *module, void **out) {
  CHECK(userData == &seen && geModuleNumGraphs(module) == 1);
  GeGraphRef *graph = NULL;
  size_t numNodes = 0, count = 0;
  Region *region = calloc(1, sizeof *region);
  Known known = {.count = 0};
  CHECK_OK(geModuleGetGraph(module, 0, &graph));
  CHECK_OK(geGraphNumInputs(graph, &count));
  for (size_t i = 0; i < count; ++i) {
    GeType type = NULL;
    CHECK_OK(geGraphGetInput(graph, i, &known.values[known.count++]));
    CHECK_OK(geValueGetType(known.values[i], &type));
    CHECK(geTypeGetKind(type) == GE_TYPE_TENSOR);
  }
  region->numInputs = (int)count;
  /* The array has room. NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.strcpy) */
  strcat(seen.labels, "[");
  CHECK_OK(geGraphNumNodes(graph, &numNodes));
  for (int pass = 0; pass < 2; ++pass) /* constants first: their indices follow the inputs' */
    for (size_t i = 0; i < numNodes; ++i) {
      GeNodeRef *node = NULL;
      GeOperatorName op = NULL;
      CHECK_OK(geGraphGetNode(graph, i, &node));
      CHECK_OK(geNodeGetOperatorName(node, &op));
      GeStringRef name = geIdentifierStr(geOperatorNameFull(op));
      bool isConstant = contains(name, "ge.Const");
      if (isConstant == (pass == 0)) {
        if (isConstant) {
          GeAttribute value;
          CHECK_OK(
              geNodeGetAttribute(node, identifier(geModuleGetContext(module), "value"), &value));
          CHECK_OK(geAttributeGetTensor(value, &region->constants[region->numConstants++]));
          geAttributeRelease(value);
        } else {
          int at = region->numNodes++;
          region->nodes[at].op = name.data[5];
          strncat(seen.labels, name.data + 5, 1);
          size_t operands = 0;
          CHECK_OK(geNodeNumOperands(node, &operands));
          for (size_t k = 0; k < operands && k < 2; ++k)
            region->nodes[at].operands[k] = placeOf(&known, node, k);
        }
        CHECK_OK(geNodeGetResult(node, 0, &known.values[known.count++]));
      }
      geNodeRelease(node);
    }
  /* The array has room. NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.strcpy) */
  strcat(seen.labels, "]");
  CHECK_OK(geGraphNumOutputs(graph, &count));
  for (size_t i = 0; i < count; ++i) {
    GeValueRef *value = NULL;
    CHECK_OK(geGraphGetOutput(graph, i, &value));
    for (int k = 0; k < known.count; ++k)
      if (value == known.values[k])
        region->outputs[region->numOutputs++] = k;
    geValueRelease(value);
  }
  for (int k = 0; k < known.count; ++k)
    geValueRelease(known.values[k]);
  geGraphRelease(graph);
  ++seen.compiled;
  *out = region;
  int most = seen.mostNodes ? seen.mostNodes : 16;
  if (!seen.refusesAll && region->numNodes <= most)
    return GE_OK;
  for (int k = 0; k < region->numConstants; ++k)
    geTensorRelease(region->constants[k]);
  free(region);
  --seen.compiled;
  return refuse("too many nodes");
}

static GeStatus run(void *userData, void *compiled, GeContext *context, GeTensor *const *inputs,
                    size_t numInputs, GeTensor **outputs, size_t numOutputs) {
  const Region *region = compiled;
  float values[32][2];
  int count = 0;
  CHECK(userData == &seen && (int)numInputs == region->numInputs);
  CHECK((int)numOutputs == region->numOutputs);
  ++seen.runs;
  for (int i = 0; i < region->numInputs + region->numConstants; ++i) {
    GeTensor *tensor = i < region->numInputs ? inputs[i] : region->constants[i - region->numInputs];
    CHECK_OK(geTensorCopyTo(tensor, values[count++], 8));
  }
  if (seen.refusesToRun)
    return refuse("not these numbers");
  for (int i = 0; i < region->numNodes; ++i, ++count)
    for (int k = 0; k < 2; ++k) {
      const int *from = region->nodes[i].operands;
      float a = values[from[0]][k];
      switch (region->nodes[i].op) {
      case 'R':
        a = a > 0 ? a : 0;
        break;
      case 'N':
        a = -a;
        break;
      case 'A':
        a += values[from[1]][k];
        break;
      default:
        break;
      }
      values[count][k] = a;
    }
  int64_t size = 2;
  for (size_t i = 0; i < numOutputs; ++i)
    if (!seen.leavesOut || i + 1 < numOutputs)
      CHECK_OK(geTensorCopy(tensorType(context, "f32", 1, &size), values[region->outputs[i]], 8,
                            false, &outputs[i]));
  if (!seen.failsToRun)
    return GE_OK;
  geErrorSet(GE_ERROR_OS, S("the device is gone"));
  return GE_ERROR_OS;
}

static void releaseRegion(void *userData, void *compiled) {
  Region *region = compiled;
  CHECK(userData == &seen);
  ++seen.released;
  for (int k = 0; k < region->numConstants; ++k)
    geTensorRelease(region->constants[k]);
  free(region);
}
static void gone(void *userData) {
  CHECK(userData == &seen);
  ++seen.gone;
}

static void install(void) {
  memset(&seen, 0, sizeof seen);
  GeRegionRunner runner = {sizeof runner, &seen, supports, compile, run, releaseRegion, gone};
  CHECK_OK(geOpsSetRegionRunner(&runner));
  CHECK(geOpsHasRegionRunner());
}
static void removeRunner(void) {
  CHECK_OK(geOpsSetRegionRunner(NULL));
  CHECK(!geOpsHasRegionRunner() && seen.gone == 1 && seen.released == seen.compiled);
}

/* -(relu(x) * 2) + relu(x) + a constant, where a kernel multiplies; and a dead node. */
static const char *kGraph =
    "module {\n"
    "func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) attributes {ge.attrs = "
    "{opset = 21 : i64}} {\n"
    "  %c = \"ge.Const\"() {value = dense<[10.0, 20.0]> : tensor<2xf32>} : () -> tensor<2xf32>\n"
    "  %r = \"onnx.Relu\"(%x) {ge.name = \"r\"} : (tensor<?xf32>) -> tensor<?xf32>\n"
    "  %u = \"onnx.Relu\"(%r) : (tensor<?xf32>) -> tensor<?xf32>\n"
    "  %s = \"creg.scale\"(%r) : (tensor<?xf32>) -> tensor<?xf32>\n"
    "  %n = \"onnx.Neg\"(%s) {ge.name = \"n\"} : (tensor<?xf32>) -> tensor<?xf32>\n"
    "  %a = \"onnx.Add\"(%n, %r) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>\n"
    "  %b = \"onnx.Add\"(%a, %c) {ge.name = \"b\"} : (tensor<?xf32>, tensor<2xf32>) -> "
    "tensor<?xf32>\n"
    "  return %b, %n : tensor<?xf32>, tensor<?xf32>\n"
    "}\n"
    "}\n";

static GeTensor *vectorOf(GeContext *context, float a, float b) {
  float data[2] = {a, b};
  int64_t size = 2;
  GeTensor *made = NULL;
  CHECK_OK(geTensorCopy(tensorType(context, "f32", 1, &size), data, sizeof data, false, &made));
  return made;
}
static void checkVector(GeTensor *tensor, float a, float b) {
  float data[2];
  CHECK_OK(geTensorCopyTo(tensor, data, sizeof data));
  CHECK(data[0] == a && data[1] == b);
  geTensorRelease(tensor);
}
static void checkRun(GeContext *context, GeGraphRef *graph) {
  GeTensor *x = vectorOf(context, 3, -4), *made[2] = {NULL, NULL};
  CHECK_OK(geGraphRun(graph, 0, &x, 1, made, 2));
  checkVector(made[0], 3 - 6 + 10, 20);
  checkVector(made[1], -6, 0);
  geTensorRelease(x);
}

static void testRegions(GeContext *context, GeGraphRef *graph) {
  install();
  checkRun(context, graph);
  CHECK_TEXT("[R][NAA]", S(seen.labels)); /* the node with the kernel separates them */
  checkRun(context, graph);
  CHECK(seen.compiled == 2 && seen.runs == 4); /* the second run reuses the compiled regions */
  GeTensor *made[2] = {NULL, NULL}, *x = vectorOf(context, 1, 2);

  seen.failsToRun = true;
  CHECK_FAILS(GE_ERROR_GENERAL, geGraphRun(graph, 0, &x, 1, made, 2));
  CHECK_SAYS("node 'r' (onnx.Relu): the device is gone");
  seen.failsToRun = false;
  seen.leavesOut = true;
  CHECK_FAILS(GE_ERROR_GENERAL, geGraphRun(graph, 0, &x, 1, made, 2));
  CHECK_SAYS("node 'r' (onnx.Relu): the region runner left output 0 out");
  seen.leavesOut = false;
  CHECK(!made[0] && !made[1]);
  checkRun(context, graph);
  CHECK(seen.compiled == 2);
  removeRunner();

  /* Without a runner only kernels and the core's own evaluation are available. */
  CHECK_FAILS(GE_ERROR_NOT_IMPLEMENTED, geGraphRun(graph, 0, &x, 1, made, 2));
  CHECK_SAYS("node 'r' (onnx::Relu): onnx::Relu has no kernel for cpu");
  geTensorRelease(x);
}

static void testSplits(GeContext *context, GeGraphRef *graph) {
  install();
  seen.mostNodes = 1;
  checkRun(context, graph);
  CHECK_TEXT("[R][NAA][N][AA][A][A]", S(seen.labels));
  CHECK(seen.compiled == 4);
  removeRunner();

  GeGraphRef *erf = NULL;
  CHECK_OK(geGraphParse(context,
                        S("func.func @g(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %n = "
                          "\"onnx.Erf\"(%x) {ge.name = \"e\"} : (tensor<2xf32>) -> tensor<2xf32>\n"
                          "  return %n : tensor<2xf32>\n}\n"),
                        S("s.mlir"), &erf));
  GeTensor *made = NULL, *x = vectorOf(context, 1, 2);
  CHECK_FAILS(GE_ERROR_NOT_IMPLEMENTED, geGraphRun(erf, 0, &x, 1, &made, 1));
  CHECK_SAYS("node 'e' (onnx::Erf)");
  CHECK_SAYS("has no kernel");
  install();
  seen.refusesAll = true;
  CHECK_FAILS(GE_ERROR_GENERAL, geGraphRun(erf, 0, &x, 1, &made, 1));
  CHECK_SAYS("node 'e' (onnx.Erf): too many nodes");
  removeRunner();
  install();
  seen.refusesToRun = true;
  CHECK_FAILS(GE_ERROR_GENERAL, geGraphRun(erf, 0, &x, 1, &made, 1));
  CHECK_SAYS("node 'e' (onnx.Erf): not these numbers");
  removeRunner();
  geTensorRelease(x);
  geGraphRelease(erf);
}

/* A node that the runner rejects is passed to the evaluator. */
static int evaluated;
static GeStatus evaluate(void *userData, const GeOpCall *call, GeTensor **results, bool *known) {
  (void)userData;
  GeStringRef op = geIdentifierStr(geOperatorNameFull(call->name));
  *known = contains(op, "onnx.Neg");
  if (!*known)
    return GE_OK;
  ++evaluated;
  float data[2];
  int64_t size = 2;
  CHECK_OK(geTensorCopyTo(call->operandConstants[0], data, 8));
  data[0] = -data[0];
  data[1] = -data[1];
  return geTensorCopy(tensorType(call->context, "f32", 1, &size), data, 8, false, &results[0]);
}

static void testEvaluator(GeContext *context) {
  GeGraphRef *graph = NULL;
  CHECK_OK(geGraphParse(
      context,
      S("func.func @g(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %n = \"onnx.Neg\"(%x) : "
        "(tensor<2xf32>) -> tensor<2xf32>\n  return %n : tensor<2xf32>\n}\n"),
      S("e.mlir"), &graph));
  GeEvaluator evaluator = {sizeof evaluator, NULL, evaluate, NULL, NULL};
  CHECK_OK(geOpsSetEvaluator(&evaluator));
  GeTensor *x = vectorOf(context, 1, 2), *made = NULL;
  install();
  seen.refusesToRun = true;
  CHECK_OK(geGraphRun(graph, 0, &x, 1, &made, 1));
  checkVector(made, -1, -2);
  CHECK(evaluated == 1 && seen.runs == 1);
  removeRunner();
  CHECK_OK(geOpsSetEvaluator(NULL));
  CHECK_OK(geGraphRun(graph, 0, &x, 1, &made, 1)); /* evaluated by the core */
  checkVector(made, -1, -2);
  CHECK(evaluated == 1);
  geTensorRelease(x);
  geGraphRelease(graph);
}

/* A loop whose body has only the runner's operators is a node of a region. A loop whose body has a
 * node with a kernel is run by the interpreter; the region in its body is compiled once. */
static const char *kLoop =
    "module {\n"
    "func.func @main(%%n: tensor<i64>, %%c: tensor<i1>, %%x: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  %%l = \"onnx.Loop\"(%%n, %%c, %%x) ({\n"
    "  ^bb0(%%i: tensor<i64>, %%d: tensor<i1>, %%v: tensor<2xf32>):\n"
    "    %%e = \"onnx.Identity\"(%%d) : (tensor<i1>) -> tensor<i1>\n"
    "    %%a = \"onnx.Add\"(%%v, %%x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
    "    %%b = \"%s\"(%%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "    \"ge.yield\"(%s, %%b) : (tensor<i1>, tensor<2xf32>) -> ()\n"
    "  }) : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> tensor<2xf32>\n"
    "  return %%l : tensor<2xf32>\n"
    "}\n"
    "}\n";

static void testLoops(GeContext *context) {
  char text[2000];
  GeGraphRef *graph = NULL;
  int64_t n = 3;
  char yes = 1;
  GeTensor *inputs[3] = {NULL, NULL, vectorOf(context, 1, 2)}, *made = NULL;
  CHECK_OK(geTensorCopy(tensorType(context, "i64", 0, NULL), &n, sizeof n, false, &inputs[0]));
  CHECK_OK(geTensorCopy(tensorType(context, "bool", 0, NULL), &yes, 1, false, &inputs[1]));
  install();
  snprintf(text, sizeof text, kLoop, "creg.scale", "%d");
  CHECK_OK(geGraphParse(context, S(text), S("k.mlir"), &graph));
  CHECK_OK(geGraphRun(graph, 21, inputs, 3, &made, 1));
  checkVector(made, 22, 44); /* ((1+1)*2+1)*2+1)*2 */
  CHECK_TEXT("[A]", S(seen.labels));
  CHECK(seen.compiled == 1 && seen.runs == 3);
  geGraphRelease(graph);

  seen.labels[0] = 0;
  seen.refusesAll = true; /* the runner above does not implement loops */
  snprintf(text, sizeof text, kLoop, "onnx.Neg", "%e");
  CHECK_OK(geGraphParse(context, S(text), S("k.mlir"), &graph));
  CHECK_FAILS(GE_ERROR_GENERAL, geGraphRun(graph, 21, inputs, 3, &made, 1));
  CHECK_SAYS("(onnx.Loop): too many nodes");
  CHECK_TEXT("[L]", S(seen.labels));
  removeRunner();
  geGraphRelease(graph);
  for (int i = 0; i < 3; ++i)
    geTensorRelease(inputs[i]);
}

static void testTables(void) {
  GeRegionRunner runner = {sizeof runner, &seen, NULL, compile, NULL, NULL, NULL};
  CHECK_FAILS(GE_ERROR_TYPE, geOpsSetRegionRunner(&runner));
  CHECK_SAYS("run");
  runner.run = run;
  runner.compile = NULL;
  CHECK_FAILS(GE_ERROR_TYPE, geOpsSetRegionRunner(&runner));
  runner.compile = compile;
  runner.size = 0;
  CHECK_FAILS(GE_ERROR_VALUE, geOpsSetRegionRunner(&runner));
  CHECK(!geOpsHasRegionRunner());
  CHECK_OK(geOpsSetRegionRunner(NULL));
}

/* Graphs of the same operators and types that differ in wiring only: each has its own region. */
static void testWiring(GeContext *context) {
  const char *operands[] = {"%a, %c", "%b, %c", "%c, %c", "%a, %c"};
  const float expected[] = {-2, 0, -2, -2};
  install();
  for (int i = 0; i < 4; ++i) {
    char text[700];
    GeGraphRef *graph = NULL;
    GeTensor *x = vectorOf(context, 1, 3), *made = NULL;
    snprintf(text, sizeof text,
             "func.func @w(%%x: tensor<2xf32>) -> tensor<2xf32> {\n"
             "  %%a = \"onnx.Neg\"(%%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
             "  %%b = \"onnx.Neg\"(%%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
             "  %%c = \"onnx.Neg\"(%%b) : (tensor<2xf32>) -> tensor<2xf32>\n"
             "  %%y = \"onnx.Add\"(%s) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
             "  return %%y : tensor<2xf32>\n}\n",
             operands[i]);
    CHECK_OK(geGraphParse(context, S(text), S("w.mlir"), &graph));
    CHECK_OK(geGraphRun(graph, 21, &x, 1, &made, 1));
    checkVector(made, expected[i], 3 * expected[i]);
    geTensorRelease(x);
    geGraphRelease(graph);
  }
  CHECK(seen.compiled == 3 && seen.runs == 4); /* the last graph is equal to the first one */
  removeRunner();
}

static GeStatus inferSame(void *self, const GeOpCall *call, GeType *results, bool *known) {
  (void)self;
  results[0] = call->numOperands ? call->operandTypes[0] : NULL;
  *known = results[0] != NULL;
  return GE_OK;
}

int main(void) {
  (void)newPair; /* only other users of the header call it */
  GeContext *context = NULL;
  GeLibrary *library = NULL;
  GeGraphRef *graph = NULL;
  CHECK_OK(geContextCreate(&context));
  CHECK_OK(geLibraryOpen(geRegistryGlobal(), GE_LIBRARY_DEF, S("creg"), S("r.c"), 1, &library));
  CHECK_OK(geLibraryDefine(library, S("scale(Tensor x, *, float k=2.0) -> Tensor"), S("pure"),
                           S("r.c"), 2, NULL));
  GeInferrer same = {sizeof same, S("same"), NULL, inferSame, NULL};
  CHECK_OK(geLibraryInfer(library, S("scale"), &same));
  GeKernelSpec spec = {sizeof spec, S("scale"), S("cpu"), scale, NULL, NULL, 0, false, S("r.c"), 3};
  spec.flags = GE_KERNEL_OUT;
  CHECK_OK(geLibraryImpl(library, &spec, NULL));
  testTables();
  CHECK_OK(geGraphParse(context, S(kGraph), S("g.mlir"), &graph));
  testRegions(context, graph);
  testSplits(context, graph);
  geGraphRelease(graph);
  testEvaluator(context);
  testLoops(context);
  testWiring(context);
  CHECK_OK(geLibraryClose(library));
  geLibraryRelease(library);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
