/* Control edges, subgraphs with captures, moving a root graph in, origins. */
#include "check.h"

static void testControl(GeContext *context) {
  GeGraphRef *graph = newGraph(context, "g"), *other = newGraph(context, "h");
  GeType type = tensorType(context, "f32", 0, NULL);
  GeValueRef *x = addInput(graph, "x", type);
  GeNodeRef *data = NULL, *output = NULL;
  CHECK_OK(geValueGetNode(x, &data));
  CHECK_OK(geGraphGetOutputNode(graph, &output));
  GeNodeRef *a = addNode(graph, "my.A", "a", NULL, NULL, type);
  GeNodeRef *b = addNode(graph, "my.B", "b", NULL, NULL, type);
  GeNodeRef *far = addNode(other, "my.Far", "far", NULL, NULL, type);
  CHECK_OK(geNodeAddControlInput(a, b));
  CHECK_OK(geNodeAddControlInput(a, b)); /* stored once */
  CHECK_OK(geNodeAddControlInput(a, data));
  CHECK_OK(geNodeAddControlInput(output, a));
  size_t count = 0;
  CHECK_OK(geNodeNumControlInputs(a, &count));
  CHECK(count == 2);
  GeNodeRef *found = NULL;
  CHECK_OK(geNodeGetControlInput(a, 0, &found));
  CHECK(found == b);
  geNodeRelease(found);
  CHECK_OK(geNodeGetControlInput(a, 1, &found));
  CHECK(found == data);
  geNodeRelease(found);
  CHECK_OK(geNodeNumControlOutputs(a, &count));
  CHECK(count == 1);
  CHECK_OK(geNodeGetControlOutput(a, 0, &found));
  CHECK(found == output);
  geNodeRelease(found);
  CHECK_FAILS(GE_ERROR_INDEX, geNodeGetControlInput(a, 2, &found));
  CHECK_FAILS(GE_ERROR_VALUE, geNodeAddControlInput(a, a));
  CHECK_FAILS(GE_ERROR_VALUE, geNodeAddControlInput(data, a));
  CHECK_FAILS(GE_ERROR_VALUE, geNodeAddControlInput(a, output));
  CHECK_FAILS(GE_ERROR_VALUE, geNodeAddControlInput(a, far));
  CHECK_SAYS("another graph");
  CHECK_FAILS(GE_ERROR_VALUE, geNodeRemoveControlInput(b, a));
  CHECK_OK(geGraphSort(graph));
  CHECK_NODES("b a", graph);
  CHECK_OK(geNodeAddControlInput(b, a));
  CHECK_FAILS(GE_ERROR_VERIFY, geGraphSort(graph));
  CHECK_SAYS("->");
  CHECK_FAILS(GE_ERROR_VERIFY, geGraphVerify(graph));
  CHECK_SAYS("cycle");
  CHECK_OK(geNodeRemoveControlInput(b, a));
  CHECK_OK(geGraphVerify(graph));
  CHECK_OK(geNodeErase(a, false));
  CHECK_OK(geNodeNumControlInputs(output, &count));
  CHECK(count == 0);

  /* Control inputs in the spec of a new node. */
  GeNodeSpec spec = {.size = sizeof spec};
  spec.op = operatorName(context, "my.C");
  GeNodeRef *inputs[] = {b, data};
  spec.numControlInputs = 2;
  spec.controlInputs = inputs;
  GeNodeRef *made = NULL;
  CHECK_OK(geNodeCreate(graph, NULL, &spec, &made));
  CHECK_OK(geNodeNumControlInputs(made, &count));
  CHECK(count == 2);
  GeNodeRef *detached = NULL;
  CHECK_FAILS(GE_ERROR_VALUE, geNodeCreateDetached(graph, &spec, &detached));
  inputs[0] = output;
  CHECK_FAILS(GE_ERROR_VALUE, geNodeCreate(graph, NULL, &spec, &detached));
  inputs[0] = far;
  CHECK_FAILS(GE_ERROR_VALUE, geNodeCreate(graph, NULL, &spec, &detached));
  CHECK_OK(geGraphNumNodes(graph, &count));
  CHECK(count == 2);
  geNodeRelease(made);
  geNodeRelease(a);
  geNodeRelease(b);
  geNodeRelease(far);
  geNodeRelease(data);
  geNodeRelease(output);
  geValueRelease(x);
  geGraphRelease(graph);
  geGraphRelease(other);
}

