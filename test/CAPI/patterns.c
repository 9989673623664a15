/* Patterns, matches, rules and explanations through the shared library alone. */
#include "check.h"

#include "ge-c/Patterns.h"
#include "ge-c/Text.h"

static GeType anyType(GeContext *context) {
  int64_t sizes[] = {2};
  return tensorType(context, "f32", 1, sizes);
}

/* A graph of Relu(Neg(x)) with named nodes; x is the only input. */
static GeGraphRef *reluOfNeg(GeContext *context, const char *name) {
  GeType type = anyType(context);
  GeGraphRef *graph = newGraph(context, name);
  GeValueRef *x = addInput(graph, "x", type);
  GeNodeRef *neg = addNode(graph, "onnx.Neg", "neg", x, NULL, type);
  GeValueRef *negated = resultOf(neg);
  GeNodeRef *relu = addNode(graph, "onnx.Relu", "relu", negated, NULL, type);
  GeValueRef *out = resultOf(relu);
  CHECK_OK(geGraphSetOutputs(graph, &out, 1));
  geValueRelease(out);
  geNodeRelease(relu);
  geValueRelease(negated);
  geNodeRelease(neg);
  geValueRelease(x);
  return graph;
}

static GePattern *newPattern(GeContext *context) {
  GeGraphRef *graph = reluOfNeg(context, "relu_of_neg");
  GePattern *pattern = NULL;
  CHECK_OK(gePatternCreate(graph, NULL, &pattern));
  geGraphRelease(graph);
  return pattern;
}

static void countPiece(GeStringRef piece, void *userData) {
  (void)piece;
  ++*(int *)userData;
}

static void testPattern(GeContext *context) {
  GePattern *pattern = newPattern(context);
  gePatternRetain(pattern);
  gePatternRelease(pattern);
  CHECK_TEXT("relu_of_neg", gePatternGetName(pattern));
  CHECK(gePatternGetContext(pattern) == context);
  CHECK(gePatternNumInputs(pattern) == 1);
  CHECK(gePatternNumOutputs(pattern) == 1);
  CHECK(gePatternNumNodes(pattern) == 2);
  GeStringRef name;
  CHECK_OK(gePatternGetInputName(pattern, 0, &name));
  CHECK_TEXT("x", name);
  CHECK(gePatternGetInputName(pattern, 1, &name) == GE_ERROR_INDEX);
  int names = 0;
  CHECK_OK(gePatternGetNames(pattern, countPiece, &names));
  CHECK(names == 3); /* x, neg, relu */
  gePatternRelease(pattern);

  GeGraphRef *empty = newGraph(context, "empty");
  CHECK(gePatternCreate(empty, NULL, &pattern) == GE_ERROR_VALUE);
  geGraphRelease(empty);
}

static void testFind(GeContext *context) {
  GePattern *pattern = newPattern(context);
  GeGraphRef *graph = reluOfNeg(context, "main");
  GeMatches *matches = NULL;
  GeMatchOptions options = {sizeof options, false, 100};
  CHECK_OK(geGraphFindMatches(graph, pattern, &options, true, NULL, &matches));
  CHECK(geMatchesSize(matches) == 1);
  const GeMatch *match = NULL;
  CHECK(geMatchesGet(matches, 1, &match) == GE_ERROR_INDEX);
  CHECK_OK(geMatchesGet(matches, 0, &match));
  CHECK(geMatchGetPattern(match) == pattern);
  GeValueRef *x = NULL, *again = NULL, *out = NULL;
  CHECK_OK(geMatchGetValue(match, S("x"), &x));
  CHECK_OK(geMatchGetInput(match, 0, &again));
  CHECK(x == again);
  CHECK(geMatchGetInput(match, 1, &again) == GE_ERROR_INDEX);
  CHECK_OK(geMatchGetOutput(match, 0, &out));
  CHECK(geMatchGetValue(match, S("nobody"), &again) == GE_ERROR_KEY);
  GeNodeRef *node = NULL, *anchor = NULL;
  CHECK_OK(geMatchGetNode(match, S("neg"), &node));
  geNodeRelease(node);
  CHECK_OK(geMatchGetAnchor(match, &anchor));
  size_t count = 0;
  CHECK_OK(geMatchNumNodes(match, &count));
  CHECK(count == 2);
  CHECK_OK(geMatchGetMatchedNode(match, 1, &node));
  CHECK(node == anchor);
  geNodeRelease(node);
  CHECK(geMatchGetMatchedNode(match, 2, &node) == GE_ERROR_INDEX);
  GeAttribute attribute;
  CHECK(geMatchGetAttribute(match, S("k"), &attribute) == GE_ERROR_KEY);
  CHECK(geMatchGetRest(match, S("x"), NULL, 0, &count) == GE_ERROR_KEY);
  CHECK_OK(geMatchSetReason(match, S("not used here")));
  /* References stay valid after the list of matches is destroyed. */
  geMatchesDestroy(matches);
  CHECK(geRefIsAlive((const GeRef *)x));
  geValueRelease(x);
  geValueRelease(x);
  geValueRelease(out);
  geNodeRelease(anchor);
  geGraphRelease(graph);
  gePatternRelease(pattern);
}

