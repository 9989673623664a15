/*===- ge-c/Patterns.h - patterns, matches, rewrite rules -----------------------------------===*\
|*
|* A pattern is written as a graph: its inputs match any value, its outputs are the values that a
|* rewrite replaces, constants are compared, other nodes match nodes. Nodes of the domain `pattern`
|* express alternatives, optional operands, operator sets and conditions; see docs/patterns.md.
|* Matching and rewriting are native, and call the predicates and callbacks of a pattern or rule.
|*
|* Callbacks: on failure a callback sets the thread's error (as any failing function of this API
|* does, or with geErrorSet) and returns the status; the operation stops, a rewrite is undone, and
|* the function that called it returns that status. Callbacks may use this API on the graph.
|* deleteUserData may be NULL; it is called once, on the thread that releases the last reference.
|* Since 0.1 unless a function states otherwise.
|*
\*===----------------------------------------------------------------------------------------===*/
#ifndef GE_C_PATTERNS_H
#define GE_C_PATTERNS_H

#include "ge-c/IR.h"

GE_C_BEGIN

typedef struct GePattern GePattern;
typedef struct GeMatch GeMatch;
typedef struct GeMatches GeMatches;
typedef struct GeRule GeRule;

/* --- Patterns --------------------------------------------------------------------------------- */

/** Which attributes of a node are compared with those of the pattern's node. */
typedef enum GeAttributeMatch {
  GE_MATCH_GIVEN_ATTRIBUTES = 0, /**< those of the pattern's node */
  GE_MATCH_NO_ATTRIBUTES,
  GE_MATCH_ALL_ATTRIBUTES /**< all; the node may have no others */
} GeAttributeMatch;

/** When a constant matches a constant of the pattern. */
typedef enum GeConstantMatch {
  GE_MATCH_CONSTANT_VALUE = 0, /**< equal numbers; a scalar whatever its element type */
  GE_MATCH_ANY_CONSTANT,
  GE_MATCH_CONSTANT_BITS /**< same type and same bits */
} GeConstantMatch;

/** The predicate that `predicate = i` in a pattern's graph refers to. It tests a value
 * (attribute.bits is 0) or an attribute (value is NULL), both borrowed for the call. */
typedef struct GePredicate {
  size_t size GE_SIZE_OF(GePredicate);
  GeStatus (*test)(GeValueRef *value, GeAttribute attribute, void *userData, bool *out);
  void *userData;
  void (*deleteUserData)(void *userData);
} GePredicate;

typedef struct GePatternOptions {
  size_t size GE_SIZE_OF(GePatternOptions);
  GeAttributeMatch attributes;
  GeConstantMatch constants;
  /** deleteUserData is also called when the creation fails, unless a `size` is invalid. */
  const GePredicate *predicates;
  size_t numPredicates;
  /** Operands of commutative operators match in the pattern's order only. */
  bool keepsOrder;
} GePatternOptions;

/** Creates a pattern from a copy of `graph`; `options` may be NULL. New reference:
 * gePatternRelease. GE_ERROR_VALUE for a graph that is not a valid pattern, GE_ERROR_KEY for an
 * operator that a known namespace lacks, with near names. O(graph). */
GE_C_API GeStatus gePatternCreate(GeGraphRef *graph, const GePatternOptions *options,
                                  GePattern **out);
GE_C_API void gePatternRetain(GePattern *pattern);
GE_C_API void gePatternRelease(GePattern *pattern);
/** The graph's name; lives as long as the pattern. */
GE_C_API GeStringRef gePatternGetName(GePattern *pattern);
/** The context, borrowed. */
GE_C_API GeContext *gePatternGetContext(GePattern *pattern);
GE_C_API size_t gePatternNumInputs(GePattern *pattern);
GE_C_API size_t gePatternNumOutputs(GePattern *pattern);
/** Number of nodes that match nodes: without inputs, constants and conditions. */
GE_C_API size_t gePatternNumNodes(GePattern *pattern);
/** Empty when it has no name; lives as long as the pattern. GE_ERROR_INDEX past the end. */
GE_C_API GeStatus gePatternGetInputName(GePattern *pattern, size_t index, GeStringRef *out);
/** Calls back with each name of a value, node or attribute variable. O(pattern). */
GE_C_API GeStatus gePatternGetNames(GePattern *pattern, GeStringCallback callback, void *userData);

