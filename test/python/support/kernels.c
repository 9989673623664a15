/* Kernels in plain C: test_kernels_c.py compiles this file, which does not link against GE. */
#include "ge-c/Kernels.h"

#include <stdlib.h>
#include <string.h>

static int64_t numElements(const DLTensor *t) {
  int64_t n = 1;
  for (int32_t i = 0; i < t->ndim; ++i)
    n *= t->shape[i];
  return n;
}

/* scale(Tensor x, *, float factor) -> Tensor, results allocated by the caller */
int scale(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  if (numArgs != 3 || args[0].tag != GE_ANY_TENSOR || args[1].tag != GE_ANY_FLOAT)
    return geAnyFail(result, "expected (tensor, float, tensor)");
  const DLTensor *x = args[0].t;
  if (x->dtype.code != 2 || x->dtype.bits != 32)
    return geAnyFail(result, "x must be f32");
  const float *in = x->data;
  float *out = args[2].t->data;
  for (int64_t i = 0, n = numElements(x); i < n; ++i)
    out[i] = in[i] * (float)args[1].f;
  return 0;
}

/* corner(Tensor x) -> float: reads the last element by strides */
int corner(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  (void)numArgs;
  const DLTensor *x = args[0].t;
  int64_t at = 0;
  for (int32_t i = 0; i < x->ndim; ++i)
    at += (x->shape[i] - 1) * x->strides[i];
  result->tag = GE_ANY_FLOAT;
  result->f = ((const float *)x->data)[at];
  return 0;
}

/* add_(Tensor(a!) x, int k) -> Tensor(a!) */
int addInPlace(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  (void)numArgs;
  (void)result;
  float *x = args[0].t->data;
  for (int64_t i = 0, n = numElements(args[0].t); i < n; ++i)
    x[i] += (float)args[1].i;
  return 0;
}

/* ranks(Tensor[] x) -> int: the rank of each tensor as a decimal digit */
int ranks(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  (void)numArgs;
  const GeArrayObject *list = (const GeArrayObject *)args[0].o;
  result->tag = GE_ANY_INT;
  result->i = 0;
  for (int64_t i = 0; i < list->size; ++i)
    result->i = 10 * result->i + list->items[i].t->ndim;
  return 0;
}

/* addEach_(Tensor(a!)[] x) -> () */
int addEach(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  (void)numArgs;
  (void)result;
  const GeArrayObject *list = (const GeArrayObject *)args[0].o;
  for (int64_t i = 0; i < list->size; ++i)
    for (int64_t k = 0, n = numElements(list->items[i].t); k < n; ++k)
      ((float *)list->items[i].t->data)[k] += 1.0f;
  return 0;
}

/* kinds(bool b, int i, float f, str s, bytes c, int[] l, ScalarType d, Tensor? t) -> int: the
 * number of checks of the arguments that hold */
int kinds(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  int64_t good = 0;
  good += numArgs == 8;
  good += args[0].tag == GE_ANY_BOOL && args[0].i == 1;
  good += args[1].tag == GE_ANY_INT && args[1].i == -5;
  good += args[2].tag == GE_ANY_FLOAT && args[2].f == 0.5;
  good += args[3].tag == GE_ANY_STR && strcmp(args[3].s, "text") == 0;
  if (args[4].tag == GE_ANY_BYTES_OBJECT) {
    const GeBytesObject *bytes = (const GeBytesObject *)args[4].o;
    good += bytes->size == 3 && memcmp(bytes->data, "a\0b", 4) == 0;
  }
  if (args[5].tag == GE_ANY_ARRAY_OBJECT) {
    const GeArrayObject *list = (const GeArrayObject *)args[5].o;
    good += list->size == 2 && list->items[1].tag == GE_ANY_INT && list->items[1].i == 8;
  }
  good += args[6].tag == GE_ANY_DTYPE && args[6].dtype.code == 4 && args[6].dtype.bits == 16;
  good += args[7].tag == GE_ANY_NONE;
  for (int32_t i = 0; i < numArgs; ++i)
    good += args[i].small == 0;
  result->tag = GE_ANY_INT;
  result->i = good;
  return 0;
}

