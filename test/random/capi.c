/*===- capi.c - every operation of the C API in random order -------------------------------===*\
|*
|* Keeps live and dead references in pools and calls all functions with them. At the end it checks
|* that each kind of operation ran and succeeded, and that at least a fifth of the references
|* passed were stale; each call with a stale reference must return GE_ERROR_STALE with the reason.
|* Some operations compare graphs with their state before a rolled back transaction, with clones
|* and with graphs parsed from their text, and check that all links are consistent.
|*
|*   random-capi [--ops=N] [--seed=S]
|*
\*===---------------------------------------------------------------------------------------===*/
#include "../CAPI/check.h"

#include <inttypes.h>
#include <time.h>

#include "capi_world.h"

#include "capi_edits.h"

#include "capi_reads.h"

/* --- Cursors */

static void opCursorCreate(void) {
  WITH_GRAPH(graph);
  size_t at = below(kCursors);
  GeCursor *cursor = NULL;
  if (!went(geCursorCreate(graph, oneIn(2), &cursor)))
    return;
  geCursorDestroy(cursors[at]);
  cursors[at] = cursor;
}
static void opCursorNext(void) {
  GeCursor *cursor = cursors[below(kCursors)];
  GeNodeRef *node = NULL;
  if (!cursor)
    return;
  GeStatus status = geCursorNext(cursor, &node);
  ++tally->run;
  if (status == GE_ERROR_STALE) {
    DEMAND(geErrorMessage().length > 0);
    return;
  }
  MUST(status);
  ++tally->succeeded;
  keep(&nodes, node);
}

/* --- Access, scopes, counts */

static void opHold(void) {
  GeGraphRef *root = randomRoot();
  if (!root)
    return;
  ++tally->run;
  MUST(geGraphAcquireRead(root));
  GeStringRef name;
  MUST(geGraphGetName(root, &name));
  DEMAND(geGraphSetName(root, S("busy")) == GE_ERROR_BUSY);
  MUST(geGraphReleaseRead(root));
  DEMAND(geGraphReleaseRead(root) == GE_ERROR_VALUE);
  MUST(geGraphAcquireWrite(root, S("the driver")));
  MUST(geGraphAcquireRead(root));
  if (oneIn(2)) {
    MUST(geGraphReleaseWrite(root));
    MUST(geGraphReleaseRead(root));
  } else {
    MUST(geGraphReleaseRead(root));
    MUST(geGraphReleaseWrite(root));
  }
  ++tally->succeeded;
}
static size_t scopes;
static void opScope(void) {
  ++tally->run;
  ++tally->succeeded;
  if (scopes < 3 && oneIn(2)) {
    MUST(geEditScopePush(oneIn(4) ? NULL : keys[below(4)], oneIn(2) ? randomLocation() : NULL));
    ++scopes;
  } else if (scopes) {
    geEditScopePop();
    --scopes;
  }
}
static void popScopes(void) {
  for (; scopes; --scopes)
    geEditScopePop();
}
static void opRetain(void) {
  WITH_NODE(node);
  ++tally->run;
  ++tally->succeeded;
  geNodeRetain(node);
  keep(&nodes, node);
  numUses = 0;
}

#include "capi_graphs.h"

/* --- Modules */

