/*===- ge-c/IR.h - contexts, types, attributes, graphs --------------------------------------===*\
|*
|* References. GeGraphRef, GeNodeRef and GeValueRef are safe, counted references. An object has one
|* reference at a time, so equal objects are equal pointers. A reference keeps the root graph, its
|* module and context alive. After its object is erased, calls fail with GE_ERROR_STALE, naming the
|* pass that erased it, except functions marked "dead or alive". A returned reference is new;
|* release it with its release function on any thread.
|*
|* Threads. A context may be used from any thread. A root graph (with all inside), and a module's
|* list of graphs, has one writer or any number of readers: each call takes the access it needs for
|* its duration, and fails with GE_ERROR_BUSY instead of waiting. geGraphAcquireRead,
|* geGraphAcquireWrite and geModuleAcquireRead hold it over several calls. See
|* geContextSetSerialized.
|*
|* Callbacks (release, diagnostic handlers, text) run while the call that invokes them holds no
|* access, so they may call any function of this API.
|*
|* Interned objects (GeIdentifier, GeOperatorName, GeType, GeLocation, attributes without tensors)
|* are compared by pointer and live as long as their context, which keeps them in memory. Objects
|* that a model reader interned and that no function of this API returned are freed with the model's
|* last graph; with one context for each model, all are freed. Objects of one context used with
|* those of another are GE_ERROR_VALUE. See Support.h for errors and strings. Since 0.1 unless
|* stated otherwise.
\*===----------------------------------------------------------------------------------------===*/
#ifndef GE_C_IR_H
#define GE_C_IR_H

#include "ge-c/Support.h"

GE_C_BEGIN

typedef struct GeContext GeContext;
typedef struct GeModule GeModule;
typedef struct GeGraphRef GeGraphRef;
typedef struct GeNodeRef GeNodeRef;
typedef struct GeValueRef GeValueRef;
typedef struct GeTensor GeTensor;
typedef struct GeCursor GeCursor;
typedef struct GeTransaction GeTransaction;
typedef const struct GeIdentifierStorage *GeIdentifier;
typedef const struct GeOperatorNameStorage *GeOperatorName;
typedef const struct GeTypeStorage *GeType;
typedef const struct GeLocationStorage *GeLocation;

/** One machine word; pass it by value. Attributes that hold tensors are counted (geAttributeRetain,
 * geAttributeRelease, which do nothing for other attributes); a returned attribute is a new
 * reference. bits == 0 is "no attribute". */
typedef struct GeAttribute {
  uint64_t bits;
} GeAttribute;

/* --- Context ---------------------------------------------------------------------------------- */

/** Creates a context. New reference: geContextRelease. */
GE_C_API GeStatus geContextCreate(GeContext **out);
GE_C_API void geContextRetain(GeContext *context);
GE_C_API void geContextRelease(GeContext *context);
/** Number of live references to graphs, nodes and values, and of live root graphs. O(root graphs).
 */
GE_C_API int64_t geContextLiveHandleCount(GeContext *context);
GE_C_API int64_t geContextLiveGraphCount(GeContext *context);
/** Declares that calls on references of this context, releases included, are serialized by the
 * caller (a binding under Python's GIL): access checks then are a single comparison. Native threads
 * must then acquire access explicitly while they hold that lock. */
GE_C_API void geContextSetSerialized(GeContext *context, bool serialized);
/** One pointer for a language binding's wrapper of the context; initially NULL. */
GE_C_API void *geContextGetSlot(GeContext *context);
GE_C_API void geContextSetSlot(GeContext *context, void *slot);
/** Called for each slot that is set when the context is destroyed: those of identifiers and types,
 * then the context's own. */
GE_C_API void geContextSetSlotDestructor(GeContext *context, void (*destroy)(void *slot));

typedef bool (*GeDiagnosticHandler)(const GeDiagnostic *diagnostic, void *userData);
/** Attaches a handler for warnings, remarks and errors. Handlers are called from the newest to the
 * oldest, until one returns true. `deleteUserData` may be NULL. The token detaches it. */
GE_C_API GeStatus geContextAttachDiagnosticHandler(GeContext *context, GeDiagnosticHandler handler,
                                                   void *userData, void (*deleteUserData)(void *),
                                                   uint64_t *token);
GE_C_API GeStatus geContextDetachDiagnosticHandler(GeContext *context, uint64_t token);
GE_C_API GeStatus geContextEmit(GeContext *context, GeSeverity severity, GeLocation location,
                                GeStringRef message, bool *handled);

/* --- Identifiers and operator names ----------------------------------------------------------- */

GE_C_API GeStatus geIdentifierGet(GeContext *context, GeStringRef text, GeIdentifier *out);
/** The text; lives as long as the context. */
GE_C_API GeStringRef geIdentifierStr(GeIdentifier identifier);
/** The context, borrowed. */
GE_C_API GeContext *geIdentifierGetContext(GeIdentifier identifier);
GE_C_API void *geIdentifierGetSlot(GeIdentifier identifier);
GE_C_API void geIdentifierSetSlot(GeIdentifier identifier, void *slot);

/** "onnx.Conv", split at the last dot; "onnx::Conv", "aten::add.Tensor" (an overload). Domains ""
 * and "ai.onnx" are "onnx", "ai.onnx.ml" is "onnx.ml". GE_ERROR_VALUE without type or domain. */
GE_C_API GeStatus geOperatorNameParse(GeContext *context, GeStringRef text, GeOperatorName *out);
GE_C_API GeStatus geOperatorNameGet(GeContext *context, GeStringRef domain, GeStringRef type,
                                    GeStringRef overload, GeOperatorName *out);
/** The four parts of the identity as identifiers: "domain.Type", "domain", "Type", overload (empty
 * text: none). */
GE_C_API GeIdentifier geOperatorNameFull(GeOperatorName op);
GE_C_API GeIdentifier geOperatorNameDomain(GeOperatorName op);
GE_C_API GeIdentifier geOperatorNameType(GeOperatorName op);
GE_C_API GeIdentifier geOperatorNameOverload(GeOperatorName op);
GE_C_API GeContext *geOperatorNameGetContext(GeOperatorName op);

