/* A reference to an erased object: every call with it as any argument returns GE_ERROR_STALE with a
 * reason; functions documented for dead references work; a reference never comes to refer to
 * another object. */
#include "check.h"

typedef struct Fixture {
  GeContext *context;
  GeGraphRef *graph, *deadGraph;
  GeNodeRef *node, *deadNode, *owner;
  GeValueRef *value, *deadValue;
  GeType type;
} Fixture;

static Fixture setUp(void) {
  Fixture f = {0};
  CHECK_OK(geContextCreate(&f.context));
  f.type = tensorType(f.context, "f32", 0, NULL);
  f.graph = newGraph(f.context, "main");
  f.node = addNode(f.graph, "my.Op", "live", NULL, NULL, f.type);
  f.value = resultOf(f.node);
  f.owner = addNode(f.graph, "onnx.If", "if", NULL, NULL, f.type);
  CHECK_OK(geNodeAddSubgraph(f.owner, S("then_branch"), S("inner"), &f.deadGraph));
  f.deadNode = addNode(f.deadGraph, "onnx.Relu", "relu3", NULL, NULL, f.type);
  f.deadValue = resultOf(f.deadNode);
  GeIdentifier pass = identifier(f.context, "FuseConvRelu");
  GeLocation where = NULL;
  CHECK_OK(geLocationFile(f.context, S("my_pass.py"), 31, 1, &where));
  CHECK_OK(geEditScopePush(pass, where));
  CHECK_OK(geNodeEraseSubgraph(f.owner, 0));
  geEditScopePop();
  return f;
}

static void tearDown(Fixture *f) {
  geGraphRelease(f->deadGraph);
  geNodeRelease(f->deadNode);
  geValueRelease(f->deadValue);
  geNodeRelease(f->owner);
  geValueRelease(f->value);
  geNodeRelease(f->node);
  geGraphRelease(f->graph);
  CHECK_NO_LEAKS(f->context);
  geContextRelease(f->context);
}

static void testReasons(Fixture *f) {
  CHECK(!geRefIsAlive(f->deadNode) && !geRefIsAlive(f->deadGraph) && !geRefIsAlive(f->deadValue));
  CHECK(geRefIsAlive(f->node));
  GeStringRef text;
  CHECK_OK(geRefDescribe(f->deadNode, &text));
  CHECK_TEXT("node 'relu3' (onnx.Relu)", text);
  CHECK_OK(geRefReason(f->deadNode, &text));
  CHECK_TEXT("node 'relu3' (onnx.Relu) was erased by pass 'FuseConvRelu' (my_pass.py:31)", text);
  CHECK_OK(geRefReason(f->deadGraph, &text));
  CHECK(contains(text, "graph 'inner' was erased by pass 'FuseConvRelu'"));
  CHECK_OK(geRefReason(f->deadValue, &text));
  CHECK(contains(text, "result 0 of onnx.Relu"));
  CHECK_OK(geRefReason(f->node, &text));
  CHECK_TEXT("", text);
  CHECK(geRefGetKind(f->deadGraph) == GE_REF_GRAPH && geRefGetKind(f->deadValue) == GE_REF_VALUE);
  CHECK(geRefGetContext(f->deadNode) == f->context);
  int wrapper = 0;
  CHECK(geRefGetSlot(f->deadNode) == NULL);
  geRefSetSlot(f->deadNode, &wrapper);
  CHECK(geRefGetSlot(f->deadNode) == &wrapper);
  geRefSetSlot(f->deadNode, NULL);

  /* geRefReleaseSlot releases the reference, and clears the slot only if it holds that wrapper. */
  int other = 0;
  geRefSetSlot(f->node, &wrapper);
  geNodeRetain(f->node);
  geRefReleaseSlot(f->node, &other);
  CHECK(geRefGetSlot(f->node) == &wrapper);
  geNodeRetain(f->node);
  geRefReleaseSlot(f->node, &wrapper);
  CHECK(geRefGetSlot(f->node) == NULL);
  geRefReleaseSlot(NULL, NULL);
}

/* A call with a dead reference as its subject or as any other argument. */
#define STALE(call)                                                                                \
  do {                                                                                             \
    CHECK_FAILS(GE_ERROR_STALE, call);                                                             \
    CHECK_SAYS("was erased by pass 'FuseConvRelu' (my_pass.py:31)");                               \
  } while (0)

