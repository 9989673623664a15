/*===- ge-c/IR.h - contexts, types, attributes, graphs --------------------------------------===*\
|*
|* References. GeGraphRef, GeNodeRef and GeValueRef are safe, counted references: one for each
|* object that anybody holds, so equal objects are equal pointers. They keep the root graph, its
|* module and context alive. After the object is erased every call on the reference fails with
|* GE_ERROR_STALE and says who erased it; only the functions marked "dead or alive" work. A
|* function that gives back a reference gives a new one; give it back with its release function,
|* on any thread, at any time.
|*
|* Threads. A context may be used from any thread. A root graph (with all inside), and a module's
|* list of graphs, has one writer or any number of readers: each call takes the access it needs
|* for its duration, and fails with GE_ERROR_BUSY instead of waiting. geGraphAcquireRead,
|* geGraphAcquireWrite and geModuleAcquireRead hold it over several calls. See
|* geContextSetSerialized.
|*
|* Callbacks (release, diagnostic handlers, text) run while no access is held by the call that
|* they come from, so they may call anything here.
|*
|* Interned objects (GeIdentifier, GeOperatorName, GeType, GeLocation, attributes without tensors)
|* are compared by pointer and live as long as their context, which keeps them in memory. Only what
|* a reader of models interned and no function here gave out is freed with the model's last graph; a
|* context for each model gives back everything. Objects of one context used with those of another
|* are GE_ERROR_VALUE. See Support.h for errors and strings. Since 0.1 but where a function says so.
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

/** A word; pass by value. Attributes that hold tensors are counted (geAttributeRetain,
 * geAttributeRelease, which cost nothing for the others); a function that gives one back gives a
 * new reference. bits == 0 is "no attribute". */
typedef struct GeAttribute {
  uint64_t bits;
} GeAttribute;

/* --- Context ---------------------------------------------------------------------------------- */

/** A new context: new reference, give it back with geContextRelease. */
GE_C_API GeStatus geContextCreate(GeContext **out);
GE_C_API void geContextRetain(GeContext *context);
GE_C_API void geContextRelease(GeContext *context);
/** Live references to graphs, nodes and values; live root graphs. O(root graphs).
 */
GE_C_API int64_t geContextLiveHandleCount(GeContext *context);
GE_C_API int64_t geContextLiveGraphCount(GeContext *context);
/** Promises that calls on references of this context, releases included, come one at a time (a
 * binding under Python's GIL): checks then only look at the access word. Native threads must then
 * take access explicitly while they hold that lock. */
GE_C_API void geContextSetSerialized(GeContext *context, bool serialized);
/** One pointer for a language binding's wrapper of the context. NULL at first. */
GE_C_API void *geContextGetSlot(GeContext *context);
GE_C_API void geContextSetSlot(GeContext *context, void *slot);
/** Called for each slot that is set when the context dies: of identifiers, types, and last its own,
 * and at last for the context's own. */
GE_C_API void geContextSetSlotDestructor(GeContext *context, void (*destroy)(void *slot));

typedef bool (*GeDiagnosticHandler)(const GeDiagnostic *diagnostic, void *userData);
/** Handlers get warnings and remarks, and errors on their way out; the newest first, until one
 * returns true. `deleteUserData` may be NULL. The token detaches it. */
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
/** What a tensor type is made of; arrays live as long as the context. GE_ERROR_TYPE for other
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

/** Borrows `data` until the last reference goes, then calls `release(owner)` once, on whatever
 * thread. The bytes must not change. `packed`: elements under 8 bits lie as ONNX packs them, else
 * one a byte. On failure nothing is taken. New reference: geTensorRelease. */
GE_C_API GeStatus geTensorBorrow(GeType type, const void *data, size_t bytes,
                                 void (*release)(void *owner), void *owner, bool packed,
                                 GeTensor **out);
/** Copies. O(bytes). */
GE_C_API GeStatus geTensorCopy(GeType type, const void *data, size_t bytes, bool packed,
                               GeTensor **out);
