/* Errors: NULL objects, references of the wrong kind, invalid indices; outputs are not written on
 * failure; the thread's record of its last error; versions. */
#include "check.h"

#include "ge-c/Terminal.h"

#include <errno.h>

#define NULL_REFUSED(call) CHECK_FAILS(GE_ERROR_TYPE, call)

static void testVersions(void) {
  CHECK(geAbiVersion() == GE_C_ABI_VERSION);
  char *end;
  CHECK(strtol(geVersion(), &end, 10) >= 0 && *end == '.');
  CHECK(strtol(end + 1, &end, 10) >= 0 && *end == '.');
  CHECK(strtol(end + 1, &end, 10) >= 0);
  CHECK(geCoreInstance() != NULL && geCoreInstance() == geCoreInstance());
  FILE *library = fopen(geLibraryPath(), "rb");
  CHECK(library != NULL);
  fclose(library);
}

static void testRecord(void) {
  CHECK(geErrorStatus() == GE_OK && geErrorMessage().length == 0);
  CHECK(geErrorNumDiagnostics() == 0);
  geErrorSet(GE_ERROR_PASS, S("from a callback"));
  CHECK(geErrorStatus() == GE_ERROR_PASS);
  CHECK_TEXT("from a callback", geErrorMessage());
  GeDiagnostic diagnostic = {.size = sizeof diagnostic};
  CHECK(geErrorDiagnostic(0, &diagnostic) == GE_ERROR_INDEX);
  CHECK(geErrorDiagnostic(0, NULL) == GE_ERROR_TYPE);
  CHECK(geDiagnosticNote(NULL, 0, &diagnostic) == GE_ERROR_TYPE);
  CHECK(geDiagnosticNote(&diagnostic, 0, &diagnostic) == GE_ERROR_TYPE);
  int64_t offset;
  GeStringRef field;
  CHECK(geDiagnosticPlace(&diagnostic, &offset, &field) == GE_ERROR_TYPE);
  CHECK(geDiagnosticPlace(NULL, &offset, &field) == GE_ERROR_TYPE);
  CHECK_TEXT("from a callback", geErrorMessage()); /* queries do not change the record */
  /* NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): that is the test */
  geErrorSet((GeStatus)999, S("no such status"));
  CHECK(geErrorStatus() == GE_ERROR_GENERAL);
}

static void countBytes(GeStringRef piece, void *count) { *(size_t *)count += piece.length; }

/* Errors of the operating system: errno, reason and path. */
static void testFiles(void) {
  int code = -1;
  GeStringRef reason = {NULL, 0}, path = {NULL, 0};
  size_t bytes = 0;
  CHECK(!geErrorGetSystem(&code, &reason, &path) && code == -1);
  CHECK_FAILS(GE_ERROR_OS, geFileRead(S("/none/such"), false, countBytes, &bytes));
  CHECK(geErrorGetSystem(&code, &reason, &path) && code == ENOENT && bytes == 0);
  CHECK_TEXT("No such file or directory", reason);
  CHECK_TEXT("/none/such", path);
  CHECK_TEXT("cannot open '/none/such': No such file or directory", geErrorMessage());
  CHECK(geErrorGetSystem(NULL, NULL, NULL));
  CHECK_FAILS(GE_ERROR_OS, geFileRead(S("/dev/zero"), false, countBytes, &bytes));
  CHECK_OK(geFileRead(S("/dev/null"), false, countBytes, &bytes));
  CHECK_OK(geFileRead(S(geLibraryPath()), false, countBytes, &bytes));
  CHECK(bytes > 0);
  geErrorSet(GE_ERROR_OS, S("from a callback"));
  CHECK(!geErrorGetSystem(&code, &reason, &path));
}

