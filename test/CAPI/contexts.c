/* Contexts: interning, objects of one context used in another, diagnostic handlers, slots. */
#include "check.h"

static void testInterning(GeContext *context) {
  GeIdentifier a = identifier(context, "text");
  CHECK(a == identifier(context, "text") && a != identifier(context, "other"));
  CHECK_TEXT("text", geIdentifierStr(a));
  CHECK(geIdentifierGetContext(a) == context);
  GeOperatorName conv = operatorName(context, "onnx.Conv");
  CHECK(conv == operatorName(context, "ai.onnx::Conv"));
  CHECK_TEXT("onnx.Conv", geIdentifierStr(geOperatorNameFull(conv)));
  CHECK_TEXT("onnx", geIdentifierStr(geOperatorNameDomain(conv)));
  CHECK_TEXT("Conv", geIdentifierStr(geOperatorNameType(conv)));
  CHECK_TEXT("", geIdentifierStr(geOperatorNameOverload(conv)));
  CHECK(geOperatorNameGetContext(conv) == context);
  GeOperatorName overloaded = NULL;
  CHECK_OK(geOperatorNameGet(context, S("aten"), S("add"), S("Tensor"), &overloaded));
  CHECK_TEXT("Tensor", geIdentifierStr(geOperatorNameOverload(overloaded)));
  CHECK_FAILS(GE_ERROR_VALUE, geOperatorNameParse(context, S("Conv"), &overloaded));
  CHECK_FAILS(GE_ERROR_VALUE, geOperatorNameParse(context, S(""), &overloaded));
}

/* A call that is given an object of another context. */
#define FOREIGN(call)                                                                              \
  do {                                                                                             \
    CHECK_FAILS(GE_ERROR_VALUE, call);                                                             \
    if (!contains(geErrorMessage(), "context"))                                                    \
      FAIL("the error does not speak of contexts: %.*s", (int)geErrorMessage().length,             \
           geErrorMessage().data);                                                                 \
  } while (0)

