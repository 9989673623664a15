/* A host's inferrers, evaluators and domain loaders: they are called once and released once, and
 * cannot edit the graph that is being walked. */
#include "check.h"

#include "ge-c/Ops.h"
#include "ge-c/Text.h"

static int released = 0;
static void release(void *userData) { ++*(int *)userData; }
static GeStatus infer(void *userData, const GeOpCall *call, GeType *results, bool *known) {
  (void)userData;
  *known = call->numOperands == 1 && call->numResults == 1;
  results[0] = call->operandTypes[0];
  return GE_OK;
}
static GeStatus evaluate(void *userData, const GeOpCall *call, GeTensor **results, bool *known) {
  (void)userData;
  (void)call;
  (void)results;
  *known = false;
  return GE_OK;
}

static GeStatus identity(void *userData, const GeOpCall *call, GeTensor **results, bool *known) {
  ++*(int *)userData;
  CHECK(call->numOperands == 1 && call->numAttributes == 1 && call->opset == 3 && !call->op);
  *known = true;
  geTensorRetain(call->operandConstants[0]);
  results[0] = call->operandConstants[0];
  return GE_OK;
}
static GeStatus foreign(void *userData, const GeOpCall *call, GeTensor **results, bool *known) {
  (void)call;
  *known = true;
  geTensorRetain(userData);
  results[0] = userData;
  return GE_OK;
}

static GeTensor *newScalar(GeContext *context, float value) {
  GeTensorTypeSpec spec = {.size = sizeof spec};
  CHECK_OK(geDTypeFromName(S("f32"), &spec.dtype));
  spec.ranked = true;
  GeType type;
  CHECK_OK(geTypeTensor(context, &spec, &type));
  GeTensor *tensor = NULL;
  CHECK_OK(geTensorCopy(type, &value, sizeof value, false, &tensor));
  return tensor;
}

static void testEvaluate(void) {
  GeContext *context, *other;
  CHECK_OK(geContextCreate(&context));
  CHECK_OK(geContextCreate(&other));
  GeTensor *operand = newScalar(context, 2), *strange = newScalar(other, 2), *result = operand;
  GeOperatorName op;
  CHECK_OK(geOperatorNameParse(context, S("acme.Nothing"), &op));
  GeNamedAttribute attribute = {0};
  CHECK_OK(geIdentifierGet(context, S("k"), &attribute.name));
  CHECK_OK(geAttributeBool(true, &attribute.value));
  bool known = true;
  int calls = 0;
  CHECK_OK(geOpsSetEvaluator(NULL));
  CHECK_OK(geOpsEvaluate(op, 3, &operand, 1, &attribute, 1, &result, 1, &known));
  CHECK(!known && !result);
  GeEvaluator evaluator = {sizeof evaluator, &calls, identity, NULL, NULL};
  CHECK_OK(geOpsSetEvaluator(&evaluator));
  CHECK_OK(geOpsEvaluate(op, 3, &operand, 1, &attribute, 1, &result, 1, &known));
  CHECK(known && result == operand && calls == 1);
  geTensorRelease(result);
  /* The evaluator must fill the requested number of results. */
  GeTensor *two[2] = {operand, operand};
  CHECK_FAILS(GE_ERROR_VALUE, geOpsEvaluate(op, 3, &operand, 1, &attribute, 1, two, 2, &known));
  CHECK(!two[0] && !two[1]);
  CHECK_FAILS(GE_ERROR_VALUE, geOpsEvaluate(op, 3, &strange, 1, &attribute, 1, &result, 1, &known));
  CHECK_FAILS(GE_ERROR_TYPE, geOpsEvaluate(NULL, 3, &operand, 1, NULL, 0, &result, 1, &known));
  CHECK_FAILS(GE_ERROR_TYPE, geOpsEvaluate(op, 3, NULL, 1, NULL, 0, &result, 1, &known));
  CHECK_FAILS(GE_ERROR_TYPE, geOpsEvaluate(op, 3, &operand, 1, NULL, 1, &result, 1, &known));
  CHECK_FAILS(GE_ERROR_TYPE, geOpsEvaluate(op, 3, &operand, 1, &attribute, 1, NULL, 1, &known));
  CHECK_FAILS(GE_ERROR_TYPE, geOpsEvaluate(op, 3, &operand, 1, &attribute, 1, &result, 1, NULL));
  evaluator = (GeEvaluator){sizeof evaluator, strange, foreign, NULL, NULL};
  CHECK_OK(geOpsSetEvaluator(&evaluator));
  CHECK_FAILS(GE_ERROR_VALUE, geOpsEvaluate(op, 3, &operand, 1, &attribute, 1, &result, 1, &known));
  /* A result without the type that GE infers is rejected. */
  GeOperatorName shape;
  CHECK_OK(geOperatorNameParse(context, S("onnx.Shape"), &shape));
  evaluator = (GeEvaluator){sizeof evaluator, operand, foreign, NULL, NULL};
  CHECK_OK(geOpsSetEvaluator(&evaluator));
  CHECK_FAILS(GE_ERROR_VERIFY, geOpsEvaluate(shape, 17, &operand, 1, NULL, 0, &result, 1, &known));
  CHECK(!result);
  CHECK_OK(geOpsSetEvaluator(NULL));
  geAttributeRelease(attribute.value);
  geTensorRelease(operand);
  geTensorRelease(strange);
  geContextRelease(context);
  geContextRelease(other);
}

