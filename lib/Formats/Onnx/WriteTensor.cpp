//===- WriteTensor.cpp - tensors, inline and external -----------------------------------------===//
#include "ExternalData.h"
#include "TypeProto.h"
#include "Writer.h"

#include "ge/IR/Identifier.h"
#include "ge/IR/TensorBytes.h"

#include <ranges>

namespace ge::onnx {

/// Bytes that the tensor stores.
static Encoded::Piece storedPiece(const TensorPtr &tensor, uint64_t repeat) {
  const MappedFile *file = isMapped(*tensor) ? tensor->file().get() : nullptr;
  return {tensor->bytes(), std::make_shared<TensorPtr>(tensor), file, repeat};
}

Encoded::Piece rawBytes(const TensorPtr &tensor) {
  unsigned bits = info(tensor->type()->dtype()).bits;
  bool isPacked = bits % 8 == 0 || tensor->packing() == Tensor::Packing::Packed;
  if (isPacked && !tensor->isSplat())
    return storedPiece(tensor, 1);
  auto count = uint64_t(tensor->numElements());
  if (bits % 8 == 0)
    return storedPiece(tensor, count);
  // Elements of few bits, laid end to end.
  std::string dense(tensor->denseSize(), '\0');
  tensor->copyDense(dense.data());
  std::string packed(size_t(count / 8 * bits + (count % 8 * bits + 7) / 8), '\0');
  Interrupt interrupt;
  for (uint64_t i = 0; i < count; ++i) {
    interrupt.poll();
    uint64_t position = i * bits;
    unsigned word = unsigned(uint8_t(dense[i])) << (position % 8);
    packed[position / 8] = char(uint8_t(packed[position / 8]) | (word & 0xff));
    if (position % 8 + bits > 8)
      packed[position / 8 + 1] = char(word >> 8);
  }
  auto kept = std::make_shared<const std::string>(std::move(packed));
  return {*kept, kept, nullptr, 1};
}

static uint64_t sizeOf(const Encoded::Piece &piece) { return piece.bytes.size() * piece.repeat; }

//===-----------------------------------------------------------------------------------------===//
// External data
//===-----------------------------------------------------------------------------------------===//

/// True when the tensor is what the entries of its message name, unchanged; then `location` is the
/// file's.
bool ModelWriter::wasExternal(const TensorPtr &tensor, const Entry &entry, std::string &location) {
  if (entry.literal.empty() || !tensor->file() || tensor->isString())
    return false;
  WireSource source{entry.literal, "onnx.layout"};
  std::vector<std::string_view> entries;
  WireReader reader(source, entry.literal, nullptr);
  while (reader.next())
    if (reader.field() == tensor::ExternalData)
      entries.push_back(reader.bytes("external_data"));
  ExternalPlace place = externalPlace(source, entries, nullptr);
  if (!refusedLocation(place.location).empty() || tensor->fileOffset() != place.offset ||
      (place.hasLength && tensor->bytes().size() != place.length) ||
      fileNameOf(tensor->file()->path()) !=
          (entry.name.empty() ? fileNameOf(place.location) : entry.name))
    return false;
  location = std::move(place.location);
  return true;
}

/// Whether the reference to external data can be kept: the output finds the same file there.
bool ModelWriter::isKept(const TensorPtr &tensor, const Entry &entry) {
  std::string location;
  if (!wasExternal(tensor, entry, location))
    return false;
  if (output_->isFile())
    return output_->keeps(location, tensor->file());
  // Bytes have no directory, but two files cannot be at one place.
  const MappedFile *file = tensor->file().get();
  return filesOfBytes_.try_emplace(std::move(location), file).first->second == file;
}

/// Gives the tensor its place in the new file; false when it is too small for one.
bool ModelWriter::place(const TensorPtr &tensor) {
  if (newPlaces_.contains(tensor.get()))
    return true;
  Encoded::Piece piece = rawBytes(tensor);
  uint64_t length = sizeOf(piece);
  if (length < options_.threshold || length == 0)
    return false;
  const MappedFile *file = tensor->file().get();
  NewPlace *shared = nullptr;
  if (file) {
    // Tensors that share bytes of a file go on doing so.
    shared = &placesOfBytes_[{piece.bytes.data(), piece.bytes.size()}];
    if (shared->length) {
      newPlaces_[tensor.get()] = *shared;
      return true;
    }
    if ((copiedFrom_[file] += piece.bytes.size()) > file->size())
      throwError(ErrorKind::Model, "tensors overlap in the file '", file->path(),
                 "', and writing each of them would take more than the file has; save the model "
                 "in the directory of that file");
  }
  // Pages can be mapped by themselves; small ones are for vector loads.
  uint64_t alignment = length >= 4096 ? 4096 : 64;
  uint64_t offset = (newDataEnd_ + alignment - 1) & ~(alignment - 1);
  newPlaces_[tensor.get()] = {offset, length};
  if (shared)
    *shared = {offset, length};
  newData_.parts.push_back({offset, tensor});
  newDataEnd_ = offset + length;
  return true;
}

/// Assigns the tensor of an initializer an offset in the new file, if it is written there.
void ModelWriter::planExternal(Attribute value, const Layout &layout) {
  if (value.kind() != AttrKind::Tensor || !output_->canHaveData())
    return;
  TensorPtr tensor(value.tensorValue());
  if (tensor->isString())
    return;
  if (options_.external == SaveOptions::External::Keep) {
    const Entry *entry = layout.one(Section::Tensor);
    if (!entry || entry->literal.empty() || isKept(tensor, *entry))
      return;
  }
  place(tensor);
}

/// The name of the new file, which the first call reserves.
const std::string &ModelWriter::newLocation() {
  if (!newData_.location.empty())
    return newData_.location;
  if (!options_.location.empty())
    newData_.file = output_->reserve(options_.location, options_.overwrite);
  newData_.location = newData_.reserved = options_.location;
  if (!newData_.file)
    newData_.file = output_->reserve(newData_.reserved);
  if (newData_.location.empty())
    newData_.location = newData_.reserved;
  return newData_.location;
}

void ModelWriter::planExternal(const Graph *graph, const GraphPlan &plan) {
  if (options_.external == SaveOptions::External::Never)
    return;
  for (const Node *input : graph->inputNodes())
    if (Attribute value = input->attribute("value"))
      planExternal(value, layoutOf(context_, input->attributes()));
  for (const Node *constant : plan.constants) {
    interrupt_.poll();
    planExternal(constant->attribute("value"), layoutOf(context_, constant->attributes()));
  }
}

/// Writes where the data is, if it is in a file.
bool ModelWriter::external(const TensorPtr &tensor, const Entry *entry) {
  auto it = newPlaces_.find(tensor.get());
  if (it == newPlaces_.end()) {
    if (options_.external != SaveOptions::External::Keep || !entry || entry->literal.empty())
      return false;
    if (isKept(tensor, *entry)) {
      out_.raw(entry->literal);
      return true;
    }
    // A tensor that is not an initializer.
    if (!output_->canHaveData() || tensor->isString() || !place(tensor))
      return false;
    it = newPlaces_.find(tensor.get());
  }
  out_.integer(tensor::DataLocation, 1);
  std::pair<std::string_view, std::string> items[] = {
      {"location", newLocation()},
      {"offset", cat(it->second.offset)},
      {"length", cat(it->second.length)},
  };
  for (const auto &[key, value] : std::views::reverse(items)) {
    uint64_t end = out_.size();
    out_.string(entry::Value, value);
    out_.string(entry::Key, key);
    out_.closeMessage(tensor::ExternalData, end);
  }
  return true;
}

//===-----------------------------------------------------------------------------------------===//
// Messages
//===-----------------------------------------------------------------------------------------===//

namespace {

int64_t elementAt(DType dtype, const char *at) {
  auto load = [at]<typename T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return int64_t(value);
  };
  switch (dtype) {
  case DType::I8:
    return load(int8_t());
  case DType::I16:
    return load(int16_t());
  case DType::I32:
    return load(int32_t());
  case DType::I64:
  case DType::U64:
    return load(int64_t());
  case DType::U32:
    return load(uint32_t());
  case DType::U16:
  case DType::F16:
  case DType::BF16:
    return load(uint16_t());
  default:
    return load(uint8_t());
  }
}

bool holdsNumbersOf(uint32_t form, DType dtype) {
  switch (form) {
  case tensor::FloatData:
    return dtype == DType::F32 || dtype == DType::C64;
  case tensor::DoubleData:
    return dtype == DType::F64 || dtype == DType::C128;
  case tensor::Int64Data:
    return dtype == DType::I64;
  case tensor::Uint64Data:
    return dtype == DType::U32 || dtype == DType::U64;
  case tensor::Int32Data:
    return info(dtype).bits <= 32 && dtype != DType::F32 && dtype != DType::U32 &&
           dtype != DType::C32;
  default:
    return false;
  }
}

} // namespace

