/*===- kernels.c - kernels and DLPack through the C API ----------------------------------------===*\
|*
|* Guarantees: a kernel is found by operator and backend, and may be registered before its operator;
|* an override lasts until its library closes; closing a library removes its kernels, but a held
|* kernel stays valid; failures name the kernel; tensors are imported and exported by DLPack without
|* a copy, and are released once.
|*
\*===----------------------------------------------------------------------------------------===*/
#include "check.h"

#include "ge-c/Kernels.h"

static int released;
static void release(void *self) { released += self != NULL; }

static int addOne(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  if (numArgs != 1 || args[0].tag != GE_ANY_INT)
    return geAnyFail(result, "expected one int");
  result->tag = GE_ANY_INT;
  result->i = args[0].i + 1;
  return 0;
}
static int addTwo(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  (void)numArgs;
  result->tag = GE_ANY_INT;
  result->i = args[0].i + 2;
  return 0;
}
static int fail(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  (void)args;
  (void)numArgs;
  (void)result;
  return -1;
}

static GeKernelSpec specOf(const char *op, const char *backend, GeKernelFn function) {
  GeKernelSpec spec = {sizeof spec, S(op), S(backend), function, &released,
                       release,     0,     false,      S("k.c"), 7};
  return spec;
}

static int64_t callWith(GeKernel kernel, int64_t value) {
  GeAny arg = {GE_ANY_INT, 0, {value}}, result;
  CHECK_OK(geKernelCall(kernel, &arg, 1, &result));
  CHECK(result.tag == GE_ANY_INT);
  return result.i;
}

