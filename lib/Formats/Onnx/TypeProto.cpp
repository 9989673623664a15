//===- TypeProto.cpp - types of values, both ways ---------------------------------------------===//
#include "TypeProto.h"

#include "Names.h"

#include "ge/IR/Identifier.h"

#include <ranges>

namespace ge::onnx {

DType dtypeOf(const WireReader &reader, const char *name) {
  int32_t number = reader.int32(name);
  std::optional<DType> dtype = dtypeFromOnnx(number);
  if (!dtype)
    reader.fail(name, cat("unknown element type ", number));
  return *dtype;
}

bool isListed(const Type *type) {
  return type->isTensor() ? type->isRanked() : !type->isNone() && type->kind() != TypeKind::Unknown;
}

int64_t onnxNumber(DType dtype) {
  int16_t number = info(dtype).onnx;
  if (number <= 0)
    throwError(ErrorKind::Model, "ONNX has no element type ", info(dtype).name);
  return number;
}

namespace {

class TypeReader {
public:
  TypeReader(Context &context, const WireSource &source, bool &isPlain)
      : context_(context), source_(source), isPlain_(isPlain) {}

  const Type *read(std::string_view bytes, const FieldPath *path, uint32_t depth) {
    const Type *result = nullptr;
    WireReader reader(source_, bytes, path);
    if (depth == Type::kMaxDepth)
      failAt(source_, bytes, path, nullptr,
             cat("types nest deeper than ", Type::kMaxDepth, " levels"));
    while (reader.next()) {
      uint32_t field = reader.field();
      const Row *row = std::ranges::find(kRows, field, &Row::field);
      if (row == std::end(kRows)) {
        isPlain_ = false;
        continue;
      }
      // Protobuf merges two of one kind, and takes the last one of two kinds.
      if (result)
        reader.fail(row->name, "the type is given twice");
      FieldPath inner{path, row->name};
      result = (this->*row->read)(reader.bytes(row->name), &inner, depth);
    }
    if (!result) {
      isPlain_ = false;
      return context_.unknownType();
    }
    return result;
  }

private:
  struct Row {
    uint32_t field;
    const char *name;
    const Type *(TypeReader::*read)(std::string_view, const FieldPath *, uint32_t);
  };
  static const Row kRows[6];

  const Type *tensor(std::string_view bytes, const FieldPath *path, uint32_t) {
    TensorTypeSpec spec;
    spec.dtype = DType::Undefined;
    spec.ranked = false;
    dims_.clear();
    WireReader reader(source_, bytes, path);
    while (reader.next())
      if (reader.field() == 1) {
        isPlain_ &= spec.dtype == DType::Undefined; // the last one counts
        spec.dtype = dtypeOf(reader, "elem_type");
        isPlain_ &= spec.dtype != DType::Undefined;
      } else if (reader.field() == 2) {
        if (spec.ranked)
          reader.fail("shape", "the shape is given twice");
        spec.ranked = true;
        FieldPath inner{path, "shape"};
        shape(reader.bytes("shape"), &inner);
      } else {
        isPlain_ = false;
      }
    if (spec.dtype == DType::Undefined) {
      isPlain_ = false;
      return context_.unknownType();
    }
    spec.shape = dims_;
    const Type *type = context_.tensorType(spec);
    // A name that only marks an unknown size is not in the type.
    for (size_t i = 0; i != dims_.size(); ++i)
      isPlain_ &= !dims_[i].symbol || type->shape()[i].symbol;
    return type;
  }

  void shape(std::string_view bytes, const FieldPath *path) {
    WireReader reader(source_, bytes, path);
    while (reader.next())
      if (reader.field() == 1) {
        FieldPath inner{path, "dim", int64_t(dims_.size())};
        dims_.push_back(dim(reader.bytes("dim"), &inner));
      } else {
        isPlain_ = false;
      }
  }

  Dim dim(std::string_view bytes, const FieldPath *path) {
    Dim dim;
    unsigned fields = 0;
    WireReader reader(source_, bytes, path);
    for (; reader.next(); ++fields)
      if (reader.field() == 1) {
        dim = {reader.int64("dim_value"), nullptr};
        if (dim.size < 0) {
          dim.size = -1;
          isPlain_ = false;
        }
      } else if (reader.field() == 2) {
        std::string_view symbol = reader.text("dim_param");
        isPlain_ &= !symbol.empty();
        dim = {-1, symbol.empty() ? nullptr : context_.scopedIdentifier(symbol)};
      } else {
        isPlain_ = false;
      }
    isPlain_ &= fields <= 1;
    return dim;
  }

