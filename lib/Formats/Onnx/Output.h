//===- Output.h - the file a model is written to, and the data files that are its own ----------===//
//
// What a model names is never a path to write. Weights go to the series `<output>.data`,
// `<output>.data.1`, ... beside the output, under a name of it that no file has. A file of the
// series is the output's own when the model at the output path references it and no other model of
// the directory does; only such files are replaced or removed.
//
#ifndef GE_LIB_FORMATS_ONNX_OUTPUT_H
#define GE_LIB_FORMATS_ONNX_OUTPUT_H

#include "ge/Support/AtomicFile.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ge {
class MappedFile;
}

namespace ge::onnx {

/// One output path. Members throw SystemError.
class Output {
public:
  /// Empty: the model becomes bytes.
  explicit Output(std::string path);
  ~Output();
  Output(const Output &) = delete;
  Output &operator=(const Output &) = delete;

  const std::string &path() const { return path_; }
  bool isFile() const { return !path_.empty(); }
  /// A regular file, or a path where none is yet: data can lie beside it.
  bool canHaveData() const { return canHaveData_; }

  /// True when `location`, seen from the output's directory, is the file that is mapped, unchanged,
  /// inside that directory, and not the file that the output replaces.
  bool keeps(const std::string &location, const std::shared_ptr<const MappedFile> &file);

  /// A new, empty file of the series.
  std::unique_ptr<AtomicFile> reserve(std::string &name);
  /// A new file `name`; null when a file of that name is there and may be replaced. EEXIST when it
  /// may not, ELOOP for a link. `overwrite`: every regular file may.
  std::unique_ptr<AtomicFile> reserve(const std::string &name, bool overwrite);
  /// Replaces a file beside the output, whole or not at all.
  std::unique_ptr<AtomicFile> replace(const std::string &name);

  /// The output's own data files: of the series, referenced by the model that is at the path.
  std::vector<std::string> ownData();
  /// Notes files that are about to be unreferenced.
  void noteForRemoval(const std::vector<std::string> &names);
  /// Removes those of `names`, and of what killed saves left, that no model references.
  void removeUnreferenced(const std::vector<std::string> &names);
  /// True when a killed save left something.
  bool hasLeftovers();
  /// All is done: there is nothing to be removed when this process is killed from now on.
  void closeJournal();

private:
  const std::shared_ptr<const Directory> &directory();
  bool isOfSeries(std::string_view name) const;
  mode_t newFileMode();
  std::string temporaryBase() const { return name_ + ".data"; }

  std::string path_, directoryPath_, name_;
  bool canHaveData_ = false;
  std::shared_ptr<const Directory> directory_; ///< opened when needed
  std::string resolved_, resolvedDirectory_;
  std::map<std::pair<std::string, const MappedFile *>, bool> kept_;
  // The journal is a temporary file that names the files to be removed, unless a model references
  // them, when this process is killed: new data, and data that the new model no longer needs. It is
  // locked while the process lives.
  void openJournal();
  void note(const std::string &name);
  int journal_ = -1;
  std::string journalName_;
};

} // namespace ge::onnx

#endif // GE_LIB_FORMATS_ONNX_OUTPUT_H
