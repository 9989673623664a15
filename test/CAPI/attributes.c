/* Types, locations and attributes of all kinds: creation, reading, comparison, invalid values. */
#include "check.h"

#include "ge-c/TensorFiles.h"

#include <math.h>

static GeDType dtype(const char *name) {
  GeDType found = 0;
  CHECK_OK(geDTypeFromName(S(name), &found));
  return found;
}

static void testDTypes(void) {
  CHECK(geDTypeCount() > 30);
  for (size_t i = 0; i < geDTypeCount(); ++i) {
    GeDTypeInfo info = {.size = sizeof info};
    CHECK_OK(geDTypeGetInfo((GeDType)i, &info));
    CHECK(info.name && info.mlir);
    CHECK(dtype(info.name) == i);
    if (info.cannName)
      CHECK(dtype(info.cannName) == i);
  }
  GeDTypeInfo info = {.size = sizeof info};
  CHECK_FAILS(GE_ERROR_VALUE, geDTypeGetInfo((GeDType)geDTypeCount(), &info));
  CHECK(dtype("float32") == dtype("f32") && dtype("DT_FLOAT") == dtype("f32"));
  GeDType none = 0;
  CHECK_FAILS(GE_ERROR_VALUE, geDTypeFromName(S("float23"), &none));
  CHECK_SAYS("float32");
}

static void testTypes(GeContext *context) {
  GeDim shape[] = {{-1, identifier(context, "N")}, {3, NULL}, {-1, NULL}};
  GeDim origin[] = {{4, NULL}};
  GeTensorTypeSpec spec = {.size = sizeof spec}, read = {.size = sizeof read};
  spec.dtype = dtype("f16");
  spec.ranked = true;
  spec.rank = 3;
  spec.shape = shape;
  spec.format = identifier(context, "NCHW");
  spec.hasOriginShape = true;
  spec.originRank = 1;
  spec.originShape = origin;
  spec.originFormat = identifier(context, "ND");
  GeType type = NULL, again = NULL, element = NULL, map = NULL;
  CHECK_OK(geTypeTensor(context, &spec, &type));
  CHECK_OK(geTypeTensor(context, &spec, &again));
  CHECK(type == again);
  CHECK(geTypeGetKind(type) == GE_TYPE_TENSOR && geTypeGetContext(type) == context);
  CHECK_OK(geTypeGetTensorSpec(type, &read));
  CHECK(read.dtype == spec.dtype && read.ranked && read.rank == 3);
  CHECK(read.shape[0].symbol == shape[0].symbol && read.shape[1].size == 3);
  CHECK(read.shape[2].size == -1 && read.format == spec.format);
  CHECK(read.hasOriginShape && read.originRank == 1 && read.originShape[0].size == 4);
  CHECK(read.originFormat == spec.originFormat);
  CHECK(geTypeNumElements(type) == -1);
  shape[0].size = -2;
  CHECK_FAILS(GE_ERROR_VALUE, geTypeTensor(context, &spec, &again));
  shape[0].size = 5; /* a static size must not have a symbol */
  CHECK_FAILS(GE_ERROR_VALUE, geTypeTensor(context, &spec, &again));
  spec.dtype = 250;
  CHECK_FAILS(GE_ERROR_VALUE, geTypeTensor(context, &spec, &again));

  GeTensorTypeSpec unranked = {.size = sizeof unranked};
  unranked.dtype = dtype("f32");
  GeType loose = NULL;
  CHECK_OK(geTypeTensor(context, &unranked, &loose));
  CHECK_OK(geTypeGetTensorSpec(loose, &read));
  CHECK(!read.ranked);

  CHECK_OK(geTypeSequence(type, &again));
  CHECK(geTypeGetKind(again) == GE_TYPE_SEQUENCE);
  CHECK_OK(geTypeGetElement(again, &element));
  CHECK(element == type);
  CHECK_OK(geTypeOptional(again, &again));
  CHECK(geTypeGetKind(again) == GE_TYPE_OPTIONAL);
  CHECK_OK(geTypeMap(dtype("i64"), again, &map));
  GeDType key = 0;
  CHECK_OK(geTypeGetMapKey(map, &key));
  CHECK(key == dtype("i64"));
  GeType opaque = NULL;
  CHECK_OK(geTypeOpaque(context, S("payload \"x\""), &opaque));
  GeStringRef text;
  CHECK_OK(geTypeGetPayload(opaque, &text));
  CHECK_TEXT("payload \"x\"", text);
  CHECK_FAILS(GE_ERROR_TYPE, geTypeGetPayload(type, &text));
  CHECK_FAILS(GE_ERROR_TYPE, geTypeGetElement(type, &element));
  CHECK_FAILS(GE_ERROR_TYPE, geTypeGetMapKey(type, &key));
  CHECK_FAILS(GE_ERROR_TYPE, geTypeGetTensorSpec(map, &read));
  CHECK(geTypeGetKind(geTypeNone(context)) == GE_TYPE_NONE);
  CHECK(geTypeGetKind(geTypeUnknown(context)) == GE_TYPE_UNKNOWN);
  Text printed = {NULL, 0};
  geTypePrint(loose, appendText, &printed);
  CHECK(strcmp(printed.data, "tensor<*xf32>") == 0);
  freeText(&printed);
  int64_t sizes[] = {2, 0, 3};
  CHECK(geTypeNumElements(tensorType(context, "i8", 3, sizes)) == 0);
  int wrapper = 0;
  CHECK(geTypeGetSlot(type) == NULL);
  geTypeSetSlot(type, &wrapper);
  CHECK(geTypeGetSlot(type) == &wrapper);
  geTypeSetSlot(type, NULL);

  /* The limit of nesting is that of the text form. */
  GeStatus status = GE_OK;
  int depth = 1;
  again = loose;
  while ((status = geTypeSequence(again, &again)) == GE_OK)
    ++depth;
  CHECK(status == GE_ERROR_VALUE && depth == 256);
}

