/* Eight threads on shared root graphs: calls succeed, or fail because the graph is busy or the
 * object was erased; references and cursors are released on other threads; threads with separate
 * graphs do not block each other. */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>

enum { kThreads = 8, kSlots = 64 };
static int rounds = 3000;

static GeContext *context;
static GeGraphRef *shared[2];
static GeModule *module;
static atomic_int busy, stale, done;

/* Nodes and cursors that one thread stores and another takes or releases. */
static pthread_mutex_t slotLock = PTHREAD_MUTEX_INITIALIZER;
static GeNodeRef *nodes[kSlots];
static GeCursor *cursors[kSlots];

static unsigned next(unsigned *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

/* Checks the status of a call on objects that other threads use at the same time. */
static bool went(GeStatus status) {
  switch (status) {
  case GE_OK:
    atomic_fetch_add(&done, 1);
    return true;
  case GE_ERROR_BUSY:
    CHECK(contains(geErrorMessage(), "graph '") || contains(geErrorMessage(), "module '"));
    atomic_fetch_add(&busy, 1);
    return false;
  case GE_ERROR_STALE:
    CHECK(geErrorMessage().length > 0);
    atomic_fetch_add(&stale, 1);
    return false;
  case GE_ERROR_VALUE: /* another thread added a use; the object is in another graph */
  case GE_ERROR_INDEX: /* another thread erased it meanwhile */
  case GE_ERROR_VERIFY:
    return false;
  default:
    FAIL("status %d: %.*s", (int)status, (int)geErrorMessage().length, geErrorMessage().data);
  }
}

static void leave(GeNodeRef *node, unsigned *state) {
  unsigned slot = next(state) % kSlots;
  pthread_mutex_lock(&slotLock);
  GeNodeRef *old = nodes[slot];
  nodes[slot] = node;
  pthread_mutex_unlock(&slotLock);
  geNodeRelease(old);
}

static GeNodeRef *borrowed(unsigned *state) {
  unsigned slot = next(state) % kSlots;
  pthread_mutex_lock(&slotLock);
  GeNodeRef *node = nodes[slot];
  geNodeRetain(node);
  pthread_mutex_unlock(&slotLock);
  return node;
}

static void countPiece(GeStringRef piece, void *userData) { *(size_t *)userData += piece.length; }

static void readSome(GeGraphRef *graph, unsigned *state) {
  GeCursor *cursor = NULL;
  if (!went(geCursorCreate(graph, next(state) & 1, &cursor)))
    return;
  GeNodeRef *node = NULL;
  int steps = 1 + (int)(next(state) % 8);
  while (steps-- && went(geCursorNext(cursor, &node)) && node) {
    GeOperatorName op;
    GeStringRef name;
    GeAttribute attribute = {0};
    GeValueRef *value = NULL;
    size_t count = 0;
    uint64_t hash = 0;
    went(geNodeGetOperatorName(node, &op));
    went(geNodeGetName(node, &name, NULL));
    went(geRefDescribe(node, &name));
    if (went(geNodeGetAttribute(node, identifier(context, "k"), &attribute)))
      geAttributeRelease(attribute);
    if (went(geNodeGetResult(node, 0, &value))) {
      GeUse uses[4];
      if (went(geValueGetUses(value, uses, 4, &count)))
        for (size_t i = 0; i < count && i < 4; ++i)
          geNodeRelease(uses[i].node);
      geValueRelease(value);
    }
    if (went(geNodeGetOperand(node, 0, &value)))
      geValueRelease(value);
    went(geNodeStructuralHash(node, &hash));
    leave(node, state);
    node = NULL;
  }
  /* The cursor is destroyed by the thread that replaces it. */
  unsigned slot = next(state) % kSlots;
  pthread_mutex_lock(&slotLock);
  GeCursor *old = cursors[slot];
  cursors[slot] = cursor;
  pthread_mutex_unlock(&slotLock);
  geCursorDestroy(old);
}

static void readWhole(GeGraphRef *graph, unsigned *state) {
  size_t length = 0, count = 0;
  GeGraphRef *copy = NULL;
  switch (next(state) % 6) {
  case 0:
    went(geGraphPrint(graph, NULL, countPiece, &length));
    return;
  case 1:
    went(geGraphVerify(graph));
    return;
  case 2:
    if (went(geGraphClone(graph, NULL, &copy)))
      geGraphRelease(copy);
    return;
  case 3:
    if (!went(geGraphAcquireRead(graph)))
      return;
    CHECK_OK(geGraphNumNodes(graph, &count)); /* cannot be busy: this thread has access */
    CHECK_OK(geGraphFindAll(graph, operatorName(context, "my.Op"), NULL, 0, &count));
    CHECK_OK(geGraphReleaseRead(graph));
    return;
  case 4:
    CHECK(geContextLiveHandleCount(context) > 0);
    CHECK(geContextLiveGraphCount(context) > 0);
    return;
  default:
    if (went(geModuleAcquireRead(module))) {
      CHECK(geModuleNumGraphs(module) > 0);
      CHECK_OK(geModuleReleaseRead(module));
    }
  }
}

static void writeSome(GeGraphRef *graph, unsigned *state) {
  GeNodeRef *node = borrowed(state), *other = borrowed(state), *made = NULL;
  GeValueRef *value = NULL, *second = NULL;
  GeAttribute attribute = {0};
  GeType type = geTypeUnknown(context);
  switch (next(state) % 10) {
  case 0:
  case 1:
  case 2: {
    GeNodeSpec spec = {.size = sizeof spec};
    spec.op = operatorName(context, "my.Op");
    if (node && went(geNodeGetResult(node, 0, &value))) {
      spec.numOperands = 1;
      spec.operands = &value;
    }
    spec.numResults = 1;
    spec.resultTypes = &type;
    spec.name = S("n");
    if (went(geNodeCreate(graph, NULL, &spec, &made)))
      leave(made, state);
    break;
  }
  case 3:
  case 4:
    if (node)
      went(geNodeErase(node, true));
    break;
  case 5:
    CHECK_OK(geAttributeInt(context, (int64_t)next(state), 8, &attribute));
    if (node)
      went(geNodeSetAttribute(node, identifier(context, "k"), attribute));
    break;
  case 6:
    if (node)
      went(geNodeSetName(node, S("renamed")));
    if (node && other)
      went(geNodeMoveBefore(node, other));
    break;
  case 7:
    if (node && other && went(geNodeGetResult(node, 0, &value)) &&
        went(geNodeGetResult(other, 0, &second)))
      went(geValueReplaceAllUses(value, second, NULL, 0));
    break;
  case 8: /* exclusive access with a transaction inside */
    if (went(geGraphAcquireWrite(graph, S("the thread test")))) {
      GeTransaction *transaction = NULL;
      CHECK_OK(geTransactionBegin(graph, &transaction));
      made = addNode(graph, "my.Op", "undone", NULL, NULL, type);
      if (node)
        went(geNodeErase(node, true));
      CHECK_OK(geTransactionDestroy(transaction));
      CHECK(!geRefIsAlive(made));
      CHECK_OK(geGraphReleaseWrite(graph));
      leave(made, state);
    }
    break;
  default: { /* a shared graph adopts a thread's own graph */
    GeGraphRef *own = newGraph(context, "own");
    made = addNode(own, "my.Op", "n", NULL, NULL, type);
    leave(made, state);
    if (node)
      went(geNodeAdoptSubgraph(node, S("body"), own));
    geGraphRelease(own);
  }
  }
  geValueRelease(value);
  geValueRelease(second);
  geNodeRelease(node);
  geNodeRelease(other);
}

static void *mixed(void *argument) {
  unsigned state = 0x9e3779b9u * (unsigned)(size_t)argument + 1;
  for (int i = 0; i < rounds; ++i) {
    GeGraphRef *graph = shared[next(&state) & 1];
    unsigned choice = next(&state) % 16;
    if (choice < 8)
      readSome(graph, &state);
    else if (choice < 9)
      readWhole(graph, &state);
    else
      writeSome(graph, &state);
  }
  /* Access that a thread does not release ends with the thread. */
  if ((size_t)argument == 1)
    went(geGraphAcquireRead(shared[0]));
  return NULL;
}

/* Each thread has its own graph in one context: no call may fail. */
static void *alone(void *argument) {
  char name[32];
  GeType type = tensorType(context, "f32", 0, NULL);
  for (int i = 0; i < rounds / 30; ++i) {
    snprintf(name, sizeof name, "own%zu", (size_t)argument);
    GeGraphRef *graph = newGraph(context, name);
    GeValueRef *last = addInput(graph, "x", type);
    for (int k = 0; k < 20; ++k) {
      snprintf(name, sizeof name, "my.Op%d", (i + k) % 50);
      GeNodeRef *node = addNode(graph, name, "n", last, NULL, type);
      GeAttribute attribute = {0};
      snprintf(name, sizeof name, "text %d", i * 7 + k);
      CHECK_OK(geAttributeString(context, S(name), &attribute));
      CHECK_OK(geNodeSetAttribute(node, identifier(context, name), attribute));
      geValueRelease(last);
      last = resultOf(node);
      geNodeRelease(node);
    }
    CHECK_OK(geGraphSetOutputs(graph, &last, 1));
    CHECK_OK(geGraphVerify(graph));
    geValueRelease(last);
    geGraphRelease(graph);
  }
  return NULL;
}

static void run(void *(*body)(void *)) {
  pthread_t threads[kThreads];
  for (size_t i = 0; i < kThreads; ++i)
    CHECK(pthread_create(&threads[i], NULL, body, (void *)i) == 0);
  for (size_t i = 0; i < kThreads; ++i)
    CHECK(pthread_join(threads[i], NULL) == 0);
}

/* Runs after the destructors of the main thread's thread-local state. */
static void editAtExit(void) {
  GeContext *late;
  GeGraphRef *graph;
  GeIdentifier none = {NULL};
  GeLocation nowhere = {NULL};
  CHECK_OK(geContextCreate(&late));
  CHECK_OK(geGraphCreate(late, S("late"), &graph));
  for (int i = 0; i < 8; ++i)
    CHECK_OK(geGraphAcquireWrite(graph, S("late")));
  CHECK_OK(geEditScopePush(none, nowhere));
  CHECK_OK(geGraphSetName(graph, S("later")));
  geEditScopePop();
  for (int i = 0; i < 8; ++i)
    CHECK_OK(geGraphReleaseWrite(graph));
  geGraphRelease(graph);
  geContextRelease(late);
}

int main(int count, char **arguments) {
  if (count > 1)
    rounds = (int)strtol(arguments[1], NULL, 10);
  CHECK_OK(geContextCreate(&context));
  CHECK_OK(geModuleCreate(context, S("shared"), &module));
  CHECK_OK(geModuleAddGraph(module, S("first"), &shared[0]));
  CHECK_OK(geModuleAddGraph(module, S("second"), &shared[1]));
  run(mixed);
  run(alone);
  printf("%d done, %d busy, %d stale\n", done, busy, stale);
  CHECK(done > rounds && stale > 0);
  for (int i = 0; i < kSlots; ++i) {
    geNodeRelease(nodes[i]);
    geCursorDestroy(cursors[i]);
  }
  /* All access was released: both graphs can be written. */
  for (int i = 0; i < 2; ++i) {
    CHECK_OK(geGraphSetName(shared[i], S(i ? "b" : "a")));
    geGraphRelease(shared[i]);
  }
  CHECK_OK(geModuleAcquireRead(module));
  CHECK_OK(geModuleReleaseRead(module));
  geModuleRelease(module);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return atexit(editAtExit);
}
