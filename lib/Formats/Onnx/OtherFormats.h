//===- OtherFormats.h - files mistaken for models ------------------------------------------------===//
#ifndef GE_LIB_FORMATS_ONNX_OTHERFORMATS_H
#define GE_LIB_FORMATS_ONNX_OTHERFORMATS_H

#include <string_view>

namespace ge::onnx {

/// Recognises other formats by the first bytes of a file that is not a model. Returns the end of a
/// sentence that names the format and what to do, or an empty text if it is unknown.
std::string_view otherFormat(std::string_view bytes);
/// Returns whether the first bytes of a file are text, which no model begins with.
bool isText(std::string_view bytes);

} // namespace ge::onnx

#endif // GE_LIB_FORMATS_ONNX_OTHERFORMATS_H
