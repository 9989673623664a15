/*===- kernels_programs.c - programs that are kept with their graphs ----------------------------===*\
|*
|* Guarantees: a run of a graph that has run before gives what its present state says: after edits
|* of nodes, of weights and of functions of its module, after kernels and inferrers come and go.
|* What a kept program holds is released with the graph, or when many others have run since.
|*
\*===----------------------------------------------------------------------------------------===*/
#include "kernels_vectors.h"

#include <pthread.h>

static GeLibrary *opened(GeLibraryKind kind) {
  GeLibrary *library = NULL;
  CHECK_OK(geLibraryOpen(geRegistryGlobal(), kind, S("cprog"), S("p.c"), 1, &library));
  return library;
}
static void closed(GeLibrary *library) {
  CHECK_OK(geLibraryClose(library));
  geLibraryRelease(library);
}

/* Runs the graph on (1, 2) and checks its only output. */
static void checkRun(GeContext *context, GeGraphRef *graph, float a, float b) {
  GeTensor *input = vectorOf(context, 1, 2), *made = NULL;
  CHECK_OK(geGraphRun(graph, 0, &input, 1, &made, 1));
  checkVector(made, a, b);
  geTensorRelease(input);
}

static const char *kModule =
    "module {\n"
    "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  %a = \"cprog.scale\"(%x) {k = 3.0 : f32} : (tensor<2xf32>) -> tensor<2xf32> loc(\"a\")\n"
    "  %b = \"my.times\"(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  return %b : tensor<2xf32>\n"
    "}\n"
    "func.func @times(%x: tensor<2xf32>) -> tensor<2xf32> attributes {ge.attrs = "
    "{onnx.function = {domain = \"my\", name = \"times\"}}} {\n"
    "  %y = \"cprog.scale\"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  return %y : tensor<2xf32>\n"
    "}\n"
    "}\n";

static void setFactor(GeContext *context, GeGraphRef *graph, double k) {
  GeValueRef *input = NULL;
  GeAttribute value;
  GeDType type;
  GeUse use;
  size_t count;
  CHECK_OK(geGraphGetInput(graph, 0, &input));
  CHECK_OK(geValueGetUses(input, &use, 1, &count));
  CHECK(count == 1);
  CHECK_OK(geDTypeFromName(S("f32"), &type));
  CHECK_OK(geAttributeFloat(context, k, type, &value));
  CHECK_OK(geNodeSetAttribute(use.node, identifier(context, "k"), value));
  geAttributeRelease(value);
  geNodeRelease(use.node);
  geValueRelease(input);
}

/* Edits of the graph and of a function that it calls. */
static void testEdits(GeContext *context) {
  GeModule *module = NULL;
  GeGraphRef *graph = NULL, *function = NULL;
  CHECK_OK(geModuleParse(context, S(kModule), S("m.mlir"), NULL, &module));
  CHECK_OK(geModuleGetGraph(module, 0, &graph));
  CHECK_OK(geModuleGetGraph(module, 1, &function));
  checkRun(context, graph, 6, 12);
  checkRun(context, graph, 6, 12);
  setFactor(context, graph, 5);
  checkRun(context, graph, 10, 20);
  setFactor(context, function, 7);
  checkRun(context, graph, 35, 70);
  checkRun(context, function, 7, 14); /* its own program; that of the caller stays */
  checkRun(context, graph, 35, 70);
  geGraphRelease(function);
  geGraphRelease(graph);
  geModuleRelease(module);
}

static int negate(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)numArgs, (void)result;
  const float *x = args[0].t->data;
  float *out = args[2].t->data;
  for (int64_t i = 0; i < elements(args[0].t); ++i)
    out[i] = -x[i];
  return 0;
}
static GeStatus inferNothing(void *self, const GeOpCall *call, GeType *results, bool *known) {
  (void)self, (void)call, (void)results;
  *known = false;
  return geErrorSet(GE_ERROR_VERIFY, S("no such call")), GE_ERROR_VERIFY;
}

