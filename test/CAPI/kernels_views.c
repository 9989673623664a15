/*===- kernels_views.c - memory of values when a C host runs graphs --------------------------===*\
|*
|* Guarantees: a result that aliases an operand (Tensor(a)) keeps the operand's memory alive, in
|* geOpCall and in geGraphRun, and does not change when the operand is written; a body captures the
|* value of an input, not its default; geProgramRun rejects inputs that kernels cannot read, and
|* returns no outputs when it fails; geProgramCreate can be interrupted.
|*
\*===----------------------------------------------------------------------------------------===*/
#include "kernels_vectors.h"

#include "ge-c/Kernels.h"

/* view(Tensor(a) x) -> Tensor(a): the operand's memory */
static int view(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)numArgs;
  Pair *pair = newPair(0, 0);
  pair->object.tensor.data = args[0].t->data;
  result->tag = GE_ANY_TENSOR_OBJECT;
  result->o = &pair->object.header;
  return 0;
}

static GeOpDef defined(GeLibrary *library, const char *schema, GeKernelFn function,
                       uint32_t flags) {
  GeOpDef op = NULL;
  size_t name = strcspn(schema, "(");
  CHECK_OK(geLibraryDefine(library, S(schema), S(""), S("r.c"), 9, &op));
  GeStringRef word = {schema, name};
  GeKernelSpec spec = {sizeof spec, word,  S("cpu"), function, NULL,
                       NULL,        flags, false,    S("r.c"), 3};
  CHECK_OK(geLibraryImpl(library, &spec, NULL));
  return op;
}
/* put(Tensor(a!) x) -> Tensor(a!): writes 9 to the first element */
static int put(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)numArgs, (void)result;
  ((float *)args[0].t->data)[0] = 9;
  return 0;
}

static void runText(GeContext *context, const char *text, GeTensor **inputs, size_t numInputs,
                    GeTensor **outputs, size_t numOutputs) {
  GeGraphRef *graph = NULL;
  CHECK_OK(geGraphParse(context, S(text), S("t.mlir"), &graph));
  CHECK_OK(geGraphRun(graph, 0, inputs, numInputs, outputs, numOutputs));
  geGraphRelease(graph);
}

/* A result that aliases an operand keeps the memory alive, and its value when the operand is
 * written. */
static void testViews(GeContext *context, GeLibrary *library) {
  GeTensor *x = vectorOf(context, 1, 2), *made[2] = {NULL, NULL};
  GeOpDef op = defined(library, "view(Tensor(a) x) -> Tensor(a)", view, 0);
  geOpDefRelease(defined(library, "put(Tensor(a!) x) -> Tensor(a!)", put, 0));
  runText(context,
          "func.func @g(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
          "  %a = \"crun.scale\"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
          "  %v = \"crun.view\"(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
          "  %u = \"crun.view\"(%v) : (tensor<2xf32>) -> tensor<2xf32>\n"
          "  %b = \"crun.scale\"(%u) : (tensor<2xf32>) -> tensor<2xf32>\n"
          "  return %b : tensor<2xf32>\n}",
          &x, 1, made, 1);
  checkVector(made[0], 4, 8);
  runText(context,
          "func.func @g(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {\n"
          "  %a = \"crun.scale\"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
          "  %v = \"crun.view\"(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
          "  %w = \"crun.put\"(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
          "  return %w, %v : tensor<2xf32>, tensor<2xf32>\n}",
          &x, 1, made, 2);
  checkVector(made[0], 9, 4);
  checkVector(made[1], 2, 4);
  int before = freed;
  CHECK_OK(geOpCall(op, context, 0, &x, 1, NULL, 0, made, 1));
  geTensorRelease(x);
  CHECK(freed == before);
  checkVector(made[0], 1, 2);
  CHECK(freed == before + 1);
  geOpDefRelease(op);
}

/* A body captures the value passed for an input, not the input's default. */
static void testDefaults(GeContext *context) {
  GeGraphRef *graph = NULL;
  CHECK_OK(geGraphParse(context,
                        S("func.func @g(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {\n"
                          "  %y = \"onnx.If\"(%c) ({\n"
                          "    %a = \"crun.scale\"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
                          "    \"ge.yield\"(%a) : (tensor<2xf32>) -> ()\n  }, {\n"
                          "    \"ge.yield\"(%x) : (tensor<2xf32>) -> ()\n"
                          "  }) : (tensor<i1>) -> tensor<2xf32>\n"
                          "  return %y : tensor<2xf32>\n}"),
                        S("d.mlir"), &graph));
  char yes = 1;
  GeTensor *seven = vectorOf(context, 7, 7), *made = NULL;
  GeTensor *inputs[2] = {NULL, vectorOf(context, 1, 2)};
  CHECK_OK(geTensorCopy(tensorType(context, "bool", 0, NULL), &yes, 1, false, &inputs[0]));
  GeValueRef *x = NULL;
  GeNodeRef *node = NULL;
  GeAttribute value = {0};
  CHECK_OK(geGraphGetInput(graph, 1, &x));
  CHECK_OK(geValueGetNode(x, &node));
  GeIdentifier name = NULL;
  CHECK_OK(geIdentifierGet(context, S("value"), &name));
  CHECK_OK(geAttributeTensor(seven, &value));
  CHECK_OK(geNodeSetAttribute(node, name, value));
  CHECK_OK(geGraphRun(graph, 0, inputs, 2, &made, 1));
  checkVector(made, 2, 4);
  geAttributeRelease(value);
  geNodeRelease(node);
  geValueRelease(x);
  geTensorRelease(seven);
  geTensorRelease(inputs[0]);
  geTensorRelease(inputs[1]);
  geGraphRelease(graph);
}

