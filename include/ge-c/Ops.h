/*===- ge-c/Ops.h - operators: records, schema language, registry, binder -------------------===*\
|*
|* Records. A GeOpDef is immutable and counted; any thread may read it. "New reference":
|* geOpDefRelease. Strings, types, constants and aliases that are read from a record are borrowed
|* and live as long as the record, also after its library was closed.
|*
|* Types of schemas (GeSchemaType) and their strings are never freed; equal types are equal pointers
|* in the whole process.
|*
|* Registries may be used from any thread. Look-ups do not wait for each other.
|*
|* Callbacks must not throw, and must not call into the same registry unless stated otherwise.
|* Since 0.1 unless a function states otherwise.
\*===----------------------------------------------------------------------------------------===*/
#ifndef GE_C_OPS_H
#define GE_C_OPS_H

#include "ge-c/IR.h"

GE_C_BEGIN

typedef const struct GeOpDefStorage *GeOpDef;
typedef const struct GeSchemaTypeStorage *GeSchemaType;
typedef const struct GeConstantStorage *GeConstant;
typedef const struct GeAliasStorage *GeAlias;
typedef struct GeOpSpec GeOpSpec;
typedef struct GeRegistry GeRegistry;
typedef struct GeLibrary GeLibrary;

/* --- Types of parameters and results ---------------------------------------------------------- */

typedef enum GeSchemaTypeKind {
  GE_SCHEMA_ATOM = 0, /**< geSchemaTypeGetName: "Tensor", "int" */
  GE_SCHEMA_OPTIONAL,
  GE_SCHEMA_LIST, /**< geSchemaTypeGetSize: N of T[N], 0 for T[] */
  GE_SCHEMA_TUPLE,
  GE_SCHEMA_DICT,
  GE_SCHEMA_FUTURE,
  GE_SCHEMA_AWAIT,
  GE_SCHEMA_RREF,
  GE_SCHEMA_UNION,
  GE_SCHEMA_CLASS,   /**< geSchemaTypeGetName: the class's full name */
  GE_SCHEMA_VARIABLE /**< geSchemaTypeGetName: "t" */
} GeSchemaTypeKind;

/** "int[2]?". GE_ERROR_OP_SCHEMA with place and caret. O(text). */
GE_C_API GeStatus geSchemaTypeParse(GeStringRef text, GeSchemaType *out);
GE_C_API GeSchemaTypeKind geSchemaTypeGetKind(GeSchemaType type);
/** Canonical text. */
GE_C_API GeStringRef geSchemaTypeStr(GeSchemaType type);
/** Of atoms, classes and variables, else empty. */
GE_C_API GeStringRef geSchemaTypeGetName(GeSchemaType type);
GE_C_API uint32_t geSchemaTypeGetSize(GeSchemaType type);
GE_C_API size_t geSchemaTypeNumElements(GeSchemaType type);
/** NULL when the index is out of range. */
GE_C_API GeSchemaType geSchemaTypeGetElement(GeSchemaType type, size_t index);
/** A parameter of such a type is an operand. */
GE_C_API bool geSchemaTypeContainsTensor(GeSchemaType type);

/* --- Constants: defaults and choices ---------------------------------------------------------- */

typedef enum GeConstantKind {
  GE_CONSTANT_NONE = 0,
  GE_CONSTANT_BOOL,
  GE_CONSTANT_INT,
  GE_CONSTANT_FLOAT,
  GE_CONSTANT_COMPLEX,
  GE_CONSTANT_STR,
  GE_CONSTANT_LIST,
  GE_CONSTANT_IDENT /**< a word: text, and PyTorch's number for it (-1: none) */
} GeConstantKind;

typedef struct GeConstantValue {
  size_t size GE_SIZE_OF(GeConstantValue);
  GeConstantKind kind;
  int64_t integer; /**< bool, int, ident */
  double real;     /**< float, complex */
  double imaginary;
  GeStringRef text; /**< str, ident */
  size_t numItems;  /**< list */
} GeConstantValue;

GE_C_API GeStatus geConstantGet(GeConstant constant, GeConstantValue *out);
GE_C_API GeStatus geConstantGetItem(GeConstant constant, size_t index, GeConstant *out);
/** The element type that a constant of type ScalarType means. GE_ERROR_VALUE for another one. */
GE_C_API GeStatus geConstantGetDType(GeConstant constant, GeDType *out);
GE_C_API void geConstantPrint(GeConstant constant, GeStringCallback callback, void *userData);

/* --- Aliases ---------------------------------------------------------------------------------- */

