/*===- ge-c/Kernels.h - operators that run: kernels, libraries, calls, programs --------------===*\
|*
|* What kernels take and return is in ge-c/Values.h.
|* Since 0.1 unless a function states otherwise.
\*===----------------------------------------------------------------------------------------===*/
#ifndef GE_C_KERNELS_H
#define GE_C_KERNELS_H

#include "ge-c/Ops.h"
#include "ge-c/Values.h"

GE_C_BEGIN

/* --- Kernels ---------------------------------------------------------------------------------- */

/** An implementation of an operator for a backend, counted. */
typedef const struct GeKernelStorage *GeKernel;

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
 * does natively. Operands are in schema order, those of a list of tensors one after another, and
 * one for each element of a tuple, in which numbers, bools and texts are tensors of one element;
 * NULL: absent, also a `Tensor[]?`. Missing attributes have their defaults. The results are new
 * references. An operand that the schema declares as written, `Tensor(a!)`, is copied for the
 * kernel: tensors never change, and a result with that alias is the copy. GE_ERROR_VERIFY when
 * operands or attributes do not fit the record or inference, GE_ERROR_NOT_IMPLEMENTED when nothing
 * computes it, GE_ERROR_GENERAL when its kernel fails, exceeds a recursion of 1000 calls, or
 * contradicts inference. */
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
 * the graph's order; GE_ERROR_VALUE when one does not fit its declared type, GE_ERROR_MODEL when a
 * named size would have two values. GE_ERROR_VERIFY when
 * operands and bodies do not fit each other. `opset` as for geGraphInferTypes. `outputs`: new
 * references; NULL where the graph has none. The compiled graph is kept with it, and used again
 * until a graph of its module, a registration or the region runner changes: then O(nodes) more.
 * Kept programs hold their constants: at most 64 of them, and 1 GiB in all. O(nodes) beside the
 * kernels. */
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
