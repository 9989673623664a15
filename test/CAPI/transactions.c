/* Rolling a transaction back undoes all its edits: the text has the same bytes, names and name
 * counters are restored, references to erased nodes are valid again, and those to new ones are
 * dead. */
#include "check.h"

typedef struct Fixture {
  GeContext *context;
  GeGraphRef *graph;
  GeType type;
  GeValueRef *x;
  GeNodeRef *a, *b, *c;
} Fixture;

static Fixture setUp(void) {
  Fixture f = {0};
  CHECK_OK(geContextCreate(&f.context));
  f.type = tensorType(f.context, "f32", 0, NULL);
  f.graph = newGraph(f.context, "main");
  f.x = addInput(f.graph, "x", f.type);
  f.a = addNode(f.graph, "my.A", "a", f.x, NULL, f.type);
  GeValueRef *va = resultOf(f.a);
  f.b = addNode(f.graph, "my.B", "b", va, f.x, f.type);
  GeValueRef *vb = resultOf(f.b);
  f.c = addNode(f.graph, "my.C", "c", vb, va, f.type);
  GeValueRef *vc = resultOf(f.c);
  CHECK_OK(geGraphSetOutputs(f.graph, &vc, 1));
  CHECK_OK(geNodeAddControlInput(f.c, f.a));
  geValueRelease(va);
  geValueRelease(vb);
  geValueRelease(vc);
  return f;
}

static void tearDown(Fixture *f) {
  geNodeRelease(f->a);
  geNodeRelease(f->b);
  geNodeRelease(f->c);
  geValueRelease(f->x);
  geGraphRelease(f->graph);
  CHECK_NO_LEAKS(f->context);
  geContextRelease(f->context);
}

static void checkSame(GeGraphRef *graph, const Text *before) {
  Text now = printedGraph(graph);
  if (strcmp(now.data, before->data) != 0)
    FAIL("after the rollback:\n%s\nbefore:\n%s", now.data, before->data);
  freeText(&now);
}

/* One edit of each kind. */
static void editAll(Fixture *f) {
  GeNodeRef *made = addNode(f->graph, "my.New", "a", f->x, NULL, f->type);
  GeStringRef name;
  CHECK_OK(geNodeGetName(made, &name, NULL));
  CHECK_TEXT("a_1", name);
  GeValueRef *result = resultOf(made);
  CHECK_OK(geValueReplaceAllUses(f->x, result, &made, 1));
  CHECK_OK(geNodeMoveBefore(made, f->a));
  GeAttribute attribute = {0};
  CHECK_OK(geAttributeInt(f->context, 7, 8, &attribute));
  CHECK_OK(geNodeSetAttribute(f->a, identifier(f->context, "k"), attribute));
  CHECK_OK(geGraphSetAttribute(f->graph, identifier(f->context, "k"), attribute));
  CHECK_OK(geNodeSetName(f->b, S("renamed")));
  CHECK_OK(geValueSetName(result, S("value")));
  CHECK_OK(geValueSetType(result, geTypeUnknown(f->context)));
  CHECK_OK(geGraphSetName(f->graph, S("other")));
  CHECK_OK(geGraphSetOutputName(f->graph, 0, S("output")));
  CHECK_OK(geNodeRemoveControlInput(f->c, f->a));
  CHECK_OK(geNodeAddControlInput(f->c, f->b));
  GeLocation where = NULL;
  CHECK_OK(geLocationFile(f->context, S("f.py"), 1, 2, &where));
  CHECK_OK(geNodeSetLocation(f->a, where));
  GeValueRef *input = addInput(f->graph, "late", f->type);
  CHECK_OK(geGraphMoveInput(f->graph, 1, 0));
  GeGraphRef *inner = NULL;
  CHECK_OK(geNodeAddSubgraph(made, S("body"), S("inner"), &inner));
  GeNodeRef *inside = addNode(inner, "my.Inside", "inside", input, NULL, f->type);
  GeOrigin origin = {.size = sizeof origin};
  origin.node = S("from");
  CHECK_OK(geNodeAddOrigin(f->a, &origin));
  CHECK_OK(geNodeDetach(f->b));
  CHECK_OK(geNodeErase(f->b, true));
  CHECK_OK(geNodeInsertOperand(f->a, 0, input));
  CHECK_OK(geNodeEraseOperand(f->c, 1));
  CHECK_OK(geGraphEraseInput(f->graph, 0, true));
  CHECK_OK(geNodeReplace(f->a, &result, 1));
  CHECK_OK(geGraphSetOutputs(f->graph, NULL, 0));
  geNodeRelease(inside);
  geGraphRelease(inner);
  geValueRelease(input);
  geValueRelease(result);
  geNodeRelease(made);
}

static void testRollback(void) {
  Fixture f = setUp();
  Text before = printedGraph(f.graph);
  for (int i = 0; i < 3; ++i) {
    GeTransaction *t = NULL;
    CHECK_OK(geTransactionBegin(f.graph, &t));
    editAll(&f);
    CHECK(!geRefIsAlive(f.a) && !geRefIsAlive(f.b));
    CHECK_FAILS(GE_ERROR_STALE, geNodeSetName(f.b, S("x")));
    GeNodeRef *created = addNode(f.graph, "my.Late", "late", NULL, NULL, f.type);
    CHECK_OK(geTransactionRollback(t));
    CHECK(!geTransactionIsOpen(t));
    CHECK_OK(geTransactionDestroy(t));
    CHECK_FAILS(GE_ERROR_STALE, geNodeSetName(created, S("x")));
    CHECK_SAYS("rolled back");
    CHECK_SAYS("my.Late");
    geNodeRelease(created);
    CHECK(geRefIsAlive(f.a) && geRefIsAlive(f.b) && geRefIsAlive(f.c));
    checkSame(f.graph, &before);
  }
  freeText(&before);
  tearDown(&f);
}