/* Constants match, but do not count as matched nodes. */
static void testConstants(GeContext *context) {
  static const char text[] =
      "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %c = \"ge.Const\"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>\n"
      "  %y = \"onnx.Mul\"(%x, %c) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
      "  return %y : tensor<2xf32>\n}\n";
  GeModule *module = NULL;
  CHECK_OK(geModuleParse(context, S(text), S("text"), NULL, &module));
  GeGraphRef *graph = NULL;
  CHECK_OK(geModuleGetGraph(module, 0, &graph));
  GePattern *pattern = NULL;
  CHECK_OK(gePatternCreate(graph, NULL, &pattern));
  GeMatches *matches = NULL;
  CHECK_OK(geGraphFindMatches(graph, pattern, NULL, true, NULL, &matches));
  const GeMatch *match = NULL;
  CHECK_OK(geMatchesGet(matches, 0, &match));
  size_t count = 0;
  CHECK_OK(geMatchNumNodes(match, &count));
  CHECK(count == 1);
  CHECK_OK(geMatchNumConstants(match, &count));
  CHECK(count == 1);
  GeValueRef *value = NULL, *same = NULL;
  CHECK_OK(geMatchGetConstant(match, 0, &value));
  CHECK_OK(geMatchGetValue(match, S("c"), &same));
  CHECK(value == same);
  CHECK(geMatchGetConstant(match, 1, &value) == GE_ERROR_INDEX);
  geMatchesDestroy(matches);
  CHECK(geRefIsAlive((const GeRef *)same));
  geValueRelease(same);
  geValueRelease(same);
  gePatternRelease(pattern);
  geGraphRelease(graph);
  geModuleRelease(module);
}

typedef struct Calls {
  int conditions, builds, deleted;
  bool answer;
  GeStatus fails;
} Calls;

static GeStatus condition(const GeMatch *match, void *userData, bool *out) {
  Calls *calls = userData;
  ++calls->conditions;
  CHECK(geMatchGetPattern(match) != NULL);
  if (calls->fails) {
    geErrorSet(calls->fails, S("the condition failed"));
    return calls->fails;
  }
  *out = calls->answer;
  return GE_OK;
}

typedef struct Built {
  GeValueRef *value;
} Built;

static void releaseBuilt(void *owner) {
  Built *built = owner;
  geValueRelease(built->value);
  free(built);
}

static GeStatus build(const GeMatch *match, GeGraphRef *graph, GeNodeRef *before, void *userData,
                      GeReplacement *out) {
  Calls *calls = userData;
  ++calls->builds;
  GeContext *context = geRefGetContext((const GeRef *)graph);
  GeValueRef *x = NULL;
  CHECK_OK(geMatchGetInput(match, 0, &x));
  GeType type = anyType(context);
  GeOperatorName op;
  CHECK_OK(geOperatorNameParse(context, S("onnx.Abs"), &op));
  GeNodeSpec spec = {.size = sizeof spec};
  spec.op = op;
  spec.operands = &x;
  spec.numOperands = 1;
  spec.resultTypes = &type;
  spec.numResults = 1;
  GeNodeRef *node = NULL;
  CHECK_OK(geNodeCreate(graph, before, &spec, &node));
  geValueRelease(x);
  Built *built = malloc(sizeof *built);
  CHECK(built != NULL);
  built->value = resultOf(node);
  geNodeRelease(node);
  out->values = &built->value;
  out->numValues = 1;
  out->release = releaseBuilt;
  out->owner = built;
  return GE_OK;
}

