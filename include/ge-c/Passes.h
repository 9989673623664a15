/*===- ge-c/Passes.h - passes, pipelines, what they did -------------------------------------===*\
|*
|* Each execution of a pass is a transaction: a failing pass leaves the graph unchanged. A run holds
|* write access to its graphs from start to end, also in serialized contexts; a binding may release
|* its own lock around it. Callbacks run on the calling thread with this access, and may read and
|* edit the graphs of the run.
|*
|* Structs passed to callbacks, and what they refer to, live until the callback returns.
|* Since 0.1 unless a function states otherwise.
\*===----------------------------------------------------------------------------------------===*/
#ifndef GE_C_PASSES_H
#define GE_C_PASSES_H

#include "ge-c/Text.h"

GE_C_BEGIN

typedef struct GePassManager GePassManager;
typedef struct GePipeline GePipeline;
typedef struct GePassReport GePassReport;
typedef struct GePassRun GePassRun;

/* --- Passes ----------------------------------------------------------------------------------- */

typedef struct GePassOption {
  size_t size GE_SIZE_OF(GePassOption);
  GeStringRef name;
  GeStringRef value; /**< of a declaration: the default, as it would be written */
  GeStringRef doc;   /**< of a declaration */
} GePassOption;

/** Rewrites of a pass that belong to another class of exactness than the pass as such. */
typedef struct GePassRewrite {
  size_t size GE_SIZE_OF(GePassRewrite);
  GeStringRef what;
  GeStringRef exactness; /**< as GePassInfo.exactness */
} GePassRewrite;

/** Description of a pass. Functions that take one copy its strings. */
typedef struct GePassInfo {
  size_t size GE_SIZE_OF(GePassInfo);
  GeStringRef name;     /**< as in pipelines */
  GeStringRef doc;      /**< one sentence */
  GeStringRef kind;     /**< "native", "pattern_fusion", ... */
  GeStringRef stage;    /**< "BeforeInferShape", ...; may be empty */
  GeStringRef origin;   /**< file or package; empty: this library */
  GeStringRef version;  /**< of the package; may be empty */
  GeStringRef pipeline; /**< the expansion of an alias; else empty */
  size_t numOptions;
  const GePassOption *options;
  /** "exact": results are bit for bit those of the graph before, but for the payload of NaN, in a
   * runtime that optimises nothing; "reassociating": within the default tolerance of `ge check`;
   * "approximate": may differ by more; empty: unknown. See docs/builtin-passes.md. */
  GeStringRef exactness;
  size_t numRewrites;
  const GePassRewrite *rewrites;
  int64_t priority; /**< in its stage: the greater runs earlier, equal ones by name */
  size_t numBefore;
  const GeStringRef *before; /**< passes of the stage that run later */
  size_t numAfter;
  const GeStringRef *after; /**< passes of the stage that run earlier */
} GePassInfo;

/** Callbacks of a pass written in C or in a language with bindings. */
typedef struct GePassTable {
  size_t size GE_SIZE_OF(GePassTable);
  void *userData;
  /** Before each execution: an instance for it. `options` are those written in the pipeline. NULL:
   * the instance is `userData`. */
  GeStatus (*create)(void *userData, const GePassOption *options, size_t numOptions,
                     void **instance);
  /** Works on a root graph with all inside it, or on a body when the pipeline says so. A status
   * other than GE_OK fails the pass, with the thread's last error, or gePassRunSetFailure's. */
  GeStatus (*run)(void *instance, GeGraphRef *graph, GePassRun *run);
  /** Over a module; NULL: `run` on each of its graphs. */
  GeStatus (*runModule)(void *instance, GeModule *module, GePassRun *run);
  void (*destroy)(void *instance); /**< after the execution, also one that failed; may be NULL */
  void (*release)(void *userData); /**< when the table is no longer used; may be NULL */
} GePassTable;

/** Registers a pass. GE_ERROR_VALUE for a name that is registered, empty, or "fixpoint". On failure
 * `release` is not called. With `info->pipeline` it is an alias, and `table` may be NULL. */
