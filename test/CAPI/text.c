/* Printing and parsing: printed text parses to an equal module, which prints the same bytes; an
 * invalid text gives diagnostics and leaves no objects. */
#include "check.h"

static const char *const kText =
    "module @model {\n"
    "  func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
    "    %add = \"onnx.Add\"(%x, %y) {alpha = 0.5 : f32, axes = array<i64: 1, 2>} : "
    "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>\n"
    "    return %add : tensor<2x3xf32>\n"
    "  }\n"
    "}\n";

static Text printedModule(GeModule *module, const GePrintOptions *options) {
  Text text = {NULL, 0};
  CHECK_OK(geModulePrint(module, options, appendText, &text));
  return text;
}

int main(void) {
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  GeModule *module = NULL, *again = NULL;
  CHECK_OK(geModuleParse(context, S(kText), S("model.mlir"), NULL, &module));
  CHECK(geModuleNumGraphs(module) == 1);
  CHECK_OK(geModuleVerify(module));
  Text first = printedModule(module, NULL);
  GeStringRef printed = {first.data, first.length};
  CHECK_OK(geModuleParse(context, printed, S("again.mlir"), NULL, &again));
  Text second = printedModule(again, NULL);
  CHECK(strcmp(first.data, second.data) == 0);
  bool equal = false;
  CHECK_OK(geModuleIsStructurallyEqual(module, again, &equal));
  CHECK(equal);
  freeText(&second);
  GePrintOptions options = {sizeof options, true, true, 2};
  second = printedModule(again, &options);
  CHECK(strstr(second.data, "ge.name") != NULL);
  freeText(&second);

  /* One graph. */
  GeGraphRef *graph = NULL;
  CHECK_OK(geGraphParse(context, printed, S(""), &graph));
  GeNodeRef *node = NULL;
  CHECK_OK(geGraphGetNode(graph, 0, &node));
  Text line = {NULL, 0};
  CHECK_OK(geNodePrint(node, appendText, &line));
  CHECK(strstr(line.data, "onnx.Add") != NULL && strchr(line.data, '\n') == NULL);
  freeText(&line);
  Text whole = printedGraph(graph);
  CHECK(strstr(whole.data, "func.func @main") != NULL);
  freeText(&whole);
  geNodeRelease(node);
  geGraphRelease(graph);

  /* Types and attributes. */
  GeType type = NULL;
  CHECK_OK(geTypeParse(context, S("tensor<?x4xi8, {dims = [\"N\", \"\"]}>"), &type));
  Text typeText = {NULL, 0};
  geTypePrint(type, appendText, &typeText);
  CHECK(strcmp(typeText.data, "tensor<?x4xi8, {dims = [\"N\", \"\"]}>") == 0);
  freeText(&typeText);
  GeAttribute attribute = {0};
  CHECK_OK(geAttributeParse(context, S("[\"a\", 1 : i64]"), &attribute));
  CHECK(geAttributeGetKind(attribute) == GE_ATTR_LIST);
  geAttributeRelease(attribute);

  /* Errors: position and message, and no partial module. */
  CHECK_FAILS(GE_ERROR_PARSE, geModuleParse(context, S("module @m {\n  func.func @f( {\n}"),
                                            S("bad.mlir"), NULL, &module));
  CHECK(geErrorNumDiagnostics() >= 1);
  GeDiagnostic diagnostic = {.size = sizeof diagnostic};
  CHECK(geErrorDiagnostic(0, &diagnostic) == GE_OK);
  CHECK_TEXT("bad.mlir", diagnostic.file);
  CHECK(diagnostic.severity == GE_SEVERITY_ERROR && diagnostic.line >= 2);
  CHECK(diagnostic.message.length > 0);
  CHECK(geErrorDiagnostic(geErrorNumDiagnostics(), &diagnostic) == GE_ERROR_INDEX);
  CHECK_SAYS("bad.mlir:");
  CHECK_FAILS(GE_ERROR_PARSE, geTypeParse(context, S("tensor<"), &type));
  CHECK_FAILS(GE_ERROR_PARSE, geAttributeParse(context, S("@"), &attribute));
  CHECK_FAILS(GE_ERROR_PARSE, geGraphParse(context, S(""), S("empty"), &graph));

  /* With positions in the text as locations. */
  GeModule *placed = NULL;
  GeParseOptions places = {sizeof places, true};
  CHECK_OK(geModuleParse(context, (GeStringRef){first.data, first.length}, S("here.mlir"), &places,
                         &placed));
  CHECK(placed != NULL);
  geModuleRelease(placed);
  CHECK_FAILS(GE_ERROR_PARSE, geModuleParse(context, S("module {"), S("x"), NULL, &placed));
  CHECK_FAILS(GE_ERROR_TYPE, geModuleParse(context, S(""), S("x"), &places, NULL));

  freeText(&first);
  geModuleRelease(module);
  geModuleRelease(again);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