static void testSubgraphs(GeContext *context) {
  GeType type = tensorType(context, "f32", 0, NULL);
  GeGraphRef *graph = newGraph(context, "g");
  GeValueRef *x = addInput(graph, "x", type);
  GeNodeRef *branch = addNode(graph, "onnx.If", "if", x, NULL, type);
  GeGraphRef *body = NULL;
  CHECK_OK(geNodeAddSubgraph(branch, S("then_branch"), S("then"), &body));
  GeStringRef text;
  CHECK_OK(geGraphGetSlotName(body, &text));
  CHECK_TEXT("then_branch", text);
  GeNodeRef *parent = NULL;
  CHECK_OK(geGraphGetParentNode(body, &parent));
  CHECK(parent == branch);
  geNodeRelease(parent);
  CHECK_OK(geGraphGetParentNode(graph, &parent));
  CHECK(parent == NULL);
  GeGraphRef *root = NULL;
  CHECK_OK(geGraphGetRoot(body, &root));
  CHECK(root == graph);
  geGraphRelease(root);

  /* A capture; node names are unique across a graph and its subgraphs. */
  GeNodeRef *inside = addNode(body, "onnx.Relu", "if", x, NULL, type);
  CHECK_OK(geNodeGetName(inside, &text, NULL));
  CHECK_TEXT("if_1", text);
  GeValueRef *out = resultOf(inside);
  CHECK_OK(geGraphSetOutputs(body, &out, 1));
  CHECK_OK(geGraphVerify(graph));
  bool yes = true;
  CHECK_FAILS(GE_ERROR_VALUE, geNodeIsBefore(inside, branch, &yes));
  GeNodeRef *after = addNode(graph, "my.Op", "after", NULL, NULL, type);
  CHECK_OK(geNodeIsBefore(inside, after, &yes));
  CHECK(yes);
  CHECK_FAILS(GE_ERROR_VALUE, geNodeInsert(branch, body, NULL)); /* into itself */
  CHECK_FAILS(GE_ERROR_VALUE, geNodeMoveBefore(branch, inside));

  /* A clone of a subgraph has its captures as inputs. */
  GeGraphRef *copy = NULL;
  CHECK_OK(geGraphClone(body, NULL, &copy));
  size_t count = 0;
  CHECK_OK(geGraphNumInputs(copy, &count));
  CHECK(count == 1);
  CHECK_FAILS(GE_ERROR_VALUE, geNodeAdoptSubgraph(branch, S("x"), body));  /* not a root graph */
  CHECK_FAILS(GE_ERROR_VALUE, geNodeAdoptSubgraph(inside, S("x"), graph)); /* its own root */

  /* Adopting a root graph: references stay valid, clashing names get `_1`, the root changes. */
  GeNodeRef *moved = NULL;
  CHECK_OK(geGraphGetNode(copy, 0, &moved));
  GeCursor *cursor = NULL;
  CHECK_OK(geCursorCreate(copy, false, &cursor));
  CHECK_OK(geNodeAdoptSubgraph(branch, S("else_branch"), copy));
  CHECK(geRefIsAlive(copy) && geRefIsAlive(moved));
  CHECK_OK(geGraphGetRoot(copy, &root));
  CHECK(root == graph);
  geGraphRelease(root);
  CHECK_OK(geNodeGetName(moved, &text, NULL));
  CHECK_TEXT("if_1_1", text);
  GeNodeRef *next = NULL;
  CHECK_OK(geCursorNext(cursor, &next));
  CHECK(next == moved);
  geNodeRelease(next);
  geCursorDestroy(cursor);
  CHECK_OK(geNodeNumSubgraphs(branch, &count));
  CHECK(count == 2);
  CHECK(geContextLiveGraphCount(context) == 1);
  CHECK_OK(geNodeSetOperands(moved, &x, 1)); /* may use values of the new root */
  CHECK_OK(geGraphFindAll(copy, operatorName(context, "onnx.Relu"), NULL, 0, &count));
  CHECK(count == 1);
  CHECK_OK(geNodeEraseSubgraph(branch, 1));
  CHECK(!geRefIsAlive(copy) && !geRefIsAlive(moved));
  CHECK_FAILS(GE_ERROR_INDEX, geNodeEraseSubgraph(branch, 1));
  geNodeRelease(moved);
  geGraphRelease(copy);

  /* The last reference into an adopted graph keeps the whole root alive. */
  GeGraphRef *late = newGraph(context, "late");
  GeNodeRef *lateNode = addNode(late, "my.Op", "lateNode", NULL, NULL, type);
  CHECK_OK(geNodeAdoptSubgraph(branch, S("third"), late));
  geGraphRelease(late);
  geNodeRelease(inside);
  geNodeRelease(after);
  geNodeRelease(branch);
  geValueRelease(out);
  geValueRelease(x);
  geGraphRelease(body);
  geGraphRelease(graph);
  CHECK(geContextLiveHandleCount(context) == 1 && geContextLiveGraphCount(context) == 1);
  CHECK_OK(geNodeSetName(lateNode, S("still")));
  geNodeRelease(lateNode);
  CHECK_NO_LEAKS(context);
}