GE_C_API GeStatus gePassRegister(const GePassInfo *info, const GePassTable *table);
/** Removes a pass; managers that contain it keep it. GE_ERROR_KEY for an unknown name. */
GE_C_API GeStatus gePassUnregister(GeStringRef name);
/** All passes by name, native ones and registered ones. O(passes). */
GE_C_API GeStatus gePassForEach(void (*callback)(const GePassInfo *info, void *userData),
                                void *userData);

/** The passes of a stage that are on, in the order in which a host runs them, independent of their
 * language: those of kind "legacy_custom" first, in the order of registration, then by priority and
 * name, subject to the constraints `before` and `after`. An empty stage: those of no stage.
 * `options` (may be NULL): "name" = "on" or "off" switches a pass; "ge.fusionSwitchFile" names a
 * fusion switch file. GE_ERROR_VALUE for a stage that is neither one of CANN's ("BeforeInferShape",
 * "AfterInferShape", "AfterBuiltinFusionPass", "AfterOriginGraphOptimize") nor that of a registered
 * pass, for a cycle of `before` and `after`, and for a malformed switch file; GE_ERROR_OS when it
 * cannot be read. O(passes log passes). */
GE_C_API GeStatus gePassForEachOfStage(GeStringRef stage, const GePassOption *options,
                                       size_t numOptions,
                                       void (*callback)(const GePassInfo *info, void *userData),
                                       void *userData);

/* --- One execution, from inside --------------------------------------------------------------- */

/** The name as in the pipeline. */
GE_C_API GeStringRef gePassRunName(GePassRun *run);
/** An option of the run (GePassRunOptions.options), which every pass gets. Borrowed until the pass
 * ends. GE_ERROR_KEY when there is none of that name. O(log options). */
GE_C_API GeStatus gePassRunGetOption(GePassRun *run, GeStringRef name, GeStringRef *value);
/** All of them, by name. O(options). */
GE_C_API GeStatus gePassRunForEachOption(GePassRun *run,
                                         void (*callback)(GeStringRef name, GeStringRef value,
                                                          void *userData),
                                         void *userData);
/** Adds `n` to a statistic of this execution. O(log statistics). */
GE_C_API GeStatus gePassRunCount(GePassRun *run, GeStringRef statistic, uint64_t n);
/** A text of this execution that the trace shows (GE_PASS_TRACE), such as the id of an instance; it
 * replaces one of that name. O(log texts). */
GE_C_API GeStatus gePassRunTrace(GePassRun *run, GeStringRef name, GeStringRef text);
/** Whether the run writes a trace (GePassRunOptions.trace); otherwise a pass need not collect
 * expensive details. */
GE_C_API GeStatus gePassRunIsTraced(GePassRun *run, bool *out);
/** To be called before a rewrite, at the named node, that does not use a rule: whether
 * GePassRunOptions.rewriteLimit allows it. If so, the rewrite is counted. */
GE_C_API GeStatus gePassRunTakeRewrite(GePassRun *run, GeStringRef at, bool *out);
/** Reports a remark or warning, which is not a failure. `where` may be NULL. */
GE_C_API GeStatus gePassRunRemark(GePassRun *run, GeSeverity severity, GeLocation where,
                                  GeStringRef message);
/** Sets the error of the pass, for a status other than GE_OK that it returns afterwards. `fatal`:
 * also ends a run with `skipFailures`. `file` may be empty, `line` 0. */
GE_C_API GeStatus gePassRunSetFailure(GePassRun *run, GeStringRef file, uint32_t line,
                                      GeStringRef message, bool fatal);
/** Erases a graph of the module after the pass has succeeded. During the pass, graphs are in
 * transactions and cannot be erased. */
GE_C_API GeStatus gePassRunEraseGraphLater(GePassRun *run, GeGraphRef *graph);

/* --- Pipelines -------------------------------------------------------------------------------- */

/** "infer-types,fixpoint(cse,dce),onnx.If(cse),fold{limit=1024}"; see docs/passes.md. Empty: none.
 * GE_ERROR_PARSE with place, caret and near names. New reference: gePassManagerDestroy. O(text). */