static void testNodeCalls(Fixture *f) {
  GeNodeRef *d = f->deadNode, *n = NULL;
  GeValueRef *v = NULL;
  GeGraphRef *g = NULL;
  GeOperatorName op;
  GeStringRef text;
  GeLocation location;
  GeAttribute attribute = {0};
  GeNamedAttribute named;
  GeOrigin origin = {.size = sizeof origin};
  size_t size;
  uint64_t hash;
  bool flag;
  GeIdentifier name = identifier(f->context, "k");
  STALE(geNodeInsert(d, f->graph, NULL));
  STALE(geNodeInsert(f->node, f->deadGraph, NULL));
  STALE(geNodeInsert(f->node, f->graph, d));
  STALE(geNodeMoveBefore(d, f->node));
  STALE(geNodeMoveBefore(f->node, d));
  STALE(geNodeMoveAfter(d, f->node));
  STALE(geNodeMoveAfter(f->node, d));
  STALE(geNodeDetach(d));
  STALE(geNodeErase(d, false));
  STALE(geNodeErase(d, true));
  STALE(geNodeReplace(d, &f->value, 1));
  STALE(geNodeReplace(f->node, &f->deadValue, 1));
  STALE(geNodeClone(d, &n));
  STALE(geNodeGetOperatorName(d, &op));
  STALE(geNodeGetOp(d, &name));
  STALE(geNodeGetOnlyResult(d, &v));
  STALE(geNodeGetName(d, &text, NULL));
  STALE(geNodeSetName(d, S("x")));
  STALE(geNodeGetLocation(d, &location));
  STALE(geNodeSetLocation(d, geLocationUnknown(f->context)));
  STALE(geNodeGetGraph(d, &g));
  STALE(geNodeGetRoot(d, &g));
  STALE(geNodeGetNext(d, &n));
  STALE(geNodeGetPrevious(d, &n));
  STALE(geNodeIsBefore(d, f->node, &flag));
  STALE(geNodeIsBefore(f->node, d, &flag));
  STALE(geNodeIsInput(d, &flag));
  STALE(geNodeIsOutput(d, &flag));
  STALE(geNodeNumOperands(d, &size));
  STALE(geNodeGetOperand(d, 0, &v));
  STALE(geNodeSetOperand(d, 0, NULL));
  STALE(geNodeSetOperands(d, NULL, 0));
  STALE(geNodeSetOperands(f->node, &f->deadValue, 1));
  STALE(geNodeInsertOperand(d, 0, NULL));
  STALE(geNodeInsertOperand(f->node, 0, f->deadValue));
  STALE(geNodeEraseOperand(d, 0));
  STALE(geNodeNumResults(d, &size));
  STALE(geNodeGetResult(d, 0, &v));
  STALE(geNodeNumAttributes(d, &size));
  STALE(geNodeGetAttributeAt(d, 0, &named));
  STALE(geNodeGetAttribute(d, name, &attribute));
  CHECK_OK(geAttributeBool(true, &attribute));
  STALE(geNodeSetAttribute(d, name, attribute));
  STALE(geNodeNumControlInputs(d, &size));
  STALE(geNodeGetControlInput(d, 0, &n));
  STALE(geNodeNumControlOutputs(d, &size));
  STALE(geNodeGetControlOutput(d, 0, &n));
  STALE(geNodeAddControlInput(d, f->node));
  STALE(geNodeAddControlInput(f->node, d));
  STALE(geNodeRemoveControlInput(d, f->node));
  STALE(geNodeRemoveControlInput(f->node, d));
  STALE(geNodeNumSubgraphs(d, &size));
  STALE(geNodeGetSubgraph(d, 0, &g));
  STALE(geNodeAddSubgraph(d, S(""), S(""), &g));
  STALE(geNodeAdoptSubgraph(d, S(""), f->graph));
  STALE(geNodeAdoptSubgraph(f->node, S(""), f->deadGraph));
  STALE(geNodeEraseSubgraph(d, 0));
  STALE(geNodeNumOrigins(d, &size));
  STALE(geNodeGetOrigin(d, 0, &origin));
  STALE(geNodeAddOrigin(d, &origin));
  STALE(geNodeIsStructurallyEqual(d, f->node, &flag));
  STALE(geNodeIsStructurallyEqual(f->node, d, &flag));
  STALE(geNodeStructuralHash(d, &hash));
  STALE(geNodePrint(d, appendText, NULL));
}