/** `Tensor(a! -> b|c)`; "*" is the wildcard. Without an arrow `after` is `before`. */
GE_C_API size_t geAliasNumBefore(GeAlias alias);
GE_C_API GeStringRef geAliasGetBefore(GeAlias alias, size_t index);
GE_C_API size_t geAliasNumAfter(GeAlias alias);
GE_C_API GeStringRef geAliasGetAfter(GeAlias alias, size_t index);
GE_C_API bool geAliasIsWrite(GeAlias alias);
/** Aliases of the elements of a list, tuple or dictionary. */
GE_C_API size_t geAliasNumContained(GeAlias alias);
GE_C_API GeAlias geAliasGetContained(GeAlias alias, size_t index);

/* --- Records ---------------------------------------------------------------------------------- */

typedef enum GeOpTrait {
  GE_TRAIT_COMMUTATIVE = 1,
  GE_TRAIT_PURE = 2,
  GE_TRAIT_ELEMENTWISE = 4,
  GE_TRAIT_NONDETERMINISTIC = 8,
  GE_TRAIT_CONTROL_FLOW = 16,
  GE_TRAIT_EXPERIMENTAL = 32,
  GE_TRAIT_FUNCTION = 64 /**< defined by a body of other operators of its set */
} GeOpTrait;

typedef struct GeOpInfo {
  size_t size GE_SIZE_OF(GeOpInfo);
  GeStringRef ns, name, overload; /**< overload is empty when there is none */
  uint32_t since;                 /**< opset version it came with; 0: none */
  GeStringRef doc;
  GeStringRef sourceFile;
  uint32_t sourceLine; /**< 0: unknown */
  uint32_t traits;     /**< GeOpTrait, or-ed */
  bool vararg, varret; /**< `...` */
  bool deprecated;
  GeStringRef deprecation; /**< what to use instead; may be empty */
  size_t numParams, numResults, numTypeVars;
  size_t numOperands;   /**< the others are attributes */
  size_t numPositional; /**< parameters before the keyword-only ones */
  /** Whether the flat list of a node's operands (results) does not say how many belong to each
   * parameter, so that a node needs GeNodeSpec.operandSegments (resultSegments). */
  bool hasOperandChoice, hasResultChoice;
} GeOpInfo;

/** Description of a parameter or result. */
typedef struct GeSlotInfo {
  size_t size GE_SIZE_OF(GeSlotInfo);
  GeStringRef name; /**< a result's may be empty */
  GeSchemaType type;
  GeAlias alias; /**< NULL: none */
  GeStringRef doc;
  bool hidden;
  bool isTensor;     /**< a parameter: it is an operand */
  bool isVariadic;   /**< a list of tensors */
  bool homogeneous;  /**< a variadic one: all of one type */
  uint32_t minCount; /**< of a variadic one */
  uint32_t length;   /**< N of T[N]; 0: none */
  int32_t typeVar;   /**< index of a type variable; -1: unconstrained */
} GeSlotInfo;

/** Further description of a parameter. */
typedef struct GeParamInfo {
  size_t size GE_SIZE_OF(GeParamInfo);
  bool kwOnly;
  GeConstant defaultValue; /**< NULL: required */
  GeStringRef defaultText; /**< the source text; may be empty */
  size_t numChoices;       /**< 0: anything of the type */
  bool hasRange;
  double low, high; /**< infinite: no bound */
  bool isLowOpen;   /**< the bound is outside of the range itself */
  bool isHighOpen;
} GeParamInfo;

/** "control_flow"; empty for what is not a trait. */
GE_C_API GeStringRef geOpTraitName(GeOpTrait trait);
GE_C_API void geOpDefRetain(GeOpDef op);
GE_C_API void geOpDefRelease(GeOpDef op);
GE_C_API GeStatus geOpDefGetInfo(GeOpDef op, GeOpInfo *out);
/** Either of `slot` and `info` may be NULL. */
GE_C_API GeStatus geOpDefGetParam(GeOpDef op, size_t index, GeSlotInfo *slot, GeParamInfo *info);
GE_C_API GeStatus geOpDefGetChoice(GeOpDef op, size_t param, size_t index, GeConstant *out);
GE_C_API GeStatus geOpDefGetResult(GeOpDef op, size_t index, GeSlotInfo *out);
/** Name, doc and the number of allowed types of a type variable. */
GE_C_API GeStatus geOpDefGetTypeVar(GeOpDef op, size_t index, GeStringRef *name, GeStringRef *doc,
                                    size_t *numAllowed);
