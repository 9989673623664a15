/*===- ge-c/ONNX.h - ONNX models in and out -------------------------------------------------===*\
|*
|* docs/onnx.md describes the mapping of a model's fields to the IR.
|*
|* These functions take no lock of the host. Reading creates a module that is not shared yet.
|* Serializing holds read access to the module and each graph, as printing does (see Text.h); the
|* resulting GeOnnxModel does not depend on the module.
|* Since 0.1 unless a function states otherwise.
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

/** Reads a model file, which stays mapped while a tensor of it is alive: weights are views into it,
 * and reading them returns GE_ERROR_MODEL after a change of the file on disk. `options` may be
 * NULL. GE_ERROR_OS when a file cannot be read, or is not a regular file and neither `allowPipe` is
 * set nor `path` is /dev/stdin or /dev/null; GE_ERROR_MODEL with byte offset and field path when it
 * is not a model, and when its external data is outside of the directory and of the data roots. No
 * module remains then. New reference: geModuleRelease. O(size without weights). */
GE_C_API GeStatus geOnnxLoad(GeContext *context, GeStringRef path, const GeOnnxLoadOptions *options,
                             GeModule **out);
/** Reads a model from memory. The bytes are not copied: `release(owner)` is called once they are no
 * longer needed, on any thread. With release == NULL they are copied. On failure the caller keeps
 * ownership. New reference. */
GE_C_API GeStatus geOnnxLoadBytes(GeContext *context, const void *data, size_t size,
                                  void (*release)(void *owner), void *owner,
                                  const GeOnnxLoadOptions *options, GeModule **out);

typedef enum GeOnnxExternalData {
  /** External data that is unchanged stays in its file if that file is in the output's directory;
   * other external data is written to a new file. */
  GE_ONNX_EXTERNAL_KEEP = 0,
  GE_ONNX_EXTERNAL_NEVER, /**< all data in the model file */
  GE_ONNX_EXTERNAL_ALWAYS /**< initializers of at least `threshold` bytes go to a new data file */
} GeOnnxExternalData;

/** The operator sets of the domains that a graph's root, or else its module, records, as a
 * dictionary from domains (ONNX's own is "onnx") to versions: in the attribute `opset`, a number or
 * {onnx = 17}, or in the imports of the model or function that it was read from,
 * `onnx.opset_imports`. A new reference. O(domains). */
GE_C_API GeStatus geGraphGetOpsets(GeGraphRef *graph, GeAttribute *out);

typedef struct GeOnnxSaveOptions {
  size_t size GE_SIZE_OF(GeOnnxSaveOptions);
  GeOnnxExternalData externalData;
  /** Name of the file of new data, without directories; empty: the first free name of the series
   * `<model>.data`, `<model>.data.1`, ... */
  GeStringRef location;
  uint64_t threshold;
  /** `location` may name an existing file, which is replaced. Without it, only a file of the series
   * that the model at the output path, and no other model of the directory, refers to is replaced.
   */
  bool overwrite;
  bool allowPipe; /**< write the model to a pipe or a device */
  /** Reads the model again, without its weights, before anything is replaced; what cannot be read
   * is GE_ERROR_MODEL. */
  bool verify;
  bool isNew; /**< EEXIST when there is a file at the output path */
  /** Descriptor of an open directory, which the call does not keep: the last part of the path is a
   * name in it, and is not followed when it is a link (ELOOP); the rest is for messages. NULL: the
   * path says where the model goes. */
  const int *directory;
} GeOnnxSaveOptions;

/** A serialized model, ready to be written; immutable. It retains the tensors that it refers to. */
typedef struct GeOnnxModel GeOnnxModel;

/** Serializes a module. `path`: the later output, which determines place and name of the external
 * data; a link is followed now, once for model and data. Empty for a model in memory, without new
 * external data. `options` may be NULL: keep, threshold
 * 1024. The new data file is created empty, and removed with the model if the model is not written;
 * names inside of a model that was read are never used as output paths. GE_ERROR_MODEL names what
 * ONNX cannot express, GE_ERROR_VERIFY a cycle; GE_ERROR_OS when new data cannot be created, with
 * EEXIST when `location` exists and may not be replaced. A remark to the context's handlers counts
 * the values whose types have layouts, which ONNX does not have. New reference: geOnnxModelRelease.
 * O(nodes + edges + small tensors). */
GE_C_API GeStatus geOnnxSerialize(GeModule *module, GeStringRef path,
                                  const GeOnnxSaveOptions *options, GeOnnxModel **out);
GE_C_API void geOnnxModelRelease(GeOnnxModel *model);
/** Bytes of the model, without external data. */
GE_C_API uint64_t geOnnxModelSize(GeOnnxModel *model);
/** Copies the model to `out`; GE_ERROR_VALUE unless `size` is geOnnxModelSize, GE_ERROR_MODEL when
 * it exceeds the limit of protobuf. O(size). */
GE_C_API GeStatus geOnnxModelCopyTo(GeOnnxModel *model, void *out, size_t size);
/** Writes new external data and the model to temporary files and renames the model over its path
 * (see geFileWrite); then data files of its series that no model of the directory refers to any
 * more are removed. On GE_ERROR_OS the old files stay. A crash leaves either the old model or the
 * new one complete; the next save removes left-over temporary files. GE_ERROR_VALUE when a model
 * with new data is written twice, or to another path. O(size). */
GE_C_API GeStatus geOnnxModelWrite(GeOnnxModel *model, GeStringRef path);

/** geOnnxSerialize and geOnnxModelWrite. */
GE_C_API GeStatus geOnnxSave(GeModule *module, GeStringRef path, const GeOnnxSaveOptions *options);

GE_C_END

#endif /* GE_C_ONNX_H */
