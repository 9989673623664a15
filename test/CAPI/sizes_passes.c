/* Structs of passes and patterns that begin with their size: each is tested as passed by an older
 * caller (smaller), by a newer caller (larger), and with a size that was never set.
 * test/python/house/test_sizes.py checks that no struct of the headers is missing. */
#include "sizes.h"

#include "ge-c/Passes.h"
#include "ge-c/Patterns.h"

static GePattern *pattern;
static GeRule *rule;

/* --- Passes ----------------------------------------------------------------------------------- */

static GePassReport *report;
static GePassRecord record = {.size = sizeof record};
static GePipeline *pipeline;
static GePassTable table;
static GePassInfo info;

static GeStatus warn(void *instance, GeGraphRef *on, GePassRun *run) {
  (void)instance, (void)on;
  CHECK_OK(gePassRunRemark(run, GE_SEVERITY_WARNING, NULL, S("a remark")));
  geErrorSet(GE_ERROR_GENERAL, S("it fails"));
  return GE_ERROR_GENERAL;
}
static GeStatus fillRecord(void *out) { return gePassReportGet(report, 0, out); }
static GeStatus fillRemark(void *out) { return gePassRecordGetRemark(&record, 0, out); }
static GeStatus fillError(void *out) { return gePassRecordGetError(&record, out); }
static GeStatus readRecord(const void *given) {
  GeDiagnostic diagnostic = {.size = sizeof diagnostic};
  return gePassRecordGetError(given, &diagnostic);
}
static GeStatus fillElement(void *out) { return gePipelineGet(pipeline, 0, out); }
static GeStatus fillOption(void *out) { return gePipelineGetOption(pipeline, 0, 0, out); }
static GeStatus readOption(const void *given) {
  GePassManager *manager = NULL;
  CHECK_OK(gePassManagerParse(S(""), &manager));
  GeStatus status = gePassManagerAddStage(manager, S("BeforeInferShape"), given, 1);
  gePassManagerDestroy(manager);
  return status;
}
static GeStatus readInfo(const void *given) {
  GeStatus status = gePassRegister(given, &table);
  if (status == GE_OK)
    CHECK_OK(gePassUnregister(S("sizes")));
  return status;
}
static GeStatus readTable(const void *given) {
  GeStatus status = gePassRegister(&info, given);
  if (status == GE_OK)
    CHECK_OK(gePassUnregister(S("sizes")));
  return status;
}
static GeStatus readDeclared(const void *given) {
  GePassInfo with = info;
  with.numOptions = 1;
  with.options = given;
  return readInfo(&with);
}
static GeStatus readRewrite(const void *given) {
  GePassInfo with = info;
  with.numRewrites = 1;
  with.rewrites = given;
  return readInfo(&with);
}
static GeStatus readRunOptions(const void *given) {
  GePassManager *manager = NULL;
  CHECK_OK(gePassManagerParse(S("sort"), &manager));
  GeStatus status = gePassManagerRunGraph(manager, graph, given, NULL);
  gePassManagerDestroy(manager);
  return status;
}
static GeStatus keepRecord(const GePassRecord *seen, void *userData) {
  *(size_t *)userData = seen->size;
  return GE_OK;
}

