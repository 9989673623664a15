/* ONNX models: loaded from borrowed bytes, edited, serialized to bytes and files, and loaded again;
 * errors leave no objects. */
#include "check.h"

#include <fcntl.h>

#include "ge-c/ONNX.h"

#include <unistd.h>

/* ir_version 8; a graph "g" with Relu(x) -> y, a node named "r", and opset 17. */
static const char kModel[] = "\x08\x08\x3a\x22\x0a\x0f\x0a\x01x\x12\x01y\x1a\x01r\x22\x04Relu"
                             "\x12\x01g\x5a\x07\x0a\x01x\x12\x02\x0a\x00\x62\x03\x0a\x01y"
                             "\x42\x04\x0a\x00\x10\x11";
static const size_t kSize = sizeof kModel - 1;

static int released = 0;
static void release(void *owner) { *(int *)owner += 1; }

static void renameFirstNode(GeModule *module, const char *name) {
  GeGraphRef *graph = NULL;
  GeNodeRef *node = NULL;
  CHECK_OK(geModuleGetGraph(module, 0, &graph));
  CHECK_OK(geGraphGetNode(graph, 0, &node));
  CHECK_OK(geNodeSetName(node, S(name)));
  geNodeRelease(node);
  geGraphRelease(graph);
}

static void roundTrip(GeContext *context) {
  GeModule *module = NULL;
  CHECK_OK(geOnnxLoadBytes(context, kModel, kSize, release, &released, NULL, &module));
  GeGraphRef *graph = NULL;
  CHECK_OK(geModuleGetGraph(module, 0, &graph));
  size_t nodes = 0;
  CHECK_OK(geGraphNumNodes(graph, &nodes));
  CHECK(nodes == 1);
  geGraphRelease(graph);

  GeOnnxModel *model = NULL;
  CHECK_OK(geOnnxSerialize(module, S(""), NULL, &model));
  CHECK(geOnnxModelSize(model) == kSize);
  char *bytes = malloc(kSize);
  CHECK_FAILS(GE_ERROR_VALUE, geOnnxModelCopyTo(model, bytes, kSize - 1));
  CHECK_OK(geOnnxModelCopyTo(model, bytes, kSize));
  /* Later edits do not change a serialized model. */
  renameFirstNode(module, "other");
  geModuleRelease(module);
  CHECK_OK(geOnnxModelCopyTo(model, bytes, kSize));
  CHECK(contains((GeStringRef){bytes, kSize}, "Relu"));
  CHECK(!contains((GeStringRef){bytes, kSize}, "other"));
  geOnnxModelRelease(model);
  CHECK(released == 1);

  /* Copied bytes may change afterwards. */
  GeModule *again = NULL;
  CHECK_OK(geOnnxLoadBytes(context, bytes, kSize, NULL, NULL, NULL, &again));
  memset(bytes, 0, kSize);
  free(bytes);

  char path[] = "onnx-XXXXXX";
  int file = mkstemp(path);
  CHECK(file >= 0);
  close(file);
  GeOnnxSaveOptions options = {
      .size = sizeof options, .externalData = GE_ONNX_EXTERNAL_ALWAYS, .threshold = 1};
  CHECK_OK(geOnnxSave(again, S(path), &options));
  options.isNew = true;
  CHECK_FAILS(GE_ERROR_OS, geOnnxSave(again, S(path), &options));
  int here = open(".", O_RDONLY), other = -1;
  options.directory = &here; /* the directory of the path does not count */
  char elsewhere[] = "/nowhere/new-model";
  CHECK_OK(geOnnxSave(again, S(elsewhere), &options));
  CHECK(unlink("new-model") == 0 && symlink(path, "new-model") == 0);
  options.isNew = false;
  CHECK_FAILS(GE_ERROR_OS, geOnnxSave(again, S(elsewhere), &options)); /* a link */
  CHECK(unlink("new-model") == 0);
  options.directory = &other;
  CHECK_FAILS(GE_ERROR_OS, geOnnxSave(again, S(elsewhere), &options));
  CHECK(close(here) == 0);
  geModuleRelease(again);
  CHECK_OK(geOnnxLoad(context, S(path), NULL, &module));
  CHECK_OK(geModuleVerify(module));
  geModuleRelease(module);
  unlink(path);
}

