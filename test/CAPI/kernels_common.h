/*===- kernels_common.h - a kernel, and a ref-counted tensor of two numbers ---------------------===*/
#ifndef TEST_CAPI_KERNELS_COMMON_H
#define TEST_CAPI_KERNELS_COMMON_H

#include "ge-c/Kernels.h"

#include <stdlib.h>

static int64_t elements(const DLTensor *t) {
  int64_t count = 1;
  for (int32_t i = 0; i < t->ndim; ++i)
    count *= t->shape[i];
  return count;
}

/* scale(Tensor x, *, float k=2.0) -> Tensor, with GE_KERNEL_OUT */
static int scale(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  if (numArgs != 3 || args[0].tag != GE_ANY_TENSOR || args[1].tag != GE_ANY_FLOAT ||
      args[2].tag != GE_ANY_TENSOR)
    return geAnyFail(result, "not called as the schema says");
  if (args[1].f < 0)
    return geAnyFail(result, "k is negative");
  const float *x = args[0].t->data;
  float *out = args[2].t->data;
  for (int64_t i = 0; i < elements(args[0].t); ++i)
    out[i] = x[i] * (float)args[1].f;
  return 0;
}

static int freed;
static void freeTensor(void *self, int flags) {
  if (flags & 2) {
    ++freed;
    free(self);
  }
}
typedef struct {
  GeTensorObject object;
  int64_t shape[1];
  float data[2];
} Pair;
static inline Pair *newPair(float a, float b) {
  Pair *pair = calloc(1, sizeof *pair);
  pair->object.header = (GeObject){GE_ONE_REFERENCE, GE_ANY_TENSOR_OBJECT, 0, freeTensor};
  pair->shape[0] = 2;
  pair->data[0] = a;
  pair->data[1] = b;
  pair->object.tensor = (DLTensor){pair->data, {1, 0}, 1, {2, 32, 1}, pair->shape, NULL, 0};
  return pair;
}

#endif