static void testPasses(void) {
  info = (GePassInfo){.size = sizeof info, .name = S("sizes")};
  table = (GePassTable){.size = sizeof table, .run = warn};
  CHECK_READ(GePassInfo, &info, numRewrites, readInfo);
  CHECK_READ(GePassTable, &table, runModule, readTable);
  GePassOption option = {.size = sizeof option, .name = S("a"), .value = S("b")};
  CHECK_READ(GePassOption, &option, doc, readOption);
  CHECK_READ(GePassOption, &option, doc, readDeclared);
  GePassRewrite rewrite = {.size = sizeof rewrite, .what = S("a"), .exactness = S("exact")};
  CHECK_READ_WHOLE(GePassRewrite, &rewrite, readRewrite);

  GePassManager *manager = NULL;
  size_t ofRecord = 0;
  CHECK_OK(gePassRegister(&info, &table));
  CHECK_OK(gePassManagerParse(S("sizes"), &manager));
  CHECK_OK(gePassReportCreate(&report));
  GePassRunOptions options;
  gePassRunOptionsInit(&options, sizeof options);
  options.after = keepRecord;
  options.userData = &ofRecord;
  CHECK_FAILS(GE_ERROR_PASS, gePassManagerRunGraph(manager, graph, &options, report));
  CHECK(ofRecord == sizeof(GePassRecord));
  CHECK_OK(gePassReportGet(report, 0, &record));
  CHECK_FILL(GePassRecord, fillRecord);
  CHECK_FILL(GeDiagnostic, fillRemark);
  CHECK_FILL(GeDiagnostic, fillError);
  CHECK_READ_WHOLE(GePassRecord, &record, readRecord);
  gePassReportDestroy(report);
  gePassManagerDestroy(manager);
  CHECK_OK(gePassUnregister(S("sizes")));
  gePassRunOptionsInit(&options, sizeof options);
  CHECK_READ(GePassRunOptions, &options, verifyWhole, readRunOptions);
  CHECK_READ(GePassRunOptions, &options, treeDirectory, readRunOptions);

  CHECK_OK(gePipelineParse(S("fold{limit=3}"), &pipeline));
  CHECK_FILL(GePipelineElement, fillElement);
  CHECK_FILL(GePassOption, fillOption);
  gePipelineDestroy(pipeline);
}

/* --- Patterns --------------------------------------------------------------------------------- */

static GeExplanation *explanation;
static GeGraphRef *wanted; /* a pattern as a graph */

static GeStatus yes(GeValueRef *value, GeAttribute attribute, void *userData, bool *out) {
  (void)value, (void)attribute, (void)userData;
  *out = true;
  return GE_OK;
}
static GeStatus no(const GeMatch *match, void *userData, bool *out) {
  (void)match, (void)userData;
  *out = false;
  return GE_OK;
}
static GeStatus skip(const GeMatch *match, GeGraphRef *on, GeNodeRef *before, void *userData,
                     GeReplacement *out) {
  (void)match, (void)on, (void)before;
  *(size_t *)userData = out->size;
  CHECK(!out->skip && !out->values && !out->graph && !out->release);
  out->skip = true;
  return GE_OK;
}
static GeStatus makePattern(const GePatternOptions *options) {
  GePattern *made = NULL;
  GeStatus status = gePatternCreate(wanted, options, &made);
  gePatternRelease(made);
  return status;
}
static GeStatus readPatternOptions(const void *given) { return makePattern(given); }
static GeStatus readPredicate(const void *given) {
  GePatternOptions options = {.size = sizeof options, .predicates = given, .numPredicates = 1};
  return makePattern(&options);
}
static GeStatus find(const GeMatchOptions *options, const GeMatchCondition *condition) {
  GeMatches *matches = NULL;
  GeStatus status = geGraphFindMatches(graph, pattern, options, true, condition, &matches);
  geMatchesDestroy(matches);
  return status;
}
static GeStatus readMatchOptions(const void *given) {
  GeExplanation *made = NULL;
  GeRewriteOptions options = {.size = sizeof options, .match = given};
  GeRewriteCounts counts = {.size = sizeof counts};
  GeStatus status = find(given, NULL);
  CHECK(geGraphExplain(graph, rule, NULL, 0, given, &made) == status);
  geExplanationDestroy(made);
  CHECK(geGraphRewrite(graph, &rule, 1, &options, &counts, NULL) == status);
  return status;
}
static GeStatus readCondition(const void *given) { return find(NULL, given); }
static GeStatus readCallbacks(const void *given) {
  GeRule *made = NULL;
  GeStatus status = geRuleCreate(pattern, S("r"), NULL, NULL, 0, given, 0, &made);
  geRuleRelease(made);
  return status;
}
static GeStatus readRewriteOptions(const void *given) {
  GeRewriteCounts counts = {.size = sizeof counts};
  return geGraphRewrite(graph, &rule, 1, given, &counts, NULL);
}
static GeStatus fillRewriteCounts(void *out) {
  return geGraphRewrite(graph, &rule, 1, NULL, out, NULL);
}
static GeStatus fillAttempt(void *out) { return geExplanationGetAttempt(explanation, 0, out); }

