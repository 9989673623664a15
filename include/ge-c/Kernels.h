/*===- ge-c/Kernels.h - operators that run: kernels and the values they take ----------------===*\
|*
|* A kernel is a C function with a fixed signature. Its arguments are 16-byte values. It needs no
|* symbol of this library: it compiles with this header alone.
|*
|* Layout and tags are those that apache-tvm-ffi documents as stable. Tensors are DLPack's DLTensor.
|* Since 0.1 unless a function states otherwise.
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
#endif

/* --- Kernels ---------------------------------------------------------------------------------- */

/** An implementation of an operator for a backend, counted. */
typedef const struct GeKernelStorage *GeKernel;

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

/** Description of a kernel for geLibraryImpl. */
typedef struct GeKernelSpec {
  size_t size GE_SIZE_OF(GeKernelSpec);
  GeStringRef op; /**< "scale", "scale.out", "acme::scale" */
  /** "cpu", "cuda", "npu", ..., "any": see geKernelBackends; or "reference", which is no backend:
   * on the CPU, where there is neither a kernel for a backend nor a decomposition. */
  GeStringRef backend;
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

/** Registers a kernel, also for an operator that is not defined yet. `self` is also released on
 * failure. GE_ERROR_OP_SCHEMA, with both locations, when the operator has a kernel for the backend;
 * GE_ERROR_VALUE for an unknown backend. `out`: a new reference, may be NULL. */
GE_C_API GeStatus geLibraryImpl(GeLibrary *library, const GeKernelSpec *spec, GeKernel *out);
/** The kernel of an operator ("acme::scale") for exactly this backend: new reference, NULL when
 * there is none. */
GE_C_API GeStatus geKernelFind(GeRegistry *registry, GeStringRef op, GeStringRef backend,
                               GeKernel *out);
/** The kernel for that backend, else the one for "any": new reference. GE_ERROR_NOT_IMPLEMENTED
 * names the existing backends. */
GE_C_API GeStatus geKernelRequire(GeRegistry *registry, GeStringRef op, GeStringRef backend,
                                  GeKernel *out);
/** The active kernels of an operator in order of registration: `out` receives new references to the
 * first `capacity`, `count` their number. */
GE_C_API GeStatus geKernelList(GeRegistry *registry, GeStringRef op, GeKernel *out, size_t capacity,
                               size_t *count);
/** With a reference a kernel can be called after its library was closed. */
GE_C_API void geKernelRetain(GeKernel kernel);
GE_C_API void geKernelRelease(GeKernel kernel);
/** The strings live as long as the kernel. */
GE_C_API GeStatus geKernelGetInfo(GeKernel kernel, GeKernelInfo *out);
/** Calls a kernel in any language with the arguments of GeKernelFn; an object in `result` is a new
 * reference. GE_ERROR_GENERAL with the kernel and its error message; for a function of tvm-ffi the
 * error of its runtime. A kernel in Python writes results and written operands of tag GE_ANY_TENSOR
 * to its own memory, which is copied after it has returned. The kernel is retained during the call.
 */
GE_C_API GeStatus geKernelCall(GeKernel kernel, const GeAny *args, size_t numArgs, GeAny *result);
/** The backend words, one call each. */
GE_C_API GeStatus geKernelBackends(GeStringCallback callback, void *userData);
/** The backend word of a DLPack device type; empty when it has none. Static. */
GE_C_API GeStringRef geKernelBackendOfDevice(int32_t deviceType);

/* --- Libraries of kernels ------------------------------------------------------------------------
 */

/** Loads a shared library of operators and kernels: calls its ge_library_init(const GeApi *,
 * GeLibrary *), which ge/library.h writes, with a new FRAGMENT of `ns` (empty: the file's stem
 * without "lib", '_' for signs). Closed with `*out`. GE_ERROR_OS when the file cannot be read or
 * loaded, GE_ERROR_VALUE when it is not an ELF file of this machine or has no such function, else
 * the error of that function; the library is then removed. A loaded file stays mapped. New
 * reference: geLibraryRelease. O(bytes of the file). */
GE_C_API GeStatus geLibraryLoad(GeRegistry *registry, GeStringRef file, GeStringRef ns,
                                GeLibrary **out);
/** geLibraryOpen in the parent's registry. The parent owns its children and closes them in reverse
 * order. Borrowed: lives as long as the parent. GE_ERROR_OP_SCHEMA when that is closed. */
GE_C_API GeStatus geLibraryOpenChild(GeLibrary *parent, GeLibraryKind kind, GeStringRef ns,
                                     GeStringRef file, uint32_t line, GeLibrary **out);
GE_C_API size_t geLibraryNumChildren(GeLibrary *library);
/** Borrowed. */
GE_C_API GeStatus geLibraryGetChild(GeLibrary *library, size_t index, GeLibrary **out);
/** Adds a remark: a property of the library that is not an error, such as an unsupported part. */
GE_C_API GeStatus geLibraryAddRemark(GeLibrary *library, GeStringRef text);
/** The remarks of the library and its children, one call each. */
GE_C_API GeStatus geLibraryGetRemarks(GeLibrary *library, GeStringCallback callback,
                                      void *userData);
/** Adds an inferrer for one operator ("scale", "acme::scale.out"), until the library
 * is closed. GE_ERROR_OP_SCHEMA when the library is closed; `release` is not called
 * then. */
GE_C_API GeStatus geLibraryInfer(GeLibrary *library, GeStringRef op, const GeInferrer *inferrer);

/* --- Tensors by DLPack ------------------------------------------------------------------------ */

/** GE_ERROR_TYPE for strings, packed elements and types without equivalent. */
GE_C_API GeStatus geDTypeToDLPack(GeDType dtype, DLDataType *out);
GE_C_API GeStatus geDTypeFromDLPack(DLDataType type, GeDType *out);
/** Takes ownership of `managed`: the tensor borrows its data until the release of the last
 * reference, on any thread; data that is not compact is copied, O(bytes). On failure the caller
 * keeps ownership: GE_ERROR_VALUE for another device than the CPU, another major version or an
 * impossible shape. New reference. */
GE_C_API GeStatus geTensorFromDLPack(GeContext *context, DLManagedTensorVersioned *managed,
                                     GeTensor **out);
/** A read-only view of the tensor's data, which retains the tensor until its `deleter` is called. A
 * splat has strides of 0. GE_ERROR_TYPE for strings. */
GE_C_API GeStatus geTensorToDLPack(GeTensor *tensor, DLManagedTensorVersioned **out);

/* --- Inference without a node ----------------------------------------------------------------- */

/** Types of the results of an operator from the types of its operands (NULL: absent) and its
 * attributes, without a node. `known` is false when GE has no inference for it; `results`,
 * numResults of them, are unknown types then. GE_ERROR_VERIFY when the operands do not fit.
 * Inferrers of the host (geOpsAddInferrer) are also used. */
GE_C_API GeStatus geOpInferTypes(GeOpDef op, GeContext *context, uint32_t opset,
                                 const GeType *operandTypes, size_t numOperands,
                                 const GeNamedAttribute *attributes, size_t numAttributes,
                                 GeType *results, size_t numResults, bool *known);
/** geOpInferTypes with the length of each operand parameter, as in GeNodeSpec; NULL: implied. */
GE_C_API GeStatus geOpInferTypesWithSegments(
    GeOpDef op, GeContext *context, uint32_t opset, const GeType *operandTypes, size_t numOperands,
    const int32_t *operandSegments, size_t numOperandSegments, const GeNamedAttribute *attributes,
    size_t numAttributes, GeType *results, size_t numResults, bool *known);

/* --- Operators and graphs that run --------------------------------------------------------------
 */

/** Computes the results of an operator on tensors of the context: by its kernel for the CPU, else
 * the one for "any", else by the installed evaluator (geOpsSetEvaluator), else as constant folding
 * does natively. Operands are in schema order, those of a list of tensors one after another; NULL:
 * absent. Missing attributes have their defaults. The results are new references. An operand that
 * the schema declares as written, `Tensor(a!)`, is copied for the kernel: tensors never change, and
 * a result with that alias is the copy. GE_ERROR_VERIFY when operands or attributes do not fit the
 * record or inference, GE_ERROR_NOT_IMPLEMENTED when nothing computes it, GE_ERROR_GENERAL when its
 * kernel fails, exceeds a recursion of 1000 calls, or contradicts inference. */
GE_C_API GeStatus geOpCall(GeOpDef op, GeContext *context, uint32_t opset,
                           GeTensor *const *operands, size_t numOperands,
                           const GeNamedAttribute *attributes, size_t numAttributes,
                           GeTensor **results, size_t numResults);
/** geOpCall with the length of each operand parameter, as in GeNodeSpec: for operators with several
 * lists of operands, or a list before optional operands. NULL: implied; GE_ERROR_VERIFY where the
 * record needs them. */
GE_C_API GeStatus geOpCallWithSegments(GeOpDef op, GeContext *context, uint32_t opset,
                                       GeTensor *const *operands, size_t numOperands,
                                       const int32_t *operandSegments, size_t numOperandSegments,
                                       const GeNamedAttribute *attributes, size_t numAttributes,
                                       GeTensor **results, size_t numResults);
/** Computes the outputs of a graph in this thread: node by node as geOpCall does, operators without
 * kernel by the region runner (ge-c/Regions.h) where there is one. Bodies of If, Loop, Scan (ONNX),
 * If, Case, While, For and PartitionedCall (CANN), and functions of the module run, up to a nesting
 * depth of 10000; other subgraphs are GE_ERROR_NOT_IMPLEMENTED. Nodes that no output depends on do
 * not run. Values are released after their last use; a written operand is copied only if its old
 * value has further uses. Kernels may read the graphs of the module, not change them. `inputs`: in
 * the graph's order; GE_ERROR_VALUE when one does not fit its declared type. GE_ERROR_VERIFY when
 * operands and bodies do not fit each other. `opset` as for geGraphInferTypes. `outputs`: new
 * references; NULL where the graph has none. O(nodes) beside the kernels. */
GE_C_API GeStatus geGraphRun(GeGraphRef *graph, uint32_t opset, GeTensor *const *inputs,
                             size_t numInputs, GeTensor **outputs, size_t numOutputs);

/** Compiled nodes of a graph. A program is independent of later edits of the graph, and several
 * threads may run it. It does not keep libraries open. */
typedef struct GeProgram GeProgram;
/** Compiles nodes, in an executable order, with their bodies and the functions that they call.
 * `inputs`: the values that are defined by other nodes or by enclosing graphs; constants may
 * be left out. `backend`: whose kernels run, else those for "any". GE_ERROR_NOT_IMPLEMENTED
 * for a node without kernel in C, with results in the memory of operands, or with attributes
 * that do not fit the record: a host runs it in another way. New reference. O(nodes and
 * edges). */
GE_C_API GeStatus geProgramCreate(GeGraphRef *graph, GeStringRef backend, GeNodeRef *const *nodes,
                                  size_t numNodes, GeValueRef *const *inputs, size_t numInputs,
                                  GeValueRef *const *outputs, size_t numOutputs, GeProgram **out);
GE_C_API void geProgramRetain(GeProgram *program);
GE_C_API void geProgramRelease(GeProgram *program);
/** Runs the program, as geGraphRun does. Inputs and outputs are GE_ANY_TENSOR_OBJECT, or
 * GE_ANY_NONE where one is absent. It takes ownership of one reference to each input, also on
 * failure, and releases it after the last use; outputs are new references, and all GE_ANY_NONE on
 * failure. GE_ERROR_VALUE for an input on another device than the CPU, without data or of an
 * impossible shape, GE_ERROR_TYPE for one of elements that kernels do not take. `node` receives the
 * description of the node that failed, else the empty text; valid until the next call in this
 * thread. GE_ERROR_STALE after a library of its kernels was closed. */
GE_C_API GeStatus geProgramRun(GeProgram *program, const GeAny *inputs, size_t numInputs,
                               GeAny *outputs, size_t numOutputs, GeStringRef *node);

GE_C_END

#endif /* GE_C_KERNELS_H */