static void testLocations(GeContext *context) {
  GeLocation file = NULL, name = NULL, fused = NULL, part = NULL;
  CHECK_OK(geLocationFile(context, S("f.py"), 3, 7, &file));
  CHECK_OK(geLocationName(context, S("layer"), file, &name));
  GeLocation unknown = geLocationUnknown(context);
  GeLocation parts[] = {name, unknown, file};
  CHECK_OK(geLocationFused(context, parts, 3, &fused));
  CHECK(geLocationGetKind(file) == GE_LOCATION_FILE && geLocationGetKind(name) == GE_LOCATION_NAME);
  CHECK(geLocationGetKind(fused) == GE_LOCATION_FUSED && geLocationNumParts(fused) == 2);
  CHECK_TEXT("f.py", geLocationGetText(file));
  CHECK_TEXT("layer", geLocationGetText(name));
  CHECK_TEXT("", geLocationGetText(fused));
  CHECK(geLocationGetLine(file) == 3 && geLocationGetColumn(file) == 7);
  CHECK_OK(geLocationGetPart(name, 0, &part));
  CHECK(part == file);
  CHECK_FAILS(GE_ERROR_INDEX, geLocationGetPart(fused, 2, &part));
  CHECK_OK(geLocationFused(context, &file, 1, &part));
  CHECK(part == file);
  CHECK(geLocationGetContext(fused) == context);
  Text printed = {NULL, 0};
  geLocationPrint(file, appendText, &printed);
  CHECK(strcmp(printed.data, "\"f.py\":3:7") == 0);
  freeText(&printed);

  GeGraphRef *graph = newGraph(context, "g");
  GeNodeRef *node = addNode(graph, "my.Op", "n", NULL, NULL, NULL);
  CHECK_OK(geNodeGetLocation(node, &part));
  CHECK(part == unknown);
  CHECK_OK(geNodeSetLocation(node, fused));
  CHECK_OK(geNodeGetLocation(node, &part));
  CHECK(part == fused);
  geNodeRelease(node);
  geGraphRelease(graph);
}