static GeStatus rewriteInPass(void *instance, GeGraphRef *on, GePassRun *run) {
  (void)instance, (void)on;
  bool may = false;
  return gePassRunTakeRewrite(run, S("relu"), &may);
}
static GeStatus keepRewrite(const GePassRecord *seen, const GeRewrite *rewrite, void *userData) {
  (void)seen;
  *(size_t *)userData = rewrite->size;
  return GE_OK;
}

static void testPatterns(void) {
  wanted = newGraph(context, "wanted");
  GeValueRef *any = addInput(wanted, "any", geTypeUnknown(context));
  GeNodeRef *found = addNode(wanted, "onnx.Relu", "found", any, NULL, geTypeUnknown(context));
  GeValueRef *result = resultOf(found);
  CHECK_OK(geGraphSetOutputs(wanted, &result, 1));
  CHECK_OK(gePatternCreate(wanted, NULL, &pattern));
  GePatternOptions made = {.size = sizeof made};
  CHECK_READ(GePatternOptions, &made, constants, readPatternOptions);
  GePredicate predicate = {.size = sizeof predicate, .test = yes};
  CHECK_READ(GePredicate, &predicate, deleteUserData, readPredicate);

  size_t given = 0;
  GeRuleCallbacks callbacks = {.size = sizeof callbacks, .build = skip, .userData = &given};
  CHECK_OK(geRuleCreate(pattern, S("rule"), NULL, NULL, 0, &callbacks, 0, &rule));
  CHECK_READ(GeRuleCallbacks, &callbacks, deleteUserData, readCallbacks);
  GeMatchOptions match = {.size = sizeof match};
  CHECK_READ(GeMatchOptions, &match, allowOutsideUses, readMatchOptions);
  CHECK(given == sizeof(GeReplacement));
  GeMatchCondition condition = {.size = sizeof condition, .test = no};
  CHECK_READ(GeMatchCondition, &condition, userData, readCondition);
  GeRewriteOptions options = {.size = sizeof options};
  CHECK_READ(GeRewriteOptions, &options, match, readRewriteOptions);
  CHECK_FILL(GeRewriteCounts, fillRewriteCounts);
  GeRuleCallbacks refusing = {.size = sizeof refusing, .condition = no, .build = skip};
  GeRule *refused = NULL;
  CHECK_OK(geRuleCreate(pattern, S("refused"), NULL, NULL, 0, &refusing, 0, &refused));
  CHECK_OK(geGraphExplain(graph, refused, NULL, 0, NULL, &explanation));
  geRuleRelease(refused);
  CHECK(geExplanationNumAttempts(explanation) > 0);
  CHECK_FILL(GeAttempt, fillAttempt);
  geExplanationDestroy(explanation);

  GePassTable rewriting = {.size = sizeof rewriting, .run = rewriteInPass};
  GePassManager *manager = NULL;
  CHECK_OK(gePassManagerParse(S(""), &manager));
  CHECK_OK(gePassManagerAddTable(manager, &info, &rewriting));
  GePassRunOptions run = {.size = sizeof run, .rewriting = keepRewrite, .userData = &given};
  CHECK_OK(gePassManagerRunGraph(manager, graph, &run, NULL));
  CHECK(given == sizeof(GeRewrite));
  gePassManagerDestroy(manager);
  geRuleRelease(rule);
  gePatternRelease(pattern);
  geValueRelease(result);
  geNodeRelease(found);
  geValueRelease(any);
  geGraphRelease(wanted);
}

int main(void) {
  setUp();
  testPasses();
  testPatterns();
  tearDown();
  return 0;
}