/** "tensor(float)", "seq(tensor(int64))". */
GE_C_API GeStatus geOpDefGetAllowedType(GeOpDef op, size_t typeVar, size_t index, GeStringRef *out);
/** The parameter's index of operand (attribute) `index`. */
GE_C_API GeStatus geOpDefGetOperand(GeOpDef op, size_t index, size_t *param);
GE_C_API GeStatus geOpDefGetAttribute(GeOpDef op, size_t index, size_t *param);
/** -1: no parameter (result) of that name. O(parameters). */
GE_C_API int64_t geOpDefFindParam(GeOpDef op, GeStringRef name);
GE_C_API int64_t geOpDefFindResult(GeOpDef op, GeStringRef name);
/** One pointer for a language binding's wrapper of the record; initially NULL. The destructor is
 * called for a slot that is set when its record is destroyed, on that thread; set it once. */
GE_C_API void *geOpDefGetSlot(GeOpDef op);
GE_C_API void geOpDefSetSlot(GeOpDef op, void *slot);
GE_C_API void geOpDefSetSlotDestructor(void (*destroy)(void *slot));

/* --- The schema language ---------------------------------------------------------------------- */

typedef enum GeSchemaStyle {
  GE_SCHEMA_CANONICAL = 0, /**< parsing it and printing again gives the same text */
  GE_SCHEMA_TORCH          /**< as PyTorch prints */
} GeSchemaStyle;

/** Parses a schema into a record that is not registered. New reference. GE_ERROR_OP_SCHEMA with
 * location and caret. `file` and `line`: location of the text ("" and 0: none). O(text). */
GE_C_API GeStatus geOpDefParse(GeStringRef text, GeStringRef file, uint32_t line, GeOpDef *out);
/** Parses a schema, or only a name: then *out is NULL, and `ns`, `name` and `overload` are set. */
GE_C_API GeStatus geOpDefParseOrName(GeStringRef text, GeStringRef file, uint32_t line,
                                     GeOpDef *out, GeStringRef *ns, GeStringRef *name,
                                     GeStringRef *overload);
GE_C_API GeStatus geOpDefPrint(GeOpDef op, GeSchemaStyle style, GeStringCallback callback,
                               void *userData);
/** Prints one parameter as in the schema. */
GE_C_API GeStatus geOpDefPrintParam(GeOpDef op, size_t index, GeSchemaStyle style,
                                    GeStringCallback callback, void *userData);

/* --- Building records ------------------------------------------------------------------------- */

/** Creates a builder of a record from schema text; the functions below add what a schema cannot
 * express. Owned by the caller: geOpSpecDestroy, unless geOpSpecFinish or geLibraryDefineSpec took
 * it. One thread at a time. */
GE_C_API GeStatus geOpSpecCreate(GeStringRef schema, GeStringRef file, uint32_t line,
                                 GeOpSpec **out);
GE_C_API void geOpSpecDestroy(GeOpSpec *spec);
GE_C_API GeStatus geOpSpecSetDoc(GeOpSpec *spec, GeStringRef doc);
GE_C_API GeStatus geOpSpecSetSince(GeOpSpec *spec, uint32_t since);
GE_C_API GeStatus geOpSpecSetTraits(GeOpSpec *spec, uint32_t traits);
GE_C_API GeStatus geOpSpecSetDeprecated(GeOpSpec *spec, bool deprecated, GeStringRef instead);
/** The index of the new type variable goes to `out`. An allowed type is the name of an element type
 * ("f32"), which means tensors of it, or as ONNX writes it: "tensor(float)", "seq(tensor(int64))".
 */
GE_C_API GeStatus geOpSpecAddTypeVar(GeOpSpec *spec, GeStringRef name, const GeStringRef *allowed,
                                     size_t numAllowed, GeStringRef doc, int32_t *out);
/** Properties of a parameter or result (isResult) that its schema does not contain. */
typedef struct GeSlotExtra {
  size_t size GE_SIZE_OF(GeSlotExtra);
  GeStringRef doc;
  bool hidden;
  bool homogeneous;
  uint32_t minCount;
  int32_t typeVar;
} GeSlotExtra;
GE_C_API GeStatus geOpSpecSetSlot(GeOpSpec *spec, bool isResult, size_t index,
                                  const GeSlotExtra *extra);
/** Choices as schema text: "['linear', 'cubic']". */
GE_C_API GeStatus geOpSpecSetChoices(GeOpSpec *spec, size_t param, GeStringRef choices);
/** Of the numbers in an attribute; an infinite bound: none on that side, an open one is outside of
 * the range itself. GE_ERROR_VALUE for an empty range; geOpSpecFinish refuses a default outside. */