static void testKernels(void) {
  GeRegistry *registry = NULL;
  GeLibrary *home = NULL, *other = NULL;
  GeKernel kernel = NULL, held = NULL;
  CHECK_OK(geRegistryCreate(&registry));
  CHECK_OK(geLibraryOpen(registry, GE_LIBRARY_IMPL, S("acme"), S("a.c"), 1, &home));
  GeKernelSpec spec = specOf("inc", "cpu", addOne);
  CHECK_OK(geLibraryImpl(home, &spec, NULL)); /* before the operator is defined */
  CHECK_OK(geKernelFind(registry, S("acme::inc"), S("cpu"), &kernel));
  CHECK(callWith(kernel, 4) == 5);
  GeKernelInfo info = {.size = sizeof info};
  CHECK_OK(geKernelGetInfo(kernel, &info));
  CHECK_TEXT("acme::inc", info.op);
  CHECK_TEXT("cpu", info.backend);
  CHECK_TEXT("k.c", info.file);
  CHECK(info.line == 7 && info.function == addOne);

  /* A second kernel for one backend is an error unless it overrides the first. */
  CHECK_OK(geLibraryOpen(registry, GE_LIBRARY_IMPL, S("acme"), S("b.c"), 1, &other));
  spec = specOf("acme::inc", "cpu", addTwo);
  CHECK_FAILS(GE_ERROR_OP_SCHEMA, geLibraryImpl(other, &spec, NULL));
  CHECK_SAYS("acme::inc for cpu is implemented at k.c:7, and was already at k.c:7; close that "
             "library or pass override=True");
  CHECK(released == 1);
  spec.overrides = true;
  CHECK_OK(geLibraryImpl(other, &spec, &held));
  CHECK(callWith(held, 4) == 6);
  size_t count = 0;
  GeKernel all[2] = {NULL, NULL};
  CHECK_OK(geKernelList(registry, S("acme::inc"), all, 2, &count));
  CHECK(count == 1 && callWith(all[0], 4) == 6);
  geKernelRelease(all[0]);
  CHECK_OK(geLibraryClose(other));
  CHECK(released == 1);          /* `held` keeps it alive */
  CHECK(callWith(held, 4) == 6); /* and callable */
  geKernelRetain(held);
  geKernelRelease(held);
  CHECK(released == 1);
  geKernelRelease(held);
  CHECK(released == 2);
  CHECK_OK(geKernelFind(registry, S("acme::inc"), S("cpu"), &held));
  CHECK(callWith(held, 4) == 5); /* the overridden kernel is active again */
  geKernelRelease(held);

  /* Dispatch. */
  CHECK_FAILS(GE_ERROR_NOT_IMPLEMENTED,
              geKernelRequire(registry, S("acme::inc"), S("cuda"), &held));
  CHECK_SAYS("acme::inc has no kernel for cuda; it has cpu (k.c:7)");
  spec = specOf("inc", "any", addTwo);
  CHECK_OK(geLibraryImpl(home, &spec, NULL));
  CHECK_OK(geKernelRequire(registry, S("acme::inc"), S("cuda"), &held));
  CHECK(callWith(held, 0) == 2);
  geKernelRelease(held);
  CHECK_OK(geKernelFind(registry, S("acme::inc"), S("cuda"), &held));
  CHECK(held == NULL);
  CHECK_TEXT("cuda", geKernelBackendOfDevice(2));
  CHECK_TEXT("npu", geKernelBackendOfDevice(12));
  CHECK(geKernelBackendOfDevice(99).length == 0);

  /* Failures. */
  GeAny arg = {GE_ANY_NONE, 0, {0}}, result;
  CHECK_FAILS(GE_ERROR_GENERAL, geKernelCall(kernel, &arg, 1, &result));
  CHECK_SAYS("acme::inc: kernel cpu (k.c:7) failed: expected one int");
  spec = specOf("bad", "cpu", fail);
  CHECK_OK(geLibraryImpl(home, &spec, &held));
  CHECK_FAILS(GE_ERROR_GENERAL, geKernelCall(held, NULL, 0, &result));
  CHECK_SAYS("failed without a message");
  geKernelRelease(held);
  int before = released;
  spec = specOf("inc", "gpu", addOne);
  CHECK_FAILS(GE_ERROR_VALUE, geLibraryImpl(home, &spec, NULL));
  CHECK_SAYS("there is no backend 'gpu'; known are cpu, cuda");
  spec = specOf("beta::inc", "cpu", addOne);
  CHECK_FAILS(GE_ERROR_OP_SCHEMA, geLibraryImpl(home, &spec, NULL));
  spec = specOf("inc", "npu", NULL);
  CHECK_FAILS(GE_ERROR_TYPE, geLibraryImpl(home, &spec, NULL));
  CHECK_FAILS(GE_ERROR_TYPE, geLibraryImpl(NULL, &spec, NULL));
  CHECK(released == before + 4); /* a failed registration releases the kernel, too */
  CHECK_FAILS(GE_ERROR_TYPE, geLibraryImpl(home, NULL, NULL));
  CHECK_FAILS(GE_ERROR_TYPE, geKernelCall(NULL, NULL, 0, &result));
  CHECK_FAILS(GE_ERROR_TYPE, geKernelFind(NULL, S("a::b"), S("cpu"), &held));
  geKernelRelease(NULL);

  geKernelRelease(kernel);
  geLibraryRelease(home);
  geLibraryRelease(other);
  CHECK(released == before + 4 + 3); /* inc for cpu and any, bad */
  geRegistryRelease(registry);
}

/* "reference" is a rank: such a kernel is found by that word alone, and belongs to no backend. */
static void testRanks(void) {
  GeRegistry *registry = NULL;
  GeLibrary *home = NULL;
  GeKernel held = NULL;
  CHECK_OK(geRegistryCreate(&registry));
  CHECK_OK(geLibraryOpen(registry, GE_LIBRARY_IMPL, S("acme"), S("r.c"), 1, &home));
  GeKernelSpec spec = specOf("inc", "reference", addOne);
  CHECK_OK(geLibraryImpl(home, &spec, NULL));
  CHECK_FAILS(GE_ERROR_OP_SCHEMA, geLibraryImpl(home, &spec, NULL));
  CHECK_SAYS("acme::inc for reference is implemented at k.c:7, and was already at k.c:7");
  CHECK_OK(geKernelFind(registry, S("acme::inc"), S("reference"), &held));
  CHECK(callWith(held, 0) == 1);
  geKernelRelease(held);
  CHECK_FAILS(GE_ERROR_NOT_IMPLEMENTED, geKernelRequire(registry, S("acme::inc"), S("cpu"), &held));
  size_t count = 1;
  CHECK_OK(geKernelList(registry, S("acme::inc"), NULL, 0, &count));
  CHECK(count == 0);
  spec = specOf("inc", "decomposition", addOne);
  CHECK_FAILS(GE_ERROR_VALUE, geLibraryImpl(home, &spec, NULL));
  CHECK_SAYS("'decomposition' is for functions that build a graph, which are no kernels");
  geLibraryRelease(home);
  geRegistryRelease(registry);
}