static void errors(GeContext *context) {
  GeModule *module = NULL;
  released = 0;
  CHECK_FAILS(GE_ERROR_MODEL,
              geOnnxLoadBytes(context, kModel, kSize - 7, release, &released, NULL, &module));
  CHECK_SAYS("(byte ");
  CHECK_SAYS("<bytes>");
  CHECK(released == 0 && module == NULL);
  CHECK(geErrorNumDiagnostics() == 1);
  CHECK_FAILS(GE_ERROR_OS, geOnnxLoad(context, S("/nowhere/m.onnx"), NULL, &module));
  CHECK_FAILS(GE_ERROR_TYPE, geOnnxLoad(NULL, S("m"), NULL, &module));
  CHECK_FAILS(GE_ERROR_TYPE, geOnnxLoad(context, S("m"), NULL, NULL));
  CHECK_FAILS(GE_ERROR_TYPE, geOnnxLoadBytes(context, NULL, 1, NULL, NULL, NULL, &module));
  CHECK_FAILS(GE_ERROR_TYPE, geOnnxSave(NULL, S("m"), NULL));
  CHECK_FAILS(GE_ERROR_TYPE, geOnnxModelWrite(NULL, S("m")));

  GeOnnxModel *model = NULL;
  CHECK_OK(geModuleCreate(context, S("empty"), &module));
  CHECK_FAILS(GE_ERROR_MODEL, geOnnxSerialize(module, S(""), NULL, &model));
  geModuleRelease(module);
  CHECK_OK(geOnnxLoadBytes(context, kModel, kSize, NULL, NULL, NULL, &module));
  /* An invalid value. NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange) */
  GeOnnxSaveOptions options = {
      .size = sizeof options, .externalData = (GeOnnxExternalData)7, .threshold = 1};
  CHECK_FAILS(GE_ERROR_VALUE, geOnnxSerialize(module, S(""), &options, &model));
  CHECK_FAILS(GE_ERROR_OS, geOnnxSave(module, S("/nowhere/m.onnx"), NULL));
  /* Fields that the caller's struct lacks have their defaults. */
  options.size = sizeof options.size;
  CHECK_OK(geOnnxSerialize(module, S(""), &options, &model));
  geOnnxModelRelease(model);
  geOnnxModelRelease(NULL);
  CHECK(geOnnxModelSize(NULL) == 0);
  geModuleRelease(module);
}

static void opsets(GeContext *context) {
  GeModule *module = NULL;
  CHECK_OK(geOnnxLoadBytes(context, kModel, kSize, NULL, NULL, NULL, &module));
  GeGraphRef *graph = NULL;
  CHECK_OK(geModuleGetGraph(module, 0, &graph));
  GeAttribute found;
  CHECK_OK(geGraphGetOpsets(graph, &found));
  CHECK(geAttributeGetKind(found) == GE_ATTR_DICT);
  geAttributeRelease(found);
  CHECK_FAILS(GE_ERROR_TYPE, geGraphGetOpsets(NULL, &found));
  CHECK_FAILS(GE_ERROR_TYPE, geGraphGetOpsets(graph, NULL));
  geGraphRelease(graph);

  /* A model that is verified is written as any other one. */
  char path[] = "onnx-XXXXXX";
  int file = mkstemp(path);
  CHECK(file >= 0);
  close(file);
  GeOnnxSaveOptions options = {.size = sizeof options,
                               .externalData = GE_ONNX_EXTERNAL_ALWAYS,
                               .threshold = 1,
                               .verify = true};
  CHECK_OK(geOnnxSave(module, S(path), &options));
  geModuleRelease(module);
  CHECK_OK(geOnnxLoad(context, S(path), NULL, &module));
  geModuleRelease(module);
  unlink(path);
}

int main(void) {
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  roundTrip(context);
  errors(context);
  opsets(context);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
