/*===- plugins.c - the table of the C API, plugins and libraries of kernels ---------------------===*\
|*
|* Guarantees: the table holds the exported functions; a file that is not a plugin is rejected with
|* its name and is not loaded; closing a library closes its children and removes its inferrers.
|* Plugins that load are in test/python/passes/test_native_plugins.py, which compiles them.
|*
\*===----------------------------------------------------------------------------------------===*/
#include "check.h"

#include "ge-c/Api.h"

static void testTable(void) {
  const GeApi *api = geApiGet();
  CHECK(api == geApiGet() && api->size == sizeof(GeApi) && api->abiVersion == GE_C_ABI_VERSION);
  CHECK(api->geAbiVersion() == geAbiVersion() && api->geVersion() == geVersion());
  CHECK(GE_API_HAS(api, geNodeErase));
  CHECK(GE_API_HAS(api, geRegistrarAddPass));
  GeApi older = *api;
  older.size = offsetof(GeApi, geNodeErase);
  CHECK(!GE_API_HAS(&older, geNodeErase) && GE_API_HAS(&older, geErrorSet));
  api->geErrorSet(GE_ERROR_KEY, S("by the table"));
  CHECK(geErrorStatus() == GE_ERROR_KEY);
  CHECK_SAYS("by the table");
}

static void count(const GePluginInfo *info, void *userData) {
  CHECK(info->size == sizeof *info);
  ++((int *)userData)[info->state];
}

static void testRefusedPlugins(const char *own) {
  int states[3] = {0, 0, 0};
  GePassInfo info = {.size = sizeof info};
  GePassTable table = {.size = sizeof table};
  CHECK_FAILS(GE_ERROR_TYPE, geRegistrarAddPass(NULL, &info, &table));
  CHECK_FAILS(GE_ERROR_VALUE, gePluginLoad(S("")));
  CHECK_FAILS(GE_ERROR_OS, gePluginLoad(S("not/there.so")));
  CHECK_SAYS("cannot load plugin 'not/there.so': ");
  /* The shared library of GE itself is not a plugin. */
  CHECK_FAILS(GE_ERROR_VALUE, gePluginLoad(S(geLibraryPath())));
  CHECK_SAYS("does not export gePluginInit");
  CHECK_FAILS(GE_ERROR_VALUE, gePluginLoad(S(own)));
  CHECK_FAILS(GE_ERROR_TYPE, gePluginForEach(NULL, NULL));
  CHECK_OK(gePluginForEach(count, states));
  CHECK_OK(gePluginLoadPlaces("", count, states));
  CHECK_OK(gePluginLoadPlaces("not/there:not/there.so", count, states));
  CHECK(states[0] + states[1] + states[2] == 0);
  CHECK_OK(gePluginLoadPlaces(geLibraryPath(), count, states));
  CHECK(states[GE_PLUGIN_FOREIGN] == 1);
  CHECK_OK(gePluginLoadPlaces(geLibraryPath(), NULL, NULL));
  CHECK_OK(gePluginUnloadAll());
  CHECK_OK(gePluginUnloadAll());
}

static GeStatus inferSame(void *userData, const GeOpCall *call, GeType *results, bool *known) {
  (void)known;
  ++*(int *)userData;
  CHECK(call->size >= sizeof(size_t));
  results[0] = call->operandTypes[0];
  return GE_OK;
}
static void forget(void *userData) { *(int *)userData = -1; }

