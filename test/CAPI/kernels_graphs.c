/*===- kernels_graphs.c - running graphs in a C host --------------------------------------------===*\
|*
|* Guarantees: geGraphRun runs nodes, bodies, loops, functions and constants with the kernels of
|* their operators; a program can run after its graph is destroyed; errors name the node.
|*
\*===----------------------------------------------------------------------------------------===*/
#include "kernels_vectors.h"

#include <pthread.h>

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

  /* The error names a node that has no kernel or evaluator. */
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

/* A named size has one value in a run. */
static void testNamedSizes(GeContext *context) {
  GeGraphRef *graph = NULL;
  CHECK_OK(geGraphParse(
      context,
      S("func.func @g(%x: tensor<?xf32, {dims = [\"N\"]}>, %y: tensor<?xf32, {dims = [\"N\"]}>) "
        "-> tensor<?xf32, {dims = [\"N\"]}> {\n"
        "  %z = \"crun.scale\"(%y) : (tensor<?xf32, {dims = [\"N\"]}>) -> "
        "tensor<?xf32, {dims = [\"N\"]}>\n"
        "  return %z : tensor<?xf32, {dims = [\"N\"]}>\n}\n"),
      S("n.mlir"), &graph));
  int64_t three = 3;
  float data[3] = {1, 2, 3};
  GeTensor *inputs[2] = {vectorOf(context, 1, 2), NULL}, *made = NULL;
  CHECK_OK(
      geTensorCopy(tensorType(context, "f32", 1, &three), data, sizeof data, false, &inputs[1]));
  CHECK_FAILS(GE_ERROR_MODEL, geGraphRun(graph, 0, inputs, 2, &made, 1));
  CHECK_SAYS("input 'y' has N=3, and 'x' has N=2");
  geTensorRelease(inputs[1]);
  inputs[1] = vectorOf(context, 3, 4);
  CHECK_OK(geGraphRun(graph, 0, inputs, 2, &made, 1));
  checkVector(made, 6, 8);
  geTensorRelease(inputs[0]);
  geTensorRelease(inputs[1]);
  geGraphRelease(graph);
}

static void retain(GeObject *object) { __atomic_fetch_add(&object->refs, 1, __ATOMIC_RELAXED); }

/* A program of two nodes runs after its graph is destroyed; errors name the node. */
static void testPrograms(GeContext *context) {
  GeGraphRef *graph = NULL;
  CHECK_OK(geGraphParse(
      context, S("func.func @g(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"),
      S("p.mlir"), &graph));
  GeValueRef *x = NULL;
  CHECK_OK(geGraphGetInput(graph, 0, &x));
  int64_t size = 2;
  GeType type = tensorType(context, "f32", 1, &size);
  GeNodeRef *nodes[2] = {addNode(graph, "crun.scale", "a", x, NULL, type), NULL};
  GeValueRef *a = resultOf(nodes[0]);
  nodes[1] = addNode(graph, "crun.scale", "b", a, NULL, type);
  GeValueRef *b = resultOf(nodes[1]);
  GeProgram *program = NULL;
  GeNodeRef *lost = addNode(graph, "crun.unknown", "lost", x, NULL, type);
  CHECK_FAILS(GE_ERROR_NOT_IMPLEMENTED,
              geProgramCreate(graph, S("cpu"), &lost, 1, &x, 1, NULL, 0, &program));
  CHECK_FAILS(GE_ERROR_TYPE, geProgramCreate(NULL, S("cpu"), nodes, 2, &x, 1, &b, 1, &program));
  CHECK_OK(geProgramCreate(graph, S("cpu"), nodes, 2, &x, 1, &b, 1, &program));
  GeValueRef *values[] = {x, a, b};
  for (int i = 0; i < 3; ++i)
    geValueRelease(values[i]);
  geNodeRelease(nodes[0]);
  geNodeRelease(nodes[1]);
  geNodeRelease(lost);
  geGraphRelease(graph);

  int before = freed;
  Pair *pair = newPair(1, 2);
  GeAny input = {0}, output = {0};
  GeStringRef node;
  input.tag = GE_ANY_TENSOR_OBJECT;
  input.o = &pair->object.header;
  geProgramRetain(program);
  geProgramRelease(program);
  for (int i = 0; i < 2; ++i) {
    retain(input.o);
    CHECK_OK(geProgramRun(program, &input, 1, &output, 1, &node));
    CHECK(node.length == 0 && output.tag == GE_ANY_TENSOR_OBJECT);
    const DLTensor *made = &((GeTensorObject *)output.o)->tensor;
    CHECK(((float *)made->data)[0] == 4 && ((float *)made->data)[1] == 8);
    geObjectRelease(output.o);
  }
  /* The inputs' references are consumed on failure, too. */
  CHECK_FAILS(GE_ERROR_VALUE, geProgramRun(program, &input, 0, &output, 1, &node));
  retain(input.o);
  CHECK_FAILS(GE_ERROR_VALUE, geProgramRun(program, &input, 1, &output, 0, &node));
  retain(input.o);
  CHECK_FAILS(GE_ERROR_TYPE, geProgramRun(NULL, &input, 1, &output, 1, &node));
  GeAny wrong[2] = {input, input};
  wrong[1].tag = GE_ANY_BYTES_OBJECT;
  retain(input.o);
  retain(input.o);
  CHECK_FAILS(GE_ERROR_TYPE, geProgramRun(program, wrong, 2, &output, 1, &node));
  CHECK((pair->object.header.refs & 0xffffffffU) == 1);
  GeAny none = {0};
  CHECK(geProgramRun(program, &none, 1, &output, 1, &node) != GE_OK);
  CHECK(strncmp(node.data, "node 'a' (crun.scale)", node.length) == 0 && node.length == 21);
  geObjectRelease(input.o);
  CHECK(freed == before + 1);
  geProgramRelease(program);
}

