//===- WriteFile.cpp - serialized models as files ---------------------------------------------===//
#include "Output.h"
#include "Writer.h"

#include "ge/Support/AtomicFile.h"
#include "ge/Support/MappedFile.h"

#include <algorithm>

namespace ge::onnx {

static void append(AtomicFile &out, const Encoded::Piece &piece) {
  if (piece.repeat == 1) {
    if (piece.file)
      return out.append(*piece.file, size_t(piece.bytes.data() - piece.file->unguarded()),
                        piece.bytes.size());
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
    throwError(ErrorKind::Model, "the model is ", model.bytes.size(),
               " bytes large, and protobuf allows ", kLargestModel, "; save it with external data");
}

static void writeData(AtomicFile &out, const std::vector<NewData::Part> &parts) {
  for (const NewData::Part &part : parts) {
    out.skipTo(part.offset);
    append(out, rawBytes(part.tensor));
  }
  out.sync();
}

static void append(AtomicFile &out, const Encoded &bytes) {
  for (const Encoded::Piece &piece : bytes.pieces())
    append(out, piece);
}

/// Error(Model) when the reader refuses what was written.
static void verify(const SerializedModel &model, const std::string &path) {
  GuardedCopy copy(size_t(model.bytes.size()), model.bytes.reader());
  WireSource source{copy.bytes(), path};
  source.copy = &copy;
  LoadOptions options;
  options.skipsData = true;
  ContextPtr context(Context::create());
  context->release(); // the pointer has a reference of its own
  try {
    readModel(*context, source, options)->release();
  } catch (const Error &error) {
    throwError(ErrorKind::Model, "'", path,
               "' was not written, because it could not be read again: ", error.message());
  }
}

void writeModel(SerializedModel &model, const std::string &path) {
  checkSize(model);
  if (model.verify)
    verify(model, path);
  if (!model.data.parts.empty() && (!model.data.file || path != model.output->path()))
    throwError(ErrorKind::Value,
               "a model with new external data can be written only once, and only to '",
               model.output->path(), "', for which it was serialized");
  Output here(path);
  Output &output = path == model.output->path() ? *model.output : here;
  std::vector<std::string> old = output.ownData();
  // Removed unless it is committed.
  std::shared_ptr<AtomicFile> data = std::move(model.data.file);
  if (data) {
    output.copyRights(*data, old); // new weights get those of the ones that they replace
    writeData(*data, model.data.parts);
  }
  bool isStaged = data && model.data.location != model.data.reserved;
  std::unique_ptr<AtomicFile> replaced;
  if (isStaged) {
    replaced = output.replace(model.data.location);
    writeData(*replaced, model.data.parts);
  }
  std::unique_ptr<AtomicFile> out = output.open(model.isNew, model.allowPipe);
  append(*out, model.bytes);
  out->sync();
  output.noteForRemoval(old);
  if (isStaged) {
    // The data file that is replaced may belong to the old model, so the model first goes to data
    // of its own. (A hard link would not do: readers refuse data that has two names.)
    std::unique_ptr<AtomicFile> staged = output.open(false, false);
    append(*staged, model.staged);
    staged->commit();
    try {
      replaced->commit();
      out->commit();
    } catch (...) {
      data->commit(); // the staged model refers to it
      throw;
    }
  } else {
    out->commit();
    if (data)
      data->commit();
  }
  data.reset();
  if (!old.empty() || output.hasLeftovers())
    output.removeUnreferenced(old);
  output.closeJournal();
}

} // namespace ge::onnx
