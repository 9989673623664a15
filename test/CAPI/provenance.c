/* Provenance: whether a type was declared or inferred, and the names of nodes and values in the
 * file that they were read from. */
#include "check.h"
#include "ge-c/Ops.h"
#include "ge-c/Passes.h"

static const char *const kText =
    "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  %a = \"onnx.Abs\"(%x) {ge.name = \"n\"} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  %b = \"onnx.Neg\"(%a) {ge.name = \"n_1\", onnx.names = [\"n\", \"a\"]} : (tensor<2xf32>) -> "
    "tensor<2xf32>\n"
    "  return %b : tensor<2xf32>\n"
    "}\n";

static GeNodeRef *find(GeGraphRef *graph, const char *name) {
  GeNodeRef *node = NULL;
  CHECK_OK(geGraphFindNode(graph, S(name), &node));
  CHECK(node != NULL);
  return node;
}

static GeValueRef *firstResult(GeNodeRef *node) {
  GeValueRef *value = NULL;
  CHECK_OK(geNodeGetResult(node, 0, &value));
  return value;
}

static bool isInferred(GeValueRef *value) {
  bool inferred = false;
  CHECK_OK(geValueIsTypeInferred(value, &inferred));
  return inferred;
}

/* A declared type counts as inferred once inference confirms it, until the type or the node
 * changes. */
static void testTypes(GeContext *context, GeGraphRef *graph) {
  GeNodeRef *abs = find(graph, "n");
  GeValueRef *a = firstResult(abs);
  CHECK(!isInferred(a));
  GeInferCounts counts = {.size = sizeof counts};
  CHECK_OK(geGraphInferTypes(graph, 17, NULL, &counts));
  CHECK(isInferred(a));
  /* The sources of types can be saved beside the text form and restored. */
  GeStringRef sources = {NULL, 0};
  CHECK_OK(geGraphGetTypeSources(graph, &sources));
  char kept[8] = {0};
  CHECK(sources.length > 0 && sources.length <= sizeof kept);
  memcpy(kept, sources.data, sources.length);
  GeStringRef copy = {kept, sources.length};
  GeGraphRef *again = NULL;
  CHECK_OK(geGraphParse(context, S(kText), S("again"), &again));
  GeNodeRef *other = find(again, "n");
  GeValueRef *b = firstResult(other);
  CHECK(!isInferred(b));
  CHECK_OK(geGraphSetTypeSources(again, copy));
  CHECK(isInferred(b));
  GeType type = NULL;
  CHECK_OK(geValueGetType(b, &type));
  CHECK_OK(geValueSetType(b, type));
  CHECK(!isInferred(b));
  CHECK_FAILS(GE_ERROR_TYPE, geValueIsTypeInferred(NULL, NULL));
  CHECK_FAILS(GE_ERROR_TYPE, geGraphGetTypeSources(graph, NULL));
  CHECK_FAILS(GE_ERROR_TYPE, geGraphSetTypeSources(NULL, copy));
  geValueRelease(b);
  geNodeRelease(other);
  geGraphRelease(again);
  geValueRelease(a);
  geNodeRelease(abs);
}

/* A reader records the names in the file; renaming discards the recorded name. */
static void testNames(GeGraphRef *graph) {
  GeNodeRef *found[2] = {NULL, NULL};
  size_t count = 0;
  CHECK_OK(geGraphFindAllNamed(graph, S("n"), NULL, 0, &count));
  CHECK(count == 2);
  CHECK_OK(geGraphFindAllNamed(graph, S("n"), found, 2, &count));
  CHECK(count == 2);
  GeValueRef *result = firstResult(found[1]);
  GeStringRef name;
  CHECK_OK(geNodeGetOriginalName(found[1], &name));
  CHECK_TEXT("n", name);
  CHECK_OK(geValueGetOriginalName(result, &name));
  CHECK_TEXT("a", name);
  CHECK_OK(geNodeSetName(found[1], S("mine")));
  CHECK_OK(geNodeGetOriginalName(found[1], &name));
  CHECK_TEXT("mine", name);
  CHECK_OK(geValueGetOriginalName(result, &name));
  CHECK_TEXT("a", name);
  CHECK_OK(geValueSetName(result, S("r")));
  CHECK_OK(geValueGetOriginalName(result, &name));
  CHECK_TEXT("r", name);
  CHECK_OK(geGraphFindAllNamed(graph, S("n"), NULL, 0, &count));
  CHECK(count == 1);
  CHECK_FAILS(GE_ERROR_TYPE, geNodeGetOriginalName(NULL, &name));
  CHECK_FAILS(GE_ERROR_TYPE, geValueGetOriginalName(NULL, &name));
  CHECK_FAILS(GE_ERROR_TYPE, geGraphFindAllNamed(graph, S("n"), NULL, 0, NULL));
  geValueRelease(result);
  geNodeRelease(found[0]);
  geNodeRelease(found[1]);
}

int main(void) {
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  GeGraphRef *graph = NULL;
  CHECK_OK(geGraphParse(context, S(kText), S("t"), &graph));
  testTypes(context, graph);
  testNames(graph);
  geGraphRelease(graph);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