static void testForeign(GeContext *context, GeContext *other) {
  GeType type = tensorType(context, "f32", 0, NULL), farType = tensorType(other, "f32", 0, NULL);
  GeIdentifier name = identifier(context, "k"), farName = identifier(other, "k");
  GeOperatorName op = operatorName(context, "my.Op"), farOp = operatorName(other, "my.Op");
  GeLocation farPlace = geLocationUnknown(other), place = NULL;
  GeAttribute farText = {0}, attribute = {0};
  CHECK_OK(geAttributeString(other, S("far"), &farText));
  CHECK_OK(geAttributeBool(true, &attribute));
  GeGraphRef *graph = newGraph(context, "g"), *farGraph = newGraph(other, "g");
  GeValueRef *x = addInput(graph, "x", type), *farX = addInput(farGraph, "x", farType), *v = NULL;
  GeNodeRef *node = addNode(graph, "my.Op", "n", x, NULL, type), *n = NULL;
  GeNodeRef *farNode = addNode(farGraph, "my.Op", "n", farX, NULL, farType);
  GeModule *module = NULL;
  CHECK_OK(geModuleCreate(context, S("m"), &module));
  size_t count = 0;
  bool yes = false;

  FOREIGN(geGraphAddInput(graph, S("y"), farType, NULL, SIZE_MAX, &v));
  FOREIGN(geGraphAddInput(graph, S("y"), type, farOp, SIZE_MAX, &v));
  FOREIGN(geGraphSetOutputs(graph, &farX, 1));
  FOREIGN(geGraphFindAll(graph, farOp, NULL, 0, &count));
  FOREIGN(geGraphGetAttribute(graph, farName, &attribute));
  FOREIGN(geGraphSetAttribute(graph, farName, attribute));
  FOREIGN(geGraphSetAttribute(graph, name, farText));
  FOREIGN(geNodeGetAttribute(node, farName, &attribute));
  FOREIGN(geNodeSetAttribute(node, farName, attribute));
  FOREIGN(geNodeSetAttribute(node, name, farText));
  FOREIGN(geNodeSetLocation(node, farPlace));
  FOREIGN(geNodeSetOperand(node, 0, farX));
  FOREIGN(geNodeSetOperands(node, &farX, 1));
  FOREIGN(geNodeInsertOperand(node, 0, farX));
  FOREIGN(geNodeInsert(farNode, graph, NULL));
  FOREIGN(geNodeMoveBefore(node, farNode));
  FOREIGN(geNodeAddControlInput(node, farNode));
  FOREIGN(geNodeRemoveControlInput(node, farNode));
  FOREIGN(geNodeReplace(node, &farX, 1));
  FOREIGN(geNodeIsBefore(node, farNode, &yes));
  FOREIGN(geNodeAdoptSubgraph(node, S("body"), farGraph));
  FOREIGN(geValueSetType(x, farType));
  FOREIGN(geValueReplaceAllUses(x, farX, NULL, 0));
  FOREIGN(geValueReplaceAllUses(x, x, &farNode, 1));
  FOREIGN(geModuleAdoptGraph(module, farGraph));
  FOREIGN(geModuleSetAttribute(module, name, farText));
  FOREIGN(geModuleSetAttribute(module, farName, attribute));
  FOREIGN(geAttributeList(context, &farText, 1, &attribute));
  FOREIGN(geAttributeDict(context, &farName, &attribute, 1, &attribute));
  FOREIGN(geAttributeDict(context, &name, &farText, 1, &attribute));
  FOREIGN(geLocationName(context, S("n"), farPlace, &place));
  FOREIGN(geLocationFused(context, &farPlace, 1, &place));
  FOREIGN(geContextEmit(context, GE_SEVERITY_WARNING, farPlace, S("text"), NULL));
  GeDim dim = {-1, farName};
  GeTensorTypeSpec tensor = {.size = sizeof tensor};
  CHECK_OK(geDTypeFromName(S("f32"), &tensor.dtype));
  tensor.ranked = true;
  tensor.rank = 1;
  tensor.shape = &dim;
  FOREIGN(geTypeTensor(context, &tensor, &type));
  tensor.rank = 0;
  tensor.format = farName;
  FOREIGN(geTypeTensor(context, &tensor, &type));
  GeOrigin origin = {sizeof origin, S("n"), farOp, NULL, NULL, NULL};
  FOREIGN(geNodeAddOrigin(node, &origin));
  origin.op = NULL;
  origin.rule = farName;
  FOREIGN(geNodeAddOrigin(node, &origin));

  GeNodeSpec spec = {.size = sizeof spec};
  spec.op = farOp;
  FOREIGN(geNodeCreate(graph, NULL, &spec, &n));
  spec.op = op;
  FOREIGN(geNodeCreate(graph, farNode, &spec, &n));
  spec.numOperands = 1;
  spec.operands = &farX;
  FOREIGN(geNodeCreate(graph, NULL, &spec, &n));
  spec.numOperands = 0;
  spec.numResults = 1;
  spec.resultTypes = &farType;
  FOREIGN(geNodeCreate(graph, NULL, &spec, &n));
  spec.numResults = 0;
  GeNamedAttribute named = {farName, attribute};
  spec.numAttributes = 1;
  spec.attributes = &named;
  FOREIGN(geNodeCreate(graph, NULL, &spec, &n));
  named.name = name;
  named.value = farText;
  FOREIGN(geNodeCreate(graph, NULL, &spec, &n));
  spec.numAttributes = 0;
  spec.location = farPlace;
  FOREIGN(geNodeCreate(graph, NULL, &spec, &n));
  spec.location = NULL;
  spec.numControlInputs = 1;
  spec.controlInputs = &farNode;
  FOREIGN(geNodeCreate(graph, NULL, &spec, &n));
  CHECK_NODES("n", graph);

  /* An object of another graph in the same context gives a different error. */
  GeGraphRef *near = newGraph(context, "near");
  GeValueRef *nearX = addInput(near, "x", tensorType(context, "f32", 0, NULL));
  CHECK_FAILS(GE_ERROR_VALUE, geNodeSetOperand(node, 0, nearX));
  CHECK_SAYS("is of another graph ('near')");
  geValueRelease(nearX);
  geGraphRelease(near);

  /* Cloning into another context works, and so does structural comparison across contexts. */
  GeGraphRef *copy = NULL;
  CHECK_OK(geGraphClone(graph, other, &copy));
  CHECK(geRefGetContext(copy) == other);
  CHECK_OK(geGraphIsStructurallyEqual(graph, copy, &yes));
  CHECK(yes);
  geGraphRelease(copy);

  /* An edit scope of another context: its identifier and location outlive that context. */
  GeContext *brief = NULL;
  CHECK_OK(geContextCreate(&brief));
  GeLocation where = NULL;
  CHECK_OK(geLocationFile(brief, S("brief.py"), 5, 1, &where));
  CHECK_OK(geEditScopePush(identifier(brief, "brief-pass"), where));
  geContextRelease(brief);
  GeNodeRef *made = addNode(graph, "my.Op", "made", NULL, NULL, NULL);
  CHECK_OK(geNodeErase(node, true));
  geEditScopePop();
  GeStringRef text;
  CHECK_OK(geRefReason(node, &text));
  CHECK_TEXT("node 'n' (my.Op) was erased by pass 'brief-pass' (brief.py:5)", text);
  CHECK_OK(geNodeGetOrigin(made, 0, &origin));
  CHECK_TEXT("brief.py", geLocationGetText(origin.location));
  geNodeRelease(made);

  geModuleRelease(module);
  geNodeRelease(node);
  geNodeRelease(farNode);
  geValueRelease(x);
  geValueRelease(farX);
  geGraphRelease(graph);
  geGraphRelease(farGraph);
}

typedef struct Seen {
  int count, deleted;
  bool take;
  GeSeverity severity;
  uint32_t line;
} Seen;

static bool see(const GeDiagnostic *diagnostic, void *userData) {
  Seen *seen = (Seen *)userData;
  ++seen->count;
  seen->severity = diagnostic->severity;
  seen->line = diagnostic->line;
  return seen->take;
}
static void deleteSeen(void *userData) { ++((Seen *)userData)->deleted; }