static void testLibraries(GeContext *context) {
  GeRegistry *registry = geRegistryGlobal();
  GeLibrary *library = NULL, *parent = NULL, *child = NULL, *again = NULL;
  CHECK_FAILS(GE_ERROR_TYPE, geLibraryLoad(NULL, S("x.so"), S(""), &library));
  CHECK_FAILS(GE_ERROR_TYPE, geLibraryLoad(registry, S("x.so"), S(""), NULL));
  CHECK_FAILS(GE_ERROR_OS, geLibraryLoad(registry, S("not/there.so"), S(""), &library));
  CHECK_FAILS(GE_ERROR_VALUE, geLibraryLoad(registry, S(geLibraryPath()), S(""), &library));
  CHECK_SAYS("it does not export ge_library_init");
  CHECK(library == NULL);

  CHECK_OK(geLibraryOpen(registry, GE_LIBRARY_FRAGMENT, S("parts"), S("p.c"), 1, &parent));
  CHECK_FAILS(GE_ERROR_TYPE,
              geLibraryOpenChild(NULL, GE_LIBRARY_DEF, S("parts"), S("p.c"), 2, &child));
  CHECK_OK(geLibraryOpenChild(parent, GE_LIBRARY_DEF, S("parts"), S("p.c"), 2, &child));
  CHECK(geLibraryNumChildren(parent) == 1 && geLibraryNumChildren(NULL) == 0);
  CHECK_OK(geLibraryGetChild(parent, 0, &again));
  CHECK(again == child);
  CHECK_FAILS(GE_ERROR_INDEX, geLibraryGetChild(parent, 1, &again));
  CHECK_FAILS(GE_ERROR_TYPE, geLibraryGetChild(NULL, 0, &again));

  Text remarks = {NULL, 0};
  CHECK_OK(geLibraryAddRemark(child, S("a kernel is not used")));
  CHECK_OK(geLibraryGetRemarks(parent, appendText, &remarks));
  CHECK(strcmp(remarks.data, "a kernel is not used") == 0);
  freeText(&remarks);
  CHECK_FAILS(GE_ERROR_TYPE, geLibraryAddRemark(NULL, S("none")));
  CHECK_FAILS(GE_ERROR_TYPE, geLibraryGetRemarks(NULL, appendText, &remarks));
  CHECK_FAILS(GE_ERROR_TYPE, geLibraryGetRemarks(parent, NULL, &remarks));

  GeOpDef op = NULL;
  CHECK_OK(geLibraryDefine(child, S("same(Tensor x) -> Tensor"), S(""), S("p.c"), 3, &op));
  int calls = 0;
  GeInferrer inferrer = {sizeof inferrer, S("parts"), &calls, inferSame, forget};
  CHECK_FAILS(GE_ERROR_TYPE, geLibraryInfer(NULL, S("same"), &inferrer));
  GeInferrer unsized = {0};
  CHECK_FAILS(GE_ERROR_VALUE, geLibraryInfer(child, S("same"), &unsized));
  CHECK_OK(geLibraryInfer(child, S("same"), &inferrer));
  GeType f32 = NULL, result = NULL;
  bool known = false;
  GeTensorTypeSpec spec = {.size = sizeof spec};
  CHECK_OK(geDTypeFromName(S("f32"), &spec.dtype));
  spec.ranked = true;
  CHECK_OK(geTypeTensor(context, &spec, &f32));
  CHECK_OK(geOpInferTypes(op, context, 0, &f32, 1, NULL, 0, &result, 1, &known));
  CHECK(known && result == f32 && calls == 1);
  CHECK_OK(geLibraryClose(parent));
  CHECK(geLibraryIsClosed(child) && calls == -1);
  CHECK_FAILS(GE_ERROR_OP_SCHEMA, geLibraryInfer(child, S("same"), &inferrer));
  CHECK_FAILS(GE_ERROR_OP_SCHEMA,
              geLibraryOpenChild(parent, GE_LIBRARY_DEF, S("parts"), S("p.c"), 2, &again));
  CHECK_OK(geOpInferTypes(op, context, 0, &f32, 1, NULL, 0, &result, 1, &known));
  CHECK(!known);
  geOpDefRelease(op);
  geLibraryRelease(parent);
}

int main(int argc, char **argv) {
  GeContext *context = NULL;
  (void)argc;
  CHECK_OK(geContextCreate(&context));
  testTable();
  testRefusedPlugins(argv[0]);
  testLibraries(context);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