/* Subgraphs in the spec of a new node: either all are adopted, or no node is created. */
static void testSubgraphsOfSpec(GeContext *context) {
  GeGraphRef *graph = newGraph(context, "g"), *first = newGraph(context, "first");
  GeGraphRef *inner = NULL;
  GeModule *module = NULL;
  CHECK_OK(geModuleCreate(context, S("m"), &module));
  CHECK_OK(geModuleAddGraph(module, S("owned"), &inner));
  GeGraphRef *graphs[3] = {first, NULL, inner};
  GeStringRef slots[3] = {S("a"), S("b"), S("c")};
  GeNodeSpec spec = {.size = sizeof spec};
  spec.op = operatorName(context, "my.Op");
  spec.name = S("op");
  spec.numSubgraphs = 3;
  GeNodeRef *node = NULL;
  CHECK_FAILS(GE_ERROR_TYPE, geNodeCreate(graph, NULL, &spec, &node));
  spec.subgraphs = graphs;
  spec.slots = slots;
  CHECK_FAILS(GE_ERROR_VALUE, geNodeCreate(graph, NULL, &spec, &node));
  CHECK_SAYS("is in a module");
  graphs[2] = first;
  CHECK_FAILS(GE_ERROR_VALUE, geNodeCreateDetached(graph, &spec, &node));
  CHECK_SAYS("given twice");
  graphs[2] = graph;
  CHECK_FAILS(GE_ERROR_VALUE, geNodeCreate(graph, NULL, &spec, &node));
  CHECK_SAYS("cannot become a subgraph of the new node");
  CHECK_NODES("", graph);
  GeNodeRef *parent = NULL;
  CHECK_OK(geGraphGetParentNode(first, &parent));
  CHECK(parent == NULL);

  spec.numSubgraphs = 2;
  CHECK_OK(geNodeCreate(graph, NULL, &spec, &node));
  size_t count = 0;
  CHECK_OK(geNodeNumSubgraphs(node, &count));
  CHECK(count == 2);
  CHECK_OK(geGraphGetParentNode(first, &parent));
  CHECK(parent == node);
  GeStringRef text;
  CHECK_OK(geGraphGetSlotName(first, &text));
  CHECK_TEXT("a", text);
  geNodeRelease(parent);
  geNodeRelease(node);
  graphs[0] = NULL;
  spec.slots = NULL;
  CHECK_OK(geNodeCreateDetached(graph, &spec, &node));
  CHECK_OK(geNodeNumSubgraphs(node, &count));
  CHECK(count == 2);
  geNodeRelease(node);
  geGraphRelease(inner);
  geModuleRelease(module);
  geGraphRelease(first);
  geGraphRelease(graph);
  CHECK_NO_LEAKS(context);
}

