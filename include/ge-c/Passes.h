/*===- ge-c/Passes.h - passes, pipelines, what they did -------------------------------------===*\
|*
|* Each execution of a pass is a transaction: what fails leaves the graph as it was before that
|* pass. A run holds write access to its graphs from start to end, also in serialized contexts; a
|* binding may let go of its own lock around it. Callbacks run on the calling thread, inside that
|* access, and may do to the graphs of the run whatever that thread may do.
|*
|* Structs that callbacks get, and all that they point to, live until the callback returns.
|* Since 0.1 but where a function says so.
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

/** What is known of a pass. Strings are copied where a function takes one. */
typedef struct GePassInfo {
  size_t size GE_SIZE_OF(GePassInfo);
  GeStringRef name;     /**< as in pipelines */
  GeStringRef doc;      /**< one sentence */
  GeStringRef kind;     /**< "native", "pattern_fusion", ... */
  GeStringRef stage;    /**< "BeforeInferShape", ...; may be empty */
  GeStringRef origin;   /**< file or package; empty: this library */
  GeStringRef version;  /**< of the package; may be empty */
  GeStringRef pipeline; /**< an alias stands for it; else empty */
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

/** The functions of a pass of C, or of a language above it. */
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

/** GE_ERROR_VALUE for a name that is taken, empty, or "fixpoint". On failure `release` is not
 * called. With `info->pipeline` it is an alias, and `table` may be NULL. */
GE_C_API GeStatus gePassRegister(const GePassInfo *info, const GePassTable *table);
/** Managers that have it keep it. GE_ERROR_KEY when there is none. */
GE_C_API GeStatus gePassUnregister(GeStringRef name);
/** All passes by name, native ones and registered ones. O(passes). */
GE_C_API GeStatus gePassForEach(void (*callback)(const GePassInfo *info, void *userData),
                                void *userData);

/** The passes of a stage that are on, in the order in which a host runs them, whatever they are
 * written in: those of kind "legacy_custom" first, in the order of registration, then by priority
 * and name, as far as `before` and `after` say nothing else. An empty stage: those of no stage.
 * `options` (may be NULL): "name" = "on" or "off" switches a pass; "ge.fusionSwitchFile" names a
 * fusion switch file. GE_ERROR_VALUE for a stage that is neither one of CANN's ("BeforeInferShape",
 * "AfterInferShape", "AfterBuiltinFusionPass", "AfterOriginGraphOptimize") nor that of a registered
 * pass, and for a circle of `before` and `after`. A switch file that cannot be read switches
 * nothing. O(passes log passes). */
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
/** Adds to a number that is shown. O(log statistics). */
GE_C_API GeStatus gePassRunCount(GePassRun *run, GeStringRef statistic, uint64_t n);
/** A text of this execution that the trace shows (GE_PASS_TRACE), such as the id of an instance; it
 * replaces one of that name. O(log texts). */
GE_C_API GeStatus gePassRunTrace(GePassRun *run, GeStringRef name, GeStringRef text);
/** Whether a trace is wanted (GePassRunOptions.trace): else a pass need not collect what costs time
 * to find out. */
GE_C_API GeStatus gePassRunIsTraced(GePassRun *run, bool *out);
/** Before a rewrite that is not that of a rule, and that begins at the node with that name: whether
 * it may happen, by GePassRunOptions.rewriteLimit. If so it counts. */
GE_C_API GeStatus gePassRunTakeRewrite(GePassRun *run, GeStringRef at, bool *out);
/** Something that a person should know and that is not a failure. `where` may be NULL. */
GE_C_API GeStatus gePassRunRemark(GePassRun *run, GeSeverity severity, GeLocation where,
                                  GeStringRef message);
/** What a status other than GE_OK, returned after this, means. `fatal`: ends also a run that goes
 * on after failures. `file` may be empty, `line` 0. */
GE_C_API GeStatus gePassRunSetFailure(GePassRun *run, GeStringRef file, uint32_t line,
                                      GeStringRef message, bool fatal);
/** Erases a graph of the module when the pass has succeeded. Inside, graphs are in transactions and
 * cannot be erased. */
GE_C_API GeStatus gePassRunEraseGraphLater(GePassRun *run, GeGraphRef *graph);

/* --- Pipelines -------------------------------------------------------------------------------- */

/** "infer-types,fixpoint(cse,dce),onnx.If(cse),fold{limit=1024}"; see docs/passes.md. Empty: none.
 * GE_ERROR_PARSE with place, caret and near names. New reference: gePassManagerDestroy. O(text). */
GE_C_API GeStatus gePassManagerParse(GeStringRef pipeline, GePassManager **out);
/** Accepts NULL. */
GE_C_API void gePassManagerDestroy(GePassManager *manager);
/** At the end: what a text says. */
GE_C_API GeStatus gePassManagerAdd(GePassManager *manager, GeStringRef pipeline);
/** At the end: the passes of a stage; see gePassForEachOfStage, also for the errors. What is wrong
 * with a switch file is a remark of each run's report. */
GE_C_API GeStatus gePassManagerAddStage(GePassManager *manager, GeStringRef stage,
                                        const GePassOption *options, size_t numOptions);
/** At the end: a pass that is in no registry. On failure `release` is not called. */
GE_C_API GeStatus gePassManagerAddTable(GePassManager *manager, const GePassInfo *info,
                                        const GePassTable *table);
/** Gives an option to each pass in it, also inside groups and aliases, that has it and is not given
 * it; an alias without that option becomes what it stands for. GE_ERROR_VALUE when a pass refuses
 * the value. O(text). */
GE_C_API GeStatus gePassManagerSetOption(GePassManager *manager, GeStringRef option,
                                         GeStringRef value);
/** The text, which reads back equal when all passes are registered. */
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
/** The pipeline of a group. GE_ERROR_VALUE: it is none. New reference: gePipelineDestroy. */
GE_C_API GeStatus gePipelineGetGroup(GePipeline *pipeline, size_t index, GePipeline **out);
/** `count` elements from `begin` on. GE_ERROR_INDEX. New reference: gePipelineDestroy. O(count). */
GE_C_API GeStatus gePipelineSlice(GePipeline *pipeline, size_t begin, size_t count,
                                  GePipeline **out);
/** Copies the elements of `other` to the end; both may be the same. */
GE_C_API GeStatus gePipelineAppend(GePipeline *pipeline, GePipeline *other);
/** Removes the passes with a name, also inside groups, and groups that this leaves empty; `count`
 * becomes how many passes, and may be NULL. An alias is one name. O(elements). */
GE_C_API GeStatus gePipelineRemove(GePipeline *pipeline, GeStringRef pass, size_t *count);
/** Gives an option to each pass with a name, also inside groups, that is not given it; `count`
 * becomes how many have that name, and may be NULL. The pass checks it when the text is parsed for
 * a manager. O(elements). */
GE_C_API GeStatus gePipelineSetOption(GePipeline *pipeline, GeStringRef pass, GeStringRef option,
                                      GeStringRef value, size_t *count);
/** Puts what aliases stand for in their places. GE_ERROR_PARSE: an alias has options that it does
 * not take; nothing is changed then. O(text). */
GE_C_API GeStatus gePipelineExpandAliases(GePipeline *pipeline);
/** The text, which reads back equal. */
GE_C_API GeStatus gePipelinePrint(GePipeline *pipeline, GeStringCallback callback, void *userData);

typedef enum GePassOutcome {
  GE_PASS_UNCHANGED = 0,
  GE_PASS_CHANGED,
  GE_PASS_SKIPPED, /**< by the bisect limit, or by a hook */
  GE_PASS_FAILED   /**< and undone */
} GePassOutcome;

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
} GePassRecord;

