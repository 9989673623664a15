/*===- ge-c/Text.h - the text form ----------------------------------------------------------===*\
|*
|* MLIR's generic assembly; see docs/text-format.md. Printing holds read access to the module and
|* each graph. A binding that releases its own lock around a call acquires this access first, while
|* it holds the lock (geGraphAcquireRead, geModuleAcquireRead), and releases it afterwards. The
|* callback runs after printing. Cost: O(size).
|* Since 0.1 unless a function states otherwise.
\*===----------------------------------------------------------------------------------------===*/
#ifndef GE_C_TEXT_H
#define GE_C_TEXT_H

#include "ge-c/IR.h"

GE_C_BEGIN

typedef struct GePrintOptions {
  size_t size GE_SIZE_OF(GePrintOptions);
  bool nameAttributes; /**< always print ge.name and ge.result_names, which MLIR's tools keep */
  bool locations;      /**< trailing loc(...) */
  int64_t elideElementsLargerThan; /**< tensors with more elements print as __elided__; -1: never */
} GePrintOptions;

/** `options` may be NULL: SSA names, no locations, nothing elided. */
GE_C_API GeStatus geModulePrint(GeModule *module, const GePrintOptions *options,
                                GeStringCallback callback, void *userData);
GE_C_API GeStatus geGraphPrint(GeGraphRef *graph, const GePrintOptions *options,
                               GeStringCallback callback, void *userData);
/** One node on one line, large tensors elided. */
GE_C_API GeStatus geNodePrint(GeNodeRef *node, GeStringCallback callback, void *userData);

typedef struct GeParseOptions {
  size_t size GE_SIZE_OF(GeParseOptions);
  bool sourceLocations; /**< nodes without loc(...) get their position in the text as location */
} GeParseOptions;
/** GE_ERROR_PARSE with all diagnostics; no module remains. `file` names the source in them.
 * `options` may be NULL. New reference. */
GE_C_API GeStatus geModuleParse(GeContext *context, GeStringRef text, GeStringRef file,
                                const GeParseOptions *options, GeModule **out);
/** Parses a text with exactly one graph, alone or in a module; as geModuleParse. */
GE_C_API GeStatus geGraphParse(GeContext *context, GeStringRef text, GeStringRef file,
                               GeGraphRef **out);
GE_C_API GeStatus geTypeParse(GeContext *context, GeStringRef text, GeType *out);
GE_C_API GeStatus geAttributeParse(GeContext *context, GeStringRef text, GeAttribute *out);

GE_C_END

#endif /* GE_C_TEXT_H */
