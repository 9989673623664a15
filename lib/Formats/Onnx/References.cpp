//===- References.cpp -------------------------------------------------------------------------===//
#include "References.h"

#include "Names.h"

#include "ge/Support/InputFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace ge::onnx {

namespace {

/// Messages on the way to the external data of tensors.
enum class Message : uint8_t {
  Other,
  Model,
  Training,
  Graph,
  Function,
  Node,
  Attribute,
  Sparse,
  Tensor,
  Entry
};

struct FieldStep {
  Message in;
  uint8_t field;
  Message to;
};
constexpr uint32_t kTrainingInfo = 20; // of a model; it has graphs in its fields 1 and 2
constexpr FieldStep kSteps[] = {
    {Message::Model, model::Graph, Message::Graph},
    {Message::Model, kTrainingInfo, Message::Training},
    {Message::Model, model::Functions, Message::Function},
    {Message::Training, 1, Message::Graph},
    {Message::Training, 2, Message::Graph},
    {Message::Graph, graph::Node, Message::Node},
    {Message::Graph, graph::Initializer, Message::Tensor},
    {Message::Graph, graph::SparseInitializer, Message::Sparse},
    {Message::Function, function::Node, Message::Node},
    {Message::Function, function::AttributeProto, Message::Attribute},
    {Message::Node, node::Attribute, Message::Attribute},
    {Message::Attribute, attribute::T, Message::Tensor},
    {Message::Attribute, attribute::G, Message::Graph},
    {Message::Attribute, attribute::Tensors, Message::Tensor},
    {Message::Attribute, attribute::Graphs, Message::Graph},
    {Message::Attribute, attribute::SparseTensor, Message::Sparse},
    {Message::Attribute, attribute::SparseTensors, Message::Sparse},
    {Message::Sparse, sparse::Values, Message::Tensor},
    {Message::Sparse, sparse::Indices, Message::Tensor},
    {Message::Tensor, tensor::ExternalData, Message::Entry},
};

Message stepTo(Message in, uint32_t field) {
  for (const FieldStep &step : kSteps)
    if (step.in == in && step.field == field)
      return step.to;
  return Message::Other;
}

/// The bytes of a file from front to back, with jumps.
class Cursor {
public:
  Cursor(int fd, uint64_t size, uint64_t &budget) : fd_(fd), size_(size), budget_(budget) {}

  uint64_t position() const { return position_; }
  uint64_t size() const { return size_; }
  void jump(uint64_t position) { position_ = position; }
  bool failed() const { return failed_; }

  std::optional<uint8_t> byte() {
    if (position_ < start_ || position_ >= start_ + filled_)
      fill();
    if (position_ < start_ || position_ >= start_ + filled_)
      return std::nullopt;
    return uint8_t(buffer_[position_++ - start_]);
  }
  std::optional<uint64_t> varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      std::optional<uint8_t> next = byte();
      if (!next)
        return std::nullopt;
      value |= uint64_t(*next & 0x7f) << shift;
      if (*next < 0x80)
        return value;
    }
    return std::nullopt;
  }
  std::string text(uint64_t length) {
    std::string out;
    while (out.size() < length)
      if (std::optional<uint8_t> next = byte())
        out += char(*next);
      else
        break;
    return out;
  }

private:
  void fill() {
    start_ = position_;
    filled_ = 0;
    size_t wanted = sizeof buffer_;
    if (position_ >= size_)
      return;
    if (budget_ < wanted) {
      failed_ = true;
      return;
    }
    ssize_t n;
    do
      n = ::pread(fd_, buffer_, wanted, off_t(position_));
    while (n < 0 && errno == EINTR);
    failed_ = failed_ || n < 0;
    filled_ = n > 0 ? size_t(n) : 0;
    budget_ -= filled_;
  }

  int fd_;
  uint64_t size_;
  uint64_t &budget_;
  uint64_t position_ = 0, start_ = 0;
  size_t filled_ = 0;
  bool failed_ = false;
  char buffer_[16384];
};

constexpr uint64_t kLongestName = 4096;

