/*===- segments.c - lengths of operand and result lists -------------------------------------===*\
|*
|* Guarantees: a node stores the lengths that its record leaves open, edits and rollbacks keep them
|* true, wrong lengths are errors without effect, and kernels in C get each list, in geGraphRun and
|* in geOpCallWithSegments.
|*
\*===----------------------------------------------------------------------------------------===*/
#include "check.h"
#include "kernels_vectors.h"

#include "ge-c/Kernels.h"

/* pair(Tensor[] a, Tensor[] b) -> Tensor: how many each list has */
static int lengthsOf(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  if (numArgs != 2 || args[0].tag != GE_ANY_ARRAY_OBJECT || args[1].tag != GE_ANY_ARRAY_OBJECT)
    return geAnyFail(result, "not called as the schema says");
  Pair *pair = newPair((float)((const GeArrayObject *)args[0].o)->size,
                       (float)((const GeArrayObject *)args[1].o)->size);
  result->tag = GE_ANY_TENSOR_OBJECT;
  result->o = &pair->object.header;
  return 0;
}

/* The first length, as the size of the result, says what the callback was given. */
static int32_t inferred = -1;
static GeStatus inferLengths(void *self, const GeOpCall *call, GeType *results, bool *known) {
  (void)self;
  inferred = call->operandSegments ? call->operandSegments[0] : -1;
  results[0] = call->operandTypes[0];
  *known = true;
  return GE_OK;
}

static void checkLengths(GeNodeRef *node, size_t expected, int32_t first, int32_t second) {
  int32_t lengths[4] = {-1, -1, -1, -1};
  size_t count = 0;
  bool known = false;
  CHECK_OK(geNodeGetOperandSegments(node, NULL, 0, &count, NULL));
  CHECK(count == expected);
  CHECK_OK(geNodeGetOperandSegments(node, lengths, 4, &count, &known));
  CHECK(known && count == expected && lengths[0] == first && lengths[1] == second);
}