/* --- Element types ---------------------------------------------------------------------------- */

/** Index into the table of element types; 0 is "undefined". */
typedef uint8_t GeDType;
typedef struct GeDTypeInfo {
  size_t size GE_SIZE_OF(GeDTypeInfo);
  const char *name;     /**< "f32"; static */
  const char *mlir;     /**< element type in the text; static */
  const char *numpy;    /**< NumPy's or ml_dtypes' name, NULL when there is none; static */
  uint8_t bits;         /**< of one element, 0 for strings and handles */
  int16_t onnx;         /**< TensorProto.DataType, -1 when ONNX lacks it */
  int16_t cann;         /**< CANN's DT_*, -1 when CANN lacks it */
  const char *cannName; /**< "DT_FLOAT", NULL when CANN lacks it; static */
} GeDTypeInfo;
GE_C_API size_t geDTypeCount(void);
GE_C_API GeStatus geDTypeGetInfo(GeDType dtype, GeDTypeInfo *out);
/** By public, NumPy's or CANN's name. GE_ERROR_VALUE when unknown, with near names. O(table). */
GE_C_API GeStatus geDTypeFromName(GeStringRef name, GeDType *out);

/* --- Types ------------------------------------------------------------------------------------ */

typedef enum GeTypeKind {
  GE_TYPE_UNKNOWN = 0,
  GE_TYPE_NONE,
  GE_TYPE_TENSOR,
  GE_TYPE_SEQUENCE,
  GE_TYPE_OPTIONAL,
  GE_TYPE_MAP,
  GE_TYPE_OPAQUE
} GeTypeKind;

/** A size (>= 0), or -1 with a symbol (NULL: nothing known). */
typedef struct GeDim {
  int64_t size;
  GeIdentifier symbol;
} GeDim;

typedef struct GeTensorTypeSpec {
  size_t size GE_SIZE_OF(GeTensorTypeSpec);
  GeDType dtype;
  bool ranked;
  size_t rank;
  const GeDim *shape;
  GeIdentifier format; /**< NULL: none */
  bool hasOriginShape;
  size_t originRank;
  const GeDim *originShape;
  GeIdentifier originFormat; /**< NULL: none */
} GeTensorTypeSpec;

GE_C_API GeType geTypeUnknown(GeContext *context);
GE_C_API GeType geTypeNone(GeContext *context);
GE_C_API GeStatus geTypeTensor(GeContext *context, const GeTensorTypeSpec *spec, GeType *out);
GE_C_API GeStatus geTypeSequence(GeType element, GeType *out);
GE_C_API GeStatus geTypeOptional(GeType element, GeType *out);
GE_C_API GeStatus geTypeMap(GeDType key, GeType value, GeType *out);
GE_C_API GeStatus geTypeOpaque(GeContext *context, GeStringRef payload, GeType *out);
GE_C_API GeTypeKind geTypeGetKind(GeType type);
/** The context, borrowed. */
GE_C_API GeContext *geTypeGetContext(GeType type);
/** Parts of a tensor type; arrays live as long as the context. GE_ERROR_TYPE for other
 * kinds. */
GE_C_API GeStatus geTypeGetTensorSpec(GeType type, GeTensorTypeSpec *out);
/** Element of a sequence or optional, value of a map. GE_ERROR_TYPE for other kinds. */
GE_C_API GeStatus geTypeGetElement(GeType type, GeType *out);
GE_C_API GeStatus geTypeGetMapKey(GeType type, GeDType *out);
GE_C_API GeStatus geTypeGetPayload(GeType type, GeStringRef *out);
/** Elements of a static tensor type, -1 when not static. */
GE_C_API int64_t geTypeNumElements(GeType type);
GE_C_API void geTypePrint(GeType type, GeStringCallback callback, void *userData);
GE_C_API void *geTypeGetSlot(GeType type);
GE_C_API void geTypeSetSlot(GeType type, void *slot);

/* --- Locations -------------------------------------------------------------------------------- */

typedef enum GeLocationKind {
  GE_LOCATION_UNKNOWN = 0,
  GE_LOCATION_FILE,
  GE_LOCATION_NAME,
  GE_LOCATION_FUSED
} GeLocationKind;
GE_C_API GeLocation geLocationUnknown(GeContext *context);
GE_C_API GeStatus geLocationFile(GeContext *context, GeStringRef file, uint32_t line,
                                 uint32_t column, GeLocation *out);
/** `child` may be NULL. */
GE_C_API GeStatus geLocationName(GeContext *context, GeStringRef name, GeLocation child,
                                 GeLocation *out);
GE_C_API GeStatus geLocationFused(GeContext *context, const GeLocation *parts, size_t count,
                                  GeLocation *out);
GE_C_API GeLocationKind geLocationGetKind(GeLocation location);
GE_C_API GeContext *geLocationGetContext(GeLocation location);
/** File name of a file location, name of a name location, else empty; lives as long as the context.
 */
GE_C_API GeStringRef geLocationGetText(GeLocation location);
GE_C_API uint32_t geLocationGetLine(GeLocation location);
GE_C_API uint32_t geLocationGetColumn(GeLocation location);
/** Parts of a fused location; a name location has its child, if any. */
GE_C_API size_t geLocationNumParts(GeLocation location);
GE_C_API GeStatus geLocationGetPart(GeLocation location, size_t index, GeLocation *out);
GE_C_API void geLocationPrint(GeLocation location, GeStringCallback callback, void *userData);

/* --- Tensors ---------------------------------------------------------------------------------- */

/** Creates a tensor that borrows `data`; the release of the last reference calls `release(owner)`
 * once, on that thread. The bytes must not change. `packed`: elements below 8 bits are packed as in
 * ONNX, else one per byte. On failure `release` is not called. New reference: geTensorRelease. */
GE_C_API GeStatus geTensorBorrow(GeType type, const void *data, size_t bytes,
                                 void (*release)(void *owner), void *owner, bool packed,
                                 GeTensor **out);
/** Copies. O(bytes). */
GE_C_API GeStatus geTensorCopy(GeType type, const void *data, size_t bytes, bool packed,
                               GeTensor **out);
