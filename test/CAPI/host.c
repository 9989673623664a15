/* Hosts: passes in C in stages and pipelines, cancellation, unloading and shutdown. This test does
 * not start Python; test/python/host does. */
#include "check.h"

#include "ge-c/Host.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static const char kText[] = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                            "  %0 = \"onnx.Neg\"(%x) : (tensor<4xf32>) -> tensor<4xf32>\n"
                            "  return %0 : tensor<4xf32>\n"
                            "}\n";
static GeHost *host;
static atomic_int started;
static int runs;

static void pause10ms(void) {
  struct timespec time = {0, 10000000};
  nanosleep(&time, NULL);
}

/* Runs native code in a loop until it is interrupted. */
static GeStatus runLong(void *instance, GeGraphRef *graph, GePassRun *run) {
  (void)instance;
  (void)run;
  atomic_store(&started, 1);
  for (;;) {
    GeStatus status = geGraphVerify(graph);
    if (status)
      return status;
  }
}

static GeStatus runPass(void *instance, GeGraphRef *graph, GePassRun *run) {
  (void)instance;
  (void)graph;
  GeStringRef value;
  ++runs;
  if (gePassRunGetOption(run, S("answer"), &value) == GE_OK)
    runs += 10;
  /* A host cannot be unloaded during a run: the call fails and does not deadlock. */
  CHECK_FAILS(GE_ERROR_BUSY, geHostUnload(host));
  CHECK_FAILS(GE_ERROR_BUSY, geHostShutdown(host));
  return GE_OK;
}

static void registerPass(const char *name, const char *stage,
                         GeStatus (*run)(void *, GeGraphRef *, GePassRun *)) {
  GePassInfo info = {0};
  GePassTable table = {0};
  info.size = sizeof info;
  info.name = S(name);
  info.stage = S(stage);
  table.size = sizeof table;
  table.run = run;
  CHECK_OK(gePassRegister(&info, &table));
}

static void *cancel(void *argument) {
  (void)argument;
  while (!atomic_load(&started))
    pause10ms();
  CHECK_OK(geHostCancel(host));
  return NULL;
}

/* The callback with which a binding of another language cancels running hooks. */
static atomic_int isHookCancelled;
static GeStatus cancelHooks(const uint64_t *threads, size_t numThreads, void *userData) {
  CHECK(numThreads == 1 && threads[0] == *(const uint64_t *)userData);
  atomic_store(&isHookCancelled, 1);
  return GE_OK;
}

/* A hook that calls no native code, so no interrupt flag is checked in it. */
static GeStatus runHook(void *instance, GeGraphRef *graph, GePassRun *run) {
  (void)instance;
  (void)graph;
  (void)run;
  atomic_store(&started, 1);
  while (!atomic_load(&isHookCancelled))
    pause10ms();
  return GE_ERROR_GENERAL;
}

static int flag;
static void *setFlag(void *argument) {
  (void)argument;
  while (!atomic_load(&started))
    pause10ms();
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  return NULL;
}