static void testHandlers(GeContext *context) {
  Seen first = {0}, second = {0};
  uint64_t one = 0, two = 0;
  CHECK_OK(geContextAttachDiagnosticHandler(context, see, &first, deleteSeen, &one));
  CHECK_OK(geContextAttachDiagnosticHandler(context, see, &second, NULL, &two));
  CHECK(one != two);
  GeLocation where = NULL;
  CHECK_OK(geLocationFile(context, S("f.py"), 9, 1, &where));
  bool handled = true;
  CHECK_OK(geContextEmit(context, GE_SEVERITY_WARNING, where, S("careful"), &handled));
  CHECK(!handled && first.count == 1 && second.count == 1 && first.line == 9);
  second.take = true; /* the newest handler is called first, and consumes the diagnostic */
  CHECK_OK(geContextEmit(context, GE_SEVERITY_REMARK, NULL, S("fine"), &handled));
  CHECK(handled && first.count == 1 && second.count == 2);
  CHECK_FAILS(GE_ERROR_VALUE, geContextEmit(context, (GeSeverity)9, NULL, S("x"), NULL));

  /* Handlers also get the errors that calls return. */
  GeGraphRef *graph = newGraph(context, "g");
  GeValueRef *absent = NULL;
  CHECK_OK(geGraphSetOutputs(graph, &absent, 1));
  CHECK_FAILS(GE_ERROR_VERIFY, geGraphVerify(graph));
  CHECK(second.count == 3 && second.severity == GE_SEVERITY_ERROR);
  geGraphRelease(graph);
  CHECK_OK(geContextDetachDiagnosticHandler(context, one));
  CHECK(first.deleted == 1);
  CHECK_OK(geContextDetachDiagnosticHandler(context, one));
  CHECK_OK(geContextDetachDiagnosticHandler(context, two));
  CHECK_OK(geContextEmit(context, GE_SEVERITY_WARNING, NULL, S("nobody"), &handled));
  CHECK(!handled && first.count == 1 && second.count == 3);
}

static int destroyed = 0;
static void destroySlot(void *slot) { destroyed += *(int *)slot; }

static void testSlots(void) {
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  static int one = 1, ten = 10, hundred = 100;
  geContextSetSlotDestructor(context, destroySlot);
  CHECK(geContextGetSlot(context) == NULL);
  geContextSetSlot(context, &hundred);
  CHECK(geContextGetSlot(context) == &hundred);
  GeIdentifier id = identifier(context, "slot");
  CHECK(geIdentifierGetSlot(id) == NULL);
  geIdentifierSetSlot(id, &one);
  CHECK(geIdentifierGetSlot(id) == &one);
  geTypeSetSlot(geTypeUnknown(context), &ten);
  geContextRelease(context);
  CHECK(destroyed == 111); /* of the identifier, the type and the context itself */
}

/* In a serialized context, calls only check access; explicit access is acquired as usual. */
static void testSerialized(void) {
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  geContextSetSerialized(context, true);
  GeGraphRef *graph = newGraph(context, "main");
  CHECK_OK(geGraphAcquireRead(graph));
  size_t count = 0;
  CHECK_OK(geGraphNumNodes(graph, &count));
  CHECK_FAILS(GE_ERROR_BUSY, geGraphSetName(graph, S("x")));
  CHECK_SAYS("graph 'main' is being read");
  CHECK_OK(geGraphReleaseRead(graph));
  CHECK_FAILS(GE_ERROR_VALUE, geGraphReleaseRead(graph));
  CHECK_FAILS(GE_ERROR_VALUE, geGraphReleaseWrite(graph));
  CHECK_OK(geGraphAcquireWrite(graph, S("pass 'cse'")));
  CHECK_OK(geGraphAcquireRead(graph)); /* the writer may also read; release order is free */
  CHECK_OK(geGraphSetName(graph, S("y")));
  CHECK_OK(geGraphReleaseWrite(graph));
  CHECK_OK(geGraphSetName(graph, S("z")));
  CHECK_OK(geGraphReleaseRead(graph));
  CHECK_OK(geGraphSetName(graph, S("w")));
  /* Repeated creation and release do not accumulate handles. */
  for (int i = 0; i < 1000; ++i)
    geNodeRelease(addNode(graph, "my.Op", "n", NULL, NULL, NULL));
  CHECK(geContextLiveHandleCount(context) == 1);
  geGraphRelease(graph);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
}

int main(void) {
  GeContext *context = NULL, *other = NULL;
  CHECK_OK(geContextCreate(&context));
  CHECK_OK(geContextCreate(&other));
  geContextRetain(context);
  geContextRelease(context);
  testInterning(context);
  testForeign(context, other);
  testHandlers(context);
  CHECK_NO_LEAKS(context);
  CHECK_NO_LEAKS(other);
  geContextRelease(context);
  geContextRelease(other);
  testSlots();
  testSerialized();
  return 0;
}