/* A Loop with state values and a scan output whose body captures %x; the same as For; a Case; a
 * Scan over the columns of a matrix in reverse; and a function called with and without its
 * attribute. */
static const char *kLoops =
    "module {\n"
    "func.func @main(%n: tensor<i64>, %x: tensor<2xf32>, %m: tensor<2x2xf32>) -> (tensor<2xf32>, "
    "tensor<?x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>, "
    "tensor<2xf32>, tensor<2xf32>) {\n"
    "  %none = \"ge.Const\"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>\n"
    "  %0 = \"ge.Const\"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>\n"
    "  %1 = \"ge.Const\"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>\n"
    "  %l, %s = \"onnx.Loop\"(%n, %none, %x) ({\n"
    "  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<2xf32>):\n"
    "    %a = \"crun.scale\"(%v) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "    %b = \"crun.scale\"(%x) {k = 5.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "    \"ge.yield\"(%c, %a, %b) : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> ()\n"
    "  }) : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32>)\n"
    "  %f = \"ge.For\"(%0, %n, %1, %x) ({\n"
    "  ^bb0(%i: tensor<i64>, %v: tensor<2xf32>):\n"
    "    %a = \"crun.scale\"(%v) {k = 3.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "    \"ge.yield\"(%a) : (tensor<2xf32>) -> ()\n"
    "  }) : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<2xf32>) -> tensor<2xf32>\n"
    "  %k = \"ge.Case\"(%n, %x) ({\n"
    "  ^bb0(%v: tensor<2xf32>):\n"
    "    \"ge.yield\"(%v) : (tensor<2xf32>) -> ()\n"
    "  }, {\n"
    "  ^bb0(%v: tensor<2xf32>):\n"
    "    %a = \"crun.scale\"(%v) {k = 7.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "    \"ge.yield\"(%a) : (tensor<2xf32>) -> ()\n"
    "  }) : (tensor<i64>, tensor<2xf32>) -> tensor<2xf32>\n"
    "  %t, %u = \"onnx.Scan\"(%x, %m) ({\n"
    "  ^bb0(%v: tensor<2xf32>, %e: tensor<2xf32>):\n"
    "    %a = \"crun.scale\"(%e) {k = 1.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "    %b = \"crun.scale\"(%v) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "    \"ge.yield\"(%b, %a) : (tensor<2xf32>, tensor<2xf32>) -> ()\n"
    "  }) {num_scan_inputs = 1 : i64, scan_input_axes = array<i64: -1>, scan_input_directions = "
    "array<i64: 1>, scan_output_axes = array<i64: 0>} : (tensor<2xf32>, tensor<2x2xf32>) -> "
    "(tensor<2xf32>, tensor<2x2xf32>)\n"
    "  %p = \"my.times\"(%x) {by = 4.0 : f32} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  %q = \"my.times\"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  return %l, %s, %f, %k, %t, %u, %p, %q : tensor<2xf32>, tensor<?x2xf32>, tensor<2xf32>, "
    "tensor<2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>\n"
    "}\n"
    "func.func @my.times(%x: tensor<2xf32>) -> tensor<2xf32> attributes {ge.attrs = "
    "{onnx.attribute_defaults = "
    "{by = 6.0 : f32}, onnx.function = {domain = \"my\", name = \"times\"}}} {\n"
    "  %y = \"crun.scale\"(%x) {k = {ref_attr_name = \"by\", type = 1 : i64}} : (tensor<2xf32>) "
    "-> tensor<2xf32>\n"
    "  return %y : tensor<2xf32>\n"
    "}\n"
    "func.func @my.endless(%x: tensor<2xf32>) -> tensor<2xf32> attributes {ge.attrs = "
    "{onnx.function = {domain "
    "= \"my\", name = \"endless\"}}} {\n"
    "  %y = \"my.endless\"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  return %y : tensor<2xf32>\n"
    "}\n"
    "}\n";