GE_C_API GeStatus geOpSpecSetRange(GeOpSpec *spec, size_t param, double low, double high,
                                   bool isLowOpen, bool isHighOpen);
/** Checks and creates the record; takes ownership of `spec`, also on failure. New reference. */
GE_C_API GeStatus geOpSpecFinish(GeOpSpec *spec, GeOpDef *out);

/* --- Registry --------------------------------------------------------------------------------- */

#define GE_OPSET_NEWEST UINT32_MAX

/** The registry of the process with the operators of GE. Borrowed; never freed. */
GE_C_API GeRegistry *geRegistryGlobal(void);
/** An empty registry. New reference: geRegistryRelease. Its open libraries keep it alive. */
GE_C_API GeStatus geRegistryCreate(GeRegistry **out);
GE_C_API void geRegistryRetain(GeRegistry *registry);
GE_C_API void geRegistryRelease(GeRegistry *registry);
/** Counter that each change increments; caches of look-ups compare it. */
GE_C_API uint64_t geRegistryGeneration(GeRegistry *registry);

/** The newest record whose `since` is at most `opset`: new reference, NULL when there is none. The
 * first look-up in a namespace indexes it: O(its records). */
GE_C_API GeStatus geRegistryFind(GeRegistry *registry, GeStringRef ns, GeStringRef name,
                                 GeStringRef overload, uint32_t opset, GeOpDef *out);
/** "onnx::Conv", "aten::add.Tensor", "onnx.Conv". New reference. GE_ERROR_KEY with similar names,
 * or with the existing versions or overloads. */
GE_C_API GeStatus geRegistryGet(GeRegistry *registry, GeStringRef qualifiedName, uint32_t opset,
                                GeOpDef *out);
/** All overloads at that opset, in registration order: `out` receives new references to the first
 * `capacity`, `count` their number. */
GE_C_API GeStatus geRegistryOverloads(GeRegistry *registry, GeStringRef ns, GeStringRef name,
                                      uint32_t opset, GeOpDef *out, size_t capacity, size_t *count);
/** All versions of an overload, oldest first; as geRegistryOverloads. */
GE_C_API GeStatus geRegistryVersions(GeRegistry *registry, GeStringRef ns, GeStringRef name,
                                     GeStringRef overload, GeOpDef *out, size_t capacity,
                                     size_t *count);
typedef struct GeOpKey {
  size_t size GE_SIZE_OF(GeOpKey);
  GeStringRef ns, name, overload;
  uint32_t since;
} GeOpKey;
/** Lists the keys of all records of a namespace (empty: of all), sorted, without creating the
 * records. The callback may use the registry. O(n log n). */
GE_C_API GeStatus geRegistryList(GeRegistry *registry, GeStringRef ns,
                                 void (*callback)(const GeOpKey *key, void *userData),
                                 void *userData);
/** Sorted names, one call each. */
GE_C_API GeStatus geRegistryNamespaces(GeRegistry *registry, GeStringCallback callback,
                                       void *userData);
/** Names similar to an unknown one, the most similar first, one call each. O(namespace). */
GE_C_API GeStatus geRegistrySuggestions(GeRegistry *registry, GeStringRef ns, GeStringRef name,
                                        GeStringCallback callback, void *userData);

/* --- Libraries -------------------------------------------------------------------------------- */

typedef enum GeLibraryKind {
  GE_LIBRARY_DEF = 0,  /**< the home of a namespace: one for each */
  GE_LIBRARY_FRAGMENT, /**< adds to a namespace that another library may own */
  GE_LIBRARY_IMPL      /**< kernels only */
} GeLibraryKind;

/** Opens a library: a removable set of definitions. New: geLibraryRelease. GE_ERROR_OP_SCHEMA for a
 * second DEF of a namespace, with both locations. `file` and `line`: its location. */
GE_C_API GeStatus geLibraryOpen(GeRegistry *registry, GeLibraryKind kind, GeStringRef ns,
                                GeStringRef file, uint32_t line, GeLibrary **out);