static void testNested(void) {
  Fixture f = setUp();
  Text before = printedGraph(f.graph);
  GeTransaction *outer = NULL, *inner = NULL;
  CHECK_OK(geTransactionBegin(f.graph, &outer));
  CHECK_OK(geNodeSetName(f.a, S("outer")));
  Text middle = printedGraph(f.graph);
  CHECK_OK(geTransactionBegin(f.graph, &inner));
  CHECK_OK(geNodeErase(f.b, true));
  CHECK_FAILS(GE_ERROR_VALUE, geTransactionCommit(outer));
  CHECK_FAILS(GE_ERROR_VALUE, geTransactionRollback(outer));
  CHECK_OK(geTransactionRollback(inner));
  CHECK_FAILS(GE_ERROR_VALUE, geTransactionRollback(inner));
  CHECK_FAILS(GE_ERROR_VALUE, geTransactionCommit(inner));

  /* Between rollback and destroy, edits could not be undone: they are refused; reads are not. */
  CHECK_FAILS(GE_ERROR_VALUE, geNodeSetName(f.a, S("refused")));
  CHECK_SAYS("rolled back");
  GeTransaction *third = NULL;
  CHECK_FAILS(GE_ERROR_VALUE, geTransactionBegin(f.graph, &third));
  GeStringRef name;
  CHECK_OK(geNodeGetName(f.a, &name, NULL));
  CHECK_OK(geTransactionDestroy(inner));
  checkSame(f.graph, &middle);
  CHECK_OK(geNodeSetName(f.a, S("again")));

  CHECK_OK(geTransactionBegin(f.graph, &inner));
  CHECK_OK(geNodeErase(f.c, true));
  CHECK_OK(geTransactionCommit(inner));
  CHECK_OK(geTransactionDestroy(inner));
  CHECK(!geRefIsAlive(f.c));
  CHECK_OK(geTransactionRollback(outer)); /* includes the committed inner transaction */
  CHECK_OK(geTransactionDestroy(outer));
  CHECK(geRefIsAlive(f.c));
  checkSame(f.graph, &before);

  /* Destroying an outer transaction rolls back the inner ones. */
  CHECK_OK(geTransactionBegin(f.graph, &outer));
  CHECK_OK(geTransactionBegin(f.graph, &inner));
  CHECK_OK(geNodeErase(f.c, true));
  CHECK_OK(geTransactionDestroy(outer));
  CHECK(!geTransactionIsOpen(inner));
  CHECK_OK(geTransactionDestroy(inner));
  checkSame(f.graph, &before);
  CHECK_OK(geTransactionDestroy(NULL));
  freeText(&before);
  freeText(&middle);
  tearDown(&f);
}

static void testCommit(void) {
  Fixture f = setUp();
  GeTransaction *t = NULL;
  CHECK_OK(geTransactionBegin(f.graph, &t));
  CHECK_OK(geNodeErase(f.b, true));
  CHECK_OK(geTransactionCommit(t));
  CHECK_OK(geNodeSetName(f.a, S("after")));
  CHECK_OK(geTransactionDestroy(t));
  CHECK(!geRefIsAlive(f.b));
  GeStringRef reason;
  CHECK_OK(geRefReason(f.b, &reason));
  CHECK_TEXT("node 'b' (my.B) was erased", reason);
  tearDown(&f);
}

static void testRefusals(void) {
  Fixture f = setUp();
  GeGraphRef *other = newGraph(f.context, "other");
  GeModule *module = NULL;
  CHECK_OK(geModuleCreate(f.context, S("m"), &module));
  CHECK_OK(geModuleAdoptGraph(module, f.graph));
  GeTransaction *t = NULL;
  CHECK_OK(geTransactionBegin(f.graph, &t));
  CHECK_FAILS(GE_ERROR_VALUE, geNodeAdoptSubgraph(f.a, S("body"), other));
  CHECK_FAILS(GE_ERROR_VALUE, geModuleEraseGraph(module, f.graph));
  CHECK_FAILS(GE_ERROR_VALUE, geGraphExpireHandles(f.graph, true, NULL));
  /* A transaction begun on a subgraph belongs to the root; it may erase the subgraph. */
  GeGraphRef *inner = NULL;
  CHECK_OK(geNodeAddSubgraph(f.a, S("body"), S("inner"), &inner));
  GeTransaction *nested = NULL;
  CHECK_OK(geTransactionBegin(inner, &nested));
  CHECK_OK(geNodeEraseSubgraph(f.a, 0));
  CHECK(!geRefIsAlive(inner));
  CHECK_OK(geTransactionDestroy(nested));
  CHECK(geRefIsAlive(inner));
  CHECK_OK(geTransactionDestroy(t));
  CHECK(!geRefIsAlive(inner));
  geGraphRelease(inner);
  geModuleRelease(module);
  geGraphRelease(other);
  tearDown(&f);
}

/* The transaction keeps the graph alive; all references may be released before it. */
static void testOwner(void) {
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  GeGraphRef *graph = newGraph(context, "g");
  GeTransaction *t = NULL;
  CHECK_OK(geTransactionBegin(graph, &t));
  GeNodeRef *node = addNode(graph, "my.Op", "n", NULL, NULL, NULL);
  geGraphRelease(graph);
  CHECK_OK(geTransactionRollback(t));
  CHECK(!geRefIsAlive(node));
  geNodeRelease(node);
  CHECK_OK(geTransactionDestroy(t));
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
}

int main(void) {
  testRollback();
  testNested();
  testCommit();
  testRefusals();
  testOwner();
  return 0;
}