static void testTrust(void) {
  GeStringRef none = {"", 0};
  bool trusted = true;
  CHECK(geFileIsTrusted(S(geLibraryPath()), none, NULL, NULL, NULL) == GE_ERROR_TYPE);
  CHECK(geFileIsTrusted(S("no/such/file"), none, &trusted, NULL, NULL) == GE_ERROR_OS);
  CHECK(trusted); /* not written on failure */
  CHECK_OK(geFileIsTrusted(S("/dev/null"), none, &trusted, NULL, NULL));
  CHECK(!trusted); /* never trusted: it is not a regular file */
}

static void testDiagnostics(GeContext *context) {
  GeGraphRef *graph = newGraph(context, "g");
  GeType type = tensorType(context, "f32", 0, NULL);
  GeNodeRef *a = addNode(graph, "my.A", "a", NULL, NULL, type);
  GeValueRef *value = resultOf(a);
  GeLocation where = NULL;
  CHECK_OK(geLocationFile(context, S("model.py"), 12, 3, &where));
  CHECK_OK(geNodeSetLocation(a, where));
  CHECK_OK(geNodeInsertOperand(a, 0, value));
  CHECK_FAILS(GE_ERROR_VERIFY, geGraphVerify(graph));
  CHECK(geErrorNumDiagnostics() == 1);
  GeDiagnostic diagnostic = {.size = sizeof diagnostic}, note = {.size = sizeof note};
  CHECK(geErrorDiagnostic(0, &diagnostic) == GE_OK);
  CHECK_TEXT("model.py", diagnostic.file);
  CHECK(diagnostic.line == 12 && diagnostic.column == 3);
  CHECK(contains(diagnostic.message, "a -> a"));
  CHECK(diagnostic.numNotes >= 1);
  int64_t offset = 0;
  GeStringRef field;
  CHECK(geDiagnosticPlace(&diagnostic, &offset, NULL) == GE_ERROR_TYPE);
  CHECK(geDiagnosticPlace(&diagnostic, &offset, &field) == GE_OK);
  CHECK(offset == -1 && field.length == 0); /* only diagnostics about bytes have these */
  CHECK(geDiagnosticNote(&diagnostic, 0, &note) == GE_OK);
  CHECK(note.severity == GE_SEVERITY_NOTE);
  CHECK(geDiagnosticNote(&diagnostic, diagnostic.numNotes, &note) == GE_ERROR_INDEX);
  geValueRelease(value);
  geNodeRelease(a);
  geGraphRelease(graph);
}