/** In the order of names. O(index). */
GE_C_API GeStatus gePassRecordGetStatistic(const GePassRecord *record, size_t index,
                                           GeStringRef *name, uint64_t *value);
GE_C_API GeStatus gePassRecordGetRemark(const GePassRecord *record, size_t index,
                                        GeDiagnostic *out);
/** Of a failure (GE_PASS_FAILED); else its message is empty. */
GE_C_API GeStatus gePassRecordGetError(const GePassRecord *record, GeDiagnostic *out);

/** One rewrite. Of a rule: its replacement is built and nothing is exchanged yet, so that what
 * matched and what was made stand in `graph` side by side. Of another pass: it has happened, or is
 * about to, and `graph` is NULL. All is borrowed for the call. */
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

/** What happens beside the passes. With all but `size` zero it is: check nothing, print
 * nothing, stop at the first failure; gePassRunOptionsInit gives the defaults. Strings need live
 * during the run only. */
typedef struct GePassRunOptions {
  size_t size GE_SIZE_OF(GePassRunOptions);
  /** After each pass that changed something: what it edited; what is wrong fails the pass. At the
   * end the whole graph: what is wrong there is no pass's doing, and a remark of the run. On by
   * default. */
  bool verify;
  bool skipFailures; /**< go on with the next pass */
  bool printBefore;
  bool printAfter;
  bool printChanged; /**< after passes that changed something */
  bool printFailed;  /**< what a failing pass left behind, before it is undone */
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
  /** When the run has access to its graphs, and before it gives that back: where a binding lets go
   * of its own lock, and takes it again. Both or none is called. */
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

/** GE_ERROR_PASS with diagnostics when a pass failed; GE_ERROR_BUSY when another thread uses a
 * graph of the run, or writes one that it reads (`inline` on a graph reads its module); else what a
 * hook or the writing of a file gave. `options` and `report` may be NULL; the report is filled also
 * on failure. */
GE_C_API GeStatus gePassManagerRunModule(GePassManager *manager, GeModule *module,
                                         const GePassRunOptions *options, GePassReport *report);
/** The same for one graph: a root, or a body. */
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
/** Of the run itself, not of one pass: a switch file that could not be read, what was wrong in the
 * graph before. */
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