  /// Of Sequence and Optional: the one field that both have.
  const Type *element(std::string_view bytes, const FieldPath *path, uint32_t depth) {
    const Type *result = nullptr;
    WireReader reader(source_, bytes, path);
    while (reader.next())
      if (reader.field() == 1) {
        if (result)
          reader.fail("elem_type", "the type is given twice");
        FieldPath inner{path, "elem_type"};
        result = read(reader.bytes("elem_type"), &inner, depth + 1);
      } else {
        isPlain_ = false;
      }
    isPlain_ &= result && result->kind() != TypeKind::Unknown;
    return result ? result : context_.unknownType();
  }
  const Type *sequence(std::string_view bytes, const FieldPath *path, uint32_t depth) {
    return context_.sequenceType(element(bytes, path, depth));
  }
  const Type *optional(std::string_view bytes, const FieldPath *path, uint32_t depth) {
    return context_.optionalType(element(bytes, path, depth));
  }

  const Type *map(std::string_view bytes, const FieldPath *path, uint32_t depth) {
    DType key = DType::Undefined;
    const Type *value = nullptr;
    WireReader reader(source_, bytes, path);
    while (reader.next())
      if (reader.field() == 1) {
        isPlain_ &= key == DType::Undefined; // the last one counts
        key = dtypeOf(reader, "key_type");
      } else if (reader.field() == 2) {
        if (value)
          reader.fail("value_type", "the type is given twice");
        FieldPath inner{path, "value_type"};
        value = read(reader.bytes("value_type"), &inner, depth + 1);
      } else {
        isPlain_ = false;
      }
    isPlain_ &= key != DType::Undefined && value && value->kind() != TypeKind::Unknown;
    return context_.mapType(key, value ? value : context_.unknownType());
  }

  const Type *opaque(std::string_view bytes, const FieldPath *path, uint32_t) {
    std::string_view domain, name;
    WireReader reader(source_, bytes, path);
    while (reader.next())
      if (reader.field() == 1)
        domain = reader.text("domain");
      else if (reader.field() == 2)
        name = reader.text("name");
      else
        isPlain_ = false;
    isPlain_ &= !domain.empty() && !name.empty() && name.find('.') == std::string_view::npos;
    return context_.opaqueType(domain.empty() ? std::string(name) : cat(domain, ".", name));
  }

  /// There are no sparse values in the IR: for people to read.
  const Type *sparseTensor(std::string_view bytes, const FieldPath *path, uint32_t depth) {
    const Type *dense = tensor(bytes, path, depth);
    isPlain_ = false;
    return context_.opaqueType(cat("onnx.sparse_", dense->str()));
  }

  Context &context_;
  const WireSource &source_;
  bool &isPlain_;
  std::vector<Dim> dims_;
};

const TypeReader::Row TypeReader::kRows[6] = {
    {type::Tensor, "tensor_type", &TypeReader::tensor},
    {type::Sequence, "sequence_type", &TypeReader::sequence},
    {type::Map, "map_type", &TypeReader::map},
    {type::Opaque, "opaque_type", &TypeReader::opaque},
    {type::SparseTensor, "sparse_tensor_type", &TypeReader::sparseTensor},
    {type::Optional, "optional_type", &TypeReader::optional},
};

void writeTensor(WireWriter &writer, const Type *type) {
  if (type->isRanked()) {
    uint64_t end = writer.size();
    for (const Dim &dim : std::views::reverse(type->shape())) {
      uint64_t dimEnd = writer.size();
      if (dim.isStatic())
        writer.integer(1, dim.size);
      else if (dim.symbol)
        writer.string(2, dim.symbol->str());
      writer.closeMessage(1, dimEnd);
    }
    writer.closeMessage(2, end);
  }
  writer.integer(1, onnxNumber(type->dtype()));
}

/// An element that is not known is a message without fields.
void writeNested(WireWriter &writer, uint32_t field, const Type *type) {
  uint64_t end = writer.size();
  if (type->kind() != TypeKind::Unknown)
    writeType(writer, type);
  writer.closeMessage(field, end);
}

} // namespace

const Type *readType(Context &context, const WireSource &source, std::string_view bytes,
                     const FieldPath *path, bool &isPlain) {
  return TypeReader(context, source, isPlain).read(bytes, path, 0);
}

void writeType(WireWriter &writer, const Type *type) {
  uint64_t end = writer.size();
  switch (type->kind()) {
  case TypeKind::Tensor:
    writeTensor(writer, type);
    return writer.closeMessage(type::Tensor, end);
  case TypeKind::Sequence:
    writeNested(writer, 1, type->element());
    return writer.closeMessage(type::Sequence, end);
  case TypeKind::Optional:
    writeNested(writer, 1, type->element());
    return writer.closeMessage(type::Optional, end);
  case TypeKind::Map:
    writeNested(writer, 2, type->element());
    writer.integer(1, onnxNumber(type->dtype()));
    return writer.closeMessage(type::Map, end);
  case TypeKind::Opaque: {
    std::string_view payload = type->payload()->str();
    size_t dot = payload.rfind('.');
    writer.string(2, payload.substr(dot == std::string_view::npos ? 0 : dot + 1));
    if (dot != std::string_view::npos)
      writer.string(1, payload.substr(0, dot));
    return writer.closeMessage(type::Opaque, end);
  }
  case TypeKind::Unknown:
  case TypeKind::None:
    break;
  }
  throwError(ErrorKind::Model, "ONNX has no type ", type->str());
}

} // namespace ge::onnx