static void countFallback(GeStringRef op, uint64_t nodes, void *userData) {
  CHECK(op.length == strlen("acme.Known") && nodes == 1);
  ++*(int *)userData;
}
static GeStatus meddle(void *userData, const GeOpCall *call, GeType *results, bool *known) {
  size_t nodes = 0;
  CHECK_OK(geGraphNumNodes(userData, &nodes));
  CHECK(nodes == 1);
  size_t erased = 0;
  CHECK_FAILS(GE_ERROR_BUSY, geGraphEraseDeadNodes(userData, &erased));
  GeTransaction *transaction = NULL;
  CHECK_FAILS(GE_ERROR_BUSY, geTransactionBegin(userData, &transaction));
  *known = true;
  results[0] = call->operandTypes[0];
  return GE_OK;
}

/* An inferrer cannot edit the graph during inference; it may read it. */
static void testInferrerMayNotEdit(void) {
  GeContext *context;
  GeGraphRef *graph;
  GeValueRef *x;
  GeNodeRef *node;
  CHECK_OK(geContextCreate(&context));
  CHECK_OK(geGraphCreate(context, S("main"), &graph));
  GeTensor *scalar = newScalar(context, 1);
  GeType type = geTensorGetType(scalar), unknown = geTypeUnknown(context);
  CHECK_OK(geGraphAddInput(graph, S("x"), type, NULL, SIZE_MAX, &x));
  GeNodeSpec spec = {.size = sizeof spec};
  CHECK_OK(geOperatorNameParse(context, S("acme.Known"), &spec.op));
  spec.numOperands = spec.numResults = 1;
  spec.operands = &x;
  spec.resultTypes = &unknown;
  CHECK_OK(geNodeCreate(graph, NULL, &spec, &node));
  GeInferrer inferrer = {sizeof inferrer, S("meddler"), graph, meddle, NULL};
  uint64_t token = 0;
  CHECK_OK(geOpsAddInferrer(&inferrer, &token));
  int told = 0;
  GeOpReport report = {sizeof report, &told, NULL, NULL, countFallback};
  GeInferCounts counts = {.size = sizeof counts};
  CHECK_OK(geGraphInferTypes(graph, 0, &report, &counts));
  CHECK(told == 1 && counts.byFallback == 1 && counts.changed == 1);
  geOpsRemoveInferrer(token);
  CHECK_OK(geNodeErase(node, true));
  geNodeRelease(node);
  geValueRelease(x);
  geTensorRelease(scalar);
  geGraphRelease(graph);
  geContextRelease(context);
}

typedef struct Loaded {
  int calls;
  GeLibrary *library;
  GeGraphRef *graph;
} Loaded;
static void loadDomain(GeStringRef domain, void *userData) {
  Loaded *loaded = userData;
  ++loaded->calls;
  CHECK(domain.length == strlen("late") && !memcmp(domain.data, "late", domain.length));
  /* No lock is held: the loader may read the graph and define operators. */
  size_t nodes = 0;
  CHECK_OK(geGraphNumNodes(loaded->graph, &nodes));
  CHECK_OK(geLibraryOpen(geRegistryGlobal(), GE_LIBRARY_DEF, domain, S(""), 0, &loaded->library));
  CHECK_OK(geLibraryDefine(loaded->library, S("Op(Tensor x, *, int k=1) -> Tensor"), S(""), S(""),
                           0, NULL));
}

