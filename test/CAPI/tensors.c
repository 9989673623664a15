/* Tensors: borrowed bytes are released exactly once, whatever their last owner is; files, splats,
 * strings, packed elements; a tensor outlives its context. */
#include "check.h"

#include "ge-c/TensorFiles.h"

#include <unistd.h>

static int released = 0;
static void countRelease(void *owner) {
  CHECK(owner == &released);
  ++released;
}

static void testBorrow(GeContext *context) {
  static const float bytes[6] = {1, 2, 3, 4, 5, 6};
  int64_t sizes[] = {2, 3};
  GeType type = tensorType(context, "f32", 2, sizes);
  GeTensor *tensor = NULL;
  released = 0;
  CHECK_FAILS(GE_ERROR_VALUE,
              geTensorBorrow(type, bytes, 5, countRelease, &released, false, &tensor));
  CHECK(released == 0); /* on failure the caller keeps the bytes */
  CHECK_OK(geTensorBorrow(type, bytes, sizeof bytes, countRelease, &released, false, &tensor));
  CHECK(geTensorGetType(tensor) == type);
  const void *data = NULL;
  size_t size = 0;
  CHECK_OK(geTensorGetBytes(tensor, &data, &size));
  CHECK(data == bytes && size == sizeof bytes);
  geTensorRetain(tensor);
  geTensorRelease(tensor);
  CHECK(released == 0);

  /* The owner is a graph, then the journal of a transaction, then a clone. */
  GeAttribute attribute = {0}, again = {0};
  CHECK_OK(geAttributeTensor(tensor, &attribute));
  geTensorRelease(tensor);
  GeGraphRef *graph = newGraph(context, "g");
  GeNodeRef *node = addNode(graph, "ge.Const", "c", NULL, NULL, type);
  GeIdentifier value = identifier(context, "value");
  CHECK_OK(geNodeSetAttribute(node, value, attribute));
  geAttributeRelease(attribute);
  CHECK_OK(geNodeGetAttribute(node, value, &again));
  CHECK_OK(geAttributeGetTensor(again, &tensor));
  geTensorRelease(tensor);
  geAttributeRelease(again);
  GeTransaction *t = NULL;
  CHECK_OK(geTransactionBegin(graph, &t));
  CHECK_OK(geNodeErase(node, false));
  CHECK(released == 0);
  CHECK_OK(geTransactionDestroy(t));
  CHECK(released == 0 && geRefIsAlive(node));
  GeGraphRef *copy = NULL;
  CHECK_OK(geGraphClone(graph, NULL, &copy));
  CHECK_OK(geNodeErase(node, false));
  CHECK(released == 0); /* the clone shares it */
  geGraphRelease(copy);
  CHECK(released == 1);
  geNodeRelease(node);
  geGraphRelease(graph);
  CHECK(released == 1);
}

/* The release callback may edit graphs: it is called when no edit is in progress. */
static GeGraphRef *editedByRelease = NULL;
static void editOnRelease(void *owner) {
  (void)owner;
  ++released;
  CHECK_OK(geGraphSetName(editedByRelease, S("edited")));
  geNodeRelease(addNode(editedByRelease, "my.Op", "fromRelease", NULL, NULL, NULL));
}

static void testReleaseEdits(GeContext *context) {
  static const int64_t bytes[1] = {0};
  GeType type = tensorType(context, "i64", 0, NULL);
  GeTensor *tensor = NULL;
  released = 0;
  CHECK_OK(geTensorBorrow(type, bytes, 8, editOnRelease, NULL, false, &tensor));
  GeAttribute attribute = {0}, other = {0};
  CHECK_OK(geAttributeTensor(tensor, &attribute));
  geTensorRelease(tensor);
  editedByRelease = newGraph(context, "g");
  GeNodeRef *node = addNode(editedByRelease, "my.Op", "n", NULL, NULL, NULL);
  GeIdentifier key = identifier(context, "k");
  CHECK_OK(geNodeSetAttribute(node, key, attribute));
  geAttributeRelease(attribute);
  CHECK_OK(geAttributeBool(true, &other));
  CHECK_OK(geNodeSetAttribute(node, key, other));
  CHECK(released == 1);
  CHECK_NODES("n fromRelease", editedByRelease);
  geNodeRelease(node);
  geGraphRelease(editedByRelease);
}