static void deleted(void *userData) { ++((Calls *)userData)->deleted; }

static void testRules(GeContext *context) {
  GePattern *pattern = newPattern(context);
  Calls calls = {0, 0, 0, false, GE_OK};
  GeRuleCallbacks callbacks = {sizeof callbacks, condition, build, &calls, deleted};
  GeRule *rule = NULL;
  CHECK_OK(geRuleCreate(pattern, S("abs"), NULL, NULL, 0, &callbacks, 0, &rule));
  geRuleRetain(rule);
  geRuleRelease(rule);
  CHECK_TEXT("abs", geRuleGetName(rule));
  CHECK(geRuleGetPattern(rule) == pattern);

  GeGraphRef *graph = reluOfNeg(context, "main");
  GeRewriteCounts counts = {.size = sizeof counts};
  uint64_t each = 7;
  CHECK_OK(geGraphRewrite(graph, &rule, 1, NULL, &counts, &each));
  CHECK(counts.rewrites == 0 && each == 0 && calls.conditions == 1);
  calls.fails = GE_ERROR_KEY;
  CHECK(geGraphRewrite(graph, &rule, 1, NULL, &counts, NULL) == GE_ERROR_KEY);
  CHECK_TEXT("the condition failed", geErrorMessage());
  CHECK_NODES("neg relu", graph);
  calls.fails = GE_OK;
  calls.answer = true;
  GeRewriteOptions options = {sizeof options, true, true, NULL};
  CHECK_OK(geGraphRewrite(graph, &rule, 1, &options, &counts, &each));
  CHECK(counts.rewrites == 1 && each == 1 && calls.builds == 1);
  CHECK_NODES("relu", graph); /* the new node has the old one's name */
  CHECK_OK(geGraphVerify(graph));
  geGraphRelease(graph);
  geRuleRelease(rule);
  CHECK(calls.deleted == 1);

  /* A rule with a template as its replacement, and invalid rules. */
  GeGraphRef *replacement = reluOfNeg(context, "same");
  GeStringRef inputs[] = {S("x")};
  CHECK_OK(geRuleCreate(pattern, S("self"), replacement, inputs, 1, NULL, 0, &rule));
  graph = reluOfNeg(context, "main");
  CHECK(geGraphRewrite(graph, &rule, 1, NULL, &counts, NULL) == GE_ERROR_PASS);
  CHECK_NODES("neg relu", graph);
  geRuleRelease(rule);
  CHECK(geRuleCreate(pattern, S("none"), NULL, NULL, 0, NULL, 0, &rule) == GE_ERROR_VALUE);
  inputs[0] = S("y");
  CHECK(geRuleCreate(pattern, S("y"), replacement, inputs, 1, NULL, 0, &rule) == GE_ERROR_KEY);
  geGraphRelease(replacement);
  geGraphRelease(graph);
  gePatternRelease(pattern);
}

static GeStatus refuseAll(GeValueRef *value, GeAttribute attribute, void *userData, bool *out) {
  (void)attribute;
  CHECK(value != NULL);
  ++((Calls *)userData)->conditions;
  *out = false;
  return GE_OK;
}