static void testNullObjects(GeContext *c) {
  GeIdentifier id;
  GeOperatorName op;
  GeDTypeInfo info = {.size = sizeof info};
  GeDType dtype;
  GeType type = geTypeNone(c);
  GeTensorTypeSpec spec = {.size = sizeof spec};
  GeStringRef text, missing = {NULL, 3};
  GeLocation location;
  GeTensor *tensor;
  GeAttribute attribute = {0};
  GeGraphRef *g;
  GeNodeRef *n;
  GeValueRef *v;
  GeModule *m;
  GeCursor *cursor;
  GeTransaction *transaction;
  size_t size;
  bool flag;
  const void *data;
  uint64_t number;

  NULL_REFUSED(geContextCreate(NULL));
  geContextRetain(NULL);
  geContextRelease(NULL);
  CHECK(geContextLiveHandleCount(NULL) == 0 && geContextLiveGraphCount(NULL) == 0);
  geContextSetSerialized(NULL, true);
  CHECK(geContextGetSlot(NULL) == NULL);
  geContextSetSlot(NULL, NULL);
  geContextSetSlotDestructor(NULL, NULL);
  uint64_t token;
  NULL_REFUSED(geContextAttachDiagnosticHandler(c, NULL, NULL, NULL, &token));
  NULL_REFUSED(geContextDetachDiagnosticHandler(NULL, 1));
  NULL_REFUSED(geContextEmit(NULL, GE_SEVERITY_ERROR, NULL, S("x"), &flag));

  NULL_REFUSED(geIdentifierGet(NULL, S("x"), &id));
  NULL_REFUSED(geIdentifierGet(c, missing, &id));
  NULL_REFUSED(geIdentifierGet(c, S("x"), NULL));
  CHECK(geIdentifierStr(NULL).length == 0 && geIdentifierGetSlot(NULL) == NULL);
  geIdentifierSetSlot(NULL, NULL);
  NULL_REFUSED(geOperatorNameParse(NULL, S("a.B"), &op));
  NULL_REFUSED(geOperatorNameGet(NULL, S("a"), S("B"), S(""), &op));
  CHECK(geOperatorNameFull(NULL) == NULL && geOperatorNameType(NULL) == NULL);
  CHECK(geOperatorNameDomain(NULL) == NULL && geOperatorNameOverload(NULL) == NULL);
  NULL_REFUSED(geDTypeGetInfo(1, NULL));
  NULL_REFUSED(geDTypeFromName(missing, &dtype));
  CHECK_OK(geDTypeGetInfo(1, &info));

  CHECK(geTypeUnknown(NULL) == NULL && geTypeNone(NULL) == NULL);
  NULL_REFUSED(geTypeTensor(NULL, &spec, &type));
  NULL_REFUSED(geTypeTensor(c, NULL, &type));
  spec.ranked = true;
  spec.rank = 2;
  NULL_REFUSED(geTypeTensor(c, &spec, &type));
  NULL_REFUSED(geTypeSequence(NULL, &type));
  NULL_REFUSED(geTypeOptional(NULL, &type));
  NULL_REFUSED(geTypeMap(1, NULL, &type));
  NULL_REFUSED(geTypeOpaque(NULL, S("x"), &type));
  CHECK(geTypeGetKind(NULL) == GE_TYPE_UNKNOWN && geTypeGetContext(NULL) == NULL);
  NULL_REFUSED(geTypeGetTensorSpec(NULL, &spec));
  NULL_REFUSED(geTypeGetElement(NULL, &type));
  NULL_REFUSED(geTypeGetMapKey(NULL, &dtype));
  NULL_REFUSED(geTypeGetPayload(NULL, &text));
  CHECK(geTypeNumElements(NULL) == -1);
  geTypePrint(NULL, appendText, NULL);
  CHECK(geTypeGetSlot(NULL) == NULL);
  geTypeSetSlot(NULL, NULL);

  CHECK(geLocationUnknown(NULL) == NULL);
  NULL_REFUSED(geLocationFile(NULL, S("f"), 1, 1, &location));
  NULL_REFUSED(geLocationName(NULL, S("f"), NULL, &location));
  NULL_REFUSED(geLocationFused(c, NULL, 1, &location));
  CHECK(geLocationGetKind(NULL) == GE_LOCATION_UNKNOWN && geLocationNumParts(NULL) == 0);
  CHECK(geLocationGetText(NULL).length == 0 && geLocationGetLine(NULL) == 0);
  CHECK(geLocationGetColumn(NULL) == 0 && geLocationGetContext(NULL) == NULL);
  NULL_REFUSED(geLocationGetPart(NULL, 0, &location));
  geLocationPrint(NULL, appendText, NULL);

  NULL_REFUSED(geTensorBorrow(NULL, "x", 1, NULL, NULL, false, &tensor));
  NULL_REFUSED(geTensorCopy(NULL, "x", 1, false, &tensor));
  NULL_REFUSED(geTensorCopy(type, NULL, 1, false, &tensor));
  NULL_REFUSED(geTensorMapFile(NULL, S("x"), 0, 0, false, &tensor));
  NULL_REFUSED(geTensorSplat(NULL, "x", 1, &tensor));
  NULL_REFUSED(geTensorStrings(NULL, NULL, 0, &tensor));
  NULL_REFUSED(geTensorStrings(type, NULL, 1, &tensor));
  geTensorRetain(NULL);
  geTensorRelease(NULL);
  CHECK(geTensorGetType(NULL) == NULL && !geTensorIsSplat(NULL) && !geTensorIsPacked(NULL));
  NULL_REFUSED(geTensorGetBytes(NULL, &data, &size));
  NULL_REFUSED(geTensorGetString(NULL, 0, &text));
  CHECK(geTensorDenseSize(NULL) == 0);
  NULL_REFUSED(geTensorCopyTo(NULL, NULL, 0));
  CHECK(geTensorGetFile(NULL, &size).length == 0);
  NULL_REFUSED(geTensorEquals(NULL, NULL, &flag));
  NULL_REFUSED(geTensorHash(NULL, &number));
  CHECK(geTensorGetSlot(NULL) == NULL);
  geTensorSetSlot(NULL, NULL);

  NULL_REFUSED(geAttributeInt(NULL, 1, 8, &attribute));
  NULL_REFUSED(geAttributeFloat(NULL, 1, 1, &attribute));
  NULL_REFUSED(geAttributeString(NULL, S("x"), &attribute));
  NULL_REFUSED(geAttributeBytes(NULL, S("x"), &attribute));
  NULL_REFUSED(geAttributeType(NULL, &attribute));
  NULL_REFUSED(geAttributeGraph(NULL, S("x"), &attribute));
  NULL_REFUSED(geAttributeTensor(NULL, &attribute));
  NULL_REFUSED(geAttributeIntArray(c, NULL, 1, 8, &attribute));
  NULL_REFUSED(geAttributeFloatArray(c, NULL, 1, &attribute));
  NULL_REFUSED(geAttributeDoubleArray(NULL, NULL, 0, &attribute));
  NULL_REFUSED(geAttributeList(c, NULL, 1, &attribute));
  NULL_REFUSED(geAttributeDict(c, NULL, NULL, 1, &attribute));
  attribute.bits = 0;
  geAttributeRetain(attribute);
  geAttributeRelease(attribute);
  CHECK(geAttributeGetContext(attribute) == NULL && geAttributeGetWidth(attribute) == 0);
  CHECK(geAttributeEquals(attribute, attribute));
  (void)geAttributeHash(attribute);
  NULL_REFUSED(geAttributePrint(attribute, appendText, NULL));
  NULL_REFUSED(geAttributeGetTensor(attribute, &tensor));
  NULL_REFUSED(geAttributeGetKey(attribute, 0, &id));
  NULL_REFUSED(geAttributeBool(true, NULL));

  geGraphRetain(NULL);
  geGraphRelease(NULL);
  geNodeRetain(NULL);
  geNodeRelease(NULL);
  geValueRetain(NULL);
  geValueRelease(NULL);
  CHECK(geRefGetKind(NULL) == GE_REF_GRAPH && !geRefIsAlive(NULL));
  NULL_REFUSED(geRefDescribe(NULL, &text));
  NULL_REFUSED(geRefReason(NULL, &text));
  CHECK(geRefGetContext(NULL) == NULL && geRefGetSlot(NULL) == NULL);
  geRefSetSlot(NULL, NULL);
  CHECK_OK(geEditScopePush(NULL, NULL));
  geEditScopePop();
  NULL_REFUSED(geGraphAcquireRead(NULL));
  NULL_REFUSED(geGraphAcquireWrite(NULL, S("")));
  NULL_REFUSED(geGraphReleaseRead(NULL));
  NULL_REFUSED(geGraphReleaseWrite(NULL));
  NULL_REFUSED(geGraphExpireHandles(NULL, true, &g));

  NULL_REFUSED(geModuleCreate(NULL, S("x"), &m));
  geModuleRetain(NULL);
  geModuleRelease(NULL);
  CHECK(geModuleGetContext(NULL) == NULL && geModuleNumGraphs(NULL) == 0);
  CHECK(geModuleNumAttributes(NULL) == 0 && geModuleGetSlot(NULL) == NULL);
  geModuleSetSlot(NULL, NULL);
  NULL_REFUSED(geModuleGetName(NULL, &text));
  NULL_REFUSED(geModuleSetName(NULL, S("")));
  NULL_REFUSED(geModuleGetGraph(NULL, 0, &g));
  NULL_REFUSED(geModuleFindGraph(NULL, S("x"), &g));
  NULL_REFUSED(geModuleAddGraph(NULL, S("x"), &g));
  NULL_REFUSED(geModuleAdoptGraph(NULL, NULL));
  NULL_REFUSED(geModuleDetachGraph(NULL, NULL));
  NULL_REFUSED(geModuleEraseGraph(NULL, NULL));
  NULL_REFUSED(geModuleGetAttribute(NULL, NULL, &attribute));
  NULL_REFUSED(geModuleSetAttribute(NULL, NULL, attribute));
  NULL_REFUSED(geModuleClone(NULL, &m));
  NULL_REFUSED(geModuleVerify(NULL));
  NULL_REFUSED(geModuleIsStructurallyEqual(NULL, NULL, &flag));
  NULL_REFUSED(geModuleAcquireRead(NULL));
  NULL_REFUSED(geModuleReleaseRead(NULL));
  NULL_REFUSED(geModulePrint(NULL, NULL, appendText, NULL));
  NULL_REFUSED(geModuleParse(NULL, S(""), S(""), NULL, &m));
  NULL_REFUSED(geModuleParse(c, missing, S(""), NULL, &m));

  NULL_REFUSED(geGraphCreate(NULL, S("x"), &g));
  NULL_REFUSED(geGraphCreate(c, S("x"), NULL));
  NULL_REFUSED(geGraphGetName(NULL, &text));
  NULL_REFUSED(geGraphAddInput(NULL, S("x"), type, NULL, 0, &v));
  NULL_REFUSED(geGraphSetOutputs(NULL, NULL, 0));
  NULL_REFUSED(geGraphSort(NULL));
  NULL_REFUSED(geGraphVerify(NULL));
  NULL_REFUSED(geGraphClone(NULL, c, &g));
  NULL_REFUSED(geGraphPrint(NULL, NULL, appendText, NULL));
  NULL_REFUSED(geGraphParse(NULL, S(""), S(""), &g));
  NULL_REFUSED(geTypeParse(NULL, S("none"), &type));
  NULL_REFUSED(geAttributeParse(NULL, S("1"), &attribute));
  NULL_REFUSED(geCursorCreate(NULL, false, &cursor));
  NULL_REFUSED(geCursorNext(NULL, &n));
  geCursorDestroy(NULL);
  NULL_REFUSED(geTransactionBegin(NULL, &transaction));
  NULL_REFUSED(geTransactionCommit(NULL));
  NULL_REFUSED(geTransactionRollback(NULL));
  CHECK(!geTransactionIsOpen(NULL));
  CHECK_OK(geTransactionDestroy(NULL));
  NULL_REFUSED(geNodePrint(NULL, appendText, NULL));
  NULL_REFUSED(geNodeErase(NULL, true));
  NULL_REFUSED(geValueGetType(NULL, &type));
  CHECK_SAYS("'value' is NULL");
}

