/* Structs that begin with their size: each is tested as passed by an older caller (smaller), by a
 * newer caller (larger), and with a size that was never set. test/python/house/test_sizes.py checks
 * that no struct of the headers is missing. Those of passes and patterns are in sizes_passes.c. */
#include "sizes.h"

#include "ge-c/Files.h"
#include "ge-c/Host.h"
#include "ge-c/Kernels.h"
#include "ge-c/ONNX.h"
#include "ge-c/Plugin.h"
#include "ge-c/Regions.h"

#include <unistd.h>

static GeOpDef op;
static char path[] = "sizes-XXXXXX";

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
/* A failing call fills the fault. */
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
static GeStatus compileNothing(void *userData, GeModule *given, void **region) {
  (void)userData, (void)given, (void)region;
  return GE_OK;
}
static GeStatus runNothing(void *userData, void *region, GeContext *given, GeTensor *const *inputs,
                           size_t numInputs, GeTensor **outputs, size_t numOutputs) {
  (void)userData, (void)region, (void)given, (void)inputs, (void)numInputs, (void)outputs;
  return numOutputs ? GE_ERROR_NOT_IMPLEMENTED : GE_OK;
}
static GeStatus readRegionRunner(const void *given) {
  GeStatus status = geOpsSetRegionRunner(given);
  CHECK(geOpsHasRegionRunner() == (status == GE_OK));
  CHECK_OK(geOpsSetRegionRunner(NULL));
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
  GeRegionRunner runner = {.size = sizeof runner, .compile = compileNothing, .run = runNothing};
  CHECK_READ(GeRegionRunner, &runner, releaseRegion, readRegionRunner);
  GeSlotExtra extra = {.size = sizeof extra, .homogeneous = true, .typeVar = -1};
  CHECK_READ_WHOLE(GeSlotExtra, &extra, readExtra);
  geLibraryRelease(library);
  geOpDefRelease(number);
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
  /* Empty bytes are not a model; only the size is tested here. */
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

/* Functions that read the thread's error do not replace it. */
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
  int file = mkstemp(path);
  CHECK(file >= 0 && close(file) == 0);
  setUp();
  CHECK_OK(geRegistryGet(geRegistryGlobal(), S("onnx::Relu"), GE_OPSET_NEWEST, &op));
  testTypesAndNodes();
  testOperators();
  testText();
  testErrors();
  unlink(path);
  geOpDefRelease(op);
  tearDown();
  return 0;
}
