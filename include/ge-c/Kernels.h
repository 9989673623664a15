/*===- ge-c/Kernels.h - operators that run: kernels and the values they take ----------------===*\
|*
|* A kernel is a C function of one signature. It gets its arguments as 16-byte values and needs no
|* symbol of this library: this header alone compiles it.
|*
|* Layout and tags are those that apache-tvm-ffi documents as stable. Tensors are DLPack's DLTensor.
|* Since 0.1 but where a function says so.
\*===----------------------------------------------------------------------------------------===*/
#ifndef GE_C_KERNELS_H
#define GE_C_KERNELS_H

#include "ge-c/Ops.h"

#include <stdlib.h>

GE_C_BEGIN

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

/** What counted objects begin with. `refs`: strong references in the low half, weak ones (the
 * strong ones together count as one) in the high half. `deleter` is called with 1 when the last
 * strong one goes, with 2 when the last weak one goes, with 3 for both. A value that is an object
 * (geAnyIsObject) owns one strong reference, and the caller of a kernel owns the values: arguments
 * and result. */
typedef struct GeObject {
  uint64_t refs;
  int32_t tag;
  uint32_t padding;
  void (*deleter)(void *self, int flags);
} GeObject;

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

/** An instance of a class that a library has in its own language. The header's deleter gives
 * `instance` back with it. Two objects with the same `instance` are the same one. */
typedef struct GeInstanceObject {
  GeObject header;
  const char *key;  /**< "acme.Plan": what schemas call the class; lives as long as the process */
  const void *type; /**< of the library's own, which knows its classes by it */
  void *instance;
} GeInstanceObject;

/** Runs an operator once: `args` are its parameters in schema order; tensors are compact and
 * row-major unless GE_KERNEL_STRIDED, and with GE_KERNEL_OUT those to write the results to follow.
 * Returns 0; or -1 with a string in `*result` (GE_ANY_STR, valid in this thread until its next call
 * of the kernel) that says what is wrong. `*result` is all zero at entry: no result. Several
 * results are one GE_ANY_ARRAY_OBJECT. Called from any thread, several at once. */
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
 * of tvm-ffi. Nothing is known of other tags, nor of what their `o` points to. */
static inline bool geAnyIsObject(const GeAny *value) {
  const uintptr_t lowest = 1 << 16; /* no object lies below */
  bool isKnown = value->tag == GE_ANY_STR_OBJECT || value->tag == GE_ANY_BYTES_OBJECT ||
                 value->tag == GE_ANY_TENSOR_OBJECT || value->tag == GE_ANY_ARRAY_OBJECT ||
                 value->tag >= GE_ANY_INSTANCE_OBJECT;
  uintptr_t address = (uintptr_t)value->p;
  return isKnown && address >= lowest && address % sizeof(void *) == 0;
}

#if defined(__GNUC__)
/** Gives one strong reference of an object back. */
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

/** The deleter of an object that is one block of malloc. */
static inline void geObjectFree(void *self, int flags) {
  if (flags & 2)
    free(self);
}
/** The same of a GeArrayObject, with its items in the block: it gives them back first. */
static inline void geArrayFree(void *self, int flags) {
  GeArrayObject *array = (GeArrayObject *)self;
  if (flags & 1)
    for (int64_t i = 0; i < array->size; ++i)
      if (geAnyIsObject(&array->items[i]))
        geObjectRelease(array->items[i].o);
  geObjectFree(self, flags);
}
#endif

/* --- Kernels ---------------------------------------------------------------------------------- */

/** An implementation of an operator for a backend, counted. */
typedef const struct GeKernelStorage *GeKernel;

typedef enum GeKernelFlags {
  GE_KERNEL_OUT = 1,       /**< results are allocated by the caller and follow the parameters */
  GE_KERNEL_STRIDED = 4,   /**< takes tensors that are not compact */
  GE_KERNEL_HOLDS_GIL = 8, /**< a host's global lock is not released around it */
  /** A function of a tvm-ffi library: tensors and strings are counted objects, which it may keep,
   * and errors are in that runtime's own place. */
  GE_KERNEL_TVM_FFI = 16,
  /** Tensors and strings are counted objects, which it may keep. */
  GE_KERNEL_KEEPS = 32,
  /** `self` belongs to a language binding, which recognises its kernels by `function`. */
  GE_KERNEL_FOREIGN = 2
} GeKernelFlags;

/** What geLibraryImpl takes. */
typedef struct GeKernelSpec {
  size_t size GE_SIZE_OF(GeKernelSpec);
  GeStringRef op;      /**< "scale", "scale.out", "acme::scale" */
  GeStringRef backend; /**< "cpu", "cuda", "npu", ..., "any": see geKernelBackends */
  GeKernelFn function;
  void *self;                  /**< passed to each call; may be NULL */
  void (*release)(void *self); /**< after the last call, when the library is closed; may be NULL */
  uint32_t flags;              /**< GeKernelFlags, or-ed */
  bool overrides; /**< replaces the kernel of another library until this one is closed */
  GeStringRef file;
  uint32_t line;
} GeKernelSpec;