int main(void) {
  (void)scale; /* of kernels_common.h */
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  GeLibrary *library = NULL;
  CHECK_OK(geLibraryOpen(geRegistryGlobal(), GE_LIBRARY_DEF, S("seg"), S("s.c"), 1, &library));
  GeOpDef pair = NULL, one = NULL;
  CHECK_OK(geLibraryDefine(library, S("pair(Tensor[] a, Tensor[] b) -> Tensor"), S(""), S(""), 0,
                           &pair));
  CHECK_OK(
      geLibraryDefine(library, S("one(Tensor? x, Tensor[] a) -> Tensor"), S(""), S(""), 0, &one));
  CHECK_OK(geLibraryDefine(library, S("parts(Tensor x) -> (Tensor[] a, Tensor[] b)"), S(""), S(""),
                           0, NULL));
  implement(library, "pair", lengthsOf, 0);
  GeInferrer inferrer = {sizeof inferrer, S("lengths"), NULL, inferLengths, NULL};
  CHECK_OK(geLibraryInfer(library, S("pair"), &inferrer));
  GeOpInfo info = {.size = sizeof info};
  CHECK_OK(geOpDefGetInfo(pair, &info));
  CHECK(info.hasOperandChoice && !info.hasResultChoice);
  CHECK_OK(geOpDefGetInfo(one, &info));
  CHECK(!info.hasOperandChoice);

  int64_t two = 2;
  GeType type = tensorType(context, "f32", 1, &two);
  GeGraphRef *graph = newGraph(context, "main");
  GeValueRef *x = addInput(graph, "x", type), *y = addInput(graph, "y", type);
  GeValueRef *operands[] = {x, y, x};
  int32_t lengths[] = {1, 2};
  GeNodeSpec spec = {.size = sizeof spec};
  spec.op = operatorName(context, "seg.pair");
  spec.numOperands = 3;
  spec.operands = operands;
  spec.numResults = 1;
  spec.resultTypes = &type;
  spec.operandSegments = lengths;
  spec.numOperandSegments = 2;
  GeNodeRef *node = NULL;
  CHECK_OK(geNodeCreate(graph, NULL, &spec, &node));
  checkLengths(node, 2, 1, 2);

  /* Wrong: a sum, a negative length, more lengths than parameters. */
  GeNodeRef *none = NULL;
  const int32_t wrong[][3] = {{1, 1, 0}, {4, -1, 0}, {1, 1, 1}};
  for (size_t i = 0; i < 3; ++i) {
    spec.operandSegments = wrong[i];
    spec.numOperandSegments = i == 2 ? 3 : 2;
    CHECK_FAILS(GE_ERROR_VALUE, geNodeCreate(graph, NULL, &spec, &none));
    CHECK_FAILS(GE_ERROR_VALUE,
                geNodeSetOperandSegments(node, spec.operandSegments, spec.numOperandSegments));
  }
  checkLengths(node, 2, 1, 2);

  /* What the record implies is not stored; absent operands take their places. */
  GeValueRef *built = NULL;
  spec.op = operatorName(context, "seg.one");
  spec.numOperands = 2;
  spec.operandSegments = (int32_t[]){0, 2};
  spec.numOperandSegments = 2;
  CHECK_OK(geNodeCreate(graph, NULL, &spec, &none));
  size_t count = 0;
  CHECK_OK(geNodeNumOperands(none, &count));
  CHECK(count == 3);
  checkLengths(none, 2, 1, 2);
  CHECK_OK(geNodeErase(none, false));
  geNodeRelease(none);

  /* geNodeBuild, and inference, see the lengths. */
  spec.op = operatorName(context, "seg.pair");
  spec.numOperands = 3;
  spec.operandSegments = (int32_t[]){2, 1};
  CHECK_OK(geNodeBuild(graph, NULL, pair, 0, &spec, &built));
  CHECK(inferred == 2);
  spec.operandSegments = NULL;
  spec.numOperandSegments = 0;
  GeValueRef *unbuilt = NULL;
  CHECK_FAILS(GE_ERROR_VERIFY, geNodeBuild(graph, NULL, pair, 0, &spec, &unbuilt));
  CHECK_SAYS("operand_segments");

  /* Edits keep them true. */
  CHECK_FAILS(GE_ERROR_VALUE, geNodeInsertOperand(node, 1, y));
  CHECK_SAYS("'a'");
  GeTransaction *transaction = NULL;
  CHECK_OK(geTransactionBegin(graph, &transaction));
  CHECK_OK(geNodeInsertOperandOf(node, 0, 1, y));
  checkLengths(node, 2, 2, 2);
  CHECK_FAILS(GE_ERROR_VALUE, geNodeInsertOperandOf(node, 1, 0, y));
  CHECK_FAILS(GE_ERROR_INDEX, geNodeInsertOperandOf(node, 2, 4, y));
  CHECK_OK(geNodeEraseOperand(node, 0));
  CHECK_OK(geNodeEraseOperand(node, 0));
  checkLengths(node, 2, 0, 2);
  CHECK_FAILS(GE_ERROR_VALUE, geNodeSetOperands(node, operands, 3));
  CHECK_OK(geNodeSetOperandLists(node, operands, 3, (int32_t[]){3, 0}, 2));
  checkLengths(node, 2, 3, 0);
  CHECK_OK(geNodeSetOperandSegments(node, NULL, 0));
  bool known = true;
  CHECK_OK(geNodeGetOperandSegments(node, NULL, 0, &count, &known));
  CHECK(!known && count == 0);
  CHECK_FAILS(GE_ERROR_VERIFY, geNodeVerifyDefinition(node));
  CHECK_SAYS("operand_segments");
  CHECK_OK(geTransactionRollback(transaction));
  CHECK_OK(geTransactionDestroy(transaction));
  checkLengths(node, 2, 1, 2);
  CHECK_OK(geNodeVerifyDefinition(node));

  /* Equality and hashes see them. */
  GeNodeRef *other = NULL;
  CHECK_OK(geValueGetNode(built, &other));
  bool equal = true;
  uint64_t a = 0, b = 0;
  CHECK_OK(geNodeIsStructurallyEqual(node, other, &equal));
  CHECK_OK(geNodeStructuralHash(node, &a));
  CHECK_OK(geNodeStructuralHash(other, &b));
  CHECK(!equal && a != b);
  geNodeRelease(other);
  CHECK_OK(geNodeClone(node, &other));
  checkLengths(other, 2, 1, 2);
  CHECK_OK(geNodeErase(other, false));
  geNodeRelease(other);

  /* Results. */
  GeType types[] = {type, type, type};
  GeNodeSpec parts = {.size = sizeof parts};
  parts.op = operatorName(context, "seg.parts");
  parts.numOperands = 1;
  parts.operands = &x;
  parts.numResults = 3;
  parts.resultTypes = types;
  parts.resultSegments = (int32_t[]){2, 1};
  parts.numResultSegments = 2;
  CHECK_OK(geNodeCreate(graph, NULL, &parts, &other));
  int32_t results[2] = {0, 0};
  CHECK_OK(geNodeGetResultSegments(other, results, 2, &count, NULL));
  CHECK(count == 2 && results[0] == 2 && results[1] == 1);
  CHECK_FAILS(GE_ERROR_VALUE, geNodeSetResultSegments(other, (int32_t[]){2, 2}, 2));
  CHECK_OK(geNodeSetResultSegments(other, (int32_t[]){0, 3}, 2));
  CHECK_OK(geNodeErase(other, false));
  geNodeRelease(other);

  /* Kernels get each list. */
  GeValueRef *outputs[] = {resultOf(node), built};
  CHECK_OK(geGraphSetOutputs(graph, outputs, 2));
  GeTensor *inputs[] = {vectorOf(context, 1, 2), vectorOf(context, 3, 4)}, *found[2];
  CHECK_OK(geGraphRun(graph, 0, inputs, 2, found, 2));
  checkVector(found[0], 1, 2);
  checkVector(found[1], 2, 1);
  GeTensor *tensors[] = {inputs[0], inputs[1], inputs[0]};
  CHECK_OK(
      geOpCallWithSegments(pair, context, 0, tensors, 3, (int32_t[]){0, 3}, 2, NULL, 0, found, 1));
  checkVector(found[0], 0, 3);
  CHECK_FAILS(GE_ERROR_VERIFY, geOpCall(pair, context, 0, tensors, 3, NULL, 0, found, 1));
  CHECK_FAILS(GE_ERROR_VALUE, geOpCallWithSegments(pair, context, 0, tensors, 3, (int32_t[]){1, 1},
                                                   2, NULL, 0, found, 1));
  GeType inferredType = NULL;
  GeType operandTypes[] = {type, type, type};
  CHECK_OK(geOpInferTypesWithSegments(pair, context, 0, operandTypes, 3, (int32_t[]){3, 0}, 2, NULL,
                                      0, &inferredType, 1, &known));
  CHECK(inferred == 3);
  geTensorRelease(inputs[0]);
  geTensorRelease(inputs[1]);

  geValueRelease(outputs[0]);
  geValueRelease(built);
  geNodeRelease(node);
  geValueRelease(x);
  geValueRelease(y);
  geGraphRelease(graph);
  geOpDefRelease(pair);
  geOpDefRelease(one);
  CHECK_OK(geLibraryClose(library));
  geLibraryRelease(library);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