static int deleted;
static void deleteManaged(DLManagedTensorVersioned *self) {
  ++deleted;
  free(self);
}
static DLManagedTensorVersioned *managedOf(float *data, int32_t ndim, int64_t *shape,
                                           int64_t *strides) {
  DLManagedTensorVersioned *m = calloc(1, sizeof *m);
  m->version.major = DLPACK_MAJOR_VERSION;
  m->deleter = deleteManaged;
  DLTensor t = {data, {1, 0}, ndim, {2, 32, 1}, shape, strides, 0};
  m->dl_tensor = t;
  return m;
}

static void countWord(GeStringRef word, void *count) {
  CHECK(word.length > 0);
  ++*(int *)count;
}

static void testInference(void) {
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  int words = 0;
  CHECK_OK(geKernelBackends(countWord, &words));
  CHECK(words > 3);
  CHECK_FAILS(GE_ERROR_TYPE, geKernelBackends(NULL, NULL));
  GeOpDef op = NULL;
  CHECK_OK(geRegistryGet(geRegistryGlobal(), S("onnx::MatMul"), GE_OPSET_NEWEST, &op));
  GeType types[2] = {tensorType(context, "f32", 2, (int64_t[]){2, 3}),
                     tensorType(context, "f32", 2, (int64_t[]){3, 4})};
  GeType found = NULL;
  bool known = false;
  CHECK_OK(geOpInferTypes(op, context, 0, types, 2, NULL, 0, &found, 1, &known));
  CHECK(known && found == tensorType(context, "f32", 2, (int64_t[]){2, 4}));
  types[1] = types[0];
  CHECK_FAILS(GE_ERROR_VERIFY,
              geOpInferTypes(op, context, 0, types, 2, NULL, 0, &found, 1, &known));
  CHECK_SAYS("onnx::MatMul: ");
  CHECK_FAILS(GE_ERROR_TYPE,
              geOpInferTypes(NULL, context, 0, types, 2, NULL, 0, &found, 1, &known));
  geOpDefRelease(op);
  CHECK_OK(geOpDefParse(S("acme::unknown(Tensor x) -> Tensor"), S(""), 0, &op));
  CHECK_OK(geOpInferTypes(op, context, 0, types, 1, NULL, 0, &found, 1, &known));
  CHECK(!known && found == geTypeUnknown(context));
  geOpDefRelease(op);

  GeDType dtype, back;
  DLDataType type;
  CHECK_OK(geDTypeFromName(S("bf16"), &dtype));
  CHECK_OK(geDTypeToDLPack(dtype, &type));
  CHECK(type.code == 4 && type.bits == 16 && type.lanes == 1);
  CHECK_OK(geDTypeFromDLPack(type, &back));
  CHECK(back == dtype);
  type.bits = 17;
  CHECK_FAILS(GE_ERROR_TYPE, geDTypeFromDLPack(type, &back));
  CHECK_OK(geDTypeFromName(S("string"), &dtype));
  CHECK_FAILS(GE_ERROR_TYPE, geDTypeToDLPack(dtype, &type));
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
}

