/*===- ge-c/TensorFiles.h - tensors that are mapped from files ------------------------------===*\
|*
|* The bytes of a tensor may be a part of a mapped file (geTensorMapFile, geOnnxLoad). After a
|* change of this file on disk, functions that read elements return GE_ERROR_MODEL. geTensorGetBytes
|* checks only when it is called: a load from the returned bytes raises SIGBUS if the file was
|* truncated later. The functions here read safely. They take tensors of all kinds.
|* Since 0.1 unless a function states otherwise.
|*
\*===----------------------------------------------------------------------------------------===*/
#ifndef GE_C_TENSORFILES_H
#define GE_C_TENSORFILES_H

#include "ge-c/IR.h"

GE_C_BEGIN

/** True when the stored bytes are a part of a mapped file. */
GE_C_API bool geTensorIsMapped(GeTensor *tensor);
/** Copies a range of the stored bytes (see geTensorGetBytes). GE_ERROR_VALUE for a range that is
 * out of bounds, GE_ERROR_TYPE for strings, GE_ERROR_MODEL when their file has changed on disk.
 * O(bytes). */
GE_C_API GeStatus geTensorReadBytes(GeTensor *tensor, size_t offset, void *out, size_t bytes);
/** Reinterprets a tensor as another type with as many elements of the same size; the bytes are
 * shared. New reference. */
GE_C_API GeStatus geTensorRetype(GeType type, GeTensor *tensor, GeTensor **out);

GE_C_END

#endif /* GE_C_TENSORFILES_H */