/** Maps a part of a file, read only; pages are read on first access. GE_ERROR_OS with path and
 * reason. */
GE_C_API GeStatus geTensorMapFile(GeType type, GeStringRef path, size_t offset, size_t bytes,
                                  bool packed, GeTensor **out);
/** A splat: one element for all positions. */
GE_C_API GeStatus geTensorSplat(GeType type, const void *element, size_t bytes, GeTensor **out);
/** A string tensor; `count` elements, or 1 for a splat. Copies. */
GE_C_API GeStatus geTensorStrings(GeType type, const GeStringRef *elements, size_t count,
                                  GeTensor **out);
GE_C_API void geTensorRetain(GeTensor *tensor);
GE_C_API void geTensorRelease(GeTensor *tensor);
GE_C_API GeType geTensorGetType(GeTensor *tensor);
GE_C_API bool geTensorIsSplat(GeTensor *tensor);
GE_C_API bool geTensorIsPacked(GeTensor *tensor);
/** The stored bytes (one element for a splat); live as long as the tensor. GE_ERROR_TYPE for
 * strings. */
GE_C_API GeStatus geTensorGetBytes(GeTensor *tensor, const void **data, size_t *bytes);
GE_C_API GeStatus geTensorGetString(GeTensor *tensor, size_t index, GeStringRef *out);
/** Size in bytes of all elements, at least one byte each; geTensorCopyTo writes this many bytes,
 * unpacked. O(bytes). */
GE_C_API size_t geTensorDenseSize(GeTensor *tensor);
GE_C_API GeStatus geTensorCopyTo(GeTensor *tensor, void *out, size_t bytes);
/** Path and offset of the mapped file; an empty path for other tensors. */
GE_C_API GeStringRef geTensorGetFile(GeTensor *tensor, size_t *offset);
/** Compares type and bits. GE_ERROR_MODEL when a mapped file has changed on disk. O(bytes). */
GE_C_API GeStatus geTensorEquals(GeTensor *a, GeTensor *b, bool *equal);
GE_C_API GeStatus geTensorHash(GeTensor *tensor, uint64_t *hash);
GE_C_API void *geTensorGetSlot(GeTensor *tensor);
GE_C_API void geTensorSetSlot(GeTensor *tensor, void *slot);

/* --- Attributes ------------------------------------------------------------------------------- */

typedef enum GeAttrKind {
  GE_ATTR_INVALID = 0,
  GE_ATTR_BOOL,
  GE_ATTR_INT,
  GE_ATTR_FLOAT,
  GE_ATTR_STRING,
  GE_ATTR_BYTES,
  GE_ATTR_DTYPE,
  GE_ATTR_TYPE,
  GE_ATTR_GRAPH,
  GE_ATTR_TENSOR,
  GE_ATTR_ARRAY,
  GE_ATTR_LIST,
  GE_ATTR_DICT
} GeAttrKind;

GE_C_API GeStatus geAttributeBool(bool value, GeAttribute *out);
/** `width`: the GeDType of the integer, usually i64. GE_ERROR_OVERFLOW when the value does not fit.
 */
GE_C_API GeStatus geAttributeInt(GeContext *context, int64_t value, GeDType width,
                                 GeAttribute *out);
GE_C_API GeStatus geAttributeFloat(GeContext *context, double value, GeDType width,
                                   GeAttribute *out);
GE_C_API GeStatus geAttributeString(GeContext *context, GeStringRef value, GeAttribute *out);
GE_C_API GeStatus geAttributeBytes(GeContext *context, GeStringRef value, GeAttribute *out);
GE_C_API GeStatus geAttributeDType(GeDType value, GeAttribute *out);
GE_C_API GeStatus geAttributeType(GeType value, GeAttribute *out);
GE_C_API GeStatus geAttributeGraph(GeContext *context, GeStringRef name, GeAttribute *out);
/** Retains the tensor. */
GE_C_API GeStatus geAttributeTensor(GeTensor *value, GeAttribute *out);
/** Arrays of numbers: integers and bools (`width` i1..i64, bool) as int64_t, f32 and f64. O(count).
 */
GE_C_API GeStatus geAttributeIntArray(GeContext *context, const int64_t *values, size_t count,
                                      GeDType width, GeAttribute *out);
GE_C_API GeStatus geAttributeFloatArray(GeContext *context, const float *values, size_t count,
                                        GeAttribute *out);
GE_C_API GeStatus geAttributeDoubleArray(GeContext *context, const double *values, size_t count,
                                         GeAttribute *out);
/** Lists of attributes; elements are retained. O(count). */
GE_C_API GeStatus geAttributeList(GeContext *context, const GeAttribute *elements, size_t count,
                                  GeAttribute *out);
GE_C_API GeStatus geAttributeDict(GeContext *context, const GeIdentifier *keys,
                                  const GeAttribute *values, size_t count, GeAttribute *out);
GE_C_API void geAttributeRetain(GeAttribute attribute);
GE_C_API void geAttributeRelease(GeAttribute attribute);
GE_C_API GeAttrKind geAttributeGetKind(GeAttribute attribute);
/** The context, borrowed; NULL for bools, small numbers and dtypes, which belong to no context. */
GE_C_API GeContext *geAttributeGetContext(GeAttribute attribute);
/** Element type of a number or an array of numbers. */
GE_C_API GeDType geAttributeGetWidth(GeAttribute attribute);
/* Readers: GE_ERROR_TYPE when the kind is another. Strings and arrays live as long as the
 * attribute. */
GE_C_API GeStatus geAttributeGetBool(GeAttribute attribute, bool *out);
/** Returns true and the value of an inline 64-bit integer, which needs no release. Otherwise
 * returns false and writes nothing. */
GE_C_API bool geAttributeGetPlainInt(GeAttribute attribute, int64_t *out);
GE_C_API GeStatus geAttributeGetInt(GeAttribute attribute,
                                    int64_t *out); /**< u64 above INT64_MAX: its bits */
GE_C_API GeStatus geAttributeGetFloat(GeAttribute attribute, double *out);
GE_C_API GeStatus geAttributeGetString(GeAttribute attribute,
                                       GeStringRef *out); /**< string, bytes, graph */