/* --- Matches ---------------------------------------------------------------------------------- */

/** The value of the pattern with that name: new reference, NULL when it is not bound (another
 * alternative was taken, or the operand is absent). GE_ERROR_KEY when the pattern has none.
 * O(pattern). */
GE_C_API GeStatus geMatchGetValue(const GeMatch *match, GeStringRef name, GeValueRef **out);
/** New reference; NULL as above. GE_ERROR_INDEX past the end. */
GE_C_API GeStatus geMatchGetInput(const GeMatch *match, size_t index, GeValueRef **out);
GE_C_API GeStatus geMatchGetOutput(const GeMatch *match, size_t index, GeValueRef **out);
/** The node of the pattern with that name, or that makes the value with that name. New reference;
 * NULL and errors as geMatchGetValue. O(pattern). */
GE_C_API GeStatus geMatchGetNode(const GeMatch *match, GeStringRef name, GeNodeRef **out);
/** The operands bound by a Rest with that name: their number, and new references to the first
 * `capacity`. `out` may be NULL when capacity is 0. */
GE_C_API GeStatus geMatchGetRest(const GeMatch *match, GeStringRef name, GeValueRef **out,
                                 size_t capacity, size_t *count);
/** The attribute that the pattern binds under that name: new reference, bits 0 when it is not
 * bound. */
GE_C_API GeStatus geMatchGetAttribute(const GeMatch *match, GeStringRef name, GeAttribute *out);
/** Matched nodes in the order of the graph's list, each once, without constants. */
GE_C_API GeStatus geMatchNumNodes(const GeMatch *match, size_t *out);
/** New reference. O(log nodes) amortised over the indices. */
GE_C_API GeStatus geMatchGetMatchedNode(const GeMatch *match, size_t index, GeNodeRef **out);
/** Values that match the pattern's constants, each once, in the pattern's order. O(pattern). */
GE_C_API GeStatus geMatchNumConstants(const GeMatch *match, size_t *out);
/** New reference. O(pattern). */
GE_C_API GeStatus geMatchGetConstant(const GeMatch *match, size_t index, GeValueRef **out);
/** The node at which matching started. New reference. */
GE_C_API GeStatus geMatchGetAnchor(const GeMatch *match, GeNodeRef **out);
/** The pattern, borrowed from the match. */
GE_C_API GePattern *geMatchGetPattern(const GeMatch *match);
/** For a condition that refuses a match: the reason, for explanations. Copied. */
GE_C_API GeStatus geMatchSetReason(const GeMatch *match, GeStringRef reason);

/** A condition: accepts or refuses a match, which is borrowed for the call. After a refusal the
 * matcher searches for another match at the same node. */
typedef struct GeMatchCondition {
  size_t size GE_SIZE_OF(GeMatchCondition);
  GeStatus (*test)(const GeMatch *match, void *userData, bool *out);
  void *userData;
} GeMatchCondition;

typedef struct GeMatchOptions {
  size_t size GE_SIZE_OF(GeMatchOptions);
  bool allowOutsideUses; /**< values that are not outputs may be used outside of a match */
  uint32_t budget;       /**< steps for one anchor; 0: 65536 */
} GeMatchOptions;

/** All matches, one for each anchor at most, in the order of the node list; those in
 * subgraphs after those of the enclosing graph. They may overlap. `options` and
 * `condition` may be NULL. New object: geMatchesDestroy. O(nodes)
 * expected. */
