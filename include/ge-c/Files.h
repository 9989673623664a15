/*===- ge-c/Files.h - files that are written whole or not at all ----------------------------===*\
|*
|* geFileRead is in Support.h.
|* Since 0.1 unless a function states otherwise.
\*===----------------------------------------------------------------------------------------===*/
#ifndef GE_C_FILES_H
#define GE_C_FILES_H

#include "ge-c/Support.h"

GE_C_BEGIN

typedef struct GeFileWriteOptions {
  size_t size GE_SIZE_OF(GeFileWriteOptions);
  bool isNew;     /**< fail with EEXIST when the path exists, a link included */
  bool allowPipe; /**< write pipes and devices too */
  /** For a path that the program chose, not its user: a symbolic link (ELOOP) or a special file
   * there is an error. */
  bool noLinks;
} GeFileWriteOptions;

/** Writes a file atomically, as GE writes all its files. The bytes go to a new temporary file in
 * the same directory (`<name>.ge-<N>.tmp`), which is synced and renamed. A symbolic link keeps
 * pointing where it points, and its target is replaced. Owner, mode and extended attributes of a
 * file that is replaced are kept where the system allows. /dev/stdout and /dev/null are written
 * directly, other files that are not regular only with `allowPipe`. `options` may be NULL.
 * GE_ERROR_OS (see geErrorGetSystem), and the old file stays. O(size). */
GE_C_API GeStatus geFileWrite(GeStringRef path, const void *data, size_t size,
                              const GeFileWriteOptions *options);

GE_C_END

#endif /* GE_C_FILES_H */