static void testScalars(GeContext *context) {
  GeAttribute a = {0}, b = {0};
  bool flag = false;
  CHECK_OK(geAttributeBool(true, &a));
  CHECK_OK(geAttributeGetBool(a, &flag));
  CHECK(flag && geAttributeGetKind(a) == GE_ATTR_BOOL);
  CHECK(geAttributeGetWidth(a) == dtype("bool"));
  CHECK(geAttributeGetContext(a) == NULL);

  const int64_t ints[] = {0, -1, INT64_MAX, INT64_MIN, (int64_t)1 << 60, -((int64_t)1 << 60) - 1};
  for (size_t i = 0; i < sizeof ints / sizeof *ints; ++i) {
    int64_t value = 99;
    CHECK_OK(geAttributeInt(context, ints[i], dtype("i64"), &a));
    CHECK_OK(geAttributeInt(context, ints[i], dtype("i64"), &b));
    CHECK(a.bits == b.bits && geAttributeEquals(a, b));
    CHECK(geAttributeHash(a) == geAttributeHash(b));
    CHECK_OK(geAttributeGetInt(a, &value));
    CHECK(value == ints[i] && geAttributeGetWidth(a) == dtype("i64"));
    int64_t plain = 98;
    CHECK(geAttributeGetPlainInt(a, &plain) ? plain == ints[i] : plain == 98);
  }
  CHECK_FAILS(GE_ERROR_OVERFLOW, geAttributeInt(context, 200, dtype("i8"), &a));
  CHECK_OK(geAttributeInt(context, -128, dtype("i8"), &a));
  CHECK(geAttributeGetWidth(a) == dtype("i8"));
  int64_t untouched = 97;
  CHECK(!geAttributeGetPlainInt(a, &untouched) && untouched == 97);
  CHECK_FAILS(GE_ERROR_TYPE, geAttributeGetBool(a, &flag));
  CHECK_SAYS("an int, not a bool");

  const double floats[] = {0.0, -0.0, 0.5, 1e30, INFINITY};
  for (size_t i = 0; i < sizeof floats / sizeof *floats; ++i) {
    double value = 99;
    CHECK_OK(geAttributeFloat(context, floats[i], dtype("f32"), &a));
    CHECK_OK(geAttributeGetFloat(a, &value));
    CHECK((float)value == (float)floats[i] && signbit(value) == signbit(floats[i]));
    CHECK_OK(geAttributeFloat(context, floats[i], dtype("f64"), &a));
    CHECK_OK(geAttributeGetFloat(a, &value));
    CHECK(value == floats[i] && geAttributeGetWidth(a) == dtype("f64"));
  }

  GeStringRef text;
  CHECK_OK(geAttributeString(context, S("na\xc3\xafve"), &a));
  CHECK_OK(geAttributeGetString(a, &text));
  CHECK_TEXT("na\xc3\xafve", text);
  CHECK(geAttributeGetContext(a) == context);
  CHECK_FAILS(GE_ERROR_VALUE, geAttributeString(context, S("\xff"), &b));
  CHECK_OK(geAttributeBytes(context, S("\xff"), &b));
  CHECK(geAttributeGetKind(b) == GE_ATTR_BYTES);
  CHECK_OK(geAttributeGetString(b, &text));
  CHECK_TEXT("\xff", text);
  CHECK(!geAttributeEquals(a, b));
  GeStringRef zero = {"a\0b", 3};
  CHECK_OK(geAttributeBytes(context, zero, &b));
  CHECK_OK(geAttributeGetString(b, &text));
  CHECK(text.length == 3);
  CHECK_OK(geAttributeGraph(context, S("body"), &a));
  CHECK_OK(geAttributeGetString(a, &text));
  CHECK_TEXT("body", text);

  GeDType d = 0;
  CHECK_OK(geAttributeDType(dtype("bf16"), &a));
  CHECK_OK(geAttributeGetDType(a, &d));
  CHECK(d == dtype("bf16"));
  CHECK_FAILS(GE_ERROR_VALUE, geAttributeDType(255, &a));
  GeType type = NULL;
  CHECK_OK(geAttributeType(geTypeNone(context), &a));
  CHECK_OK(geAttributeGetType(a, &type));
  CHECK(type == geTypeNone(context) && geAttributeGetContext(a) == context);
}

