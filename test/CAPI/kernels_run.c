/*===- kernels_run.c - calling operators in a C host ------------------------------------------===*\
|*
|* Guarantees: geOpCall passes a kernel its parameters in schema order with their defaults,
|* allocates the results that it writes, and rejects calls that violate the record or inference; a
|* kernel that writes to an operand writes to a copy; every object is released once. Graphs are in
|* kernels_graphs.c.
|*
\*===----------------------------------------------------------------------------------------===*/
#include "check.h"
#include "kernels_vectors.h"

#include "ge-c/Kernels.h"

#include <pthread.h>

/* first(Tensor[] xs, int[] at=[0], str? word=None) -> Tensor: two numbers, allocated here */
static int first(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self;
  if (numArgs != 3 || args[0].tag != GE_ANY_ARRAY_OBJECT || args[1].tag != GE_ANY_ARRAY_OBJECT)
    return geAnyFail(result, "not called as the schema says");
  const GeArrayObject *xs = (const GeArrayObject *)args[0].o, *at = (GeArrayObject *)args[1].o;
  Pair *pair =
      newPair((float)xs->size, at->size ? ((float *)xs->items[0].t->data)[at->items[0].i] : -1);
  result->tag = GE_ANY_TENSOR_OBJECT;
  result->o = &pair->object.header;
  return 0;
}
/* kinds(Tensor x, int i, bool b, float f, str s, int[2] p=1, int[] l=[], *, Tensor? y=None) -> ()
 */
static char seen[256];
static int kinds(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)result;
  size_t at = 0;
  seen[0] = 0;
  for (int32_t i = 0; i < numArgs; ++i) {
    at += (size_t)snprintf(seen + at, sizeof seen - at, "%d", args[i].tag);
    if (args[i].tag == GE_ANY_INT || args[i].tag == GE_ANY_BOOL)
      at += (size_t)snprintf(seen + at, sizeof seen - at, "=%d", (int)args[i].i);
    if (args[i].tag == GE_ANY_FLOAT)
      at += (size_t)snprintf(seen + at, sizeof seen - at, "=%.1f", args[i].f);
    if (args[i].tag == GE_ANY_STR)
      at += (size_t)snprintf(seen + at, sizeof seen - at, "=%s", args[i].s);
    const GeArrayObject *list = (const GeArrayObject *)args[i].o;
    if (args[i].tag == GE_ANY_ARRAY_OBJECT)
      for (int64_t k = 0; k < list->size; ++k)
        at += (size_t)snprintf(seen + at, sizeof seen - at, ":%d", (int)list->items[k].i);
    at += (size_t)snprintf(seen + at, sizeof seen - at, " ");
  }
  return 0;
}
/* Writes 9 to the first element of its first operand, which may be a list. */
static int write9(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)numArgs, (void)result;
  const GeArrayObject *list = (const GeArrayObject *)args[0].o;
  const DLTensor *t = args[0].tag == GE_ANY_TENSOR ? args[0].t : list->items[0].t;
  ((float *)t->data)[0] = 9;
  return 0;
}
static int neverRuns(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)args, (void)numArgs;
  return geAnyFail(result, "was called");
}
/* Fails, but sets its result to a counted object. */
static int failsWithObject(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)args, (void)numArgs;
  Pair *pair = calloc(1, sizeof *pair);
  pair->object.header = (GeObject){GE_ONE_REFERENCE, GE_ANY_TENSOR_OBJECT, 0, freeTensor};
  result->tag = GE_ANY_TENSOR_OBJECT;
  result->o = &pair->object.header;
  return -1;
}
/* Returns a number with a tag that does not fit it, such as an object's. */
static int strangeTag;
static int strange(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)args, (void)numArgs;
  result->tag = strangeTag;
  result->i = 0x1230;
  return 0;
}
/* Returns a tensor without data, with the tag `strangeTag`. */
static int hollow(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  (void)self, (void)args, (void)numArgs;
  Pair *pair = calloc(1, sizeof *pair);
  pair->object.header = (GeObject){GE_ONE_REFERENCE, strangeTag, 0, freeTensor};
  pair->shape[0] = 2;
  pair->object.tensor = (DLTensor){NULL, {1, 0}, 1, {2, 32, 1}, pair->shape, NULL, 0};
  result->tag = strangeTag;
  result->o = &pair->object.header;
  return 0;
}
/* endless(Tensor x) -> Tensor calls itself */
static GeOpDef endlessOp;
static GeContext *endlessContext;
static GeTensor *endlessTensor;
static int endless(void *self, const GeAny *args, int32_t numArgs, GeAny *result) {
  GeTensor *made = NULL;
  (void)self, (void)args, (void)numArgs;
  if (geOpCall(endlessOp, endlessContext, 0, &endlessTensor, 1, NULL, 0, &made, 1) == GE_OK)
    return geAnyFail(result, "it ended");
  return geAnyFail(result, "inside");
}