int main(void) {
  GeContext *context = NULL;
  GeModule *module = NULL;
  GePassReport *report = NULL;
  GeStringRef origin, message;
  GePassOption option = {sizeof option, S("answer"), S("42"), S("")};
  CHECK_OK(geContextCreate(&context));
  CHECK_OK(geModuleParse(context, S(kText), S("text"), NULL, &module));
  registerPass("in-stage", "BeforeInferShape", runPass);
  registerPass("runs-long", "AfterInferShape", runLong);

  GeHostOptions options = {sizeof options, "", "", "", NULL, false};
  CHECK_FAILS(GE_ERROR_TYPE, geHostOpen(&options, NULL));
  options.size = 1;
  CHECK_FAILS(GE_ERROR_VALUE, geHostOpen(&options, &host));
  options.size = sizeof options;
  CHECK_OK(geHostOpen(&options, &host));
  CHECK_OK(geHostLoadPlugins(host));
  CHECK_OK(geHostLoadPlugins(host));
  CHECK(geHostNumLoadFailures(host) == 0);
  CHECK_FAILS(GE_ERROR_INDEX, geHostGetLoadFailure(host, 0, &origin, &message));

  /* A plugin that is named explicitly must load: otherwise a failure is recorded. */
  GeHost *other = NULL;
  options.pluginPath = "not/there.so:.";
  CHECK_OK(geHostOpen(&options, &other));
  CHECK_OK(geHostLoadPlugins(other));
  CHECK(geHostNumLoadFailures(other) == 1);
  CHECK_OK(geHostGetLoadFailure(other, 0, &origin, &message));
  CHECK(strncmp(origin.data, "not/there.so", origin.length) == 0);
  geHostRelease(other);
  options.pluginPath = geLibraryPath();
  CHECK_OK(geHostOpen(&options, &other));
  CHECK_OK(geHostLoadPlugins(other));
  CHECK(geHostNumLoadFailures(other) == 1);
  CHECK_OK(geHostGetLoadFailure(other, 0, &origin, &message));
  CHECK(strstr(message.data, "does not export gePluginInit") != NULL);
  geHostRelease(other);

  /* Stages and pipelines. */
  CHECK_OK(geHostRunStage(host, module, S("BeforeInferShape"), &option, 1, &report));
  CHECK(runs == 11 && gePassReportSize(report) == 1);
  gePassReportDestroy(report);
  CHECK_OK(geHostRunPipeline(host, module, S("in-stage,dce"), NULL, 0, &report));
  CHECK(runs == 12 && gePassReportSize(report) == 2);
  gePassReportDestroy(report);
  GePassOption off = {sizeof off, S("in-stage"), S("off"), S("")};
  CHECK_OK(geHostRunStage(host, module, S("BeforeInferShape"), &off, 1, NULL));
  CHECK(runs == 12);
  CHECK_FAILS(GE_ERROR_VALUE, geHostRunStage(host, module, S("NoStage"), NULL, 0, NULL));
  CHECK_FAILS(GE_ERROR_PARSE, geHostRunPipeline(host, module, S("no-pass"), NULL, 0, NULL));
  CHECK_FAILS(GE_ERROR_TYPE, geHostRunPipeline(host, NULL, S("dce"), NULL, 0, NULL));
  CHECK_FAILS(GE_ERROR_TYPE, geHostRunPipeline(NULL, module, S("dce"), NULL, 0, NULL));

  /* Cancelling ends the current run; later runs are not affected. */
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, cancel, NULL) == 0);
  CHECK_FAILS(GE_ERROR_INTERRUPTED,
              geHostRunStage(host, module, S("AfterInferShape"), NULL, 0, NULL));
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK_OK(geHostRunPipeline(host, module, S("dce"), NULL, 0, NULL));
  CHECK_OK(geHostCancel(host));
  uint64_t self = (uint64_t)pthread_self();
  registerPass("runs-hook", "", runHook);
  atomic_store(&started, 0);
  CHECK_OK(geSetHookCanceller(cancelHooks, &self));
  CHECK_OK(geSetHookCanceller(cancelHooks, &self));
  CHECK(pthread_create(&thread, NULL, cancel, NULL) == 0);
  CHECK_FAILS(GE_ERROR_INTERRUPTED, geHostRunPipeline(host, module, S("runs-hook"), NULL, 0, NULL));
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK_OK(geSetHookCanceller(NULL, &self));

  /* A thread's interrupt flag ends its calls; removing it returns the flag. */
  atomic_store(&started, 0);
  CHECK(geSetThreadInterrupt(&flag) == NULL);
  CHECK(pthread_create(&thread, NULL, setFlag, NULL) == 0);
  GePassManager *manager = NULL;
  CHECK_OK(gePassManagerParse(S("runs-long"), &manager));
  CHECK_FAILS(GE_ERROR_INTERRUPTED, gePassManagerRunModule(manager, module, NULL, NULL));
  gePassManagerDestroy(manager);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(geSetThreadInterrupt(NULL) == &flag);
  CHECK_OK(geModuleVerify(module));

  /* Unload and shutdown may be called repeatedly and in any order; the host stays valid. */
  CHECK_OK(geHostUnload(host));
  CHECK_OK(geHostUnload(host));
  CHECK_OK(geHostShutdown(host));
  CHECK_OK(geHostShutdown(host));
  CHECK_OK(geHostUnload(host));
  CHECK_OK(geHostLoadPlugins(host));
  CHECK_OK(geHostRunPipeline(host, module, S("dce"), NULL, 0, NULL));
  geHostRelease(host);
  geHostRelease(NULL);

  geModuleRelease(module);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
