//===- WireWriter.cpp - protobuf messages from the end ----------------------------------------===//
#include "ge/Support/MappedFile.h"
#include "ge/Support/Wire/Wire.h"

#include "ge/Support/Interrupt.h"
#include "ge/Support/Reserve.h"

#include <algorithm>

namespace ge {

void WireWriter::addBlock(size_t bytes) {
  Interrupt::look();
  constexpr size_t kFirst = 1024, kLargest = size_t(1) << 20;
  size_t capacity =
      std::max(std::min(kFirst << std::min(blocks_.size(), size_t(32)), kLargest), bytes);
  reserveMore(full_, 1);
  reserveMore(blocks_, 1);
  blocks_.emplace_back(static_cast<char *>(takeSlab(capacity)), WireBlockDelete{capacity});
  if (cursor_ != blockEnd_)
    full_.emplace_back(cursor_, size_t(blockEnd_ - cursor_));
  begin_ = blocks_.back().get();
  cursor_ = blockEnd_ = begin_ + capacity;
}

std::vector<std::string_view> WireWriter::written() const {
  std::vector<std::string_view> parts;
  if (cursor_ != blockEnd_)
    parts.emplace_back(cursor_, size_t(blockEnd_ - cursor_));
  parts.insert(parts.end(), full_.rbegin(), full_.rend());
  return parts;
}

void WireWriter::longVarint(uint64_t value) {
  char bytes[10];
  size_t count = 0;
  for (; value >= 0x80; value >>= 7)
    bytes[count++] = char(value | 0x80);
  bytes[count++] = char(value);
  raw({bytes, count});
}

void WireWriter::keptBytes(Encoded::Piece piece) {
  // Below this size, writing a separate piece costs more than the copy.
  constexpr size_t kCopied = 16384;
  if (piece.repeat == 1 && piece.bytes.size() <= kCopied)
    return piece.read(room(piece.bytes.size()));
  uint64_t behind = size_;
  size_ += piece.bytes.size() * piece.repeat;
  references_.push_back({behind, std::move(piece)});
}

void Encoded::Piece::read(char *out) const {
  if (file) {
    file->read(size_t(bytes.data() - file->unguarded()), bytes.size(), out);
  } else if (!bytes.empty()) {
    std::memcpy(out, bytes.data(), bytes.size());
  }
}

Encoded WireWriter::finish() {
  Encoded encoded;
  encoded.size_ = size_;
  std::vector<std::string_view> parts = written();
  auto part = parts.begin();
  auto take = [&](uint64_t length) {
    while (length) {
      std::string_view piece = part->substr(0, size_t(std::min<uint64_t>(length, part->size())));
      encoded.pieces_.push_back({piece, {}, nullptr, 1});
      part->remove_prefix(piece.size());
      part += part->empty();
      length -= piece.size();
    }
  };
  uint64_t left = size_; // remaining bytes of the message
  for (auto it = references_.rbegin(); it != references_.rend(); ++it) {
    uint64_t length = it->piece.bytes.size() * it->piece.repeat;
    take(left - it->behind - length);
    left = it->behind;
    encoded.pieces_.push_back(std::move(it->piece));
  }
  take(left);
  encoded.blocks_ = std::move(blocks_);
  *this = WireWriter();
  return encoded;
}

std::string WireWriter::finishSmall() {
  std::string bytes;
  for (std::string_view part : written())
    bytes += part;
  *this = WireWriter();
  return bytes;
}

GuardedCopy::Read Encoded::reader() const {
  std::vector<uint64_t> starts;
  uint64_t end = 0;
  for (const Piece &piece : pieces_) {
    starts.push_back(end);
    end += piece.size();
  }
  return [this, starts = std::move(starts)](size_t offset, size_t bytes, char *out) {
    auto at = size_t(std::ranges::upper_bound(starts, offset) - starts.begin()) - 1;
    for (; bytes; ++at) {
      const Piece &piece = pieces_[at];
      size_t from = offset - starts[at], count = std::min(size_t(piece.size()) - from, bytes);
      if (piece.file && piece.repeat == 1) {
        piece.file->read(size_t(piece.bytes.data() - piece.file->unguarded()) + from, count, out);
      } else {
        std::string one(piece.bytes.size(), '\0');
        piece.read(one.data());
        for (size_t i = 0; i < count; ++i)
          out[i] = one[(from + i) % one.size()];
      }
      offset += count;
      out += count;
      bytes -= count;
    }
  };
}

void Encoded::copyTo(char *out) const {
  Interrupt interrupt;
  for (const Piece &piece : pieces_)
    for (uint64_t i = 0; i < piece.repeat; ++i) {
      interrupt.pollBytes(piece.bytes.size());
      piece.read(out);
      out += piece.bytes.size();
    }
}

} // namespace ge