typedef struct GeKernelInfo {
  size_t size GE_SIZE_OF(GeKernelInfo);
  GeStringRef op; /**< "acme::scale.out" */
  GeStringRef backend;
  GeStringRef file;
  uint32_t line;
  uint32_t flags;
  GeKernelFn function;
  void *self;
} GeKernelInfo;

/** Registers a kernel, also for an operator that is not defined yet. `self` is released also when
 * this fails. GE_ERROR_OP_SCHEMA when the operator has a kernel for the backend, with both places;
 * GE_ERROR_VALUE for an unknown backend. `out`: a new reference, may be NULL. */
GE_C_API GeStatus geLibraryImpl(GeLibrary *library, const GeKernelSpec *spec, GeKernel *out);
/** The kernel of an operator ("acme::scale") for exactly this backend: new reference, NULL when
 * there is none. */
GE_C_API GeStatus geKernelFind(GeRegistry *registry, GeStringRef op, GeStringRef backend,
                               GeKernel *out);
/** The kernel for that backend, else the one for "any": new reference. GE_ERROR_NOT_IMPLEMENTED
 * says which backends there are. */
GE_C_API GeStatus geKernelRequire(GeRegistry *registry, GeStringRef op, GeStringRef backend,
                                  GeKernel *out);
/** New references of an operator's kernels in use, in order of registration, to the first
 * `capacity` places of `out`; how many there are to `count`. */
GE_C_API GeStatus geKernelList(GeRegistry *registry, GeStringRef op, GeKernel *out, size_t capacity,
                               size_t *count);
/** With a reference a kernel can be called after its library was closed. */
GE_C_API void geKernelRetain(GeKernel kernel);
GE_C_API void geKernelRelease(GeKernel kernel);
/** The strings live as long as the kernel. */
GE_C_API GeStatus geKernelGetInfo(GeKernel kernel, GeKernelInfo *out);
/** Calls a kernel of any origin as GeKernelFn says; `result` is a new reference where it is an
 * object. GE_ERROR_GENERAL says which kernel failed, and why; of a function of tvm-ffi that is the
 * error that it raised there. A kernel in Python writes results and written operands of tag
 * GE_ANY_TENSOR in memory of its own, which is copied to where they lie when it has returned. The
 * kernel cannot go while this runs. */
GE_C_API GeStatus geKernelCall(GeKernel kernel, const GeAny *args, size_t numArgs, GeAny *result);
/** The backend words, one call each. */
GE_C_API GeStatus geKernelBackends(GeStringCallback callback, void *userData);
/** The backend word of a DLPack device type; empty when it has none. Static. */
GE_C_API GeStringRef geKernelBackendOfDevice(int32_t deviceType);

/* --- Libraries of kernels ------------------------------------------------------------------------
 */

/** Loads a shared library of operators and kernels: calls its ge_library_init(const GeApi *,
 * GeLibrary *), which ge/library.h writes, with a new FRAGMENT of `ns` (empty: the file's stem
 * without "lib"). Closing `*out` closes what it opened. GE_ERROR_OS when the file cannot be read or
 * loaded, GE_ERROR_VALUE when it is not an ELF file of this machine or has no such function, else
 * what that function failed with; nothing stays then. The file stays mapped once it is loaded. New:
 * geLibraryRelease. O(bytes of the file). */
GE_C_API GeStatus geLibraryLoad(GeRegistry *registry, GeStringRef file, GeStringRef ns,
                                GeLibrary **out);
/** As geLibraryOpen in the parent's registry; it is closed with its parent, in reverse order, and
 * belongs to it. Borrowed: lives as long as the parent. GE_ERROR_OP_SCHEMA when that is closed. */
GE_C_API GeStatus geLibraryOpenChild(GeLibrary *parent, GeLibraryKind kind, GeStringRef ns,
                                     GeStringRef file, uint32_t line, GeLibrary **out);
GE_C_API size_t geLibraryNumChildren(GeLibrary *library);
/** Borrowed. */
GE_C_API GeStatus geLibraryGetChild(GeLibrary *library, size_t index, GeLibrary **out);
/** Something about the library that is not an error: what it brings and is not used. */
GE_C_API GeStatus geLibraryAddRemark(GeLibrary *library, GeStringRef text);
/** The remarks of the library and its children, one call each. */
GE_C_API GeStatus geLibraryGetRemarks(GeLibrary *library, GeStringCallback callback,
                                      void *userData);
/** Infers one operator ("scale", "acme::scale.out") until the library is closed, as
 * geOpsAddInferrer does for all. GE_ERROR_OP_SCHEMA when the library is closed; `release` is not
 * called then. */
GE_C_API GeStatus geLibraryInfer(GeLibrary *library, GeStringRef op, const GeInferrer *inferrer);

/* --- Tensors by DLPack ------------------------------------------------------------------------ */

/** GE_ERROR_TYPE for strings, packed elements and what the other side lacks. */
GE_C_API GeStatus geDTypeToDLPack(GeDType dtype, DLDataType *out);
GE_C_API GeStatus geDTypeFromDLPack(DLDataType type, GeDType *out);
/** Takes `managed` over: its data is borrowed until the last reference to the tensor goes, on
 * whatever thread; what is not compact is copied, O(bytes). On failure nothing is taken:
 * GE_ERROR_VALUE for another device than the CPU, another major version or an impossible shape.
 * New reference. */