GE_C_API GeStatus geAttributeGetDType(GeAttribute attribute, GeDType *out);
GE_C_API GeStatus geAttributeGetType(GeAttribute attribute, GeType *out);
GE_C_API GeStatus geAttributeGetTensor(GeAttribute attribute, GeTensor **out); /**< new reference */
GE_C_API GeStatus geAttributeGetInts(GeAttribute attribute, const int64_t **values,
                                     size_t *count); /**< also bools */
GE_C_API GeStatus geAttributeGetFloats(GeAttribute attribute, const float **values, size_t *count);
GE_C_API GeStatus geAttributeGetDoubles(GeAttribute attribute, const double **values,
                                        size_t *count);
/** Elements of an array, list or dict. */
GE_C_API GeStatus geAttributeGetSize(GeAttribute attribute, size_t *out);
/** Element of a list, value of a dict; borrowed from it. */
GE_C_API GeStatus geAttributeGetElement(GeAttribute attribute, size_t index, GeAttribute *out);
GE_C_API GeStatus geAttributeGetKey(GeAttribute attribute, size_t index, GeIdentifier *out);
GE_C_API bool geAttributeEquals(GeAttribute a, GeAttribute b);
GE_C_API uint64_t geAttributeHash(GeAttribute attribute);
/** GE_ERROR_MODEL when the mapped file of a tensor in it has changed on disk. O(bytes). */
GE_C_API GeStatus geAttributePrint(GeAttribute attribute, GeStringCallback callback,
                                   void *userData);

typedef struct GeNamedAttribute {
  GeIdentifier name;
  GeAttribute value;
} GeNamedAttribute;

/* --- References ------------------------------------------------------------------------------- */

typedef enum GeRefKind { GE_REF_GRAPH = 0, GE_REF_NODE, GE_REF_VALUE } GeRefKind;

/* Dead or alive, any thread. Retain and release accept NULL. */
GE_C_API void geGraphRetain(GeGraphRef *graph);
GE_C_API void geGraphRelease(GeGraphRef *graph);
GE_C_API void geNodeRetain(GeNodeRef *node);
GE_C_API void geNodeRelease(GeNodeRef *node);
GE_C_API void geValueRetain(GeValueRef *value);
GE_C_API void geValueRelease(GeValueRef *value);

/** Common type of the three reference types: functions with this parameter accept each of them. */
typedef void GeRef;
/** Dead or alive. */
GE_C_API GeRefKind geRefGetKind(const GeRef *ref);
GE_C_API bool geRefIsAlive(const GeRef *ref);
/** Dead or alive: "node 'relu3' (onnx.Relu)". O(name). */
GE_C_API GeStatus geRefDescribe(const GeRef *ref, GeStringRef *out);
/** The reason why it is stale: "node 'relu3' (onnx.Relu) was erased by pass 'X' (f.py:31)"; empty
 * while alive. */
GE_C_API GeStatus geRefReason(const GeRef *ref, GeStringRef *out);
/** Dead or alive. The context, borrowed from the reference. */
GE_C_API GeContext *geRefGetContext(const GeRef *ref);
/** Dead or alive: the language binding's wrapper. */
GE_C_API void *geRefGetSlot(const GeRef *ref);
GE_C_API void geRefSetSlot(GeRef *ref, void *slot);
/** Releases a reference, and clears the slot if it holds `slot`, for the destructor of a wrapper.
 * Dead or alive, any thread; accepts NULL. */
GE_C_API void geRefReleaseSlot(GeRef *ref, void *slot);

/** Sets the pass and location that are recorded for edits on this thread until the pop: in reasons
 * of stale references and in origins. Both may be NULL. Scopes nest. */
GE_C_API GeStatus geEditScopePush(GeIdentifier pass, GeLocation where);
GE_C_API void geEditScopePop(void);

/* --- Access ----------------------------------------------------------------------------------- */

/** Holds read or write access to the root graph for this thread over several calls, also in
 * serialized contexts; keeps the graph's reference meanwhile. Nests. The writing thread may read
 * and write; a reading thread cannot write. GE_ERROR_BUSY names the holder. `work` is shown in the
 * errors of other threads. */
GE_C_API GeStatus geGraphAcquireRead(GeGraphRef *graph);
GE_C_API GeStatus geGraphAcquireWrite(GeGraphRef *graph, GeStringRef work);
/** Dead or alive; any graph of the same root. GE_ERROR_VALUE when this thread holds none. */
GE_C_API GeStatus geGraphReleaseRead(GeGraphRef *graph);
GE_C_API GeStatus geGraphReleaseWrite(GeGraphRef *graph);
/** Invalidates all references into the root graph, also to the root itself, with the reason "graph
 * handle has expired" or, when `consumed`, "was moved". The graph stays valid: `out` (may be NULL)
 * is a new reference to it. GE_ERROR_VALUE inside a transaction. O(references held). */
GE_C_API GeStatus geGraphExpireHandles(GeGraphRef *graph, bool consumed, GeGraphRef **out);

/* --- Modules ---------------------------------------------------------------------------------- */