/** Maps a part of a file, read only; pages are read when touched. GE_ERROR_OS with path and reason.
 */
GE_C_API GeStatus geTensorMapFile(GeType type, GeStringRef path, size_t offset, size_t bytes,
                                  bool packed, GeTensor **out);
/** One element for all. */
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
/** Bytes of all elements, one byte at least for each; geTensorCopyTo writes that many, unpacked.
 * O(bytes). */
GE_C_API size_t geTensorDenseSize(GeTensor *tensor);
GE_C_API GeStatus geTensorCopyTo(GeTensor *tensor, void *out, size_t bytes);
/** The file it is mapped from and the offset; an empty path when it is not. */
GE_C_API GeStringRef geTensorGetFile(GeTensor *tensor, size_t *offset);
/** Same type and bits. GE_ERROR_MODEL when a mapped file has changed on disk. O(bytes). */
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
/** `width`: the GeDType of the integer; i64 unless there is a reason. GE_ERROR_OVERFLOW when it
 * does not fit. */
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
/** NULL for bools, small numbers and dtypes, which are anybody's. */
GE_C_API GeContext *geAttributeGetContext(GeAttribute attribute);
/** Element type of a number or an array of numbers. */
GE_C_API GeDType geAttributeGetWidth(GeAttribute attribute);
/* Readers: GE_ERROR_TYPE when the kind is another. Strings and arrays live as long as the
 * attribute. */
GE_C_API GeStatus geAttributeGetBool(GeAttribute attribute, bool *out);
/** Of an integer of 64 bits that needs no release: true with its value. False, and nothing written,
 * for everything else. */
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

/** One object behind the three reference types, for what is the same for all: pass any of them. */
typedef void GeRef;
/** Dead or alive. */
GE_C_API GeRefKind geRefGetKind(const GeRef *ref);
GE_C_API bool geRefIsAlive(const GeRef *ref);
/** Dead or alive: "node 'relu3' (onnx.Relu)". O(name). */
GE_C_API GeStatus geRefDescribe(const GeRef *ref, GeStringRef *out);
/** Why it is dead: "node 'relu3' (onnx.Relu) was erased by pass 'X' (f.py:31)"; empty while alive.
 */
GE_C_API GeStatus geRefReason(const GeRef *ref, GeStringRef *out);
/** Dead or alive. The context, borrowed from the reference. */
GE_C_API GeContext *geRefGetContext(const GeRef *ref);
/** Dead or alive: the language binding's wrapper. */
GE_C_API void *geRefGetSlot(const GeRef *ref);
GE_C_API void geRefSetSlot(GeRef *ref, void *slot);
/** Gives a reference back, and empties the slot if `slot` is in it: what the end of a wrapper does.
 * As the release functions. */
GE_C_API void geRefReleaseSlot(GeRef *ref, void *slot);

/** Who edits on this thread from here to the pop: shown in reasons and origins. Both may be NULL.
 * Scopes nest. */
GE_C_API GeStatus geEditScopePush(GeIdentifier pass, GeLocation where);
GE_C_API void geEditScopePop(void);

/* --- Access ----------------------------------------------------------------------------------- */

/** Holds read or write access to the root graph for this thread over several calls, also in
 * serialized contexts; keeps the graph's reference meanwhile. Nests. The writing thread may do
 * anything meanwhile; who reads cannot write. GE_ERROR_BUSY names who holds it. `work` is shown to
 * others. */
