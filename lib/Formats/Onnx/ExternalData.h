//===- ExternalData.h - the files beside a model ----------------------------------------------===//
#ifndef GE_LIB_FORMATS_ONNX_EXTERNALDATA_H
#define GE_LIB_FORMATS_ONNX_EXTERNALDATA_H

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

/// Files of one directory, each mapped once. Nothing outside of it is opened, also not through a
/// link, except below `roots`.
class ExternalFiles {
public:
  ExternalFiles(std::string directory, std::vector<std::string> roots)
      : directory_(std::move(directory)), roots_(std::move(roots)) {}
  /// Error(Model) for a place outside of the directory, and what is not a regular file; Error(OS)
  /// when it cannot be opened.
  std::shared_ptr<const MappedFile> open(const std::string &location);

private:
  bool isInside(const std::string &path);

  std::string directory_; ///< empty: there is none
  std::vector<std::string> roots_;
  std::string resolved_;                 ///< the directory without links, with '/' behind
  std::vector<std::string> directories_; ///< the same of all that are allowed; empty: not yet known
  std::map<std::string, std::shared_ptr<const MappedFile>, std::less<>> files_;
};

} // namespace ge::onnx

#endif // GE_LIB_FORMATS_ONNX_EXTERNALDATA_H
