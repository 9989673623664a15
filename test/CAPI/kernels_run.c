/*===- kernels_run.c - operators and graphs that a C host runs ---------------------------------===*\
|*
|* Guarantees: geOpCall gives a kernel its parameters in schema order with their defaults, makes the
|* memory of results that it writes, and refuses what inference excludes; geGraphRun runs nodes,
|* bodies and constants with these kernels, and everything is released once.
|*
\*===----------------------------------------------------------------------------------------===*/
#include "check.h"

#include "ge-c/Kernels.h"

#include <pthread.h>

static int64_t elements(const DLTensor *t) {
  int64_t count = 1;
  for (int32_t i = 0; i < t->ndim; ++i)
    count *= t->shape[i];
  return count;
}

/* scale(Tensor x, *, float k=2.0) -> Tensor, with GE_KERNEL_OUT */
static int scale(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  if (numArgs != 3 || args[0].tag != GE_ANY_TENSOR || args[1].tag != GE_ANY_FLOAT ||
      args[2].tag != GE_ANY_TENSOR)
    return geAnyFail(result, "not called as the schema says");
  if (args[1].f < 0)
    return geAnyFail(result, "k is negative");
  const float *x = args[0].t->data;
  float *out = args[2].t->data;
  for (int64_t i = 0; i < elements(args[0].t); ++i)
    out[i] = x[i] * (float)args[1].f;
  return 0;
}

static int freed;
static void freeTensor(void *self, int flags) {
  if (flags & 2) {
    ++freed;
    free(self);
  }
}
typedef struct {
  GeTensorObject object;
  int64_t shape[1];
  float data[2];
} Pair;
/* first(Tensor[] xs, int[] at=[0], str? word=None) -> Tensor: two numbers, of the heap */
static int first(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  if (numArgs != 3 || args[0].tag != GE_ANY_ARRAY_OBJECT || args[1].tag != GE_ANY_ARRAY_OBJECT)
    return geAnyFail(result, "not called as the schema says");
  const GeArrayObject *xs = (const GeArrayObject *)args[0].o, *at = (GeArrayObject *)args[1].o;
  Pair *pair = calloc(1, sizeof *pair);
  pair->object.header = (GeObject){((uint64_t)1 << 32) + 1, GE_ANY_TENSOR_OBJECT, 0, freeTensor};
  pair->shape[0] = 2;
  pair->data[0] = (float)xs->size;
  pair->data[1] = at->size ? ((float *)xs->items[0].t->data)[at->items[0].i] : -1;
  if (args[2].tag == GE_ANY_STR && strcmp(args[2].s, "three") == 0)
    pair->shape[0] = 3; /* lies about its memory's type only: never read */
  pair->object.tensor = (DLTensor){pair->data, {1, 0}, 1, {2, 32, 1}, pair->shape, NULL, 0};
  result->tag = GE_ANY_TENSOR_OBJECT;
  result->o = &pair->object.header;
  return 0;
}
/* endless(Tensor x) -> Tensor calls itself */
static GeOpDef endlessOp;
static GeContext *endlessContext;
static GeTensor *endlessTensor;
static int endless(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  GeTensor *made = NULL;
  (void)self, (void)args, (void)numArgs;
  if (geOpCall(endlessOp, endlessContext, 0, &endlessTensor, 1, NULL, 0, &made, 1) == GE_OK)
    return geAnyFail(result, "it ended");
  return geAnyFail(result, "inside");
}

static void *callEndless(void *userData) {
  GeTensor *made = NULL;
  CHECK_FAILS(GE_ERROR_GENERAL,
              geOpCall(endlessOp, endlessContext, 0, &endlessTensor, 1, NULL, 0, &made, 1));
  CHECK_SAYS("failed: inside");
  return userData;
}

static GeStatus inferSame(void *self, const GeOpCall *call, GeType *results, bool *known) {
  (void)self;
  results[0] = call->numOperands ? call->operandTypes[0] : NULL;
  *known = results[0] != NULL;
  return GE_OK;
}

static GeTensor *vectorOf(GeContext *context, float a, float b) {
  float data[2] = {a, b};
  int64_t size = 2;
  GeTensor *made = NULL;
  CHECK_OK(geTensorCopy(tensorType(context, "f32", 1, &size), data, sizeof data, false, &made));
  return made;
}
static void checkVector(GeTensor *tensor, float a, float b) {
  const void *data;
  size_t size;
  CHECK_OK(geTensorGetBytes(tensor, &data, &size));
  CHECK(size == 8 && ((const float *)data)[0] == a && ((const float *)data)[1] == b);
  geTensorRelease(tensor);
}