static void testArguments(GeContext *context) {
  GeGraphRef *graph = newGraph(context, "g"), *g = graph;
  GeType type = tensorType(context, "f32", 0, NULL);
  GeNodeRef *node = addNode(graph, "my.Op", "n", NULL, NULL, type), *n = node;
  GeValueRef *value = resultOf(node), *v = value;
  GeAttribute attribute = {0};
  GeNodeSpec spec = {.size = sizeof spec};
  size_t size = 77;
  bool flag = false;

  /* A reference of another kind, as a wrong cast passes it. */
  CHECK_FAILS(GE_ERROR_TYPE, geNodeErase((GeNodeRef *)value, true));
  CHECK_SAYS("'node' is a value, not a node");
  CHECK_FAILS(GE_ERROR_TYPE, geGraphSort((GeGraphRef *)node));
  CHECK_SAYS("'graph' is a node, not a graph");
  CHECK_FAILS(GE_ERROR_TYPE, geValueGetIndex((GeValueRef *)graph, &size));
  CHECK_FAILS(GE_ERROR_TYPE, geNodeInsertOperand(node, 0, (GeValueRef *)node));
  CHECK_FAILS(GE_ERROR_TYPE, geNodeMoveBefore(node, (GeNodeRef *)value));
  CHECK_FAILS(GE_ERROR_TYPE, geGraphAcquireRead((GeGraphRef *)node));

  /* NULL for the other arguments. */
  NULL_REFUSED(geNodeCreate(graph, NULL, NULL, &n));
  NULL_REFUSED(geNodeCreate(graph, NULL, &spec, &n)); /* no operator */
  spec.op = operatorName(context, "my.Op");
  NULL_REFUSED(geNodeCreate(graph, NULL, &spec, NULL));
  spec.numOperands = 1;
  NULL_REFUSED(geNodeCreate(graph, NULL, &spec, &n));
  spec.numOperands = 0;
  spec.numResults = 1;
  NULL_REFUSED(geNodeCreate(graph, NULL, &spec, &n));
  GeType noType = NULL;
  spec.resultTypes = &noType;
  NULL_REFUSED(geNodeCreate(graph, NULL, &spec, &n));
  spec.numResults = 0;
  spec.numAttributes = 1;
  NULL_REFUSED(geNodeCreate(graph, NULL, &spec, &n));
  GeNamedAttribute named = {identifier(context, "k"), {0}};
  spec.attributes = &named;
  NULL_REFUSED(geNodeCreate(graph, NULL, &spec, &n));
  spec.numAttributes = 0;
  spec.numControlInputs = 1;
  NULL_REFUSED(geNodeCreate(graph, NULL, &spec, &n));
  GeNodeRef *noNode = NULL;
  spec.controlInputs = &noNode;
  NULL_REFUSED(geNodeCreate(graph, NULL, &spec, &n));
  NULL_REFUSED(geNodeInsert(node, NULL, NULL));
  NULL_REFUSED(geNodeMoveAfter(node, NULL));
  NULL_REFUSED(geNodeReplace(node, NULL, 1));
  NULL_REFUSED(geNodeSetAttribute(node, NULL, attribute));
  NULL_REFUSED(geNodeGetAttribute(node, NULL, &attribute));
  NULL_REFUSED(geNodeSetLocation(node, NULL));
  NULL_REFUSED(geNodeAddControlInput(node, NULL));
  NULL_REFUSED(geNodeAdoptSubgraph(node, S(""), NULL));
  NULL_REFUSED(geNodeAddOrigin(node, NULL));
  NULL_REFUSED(geNodeIsBefore(node, NULL, &flag));
  NULL_REFUSED(geNodeSetOperands(node, NULL, 1));
  NULL_REFUSED(geValueSetType(value, NULL));
  NULL_REFUSED(geValueReplaceAllUses(value, NULL, NULL, 0));
  NULL_REFUSED(geValueReplaceAllUses(value, value, NULL, 1));
  NULL_REFUSED(geValueGetUses(value, NULL, 1, &size));
  NULL_REFUSED(geGraphAddInput(graph, S("x"), NULL, NULL, SIZE_MAX, &v));
  NULL_REFUSED(geGraphFindAll(graph, NULL, NULL, 0, &size));
  NULL_REFUSED(geGraphSetOutputs(graph, NULL, 2));
  NULL_REFUSED(geNodeGetResult(node, 0, NULL));
  NULL_REFUSED(geNodeGetOperatorName(node, NULL));
  NULL_REFUSED(geNodeGetOp(node, NULL));
  NULL_REFUSED(geNodeGetOnlyResult(node, NULL));

  /* Indices. */
  CHECK_FAILS(GE_ERROR_INDEX, geNodeGetResult(node, 1, &v));
  CHECK_FAILS(GE_ERROR_INDEX, geNodeGetResult(node, SIZE_MAX, &v));
  CHECK_FAILS(GE_ERROR_INDEX, geNodeGetResult(node, (size_t)1 << 32, &v));
  CHECK_FAILS(GE_ERROR_INDEX, geNodeGetOperand(node, 0, &v));
  CHECK_FAILS(GE_ERROR_INDEX, geNodeGetSubgraph(node, 0, &g));
  CHECK_FAILS(GE_ERROR_INDEX, geGraphGetNode(graph, 1, &n));
  CHECK_FAILS(GE_ERROR_INDEX, geGraphGetInput(graph, 0, &v));
  CHECK_FAILS(GE_ERROR_INDEX, geGraphGetOutput(graph, 0, &v));
  CHECK_FAILS(GE_ERROR_INDEX, geGraphAddInput(graph, S("x"), type, NULL, 5, &v));
  CHECK(g == graph && n == node && v == value && size == 77); /* nothing was written */
  CHECK_NODES("n", graph);
  geValueRelease(value);
  geNodeRelease(node);
  geGraphRelease(graph);
}

