/* Building, editing, printing and parsing a graph through the shared library alone. */
#include "check.h"

static void testBuild(GeContext *context) {
  int64_t sizes[] = {2, 3};
  GeType type = tensorType(context, "f32", 2, sizes);
  GeGraphRef *graph = newGraph(context, "main");
  GeValueRef *x = addInput(graph, "x", type);
  GeValueRef *y = addInput(graph, "y", type);
  GeNodeRef *add = addNode(graph, "onnx.Add", "add", x, y, type);
  GeValueRef *sum = resultOf(add);
  GeNodeRef *relu = addNode(graph, "onnx.Relu", "relu", sum, NULL, type);
  GeValueRef *out = resultOf(relu);
  CHECK_OK(geGraphSetOutputs(graph, &out, 1));
  CHECK_OK(geGraphSetOutputName(graph, 0, S("result")));
  CHECK_OK(geGraphVerify(graph));

  size_t count = 0;
  CHECK_OK(geGraphNumInputs(graph, &count));
  CHECK(count == 2);
  CHECK_OK(geGraphNumNodes(graph, &count));
  CHECK(count == 2);
  CHECK_NODES("add relu", graph);
  CHECK_OK(geGraphNumOutputs(graph, &count));
  CHECK(count == 1);

  /* Identity: two queries of one object return the same reference. */
  GeValueRef *again = NULL;
  CHECK_OK(geGraphGetInput(graph, 0, &again));
  CHECK(again == x);
  geValueRelease(again);
  CHECK_OK(geGraphGetOutput(graph, 0, &again));
  CHECK(again == out);
  geValueRelease(again);
  CHECK_OK(geNodeGetOperand(add, 1, &again));
  CHECK(again == y);
  geValueRelease(again);
  GeNodeRef *producer = NULL;
  CHECK_OK(geValueGetNode(sum, &producer));
  CHECK(producer == add);
  geNodeRelease(producer);
  CHECK_OK(geGraphFindNode(graph, S("relu"), &producer));
  CHECK(producer == relu);
  geNodeRelease(producer);
  CHECK_OK(geGraphFindNode(graph, S("nobody"), &producer));
  CHECK(producer == NULL);
  CHECK_OK(geGraphFindValue(graph, S("x"), &again));
  CHECK(again == x);
  geValueRelease(again);
  GeGraphRef *owner = NULL;
  CHECK_OK(geNodeGetGraph(add, &owner));
  CHECK(owner == graph);
  geGraphRelease(owner);
  bool yes = false;
  GeNodeRef *outputNode = NULL;
  CHECK_OK(geGraphGetOutputNode(graph, &outputNode));
  CHECK_OK(geNodeIsOutput(outputNode, &yes));
  CHECK(yes);
  CHECK_OK(geNodeNumOperands(outputNode, &count));
  CHECK(count == 1);
  geNodeRelease(outputNode);

  GeStringRef name;
  bool generated = true;
  CHECK_OK(geGraphGetOutputName(graph, 0, &name, &generated));
  CHECK_TEXT("result", name);
  CHECK(!generated);

  /* Uses, most recent first: one call for the count and one for the users. */
  GeNodeRef *twice = addNode(graph, "onnx.Mul", "square", sum, sum, type);
  CHECK_OK(geValueGetUses(sum, NULL, 0, &count));
  CHECK(count == 3);
  GeUse uses[2];
  CHECK_OK(geValueGetUses(sum, uses, 2, &count));
  CHECK(count == 3);
  CHECK(uses[0].node == twice && uses[1].node == twice);
  CHECK(uses[0].operandIndex == 1 && uses[1].operandIndex == 0);
  geNodeRelease(uses[0].node);
  geNodeRelease(uses[1].node);

  /* Order. */
  CHECK_OK(geNodeMoveBefore(twice, relu));
  CHECK_NODES("add square relu", graph);
  CHECK_OK(geNodeIsBefore(twice, relu, &yes));
  CHECK(yes);
  CHECK_OK(geNodeMoveAfter(twice, relu));
  CHECK_NODES("add relu square", graph);
  CHECK_OK(geNodeMoveAfter(relu, relu));
  CHECK_OK(geNodeMoveBefore(add, twice));
  CHECK_NODES("relu add square", graph);
  CHECK_OK(geGraphSort(graph));
  CHECK_NODES("add relu square", graph);
  GeNodeRef *neighbour = NULL;
  CHECK_OK(geNodeGetNext(add, &neighbour));
  CHECK(neighbour == relu);
  geNodeRelease(neighbour);
  CHECK_OK(geNodeGetPrevious(add, &neighbour));
  CHECK(neighbour == NULL);
  CHECK_OK(geNodeDetach(twice));
  CHECK_NODES("add relu", graph);
  CHECK_OK(geNodeGetGraph(twice, &owner));
  CHECK(owner == NULL);
  CHECK_OK(geNodeGetNext(twice, &neighbour));
  CHECK(neighbour == NULL);
  CHECK_OK(geNodeInsert(twice, graph, relu));
  CHECK_NODES("add square relu", graph);

  /* The operator index is kept up to date. */
  GeNodeRef *found[4];
  CHECK_OK(geGraphFindAll(graph, operatorName(context, "onnx.Add"), found, 4, &count));
  CHECK(count == 1 && found[0] == add);
  geNodeRelease(found[0]);

  /* Replacing. */
  CHECK_OK(geValueReplaceAllUses(sum, x, &twice, 1));
  CHECK_OK(geValueGetUses(sum, NULL, 0, &count));
  CHECK(count == 2);
  CHECK_FAILS(GE_ERROR_VALUE, geNodeErase(add, false));
  CHECK_SAYS("square");
  CHECK_OK(geNodeReplace(add, &x, 1));
  CHECK(!geRefIsAlive(add) && !geRefIsAlive(sum));
  CHECK_OK(geNodeErase(twice, false));
  size_t erased = 7;
  CHECK_OK(geGraphEraseDeadNodes(graph, &erased));
  CHECK(erased == 0);

  /* Clones are structurally equal, and distinct objects. */
  GeGraphRef *copy = NULL;
  CHECK_OK(geGraphClone(graph, NULL, &copy));
  CHECK(copy != graph);
  CHECK_OK(geGraphIsStructurallyEqual(graph, copy, &yes));
  CHECK(yes);
  uint64_t a = 0, b = 1;
  CHECK_OK(geGraphStructuralHash(graph, &a));
  CHECK_OK(geGraphStructuralHash(copy, &b));
  CHECK(a == b);
  uint64_t before = 0, after = 0;
  CHECK_OK(geGraphChangeCount(copy, &before));
  CHECK_OK(geGraphSetOutputs(copy, NULL, 0));
  CHECK_OK(geGraphChangeCount(copy, &after));
  CHECK(after > before);
  CHECK_OK(geGraphIsStructurallyEqual(graph, copy, &yes));
  CHECK(!yes);
  geGraphRelease(copy);

  geNodeRelease(add);
  geNodeRelease(relu);
  geNodeRelease(twice);
  geValueRelease(sum);
  geValueRelease(out);
  geValueRelease(x);
  geValueRelease(y);
  geGraphRelease(graph);
}

