//===- OtherFormats.h - files mistaken for models ------------------------------------------------===//
#ifndef GE_LIB_FORMATS_ONNX_OTHERFORMATS_H
#define GE_LIB_FORMATS_ONNX_OTHERFORMATS_H

#include <string_view>

namespace ge::onnx {

/// How the beginning of a file that cannot be read says that it is something else than a model, and
/// what to do then, as the end of a sentence; empty: it does not.
std::string_view otherFormat(std::string_view bytes);
/// Whether the beginning of a file is text, which no model begins with.
bool isText(std::string_view bytes);

} // namespace ge::onnx

#endif // GE_LIB_FORMATS_ONNX_OTHERFORMATS_H
