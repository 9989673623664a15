/*===- ge-c/ONNX.h - ONNX models in and out -------------------------------------------------===*\
|*
|* docs/onnx.md says where each field of a model is in the IR.
|*
|* Nothing here takes a lock of the host's. Reading makes a module that nobody else knows yet.
|* Serializing needs read access to the module and each graph for its duration, as printing does
|* (see Text.h); what it gives needs the module no longer.
|*
\*===----------------------------------------------------------------------------------------===*/
#ifndef GE_C_ONNX_H
#define GE_C_ONNX_H

#include "ge-c/IR.h"

GE_C_BEGIN

typedef struct GeOnnxLoadOptions {
  size_t size;                  /**< sizeof(GeOnnxLoadOptions) */
  GeStringRef directory;        /**< of external data. Empty: of the file; bytes have none then */
  const GeStringRef *dataRoots; /**< directories where links to external data may lead */
  size_t numDataRoots;
  bool allowPipe; /**< read the model from a pipe, a device or a file of /proc, 2 GiB at most */
} GeOnnxLoadOptions;

/** Reads a file, which stays mapped while a tensor of it lives: weights are views into it, and
 * later readers give GE_ERROR_MODEL once it has changed on disk. `options` may be NULL. GE_ERROR_OS
 * when a file cannot be read, or is not a regular file and neither `allowPipe` is set nor `path` is
 * /dev/stdin or /dev/null; GE_ERROR_MODEL with byte offset and field path when it is no model, and
 * when its external data is outside of the directory and of the data roots. Nothing is left then.
 * New reference. O(size without weights). */
GE_C_API GeStatus geOnnxLoad(GeContext *context, GeStringRef path, const GeOnnxLoadOptions *options,
                             GeModule **out);
/** The same of bytes, which are not copied: `release(owner)` is called once nobody needs them, on
 * any thread. release == NULL: they are copied. On failure nothing is taken. New reference. */
GE_C_API GeStatus geOnnxLoadBytes(GeContext *context, const void *data, size_t size,
                                  void (*release)(void *owner), void *owner,
                                  const GeOnnxLoadOptions *options, GeModule **out);

typedef enum GeOnnxExternalData {
  GE_ONNX_EXTERNAL_KEEP = 0, /**< what was external and did not change stays in its file */
  GE_ONNX_EXTERNAL_NEVER,    /**< everything in the model */
  GE_ONNX_EXTERNAL_ALWAYS    /**< initializers of `threshold` bytes and more in one file */
} GeOnnxExternalData;

typedef struct GeOnnxSaveOptions {
  size_t size; /**< sizeof(GeOnnxSaveOptions) */
  GeOnnxExternalData externalData;
  GeStringRef location; /**< name of that file; empty: the model's, with ".data" behind */
  uint64_t threshold;
} GeOnnxSaveOptions;

/** A model that is ready to be written; immutable. It holds the tensors it refers to. */
typedef struct GeOnnxModel GeOnnxModel;

/** `path`: where it will be written, for the name of the external data; empty when it will not be a
 * file, and then nothing new becomes external. `options` may be NULL: keep, threshold 1024.
 * GE_ERROR_MODEL names what ONNX cannot express, GE_ERROR_VERIFY a cycle. New reference:
 * geOnnxModelRelease. O(nodes + edges + small tensors). */
GE_C_API GeStatus geOnnxSerialize(GeModule *module, GeStringRef path,
                                  const GeOnnxSaveOptions *options, GeOnnxModel **out);
GE_C_API void geOnnxModelRelease(GeOnnxModel *model);
/** Bytes of the model, without external data. */
GE_C_API uint64_t geOnnxModelSize(GeOnnxModel *model);
/** Writes that many bytes; GE_ERROR_VALUE when `size` is another number, GE_ERROR_MODEL when they
 * are more than protobuf allows. O(size). */
GE_C_API GeStatus geOnnxModelCopyTo(GeOnnxModel *model, void *out, size_t size);
/** Writes external data and model to temporary files beside their places and renames them, the
 * model last. On GE_ERROR_OS the old files stay. A crash between two renames leaves new data beside
 * an old model. O(size). */
GE_C_API GeStatus geOnnxModelWrite(GeOnnxModel *model, GeStringRef path);

/** geOnnxSerialize and geOnnxModelWrite. */
GE_C_API GeStatus geOnnxSave(GeModule *module, GeStringRef path, const GeOnnxSaveOptions *options);

GE_C_END

#endif /* GE_C_ONNX_H */
