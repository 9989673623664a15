/*===- ge-c/Ops.h - operators: records, schema language, registry, binder -------------------===*\
|*
|* Records. A GeOpDef is immutable and counted; any thread may read it. "New reference": give it
|* back with geOpDefRelease. All that is read from one (strings, types, constants, aliases) is
|* borrowed and lives as long as the record, also after its library was closed.
|*
|* Types of schemas (GeSchemaType) and none of their strings are ever freed; equal types are equal
|* pointers in the whole process.
|*
|* Registries may be used from any thread. Look-ups do not wait for each other.
|*
|* Callbacks may not throw, and must not call back into the same registry unless said otherwise.
|* Since 0.1 but where a function says so.
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
/** NULL when there is none at that index. */
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
/** Those of the elements of a list, tuple or dictionary. */
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
} GeOpInfo;

/** What a parameter and a result have. */
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

/** What only a parameter has. */
typedef struct GeParamInfo {
  size_t size GE_SIZE_OF(GeParamInfo);
  bool kwOnly;
  GeConstant defaultValue; /**< NULL: required */
  GeStringRef defaultText; /**< as it was written; may be empty */
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
/** One pointer for a language binding's object of the record. NULL at first. The destructor is
 * called for each slot that is set when its record dies, on that thread; set it once. */
GE_C_API void *geOpDefGetSlot(GeOpDef op);
GE_C_API void geOpDefSetSlot(GeOpDef op, void *slot);
GE_C_API void geOpDefSetSlotDestructor(void (*destroy)(void *slot));

/* --- The schema language ---------------------------------------------------------------------- */

typedef enum GeSchemaStyle {
  GE_SCHEMA_CANONICAL = 0, /**< parsing it and printing again gives the same text */
  GE_SCHEMA_TORCH          /**< as PyTorch prints */
} GeSchemaStyle;

/** A record of its own, not registered. New reference. GE_ERROR_OP_SCHEMA with place, line and
 * caret. `file` and `line` say where the text stands ("" and 0: nowhere). O(text). */
GE_C_API GeStatus geOpDefParse(GeStringRef text, GeStringRef file, uint32_t line, GeOpDef *out);
/** The same, or a name alone: then *out is NULL, and the parts are given. */
GE_C_API GeStatus geOpDefParseOrName(GeStringRef text, GeStringRef file, uint32_t line,
                                     GeOpDef *out, GeStringRef *ns, GeStringRef *name,
                                     GeStringRef *overload);
GE_C_API GeStatus geOpDefPrint(GeOpDef op, GeSchemaStyle style, GeStringCallback callback,
                               void *userData);
/** One parameter as it stands in the schema. */
GE_C_API GeStatus geOpDefPrintParam(GeOpDef op, size_t index, GeSchemaStyle style,
                                    GeStringCallback callback, void *userData);

/* --- Making records --------------------------------------------------------------------------- */

/** A record in the making, from schema text; the functions below add what a schema does not say.
 * Owned by the caller: geOpSpecDestroy, unless geOpSpecFinish or geLibraryDefineSpec took it. One
 * thread at a time. */
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
/** What a parameter or result (isResult) has beside its schema. */
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
/** Checks it and makes the record; takes `spec` in any case. New reference. */
GE_C_API GeStatus geOpSpecFinish(GeOpSpec *spec, GeOpDef *out);

/* --- Registry --------------------------------------------------------------------------------- */

#define GE_OPSET_NEWEST UINT32_MAX

/** The process's own, which has the operators that ship with GE. Borrowed; never dies. */
GE_C_API GeRegistry *geRegistryGlobal(void);
/** An empty one: new reference, geRegistryRelease. Its open libraries keep it alive. */
GE_C_API GeStatus geRegistryCreate(GeRegistry **out);
GE_C_API void geRegistryRetain(GeRegistry *registry);
GE_C_API void geRegistryRelease(GeRegistry *registry);
/** Grows with every change; caches of look-ups compare it. */
GE_C_API uint64_t geRegistryGeneration(GeRegistry *registry);

/** The newest record whose `since` is at most `opset`: new reference, NULL when there is none. The
 * first look-up in a namespace indexes it: O(its records). */
GE_C_API GeStatus geRegistryFind(GeRegistry *registry, GeStringRef ns, GeStringRef name,
                                 GeStringRef overload, uint32_t opset, GeOpDef *out);
/** "onnx::Conv", "aten::add.Tensor", "onnx.Conv". New reference. GE_ERROR_KEY with what is near, or
 * the versions or overloads there are. */
GE_C_API GeStatus geRegistryGet(GeRegistry *registry, GeStringRef qualifiedName, uint32_t opset,
                                GeOpDef *out);
/** New references of all overloads at that opset, in registration order, to the first `capacity`
 * places of `out`; how many there are to `count`. */
GE_C_API GeStatus geRegistryOverloads(GeRegistry *registry, GeStringRef ns, GeStringRef name,
                                      uint32_t opset, GeOpDef *out, size_t capacity, size_t *count);
/** The same of all versions of one, oldest first. */
GE_C_API GeStatus geRegistryVersions(GeRegistry *registry, GeStringRef ns, GeStringRef name,
                                     GeStringRef overload, GeOpDef *out, size_t capacity,
                                     size_t *count);
typedef struct GeOpKey {
  size_t size GE_SIZE_OF(GeOpKey);
  GeStringRef ns, name, overload;
  uint32_t since;
} GeOpKey;
/** Every record of a namespace (empty: of all) sorted by the four, without making it. May call
 * anything. O(n log n). */
GE_C_API GeStatus geRegistryList(GeRegistry *registry, GeStringRef ns,
                                 void (*callback)(const GeOpKey *key, void *userData),
                                 void *userData);
/** Sorted names, one call each. */
GE_C_API GeStatus geRegistryNamespaces(GeRegistry *registry, GeStringCallback callback,
                                       void *userData);
/** Names near to one that is not there, nearest first, one call each. O(namespace). */
GE_C_API GeStatus geRegistrySuggestions(GeRegistry *registry, GeStringRef ns, GeStringRef name,
                                        GeStringCallback callback, void *userData);

/* --- Libraries -------------------------------------------------------------------------------- */

typedef enum GeLibraryKind {
  GE_LIBRARY_DEF = 0,  /**< the home of a namespace: one for each */
  GE_LIBRARY_FRAGMENT, /**< adds to a namespace that another library may own */
  GE_LIBRARY_IMPL      /**< kernels only */
} GeLibraryKind;

/** What one author adds to a namespace. New: geLibraryRelease. GE_ERROR_OP_SCHEMA for a second DEF
 * of a namespace, with both places. `file` and `line`: where the library stands. */
GE_C_API GeStatus geLibraryOpen(GeRegistry *registry, GeLibraryKind kind, GeStringRef ns,
                                GeStringRef file, uint32_t line, GeLibrary **out);
/** Takes out all that it added; idempotent. Held records stay. */
GE_C_API GeStatus geLibraryClose(GeLibrary *library);
/** Closes it and gives it back. */
GE_C_API void geLibraryRelease(GeLibrary *library);
GE_C_API bool geLibraryIsClosed(GeLibrary *library);
GE_C_API GeLibraryKind geLibraryGetKind(GeLibrary *library);
/** Lives as long as the library. */
GE_C_API GeStringRef geLibraryGetNamespace(GeLibrary *library);
/** From schema text, with or without "ns::". New reference; `out` may be NULL. */
GE_C_API GeStatus geLibraryDefine(GeLibrary *library, GeStringRef schema, GeStringRef doc,
                                  GeStringRef file, uint32_t line, GeOpDef *out);
/** Takes `spec` in any case. New reference; `out` may be NULL. */
GE_C_API GeStatus geLibraryDefineSpec(GeLibrary *library, GeOpSpec *spec, GeOpDef *out);
/** Defines every REG_OP prototype of C++ header text that can be read; `defined` is how many. Those
 * that cannot, or are there already, are reported, and the rest goes on. O(text). */
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

/** An argument: a word that means something to its view only. */
typedef const void *GeArg;

/** How arguments look to the binder. None of these is called after the binder returned; they may
 * call anything but fail by giving what says "no". */
typedef struct GeArgView {
  size_t size GE_SIZE_OF(GeArgView);
  void *userData;
  GeArgKind (*kind)(void *userData, GeArg arg);
  size_t (*length)(void *userData, GeArg arg); /**< list, tuple, dict */
  GeArg (*item)(void *userData, GeArg arg, size_t index);
  /** Of an int, and of a bool 0 or 1. False when it does not fit 64 bits. */
  bool (*intValue)(void *userData, GeArg arg, int64_t *out);
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
  bool constants; /**< numbers, arrays and lists of them are taken for `Tensor` */
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

/** Strings live until the next call on the thread that gives back a string. */
typedef struct GeBindFault {
  size_t size GE_SIZE_OF(GeBindFault);
  GeBindFaultKind kind;
  GeStringRef argument; /**< the parameter or keyword; empty: none */
  GeStringRef reason;   /**< "unexpected keyword 'axis' (did you mean 'dim'?)" */
} GeBindFault;

/** Arguments to parameters: fills `out[i]` for parameter i; `out` has `capacity` places, as many as
 * parameters at least, else GE_ERROR_VALUE. Positional arguments from numPositional on are the
 * varargs of a vararg operator. A fault is GE_ERROR_TYPE, whose message has operator, reason and
 * schema; it is written to `fault`, which may be NULL. O(parameters * (keywords + 1) + elements).
 */
GE_C_API GeStatus geOpDefBind(GeOpDef op, const GeArgView *view, const GeArg *positional,
                              size_t numPositional, const GeKeyword *keywords, size_t numKeywords,
                              const GeBindOptions *options, GeBoundArg *out, size_t capacity,
                              GeBindFault *fault);
/** The first of `ops` that binds: its index goes to `chosen`. A fault has every one's reason. */
GE_C_API GeStatus geOpDefResolve(const GeOpDef *ops, size_t numOps, const GeArgView *view,
                                 const GeArg *positional, size_t numPositional,
                                 const GeKeyword *keywords, size_t numKeywords,
                                 const GeBindOptions *options, GeBoundArg *out, size_t capacity,
                                 size_t *chosen, GeBindFault *fault);
/** Of the process: GE_OPS_STRICT=1 when it was first asked for, or what was set last. A default
 * for GeBindOptions.strict; the binder itself looks at its options only. */
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
} GeOpCall;

/** Asked for operators that GE has no inference for. Calls come from any thread, several at once.
 * The graph that the operator is in may be read meanwhile; changing it is GE_ERROR_BUSY. A call
 * that fails with GE_ERROR_VERIFY says (geErrorSet) what is wrong with the operands; other errors
 * come out of what asked for the inference. */
typedef struct GeInferrer {
  size_t size GE_SIZE_OF(GeInferrer);
  GeStringRef name; /**< whom geOpsInferrerUses counts; copied */
  void *userData;
  /** `results`: numResults entries, preset to the unknown type. `known` is preset to true; false
   * says that it does not know this operator. */
  GeStatus (*infer)(void *userData, const GeOpCall *call, GeType *results, bool *known);
  void (*release)(void *userData); /**< after the last call; may be NULL */
} GeInferrer;

/** Adds a copy of the table behind those that are there. `token` takes it out again; it is released
 * when no call of it runs any more. */
GE_C_API GeStatus geOpsAddInferrer(const GeInferrer *inferrer, uint64_t *token);
GE_C_API void geOpsRemoveInferrer(uint64_t token);
/** How often inferrers were asked for operators, and knew, since the process began; sorted by
 * inferrer and operator. */
GE_C_API GeStatus geOpsInferrerUses(void (*callback)(GeStringRef inferrer, GeStringRef op,
                                                     uint64_t asked, uint64_t answered,
                                                     void *userData),
                                    void *userData);

/** Computes results of operators whose operands are all constant (operandConstants). A call that
 * fails with GE_ERROR_VERIFY says (geErrorSet) why the operator stays as it is, which a pass makes
 * a remark, once for each text; so does a result whose type does not meet resultTypes. Other errors
 * end the pass, and the run. A node that is wrong by its definition or by
 * type inference is not handed over. */
typedef struct GeEvaluator {
  size_t size GE_SIZE_OF(GeEvaluator);
  void *userData;
  /** `results`: numResults entries, preset to NULL, to be filled with new references. */
  GeStatus (*evaluate)(void *userData, const GeOpCall *call, GeTensor **results, bool *known);
  void (*release)(void *userData); /**< after the last call; may be NULL */
} GeEvaluator;

/** Installs a copy of the table in place of the one before. NULL: none from here on. */
GE_C_API GeStatus geOpsSetEvaluator(const GeEvaluator *evaluator);
GE_C_API bool geOpsHasEvaluator(void);
/** Asks the installed evaluator: `results`, numResults of them, get new references. `known` is
 * false, and `results` are NULL, when there is none or it cannot evaluate this; its errors come
 * out. GE_ERROR_VERIFY also when a result does not have the type that GE infers, GE_ERROR_MODEL
 * when there is no answer and the file of an operand has changed on disk. Operands may be NULL:
 * absent. The tensors' data is not copied. */
GE_C_API GeStatus geOpsEvaluate(GeOperatorName op, uint32_t opset, GeTensor *const *operands,
                                size_t numOperands, const GeNamedAttribute *attributes,
                                size_t numAttributes, GeTensor **results, size_t numResults,
                                bool *known);

/* --- Domains on demand ------------------------------------------------------------------------ */

/** May define the operators of a domain: installs a vendor's package, opens a library. */
typedef void (*GeDomainLoader)(GeStringRef domain, void *userData);
/** Installs the loader of the process in place of the one before; NULL: none. It is called when an
 * operator without a record is met by geGraphInferTypes, geGraphVerifyDefinitions,
 * geGraphLoadDomains, the text parser or the ONNX reader: once for each domain, on their thread,
 * without a lock and, but in a pass, before access to the graph is taken: it may call anything. No
 * status: a domain that cannot be loaded stays unregistered, and the loader itself reports why.
 * A thread that meets the domain while another one loads it calls the loader for it, too: let it
 * wait there for the first, with no lock that the first needs. At most 4096 domains are asked for.
 * A call of the loader before may still run when this returns. */
GE_C_API GeStatus geOpsSetDomainLoader(GeDomainLoader load, void *userData);

/* --- Building --------------------------------------------------------------------------------- */

/** A node of a registered operator, with inferred result types (unknown ones when there are
 * subgraphs: see geNodeInferTypes). `spec->resultTypes` may be NULL or have NULL entries; a type
 * there is declared, and met with the inferred one (geTypeMeet). controlInputs does not count.
 * Inserted before `before`, or at the end of `graph`; NULL, without subgraphs: of the innermost
 * graph of the operands. `opset` 0: the record's. GE_ERROR_VERIFY, and nothing changed, when the
 * operands do not fit the record or each other, a declared type contradicts the inferred one, or an
 * operand is not to be seen from `graph`. The slot of a subgraph is the attribute that it is.
 * `results` gets new references. O(operands + attributes + nodes of the subgraphs). */
GE_C_API GeStatus geNodeBuild(GeGraphRef *graph, GeNodeRef *before, GeOpDef op, uint32_t opset,
                              const GeNodeSpec *spec, GeValueRef **results);
/** The precise parts of two types of one value: static before symbolic before unknown sizes; the
 * first one's symbols and layout. GE_ERROR_VERIFY when they contradict each other, GE_ERROR_VALUE
 * when they are of different contexts. The type belongs to the context. O(rank). */
GE_C_API GeStatus geTypeMeet(GeType first, GeType second, GeType *out);

/** Infers and sets the result types of a node of that operator, as geNodeBuild does for one without
 * subgraphs. GE_ERROR_VERIFY when the operands do not fit; nothing changed then. */
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

/** What a walk over a graph has to say beside its status. Called after it, one call each; each may
 * be NULL. */
typedef struct GeOpReport {
  size_t size GE_SIZE_OF(GeOpReport);
  void *userData;
  /** An operator without a definition (or inference), and how many nodes have it; sorted. */
  void (*unknownOperator)(GeStringRef op, uint64_t nodes, void *userData);
  void (*diagnostic)(const GeDiagnostic *diagnostic, void *userData);
  /** An operator whose types came from a foreign inferrer, and how many nodes have it; sorted. */
  void (*fallbackOperator)(GeStringRef op, uint64_t nodes, void *userData);
} GeOpReport;

typedef struct GeInferCounts {
  size_t size GE_SIZE_OF(GeInferCounts);
  uint64_t nodes;      /**< that have results */
  uint64_t inferred;   /**< all of whose results have a type of known rank afterwards */
  uint64_t unknown;    /**< the others */
  uint64_t byFallback; /**< whose types came from a foreign inferrer */
  uint64_t changed;    /**< values whose type was set */
} GeInferCounts;

/** Infers and sets types of all values, into subgraphs; a type is only ever made more precise. What
 * is wrong is reported and stays as it was. `opset` of ONNX's operators; 0: what graph or module
 * says, else the newest. `report` may be NULL. O(nodes + edges). */
GE_C_API GeStatus geGraphInferTypes(GeGraphRef *graph, uint32_t opset, const GeOpReport *report,
                                    GeInferCounts *out);
/** Called for a value whose declared type native inference contradicts; borrowed while it runs. */
typedef void (*GeTypeDispute)(GeValueRef *value, GeStringRef what, void *userData);
/** Compares declared types with inferred ones and changes nothing; `callback` gets the values of
 * `graph` and of the graphs inside it that differ, in order, and a sentence for each. Rules do not
 * match where they would look at such a type. O(nodes + edges). */
GE_C_API GeStatus geGraphFindTypeDisputes(GeGraphRef *graph, GeTypeDispute callback,
                                          void *userData);
/** Asks the domain loader (geOpsSetDomainLoader) for the domains of the graph's operators that have
 * no record. Does nothing without a loader. geGraphInferTypes and geGraphVerifyDefinitions begin
 * with it; a caller that takes access to the graph around those calls this first. O(nodes). */
GE_C_API GeStatus geGraphLoadDomains(GeGraphRef *graph);
/** Checks each node, into subgraphs, against its definition; nodes without one are reported and no
 * fault, an operator that is newer than the opset is one. GE_ERROR_VERIFY with all diagnostics;
 * warnings are reported. O(nodes * parameters). */
GE_C_API GeStatus geGraphVerifyDefinitions(GeGraphRef *graph, uint32_t opset,
                                           const GeOpReport *report);
/** The same of all graphs of a module, each with the opsets that it or the module imports. */
GE_C_API GeStatus geModuleVerifyDefinitions(GeModule *module, const GeOpReport *report);

GE_C_END

#endif /* GE_C_OPS_H */
