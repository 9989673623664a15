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

/* --- Randomness and options */

static uint64_t seed, randomState;
static int64_t limit = 100000, step = 0;

static uint32_t random32(void) {
  randomState ^= randomState << 13;
  randomState ^= randomState >> 7;
  randomState ^= randomState << 17;
  return (uint32_t)(randomState >> 32);
}
static size_t below(size_t n) { return n ? random32() % n : 0; }
static bool oneIn(size_t n) { return below(n) == 0; }

#define DEMAND(condition)                                                                          \
  do {                                                                                             \
    if (!(condition))                                                                              \
      FAIL("step %" PRId64 " of --seed=%" PRIu64 ": not so: %s (last error: %.*s)", step, seed,    \
           #condition, (int)geErrorMessage().length, geErrorMessage().data);                       \
  } while (0)

#define MUST(call)                                                                                 \
  do {                                                                                             \
    GeStatus must_ = (call);                                                                       \
    if (must_ != GE_OK)                                                                            \
      FAIL("step %" PRId64 " of --seed=%" PRIu64 ": %s gave %d: %.*s", step, seed, #call,          \
           (int)must_, (int)geErrorMessage().length, geErrorMessage().data);                       \
  } while (0)

/* --- The world */

enum { kPool = 160, kRoots = 4, kNesting = 4, kCursors = 6, kRootNodes = 60 };

typedef struct Pool {
  void *refs[kPool];
  size_t count;
} Pool;

static GeContext *context;
static GeModule *module;
static Pool graphs, nodes, values;
static GeGraphRef *roots[kRoots]; /* also in no module, some of them */
static GeCursor *cursors[kCursors];

typedef struct Open {
  GeTransaction *transaction;
  GeGraphRef *root;
  Text before;
} Open;
static Open open[kNesting];
static size_t numOpen;

static GeType types[4];
static GeOperatorName ops[6];
static GeIdentifier keys[4];

static void releaseRef(void *ref) {
  switch (geRefGetKind(ref)) {
  case GE_REF_GRAPH:
    geGraphRelease((GeGraphRef *)ref);
    break;
  case GE_REF_NODE:
    geNodeRelease((GeNodeRef *)ref);
    break;
  case GE_REF_VALUE:
    geValueRelease((GeValueRef *)ref);
    break;
  }
}

/* Takes the reference over. */
static void keep(Pool *pool, void *ref) {
  if (!ref)
    return;
  if (pool->count < kPool) {
    pool->refs[pool->count++] = ref;
    return;
  }
  /* Alive ones go first: dead ones are rarer and wanted. */
  size_t at = below(kPool);
  for (int i = 0; i < 4 && !geRefIsAlive(pool->refs[at]) && !oneIn(6); ++i)
    at = below(kPool);
  releaseRef(pool->refs[at]);
  pool->refs[at] = ref;
}

static size_t countDead(const Pool *pool) {
  size_t dead = 0;
  for (size_t i = 0; i < pool->count; ++i)
    dead += !geRefIsAlive(pool->refs[i]);
  return dead;
}

static GeGraphRef *rootOf(void *ref) {
  GeGraphRef *root = NULL;
  GeNodeRef *node = NULL;
  switch (geRefGetKind(ref)) {
  case GE_REF_GRAPH:
    MUST(geGraphGetRoot((GeGraphRef *)ref, &root));
    break;
  case GE_REF_NODE:
    MUST(geNodeGetRoot((GeNodeRef *)ref, &root));
    break;
  case GE_REF_VALUE:
    MUST(geValueGetNode((GeValueRef *)ref, &node));
    MUST(geNodeGetRoot(node, &root));
    geNodeRelease(node);
    break;
  }
  geGraphRelease(root); /* compared only */
  return root;
}

/* --- Uses and outcomes of the operation that runs */

typedef struct Use {
  void *ref;
  bool dead;
} Use;
static Use uses[64];
static size_t numUses;
static int64_t usesTotal, usesStale;

typedef struct Tally {
  int64_t run, succeeded, stale;
} Tally;
static Tally *tally; /* of the operation that runs */

static void *used(void *ref) {
  if (ref) {
    DEMAND(numUses < sizeof uses / sizeof *uses);
    uses[numUses].ref = ref;
    uses[numUses++].dead = !geRefIsAlive(ref);
  }
  return ref;
}

/* A reference from the pool, dead once in six times; NULL when there is none. `like`: preferably
 * of the same root. */
static void *pick(Pool *pool, void *like) {
  if (pool->count == 0)
    return NULL;
  bool dead = oneIn(6);
  GeGraphRef *root = like && geRefIsAlive(like) && !oneIn(12) ? rootOf(like) : NULL;
  void *ref = NULL;
  for (int i = 0; i < 24; ++i) {
    ref = pool->refs[below(pool->count)];
    if (geRefIsAlive(ref) == dead)
      continue;
    if (dead || !root || rootOf(ref) == root)
      break;
  }
  return used(ref);
}
static GeGraphRef *pickGraph(void *like) { return (GeGraphRef *)pick(&graphs, like); }
static GeNodeRef *pickNode(void *like) { return (GeNodeRef *)pick(&nodes, like); }
static GeValueRef *pickValue(void *like) { return (GeValueRef *)pick(&values, like); }

/* Judges the status of a call on what was picked; true when it succeeded. */
static bool went(GeStatus status) {
  size_t dead = 0;
  GeGraphRef *root = NULL;
  bool foreign = false;
  for (size_t i = 0; i < numUses; ++i) {
    dead += uses[i].dead;
    if (uses[i].dead || !geRefIsAlive(uses[i].ref))
      continue;
    GeGraphRef *own = status == GE_OK ? NULL : rootOf(uses[i].ref);
    foreign = foreign || (root && own != root);
    root = own;
  }
  usesTotal += (int64_t)numUses;
  usesStale += (int64_t)dead;
  ++tally->run;
  if (dead) {
    /* Another root's object among the arguments may be what is seen first. */
    if (status == GE_ERROR_STALE) {
      ++tally->stale;
      bool told = false;
      for (size_t i = 0; i < numUses; ++i) {
        GeStringRef reason;
        if (!uses[i].dead)
          continue;
        MUST(geRefReason(uses[i].ref, &reason));
        DEMAND(reason.length > 0);
        told = told || (reason.length == geErrorMessage().length &&
                        memcmp(reason.data, geErrorMessage().data, reason.length) == 0);
      }
      DEMAND(told);
    } else {
      DEMAND(status == GE_ERROR_VALUE && foreign);
    }
  } else {
    switch (status) {
    case GE_OK:
      ++tally->succeeded;
      break;
    case GE_ERROR_VALUE:
    case GE_ERROR_INDEX:
    case GE_ERROR_VERIFY:
      DEMAND(geErrorMessage().length > 0);
      break;
    default:
      FAIL("step %" PRId64 " of --seed=%" PRIu64 ": status %d: %.*s", step, seed, (int)status,
           (int)geErrorMessage().length, geErrorMessage().data);
    }
  }
  numUses = 0;
  return status == GE_OK;
}

/* --- Things to pass */

static GeStringRef randomName(void) {
  static const char *const kNames[] = {
      "", "a", "b", "conv1", "x/y:0", "0", "_", "n_1", "na\xc3\xafve", "with \"quotes\"", "a", "b"};
  return S(kNames[below(sizeof kNames / sizeof *kNames)]);
}

static GeLocation randomLocation(void) {
  GeLocation location = geLocationUnknown(context);
  if (oneIn(2))
    MUST(geLocationFile(context, S("model.py"), 1 + (uint32_t)below(20), 1, &location));
  return location;
}

/* New reference. */
static GeAttribute randomAttribute(void) {
  GeAttribute attribute = {0}, inner[2];
  const int64_t ints[] = {1, -5, INT64_MAX};
  const float floats[] = {0.5f, 1e-5f};
  switch (below(8)) {
  case 0:
    MUST(geAttributeBool(oneIn(2), &attribute));
    break;
  case 1:
    MUST(geAttributeInt(context, (int64_t)random32() << below(32), 8, &attribute));
    break;
  case 2:
    MUST(geAttributeFloat(context, (double)below(1000) / 8, 1, &attribute));
    break;
  case 3:
    MUST(geAttributeString(context, randomName(), &attribute));
    break;
  case 4:
    MUST(geAttributeIntArray(context, ints, below(4), 8, &attribute));
    break;
  case 5:
    MUST(geAttributeFloatArray(context, floats, below(3), &attribute));
    break;
  case 6:
    MUST(geAttributeType(types[below(4)], &attribute));
    break;
  default:
    MUST(geAttributeString(context, randomName(), &inner[0]));
    MUST(geAttributeBool(true, &inner[1]));
    MUST(geAttributeList(context, inner, below(3), &attribute));
  }
  return attribute;
}

static int tensorsMade, tensorsReleased;
static const int64_t kBytes[4] = {1, 2, 3, 4};
static void tensorReleased(void *owner) {
  DEMAND(owner == kBytes);
  ++tensorsReleased;
}

static GeGraphRef *randomRoot(void) {
  GeGraphRef *root = roots[below(kRoots)];
  return geRefIsAlive(root) && rootOf(root) == root ? root : NULL; /* may have been moved in */
}

static size_t nodesOf(GeGraphRef *graph) {
  size_t count = 0;
  MUST(geGraphNumNodes(graph, &count));
  return count;
}

/* --- Operations that build */

static void opNewGraph(void) {
  size_t at = below(kRoots);
  for (size_t i = 0; i < numOpen; ++i)
    if (open[i].root == roots[at])
      return;
  GeGraphRef *graph = NULL;
  if (!went(geGraphCreate(context, randomName(), &graph)))
    return;
  geGraphRelease(roots[at]);
  roots[at] = graph;
  geGraphRetain(graph);
  keep(&graphs, graph);
}

static void fillSpec(GeNodeSpec *spec, GeGraphRef *graph, GeValueRef **operands, GeType *results,
                     GeNamedAttribute *attributes) {
  memset(spec, 0, sizeof *spec);
  spec->op = ops[below(6)];
  spec->numOperands = below(oneIn(10) ? 20 : 4);
  spec->operands = operands;
  for (size_t i = 0; i < spec->numOperands; ++i)
    operands[i] = oneIn(5) ? NULL : i < 3 ? pickValue(graph) : operands[i % 3];
  spec->numResults = below(3);
  spec->resultTypes = results;
  for (size_t i = 0; i < spec->numResults; ++i)
    results[i] = types[below(4)];
  spec->numAttributes = below(3);
  spec->attributes = attributes;
  for (size_t i = 0; i < spec->numAttributes; ++i) {
    attributes[i].name = keys[i];
    attributes[i].value = randomAttribute();
  }
  spec->name = randomName();
  spec->location = oneIn(4) ? randomLocation() : NULL;
}

static void keepMade(GeNodeRef *node) {
  size_t count = 0;
  MUST(geNodeNumResults(node, &count));
  for (size_t i = 0; i < count; ++i) {
    GeValueRef *value = NULL;
    MUST(geNodeGetResult(node, i, &value));
    keep(&values, value);
  }
  keep(&nodes, node);
}

static void createIn(GeGraphRef *graph, bool detached) {
  GeValueRef *operands[20];
  GeType results[3];
  GeNamedAttribute attributes[3];
  GeNodeSpec spec;
  fillSpec(&spec, graph, operands, results, attributes);
  GeNodeRef *made = NULL, *control = NULL;
  if (detached) {
    if (went(geNodeCreateDetached(graph, &spec, &made)))
      keepMade(made);
  } else {
    GeNodeRef *before = oneIn(3) ? pickNode(graph) : NULL;
    if (oneIn(6) && (control = pickNode(graph)) != NULL) {
      spec.numControlInputs = 1;
      spec.controlInputs = &control;
    }
    if (went(geNodeCreate(graph, before, &spec, &made)))
      keepMade(made);
  }
  for (size_t i = 0; i < spec.numAttributes; ++i)
    geAttributeRelease(attributes[i].value);
}

static void opCreate(void) {
  GeGraphRef *graph = pickGraph(NULL);
  if (!graph)
    return;
  if (geRefIsAlive(graph) && nodesOf(graph) > kRootNodes) {
    numUses = 0;
    return;
  }
  createIn(graph, false);
}
static void opCreateDetached(void) {
  GeGraphRef *graph = pickGraph(NULL);
  if (graph)
    createIn(graph, true);
}
static void opAddInput(void) {
  GeGraphRef *graph = pickGraph(NULL);
  GeValueRef *value = NULL;
  if (graph && went(geGraphAddInput(graph, randomName(), types[below(3)], NULL,
                                    oneIn(3) ? 0 : SIZE_MAX, &value)))
    keep(&values, value);
}
static void opClone(void) {
  GeNodeRef *node = pickNode(NULL), *copy = NULL;
  if (node && went(geNodeClone(node, &copy)))
    keepMade(copy);
}

/* --- Operations that change nodes */

#define WITH_NODE(node)                                                                            \
  GeNodeRef *node = pickNode(NULL);                                                                \
  if (!node)                                                                                       \
  return

static void opInsert(void) {
  WITH_NODE(node);
  GeGraphRef *graph = pickGraph(node);
  if (graph)
    went(geNodeInsert(node, graph, oneIn(2) ? pickNode(node) : NULL));
  numUses = 0;
}
static void opMoveBefore(void) {
  WITH_NODE(node);
  went(geNodeMoveBefore(node, pickNode(node)));
}
static void opMoveAfter(void) {
  WITH_NODE(node);
  went(geNodeMoveAfter(node, pickNode(node)));
}
static void opDetach(void) {
  WITH_NODE(node);
  went(geNodeDetach(node));
}
static void opErase(void) {
  WITH_NODE(node);
  went(geNodeErase(node, false));
}
static void opEraseForce(void) {
  WITH_NODE(node);
  if (went(geNodeErase(node, true)))
    DEMAND(!geRefIsAlive(node));
}
static void opReplace(void) {
  WITH_NODE(node);
  GeValueRef *with[4] = {NULL};
  size_t count = 0;
  if (geRefIsAlive(node))
    MUST(geNodeNumResults(node, &count));
  for (size_t i = 0; i < count && i < 4; ++i)
    with[i] = pickValue(node);
  went(geNodeReplace(node, with, count));
}
static void opSetName(void) {
  WITH_NODE(node);
  went(geNodeSetName(node, randomName()));
}
static void opSetLocation(void) {
  WITH_NODE(node);
  went(geNodeSetLocation(node, randomLocation()));
}
static void opSetOperand(void) {
  WITH_NODE(node);
  went(geNodeSetOperand(node, below(3), oneIn(5) ? NULL : pickValue(node)));
}
static void opSetOperands(void) {
  WITH_NODE(node);
  GeValueRef *operands[5];
  size_t count = below(6);
  for (size_t i = 0; i < count; ++i)
    operands[i] = oneIn(5) ? NULL : pickValue(node);
  went(geNodeSetOperands(node, operands, count));
}
static void opInsertOperand(void) {
  WITH_NODE(node);
  went(geNodeInsertOperand(node, below(3), oneIn(5) ? NULL : pickValue(node)));
}
static void opEraseOperand(void) {
  WITH_NODE(node);
  went(geNodeEraseOperand(node, below(3)));
}
static void opSetAttribute(void) {
  WITH_NODE(node);
  GeAttribute attribute = randomAttribute();
  went(geNodeSetAttribute(node, keys[below(4)], attribute));
  geAttributeRelease(attribute);
}
static void opRemoveAttribute(void) {
  WITH_NODE(node);
  GeAttribute none = {0};
  went(geNodeSetAttribute(node, keys[below(4)], none));
}
static void opSetTensor(void) {
  WITH_NODE(node);
  int64_t size = 4;
  GeType type = tensorType(context, "i64", 1, &size);
  GeTensor *tensor = NULL;
  GeAttribute attribute = {0};
  MUST(geTensorBorrow(type, kBytes, sizeof kBytes, tensorReleased, (void *)(size_t)kBytes, false,
                      &tensor));
  ++tensorsMade;
  MUST(geAttributeTensor(tensor, &attribute));
  geTensorRelease(tensor);
  went(geNodeSetAttribute(node, keys[below(4)], attribute));
  geAttributeRelease(attribute);
}
static void opAddControl(void) {
  WITH_NODE(node);
  went(geNodeAddControlInput(node, pickNode(node)));
}
static void opRemoveControl(void) {
  WITH_NODE(node);
  GeNodeRef *input = NULL;
  size_t count = 0;
  if (geRefIsAlive(node))
    MUST(geNodeNumControlInputs(node, &count));
  if (count) {
    MUST(geNodeGetControlInput(node, below(count), &input));
    used(input);
    went(geNodeRemoveControlInput(node, input));
    keep(&nodes, input);
  } else {
    went(geNodeRemoveControlInput(node, pickNode(node)));
  }
}
static void opAddOrigin(void) {
  WITH_NODE(node);
  GeOrigin origin = {randomName(), ops[0], keys[0], oneIn(2) ? keys[1] : NULL, NULL};
  went(geNodeAddOrigin(node, &origin));
}

/* --- Operations on subgraphs */

static void opAddSubgraph(void) {
  WITH_NODE(node);
  GeGraphRef *graph = NULL;
  if (went(geNodeAddSubgraph(node, S("body"), randomName(), &graph)))
    keep(&graphs, graph);
}
static void opEraseSubgraph(void) {
  WITH_NODE(node);
  went(geNodeEraseSubgraph(node, 0));
}
static void opAdopt(void) {
  WITH_NODE(node);
  GeGraphRef *own = NULL;
  GeNodeRef *inside = NULL;
  GeGraphRef *graph = oneIn(2) ? pickGraph(NULL) : NULL;
  if (!graph) {
    MUST(geGraphCreate(context, randomName(), &own));
    GeNodeSpec spec = {0};
    spec.op = ops[below(6)];
    spec.name = randomName();
    spec.numResults = 1;
    spec.resultTypes = types;
    MUST(geNodeCreate(own, NULL, &spec, &inside));
    graph = own;
  }
  if (went(geNodeAdoptSubgraph(node, S("adopted"), graph)))
    DEMAND(geRefIsAlive(graph) && rootOf(graph) == rootOf(node));
  if (own) {
    keep(&graphs, own);
    keepMade(inside);
  }
}

/* --- Operations on graphs */

#define WITH_GRAPH(graph)                                                                          \
  GeGraphRef *graph = pickGraph(NULL);                                                             \
  if (!graph)                                                                                      \
  return

static void opEraseInput(void) {
  WITH_GRAPH(graph);
  went(geGraphEraseInput(graph, 0, oneIn(2)));
}
static void opMoveInput(void) {
  WITH_GRAPH(graph);
  went(geGraphMoveInput(graph, below(3), below(3)));
}
static void opSetOutputs(void) {
  WITH_GRAPH(graph);
  GeValueRef *outputs[4];
  size_t count = below(4);
  for (size_t i = 0; i < count; ++i)
    outputs[i] = oneIn(12) ? NULL : pickValue(graph);
  went(geGraphSetOutputs(graph, outputs, count));
}
static void opSetOutputName(void) {
  WITH_GRAPH(graph);
  went(geGraphSetOutputName(graph, 0, randomName()));
}
static void opSetGraphName(void) {
  WITH_GRAPH(graph);
  went(geGraphSetName(graph, randomName()));
}
static void opSetGraphAttribute(void) {
  WITH_GRAPH(graph);
  GeAttribute attribute = randomAttribute();
  if (oneIn(3)) {
    geAttributeRelease(attribute);
    attribute.bits = 0;
  }
  went(geGraphSetAttribute(graph, keys[below(4)], attribute));
  geAttributeRelease(attribute);
}
static void opSort(void) {
  WITH_GRAPH(graph);
  went(geGraphSort(graph));
}
static void opEraseDead(void) {
  WITH_GRAPH(graph);
  if (oneIn(8))
    went(geGraphEraseDeadNodes(graph, NULL));
  numUses = 0;
}
static void opExpire(void) {
  WITH_GRAPH(graph);
  GeGraphRef *after = NULL;
  if (!oneIn(20) && geRefIsAlive(graph)) {
    numUses = 0;
    return;
  }
  GeGraphRef *root = geRefIsAlive(graph) ? rootOf(graph) : NULL;
  if (!went(geGraphExpireHandles(graph, oneIn(2), &after)))
    return;
  DEMAND(!geRefIsAlive(graph) && geRefIsAlive(after));
  for (size_t i = 0; i < kRoots; ++i)
    if (roots[i] == root) {
      geGraphRelease(roots[i]);
      roots[i] = after;
      geGraphRetain(after);
    }
  keep(&graphs, after);
}

/* --- Operations on values */

#define WITH_VALUE(value)                                                                          \
  GeValueRef *value = pickValue(NULL);                                                             \
  if (!value)                                                                                      \
  return

static void opSetType(void) {
  WITH_VALUE(value);
  went(geValueSetType(value, types[below(4)]));
}
static void opSetValueName(void) {
  WITH_VALUE(value);
  went(geValueSetName(value, randomName()));
}
static void opReplaceUses(void) {
  WITH_VALUE(value);
  went(geValueReplaceAllUses(value, pickValue(value), NULL, 0));
}
static void opReplaceUsesExcept(void) {
  WITH_VALUE(value);
  GeValueRef *to = pickValue(value);
  GeNodeRef *except[2] = {pickNode(value), pickNode(value)};
  if (except[0] && except[1])
    went(geValueReplaceAllUses(value, to, except, 2));
  numUses = 0;
}

/* --- Operations that read */

static void opReadNode(void) {
  WITH_NODE(node);
  GeOperatorName op;
  GeStringRef text;
  GeLocation location;
  GeAttribute attribute = {0};
  GeNamedAttribute named;
  GeGraphRef *graph = NULL;
  GeNodeRef *other = NULL;
  GeValueRef *value = NULL;
  GeOrigin origin;
  size_t count = 0;
  uint64_t hash = 0;
  bool flag = false;
  switch (below(20)) {
  case 0:
    went(geNodeGetOperatorName(node, &op));
    return;
  case 1:
    went(geNodeGetName(node, &text, &flag));
    return;
  case 2:
    went(geNodeGetLocation(node, &location));
    return;
  case 3:
    if (went(geNodeGetGraph(node, &graph)))
      keep(&graphs, graph);
    return;
  case 4:
    if (went(geNodeGetRoot(node, &graph)))
      keep(&graphs, graph);
    return;
  case 5:
    if (went(geNodeGetNext(node, &other)))
      keep(&nodes, other);
    return;
  case 6:
    if (went(geNodeGetPrevious(node, &other)))
      keep(&nodes, other);
    return;
  case 7:
    went(geNodeIsBefore(node, pickNode(node), &flag));
    return;
  case 8:
    went(geNodeIsInput(node, &flag));
    return;
  case 9:
    went(geNodeIsOutput(node, &flag));
    return;
  case 10:
    if (went(geNodeGetOperand(node, 0, &value)))
      keep(&values, value);
    return;
  case 11:
    if (went(geNodeGetResult(node, 0, &value)))
      keep(&values, value);
    return;
  case 12:
    if (went(geNodeGetAttributeAt(node, 0, &named)))
      geAttributeRelease(named.value);
    return;
  case 13:
    if (went(geNodeGetAttribute(node, keys[0], &attribute)))
      geAttributeRelease(attribute);
    return;
  case 14:
    if (went(geNodeGetControlInput(node, 0, &other)))
      keep(&nodes, other);
    return;
  case 15:
    if (went(geNodeGetControlOutput(node, 0, &other)))
      keep(&nodes, other);
    return;
  case 16:
    if (went(geNodeGetSubgraph(node, 0, &graph)))
      keep(&graphs, graph);
    return;
  case 17:
    went(geNodeGetOrigin(node, 0, &origin));
    return;
  case 18:
    went(geNodeStructuralHash(node, &hash));
    return;
  default:
    went(geNodeNumOperands(node, &count));
  }
}

static void countPiece(GeStringRef piece, void *userData) { *(size_t *)userData += piece.length; }

static void opPrintNode(void) {
  WITH_NODE(node);
  size_t length = 0;
  if (went(geNodePrint(node, countPiece, &length)))
    DEMAND(length > 0);
}
static void opCompareNodes(void) {
  WITH_NODE(node);
  GeNodeRef *other = pickNode(NULL);
  bool equal = false;
  if (other && went(geNodeIsStructurallyEqual(node, other, &equal)))
    DEMAND(node != other || equal);
  numUses = 0;
}
static void opReadValue(void) {
  WITH_VALUE(value);
  GeType type;
  GeStringRef text;
  GeNodeRef *node = NULL;
  GeUse found[4];
  size_t count = 0;
  bool flag;
  switch (below(6)) {
  case 0:
    went(geValueGetType(value, &type));
    return;
  case 1:
    went(geValueGetName(value, &text, &flag));
    return;
  case 2:
    if (went(geValueGetNode(value, &node)))
      keep(&nodes, node);
    return;
  case 3:
    went(geValueGetIndex(value, &count));
    return;
  case 4:
    went(geValueHasUses(value, &flag));
    return;
  default:
    if (went(geValueGetUses(value, found, 4, &count)))
      for (size_t i = 0; i < count && i < 4; ++i)
        keep(&nodes, found[i].node);
  }
}
static void opReadGraph(void) {
  WITH_GRAPH(graph);
  GeStringRef text;
  GeNodeRef *node = NULL;
  GeValueRef *value = NULL;
  GeGraphRef *other = NULL;
  GeModule *owner = NULL;
  GeAttribute attribute = {0};
  size_t count = 0;
  uint64_t number = 0;
  switch (below(14)) {
  case 0:
    went(geGraphGetName(graph, &text));
    return;
  case 1:
    went(geGraphGetSlotName(graph, &text));
    return;
  case 2:
    if (went(geGraphGetModule(graph, &owner)))
      geModuleRelease(owner);
    return;
  case 3:
    if (went(geGraphGetParentNode(graph, &node)))
      keep(&nodes, node);
    return;
  case 4:
    if (went(geGraphGetRoot(graph, &other)))
      keep(&graphs, other);
    return;
  case 5:
    if (went(geGraphGetInput(graph, 0, &value)))
      keep(&values, value);
    return;
  case 6:
    if (went(geGraphGetOutput(graph, 0, &value)))
      keep(&values, value);
    return;
  case 7:
    went(geGraphGetOutputName(graph, 0, &text, NULL));
    return;
  case 8:
    if (went(geGraphGetOutputNode(graph, &node)))
      keep(&nodes, node);
    return;
  case 9:
    if (went(geGraphGetNode(graph, below(8), &node)))
      keep(&nodes, node);
    return;
  case 10:
    if (went(geGraphFindValue(graph, randomName(), &value)))
      keep(&values, value);
    return;
  case 11:
    if (went(geGraphGetAttribute(graph, keys[0], &attribute)))
      geAttributeRelease(attribute);
    return;
  case 12:
    went(geGraphChangeCount(graph, &number));
    return;
  default:
    went(geGraphNumAttributes(graph, &count));
  }
}
static void opFindNode(void) {
  WITH_GRAPH(graph);
  GeNodeRef *node = NULL;
  GeStringRef wanted = randomName(), name;
  if (!went(geGraphFindNode(graph, wanted, &node)) || !node)
    return;
  MUST(geNodeGetName(node, &name, NULL));
  DEMAND(name.length == wanted.length && memcmp(name.data, wanted.data, name.length) == 0);
  keep(&nodes, node);
}
static void opFindAll(void) {
  WITH_GRAPH(graph);
  GeNodeRef *found[200];
  size_t count = 0;
  GeOperatorName wanted = ops[below(6)];
  if (!went(geGraphFindAll(graph, wanted, found, 200, &count)))
    return;
  size_t seen = 0, total = nodesOf(graph);
  for (size_t i = 0; i < total; ++i) {
    GeNodeRef *node = NULL;
    GeOperatorName op;
    MUST(geGraphGetNode(graph, i, &node));
    MUST(geNodeGetOperatorName(node, &op));
    if (op == wanted)
      DEMAND(seen < count && found[seen++] == node);
    geNodeRelease(node);
  }
  DEMAND(seen == count);
  for (size_t i = 0; i < count; ++i)
    geNodeRelease(found[i]);
}
static void opDescribe(void) {
  void *ref = oneIn(2) ? (void *)pickNode(NULL) : (void *)pickValue(NULL);
  if (!ref)
    return;
  GeStringRef text;
  MUST(geRefDescribe(ref, &text));
  DEMAND(text.length > 0);
  MUST(geRefReason(ref, &text));
  DEMAND((text.length > 0) == !geRefIsAlive(ref));
  DEMAND(geRefGetContext(ref) == context);
  ++tally->run;
  ++tally->succeeded;
  numUses = 0;
}

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
  GePrintOptions options = {true, true, -1};
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
  GePrintOptions options = {oneIn(2), oneIn(2), -1};
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