/* A kernel that overrides, and an inferrer that rejects, come and go between runs. */
static void testRegistrations(GeContext *context) {
  GeGraphRef *graph = NULL;
  CHECK_OK(geGraphParse(context,
                        S("func.func @g(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                          "  %a = \"cprog.scale\"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
                          "  return %a : tensor<2xf32>\n}\n"),
                        S("g.mlir"), &graph));
  checkRun(context, graph, 2, 4);
  GeLibrary *other = opened(GE_LIBRARY_FRAGMENT);
  GeKernelSpec spec = {sizeof spec, S("scale"),    S("cpu"), negate,   NULL,
                       NULL,        GE_KERNEL_OUT, true,     S("o.c"), 1};
  CHECK_OK(geLibraryImpl(other, &spec, NULL));
  checkRun(context, graph, -1, -2);
  closed(other);
  checkRun(context, graph, 2, 4);
  other = opened(GE_LIBRARY_FRAGMENT);
  GeInferrer never = {sizeof never, S("never"), NULL, inferNothing, NULL};
  CHECK_OK(geLibraryInfer(other, S("scale"), &never));
  closed(other);
  checkRun(context, graph, 2, 4);
  geGraphRelease(graph);
}

static int released;
static void release(void *owner) {
  (void)owner;
  ++released;
}
/* A graph with a weight of the caller's memory. */
static GeGraphRef *weighted(GeContext *context, const float *data, GeNodeRef **constant) {
  int64_t size = 2;
  GeType type = tensorType(context, "f32", 1, &size);
  GeGraphRef *graph = newGraph(context, "w");
  GeValueRef *x = addInput(graph, "x", type), *operands[2];
  GeTensor *weight = NULL;
  GeAttribute value;
  CHECK_OK(geTensorBorrow(type, data, 8, release, NULL, false, &weight));
  CHECK_OK(geAttributeTensor(weight, &value));
  geTensorRelease(weight);
  *constant = addNode(graph, "ge.Const", "c", NULL, NULL, type);
  CHECK_OK(geNodeSetAttribute(*constant, identifier(context, "value"), value));
  geAttributeRelease(value);
  operands[0] = x;
  operands[1] = resultOf(*constant);
  GeNodeRef *sum = addNode(graph, "cprog.add", "s", operands[0], operands[1], type);
  GeValueRef *result = resultOf(sum);
  CHECK_OK(geGraphSetOutputs(graph, &result, 1));
  geValueRelease(result);
  geNodeRelease(sum);
  geValueRelease(operands[1]);
  geValueRelease(x);
  return graph;
}

static void setWeight(GeContext *context, GeNodeRef *constant, float a, float b) {
  GeTensor *weight = vectorOf(context, a, b);
  GeAttribute value;
  CHECK_OK(geAttributeTensor(weight, &value));
  geTensorRelease(weight);
  CHECK_OK(geNodeSetAttribute(constant, identifier(context, "value"), value));
  geAttributeRelease(value);
}

/* The program of a graph holds its weights no longer than the graph, nor than 64 others run. */
static void testWeights(GeContext *context) {
  static const float data[2] = {10, 20};
  GeNodeRef *constant = NULL;
  GeGraphRef *graph = weighted(context, data, &constant);
  checkRun(context, graph, 11, 22);
  geNodeRelease(constant);
  geGraphRelease(graph);
  CHECK(released == 1);

  graph = weighted(context, data, &constant);
  checkRun(context, graph, 11, 22);
  setWeight(context, constant, 5, 6);
  checkRun(context, graph, 6, 8);
  CHECK(released == 2);
  geNodeRelease(constant);
  geGraphRelease(graph);

  graph = weighted(context, data, &constant);
  checkRun(context, graph, 11, 22);
  setWeight(context, constant, 5, 6);
  CHECK(released == 2); /* the program has it */
  GeGraphRef *others[64];
  static const float zeros[2];
  for (int i = 0; i < 64; ++i) {
    GeNodeRef *its = NULL;
    others[i] = weighted(context, zeros, &its);
    geNodeRelease(its);
    checkRun(context, others[i], 1, 2);
  }
  CHECK(released == 3);
  checkRun(context, graph, 6, 8);
  for (int i = 0; i < 64; ++i)
    geGraphRelease(others[i]);
  CHECK(released == 3 + 64);
  geNodeRelease(constant);
  geGraphRelease(graph);
}

/* Kept programs hold at most 1 GiB of weights. The kernel does not read them: their pages are never
 * touched. */
