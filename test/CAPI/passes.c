/* Passes in C: instances, statistics, remarks, rollback of failures, hooks, reports, the registry;
 * a run does not read functions that another thread is writing. */
#include "check.h"

#include "ge-c/Passes.h"

#include <pthread.h>

static const char *const kText = "module @m {\n"
                                 "  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                                 "    %a = \"onnx.Relu\"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
                                 "    %b = \"onnx.Neg\"(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
                                 "    return %b : tensor<2xf32>\n"
                                 "  }\n"
                                 "  func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                                 "    return %x : tensor<2xf32>\n"
                                 "  }\n"
                                 "}\n";

typedef struct State {
  int created, destroyed, ran, released;
  bool fail, fatal, breakGraph, keepTransaction;
  GeTransaction *kept;
  uint64_t call; /* the number of the last run */
} State;

static GeStatus create(void *userData, const GePassOption *options, size_t numOptions,
                       void **instance) {
  State *state = (State *)userData;
  ++state->created;
  state->fail = false;
  for (size_t i = 0; i < numOptions; ++i) {
    CHECK_TEXT("fail", options[i].name);
    state->fail = contains(options[i].value, "true");
  }
  *instance = state;
  return GE_OK;
}

/* Renames the first node. */
static GeStatus runPass(void *instance, GeGraphRef *graph, GePassRun *run) {
  State *state = (State *)instance;
  ++state->ran;
  state->call = geCallOfThread();
  size_t nodes = 0;
  CHECK_OK(geGraphNumNodes(graph, &nodes));
  if (nodes == 0)
    return GE_OK;
  GeNodeRef *node = NULL;
  CHECK_OK(geGraphGetNode(graph, 0, &node));
  CHECK_OK(geNodeSetName(node, S("renamed")));
  CHECK_OK(gePassRunCount(run, S("renamed"), 2));
  bool isTraced = false;
  CHECK_OK(gePassRunIsTraced(run, &isTraced));
  if (isTraced) {
    CHECK_OK(gePassRunTrace(run, S("instance"), S("b#0")));
    CHECK_OK(gePassRunTrace(run, S("instance"), S("a#1")));
  }
  CHECK_FAILS(GE_ERROR_TYPE, gePassRunTrace(NULL, S("x"), S("y")));
  CHECK_FAILS(GE_ERROR_TYPE, gePassRunIsTraced(run, NULL));
  CHECK_OK(gePassRunRemark(run, GE_SEVERITY_REMARK, NULL, S("one was renamed")));
  CHECK_FAILS(GE_ERROR_TYPE, gePassRunCount(NULL, S("x"), 1));
  CHECK_FAILS(GE_ERROR_TYPE, gePassRunRemark(NULL, GE_SEVERITY_NOTE, NULL, S("x")));
  /* NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): that is the test */
  CHECK_FAILS(GE_ERROR_VALUE, gePassRunRemark(run, (GeSeverity)9, NULL, S("x")));
  CHECK_FAILS(GE_ERROR_TYPE, gePassRunSetFailure(NULL, S(""), 0, S("x"), false));
  CHECK_FAILS(GE_ERROR_TYPE, gePassRunEraseGraphLater(NULL, graph));
  CHECK_FAILS(GE_ERROR_TYPE, gePassRunEraseGraphLater(run, NULL));
  CHECK(gePassRunName(run).length != 0 && gePassRunName(NULL).length == 0);
  if (state->breakGraph) {
    GeValueRef *absent = NULL;
    CHECK_OK(geGraphSetOutputs(graph, &absent, 1));
  }
  if (state->keepTransaction)
    CHECK_OK(geTransactionBegin(graph, &state->kept));
  geNodeRelease(node);
  if (!state->fail)
    return GE_OK;
  CHECK_OK(gePassRunSetFailure(run, S("pass.c"), 7, S("it was told to"), state->fatal));
  return GE_ERROR_VALUE;
}

static void destroy(void *instance) { ++((State *)instance)->destroyed; }
static void releaseState(void *userData) { ++((State *)userData)->released; }