GE_C_API GeStatus gePassManagerParse(GeStringRef pipeline, GePassManager **out);
/** Accepts NULL. */
GE_C_API void gePassManagerDestroy(GePassManager *manager);
/** Appends the pipeline of a text. Errors as gePassManagerParse. */
GE_C_API GeStatus gePassManagerAdd(GePassManager *manager, GeStringRef pipeline);
/** Appends the passes of a stage; order and errors as gePassForEachOfStage. Doubtful names in a
 * switch file are remarks in the report of each run. */
GE_C_API GeStatus gePassManagerAddStage(GePassManager *manager, GeStringRef stage,
                                        const GePassOption *options, size_t numOptions);
/** Appends a pass that is not registered. On failure `release` is not called. */
GE_C_API GeStatus gePassManagerAddTable(GePassManager *manager, const GePassInfo *info,
                                        const GePassTable *table);
/** Sets an option of each pass, also inside groups and aliases, that declares it and has no value
 * for it in the text; an alias without that option is expanded. GE_ERROR_VALUE when a pass refuses
 * the value. O(text). */
GE_C_API GeStatus gePassManagerSetOption(GePassManager *manager, GeStringRef option,
                                         GeStringRef value);
/** Prints the pipeline; if all passes are registered, parsing the text gives an equal pipeline. */
GE_C_API GeStatus gePassManagerPrint(GePassManager *manager, GeStringCallback callback,
                                     void *userData);

/* --- A pipeline as a value: elements and options as written, whether or not their passes are
 * registered. One thread at a time uses one. */

typedef struct GePipelineElement {
  size_t size GE_SIZE_OF(GePipelineElement);
  GeStringRef name; /**< of a pass or an alias; of a group "fixpoint" or an operator */
  bool isGroup;     /**< `name(...)`: see gePipelineGetGroup */
  size_t numOptions;
} GePipelineElement;

/** GE_ERROR_PARSE with place and caret. New reference: gePipelineDestroy. O(text). */
GE_C_API GeStatus gePipelineParse(GeStringRef text, GePipeline **out);
/** Accepts NULL. */
GE_C_API void gePipelineDestroy(GePipeline *pipeline);
/** 0 for NULL. */
GE_C_API size_t gePipelineSize(GePipeline *pipeline);
/** The texts of `out` live until the pipeline is changed or destroyed. GE_ERROR_INDEX. O(1). */
GE_C_API GeStatus gePipelineGet(GePipeline *pipeline, size_t index, GePipelineElement *out);
/** Options are sorted by name; without `doc`. As gePipelineGet. */
GE_C_API GeStatus gePipelineGetOption(GePipeline *pipeline, size_t index, size_t option,
                                      GePassOption *out);
/** The pipeline of a group. GE_ERROR_VALUE: not a group. New reference: gePipelineDestroy. */
GE_C_API GeStatus gePipelineGetGroup(GePipeline *pipeline, size_t index, GePipeline **out);
/** `count` elements from `begin` on. GE_ERROR_INDEX. New reference: gePipelineDestroy. O(count). */
GE_C_API GeStatus gePipelineSlice(GePipeline *pipeline, size_t begin, size_t count,
                                  GePipeline **out);
/** Copies the elements of `other` to the end; both may be the same. */
GE_C_API GeStatus gePipelineAppend(GePipeline *pipeline, GePipeline *other);
/** Removes the passes with a name, also inside groups, and groups that become empty; `count` (may
 * be NULL) receives the number of passes. Aliases are not expanded. O(elements). */
GE_C_API GeStatus gePipelineRemove(GePipeline *pipeline, GeStringRef pass, size_t *count);
/** Sets an option of each pass with a name, also inside groups, that has no value for it; `count`
 * (may be NULL) receives the number of passes with the name. The pass checks the value when a
 * manager parses the text. O(elements). */
GE_C_API GeStatus gePipelineSetOption(GePipeline *pipeline, GeStringRef pass, GeStringRef option,
                                      GeStringRef value, size_t *count);
/** Replaces aliases by their pipelines. GE_ERROR_PARSE, without changes, for an alias with unknown
 * options. O(text). */