typedef struct Nodes {
  GeNodeRef *items[4];
  size_t count;
} Nodes;

static void takeNode(GeNodeRef *node, void *userData) {
  Nodes *nodes = (Nodes *)userData;
  nodes->items[nodes->count++] = node;
}

/* Copies the nodes of a graph, with bodies and their captures, before a node of another graph. */
static void testCopyNodes(GeContext *context) {
  GeGraphRef *from = NULL, *to = newGraph(context, "to");
  CHECK_OK(geGraphParse(
      context,
      S("func.func @from(%x: tensor<2xf32>, %c: tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>) {\n"
        "  %y = \"my.Abs\"(%x) {ge.name = \"abs\", k = 3 : i64} : (tensor<2xf32>) -> "
        "tensor<2xf32>\n"
        "  %z = \"my.Use\"(%c) ({\n"
        "    %w = \"my.Neg\"(%y) : (tensor<2xf32>) -> tensor<2xf32>\n"
        "    \"ge.yield\"(%w) : (tensor<2xf32>) -> ()\n"
        "  }) {ge.name = \"use\"} : (tensor<i1>) -> tensor<2xf32>\n"
        "  return %z, %x : tensor<2xf32>, tensor<2xf32>\n"
        "}\n"),
      S("from"), &from));
  GeType type = tensorType(context, "f32", 1, (int64_t[]){2});
  GeValueRef *x = addInput(to, "x", type);
  GeNodeRef *at = addNode(to, "my.At", "at", x, NULL, type);
  GeValueRef *inputs[2] = {x, NULL}, *outputs[2] = {NULL, NULL};
  Nodes nodes = {{NULL}, 0};
  CHECK_FAILS(GE_ERROR_INDEX,
              geGraphCopyNodes(from, at, inputs, 1, S("at/"), takeNode, &nodes, outputs));
  CHECK_FAILS(GE_ERROR_VALUE,
              geGraphCopyNodes(to, at, inputs, 1, S("at/"), takeNode, &nodes, outputs));
  CHECK_FAILS(GE_ERROR_TYPE,
              geGraphCopyNodes(from, at, inputs, 2, S("at/"), takeNode, &nodes, NULL));
  CHECK(nodes.count == 0);
  CHECK_OK(geGraphCopyNodes(from, at, inputs, 2, S("at/"), takeNode, &nodes, outputs));
  CHECK(nodes.count == 2 && outputs[1] == x);
  CHECK_NODES("at/abs at/use at", to);
  GeValueRef *value = resultOf(nodes.items[1]);
  CHECK(value == outputs[0]);
  geValueRelease(value);
  CHECK_OK(geNodeGetOperand(nodes.items[1], 0, &value)); /* for the absent input */
  CHECK(value == NULL);
  /* The copied body captures the copy of the value. */
  GeGraphRef *body = NULL;
  GeNodeRef *inside = NULL;
  CHECK_OK(geNodeGetSubgraph(nodes.items[1], 0, &body));
  CHECK_OK(geGraphGetNode(body, 0, &inside));
  CHECK_OK(geNodeGetOperand(inside, 0, &value));
  GeValueRef *captured = resultOf(nodes.items[0]);
  CHECK(value == captured);
  CHECK_OK(geGraphVerify(to));
  geValueRelease(captured);
  geValueRelease(value);
  geNodeRelease(inside);
  geGraphRelease(body);
  geValueRelease(outputs[0]);
  geValueRelease(outputs[1]);
  geNodeRelease(nodes.items[0]);
  geNodeRelease(nodes.items[1]);
  geNodeRelease(at);
  geValueRelease(x);
  geGraphRelease(from);
  geGraphRelease(to);
  CHECK_NO_LEAKS(context);
}

