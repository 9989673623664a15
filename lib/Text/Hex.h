//===- Hex.h - bytes as hexadecimal text ----------------------------------------------------------===//
#ifndef GE_LIB_TEXT_HEX_H
#define GE_LIB_TEXT_HEX_H

#include <string>
#include <string_view>

namespace ge::text {

/// Writes hex.size() / 2 bytes; false when a character is not a hexadecimal digit.
bool decodeHex(std::string_view hex, char *out);
/// True when all are hexadecimal digits, in pairs.
bool isHex(std::string_view hex);
/// Upper case, as MLIR prints it.
void appendHex(std::string &out, std::string_view bytes);

} // namespace ge::text

#endif // GE_LIB_TEXT_HEX_H
