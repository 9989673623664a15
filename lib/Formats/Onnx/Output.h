//===- Output.h - the file a model is written to, and the data files that are its own ----------===//
//
// A name in a model is never a path to write. Weights go to the first free name of the series
// `<output>.data`, `<output>.data.1`, ... in the output's directory. When the path is a link, the
// output is the file that it leads to: model and data go to one directory. The output owns a file
// of the series if the model at the output path references it and no other model of the directory,
// or of one above, does; only owned files are replaced or removed.
//
#ifndef GE_LIB_FORMATS_ONNX_OUTPUT_H
#define GE_LIB_FORMATS_ONNX_OUTPUT_H

#include "ge/Support/AtomicFile.h"
#include "ge/Support/OutputPlace.h"

#include <map>
#include <memory>
#include <optional>
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
  /// An empty path: the model is serialized to memory. `directory`: an open directory in which the
  /// last part of the path is the output's name, which may not be a link.
  explicit Output(std::string path, const int *directory = nullptr);
  ~Output();
  Output(const Output &) = delete;
  Output &operator=(const Output &) = delete;

  const std::string &path() const { return path_; }
  bool isFile() const { return !path_.empty(); }
  /// Whether data files can be written beside it: a regular file, or a path that does not exist
  /// yet.
  bool canHaveData() const { return canHaveData_; }

  /// Whether `location`, relative to the output's directory, is the mapped file, which is
  /// unchanged, inside that directory, and not the file that the output replaces.
  bool keeps(const std::string &location, const std::shared_ptr<const MappedFile> &file);

  /// Whether `name` beside the output is the output itself, also by a link.
  bool isSelf(const std::string &name) const;

  /// The output's new file, which replaces the old one when it is committed.
  std::unique_ptr<AtomicFile> open(bool isNew, bool allowPipe);
  /// Takes the rights of the output's old file, or else, if there are any, of its old data.
  void copyRights(AtomicFile &to, const std::vector<std::string> &oldData) const;
  /// A new, empty file of the series.
  std::unique_ptr<AtomicFile> reserve(std::string &name);
  /// A new file `name`; null when a file of that name is there and may be replaced. EEXIST when it
  /// may not, ELOOP for a link. `overwrite`: every regular file may.
  std::unique_ptr<AtomicFile> reserve(const std::string &name, bool overwrite);
  /// Replaces a file beside the output, whole or not at all.
  std::unique_ptr<AtomicFile> replace(const std::string &name);

  /// The data files that the output owns (see above).
  std::vector<std::string> ownData();
  /// Records files that will become unreferenced.
  void noteForRemoval(const std::vector<std::string> &names);
  /// Removes the files of `names`, and leftovers of killed saves, that no model references.
  void removeUnreferenced(const std::vector<std::string> &names);
  /// Whether a killed save left files.
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
  std::shared_ptr<const Directory> directory_;
  std::optional<SystemError> error_; ///< why there is no directory
  std::string resolvedDirectory_;
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