GE_C_API GeStatus geGraphFindMatches(GeGraphRef *graph, GePattern *pattern,
                                     const GeMatchOptions *options, bool subgraphs,
                                     const GeMatchCondition *condition, GeMatches **out);
GE_C_API size_t geMatchesSize(const GeMatches *matches);
/** Borrowed from `matches`. Its references are retained; objects erased later are stale. */
GE_C_API GeStatus geMatchesGet(const GeMatches *matches, size_t index, const GeMatch **out);
GE_C_API void geMatchesDestroy(GeMatches *matches);

/* --- Rules ------------------------------------------------------------------------------------ */

/** The result of GeRuleCallbacks.build: `skip`, or values (one for each output of the pattern, NULL
 * where it is unused), or a graph that is instantiated with the pattern's inputs. All borrowed
 * until `release` is called, which may be NULL. */
typedef struct GeReplacement {
  size_t size GE_SIZE_OF(GeReplacement);
  bool skip;
  GeValueRef *const *values;
  size_t numValues;
  GeGraphRef *graph;
  void (*release)(void *owner);
  void *owner;
} GeReplacement;

typedef struct GeRuleCallbacks {
  size_t size GE_SIZE_OF(GeRuleCallbacks);
  /** The condition. May be NULL: every match is replaced. */
  GeStatus (*condition)(const GeMatch *match, void *userData, bool *out);
  /** Builds new nodes of `graph` before `before` (NULL: at the end) and fills `out`, which is all
   * zero but for `size`. May be NULL when the rule has a template. It must not edit matched nodes:
   * the rewriter erases those that become unused. */
  GeStatus (*build)(const GeMatch *match, GeGraphRef *graph, GeNodeRef *before, void *userData,
                    GeReplacement *out);
  void *userData;
  void (*deleteUserData)(void *userData);
} GeRuleCallbacks;

/** A rule. `replacement` is copied (NULL: callbacks->build); its input i is the value of
 * the pattern with the name inputs[i], or, with inputs NULL, for the pattern's input i. `callbacks`
 * may be NULL; its deleteUserData is called also when the creation fails, if its size is right. Of
 * rules for one node the greatest `benefit` is tried first. New reference: geRuleRelease.
 * O(replacement). */
GE_C_API GeStatus geRuleCreate(GePattern *pattern, GeStringRef name, GeGraphRef *replacement,
                               const GeStringRef *inputs, size_t numInputs,
                               const GeRuleCallbacks *callbacks, int32_t benefit, GeRule **out);
GE_C_API void geRuleRetain(GeRule *rule);
GE_C_API void geRuleRelease(GeRule *rule);
/** Lives as long as the rule. */
GE_C_API GeStringRef geRuleGetName(GeRule *rule);
/** Borrowed from the rule. */
GE_C_API GePattern *geRuleGetPattern(GeRule *rule);

typedef struct GeRewriteOptions {
  size_t size GE_SIZE_OF(GeRewriteOptions);
  bool fixpoint;               /**< until nothing matches; else each node once, and new ones */
  bool rootGraphOnly;          /**< do not rewrite the bodies of If, Loop, ... */
  const GeMatchOptions *match; /**< NULL: the defaults */
} GeRewriteOptions;

typedef struct GeRewriteCounts {
  size_t size GE_SIZE_OF(GeRewriteCounts);
  uint64_t rewrites;
  uint64_t cyclic;    /**< matches not replaced, because the replacement would create a cycle */
  uint64_t exhausted; /**< nodes at which the budget was exhausted */
} GeRewriteCounts;

/** Applies rules to a graph and the graphs inside it. `perRule` may be NULL, else has room for
 * numRules counts. Names of outputs, types, control edges and origins are kept. GE_ERROR_PASS,
 * without changes, for rules that undo each other. O(nodes) expected for each sweep. */
GE_C_API GeStatus geGraphRewrite(GeGraphRef *graph, GeRule *const *rules, size_t numRules,
                                 const GeRewriteOptions *options, GeRewriteCounts *out,
                                 uint64_t *perRule);