static GePassTable tableOf(State *state, const char *name, GePassInfo *info) {
  static const GePassOption option = {sizeof option, {"fail", 4}, {"false", 5}, {"doc", 3}};
  *info = (GePassInfo){.size = sizeof *info};
  GePassTable table = {.size = sizeof table};
  info->name = S(name);
  info->doc = S("Renames the first node.");
  info->kind = S("c");
  info->origin = S("passes.c");
  info->numOptions = 1;
  info->options = &option;
  static const GePassRewrite rewrite = {sizeof rewrite, {"names", 5}, {"approximate", 11}};
  info->exactness = S("exact");
  info->numRewrites = 1;
  info->rewrites = &rewrite;
  table.userData = state;
  table.create = create;
  table.run = runPass;
  table.destroy = destroy;
  table.release = releaseState;
  return table;
}

static void findInfo(const GePassInfo *info, void *userData) {
  if (contains(info->name, "rename-first") && info->name.length == strlen("rename-first")) {
    CHECK_TEXT("c", info->kind);
    CHECK_TEXT("passes.c", info->origin);
    CHECK(info->numOptions == 1);
    CHECK_TEXT("false", info->options[0].value);
    CHECK_TEXT("exact", info->exactness);
    CHECK(info->numRewrites == 1);
    CHECK_TEXT("names", info->rewrites[0].what);
    CHECK_TEXT("approximate", info->rewrites[0].exactness);
    ++*(int *)userData;
  }
}

typedef struct Seen {
  int before, after;
  bool skip, fail;
  Text text;
} Seen;

static GeStatus before(const GePassRecord *record, bool *run, void *userData) {
  Seen *seen = (Seen *)userData;
  ++seen->before;
  CHECK(*run && record->pass.length != 0);
  *run = !seen->skip;
  if (seen->fail) {
    geErrorSet(GE_ERROR_KEY, S("the hook said no"));
    return GE_ERROR_KEY;
  }
  return GE_OK;
}
static GeStatus after(const GePassRecord *record, void *userData) {
  CHECK(record->outcome != GE_PASS_SKIPPED);
  ++((Seen *)userData)->after;
  return GE_OK;
}
static void sink(GeStringRef text, void *userData) { appendText(text, &((Seen *)userData)->text); }

