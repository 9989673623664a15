/*===- native_host.c - a native compiler for tests, driven by its arguments -------------------===*\
|*
|* Each argument is a step. After a step that fails, the program prints its status and the error,
|* and runs the next one. The program does not use Python, except in the steps python=<library> and
|* end-python, which act like another library of a host that embeds its own interpreter.
|*
\*===----------------------------------------------------------------------------------------===*/
#define _GNU_SOURCE
#include <ge-c/Host.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static GeHost *hosts[4];
static GeHost *host;
static GeContext *context;
static GeModule *module;
static const char *stage = "BeforeInferShape";
static char text[1 << 16];
static size_t textLength;

static GeStringRef str(const char *s) { return (GeStringRef){s, strlen(s)}; }

static void out(GeStringRef piece, void *file) { fwrite(piece.data, 1, piece.length, file); }

static int say(const char *step, GeStatus status) {
  GeStringRef message = status ? geErrorMessage() : str("");
  flockfile(stdout);
  printf("%s: %d %.*s\n", step, (int)status, (int)message.length, message.data);
  fflush(stdout);
  funlockfile(stdout);
  return status != GE_OK;
}

static void showFailures(void) {
  for (size_t i = 0; i < geHostNumLoadFailures(host); ++i) {
    GeStringRef origin, message;
    if (geHostGetLoadFailure(host, i, &origin, &message) == GE_OK)
      printf("failure: %.*s: %.*s\n", (int)origin.length, origin.data, (int)message.length,
             message.data);
  }
}

static void readText(const char *path) {
  FILE *file = fopen(path, "r");
  textLength = file ? fread(text, 1, sizeof text, file) : 0;
  if (file)
    fclose(file);
}

static GeStatus parse(GeModule **made) {
  GeStringRef source = {text, textLength};
  return geModuleParse(context, source, str("input"), NULL, made);
}

/* Runs a whole compilation; the body of a thread. */
static void *compile(void *argument) {
  (void)argument;
  GeHost *own = NULL;
  GeContext *ownContext = NULL;
  GeModule *ownModule = NULL;
  char *printed = NULL;
  size_t length = 0;
  GeStringRef source = {text, textLength};
  if (say("thread open", geHostOpen(NULL, &own)) || say("thread load", geHostLoadPlugins(own)) ||
      say("thread context", geContextCreate(&ownContext)) ||
      say("thread parse", geModuleParse(ownContext, source, str("input"), NULL, &ownModule)) ||
      say("thread run", geHostRunStage(own, ownModule, str(stage), NULL, 0, NULL)))
    return NULL;
  FILE *memory = open_memstream(&printed, &length);
  say("thread print", geModulePrint(ownModule, NULL, out, memory));
  fclose(memory);
  geModuleRelease(ownModule);
  geContextRelease(ownContext);
  geHostRelease(own);
  return printed;
}

static void compileInThreads(int count) {
  pthread_t threads[64];
  char *first = NULL;
  int same = 1;
  for (int i = 0; i < count; ++i)
    pthread_create(&threads[i], NULL, compile, NULL);
  for (int i = 0; i < count; ++i) {
    void *printed = NULL;
    pthread_join(threads[i], &printed);
    same = same && printed && (!first || strcmp(first, printed) == 0);
    if (!first)
      first = printed;
    else
      free(printed);
  }
  printf("threads: %s\n%s", same ? "same" : "different", first ? first : "");
  free(first);
}

/* Called by hooks in Python, which look these functions up in the program. */
int stepUnload(void) { return (int)geHostUnload(host); }
int stepShutdown(void) { return (int)geHostShutdown(host); }
int stepCompile(void) {
  GeModule *own = NULL;
  int status = (int)parse(&own);
  if (status == 0)
    status = (int)geHostRunStage(host, own, str(stage), NULL, 0, NULL);
  if (own)
    geModuleRelease(own);
  return status;
}

static void *cancelLater(void *argument) {
  usleep((useconds_t)(1000 * *(int *)argument));
  say("cancel", geHostCancel(host));
  return NULL;
}

static void *shutdownHere(void *argument) {
  (void)argument;
  say("thread shutdown", geHostShutdown(host));
  return NULL;
}

/* The interpreter of the host; like other embedders, it releases the GIL between its calls. */
static void *libpython, *threadState;

static void startPython(const char *library) {
  libpython = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
  if (!libpython) {
    printf("%s\n", dlerror());
    exit(1);
  }
  ((void (*)(int))dlsym(libpython, "Py_InitializeEx"))(0);
  threadState = ((void *(*)(void))dlsym(libpython, "PyEval_SaveThread"))();
}