/** Removes the library's definitions; idempotent. Referenced records stay valid. */
GE_C_API GeStatus geLibraryClose(GeLibrary *library);
/** Closes the library and releases the reference. */
GE_C_API void geLibraryRelease(GeLibrary *library);
GE_C_API bool geLibraryIsClosed(GeLibrary *library);
GE_C_API GeLibraryKind geLibraryGetKind(GeLibrary *library);
/** Lives as long as the library. */
GE_C_API GeStringRef geLibraryGetNamespace(GeLibrary *library);
/** From schema text, with or without "ns::". New reference; `out` may be NULL. */
GE_C_API GeStatus geLibraryDefine(GeLibrary *library, GeStringRef schema, GeStringRef doc,
                                  GeStringRef file, uint32_t line, GeOpDef *out);
/** Takes ownership of `spec`, also on failure. New reference; `out` may be NULL. */
GE_C_API GeStatus geLibraryDefineSpec(GeLibrary *library, GeOpSpec *spec, GeOpDef *out);
/** Defines every REG_OP prototype of C++ header text that can be read; `defined` receives their
 * number. Unreadable and already defined prototypes are reported and skipped. O(text). */
GE_C_API GeStatus geLibraryDefineRegOps(GeLibrary *library, GeStringRef text, GeStringRef file,
                                        void (*report)(const GeDiagnostic *diagnostic,
                                                       void *userData),
                                        void *userData, size_t *defined);

/* --- Binder ----------------------------------------------------------------------------------- */

typedef enum GeArgKind {
  GE_ARG_NONE = 0,
  GE_ARG_BOOL,
  GE_ARG_INT,
  GE_ARG_FLOAT,
  GE_ARG_COMPLEX,
  GE_ARG_STR,
  GE_ARG_BYTES,
  GE_ARG_VALUE, /**< a value of a graph, or a tensor in a call */
  GE_ARG_ARRAY, /**< constant data */
  GE_ARG_DTYPE,
  GE_ARG_GRAPH, /**< a graph, or what makes one */
  GE_ARG_LIST,
  GE_ARG_TUPLE,
  GE_ARG_DICT, /**< 2n items: key, value, key, ... */
  GE_ARG_OBJECT
} GeArgKind;

/** An argument: an opaque word that only its GeArgView interprets. */
typedef const void *GeArg;

/** Callbacks with which the binder inspects arguments. They are called only until the binder
 * returns, may use this API, and report failure by the negative result. */
typedef struct GeArgView {
  size_t size GE_SIZE_OF(GeArgView);
  void *userData;
  GeArgKind (*kind)(void *userData, GeArg arg);
  size_t (*length)(void *userData, GeArg arg); /**< list, tuple, dict */
  GeArg (*item)(void *userData, GeArg arg, size_t index);
  /** Of an int, and of a bool 0 or 1. False when it does not fit 64 bits. */
  bool (*intValue)(void *userData, GeArg arg, int64_t *out);
  /** Of a float, and of an int that does not fit 64 bits: infinite if no float can hold it. */
  double (*floatValue)(void *userData, GeArg arg);
  GeStringRef (*strValue)(void *userData, GeArg arg);
  /** Whether an object can stand for a class, Generator, Device, ... */
  bool (*isInstance)(void *userData, GeArg arg, GeSchemaType type);
  /** For messages: "str 'x'", "list of 3". */
  void (*describe)(void *userData, GeArg arg, GeStringCallback callback, void *callbackData);
} GeArgView;

typedef struct GeKeyword {
  GeStringRef name;
  GeArg value;
} GeKeyword;

typedef enum GeArgSource { GE_FROM_DEFAULT = 0, GE_FROM_POSITIONAL, GE_FROM_KEYWORD } GeArgSource;

typedef enum GeConversion {
  GE_CONVERT_NOT = 0, /**< of the type already; a list: each element to the element type */
  GE_CONVERT_ABSENT,  /**< None for `T?` */
  GE_CONVERT_BOOL_TO_INT,
  GE_CONVERT_TO_FLOAT,
  GE_CONVERT_TO_COMPLEX,
  GE_CONVERT_REPEAT,       /**< one element for `T[N]` */
  GE_CONVERT_TO_CONSTANT,  /**< a number, list or array for `Tensor` */
  GE_CONVERT_NAME_TO_DTYPE /**< "f32" for ScalarType */
} GeConversion;

typedef struct GeBoundArg {
  uint8_t source;     /**< GeArgSource */
  uint8_t conversion; /**< GeConversion */
  uint32_t index;     /**< among the positional arguments or the keywords */
} GeBoundArg;

typedef struct GeBindOptions {
  size_t size GE_SIZE_OF(GeBindOptions);
  bool strict;    /**< no bool -> int, no repeating for `T[N]`, lengths of lists checked */
  bool constants; /**< for a node: numbers, arrays and lists of them are taken for `Tensor`, and
                     operands that no node can hold are refused */
} GeBindOptions;