/* Verifies each graph of a module with the opset that the module imports. */
static void testModuleDefinitions(void) {
  GeContext *context;
  GeModule *module;
  CHECK_OK(geContextCreate(&context));
  CHECK_OK(geModuleCreate(context, S("m"), &module));
  CHECK_OK(geModuleVerifyDefinitions(module, NULL));
  GeGraphRef *graph;
  CHECK_OK(geGraphParse(context,
                        S("func.func @g(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %y = "
                          "\"onnx.Gelu\"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n  return %y : "
                          "tensor<2xf32>\n}\n"),
                        S("<t>"), &graph));
  CHECK_OK(geModuleAdoptGraph(module, graph));
  CHECK_OK(geModuleVerifyDefinitions(module, NULL));
  GeAttribute value;
  CHECK_OK(geAttributeInt(context, 17, 8, &value));
  CHECK_OK(geModuleSetAttribute(module, identifier(context, "opset"), value));
  CHECK_FAILS(GE_ERROR_VERIFY, geModuleVerifyDefinitions(module, NULL));
  CHECK_SAYS("came with opset 20");
  CHECK_OK(geModuleVerify(module));
  CHECK_FAILS(GE_ERROR_TYPE, geModuleVerifyDefinitions(NULL, NULL));
  geGraphRelease(graph);
  geModuleRelease(module);
  geContextRelease(context);
}

/* A domain is loaded once, before the work that needs it; the loader is not called for known
 * domains. */
static void testDomainLoader(void) {
  GeContext *context;
  GeGraphRef *graph, *parsed = NULL;
  CHECK_OK(geContextCreate(&context));
  CHECK_OK(
      geGraphParse(context,
                   S("func.func @g(%x: tensor<2xf32>) {\n  %y = \"late.Op\"(%x) {wrong = 1 : i64} "
                     ": (tensor<2xf32>) -> tensor<2xf32>\n  %z = \"onnx.Relu\"(%x) : "
                     "(tensor<2xf32>) -> tensor<2xf32>\n  return\n}\n"),
                   S("<t>"), &graph));
  Loaded loaded = {0, NULL, graph};
  CHECK_OK(geGraphVerifyDefinitions(graph, 0, NULL));
  CHECK_OK(geOpsSetDomainLoader(loadDomain, &loaded));
  CHECK_FAILS(GE_ERROR_VERIFY, geGraphVerifyDefinitions(graph, 0, NULL));
  CHECK(loaded.calls == 1);
  CHECK_OK(geLibraryClose(loaded.library));
  CHECK_OK(geGraphLoadDomains(graph));
  CHECK_OK(geGraphVerifyDefinitions(graph, 0, NULL));
  CHECK(loaded.calls == 1);
  geLibraryRelease(loaded.library);
  /* A newly set loader is called again, here by the parser. */
  CHECK_OK(geOpsSetDomainLoader(NULL, NULL));
  CHECK_OK(geOpsSetDomainLoader(loadDomain, &loaded));
  CHECK_OK(
      geGraphParse(context,
                   S("func.func @g(%x: tensor<2xf32>) {\n  %y = \"late.Op\"(%x) : (tensor<2xf32>) "
                     "-> tensor<2xf32>\n  return\n}\n"),
                   S("<t>"), &parsed));
  CHECK(loaded.calls == 2);
  CHECK_OK(geOpsSetDomainLoader(NULL, NULL));
  CHECK_FAILS(GE_ERROR_TYPE, geGraphLoadDomains(NULL));
  CHECK_FAILS(GE_ERROR_TYPE, geNodeInferRegistered(NULL));
  CHECK_FAILS(GE_ERROR_TYPE, geNodeVerifyDefinition(NULL));
  geLibraryRelease(loaded.library);
  geGraphRelease(parsed);
  geGraphRelease(graph);
  geContextRelease(context);
}

static void testForeign(void) {
  GeInferrer inferrer = {sizeof inferrer, S("test"), &released, infer, release};
  GeEvaluator evaluator = {sizeof evaluator, &released, evaluate, release, NULL};
  uint64_t token = 0;
  CHECK_OK(geOpsAddInferrer(&inferrer, &token));
  geOpsRemoveInferrer(token);
  CHECK(released == 1);
  CHECK(!geOpsHasEvaluator());
  CHECK_OK(geOpsSetEvaluator(&evaluator));
  CHECK(geOpsHasEvaluator());
  CHECK_OK(geOpsSetEvaluator(NULL));
  CHECK(!geOpsHasEvaluator() && released == 2);
  inferrer.infer = NULL;
  CHECK_FAILS(GE_ERROR_TYPE, geOpsAddInferrer(&inferrer, &token));
}

int main(void) {
  testForeign();
  testModuleDefinitions();
  testDomainLoader();
  testEvaluate();
  testInferrerMayNotEdit();
  return 0;
}
