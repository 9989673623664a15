//===- Blobs.h - tensors that print as resources --------------------------------------------------===//
#ifndef GE_LIB_TEXT_BLOBS_H
#define GE_LIB_TEXT_BLOBS_H

#include "ge/IR/Tensor.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ge::text {

/// Keys for tensors in the order in which they are met; each tensor object gets one.
class Blobs {
public:
  /// The key, quoted if it must be; `wanted` if that is free, else `wanted_1`, ...
  std::string_view key(const Tensor *tensor, std::string_view wanted);
  /// The section after the graphs; nothing when there are no blobs.
  void print(std::string &out) const;

private:
  struct Blob {
    const Tensor *tensor;
    std::string key; ///< as printed
  };
  std::vector<Blob> blobs_;
  std::unordered_map<const Tensor *, size_t> index_;
  std::unordered_map<std::string, uint32_t> taken_; ///< key to the last number tried after it
};

} // namespace ge::text

#endif // GE_LIB_TEXT_BLOBS_H
