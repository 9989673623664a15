//===- Tensor.h - dense constant values -------------------------------------------------------===//
#ifndef GE_IR_TENSOR_H
#define GE_IR_TENSOR_H

#include "ge/IR/Types.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ge {

class MappedFile;

/// Immutable, reference-counted, with a static tensor type. Bytes are row-major, little-endian and
/// either owned, borrowed from a mapped file, or borrowed from a caller with a release callback
/// (NumPy, DLPack). A splat holds one element and stands for all. Strings are a vector of bytes.
/// A tensor keeps the context of its type.
///
/// Elements under 8 bits take one byte each, or are packed as ONNX packs them (low bits first).
class Tensor {
public:
  using Release = void (*)(void *owner);
  enum class Packing : uint8_t { Bytes, Packed };

  /// Borrows `data` until the last reference goes, then calls `release(owner)`. `bytes` is checked
  /// against the type. Throws Error(Value) when they differ, the type is not a static tensor, or is
  /// of strings; nothing is released then.
  static Tensor *borrow(const Type *type, const void *data, size_t bytes, Release release,
                        void *owner, Packing packing = Packing::Bytes);
  static Tensor *copy(const Type *type, const void *data, size_t bytes,
                      Packing packing = Packing::Bytes);
  static Tensor *map(const Type *type, std::shared_ptr<const MappedFile> file, size_t offset,
                     size_t bytes, Packing packing = Packing::Bytes);
  /// `element` is one element's bytes.
  static Tensor *splat(const Type *type, const void *element, size_t bytes);
  /// One element for a shape of several is a splat.
  static Tensor *strings(const Type *type, std::vector<std::string> elements);

  void retain() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  void release() const;

  const Type *type() const { return type_; }
  bool isSplat() const { return splat_; }
  bool isString() const { return type_->dtype() == DType::String; }
  Packing packing() const { return packing_; }
  /// The stored bytes: one element for a splat. Not for strings.
  std::string_view bytes() const { return {static_cast<const char *>(data_), size_}; }
  std::span<const std::string> strings() const { return strings_; } ///< one for a splat
  int64_t numElements() const { return count_; }
  /// Bytes that all elements take when written out, one byte at least per element.
  size_t denseSize() const;
  /// All elements, row-major, unpacked, one byte at least per element; `out` has denseSize() bytes.
  /// Unused upper bits are 0 and bools are 0 or 1. Not for strings.
  void copyDense(void *out) const;
  /// The same for `count` elements from `first` on. Not for strings.
  void copyElements(int64_t first, int64_t count, void *out) const;
  /// Bytes of one element in the form of copyDense(); 0 for strings.
  size_t elementSize() const;
  /// The file it is mapped from, or null, and the offset in it.
  const std::shared_ptr<const MappedFile> &file() const { return file_; }
  size_t fileOffset() const { return fileOffset_; }
  /// Where a language binding keeps its object.
  std::atomic<void *> &slot() const { return slot_; }

  /// Same type and values, bit for bit (a splat equals its dense form). O(1) for one part of a
  /// file.
  bool equals(const Tensor &other) const;
  /// Agrees with equals(); the same in every process. Of the type, and of 4 KiB at each end.
  uint64_t hash() const;

private:
  Tensor() = default;
  ~Tensor();
  static Tensor *make(const Type *type, Packing packing, bool splat);
  uint64_t computeHash() const;
  mutable std::atomic<uint32_t> refs_{1};
  const Type *type_ = nullptr;
  const void *data_ = nullptr;
  size_t size_ = 0;
  int64_t count_ = 0;
  bool splat_ = false;
  bool owned_ = false;
  Packing packing_ = Packing::Bytes;
  Release release_ = nullptr;
  void *owner_ = nullptr;
  std::shared_ptr<const MappedFile> file_;
  size_t fileOffset_ = 0;
  std::vector<std::string> strings_;
  mutable std::atomic<void *> slot_{nullptr};
  mutable std::atomic<uint64_t> hash_{0}; ///< 0: not computed
};

/// Owning pointer to a Tensor.
class TensorPtr {
public:
  TensorPtr() = default;
  static TensorPtr adopt(const Tensor *tensor) {
    TensorPtr p;
    p.tensor_ = tensor;
    return p;
  }
  explicit TensorPtr(const Tensor *tensor) : tensor_(tensor) {
    if (tensor_)
      tensor_->retain();
  }
  TensorPtr(const TensorPtr &o) : TensorPtr(o.tensor_) {}
  TensorPtr(TensorPtr &&o) noexcept : tensor_(o.tensor_) { o.tensor_ = nullptr; }
  TensorPtr &operator=(TensorPtr o) noexcept {
    std::swap(tensor_, o.tensor_);
    return *this;
  }
  ~TensorPtr() {
    if (tensor_)
      tensor_->release();
  }
  const Tensor *get() const { return tensor_; }
  const Tensor *operator->() const { return tensor_; }
  const Tensor &operator*() const { return *tensor_; }
  explicit operator bool() const { return tensor_ != nullptr; }
  const Tensor *take() {
    const Tensor *t = tensor_;
    tensor_ = nullptr;
    return t;
  }

private:
  const Tensor *tensor_ = nullptr;
};

} // namespace ge

#endif // GE_IR_TENSOR_H
