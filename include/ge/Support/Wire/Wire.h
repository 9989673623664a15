//===- Wire.h - protobuf's wire format, read in place and written from the end ----------------===//
#ifndef GE_SUPPORT_WIRE_WIRE_H
#define GE_SUPPORT_WIRE_WIRE_H

#include "ge/Support/Arena.h"
#include "ge/Support/Error.h"
#include "ge/Support/Interrupt.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ge {

class MappedFile;

enum class WireType : uint8_t {
  Varint = 0,
  Fixed64 = 1,
  Bytes = 2,
  StartGroup = 3,
  EndGroup = 4,
  Fixed32 = 5,
};

/// A private copy of the bytes of a mapped file, or of others, of which only the needed parts are
/// loaded: what has been read cannot change or vanish.
class GuardedCopy {
public:
  /// Copies `bytes` bytes from `offset` on.
  using Read = std::function<void(size_t offset, size_t bytes, char *out)>;
  explicit GuardedCopy(const std::shared_ptr<const MappedFile> &file);
  GuardedCopy(size_t size, Read read);
  ~GuardedCopy();
  GuardedCopy(const GuardedCopy &) = delete;
  GuardedCopy &operator=(const GuardedCopy &) = delete;

  /// As many bytes as the file has; those that are not loaded are 0.
  std::string_view bytes() const { return {data_, size_}; }
  /// Loads what lies between, and returns up to where all is loaded. Error(Model) when the file
  /// changed on disk.
  const char *load(const char *begin, const char *end);

private:
  Read read_;
  char *data_ = nullptr;
  size_t size_ = 0;
  std::vector<bool> isLoaded_; ///< by chunk
};

/// The bytes that messages are read from, and who keeps them.
struct WireSource {
  std::string_view bytes;
  std::string name;                            ///< path, or "<bytes>", for errors
  std::shared_ptr<const MappedFile> file = {}; ///< when they are a file's
  std::shared_ptr<const void> keeper = {};     ///< else, what keeps them

  /// Bytes of a mapped file are a copy that is filled when it is read; null: they are all there.
  GuardedCopy *copy = nullptr;

  /// Makes bytes of the source ready to be read.
  std::string_view need(std::string_view part) const {
    if (copy)
      copy->load(part.data(), part.data() + part.size());
    return part;
  }
  uint64_t offsetOf(std::string_view place) const { return uint64_t(place.data() - bytes.data()); }
};

/// Where in nested messages something stands: a chain on the stack, from the inside out.
struct FieldPath {
  const FieldPath *outer;
  const char *name;        ///< static
  int64_t index = -1;      ///< of a repeated field
  std::string str() const; ///< `graph.node[3].op_type`
};

/// Error(Model): `<file>: <message> (byte 17, field graph.node[3].op_type)`. `field` may be null.
[[noreturn]] void failAt(const WireSource &source, std::string_view place, const FieldPath *path,
                         const char *field, std::string_view message);

/// Goes through the fields of one message. Every step is checked against its end; nothing is
/// copied.
///
///   while (message.next()) switch (message.field()) { case 1: name = message.bytes("name"); ... }
class WireReader {
public:
  WireReader(const WireSource &source, std::string_view message, const FieldPath *path)
      : source_(source), path_(path), at_(message.data()), end_(at_ + message.size()),
        ready_(source.copy ? at_ : end_) {}

  /// To the next field, whose payload is checked to lie inside; false at the end.
  bool next();
  uint32_t field() const { return field_; }
  WireType type() const { return type_; }
  /// Tag and payload, as they stand.
  std::string_view raw() const { return need(span()); }
  /// The same where the payload may be large: not ready to be read, see WireSource::need().
  std::string_view span() const { return {start_, size_t(at_ - start_)}; }

  // The payload. Another wire type than wanted is an error that names the field.
  uint64_t varint(const char *name) const {
    want(WireType::Varint, name);
    return value_;
  }
  int64_t int64(const char *name) const { return int64_t(varint(name)); }
  /// Of a field of 32 bits, enumerations included. Larger numbers are errors: protobuf drops their
  /// upper bits.
  int32_t int32(const char *name) const;
  std::string_view bytes(const char *name) const { return need(message(name)); }
  /// The same for another reader, and where the payload may be large: not ready to be read.
  std::string_view message(const char *name) const {
    want(WireType::Bytes, name);
    return bytes_;
  }
  /// Bytes that must be UTF-8.
  std::string_view text(const char *name) const;
  float float32(const char *name) const {
    want(WireType::Fixed32, name);
    return std::bit_cast<float>(uint32_t(value_));
  }
  /// Appends the elements of a repeated number, packed or not.
  void int64s(const char *name, std::vector<int64_t> &out) const;
  void floats(const char *name, std::vector<float> &out) const;