static void checkFloats(GeTensor *tensor, const float *expected, size_t count) {
  const void *data;
  size_t size;
  CHECK_OK(geTensorGetBytes(tensor, &data, &size));
  CHECK(size == count * sizeof(float) && (!size || memcmp(data, expected, size) == 0));
  geTensorRelease(tensor);
}

typedef struct {
  GeContext *context;
  GeGraphRef *graph;
  GeTensor *x;
} Endless;
static void *runEndless(void *userData) {
  Endless *e = userData;
  GeTensor *made = NULL;
  CHECK_FAILS(GE_ERROR_GENERAL, geGraphRun(e->graph, 0, &e->x, 1, &made, 1));
  CHECK_SAYS("graphs call each other 10000 deep, which is the limit: my.endless -> my.endless");
  return NULL;
}

static void testLoops(GeContext *context) {
  GeModule *module = NULL;
  CHECK_OK(geModuleParse(context, S(kLoops), S("l.mlir"), NULL, &module));
  GeGraphRef *graph = NULL;
  CHECK_OK(geModuleGetGraph(module, 0, &graph));
  int64_t n = 2, square[2] = {2, 2};
  float matrix[4] = {1, 2, 3, 4};
  GeTensor *inputs[3] = {NULL, vectorOf(context, 1, 2), NULL}, *made[8] = {NULL};
  CHECK_OK(geTensorCopy(tensorType(context, "i64", 0, NULL), &n, sizeof n, false, &inputs[0]));
  CHECK_OK(geTensorCopy(tensorType(context, "f32", 2, square), matrix, sizeof matrix, false,
                        &inputs[2]));
  CHECK_OK(geGraphRun(graph, 0, inputs, 3, made, 8));
  checkVector(made[0], 4, 8);
  checkFloats(made[1], (float[]){5, 10, 5, 10}, 4);
  checkVector(made[2], 9, 18);
  checkVector(made[3], 7, 14);
  checkVector(made[4], 4, 8);
  checkFloats(made[5], (float[]){2, 4, 1, 3}, 4); /* the columns in reverse order */
  checkVector(made[6], 4, 8);
  checkVector(made[7], 6, 12);

  /* No iteration: scan outputs are empty, states have their initial values. */
  geTensorRelease(inputs[0]);
  n = 0;
  CHECK_OK(geTensorCopy(tensorType(context, "i64", 0, NULL), &n, sizeof n, false, &inputs[0]));
  CHECK_OK(geGraphRun(graph, 0, inputs, 3, made, 8));
  checkVector(made[0], 1, 2);
  checkFloats(made[1], NULL, 0);
  checkVector(made[2], 1, 2);
  checkVector(made[3], 1, 2);
  for (int i = 4; i < 8; ++i)
    geTensorRelease(made[i]);
  geGraphRelease(graph);

  pthread_t thread;
  pthread_attr_t attributes;
  CHECK_OK(geModuleGetGraph(module, 2, &graph));
  Endless endless = {context, graph, inputs[1]};
  CHECK(!pthread_attr_init(&attributes) && !pthread_attr_setstacksize(&attributes, 64 << 20));
  CHECK(!pthread_create(&thread, &attributes, runEndless, &endless) && !pthread_join(thread, NULL));
  pthread_attr_destroy(&attributes);
  for (int i = 0; i < 3; ++i)
    geTensorRelease(inputs[i]);
  geGraphRelease(graph);
  geModuleRelease(module);
}