static void *callEndless(void *userData) {
  GeTensor *made = NULL;
  CHECK_FAILS(GE_ERROR_GENERAL,
              geOpCall(endlessOp, endlessContext, 0, &endlessTensor, 1, NULL, 0, &made, 1));
  CHECK_SAYS("failed: inside");
  return userData;
}

static GeDType i64(void) {
  GeDType dtype;
  CHECK_OK(geDTypeFromName(S("i64"), &dtype));
  return dtype;
}

/* An invalid result of a kernel is an error; if it is an object, it is released. */
static void testWrongResults(GeContext *context, GeLibrary *library) {
  GeTensor *x = vectorOf(context, 1, 2), *made = NULL;
  GeOpDef op = NULL;
  GeKernel kernel = NULL;
  CHECK_OK(geLibraryDefine(library, S("strange(Tensor x) -> Tensor"), S(""), S("r.c"), 9, &op));
  implement(library, "strange", strange, 0);
  CHECK_OK(geKernelFind(geRegistryGlobal(), S("crun::strange"), S("cpu"), &kernel));
  static const int tags[] = {65, 69, 70, 71, 100, 127, 200};
  for (size_t i = 0; i < sizeof tags / sizeof *tags; ++i) {
    strangeTag = tags[i];
    CHECK_FAILS(GE_ERROR_GENERAL, geOpCall(op, context, 0, &x, 1, NULL, 0, &made, 1));
    CHECK_SAYS("which is not a valid result");
    GeAny result, none = {0};
    CHECK_OK(geKernelCall(kernel, &none, 1, &result));
    CHECK(result.tag == tags[i] && !geAnyIsObject(&result));
  }
  geKernelRelease(kernel);
  geOpDefRelease(op);
  CHECK_OK(geLibraryDefine(library, S("hollow(Tensor x) -> Tensor"), S(""), S("r.c"), 9, &op));
  implement(library, "hollow", hollow, 0);
  int before = freed;
  strangeTag = GE_ANY_TENSOR_OBJECT;
  CHECK_FAILS(GE_ERROR_GENERAL, geOpCall(op, context, 0, &x, 1, NULL, 0, &made, 1));
  CHECK_SAYS(
      "crun::hollow: kernel cpu (r.c:3) gave a tensor of shape [2] for result 0: it has no data");
  strangeTag = 200;
  CHECK_FAILS(GE_ERROR_GENERAL, geOpCall(op, context, 0, &x, 1, NULL, 0, &made, 1));
  CHECK_SAYS("gave a value of tag 200");
  CHECK(freed == before + 2);
  geOpDefRelease(op);
  CHECK_OK(geLibraryDefine(library, S("objects(Tensor x) -> Tensor"), S(""), S("r.c"), 9, &op));
  implement(library, "objects", failsWithObject, 0);
  CHECK_OK(geKernelFind(geRegistryGlobal(), S("crun::objects"), S("cpu"), &kernel));
  GeAny result, none = {0};
  CHECK_FAILS(GE_ERROR_GENERAL, geKernelCall(kernel, &none, 1, &result));
  CHECK_SAYS("failed without a message");
  CHECK(freed == before + 3);
  geKernelRelease(kernel);
  geOpDefRelease(op);
  geTensorRelease(x);
}

