/* A plugin in C that uses only the function table: it does not link GE, not even the stubs. */
#include "ge-c/Api.h"

#include <string.h>

static const GeApi *ge;
static int instances;

static GeStringRef str(const char *text) {
  GeStringRef s = {text, strlen(text)};
  return s;
}

static GeStatus create(void *userData, const GePassOption *options, size_t numOptions,
                       void **instance) {
  (void)options;
  (void)numOptions;
  *instance = userData;
  ++instances;
  return GE_OK;
}
static GeStatus run(void *instance, GeGraphRef *graph, GePassRun *execution) {
  size_t erased = 0;
  (void)instance;
  GeStatus status = ge->geGraphEraseDeadNodes(graph, &erased);
  return status != GE_OK ? status : ge->gePassRunCount(execution, str("erased"), erased);
}
static void destroy(void *instance) {
  (void)instance;
  --instances;
}

GE_PLUGIN_EXPORT GeStatus gePluginInit(const GeApi *api, GePluginRegistrar *registrar) {
  GePassInfo info = {.size = sizeof info};
  GePassTable table = {.size = sizeof table};
  (void)registrar;
  if (api->abiVersion != GE_C_ABI_VERSION)
    return GE_ERROR_VALUE;
  ge = api;
  info.name = str("plain-erase-dead");
  info.stage = str("AfterInferShape");
  table.userData = &instances;
  table.create = create;
  table.run = run;
  table.destroy = destroy;
#if defined(FAILS)
  api->geErrorSet(GE_ERROR_GENERAL, str("no licence"));
  GeStatus status = api->geRegistrarAddPass(registrar, &info, &table);
  if (status != GE_OK)
    return status;
  api->geErrorSet(GE_ERROR_GENERAL, str("no licence"));
  return GE_ERROR_GENERAL;
#elif defined(FAILS_SILENTLY)
  return GE_ERROR_GENERAL;
#elif defined(TWICE)
  (void)api->geRegistrarAddPass(registrar, &info, &table);
  (void)api->geRegistrarAddPass(registrar, &info, &table);
  return GE_OK; /* reports success, although the second name is a duplicate */
#elif defined(NO_SIZE)
  table.size = 0;
  return api->geRegistrarAddPass(registrar, &info, &table);
#elif defined(NESTED)
  return api->gePluginUnloadAll();
#else
  return api->geRegistrarAddPass(registrar, &info, &table);
#endif
}