static void endPython(void) {
  ((void (*)(void *))dlsym(libpython, "PyEval_RestoreThread"))(threadState);
  printf("end-python: %d\n", ((int (*)(void))dlsym(libpython, "Py_FinalizeEx"))());
}

static void atExit(void) { say("exit shutdown", geHostShutdown(host)); }
static void atExitRun(void) {
  for (int i = 0; i < 20; ++i) {
    GeModule *own = NULL;
    if (parse(&own) || say("exit run", geHostRunStage(host, own, str(stage), NULL, 0, NULL)))
      return;
    geModuleRelease(own);
  }
}
static void atExitUnload(void) { say("exit unload", geHostUnload(host)); }

static void step(char *what) {
  char *value = strchr(what, '=');
  if (value)
    *value++ = 0;
  if (strcmp(what, "open") == 0) {
    GeHostOptions options = {sizeof options, value, NULL, "", NULL, false};
    say(what, geHostOpen(&options, &host));
  } else if (strcmp(what, "env") == 0) {
    say(what, geHostOpen(NULL, &host));
  } else if (strcmp(what, "module") == 0) {
    GeHostOptions options = {sizeof options, "", value, "", NULL, false};
    say(what, geHostOpen(&options, &host));
  } else if (strcmp(what, "keep") == 0) {
    hosts[atoi(value)] = host;
  } else if (strcmp(what, "take") == 0) {
    host = hosts[atoi(value)];
  } else if (strcmp(what, "without") == 0) {
    GeHostOptions options = {sizeof options, value, NULL, "", NULL, true};
    say(what, geHostOpen(&options, &host));
  } else if (strcmp(what, "load") == 0) {
    say(what, geHostLoadPlugins(host));
    showFailures();
  } else if (strcmp(what, "input") == 0) {
    if (!context)
      say("context", geContextCreate(&context));
    readText(value);
  } else if (strcmp(what, "parse") == 0) {
    say(what, parse(&module));
  } else if (strcmp(what, "stage") == 0) {
    stage = value;
  } else if (strcmp(what, "run") == 0) {
    GePassOption option = {sizeof option, str("answer"), str("42"), str("")};
    say(what, geHostRunStage(host, module, str(stage), &option, 1, NULL));
  } else if (strcmp(what, "pipeline") == 0) {
    say(what, geHostRunPipeline(host, module, str(value), NULL, 0, NULL));
  } else if (strcmp(what, "print") == 0) {
    say(what, geModulePrint(module, NULL, out, stdout));
    fflush(stdout);
  } else if (strcmp(what, "drop") == 0) {
    geModuleRelease(module);
    module = NULL;
  } else if (strcmp(what, "close") == 0) {
    geContextRelease(context);
    context = NULL;
  } else if (strcmp(what, "unload") == 0) {
    say(what, geHostUnload(host));
  } else if (strcmp(what, "shutdown") == 0) {
    say(what, geHostShutdown(host));
  } else if (strcmp(what, "release") == 0) {
    geHostRelease(host);
    host = NULL;
  } else if (strcmp(what, "setenv") == 0) {
    char *text_ = strchr(value, '=');
    *text_++ = 0;
    setenv(value, text_, 1);
  } else if (strcmp(what, "python") == 0) {
    startPython(value);
  } else if (strcmp(what, "end-python") == 0) {
    endPython();
  } else if (strcmp(what, "threads") == 0) {
    compileInThreads(atoi(value));
  } else if (strcmp(what, "cancelled") == 0) {
    pthread_t thread;
    int milliseconds = atoi(value);
    pthread_create(&thread, NULL, cancelLater, &milliseconds);
    say("run", geHostRunStage(host, module, str(stage), NULL, 0, NULL));
    pthread_join(thread, NULL);
  } else if (strcmp(what, "thread-shutdown") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, shutdownHere, NULL);
    pthread_join(thread, NULL);
  } else if (strcmp(what, "atexit") == 0) {
    atexit(atExit);
  } else if (strcmp(what, "atexit-run") == 0) {
    atexit(atExitRun);
  } else if (strcmp(what, "atexit-unload") == 0) {
    atexit(atExitUnload);
  } else {
    printf("no step %s\n", what);
  }
}

int main(int count, char **arguments) {
  for (int i = 1; i < count; ++i)
    step(arguments[i]);
  printf("end\n");
  return 0;
}
