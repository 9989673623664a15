/* The state of the driver, the choice of arguments and the checks. Included by capi.c only. */

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
static GeGraphRef *roots[kRoots]; /* some of them are in no module */
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

/* Takes ownership of the reference. */
static void keep(Pool *pool, void *ref) {
  if (!ref)
    return;
  if (pool->count < kPool) {
    pool->refs[pool->count++] = ref;
    return;
  }
  /* Prefers to replace live references: dead ones are rarer, and needed. */
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
  geGraphRelease(root); /* the result is used for comparison only */
  return root;
}

/* --- References used by the running operation, and its outcome */

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
static Tally *tally; /* of the running operation */

static void *used(void *ref) {
  if (ref) {
    DEMAND(numUses < sizeof uses / sizeof *uses);
    uses[numUses].ref = ref;
    uses[numUses++].dead = !geRefIsAlive(ref);
  }
  return ref;
}

/* Returns a reference from the pool, in one of six cases a dead one; NULL if the pool is empty.
 * `like`: prefers references with the same root. */
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

/* Checks the status of a call on the picked references; returns whether it succeeded. */
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
    /* The call may instead report first that an argument belongs to another root. */
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
  return geRefIsAlive(root) && rootOf(root) == root ? root : NULL; /* may have been adopted */
}

static size_t nodesOf(GeGraphRef *graph) {
  size_t count = 0;
  MUST(geGraphNumNodes(graph, &count));
  return count;
}