static void opModuleAdd(void) {
  GeGraphRef *graph = NULL;
  if (geModuleNumGraphs(module) < 5 && went(geModuleAddGraph(module, randomName(), &graph)))
    keep(&graphs, graph);
}
static void opModuleAdopt(void) {
  WITH_GRAPH(graph);
  went(geModuleAdoptGraph(module, graph));
}
static void opModuleDetach(void) {
  WITH_GRAPH(graph);
  went(geModuleDetachGraph(module, graph));
}
static void opModuleErase(void) {
  WITH_GRAPH(graph);
  if (oneIn(3))
    went(geModuleEraseGraph(module, graph));
  numUses = 0;
}
static void opModuleFind(void) {
  GeGraphRef *graph = NULL;
  if (went(geModuleFindGraph(module, randomName(), &graph)))
    keep(&graphs, graph);
  if (geModuleNumGraphs(module)) {
    MUST(geModuleGetGraph(module, below(geModuleNumGraphs(module)), &graph));
    keep(&graphs, graph);
  }
}
static void opModuleAttribute(void) {
  GeAttribute attribute = randomAttribute();
  if (oneIn(3)) {
    geAttributeRelease(attribute);
    attribute.bits = 0;
  }
  went(geModuleSetAttribute(module, keys[below(4)], attribute));
  geAttributeRelease(attribute);
}
static void opModuleWhole(void) {
  if (!oneIn(6))
    return;
  ++tally->run;
  GeModule *copy = NULL;
  bool equal = false;
  MUST(geModuleClone(module, &copy));
  MUST(geModuleIsStructurallyEqual(module, copy, &equal));
  if (geModuleVerify(module) == GE_OK) {
    Text first = {NULL, 0}, second = {NULL, 0};
    MUST(geModulePrint(module, NULL, appendText, &first));
    MUST(geModulePrint(copy, NULL, appendText, &second));
    if (!equal || strcmp(first.data, second.data) != 0)
      FAIL("step %" PRId64 " of --seed=%" PRIu64 ": module\n%s\nits clone, %s\n%s", step, seed,
           first.data, equal ? "equal" : "different", second.data);
    freeText(&first);
    freeText(&second);
    ++tally->succeeded;
  }
  geModuleRelease(copy);
}

/* --- The table */

typedef struct Operation {
  const char *name;
  void (*run)(void);
  unsigned weight;
  Tally tally;
} Operation;

#define OP(name, weight) {#name, op##name, weight, {0, 0, 0}}
static Operation operations[] = {
    OP(NewGraph, 2),
    OP(Create, 90),
    OP(CreateDetached, 6),
    OP(AddInput, 8),
    OP(Clone, 6),
    OP(Insert, 10),
    OP(MoveBefore, 10),
    OP(MoveAfter, 10),
    OP(Detach, 6),
    OP(Erase, 16),
    OP(EraseForce, 24),
    OP(Replace, 10),
    OP(SetName, 12),
    OP(SetLocation, 6),
    OP(SetOperand, 12),
    OP(SetOperands, 8),
    OP(InsertOperand, 8),
    OP(EraseOperand, 8),
    OP(SetAttribute, 14),
    OP(RemoveAttribute, 6),
    OP(SetTensor, 6),
    OP(AddControl, 12),
    OP(RemoveControl, 8),
    OP(AddOrigin, 4),
    OP(AddSubgraph, 8),
    OP(EraseSubgraph, 6),
    OP(Adopt, 6),
    OP(EraseInput, 4),
    OP(MoveInput, 4),
    OP(SetOutputs, 10),
    OP(SetOutputName, 5),
    OP(SetOutputNames, 5),
    OP(SetGraphName, 5),
    OP(SetGraphAttribute, 5),
    OP(Sort, 6),
    OP(EraseDead, 3),
    OP(Expire, 4),
    OP(SetType, 8),
    OP(SetValueName, 10),
    OP(ReplaceUses, 10),
    OP(ReplaceUsesExcept, 6),
    OP(ReadNode, 50),
    OP(PrintNode, 6),
    OP(CompareNodes, 6),
    OP(ReadValue, 24),
    OP(ReadGraph, 24),
    OP(FindNode, 8),
    OP(FindAll, 6),
    OP(Describe, 8),
    OP(CursorCreate, 6),
    OP(CursorNext, 20),
    OP(Hold, 4),
    OP(Scope, 5),
    OP(Retain, 5),
    OP(Begin, 5),
    OP(Commit, 3),
    OP(Rollback, 4),
    OP(CheckLinks, 5),
    OP(Verify, 4),
    OP(CloneGraph, 2),
    OP(RoundTrip, 5),
    OP(ModuleAdd, 2),
    OP(ModuleAdopt, 4),
    OP(ModuleDetach, 3),
    OP(ModuleErase, 4),
    OP(ModuleFind, 4),
    OP(ModuleAttribute, 3),
    OP(ModuleWhole, 4),
};
enum { kOperations = sizeof operations / sizeof *operations };