static void testContainers(GeContext *context) {
  GeAttribute a = {0}, b = {0};
  const int64_t ints[] = {1, -2, 3};
  const int64_t *read = NULL;
  size_t count = 0;
  CHECK_OK(geAttributeIntArray(context, ints, 3, dtype("i64"), &a));
  CHECK_OK(geAttributeGetInts(a, &read, &count));
  CHECK(count == 3 && memcmp(read, ints, sizeof ints) == 0);
  CHECK_OK(geAttributeIntArray(context, ints, 0, dtype("i64"), &b));
  CHECK_OK(geAttributeGetSize(b, &count));
  CHECK(count == 0);
  CHECK_OK(geAttributeIntArray(context, (int64_t[]){0, 1}, 2, dtype("bool"), &b));
  CHECK_OK(geAttributeGetInts(b, &read, &count));
  CHECK(count == 2 && read[1] == 1);
  CHECK_FAILS(GE_ERROR_OVERFLOW,
              geAttributeIntArray(context, (int64_t[]){300}, 1, dtype("i8"), &b));
  const float floats[] = {0.5f, 1.5f};
  const float *readFloats = NULL;
  CHECK_OK(geAttributeFloatArray(context, floats, 2, &b));
  CHECK_OK(geAttributeGetFloats(b, &readFloats, &count));
  CHECK(count == 2 && readFloats[1] == 1.5f);
  CHECK_FAILS(GE_ERROR_TYPE, geAttributeGetInts(b, &read, &count));
  const double doubles[] = {0.25};
  const double *readDoubles = NULL;
  CHECK_OK(geAttributeDoubleArray(context, doubles, 1, &b));
  CHECK_OK(geAttributeGetDoubles(b, &readDoubles, &count));
  CHECK(count == 1 && readDoubles[0] == 0.25);
  CHECK_FAILS(GE_ERROR_TYPE, geAttributeGetFloats(b, &readFloats, &count));
  CHECK_FAILS(GE_ERROR_TYPE, geAttributeGetElement(b, 0, &a));

  GeAttribute list = {0}, dict = {0}, other = {0}, element = {0};
  GeAttribute elements[] = {a, b};
  CHECK_OK(geAttributeList(context, elements, 2, &list));
  CHECK_OK(geAttributeGetElement(list, 1, &element));
  CHECK(element.bits == b.bits);
  CHECK_FAILS(GE_ERROR_INDEX, geAttributeGetElement(list, 2, &element));
  GeIdentifier keys[] = {identifier(context, "x"), identifier(context, "y")};
  GeIdentifier swapped[] = {keys[1], keys[0]};
  GeAttribute swappedElements[] = {b, a};
  CHECK_OK(geAttributeDict(context, keys, elements, 2, &dict));
  CHECK_OK(geAttributeDict(context, swapped, swappedElements, 2, &other));
  CHECK(geAttributeEquals(dict, other) && geAttributeHash(dict) == geAttributeHash(other));
  GeIdentifier key = NULL;
  CHECK_OK(geAttributeGetKey(other, 0, &key));
  CHECK(key == keys[1]);
  CHECK_FAILS(GE_ERROR_INDEX, geAttributeGetKey(other, 2, &key));
  CHECK_FAILS(GE_ERROR_TYPE, geAttributeGetKey(list, 0, &key));
  swapped[1] = swapped[0];
  CHECK_FAILS(GE_ERROR_VALUE, geAttributeDict(context, swapped, elements, 2, &other));
  elements[1].bits = 0;
  CHECK_FAILS(GE_ERROR_TYPE, geAttributeList(context, elements, 2, &other));
  CHECK(geAttributeGetKind(elements[1]) == GE_ATTR_INVALID);
  CHECK_FAILS(GE_ERROR_TYPE, geAttributeGetSize(elements[1], &count));
  Text printed = {NULL, 0};
  CHECK_OK(geAttributePrint(a, appendText, &printed));
  CHECK(strcmp(printed.data, "array<i64: 1, -2, 3>") == 0);
  freeText(&printed);

  GeStatus status = GE_OK;
  int depth = 1;
  GeAttribute deep = a;
  while ((status = geAttributeList(context, &deep, 1, &deep)) == GE_OK)
    ++depth;
  CHECK(status == GE_ERROR_VALUE && depth == 256);
}