static void testNulls(GeContext *context) {
  GePassManager *manager = NULL;
  GePassReport *report = NULL;
  GePassRecord record = {.size = sizeof record};
  GeDiagnostic diagnostic = {.size = sizeof diagnostic};
  GeStringRef text;
  uint64_t value = 0;
  CHECK_FAILS(GE_ERROR_TYPE, gePassManagerParse(S("sort"), NULL));
  CHECK_FAILS(GE_ERROR_PARSE, gePassManagerParse(S("srot"), &manager));
  CHECK_SAYS("did you mean 'sort'?");
  CHECK(manager == NULL && geErrorNumDiagnostics() == 1);
  CHECK_FAILS(GE_ERROR_TYPE, gePassManagerAdd(NULL, S("sort")));
  CHECK_FAILS(GE_ERROR_TYPE, gePassManagerAddTable(NULL, NULL, NULL));
  CHECK_FAILS(GE_ERROR_TYPE, gePassManagerPrint(NULL, appendText, NULL));
  CHECK_FAILS(GE_ERROR_TYPE, gePassManagerSetOption(NULL, S("exactness"), S("exact")));
  CHECK_FAILS(GE_ERROR_TYPE, gePassManagerRunModule(NULL, NULL, NULL, NULL));
  CHECK_FAILS(GE_ERROR_TYPE, gePassManagerRunGraph(NULL, NULL, NULL, NULL));
  CHECK_OK(gePassManagerParse(S(""), &manager));
  CHECK_FAILS(GE_ERROR_TYPE, gePassManagerRunModule(manager, NULL, NULL, NULL));
  CHECK_FAILS(GE_ERROR_TYPE, gePassManagerRunGraph(manager, NULL, NULL, NULL));
  CHECK_FAILS(GE_ERROR_TYPE, gePassManagerAddTable(manager, NULL, NULL));
  GePassInfo empty = {0};
  GePassTable none = {.size = sizeof none}, unsized = {0};
  CHECK_FAILS(GE_ERROR_VALUE, gePassManagerAddTable(manager, &empty, &none));
  CHECK_SAYS("set it to sizeof(GePassInfo)");
  empty.size = sizeof empty;
  CHECK_FAILS(GE_ERROR_VALUE, gePassManagerAddTable(manager, &empty, &none));
  CHECK_SAYS("a pass cannot be called ''");
  empty.name = S("x");
  CHECK_FAILS(GE_ERROR_TYPE, gePassManagerAddTable(manager, &empty, &none));
  CHECK_FAILS(GE_ERROR_TYPE, gePassRegister(&empty, &none));
  unsized.run = runPass;
  CHECK_FAILS(GE_ERROR_VALUE, gePassRegister(&empty, &unsized));
  CHECK_SAYS("set it to sizeof(GePassTable)");
  CHECK_FAILS(GE_ERROR_TYPE, gePassRegister(&empty, NULL));
  empty.numOptions = 1;
  GePassOption unsizedOption = {0};
  empty.options = &unsizedOption;
  none.run = runPass;
  CHECK_FAILS(GE_ERROR_VALUE, gePassRegister(&empty, &none));
  CHECK_SAYS("set it to sizeof(GePassOption)");
  empty.numOptions = 0;
  empty.pipeline = S("sort");
  CHECK_FAILS(GE_ERROR_VALUE, gePassManagerAddTable(manager, &empty, &none));
  CHECK_FAILS(GE_ERROR_TYPE, gePassRegister(NULL, NULL));
  CHECK_FAILS(GE_ERROR_TYPE, gePassForEach(NULL, NULL));
  gePassManagerDestroy(manager);
  gePassManagerDestroy(NULL);
  CHECK_FAILS(GE_ERROR_TYPE, gePassReportCreate(NULL));
  CHECK_OK(gePassReportCreate(&report));
  CHECK(gePassReportSize(report) == 0 && gePassReportSize(NULL) == 0);
  CHECK(!gePassReportHasChanged(report) && !gePassReportHasChanged(NULL));
  CHECK(gePassReportSeconds(NULL) == 0);
  CHECK_FAILS(GE_ERROR_INDEX, gePassReportGet(report, 0, &record));
  CHECK_FAILS(GE_ERROR_TYPE, gePassReportGet(NULL, 0, &record));
  CHECK_FAILS(GE_ERROR_TYPE, gePassReportPrint(NULL, GE_PASS_TIMING, appendText, NULL));
  /* NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): that is the test */
  CHECK_FAILS(GE_ERROR_VALUE, gePassReportPrint(report, (GePassReportForm)7, appendText, NULL));
  CHECK_FAILS(GE_ERROR_TYPE, gePassRecordGetStatistic(NULL, 0, &text, &value));
  CHECK_FAILS(GE_ERROR_TYPE, gePassRecordGetRemark(&record, 0, &diagnostic));
  gePassReportDestroy(report);
  gePassReportDestroy(NULL);
  gePassRunOptionsInit(NULL, 0);
  CHECK_NO_LEAKS(context);
}

