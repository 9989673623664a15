/*===- ops_build.c - building nodes, inference and verification of graphs, callback tables ---===*\
|*
|* Guarantees: a built node has inferred types and the requested position; a failed call leaves the
|* graph unchanged and no objects behind; callback tables get the whole call, their errors are
|* returned, and they are released once; null, stale and foreign arguments are errors.
|*
\*===----------------------------------------------------------------------------------------===*/
#include "check.h"

#include "ge-c/Ops.h"

typedef struct Fixture {
  GeContext *context;
  GeGraphRef *graph;
  GeValueRef *x, *y; /* f32[2, 3], f32[4] */
  GeType unknown;
} Fixture;

static GeOpDef opOf(const char *name) {
  GeOpDef op = NULL;
  CHECK_OK(geRegistryGet(geRegistryGlobal(), S(name), GE_OPSET_NEWEST, &op));
  return op;
}

static Fixture setUp(void) {
  Fixture f;
  CHECK_OK(geContextCreate(&f.context));
  f.graph = newGraph(f.context, "main");
  f.x = addInput(f.graph, "x", tensorType(f.context, "f32", 2, (int64_t[]){2, 3}));
  f.y = addInput(f.graph, "y", tensorType(f.context, "f32", 1, (int64_t[]){4}));
  f.unknown = geTypeUnknown(f.context);
  return f;
}

static void tearDown(Fixture *f) {
  geValueRelease(f->x);
  geValueRelease(f->y);
  geGraphRelease(f->graph);
  CHECK_NO_LEAKS(f->context);
  geContextRelease(f->context);
}

static void checkType(const char *expected, GeValueRef *value) {
  GeType type = NULL;
  CHECK_OK(geValueGetType(value, &type));
  Text text = {NULL, 0};
  geTypePrint(type, appendText, &text);
  if (strcmp(text.data, expected) != 0)
    FAIL("the type is %s, not %s", text.data, expected);
  freeText(&text);
}

static void mark(GeNodeRef *node, const char *name) {
  GeAttribute yes;
  CHECK_OK(geAttributeBool(true, &yes));
  CHECK_OK(geNodeSetAttribute(node, identifier(geRefGetContext(node), name), yes));
  geAttributeRelease(yes);
}

static GeNodeSpec specOf(Fixture *f, const char *op, GeValueRef **operands, size_t count) {
  GeNodeSpec spec = {.size = sizeof spec};
  spec.op = operatorName(f->context, op);
  spec.operands = operands;
  spec.numOperands = count;
  spec.numResults = 1;
  return spec;
}

/* --- Building --------------------------------------------------------------------------------- */

/* Declared types are combined with inferred ones by meet; a contradiction builds no node. */
static void testDeclaredTypes(Fixture *f) {
  GeValueRef *operands[1] = {f->x};
  GeNodeSpec spec = specOf(f, "onnx.Relu", operands, 1);
  GeType loose = tensorType(f->context, "f32", 2, (int64_t[]){-1, 3});
  GeType wrong = tensorType(f->context, "f32", 2, (int64_t[]){2, 4});
  GeType met = NULL;
  CHECK_OK(geTypeMeet(loose, f->unknown, &met));
  CHECK(met == loose);
  CHECK_FAILS(GE_ERROR_VERIFY, geTypeMeet(loose, wrong, &met));
  CHECK_SAYS("f32[?, 3] contradicts f32[2, 4]");
  CHECK_FAILS(GE_ERROR_TYPE, geTypeMeet(NULL, loose, &met));
  GeContext *far = NULL;
  CHECK_OK(geContextCreate(&far));
  GeType other = geTypeUnknown(far);
  CHECK_FAILS(GE_ERROR_VALUE, geTypeMeet(loose, other, &met));

  GeOpDef relu = opOf("onnx::Relu");
  GeValueRef *y = NULL, *none = NULL;
  spec.resultTypes = &loose;
  CHECK_OK(geNodeBuild(NULL, NULL, relu, 0, &spec, &y));
  checkType("tensor<2x3xf32>", y);
  spec.resultTypes = &wrong;
  CHECK_FAILS(GE_ERROR_VERIFY, geNodeBuild(NULL, NULL, relu, 0, &spec, &none));
  CHECK_SAYS("onnx::Relu(): result 0 is declared as f32[2, 4], but inferred as f32[2, 3]");
  spec.resultTypes = &other;
  CHECK_FAILS(GE_ERROR_VALUE, geNodeBuild(NULL, NULL, relu, 0, &spec, &none));
  GeType nothing = NULL;
  spec.resultTypes = &nothing;
  GeValueRef *z = NULL;
  CHECK_OK(geNodeBuild(NULL, NULL, relu, 0, &spec, &z));
  checkType("tensor<2x3xf32>", z);
  size_t count = 0;
  CHECK_OK(geGraphNumNodes(f->graph, &count));
  CHECK(count == 2 && none == NULL);
  geValueRelease(y);
  geValueRelease(z);
  geContextRelease(far);
}

