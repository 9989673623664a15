/*===- Stubs.c - GE::Stubs: the C API as calls through a table ------------------------------===*\
|*
|* A plugin links this statically: its source calls geNodeErase(...) as ever, and its binary needs
no
|* symbol of GE. Everything here is hidden, so plugins do not see each other's copies.
|*
\*===----------------------------------------------------------------------------------------===*/
#define GE_C_STUBS
#include "ge-c/Api.h"

#include <stdio.h>
#include <string.h>

static const GeApi *geStubsApi;

/* At its place in every ABI: the others report with it. Before geStubsInit nothing can be said. */
void geErrorSet(GeStatus status, GeStringRef message) {
  if (geStubsApi)
    geStubsApi->geErrorSet(status, message);
}

static GeStatus geStubsFail(GeStatus status, const char *text) {
  GeStringRef message = {text, strlen(text)};
  geErrorSet(status, message);
  return status;
}

GeStatus geStubsInit(const GeApi *api) {
  char text[128];
  if (!api)
    return GE_ERROR_TYPE;
  geStubsApi = api;
  if (api->abiVersion == GE_C_ABI_VERSION)
    return GE_OK;
  (void)snprintf(text, sizeof text,
                 "it was built for C ABI %d and this GE has C ABI %d; rebuild it", GE_C_ABI_VERSION,
                 (int)api->abiVersion);
  return geStubsFail(GE_ERROR_VALUE, text);
}

static GeStatus geStubsMissing(const char *function) {
  char text[192];
  if (!geStubsApi)
    return GE_ERROR_INTERNAL;
  (void)snprintf(text, sizeof text, "GE %s has no function %s; install a newer one",
                 geStubsApi->geVersion(), function);
  return geStubsFail(GE_ERROR_NOT_IMPLEMENTED, text);
}

#define GE_STUB_HAS(name) (geStubsApi && GE_API_HAS(geStubsApi, name))
#define GE_STUB_STATUS(name, parameters, arguments)                                                \
  GeStatus name parameters {                                                                       \
    return GE_STUB_HAS(name) ? geStubsApi->name arguments : geStubsMissing(#name);                 \
  }
#define GE_STUB_VOID(name, parameters, arguments)                                                  \
  void name parameters {                                                                           \
    if (GE_STUB_HAS(name))                                                                         \
      geStubsApi->name arguments;                                                                  \
  }
#define GE_STUB(result, name, parameters, arguments)                                               \
  result name parameters { return GE_STUB_HAS(name) ? geStubsApi->name arguments : (result)0; }
#define GE_STUB_STRUCT(result, name, parameters, arguments)                                        \
  result name parameters {                                                                         \
    static const result none;                                                                      \
    return GE_STUB_HAS(name) ? geStubsApi->name arguments : none;                                  \
  }

#include "Stubs.inc"