static void testNames(GeContext *context) {
  GeType type = tensorType(context, "i64", 0, NULL);
  GeGraphRef *graph = newGraph(context, "names");
  GeNodeRef *nodes[3];
  const char *expected[] = {"n", "n_1", "n_2"};
  for (int i = 0; i < 3; ++i) {
    nodes[i] = addNode(graph, "my.Op", "n", NULL, NULL, type);
    GeStringRef name;
    CHECK_OK(geNodeGetName(nodes[i], &name, NULL));
    CHECK_TEXT(expected[i], name);
  }
  GeStringRef name;
  bool generated = false;
  CHECK_OK(geNodeSetName(nodes[0], S("")));
  CHECK_OK(geNodeGetName(nodes[0], &name, &generated));
  CHECK(generated && name.length > 0);
  CHECK_OK(geNodeSetName(nodes[0], S("n_1")));
  CHECK_OK(geNodeGetName(nodes[0], &name, &generated));
  CHECK_TEXT("n_1_1", name);
  CHECK(!generated);
  GeValueRef *value = resultOf(nodes[0]);
  CHECK_OK(geValueGetName(value, &name, &generated));
  CHECK(generated);
  CHECK_OK(geValueSetName(value, S("v")));
  CHECK_OK(geValueGetName(value, &name, &generated));
  CHECK_TEXT("v", name);
  CHECK_FAILS(GE_ERROR_VALUE, geNodeSetName(nodes[0], S("\xff")));
  CHECK_FAILS(GE_ERROR_VALUE, geGraphSetName(graph, S("\xc0\x80")));
  GeNodeSpec spec = {.size = sizeof spec};
  spec.op = operatorName(context, "my.Op");
  spec.name = S("\xff");
  GeNodeRef *bad = NULL;
  CHECK_FAILS(GE_ERROR_VALUE, geNodeCreate(graph, NULL, &spec, &bad));
  CHECK(bad == NULL);
  CHECK_OK(geGraphSetName(graph, S("renamed")));
  CHECK_OK(geGraphGetName(graph, &name));
  CHECK_TEXT("renamed", name);
  geValueRelease(value);
  for (int i = 0; i < 3; ++i)
    geNodeRelease(nodes[i]);
  geGraphRelease(graph);
}