GE_C_API GeStatus geGraphAcquireRead(GeGraphRef *graph);
GE_C_API GeStatus geGraphAcquireWrite(GeGraphRef *graph, GeStringRef work);
/** Dead or alive; any graph of the same root. GE_ERROR_VALUE when this thread holds none. */
GE_C_API GeStatus geGraphReleaseRead(GeGraphRef *graph);
GE_C_API GeStatus geGraphReleaseWrite(GeGraphRef *graph);
/** Kills every reference into the root graph, its own included, with the reason "graph handle has
 * expired" or, when `consumed`, "was moved". The graph itself goes on: `out` (may be NULL) is a new
 * reference to it. GE_ERROR_VALUE inside a transaction. O(references held). */
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
/** Waits for a call that is changing the module at this moment. */
GE_C_API size_t geModuleNumGraphs(GeModule *module);
GE_C_API GeStatus geModuleGetGraph(GeModule *module, size_t index, GeGraphRef **out);
/** *out is NULL when there is none of that name. O(graphs). */
GE_C_API GeStatus geModuleFindGraph(GeModule *module, GeStringRef name, GeGraphRef **out);
GE_C_API GeStatus geModuleAddGraph(GeModule *module, GeStringRef name, GeGraphRef **out);
/** The module takes a root graph that is in no module; references stay alive. */
GE_C_API GeStatus geModuleAdoptGraph(GeModule *module, GeGraphRef *graph);
/** The graph leaves the module and is a root of its own; references stay alive and keep it. */
GE_C_API GeStatus geModuleDetachGraph(GeModule *module, GeGraphRef *graph);
/** Its references die. GE_ERROR_VALUE inside a transaction. O(size). */
GE_C_API GeStatus geModuleEraseGraph(GeModule *module, GeGraphRef *graph);
GE_C_API size_t geModuleNumAttributes(GeModule *module);
GE_C_API GeStatus geModuleGetAttributeAt(GeModule *module, size_t index, GeNamedAttribute *out);
/** bits == 0 when absent. */
GE_C_API GeStatus geModuleGetAttribute(GeModule *module, GeIdentifier name, GeAttribute *out);
/** bits == 0 removes. */
GE_C_API GeStatus geModuleSetAttribute(GeModule *module, GeIdentifier name, GeAttribute value);
/** A deep copy; tensors are shared. O(size). New reference. */
GE_C_API GeStatus geModuleClone(GeModule *module, GeModule **out);
/** GE_ERROR_VERIFY with all diagnostics. Definitions of operators: geModuleVerifyDefinitions.
 * O(size). */
GE_C_API GeStatus geModuleVerify(GeModule *module);
GE_C_API GeStatus geModuleIsStructurallyEqual(GeModule *a, GeModule *b, bool *out);
GE_C_API void *geModuleGetSlot(GeModule *module);
GE_C_API void geModuleSetSlot(GeModule *module, void *slot);

/* --- Graphs ----------------------------------------------------------------------------------- */

/** A root graph of its own, with an empty NetOutput. */
GE_C_API GeStatus geGraphCreate(GeContext *context, GeStringRef name, GeGraphRef **out);
GE_C_API GeStatus geGraphGetName(GeGraphRef *graph, GeStringRef *out);
GE_C_API GeStatus geGraphSetName(GeGraphRef *graph, GeStringRef name);
/** The role of a subgraph ("then_branch"); empty for roots. */
GE_C_API GeStatus geGraphGetSlotName(GeGraphRef *graph, GeStringRef *out);
/** *out is NULL when there is none. The module is a new reference. */
GE_C_API GeStatus geGraphGetModule(GeGraphRef *graph, GeModule **out);
GE_C_API GeStatus geGraphGetParentNode(GeGraphRef *graph, GeNodeRef **out);
GE_C_API GeStatus geGraphGetRoot(GeGraphRef *graph, GeGraphRef **out);
GE_C_API GeStatus geGraphNumInputs(GeGraphRef *graph, size_t *out);
GE_C_API GeStatus geGraphGetInput(GeGraphRef *graph, size_t index, GeValueRef **out);
/** A ge.Data node at `index` (SIZE_MAX: last); `op` names a variant, NULL for ge.Data. The name is
 * that of node and value; a clash gets `_1`. O(1) at the end, else O(inputs). */
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
/** Empty takes the name away. GE_ERROR_VALUE when another output has it. O(outputs). */
GE_C_API GeStatus geGraphSetOutputName(GeGraphRef *graph, size_t index, GeStringRef name);
/** Names all outputs, or none: GE_ERROR_INDEX unless `count` is the number of outputs,
 * GE_ERROR_VALUE when two names are equal. Empty is not a name. O(outputs). */
