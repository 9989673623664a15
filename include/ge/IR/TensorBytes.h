//===- TensorBytes.h - the stored bytes of tensors, guarded against changes on disk -----------===//
//
// Use Tensor::bytes() of a mapped tensor for its address and size only: a load ends the process
// with SIGBUS if the file was truncated. Code that reads stored bytes uses these functions. All of
// them, and functions that read elements of a Tensor, throw Error(Model) if the file has changed on
// disk.
//
#ifndef GE_IR_TENSORBYTES_H
#define GE_IR_TENSORBYTES_H

#include "ge/IR/Tensor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace ge {

/// True when the stored bytes are a part of a mapped file.
bool isMapped(const Tensor &tensor);
/// Error(Model) when the file that the tensor is mapped from has changed on disk.
void checkFile(const Tensor &tensor);
/// Copies `bytes` stored bytes, which must lie inside, from `offset` on.
void readStored(const Tensor &tensor, size_t offset, size_t bytes, void *out);
/// Agrees with Tensor::equals(), and differs for almost all tensors that do not. O(bytes).
uint64_t contentHash(const Tensor &tensor);
/// The same contents under another type with as many elements of the same size; bytes are shared,
/// mapped ones stay mapped. Errors as Tensor::borrow().
Tensor *retype(const Type *type, const Tensor &from);

/// The stored bytes of a tensor, or some of them, to read: in place, or copied where they are
/// mapped. Valid while this object and the tensor live.
class TensorBytes {
public:
  TensorBytes() = default;
  explicit TensorBytes(const Tensor &tensor) : TensorBytes(tensor, 0, tensor.bytes().size()) {}
  TensorBytes(const Tensor &tensor, size_t offset, size_t bytes);
  /// Bytes that the caller keeps alive.
  explicit TensorBytes(std::string_view bytes) : bytes_(bytes) {}

  std::string_view get() const { return bytes_; }
  const char *data() const { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }

private:
  std::unique_ptr<char[]> copy_;
  std::string_view bytes_;
};

} // namespace ge

#endif // GE_IR_TENSORBYTES_H
