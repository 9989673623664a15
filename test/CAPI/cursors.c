/* Iteration while editing: erasing or moving any node is safe; a node inserted before the cursor is
 * not visited, one inserted after it is; a cursor becomes stale when its graph is erased. */
#include "check.h"

static const char *const kNames[] = {"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"};
enum { kCount = 8 };

static GeNodeRef *nextOf(GeCursor *cursor, const char *expected) {
  GeNodeRef *node = NULL;
  CHECK_OK(geCursorNext(cursor, &node));
  if (!expected) {
    CHECK(node == NULL);
    return NULL;
  }
  CHECK(node != NULL);
  GeStringRef name;
  CHECK_OK(geNodeGetName(node, &name, NULL));
  CHECK_TEXT(expected, name);
  return node;
}

static GeGraphRef *fill(GeContext *context, GeNodeRef **nodes) {
  GeGraphRef *graph = newGraph(context, "g");
  for (int i = 0; i < kCount; ++i)
    nodes[i] = addNode(graph, "my.Op", kNames[i], NULL, NULL, NULL);
  return graph;
}

static void testForward(GeContext *context) {
  GeNodeRef *nodes[kCount];
  GeGraphRef *graph = fill(context, nodes);
  GeCursor *cursor = NULL;
  CHECK_OK(geCursorCreate(graph, false, &cursor));
  geNodeRelease(nextOf(cursor, "n0"));
  geNodeRelease(nextOf(cursor, "n1"));
  CHECK_OK(geNodeErase(nodes[1], false)); /* the current node */
  CHECK_OK(geNodeErase(nodes[2], false)); /* the next node */
  CHECK_OK(geNodeErase(nodes[0], false)); /* a visited node */
  geNodeRelease(nextOf(cursor, "n3"));
  GeNodeSpec spec = {.size = sizeof spec};
  spec.op = operatorName(context, "my.Op");
  spec.name = S("ahead");
  GeNodeRef *ahead = NULL, *behind = NULL;
  CHECK_OK(geNodeCreate(graph, nodes[4], &spec, &ahead));
  spec.name = S("behind");
  CHECK_OK(geNodeCreate(graph, nodes[3], &spec, &behind));
  geNodeRelease(nextOf(cursor, "ahead"));
  CHECK_OK(geNodeMoveAfter(ahead, nodes[7])); /* moved after the cursor: visited again */
  geNodeRelease(nextOf(cursor, "n4"));
  CHECK_OK(geNodeMoveBefore(nodes[5], behind)); /* moved before the cursor: not visited */
  CHECK_OK(geNodeDetach(nodes[6]));
  geNodeRelease(nextOf(cursor, "n7"));
  geNodeRelease(nextOf(cursor, "ahead"));
  nextOf(cursor, NULL);
  GeNodeRef *late = addNode(graph, "my.Op", "late", NULL, NULL, NULL);
  nextOf(cursor, NULL); /* a cursor at its end stays there */
  geNodeRelease(late);
  geCursorDestroy(cursor);
  geNodeRelease(ahead);
  geNodeRelease(behind);
  for (int i = 0; i < kCount; ++i)
    geNodeRelease(nodes[i]);
  geGraphRelease(graph);
}

static void testReverse(GeContext *context) {
  GeNodeRef *nodes[kCount];
  GeGraphRef *graph = fill(context, nodes);
  GeCursor *cursor = NULL;
  CHECK_OK(geCursorCreate(graph, true, &cursor));
  int visited = 0;
  while (true) { /* erases each node when it is visited */
    GeNodeRef *node = NULL;
    CHECK_OK(geCursorNext(cursor, &node));
    if (!node)
      break;
    CHECK(node == nodes[kCount - 1 - visited]);
    CHECK_OK(geNodeErase(node, false));
    geNodeRelease(node);
    ++visited;
  }
  CHECK(visited == kCount);
  geCursorDestroy(cursor);
  for (int i = 0; i < kCount; ++i)
    geNodeRelease(nodes[i]);
  geGraphRelease(graph);
}

static void testDeath(GeContext *context) {
  GeGraphRef *graph = newGraph(context, "g");
  GeNodeRef *owner = addNode(graph, "onnx.If", "if", NULL, NULL, NULL);
  GeGraphRef *inner = NULL;
  CHECK_OK(geNodeAddSubgraph(owner, S("then_branch"), S("inner"), &inner));
  GeNodeRef *inside = addNode(inner, "my.Op", "inside", NULL, NULL, NULL);
  GeCursor *cursor = NULL, *second = NULL, *third = NULL;
  CHECK_OK(geCursorCreate(inner, false, &cursor));
  CHECK_OK(geCursorCreate(inner, true, &second));
  CHECK_OK(geCursorCreate(inner, true, &third));
  geCursorDestroy(second);
  geNodeRelease(nextOf(cursor, "inside"));
  CHECK_OK(geNodeErase(owner, true));
  GeNodeRef *node = inside;
  CHECK_FAILS(GE_ERROR_STALE, geCursorNext(cursor, &node));
  CHECK_SAYS("graph 'inner' was erased");
  CHECK(node == inside);
  geNodeRelease(inside);
  geGraphRelease(inner);
  geNodeRelease(owner);
  geGraphRelease(graph);
  geCursorDestroy(cursor); /* the last owner of the graph */
  geCursorDestroy(third);
  geCursorDestroy(NULL);

  /* A cursor keeps its graph alive. */
  graph = newGraph(context, "kept");
  geNodeRelease(addNode(graph, "my.Op", "only", NULL, NULL, NULL));
  CHECK_OK(geCursorCreate(graph, false, &cursor));
  geGraphRelease(graph);
  geNodeRelease(nextOf(cursor, "only"));
  nextOf(cursor, NULL);
  geCursorDestroy(cursor);
}

static void testRollback(GeContext *context) {
  GeNodeRef *nodes[kCount];
  GeGraphRef *graph = fill(context, nodes);
  GeTransaction *t = NULL;
  GeCursor *cursor = NULL;
  CHECK_OK(geCursorCreate(graph, false, &cursor));
  geNodeRelease(nextOf(cursor, "n0"));
  CHECK_OK(geTransactionBegin(graph, &t));
  CHECK_OK(geNodeErase(nodes[1], false));
  GeNodeRef *made = addNode(graph, "my.Op", "made", NULL, NULL, NULL);
  CHECK_OK(geNodeMoveBefore(made, nodes[2]));
  geNodeRelease(nextOf(cursor, "made"));
  CHECK_OK(geTransactionDestroy(t));
  CHECK(!geRefIsAlive(made) && geRefIsAlive(nodes[1]));
  /* The cursor is at the former position of the node that the rollback removed. */
  for (int i = 1; i < kCount; ++i) {
    GeNodeRef *node = NULL;
    CHECK_OK(geCursorNext(cursor, &node));
    if (i == 1 && node == nodes[2])
      i = 2;
    CHECK(node == nodes[i]);
    geNodeRelease(node);
  }
  nextOf(cursor, NULL);
  geCursorDestroy(cursor);
  geNodeRelease(made);
  for (int i = 0; i < kCount; ++i)
    geNodeRelease(nodes[i]);
  geGraphRelease(graph);
}

int main(void) {
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  testForward(context);
  testReverse(context);
  testDeath(context);
  testRollback(context);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
