/* Structs that begin with their size: of each, one of an older caller (smaller), of a newer caller
 * (larger), and one whose size was never set. test/python/house/test_sizes.py holds this file to
 * the headers: no struct is missing. */
#include "check.h"

#include "ge-c/Files.h"
#include "ge-c/Host.h"
#include "ge-c/Kernels.h"
#include "ge-c/ONNX.h"
#include "ge-c/Patterns.h"
#include "ge-c/Plugin.h"

#include <unistd.h>

enum { kGarbage = 0xab, kBehind = 24 };

static GeContext *context;
static GeGraphRef *graph;
static GeModule *module;
static GeNodeRef *relu;
static GeValueRef *x;
static GeType type;
static GeOpDef op;
static GePattern *pattern;
static GeRule *rule;
static char path[] = "sizes-XXXXXX";

/* What a call writes: all of it below `size`, nothing behind. */
typedef GeStatus (*Fill)(void *out);

static void checkFill(const char *name, size_t size, Fill fill) {
  unsigned char whole[512], out[512];
  CHECK(size + kBehind <= sizeof out);
  memset(whole, 0, sizeof whole);
  memcpy(whole, &size, sizeof size);
  CHECK_OK(fill(whole));
  const size_t sizes[] = {sizeof(size_t), size - sizeof(void *), size, size + kBehind};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    memset(out, kGarbage, sizeof out);
    memcpy(out, &sizes[i], sizeof(size_t));
    CHECK_OK(fill(out));
    size_t end = sizes[i] < size ? sizes[i] : size;
    if (memcmp(out, &sizes[i], sizeof(size_t)) != 0)
      FAIL("%s: the call wrote the size %zu", name, sizes[i]);
    for (size_t at = end; at < sizeof out; ++at)
      if (out[at] != kGarbage)
        FAIL("%s of %zu bytes: the call wrote byte %zu", name, sizes[i], at);
    if (end > sizeof(size_t) && memcmp(out + end - 1, whole + end - 1, 1) != 0)
      FAIL("%s of %zu bytes: the call did not write the last one", name, sizes[i]);
  }
  const size_t wrong[] = {0, sizeof(size_t) - 1, (size_t)1 << 40};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    memset(out, kGarbage, sizeof out);
    memcpy(out, &wrong[i], sizeof(size_t));
    CHECK_FAILS(GE_ERROR_VALUE, fill(out));
    CHECK_SAYS(name);
    for (size_t at = sizeof(size_t); at < sizeof out; ++at)
      CHECK(out[at] == kGarbage);
  }
}

/* What a call reads: `known` bytes of it are enough, and what stands behind is not looked at. */
typedef GeStatus (*Read)(const void *given);