/* Tensors and strings that the kernel creates. */
static int64_t freed;
typedef struct {
  GeTensorObject object;
  int64_t shape[1];
  float data[4];
} Owned;
static void freeOwned(void *self, int flags) {
  if (flags & 1)
    ++freed;
  if (flags & 2)
    free(self);
}
static GeAny newTensor(float first) {
  Owned *made = calloc(1, sizeof(Owned));
  made->object.header.refs = GE_ONE_REFERENCE;
  made->object.header.tag = GE_ANY_TENSOR_OBJECT;
  made->object.header.deleter = freeOwned;
  made->shape[0] = 4;
  for (int i = 0; i < 4; ++i)
    made->data[i] = first + (float)i;
  DLTensor *t = &made->object.tensor;
  t->data = made->data;
  t->device.device_type = 1;
  t->ndim = 1;
  t->dtype.code = 2;
  t->dtype.bits = 32;
  t->dtype.lanes = 1;
  t->shape = made->shape;
  GeAny any = {GE_ANY_TENSOR_OBJECT, 0, {0}};
  any.o = &made->object.header;
  return any;
}
int makeOne(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  (void)numArgs;
  *result = newTensor((float)args[0].i);
  return 0;
}
typedef struct {
  GeArrayObject array;
  GeAny items[2];
} Pair;
static void freePair(void *self, int flags) {
  Pair *pair = self;
  if (flags & 1)
    for (int i = 0; i < 2; ++i)
      geObjectRelease(pair->items[i].o);
  if (flags & 2)
    free(self);
}
int makeTwo(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  (void)numArgs;
  Pair *pair = calloc(1, sizeof(Pair));
  pair->array.header.refs = GE_ONE_REFERENCE;
  pair->array.header.tag = GE_ANY_ARRAY_OBJECT;
  pair->array.header.deleter = freePair;
  pair->array.items = pair->items;
  pair->array.size = pair->array.capacity = 2;
  for (int i = 0; i < 2; ++i)
    pair->items[i] = newTensor((float)(args[0].i + 10 * i));
  result->tag = GE_ANY_ARRAY_OBJECT;
  result->o = &pair->array.header;
  return 0;
}
int countFreed(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  (void)args;
  (void)numArgs;
  result->tag = GE_ANY_INT;
  result->i = __atomic_load_n(&freed, __ATOMIC_RELAXED);
  return 0;
}
int smallText(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  (void)args;
  (void)numArgs;
  result->tag = GE_ANY_SMALL_STR;
  result->small = 3;
  memcpy(result->bytes, "abc", 3);
  return 0;
}

/* same(Any value) -> Any: returns its argument, an object, with one more reference */
int same(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  (void)numArgs;
  *result = args[0];
  __atomic_fetch_add(&result->o->refs, 1, __ATOMIC_RELAXED);
  return 0;
}

/* inc_(Tensor(a!) x, *, int by) -> Tensor(a!) */
int increase(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  (void)numArgs;
  (void)result;
  float *data = args[0].t->data;
  for (int64_t i = 0, n = numElements(args[0].t); i < n; ++i)
    data[i] += (float)args[1].i;
  return 0;
}

/* bad(int how) -> Tensor */
int bad(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  (void)numArgs;
  switch (args[0].i) {
  case 0:
    return geAnyFail(result, "boo");
  case 1:
    return -1;
  case 2:
    result->tag = GE_ANY_STR;
    result->s = "raw";
    return 0;
  case 3:
    result->tag = GE_ANY_TENSOR;
    return 0;
  case 4:
    result->tag = 9;
    return 0;
  case 5:
    result->tag = 1000;
    result->i = 1;
    return 0;
  case 7: { /* an array with an object of an unknown tag: freed with the array */
    GeAny how = {GE_ANY_INT, 0, {0}};
    if (makeTwo(self, &how, 1, result))
      return -1;
    Pair *pair = (Pair *)result->o;
    pair->items[1].tag = pair->items[1].o->tag = 1000;
    return 0;
  }
  case 8: /* unknown tags, with a payload that is not the address of an object */
  case 9:
    result->tag = args[0].i == 8 ? 69 : 100;
    result->i = 0x1230;
    return 0;
  case 10: /* a tensor without data */
    *result = newTensor(1);
    ((GeTensorObject *)result->o)->tensor.data = NULL;
    return 0;
  case 11: /* an object of an unknown class */
    *result = newTensor(1);
    result->tag = result->o->tag = 200;
    return 0;
  case 12: /* an object in place of the error message */
    *result = newTensor(1);
    return -1;
  case 13: /* a null tensor */
    result->tag = GE_ANY_TENSOR_OBJECT;
    return 0;
  default:
    return 0;
  }
}

/* Faulty kernels for opcheck. Each takes (Tensor x, Tensor out). */
int writesBehind(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)numArgs, (void)result;
  float *out = args[1].t->data;
  for (int64_t i = 0; i <= numElements(args[0].t); ++i)
    out[i] = 1;
  return 0;
}
int readsBefore(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)numArgs, (void)result;
  const volatile float *x = args[0].t->data;
  float *out = args[1].t->data;
  for (int64_t i = 0; i < numElements(args[0].t); ++i)
    out[i] = x[i] + 0 * x[i - 1];
  return 0;
}
int writesOperand(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)numArgs, (void)result;
  ((float *)args[0].t->data)[0] += 1;
  return 0;
}
int freesTwice(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)args, (void)numArgs, (void)result;
  abort();
}
