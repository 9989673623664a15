//===- References.h - the data files that a model file names ----------------------------------===//
#ifndef GE_LIB_FORMATS_ONNX_REFERENCES_H
#define GE_LIB_FORMATS_ONNX_REFERENCES_H

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ge::onnx {

/// Device and inode.
using FileKey = std::pair<uint64_t, uint64_t>;

/// The files of a directory that its models, and those of the directories above, name as external
/// data.
class References {
public:
  /// `name` in the directory, or another one that leads to it.
  bool contains(const std::string &name, FileKey key) const {
    return names_.contains(name) || files_.contains(key);
  }
  bool empty() const { return names_.empty() && files_.empty(); }
  /// False when a file could not be read to its end, or when it would have taken too long: then
  /// nothing is known to be unreferenced.
  bool isComplete = true;

private:
  friend void addReferences(int directory, const std::string &name, References &out,
                            uint64_t &budget);
  friend void addReferencesAbove(int directory, References &out, uint64_t &budget);
  std::set<std::string> names_; ///< of files in the directory itself
  std::set<FileKey> files_;     ///< with links and directories resolved
};

/// Adds the files that the model `name` refers to. A file that is not an ONNX model adds nothing,
/// or what its bytes look like. Reads with pread, so a file that changes meanwhile does no harm;
/// tensors' bytes are passed over. `budget`: bytes that may still be read. O(size without weights).
void addReferences(int directory, const std::string &name, References &out, uint64_t &budget);

/// The names in a directory; empty when it cannot be listed.
std::vector<std::string> namesIn(int directory);

/// Adds what the files of up to three directories above refer to, such as `layers/m.onnx.data`.
/// Ends below a directory that everybody may write to.
void addReferencesAbove(int directory, References &out, uint64_t &budget);

/// References of all regular files in the directory, links to them included, whose names `filter`
/// takes, and of those above.
References referencesInDirectory(int directory,
                                 const std::function<bool(std::string_view)> &filter);

} // namespace ge::onnx

#endif // GE_LIB_FORMATS_ONNX_REFERENCES_H
