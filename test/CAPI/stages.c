/* Passes of a stage: their order, switches and the switch file; the options of a run, which every
 * pass receives; invalid arguments. */
#include "check.h"

#include "ge-c/Passes.h"

#include <unistd.h>

static char seen[256]; /* names of passes in the order of their runs */

static GeStatus runPass(void *instance, GeGraphRef *graph, GePassRun *run) {
  (void)instance;
  (void)graph;
  GeStringRef name = gePassRunName(run), value = {"", 0};
  strncat(seen, name.data, name.length);
  strncat(seen, " ", 2);
  if (gePassRunGetOption(run, S("answer"), &value) == GE_OK)
    strncat(seen, value.data, value.length);
  return GE_OK;
}

static void registerPass(const char *name, const char *stage, const char *kind, int64_t priority,
                         const char *before) {
  GePassInfo info = {.size = sizeof info};
  GePassTable table = {.size = sizeof table};
  GeStringRef later = S(before);
  info.name = S(name);
  info.stage = S(stage);
  info.kind = S(kind);
  info.priority = priority;
  info.numBefore = *before ? 1 : 0;
  info.before = &later;
  table.run = runPass;
  CHECK_OK(gePassRegister(&info, &table));
}

static void appendName(const GePassInfo *info, void *userData) {
  strncat((char *)userData, info->name.data, info->name.length);
  strncat((char *)userData, " ", 2);
}

/* Checks the order in which the passes of a stage are listed and run. */
static void checkOrder(GeGraphRef *graph, const char *expected, const GePassOption *options,
                       size_t numOptions, const char *remark) {
  char listed[256] = "";
  CHECK_OK(gePassForEachOfStage(S("BeforeInferShape"), options, numOptions, appendName, listed));
  if (strcmp(listed, expected) != 0)
    FAIL("listed '%s', not '%s'", listed, expected);
  GePassManager *manager = NULL;
  GePassReport *report = NULL;
  CHECK_OK(gePassManagerParse(S(""), &manager));
  CHECK_OK(gePassManagerAddStage(manager, S("BeforeInferShape"), options, numOptions));
  CHECK_OK(gePassReportCreate(&report));
  seen[0] = '\0';
  CHECK_OK(gePassManagerRunGraph(manager, graph, NULL, report));
  if (strcmp(seen, expected) != 0)
    FAIL("ran '%s', not '%s'", seen, expected);
  CHECK(gePassReportNumRemarks(report) == (remark ? 1 : 0));
  if (remark) {
    GeDiagnostic diagnostic = {.size = sizeof diagnostic};
    CHECK_OK(gePassReportGetRemark(report, 0, &diagnostic));
    CHECK(contains(diagnostic.message, remark) && diagnostic.severity == GE_SEVERITY_WARNING);
    CHECK_FAILS(GE_ERROR_INDEX, gePassReportGetRemark(report, 1, &diagnostic));
  }
  gePassReportDestroy(report);
  gePassManagerDestroy(manager);
}

