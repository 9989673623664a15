/* Threads run passes on graphs of one module while others edit its functions and attributes: a run
 * succeeds or reports the conflicting access, and there are no data races. Tested with the access
 * that each call acquires, and with a lock of the caller that is released during runs. */
#include "check.h"

#include "ge-c/Passes.h"

#include <pthread.h>
#include <stdatomic.h>

static const char *const kModel =
    "module @m attributes {ge.attrs = {opset = {onnx = 18 : i64}}} {\n"
    "  func.func @first(%x: tensor<2xf32>) -> tensor<*xf32> {\n"
    "    %a = \"onnx.Identity\"(%x) : (tensor<2xf32>) -> tensor<*xf32>\n"
    "    %y = \"onnx.Neg\"(%a) : (tensor<*xf32>) -> tensor<*xf32>\n"
    "    return %y : tensor<*xf32>\n"
    "  }\n"
    "  func.func @second(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
    "    %y = \"local.F\"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "    return %y : tensor<2xf32>\n"
    "  }\n"
    "  func.func @local.F(%x: !ge.unknown) -> !ge.unknown attributes "
    "{ge.attrs = {\"onnx.function\" = {domain = \"local\", name = \"F\"}}} {\n"
    "    %y = \"onnx.Neg\"(%x) : (!ge.unknown) -> !ge.unknown\n"
    "    return %y : !ge.unknown\n"
    "  }\n"
    "}\n";

static GeContext *context;
static GeModule *module;
static bool serialized;
static pthread_mutex_t callerLock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done, busy;

static void lock(void) {
  if (serialized)
    CHECK(pthread_mutex_lock(&callerLock) == 0);
}
static void unlock(void) {
  if (serialized)
    CHECK(pthread_mutex_unlock(&callerLock) == 0);
}
static void entered(void *userData) {
  (void)userData;
  unlock();
}
static void leaving(void *userData) {
  (void)userData;
  lock();
}

/* GE_ERROR_PASS: a pass needed a graph that another thread was changing. */
static void went(GeStatus status) {
  if (status == GE_OK) {
    atomic_fetch_add(&done, 1);
    return;
  }
  if ((status != GE_ERROR_BUSY && status != GE_ERROR_PASS) ||
      !contains(geErrorMessage(), " is being "))
    FAIL("status %d: %.*s", (int)status, (int)geErrorMessage().length, geErrorMessage().data);
  atomic_fetch_add(&busy, 1);
}

static void runPasses(const char *pipeline, GeGraphRef *graph) {
  GePassManager *manager = NULL;
  GePassRunOptions options;
  gePassRunOptionsInit(&options, sizeof options);
  options.entered = entered;
  options.leaving = leaving;
  CHECK_OK(gePassManagerParse(S(pipeline), &manager));
  went(gePassManagerRunGraph(manager, graph, &options, NULL));
  gePassManagerDestroy(manager);
}

static GeGraphRef *graphOf(const char *name) {
  GeGraphRef *graph = NULL;
  GeStatus status;
  while ((status = geModuleFindGraph(module, S(name), &graph)) == GE_ERROR_BUSY) {
  }
  CHECK_OK(status);
  return graph;
}

static void *work(void *argument) {
  size_t kind = (size_t)argument;
  GeDType int64 = 0;
  CHECK_OK(geDTypeFromName(S("i64"), &int64));
  lock();
  GeGraphRef *graph = graphOf(kind == 0 ? "first" : kind == 1 ? "second" : "local.F");
  unlock();
  for (int i = 0; i < 300; ++i) {
    GeAttribute value = {0};
    lock();
    switch (kind) {
    case 0:
      runPasses("infer-types,constant-fold,eliminate-identity,verify", graph);
      break;
    case 1:
      runPasses("inline", graph);
      break;
    case 2:
      CHECK_OK(geAttributeInt(context, i, int64, &value));
      went(geGraphSetAttribute(graph, identifier(context, i % 2 ? "even" : "odd"), value));
      break;
    default:
      CHECK_OK(geAttributeInt(context, i, int64, &value));
      went(geModuleSetAttribute(module, identifier(context, i % 2 ? "even" : "odd"), value));
    }
    unlock();
  }
  lock();
  geGraphRelease(graph);
  unlock();
  return NULL;
}

static void testAll(void) {
  pthread_t threads[4];
  CHECK_OK(geModuleParse(context, S(kModel), S("m"), NULL, &module));
  for (size_t i = 0; i < 4; ++i)
    CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
  for (size_t i = 0; i < 4; ++i)
    CHECK(pthread_join(threads[i], NULL) == 0);
  printf("%d done, %d busy\n", atomic_load(&done), atomic_load(&busy));
  CHECK(atomic_load(&done) > 0);
  /* All access was released: a run that reads and writes the whole module succeeds. */
  GePassManager *manager = NULL;
  CHECK_OK(gePassManagerParse(S("inline"), &manager));
  CHECK_OK(gePassManagerRunModule(manager, module, NULL, NULL));
  gePassManagerDestroy(manager);
  CHECK(geModuleNumGraphs(module) == 2);
  geModuleRelease(module);
  CHECK_NO_LEAKS(context);
}

int main(void) {
  CHECK_OK(geContextCreate(&context));
  testAll();
  serialized = true;
  geContextSetSerialized(context, true);
  testAll();
  geContextRelease(context);
  return 0;
}