/* Invalid loops: the error describes the fault. */
static void testWrongLoops(GeContext *context) {
  const struct {
    const char *body, *says;
  } cases[] = {
      {"\"onnx.Loop\"(%n, %c, %x) ({\n^bb0(%i: tensor<i64>, %d: tensor<i1>, %v: "
       "tensor<2xf32>):\n \"ge.yield\"(%d) : (tensor<i1>) -> ()\n}) : (tensor<i64>, tensor<i1>, "
       "tensor<2xf32>) -> tensor<2xf32>",
       "its body has 1 outputs, and needs a condition and 1 values"},
      {"\"onnx.Loop\"(%x, %c, %x) ({\n^bb0(%i: tensor<i64>, %d: tensor<i1>, %v: "
       "tensor<2xf32>):\n \"ge.yield\"(%d, %v) : (tensor<i1>, tensor<2xf32>) -> ()\n}) : "
       "(tensor<2xf32>, tensor<i1>, tensor<2xf32>) -> tensor<2xf32>",
       "needs one integer, not tensor<2xf32>"},
      {"\"onnx.Scan\"(%x) ({\n^bb0(%v: tensor<f32>):\n \"ge.yield\"(%v) : (tensor<f32>) -> "
       "()\n}) {num_scan_inputs = 2 : i64} : (tensor<2xf32>) -> tensor<2xf32>",
       "num_scan_inputs is 2, and there are 1 operands"},
      {"\"onnx.Scan\"(%x) ({\n^bb0(%v: tensor<f32>):\n \"ge.yield\"(%v) : (tensor<f32>) -> "
       "()\n}) {num_scan_inputs = 1 : i64, scan_input_axes = array<i64: 1>} : (tensor<2xf32>) -> "
       "tensor<2xf32>",
       "scan input 0 of rank 1 has no axis 1"},
      {"\"ge.For\"(%n, %n, %z, %x) ({\n^bb0(%i: tensor<i64>, %v: tensor<2xf32>):\n "
       "\"ge.yield\"(%v) : (tensor<2xf32>) -> ()\n}) : (tensor<i64>, tensor<i64>, tensor<i64>, "
       "tensor<2xf32>) -> tensor<2xf32>",
       "delta is 0"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[2000];
    snprintf(text, sizeof text,
             "module {\nfunc.func @main(%%n: tensor<i64>, %%c: tensor<i1>, %%x: tensor<2xf32>) -> "
             "tensor<2xf32> {\n  %%z = \"ge.Const\"() {value = dense<0> : tensor<i64>} : () -> "
             "tensor<i64>\n  %%y = %s\n  return %%y : tensor<2xf32>\n}\n}\n",
             cases[i].body);
    GeGraphRef *graph = NULL;
    CHECK_OK(geGraphParse(context, S(text), S("w.mlir"), &graph));
    int64_t n = 1;
    char yes = 1;
    GeTensor *inputs[3] = {NULL, NULL, vectorOf(context, 1, 2)}, *made = NULL;
    CHECK_OK(geTensorCopy(tensorType(context, "i64", 0, NULL), &n, sizeof n, false, &inputs[0]));
    CHECK_OK(geTensorCopy(tensorType(context, "bool", 0, NULL), &yes, 1, false, &inputs[1]));
    CHECK_FAILS(GE_ERROR_VERIFY, geGraphRun(graph, 0, inputs, 3, &made, 1));
    CHECK_SAYS(cases[i].says);
    for (int k = 0; k < 3; ++k)
      geTensorRelease(inputs[k]);
    geGraphRelease(graph);
  }
}

int main(void) {
  GeContext *context = NULL;
  GeLibrary *library = NULL;
  CHECK_OK(geContextCreate(&context));
  CHECK_OK(geLibraryOpen(geRegistryGlobal(), GE_LIBRARY_DEF, S("crun"), S("g.c"), 1, &library));
  CHECK_OK(geLibraryDefine(library, S("scale(Tensor x, *, float k=2.0) -> Tensor"), S(""), S("g.c"),
                           2, NULL));
  GeInferrer same = {sizeof same, S("same"), NULL, inferSame, NULL};
  CHECK_OK(geLibraryInfer(library, S("scale"), &same));
  implement(library, "scale", scale, GE_KERNEL_OUT);
  testGraphs(context);
  testNamedSizes(context);
  testPrograms(context);
  testLoops(context);
  testWrongLoops(context);
  CHECK_OK(geLibraryClose(library));
  geLibraryRelease(library);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