static void testBuild(Fixture *f) {
  GeOpDef add = opOf("onnx::Add");
  GeValueRef *operands[2] = {f->x, f->x};
  GeNodeSpec spec = specOf(f, "onnx.Add", operands, 2);
  spec.name = S("sum");
  GeValueRef *sum = NULL, *first = NULL;
  CHECK_OK(geNodeBuild(NULL, NULL, add, 0, &spec, &sum));
  checkType("tensor<2x3xf32>", sum);
  GeNodeRef *node = NULL;
  CHECK_OK(geValueGetNode(sum, &node));
  spec.name = S("first");
  CHECK_OK(geNodeBuild(f->graph, node, add, 0, &spec, &first));
  CHECK_NODES("first sum", f->graph);
  GeGraphRef *graph = NULL;
  CHECK_OK(geValueGetGraph(sum, &graph));
  CHECK(geRefHasSameRoot(graph, f->graph) && geRefHasSameRoot(sum, f->x));
  GeGraphRef *other = newGraph(f->context, "other");
  CHECK(!geRefHasSameRoot(other, f->graph));
  CHECK(!geRefHasSameRoot(NULL, f->graph) && !geRefHasSameRoot(NULL, NULL));

  /* Invalid operands, and operands of another graph: nothing changes. */
  GeValueRef *wrong[2] = {f->x, f->y};
  spec.operands = wrong;
  GeValueRef *none = NULL;
  CHECK_FAILS(GE_ERROR_VERIFY, geNodeBuild(f->graph, NULL, add, 0, &spec, &none));
  CHECK_SAYS("onnx::Add(): operand 1 'B' (f32[4]) does not broadcast");
  CHECK_FAILS(GE_ERROR_VERIFY, geNodeBuild(NULL, NULL, add, 0, &spec, &none));
  spec.operands = operands;
  CHECK_FAILS(GE_ERROR_VALUE, geNodeBuild(other, NULL, add, 0, &spec, &none));
  CHECK_FAILS(GE_ERROR_VALUE, geNodeBuild(other, node, add, 0, &spec, &none));
  spec.numOperands = 0;
  CHECK_FAILS(GE_ERROR_TYPE, geNodeBuild(NULL, NULL, add, 0, &spec, &none));
  GeValueRef *absent[2] = {NULL, NULL};
  spec.operands = absent;
  spec.numOperands = 2;
  CHECK_FAILS(GE_ERROR_TYPE, geNodeBuild(NULL, NULL, add, 0, &spec, &none));
  CHECK(none == NULL);
  CHECK_NODES("first sum", f->graph);
  CHECK_NODES("", other);

  /* An erased insertion point. */
  CHECK_OK(geNodeErase(node, true));
  spec.operands = operands;
  CHECK_FAILS(GE_ERROR_STALE, geNodeBuild(f->graph, node, add, 0, &spec, &none));
  wrong[0] = sum;
  spec.operands = wrong;
  CHECK_FAILS(GE_ERROR_STALE, geNodeBuild(f->graph, NULL, add, 0, &spec, &none));
  CHECK_FAILS(GE_ERROR_STALE, geNodeBuild(NULL, NULL, add, 0, &spec, &none));
  GeGraphRef *gone = NULL;
  CHECK_FAILS(GE_ERROR_STALE, geValueGetGraph(sum, &gone));
  CHECK(!gone && geRefHasSameRoot(sum, f->x));
  GeNodeRef *left = NULL;
  CHECK_OK(geValueGetNode(first, &left));
  CHECK_OK(geNodeErase(left, true));
  geNodeRelease(left);
  geNodeRelease(node);
  geValueRelease(sum);
  geValueRelease(first);
  geGraphRelease(graph);
  geGraphRelease(other);
  geOpDefRelease(add);
}

