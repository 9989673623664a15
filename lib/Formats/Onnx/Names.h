//===- Names.h - field numbers of onnx.proto and the attributes that hold what it says --------===//
#ifndef GE_LIB_FORMATS_ONNX_NAMES_H
#define GE_LIB_FORMATS_ONNX_NAMES_H

#include "ge/IR/UnknownAttributes.h"

#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace ge::onnx {

// clang-format off
namespace model { enum : uint32_t { IrVersion = 1, ProducerName = 2, ProducerVersion = 3, Domain = 4,
  ModelVersion = 5, DocString = 6, Graph = 7, OpsetImport = 8, MetadataProps = 14, Functions = 25 }; }
namespace opset { enum : uint32_t { Domain = 1, Version = 2 }; }
namespace entry { enum : uint32_t { Key = 1, Value = 2 }; }
namespace graph { enum : uint32_t { Node = 1, Name = 2, Initializer = 5, DocString = 10, Input = 11,
  Output = 12, ValueInfo = 13, SparseInitializer = 15, MetadataProps = 16 }; }
namespace function { enum : uint32_t { Name = 1, Input = 4, Output = 5, Attribute = 6, Node = 7,
  DocString = 8, OpsetImport = 9, Domain = 10, AttributeProto = 11, ValueInfo = 12, Overload = 13,
  MetadataProps = 14 }; }
namespace node { enum : uint32_t { Input = 1, Output = 2, Name = 3, OpType = 4, Attribute = 5,
  DocString = 6, Domain = 7, Overload = 8, MetadataProps = 9 }; }
namespace value_info { enum : uint32_t { Name = 1, Type = 2, MetadataProps = 4 }; }
namespace attribute { enum : uint32_t { Name = 1, F = 2, I = 3, S = 4, T = 5, G = 6, Floats = 7,
  Ints = 8, Strings = 9, Tensors = 10, Graphs = 11, Tp = 14, TypeProtos = 15, Type = 20,
  DocString = 13, RefAttrName = 21, SparseTensor = 22, SparseTensors = 23 }; }
namespace tensor { enum : uint32_t { Dims = 1, DataType = 2, FloatData = 4, Int32Data = 5,
  StringData = 6, Int64Data = 7, Name = 8, RawData = 9, DoubleData = 10, Uint64Data = 11,
  DocString = 12, ExternalData = 13, DataLocation = 14, MetadataProps = 16 }; }
namespace sparse { enum : uint32_t { Values = 1, Indices = 2, Dims = 3 }; }
namespace type { enum : uint32_t { Tensor = 1, Sequence = 4, Map = 5, Denotation = 6, Opaque = 7,
  SparseTensor = 8, Optional = 9 }; }
// clang-format on

/// The name that models have for a domain of the IR (see canonicalDomain): "" for "onnx",
/// "ai.onnx.ml" for "onnx.ml".
inline std::string modelDomain(std::string_view domain) {
  if (domain == "onnx")
    return {};
  return domain.starts_with("onnx.") ? "ai." + std::string(domain) : std::string(domain);
}

/// AttributeProto.AttributeType.
enum class AttributeType : uint32_t {
  Undefined = 0,
  Float = 1,
  Int = 2,
  String = 3,
  Tensor = 4,
  Graph = 5,
  Floats = 6,
  Ints = 7,
  Strings = 8,
  Tensors = 9,
  Graphs = 10,
  SparseTensor = 11,
  SparseTensors = 12,
  TypeProto = 13,
  TypeProtos = 14,
};

/// One row for each type: the field that holds its value.
struct AttributeTypeRow {
  AttributeType type;
  uint32_t field;
  const char *fieldName;
  const char *name; ///< in a reference to a function's attribute
};
inline constexpr AttributeTypeRow kAttributeTypes[] = {
    {AttributeType::Float, attribute::F, "f", "FLOAT"},
    {AttributeType::Int, attribute::I, "i", "INT"},
    {AttributeType::String, attribute::S, "s", "STRING"},
    {AttributeType::Tensor, attribute::T, "t", "TENSOR"},
    {AttributeType::Graph, attribute::G, "g", "GRAPH"},
    {AttributeType::Floats, attribute::Floats, "floats", "FLOATS"},
    {AttributeType::Ints, attribute::Ints, "ints", "INTS"},
    {AttributeType::Strings, attribute::Strings, "strings", "STRINGS"},
    {AttributeType::Tensors, attribute::Tensors, "tensors", "TENSORS"},
    {AttributeType::Graphs, attribute::Graphs, "graphs", "GRAPHS"},
    {AttributeType::SparseTensor, attribute::SparseTensor, "sparse_tensor", "SPARSE_TENSOR"},
    {AttributeType::SparseTensors, attribute::SparseTensors, "sparse_tensors", "SPARSE_TENSORS"},
    {AttributeType::TypeProto, attribute::Tp, "tp", "TYPE_PROTO"},
    {AttributeType::TypeProtos, attribute::TypeProtos, "type_protos", "TYPE_PROTOS"},
};

/// The row of a type, or of the field that holds a value; null when there is none.
constexpr const AttributeTypeRow *rowOfType(uint64_t type) {
  // The rows are in the order of the types, which begin at 1.
  return type - 1 < std::size(kAttributeTypes) ? &kAttributeTypes[type - 1] : nullptr;
}
constexpr const AttributeTypeRow *rowOfField(uint32_t field) {
  constexpr auto kRows = [] {
    std::array<uint8_t, 32> rows{};
    for (const AttributeTypeRow &row : kAttributeTypes)
      rows[row.field] = uint8_t(row.type);
    return rows;
  }();
  return field < kRows.size() ? rowOfType(kRows[field]) : nullptr;
}

// Attributes of modules, graphs and nodes. All begin with kPrefix, and none is an operator's.
inline constexpr std::string_view kPrefix = "onnx.";
inline constexpr std::string_view kIrVersion = "onnx.ir_version";
inline constexpr std::string_view kProducerName = "onnx.producer_name";
inline constexpr std::string_view kProducerVersion = "onnx.producer_version";
inline constexpr std::string_view kDomain = "onnx.domain";
inline constexpr std::string_view kModelVersion = "onnx.model_version";
inline constexpr std::string_view kDocString = "onnx.doc_string";
inline constexpr std::string_view kMetadataProps = "onnx.metadata_props";
inline constexpr std::string_view kOpsetImports = "onnx.opset_imports";
inline constexpr std::string_view kFunction = "onnx.function"; ///< marks a graph as a function
inline constexpr std::string_view kFunctionAttributes = "onnx.attributes";
inline constexpr std::string_view kFunctionDefaults = "onnx.attribute_defaults";
/// Marks an onnx.Constant that is a sparse initializer of the file.
inline constexpr std::string_view kSparseInitializer = "onnx.sparse_initializer";
inline constexpr std::string_view kExtra = "onnx.extra";
inline constexpr std::string_view kLayout = "onnx.layout";

// Keys of the dictionaries that represent a sparse tensor and a reference to a function's
// attribute.
inline constexpr std::string_view kValues = "values";
inline constexpr std::string_view kIndices = "indices";
inline constexpr std::string_view kDims = "dims";
inline constexpr std::string_view kRefAttrName = kReference;
inline constexpr std::string_view kRefType = "type";

} // namespace ge::onnx

#endif // GE_LIB_FORMATS_ONNX_NAMES_H
