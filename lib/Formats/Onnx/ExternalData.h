//===- ExternalData.h - the files beside a model ----------------------------------------------===//
#ifndef GE_LIB_FORMATS_ONNX_EXTERNALDATA_H
#define GE_LIB_FORMATS_ONNX_EXTERNALDATA_H

#include "ge/Support/Directory.h"
#include "ge/Support/MappedFile.h"
#include "ge/Support/Wire/Wire.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ge::onnx {

/// What the entries of TensorProto.external_data say.
struct ExternalPlace {
  std::string location;
  uint64_t offset = 0;
  uint64_t length = 0;
  bool hasLength = false;
};

/// Unknown keys are passed over. Error(Model).
ExternalPlace externalPlace(const WireSource &source, const std::vector<std::string_view> &entries,
                            const FieldPath *path);

/// The last part of a path.
inline std::string_view fileNameOf(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// Why `location` may not be the place of data, or empty: it must be relative and without `..`.
std::string_view refusedLocation(std::string_view location);

/// Maps the files of one directory, each once. Opens nothing outside the directory, not even
/// through a link, except below `roots`: each component of a path is opened relative to the open
/// directory and without following links, so another process cannot redirect it.
class ExternalFiles {
public:
  /// `opened`: the directory, when it is open already.
  ExternalFiles(std::string directory, std::vector<std::string> roots,
                std::shared_ptr<const Directory> opened)
      : path_(std::move(directory)), roots_(std::move(roots)), opened_(std::move(opened)) {}
  /// Throws Error(Model) for a location outside the directory or a file that is not regular, and
  /// Error(OS) when it cannot be opened.
  std::shared_ptr<const MappedFile> open(const std::string &location);

private:
  /// A directory, and its path with links resolved and a trailing '/'.
  struct Place {
    std::shared_ptr<const Directory> directory;
    std::string path;
  };
  void openDirectory();
  std::shared_ptr<const MappedFile> openLink(const std::string &location);

  std::string path_; ///< empty: there is no directory
  std::vector<std::string> roots_;
  std::shared_ptr<const Directory> opened_;
  Place own_;                  ///< opened when needed
  std::vector<Place> allowed_; ///< those of roots_; opened for the first link that leads out
  std::map<std::string, std::shared_ptr<const MappedFile>, std::less<>> files_;
};

} // namespace ge::onnx

#endif // GE_LIB_FORMATS_ONNX_EXTERNALDATA_H
