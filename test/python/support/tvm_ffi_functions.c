/* Functions as tvm-ffi libraries export them; compiled by test_kernels_tvm_ffi.py. */
#include "ge-c/Kernels.h"

#include <string.h>

void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message);

static GeAny kept;

/* scale(Tensor x, float factor, Tensor out); the arguments are counted objects */
int __tvm_ffi_scale(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  (void)result;
  if (numArgs != 3 || args[0].tag != GE_ANY_TENSOR_OBJECT || args[2].tag != GE_ANY_TENSOR_OBJECT) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "expected tensors");
    return -1;
  }
  const DLTensor *x = &((GeTensorObject *)args[0].o)->tensor;
  const DLTensor *out = &((GeTensorObject *)args[2].o)->tensor;
  if (x->ndim != 1) {
    TVMFFIErrorSetRaisedFromCStr("ValueError", "x must be a vector");
    return -1;
  }
  for (int64_t i = 0; i < x->shape[0]; ++i)
    ((float *)out->data)[i * out->strides[0]] =
        ((const float *)x->data)[i * x->strides[0]] * (float)args[1].f;
  return 0;
}

/* Two that fail, with an error and without. */
int __tvm_ffi_fail(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)args, (void)numArgs, (void)result;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "no number");
  return -1;
}
int __tvm_ffi_silent(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)args, (void)numArgs, (void)result;
  return -1;
}

/* keep(Tensor x) -> int: holds its argument after the call; drop() gives it back */
int __tvm_ffi_keep(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  (void)numArgs;
  kept = args[0];
  __atomic_fetch_add(&kept.o->refs, 1, __ATOMIC_RELAXED);
  result->tag = GE_ANY_INT;
  result->i = 1;
  return 0;
}
int __tvm_ffi_drop(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  (void)args;
  (void)numArgs;
  float first = *(float *)((GeTensorObject *)kept.o)->tensor.data;
  geObjectRelease(kept.o);
  result->tag = GE_ANY_FLOAT;
  result->f = first;
  return 0;
}
int __tvm_ffi_length(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  (void)numArgs;
  result->tag = GE_ANY_INT;
  result->i = args[0].tag == GE_ANY_STR_OBJECT ? (int64_t)((GeBytesObject *)args[0].o)->size : -1;
  return 0;
}