static void testCalls(GeContext *context, GeLibrary *library) {
  GeOpDef op = NULL;
  GeTensor *x = vectorOf(context, 1, 2), *made = NULL;
  CHECK_OK(geRegistryGet(geRegistryGlobal(), S("crun::scale"), 0, &op));
  CHECK_OK(geOpCall(op, context, 0, &x, 1, NULL, 0, &made, 1));
  checkVector(made, 2, 4); /* with the default of k */
  GeNamedAttribute k = {0};
  CHECK_OK(geIdentifierGet(context, S("k"), &k.name));
  CHECK_OK(geAttributeInt(context, 3, i64(), &k.value)); /* converted to the schema's float */
  CHECK_OK(geOpCall(op, context, 0, &x, 1, &k, 1, &made, 1));
  checkVector(made, 3, 6);
  geAttributeRelease(k.value);
  CHECK_OK(geAttributeInt(context, -1, i64(), &k.value));
  CHECK_FAILS(GE_ERROR_GENERAL, geOpCall(op, context, 0, &x, 1, &k, 1, &made, 1));
  CHECK_SAYS("crun::scale: kernel cpu (r.c:3) failed: k is negative");
  CHECK(made == NULL);
  geAttributeRelease(k.value);
  CHECK_FAILS(GE_ERROR_VALUE, geOpCall(op, context, 0, &x, 1, NULL, 0, NULL, 0));
  GeTensor *both[2] = {x, x};
  CHECK_FAILS(GE_ERROR_VERIFY, geOpCall(op, context, 0, both, 2, NULL, 0, &made, 1));
  CHECK_SAYS("takes 1 operands, not 2");
  CHECK_FAILS(GE_ERROR_TYPE, geOpCall(NULL, context, 0, &x, 1, NULL, 0, &made, 1));
  /* A splat operand is passed as a dense tensor. */
  float one = 5;
  int64_t size = 2;
  GeTensor *splat = NULL;
  CHECK_OK(geTensorSplat(tensorType(context, "f32", 1, &size), &one, sizeof one, &splat));
  CHECK_OK(geOpCall(op, context, 0, &splat, 1, NULL, 0, &made, 1));
  checkVector(made, 10, 10);
  geTensorRelease(splat);
  geOpDefRelease(op);

  CHECK_OK(geRegistryGet(geRegistryGlobal(), S("crun::first"), 0, &op));
  CHECK_OK(geOpCall(op, context, 0, both, 2, NULL, 0, &made, 1));
  CHECK(freed == 0);
  checkVector(made, 2, 1);
  CHECK(freed == 1);
  geOpDefRelease(op);

  CHECK_OK(geRegistryGet(geRegistryGlobal(), S("crun::endless"), 0, &endlessOp));
  endlessContext = context;
  endlessTensor = x;
  /* Stack frames of sanitized code are large: the nested calls get a thread with a large stack. */
  pthread_t thread;
  pthread_attr_t attributes;
  CHECK(!pthread_attr_init(&attributes) && !pthread_attr_setstacksize(&attributes, 64 << 20));
  CHECK(!pthread_create(&thread, &attributes, callEndless, NULL) && !pthread_join(thread, NULL));
  pthread_attr_destroy(&attributes);
  geOpDefRelease(endlessOp);

  /* An operator without a kernel. */
  CHECK_OK(geLibraryDefine(library, S("nothing(Tensor x) -> Tensor"), S(""), S("r.c"), 9, &op));
  CHECK_FAILS(GE_ERROR_NOT_IMPLEMENTED, geOpCall(op, context, 0, &x, 1, NULL, 0, &made, 1));
  CHECK_SAYS("crun::nothing has no kernel for cpu; register one with Library.impl");
  geOpDefRelease(op);
  geTensorRelease(x);
}

