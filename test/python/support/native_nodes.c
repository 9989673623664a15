/* Kernels for the tests of nodes that run natively. */
#include "ge-c/Kernels.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static int64_t count(const DLTensor *t) {
  int64_t all = 1;
  for (int32_t i = 0; i < t->ndim; ++i)
    all *= t->shape[i];
  return all;
}
/* add(Tensor a, Tensor b) -> Tensor, out */
int add(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)numArgs, (void)result;
  const float *a = args[0].t->data, *b = args[1].t->data;
  float *out = args[2].t->data;
  for (int64_t i = 0; i < count(args[0].t); ++i)
    out[i] = a[i] + b[i];
  return 0;
}
/* scale(Tensor x, *, float k=2.0) -> Tensor, out */
int scale(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)numArgs;
  if (args[1].f < 0)
    return geAnyFail(result, "k is negative");
  const float *x = args[0].t->data;
  float *out = args[2].t->data;
  for (int64_t i = 0; i < count(args[0].t); ++i)
    out[i] = x[i] * (float)args[1].f;
  return 0;
}
/* positive(Tensor x) -> Tensor, out: whether the first element is above 0 */
int positive(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)numArgs, (void)result;
  *(char *)args[1].t->data = *(const float *)args[0].t->data > 0;
  return 0;
}
/* total(Tensor[] xs, Tensor? y=None) -> Tensor, out: the sum, 100 more with y */
int total(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)numArgs, (void)result;
  const GeArrayObject *xs = (const GeArrayObject *)args[0].o;
  float *out = args[2].t->data;
  for (int64_t i = 0; i < count(args[2].t); ++i) {
    out[i] = args[1].tag == GE_ANY_NONE ? 0.0f : 100.0f;
    for (int64_t k = 0; k < xs->size; ++k)
      out[i] += ((const float *)xs->items[k].t->data)[i];
  }
  return 0;
}
static int live, most, calls;
static void freeTensor(void *self, int flags) {
  if (flags & 2) {
    --live;
    free(self);
  }
}
typedef struct {
  GeTensorObject object;
  int64_t shape[2];
  float data[64];
} Made;
/* next(Tensor x) -> Tensor: allocates its result, and counts live results */
int next(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)numArgs;
  const DLTensor *x = args[0].t;
  Made *made = calloc(1, sizeof *made);
  made->object.header = (GeObject){GE_ONE_REFERENCE, GE_ANY_TENSOR_OBJECT, 0, freeTensor};
  made->object.tensor = (DLTensor){made->data, {1, 0}, x->ndim, {2, 32, 1}, made->shape, NULL, 0};
  for (int32_t i = 0; i < x->ndim; ++i)
    made->shape[i] = x->shape[i];
  for (int64_t i = 0; i < count(x); ++i)
    made->data[i] = ((const float *)x->data)[i] + 1;
  most = ++live > most ? live : most;
  ++calls;
  result->tag = GE_ANY_TENSOR_OBJECT;
  result->o = &made->object.header;
  return 0;
}
/* live() -> int, most() -> int and calls() -> int */
int lives(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)args, (void)numArgs;
  result->tag = GE_ANY_INT;
  result->i = live;
  return 0;
}
int mostLives(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)args, (void)numArgs;
  result->tag = GE_ANY_INT;
  result->i = most;
  return 0;
}
int numCalls(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)args, (void)numArgs;
  result->tag = GE_ANY_INT;
  result->i = calls;
  return 0;
}
/* same(Tensor x) -> Tensor: returns the operand's memory; the schema does not state the alias */
int same(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)numArgs;
  Made *made = calloc(1, sizeof *made);
  ++live;
  made->object.header = (GeObject){GE_ONE_REFERENCE, GE_ANY_TENSOR_OBJECT, 0, freeTensor};
  made->object.tensor = *args[0].t;
  memcpy(made->shape, args[0].t->shape, sizeof(int64_t) * (size_t)args[0].t->ndim);
  made->object.tensor.shape = made->shape;
  made->object.tensor.strides = NULL;
  result->tag = GE_ANY_TENSOR_OBJECT;
  result->o = &made->object.header;
  return 0;
}
/* write(Tensor(a!) x) -> Tensor(a!): writes 9 to the first element */
int writeNine(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)numArgs, (void)result;
  *(float *)args[0].t->data = 9;
  return 0;
}
/* interrupt(Tensor x) -> Tensor, out: raises SIGINT, as Ctrl-C does */
int interrupt(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)numArgs, (void)result;
  *(char *)args[1].t->data = 1;
  raise(SIGINT);
  return 0;
}