/* --- Explanations ----------------------------------------------------------------------------- */

typedef struct GeExplanation GeExplanation;

/** Why an attempt failed; geMatchFailureName returns the name. */
typedef enum GeMatchFailure {
  GE_FAILURE_NONE = 0,
  GE_FAILURE_OPERATOR,
  GE_FAILURE_ARITY,
  GE_FAILURE_ATTRIBUTE,
  GE_FAILURE_CONSTANT,
  GE_FAILURE_TYPE, /**< element type, rank, shape */
  GE_FAILURE_PREDICATE,
  GE_FAILURE_BINDING, /**< one value of the pattern is two in the graph, or vice versa */
  GE_FAILURE_OUTSIDE_USE,
  GE_FAILURE_GUARD,   /**< the condition refused the match: "condition" */
  GE_FAILURE_OVERLAP, /**< another match took a node */
  GE_FAILURE_BUDGET
} GeMatchFailure;
/** "operator", "outside-use"; static. Empty for an invalid value. */
GE_C_API GeStringRef geMatchFailureName(GeMatchFailure failure);

/** One attempt to match. Strings live as long as the explanation. */
typedef struct GeAttempt {
  size_t size GE_SIZE_OF(GeAttempt);
  GeMatchFailure failure;
  size_t matched;  /**< nodes of the pattern */
  size_t numNodes; /**< for geExplanationGetAttemptNode */
  GeStringRef expected;
  GeStringRef found;
} GeAttempt;

/** Runs the matcher of a rule, its condition included, over a graph and the graphs inside it, and
 * keeps the `most` attempts with the most matched nodes (0: 5); with `node` (may be NULL) only
 * attempts that start at it or contain it. New object: geExplanationDestroy. O(nodes) expected. */
GE_C_API GeStatus geGraphExplain(GeGraphRef *graph, GeRule *rule, GeNodeRef *node, size_t most,
                                 const GeMatchOptions *options, GeExplanation **out);
/** The same for a pattern alone. */
GE_C_API GeStatus geGraphExplainPattern(GeGraphRef *graph, GePattern *pattern, GeNodeRef *node,
                                        size_t most, const GeMatchOptions *options,
                                        GeExplanation **out);
GE_C_API void geExplanationDestroy(GeExplanation *explanation);
/** A readable text of several lines; lives as long as the explanation. */
GE_C_API GeStringRef geExplanationGetText(const GeExplanation *explanation);
GE_C_API uint64_t geExplanationNumMatches(const GeExplanation *explanation);
/** Nodes of the pattern. */
GE_C_API size_t geExplanationNumPatternNodes(const GeExplanation *explanation);
GE_C_API size_t geExplanationNumAttempts(const GeExplanation *explanation);
GE_C_API GeStatus geExplanationGetAttempt(const GeExplanation *explanation, size_t index,
                                          GeAttempt *out);
/** Where the attempt began, where it failed (may be NULL), and what matched: new references. */
GE_C_API GeStatus geExplanationGetAttemptAnchor(const GeExplanation *explanation, size_t index,
                                                GeNodeRef **out);
GE_C_API GeStatus geExplanationGetAttemptPlace(const GeExplanation *explanation, size_t index,
                                               GeNodeRef **out);
GE_C_API GeStatus geExplanationGetAttemptNode(const GeExplanation *explanation, size_t index,
                                              size_t node, GeNodeRef **out);
/** Operators of the graph with names similar to those of the pattern that the graph lacks, each
 * with its number of nodes. The name lives as long as the explanation. */
GE_C_API size_t geExplanationNumNearOperators(const GeExplanation *explanation);
GE_C_API GeStatus geExplanationGetNearOperator(const GeExplanation *explanation, size_t index,
                                               GeStringRef *name, uint64_t *count);

GE_C_END

#endif /* GE_C_PATTERNS_H */