static GeStatus inferHuge(void *self, const GeOpCall *call, GeType *results, bool *known) {
  const int64_t *sizes = self;
  results[0] = tensorType(geTypeGetContext(call->operandTypes[0]), "f64", 1, sizes);
  *known = true;
  return GE_OK;
}

static GeOpDef defined(GeLibrary *library, const char *schema, GeKernelFn function,
                       uint32_t flags) {
  GeOpDef op = NULL;
  size_t name = strcspn(schema, "(");
  CHECK_OK(geLibraryDefine(library, S(schema), S(""), S("r.c"), 9, &op));
  GeStringRef word = {schema, name};
  GeKernelSpec spec = {sizeof spec, word,  S("cpu"), function, NULL,
                       NULL,        flags, false,    S("r.c"), 3};
  CHECK_OK(geLibraryImpl(library, &spec, NULL));
  return op;
}

typedef struct {
  GeNamedAttribute list[8];
  size_t count;
} Attributes;
static GeAttribute *named(GeContext *context, Attributes *all, const char *name) {
  CHECK_OK(geIdentifierGet(context, S(name), &all->list[all->count].name));
  return &all->list[all->count++].value;
}
static void releaseAttributes(Attributes *all) {
  for (size_t i = 0; i < all->count; ++i)
    geAttributeRelease(all->list[i].value);
  all->count = 0;
}