static void setUp(void) {
  MUST(geContextCreate(&context));
  geContextSetSerialized(context, oneIn(2));
  MUST(geModuleCreate(context, S("module"), &module));
  int64_t sizes[] = {2, 3};
  types[0] = tensorType(context, "f32", 2, sizes);
  types[1] = tensorType(context, "i64", 0, NULL);
  types[2] = geTypeUnknown(context);
  types[3] = geTypeNone(context);
  static const char *const kOps[] = {"onnx.Add", "onnx.Relu", "my.domain.Op",
                                     "onnx.If",  "ge.Const",  "onnx.Conv"};
  for (size_t i = 0; i < 6; ++i)
    ops[i] = operatorName(context, kOps[i]);
  static const char *const kKeys[] = {"alpha", "value", "with.dot", "k"};
  for (size_t i = 0; i < 4; ++i)
    keys[i] = identifier(context, kKeys[i]);
  for (size_t i = 0; i < kRoots; ++i) {
    MUST(geGraphCreate(context, S("g"), &roots[i]));
    geGraphRetain(roots[i]);
    keep(&graphs, roots[i]);
  }
}

static void empty(Pool *pool) {
  /* References may be released in any order. */
  while (pool->count) {
    size_t at = below(pool->count);
    releaseRef(pool->refs[at]);
    pool->refs[at] = pool->refs[--pool->count];
  }
}

static void tearDown(void) {
  popScopes();
  bool modulesFirst = oneIn(2);
  if (modulesFirst)
    geModuleRelease(module);
  while (numOpen)
    endOpen();
  for (size_t i = 0; i < kRoots; ++i)
    geGraphRelease(roots[i]);
  for (size_t i = 0; i < kCursors; ++i) {
    geCursorDestroy(cursors[i]);
    cursors[i] = NULL;
  }
  empty(&values);
  empty(&graphs);
  empty(&nodes);
  if (!modulesFirst)
    geModuleRelease(module);
  CHECK_NO_LEAKS(context);
  DEMAND(tensorsMade == tensorsReleased);
  geContextRelease(context);
}

static void parseOptions(int count, char **arguments) {
  seed = (uint64_t)time(NULL);
  for (int i = 1; i < count; ++i) {
    const char *argument = arguments[i], *value = strchr(argument, '=');
    if (value)
      ++value;
    else if (i + 1 < count)
      value = arguments[++i];
    if (value && strncmp(argument, "--ops", 5) == 0) {
      limit = strtoll(value, NULL, 10);
    } else if (value && strncmp(argument, "--seed", 6) == 0) {
      seed = strtoull(value, NULL, 10);
    } else {
      fprintf(stderr, "usage: random-capi [--ops=N] [--seed=S]\n");
      exit(2);
    }
  }
}

int main(int count, char **arguments) {
  parseOptions(count, arguments);
  printf("random-capi: --ops=%" PRId64 " --seed=%" PRIu64 "\n", limit, seed);
  fflush(stdout);
  randomState = seed * 0x9e3779b97f4a7c15u + 0x123456789u;
  unsigned total = 0;
  for (size_t i = 0; i < kOperations; ++i)
    total += operations[i].weight;
  setUp();
  for (step = 0; step < limit; ++step) {
    if (step % 4000 == 3999) {
      tearDown();
      setUp();
    }
    size_t chosen = below(total), at = 0;
    while (chosen >= operations[at].weight)
      chosen -= operations[at++].weight;
    tally = &operations[at].tally;
    numUses = 0;
    operations[at].run();
  }
  size_t dead = countDead(&nodes) + countDead(&values) + countDead(&graphs);
  tearDown();

  int failures = 0;
  for (size_t i = 0; i < kOperations; ++i) {
    const Operation *o = &operations[i];
    printf("  %-18s %8" PRId64 " run, %8" PRId64 " succeeded, %8" PRId64 " stale\n", o->name,
           o->tally.run, o->tally.succeeded, o->tally.stale);
    if (limit >= 20000 && o->tally.succeeded == 0) {
      fprintf(stderr, "%s never succeeded\n", o->name);
      failures = 1;
    }
  }
  double share = usesTotal ? 100.0 * (double)usesStale / (double)usesTotal : 0;
  printf("%" PRId64 " references passed, %.1f%% stale; %zu dead held at the end\n", usesTotal,
         share, dead);
  if (limit >= 20000 && share < 20) {
    fprintf(stderr, "less than a fifth of the references were stale\n");
    failures = 1;
  }
  return failures;
}