  const WireSource &source() const { return source_; }
  const FieldPath *path() const { return path_; }
  /// At the payload of the current field.
  [[noreturn]] void fail(const char *name, std::string_view message) const {
    failAt(source_, {start_, start_}, path_, name, message);
  }

private:
  std::string_view need(std::string_view part) const {
    if (part.data() + part.size() > ready_) [[unlikely]]
      source_.need(part);
    return part;
  }
  /// Makes the next tag and number ready to be read.
  void prepare() {
    constexpr ptrdiff_t kMost = 20; // a tag of 10 bytes, and a length or number of 10
    if (ready_ != end_ && ready_ - at_ < kMost) [[unlikely]]
      prepareMore(at_ + std::min<ptrdiff_t>(kMost, end_ - at_));
  }
  void prepareMore(const char *end);
  void want(WireType type, const char *name) const {
    if (type_ != type) [[unlikely]]
      failType(type, name);
  }
  [[noreturn]] void failType(WireType wanted, const char *name) const;
  [[noreturn]] void failHere(std::string_view message) const {
    failAt(source_, {at_, at_}, path_, nullptr, message);
  }
  uint64_t readVarint() {
    if (at_ != end_ && uint8_t(*at_) < 0x80) [[likely]]
      return uint8_t(*at_++);
    return readLongVarint();
  }
  uint64_t readLongVarint();
  void skipGroup(uint32_t field);

  const WireSource &source_;
  const FieldPath *path_;
  const char *at_;
  const char *end_;
  const char *ready_; ///< what lies before it, from the place of the last prepare() on, is loaded
  const char *start_ = at_; ///< of the current field
  std::string_view bytes_;
  uint64_t value_ = 0;
  uint32_t field_ = 0;
  WireType type_ = WireType::Varint;
  Interrupt interrupt_;
};

/// Keeps a block for the next writer, which then needs no page faults.
struct WireBlockDelete {
  size_t bytes = 0;
  void operator()(char *block) const noexcept { giveSlab(block, bytes); }
};
using WireBlock = std::unique_ptr<char[], WireBlockDelete>;

/// A serialized message: pieces in order, large blocks of bytes by reference.
class Encoded {
public:
  struct Piece {
    std::string_view bytes;             ///< of a file no more than the address: read() gives them
    std::shared_ptr<const void> keeper; ///< keeps them alive; null for the message's own
    const MappedFile *file = nullptr;   ///< when they are a part of it; the keeper keeps it, too
    uint64_t repeat = 1;                ///< the bytes stand so many times

    /// Copies all bytes, once. Error(Model) when the file behind them changed on disk.
    void read(char *out) const;
    uint64_t size() const { return bytes.size() * repeat; }
  };
  uint64_t size() const { return size_; }
  const std::vector<Piece> &pieces() const { return pieces_; }
  void copyTo(char *out) const; ///< size() bytes; Error(Model) as Piece::read()
  /// A function that copies some of the bytes, while this lives.
  GuardedCopy::Read reader() const;

private:
  friend class WireWriter;
  std::vector<WireBlock> blocks_;
  std::vector<Piece> pieces_;
  uint64_t size_ = 0;
};

/// Writes a message from its end to its front: the length of a nested message is known when its
/// header is written, and nothing is moved or measured twice. Fields and their contents are
/// therefore given in reverse order.
///
///   size_t end = writer.size();
///   ... the fields of the nested message, last first ...
///   writer.closeMessage(7, end);
class WireWriter {
public:
  uint64_t size() const { return size_; }

  void raw(std::string_view bytes) {
    char *to = room(bytes.size());
    if (!bytes.empty())
      std::memcpy(to, bytes.data(), bytes.size());
  }
  void varint(uint64_t value) {
    if (value < 0x80) [[likely]]
      *room(1) = char(value);
    else
      longVarint(value);
  }
  void tag(uint32_t field, WireType type) { varint(uint64_t(field) << 3 | uint64_t(type)); }
  void integer(uint32_t field, int64_t value) {
    varint(uint64_t(value));
    tag(field, WireType::Varint);
  }
  void float32(uint32_t field, float value) {
    std::memcpy(room(4), &value, 4);
    tag(field, WireType::Fixed32);
  }
  void string(uint32_t field, std::string_view bytes) {
    raw(bytes);
    varint(bytes.size());
    tag(field, WireType::Bytes);
  }
  /// Bytes that others keep, by reference when they are many.
  void keptBytes(Encoded::Piece piece);
  /// All that was written since size() was `end` becomes the payload of `field`.
  void closeMessage(uint32_t field, uint64_t end) {
    varint(size_ - end);
    tag(field, WireType::Bytes);
  }
  Encoded finish();          ///< the writer is empty afterwards
  std::string finishSmall(); ///< of messages without tensors

private:
  struct Reference {
    uint64_t behind; ///< bytes of the message that follow it
    Encoded::Piece piece;
  };
  char *room(size_t bytes) {
    if (size_t(cursor_ - begin_) < bytes) [[unlikely]]
      addBlock(bytes);
    cursor_ -= bytes;
    size_ += bytes;
    return cursor_;
  }
  void addBlock(size_t bytes);
  void longVarint(uint64_t value);               ///< of more than one byte
  std::vector<std::string_view> written() const; ///< the filled parts of the blocks, in order

  /// Filled from their ends, one before the other; what is written is never moved.
  std::vector<WireBlock> blocks_;
  std::vector<std::string_view> full_; ///< the filled parts of all blocks but the last
  char *begin_ = nullptr;              ///< of the last block
  char *cursor_ = nullptr;
  char *blockEnd_ = nullptr;
  uint64_t size_ = 0; ///< references included
  std::vector<Reference> references_;
};

} // namespace ge

#endif // GE_SUPPORT_WIRE_WIRE_H
