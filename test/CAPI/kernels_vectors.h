/*===- kernels_vectors.h - kernels over vectors of two numbers ----------------------------------===*/
#ifndef TEST_CAPI_KERNELS_VECTORS_H
#define TEST_CAPI_KERNELS_VECTORS_H

#include "check.h"
#include "kernels_common.h"

static inline GeStatus inferSame(void *self, const GeOpCall *call, GeType *results, bool *known) {
  (void)self;
  results[0] = call->numOperands ? call->operandTypes[0] : NULL;
  *known = results[0] != NULL;
  return GE_OK;
}

static inline GeTensor *vectorOf(GeContext *context, float a, float b) {
  float data[2] = {a, b};
  int64_t size = 2;
  GeTensor *made = NULL;
  CHECK_OK(geTensorCopy(tensorType(context, "f32", 1, &size), data, sizeof data, false, &made));
  return made;
}
static inline void checkVector(GeTensor *tensor, float a, float b) {
  const void *data;
  size_t size;
  CHECK_OK(geTensorGetBytes(tensor, &data, &size));
  CHECK(size == 8 && ((const float *)data)[0] == a && ((const float *)data)[1] == b);
  geTensorRelease(tensor);
}

static inline void implement(GeLibrary *library, const char *op, GeKernelFn function,
                             uint32_t flags) {
  GeKernelSpec spec = {sizeof spec, S(op), S("cpu"), function, NULL,
                       NULL,        flags, false,    S("r.c"), 3};
  CHECK_OK(geLibraryImpl(library, &spec, NULL));
}

#endif