/* Arguments that do not fit the record do not reach a kernel; others are converted to its types. */
static void testBinding(GeContext *context, GeLibrary *library) {
  GeOpDef op = defined(library,
                       "kinds(Tensor x, int i, bool b, float f, str s, int[2] p=1, int[] l=[], *, "
                       "Tensor? y=None) -> ()",
                       kinds, 0);
  GeTensor *x = vectorOf(context, 1, 2);
  Attributes given = {0};
  CHECK_OK(geAttributeBool(true, named(context, &given, "i")));
  CHECK_OK(geAttributeInt(context, 1, i64(), named(context, &given, "b")));
  CHECK_OK(geAttributeInt(context, 3, i64(), named(context, &given, "f")));
  CHECK_OK(geAttributeBytes(context, S("ab"), named(context, &given, "s")));
  CHECK_OK(geAttributeInt(context, 7, i64(), named(context, &given, "l")));
  CHECK_OK(geAttributeInt(context, 7, i64(), named(context, &given, "tool.note")));
  CHECK_OK(geOpCall(op, context, 0, &x, 1, given.list, given.count, NULL, 0));
  CHECK(strcmp(seen, "7 1=1 2=1 3=3.0 8=ab 71:1:1 71:7 0 ") == 0);
  releaseAttributes(&given);
  CHECK_FAILS(GE_ERROR_VERIFY, geOpCall(op, context, 0, &x, 1, NULL, 0, NULL, 0));
  CHECK_SAYS("crun::kinds(): missing required argument 'i'");
  geOpDefRelease(op);

  op = defined(library, "never(Tensor x, Tensor y, *, int k=1, str s=\"\", int[2] p=[1,2]) -> ()",
               neverRuns, 0);
  GeTensor *both[2] = {x, NULL};
  CHECK_FAILS(GE_ERROR_VERIFY, geOpCall(op, context, 0, NULL, 0, NULL, 0, NULL, 0));
  CHECK_SAYS("crun::never(): missing required argument 'x'");
  CHECK_FAILS(GE_ERROR_VERIFY, geOpCall(op, context, 0, both, 2, NULL, 0, NULL, 0));
  CHECK_SAYS("missing required argument 'y'");
  both[1] = x;
  CHECK_OK(geAttributeString(context, S("boo"), named(context, &given, "k")));
  CHECK_FAILS(GE_ERROR_VERIFY, geOpCall(op, context, 0, both, 2, given.list, 1, NULL, 0));
  CHECK_SAYS("argument 'k' expects int, got str 'boo'");
  releaseAttributes(&given);
  CHECK_OK(geAttributeInt(context, 3, i64(), named(context, &given, "s")));
  CHECK_FAILS(GE_ERROR_VERIFY, geOpCall(op, context, 0, both, 2, given.list, 1, NULL, 0));
  CHECK_SAYS("argument 's' expects str, got int 3");
  releaseAttributes(&given);
  CHECK_OK(geAttributeInt(context, 3, i64(), named(context, &given, "kk")));
  CHECK_FAILS(GE_ERROR_VERIFY, geOpCall(op, context, 0, both, 2, given.list, 1, NULL, 0));
  CHECK_SAYS("unexpected keyword 'kk'");
  releaseAttributes(&given);
  CHECK_OK(geAttributeInt(context, 3, i64(), named(context, &given, "x")));
  CHECK_FAILS(GE_ERROR_VERIFY, geOpCall(op, context, 0, both, 2, given.list, 1, NULL, 0));
  CHECK_SAYS("'x' is an operand, not an attribute");
  releaseAttributes(&given);
  int64_t three[3] = {1, 2, 3};
  CHECK_OK(geAttributeIntArray(context, three, 3, i64(), named(context, &given, "p")));
  CHECK_FAILS(GE_ERROR_VERIFY, geOpCall(op, context, 0, both, 2, given.list, 1, NULL, 0));
  CHECK_SAYS("argument 'p' expects int[2], got list of 3");
  releaseAttributes(&given);
  geOpDefRelease(op);

  GeOpSpec *spec = NULL;
  CHECK_OK(geOpSpecCreate(S("ranged(Tensor x, *, float k=0.5) -> ()"), S("r.c"), 1, &spec));
  CHECK_OK(geOpSpecSetRange(spec, 1, 0.1, 10, false, false));
  CHECK_OK(geLibraryDefineSpec(library, spec, &op));
  implement(library, "ranged", kinds, 0);
  CHECK_OK(geAttributeInt(context, -5, i64(), named(context, &given, "k")));
  CHECK_FAILS(GE_ERROR_VERIFY, geOpCall(op, context, 0, &x, 1, given.list, 1, NULL, 0));
  CHECK_SAYS("argument 'k' expects float between 0.1 and 10.0, got int -5");
  releaseAttributes(&given);
  GeDType f32;
  CHECK_OK(geDTypeFromName(S("f32"), &f32));
  CHECK_OK(
      geAttributeFloat(context, 0.1, f32, named(context, &given, "k"))); /* the bound, rounded */
  CHECK_OK(geOpCall(op, context, 0, &x, 1, given.list, 1, NULL, 0));
  releaseAttributes(&given);
  geOpDefRelease(op);
  geTensorRelease(x);
}