/// Writes the numbers into the typed field that they were read from; false when it does not fit.
bool ModelWriter::numbers(const Tensor &tensor, uint32_t form) {
  DType dtype = tensor.type()->dtype();
  if (!holdsNumbersOf(form, dtype))
    return false;
  if (tensor.numElements() == 0)
    return true;
  uint64_t end = out_.size();
  if (form == tensor::FloatData || form == tensor::DoubleData) {
    out_.keptBytes(rawBytes(TensorPtr(&tensor)));
  } else {
    std::string dense;
    unsigned bits = info(dtype).bits;
    size_t width = (bits + 7) / 8;
    if (bits % 8 && bits != 6) {
      Encoded::Piece piece = rawBytes(TensorPtr(&tensor)); // two or four to a number
      dense.resize(piece.bytes.size());
      piece.read(dense.data());
    } else {
      dense.resize(tensor.denseSize());
      tensor.copyDense(dense.data());
    }
    for (size_t at = dense.size(); at > 0; at -= width) {
      interrupt_.poll();
      out_.varint(uint64_t(elementAt(dtype, dense.data() + at - width)));
    }
  }
  out_.closeMessage(form, end);
  return true;
}

void ModelWriter::tensor(const TensorPtr &tensor, std::string_view name, const Entry *entry) {
  const Type *type = tensor->type();
  if (tensor->isString()) {
    std::span<const std::string> strings = tensor->strings();
    if (!name.empty())
      out_.string(tensor::Name, name);
    for (int64_t i = tensor->numElements(); i > 0; --i) {
      interrupt_.poll();
      out_.string(tensor::StringData, strings[tensor->isSplat() ? 0 : size_t(i - 1)]);
    }
  } else {
    bool isExternal = external(tensor, entry);
    bool isTyped = !isExternal && entry && entry->form && numbers(*tensor, entry->form);
    if (!isExternal && !isTyped) {
      uint64_t end = out_.size();
      out_.keptBytes(rawBytes(tensor));
      out_.closeMessage(tensor::RawData, end);
    }
    if (!name.empty())
      out_.string(tensor::Name, name);
  }
  out_.integer(tensor::DataType, onnxNumber(type->dtype()));
  for (const Dim &dim : std::views::reverse(type->shape()))
    out_.integer(tensor::Dims, dim.size);
  if (entry)
    out_.raw(entry->extra);
}

