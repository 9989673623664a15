/*===- ge-c/TensorFiles.h - tensors that are mapped from files ------------------------------===*\
|*
|* The bytes of a tensor may be a part of a mapped file (geTensorMapFile, geOnnxLoad). Once such a
|* file has changed on disk, what reads elements gives GE_ERROR_MODEL. geTensorGetBytes checks when
|* it is called, and not again: loading from what it gave ends the process with SIGBUS after the
file
|* has become shorter. The functions here read safely. They take tensors of all kinds.
|* Since 0.1 but where a function says so.
\*===----------------------------------------------------------------------------------------===*/
#ifndef GE_C_TENSORFILES_H
#define GE_C_TENSORFILES_H

#include "ge-c/IR.h"

GE_C_BEGIN

/** True when the stored bytes are a part of a mapped file. */
GE_C_API bool geTensorIsMapped(GeTensor *tensor);
/** Copies some of the stored bytes, which geTensorGetBytes describes. GE_ERROR_VALUE when they do
 * not lie inside, GE_ERROR_TYPE for strings, GE_ERROR_MODEL when their file has changed on disk.
 * O(bytes). */
GE_C_API GeStatus geTensorReadBytes(GeTensor *tensor, size_t offset, void *out, size_t bytes);
/** The same contents under another type with as many elements of the same size; the bytes are
 * shared. New reference. */
GE_C_API GeStatus geTensorRetype(GeType type, GeTensor *tensor, GeTensor **out);

GE_C_END

#endif /* GE_C_TENSORFILES_H */