GE_C_API GeStatus gePipelineExpandAliases(GePipeline *pipeline);
/** Prints the pipeline; parsing the text gives an equal pipeline. */
GE_C_API GeStatus gePipelinePrint(GePipeline *pipeline, GeStringCallback callback, void *userData);

typedef enum GePassOutcome {
  GE_PASS_UNCHANGED = 0,
  GE_PASS_CHANGED,
  GE_PASS_SKIPPED, /**< by the bisect limit, or by a hook */
  GE_PASS_FAILED   /**< and undone */
} GePassOutcome;

/** What made a pass fail. */
typedef enum GePassFailure {
  GE_PASS_FAILURE_NONE = 0,      /**< it did not fail */
  GE_PASS_FAILURE_RAISED,        /**< an error of the pass, or an interrupt */
  GE_PASS_FAILURE_INVALID_GRAPH, /**< it left a graph that the verifier refuses */
  GE_PASS_FAILURE_CONTRADICTION, /**< it left types that contradict each other */
  GE_PASS_FAILURE_REFUSED        /**< by GePassRunOptions.accept */
} GePassFailure;

/** One execution of one pass. Strings live as long as the record: until the hook returns, or as the
 * report. */
typedef struct GePassRecord {
  size_t size GE_SIZE_OF(GePassRecord);
  GeStringRef pass;
  GeStringRef where; /**< what it is nested in: "fixpoint#2/onnx.If"; mostly empty */
  GePassOutcome outcome;
  double start; /**< seconds since the start of the run */
  double seconds;
  uint64_t rewrites; /**< by rules, and by passes that say so */
  size_t numStatistics;
  size_t numRemarks;
  const struct GePassRecordImpl *impl;
  GePassFailure failure; /**< of GE_PASS_FAILED */
} GePassRecord;

/** In the order of names. O(index). */
GE_C_API GeStatus gePassRecordGetStatistic(const GePassRecord *record, size_t index,
                                           GeStringRef *name, uint64_t *value);
GE_C_API GeStatus gePassRecordGetRemark(const GePassRecord *record, size_t index,
                                        GeDiagnostic *out);
/** Of a failure (GE_PASS_FAILED); else its message is empty. */
GE_C_API GeStatus gePassRecordGetError(const GePassRecord *record, GeDiagnostic *out);

/** One rewrite. For a rule, the replacement is built but not substituted yet: `graph` contains both
 * the matched and the new nodes. For another pass, the rewrite has happened or is about to, and
 * `graph` is NULL. All members are borrowed for the call. */
typedef struct GeRewrite {
  size_t size GE_SIZE_OF(GeRewrite);
  uint64_t number;  /**< in the run, from 1 */
  GeStringRef rule; /**< may be empty */
  GeStringRef at;   /**< the node that it began at, by name */
  GeGraphRef *graph;
  GeNodeRef *const *matched; /**< in list order */
  size_t numMatched;
  GeNodeRef *const *made;
  size_t numMade;
  GeValueRef *const *before; /**< what the match gives away; NULL where it gives nothing */
  GeValueRef *const *after;  /**< the replacements; NULL where the value is unused */
  size_t numOutputs;         /**< of both */
} GeRewrite;

/** Options of a run. With all members but `size` zero: no verification, no printing, stop at the
 * first failure; gePassRunOptionsInit sets the defaults. Strings must live until the run returns.
 */
