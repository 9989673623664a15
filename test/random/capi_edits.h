/* Operations that change graphs. Included by capi.c only. */

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
  *spec = (GeNodeSpec){.size = sizeof *spec};
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
  GeNodeSpec spec = {.size = sizeof spec};
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
  GeOrigin origin = {sizeof origin, randomName(), ops[0], keys[0], oneIn(2) ? keys[1] : NULL, NULL};
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
    GeNodeSpec spec = {.size = sizeof spec};
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
static void opSetOutputNames(void) {
  WITH_GRAPH(graph);
  GeStringRef names[4];
  size_t count = below(4);
  for (size_t i = 0; i < count; ++i)
    names[i] = randomName();
  went(geGraphSetOutputNames(graph, names, count));
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