/* Inputs that no kernel can read are rejected, and a failed run returns no outputs. */
static void testInputs(GeContext *context) {
  GeGraphRef *graph = NULL;
  CHECK_OK(geGraphParse(
      context, S("func.func @g(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"),
      S("p.mlir"), &graph));
  GeValueRef *x = NULL;
  CHECK_OK(geGraphGetInput(graph, 0, &x));
  int64_t size = 2;
  GeNodeRef *scaled =
      addNode(graph, "crun.scale", "a", x, NULL, tensorType(context, "f32", 1, &size));
  GeValueRef *y = resultOf(scaled);
  GeProgram *program = NULL;
  CHECK_OK(geProgramCreate(graph, S("cpu"), &scaled, 1, &x, 1, &y, 1, &program));
  geValueRelease(x);
  geValueRelease(y);
  geNodeRelease(scaled);
  geGraphRelease(graph);
  static int64_t impossible[1] = {-1};
  static const struct {
    GeStatus status;
    const char *says;
  } cases[] = {
      {GE_ERROR_VALUE, "input 0 is on DLPack device type 2, not on the CPU"},
      {GE_ERROR_TYPE, "input 0 has elements of DLPack's code 2, bits 4, lanes 1"},
      {GE_ERROR_TYPE, "input 0 has elements of DLPack's code 0, bits 4, lanes 1"},
      {GE_ERROR_VALUE, "input 0 has no data, or a shape that no tensor has"},
      {GE_ERROR_VALUE, "input 0 has no data, or a shape that no tensor has"},
  };
  int before = freed, count = sizeof cases / sizeof *cases;
  for (int i = 0; i < count; ++i) {
    Pair *pair = newPair(1, 2);
    DLTensor *tensor = &pair->object.tensor;
    tensor->device.device_type = i == 0 ? 2 : 1;
    tensor->dtype.bits = i == 1 || i == 2 ? 4 : 32;
    tensor->dtype.code = i == 2 ? 0 : 2;
    tensor->shape = i == 3 ? impossible : pair->shape;
    tensor->data = i == 4 ? NULL : pair->data;
    GeAny input = {0}, output = {0};
    GeStringRef node;
    input.tag = output.tag = GE_ANY_TENSOR_OBJECT;
    input.o = &pair->object.header;
    CHECK_FAILS(cases[i].status, geProgramRun(program, &input, 1, &output, 1, &node));
    CHECK_SAYS(cases[i].says);
    CHECK(output.tag == GE_ANY_NONE && output.o == NULL);
  }
  CHECK(freed == before + count);
  geProgramRelease(program);
}

static bool countQuestion(void *questions) {
  ++*(int *)questions;
  return false;
}

/* Compiling a program of many nodes calls the interrupt check. */
static void testInterrupts(GeContext *context) {
  GeGraphRef *graph = NULL;
  CHECK_OK(geGraphParse(
      context, S("func.func @g(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }"),
      S("i.mlir"), &graph));
  GeValueRef *x = NULL;
  CHECK_OK(geGraphGetInput(graph, 0, &x));
  int64_t size = 2;
  GeType type = tensorType(context, "f32", 1, &size);
  size_t count = 0, capacity = 1 << 20;
  GeNodeRef **nodes = (GeNodeRef **)calloc(capacity, sizeof *nodes);
  CHECK(nodes != NULL);
  int questions = 0;
  geSetInterruptCheck(countQuestion, &questions);
  /* The first call of the check comes after 50 ms, so the graph grows until it takes longer. */
  for (size_t more = 1 << 14; questions == 0 && count + more <= capacity; more = count) {
    for (size_t end = count + more; count < end; ++count)
      nodes[count] = addNode(graph, "crun.scale", "", x, NULL, type);
    GeProgram *program = NULL;
    CHECK_OK(geProgramCreate(graph, S("cpu"), nodes, count, &x, 1, NULL, 0, &program));
    geProgramRelease(program);
  }
  geSetInterruptCheck(NULL, NULL);
  CHECK(questions > 0);
  for (size_t i = 0; i < count; ++i)
    geNodeRelease(nodes[i]);
  free((void *)nodes);
  geValueRelease(x);
  geGraphRelease(graph);
}

int main(void) {
  GeContext *context = NULL;
  GeLibrary *library = NULL;
  CHECK_OK(geContextCreate(&context));
  CHECK_OK(geLibraryOpen(geRegistryGlobal(), GE_LIBRARY_DEF, S("crun"), S("r.c"), 1, &library));
  geOpDefRelease(
      defined(library, "scale(Tensor x, *, float k=2.0) -> Tensor", scale, GE_KERNEL_OUT));
  GeInferrer same = {sizeof same, S("same"), NULL, inferSame, NULL};
  CHECK_OK(geLibraryInfer(library, S("scale"), &same));
  testViews(context, library);
  testDefaults(context);
  testInputs(context);
  testInterrupts(context);
  CHECK_OK(geLibraryClose(library));
  geLibraryRelease(library);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