static void testDepth(GeContext *context) {
  GeGraphRef *root = newGraph(context, "deep");
  GeGraphRef *graph = root;
  geGraphRetain(graph);
  GeStatus status = GE_OK;
  int depth = 1;
  while (status == GE_OK) {
    GeNodeRef *node = addNode(graph, "my.Op", "", NULL, NULL, NULL);
    GeGraphRef *inner = NULL;
    status = geNodeAddSubgraph(node, S(""), S(""), &inner);
    geNodeRelease(node);
    if (status == GE_OK) {
      ++depth;
      geGraphRelease(graph);
      graph = inner;
    }
  }
  CHECK(status == GE_ERROR_VALUE && depth == 256);
  CHECK_OK(geGraphVerify(root));
  GeGraphRef *copy = NULL;
  CHECK_OK(geGraphClone(root, NULL, &copy));
  bool equal = false;
  CHECK_OK(geGraphIsStructurallyEqual(root, copy, &equal));
  CHECK(equal);
  uint64_t first = 0, second = 1;
  CHECK_OK(geGraphStructuralHash(root, &first));
  CHECK_OK(geGraphStructuralHash(copy, &second));
  CHECK(first == second);
  geGraphRelease(copy);
  geGraphRelease(root);
  geGraphRelease(graph);
}

/* A graph whose root is adopted again: its references, alive and dead, follow to the new root. */
static void testMovedTwice(GeContext *context) {
  GeType type = tensorType(context, "f32", 0, NULL);
  GeGraphRef *a = newGraph(context, "a"), *b = newGraph(context, "b"), *c = newGraph(context, "c");
  GeNodeRef *inA = addNode(a, "my.Op", "inA", NULL, NULL, type);
  GeNodeRef *dead = addNode(a, "my.Op", "dead", NULL, NULL, type);
  CHECK_OK(geNodeErase(dead, false));
  GeNodeRef *inB = addNode(b, "my.Op", "inB", NULL, NULL, type);
  GeNodeRef *inC = addNode(c, "my.Op", "inC", NULL, NULL, type);
  CHECK_OK(geNodeAdoptSubgraph(inB, S("body"), a));
  CHECK_OK(geNodeAdoptSubgraph(inC, S("body"), b));
  GeGraphRef *root = NULL;
  CHECK_OK(geNodeGetRoot(inA, &root));
  CHECK(root == c);
  geGraphRelease(root);
  CHECK_OK(geGraphGetRoot(a, &root));
  CHECK(root == c);
  geGraphRelease(root);
  size_t count = 0;
  CHECK_OK(geGraphFindAll(a, operatorName(context, "my.Op"), NULL, 0, &count));
  CHECK(count == 1);
  GeStringRef reason;
  CHECK_OK(geRefReason(dead, &reason));
  CHECK_TEXT("node 'dead' (my.Op) was erased", reason);
  geGraphRelease(a);
  geGraphRelease(b);
  geGraphRelease(c);
  geNodeRelease(inC);
  geNodeRelease(inB);
  CHECK_OK(geNodeSetName(inA, S("kept")));
  geNodeRelease(inA);
  CHECK(geContextLiveGraphCount(context) == 1);
  CHECK_OK(geRefDescribe(dead, &reason));
  geNodeRelease(dead);
  CHECK_NO_LEAKS(context);
}

/* Long chains of nodes with subgraphs, and a node that uses the result of the node around it: no
 * walk recurses along uses. */
