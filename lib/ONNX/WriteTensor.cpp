//===- WriteTensor.cpp - tensors, inline and external -----------------------------------------===//
#include "ExternalData.h"
#include "TypeProto.h"
#include "Writer.h"

#include "ge/IR/Identifier.h"

#include <ranges>

namespace ge::onnx {

Encoded::Piece rawBytes(const TensorPtr &tensor) {
  unsigned bits = info(tensor->type()->dtype()).bits;
  bool isPacked = bits % 8 == 0 || tensor->packing() == Tensor::Packing::Packed;
  std::string_view stored = tensor->bytes(); // its address, if it is mapped
  if (isPacked && !tensor->isSplat())
    return {stored, tensor, 1};
  auto count = uint64_t(tensor->numElements());
  if (bits % 8 == 0)
    return {stored, tensor, count};
  // Elements of few bits, laid end to end.
  std::string dense(tensor->denseSize(), '\0');
  tensor->copyDense(dense.data());
  std::string packed(size_t(count / 8 * bits + (count % 8 * bits + 7) / 8), '\0');
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t position = i * bits;
    unsigned word = unsigned(uint8_t(dense[i])) << (position % 8);
    packed[position / 8] = char(uint8_t(packed[position / 8]) | (word & 0xff));
    if (position % 8 + bits > 8)
      packed[position / 8 + 1] = char(word >> 8);
  }
  auto copy = TensorPtr::adopt(
      Tensor::copy(tensor->type(), packed.data(), packed.size(), Tensor::Packing::Packed));
  return {copy->bytes(), copy, 1};
}

static uint64_t sizeOf(const Encoded::Piece &piece) { return piece.bytes.size() * piece.repeat; }

//===-----------------------------------------------------------------------------------------===//
// External data
//===-----------------------------------------------------------------------------------------===//

/// The tensor is still the bytes that the entries of its message name.
bool ModelWriter::isUnchanged(const TensorPtr &tensor, const Entry &entry, DataFile::Part &part,
                              std::string &location) {
  if (entry.literal.empty() || !tensor->file() || tensor->isString())
    return false;
  Source source{entry.literal, "onnx.layout"};
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
  // Two files cannot be at one place.
  auto it = keptFiles_.find(place.location);
  if (it != keptFiles_.end() && it->second.parts.front().tensor->file() != tensor->file())
    return false;
  part = {place.offset, tensor};
  location = place.location;
  return true;
}

/// Gives the tensor of an initializer its place in the new file, if it goes there.
void ModelWriter::planExternal(Attribute value, const Layout &layout) {
  if (value.kind() != AttrKind::Tensor || fileName_.empty())
    return;
  TensorPtr tensor(value.tensorValue());
  if (tensor->isString() || newPlaces_.contains(tensor.get()))
    return;
  if (options_.external == SaveOptions::External::Keep) {
    const Entry *entry = layout.one(Section::Tensor);
    DataFile::Part part;
    std::string location;
    if (!entry || entry->literal.empty())
      return;
    if (isUnchanged(tensor, *entry, part, location)) {
      keptLocations_.insert(location);
      return;
    }
  }
  Encoded::Piece piece = rawBytes(tensor);
  uint64_t length = sizeOf(piece);
  if (length < options_.threshold || length == 0)
    return;
  // Pages can be mapped by themselves; small ones are for vector loads.
  uint64_t alignment = length >= 4096 ? 4096 : 64;
  uint64_t offset = (newFileEnd_ + alignment - 1) & ~(alignment - 1);
  newPlaces_[tensor.get()] = {offset, length};
  newFile_.parts.push_back({offset, std::move(tensor)});
  newFileEnd_ = offset + length;
}

/// After all initializers were planned.
void ModelWriter::nameNewFile() {
  newFile_.location = options_.location;
  if (!newFile_.location.empty())
    return;
  newFile_.location = cat(fileName_, ".data");
  for (uint32_t i = 1; keptLocations_.contains(newFile_.location); ++i)
    newFile_.location = cat(fileName_, "_", i, ".data");
}

void ModelWriter::planExternal(const Graph *graph, const GraphPlan &plan) {
  if (options_.external == SaveOptions::External::Never)
    return;
  for (const Node *input : graph->inputNodes())
    if (Attribute value = input->attribute("value"))
      planExternal(value, layoutOf(context_, input->attributes()));
  for (const Node *constant : plan.constants)
    planExternal(constant->attribute("value"), layoutOf(context_, constant->attributes()));
}

/// Writes where the data is, if it is in a file.
bool ModelWriter::external(const TensorPtr &tensor, const Entry *entry) {
  if (auto it = newPlaces_.find(tensor.get()); it != newPlaces_.end()) {
    out_.integer(tensor::DataLocation, 1);
    std::pair<std::string_view, std::string> items[] = {
        {"location", newFile_.location},
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
  DataFile::Part part;
  std::string location;
  if (options_.external != SaveOptions::External::Keep || !entry ||
      !isUnchanged(tensor, *entry, part, location))
    return false;
  DataFile &file = keptFiles_[location];
  file.location = location;
  file.isKept = true;
  file.parts.push_back(std::move(part));
  out_.raw(entry->literal);
  return true;
}

std::vector<DataFile> ModelWriter::dataFiles() {
  std::vector<DataFile> files;
  if (!newFile_.parts.empty() && keptFiles_.contains(newFile_.location))
    throwError(ErrorKind::Model, "tensors that did not change are in '", newFile_.location,
               "', where new ones were to go; give the external data another name");
  for (auto &[location, file] : keptFiles_) {
    std::ranges::stable_sort(file.parts, {}, &DataFile::Part::offset);
    files.push_back(std::move(file));
  }
  if (!newFile_.parts.empty())
    files.push_back(std::move(newFile_));
  return files;
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
    out_.tensorBytes(rawBytes(TensorPtr(&tensor)));
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
    for (size_t at = dense.size(); at > 0; at -= width)
      out_.varint(uint64_t(elementAt(dtype, dense.data() + at - width)));
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
    for (int64_t i = tensor->numElements(); i > 0; --i)
      out_.string(tensor::StringData, strings[tensor->isSplat() ? 0 : size_t(i - 1)]);
  } else {
    bool isExternal = external(tensor, entry);
    bool isTyped = !isExternal && entry && entry->form && numbers(*tensor, entry->form);
    if (!isExternal && !isTyped) {
      uint64_t end = out_.size();
      out_.tensorBytes(rawBytes(tensor));
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