static void implement(GeLibrary *library, const char *op, GeKernelFn function, uint32_t flags) {
  GeKernelSpec spec = {sizeof spec, S(op), S("cpu"), function, NULL,
                       NULL,        flags, false,    S("r.c"), 3};
  CHECK_OK(geLibraryImpl(library, &spec, NULL));
}

static GeDType i64(void) {
  GeDType dtype;
  CHECK_OK(geDTypeFromName(S("i64"), &dtype));
  return dtype;
}

static void testCalls(GeContext *context, GeLibrary *library) {
  GeOpDef op = NULL;
  GeTensor *x = vectorOf(context, 1, 2), *made = NULL;
  CHECK_OK(geRegistryGet(geRegistryGlobal(), S("crun::scale"), 0, &op));
  CHECK_OK(geOpCall(op, context, 0, &x, 1, NULL, 0, &made, 1));
  checkVector(made, 2, 4); /* the default */
  GeNamedAttribute k = {0};
  CHECK_OK(geIdentifierGet(context, S("k"), &k.name));
  CHECK_OK(geAttributeInt(context, 3, i64(), &k.value)); /* a float, as the schema says */
  CHECK_OK(geOpCall(op, context, 0, &x, 1, &k, 1, &made, 1));
  checkVector(made, 3, 6);
  geAttributeRelease(k.value);
  CHECK_OK(geAttributeInt(context, -1, i64(), &k.value));
  CHECK_FAILS(GE_ERROR_GENERAL, geOpCall(op, context, 0, &x, 1, &k, 1, &made, 1));
  CHECK_SAYS("crun::scale: kernel cpu (r.c:3) failed: k is negative");
  CHECK(made == NULL);
  geAttributeRelease(k.value);
  CHECK_FAILS(GE_ERROR_VALUE, geOpCall(op, context, 0, &x, 1, NULL, 0, NULL, 0));
  GeTensor *both[2] = {x, x};
  CHECK_FAILS(GE_ERROR_VERIFY, geOpCall(op, context, 0, both, 2, NULL, 0, &made, 1));
  CHECK_SAYS("takes 1 operands, not 2");
  CHECK_FAILS(GE_ERROR_TYPE, geOpCall(NULL, context, 0, &x, 1, NULL, 0, &made, 1));
  /* A splat comes dense. */
  float one = 5;
  int64_t size = 2;
  GeTensor *splat = NULL;
  CHECK_OK(geTensorSplat(tensorType(context, "f32", 1, &size), &one, sizeof one, &splat));
  CHECK_OK(geOpCall(op, context, 0, &splat, 1, NULL, 0, &made, 1));
  checkVector(made, 10, 10);
  geTensorRelease(splat);
  geOpDefRelease(op);

  CHECK_OK(geRegistryGet(geRegistryGlobal(), S("crun::first"), 0, &op));
  CHECK_OK(geOpCall(op, context, 0, both, 2, NULL, 0, &made, 1));
  CHECK(freed == 0);
  checkVector(made, 2, 1);
  CHECK(freed == 1);
  geOpDefRelease(op);

  CHECK_OK(geRegistryGet(geRegistryGlobal(), S("crun::endless"), 0, &endlessOp));
  endlessContext = context;
  endlessTensor = x;
  /* Frames of sanitized code are large: a thread with room for a thousand calls. */
  pthread_t thread;
  pthread_attr_t attributes;
  CHECK(!pthread_attr_init(&attributes) && !pthread_attr_setstacksize(&attributes, 64 << 20));
  CHECK(!pthread_create(&thread, &attributes, callEndless, NULL) && !pthread_join(thread, NULL));
  pthread_attr_destroy(&attributes);
  geOpDefRelease(endlessOp);

  /* Nothing computes it. */
  CHECK_OK(geLibraryDefine(library, S("nothing(Tensor x) -> Tensor"), S(""), S("r.c"), 9, &op));
  CHECK_FAILS(GE_ERROR_NOT_IMPLEMENTED, geOpCall(op, context, 0, &x, 1, NULL, 0, &made, 1));
  CHECK_SAYS("crun::nothing has no kernel for cpu; register one with Library.impl");
  geOpDefRelease(op);
  geTensorRelease(x);
}

