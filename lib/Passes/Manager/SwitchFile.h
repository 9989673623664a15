//===- SwitchFile.h - the fusion switch file --------------------------------------------------===//
#ifndef GE_LIB_PASSES_MANAGER_SWITCHFILE_H
#define GE_LIB_PASSES_MANAGER_SWITCHFILE_H

#include <map>
#include <string>
#include <string_view>

namespace ge {

/// By pass, or "ALL": what Switch.GraphFusion of a JSON text says. Values that are not strings read
/// as their JSON text, which switches off. Throws Error(Value) with line and column.
std::map<std::string, std::string, std::less<>> parseSwitchFile(std::string_view text);

} // namespace ge

#endif // GE_LIB_PASSES_MANAGER_SWITCHFILE_H