static void testValueCalls(Fixture *f) {
  GeValueRef *d = f->deadValue;
  GeNodeRef *n = NULL;
  GeType type;
  GeStringRef text;
  size_t size;
  bool flag;
  STALE(geValueGetType(d, &type));
  STALE(geValueSetType(d, f->type));
  STALE(geValueGetName(d, &text, NULL));
  STALE(geValueSetName(d, S("x")));
  STALE(geValueGetNode(d, &n));
  STALE(geValueGetIndex(d, &size));
  STALE(geValueHasUses(d, &flag));
  STALE(geValueGetUses(d, NULL, 0, &size));
  STALE(geValueReplaceAllUses(d, f->value, NULL, 0));
  STALE(geValueReplaceAllUses(f->value, d, NULL, 0));
  GeNodeRef *except[] = {f->deadNode};
  STALE(geValueReplaceAllUses(f->value, f->value, except, 1));
}

static void testGraphCalls(Fixture *f) {
  GeGraphRef *d = f->deadGraph, *g = NULL;
  GeNodeRef *n = NULL;
  GeValueRef *v = NULL;
  GeModule *module = NULL;
  GeStringRef text;
  GeAttribute attribute = {0};
  GeNamedAttribute named;
  GeCursor *cursor = NULL;
  GeTransaction *transaction = NULL;
  GeIdentifier name = identifier(f->context, "k");
  GeOperatorName op = operatorName(f->context, "my.Op");
  size_t size;
  uint64_t number;
  bool flag;
  STALE(geGraphAcquireRead(d));
  STALE(geGraphAcquireWrite(d, S("work")));
  STALE(geGraphExpireHandles(d, false, NULL));
  STALE(geGraphGetName(d, &text));
  STALE(geGraphSetName(d, S("x")));
  STALE(geGraphGetSlotName(d, &text));
  STALE(geGraphGetModule(d, &module));
  STALE(geGraphGetParentNode(d, &n));
  STALE(geGraphGetRoot(d, &g));
  STALE(geGraphNumInputs(d, &size));
  STALE(geGraphGetInput(d, 0, &v));
  STALE(geGraphAddInput(d, S("x"), f->type, NULL, SIZE_MAX, &v));
  STALE(geGraphEraseInput(d, 0, true));
  STALE(geGraphMoveInput(d, 0, 0));
  STALE(geGraphNumOutputs(d, &size));
  STALE(geGraphGetOutput(d, 0, &v));
  STALE(geGraphSetOutputs(d, NULL, 0));
  STALE(geGraphSetOutputs(f->graph, &f->deadValue, 1));
  STALE(geGraphGetOutputName(d, 0, &text, NULL));
  STALE(geGraphSetOutputName(d, 0, S("x")));
  STALE(geGraphSetOutputNames(d, NULL, 0));
  STALE(geGraphGetOutputNode(d, &n));
  STALE(geGraphNumNodes(d, &size));
  STALE(geGraphGetNode(d, 0, &n));
  STALE(geGraphFindNode(d, S("x"), &n));
  STALE(geGraphFindValue(d, S("x"), &v));
  STALE(geGraphFindAll(d, op, NULL, 0, &size));
  STALE(geGraphNumAttributes(d, &size));
  STALE(geGraphGetAttributeAt(d, 0, &named));
  STALE(geGraphGetAttribute(d, name, &attribute));
  STALE(geGraphSetAttribute(d, name, attribute));
  STALE(geGraphSort(d));
  STALE(geGraphVerify(d));
  STALE(geGraphClone(d, NULL, &g));
  STALE(geGraphEraseDeadNodes(d, &size));
  STALE(geGraphIsStructurallyEqual(d, f->graph, &flag));
  STALE(geGraphIsStructurallyEqual(f->graph, d, &flag));
  STALE(geGraphStructuralHash(d, &number));
  STALE(geGraphChangeCount(d, &number));
  STALE(geGraphPrint(d, NULL, appendText, NULL));
  STALE(geCursorCreate(d, false, &cursor));
  STALE(geTransactionBegin(d, &transaction));

  GeModule *m = NULL;
  CHECK_OK(geModuleCreate(f->context, S("m"), &m));
  STALE(geModuleAdoptGraph(m, d));
  STALE(geModuleDetachGraph(m, d));
  STALE(geModuleEraseGraph(m, d));
  geModuleRelease(m);

  GeNodeSpec spec = {.size = sizeof spec};
  spec.op = op;
  STALE(geNodeCreate(d, NULL, &spec, &n));
  STALE(geNodeCreateDetached(d, &spec, &n));
  STALE(geNodeCreate(f->graph, f->deadNode, &spec, &n));
  spec.numOperands = 1;
  spec.operands = &f->deadValue;
  STALE(geNodeCreate(f->graph, NULL, &spec, &n));
  STALE(geNodeCreateDetached(f->graph, &spec, &n));
  spec.numOperands = 0;
  spec.numControlInputs = 1;
  spec.controlInputs = &f->deadNode;
  STALE(geNodeCreate(f->graph, NULL, &spec, &n));
  /* None of these calls changed the graph. */
  CHECK_NODES("live if", f->graph);
}