static void testBuildNull(Fixture *f) {
  GeOpDef relu = opOf("onnx::Relu");
  GeValueRef *operand = f->x, *out = NULL;
  GeNodeSpec spec = specOf(f, "onnx.Relu", &operand, 1);
  CHECK_FAILS(GE_ERROR_TYPE, geNodeBuild(f->graph, NULL, NULL, 0, &spec, &out));
  CHECK_FAILS(GE_ERROR_TYPE, geNodeBuild(f->graph, NULL, relu, 0, NULL, &out));
  CHECK_FAILS(GE_ERROR_TYPE, geNodeBuild(f->graph, NULL, relu, 0, &spec, NULL));
  spec.operands = NULL;
  CHECK_FAILS(GE_ERROR_TYPE, geNodeBuild(f->graph, NULL, relu, 0, &spec, &out));
  spec.operands = &operand;
  spec.op = NULL;
  CHECK_FAILS(GE_ERROR_TYPE, geNodeBuild(f->graph, NULL, relu, 0, &spec, &out));
  spec.op = operatorName(f->context, "onnx.Relu");
  spec.numAttributes = 1;
  CHECK_FAILS(GE_ERROR_TYPE, geNodeBuild(f->graph, NULL, relu, 0, &spec, &out));
  GeNamedAttribute nothing = {0};
  spec.attributes = &nothing;
  CHECK_FAILS(GE_ERROR_TYPE, geNodeBuild(f->graph, NULL, relu, 0, &spec, &out));
  spec.numAttributes = 0;
  spec.numSubgraphs = 1;
  CHECK_FAILS(GE_ERROR_TYPE, geNodeBuild(f->graph, NULL, relu, 0, &spec, &out));
  GeNodeRef *node = NULL;
  CHECK_FAILS(GE_ERROR_TYPE, geNodeInferTypes(NULL, relu, 0));
  CHECK_FAILS(GE_ERROR_TYPE, geValueGetGraph(NULL, NULL));
  CHECK_FAILS(GE_ERROR_TYPE, geValueGetGraph(f->x, NULL));
  CHECK_OK(geValueGetNode(f->x, &node));
  CHECK_FAILS(GE_ERROR_TYPE, geNodeInferTypes(node, NULL, 0));
  geNodeRelease(node);
  CHECK_NODES("", f->graph);
  geOpDefRelease(relu);
}

/* Subgraphs move into the node; if one cannot, no node is built, and the others stay roots. */
static void testBodies(Fixture *f) {
  GeOpDef cond = opOf("onnx::If");
  GeValueRef *flag = addInput(f->graph, "flag", tensorType(f->context, "bool", 0, NULL));
  GeGraphRef *graphs[2];
  for (int i = 0; i < 2; ++i) {
    graphs[i] = newGraph(f->context, i ? "else" : "then");
    GeNodeRef *constant = addNode(graphs[i], "my.Make", "", NULL, NULL,
                                  tensorType(f->context, "f32", 1, (int64_t[]){i + 1}));
    GeValueRef *value = resultOf(constant);
    CHECK_OK(geGraphSetOutputs(graphs[i], &value, 1));
    geValueRelease(value);
    geNodeRelease(constant);
  }
  GeStringRef slots[2] = {S("then_branch"), S("else_branch")};
  GeNodeSpec spec = specOf(f, "onnx.If", &flag, 1);
  spec.name = S("if");
  spec.numSubgraphs = 2;
  spec.slots = slots;
  GeValueRef *out = NULL;
  /* The second subgraph is the graph that gets the node: the first one stays a root, too. */
  GeGraphRef *bad[2] = {graphs[0], f->graph};
  spec.subgraphs = bad;
  CHECK_FAILS(GE_ERROR_VALUE, geNodeBuild(f->graph, NULL, cond, 0, &spec, &out));
  CHECK_SAYS("which is inside it");
  CHECK_NODES("", f->graph);
  CHECK(!geRefHasSameRoot(graphs[0], f->graph));
  spec.subgraphs = graphs;
  CHECK_OK(geNodeBuild(f->graph, NULL, cond, 0, &spec, &out));
  checkType("!ge.unknown", out);
  GeNodeRef *node = NULL;
  CHECK_OK(geValueGetNode(out, &node));
  CHECK_OK(geNodeInferTypes(node, cond, 0));
  checkType("tensor<?xf32>", out);
  CHECK(geRefHasSameRoot(graphs[0], f->graph));
  CHECK_OK(geNodeErase(node, true));
  CHECK_FAILS(GE_ERROR_STALE, geNodeInferTypes(node, cond, 0));
  geNodeRelease(node);
  geValueRelease(out);
  geValueRelease(flag);
  geGraphRelease(graphs[0]);
  geGraphRelease(graphs[1]);
  geOpDefRelease(cond);
}

