/* Functions as tvm-ffi libraries export them; compiled by test_kernels_tvm_ffi.py. */
#include "ge-c/Kernels.h"

#include <string.h>

void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message);

typedef void (*SetError)(void *, const char *kind, const char *message);
typedef int (*Allocate)(DLTensor *like, DLManagedTensorVersioned **out, void *, SetError);
Allocate TVMFFIEnvGetDLPackManagedTensorAllocator(void);
void *TVMFFIEnvGetStream(int32_t device, int32_t number);

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

/* Two functions that fail, with an error and without one. */
int __tvm_ffi_fail(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)args, (void)numArgs, (void)result;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "no number");
  return -1;
}
int __tvm_ffi_silent(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)args, (void)numArgs, (void)result;
  return -1;
}

/* keep(Tensor x) -> int: keeps its argument beyond the call; drop() releases it */
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

static void setError(void *context, const char *kind, const char *message) {
  (void)context;
  TVMFFIErrorSetRaisedFromCStr(kind, message);
}
/* allocate(int device) -> int: uses the allocator of the call; returns the sum of the elements */
int __tvm_ffi_allocate(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)numArgs;
  Allocate allocate = TVMFFIEnvGetDLPackManagedTensorAllocator();
  if (!allocate) {
    TVMFFIErrorSetRaisedFromCStr("RuntimeError", "there is no allocator");
    return -1;
  }
  int64_t shape[2] = {2, 3};
  DLTensor like = {NULL, {(int32_t)args[0].i, 0}, 2, {2, 32, 1}, shape, NULL, 0};
  DLManagedTensorVersioned *made = NULL;
  if (allocate(&like, &made, NULL, setError) != 0)
    return -1;
  float *data = made->dl_tensor.data;
  result->tag = GE_ANY_INT;
  for (int64_t i = 0; i < made->dl_tensor.shape[0] * made->dl_tensor.shape[1]; ++i) {
    data[i] = (float)i;
    result->i += (int64_t)data[i];
  }
  made->deleter(made);
  return 0;
}
/* stream(Tensor x) -> int: returns the stream of the tensor's device */
int __tvm_ffi_stream(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)numArgs;
  DLDevice device = ((GeTensorObject *)args[0].o)->tensor.device;
  result->tag = GE_ANY_INT;
  result->i = (int64_t)(intptr_t)TVMFFIEnvGetStream(device.device_type, device.device_id);
  return 0;
}
/* call(int function, int self, ...): calls a function object as the runtime does */
int __tvm_ffi_call(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  GeKernelFn function = (GeKernelFn)(uintptr_t)args[0].i;
  return function((void *)(uintptr_t)args[1].i, args + 2, numArgs - 2, result);
}
