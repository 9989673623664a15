/* Operations that read. Included by capi.c only. */

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
  GeOrigin origin = {.size = sizeof origin};
  size_t count = 0;
  uint64_t hash = 0;
  bool flag = false;
  switch (below(20)) {
  case 0:
    if (below(2))
      went(geNodeGetOperatorName(node, &op));
    else
      went(geNodeGetOp(node, &(GeIdentifier){NULL}));
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
    if (went(below(2) ? geNodeGetResult(node, 0, &value) : geNodeGetOnlyResult(node, &value)))
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
