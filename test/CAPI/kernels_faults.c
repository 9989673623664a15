/* geGraphRun: nodes that their definition or type inference rejects are not passed to evaluators,
 * which may crash on them. */
#include "check.h"

#include "ge-c/Kernels.h"
#include "ge-c/Text.h"

static GeTensor *vectorOf(GeContext *context) {
  float data[2] = {1, 2};
  int64_t size = 2;
  GeTensor *made = NULL;
  CHECK_OK(geTensorCopy(tensorType(context, "f32", 1, &size), data, sizeof data, false, &made));
  return made;
}

static GeStatus countAsked(void *userData, const GeOpCall *call, GeTensor **results, bool *known) {
  (void)call, (void)results;
  ++*(int *)userData;
  *known = false;
  return GE_OK;
}

int main(void) {
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  const struct {
    const char *text, *says;
    int asked;
  } cases[] = {{"func.func @g(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {\n"
                "  %z = \"onnx.Relu\"(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
                "  return %z : tensor<2xf32>\n}\n",
                "(onnx.Relu): has 2 operands, at most 1 are allowed", 0},
               {"func.func @g(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {\n"
                "  %z = \"onnx.Softmax\"(%x) {axis = 5 : i64} : (tensor<2xf32>) -> tensor<2xf32>\n"
                "  return %z : tensor<2xf32>\n}\n",
                "(onnx::Softmax): axis 5 is out of range", 0},
               {"func.func @g(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {\n"
                "  %z = \"onnx.Softmax\"(%x) {axis = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32>\n"
                "  return %z : tensor<2xf32>\n}\n",
                "(onnx::Softmax): onnx::Softmax has no kernel for cpu", 1}};
  int asked = 0;
  GeEvaluator evaluator = {sizeof evaluator, &asked, countAsked, NULL, NULL};
  CHECK_OK(geOpsSetEvaluator(&evaluator));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    GeGraphRef *graph = NULL;
    CHECK_OK(geGraphParse(context, S(cases[i].text), S("f.mlir"), &graph));
    GeTensor *inputs[2] = {vectorOf(context), vectorOf(context)}, *made = NULL;
    asked = 0;
    CHECK_FAILS(cases[i].asked ? GE_ERROR_NOT_IMPLEMENTED : GE_ERROR_VERIFY,
                geGraphRun(graph, 0, inputs, 2, &made, 1));
    CHECK_SAYS(cases[i].says);
    CHECK(asked == cases[i].asked);
    geTensorRelease(inputs[0]);
    geTensorRelease(inputs[1]);
    geGraphRelease(graph);
  }
  CHECK_OK(geOpsSetEvaluator(NULL));
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
