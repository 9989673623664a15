/*===- sizes.h - checks of structs that begin with their size -----------------------------------===*/
#ifndef TEST_CAPI_SIZES_H
#define TEST_CAPI_SIZES_H

#include "check.h"

enum { kGarbage = 0xab, kBehind = 24 };

static GeContext *context;
static GeGraphRef *graph;
static GeModule *module;
static GeNodeRef *relu;
static GeValueRef *x;
static GeType type;

/* Creates a module with one graph of one node, whose result is the output. */
static inline void setUp(void) {
  const int64_t sizes[] = {2, 3};
  CHECK_OK(geContextCreate(&context));
  CHECK_OK(geModuleCreate(context, S("m"), &module));
  CHECK_OK(geModuleAddGraph(module, S("main"), &graph));
  type = tensorType(context, "f32", 2, sizes);
  x = addInput(graph, "x", type);
  relu = addNode(graph, "onnx.Relu", "relu", x, NULL, type);
  GeValueRef *y = resultOf(relu);
  CHECK_OK(geGraphSetOutputs(graph, &y, 1));
  geValueRelease(y);
}

static inline void tearDown(void) {
  geNodeRelease(relu);
  geValueRelease(x);
  geGraphRelease(graph);
  geModuleRelease(module);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
}

/* Checks a struct that a call fills: it writes all bytes below `size` and none after. */
typedef GeStatus (*Fill)(void *out);

static inline void checkFill(const char *name, size_t size, Fill fill) {
  unsigned char whole[512], out[512];
  CHECK(size + kBehind <= sizeof out);
  memset(whole, 0, sizeof whole);
  memcpy(whole, &size, sizeof size);
  CHECK_OK(fill(whole));
  const size_t sizes[] = {sizeof(size_t), size - sizeof(void *), size, size + kBehind};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    memset(out, kGarbage, sizeof out);
    memcpy(out, &sizes[i], sizeof(size_t));
    CHECK_OK(fill(out));
    size_t end = sizes[i] < size ? sizes[i] : size;
    if (memcmp(out, &sizes[i], sizeof(size_t)) != 0)
      FAIL("%s: the call wrote the size %zu", name, sizes[i]);
    for (size_t at = end; at < sizeof out; ++at)
      if (out[at] != kGarbage)
        FAIL("%s of %zu bytes: the call wrote byte %zu", name, sizes[i], at);
    if (end > sizeof(size_t) && memcmp(out + end - 1, whole + end - 1, 1) != 0)
      FAIL("%s of %zu bytes: the call did not write the last one", name, sizes[i]);
  }
  const size_t wrong[] = {0, sizeof(size_t) - 1, (size_t)1 << 40};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    memset(out, kGarbage, sizeof out);
    memcpy(out, &wrong[i], sizeof(size_t));
    CHECK_FAILS(GE_ERROR_VALUE, fill(out));
    CHECK_SAYS(name);
    for (size_t at = sizeof(size_t); at < sizeof out; ++at)
      CHECK(out[at] == kGarbage);
  }
}

/* Checks a struct that a call reads: `known` bytes are enough, and later bytes are not read. */
typedef GeStatus (*Read)(const void *given);

static inline void checkRead(const char *name, const void *given, size_t size, size_t known,
                             Read read) {
  unsigned char bytes[512];
  CHECK(known <= size && size + kBehind <= sizeof bytes);
  const size_t sizes[] = {known, size, size + kBehind};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    memset(bytes, kGarbage, sizeof bytes);
    memcpy(bytes, given, sizes[i] < size ? sizes[i] : size);
    memcpy(bytes, &sizes[i], sizeof(size_t));
    GeStatus status = read(bytes);
    if (status != GE_OK)
      FAIL("%s of %zu bytes gave status %d: %.*s", name, sizes[i], (int)status,
           (int)geErrorMessage().length, geErrorMessage().data);
  }
  const size_t wrong[] = {0, sizeof(size_t) - 1, (size_t)1 << 40};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    memcpy(bytes, given, size);
    memcpy(bytes, &wrong[i], sizeof(size_t));
    CHECK_FAILS(GE_ERROR_VALUE, read(bytes));
    CHECK_SAYS(name);
  }
}
#define CHECK_FILL(Struct, fill) checkFill(#Struct, sizeof(Struct), fill)
/* `last`: the first field that an older caller lacks. */
#define CHECK_READ(Struct, given, last, read)                                                      \
  checkRead(#Struct, given, sizeof(Struct), offsetof(Struct, last), read)
/* All fields are required. */
#define CHECK_READ_WHOLE(Struct, given, read)                                                      \
  checkRead(#Struct, given, sizeof(Struct), sizeof(Struct), read)

#endif