static void testInputs(GeContext *context) {
  GeType type = tensorType(context, "f32", 0, NULL);
  GeGraphRef *graph = newGraph(context, "inputs");
  GeValueRef *a = addInput(graph, "a", type);
  GeValueRef *c = addInput(graph, "c", type);
  GeValueRef *b = NULL;
  CHECK_OK(geGraphAddInput(graph, S("b"), type, operatorName(context, "ge.RefData"), 1, &b));
  GeNodeRef *user = addNode(graph, "my.Op", "user", b, NULL, type);
  CHECK_FAILS(GE_ERROR_VALUE, geGraphEraseInput(graph, 1, false));
  CHECK_SAYS("user");
  CHECK_FAILS(GE_ERROR_INDEX, geGraphEraseInput(graph, 3, false));
  CHECK_OK(geGraphMoveInput(graph, 2, 0));
  GeNodeRef *data = NULL;
  CHECK_OK(geValueGetNode(c, &data));
  GeAttribute index = {0};
  CHECK_OK(geNodeGetAttribute(data, identifier(context, "index"), &index));
  int64_t at = -1;
  CHECK_OK(geAttributeGetInt(index, &at));
  CHECK(at == 0);
  CHECK_FAILS(GE_ERROR_VALUE, geNodeSetAttribute(data, identifier(context, "index"), index));
  CHECK_FAILS(GE_ERROR_VALUE, geNodeErase(data, true));
  CHECK_FAILS(GE_ERROR_VALUE, geNodeDetach(data));
  bool yes = false;
  CHECK_OK(geNodeIsInput(data, &yes));
  CHECK(yes);
  geNodeRelease(data);
  CHECK_OK(geGraphEraseInput(graph, 2, true));
  CHECK(!geRefIsAlive(b));
  GeValueRef *operand = b;
  CHECK_OK(geNodeGetOperand(user, 0, &operand));
  CHECK(operand == NULL);
  size_t count = 0;
  CHECK_OK(geGraphNumInputs(graph, &count));
  CHECK(count == 2);
  CHECK_FAILS(GE_ERROR_INDEX, geGraphMoveInput(graph, 0, 2));
  CHECK_FAILS(GE_ERROR_INDEX, geGraphMoveInput(graph, 2, 0));

  /* Outputs may be absent; a name belongs to the output's index. */
  GeValueRef *outputs[] = {a, NULL, c};
  CHECK_OK(geGraphSetOutputs(graph, outputs, 3));
  CHECK_OK(geGraphSetOutputName(graph, 2, S("last")));
  CHECK_FAILS(GE_ERROR_VALUE, geGraphSetOutputName(graph, 0, S("last")));
  CHECK_FAILS(GE_ERROR_INDEX, geGraphSetOutputName(graph, 3, S("more")));
  GeStringRef names[] = {S("last"), {NULL, 0}, S("first")};
  CHECK_OK(geGraphSetOutputNames(graph, names, 3));
  CHECK_FAILS(GE_ERROR_INDEX, geGraphSetOutputNames(graph, names, 2));
  names[1] = S("first");
  CHECK_FAILS(GE_ERROR_VALUE, geGraphSetOutputNames(graph, names, 3));
  names[0] = names[1] = S("");
  names[2] = S("last");
  CHECK_OK(geGraphSetOutputNames(graph, names, 3));
  CHECK_OK(geGraphGetOutput(graph, 1, &operand));
  CHECK(operand == NULL);
  CHECK_FAILS(GE_ERROR_VERIFY, geGraphVerify(graph));
  CHECK(geErrorNumDiagnostics() >= 1);
  GeNodeRef *output = NULL;
  CHECK_OK(geGraphGetOutputNode(graph, &output));
  CHECK_OK(geNodeEraseOperand(output, 1));
  GeStringRef name;
  CHECK_OK(geGraphGetOutputName(graph, 1, &name, NULL));
  CHECK_TEXT("last", name);
  CHECK_OK(geNodeInsertOperand(output, 0, c));
  CHECK_OK(geGraphGetOutputName(graph, 2, &name, NULL));
  CHECK_TEXT("last", name);
  CHECK_FAILS(GE_ERROR_INDEX, geNodeInsertOperand(output, 9, c));
  geNodeRelease(output);
  geNodeRelease(user);
  geValueRelease(a);
  geValueRelease(b);
  geValueRelease(c);
  geGraphRelease(graph);
}

