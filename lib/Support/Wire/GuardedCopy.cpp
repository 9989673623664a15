//===- GuardedCopy.cpp - a mapped file, copied as far as it is read ------------------------------===//
#include "ge/Support/MappedFile.h"
#include "ge/Support/Wire/Wire.h"

#include <algorithm>
#include <new>
#include <sys/mman.h>

namespace ge {

/// Bytes copied at once; small enough that copying weights beside a node's fields costs little.
static constexpr size_t kChunk = size_t(1) << 16;

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

GuardedCopy::GuardedCopy(const std::shared_ptr<const MappedFile> &file)
    : GuardedCopy(file->size(), [file](size_t offset, size_t bytes, char *out) {
        file->read(offset, bytes, out);
      }) {}

GuardedCopy::GuardedCopy(size_t size, Read read)
    : read_(std::move(read)), size_(size), isLoaded_((size_ + kChunk - 1) / kChunk) {
  if (!size_)
    return;
  // Untouched pages take no memory.
  void *data = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED)
    throw std::bad_alloc();
  data_ = static_cast<char *>(data);
}

GuardedCopy::~GuardedCopy() {
  if (data_)
    ::munmap(data_, size_);
}

const char *GuardedCopy::load(const char *begin, const char *end) {
  if (begin == end)
    return end;
  size_t first = size_t(begin - data_) / kChunk;
  size_t stop = (size_t(end - data_) + kChunk - 1) / kChunk;
  while (first != stop) {
    if (isLoaded_[first]) {
      ++first;
      continue;
    }
    size_t last = first + 1;
    while (last != stop && !isLoaded_[last])
      ++last;
    size_t offset = first * kChunk, length = std::min(last * kChunk, size_) - offset;
    read_(offset, length, data_ + offset);
    std::fill(isLoaded_.begin() + ptrdiff_t(first), isLoaded_.begin() + ptrdiff_t(last), true);
    first = last;
  }
  return data_ + std::min(stop * kChunk, size_);
}

} // namespace ge