static bool countQuestion(void *count) { return ++*(int *)count == 2; }

/* Parsing a long list of numbers takes a while; the second call of the interrupt check ends it. */
static void testInterrupts(GeContext *context) {
  const char *head =
      "\"ge.graph\"() ({\n\"ge.output\"() : () -> ()\n}) {sym_name = \"g\", ge.attrs = {k = [1";
  const char *tail = "]}} : () -> ()";
  size_t count = 20000000, headSize = strlen(head), tailSize = strlen(tail);
  char *text = malloc(headSize + 3 * count + tailSize);
  CHECK(text != NULL);
  /* The text is passed with its length, without a terminating null.
   * NOLINTBEGIN(bugprone-not-null-terminated-result) */
  memcpy(text, head, headSize);
  for (size_t i = 0; i < count; ++i)
    memcpy(text + headSize + 3 * i, ", 1", 3);
  memcpy(text + headSize + 3 * count, tail, tailSize);
  /* NOLINTEND(bugprone-not-null-terminated-result) */
  int questions = 0;
  GeStringRef source = {text, headSize + 3 * count + tailSize};
  GeGraphRef *graph = NULL;
  geSetInterruptCheck(countQuestion, &questions);
  CHECK_FAILS(GE_ERROR_INTERRUPTED, geGraphParse(context, source, S("t"), &graph));
  CHECK(questions == 2 && graph == NULL);
  CHECK_TEXT("interrupted", geErrorMessage());
  /* Without an interrupt check none is called. */
  geSetInterruptCheck(NULL, NULL);
  CHECK_OK(geGraphCreate(context, S("g"), &graph));
  CHECK_OK(geGraphVerify(graph));
  CHECK(questions == 2);
  geGraphRelease(graph);
  free(text);
}

static void testVisible(void) {
  Text text = {0};
  CHECK_OK(geTextMakeVisible(S("a\x1b[2J\n\xe2\x80\xae\xff \xc3\xa9"), appendText, &text));
  CHECK(strcmp(text.data, "a\\x1b[2J\n\\u202e\\xff \xc3\xa9") == 0);
  freeText(&text);
  NULL_REFUSED(geTextMakeVisible((GeStringRef){NULL, 1}, appendText, &text));
}

int main(void) {
  testVersions();
  testRecord();
  testFiles();
  testTrust();
  testVisible();
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  testDiagnostics(context);
  testNullObjects(context);
  testArguments(context);
  testInterrupts(context);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