/* Attributes with tensors are reference-counted, and so are the containers around them. */
static void testCounted(GeContext *context) {
  GeType type = tensorType(context, "i64", 0, NULL);
  int64_t value = 5;
  GeTensor *tensor = NULL, *read = NULL;
  CHECK_OK(geTensorCopy(type, &value, 8, false, &tensor));
  GeAttribute a = {0}, b = {0}, list = {0}, element = {0};
  CHECK_OK(geAttributeTensor(tensor, &a));
  CHECK_OK(geAttributeTensor(tensor, &b));
  CHECK(geAttributeEquals(a, b) && geAttributeHash(a) == geAttributeHash(b));
  CHECK_OK(geAttributeGetTensor(a, &read));
  CHECK(read == tensor);
  geTensorRelease(read);
  CHECK_OK(geAttributeList(context, &a, 1, &list));
  geAttributeRelease(a);
  geAttributeRelease(b);
  CHECK_OK(geAttributeGetElement(list, 0, &element)); /* borrowed */
  geAttributeRetain(element);
  geAttributeRelease(list);
  CHECK_OK(geAttributeGetTensor(element, &read));
  CHECK(read == tensor);
  geTensorRelease(read);
  geAttributeRelease(element);
  geTensorRelease(tensor);
}

static void testOnNodes(GeContext *context) {
  GeGraphRef *graph = newGraph(context, "g");
  GeIdentifier names[3] = {identifier(context, "c"), identifier(context, "a"),
                           identifier(context, "b")};
  GeNamedAttribute attributes[3];
  for (int i = 0; i < 3; ++i) {
    attributes[i].name = names[i];
    CHECK_OK(geAttributeInt(context, i, dtype("i64"), &attributes[i].value));
  }
  GeNodeSpec spec = {.size = sizeof spec};
  spec.op = operatorName(context, "my.Op");
  spec.numAttributes = 3;
  spec.attributes = attributes;
  GeNodeRef *node = NULL, *bad = NULL;
  CHECK_OK(geNodeCreate(graph, NULL, &spec, &node));
  size_t count = 0;
  CHECK_OK(geNodeNumAttributes(node, &count));
  CHECK(count == 3);
  GeNamedAttribute named;
  for (size_t i = 0; i < 3; ++i) { /* in order of insertion */
    CHECK_OK(geNodeGetAttributeAt(node, i, &named));
    CHECK(named.name == names[i] && named.value.bits == attributes[i].value.bits);
  }
  CHECK_FAILS(GE_ERROR_INDEX, geNodeGetAttributeAt(node, 3, &named));
  GeAttribute absent = {0}, read = {1};
  CHECK_OK(geNodeSetAttribute(node, names[1], absent));
  CHECK_OK(geNodeGetAttribute(node, names[1], &read));
  CHECK(read.bits == 0);
  CHECK_OK(geNodeSetAttribute(node, names[1], absent)); /* not there: nothing to remove */
  CHECK_OK(geNodeSetAttribute(node, names[0], attributes[2].value));
  CHECK_OK(geNodeGetAttributeAt(node, 0, &named));
  CHECK(named.name == names[0] && named.value.bits == attributes[2].value.bits);
  CHECK_FAILS(GE_ERROR_VALUE,
              geNodeSetAttribute(node, identifier(context, ""), attributes[0].value));
  attributes[1].name = names[0];
  CHECK_FAILS(GE_ERROR_VALUE, geNodeCreate(graph, NULL, &spec, &bad));
  CHECK_SAYS("twice");
  attributes[1].name = NULL;
  CHECK_FAILS(GE_ERROR_TYPE, geNodeCreate(graph, NULL, &spec, &bad));

  CHECK_OK(geGraphSetAttribute(graph, names[0], attributes[0].value));
  CHECK_OK(geGraphNumAttributes(graph, &count));
  CHECK(count == 1);
  CHECK_OK(geGraphGetAttributeAt(graph, 0, &named));
  CHECK(named.name == names[0]);
  CHECK_OK(geGraphGetAttribute(graph, names[0], &read));
  CHECK(read.bits == attributes[0].value.bits);
  geNodeRelease(node);
  geGraphRelease(graph);
}

int main(void) {
  GeContext *context = NULL;
  CHECK_OK(geContextCreate(&context));
  testDTypes();
  testTypes(context);
  testLocations(context);
  testScalars(context);
  testContainers(context);
  testCounted(context);
  testOnNodes(context);
  CHECK_NO_LEAKS(context);
  geContextRelease(context);
  return 0;
}