typedef enum GeBindFaultKind {
  GE_FAULT_NONE = 0,
  GE_FAULT_UNKNOWN_KEYWORD,
  GE_FAULT_TWICE,
  GE_FAULT_KEYWORD_ONLY,
  GE_FAULT_TOO_MANY,
  GE_FAULT_MISSING,
  GE_FAULT_TYPE,
  GE_FAULT_NO_OVERLOAD
} GeBindFaultKind;

/** Strings live until the next call on the thread that returns a string. */
typedef struct GeBindFault {
  size_t size GE_SIZE_OF(GeBindFault);
  GeBindFaultKind kind;
  GeStringRef argument; /**< the parameter or keyword; empty: none */
  GeStringRef reason;   /**< "unexpected keyword 'axis' (did you mean 'dim'?)" */
} GeBindFault;

/** Binds arguments to parameters: fills `out[i]` for parameter i; `capacity` is at least the
 * number of parameters, else GE_ERROR_VALUE. Positional arguments from numPositional on are the
 * varargs of a vararg operator. A fault is GE_ERROR_TYPE, whose message has operator, reason and
 * schema; it is written to `fault`, which may be NULL. O(parameters * (keywords + 1) +
 * elements). */
GE_C_API GeStatus geOpDefBind(GeOpDef op, const GeArgView *view, const GeArg *positional,
                              size_t numPositional, const GeKeyword *keywords, size_t numKeywords,
                              const GeBindOptions *options, GeBoundArg *out, size_t capacity,
                              GeBindFault *fault);
/** Selects the first of `ops` that binds; `chosen` is its index. A fault has all reasons. */
GE_C_API GeStatus geOpDefResolve(const GeOpDef *ops, size_t numOps, const GeArgView *view,
                                 const GeArg *positional, size_t numPositional,
                                 const GeKeyword *keywords, size_t numKeywords,
                                 const GeBindOptions *options, GeBoundArg *out, size_t capacity,
                                 size_t *chosen, GeBindFault *fault);
/** The process-wide default for GeBindOptions.strict: GE_OPS_STRICT=1 at the first query, or the
 * last value set. The binder itself only reads its options. */
GE_C_API bool geOpsGetStrict(void);
GE_C_API void geOpsSetStrict(bool strict);

/* --- Inference and evaluation from outside ---------------------------------------------------- */

/** An operator applied to operands; everything in it is borrowed for the call. */
typedef struct GeOpCall {
  size_t size GE_SIZE_OF(GeOpCall); /**< of what the library gives */
  GeContext *context;
  GeOperatorName name;
  GeOpDef op;     /**< NULL: not registered */
  uint32_t opset; /**< of its domain; 0: unknown */
  size_t numOperands;
  const GeType *operandTypes;        /**< NULL where the operand is absent */
  GeTensor *const *operandConstants; /**< NULL where the operand is absent or not constant */
  size_t numAttributes;
  const GeNamedAttribute *attributes;
  size_t numSubgraphs;
  GeGraphRef *const *subgraphs;
  const GeStringRef *subgraphSlots; /**< the attribute that each subgraph is */
  size_t numResults;
  GeStringRef nodeName; /**< for messages; empty: not known, or there is no node */
  /** For evaluators: what is known of the results, numResults entries, NULL where nothing is. For
   * inferrers NULL. */
  const GeType *resultTypes;
  /** For inferrers, preset to false: true says that the answer depends on nothing but types,
   * attributes and subgraphs, so that it may be used again for other constants. NULL for
   * evaluators.
   */
  bool *byTypes;
  /** The length of each operand parameter and of each result; NULL where the record implies them,
   * or they are unknown. */
  const int32_t *operandSegments;
  size_t numOperandSegments;
  const int32_t *resultSegments;
  size_t numResultSegments;
} GeOpCall;

/** Infers types of operators for which GE has no inference. Called on any thread, concurrently. A
 * call may read the operator's graph; changing it is GE_ERROR_BUSY. It reports invalid operands
 * with GE_ERROR_VERIFY and a message (geErrorSet); other errors are returned by the function that
 * started the inference. */
typedef struct GeInferrer {
  size_t size GE_SIZE_OF(GeInferrer);
  GeStringRef name; /**< the name in geOpsInferrerUses; copied */
  void *userData;
  /** `results`: numResults entries, preset to the unknown type. `known` is preset to true; false:
   * it does not support this operator. */
  GeStatus (*infer)(void *userData, const GeOpCall *call, GeType *results, bool *known);
  void (*release)(void *userData); /**< after the last call; may be NULL */
} GeInferrer;