static void checkRead(const char *name, const void *given, size_t size, size_t known, Read read) {
  unsigned char bytes[512];
  CHECK(known <= size && size + kBehind <= sizeof bytes);
  const size_t sizes[] = {known, size, size + kBehind};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    memset(bytes, kGarbage, sizeof bytes);
    memcpy(bytes, given, sizes[i] < size ? sizes[i] : size);
    memcpy(bytes, &sizes[i], sizeof(size_t));
    GeStatus status = read(bytes);
    if (status != GE_OK)
      FAIL("%s of %zu bytes gave status %d: %.*s", name, sizes[i], (int)status,
           (int)geErrorMessage().length, geErrorMessage().data);
  }
  const size_t wrong[] = {0, sizeof(size_t) - 1, (size_t)1 << 40};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    memcpy(bytes, given, size);
    memcpy(bytes, &wrong[i], sizeof(size_t));
    CHECK_FAILS(GE_ERROR_VALUE, read(bytes));
    CHECK_SAYS(name);
  }
}
#define CHECK_FILL(Struct, fill) checkFill(#Struct, sizeof(Struct), fill)
/* `last`: the first field that an older caller lacks. */
#define CHECK_READ(Struct, given, last, read)                                                      \
  checkRead(#Struct, given, sizeof(Struct), offsetof(Struct, last), read)
/* Every field of today is needed. */
#define CHECK_READ_WHOLE(Struct, given, read)                                                      \
  checkRead(#Struct, given, sizeof(Struct), sizeof(Struct), read)

/* --- Types and nodes -------------------------------------------------------------------------- */

static GeStatus fillDType(void *out) {
  GeDType f32 = 0;
  CHECK_OK(geDTypeFromName(S("f32"), &f32));
  return geDTypeGetInfo(f32, out);
}
static GeStatus fillTensorType(void *out) { return geTypeGetTensorSpec(type, out); }
static GeStatus readTensorType(const void *given) {
  GeType made = NULL;
  GeStatus status = geTypeTensor(context, given, &made);
  CHECK(status != GE_OK || made == type);
  return status;
}
static GeStatus fillOrigin(void *out) { return geNodeGetOrigin(relu, 0, out); }
static GeStatus readOrigin(const void *given) {
  GeNodeRef *node = addNode(graph, "onnx.Abs", "abs", x, NULL, type);
  GeStatus status = geNodeAddOrigin(node, given);
  CHECK_OK(geNodeErase(node, true));
  geNodeRelease(node);
  return status;
}
static GeStatus readNode(const void *given) {
  GeNodeRef *node = NULL, *detached = NULL;
  GeStatus status = geNodeCreate(graph, NULL, given, &node);
  if (geNodeCreateDetached(graph, given, &detached) != status)
    FAIL("geNodeCreateDetached does not do as geNodeCreate");
  geNodeRelease(detached);
  if (status == GE_OK)
    CHECK_OK(geNodeErase(node, true));
  geNodeRelease(node);
  return status;
}
static GeStatus readBuilt(const void *given) {
  GeValueRef *result = NULL;
  GeNodeRef *node = NULL;
  GeStatus status = geNodeBuild(graph, NULL, op, 0, given, &result);
  if (status != GE_OK)
    return status;
  CHECK_OK(geValueGetNode(result, &node));
  CHECK_OK(geNodeErase(node, true));
  geNodeRelease(node);
  geValueRelease(result);
  return status;
}

static void testTypesAndNodes(void) {
  CHECK_FILL(GeDTypeInfo, fillDType);
  CHECK_FILL(GeTensorTypeSpec, fillTensorType);
  GeTensorTypeSpec spec = {.size = sizeof spec};
  CHECK_OK(geTypeGetTensorSpec(type, &spec));
  CHECK_READ(GeTensorTypeSpec, &spec, originFormat, readTensorType);
  CHECK_READ(GeTensorTypeSpec, &spec, format, readTensorType);
  GeOrigin origin = {.size = sizeof origin, .node = S("old")};
  CHECK_OK(geNodeAddOrigin(relu, &origin));
  CHECK_FILL(GeOrigin, fillOrigin);
  CHECK_READ(GeOrigin, &origin, rule, readOrigin);
  GeNodeSpec node = {.size = sizeof node,
                     .op = operatorName(context, "onnx.Relu"),
                     .numOperands = 1,
                     .operands = &x,
                     .numResults = 1,
                     .resultTypes = &type};
  CHECK_READ(GeNodeSpec, &node, slots, readNode);
  CHECK_READ(GeNodeSpec, &node, numAttributes, readNode);
  CHECK_READ(GeNodeSpec, &node, name, readBuilt);
}

/* --- Operators -------------------------------------------------------------------------------- */

static GeConstant constant;
static GeKernel kernel;
static GeLibrary *library;

static GeStatus fillConstant(void *out) { return geConstantGet(constant, out); }
static GeStatus fillOp(void *out) { return geOpDefGetInfo(op, out); }
static GeStatus fillResult(void *out) { return geOpDefGetResult(op, 0, out); }
static GeStatus fillSlot(void *out) { return geOpDefGetParam(op, 0, out, NULL); }
static GeStatus fillParam(void *out) { return geOpDefGetParam(op, 0, NULL, out); }
static GeStatus fillKernel(void *out) { return geKernelGetInfo(kernel, out); }
static GeStatus fillCounts(void *out) { return geGraphInferTypes(graph, 0, NULL, out); }

static int doNothing(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)args, (void)numArgs;
  return geAnyFail(result, "never");
}
static GeStatus readKernel(const void *given) {
  GeKernel made = NULL;
  GeLibrary *own = NULL;
  CHECK_OK(geLibraryOpen(geRegistryGlobal(), GE_LIBRARY_IMPL, S("sizes"), S(""), 0, &own));
  GeStatus status = geLibraryImpl(own, given, &made);
  geKernelRelease(made);
  geLibraryRelease(own);
  return status;
}

static GeArgKind kindOf(void *userData, GeArg arg) { return (void)userData, (void)arg, GE_ARG_INT; }
static size_t lengthOf(void *userData, GeArg arg) { return (void)userData, (void)arg, 0; }
static GeArg itemOf(void *userData, GeArg arg, size_t index) {
  return (void)userData, (void)index, arg;
}
static bool intOf(void *userData, GeArg arg, int64_t *out) {
  (void)userData, (void)arg;
  *out = 1;
  return true;
}
static double floatOf(void *userData, GeArg arg) { return (void)userData, (void)arg, 1; }
static GeStringRef strOf(void *userData, GeArg arg) { return (void)userData, (void)arg, S(""); }
static bool isInstance(void *userData, GeArg arg, GeSchemaType of) {
  return (void)userData, (void)arg, (void)of, false;
}
static void describe(void *userData, GeArg arg, GeStringCallback callback, void *callbackData) {
  (void)userData, (void)arg;
  callback(S("int"), callbackData);
}
static const GeArgView kView = {sizeof(GeArgView), NULL,  kindOf,     lengthOf, itemOf, intOf,
                                floatOf,           strOf, isInstance, describe};
static GeOpDef number; /* takes an int */
static GeStatus bindNumber(const GeArgView *view, const GeBindOptions *options, size_t count) {
  GeArg arguments[] = {(const void *)&number, (const void *)&number};
  GeBoundArg bound;
  return geOpDefBind(number, view, arguments, count, NULL, 0, options, &bound, 1, NULL);
}
static GeStatus readView(const void *given) { return bindNumber(given, NULL, 1); }
static GeStatus readBindOptions(const void *given) { return bindNumber(&kView, given, 1); }
/* A fault is filled by a call that fails. */
static GeStatus fillFault(void *out) {
  GeArg arguments[] = {(const void *)&number, (const void *)&number};
  GeBoundArg bound;
  GeStatus status =
      geOpDefBind(number, &kView, arguments, 2, NULL, 0, NULL, &bound, 1, (GeBindFault *)out);
  return status == GE_ERROR_TYPE ? GE_OK : status;
}

static void keepSize(const GeOpKey *key, void *userData) { *(size_t *)userData = key->size; }
static GeStatus readReport(const void *given) {
  GeInferCounts counts = {.size = sizeof counts};
  GeStatus status = geGraphInferTypes(graph, 0, given, &counts);
  CHECK(geGraphVerifyDefinitions(graph, 0, given) == status);
  CHECK(geModuleVerifyDefinitions(module, given) == status);
  return status;
}
static GeStatus inferNothing(void *userData, const GeOpCall *call, GeType *results, bool *known) {
  (void)results;
  *(size_t *)userData = call->size;
  *known = false;
  return GE_OK;
}
static GeStatus evaluateNothing(void *userData, const GeOpCall *call, GeTensor **results,
                                bool *known) {
  return inferNothing(userData, call, (GeType *)results, known);
}
static GeStatus readInferrer(const void *given) {
  uint64_t token = 0;
  GeStatus status = geOpsAddInferrer(given, &token);
  geOpsRemoveInferrer(token);
  CHECK(geLibraryInfer(library, S("f"), given) == status);
  return status;
}
static GeStatus readEvaluator(const void *given) {
  GeStatus status = geOpsSetEvaluator(given);
  CHECK_OK(geOpsSetEvaluator(NULL));
  return status;
}
static GeStatus readExtra(const void *given) {
  GeOpSpec *spec = NULL;
  CHECK_OK(geOpSpecCreate(S("sizes::h(Tensor x) -> Tensor"), S(""), 0, &spec));
  GeStatus status = geOpSpecSetSlot(spec, false, 0, given);
  geOpSpecDestroy(spec);
  return status;
}

static void testOperators(void) {
  GeParamInfo param = {.size = sizeof param};
  CHECK_OK(geOpDefParse(S("sizes::g(int k=1) -> ()"), S(""), 0, &number));
  CHECK_OK(geOpDefGetParam(number, 0, NULL, &param));
  constant = param.defaultValue;
  CHECK_FILL(GeConstantValue, fillConstant);
  CHECK_FILL(GeOpInfo, fillOp);
  CHECK_FILL(GeSlotInfo, fillResult);
  CHECK_FILL(GeSlotInfo, fillSlot);
  CHECK_FILL(GeParamInfo, fillParam);
  CHECK_FILL(GeInferCounts, fillCounts);
  CHECK_OK(geLibraryOpen(geRegistryGlobal(), GE_LIBRARY_FRAGMENT, S("sizes"), S(""), 0, &library));
  CHECK_OK(geLibraryDefine(library, S("f(Tensor x) -> Tensor"), S(""), S(""), 0, NULL));
  GeKernelSpec spec = {
      .size = sizeof spec, .op = S("f"), .backend = S("cpu"), .function = doNothing};
  CHECK_OK(geLibraryImpl(library, &spec, &kernel));
  CHECK_FILL(GeKernelInfo, fillKernel);
  geKernelRelease(kernel);
  spec.backend = S("any");
  CHECK_READ(GeKernelSpec, &spec, file, readKernel);

  CHECK_READ_WHOLE(GeArgView, &kView, readView);
  GeBindOptions bind = {.size = sizeof bind};
  CHECK_READ(GeBindOptions, &bind, strict, readBindOptions);
  CHECK_FILL(GeBindFault, fillFault);
  GeOpReport report = {.size = sizeof report};
  CHECK_READ(GeOpReport, &report, fallbackOperator, readReport);
  size_t given = 0;
  CHECK_OK(geRegistryList(geRegistryGlobal(), S("sizes"), keepSize, &given));
  CHECK(given == sizeof(GeOpKey));

  size_t ofCall = 0;
  GeInferrer inferrer = {
      .size = sizeof inferrer, .name = S("sizes"), .userData = &ofCall, .infer = inferNothing};
  CHECK_READ(GeInferrer, &inferrer, release, readInferrer);
  GeEvaluator evaluator = {
      .size = sizeof evaluator, .userData = &ofCall, .evaluate = evaluateNothing};
  CHECK_READ(GeEvaluator, &evaluator, release, readEvaluator);
  CHECK_OK(geOpsSetEvaluator(&evaluator));
  bool known = true;
  GeTensor *made = NULL;
  CHECK_OK(geOpsEvaluate(operatorName(context, "sizes.f"), 0, NULL, 0, NULL, 0, &made, 1, &known));
  CHECK(!known && ofCall == sizeof(GeOpCall));
  CHECK_OK(geOpsSetEvaluator(NULL));
  GeSlotExtra extra = {.size = sizeof extra, .homogeneous = true, .typeVar = -1};
  CHECK_READ_WHOLE(GeSlotExtra, &extra, readExtra);
  geLibraryRelease(library);
  geOpDefRelease(number);
}

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
static GeStatus find(const GeMatchOptions *options, const GeGuard *guard) {
  GeMatches *matches = NULL;
  GeStatus status = geGraphFindMatches(graph, pattern, options, true, guard, &matches);
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
static GeStatus readGuard(const void *given) { return find(NULL, given); }
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
  GeGuard guard = {.size = sizeof guard, .test = no};
  CHECK_READ(GeGuard, &guard, userData, readGuard);
  GeRewriteOptions options = {.size = sizeof options};
  CHECK_READ(GeRewriteOptions, &options, match, readRewriteOptions);
  CHECK_FILL(GeRewriteCounts, fillRewriteCounts);
  GeRuleCallbacks refusing = {.size = sizeof refusing, .guard = no, .build = skip};
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

/* --- Text, files, hosts ----------------------------------------------------------------------- */

static GeStatus readPrint(const void *given) {
  Text text = {NULL, 0};
  GeStatus status = geGraphPrint(graph, given, appendText, &text);
  CHECK(status != GE_OK || strstr(text.data, "onnx.Relu"));
  freeText(&text);
  return status;
}
static GeStatus readParse(const void *given) {
  GeModule *made = NULL;
  GeStatus status = geModuleParse(context, S("module {}"), S("t"), given, &made);
  geModuleRelease(made);
  return status;
}
static GeStatus readWrite(const void *given) { return geFileWrite(S(path), "bytes", 5, given); }
static GeStatus readSave(const void *given) {
  GeOnnxModel *model = NULL;
  GeStatus status = geOnnxSerialize(module, S(""), given, &model);
  geOnnxModelRelease(model);
  return status;
}
static GeStatus readLoad(const void *given) {
  GeModule *made = NULL;
  GeStatus status = geOnnxLoadBytes(context, "", 0, NULL, NULL, given, &made);
  geModuleRelease(made);
  /* No bytes are no model: what is tested is the size. */
  return status == GE_ERROR_MODEL ? GE_OK : status;
}
static GeStatus readHost(const void *given) {
  GeHost *host = NULL;
  GeStatus status = geHostOpen(given, &host);
  geHostRelease(host);
  return status;
}
static void keepPlugin(const GePluginInfo *seen, void *userData) {
  *(size_t *)userData = seen->size;
}
static bool keepDiagnostic(const GeDiagnostic *diagnostic, void *userData) {
  *(size_t *)userData = diagnostic->size;
  return true;
}

static void testText(void) {
  GePrintOptions print = {.size = sizeof print, .elideElementsLargerThan = -1};
  CHECK_READ(GePrintOptions, &print, elideElementsLargerThan, readPrint);
  GeParseOptions parse = {.size = sizeof parse};
  CHECK_READ(GeParseOptions, &parse, sourceLocations, readParse);
  GeFileWriteOptions write = {.size = sizeof write};
  CHECK_READ(GeFileWriteOptions, &write, isNew, readWrite);
  GeOnnxSaveOptions save = {.size = sizeof save, .threshold = 1024};
  CHECK_READ(GeOnnxSaveOptions, &save, threshold, readSave);
  GeOnnxLoadOptions load = {.size = sizeof load};
  CHECK_READ(GeOnnxLoadOptions, &load, dataRoots, readLoad);
  GeHostOptions host = {.size = sizeof host};
  CHECK_READ(GeHostOptions, &host, python, readHost);
  size_t given = 0;
  CHECK_OK(gePluginLoadPlaces(path, keepPlugin, &given));
  CHECK(given == sizeof(GePluginInfo));

  uint64_t token = 0;
  bool handled = false;
  given = 0;
  CHECK_OK(geContextAttachDiagnosticHandler(context, keepDiagnostic, &given, NULL, &token));
  CHECK_OK(geContextEmit(context, GE_SEVERITY_WARNING, NULL, S("warning"), &handled));
  CHECK_OK(geContextDetachDiagnosticHandler(context, token));
  CHECK(handled && given == sizeof(GeDiagnostic));
}

/* Those that look at the thread's error do not replace it. */
static void testErrors(void) {
  GeModule *none = NULL;
  CHECK_FAILS(GE_ERROR_PARSE, geModuleParse(context, S("module {"), S("t"), NULL, &none));
  GeDiagnostic diagnostic = {.size = 0}, note = {.size = sizeof note};
  CHECK(geErrorDiagnostic(0, &diagnostic) == GE_ERROR_VALUE);
  CHECK(geErrorStatus() == GE_ERROR_PARSE);
  diagnostic.size = offsetof(GeDiagnostic, line);
  CHECK(geErrorDiagnostic(0, &diagnostic) == GE_OK);
  CHECK(contains(diagnostic.file, "t") && diagnostic.line == 0 && !diagnostic.impl);
  CHECK(geDiagnosticNote(&diagnostic, 0, &note) == GE_ERROR_TYPE);
  diagnostic.size = sizeof diagnostic;
  CHECK(geErrorDiagnostic(0, &diagnostic) == GE_OK && diagnostic.line == 1);
  CHECK(geDiagnosticNote(&diagnostic, diagnostic.numNotes, &note) == GE_ERROR_INDEX);
  note.size = 1;
  CHECK(geDiagnosticNote(&diagnostic, 0, &note) == GE_ERROR_VALUE);
}

int main(void) {
  const int64_t sizes[] = {2, 3};
  int file = mkstemp(path);
  CHECK(file >= 0 && close(file) == 0);
  CHECK_OK(geContextCreate(&context));
  CHECK_OK(geModuleCreate(context, S("m"), &module));
  CHECK_OK(geModuleAddGraph(module, S("main"), &graph));
  type = tensorType(context, "f32", 2, sizes);
  x = addInput(graph, "x", type);
  relu = addNode(graph, "onnx.Relu", "relu", x, NULL, type);
  GeValueRef *y = resultOf(relu);
  CHECK_OK(geGraphSetOutputs(graph, &y, 1));
  CHECK_OK(geRegistryGet(geRegistryGlobal(), S("onnx::Relu"), GE_OPSET_NEWEST, &op));
  testTypesAndNodes();
  testOperators();
  testPasses();
  testPatterns();
  testText();
  testErrors();
  unlink(path);
  geOpDefRelease(op);
  geValueRelease(y);
  geNodeRelease(relu);
  geValueRelease(x);
  geGraphRelease(graph);
  geModuleRelease(module);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