static void testBytes(GeContext *context) {
  const size_t size = (size_t)600 << 20;
  void *memory = calloc(size, 1);
  CHECK(memory != NULL);
  int before = released;
  int64_t two = 2, many = (int64_t)(size / sizeof(float));
  GeType small = tensorType(context, "f32", 1, &two), large = tensorType(context, "f32", 1, &many);
  GeGraphRef *graphs[2];
  for (int i = 0; i < 2; ++i) {
    graphs[i] = newGraph(context, "large");
    GeTensor *weight = NULL;
    GeAttribute value;
    CHECK_OK(geTensorBorrow(large, memory, size, release, NULL, false, &weight));
    CHECK_OK(geAttributeTensor(weight, &value));
    geTensorRelease(weight);
    GeValueRef *x = addInput(graphs[i], "x", small);
    GeNodeRef *constant = addNode(graphs[i], "ge.Const", "c", NULL, NULL, large);
    CHECK_OK(geNodeSetAttribute(constant, identifier(context, "value"), value));
    geAttributeRelease(value);
    GeValueRef *w = resultOf(constant);
    GeNodeRef *first = addNode(graphs[i], "cprog.first", "f", x, w, small);
    GeValueRef *result = resultOf(first);
    CHECK_OK(geGraphSetOutputs(graphs[i], &result, 1));
    checkRun(context, graphs[i], 1, 2);
    CHECK(released == before + i); /* that of the first graph, which lost it */
    setWeight(context, constant, 5, 6);
    geValueRelease(result);
    geNodeRelease(first);
    geValueRelease(w);
    geNodeRelease(constant);
    geValueRelease(x);
  }
  for (int i = 0; i < 2; ++i)
    geGraphRelease(graphs[i]);
  CHECK(released == before + 2);
  free(memory);
}

typedef struct {
  GeContext *context;
  GeGraphRef *graph;
} Shared;
static void *runOften(void *userData) {
  Shared *shared = userData;
  for (int i = 0; i < 200; ++i)
    checkRun(shared->context, shared->graph, 11, 22);
  return NULL;
}

/* Several threads run one graph, from its first run on. */
static void testThreads(GeContext *context) {
  static const float data[2] = {10, 20};
  GeNodeRef *constant = NULL;
  Shared shared = {context, weighted(context, data, &constant)};
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    CHECK(!pthread_create(&threads[i], NULL, runOften, &shared));
  for (int i = 0; i < 4; ++i)
    CHECK(!pthread_join(threads[i], NULL));
  geNodeRelease(constant);
  geGraphRelease(shared.graph);
}

static int add(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)numArgs, (void)result;
  const float *a = args[0].t->data, *b = args[1].t->data;
  float *out = args[2].t->data;
  for (int64_t i = 0; i < elements(args[0].t); ++i)
    out[i] = a[i] + b[i];
  return 0;
}

/* first(Tensor a, Tensor b) -> Tensor: a copy of a */
static int first(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)numArgs, (void)result;
  memcpy(args[2].t->data, args[0].t->data, 2 * sizeof(float));
  return 0;
}

int main(void) {
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  GeLibrary *library = opened(GE_LIBRARY_DEF);
  const char *schemas[] = {"scale(Tensor x, *, float k=2.0) -> Tensor",
                           "add(Tensor a, Tensor b) -> Tensor",
                           "first(Tensor a, Tensor b) -> Tensor"};
  GeInferrer same = {sizeof same, S("same"), NULL, inferSame, NULL};
  for (int i = 0; i < 3; ++i)
    CHECK_OK(geLibraryDefine(library, S(schemas[i]), S(""), S("p.c"), 2, NULL));
  CHECK_OK(geLibraryInfer(library, S("scale"), &same));
  CHECK_OK(geLibraryInfer(library, S("add"), &same));
  CHECK_OK(geLibraryInfer(library, S("first"), &same));
  implement(library, "first", first, GE_KERNEL_OUT);
  implement(library, "scale", scale, GE_KERNEL_OUT);
  implement(library, "add", add, GE_KERNEL_OUT);
  testEdits(context);
  testRegistrations(context);
  testWeights(context);
  testBytes(context);
  testThreads(context);
  closed(library);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