/** Appends a copy of the table. `token` removes it; it is released after its last call has
 * returned. */
GE_C_API GeStatus geOpsAddInferrer(const GeInferrer *inferrer, uint64_t *token);
GE_C_API void geOpsRemoveInferrer(uint64_t token);
/** Counts of calls and of supported operators since the start of the process; sorted by inferrer
 * and operator. */
GE_C_API GeStatus geOpsInferrerUses(void (*callback)(GeStringRef inferrer, GeStringRef op,
                                                     uint64_t asked, uint64_t answered,
                                                     void *userData),
                                    void *userData);

/** Computes results of operators whose operands are all constant (operandConstants). A call that
 * fails with GE_ERROR_VERIFY and a message (geErrorSet) leaves the operator unchanged; a pass
 * reports the message as a remark, each text once, as for a result whose type contradicts
 * resultTypes. Other errors end the pass and the run. Nodes that fail verification or type
 * inference are not evaluated. */
typedef struct GeEvaluator {
  size_t size GE_SIZE_OF(GeEvaluator);
  void *userData;
  /** `results`: numResults entries, preset to NULL, to be filled with new references. */
  GeStatus (*evaluate)(void *userData, const GeOpCall *call, GeTensor **results, bool *known);
  void (*release)(void *userData); /**< after the last call; may be NULL */
  /** Returns whether its own implementation of this operator takes precedence over a kernel in C
   * for the CPU. NULL: it does for no operator. Called from any thread. */
  bool (*prefers)(void *userData, GeOperatorName op);
} GeEvaluator;

/** Replaces the evaluator by a copy of the table. NULL removes it. */
GE_C_API GeStatus geOpsSetEvaluator(const GeEvaluator *evaluator);
GE_C_API bool geOpsHasEvaluator(void);
/** Calls the installed evaluator: the `numResults` results are new references. `known` is false,
 * and the results are NULL, when there is none or it does not support this operator; its errors are
 * returned. GE_ERROR_VERIFY also when a result does not have the type that GE infers,
 * GE_ERROR_MODEL when it fails and the file of an operand has changed on disk. Absent operands are
 * NULL. The tensors' data is not copied. */
GE_C_API GeStatus geOpsEvaluate(GeOperatorName op, uint32_t opset, GeTensor *const *operands,
                                size_t numOperands, const GeNamedAttribute *attributes,
                                size_t numAttributes, GeTensor **results, size_t numResults,
                                bool *known);

/* --- Domains on demand ------------------------------------------------------------------------ */

/** May define the operators of a domain: installs a vendor's package, opens a library. */
typedef void (*GeDomainLoader)(GeStringRef domain, void *userData);
/** Replaces the process-wide loader; NULL: none. It is called for an operator without a record in
 * geGraphInferTypes, geGraphVerifyDefinitions, geGraphLoadDomains, the text parser or the ONNX
 * reader: once for each domain, on their thread, without a lock and, but in a pass, before access
 * to the graph is acquired: it may use this API. It returns no status: a domain that cannot be
 * loaded stays unregistered, and the loader reports the reason itself. A thread that needs a domain
 * while another one loads it also calls the loader, which should wait for the first call without
 * holding a lock that the first needs. It is called for at most 4096 domains. A call of the
 * previous loader may still run when this returns. */
GE_C_API GeStatus geOpsSetDomainLoader(GeDomainLoader load, void *userData);

/* --- Building --------------------------------------------------------------------------------- */

/** Creates a node of a registered operator, with inferred result types (unknown ones for a node
 * with subgraphs: see geNodeInferTypes). `spec->resultTypes` may be NULL or have NULL entries; a
 * type there is declared, and met with the inferred one (geTypeMeet). controlInputs is ignored. The
 * node is inserted before `before`, or at the end of `graph`; `graph` NULL, for a node without
 * subgraphs: the innermost graph of the operands. `opset` 0: the record's. GE_ERROR_VERIFY, without
 * changes, when the operands do not fit the record or each other, a declared type contradicts the
 * inferred one, or an operand is not visible in `graph`. A subgraph's slot is its attribute's name.
 * `results`: new references. O(operands + attributes + nodes of the subgraphs). */
GE_C_API GeStatus geNodeBuild(GeGraphRef *graph, GeNodeRef *before, GeOpDef op, uint32_t opset,
                              const GeNodeSpec *spec, GeValueRef **results);
