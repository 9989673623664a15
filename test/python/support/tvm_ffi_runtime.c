/* The part of tvm-ffi's runtime that C functions use, for tests without the installed package. */
#include "ge-c/Kernels.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  GeObject header;
  GeStringRef kind, message;
  char text[256];
} ErrorObject;

static _Thread_local ErrorObject *raised;

static void freeError(void *self, int flags) {
  if (flags & 2)
    free(self);
}

void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message) {
  ErrorObject *error = calloc(1, sizeof(ErrorObject));
  error->header.refs = GE_ONE_REFERENCE;
  error->header.tag = 67;
  error->header.deleter = freeError;
  error->kind.length = strlen(kind);
  error->kind.data = strcpy(error->text, kind);
  error->message.length = strlen(message);
  error->message.data = strcpy(error->text + 64, message);
  raised = error;
}

static _Thread_local void *allocator, *stream;

void *TVMFFIEnvGetDLPackManagedTensorAllocator(void) { return allocator; }
int TVMFFIEnvSetDLPackManagedTensorAllocator(void *next, int isGlobal, void **before) {
  if (before)
    *before = allocator;
  allocator = next;
  return isGlobal;
}
int TVMFFIEnvSetStream(int32_t device, int32_t number, void *next, void **before) {
  if (before)
    *before = stream;
  stream = next;
  return device == 1 && number == 0;
}
void *TVMFFIEnvGetStream(int32_t device, int32_t number) {
  (void)device, (void)number;
  return stream;
}

void TVMFFIErrorMoveFromRaised(GeObject **out) {
  *out = raised ? &raised->header : NULL;
  raised = NULL;
}