static void testPredicate(GeContext *context) {
  GeType type = anyType(context);
  GeGraphRef *graph = newGraph(context, "p");
  GeValueRef *x = addInput(graph, "x", type);
  GeNodeRef *where = addNode(graph, "pattern.Where", "where", x, NULL, type);
  GeIdentifier name;
  CHECK_OK(geIdentifierGet(context, S("predicate"), &name));
  GeAttribute zero;
  GeDType integer;
  CHECK_OK(geDTypeFromName(S("i64"), &integer));
  CHECK_OK(geAttributeInt(context, 0, integer, &zero));
  CHECK_OK(geNodeSetAttribute(where, name, zero));
  GeValueRef *value = resultOf(where);
  GeNodeRef *relu = addNode(graph, "onnx.Relu", "relu", value, NULL, type);
  GeValueRef *out = resultOf(relu);
  CHECK_OK(geGraphSetOutputs(graph, &out, 1));
  Calls calls = {0, 0, 0, false, GE_OK};
  GePredicate predicate = {sizeof predicate, refuseAll, &calls, deleted};
  GePatternOptions options = {
      sizeof options, GE_MATCH_GIVEN_ATTRIBUTES, GE_MATCH_CONSTANT_VALUE, &predicate, 1, false};
  GePattern *pattern = NULL;
  CHECK_OK(gePatternCreate(graph, &options, &pattern));
  GeGraphRef *target = reluOfNeg(context, "main");
  GeMatches *matches = NULL;
  CHECK_OK(geGraphFindMatches(target, pattern, NULL, false, NULL, &matches));
  CHECK(geMatchesSize(matches) == 0 && calls.conditions == 1);
  geMatchesDestroy(matches);
  gePatternRelease(pattern);
  CHECK(calls.deleted == 1);
  /* The predicate is released also if creating the pattern fails. */
  CHECK(gePatternCreate(NULL, &options, &pattern) == GE_ERROR_TYPE);
  CHECK(calls.deleted == 2);
  geGraphRelease(target);
  geValueRelease(out);
  geNodeRelease(relu);
  geValueRelease(value);
  geNodeRelease(where);
  geValueRelease(x);
  geGraphRelease(graph);
}

static void testExplain(GeContext *context) {
  GePattern *pattern = newPattern(context);
  GeType type = anyType(context);
  GeGraphRef *graph = newGraph(context, "main");
  GeValueRef *x = addInput(graph, "x", type);
  GeNodeRef *relu = addNode(graph, "onnx.Relu", "relu", x, NULL, type);
  GeValueRef *out = resultOf(relu);
  CHECK_OK(geGraphSetOutputs(graph, &out, 1));
  GeExplanation *explanation = NULL;
  CHECK_OK(geGraphExplainPattern(graph, pattern, NULL, 0, NULL, &explanation));
  CHECK(geExplanationNumMatches(explanation) == 0);
  CHECK(geExplanationNumPatternNodes(explanation) == 2);
  CHECK(geExplanationNumAttempts(explanation) == 1);
  CHECK(geExplanationGetText(explanation).length > 0);
  GeAttempt attempt = {.size = sizeof attempt};
  CHECK_OK(geExplanationGetAttempt(explanation, 0, &attempt));
  CHECK(attempt.failure == GE_FAILURE_OPERATOR && attempt.matched == 1 && attempt.numNodes == 1);
  CHECK_TEXT("operator", geMatchFailureName(attempt.failure));
  CHECK_TEXT("onnx.Neg", attempt.expected);
  CHECK_TEXT("the input 'x'", attempt.found);
  CHECK(geExplanationGetAttempt(explanation, 1, &attempt) == GE_ERROR_INDEX);
  GeNodeRef *node = NULL;
  CHECK_OK(geExplanationGetAttemptAnchor(explanation, 0, &node));
  CHECK(node == relu);
  geNodeRelease(node);
  CHECK_OK(geExplanationGetAttemptPlace(explanation, 0, &node));
  geNodeRelease(node);
  CHECK_OK(geExplanationGetAttemptNode(explanation, 0, 0, &node));
  CHECK(node == relu);
  geNodeRelease(node);
  CHECK(geExplanationNumNearOperators(explanation) == 0);
  GeStringRef name;
  uint64_t count;
  CHECK(geExplanationGetNearOperator(explanation, 0, &name, &count) == GE_ERROR_INDEX);
  geExplanationDestroy(explanation);

  GeGraphRef *replacement = reluOfNeg(context, "same");
  GeRule *rule = NULL;
  CHECK_OK(geRuleCreate(pattern, S("self"), replacement, NULL, 0, NULL, 0, &rule));
  CHECK_OK(geGraphExplain(graph, rule, relu, 1, NULL, &explanation));
  CHECK(geExplanationNumAttempts(explanation) == 1);
  geExplanationDestroy(explanation);
  geRuleRelease(rule);
  geGraphRelease(replacement);
  geValueRelease(out);
  geNodeRelease(relu);
  geValueRelease(x);
  geGraphRelease(graph);
  gePatternRelease(pattern);
}