/// The locations that a model's tensors name. Unknown fields are passed over; groups are read as if
/// their fields were the message's own.
std::set<std::string> locationsOf(Cursor &in) {
  struct Open {
    Message message;
    uint64_t end;
  };
  constexpr size_t kDeepest = 4096;
  std::set<std::string> locations;
  std::vector<Open> open = {{Message::Model, in.size()}};
  std::string key, value;
  while (!open.empty()) {
    auto [message, end] = open.back();
    if (in.position() >= end) {
      if (message == Message::Entry && key == "location")
        locations.insert(value);
      open.pop_back();
      continue;
    }
    std::optional<uint64_t> tag = in.varint();
    if (!tag || *tag >> 3 == 0)
      break;
    auto field = uint32_t(*tag >> 3);
    switch (*tag & 7) {
    case 0:
      if (!in.varint())
        return locations;
      break;
    case 1:
      in.jump(in.position() + 8);
      break;
    case 5:
      in.jump(in.position() + 4);
      break;
    case 3:
    case 4:
      break;
    case 2: {
      std::optional<uint64_t> length = in.varint();
      if (!length || *length > end - std::min(end, in.position()))
        return locations;
      if (message == Message::Entry && *length <= kLongestName) {
        (field == entry::Key ? key : value) = in.text(*length);
        break;
      }
      Message to = stepTo(message, field);
      if (to == Message::Other || open.size() == kDeepest) {
        in.jump(in.position() + *length);
        break;
      }
      if (to == Message::Entry) {
        key.clear();
        value.clear();
      }
      open.push_back({to, in.position() + *length});
      break;
    }
    default:
      return locations;
    }
  }
  return locations;
}

} // namespace

void addReferences(int directory, const std::string &name, References &out, uint64_t &budget) {
  int fd = ::openat(directory, name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) {
    out.isComplete = out.isComplete && errno == ENOENT;
    return;
  }
  struct stat status;
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    auto cursor = std::make_unique<Cursor>(fd, uint64_t(status.st_size), budget);
    for (const std::string &location : locationsOf(*cursor)) {
      struct stat data;
      if (location.find('\0') != std::string::npos ||
          ::fstatat(directory, location.c_str(), &data, AT_SYMLINK_NOFOLLOW) != 0)
        continue;
      // A hard link of another name is another file: it may go when this one stays.
      if (S_ISREG(data.st_mode) && location.find('/') == std::string::npos)
        out.names_.insert(location);
      else if (::fstatat(directory, location.c_str(), &data, 0) == 0)
        out.files_.emplace(uint64_t(data.st_dev), uint64_t(data.st_ino));
    }
    out.isComplete = out.isComplete && !cursor->failed();
  }
  ::close(fd);
}

std::vector<std::string> namesIn(int directory) {
  std::vector<std::string> names;
  int fd = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = fd < 0 ? nullptr : ::fdopendir(fd);
  if (!stream) {
    if (fd >= 0)
      ::close(fd);
    return names;
  }
  while (const dirent *entry = ::readdir(stream))
    if (std::string_view name = entry->d_name; name != "." && name != "..")
      names.emplace_back(name);
  ::closedir(stream);
  return names;
}

void addReferencesAbove(int directory, References &out, uint64_t &budget) {
  constexpr unsigned kLevels = 3;
  FileDescriptor above;
  struct stat below, status;
  if (::fstat(directory, &below) != 0)
    return;
  for (unsigned level = 0; level < kLevels && out.isComplete; ++level, below = status) {
    above = FileDescriptor(
        ::openat(level ? above.get() : directory, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (above.get() < 0 || ::fstat(above.get(), &status) != 0 || (status.st_mode & S_IWOTH) ||
        (status.st_ino == below.st_ino && status.st_dev == below.st_dev))
      return;
    References found;
    for (const std::string &name : namesIn(above.get())) {
      struct stat file;
      if (::fstatat(above.get(), name.c_str(), &file, 0) == 0 && S_ISREG(file.st_mode))
        addReferences(above.get(), name, found, budget);
    }
    out.files_.merge(found.files_); // its names are of another directory
    out.isComplete = found.isComplete;
  }
}

References referencesInDirectory(int directory,
                                 const std::function<bool(std::string_view)> &filter) {
  uint64_t budget = uint64_t(256) << 20;
  References out;
  std::vector<std::string> names = namesIn(directory);
  // Nothing at all is a directory that cannot be listed.
  out.isComplete = !names.empty();
  for (const std::string &name : names) {
    struct stat status;
    if (filter(name) && ::fstatat(directory, name.c_str(), &status, 0) == 0 &&
        S_ISREG(status.st_mode))
      addReferences(directory, name, out, budget);
    if (!out.isComplete)
      return out;
  }
  addReferencesAbove(directory, out, budget);
  return out;
}

} // namespace ge::onnx