static void testDLPack(void) {
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  float data[6] = {0, 1, 2, 3, 4, 5};
  int64_t shape[2] = {2, 3}, strides[2] = {3, 1}, turned[2] = {1, 2}, turnedShape[2] = {2, 3};
  GeTensor *tensor = NULL;
  const void *bytes = NULL;
  size_t size = 0;

  /* The memory is borrowed, and released with the last reference. */
  CHECK_OK(geTensorFromDLPack(context, managedOf(data, 2, shape, strides), &tensor));
  CHECK_OK(geTensorGetBytes(tensor, &bytes, &size));
  CHECK(bytes == data && size == sizeof data && deleted == 0);
  DLManagedTensorVersioned *out = NULL;
  CHECK_OK(geTensorToDLPack(tensor, &out));
  geTensorRelease(tensor);
  CHECK(deleted == 0);
  CHECK(out->dl_tensor.data == data && out->dl_tensor.ndim == 2);
  CHECK(out->dl_tensor.shape[1] == 3 && out->dl_tensor.strides[0] == 3);
  CHECK(out->flags == 1); /* read-only */
  out->deleter(out);
  CHECK(deleted == 1);

  /* Not contiguous: copied at once. */
  CHECK_OK(geTensorFromDLPack(context, managedOf(data, 2, turnedShape, turned), &tensor));
  CHECK(deleted == 2);
  CHECK_OK(geTensorGetBytes(tensor, &bytes, &size));
  const float expected[6] = {0, 2, 4, 1, 3, 5};
  for (size_t i = 0; i < 6; ++i)
    CHECK(((const float *)bytes)[i] == expected[i]);
  geTensorRelease(tensor);

  /* Without strides, without elements, and with an offset. */
  int64_t none[2] = {0, 3}, three[1] = {3};
  CHECK_OK(geTensorFromDLPack(context, managedOf(NULL, 2, none, NULL), &tensor));
  geTensorRelease(tensor);
  DLManagedTensorVersioned *m = managedOf(data, 1, three, NULL);
  m->dl_tensor.byte_offset = 8;
  CHECK_OK(geTensorFromDLPack(context, m, &tensor));
  CHECK_OK(geTensorGetBytes(tensor, &bytes, &size));
  CHECK(((const float *)bytes)[0] == 2);
  geTensorRelease(tensor);
  CHECK(deleted == 4);

  /* A rejected tensor stays with the caller. */
  m = managedOf(data, 1, three, NULL);
  m->dl_tensor.device.device_type = 2;
  CHECK_FAILS(GE_ERROR_VALUE, geTensorFromDLPack(context, m, &tensor));
  CHECK_SAYS("copy it to the CPU");
  m->dl_tensor.device.device_type = 1;
  m->dl_tensor.dtype.lanes = 4;
  CHECK_FAILS(GE_ERROR_TYPE, geTensorFromDLPack(context, m, &tensor));
  m->dl_tensor.dtype.lanes = 1;
  m->version.major = 9;
  CHECK_FAILS(GE_ERROR_VALUE, geTensorFromDLPack(context, m, &tensor));
  m->version.major = DLPACK_MAJOR_VERSION;
  three[0] = -1;
  CHECK_FAILS(GE_ERROR_VALUE, geTensorFromDLPack(context, m, &tensor));
  three[0] = INT64_MAX;
  CHECK_FAILS(GE_ERROR_OVERFLOW, geTensorFromDLPack(context, m, &tensor));
  CHECK_FAILS(GE_ERROR_TYPE, geTensorFromDLPack(context, NULL, &tensor));
  CHECK_FAILS(GE_ERROR_TYPE, geTensorFromDLPack(NULL, m, &tensor));
  CHECK_FAILS(GE_ERROR_TYPE, geTensorToDLPack(NULL, &out));
  CHECK(deleted == 4);
  free(m);

  /* A kernel's result, which owns it, also on failure. */
  three[0] = 3;
  GeAny any = {0};
  CHECK(geAnyFromDLPack(managedOf(data, 1, three, NULL), &any) == 0);
  CHECK(any.tag == GE_ANY_TENSOR_OBJECT && ((GeTensorObject *)any.o)->tensor.data == data);
  geObjectRetain(any.o);
  geObjectRelease(any.o);
  CHECK(deleted == 4);
  geObjectRelease(any.o);
  CHECK(deleted == 5);
  m = managedOf(data, 1, three, NULL);
  m->version.major = 9;
  CHECK(geAnyFromDLPack(m, &any) == -1 && any.tag == GE_ANY_STR && strstr(any.s, "major version"));
  CHECK(deleted == 6);

  /* A splat is exported with strides of 0; strings cannot be exported. */
  float one = 7;
  CHECK_OK(
      geTensorSplat(tensorType(context, "f32", 2, (int64_t[]){2, 3}), &one, sizeof one, &tensor));
  CHECK_OK(geTensorToDLPack(tensor, &out));
  CHECK(out->dl_tensor.strides[0] == 0 && out->dl_tensor.strides[1] == 0);
  CHECK(*(float *)out->dl_tensor.data == 7);
  out->deleter(out);
  geTensorRelease(tensor);
  GeStringRef word = S("x");
  CHECK_OK(geTensorStrings(tensorType(context, "string", 1, (int64_t[]){1}), &word, 1, &tensor));
  CHECK_FAILS(GE_ERROR_TYPE, geTensorToDLPack(tensor, &out));
  geTensorRelease(tensor);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
}

int main(void) {
  testKernels();
  testRanks();
  testInference();
  testDLPack();
  return 0;
}