/* --- Graphs ----------------------------------------------------------------------------------- */

typedef struct Heard {
  Text operators, diagnostics;
  uint64_t nodes;
  size_t numDiagnostics;
} Heard;

static void hearOperator(GeStringRef op, uint64_t nodes, void *userData) {
  Heard *heard = (Heard *)userData;
  appendText(op, &heard->operators);
  heard->nodes += nodes;
}

static void hearDiagnostic(const GeDiagnostic *diagnostic, void *userData) {
  Heard *heard = (Heard *)userData;
  appendText(diagnostic->message, &heard->diagnostics);
  ++heard->numDiagnostics;
}

static void hearDispute(GeValueRef *value, GeStringRef what, void *userData) {
  Heard *heard = (Heard *)userData;
  checkType("tensor<7xf32>", value);
  appendText(what, &heard->diagnostics);
  ++heard->numDiagnostics;
}

static void testDisputes(Fixture *f) {
  GeGraphRef *graph = newGraph(f->context, "disputes");
  GeType f23 = tensorType(f->context, "f32", 2, (int64_t[]){2, 3});
  GeType f7 = tensorType(f->context, "f32", 1, (int64_t[]){7});
  GeValueRef *x = addInput(graph, "x", f23);
  geNodeRelease(addNode(graph, "onnx.Abs", "right", x, NULL, f23));
  geNodeRelease(addNode(graph, "my.Odd", "odd", x, NULL, f7));
  Heard heard = {{NULL, 0}, {NULL, 0}, 0, 0};
  CHECK_OK(geGraphFindTypeDisputes(graph, hearDispute, &heard));
  CHECK(heard.numDiagnostics == 0);
  geNodeRelease(addNode(graph, "onnx.Abs", "wrong", x, NULL, f7));
  CHECK_OK(geGraphFindTypeDisputes(graph, hearDispute, &heard));
  CHECK(heard.numDiagnostics == 1 && strstr(heard.diagnostics.data, "'wrong'"));
  CHECK(strstr(heard.diagnostics.data, "declared as f32[7], but inferred as f32[2, 3]"));
  freeText(&heard.diagnostics);
  CHECK_FAILS(GE_ERROR_TYPE, geGraphFindTypeDisputes(graph, NULL, NULL));
  CHECK_FAILS(GE_ERROR_TYPE, geGraphFindTypeDisputes(NULL, hearDispute, NULL));
  geValueRelease(x);
  geGraphRelease(graph);
}

