/*===- check.h - checks of the C tests ------------------------------------------------------===*\
|*
|* A failed check prints file, line and the expected value, and exits with status 1. Each program
|* calls CHECK_NO_LEAKS(context) at its end, before it releases its context.
|*
\*===----------------------------------------------------------------------------------------===*/
#ifndef GE_TEST_CAPI_CHECK_H
#define GE_TEST_CAPI_CHECK_H

#include "ge-c/Text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAIL(...)                                                                                  \
  do {                                                                                             \
    fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                                \
    fprintf(stderr, __VA_ARGS__);                                                                  \
    fprintf(stderr, "\n");                                                                         \
    exit(1);                                                                                       \
  } while (0)

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition))                                                                              \
      FAIL("not so: %s", #condition);                                                              \
  } while (0)

#define CHECK_OK(call)                                                                             \
  do {                                                                                             \
    GeStatus status_ = (call);                                                                     \
    if (status_ != GE_OK)                                                                          \
      FAIL("%s gave status %d: %.*s", #call, (int)status_, (int)geErrorMessage().length,           \
           geErrorMessage().data);                                                                 \
  } while (0)

/* The call fails with that status; the thread's last error has the same status and a message. */
#define CHECK_FAILS(expected, call)                                                                \
  do {                                                                                             \
    GeStatus status_ = (call);                                                                     \
    if (status_ != (expected))                                                                     \
      FAIL("%s gave status %d, not %s: %.*s", #call, (int)status_, #expected,                      \
           (int)geErrorMessage().length, geErrorMessage().data);                                   \
    if (geErrorStatus() != (expected) || geErrorMessage().length == 0)                             \
      FAIL("%s left no error behind", #call);                                                      \
  } while (0)

/* The message of the last error contains `piece`. */
#define CHECK_SAYS(piece)                                                                          \
  do {                                                                                             \
    if (!contains(geErrorMessage(), piece))                                                        \
      FAIL("the error does not say '%s' but '%.*s'", piece, (int)geErrorMessage().length,          \
           geErrorMessage().data);                                                                 \
  } while (0)

#define CHECK_TEXT(expected, string)                                                               \
  do {                                                                                             \
    GeStringRef string_ = (string);                                                                \
    if (string_.length != strlen(expected) || memcmp(string_.data, expected, string_.length) != 0) \
      FAIL("%s is '%.*s', not '%s'", #string, (int)string_.length, string_.data, expected);        \
  } while (0)

#define CHECK_NO_LEAKS(context)                                                                    \
  do {                                                                                             \
    if (geContextLiveHandleCount(context) != 0 || geContextLiveGraphCount(context) != 0)           \
      FAIL("left over: %lld references, %lld graphs",                                              \
           (long long)geContextLiveHandleCount(context),                                           \
           (long long)geContextLiveGraphCount(context));                                           \
  } while (0)

static inline GeStringRef S(const char *text) {
  GeStringRef string = {text, strlen(text)};
  return string;
}

static inline bool contains(GeStringRef text, const char *piece) {
  size_t length = strlen(piece);
  for (size_t i = 0; i + length <= text.length; ++i)
    if (memcmp(text.data + i, piece, length) == 0)
      return true;
  return false;
}

/* A growing text: the userData of appendText; to be freed with freeText. */
typedef struct Text {
  char *data;
  size_t length;
} Text;

static inline void appendText(GeStringRef piece, void *userData) {
  Text *text = (Text *)userData;
  char *grown = (char *)realloc(text->data, text->length + piece.length + 1);
  if (!grown)
    FAIL("out of memory");
  text->data = grown;
  memcpy(text->data + text->length, piece.data, piece.length);
  text->length += piece.length;
  text->data[text->length] = '\0';
}

static inline Text printedGraph(GeGraphRef *graph) {
  Text text = {NULL, 0};
  CHECK_OK(geGraphPrint(graph, NULL, appendText, &text));
  return text;
}

static inline void freeText(Text *text) {
  free(text->data);
  text->data = NULL;
  text->length = 0;
}

/* A static tensor type, such as tensor<2x3xf32>. */
static inline GeType tensorType(GeContext *context, const char *dtype, size_t rank,
                                const int64_t *sizes) {
  GeDim dims[8];
  for (size_t i = 0; i < rank; ++i) {
    dims[i].size = sizes[i];
    dims[i].symbol = NULL;
  }
  GeTensorTypeSpec spec = {.size = sizeof spec};
  CHECK_OK(geDTypeFromName(S(dtype), &spec.dtype));
  spec.ranked = true;
  spec.rank = rank;
  spec.shape = dims;
  GeType type = NULL;
  CHECK_OK(geTypeTensor(context, &spec, &type));
  return type;
}

static inline GeOperatorName operatorName(GeContext *context, const char *name) {
  GeOperatorName op = NULL;
  CHECK_OK(geOperatorNameParse(context, S(name), &op));
  return op;
}

static inline GeIdentifier identifier(GeContext *context, const char *text) {
  GeIdentifier id = NULL;
  CHECK_OK(geIdentifierGet(context, S(text), &id));
  return id;
}

static inline GeGraphRef *newGraph(GeContext *context, const char *name) {
  GeGraphRef *graph = NULL;
  CHECK_OK(geGraphCreate(context, S(name), &graph));
  return graph;
}

static inline GeValueRef *addInput(GeGraphRef *graph, const char *name, GeType type) {
  GeValueRef *value = NULL;
  CHECK_OK(geGraphAddInput(graph, S(name), type, NULL, SIZE_MAX, &value));
  return value;
}

/* Appends a node with up to two operands (NULL: fewer) and one result. */
static inline GeNodeRef *addNode(GeGraphRef *graph, const char *op, const char *name, GeValueRef *a,
                                 GeValueRef *b, GeType type) {
  GeValueRef *operands[2] = {a, b};
  GeNodeSpec spec = {.size = sizeof spec};
  spec.op = operatorName(geRefGetContext(graph), op);
  spec.numOperands = b ? 2 : a ? 1 : 0;
  spec.operands = operands;
  spec.numResults = type ? 1 : 0;
  spec.resultTypes = &type;
  spec.name = S(name);
  GeNodeRef *node = NULL;
  CHECK_OK(geNodeCreate(graph, NULL, &spec, &node));
  return node;
}

static inline GeValueRef *resultOf(GeNodeRef *node) {
  GeValueRef *value = NULL;
  CHECK_OK(geNodeGetResult(node, 0, &value));
  return value;
}

/* The names of the graph's nodes in order, separated by blanks. */
static inline Text nodeNames(GeGraphRef *graph) {
  Text text = {NULL, 0};
  appendText(S(""), &text);
  size_t count = 0;
  CHECK_OK(geGraphNumNodes(graph, &count));
  for (size_t i = 0; i < count; ++i) {
    GeNodeRef *node = NULL;
    GeStringRef name;
    CHECK_OK(geGraphGetNode(graph, i, &node));
    CHECK_OK(geNodeGetName(node, &name, NULL));
    if (i)
      appendText(S(" "), &text);
    appendText(name, &text);
    geNodeRelease(node);
  }
  return text;
}

#define CHECK_NODES(expected, graph)                                                               \
  do {                                                                                             \
    Text names_ = nodeNames(graph);                                                                \
    if (strcmp(names_.data, expected) != 0)                                                        \
      FAIL("the nodes are '%s', not '%s'", names_.data, expected);                                 \
    freeText(&names_);                                                                             \
  } while (0)

#endif /* GE_TEST_CAPI_CHECK_H */