/** New reference: geModuleRelease. A reference into one of its graphs keeps it alive too. */
GE_C_API GeStatus geModuleCreate(GeContext *context, GeStringRef name, GeModule **out);
GE_C_API void geModuleRetain(GeModule *module);
GE_C_API void geModuleRelease(GeModule *module);
GE_C_API GeContext *geModuleGetContext(GeModule *module);
GE_C_API GeStatus geModuleGetName(GeModule *module, GeStringRef *out);
GE_C_API GeStatus geModuleSetName(GeModule *module, GeStringRef name);
/** Holds read access to the module and to all its graphs, as geGraphAcquireRead does for one. */
GE_C_API GeStatus geModuleAcquireRead(GeModule *module);
GE_C_API GeStatus geModuleReleaseRead(GeModule *module);
/** Number of graphs. Waits for a concurrent call that changes the module. */
GE_C_API size_t geModuleNumGraphs(GeModule *module);
GE_C_API GeStatus geModuleGetGraph(GeModule *module, size_t index, GeGraphRef **out);
/** *out is NULL when no graph has this name. O(graphs). */
GE_C_API GeStatus geModuleFindGraph(GeModule *module, GeStringRef name, GeGraphRef **out);
GE_C_API GeStatus geModuleAddGraph(GeModule *module, GeStringRef name, GeGraphRef **out);
/** Moves a root graph that is in no module into the module; references stay valid. */
GE_C_API GeStatus geModuleAdoptGraph(GeModule *module, GeGraphRef *graph);
/** Removes the graph from the module; it becomes a separate root, which references keep alive. */
GE_C_API GeStatus geModuleDetachGraph(GeModule *module, GeGraphRef *graph);
/** Erases a graph; its references become stale. GE_ERROR_VALUE inside a transaction. O(size). */
GE_C_API GeStatus geModuleEraseGraph(GeModule *module, GeGraphRef *graph);
GE_C_API size_t geModuleNumAttributes(GeModule *module);
GE_C_API GeStatus geModuleGetAttributeAt(GeModule *module, size_t index, GeNamedAttribute *out);
/** bits == 0 when absent. */
GE_C_API GeStatus geModuleGetAttribute(GeModule *module, GeIdentifier name, GeAttribute *out);
/** bits == 0 removes. */
GE_C_API GeStatus geModuleSetAttribute(GeModule *module, GeIdentifier name, GeAttribute value);
/** A deep copy; tensors are shared. O(size). New reference. */
GE_C_API GeStatus geModuleClone(GeModule *module, GeModule **out);
/** Verifies the structure: GE_ERROR_VERIFY with up to 10,000 errors.
 * geModuleVerifyDefinitions verifies the definitions of operators. O(size). */
GE_C_API GeStatus geModuleVerify(GeModule *module);
GE_C_API GeStatus geModuleIsStructurallyEqual(GeModule *a, GeModule *b, bool *out);
GE_C_API void *geModuleGetSlot(GeModule *module);
GE_C_API void geModuleSetSlot(GeModule *module, void *slot);

/* --- Graphs ----------------------------------------------------------------------------------- */

/** Creates a root graph with an empty NetOutput. New reference. */
GE_C_API GeStatus geGraphCreate(GeContext *context, GeStringRef name, GeGraphRef **out);
GE_C_API GeStatus geGraphGetName(GeGraphRef *graph, GeStringRef *out);
GE_C_API GeStatus geGraphSetName(GeGraphRef *graph, GeStringRef name);
/** The role of a subgraph ("then_branch"); empty for roots. */
GE_C_API GeStatus geGraphGetSlotName(GeGraphRef *graph, GeStringRef *out);
/** *out is a new reference; NULL when there is none. */
GE_C_API GeStatus geGraphGetModule(GeGraphRef *graph, GeModule **out);
GE_C_API GeStatus geGraphGetParentNode(GeGraphRef *graph, GeNodeRef **out);
GE_C_API GeStatus geGraphGetRoot(GeGraphRef *graph, GeGraphRef **out);
GE_C_API GeStatus geGraphNumInputs(GeGraphRef *graph, size_t *out);
GE_C_API GeStatus geGraphGetInput(GeGraphRef *graph, size_t index, GeValueRef **out);
/** Adds a ge.Data node at `index` (SIZE_MAX: last); `op` names a variant, NULL for ge.Data. Node
 * and value get the name; a clash appends `_1`. O(1) at the end, else O(inputs). */
GE_C_API GeStatus geGraphAddInput(GeGraphRef *graph, GeStringRef name, GeType type,
                                  GeOperatorName op, size_t index, GeValueRef **out);
/** GE_ERROR_VALUE while it is used, unless `force`. O(inputs). */
GE_C_API GeStatus geGraphEraseInput(GeGraphRef *graph, size_t index, bool force);
GE_C_API GeStatus geGraphMoveInput(GeGraphRef *graph, size_t from, size_t to);
GE_C_API GeStatus geGraphNumOutputs(GeGraphRef *graph, size_t *out);
/** *out is NULL for an absent output. */
GE_C_API GeStatus geGraphGetOutput(GeGraphRef *graph, size_t index, GeValueRef **out);
/** NULL elements are absent outputs. O(count). */
GE_C_API GeStatus geGraphSetOutputs(GeGraphRef *graph, GeValueRef *const *values, size_t count);
/** `generated` (may be NULL): true when the name was generated, not given. */
GE_C_API GeStatus geGraphGetOutputName(GeGraphRef *graph, size_t index, GeStringRef *out,
                                       bool *generated);
/** Sets the name; empty removes it. GE_ERROR_VALUE when another output has the name. O(outputs). */
GE_C_API GeStatus geGraphSetOutputName(GeGraphRef *graph, size_t index, GeStringRef name);
/** Names all outputs, or none: GE_ERROR_INDEX unless `count` is the number of outputs,
 * GE_ERROR_VALUE when two names are equal. Empty is not a name. O(outputs). */
GE_C_API GeStatus geGraphSetOutputNames(GeGraphRef *graph, const GeStringRef *names, size_t count);
GE_C_API GeStatus geGraphGetOutputNode(GeGraphRef *graph, GeNodeRef **out);
/** Nodes without Data and NetOutput. */
GE_C_API GeStatus geGraphNumNodes(GeGraphRef *graph, size_t *out);
/** O(distance from the index of the previous call). */
GE_C_API GeStatus geGraphGetNode(GeGraphRef *graph, size_t index, GeNodeRef **out);
/** By name in the root graph and all its subgraphs; *out is NULL when there is none. */
GE_C_API GeStatus geGraphFindNode(GeGraphRef *graph, GeStringRef name, GeNodeRef **out);
GE_C_API GeStatus geGraphFindValue(GeGraphRef *graph, GeStringRef name, GeValueRef **out);
/** Nodes of this graph and its subgraphs with this original name (geNodeGetOriginalName), in
 * pre-order. Call it twice, first with capacity 0. `out` gets min(capacity, *count) new references.
 * O(nodes). */
GE_C_API GeStatus geGraphFindAllNamed(GeGraphRef *graph, GeStringRef name, GeNodeRef **out,
                                      size_t capacity, size_t *count);
/** Nodes of this graph with this operator, in list order, from an index. Call it twice, first with
 * capacity 0. `out` gets min(capacity, *count) new references. O(found log found) after the first
 * call on the root, which is O(nodes). */
