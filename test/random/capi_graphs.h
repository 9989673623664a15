/* Operations on whole graphs: transactions, links, clones, text. Included by capi.c only. */

/* --- Transactions */

/* Appends the whole observable state of a root graph. */
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
  /* Nested transactions mostly have one root, so that closing them out of order stays rare. */
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

/* Checks that all links of a graph are consistent in both directions. */
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
  if (root == graph) { /* in a clone of a subgraph, captures become inputs */
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
  popScopes(); /* in an edit scope, parsed nodes would get origins */
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