static void testRun(GeContext *context) {
  State state = {0};
  GePassInfo info;
  GePassTable table = tableOf(&state, "rename-first", &info);
  CHECK_OK(gePassRegister(&info, &table));
  CHECK_FAILS(GE_ERROR_VALUE, gePassRegister(&info, &table));
  CHECK(state.released == 0);
  int found = 0;
  CHECK_OK(gePassForEach(findInfo, &found));
  CHECK(found == 1);

  GeModule *module = NULL;
  CHECK_OK(geModuleParse(context, S(kText), S("m"), NULL, &module));
  GeGraphRef *graph = NULL;
  CHECK_OK(geModuleGetGraph(module, 0, &graph));
  Text original = printedGraph(graph);
  GePassReport *report = NULL;
  CHECK_OK(gePassReportCreate(&report));
  GePassManager *manager = NULL;
  CHECK_OK(gePassManagerParse(S("rename-first{fail=true},rename-first"), &manager));

  /* The first failure ends the run, and its edits are rolled back. */
  CHECK_FAILS(GE_ERROR_PASS, gePassManagerRunModule(manager, module, NULL, report));
  CHECK_SAYS("pass 'rename-first' failed on module 'm': it was told to");
  GeDiagnostic diagnostic = {.size = sizeof diagnostic};
  CHECK_OK(geErrorDiagnostic(0, &diagnostic));
  CHECK_TEXT("pass.c", diagnostic.file);
  CHECK(diagnostic.line == 7);
  CHECK(state.created == 1 && state.destroyed == 1 && state.ran == 1);
  CHECK(gePassReportSize(report) == 1 && !gePassReportHasChanged(report));
  Text text = printedGraph(graph);
  CHECK(strcmp(text.data, original.data) == 0);
  freeText(&text);

  /* With skipFailures the run continues; one instance of a pass runs on both graphs. */
  GePassRunOptions options;
  gePassRunOptionsInit(&options, sizeof options);
  CHECK(options.verify);
  options.skipFailures = true;
  Seen seen = {0};
  options.before = before;
  options.after = after;
  options.sink = sink;
  options.printAfter = true;
  options.trace = true;
  options.userData = &seen;
  uint64_t failedCall = state.call;
  CHECK(failedCall != 0 && geCallOfThread() == 0);
  CHECK_OK(gePassManagerRunModule(manager, module, &options, report));
  CHECK(state.call > failedCall && geCallOfThread() == 0);
  CHECK(state.created == 3 && state.destroyed == 3 && state.ran == 4);
  CHECK(seen.before == 2 && seen.after == 2 && strstr(seen.text.data, "renamed"));
  CHECK(gePassReportSize(report) == 2 && gePassReportHasChanged(report));
  CHECK(gePassReportSeconds(report) > 0);
  GePassRecord record = {.size = sizeof record};
  CHECK_OK(gePassReportGet(report, 0, &record));
  GeDiagnostic error = {.size = sizeof error};
  CHECK_OK(gePassRecordGetError(&record, &error));
  CHECK(record.outcome == GE_PASS_FAILED && error.line == 7);
  CHECK(record.failure == GE_PASS_FAILURE_RAISED);
  CHECK_OK(gePassReportGet(report, 1, &record));
  CHECK(record.outcome == GE_PASS_CHANGED && record.numStatistics == 1 && record.numRemarks == 1);
  CHECK(record.failure == GE_PASS_FAILURE_NONE);
  GeStringRef name;
  uint64_t value = 0;
  CHECK_OK(gePassRecordGetStatistic(&record, 0, &name, &value));
  CHECK_TEXT("renamed", name);
  CHECK(value == 2);
  CHECK_FAILS(GE_ERROR_INDEX, gePassRecordGetStatistic(&record, 1, &name, &value));
  CHECK_OK(gePassRecordGetRemark(&record, 0, &diagnostic));
  CHECK_TEXT("one was renamed", diagnostic.message);
  CHECK_FAILS(GE_ERROR_INDEX, gePassRecordGetRemark(&record, 1, &diagnostic));
  for (int form = GE_PASS_TIMING; form <= GE_PASS_TRACE; ++form) {
    text = (Text){NULL, 0};
    CHECK_OK(gePassReportPrint(report, (GePassReportForm)form, appendText, &text));
    CHECK(strstr(text.data, "rename-first") != NULL);
    CHECK((strstr(text.data, "\"instance\": \"a#1\"") != NULL) == (form == GE_PASS_TRACE));
    freeText(&text);
  }

  /* A fatal failure also ends a run with skipFailures. */
  state.fatal = true;
  CHECK_FAILS(GE_ERROR_PASS, gePassManagerRunGraph(manager, graph, &options, report));
  state.fatal = false;
  state.fail = false;

  /* Hooks: one skips, one ends the run. */
  seen.skip = true;
  int ran = state.ran;
  CHECK_OK(gePassManagerRunGraph(manager, graph, &options, report));
  CHECK(state.ran == ran);
  CHECK_OK(gePassReportGet(report, 0, &record));
  CHECK(record.outcome == GE_PASS_SKIPPED);
  seen.fail = true;
  CHECK_FAILS(GE_ERROR_KEY, gePassManagerRunGraph(manager, graph, &options, report));
  CHECK_SAYS("the hook said no");
  freeText(&seen.text);

  /* A pass that leaves an invalid graph or an open transaction is rolled back. */
  GePassManager *once = NULL;
  CHECK_OK(gePassManagerParse(S("rename-first"), &once));
  state.breakGraph = true;
  CHECK_FAILS(GE_ERROR_PASS, gePassManagerRunGraph(once, graph, NULL, NULL));
  CHECK_SAYS("left an invalid graph");
  state.breakGraph = false;
  CHECK_OK(geGraphVerify(graph));
  state.keepTransaction = true;
  CHECK_FAILS(GE_ERROR_PASS, gePassManagerRunGraph(once, graph, NULL, NULL));
  CHECK_SAYS("a transaction that it opened on graph 'main' is still open");
  CHECK(!geTransactionIsOpen(state.kept));
  CHECK_OK(geTransactionDestroy(state.kept));
  state.keepTransaction = false;
  gePassRunOptionsInit(&options, sizeof options);
  options.hasBisectLimit = true;
  ran = state.ran;
  CHECK_OK(gePassManagerRunGraph(once, graph, &options, NULL));
  CHECK(state.ran == ran);

  /* Managers keep a pass that is unregistered. */
  CHECK_OK(gePassUnregister(S("rename-first")));
  CHECK_FAILS(GE_ERROR_KEY, gePassUnregister(S("rename-first")));
  CHECK(state.released == 0);
  CHECK_OK(gePassManagerRunGraph(once, graph, NULL, NULL));
  gePassManagerDestroy(once);
  gePassManagerDestroy(manager);
  CHECK(state.released == 1 && state.created == state.destroyed);
  freeText(&original);
  gePassReportDestroy(report);
  geGraphRelease(graph);
  geModuleRelease(module);
  CHECK_NO_LEAKS(context);
}