static void testLong(GeContext *context) {
  GeType type = tensorType(context, "f32", 0, NULL);
  GeGraphRef *graph = newGraph(context, "long"), *copy = NULL;
  GeValueRef *last = addInput(graph, "x", type);
  for (int i = 0; i < 20000; ++i) {
    GeNodeRef *node = addNode(graph, "onnx.If", "", last, NULL, type);
    GeGraphRef *body = NULL;
    CHECK_OK(geNodeAddSubgraph(node, S("then_branch"), S(""), &body));
    GeNodeRef *inside = addNode(body, "onnx.Relu", "", last, NULL, type);
    GeValueRef *out = resultOf(inside);
    CHECK_OK(geGraphSetOutputs(body, &out, 1));
    geValueRelease(out);
    geNodeRelease(inside);
    geGraphRelease(body);
    geValueRelease(last);
    last = resultOf(node);
    geNodeRelease(node);
  }
  CHECK_OK(geGraphSetOutputs(graph, &last, 1));
  geValueRelease(last);
  CHECK_OK(geGraphVerify(graph));
  CHECK_OK(geGraphSort(graph));
  CHECK_OK(geGraphClone(graph, NULL, &copy));
  bool equal = false;
  CHECK_OK(geGraphIsStructurallyEqual(graph, copy, &equal));
  CHECK(equal);
  uint64_t a = 0, b = 1;
  CHECK_OK(geGraphStructuralHash(graph, &a));
  CHECK_OK(geGraphStructuralHash(copy, &b));
  CHECK(a == b);
  geGraphRelease(copy);
  geGraphRelease(graph);

  graph = newGraph(context, "around");
  GeNodeRef *owner = addNode(graph, "onnx.If", "if", NULL, NULL, type);
  GeValueRef *own = resultOf(owner);
  GeGraphRef *body = NULL;
  CHECK_OK(geNodeAddSubgraph(owner, S("then_branch"), S(""), &body));
  geNodeRelease(addNode(body, "onnx.Relu", "inside", own, NULL, type));
  CHECK_OK(geGraphStructuralHash(graph, &a));
  CHECK_OK(geNodeStructuralHash(owner, &a));
  CHECK_OK(geGraphClone(graph, NULL, &copy));
  CHECK_OK(geGraphIsStructurallyEqual(graph, copy, &equal));
  CHECK(equal);
  CHECK_FAILS(GE_ERROR_VERIFY, geGraphVerify(graph));
  Text text = printedGraph(graph);
  freeText(&text);
  geGraphRelease(copy);
  geGraphRelease(body);
  geValueRelease(own);
  geNodeRelease(owner);
  geGraphRelease(graph);
}

static void testOrigins(GeContext *context) {
  GeType type = tensorType(context, "f32", 0, NULL);
  GeGraphRef *graph = newGraph(context, "g");
  GeNodeRef *old = addNode(graph, "onnx.Relu", "relu", NULL, NULL, type);
  GeNodeRef *fresh = addNode(graph, "onnx.Clip", "", NULL, NULL, type);
  GeValueRef *value = resultOf(fresh);
  GeIdentifier pass = identifier(context, "clip");
  CHECK_OK(geEditScopePush(pass, NULL));
  CHECK_OK(geNodeReplace(old, &value, 1));
  geEditScopePop();
  geEditScopePop(); /* without an open scope it does nothing */
  GeStringRef name;
  CHECK_OK(geNodeGetName(fresh, &name, NULL));
  CHECK_TEXT("relu", name);
  size_t count = 0;
  CHECK_OK(geNodeNumOrigins(fresh, &count));
  CHECK(count == 1);
  GeOrigin origin = {.size = sizeof origin};
  CHECK_OK(geNodeGetOrigin(fresh, 0, &origin));
  CHECK_TEXT("relu", origin.node);
  CHECK(origin.op == operatorName(context, "onnx.Relu") && origin.pass == pass);
  GeOrigin added = {sizeof added, S("far"), NULL, NULL, identifier(context, "rule"), NULL};
  CHECK_OK(geNodeAddOrigin(fresh, &added));
  CHECK_OK(geNodeGetOrigin(fresh, 1, &origin));
  CHECK(origin.rule == added.rule);
  CHECK_FAILS(GE_ERROR_INDEX, geNodeGetOrigin(fresh, 2, &origin));
  geValueRelease(value);
  geNodeRelease(old);
  geNodeRelease(fresh);
  geGraphRelease(graph);
}

int main(void) {
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  testControl(context);
  testSubgraphs(context);
  testSubgraphsOfSpec(context);
  testCopyNodes(context);
  testDepth(context);
  testMovedTwice(context);
  testLong(context);
  testOrigins(context);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
