//===- ONNX.h - ONNX models as modules, and back ----------------------------------------------===//
//
// docs/onnx.md says where each field of a model is in the IR.
//
#ifndef GE_ONNX_ONNX_H
#define GE_ONNX_ONNX_H

#include "ge/IR/Module.h"
#include "ge/ONNX/Wire.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ge::onnx {

struct LoadOptions {
  std::string directory;              ///< of external data; empty: of the file, bytes have none
  std::vector<std::string> dataRoots; ///< directories where links to external data may lead
  bool allowPipe = false;             ///< read the model from a file that is not regular
};

/// Reads a model whose bytes are `source`; tensors are views into it where the wire format allows.
/// External data is looked for in the directory, below the data roots, and nowhere else; without a
/// directory it is Error(Model). Throws Error(Model) with byte offset and field path, and leaves
/// nothing then; Error(OS) when a data file cannot be read. O(size without weights). One reference,
/// the caller's.
Module *readModel(Context &context, const Source &source, const LoadOptions &options);

/// The model in a file, which is mapped. External data lies in its directory, or in the one given.
Module *loadModel(Context &context, const std::string &path, LoadOptions options = {});

struct SaveOptions {
  enum class External : uint8_t {
    Keep,   ///< as the model had it: what was external and did not change stays where it was
    Never,  ///< everything inline
    Always, ///< initializers of `threshold` bytes and more go to one file
  };
  External external = External::Keep;
  std::string location; ///< name of that file; empty: the model's, with ".data" behind
  uint64_t threshold = 1024;
};

/// A file of external data: tensors at their places.
struct DataFile {
  struct Part {
    uint64_t offset;
    TensorPtr tensor;
  };
  std::string location; ///< relative to the model's directory
  std::vector<Part> parts;
  bool isKept = false; ///< the tensors are parts of such a file already
};

/// A model ready to be written. It needs the module no longer: tensors are held.
struct SerializedModel {
  Encoded bytes;
  std::vector<DataFile> files;
};

/// Needs read access to the module and all its graphs. `fileName`: of the model, for the name of
/// its data; empty when it will not be a file, and then nothing new becomes external. Error(Model)
/// names what ONNX cannot express. O(nodes + edges + small tensors).
SerializedModel serialize(const Module &module, const SaveOptions &options,
                          std::string_view fileName);

/// Writes data files and model, each to a temporary file; when all are on disk they are renamed,
/// the model last. Error(OS) and the old files on failure. A crash between two renames leaves new
/// data beside the old model. Error(Model) when the model has more bytes than protobuf allows,
/// which external data avoids.
void writeModel(const SerializedModel &model, const std::string &path);

/// What protobuf allows for one message.
inline constexpr uint64_t kLargestModel = INT32_MAX;
void checkSize(const SerializedModel &model);

} // namespace ge::onnx

#endif // GE_ONNX_ONNX_H