GE_C_API GeStatus geGraphSetOutputNames(GeGraphRef *graph, const GeStringRef *names, size_t count);
GE_C_API GeStatus geGraphGetOutputNode(GeGraphRef *graph, GeNodeRef **out);
/** Nodes without Data and NetOutput. */
GE_C_API GeStatus geGraphNumNodes(GeGraphRef *graph, size_t *out);
/** O(distance from the index asked for last). */
GE_C_API GeStatus geGraphGetNode(GeGraphRef *graph, size_t index, GeNodeRef **out);
/** By name in the root graph and all its subgraphs; *out is NULL when there is none. */
GE_C_API GeStatus geGraphFindNode(GeGraphRef *graph, GeStringRef name, GeNodeRef **out);
GE_C_API GeStatus geGraphFindValue(GeGraphRef *graph, GeStringRef name, GeValueRef **out);
/** Nodes of this graph and its subgraphs that their file called so, as geNodeGetOriginalName gives
 * it, each before those inside it: two calls, the first with capacity 0. `out` gets
 * min(capacity, *count) new references. O(nodes). */
GE_C_API GeStatus geGraphFindAllNamed(GeGraphRef *graph, GeStringRef name, GeNodeRef **out,
                                      size_t capacity, size_t *count);
/** Nodes of this graph with that operator, in list order, by an index: two calls, the first with
 * capacity 0. `out` gets min(capacity, *count) new references. O(found log found) after the first
 * call on the root, which is O(nodes). */
GE_C_API GeStatus geGraphFindAll(GeGraphRef *graph, GeOperatorName op, GeNodeRef **out,
                                 size_t capacity, size_t *count);
GE_C_API GeStatus geGraphNumAttributes(GeGraphRef *graph, size_t *out);
GE_C_API GeStatus geGraphGetAttributeAt(GeGraphRef *graph, size_t index, GeNamedAttribute *out);
GE_C_API GeStatus geGraphGetAttribute(GeGraphRef *graph, GeIdentifier name, GeAttribute *out);
GE_C_API GeStatus geGraphSetAttribute(GeGraphRef *graph, GeIdentifier name, GeAttribute value);
/** Makes a stable topological order the list order. GE_ERROR_VERIFY with the cycle as a path of
 * names. O(nodes + edges). */
GE_C_API GeStatus geGraphSort(GeGraphRef *graph);
/** GE_ERROR_VERIFY with all diagnostics. O(nodes + edges). */
GE_C_API GeStatus geGraphVerify(GeGraphRef *graph);
/** A copy as a root of its own, in `context` (NULL: the same). Captured values become inputs.
 * O(size). */
GE_C_API GeStatus geGraphClone(GeGraphRef *graph, GeContext *context, GeGraphRef **out);
/** Nodes nothing depends on. O(nodes). */
GE_C_API GeStatus geGraphEraseDeadNodes(GeGraphRef *graph, size_t *erased);
GE_C_API GeStatus geGraphIsStructurallyEqual(GeGraphRef *a, GeGraphRef *b, bool *out);
GE_C_API GeStatus geGraphStructuralHash(GeGraphRef *graph, uint64_t *out);
/** Grows with every change of the root graph. */
GE_C_API GeStatus geGraphChangeCount(GeGraphRef *graph, uint64_t *out);

/* --- Iteration -------------------------------------------------------------------------------- */

/** A place in a graph's node list that stays right under every edit: erasing or moving any node is
 * safe, nodes inserted behind it are not visited, ahead of it are. Keeps the graph's reference.
 * Destroy it with geCursorDestroy, on any thread. */