/* A module pass that adds a graph and fails, or erases a graph. */
static GeStatus runOnModule(void *instance, GeModule *module, GePassRun *run) {
  State *state = (State *)instance;
  GeGraphRef *graph = NULL;
  if (state->fail) {
    CHECK_OK(geModuleAddGraph(module, S("added"), &graph));
    geGraphRelease(graph);
    geErrorSet(GE_ERROR_GENERAL, S("after adding"));
    return GE_ERROR_GENERAL;
  }
  CHECK_OK(geModuleFindGraph(module, S("other"), &graph));
  CHECK_FAILS(GE_ERROR_VALUE, geModuleEraseGraph(module, graph));
  CHECK_OK(gePassRunEraseGraphLater(run, graph));
  geGraphRelease(graph);
  return GE_OK;
}

static void testModulePass(GeContext *context) {
  State state = {0};
  GePassInfo info = {.size = sizeof info};
  GePassTable table = {.size = sizeof table};
  info.name = S("module pass \"quoted\"");
  table.userData = &state;
  table.run = runPass;
  table.runModule = runOnModule;
  table.release = releaseState;
  GePassManager *manager = NULL;
  CHECK_OK(gePassManagerParse(S(""), &manager));
  CHECK_OK(gePassManagerAddTable(manager, &info, &table));
  Text text = {NULL, 0};
  CHECK_OK(gePassManagerPrint(manager, appendText, &text));
  CHECK(strcmp(text.data, "\"module pass \\\"quoted\\\"\"") == 0);
  freeText(&text);
  GeModule *module = NULL;
  CHECK_OK(geModuleParse(context, S(kText), S("m"), NULL, &module));
  state.fail = true;
  CHECK_FAILS(GE_ERROR_PASS, gePassManagerRunModule(manager, module, NULL, NULL));
  CHECK_SAYS("after adding");
  CHECK(geModuleNumGraphs(module) == 2);
  state.fail = false;
  GePassReport *report = NULL;
  CHECK_OK(gePassReportCreate(&report));
  CHECK_OK(gePassManagerRunModule(manager, module, NULL, report));
  CHECK(geModuleNumGraphs(module) == 1 && gePassReportHasChanged(report));
  gePassReportDestroy(report);
  gePassManagerDestroy(manager);
  CHECK(state.released == 1);
  geModuleRelease(module);
  CHECK_NO_LEAKS(context);
}