GE_C_API GeStatus geGraphFindAll(GeGraphRef *graph, GeOperatorName op, GeNodeRef **out,
                                 size_t capacity, size_t *count);
GE_C_API GeStatus geGraphNumAttributes(GeGraphRef *graph, size_t *out);
GE_C_API GeStatus geGraphGetAttributeAt(GeGraphRef *graph, size_t index, GeNamedAttribute *out);
GE_C_API GeStatus geGraphGetAttribute(GeGraphRef *graph, GeIdentifier name, GeAttribute *out);
GE_C_API GeStatus geGraphSetAttribute(GeGraphRef *graph, GeIdentifier name, GeAttribute value);
/** Sorts the node list into a stable topological order. GE_ERROR_VERIFY with the cycle as a path of
 * names. O(nodes + edges). */
GE_C_API GeStatus geGraphSort(GeGraphRef *graph);
/** GE_ERROR_VERIFY with up to 10,000 errors. O(nodes + edges). */
GE_C_API GeStatus geGraphVerify(GeGraphRef *graph);
/** Copies the graph to a new root in `context` (NULL: the same). Captured values become inputs.
 * O(size). */
GE_C_API GeStatus geGraphClone(GeGraphRef *graph, GeContext *context, GeGraphRef **out);
/** Erases the nodes on which nothing depends. O(nodes). */
GE_C_API GeStatus geGraphEraseDeadNodes(GeGraphRef *graph, size_t *erased);
GE_C_API GeStatus geGraphIsStructurallyEqual(GeGraphRef *a, GeGraphRef *b, bool *out);
GE_C_API GeStatus geGraphStructuralHash(GeGraphRef *graph, uint64_t *out);
/** Counter that each change of the root graph increments. */
GE_C_API GeStatus geGraphChangeCount(GeGraphRef *graph, uint64_t *out);

/* --- Iteration -------------------------------------------------------------------------------- */

/** Creates a cursor over a graph's node list that stays valid under all edits: any node may be
 * erased or moved; nodes inserted after the cursor are visited, nodes inserted before it are not.
 * It retains the graph. Destroy it with geCursorDestroy, on any thread. */
GE_C_API GeStatus geCursorCreate(GeGraphRef *graph, bool reverse, GeCursor **out);
/** *out is NULL at the end. GE_ERROR_STALE when the graph was erased. */
GE_C_API GeStatus geCursorNext(GeCursor *cursor, GeNodeRef **out);
GE_C_API void geCursorDestroy(GeCursor *cursor);

/* --- Nodes ------------------------------------------------------------------------------------ */

typedef struct GeNodeSpec {
  size_t size GE_SIZE_OF(GeNodeSpec);
  GeOperatorName op;
  size_t numOperands;
  GeValueRef *const *operands; /**< NULL elements are absent */
  size_t numResults;
  const GeType *resultTypes; /**< type none: an absent result */
  size_t numAttributes;
  const GeNamedAttribute *attributes; /**< retained */
  GeStringRef name;                   /**< empty: unnamed; a clash gets `_1` */
  GeLocation location;                /**< NULL: unknown */
  size_t numControlInputs;
  GeNodeRef *const *controlInputs;
  size_t numSubgraphs;
  GeGraphRef *const
      *subgraphs;           /**< root graphs, which are moved in; NULL elements: new empty ones */
  const GeStringRef *slots; /**< their roles; NULL: all empty */
  /** The length of each operand parameter of the operator's record, where the flat list of operands
   * does not say it: the record has several lists, or a list before optional operands. NULL:
   * implied. They add up to numOperands, else GE_ERROR_VALUE, as for a negative length or more
   * lengths than parameters. An absent optional operand has length 0. */
  const int32_t *operandSegments;
  size_t numOperandSegments;
  const int32_t *resultSegments; /**< the same for results */
  size_t numResultSegments;
} GeNodeSpec;

/** Creates a node in `graph` before `before` (NULL: at the end). All arguments are checked first:
 * on failure nothing changes. References to subgraphs stay valid. O(operands + attributes + nodes
 * of the subgraphs). */
GE_C_API GeStatus geNodeCreate(GeGraphRef *graph, GeNodeRef *before, const GeNodeSpec *spec,
                               GeNodeRef **out);
/** Creates a detached node: bound to the root graph of `graph`, without control inputs. */
GE_C_API GeStatus geNodeCreateDetached(GeGraphRef *graph, const GeNodeSpec *spec, GeNodeRef **out);
/** Inserts a node before `before`, or at the end of `graph` when NULL. Also moves a node from
 * another position of the same root. */
GE_C_API GeStatus geNodeInsert(GeNodeRef *node, GeGraphRef *graph, GeNodeRef *before);
GE_C_API GeStatus geNodeMoveBefore(GeNodeRef *node, GeNodeRef *other);
GE_C_API GeStatus geNodeMoveAfter(GeNodeRef *node, GeNodeRef *other);
GE_C_API GeStatus geNodeDetach(GeNodeRef *node);
/** Erases a node. GE_ERROR_VALUE, naming the users, while a result is used; with `force` these
 * operands become absent. O(operands + results + dropped uses + contents of its subgraphs). */
GE_C_API GeStatus geNodeErase(GeNodeRef *node, bool force);
/** Replaces uses of result i by values[i] (NULL only where unused), transfers control edges,
 * origins and, to values without one, names, and erases the node. O(uses). */
GE_C_API GeStatus geNodeReplace(GeNodeRef *node, GeValueRef *const *values, size_t count);
/** Copies the nodes of `graph`, a root graph other than that of `before`, in a topological order
 * before that node, with all inside them. inputs[i], NULL for an absent operand, stands for its
 * input i: GE_ERROR_INDEX unless there are as many. Nodes are named `prefix` and their own name;
 * results, origins and graph attributes are not copied. `made` is called with each new node, a
 * reference that it owns. outputs[i] becomes what output i of `graph` is there, a new reference,
 * NULL for an absent one. GE_ERROR_VERIFY for a cycle; on failure nothing changed. O(size). */
