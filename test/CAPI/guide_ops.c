/*===- guide_ops.c - the example of docs/c-api.md about operators --------------------------===*\
|*
|* The part between the two marker lines is quoted by the guide; a test compares them.
|*
\*===---------------------------------------------------------------------------------------===*/
/* [guide] */
#include <ge-c/Ops.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static GeStringRef str(const char *text) {
  GeStringRef s = {text, strlen(text)};
  return s;
}

static void ok(GeStatus status) {
  if (status == GE_OK)
    return;
  fprintf(stderr, "%.*s\n", (int)geErrorMessage().length, geErrorMessage().data);
  exit(1);
}

/* The result of acme.Scale has its operand's type. Asked for what GE does not know itself. */
static GeStatus inferScale(void *userData, const GeOpCall *call, GeType *results, bool *known) {
  GeStringRef name = geIdentifierStr(geOperatorNameFull(call->name));
  (void)userData;
  *known = strncmp(name.data, "acme.Scale", name.length) == 0;
  if (*known)
    results[0] = call->operandTypes[0];
  return GE_OK;
}

/* Its value, of a constant: here for one f32. */
static GeStatus evaluateScale(void *userData, const GeOpCall *call, GeTensor **results,
                              bool *known) {
  const void *data;
  size_t bytes;
  double factor = 1;
  float x;
  (void)userData;
  *known = false;
  if (call->numOperands != 1 || !call->operandConstants[0])
    return GE_OK;
  ok(geTensorGetBytes(call->operandConstants[0], &data, &bytes));
  if (bytes != sizeof x)
    return GE_OK;
  memcpy(&x, data, sizeof x);
  for (size_t i = 0; i < call->numAttributes; ++i)
    ok(geAttributeGetFloat(call->attributes[i].value, &factor));
  x *= (float)factor;
  *known = true;
  return geTensorCopy(call->operandTypes[0], &x, sizeof x, false, &results[0]);
}

int main(void) {
  /* Operators of a library are registered as long as the library lives. */
  GeLibrary *library;
  GeOpDef scale;
  ok(geLibraryOpen(geRegistryGlobal(), GE_LIBRARY_DEF, str("acme"), str(__FILE__), __LINE__,
                   &library));
  ok(geLibraryDefine(library, str("Scale(Tensor x, *, float factor=1.0) -> Tensor"),
                     str("Multiplies by a factor."), str(__FILE__), __LINE__, &scale));
  GeInferrer inferrer = {sizeof inferrer, str("acme"), NULL, inferScale, NULL};
  uint64_t token;
  ok(geOpsAddInferrer(&inferrer, &token));

  /* A record is found by name; the error for an unknown one has near names. */
  GeOpDef found;
  if (geRegistryGet(geRegistryGlobal(), str("acme::Scal"), GE_OPSET_NEWEST, &found) != GE_ERROR_KEY)
    return 1;
  printf("%.*s\n", (int)geErrorMessage().length, geErrorMessage().data);
  /* there is no operator 'acme::Scal'; did you mean acme::Scale? */

  /* A node of it: checked against the record, its result's type inferred. */
  GeContext *context;
  GeGraphRef *graph;
  GeTensorTypeSpec tensor = {.size = sizeof tensor};
  GeType type;
  GeValueRef *x, *y;
  ok(geContextCreate(&context));
  ok(geGraphCreate(context, str("main"), &graph));
  ok(geDTypeFromName(str("f32"), &tensor.dtype));
  tensor.ranked = true; /* and no dimension: a scalar */
  ok(geTypeTensor(context, &tensor, &type));
  ok(geGraphAddInput(graph, str("x"), type, NULL, SIZE_MAX, &x));
  GeNamedAttribute factor;
  ok(geIdentifierGet(context, str("factor"), &factor.name));
  ok(geAttributeFloat(context, 2.5, tensor.dtype, &factor.value));
  GeNodeSpec spec = {.size = sizeof spec};
  ok(geOperatorNameParse(context, str("acme.Scale"), &spec.op));
  spec.numOperands = 1;
  spec.operands = &x;
  spec.numAttributes = 1;
  spec.attributes = &factor;
  spec.numResults = 1;
  ok(geNodeBuild(graph, NULL, scale, 0, &spec, &y));
  GeType inferred;
  ok(geValueGetType(y, &inferred));
  if (inferred != type)
    return 1;
  ok(geGraphSetOutputs(graph, &y, 1));
  ok(geGraphVerifyDefinitions(graph, 0, NULL));

  /* Constant folding calls the installed evaluator, of which a process has one. */
  GeEvaluator evaluator = {sizeof evaluator, NULL, evaluateScale, NULL, NULL};
  ok(geOpsSetEvaluator(&evaluator));
  float four = 4, ten = 0;
  GeTensor *constant, *result;
  bool known;
  ok(geTensorCopy(type, &four, sizeof four, false, &constant));
  ok(geOpsEvaluate(spec.op, 0, &constant, 1, &factor, 1, &result, 1, &known));
  if (!known)
    return 1;
  ok(geTensorCopyTo(result, &ten, sizeof ten));

  geTensorRelease(constant);
  geTensorRelease(result);
  ok(geOpsSetEvaluator(NULL));
  geOpsRemoveInferrer(token);
  geOpDefRelease(scale);
  geLibraryRelease(library); /* unregisters acme::Scale */
  geAttributeRelease(factor.value);
  geValueRelease(x);
  geValueRelease(y);
  geGraphRelease(graph);
  geContextRelease(context);
  return ten == 10 ? 0 : 1;
}
/* [guide] */
