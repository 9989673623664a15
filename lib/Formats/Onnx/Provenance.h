//===- Provenance.h - control edges, origins and lengths of lists as metadata of nodes --------===//
//
// ONNX has none of them, so they are stored as texts in metadata_props: of a node in its NodeProto,
// of an input in its ValueInfoProto, of a constant in its TensorProto, of the output node in the
// GraphProto. A text is a list in the syntax of attributes (docs/text-format.md), which for plain
// names is JSON.
//
#ifndef GE_LIB_FORMATS_ONNX_PROVENANCE_H
#define GE_LIB_FORMATS_ONNX_PROVENANCE_H

#include "ge/IR/Node.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ge::onnx {

inline constexpr std::string_view kOriginsKey = "ge.origins";
inline constexpr std::string_view kControlInputsKey = "ge.control_inputs";
/// Lengths of operand and result lists (ge/IR/Segments.h): "1,2".
inline constexpr std::string_view kOperandSegmentsKey = "ge.operand_segments";
inline constexpr std::string_view kResultSegmentsKey = "ge.result_segments";

/// `[{node = "conv1", op = "onnx.Conv", pass = "Fuse", rule = "r", file = "p.py", line = 3}]`. Of
/// locations only files are written.
std::string originsText(const Origins &origins);
/// Nothing when the text is another one.
std::optional<std::vector<Origin>> parseOrigins(Context &context, std::string_view text);

/// `["%value", "@node"]`: a node by its first result, or by name when it has none.
std::string namesText(const std::vector<std::string> &names);
std::optional<std::vector<std::string>> parseNames(Context &context, std::string_view text);

std::string lengthsText(std::span<const int32_t> lengths);
/// Throws Error(Value) unless it is a list of lengths.
std::vector<int32_t> parseLengths(std::string_view key, std::string_view text);

} // namespace ge::onnx

#endif // GE_LIB_FORMATS_ONNX_PROVENANCE_H