static void testOperands(GeContext *context) {
  GeType type = tensorType(context, "f32", 0, NULL);
  GeGraphRef *graph = newGraph(context, "operands");
  GeValueRef *x = addInput(graph, "x", type);
  GeValueRef *many[40];
  for (int i = 0; i < 40; ++i)
    many[i] = i % 3 == 1 ? NULL : x;
  GeType none = geTypeNone(context);
  GeType types[] = {type, none};
  GeNodeSpec spec = {.size = sizeof spec};
  spec.op = operatorName(context, "my.Many");
  spec.numOperands = 40;
  spec.operands = many;
  spec.numResults = 2;
  spec.resultTypes = types;
  GeNodeRef *node = NULL;
  CHECK_OK(geNodeCreate(graph, NULL, &spec, &node));
  size_t count = 0;
  CHECK_OK(geValueGetUses(x, NULL, 0, &count));
  CHECK(count == 27);
  CHECK_OK(geNodeSetOperand(node, 0, NULL));
  CHECK_OK(geNodeSetOperand(node, 1, x));
  CHECK_FAILS(GE_ERROR_INDEX, geNodeSetOperand(node, 40, x));
  CHECK_OK(geNodeSetOperands(node, many, 20));
  CHECK_OK(geNodeNumOperands(node, &count));
  CHECK(count == 20);
  CHECK_OK(geNodeInsertOperand(node, 20, x));
  CHECK_OK(geNodeEraseOperand(node, 0));
  CHECK_OK(geNodeNumOperands(node, &count));
  CHECK(count == 20);
  GeValueRef *absent = NULL;
  CHECK_OK(geNodeGetResult(node, 1, &absent));
  GeValueRef *only = NULL;
  CHECK_FAILS(GE_ERROR_VALUE, geNodeGetOnlyResult(node, &only));
  CHECK_SAYS("2 results");
  CHECK_FAILS(GE_ERROR_VALUE, geNodeSetOperand(node, 0, absent));
  CHECK_FAILS(GE_ERROR_VALUE, geValueSetName(absent, S("name")));
  CHECK_OK(geValueSetType(absent, type));
  CHECK_OK(geNodeSetOperand(node, 0, absent));
  CHECK_FAILS(GE_ERROR_VALUE, geValueSetType(absent, none));
  CHECK_FAILS(GE_ERROR_VERIFY, geGraphSort(graph)); /* it uses itself */
  GeNodeRef *copy = NULL;
  CHECK_OK(geNodeClone(node, &copy));
  GeGraphRef *place = graph;
  CHECK_OK(geNodeGetGraph(copy, &place));
  CHECK(place == NULL);
  CHECK_OK(geNodeGetRoot(copy, &place));
  CHECK(place == graph);
  geGraphRelease(place);
  CHECK_OK(geValueGetUses(x, NULL, 0, &count));
  CHECK(count > 20);                                     /* a detached node's uses count */
  CHECK_FAILS(GE_ERROR_VALUE, geNodeErase(copy, false)); /* it uses itself, too */
  CHECK_OK(geNodeErase(copy, true));
  geNodeRelease(copy);
  geValueRelease(absent);
  geNodeRelease(node);
  geValueRelease(x);
  geGraphRelease(graph);
}

int main(void) {
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  testBuild(context);
  testNames(context);
  testInputs(context);
  testOperands(context);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