/* Reusing the memory of an erased node does not revive its reference. */
static void testReuse(Fixture *f) {
  GeNodeRef *old = addNode(f->graph, "my.Old", "old", NULL, NULL, f->type);
  CHECK_OK(geNodeErase(old, false));
  for (int i = 0; i < 100; ++i) {
    GeNodeRef *fresh = addNode(f->graph, "my.New", "new", NULL, NULL, f->type);
    CHECK(fresh != old && !geRefIsAlive(old));
    CHECK_OK(geNodeErase(fresh, false));
    geNodeRelease(fresh);
  }
  GeStringRef text;
  CHECK_OK(geRefReason(old, &text));
  CHECK_TEXT("node 'old' (my.Old) was erased", text);
  geNodeRelease(old);
}

/* A reference keeps the graph and context of its object alive; other references may be released in
 * any order. */
static void testOwners(void) {
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  GeType type = tensorType(context, "f32", 0, NULL);
  GeGraphRef *graph = newGraph(context, "g");
  GeNodeRef *node = addNode(graph, "my.Op", "n", NULL, NULL, type);
  GeValueRef *value = resultOf(node);
  geContextRelease(context);
  geGraphRelease(graph);
  geNodeRelease(node);
  GeStringRef name;
  CHECK_OK(geValueSetName(value, S("survivor")));
  CHECK_OK(geValueGetName(value, &name, NULL));
  CHECK_TEXT("survivor", name);
  context = geRefGetContext(value);
  geContextRetain(context);
  CHECK(geContextLiveHandleCount(context) == 1 && geContextLiveGraphCount(context) == 1);
  geValueRelease(value);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
}

static void testExpiry(Fixture *f) {
  GeGraphRef *graph = newGraph(f->context, "lent");
  GeNodeRef *node = addNode(graph, "my.Op", "n", NULL, NULL, f->type);
  GeGraphRef *after = NULL;
  CHECK_OK(geGraphExpireHandles(graph, false, &after));
  CHECK(after != graph && geRefIsAlive(after));
  CHECK_FAILS(GE_ERROR_STALE, geNodeSetName(node, S("x")));
  CHECK_SAYS("graph handle has expired");
  CHECK_FAILS(GE_ERROR_STALE, geGraphSort(graph));
  CHECK_NODES("n", after);
  geNodeRelease(node);
  geGraphRelease(graph);
  graph = after;
  CHECK_OK(geGraphExpireHandles(graph, true, NULL));
  CHECK_FAILS(GE_ERROR_STALE, geGraphSort(graph));
  CHECK_SAYS("was moved");
  geGraphRelease(graph);
}

int main(void) {
  Fixture f = setUp();
  testReasons(&f);
  testNodeCalls(&f);
  testValueCalls(&f);
  testGraphCalls(&f);
  testReuse(&f);
  testExpiry(&f);
  tearDown(&f);
  testOwners();
  return 0;
}
