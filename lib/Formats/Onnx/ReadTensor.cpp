//===- ReadTensor.cpp - tensors as views into the file ----------------------------------------===//
#include "Provenance.h"
#include "Reader.h"
#include "TypeProto.h"

#include <algorithm>
#include <charconv>

namespace ge::onnx {

namespace {

struct TensorFields {
  DType dtype = DType::Undefined;
  std::vector<int64_t> dims;
  std::string_view name, raw;
  bool hasRaw = false, isExternal = false;
  std::vector<std::string_view> strings;
  std::vector<std::string_view> external; ///< entries
  /// Payloads of the typed field; packed ones are kept whole.
  uint32_t numbersField = 0;
  const char *numbersName = nullptr;
  std::vector<std::string_view> packed;
};

/// The typed field that may hold numbers of a type, and the bytes of one number there: 0 is a
/// varint.
struct NumberField {
  uint32_t field;
  const char *name;
  unsigned width;
};
constexpr NumberField kFloatData = {tensor::FloatData, "float_data", 4};
constexpr NumberField kInt32Data = {tensor::Int32Data, "int32_data", 0};
constexpr NumberField kInt64Data = {tensor::Int64Data, "int64_data", 0};
constexpr NumberField kDoubleData = {tensor::DoubleData, "double_data", 8};
constexpr NumberField kUint64Data = {tensor::Uint64Data, "uint64_data", 0};

const NumberField *numberFieldOf(uint32_t field) {
  for (const NumberField *row : {&kFloatData, &kInt32Data, &kInt64Data, &kDoubleData, &kUint64Data})
    if (row->field == field)
      return row;
  return nullptr;
}

uint32_t numberFieldFor(DType dtype) {
  switch (dtype) {
  case DType::F32:
  case DType::C64:
    return tensor::FloatData;
  case DType::F64:
  case DType::C128:
    return tensor::DoubleData;
  case DType::I64:
    return tensor::Int64Data;
  case DType::U32:
  case DType::U64:
    return tensor::Uint64Data;
  case DType::String:
    return tensor::StringData;
  default:
    return tensor::Int32Data;
  }
}

bool isSigned(DType dtype) {
  return dtype == DType::I8 || dtype == DType::I16 || dtype == DType::I32 || dtype == DType::I64;
}

/// Bits of one number in int32_data, int64_data and uint64_data.
unsigned bitsOfNumber(DType dtype) {
  unsigned bits = info(dtype).bits;
  if (dtype == DType::Bool)
    return 1;
  return bits < 8 && 8 % bits == 0 ? 8 : bits; // packed, but for those of 6 bits
}

} // namespace

/// Tensors over bytes of the source, which live as long as a tensor refers to them.
Tensor *ModelReader::viewOf(const Type *type, std::string_view bytes) {
  constexpr auto kPacked = Tensor::Packing::Packed;
  if (source_.file)
    return Tensor::map(type, source_.file, source_.offsetOf(bytes), bytes.size(), kPacked);
  auto keeper = std::make_unique<std::shared_ptr<const void>>(source_.keeper);
  Tensor *tensor = Tensor::borrow(
      type, bytes.data(), bytes.size(),
      [](void *owner) { delete static_cast<std::shared_ptr<const void> *>(owner); }, keeper.get(),
      kPacked);
  std::ignore = keeper.release(); // the tensor owns it now
  return tensor;
}

namespace {

/// Varints of int32_data and its like, as elements.
std::string decodeNumbers(const WireSource &source, const TensorFields &fields,
                          const FieldPath *path) {
  unsigned bits = bitsOfNumber(fields.dtype);
  size_t width = (bits + 7) / 8;
  int64_t low = isSigned(fields.dtype) && bits < 64 ? -(int64_t(1) << (bits - 1)) : 0;
  uint64_t span = bits >= 64 ? UINT64_MAX : (uint64_t(1) << bits) - 1;
  if (fields.dtype == DType::I64)
    low = INT64_MIN;
  std::string out;
  auto append = [&](const char *place, int64_t value) {
    if (uint64_t(value) - uint64_t(low) > span)
      failAt(source, {place, place}, path, fields.numbersName,
             cat(value, " does not fit element type ", info(fields.dtype).name));
    out.append(reinterpret_cast<const char *>(&value), width);
  };
  Interrupt interrupt;
  for (std::string_view packed : fields.packed) {
    const char *at = packed.data(), *end = at + packed.size();
    out.reserve(out.size() + width * packed.size());
    while (at != end) {
      interrupt.poll();
      uint64_t value = 0;
      const char *place = at;
      for (unsigned shift = 0;; shift += 7) {
        if (at == end || shift == 70)
          failAt(source, {place, place}, path, fields.numbersName,
                 "the field ends inside a number");
        auto byte = uint8_t(*at++);
        value |= uint64_t(byte & 0x7f) << std::min(shift, 63u);
        if (byte < 0x80)
          break;
      }
      append(place, int64_t(value));
    }
  }
  out.shrink_to_fit();
  return out;
}

} // namespace

ModelReader::ReadTensor ModelReader::tensor(std::string_view bytes, const FieldPath *path,
                                            bool isNamed) {
  TensorFields fields;
  ReadTensor result;
  Entry &entry = result.entry;
  WireReader reader(source_, bytes, path);
  while (reader.next()) {
    switch (uint32_t field = reader.field()) {
    case tensor::Dims:
      reader.int64s("dims", fields.dims);
      continue;
    case tensor::DataType:
      fields.dtype = dtypeOf(reader, "data_type");
      continue;
    case tensor::Name:
      fields.name = reader.text("name");
      if (isNamed && !fields.name.empty())
        continue;
      break;
    case tensor::MetadataProps:
      if (isNamed && (takeProvenance(reader, kOriginsKey, result.provenance) ||
                      takeProvenance(reader, kControlInputsKey, result.provenance)))
        continue;
      break;
    case tensor::RawData:
      fields.raw = reader.message("raw_data");
      fields.hasRaw = true;
      continue;
    case tensor::StringData:
      fields.strings.push_back(reader.bytes("string_data"));
      continue;
    case tensor::ExternalData:
      fields.external.push_back(reader.bytes("external_data"));
      entry.literal += reader.raw();
      continue;
    case tensor::DocString:
      break;
    case tensor::DataLocation:
      if (int32_t place = reader.int32("data_location"); place == 1) {
        fields.isExternal = true;
        entry.literal += reader.raw();
        continue;
      } else if (place != 0) {
        result.opaque += reader.raw();
      }
      if (fields.isExternal) // protobuf takes the last one
        reader.fail("data_location", "the tensor has two places for its data");
      break;
    default:
      if (const NumberField *row = numberFieldOf(field)) {
        if (fields.numbersField && fields.numbersField != field)
          reader.fail(row->name, cat("the tensor also has numbers in ", fields.numbersName));
        fields.numbersField = field;
        fields.numbersName = row->name;
        if (reader.type() == WireType::Bytes) {
          fields.packed.push_back(row->width ? reader.message(row->name) : reader.bytes(row->name));
        } else {
          // One number of an unpacked list: its payload follows the tag.
          std::string_view raw = reader.raw();
          size_t tag = 1;
          while (uint8_t(raw[tag - 1]) >= 0x80)
            ++tag;
          bool fits =
              row->width ? raw.size() - tag == row->width : reader.type() == WireType::Varint;
          if (!fits)
            reader.fail(row->name, cat("the wire type is ", int(reader.type())));
          fields.packed.push_back(raw.substr(tag));
        }
        continue;
      }
      result.opaque += reader.raw();
    }
    entry.extra += reader.raw();
  }

  std::string_view place = bytes;
  if (fields.dtype == DType::Undefined)
    failAt(source_, place, path, "data_type", "the tensor has no element type");
  result.name = fields.name;
  std::vector<Dim> dims;
  dims.reserve(fields.dims.size());
  for (int64_t size : fields.dims) {
    if (size < 0)
      failAt(source_, place, path, "dims", cat("a dimension is negative: ", size));
    dims.push_back({size, nullptr});
  }
  const Type *type = at(place, path, "dims", [&] {
    TensorTypeSpec spec;
    spec.dtype = fields.dtype;
    spec.shape = dims;
    return context_.tensorType(spec);
  });

  uint32_t numbers = numberFieldFor(fields.dtype);
  unsigned sources = unsigned(fields.isExternal) + unsigned(fields.hasRaw) +
                     unsigned(!fields.strings.empty()) + unsigned(fields.numbersField != 0);
  if (sources > 1)
    failAt(source_, place, path, nullptr, "the tensor has its data in more than one field");
  if (fields.dtype == DType::String) {
    if (fields.hasRaw || fields.isExternal || fields.numbersField)
      failAt(source_, place, path, nullptr, "strings can only be in string_data");
    std::vector<std::string> strings(fields.strings.begin(), fields.strings.end());
    if (int64_t(strings.size()) != type->numElements())
      failAt(source_, place, path, "string_data",
             cat(type->str(), " takes ", type->numElements(), " strings, not ", strings.size()));
    result.tensor = TensorPtr::adopt(
        at(place, path, "string_data", [&] { return Tensor::strings(type, std::move(strings)); }));
    return result;
  }
  if (!fields.strings.empty())
    failAt(source_, place, path, "string_data",
           cat("the element type is ", info(fields.dtype).name));

  if (fields.isExternal) {
    ExternalPlace external = at(place, path, "external_data",
                                [&] { return externalPlace(source_, fields.external, path); });
    if (skipsData_) {
      uint64_t zero[2] = {};
      result.tensor = TensorPtr::adopt(at(place, path, "external_data", [&] {
        return Tensor::splat(type, zero, std::max<size_t>(info(fields.dtype).bits / 8, 1));
      }));
      return result;
    }
    result.tensor = TensorPtr::adopt(at(place, path, "external_data", [&] {
      std::shared_ptr<const MappedFile> file = external_.open(external.location);
      // With links resolved, so that the writer recognises the file.
      if (std::string_view real = fileNameOf(file->path()); real != fileNameOf(external.location))
        entry.name = real;
      uint64_t length = external.length;
      if (!external.hasLength) {
        uint64_t bits = info(fields.dtype).bits;
        auto count = uint64_t(type->numElements());
        length = count / 8 * bits + (count % 8 * bits + 7) / 8;
      }
      return Tensor::map(type, std::move(file), external.offset, length, Tensor::Packing::Packed);
    }));
    return result;
  }

  if (fields.hasRaw) {
    result.tensor = TensorPtr::adopt(
        at(fields.raw, path, "raw_data", [&] { return viewOf(type, fields.raw); }));
    return result;
  }

  // No data at all is right for a tensor without elements.
  if (fields.numbersField && fields.numbersField != numbers)
    failAt(source_, place, path, fields.numbersName,
           cat("numbers of type ", info(fields.dtype).name, " cannot be there"));
  entry.form = numbers;
  if (!fields.numbersName)
    fields.numbersName = "raw_data";
  result.tensor = TensorPtr::adopt(at(place, path, fields.numbersName, [&]() -> Tensor * {
    const NumberField &row = *numberFieldOf(numbers);
    auto packing =
        bitsOfNumber(fields.dtype) == 6 ? Tensor::Packing::Bytes : Tensor::Packing::Packed;
    if (row.width && fields.packed.size() == 1)
      return viewOf(type, fields.packed.front());
    std::string all;
    if (row.width)
      for (std::string_view part : fields.packed) {
        interrupt_.pollBytes(part.size());
        all += source_.need(part);
      }
    else
      all = decodeNumbers(source_, fields, path);
    return Tensor::copy(type, all.data(), all.size(), packing);
  }));
  return result;
}

ExternalPlace externalPlace(const WireSource &source, const std::vector<std::string_view> &entries,
                            const FieldPath *path) {
  ExternalPlace place;
  auto number = [&](const WireReader &reader, std::string_view text) {
    uint64_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
      reader.fail("value", cat("'", text, "' is not a number of bytes"));
    return value;
  };
  for (size_t i = 0; i < entries.size(); ++i) {
    FieldPath inner{path, "external_data", int64_t(i)};
    std::string_view key, value;
    WireReader reader(source, entries[i], &inner);
    while (reader.next())
      if (reader.field() == entry::Key)
        key = reader.bytes("key");
      else if (reader.field() == entry::Value)
        value = reader.text("value");
    if (key == "location")
      place.location = value;
    else if (key == "offset")
      place.offset = number(reader, value);
    else if (key == "length") {
      place.length = number(reader, value);
      place.hasLength = true;
    }
  }
  return place;
}

/// nullopt if a part is missing: the message is then kept as bytes.
std::optional<ModelReader::ReadSparse>
ModelReader::sparseTensor(std::string_view bytes, const FieldPath *path, bool isNamed) {
  ReadSparse result;
  std::string_view values, indices;
  std::vector<int64_t> dims;
  WireReader reader(source_, bytes, path);
  while (reader.next())
    switch (reader.field()) {
    case sparse::Values:
      if (values.data()) // protobuf merges them
        reader.fail("values", "the sparse tensor has the field twice");
      values = reader.message("values");
      break;
    case sparse::Indices:
      if (indices.data())
        reader.fail("indices", "the sparse tensor has the field twice");
      indices = reader.message("indices");
      break;
    case sparse::Dims:
      reader.int64s("dims", dims);
      break;
    default:
      result.entry.extra += reader.raw();
      result.opaque += reader.raw();
    }
  if (values.empty() || indices.empty())
    return std::nullopt;
  FieldPath valuesPath{path, "values"}, indicesPath{path, "indices"};
  ReadTensor valuesRead = tensor(values, &valuesPath, isNamed);
  result.provenance = std::move(valuesRead.provenance);
  ReadTensor indicesRead = tensor(indices, &indicesPath, false);
  result.opaque += valuesRead.opaque + indicesRead.opaque;
  result.name = valuesRead.name;
  const Identifier *keys[] = {values_, indices_, dims_};
  std::vector<Dim> shape;
  for (int64_t size : dims) {
    if (size < 0)
      failAt(source_, bytes, path, "dims", cat("a dimension is negative: ", size));
    shape.push_back({size, nullptr});
  }
  at(bytes, path, nullptr, [&] {
    TensorTypeSpec spec;
    spec.dtype = valuesRead.tensor->type()->dtype();
    spec.shape = shape;
    result.type = context_.tensorType(spec);
    AttrRef parts[] = {context_.tensorAttr(valuesRead.tensor),
                       context_.tensorAttr(indicesRead.tensor), context_.intArray(dims)};
    Attribute words[] = {parts[0].get(), parts[1].get(), parts[2].get()};
    result.value = context_.dictAttr(keys, words);
  });
  if (!valuesRead.entry.isPlain() || !indicesRead.entry.isPlain()) {
    result.entry.parts.push_back(std::move(valuesRead.entry));
    result.entry.parts.push_back(std::move(indicesRead.entry));
  }
  return result;
}

} // namespace ge::onnx
