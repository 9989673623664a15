//===- ONNX.h - ONNX models as modules, and back ----------------------------------------------===//
//
// docs/onnx.md says where each field of a model is in the IR.
//
#ifndef GE_FORMATS_ONNX_ONNX_H
#define GE_FORMATS_ONNX_ONNX_H

#include "ge/IR/Module.h"
#include "ge/Support/Wire/Wire.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ge {
class AtomicFile;
class Directory;
} // namespace ge

namespace ge::onnx {

struct LoadOptions {
  std::string directory; ///< of external data; empty: of the file, bytes have none
  std::shared_ptr<const Directory> opened = {}; ///< the same; null: it is opened when needed
  std::vector<std::string> dataRoots; ///< directories where links to external data may lead
  bool allowPipe = false;             ///< read the model from a file that is not regular
  bool skipsData = false;             ///< external data is not opened: its tensors are zeros
};

/// Reads a model whose bytes are `source`; tensors are views into it where the wire format allows.
/// External data is looked for in the directory, below the data roots, and nowhere else; without a
/// directory it is Error(Model). Throws Error(Model) with byte offset and field path, and leaves
/// nothing then; Error(OS) when a data file cannot be read. O(size without weights). One reference,
/// the caller's.
Module *readModel(Context &context, const WireSource &source, const LoadOptions &options);

/// The model in a file, which is mapped. External data lies in its directory, or in the one given.
Module *loadModel(Context &context, const std::string &path, LoadOptions options = {});

struct SaveOptions {
  enum class External : uint8_t {
    Keep,   ///< as the model had it: what was external stays in its file when that is unchanged
            ///< and in the output's directory, and goes to a new file otherwise
    Never,  ///< everything inline
    Always, ///< initializers of `threshold` bytes and more go to one new file
  };
  External external = External::Keep;
  std::string location; ///< name of that file; empty: a free name of the series `<model>.data`,
                        ///< `<model>.data.1`, ...
  uint64_t threshold = 1024;
  bool overwrite = false; ///< `location` may be a file that is not the model's own
  bool allowPipe = false; ///< the model may be written to a pipe or a device
  /// The model is read again, without its weights, before it is written.
  bool verify = false;
  bool isNew = false; ///< EEXIST when there is a file at the output path
  /// An open directory, in which the last part of the output path is a name that may not be a link;
  /// null: the path says where it is. Read by serialize() only.
  const int *directory = nullptr;
};

class Output;

/// A new file of external data.
struct NewData {
  struct Part {
    uint64_t offset;
    TensorPtr tensor;
  };
  std::string location;             ///< what the model says
  std::string reserved;             ///< the name of `file`; another one when `location` is replaced
  std::shared_ptr<AtomicFile> file; ///< null when there is no new file
  std::vector<Part> parts;
};

/// A model ready to be written. It needs the module no longer: tensors are held.
struct SerializedModel {
  Encoded bytes;
  std::shared_ptr<Output> output; ///< outlives the data's file: it holds the journal of both
  NewData data;
  /// The same model with its data in `data.reserved`, when data.location is another file's name
  /// until it is replaced.
  Encoded staged;
  bool allowPipe = false;
  bool verify = false;
  bool isNew = false;
};

/// Needs read access to the module and all its graphs. `path`: where the model will be written;
/// empty when it will not be a file, and then nothing new becomes external. The names of new data
/// are reserved in the directory until the model is written or dropped. Error(Model) names what
/// ONNX cannot express; Error(OS) when external data cannot be created, with EEXIST when `location`
/// is a file that is not the model's own. A remark to the context's handlers counts the values
/// whose types have layouts, which ONNX has not. O(nodes + edges + small tensors).
SerializedModel serialize(const Module &module, const SaveOptions &options,
                          const std::string &path);

/// Writes new data and model; when all is on disk the model is renamed over its path, and data
/// files of its series that no model references any more are removed. A crash leaves the old model
/// or the new one, whole; what it leaves besides, the next save removes. Error(OS), and the old
/// files, on failure. Error(Model) when the model has more bytes than protobuf allows, which
/// external data avoids, or cannot be read again, where that is verified. A model with new data can
/// be written once.
void writeModel(SerializedModel &model, const std::string &path);

/// What protobuf allows for one message.
inline constexpr uint64_t kLargestModel = INT32_MAX;
void checkSize(const SerializedModel &model);

} // namespace ge::onnx

#endif // GE_FORMATS_ONNX_ONNX_H
