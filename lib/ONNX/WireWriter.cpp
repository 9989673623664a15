//===- WireWriter.cpp - protobuf messages from the end ----------------------------------------===//
#include "ge/ONNX/Wire.h"

#include <algorithm>

namespace ge::onnx {

void WireWriter::grow(size_t bytes) {
  auto used = size_t(bufferEnd_ - cursor_);
  size_t capacity = std::max<size_t>({size_t(1024), 2 * (used + bytes)});
  auto larger = std::make_unique_for_overwrite<char[]>(capacity);
  char *end = larger.get() + capacity;
  if (used)
    std::memcpy(end - used, cursor_, used);
  buffer_ = std::move(larger);
  begin_ = buffer_.get();
  cursor_ = end - used;
  bufferEnd_ = end;
}

void WireWriter::varint(uint64_t value) {
  if (value < 0x80) {
    *room(1) = char(value);
    return;
  }
  char bytes[10];
  size_t count = 0;
  for (; value >= 0x80; value >>= 7)
    bytes[count++] = char(value | 0x80);
  bytes[count++] = char(value);
  raw({bytes, count});
}

void WireWriter::tensorBytes(const TensorPtr &tensor, std::string_view bytes, uint64_t repeat) {
  // Below, the bookkeeping and the call that writes a piece cost more than the copy.
  constexpr size_t kCopied = 16384;
  if (repeat == 1 && bytes.size() <= kCopied)
    return raw(bytes);
  references_.push_back({size_, {bytes, tensor, repeat}});
  size_ += bytes.size() * repeat;
}

Encoded WireWriter::finish() {
  Encoded encoded;
  encoded.size_ = size_;
  const char *at = cursor_;
  uint64_t left = size_; // bytes of the message from here on
  for (auto it = references_.rbegin(); it != references_.rend(); ++it) {
    uint64_t length = it->piece.bytes.size() * it->piece.repeat;
    auto own = size_t(left - it->behind - length);
    if (own)
      encoded.pieces_.push_back({{at, own}, {}, 1});
    at += own;
    left = it->behind;
    encoded.pieces_.push_back(std::move(it->piece));
  }
  if (left)
    encoded.pieces_.push_back({{at, size_t(left)}, {}, 1});
  encoded.buffer_ = std::move(buffer_);
  *this = WireWriter();
  return encoded;
}

std::string WireWriter::finishSmall() {
  std::string bytes(cursor_, size_t(bufferEnd_ - cursor_));
  *this = WireWriter();
  return bytes;
}

void Encoded::copyTo(char *out) const {
  for (const Piece &piece : pieces_)
    for (uint64_t i = 0; i < piece.repeat; ++i) {
      if (!piece.bytes.empty())
        std::memcpy(out, piece.bytes.data(), piece.bytes.size());
      out += piece.bytes.size();
    }
}

} // namespace ge::onnx