static void testKinds(GeContext *context) {
  int64_t sizes[] = {4};
  GeType type = tensorType(context, "f32", 1, sizes);
  GeTensor *splat = NULL, *dense = NULL;
  float one = 1, ones[4] = {1, 1, 1, 1}, out[4] = {0};
  CHECK_OK(geTensorSplat(type, &one, 4, &splat));
  CHECK_OK(geTensorCopy(type, ones, 16, false, &dense));
  CHECK(geTensorIsSplat(splat) && !geTensorIsSplat(dense));
  bool equal = false;
  uint64_t hash = 0, other = 1;
  CHECK_OK(geTensorEquals(splat, dense, &equal));
  CHECK_OK(geTensorHash(splat, &hash));
  CHECK_OK(geTensorHash(dense, &other));
  CHECK(equal && hash == other);
  float part[2] = {0};
  CHECK_OK(geTensorReadBytes(dense, 8, part, 8));
  CHECK(part[0] == 1 && part[1] == 1 && !geTensorIsMapped(dense));
  CHECK_FAILS(GE_ERROR_VALUE, geTensorReadBytes(dense, 12, part, 8));
  CHECK_FAILS(GE_ERROR_VALUE, geTensorReadBytes(dense, SIZE_MAX, part, 8));
  GeType ints = tensorType(context, "i32", 1, sizes);
  GeTensor *retyped = NULL;
  CHECK_OK(geTensorRetype(ints, dense, &retyped));
  CHECK(geTensorGetType(retyped) == ints);
  geTensorRelease(retyped);
  CHECK_FAILS(GE_ERROR_VALUE,
              geTensorRetype(tensorType(context, "i64", 1, sizes), dense, &retyped));
  CHECK(geTensorDenseSize(splat) == 16);
  CHECK_OK(geTensorCopyTo(splat, out, 16));
  CHECK(out[3] == 1);
  CHECK_FAILS(GE_ERROR_VALUE, geTensorCopyTo(splat, out, 4));
  int wrapper = 0;
  geTensorSetSlot(splat, &wrapper);
  CHECK(geTensorGetSlot(splat) == &wrapper);
  geTensorRelease(splat);
  geTensorRelease(dense);

  GeType nibbles = tensorType(context, "i4", 1, sizes);
  unsigned char packed[2] = {0x21, 0x43}, loose[4] = {1, 2, 3, 4}, unpacked[4] = {0};
  GeTensor *a = NULL, *b = NULL;
  CHECK_OK(geTensorCopy(nibbles, packed, 2, true, &a));
  CHECK_OK(geTensorCopy(nibbles, loose, 4, false, &b));
  CHECK(geTensorIsPacked(a) && !geTensorIsPacked(b));
  CHECK_OK(geTensorCopyTo(a, unpacked, 4));
  CHECK(unpacked[0] == 1 && unpacked[3] == 4);
  CHECK_OK(geTensorEquals(a, b, &equal));
  CHECK(equal);
  geTensorRelease(a);
  geTensorRelease(b);

  int64_t two[] = {2};
  GeType strings = tensorType(context, "string", 1, two);
  GeStringRef elements[] = {S("alpha"), S("")};
  GeTensor *words = NULL;
  CHECK_OK(geTensorStrings(strings, elements, 2, &words));
  GeStringRef text;
  CHECK_OK(geTensorGetString(words, 0, &text));
  CHECK_TEXT("alpha", text);
  CHECK_FAILS(GE_ERROR_INDEX, geTensorGetString(words, 2, &text));
  const void *data = NULL;
  size_t size = 0;
  CHECK_FAILS(GE_ERROR_TYPE, geTensorGetBytes(words, &data, &size));
  CHECK_FAILS(GE_ERROR_VALUE, geTensorStrings(strings, elements, 0, &words));
  geTensorRelease(words);
  CHECK_OK(geTensorStrings(strings, elements, 1, &words));
  CHECK_OK(geTensorGetString(words, 1, &text));
  CHECK_TEXT("alpha", text);
  geTensorRelease(words);

  /* A tensor needs a static tensor type. */
  CHECK_FAILS(GE_ERROR_VALUE, geTensorCopy(geTypeNone(context), ones, 16, false, &dense));
  GeDim dynamic = {-1, NULL};
  GeTensorTypeSpec spec = {.size = sizeof spec};
  CHECK_OK(geDTypeFromName(S("f32"), &spec.dtype));
  spec.ranked = true;
  spec.rank = 1;
  spec.shape = &dynamic;
  CHECK_OK(geTypeTensor(context, &spec, &type));
  CHECK_FAILS(GE_ERROR_VALUE, geTensorCopy(type, ones, 16, false, &dense));
}

static void testFile(GeContext *context) {
  char path[] = "tensor-XXXXXX";
  int file = mkstemp(path);
  CHECK(file >= 0);
  int32_t values[4] = {10, 20, 30, 40};
  CHECK(write(file, values, sizeof values) == (ssize_t)sizeof values);
  close(file);
  int64_t sizes[] = {2};
  GeType type = tensorType(context, "i32", 1, sizes);
  GeTensor *tensor = NULL;
  CHECK_OK(geTensorMapFile(type, S(path), 4, 8, false, &tensor));
  unlink(path);
  const void *data = NULL;
  size_t size = 0, offset = 0;
  CHECK_OK(geTensorGetBytes(tensor, &data, &size));
  CHECK(((const int32_t *)data)[1] == 30);
  CHECK_TEXT(path, geTensorGetFile(tensor, &offset));
  CHECK(offset == 4);
  geTensorRelease(tensor);
  CHECK_FAILS(GE_ERROR_OS, geTensorMapFile(type, S(path), 0, 8, false, &tensor));
  CHECK_SAYS(path);
}

static void testOutlivesContext(void) {
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  static const int64_t bytes[1] = {42};
  GeTensor *tensor = NULL;
  released = 0;
  GeType type = tensorType(context, "i64", 0, NULL);
  CHECK_OK(geTensorBorrow(type, bytes, 8, countRelease, &released, false, &tensor));
  GeAttribute inside = {0}, text = {0}, list = {0};
  CHECK_OK(geAttributeTensor(tensor, &inside));
  CHECK_OK(geAttributeString(context, S("beside"), &text));
  GeAttribute elements[] = {inside, text};
  CHECK_OK(geAttributeList(context, elements, 2, &list));
  geAttributeRelease(inside);
  geContextRelease(context);
  CHECK(geTypeNumElements(geTensorGetType(tensor)) == 1);
  geTensorRelease(tensor);
  CHECK(released == 0);
  geAttributeRelease(list);
  CHECK(released == 1);
}

int main(void) {
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  testBorrow(context);
  testReleaseEdits(context);
  testKinds(context);
  testFile(context);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  testOutlivesContext();
  return 0;
}
