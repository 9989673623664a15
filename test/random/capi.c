/*===- capi.c - every operation of the C API in random order -------------------------------===*\
|*
|* Keeps references alive and dead in pools and calls everything with them. At the end it demands
|* that each kind of operation ran and succeeded, and that at least a fifth of the references
|* passed were stale; each of those calls must have said GE_ERROR_STALE with the reason. Now and
|* then it compares graphs with what a transaction must restore, with clones, with what is read
|* back from their text, and looks through all links.
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

/* --- Transactions */

/* All there is to see of a root graph. */
static void dump(GeGraphRef *graph, Text *text) {
  char line[64];
  size_t count = nodesOf(graph);
  for (size_t i = 0; i < count; ++i) {
    GeNodeRef *node = NULL;
    GeStringRef name;
    MUST(geGraphGetNode(graph, i, &node));
    MUST(geNodeGetName(node, &name, NULL));
    appendText(name, text);
    size_t results = 0, inner = 0, origins = 0, controls = 0;
    MUST(geNodeNumResults(node, &results));
    for (size_t r = 0; r < results; ++r) {
      GeValueRef *value = NULL;
      GeUse found[32];
      size_t numFound = 0;
      MUST(geNodeGetResult(node, r, &value));
      MUST(geValueGetUses(value, found, 32, &numFound));
      for (size_t u = 0; u < numFound && u < 32; ++u) {
        MUST(geNodeGetName(found[u].node, &name, NULL));
        snprintf(line, sizeof line, " %zu:", found[u].operandIndex);
        appendText(S(line), text);
        appendText(name, text);
        geNodeRelease(found[u].node);
      }
      geValueRelease(value);
    }
    MUST(geNodeNumOrigins(node, &origins));
    MUST(geNodeNumControlOutputs(node, &controls));
    snprintf(line, sizeof line, " origins %zu\n", origins);
    appendText(S(line), text);
    for (size_t c = 0; c < controls; ++c) {
      GeNodeRef *other = NULL;
      MUST(geNodeGetControlOutput(node, c, &other));
      MUST(geNodeGetName(other, &name, NULL));
      appendText(name, text);
      appendText(S(" after\n"), text);
      geNodeRelease(other);
    }
    MUST(geNodeNumSubgraphs(node, &inner));
    for (size_t g = 0; g < inner; ++g) {
      GeGraphRef *sub = NULL;
      MUST(geNodeGetSubgraph(node, g, &sub));
      dump(sub, text);
      geGraphRelease(sub);
    }
    geNodeRelease(node);
  }
}
static Text dumpAll(GeGraphRef *root) {
  Text text = {NULL, 0};
  GePrintOptions options = {sizeof options, true, true, -1};
  MUST(geGraphPrint(root, &options, appendText, &text));
  dump(root, &text);
  return text;
}

static void opBegin(void) {
  GeGraphRef *root = randomRoot();
  if (!root || numOpen == kNesting)
    return;
  /* Nested ones are of one root, or closing out of order would be the usual case. */
  if (numOpen && !oneIn(8))
    root = open[numOpen - 1].root;
  Open *o = &open[numOpen];
  o->before = dumpAll(root);
  used(root);
  if (!went(geTransactionBegin(root, &o->transaction))) {
    freeText(&o->before);
    return;
  }
  o->root = root;
  geGraphRetain(root);
  ++numOpen;
}
static void endOpen(void) {
  Open *o = &open[--numOpen];
  MUST(geTransactionDestroy(o->transaction));
  geGraphRelease(o->root);
  freeText(&o->before);
}
static void opCommit(void) {
  if (!numOpen)
    return;
  ++tally->run;
  if (numOpen > 1 && open[0].root == open[numOpen - 1].root)
    DEMAND(geTransactionCommit(open[0].transaction) == GE_ERROR_VALUE);
  MUST(geTransactionCommit(open[numOpen - 1].transaction));
  DEMAND(geTransactionCommit(open[numOpen - 1].transaction) == GE_ERROR_VALUE);
  endOpen();
  ++tally->succeeded;
}
static void opRollback(void) {
  if (!numOpen)
    return;
  Open *o = &open[numOpen - 1];
  ++tally->run;
  bool explicit = oneIn(2);
  if (explicit) {
    MUST(geTransactionRollback(o->transaction));
    DEMAND(geGraphSetName(o->root, S("blocked")) == GE_ERROR_VALUE);
  }
  MUST(geTransactionDestroy(o->transaction));
  o->transaction = NULL;
  DEMAND(geRefIsAlive(o->root));
  Text now = dumpAll(o->root);
  if (now.length != o->before.length || memcmp(now.data, o->before.data, now.length) != 0)
    FAIL("step %" PRId64 " of --seed=%" PRIu64 ": after the rollback\n%s\nbefore\n%s", step, seed,
         now.data, o->before.data);
  freeText(&now);
  endOpen();
  ++tally->succeeded;
}

/* --- Whole graphs */

static void checkRef(void *ref, bool alive) { DEMAND(geRefIsAlive(ref) == alive); }