static const char *kGraph =
    "module {\n"
    "func.func @main(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  %w = \"ge.Const\"() {value = dense<[10.0, 20.0]> : tensor<2xf32>} : () -> tensor<2xf32>\n"
    "  %s = \"crun.scale\"(%x) {k = 3.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  %y = \"onnx.If\"(%c) ({\n"
    "    %a = \"crun.scale\"(%w) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "    \"ge.yield\"(%a) : (tensor<2xf32>) -> ()\n"
    "  }, {\n"
    "    %b = \"crun.scale\"(%s) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "    \"ge.yield\"(%b) : (tensor<2xf32>) -> ()\n"
    "  }) : (tensor<i1>) -> tensor<2xf32>\n"
    "  return %y : tensor<2xf32>\n"
    "}\n"
    "}\n";

static void testGraphs(GeContext *context) {
  GeGraphRef *graph = NULL;
  CHECK_OK(geGraphParse(context, S(kGraph), S("g.mlir"), &graph));
  char yes = 1;
  GeTensor *inputs[2] = {NULL, vectorOf(context, 1, 2)}, *made = NULL;
  for (yes = 0; yes < 2; ++yes) {
    CHECK_OK(geTensorCopy(tensorType(context, "bool", 0, NULL), &yes, 1, false, &inputs[0]));
    CHECK_OK(geGraphRun(graph, 0, inputs, 2, &made, 1));
    checkVector(made, yes ? 20 : 6, yes ? 40 : 12);
    if (yes == 0)
      geTensorRelease(inputs[0]);
  }
  CHECK_FAILS(GE_ERROR_VALUE, geGraphRun(graph, 0, inputs, 1, &made, 1));
  CHECK_SAYS("has 2 inputs, not 1");
  CHECK_FAILS(GE_ERROR_VALUE, geGraphRun(graph, 0, inputs, 2, NULL, 0));
  CHECK_SAYS("has 1 outputs, not 0");
  GeTensor *wrong[2] = {inputs[0], inputs[0]};
  CHECK_FAILS(GE_ERROR_VALUE, geGraphRun(graph, 0, wrong, 2, &made, 1));
  CHECK_SAYS("input 'x' is tensor<2xf32>, not tensor<");
  wrong[1] = NULL;
  CHECK_FAILS(GE_ERROR_VALUE, geGraphRun(graph, 0, wrong, 2, &made, 1));
  CHECK_FAILS(GE_ERROR_TYPE, geGraphRun(NULL, 0, inputs, 2, &made, 1));

  /* A node that nothing computes is named. */
  GeValueRef *x = NULL;
  CHECK_OK(geGraphGetInput(graph, 1, &x));
  int64_t size = 2;
  GeNodeRef *node =
      addNode(graph, "crun.unknown", "lost", x, NULL, tensorType(context, "f32", 1, &size));
  GeValueRef *result = resultOf(node);
  CHECK_OK(geGraphSetOutputs(graph, &result, 1));
  CHECK_FAILS(GE_ERROR_NOT_IMPLEMENTED, geGraphRun(graph, 0, inputs, 2, &made, 1));
  CHECK_SAYS("node 'lost' (crun.unknown) is not registered, so nothing runs it");
  geValueRelease(result);
  geNodeRelease(node);
  geValueRelease(x);
  geTensorRelease(inputs[0]);
  geTensorRelease(inputs[1]);
  geGraphRelease(graph);
}

int main(void) {
  GeContext *context = NULL;
  GeLibrary *library = NULL;
  CHECK_OK(geContextCreate(&context));
  CHECK_OK(geLibraryOpen(geRegistryGlobal(), GE_LIBRARY_DEF, S("crun"), S("r.c"), 1, &library));
  const char *schemas[] = {"scale(Tensor x, *, float k=2.0) -> Tensor",
                           "first(Tensor[] xs, int[] at=[0], str? word=None) -> Tensor",
                           "endless(Tensor x) -> Tensor"};
  for (int i = 0; i < 3; ++i)
    CHECK_OK(geLibraryDefine(library, S(schemas[i]), S(""), S("r.c"), 2, NULL));
  GeInferrer same = {sizeof same, S("same"), NULL, inferSame, NULL};
  CHECK_OK(geLibraryInfer(library, S("scale"), &same));
  implement(library, "scale", scale, GE_KERNEL_OUT);
  implement(library, "first", first, 0);
  implement(library, "endless", endless, 0);
  testCalls(context, library);
  testGraphs(context);
  CHECK_OK(geLibraryClose(library));
  geLibraryRelease(library);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