static void testGraphs(Fixture *f) {
  GeNodeRef *abs = addNode(f->graph, "onnx.Abs", "abs", f->x, NULL, f->unknown);
  GeNodeRef *odd = addNode(f->graph, "my.Odd", "odd", f->x, NULL, f->unknown);
  GeNodeRef *wrong = addNode(f->graph, "onnx.Add", "wrong", f->x, f->y, f->unknown);
  Heard heard = {{NULL, 0}, {NULL, 0}, 0, 0};
  GeOpReport report = {sizeof report, &heard, hearOperator, hearDiagnostic, NULL};
  GeInferCounts counts = {.size = sizeof counts};
  CHECK_OK(geGraphInferTypes(f->graph, 0, &report, &counts));
  CHECK(counts.nodes == 3 && counts.inferred == 1 && counts.unknown == 2);
  CHECK(counts.changed == 1 && counts.byFallback == 0);
  CHECK(strcmp(heard.operators.data, "my.Odd") == 0 && heard.nodes == 1);
  CHECK(heard.numDiagnostics == 1 && strstr(heard.diagnostics.data, "'wrong'"));
  GeValueRef *value = resultOf(abs);
  checkType("tensor<2x3xf32>", value);
  geValueRelease(value);
  freeText(&heard.operators);
  freeText(&heard.diagnostics);

  CHECK_OK(geGraphVerifyDefinitions(f->graph, 0, &report));
  CHECK(heard.operators.data && strcmp(heard.operators.data, "my.Odd") == 0);
  freeText(&heard.operators);
  mark(abs, "strange");
  CHECK_FAILS(GE_ERROR_VERIFY, geGraphVerifyDefinitions(f->graph, 0, &report));
  CHECK_SAYS("no attribute 'strange'");
  freeText(&heard.operators);
  /* Without a report, and with a report without callbacks. */
  CHECK_FAILS(GE_ERROR_VERIFY, geGraphVerifyDefinitions(f->graph, 0, NULL));
  GeOpReport deaf = {sizeof deaf, NULL, NULL, NULL, NULL};
  CHECK_OK(geGraphInferTypes(f->graph, 17, &deaf, &counts));
  CHECK(counts.changed == 0);
  CHECK_OK(geGraphInferTypes(f->graph, 17, NULL, &counts));

  CHECK_FAILS(GE_ERROR_TYPE, geGraphInferTypes(NULL, 0, NULL, &counts));
  CHECK_FAILS(GE_ERROR_TYPE, geGraphInferTypes(f->graph, 0, NULL, NULL));
  CHECK_FAILS(GE_ERROR_TYPE, geGraphVerifyDefinitions(NULL, 0, NULL));
  GeGraphRef *lent = newGraph(f->context, "lent"), *after = NULL;
  CHECK_OK(geGraphExpireHandles(lent, false, &after));
  CHECK_FAILS(GE_ERROR_STALE, geGraphInferTypes(lent, 0, NULL, &counts));
  CHECK_FAILS(GE_ERROR_STALE, geGraphVerifyDefinitions(lent, 0, NULL));
  geGraphRelease(lent);
  geGraphRelease(after);
  for (int i = 0; i < 3; ++i) {
    GeNodeRef *node = i == 0 ? abs : i == 1 ? odd : wrong;
    CHECK_OK(geNodeErase(node, true));
    geNodeRelease(node);
  }
}

/* Each of many faults has a diagnostic; the message lists only the first ones. */
static void testManyFaults(Fixture *f) {
  GeGraphRef *graph = newGraph(f->context, "faults");
  GeValueRef *x = addInput(graph, "x", tensorType(f->context, "f32", 0, NULL));
  for (int i = 0; i < 1001; ++i) {
    GeNodeRef *node = addNode(graph, "onnx.Abs", "", x, NULL, f->unknown);
    mark(node, "strange");
    geNodeRelease(node);
  }
  CHECK_FAILS(GE_ERROR_VERIFY, geGraphVerifyDefinitions(graph, 0, NULL));
  CHECK_SAYS("and 981 more");
  CHECK(geErrorMessage().length < 4000);
  CHECK(geErrorNumDiagnostics() == 1001);
  geValueRelease(x);
  geGraphRelease(graph);
}

/* --- Foreign inferrers and evaluators --------------------------------------------------------- */

typedef struct Table {
  int calls, released;
  GeStatus status;
  const char *message;
  GeType answer; /* NULL: the type of operand 0 */
  bool knows;
} Table;

static void releaseTable(void *userData) { ++((Table *)userData)->released; }

static GeStatus inferByTable(void *userData, const GeOpCall *call, GeType *results, bool *known) {
  Table *table = (Table *)userData;
  ++table->calls;
  if (table->status != GE_OK) {
    geErrorSet(table->status, S(table->message));
    return table->status;
  }
  *known = table->knows;
  CHECK(call->numResults == 1 && call->numOperands == 1 && !call->op && call->numSubgraphs == 0);
  CHECK(call->numAttributes == 1 && !call->operandConstants[0]);
  CHECK_TEXT("k", geIdentifierStr(call->attributes[0].name));
  results[0] = table->answer ? table->answer : call->operandTypes[0];
  return GE_OK;
}

static void countUse(GeStringRef inferrer, GeStringRef op, uint64_t asked, uint64_t answered,
                     void *userData) {
  if (inferrer.length == 5 && memcmp(inferrer.data, "table", 5) == 0) {
    CHECK_TEXT("my.Odd", op);
    ((uint64_t *)userData)[0] = asked;
    ((uint64_t *)userData)[1] = answered;
  }
}

