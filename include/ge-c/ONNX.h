/*===- ge-c/ONNX.h - ONNX models in and out -------------------------------------------------===*\
|*
|* docs/onnx.md says where each field of a model is in the IR.
|*
|* Nothing here takes a lock of the host's. Reading makes a module that is not shared yet.
|* Serializing needs read access to the module and each graph for its duration, as printing does
|* (see Text.h); what it gives needs the module no longer.
|* Since 0.1 but where a function says so.
\*===----------------------------------------------------------------------------------------===*/
#ifndef GE_C_ONNX_H
#define GE_C_ONNX_H

#include "ge-c/IR.h"

GE_C_BEGIN

typedef struct GeOnnxLoadOptions {
  size_t size GE_SIZE_OF(GeOnnxLoadOptions);
  GeStringRef directory;        /**< of external data. Empty: of the file; bytes have none then */
  const GeStringRef *dataRoots; /**< directories where links to external data may lead */
  size_t numDataRoots;
  bool allowPipe; /**< read the model from a pipe, a device or a file of /proc, 2 GiB at most */
} GeOnnxLoadOptions;

/** Reads a file, which stays mapped while a tensor of it lives: weights are views into it, and
 * later readers give GE_ERROR_MODEL once it has changed on disk. `options` may be NULL. GE_ERROR_OS
 * when a file cannot be read, or is not a regular file and neither `allowPipe` is set nor `path` is
 * /dev/stdin or /dev/null; GE_ERROR_MODEL with byte offset and field path when it is not a model,
 * and when its external data is outside of the directory and of the data roots. Nothing is left
 * then. New reference. O(size without weights). */
GE_C_API GeStatus geOnnxLoad(GeContext *context, GeStringRef path, const GeOnnxLoadOptions *options,
                             GeModule **out);
/** The same of bytes, which are not copied: `release(owner)` is called once they are no longer
 * needed, on any thread. release == NULL: they are copied. On failure nothing is taken. New
 * reference. */
GE_C_API GeStatus geOnnxLoadBytes(GeContext *context, const void *data, size_t size,
                                  void (*release)(void *owner), void *owner,
                                  const GeOnnxLoadOptions *options, GeModule **out);

typedef enum GeOnnxExternalData {
  /** What was external stays in its file when it is unchanged and that file lies in the output's
   * directory; else it goes to new data. */
  GE_ONNX_EXTERNAL_KEEP = 0,
  GE_ONNX_EXTERNAL_NEVER, /**< everything in the model */
  GE_ONNX_EXTERNAL_ALWAYS /**< initializers of `threshold` bytes and more in new data */
} GeOnnxExternalData;

typedef struct GeOnnxSaveOptions {
  size_t size GE_SIZE_OF(GeOnnxSaveOptions);
  GeOnnxExternalData externalData;
  /** Name of the file of new data, without directories; empty: the first free name of the series
   * `<model>.data`, `<model>.data.1`, ... */
  GeStringRef location;
  uint64_t threshold;
  /** `location` may be the name of a file that is there. Without it, only a file of the series
   * that the model at the output path, and no other model of the directory, refers to is
   * replaced. */
  bool overwrite;
  bool allowPipe; /**< write the model to a pipe or a device */
} GeOnnxSaveOptions;

/** A model that is ready to be written; immutable. It holds the tensors it refers to. */
typedef struct GeOnnxModel GeOnnxModel;

/** `path`: where it will be written, for the name of the external data; empty when it will not be a
 * file, and then nothing new becomes external. `options` may be NULL: keep, threshold 1024. New
 * data is an empty file at its place from here on, removed with the model if that is not written; a
 * name in a model that was read is never a path to write. GE_ERROR_MODEL names what ONNX cannot
 * express, GE_ERROR_VERIFY a cycle; GE_ERROR_OS when new data cannot be created, with EEXIST when
 * `location` exists and may not be replaced. New reference: geOnnxModelRelease. O(nodes + edges +
 * small tensors). */
GE_C_API GeStatus geOnnxSerialize(GeModule *module, GeStringRef path,
                                  const GeOnnxSaveOptions *options, GeOnnxModel **out);
GE_C_API void geOnnxModelRelease(GeOnnxModel *model);
/** Bytes of the model, without external data. */
GE_C_API uint64_t geOnnxModelSize(GeOnnxModel *model);
/** Writes that many bytes; GE_ERROR_VALUE when `size` is another number, GE_ERROR_MODEL when they
 * are more than protobuf allows. O(size). */
GE_C_API GeStatus geOnnxModelCopyTo(GeOnnxModel *model, void *out, size_t size);
/** Writes new external data and the model to temporary files and renames the model over its path
 * (see geFileWrite); then data files of its series that no model of the directory refers to any
 * more are removed. On GE_ERROR_OS the old files stay. A crash leaves the old model or the new one,
 * whole, and what it leaves besides, the next save removes. GE_ERROR_VALUE when a model with new
 * data is written twice, or to another path. O(size). */
GE_C_API GeStatus geOnnxModelWrite(GeOnnxModel *model, GeStringRef path);

/** geOnnxSerialize and geOnnxModelWrite. */
GE_C_API GeStatus geOnnxSave(GeModule *module, GeStringRef path, const GeOnnxSaveOptions *options);

GE_C_END

#endif /* GE_C_ONNX_H */