GE_C_API GeStatus geCursorCreate(GeGraphRef *graph, bool reverse, GeCursor **out);
/** *out is NULL at the end. GE_ERROR_STALE when the graph is gone. */
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
} GeNodeSpec;

/** Inserted in `graph` before `before` (NULL: at the end). Everything is checked first: on failure
 * nothing changed. References to subgraphs stay alive. O(operands + attributes + nodes of the
 * subgraphs). */
GE_C_API GeStatus geNodeCreate(GeGraphRef *graph, GeNodeRef *before, const GeNodeSpec *spec,
                               GeNodeRef **out);
/** Bound to the root graph of `graph`, in no list. Control inputs must be empty. */
GE_C_API GeStatus geNodeCreateDetached(GeGraphRef *graph, const GeNodeSpec *spec, GeNodeRef **out);
/** Before `before`, or at the end of `graph` when NULL. Also moves a node that is somewhere else in
 * the same root. */
GE_C_API GeStatus geNodeInsert(GeNodeRef *node, GeGraphRef *graph, GeNodeRef *before);
GE_C_API GeStatus geNodeMoveBefore(GeNodeRef *node, GeNodeRef *other);
GE_C_API GeStatus geNodeMoveAfter(GeNodeRef *node, GeNodeRef *other);
GE_C_API GeStatus geNodeDetach(GeNodeRef *node);
/** GE_ERROR_VALUE, naming users, while a result is used; `force` makes those operands absent.
 * O(operands + results + uses dropped + everything inside its subgraphs). */
GE_C_API GeStatus geNodeErase(GeNodeRef *node, bool force);
/** Uses of result i go to values[i] (NULL only where unused), names to what has none, control edges
 * and origins along, then the node is erased. O(uses). */
GE_C_API GeStatus geNodeReplace(GeNodeRef *node, GeValueRef *const *values, size_t count);
/** Copies the nodes of `graph`, a root graph other than that of `before`, in a topological order
 * before that node, with all inside them. inputs[i], NULL for an absent operand, stands for its
 * input i: GE_ERROR_INDEX unless there are as many. Nodes are named `prefix` and their own name;
 * results, origins and the graph's attributes stay behind. `made` is called with each new node, a
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
/** What the file called it, where its reader had to give a unique name; else its name, empty when
 * it has none. Renaming forgets the file's. O(attributes). */
GE_C_API GeStatus geNodeGetOriginalName(GeNodeRef *node, GeStringRef *out);
/** A clash gets `_1`; empty takes the name away. */
GE_C_API GeStatus geNodeSetName(GeNodeRef *node, GeStringRef name);
GE_C_API GeStatus geNodeGetLocation(GeNodeRef *node, GeLocation *out);
GE_C_API GeStatus geNodeSetLocation(GeNodeRef *node, GeLocation location);
/** *out is NULL while detached. */
GE_C_API GeStatus geNodeGetGraph(GeNodeRef *node, GeGraphRef **out);
/** The root graph that it is bound to, also while detached. */
GE_C_API GeStatus geNodeGetRoot(GeNodeRef *node, GeGraphRef **out);
/** Neighbours in the list; *out is NULL at the ends. */
GE_C_API GeStatus geNodeGetNext(GeNodeRef *node, GeNodeRef **out);
GE_C_API GeStatus geNodeGetPrevious(GeNodeRef *node, GeNodeRef **out);
/** List positions; across nesting of the ancestors in the common graph. GE_ERROR_VALUE when there
 * is none. */
GE_C_API GeStatus geNodeIsBefore(GeNodeRef *node, GeNodeRef *other, bool *out);
/** A ge.Data or variant; the NetOutput. */
GE_C_API GeStatus geNodeIsInput(GeNodeRef *node, bool *out);
GE_C_API GeStatus geNodeIsOutput(GeNodeRef *node, bool *out);