/** Combines two types of one value into the most precise type: static before symbolic before
 * unknown sizes; symbols and layout of the first. GE_ERROR_VERIFY when they contradict each other,
 * GE_ERROR_VALUE when they are of different contexts. The type belongs to the context. O(rank). */
GE_C_API GeStatus geTypeMeet(GeType first, GeType second, GeType *out);

/** Infers and sets the result types of a node of that operator, as geNodeBuild does for one without
 * subgraphs. GE_ERROR_VERIFY, without changes, when the operands do not fit. */
GE_C_API GeStatus geNodeInferTypes(GeNodeRef *node, GeOpDef op, uint32_t opset);
/** The same with the registered record of the node's operator, at the graph's opset. Sets nothing,
 * and is not an error, where there is none. */
GE_C_API GeStatus geNodeInferRegistered(GeNodeRef *node);
/** Checks one node against its registered record, as geGraphVerifyDefinitions does, but for its
 * subgraphs: GE_ERROR_VERIFY with the first fault. O(parameters + edges). */
GE_C_API GeStatus geNodeVerifyDefinition(GeNodeRef *node);
/** Whether two references are into one root graph. Dead or alive. */
GE_C_API bool geRefHasSameRoot(const GeRef *a, const GeRef *b);
/** The graph that the value's node is in, NULL while it is detached. New reference. */
GE_C_API GeStatus geValueGetGraph(GeValueRef *value, GeGraphRef **out);

/* --- Graphs ----------------------------------------------------------------------------------- */

/** Callbacks for the findings of an analysis of a graph. Called after it, once for each finding;
 * each may be NULL. */
typedef struct GeOpReport {
  size_t size GE_SIZE_OF(GeOpReport);
  void *userData;
  /** An operator without a definition (or inference), and its number of nodes; sorted. */
  void (*unknownOperator)(GeStringRef op, uint64_t nodes, void *userData);
  void (*diagnostic)(const GeDiagnostic *diagnostic, void *userData);
  /** An operator whose types a GeInferrer inferred, and its number of nodes; sorted. */
  void (*fallbackOperator)(GeStringRef op, uint64_t nodes, void *userData);
} GeOpReport;

typedef struct GeInferCounts {
  size_t size GE_SIZE_OF(GeInferCounts);
  uint64_t nodes;      /**< that have results */
  uint64_t inferred;   /**< all of whose results have a type of known rank afterwards */
  uint64_t unknown;    /**< the others */
  uint64_t byFallback; /**< whose types a GeInferrer inferred */
  uint64_t changed;    /**< values whose type was set */
} GeInferCounts;

/** Infers and sets types of all values, into subgraphs; types only become more precise. Invalid
 * nodes are reported and stay unchanged. `opset` of ONNX's operators; 0: that of the graph or
 * module, else the newest. `report` may be NULL. O(nodes + edges). */
GE_C_API GeStatus geGraphInferTypes(GeGraphRef *graph, uint32_t opset, const GeOpReport *report,
                                    GeInferCounts *out);
/** Called for a value whose declared type native inference contradicts; borrowed while it runs. */
typedef void (*GeTypeDispute)(GeValueRef *value, GeStringRef what, void *userData);
/** Compares declared types with inferred ones without changes; `callback` receives the differing
 * values of `graph` and its subgraphs, in order, with a description. Rules that inspect such a type
 * do not match. O(nodes + edges). */
GE_C_API GeStatus geGraphFindTypeDisputes(GeGraphRef *graph, GeTypeDispute callback,
                                          void *userData);
/** Calls the domain loader (geOpsSetDomainLoader), if any, for the domains of operators without a
 * record. geGraphInferTypes and geGraphVerifyDefinitions do this first; a caller that acquires
 * access to the graph around those calls this before. O(nodes). */
GE_C_API GeStatus geGraphLoadDomains(GeGraphRef *graph);
/** Checks each node, into subgraphs, against its definition; nodes without one are reported but
 * valid, an operator newer than the opset is an error. GE_ERROR_VERIFY, up to 10,000 errors;
 * warnings are reported. O(nodes * parameters). */
GE_C_API GeStatus geGraphVerifyDefinitions(GeGraphRef *graph, uint32_t opset,
                                           const GeOpReport *report);
/** Checks all graphs of a module, each with the opsets that it or the module imports. */
GE_C_API GeStatus geModuleVerifyDefinitions(GeModule *module, const GeOpReport *report);

GE_C_END

#endif /* GE_C_OPS_H */
