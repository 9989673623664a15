/*===- guide.c - the example of docs/c-api.md ----------------------------------------------===*\
|*
|* The part between the two marker lines is quoted by the guide; a test compares them.
|*
\*===---------------------------------------------------------------------------------------===*/
/* [guide] */
#include <ge-c/Text.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A string of C as the library takes it. */
static GeStringRef str(const char *text) {
  GeStringRef s = {text, strlen(text)};
  return s;
}

/* Each call that can fail has a status; the text of a failure stays with the thread. */
static void ok(GeStatus status) {
  if (status == GE_OK)
    return;
  fprintf(stderr, "%.*s\n", (int)geErrorMessage().length, geErrorMessage().data);
  exit(1);
}

static void show(GeStringRef piece, void *file) {
  fwrite(piece.data, 1, piece.length, (FILE *)file);
}

int main(void) {
  if (geAbiVersion() != GE_C_ABI_VERSION)
    return 1; /* the library is not the one that the headers are of */

  GeContext *context;
  ok(geContextCreate(&context));

  /* Types and operator names belong to the context; they are never released. */
  GeIdentifier batch;
  ok(geIdentifierGet(context, str("N"), &batch));
  GeDim shape[2] = {{-1, batch}, {8, NULL}};
  GeTensorTypeSpec tensor = {.size = sizeof tensor};
  ok(geDTypeFromName(str("f32"), &tensor.dtype));
  tensor.ranked = true;
  tensor.rank = 2;
  tensor.shape = shape;
  GeType type;
  ok(geTypeTensor(context, &tensor, &type));
  GeOperatorName relu;
  ok(geOperatorNameParse(context, str("onnx.Relu"), &relu));

  /* A graph with an input, a node and an output. */
  GeGraphRef *graph;
  ok(geGraphCreate(context, str("main"), &graph));
  GeValueRef *x;
  ok(geGraphAddInput(graph, str("x"), type, NULL, SIZE_MAX, &x));
  GeNodeSpec spec = {.size = sizeof spec};
  spec.op = relu;
  spec.name = str("relu");
  spec.numOperands = 1;
  spec.operands = &x;
  spec.numResults = 1;
  spec.resultTypes = &type;
  GeNodeRef *first, *second;
  ok(geNodeCreate(graph, NULL, &spec, &first));
  ok(geNodeCreate(graph, NULL, &spec, &second)); /* its name becomes relu_1 */
  GeValueRef *y;
  ok(geNodeGetResult(second, 0, &y));
  ok(geGraphSetOutputs(graph, &y, 1));
  ok(geGraphPrint(graph, NULL, show, stdout));

  /* Undo: everything since geTransactionBegin. */
  GeTransaction *transaction;
  ok(geTransactionBegin(graph, &transaction));
  ok(geNodeErase(second, true));
  ok(geTransactionRollback(transaction));
  ok(geTransactionDestroy(transaction));

  /* A reference is safe: it tells which pass erased its node, and never refers to another one. */
  GeIdentifier pass;
  ok(geIdentifierGet(context, str("cleanup"), &pass));
  ok(geEditScopePush(pass, NULL));
  ok(geNodeErase(first, false));
  geEditScopePop();
  GeOperatorName op;
  if (geNodeGetOperatorName(first, &op) != GE_ERROR_STALE)
    return 1;
  printf("%.*s\n", (int)geErrorMessage().length, geErrorMessage().data);
  /* node 'relu' (onnx.Relu) was erased by pass 'cleanup' */

  /* Each new reference is given back, in any order. */
  geValueRelease(x);
  geValueRelease(y);
  geNodeRelease(first);
  geNodeRelease(second);
  geGraphRelease(graph);
  int64_t left = geContextLiveHandleCount(context);
  geContextRelease(context);
  return left == 0 ? 0 : 1;
}
/* [guide] */