GE_C_API GeStatus geNodeNumOperands(GeNodeRef *node, size_t *out);
/** *out is NULL for an absent operand. */
GE_C_API GeStatus geNodeGetOperand(GeNodeRef *node, size_t index, GeValueRef **out);
/** NULL makes it absent. */
GE_C_API GeStatus geNodeSetOperand(GeNodeRef *node, size_t index, GeValueRef *value);
GE_C_API GeStatus geNodeSetOperands(GeNodeRef *node, GeValueRef *const *values, size_t count);
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
/** `node` runs after `input`. An edge that exists is kept once. O(degree). */
GE_C_API GeStatus geNodeAddControlInput(GeNodeRef *node, GeNodeRef *input);
GE_C_API GeStatus geNodeRemoveControlInput(GeNodeRef *node, GeNodeRef *input);

GE_C_API GeStatus geNodeNumSubgraphs(GeNodeRef *node, size_t *out);
GE_C_API GeStatus geNodeGetSubgraph(GeNodeRef *node, size_t index, GeGraphRef **out);
/** A new empty subgraph at the end. */
GE_C_API GeStatus geNodeAddSubgraph(GeNodeRef *node, GeStringRef slot, GeStringRef name,
                                    GeGraphRef **out);
/** Moves a root graph in: its references stay alive. O(its nodes). */
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

GE_C_API GeStatus geNodeIsStructurallyEqual(GeNodeRef *a, GeNodeRef *b, bool *out);
GE_C_API GeStatus geNodeStructuralHash(GeNodeRef *node, uint64_t *out);

/* --- Values ----------------------------------------------------------------------------------- */

GE_C_API GeStatus geValueGetType(GeValueRef *value, GeType *out);
/** The type counts as declared. O(uses) when it changes: types that were inferred from it count as
 * declared until inference confirms them. */
GE_C_API GeStatus geValueSetType(GeValueRef *value, GeType type);
/** Which types of a graph count as inferred, for what keeps graphs as text: text does not say it.
 * `out` is valid until the thread's next call. O(nodes). */
GE_C_API GeStatus geGraphGetTypeSources(GeGraphRef *graph, GeStringRef *out);
/** Of a graph that was read from the other one's text. O(nodes). */
GE_C_API GeStatus geGraphSetTypeSources(GeGraphRef *graph, GeStringRef sources);
/** As geNodeGetOriginalName. */
GE_C_API GeStatus geValueGetOriginalName(GeValueRef *value, GeStringRef *out);
/** Whether inference gave or confirmed the type, for the operands and attributes that the node has;
 * false: it is declared, by a file, a text or a caller. */
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
/** Two calls, the first with capacity 0: most recent use first. `out` gets min(capacity, *count).
 * O(uses). */
GE_C_API GeStatus geValueGetUses(GeValueRef *value, GeUse *out, size_t capacity, size_t *count);
/** All uses but those by the nodes in `except`. O(uses). */
GE_C_API GeStatus geValueReplaceAllUses(GeValueRef *from, GeValueRef *to, GeNodeRef *const *except,
                                        size_t numExcept);

/* --- Transactions ----------------------------------------------------------------------------- */

/** Everything done to the root graph of `graph` from here can be undone. Nested ones close inner
 * first, else GE_ERROR_VALUE. Keeps a reference to the root graph. */
GE_C_API GeStatus geTransactionBegin(GeGraphRef *graph, GeTransaction **out);
/** Each ends it; a second one is GE_ERROR_VALUE. */
GE_C_API GeStatus geTransactionCommit(GeTransaction *transaction);
/** From here until geTransactionDestroy, changes of the root graph are GE_ERROR_VALUE: nothing
 * would undo them. O(edits). */
GE_C_API GeStatus geTransactionRollback(GeTransaction *transaction);
GE_C_API bool geTransactionIsOpen(GeTransaction *transaction);
/** An open one is rolled back first, with all inside it. Accepts NULL. On GE_ERROR_BUSY, which only
 * an open one can give, it still is the caller's. */
GE_C_API GeStatus geTransactionDestroy(GeTransaction *transaction);

GE_C_END

#endif /* GE_C_IR_H */