/// A dictionary {values, indices, dims}.
bool ModelWriter::isSparse(Attribute value) const {
  return value.kind() == AttrKind::Dict && value.size() == 3 && value.keys()[0]->str() == kValues &&
         value.keys()[1]->str() == kIndices && value.keys()[2]->str() == kDims &&
         value.elements()[0].kind() == AttrKind::Tensor &&
         value.elements()[1].kind() == AttrKind::Tensor &&
         value.elements()[2].kind() == AttrKind::Array && value.elements()[2].width() == DType::I64;
}

void ModelWriter::sparseTensor(Attribute value, std::string_view name, const Entry *entry,
                               const Node *node, const RootPlan *root) {
  std::span<const Attribute> parts = value.elements();
  bool hasEntries = entry && entry->parts.size() == 2;
  for (int64_t size : std::views::reverse(parts[2].ints()))
    out_.integer(sparse::Dims, size);
  uint64_t end = out_.size();
  tensor(TensorPtr(parts[1].tensorValue()), {}, hasEntries ? &entry->parts[1] : nullptr);
  out_.closeMessage(sparse::Indices, end);
  end = out_.size();
  if (node)
    provenance(node, *root, tensor::MetadataProps);
  tensor(TensorPtr(parts[0].tensorValue()), name, hasEntries ? &entry->parts[0] : nullptr);
  out_.closeMessage(sparse::Values, end);
  if (entry)
    out_.raw(entry->extra);
}

} // namespace ge::onnx
