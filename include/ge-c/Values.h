/*===- ge-c/Values.h - the values that kernels take and return ------------------------------===*\
|*
|* A kernel is a C function with a fixed signature. Its arguments are 16-byte values. It needs no
|* symbol of this library: it compiles with this header alone.
|*
|* Layout and tags are those that apache-tvm-ffi documents as stable. Tensors are DLPack's DLTensor.
|* Since 0.1.
\*===----------------------------------------------------------------------------------------===*/
#ifndef GE_C_VALUES_H
#define GE_C_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- DLPack ----------------------------------------------------------------------------------- */

/* What a kernel needs of dlpack/dlpack.h; include that one first where both are wanted. */
#ifndef DLPACK_MAJOR_VERSION
#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 1
typedef struct {
  int32_t device_type; /**< 1: CPU, 2: CUDA, 12: extension */
  int32_t device_id;
} DLDevice;
typedef struct {
  uint8_t code; /**< 0 int, 1 uint, 2 float, 4 bfloat, 5 complex, 6 bool */
  uint8_t bits;
  uint16_t lanes;
} DLDataType;
typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; /**< in elements */
  uint64_t byte_offset;
} DLTensor;
typedef struct {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;
typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;
#endif

/* --- Values ----------------------------------------------------------------------------------- */

typedef enum GeAnyTag {
  GE_ANY_NONE = 0,
  GE_ANY_INT = 1,
  GE_ANY_BOOL = 2,
  GE_ANY_FLOAT = 3,
  GE_ANY_DTYPE = 5,
  GE_ANY_DEVICE = 6,
  GE_ANY_TENSOR = 7,         /**< `t`: a borrowed DLTensor, valid for the call; an argument only */
  GE_ANY_STR = 8,            /**< `s`: a borrowed string that ends with NUL; an argument, or why a
                                kernel failed */
  GE_ANY_SMALL_STR = 11,     /**< `bytes`, `small` of them; a result only */
  GE_ANY_SMALL_BYTES = 12,   /**< the same of bytes */
  GE_ANY_STR_OBJECT = 65,    /**< `o`: a GeBytesObject */
  GE_ANY_BYTES_OBJECT = 66,  /**< `o`: a GeBytesObject */
  GE_ANY_TENSOR_OBJECT = 70, /**< `o`: a GeTensorObject */
  GE_ANY_ARRAY_OBJECT = 71,  /**< `o`: a GeArrayObject: a list or tuple */
  /** `o`: a GeInstanceObject. For kernels of GE alone, not for those of tvm-ffi. */
  GE_ANY_INSTANCE_OBJECT = 127
} GeAnyTag;

/** Header of a counted object. `refs`: strong references in the low half, weak ones (the strong
 * ones together count as one) in the high half. `deleter` is called with 1 when the last strong
 * reference is released, with 2 for the last weak one, with 3 for both. A value that is an object
 * (geAnyIsObject) owns one strong reference, and the caller of a kernel owns the values: arguments
 * and result. */
typedef struct GeObject {
  uint64_t refs;
  int32_t tag;
  uint32_t padding;
  void (*deleter)(void *self, int flags);
} GeObject;

/** `refs` of a new object: one strong reference. */
#define GE_ONE_REFERENCE UINT64_C(0x100000001)

/** One argument or result. Bytes that a tag does not use are zero. */
typedef struct GeAny {
  int32_t tag; /**< GeAnyTag */
  uint32_t small;
  union {
    int64_t i;
    double f;
    void *p;
    const char *s;
    DLTensor *t;
    DLDataType dtype;
    DLDevice device;
    GeObject *o;
    char bytes[8];
  };
} GeAny;

typedef struct GeBytesObject {
  GeObject header;
  const char *data; /**< ends with NUL, which `size` does not count */
  size_t size;
} GeBytesObject;
typedef struct GeTensorObject {
  GeObject header;
  DLTensor tensor;
} GeTensorObject;
typedef struct GeArrayObject {
  GeObject header;
  GeAny *items;
  int64_t size;
  int64_t capacity;
  void (*itemsDeleter)(void *items); /**< NULL: they are part of the object */
} GeArrayObject;

/** An instance of a library's class in the library's own language. The header's deleter also
 * releases `instance`. Two objects with the same `instance` are identical. */
typedef struct GeInstanceObject {
  GeObject header;
  const char *key;  /**< "acme.Plan": what schemas call the class; lives as long as the process */
  const void *type; /**< of the library's own, which knows its classes by it */
  void *instance;
} GeInstanceObject;

/** Runs an operator once: `args` are its parameters in schema order; tensors are compact and
 * row-major unless GE_KERNEL_STRIDED, and with GE_KERNEL_OUT the arrays for the results follow.
 * Returns 0; or -1 with an error message in `*result` (GE_ANY_STR, valid in this thread until its
 * next call of the kernel). `*result` is all zero at entry: no result. Several results are one
 * GE_ANY_ARRAY_OBJECT. Called from any thread, several at once. */
typedef int (*GeKernelFn)(void *self, const GeAny *args, int32_t numArgs, GeAny *result);

/* --- For kernels: no symbol of the library is needed -------------------------------------------
 */

/** `return geAnyFail(result, "x must be a vector");`. The text is borrowed. */
static inline int geAnyFail(GeAny *result, const char *text) {
  result->tag = GE_ANY_STR;
  result->small = 0;
  result->s = text;
  return -1;
}

/** Whether a value is a counted object: of the tags above, or of tag 128 or more, which are classes
 * of tvm-ffi. Values with other tags are not objects. */
static inline bool geAnyIsObject(const GeAny *value) {
  const uintptr_t lowest = 1 << 16; /* no object lies below */
  bool isKnown = value->tag == GE_ANY_STR_OBJECT || value->tag == GE_ANY_BYTES_OBJECT ||
                 value->tag == GE_ANY_TENSOR_OBJECT || value->tag == GE_ANY_ARRAY_OBJECT ||
                 value->tag >= GE_ANY_INSTANCE_OBJECT;
  uintptr_t address = (uintptr_t)value->p;
  return isKnown && address >= lowest && address % sizeof(void *) == 0;
}

#if defined(__GNUC__)
/** Takes one more strong reference. */
static inline void geObjectRetain(GeObject *object) {
  __atomic_fetch_add(&object->refs, 1, __ATOMIC_RELAXED);
}
/** Releases one strong reference. */
static inline void geObjectRelease(GeObject *object) {
  const uint64_t weak = (uint64_t)1 << 32;
  uint64_t before = __atomic_fetch_sub(&object->refs, 1, __ATOMIC_ACQ_REL);
  if ((before & 0xffffffffU) != 1 || !object->deleter)
    return;
  if (before == weak + 1) {
    object->deleter(object, 3);
    return;
  }
  object->deleter(object, 1);
  if (__atomic_fetch_sub(&object->refs, weak, __ATOMIC_ACQ_REL) >> 32 == 1)
    object->deleter(object, 2);
}

/** Deleter of an object that was allocated with malloc as one block. */
static inline void geObjectFree(void *self, int flags) {
  if (flags & 2)
    free(self);
}
/** Deleter of such a GeArrayObject, whose items are in the same block: releases the items first. */
static inline void geArrayFree(void *self, int flags) {
  GeArrayObject *array = (GeArrayObject *)self;
  if (flags & 1)
    for (int64_t i = 0; i < array->size; ++i)
      if (geAnyIsObject(&array->items[i]))
        geObjectRelease(array->items[i].o);
  geObjectFree(self, flags);
}

/** A counted tensor over DLPack's, and its deleter. */
typedef struct GeManagedTensorObject {
  GeTensorObject object;
  DLManagedTensorVersioned *managed;
} GeManagedTensorObject;
static inline void geManagedTensorFree(void *self, int flags) {
  GeManagedTensorObject *own = (GeManagedTensorObject *)self;
  if ((flags & 1) && own->managed->deleter)
    own->managed->deleter(own->managed);
  geObjectFree(self, flags);
}
/** Makes a result of DLPack's tensor: `return geAnyFromDLPack(managed, result);`. Takes ownership
 * of `managed`, also on failure (-1: no memory, or another major version of DLPack), and calls its
 * deleter with the last reference. O(1). */
static inline int geAnyFromDLPack(DLManagedTensorVersioned *managed, GeAny *result) {
  GeManagedTensorObject *own = (GeManagedTensorObject *)malloc(sizeof(GeManagedTensorObject));
  bool isKnown = managed->version.major == DLPACK_MAJOR_VERSION;
  if (!own || !isKnown) {
    free(own);
    if (managed->deleter)
      managed->deleter(managed);
    return geAnyFail(result, isKnown ? "no memory for a result"
                                     : "the result is of another major version of DLPack");
  }
  own->object.header.refs = GE_ONE_REFERENCE;
  own->object.header.tag = GE_ANY_TENSOR_OBJECT;
  own->object.header.padding = 0;
  own->object.header.deleter = geManagedTensorFree;
  own->object.tensor = managed->dl_tensor;
  own->managed = managed;
  result->tag = GE_ANY_TENSOR_OBJECT;
  result->small = 0;
  result->o = &own->object.header;
  return 0;
}
#endif

/* --- How kernels are called --------------------------------------------------------------------
 */

typedef enum GeKernelFlags {
  GE_KERNEL_OUT = 1,       /**< results are allocated by the caller and follow the parameters */
  GE_KERNEL_STRIDED = 4,   /**< takes tensors that are not compact */
  GE_KERNEL_HOLDS_GIL = 8, /**< a binding does not release its global lock around the call */
  /** A function of a tvm-ffi library: tensors and strings are counted objects, which it may retain,
   * and errors are those of its runtime. */
  GE_KERNEL_TVM_FFI = 16,
  /** Tensors and strings are counted objects, which it may retain. */
  GE_KERNEL_KEEPS = 32,
  /** `self` belongs to a language binding, which recognises its kernels by `function`. */
  GE_KERNEL_FOREIGN = 2
} GeKernelFlags;

#ifdef __cplusplus
}
#endif

#endif /* GE_C_VALUES_H */