static void testNull(void) {
  GePattern *pattern = NULL;
  GeRule *rule = NULL;
  GeMatches *matches = NULL;
  const GeMatch *match = NULL;
  GeExplanation *explanation = NULL;
  GeValueRef *value;
  GeNodeRef *node;
  GeAttribute attribute;
  GeStringRef name;
  GeAttempt attempt = {.size = sizeof attempt};
  GeRewriteCounts counts = {.size = sizeof counts};
  size_t count;
  uint64_t number;
  gePatternRetain(NULL);
  gePatternRelease(NULL);
  geRuleRetain(NULL);
  geRuleRelease(NULL);
  geMatchesDestroy(NULL);
  geExplanationDestroy(NULL);
  CHECK(gePatternGetName(NULL).length == 0 && gePatternGetContext(NULL) == NULL);
  CHECK(gePatternNumInputs(NULL) + gePatternNumOutputs(NULL) + gePatternNumNodes(NULL) == 0);
  CHECK(geRuleGetName(NULL).length == 0 && geRuleGetPattern(NULL) == NULL);
  CHECK(geMatchesSize(NULL) == 0 && geMatchGetPattern(NULL) == NULL);
  CHECK(geExplanationGetText(NULL).length == 0 && geExplanationNumMatches(NULL) == 0);
  CHECK(geExplanationNumPatternNodes(NULL) + geExplanationNumAttempts(NULL) == 0);
  CHECK(geExplanationNumNearOperators(NULL) == 0);
  CHECK(gePatternCreate(NULL, NULL, &pattern) == GE_ERROR_TYPE);
  CHECK(gePatternGetInputName(NULL, 0, &name) == GE_ERROR_TYPE);
  CHECK(gePatternGetNames(NULL, countPiece, NULL) == GE_ERROR_TYPE);
  CHECK(geMatchGetValue(NULL, S("x"), &value) == GE_ERROR_TYPE);
  CHECK(geMatchGetInput(NULL, 0, &value) == GE_ERROR_TYPE);
  CHECK(geMatchGetOutput(NULL, 0, &value) == GE_ERROR_TYPE);
  CHECK(geMatchGetNode(NULL, S("x"), &node) == GE_ERROR_TYPE);
  CHECK(geMatchGetRest(NULL, S("x"), NULL, 0, &count) == GE_ERROR_TYPE);
  CHECK(geMatchGetAttribute(NULL, S("x"), &attribute) == GE_ERROR_TYPE);
  CHECK(geMatchNumNodes(NULL, &count) == GE_ERROR_TYPE);
  CHECK(geMatchGetMatchedNode(NULL, 0, &node) == GE_ERROR_TYPE);
  CHECK(geMatchNumConstants(NULL, &count) == GE_ERROR_TYPE);
  CHECK(geMatchGetConstant(NULL, 0, &value) == GE_ERROR_TYPE);
  CHECK(geMatchGetAnchor(NULL, &node) == GE_ERROR_TYPE);
  CHECK(geMatchSetReason(NULL, S("x")) == GE_ERROR_TYPE);
  CHECK(geGraphFindMatches(NULL, NULL, NULL, true, NULL, &matches) == GE_ERROR_TYPE);
  CHECK(geMatchesGet(NULL, 0, &match) == GE_ERROR_TYPE);
  CHECK(geRuleCreate(NULL, S("x"), NULL, NULL, 0, NULL, 0, &rule) == GE_ERROR_TYPE);
  CHECK(geGraphRewrite(NULL, NULL, 0, NULL, &counts, NULL) == GE_ERROR_TYPE);
  CHECK(geGraphExplain(NULL, NULL, NULL, 0, NULL, &explanation) == GE_ERROR_TYPE);
  CHECK(geGraphExplainPattern(NULL, NULL, NULL, 0, NULL, &explanation) == GE_ERROR_TYPE);
  CHECK(geExplanationGetAttempt(NULL, 0, &attempt) == GE_ERROR_TYPE);
  CHECK(geExplanationGetAttemptAnchor(NULL, 0, &node) == GE_ERROR_TYPE);
  CHECK(geExplanationGetAttemptPlace(NULL, 0, &node) == GE_ERROR_TYPE);
  CHECK(geExplanationGetAttemptNode(NULL, 0, 0, &node) == GE_ERROR_TYPE);
  CHECK(geExplanationGetNearOperator(NULL, 0, &name, &number) == GE_ERROR_TYPE);
}

int main(void) {
  testNull();
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  testPattern(context);
  testFind(context);
  testConstants(context);
  testRules(context);
  testPredicate(context);
  testExplain(context);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