/* Tensors are immutable: a kernel writes to copies of operands; aliased results are the copies. */
static void testWrites(GeContext *context, GeLibrary *library) {
  GeTensor *x = vectorOf(context, 1, 2), *made[2] = {NULL, NULL};
  GeOpDef op = defined(library, "wrote(Tensor(a!) x) -> ()", write9, 0);
  CHECK_OK(geOpCall(op, context, 0, &x, 1, NULL, 0, NULL, 0));
  geOpDefRelease(op);
  op = defined(library, "gives(Tensor(a!) x, Tensor y) -> Tensor(a!)", write9, 0);
  GeTensor *both[2] = {x, x};
  CHECK_OK(geOpCall(op, context, 0, both, 2, NULL, 0, made, 1));
  checkVector(made[0], 9, 2);
  geOpDefRelease(op);
  op = defined(library, "lists(Tensor(a!)[] xs) -> ()", write9, 0);
  CHECK_OK(geOpCall(op, context, 0, both, 2, NULL, 0, NULL, 0));
  geOpDefRelease(op);
  /* Without a copy, writing to a read-only mapped file would crash. */
  FILE *file = fopen("kernels_run.bin", "wb");
  float data[2] = {1, 2};
  CHECK(file && fwrite(data, 1, sizeof data, file) == sizeof data && !fclose(file));
  int64_t size = 2;
  GeTensor *mapped = NULL;
  CHECK_OK(geTensorMapFile(tensorType(context, "f32", 1, &size), S("kernels_run.bin"), 0,
                           sizeof data, false, &mapped));
  CHECK_OK(geRegistryGet(geRegistryGlobal(), S("crun::gives"), 0, &op));
  both[0] = mapped;
  CHECK_OK(geOpCall(op, context, 0, both, 2, NULL, 0, made, 1));
  checkVector(made[0], 9, 2);
  geOpDefRelease(op);
  checkVector(mapped, 1, 2);
  remove("kernels_run.bin");
  checkVector(x, 1, 2); /* unchanged by all the calls */
}

static void testFailures(GeContext *context, GeLibrary *library) {
  GeTensor *x = vectorOf(context, 1, 2), *made = NULL;
  GeOpDef op = defined(library, "fails(Tensor x) -> Tensor", failsWithObject, 0);
  int before = freed;
  CHECK_FAILS(GE_ERROR_GENERAL, geOpCall(op, context, 0, &x, 1, NULL, 0, &made, 1));
  CHECK_SAYS("failed without a message");
  CHECK(freed == before + 1);
  geOpDefRelease(op);
  /* A size that overflows only when the header before the elements is added. */
  static int64_t huge[1] = {((int64_t)1 << 61) - 1};
  op = defined(library, "huge(Tensor x) -> Tensor", neverRuns, GE_KERNEL_OUT);
  GeInferrer infer = {sizeof infer, S("huge"), huge, inferHuge, NULL};
  CHECK_OK(geLibraryInfer(library, S("huge"), &infer));
  CHECK_FAILS(GE_ERROR_OVERFLOW, geOpCall(op, context, 0, &x, 1, NULL, 0, &made, 1));
  CHECK_SAYS("does not fit the memory");
  huge[0] = (int64_t)1 << 60; /* more than half of the address space */
  CHECK_FAILS(GE_ERROR_OVERFLOW, geOpCall(op, context, 0, &x, 1, NULL, 0, &made, 1));
  geOpDefRelease(op);
  geTensorRelease(x);
}

int main(void) {
  GeContext *context = NULL;
  GeLibrary *library = NULL;
  CHECK_OK(geContextCreate(&context));
  CHECK_OK(geLibraryOpen(geRegistryGlobal(), GE_LIBRARY_DEF, S("crun"), S("r.c"), 1, &library));
  const char *schemas[] = {"scale(Tensor x, *, float k=2.0) -> Tensor",
                           "first(Tensor[] xs, int[] at=[0], str? word=None) -> Tensor",
                           "endless(Tensor x) -> Tensor"};
  for (int i = 0; i < 3; ++i)
    CHECK_OK(geLibraryDefine(library, S(schemas[i]), S(""), S("r.c"), 2, NULL));
  GeInferrer same = {sizeof same, S("same"), NULL, inferSame, NULL};
  CHECK_OK(geLibraryInfer(library, S("scale"), &same));
  implement(library, "scale", scale, GE_KERNEL_OUT);
  implement(library, "first", first, 0);
  implement(library, "endless", endless, 0);
  testCalls(context, library);
  testWrongResults(context, library);
  testBinding(context, library);
  testWrites(context, library);
  testFailures(context, library);
  CHECK_OK(geLibraryClose(library));
  geLibraryRelease(library);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