GE_C_API GeStatus geTensorFromDLPack(GeContext *context, DLManagedTensorVersioned *managed,
                                     GeTensor **out);
/** A read-only view of the tensor's data, which holds the tensor; its `deleter` gives it back. A
 * splat has strides of 0. GE_ERROR_TYPE for strings. */
GE_C_API GeStatus geTensorToDLPack(GeTensor *tensor, DLManagedTensorVersioned **out);

/* --- Inference without a node ----------------------------------------------------------------- */

/** Types of the results of an operator from the types of its operands (NULL: absent) and its
 * attributes, without a node. `known` is false when GE has no inference for it; `results`,
 * numResults of them, are unknown types then. GE_ERROR_VERIFY when the operands do not fit.
 * Inferrers of the host (geOpsAddInferrer) are asked, too. */
GE_C_API GeStatus geOpInferTypes(GeOpDef op, GeContext *context, uint32_t opset,
                                 const GeType *operandTypes, size_t numOperands,
                                 const GeNamedAttribute *attributes, size_t numAttributes,
                                 GeType *results, size_t numResults, bool *known);

/* --- Operators and graphs that run --------------------------------------------------------------
 */

/** Computes the results of an operator on tensors of the context: by its kernel for the CPU, else
 * the one for "any", else by the installed evaluator (geOpsSetEvaluator). Operands are in schema
 * order, those of a list of tensors one after another; NULL: absent. Attributes that are not given
 * have their defaults. `results`, numResults of them, get new references. An operand that the
 * schema writes, `Tensor(a!)`, is copied for the kernel: tensors never change, and a result with
 * that alias is the copy. GE_ERROR_VERIFY when operands or attributes do not fit the record or
 * inference, GE_ERROR_NOT_IMPLEMENTED when nothing computes it, GE_ERROR_GENERAL when its
 * kernel fails, calls itself more than 1000 times, or gives what inference excludes. */
GE_C_API GeStatus geOpCall(GeOpDef op, GeContext *context, uint32_t opset,
                           GeTensor *const *operands, size_t numOperands,
                           const GeNamedAttribute *attributes, size_t numAttributes,
                           GeTensor **results, size_t numResults);
/** Computes the outputs of a graph, node by node as geOpCall does, in this thread. Bodies of If,
 * Loop, Scan (ONNX), If, Case, While, For and PartitionedCall (CANN), and functions of the module
 * run, too, up to 10000 inside each other; others are GE_ERROR_NOT_IMPLEMENTED. Nodes that no
 * output depends on do not run. Values are released behind their last use; what a schema writes is
 * a copy only where something needs the old value. Kernels may read the graphs of the module, not
 * change them. `inputs`: in the graph's order; GE_ERROR_VALUE when one does not fit its declared
 * type. GE_ERROR_VERIFY when operands and bodies do not fit each other. `opset` as for
 * geGraphInferTypes. `outputs`: new references; NULL where the graph has none. O(nodes) beside the
 * kernels. */
GE_C_API GeStatus geGraphRun(GeGraphRef *graph, uint32_t opset, GeTensor *const *inputs,
                             size_t numInputs, GeTensor **outputs, size_t numOutputs);

/** Nodes of a graph, prepared to run without it: a program stays what it is when the graph is
 * edited or erased, and several threads may run one. It does not keep libraries open. */
typedef struct GeProgram GeProgram;
/** Prepares nodes in an order in which they can run, with their bodies and the functions that they
 * call. `inputs`: the values that come from outside, of nodes before or of graphs around; constants
 * need not be among them. `backend`: whose kernels run, else those for "any".
 * GE_ERROR_NOT_IMPLEMENTED when one has no kernel in C, when its results lie in operands, or its
 * attributes do not fit the record: a host has another way for it. New reference. O(nodes and
 * edges). */
GE_C_API GeStatus geProgramCreate(GeGraphRef *graph, GeStringRef backend, GeNodeRef *const *nodes,
                                  size_t numNodes, GeValueRef *const *inputs, size_t numInputs,
                                  GeValueRef *const *outputs, size_t numOutputs, GeProgram **out);
GE_C_API void geProgramRetain(GeProgram *program);
GE_C_API void geProgramRelease(GeProgram *program);
/** Runs it, as geGraphRun does. Inputs and outputs are GE_ANY_TENSOR_OBJECT, or GE_ANY_NONE where
 * one is absent. It takes over one reference of each input, also on failure, and releases it after
 * the last use; outputs are new references. `node` gets the node that failed, as errors name it,
 * else the empty text; valid until the next calls in this thread. GE_ERROR_STALE when a library
 * whose kernels it has was closed. */
GE_C_API GeStatus geProgramRun(GeProgram *program, const GeAny *inputs, size_t numInputs,
                               GeAny *outputs, size_t numOutputs, GeStringRef *node);

GE_C_END

#endif /* GE_C_KERNELS_H */
