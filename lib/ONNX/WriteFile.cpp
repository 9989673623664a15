//===- WriteFile.cpp - serialized models as files ---------------------------------------------===//
#include "Writer.h"

#include "ge/Support/AtomicFile.h"
#include "ge/Support/MappedFile.h"

#include <filesystem>

namespace ge::onnx {

static void append(AtomicFile &out, const Encoded::Piece &piece) {
  if (piece.repeat == 1) {
    if (piece.isMapped()) {
      const MappedFile &file = *piece.tensor->file();
      return out.append(file, size_t(piece.bytes.data() - file.unguarded()), piece.bytes.size());
    }
    return out.append(piece.bytes);
  }
  // A splat: a block of elements at a time.
  constexpr size_t kBlock = 1 << 20;
  std::string block;
  uint64_t perBlock = std::max<uint64_t>(kBlock / std::max<size_t>(piece.bytes.size(), 1), 1);
  for (uint64_t i = 0; i < std::min(perBlock, piece.repeat); ++i)
    block += piece.bytes;
  for (uint64_t left = piece.repeat; left > 0;) {
    uint64_t count = std::min(left, perBlock);
    out.append(std::string_view(block).substr(0, size_t(count) * piece.bytes.size()));
    left -= count;
  }
}

void checkSize(const SerializedModel &model) {
  if (model.bytes.size() > kLargestModel)
    throwError(ErrorKind::Model, "the model takes ", model.bytes.size(),
               " bytes in one piece, and protobuf allows ", kLargestModel,
               "; save it with external data");
}

void writeModel(const SerializedModel &model, const std::string &path) {
  checkSize(model);
  size_t slash = path.rfind('/');
  std::string directory = slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
  std::vector<std::unique_ptr<AtomicFile>> written;
  for (const DataFile &file : model.files) {
    std::string place = cat(directory, file.location);
    // The data stays where it is when the model is saved beside it.
    if (file.isKept && file.parts.front().tensor->file()->isAt(place))
      continue;
    if (size_t inner = file.location.rfind('/'); inner != std::string::npos) {
      std::error_code code;
      std::filesystem::create_directories(cat(directory, file.location.substr(0, inner)), code);
    }
    auto out = std::make_unique<AtomicFile>(place);
    for (const DataFile::Part &part : file.parts) {
      Encoded::Piece piece = rawBytes(part.tensor);
      // Tensors may share bytes, which are written once.
      if (out->position() > part.offset) {
        uint64_t shared = out->position() - part.offset;
        if (shared >= piece.bytes.size())
          continue;
        piece.bytes.remove_prefix(size_t(shared));
      } else {
        out->skipTo(part.offset);
      }
      append(*out, piece);
    }
    written.push_back(std::move(out));
  }
  AtomicFile out(path);
  for (const Encoded::Piece &piece : model.bytes.pieces())
    append(out, piece);
  for (const std::unique_ptr<AtomicFile> &file : written)
    file->sync();
  out.sync();
  for (const std::unique_ptr<AtomicFile> &file : written)
    file->commit();
  out.commit();
}

} // namespace ge::onnx
