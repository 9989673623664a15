/* The rewrites of a run: each is reported while the old and the new nodes are in the graph, their
 * number can be limited, and a hook can reject a pass's result. */
#include "check.h"

#include "ge-c/Passes.h"
#include "ge-c/Patterns.h"

static const char *const kText =
    "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  %a = \"onnx.Relu\"(%x) {ge.name = \"a\"} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  %b = \"onnx.Relu\"(%a) {ge.name = \"b\"} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  return %b : tensor<2xf32>\n"
    "}\n";

static GeRule *makeRule(GeContext *context) {
  GeGraphRef *relu = NULL, *abs = NULL;
  CHECK_OK(geGraphParse(context,
                        S("func.func @relu(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                          "  %y = \"onnx.Relu\"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
                          "  return %y : tensor<2xf32>\n}\n"),
                        S("relu"), &relu));
  CHECK_OK(geGraphParse(context,
                        S("func.func @abs(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                          "  %y = \"onnx.Abs\"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
                          "  return %y : tensor<2xf32>\n}\n"),
                        S("abs"), &abs));
  GePattern *pattern = NULL;
  GeRule *rule = NULL;
  CHECK_OK(gePatternCreate(relu, NULL, &pattern));
  CHECK_OK(geRuleCreate(pattern, S("abs"), abs, NULL, 0, NULL, 0, &rule));
  gePatternRelease(pattern);
  geGraphRelease(relu);
  geGraphRelease(abs);
  return rule;
}

/* Reports a rewrite of its own, then applies the rule. */
static GeStatus runPass(void *instance, GeGraphRef *graph, GePassRun *run) {
  bool may = false;
  CHECK_FAILS(GE_ERROR_TYPE, gePassRunTakeRewrite(NULL, S("x"), &may));
  CHECK_FAILS(GE_ERROR_TYPE, gePassRunTakeRewrite(run, S("x"), NULL));
  CHECK_OK(gePassRunTakeRewrite(run, S("own"), &may));
  GeRule *rule = (GeRule *)instance;
  GeRewriteCounts counts = {.size = sizeof counts};
  return geGraphRewrite(graph, &rule, 1, NULL, &counts, NULL);
}

typedef struct Seen {
  uint64_t rewrites, listed, failAt;
  int accepted;
  bool refuse;
} Seen;

static GeStatus rewriting(const GePassRecord *record, const GeRewrite *rewrite, void *userData) {
  Seen *seen = (Seen *)userData;
  CHECK_TEXT("to abs", record->pass);
  CHECK(rewrite->number == ++seen->rewrites);
  if (rewrite->number == seen->failAt) {
    geErrorSet(GE_ERROR_VALUE, S("it is wrong"));
    return GE_ERROR_VALUE;
  }
  if (!rewrite->graph) {
    CHECK_TEXT("own", rewrite->at);
    return GE_OK;
  }
  ++seen->listed;
  CHECK_TEXT("abs", rewrite->rule);
  CHECK_TEXT(rewrite->number == 2 ? "a" : "b", rewrite->at);
  CHECK(rewrite->numMatched == 1 && rewrite->numMade == 1 && rewrite->numOutputs == 1);
  /* Both results exist, and the old one still has its uses. */
  bool used = false;
  CHECK_OK(geValueHasUses(rewrite->before[0], &used));
  CHECK(used);
  CHECK_OK(geValueHasUses(rewrite->after[0], &used));
  CHECK(!used);
  size_t nodes = 0;
  CHECK_OK(geGraphNumNodes(rewrite->graph, &nodes));
  CHECK(nodes == 3);
  return GE_OK;
}

static GeStatus accept(const GePassRecord *record, void *userData) {
  Seen *seen = (Seen *)userData;
  CHECK_TEXT("to abs", record->pass);
  ++seen->accepted;
  if (!seen->refuse)
    return GE_OK;
  geErrorSet(GE_ERROR_VALUE, S("not like this"));
  return GE_ERROR_VALUE;
}

int main(void) {
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  GeRule *rule = makeRule(context);
  GePassInfo info = {.size = sizeof info};
  GePassTable table = {.size = sizeof table};
  info.name = S("to abs");
  table.userData = rule;
  table.run = runPass;
  GePassManager *manager = NULL;
  CHECK_OK(gePassManagerParse(S(""), &manager));
  CHECK_OK(gePassManagerAddTable(manager, &info, &table));
  GePassReport *report = NULL;
  CHECK_OK(gePassReportCreate(&report));

  for (uint64_t limit = 0; limit <= 4; ++limit) {
    Seen seen = {0};
    GePassRunOptions options;
    gePassRunOptionsInit(&options, sizeof options);
    CHECK(!options.hasRewriteLimit);
    options.hasRewriteLimit = limit != 4;
    options.rewriteLimit = limit;
    options.rewriting = rewriting;
    options.accept = accept;
    options.userData = &seen;
    GeGraphRef *graph = NULL;
    CHECK_OK(geGraphParse(context, S(kText), S("main"), &graph));
    CHECK_OK(gePassManagerRunGraph(manager, graph, &options, report));
    uint64_t all = limit == 4 ? 3 : limit;
    GePassRecord record = {.size = sizeof record};
    CHECK_OK(gePassReportGet(report, 0, &record));
    CHECK(record.rewrites == all && seen.rewrites == all);
    CHECK(seen.listed == (all ? all - 1 : 0));
    CHECK(seen.accepted == (all > 1));
    geGraphRelease(graph);
  }

  /* Edits that a hook rejects are rolled back. */
  for (int i = 0; i < 2; ++i) {
    Seen seen = {0};
    seen.refuse = i == 0;
    seen.failAt = i == 0 ? 0 : 3;
    GePassRunOptions options;
    gePassRunOptionsInit(&options, sizeof options);
    options.rewriting = rewriting;
    options.accept = accept;
    options.userData = &seen;
    GeGraphRef *graph = NULL;
    CHECK_OK(geGraphParse(context, S(kText), S("main"), &graph));
    Text before = printedGraph(graph);
    CHECK_FAILS(GE_ERROR_PASS, gePassManagerRunGraph(manager, graph, &options, report));
    CHECK_SAYS(i == 0 ? "is refused on graph 'main': not like this" : "it is wrong");
    Text after = printedGraph(graph);
    CHECK(strcmp(before.data, after.data) == 0);
    freeText(&before);
    freeText(&after);
    geGraphRelease(graph);
  }

  gePassReportDestroy(report);
  gePassManagerDestroy(manager);
  geRuleRelease(rule);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