static const char *const kCall =
    "module @m {\n"
    "  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
    "    %y = \"local.F\"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "    return %y : tensor<2xf32>\n"
    "  }\n"
    "  func.func @local.F(%x: !ge.unknown) -> !ge.unknown attributes "
    "{ge.attrs = {\"onnx.function\" = {domain = \"local\", name = \"F\"}}} {\n"
    "    %y = \"onnx.Neg\"(%x) : (!ge.unknown) -> !ge.unknown\n"
    "    return %y : !ge.unknown\n"
    "  }\n"
    "}\n";

typedef struct Inlining {
  GePassManager *manager;
  GeGraphRef *graph;
  const char *busy; /* the graph that another thread writes; NULL: none */
} Inlining;

static void *inlineGraph(void *argument) {
  const Inlining *work = (const Inlining *)argument;
  if (!work->busy) {
    CHECK_OK(gePassManagerRunGraph(work->manager, work->graph, NULL, NULL));
    return NULL;
  }
  CHECK_FAILS(GE_ERROR_BUSY, gePassManagerRunGraph(work->manager, work->graph, NULL, NULL));
  CHECK_SAYS(work->busy);
  CHECK_SAYS(" is being written by the test");
  return NULL;
}

static void runElsewhere(Inlining *work) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, inlineGraph, work) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
}

/* A run on one graph also reads the functions it calls, which are separate graphs. */
static void testFunctionsInUse(GeContext *context) {
  GeModule *module = NULL;
  GeGraphRef *function = NULL;
  Inlining work = {0};
  CHECK_OK(geModuleParse(context, S(kCall), S("m"), NULL, &module));
  CHECK_OK(geModuleFindGraph(module, S("main"), &work.graph));
  CHECK_OK(geModuleFindGraph(module, S("local.F"), &function));
  CHECK_OK(gePassManagerParse(S("inline"), &work.manager));

  CHECK_OK(geGraphAcquireWrite(function, S("the test")));
  work.busy = "graph 'local.F'";
  runElsewhere(&work);
  CHECK_OK(geGraphReleaseWrite(function));

  /* A run can read a graph that has another reader; afterwards it has released its access. */
  CHECK_OK(geGraphAcquireRead(function));
  work.busy = NULL;
  runElsewhere(&work);
  CHECK_OK(geGraphReleaseRead(function));
  Text text = printedGraph(work.graph);
  CHECK(strstr(text.data, "onnx.Neg") && !strstr(text.data, "local.F"));
  freeText(&text);
  CHECK_OK(geGraphSetName(function, S("free")));
  CHECK_OK(geModuleSetName(module, S("free")));

  gePassManagerDestroy(work.manager);
  geGraphRelease(function);
  geGraphRelease(work.graph);
  geModuleRelease(module);
  CHECK_NO_LEAKS(context);
}

int main(void) {
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  testNulls(context);
  testRun(context);
  testModulePass(context);
  testFunctionsInUse(context);
  /* The same in serialized contexts, where a lock of the caller replaces access. */
  geContextSetSerialized(context, true);
  testModulePass(context);
  geContextRelease(context);
  return 0;
}