GE_C_API GeStatus geGraphCopyNodes(GeGraphRef *graph, GeNodeRef *before, GeValueRef *const *inputs,
                                   size_t numInputs, GeStringRef prefix,
                                   void (*made)(GeNodeRef *node, void *userData), void *userData,
                                   GeValueRef **outputs);
/** A detached copy with the same operands; its name gets `_1`. O(size). */
GE_C_API GeStatus geNodeClone(GeNodeRef *node, GeNodeRef **out);

GE_C_API GeStatus geNodeGetOperatorName(GeNodeRef *node, GeOperatorName *out);
/** Its text, such as `onnx.Conv`. */
GE_C_API GeStatus geNodeGetOp(GeNodeRef *node, GeIdentifier *out);
/** `generated` (may be NULL): true when the name was generated, not given. */
GE_C_API GeStatus geNodeGetName(GeNodeRef *node, GeStringRef *out, bool *generated);
/** The name in the model file, if the reader had to make it unique; else the node's name, empty
 * when it has none. Renaming the node discards it. O(attributes). */
GE_C_API GeStatus geNodeGetOriginalName(GeNodeRef *node, GeStringRef *out);
/** Sets the name; a clash appends `_1`, empty removes the name. */
GE_C_API GeStatus geNodeSetName(GeNodeRef *node, GeStringRef name);
GE_C_API GeStatus geNodeGetLocation(GeNodeRef *node, GeLocation *out);
GE_C_API GeStatus geNodeSetLocation(GeNodeRef *node, GeLocation location);
/** *out is NULL while detached. */
GE_C_API GeStatus geNodeGetGraph(GeNodeRef *node, GeGraphRef **out);
/** The root graph to which the node is bound, also while detached. */
GE_C_API GeStatus geNodeGetRoot(GeNodeRef *node, GeGraphRef **out);
/** Neighbours in the list; *out is NULL at the ends. */
GE_C_API GeStatus geNodeGetNext(GeNodeRef *node, GeNodeRef **out);
GE_C_API GeStatus geNodeGetPrevious(GeNodeRef *node, GeNodeRef **out);
/** Compares positions in the node list; for nodes of different graphs, those of their ancestors in
 * the common graph. GE_ERROR_VALUE when there is none. */
GE_C_API GeStatus geNodeIsBefore(GeNodeRef *node, GeNodeRef *other, bool *out);
/** Whether the node is a ge.Data or a variant of it, or the NetOutput. */
GE_C_API GeStatus geNodeIsInput(GeNodeRef *node, bool *out);
GE_C_API GeStatus geNodeIsOutput(GeNodeRef *node, bool *out);

GE_C_API GeStatus geNodeNumOperands(GeNodeRef *node, size_t *out);
/** *out is NULL for an absent operand. */
GE_C_API GeStatus geNodeGetOperand(GeNodeRef *node, size_t index, GeValueRef **out);
/** NULL makes it absent. */
GE_C_API GeStatus geNodeSetOperand(GeNodeRef *node, size_t index, GeValueRef *value);
/** GE_ERROR_VALUE for another number of operands in a node with stored lengths of operand lists:
 * geNodeSetOperandLists. */
GE_C_API GeStatus geNodeSetOperands(GeNodeRef *node, GeValueRef *const *values, size_t count);
/** In a node with stored lengths of operand lists, the list around the place becomes longer.
 * GE_ERROR_VALUE when the place belongs to several: geNodeInsertOperandOf. */
GE_C_API GeStatus geNodeInsertOperand(GeNodeRef *node, size_t index, GeValueRef *value);
GE_C_API GeStatus geNodeEraseOperand(GeNodeRef *node, size_t index);
GE_C_API GeStatus geNodeNumResults(GeNodeRef *node, size_t *out);
GE_C_API GeStatus geNodeGetResult(GeNodeRef *node, size_t index, GeValueRef **out);
/** The result of a node that has one; GE_ERROR_VALUE for all others. */
GE_C_API GeStatus geNodeGetOnlyResult(GeNodeRef *node, GeValueRef **out);

GE_C_API GeStatus geNodeNumAttributes(GeNodeRef *node, size_t *out);
/** In order of insertion. The value is a new reference. */
GE_C_API GeStatus geNodeGetAttributeAt(GeNodeRef *node, size_t index, GeNamedAttribute *out);
/** bits == 0 when absent. New reference. O(attributes of the node). */
GE_C_API GeStatus geNodeGetAttribute(GeNodeRef *node, GeIdentifier name, GeAttribute *out);
/** bits == 0 removes. */
GE_C_API GeStatus geNodeSetAttribute(GeNodeRef *node, GeIdentifier name, GeAttribute value);

GE_C_API GeStatus geNodeNumControlInputs(GeNodeRef *node, size_t *out);
GE_C_API GeStatus geNodeGetControlInput(GeNodeRef *node, size_t index, GeNodeRef **out);
GE_C_API GeStatus geNodeNumControlOutputs(GeNodeRef *node, size_t *out);
GE_C_API GeStatus geNodeGetControlOutput(GeNodeRef *node, size_t index, GeNodeRef **out);
/** Adds a control edge: `node` runs after `input`. Existing edges are not repeated. O(degree). */
GE_C_API GeStatus geNodeAddControlInput(GeNodeRef *node, GeNodeRef *input);
GE_C_API GeStatus geNodeRemoveControlInput(GeNodeRef *node, GeNodeRef *input);

GE_C_API GeStatus geNodeNumSubgraphs(GeNodeRef *node, size_t *out);
GE_C_API GeStatus geNodeGetSubgraph(GeNodeRef *node, size_t index, GeGraphRef **out);
/** A new empty subgraph at the end. */
GE_C_API GeStatus geNodeAddSubgraph(GeNodeRef *node, GeStringRef slot, GeStringRef name,
                                    GeGraphRef **out);
/** Moves a root graph into the node as a subgraph; its references stay valid. O(its nodes). */
GE_C_API GeStatus geNodeAdoptSubgraph(GeNodeRef *node, GeStringRef slot, GeGraphRef *graph);
GE_C_API GeStatus geNodeEraseSubgraph(GeNodeRef *node, size_t index);

