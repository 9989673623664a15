//===- Domain.h - one name for each of ONNX's domains -----------------------------------------===//
#ifndef GE_IR_DOMAIN_H
#define GE_IR_DOMAIN_H

#include <string_view>

namespace ge {

/// The IR's name of a domain, which is also the registry's name of a namespace: "onnx" for ONNX's
/// "" and "ai.onnx", "onnx.ml" for its "ai.onnx.ml"; all others as they are. A part of `domain`, or
/// static. Operators are looked up by it, so every OperatorName has it.
std::string_view canonicalDomain(std::string_view domain);

} // namespace ge

#endif // GE_IR_DOMAIN_H
