//===- Tensor.cpp - dense constant values -----------------------------------------------------===//
#include "ge/IR/TensorBytes.h"

#include "ge/IR/Context.h"
#include "ge/Support/Error.h"
#include "ge/Support/Interrupt.h"
#include "ge/Support/MappedFile.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

namespace ge {

static_assert(std::endian::native == std::endian::little, "tensors hold little-endian bytes");

/// Bytes of one unpacked element; 0 for types whose elements are not bytes.
static size_t bytesPerElement(DType dtype) { return (size_t(info(dtype).bits) + 7) / 8; }

/// Types with padding bits or several representations, which are cleared before elements are
/// compared.
static bool hasSlack(DType dtype) { return info(dtype).bits % 8 != 0 || dtype == DType::Bool; }

//===-----------------------------------------------------------------------------------------===//
// Making
//===-----------------------------------------------------------------------------------------===//

Tensor *Tensor::make(const Type *type, Packing packing, bool splat) {
  if (!type || !type->isTensor())
    throwError(ErrorKind::Value, "a tensor needs a tensor type, not ", type ? type->str() : "none");
  int64_t count = type->numElements();
  size_t width = std::max<size_t>(bytesPerElement(type->dtype()), 1);
  if (!type->hasStaticShape())
    throwError(ErrorKind::Value, "a tensor needs a static shape, not ", type->str());
  if (count < 0 || uint64_t(count) > uint64_t(INT64_MAX) / width)
    throwError(ErrorKind::Value, "the tensor is too large: ", type->str());
  if (type->dtype() != DType::String && !bytesPerElement(type->dtype()))
    throwError(ErrorKind::Value, "elements of ", info(type->dtype()).name, " have no bytes");
  auto *tensor = new Tensor();
  tensor->type_ = type;
  Context::retain(type);
  type->context().retain(); // a tensor may outlive its creator and keeps its type alive
  tensor->count_ = count;
  // With one byte per element, packed and dense are the same.
  tensor->packing_ = info(type->dtype()).bits % 8 ? packing : Packing::Bytes;
  tensor->splat_ = splat;
  return tensor;
}

/// Bytes that `count` elements take when stored.
static uint64_t sizeWhenStored(DType dtype, uint64_t count, Tensor::Packing packing) {
  unsigned bits = info(dtype).bits;
  if (packing == Tensor::Packing::Bytes || bits % 8 == 0)
    return count * bytesPerElement(dtype);
  // Six-bit elements do not divide a byte; they are stored end to end.
  return count / 8 * bits + (count % 8 * bits + 7) / 8;
}

namespace {
/// Frees a tensor whose construction throws.
struct Unmake {
  void operator()(Tensor *tensor) const { tensor->release(); }
};
using Making = std::unique_ptr<Tensor, Unmake>;
} // namespace

static void checkSize(const Type *type, size_t bytes, uint64_t wanted) {
  if (type->dtype() == DType::String)
    throwError(ErrorKind::Value, "strings are not given as bytes: ", type->str());
  if (bytes != wanted)
    throwError(ErrorKind::Value, type->str(), " takes ", wanted, " bytes, not ", bytes);
}

Tensor *Tensor::borrow(const Type *type, const void *data, size_t bytes, Release release,
                       void *owner, Packing packing) {
  Making tensor(make(type, packing, false));
  checkSize(type, bytes, sizeWhenStored(type->dtype(), uint64_t(tensor->count_), tensor->packing_));
  tensor->data_ = data;
  tensor->size_ = bytes;
  tensor->release_ = release;
  tensor->owner_ = owner;
  return tensor.release();
}

/// Aligned for vector loads and for DLPack.
static constexpr size_t kAlignment = 64;

static void *copyBytes(const void *data, size_t bytes) {
  if (bytes > SIZE_MAX - kAlignment)
    throw std::bad_alloc();
  void *copy = std::aligned_alloc(
      kAlignment, std::max<size_t>((bytes + kAlignment - 1) & ~(kAlignment - 1), kAlignment));
  if (!copy)
    throw std::bad_alloc();
  if (bytes)
    std::memcpy(copy, data, bytes);
  return copy;
}

Tensor *Tensor::copy(const Type *type, const void *data, size_t bytes, Packing packing) {
  Making tensor(make(type, packing, false));
  checkSize(type, bytes, sizeWhenStored(type->dtype(), uint64_t(tensor->count_), tensor->packing_));
  tensor->data_ = copyBytes(data, bytes);
  tensor->owned_ = true;
  tensor->size_ = bytes;
  return tensor.release();
}

Tensor *Tensor::map(const Type *type, std::shared_ptr<const MappedFile> file, size_t offset,
                    size_t bytes, Packing packing) {
  Making tensor(make(type, packing, false));
  checkSize(type, bytes, sizeWhenStored(type->dtype(), uint64_t(tensor->count_), tensor->packing_));
  if (offset > file->size() || bytes > file->size() - offset)
    throwError(ErrorKind::Value, "bytes ", offset, " to ", uint64_t(offset) + bytes,
               " are not in '", file->path(), "', which has ", file->size());
  tensor->data_ = file->size() ? file->unguarded() + offset : "";
  tensor->size_ = bytes;
  tensor->fileOffset_ = offset;
  tensor->file_ = std::move(file);
  return tensor.release();
}

Tensor *Tensor::splat(const Type *type, const void *element, size_t bytes) {
  Making tensor(make(type, Packing::Bytes, true));
  if (tensor->isString()) {
    tensor->strings_.emplace_back(static_cast<const char *>(element), bytes);
    return tensor.release();
  }
  checkSize(type, bytes, bytesPerElement(type->dtype()));
  tensor->data_ = copyBytes(element, bytes);
  tensor->owned_ = true;
  tensor->size_ = bytes;
  return tensor.release();
}

Tensor *Tensor::strings(const Type *type, std::vector<std::string> elements) {
  Making tensor(make(type, Packing::Bytes, false));
  if (!tensor->isString())
    throwError(ErrorKind::Value, "strings need a tensor type of strings, not ", type->str());
  if (int64_t(elements.size()) != tensor->count_) {
    if (elements.size() != 1)
      throwError(ErrorKind::Value, type->str(), " takes ", tensor->count_, " strings, not ",
                 elements.size());
    tensor->splat_ = true;
  }
  tensor->strings_ = std::move(elements);
  return tensor.release();
}

Tensor::~Tensor() {
  if (owned_)
    std::free(const_cast<void *>(data_));
  if (release_)
    release_(owner_);
  Context &context = type_->context();
  context.release(type_);
  context.release();
}

void Tensor::release() const {
  if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete this;
}

//===-----------------------------------------------------------------------------------------===//
// Elements
//===-----------------------------------------------------------------------------------------===//

bool isMapped(const Tensor &tensor) { return tensor.file() && tensor.file()->isMapped(); }

void checkFile(const Tensor &tensor) {
  if (tensor.file())
    tensor.file()->check();
}

void readStored(const Tensor &tensor, size_t offset, size_t bytes, void *out) {
  if (tensor.file())
    tensor.file()->read(tensor.fileOffset() + offset, bytes, out);
  else if (bytes)
    std::memcpy(out, tensor.bytes().data() + offset, bytes);
}

TensorBytes::TensorBytes(const Tensor &tensor, size_t offset, size_t bytes) {
  if (!isMapped(tensor)) {
    bytes_ = tensor.bytes().substr(offset, bytes);
    return;
  }
  copy_ = std::make_unique_for_overwrite<char[]>(bytes);
  readStored(tensor, offset, bytes, copy_.get());
  bytes_ = {copy_.get(), bytes};
}

Tensor *retype(const Type *type, const Tensor &from) {
  if (from.isString())
    return Tensor::strings(type, {from.strings().begin(), from.strings().end()});
  std::string_view bytes = from.bytes();
  if (from.isSplat())
    return Tensor::splat(type, bytes.data(), bytes.size());
  if (from.file())
    return Tensor::map(type, from.file(), from.fileOffset(), bytes.size(), from.packing());
  Tensor *tensor = Tensor::borrow(
      type, bytes.data(), bytes.size(),
      [](void *owner) { static_cast<const Tensor *>(owner)->release(); },
      const_cast<Tensor *>(&from), from.packing());
  from.retain();
  return tensor;
}

size_t Tensor::elementSize() const { return bytesPerElement(type_->dtype()); }

size_t Tensor::denseSize() const { return size_t(count_) * elementSize(); }

void Tensor::copyDense(void *out) const { copyElements(0, count_, out); }

/// Elements of `bits` < 8 bits from bit `first` on, low bits first; an element may lie across two
/// bytes.
static void unpack(const uint8_t *in, size_t inSize, unsigned bits, uint64_t first, size_t count,
                   uint8_t *out) {
  unsigned mask = (1u << bits) - 1;
  for (size_t i = 0; i != count; ++i) {
    uint64_t position = first + i * bits;
    size_t byte = size_t(position / 8);
    unsigned shift = unsigned(position % 8);
    unsigned word = in[byte];
    if (shift + bits > 8 && byte + 1 < inSize)
      word |= unsigned(in[byte + 1]) << 8;
    out[i] = uint8_t((word >> shift) & mask);
  }
}

/// Bytes between two looks for an interrupt: about a millisecond.
static constexpr size_t kCopied = size_t(4) << 20;

void Tensor::copyElements(int64_t first, int64_t count, void *out) const {
  size_t width = elementSize();
  if (count <= 0 || !width)
    return;
  DType dtype = type_->dtype();
  unsigned bits = info(dtype).bits;
  auto *target = static_cast<char *>(out);
  size_t bytes = size_t(count) * width;
  if (splat_) {
    // Each round doubles what is filled.
    std::memcpy(target, data_, width);
    for (size_t filled = width; filled < bytes; filled *= 2)
      std::memcpy(target + filled, target, std::min(filled, bytes - filled));
  } else if (packing_ == Packing::Packed) {
    uint64_t begin = uint64_t(first) * bits / 8;
    uint64_t end = (uint64_t(first + count) * bits + 7) / 8;
    TensorBytes stored(*this, size_t(begin), size_t(end - begin));
    unpack(reinterpret_cast<const uint8_t *>(stored.data()), stored.size(), bits,
           uint64_t(first) * bits % 8, size_t(count), static_cast<uint8_t *>(out));
    return;
  } else {
    for (size_t at = 0; at < bytes; at += kCopied) {
      Interrupt::look();
      readStored(*this, size_t(first) * width + at, std::min(kCopied, bytes - at), target + at);
    }
  }
  if (dtype == DType::Bool)
    for (size_t i = 0; i != bytes; ++i)
      target[i] = target[i] != 0;
  else if (bits < 8)
    for (size_t i = 0; i != bytes; ++i)
      target[i] = char(uint8_t(target[i]) & ((1u << bits) - 1));
}

//===-----------------------------------------------------------------------------------------===//
// Comparing
//===-----------------------------------------------------------------------------------------===//

/// Bytes that are read from a file at a time; a multiple of the size of any piece.
static constexpr size_t kBlock = size_t(1) << 20;

/// True when two tensors of one size and packing are the same memory, or the same part of one file.
static bool isSamePlace(const Tensor &a, const Tensor &b) {
  if (a.bytes().data() == b.bytes().data())
    return true;
  if (!a.file() || !b.file() || a.fileOffset() != b.fileOffset() || !a.file()->isSameAs(*b.file()))
    return false;
  checkFile(a);
  checkFile(b);
  return true;
}

/// True when two tensors of one size and packing store the same bytes.
static bool storesSame(const Tensor &a, const Tensor &b) {
  for (size_t at = 0; at < a.bytes().size();) {
    Interrupt::look();
    size_t length = std::min(kBlock, a.bytes().size() - at);
    if (TensorBytes(a, at, length).get() != TensorBytes(b, at, length).get())
      return false;
    at += length;
  }
  return true;
}

/// Calls `visit(bytes)` for all elements of a dense tensor, piece by piece, until it returns false.
/// Pieces are split at the same elements for every storage.
template <typename Visit> static bool forEachPiece(const Tensor &tensor, const Visit &visit) {
  constexpr int64_t kPiece = 4096;
  size_t width = tensor.elementSize();
  bool direct = !tensor.isSplat() && !hasSlack(tensor.type()->dtype());
  std::vector<char> buffer;
  TensorBytes block; // a file is read in blocks of many pieces
  size_t blockBegin = 0;
  Interrupt interrupt;
  for (int64_t first = 0; first < tensor.numElements(); first += kPiece) {
    int64_t count = std::min(kPiece, tensor.numElements() - first);
    interrupt.pollBytes(size_t(count) * width);
    std::string_view bytes;
    if (direct) {
      size_t begin = size_t(first) * width, length = size_t(count) * width;
      if (begin + length > blockBegin + block.size()) {
        blockBegin = begin;
        block = TensorBytes(tensor, begin, std::min(kBlock, tensor.bytes().size() - begin));
      }
      bytes = block.get().substr(begin - blockBegin, length);
    } else {
      buffer.resize(size_t(count) * width);
      tensor.copyElements(first, count, buffer.data());
      bytes = {buffer.data(), buffer.size()};
    }
    if (!visit(first, bytes))
      return false;
  }
  return true;
}

/// The first element, in the form of copyDense().
static std::string firstElement(const Tensor &tensor) {
  std::string element(tensor.elementSize(), '\0');
  tensor.copyElements(0, 1, element.data());
  return element;
}

/// Returns whether every element of a non-empty dense tensor is `element`. Stops at the first other
/// one.
static bool allEqual(const Tensor &tensor, const std::string &element) {
  return forEachPiece(tensor, [&](int64_t, std::string_view bytes) {
    // All elements are equal when the first is and each is equal to the one before it.
    return bytes.substr(0, element.size()) == element &&
           std::memcmp(bytes.data(), bytes.data() + element.size(),
                       bytes.size() - element.size()) == 0;
  });
}

bool Tensor::equals(const Tensor &other) const {
  if (this == &other)
    return true;
  if (!typeEquals(type_, other.type_))
    return false;
  if (count_ == 0)
    return true;
  if (isString()) {
    if (splat_ == other.splat_)
      return strings_ == other.strings_;
    const std::string &element = (splat_ ? this : &other)->strings_[0];
    const std::vector<std::string> &dense = (splat_ ? &other : this)->strings_;
    return std::all_of(dense.begin(), dense.end(),
                       [&](const auto &text) { return text == element; });
  }
  if (splat_ && other.splat_)
    return firstElement(*this) == firstElement(other);
  if (splat_ || other.splat_)
    return splat_ ? allEqual(other, firstElement(*this)) : allEqual(*this, firstElement(other));
  if (packing_ == other.packing_ && isSamePlace(*this, other))
    return true;
  if (!hasSlack(type_->dtype()))
    return storesSame(*this, other);
  std::vector<char> theirs;
  return forEachPiece(*this, [&](int64_t first, std::string_view bytes) {
    theirs.resize(bytes.size());
    other.copyElements(first, int64_t(bytes.size() / elementSize()), theirs.data());
    return std::memcmp(theirs.data(), bytes.data(), bytes.size()) == 0;
  });
}

/// Strings have no bytes at hand: all are hashed.
static uint64_t hashStrings(std::span<const std::string> strings, uint64_t hash) {
  bool uniform = std::all_of(strings.begin(), strings.end(),
                             [&](const std::string &text) { return text == strings[0]; });
  for (size_t i = 0; i != (uniform ? 1 : strings.size()); ++i)
    hash = hashCombine(hash, hashBytes(strings[i]));
  return hash;
}

uint64_t Tensor::computeHash() const {
  constexpr size_t kEnd = 4096; // bytes
  uint64_t hash = type_->hash();
  if (count_ == 0)
    return hash;
  if (isString())
    return hashStrings(strings_, hash);
  // Whole elements; of a splat the same ones as of its dense form.
  int64_t count = std::min(count_, int64_t(kEnd / elementSize()));
  std::string bytes(size_t(count) * elementSize(), '\0');
  copyElements(0, count, bytes.data());
  hash = hashBytes(bytes, hash);
  if (count != count_) {
    copyElements(count_ - count, count, bytes.data());
    hash = hashBytes(bytes, hash);
  }
  return hash;
}

uint64_t Tensor::hash() const {
  uint64_t hash = hash_.load(std::memory_order_relaxed);
  if (hash)
    return hash;
  hash = computeHash();
  hash += hash == 0;
  hash_.store(hash, std::memory_order_relaxed);
  return hash;
}

uint64_t contentHash(const Tensor &tensor) {
  uint64_t hash = tensor.type()->hash();
  if (tensor.numElements() == 0)
    return hash;
  if (tensor.isString())
    return hashStrings(tensor.strings(), hash);
  // A dense tensor with equal elements hashes like the equal splat.
  std::string element = firstElement(tensor);
  if (tensor.isSplat() || allEqual(tensor, element))
    return hashCombine(hash, hashBytes(element));
  forEachPiece(tensor, [&](int64_t, std::string_view bytes) {
    hash = hashBytes(bytes, hash);
    return true;
  });
  return hash;
}

} // namespace ge