/* Follows all links of a graph and back. */
static void checkLinks(GeGraphRef *graph) {
  size_t count = nodesOf(graph), visited = 0;
  GeCursor *cursor = NULL;
  GeNodeRef *node = NULL, *previous = NULL;
  MUST(geCursorCreate(graph, false, &cursor));
  while (true) {
    MUST(geCursorNext(cursor, &node));
    if (!node)
      break;
    GeNodeRef *at = NULL;
    GeGraphRef *owner = NULL;
    GeStringRef name;
    bool flag = false;
    size_t n = 0;
    checkRef(node, true);
    MUST(geGraphGetNode(graph, visited++, &at));
    DEMAND(at == node);
    geNodeRelease(at);
    MUST(geNodeGetPrevious(node, &at));
    DEMAND(at == previous);
    geNodeRelease(at);
    if (previous) {
      MUST(geNodeIsBefore(previous, node, &flag));
      DEMAND(flag);
    }
    MUST(geNodeGetGraph(node, &owner));
    DEMAND(owner == graph);
    geGraphRelease(owner);
    MUST(geNodeGetName(node, &name, &flag));
    if (!flag) {
      MUST(geGraphFindNode(graph, name, &at));
      DEMAND(at == node);
      geNodeRelease(at);
    }
    MUST(geNodeNumOperands(node, &n));
    for (size_t i = 0; i < n; ++i) {
      GeValueRef *value = NULL;
      GeUse found[512];
      size_t numFound = 0;
      bool here = false;
      MUST(geNodeGetOperand(node, i, &value));
      if (!value)
        continue;
      MUST(geValueGetUses(value, found, 512, &numFound));
      DEMAND(numFound <= 512);
      for (size_t u = 0; u < numFound; ++u) {
        here = here || (found[u].node == node && found[u].operandIndex == i);
        geNodeRelease(found[u].node);
      }
      DEMAND(here);
      geValueRelease(value);
    }
    MUST(geNodeNumControlInputs(node, &n));
    for (size_t i = 0; i < n; ++i) {
      GeNodeRef *input = NULL, *output = NULL;
      size_t outputs = 0;
      bool here = false;
      MUST(geNodeGetControlInput(node, i, &input));
      MUST(geNodeNumControlOutputs(input, &outputs));
      for (size_t o = 0; o < outputs; ++o) {
        MUST(geNodeGetControlOutput(input, o, &output));
        here = here || output == node;
        geNodeRelease(output);
      }
      DEMAND(here);
      geNodeRelease(input);
    }
    MUST(geNodeNumSubgraphs(node, &n));
    for (size_t i = 0; i < n; ++i) {
      GeGraphRef *inner = NULL;
      MUST(geNodeGetSubgraph(node, i, &inner));
      MUST(geGraphGetParentNode(inner, &at));
      DEMAND(at == node);
      geNodeRelease(at);
      checkLinks(inner);
      geGraphRelease(inner);
    }
    geNodeRelease(previous);
    previous = node;
  }
  DEMAND(visited == count);
  geNodeRelease(previous);
  geCursorDestroy(cursor);
}

static void opCheckLinks(void) {
  GeGraphRef *root = randomRoot();
  if (!root || !oneIn(4))
    return;
  ++tally->run;
  checkLinks(root);
  ++tally->succeeded;
}

static void opVerify(void) {
  WITH_GRAPH(graph);
  GeStatus status = geGraphVerify(graph);
  if (status == GE_ERROR_VERIFY)
    DEMAND(geErrorNumDiagnostics() > 0);
  went(status);
}

static void opCloneGraph(void) {
  WITH_GRAPH(graph);
  GeGraphRef *copy = NULL, *root = geRefIsAlive(graph) ? rootOf(graph) : NULL;
  if (!went(geGraphClone(graph, NULL, &copy)))
    return;
  bool equal = false;
  uint64_t first = 0, second = 0;
  if (root == graph) { /* of a subgraph captures become inputs */
    MUST(geGraphIsStructurallyEqual(graph, copy, &equal));
    /* A detached producer cannot be copied: its value becomes an input. */
    if (equal) {
      MUST(geGraphStructuralHash(graph, &first));
      MUST(geGraphStructuralHash(copy, &second));
      DEMAND(first == second);
    } else {
      if (geGraphVerify(graph) == GE_OK) {
        Text before = dumpAll(graph), after = dumpAll(copy);
        FAIL("step %" PRId64 " of --seed=%" PRIu64 ": graph\n%s\nits clone, different\n%s", step,
             seed, before.data, after.data);
      }
    }
  }
  checkLinks(copy);
  geGraphRelease(copy);
}

static void opRoundTrip(void) {
  GeGraphRef *graph = randomRoot();
  if (!graph || !oneIn(3))
    return;
  ++tally->run;
  popScopes(); /* or what is read back has an origin there */
  GePrintOptions options = {sizeof options, oneIn(2), oneIn(2), -1};
  Text text = {NULL, 0};
  MUST(geGraphPrint(graph, &options, appendText, &text));
  if (geGraphVerify(graph) == GE_OK) {
    GeGraphRef *again = NULL;
    bool equal = false;
    GeStringRef source = {text.data, text.length};
    GeStatus status = geGraphParse(context, source, S("printed"), &again);
    if (status != GE_OK)
      FAIL("step %" PRId64 " of --seed=%" PRIu64 ": not read back: %.*s\n%s", step, seed,
           (int)geErrorMessage().length, geErrorMessage().data, text.data);
    MUST(geGraphIsStructurallyEqual(graph, again, &equal));
    Text second = {NULL, 0};
    MUST(geGraphPrint(again, &options, appendText, &second));
    if (!equal || strcmp(text.data, second.data) != 0)
      FAIL("step %" PRId64 " of --seed=%" PRIu64 ": printed\n%s\nread back %s as\n%s", step, seed,
           text.data, equal ? "equal" : "different", second.data);
    freeText(&second);
    geGraphRelease(again);
    ++tally->succeeded;
  }
  freeText(&text);
}

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
  /* In any order. */
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