static void writeSwitches(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* A malformed switch file: without it, passes would run that it was to switch off. */
static void checkRefused(GeStatus status, const GePassOption *options, size_t numOptions,
                         const char *why) {
  GePassManager *manager = NULL;
  CHECK_OK(gePassManagerParse(S(""), &manager));
  CHECK_FAILS(status, gePassManagerAddStage(manager, S("BeforeInferShape"), options, numOptions));
  CHECK_SAYS(why);
  gePassManagerDestroy(manager);
}

static void testOrder(GeGraphRef *graph) {
  registerPass("b", "BeforeInferShape", "c", 0, "");
  registerPass("a", "BeforeInferShape", "c", 0, "");
  registerPass("z", "BeforeInferShape", "c", 0, "a");
  registerPass("first", "BeforeInferShape", "c", 7, "");
  registerPass("old2", "BeforeInferShape", "legacy_custom", 0, "");
  registerPass("old1", "BeforeInferShape", "legacy_custom", 9, "");
  registerPass("other", "AfterInferShape", "c", 0, "");
  checkOrder(graph, "old2 old1 first b z a ", NULL, 0, NULL);

  GePassOption options[] = {{sizeof(GePassOption), S("a"), S("off"), S("")},
                            {sizeof(GePassOption), S("old1"), S("off"), S("")}};
  checkOrder(graph, "old2 old1 first b z ", options, 2, "the option 'old1' does not disable");

  char path[] = "switches_XXXXXX";
  int file = mkstemp(path);
  CHECK(file >= 0 && close(file) == 0);
  options[1].name = S("ge.fusionSwitchFile");
  options[1].value = S(path);
  options[0].value = S("on"); /* takes precedence over the file */
  writeSwitches(path, "{\"x\": [1, {\"y\": null}], \"Switch\": {\"GraphFusion\": {\"ALL\": \"off\","
                      " \"a\": \"off\", \"\\u007a\": \"on\", \"first\": \"off\", \"old2\": "
                      "\"off\"}, \"UBFusion\": {\"x\": 1}}}");
  checkOrder(graph, "old2 old1 z a ", options, 2, "names 'old2', which it does not disable");
  static const char *const kBroken[] = {"",
                                        "{",
                                        "[]",
                                        "{\"Switch\": {}}",
                                        "{\"Switch\": 1}",
                                        "{\"Switch\": {\"GraphFusion\": {\"a\": \"o\\x\"}}}",
                                        "{\"Switch\": {\"GraphFusion\": {\"a\": nope}}}",
                                        "{\"Switch\": {\"GraphFusion\": {\"a\": true}}}",
                                        "{\"Switch\": {\"GraphFusion\": {\"a\": \"of\"}}}",
                                        "{\"Switch\": {\"GraphFusion\": {}}} more"};
  for (size_t i = 0; i < sizeof kBroken / sizeof *kBroken; ++i) {
    writeSwitches(path, kBroken[i]);
    checkRefused(GE_ERROR_VALUE, options, 2, "fusion switch file 'switches_");
  }
  char deep[1000];
  memset(deep, '[', sizeof deep - 1);
  deep[sizeof deep - 1] = '\0';
  memcpy(deep, "{\"a\":", 5);
  writeSwitches(path, deep);
  checkRefused(GE_ERROR_VALUE, options, 2, "nested too deeply");
  CHECK(remove(path) == 0);
  checkRefused(GE_ERROR_OS, options, 2, path);
}

static void testRefused(void) {
  GePassManager *manager = NULL;
  CHECK_OK(gePassManagerParse(S(""), &manager));
  CHECK_FAILS(GE_ERROR_VALUE, gePassManagerAddStage(manager, S("BeforeInfer"), NULL, 0));
  CHECK_SAYS("there is no stage 'BeforeInfer'");
  CHECK_FAILS(GE_ERROR_TYPE, gePassManagerAddStage(manager, S("BeforeInferShape"), NULL, 1));
  CHECK_FAILS(GE_ERROR_TYPE, gePassManagerAddStage(NULL, S("BeforeInferShape"), NULL, 0));
  CHECK_FAILS(GE_ERROR_TYPE, gePassForEachOfStage(S("BeforeInferShape"), NULL, 0, NULL, NULL));
  registerPass("circle1", "Mine", "c", 0, "circle2");
  registerPass("circle2", "Mine", "c", 0, "circle1");
  CHECK_FAILS(GE_ERROR_VALUE, gePassManagerAddStage(manager, S("Mine"), NULL, 0));
  CHECK_SAYS("circle1, circle2 ask for a circle");
  gePassManagerDestroy(manager);
}

static void appendOption(GeStringRef name, GeStringRef value, void *userData) {
  appendText(name, (Text *)userData);
  appendText(S("="), (Text *)userData);
  appendText(value, (Text *)userData);
  appendText(S(";"), (Text *)userData);
}

static GeStatus readOptions(void *instance, GeGraphRef *graph, GePassRun *run) {
  (void)graph;
  GeStringRef value = {"", 0};
  CHECK_FAILS(GE_ERROR_KEY, gePassRunGetOption(run, S("none"), &value));
  CHECK_SAYS("no option 'none'");
  CHECK_FAILS(GE_ERROR_TYPE, gePassRunGetOption(NULL, S("none"), &value));
  CHECK_FAILS(GE_ERROR_TYPE, gePassRunGetOption(run, S("b"), NULL));
  CHECK_OK(gePassRunGetOption(run, S("b"), &value));
  CHECK_TEXT("2", value);
  CHECK_FAILS(GE_ERROR_TYPE, gePassRunForEachOption(run, NULL, NULL));
  CHECK_OK(gePassRunForEachOption(run, appendOption, instance));
  return GE_OK;
}

static void testOptions(GeGraphRef *graph) {
  Text text = {0};
  GePassInfo info = {.size = sizeof info};
  GePassTable table = {.size = sizeof table};
  info.name = S("reads-options");
  table.run = readOptions;
  table.userData = &text;
  GePassManager *manager = NULL;
  CHECK_OK(gePassManagerParse(S(""), &manager));
  CHECK_OK(gePassManagerAddTable(manager, &info, &table));
  const GePassOption given[] = {{sizeof(GePassOption), S("b"), S("2"), S("")},
                                {sizeof(GePassOption), S("a"), S("1"), S("")}};
  GePassRunOptions options;
  gePassRunOptionsInit(&options, sizeof options);
  options.options = given;
  options.numOptions = 2;
  CHECK_OK(gePassManagerRunGraph(manager, graph, &options, NULL));
  CHECK(strcmp(text.data, "a=1;b=2;") == 0);
  options.options = NULL;
  CHECK_FAILS(GE_ERROR_TYPE, gePassManagerRunGraph(manager, graph, &options, NULL));
  freeText(&text);
  gePassManagerDestroy(manager);
}

int main(void) {
  GeContext *context = NULL;
  GeGraphRef *graph = NULL;
  CHECK_OK(geContextCreate(&context));
  CHECK_OK(geGraphCreate(context, S("main"), &graph));
  testOrder(graph);
  testRefused();
  testOptions(graph);
  geGraphRelease(graph);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