static void testInferrers(Fixture *f) {
  Table table = {0, 0, GE_OK, "", NULL, true};
  GeInferrer inferrer = {sizeof inferrer, S("table"), &table, inferByTable, releaseTable};
  uint64_t token = 0, uses[2] = {0, 0};
  CHECK_FAILS(GE_ERROR_TYPE, geOpsAddInferrer(NULL, &token));
  CHECK_FAILS(GE_ERROR_TYPE, geOpsAddInferrer(&inferrer, NULL));
  CHECK_FAILS(GE_ERROR_TYPE, geOpsInferrerUses(NULL, NULL));
  CHECK_OK(geOpsAddInferrer(&inferrer, &token));
  GeNodeRef *odd = addNode(f->graph, "my.Odd", "odd", f->x, NULL, f->unknown);
  mark(odd, "k");
  GeInferCounts counts = {.size = sizeof counts};
  /* The inferrer has no result; fails; rejects the operands; returns a type of another context. */
  table.knows = false;
  CHECK_OK(geGraphInferTypes(f->graph, 0, NULL, &counts));
  CHECK(counts.unknown == 1 && counts.byFallback == 0);
  table.status = GE_ERROR_KEY;
  table.message = "it broke";
  CHECK_FAILS(GE_ERROR_KEY, geGraphInferTypes(f->graph, 0, NULL, &counts));
  CHECK_SAYS("it broke");
  table.status = GE_ERROR_VERIFY;
  table.message = "operand 0 is odd";
  Heard heard = {{NULL, 0}, {NULL, 0}, 0, 0};
  GeOpReport report = {sizeof report, &heard, NULL, hearDiagnostic, NULL};
  CHECK_OK(geGraphInferTypes(f->graph, 0, &report, &counts));
  CHECK(heard.numDiagnostics == 1 && strstr(heard.diagnostics.data, "operand 0 is odd"));
  freeText(&heard.diagnostics);
  table.status = GE_OK;
  table.knows = true;
  GeContext *foreign = NULL;
  CHECK_OK(geContextCreate(&foreign));
  table.answer = tensorType(foreign, "f32", 0, NULL);
  CHECK(geGraphInferTypes(f->graph, 0, NULL, &counts) != GE_OK);
  CHECK_SAYS("result of the inferrer");
  geContextRelease(foreign);
  table.answer = NULL;
  CHECK_OK(geGraphInferTypes(f->graph, 0, NULL, &counts));
  CHECK(counts.byFallback == 1 && counts.inferred == 1 && table.calls == 5);
  CHECK_OK(geOpsInferrerUses(countUse, uses));
  CHECK(uses[0] >= 1 && uses[1] >= 1);
  CHECK(table.released == 0);
  geOpsRemoveInferrer(token);
  CHECK(table.released == 1);
  geOpsRemoveInferrer(token); /* an unknown token is ignored */
  geOpsRemoveInferrer(0);
  CHECK(table.released == 1);
  CHECK_OK(geNodeErase(odd, true));
  geNodeRelease(odd);
}

static GeStatus evaluateByTable(void *userData, const GeOpCall *call, GeTensor **results,
                                bool *known) {
  (void)call;
  (void)results;
  (void)known;
  ++((Table *)userData)->calls;
  return GE_OK;
}

static void testEvaluators(void) {
  Table first = {0}, second = {0};
  GeEvaluator table = {sizeof table, &first, evaluateByTable, releaseTable, NULL};
  CHECK_OK(geOpsSetEvaluator(&table));
  table.userData = &second;
  CHECK_OK(geOpsSetEvaluator(&table));
  CHECK(first.released == 1 && second.released == 0 && geOpsHasEvaluator());
  table.evaluate = NULL;
  CHECK_FAILS(GE_ERROR_TYPE, geOpsSetEvaluator(&table));
  CHECK(geOpsHasEvaluator() && second.released == 0);
  CHECK_OK(geOpsSetEvaluator(NULL));
  CHECK(second.released == 1 && !geOpsHasEvaluator());
}

int main(void) {
  Fixture f = setUp();
  testBuild(&f);
  tearDown(&f);
  f = setUp();
  testDeclaredTypes(&f);
  tearDown(&f);
  f = setUp();
  testBuildNull(&f);
  testBodies(&f);
  testGraphs(&f);
  testDisputes(&f);
  testManyFaults(&f);
  testInferrers(&f);
  testEvaluators();
  tearDown(&f);
  return 0;
}