typedef struct GePassRunOptions {
  size_t size GE_SIZE_OF(GePassRunOptions);
  /** Verifies the edits of each pass that changed something; an error fails the pass. At the end
   * verifies the whole graph; an error there existed before the run and is a remark. On by default.
   */
  bool verify;
  bool skipFailures; /**< go on with the next pass */
  bool printBefore;
  bool printAfter;
  bool printChanged; /**< after passes that changed something */
  bool printFailed;  /**< the graph that a failing pass left, before it is undone */
  bool hasBisectLimit;
  uint64_t bisectLimit; /**< further executions of passes are skipped */
  bool hasRewriteLimit;
  uint64_t rewriteLimit; /**< further rewrites are not done: of rules, and of passes that ask */
  const GePrintOptions *print; /**< NULL: the defaults */
  GeStringCallback sink;       /**< gets what is printed, a text a call */
  GeStringRef treeDirectory;   /**< one file for each text instead: 000_input.mlir, 001_dce.mlir */
  /** Path of a text that is written before each pass and removed after a run without failure. Its
   * header has the command, ge-opt --run-reproducer, that repeats the pass. O(size) each. */
  GeStringRef reproducer;
  /** Before a pass; `*run` is true, and false skips it. A status other than GE_OK ends the run with
   * the thread's last error. */
  GeStatus (*before)(const GePassRecord *record, bool *run, void *userData);
  /** After it, also when it failed. */
  GeStatus (*after)(const GePassRecord *record, void *userData);
  /** After a pass that changed something: a status other than GE_OK fails it, and it is undone. */
  GeStatus (*accept)(const GePassRecord *record, void *userData);
  /** At each rewrite. A status other than GE_OK fails the pass. */
  GeStatus (*rewriting)(const GePassRecord *record, const GeRewrite *rewrite, void *userData);
  /** Called after the run has acquired access to its graphs and before it releases it: a binding
   * releases its own lock in the first and acquires it in the second. Both or neither. */
  void (*entered)(void *userData);
  void (*leaving)(void *userData);
  void *userData; /**< of the functions above */
  size_t numOptions;
  const GePassOption *options; /**< what passes ask with gePassRunGetOption: names and values */
  bool verifyWhole; /**< the whole graph after each pass that changed something. O(size) each */
  bool trace;       /**< passes tell the trace also what costs to find out: gePassRunIsTraced */
  bool acceptContradictions; /**< of `verify`: a pass may leave types that contradict each other */
} GePassRunOptions;
/** Sets `size`, which is sizeof(GePassRunOptions), and the defaults. Does nothing with NULL. */
GE_C_API void gePassRunOptionsInit(GePassRunOptions *options, size_t size);

/** Runs the pipeline on all graphs of a module. GE_ERROR_PASS with diagnostics when a pass failed;
 * GE_ERROR_BUSY when another thread uses a graph of the run, or writes one that it reads (`inline`
 * on a graph reads its module); else the error of a hook or of writing a file. `options` and
 * `report` may be NULL; the report is filled also on failure. */
GE_C_API GeStatus gePassManagerRunModule(GePassManager *manager, GeModule *module,
                                         const GePassRunOptions *options, GePassReport *report);
/** Runs the pipeline on one graph, a root or a body. Errors as gePassManagerRunModule. */
GE_C_API GeStatus gePassManagerRunGraph(GePassManager *manager, GeGraphRef *graph,
                                        const GePassRunOptions *options, GePassReport *report);

/* --- Reports ---------------------------------------------------------------------------------- */

/** Empty until a run fills it. New reference: gePassReportDestroy. */
GE_C_API GeStatus gePassReportCreate(GePassReport **out);
/** Accepts NULL. */
GE_C_API void gePassReportDestroy(GePassReport *report);
/** Executions of passes, in the order of their starts. */
GE_C_API size_t gePassReportSize(GePassReport *report);
GE_C_API GeStatus gePassReportGet(GePassReport *report, size_t index, GePassRecord *out);
/** Remarks of the run, not of one pass: doubtful names in a switch file, errors in the input
 * graph. */
GE_C_API size_t gePassReportNumRemarks(GePassReport *report);
GE_C_API GeStatus gePassReportGetRemark(GePassReport *report, size_t index, GeDiagnostic *out);
GE_C_API bool gePassReportHasChanged(GePassReport *report);
GE_C_API double gePassReportSeconds(GePassReport *report);

typedef enum GePassReportForm {
  GE_PASS_TIMING = 0, /**< a table */
  GE_PASS_STATISTICS, /**< a list */
  GE_PASS_TRACE       /**< Chrome's trace events, JSON */
} GePassReportForm;
/** O(executions). */
GE_C_API GeStatus gePassReportPrint(GePassReport *report, GePassReportForm form,
                                    GeStringCallback callback, void *userData);

GE_C_END

#endif /* GE_C_PASSES_H */