typedef struct GeOrigin {
  size_t size GE_SIZE_OF(GeOrigin);
  GeStringRef node;    /**< name of the node it came from */
  GeOperatorName op;   /**< may be NULL */
  GeIdentifier pass;   /**< may be NULL */
  GeIdentifier rule;   /**< may be NULL */
  GeLocation location; /**< may be NULL */
} GeOrigin;
GE_C_API GeStatus geNodeNumOrigins(GeNodeRef *node, size_t *out);
GE_C_API GeStatus geNodeGetOrigin(GeNodeRef *node, size_t index, GeOrigin *out);
GE_C_API GeStatus geNodeAddOrigin(GeNodeRef *node, const GeOrigin *origin);

/* --- Lengths of operand and result lists ------------------------------------------------------ */

/* The operands of a node are one flat list. Where the record of its operator has several lists of
 * operands, or a list before optional operands, the node stores the length of each operand
 * parameter; elsewhere the record implies them. Results likewise. Changes keep them true. A node
 * without them whose record needs them fails verification. */

/** The length of each operand parameter, as stored or as the record implies. Call it twice, first
 * with capacity 0: `out` gets min(capacity, *count) lengths. `known` (may be NULL) is false, and
 * *count 0, when there are none: the operator has no record, or one that needs stored lengths. */
GE_C_API GeStatus geNodeGetOperandSegments(GeNodeRef *node, int32_t *out, size_t capacity,
                                           size_t *count, bool *known);
GE_C_API GeStatus geNodeGetResultSegments(GeNodeRef *node, int32_t *out, size_t capacity,
                                          size_t *count, bool *known);
/** Nothing is stored where the record implies these lengths; `count` 0 forgets them.
 * GE_ERROR_VALUE unless they add up to the number of operands, for a negative length and for more
 * lengths than parameters. */
GE_C_API GeStatus geNodeSetOperandSegments(GeNodeRef *node, const int32_t *lengths, size_t count);
GE_C_API GeStatus geNodeSetResultSegments(GeNodeRef *node, const int32_t *lengths, size_t count);
/** Replaces all operands, with the length of each operand parameter as in GeNodeSpec. */
GE_C_API GeStatus geNodeSetOperandLists(GeNodeRef *node, GeValueRef *const *values, size_t count,
                                        const int32_t *lengths, size_t numLengths);
/** Inserts an operand into the list of an operand parameter, by number; `index` is the place in the
 * flat list. GE_ERROR_VALUE when the place is not in that list. */
GE_C_API GeStatus geNodeInsertOperandOf(GeNodeRef *node, size_t parameter, size_t index,
                                        GeValueRef *value);

GE_C_API GeStatus geNodeIsStructurallyEqual(GeNodeRef *a, GeNodeRef *b, bool *out);
GE_C_API GeStatus geNodeStructuralHash(GeNodeRef *node, uint64_t *out);

/* --- Values ----------------------------------------------------------------------------------- */

GE_C_API GeStatus geValueGetType(GeValueRef *value, GeType *out);
/** Sets a declared type. A change is O(uses): types that were inferred from it count as declared
 * until inference confirms them. */
GE_C_API GeStatus geValueSetType(GeValueRef *value, GeType type);
/** Serializes which types of a graph are inferred; the text form does not contain this. `out` is
 * valid until the thread's next call. O(nodes). */
GE_C_API GeStatus geGraphGetTypeSources(GeGraphRef *graph, GeStringRef *out);
/** Restores geGraphGetTypeSources in a graph parsed from the other's text. O(nodes). */
GE_C_API GeStatus geGraphSetTypeSources(GeGraphRef *graph, GeStringRef sources);
/** As geNodeGetOriginalName. */
GE_C_API GeStatus geValueGetOriginalName(GeValueRef *value, GeStringRef *out);
/** Whether the type was inferred or confirmed by inference for the node's current operands and
 * attributes; false: it is declared by a file, a text or a caller. */
GE_C_API GeStatus geValueIsTypeInferred(GeValueRef *value, bool *out);
GE_C_API GeStatus geValueGetName(GeValueRef *value, GeStringRef *out, bool *generated);
GE_C_API GeStatus geValueSetName(GeValueRef *value, GeStringRef name);
GE_C_API GeStatus geValueGetNode(GeValueRef *value, GeNodeRef **out);
GE_C_API GeStatus geValueGetIndex(GeValueRef *value, size_t *out);

typedef struct GeUse {
  GeNodeRef *node; /**< new reference */
  size_t operandIndex;
} GeUse;
GE_C_API GeStatus geValueHasUses(GeValueRef *value, bool *out);
/** All uses, the most recent first. Call it twice, first with capacity 0. `out` gets min(capacity,
 * *count). O(uses). */
GE_C_API GeStatus geValueGetUses(GeValueRef *value, GeUse *out, size_t capacity, size_t *count);
/** Replaces all uses except those by the nodes in `except`. O(uses). */
GE_C_API GeStatus geValueReplaceAllUses(GeValueRef *from, GeValueRef *to, GeNodeRef *const *except,
                                        size_t numExcept);

/* --- Transactions ----------------------------------------------------------------------------- */

/** Begins a transaction: later changes of the root graph of `graph` can be rolled back. Nested
 * transactions end in reverse order, else GE_ERROR_VALUE. It retains the root graph. */
GE_C_API GeStatus geTransactionBegin(GeGraphRef *graph, GeTransaction **out);
/** Commit and rollback end a transaction; ending it again is GE_ERROR_VALUE. */
GE_C_API GeStatus geTransactionCommit(GeTransaction *transaction);
/** Between rollback and geTransactionDestroy, changes of the root graph are GE_ERROR_VALUE, because
 * they could not be undone. O(edits). */
GE_C_API GeStatus geTransactionRollback(GeTransaction *transaction);
GE_C_API bool geTransactionIsOpen(GeTransaction *transaction);
/** Rolls back an open transaction with its nested ones, and frees it. Accepts NULL. GE_ERROR_BUSY
 * for an open transaction only; the caller then still owns it. */
GE_C_API GeStatus geTransactionDestroy(GeTransaction *transaction);

GE_C_END

#endif /* GE_C_IR_H */
